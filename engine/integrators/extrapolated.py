"""Forces that are known once a tick, extrapolated to the stages of a method."""

from weakref import WeakSet

from ..checks import refuse
from ..kernels import extrapolation
from ..kernels.layout import STAGE_WRENCH, TICKS, WRENCH_ROWS
from ..kernels.loops import accepted
from ..store.bodies import Bodies
from ..threads import TakeTicks
from .integrator import NO_FORCES, CompiledForces, EvaluateForces, Integrator, TakeStagedTick


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

    The torque of motors is not extrapolated but held, so that stored momentum grows by just what the motors were told.

    Choose it for controllers that run once a tick. Not for contacts or switching thrusters, and not around a method with one evaluation,
    which looks at the start of the tick only.

    Source: Mandre (2008), 7.3. Corrections: the polynomial is quadratic, and x = (t − t₀)/dt with t₀ the start of the tick (M9).

    Args:
        integrator: The method; `Substepped` may stand inside, never outside: the history is one of whole ticks.
    """

    takes_compiled_forces = False

    def __init__(self, integrator: Integrator) -> None:
        if not isinstance(integrator, Integrator):
            refuse("Extrapolated", "integrator", integrator, "a method from engine.integrators", TypeError)
        if isinstance(integrator, Extrapolated):
            refuse("Extrapolated", "integrator", integrator, "one that does not extrapolate already")
        self.integrator = integrator
        self._flown: WeakSet[Bodies] = WeakSet()
        self.fuses_ticks = integrator.fuses_ticks

    def __repr__(self) -> str:
        return f"Extrapolated({self.integrator!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return Extrapolated, (self.integrator,)  # the bodies that it has flown are those of other worlds

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

    def follow(self, bodies: Bodies) -> None:
        """Count these bodies among those that it flies: a copied world has a history before its first tick."""
        self._flown.add(bodies)

    def reset(self) -> None:
        """Forget the wrenches of the ticks before, of every body in the worlds that this method flies: something has jumped."""
        for bodies in self._flown:
            bodies.before_change()
            bodies.forget_history()

    def held_ticks(
        self, bodies: Bodies, dt: float, gyroscopic: bool, forces: CompiledForces = NO_FORCES, threads: int = 1
    ) -> TakeTicks:
        take_staged = self.staged_tick(bodies, dt, gyroscopic, False)
        take_held = self.integrator.held_ticks(bodies, dt, gyroscopic, NO_FORCES, threads)

        def take(ticks: int) -> int:
            # with the wrench held, the third tick is the first whose history is all of one value, and extrapolates to that value
            for tick in range(min(ticks, 2)):
                if not take_staged(lambda stage, offset: None):
                    return tick
            rest = max(ticks - 2, 0)
            return ticks - rest + (accepted(take_held(rest)) if rest else 0)

        return take

    def staged_tick(self, bodies: Bodies, dt: float, gyroscopic: bool, depends_on_rates: bool) -> TakeStagedTick:
        take_inside = self.integrator.staged_tick(bodies, dt, gyroscopic, depends_on_rates)
        extrapolate, remember = extrapolation.extrapolate(bodies.pitch), extrapolation.remember(bodies.pitch)

        def take(evaluate: EvaluateForces) -> bool:
            self._flown.add(bodies)
            array, control, history = bodies.array, bodies.control, bodies.history_array()
            tick = control[TICKS]

            def extrapolate_and_evaluate(stage: int, offset: float) -> None:
                row = STAGE_WRENCH + WRENCH_ROWS * stage
                accepted(extrapolate(array, control, history, bodies.stage_array(1), row, offset / dt))
                evaluate(stage, offset)

            try:
                return take_inside(extrapolate_and_evaluate)
            finally:  # an exception may come when the tick is over and counted: what it held then belongs to the history
                if control[TICKS] != tick:
                    accepted(remember(array, control, history))

        return take
