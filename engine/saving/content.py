"""The content of a world: everything that determines its future, in the live form that snapshots hold and share.

Each owner of a part (tables, bodies, settings, clock, functions, memory, forces) gives it and takes it back. `plain_content` has the second
form, with places instead of handles, from which bytes and copies come.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..checks import FloatArray
from ..clock import Clock, ClockImage
from ..loops import layout
from ..store.bodies import Bodies, Follower, Roster
from ..store.calling import Callback, EventCallback
from ..store.images import Image
from ..store.memory import Memory, MemoryRows
from ..store.objects import State, Stateful, digest_of_state
from ..store.schema import Schema
from ..store.store import Store, digest_of
from ..store.table import Table
from ..tick.actuators import Actuators
from ..tick.force_list import ForceList, MembersImage, digest_of_members
from ..tick.held import PUSHES, Held
from ..tick.joints import Joints
from ..tick.plan import Plan
from ..tick.stages import Stages
from .settings import Settings, Values, digest_of_settings

FUNCTIONS = ("on_tick", "after_tick", "on_joint")
"""What registers the functions that a world calls, in the order of `Stages.functions`."""


class Inventory(NamedTuple):
    """What rarely changes and is shared by most contents of a world."""

    tables: tuple[Table, ...]
    roster: Roster
    members: MembersImage
    rows: dict[str, MemoryRows]
    objects: dict[str, Stateful]
    joined: dict[str, int]
    values: Values
    on_tick: list[Callback]
    after_tick: list[Callback]
    on_joint: list[EventCallback]

    @property
    def functions(self) -> dict[str, list[Any]]:
        """The callbacks by the name of what registers them."""
        return {when: getattr(self, when) for when in FUNCTIONS}


class Content(NamedTuple):
    """What a world is at one moment; it never changes, and shares with other contents what is the same in both."""

    inventory: Inventory
    images: tuple[Image, ...]
    """The image of each table of the inventory."""
    states: dict[str, State]
    """The state of each attached object by its name, which the objects themselves take back."""
    clock: ClockImage
    tick: int
    push_tick: int
    driven_tick: int
    """The tick that images of tables other than the bodies belong to; -1 if ticks do not write these tables."""


class Moment(NamedTuple):
    """The ticks by which images are compared with what tables contain now."""

    tick: int
    driven_tick: int


@dataclass(slots=True, eq=False)
class Owners:
    """The owners of the parts of a world, which give its content and take it again.

    Attributes:
        exact_dt: Length of a tick [s], as it was given.
        last_tick: The last tick that this length allows.
        threads: The largest number of threads.
    """

    exact_dt: float
    last_tick: int
    threads: int
    store: Store
    bodies: Bodies
    clock: Clock
    settings: Settings
    stages: Stages
    held: Held
    memory: Memory
    forces: ForceList
    plan: Plan
    _last: Inventory | None = None

    @property
    def actuators(self) -> Actuators:
        """The actuators, which the plan of ticks holds."""
        return self.plan.actuators

    @property
    def joints(self) -> Joints:
        """The joints, which the plan of ticks holds."""
        return self.plan.joints

    def moment(self) -> Moment:
        """The present tick, for `take`."""
        tick = self.bodies.tick_count
        return Moment(tick, tick if self.actuators.any or self.joints.any else -1)

    def give(self, states: dict[str, State]) -> Content:
        """The content now.

        Args:
            states: The states of the attached objects, by name.
        """
        bodies, store = self.bodies, self.store
        tick, driven_tick = self.moment()
        tables = tuple(store.tables.values())
        images = tuple(
            [table.image(tick if table is bodies or table.schema.follows else driven_tick) for table in tables]
        )
        inventory, clock = self._inventory(tables), self.clock._image()
        return Content(inventory, images, states, clock, tick, self.held.push_tick, driven_tick)

    def _inventory(self, tables: tuple[Table, ...]) -> Inventory:
        """The rarely changing part, which is that of the last content if nothing in it has changed."""
        last = self._last
        if last is not None and _same(tables, last.tables):
            tables = last.tables
        made = Inventory(
            tables,
            self.bodies.roster(),
            self.forces.image(),
            *self.memory._contents,
            self.settings.values,
            *self.stages.functions,
        )
        if last is None or not _same(made, last):
            self._last = last = made
        return last

    def take(self, content: Content, now: Moment) -> None:
        """Have this content, apart from the states of attached objects; doing this again after an interrupt does no harm.

        Args:
            content: The content.
            now: The moment before the first attempt.
        """
        store, bodies, inventory = self.store, self.bodies, content.inventory
        store.quiet = 0  # the loop that is kept between two steps belongs to what the world has been
        bodies.control[layout.TICKS] = content.tick
        bodies.control[layout.BAD] = -1
        self.settings.put(inventory.values)
        if len(store.tables) != len(inventory.tables) or not _same(tuple(store.tables.values()), inventory.tables):
            _exchange_tables(store, bodies, inventory.tables)
        stores = bodies.stores_momentum
        for table, image in zip(inventory.tables, content.images, strict=True):
            if table is bodies or table.schema.follows:
                table.put(image, content.tick, now.tick)
            else:
                table.put(image, content.driven_tick, now.driven_tick)
        for follower in store.followers(bodies.schema.name) if len(store.tables) > len(inventory.tables) else ():
            if follower not in inventory.tables and isinstance(follower, Follower):
                follower.follow_restored(bodies)
        bodies.put_roster(inventory.roster)
        self.forces.put(inventory.members)
        self.memory._contents = (inventory.rows, inventory.objects, inventory.joined)
        self.stages.functions = (inventory.on_tick, inventory.after_tick, inventory.on_joint)
        self.clock._restore(content.clock)
        self.held.restart(content.push_tick)
        self.stages.freezing.restart()
        if stores or self.actuators.has_wheels:
            bodies.look_for_stored_momentum()
        self.stages.restart()


def digest_of_world(
    count: int,
    tick: int,
    values: Values,
    tables: Iterable[tuple[Schema, FloatArray]],
    is_pushed: bool,
    members: MembersImage,
) -> Iterator[bytes]:
    """What `World.state_hash` hashes, but for memory and attached objects.

    Args:
        count: The number of bodies.
        tick: The number of ticks.
        values: The settings.
        tables: The schemas and rows of the tables that have any.
        is_pushed: Whether forces for one tick have yet to act.
        members: Forces, parts and joints.
    """
    yield from digest_of_settings(count, tick, values)
    yield from digest_of(tables, is_pushed)
    yield from digest_of_members(members)


def digest_of_content(content: Content) -> Iterator[bytes]:
    """The content as bytes that are equal for equal futures, as `World.state_hash` hashes them."""
    inventory = content.inventory
    tables = [
        (table.schema, image.whole(table.schema.size))
        for table, image in zip(inventory.tables, content.images, strict=True)
        if len(image.rows.ids)
    ]
    is_pushed = content.push_tick == content.tick
    is_pushed = is_pushed and any(schema is PUSHES for schema, _content in tables)
    count = len(inventory.roster.handles)
    yield from digest_of_world(count, content.tick, inventory.values, tables, is_pushed, inventory.members)
    for name in sorted(content.states):
        yield from digest_of_state(content.states[name], name)


def _same(some: tuple[object, ...], others: tuple[object, ...]) -> bool:
    """Whether two tuples consist of the same objects."""
    return len(some) == len(others) and all(map(operator.is_, some, others))


def _exchange_tables(store: Store, bodies: Bodies, wanted: tuple[Table, ...]) -> None:
    """Have the tables of a content in the store; others are emptied, and those of memory leave it."""
    store.change_layout()  # loops may be bound to the history, which is another table then
    for name, table in list(store.tables.items()):
        if table not in wanted and not table.schema.follows:
            table.empty()
            if name.startswith("memory."):
                del store.tables[name]
    for table in wanted:
        store.tables[table.schema.name] = table
        if isinstance(table, Follower):
            table.match(bodies)
