"""The tree above the pages: a folder's folders and pages, and the chapters of each page. Only what may be seen."""

from __future__ import annotations

from collections import Counter

from query_fn.agent.chat.base import CollectionResult
from query_fn.agent.chat.chapters import chapters
from query_fn.errors import NotFound
from query_fn.store import Store
from query_fn.visibility import Visibility, inside

MOST_PAGES = 40
MOST_CHAPTERS = 12  # of one page


def collection(folder: str, store: Store, visibility: Visibility) -> CollectionResult:
    """Return the tree of a folder, "" for the whole base, in the order of the paths.

    Raises NotFound for a folder in which nothing may be seen, whether it exists or not.
    """
    articles = store.articles_by_id
    bare = folder.strip("/")
    found = [a for a in store.articles() if visibility.sees(a, articles) and inside(a.folder, bare)]
    if not found:
        raise NotFound("There is no such page or folder.")
    own = sorted((a for a in found if a.folder == bare), key=lambda a: a.path)
    below = Counter(_child(a.folder, bare) for a in found if a.folder != bare)
    pages = []
    for article in own[:MOST_PAGES]:
        nodes = [node for node in store.nodes_of(article.id) if visibility.sees(node, articles)]
        pages.append((article, chapters(nodes)[:MOST_CHAPTERS]))
    return CollectionResult(bare, tuple(sorted(below.items())), tuple(pages), len(own))


def _child(folder: str, parent: str) -> str:
    """Return the folder just below `parent` in which `folder` lies, or which it is."""
    head = f"{parent}/" if parent else ""
    return head + folder.removeprefix(head).split("/", 1)[0]
