"""Readers for untrusted JSON: each returns a checked value or raises BadRequest with a JSON pointer. Pure, a leaf."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from query_fn.errors import BadRequest


def at(pointer: str, key: str | int) -> str:
    """Return the JSON pointer (RFC 6901) of a child."""
    return f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"


def as_object(value: object, pointer: str, *, keys: Collection[str]) -> Mapping[str, object]:
    """Return an object that has no key outside `keys`."""
    if not isinstance(value, dict):
        raise BadRequest("Expected an object.", pointer=pointer)
    for key in value:
        if key not in keys:
            raise BadRequest("Unknown key.", pointer=at(pointer, key))
    return value


def as_list(value: object, pointer: str, *, most: int) -> list[object]:
    """Return a list of at most `most` items."""
    if not isinstance(value, list):
        raise BadRequest("Expected a list.", pointer=pointer)
    if len(value) > most:
        raise BadRequest(f"Expected at most {most} items.", pointer=pointer)
    return value


def as_text(value: object, pointer: str, *, most: int = 300) -> str:
    """Return a string of at most `most` characters."""
    if not isinstance(value, str):
        raise BadRequest("Expected a string.", pointer=pointer)
    if len(value) > most:
        raise BadRequest(f"Expected at most {most} characters.", pointer=pointer)
    return value


def as_flag(value: object, pointer: str) -> bool:
    """Return a boolean; nothing else counts as one."""
    if not isinstance(value, bool):
        raise BadRequest("Expected true or false.", pointer=pointer)
    return value


def as_choice(value: object, pointer: str, *, choices: Collection[str]) -> str:
    """Return a string that is one of `choices`."""
    if value not in choices or not isinstance(value, str):
        raise BadRequest(f"Expected one of: {', '.join(choices)}.", pointer=pointer)
    return value


def as_texts(value: object, pointer: str, *, most: int = 50) -> tuple[str, ...]:
    """Return a tuple of strings; an empty list stays empty."""
    return tuple(as_text(item, at(pointer, i)) for i, item in enumerate(as_list(value, pointer, most=most)))
