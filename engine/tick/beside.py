"""What acts on the bodies of a world in each step of a tick beside the method, as operations of the tick."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..integrators.integrator import Beside, Integrator, Step
from ..joints.joint import JOINTS
from ..loops.columns import Integers
from ..loops.program import AtStages, Operation
from ..loops.steps import keeping
from ..shapes.handle import CONTACTS
from ..store.bodies import BODIES, Bodies
from ..store.schema import Kind
from ..store.table import FilledTable
from .actuators import ACTUATOR_TABLES, LEFT_BY_FAILED_TICKS, Actuators
from .joints import Joints


@dataclass
class BesideMethod(Beside):
    """The actuators and the joints of a world, and the forces that Python calls.

    Attributes:
        bodies: The bodies.
        actuators: The actuators; None if no body is driven.
        joints: The joints, which may be none.
        at_stages: The forces that Python calls at the stages of the method; None if there are none.
        once_driven: What adds the forces that Python calls once per tick, after the actuators have been driven; none if nothing has to.
    """

    bodies: Bodies
    actuators: Actuators | None
    joints: Joints
    at_stages: AtStages | None = None
    once_driven: Sequence[Operation] = ()

    def __post_init__(self) -> None:
        self.moves_mass = self.actuators is not None and self.bodies.moves_mass

    def around(self, integrator: Integrator, step: Step) -> tuple[Sequence[Operation], Sequence[Operation]]:
        before, after = list[Operation](), list[Operation]()
        is_step = step.control is not self.bodies.control
        if not is_step:
            before += self._kept(but={*LEFT_BY_FAILED_TICKS, CONTACTS.name})
        if self.joints.any and self.at_stages is None:
            found, moved = self.joints.operations(integrator, step)
            before += found
            after += moved
        if self.actuators is not None:
            begin, end = self.actuators.operations(step.dt, step.control, is_step and len(self.once_driven) > 0)
            before += [begin, *self.once_driven]
            after.append(end)
        if is_step and self.joints.any:
            after.append(self._joint_steps[1])
        return before, after

    def instead(self, integrator: Integrator, step: Step) -> list[Operation]:
        joints = self.joints
        return [] if self.at_stages is None or not joints.any else joints.in_stages(integrator, step, self.at_stages)

    def around_steps(self, control: Integers) -> tuple[Sequence[Operation], Sequence[Operation]]:
        before, after = list[Operation](), list[Operation]()
        if control is not self.bodies.control:  # the steps of a step belong to the same tick
            return before, after
        if self.actuators is not None:
            before.append(self.actuators.parts_put_back())
        before += self._kept(but=ACTUATOR_TABLES if self.actuators is None else ())
        if self.joints.any:
            begin, _each, end = self._joint_steps
            before.append(begin)
            after.append(end)
        return before, after

    @cached_property
    def _joint_steps(self) -> tuple[Operation, Operation, Operation]:
        return self.joints.operations_of_steps()

    def _kept(self, but: Collection[str]) -> Iterator[Operation]:
        """What puts back, by kind of field, the tables beside the bodies that compiled code changes, but some.

        In a tick that is not divided, valves and tanks write when it can no longer fail, and contacts are kept where they are compared.
        """
        joints, store = self.joints, self.bodies.store
        idle = {*but, *(() if joints.any else (JOINTS.name,)), *(() if joints.contacts.any else (CONTACTS.name,))}
        for table in store.tables.values() if store is not None else ():
            schema, rows = table.schema, table.schema.rows_of(Kind.STATE, Kind.PREVIOUS)
            is_other = schema.follows or schema is BODIES or schema.name in idle
            if schema.flown and not is_other and len(rows) and (table.count or schema.is_filled_by_ticks):
                counted = table.counted if isinstance(table, FilledTable) else table.count
                yield keeping(table.array, rows, counted).operation
