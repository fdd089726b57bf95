"""How far joints are from holding at given poses, by the residuals of the rows that the solver uses."""

import numpy as np

from ..compilation.choice import MOST_ON_JOINTS_IN_PYTHON, ready
from ..compilation.packed import Packed, declared, example
from ..loops.columns import Array
from ..loops.layout import POSITION
from . import layout
from .arguments import Tables
from .rows import joint_rows, row_counts

FARTHEST_POINT = 1e-6
"""How far the points of a joint may lie apart [m], and its axes [rad], when it is made, added or enabled."""
_SPACINGS = 16.0 * 2.3e-16
"""Tolerance for points far from the world's origin or from their bodies, as a share of the largest coordinate."""


def misfits(bodies: Array, joints: Array) -> tuple[Array, Array, Array]:
    """How far joints are from holding.

    Args:
        bodies: The bodies of the world, one column each (see `loops.layout`).
        joints: Columns of the table of joints; their coordinates are set to those of these poses.

    Returns:
        For each joint its largest error of position [m] and of angle [rad], and the error of position that rounding explains or that is
        near enough [m]; each of shape (n,).
    """
    count = joints.shape[1]
    links = np.zeros((count, layout.LINK_SIZE), np.int64)
    counts = [row_counts(column) for column in joints.T.tolist()]
    ends = np.cumsum([held + sum(freedoms) + soft for held, freedoms, soft in counts])
    links[:, layout.JOINT] = np.arange(count)
    own, others, has_other = (
        joints[layout.BODY].astype(int),
        joints[layout.OTHER].astype(int),
        joints[layout.OTHER] >= 0,
    )
    # the bodies of each joint, relative to its first body, because differences of far coordinates are exact and their products are not
    places = np.stack([own, np.where(has_other, others, own)], axis=1).ravel()
    near = np.ascontiguousarray(bodies[:, places])  # of the type for which a tick needs the kernel as well
    bases, at_other = bodies[POSITION : POSITION + 3, own], slice(layout.AT_OTHER, layout.AT_OTHER + 3)
    near[POSITION : POSITION + 3] -= np.repeat(bases, 2, axis=1)
    points = [joints[layout.AT_BODY : layout.AT_BODY + 3].copy(), joints[at_other].copy()]
    joints[at_other] -= np.where(has_other, 0.0, bases)
    links[:, layout.FIRST_PLACE] = 2 * np.arange(count)
    links[:, layout.SECOND_PLACE] = np.where(has_other, 2 * np.arange(count) + 1, -1)
    links[1:, layout.FIRST_ROW], links[:, layout.LAST_ROW] = ends[:-1], ends
    rows = np.zeros((int(ends[-1]), layout.ROW_SIZE))
    levers, measures = np.zeros((count, layout.POINT_SIZE)), np.zeros((1, layout.MEASURES))
    given = {"own": near, "work": near, "joints": joints, "links": links, "points": levers}
    tables = example(Tables)._replace(**given, rows=rows, measures=measures)
    run = ready(declared(joint_rows), count <= MOST_ON_JOINTS_IN_PYTHON)
    run(Packed(tables), 0, 0, count, layout.START, 1)
    owners = np.repeat(np.arange(count), np.diff(ends, prepend=0))
    is_turn, is_held = rows[:, layout.IS_TURN] != 0.0, rows[:, layout.KIND] == layout.EQUALITY
    gaps, turns = np.zeros(count), np.zeros(count)
    for errors, chosen in ((gaps, is_held & ~is_turn), (turns, is_held & is_turn)):
        np.maximum.at(errors, owners[chosen], np.abs(rows[chosen, layout.RESIDUAL]))
    joints[at_other] = points[1]
    ends_at = [bases, bodies[POSITION : POSITION + 3, np.where(has_other, others, own)]]
    sizes = np.abs(np.concatenate([*ends_at, *points])).max(axis=0)
    return gaps, turns, np.maximum(FARTHEST_POINT, _SPACINGS * sizes)
