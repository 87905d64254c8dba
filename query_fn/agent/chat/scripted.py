"""A chat model that plays moves given in advance. It ships so that tests and users share the real seam."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from query_fn.agent.chat.base import Draft, Grader, Move, View

Step = Move | Callable[[View], Move]


class Scripted:
    """Play the moves in order; a callable is asked with the view. When they run out, answer with nothing."""

    name = "scripted"
    writes = True
    grader: Grader | None = None

    def __init__(self, moves: Sequence[Step]) -> None:
        self._moves = list(moves)
        self.views: list[View] = []

    def next(self, view: View) -> Move:
        """Return the next scripted move and keep the view it was asked with."""
        self.views.append(view)
        if not self._moves:
            return Draft(())
        move = self._moves.pop(0)
        return move(view) if callable(move) else move
