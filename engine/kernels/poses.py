"""Poses for drawing, blended between the last two ticks. Not in the step path: here the C library's arc tangent and sine serve."""

from math import atan2, sin, sqrt

from .columns import Array, load_quaternion, load_vector
from .compiler import inlined, kernel
from .layout import CENTER_OF_MASS, ORIENTATION, POSITION, PREVIOUS
from .quaternions import Quaternion, norm_squared, normalize, rotate
from .vectors import Vector, subtract


@inlined
def slerp(a: Quaternion, b: Quaternion, fraction: float) -> Quaternion:
    """From a to b along the shorter arc at constant rate; both of unit length."""
    sign = -1.0 if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0 else 1.0
    bx, by, bz, bw = sign * b[0], sign * b[1], sign * b[2], sign * b[3]
    # the angle between the two as points of the sphere, from chord and sum: accurate at all angles, where arc cosine is not
    chord = sqrt(norm_squared((bx - a[0], by - a[1], bz - a[2], bw - a[3])))
    total = sqrt(norm_squared((bx + a[0], by + a[1], bz + a[2], bw + a[3])))
    angle = 2.0 * atan2(chord, total)
    from_a, from_b = 1.0 - fraction, fraction
    if angle > 1e-8:  # below, the arc and its chord agree to rounding
        from_a = sin(from_a * angle) / sin(angle)
        from_b = sin(from_b * angle) / sin(angle)
    return normalize(
        (
            from_a * a[0] + from_b * bx,
            from_a * a[1] + from_b * by,
            from_a * a[2] + from_b * bz,
            from_a * a[3] + from_b * bw,
        )
    )


@inlined
def blended_pose(array: Array, column: int, alpha: float) -> tuple[Vector, Quaternion]:
    """World position of the body's origin, and its orientation, a fraction alpha of the way from the previous tick to the last."""
    before = load_vector(array, PREVIOUS + POSITION, column)
    now = load_vector(array, POSITION, column)
    center = (
        before[0] + alpha * (now[0] - before[0]),
        before[1] + alpha * (now[1] - before[1]),
        before[2] + alpha * (now[2] - before[2]),
    )
    orientation = slerp(
        load_quaternion(array, PREVIOUS + ORIENTATION, column), load_quaternion(array, ORIENTATION, column), alpha
    )
    return subtract(center, rotate(orientation, 2.0, load_vector(array, CENTER_OF_MASS, column))), orientation


@kernel("blended-poses")
def blended_poses(array: Array, first: int, alpha: float, origins: Array, orientations: Array) -> None:
    """Fill `origins` (n, 3) and `orientations` (n, 4) for the n bodies from column `first` on."""
    for index in range(origins.shape[0]):
        origin, orientation = blended_pose(array, first + index, alpha)
        origins[index, 0], origins[index, 1], origins[index, 2] = origin
        orientations[index, 0], orientations[index, 1] = orientation[0], orientation[1]
        orientations[index, 2], orientations[index, 3] = orientation[2], orientation[3]
