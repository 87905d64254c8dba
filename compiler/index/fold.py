"""The Traditional to Simplified character table that tokeniser and artifacts share."""

from __future__ import annotations

import json
from functools import lru_cache
from types import MappingProxyType

from opencc import OpenCC

from query_fn.text import Analyser, Fold, fold_with

_RANGES = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00), (0x20000, 0x323B0))


@lru_cache(maxsize=1)
def fold_table() -> MappingProxyType[str, str]:
    """Return the characters whose Simplified form differs, one to one. From OpenCC's ``t2s``, then cached."""
    characters = [chr(code) for first, last in _RANGES for code in range(first, last)]
    converted = OpenCC("t2s").convert("\n".join(characters)).split("\n")  # at once: a call each takes 0.1 s
    pairs = zip(characters, converted, strict=True)
    return MappingProxyType({one: to for one, to in pairs if len(to) == 1 and to != one})


@lru_cache
def fold_of(analyser: Analyser) -> Fold:
    """Return how text is folded into tokens for an analyser."""
    return fold_with(fold_table(), analyser)


def dump_fold() -> str:
    """Return `fold.json`: an object from Traditional to Simplified characters, sorted by code point."""
    return json.dumps(dict(sorted(fold_table().items())), ensure_ascii=False, separators=(",", ":")) + "\n"
