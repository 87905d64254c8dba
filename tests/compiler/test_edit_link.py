"""The link that leads from an article to where its file is edited."""

from __future__ import annotations

import json
from pathlib import Path

from .vault import PUBLIC, QUICK, make

EDIT = "https://git.example.org/notes/edit/main/content"
VAULT: dict[str, str | bytes] = {
    "雨 后/a.md": PUBLIC + "# a\n",
    "qzhiddenkx/b.md": PUBLIC + "# b\n",
    "c.md": "---\nshare: public\nslug: elsewhere\n---\n# c\n",
}
RULE = "sharing.rules=[{path: qzhiddenkx/**, share: private}]"


def links(current: Path) -> dict[str, str]:
    """Return the link of each article by its title."""
    pages = [json.loads(path.read_text("utf-8")) for path in (current / "site").rglob("index.html")]
    return {page["title"]: page["edit"] for page in pages if page.get("kind") == "article"}


def test_an_article_leads_to_its_file(tmp_path: Path) -> None:
    """The address is the owner's and the path of the file, whatever the page's own address; a hidden folder is not told."""
    _, current = make(tmp_path, VAULT, f"site.edit_url={EDIT}/", RULE, how=QUICK)
    assert links(current) == {"a": f"{EDIT}/%E9%9B%A8%20%E5%90%8E/a.md", "b": "", "c": f"{EDIT}/c.md"}


def test_without_an_address_there_is_no_link(tmp_path: Path) -> None:
    """Where the notes lie is nowhere unless the owner says it."""
    _, current = make(tmp_path, VAULT, RULE, how=QUICK)
    assert set(links(current).values()) == {""}
