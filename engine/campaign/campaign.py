"""A Monte Carlo campaign: many dispersed runs of one function, in a folder."""

import logging
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from inspect import isfunction
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..checks import boolean, explaining_errors, file_path, integer, real, refuse, shown
from .blocks import Block, Job, ResultError, Row, simulate_block, simulate_run, table_of, this_process
from .draws import MOST_RUNS, Frozen, checked_draws, checked_name, sequence_of
from .execution import Dispatch, InThisProcess, workers_of
from .isolation import Isolation, Lost, Processes, processors
from .provenance import differences, provenance
from .run import Run
from .runs import Runs
from .statistics import wilson_interval
from .storage import FORMAT, LARGEST_SEED, BlockFile, Folder, Key, Record

_LOG = logging.getLogger("polhode")

_COMPILATION = 300.0
"""What the first run may take beyond the time limit, because it may have to compile kernels [s]."""
_BLOCK_SECONDS = 1.0
_MOST_IN_BLOCK = 10_000
_LEAST_OF_RUNS = 0.8
"""The least share of the time of a batched block that its runs take, if they are enough; the rest is what a batch of any size takes."""
_BLOCKS_PER_WORKER = 4
"""A small campaign has at least so many blocks per worker, so that no worker is idle for long at the end."""
_RESERVED = ("run", "error", "traceback")


class _Cost(NamedTuple):
    """What the simulation of a block takes."""

    block: float
    """Time of the block itself, whatever its number of runs [s]."""
    run: float
    """Time of each run [s]."""


class Status(NamedTuple):
    """How far a campaign is.

    Example:
        >>> Status(runs=100, done=40, failed=2).left
        60
    """

    runs: int
    """Number of runs of the whole campaign."""
    done: int
    """Number of runs in the folder, failed ones included."""
    failed: int
    """Number of failed runs in the folder."""

    @property
    def left(self) -> int:
        """Number of runs that are still to be simulated."""
        return self.runs - self.done


class SuccessRate(NamedTuple):
    """The share of runs that did not fail, with its interval.

    Example:
        >>> SuccessRate(0.95, 0.8882, 0.9785).low
        0.8882
    """

    rate: float
    """Share of the runs in the folder that did not fail, from 0 to 1."""
    low: float
    """Lower end of Wilson's interval of the probability of success."""
    high: float
    """Upper end of Wilson's interval of the probability of success."""


class VerificationError(Exception):
    """Runs that were repeated have other bits than their rows in the folder.

    Example:
        >>> VerificationError({4711: ["final_rate"]}, "Campaign out").differences
        {4711: ['final_rate']}
    """

    def __init__(self, differences: dict[int, list[str]], owner: str) -> None:
        self.differences = differences
        runs = "; ".join(f"run {run}: {', '.join(names)}" for run, names in list(differences.items())[:10])
        more = f"; and {len(differences) - 10} more runs" if len(differences) > 10 else ""
        super().__init__(f"{owner}: repeated runs must have the bits of their rows; other bits: {runs}{more}")


class Bar(Protocol):
    """What is used of a progress bar of tqdm."""

    def set_postfix(self, *, failed: int, refresh: bool) -> None: ...
    def set_postfix_str(self, text: str) -> None: ...
    def update(self, count: int) -> object: ...


@explaining_errors()
class Campaign:
    """A Monte Carlo campaign: dispersed runs of one function, on the processors of this machine or on a cluster.

    Each run can be repeated alone, in any process on any machine, with the same bits: what is drawn for it depends on the seed, the number
    of the run and the names of the draws, and on nothing else. Nothing is read or written before a method is called, so that a module may
    make a campaign and be imported by its workers.

    Args:
        folder: Path of the folder for rows and traces, which is made if it does not exist. It belongs to one campaign.
        simulate: Function at the top of an importable module, which receives a `Run` and returns a dict with a number for each of
            `columns`. An exception that it raises makes the run a failed one.
        runs: Number of runs, at least 1. It may be larger than at an earlier time, if no draw is an array.
        seed: Integer from 0 to 2⁶³ − 1, from which everything random follows.
        columns: Unit of each number that `simulate` returns, by name.
        draws: What is dispersed, by name: `Normal`, `NormalVector`, `Uniform`, `Choice`, `RandomAttitude`, a frozen distribution of
            scipy.stats, or an array with one row per run. Bits of a distribution of scipy.stats may differ between its versions and
            between processors.
        block: Number of runs per block, which is a file and a task for a worker. None takes that of the folder, or measures how many runs
            take one second. Blocks of a batched campaign have more runs if the batch itself would take most of that second.
        time_limit: Longest time of a run [s], with the loading of kernels at the first run of a process; None for no limit. A run that
            takes longer is ended with its process, and fails. A block of a batched campaign has the limits of its runs together.
        batched: Whether `simulate` receives all runs of a block at once, as `Runs` with the draws as arrays, and returns an array with one
            number per run for each column. A `Batch` of them (`Runs.batch`) takes a fraction of the time, and gives the same rows.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument is out of its range, a name is not an identifier, or `simulate` cannot be imported by a worker.

    Example:
        >>> from engine.campaign import Choice, Normal, NormalVector, RandomAttitude, Uniform
        >>> from engine.campaign.example import COLUMNS, simulate
        >>> draws = {"mass": Normal(90.0, 3.0), "inertia": NormalVector(3, 0.02, mean=1.0), "rate": NormalVector(3, 0.06)}
        >>> draws |= {"attitude": RandomAttitude(), "stuck_jet": Choice([-1]), "leak": Uniform(0.0, 0.1)}
        >>> campaign = Campaign("out/example", simulate, runs=100, seed=7, columns=COLUMNS, draws=draws)
        >>> row = campaign.repeat(42)
        >>> row["error"], row["final_rate"] < 2e-3, row == campaign.repeat(42)
        (None, True, True)
    """

    def __init__(
        self,
        folder: object,
        simulate: Callable[[Run], Mapping[str, float]] | Callable[[Runs], Mapping[str, npt.ArrayLike]],
        *,
        runs: int,
        seed: int,
        columns: Mapping[str, str],
        draws: Mapping[str, object] | None = None,
        block: int | None = None,
        time_limit: float | None = None,
        batched: bool = False,
    ) -> None:
        self._folder = Folder(file_path(folder, "folder", "Campaign"))
        owner = self._folder.owner
        self._runs = integer(runs, "runs", owner, at_least=1)
        if self._runs > MOST_RUNS:
            refuse(owner, "runs", runs, f"at most {MOST_RUNS}")
        self._seed = integer(seed, "seed", owner, at_least=0)
        if self._seed > LARGEST_SEED:
            refuse(owner, "seed", seed, f"at most {LARGEST_SEED}")
        self._simulate = _checked_function(simulate, owner)
        self._columns = _checked_columns(columns, owner)
        self._draws = checked_draws(draws, self._runs, owner)
        self._block = None if block is None else integer(block, "block", owner, at_least=1)
        self._time_limit = None if time_limit is None else real(time_limit, "time_limit", owner, above=0.0)
        self._batched = boolean(batched, "batched", owner)
        self._packages = ("scipy",) if any(isinstance(draw, Frozen) for draw in self._draws.values()) else ()

    def __repr__(self) -> str:
        return f"<Campaign {str(self._folder.path)!r} with {self._runs} runs of {_name_of(self._simulate)}>"

    @property
    def folder(self) -> Path:
        """Path of the folder for rows and traces."""
        return self._folder.path

    # running

    def run(
        self,
        executor: Executor | None = None,
        *,
        processes: int | None = None,
        progress: bool = True,
        allow_changes: bool = False,
    ) -> Status:
        """Simulate all runs that are not in the folder yet.

        A program that was interrupted or killed goes on where it stopped when it is started again. A run that raises an exception, ends its
        process or exceeds the time limit becomes the row of a failed run.

        Args:
            executor: Any executor, which stays open; None for processes on this machine. For Dask,
                ``Client("tcp://head:8786").get_executor(pure=False)``.
            processes: Number of processes without an executor; None for one per processor, 0 to simulate in this process, where a debugger
                stops and nothing protects the campaign from a run that ends its process.
            progress: Whether to show a progress bar.
            allow_changes: Whether to go on although code or versions differ from those that made the rows in the folder.

        Returns:
            How far the campaign is.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If the folder belongs to another campaign or was made by other code, one of its files is damaged, or the first run
                does not return the declared columns.
            OSError: If the folder cannot be written, or its disk is full.
            RuntimeError: If another process runs the campaign, or the executor cannot simulate a block: because a worker cannot import
                `simulate`, has other code or other versions, or is gone.

        Example:
            >>> Campaign("out/example", print, runs=1, seed=7, columns={"x": "-"}).run("four")  # doctest: +ELLIPSIS
            Traceback (most recent call last):
            TypeError: Campaign out/example: executor must be a concurrent.futures.Executor or None; got 'four'
        """
        owner = self._folder.owner
        boolean(progress, "progress", owner)
        boolean(allow_changes, "allow_changes", owner)
        own = self._own_executor(executor, processes)
        with self._folder.locked():
            self._folder.clean()
            record = self._record(allow_changes)
            blocks = self._folder.blocks(record) if "block" in record else []
            status = _status(self._runs, blocks)
            gaps = list(_gaps(blocks, self._runs))
            if not gaps:
                self._folder.write_record(record)
                return status
            with _progress(self._folder.path.name, status, progress) as bar:
                return self._run_gaps(gaps, record, status, own or executor, own, bar)

    def _own_executor(self, executor: object, processes: int | None) -> Executor | None:
        """The executor of this campaign, which it closes; None for one of the caller."""
        owner = self._folder.owner
        count = None if processes is None else integer(processes, "processes", owner, at_least=0)
        if executor is not None:
            if not isinstance(executor, Executor):
                hint = "pass client.get_executor(pure=False)" if hasattr(executor, "get_executor") else ""
                refuse(owner, "executor", executor, "a concurrent.futures.Executor or None", TypeError, hint=hint)
            if count is not None:
                refuse(owner, "processes", processes, "None with an executor, which has its own number")
            if (
                hasattr(executor, "_client") and self._simulate.__module__ == "__main__"
            ):  # it would travel by value, with other code
                hint = "import the campaign from its file in another program, and run it there"
                refuse(
                    owner,
                    "simulate",
                    self._simulate,
                    "importable by the workers of a cluster, not of the main program",
                    hint=hint,
                )
            return None
        if count == 0:
            if self._time_limit is not None:
                refuse(
                    owner,
                    "processes",
                    0,
                    "at least 1 with a time limit, because a run that takes longer is ended with its process",
                )
            return InThisProcess()
        return Processes(processors() if count is None else count)

    def _run_gaps(
        self, gaps: list[tuple[int, int]], record: Record, status: Status, executor: Any, own: Executor | None, bar: Bar
    ) -> Status:
        isolation = Isolation()
        try:
            cost = self._try_first_run(record, executor, isolation, bar)
            bar.set_postfix(failed=status.failed, refresh=True)
            record["block"] = self._block or record.get("block") or self._measured_block(cost, workers_of(executor))
            self._folder.write_record(record)
            job = self._job(record["code"])
            jobs = (job.of_runs(first, last) for first, last in _pieces(gaps, record["block"]))

            def write(block: Block) -> None:
                nonlocal status
                self._folder.write_block(block, record)
                status = Status(status.runs, status.done + block.runs.num_rows, status.failed + block.failed)
                bar.set_postfix(failed=status.failed, refresh=False)
                bar.update(block.runs.num_rows)

            Dispatch(self._folder.owner, executor, isolation, write).run(jobs)
        except BaseException:
            if isinstance(own, Processes):
                own.kill()
            raise
        finally:
            isolation.close()
        if own is not None:
            own.shutdown()
        return status

    def _try_first_run(self, record: Record, executor: object, isolation: Isolation, bar: Bar) -> _Cost | None:
        """Simulate a run before all others, so that workers find compiled kernels and a mistake shows at once.

        The rows of these trials are not kept; the bar says how many runs each has.

        Returns:
            What blocks take, where it is needed and could be measured.
        """
        job = self._job(record["code"])
        simulate = simulate_block if isinstance(executor, InThisProcess) else isolation.first_run
        limit, cost = self._time_limit, None
        bar.set_postfix_str("trial of 1 run")
        try:
            block = simulate(replace(job.of_runs(0, 1), time_limit=limit and limit + _COMPILATION))
            error = block.runs["error"][0].as_py()
            if error is not None and error.startswith(f"{ResultError.__name__}: "):
                raise ValueError(f"{self._folder.owner}: {error.partition(': ')[2]}")
            if error is not None:
                _LOG.warning("%s: run 0 failed: %s", self._folder.owner, error)
            if self._block or "block" in record:
                return None

            def seconds(runs: int) -> float:
                bar.set_postfix_str(f"trial of {runs} run{'s' * (runs > 1)}")
                return simulate(replace(job.of_runs(0, runs), time_limit=limit and limit * runs)).seconds

            for cost in self._measured_costs(seconds):  # noqa: B007  the last one is the best
                pass
        except Lost as lost:
            _LOG.warning("%s: one of the first runs failed: %s", self._folder.owner, lost)
        return cost

    def _measured_costs(self, seconds: Callable[[int], float]) -> Iterator[_Cost]:
        """What blocks take, better and better known, from the time that the first runs take together."""
        most, count, total = min(self._runs, _MOST_IN_BLOCK), 1, seconds(1)
        yield _Cost(0.0, total)
        if not self._batched and total < 0.25 * _BLOCK_SECONDS:
            count = min(most, math.ceil(0.25 * _BLOCK_SECONDS / max(total, 1e-6)))
            yield _Cost(0.0, seconds(count) / count)
        is_known = not self._batched
        while count < most and not is_known:
            more = min(most, count * (4 if count == 1 else 16))
            together = seconds(more)
            # a difference of a hundredth may be chance, and one of a quarter is none
            each = max(together - total, 0.01 * together) / (more - count)
            yield _Cost(max(0.0, together - more * each), each)
            is_known = together > max(1.25 * total, 0.25 * _BLOCK_SECONDS)
            count, total = more, together

    def _measured_block(self, cost: _Cost | None, workers: int) -> int:
        """The number of runs that take about one second, or most of the time of a batched block, 1, 2 or 5 times a power of ten."""
        if cost is None:
            return 1
        seconds = max(_BLOCK_SECONDS - cost.block, cost.block * _LEAST_OF_RUNS / (1.0 - _LEAST_OF_RUNS))
        most = min(_MOST_IN_BLOCK, seconds / max(cost.run, 1e-6), self._runs / (_BLOCKS_PER_WORKER * workers))
        powers = (digit * 10**power for power in range(5) for digit in (1, 2, 5))
        return max((size for size in powers if size <= most), default=1)

    def _job(self, code: dict[str, str]) -> Job:
        return Job(
            self._simulate,
            self._seed,
            self._columns,
            self._draws,
            0,
            self._runs,
            code,
            self._packages,
            self._time_limit,
            this_process(),
            self._batched,
        )

    # the record

    def _plain(self, code: dict[str, str]) -> Record:
        """What the campaign is with this code, as plain data."""
        draws = {name: {**draw.described(), "column": list(draw.form)} for name, draw in self._draws.items()}
        return {
            "format": FORMAT,
            "runs": self._runs,
            "seed": self._seed,
            "simulate": _name_of(self._simulate),
            "columns": self._columns,
            "draws": draws,
            "code": code,
            "earlier_code": [],
        }

    def _record(self, allow_changes: bool) -> Record:
        """The content of `campaign.json` for this campaign, which must be that of the one in the folder."""
        own = self._plain(provenance(self._simulate, self._packages))
        known = self._known_record()
        if known is None:
            return own
        if changes := differences(known["code"], own["code"]):
            if not allow_changes:
                name, before, now = changes[0]
                others = f" (also {', '.join(other for other, _, _ in changes[1:])})" if changes[1:] else ""
                refuse(
                    self._folder.owner,
                    f"the code of {name}" if len(now) == 64 else f"the version of {name}",
                    now,
                    f"{before}, which made the rows in the folder{others}",
                    hint="choose another folder, or pass allow_changes=True",
                )
            own["earlier_code"] = [*known["earlier_code"], known["code"]]
        else:
            own["earlier_code"] = known["earlier_code"]
        own["block"] = known["block"]
        return own

    def _known_record(self) -> Record | None:
        """The content of `campaign.json` in the folder, if it is that of this campaign."""
        known, own, owner = self._folder.read_record(), self._plain({}), self._folder.owner
        if known is None:
            return None
        names: tuple[Key, ...] = "seed", "columns", "draws"
        for name in names:
            if known[name] != own[name] or (name == "columns" and list(known["columns"]) != list(own["columns"])):
                place, now, before = _first_difference(name, own[name], known[name])
                hint = "another campaign needs another folder"
                refuse(owner, place, now, f"{shown(before)}, as in campaign.json", hint=hint)
        done = self._folder.blocks(known)
        if done and done[-1].last > self._runs:
            refuse(owner, "runs", self._runs, f"at least {done[-1].last}, because the folder has so many")
        return known

    def _need_record(self) -> Record:
        self._folder.need_record()
        record = self._known_record()
        assert record is not None
        return record

    # single runs

    def repeat(self, run: int, *, reraise: bool = False) -> Row:
        """Simulate one run again, here and in this process; the folder is neither read nor written.

        Args:
            run: Number of the run, from 0 to below the number of runs.
            reraise: Whether an exception in `simulate` is raised, for a debugger, instead of becoming a row.

        Returns:
            The row of the run: `run`, `error`, `traceback`, a value for each draw (`draw.mass`) and for each column.

        Raises:
            TypeError: If `run` is not an integer.
            ValueError: If there is no such run.

        Example:
            >>> campaign = Campaign("out/example", print, runs=10, seed=7, columns={"x": "-"})
            >>> campaign.repeat(3)["error"]  # print prints the run and returns None
            <Run 3>
            'ResultError: simulate: the result must be a dict with the columns x; got None'
        """
        number = self._number(run)
        boolean(reraise, "reraise", self._folder.owner)
        row = self._repeated(number, reraise)
        result: Row = row.to_pylist()[0]
        return result

    def _repeated(self, number: int, reraise: bool = False) -> pa.Table:
        job = self._job({}).of_runs(number, number + 1)
        return table_of(job, [simulate_run(job, number, reraise)[0]])

    def _number(self, run: object) -> int:
        number = integer(run, "run", self._folder.owner, at_least=0)
        if number >= self._runs:
            refuse(self._folder.owner, "run", run, f"at most {self._runs - 1}, the last run")
        return number

    def verify(self, sample: int | Sequence[int] = 32) -> list[int]:
        """Repeat some of the runs in the folder, here and in this process, and compare all bits but those of tracebacks.

        Runs that ended their process or exceeded the time limit are left out.

        Args:
            sample: How many runs, which are chosen at random but the same in each call; or the numbers of the runs.

        Returns:
            The numbers of the runs that were repeated, all of which have the same bits.

        Raises:
            TypeError: If `sample` has the wrong type.
            ValueError: If the folder belongs to another campaign, or a run is not in it.
            VerificationError: If bits differ. The message names the runs and their columns.

        Example:
            >>> import tempfile
            >>> from engine.campaign import example
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     campaign = example.campaign(folder, runs=4)
            ...     status = campaign.run(processes=0, progress=False)
            ...     print(campaign.verify([1, 3]))
            [1, 3]
        """
        record = self._need_record()
        rows = self._folder.rows(record, iter(self._sampled(sample, self._folder.blocks(record))))
        if isinstance(sample, Sequence) and (missing := [run for run in sample if run not in rows]):
            refuse(self._folder.owner, "sample", missing[0], "the number of a run in the folder")
        repeated, wrong = [], {}
        for run, row in rows.items():
            if not str(row["error"]).startswith(("ProcessDied: ", "TimeLimitExceeded: ")):
                repeated.append(run)
                if names := _other_bits(row, self._repeated(run).to_pylist()[0]):
                    wrong[run] = names
        if wrong:
            raise VerificationError(wrong, self._folder.owner)
        return repeated

    def _sampled(self, sample: int | Sequence[int], blocks: list[BlockFile]) -> list[int]:
        if isinstance(sample, Sequence) and not isinstance(sample, str):
            return [self._number(run) for run in sample]
        count = integer(sample, "sample", self._folder.owner, at_least=1)
        done = [run for block in blocks for run in range(block.first, block.last)]
        stream = np.random.Generator(np.random.Philox(sequence_of(self._seed, 0, "sample:verify")))
        return sorted(stream.choice(done, min(count, len(done)), replace=False).tolist()) if done else []

    # results

    def status(self) -> Status:
        """How far the campaign is, from the names and footers of the files.

        Raises:
            FileNotFoundError: If the campaign was never run.
            ValueError: If the folder belongs to another campaign, or one of its files is damaged.
        """
        return _status(self._runs, self._folder.blocks(self._need_record()))

    def success_rate(self, confidence: float = 0.95) -> SuccessRate:
        """The share of the runs in the folder that did not fail, with Wilson's interval.

        Args:
            confidence: Probability that the interval contains the true value, above 0 and below 1.

        Raises:
            TypeError: If `confidence` is not a number.
            ValueError: If `confidence` is out of its range, or the folder has no run.

        Example:
            >>> import tempfile
            >>> from engine.campaign import example
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     campaign = example.campaign(folder, runs=4)
            ...     status = campaign.run(processes=0, progress=False)
            ...     print([round(number, 3) for number in campaign.success_rate()])
            [1.0, 0.51, 1.0]
        """
        return success_rate_of(self.status(), confidence, self._folder.owner)

    def results(self) -> pa.Table:
        """All rows in the folder, in the order of the runs, also while the campaign runs.

        Returns:
            A `pyarrow.Table` with the columns `run`, `error` (type and message, null if there was none), `traceback`, `draw.mass`, … and
            the declared columns, which are null in a failed run. Units are in the metadata of the fields. The method `to_pandas` makes a
            DataFrame of it.

        Raises:
            FileNotFoundError: If the campaign was never run.
            ValueError: If the folder belongs to another campaign, or one of its files is damaged.
        """
        return self._folder.results(self._need_record())

    def failures(self) -> pa.Table:
        """The rows of failed runs, as `results` returns them.

        Raises:
            FileNotFoundError: If the campaign was never run.
            ValueError: If the folder belongs to another campaign, or one of its files is damaged.
        """
        return self._folder.failures(self._need_record())

    def traces(self, run: int | None = None) -> pa.Table:
        """What runs have traced.

        Args:
            run: Number of one run; None for all.

        Returns:
            A `pyarrow.Table` with the columns `run`, `time` [s] and one per traced value; a vector has one column per component (`rate.0`).

        Raises:
            TypeError: If `run` is not an integer.
            FileNotFoundError: If the campaign was never run.
            ValueError: If there is no such run, the folder belongs to another campaign, or one of its files is damaged.

        Example:
            >>> import tempfile
            >>> from engine.campaign import example
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     campaign = example.campaign(folder, runs=4)
            ...     status = campaign.run(processes=0, progress=False)
            ...     print(campaign.traces(3).column_names, campaign.traces(3)["time"].to_pylist()[:3])
            ['run', 'time', 'rate', 'wheel_use'] [1.0, 2.0, 3.0]
        """
        return self._folder.traces(self._need_record(), None if run is None else self._number(run))

    def plot(self, path: object = None) -> Any:
        """Draw histograms of the columns, each column over each draw with the failed runs marked, and the success rate.

        Args:
            path: File to write, whose ending says the format (.png, .svg, .pdf); None for none.

        Returns:
            A `matplotlib.figure.Figure`, which a notebook shows.

        Raises:
            ImportError: If matplotlib is not installed.
            FileNotFoundError: If the campaign was never run.
            OSError: If the file cannot be written.
            ValueError: If the folder has no run or belongs to another campaign, or one of its files is damaged.

        Example:
            >>> import tempfile
            >>> from engine.campaign import example
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     campaign = example.campaign(folder, runs=4)
            ...     status = campaign.run(processes=0, progress=False)
            ...     figure = campaign.plot()
            >>> len(figure.axes) > 1
            True
        """
        return self._folder.plot(self._need_record(), path)


def success_rate_of(status: Status, confidence: float, owner: str) -> SuccessRate:
    """The share of runs that did not fail, with its interval."""
    if not status.done:
        raise ValueError(f"{owner}: folder must have at least one run")
    good = status.done - status.failed
    return SuccessRate(good / status.done, *wilson_interval(good, status.done, confidence))


def _status(runs: int, blocks: list[BlockFile]) -> Status:
    return Status(runs, sum(block.last - block.first for block in blocks), sum(block.failed for block in blocks))


def _gaps(blocks: list[BlockFile], runs: int) -> Iterator[tuple[int, int]]:
    """The ranges of runs that are not done."""
    start = 0
    for block in blocks:
        if block.first > start:
            yield start, block.first
        start = block.last
    if start < runs:
        yield start, runs


def _pieces(gaps: list[tuple[int, int]], block: int) -> Iterator[tuple[int, int]]:
    """Gaps cut at the multiples of the size of a block."""
    for first, last in gaps:
        while first < last:
            end = min((first // block + 1) * block, last)
            yield first, end
            first = end


def _progress(name: str, status: Status, wanted: bool) -> AbstractContextManager[Bar]:
    """A progress bar; in a log file, one line per minute."""
    if not wanted:
        return nullcontext(_NoBar())
    from tqdm.auto import tqdm

    pause = 0.1 if sys.stderr.isatty() else 60.0
    bar = tqdm(total=status.runs, initial=status.done, desc=name, unit=" runs", mininterval=pause, dynamic_ncols=True)
    bar.set_postfix(failed=status.failed, refresh=False)
    return bar


class _NoBar:
    def set_postfix(self, **values: object) -> None:
        """Show nothing."""

    def set_postfix_str(self, text: str) -> None:
        """Show nothing."""

    def update(self, count: int) -> None:
        """Show nothing."""


def _name_of(simulate: Callable[..., object]) -> str:
    """The name under which workers import the function; a program's own module has the name of its file."""
    module = simulate.__module__
    if module == "__main__":
        spec = getattr(sys.modules["__main__"], "__spec__", None)
        module = spec.name if spec is not None else module
    return f"{module}.{simulate.__qualname__}"


def _checked_function(simulate: object, owner: str) -> Any:
    rule = "a function at the top of an importable module"
    if not (isfunction(simulate) or callable(simulate)) or isinstance(simulate, type):
        refuse(owner, "simulate", simulate, rule, TypeError)
    name, module = getattr(simulate, "__qualname__", ""), sys.modules.get(getattr(simulate, "__module__", "") or "")
    found: object = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if not name or found is not simulate:
        refuse(owner, "simulate", simulate, f"{rule}, which workers import by its name")
    return simulate


def _checked_columns(columns: object, owner: str) -> dict[str, str]:
    if not isinstance(columns, Mapping):
        refuse(owner, "columns", columns, "a mapping of names to units", TypeError)
    found = {}
    for name, unit in columns.items():
        if checked_name(name, "columns", owner) in _RESERVED:
            refuse(owner, "a name in columns", name, f"other than {', '.join(_RESERVED)}")
        if not isinstance(unit, str):
            refuse(owner, f"columns[{name!r}]", unit, "the name of a unit", TypeError)
        found[name] = unit
    if not found:
        refuse(owner, "columns", columns, "at least one name with its unit")
    return found


def _first_difference(name: str, own: object, known: object) -> tuple[str, object, object]:
    """The place and the values of the first difference between two parts of records."""
    if isinstance(own, dict) and isinstance(known, dict):
        if list(own) != list(known):
            return f"the names in {name}", list(own), list(known)
        for key in own:
            if own[key] != known[key]:
                return f"{name}[{key!r}]", own[key], known[key]
    return name, own, known


def _other_bits(before: dict[str, object], now: dict[str, object]) -> list[str]:
    """The names of the columns whose bits differ."""
    return [name for name in before if name != "traceback" and _bits(before[name]) != _bits(now.get(name))]


def _bits(value: object) -> object:
    if isinstance(value, list):
        return [_bits(part) for part in value]
    return value.hex() if isinstance(value, float) else value
