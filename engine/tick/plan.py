"""Choice of the loops that run the ticks of a world; they are kept until something changes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from ..compilation import background, choice
from ..compilation.compiler import COMPILED, has_address, without_dispatch
from ..forces.wrench import BodyStates, Wrench
from ..integrators.compiled_forces import NO_FORCES, CompiledForces
from ..integrators.integrator import Integrator, TakeStagedTick
from ..loops.layout import BAD, OVERFLOWED, STAGE_WRENCH, TICKS, WRENCH_ROWS
from ..loops.program import Program
from ..store.bodies import Bodies
from ..store.threads import TakeTicks
from .actuators import Actuators
from .beside import BesideMethod
from .fields import Fields
from .held import Held
from .joints import Joints
from .prepare import ask_for_standby
from .stage_views import StageViews, refuse_return

Apply = Callable[..., object]


class Plan:
    """Combines an integrator, bodies and forces.

    If no Python force is called during the ticks, one compiled call runs any number of ticks. If a Python force is called at each stage of
    the integrator, the tick runs in passes.

    Attributes:
        held: The wrench that is held over a tick.
        fields: The forces that compiled loops evaluate.
        actuators: Valves, gimbals, tanks and wheels.
        joints: The joints and their islands.
        views: The views that are passed to Python forces.
        tick_forces: The Python forces that are evaluated at the start of a tick, each with the function to call.
        stage_forces: The Python forces that are evaluated at each stage, each with the function to call.
        calls_forces: Whether there are any Python forces.
        kernel: The kernel that runs any number of ticks in one call, with its arguments, if one has been chosen.
        dt: Length of a tick [s].
    """

    def __init__(
        self, bodies: Bodies, held: Held, fields: Fields, actuators: Actuators, joints: Joints, dt: float, threads: int
    ) -> None:
        self._bodies = bodies
        self.held = held
        self.actuators = actuators
        self.joints = joints
        self.fields = fields
        self.views = StageViews(bodies)
        self.tick_forces: list[tuple[Any, Apply]] = []
        self.stage_forces: list[tuple[Any, Apply]] = []
        self.calls_forces = False
        self.dt = dt
        self._threads = threads
        self._version = 0
        self._key: tuple[int, ...] | None = None
        self._staged: TakeStagedTick | None = None
        self._run: TakeTicks | None = None
        self._run_bound: TakeTicks = _run_nothing
        self._program: Program | None = None
        self.kernel: partial[int] | None = None
        self._start = 0.0
        self._given: dict[int, tuple[Wrench, BodyStates]] = {}
        """The views that are passed to forces at each stage, for the current arrays."""

    def use(self, integrator: Integrator, gyroscopic: bool) -> None:
        """Use this integrator for the next ticks."""
        self.integrator, self._gyroscopic = integrator, gyroscopic
        self._has_standby = False
        self._version += 1

    def choose_again(self) -> None:
        """Choose other loops for the next tick, because the world waits for kernels from now on, or no longer does."""
        self._version += 1

    def call_forces(self, tick_forces: list[tuple[Any, Apply]], stage_forces: list[tuple[Any, Apply]]) -> None:
        """Replace the lists of Python forces to call."""
        self.tick_forces, self.stage_forces = tick_forces, stage_forces
        self.calls_forces = bool(tick_forces or stage_forces)
        self.held.called = None
        self._version += 1

    @property
    def depends_on_rates(self) -> bool:
        """Whether a force at the stages depends on velocity or angular velocity; a Python force that does not declare it counts as such."""
        return self.fields.depends_on_rates or any(
            getattr(force, "depends_on_rates", True) for force, _apply in self.stage_forces
        )

    @property
    def needs_passes(self) -> bool:
        """Whether forces act that need the states of several bodies at each stage, and so the loop in passes."""
        return bool(self.stage_forces) or self.fields.compiled().in_passes

    @property
    def opens_actuators(self) -> bool:
        """Whether actuators are driven before the forces are called, and not in the same compiled call as the rest of the tick."""
        return self.calls_forces and self.actuators.any and not self.integrator._divides_ticks

    def gather(self) -> None:
        """Update the held wrench for the tick that starts now."""
        held = self.held
        held.called = None
        held.gather()
        if self.tick_forces:
            apply_all = [apply for _force, apply in self.tick_forces]
            held.call(apply_all, self._time, self.views, keeps=self._gathers_in_steps)

    @property
    def _gathers_in_steps(self) -> bool:
        """Whether each step of a tick drives the actuators and gathers the held wrench again."""
        return self.actuators.any and self.integrator._divides_ticks

    @property
    def _time(self) -> float:
        return self._bodies.tick_count * self.dt

    def choose(self) -> TakeTicks | None:
        """Return the function that runs any number of ticks in one call; None if a force is called at the stages."""
        bodies, forces = self._bodies, self.fields.compiled()
        key = self._key_now()
        if self._key == key:
            return self._run
        bodies.look_for_stored_momentum()
        key = self._key_now()
        integrator = self.integrator
        self._run = self._staged = self._key = self.kernel = self._program = None
        self._given.clear()
        adds_in_steps = bool(self.tick_forces) and self._gathers_in_steps
        if self.stage_forces or adds_in_steps or (self.fields.any and not integrator._takes_compiled_forces):
            if self.joints.any:
                self.joints.warn_of_common_step()
            self._staged = self.staged_tick(forces)
        else:
            beside = self._beside(forces)
            method = bodies, bodies.control, self.dt, self._gyroscopic, forces, self._threads
            if beside.acts or integrator._divides_ticks:
                self._program = Program(integrator._operations(*method, beside), bodies.control)
                self._run = self._program.run
            else:
                self._run = integrator._held_ticks(*method)
            if not COMPILED:
                self._run = partial(self._take_in_python, self._run)
            elif isinstance(self._run, partial) and has_address(self._run.func):
                self.kernel = self._run
                self._run = partial(without_dispatch(self._run.func, *self._run.args, 1), *self._run.args)
            if self.joints.contacts.any:
                self._run_bound, self._run = self._run, self._run_in_room
        if not self._has_standby and not choice.policy.waits:
            ask_for_standby(integrator, self._gyroscopic)
            self._has_standby = True
        self._key = self._key_now()
        return self._run

    def _beside(self, forces: CompiledForces) -> BesideMethod:
        """What acts beside the method in the next ticks."""
        # in a tick that calls forces, the actuators are driven before these are called, unless the method divides it
        drives = self.actuators.any and (self.integrator._divides_ticks or not self.calls_forces)
        return BesideMethod(self._bodies, self.actuators if drives else None, self.joints, self._gyroscopic, forces)

    def _key_now(self) -> tuple[int, ...]:
        versions = self._bodies.layout_version, self.fields.layout_version, self._version, background.arrivals()
        return versions + self.actuators.key + self.joints.key

    def _run_in_room(self, ticks: int) -> int:
        """Run ticks with contacts; where an array is too short for those of a tick, make room and go on."""
        contacts, done = self.joints.contacts, 0
        while True:
            taken = self._run_bound(ticks - done)
            if not contacts.is_short:
                return taken if taken <= 0 and not done else done + max(taken, 0)
            done += max(taken, 0)
            contacts.grow()
            _ = self.choose()

    def make_room(self) -> bool:
        """Whether the last tick was not run because an array was too short for its contacts; the next one has longer arrays."""
        contacts = self.joints.contacts
        if not contacts.is_short:
            return False
        contacts.grow()
        return True

    @property
    def is_final(self) -> bool:
        """Whether no better loop is being compiled in the background."""
        return background.pending() == 0

    def staged_tick(self, forces: CompiledForces = NO_FORCES) -> TakeStagedTick:
        """Return the function that runs one tick with these forces and calls back for others at each stage."""
        bodies, acting = self._bodies, (self._gyroscopic, forces, self.depends_on_rates)
        beside = self._beside(forces)
        return beside.staged(self.integrator, bodies, bodies.control, self.dt, *acting)

    def move(self, ticks: int) -> int:
        """Run up to this many ticks and return how many ended finite; a tick that did not is undone."""
        run = self.choose()
        if run is not None:
            ticks = ticks if self.integrator._fuses_ticks else 1
            taken = run(ticks)
            if taken != ticks:
                self.held.spoil_all()  # a tick with actuators may have gathered it
            return taken
        assert self._staged is not None
        self._start = self._time
        return int(self._staged(self._evaluate)) if COMPILED else self._take_staged_in_python(self._staged)

    def _take_staged_in_python(self, take: TakeStagedTick) -> int:
        """Run a tick whose forces are called at its stages in plain Python, as `_take_in_python` does; what a force raises is passed on."""
        raised: list[BaseException] = []

        def evaluate(stage: int, offset: float) -> None:
            try:
                self._evaluate(stage, offset)
            except _OVERFLOWS as error:
                raised.append(error)
                raise

        try:
            return int(take(evaluate))
        except _OVERFLOWS:
            if raised:
                raise
            self.recover()
            self._bodies.control[BAD] = OVERFLOWED
            return 0

    def _take_in_python(self, run: TakeTicks, ticks: int) -> int:
        """Run ticks in plain Python, where one that divides by zero or overflows is one that does not end finite."""
        control = self._bodies.control
        start = int(control[TICKS])
        with suppress(*_OVERFLOWS):
            return run(ticks)
        self.recover()
        while (done := int(control[TICKS]) - start) < ticks:
            try:
                taken = run(1)
            except _OVERFLOWS:
                self.recover()
                taken, control[BAD] = 0, OVERFLOWED
            if taken != 1:
                return done or taken
        return ticks

    def recover(self) -> None:
        """End or undo a tick that was interrupted, depending on whether it was counted."""
        if self._program is not None:
            self._program.recover()
        self._bodies.end_interrupted()
        self.actuators.recover(self.dt, self._bodies.control)
        self.joints.recover(self._bodies.control)

    def _evaluate(self, stage: int, offset: float) -> None:
        """Add the Python forces at a stage, `offset` [s] after the start of the tick, to the wrench of that stage."""
        time, given = self._start + offset, self._given.get(stage)
        if given is None:
            given = self._given[stage] = self.views.at(STAGE_WRENCH + WRENCH_ROWS * stage)
        wrench, states = given
        for _force, apply in self.stage_forces:
            if apply(wrench, states, time) is not None:
                refuse_return(apply)


def _run_nothing(ticks: int) -> int:
    return 0


_OVERFLOWS = ZeroDivisionError, OverflowError
"""What plain Python raises where compiled code goes on with infinity."""
