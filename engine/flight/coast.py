"""Coasting, which jumps over any number of ticks in one call while only a fixed centre of gravity acts on the bodies.

Each body moves along its conic (`kernels.kepler`) or, without gravity, along a straight line, and rotates freely (`kernels.free_rotor`).
Both are exact, so that the jump costs the same for one tick and for a year.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, NonFiniteStateError, components, real, refuse
from ..forces.gravity import PointGravity
from ..forces.valves import THRUSTERS
from ..kernels.conics import least_distance, least_distance_on_a_line
from ..loops.actuator_layout import LEVEL
from ..loops.array_forms import over_arrays
from ..loops.coast import CENTER, GM, GRAVITY_ROWS, coast_loop
from ..loops.floating_point import is_other_mode, refuse_mode
from ..loops.layout import FROZEN, POSITION, PREVIOUS, STATE_ROWS, STORED_MOMENTUM, TICKS, VELOCITY
from ..store.bodies import Bodies
from ..store.calling import Callback
from ..store.rows import BodyHandle
from ..store.schema import ANY, NOBODY, POINT, POSITIVE, Field, Kind, Schema
from ..store.store import CALLING, Store
from ..store.table import Mask, Table

KeepOut = tuple[FloatArray, float]
"""Centre [m], world frame, and radius [m] of a sphere that no path may enter."""
GivenBall = tuple[npt.ArrayLike, float]
"""The same, as given by the user."""

KEEP_OUT = Schema(
    "keep out",
    (
        Field("center", Kind.COMMAND, 3, "m", "world", digest=0, rule=ANY, world_axes=POINT),
        Field("radius", Kind.COMMAND, 1, "m", digest=1, rule=POSITIVE),
    ),
)
"""The sphere that no coasting body may enter, in at most one row."""

_STRAIGHT_DOWN = 1e-12
"""Distance of the periapsis, in units of the distance at the start, below which a path leads into the centre."""
_POSITION, _VELOCITY = slice(POSITION, POSITION + 3), slice(VELOCITY, VELOCITY + 3)


# the sphere to keep out of


def keep_out_of(store: Store) -> KeepOut | None:
    """The sphere that no coasting body may enter; None if there is none."""
    table = store.tables.get(KEEP_OUT.name)
    if table is None or not table.count:
        return None
    return table.read("center")[0].copy(), float(table.read("radius")[0])


def set_keep_out(store: Store, value: object) -> None:
    """Replace the sphere that no coasting body may enter, or remove it with None."""
    row = None
    if value is not None:
        if not isinstance(value, tuple | list) or len(value) != 2:
            refuse("World", "keep_out", value, "a pair (center, radius), or None", TypeError)
        center = components(value[0], "keep_out center", "World")
        row = (*center, real(value[1], "keep_out radius", "World", above=0.0))
    elif KEEP_OUT.name not in store.tables:
        return
    with store.all_or_nothing():
        store.before_change()
        table = store.table(KEEP_OUT)
        table.remove(np.arange(table.count))
        if row is not None:
            table.append_one(row)


# what stands in the way


class Held(Protocol):
    """What a coast uses of the wrenches that are held over a tick."""

    @property
    def pushes(self) -> Table: ...
    @property
    def is_pushed(self) -> bool: ...


class Forces(Protocol):
    """What a coast uses of the list of forces and parts."""

    @property
    def members(self) -> Sequence[object]: ...
    def __iter__(self) -> Iterator[object]: ...


class Freezing(Protocol):
    """What a coast uses of the table of frozen bodies."""

    def mark(self) -> None: ...


class Stages(Protocol):
    """What a coast uses of the functions that ticks call."""

    @property
    def freezing(self) -> Freezing: ...
    @property
    def on_tick(self) -> Sequence[Callback]: ...
    @property
    def after_tick(self) -> Sequence[Callback]: ...


class CoastingWorld(Protocol):
    """What a coast uses of a world."""

    _store: Store
    _bodies: Bodies

    @property
    def _held(self) -> Held: ...
    @property
    def _forces(self) -> Forces: ...
    @property
    def _stages(self) -> Stages: ...
    @property
    def dt(self) -> float: ...
    @property
    def game_mode(self) -> bool: ...


class InTheWay(Exception):
    """The reason why a world cannot coast, as text."""


def find_obstacle(world: CoastingWorld, ticks: int) -> str | None:
    """The reason why a world cannot coast for this many ticks, as text; None if it can."""
    try:
        _states_after(world, ticks)
    except InTheWay as found:
        return str(found)
    return None


def _states_after(world: CoastingWorld, ticks: int) -> FloatArray:
    """The states of all bodies after a coast of this many ticks, shape (13, n); changes nothing.

    Raises:
        InTheWay: If the world cannot coast that far.
    """
    for words in _standing(world):
        raise InTheWay(words)
    world._stages.freezing.mark()  # a body that was frozen may have been freed since the last tick, or one restored that is frozen
    gravity = _gravity(world)
    end = _coasted(world, gravity, ticks)
    _check_path(world, gravity, end, ticks * world.dt)
    return end


def _coasted(world: CoastingWorld, gravity: FloatArray, ticks: int) -> FloatArray:
    """The states of all bodies after this many ticks in this gravity, shape (13, n), without any check."""
    bodies = world._bodies
    states = np.empty((STATE_ROWS, bodies.count))
    coast_loop(bodies.count)(bodies.array, gravity, states, ticks * world.dt)
    frozen = bodies.array[FROZEN, : bodies.count] > 0.0
    states[:, frozen] = bodies.array[:STATE_ROWS, : bodies.count][:, frozen]
    return states


def _standing(world: CoastingWorld) -> Iterator[str]:
    """Every reason not to coast that does not depend on the positions of the bodies."""
    if world.game_mode:
        yield "game mode drops the gyroscopic term"
    bodies = world._bodies
    if world._held.is_pushed:
        row = int(world._held.pushes.array[0, 0])
        yield f"{bodies.handles[row]} is pushed in the next tick"
    for member in world._forces.members:
        if isinstance(member, PointGravity):
            continue
        own = getattr(member, "coast_obstacle", None)
        words = own() if callable(own) else f"the force {_name(member)} acts"
        if words is not None:
            yield words
    stored = bodies.array[STORED_MOMENTUM : STORED_MOMENTUM + 3, : bodies.count].any(axis=0)
    for body in _first(bodies, stored):
        yield f"{body} stores angular momentum"
    for callback in (*world._stages.on_tick, *world._stages.after_tick):
        if getattr(callback.function, "skippable", False) is not True:
            yield f"the callback {_name(callback.function)} has no attribute skippable = True"


def _name(function: object) -> str:
    return str(getattr(function, "__qualname__", repr(function)))


def _gravity(world: CoastingWorld) -> FloatArray:
    """GM and centre of the attraction of each body, shape (4, n)."""
    bodies = world._bodies
    gravity = np.zeros((GRAVITY_ROWS, bodies.count))
    for force in world._forces:
        if not isinstance(force, PointGravity):
            continue
        table = force._table
        rows = force.rows.start + np.flatnonzero(table.read("enabled", force._slice()))
        if not len(rows):
            continue
        if table.read("j2", rows).any():
            raise InTheWay(f"{force!r} has a J2 term, so that orbits around it are not conics")
        named = table.array[0, rows].astype(np.int64)
        columns = np.arange(bodies.count) if NOBODY in named else named
        taken = columns[gravity[GM, columns] > 0.0]
        if len(taken):
            raise InTheWay(
                f"{force!r} is the second point gravity that acts on {bodies.handles[taken[0]]}, and only one may act"
            )
        gravity[GM, columns] = table.read("gm", rows)
        gravity[CENTER:, columns] = table.read("center", rows).T
        at_center = (bodies.array[_POSITION, columns] == gravity[CENTER:, columns]).all(axis=0)
        if at_center.any():
            raise InTheWay(f"{bodies.handles[columns[at_center][0]]} is at the centre of {force!r}")
    return gravity


def _check_path(world: CoastingWorld, gravity: FloatArray, end: FloatArray, seconds: float) -> None:
    """Raise `InTheWay` if a path leads into the `keep_out` sphere, or straight into the centre of gravity."""
    bodies, ball = world._bodies, keep_out_of(world._store)
    start = bodies.array[:STATE_ROWS, : bodies.count]
    gm, centers = gravity[GM], gravity[CENTER:]
    before, attracted = start[_POSITION] - centers, gm > 0.0
    with np.errstate(all="ignore"):  # a state that is not finite is found later
        distance: FloatArray = over_arrays(least_distance)(
            np.where(attracted, gm, 1.0), before, start[_VELOCITY], end[_POSITION] - centers, end[_VELOCITY], seconds
        )
    for body in _first(bodies, attracted & (distance <= _STRAIGHT_DOWN * np.abs(before).max(axis=0, initial=0.0))):
        raise InTheWay(f"{body} falls straight into the centre of gravity")
    if ball is None:
        return
    center, radius = ball[0][:, np.newaxis], ball[1]
    for body in _first(bodies, attracted & (centers != center).any(axis=0)):
        raise InTheWay(f"the gravity on {body} and keep_out have different centres")
    with np.errstate(all="ignore"):
        straight: FloatArray = over_arrays(least_distance_on_a_line)(
            start[_POSITION] - center, start[_VELOCITY], seconds
        )
    for body in _first(bodies, np.where(attracted, distance, straight) < radius):
        raise InTheWay(f"the path of {body} enters keep_out, a sphere of {radius:g} m around {ball[0].tolist()}")


def _first(bodies: Bodies, where: Mask | np.bool_) -> list[BodyHandle]:
    """The first body for which this is true, or none."""
    return [bodies.handles[row] for row in np.flatnonzero(where)[:1]]


# the jump


def jump(world: CoastingWorld, ticks: int) -> None:
    """Jump this many ticks ahead; the world is in the phase of a tick, and the caller undoes the changes if an exception occurs.

    Raises:
        RuntimeError: If the world cannot coast, or the floating-point mode of the thread was changed.
        NonFiniteStateError: If the state after the jump is not finite.
    """
    store, bodies = world._store, world._bodies
    if is_other_mode(bodies.control):
        refuse_mode("World.coast")
    store.enter(CALLING)  # from here on, only this thread may change the world
    try:
        end = _states_after(world, ticks)
        before = _coasted(world, _gravity(world), ticks - 1)
    except InTheWay as found:
        raise RuntimeError(f"World.coast: the world cannot coast for {ticks} ticks: {found}") from None
    for body in _first(bodies, ~np.isfinite(end).all(axis=0)):
        raise NonFiniteStateError(
            f"{body}: its state is not finite after a coast of {ticks} ticks; nothing was changed"
        )
    everybody = slice(0, bodies.count)
    bodies.write(slice(0, STATE_ROWS), everybody, end)
    # the pose is drawn without blending, but an accelerometer measures the change of the velocities in the last tick
    bodies.write(slice(PREVIOUS, PREVIOUS + VELOCITY), everybody, end[:VELOCITY])
    bodies.write(slice(PREVIOUS + VELOCITY, PREVIOUS + STATE_ROWS), everybody, before[VELOCITY:])
    bodies.forget_history()
    thrusters = store.tables.get(THRUSTERS.name)
    if thrusters is not None and thrusters.array[LEVEL, : thrusters.count].any():
        # a valve that shuts at once may still have its level from the end of a pulse
        thrusters.write(LEVEL, slice(0, thrusters.count), 0.0)
    store.record(_set_tick_count, bodies, bodies.tick_count)
    _set_tick_count(bodies, bodies.tick_count + ticks)


def _set_tick_count(bodies: Bodies, count: int) -> None:
    bodies.control[TICKS] = count
