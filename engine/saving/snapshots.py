"""Snapshots of a world, which contain everything that determines its future, and their restoring."""

from __future__ import annotations  # help() then shows them as written

import operator
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..checks import FloatArray, read_only_attributes, refuse
from ..compilation.choice import ask, named
from ..compilation.compiler import address_of, types_of
from ..loops import layout
from ..loops.poses import sampled_ticks
from ..store.bodies import Bodies, Follower
from ..store.calling import called_object, default_name, hidden_state
from ..store.objects import digest_of_state, state_of
from ..store.rows import TableRows
from ..store.store import BETWEEN_TICKS, MOVING, Store, digest_of, hash_of
from ..store.table import Table
from ..tick.force_list import digest_of_members
from ..tick.held import PUSHES
from .settings import Values, digest_of_settings
from .snapshot_bytes import Record, bind, read, record_of, to_bytes

if TYPE_CHECKING:
    from ..world import World


class Roster(NamedTuple):
    """The handles and the mass properties of the bodies, in row order."""

    handles: tuple[Any, ...]
    mass_properties: tuple[Any, ...]


class Setting(NamedTuple):
    """What rarely changes and is shared by most snapshots of a world."""

    tables: tuple[Table, ...]
    roster: Roster
    members: Any
    rows: Any
    objects: Any
    joined: Any
    values: Values
    on_tick: Any
    after_tick: Any
    on_joint: Any


@read_only_attributes()
class Snapshot:
    """Everything that determines the future of a world at one moment, made by `World.snapshot`.

    Tables that have not changed are shared with earlier snapshots. A snapshot never changes, and it keeps the bodies, forces and callbacks
    of its world alive.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(1.0, 0.0, 0.0))
        >>> before = world.snapshot()
        >>> world.step(10)
        >>> world.restore(before)
        >>> world.time, ship.position.tolist()
        (0.0, [0.0, 0.0, 0.0])
    """

    __slots__ = (
        "_clock",
        "_driven_tick",
        "_exact_dt",
        "_images",
        "_push_tick",
        "_record",
        "_setting",
        "_states",
        "_tick",
        "_world",
    )

    _record: Record | None
    """The content if the snapshot was read from bytes; it then has only the attributes up to the tick count."""
    _world: Any
    _exact_dt: Any
    _tick: int
    _setting: Setting
    _images: tuple[Any, ...]
    _states: dict[str, dict[str, Any]]
    _clock: tuple[Any, ...]
    _push_tick: int
    _driven_tick: int
    """The tick that images of tables other than the bodies belong to; -1 if ticks do not write these tables."""

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("Snapshot: it cannot be created directly; call world.snapshot() or Snapshot.from_bytes(data)")

    def __repr__(self) -> str:
        return f"<Snapshot at t = {self.time:g} s, tick {self._tick}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Snapshot.from_bytes, (self.to_bytes(),)

    def to_bytes(self) -> bytes:
        """Return the snapshot as bytes, for a file or another process.

        Functions, Python forces and attached objects are written as names, without their code.

        Returns:
            The bytes.

        Raises:
            ValueError: If the method of the world is not one of `engine.integrators`.

        Example:
            >>> from engine import Snapshot, World
            >>> data = World(dt=0.5).snapshot().to_bytes()
            >>> Snapshot.from_bytes(data).dt
            0.5
        """
        return to_bytes(self._record or record_of(self))

    @staticmethod
    def from_bytes(data: bytes) -> Snapshot:
        """Read a snapshot that `to_bytes` has written.

        `World.restore` then uses the objects that its world has (see there), and creates the bodies and the built-in forces and parts that
        it lacks. Reading runs no code from the data.

        Args:
            data: The bytes.

        Returns:
            The snapshot.

        Raises:
            TypeError: If `data` is not bytes.
            ValueError: If `data` is damaged, or is not a snapshot of a version that this program can read.

        Example:
            >>> from engine import Snapshot, World
            >>> data = World(dt=0.5).snapshot().to_bytes()
            >>> Snapshot.from_bytes(data).tick_count
            0
        """
        record = read(data)
        snapshot = Snapshot.__new__(Snapshot)
        snapshot._record, snapshot._world = record, None
        snapshot._exact_dt, snapshot._tick = record.header["dt"].exact(), record.header["tick_count"].value
        return snapshot

    @property
    def tick_count(self) -> int:
        """Number of ticks that the world had run."""
        return self._tick

    @property
    def dt(self) -> float:
        """Length of a tick of the world [s]."""
        return float(self._exact_dt)

    @property
    def time(self) -> float:
        """Simulated time of the world [s]."""
        return self._tick * float(self._exact_dt)


def take(world: World) -> Snapshot:
    """Make a snapshot of the current state of a world, whose phase has been checked."""
    store, bodies = world._store, world._bodies
    tick = bodies.tick_count
    driven_tick = _driven_tick_now(world)
    tables = tuple(store.tables.values())
    snapshot = Snapshot.__new__(Snapshot)
    snapshot._record = None
    snapshot._images = tuple(
        [table.image(tick if table is bodies or table.schema.follows else driven_tick) for table in tables]
    )
    snapshot._setting = setting = _setting_of(world, tables)
    snapshot._states = {name: state_of(object, name) for name, object in setting.objects.items()}
    snapshot._world = store.world
    snapshot._exact_dt = world._exact_dt
    snapshot._tick, snapshot._driven_tick = tick, driven_tick
    snapshot._clock = world._clock._image()
    snapshot._push_tick = world._held.push_tick
    return snapshot


def _driven_tick_now(world: World) -> int:
    return world._bodies.tick_count if world._actuators.any or world._joints.any else -1


def _setting_of(world: World, tables: tuple[Table, ...]) -> Setting:
    """The rarely changing part, which is that of the last snapshot if nothing in it has changed."""
    bodies, stages, last = world._bodies, world._stages, world._setting
    version, roster = world._roster
    if roster is None or version != bodies.given_version:
        roster = Roster(tuple(bodies.handles), tuple(bodies.mass_properties))
        if last is not None and _same(roster.handles, last.roster.handles):
            if _same(roster.mass_properties, last.roster.mass_properties):
                roster = last.roster
        world._roster = (bodies.given_version, roster)
    if last is not None and _same(tables, last.tables):
        tables = last.tables
    made = Setting(
        tables,
        roster,
        world._forces.image(),
        *world._memory._contents,
        world._settings.values,
        stages.on_tick,
        stages.after_tick,
        stages.joint_events.functions,
    )
    if last is None or not _same(made, last):
        world._setting = made
        return made
    return last


def _same(some: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Whether two tuples consist of the same objects."""
    return len(some) == len(others) and all(map(operator.is_, some, others))


def warn_of_hidden_state(world: World, stacklevel: int) -> None:
    """Name in a warning the functions and Python forces that may keep a state that no snapshot contains."""
    stages = world._stages
    called: list[Any] = [callback.function for callback in stages.callbacks()]
    called += [force for force in world.forces if not isinstance(force, TableRows)]
    attached = {id(object) for object in world._memory.objects.values()}
    found = [
        f"{default_name(function)} ({place})"
        for function in called
        if id(called_object(function)) not in attached and (place := hidden_state(function)) is not None
    ]
    if found:
        warnings.warn(
            f"World.snapshot: {', '.join(found)} may keep a state that is not part of a snapshot; keep it in world.memory, or in an "
            "object with get_state() and set_state(state)",
            stacklevel=stacklevel,
        )


def adopted(world: World, snapshot: Snapshot, missing: str, owner: str) -> Snapshot:
    """The snapshot of another world or from bytes, as one of this world; nothing in the world is changed.

    Raises:
        ValueError: If the snapshot does not fit this world.
    """
    record = snapshot._record or record_of(snapshot)
    bound = bind(world, record, missing, owner)
    tables, roster, *others = bound.setting
    made = Snapshot.__new__(Snapshot)
    made._record = None
    made._world, made._exact_dt, made._tick = world._store.world, world._exact_dt, snapshot._tick
    made._setting = Setting(tables, Roster(*roster), *others)
    made._images, made._states, made._clock = bound.images, bound.states, bound.clock
    made._push_tick = record.header["push_tick"].integer(-1)
    written = [
        image for table, image in zip(tables, made._images, strict=True) if table.schema.name in ("driven", "joints")
    ]
    made._driven_tick = made._tick if any(len(image.rows.ids) for image in written) else -1
    return made


def put_back(world: World, snapshot: Snapshot) -> None:
    """Restore a snapshot of this world, between two ticks; if an attached object rejects its state, nothing changes.

    If an interrupt arrives meanwhile, the next use of the world restores what is left.
    """
    elsewhere = world._forces.in_another_world(snapshot._setting.members)
    if elsewhere is not None:
        rule = "one whose forces, parts and joints are in no other world"
        hint = f"{elsewhere!r} has been added to another world"
        refuse("World.restore", "snapshot", snapshot, rule, hint=hint)
    objects = snapshot._setting.objects
    now, now_driven = world._bodies.tick_count, _driven_tick_now(world)
    before = {name: state_of(object, name) for name, object in objects.items()}

    def restore() -> None:
        try:
            for name, object in objects.items():
                object.set_state(_fresh(snapshot._states[name]))
            _apply(world, snapshot, now, now_driven)
        except Exception:
            for name, object in objects.items():
                object.set_state(before[name])
            raise

    with world._store.ending_with(restore, always=True):
        pass


def put_back_whole(world: World, snapshot: Snapshot) -> None:
    """Restore a snapshot that was read from bytes; whatever is wrong with it, the world is then as it was before.

    Raises:
        ValueError: If the content of the snapshot is not that of a valid world.
    """
    before = take(world)
    try:
        put_back(world, snapshot)
        _ = world._joints.graph
    except (TypeError, ArithmeticError, LookupError, AttributeError) as error:
        put_back(world, before)
        text = f"World.restore: snapshot must be one that a world has written; {type(error).__name__}: {error}"
        raise ValueError(text) from error
    except BaseException:
        put_back(world, before)
        raise


def state_hash_of(snapshot: Snapshot) -> int:
    """What `World.state_hash` returned at the time of a snapshot of a world."""
    return hash_of(_digest_of(snapshot))


def _digest_of(snapshot: Snapshot) -> Iterator[bytes]:
    setting = snapshot._setting
    contents = [
        (table.schema, image.whole(table.schema.size))
        for table, image in zip(setting.tables, snapshot._images, strict=True)
        if len(image.rows.ids)
    ]
    is_pushed = snapshot._push_tick == snapshot._tick
    yield from digest_of_settings(len(setting.roster.handles), snapshot._tick, setting.values)
    yield from digest_of(contents, is_pushed and any(schema is PUSHES for schema, _content in contents))
    yield from digest_of_members(setting.members)
    for name in sorted(snapshot._states):
        yield from digest_of_state(snapshot._states[name], name)


def predict(world: World, samples: int, every: int, rows: list[int] | None) -> tuple[FloatArray, FloatArray]:
    """Positions and orientations after each of `samples` times `every` ticks, after which the world is restored."""
    store, bodies, stages = world._store, world._bodies, world._stages
    columns = np.arange(bodies.count) if rows is None else np.array(rows, np.int64)
    poses = np.empty((samples, _POSE * len(columns)))
    snapshot, observers = take(world), stages.observers

    def return_to_start() -> None:
        stages.observers = observers
        put_back(world, snapshot)

    with store.ending_with(return_to_start, always=True):
        stages.on_tick = stages.after_tick = stages.observers = []
        stages.joint_events.functions = []
        _fly(world, poses, columns, every)
    moved = poses.reshape(samples, _POSE, len(columns)).transpose(0, 2, 1)
    return moved[:, :, : layout.ORIENTATION].copy(), moved[:, :, layout.ORIENTATION :].copy()


def _fly(world: World, poses: FloatArray, columns: Any, every: int) -> None:
    """Run ticks, and store the poses of bodies after every `every` ticks."""
    store, bodies, stages, done = world._store, world._bodies, world._stages, 0
    while done < len(poses):
        at_once = min(len(poses) - done, store.quiet // every, stages.most_at_once // every)
        if at_once > 0:  # as in `World.step`, which takes longer than a tick of one body
            store.phase, start = MOVING, bodies.tick_count
            reached = _sampled(world, poses, columns, every, done, done + at_once)
            store.quiet -= every * at_once
            if (
                reached < done + at_once
            ):  # a tick was not finite; it goes through all stages, which freeze bodies or raise the error
                left = every * (reached - done + 1) - (bodies.tick_count - start)
                store.quiet = 0
                store.phase = BETWEEN_TICKS
                world.step(left)
                poses[reached] = bodies.array[:_POSE, columns].ravel()
                reached += 1
        else:
            store.phase, reached = BETWEEN_TICKS, done + 1
            world.step(every)
            poses[done] = bodies.array[:_POSE, columns].ravel()
        done = reached


def _sampled(world: World, poses: FloatArray, columns: Any, every: int, first: int, last: int) -> int:
    """Run ticks and store poses; the sample that was reached."""
    array, kernel, run = world._bodies.array, world._plan.kernel, world._stages.run
    if kernel is not None:
        loop = named(sampled_ticks, array, poses, columns, columns, kernel.args, 1, 1, 1)
        if loop.can_run or not ask([loop]):
            calls = np.array([address_of(kernel.func, types_of(*kernel.args, 1))], np.int64)
            return int(loop.function(array, poses, columns, calls, kernel.args, every, first, last))
    for sample in range(first, last):
        if run(every) != every:
            return sample
        poses[sample] = array[:_POSE, columns].ravel()
    return last


_POSE = layout.ORIENTATION + 4
"""The number of components of a pose, which are the first of a body."""


def _fresh(state: dict[str, Any]) -> dict[str, Any]:
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in state.items()}


def _apply(world: World, snapshot: Snapshot, now: int, now_driven: int) -> None:
    """Set everything but the states of attached objects; doing this twice does no harm."""
    store, bodies, stages, setting = world._store, world._bodies, world._stages, snapshot._setting
    tick = snapshot._tick
    store.quiet = 0
    bodies.control[layout.TICKS] = tick
    bodies.control[layout.BAD] = -1
    if len(store.tables) != len(setting.tables) or not _same(tuple(store.tables.values()), setting.tables):
        _exchange_tables(store, bodies, setting.tables)
    driven_tick, stores = snapshot._driven_tick, bodies.stores_momentum
    for table, image in zip(setting.tables, snapshot._images, strict=True):
        if table is bodies or table.schema.follows:
            table.put(image, tick, now)
        else:
            table.put(image, driven_tick, now_driven)
    for follower in store.followers(bodies.schema.name) if len(store.tables) > len(setting.tables) else ():
        if follower not in setting.tables and isinstance(follower, Follower):
            follower.follow_restored(bodies)
    roster = setting.roster
    if world._roster[1] is not roster or world._roster[0] != bodies.given_version:
        bodies.handles, bodies.mass_properties = list(roster.handles), list(roster.mass_properties)
        for handle, id in zip(roster.handles, bodies.ids.tolist(), strict=False):
            handle._id, handle._numbering = id, -1
        world._names = {handle.name: handle for handle in roster.handles}
        world._roster = (bodies.given_version, roster)
    world._forces.put(setting.members)
    world._memory._contents = (setting.rows, setting.objects, setting.joined)
    world._settings.put(setting.values)
    stages.on_tick, stages.after_tick = setting.on_tick, setting.after_tick
    stages.joint_events.functions = setting.on_joint
    world._clock._restore(snapshot._clock)
    world._held.restart(snapshot._push_tick)
    world._actuators.restart()
    world._joints.restart()
    stages.freezing.restart()
    if stores or world._actuators.has_wheels:
        bodies.look_for_stored_momentum()
    stages.restart()


def _exchange_tables(store: Store, bodies: Bodies, wanted: tuple[Table, ...]) -> None:
    """Have the tables of a snapshot in the store; others are emptied, and those of memory leave it."""
    for name, table in list(store.tables.items()):
        if table not in wanted and not table.schema.follows:
            table.empty()
            if name.startswith("memory."):
                del store.tables[name]
    for table in wanted:
        store.tables[table.schema.name] = table
        if isinstance(table, Follower):
            table.match(bodies)
