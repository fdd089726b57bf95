"""Poses for drawing, interpolated between the last two ticks."""

from math import sqrt

import numpy as np

from ..compilation.choice import named, ready
from ..compilation.compiler import call, inlined, kernel, use_widest_vectors
from ..compilation.kernel_types import Arguments
from ..kernels.quaternions import Quaternion, norm_squared, normalize, rotate
from ..kernels.trigonometry import arc_tangent, sine_of_arc
from ..kernels.vectors import Vector, subtract
from .columns import Array, Integers, load_quaternion, load_vector, store_quaternion, store_vector
from .layout import CENTER_OF_MASS, ORIENTATION, POSITION, PREVIOUS

BLOCK = 264
"""Number of bodies whose poses are interpolated before they are written to the result."""


@inlined
def slerp(a: Quaternion, b: Quaternion, fraction: float) -> Quaternion:
    """Interpolate from a to b along the shorter arc at constant rate; both have unit length."""
    sign = -1.0 if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0 else 1.0
    bx, by, bz, bw = sign * b[0], sign * b[1], sign * b[2], sign * b[3]
    # The angle between the two unit quaternions is computed from the lengths of their difference and their sum. This is accurate at all
    # angles, which an arc cosine is not.
    chord = sqrt(norm_squared((bx - a[0], by - a[1], bz - a[2], bw - a[3])))
    total = sqrt(norm_squared((bx + a[0], by + a[1], bz + a[2], bw + a[3])))
    angle = 2.0 * arc_tangent(chord / total)
    curved = angle > 1e-8  # for smaller angles the arc and its chord agree to rounding
    inverse_sine = 1.0 / (0.5 * chord * total if curved else 1.0)
    from_a = sine_of_arc((1.0 - fraction) * angle) * inverse_sine if curved else 1.0 - fraction
    from_b = sine_of_arc(fraction * angle) * inverse_sine if curved else fraction
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
    """Return the world position of the body's origin and its orientation, at a fraction alpha between the previous tick and the last."""
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
def blended_poses(
    array: Array, scratch: Array, first: int, count: int, alpha: float, origins: Array, orientations: Array
) -> int:
    """Fill arrays of shape (count, 3) and (count, 4) with the origins and the orientations of adjacent bodies, from the first one on.

    The poses of one block of bodies are first written to `scratch` (7, block), with one row per component, and then copied to the results,
    with one row per body. A loop that wrote directly to one row per body would not vectorise. The array may have any pitch: this one takes
    20 ns per body with 250 bodies, as it did when it was compiled for each pitch.
    """
    use_widest_vectors()
    if scratch.shape[1] != BLOCK:
        return -1
    for begin in range(0, count, BLOCK):
        end = min(begin + BLOCK, count)
        for place in range(begin, end):
            origin, orientation = blended_pose(array, first + place, alpha)
            store_vector(scratch, 0, place - begin, origin)
            store_quaternion(scratch, 3, place - begin, orientation)
        for place in range(begin, end):
            for row in range(3):
                origins[place, row] = scratch[row, place - begin]
            for row in range(4):
                orientations[place, row] = scratch[3 + row, place - begin]
    return 0


_TABLE = np.zeros((1, 1))
POSES_LOOP = named(blended_poses, _TABLE, _TABLE, 0, 0, 0.0, _TABLE, _TABLE)
"""The loop that interpolates the poses of bodies."""


def interpolated(array: Array, first: int, count: int, alpha: float, may_stand_in: bool) -> tuple[Array, Array]:
    """Return the origins and the orientations of adjacent bodies, from the first one on; plain Python may stand in for the kernel."""
    origins, orientations = np.empty((count, 3)), np.empty((count, 4))
    ready(POSES_LOOP, may_stand_in)(array, np.empty((7, BLOCK)), first, count, alpha, origins, orientations)
    return origins, orientations


@kernel("sampled-ticks")
def sampled_ticks(
    array: Array,
    samples: Array,
    columns: Integers,
    calls: Integers,
    arguments: Arguments,
    every: int,
    first: int,
    last: int,
) -> int:
    """Run ticks by a loop over bodies and store the poses after every so many of them.

    Args:
        array: The bodies.
        samples: Receives the components of the poses, shape (samples, components · columns).
        columns: The bodies whose poses are stored.
        calls: The address of the loop.
        arguments: The arguments of the loop without the number of ticks.
        every: Number of ticks between two samples.
        first: The first sample to store.
        last: The sample before which to end.

    Returns:
        The number of samples stored before `last` or before the first tick that did not end finite.
    """
    count = columns.shape[0]
    for sample in range(first, last):
        if call(calls[0], (*arguments, every)) != every:
            return sample
        for component in range(ORIENTATION + 4):
            for place in range(count):
                samples[sample, component * count + place] = array[component, columns[place]]
    return last
