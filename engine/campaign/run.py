"""One run, as the user's function receives it: its number, its draws, its seeds and its trace."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import is_row, real, refuse, stack
from .draws import checked_name, sequence_of


class Run:
    """One run of a campaign, the argument of `simulate`.

    Args:
        number: Number of the run, from 0.
        seed: Seed of the campaign.
        draws: The drawn values by name. Arrays are read-only.

    Example:
        >>> run = Run(3, 7, {"mass": 91.5})
        >>> run.number, run.draws["mass"], run.seed("gyro") == Run(3, 7, {}).seed("gyro")
        (3, 91.5, True)
    """

    __slots__ = ("_seed", "_traces", "draws", "number")

    number: int
    """Number of the run, from 0."""
    draws: Mapping[str, Any]
    """The drawn values by name; vectors are read-only arrays."""

    def __init__(self, number: int, seed: int, draws: Mapping[str, object]) -> None:
        self.number, self._seed, self.draws = number, seed, MappingProxyType(dict(draws))
        self._traces: list[dict[str, npt.NDArray[np.float64]]] = []

    def __repr__(self) -> str:
        return f"<Run {self.number}>"

    def seed(self, name: str) -> int:
        """A seed for something random inside the run, such as the noise of a sensor.

        Args:
            name: Any name; each name has a seed of its own in each run.

        Returns:
            An integer from 0 to 2⁶³ − 1 that depends on the seed of the campaign, the number of the run and the name, and on nothing else.

        Raises:
            TypeError: If `name` is not a string.

        Example:
            >>> Run(3, 7, {}).seed("gyro") != Run(4, 7, {}).seed("gyro")
            True
        """
        if not isinstance(name, str):
            refuse(self, "name", name, "a string", TypeError)
        return seed_of(self._seed, self.number, name)

    def trace(self, time: npt.ArrayLike, **columns: npt.ArrayLike) -> None:
        """Keep curves of this run over the time; several calls append.

        Args:
            time: One time [s] or several, shape (n,).
            columns: Values at these times by name, each of shape (n,) or (n, k); of one time, a value or a vector of shape (k,).

        Raises:
            TypeError: If a value is not an array of real numbers.
            ValueError: If a shape does not fit, a value is not finite, or the columns differ from those of an earlier call.

        Example:
            >>> run = Run(0, 7, {})
            >>> run.trace([0.0, 0.1], rate=[0.3, 0.2])
            >>> run.trace(0.2, rate=0.1)
        """
        times = self._curve(time, "time")
        if times.ndim > 1:
            refuse(self, "time", time, "one time or several, of shape (n,)")
        found = {"time": np.atleast_1d(times)}
        for name, given in columns.items():
            checked_name(name, "columns", str(self))
            if name in ("run", "time"):
                refuse(self, "a name in columns", name, "other than run and time")
            values = self._curve(given, name)
            if values.shape[: times.ndim] != times.shape or values.ndim > times.ndim + 1:
                rule = f"a value for each time, of shape {times.shape} or ({', '.join([*map(str, times.shape), 'k'])})"
                refuse(self, name, f"an array of shape {values.shape}", rule)
            found[name] = values if times.ndim else values[np.newaxis]
        if not columns:
            refuse(self, "columns", columns, "at least one")
        if self._traces:
            before = {name: values.shape[1:] for name, values in self._traces[0].items()}
            if (now := {name: values.shape[1:] for name, values in found.items()}) != before:
                refuse(self, "columns", now, f"the same as in the first call, {before}")
        self._traces.append(found)

    def _curve(self, value: object, argument: str) -> npt.NDArray[np.float64]:
        """One number or an array of them."""
        is_array = is_row(value) or hasattr(value, "__array__")
        return stack(value, argument, self) if is_array else np.array(real(value, argument, self))

    @property
    def traced(self) -> dict[str, npt.NDArray[np.float64]]:
        """All that was traced so far, by name, with `time` first; empty if nothing was."""
        if not self._traces:
            return {}
        return {name: np.concatenate([part[name] for part in self._traces]) for name in self._traces[0]}


def seed_of(seed: int, run: int, name: str) -> int:
    """The seed of this name in one run of a campaign with a seed of its own."""
    # names of draws are identifiers, so that no seed shares the numbers of a draw
    words = sequence_of(seed, run, f"seed:{name}").generate_state(1, np.uint64)
    return int(words[0]) >> 1
