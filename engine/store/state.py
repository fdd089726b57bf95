"""The state of all bodies as whole arrays, which can be read, assigned and interpolated."""

from contextlib import AbstractContextManager
from typing import Protocol

import numpy as np

from ..checks import FloatArray, array, explaining_errors, finite_result, real, refuse, sealed, unit_quaternions
from ..html_table import html_table
from ..loops.arrays import rotated, rotated_inverse
from ..loops.layout import ANGULAR_VELOCITY, ORIENTATION, POSITION, PREVIOUS, STATE_ROWS, STORED_MOMENTUM, VELOCITY
from ..loops.poses import interpolated
from ..reading import reading
from .bodies import Bodies


class Assigned(Protocol):
    """What depends on the states of all bodies, where they are assigned."""

    def has_wheels(self) -> bool:
        """Whether wheels decide on the stored momentum of bodies."""

    def before(self, first: int, values: FloatArray, name: str | None) -> None:
        """Check values for all bodies, from a component on, before they are assigned; the name is that of a pose, or None.

        Raises:
            ValueError: If a joint would not hold.
        """

    def keeping_speeds(self) -> AbstractContextManager[None]:
        """A context that assigns the angular velocities, after which wheels have the same speeds as before."""


@explaining_errors()
class State:
    """The state of all bodies as arrays, one row per body, returned by `World.state`.

    Reading an attribute returns a read-only view that follows the world until bodies are added or removed (`angular_velocity_world` is a
    copy). Assigning a whole array of the same shape sets it, and so does ``world.state.velocity += dv``. A pose that is set this way is
    not blended with the old pose for drawing. Poses at which a joint would not hold are rejected.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.5)
        >>> rocks = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(0, 0, 0), (2, 0, 0)])
        >>> world.state.velocity = [(0, 0, 1), (0, 0, 2)]
        >>> world.step(2)
        >>> world.state.position.tolist()
        [[0.0, 0.0, 1.0], [2.0, 0.0, 2.0]]
    """

    __slots__ = ("_assigned", "_bodies", "_layout", "_views")

    def __init__(self, bodies: Bodies, assigned: Assigned) -> None:
        self._bodies = bodies
        self._assigned = assigned
        self._layout = -1
        self._views: dict[int, FloatArray] = {}

    def __repr__(self) -> str:
        return f"<State of {self._bodies.count} {'body' if self._bodies.count == 1 else 'bodies'}>"

    def _repr_html_(self) -> str:
        headings = (
            "body",
            "position [m]",
            "orientation (x, y, z, w)",
            "velocity [m/s]",
            "angular velocity, body frame [rad/s]",
        )
        columns = (self.position, self.orientation, self.velocity, self.angular_velocity_body)
        rows = ((body.name, *values) for body, *values in zip(self._bodies.handles, *columns, strict=True))
        return html_table(repr(self)[1:-1], headings, rows, self._bodies.count)

    @property
    def position(self) -> FloatArray:
        """Position of the mass centres [m], world frame, shape (n, 3)."""
        return self._rows(POSITION, 3)

    @position.setter
    def position(self, value: FloatArray) -> None:
        self._write(POSITION, self._checked(value, "position", 3), also_previous=True)

    @property
    def orientation(self) -> FloatArray:
        """Unit quaternions, scalar-last (x, y, z, w), body to world, shape (n, 4)."""
        return self._rows(ORIENTATION, 4)

    @orientation.setter
    def orientation(self, value: FloatArray) -> None:
        checked = unit_quaternions(self._checked(value, "orientation", 4), "orientation", "World.state", value)
        self._write(ORIENTATION, checked, also_previous=True)

    @property
    def velocity(self) -> FloatArray:
        """Velocity of the mass centres [m/s], world frame, shape (n, 3)."""
        return self._rows(VELOCITY, 3)

    @velocity.setter
    def velocity(self, value: FloatArray) -> None:
        self._write(VELOCITY, self._checked(value, "velocity", 3))

    @property
    def angular_velocity_body(self) -> FloatArray:
        """Angular velocity [rad/s], body frame, shape (n, 3)."""
        return self._rows(ANGULAR_VELOCITY, 3)

    @angular_velocity_body.setter
    def angular_velocity_body(self, value: FloatArray) -> None:
        self._write_rates(self._checked(value, "angular_velocity_body", 3))

    @property
    def angular_velocity_world(self) -> FloatArray:
        """Angular velocity [rad/s], world frame, shape (n, 3); a copy."""
        return reading(rotated(self.orientation, self.angular_velocity_body))

    @angular_velocity_world.setter
    def angular_velocity_world(self, value: FloatArray) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            rates = rotated_inverse(self.orientation, self._checked(value, "angular_velocity_world", 3))
        self._write_rates(finite_result(rates, "angular_velocity_world", value, "World.state"))

    @property
    def stored_momentum_body(self) -> FloatArray:
        """Angular momentum [N·m·s] of reaction wheels inside the bodies, relative to them, body frame, shape (n, 3)."""
        return self._rows(STORED_MOMENTUM, 3)

    @stored_momentum_body.setter
    def stored_momentum_body(self, value: FloatArray) -> None:
        momentum = self._checked(value, "stored_momentum_body", 3)
        if self._assigned.has_wheels():
            rule, hint = "left to the wheels of the bodies", "set their speeds instead"
            refuse("World.state", "stored_momentum_body", value, rule, hint=hint)
        self._write(STORED_MOMENTUM, momentum)

    def interpolated_poses(self, alpha: float) -> tuple[FloatArray, FloatArray]:
        """Poses of all bodies for drawing, blended between the last two ticks.

        Args:
            alpha: Blend factor from 0 (the previous tick) to 1 (the last tick).

        Returns:
            Positions of the bodies' origins [m], world frame, shape (n, 3), and orientations, scalar-last (x, y, z, w), body to world,
            shape (n, 4).

        Raises:
            TypeError: If `alpha` is not a real number.
            ValueError: If `alpha` is outside [0, 1].

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=1.0)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(4.0, 0.0, 0.0))
            >>> world.step()
            >>> positions, orientations = world.state.interpolated_poses(0.25)
            >>> positions.tolist()
            [[1.0, 0.0, 0.0]]
        """
        fraction = real(alpha, "alpha", "World.state.interpolated_poses", at_least=0.0)
        if fraction > 1.0:
            refuse("World.state.interpolated_poses", "alpha", alpha, "between 0 and 1")
        bodies = self._bodies
        return interpolated(bodies.array, 0, bodies.count, fraction, bodies.may_run_in_python)

    def _rows(self, row: int, size: int) -> FloatArray:
        bodies = self._bodies
        assert bodies.store is not None
        if bodies.store.unfinished is not None:
            bodies.store.settle()
        if self._layout != bodies.store.layout_version:
            self._layout, self._views = bodies.store.layout_version, {}
        view = self._views.get(row)
        if view is None:
            view = self._views[row] = reading(sealed(bodies.array[row : row + size, : bodies.count].T))
        return view

    def _checked(self, value: FloatArray, argument: str, size: int) -> FloatArray:
        return array(value, argument, "World.state", (self._bodies.count, size))

    def _write_rates(self, values: FloatArray) -> None:
        """Set the angular velocities in the body frame; wheels keep their speeds."""
        store = self._bodies.store
        assert store is not None
        with store.all_or_nothing(), self._assigned.keeping_speeds():
            self._write(ANGULAR_VELOCITY, values)

    def _write(self, row: int, values: FloatArray, also_previous: bool = False) -> None:
        bodies = self._bodies
        everybody, size = slice(0, bodies.count), values.shape[1]
        assert bodies.store is not None
        with bodies.store.all_or_nothing():
            name = None if not also_previous else "position" if row == POSITION else "orientation"
            self._assigned.before(row, values, name)
            bodies.write(slice(row, row + size), everybody, values.T)
            if also_previous:
                bodies.write(slice(PREVIOUS + row, PREVIOUS + row + size), everybody, values.T)
            if row < STATE_ROWS:
                bodies.forget_history()
