"""Turns as the API writes them. Every value passes the SDK's own types before it is sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from anthropic.types import Message, RawMessageStreamEvent
from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse
from anthropic.types.shared import ErrorResponse
from pydantic import BaseModel, TypeAdapter

from tests.fake_claude.script import KINDS, Expired, Reply, Status, Text, Thought, Tool, Turn

_EVENTS: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)
_PIECE = 24  # characters of one delta
_FORBIDDEN = ("temperature", "top_p", "top_k")
_UNSUPPORTED = {"minimum", "maximum", "minLength", "maxLength", "multipleOf", "maxItems", "uniqueItems", "pattern"}


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request."""

    fresh: int
    written: int
    read: int


def complaint(body: dict[str, Any], *, batched: bool = False) -> str:
    """Return why the API would refuse a request, "" when it would not."""
    if wrong := [name for name in _FORBIDDEN if name in body]:
        return f"{wrong[0]}: Extra inputs are not permitted"
    if missing := [name for name in ("model", "max_tokens", "messages") if name not in body]:
        return f"{missing[0]}: Field required"
    if not body["messages"] or body["messages"][0]["role"] != "user":
        return "messages: first message must use the user role"
    if any(
        block.get("text") == "" for m in body["messages"] if isinstance(m["content"], list) for block in m["content"]
    ):
        return "messages: text content blocks must be non-empty"
    if batched and body.get("stream"):
        return "stream: not in a batch"
    form = (body.get("output_config") or {}).get("format")
    return next(_schema_faults(form["schema"]), "") if form else ""


def _schema_faults(schema: Any) -> Iterator[str]:
    """Yield what structured outputs do not accept in a JSON schema."""
    if isinstance(schema, list):
        for item in schema:
            yield from _schema_faults(item)
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield "output_config.format.schema: additionalProperties must be false"
    if wrong := _UNSUPPORTED & schema.keys():
        yield f"output_config.format.schema: {wrong.pop()} is not supported"
    for value in schema.values():
        yield from _schema_faults(value)


def tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    return max(1, len(text.encode()) // 4)


def prefixes(body: dict[str, Any]) -> list[tuple[str, int]]:
    """Return (hash, tokens) of the prompt up to each cache breakpoint, shortest first. The format is part of each."""
    seen = json.dumps([body["model"], body.get("tools"), body.get("output_config")], sort_keys=True)
    system = body.get("system") or []
    blocks = [{"type": "text", "text": system}] if isinstance(system, str) else list(system)
    for message in body["messages"]:
        content = message["content"]
        blocks += [{"type": "text", "text": content}] if isinstance(content, str) else content
    found = []
    for block in blocks:
        seen += json.dumps({k: v for k, v in block.items() if k != "cache_control"}, sort_keys=True, ensure_ascii=False)
        if block.get("cache_control"):
            found.append((hashlib.sha256(seen.encode()).hexdigest(), tokens(seen)))
    return found


def message(turn: Turn, body: dict[str, Any], usage: Usage, number: int) -> dict[str, Any]:
    """Return a whole message."""
    made = {
        "id": f"msg_{number:06}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [_block(block, f"toolu_{number:06}_{i}") for i, block in enumerate(turn.blocks)],
        "stop_reason": _stop(turn),
        "stop_sequence": None,
        "stop_details": _details(turn),
        "usage": _usage(usage, _output(turn)),
    }
    return _valid(Message, made)


def events(turn: Turn, body: dict[str, Any], usage: Usage, number: int) -> Iterator[bytes]:
    """Yield the stream of a message as server-sent events."""
    whole = message(turn, body, usage, number)
    empty = whole | {"content": [], "stop_reason": None, "stop_details": None, "usage": _usage(usage, 1)}
    yield _event({"type": "message_start", "message": empty})
    yield b'event: ping\ndata: {"type": "ping"}\n\n'
    for index, (block, said) in enumerate(zip(whole["content"], turn.blocks, strict=True)):
        yield from _block_events(index, block, said)
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None, "stop_details": whole["stop_details"]}
    yield _event({"type": "message_delta", "delta": delta, "usage": _usage(usage, whole["usage"]["output_tokens"])})
    yield _event({"type": "message_stop"})


def _block_events(index: int, block: dict[str, Any], said: Text | Tool | Thought) -> Iterator[bytes]:
    if isinstance(said, Thought):
        yield from _thought_events(index, block)
        return
    text = said.text if isinstance(said, Text) else _json(said)
    start = block | ({"text": "", "citations": None} if isinstance(said, Text) else {"input": {}})
    yield _event({"type": "content_block_start", "index": index, "content_block": start})
    for at in range(0, len(text), _PIECE):
        piece = text[at : at + _PIECE]
        delta = (
            {"type": "text_delta", "text": piece}
            if isinstance(said, Text)
            else {"type": "input_json_delta", "partial_json": piece}
        )
        yield _event({"type": "content_block_delta", "index": index, "delta": delta})
    for citation in said.citations if isinstance(said, Text) else ():
        delta = {"type": "citations_delta", "citation": citation}
        yield _event({"type": "content_block_delta", "index": index, "delta": delta})
    yield _event({"type": "content_block_stop", "index": index})


def _thought_events(index: int, block: dict[str, Any]) -> Iterator[bytes]:
    opened = block | {"thinking": "", "signature": ""}
    yield _event({"type": "content_block_start", "index": index, "content_block": opened})
    thought, mark = {"type": "thinking_delta", "thinking": block["thinking"]}, block["signature"]
    yield _event({"type": "content_block_delta", "index": index, "delta": thought})
    signature = {"type": "signature_delta", "signature": mark}
    yield _event({"type": "content_block_delta", "index": index, "delta": signature})
    yield _event({"type": "content_block_stop", "index": index})


def error_event(kind: str) -> bytes:
    """Return the event that ends a stream whose status was 200."""
    return b"event: error\ndata: " + json.dumps(error(kind)).encode() + b"\n\n"


def error(kind: str, text: str = "scripted") -> dict[str, Any]:
    """Return the body of an error."""
    return _valid(ErrorResponse, {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_1"})


def batch(name: str, count: int, *, ended: bool, results_url: str) -> dict[str, Any]:
    """Return the state of a batch."""
    counts = {
        "canceled": 0,
        "errored": 0,
        "expired": 0,
        "processing": 0 if ended else count,
        "succeeded": count * ended,
    }
    made = {
        "id": name,
        "type": "message_batch",
        "archived_at": None,
        "cancel_initiated_at": None,
        "created_at": "2026-11-30T12:00:00Z",
        "ended_at": "2026-11-30T12:10:00Z" if ended else None,
        "expires_at": "2026-12-01T12:00:00Z",
        "processing_status": "ended" if ended else "in_progress",
        "request_counts": counts,
        "results_url": results_url if ended else None,
    }
    return _valid(MessageBatch, made)


def batch_line(custom_id: str, reply: Reply, body: dict[str, Any], number: int) -> dict[str, Any]:
    """Return one result of a batch."""
    result: dict[str, Any]
    if isinstance(reply, Turn):
        usage = Usage(tokens(json.dumps(body, ensure_ascii=False)), 0, 0)
        result = {"type": "succeeded", "message": message(reply, body, usage, number)}
    elif isinstance(reply, Expired):
        result = {"type": "expired"}
    else:
        kind = (reply.kind or KINDS[reply.code]) if isinstance(reply, Status) else "api_error"
        result = {"type": "errored", "error": error(kind)}
    return _valid(MessageBatchIndividualResponse, {"custom_id": custom_id, "result": result})


def _block(block: Text | Tool | Thought, name: str) -> dict[str, Any]:
    if isinstance(block, Thought):
        return {"type": "thinking", "thinking": block.text, "signature": "signed"}
    if isinstance(block, Text):
        return {"type": "text", "text": block.text, "citations": list(block.citations) or None}
    parsed = block.input if isinstance(block.input, dict) else {}
    return {"type": "tool_use", "id": block.id or name, "name": block.name, "input": parsed}


def _json(block: Tool) -> str:
    return block.input if isinstance(block.input, str) else json.dumps(block.input, ensure_ascii=False)


def _stop(turn: Turn) -> str:
    return turn.stop_reason or ("tool_use" if any(isinstance(b, Tool) for b in turn.blocks) else "end_turn")


def _details(turn: Turn) -> dict[str, Any] | None:
    if _stop(turn) != "refusal":
        return None
    return {"type": "refusal", "category": turn.category, "explanation": None}


def _output(turn: Turn) -> int:
    if turn.output_tokens is not None:
        return turn.output_tokens
    return sum(tokens(_json(b) if isinstance(b, Tool) else b.text) for b in turn.blocks)


def _usage(usage: Usage, output: int) -> dict[str, int]:
    return {
        "input_tokens": usage.fresh,
        "cache_creation_input_tokens": usage.written,
        "cache_read_input_tokens": usage.read,
        "output_tokens": output,
    }


def _event(data: dict[str, Any]) -> bytes:
    _EVENTS.validate_python(data)
    return f"event: {data['type']}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _valid(kind: type[BaseModel], data: dict[str, Any]) -> dict[str, Any]:
    """Return data that the SDK's type accepts. Raises pydantic's ValidationError for anything else."""
    kind.model_validate(data)
    return data
