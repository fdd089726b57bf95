"""Copies of a world by `copy.deepcopy` or pickle, which contain everything that determines its future."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..body import Body, new_body
from ..checks import refuse
from ..integrators import Extrapolated
from ..store.calling import Callback, called_object, check_calls, find_reached, identity
from ..store.memory import Memory, MemoryRows
from ..store.rows import TableRows
from ..store.schema import NOBODY
from ..store.store import refuse_other_thread
from ..store.table import Table
from ..store.views import TableView
from ..tick.joint_events import JointCallback
from .encoding import own_slots

if TYPE_CHECKING:
    from ..world import World

_FORM = 'look it up in the world that is passed in: `def control(world): ship = world.body("ship")`'


def image_of(world: World, replaced: Mapping[tuple[int, ...], Any] = MappingProxyType({})) -> dict[str, Any]:
    """Return the content for a copy.

    Args:
        world: The world.
        replaced: The functions and objects to leave out, by identity; None stands in their places.

    Raises:
        RuntimeError: If another thread steps this world.
        ValueError: If a callback or a Python force refers to a handle of this world, so that the copy would change the original.
    """
    if not world._store.is_idle and not world._store.is_calling_here:
        refuse_other_thread("a copy of the world")
    called = [force for force in world._forces if not isinstance(force, TableRows)]
    stages = world._stages
    callbacks = stages.callbacks()
    for callback in callbacks:
        if identity(callback.function) not in replaced:
            _check(world, callback.function, "the callback")
    for force in called:
        if identity(force) not in replaced:
            _check(world, force, "the force")
    memory = _without(
        world._memory._image(),
        [thing for thing in (*(callback.function for callback in callbacks), *called) if identity(thing) in replaced],
    )
    for name, object in memory["objects"].items():
        _check(world, object, f"the attached object {name!r},")
    store = world._store
    members = world._forces.members
    tokens = {"bodies": [_Token() for _ in world._bodies.handles], "members": [_Token() for _ in members]}
    handles = zip((*world._bodies.handles, *members), (*tokens["bodies"], *tokens["members"]), strict=True)
    memo = {id(handle): token for handle, token in handles}
    return {
        "dt": world._exact_dt,
        "threads": world._threads,
        "clock": world._clock._image(),
        "settings": (world._settings.values, world._settings.beside),
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
        "members": _member_images([None if identity(member) in replaced else member for member in members], memo),
        "tokens": tokens,
        "callbacks": [_callback_image(callback, replaced) for callback in world._stages.on_tick],
        "after_tick": [_callback_image(callback, replaced) for callback in world._stages.after_tick],
        "on_joint": [_joint_callback_image(callback, replaced) for callback in stages.joint_events.functions],
        "memory": memory,
    }


def fork(world: World, callbacks: str | Mapping[Any, Any]) -> World:
    """Return an independent copy of a world; see `World.fork`."""
    stages = world._stages
    called = [callback.function for callback in stages.callbacks()]
    replaced: dict[tuple[int, ...], Any] = {}
    if isinstance(callbacks, Mapping):
        known = {identity(function) for function in (*called, *world.forces) if not isinstance(function, TableRows)}
        for old, new in callbacks.items():
            if identity(old) not in known:
                refuse("World.fork", "each key of callbacks", old, "a callback or a Python force of this world")
            check_calls(new, "World.fork", "callbacks", "functions as values")
            if not (callable(new) or callable(getattr(new, "apply", None))):
                refuse("World.fork", "each value of callbacks", new, "a function or a Python force", TypeError)
            replaced[identity(old)] = new
    elif not isinstance(callbacks, str) or callbacks not in ("raise", "drop"):
        rule = "'raise', 'drop', or a mapping from old to new functions"
        refuse("World.fork", "callbacks", callbacks, rule, ValueError if isinstance(callbacks, str) else TypeError)
    elif callbacks == "drop":
        replaced = dict.fromkeys(map(identity, called))
    image = copy.deepcopy(image_of(world, replaced))
    lists: dict[str, Sequence[Callback | JointCallback]] = {
        "callbacks": stages.on_tick,
        "after_tick": stages.after_tick,
        "on_joint": stages.joint_events.functions,
    }
    for name, listed in lists.items():
        _fill_in(image[name], [replaced.get(identity(callback.function)) for callback in listed])
    members = [replaced.get(identity(member)) for member in world._forces.members]
    image["members"] = [new if old is None else old for old, new in zip(image["members"], members, strict=True)]
    forked: World = object.__new__(type(world))
    restore(forked, image)
    for new in replaced.values():
        if new is not None:
            forked._memory._join(new)
    return forked


def _fill_in(callbacks: list[Any], new: list[Any]) -> None:
    """Put new functions in the places of those that were left out, and drop the places without a new one."""
    pairs = zip(list(callbacks), new, strict=True)
    callbacks[:] = [(old[0] or other, *old[1:]) for old, other in pairs if (old[0] or other) is not None]


def _callback_image(callback: Callback, replaced: Mapping[tuple[int, ...], Any]) -> tuple[Any, int, str]:
    function = None if identity(callback.function) in replaced else callback.function
    return function, callback.every, callback.name


def _joint_callback_image(callback: JointCallback, replaced: Mapping[tuple[int, ...], Any]) -> tuple[Any, str, str]:
    function = None if identity(callback.function) in replaced else callback.function
    return function, callback.event, callback.name


def _without(memory: dict[str, Any], left_out: list[Any]) -> dict[str, Any]:
    """The content of a memory without the objects that have joined with these functions and forces only."""
    for function in left_out:
        owner = called_object(function)
        for name in [name for name in memory["joined"] if memory["objects"][name] is owner]:
            memory["joined"][name] -= 1
            if not memory["joined"][name]:
                del memory["joined"][name], memory["objects"][name]
    return memory


def restore(world: World, image: dict[str, Any]) -> None:
    """Fill a world that was created without being initialised."""
    clock = image["clock"]
    world.__init__(image["dt"], threads=image["threads"])  # type: ignore[misc]
    world._clock._restore(clock)
    values, world._settings.beside = image["settings"]
    world._settings.put(values)
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
            if isinstance(world.integrator, Extrapolated):
                world.integrator.follow(bodies)
        elif schema.name != bodies.schema.name:
            _fill(store.table(schema), content, ids, groups, next_id)
    bodies.control[:] = image["control"]
    bodies.look_for_stored_momentum()
    world._held._push_tick = image["push_tick"]
    world._memory._restore(image["memory"])
    tokens = image["tokens"]
    for member in _members_from(world, image["members"], tokens["bodies"], tokens["members"]):
        world._forces.take(member)
    world._stages.on_tick = [Callback(*pair) for pair in image["callbacks"]]
    world._stages.joint_events.functions = [JointCallback(*pair) for pair in image["on_joint"]]
    world._stages.after_tick = [Callback(*pair) for pair in image["after_tick"]]


class _MemberImage:
    """A force or a part without its rows, which are in the tables of the world; tokens replace the handles in its other attributes."""

    def __init__(self, kind: type[TableRows], ids: dict[str, Any], attributes: dict[str, Any]) -> None:
        self.kind = kind
        self.ids = ids
        self.attributes = attributes


class _Token:
    """The place of a handle in the image of a world."""


def _member_images(members: list[Any], memo: dict[int, Any]) -> list[Any]:
    """Images of the forces and parts; `memo` has the token of each handle by its id."""
    images = []
    for member in members:
        if isinstance(member, TableRows):
            ids = {name: getattr(member, name) for name in ("_first_id", "_last_id", "_several")}
            attributes = {name: getattr(member, name) for name in own_slots(type(member)) if hasattr(member, name)}
            images.append(_MemberImage(type(member), ids, copy.deepcopy(attributes, dict(memo))))
        else:
            images.append(member)
    return images


def _members_from(world: World, images: list[Any], body_tokens: list[_Token], tokens: list[_Token]) -> list[Any]:
    """The forces and parts of a copy, whose tables are filled."""
    handles = world._bodies.handles
    members = [object.__new__(image.kind) if isinstance(image, _MemberImage) else image for image in images]
    memo: dict[int, Any] = {id(token): body for token, body in zip(body_tokens, handles, strict=True)}
    memo.update({id(token): member for token, member in zip(tokens, members, strict=True)})
    for member, image in zip(members, images, strict=True):
        if isinstance(image, _MemberImage):
            for name, value in copy.deepcopy(image.attributes, dict(memo)).items():
                object.__setattr__(member, name, value)
            member._several = image.ids["_several"]
            table = world._store.table(member._schema)
            member._return_to(table, image.ids["_first_id"], image.ids["_last_id"])
            rows, references = member._slice(), member._schema.body_references
            named = zip(*(table.read(field.name, rows).astype(int).tolist() for field in references), strict=True)
            member._bodies = tuple(tuple(None if row == NOBODY else handles[row] for row in each) for each in named)
    return members


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
            f"World: this world cannot be copied, because {what} {name} refers to a handle of this world ({path}), "
            f"so that the copy would change the original; {_FORM}"
        )


def _belongs(thing: Any, world: World) -> bool:
    if isinstance(thing, Body):
        return thing._world is world
    if isinstance(thing, TableRows):
        return thing._table.store is world._store
    if isinstance(thing, MemoryRows):
        return thing._table.store is world._store
    if isinstance(thing, Memory | TableView):
        return thing._store is world._store
    if isinstance(thing, np.ndarray):  # a view of the state
        return bool(np.may_share_memory(thing, world._bodies.array))
    return thing is world or thing is world._state or thing is world._model
