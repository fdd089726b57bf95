"""Events of contacts between two ticks: the functions of `World.on_contact` are called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..checks import FloatArray
from ..collision import layout
from ..reading import reading
from ..shapes.handle import ShapeHandle
from ..store.calling import EventCallback, run_now
from ..store.rows import BodyHandle, rows_in
from ..store.store import Store
from .contacts import Contacts
from .joint_events import JointEvents

CONTACT_EVENTS = ("begin", "end", "hit")
"""The events of contacts."""

_APART = 1e-6
"""Gap, as a share of the least size of both shapes, up to which a contact that is not pushed has not ended, and depth from which shapes
that are not pushed touch, as those that part without an impulse."""
_Pair = tuple[ShapeHandle, ShapeHandle]


class Contact(NamedTuple):
    """Two shapes that touch, with all of their points, as functions of `World.on_contact` get it.

    Example:
        >>> from engine import MassProperties, World, shapes
        >>> world = World(dt=1 / 60)
        >>> _ = world.add_shape(shapes.Plane((0, 0, 1)))
        >>> ball = world.add_body(MassProperties.sphere(2.0, 0.5), position=(0, 0, 1.0), velocity=(0, 0, -3.0))
        >>> _ = ball.add_shape(shapes.Sphere(0.5))
        >>> @world.on_contact(event="hit", above=1.0)
        ... def report(world, contact):
        ...     print(f"{contact.bodies[0]} hits with {contact.closing_speed:.3f} m/s and {contact.impulse_world[2]:.3f} N s")
        >>> world.step(20)
        body 'body 0' hits with 3.000 m/s and 6.000 N s
    """

    shapes: tuple[ShapeHandle, ShapeHandle]
    """The two shapes; the first one belongs to a body."""
    bodies: tuple[BodyHandle, BodyHandle | None]
    """Their bodies; the second one is None for a shape of the world."""
    point_world: FloatArray | None
    """Mean of the points, by their impulses [m], world frame; None in an "end" if the shapes are no longer near each other."""
    normal_world: FloatArray | None
    """Unit normal at the first point, from the second shape to the first, world frame; None if there is no point."""
    impulse_world: FloatArray
    """Impulse on the first body in the last tick [N·s], world frame."""
    closing_speed: float
    """Largest speed at which a point closed in an impact in the last tick [m/s]; 0 at rest."""


class ContactEvents:
    """Finds the contacts that began, ended or closed fast in the last tick.

    The functions are those of joint events with the events of contacts. Each knows the pairs of shapes that touched when it was called
    last, so that every begin has one end, whatever happens to the shapes.
    """

    def __init__(self, store: Store, contacts: Contacts, functions: JointEvents) -> None:
        self._store, self._contacts, self._events = store, contacts, functions
        self._watched: tuple[tuple[int, ...], dict[int, list[_Pair]]] | None = None
        """What touches by the identity of each body, for functions that are added one after another, and when this was so."""

    @property
    def is_watching(self) -> bool:
        """Whether every tick must be followed by a look at the contacts."""
        functions = self._events.functions
        return bool(functions) and any(each.event in CONTACT_EVENTS for each in functions)

    def touching(self, body: object = None) -> tuple[_Pair, ...]:
        """The pairs of shapes that touch, in their order; those of one body, if it is given."""
        table, shapes = self._contacts.table, self._contacts.shapes
        when = self._store.world().tick_count, table.version, shapes.version, shapes.numbering
        if self._watched is None or self._watched[0] != when:
            self._watched = when, _by_bodies(self._now(()))
        return tuple(self._watched[1].get(id(body), ()))

    def look(self) -> None:
        """Call the functions for what happened in the last tick; this is part of the tick that starts."""
        events, store = self._events, self._store
        # functions share what touched before them, so that the work is not that of all functions with all pairs
        before = {id(each.touching): each.touching for each in events.functions}
        known = dict.fromkeys(pair for touching in before.values() for pair in touching)
        now, due, functions = self._now(known), list[tuple[EventCallback, Contact]](), list[EventCallback]()
        fast = _by_bodies({pair: one for pair, one in now.items() if one.closing > 0.0})
        watched, changes, shared = _by_bodies(now), dict[tuple[int, int], _Change](), dict[int, tuple[_Pair, ...]]()
        for each in events.functions:
            if each.event in CONTACT_EVENTS:
                if each.event == "hit":
                    happened = [pair for pair in fast.get(id(each.body), ()) if now[pair].closing > each.above]
                else:
                    touching = watched.get(id(each.body), ())
                    key = id(each.touching), id(each.body)
                    if key not in changes:
                        changes[key] = _Change.between(each.touching, tuple(touching))
                    change = changes[key]
                    happened = change.begun if each.event == "begin" else change.ended
                    kept = shared.setdefault(id(each.body), change.touching)
                    each = each if kept is each.touching else replace(each, touching=kept)
                due += [(each, self._contact(pair, now)) for pair in happened]
            functions.append(each)
        store.record(setattr, events, "functions", events.functions)
        events.functions = functions
        if not due:
            return
        world = store.world()
        for each, contact in sorted(due, key=lambda one: self._place(one[1].shapes)):
            if each in events.functions:
                run_now(each.function, world, contact)

    def _place(self, pair: _Pair) -> list[int]:
        """The place of a pair among all: by the rows of its shapes, as in the table of contacts; shapes that were removed come first."""
        rows = [rows_in(shape, self._store) for shape in pair]
        return sorted(-1 if each.start == each.stop else each.start for each in rows)

    def _contact(self, pair: _Pair, now: dict[_Pair, _Found]) -> Contact:
        found = now.get(pair)
        bodies = pair[0].body, pair[1].body
        if found is None:
            return Contact(pair, bodies, None, None, reading(np.zeros(3)), 0.0)
        return Contact(pair, bodies, *found.where(self._contacts.table.array), found.closing)

    def _now(self, known: Iterable[_Pair]) -> dict[_Pair, _Found]:
        """What is near now, by pairs of shapes; `known` are those that touched before."""
        table, shapes = self._contacts.table, self._contacts.shapes
        count = table.count
        if not count:
            return {}
        array, before = table.array[:, :count], set(known)
        rows = array[[layout.FIRST_SHAPE, layout.SECOND_SHAPE]].astype(np.int64)
        starts = np.flatnonzero(np.r_[True, (rows[:, 1:] != rows[:, :-1]).any(axis=0)])
        rows, owners_of = rows[:, starts], self._store.world()._forces.owners_of
        pairs = list(zip(*(owners_of(shapes, each) for each in rows), strict=True))
        is_pushed = np.logical_or.reduceat(array[_PUSH].any(axis=0), starts)
        closing = np.where(is_pushed, np.maximum.reduceat(array[layout.CLOSING], starts), 0.0)
        sizes = shapes.array[layout.SIZES : layout.SIZES + 3, rows]
        gaps = np.minimum.reduceat(array[layout.GAP], starts) / np.where(sizes > 0.0, sizes, np.inf).min(axis=(0, 1))
        is_sensed = shapes.array[layout.SENSOR, rows].any(axis=0)
        touched = np.array([pair in before for pair in pairs])
        touches = is_pushed | (gaps <= np.where(touched, _APART, np.where(is_sensed, 0.0, -_APART)))
        found: dict[_Pair, _Found] = {}
        parts = zip(starts.tolist(), [*starts[1:].tolist(), count], strict=True)
        for pair, touching, speed, part in zip(pairs, touches.tolist(), closing.tolist(), parts, strict=True):
            one = _Found(touching, speed, ((slice(*part), touching),))
            found[pair] = found[pair].with_other(one) if pair in found else one  # parts of a compound
        return found


_PUSH = slice(layout.PUSH_WORLD, layout.PUSH_WORLD + 3)


class _Found(NamedTuple):
    """What is known of a pair of shapes that are near each other."""

    touches: bool
    closing: float
    parts: tuple[tuple[slice, bool], ...]
    """The columns of its points, and whether they touch, for each part of a compound."""

    def with_other(self, other: _Found) -> _Found:
        """Both parts together."""
        return _Found(self.touches or other.touches, max(self.closing, other.closing), (*self.parts, *other.parts))

    def where(self, array: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Point, normal and impulse, from the table of contacts; the point is that of the first part that touches."""
        nearest = next((columns for columns, touches in self.parts if touches), self.parts[0][0])
        points, pushes = array[layout.POINT_WORLD : layout.POINT_WORLD + 3, nearest], array[_PUSH, nearest]
        weights = np.sqrt(np.square(pushes).sum(axis=0)) if pushes.any() else np.ones(points.shape[1])
        normal = array[layout.NORMAL_WORLD : layout.NORMAL_WORLD + 3, self.parts[0][0].start].copy()
        impulse, *others = (array[_PUSH, columns].sum(axis=1) for columns, _touches in self.parts)
        for other in others:
            impulse = impulse + other
        return reading(points @ (weights / weights.sum())), reading(normal), reading(impulse)


class _Change(NamedTuple):
    """What began and what ended since a function was looked at last."""

    touching: tuple[_Pair, ...]
    """What touches now; that of before if it is the same."""
    begun: list[_Pair]
    ended: list[_Pair]

    @classmethod
    def between(cls, before: tuple[_Pair, ...], touching: tuple[_Pair, ...]) -> _Change:
        if touching == before:
            return cls(before, [], [])
        former, now = set(before), set(touching)
        return cls(
            touching,
            [pair for pair in touching if pair not in former],
            [pair for pair in before if pair not in now],
        )


def _by_bodies(now: dict[_Pair, _Found]) -> dict[int, list[_Pair]]:
    """The pairs that touch, in their order, by the identity of each body, and all of them by that of None."""
    found: dict[int, list[_Pair]] = {id(None): []}
    for pair, one in now.items():
        if one.touches:
            found[id(None)].append(pair)
            for shape in pair:
                if shape.body is not None:
                    found.setdefault(id(shape.body), []).append(pair)
    return found
