"""The joints that contradict each other in a tick that failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..checks import FloatArray
from ..constraints import layout
from ..joints.joint import JointConflictError
from ..loops.layout import BAD
from ..store.bodies import Bodies
from .islands import Islands
from .joint_fit import miss_in_words


def find_conflict(
    in_use: Iterable[Islands], bodies: Bodies, owner: Callable[[int], object], time: float
) -> tuple[JointConflictError, list[int]] | None:
    """Find the island whose joints contradicted each other in the last tick.

    Args:
        in_use: The islands of the tick.
        bodies: The bodies of the world.
        owner: Returns the joint of a row.
        time: The time at the start of the tick [s].

    Returns:
        The error of the tick, with the rows of the bodies of that island; None if no island is the reason.
    """
    for islands in in_use:
        island, graph = int(islands.failed[0]), islands.graph
        islands.failed[0] = -1
        if island < 0:
            continue
        own = graph.islands[island]
        first = own[layout.COLUMNS]
        if not np.isfinite(islands.measures[island, layout.WORST]):
            bodies.control[BAD] = graph.columns[first]
            return None
        error = JointConflictError(
            f"World: joints contradict each other in the tick from t = {time:g} s: {_worst(islands, island, owner)}. "
            "The tick was undone; disable or remove one of these joints"
        )
        return error, graph.columns[first : first + own[layout.BODIES_END] - own[layout.BODIES]].tolist()
    return None


def _worst(islands: Islands, island: int, owner: Callable[[int], object]) -> str:
    """The joints of an island that contradict each other, with their residuals, the largest first.

    A solve leaves in their rows what no impulses remove. It answers it by impulses that cancel each other, at which the joints that
    contradict each other meet, and only these.
    """
    graph, found = islands.graph, list[tuple[float, float, int, str]]()
    for link in range(graph.islands[island, layout.LINKS], graph.islands[island, layout.LINKS_END]):
        own = islands.rows[graph.links[link, layout.FIRST_ROW] : graph.links[link, layout.LAST_ROW]]
        gap, turn = _residuals(own)
        impulse = _unanswered(own, islands.measures[island, layout.SIZE])
        found.append((impulse, max(gap, turn), -int(graph.links[link, layout.JOINT]), miss_in_words(gap, turn)))
    least = _SHARE_OF_A_CONFLICT * max(impulse for impulse, *_others in found)
    disagree = sorted((each[1:] for each in found if each[0] >= least), reverse=True)
    return ", ".join(f"{owner(-row)!r} is off by {words}" for _size, row, words in disagree[:4])


_SHARE_OF_A_CONFLICT = 1e-3
"""Joints whose unanswered impulse is less than this share of the largest one have no part in a conflict."""


def _residuals(rows: FloatArray) -> tuple[float, float]:
    """The largest error of position [m] and of angle [rad] of the rows of a joint."""
    kind, residual, is_turn = rows[:, layout.KIND], rows[:, layout.RESIDUAL], rows[:, layout.IS_TURN] != 0.0
    past = residual - rows[:, layout.GOAL]  # for limits, the residual is the angle or distance
    errors = np.select(
        [kind == layout.EQUALITY, kind == layout.LOWER_LIMIT, kind == layout.UPPER_LIMIT],
        [np.abs(residual), np.maximum(-past, 0.0), np.maximum(past, 0.0)],
        0.0,
    )
    return float(errors[~is_turn].max(initial=0.0)), float(errors[is_turn].max(initial=0.0))


def _unanswered(rows: FloatArray, size: float) -> float:
    """The largest impulse [N s] that a solve would add to the rows of a joint again and again, since it removes nothing."""
    impulse, is_turn = rows[:, layout.IMPULSE], rows[:, layout.IS_TURN] != 0.0
    more = impulse - rows[:, layout.MISS] / rows[:, layout.SOFTNESS]
    is_free = rows[:, layout.KIND] == layout.EQUALITY
    within = np.clip(more, rows[:, layout.LEAST], rows[:, layout.MOST])
    change = np.where(is_free, more, within) - impulse
    found = float(np.abs(np.where(is_turn, change / size, change)).max(initial=0.0))
    return found if np.isfinite(found) else 0.0
