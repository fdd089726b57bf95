"""The clock, which turns wall time into a whole number of ticks and a blend factor, in exact integers."""

import math
import warnings
from fractions import Fraction
from typing import Any, NamedTuple

from .checks import boolean, count_of_ticks, explaining_errors, integer, real

Ratio = float | Fraction
"""A number that is kept exactly as it was given."""


class ClockImage(NamedTuple):
    """What a clock is at one moment; times are in units."""

    max_ticks: int
    time_scale: Ratio
    tick: int
    per_second: int
    owed: int
    dropped: int


@explaining_errors()
class Clock:
    """An accumulator of elapsed time that hands out whole ticks.

    Elapsed time, `dt` and the time scale are used as exact rational numbers (every float is one, with a power of two as its denominator).
    After any number of frames, exactly ``⌊total/dt⌋`` ticks have been handed out. With hundreds of `Fraction` times of unrelated
    denominators, the remainder is rounded down now and then, by less than ``2**-256`` of a tick, so that the cost of a frame stays bounded.
    To tick at exactly 1/90 s rather than at the nearest float, pass ``Fraction(1, 90)``.

    Args:
        dt: Length of a tick [s], above zero.
        max_ticks_per_frame: Maximum number of ticks handed out at once, at least 1. Time beyond that is skipped and counted in
            `dropped_time`. The first frame that skips more than a second of wall time causes a warning.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `dt` is not above zero, or `max_ticks_per_frame` is below 1.

    Example:
        >>> clock = Clock(0.25)
        >>> clock.ticks_for(0.625), clock.ticks_for(0.125), clock.alpha
        (2, 1, 0.0)
    """

    def __init__(self, dt: object, max_ticks_per_frame: int = 8) -> None:
        real(dt, "dt", "Clock", above=0.0)
        self._max_ticks = count_of_ticks(max_ticks_per_frame, "max_ticks_per_frame", "Clock")
        # all times below are integers in units of 1/_per_second seconds
        self._tick, self._per_second = _ratio(dt)
        self._owed = 0
        self._dropped = 0
        self._handed_out = 0  # ticks that have yet to be run
        self._exact_per_second = _power_of_two(self._per_second)
        self._time_scale: Any = 1.0
        self._has_warned = False

    @property
    def max_ticks_per_frame(self) -> int:
        """Maximum number of ticks handed out at once, at least 1."""
        return self._max_ticks

    @max_ticks_per_frame.setter
    def max_ticks_per_frame(self, value: int) -> None:
        self._max_ticks = count_of_ticks(value, "max_ticks_per_frame", "World")

    @property
    def time_scale(self) -> float:
        """Ratio of simulated time to wall time, at least 0; 0.5 is half speed. It changes how many ticks run, never their length."""
        return float(self._time_scale)

    @time_scale.setter
    def time_scale(self, value: object) -> None:
        real(value, "time_scale", "World", at_least=0.0)
        self._time_scale = value

    @property
    def exact_time_scale(self) -> Ratio:
        """Time scale exactly as it was set; a `Fraction` stays a `Fraction`."""
        return self._time_scale

    @property
    def alpha(self) -> float:
        """Fraction of the next tick that elapsed time has already covered, in [0, 1)."""
        alpha = self._owed / self._tick
        return alpha if alpha < 1.0 else _BELOW_ONE  # the quotient may round up to one

    @property
    def dropped_time(self) -> float:
        """Simulated time [s] that was skipped because a frame was too long or because a tick failed."""
        try:
            return self._dropped / self._per_second
        except OverflowError:
            return math.inf

    def keeps_up(self, frames_per_second: int) -> bool:
        """Return whether `max_ticks_per_frame` ticks per frame keep up with the time scale.

        Args:
            frames_per_second: The frame rate [1/s], at least 1.

        Returns:
            True if they keep up.

        Raises:
            TypeError: If `frames_per_second` is not an integer.
            ValueError: If `frames_per_second` is below 1.

        Example:
            >>> Clock(0.25, max_ticks_per_frame=2).keeps_up(2), Clock(0.25, max_ticks_per_frame=2).keeps_up(1)
            (True, False)
        """
        frames_per_second = integer(frames_per_second, "frames_per_second", "Clock.keeps_up", at_least=1)
        scale, denominator = _ratio(self._time_scale)
        return self._tick * self._max_ticks * frames_per_second * denominator >= scale * self._per_second

    def ticks_for(self, elapsed_seconds: object, is_limited: bool = True) -> int:
        """Add elapsed wall time and return how many ticks to run now.

        Args:
            elapsed_seconds: Wall time [s] since the last call, at least 0.
            is_limited: Whether to skip time beyond `max_ticks_per_frame` ticks.

        Returns:
            The number of ticks, at most `max_ticks_per_frame` if it is limited.

        Raises:
            TypeError: If `elapsed_seconds` is not a real number, or `is_limited` is not a bool.
            ValueError: If `elapsed_seconds` is negative or not finite.

        Example:
            >>> clock = Clock(0.25)
            >>> clock.ticks_for(0.625), clock.alpha  # the rest is carried over
            (2, 0.5)
            >>> clock.ticks_for(0.125), clock.alpha
            (1, 0.0)
        """
        if self._exact_per_second and type(elapsed_seconds) is float and 0.0 <= elapsed_seconds < 1e9:
            # a float times a power of two is exact; if the product is whole, it is the time in units
            units = elapsed_seconds * self._exact_per_second
            if self._time_scale == 1.0 and units.is_integer():
                owed = self._owed + int(units)
                if owed < self._tick:
                    self._owed = owed
                    return 0
                return self._hand_out(owed, is_limited)
        real(elapsed_seconds, "elapsed_seconds", "World.advance", at_least=0.0)
        boolean(is_limited, "is_limited", "Clock.ticks_for")
        numerator, denominator = _ratio(elapsed_seconds)
        if self._time_scale != 1.0:
            scale_numerator, scale_denominator = _ratio(self._time_scale)
            numerator *= scale_numerator
            denominator *= scale_denominator
        if self._per_second % denominator:
            self._refine(denominator)
        return self._hand_out(self._owed + numerator * (self._per_second // denominator), is_limited)

    def _hand_out(self, owed: int, is_limited: bool) -> int:
        ticks, left = divmod(owed, self._tick)
        skipped = 0
        if is_limited and ticks > self._max_ticks:
            skipped = ticks - self._max_ticks
            if not self._has_warned:
                self._warn_of(skipped)
            ticks = self._max_ticks
        # at once, so that no interrupt comes between
        self._owed, self._handed_out, self._dropped = left, ticks, self._dropped + skipped * self._tick
        return ticks

    def settle(self, taken: int) -> None:
        """Count the ticks that were handed out last as skipped, except for those that were run; a second call changes nothing.

        Args:
            taken: The number of ticks run.

        Raises:
            TypeError: If `taken` is not an integer.
            ValueError: If `taken` is negative.

        Example:
            >>> clock = Clock(0.25)
            >>> due = clock.ticks_for(1.0)
            >>> clock.settle(taken=1)  # an error ended the frame after one tick
            >>> due, clock.dropped_time
            (4, 0.75)
        """
        taken = integer(taken, "taken", "Clock", at_least=0)
        self._handed_out, self._dropped = 0, self._dropped + max(self._handed_out - taken, 0) * self._tick

    def _warn_of(self, ticks: int) -> None:
        """Warn once if the skipped ticks are more than a second of wall time."""
        skipped = Fraction(ticks * self._tick, self._per_second)
        if skipped <= Fraction(*_ratio(self._time_scale)):
            return
        self._has_warned = True
        warnings.warn(
            f"World.advance: one frame skipped {_seconds(skipped)} of simulated time, because it may run only max_ticks_per_frame = "
            f"{self._max_ticks} ticks. That is normal after a long pause, such as a compilation. If it happens in every frame, "
            "elapsed_seconds may be in milliseconds; it must be in seconds. This is reported once; the total skipped time is in "
            "World.dropped_time",
            stacklevel=5,
        )

    @property
    def exact_dt(self) -> Fraction:
        """Length of a tick [s], exactly as it was given."""
        return Fraction(self._tick, self._per_second)

    def _image(self) -> ClockImage:
        """Everything but the length of a tick in seconds: settings, the unit, the time owed and the time skipped, in units."""
        return ClockImage(self._max_ticks, self._time_scale, self._tick, self._per_second, self._owed, self._dropped)

    def _restore(self, image: ClockImage) -> None:
        """Set everything that `_image` returned, for the same length of a tick."""
        if image.per_second != self._per_second:
            self._exact_per_second = _power_of_two(image.per_second)
        self._max_ticks, self._time_scale, self._tick, self._per_second, self._owed, self._dropped = image
        self._handed_out = 0

    def _refine(self, denominator: int) -> None:
        """Refine the unit of time so that `denominator` divides the units per second."""
        finer = math.lcm(self._per_second, denominator) // self._per_second
        units = self._per_second, self._tick, self._owed, self._dropped
        if (self._per_second * finer).bit_length() > _MOST_BITS:
            units = self._coarse_units()
            finer = math.lcm(units[0], denominator) // units[0]
        per_second, tick, owed, dropped = (finer * number for number in units)
        exact = _power_of_two(per_second)
        # at once, so that no interrupt comes between
        self._per_second, self._tick, self._owed, self._dropped, self._exact_per_second = (
            *(per_second, tick, owed, dropped),
            exact,
        )

    def _coarse_units(self) -> tuple[int, int, int, int]:
        """The numbers of units in the unit of `dt`, divided by a power of two; what is owed and what was skipped are rounded down.

        Each new denominator would otherwise make the unit finer and each frame slower.
        """
        before = self._per_second
        tick, per_second = (part << _FINE_BITS for part in self.exact_dt.as_integer_ratio())
        return per_second, tick, self._owed * per_second // before, self._dropped * per_second // before


_MOST_BITS = 4096
"""The unit is not made finer than ``2**-4096`` s. Floats and time scales that are floats need at most half of these bits."""
_FINE_BITS = 256


def _seconds(time: Fraction) -> str:
    return f"{float(time):.3g} s" if time < 10**300 else "more than 1e300 s"


_BELOW_ONE = math.nextafter(1.0, 0.0)


def _power_of_two(units: int) -> float:
    """The number as a float if it is a power of two, and zero if it is not or if a product could overflow."""
    return float(units) if units & (units - 1) == 0 and units < 2**900 else 0.0


def _ratio(value: Any) -> tuple[int, int]:
    if isinstance(value, int | float | Fraction):
        return value.as_integer_ratio()
    return float(value).as_integer_ratio()
