"""What the local enricher makes of a folder: ``python -m bench.wiki CONTENT [--terms FILE] [--half open|held]``.

Prints the measures of the wiki, and with a list of terms how many of them have a page and which have none. Everything
is derived anew, without a cache; every page counts as public.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from compiler.cache import Cache
from compiler.derive import Derivation, derive
from compiler.enrich.folding import key_of
from compiler.enrich.local import LocalEnricher
from compiler.enrich.protocol import Look, Reading
from compiler.progress import Clock, Silent
from compiler.read import read_sources
from compiler.settings import Settings, load

LONG = 2_000  # characters of an article that should give several candidates


class Counting(LocalEnricher):
    """The local enricher; remembers how many candidates each article gave."""

    def looks(self, pages: Sequence[Reading], cache: Cache) -> list[Look]:
        """Return what the local enricher does."""
        found = LocalEnricher().looks(pages, cache)
        SEEN.extend((len(page.article.text), len(look.candidates)) for page, look in zip(pages, found, strict=True))
        return found


SEEN: list[tuple[int, int]] = []


def main() -> None:
    """Print the figures as lines of a Markdown table, and a sample of opening sentences."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("content", type=Path)
    parser.add_argument("--terms", type=Path)
    parser.add_argument("--half", choices=("open", "held", "all"), default="all")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verdicts", type=Path, help="what a person said of opening sentences: key, opening, defines")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        sets = ["sharing.default=public", "embed.model=none"]
        settings = load(asked.content, Path(scratch) / "out", Path(scratch) / "state", overrides=sets)
        made, seconds = _derived(settings)
    for name, value in _figures(made, seconds):
        print(f"| {name} | {value} |")
    if asked.terms:
        _print_terms(made, yaml.safe_load(asked.terms.read_text("utf-8")), asked.half)
    if asked.verdicts:
        _print_verdicts(made, yaml.safe_load(asked.verdicts.read_text("utf-8")))
    for entry in random.Random(asked.seed).sample(made.wiki.entries, min(asked.sample, len(made.wiki.entries))):
        print(f"- {entry.key} ({opening(entry.definition.text)}): {entry.definition.text}")


def _derived(settings: Settings) -> tuple[Derivation, float]:
    cache = Cache(None)
    sources = read_sources(settings, datetime.now(UTC), cache=cache, clock=Clock(Silent()))
    begun = time.perf_counter()
    made = derive(sources.documents, settings, enricher=Counting(), cache=cache, progress=Silent().update)
    return made, time.perf_counter() - begun


def _figures(made: Derivation, seconds: float) -> Iterator[tuple[str, Any]]:
    entries, rows = made.wiki.entries, made.rows
    subjects = [page for page in rows.pages if page.kind in ("entity", "concept")]
    several = sum(len(entry.contributions) + len(entry.mentioned) > 1 for entry in entries)
    keys = [key_of(form) for entry in entries for form in (entry.title, *entry.aliases)]
    known = {entry.key for entry in entries}
    links = [key for page in subjects for key in re.findall(r"\[\[([^|\]]+)\|", page.body)]
    yield "derive, seconds", round(seconds, 1)
    yield "articles", len(rows.articles)
    yield (
        "median of candidates per article over 2,000 characters",
        statistics.median(n for size, n in SEEN if size > LONG),
    )
    yield "entity and concept pages", len(subjects)
    yield "with two sources or more, %", round(100 * several / max(1, len(entries)))
    yield "relations a page", round(len(rows.relations) / max(1, len(subjects)), 2)
    yield (
        "relations without `explained-by` and `topic-of`",
        sum(r.kind not in ("explained-by", "topic-of") for r in rows.relations),
    )
    yield "names that two pages share", len(keys) - len(set(keys))
    yield "links to no page", sum(key not in known for key in links)
    points = [len(digest.points) for digest in made.wiki.digests]
    yield "key points, median and most", f"{statistics.median(points)} / {max(points)}"
    yield "questions a passage", round(len(rows.questions) / max(1, len(rows.chunks)), 2)


def _print_terms(made: Derivation, terms: Sequence[dict[str, Any]], half: str) -> None:
    middle = len(terms) // 2
    wanted = {"open": terms[:middle], "held": terms[middle:], "all": terms}[half]
    named = {key_of(form) for entry in made.wiki.entries for form in (entry.title, *entry.aliases)}
    missing = [t["term"] for t in wanted if not named & {key_of(n) for n in (t["term"], *(t.get("aliases") or ()))}]
    print(f"| terms with a page, {half} | {len(wanted) - len(missing)} of {len(wanted)} |")
    if half == "open":
        print(f"without: {', '.join(missing)}")


def opening(text: str) -> str:
    """Return the mark of an opening sentence: a verdict holds as long as the sentence does."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _print_verdicts(made: Derivation, judged: Sequence[dict[str, Any]]) -> None:
    """Print how many of the judged sentences still open their page, and of how many it was said that they define."""
    now = {entry.key: opening(entry.definition.text) for entry in made.wiki.entries}
    standing = [one for one in judged if now.get(str(one["key"])) == str(one["opening"])]
    print(f"| openings judged, still there, of these define | {len(judged)}, {len(standing)}, ", end="")
    print(f"{sum(one['defines'] for one in standing)} |")


if __name__ == "__main__":
    main()
