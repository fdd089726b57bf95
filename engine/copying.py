"""Copies of a world by `copy.deepcopy` or pickle, which contain everything that determines its future."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .body import Body, new_body
from .forces.force import TableForce
from .integrators import Extrapolated
from .store.calling import Callback, find_reached
from .store.memory import Memory, MemoryRows
from .store.schema import NOBODY
from .store.store import BETWEEN_TICKS, refuse_other_thread
from .store.table import Table
from .store.views import TableView

if TYPE_CHECKING:
    from .world import World

_FORM = 'look it up in the world that is passed in: `def control(world): ship = world.body("ship")`'


def image_of(world: World) -> dict[str, Any]:
    """Return the content for a copy.

    Raises:
        RuntimeError: Another thread steps this world.
        ValueError: A callback or a Python force reaches a handle of this world, so that the copy would change the original.
    """
    if world._store.phase is not BETWEEN_TICKS and not world._store.is_calling_here:
        refuse_other_thread("a copy of the world")
    called = [force for force in world._forces if not isinstance(force, TableForce)]
    for callback in (*world._stages.on_tick, *world._stages.after_tick):
        _check(world, callback.function, "the callback")
    for force in called:
        _check(world, force, "the force")
    for name, object in world._memory.objects.items():
        _check(world, object, f"the attached object {name!r},")
    store = world._store
    return {
        "dt": world._exact_dt,
        "threads": world._threads,
        "clock": world._clock,
        "paused": world._paused,
        "integrator": world._integrator,
        "game_mode": world._game_mode,
        "coasting": world._coasting,
        "control": world._bodies.control.copy(),
        "tables": [
            (
                table.schema,
                table.content(),
                table.ids[: table.count].copy(),
                table.groups[: table.count].copy(),
                table._next_id,
            )
            for table in store.tables.values()
        ],
        "names": [body.name for body in world._bodies.handles],
        "mass_properties": list(world._bodies.mass_properties),
        "push_tick": world._held._push_tick,
        "forces": [_force_image(force) for force in world._forces],
        "callbacks": [(callback.function, callback.every) for callback in world._stages.on_tick],
        "after_tick": [(callback.function, callback.every) for callback in world._stages.after_tick],
        "memory": world._memory.image(),
    }


def restore(world: World, image: dict[str, Any]) -> None:
    """Fill a world that was created without being initialised."""
    clock = image["clock"]
    world.__init__(  # type: ignore[misc]
        image["dt"], integrator=image["integrator"], game_mode=image["game_mode"], threads=image["threads"]
    )
    world._clock, world._paused, world._coasting = clock, image["paused"], image["coasting"]
    store, bodies = world._store, world._bodies
    for schema, content, ids, groups, next_id in image["tables"]:
        if schema.name == bodies.schema.name:
            _fill(bodies, content, ids, groups, next_id)
            bodies.handles[:] = [
                new_body(world, bodies, int(id), name) for id, name in zip(ids, image["names"], strict=True)
            ]
            bodies.mass_properties[:] = image["mass_properties"]
            world._names.update((body.name, body) for body in bodies.handles)
    for schema, content, ids, groups, next_id in image["tables"]:
        if schema.follows:
            bodies.history_array()[:, : bodies.count] = content
            if isinstance(world._integrator, Extrapolated):
                world._integrator.follow(bodies)
        elif schema.name != bodies.schema.name:
            _fill(store.table(schema), content, ids, groups, next_id)
    bodies.control[:] = image["control"]
    bodies.look_for_stored_momentum()
    world._held._push_tick = image["push_tick"]
    world._memory.restore(image["memory"])
    for force in image["forces"]:
        world._forces.take(_force_from(world, force) if isinstance(force, _ForceImage) else force)
    world._stages.on_tick = [Callback(*pair) for pair in image["callbacks"]]
    world._stages.after_tick = [Callback(*pair) for pair in image["after_tick"]]


class _ForceImage:
    """A force of `engine.forces` without its rows, which are in the tables of the world."""

    def __init__(self, kind: type[TableForce], values: dict[str, Any]) -> None:
        self.kind = kind
        self.values = values


def _force_image(force: Any) -> Any:
    if not isinstance(force, TableForce):
        return force
    values = {name: getattr(force, name) for name in ("_first_id", "_last_id", "_several", *_own_slots(type(force)))}
    return _ForceImage(type(force), values)


def _own_slots(kind: type[TableForce]) -> tuple[str, ...]:
    return tuple(name for base in kind.__mro__ if base is not TableForce for name in vars(base).get("__slots__", ()))


def _force_from(world: World, image: _ForceImage) -> TableForce:
    force: TableForce = object.__new__(image.kind)
    for name, value in image.values.items():
        object.__setattr__(force, name, value)
    table = world._store.table(force._schema)
    force._return_to(table, image.values["_first_id"], image.values["_last_id"])
    handles, rows = world._bodies.handles, force._slice()
    references = [table.read(field.name, rows).astype(int).tolist() for field in force._schema.references]
    force._bodies = tuple(
        tuple(None if row == NOBODY else handles[row] for row in named) for named in zip(*references, strict=True)
    )
    return force


def _fill(table: Table, content: Any, ids: Any, groups: Any, next_id: int) -> None:
    table.append(content)
    table.ids[: table.count], table.groups[: table.count] = ids, groups
    table._next_id = next_id
    table.numbering += 1


def _check(world: World, function: Any, what: str) -> None:
    path = find_reached(function, lambda thing: _belongs(thing, world))
    if path is not None:
        name = getattr(function, "__qualname__", None) or repr(function)
        raise ValueError(
            f"World: it cannot be copied, because {what} {name} refers to a handle of this world ({path}), "
            f"so that the copy would change the original; {_FORM}"
        )


def _belongs(thing: Any, world: World) -> bool:
    if isinstance(thing, Body):
        return thing._world is world
    if isinstance(thing, TableForce):
        return thing._table.store is world._store
    if isinstance(thing, MemoryRows):
        return thing._table.store is world._store
    if isinstance(thing, Memory | TableView):
        return thing._store is world._store
    if isinstance(thing, np.ndarray):  # a view of the state
        return bool(np.may_share_memory(thing, world._bodies.array))
    return thing is world or thing is world._state or thing is world._model
