"""Symmetric tensors as six numbers (xx, yy, zz, xy, xz, yz): inverse, principal axes, and inertia about moved points."""

from math import sqrt

from ..compilation.compiler import inlined
from .quaternions import Quaternion
from .rotations import from_columns
from .vectors import Symmetric, Vector

MOST_SWEEPS = 40
"""Sweeps of Jacobi's rotations at most; 5 were the most in 2e4 tensors, including equal moments, and the bound makes the loop finite."""
_NEGLIGIBLE = 2.0**-110
"""An eighth of an ulp of the moments, squared. Without this limit, exactly equal moments would need hundreds of sweeps."""


@inlined
def inverse(tensor: Symmetric) -> Symmetric:
    """The inverse of a positive definite tensor, by elimination without square roots (``I = L D Lᵀ``).

    The adjugate over the determinant is as accurate for real bodies. If two moments are small, as ``physical=False`` allows, its
    determinant cancels twice: for moments (1e-6, 1e-6, 1) about skew axes its error was 9e-6, against 4e-11 here.
    """
    xx, yy, zz, xy, xz, yz = tensor
    lower_yx, lower_zx = xy / xx, xz / xx
    pivot_y = yy - lower_yx * xy
    rest_yz = yz - lower_yx * xz
    lower_zy = rest_yz / pivot_y
    pivot_z = zz - lower_zx * xz - lower_zy * rest_yz
    # backwards through Lᵀ X = D⁻¹ L⁻¹, of which diagonal and upper triangle are those of D⁻¹
    inverse_zz = 1.0 / pivot_z
    inverse_yz = -lower_zy * inverse_zz
    inverse_yy = 1.0 / pivot_y - lower_zy * inverse_yz
    inverse_xz = -lower_yx * inverse_yz - lower_zx * inverse_zz
    inverse_xy = -lower_yx * inverse_yy - lower_zx * inverse_yz
    inverse_xx = 1.0 / xx - lower_yx * inverse_xy - lower_zx * inverse_xz
    return inverse_xx, inverse_yy, inverse_zz, inverse_xy, inverse_xz, inverse_yz


@inlined
def is_positive_definite(tensor: Symmetric) -> bool:
    """Whether all pivots of the elimination are above zero."""
    xx, yy, zz, xy, xz, yz = tensor
    if not xx > 0.0:
        return False
    pivot_y = yy - xy / xx * xy
    if not pivot_y > 0.0:
        return False
    rest_yz = yz - xy / xx * xz
    return zz - xz / xx * xz - rest_yz / pivot_y * rest_yz > 0.0


@inlined
def principal(tensor: Symmetric) -> tuple[Vector, Vector, Vector, Vector]:
    """The moments in ascending order and their axes, which are right-handed.

    Jacobi's rotations keep their accuracy for nearly equal moments, which every nearly symmetric spacecraft has. The roots of the
    characteristic cubic lose half of their digits there, and need a library's arccosine.

    Source: C. G. J. Jacobi 1846; the smaller root for the tangent as in H. Rutishauser 1966.
    """
    xx, yy, zz, xy, xz, yz = tensor
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    for _sweep in range(MOST_SWEEPS):
        if xy == 0.0 and xz == 0.0 and yz == 0.0:
            break
        xx, yy, xy, xz, yz, x, y = _turned(xx, yy, xy, xz, yz, x, y)
        xx, zz, xz, xy, yz, x, z = _turned(xx, zz, xz, xy, yz, x, z)
        yy, zz, yz, xy, xz, y, z = _turned(yy, zz, yz, xy, xz, y, z)
    # sort, so that equal moments keep the body's order; an exchange of two axes leaves a left-handed triple
    a, b, c, first, second, third, flipped = xx, yy, zz, x, y, z, False
    if b < a:
        a, b, first, second, flipped = b, a, second, first, not flipped
    if c < b:
        b, c, second, third, flipped = c, b, third, second, not flipped
        if b < a:
            a, b, first, second, flipped = b, a, second, first, not flipped
    if flipped:
        third = (0.0 - third[0], 0.0 - third[1], 0.0 - third[2])
    return (a, b, c), first, second, third


@inlined
def _turned(
    pp: float, qq: float, pq: float, rp: float, rq: float, p: Vector, q: Vector
) -> tuple[float, float, float, float, float, Vector, Vector]:
    """Rotate in the plane of the axes p and q so that their off-diagonal element becomes zero; r is the third axis."""
    if pq * pq <= _NEGLIGIBLE * abs(pp * qq):
        return pp, qq, 0.0, rp, rq, p, q
    cotangent_of_double = (qq - pp) / (2.0 * pq)
    root = abs(cotangent_of_double) + sqrt(cotangent_of_double * cotangent_of_double + 1.0)
    # at equal moments the sign is that of the element
    is_positive = cotangent_of_double > 0.0 or (cotangent_of_double == 0.0 and pq > 0.0)
    tangent = 1.0 / root if is_positive else -1.0 / root
    cosine = 1.0 / sqrt(tangent * tangent + 1.0)
    sine = tangent * cosine
    return (
        pp - tangent * pq,
        qq + tangent * pq,
        0.0,
        cosine * rp - sine * rq,
        sine * rp + cosine * rq,
        (cosine * p[0] - sine * q[0], cosine * p[1] - sine * q[1], cosine * p[2] - sine * q[2]),
        (sine * p[0] + cosine * q[0], sine * p[1] + cosine * q[1], sine * p[2] + cosine * q[2]),
    )


@inlined
def principal_quaternion(first: Vector, second: Vector, third: Vector) -> Vector:
    """x, y, z of a quaternion for principal axes, chosen so that w is at least 1/2 and follows from them without loss.

    Half turns about the principal axes only change the signs of the axes, and permute the components of the quaternion.
    """
    x, y, z, w = from_columns(first, second, third, 1.0)
    best: Quaternion = (x, y, z, w)
    if abs(x) > abs(best[3]):
        best = (w, z, -y, -x)
    if abs(y) > abs(best[3]):
        best = (-z, w, x, -y)
    if abs(z) > abs(best[3]):
        best = (y, -x, w, -z)
    if best[3] > 0.0:
        return best[0], best[1], best[2]
    return -best[0], -best[1], -best[2]


@inlined
def about_joint_center(
    mass: float, center: Vector, inertia: Symmetric, other_mass: float, other_center: Vector, other_inertia: Symmetric
) -> tuple[float, Vector, Symmetric]:
    """Mass, mass centre and inertia about it of two bodies together, each given in the same way."""
    if other_mass == 0.0:
        return mass, center, inertia
    total = mass + other_mass
    x, y, z = other_center[0] - center[0], other_center[1] - center[1], other_center[2] - center[2]
    share = other_mass / total
    reduced = mass * share
    joint = center[0] + share * x, center[1] + share * y, center[2] + share * z
    xx, yy, zz, xy, xz, yz = inertia
    return (
        total,
        joint,
        (
            xx + other_inertia[0] + reduced * (y * y + z * z),
            yy + other_inertia[1] + reduced * (x * x + z * z),
            zz + other_inertia[2] + reduced * (x * x + y * y),
            xy + other_inertia[3] - reduced * (x * y),
            xz + other_inertia[4] - reduced * (x * z),
            yz + other_inertia[5] - reduced * (y * z),
        ),
    )


@inlined
def less_about_axis(inertia: Symmetric, moment: float, axis: Vector) -> Symmetric:
    """The inertia without a moment about one axis, ``I − J g gᵀ``."""
    xx, yy, zz, xy, xz, yz = inertia
    x, y, z = axis
    return (
        xx - moment * (x * x),
        yy - moment * (y * y),
        zz - moment * (z * z),
        xy - moment * (x * y),
        xz - moment * (x * z),
        yz - moment * (y * z),
    )
