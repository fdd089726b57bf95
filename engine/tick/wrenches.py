"""The wrench on a body between ticks, for queries by the user."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..checks import FloatArray, read_only
from ..loops.arrays import rotated, rotated_inverse
from ..loops.layout import FORCE_BODY, FORCE_WORLD, STAGE_WRENCH, STATE_ROWS, TORQUE_BODY, TORQUE_WORLD, WRENCH_ROWS
from ..store.bodies import Bodies
from .culprit import apply_of
from .plan import Plan


def wrench_on(
    row: int, plan: Plan, bodies: Bodies, forces: Iterable[object], with_pushes: bool, time: float
) -> tuple[FloatArray, FloatArray]:
    """Return the net force [N] (world frame) and the net torque about the mass centre [N·m] (body frame) on the body in a row.

    Args:
        row: The row of the body.
        plan: The plan of the world.
        bodies: The bodies.
        forces: The forces to include.
        with_pushes: Whether to include the pushes for the next tick.
        time: Time [s] at which the forces are evaluated.
    """
    count, stages = bodies.count, bodies.stage_array(1)
    block = slice(STAGE_WRENCH, STAGE_WRENCH + WRENCH_ROWS)
    stages[:STATE_ROWS, :count] = bodies.array[:STATE_ROWS, :count]
    stages[block, :count] = 0.0
    for force in forces:
        held = getattr(force, "evaluate", "stage") == "tick"
        wrench, states = plan.views.at(STAGE_WRENCH, held)
        apply_of(force)(wrench, states, time)
    total = stages[block, row].copy()
    if with_pushes and plan.held.is_pushed:
        pushes = plan.held.pushes
        for place in np.flatnonzero(pushes.read("body") == row):
            total += pushes.array[1:, place]
    orientation = bodies.read("orientation", row)
    force_world, torque_world = total[FORCE_WORLD : FORCE_WORLD + 3], total[TORQUE_WORLD : TORQUE_WORLD + 3]
    force_body, torque_body = total[FORCE_BODY : FORCE_BODY + 3], total[TORQUE_BODY : TORQUE_BODY + 3]
    return (
        read_only(force_world + rotated(orientation, force_body)),
        read_only(torque_body + rotated_inverse(orientation, torque_world)),
    )
