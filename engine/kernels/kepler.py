"""The motion of a point around a fixed centre that attracts it: Kepler's problem, for every conic and any time.

Position and velocity at the end are linear in those at the start, with factors made of Lagrange's functions f and g. They follow from one
number s, which grows with time at the rate 1/r and describes ellipse, parabola and hyperbola alike (a universal variable). With
``β = 2 GM/r − v²``, which is GM over the semi-major axis, and Stumpff's functions ``c_k(z) = Σ (−z)ⁿ/(2n + k)!``, the functions
``G_k = sᵏ c_k(β s²)`` give time and distance:

``t = r₀ G₁ + (r₀·v₀) G₂ + GM G₃``, ``r = r₀ G₀ + (r₀·v₀) G₁ + GM G₂``.

Time grows with s, so that the equation for s has one solution. It is found by Laguerre's iteration between a lower and an upper bound that
close in on it. The number of steps is fixed, and no step branches on a value: floats, whole arrays and compiled loops give the same bits.
Whole revolutions of an ellipse are taken off first. Motion backwards in time is the motion with reversed velocity.

Source: Battin, An Introduction to the Mathematics and Methods of Astrodynamics (1999), sections 4.5 and 4.6; Conway, "An improved algorithm
due to Laguerre for the solution of Kepler's equation", Celestial Mechanics 39 (1986); the functions G as in Wisdom and Hernandez, "A fast
and accurate universal Kepler solver without Stumpff series", MNRAS 453 (2015).
"""

from math import factorial, nan, sqrt

from ..compilation.compiler import inlined
from .selection import choose
from .vectors import Vector, cross, dot

Six = tuple[float, float, float, float, float, float]
"""Position and velocity."""

_TWO_PI = 6.283185307179586
_ROUNDER = 6755399441055744.0  # 1.5 × 2⁵²: adding and subtracting it rounds to an integer
_LN_2 = 0.6931471805599453
_POWERS = tuple((2.0 ** (1 << k), float(1 << k)) for k in range(9, -1, -1))
"""The powers of two that take a number of at least 1 below 2, with their exponents."""
_CUBES = tuple((2.0 ** (3 << k), 2.0 ** (1 << k)) for k in range(8, -1, -1))
"""The powers of eight that take a number of at least 1 below 8, with their cube roots."""
_SMALLEST = 2.2250738585072014e-308  # stands for zero where a number is divided by
_LARGEST_SERIES = 8.0
"""The largest z for which Stumpff's series is summed directly; larger ones are quartered first, up to six times."""
_SERIES = tuple((1.0 / factorial(2 * n + 2), 1.0 / factorial(2 * n + 3)) for n in range(13, -1, -1))
"""Coefficients of Stumpff's series of c₂ and c₃ in −z, last first."""
STEPS = 10
"""Steps of the iteration. Of 8e5 random orbits of all kinds, over times from 1e-8 to 1e6 times that of a radius, 0.1 % need more than 6 to
be exact to rounding, and 8 in 8e5 reach their rounding errors, of up to 1e-11 on paths towards a far periapsis, with 10."""


@inlined
def kepler(gm: float, position: Vector, velocity: Vector, seconds: float) -> Six:
    """Position and velocity after a time.

    Args:
        gm: Gravitational parameter GM [m³/s²], above zero.
        position: Position from the centre [m], not zero.
        velocity: Velocity [m/s].
        seconds: Time [s], of any length and sign.

    Returns:
        Position from the centre [m] and velocity [m/s]. A motion straight into the centre is thrown back from it, which is the limit of
        ever narrower orbits.
    """
    distance, radial = sqrt(dot(position, position)), dot(position, velocity)
    beta = 2.0 * gm / distance - dot(velocity, velocity)
    # time left after whole revolutions; before the start, the motion is reversed
    left = within_a_revolution(gm, beta, seconds)
    direction = choose(left < 0.0, -1.0, 1.0)
    time, outwards = abs(left), direction * radial
    eccentricity, nearest = eccentricity_and_nearest(gm, beta, position, velocity)
    high = upper_bound(gm, distance, outwards, beta, eccentricity, nearest, time)
    s = universal_variable(gm, distance, outwards, beta, high, time)
    # Lagrange's functions, in the form of what is added to position and velocity
    g0, g1, g2, g3 = universal_functions(beta, s)
    end = distance * g0 + outwards * g1 + gm * g2
    f_less_one = -gm * g2 / distance
    g = direction * choose(outwards > 0.0, distance * g1 + outwards * g2, time - gm * g3)
    f_rate = -direction * gm * g1 / (distance * end)
    g_rate_less_one = -gm * g2 / end
    x, v = position, velocity
    return (
        x[0] + (f_less_one * x[0] + g * v[0]),
        x[1] + (f_less_one * x[1] + g * v[1]),
        x[2] + (f_less_one * x[2] + g * v[2]),
        v[0] + (f_rate * x[0] + g_rate_less_one * v[0]),
        v[1] + (f_rate * x[1] + g_rate_less_one * v[1]),
        v[2] + (f_rate * x[2] + g_rate_less_one * v[2]),
    )


@inlined
def within_a_revolution(gm: float, beta: float, seconds: float) -> float:
    """The time that is left [s] after whole revolutions of an ellipse, at most half a period; on other orbits the time itself."""
    size = choose(beta > 0.0, beta, 1.0)
    period = _TWO_PI * gm / max(size * sqrt(size), _SMALLEST)
    turns = (seconds / period + _ROUNDER) - _ROUNDER
    return seconds - choose((beta > 0.0) & (turns != 0.0), turns * period, 0.0)


@inlined
def eccentricity_and_nearest(gm: float, beta: float, position: Vector, velocity: Vector) -> tuple[float, float]:
    """Eccentricity, and a distance [m] that is a little less than that of the periapsis, or not above zero.

    It is less by more than the rounding errors of the eccentricity near a circle and of the momentum near a straight line.
    """
    momentum = cross(position, velocity)
    momentum_squared = dot(momentum, momentum)
    eccentricity = sqrt(max(1.0 - beta * (momentum_squared / gm) / gm, 0.0))
    lost = 1e-7 * momentum_squared + 4e-16 * dot(position, position) * dot(velocity, velocity)
    return eccentricity, (momentum_squared - lost) / gm / (1.0 + eccentricity)


@inlined
def universal_variable(gm: float, distance: float, outwards: float, beta: float, high: float, time: float) -> float:
    """The universal variable s, which is not above `high`, after a time that is not negative and, on an ellipse, at most half a period."""
    low = 0.0 * high
    # towards the centre of a hyperbola the bound is the better start, elsewhere the time at the current distance
    is_early = (time < distance * high) & ((beta > 0.0) | (outwards > 0.0))
    s = choose(is_early, time / distance, high)
    for _ in range(STEPS):
        g0, g1, g2, g3 = universal_functions(beta, s)
        excess = (distance * g1 + outwards * g2 + gm * g3) - time
        rate = distance * g0 + outwards * g1 + gm * g2
        curvature = outwards * g0 + (gm - beta * distance) * g1
        low, high = choose(excess <= 0.0, s, low), choose(excess >= 0.0, s, high)
        # Laguerre's step for a polynomial of degree five
        root = sqrt(abs(16.0 * rate * rate - 20.0 * excess * curvature))
        wanted = s - 5.0 * excess / max(rate + root, _SMALLEST)
        s = choose((wanted >= low) & (wanted <= high), wanted, 0.5 * (low + high))
    return s


@inlined
def upper_bound(
    gm: float, distance: float, outwards: float, beta: float, eccentricity: float, nearest: float, time: float
) -> float:
    """A number that s does not exceed: the smallest of three bounds, each of which is close for some orbits.

    The distance is at least q, that of the periapsis, so that ``s ≤ t/q``. Whatever the orbit, ``s³ ≤ 40 t/GM``. The third bound is that of
    the mean anomaly M: on an ellipse the eccentric anomaly changes by at most 2 more than M does, and on a hyperbola
    ``F = arsinh((M + F)/e)``, in which a bound on the right gives one on the left.
    """
    bound = -max(-time / max(nearest, _SMALLEST), -cube_root_or_more(40.0 * (time / gm)))
    # the change of M, and e sinh F and exp(−F) at the start of a hyperbola
    size = max(abs(beta), _SMALLEST)
    root = sqrt(size)
    mean, sine, cosine = time * size * root / gm, outwards * root / gm, 1.0 + distance * size / gm
    e = max(eccentricity, 1.0)
    to_start = choose(sine > 0.0, e / (cosine + abs(sine)), (cosine - sine) / e)
    change = root * bound
    for _ in range(2):
        x = (mean + sine + change) / e
        growth = (abs(x) + sqrt(x * x + 1.0)) * to_start
        change = -max(-change, -logarithm_or_more(max(growth, 1.0)))
    by_mean = choose(beta > 0.0, mean + 2.0, change) / root
    return -max(-bound, -by_mean)


@inlined
def logarithm_or_more(x: float) -> float:
    """Natural logarithm of a number from 1 on, or up to 0.07 more; from a straight line between powers of two."""
    exponent = 0.0
    for power, its_exponent in _POWERS:
        exponent = choose(x >= power, exponent + its_exponent, exponent)
        x = choose(x >= power, x / power, x)
    return _LN_2 * (exponent + x - 0.9)


@inlined
def cube_root_or_more(x: float) -> float:
    """Cube root of a number that is not negative, or up to 1e-3 of it more; above zero also at zero."""
    scale = choose(x < 1.0, 2.0**-341, 1.0)
    x = choose(x < 1.0, max(x, _SMALLEST) * 2.0**1023, x)
    for power, its_root in _CUBES:
        scale = choose(x >= power, scale * its_root, scale)
        x = choose(x >= power, x / power, x)
    root = (6.0 + x) / 7.0
    # Newton's steps, which never end below
    root = (x / (root * root) + 2.0 * root) / 3.0
    root = (x / (root * root) + 2.0 * root) / 3.0
    return scale * root


@inlined
def universal_functions(beta: float, s: float) -> tuple[float, float, float, float]:
    """G₀, G₁, G₂ and G₃, which are sᵏ times Stumpff's functions of ``β s²``.

    The relative error of each is a few roundings times ``1 + √|β| s``. Beyond ``√|β| s`` of 181 on hyperbolas they are nan.
    """
    z = beta * s * s
    # quarter the argument until the series is short
    quarters = 0.0
    for _ in range(6):
        is_large = abs(z) > _LARGEST_SERIES
        quarters = choose(is_large, quarters + 1.0, quarters)
        z = choose(is_large, 0.25 * z, z)
    z = choose(abs(z) > _LARGEST_SERIES, nan, z)
    c2 = c3 = 0.0
    for factor_2, factor_3 in _SERIES:
        c2, c3 = factor_2 - z * c2, factor_3 - z * c3
    c1, c0 = 1.0 - z * c3, 1.0 - z * c2
    # twice the angle, as often as it was halved
    for k in range(6):
        is_due = quarters > k
        c3 = choose(is_due, 0.25 * (c2 + c0 * c3), c3)
        c2 = choose(is_due, 0.5 * c1 * c1, c2)
        c1 = choose(is_due, c0 * c1, c1)
        c0 = choose(is_due, 2.0 * c0 * c0 - 1.0, c0)
    return c0, s * c1, s * s * c2, s * s * s * c3
