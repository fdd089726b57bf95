"""Scenes and save games: a world as JSON that people can read and write, with a snapshot for its exact state."""

from __future__ import annotations

import base64
import hashlib
import inspect
import os
import re
import secrets
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import isfinite
from pathlib import Path
from typing import Any, Generic, Protocol, TypeGuard, TypeVar

import numpy as np

from ..body import Body
from ..checks import FloatArray, file_path, naming_file, option, refuse
from ..constraints.layout import LATCH_PHASE, LATCH_SINCE
from ..flight.coast import keep_out_of, set_keep_out
from ..flight.wheel import ReactionWheel
from ..joints.assembly import Assembly
from ..joints.closing import HARD
from ..joints.joint import JOINTS, Joint, type_of
from ..plain import Plain, PlainData, PlainObject, telling, to_text
from ..solids.mass_properties import MassProperties
from ..store.calling import AnyCallback, Callback, default_name, refuse_lambdas, refuse_shared_names
from ..store.objects import Stateful
from ..store.rows import TableRows, columns_of, kept_beside, misfit_of, schema_of, set_field
from ..store.schema import Field, Kind
from ..tick.contact_events import CONTACT_EVENTS
from ..tick.force_list import attributes_of
from ..tick.joint_events import EVENTS
from ..tick.joints import refuse_joints
from .arguments import argument, arguments_in_scene, made_from
from .content import FUNCTIONS, Owners
from .encoding import BUILT_IN, Places, check_attributes, decoded_attribute, encoded_attributes, name_of
from .scene_objects import BODIES, MAKERS, OBJECT_CLASSES, Written, arguments_of, made, to_plain
from .settings import SETTINGS, names_in_scenes, ratio_to_plain, to_scene
from .snapshots import Snapshot, restore

FORMAT = "polhode scene"
VERSION = 1
_OWNER = "World.load"
_MEMBERS = ("part", "force", "shape")
"""What is added to a world and has arguments; joints have rows."""
_CALLED = {"called_forces": 0, **dict.fromkeys(FUNCTIONS, 2), "on_contact": 4}
"""The lists of what the world calls, with the number of things in an entry; 0 for the name alone."""
_PAIRS = ("ignored_pairs", "collision_groups")
_MOTION = ("position", "origin", "orientation", "velocity", "angular_velocity_body")
_BODY_KEYS = ("name", "mass", "inertia_body", "center_of_mass_body", *_MOTION, "stored_momentum_body")
_OPTIONAL = ("keep_out", "shapes", "on_contact", *_PAIRS)
"""What a scene leaves out if there is none."""
_NOT_SCENE = ("scene_sha256", "snapshot")
_HEAD = ("format", "version", "dt", "keep_out", "bodies", "parts", "forces", "joints", "shapes", "memory")
_KEYS = (*_HEAD, *_CALLED, *_PAIRS, *_NOT_SCENE)
_MOST_PENDING = 16
"""How many forces and parts may wait for one another while a scene is loaded; each takes several frames of the stack of Python."""


class Fillable(Protocol):
    """What loading uses of the world that it fills."""

    _owners: Owners

    @property
    def add_body(self) -> Callable[..., Body]: ...
    def add_force(self, force: Any) -> object: ...
    def add_joint(self, joint: Any) -> Any: ...
    def ignore_pair(self, a: Body, b: Body) -> None: ...


Filled = TypeVar("Filled", bound=Fillable)


# from a world to a file


def save(owners: Owners, path: object, snapshot: Snapshot | None, make: Callable[..., Fillable]) -> None:
    """Write a world to a file, which is replaced when everything has been written and read back; see `World.save`.

    Args:
        owners: The owners of the parts of the world.
        path: The file.
        snapshot: The snapshot to add, if any.
        make: Makes a world of a dt, to read back what was written.
    """
    file = file_path(path, "path", "World.save")
    scene, objects = scene_of(owners)
    if snapshot is not None:
        scene["scene_sha256"] = _hash_of(scene)
        scene["snapshot"] = base64.b64encode(snapshot.to_bytes()).decode("ascii")
    lines = [f'"{key}": {_lines(value)}' for key, value in scene.items()]
    content = ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8")
    try:
        with warnings.catch_warnings(action="ignore"):  # of what the world was warned of already
            world_of(make, content, objects, "drop")
    except (TypeError, ValueError) as error:
        rule = "one whose file can be read again"
        refuse("World.save", "the world", owners.store.world(), rule, cause=error, hint=str(error))
    with naming_file(file, "World.save", "written"):
        write_whole(file, content)


def _hash_of(scene: PlainObject) -> str:
    """A hash of a scene alone, by which one that was edited beside its snapshot is recognised."""
    return hashlib.sha256(to_text({key: value for key, value in scene.items() if key not in _NOT_SCENE})).hexdigest()


def _lines(value: PlainData) -> str:
    """JSON with one line per element of a list of objects."""
    text = to_text(value).decode("utf-8")
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"  {to_text(item).decode('utf-8')}" for item in value) + "\n]"
    return text


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under a temporary name and rename it, so that a reader finds the old or the new content.

    A link stays, and so do the permissions of the old file. A device or a pipe is not replaced.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    name = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}")
    try:
        with open(name, "xb") as file:
            with suppress(OSError):
                os.chmod(name, path.stat().st_mode & 0o777)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def scene_of(owners: Owners) -> tuple[PlainObject, dict[str, object]]:
    """A world as plain data, without its tick count, and the classes and objects that it names in forces and parts.

    Raises:
        ValueError: If a force or part has an argument that cannot be written.
    """
    (on_tick, after_tick, on_joint), members = owners.stages.functions, owners.forces.added_as
    parts, keep_out, contacts = members("part"), keep_out_of(owners.store), owners.joints.contacts
    forces = [force for force in members("force") if isinstance(force, TableRows)]
    called = [Callback(force, 1, default_name(force)) for force in owners.forces.called]
    functions: tuple[AnyCallback, ...] = *on_tick, *after_tick, *on_joint, *called
    refuse_lambdas(functions, "World.save")
    refuse_shared_names(functions, "World.save")
    places: dict[int, PlainObject] = {id(part): {"part": place} for place, part in enumerate(parts)}
    places |= {id(force): {"force": place} for place, force in enumerate(forces)}
    written = Written(owners.store.world(), places, {name_of(type(each)): type(each) for each in (*parts, *forces)})

    def listed(kind: str, members: Sequence[TableRows]) -> list[PlainObject]:
        return [_member_to_plain(member, f"{kind}[{place}]", written) for place, member in enumerate(members)]

    names = [body.name for body in owners.bodies.handles]
    scene: PlainObject = {
        "format": FORMAT,
        "version": VERSION,
        "dt": ratio_to_plain(owners.exact_dt),
        **to_scene(owners.settings, "World.save"),
        "keep_out": None if keep_out is None else [list(map(float, keep_out[0])), float(keep_out[1])],
        "bodies": [_body_to_plain(owners, body) for body in owners.bodies.handles],
        "parts": listed("parts", parts),
        "forces": listed("forces", forces),
        "joints": [_joint_to_plain(joint, owners.bodies.tick_count) for joint in members("joint")],
        "shapes": listed("shapes", members("shape")),
        "memory": {
            name: {"dtype": np.dtype(rows.dtype).name, "value": np.asarray(rows).tolist()}
            for name, rows in owners.memory._contents[0].items()
        },
        "called_forces": [force.name for force in called],
        "on_tick": [[each.name, each.every] for each in on_tick],
        "after_tick": [[each.name, each.every] for each in after_tick],
        "on_joint": [[each.name, each.event] for each in on_joint if each.event in EVENTS],
        "on_contact": [
            [each.name, each.event, None if each.body is None else each.body.name, each.above]
            for each in on_joint
            if each.event in CONTACT_EVENTS
        ],
        "ignored_pairs": [[names[int(row)] for row in pair] for pair in contacts.ignored.content().T],
        "collision_groups": [[names[int(row)], int(group)] for row, group in contacts.groups.content().T],
    }
    return {key: value for key, value in scene.items() if value or key not in _OPTIONAL}, written.objects


def _body_to_plain(owners: Owners, body: Body) -> PlainObject:
    dry = body.dry_mass_properties
    plain = {
        "name": body.name,
        "mass": dry.mass,
        "inertia_body": dry.inertia_body.tolist(),
        "center_of_mass_body": dry.center_of_mass_body.tolist(),
    }
    if owners.actuators.row_of(body.index) < 0:
        plain |= {"position": body.position.tolist(), "velocity": body.velocity.tolist()}
    else:  # the mass centre of the ship without propellant, which moves when the tanks are added
        plain |= {"origin": body.origin.tolist(), "velocity": body.velocity_at(dry.center_of_mass_body).tolist()}
    plain["orientation"] = body.orientation.tolist()
    plain["angular_velocity_body"] = body.angular_velocity_body.tolist()
    if not owners.actuators.wheels_of(body.index) and body.stored_momentum_body.any():
        plain["stored_momentum_body"] = body.stored_momentum_body.tolist()
    return plain


def _member_to_plain(member: TableRows, path: str, written: Written) -> PlainObject:
    plain: PlainObject = {"class": name_of(type(member))}
    arguments: dict[str, object] = {}
    defaults = inspect.signature(type(member).__init__).parameters
    for name in arguments_in_scene(type(member)):
        try:
            value = argument(member, name)
        except AttributeError:
            refuse("World.save", path, member, f"a force or part whose argument {name!r} can be read")
        arguments[name] = value
        if value is not None or (name in defaults and defaults[name].default is not None):
            plain[name] = to_plain(value, name, f"{path}.{name}", written)
    for name, attribute in kept_beside(type(member)).items():
        plain[name] = to_plain(getattr(member, attribute), name, f"{path}.{name}", written)
    # the rows hold what cannot be given as an argument: commands, states, and unit vectors to the last bit
    fields = _fields_to_plain(member, columns_of(member), columns_of(made_from(type(member), arguments)))
    return {**plain, "fields": fields} if fields else plain


def _joint_to_plain(joint: Joint, tick_count: int) -> PlainObject:
    """A joint by its rows, because its arguments refer to the poses at the time when it was made."""
    column = columns_of(joint)
    if column[LATCH_PHASE] > HARD:
        column[LATCH_SINCE] -= tick_count  # a scene starts at tick 0
    plain = {
        "class": name_of(type(joint)),
        "body": joint.body.name,
        "other": None if joint.other is None else joint.other.name,
        "fields": {name: row for name, (row,) in _fields_to_plain(joint, column, JOINTS.rest).items()},
    }
    attributes = encoded_attributes(Places((), ()).all_placed(attributes_of(joint), type(joint)))
    return {**plain, "attributes": attributes} if attributes else plain


def _fields_to_plain(member: TableRows, columns: FloatArray, fresh: FloatArray) -> dict[str, list[list[float | str]]]:
    """The values in rows, by field, of the fields that have others than in fresh rows."""
    found = {}
    for field in _written_fields(member):
        own, made = (each[schema_of(member).components[field.name]] for each in (columns, fresh))
        if own.tobytes() != made.tobytes():
            # JSON has no number that is not finite
            found[field.name] = [[each if isfinite(each) else str(each) for each in row] for row in own.T.tolist()]
    return found


def _written_fields(member: TableRows | type[TableRows]) -> list[Field]:
    """The fields that a scene may set: all but references, what kernels write, the momentum that follows from a wheel's speed, and what has
    been measured in ticks before the scene."""
    return [
        field
        for field in schema_of(member).fields
        if not field.refers_to
        and field.kind is not Kind.SCRATCH
        and field.name not in member._counted_in_ticks
        and not (isinstance(member, ReactionWheel) and field.name == "momentum")
    ]


# from a file to a world


def load(make: Callable[..., Filled], path: object, objects: Mapping[str, object], missing: str) -> Filled:
    """Read a file that `save` or a person has written; see `World.load`."""
    option(missing, "missing", _OWNER, ("raise", "drop"))
    if not isinstance(objects, Mapping) or not all(isinstance(name, str) for name in objects):
        rule = "a mapping from names to functions, Python forces and attached objects"
        refuse(_OWNER, "objects", objects, rule, TypeError)
    file = file_path(path, "path", _OWNER)
    with naming_file(file, _OWNER, "read"):
        content = file.read_bytes()
    return world_of(make, content, objects, missing)


def world_of(make: Callable[..., Filled], content: bytes, objects: Mapping[str, object], missing: str) -> Filled:
    """The world of the content of a file.

    Raises:
        ValueError: If it is not that of a scene.
    """
    plain = Plain.of_text(content, _OWNER).only(*_KEYS, *names_in_scenes())
    plain["format"].require(plain["format"].value == FORMAT, repr(FORMAT))
    plain["version"].integer(1, VERSION)
    snapshot = _read_snapshot(plain)
    world = _Loading(make, plain, objects, missing).world
    if snapshot is not None:
        if "scene_sha256" in plain and plain["scene_sha256"].text() != _hash_of(plain.value):
            hint = "delete the key to load the scene as it is now"
            raise ValueError(
                f"{_OWNER}: snapshot must be that of this scene, but the scene has been edited since; {hint}"
            )
        with telling(f"{_OWNER}: snapshot does not fit the scene"):
            restore(world._owners, snapshot, missing, adopt=False)
    return world


def _read_snapshot(plain: Plain) -> Snapshot | None:
    if "snapshot" not in plain:
        return None
    with telling(f"{_OWNER}: snapshot is damaged"):
        return Snapshot.from_bytes(base64.b64decode(plain["snapshot"].text(), validate=True))


class _Loading(Generic[Filled]):
    """The world of a scene, which is filled step by step."""

    def __init__(self, make: Callable[..., Filled], plain: Plain, objects: Mapping[str, object], missing: str) -> None:
        self._objects, self._drops = objects, missing == "drop"
        # what is quick to check comes first, so that most damaged files are rejected before anything is made of them
        bodies = [body.only(*_BODY_KEYS) for body in plain.get("bodies", []).list()]
        self._plain = {kind: plain.get(f"{kind}s", []).list() for kind in _MEMBERS}
        self._kinds = {kind: [self._kind_of(member) for member in self._plain[kind]] for kind in self._plain}
        joints = [(joint, self._kind_of_joint(joint)) for joint in plain.get("joints", []).list()]
        memory = [(name, rows.only("dtype", "value")) for name, rows in plain.get("memory", {}).items()]
        functions = [
            (when, each, self._find(each.list(size)[0] if size else each))
            for when, size in _CALLED.items()
            for each in plain.get(when, []).list()
        ]
        self.world = world = self._empty_world(make, plain)
        self._owners = owners = world._owners
        self._stored: list[tuple[Plain, Body]] = []
        for body in bodies:
            self._add_body(body)
        self._made: dict[tuple[str, int], TableRows] = {}
        self._pending: list[tuple[str, int]] = []
        self._new: list[tuple[str, Plain, TableRows]] = []
        for kind, members in self._plain.items():
            self._make_members(kind, len(members))
        for kind, member_plain, member in self._new:
            with _at(member_plain):
                if kind == "shape":
                    refuse_joints(owners.settings["integrator"], _OWNER)
                    owners.forces.add(member)
                else:
                    getattr(world, f"add_{kind}")(member)
        # after the tanks, which join bodies without stored momentum only
        for body, handle in self._stored:
            with _at(body, "stored_momentum_body"):
                handle.stored_momentum_body = body["stored_momentum_body"].value
        for joint, joint_kind in joints:
            with _at(joint):
                made = self._joint(joint, joint_kind)
                state = made._state
                world.add_joint(made)._state = state
        for name, rows in memory:
            self._add_memory(name, rows)
        for when, each, found in functions:
            if found is not None:
                with _at(each):
                    self._register(when, found, each)
        for pair in plain.get("ignored_pairs", []).list():
            with _at(pair):
                world.ignore_pair(*(self._body(body) for body in pair.list(2)))
        for pair in plain.get("collision_groups", []).list():
            body, group = pair.list(2)
            with _at(pair):
                self._body(body).collision_group = group.value
        for name, thing in objects.items():
            if name not in owners.memory and _is_attachable(thing, owners):
                owners.memory.attach(name, thing)

    def _empty_world(self, make: Callable[..., Filled], plain: Plain) -> Filled:
        """The world without bodies, with its settings."""
        with _at(plain, "dt"):
            world = make(plain["dt"].ratio())
        owners = world._owners
        for name in names_in_scenes():
            if name in plain:
                with _at(plain, name):
                    owners.settings.set(name, SETTINGS[name].read(plain[name]))
        if "keep_out" in plain:
            with _at(plain, "keep_out"):
                set_keep_out(owners.store, plain["keep_out"].value)
        return world

    def _find(self, plain: Plain) -> object:
        name = plain.text()
        if name not in self._objects and not self._drops:
            form = f"World.load(path, objects={{{name!r}: function}})"
            plain.refuse(f'a key of `objects`, as in {form}; or use missing="drop"')
        return self._objects.get(name)

    def _register(self, when: str, function: object, plain: Plain) -> None:
        """Have a function called as a force, in every so many ticks, or when it is to be told of an event."""
        if when == "called_forces":
            self.world.add_force(function)
            return
        name, which, *of_contact = plain.list()
        named = {"body": self._value(of_contact[0], "body"), "above": of_contact[1].value} if of_contact else {}
        getattr(self.world, when)(function, which.value, name=name.text(), **named)

    def _add_body(self, plain: Plain) -> None:
        given = {"mass": plain["mass"].value, "inertia_body": plain["inertia_body"].value}
        motion = {key: [each.value for each in plain[key].list()] for key in _MOTION if key in plain}
        with _at(plain, arguments=_BODY_KEYS):
            center = plain.get("center_of_mass_body", [0.0, 0.0, 0.0]).value
            properties = MassProperties(**given, center_of_mass_body=center, physical=False)
            if properties.is_singular:
                plain["inertia_body"].refuse("an inertia about every axis")
            body = self.world.add_body(properties, name=plain["name"].text(), **motion)
        if "stored_momentum_body" in plain:
            self._stored.append((plain, body))

    def _make_members(self, kind: str, count: int) -> None:
        """Make the first forces or parts of the scene, apart from those that wait for this one; each comes after all that it refers to."""
        for place in range(count):
            if (kind, place) not in self._made and (kind, place) not in self._pending:
                plain = self._plain[kind][place]
                self._pending.append((kind, place))
                self._made[kind, place] = self._member(plain, self._kinds[kind][place])
                self._new.append((kind, plain, self._made[kind, place]))
                self._pending.pop()

    def _member_at(self, kind: str, plain: Plain) -> TableRows:
        """A force or part that another one refers to, and before it all that precede it in the scene."""
        place = plain.integer(0, len(self._plain[kind]) - 1)
        is_free = (kind, place) not in self._pending and len(self._pending) <= _MOST_PENDING
        plain.require(is_free, "the place of one that does not refer back to this one")
        self._make_members(kind, place + 1)
        return self._made[kind, place]

    def _kind_of(self, plain: Plain) -> type[TableRows]:
        """The class of a force, part or shape, which has been found to have the arguments that are given."""
        name = plain["class"].text()
        kind = BUILT_IN.get(name) or self._objects.get(name)
        if not (isinstance(kind, type) and issubclass(kind, TableRows)) or issubclass(kind, Joint):
            plain["class"].refuse(
                "the name of a class of engine.forces, engine.flight or engine.shapes, or a key of `objects` that is a class"
            )
        plain.only("class", *arguments_in_scene(kind), *kept_beside(kind), "fields")
        return kind

    def _kind_of_joint(self, plain: Plain) -> type[Joint]:
        """The class of a joint, which has been found to have the keys that are given."""
        kind = BUILT_IN.get(plain["class"].text())
        if kind is None or not issubclass(kind, Joint):
            plain["class"].refuse("the name of a class of engine.joints")
        in_rows = ("body", "other", "fields", "attributes")
        plain.only("class", *(in_rows if "fields" in plain else arguments_in_scene(kind)))
        return kind

    def _member(self, plain: Plain, kind: type[TableRows]) -> TableRows:
        arguments = {key: self._value(value, key) for key, value in plain.items() if key not in ("class", "fields")}
        beside = {key: arguments.pop(key) for key in kept_beside(kind) if key in arguments}
        with _at(plain, arguments=arguments_in_scene(kind)):
            member = made_from(kind, arguments)
        for key, attribute in kept_beside(kind).items():
            if key in beside:
                self._set_beside(member, attribute, beside[key], plain[key])
        count = columns_of(member).shape[1]
        for name, values in _read_fields(plain.get("fields", {}), member, lambda value: value.list(count)).items():
            set_field(member, name, values)
        return member

    def _joint(self, plain: Plain, kind: type[Joint]) -> Joint:
        """A joint from its rows, or from the arguments of its class at the poses of the scene."""
        if "fields" not in plain:
            arguments = {key: self._value(value, key) for key, value in plain.items() if key != "class"}
            with _at(plain, arguments=arguments_in_scene(kind)):
                make: Callable[..., Joint] = kind
                return make(**arguments)
        other = plain.get("other", None)
        pair = self._body(plain["body"]), None if other.value is None else self._body(other)
        other.require(pair[0] is not pair[1], "a body other than `body`, or null for the world")
        fields, attributes = plain["fields"], plain.get("attributes", {})
        values = {"type": np.array([[float(type_of(kind))]])} | _read_fields(fields, kind, lambda value: [value])
        joint = object.__new__(kind)
        decoded = {name: decoded_attribute(value, 0, 0) for name, value in attributes.items()}
        check_attributes(kind, decoded, _OWNER, attributes.path, is_whole=True)
        for name, value in decoded.items():
            object.__setattr__(joint, name, value)
        TableRows.__init__(joint, [pair], values)
        if misfit := misfit_of(joint, columns_of(joint), [pair], decoded):
            plain["class"].refuse(misfit)
        return joint

    def _set_beside(self, member: TableRows, attribute: str, value: object, plain: Plain) -> None:
        present = getattr(member, attribute)
        if attribute.startswith("_") and type(value) is not type(present):
            plain.refuse(f"a {type(present).__name__}")
        with _at(plain):
            setattr(member, attribute, value)

    def _value(self, plain: Plain, name: str) -> object:
        value = plain.value
        if isinstance(value, str):
            return self._body(plain) if name in BODIES else value
        if isinstance(value, list):
            if all(type(item) is float or type(item) is int for item in value):
                return value
            return [self._value(item, name) for item in plain.list()]
        if isinstance(value, dict):
            return self._made_value(plain)
        return value

    def _made_value(self, plain: Plain) -> object:
        """What an object in a scene stands for: something of the world, or a value with parts."""
        if "class" in plain:
            return self._tool(plain)
        plain.require(len(plain.value) == 1, 'an object with one key, or with the key "class"')
        ((key, inner),) = plain.items()
        if key in self._plain:
            return self._member_at(key, inner)
        if key == "body":
            return self._body(inner)
        if key == "assembly":
            return Assembly(self._body(inner))
        if key == "object":
            inner.require(inner.text() in self._objects, "a key of `objects`")
            return self._objects[inner.text()]
        if key in MAKERS:
            with _at(inner):
                return MAKERS[key](**{part: self._value(item, part) for part, item in inner.items()})
        plain.refuse(f"an object with one of the keys class, body, part, force, assembly, object, {', '.join(MAKERS)}")

    def _tool(self, plain: Plain) -> object:
        """A law, a reference or an allocator."""
        kind = OBJECT_CLASSES[plain["class"].option(OBJECT_CLASSES)]
        wanted = arguments_of(kind)
        plain.only("class", *wanted)
        arguments = {key: self._value(value, key) for key, value in plain.items() if key != "class"}
        with _at(plain, arguments=wanted):
            return made(kind, arguments)

    def _body(self, plain: Plain) -> Body:
        body = self._owners.bodies.by_name.get(plain.text())
        if body is None:
            plain.refuse("the name of a body of the scene")
        return body

    def _add_memory(self, name: str, plain: Plain) -> None:
        value, dtype = plain["value"].value, plain["dtype"].option(("float64", "uint64"))
        with _at(plain, "value"):
            rows = self._owners.memory.add(name, np.asarray(value, dtype=object).shape, dtype)
            rows.value = value


def _is_attachable(thing: object, owners: Owners) -> TypeGuard[Stateful]:
    on_tick, after_tick, _on_joint = owners.stages.functions
    known = [callback.function for callback in (*on_tick, *after_tick)]
    return (
        not isinstance(thing, type)
        and callable(getattr(thing, "get_state", None))
        and not any(thing is other for other in (*known, *owners.forces, *owners.memory.objects.values()))
    )


def _read_fields(
    plain: Plain, member: TableRows | type[TableRows], rows_of: Callable[[Plain], list[Plain]]
) -> dict[str, FloatArray]:
    """The values of fields, shape (size, rows), which keep the rules of these."""
    known, found = {field.name: field for field in _written_fields(member)}, {}
    for name, value in plain.items():
        value.require(name in known, f"one of the fields {', '.join(known)}")
        field = known[name]
        endless = {str(number) for number in np.ravel(field.rest).tolist() if not isfinite(number)}
        rows = [row.list(field.size) for row in rows_of(value)]
        numbers = [[_number_in(each, endless) for each in row] for row in rows]
        found[name] = np.array(numbers).reshape(len(rows), field.size).T
        broken = field.broken_rule(found[name])
        if broken is not None:
            value.refuse(broken)
    return found


def _number_in(plain: Plain, endless: set[str]) -> float:
    """A number, or the text of one that means that there is no limit or no value."""
    return float(plain.value) if isinstance(plain.value, str) and plain.value in endless else plain.number()


@contextmanager
def _at(plain: Plain, key: str = "", arguments: Sequence[str] = ()) -> Iterator[None]:
    """Name the place of a value in errors that do not: that under a key, or that of the argument which the message names."""
    try:
        yield
    except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
        text = str(error)
        words = [*re.findall(r"(\w+)[^:]* must", text), *re.findall(r"\w+", text)]
        key = key or next((word for word in words if word in arguments), "")
        is_there = not arguments or key in plain
        path = ".".join(part for part in (plain.path, key if is_there else "") if part)
        raise ValueError(text if text.startswith(f"{_OWNER}: {path}") else f"{_OWNER}: {path}: {text}") from None
