"""What every shader knows of the frame: camera, sun, planet and picture, packed as `shaders/view.glsl` reads it."""

from typing import Any

import numpy as np
import numpy.typing as npt

from .camera import OrbitCamera
from .scene import SUN

Array = npt.NDArray[np.float64]

PLANET = np.array([-0.137, -0.220, -0.966, 0.743])
"""Direction of its middle from everywhere, world frame, unit, and its radius over its distance: a backdrop, at infinity. A picture may
place it elsewhere."""
FLAMES = 4
"""Plumes that light what is near them."""
BYTES = 4 * (2 * 16 + 5 * 4 + 4 + FLAMES * 4)
"""Of the packed block."""


def pixel_scale(size: tuple[int, int]) -> float:
    """Pixels of this picture in one of a picture of 1280 × 720, also of one that is high and narrow."""
    return min(size[1] / 720.0, size[0] / 960.0)


def pack(
    camera: OrbitCamera,
    size: tuple[int, int],
    sun_map: Array,
    texels_per_metre: float,
    flames: Array,
    planet: Array = PLANET,
) -> bytes:
    """The block for one frame.

    Args:
        camera: Where it is seen from.
        size: Of the picture in pixels.
        sun_map: From eye-relative world points to the shadow map, for row vectors, shape (4, 4).
        texels_per_metre: Of the shadow map; 0 without shadows.
        flames: Offset from the eye [m] and strength [m²] of each light that gas gives, shape (FLAMES, 4).
        planet: Direction of its middle, world frame, unit, and its radius over its distance, shape (4,).
    """
    aspect = size[0] / size[1]
    right, up = camera.half_picture(aspect)
    rows = [(*SUN, texels_per_metre), planet, (*camera.forward, camera.reach), (*right, 0.0), (*up, 0.0)]
    picture = (*size, pixel_scale(size), 0.0)
    parts: list[Any] = [camera.view_projection(aspect), sun_map, rows, picture, flames]
    return np.concatenate([np.ravel(part) for part in parts]).astype(np.float32).tobytes()
