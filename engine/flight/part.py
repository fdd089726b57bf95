"""The base of the parts of a body, which are wheels, tanks, magnetorquers, sensors, filters and control loops."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import ClassVar

import numpy as np

from ..checks import FloatArray, count_of_ticks, encodable, refuse
from ..compilation.choice import Loop
from ..store.host import Host
from ..store.rows import BodiesOfRows, BodyHandle, Given, Parameter, TableRows
from ..store.schema import Kind
from ..store.table import IntArray, Mask

MOST_DELAY = 10_000
"""Maximum delay of a reading or a command [samples]; all delayed samples are kept."""


_ENABLED = 1
"""The component of `enabled` in the tables of all parts, which begin with the row of the body."""


class Part(TableRows):
    """A component of a body, added by `World.add_part`; its parameters and state are rows of a table."""

    __slots__ = ()

    _kind_of_member = "part"


class Place(IntEnum):
    """The order in which sampled parts are called at the start of a tick; the functions of `World.on_tick` come between them."""

    SENSOR = 0
    FILTER = 1
    CONTROL_LOOP = 2


class SampledPart(Part):
    """A part that runs in Python at the start of each tick in which it is due, such as a sensor, a filter or a control loop.

    Everything that the part remembers from one sample to the next is a field of its schema with kind STATE, which is undone with a failed
    tick, hashed and copied with the world. Other attributes are fixed when the part is made. A copy of the world has copies of them, in
    which bodies, forces and parts of the world are replaced by those of the copy.
    """

    __slots__ = ("_every", "_name")

    _place: ClassVar[Place]
    _records_rows: ClassVar[bool] = False

    def __init__(
        self,
        bodies: Sequence[tuple[BodyHandle | None, ...]],
        values: dict[str, FloatArray],
        *,
        name: str,
        every: int,
    ) -> None:
        """Create the rows.

        Args:
            bodies: The bodies that the part refers to, in a list of one tuple.
            values: Checked values by field, shape (size, 1).
            name: Name in errors and among the parts of a world.
            every: Interval between two samples [ticks], at least 1.
        """
        owner = type(self).__name__
        if not isinstance(name, str) or not name:
            refuse(owner, "name", name, "a non-empty string", TypeError)
        encodable(name, "name", owner)
        self._name = name
        self._every = count_of_ticks(every, "every", owner)
        super().__init__(bodies, values)

    enabled = Parameter[bool]("Whether the part is sampled, initially True; a disabled part keeps its state.")

    def _misfit(self, columns: FloatArray, bodies: BodiesOfRows, attributes: Mapping[str, object]) -> str:
        for field in self._schema.fields:
            values = columns[self._schema.components[field.name]]
            # each row has one sample and all parameters
            is_one = np.array_equal(values, np.broadcast_to(values[:, :1], values.shape), equal_nan=True)
            if field.kind is Kind.MODEL and not is_one:
                return f"that of a part whose {field.name} is the same in all rows"
        return ""

    @property
    def _has_form_for_members(self) -> bool:
        """Whether `_sample_members(world, ticks, due)` samples it for all members of a batch at once."""
        return False

    def _needed(self) -> tuple[object, ...]:
        """The forces and parts of the world that it reads or commands."""
        return ()

    name = Given[str]("Name in errors and among the parts of a world.")

    every = Given[int]("Interval between two samples [ticks].")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"

    def _sample(self, world: Host) -> None:
        """Take one sample at the start of a tick; called if the part is enabled and `world.tick_count` is a multiple of `every`."""
        self._compiled_samples()(world)

    def _compiled_samples(self) -> Callable[[Host], None]:
        """A function that takes the samples of a part which does not define `_sample`, called with the world.

        It may keep memory, such as the arrays of a kernel, which is no state of the world: another function is made when the parts of the
        world change, and it must give the same samples.
        """
        raise NotImplementedError

    @property
    def _has_own_samples(self) -> bool:
        """Whether its class defines `_sample`."""
        return type(self)._sample is not SampledPart._sample

    def _sampler(self) -> Callable[[Host], None]:
        """The function that takes the samples, called with the world."""
        return self._sample if self._has_own_samples else self._compiled_samples()

    def _sample_members(self, world: Host, ticks: IntArray, due: Mask) -> IntArray:
        """Take a sample of each member of a batch that is due, and return those whose samples are not finite; see `Sensor`."""
        raise NotImplementedError

    def _loops(self, world: Host) -> list[Loop]:
        """The kernels of its samples that joining the world has not compiled yet."""
        return []

    # the state as plain floats, which is faster than as arrays for a few numbers

    def _is_on(self) -> bool:
        """The same as `enabled`, in half the time."""
        return self._table.array.item(_ENABLED, self._slice().start) > 0.0

    def _numbers(self, name: str) -> list[float]:
        """The components of a field as floats."""
        return self._table.array[self._schema.components[name], self._slice().start].tolist()

    def _set_numbers(self, name: str, values: Sequence[float]) -> None:
        """Write the components of a field; the caller has found them finite."""
        self._table.write(self._schema.components[name], self._slice().start, values)

    def coast_obstacle(self) -> str | None:
        """Return the reason why this part keeps the world from coasting; None if it does not. Sensors never do."""
        if self._place is Place.SENSOR or not self.enabled:
            return None
        return f"{self!r} is enabled"
