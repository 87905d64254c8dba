"""What a model said, and the move it makes: calls, or a draft whose sentences carry their own citations. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

from query_fn.agent.chat.base import Call, Calls, Draft, Move, Quoted
from query_fn.errors import ModelFailed
from query_fn.regex import regex
from query_fn.text import sentences

UNFINISHED = ("max_tokens", "model_context_window_exceeded", "cut")  # ways to stop in the middle
REFUSALS = {"OFF_TOPIC": "off_topic"}
NOT_COVERED = "NOT_COVERED"
ENDS = (".", "!", "?", "。", "！", "？", "```")
MAX_CALLS = 32  # of one turn that are looked at
_MARK = regex(r"[ \t]*(?:[-*+]|(\d{1,3})[.)])[ \t]+")
_HEADING = regex(r"[ \t]*#{1,6}[ \t]+")
_FENCE = regex(r"[ \t]*(?:`{3}|~{3})")


class Words(Struct, frozen=True):
    """A text block with the (source, quote) pairs that stand behind all of it."""

    text: str
    quotes: tuple[tuple[str, str], ...] = ()


class Use(Struct, frozen=True):
    """A tool call; `raw` is the JSON of its arguments as it arrived."""

    name: str
    raw: str


class Said(Struct, frozen=True):
    """One message of the model: its blocks, and why it stopped ("cut" = the stream ended before the message did)."""

    blocks: tuple[Words | Use, ...]
    stop: str


def move(said: Said, *, final: bool) -> Move:
    """Return the move of a message. Raises ModelFailed for one that holds neither an answer nor a call.

    A call counts only when its arguments are whole; text beside a call is a thought, not an answer.
    """
    if said.stop == "refusal":
        return Draft((), refused="declined")
    uses = [block for block in said.blocks if isinstance(block, Use)]
    if uses and not final:
        return Calls(tuple(_call(use) for use in uses[:MAX_CALLS]))
    words = [block for block in said.blocks if isinstance(block, Words)]
    text = "".join(block.text for block in words).strip()
    if text.strip("`*. ") in REFUSALS:
        return Draft((), refused=REFUSALS[text.strip("`*. ")])
    if text.strip("`*. ") == NOT_COVERED:
        return Draft(())
    if said.stop in UNFINISHED:
        return _unfinished(words, said.stop)
    return Draft(tuple(quoted(words)))


def quoted(words: Sequence[Words]) -> Iterator[Quoted]:
    """Yield the sentences and list items of a text, each with the quotes of the blocks it touches."""
    text = "".join(block.text for block in words)
    ends = list(accumulate(len(block.text) for block in words))
    parts = [(start, end, block.quotes) for start, end, block in zip([0, *ends], ends, words, strict=False)]
    last = 0
    for start, end in _lines(text):
        apart = last > 0 and "\n" in text[last:start]
        mark = _MARK.match(text, start, end)
        head = mark or _HEADING.match(text, start, end)
        begin = head.end() if head else start
        own = [quotes for a, b, quotes in parts if text[max(a, begin) : min(b, end)].strip(" \t\n.。!！?？;；,，*_")]
        number = int(mark[1]) if mark and mark[1] else 0
        quotes = tuple(dict.fromkeys(quote for group in own for quote in group))
        if shown := text[begin:end].strip():
            yield Quoted(shown, quotes, item=bool(mark), number=number, apart=apart and not mark)
        last = end


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences; all sentences of one list item are one span."""
    open_item: tuple[int, int] | None = None
    for start, end in sentences(text):
        if open_item and "\n" not in text[open_item[1] : start] and not _FENCE.match(text, start):
            open_item = (open_item[0], end)
            continue
        if open_item:
            yield open_item
        open_item = (start, end) if _MARK.match(text, start) else None
        if not open_item:
            yield start, end
    if open_item:
        yield open_item


def _unfinished(words: Sequence[Words], stop: str) -> Draft:
    """Return what was said before the end came, without the sentence it came in. Raises ModelFailed for nothing."""
    whole = tuple(quoted(words))
    if whole and not whole[-1].text.endswith(ENDS):
        whole = whole[:-1]
    if not whole:
        raise ModelFailed(stop)
    return Draft(whole, ("incomplete",))


def _call(use: Use) -> Call:
    """Return a call; arguments that are no JSON object make one that is not run. No arguments at all are none."""
    try:
        args = json.loads(use.raw or "{}")
    except ValueError:
        args = None
    if isinstance(args, dict):
        return Call(use.name, args)
    return Call(use.name, {}, "The arguments were no complete JSON object.")
