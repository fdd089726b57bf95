"""What acts on the bodies of a world in each step of a tick beside the method, as operations of the tick."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ..integrators.integrator import Beside, Integrator, Moves, Step
from ..joints.joint import JOINTS
from ..loops.keeping import keeping
from ..loops.program import Operation
from ..shapes.handle import CONTACTS
from ..store.bodies import BODIES, Bodies
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
        once_driven: What adds the forces that Python calls once per tick, after the actuators have been driven; none if nothing has to.
    """

    bodies: Bodies
    actuators: Actuators | None
    joints: Joints
    once_driven: Sequence[Operation] = ()

    def __post_init__(self) -> None:
        self.moves_mass = self.actuators is not None and self.bodies.moves_mass

    def around(self, integrator: Integrator, step: Step, moves: Moves) -> list[Operation]:
        before, after, joints = list[Operation](), list[Operation](), self.joints
        is_step = step.control is not self.bodies.control
        if not is_step:
            before += self._kept(but={*LEFT_BY_FAILED_TICKS, CONTACTS.name})
        if joints.any and step.at_stages is None:
            found, moved = joints.operations(integrator, step)
            before += found
            after += moved
        if self.actuators is not None:
            begin, end = self.actuators.operations(step.dt, step.control, is_step and len(self.once_driven) > 0)
            before += [begin, *self.once_driven]
            after.append(end)
        if is_step and joints.any:
            after.append(joints.operation_of_step(step))
        if joints.any and step.at_stages is not None:
            moves = partial(joints.in_stages, integrator, step, step.at_stages)
        return [*before, *moves(), *after]

    def before_steps(self, step: Step) -> list[Operation]:
        before = [*self._kept(but=ACTUATOR_TABLES if self.actuators is None else ())]
        if self.actuators is not None:
            before.insert(0, self.actuators.parts_put_back())
        return before

    def _kept(self, but: Collection[str]) -> Iterator[Operation]:
        """What puts back, by kind of field, the tables beside the bodies that compiled code changes, but some.

        In a tick that is not divided, valves and tanks write when it can no longer fail, and contacts are kept where they are compared.
        """
        joints, store = self.joints, self.bodies.store
        idle = {*but, *(() if joints.any else (JOINTS.name,)), *(() if joints.contacts.any else (CONTACTS.name,))}
        for table in store.tables.values() if store is not None else ():
            schema, rows = table.schema, table.schema.kept
            is_other = schema.follows or schema is BODIES or schema.name in idle
            if schema.flown and not is_other and len(rows) and (table.count or schema.is_filled_by_ticks):
                counted = table.counted if isinstance(table, FilledTable) else table.count
                yield keeping(table.array, rows, counted)[0]
