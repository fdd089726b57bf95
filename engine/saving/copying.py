"""Copies of a world by `World.fork`, `copy.deepcopy` or pickle, which contain everything that determines its future."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ..body import Body
from ..checks import refuse
from ..store.calling import AnyCallback, called_object, check_calls, find_reached, identity
from ..store.memory import Memory, MemoryRows
from ..store.model import Model
from ..store.rows import TableRows
from ..store.state import State
from ..store.store import refuse_other_thread
from ..store.views import TableView
from .content import Owners
from .encoding import Places
from .plain_content import PlainContent, bind, plain_of
from .settings import Values

_FORM = 'look it up in the world that is passed in: `def control(world): ship = world.body("ship")`'


class Image(NamedTuple):
    """What a copy is made of."""

    plain: PlainContent
    threads: int
    beside: Values
    """The settings that are no content."""
    prepared_for: tuple[int, bool] | None = None
    """The capacity for bodies and whether these store momentum, for which the world was prepared; None if it was not."""


def image_of(owners: Owners, replaced: Mapping[tuple[int, ...], object] = MappingProxyType({})) -> Image:
    """Return what a copy is made of, without a handle of the world.

    Args:
        owners: The owners of the parts of the world.
        replaced: The functions and objects to replace, by identity, with what takes their places, or with None to leave them out.

    Raises:
        RuntimeError: If another thread steps this world.
        ValueError: If a callback or a Python force refers to a handle of this world, so that the copy would change the original.
    """
    store, stages = owners.store, owners.stages
    if not store.is_idle and not store.is_calling_here:
        refuse_other_thread("a copy of the world")
    callbacks = stages.callbacks()
    called = [(callback.function, "the callback") for callback in callbacks]
    called += [(force, "the force") for force in owners.forces.called]
    plain = plain_of(owners.give({}), owners.exact_dt)
    for function, what in called:
        if identity(function) in replaced:
            _detach(plain, function)
        else:
            _check(owners, function, what)
    for name, object in plain.objects.items():
        _check(owners, object, f"the attached object {name!r},")
    functions = {when: _exchanged(each, replaced) for when, each in plain.functions.items()}
    # what forces and parts keep beside their rows may hold handles at any depth, such as a law that knows an assembly
    memo = Places(owners.bodies.handles, owners.forces.members).memo
    members = tuple(
        member._replace(attributes=copy.deepcopy(member.attributes, dict(memo)))
        if member.table
        else member._replace(kind=replaced.get(identity(member.kind), member.kind))
        for member in plain.members
    )
    bodies, is_prepared = owners.bodies, stages.policy.is_prepared
    prepared_for = (bodies.capacity, bodies.stores_momentum) if is_prepared else None
    made = plain._replace(functions=functions, members=members)
    return Image(made, owners.threads, owners.settings.beside, prepared_for)


def fill(owners: Owners, image: Image) -> None:
    """Have what a copy is made of in a new world."""
    owners.settings.put(owners.settings.values, image.beside)
    # the kernels that were prepared are for the room that the original has, and not for that of its present bodies
    if image.prepared_for is not None:
        capacity, stores_momentum = image.prepared_for
        owners.bodies.make_room(capacity)
        if stores_momentum:
            owners.bodies.expect_wheels()
        owners.stages.policy.is_prepared = True
    owners.take(bind(owners, image.plain, "raise", "World", is_copy=True), owners.moment())


def forked(owners: Owners, callbacks: str | Mapping[object, object]) -> tuple[Image, list[object]]:
    """Return what an independent copy is made of, and the new functions and forces in it; see `World.fork`."""
    called = [callback.function for callback in owners.stages.callbacks()]
    replaced: dict[tuple[int, ...], object] = {}
    if isinstance(callbacks, Mapping):
        known = {*map(identity, (*called, *owners.forces.called))}
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
    new = [each for each in replaced.values() if each is not None]
    return copy.deepcopy(image_of(owners, replaced), {id(each): each for each in new}), new


def _exchanged(
    callbacks: tuple[AnyCallback, ...], replaced: Mapping[tuple[int, ...], object]
) -> tuple[AnyCallback, ...]:
    """The callbacks with other functions, without those that are left out."""
    now = [replace(each, function=replaced.get(identity(each.function), each.function)) for each in callbacks]
    return tuple(each for each in now if each.function is not None)


def _detach(plain: PlainContent, function: object) -> None:
    """Leave out the object that has joined with this function or force only."""
    owner = called_object(function)
    for name in [name for name in plain.joined if plain.objects[name] is owner]:
        plain.joined[name] -= 1
        if not plain.joined[name]:
            del plain.joined[name], plain.objects[name]


def _check(owners: Owners, function: object, what: str) -> None:
    path = find_reached(function, lambda thing: _belongs(thing, owners))
    if path is not None:
        name = getattr(function, "__qualname__", None) or repr(function)
        raise ValueError(
            f"World: this world cannot be copied, because {what} {name} refers to a handle of this world ({path}), "
            f"so that the copy would change the original; {_FORM}"
        )


def _belongs(thing: object, owners: Owners) -> bool:
    world, store = owners.store.world(), owners.store
    if isinstance(thing, Body):
        return thing.world is world
    if isinstance(thing, TableRows | MemoryRows):
        return thing._table.store is store
    if isinstance(thing, Memory | TableView):
        return thing._store is store
    if isinstance(thing, np.ndarray):  # a view of the state
        return bool(np.may_share_memory(thing, owners.bodies.array))
    return thing is world or (
        isinstance(thing, State | Model) and thing is (world.state, world.model)[isinstance(thing, Model)]
    )
