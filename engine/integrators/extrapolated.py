"""Forces that are known once a tick, extrapolated to the stages of a method."""

from weakref import WeakSet

from ..checks import refuse
from ..columns import Columns
from ..kernels import extrapolation
from ..kernels.layout import STAGE_WRENCH, WRENCH_ROWS
from .integrator import EvaluateForces, Integrator


class Extrapolated(Integrator):
    """Another method, given the quadratic through the last three ticks' held wrenches in place of the held wrench.

    For forces that are known once a tick (`evaluate = "tick"`, thrusters, pushes applied in a callback) and change smoothly from tick to
    tick. Held, they leave any method at order 1; extrapolated, at order 3 once three ticks are known. The first tick after a start or a
    reset has nothing but its own value, and the one after it two: that costs an error of dt² once, which is why `order` is 2 at
    most. Forces that are evaluated at the stages are added on top, and the evaluations are those of the method inside.

    What is constant stays so to the last bit. World parts are extrapolated in world axes and body parts in body axes, each component by
    itself. A sudden change (a thruster that is switched on, a push for one tick alone) overshoots: 1.9 of the change in the mean of
    that tick, 0.6 in the next, half a tick's worth too much in all.

    The history of a body is forgotten when its pose, velocity, rates or mass properties are set or an impulse acts on it; that of all
    bodies when whole arrays of the state are assigned, when the world is given another method, and by `reset()`. It is kept with the
    bodies: a failed tick leaves it as it was, and it is part of the state hash.

    Choose it for controllers that run once a tick. Not for contacts or switching thrusters, and not around a method with one evaluation,
    which looks at the start of the tick only.

    Source: Mandre (2008), 7.3. Corrections: the polynomial is quadratic, and x = (t − t₀)/dt with t₀ the start of the tick (M9).

    Args:
        integrator: The method; `Substepped` may stand inside, never outside: the history is one of whole ticks.
    """

    def __init__(self, integrator: Integrator) -> None:
        if not isinstance(integrator, Integrator):
            refuse("Extrapolated", "integrator", integrator, "a method from engine.integrators", TypeError)
        if isinstance(integrator, Extrapolated):
            refuse("Extrapolated", "integrator", integrator, "one that does not extrapolate already")
        self.integrator = integrator
        self._flown: WeakSet[Columns] = WeakSet()
        self.fuses_ticks = integrator.fuses_ticks

    def __repr__(self) -> str:
        return f"Extrapolated({self.integrator!r})"

    @property
    def name(self) -> str:
        return f"extrapolated {self.integrator.name}"

    @property
    def order(self) -> int:
        return min(self.integrator.order, 2)

    @property
    def evaluations_per_tick(self) -> int:
        return self.integrator.evaluations_per_tick

    def check_game_mode(self, game_mode: bool) -> None:
        self.integrator.check_game_mode(game_mode)

    def reset(self) -> None:
        """Forget the wrenches of the ticks before, of every body in the worlds that this method flies: something has jumped."""
        for columns in self._flown:
            columns.forget_history()

    def take_held_ticks(self, columns: Columns, dt: float, ticks: int, gyroscopic: bool) -> int:
        # with the wrench held, the third tick is the first whose history is all of one value, and extrapolates to that value
        for tick in range(min(ticks, 2)):
            if not self.take_staged_tick(columns, dt, gyroscopic, lambda stage, offset: None, False):
                return tick
        rest = max(ticks - 2, 0)
        return ticks - rest + (self.integrator.take_held_ticks(columns, dt, rest, gyroscopic) if rest else 0)

    def take_staged_tick(
        self, columns: Columns, dt: float, gyroscopic: bool, evaluate: EvaluateForces, depends_on_rates: bool
    ) -> bool:
        self._flown.add(columns)
        history = columns.history_array()
        extrapolate = extrapolation.extrapolate(columns.pitch)

        def extrapolate_and_evaluate(stage: int, offset: float) -> None:
            assert columns.stages is not None
            row = STAGE_WRENCH + WRENCH_ROWS * stage
            extrapolate(columns.array, history, columns.stages, row, columns.padded_count, offset / dt)
            evaluate(stage, offset)

        finite = self.integrator.take_staged_tick(columns, dt, gyroscopic, extrapolate_and_evaluate, depends_on_rates)
        if finite:
            extrapolation.remember(columns.pitch)(columns.array, history, columns.padded_count)
        return finite
