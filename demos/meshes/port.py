"""Where two craft dock: drawn by the mesh, seen through by the camera, judged by the scene."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..drawing import Array

Point = tuple[float, float, float]

FACING = np.diag([-1.0, 1.0, -1.0])
"""Axes of a port in those of the port that it meets: both look at each other, with the same side up."""


@dataclass(frozen=True)
class Port:
    """One docking port, in the axes of its mesh, which are the body's."""

    position: Point
    """Middle of the sealing face [m], from the body's origin."""
    axis: Point
    """Unit vector out of the port."""
    up: Point
    """Unit vector across the axis, which both ports share when they meet."""

    @cached_property
    def matrix(self) -> Array:
        """The axes of the port as columns, body frame, shape (3, 3): across (to the right for who looks at it), up, and out of it."""
        return np.column_stack([np.cross(self.up, self.axis), self.up, self.axis])
