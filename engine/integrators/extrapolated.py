"""Extrapolation of forces that are known once per tick to the stages of a method."""

from typing import cast
from weakref import WeakSet

import numpy as np

from ..checks import FloatArray, explaining_errors, refuse
from ..compilation.choice import Loop, Role, named, ready
from ..compilation.packed import Packed, example
from ..loops import extrapolation
from ..loops.columns import Integers
from ..loops.extrapolation import Extrapolating, HeldConstant, Remembered
from ..loops.layout import STAGE_WRENCH, WRENCH_ROWS
from ..loops.program import AtStages, Moved, Operation, move
from ..store.bodies import Bodies
from .compiled_forces import NO_FORCES, Columns, CompiledForces, in_passes
from .integrator import ALONE, Beside, Integrator, Step
from .named import method_of


@explaining_errors()
class Extrapolated(Integrator):
    """Wrapper around a method that replaces the held wrench by the quadratic through the held wrenches of the last three ticks.

    It is meant for forces that are known once per tick (`evaluate = "tick"`, thrusters, forces applied in a callback) and change smoothly
    from tick to tick. Held constant, such forces limit any method to order 1. Extrapolated, they allow order 3 once three ticks are known.
    The first tick after a start or a reset knows only its own value, and the next tick two values. This costs one error of ``dt²``, which
    is why `order` is at most 2. Forces that are evaluated at the stages are added, and the evaluations are those of the inner method.

    A constant wrench stays constant to the last bit. World components are extrapolated in the world frame and body components in the body
    frame, each by itself. A sudden change (a thruster that is switched on, a force applied for one tick) is distorted: its mean is 1.9
    times the change over that tick and 0.6 times the change over the next, which adds half a tick's worth in total.

    The history of a body is discarded when its pose, velocity, rates or mass properties are set, or when an impulse acts on it. The history
    of all bodies is discarded when whole state arrays are assigned, when the world gets another method, and by `reset()`. The history is
    stored with the bodies: a failed tick does not change it, and it is part of the state hash.

    The torque of motors is held and not extrapolated, so that the stored momentum grows by exactly what the motors were commanded.

    Choose it for controllers that run once per tick. Do not choose it for contacts or switching thrusters, or around a method with one
    evaluation, which only uses the start of the tick.

    Source: Mandre (2008), 7.3. Corrections: the polynomial is quadratic, and ``x = (t − t₀)/dt`` with t₀ the start of the tick.

    Args:
        integrator: The inner method, or its name. It may be `Substepped`, but a `Substepped` method must not contain this one, because the
            history consists of whole ticks.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If no method has this name, or the inner method already extrapolates.

    Example:
        >>> from engine import World
        >>> World(dt=0.01, integrator=Extrapolated("rk4")).integrator.name
        'extrapolated rk4'
    """

    _takes_actuators = False

    def __init__(self, integrator: Integrator | str) -> None:
        integrator = method_of(integrator, "Extrapolated", "integrator")
        if isinstance(integrator, Extrapolated):
            refuse("Extrapolated", "integrator", integrator, "a method that does not extrapolate already")
        self.integrator = integrator
        self._flown: WeakSet[Bodies] = WeakSet()
        self._fuses_ticks = integrator._fuses_ticks
        self._steps_per_tick = integrator._steps_per_tick

    def __repr__(self) -> str:
        return f"Extrapolated({self.integrator!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return Extrapolated, (self.integrator,)  # the bodies that it has moved belong to other worlds

    @property
    def name(self) -> str:
        return f"extrapolated {self.integrator.name}"

    @property
    def order(self) -> int:
        return min(self.integrator.order, 2)

    @property
    def evaluations_per_tick(self) -> int:
        return self.integrator.evaluations_per_tick

    def _check_game_mode(self, game_mode: bool) -> None:
        self.integrator._check_game_mode(game_mode)

    def reset(self) -> None:
        """Discard the wrench history of every body in the worlds that use this method; call it after a discontinuity.

        If this is called in a callback whose tick fails, it is undone in all of them.

        Example:
            >>> from engine import World
            >>> world = World(dt=0.01, integrator=Extrapolated("rk4"))
            >>> world.step(3)
            >>> world.integrator.reset()
        """
        worlds = list(self._flown)
        for bodies in worlds:
            bodies.before_change()
        failing = [bodies for bodies in worlds if bodies.store is not None and bodies.store.log is not None]
        for bodies in worlds:
            if bodies not in failing and bodies.history is not None:
                kept = bodies.history.copy()
                for other in failing:
                    assert other.store is not None
                    other.store.record(_put_back, bodies, bodies.tick_count, kept)
            bodies.forget_history()

    def _operations(self, step: Step, beside: Beside = ALONE) -> list[Operation]:
        bodies, control, dt, forces, acting = step.bodies, step.control, step.dt, step.forces, step.at_stages
        self._flown.add(bodies)
        array, history = bodies.array, bodies.history_array()
        extrapolate, remember = _own_loops(bodies)
        function, tables = in_passes([extrapolate], bodies, forces)

        def at_stage(block: int, offset: float, steps: Integers, length: float) -> list[Operation]:
            clocks = offset, dt, length, round(dt / length)
            packed = Packed(Extrapolating(array, control, steps, history, bodies.stage_array(1), tables, clocks))
            others = acting.operations(block, offset, steps, length) if acting is not None else []
            return [Operation(function, packed, STAGE_WRENCH + WRENCH_ROWS * block), *others]

        depends_on_rates = forces.depends_on_rates if acting is None else acting.depends_on_rates
        within = step._replace(forces=NO_FORCES, at_stages=AtStages(at_stage, depends_on_rates))
        inside = self.integrator._operations(within)
        if acting is None:
            held = self.integrator._operations(step)
            if len(held) == 1 and held[0].function is move:
                moved = cast(Packed[Moved], held[0].arguments)
                given = HeldConstant(moved, array, control, history, np.zeros(1, np.int64))
                inside.insert(0, Operation(extrapolation.hold_constant, Packed(given), len(inside), held[0].undo))
        stored = Operation(ready(remember, bodies.may_run_in_python), Packed(Remembered(array, control, history)))
        return [*inside, stored]

    def _kernels(self, bodies: Columns, dt: float, gyroscopic: bool, forces: CompiledForces) -> list[Loop]:
        inside = self.integrator._kernels(bodies, dt, gyroscopic, forces)
        array, integers = np.zeros((1, 1)), np.zeros(1, np.int64)
        types = {loop.types: loop.arguments[:-1] for loop in inside if loop.role is not Role.PART}
        rest = array, integers, array, integers
        given = [Packed(HeldConstant(Packed(Moved(integers, each)), *rest)) for each in types.values()]
        holding = [named(extrapolation.hold_constant, each, 0, 0) for each in given]
        return [*_own_loops(bodies), *holding, *inside]


def _put_back(bodies: Bodies, tick: int, history: FloatArray) -> None:
    """Undo a reset in another world, unless it has gone on since."""
    if bodies.tick_count == tick and bodies.history is not None and bodies.history.shape == history.shape:
        bodies.remember_history(history)


def _own_loops(bodies: Columns) -> tuple[Loop, Loop]:
    return (
        Loop(extrapolation.extrapolate, (bodies.pitch,), (example(Packed[Extrapolating]), 0, 0)),
        Loop(extrapolation.remember, (bodies.pitch,), (example(Packed[Remembered]), 0, 0)),
    )


def follow(method: Extrapolated, bodies: Bodies) -> None:
    """Count bodies among those that a method moves, because a copied world has a history before its first tick."""
    method._flown.add(bodies)
