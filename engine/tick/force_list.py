"""The forces and parts of one world, with their addition, their removal, and the rows that belong to each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import compress
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..checks import FloatArray, refuse
from ..flight.part import Part, SampledPart
from ..forces.field_force import FieldForce
from ..forces.spring import Spring
from ..forces.wrench import BodyStates, Wrench
from ..joints.joint import Joint
from ..shapes.handle import ShapeHandle
from ..store.bodies import Bodies
from ..store.calling import check_calls, identity
from ..store.memory import Memory
from ..store.objects import digest_of_value
from ..store.rows import BodyHandle, TableRows
from ..store.store import Store
from ..store.table import IntArray, Table, among
from .culprit import apply_of
from .plan import Apply, Plan
from .stiffness import warn_if_too_stiff


class HasApply(Protocol):
    """An object that is a force because of its method."""

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float, /) -> object: ...


AnyForce = HasApply | Callable[[Wrench, BodyStates, float], object]
"""A `Force`, an object with `apply(wrench, bodies, time)`, or a function of these arguments."""

Member = AnyForce | TableRows
"""A force or a part."""


Attributes = tuple[tuple[str, object], ...]
"""What a member keeps beside its rows, by name."""


class MemberImage(NamedTuple):
    """A force or part with its rows."""

    member: Any
    first_id: int = 0
    last_id: int = 0
    bodies: tuple[tuple[BodyHandle | None, ...], ...] = ()
    """The bodies that each row refers to."""
    attributes: Attributes = ()
    """What the member keeps beside its rows, by name."""

    @property
    def table(self) -> str:
        """The name of its table; empty for a Python force."""
        return self.member._schema.name if isinstance(self.member, TableRows) else ""

    @property
    def several(self) -> frozenset[str]:
        """The fields with one value per row."""
        return self.member._several if isinstance(self.member, TableRows) else frozenset()


MembersImage = tuple[MemberImage, ...]
"""The forces and parts in their order."""


class ForceList:
    """The forces and parts in the order of addition.

    Those of `engine.forces` and `engine.flight` have rows in tables of the store. Other forces are called from Python.

    Attributes:
        on_parts_change: A function that is called with the sampled parts whenever the list of parts has changed.
    """

    def __init__(self, store: Store, bodies: Bodies, plan: Plan, memory: Memory) -> None:
        self._store = store
        self._bodies = bodies
        self._plan = plan
        self._memory = memory
        self._members: dict[tuple[int, ...], Member] = {}
        self._owners: dict[tuple[str, int], TableRows] = {}
        """The force or part that owns a group of rows, by the name of the table and the first id."""
        self._image: MembersImage | None = None
        self._called: tuple[list[tuple[object, Apply]], list[tuple[object, Apply]]] = ([], [])
        """The Python forces of a tick and of its stages, each with its function."""
        self.on_parts_change: Callable[[list[SampledPart]], None] = _ignore
        self._sampled: list[SampledPart] = []

    @property
    def members(self) -> list[Any]:
        """The forces and parts, in the order in which they were added."""
        return list(self._members.values())

    def __iter__(self) -> Iterator[Member]:
        """The objects that add to a wrench, in the order in which they were added."""
        return (member for member in self._members.values() if not isinstance(member, Part | Joint | ShapeHandle))

    def added_as(self, kind: str) -> tuple[Any, ...]:
        """The members that were added as "force", "part" or "joint"."""
        return tuple(member for member in self._members.values() if kind_of(member) == kind)

    def owners_of(self, table: Table, rows: IntArray) -> tuple[Any, ...]:
        """The force, part, joint or shape to which each of these rows of a table belongs."""
        name = table.schema.name
        return tuple(self._owners[name, group] for group in table.groups[rows].tolist())

    @property
    def called(self) -> list[object]:
        """The forces that Python calls, in the order of addition."""
        return [member for member in self._members.values() if not isinstance(member, TableRows)]

    # addition and removal

    def add(self, force: Member) -> None:
        """Add a force or a part.

        Raises:
            TypeError: If `force` is not a force.
            ValueError: If the force is already in this world or in another one, or refers to a body that is not in this world.
        """
        kind = kind_of(force)
        if kind == "force":
            self._check_new(force)
        else:
            self._check_unused(force, f"World.add_{kind}", kind)
        if isinstance(force, Spring):
            plan = self._plan
            warn_if_too_stiff(force, self._bodies, plan.dt, plan.integrator, stacklevel=3)
        store = self._store
        with store.all_or_nothing():
            store.before_change()
            if isinstance(force, TableRows):
                table = store.table(force._schema)
                if isinstance(force, FieldForce):
                    self._plan.fields.include(type(force), table)
                force._attach(table)
                self._own(force)
            else:
                self._memory._join(force)
            store.record(self._forget, force)
            self._members[identity(force)] = force
            self._sort(force)
            if isinstance(force, TableRows):
                force._joined(store.world())

    def remove(self, force: Member, kind: str = "force") -> None:
        """Remove a force or a part; `kind` tells which it must be.

        Raises:
            ValueError: If the force or part is not in this world.
        """
        if identity(force) not in self._members or kind_of(force) != kind:
            refuse(f"World.remove_{kind}", kind, force, f"a {kind} of this world")
        store = self._store
        with store.all_or_nothing():
            store.before_change()
            if isinstance(force, TableRows):
                self._refuse_if_used(force, kind)
                force._leaving(store.world())
                rows, table = np.array(force.rows, np.int64), force._table
                self._let_go(force)
                store.remove_rows(table, rows)
                force._left(store.world())
            else:
                self._memory._leave(force)
            self.drop([force])

    def _refuse_if_used(self, member: TableRows, kind: str) -> None:
        """Reject the removal of what a control loop commands or measures with, or a filter reads, which would go on without it."""
        user = next((part for part in self._sampled if any(each is member for each in part._needed())), None)
        if user is not None:
            hint = f"{user!r} uses it, and must be removed first"
            refuse(f"World.remove_{kind}", kind, member, "one that no control loop or filter uses", hint=hint)

    def check_uses(self) -> None:
        """Check that what control loops command or measure with, and what filters read, is in this list.

        Raises:
            ValueError: If something is not.
        """
        for part in self._sampled:
            for used in part._needed():
                if isinstance(used, TableRows) and identity(used) not in self._members:
                    raise ValueError(f"World.restore: {part!r} uses {used!r}, which the snapshot does not have")

    def remove_rows_of(self, bodies: IntArray) -> list[Member]:
        """Detach the forces that need the bodies in these rows, and return them in the order of addition.

        A force on a list of bodies loses its rows for those bodies. It is detached only if no row remains.
        """
        gone: dict[int, TableRows] = {}
        for name, table in self._store.tables.items():
            for field in table.schema.body_references:
                if not table.count or table.schema.name == "pushes":
                    continue
                doomed = among(table.read(field.name), bodies)
                if not doomed.any():
                    continue
                groups = table.groups[: table.count]
                for group in np.unique(groups[doomed]).tolist():
                    mine = groups == group
                    owner = self._owners.get((name, group))
                    if owner is None:
                        continue
                    if doomed[mine].all():
                        gone[id(owner)] = owner
                    else:
                        self._store.record(setattr, owner, "_bodies", owner._bodies)
                        self._store.record(self.forget_image)
                        self.forget_image()
                        owner._bodies = tuple(compress(owner._bodies, (~doomed[mine]).tolist()))
        for force in gone.values():
            self._let_go(force)
        return [force for force in self._members.values() if id(force) in gone] if gone else []

    def drop(self, forces: list[Member]) -> None:
        """Remove forces from the list after their rows were removed, perhaps together with their bodies."""
        if not forces:
            return
        if self._store.log is not None:
            self._store.record(self.restore_order, dict(self._members))
        for force in forces:
            del self._members[identity(force)]
        self._sort(*forces)

    def restore_order(self, forces: dict[tuple[int, ...], Member]) -> None:
        """Restore a list of forces in its order."""
        self._members = forces
        self._sort()

    def image(self) -> MembersImage:
        """Return the list with the rows of each member, which is shared until it changes."""
        if self._image is None:
            self._image = tuple(
                MemberImage(member, member._first_id, member._last_id, member._bodies, attributes_of(member))
                if isinstance(member, TableRows)
                else MemberImage(member)
                for member in self._members.values()
            )
        return self._image

    def in_another_world(self, image: MembersImage) -> Member | None:
        """The first member of an image that was added to another world since; None if there is none."""
        if self._image is image:
            return None
        for member, *_rest in image:
            # a new one has no table yet
            store = member._table.store if isinstance(member, TableRows) and hasattr(member, "_table") else None
            if store is not None and store is not self._store:
                return member
        return None

    def put(self, image: MembersImage) -> None:
        """Restore the list and the rows of each member; no inverse is recorded. Doing this twice does no harm."""
        if self._image is image:
            return
        members: dict[tuple[int, ...], Member] = {}
        owners: dict[tuple[str, int], TableRows] = {}
        for member, first_id, last_id, bodies, attributes in image:
            members[identity(member)] = member
            if isinstance(member, TableRows):
                table = self._store.table(member._schema)
                if isinstance(member, FieldForce):
                    self._plan.fields.include(type(member), table)
                member._return_to(table, first_id, last_id)
                member._bodies = bodies
                for name, value in attributes:
                    setattr(member, name, value)
                owners[member._schema.name, first_id] = member
        self._members, self._owners = members, owners
        self._sort()
        self._image = image

    def forget_image(self) -> None:
        """Make a new image next time, because a member has changed."""
        self._image = None

    def _own(self, force: TableRows) -> None:
        key = (force._schema.name, force._first_id)
        self._store.record(self._owners.pop, key, None)
        self._owners[key] = force

    def _let_go(self, force: TableRows) -> None:
        key = (force._schema.name, force._first_id)
        self._store.record(self._owners.__setitem__, key, force)
        force._detach(self._bodies.handles)
        del self._owners[key]

    def _forget(self, force: Member) -> None:
        self._members.pop(identity(force), None)
        self._sort(force)

    def _check_new(self, force: Member) -> None:
        rule = "an object with apply(wrench, bodies, time), or a function of these arguments"
        if isinstance(force, type) or not (callable(force) or callable(getattr(force, "apply", None))):
            refuse("World.add_force", "force", force, rule, TypeError)
        if not isinstance(force, TableRows):  # which kernels compute
            check_calls(apply_of(force), "World.add_force", "force", rule, 3)
        _check_energy(force)
        if (evaluate := _evaluate(force)) not in ("tick", "stage"):
            refuse("World.add_force", "force.evaluate", evaluate, "'tick' or 'stage'")
        self._check_unused(force, "World.add_force", "force")

    def _check_unused(self, force: object, owner: str, argument: str) -> None:
        if identity(force) in self._members:
            refuse(owner, argument, force, "one that is not in this world already")
        if isinstance(force, TableRows):
            handles = self._bodies.handles
            for body in force._named_bodies():
                if body.index >= len(handles) or handles[body.index] is not body:
                    refuse(owner, argument, force, f"one on bodies of this world, which {body} is not")
            if force._table.store is not None:
                _ = force.rows  # a force that a restore removed says so
                refuse(owner, argument, force, "one that is not in another world")

    def _sort(self, *changed: Member) -> None:
        """Update what follows from the list; `changed` are the members that came or went, and none if it is another list."""
        self.forget_image()
        members = self._members.values()
        if not changed or not all(isinstance(member, TableRows) for member in changed):
            called = [(force, apply_of(force)) for force in self.called]
            at_tick: list[tuple[object, Apply]] = [pair for pair in called if _evaluate(pair[0]) == "tick"]
            at_stage: list[tuple[object, Apply]] = [pair for pair in called if _evaluate(pair[0]) == "stage"]
            self._called = at_tick, at_stage
        self._plan.call_forces(*self._called)
        if not changed or any(_is_sampled(member) for member in changed):
            self._sampled = [member for member in members if isinstance(member, SampledPart)]
            chosen: list[Any] = [member for member in members if _is_sampled(member)]
            self.on_parts_change(chosen)

    # properties of the forces

    def potential_energies(self) -> list[FloatArray]:
        """Return the energies [J] of the forces that have a potential, each of shape (n,).

        Raises:
            TypeError: If a force's `potential_energy(bodies)` returned anything else.
        """
        bodies = BodyStates(self._bodies, self._bodies.array)
        found = []
        for force in self:
            energy = getattr(force, "potential_energy", None)
            if not callable(energy):
                continue
            values = energy(bodies)
            if not isinstance(values, np.ndarray) or values.shape != (bodies.count,) or values.dtype.kind not in "fiu":
                rule = f"an array of {bodies.count} energies [J], one per body"
                refuse(f"{force!r}.potential_energy(bodies)", "the result", values, rule, TypeError)
            found.append(values)
        return found


def digest_of_members(image: MembersImage) -> Iterator[bytes]:
    """What the tables do not contain of forces and parts, for the state hash.

    These are the classes of Python forces in their order, and what was fixed when a sampled part was made: its interval, its numbers, and
    the parameters of its law and its reference.
    """
    for member, _first, _last, _bodies, attributes in image:
        if not isinstance(member, TableRows):
            yield type(member).__name__.encode()
        elif isinstance(member, SampledPart):
            yield type(member).__name__.encode()
            for name, value in attributes:
                if name == "_allocator":
                    if lost := getattr(value, "stuck_levels", ()):
                        yield from digest_of_value(lost)
                elif name not in _NOT_HASHED:
                    yield name.encode()
                    yield from digest_of_value(value)


_NOT_HASHED = ("_name", "_schema", "_actuators")
"""Attributes of sampled parts that decide nothing, that the tables say, or that may remember: their memory is in the tables."""


def _is_sampled(member: object) -> bool:
    """Whether a member runs in Python at the start of ticks: a sampled part, or a force that a function of the user decides."""
    return isinstance(member, SampledPart) or bool(getattr(member, "_is_sampled", False))


def kind_of(member: object) -> str:
    """Whether a member is a "force", a "part" or a "joint"."""
    return member._kind_of_member if isinstance(member, TableRows) else "force"


def attributes_of(member: TableRows) -> Attributes:
    """What a member keeps beside its rows, such as the tank of a thruster, or the law of a control loop, which may be exchanged."""
    names = [name for kind in type(member).__mro__ if kind is not TableRows for name in vars(kind).get("__slots__", ())]
    if hasattr(type(member), "_allocator"):  # of a control loop, whose jets may be lost in flight
        names.append("_allocator")
    return tuple((name, getattr(member, name)) for name in names if hasattr(member, name))


def _ignore(parts: list[SampledPart]) -> None:
    pass


def _check_energy(force: object) -> None:
    """Reject a force whose method has the name of the one that a world calls for the potential energy, but other arguments."""
    energy = getattr(force, "potential_energy", None)
    if isinstance(force, TableRows) or not callable(energy):
        return
    try:
        inspect.signature(energy).bind(None)
    except ValueError:  # it says nothing of its arguments
        return
    except TypeError:
        rule = "a method potential_energy(bodies), which returns the energy [J] of each body"
        refuse(
            "World.add_force",
            "force.potential_energy",
            energy,
            rule,
            TypeError,
            hint="give any other method another name",
        )


def _evaluate(force: object) -> str:
    return getattr(force, "evaluate", "stage")
