"""What acts on the bodies of a world in each step of a tick beside the method, as operations of the tick."""

from __future__ import annotations

from collections.abc import Sequence

from ..integrators.compiled_forces import CompiledForces
from ..integrators.integrator import Beside, EvaluateForces, Integrator, TakeStagedTick
from ..loops.columns import Integers
from ..loops.program import Operation
from ..loops.steps import keeping
from ..store.bodies import BODIES, Bodies
from ..store.schema import Kind
from .actuators import Actuators
from .joints import Joints


class BesideMethod(Beside):
    """The actuators and the joints of a world.

    Attributes:
        acts: Whether there are any.
    """

    def __init__(
        self, bodies: Bodies, actuators: Actuators | None, joints: Joints, gyroscopic: bool, forces: CompiledForces
    ) -> None:
        """Create from those that act.

        Args:
            bodies: The bodies.
            actuators: The actuators; None if they are not part of the operations.
            joints: The joints, which may be none.
            gyroscopic: False in game mode.
            forces: The forces in compiled loops.
        """
        self._bodies, self._actuators, self._joints = bodies, actuators, joints
        self._gyroscopic, self._forces = gyroscopic, forces
        self.moves_mass = actuators is not None and actuators.moves_mass
        self.acts = actuators is not None or joints.any

    def around(
        self, integrator: Integrator, control: Integers, dt: float
    ) -> tuple[Sequence[Operation], Sequence[Operation]]:
        before, after = list[Operation](), list[Operation]()
        if self._joints.any:
            found, moved = self._joints.operations(dt, control, integrator, self._gyroscopic, self._forces)
            before += found
            after += moved
        if self._actuators is not None:
            begin, end = self._actuators.operations(dt, control)
            before.append(begin)
            after.append(end)
        return before, after

    def around_steps(self) -> tuple[Sequence[Operation], Sequence[Operation], Sequence[Operation]]:
        before, each, after = list[Operation](), list[Operation](), list[Operation]()
        if not self.acts:
            return before, each, after
        if self._actuators is not None:
            before.append(self._actuators.parts_put_back())
        # what compiled code changes in the tables beside the bodies, by kind of field
        for table in self._bodies.store.tables.values() if self._bodies.store is not None else ():
            schema, rows = table.schema, table.schema.rows_of(Kind.STATE)
            if (
                schema.flown
                and not schema.is_filled_by_ticks
                and not schema.follows
                and schema is not BODIES
                and table.count
                and len(rows)
            ):
                before.append(keeping(table.array, rows, table.count)[0])
        if self._joints.any:
            before_all, each, after = self._joints.operations_of_steps()
            before += before_all
        return before, each, after

    def staged(
        self,
        integrator: Integrator,
        bodies: Bodies,
        control: Integers,
        dt: float,
        gyroscopic: bool,
        forces: CompiledForces,
        depends_on_rates: bool,
    ) -> TakeStagedTick:
        actuators, acting = self._actuators, (gyroscopic, forces, depends_on_rates)
        if integrator._divides_ticks:
            return integrator._staged_tick(bodies, control, dt, *acting, self)
        if self._joints.any:
            take = self._joints.staged_tick(dt, control, integrator, *acting)
        else:
            take = integrator._staged_tick(bodies, control, dt, *acting)
        if actuators is None or control is bodies.control:  # those of a whole tick are driven by its stages
            return take

        def take_driven(evaluate: EvaluateForces) -> bool:
            actuators.open(dt, control, gathers=True)
            return take(evaluate) and actuators.settle(dt, control)

        return take_driven
