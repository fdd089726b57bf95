"""Pulses of valves whose mean thrust is a wanted share of full thrust."""

from __future__ import annotations  # help() then shows them as written

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, explaining_errors, integer, is_row, reader, real, refuse, stack
from ..compilation.choice import Loop, named
from ..loops import pulses

_SLACK = 1e-9
"""Shares may exceed 0 and 1 by this much, from rounding."""


class Pulses(NamedTuple):
    """The pulses of the valves in one period, and the state for the next period.

    Example:
        >>> modulator = PulseModulator(min_on_time=0.25, period=1.0)
        >>> pulses = modulator.update((0.5, 0.125), modulator.initial_state(2))
        >>> pulses.durations.tolist(), pulses.areas.tolist()
        ([0.5, 0.0], [0.5, 0.0])
    """

    durations: FloatArray
    """Time for which each valve is open [s], from the start of the period, shape (..., n); 0 for no pulse."""
    areas: FloatArray
    """Impulse of each jet in the period over its full thrust [s], shape (..., n)."""
    state: FloatArray
    """State for the next period, shape (..., 2, n), with the area not yet delivered [s] and the level of each valve from 0 to 1."""


_MOST_JETS = 1_000_000
"""More jets than any craft has."""


@explaining_errors()
class PulseModulator:
    """Pulse-width modulation of on-off valves, with a carried remainder.

    Each period starts with one pulse per jet, or none. The pulse delivers the wanted share of the period's full impulse, plus the remainder
    of earlier periods. A pulse shorter than `min_on_time` is not fired, and its impulse is carried to the next period. The impulse follows
    the level of the valve, which rises in `rise_time` and falls in `fall_time`. Thrust after the end of a period counts for the next
    period. After any number of periods, the delivered impulse therefore differs from the wanted impulse by less than that of one shortest
    pulse.

    A modulator holds only its parameters. Its state is passed in and returned, as with control laws.

    Args:
        min_on_time: Shortest pulse [s], above 0 and at least `rise_time`; one number for all jets, or one per jet, shape () or (n,).
        period: Time between two samples of the control loop [s], at least ``min_on_time + rise_time``.
        rise_time: Time that a valve takes to open [s], at least 0; one number for all jets, or one per jet, shape () or (n,).
        fall_time: Time that a valve takes to shut [s], at least 0; one number for all jets, or one per jet, shape () or (n,).

    Raises:
        TypeError: If an argument is not a real number or an array of real numbers.
        ValueError: If an argument is out of its range, or the arrays have different lengths.

    Example:
        >>> modulator = PulseModulator(min_on_time=0.25, period=1.0)
        >>> state = modulator.initial_state(2)
        >>> for _ in range(4):
        ...     durations, areas, state = modulator.update((0.5, 0.125), state)
        ...     print(durations.tolist())
        [0.5, 0.0]
        [0.5, 0.25]
        [0.5, 0.0]
        [0.5, 0.25]
    """

    __slots__ = ("_period", "_valves")

    period = reader("_period", "Time between two updates [s].")

    def __init__(
        self,
        min_on_time: npt.ArrayLike,
        period: float,
        *,
        rise_time: npt.ArrayLike = 0.0,
        fall_time: npt.ArrayLike = 0.0,
    ) -> None:
        owner = "PulseModulator"
        self._period = real(period, "period", owner, above=0.0)
        rows = [
            _times(min_on_time, "min_on_time", owner),
            _times(rise_time, "rise_time", owner),
            _times(fall_time, "fall_time", owner),
        ]
        if (rows[0] == 0.0).any():
            refuse(owner, "min_on_time", min_on_time, "above 0")
        try:
            self._valves = np.stack(np.broadcast_arrays(*rows))
        except ValueError:
            sizes = tuple(len(row) for row in rows)
            refuse(owner, "min_on_time, rise_time and fall_time", sizes, "numbers, or of the same length")
        if (self._valves[pulses.MIN_ON_TIME] < self._valves[pulses.RISE_TIME]).any():
            refuse(owner, "min_on_time", min_on_time, f"at least rise_time, which is {rise_time!r}")
        if (self._valves[pulses.MIN_ON_TIME] + self._valves[pulses.RISE_TIME] > self._period).any():
            rule = f"such that min_on_time + rise_time is at most the period, which is {self._period!r}"
            refuse(owner, "min_on_time", min_on_time, rule)

    @property
    def min_on_time(self) -> FloatArray:
        """Shortest pulse [s], one number for all jets or one per jet, shape (1,) or (n,)."""
        return self._valves[pulses.MIN_ON_TIME].copy()

    @property
    def rise_time(self) -> FloatArray:
        """Time that a valve takes to open [s], shape (1,) or (n,)."""
        return self._valves[pulses.RISE_TIME].copy()

    @property
    def fall_time(self) -> FloatArray:
        """Time that a valve takes to shut [s], shape (1,) or (n,)."""
        return self._valves[pulses.FALL_TIME].copy()

    def __repr__(self) -> str:
        times = ", ".join(
            f"{name}={getattr(self, name).tolist()}" for name in ("min_on_time", "rise_time", "fall_time")
        )
        return f"PulseModulator({times}, period={self._period!r})"

    def of_valves(
        self, min_on_time: npt.ArrayLike, rise_time: npt.ArrayLike, fall_time: npt.ArrayLike
    ) -> PulseModulator:
        """Return a modulator for given valves, with the longer of the two values of `min_on_time`.

        Args:
            min_on_time: Shortest pulse of the valves [s], shape (n,).
            rise_time: Time in which they open [s], shape (n,).
            fall_time: Time in which they close [s], shape (n,).

        Returns:
            A modulator for n jets.

        Raises:
            ValueError: If `min_on_time` and `rise_time` of a valve together exceed the period.

        Example:
            >>> modulator = PulseModulator(min_on_time=0.01, period=0.5)
            >>> modulator.of_valves(min_on_time=(0.02, 0.005), rise_time=(0.0, 0.0), fall_time=(0.0, 0.0)).min_on_time.tolist()
            [0.02, 0.01]
        """
        longer = np.maximum(self.min_on_time, _times(min_on_time, "min_on_time", "PulseModulator"))
        return PulseModulator(longer, self._period, rise_time=rise_time, fall_time=fall_time)

    def initial_state(self, count: int) -> FloatArray:
        """Return the state before the first period, with nothing carried and all valves shut.

        Args:
            count: Number of jets.

        Returns:
            Zeros, shape (2, count).

        Example:
            >>> PulseModulator(min_on_time=0.25, period=1.0).initial_state(3).tolist()
            [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        """
        count = integer(count, "count", "PulseModulator", at_least=1)
        if count > _MOST_JETS:
            refuse("PulseModulator", "count", count, f"at most {_MOST_JETS} jets")
        return np.zeros((2, count))

    def update(self, shares: npt.ArrayLike, state: npt.ArrayLike) -> Pulses:
        """Compute the pulses of one period.

        Args:
            shares: Wanted shares of full thrust, from 0 to 1, shape (..., n).
            state: The state that the last call returned, or `initial_state(n)`, shape (..., 2, n).

        Returns:
            The durations of the pulses [s], their impulse in this period over full thrust [s], and the new state.

        Raises:
            ValueError: If a share is not between 0 and 1, or an argument has the wrong shape.

        Error: the sum of the delivered impulse is exact to rounding, for valves that move as described above.

        Example:
            >>> modulator = PulseModulator(min_on_time=0.25, period=1.0)
            >>> durations, areas, state = modulator.update((0.5, 0.125), modulator.initial_state(2))
            >>> durations.tolist()  # the impulse of the second jet is carried
            [0.5, 0.0]
            >>> durations, areas, state = modulator.update((0.5, 0.125), state)
            >>> durations.tolist()
            [0.5, 0.25]
        """
        owner = "PulseModulator"
        wanted = stack(shares, "shares", owner)
        if wanted.ndim == 0 or not wanted.size:
            refuse(owner, "shares", shares, "a non-empty array of finite real numbers, of shape (..., n)")
        # shares that were computed lie outside by roundings
        if not -_SLACK <= wanted.min() <= wanted.max() <= 1.0 + _SLACK:
            refuse(owner, "shares", shares, "between 0 and 1")
        count, valves = wanted.shape[-1], self._valves
        before = array(state, "state", owner, (*wanted.shape[:-1], 2, count))
        if valves.shape[1] == 1:
            valves = np.repeat(valves, count, axis=1)
        elif valves.shape[1] != count:
            refuse(owner, "shares", shares, f"one share for each of the {valves.shape[1]} jets")
        durations, areas, after = np.empty_like(wanted), np.empty_like(wanted), np.empty_like(before)
        one_row, states = (-1, count), (-1, 2, count)
        pulses.modulate(
            wanted.reshape(one_row),
            before.reshape(states),
            valves,
            self._period,
            durations.reshape(one_row),
            areas.reshape(one_row),
            after.reshape(states),
        )
        return Pulses(durations, areas, after)

    def _periods(self, count: int) -> Periods:
        """Return what computes the pulses of this many jets, period after period, from checked numbers."""
        valves = self._valves if self._valves.shape[1] == count else np.repeat(self._valves, count, axis=1)
        return Periods(valves, self._period)


class Periods:
    """The pulses of some jets, as of `PulseModulator.update`; it keeps the arrays of the kernel between periods."""

    def __init__(self, valves: FloatArray, period: float) -> None:
        """Prepare.

        Args:
            valves: Times of the valves, see `loops.pulses`, shape (3, n).
            period: Time between two updates [s].
        """
        count = valves.shape[1]
        self.valves, self.period = valves, period
        self.shares, self.durations, self.areas = np.empty((3, 1, count))
        self.before, self.after = np.empty((2, 1, 2, count))

    def update(self, shares: list[float], state: list[float]) -> tuple[list[float], list[float], list[float]]:
        """Compute the pulses of one period: durations [s], areas [s] and the new state, which is what is carried and then the levels."""
        self.shares[0] = shares
        self.before.ravel()[:] = state
        pulses.modulate(self.shares, self.before, self.valves, self.period, self.durations, self.areas, self.after)
        return self.durations.ravel().tolist(), self.areas.ravel().tolist(), self.after.ravel().tolist()

    def loop(self) -> Loop:
        """The kernel that computes the pulses, for calls by address."""
        arrays = self.shares, self.before, self.valves, self.period, self.durations, self.areas, self.after
        return named(pulses.modulate, *arrays)


def _times(value: object, argument: str, owner: str) -> FloatArray:
    """Times of at least 0, shape (n,) or (1,)."""
    if not is_row(value):
        return np.array([real(value, argument, owner, at_least=0.0)])
    times = array(value, argument, owner, (None,))
    if (times < 0.0).any():
        refuse(owner, argument, value, "at least 0 in every element")
    return times
