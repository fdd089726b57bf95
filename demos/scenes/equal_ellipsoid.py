"""The solid ellipsoid that rotates as a body does, because mass and moments are the same.

Ganapathi draws it for his cases, but his semi-axes lack a factor. The moments require a² = 5 (I_y + I_z − I_x)/(2m), which is negative for
two of his tensors.
"""

import numpy as np

from ..drawing import Array, Model
from ..physics import MassProperties

FLATTEST = 0.02
"""The shortest drawn semi-axis as a fraction of the longest, because the zero semi-axis of a plate cannot be shaded."""


class EqualEllipsoid:
    """Drawn about `centre` [m], at most `size` [m] long from there; where no ellipsoid has the moments, nothing is."""

    def __init__(self, properties: MassProperties, centre: Array, size: float) -> None:
        self._centre = centre
        self.semi_axes = np.zeros(0)
        """[m], the longest first; empty where there is no such ellipsoid."""
        try:
            self.semi_axes = np.sort(properties.equivalent_ellipsoid())[::-1]
        except ValueError:  # no body has this tensor
            return
        # The longest semi-axis goes with the least moment, and `principal` has the least first.
        shares = np.maximum(self.semi_axes / self.semi_axes[0], FLATTEST)
        self._to_body = size * properties.principal()[1] * shares

    def models(self, turn: Array) -> list[Model]:
        """It, where there is one; `turn` (3, 3) rotates from the body frame to the world frame."""
        return [Model("ball", self._centre, turn @ self._to_body, casts_shadow=False)] if len(self.semi_axes) else []

    def words(self) -> list[str]:
        """What it is."""
        if not len(self.semi_axes):
            return []
        a, b, c = self.semi_axes
        return ["solid ellipsoid with the same moments", f"semi-axes {a:.2f}, {b:.2f}, {c:.2f} m"]
