"""Many runs at once, as the function of a batched campaign receives them: their draws, seeds, failures and traces as arrays."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ..batch import Batch
from ..batch.views import chosen
from ..checks import is_row, real, refuse, stack
from ..flight.sensor import Sensor
from .draws import checked_name
from .run import seed_of

IntArray = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Runs:
    """Some runs of a batched campaign, the argument of `simulate`.

    How many they are depends on the size of a block, and the result must not: a run has the same row in any block, and alone.

    Args:
        numbers: Numbers of the runs, shape (n,).
        seed: Seed of the campaign.
        draws: The drawn values by name, with one row per run. They are read-only.

    Example:
        >>> import numpy as np
        >>> runs = Runs(np.arange(3), 7, {"mass": np.array([91.5, 88.0, 90.0])})
        >>> len(runs), runs.draws["mass"].tolist()[0], runs.seed("gyro").shape
        (3, 91.5, (3,))
    """

    __slots__ = ("_batches", "_errors", "_seed", "_traces", "draws", "numbers")

    numbers: IntArray
    """Numbers of the runs, shape (n,)."""
    draws: Mapping[str, npt.NDArray[np.generic]]
    """The drawn values by name, shape (n,), or (n, k) for vectors of k components."""

    def __init__(self, numbers: npt.ArrayLike, seed: int, draws: Mapping[str, npt.NDArray[np.generic]]) -> None:
        self.numbers, self._seed, self.draws = np.asarray(numbers, np.int64), seed, MappingProxyType(dict(draws))
        for array in (self.numbers, *self.draws.values()):
            array.setflags(write=False)
        self._batches: list[Batch] = []
        self._errors: dict[int, BaseException] = {}
        self._traces: list[tuple[Mask, dict[str, npt.NDArray[np.float64]]]] = []

    def __len__(self) -> int:
        """Number of runs."""
        return len(self.numbers)

    def __repr__(self) -> str:
        return f"<Runs {self.numbers[0]} to {self.numbers[-1]}>"

    def seed(self, name: str) -> IntArray:
        """A seed per run for something random, such as the noise of a sensor: ``batch[gyro].seed = runs.seed("gyro")``.

        Args:
            name: Any name; each name has a seed of its own in each run.

        Returns:
            What `Run.seed` returns for each run, shape (n,).

        Raises:
            TypeError: If `name` is not a string.

        Example:
            >>> import numpy as np
            >>> from engine.campaign import Run
            >>> Runs(np.arange(3), 7, {}).seed("gyro").tolist()[2] == Run(2, 7, {}).seed("gyro")
            True
        """
        if not isinstance(name, str):
            refuse(self, "name", name, "a string", TypeError)
        return np.array([seed_of(self._seed, number, name) for number in self.numbers.tolist()], np.int64)

    def batch(self, template: Any, *, threads: int = 1) -> Batch:
        """Return a batch with one member per run. A run whose member fails becomes the row of a failed run.

        Its error is that of the member alone: the one that ``batch.world(member).step()`` raises. The seed of each sensor is that of its
        name, unless another one is assigned, so that its noise does not depend on which runs are simulated together.

        Args:
            template: The template world of the batch.
            threads: The largest number of threads, as for `Batch`.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If the template has something that has no form for members.

        Example:
            >>> import numpy as np
            >>> from engine import MassProperties, World
            >>> template = World(dt=0.5)
            >>> ship = template.add_body(MassProperties.sphere(2.0, 0.5))
            >>> batch = Runs(np.arange(3), 7, {}).batch(template)
            >>> len(batch)
            3
        """
        batch = Batch(template, members=len(self), threads=threads)
        for part in template.parts:
            if isinstance(part, Sensor):
                batch[part].seed = self.seed(part.name)
        self._batches.append(batch)
        return batch

    @property
    def failed(self) -> Mask:
        """Which runs have failed so far, shape (n,)."""
        failed = np.zeros(len(self), np.bool_)
        failed[[*self._errors]] = True
        for batch in self._batches:
            failed |= batch.failed
        return failed

    def fail(self, members: object, error: BaseException | Sequence[BaseException]) -> None:
        """Let runs fail, as one that raises an exception does when it is simulated alone; the first error of a run counts.

        Args:
            members: A mask of shape (n,), or the places of the runs among these.
            error: The exception for all of them, or a list with one for each, in their order.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If a place does not exist or is named twice, or there is not one error for each.

        Example:
            >>> import numpy as np
            >>> runs = Runs(np.arange(3), 7, {})
            >>> runs.fail([False, True, False], RuntimeError("a wheel is at its largest speed"))
            >>> runs.failed.tolist()
            [False, True, False]
        """
        places = chosen(members, len(self), f"{self}.fail").tolist()
        rule = f"an exception, or a list of {len(places)} of them, one for each of these runs"
        errors = [error] * len(places) if isinstance(error, BaseException) else error
        if not is_row(errors) or not all(isinstance(each, BaseException) for each in errors):
            refuse(self, "error", error, rule, TypeError)
        if len(errors) != len(places):
            refuse(self, "error", error, rule)
        for place, each in zip(places, errors, strict=True):
            self._errors.setdefault(place, each)

    def trace(self, time: npt.ArrayLike, **columns: npt.ArrayLike) -> None:
        """Keep one point of the curves of all runs that have not failed; several calls append.

        Args:
            time: The time [s], or one per run, shape (n,).
            columns: Values by name, with one row per run, shape (n,) or (n, k).

        Raises:
            TypeError: If a value is not an array of real numbers.
            ValueError: If a shape does not fit, a value is not finite, or the columns differ from those of an earlier call.

        Example:
            >>> import numpy as np
            >>> runs = Runs(np.arange(3), 7, {})
            >>> runs.trace(0.5, rate=[0.1, 0.2, 0.3])
        """
        count = len(self)
        is_array = is_row(time) or hasattr(time, "__array__")
        times = stack(time, "time", self) if is_array else np.array(real(time, "time", self))
        if times.shape not in ((), (count,)):
            refuse(self, "time", f"an array of shape {times.shape}", f"one time, or one per run, of shape ({count},)")
        found = {"time": np.broadcast_to(times, (count,)).astype(np.float64)}
        for name, given in columns.items():
            checked_name(name, "columns", str(self))
            if name in ("run", "time"):
                refuse(self, "a name in columns", name, "other than run and time")
            values = stack(given, name, self)
            if values.shape[:1] != (count,) or values.ndim > 2:
                rule = f"a value for each run, of shape ({count},) or ({count}, k)"
                refuse(self, name, f"an array of shape {values.shape}", rule)
            found[name] = values.copy()
        if not columns:
            refuse(self, "columns", columns, "at least one")
        if self._traces:
            before = {name: values.shape[1:] for name, values in self._traces[0][1].items()}
            if (now := {name: values.shape[1:] for name, values in found.items()}) != before:
                refuse(self, "columns", now, f"the same as in the first call, {before}")
        self._traces.append((~self.failed, found))

    def _errors_by_place(self) -> dict[int, BaseException]:
        """The error of each run that has failed, by its place among these."""
        for batch in self._batches:
            for member in np.flatnonzero(batch.failed).tolist():
                if member not in self._errors:
                    self._errors[member] = _error_alone(batch, member)
        return self._errors

    def _traced(self) -> dict[str, npt.NDArray[np.generic]]:
        """All that was traced, run by run, with the number of the run first; empty if nothing was."""
        if not self._traces:
            return {}
        kept = np.stack([alive for alive, _found in self._traces], axis=1)
        result: dict[str, npt.NDArray[np.generic]] = {
            "run": np.repeat(self.numbers, len(self._traces)).reshape(kept.shape)[kept]
        }
        for name in self._traces[0][1]:
            result[name] = np.stack([found[name] for _alive, found in self._traces], axis=1)[kept]
        return result


def _error_alone(batch: Batch, member: int) -> BaseException:
    """The error that a failed member raises in a world of its own, in the tick that it could not run."""
    try:
        batch.world(member).step()
    except Exception as error:
        return error
    reason = next(failure.reason for failure in batch.failures() if failure.member == member)
    return RuntimeError(f"{batch!r}: member {member} failed: {reason}")  # a template that freezes bodies has no error
