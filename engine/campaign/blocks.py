"""Blocks of runs: what a worker is sent, how it simulates, and the tables that it sends back."""

import faulthandler
import gc
import os
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal, TypedDict

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..checks import shown
from .draws import Distribution, Form, stream_of
from .provenance import Provenance, differences, provenance
from .run import Run
from .runs import Runs

_LONGEST_ERROR, _LONGEST_TRACEBACK = 2_000, 20_000
"""Of a row [characters]; what is longer is cut."""
_EXACT = 2**53
"""Integers up to this one are floats without rounding."""

Row = dict[str, Any]
"""A row of the table by the names of its columns; what is in a column, its type in the file decides."""


class RunRow(TypedDict):
    """What is known of a run, from which its row in the table is made."""

    run: int
    error: str | None
    traceback: str | None
    draws: dict[str, object]
    """The drawn values by name, without `draw.`."""
    columns: dict[str, float]


class ResultError(ValueError):
    """The value that `simulate` returned is not a number for each declared column.

    Example:
        >>> issubclass(ResultError, ValueError)
        True
    """


@dataclass(frozen=True)
class Job:
    """Everything that a worker needs to simulate some runs."""

    simulate: Callable[[Any], Mapping[str, Any]]
    seed: int
    columns: dict[str, str]
    """Unit by name."""
    draws: dict[str, Distribution]
    first: int
    last: int
    """The run after the last one of this block."""
    expected: Provenance
    """What the code of the worker must be."""
    packages: tuple[str, ...] = ()
    time_limit: float | None = None
    """Longest time of a run [s], after which its process is ended; None where the process that waits for the run sees to it."""
    coordinator: str = ""
    """The process that coordinates the campaign, which is never ended."""
    batched: bool = False
    """Whether `simulate` takes all runs of a block at once."""

    def of_runs(self, first: int, last: int) -> "Job":
        """The job of some of these runs, with no more data than they need."""
        draws = {name: draw._of_runs(first, last) for name, draw in self.draws.items()}
        return replace(self, draws=draws, first=first, last=last)


@dataclass(frozen=True)
class Block:
    """The rows of consecutive runs, and what they traced."""

    first: int
    runs: pa.Table
    """The table of rows."""
    traces: object = None
    """The table of traces, or None if no run has one."""
    seconds: float = 0.0
    """Time that the simulation took [s]."""

    @property
    def last(self) -> int:
        """The run after the last one."""
        return self.first + self.runs.num_rows

    @property
    def failed(self) -> int:
        """Number of failed runs."""
        return self.runs.num_rows - self.runs["error"].null_count


def joined(blocks: Sequence[Block]) -> Block:
    """The block that several consecutive ones make."""
    traces = [block.traces for block in blocks if block.traces is not None]
    return Block(
        blocks[0].first,
        pa.concat_tables([block.runs for block in blocks]).combine_chunks(),
        _concatenated(traces),
        sum(block.seconds for block in blocks),
    )


def this_process() -> str:
    """Where the code runs: the name of the machine and the number of the process."""
    return f"{socket.gethostname()}:{os.getpid()}"


def schema_of(columns: Mapping[str, str], forms: Mapping[str, Form]) -> pa.Schema:
    """The schema of the table of rows.

    Args:
        columns: Unit of each declared column by name.
        forms: Type of each draw by name.
    """
    fields = [
        pa.field("run", pa.int64(), nullable=False),
        pa.field("error", pa.string()),
        pa.field("traceback", pa.string()),
    ]
    fields += [pa.field(f"draw.{name}", _type_of(form)) for name, form in forms.items()]
    fields += [pa.field(name, pa.float64(), metadata={"unit": unit}) for name, unit in columns.items()]
    return pa.schema(fields)


def _type_of(form: Form) -> pa.DataType:
    single = {"double": pa.float64(), "int64": pa.int64(), "bool": pa.bool_(), "string": pa.string()}[form.kind]
    return single if form.size is None else pa.list_(single, form.size)


def simulate_block(job: Job) -> Block:
    """Simulate the runs of a job; the function that executors call.

    Raises:
        ValueError: If the code of this process differs from that of the coordinating process, or a time limit cannot be kept here.
    """
    check_code(job)
    start, count = time.perf_counter(), job.last - job.first
    with _process_for_one(job):
        if job.batched and count > 1:
            with _ended_after(job.time_limit and job.time_limit * count):
                together = _simulate_together(job)
            if together is not None:
                return replace(together, seconds=time.perf_counter() - start)
        rows, traces = [], []
        for number in range(job.first, job.last):
            with _ended_after(job.time_limit):
                row, traced = simulate_run(job, number)
            rows.append(row)
            if traced is not None:
                traces.append(traced)
    _collect_worlds(count)
    seconds = time.perf_counter() - start
    return Block(job.first, table_of(job, rows), _concatenated(traces), seconds)


def _simulate_together(job: Job) -> Block | None:
    """Simulate the runs of a batched job; None if that raises an exception, so that it belongs to the run which raises it alone."""
    try:
        rows, traces = _batched(job)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return None
    return Block(job.first, table_of(job, rows), traces)


def _batched(job: Job) -> tuple[list[RunRow], pa.Table | None]:
    """The rows of a batched job, and the table of its traces."""
    numbers = range(job.first, job.last)
    draws = [drawn(job, number) for number in numbers]
    runs = _runs_of(job, draws)
    with np.errstate():
        result = job.simulate(runs)
    columns, errors = _checked_arrays(result, job.columns, len(runs)), runs._errors_by_place()
    rows = []
    for place, number in enumerate(numbers):
        row = empty_row(number)
        row["draws"] = draws[place]
        if place in errors:
            row["error"], row["traceback"] = described(errors[place])
        else:
            row["columns"] = {name: values[place] for name, values in columns.items()}
        rows.append(row)
    return rows, _table_of_traces(runs._traced())


def _runs_of(job: Job, draws: Sequence[Mapping[str, object]]) -> Runs:
    """The runs of a job, with the draws of each of them as arrays."""
    arrays = {name: _array_of([each[name] for each in draws], draw.form) for name, draw in job.draws.items()}
    return Runs(np.arange(job.first, job.last), job.seed, arrays)


def _array_of(values: list[object], form: Form) -> npt.NDArray[np.generic]:
    """The draws of several runs, one row per run."""
    if form.kind == "string":
        return np.array(values, np.str_)
    return np.array(values, _DTYPES[form.kind]).reshape(len(values), *([] if form.size is None else [form.size]))


_DTYPES = {"double": np.float64, "int64": np.int64, "bool": np.bool_}


def simulate_run(job: Job, number: int, reraise: bool = False) -> tuple[RunRow, pa.Table | None]:
    """Simulate one run.

    Returns:
        Its row and the table of its trace, or None if there is none. An exception becomes the row of a failed run.
    """
    row = empty_row(number)
    run: Run | Runs | None = None
    error: BaseException | None = None
    try:
        row["draws"] = drawn(job, number)
        one = job.of_runs(number, number + 1)
        run = _runs_of(one, [row["draws"]]) if job.batched else Run(number, job.seed, row["draws"])
        with np.errstate():  # what a run sets ends with it
            result = job.simulate(run)
        if isinstance(run, Runs):
            row["columns"] = {name: values[0] for name, values in _checked_arrays(result, job.columns, 1).items()}
            error = run._errors_by_place().get(0)
        else:
            row["columns"] = _checked(result, job.columns)
        if error is not None and reraise:
            raise error
    except KeyboardInterrupt:
        raise
    except BaseException as caught:  # SystemExit too: a run that ends its program has failed, and the others go on
        if reraise:
            raise
        error = caught
    if error is not None:
        row["columns"] = {}
        row["error"], row["traceback"] = described(error)
        error.__traceback__ = None  # it holds the world of the run
    return row, _trace_table(number, run)


def drawn(job: Job, number: int) -> dict[str, object]:
    """The draws of a run by name."""
    return {name: draw.value(number, stream_of(job.seed, number, name)) for name, draw in job.draws.items()}


def empty_row(number: int) -> RunRow:
    """The row of a run of which nothing is known yet."""
    return {"run": number, "error": None, "traceback": None, "draws": {}, "columns": {}}


def lost_row(job: Job, number: int, error: str) -> Block:
    """The block of one run whose process ended."""
    row = empty_row(number)
    row["error"], row["draws"] = error, drawn(job, number)
    return Block(number, table_of(job, [row]))


_OF_ALL: tuple[Literal["run"], Literal["error"], Literal["traceback"]] = "run", "error", "traceback"


def table_of(job: Job, rows: Sequence[RunRow]) -> pa.Table:
    """Rows as an Arrow table."""
    forms = {name: draw.form for name, draw in job.draws.items()}
    schema = schema_of(job.columns, forms)
    arrays: list[list[object]] = [[row[name] for row in rows] for name in _OF_ALL]
    arrays += [[row["draws"].get(name) for row in rows] for name in job.draws]
    arrays += [[row["columns"].get(name) for row in rows] for name in job.columns]
    # pyarrow would take not-a-number for null
    columns = [pa.array(values, field.type, from_pandas=False) for values, field in zip(arrays, schema, strict=True)]
    return pa.Table.from_arrays(columns, schema=schema)


def described(error: BaseException) -> tuple[str, str]:
    """The type and message of an exception, and its traceback from `simulate` on."""
    try:
        message = str(error)
    except Exception as failed:
        message = f"<its message raises {type(failed).__name__}>"
    kind = type(error).__name__
    frames = error.__traceback__.tb_next if error.__traceback__ else None
    if isinstance(error, ResultError):  # the user's function has returned
        frames = None
    try:
        text = "".join(traceback.TracebackException(type(error), error, frames).format())
    except Exception as failed:
        text = f"<the traceback raises {type(failed).__name__}>"
    return _cut(f"{kind}: {message}" if message else kind, _LONGEST_ERROR), _cut(text, _LONGEST_TRACEBACK)


def _cut(text: str, longest: int) -> str:
    """Text that can be written in UTF-8; of a long one, its beginning and its end."""
    text = text.encode("utf-8", "backslashreplace").decode()
    if len(text) <= longest:
        return text
    return f"{text[: longest // 2]} … {text[-longest // 2 :]}"


def _checked(result: object, columns: Mapping[str, str]) -> dict[str, float]:
    """The declared columns of what `simulate` returned."""
    return {name: _number(value, name) for name, value in _named(result, columns).items()}


def _named(result: object, columns: Mapping[str, str]) -> dict[str, object]:
    """The values by the names of the declared columns."""
    names = ", ".join(columns)
    if not isinstance(result, Mapping):
        raise ResultError(f"simulate: the result must be a dict with the columns {names}; got {shown(result)}")
    missing = [name for name in columns if name not in result]
    if missing:
        got = ", ".join(map(str, result)) or "none"
        raise ResultError(
            f"simulate: the result must have the columns {names}; missing: {', '.join(missing)}; got {got}"
        )
    unknown = [name for name in result if name not in columns]
    if unknown:
        raise ResultError(f"simulate: the result must have no column but {names}; got {shown(unknown)}")
    return {name: result[name] for name in columns}


def _number(value: object, name: str) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool | np.bool_):
        return float(value)
    if not isinstance(value, Real) or (isinstance(value, int | np.integer) and abs(int(value)) > _EXACT):
        raise ResultError(f"simulate: column {name} must be a real number; integers at most 2⁵³; got {shown(value)}")
    return float(value)


def _checked_arrays(result: object, columns: Mapping[str, str], count: int) -> dict[str, list[float]]:
    """The declared columns of what `simulate` of a batched campaign returned, with one number per run."""
    found = {}
    for name, value in _named(result, columns).items():
        values = np.asarray(value)
        if values.shape != (count,):
            raise ResultError(f"simulate: column {name} must be an array of shape ({count},); got {shown(value)}")
        if values.dtype.kind in "iu" and (np.abs(values.astype(object)) > _EXACT).any():
            raise ResultError(f"simulate: column {name} must be integers of at most 2⁵³; got {shown(value)}")
        if values.dtype.kind not in "biuf":
            raise ResultError(f"simulate: column {name} must be real numbers; got {shown(value)}")
        found[name] = values.astype(np.float64).tolist()
    return found


def _trace_table(number: int, run: Run | Runs | None) -> pa.Table | None:
    """What a run has traced."""
    if isinstance(run, Runs):
        return _table_of_traces(run._traced())
    traced = run.traced if run is not None else {}
    return _table_of_traces({"run": np.full(len(traced["time"]), number), **traced} if traced else {})


def _table_of_traces(traced: Mapping[str, npt.NDArray[np.generic]]) -> pa.Table:
    """What runs have traced, with one column per component, so that the traces of all runs fit into one table; None if it is nothing."""
    if not traced or not len(traced["run"]):
        return None
    columns: dict[str, npt.NDArray[np.generic]] = {}
    for name, values in traced.items():
        parts = {name: values} if values.ndim == 1 else {f"{name}.{k}": values[:, k] for k in range(values.shape[1])}
        columns |= {title: np.ascontiguousarray(part) for title, part in parts.items()}
    return pa.table(columns)


def _concatenated(tables: Sequence[pa.Table]) -> pa.Table | None:
    """Tables one below the other, with nulls where a table lacks a column."""
    return pa.concat_tables(tables, promote_options="default").combine_chunks() if tables else None


# the process of a worker


_COLLECTED_EVERY = 500
"""Runs after which memory of old worlds is freed. Worlds are cycles of references, of which Python's own collector left 2 kB per run."""
_uncollected = 0


def _collect_worlds(runs: int) -> None:
    """Free the memory of old worlds from time to time, which takes 30 ms."""
    global _uncollected
    _uncollected += runs
    if _uncollected >= _COLLECTED_EVERY:
        _uncollected = 0
        gc.collect()


_known_code: set[tuple[object, ...]] = set()
_limits = threading.Lock()


def check_code(job: Job) -> None:
    """Compare the code of this process with that of the coordinating process, once."""
    key = (job.simulate.__qualname__, *job.expected.items())
    if key in _known_code:
        return
    for name, wanted, got in differences(job.expected, provenance(job.simulate, job.packages)):
        raise ValueError(f"worker {this_process()}: {name} must be {wanted}, as in the coordinating process; got {got}")
    lost_row(job, job.first, "")  # what the first draws and the first table import takes no time from the first run
    _known_code.add(key)


@contextmanager
def _process_for_one(job: Job) -> Iterator[None]:
    """Make sure that a time limit ends no other run and not the coordinating process."""
    if job.time_limit is None:
        yield
        return
    rule = "needs workers that are processes of their own with one thread each (dask worker --nthreads 1)"
    if this_process() == job.coordinator:
        raise ValueError(f"worker {this_process()}: time_limit {rule}; got a thread of the coordinating process")
    if not _limits.acquire(blocking=False):
        raise ValueError(f"worker {this_process()}: time_limit {rule}; got several threads")
    try:
        yield
    finally:
        _limits.release()


@contextmanager
def _ended_after(seconds: float | None) -> Iterator[None]:
    """End this process if the block takes longer; a thread in C does it, because the run may never return to Python."""
    if seconds is None:
        yield
        return
    with open(os.devnull, "w") as nowhere:
        faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
