"""Rotations as matrices, as axes and angles, and between two orientations: the scalar functions behind `engine.rotation`.

They run as Python on floats, on whole arrays by way of `array_forms`, and compiled in `stacks`, with the same bits each time. A function
whose arguments make no sense together returns nan, which the caller turns into an error. Those that a compiled loop calls are `inlined`.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from math import nan, sqrt

from ..compilation.compiler import inlined
from .quaternions import Quaternion, conjugate, multiply, norm_squared, rotate, rotate_inverse
from .selection import choose
from .trigonometry import arc, sine_cosine_in_range, sine_over_arc
from .vectors import Vector, add_scaled, cross, dot

Rows = tuple[Vector, Vector, Vector]
"""A matrix, row by row."""
Nine = tuple[float, float, float, float, float, float, float, float, float]
"""A matrix as it comes out: row by row, without the brackets."""

UNIT_TOLERANCE = 1e-6
"""How far the length of a quaternion may be from one on the way in."""
SETTLED = 8 * 2.220446049250313e-16
"""How far |q|² of a quaternion that was just normalised is from one, at most."""
MATRIX_TOLERANCE = 1e-6
"""How far an entry of RᵀR may be from the unit matrix's for R to count as a rotation."""
PARALLEL = 1e-6
"""Sine of the angle below which two directions count as one: rounding would decide the plane they span."""

_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_SMALLEST = 2.2250738585072014e-308
"""Smallest normal float: stands for zero where a number is divided by, and leaves every larger length as it is."""


# Arguments, as functions of plain floats: nan for what a full check has to reject.


@inlined
def orientation(q: Quaternion) -> Quaternion:
    """The unit quaternion along one that is within 1e-6 of unit length; one that is of unit length to rounding is left alone."""
    squared = norm_squared(q)
    if abs(squared - 1.0) <= SETTLED:
        return q[0], q[1], q[2], q[3]
    norm = sqrt(squared)
    divisor = norm if abs(norm - 1.0) <= UNIT_TOLERANCE else nan
    return q[0] / divisor, q[1] / divisor, q[2] / divisor, q[3] / divisor


@inlined
def direction(v: Vector) -> Vector:
    """Any vector but zero."""
    x = nan if v[0] == 0.0 and v[1] == 0.0 and v[2] == 0.0 else v[0]
    return x, v[1], v[2]


# What they have in common. No branches from here on: `choose` is a choice between numbers, or between arrays element by element.


@inlined
def unit(v: Vector) -> tuple[Vector, float]:
    """Unit vector and length; a zero vector stays zero."""
    # divided by the largest component first: the squares then neither overflow nor vanish
    largest = max(abs(v[0]), abs(v[1]), abs(v[2]), _SMALLEST)
    scaled = (v[0] / largest, v[1] / largest, v[2] / largest)
    length = sqrt(dot(scaled, scaled))
    divisor = max(length, _SMALLEST)
    return (scaled[0] / divisor, scaled[1] / divisor, scaled[2] / divisor), largest * length


@inlined
def half_turn(direction: Vector, half: float) -> Quaternion:
    """Quaternion of twice the angle `half` about a unit direction."""
    sine, cosine = sine_cosine_in_range(half)
    return sine * direction[0], sine * direction[1], sine * direction[2], cosine


def across(first: Vector, second: Vector) -> tuple[Vector, float]:
    """Unit vector along the part of one unit vector that is at right angles to another, and that part's length."""
    part = add_scaled(second, -dot(second, first), first)
    sine = sqrt(dot(part, part))
    divisor = max(sine, _SMALLEST)
    return (part[0] / divisor, part[1] / divisor, part[2] / divisor), sine


def gram_schmidt(first: Vector, second: Vector) -> tuple[Vector, float]:
    """Unit vector at right angles to the first of two, in their plane, and the sine of the angle between them."""
    # one pass leaves eps/sine along the first, two leave eps
    once, sine = across(first, second)
    twice, correction = across(first, once)
    return twice, sine * correction


@inlined
def from_columns(x: Vector, y: Vector, z: Vector, factor: float) -> Quaternion:
    """Quaternion with w ≥ 0 of the rotation matrix with these columns, divided by a factor: the longest row of 4 q qᵀ.

    Source: Shepperd (1978). Each entry of 4 q qᵀ is linear in the matrix.
    """
    xy, xz, yz = y[0] + x[1], z[0] + x[2], z[1] + y[2]
    xw, yw, zw = y[2] - z[1], z[0] - x[2], x[1] - y[0]
    xx, yy = 1.0 + x[0] - y[1] - z[2], 1.0 - x[0] + y[1] - z[2]
    zz, ww = 1.0 - x[0] - y[1] + z[2], 1.0 + x[0] + y[1] + z[2]
    q = choose(yy > xx, (xy, yy, yz, yw), (xx, xy, xz, xw))
    q = choose(zz > max(xx, yy), (xz, yz, zz, zw), q)
    q = choose(ww > max(xx, yy, zz), (xw, yw, zw, ww), q)
    length = factor * sqrt(norm_squared(q))
    divisor = choose(q[3] < 0.0, -length, length)
    return q[0] / divisor, q[1] / divisor, q[2] / divisor, q[3] / divisor


# The functions themselves.


@inlined
def to_world(q: Quaternion, vector_body: Vector) -> Vector:
    return rotate(q, 2.0, vector_body)


@inlined
def to_body(q: Quaternion, vector_world: Vector) -> Vector:
    return rotate_inverse(q, 2.0, vector_world)


@inlined
def to_matrix(q: Quaternion) -> Nine:
    """Rotation matrix of a unit quaternion: its columns are the turned axes, as `quaternions.rotate` has them."""
    x, y, z, w = q
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return 1.0 - (yy + zz), xy - wz, xz + wy, xy + wz, 1.0 - (xx + zz), yz - wx, xz - wy, yz + wx, 1.0 - (xx + yy)


def from_matrix(matrix: Rows) -> Quaternion:
    """Quaternion of a rotation matrix, with w ≥ 0; nan where it is none."""
    (xx, yx, zx), (xy, yy, zy), (xz, yz, zz) = matrix
    x, y, z = (xx, xy, xz), (yx, yy, yz), (zx, zy, zz)
    fits = (abs(dot(x, x) - 1.0) <= MATRIX_TOLERANCE) & (abs(dot(y, y) - 1.0) <= MATRIX_TOLERANCE)
    fits = fits & (abs(dot(z, z) - 1.0) <= MATRIX_TOLERANCE) & (abs(dot(x, y)) <= MATRIX_TOLERANCE)
    fits = fits & (abs(dot(y, z)) <= MATRIX_TOLERANCE) & (abs(dot(x, z)) <= MATRIX_TOLERANCE)
    fits = fits & (dot(x, cross(y, z)) > 0.0)
    return from_columns(x, y, z, choose(fits, 1.0, nan))


@inlined
def from_axis_angle(axis: Vector, angle: float) -> Quaternion:
    return half_turn(unit(axis)[0], 0.5 * angle)


def to_axis_angle(q: Quaternion) -> tuple[float, float, float, float]:
    """Unit axis and angle [rad] from 0 to π; no turn at all has the axis (0, 0, 1)."""
    (x, y, z), sine = unit((q[0], q[1], q[2]))
    sign = choose(q[3] < 0.0, -1.0, 1.0)
    return sign * x, sign * y, choose(sine == 0.0, 1.0, sign * z), 2.0 * arc(sine, abs(q[3]))


@inlined
def to_rotation_vector(q: Quaternion) -> Vector:
    """Axis times angle [rad], the shorter way round."""
    (x, y, z), sine = unit((q[0], q[1], q[2]))
    angle = choose(q[3] < 0.0, -2.0, 2.0) * arc(sine, abs(q[3]))
    return angle * x, angle * y, angle * z


@inlined
def to_modified_rodrigues(q: Quaternion) -> Vector:
    """Axis times the tangent of a quarter of the angle, the shorter way round."""
    x, y, z, w = q
    whole = choose(w < 0.0, w - 1.0, w + 1.0)
    return x / whole, y / whole, z / whole


@inlined
def from_modified_rodrigues(parameters: Vector) -> Quaternion:
    """``(2 σ, 1 − σ²)/(1 + σ²)``, by the tangent or, beyond half a turn, its inverse, whose square does not overflow."""
    (x, y, z), tangent = unit(parameters)
    is_far = tangent > 1.0
    less = choose(is_far, 1.0 / max(tangent, _SMALLEST), tangent)
    share = 1.0 / (1.0 + less * less)
    sine, cosine = 2.0 * less * share, (1.0 - less) * (1.0 + less) * share
    return sine * x, sine * y, sine * z, choose(is_far, -cosine, cosine)


@inlined
def from_rotation_vector(turn: Vector) -> Quaternion:
    """The same turn as `quaternions.from_rotation_vector`, for vectors of every size."""
    # halved first: the length of a vector of the largest floats would overflow
    direction, half = unit((0.5 * turn[0], 0.5 * turn[1], 0.5 * turn[2]))
    return half_turn(direction, half)


def look_along(forward: Vector, up: Vector) -> Quaternion:
    """Orientation with body z along `forward` and body y as near to `up` as it can be; nan where they lie on one line."""
    z = unit(forward)[0]
    y, sine = gram_schmidt(z, unit(up)[0])
    return from_columns(cross(y, z), y, z, choose(sine > PARALLEL, 1.0, nan))


def slerp(a: Quaternion, b: Quaternion, fraction: float) -> Quaternion:
    """A fraction of the way from a to b the shorter way round; nan outside [0, 1].

    Source: Shoemake (1985); sin(tφ)/sin φ written with sin(x)/x, which holds at φ = 0.
    """
    x, y, z, w = multiply(conjugate(a), b)
    phi = arc(unit((x, y, z))[1], abs(w))
    whole = sine_over_arc(phi)
    rest = 1.0 - fraction
    from_a = rest * (sine_over_arc(rest * phi) / whole)
    from_b = fraction * (sine_over_arc(fraction * phi) / whole)
    from_b = choose(w < 0.0, -from_b, from_b)
    from_b = choose((fraction >= 0.0) & (fraction <= 1.0), from_b, nan)
    return (
        from_a * a[0] + from_b * b[0],
        from_a * a[1] + from_b * b[1],
        from_a * a[2] + from_b * b[2],
        from_a * a[3] + from_b * b[3],
    )


def angle_between(a: Quaternion, b: Quaternion) -> tuple[float]:
    """Angle [rad] from 0 to π of the shortest turn from one orientation to the other."""
    x, y, z, w = multiply(conjugate(a), b)
    return (2.0 * arc(unit((x, y, z))[1], abs(w)),)


def orthonormalize(matrix: Rows) -> Nine:
    """Rotation matrix by Gram and Schmidt; nan where the columns are left-handed or lie in one plane."""
    (tx, nx, bx), (ty, ny, by), (tz, nz, bz) = matrix
    t = unit((tx, ty, tz))[0]
    n, sine = gram_schmidt(t, unit((nx, ny, nz))[0])
    b = cross(t, n)
    volume = sine * dot(b, unit((bx, by, bz))[0])
    return choose(volume > PARALLEL, t[0], nan), n[0], b[0], t[1], n[1], b[1], t[2], n[2], b[2]


@inlined
def rodrigues(axis: Vector, angle: float) -> Nine:
    """R = 1 + sin θ D + (1 − cos θ) D², D v = d × v, entry by entry."""
    x, y, z = unit(axis)[0]
    half_sine, half_cosine = sine_cosine_in_range(0.5 * angle)
    # 1 − cos θ = 2 sin²(θ/2), which keeps its digits at θ = 0
    sine, one_minus_cosine = 2.0 * half_sine * half_cosine, 2.0 * half_sine * half_sine
    sx, sy, sz = sine * x, sine * y, sine * z
    cx, cy, cz = one_minus_cosine * x, one_minus_cosine * y, one_minus_cosine * z
    xy, xz, yz = cx * y, cx * z, cy * z
    xx, yy, zz = cx * x, cy * y, cz * z
    return 1.0 - (yy + zz), xy - sz, xz + sy, xy + sz, 1.0 - (xx + zz), yz - sx, xz - sy, yz + sx, 1.0 - (xx + yy)


SEQUENCES = tuple(
    "".join(letters)
    for axes in ("xyz", "XYZ")
    for count in (1, 2, 3)
    for letters in product(axes, repeat=count)
    if all(a != b for a, b in pairwise(letters))
)
"""Axes of one to three turns in sequence, no axis twice in a row: lower case about fixed axes, upper case about those of the body."""


def from_euler(sequence: str) -> Callable[[Sequence[float]], Quaternion]:
    """Make the function of the angles [rad] of one of the `SEQUENCES`."""
    places = tuple("xyz".index(letter) for letter in sequence.lower())
    order = range(len(places)) if sequence.isupper() else range(len(places) - 1, -1, -1)

    def quaternion(angles: Sequence[float]) -> Quaternion:
        result = half_turn(_AXES[places[order[0]]], 0.5 * angles[order[0]])
        for turn in order[1:]:
            result = multiply(result, half_turn(_AXES[places[turn]], 0.5 * angles[turn]))
        return result

    return quaternion


def to_scalar_first(q: Quaternion) -> Quaternion:
    return q[3], q[0], q[1], q[2]


def from_scalar_first(q: Quaternion) -> Quaternion:
    return q[1], q[2], q[3], q[0]
