"""The base of the sensors, with their sampling, delays and faults."""

from __future__ import annotations  # help() then shows them as written

from abc import abstractmethod
from collections.abc import Callable
from math import inf, nan
from typing import ClassVar, Literal, Protocol, Self, overload

import numpy as np

from ..checks import FloatArray, NonFiniteStateError, encodable, integer, read_only, real, refuse
from ..compilation.bound import Bound
from ..compilation.kernel_types import Kernel
from ..compilation.packed import Packed
from ..kernels.noise import noise_key
from ..store.host import Host
from ..store.rows import BodyHandle, Given, Parameter, Quantity, TableRows, fixed, reference_fields
from ..store.schema import COUNTED, FLAG, TICKED, Field, Kind, Schema, up_to
from ..store.table import IntArray, Mask
from .instruments import SAMPLES, TICK, VALID, VALUE, Taking
from .part import MOST_DELAY, Place, SampledPart

Fault = Literal["stuck", "dead"]
_FAULTS: tuple[Fault | None, ...] = (None, "stuck", "dead")

_NO_SAMPLE = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, -1.0]]).T
"""What is read before the first sample has arrived."""
_SLOT = slice(VALUE, TICK + 1)
"""What is kept of each of the samples that are on their way."""


def sensor_schema(name: str, *own: Field) -> Schema:
    """The schema of a class of sensors: what all have, in the order of `instruments`, and then its own fields."""
    return Schema(
        name,
        (
            *reference_fields("body"),
            Field(
                "fault",
                Kind.COMMAND,
                digest=0,
                meaning="0 for none, 1 for stuck, 2 for dead",
                stored=up_to(2.0),
            ),
            Field(
                "key",
                Kind.MODEL,
                3,
                digest=1,
                meaning="hash of seed and name",
                stored=up_to(2.0**32 - 1.0),
            ),
            Field("value", Kind.STATE, 4, digest=2, meaning="of the sample in this row"),
            Field("valid", Kind.STATE, digest=3, meaning="whether it is a measurement", stored=FLAG),
            Field("tick", Kind.STATE, digest=4, rest=-1.0, meaning="the tick in which it was taken", stored=TICKED),
            Field(
                "samples",
                Kind.STATE,
                digest=5,
                meaning="number of samples so far, in the first row",
                stored=COUNTED,
            ),
            *own,
        ),
    )


def limit_of(value: object, argument: str, owner: object) -> float:
    """A maximum value above 0, which is infinite for None."""
    return inf if value is None else real(value, argument, owner, above=0.0)


class Maximum(Parameter[float | None]):
    """An attribute for a maximum value above 0; None for no limit, for which the field is infinite."""

    @overload
    def __get__(self, rows: None, kind: type) -> Self: ...
    @overload
    def __get__(self, rows: TableRows, kind: type) -> float | None: ...
    def __get__(self, rows: TableRows | None, kind: type) -> Self | float | None:
        if rows is None:
            return self
        limit = float(rows._value(self._field))
        return None if limit == inf else limit

    def __set__(self, rows: TableRows, value: object) -> None:
        rows._table.write(rows._schema.components[self._field], rows._slice(), limit_of(value, self._name, rows))


class Read(Protocol):
    """What all readings have."""

    @property
    def is_valid(self) -> bool: ...
    @property
    def time(self) -> float: ...


class Sensor(SampledPart):
    """The base of the sensors; a sensor has one row more than its delay [samples], and each row holds one of its last samples."""

    __slots__ = ("_delay", "_seed")

    _place = Place.SENSOR
    _counted_in_ticks: ClassVar[frozenset[str]] = frozenset(("value", "valid", "tick", "samples"))
    _kind: ClassVar[str]
    _kernel: ClassVar[Kernel]
    _number: ClassVar[int] = 0
    _state_size: ClassVar[int]
    _measured: ClassVar[Quantity]
    """The first field of a reading."""

    def __init__(
        self,
        body: BodyHandle,
        values: dict[str, FloatArray],
        owner: str,
        seed: int | None,
        every: int,
        delay: int,
        name: str | None,
    ) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            refuse(owner, "seed", seed, "an integer, from which the noise is computed", TypeError)
        if not -(2**63) <= seed < 2**64:
            refuse(owner, "seed", seed, "an integer from -2**63 to 2**64 - 1")
        self._seed = int(seed)
        self._delay = integer(delay, "delay", owner, at_least=0)
        if self._delay > MOST_DELAY:
            refuse(owner, "delay", delay, f"at most {MOST_DELAY} samples")
        if name is not None and (not isinstance(name, str) or not name):
            refuse(owner, "name", name, "a non-empty string", TypeError)
        if name is not None:
            encodable(name, "name", owner)
        name = f"{body.name} {self._kind}" if name is None else name
        key = np.array(noise_key(self._seed, name), float)[:, np.newaxis]
        super().__init__([(body,)] * (self._delay + 1), {**values, "key": key}, name=name, every=every)

    @fixed
    def body(self) -> BodyHandle:
        """The body that carries it."""
        return self._named_bodies()[0]

    seed = Given[int]("The integer that, together with the name, determines the noise.")

    delay = Given[int]("Delay of the reading [samples].")

    @property
    def fault(self) -> Fault | None:
        """None for a working sensor, "stuck" for one that repeats its last sample, "dead" for one that returns zeros that are not valid.

        A fault affects the samples from the next one on; delayed samples taken before it still arrive. After a repair, noise and bias are
        as if the sensor had worked all the time.
        """
        return _FAULTS[int(self._numbers("fault")[0])]

    @fault.setter
    def fault(self, value: Fault | None) -> None:
        if value is not None and (not isinstance(value, str) or value not in _FAULTS):
            refuse(self, "fault", value, 'None, "stuck" or "dead"')
        self._table.write(self._schema.components["fault"], self._slice(), float(_FAULTS.index(value)))

    def _joined(self, world: Host) -> None:
        for part in world.parts:
            if isinstance(part, Sensor) and part is not self and (part._seed, part._name) == (self._seed, self._name):
                hint = f"{part!r} would have the same noise"
                refuse(
                    self,
                    "seed and name",
                    (self._seed, self._name),
                    "different from those of every other sensor",
                    hint=hint,
                )
        # compiled now and not in the middle of a tick
        _Samples(self).bind(world)
        self._look(world, self._table.array, self.rows.start, np.empty((3, 1)))

    @abstractmethod
    def read(self) -> Read:
        """Return the last reading."""

    def _recorded(self) -> tuple[Quantity, ...]:
        return self._measured._replace(value=_valid_reading), Quantity("fault", "-", value=_fault_number)

    def _compiled_samples(self) -> Callable[[Host], None]:
        return _Samples(self).take

    @property
    def _has_form_for_members(self) -> bool:
        return not self._has_own_samples

    def _sample_members(self, world: Host, ticks: IntArray, due: Mask) -> IntArray:
        """Take a sample of each member of a batch that is due, whose rows are next to each other in each slot.

        Args:
            world: The world of all members.
            ticks: Number of the tick of each member, shape (n,).
            due: Whether each member is sampled, shape (n,).

        Returns:
            The members whose samples are not finite, which are not written.
        """
        table, rows, count = self._table, self._slice(), len(ticks)
        first, slots = rows.start, (rows.stop - rows.start) // count
        chosen, out = due.astype(np.int64), np.zeros((self._state_size, count))
        self._measure_members(world, table.array, first, slots, ticks, chosen, out)
        own = np.flatnonzero(chosen == 1)
        size, everybody = SAMPLES - VALUE, len(own) == count
        target: slice | IntArray = slice(first, first + count) if everybody else first + own
        values = out if everybody else out[:, own]
        if slots == 1:
            table.write(slice(VALUE, VALUE + self._state_size), target, values)
        else:
            numbers = table.array[SAMPLES, first + own].astype(np.int64)
            table.write(_SLOT, first + numbers % slots * count + own, values[:size])
            table.write(slice(SAMPLES, VALUE + self._state_size), target, values[size:])
        return np.flatnonzero(chosen == 2)

    def _measure_members(
        self, world: Host, array: FloatArray, first: int, slots: int, ticks: IntArray, due: IntArray, out: FloatArray
    ) -> None:
        """Write samples to `out`; the arguments are those of the kernels in `instruments`."""
        raise NotImplementedError

    def _look(self, world: Host, array: FloatArray, row: int, field_world: FloatArray) -> None:
        """Write what the sensor needs to know of the world besides its body, given its table and first row, see `Taking`."""

    def _due(self) -> list[float]:
        """Components `VALUE` to `TICK` of the sample that arrives now, as they are before the first one where none does."""
        array, rows = self._table.array, self._slice()
        count, number = rows.stop - rows.start, int(array[SAMPLES, rows.start])
        if number < count:
            return [0.0, 0.0, 0.0, 0.0, 0.0, -1.0]
        found: list[float] = array[_SLOT, rows.start + number % count].tolist()
        return found

    def _read(self, size: int) -> tuple[FloatArray, bool, float]:
        """The value, whether it is valid, and its time."""
        due = self._due()
        tick = due[TICK - VALUE]
        time = nan if tick < 0.0 else tick * self.body.world.dt
        return read_only(np.array(due[:size])), due[VALID - VALUE] > 0.0, time


def _fault_number(sensor: Sensor) -> float:
    """0 for a sensor that works, 1 for a stuck and 2 for a dead one."""
    return sensor._numbers("fault")[0]


def _valid_reading(sensor: Sensor) -> FloatArray:
    """What the last reading of a sensor measured, or NaN if it is not valid."""
    values, is_valid, _time = sensor._read(sensor._measured.shape[0])
    return values if is_valid else np.full_like(values, nan)


class _Samples:
    """The samples of a sensor, with the memory that they need; none of it is state of the world."""

    def __init__(self, sensor: Sensor) -> None:
        """Prepare for a sensor."""
        self._sensor, size = sensor, sensor._state_size
        self._field, self._out = np.zeros((3, 1)), np.empty((size, 1))
        self._looks = type(sensor)._look is not Sensor._look
        self._written = slice(VALUE, VALUE + size)
        self._bound: Bound[Taking] | None = None

    def bind(self, world: Host) -> Bound[Taking]:
        """Bind the kernel to the tables as they are now."""
        sensor, bodies, table = self._sensor, world._bodies, self._sensor._table
        rows = sensor._slice()
        numbers = sensor._number, rows.start, rows.stop - rows.start, sensor._every, world._dt
        taking = Taking(*numbers, bodies.array, bodies.control, table.array, self._field, self._out)
        self._bodies, self._numbering = bodies.array, table.numbering
        self._bound = Bound(type(sensor)._kernel, Packed(taking))
        return self._bound

    def take(self, world: Host) -> None:
        """Take a sample."""
        sensor, bound, out = self._sensor, self._bound, self._out
        table, rows = sensor._table, sensor._slice()
        if (
            bound is None
            or self._bodies is not world._bodies.array
            or self._numbering != table.numbering
            or not bound.is_final
        ):
            bound = self.bind(world)
        first, count = rows.start, rows.stop - rows.start
        if self._looks:
            sensor._look(world, table.array, first, self._field)
        if not bound.run(bound.packed):
            raise NonFiniteStateError(f"{sensor!r}: the reading is not finite at t = {world.time:g} s")
        if count == 1:
            table.write(self._written, rows, out)
        else:
            slot = first + (int(out[SAMPLES - VALUE, 0]) - 1) % count
            table.write(_SLOT, slice(slot, slot + 1), out[: SAMPLES - VALUE])
            table.write(slice(SAMPLES, self._written.stop), slice(first, first + 1), out[SAMPLES - VALUE :])


def readings(
    array: FloatArray, rows: slice, count: int, size: int, dt: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The values, whether they are valid, and the times of the readings of a sensor in all members of a batch.

    Args:
        array: The table of the sensor.
        rows: Its rows, those of one slot next to each other.
        count: The number of members.
        size: The number of components of a value.
        dt: Length of a tick [s].
    """
    slots, members = (rows.stop - rows.start) // count, np.arange(count)
    numbers = array[SAMPLES, rows.start + members].astype(np.int64)
    due = array[_SLOT, rows.start + numbers % slots * count + members]
    due[:, numbers < slots] = _NO_SAMPLE
    tick = due[TICK - VALUE]
    time = np.where(tick < 0.0, nan, tick * dt)
    return read_only(due[:size].T.copy()), read_only(due[VALID - VALUE] > 0.0), read_only(time)


class ReadingsOfMembers:
    """What `read` of a sensor reads, for all members of a batch: ``type(sensor).read(ReadingsOfMembers(…))`` has a leading axis n."""

    def __init__(self, array: FloatArray, rows: slice, count: int, dt: float) -> None:
        """Take the arguments of `readings`."""
        self._given = array, rows, count, dt

    def _read(self, size: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        array, rows, count, dt = self._given
        return readings(array, rows, count, size, dt)
