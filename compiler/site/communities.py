"""Communities of a graph by label propagation: linear in the number of edges, and without chance.

Each node takes the label that weighs most among its neighbours (Raghavan, Albert and Kumara 2007). Nodes are visited in
order of degree and ties go to the label already held, else to the smallest, so the same graph has the same communities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

ROUNDS = 12  # most graphs settle in five

Edges = Sequence[tuple[int, int]]


def communities(count: int, edges: Edges) -> list[int]:
    """Return for each of `count` nodes the number of its community: 0 is the largest, a lone node has its own."""
    around = neighbours(count, edges)
    labels = list(range(count))
    order = sorted(range(count), key=lambda node: (-len(around[node]), node))
    for _ in range(ROUNDS):
        if not sum(_move(node, around, labels) for node in order):
            break
    return _by_size(labels)


def neighbours(count: int, edges: Edges) -> list[list[int]]:
    """Return the neighbours of each node."""
    around: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        around[a].append(b)
        around[b].append(a)
    return around


def _move(node: int, around: Sequence[Sequence[int]], labels: list[int]) -> bool:
    """Give a node the label of its neighbourhood; a hub lends its label to many, so each link from it weighs less."""
    if not around[node]:
        return False
    votes: Counter[int] = Counter()
    for other in around[node]:
        votes[labels[other]] += max(1, 1024 // len(around[other]))
    best = min(votes, key=lambda label: (-votes[label], label != labels[node], label))
    moved, labels[node] = best != labels[node], best
    return moved


def _by_size(labels: Sequence[int]) -> list[int]:
    sizes = Counter(labels)
    ranked = {label: n for n, label in enumerate(sorted(sizes, key=lambda label: (-sizes[label], label)))}
    return [ranked[label] for label in labels]
