"""The tokeniser, the plain text and the sentence spans, as tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query_fn.text import (
    TOKENISERS,
    Analyser,
    Fold,
    fold_with,
    normalise,
    plain,
    script_lang,
    sentences,
    terms,
    tokenise,
)

ROOT = Path(__file__).resolve().parents[2]
TRADITIONAL = {"臺": "台", "灣": "湾", "檢": "检"}
FOLD = fold_with(TRADITIONAL)
WORDS = fold_with(TRADITIONAL, Analyser.JIEBA)

TOKENS = [
    ("GPT-4o", ["gpt-4o", "gpt", "4o"]),
    ("3.6.3", ["3.6.3", "3", "6", "3"]),
    ("v1.2.3", ["v1.2.3", "v1", "2", "3"]),
    ("docs/user-guide.md", ["docs/user-guide.md", "doc", "user-guide.md", "user", "guid", "md"]),
    (r"C:\temp\x", ["c", r"temp\x", "temp", "x"]),
    ("https://a.io/b", ["https", "a.io/b", "a.io", "a", "io", "b"]),
    ("C++/C#", ["c++/c#", "c++", "c#"]),
    ("ORA-00942 E1105 0x80070005", ["ora-00942", "ora", "00942", "e1105", "0x80070005"]),
    ("HTTP 404：max_connections", ["http", "404", "max_connections", "max", "connect"]),
    ("--dry-run=true", ["dry-run", "dri", "run", "true"]),
    ("ｖ２．０　Ｃ＋＋", ["v2.0", "v2", "0", "c++"]),
    ("\u202eabc\u202c \u2066x\u2069", ["abc", "x"]),
    ("snake_case", ["snake_case", "snake", "case"]),
    ("camelCase HTTPServer", ["camelcase", "camel", "case", "httpserver", "http", "server"]),
    ("__init__", ["init"]),
    ("running runs", ["run", "run"]),
    ("user’s user's", ["user", "user"]),
    ("C++ C# F", ["c++", "c#", "f"]),
    ("ＡＰＩ，接口", ["api", "接", "接口", "口"]),
    ("安装", ["安", "安装", "装"]),
    ("臺灣", ["台", "台湾", "湾"]),
    ("ze\u200bro \U000e0041tag", ["zero", "tag"]),
    ("Python安装", ["python", "安", "安装", "装"]),
    ("!!! ——，。_", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), TOKENS)
def test_tokens(text: str, expected: list[str]) -> None:
    """Words come whole, stemmed and in parts, CJK runs as unigrams and bigrams, in text order."""
    assert tokenise(text, FOLD) == expected


@pytest.mark.parametrize(
    ("text", "query"), [("这是一段简单的文本", "段简"), ("农业发展银行", "农业"), ("违法行为认定", "违法行为")]
)
def test_a_substring_across_word_borders_is_a_run_of_tokens(text: str, query: str) -> None:
    """Any Chinese substring is a contiguous run of the text's tokens."""
    whole, part = tokenise(text), tokenise(query)
    assert any(whole[i : i + len(part)] == part for i in range(len(whole)))


WORD_TOKENS = [
    ("安装臺灣的检索系统", ["安装", "台湾", "的", "检索", "系统", "检索系统"]),
    ("Python安装 GPT-4o", ["python", "安装", "gpt-4o", "gpt", "4o"]),
    ("東京タワー", ["東京", "タ", "タワ", "ワ", "ワー", "ー"]),
]


@pytest.mark.parametrize(("text", "expected"), WORD_TOKENS)
def test_words_of_a_dictionary(text: str, expected: list[str]) -> None:
    """The analyser `jieba` cuts Han into words and everything else like `bigram`."""
    assert tokenise(text, WORDS) == expected


def test_the_name_of_the_profile_is_that_of_the_locked_dictionary() -> None:
    """Another rjieba cuts otherwise, so its version is part of the tokeniser's name."""
    pinned = re.search(r'"(rjieba)==([\d.]+)"', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert pinned
    assert "-".join(pinned.groups()) in TOKENISERS[Analyser.JIEBA]


@given(st.text(max_size=60), st.sampled_from([None, FOLD, WORDS]))
def test_any_text_is_cut_alike_however_it_is_written(text: str, fold: Fold | None) -> None:
    """Cutting takes any text, gives no empty or spaced token, and does not depend on what renders as nothing."""
    tokens = tokenise(text, fold)
    assert all(token and not token.isspace() and " " not in token for token in tokens)
    assert tokenise(text.replace("a", "a\u200b"), fold) == tokenise(text, fold)


@pytest.mark.parametrize("text", [text for text, _ in TOKENS] + ["混合 GPT-4o 与 3.6.3，在臺灣 running"])
def test_terms_hold_what_the_tokeniser_finds(text: str) -> None:
    """A term set answers yes for every token of its text and no for a token of another."""
    found = terms(text, FOLD)
    assert all(token in found for token in tokenise(text, FOLD))
    assert "鲸鱼" not in found
    assert "zebra" not in found
    assert "" not in found


def test_part_of_a_word_is_no_term() -> None:
    """Latin words are compared whole: `art` does not occur in `starting`."""
    assert "art" not in terms("starting")


def test_a_very_long_word_is_cut_alike() -> None:
    """A run of 10,000 letters gives one token of bounded length, equal on both sides."""
    assert tokenise("x" * 10_000) == ["x" * 64] == tokenise("x" * 9_000)


def test_normalise_is_idempotent_and_folds_width_case_and_script() -> None:
    """Width, case, Traditional characters and invisible ones do not make a difference."""
    assert normalise("Ｔaipei 臺\u200d灣", FOLD) == "taipei 台湾" == normalise("taipei 台湾", FOLD)


PLAIN = [
    ("## **Hi** there ##", "Hi there"),
    ("- [x] see [a *b*](u(1)) and `code_x`", "see a b and code_x"),
    ("| a | b |\n|---|:-:|\n| 1 | **2** |", "a · b\n1 · 2"),
    ("> [!NOTE] 注意\n> 正文", "注意\n正文"),
    ("```py\nx_y = a | b  # **no**\n```", "x_y = a | b  # **no**"),
    ("[[页面#节|标签]] [[页面]]", "标签 页面"),
    ("snake_case_name <b>粗</b>体", "snake_case_name 粗体"),
    ("![图](a.png) 文", "图 文"),
    ("1. 第一\n2. 第二", "第一\n第二"),
    ('{{< copyable "sql" >}}\n\n正文 {{% note %}}注意{{% /note %}} {% raw %}', "正文 注意"),
    ("A claim. ^block-1\n^alone", "A claim."),
    ("## 标题 {#id .wide}\n## 二 { #two }\n文 {{{ .name }}} {* a.py *}", "标题\n二\n文 {{{ .name }}}"),
    ("`server-<os>.zip` <br\n/>**`a|b`** &amp; ``x`y`` `<!--`", "server-<os>.zip a|b & x`y <!--"),
    ("<!-- two\nlines -->Seen &lt;T&gt;", "Seen <T>"),
    ("", ""),
]


@pytest.mark.parametrize(("markdown", "expected"), PLAIN)
def test_plain(markdown: str, expected: str) -> None:
    """Markup goes, words stay; code blocks are left as they are."""
    assert plain(markdown) == expected


SENTENCES = [
    ("这是一句。第二句！“引用。”后文", ["这是一句。", "第二句！", "“引用。”", "后文"]),
    ("Mr. Smith paid 3.5 euros. He left.", ["Mr. Smith paid 3.5 euros.", "He left."]),
    ("A wrapped\nline ends. Next one.", ["A wrapped\nline ends.", "Next one."]),
    ("- 一\n- two. Three\n", ["- 一", "- two.", "Three"]),
    ("| a | b |\n|---|---|\n| 1. x | 2 |", ["| a | b |", "|---|---|", "| 1. x | 2 |"]),
    ("# 题\n文。\n```sh\na. B\n\n# c\n```\n后", ["# 题", "文。", "```sh\na. B\n\n# c\n```", "后"]),
    ("~~~\nunclosed. Fence", ["~~~\nunclosed. Fence"]),
    ("  \n\n", []),
]


@pytest.mark.parametrize(("text", "expected"), SENTENCES)
def test_sentences(text: str, expected: list[str]) -> None:
    """Spans are sentences, list items, table rows, headings and whole code blocks, in code points."""
    assert [text[a:b] for a, b in sentences(text)] == expected


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("使用 Docker Compose 安装 Geosmin", "zh"),
        ("The word 世界 means world, as every learner knows", "en"),
        ("これは日本語です", "ja"),
        ("안녕하세요 여러분", "ko"),
        ("Привет, мир", "ru"),
        ("123 ---", "en"),
    ],
)
def test_script_lang(text: str, lang: str) -> None:
    """The language follows the share of scripts; a text without letters has the default."""
    assert script_lang(text) == lang
