"""Search for the force that made a tick fail, which runs the tick again and checks the wrench after each force."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..checks import FloatArray
from ..loops.columns import Integers
from ..loops.layout import STAGE_WRENCH, STATE_ROWS, TICKS, WRENCH_ROWS
from ..store.bodies import Bodies
from .plan import Apply, Plan


def find_culprit(plan: Plan, bodies: Bodies, forces: Iterable[object], time: float) -> tuple[object, int] | None:
    """Return the first force whose wrench is not finite in the tick from `time` [s], and the row of the body; None if there is none.

    Bodies and clock are not changed. The caller restores the state of the forces.
    """
    count = bodies.count
    saved, control = bodies.array[:, :count].copy(), bodies.control.copy()
    history = None if bodies.history is None else bodies.history.copy()
    chosen = list(forces)
    plan.held.spoil_all()
    try:
        with np.errstate(all="ignore"):  # overflows are expected here
            _look_at_held(plan, bodies, chosen, time)
            if any(_evaluate(force) == "stage" for force in chosen):
                _look_at_stages(plan, bodies, chosen)
    except _CulpritFound as found:
        return found.force, found.index
    except Exception:  # a force that raises in this second run has returned no wrench that could be checked
        return None
    finally:
        bodies.array[:, :count] = saved
        bodies.look_for_stored_momentum()
        bodies.control[:] = control
        if history is not None and bodies.history is not None:
            bodies.history[:] = history
    return None


def _look_at_held(plan: Plan, bodies: Bodies, forces: list[object], time: float) -> None:
    count, stages = bodies.count, bodies.stage_array(1)
    block = slice(STAGE_WRENCH, STAGE_WRENCH + WRENCH_ROWS)
    stages[:STATE_ROWS, :count] = bodies.array[:STATE_ROWS, :count]
    stages[block, :count] = 0.0
    wrench, states = plan.views.at(STAGE_WRENCH, held=True)
    motor = plan.views.motor_torque_body
    motor[:] = 0.0
    for force in forces:
        if _evaluate(force) == "tick":
            apply_of(force)(wrench, states, time)
            _refuse_not_finite(force, stages[block, :count])
            _refuse_not_finite(force, motor.T)
    plan.held.gather()
    plan.held.take_from_stage(plan.views)


def _look_at_stages(plan: Plan, bodies: Bodies, forces: list[object]) -> None:
    def calling(stage: int, offset: float, control: Integers, dt: float) -> Callable[..., int]:
        row = STAGE_WRENCH + WRENCH_ROWS * stage
        wrench, states = plan.views.at(row)

        def called(*_operation: object) -> int:
            for force in forces:
                if _evaluate(force) == "stage":
                    apply_of(force)(wrench, states, control.item(TICKS) * dt + offset)
                    assert bodies.stages is not None
                    _refuse_not_finite(force, bodies.stages[row : row + WRENCH_ROWS, : bodies.count])
            return 1

        return called

    plan.try_calling(calling)


def apply_of(force: object) -> Apply:
    """Return the function that adds a force to a wrench."""
    own: Apply | None = getattr(force, "apply", None)
    if own is not None:
        return own
    assert callable(force)
    return force


def _evaluate(force: object) -> str:
    return str(getattr(force, "evaluate", "stage"))


def _refuse_not_finite(force: object, wrench: FloatArray) -> None:
    finite = np.isfinite(wrench).all(axis=0)
    if not finite.all():
        raise _CulpritFound(force, int(np.argmin(finite)))


class _CulpritFound(Exception):
    def __init__(self, force: object, index: int) -> None:
        self.force = force
        self.index = index
