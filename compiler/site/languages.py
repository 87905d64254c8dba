"""Pages in two languages find each other: by the front matter, ``translationKey: start``, or by their path,
``zh/start.md`` and ``en/start.md``, or ``start.zh.md``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from compiler.model import Translation
from query_fn.contract import ArticleRow

# A language's own name, for the switch. A language that is not here is named by its tag.
NAMES = {
    "ar": "العربية", "de": "Deutsch", "en": "English", "es": "Español", "fa": "فارسی", "fr": "Français", "he": "עברית",
    "hi": "हिन्दी", "id": "Bahasa Indonesia", "it": "Italiano", "ja": "日本語", "ko": "한국어", "nl": "Nederlands",
    "pl": "Polski", "pt": "Português", "ru": "Русский", "tr": "Türkçe", "uk": "Українська", "ur": "اردو",
    "vi": "Tiếng Việt", "zh": "中文", "zh-hans": "简体中文", "zh-hant": "繁體中文",
    "zh-cn": "简体中文", "zh-tw": "繁體中文",
}  # fmt: skip
_RIGHT_TO_LEFT = frozenset(("ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"))


def name_of(lang: str) -> str:
    """Return what a language calls itself."""
    tag = lang.lower()
    return NAMES.get(tag) or NAMES.get(_primary(tag)) or lang


def direction(lang: str) -> str:
    """Return "rtl" for a language that is written from right to left, else "ltr"."""
    return "rtl" if _primary(lang) in _RIGHT_TO_LEFT else "ltr"


def translations(
    articles: Sequence[ArticleRow], pairs: Mapping[str, str] = MappingProxyType({})
) -> Mapping[str, tuple[Translation, ...]]:
    """Return for each article id the same page in other languages, by language; one page for each of them.

    `pairs` says by article id what the front matter calls the page in every language, where it says so.
    """
    found: dict[tuple[str, str], dict[str, ArticleRow]] = {}
    for row in articles:
        said = pairs.get(row.id, "")
        found.setdefault(("said", said) if said else ("path", _without_language(row)), {}).setdefault(row.lang, row)
    return dict(_paired(found.values()))


def _paired(groups: Iterable[Mapping[str, ArticleRow]]) -> Iterator[tuple[str, tuple[Translation, ...]]]:
    for group in groups:
        for row in group.values():
            others = sorted((other for other in group.values() if other is not row), key=lambda other: other.lang)
            if others:
                yield row.id, tuple(Translation(other.lang, other.title, other.url) for other in others)


def _without_language(row: ArticleRow) -> str:
    """Return a page's path without the folder or the suffix that names its own language."""
    parts = row.path.rsplit(".", 1)[0].casefold().replace("_", "-").split("/")
    at = next((n for n, part in enumerate(parts[:-1]) if _names(part, row.lang)), None)
    if at is not None:
        return "/".join(parts[:at] + parts[at + 1 :])
    stem, _, suffix = parts[-1].rpartition(".")
    return "/".join([*parts[:-1], stem]) if stem and _names(suffix, row.lang) else "/".join(parts)


def _names(part: str, lang: str) -> bool:
    return _primary(part) == _primary(lang) and len(part) <= len("zh-hant-tw")


def _primary(tag: str) -> str:
    return tag.lower().replace("_", "-").partition("-")[0]
