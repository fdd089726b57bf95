"""The sampling of the parts of all members, each on the clock of its member, and the noise of their sensors."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from ..checks import FloatArray
from ..compilation.compiler import plain
from ..compilation.kernel_types import Kernel
from ..flight.instruments import KEY
from ..flight.part import SampledPart
from ..flight.sensor import Sensor
from ..kernels.noise import philox
from ..loops.actuator_layout import ENABLED
from ..store.calling import Callback
from ..store.host import Host
from ..store.table import IntArray
from .quarantine import READING, Members

Key = tuple[int, int, int]
_WORD = 0xFFFFFFFF
_philox: Kernel = plain(philox)


class Sampling:
    """Samples parts at the start of the ticks in which any member is due."""

    def __init__(self, members: Members) -> None:
        self._members = members

    def callback(self, part: SampledPart) -> Callback:
        """Sample a part in every tick in which a member may be due, as the clocks of the members are now."""
        starts = np.unique(self._members.starts)
        every = int(np.gcd.reduce(np.array([part.every, *starts.tolist()], np.int64)))
        return Callback(self._sampling(part), every)

    def follow_clocks(self) -> None:
        """Sample in other ticks, because the clocks of members have changed."""
        owners = self._members.owners
        parts = [each for each in owners.forces.members if isinstance(each, SampledPart)]
        if parts:
            owners.stages.sample(parts)

    def try_samples(self, number: int) -> None:
        """Take a sample of each part in all members, as in the tick of its sample of that number."""
        members, everybody = self._members, np.ones(self._members.count, np.bool_)
        for part in members.owners.forces.members:
            if isinstance(part, SampledPart):
                with suppress(ValueError):  # the tick of the batch says what is wrong
                    part._sample_members(members.owners.store.world(), members.ticks + number * part.every, everybody)

    def _sampling(self, part: SampledPart) -> Callable[[Host], None]:
        members, every = self._members, part.every

        def sample(world: Host) -> None:
            ticks, first = members.ticks, part.rows.start
            on = part._table.array[ENABLED, first : first + members.count] > 0.0
            due = on & ~members.stopped & (ticks % every == 0)
            if due.any():
                bad = part._sample_members(world, ticks, due)
                if len(bad):
                    place = int(part._table.array[0, first]) // members.count
                    members.stop(bad, READING, np.full(len(bad), place))

        return sample


def keys_of(template: Key, seed: int, members: IntArray, resets: IntArray) -> FloatArray:
    """The keys of the noise of a sensor in members of a batch, shape (3, members).

    Args:
        template: The key of the sensor of the template.
        seed: The seed of the batch.
        members: The numbers of the members.
        resets: How often each of them was reset.

    Source: Philox-4x32-10 with the key of the template at the place of the seed, whose result is the key for the place of member and reset.
    """
    first, second, third = template
    a, b, _c, _d = _philox((seed & _WORD, seed >> 32 & _WORD, third, 0), (first, second))
    zero = np.zeros(len(members), np.int64)
    x, y, z, _w = _philox((members.astype(np.int64), resets.astype(np.int64), zero, zero), (a, b))
    return np.array([x, y, z], np.float64)


class Noise:
    """Gives each member keys of its own, and other ones after each reset."""

    def __init__(self, members: Members, seed: int, keys: list[tuple[int, Key]]) -> None:
        """Prepare for the sensors of a template.

        Args:
            members: The members of the batch.
            seed: The seed of the batch.
            keys: The keys of the sensors in the template, by their places among its forces, parts and joints.
        """
        handles = members.owners.forces.members
        self._members, self._seed = members, seed
        self._sensors = [(handles[place], key) for place, key in keys]

    def begin(self) -> None:
        """Write the keys of members that have not been reset."""
        everybody = self._members.everybody
        for sensor, template in self._sensors:
            write_keys(sensor, self._members, everybody, keys_of(template, self._seed, everybody, 0 * everybody))

    def begin_again(self, chosen: IntArray) -> None:
        """Write the keys of members that have been reset; those of a seed that was given to the sensor of a member stay."""
        if not self._sensors:
            return
        resets = self._members.resets[chosen]
        for sensor, template in self._sensors:
            found = sensor._table.array[KEY : KEY + 3, sensor.rows.start + chosen]
            own = (found == keys_of(template, self._seed, chosen, resets - 1)).all(axis=0)
            write_keys(sensor, self._members, chosen[own], keys_of(template, self._seed, chosen, resets)[:, own])


def write_keys(sensor: Sensor, members: Members, chosen: IntArray, keys: FloatArray) -> None:
    """Write the keys of the sensor of some members to all slots."""
    rows, count = sensor.rows, members.count
    slots = len(rows) // count
    targets = (rows.start + count * np.arange(slots)[:, np.newaxis] + chosen).ravel()
    sensor._table.write(slice(KEY, KEY + 3), targets, np.tile(keys, slots))


def keys_in(handles: list[object]) -> list[tuple[int, Key]]:
    """The keys of the sensors of a template, by their places among its forces, parts and joints."""
    found = []
    for place, handle in enumerate(handles):
        if isinstance(handle, Sensor):
            first, second, third = handle._table.array[KEY : KEY + 3, handle.rows.start].astype(int).tolist()
            found.append((place, (first, second, third)))
    return found
