"""What names are, which of them are one, and which sentences say what something is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.cache import Cache
from compiler.enrich.aliases import acronym_of, pairs
from compiler.enrich.definitions import ENOUGH, definitions, says_what, summary_score
from compiler.enrich.folding import forms_of, key_of, level
from compiler.enrich.mentions import mentions
from compiler.enrich.naming import name_of, thing_of
from compiler.enrich.questions import imperative
from compiler.enrich.relations import relations
from compiler.wiki.directory import initial


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Path Operation", "path operations"),
        ("ＡＰＩ", "api"),
        ("事務", "事务"),
        ("front-matter", "front matter"),
        ("Queries", "query"),
        ("boxes", "Box"),
        ("the  same", "The Same"),
        ("“引用”", "引用"),
    ],
)
def test_spellings_of_one_name_have_one_key(one: str, other: str) -> None:
    """Case, plural, width, hyphens, quotes and Traditional characters make no second subject."""
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("https", "http"), ("status", "statu"), ("analysis", "analysi"), ("раgе", "page"), ("DNS", "dn"), ("Os", "O")],
)
def test_different_names_have_different_keys(one: str, other: str) -> None:
    """What only looks like a plural, or like Latin letters, is another name."""
    assert key_of(one) != key_of(other)


@given(st.text())
def test_levelling_keeps_every_offset(text: str) -> None:
    """A levelled text is as long as the text, so that what is found in one can be cut from the other."""
    assert len(level(text)) == len(text)


@given(st.text(min_size=1, max_size=30))
def test_keys_are_keys_of_themselves(text: str) -> None:
    """Folding a key again changes nothing."""
    assert key_of(key_of(key_of(text))) == key_of(key_of(text))


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("TiKV 简介", "TiKV"),
        ("什么是向量？", "向量"),
        ("2. Front matter", "Front matter"),
        ("步骤五：快照", "快照"),
        ("Introduction to **Widgets**", "Widgets"),
        ("TiDB 中的 TimeStamp Oracle (TSO)", "TimeStamp Oracle"),
        ("How to install it", ""),
        ("如何安装", ""),
        ("完整的说明", ""),
        ("的列类型", ""),
        ("Use the editor", ""),
        ("2026-11-30", ""),
        ("the", ""),
        ("normally", ""),
    ],
)
def test_labels_become_names(label: str, name: str) -> None:
    """Numbers and frames go; instructions, questions, dates and function words name nothing."""
    assert name_of(label) == name


def test_a_heading_of_doing_names_the_thing() -> None:
    """ "Define a route" is about the route."""
    assert (thing_of("Define a route"), thing_of("创建 索引"), thing_of("Route")) == ("route", "索引", "")


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("A space is a folder of Markdown files.", "space"),
        ("Petrichor refers to the smell of rain on dry ground.", "Petrichor"),
        ('CORS or "Cross-Origin Sharing" refers to situations in browsers.', "CORS"),
        ("TiKV 是一个分布式事务型的键值数据库。", "TiKV"),
        ("在编程中，「依赖注入」指的是代码声明它需要的东西。", "「依赖注入"),
        ("全局索引 (Global Index) 是一种覆盖全表的索引。", "全局索引"),
        ("GC 的任务便是清理不再需要的旧数据。", "GC"),
        ("Baked sections are a piece of dynamic content.", "Baked sections"),
    ],
)
def test_sentences_that_define(text: str, subject: str) -> None:
    """The subject stands first, and the words after it say what it is."""
    lang = "zh" if any("\u4e00" <= c <= "\u9fff" for c in text) else "en"
    found = definitions(text, lang)[0]
    assert (found.subject, found.score >= 0.8) == (subject, True)


@pytest.mark.parametrize(
    "text",
    [
        "This is a page about gardens.",
        "It is a fast server.",
        "We are a small team of people.",
        "这是一个很长的例子，说明用法。",
        "如果你是一名开发者，请看这里。",
        "下图是一个示例的架构。",
        "The steps are as follows:",
        "Because Rain is based on water, it is wet.",
    ],
)
def test_sentences_that_define_nothing(text: str) -> None:
    """Pointing words, conditions and lists to come have no subject that could have a page."""
    lang = "zh" if any("\u4e00" <= c <= "\u9fff" for c in text) else "en"
    assert definitions(text, lang) == ()


def test_a_summary_defines_its_page_or_speaks_of_it() -> None:
    """An author's summary counts when it says what the subject is, not when it says what the page does."""
    assert summary_score("A label for grouping and querying.", "Tag", "en") >= ENOUGH
    assert summary_score("TiKV 是一个键值数据库。", "TiKV", "zh") >= ENOUGH
    assert [summary_score(text, "TiKV", "zh") for text in ("了解 TiKV 的架构与使用方法。", "介绍 TiKV。", "")] == [
        0,
        0,
        0,
    ]


def test_after_a_colon_stands_what_it_is_or_something_else() -> None:
    """A noun phrase says what a term is; advice and examples do not."""
    assert says_what("a list of domain names", "en")
    assert says_what("用于限制内存的参数。", "zh")
    assert not says_what("if you use a public computer", "en")
    assert not says_what("如果没有分区，性能取决于表的大小。", "zh")


@pytest.mark.parametrize(
    ("short", "full", "found"),
    [
        ("PD", "the Placement Driver", "Placement Driver"),
        ("CORS", "Cross-Origin Resource Sharing", "Cross-Origin Resource Sharing"),
        ("CRUD", "create, read, update and delete", "create, read, update and delete"),
        ("GC", "Garbage", ""),
        ("ABC", "some other words", ""),
    ],
)
def test_an_acronym_has_the_initials_of_its_words(short: str, full: str, found: str) -> None:
    """The last words whose initials are the letters, and nothing else."""
    assert acronym_of(short, full) == found


@pytest.mark.parametrize(
    ("text", "lang", "pair"),
    [
        ("Placement Driver (PD) assigns timestamps.", "en", ("Placement Driver", "PD")),
        ("CORS (Cross-Origin Resource Sharing) matters.", "en", ("Cross-Origin Resource Sharing", "CORS")),
        (
            "多版本并发控制（Multi-Version Concurrency Control）很重要。",
            "zh",
            ("多版本并发控制", "Multi-Version Concurrency Control"),
        ),
        ("Linked mentions (also known as backlinks) show all pages.", "en", ("Linked mentions", "backlinks")),
        ("环境变量，也称为 env var，是一个值。", "zh", ("环境变量", "env var")),
    ],
)
def test_a_text_gives_other_names(text: str, lang: str, pair: tuple[str, str]) -> None:
    """Acronyms, pairs of two scripts in brackets, and "also known as"."""
    assert pair in list(pairs(text, lang))


def test_names_are_found_whole_and_longest() -> None:
    """A name inside a word, in code or in an address is none; of two names the longer one is meant."""
    text = "Spaces and space scripts. ```x``` [a](space/) myspace name_space\n\n```\nspace\n```\n"
    keys = dict.fromkeys(forms_of("space"), "space") | dict.fromkeys(forms_of("space script"), "space script")
    found = mentions([text], keys, Cache(None))[0]
    assert [(m.key, text[m.start : m.end]) for m in found] == [("space", "Spaces"), ("space script", "space scripts")]


@pytest.mark.parametrize(
    ("text", "lang", "kind"),
    [
        ("alpha uses beta.", "en", "uses"),
        ("alpha is based on beta.", "en", "depends-on"),
        ("alpha consists of beta and more.", "en", "has-part"),
        ("An alpha is a beta.", "en", "is-a"),
        ("alpha is a beta tool.", "en", None),
        ("alpha 基于 beta 构建。", "zh", "depends-on"),
        ("alpha 支持 beta。", "zh", "supports"),
        ("alpha 属于 beta。", "zh", "part-of"),
        ("alpha，然后是 beta。", "zh", None),
    ],
)
def test_relations_have_the_type_that_the_words_say(text: str, lang: str, kind: str | None) -> None:
    """The words between two names decide; where none tells, there is no relation."""
    found = mentions([text], {"alpha": "alpha", "beta": "beta"}, Cache(None))[0]
    made = [(r.subject, r.kind, r.object) for r in relations(text, found, (0, len(text)), lang)]
    assert made == ([("alpha", kind, "beta")] if kind else [])


def test_initials_of_the_directory() -> None:
    """Latin letters without accents, the pinyin of common characters, and one sign for the rest."""
    assert [initial(title) for title in ("api", "Élan", "啊", "事务", "左", "鑫", "_id", "")] == list("AEASZ###")


@pytest.mark.parametrize(
    ("heading", "action"),
    [
        ("Editing pages", "edit pages"),
        ("Using a key", "use a key"),
        ("Creating", "create"),
        ("Upgrading", "upgrade"),
        ("Running tests", "run tests"),
        ("Joining a team", "join a team"),
        ("Writing notes", "write notes"),
        ("Passing values", "pass values"),
        ("Set up a host", "set up a host"),
    ],
)
def test_a_heading_becomes_what_to_do(heading: str, action: str) -> None:
    """The letter that "ing" took away comes back, and one that it doubled goes."""
    assert imperative(heading) == action


@pytest.mark.parametrize(
    ("rest", "says"),
    [
        ("a passage of one page", True),
        ("the part that is read first", True),
        ("The other API is switched on by itself when it is there", False),
    ],
)
def test_a_sentence_about_something_else_says_not_what_it_is(rest: str, says: bool) -> None:
    """After a name and a colon, words with a verb of their own tell of their own subject."""
    assert says_what(rest, "en") is says
