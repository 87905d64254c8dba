"""The owner's `_theme/`: styles, files, templates and a few options; what would break a promise is refused with the reason."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from compiler.errors import BuildError, SettingsError
from compiler.model import Theme
from compiler.site.mkdocs import render
from compiler.theme import read_theme
from tests.compiler.site_sample import sample_site
from tests.compiler.vault import PUBLIC, QUICK, make

FOOT = '{% extends "geosmin/main.html" %}{% block foot %}<p class="mine">{{ config.extra.motto }} {{ p.title }}</p>{% endblock %}'


def themed(content: Path, files: dict[str, str]) -> Theme:
    """Return the theme that these files make."""
    for name, text in files.items():
        place = content / "_theme" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    return read_theme(content)


def written(theme: Theme, out: Path) -> str:
    """Return one article of the sample site in this theme."""
    render(dataclasses.replace(sample_site(lang="en"), theme=theme), out)
    return (out / "garden" / "smell" / "index.html").read_text("utf-8")


def test_styles_and_files_follow_ours(tmp_path: Path) -> None:
    """A variable set in `_theme/*.css` stands after ours on every page, and an image lies beside it."""
    theme = themed(tmp_path, {"a.css": ":root { --moss: #123456 }", "mark.svg": "<svg/>", "b.css": "/* last */"})
    html = written(theme, tmp_path / "out")
    [styles] = (tmp_path / "out").glob("assets/*/assets/geosmin.css")
    assert styles.read_text("utf-8").endswith("\n:root { --moss: #123456 }\n\n/* last */\n")
    assert styles.with_name("mark.svg").read_text("utf-8") == "<svg/>"
    assert f"assets/{styles.parents[1].name}/assets/geosmin.css" in html


def test_a_template_extends_ours_and_escapes(tmp_path: Path) -> None:
    """A template of the owner's fills a block of ours, sees the options of `mkdocs.yml`, and prints values as text."""
    options = "copyright: 2026 <b>me</b>\nsite_author: me\nextra:\n  motto: <i>rain</i>\n"
    theme = themed(tmp_path, {"overrides/main.html": FOOT, "mkdocs.yml": options})
    html = written(theme, tmp_path / "out")
    assert '<p class="mine">&lt;i&gt;rain&lt;/i&gt; 雨后的气味从哪里来</p>' in html
    assert "<p>2026 &lt;b&gt;me&lt;/b&gt;</p>" in html
    assert '<meta name="author" content="me">' in html


def test_a_partial_takes_the_place_of_ours(tmp_path: Path) -> None:
    """A partial that is named like one of ours is used by our own templates."""
    theme = themed(tmp_path, {"overrides/partials/g-toc.html": "<p>mine</p>"})
    assert "<p>mine</p>" in written(theme, tmp_path / "out")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"mkdocs.yml": "plugins: [search]"}, "`plugins` is not taken over: it would run code"),
        ({"mkdocs.yml": "hooks: [x.py]"}, "`hooks` is not taken over"),
        ({"mkdocs.yml": "extra_javascript: [x.js]"}, "every script of the site is our own"),
        ({"mkdocs.yml": "markdown_extensions: [toc]"}, "one parser"),
        ({"mkdocs.yml": "theme: {name: material}"}, "templates go into _theme/overrides/"),
        ({"mkdocs.yml": "site_name: x"}, "geosmin.yml"),
        ({"mkdocs.yml": "INHERIT: ../x.yml"}, "`INHERIT` is not taken over"),
        ({"mkdocs.yml": "extra: [x]"}, "`extra` should be key: value lines"),
        ({"mkdocs.yml": "a: [b"}, "not readable as YAML"),
        ({"a.css": "@import 'x.css';"}, "would load from elsewhere"),
        ({"a.css": "p { background: url( 'HTTPS://example.org/x') }"}, "would load from elsewhere"),
        ({"a.css": "p { background: url(//example.org/x) }"}, "would load from elsewhere"),
    ],
)
def test_what_would_break_a_promise_is_refused(tmp_path: Path, files: dict[str, str], message: str) -> None:
    """Code, scripts, another parser, and styles from elsewhere: the message names the key and what to do."""
    with pytest.raises(SettingsError, match=message.replace("(", r"\(")):
        themed(tmp_path, files)


def test_a_tag_of_yaml_runs_nothing(tmp_path: Path) -> None:
    """`!ENV` and `!!python` in mkdocs.yml are text: neither the environment nor code gets into a page."""
    found = themed(tmp_path, {"mkdocs.yml": "copyright: !ENV HOME\nextra:\n  x: !!python/name:os.system\n"})
    assert found.options == {"copyright": "HOME", "extra": {"x": ""}}


@pytest.mark.parametrize(
    "template",
    [
        "<!doctype html><title>x</title>{{ body }}",
        '{% extends "geosmin/main.html" %}{% block title %}</title><script src="x.js"></script><title>{% endblock %}'
        "{% set policy = 'x' %}",
        '<script>1</script>{% include "geosmin/main.html" %}',
    ],
    ids=["no policy", "another policy", "a script before it"],
)
def test_a_template_cannot_lose_the_policy(tmp_path: Path, template: str) -> None:
    """A page whose policy is gone, another, or comes too late ends the build with the name of the page."""
    theme = themed(tmp_path, {"overrides/main.html": template})
    with pytest.raises(BuildError, match="has lost its content security policy"):
        written(theme, tmp_path / "out")


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ config.plugins.pop('geosmin') }}",
        "{% if %}",
        '{% include "gone.html" %}',
        "{{ lipsum.__globals__['os'].system('true') }}",
    ],
)
def test_a_template_runs_in_a_sandbox(tmp_path: Path, template: str) -> None:
    """What reaches for Python, changes the build, or is broken ends the build with the file's name."""
    theme = themed(tmp_path, {"overrides/partials/g-foot.html": template})
    with pytest.raises(BuildError, match="_theme/overrides"):
        written(theme, tmp_path / "out")


def test_the_theme_is_no_content(tmp_path: Path) -> None:
    """Nothing in `_theme/` is an article or an attachment, and another theme is another build."""
    files: dict[str, str | bytes] = {"a.md": PUBLIC + "# A\n\n![x](_theme/x.png)\n"}
    first, _ = make(tmp_path, files, name="plain", how=QUICK)
    theme: dict[str, str | bytes] = {"_theme/note.md": PUBLIC + "# Hidden words\n", "_theme/x.png": b"x"}
    second, served = make(tmp_path, files | theme | {"_theme/a.css": "p { color: red }"}, name="themed", how=QUICK)
    assert second.build_id != first.build_id
    assert second.counts["articles"] == 1
    assert not any("Hidden words" in page.read_text("utf-8") for page in (served / "site").rglob("*.html"))
