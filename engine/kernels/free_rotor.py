"""The exact motion of a body left alone, for every body, every state and a step of any length, in closed form.

In principal axes the momentum m of a free body is m₁ = A₁ cn u, m₂ = ±A₂ sn u, m₃ = A₃ dn u, u growing with time at the rate λ
(Landau and Lifshitz, Mechanics, section 37). Axis 3 here is the one that the momentum circles, of greatest or of least moment; J₁ is the
moment of the other of these two, J₂ the middle one. The orientation needs one angle more, an integral of the third kind. Both come out of
one descent of arithmetic-geometric means (Gauss's transformation): it ends at m = 0, where the motion is a steady turn of one angle φ.
That angle is added there, and the way back up leads to the new momentum. No inverse function is needed, no period has to be cut off, and
nothing branches.

The integral of the third kind. With g = J₂(J₃ − J₁)/(J₁(J₃ − J₂)) > 1 and ν = g − 1, the turn about m of the frame that is carried along
without twisting has the rate L/J₂ + L(1/J₁ − 1/J₂) cn²/(cn² + g sn²) less that of the azimuth of m in the body. Gauss's transformation of
Π(φ, −ν, k) (DLMF 19.8(iii)) splits off one arc tangent at each level, θ = atan(√g tan φ), and the factors before them come out, for this
body, as plain powers of two: level j enters with 2ʲθⱼ. Summed by parts these are 2ʲ(θⱼ − θⱼ₋₁), differences within a quarter turn which
fall quadratically; as points of the unit circle they are multiplied and squared, and no arc tangent is ever taken. θ₀ is the azimuth
of m itself and drops out. What grows with time is one rate, a sum of terms of one sign.

Every difference is formed from terms of one sign, but for the distance from the separatrix itself. Bodies without
an axis to circle (all moments equal, rest, a spin about a middle axis to the last bit) turn about m at L/J₂, by a mask.
"""

from math import sqrt

from .compiler import inlined
from .quaternions import Quaternion, conjugate, from_rotation_vector, multiply, rotate_inverse
from .rigid_body import MaybeVector
from .trigonometry import sine_cosine
from .vectors import Vector

Level = tuple[float, float, float, float, float, float, float, float, float]
"""At one level of the descent: the two means a and b, c² = a² − b²; N = a√ν and M = √(N² + c²); a√g; at the start of the step
a dn φ, and sin φ and cos φ up to one common factor."""
Place = tuple[float, float, float]
"""sin φ and cos φ up to one common factor, and a dn φ."""

_CLOSEST = 1e-22
"""Least k′: the momentum is taken to pass the middle axis no closer than this (relative). Nine levels then leave k below 1e-10, and
k² times 2⁹ below rounding; a body closer still, but not on the axis, flips after 52/λ as if it were as close as this."""
_NEGLIGIBLE = 1e-50  # beside N, which is at least 1e-20
_TINY = 1e-290  # a square below this is taken for zero: it has lost digits


@inlined
def free_rotor(moments: Vector, momentum: Vector, stored: MaybeVector, step: float) -> tuple[Quaternion, Vector]:
    """How a body turns by itself: exact without stored momentum, with it a step of order two that keeps the momentum to rounding.

    Arguments and result are those of `free_turn`, the momentum being the whole, I ω + h, and `stored` h, or None in loops for worlds where
    no body stores momentum. The energy I⁻¹(m − h)·(m − h)/2 is m·I⁻¹m/2 − m·I⁻¹h but for a constant: the free body of momentum m, and a
    steady turn at the body rates −I⁻¹h, half of it before and half of it after. Where h is zero that turn is the identity, to the
    last bit.
    """
    if stored is None:
        return free_turn(moments, momentum, step)
    half = -0.5 * step
    aside = from_rotation_vector(
        (half * (stored[0] / moments[0]), half * (stored[1] / moments[1]), half * (stored[2] / moments[2]))
    )
    turned, momentum = free_turn(moments, rotate_inverse(aside, 2.0, momentum), step)
    return multiply(aside, multiply(turned, aside)), rotate_inverse(aside, 2.0, momentum)


@inlined
def free_turn(moments: Vector, momentum: Vector, step: float) -> tuple[Quaternion, Vector]:
    """How a free body turns.

    Args:
        moments: Principal moments [kg·m²], ascending.
        momentum: Angular momentum [N·m·s], principal axes.
        step: Time [s], of any length and sign.

    Returns:
        Quaternion of the body at the end relative to the body at the start, principal axes, scalar last, of length 1 to 4.

    Error: a few roundings, and those of the angles turned, eps λ·step and eps L·step/J₁ (compare `tests/test_free_rotor.py`).
    """
    least, middle, greatest = moments
    # L² − 2TI₂: which of the two outer axes the momentum circles
    above = momentum[2] * momentum[2] * ((greatest - middle) / greatest)
    below = momentum[0] * momentum[0] * ((middle - least) / least)
    from_separatrix = above - below
    tie = greatest - middle >= middle - least
    upper = tie if from_separatrix == 0.0 else from_separatrix > 0.0
    j1, j2, j3 = least if upper else greatest, middle, greatest if upper else least
    first = momentum[0] if upper else momentum[2]
    third = momentum[2] if upper else momentum[0]
    # a half turn about axis 1 puts m₃ ≥ 0; changing the roles of axes 1 and 3 takes a reflection of axis 2
    handed = 1.0 if upper else -1.0
    flip_3 = -1.0 if third < 0.0 else 1.0
    flip_2 = handed * flip_3
    m1, m2, m3 = first, flip_2 * momentum[1], flip_3 * third
    (x, y, z, w), (n1, n2, n3) = _turn(j1, j2, j3, handed, m1, m2, m3, abs(from_separatrix), step)
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
    gap_12, gap_13, gap_23 = abs(j2 - j1), abs(j3 - j1), abs(j3 - j2)
    length = sqrt(m1 * m1 + m2 * m2 + m3 * m3)
    e = m2 * m2 * (gap_12 / j2) + m3 * m3 * (gap_13 / j3)  # |L² − 2TJ₁|
    moves = gap_23 * e > _TINY and m1 * m1 + m3 * m3 > 0.0
    # where nothing moves, numbers that spoil nothing
    gap_23 = gap_23 if moves else 1.0
    gap_13 = gap_13 if moves else 1.0
    e = e if moves else 1.0
    root_1, root_2 = sqrt(gap_13 / j1), sqrt(gap_23 / j2)
    pace = root_2 * sqrt(e / (j1 * j3)) if moves else 0.0  # λ
    # the start: cn : sn : dn as they stand in m₁ : m₂ : m₃
    cosine, sine = root_1 * m1, handed * root_2 * m2
    d = cosine * cosine + sine * sine  # |2TJ₃ − L²|
    circles = d > _TINY
    root_d = sqrt(d if circles else 1.0)
    cosine = cosine / root_d if circles else 1.0
    sine = sine / root_d if circles else 0.0
    k_squared = gap_12 * d / (gap_23 * e) if moves else 0.0
    complement = sqrt(gap_13 * from_separatrix / (gap_23 * e)) if moves else 1.0
    complement = complement if complement > _CLOSEST else _CLOSEST
    complement_squared = complement * complement
    delta = sqrt(cosine * cosine + complement_squared * (sine * sine))
    nu = j3 * gap_12 / (j1 * gap_23)
    nu = nu if nu > 1e-40 else 1e-40
    ratio = root_1 / root_2  # √g
    l0 = (1.0, complement, k_squared, sqrt(nu), sqrt(nu + k_squared), ratio, delta, sine, cosine)
    # down: each level doubles the digits of a and b that agree
    l1 = _descend(l0)
    l2 = _descend(l1)
    l3 = _descend(l2)
    l4 = _descend(l3)
    l5 = _descend(l4)
    l6 = _descend(l5)
    l7 = _descend(l6)
    l8 = _descend(l7)
    l9 = _descend(l8)
    # at the bottom φ is u/K·π/2
    turned_sine, turned_cosine = sine_cosine(l9[0] * (pace * step))
    sine, cosine = l9[7], l9[8]
    size = sqrt(sine * sine + cosine * cosine)
    sine, cosine = sine / size, cosine / size
    p9 = (
        sine * turned_cosine + cosine * turned_sine,
        cosine * turned_cosine - sine * turned_sine,
        l9[0],
    )
    # up: where the momentum is now
    p8 = _ascend(l8, l9[0], p9)
    p7 = _ascend(l7, l8[0], p8)
    p6 = _ascend(l6, l7[0], p7)
    p5 = _ascend(l5, l6[0], p6)
    p4 = _ascend(l4, l5[0], p5)
    p3 = _ascend(l3, l4[0], p4)
    p2 = _ascend(l2, l3[0], p3)
    p1 = _ascend(l1, l2[0], p2)
    p0 = _ascend(l0, l1[0], p1)
    # half the angle of the third kind: its bounded part, (((z₈² z₇)² z₆)² …)² z₁
    z = _swing(l8, p8)
    z = _square_times(z, _swing(l7, p7))
    z = _square_times(z, _swing(l6, p6))
    z = _square_times(z, _swing(l5, p5))
    z = _square_times(z, _swing(l4, p4))
    z = _square_times(z, _swing(l3, p3))
    z = _square_times(z, _swing(l2, p2))
    z = _square_times(z, _swing(l1, p1))
    # and its rate
    growth = _growth(l1) + 2.0 * (
        _growth(l2)
        + 2.0
        * (
            _growth(l3)
            + 2.0 * (_growth(l4) + 2.0 * (_growth(l5) + 2.0 * (_growth(l6) + 2.0 * (_growth(l7) + 2.0 * _growth(l8)))))
        )
    )
    rate = length / j1 + handed * pace * (growth - ratio) if moves else length / j2
    sine_half, cosine_half = sine_cosine(0.5 * rate * step)
    swing_sine = handed * z[1] if moves else 0.0
    swing_cosine = z[0] if moves else 1.0
    twist_sine = sine_half * swing_cosine + cosine_half * swing_sine
    twist_cosine = cosine_half * swing_cosine - sine_half * swing_sine
    # The new momentum: through factors that come in and go out again, and ratios that are one where nothing turns, so that no rounded
    # constant pushes it to one side tick after tick.
    size = sqrt(p0[0] * p0[0] + p0[1] * p0[1])
    sine, cosine = p0[0] / size, p0[1] / size
    shrinks = sqrt(cosine * cosine + complement_squared * (sine * sine)) / delta
    turns = moves and circles
    n1 = root_d * cosine / root_1 if turns else m1
    n2 = handed * root_d * sine / root_2 if turns else m2
    n3 = m3 * shrinks if turns else m3
    # from m to axis 3 by the shortest way, the twist, and back to the new m
    inverse = 1.0 / (length if length > 0.0 else 1.0)
    there = (-m2 * inverse, m1 * inverse, 0.0, 1.0 + m3 * inverse)
    back = (-n2 * inverse, n1 * inverse, 0.0, 1.0 + n3 * inverse)
    turned = multiply(there, multiply((0.0, 0.0, twist_sine, twist_cosine), conjugate(back)))
    return turned, (n1, n2, n3)


@inlined
def _descend(level: Level) -> Level:
    """One level down: tan φ grows by dn of the level below, times its a over that of this one."""
    a, b, c_squared, n, m, s, delta, sine, cosine = level
    below = 0.5 * (a + b)
    c = 0.25 * c_squared / below
    # From here on it counts for nothing. Squared again it would become subnormal, which costs processors hundreds of cycles: 170 ns a
    # body in a crowd instead of 115.
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
    """One level up."""
    a, b = level[0], level[1]
    sine, cosine, delta = place_below
    sine_squared, cosine_squared = sine * sine, a_below * (cosine * cosine)
    delta_here = a * (cosine_squared + b * sine_squared) / (cosine_squared + a * sine_squared)
    return sine * a, cosine * delta, delta_here


@inlined
def _lag(level: Level, sine: float, cosine: float, delta: float) -> tuple[float, float]:
    """θ of this level less that of the level above, as a complex number of any length."""
    a, _b, c_squared, n, m, s, _delta, _sine, _cosine = level
    x, y = a * cosine, s * sine
    sine_squared = sine * sine
    size = sine_squared + cosine * cosine
    am, dn = a * m, delta * n
    real = (am + dn) * size * (dn * x * x + am * y * y)
    return real, -x * y * c_squared * (a * a * size + n * n * sine_squared)


@inlined
def _swing(level: Level, place: Place) -> tuple[float, float]:
    """How far that difference has moved in the step, a complex number of length one."""
    start_real, start_imaginary = _lag(level, level[7], level[8], level[6])
    end_real, end_imaginary = _lag(level, place[0], place[1], place[2])
    real = end_real * start_real + end_imaginary * start_imaginary
    imaginary = end_imaginary * start_real - end_real * start_imaginary
    size = 1.0 / sqrt(real * real + imaginary * imaginary)
    return real * size, imaginary * size


@inlined
def _square_times(z: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """z² times another."""
    real, imaginary = z[0] * z[0] - z[1] * z[1], 2.0 * z[0] * z[1]
    return real * other[0] - imaginary * other[1], real * other[1] + imaginary * other[0]


@inlined
def _growth(level: Level) -> float:
    """2 a√g (M/N − 1), the rate that this level adds, but for its power of two."""
    _a, _b, c_squared, n, m, s, _delta, _sine, _cosine = level
    return 2.0 * s * c_squared / (n * (m + n))
