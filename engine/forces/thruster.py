"""Thrusters: a force at a point of a body, along a direction that turns with it, set by a throttle."""

from __future__ import annotations  # help() then shows them as written

from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, direction, is_row, read_only, real, refuse, vector
from .force import HeldForce, require_body
from .wrench import BodyHandle


class Thruster(HeldForce):
    """One thruster. Its force is max_force · throttle along `direction`, held over each tick and turning with the body.

    Args:
        body: The body that it drives.
        position: Where it acts [m], body axes from the body's origin, shape (3,).
        direction: Direction of the force on the body (the plume goes the other way), body axes, any length but zero, shape (3,).
        max_force: Force at full throttle [N], at least 0.

    Attributes:
        throttle: Share of the full force, 0 to 1; 0 at first. Acts from the next tick to be taken on; set inside
            `World.on_tick`, in the tick that is starting.
    """

    __slots__ = ("direction", "max_force", "position")

    def __init__(
        self, body: BodyHandle, *, position: npt.ArrayLike, direction: npt.ArrayLike, max_force: float
    ) -> None:
        require_body(body, "body", "Thruster")
        owner = f"Thruster of {body}"
        self.position = read_only(vector(position, "position", owner))
        self.direction = read_only(_direction(direction, "direction", owner))
        self.max_force = real(max_force, "max_force", owner, at_least=0.0)
        super().__init__(body, np.zeros(1))

    def __repr__(self) -> str:
        return f"Thruster({self.body}, max_force={self.max_force!r}, throttle={self.throttle!r})"

    @property
    def throttle(self) -> float:
        """Share of the full force, 0 to 1; acts from the next tick to be taken on."""
        return float(self._factors[0])

    @throttle.setter
    def throttle(self, value: float) -> None:
        if type(value) is not float or not 0.0 <= value <= 1.0:
            value = real(value, "throttle", self, at_least=0.0)
            if value > 1.0:
                refuse(self, "throttle", value, "between 0 and 1")
        self._set_factors(value)

    def wrenches(self) -> FloatArray:
        return _thrust_wrenches(self.body, self.position[np.newaxis], self.max_force * self.direction[np.newaxis])


class ThrusterBank(HeldForce):
    """Many thrusters on one body, with one array of throttles.

    Args:
        body: The body that they drive.
        positions: Where they act [m], body axes from the body's origin, shape (k, 3).
        directions: Directions of the forces on the body, body axes, each of any length but zero, shape (k, 3).
        max_forces: Forces at full throttle [N], each at least 0, shape (k,) or one number for all.

    Attributes:
        throttle: Shares of the full forces, 0 to 1, shape (k,); zeros at first. Assign a whole array (or one number for all);
            what is read is a read-only copy.
    """

    __slots__ = ("directions", "max_forces", "positions")

    def __init__(
        self, body: BodyHandle, *, positions: npt.ArrayLike, directions: npt.ArrayLike, max_forces: npt.ArrayLike
    ) -> None:
        require_body(body, "body", "ThrusterBank")
        owner = f"ThrusterBank of {body}"
        self.positions = read_only(array(positions, "positions", owner, (None, 3)))
        count = len(self.positions)
        given = array(directions, "directions", owner, (count, 3))
        self.directions = read_only(
            np.stack([_direction(row, f"directions[{i}]", owner) for i, row in enumerate(given)])
        )
        self.max_forces = read_only(_one_or_many(max_forces, "max_forces", owner, count))
        if (self.max_forces < 0.0).any():
            refuse(owner, "max_forces", max_forces, "at least 0 each")
        super().__init__(body, np.zeros(count))

    def __repr__(self) -> str:
        return f"ThrusterBank({self.body}, {len(self._factors)} thrusters)"

    @property
    def throttle(self) -> FloatArray:
        """Shares of the full forces, 0 to 1, shape (k,); a read-only copy. Assign a whole array, or one number for all."""
        return read_only(self._factors.copy())

    @throttle.setter
    def throttle(self, value: npt.ArrayLike) -> None:
        throttle = _one_or_many(value, "throttle", self, len(self._factors))
        if (throttle < 0.0).any() or (throttle > 1.0).any():
            refuse(self, "throttle", value, "between 0 and 1 each")
        self._set_factors(throttle)

    def wrenches(self) -> FloatArray:
        return _thrust_wrenches(self.body, self.positions, self.max_forces[:, np.newaxis] * self.directions)


_direction = direction  # the name is also that of an argument above


def _one_or_many(value: Any, argument: str, owner: object, count: int) -> FloatArray:
    if is_row(value):
        return array(value, argument, owner, (count,))
    return np.full(count, real(value, argument, owner))


def _thrust_wrenches(body: BodyHandle, positions: FloatArray, forces_body: FloatArray) -> FloatArray:
    zeros = np.zeros_like(forces_body)
    return np.hstack([zeros, zeros, forces_body, np.cross(positions - body.center_of_mass_body, forces_body)])
