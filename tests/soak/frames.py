"""Random frame times for the clock, compared with exact rational numbers at every frame."""

import math
import random
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from engine import Clock, MassProperties, World

from .report import Figure

FRAMES = 150
"""Frames per clock. The sum of fractions with unrelated denominators grows by some hundred bits per frame."""
LARGEST_TICK = 3e5
BELOW_ONE = math.nextafter(1.0, 0.0)
MOST_BITS = 4096


def a_tick(rng: random.Random) -> Any:
    """A length of a tick, from the smallest float to 3e5 s."""
    kinds: list[Callable[[], Any]] = [
        lambda: rng.choice((5e-324, 2.2250738585072014e-308, LARGEST_TICK)),
        lambda: rng.choice((1 / 60, 1 / 240, 0.01, Fraction(1, 90), Fraction(1, 60))),
        lambda: min(10.0 ** rng.uniform(-323.0, 5.5), LARGEST_TICK),
        lambda: 10.0 ** rng.uniform(-4.0, 0.0),
        lambda: math.ldexp(1.0, rng.randrange(-1074, 18)),
        lambda: Fraction(rng.randrange(1, 2**40), rng.randrange(1, 2**50)),
    ]
    return rng.choice(kinds)()


def a_scale(rng: random.Random) -> Any:
    """A time scale."""
    kinds: list[Callable[[], Any]] = [
        lambda: 1.0,
        lambda: rng.choice((0.5, 2.0, 0.0, 1e-300, 1e6)),
        lambda: 10.0 ** rng.uniform(-3.0, 3.0),
        lambda: Fraction(rng.randrange(1, 1000), rng.randrange(1, 1000)),
    ]
    return rng.choice(kinds)()


def a_frame(rng: random.Random, kind: int, dt: Any) -> Any:
    """Elapsed time of a frame [s]."""
    if kind == 0:
        return max(0.0, rng.gauss(1 / 60, 2e-3))
    if kind == 1:
        return 10.0 ** rng.uniform(-12.0, 1.0)
    if kind == 2:
        return float(dt) * rng.choice((0.0, 0.5, 1.0, 2.0, rng.uniform(0.0, 12.0)))
    if kind == 3:
        return Fraction(rng.randrange(60), 1000)
    if kind == 4:
        return Fraction(rng.randrange(1, 2**40), 60 * rng.randrange(1, 2**41))
    return rng.choice((0, 1, 5e-324, 2.0**-1030, rng.randrange(3)))


class Exact:
    """The same time in rational numbers."""

    def __init__(self, dt: Any, most: int) -> None:
        self.tick, self.most = Fraction(dt), most
        self.owed, self.dropped = Fraction(0), 0

    def ticks_for(self, elapsed: Any, scale: Any) -> int:
        """The number of ticks of a frame."""
        due, self.owed = divmod(self.owed + Fraction(elapsed) * Fraction(scale), self.tick)
        taken = min(due, self.most)
        self.dropped += due - taken
        return taken


def fly(seed: int, frames: int) -> tuple[int, float]:
    """One clock for some frames, with a time scale, a cap and a state that change on the way.

    Returns:
        The number of frames whose ticks or dropped time were wrong, and the largest error of alpha.
    """
    rng = random.Random(seed)
    dt, most, kind = a_tick(rng), rng.randrange(1, 12), rng.randrange(6)
    clock, exact = Clock(dt, most), Exact(dt, most)
    wrong, worst = 0, 0.0
    for _ in range(frames):
        if rng.random() < 0.02:
            clock.time_scale = a_scale(rng)
        if rng.random() < 0.01:
            exact.most = clock.max_ticks_per_frame = rng.randrange(1, 12)
        if rng.random() < 0.01:
            # a restored clock goes on as before
            other = Clock(dt, 1)
            other._restore(clock._image())
            clock = other
        elapsed = a_frame(rng, kind if rng.random() < 0.9 else rng.randrange(6), dt)
        taken = clock.ticks_for(elapsed)
        if taken and rng.random() < 0.02:
            # a tick failed: what was not run is dropped
            run = rng.randrange(taken)
            clock.settle(run)
            right = exact.ticks_for(elapsed, clock.exact_time_scale)
            exact.dropped += right - run
        else:
            right = exact.ticks_for(elapsed, clock.exact_time_scale)
        alpha = clock.alpha
        is_right = taken == right and 0 <= taken <= clock.max_ticks_per_frame and 0.0 <= alpha < 1.0
        is_right = is_right and clock._dropped == exact.dropped * clock._tick
        wrong += not (is_right and clock._per_second.bit_length() <= MOST_BITS)
        worst = max(worst, abs(alpha - min(float(exact.owed / exact.tick), BELOW_ONE)))
    return wrong, worst


def fly_long(seed: int, frames: int) -> int:
    """One world for many frames of floats; how often its ticks were not those of whole numbers."""
    rng = random.Random(seed)
    unit, dt = 1 << 1074, rng.choice((1 / 60, 0.01, math.pi / 100))
    tick, owed, wrong = int(Fraction(dt) * unit), 0, 0
    world = World(dt, max_ticks_per_frame=1000)
    world.add_body(MassProperties.sphere(1.0, 0.5))
    for _ in range(frames):
        elapsed = 0.05 * rng.random()
        numerator, denominator = elapsed.as_integer_ratio()
        due, owed = divmod(owed + numerator * (unit // denominator), tick)
        wrong += world.advance(elapsed) != due
    return wrong


def run(frames: int, seed: int) -> list[Figure]:
    """So many frames on clocks with random settings, and a tenth as many in a row on one world."""
    wrong, worst = 0, 0.0
    with warnings.catch_warnings(action="ignore"):
        for number in range(max(1, frames // FRAMES)):
            more, off = fly(seed * 1_000_003 + number, FRAMES)
            wrong, worst = wrong + more, max(worst, off)
        long = fly_long(seed, frames // 10)
    return [
        Figure("frames whose ticks, dropped time or alpha were wrong", wrong, 0),
        Figure("largest error of alpha", worst, 2.0**-53),
        Figure("frames of one world whose ticks were wrong", long, 0),
    ]
