"""Springs with dampers, between two bodies or a body and a point of the world."""

from __future__ import annotations  # help() then shows them as written

from typing import Literal

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, read_only, real, refuse, vector
from ..kernels.points import WORLD_POINT, pulls
from .force import Force, require_body
from .wrench import BodyHandle, BodyStates, Wrench


class Spring(Force):
    """A spring and a damper along the line between two points: F = k (L − L₀) + c dL/dt, pulling them together.

    Args:
        body: The first body.
        other: The second body, or None for a point fixed in the world.
        at_body: Where it holds the first body [m], body axes from the body's origin, shape (3,).
        at_other: Where it holds the second body [m], in that body's axes from its origin; or the world point [m], shape (3,).
        stiffness: k [N/m], at least 0.
        damping: c [N·s/m], at least 0.
        rest_length: L₀ [m], at least 0. While the two points coincide a spring has no direction and pulls nowhere.
    """

    __slots__ = (
        "at_body",
        "at_other",
        "body",
        "damping",
        "depends_on_rates",
        "other",
        "rest_length",
        "stiffness",
    )

    evaluate: Literal["tick", "stage"] = "stage"

    def __init__(
        self,
        body: BodyHandle,
        other: BodyHandle | None,
        *,
        at_body: npt.ArrayLike = (0, 0, 0),
        at_other: npt.ArrayLike = (0, 0, 0),
        stiffness: float,
        damping: float = 0.0,
        rest_length: float = 0.0,
    ) -> None:
        self.body = require_body(body, "body", "Spring")
        self.other = None if other is None else require_body(other, "other", "Spring")
        if other is body:
            refuse("Spring", "other", other, "another body than the first, or None")
        self.at_body = read_only(vector(at_body, "at_body", "Spring"))
        self.at_other = read_only(vector(at_other, "at_other", "Spring"))
        self.stiffness = real(stiffness, "stiffness", "Spring", at_least=0.0)
        self.damping = real(damping, "damping", "Spring", at_least=0.0)
        self.depends_on_rates = self.damping != 0.0
        self.rest_length = real(rest_length, "rest_length", "Spring", at_least=0.0)

    def __repr__(self) -> str:
        return f"Spring({self.body}, {self.other}, stiffness={self.stiffness!r})"

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        pulls(bodies.columns.array, bodies.states, wrench.first_row, self.pulls())

    def pulls(self) -> FloatArray:
        other = WORLD_POINT if self.other is None else self.other.index
        constants = self.stiffness, self.damping, self.rest_length
        return np.array([[self.body.index, other, *self.at_body, *self.at_other, *constants]], dtype=np.float64)

    def named_bodies(self) -> tuple[BodyHandle, ...]:
        return (self.body,) if self.other is None else (self.body, self.other)

    def potential_energy(self, bodies: BodyStates) -> FloatArray:
        """k (L − L₀)²/2 [J], put down to the first body, shape (n,)."""
        end = bodies.point_to_world(self.body.index, self.at_body)
        other_end = self.at_other if self.other is None else bodies.point_to_world(self.other.index, self.at_other)
        length = float(np.sqrt(np.square(end - other_end).sum()))
        energy = np.zeros(bodies.columns.count)
        energy[self.body.index] = 0.5 * self.stiffness * (length - self.rest_length) ** 2
        return energy
