"""The solid ellipsoid that rotates as a body does, because mass and moments are the same.

Ganapathi draws it for his cases, but his semi-axes lack a factor. The moments require a² = 5 (I_y + I_z − I_x)/(2m), which is negative for
two of his tensors.
"""

import numpy as np

from ..drawing import Array, Inset, Model
from ..physics import MassProperties

WORDS = "a solid ellipsoid with the same moments turns as the body does"
FLATTEST = 0.02
"""The shortest drawn semi-axis as a fraction of the longest, because the zero semi-axis of a plate cannot be shaded."""


class EqualEllipsoid:
    """Drawn in an inset, at most `size` [m] long from its middle; where no ellipsoid has the moments, nothing is."""

    def __init__(self, properties: MassProperties, size: float) -> None:
        self._size = size
        self.semi_axes = np.zeros(0)
        """[m], the longest first; empty where there is no such ellipsoid."""
        try:
            self.semi_axes = np.sort(properties.equivalent_ellipsoid())[::-1]
        except ValueError:  # no body has this tensor
            return
        # The longest semi-axis goes with the least moment, and `principal` has the least first.
        shares = np.maximum(self.semi_axes / self.semi_axes[0], FLATTEST)
        self._to_body = size * properties.principal()[1] * shares

    def insets(self, turn: Array) -> list[Inset]:
        """Its picture, where there is one; `turn` (3, 3) rotates from the body frame to the world frame."""
        if not len(self.semi_axes):
            return []
        ball = Model("ball", np.zeros(3), turn @ self._to_body, casts_shadow=False)
        return [Inset([ball], [], [], np.zeros(3), 1.05 * self._size, WORDS)]
