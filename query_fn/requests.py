"""From untrusted JSON and query strings to typed requests. Pure: no store, no clock, no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from query_fn import schema
from query_fn.errors import BadRequest
from query_fn.guard.limits import check_question
from query_fn.guard.session import MAX_TOKEN_BYTES
from query_fn.model import Ask, Scope
from query_fn.regex import regex

LANGS = ("zh", "en")
MODES = ("hybrid", "lexical", "exact", "meaning")
MAX_LIMIT = 20
MAX_LOCATORS = 4
MAX_MESSAGES = 100
_ISO_DATE = regex(r"\d{4}-\d{2}-\d{2}")

_CHAT_KEYS = ("question", "messages", "stream", "lang", "scope", "conversation", "id", "trigger", "messageId")
_SDK_ONLY = ("id", "trigger", "messageId")  # what an AI SDK client adds to {messages}; named, and not used
_MESSAGE_KEYS = ("id", "role", "parts", "content", "metadata", "createdAt")
_OWN_PARTS = ("source-url", "data-answer", "data-step", "step-start")  # our stream's parts, as a client returns them
_SCOPE_KEYS = ("articles", "folders", "tags", "langs", "updated_since")
_SEARCH_KEYS = ("q", "limit", "lang", "tag", "folder", "article", "updated_since", "mode")


class ChatRequest(Struct, frozen=True):
    """A question as sent. `conversation` is the token, not yet verified."""

    ask: Ask
    conversation: str | None = None


class SearchRequest(Struct, frozen=True):
    """A search as sent; `mode` "lexical" leaves the vectors out (fast enough for every key stroke), "exact" finds the
    words letter by letter."""

    query: str
    limit: int
    scope: Scope
    mode: str


class Feedback(Struct, frozen=True):
    """A reader's verdict on one answer."""

    rating: str  # "up" | "down"
    question: str = ""
    comment: str = ""
    build_id: str = ""


def chat(body: object, *, max_chars: int) -> ChatRequest:
    """Read `POST /api/public/qa/chat`: ``{question, …}`` or an AI SDK client's ``{messages, …}``."""
    data = schema.as_object(body, "", keys=_CHAT_KEYS)
    if ("question" in data) == ("messages" in data):
        raise BadRequest("Send either a question or messages.", pointer="/question")
    if "question" in data:
        for key in (k for k in _SDK_ONLY if k in data):
            raise BadRequest("Unknown key.", pointer=f"/{key}")
        raw, pointer = data["question"], "/question"
    else:
        raw, pointer = _last_user_text(data["messages"])
    question = check_question(schema.as_text(raw, pointer, most=1 << 30), max_chars, pointer=pointer)
    ask = Ask(
        question=question,
        lang=_optional_choice(data, "lang", LANGS),
        scope=scope(data["scope"]) if data.get("scope") is not None else Scope(),
        stream=schema.as_flag(data.get("stream", True), "/stream"),
    )
    token = data.get("conversation")
    return ChatRequest(ask, None if token is None else schema.as_text(token, "/conversation", most=MAX_TOKEN_BYTES))


def scope(value: object, pointer: str = "/scope") -> Scope:
    """Read a scope. A missing filter filters nothing; an empty list means nothing, never everything."""
    data = schema.as_object(value, pointer, keys=_SCOPE_KEYS)
    lists = {
        key: schema.as_texts(data[key], schema.at(pointer, key))
        for key in ("articles", "folders", "tags", "langs")
        if data.get(key) is not None
    }
    return Scope(**lists, updated_since=_date(data.get("updated_since"), f"{pointer}/updated_since"))


def _date(value: object, pointer: str) -> str | None:
    if value is None:
        return None
    text = schema.as_text(value, pointer)
    if not _ISO_DATE.fullmatch(text):
        raise BadRequest("Expected a date such as 2026-01-31.", pointer=pointer)
    return text


def search(params: Sequence[tuple[str, str]], *, max_chars: int) -> SearchRequest:
    """Read `GET /api/public/search`; `tag`, `folder`, `lang` and `article` may be repeated."""
    given: dict[str, list[str]] = {}
    for key, value in params:
        if key not in _SEARCH_KEYS:
            raise BadRequest("Unknown parameter.", pointer=f"/{key}")
        given.setdefault(key, []).append(schema.as_text(value, f"/{key}", most=max_chars + 1))
    query = check_question(given.get("q", [""])[-1], max_chars, pointer="/q")
    return SearchRequest(
        query=query,
        limit=_limit(given.get("limit", ["10"])[-1]),
        scope=Scope(
            articles=_all(given, "article"),
            folders=_all(given, "folder"),
            tags=_all(given, "tag"),
            langs=_all(given, "lang"),
            updated_since=_date(given.get("updated_since", [None])[-1], "/updated_since"),
        ),
        mode=schema.as_choice(given.get("mode", ["hybrid"])[-1], "/mode", choices=MODES),
    )


def read(body: object) -> tuple[str, ...]:
    """Read `POST /api/public/read`: one to MAX_LOCATORS locators."""
    data = schema.as_object(body, "", keys=("locators",))
    locators = schema.as_texts(data.get("locators"), "/locators", most=MAX_LOCATORS)
    if not locators:
        raise BadRequest("Name at least one locator.", pointer="/locators")
    return locators


def feedback(body: object) -> Feedback:
    """Read `POST /api/public/feedback`."""
    data = schema.as_object(body, "", keys=("rating", "question", "comment", "build_id"))
    return Feedback(
        rating=schema.as_choice(data.get("rating"), "/rating", choices=("up", "down")),
        question=schema.as_text(data.get("question", ""), "/question", most=2_000),
        comment=schema.as_text(data.get("comment", ""), "/comment", most=2_000),
        build_id=schema.as_text(data.get("build_id", ""), "/build_id", most=100),
    )


def _last_user_text(value: object) -> tuple[str, str]:
    """Return the text of the last message, which must be the user's, with its pointer; check the others strictly."""
    messages = schema.as_list(value, "/messages", most=MAX_MESSAGES)
    if not messages:
        raise BadRequest("There is no message.", pointer="/messages")
    found, role = "", ""
    for index, item in enumerate(messages):
        pointer = schema.at("/messages", index)
        message = schema.as_object(item, pointer, keys=_MESSAGE_KEYS)
        role = schema.as_choice(message.get("role"), f"{pointer}/role", choices=("user", "assistant"))
        found = _message_text(message, pointer, own=role == "assistant")
    if role != "user":
        raise BadRequest("The last message must be the user's.", pointer=pointer)
    return found, pointer


def _message_text(message: Mapping[str, object], pointer: str, *, own: bool) -> str:
    """Return the joined text of one message. Earlier turns are checked and then dropped: only the token vouches."""
    if ("parts" in message) == ("content" in message):
        raise BadRequest("Send either parts or content.", pointer=pointer)
    if "content" in message:
        return schema.as_text(message["content"], f"{pointer}/content", most=1 << 20)
    texts = []
    for index, item in enumerate(schema.as_list(message["parts"], f"{pointer}/parts", most=200)):
        where = schema.at(f"{pointer}/parts", index)
        kind = item.get("type") if isinstance(item, dict) else None
        if own and kind in _OWN_PARTS:
            continue
        if kind != "text":
            raise BadRequest("Only text parts are accepted.", pointer=where)
        part = schema.as_object(item, where, keys=("type", "text", "state"))
        texts.append(schema.as_text(part.get("text"), f"{where}/text", most=1 << 20))
    return "\n".join(texts)


def _optional_choice(data: Mapping[str, object], key: str, choices: Sequence[str]) -> str | None:
    return None if data.get(key) is None else schema.as_choice(data[key], f"/{key}", choices=choices)


def _all(given: Mapping[str, list[str]], key: str) -> tuple[str, ...] | None:
    return tuple(given[key]) if key in given else None


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= MAX_LIMIT and len(text) <= 4):
        raise BadRequest(f"Expected a number from 1 to {MAX_LIMIT}.", pointer="/limit")
    return int(text)
