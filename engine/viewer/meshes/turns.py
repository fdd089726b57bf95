"""Turns as matrices, shape (3, 3); their columns are the images of x, y and z."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

IDENTITY = np.eye(3)
Z_TO_X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
Z_TO_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


def turn_to(direction: Sequence[float] | Array) -> Array:
    """The rotation of the z axis into this direction, which may have any non-zero length.

    Example:
        >>> turn_to((0.0, 0.0, 2.0))[:, 2].tolist()
        [0.0, 0.0, 1.0]
    """
    along = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    across /= np.linalg.norm(across)
    return np.column_stack([across, np.cross(along, across), along])


def about_z(angle: float) -> Array:
    """A turn about z [rad].

    Example:
        >>> about_z(np.pi / 2)[:, 0].round(9).tolist()
        [0.0, 1.0, 0.0]
    """
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def about_y(angle: float) -> Array:
    """A turn about y [rad].

    Example:
        >>> about_y(np.pi / 2)[:, 2].round(9).tolist()
        [1.0, 0.0, 0.0]
    """
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, 0.0, sine], [0.0, 1.0, 0.0], [-sine, 0.0, cosine]])
