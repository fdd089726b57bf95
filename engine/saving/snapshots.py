"""Snapshots of a world, which contain everything that determines its future, and their restoring."""

from __future__ import annotations  # help() then shows them as written

import warnings
from collections.abc import Callable
from itertools import chain
from typing import NamedTuple

import numpy as np

from ..checks import explaining_errors, refuse
from ..joints.joint import Joint
from ..store.calling import called_object, default_name, hidden_state, refuse_shared_names
from ..store.objects import State, state_of
from ..store.store import hash_of
from .arguments import check_by_constructor
from .content import Content, Owners, digest_of_content
from .encoding import BUILT_IN, Places, encoded_attributes
from .plain_content import PlainContent, bind, plain_of
from .snapshot_bytes import read, to_bytes
from .untrusted import check_rows


class Inside(NamedTuple):
    """What a snapshot consists of."""

    exact_dt: float
    content: Content | PlainContent
    """The content of a world, in its plain form if the snapshot was read from bytes."""
    world: Callable[[], object] | None = None
    """Returns the world of the content; None if the snapshot was read from bytes."""
    is_of_batch: bool = False
    """Whether the world is that of all members of a batch, which no other world can have."""


@explaining_errors()
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

    __slots__ = ("_inside",)

    _inside: Inside

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("Snapshot: it cannot be created directly; call world.snapshot() or Snapshot.from_bytes(data)")

    def __repr__(self) -> str:
        return f"<Snapshot at t = {self.time:g} s, tick {self.tick_count}>"

    def __reduce__(self) -> tuple[object, ...]:
        return Snapshot.from_bytes, (self.to_bytes(),)

    def to_bytes(self) -> bytes:
        """Return the snapshot as bytes, for a file or another process.

        Functions, Python forces and attached objects are written as names, without their code.

        Returns:
            The bytes.

        Raises:
            ValueError: If the method of the world is not one of `engine.integrators`, if two functions have the same name, or if it is the
                snapshot of a batch, which only this batch can restore.

        Example:
            >>> from engine import Snapshot, World
            >>> data = World(dt=0.5).snapshot().to_bytes()
            >>> Snapshot.from_bytes(data).dt
            0.5
        """
        if self._inside.is_of_batch:
            hint = "write the members, with Batch.world(member).snapshot().to_bytes()"
            refuse("Snapshot.to_bytes", "the snapshot", self, "that of a world and not of a batch", hint=hint)
        return to_bytes(plain_form(self))

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
        plain = read(data)
        return made(Inside(plain.exact_dt, plain))

    @property
    def tick_count(self) -> int:
        """Number of ticks that the world had run."""
        return self._inside.content.tick

    @property
    def dt(self) -> float:
        """Length of a tick of the world [s]."""
        return float(self._inside.exact_dt)

    @property
    def time(self) -> float:
        """Simulated time of the world [s]."""
        return self._inside.content.tick * float(self._inside.exact_dt)


def made(inside: Inside) -> Snapshot:
    """A snapshot of a world, or of what was read from bytes."""
    snapshot = Snapshot.__new__(Snapshot)
    snapshot._inside = inside
    return snapshot


def content_of(snapshot: Snapshot) -> Content:
    """The live content of a snapshot of a world."""
    content = snapshot._inside.content
    assert isinstance(content, Content)
    return content


def take(owners: Owners) -> Snapshot:
    """Make a snapshot of the current state of a world, whose phase has been checked."""
    states = {name: state_of(object, name) for name, object in owners.memory.objects.items()}
    return made(Inside(owners.exact_dt, owners.give(states), owners.store.world))


def plain_form(snapshot: Snapshot) -> PlainContent:
    """The content of a snapshot without handles, from which bytes can be made.

    Raises:
        ValueError: If two functions have the same name, so that bytes could not tell them apart.
    """
    inside, content = snapshot._inside, snapshot._inside.content
    if isinstance(content, PlainContent):
        return content
    refuse_shared_names(chain(*content.inventory.functions.values()), "Snapshot.to_bytes")
    return plain_of(content, inside.exact_dt)


def warn_of_hidden_state(owners: Owners, stacklevel: int) -> None:
    """Name in a warning the functions and Python forces that may keep a state that no snapshot contains."""
    called = [*(callback.function for callback in owners.stages.callbacks()), *owners.forces.called]
    attached = {id(object) for object in owners.memory.objects.values()}
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


def restore(owners: Owners, snapshot: Snapshot, missing: str, adopt: bool) -> None:
    """Restore a snapshot in a world that is between two ticks; see `World.restore`."""
    owner, inside = "World.restore", snapshot._inside
    if inside.world is owners.store.world:
        put_back(owners, snapshot)
        return
    if inside.is_of_batch:
        refuse(owner, "snapshot", snapshot, "that of a world and not of a batch", hint="use Batch.restore")
    if inside.world is not None and not adopt:
        refuse(owner, "snapshot", snapshot, "one of this world, unless adopt=True")
    if inside.exact_dt != owners.exact_dt and not adopt:
        refuse(owner, "snapshot", snapshot, f"one of a world with dt = {float(owners.exact_dt)!r} s, unless adopt=True")
    if inside.content.tick > owners.last_tick:
        rule = f"one of tick {owners.last_tick} or earlier, the last tick that this dt allows"
        refuse(owner, "snapshot", snapshot, rule)
    plain = plain_form(snapshot)
    is_untrusted = isinstance(inside.content, PlainContent)
    if is_untrusted:
        check_rows(plain, {table.schema.name: table.schema for table in owners.store.tables.values()}, owner)
    _put_back_whole(owners, bind(owners, plain, missing, owner), snapshot, is_untrusted)


def _put_back(owners: Owners, content: Content, snapshot: Snapshot) -> None:
    """Have this content; if an attached object rejects its state, nothing changes.

    If an interrupt arrives meanwhile, the next use of the world restores what is left.
    """
    elsewhere = owners.forces.in_another_world(content.inventory.members)
    if elsewhere is not None:
        rule = "one whose forces, parts and joints are in no other world"
        hint = f"{elsewhere!r} has been added to another world"
        refuse("World.restore", "snapshot", snapshot, rule, hint=hint)
    objects, now = content.inventory.objects, owners.moment()
    before = {name: state_of(object, name) for name, object in objects.items()}

    def restore() -> None:
        try:
            for name, object in objects.items():
                object.set_state(_fresh(content.states[name]))
            owners.take(content, now)
        except Exception:  # no interrupt: after one, all of this runs again and ends as it was begun
            for name, object in objects.items():
                object.set_state(before[name])
            raise

    with owners.store.ending_with(restore, always=True):
        pass


def _put_back_whole(owners: Owners, content: Content, snapshot: Snapshot, is_untrusted: bool) -> None:
    """Have the content of another world or of bytes; whatever is wrong with it, the world is then as it was before.

    Raises:
        ValueError: If it is not the content of a valid world.
    """
    before = take(owners)
    try:
        _put_back(owners, content, snapshot)
        _ = owners.joints.graph  # what cannot be islands is found here and not in the next tick
        owners.forces.check_uses()
        if is_untrusted:
            _check_by_constructors(content)
    except (TypeError, ArithmeticError, LookupError, AttributeError, AssertionError) as error:
        put_back(owners, before)
        text = f"World.restore: snapshot must be one that a world has written; {type(error).__name__}: {error}"
        raise ValueError(text) from error
    except BaseException:
        put_back(owners, before)
        raise


def _check_by_constructors(content: Content) -> None:
    """Let the constructors of forces and parts check what bytes say of them; joints were made for other poses."""
    members, known = content.inventory.members, {*BUILT_IN.values()}
    places = Places(content.inventory.roster.handles, (entry.member for entry in members))
    for entry in members:
        if entry.table and not isinstance(entry.member, Joint):
            attributes, kind = entry.attributes, type(entry.member)
            if kind in known or encoded_attributes(places.all_placed(attributes, kind)) is not None:
                check_by_constructor(entry.member)
        else:
            repr(entry.member)  # reads what it keeps, so that what does not fit is found here


def put_back(owners: Owners, snapshot: Snapshot) -> None:
    """Restore a snapshot of this world, between two ticks."""
    _put_back(owners, content_of(snapshot), snapshot)


def state_hash_of(snapshot: Snapshot) -> int:
    """What `World.state_hash` returned at the time of a snapshot of a world."""
    return hash_of(digest_of_content(content_of(snapshot)))


def _fresh(state: State) -> State:
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in state.items()}
