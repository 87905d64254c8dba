"""The name of what is not public stands in no page and in no text, however the link is written."""

import time

import pytest

from compiler.model import Document, SourcePath
from compiler.parse.document import publish
from compiler.parse.links import Resolver, Target
from compiler.parse.structure import read_structure
from tests.compiler.test_parse_golden import article

HIDDEN = [
    "[l](S&amp;a.md)", "[l](S\\_a.md)", "[l](\nS.md)", '[l](S.md\n"t")', "[l](S.md (t))", '[l](S.md "a \\" b")',
    "[l](<S\\> x.md>)", "[l](a(b(c(S))).md)", "x [l][r]\n\n[r]:\n  S.md", "> [l][r]\n>\n> [r]: S.md", "- [r]: S.md\n\n[l][r]",
    "[l][r\\]]\n\n[r\\]]: S.md", "\\`[l](S.md)`", '<a\nhref="S.md">l</a>', '<a href="\nS.md">l</a>', '<div>\n<a/href="S.md">l</a>\n</div>',
    '<div>\n<a class="x"href="S.md">l</a>\n</div>', "l `x` and [[S|l]]", "> [l](\n> S.md) l", "- a\n  [l](S.md\n  'S')",
    "| a |\n|-|\n| [[S\\|l]] |", "| l |\n|-|\n| x | [l](S.md) |", "l\n\n[^9]: [l](S.md)", "![l](S.png)", "[![l](S.png)](S.md)", "![a [l](S.md)](T.png)",
    "Term\n: [l](S.md)", "[[S|l]] term\n: d", '<span class="x" data-l="S">l</span>', '<img alt="l" srcset="S.png 2x">l',
    '# l\n\n<foo href="S.md">', "## [l](S.md) {#x}", "> [!note] [l](S.md)\n> [[S|l]]",
    "l\x00 [l](S.md)", "<div>\n<template>S</template>l\n<script>S</script><textarea>S</textarea>\n</div>", "[l][r]\n\n[r]: S.md\n[r]: S.md 'x'",
    "<div>l\n<a title='>' href=S.md>l</a></div>", "<details>l<source src=S.mp4><video poster=S.png></video></details>",
]  # fmt: skip


def published(source: str) -> Document:
    """Return a page that may link to 乙 and to 图.png, and to nothing else."""
    page, other = article("甲.md", source + "\n"), article("b/乙.md", "## 安装\n")
    structures = {a.source: read_structure(a.body) for a in (page, other)}
    targets = {a.source: Target(a, structures[a.source].headings) for a in (page, other)}
    resolver = Resolver(targets, {SourcePath("图.png"): "files/图.png"})
    structure = structures[page.source]
    return publish(page, structure, [resolver.resolve(page.source, link) for link in structure.links])


@pytest.mark.parametrize("source", HIDDEN)
def test_no_hidden_target_stays(source: str) -> None:
    """The label stays, the target goes, and every line keeps its number."""
    document = published(source)
    assert ("S" in document.text, "S" in document.html) == (False, False)
    assert "l" in document.text
    assert document.text.count("\n") == source.count("\n") + 1


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("`[[乙|b]]` 和 [[乙|b]]", "`[[乙|b]]` 和 [b](/b/%E4%B9%99/)"),
        ("[b](b/乙.md '题')", '[b](/b/%E4%B9%99/ "题")'),
        ("[b][r]\n\n> [r]: b/乙.md", "[b][r]\n\n> [r]: /b/%E4%B9%99/"),
        ("| a |\n|-|\n| [[乙\\|b]] |", "| a |\n|-|\n| [b](/b/%E4%B9%99/) |"),
        ("> [**b**](\n> b/乙.md) c", "> [**b**](/b/%E4%B9%99/)\n>  c"),
        ('<div>\n<a\nhref="b/乙.md">b</a>\n</div>', '<div>\n<a href="/b/%E4%B9%99/">\nb</a>\n</div>'),
        ("![图](图.png)", "![图](/files/%E5%9B%BE.png)"),
        ("[o](https://example.org 'x') <https://example.org>", "[o](https://example.org 'x') <https://example.org>"),
        ('<p>Write href=WORDA and src="WORDB" in text</p>', '<p>Write href=WORDA and src="WORDB" in text</p>'),
        ("- [ ] [b](b/乙.md)", "- [ ] [b](/b/%E4%B9%99/)"),
        ("<kbd>a</kbd> <your name>", "<kbd>a</kbd> <your name>"),
    ],
)
def test_the_published_text(source: str, text: str) -> None:
    """A link to a public page is rooted at the site; code, words and outside links stay as written."""
    assert published(source).text == text + "\n"


@pytest.mark.parametrize(
    "source",
    [
        '<img/src="https://evil.example/x">', '<img title=">" src="https://evil.example/x">', '<img src="https:evil.example/x">',
        '<video poster="https://evil.example/x"></video>', '<img srcset="https://evil.example/x 2x">',
        '<div>\n<audio src=//evil.example/x></audio>\n<source src="HTTPS://evil.example/x">\n</div>', '<img src="\\\\evil.example/x">',
        '<img src="\n//evil.example/x">',
    ],
)  # fmt: skip
def test_no_page_asks_another_host(source: str) -> None:
    """A picture or film of another host is a link or nothing."""
    html = published("甲 " + source).html + published(source).html
    for tag in ("img", "video", "audio", "source"):
        assert not any("evil" in piece.split(">")[0] for piece in html.split(f"<{tag}")[1:]), html


def test_words_that_look_like_attributes_stay() -> None:
    """Text between tags is no attribute."""
    html = published('<p>Write href=WORDA and src="WORDB" in text</p>').html
    assert html.strip() == '<p>Write href=WORDA and src="WORDB" in text</p>'


@pytest.mark.parametrize(
    "unit",
    ["# a\n", "[a](b/乙.md) ", "[[乙]] ", "[[乙]]\n", "<img ", "<script>", "[l](S.md) ", '<a href="S.md">l</a> ', "## t{n}\n\nx\n\n"],
)  # fmt: skip
def test_the_time_grows_with_the_length(unit: str) -> None:
    """Twice the text takes about twice the time."""

    def seconds(size: int) -> float:
        source = "".join(unit.replace("{n}", str(n)) for n in range(size // len(unit)))
        took = []
        for _ in range(2):  # noise of neighbours only adds, so the least is nearest the truth
            start = time.process_time()
            published(source)
            took.append(time.process_time() - start)
        return min(took)

    seconds(1000)
    assert seconds(40_000) < 3 * seconds(20_000) + 0.3


def test_a_heading_with_many_spaces_is_read_at_once() -> None:
    """Spaces before what is no heading id cost no more than their number."""
    start = time.process_time()
    published("# a" + " " * 80_000 + "b")
    assert time.process_time() - start < 1.5
