"""Batches, which simulate many members of one template world together."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..body import Body
from ..checks import FloatArray, boolean, count_of_ticks, explaining_errors, integer, refuse
from ..compilation.choice import Loop, noted
from ..flight.controlled import of_member
from ..flight.part import SampledPart
from ..saving import copying, snapshots
from ..saving.content import Owners, digest_of_world
from ..saving.plain_content import PlainContent, Rows, whole_rows
from ..saving.repetition import Span, repeat, select, spans_of
from ..saving.snapshots import Snapshot, plain_form
from ..saving.untrusted import check_rows
from ..shapes.handle import CONTACTS
from ..store.bodies import BODIES
from ..store.calling import check_calls, identity
from ..store.host import Host
from ..store.rows import TableRows
from ..store.schema import Schema
from ..store.store import hash_of
from ..tick.freezing import FROZEN_BODIES
from ..tick.prepare import Progress
from ..world import World
from .quarantine import INACTIVE, MEMBERS, REASONS, Failure, Members, Quarantine
from .rejected import refuse_template
from .resetting import Source, check_content
from .sampling import Noise, Sampling, keys_in
from .special_views import view_class
from .touching import STANDING, without_groups
from .views import View, chosen

MOST_BODIES = 2**24
"""The largest number of bodies in a batch, of all members together."""
_OF_ALL = frozenset((MEMBERS.name, FROZEN_BODIES.name, STANDING.name))
"""The tables of the batch that no member has."""


@explaining_errors()
class Batch:
    """Many members of one template world, which run together at a fraction of the cost of separate worlds.

    Each member has the bodies, forces, parts and joints of the template and starts from its state. ``batch[handle]`` reads and sets the
    attributes of a part in all members at once. A member has the same bits as an ordinary `World` alone: `world` takes it out.

    A member that cannot complete a tick, because its state is not finite or its joints contradict each other, stands still at the start of
    that tick with everything that belongs to it, until it is reset. The other members go on.

    The template is not changed and may be used further. What is changed in it later has no effect on the batch.

    Args:
        template: A world with at least one body. Callbacks, Python forces, named memory, latches, joints that can break, pending applied
            forces, frozen bodies, parts that are sampled in Python, and methods that choose the number
            of steps by a tolerance are rejected.
        members: The number of members, at least 1. All members together have at most 2**24 bodies.
        seed: An integer from -2**63 to 2**64 - 1, from which the noise of sensors is computed.
        threads: The largest number of threads, at least 1; it does not change the bits.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is too small or too large, or the template has something that has no form for members.

    Example:
        >>> import numpy as np
        >>> from engine import MassProperties, World
        >>> from engine.batch import Batch
        >>> template = World(dt=0.5)
        >>> ship = template.add_body(MassProperties.sphere(2.0, 0.5), name="ship")
        >>> batch = Batch(template, members=1000)
        >>> batch[ship].velocity = np.linspace((0, 0, 0), (0, 0, 999), 1000)
        >>> batch.step(4)
        >>> alone = batch.world(17)
        >>> alone.body("ship").position.tolist()
        [0.0, 0.0, 34.0]
        >>> alone.state_hash() == batch.state_hash(17)
        True
    """

    __slots__ = (
        "_keys",
        "_members",
        "_noise",
        "_places",
        "_sampling",
        "_seed",
        "_source",
        "_views",
        "_world",
    )

    def __init__(self, template: World, *, members: int, seed: int = 0, threads: int = 1) -> None:
        if not isinstance(template, World):
            refuse("Batch", "template", template, "a World", TypeError)
        count = integer(members, "members", "Batch", at_least=1)
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            refuse("Batch", "seed", seed, "an integer", TypeError)
        if not -(2**63) <= seed < 2**64:
            refuse("Batch", "seed", seed, "an integer from -2**63 to 2**64 - 1")
        threads = integer(threads, "threads", "Batch", at_least=1)
        owners = template._owners
        refuse_template(owners, template)
        if count * owners.bodies.count > MOST_BODIES:
            refuse(
                "Batch",
                "members",
                members,
                f"at most {MOST_BODIES // owners.bodies.count} for {owners.bodies.count} bodies",
            )
        image = copying.image_of(owners)
        self._seed, self._source = int(seed), Source(image.plain, count)
        spans, starts = spans_of(image.plain.tables, count), {}
        for place, handle in enumerate((*owners.forces.members, *template.bodies)):
            starts[id(handle)] = (handle, place, *_block(handle, spans))
        self._places: dict[int, tuple[Any, int, str, int, int]] = starts
        values = {**image.plain.values, "on_non_finite": "freeze"}
        plain = repeat(image.plain._replace(values=values), count, _name_in)
        self._keys = keys_in(owners.forces.members)
        self._fill(image._replace(plain=plain, threads=threads), count)
        owners = self._members.owners
        columns = np.repeat(MEMBERS.rest, count, axis=1)
        owners.store.table(MEMBERS).append(columns)
        self._members.touching.separate()
        self._noise.begin()

    def _fill(self, image: copying.Image, count: int) -> None:
        """Make the world of all members."""
        world: World = object.__new__(World)
        World.__init__(world, image.plain.exact_dt, threads=image.threads)
        owners: Owners = world._owners
        quarantine = Quarantine(owners.store, owners.bodies, owners.plan)
        owners.stages.freezing, owners.bodies.members = quarantine, count
        self._world = world
        self._members = quarantine.members = Members(owners, count, owners.store.table(MEMBERS))
        owners.plan.fields.count_from(self._members.starts_of_fields, self._members.table)
        self._views: dict[int, View] = {}
        self._sampling = Sampling(self._members)
        owners.stages.sampling = self._sampling.callback
        owners.stages.loops_of_parts = self._loops_between_ticks
        copying.fill(owners, image)
        self._sampling.follow_clocks()
        self._noise = Noise(self._members, self._seed, self._keys)

    def __repr__(self) -> str:
        failed = int(self.failed.sum())
        return f"<Batch of {len(self)} members{f', {failed} failed' if failed else ''}, dt = {self.dt:g} s, {self._world.integrator.name}>"

    def __len__(self) -> int:
        """The number of members."""
        return self._members.count

    def __getitem__(self, handle: object) -> Any:
        """The view of a body, force, part or joint of the template in all members.

        Raises:
            TypeError: If this is no handle.
            ValueError: If it is not one of the template, or was added to it after the batch was made.
        """
        found = self._views.get(id(handle))
        if found is not None and found._handle is handle:
            return found
        if not isinstance(handle, Body | TableRows):
            refuse("Batch", "the handle", handle, "a body, force, part or joint of the template", TypeError)
        place = self._places.get(id(handle))
        if place is None or place[0] is not handle:
            hint = "what was added to the template after the batch was made is not in it"
            refuse("Batch", "the handle", handle, "a body, force, part or joint of the template", hint=hint)
        _handle, number, name, first, width = place
        if not width:
            hint = "it acts on all bodies; give the template one that lists its bodies"
            refuse("Batch", "the handle", handle, "a part of which the members have rows of their own", hint=hint)
        owners = self._members.owners
        own = None if isinstance(handle, Body) else owners.forces.members[number]
        view = view_class(handle)(self._members, handle, own, owners.store.tables[name], first, width)
        self._views[id(handle)] = view
        return view

    # time

    @property
    def dt(self) -> float:
        """Length of a tick [s]."""
        return self._world.dt

    @property
    def seed(self) -> int:
        """The integer from which the noise of sensors is computed."""
        return self._seed

    @property
    def tick_count(self) -> npt.NDArray[np.int64]:
        """Number of ticks that each member has run since it started or was reset, shape (n,)."""
        _ = self._world.tick_count  # ends what an exception has left unfinished
        return self._members.ticks

    @property
    def time(self) -> FloatArray:
        """Simulated time of each member [s], ``tick_count * dt``, shape (n,)."""
        return np.asarray(self.tick_count * self.dt, np.float64)

    @property
    def active(self) -> npt.NDArray[np.bool_]:
        """Which members run, shape (n,); assign a mask to have others stand still. A member that has failed runs again after a reset."""
        _ = self._world.tick_count
        return ~self._members.stopped

    @active.setter
    def active(self, value: npt.ArrayLike) -> None:
        count = len(self)
        wanted = np.asarray(value)
        if wanted.dtype.kind != "b":
            refuse("Batch", "active", value, f"a mask of shape ({count},)", TypeError)
        if wanted.shape not in ((count,), ()):
            refuse("Batch", "active", value, f"a mask of shape ({count},)")
        self._require_idle("active")
        wanted = np.broadcast_to(wanted, (count,))
        failed, active = self.failed, self.active
        if (wanted & failed).any():
            member = int(np.flatnonzero(wanted & failed)[0])
            refuse("Batch", "active", value, "False for members that have failed", hint=f"reset member {member} first")
        members = self._members
        with members.owners.store.all_or_nothing():
            members.owners.store.before_change()
            members.owners.store.record(self._sampling.follow_clocks)  # undone last, when the clocks are back
            waking = np.flatnonzero(wanted & ~active)
            if len(waking):
                members.go_on(waking, members.ticks[waking])
            members.stop(np.flatnonzero(~wanted & active), INACTIVE)
            self._sampling.follow_clocks()

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """Which members stand still because they could not complete a tick, shape (n,); see `failures`."""
        _ = self._world.tick_count
        return self._members.failed

    def failures(self) -> tuple[Failure, ...]:
        """Return why members have failed.

        Returns:
            Member, number of the tick on its clock, body of the template and reason of each failure, in the order of the members.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.batch import Batch
            >>> template = World(dt=0.5)
            >>> ship = template.add_body(MassProperties.sphere(2.0, 0.5), name="ship")
            >>> batch = Batch(template, members=3)
            >>> batch[ship].set(1, position=(1e308, 0, 0), velocity=(1.5e308, 0, 0))
            >>> batch.step(4)
            >>> [(failure.member, failure.tick) for failure in batch.failures()]
            [(1, 1)]
            >>> batch.tick_count.tolist()
            [4, 1, 4]
        """
        _ = self._world.tick_count
        bodies = [handle for handle, _number, name, _first, _width in self._places.values() if name == BODIES.name]
        return tuple(
            Failure(member, tick, bodies[place] if place >= 0 else None, REASONS[reason])
            for member, tick, place, reason in self._members.failures()
        )

    def step(self, ticks: int = 1) -> None:
        """Run ticks in all members that are active.

        Args:
            ticks: The number of ticks, at least 0.

        Raises:
            TypeError: If `ticks` is not an integer.
            ValueError: If `ticks` is below 0.
            RuntimeError: If this is called inside a tick, or while another thread steps this batch.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.batch import Batch
            >>> template = World(dt=0.5)
            >>> ship = template.add_body(MassProperties.sphere(2.0, 0.5), name="ship", velocity=(1.0, 0.0, 0.0))
            >>> batch = Batch(template, members=3)
            >>> batch.step(4)
            >>> batch.tick_count.tolist(), batch[ship].position[:, 0].tolist()
            ([4, 4, 4], [2.0, 2.0, 2.0])
        """
        self._world.step(ticks)

    def prepare(self, *, pulses: bool = False, progress: Progress | None = None) -> None:
        """Compile everything that ticks, commands, readings and resets will need, so that none of them has to wait for the compiler.

        Kernels are compiled, logged and kept on disk as by `World.prepare`.

        Args:
            pulses: Whether thrusters will fire pulses or get stuck, if the template has no tank and none of them has done so. Not needed
                for thrusters that are only throttled, or that a control loop fires.
            progress: For a loading bar; called as `progress(done, total, name)` before each kernel, and at the end with an empty name.

        Raises:
            TypeError: If an argument has the wrong type.
            RuntimeError: If this is called inside a tick.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.batch import Batch
            >>> _ = (template := World(dt=0.5)).add_body(MassProperties.sphere(2.0, 0.5))
            >>> Batch(template, members=3).prepare()  # doctest: +SKIP
        """
        pulses = boolean(pulses, "pulses", "Batch.prepare")
        if progress is not None and not callable(progress):
            refuse("Batch.prepare", "progress", progress, "a function of done, total and name", TypeError)
        self._require_idle("prepare")
        self._world.prepare(pulses=pulses, progress=progress)

    def on_tick(self, function: Callable[[Batch], object], every: int = 1) -> Callable[[Batch], object]:
        """Call a function with the batch at the start of ticks, which may set attributes of all members.

        It is called in every tick of the batch whose number, counted from that of the template, is a multiple of `every`, whatever the
        clocks of members that were reset say.

        Args:
            function: A function of the batch.
            every: Interval between two calls [ticks], at least 1.

        Returns:
            The function.

        Raises:
            TypeError: If `function` cannot be called with the batch, or `every` is not an integer.
            ValueError: If `every` is below 1.
            RuntimeError: If this is called inside a tick.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.batch import Batch
            >>> batch_ship = (template := World(dt=0.5)).add_body(MassProperties.sphere(2.0, 0.5))
            >>> batch = Batch(template, members=3)
            >>> seen = []
            >>> _ = batch.on_tick(lambda batch: seen.append(batch.tick_count.tolist()), every=2)
            >>> batch.step(4)
            >>> seen
            [[0, 0, 0], [2, 2, 2]]
        """
        check_calls(function, "Batch.on_tick", "function", "a function of the batch")
        every = count_of_ticks(every, "every", "Batch.on_tick")
        if not callable(function):
            refuse("Batch.on_tick", "function", function, "a function of the batch", TypeError)
        self._require_idle("on_tick")
        self._world.on_tick(
            lambda _world: function(self), every=every, name=f"function {len(self._members.owners.stages.on_tick)}"
        )
        return function

    # members as worlds

    def world(self, member: int) -> World:
        """Return one member as an ordinary world of its own, with the bodies, forces and parts of the template.

        Look its handles up by name or by their places in `bodies`, `forces`, `parts` and `joints`. The world has the bits of the member
        and goes on from its tick, with the settings of the template.

        Args:
            member: The number of the member.

        Returns:
            A new world.

        Raises:
            TypeError: If `member` is not an integer.
            ValueError: If there is no such member.
            RuntimeError: If this is called inside a tick.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.batch import Batch
            >>> template = World(dt=0.5)
            >>> ship = template.add_body(MassProperties.sphere(2.0, 0.5), name="ship", velocity=(1.0, 0.0, 0.0))
            >>> alone = Batch(template, members=3).world(2)
            >>> alone.step(2)
            >>> alone.body("ship").position.tolist()
            [1.0, 0.0, 0.0]
        """
        place = self._member(member, "Batch.world")
        self._require_idle("world")
        owners = self._members.owners
        made: World = object.__new__(World)
        made.__setstate__(copying.Image(self._alone(place), 1, owners.settings.beside))
        return made

    def _alone(self, member: int) -> PlainContent:
        """The content of one member."""
        members, template = self._members, self._source.plain
        tables = members.owners.store.tables
        if members.stopped[member]:
            tables = {**tables, CONTACTS.name: members.touching.standing}
        one = without_groups(select(template, tables, len(self), member, _OF_ALL), template)
        parts = zip(one.members, members.owners.forces.members, strict=True)
        one = one._replace(
            members=tuple(
                each._replace(attributes={**(each.attributes or {}), **of_member(part, member)}) for each, part in parts
            )
        )
        contacts = one.tables.get(CONTACTS.name)
        if contacts is not None:
            one = one._replace(tables={**one.tables, CONTACTS.name: contacts._replace(schema=CONTACTS)})
        for name, rows in one.tables.items():
            for field in (each.name for each in rows.schema.fields if each.is_world_tick) if rows.schema else ():
                own = {**rows.fields, field: rows.fields[field] - float(members.starts[member])}
                one = one._replace(tables={**one.tables, name: rows._replace(fields=own)})
        return one._replace(tick=int(members.ticks[member]), push_tick=-1)

    def state_hash(self, member: int) -> int:
        """Return the hash of one member, which is that of `world` of it.

        Args:
            member: The number of the member.

        Returns:
            The hash, from 0 to 2⁶⁴ − 1.

        Raises:
            TypeError: If `member` is not an integer.
            ValueError: If there is no such member.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.batch import Batch
            >>> _ = (template := World(dt=0.5)).add_body(MassProperties.sphere(2.0, 0.5), velocity=(1.0, 0.0, 0.0))
            >>> batch = Batch(template, members=3)
            >>> batch.step(4)
            >>> template.step(4)
            >>> batch.state_hash(2) == template.state_hash()
            True
        """
        place = self._member(member, "Batch.state_hash")
        _ = self._world.tick_count
        plain = self._alone(place)
        members = tuple(
            each._replace(attributes=tuple({**dict(each.attributes), **of_member(each.member, place)}.items()))
            for each in self._members.owners.forces.image()
        )
        tables = [_whole(rows) for rows in plain.tables.values()]
        return hash_of(digest_of_world(len(plain.names), plain.tick, plain.values, tables, False, members))

    # state

    def snapshot(self) -> Snapshot:
        """Return everything that determines the future of all members, to which `restore` can go back.

        Returns:
            The snapshot.

        Raises:
            RuntimeError: If this is called inside a force, or while another thread steps this batch.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.batch import Batch
            >>> _ = (template := World(dt=0.5)).add_body(MassProperties.sphere(2.0, 0.5))
            >>> batch = Batch(template, members=2)
            >>> before = batch.snapshot()
            >>> batch.step(3)
            >>> batch.restore(before)
            >>> batch.tick_count.tolist()
            [0, 0]
        """
        if not self._world._store.is_idle and not self._world._store.is_calling_here:
            self._require_idle("snapshot")
        taken = snapshots.take(self._members.owners)
        return snapshots.made(taken._inside._replace(is_of_batch=True))

    def restore(self, snapshot: Snapshot) -> None:
        """Go back, or forward, to a snapshot of this batch.

        Args:
            snapshot: A snapshot that this batch has returned.

        Raises:
            TypeError: If `snapshot` is not a snapshot.
            ValueError: If it is not one of this batch.
            RuntimeError: If this is called inside a tick.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.batch import Batch
            >>> _ = (template := World(dt=0.5)).add_body(MassProperties.sphere(2.0, 0.5))
            >>> batch = Batch(template, members=2)
            >>> before = batch.snapshot()
            >>> batch.step(3)
            >>> batch.restore(before)
            >>> batch.tick_count.tolist()
            [0, 0]
        """
        if not isinstance(snapshot, Snapshot):
            refuse("Batch.restore", "snapshot", snapshot, "a Snapshot", TypeError)
        if snapshot._inside.world is not self._members.owners.store.world:
            refuse("Batch.restore", "snapshot", snapshot, "one of this batch")
        self._require_idle("restore")
        functions = self._members.owners.stages.functions
        self._world.restore(snapshot)
        self._members.owners.stages.functions = functions
        self._sampling.follow_clocks()

    def copy(self) -> Batch:
        """Return an independent copy of the batch, with the same template and without functions of `on_tick`.

        Returns:
            The copy.

        Raises:
            RuntimeError: If this is called inside a tick.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.batch import Batch
            >>> _ = (template := World(dt=0.5)).add_body(MassProperties.sphere(2.0, 0.5))
            >>> batch = Batch(template, members=2)
            >>> other = batch.copy()
            >>> other.step(3)
            >>> batch.tick_count.tolist(), other.tick_count.tolist()
            ([0, 0], [3, 3])
        """
        self._require_idle("copy")
        made: Batch = object.__new__(Batch)
        for name in ("_keys", "_places", "_seed", "_source"):
            object.__setattr__(made, name, getattr(self, name))
        owners = self._members.owners
        replaced: dict[tuple[int, ...], object] = {identity(each.function): None for each in owners.stages.on_tick}
        image = copying.image_of(owners, replaced)
        plain = image.plain._replace(functions=dict.fromkeys(image.plain.functions, ()))
        made._fill(image._replace(plain=plain), len(self))
        return made

    def __copy__(self) -> Batch:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Batch:
        return self.copy()

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        raise TypeError(
            "Batch: it cannot be pickled, because its handles are those of the template; pickle Batch.world(member)"
        )

    def reset(self, members: object = None, to: Snapshot | None = None) -> None:
        """Put members back to the state of the template.

        Everything that ticks and commands have changed is put back, in every table: states, previous poses, throttles, valves, propellant,
        wheels, what parts remember, and the history of wrenches. The clock of a member goes back with it. What belongs to its model, such
        as its mass and the coefficients of its forces, stays. A member that has failed or was inactive runs again.

        Args:
            members: A mask of shape (n,), indices, or one index; None for all members.
            to: A snapshot of the template, or of a world that `world` has returned; None for the template when the batch was made.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If a member does not exist or is named twice, or the snapshot is that of another world. Nothing is changed then.
            RuntimeError: If this is called inside a tick.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.batch import Batch
            >>> template = World(dt=0.5)
            >>> ship = template.add_body(MassProperties.sphere(2.0, 0.5), name="ship", velocity=(1.0, 0.0, 0.0))
            >>> batch = Batch(template, members=3)
            >>> batch.step(2)
            >>> batch.reset(batch[ship].position[:, 0] > 0.5)
            >>> batch[ship].position[:, 0].tolist(), batch.tick_count.tolist()
            ([0.0, 0.0, 0.0], [0, 0, 0])
        """
        count = len(self)
        where = np.arange(count) if members is None else chosen(members, count, "Batch.reset")
        source = self._source
        if to is not None:
            if not isinstance(to, Snapshot):
                refuse("Batch.reset", "to", to, "a Snapshot", TypeError)
            source = self._source_of(to)
        self._require_idle("reset")
        if not len(where):
            return
        store = self._members.owners.store
        with store.all_or_nothing():
            store.before_change()
            store.record(self._sampling.follow_clocks)  # undone last, when the clocks are back
            self._members.begin_again(where, source.tick)
            source.put(self._members, where)
            self._noise.begin_again(where)
            self._sampling.follow_clocks()

    # inside

    def _loops_between_ticks(self, _world: Host, _parts: list[SampledPart]) -> list[Loop]:
        """The kernels of samples, commands, readings and resets, which are found by trying all of these with three members aside."""
        template: World = object.__new__(World)
        template.__setstate__(copying.Image(self._source.plain, 1, self._members.owners.settings.beside))
        with noted() as found:
            batch = Batch(template, members=3)
            for handle, _number, _name, _first, width in batch._places.values():
                if width:
                    batch[handle]._try_values()
            for number in range(3):
                batch._sampling.try_samples(number)
            batch.reset([1])
            batch.reset()
        return list(found.values())

    def _source_of(self, snapshot: Snapshot) -> Source:
        """What a snapshot contains, which may come from bytes."""
        plain = plain_form(snapshot)
        tables = self._members.owners.store.tables
        check_content(plain, self._source.plain, snapshot)
        check_rows(plain, {name: table.schema for name, table in tables.items()}, "Batch.reset")
        rows = {
            name: each._replace(schema=tables[name].schema) for name, each in plain.tables.items() if name in tables
        }
        return Source(plain._replace(tables=rows), len(self))

    def _member(self, member: object, owner: str) -> int:
        if isinstance(member, bool) or not isinstance(member, int | np.integer):
            refuse(owner, "member", member, f"an integer from 0 to {len(self) - 1}", TypeError)
        if not 0 <= member < len(self):
            refuse(owner, "member", member, f"an integer from 0 to {len(self) - 1}")
        return int(member)

    def _require_idle(self, method: str) -> None:
        if not self._members.owners.store.is_idle:
            raise RuntimeError(
                f"Batch.{method} cannot be used from inside a tick; use it after Batch.step has returned"
            )


def _name_in(name: str, member: int) -> str:
    """The name of a body of the template in a member."""
    return f"{name} of member {member}"


def _block(handle: Body | TableRows, spans: dict[str, Span]) -> tuple[str, int, int]:
    """The table of a handle of the template, the first row of its block in the batch, and the number of rows per member, if any."""
    if isinstance(handle, Body):
        return BODIES.name, int(spans[BODIES.name].first[handle.index]), 1
    name, rows = handle._schema.name, handle.rows
    span = spans[name]
    return name, int(span.first[rows.start]), len(rows) if span.is_repeated[rows.start] else 0


def _whole(rows: Rows) -> tuple[Schema, FloatArray]:
    """The schema of a table, and its content with all components."""
    assert rows.schema is not None  # the rows are those of a world
    return rows.schema, whole_rows(rows.schema, rows)
