"""The one link resolver, as a table."""

import pytest

from compiler.model import Article, ArticleId, Heading, SourcePath
from compiler.parse.comments import strip_comments
from compiler.parse.links import RawLink, Resolver, Target, find_anchor
from compiler.parse.structure import read_structure
from compiler.sources.urls import url_of

PAGES = {
    "index.md": "# 首页",
    "甲.md": "# 甲",
    "深/层/词条.md": "# 词条\n## 价值 函数\n### 细节",
    "指南/index.md": "# 指南",
    "指南/安装.md": "# 安装\n## 步骤\n## 步骤",
    "别处/安装.md": "# 安装",
    "计划 (上).md": "上",
    "为什么?.md": "问",
    "Notes/Café.md": "# café",
}


@pytest.fixture(scope="module")
def resolver() -> Resolver:
    targets = {}
    for path, body in PAGES.items():
        source = SourcePath(path)
        page = Article(
            ArticleId(path), source, source, url_of(source), path.rsplit("/", 1)[-1].removesuffix(".md"), "zh", "", "article",
            (), ("别名甲",) if path == "甲.md" else (), (), None, None, None, body, 1,
        )  # fmt: skip
        targets[source] = Target(page, read_structure(body).headings)
    return Resolver(targets, {SourcePath("指南/图.png"): "files/指南/图.png"})


@pytest.mark.parametrize(
    ("source", "kind", "target", "fragment", "expected"),
    [
        ("甲.md", "wikilink", "词条", "", ("page", "深/层/词条.md", "")),
        ("甲.md", "wikilink", "词条", "价值 函数", ("page", "深/层/词条.md", "价值-函数")),
        ("甲.md", "wikilink", "词条", "%E4%BB%B7%E5%80%BC 函数", ("page", "深/层/词条.md", "价值-函数")),
        ("甲.md", "wikilink", "词条", "价值 函数#细节", ("page", "深/层/词条.md", "细节")),
        ("甲.md", "wikilink", "层/词条", "", ("page", "深/层/词条.md", "")),
        ("甲.md", "wikilink", "别名甲", "", ("page", "甲.md", "")),
        ("甲.md", "wikilink", "计划 (上)", "", ("page", "计划 (上).md", "")),
        ("甲.md", "link", "为什么%3F.md", "", ("page", "为什么?.md", "")),
        ("甲.md", "link", "词条.md?raw=1", "", ("missing", None, "")),
        ("甲.md", "wikilink", "为什么?", "", ("page", "为什么?.md", "")),
        ("甲.md", "wikilink", "ＣＡＦÉ", "", ("page", "Notes/Café.md", "")),
        ("甲.md", "wikilink", "Cafe\u0301", "", ("page", "Notes/Café.md", "")),
        ("甲.md", "wikilink", "不存在", "", ("missing", None, "")),
        ("甲.md", "wikilink", "../../etc/passwd", "", ("missing", None, "")),
        ("指南/index.md", "wikilink", "安装", "", ("page", "指南/安装.md", "")),
        ("别处/安装.md", "wikilink", "安装", "", ("page", "别处/安装.md", "")),
        ("指南/安装.md", "markdown", "../甲.md", "", ("page", "甲.md", "")),
        ("指南/安装.md", "markdown", "%E5%AE%89%E8%A3%85.md", "步骤-1", ("page", "指南/安装.md", "安装-步骤")),
        ("指南/安装.md", "markdown", "./", "", ("page", "指南/index.md", "")),
        ("指南/安装.md", "markdown", "/甲.md", "", ("page", "甲.md", "")),
        ("指南/安装.md", "markdown", "..", "", ("page", "index.md", "")),
        ("指南/安装.md", "markdown", "甲.md", "", ("page", "甲.md", "")),
        ("指南/安装.md", "markdown", "../../x.md", "", ("missing", None, "")),
        ("指南/安装.md", "markdown", "", "步骤", ("page", "指南/安装.md", "步骤")),
        ("指南/安装.md", "markdown", "https://example.org", "", ("external", None, "")),
        ("甲.md", "markdown", "MAILTO:a@example.org", "", ("external", None, "")),
        ("甲.md", "markdown", "//example.org", "", ("external", None, "")),
        ("甲.md", "markdown", "javascript:x", "", ("missing", None, "")),
        ("甲.md", "markdown", "file:///home/me/a", "", ("missing", None, "")),
        ("甲.md", "image", "data:image/png;base64,AA", "", ("missing", None, "")),
        ("甲.md", "html", "vbscript:x", "", ("missing", None, "")),
        ("甲.md", "embed", "Notes: 图.png", "", ("missing", None, "")),
        ("甲.md", "wikilink", "词\u202e条", "", ("missing", None, "")),
        ("甲.md", "wikilink", "词条", "价值\u2066 函数", ("missing", None, "")),
        ("甲.md", "markdown", "%E2%80%AE甲.md", "", ("missing", None, "")),
        ("甲.md", "markdown", "https://example.org/\u202egpj.exe", "", ("missing", None, "")),
        ("指南/安装.md", "image", "图.png", "", ("attachment", None, "")),
        ("甲.md", "embed", "图.png", "", ("attachment", None, "")),
    ],
)
def test_resolution(
    resolver: Resolver, source: str, kind: str, target: str, fragment: str, expected: tuple[str, str | None, str]
) -> None:
    """A link as written leads to one page and anchor, or to nothing."""
    link = RawLink(kind, target, fragment, "", "", 0, find_anchor((), "")[0], "")
    found = resolver.resolve(SourcePath(source), link)
    assert (found.status, found.article, found.anchor) == expected


def test_an_outside_address_keeps_its_fragment(resolver: Resolver) -> None:
    """A link to a place on a page of another host leads to that place."""
    link = RawLink("markdown", "https://example.org/a?b=c", "d", "", "", 0, find_anchor((), "")[0], "")
    assert resolver.resolve(SourcePath("甲.md"), link).url == "https://example.org/a?b=c#d"


def test_the_near_match_is_named(resolver: Resolver) -> None:
    """A misspelt link tells what it may have meant."""
    link = RawLink("wikilink", "按装", "", "", "", 0, find_anchor((), "")[0], "")
    assert resolver.resolve(SourcePath("甲.md"), link).note == ""
    link = RawLink("wikilink", "Coffee Cafés", "", "", "", 0, find_anchor((), "")[0], "")
    assert resolver.resolve(
        SourcePath("甲.md"), RawLink("wikilink", "Cafés", "", "", "", 0, link.section, "")
    ).note == ("did you mean Notes/Café.md?")


@pytest.mark.parametrize(
    ("headings", "fragment", "anchor"),
    [
        (["概述", "总结"], "总结", "总结"),
        (["概述"], "不在", ""),
        (["A b"], "a-b", "a-b"),
        (["A b"], "A b", "a-b"),
    ],
)
def test_fragments(headings: list[str], fragment: str, anchor: str) -> None:
    """The anchor, the text and its GitHub form mean the same heading."""
    found = tuple(
        Heading(2, title, find_anchor((), "")[0].__class__(title.lower().replace(" ", "-")), 0) for title in headings
    )
    assert find_anchor(found, fragment)[0] == anchor


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a %%x%% b", "a  b"),
        ("a <!-- x\ny --> b", "a \n b"),
        ("`%%x%%` `<!-- y -->`", "`%%x%%` `<!-- y -->`"),
        ("```\n%%x%%\n```\n%%y%%", "```\n%%x%%\n```\n"),
        ("    %%code%%\n\n%%z%%", "    %%code%%\n\n"),
        ("a\n%% open\n秘密", "a\n\n"),
        ("a\n<!-- open\n秘密", "a\n\n"),
        ("100%% sure", "100%% sure"),
        ("it is `open <!-- x --> y", "it is `open  y"),
        ("<!-- a -->\n\n<!-- b -->\n文", "\n\n\n文"),
    ],
)
def test_comments_never_reach_a_reader(body: str, expected: str) -> None:
    """Comments go, code stays, and the number of lines is kept."""
    assert strip_comments(body) == expected
    assert strip_comments(body).count("\n") == body.count("\n")
