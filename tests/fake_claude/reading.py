"""What a request of a question shows to the model: the question, the tools, what was found and what was read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.fake_claude.script import Text

Json = dict[str, Any]


def question(body: Json) -> str:
    """Return the reader's question."""
    line = next(
        line for line in body["messages"][0]["content"][-1]["text"].splitlines() if line.startswith("Question: ")
    )
    asked: str = json.loads(line.removeprefix("Question: "))
    return asked


def results(body: Json) -> Iterator[Json]:
    """Yield the blocks of all tool results, in order."""
    for message in body["messages"]:
        for block in message["content"] if message["role"] == "user" else ():
            if block["type"] == "tool_result":
                yield from block["content"]


def sources(body: Json) -> list[Json]:
    """Return the search results that may be cited, in order."""
    return [block for block in results(body) if block["type"] == "search_result"]


def found(body: Json) -> list[Json]:
    """Return the candidates of all searches, in order."""
    said = [json.loads(block["text"]) for block in results(body) if block["type"] == "text"]
    return [candidate for value in said for candidate in value.get("candidates", ())]


def findings(body: Json) -> list[Json]:
    """Return what delegated sub-questions brought, in order."""
    said = [json.loads(block["text"]) for block in results(body) if block["type"] == "text"]
    return [finding for value in said for finding in value.get("findings", ())]


def may_use_tools(body: Json) -> bool:
    """Say whether tools may be used on this turn."""
    return bool(body.get("tool_choice", {}).get("type") != "none")


def cited(body: Json, text: str, *phrases: str) -> Text:
    """Return a text that cites the blocks which hold the phrases, as the API does. Raises LookupError for none."""
    return Text(text, tuple(citation(body, phrase) for phrase in phrases))


def citation(body: Json, phrase: str) -> Json:
    """Return the citation of the first block that holds a phrase."""
    for index, source in enumerate(sources(body)):
        for at, block in enumerate(source["content"]):
            if phrase in block["text"]:
                return location(source, index, at)
    raise LookupError(phrase)


def location(source: Json, index: int, at: int) -> Json:
    """Return the citation of one block."""
    return {
        "type": "search_result_location",
        "source": source["source"],
        "title": source["title"],
        "cited_text": source["content"][at]["text"],
        "search_result_index": index,
        "start_block_index": at,
        "end_block_index": at + 1,
    }
