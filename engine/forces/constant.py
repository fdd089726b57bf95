"""Forces and torques that stay as they are, in world axes or in body axes."""

from __future__ import annotations  # help() then shows them as written

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, read_only, refuse, vector
from ..kernels.points import STEADY_FORCE, pulls
from .force import HeldForce, require_body
from .wrench import BodyHandle, BodyStates, Wrench


class ConstantForce(HeldForce):
    """A force on one body that never changes, in world axes or turning with the body.

    A world force at a point of the body has a torque that changes as the body turns, so that one is evaluated at each stage ("stage");
    every other is held ("tick").

    Args:
        body: The body it acts on.
        force_world: Force [N], world frame, shape (3,); or
        force_body: force [N], body frame, shape (3,).
        at_body: Where it acts [m], body axes from the body's origin, shape (3,); None is the mass centre.
    """

    __slots__ = ("at_body", "evaluate", "force_body", "force_world")

    depends_on_rates = False

    def __init__(
        self,
        body: BodyHandle,
        *,
        force_world: npt.ArrayLike | None = None,
        force_body: npt.ArrayLike | None = None,
        at_body: npt.ArrayLike | None = None,
    ) -> None:
        owner = f"ConstantForce on {require_body(body, 'body', 'ConstantForce')}"
        if (force_world is None) == (force_body is None):
            refuse(owner, "force_world or force_body", (force_world, force_body), "given, and not both")
        self.force_world = None if force_world is None else read_only(vector(force_world, "force_world", owner))
        self.force_body = None if force_body is None else read_only(vector(force_body, "force_body", owner))
        self.at_body = None if at_body is None else read_only(vector(at_body, "at_body", owner))
        self.evaluate = "stage" if self.force_world is not None and self.at_body is not None else "tick"
        super().__init__(body, np.ones(1))

    def __repr__(self) -> str:
        force = self.force_body if self.force_world is None else self.force_world
        assert force is not None
        return f"ConstantForce({self.body}, {'world' if self.force_body is None else 'body'} {force.tolist()})"

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        table = self.pulls()
        if table is None:
            super().apply(wrench, bodies, time)
        else:
            pulls(bodies.columns.array, bodies.states, wrench.first_row, table)

    def pulls(self) -> FloatArray | None:
        if self.force_world is None or self.at_body is None:
            return None
        return np.array([[self.body.index, STEADY_FORCE, *self.at_body, *self.force_world, 0.0, 0.0, 0.0]])

    def wrenches(self) -> FloatArray:
        zero = np.zeros(3)
        if self.force_body is None:
            return np.concatenate([self.force_world, zero, zero, zero])[np.newaxis]
        arm = zero if self.at_body is None else self.at_body - self.body.center_of_mass_body
        return np.concatenate([zero, zero, self.force_body, np.cross(arm, self.force_body)])[np.newaxis]

    def potential_energy(self, bodies: BodyStates) -> FloatArray:
        """−F·x [J] of a world force, x where it acts, zero at the world's origin; a body force has none (zero), shape (n,)."""
        energy = np.zeros(bodies.columns.count)
        if self.force_world is not None:
            index = self.body.index
            at = bodies.position[index] if self.at_body is None else bodies.point_to_world(index, self.at_body)
            energy[index] = -float(self.force_world @ at)
        return energy


class ConstantTorque(HeldForce):
    """A torque on one body that never changes, in world axes or turning with the body.

    Args:
        body: The body it acts on.
        torque_world: Torque [N·m], world frame, shape (3,); or
        torque_body: torque [N·m], body frame, shape (3,).
    """

    __slots__ = ("torque_body", "torque_world")

    def __init__(
        self, body: BodyHandle, *, torque_world: npt.ArrayLike | None = None, torque_body: npt.ArrayLike | None = None
    ) -> None:
        owner = f"ConstantTorque on {require_body(body, 'body', 'ConstantTorque')}"
        if (torque_world is None) == (torque_body is None):
            refuse(owner, "torque_world or torque_body", (torque_world, torque_body), "given, and not both")
        self.torque_world = None if torque_world is None else read_only(vector(torque_world, "torque_world", owner))
        self.torque_body = None if torque_body is None else read_only(vector(torque_body, "torque_body", owner))
        super().__init__(body, np.ones(1))

    def __repr__(self) -> str:
        torque = self.torque_body if self.torque_world is None else self.torque_world
        assert torque is not None
        return f"ConstantTorque({self.body}, {'world' if self.torque_body is None else 'body'} {torque.tolist()})"

    def wrenches(self) -> FloatArray:
        zero = np.zeros(3)
        parts = [zero, zero if self.torque_world is None else self.torque_world, zero]
        return np.concatenate([*parts, zero if self.torque_body is None else self.torque_body])[np.newaxis]
