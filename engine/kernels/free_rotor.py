"""The exact rotation of a free rigid body in closed form, for every body, every state and a step of any length.

In principal axes the momentum m of a free body is ``m₁ = A₁ cn u``, ``m₂ = ±A₂ sn u``, ``m₃ = A₃ dn u``, and u grows with time at the rate
λ (Landau and Lifshitz, Mechanics, section 37). Axis 3 is the axis that the momentum circles, with either the greatest or the least moment.
J₁ is the moment of the other of these two axes, and J₂ is the middle moment. The orientation needs one more angle, an elliptic integral of
the third kind. Momentum and angle both come from one descent of arithmetic-geometric means (Gauss's transformation):

1. Descend to a level where the modulus k is zero to rounding. There the motion is a steady rotation of one angle φ.
2. Advance that angle by its steady rate times the step.
3. Ascend through the same levels to the new momentum.

This needs no inverse function, no reduction by whole periods and no branches.

The integral of the third kind: let ``g = J₂(J₃ − J₁)/(J₁(J₃ − J₂)) > 1`` and ``ν = g − 1``. The rotation about m is measured against a
frame that follows m without twist. Its rate is ``L/J₂ + L(1/J₁ − 1/J₂) cn²/(cn² + g sn²)`` minus the rate of the azimuth of m in the body.
Gauss's transformation of Π(φ, −ν, k) (DLMF 19.8(iii)) splits off one arc tangent per level, ``θ = atan(√g tan φ)``. For a rigid body the
factors of these arc tangents are powers of two, so that level j contributes 2ʲθⱼ. Summation by parts gives the terms 2ʲ(θⱼ − θⱼ₋₁). Each
difference is within a quarter turn, and the differences decrease quadratically with the level. They are represented as points on the unit
circle, which are multiplied and squared, so no arc tangent is evaluated. θ₀ is the azimuth of m itself and cancels. The part that grows
with time has one constant rate, a sum of terms of equal sign.

Every difference is computed from terms of equal sign, except the distance from the separatrix. If the momentum circles no axis (all moments
equal, a body at rest, or a rotation about the intermediate axis to the last bit), a mask selects a rotation about m at the rate L/J₂.
"""

from math import sqrt

from ..compilation.compiler import inlined
from .quaternions import Quaternion, conjugate, from_rotation_vector, multiply, rotate_inverse
from .rigid_body import MaybeVector
from .trigonometry import sine_cosine
from .vectors import Vector

Level = tuple[float, float, float, float, float, float, float, float, float]
"""One level of the descent.

The entries are the two means a and b, ``c² = a² − b²``, ``N = a√ν``, ``M = √(N² + c²)``, a√g and, at the start of the step, a dn φ and
sin φ and cos φ up to a common factor.
"""
Place = tuple[float, float, float]
"""sin φ and cos φ up to a common factor, and a dn φ."""

_CLOSEST = 1e-22
"""Lower limit of k′, the relative distance at which the momentum passes the intermediate axis.

With this limit, nine levels reduce k below 1e-10 and k² times 2⁹ below rounding. A body that is closer to the axis, but not on it, flips
after 52/λ, as if it were at this distance.
"""
_NEGLIGIBLE = 1e-50  # compared with N, which is at least 1e-20
_TINY = 1e-290  # a square below this has lost digits and is treated as zero


@inlined
def free_rotor(moments: Vector, momentum: Vector, stored: MaybeVector, step: float) -> tuple[Quaternion, Vector]:
    """Rotate a free body for a time, exactly without stored momentum and to order two with it.

    With stored momentum, the step conserves the momentum to rounding. Arguments and result are those of `free_turn`, except that the
    momentum is the total I ω + h, and `stored` is h. It is None in loops for worlds in which no body stores momentum.

    Up to a constant, the energy ``I⁻¹(m − h)·(m − h)/2`` is ``m·I⁻¹m/2 − m·I⁻¹h``. The first term is a free body of momentum m. The second
    term is a steady rotation at the body rates −I⁻¹h. Half of it is applied before the free body's rotation and half after it. If h is
    zero, this rotation is the identity to the last bit.
    """
    if stored is None:
        return free_turn(moments, momentum, step)
    # half of the steady rotation at the rates −I⁻¹h
    half = -0.5 * step
    aside = from_rotation_vector(
        (half * (stored[0] / moments[0]), half * (stored[1] / moments[1]), half * (stored[2] / moments[2]))
    )
    # first half, free body, second half
    turned, momentum = free_turn(moments, rotate_inverse(aside, 2.0, momentum), step)
    return multiply(aside, multiply(turned, aside)), rotate_inverse(aside, 2.0, momentum)


@inlined
def free_turn(moments: Vector, momentum: Vector, step: float) -> tuple[Quaternion, Vector]:
    """Rotate a free body for a time.

    Args:
        moments: Principal moments [kg·m²], ascending.
        momentum: Angular momentum [N·m·s], principal axes.
        step: Time [s], of any length and sign.

    Returns:
        Quaternion of the body at the end relative to the body at the start, principal axes, scalar last, with a norm from 1 to 4, and the
        momentum at the end.

    Error: a few roundings, plus the rounding of the rotation angles, eps λ·step and eps L·step/J₁ (see `tests/physics/test_free_rotor.py`).
    """
    least, middle, greatest = moments
    # The sign of L² − 2TI₂ tells which outer axis the momentum circles. On the separatrix the choice depends on the moments only.
    above = momentum[2] * momentum[2] * ((greatest - middle) / greatest)
    below = momentum[0] * momentum[0] * ((middle - least) / least)
    from_separatrix = above - below
    tie = greatest - middle >= middle - least
    upper = tie if from_separatrix == 0.0 else from_separatrix > 0.0
    # roles of the axes: axis 3 is the circled axis
    j1, j2, j3 = least if upper else greatest, middle, greatest if upper else least
    first = momentum[0] if upper else momentum[2]
    third = momentum[2] if upper else momentum[0]
    # A half turn about axis 1 makes m₃ ≥ 0. Exchanging axes 1 and 3 also requires a reflection of axis 2.
    handed = 1.0 if upper else -1.0
    flip_3 = -1.0 if third < 0.0 else 1.0
    flip_2 = handed * flip_3
    m1, m2, m3 = first, flip_2 * momentum[1], flip_3 * third
    (x, y, z, w), (n1, n2, n3) = _turn(j1, j2, j3, handed, m1, m2, m3, abs(from_separatrix), step)
    # undo the half turn, the reflection and the exchange of axes
    y, z = flip_2 * y, flip_3 * z
    n2, n3 = flip_2 * n2, flip_3 * n3
    return (x if upper else z, y, z if upper else x, w), (n1 if upper else n3, n2, n3 if upper else n1)


@inlined
def _turn(
    j1: float,
    j2: float,
    j3: float,
    handed: float,
    m1: float,
    m2: float,
    m3: float,
    from_separatrix: float,
    step: float,
) -> tuple[Quaternion, Vector]:
    # differences of the moments, length of the momentum, and whether the momentum moves in the body
    gap_12, gap_13, gap_23 = abs(j2 - j1), abs(j3 - j1), abs(j3 - j2)
    length = sqrt(m1 * m1 + m2 * m2 + m3 * m3)
    e = m2 * m2 * (gap_12 / j2) + m3 * m3 * (gap_13 / j3)  # |L² − 2TJ₁|
    moves = gap_23 * e > _TINY and m1 * m1 + m3 * m3 > 0.0
    # if it does not move, harmless values keep the formulas below finite
    gap_23 = gap_23 if moves else 1.0
    gap_13 = gap_13 if moves else 1.0
    e = e if moves else 1.0
    # rate λ of the argument u
    root_1, root_2 = sqrt(gap_13 / j1), sqrt(gap_23 / j2)
    pace = root_2 * sqrt(e / (j1 * j3)) if moves else 0.0  # λ
    # cn and sn at the start, from m₁ and m₂
    cosine, sine = root_1 * m1, handed * root_2 * m2
    d = cosine * cosine + sine * sine  # |2TJ₃ − L²|
    circles = d > _TINY
    root_d = sqrt(d if circles else 1.0)
    cosine = cosine / root_d if circles else 1.0
    sine = sine / root_d if circles else 0.0
    # modulus k, its complement k′ and dn at the start
    k_squared = gap_12 * d / (gap_23 * e) if moves else 0.0
    complement = sqrt(gap_13 * from_separatrix / (gap_23 * e)) if moves else 1.0
    complement = complement if complement > _CLOSEST else _CLOSEST
    complement_squared = complement * complement
    delta = sqrt(cosine * cosine + complement_squared * (sine * sine))
    # parameter of the integral of the third kind, ν = g − 1, and the top level of the descent
    nu = j3 * gap_12 / (j1 * gap_23)
    nu = nu if nu > 1e-40 else 1e-40
    ratio = root_1 / root_2  # √g
    l0 = (1.0, complement, k_squared, sqrt(nu), sqrt(nu + k_squared), ratio, delta, sine, cosine)
    # descent: each level doubles the number of digits in which a and b agree
    l1 = _descend(l0)
    l2 = _descend(l1)
    l3 = _descend(l2)
    l4 = _descend(l3)
    l5 = _descend(l4)
    l6 = _descend(l5)
    l7 = _descend(l6)
    l8 = _descend(l7)
    l9 = _descend(l8)
    # bottom: φ grows steadily, by the mean a times λ times the step
    turned_sine, turned_cosine = sine_cosine(l9[0] * (pace * step))
    sine, cosine = l9[7], l9[8]
    size = sqrt(sine * sine + cosine * cosine)
    sine, cosine = sine / size, cosine / size
    p9 = (
        sine * turned_cosine + cosine * turned_sine,
        cosine * turned_cosine - sine * turned_sine,
        l9[0],
    )
    # ascent: φ at each level at the end of the step
    p8 = _ascend(l8, l9[0], p9)
    p7 = _ascend(l7, l8[0], p8)
    p6 = _ascend(l6, l7[0], p7)
    p5 = _ascend(l5, l6[0], p6)
    p4 = _ascend(l4, l5[0], p5)
    p3 = _ascend(l3, l4[0], p4)
    p2 = _ascend(l2, l3[0], p3)
    p1 = _ascend(l1, l2[0], p2)
    p0 = _ascend(l0, l1[0], p1)
    # half the angle of the integral of the third kind: its periodic part is (((z₈² z₇)² z₆)² …)² z₁
    z = _swing(l8, p8)
    z = _square_times(z, _swing(l7, p7))
    z = _square_times(z, _swing(l6, p6))
    z = _square_times(z, _swing(l5, p5))
    z = _square_times(z, _swing(l4, p4))
    z = _square_times(z, _swing(l3, p3))
    z = _square_times(z, _swing(l2, p2))
    z = _square_times(z, _swing(l1, p1))
    # the rate of its part that grows with time
    growth = _growth(l1) + 2.0 * (
        _growth(l2)
        + 2.0
        * (
            _growth(l3)
            + 2.0 * (_growth(l4) + 2.0 * (_growth(l5) + 2.0 * (_growth(l6) + 2.0 * (_growth(l7) + 2.0 * _growth(l8)))))
        )
    )
    rate = length / j1 + handed * pace * (growth - ratio) if moves else length / j2
    # half the angle of rotation about m, which is the sum of both parts
    sine_half, cosine_half = sine_cosine(0.5 * rate * step)
    swing_sine = handed * z[1] if moves else 0.0
    swing_cosine = z[0] if moves else 1.0
    twist_sine = sine_half * swing_cosine + cosine_half * swing_sine
    twist_cosine = cosine_half * swing_cosine - sine_half * swing_sine
    # The new momentum. Each factor applied at the start is divided out again, and each ratio is one if nothing rotates. No rounded constant
    # can therefore cause a drift over many ticks.
    size = sqrt(p0[0] * p0[0] + p0[1] * p0[1])
    sine, cosine = p0[0] / size, p0[1] / size
    shrinks = sqrt(cosine * cosine + complement_squared * (sine * sine)) / delta
    turns = moves and circles
    n1 = root_d * cosine / root_1 if turns else m1
    n2 = handed * root_d * sine / root_2 if turns else m2
    n3 = m3 * shrinks if turns else m3
    # the rotation: from m to axis 3 along the shortest arc, the rotation about m, and from axis 3 to the new m along the shortest arc
    inverse = 1.0 / (length if length > 0.0 else 1.0)
    there = (-m2 * inverse, m1 * inverse, 0.0, 1.0 + m3 * inverse)
    back = (-n2 * inverse, n1 * inverse, 0.0, 1.0 + n3 * inverse)
    turned = multiply(there, multiply((0.0, 0.0, twist_sine, twist_cosine), conjugate(back)))
    return turned, (n1, n2, n3)


@inlined
def _descend(level: Level) -> Level:
    """Compute the next lower level; tan φ is multiplied by dn of the lower level and by the ratio of its a to the a of this level."""
    a, b, c_squared, n, m, s, delta, sine, cosine = level
    below = 0.5 * (a + b)
    c = 0.25 * c_squared / below
    # Below this limit c has no effect. The next square would be subnormal, which costs processors hundreds of cycles: 170 ns per body
    # instead of 115 ns, measured in a world of many bodies.
    c_squared_below = c * c if c > _NEGLIGIBLE else _NEGLIGIBLE * _NEGLIGIBLE
    n_below = 0.5 * (n + m)
    m_below = sqrt(n_below * n_below + c_squared_below)
    delta_below = sqrt(a * below * (delta + b) / (a + delta))
    return (
        below,
        sqrt(a * b),
        c_squared_below,
        n_below,
        m_below,
        s * n_below / m_below,
        delta_below,
        sine * delta_below,
        cosine * a,
    )


@inlined
def _ascend(level: Level, a_below: float, place_below: Place) -> Place:
    """Compute φ and a dn φ at this level from the next lower level."""
    a, b = level[0], level[1]
    sine, cosine, delta = place_below
    sine_squared, cosine_squared = sine * sine, a_below * (cosine * cosine)
    delta_here = a * (cosine_squared + b * sine_squared) / (cosine_squared + a * sine_squared)
    return sine * a, cosine * delta, delta_here


@inlined
def _lag(level: Level, sine: float, cosine: float, delta: float) -> tuple[float, float]:
    """θ of this level minus θ of the next higher level, as the argument of a complex number of any absolute value."""
    a, _b, c_squared, n, m, s, _delta, _sine, _cosine = level
    x, y = a * cosine, s * sine
    sine_squared = sine * sine
    size = sine_squared + cosine * cosine
    am, dn = a * m, delta * n
    real = (am + dn) * size * (dn * x * x + am * y * y)
    return real, -x * y * c_squared * (a * a * size + n * n * sine_squared)


@inlined
def _swing(level: Level, place: Place) -> tuple[float, float]:
    """Change of that difference over the step, as a complex number of absolute value one."""
    start_real, start_imaginary = _lag(level, level[7], level[8], level[6])
    end_real, end_imaginary = _lag(level, place[0], place[1], place[2])
    real = end_real * start_real + end_imaginary * start_imaginary
    imaginary = end_imaginary * start_real - end_real * start_imaginary
    size = 1.0 / sqrt(real * real + imaginary * imaginary)
    return real * size, imaginary * size


@inlined
def _square_times(z: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """z² times another complex number."""
    real, imaginary = z[0] * z[0] - z[1] * z[1], 2.0 * z[0] * z[1]
    return real * other[0] - imaginary * other[1], real * other[1] + imaginary * other[0]


@inlined
def _growth(level: Level) -> float:
    """``2 a√g (M/N − 1)``, the contribution of this level to the rate, without its power of two."""
    _a, _b, c_squared, n, m, s, _delta, _sine, _cosine = level
    return 2.0 * s * c_squared / (n * (m + n))
