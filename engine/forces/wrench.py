"""The arguments of a Python force: the states to evaluate at, and the wrench to add to."""

from __future__ import annotations  # help() then shows them as written

from typing import NoReturn

import numpy as np
import numpy.typing as npt

from ..checks import (
    FloatArray,
    array,
    beyond_range_allowed,
    explaining_errors,
    read_only,
    reader,
    refuse,
    sealed,
    stack,
)
from ..loops.arrays import crossed, rotated, rotated_inverse
from ..loops.layout import (
    ANGULAR_VELOCITY,
    CENTER_OF_MASS,
    FORCE_BODY,
    FORCE_WORLD,
    MASS,
    ORIENTATION,
    POSITION,
    TORQUE_BODY,
    TORQUE_WORLD,
    VELOCITY,
)
from ..store.bodies import Bodies
from ..store.model import Model
from ..store.rows import BodyHandle, is_body


@explaining_errors()
class BodyStates:
    """Read-only arrays of the state at which forces are evaluated, one row per body.

    The arrays are views that are valid during this call only.

    Attributes:
        position: Position of the mass centres [m], world frame, shape (n, 3).
        orientation: Unit quaternions, scalar-last (x, y, z, w), body to world, shape (n, 4).
        velocity: Velocity of the mass centres [m/s], world frame, shape (n, 3).
        angular_velocity_body: Angular velocity [rad/s], body frame, shape (n, 3).
        mass: Mass [kg], shape (n,).
        center_of_mass_body: Mass centre from the body's origin [m], body frame, shape (n, 3).

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.5)
        >>> ball = world.add_body(MassProperties.sphere(2.0, 0.5), position=(3.0, 0.0, 0.0))
        >>> @world.add_force
        ... def pull(wrench, bodies, time):
        ...     wrench.force_world -= bodies.mass[:, None] * bodies.position
        >>> force_world, torque_body = world.wrench(ball)
        >>> force_world.tolist()
        [-6.0, 0.0, 0.0]
    """

    __slots__ = (
        "_angular_velocity_body",
        "_center_of_mass_body",
        "_mass",
        "_orientation",
        "_position",
        "_states",
        "_table",
        "_velocity",
    )

    angular_velocity_body = reader("_angular_velocity_body", "Angular velocity [rad/s], body frame, shape (n, 3).")
    center_of_mass_body = reader(
        "_center_of_mass_body", "Mass centre from the body's origin [m], body frame, shape (n, 3)."
    )
    mass = reader("_mass", "Mass [kg], shape (n,).")
    orientation = reader("_orientation", "Unit quaternions, scalar-last (x, y, z, w), body to world, shape (n, 4).")
    position = reader("_position", "Position of the mass centre [m], world frame, shape (n, 3).")
    velocity = reader("_velocity", "Velocity of the mass centre [m/s], world frame, shape (n, 3).")

    def __init__(self, table: Bodies, states: FloatArray) -> None:
        count = table.count
        self._table = table
        self._states = states
        self._position = sealed(states[POSITION : POSITION + 3, :count].T)
        self._orientation = sealed(states[ORIENTATION : ORIENTATION + 4, :count].T)
        self._velocity = sealed(states[VELOCITY : VELOCITY + 3, :count].T)
        self._angular_velocity_body = sealed(states[ANGULAR_VELOCITY : ANGULAR_VELOCITY + 3, :count].T)
        self._mass = sealed(table.array[MASS, :count])
        self._center_of_mass_body = sealed(table.array[CENTER_OF_MASS : CENTER_OF_MASS + 3, :count].T)

    @property
    def count(self) -> int:
        """Number of bodies."""
        return len(self.mass)

    @property
    def angular_velocity_world(self) -> FloatArray:
        """Angular velocity [rad/s], world frame, shape (n, 3); computed on each access."""
        return read_only(self.to_world(self.angular_velocity_body))

    @property
    def inertia_body(self) -> FloatArray:
        """Inertia about the mass centre [kg·m²], body frame, shape (n, 3, 3); computed on each access."""
        return Model(self._table).inertia_body

    def to_world(self, vectors_body: FloatArray) -> FloatArray:
        """Rotate one vector per body from the body frame to the world frame.

        Args:
            vectors_body: Vectors of any unit, body frame, shape (n, 3).

        Returns:
            The same vectors, world frame, shape (n, 3).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5), orientation=(0.0, 0.0, 0.6, 0.8))
            >>> @world.add_force
            ... def push_along_x(wrench, bodies, time):
            ...     wrench.force_world += bodies.to_world(np.array([[25.0, 0.0, 0.0]]))
            >>> force_world, torque_body = world.wrench(ship)
            >>> force_world.round(12).tolist()
            [7.0, 24.0, 0.0]
        """
        return rotated(self.orientation, vectors_body)

    def to_body(self, vectors_world: FloatArray) -> FloatArray:
        """Rotate one vector per body from the world frame to the body frame.

        Args:
            vectors_world: Vectors of any unit, world frame, shape (n, 3).

        Returns:
            The same vectors, body frame, shape (n, 3).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5), orientation=(0.0, 0.0, 0.6, 0.8), velocity=(0.0, 25.0, 0.0))
            >>> @world.add_force
            ... def drag_along_x(wrench, bodies, time):
            ...     wrench.force_world += bodies.to_world(bodies.to_body(bodies.velocity) * (-1.0, 0.0, 0.0))
            >>> force_world, torque_body = world.wrench(ship)
            >>> force_world.round(12).tolist()
            [-6.72, -23.04, 0.0]
        """
        return rotated_inverse(self.orientation, vectors_world)

    def point_to_world(self, row: int, point_body: FloatArray) -> FloatArray:
        """Convert a point from the frame of a body to the world frame.

        Args:
            row: The row of the body.
            point_body: The point [m], body frame, from the origin of the body, shape (3,).

        Returns:
            The point [m], world frame, shape (3,).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5), position=(10.0, 0.0, 0.0))
            >>> @world.add_force
            ... def pull_at_hook(wrench, bodies, time):
            ...     hook = bodies.point_to_world(0, np.array([0.0, 0.0, 2.0]))
            ...     wrench.add(0, force_world=-3.0 * hook)
            >>> force_world, torque_body = world.wrench(ship)
            >>> force_world.tolist()
            [-30.0, 0.0, -6.0]
        """
        arm = point_body - self.center_of_mass_body[row]
        return self.position[row] + rotated(self.orientation[row], arm)

    def velocity_at(self, point_body: npt.ArrayLike, body_or_row: BodyHandle | int | None = None) -> FloatArray:
        """Return the velocities of points that are fixed in bodies.

        Args:
            point_body: Points [m], body frame, from the origin of the body. With a body, shape (..., 3). Without one, either one point for
                all bodies, shape (3,), or one point per body, shape (..., n, 3).
            body_or_row: The body that the points are fixed in, or its row. None means all bodies.

        Returns:
            The velocities [m/s], world frame, shape (..., 3) with a body and (..., n, 3) without one.

        Raises:
            TypeError: If `point_body` does not consist of real numbers, or `body_or_row` is neither a body nor an integer.
            ValueError: If `point_body` has the wrong shape or is not finite, or the body is not in this world.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.5)
            >>> plane = world.add_body(MassProperties.sphere(2.0, 0.5), velocity=(3.0, 0.0, 0.0), angular_velocity_body=(0.0, 0.0, 2.0))
            >>> fin = (0.0, 1.0, 0.0)
            >>> @world.add_force
            ... def drag(wrench, bodies, time):
            ...     velocity = bodies.velocity_at(fin, plane)
            ...     wrench.add(plane, force_world=-0.5 * velocity, at_body=fin)
            >>> force_world, torque_body = world.wrench(plane)
            >>> force_world.tolist()
            [-0.5, 0.0, 0.0]
        """
        owner = "bodies.velocity_at"
        points = stack(point_body, "point_body", owner, 3)
        chosen: slice | int = slice(None) if body_or_row is None else self.row(body_or_row, owner)
        if body_or_row is None and points.ndim > 1 and points.shape[-2] != self.count:
            refuse(owner, "point_body", point_body, f"of shape (3,) or (..., {self.count}, 3), with one point per body")
        with beyond_range_allowed():  # the error of the rejected tick can name the force, and an error here cannot
            arm = points - self.center_of_mass_body[chosen]
            tangential = crossed(self.angular_velocity_body[chosen], arm)
            return self.velocity[chosen] + rotated(self.orientation[chosen], tangential)

    def row(self, body_or_row: BodyHandle | int, owner: str = "Wrench.add") -> int:
        """Return the row of a body.

        Args:
            body_or_row: The handle of a body of this world, or the row itself.
            owner: The owner to name in errors.

        Returns:
            The row.

        Raises:
            TypeError: If `body_or_row` is neither a body nor an integer.
            ValueError: If the body is not in this world, or there is no such row.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.5)
            >>> rock = world.add_body(MassProperties.sphere(2.0, 0.5))
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5))
            >>> @world.add_force
            ... def push(wrench, bodies, time):
            ...     wrench.force_world[bodies.row(ship)] += (8.0, 0.0, 0.0)
            >>> world.wrench(ship)[0].tolist(), world.wrench(rock)[0].tolist()
            ([8.0, 0.0, 0.0], [0.0, 0.0, 0.0])
        """
        table = self._table
        rule = f"a body of this world or a row from 0 to {table.count - 1}"
        if is_body(body_or_row):
            index = body_or_row.index
            if index >= table.count or table.handles[index] is not body_or_row:
                refuse(owner, "body_or_row", body_or_row, rule)
            return index
        if isinstance(body_or_row, bool) or not isinstance(body_or_row, int | np.integer):
            refuse(owner, "body_or_row", body_or_row, rule, TypeError)
        if not 0 <= body_or_row < table.count:
            refuse(owner, "body_or_row", body_or_row, rule)
        return int(body_or_row)


@explaining_errors()
class Wrench:
    """Forces and torques on all bodies, to which a Python force adds its contribution.

    Use `wrench.force_world += …` for all bodies, and `wrench.force_world[row] += …` or `wrench.add(body, …)` for one body. Contributions
    in the world frame and in the body frame are summed separately. Assigning a new array is an error, because it would be lost.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.5)
        >>> ball = world.add_body(MassProperties.sphere(2.0, 0.5))
        >>> @world.add_force
        ... def push(wrench, bodies, time):
        ...     wrench.add(ball, force_body=(0.0, 0.0, 4.0))
        >>> world.step(2)
        >>> ball.velocity.tolist()
        [0.0, 0.0, 2.0]
    """

    __slots__ = ("_array", "_bodies", "_first_row", "_motor", "_parts")

    bodies = reader("_bodies", "The bodies on which the forces act.")

    def __init__(
        self, array: FloatArray, first_row: int, bodies: BodyStates, motor_torque_body: FloatArray | None = None
    ) -> None:
        self._bodies = bodies
        self._array = array
        self._first_row = first_row
        self._motor = motor_torque_body
        self._parts = {
            part: array[first_row + row : first_row + row + 3, : bodies.count].T for part, row in _PART_ROWS.items()
        }

    @property
    def force_world(self) -> FloatArray:
        """Force at the mass centres [N], world frame, shape (n, 3)."""
        return self._parts["force_world"]

    @force_world.setter
    def force_world(self, value: FloatArray) -> None:
        if value is not self._parts["force_world"]:  # what += assigns back is the array itself
            _refuse_assignment("force_world")

    @property
    def torque_world(self) -> FloatArray:
        """Torque about the mass centres [N·m], world frame, shape (n, 3)."""
        return self._parts["torque_world"]

    @torque_world.setter
    def torque_world(self, value: FloatArray) -> None:
        if value is not self._parts["torque_world"]:  # what += assigns back is the array itself
            _refuse_assignment("torque_world")

    @property
    def force_body(self) -> FloatArray:
        """Force at the mass centres [N], body frame, shape (n, 3); it rotates with the body until the next evaluation."""
        return self._parts["force_body"]

    @force_body.setter
    def force_body(self, value: FloatArray) -> None:
        if value is not self._parts["force_body"]:  # what += assigns back is the array itself
            _refuse_assignment("force_body")

    @property
    def torque_body(self) -> FloatArray:
        """Torque about the mass centres [N·m], body frame, shape (n, 3); it rotates with the body until the next evaluation."""
        return self._parts["torque_body"]

    @torque_body.setter
    def torque_body(self, value: FloatArray) -> None:
        if value is not self._parts["torque_body"]:  # what += assigns back is the array itself
            _refuse_assignment("torque_body")

    @property
    def motor_torque_body(self) -> FloatArray:
        """Torque of motors on the reaction wheels inside the bodies [N·m], body frame, shape (n, 3).

        The stored momentum grows at this rate, and the opposite torque acts on the body, so the total angular momentum does not change.
        Only a force with `evaluate = "tick"` can set it, because a motor torque is held constant over the tick. On a body with reaction
        wheels of `engine.flight` it must stay zero; the torque of each wheel is set instead.
        """
        if self._motor is None:
            raise TypeError(
                'Wrench: motor_torque_body is held over a tick; give the force the attribute evaluate = "tick" to use it'
            )
        return self._motor

    @motor_torque_body.setter
    def motor_torque_body(self, value: FloatArray) -> None:
        if value is not self._motor:  # what += assigns back is the array itself
            _refuse_assignment("motor_torque_body")

    def add(
        self,
        body_or_row: BodyHandle | int,
        *,
        force_world: npt.ArrayLike | None = None,
        force_body: npt.ArrayLike | None = None,
        torque_world: npt.ArrayLike | None = None,
        torque_body: npt.ArrayLike | None = None,
        motor_torque_body: npt.ArrayLike | None = None,
        at_body: npt.ArrayLike | None = None,
    ) -> None:
        """Add a force, a torque or both to one body.

        Args:
            body_or_row: The body, or its row.
            force_world: Force [N], world frame, shape (3,).
            force_body: Force [N], body frame, shape (3,).
            torque_world: Torque [N·m], world frame, shape (3,).
            torque_body: Torque [N·m], body frame, shape (3,).
            motor_torque_body: Torque of motors on the wheels inside the body [N·m], body frame, shape (3,).
            at_body: Point of application of the forces [m], body frame, from the origin of the body, shape (3,). None means the mass
                centre.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If an argument has the wrong shape, no force or torque is given, or the body is not in this world.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.5)
            >>> ball = world.add_body(MassProperties.sphere(2.0, 0.5))
            >>> @world.add_force
            ... def push(wrench, bodies, time):
            ...     wrench.add(ball, force_world=(0.0, 3.0, 0.0), at_body=(2.0, 0.0, 0.0))
            >>> force_world, torque_body = world.wrench(ball)
            >>> torque_body.tolist()
            [0.0, 0.0, 6.0]
        """
        row = self.bodies.row(body_or_row)
        given = {
            "force_world": force_world,
            "force_body": force_body,
            "torque_world": torque_world,
            "torque_body": torque_body,
        }
        values = {part: _three(value, part) for part, value in given.items() if value is not None}
        if motor_torque_body is not None:
            self.motor_torque_body[row] += _three(motor_torque_body, "motor_torque_body")
        elif not values:
            refuse("Wrench.add", "at least one force or torque", None, "given")
        if at_body is not None:
            arm = _three(at_body, "at_body") - self.bodies.center_of_mass_body[row]
            if force_body is not None:
                self.torque_body[row] += crossed(arm, values["force_body"])
            if force_world is not None:
                lever = rotated(self.bodies.orientation[row], arm)
                self.torque_world[row] += crossed(lever, values["force_world"])
        for part, value in values.items():
            self._parts[part][row] += value


def _refuse_assignment(part: str) -> NoReturn:
    raise TypeError(f"Wrench: {part} cannot be replaced; add to it (wrench.{part} += …)")


_PART_ROWS = {
    "force_world": FORCE_WORLD,
    "torque_world": TORQUE_WORLD,
    "force_body": FORCE_BODY,
    "torque_body": TORQUE_BODY,
}


def _three(value: npt.ArrayLike, argument: str) -> FloatArray:
    # A value that is not finite passes, because the error of the rejected tick can name this force and an error here cannot.
    return array(value, argument, "Wrench.add", (3,), finite=False)
