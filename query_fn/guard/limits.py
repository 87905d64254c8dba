"""What a request may weigh, checked before any work: bytes, characters, and the shape of the text."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

from query_fn.errors import BadRequest, TooLarge

MAX_MARKS_RUN = 8  # combining marks or joiners in a row; the longest in real orthographies is 4
MAX_JSON_DEPTH = 12
_ALLOWED_CONTROLS = frozenset("\t\n\r")


def check_body(body: bytes, max_bytes: int) -> None:
    """Raise TooLarge above `max_bytes` and BadRequest when there is no body at all."""
    if len(body) > max_bytes:
        raise TooLarge(f"The body may have at most {max_bytes} bytes.")
    if not body.strip():
        raise BadRequest("The body is empty; send a JSON object.")


def parse_json(body: bytes) -> object:
    """Return the value of a strict JSON body.

    Raises BadRequest for bad UTF-8, bad JSON, repeated keys, NaN, lone surrogates and nesting over MAX_JSON_DEPTH.
    """
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise BadRequest("The body is not UTF-8.") from None
    except RecursionError:
        raise BadRequest("The body is nested too deeply.") from None
    except ValueError:
        raise BadRequest("The body is not valid JSON.") from None
    _check_tree(value, 0)
    return value


def check_question(text: str, max_chars: int, *, pointer: str = "/question") -> str:
    """Return the question without surrounding white space.

    Raises TooLarge above `max_chars` code points and BadRequest for an empty question, control characters, or a run of
    combining marks or joiners that no language writes.
    """
    if len(text) > max_chars:
        raise TooLarge(f"A question may have at most {max_chars} characters.", pointer=pointer)
    if any(unicodedata.category(c) == "Cc" and c not in _ALLOWED_CONTROLS for c in text):
        raise BadRequest("The question contains control characters.", pointer=pointer)
    if _longest_mark_run(text) > MAX_MARKS_RUN:
        raise BadRequest("The question contains too many combining characters.", pointer=pointer)
    if not any(unicodedata.category(c)[0] in "LNS" for c in text):
        raise BadRequest("The question is empty.", pointer=pointer)
    return text.strip()


def _longest_mark_run(text: str) -> int:
    longest = run = 0
    for char in text:
        run = run + 1 if unicodedata.category(char) in ("Mn", "Me", "Cf") else 0
        longest = max(longest, run)
    return longest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadRequest("A key is given twice in one object.")
    return found


def _no_constant(name: str) -> None:
    raise BadRequest(f"{name} is not JSON.")


def _check_tree(value: object, depth: int) -> None:
    if depth > MAX_JSON_DEPTH:
        raise BadRequest("The body is nested too deeply.")
    if isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
        raise BadRequest("The body contains half a character (a lone surrogate).")
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        _check_tree(key, depth + 1)
        _check_tree(child, depth + 1)
