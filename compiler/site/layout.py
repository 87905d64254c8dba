"""Where the nodes of a graph are drawn: communities as islands, then forces (Fruchterman and Reingold 1991).

Repulsion is taken from the cells of a coarse grid and, nearby, from neighbours in the order of a fine one, so a round
is linear. Only operations that every processor rounds alike are used, and sums run in one order: the same graph lies in
the same place everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from compiler.site.communities import Edges

SPACING = 40.0  # the wished distance of two linked nodes, in units of the drawing
ROUNDS = 80
GRAVITY = 0.25  # of a spring: what is linked with nothing stays in sight
GRID = 14  # cells along a side
NEAR = 6  # nodes compared with each node in the order of the fine grid
_GOLDEN = math.pi * (3 - math.sqrt(5))

Axis = npt.NDArray[np.float64]
Ends = npt.NDArray[np.int64]


def layout(groups: Sequence[int], edges: Edges) -> list[tuple[int, int]]:
    """Return integer coordinates around (0, 0) for nodes in `groups` (their communities, numbered by size)."""
    if not groups:
        return []
    x, y = _islands(groups)
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    degrees = np.bincount(ends.ravel(), minlength=len(groups)).astype(np.float64)
    for n in range(ROUNDS):
        dx, dy = _attraction(x, y, ends, degrees)
        for push in (_far(x, y), _near(x, y)):
            dx, dy = dx + push[0], dy + push[1]
        dx, dy = dx - x * GRAVITY, dy - y * GRAVITY
        step = SPACING * (1 - n / ROUNDS)
        length = np.sqrt(dx * dx + dy * dy) + 1e-9
        limit = np.minimum(length, step) / length
        x, y = x + dx * limit, y + dy * limit
    return [(round(a), round(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def _islands(groups: Sequence[int]) -> tuple[Axis, Axis]:
    """Return a start: every community is a sunflower, and the communities are seeds of a larger one, largest inside."""
    members: dict[int, int] = {}
    centres, before = {}, 0
    for group, size in sorted(_sizes(groups).items()):
        radius, angle = SPACING * math.sqrt(before + size / 2) * 0.9, group * _GOLDEN
        centres[group] = (round(radius * math.cos(angle)), round(radius * math.sin(angle))) if before else (0, 0)
        before += size
    xs, ys = [], []
    for group in groups:
        seed = members[group] = members.get(group, -1) + 1
        radius, angle = SPACING * 0.6 * math.sqrt(seed), seed * _GOLDEN
        xs.append(float(centres[group][0] + round(radius * math.cos(angle))))
        ys.append(float(centres[group][1] + round(radius * math.sin(angle))))
    return np.array(xs), np.array(ys)


def _sizes(groups: Sequence[int]) -> dict[int, int]:
    return dict(enumerate(np.bincount(np.array(groups, dtype=np.int64)).tolist()))


def _attraction(x: Axis, y: Axis, ends: Ends, degrees: Axis) -> tuple[Axis, Axis]:
    """Return the pull of the edges: springs that share their strength among the edges of a node.

    Then a hub does not swallow what it links, and a dense graph is as large as a sparse one of as many nodes.
    """
    a, b = ends[:, 0], ends[:, 1]
    pull = 1 / np.sqrt(degrees[a] * degrees[b])
    return _gather(a, b, (x[b] - x[a]) * pull, len(x)), _gather(a, b, (y[b] - y[a]) * pull, len(x))


def _gather(a: Ends, b: Ends, force: Axis, count: int) -> Axis:
    """Return for each node the sum of the forces of its pairs (a pulls b and b pulls a), added up one after another."""
    forwards: Axis = np.bincount(a, force, count).astype(np.float64)
    return forwards - np.bincount(b, force, count)


def _far(x: Axis, y: Axis) -> tuple[Axis, Axis]:
    """Return the push of every cell of the grid on every node, each cell taken as one heavy node."""
    cell = _cells(x, GRID) * GRID + _cells(y, GRID)
    mass = np.bincount(cell, minlength=GRID * GRID)
    with np.errstate(invalid="ignore"):
        cx, cy = np.bincount(cell, x, GRID * GRID) / mass, np.bincount(cell, y, GRID * GRID) / mass
    fx, fy = np.zeros_like(x), np.zeros_like(y)
    for n in np.flatnonzero(mass).tolist():
        dx, dy = x - cx[n], y - cy[n]
        push = SPACING * SPACING * mass[n] / (dx * dx + dy * dy + SPACING * SPACING)
        fx += dx * push
        fy += dy * push
    return fx, fy


def _cells(values: Axis, count: int) -> Ends:
    low, high = float(values.min()), float(values.max())
    return np.asarray(np.minimum((values - low) * (count / (high - low + 1e-9)), count - 1), dtype=np.int64)


def _near(x: Axis, y: Axis) -> tuple[Axis, Axis]:
    """Return the push between nodes that lie close together, which a cell's centre does not tell apart."""
    order = np.lexsort((x, np.floor(y / SPACING)))
    fx, fy = np.zeros_like(x), np.zeros_like(y)
    for shift in range(1, min(NEAR + 1, len(x))):
        a, b = order[:-shift], order[shift:]
        dx, dy = x[b] - x[a], y[b] - y[a]
        push = -(SPACING * SPACING) / (dx * dx + dy * dy + 1.0)
        push = np.where(dx * dx + dy * dy < 4 * SPACING * SPACING, push, 0.0)
        fx += _gather(a, b, dx * push, len(x))
        fy += _gather(a, b, dy * push, len(x))
    return fx, fy
