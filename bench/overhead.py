"""What a question costs beside the model and the embedding: ``python -m bench.overhead [CHUNKS]``.

A synthetic base, vectors known beforehand, and a model that takes no time: it reads the first two candidates and
answers with a sentence of each. What is left is search, reading, requests, checking and writing.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bench.asked import asked_of
from bench.engine import Known
from bench.synthetic import make
from query_fn import service
from query_fn.agent.chat.claude.model import Claude
from query_fn.agent.chat.claude.reply import Said, Use, Words
from query_fn.agent.chat.extractive import Extractive
from query_fn.agent.events import Step
from query_fn.agent.purse import Purse
from query_fn.model import Ask
from query_fn.prices import Usage
from query_fn.retrieve.search import Searcher
from query_fn.service import Deps
from query_fn.settings import ClaudeSettings, Settings
from query_fn.store import open_store

WARM = 5  # questions before it counts


class AtOnce:
    """The other end, without a wire and without time."""

    def prepare(self) -> None:
        """Load nothing."""

    def ask(self, body: Mapping[str, Any], purse: Purse, worst: Usage) -> Said:
        """Read two places, then say a sentence of each."""
        del purse, worst
        results = [b for m in body["messages"] for b in m["content"] if b["type"] == "tool_result"]
        sources = [s for r in results for s in r["content"] if s["type"] == "search_result"]
        if not sources:
            return Said((Use("read", f'{{"locators": {_first(results[0])}}}'),), "tool_use")
        quotes = [(s["source"], s["content"][0]["text"].strip()) for s in sources]
        return Said(tuple(Words(f"{quote}\n", ((source, quote),)) for source, quote in quotes), "end_turn")


def _first(result: Mapping[str, Any]) -> str:
    found = json.loads(result["content"][0]["text"])["candidates"]
    return json.dumps([candidate["locator"] for candidate in found[:2]])


def main() -> None:
    """Print the median and the 95th percentile of the whole overhead and of the time to the first step."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, count)
        asked, store = asked_of(folder), open_store(folder / "artifacts")
        searcher, settings = Searcher(store, Known(asked)), Settings()
        paid = partial(Claude, AtOnce(), ClaudeSettings())  # type: ignore[arg-type]
        deps = Deps(store, searcher, Extractive(), settings, clock=lambda: 1, paid=paid)
        whole, first = [], []
        for question in asked.texts:
            began = time.perf_counter()
            for event in service.answer(Ask(question), deps):
                if isinstance(event, Step) and event.number == 1:
                    first.append(time.perf_counter() - began)
            whole.append(time.perf_counter() - began)
    for title, times in (("first step", first[WARM:]), ("whole answer", whole[WARM:])):
        slow, middle = statistics.quantiles(times, n=20)[-1], statistics.median(times)
        print(f"{title:13} p50 {1000 * middle:5.1f} ms   p95 {1000 * slow:5.1f} ms   n={len(times)}")


if __name__ == "__main__":
    main()
