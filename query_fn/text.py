"""THE normaliser and tokeniser, used alike by the build and by the function. A leaf beside `regex.py`.

Each analyser has a name with its version in ``TOKENISERS``; the manifest records it and the function refuses any other.
Tokens come in text order, so with the analyser ``bigram`` a phrase of the text is a contiguous run of its tokens.
"""

from __future__ import annotations

import html
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import chain, pairwise
from operator import itemgetter
from types import MappingProxyType

from msgspec import Struct
from Stemmer import Stemmer

from query_fn.regex import regex

MAX_TOKEN = 64  # characters; longer runs (base64, hashes of hashes) are cut alike on both sides


class Analyser(StrEnum):
    """How runs of Han are cut: into every character and pair, or into the words of a dictionary."""

    BIGRAM = "bigram"
    JIEBA = "jieba"


TOKENISERS: Mapping[Analyser, str] = {
    Analyser.BIGRAM: "geosmin-2:nfkc+bigram+compound+snowball-en+t2s",
    Analyser.JIEBA: "geosmin-2:nfkc+rjieba-0.2.2+compound+snowball-en+t2s",
}

# Characters that render as nothing: soft hyphen, zero-width and bidi marks, joiners, BOM, variation selectors, tags.
_HIDDEN = (
    *((0xAD,), (0x34F,), (0x61C,), (0x180E,), (0xFEFF,), range(0x200B, 0x2010), range(0x202A, 0x202F)),
    *(range(0x2060, 0x2070), range(0xFE00, 0xFE10), range(0xE0000, 0xE01F0)),
)
_INVISIBLE: dict[int, None] = {code: None for codes in _HIDDEN for code in codes}
# What hides text from a reader and not from a model: tag characters, zero-width spaces, joiners where no script joins,
# selectors that select nothing. Emoji sequences, Persian and Indic joiners and ideographic variants stay.
_SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SUSPECT = regex(f"[\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f{_SELECTOR}]")
_SMUGGLED = regex(
    "[\U000e0000-\U000e007f\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb]+"
    "|(?<![^\x00-\u02ff\u3000-\u9fff\u200c\u200d])[\u200c\u200d]+"
    f"|(?<=[{_SELECTOR}A-Za-z\\s])[{_SELECTOR}]+|(?<![\u3400-\u9fff\U00020000-\U000323af])[\U000e0100-\U000e01ef]+"
)
_CJK = (
    r"\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    r"\U00020000-\U000323af"
)
_MARKS = "\u0300-\u036f\u0900-\u0dff\u0e31-\u0e4e"  # combining marks that \w leaves out
_WORD = rf"(?:[^\W{_CJK}]+|[{_MARKS}]+)++"
_SIGN = r"(?:\+\+|#(?!\w))?"  # C++, F#
_TOKEN = regex(rf"([{_CJK}]+)|{_WORD}(?:(?:[-.'’]|{_SIGN}[/\\]){_WORD})*{_SIGN}")
_STEP = regex(r"[/\\]")
_HAN = regex(
    r"([\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af]+)|[^\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af]+"
)
_CJK_ONLY = regex(rf"[{_CJK}]+")
_BLANKS = regex(r"\s+")
_SEPARATOR = regex(r"[-._]+")
_HUMP = regex(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Fold(Struct, frozen=True, eq=False):
    """How the text of one base is folded into tokens. Made by `fold_with`."""

    characters: Mapping[int, str | None]  # Traditional to Simplified; what renders as nothing to None
    changed: frozenset[str]  # those characters: most texts have none, which is seen in a third of the time
    analyser: Analyser = Analyser.BIGRAM


def fold_with(simplified: Mapping[str, str | None], analyser: Analyser = Analyser.BIGRAM) -> Fold:
    """Return the fold of a Traditional to Simplified table, character to character, and an analyser."""
    table = {**str.maketrans(dict(simplified)), **_INVISIBLE}
    return Fold(MappingProxyType(table), frozenset(map(chr, table)), analyser)


_PLAIN_FOLD = fold_with({})


def normalise(text: str, fold: Fold | None = None) -> str:
    """Return `text` in the form that is compared: NFKC, invisible characters dropped, Simplified, lower case."""
    return _canonical(text, fold).lower()


def squeezed(text: str, fold: Fold | None = None) -> str:
    """Return `text` normalised and with one space for every run of blanks and line ends: the form of exact search."""
    return _BLANKS.sub(" ", normalise(text, fold))


def _canonical(text: str, fold: Fold | None) -> str:
    """Return `text` normalised in everything but case, which compound words still need."""
    if text.isascii():
        return text
    wide, used = unicodedata.normalize("NFKC", text), fold or _PLAIN_FOLD
    if used.changed.isdisjoint(wide):
        return wide
    out = wide.translate(used.characters)
    return out if len(out) == len(wide) else unicodedata.normalize("NFKC", out)


def without_smuggled(text: str) -> tuple[str, int]:
    """Return `text` without the characters that hide a message from its reader, and how many there were."""
    if text.isascii() or not _SUSPECT.search(text):  # a tenth of the time of looking around every character
        return text, 0
    clean = _SMUGGLED.sub("", text)
    return clean, len(text) - len(clean)


def tokenise(text: str, fold: Fold | None = None) -> list[str]:
    """Return the index tokens of `text` in order: CJK as the analyser cuts it; words stemmed, whole and in parts.

    >>> tokenise("安装GPT-4o")
    ['安', '安装', '装', 'gpt-4o', 'gpt', '4o']
    """
    tokens: list[str] = []
    cut = _words if fold and fold.analyser is Analyser.JIEBA else _grams
    for match in _TOKEN.finditer(_canonical(text, fold)):
        if match[1]:
            tokens += cut(match[1])
        else:
            tokens += _word(match[0])
    return tokens


class Terms(Struct, frozen=True):
    """Tells which index tokens occur in a text, four times faster than cutting it: ``token in terms``."""

    text: str  # normalised
    words: frozenset[str]  # tokens that are not CJK
    runs: frozenset[str]  # CJK text between punctuation; with the words, what near duplicates share

    def __contains__(self, token: str) -> bool:
        """CJK tokens are substrings; words are compared whole."""
        return token in self.words or (bool(token) and token in self.text and _CJK_ONLY.fullmatch(token) is not None)


def terms(text: str, fold: Fold | None = None) -> Terms:
    """Return what `tokenise` would find in `text`, as a set to ask."""
    canonical = _canonical(text, fold)
    parts = [(_kept if len(piece) < MAX_TOKEN else _parts)(piece) for piece in set(canonical.split())]
    words, runs = (frozenset(chain.from_iterable(map(itemgetter(at), parts))) for at in (0, 1))
    return Terms(canonical.lower(), words, runs)


def _parts(piece: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words' tokens and the CJK runs of text without blanks, which no token crosses."""
    words: list[str] = []
    runs: list[str] = []
    for match in _TOKEN.finditer(piece):
        if match[1]:
            runs.append(match[1])
        else:
            words += _word(match[0])
    return tuple(words), tuple(runs)


_kept = lru_cache(maxsize=1 << 16)(_parts)  # a word and the signs at it come again; a line of Chinese does not


def _grams(run: str) -> list[str]:
    """Return ``[a, ab, b, bc, c]`` for ``abc``: substrings across word borders are found too."""
    tokens = [gram for a, b in pairwise(run) for gram in (a, a + b)]
    return [*tokens, run[-1]]


def _words(run: str) -> list[str]:
    """Return the dictionary words of the Han in a run, shorter ones inside them first; other scripts as `_grams`."""
    from rjieba import cut_for_search  # loads its dictionary, 0.2 CPU s: only when a build asks for it

    pieces = (cut_for_search(part[0]) if part[1] else _grams(part[0]) for part in _HAN.finditer(run))
    return [word for words in pieces for word in words]


@lru_cache(maxsize=1 << 16)
def _word(word: str) -> tuple[str, ...]:
    """Return the tokens of a word or a path: the whole, then its steps, each whole and in parts."""
    steps = _STEP.split(word)
    if len(steps) == 1:
        return _step(word)
    return (word.lower()[:MAX_TOKEN], *(token for step in steps for token in _step(step)))


def _step(word: str) -> tuple[str, ...]:
    """Return a word's tokens: the whole, then its parts (``GPT-4o`` → gpt-4o gpt 4o; ``camelCase`` likewise)."""
    pieces = [hump for piece in _SEPARATOR.split(word) for hump in _HUMP.split(piece) if hump]
    whole = word.strip("_").lower()[:MAX_TOKEN]
    if not whole:
        return ()
    if len(pieces) < 2:
        return (_stem(whole),)
    return (whole, *(_stem(piece.lower()[:MAX_TOKEN]) for piece in pieces))


@lru_cache(maxsize=1 << 15)
def _stem(word: str) -> str:
    """Return the English Snowball stem of an ASCII word, any other word unchanged."""
    word = word.replace("’", "'")
    if not word.isascii() or not word.replace("'", "").isalpha():
        return word
    stem: str = _stemmers.english.stemWord(word)
    return stem


class _Stemmers(threading.local):
    """The English stemmer of each thread: one must not be used by two at a time."""

    def __init__(self) -> None:
        self.english = Stemmer("english", 0)  # its own cache is left out: words are kept where they are cut


_stemmers = _Stemmers()


# --- language ---------------------------------------------------------------------------------------------------------

_SCRIPTS = {
    "han": r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af",
    "ja": r"\u3041-\u309f\u30a1-\u30fa",
    "ko": r"\uac00-\ud7a3\u1100-\u11ff",
    "ru": r"\u0400-\u04ff",
    "ar": r"\u0600-\u06ff",
    "el": r"\u0370-\u03ff",
    "he": r"\u0590-\u05ff",
    "th": r"\u0e00-\u0e7f",
    "hi": r"\u0900-\u097f",
    "en": r"A-Za-z\u00c0-\u024f",
}
_LETTERS = {lang: regex(f"[{letters}]+") for lang, letters in _SCRIPTS.items()}
_FREQUENT = {lang: _LETTERS[lang] for lang in ("han", "en")}
_RARE = regex("[" + "".join(letters for lang, letters in _SCRIPTS.items() if lang not in _FREQUENT) + "]")


def script_lang(text: str, default: str = "en") -> str:
    """Return the language that the scripts of `text` suggest ("zh", "en", "ja", …); `default` when it has no letters.

    A Chinese page full of English terms is Chinese: Han wins from 15 % of the letters, since one Han character says
    what five Latin letters say. Kana from a tenth of the East Asian letters makes it Japanese.
    """
    scripts = _LETTERS if _RARE.search(text) else _FREQUENT  # one look for eight scripts that most texts have not
    count = Counter({lang: len(text) - len(letters.sub("", text)) for lang, letters in scripts.items()})
    total = sum(count.values())
    if not total:
        return default
    if count["ja"] > 0.1 * (count["han"] + count["ja"]) and count["han"] + count["ja"] >= 0.15 * total:
        return "ja"
    if count["han"] >= 0.15 * total and count["han"] >= count["ko"]:
        return "zh"
    count.pop("han")
    return max(count, key=lambda name: count[name])


# --- Markdown for display ---------------------------------------------------------------------------------------------

_ITEMS = [mark + blank for mark in "-*+.)" for blank in " \t"]
# Signs without one of which a pattern never matches, the pattern, and what stands in its place. Patterns begin with a
# character where they can: its places are found faster.
_PLAIN: tuple[tuple[Sequence[str], re.Pattern[str], str], ...] = tuple(
    (signs, regex(pattern, re.M), replacement)
    for signs, pattern, replacement in (
        ("<", r"<!--[\s\S]*?-->", ""),
        ("{", r"\{\{[<%][^{}]*[%>]\}\}|\{%[^{}]*%\}|\{\*[^{}\n]*\*\}", ""),  # shortcodes of other generators
        ("|", r"^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?::?-+:?)?[ \t]*$\n?", ""),  # the rule under a table header
        (("--", "- ", "-\t", "*", "_"), r"^[ \t]*(?:[-*_][ \t]*){3,}$\n?", ""),  # thematic breaks
        (">", r"^(?:[ \t]*>)+[ \t]?(?:\[![\w-]+\][+-]?[ \t]*)?", ""),  # quotes and callouts
        ("#", r"^[ \t]*#{1,6}[ \t]+", ""),
        ((" #", "\t#"), r"[ \t]+#+[ \t]*$", ""),
        ("{", r"(?<!\{)[ \t]*\{[ ]?[#.:][^{}\n]*\}(?!\})", ""),  # {#id .class}
        ("^", r"(?:^|[ \t]+)\^[A-Za-z0-9-]+[ \t]*$", ""),  # block ids
        (_ITEMS, r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?", ""),
        (("[[",), r"!?\[\[(?:[^\]|\n]*\|)?([^\]\n]+)\]\]", r"\1"),  # wikilinks
        ("[", r"(?:!\[|\[)((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]\((?:[^()\n]|\([^()\n]*\))*\)", r"\1"),
        (("][",), r"(?:!\[|\[)([^\[\]\n]+)\]\[[^\]\n]*\]", r"\1"),
        (("[^",), r"\[\^[^\]\s]+\]:?", ""),
        ("<", r"<(https?://[^>\s]+)>", r"\1"),
        ("<", r"</?[A-Za-z][^<>]{0,500}>", ""),
        (("*", "~~", "=="), r"(\*{1,3}|~~|==)(?=\S)(.+?)(?<=\S)\1", r"\2"),
        ("_", r"(_(?<!\w_)_{0,2})(?=\S)(.+?)(?<=\S)\1(?!\w)", r"\2"),
        ("|", r"^[ \t]*\|[ \t]*|[ \t]*\|[ \t]*$", ""),
        ("|", r"(?<!\\)[ \t]*\|[ \t]*", " · "),
        ("\\", r"\\([!-/:-@\[-`{-~])", r"\1"),
        (("\t", "  "), r"\t[ \t]*| [ \t]+", " "),
        (("\n\n\n",), r"\n{3,}", "\n\n"),
    )
)


# What every text has that any of them, a code span or an entity changes: most sentences have none of it.
_MARKUP = regex(r"[<{|>#^\[*_\\\t&`\ue000]|~~|==|  |\n\n\n|-[- ]|\+ |\d[.)] ")
_CODE = regex(r"(?<!`)(`+)(?!`)[ ]?(.+?)[ ]?(?<!`)\1(?!`)")
_KEPT = "\ue000"  # stands for a code span while markup around it goes: nothing inside code is markup
_FENCED = regex(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]*\1[`~]*[ \t]*$\n?|\Z)", re.M | re.S)


def plain(markdown: str) -> str:
    """Return Markdown without its markup, fit for display: words, line breaks and the text of code blocks stay."""
    if "```" not in markdown and "~~~" not in markdown:
        return _strip_markup(markdown).strip()
    out, at = [], 0
    for fence in _FENCED.finditer(markdown):
        out += [_strip_markup(markdown[at : fence.start()]), fence[2]]
        at = fence.end()
    return "".join([*out, _strip_markup(markdown[at:])]).strip()


def _strip_markup(markdown: str) -> str:
    """Return prose without markup; code spans lose their backticks only."""
    if not _MARKUP.search(markdown):
        return markdown
    codes: list[str] = []

    def keep(span: re.Match[str]) -> str:
        codes.append(span[2])
        return _KEPT

    text = markdown.replace(_KEPT, "")
    text = _CODE.sub(keep, text) if "`" in text else text
    for signs, pattern, replacement in _PLAIN:
        for sign in signs:  # a tenth of the time of a pattern that finds nothing
            if sign in text:
                text = pattern.sub(replacement, text)
                break
    text = html.unescape(text) if "&" in text else text
    kept = iter(codes)
    return re.sub(_KEPT, lambda _: next(kept, ""), text) if codes else text


# --- sentences --------------------------------------------------------------------------------------------------------

_FENCE = regex(r"[ \t]*(?:>[ \t]*)*(?:[-*+][ \t]+)?(`{3,}|~{3,})")
_ALONE = regex(r"[ \t]*(?:\||#{1,6}[ \t]|(?:[-*_][ \t]*){3,}$)")  # table rows, headings, rules: a span each
_OPENS = regex(r"[ \t]*(?:[-*+]|\d{1,9}[.)]|>)[ \t]")  # list items and quotes begin a new block
_CLOSERS = "”’」』）)\"'*_】》"
_END = regex(
    rf"[。！？；]+[{_CLOSERS}]*|…{{2,}}[{_CLOSERS}]*|[!?]+[{_CLOSERS}]*(?=\s|$)|\.+[{_CLOSERS}]*(?=\s+[^a-z\s]|\s*$)"
)
_ABBREVIATION = regex(
    r"(?:^|[\s(])(?:[A-Z]|[A-Za-z]\.[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|vs|etc|al|Fig|No|Vol|Inc|Ltd|Co|approx|cf|pp?|ca|\d{1,3})$"
)


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) code-point spans of the sentences of Markdown `text`, in order, without outer blanks.

    A table row, a heading and a whole fenced code block are one span each; a list item begins a new one; soft-wrapped
    lines of a paragraph belong together.
    """
    spans: list[tuple[int, int]] = []
    for start, end, whole in _blocks(text):
        for a, b in [(start, end)] if whole else _split(text, start, end):
            inner = text[a:b]
            if stripped := inner.strip():
                first = a + len(inner) - len(inner.lstrip())
                spans.append((first, first + len(stripped)))
    return spans


def _blocks(text: str) -> list[tuple[int, int, bool]]:
    """Return (start, end, is one span) of each block: fences and single-line blocks whole, paragraphs to be split."""
    blocks: list[tuple[int, int, bool]] = []
    fence, start, at = "", -1, 0
    for line in text.splitlines(keepends=True):
        at, begin = at + len(line), at
        first = line.lstrip(" \t")[:1]
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip(" \t\r\n`~"):
                fence = ""
            blocks[-1] = (blocks[-1][0], at, True)
        elif mark:
            fence, start = mark[1], -1
            blocks.append((begin, at, True))
        elif not line.strip() or (first in "|#-*_" and _ALONE.match(line)):
            start = -1
            blocks.append((begin, at, True))
        elif start < 0 or ((first in "-*+>" or first.isdigit()) and _OPENS.match(line)):
            start = begin
            blocks.append((start, at, False))
        else:
            blocks[-1] = (start, at, False)
    return blocks


def _split(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut one paragraph at its sentence ends; a dot after an abbreviation, an initial or a list number is none."""
    cuts = [start]
    for match in _END.finditer(text, start, end):
        if match[0][0] != "." or not _abbreviated(text, match, start, end):
            cuts.append(match.end())
    return list(pairwise([*cuts, end]))


def _abbreviated(text: str, dot: re.Match[str], start: int, end: int) -> bool:
    """Tell whether the dot belongs to an abbreviation inside the paragraph rather than to a sentence end."""
    before = text[max(start, dot.start() - 12) : dot.start()]
    return bool(_ABBREVIATION.search(before)) and bool(text[dot.end() : end].strip())
