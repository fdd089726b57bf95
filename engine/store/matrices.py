"""Model matrices for drawing, relative to a camera."""

import numpy as np
import numpy.typing as npt

from .. import rotation
from ..checks import SMALL_ENOUGH, FloatArray, beyond_range_allowed, refuse


def check_matrices(out: object, count: int, owner: str) -> None:
    """Reject anything but a writable array of `count` matrices of float32 or float64."""
    if not isinstance(out, np.ndarray) or out.dtype not in (np.float32, np.float64):
        refuse(owner, "out", out, "an array of float32 or float64", TypeError)
    if out.shape != (count, 4, 4):
        refuse(owner, "out", f"shape {out.shape}", f"of shape ({count}, 4, 4), with one matrix per body")
    if not out.flags.writeable:
        refuse(owner, "out", "a read-only array", "writable")


def fill_matrices(
    out: npt.NDArray[np.floating], origins: FloatArray, orientations: FloatArray, camera: FloatArray, owner: str
) -> npt.NDArray[np.floating]:
    """Write the matrices that convert column vectors from the body frame to the world frame with the camera as the origin.

    Args:
        out: Where to write them, shape (n, 4, 4).
        origins: World positions of the bodies' origins [m], shape (n, 3).
        orientations: Unit quaternions, scalar-last (x, y, z, w), body to world, shape (n, 4).
        camera: World position of the camera [m], shape (3,).
        owner: The owner to name in errors.

    Returns:
        `out`.
    """
    with beyond_range_allowed():
        offsets = origins - camera
    if not (np.abs(offsets) <= np.finfo(out.dtype).max).all():
        refuse(owner, "camera_position", camera.tolist(), f"{SMALL_ENOUGH}, as {out.dtype.name}")
    if len(out):
        out[:, :3, :3] = rotation.to_matrix(orientations)
    out[:, :3, 3] = offsets
    out[:, 3] = (0.0, 0.0, 0.0, 1.0)
    return out
