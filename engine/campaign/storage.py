"""The folder of a campaign: `campaign.json`, `runs/000012000.parquet` and `traces/000012000.parquet`.

A file is written completely or not at all: under a temporary name, synchronised with the disk, and renamed. A block counts as done when its
file in `runs/` exists. Everything that is read is checked, and nothing that is read is executed: the files are JSON and Parquet, and no
class or function is looked up by a name in them.
"""

import contextlib
import errno
import hashlib
import itertools
import json
import os
import re
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn, NotRequired, TypedDict, TypeVar, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from ..compilation.locks import lock_file
from ..plain import Plain
from .blocks import Block, Row, schema_of
from .draws import MOST_RUNS, Form, checked_name

FORMAT = 1
LARGEST_SEED = 2**63 - 1
_RECORD, _LOCK, _RUNS, _TRACES = "campaign.json", ".lock", "runs", "traces"
_BLOCK = re.compile(r"([0-9]{9})\.parquet")
_KINDS = ("double", "int64", "bool", "string")
_CAMPAIGN, _CODE = b"polhode.campaign", b"polhode.code"
"""Keys in the files of blocks: hashes of what the campaign is and of the code that made the rows."""
_LARGEST_RECORD = 64 * 2**20  # [bytes]

Result = TypeVar("Result")

Key = Literal["format", "runs", "seed", "block", "simulate", "columns", "draws", "code", "earlier_code"]


class Record(TypedDict):
    """The content of `campaign.json`."""

    format: int
    runs: int
    seed: int
    simulate: str
    columns: dict[str, str]
    """Unit by name."""
    draws: dict[str, dict[str, Any]]
    """The distribution of each draw as it describes itself, with the type of its column."""
    code: dict[str, str]
    """Hashes and versions of the code."""
    earlier_code: list[dict[str, str]]
    block: NotRequired[int]
    """Runs per block, once a run has been measured."""


@dataclass(frozen=True)
class BlockFile:
    """A block that is done."""

    first: int
    last: int
    """The run after the last one."""
    failed: int
    path: Path


def hash_of(value: object) -> str:
    """The SHA-256 hash of plain data."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def identity_of(record: Mapping[str, object]) -> str:
    """The hash of what a campaign is: its seed, draws and columns. Blocks of another campaign have another one."""
    names: tuple[Key, ...] = "format", "seed", "draws", "columns"
    return hash_of({name: record[name] for name in names})


def schema_of_record(record: Record) -> pa.Schema:
    """The schema of the table of rows."""
    forms = {name: Form(*draw["column"]) for name, draw in record["draws"].items()}
    return schema_of(record["columns"], forms)


class Folder:
    """The folder of a campaign.

    Args:
        path: Its path; the folder need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.owner = f"Campaign {path}"

    # the lock

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Make the folder, and keep other processes from running the same campaign."""
        self._writing(lambda: self.path.mkdir(parents=True, exist_ok=True))
        file = self._writing(lambda: open(self.path / _LOCK, "ab"))
        with file:
            if not lock_file(file.fileno()):
                raise RuntimeError(
                    f"{self.owner}: folder must be used by one process at a time; another one is running this campaign"
                )
            yield

    def clean(self) -> None:
        """Make the folders of blocks, and remove files that a killed process left half-written."""
        for folder in (self.path / _RUNS, self.path / _TRACES):
            self._writing(lambda folder=folder: folder.mkdir(exist_ok=True))  # type: ignore[misc]
        for folder in (self.path, self.path / _RUNS, self.path / _TRACES):
            for left in folder.glob(".*.tmp"):
                with contextlib.suppress(OSError):
                    left.unlink()

    # campaign.json

    def read_record(self) -> Record | None:
        """The content of `campaign.json`, checked; None if there is no such file.

        Raises:
            OSError: If it cannot be read.
            ValueError: If its content is not that of a campaign. The message names the place.
        """
        path = self.path / _RECORD
        try:
            with open(path, "rb") as file:
                text = file.read(_LARGEST_RECORD + 1)
        except FileNotFoundError:
            if any(self._block_paths()):
                raise ValueError(
                    f"{self.owner}: folder must have {_RECORD}; there are blocks in {_RUNS}, but no such file"
                ) from None
            return None
        except OSError as error:
            raise _named(error, self.owner, "a folder that can be read", path) from error
        if len(text) > _LARGEST_RECORD:
            raise ValueError(f"{path}: the content must have at most {_LARGEST_RECORD} bytes")
        return _checked_record(Plain.of_text(text, str(path)))

    def need_record(self) -> Record:
        """The same, where there must be one.

        Raises:
            FileNotFoundError: If there is none.
        """
        record = self.read_record()
        if record is None:
            raise FileNotFoundError(
                errno.ENOENT,
                f"{self.owner}: folder must be that of a campaign; it has no file {_RECORD}",
                str(self.path),
            )
        return record

    def write_record(self, record: Record) -> None:
        """Replace `campaign.json`."""
        text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        self._write(self.path / _RECORD, text)

    # blocks

    def blocks(self, record: Record) -> list[BlockFile]:
        """The blocks that are done, in the order of their runs; only the footers of the files are read.

        Raises:
            ValueError: If a file is damaged, belongs to another campaign, or has runs that another file has too.
        """
        schema, identity = schema_of_record(record), identity_of(record)
        found = [self._block(path, first, schema, identity) for first, path in self._block_paths()]
        for before, after in itertools.pairwise(found):
            if after.first < before.last:
                self._damaged(
                    after.path,
                    f"its runs must start at {before.last} or later, because {before.path.name} has those before",
                )
        if found and found[-1].last > record["runs"]:
            self._damaged(found[-1].path, f"its runs must be below {record['runs']}, the number of runs")
        return found

    def write_block(self, block: Block, record: Record) -> None:
        """Write the files of a block, of which that in `runs/` comes last."""
        name = f"{block.first:09}.parquet"
        keys = {_CAMPAIGN: identity_of(record).encode(), _CODE: hash_of(record["code"]).encode()}
        traces = self.path / _TRACES / name
        if block.traces is not None:
            self._write(traces, _parquet(block.traces, keys))
        else:  # a process that was killed may have left one, of a block of another size
            self._writing(lambda: traces.unlink(missing_ok=True))
        self._write(self.path / _RUNS / name, _parquet(block.runs, keys))

    def results(self, record: Record) -> pa.Table:
        """All rows that are done, as one table in the order of the runs."""
        schema = schema_of_record(record)
        tables = [self._read(block.path) for block in self.blocks(record)]
        tables = [table.cast(schema).replace_schema_metadata(None) for table in tables]
        return pa.concat_tables(tables) if tables else schema.empty_table()

    def plot(self, record: Record, path: object) -> Any:
        """A picture of all rows that are done, also written to a file unless `path` is None."""
        try:
            from .plots import draw
        except ModuleNotFoundError as error:
            raise ImportError("plots need matplotlib: pip install 'polhode[plot]'", name=error.name) from None
        return draw(self.results(record), record["columns"], self.path.name, self.owner, path)

    def rows(self, record: Record, runs: Iterator[int]) -> dict[int, Row]:
        """The rows of some runs, by number; those that are not done are missing."""
        wanted, found = sorted(set(runs)), {}
        for block in self.blocks(record):
            here = [run for run in wanted if block.first <= run < block.last]
            if here:
                table = self._read(block.path)
                found.update({run: table.slice(run - block.first, 1).to_pylist()[0] for run in here})
        return found

    def failures(self, record: Record) -> pa.Table:
        """The rows of failed runs, as one table; files without failures are not read."""
        schema = schema_of_record(record)
        tables = [self._read(block.path).cast(schema) for block in self.blocks(record) if block.failed]
        tables = [table.filter(table["error"].is_valid()).replace_schema_metadata(None) for table in tables]
        return pa.concat_tables(tables) if tables else schema.empty_table()

    def traces(self, record: Record, run: int | None = None) -> pa.Table:
        """The traces of all runs or of one, as one table."""
        tables = []
        for block in self.blocks(record):
            path = self.path / _TRACES / block.path.name
            if (run is None or block.first <= run < block.last) and path.exists():
                table = self._read(path, identity_of(record)).replace_schema_metadata(None)
                if table.column_names[:2] != ["run", "time"]:
                    self._damaged(path, "its first columns must be run and time")
                tables.append(table if run is None else table.take(_places(table["run"], run)))
        if not tables:
            return pa.table({"run": pa.array([], pa.int64()), "time": pa.array([], pa.float64())})
        return pa.concat_tables(tables, promote_options="default")

    def _block_paths(self) -> list[tuple[int, Path]]:
        try:
            names = sorted(os.listdir(self.path / _RUNS))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _named(error, self.owner, "a folder that can be read", self.path / _RUNS) from error
        found = []
        for name in names:
            match = _BLOCK.fullmatch(name)
            if match:
                found.append((int(match[1]), self.path / _RUNS / name))
            elif not name.startswith("."):
                self._damaged(
                    self.path / _RUNS / name, "its name must be the number of its first run, such as 000012000.parquet"
                )
        return found

    def _block(self, path: Path, first: int, schema: pa.Schema, identity: str) -> BlockFile:
        footer = self._footer(path, identity)
        if not footer.schema.to_arrow_schema().equals(schema):
            self._damaged(path, f"its columns must be {', '.join(schema.names)}, as {_RECORD} says")
        failed, numbers = 0, []
        for place in range(footer.num_row_groups):
            group = footer.row_group(place)
            run, error = group.column(0).statistics, group.column(1).statistics
            if run is None or error is None or not run.has_min_max or not error.has_null_count:
                self._damaged(path, "it must have statistics of its columns")
            numbers += [run.min, run.max]
            failed += group.num_rows - error.null_count
        count = footer.num_rows
        if not count or (min(numbers), max(numbers)) != (first, first + count - 1):
            self._damaged(path, f"its runs must start at {first} and follow one another")
        return BlockFile(first, first + count, failed, path)

    def _footer(self, path: Path, identity: str) -> pq.FileMetaData:
        try:
            footer = pq.read_metadata(path)
        except FileNotFoundError:
            raise
        except (OSError, pa.ArrowException) as error:
            self._damaged(path, "it must be a Parquet file", error)
        if (footer.metadata or {}).get(_CAMPAIGN) != identity.encode():
            self._damaged(path, f"it must belong to this campaign, whose seed, draws and columns are in {_RECORD}")
        return footer

    def _read(self, path: Path, identity: str | None = None) -> pa.Table:
        if identity is not None:
            self._footer(path, identity)
        try:
            return pq.ParquetFile(path).read()
        except (OSError, pa.ArrowException) as error:
            self._damaged(path, "it must be a Parquet file", error)

    def _damaged(self, path: Path, rule: str, cause: Exception | None = None) -> NoReturn:
        reason = f" ({cause})" if cause else ""
        raise ValueError(
            f"{self.owner}: {path.relative_to(self.path)} cannot be used{reason}: {rule}; remove it, and its runs are simulated again"
        ) from cause

    # files

    def _write(self, path: Path, content: bytes) -> None:
        """Write a file completely or not at all."""
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
        try:
            self._writing(lambda: _write_synchronised(temporary, path, content))
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()

    def _writing(self, action: Callable[[], Result]) -> Result:
        """Reword errors of the operating system."""
        try:
            return action()
        except OSError as error:
            rule = "a folder that can be written"
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                rule = "on a disk with room; make room and run the campaign again, nothing that was written is lost"
            raise _named(error, self.owner, rule, self.path) from error


def _write_synchronised(temporary: Path, path: Path, content: bytes) -> None:
    with open(temporary, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    if sys.platform != "win32":  # the new name is safe when the folder is
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _named(error: OSError, owner: str, rule: str, path: Path) -> OSError:
    """The error with owner, argument and rule; the reason is that of the operating system."""
    reason = error.strerror or str(error)
    return type(error)(error.errno, f"{owner}: folder must be {rule}; {reason}", str(path))


def _parquet(table: pa.Table, keys: Mapping[bytes, bytes]) -> bytes:
    """A table as the content of a Parquet file, whose bytes depend on the table and the version of pyarrow alone."""
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata(keys), sink, compression="zstd")
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _places(column: pa.ChunkedArray, value: int) -> pa.Array:
    return pa.array([place for place, number in enumerate(column.to_pylist()) if number == value], pa.int64())


def _checked_record(plain: Plain) -> Record:
    """The content of `campaign.json`, in which every value has the type that is expected."""
    plain.only(*get_args(Key))
    plain["format"].integer(FORMAT, FORMAT)
    plain["runs"].integer(1, MOST_RUNS)
    plain["seed"].integer(0, LARGEST_SEED)
    plain["block"].integer(1, MOST_RUNS)
    plain["simulate"].text()
    for name, unit in plain["columns"].items():
        unit.text()
        checked_name(name, "columns", plain.owner)
    for name, draw in plain["draws"].items():
        checked_name(name, "draws", plain.owner)
        draw["kind"].text()
        kind, size = draw["column"].list(2)
        if kind.text() not in _KINDS:
            kind.refuse(f"one of {', '.join(_KINDS)}")
        if size.value is not None:
            size.integer(1, 2**20)
    for code in (plain["code"], *plain["earlier_code"].list()):
        for _, value in code.items():
            value.text()
    record: Record = plain.value
    return record
