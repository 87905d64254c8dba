"""Key terms of one passage: what its author marked, else what it says most. Looks at no other text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

_MARKED = re.compile(r"\*\*([^*\n]{2,40})\*\*|`([^`\n]{2,40})`|[“「『《]([^”」』》\n]{2,30})[”」』》]")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{2,}")
_NAME = re.compile(r"\b[A-Z][\w-]+(?:[ ][A-Z][\w-]+){0,3}")
_STOP = frozenset(
    "the and for that with this from have are was were will would can could should must may not you your our their its "
    "they them then than when what which who how why where there here into onto over under about after before between "
    "also only other some any all each more most such use used using one two see a an is it of to in "
    "on at by be as or if do we i yes no true false null none".split()
) | frozenset("注意 提示 警告 说明 备注 示例 例如 重要 是 否 支持 可以 使用 进行 如果 以及 通过 需要".split())
_FRAME = frozenset("page example note tip warning important caution notes tips info todo".split())
# English words that a Chinese text repeats without being about them: the list of jieba's own keyword extraction.
_COMMON = frozenset(
    "the of is and to in that we for an are by be as on with can if from which you it this then at have all not one "
    "has or".split()
)
_PART = re.compile(r"([A-Za-z0-9]+(?:\.[0-9]+)?%?)")
UNKNOWN = 11.9547675029  # the weight of a word that the table does not have: its median


def key_terms(markdown: str, text: str, lang: str, count: int) -> list[str]:
    """Return up to `count` terms of a passage: marked ones first, then names, then the most frequent words."""
    found: dict[str, str] = {}
    for candidate in (*_marked(markdown), *_frequent(text, lang, 2 * count)):
        term = re.sub(r"\s+", " ", candidate).strip(" .:：,，。;；*_`#")
        if says_something(term) and term.casefold() not in _FRAME:
            found.setdefault(term.casefold(), term)
    return list(found.values())[:count]


def says_something(term: str) -> bool:
    """Tell whether a term can name anything: no bare number, no function word, no two-letter code."""
    long_enough = len(term) >= (3 if term.isascii() else 2)
    return long_enough and len(term) <= 40 and term.casefold() not in _STOP and re.search(r"[^\W\d]", term) is not None


def _marked(markdown: str) -> list[str]:
    counted = Counter(next(g for g in m.groups() if g) for m in _MARKED.finditer(markdown))
    return [term for term, _ in counted.most_common() if not re.search(r"[/\\<>{}=]|https?:", term)]


def _frequent(text: str, lang: str, count: int) -> list[str]:
    if lang == "zh":
        return _weighty(text, count)
    names = Counter(m[0] for m in _NAME.finditer(text) if m[0].split()[0].casefold() not in _STOP)
    words = Counter(w for w in _WORD.findall(text) if w.casefold() not in _STOP and len(w) > 3)
    return [t for t, n in names.most_common(count) if n > 1 or " " in t] + [t for t, _ in words.most_common(count)]


def _weighty(text: str, count: int) -> list[str]:
    """Return the words of a Chinese text by tf-idf; of equals the first in the text comes first."""
    counted: Counter[str] = Counter()
    for word, n in Counter(_cut(text)).items():
        for part in _parts(word):
            counted[part] += n
    weights = {
        word: n * _idf().get(word, UNKNOWN)
        for word, n in counted.items()
        if len(word.strip()) > 1 and word.lower() not in _COMMON
    }
    return sorted(weights, key=weights.__getitem__, reverse=True)[:count]


def _cut(text: str) -> list[str]:
    import rjieba  # loads its dictionary, 0.2 CPU s: only when it is needed

    return rjieba.cut(text)


def load_words() -> None:
    """Load what Chinese text is cut and weighed by (0.35 s, 62 MB)."""
    _cut("")
    _idf()


def _parts(word: str) -> Sequence[str]:
    """Return the parts of an identifier, which are counted; any other word whole, C++ and C# as well."""
    whole = not word.isascii() or word.rstrip("+#").isalnum() or word in _idf()
    return (word,) if whole else [part for part in _PART.split(word) if part]


@cache
def _idf() -> Mapping[str, float]:
    """Return how rare each of 270,000 words is: the table of the package jieba, whose code is not loaded (0.15 s)."""
    weights: dict[str, float] = {}
    known: dict[str, float] = {}  # 3,300 different ones; with this and line by line it takes 31 MB, not 71
    with _table().open(encoding="utf-8") as lines:
        for word, weight in map(str.split, lines):
            if weight not in known:
                known[weight] = float(weight)
            weights[word] = known[weight]
    return weights


def _table() -> Traversable:
    return files("jieba") / "analyse" / "idf.txt"


def is_common(word: str) -> bool:
    """Tell whether a Chinese word is found in texts about anything."""
    return word in _common()


@cache
def _common() -> frozenset[str]:
    """Return the words that most texts share, 9,000 with a weight under 8: half the time of the table, no memory."""
    return frozenset(re.findall(r"^(\S+) [0-7](?:\.[0-9]*)?$", _table().read_text(encoding="utf-8"), re.M))
