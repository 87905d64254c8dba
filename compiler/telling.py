"""The report of a build from its parts."""

from __future__ import annotations

from dataclasses import dataclass

from compiler.cache import Cache
from compiler.enriching import Enrichment
from compiler.index.rows import Vectors
from compiler.progress import Clock
from compiler.read import Sources
from compiler.report import Report, sharing_counts, sorted_problems
from query_fn.contract import Manifest


@dataclass(frozen=True, slots=True)
class Ending:
    """How a build ended: what is served now, and whether that is new."""

    manifest: Manifest
    switched: bool = False
    vectors: Vectors | None = None


def told(sources: Sources, ending: Ending, enrichment: Enrichment, *, cache: Cache, clock: Clock) -> Report:
    """Return what the owner should know of a build."""
    manifest, vectors = ending.manifest, ending.vectors
    public = frozenset(article.source for article in sources.articles)
    problems = (*sources.problems, *enrichment.problems(sources.articles))
    notes = (cache.note, *enrichment.notes, vectors.note if vectors else "")
    return Report(
        build_id=manifest.build_id,
        switched=ending.switched,
        unchanged=not ending.switched,
        counts=manifest.counts,
        sharing=sharing_counts(sources.decisions),
        problems=sorted_problems(problems, public, hidden=sources.hidden),
        seconds=clock.seconds,
        degraded=manifest.degraded,
        fresh_embeddings=vectors.fresh if vectors else 0,
        rendered=cache.made.get("document", 0),
        next_change=sources.next_change,
        next_build=sources.next_build,
        ignored_keys=sources.selection.ignored_keys,
        decisions=sources.decisions,
        rules=sources.selection.rules,
        protected=sources.addresses,
        hidden=sources.hidden,
        notes=tuple(filter(None, notes)),
        bill=enrichment.bill,
        prompts=enrichment.prompts,
    )
