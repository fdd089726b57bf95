"""Surfaces as triangles."""

from collections.abc import Sequence

import numpy as np

from ..checks import FloatArray
from ..solids.welding import IndexArray

Surface = tuple[FloatArray, IndexArray]
"""Corners, and the indices of the three corners of each triangle."""

_SIDES = 32


def box_surface(lengths: FloatArray) -> Surface:
    """Corners in the order of the bits of their index, x first, and twelve triangles."""
    signs = np.array([[-1.0 if not index >> axis & 1 else 1.0 for axis in range(3)] for index in range(8)])
    quads = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
    return 0.5 * lengths * signs, np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))])


def half_circles(radius: float, half: float) -> list[tuple[float, float]]:
    """The outline of a capsule as (distance from z, z), upwards."""
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, _SIDES // 2 + 1)
    outline = [(radius * float(np.cos(a)), radius * float(np.sin(a)) + (half if a > 0.0 else -half)) for a in angles]
    middle = len(outline) // 2
    if half:  # the middle circle is at both ends of the cylinder
        outline.insert(middle + 1, (radius, half))
    outline[0], outline[-1] = (0.0, -radius - half), (0.0, radius + half)
    return outline


def surface_of_revolution(outline: Sequence[tuple[float, float]]) -> Surface:
    """The surface that an outline from pole to pole gives when it turns about z."""
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    rings = [np.column_stack([r * np.cos(angles), r * np.sin(angles), np.full(_SIDES, z)]) for r, z in outline[1:-1]]
    corners = np.concatenate([[(0.0, 0.0, outline[0][1])], *rings, [(0.0, 0.0, outline[-1][1])]])
    last, count = len(corners) - 1, len(rings)
    faces = []
    for side in range(_SIDES):
        after = (side + 1) % _SIDES
        faces.append((0, 1 + after, 1 + side))
        for ring in range(count - 1):
            a, b = 1 + ring * _SIDES + side, 1 + ring * _SIDES + after
            faces += [(a, b, b + _SIDES), (a, b + _SIDES, a + _SIDES)]
        top = 1 + (count - 1) * _SIDES
        faces.append((top + side, top + after, last))
    return corners, np.array(faces)
