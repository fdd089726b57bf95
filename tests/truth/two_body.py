"""Kepler's problem in decimal numbers of sixty digits, by eccentric and hyperbolic anomalies; no universal variable is in it."""

from collections.abc import Callable
from decimal import Decimal, localcontext

DIGITS = 60


def propagate(gm, position, velocity, seconds):
    """Position and velocity after a time, from the exact values of the floats given, as two lists of three floats."""
    with localcontext() as context:
        context.prec = DIGITS
        x, v = [Decimal(float(each)) for each in position], [Decimal(float(each)) for each in velocity]
        f, g, f_rate, g_rate = _lagrange(Decimal(float(gm)), x, v, Decimal(float(seconds)))
        return (
            [float(f * a + g * b) for a, b in zip(x, v, strict=True)],
            [float(f_rate * a + g_rate * b) for a, b in zip(x, v, strict=True)],
        )


def _lagrange(gm, x, v, t):
    """Lagrange's f and g and their rates, for the change of the anomaly from the start."""
    r0, radial = _dot(x, x).sqrt(), _dot(x, v)
    alpha = 2 / r0 - _dot(v, v) / gm  # 1/a
    if alpha == 0:
        s = _root(lambda s: (r0 * s + radial * s**2 / 2 + gm * s**3 / 6 - t, r0 + radial * s + gm * s**2 / 2), t / r0)
        r = r0 + radial * s + gm * s**2 / 2
        g = r0 * s + radial * s**2 / 2
        return 1 - gm * s**2 / (2 * r0), g, -gm * s / (r * r0), 1 - gm * s**2 / (2 * r)
    a = 1 / abs(alpha)
    motion = (gm / a**3).sqrt()  # mean motion
    over_root = radial / (gm * a).sqrt()
    if alpha > 0:
        cosine_0 = 1 - r0 / a

        def kepler(change):
            sine, cosine = sine_cosine(change)
            return (
                change - cosine_0 * sine + over_root * (1 - cosine) - motion * t,
                1 - cosine_0 * cosine + over_root * sine,
            )

        change = _root(kepler, motion * t)
        sine, cosine = sine_cosine(change)
        r = a * kepler(change)[1]
        g = t + (sine - change) / motion
    else:
        cosine_0 = 1 + r0 / a

        def kepler(change):
            sine, cosine = _hyperbolic(change)
            return (
                cosine_0 * sine + over_root * (cosine - 1) - change - motion * t,
                cosine_0 * cosine + over_root * sine - 1,
            )

        change = _root(kepler, Decimal(0))
        sine, cosine = _hyperbolic(change)
        r = a * kepler(change)[1]
        g = t + (change - sine) / motion
    less = abs(1 - cosine)
    return 1 - a / r0 * less, g, -(gm * a).sqrt() * sine / (r * r0), 1 - a / r * less


def _dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), Decimal(0))


def _root(function: Callable[[Decimal], tuple[Decimal, Decimal]], start: Decimal) -> Decimal:
    """The zero of an increasing function that returns value and slope, by Newton's method inside a bracket."""
    low = high = start
    width = Decimal(1) + abs(start) / 10**6
    while function(low)[0] > 0:
        low, width = low - width, 2 * width
    width = Decimal(1) + abs(start) / 10**6
    while function(high)[0] < 0:
        high, width = high + width, 2 * width
    x = (low + high) / 2
    for _ in range(600):
        value, slope = function(x)
        if value > 0:
            high = x
        else:
            low = x
        step = x - value / slope if slope > 0 else low - 1
        following = step if low < step < high else (low + high) / 2
        if abs(following - x) <= abs(x) * Decimal(10) ** (20 - DIGITS):
            return following
        x = following
    raise AssertionError("the decimal solution of Kepler's equation did not converge")


def sine_cosine(x: Decimal) -> tuple[Decimal, Decimal]:
    """Sine and cosine by their series, after the angle was divided by a power of two."""
    with localcontext() as context:
        context.prec = DIGITS + 30 + max(0, x.adjusted())
        halvings = max(0, 3 * (x.adjusted() + 1) + 6)
        y = x / 2**halvings
        term, sine, less, n = y, y, Decimal(0), 1
        while abs(term) > Decimal(10) ** -(context.prec + 5):
            n += 1
            term = term * y / n
            if n % 2:
                sine += term if n % 4 == 1 else -term
            else:
                less += term if n % 4 == 2 else -term
        for _ in range(halvings):  # 1 − cos keeps the digits that cos of a small angle would lose
            sine, less = 2 * sine * (1 - less), 2 * sine * sine
    return +sine, 1 - less


def _hyperbolic(x):
    with localcontext() as context:
        context.prec = DIGITS + 30
        grown = x.exp()
        sine, cosine = (grown - 1 / grown) / 2, (grown + 1 / grown) / 2
    return sine, cosine
