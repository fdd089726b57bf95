"""Choice of the loops that run the ticks of a world; they are kept until something changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ..compilation import background, choice
from ..compilation.compiler import COMPILED, has_address, without_dispatch
from ..compilation.kernel_types import Arguments
from ..compilation.packed import Packed
from ..integrators.compiled_forces import NO_FORCES, CompiledForces
from ..integrators.integrator import Integrator, Step
from ..loops.columns import Integers
from ..loops.keeping import Kept, add_kept
from ..loops.layout import APART, STAGE_WRENCH, TICKS, WRENCH_ROWS
from ..loops.program import AtStages, Operation, Program
from ..store.bodies import Bodies
from ..store.threads import TakeTicks
from .actuators import Actuators
from .beside import BesideMethod
from .fields import Fields
from .held import CALLED_ROWS, Held
from .joints import Joints
from .prepare import ask_for_standby
from .stage_views import StageViews, refuse_return

Apply = Callable[..., object]
Calling = Callable[[int, float, Integers, float], Callable[..., int]]
"""Called with the arguments of `AtStages.operations`, this makes the function of Python that adds the forces at a stage to its wrench."""


class Plan:
    """Combines an integrator, bodies and forces.

    If no Python force is called during the ticks, one compiled call runs any number of ticks. If a Python force is called at each stage of
    the integrator, the tick runs in passes, and the list of its operations returns where the force is called.

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
        assert bodies.store is not None
        self._bodies, self._store = bodies, bodies.store
        self.held = held
        self.actuators = actuators
        self.joints = joints
        self.fields = fields
        self.views = StageViews(bodies)
        self.tick_forces: list[tuple[object, Apply]] = []
        self.stage_forces: list[tuple[object, Apply]] = []
        self.calls_forces = False
        self.dt = dt
        self._threads = threads
        self._seen = (-1, -1)
        self._run: TakeTicks = run_nothing
        self._program: Program | None = None
        self.kernel: partial[int] | None = None

    def use(self, integrator: Integrator, gyroscopic: bool) -> None:
        """Use this integrator for the next ticks."""
        self.integrator, self._gyroscopic = integrator, gyroscopic
        self._has_standby = False
        self._store.change_layout()

    def call_forces(self, tick_forces: list[tuple[object, Apply]], stage_forces: list[tuple[object, Apply]]) -> None:
        """Replace the lists of Python forces to call."""
        self.tick_forces, self.stage_forces = tick_forces, stage_forces
        self.calls_forces = bool(tick_forces or stage_forces)
        self._store.change_layout()

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

    def gather(self) -> None:
        """Update the held wrench for the tick that starts now."""
        self.held.gather()
        if self.tick_forces and not self._calls_within:
            self._call_tick_forces()

    def _call_tick_forces(self, *_operation: object) -> int:
        """Add the forces that are called once per tick to the held wrench, or keep them for the steps of a divided tick.

        Each of these drives the actuators, gathers the held wrench again, and adds what has been kept.
        """
        applied = [apply for _force, apply in self.tick_forces]
        time, keeps = self._bodies.tick_count * self.dt, self.actuators.any and self.integrator._divides_ticks
        self.held.call(applied, time, self.views, keeps)
        return 1

    @property
    def _calls_within(self) -> bool:
        """Whether the forces that are called once per tick are called after the actuators have been driven, as an operation of the tick."""
        return self.actuators.any and not self.integrator._divides_ticks and len(self.tick_forces) > 0

    def choose(self) -> TakeTicks:
        """Return the function that runs any number of ticks in one call."""
        bodies = self._bodies
        forces = self.fields.compiled()  # which arranges the layers anew if parameters have changed
        store, arrived = self._store, background.arrivals()
        if self._seen == (store.layout_version, arrived):
            return self._run
        self.joints.look()
        if not store.binds_anew and self._seen[1] == arrived:
            self._seen = store.layout_version, arrived
            return self._run
        bodies.expects_torques = self._calls_within
        bodies.look_for_stored_momentum()
        self.kernel = self._program = None
        bodies.control[APART] = 0  # loops with a control of their own copy it
        store.binds_anew = True  # until all is bound
        if self.stage_forces and self.joints.any:
            self.joints.warn_of_common_step()
        latches = [self.joints.latches.operation()] if self.joints.latches.any else []
        calling = self._evaluation if self.stage_forces else None
        self._program = Program([*latches, *self._operations(self._beside(), forces, calling)], bodies.control)
        self._run = self._program.run
        if self._program.is_one_loop:  # nothing else has to be undone in the members that fail
            bodies.control[APART] = bodies.members
        if COMPILED and isinstance(self._run, partial) and has_address(self._run.func):
            self.kernel = self._run
            self._run = partial(without_dispatch(self._run.func, *self._run.args, 1), *self._run.args)
        if not self._has_standby and not choice.policy.waits:
            ask_for_standby(self.integrator, self._gyroscopic)
            self._has_standby = True
        self._seen, store.binds_anew = (store.layout_version, arrived), False
        return self._run

    def _beside(self) -> BesideMethod:
        """What acts in the next ticks beside the method."""
        bodies, actuators, columns = self._bodies, self.actuators, np.full(1, self._bodies.count)
        beside = BesideMethod(bodies, actuators if actuators.any else None, self.joints)
        if self._calls_within:
            beside.once_driven = [Operation(self._call_tick_forces, Packed(()))]
        elif self.tick_forces and actuators.any:
            kept = Packed(Kept(bodies.array, CALLED_ROWS, self.held.called, columns, columns))
            beside.once_driven = [Operation(add_kept, kept)]
        return beside

    def _operations(self, beside: BesideMethod, forces: CompiledForces, calling: Calling | None) -> list[Operation]:
        """The operations of a tick in which these act, and functions that Python calls at the stages of the method."""
        bodies, acting = self._bodies, None
        if calling is not None:
            acting = AtStages(lambda *stage: [Operation(calling(*stage), Packed(()))], self.depends_on_rates)
        tick = Step(bodies, bodies.control, self.dt, self._gyroscopic, forces, self._threads, at_stages=acting)
        return self.integrator._operations(tick, beside)

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

    def move(self, ticks: int) -> int:
        """Run up to this many ticks and return how many ended finite; a tick that did not is undone."""
        run = self.choose()
        ticks = ticks if self.integrator._fuses_ticks else 1
        taken = run(ticks)
        if taken != ticks:
            self.held.spoil_all()  # a tick with actuators may have gathered it
        return taken

    def try_calling(self, calling: Calling) -> None:
        """Run one tick in which these functions add all forces at the stages and no actuator is driven; it is rejected at its end."""
        beside, rejected = BesideMethod(self._bodies, None, self.joints), Operation(lambda *_operation: 0, Packed(()))
        operations = self._operations(beside, NO_FORCES, calling)
        program = Program([*operations, rejected], self._bodies.control)
        try:
            program.run(1)
        finally:
            program.recover()

    def recover(self) -> None:
        """End or undo a tick that was interrupted, depending on whether it was counted and all members that failed were stopped."""
        if self._program is not None:
            self._program.recover()

    def _evaluation(self, stage: int, offset: float, control: Integers, dt: float) -> Callable[..., int]:
        """What adds the Python forces at a stage, `offset` [s] after the start of a tick or step, to the wrench of that stage."""
        wrench, states = self.views.at(STAGE_WRENCH + WRENCH_ROWS * stage)
        applied = [apply for _force, apply in self.stage_forces]

        def evaluate(arguments: Packed[Arguments], operand: int, ticks_left: int) -> int:
            time = control.item(TICKS) * dt + offset
            for apply in applied:
                if apply(wrench, states, time) is not None:
                    refuse_return(apply)
            return 1

        return evaluate


def run_nothing(ticks: int) -> int:
    """Run no tick, before any loop has been chosen."""
    return 0
