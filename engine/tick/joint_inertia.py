"""The inertia about a degree of freedom of a joint, with all that other joints connect to its two bodies."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from ..checks import FloatArray
from ..constraints import layout
from ..joints.joint import End, Joint, pose_of
from ..joints.mobility import Direction, Matrix, Side, last_with_others_held, mobility
from ..kernels.vectors import Vector, add, subtract
from ..loops.layout import INERTIA, MASS, ORIENTATION, POSITION
from ..rotation import to_matrix
from ..store.rows import BodyHandle
from .joint_impulses import Impulses, MovingWorld
from .joints import Joints

_WORLD = -1
_HOLDS = np.array([count > 0 for count in layout.EQUALITY_ROWS])


def inertia_about(
    joints: Joints,
    world: MovingWorld,
    joint: Joint,
    point: Vector,
    held: Sequence[Direction],
    others: Sequence[Direction],
    free: Direction,
) -> float:
    """The inertia [kg·m² or kg] about a degree of freedom of a joint at the current poses; infinite if a loop keeps it from moving.

    Each side of the joint is one rigid body, because all other joints are locked. If both sides are connected without this joint, that
    would lock it too. Its inertia is then that of the island, in which every joint may move as it can.

    Args:
        joints: The joints of the world.
        world: The world.
        joint: The joint, which may be in the world or not.
        point: Its common point, from the first body's mass centre, world frame.
        held: The directions of its constrained rows.
        others: The directions of its other degrees of freedom, which are locked too unless it is part of a loop.
        free: The direction of the degree of freedom.
    """
    alone = [_alone(body, point, joint.body) for body in (joint.body, joint.other) if body is not None]
    sides, is_loop = _sides(joints, world._bodies.array, joint, point, alone)
    rows = [*held, free] if is_loop else [*held, *others, free]
    scales = [own[place] for place, own in enumerate(mobility(alone, rows))]
    matrix = _in_loop(joints, world, joint, point, rows) if is_loop else mobility(sides, rows)
    yields = last_with_others_held(matrix, scales)
    return 1.0 / yields if yields > 0.0 else inf


def _sides(
    joints: Joints, bodies: FloatArray, joint: Joint, point: Vector, alone: Sequence[Side]
) -> tuple[list[Side], bool]:
    """The rigid bodies on both sides of a joint without those that the world holds, and whether the joint is part of a loop."""
    first = _connected(joints, joint, joint.body.index)
    sides = [] if _WORLD in first else [_whole(bodies, first, joint, point, alone[0])]
    if joint.other is None:
        return sides, _WORLD in first
    if joint.other.index in first:
        return sides, True
    second = _connected(joints, joint, joint.other.index)
    if _WORLD not in second:
        sides.append(_whole(bodies, second, joint, point, alone[1]))
    return sides, _WORLD in first and _WORLD in second


def _connected(joints: Joints, joint: Joint, start: int) -> dict[int, None]:
    """The rows of the bodies that other joints connect to one, and the world if they do; not those beyond the world."""
    array = joints.table[:, : joints.count]
    acts = (array[layout.ENABLED] != 0.0) & _HOLDS[array[layout.TYPE].astype(int)]
    if joint._table.store is not None:
        acts[joint.rows.start] = False
    one, two = array[[layout.BODY, layout.OTHER]][:, acts].astype(int)
    found = dict.fromkeys([start])
    waiting = [start]
    for body in waiting:
        for place in (*two[one == body].tolist(), *one[two == body].tolist()):
            if place not in found:
                found[place] = None
                if place != _WORLD:
                    waiting.append(place)
    return found


def _alone(body: BodyHandle, point: Vector, first: BodyHandle) -> Side:
    """One body as a side of a joint, whose common point is given from the mass centre of the first body."""
    position, q, _center = pose_of(body)
    arm = point if body is first else subtract(add(pose_of(first)[0], point), position)
    return Side(arm, q, float(body.inverse_mass), np.asarray(body.inverse_inertia_body).tolist())


def _whole(bodies: FloatArray, places: dict[int, None], joint: Joint, point: Vector, alone: Side) -> Side:
    """Bodies that move as one as a side of a joint."""
    if len(places) == 1:
        return alone
    columns: FloatArray = bodies[:, list(places)]
    masses = columns[MASS]
    centers = columns[POSITION : POSITION + 3] - np.array(pose_of(joint.body)[0])[:, np.newaxis]
    middle = (masses * centers).sum(axis=1) / masses.sum()
    inertia = np.zeros((3, 3))
    turns = to_matrix(columns[ORIENTATION : ORIENTATION + 4].T)
    for mass, away, turn, own in zip(
        masses.tolist(), (centers - middle[:, np.newaxis]).T, turns, columns[INERTIA : INERTIA + 6].T, strict=True
    ):
        xx, yy, zz, xy, xz, yz = own
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        inertia += turn @ tensor @ turn.T + mass * (away @ away * np.eye(3) - np.outer(away, away))
    x, y, z = middle.tolist()
    return Side(
        subtract(point, (x, y, z)), (0.0, 0.0, 0.0, 1.0), 1.0 / float(masses.sum()), np.linalg.inv(inertia).tolist()
    )


def _in_loop(joints: Joints, world: MovingWorld, joint: Joint, point: Vector, rows: Sequence[Direction]) -> Matrix:
    """Rates of rows of a joint for unit impulses of them, while the other joints of the island hold."""
    ends: list[End] = [(joint.body, point)]
    if joint.other is not None:
        ends.append((joint.other, _alone(joint.other, point, joint.body).arm))
    own_row = joint.rows.start if joint._table.store is not None else None
    return Impulses(joints, world).mobility(ends, rows, own_row)
