"""Records of a flight, which are samples of time, state, energy, actuators and wrenches, in memory and in files."""

from __future__ import annotations  # help() then shows them as written

import csv
import itertools
import json
import math
import os
import struct
import warnings
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import diagnostics
from ..body import Body, row_of
from ..checks import (
    FloatArray,
    count_of_ticks,
    explaining_errors,
    file_path,
    integer,
    members,
    naming_file,
    read_only,
    refuse,
)
from ..compilation.locks import lock_file
from ..html_table import html_table
from ..plain import Plain, to_text
from ..store.calling import Callback, default_name
from ..store.rows import Quantity, TableRows, columns_of, is_body, recorded_of, rows_in, schema_of
from ..store.schema import Field
from ..tick.force_list import AnyForce
from ..world import World

_MAGIC = b"POLHODE RECORD 1\n"
_LENGTH = struct.Struct("<I")
_SAMPLES_PER_BLOCK = 64
_COMPONENTS = {3: ("x", "y", "z"), 4: ("x", "y", "z", "w")}
_STANDARD = (
    "position",
    "orientation",
    "velocity",
    "angular_velocity_body",
    "angular_momentum_world",
    "mass",
    "center_of_mass_body",
    "inertia_body",
    "kinetic_energy",
    "potential_energy",
)
"""The columns of a record by default, beside the time and those of forces and parts."""
_OF_CONTACTS = "contact_force_world"
"""A column that is recorded by default where a world has shapes."""


class Column(NamedTuple):
    """One quantity of a record."""

    name: str
    unit: str
    frame: str
    shape: tuple[int, ...]
    """The shape of one sample."""

    @property
    def size(self) -> int:
        """The number of numbers in a sample."""
        return int(np.prod(self.shape, dtype=int))

    @property
    def is_of_bodies(self) -> bool:
        """Whether the first dimension counts the recorded bodies, as in the state and in the wrenches of forces."""
        is_wrench = len(self.shape) == 2 and self.name.endswith((".force_world", ".torque_body"))
        return is_wrench or self.name in _STANDARD


@explaining_errors()
class Record:
    """Samples that were recorded, with their columns.

    Attributes:
        columns: The columns, without tick count and time.
        bodies: The names of the recorded bodies, in the order in which they are in the arrays.
        dt: Length of a tick [s].
    """

    def __init__(self, columns: tuple[Column, ...], bodies: tuple[str, ...], dt: float, samples: FloatArray) -> None:
        self.columns = columns
        self.bodies = bodies
        self.dt = dt
        self._samples = samples
        self._ends = np.cumsum([1, *(column.size for column in columns)]).tolist()

    def __len__(self) -> int:
        return len(self._rows())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} samples: {', '.join(column.name for column in self.columns)}>"

    def _repr_html_(self) -> str:
        count, bodies = len(self), len(self.bodies)
        span = f", t = {self.time[0]:g} to {self.time[-1]:g} s" if count else ""
        caption = f"{type(self).__name__} of {count} samples of {bodies} {'body' if bodies == 1 else 'bodies'}{span}"
        rows = [(one.name, one.unit, one.frame, " × ".join(map(str, (count, *one.shape)))) for one in self.columns]
        return html_table(
            caption, ("column", "unit", "frame", "shape"), [("time", "s", "", str(count)), *rows], len(rows) + 1
        )

    def _rows(self) -> FloatArray:
        return self._samples

    @property
    def tick(self) -> FloatArray:
        """The tick count of each sample, shape (k,)."""
        return read_only(self._rows()[:, 0].copy())

    @property
    def time(self) -> FloatArray:
        """Simulated time of each sample [s], shape (k,)."""
        return read_only(self._rows()[:, 0] * self.dt)

    def __getattr__(self, name: str) -> FloatArray:
        if not name.startswith("_"):
            for column, first in zip(self.columns, self._ends, strict=False):
                if column.name == name:
                    return self._column(column, first)
            known = ", ".join(column.name for column in self.columns)
            raise AttributeError(
                f"{type(self).__name__}: there is no column {name!r}; its columns are time, tick, {known}"
            )
        raise AttributeError(name)

    def __getitem__(self, name: str) -> FloatArray:
        """A column by its name, for names that are not identifiers, such as "Thruster 0.throttle"."""
        try:
            return self.time if name == "time" else self.tick if name == "tick" else self.__getattr__(name)
        except AttributeError as error:
            raise KeyError(str(error)) from None

    def _column(self, column: Column, first: int) -> FloatArray:
        rows = self._rows()
        return read_only(rows[:, first : first + column.size].reshape(len(rows), *column.shape).copy())

    def arrays(self) -> dict[str, FloatArray]:
        """Return all columns by name, each of shape (k, …) for k samples, with "time" first."""
        return {"time": self.time, **{column.name: self[column.name] for column in self.columns}}

    @property
    def metadata(self) -> dict[str, object]:
        """Units, frames and shapes of the columns, the names of the bodies, and dt, as plain data."""
        return {
            "dt": self.dt,
            "bodies": list(self.bodies),
            "columns": [
                {"name": column.name, "unit": column.unit, "frame": column.frame, "shape": list(column.shape)}
                for column in self.columns
            ],
        }

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write all samples as text, one line per sample, under headings with body, component and unit.

        Args:
            path: The file, which is replaced if it exists.

        Raises:
            OSError: If the file cannot be written.

        Example:
            >>> import pathlib, tempfile
            >>> from engine import MassProperties, Recorder, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), name="ship", velocity=(1.0, 0.0, 0.0))
            >>> record = Recorder(world, columns=["position"])
            >>> world.step(2)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     record.to_csv(f"{folder}/flight.csv")
            ...     print(pathlib.Path(f"{folder}/flight.csv").read_text().rstrip())
            time [s],ship.position.x [m],ship.position.y [m],ship.position.z [m]
            0.0,0.0,0.0,0.0
            0.5,0.5,0.0,0.0
            1.0,1.0,0.0,0.0
        """
        chosen = file_path(path, "path", "Recorder.to_csv")
        with naming_file(chosen, "Recorder.to_csv", "written"), open(chosen, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["time [s]", *(heading for column in self.columns for heading in self._headings(column))])
            rows = self._rows()
            for time, row in zip((rows[:, 0] * self.dt).tolist(), rows[:, 1:].tolist(), strict=True):
                writer.writerow([time, *row])

    def to_npz(self, path: str | os.PathLike[str]) -> None:
        """Write all columns to a NumPy file (npz), with the metadata as JSON in "metadata".

        Args:
            path: The file, which is replaced if it exists. No suffix is added to its name.

        Raises:
            OSError: If the file cannot be written.

        Example:
            >>> import tempfile
            >>> from engine import MassProperties, Recorder, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(1.0, 0.0, 0.0))
            >>> record = Recorder(world)
            >>> world.step(2)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     record.to_npz(f"{folder}/flight.npz")
            ...     with np.load(f"{folder}/flight.npz") as columns:
            ...         print(columns["time"].tolist(), columns["position"].shape)
            [0.0, 0.5, 1.0] (3, 1, 3)
        """
        metadata = np.array(json.dumps(self.metadata))
        # given a name, NumPy would add ".npz" to it
        chosen = file_path(path, "path", "Recorder.to_npz")
        with naming_file(chosen, "Recorder.to_npz", "written"), chosen.open("wb") as file:
            np.savez(file, metadata=metadata, **self.arrays())  # type: ignore[arg-type]

    def to_pandas(self) -> Any:
        """Return all samples as a pandas DataFrame, with the time [s] as its index and the headings of `to_csv` as its columns.

        Raises:
            ImportError: If pandas is not installed.

        Example:
            >>> record.to_pandas()["ship.position.x [m]"]  # doctest: +SKIP
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("Recorder.to_pandas needs pandas: pip install pandas") from error
        rows = self._rows()
        index = pandas.Index(rows[:, 0] * self.dt, name="time [s]")
        headings = [heading for column in self.columns for heading in self._headings(column)]
        return pandas.DataFrame(rows[:, 1:].copy(), index=index, columns=headings)

    def _headings(self, column: Column) -> list[str]:
        unit = f" [{column.unit}]" if column.unit != "-" else ""
        names = [column.name]
        for place, size in enumerate(column.shape):
            if place == 0 and column.is_of_bodies:
                names = [f"{body}.{name}" for name in names for body in self.bodies]
            else:
                names = [
                    f"{name}.{part}" for name in names for part in _COMPONENTS.get(size, tuple(map(str, range(size))))
                ]
        return [f"{name}{unit}" for name in names]

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Record:
        """Read a file that a `Recorder` has streamed, up to its last complete block.

        A damaged part, such as a block with a flipped bit, is left out, and a warning says between which ticks samples are missing.

        Args:
            path: The file.

        Returns:
            The samples with their columns.

        Raises:
            ValueError: If the file was not streamed by a `Recorder`.
            OSError: If the file cannot be read.

        Example:
            >>> import tempfile
            >>> from engine import MassProperties, Recorder, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(1.0, 0.0, 0.0))
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     recorder = Recorder(world, path=f"{folder}/flight.records")
            ...     world.step(2)
            ...     recorder.stop()
            ...     record = Record.read(f"{folder}/flight.records")
            >>> record.time.tolist(), record.position[-1, 0].tolist()
            ([0.0, 0.5, 1.0], [1.0, 0.0, 0.0])
        """
        chosen = file_path(path, "path", "Recorder.read")
        with naming_file(chosen, "Recorder.read", "read"):
            return _read(chosen)


@explaining_errors()
class Recorder(Record):
    """Recorder of a flight, which takes a sample when it is made and after every `every` ticks.

    The columns of k samples of n bodies are `time` [s], shape (k,); `position` of the mass centres [m], world frame, shape (k, n, 3);
    `orientation`, scalar-last (x, y, z, w), body to world, shape (k, n, 4); `velocity` [m/s], world frame; `angular_velocity_body` [rad/s],
    body frame; `angular_momentum_world` about the mass centres, with wheels [N·m·s], world frame; `mass` [kg], shape (k, n);
    `center_of_mass_body` from the bodies' origins [m], body frame; `inertia_body` about the mass centres [kg·m²], body frame, shape
    (k, n, 3, 3); and `kinetic_energy` with wheels and `potential_energy` [J], shape (k, n), where the energy of
    a spring or joint belongs to its first body. In a world with shapes, `contact_force_world` is the mean force of all contacts over the
    last tick [N], shape (k, n, 3).

    Each force and part of the package adds one column per command and state, such as "Thruster 0.throttle". Wheels add
    "ReactionWheel 0.speed", a `BodyTorque` its torque, and sensors what they last measured, such as "ship gyro.angular_velocity_body",
    which is NaN while a reading is not valid. Joints add "Hinge 0.force_world", "Hinge 0.torque_world", "Hinge 0.angle" and
    "Hinge 0.rate": force and torque, the coordinates of their degrees of freedom and the rates of those, and the closing energy of welds
    and latches.

    A column begins with the name of its part. Forces, joints, parts without a name and parts that share one have their class or name and a
    number instead, which counts those of the same class or name in the order in which they were added. "Thruster 1" is therefore the second
    `Thruster`, whatever other forces there are. Names are given when the recorder is made, and files keep them; what is added to the world
    later has no column.
    `metadata` has the units and frames. A body, force, part or joint that is removed leaves NaN.

    A tick that fails leaves no sample. After the world is restored, samples at later ticks are dropped when the next one is taken. A world
    without a recorder has no extra cost.

    Args:
        world: The world.
        every: The interval in ticks, at least 1.
        bodies: The bodies to record; None means all that the world has now.
        capacity: Maximum number of samples to keep, of which the latest are kept; None means no limit.
        columns: Which of the columns of bodies to record; None means all.
        wrenches: Forces whose contributions to the wrench on each body are recorded as well, which evaluates them once per sample,
            in columns such as "Thruster 1.force_world" and "Thruster 1.torque_body". A Python force has its module and name there.
        path: A file to which samples are streamed in blocks; `Recorder.read` reads what was written, even after a crash.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is out of range, a body or force is in another world, a name in `columns` is unknown, or another recorder
            writes the file.
        OSError: If the file cannot be written.

    Example:
        >>> from engine import MassProperties, Recorder, World
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(1.0, 0.0, 0.0))
        >>> record = Recorder(world, every=2)
        >>> world.step(6)
        >>> record.time.tolist(), record.position[:, 0, 0].tolist()
        ([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0])
    """

    def __init__(
        self,
        world: World,
        every: int = 1,
        bodies: Iterable[Body] | None = None,
        capacity: int | None = None,
        *,
        columns: Iterable[str] | None = None,
        wrenches: Iterable[object] = (),
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        owner = "Recorder"
        if not isinstance(world, World):
            refuse(owner, "world", world, "a World", TypeError)
        every = count_of_ticks(every, "every", owner)
        self._capacity = None if capacity is None else integer(capacity, "capacity", owner, at_least=1)
        file = None if path is None else file_path(path, "path", owner)
        given = world.bodies if bodies is None else bodies
        self._handles = members(given, "bodies", owner, "a list of bodies of the world", is_body)
        for body in self._handles:
            world._own_body(body, owner, "bodies")
        rule = f"a list of names among {', '.join(_QUANTITIES)}"
        default = (*_STANDARD, _OF_CONTACTS) if world.shapes else _STANDARD
        wanted = members(
            default if columns is None else columns, "columns", owner, rule, lambda name: isinstance(name, str)
        )
        for name in wanted:
            if name not in _QUANTITIES:
                refuse(owner, "columns", name, rule)
        own = {id(force) for force in world.forces}
        rule = "forces of the world"
        forces = members(
            wrenches,
            "wrenches",
            owner,
            f"a list of {rule}",
            lambda one: id(one) in own or callable(one) or hasattr(one, "rows"),
        )
        for force in forces:
            if id(force) not in own:
                refuse(owner, "wrenches", force, rule)
        self._world, titles = world, _titles(world)
        readers = [
            *(_state_reader(name, len(self._handles)) for name in wanted),
            *_member_readers(world, titles),
            *_wrench_readers(forces, titles, self._handles),
        ]
        made = tuple(column for columns, _read in readers for column in columns)
        self._readers = [(sum(column.size for column in columns), read) for columns, read in readers]
        names = tuple(body.name for body in self._handles)
        super().__init__(
            made, names, world.dt, np.empty((min(self._capacity or 64, 64), 1 + sum(c.size for c in made)))
        )
        self._count = 0
        self._file: FileIO | None = None
        self._written = 0  # bytes of the file that are complete
        self._block: list[FloatArray] = []
        self._sample(world)  # before the file is made, because a force may have no right energy
        if file is not None:
            header = to_text(self.metadata)
            with naming_file(file, "Recorder", "written"):
                self._file = _opened(file)
                self._write(_MAGIC + _LENGTH.pack(len(header)) + header + _LENGTH.pack(zlib.crc32(header)))
            self._block.append(self._samples[0].copy())
        self._callback = Callback(self._sample, every)
        world._stages.observe(self._callback)

    def stop(self) -> None:
        """Stop recording, and write the remaining samples to the file; the samples stay in memory."""
        self._world._stages.stop_observing(self._callback)
        if self._file is not None:
            self._write_blocks()
            self._file.close()
            self._file = None

    def _rows(self) -> FloatArray:
        return (
            self._samples[: self._count]
            if self._capacity is None
            else self._samples[max(0, self._count - self._capacity) : self._count]
        )

    def _sample(self, world: World) -> None:
        tick = float(world.tick_count)
        row = np.empty(self._samples.shape[1])
        row[0] = tick
        first, rows = 1, _rows_of(self._handles)
        for size, read in self._readers:
            row[first : first + size] = read(world, rows)
            first += size
        while self._count and self._samples[self._count - 1, 0] >= tick:  # the world was restored
            self._count -= 1
        if self._count == len(self._samples):
            self._make_room()
        self._samples[self._count] = row
        self._count += 1
        if self._file is not None:
            while self._block and self._block[-1][0] == tick:  # an interrupt came after the sample
                self._block.pop()
            self._block.append(row)
            if len(self._block) >= _SAMPLES_PER_BLOCK:
                self._write_blocks()

    def _make_room(self) -> None:
        """Double the memory, or move the samples that are kept to its beginning."""
        kept = self._rows()
        if self._capacity is not None and len(self._samples) >= 2 * self._capacity:
            kept = kept.copy()
            self._samples[: len(kept)] = kept
            self._count = len(kept)
            return
        wider = np.empty((2 * len(self._samples), self._samples.shape[1]))
        wider[: len(kept)] = kept
        self._samples, self._count = wider, len(kept)

    def _write_blocks(self) -> None:
        """Write the samples that wait; more than one block if there was no room for them before."""
        while self._block:
            samples = self._block[:_SAMPLES_PER_BLOCK]
            data = np.stack(samples).astype("<f8").tobytes()
            self._write(_LENGTH.pack(len(samples)) + _LENGTH.pack(zlib.crc32(data)) + data)
            del self._block[: len(samples)]

    def _write(self, data: bytes) -> None:
        """Write behind what is complete, in place of what an exception has left of an earlier attempt."""
        assert self._file is not None
        if self._file.seek(0, os.SEEK_END) > self._written:
            self._file.truncate(self._written)
        self._file.seek(self._written)
        left = memoryview(data)
        while left:
            left = left[self._file.write(left) :]
        self._written += len(data)


def _opened(path: Path) -> FileIO:
    """Open a file for one recorder alone; what it contains is left until something is written."""
    file = FileIO(os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "wb")
    if not lock_file(file.fileno()):
        file.close()
        refuse("Recorder", "path", str(path), "a file that no other recorder writes", hint="stop that one first")
    return file


Read = Callable[[World, npt.NDArray[np.int64]], FloatArray]


def _rows_of(handles: list[Body]) -> npt.NDArray[np.int64]:
    """The rows of bodies, or -1 for one that was removed."""
    return np.array([row_of(body) for body in handles], np.int64)


def _state_reader(name: str, count: int) -> tuple[list[Column], Read]:
    unit, frame, shape, value = _QUANTITIES[name]

    def read(world: World, rows: npt.NDArray[np.int64]) -> FloatArray:
        values = np.full((count, *shape), np.nan)
        there = rows >= 0
        values[there] = value(world, rows[there])
        return values.ravel()

    return [Column(name, unit, frame, (count, *shape))], read


def _momentum(world: World, rows: npt.NDArray[np.int64]) -> FloatArray:
    state, model = world.state, world.model
    return diagnostics.spin_angular_momentum(
        state.orientation[rows],
        model.inertia_body[rows],
        state.angular_velocity_body[rows],
        state.stored_momentum_body[rows],
    )


def _energy(world: World, rows: npt.NDArray[np.int64]) -> FloatArray:
    state, model = world.state, world.model
    moving = diagnostics.translational_energy(model.mass[rows], state.velocity[rows])
    turning = diagnostics.rotational_energy(model.inertia_body[rows], state.angular_velocity_body[rows])
    energies = np.asarray(moving + turning)
    actuators = world._actuators
    if actuators.any:
        energies += [math.fsum(actuators.wheel_energies(actuators.wheels_of(int(row)))) for row in rows]
    return energies


def _potential(world: World, rows: npt.NDArray[np.int64]) -> FloatArray:
    energies = np.zeros(len(world.bodies))
    for of_force in world._forces.potential_energies():
        energies += of_force
    for joint in world.joints:
        energies[joint.body.index] += joint.potential_energy()
    return energies[rows]


_QUANTITIES: dict[str, tuple[str, str, tuple[int, ...], Callable[[World, npt.NDArray[np.int64]], FloatArray]]] = {
    "position": ("m", "world", (3,), lambda world, rows: world.state.position[rows]),
    "orientation": ("-", "body to world", (4,), lambda world, rows: world.state.orientation[rows]),
    "velocity": ("m/s", "world", (3,), lambda world, rows: world.state.velocity[rows]),
    "angular_velocity_body": ("rad/s", "body", (3,), lambda world, rows: world.state.angular_velocity_body[rows]),
    "angular_momentum_world": ("N·m·s", "world", (3,), _momentum),
    "mass": ("kg", "", (), lambda world, rows: world.model.mass[rows]),
    "center_of_mass_body": ("m", "body", (3,), lambda world, rows: world.model.center_of_mass_body[rows]),
    "inertia_body": ("kg·m²", "body", (3, 3), lambda world, rows: world.model.inertia_body[rows]),
    "kinetic_energy": ("J", "", (), _energy),
    "potential_energy": ("J", "", (), _potential),
    _OF_CONTACTS: ("N", "world", (3,), lambda world, rows: world.contacts.force_on_bodies_world[rows]),
}


def _titles(world: World) -> dict[int, str]:
    """What the columns of each force, part and joint are called, by its `id`: a name that no other has, or name or class with a number.

    The numbers of a class count the members of that class alone, so that other forces and parts change nothing in them.
    """
    members = *world.forces, *world.parts, *world.joints
    names = [getattr(one, "name", None) or "" if isinstance(one, TableRows) else default_name(one) for one in members]
    alone = {name for name, times in Counter(names).items() if name and times == 1}
    numbers: defaultdict[str, Iterator[int]] = defaultdict(itertools.count)
    titles = {}
    for member, name in zip(members, names, strict=True):
        stem = name or type(member).__name__
        numbered = (f"{stem} {number}" for number in numbers[stem])
        titles[id(member)] = name if name in alone else next(title for title in numbered if title not in alone)
    return titles


def _member_readers(world: World, titles: dict[int, str]) -> list[tuple[list[Column], Read]]:
    """The columns of each force, part and joint: fields of their rows, and what else their classes record."""
    found = []
    for member in (*world.forces, *world.parts, *world.joints):
        if isinstance(member, TableRows):
            fields, quantities = recorded_of(member)
            title, rows = titles[id(member)], len(member.rows)
            shapes = [((rows,) if rows > 1 else ()) + ((one.size,) if one.size > 1 else ()) for one in fields]
            columns = [
                Column(f"{title}.{one.name}", one.unit, one.frame, shape)
                for one, shape in zip(fields, shapes, strict=True)
            ]
            columns += [Column(f"{title}.{one.name}", one.unit, one.frame, one.shape) for one in quantities]
            size = sum(column.size for column in columns)
            found.append((columns, _member_reader(member, fields, quantities, size)))
    return found


def _member_reader(member: TableRows, fields: list[Field], quantities: Sequence[Quantity], size: int) -> Read:
    components = [schema_of(member).components[field.name] for field in fields]

    def read(world: World, rows: object) -> FloatArray:
        found = rows_in(member, world._store)
        if found.start == found.stop:  # it is not in the world any more
            return np.full(size, np.nan)
        columns = columns_of(member)
        values = [columns[where].T.ravel() for where in components]
        return np.concatenate([*values, *(one.of(member) for one in quantities), ()])

    return read


def _wrench_readers(
    forces: list[AnyForce], titles: dict[int, str], handles: list[Body]
) -> list[tuple[list[Column], Read]]:
    found = []
    for force in forces:
        for part, (name, unit, frame) in enumerate((("force_world", "N", "world"), ("torque_body", "N·m", "body"))):
            column = Column(f"{titles[id(force)]}.{name}", unit, frame, (len(handles), 3))
            found.append(([column], _wrench_reader(force, handles, part)))
    return found


def _wrench_reader(force: AnyForce, handles: list[Body], part: int) -> Read:
    def read(world: World, rows: npt.NDArray[np.int64]) -> FloatArray:
        values = np.full((len(handles), 3), np.nan)
        if any(force is own for own in world.forces):
            for place, row in enumerate(rows.tolist()):
                if row >= 0:
                    values[place] = world.wrench(handles[place], force)[part]
        return values.ravel()

    return read


def _read(path: Path) -> Record:
    owner = "Recorder.read"
    data = path.read_bytes()
    start = len(_MAGIC) + _LENGTH.size
    if not data.startswith(_MAGIC) or len(data) < start:
        refuse(
            owner,
            "path",
            str(path),
            "a file streamed by Recorder(world, path=…), not one written by to_csv or to_npz",
        )
    (length,) = _LENGTH.unpack_from(data, len(_MAGIC))
    header = data[start : start + length]
    if len(data) < start + length + _LENGTH.size or _LENGTH.unpack_from(data, start + length)[0] != zlib.crc32(header):
        refuse(owner, "path", str(path), "a file with a complete header")
    plain = Plain.of_text(header, owner)
    columns = tuple(
        Column(
            column["name"].text(),
            column["unit"].text(),
            column["frame"].text(),
            tuple(size.integer() for size in column["shape"].list()),
        )
        for column in plain["columns"].list()
    )
    width = 1 + sum(column.size for column in columns)
    rows, gaps = _blocks(data, start + length + _LENGTH.size, width)
    samples = np.concatenate(rows) if rows else np.empty((0, width))
    if gaps:
        _warn_of_gaps(path, rows, gaps)
    # of samples at the same tick or later ones before a restore, the last written counts
    later = np.minimum.accumulate(samples[::-1, 0])[::-1]
    kept = np.append(samples[:-1, 0] < later[1:], True) if len(samples) else np.zeros(0, np.bool_)
    names = tuple(name.text() for name in plain["bodies"].list())
    return Record(columns, names, plain["dt"].number(), samples[kept])


def _blocks(data: bytes, offset: int, width: int) -> tuple[list[FloatArray], list[int]]:
    """The samples of each undamaged block from an offset on, and the numbers of blocks before which something is damaged.

    A last block that was cut off, because the program ended while it was written, is no damage.
    """
    found: list[FloatArray] = []
    gaps = []
    while offset < len(data):
        block = _block_at(data, offset, width)
        if block is None:
            following = _next_block(data, offset, width)
            if following is None:
                if not _is_cut(data, offset, width):
                    gaps.append(len(found))
                break
            gaps.append(len(found))
            offset = following
            continue
        found.append(block)
        offset += 2 * _LENGTH.size + 8 * block.size
    return found, gaps


def _count_at(data: bytes, offset: int) -> int:
    """The number of samples that a block says it has; 0 where there is no room for the number."""
    return int(_LENGTH.unpack_from(data, offset)[0]) if offset + _LENGTH.size <= len(data) else 0


def _block_at(data: bytes, offset: int, width: int) -> FloatArray | None:
    """The samples of the block at an offset; None if there is no whole block with the right checksum."""
    count, first = _count_at(data, offset), offset + 2 * _LENGTH.size
    if not 1 <= count <= _SAMPLES_PER_BLOCK or first + 8 * width * count > len(data):
        return None
    (checksum,) = _LENGTH.unpack_from(data, offset + _LENGTH.size)
    block = data[first : first + 8 * width * count]
    if zlib.crc32(block) != checksum:
        return None
    return np.frombuffer(block, "<f8").astype(np.float64).reshape(count, width)


def _next_block(data: bytes, offset: int, width: int) -> int | None:
    """The offset of the first undamaged block behind a damaged one."""
    bytes_left = np.frombuffer(data, np.uint8, offset=offset + 1)
    # where a number of samples may be
    may_begin = (bytes_left[:-3] - np.uint8(1) < _SAMPLES_PER_BLOCK) & ~(
        bytes_left[1:-2] | bytes_left[2:-1] | bytes_left[3:]
    ).astype(bool)
    places = (np.flatnonzero(may_begin) + offset + 1).tolist()
    return next((place for place in places if _block_at(data, place, width) is not None), None)


def _is_cut(data: bytes, offset: int, width: int) -> bool:
    """Whether the last block is shorter than it says."""
    if offset + 2 * _LENGTH.size > len(data):
        return True
    count = _count_at(data, offset)
    return 1 <= count <= _SAMPLES_PER_BLOCK and offset + 2 * _LENGTH.size + 8 * width * count > len(data)


def _warn_of_gaps(path: Path, rows: list[FloatArray], gaps: list[int]) -> None:
    """Say between which ticks samples are missing."""
    places = []
    for gap in gaps:
        before = f"after tick {rows[gap - 1][-1, 0]:.0f}" if gap else "from the first one"
        until = f"before tick {rows[gap][0, 0]:.0f}" if gap < len(rows) else "to the last one"
        places.append(f"{before} and {until}" if gap else f"{before} {until}")
    text = f"Recorder.read: {path} is damaged; samples are missing {'; '.join(places)}"
    warnings.warn(text, stacklevel=4)
