"""Expectations: one row per public name, with one kind per argument. A name without a row fails the test."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine import (
    Clock,
    DesyncError,
    MassProperties,
    Recorder,
    Rewind,
    Rollback,
    Snapshot,
    World,
    diagnostics,
    flight,
    forces,
    integrators,
    joints,
    rotation,
    shapes,
)
from engine.flight import control, orbit

from .kinds import (
    ANYTHING,
    AT_LEAST_ZERO,
    CALLABLE,
    DIRECTION,
    NAME,
    OBJECT,
    POSITIVE,
    POSITIVE_VECTOR,
    QUATERNION,
    REAL,
    SHARE,
    STACK,
    SWITCH,
    VECTOR,
    Kind,
    arrays,
    count,
    either,
    rows,
)
from .scene import AXES, FIELD, MEASURED, PORTS, SOLID, At, Wind, gusts, on_tick

LEFT_OUT = object()
"""An argument that is not passed unless it is the one under test."""


@dataclass(frozen=True)
class Argument:
    """What an argument takes, and its value while another argument is under test."""

    kind: Kind | None
    valid: Any = LEFT_OUT
    others: dict[str, Any] = field(default_factory=dict)
    """Values of the other arguments while this one is under test."""


@dataclass(frozen=True)
class Row:
    """How to make valid calls of a public name."""

    target: Callable[[Any], Any]
    """Finds the function in the scene; for a setter, the object."""
    arguments: dict[str, Argument]
    owner: str
    """What a message has to name, besides what its class is called."""
    changes: bool
    """Whether an accepted call may change the worlds."""
    is_setter: bool = False


ROWS: dict[str, Row] = {}
EXEMPT: dict[str, str] = {}
"""Public names whose arguments are not checked, and why."""


def arg(kind: Kind | None, valid: Any = LEFT_OUT, **others: Any) -> Argument:
    """An argument of a row."""
    return Argument(kind, valid, others)


def made(name: str, kind: Any, owner: str = "", /, **arguments: Argument) -> None:
    """A constructor or a function, which changes nothing."""
    ROWS[name] = Row(lambda scene: kind, arguments, owner, changes=False)


def method(
    name: str, find: Callable[[Any], Any], owner: str = "", /, *, changes: bool = True, **arguments: Argument
) -> None:
    """A method of something in the scene."""
    attribute = name.rpartition(".")[2]
    ROWS[name] = Row(lambda scene: getattr(find(scene), attribute), arguments, owner, changes)


def setters(find: Callable[[Any], Any], owner: str, prefix: str, /, **kinds: Kind | None) -> None:
    """Attributes of something in the scene."""
    for name, kind in kinds.items():
        ROWS[f"{prefix}.{name}"] = Row(find, {name: Argument(kind)}, owner, changes=True, is_setter=True)


def exempt(reason: str, *names: str) -> None:
    """Public names whose arguments are not checked."""
    EXEMPT.update(dict.fromkeys(names, reason))


SHIP, TUG = At(lambda s: s.ship), At(lambda s: s.tug)
WORLD = At(lambda s: s.world)
FILE = Kind("a path").accepting("text", "empty text", "5000 characters", "an object")
NAMED = NAME.optional
BODIES = Kind("bodies").optional
NOTHING = {"empty", "dict", "set", "keys"}
PATH = Kind("a path to a file").failing_with(OSError).accepting("text")
EVERY, DELAY = count(1), count(0)
AT_LEAST_ZERO_OR_NONE = AT_LEAST_ZERO.optional

# the world

made(
    "World",
    World,
    dt=arg(POSITIVE.loosely, 0.1),
    integrator=arg(OBJECT.optional),
    game_mode=arg(SWITCH),
    max_ticks_per_frame=arg(count(1)),
    coasting=arg(SWITCH),
    keep_out=arg(OBJECT.optional),
    threads=arg(count(1)),
    on_non_finite=arg(OBJECT),
    compilation=arg(OBJECT),
)
setters(
    lambda s: s.world,
    "World",
    "World",
    coasting=SWITCH,
    compilation=OBJECT,
    game_mode=SWITCH,
    integrator=OBJECT,
    keep_out=OBJECT.optional,
    max_ticks_per_frame=count(1),
    paused=SWITCH,
    time_scale=AT_LEAST_ZERO.loosely,
)
_PLACE = {
    "position": arg(VECTOR.optional),
    "origin": arg(VECTOR.optional),
    "orientation": arg(QUATERNION),
    "velocity": arg(VECTOR),
    "angular_velocity_body": arg(VECTOR.optional),
    "angular_velocity_world": arg(VECTOR.optional),
}
method("World.add_body", lambda s: s.world, "body", mass_properties=arg(OBJECT, SOLID), name=arg(NAMED), **_PLACE)


def _of_two(size: int, sample: Any) -> Kind:
    many = arrays(2, size, sample=[sample, sample])
    return Kind(
        many.rule,
        many.sample,
        lambda x: x.shape in ((size,), (2, size)) and (size == 3 or bool((abs((x * x).sum(-1) - 1) < 1e-6).all())),
    )


_TWO, _TWO_TURNS = _of_two(3, [1.0, 2.0, 3.0]), _of_two(4, [0.0, 0.0, 0.0, 1.0])
method(
    "World.add_bodies",
    lambda s: s.world,
    mass_properties=arg(OBJECT.accepting("empty"), [SOLID, SOLID], position=LEFT_OUT),
    position=arg(_TWO.optional),
    names=arg(OBJECT.optional),
    origin=arg(_TWO.optional),
    orientation=arg(_TWO_TURNS),
    velocity=arg(_TWO),
    angular_velocity_body=arg(_TWO.optional),
    angular_velocity_world=arg(_TWO.optional),
)
method("World.add_force", lambda s: s.world, force=arg(CALLABLE, forces.LinearDrag(0.5)))
method("World.add_joint", lambda s: s.jointed, joint=arg(OBJECT, LEFT_OUT))
LAYERS = OBJECT.accepting("empty", "integer array", "range", "dict")
_PLACED = {
    "position": arg(VECTOR),
    "orientation": arg(QUATERNION),
    "material": arg(OBJECT, shapes.Material()),
    "layer": arg(count(0, 63).loosely),
    "collides_with": arg(LAYERS, shapes.ALL),
    "sensor": arg(SWITCH),
    "name": arg(NAMED),
    "allow_overlap": arg(SWITCH),
}
method(
    "World.add_shape",
    lambda s: s.jointed,
    shape=arg(OBJECT, shapes.Box((1, 1, 1))),
    **_PLACED,
    velocity=arg(VECTOR),
    angular_velocity_world=arg(VECTOR),
)
method("Body.add_shape", lambda s: s.linked[0], shape=arg(OBJECT, shapes.Box((1, 1, 1))), **_PLACED)
_WAY = {
    "origins": arg(rows(3), (0.0, 0.0, 5.0)),
    "directions": arg(rows(3), (0.0, 0.0, -1.0)),
    "max_distance": arg(either(POSITIVE, STACK).accepting("inf", "inf as a component")),
    "layers": arg(LAYERS),
}
_PROBE = arg(OBJECT, shapes.Sphere(0.5))
method("World.ray_cast", lambda s: s.jointed, changes=False, **_WAY)
method("World.shape_cast", lambda s: s.jointed, changes=False, shape=_PROBE, orientation=arg(rows(4)), **_WAY)
method(
    "World.overlaps",
    lambda s: s.jointed,
    changes=False,
    shape=_PROBE,
    position=arg(rows(3), (0.0, 0.0, 5.0)),
    orientation=arg(rows(4)),
    layers=arg(LAYERS),
)
method("World.bodies_at", lambda s: s.jointed, changes=False, point=arg(rows(3)), layers=arg(LAYERS))
method(
    "World.closest_points",
    lambda s: s.jointed,
    changes=False,
    a=arg(OBJECT.accepting("empty"), At(lambda s: s.linked[0])),
    b=arg(OBJECT.accepting("empty"), At(lambda s: s.hull)),
)
setters(
    lambda s: s.hull,
    "Sphere",
    "ShapeHandle",
    enabled=SWITCH,
    sensor=SWITCH,
    material=OBJECT,
    layer=count(0, 63),
    collides_with=LAYERS,
)
setters(
    lambda s: s.belt,
    "Plane",
    "ShapeHandle",
    velocity=VECTOR,
    angular_velocity_world=VECTOR,
    allow_overlap=SWITCH,
)
method("Contacts.solver_of", lambda s: s.jointed.contacts, "World", body=arg(OBJECT, At(lambda s: s.linked[0])))
made("Sphere", shapes.Sphere, radius=arg(POSITIVE, 0.5))
for _class in (shapes.Capsule, shapes.Cylinder):
    made(
        _class.__name__,
        _class,
        radius=arg(POSITIVE, 0.5),
        height=arg(AT_LEAST_ZERO if _class is shapes.Capsule else POSITIVE, 2.0),
    )
made("Box", shapes.Box, size=arg(POSITIVE_VECTOR, (1.0, 2.0, 3.0)))
made("Plane", shapes.Plane, normal=arg(DIRECTION, (0.0, 0.0, 1.0)), offset=arg(REAL))
made("Material", shapes.Material, friction=arg(AT_LEAST_ZERO), restitution=arg(SHARE))
_TETRAHEDRON = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
_HEIGHTS = [[0.0, 1.0], [0.5, 0.0]]
made("ConvexHull", shapes.ConvexHull, points=arg(arrays(4, 3, sample=_TETRAHEDRON).loosely, _TETRAHEDRON))
made(
    "HeightField",
    shapes.HeightField,
    heights=arg(
        Kind("numbers of shape (n, m), both at least 2", _HEIGHTS, lambda x: x.ndim == 2 and min(x.shape) > 1), _HEIGHTS
    ),
    spacing=arg(
        Kind("a number or two, above 0", [2.0, 1.0], lambda x: x.shape in ((), (2,)) and bool((x > 0.0).all())), 2.0
    ),
)
made("Compound", shapes.Compound, parts=arg(OBJECT, [(shapes.Sphere(0.5), (0, 0, 1), (0, 0, 0, 1))]))
made(
    "TriangleMesh",
    shapes.TriangleMesh,
    vertices=arg(rows(3, _TETRAHEDRON), _TETRAHEDRON),
    faces=arg(rows(3, [[0.0, 2.0, 1.0]]), [[0, 2, 1]]),
    scale=arg(POSITIVE.loosely),
)
made(
    "shapes.equivalent_box",
    shapes.equivalent_box,
    mass=arg(POSITIVE.loosely, 12.0),
    inertia_body=arg(
        arrays(3, 3, sample=[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).loosely, np.eye(3).tolist()
    ),
    center_of_mass_body=arg(VECTOR),
)
method("World.add_part", lambda s: s.world, part=arg(OBJECT, LEFT_OUT))
method("World.advance", lambda s: s.world, elapsed_seconds=arg(AT_LEAST_ZERO.loosely, 0.01))
for _name in ("on_tick", "after_tick"):
    method(
        f"World.{_name}",
        lambda s: s.world,
        function=arg(CALLABLE.optional, lambda world: None),
        every=arg(EVERY),
        name=arg(NAMED),
    )
method("World.angular_momentum", lambda s: s.world, about=arg(VECTOR))
method("World.assembly", lambda s: s.jointed, body=arg(OBJECT, At(lambda s: s.linked[0])))
method("World.body", lambda s: s.world, name=arg(Kind("the name of a body").failing_with(KeyError), "ship"))
method("World.coast", lambda s: s.world, ticks=arg(count(0).loosely.failing_with(RuntimeError)))
method("World.coast_obstacle", lambda s: s.world, ticks=arg(count(0).loosely))
method("World.fields", lambda s: s.world, kind=arg(OBJECT, forces.LinearDrag))
method("World.fork", lambda s: s.world, callbacks=arg(Kind("'raise', 'drop' or a mapping").loosely))
method(
    "World.interpolated_matrices",
    lambda s: s.world,
    camera_position=arg(VECTOR),
    out=arg(OBJECT.optional),
)
ROWS["World.load"] = Row(
    lambda s: World.load,
    {
        "path": arg(PATH, At(lambda s: s.folder / "scene.json")),
        "objects": arg(OBJECT.accepting("dict"), {"gusts": gusts, "Wind": Wind, "on_tick": on_tick}),
        "missing": arg(OBJECT, "drop"),
        "threads": arg(count(1)),
    },
    "",
    changes=False,
)
method(
    "World.on_joint",
    lambda s: s.jointed,
    function=arg(CALLABLE.optional, lambda world, event: None),
    event=arg(OBJECT, "broken"),
    name=arg(NAMED),
)
method(
    "World.on_contact",
    lambda s: s.jointed,
    function=arg(CALLABLE.optional, lambda world, contact: None),
    event=arg(OBJECT, "hit"),
    body=arg(OBJECT.optional, At(lambda s: s.linked[0])),
    above=arg(AT_LEAST_ZERO.loosely),
    name=arg(NAMED),
)
method(
    "World.ignore_pair",
    lambda s: s.jointed,
    a=arg(OBJECT, At(lambda s: s.linked[0])),
    b=arg(OBJECT, At(lambda s: s.linked[1])),
    ignored=arg(SWITCH),
)
method(
    "World.predict",
    lambda s: s.world,
    seconds=arg(AT_LEAST_ZERO.loosely, 0.125),
    every=arg(EVERY),
    bodies=arg(BODIES.accepting("empty")),
)
method(
    "World.prepare",
    lambda s: s.world,
    integrators=arg(OBJECT.optional.accepting("empty")),
    forces=arg(OBJECT.optional.accepting("empty")),
    capacity=arg(count(1).loosely.optional),
    joints=arg(SWITCH),
    contacts=arg(SWITCH),
    queries=arg(SWITCH),
    wheels=arg(SWITCH),
    pulses=arg(SWITCH),
    game_mode=arg(SWITCH.optional),
    progress=arg(CALLABLE.optional),
)
method("World.remove_bodies", lambda s: s.world, bodies=arg(OBJECT.accepting("empty"), [TUG]))
method("World.remove_body", lambda s: s.world, body=arg(OBJECT, TUG))
method("World.remove_callback", lambda s: s.world, function=arg(OBJECT, on_tick))
method("World.remove_force", lambda s: s.world, force=arg(OBJECT, At(lambda s: s.linear)))
method("World.remove_joint", lambda s: s.jointed, joint=arg(OBJECT, At(lambda s: s.hinge)))
method("World.remove_shape", lambda s: s.jointed, shape=arg(OBJECT, At(lambda s: s.hull)))
method("World.remove_part", lambda s: s.world, part=arg(OBJECT, At(lambda s: s.torquer)))
method(
    "World.restore",
    lambda s: s.world,
    snapshot=arg(OBJECT, At(lambda s: s.snapshot)),
    missing=arg(OBJECT, "raise"),
    adopt=arg(SWITCH),
)
method("World.save", lambda s: s.rolled, path=arg(PATH, At(lambda s: s.folder / "saved.json")), snapshot=arg(SWITCH))
method("World.shift_origin", lambda s: s.jointed, shift=arg(VECTOR.loosely))
method("World.step", lambda s: s.world, ticks=arg(count(0, 10).loosely))
method("World.wrench", lambda s: s.world, body=arg(OBJECT, SHIP), force=arg(OBJECT.optional))

# bodies

setters(
    lambda s: s.ship,
    "body 'ship'",
    "Body",
    angular_momentum_world=VECTOR,
    angular_velocity=OBJECT.failing_with(AttributeError),
    angular_velocity_body=VECTOR,
    angular_velocity_world=VECTOR,
    collision_group=count(0, 2**31 - 1).loosely,
    dry_mass_properties=OBJECT,
    mass_properties=OBJECT,
    orientation=QUATERNION,
    origin=VECTOR,
    position=VECTOR,
    stored_momentum_body=VECTOR.loosely,
    user_data=ANYTHING,
    velocity=VECTOR,
)
for _name, _first, _second in (
    ("apply_force", "force_world", "at_world"),
    ("apply_force_body", "force_body", "at_body"),
    ("apply_impulse", "impulse_world", "at_world"),
    ("apply_impulse_body", "impulse_body", "at_body"),
):
    method(
        f"Body.{_name}",
        lambda s: s.ship,
        "body 'ship'",
        **{_first: arg(VECTOR, (1.0, 2.0, 3.0)), _second: arg(VECTOR.optional)},
    )
for _name, _first in (
    ("apply_torque", "torque_world"),
    ("apply_torque_body", "torque_body"),
    ("apply_angular_impulse", "angular_impulse_world"),
):
    method(f"Body.{_name}", lambda s: s.ship, "body 'ship'", **{_first: arg(VECTOR)})
for _name, _first in (
    ("to_world", "point_body"),
    ("to_body", "point_world"),
    ("direction_to_world", "direction_body"),
    ("direction_to_body", "direction_world"),
    ("velocity_at", "point_body"),
):
    method(f"Body.{_name}", lambda s: s.ship, "body 'ship'", changes=False, **{_first: arg(rows(3))})
method("Body.interpolated_pose", lambda s: s.ship, "body 'ship'", changes=False, alpha=arg(SHARE.optional))
setters(
    lambda s: s.world.state,
    "World.state",
    "State",
    position=arrays(2, 3),
    velocity=arrays(2, 3),
    angular_velocity_body=arrays(2, 3),
    angular_velocity_world=arrays(2, 3),
    stored_momentum_body=arrays(2, 3).loosely,
    orientation=_TWO_TURNS,
)
method("State.interpolated_poses", lambda s: s.world.state, "World.state", changes=False, alpha=arg(SHARE))

# the clock

made("Clock", Clock, dt=arg(POSITIVE.loosely, 0.1), max_ticks_per_frame=arg(count(1)))
setters(lambda s: s.clock, "", "Clock", max_ticks_per_frame=count(1), time_scale=AT_LEAST_ZERO.loosely)
method("Clock.settle", lambda s: s.clock, taken=arg(count(0)))
method("Clock.keeps_up", lambda s: s.clock, frames_per_second=arg(count(1)))
method(
    "Clock.ticks_for",
    lambda s: s.clock,
    "World.advance",
    elapsed_seconds=arg(AT_LEAST_ZERO.loosely, 0.1),
    is_limited=arg(SWITCH),
)

# mass properties

_MASS = {"mass": arg(POSITIVE.optional, 1.0), "density": arg(POSITIVE.optional, LEFT_OUT, mass=LEFT_OUT)}
_LENGTH = POSITIVE.loosely
made(
    "MassProperties",
    MassProperties,
    mass=arg(_LENGTH, 1.0),
    inertia_body=arg(
        either(POSITIVE_VECTOR, arrays(3, 3, sample=np.diag((1.0, 2.0, 2.5)).tolist())).loosely, (1, 2, 2.5)
    ),
    center_of_mass_body=arg(VECTOR.loosely),
    physical=arg(SWITCH),
)
made("MassProperties.box", MassProperties.box, size=arg(POSITIVE_VECTOR.loosely, (1, 2, 3)), **_MASS)
made("MassProperties.ellipsoid", MassProperties.ellipsoid, semi_axes=arg(POSITIVE_VECTOR.loosely, (1, 2, 3)), **_MASS)
for _name in ("capsule", "cone", "cylinder"):
    made(
        f"MassProperties.{_name}",
        getattr(MassProperties, _name),
        radius=arg(_LENGTH, 1.0),
        height=arg(AT_LEAST_ZERO.loosely if _name == "capsule" else _LENGTH, 1.0),
        **_MASS,
    )
made("MassProperties.sphere", MassProperties.sphere, radius=arg(_LENGTH, 1.0), **_MASS)
made("MassProperties.hollow_sphere", MassProperties.hollow_sphere, mass=arg(_LENGTH, 1.0), radius=arg(_LENGTH, 1.0))
made("MassProperties.rod", MassProperties.rod, mass=arg(_LENGTH, 1.0), length=arg(_LENGTH, 1.0))
made("MassProperties.point_mass", MassProperties.point_mass, mass=arg(_LENGTH, 1.0))
made("MassProperties.compound", MassProperties.compound, parts=arg(OBJECT, [(SOLID, (0, 0, 0), (0, 0, 0, 1))]))
_CORNERS = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
_FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
_SURFACE = {
    "density": arg(POSITIVE.optional, LEFT_OUT, mass=LEFT_OUT),
    "mass": arg(POSITIVE.optional, 1.0),
    "weld": arg(AT_LEAST_ZERO.optional.loosely),
    "shell_thickness": arg(POSITIVE.optional.loosely),
}
made(
    "MassProperties.from_mesh",
    MassProperties.from_mesh,
    vertices=arg(rows(3, _CORNERS), _CORNERS),
    faces=arg(rows(3, _FACES).accepting("integer array"), _FACES),
    **_SURFACE,
)
ROWS["MassProperties.from_file"] = Row(
    lambda s: MassProperties.from_file,
    {"path": arg(PATH, At(lambda s: s.folder / "mesh.obj")), "scale": arg(POSITIVE.loosely), **_SURFACE},
    "",
    changes=False,
)
made(
    "MassProperties.from_points",
    MassProperties.from_points,
    masses=arg(arrays(4, sample=[1.0, 2.0, 3.0, 4.0], at_least=1e-323).loosely, (1, 2, 3, 4)),
    positions=arg(arrays(4, 3, sample=_CORNERS).loosely, _CORNERS),
)
method(
    "MassProperties.moved",
    lambda s: SOLID,
    changes=False,
    position=arg(VECTOR.loosely, (1, 2, 3)),
    orientation=arg(QUATERNION, (0, 0, 0, 1)),
)

# diagnostics

_MASSES, _RATES = arrays(2, sample=[1.0, 2.0]).loosely, arrays(2, 3).loosely
_TENSORS = arrays(2, 3, 3, sample=[np.eye(3).tolist()] * 2).loosely
_VELOCITIES = [[0.1, 0.2, 0.3]] * 2
made(
    "diagnostics.translational_energy",
    diagnostics.translational_energy,
    mass=arg(_MASSES, [1.0, 2.0]),
    velocity=arg(_RATES, _VELOCITIES),
)
made(
    "diagnostics.rotational_energy",
    diagnostics.rotational_energy,
    inertia_body=arg(_TENSORS, [np.eye(3).tolist()] * 2),
    angular_velocity_body=arg(_RATES, _VELOCITIES),
)
made(
    "diagnostics.spin_angular_momentum",
    diagnostics.spin_angular_momentum,
    orientation=arg(arrays(2, 4, sample=[[0.0, 0.0, 0.0, 1.0]] * 2).loosely, [[0.0, 0.0, 0.0, 1.0]] * 2),
    inertia_body=arg(_TENSORS, [np.eye(3).tolist()] * 2),
    angular_velocity_body=arg(_RATES, _VELOCITIES),
    stored_momentum_body=arg(_RATES, _VELOCITIES),
)
made(
    "diagnostics.orbital_angular_momentum",
    diagnostics.orbital_angular_momentum,
    mass=arg(_MASSES, [1.0, 2.0]),
    position=arg(_RATES, _VELOCITIES),
    velocity=arg(_RATES, _VELOCITIES),
    about=arg(VECTOR.loosely, (0, 0, 0)),
)
made("Drift", diagnostics.Drift, world=arg(OBJECT, WORLD))

# records and travel in time

made(
    "Recorder",
    Recorder,
    world=arg(OBJECT, WORLD),
    every=arg(EVERY),
    bodies=arg(BODIES.accepting("empty")),
    capacity=arg(count(1).optional),
    columns=arg(OBJECT.optional.accepting("empty")),
    wrenches=arg(OBJECT.accepting("empty")),
    path=arg(PATH.optional),
)
made("Record.read", Recorder.read, "Recorder.read", path=arg(PATH, At(lambda s: s.folder / "record")))
method("Record.to_csv", lambda s: s.record, "Recorder", path=arg(PATH, At(lambda s: s.folder / "record.csv")))
method("Record.to_npz", lambda s: s.record, "Recorder", path=arg(PATH, At(lambda s: s.folder / "record.npz")))
made("Rewind", Rewind, world=arg(OBJECT, WORLD), seconds=arg(POSITIVE.loosely))
method("Rewind.back", lambda s: s.rewind, seconds=arg(AT_LEAST_ZERO.loosely))
method("Rewind.forward", lambda s: s.rewind, seconds=arg(AT_LEAST_ZERO.loosely))
_PLAYERS = Kind("names or numbers", [0.5, 0.25], lambda x: x.ndim > 0).loosely.accepting(
    *(
        "text array",
        "bool array",
        "complex array",
        "date array",
        "structured array",
        "generator",
        "dict",
        "keys",
        "set",
    ),
    *("memoryview", "Series", "DataFrame"),
)
made(
    "Rollback",
    Rollback,
    world=arg(OBJECT, WORLD),
    frames=arg(count(1)),
    players=arg(_PLAYERS, ["Ada"]),
    apply=arg(CALLABLE, lambda world, inputs: None),
)
method(
    "Rollback.check",
    lambda s: s.rollback,
    tick=arg(count(0).loosely, 0),
    hash=arg(count(0).loosely.failing_with(DesyncError), 1),
    snapshot=arg(OBJECT.optional.failing_with(DesyncError)),
)
method("Rollback.hash", lambda s: s.rollback, tick=arg(count(0).loosely))
method(
    "Rollback.input",
    lambda s: s.rollback,
    tick=arg(count(0).loosely, 0),
    player=arg(OBJECT, "Ada"),
    data=arg(ANYTHING, b""),
)
method("Rollback.snapshot", lambda s: s.rollback, tick=arg(count(0).loosely))
made("Snapshot.from_bytes", Snapshot.from_bytes, data=arg(OBJECT))

# forces

made("AngularDamping", forces.AngularDamping, coefficient=arg(AT_LEAST_ZERO, 0.5), bodies=arg(BODIES))
made("LinearDrag", forces.LinearDrag, coefficient=arg(AT_LEAST_ZERO, 0.5), bodies=arg(BODIES))
made("QuadraticDrag", forces.QuadraticDrag, coefficient=arg(AT_LEAST_ZERO, 0.5), bodies=arg(BODIES))
setters(lambda s: s.linear, "", "LinearDrag", coefficient=AT_LEAST_ZERO)
setters(lambda s: s.quadratic, "", "QuadraticDrag", coefficient=AT_LEAST_ZERO)
setters(lambda s: s.damping, "", "AngularDamping", coefficient=AT_LEAST_ZERO)
_ATMOSPHERE = {
    "drag_area": AT_LEAST_ZERO,
    "at_body": VECTOR,
    "density": AT_LEAST_ZERO,
    "reference_altitude": REAL,
    "scale_height": POSITIVE,
    "planet_radius": AT_LEAST_ZERO,
    "center": VECTOR,
    "planet_rate_world": VECTOR,
}
made(
    "AtmosphericDrag",
    forces.AtmosphericDrag,
    body=arg(OBJECT, SHIP),
    **{name: arg(kind.loosely, kind.sample) for name, kind in _ATMOSPHERE.items()},
)
setters(lambda s: s.atmosphere, "", "AtmosphericDrag", **{name: kind.loosely for name, kind in _ATMOSPHERE.items()})
made(
    "ConstantForce",
    forces.ConstantForce,
    body=arg(OBJECT, SHIP),
    force_world=arg(VECTOR, (1, 2, 3)),
    force_body=arg(VECTOR, LEFT_OUT, force_world=LEFT_OUT),
    at_body=arg(VECTOR.optional),
)
setters(lambda s: s.push, "", "ConstantForce", at_body=VECTOR.optional, force_body=VECTOR)
setters(lambda s: s.weight, "", "ConstantForce", force_world=VECTOR)
made(
    "ConstantTorque",
    forces.ConstantTorque,
    body=arg(OBJECT, SHIP),
    torque_world=arg(VECTOR, (1, 2, 3)),
    torque_body=arg(VECTOR, LEFT_OUT, torque_world=LEFT_OUT),
)
setters(lambda s: s.torque_body, "", "ConstantTorque", torque_body=VECTOR)
setters(lambda s: s.torque_world, "", "ConstantTorque", torque_world=VECTOR)
made("GravityGradient", forces.GravityGradient, gm=arg(POSITIVE, 1.0), center=arg(VECTOR), bodies=arg(BODIES))
setters(lambda s: s.gradient, "", "GravityGradient", gm=POSITIVE, center=VECTOR)
made(
    "Lorentz",
    forces.Lorentz,
    charge=arg(REAL, 1.0),
    electric_field=arg(VECTOR),
    magnetic_field=arg(VECTOR),
    bodies=arg(BODIES),
)
setters(lambda s: s.lorentz, "", "Lorentz", charge=REAL, electric_field=VECTOR, magnetic_field=VECTOR)
made(
    "PointGravity",
    forces.PointGravity,
    gm=arg(POSITIVE, 1.0),
    center=arg(VECTOR),
    j2=arg(REAL, LEFT_OUT, reference_radius=1.0),
    reference_radius=arg(POSITIVE.optional, LEFT_OUT),
    axis=arg(DIRECTION),
    bodies=arg(BODIES),
)
setters(lambda s: s.gravity, "", "PointGravity", gm=POSITIVE, center=VECTOR, j2=REAL, axis=DIRECTION)
setters(lambda s: s.gravity, "", "PointGravity", reference_radius=POSITIVE)
_LIGHT = {
    "area": AT_LEAST_ZERO,
    "normal_body": DIRECTION,
    "at_body": VECTOR,
    "pressure": AT_LEAST_ZERO,
    "sun_direction_world": DIRECTION,
    "specular": SHARE.loosely.sampled(0.25),
    "diffuse": SHARE.loosely.sampled(0.25),
    "shadow": OBJECT.optional,
}
_LIGHT_VALID = {"area": 1.0, "normal_body": (0, 0, 1), "at_body": (0, 0, 0), "sun_direction_world": (0, 0, 1)}
_LIGHT_VALID |= {"specular": 0.25, "diffuse": 0.25}
made(
    "RadiationPressure",
    forces.RadiationPressure,
    body=arg(OBJECT, SHIP),
    **{name: arg(kind, _LIGHT_VALID.get(name, LEFT_OUT)) for name, kind in _LIGHT.items()},
)
setters(lambda s: s.light, "", "RadiationPressure", **_LIGHT)
_SPRING = {
    "at_body": VECTOR,
    "at_other": VECTOR,
    "stiffness": AT_LEAST_ZERO,
    "damping": AT_LEAST_ZERO,
    "rest_length": AT_LEAST_ZERO,
}
made(
    "Spring",
    forces.Spring,
    body=arg(OBJECT, SHIP),
    other=arg(OBJECT.optional, TUG),
    **{name: arg(kind, 1.0 if name == "stiffness" else LEFT_OUT) for name, kind in _SPRING.items()},
)
setters(lambda s: s.spring, "", "Spring", **_SPRING)
made("UniformGravity", forces.UniformGravity, acceleration_world=arg(VECTOR, (0, 0, -1)), bodies=arg(BODIES))
setters(lambda s: s.uniform, "", "UniformGravity", acceleration_world=VECTOR)
made(
    "MagneticDipole",
    forces.MagneticDipole,
    strength=arg(POSITIVE, 1.0),
    axis_world=arg(DIRECTION, (0, 0, 1)),
    center=arg(VECTOR),
)
method("MagneticDipole.at", lambda s: FIELD, changes=False, position=arg(rows(3)))
_VALVE = {
    "specific_impulse": arg(POSITIVE.optional.loosely, LEFT_OUT, tank=At(lambda s: s.tank)),
    "tank": arg(OBJECT.optional),
}
_TIMES = ("min_on_time", "rise_time", "fall_time")
made(
    "Thruster",
    forces.Thruster,
    body=arg(OBJECT, TUG),
    position=arg(VECTOR, (0, 0, 1)),
    direction=arg(DIRECTION, (0, 1, 0)),
    max_force=arg(AT_LEAST_ZERO, 1.0),
    gimbal=arg(OBJECT.optional),
    **_VALVE,
    **{name: arg(AT_LEAST_ZERO.loosely) for name in _TIMES},
)
setters(
    lambda s: s.thruster,
    "",
    "Thruster",
    direction=DIRECTION,
    max_force=AT_LEAST_ZERO,
    position=VECTOR,
    stuck=SHARE.optional,
    throttle=SHARE,
)
setters(lambda s: s.gimballed, "", "Thruster", gimbal_command=arrays(2, sample=[0.25, 0.5]).loosely)
method(
    "Thruster.fire", lambda s: s.thruster, duration=arg(AT_LEAST_ZERO.loosely, 1.0), delay=arg(AT_LEAST_ZERO.loosely)
)
method("Thruster.mean_thrust", lambda s: s.thruster, seconds=arg(POSITIVE.loosely, 1.0))
method("ThrusterBank.mean_thrust", lambda s: s.bank, seconds=arg(POSITIVE.loosely, 1.0))
_THREE, _POINTS = arrays(3, sample=[0.25, 0.5, 0.75], at_least=0.0), arrays(3, 3)
_EACH = either(AT_LEAST_ZERO, _THREE)
_EACH_SHARE = either(SHARE, arrays(3, sample=[0.25, 0.5, 0.75], at_least=0.0, at_most=1.0))
made(
    "ThrusterBank",
    forces.ThrusterBank,
    body=arg(OBJECT, TUG),
    positions=arg(_POINTS.loosely, AXES),
    directions=arg(_POINTS.loosely, AXES),
    max_forces=arg(_EACH, 1.0),
    specific_impulse=arg(
        either(POSITIVE, arrays(3, sample=[100.0, 200.0, 300.0], at_least=1e-323)).optional.loosely,
        tank=At(lambda s: s.tank),
    ),
    tank=arg(OBJECT.optional),
    gimbal=arg(OBJECT.optional),
    **{name: arg(_EACH.loosely) for name in _TIMES},
)
setters(
    lambda s: s.bank,
    "",
    "ThrusterBank",
    directions=either(DIRECTION, _POINTS).loosely,
    positions=_POINTS.loosely,
    max_forces=_EACH,
    stuck=_EACH_SHARE.optional.loosely.accepting(
        "nan", "float16 nan", "nan as a component", "float16 nan as a component", "None as a component"
    ),
    throttle=_EACH_SHARE,
)
setters(lambda s: s.gimballed_bank, "", "ThrusterBank", gimbal_command=arrays(2, 2).loosely)
method("ThrusterBank.fire", lambda s: s.bank, durations=arg(_EACH.loosely, 1.0), delays=arg(_EACH.loosely))
made(
    "forces.compiled",
    forces.compiled,
    parameters=arg(OBJECT.accepting("empty", "Series", "DataFrame")),
    depends_on_rates=arg(SWITCH),
    world_points=arg(OBJECT.accepting("empty")),
)
setters(lambda s: s.linear, "", "TableRows", enabled=SWITCH)

# actuators

made(
    "ReactionWheel",
    flight.ReactionWheel,
    body=arg(OBJECT, SHIP),
    axis=arg(DIRECTION, (0, 0, 1)),
    inertia=arg(POSITIVE.loosely, 0.01),
    max_torque=arg(POSITIVE.loosely, 1.0),
    max_speed=arg(POSITIVE.loosely, 100.0),
    speed=arg(REAL.loosely),
    viscous_friction=arg(AT_LEAST_ZERO.loosely),
)
setters(
    lambda s: s.wheel,
    "",
    "ReactionWheel",
    enabled=SWITCH,
    max_speed=POSITIVE.loosely,
    max_torque=POSITIVE.loosely,
    speed=REAL.loosely,
    torque=REAL.loosely,
    viscous_friction=AT_LEAST_ZERO.loosely,
)
_TANK = {
    "body": arg(OBJECT, SHIP),
    "position": arg(VECTOR.loosely, (0, 0, 0)),
    "propellant": arg(AT_LEAST_ZERO.loosely, 0.5),
    "capacity": arg(POSITIVE.optional.loosely),
    "jet_damping": arg(SWITCH),
}
_SPECIFIC = Kind("a number, moments or a tensor", AXES.tolist(), lambda x: x.shape in ((), (3,), (3, 3))).loosely
made("Tank", flight.Tank, specific_inertia=arg(_SPECIFIC, (1, 1, 1)), **_TANK)
made("Tank.ball", flight.Tank.ball, radius=arg(POSITIVE.loosely, 0.5), **_TANK)
made(
    "Tank.cylinder",
    flight.Tank.cylinder,
    radius=arg(POSITIVE.loosely, 0.5),
    height=arg(POSITIVE.loosely, 0.5),
    axis=arg(DIRECTION, (0, 0, 1)),
    settled=arg(SWITCH, LEFT_OUT, capacity=1.0),
    **_TANK,
)
setters(lambda s: s.tank, "", "Tank", propellant=AT_LEAST_ZERO.loosely)
made(
    "Magnetorquer",
    flight.Magnetorquer,
    body=arg(OBJECT, SHIP),
    axis=arg(DIRECTION, (0, 0, 1)),
    max_dipole=arg(POSITIVE, 1.0),
    field=arg(OBJECT, FIELD),
)
setters(lambda s: s.torquer, "", "Magnetorquer", axis=DIRECTION, dipole=REAL.loosely, field=OBJECT)
made("Magnetorquers", flight.Magnetorquers, torquers=arg(OBJECT, At(lambda s: [s.torquer])))
_COMMAND = {
    "torque_body": arg(VECTOR.loosely, (0, 0, 0)),
    "force_body": arg(VECTOR.optional.loosely, None),
    "seconds": arg(POSITIVE.loosely, 0.125),
}
method("Magnetorquers.command", lambda s: s.torquers, **_COMMAND)
method("Magnetorquers.without", lambda s: s.torquers, torquer=arg(OBJECT, LEFT_OUT))
_MOST = either(POSITIVE, arrays(3, at_least=0.0)).loosely.optional
made("BodyTorque", flight.BodyTorque, body=arg(OBJECT, SHIP), max_torque=arg(_MOST))
method(
    "BodyTorque.command",
    lambda s: s.motor,
    **(_COMMAND | {"force_body": arg(VECTOR.optional.loosely, (0, 0, 0)), "seconds": arg(AT_LEAST_ZERO.loosely)}),
)
setters(lambda s: s.motor, "", "BodyTorque", torque_body=VECTOR.loosely)
_ASSEMBLY = {"assembly": arg(OBJECT.optional)}
made("GimbalAllocator", flight.GimbalAllocator, thruster=arg(OBJECT, At(lambda s: s.gimballed)), **_ASSEMBLY)
method("GimbalAllocator.command", lambda s: s.gimbal_allocator, **_COMMAND)
made("Jets", flight.Jets, allocator=arg(OBJECT, At(lambda s: s.allocator)), modulator=arg(OBJECT.optional))
method("Jets.command", lambda s: s.jets, state=arg(OBJECT.optional), **_COMMAND)
setters(lambda s: s.jets, "", "Jets", allocator=OBJECT)
_TIMES_OF_VALVES = Kind("times", [0.0625, 0.125], lambda x: x.ndim < 2).loosely
made(
    "PulseModulator",
    flight.PulseModulator,
    min_on_time=arg(_TIMES_OF_VALVES, 0.1),
    period=arg(POSITIVE.loosely, 1.0),
    rise_time=arg(_TIMES_OF_VALVES),
    fall_time=arg(_TIMES_OF_VALVES),
)
_MODULATOR = flight.PulseModulator(0.1, 1.0)
method("PulseModulator.initial_state", lambda s: _MODULATOR, changes=False, count=arg(count(1, 1000)))
method(
    "PulseModulator.of_valves",
    lambda s: _MODULATOR,
    changes=False,
    min_on_time=arg(_TIMES_OF_VALVES, 0.1),
    rise_time=arg(_TIMES_OF_VALVES, 0.1),
    fall_time=arg(_TIMES_OF_VALVES, 0.1),
)
method(
    "PulseModulator.update",
    lambda s: _MODULATOR,
    changes=False,
    shares=arg(arrays(2, sample=[0.25, 0.5], at_least=0.0, at_most=1.0), (0.25, 0.5)),
    state=arg(arrays(*_MODULATOR.initial_state(2).shape).loosely, _MODULATOR.initial_state(2)),
)
made(
    "ThrusterAllocator",
    flight.ThrusterAllocator,
    thrusters=arg(OBJECT, At(lambda s: [s.jets_bank])),
    method=arg(OBJECT, "least propellant"),
    **_ASSEMBLY,
)
method(
    "ThrusterAllocator.allocate",
    lambda s: s.allocator,
    changes=False,
    torque_body=arg(rows(3), (0, 0, 1)),
    force_body=arg(rows(3).optional, None),
    center_of_mass_body=arg(rows(3).optional),
)
method(
    "ThrusterAllocator.jets_of", lambda s: s.allocator, changes=False, thruster=arg(OBJECT, At(lambda s: s.jets_bank))
)
method(
    "ThrusterAllocator.reachable_torques",
    lambda s: s.allocator,
    changes=False,
    directions=arg(Kind("directions", [[1.0, 2.0, 3.0]], lambda x: x.ndim > 0 and x.shape[-1] == 3).loosely.optional),
    force_is_free=arg(SWITCH),
)
method("ThrusterAllocator.without", lambda s: s.allocator, changes=False, jet=arg(count(0, 11), 2), level=arg(SHARE))
method(
    "ThrusterAllocator.wrench_of",
    lambda s: s.allocator,
    changes=False,
    shares=arg(rows(12, [0.5] * 12), [0.5] * 12),
    center_of_mass_body=arg(rows(3).optional),
)
made(
    "WheelAllocator",
    flight.WheelAllocator,
    wheels=arg(OBJECT, At(lambda s: s.wheels)),
    preferred_speed=arg(either(REAL, arrays(3)).loosely.optional),
    null_rate=arg(AT_LEAST_ZERO.loosely),
)
method("WheelAllocator.command", lambda s: s.wheel_allocator, **_COMMAND)
method("WheelAllocator.without", lambda s: s.wheel_allocator, wheel=arg(OBJECT, At(lambda s: s.wheels[0])))

# sensors and estimation

_SENSOR = {
    "body": arg(OBJECT, SHIP),
    "seed": arg(count(0).loosely.optional, 1),
    "every": arg(EVERY),
    "delay": arg(DELAY.loosely),
    "name": arg(NAMED),
}
_INSTRUMENT = {
    **_SENSOR,
    "bias_body": arg(VECTOR),
    "bias_walk": arg(AT_LEAST_ZERO),
    "scale_error": arg(either(REAL, arrays(3)).loosely),
    "misalignment": arg(VECTOR.loosely),
    "quantum": arg(AT_LEAST_ZERO),
}
made(
    "Accelerometer",
    flight.Accelerometer,
    at_body=arg(VECTOR.optional),
    noise_density=arg(AT_LEAST_ZERO.loosely),
    max_acceleration=arg(POSITIVE.optional),
    **_INSTRUMENT,
)
made("Gyro", flight.Gyro, noise_density=arg(AT_LEAST_ZERO.loosely), max_rate=arg(POSITIVE.optional), **_INSTRUMENT)
made(
    "Magnetometer",
    flight.Magnetometer,
    field=arg(CALLABLE, FIELD),
    noise=arg(AT_LEAST_ZERO),
    max_field=arg(POSITIVE.optional),
    **_INSTRUMENT,
)
made(
    "StarTracker",
    flight.StarTracker,
    boresight_body=arg(DIRECTION, (0, 0, 1)),
    noise=arg(arrays(2, at_least=0.0)),
    max_rate=arg(POSITIVE.optional),
    exclusion=arg(OBJECT.accepting("empty")),
    **_SENSOR,
)
made(
    "SunSensor",
    flight.SunSensor,
    boresight_body=arg(DIRECTION, (0, 0, 1)),
    field_of_view=arg(POSITIVE.loosely, 1.0),
    sun_direction_world=arg(DIRECTION, (0, 0, 1)),
    noise=arg(AT_LEAST_ZERO),
    shadow=arg(OBJECT.optional),
    **_SENSOR,
)
made(
    "Exclusion.ball",
    flight.Exclusion.ball,
    center=arg(VECTOR, (1, 2, 3)),
    radius=arg(POSITIVE, 1.0),
    angle=arg(AT_LEAST_ZERO.loosely, 0.1),
)
made(
    "Exclusion.far",
    flight.Exclusion.far,
    direction_world=arg(DIRECTION, (0, 0, 1)),
    angle=arg(AT_LEAST_ZERO.loosely, 0.1),
)
setters(
    lambda s: s.accelerometer,
    "",
    "Accelerometer",
    at_body=VECTOR,
    max_acceleration=POSITIVE.optional,
    noise_density=AT_LEAST_ZERO,
)
setters(lambda s: s.gyro, "", "Gyro", max_rate=POSITIVE.optional, noise_density=AT_LEAST_ZERO)
setters(lambda s: s.gyro, "", "_Instrument", bias_body=VECTOR, bias_walk=AT_LEAST_ZERO, quantum=AT_LEAST_ZERO)
setters(lambda s: s.gyro, "", "Sensor", fault=OBJECT.optional)
setters(lambda s: s.gyro, "", "SampledPart", enabled=SWITCH)
setters(lambda s: s.magnetometer, "", "Magnetometer", max_field=POSITIVE.optional, noise=AT_LEAST_ZERO)
setters(
    lambda s: s.tracker,
    "",
    "StarTracker",
    boresight_body=DIRECTION,
    exclusion=OBJECT.accepting("empty"),
    max_rate=POSITIVE.optional,
    noise=arrays(2, at_least=0.0),
)
setters(
    lambda s: s.sun_sensor,
    "",
    "SunSensor",
    boresight_body=DIRECTION,
    noise=AT_LEAST_ZERO,
    sun_direction_world=DIRECTION,
)
made(
    "AttitudeFilter",
    flight.AttitudeFilter,
    gyro=arg(OBJECT, At(lambda s: s.gyro)),
    trackers=arg(OBJECT, At(lambda s: [s.tracker])),
    orientation=arg(QUATERNION.optional, LEFT_OUT, orientation_deviation=0.5),
    orientation_deviation=arg(POSITIVE.optional.loosely, LEFT_OUT, orientation=(0, 0, 0, 1)),
    bias_deviation=arg(AT_LEAST_ZERO.loosely),
    noise_density=arg(AT_LEAST_ZERO.optional.loosely),
    bias_walk=arg(AT_LEAST_ZERO.optional.loosely),
    rate_deviation=arg(POSITIVE.loosely),
    gate=arg(POSITIVE.loosely.optional),
    name=arg(NAMED),
)
setters(lambda s: s.estimate, "", "AttitudeFilter", gate=POSITIVE.loosely.optional, rate_deviation=POSITIVE.loosely)
_SIGHTS = rows(3, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
made(
    "flight.quest",
    flight.quest,
    directions_body=arg(_SIGHTS, AXES[:2]),
    directions_world=arg(_SIGHTS, AXES[:2]),
    weights=arg(rows(2).optional),
)
made(
    "flight.triad",
    flight.triad,
    first_body=arg(rows(3), (1, 0, 0)),
    second_body=arg(rows(3), (0, 1, 0)),
    first_world=arg(rows(3), (1, 0, 0)),
    second_world=arg(rows(3), (0, 1, 0)),
)

# references, laws and control loops

_TURNS = rows(4, [0.0, 0.0, 0.0, 1.0])
_TARGET = rows(3).accepting("lambda")

made(
    "Reference",
    flight.Reference,
    orientation=arg(rows(4, [0.0, 0.0, 0.0, 1.0])),
    angular_velocity_world=arg(rows(3)),
    angular_acceleration_world=arg(rows(3)),
)
made(
    "Slew",
    flight.Slew,
    start=arg(_TURNS, (0, 0, 0, 1)),
    end=arg(_TURNS, (0, 0.6, 0, 0.8)),
    max_rate=arg(POSITIVE.loosely, 1.0),
    max_acceleration=arg(POSITIVE.loosely, 1.0),
    start_time=arg(REAL.loosely),
)
made(
    "Spin",
    flight.Spin,
    "Reference",
    angular_velocity_world=arg(rows(3), (0, 0, 1)),
    orientation=arg(_TURNS),
    start_time=arg(REAL.loosely),
)
_SLEW = flight.Slew((0, 0, 0, 1), (0, 0.6, 0, 0.8), 1.0, 1.0)
_AT = {"time": arg(REAL.loosely, 0.5), "body": arg(ANYTHING)}
method("Reference.at", lambda s: flight.Reference(), changes=False, time=arg(ANYTHING), body=arg(ANYTHING))
method("Slew.at", lambda s: _SLEW, changes=False, **_AT)
method("Spin.at", lambda s: flight.Spin((0, 0, 1)), changes=False, **_AT)
made(
    "Pointing",
    flight.Pointing,
    axis_body=arg(DIRECTION.loosely, (0, 0, 1)),
    target=arg(_TARGET, (1, 0, 0)),
    second_axis_body=arg(DIRECTION.loosely.optional, LEFT_OUT, second_target=(0, 0, 1)),
    second_target=arg(_TARGET.optional, LEFT_OUT, second_axis_body=(1, 0, 0)),
    gm=arg(POSITIVE.optional.loosely),
    center=arg(VECTOR),
    sun_direction_world=arg(DIRECTION.optional),
)
_POINTING = flight.Pointing((0, 0, 1), "nadir", gm=1.0)
method("Pointing.at", lambda s: _POINTING, changes=False, time=arg(REAL.loosely, 0.5), body=arg(OBJECT, SHIP))
made(
    "Controlled",
    flight.Controlled,
    body=arg(OBJECT, SHIP),
    law=arg(OBJECT, control.RateDamping(1.0)),
    reference=arg(OBJECT, flight.Reference()),
    actuators=arg(OBJECT, At(lambda s: s.motor)),
    every=arg(EVERY, 2),
    delay=arg(DELAY.loosely),
    measured=arg(OBJECT.optional),
    force_body=arg(VECTOR.optional),
    name=arg(NAME),
)
setters(
    lambda s: s.loop,
    "",
    "Controlled",
    actuators=OBJECT,
    enabled=SWITCH,
    force_body=VECTOR.optional,
    law=OBJECT,
    reference=OBJECT,
)
made(
    "AttitudeHold",
    flight.AttitudeHold,
    ship=arg(OBJECT, TUG),
    actuators=arg(OBJECT, At(lambda s: s.jets)),
    max_torque=arg(_MOST),
    every=arg(EVERY.loosely.optional),
    name=arg(NAME),
    **_ASSEMBLY,
)
method("AttitudeHold.follow", lambda s: s.hold, reference=arg(OBJECT, flight.Reference()))
method(
    "AttitudeHold.point_at",
    lambda s: s.hold,
    "Pointing",
    target=arg(_TARGET, (1, 0, 0)),
    axis_body=arg(DIRECTION.loosely),
)
made("BDot", control.BDot, gain=arg(POSITIVE, 1.0))
method(
    "BDot.dipole_body",
    lambda s: control.BDot(1.0),
    changes=False,
    field_body=arg(rows(3), (0.1, 0.2, 0.3)),
    previous_field_body=arg(rows(3), (0.1, 0.2, 0.3)),
    seconds=arg(POSITIVE.loosely, 0.5),
)
_TENSORS_GIVEN = Kind(
    "a number, moments or tensors", AXES.tolist(), lambda x: x.shape in ((), (3,), (3, 3)) or x.shape[-2:] == (3, 3)
).loosely
_GAIN = either(AT_LEAST_ZERO, arrays(3, at_least=0.0)).loosely
made(
    "MRPFeedback",
    control.MRPFeedback,
    k=arg(POSITIVE.loosely, 1.0),
    p=arg(POSITIVE.loosely, 1.0),
    integral_gain=arg(AT_LEAST_ZERO.loosely),
    integral_limit=arg(_MOST),
    known_torque_body=arg(rows(3)),
    inertia_body=arg(_TENSORS_GIVEN.optional),
    **_ASSEMBLY,
)
made(
    "MomentumManager",
    control.MomentumManager,
    wheels=arg(OBJECT, At(lambda s: s.wheels)),
    high=arg(POSITIVE.loosely, 2.0),
    low=arg(AT_LEAST_ZERO.loosely, 1.0),
    time_constant=arg(POSITIVE.loosely),
)
made(
    "PhasePlane",
    control.PhasePlane,
    dead_band=arg(POSITIVE.loosely, 0.1),
    rate_limit=arg(POSITIVE.loosely, 0.1),
    hysteresis=arg(AT_LEAST_ZERO.loosely, 0.5),
    torque=arg(either(POSITIVE, arrays(3, at_least=0.0)).loosely, 1.0),
)
made(
    "QuaternionPD",
    control.QuaternionPD,
    stiffness=arg(_GAIN, 1.0),
    damping=arg(_GAIN, 1.0),
    gyroscopic=arg(SWITCH, LEFT_OUT, inertia_body=(1, 2, 2.5)),
    max_torque_body=arg(_MOST),
    inertia_body=arg(_TENSORS_GIVEN.optional),
    **_ASSEMBLY,
)
made(
    "QuaternionPD.tuned",
    control.QuaternionPD.tuned,
    "QuaternionPD",
    inertia_body=arg(_TENSORS_GIVEN, (1, 2, 2.5)),
    max_torque_body=arg(_MOST, 1.0),
    bandwidth=arg(POSITIVE.loosely, 1.0),
    **_ASSEMBLY,
)
made("RateDamping", control.RateDamping, damping=arg(_GAIN, 1.0))
made(
    "RateDamping.tuned",
    control.RateDamping.tuned,
    "RateDamping",
    inertia_body=arg(_TENSORS_GIVEN, (1, 2, 2.5)),
    decay_rate=arg(POSITIVE.loosely, 1.0),
    **_ASSEMBLY,
)
_SAMPLED = {
    "measured": arg(OBJECT, MEASURED),
    "reference": arg(OBJECT, flight.Reference()),
    "seconds": arg(POSITIVE.loosely, 0.5),
}
_LAWS = {
    "Law": (control.RateDamping(1.0), "RateDamping"),
    "BDot": (control.BDot(1.0), ""),
    "MRPFeedback": (control.MRPFeedback(1.0, 1.0, 0.5, inertia_body=(1.0, 1.0, 1.0)), ""),
    "PhasePlane": (control.PhasePlane(0.1, 0.1, 0.5, torque=1.0), ""),
    "QuaternionPD": (control.QuaternionPD(1.0, 1.0), ""),
    "RateDamping": (control.RateDamping(1.0), ""),
}

# orbits

_ORBIT = {"position": arg(rows(3), (7e6, 0, 0)), "velocity": arg(rows(3), (0, 7.5e3, 0))}
_GM = either(POSITIVE, STACK).loosely
_ANGLE = either(REAL, STACK).loosely
made("orbit.elements", orbit.elements, gm=arg(_GM, 4e14), **_ORBIT)
made("orbit.lvlh", orbit.lvlh, **_ORBIT)
made("orbit.propagate", orbit.propagate, gm=arg(_GM, 4e14), seconds=arg(_ANGLE, 10.0), **_ORBIT)
made(
    "orbit.from_elements",
    orbit.from_elements,
    gm=arg(_GM, 4e14),
    semi_major_axis=arg(_ANGLE.optional, 7e6),
    eccentricity=arg(_ANGLE, 0.1),
    inclination=arg(_ANGLE, 0.1),
    raan=arg(_ANGLE, 0.1),
    argument_of_periapsis=arg(_ANGLE, 0.1),
    true_anomaly=arg(_ANGLE, 0.1),
    periapsis_distance=arg(_ANGLE.optional, LEFT_OUT, semi_major_axis=LEFT_OUT),
)

# methods

made("AxisSplitting", integrators.AxisSplitting, order=arg(Kind("2 or 4").accepting("integer", "uint8")))
made(
    "FreeRotor",
    integrators.FreeRotor,
    order=arg(Kind("2 or 4").accepting("integer", "uint8")),
    scheme=arg(OBJECT.optional),
)
made("SemiImplicitEuler", integrators.SemiImplicitEuler, gyroscopic=arg(OBJECT))
made(
    "RungeKutta4",
    integrators.RungeKutta4,
    variables=arg(OBJECT),
    keep_momentum=arg(SWITCH, LEFT_OUT, variables="body_rates"),
)
made("Extrapolated", integrators.Extrapolated, integrator=arg(OBJECT, integrators.RungeKutta4()))
made(
    "Substepped",
    integrators.Substepped,
    integrator=arg(OBJECT, integrators.RungeKutta4()),
    n=arg(count(1, 1000).loosely.optional, 2),
    tolerance=arg(POSITIVE.optional.loosely, LEFT_OUT, n=LEFT_OUT),
)

# rotations

_MATRIX = Kind("matrices", AXES.tolist(), lambda x: x.ndim > 1 and x.shape[-2:] == (3, 3)).loosely
for _name, _arguments in {
    "angle_between": {"a": arg(_TURNS, (0, 0, 0, 1)), "b": arg(_TURNS, (0, 0, 0, 1))},
    "conjugate": {"quaternion": arg(_TURNS)},
    "from_axis_angle": {"axis": arg(rows(3), (0, 0, 1)), "angle": arg(_ANGLE, 0.5)},
    "from_euler": {"angles": arg(STACK, [0.1, 0.2, 0.3]), "sequence": arg(OBJECT, "xyz")},
    "from_matrix": {"matrix": arg(_MATRIX)},
    "from_modified_rodrigues": {"parameters": arg(rows(3))},
    "from_rotation_vector": {"turn": arg(rows(3))},
    "from_scalar_first": {"quaternion": arg(_TURNS)},
    "look_along": {"forward": arg(rows(3), (0, 0, 1)), "up": arg(rows(3), (0, 1, 0))},
    "multiply": {"a": arg(_TURNS, (0, 0, 0, 1)), "b": arg(_TURNS, (0, 0, 0, 1))},
    "orthonormalize": {"matrix": arg(_MATRIX)},
    "rodrigues": {"axis": arg(rows(3), (0, 0, 1)), "angle": arg(_ANGLE, 0.5)},
    "rotate": {"orientation": arg(_TURNS, (0, 0, 0, 1)), "vector_body": arg(rows(3), (1, 2, 3))},
    "rotate_inverse": {"orientation": arg(_TURNS, (0, 0, 0, 1)), "vector_world": arg(rows(3), (1, 2, 3))},
    "slerp": {"a": arg(_TURNS, (0, 0, 0, 1)), "b": arg(_TURNS, (0, 0, 0, 1)), "fraction": arg(_ANGLE, 0.5)},
    "to_axis_angle": {"orientation": arg(_TURNS)},
    "to_matrix": {"orientation": arg(_TURNS)},
    "to_modified_rodrigues": {"orientation": arg(_TURNS)},
    "to_rotation_vector": {"orientation": arg(_TURNS)},
    "to_scalar_first": {"quaternion": arg(_TURNS)},
}.items():
    made(f"rotation.{_name}", getattr(rotation, _name), **_arguments)

# joints

_PAIR = {
    "body": arg(OBJECT, At(lambda s: s.linked[3])),
    "other": arg(OBJECT.optional.loosely, At(lambda s: s.linked[4])),
}
_POINT = {"at_body": arg(VECTOR.loosely, (1, 0, 0)), "at_other": arg(VECTOR.loosely.optional, (-1, 0, 0))}
_LIMIT = POSITIVE.optional.accepting("inf")  # it never breaks
_BREAKS = {"break_force": arg(_LIMIT), "break_torque": arg(_LIMIT)}
_SETTINGS: dict[str, Kind] = {
    "limits": arrays(2, sample=[-0.5, 0.5]).optional.loosely.accepting("inf as a component"),
    "friction": AT_LEAST_ZERO,
    "motor": OBJECT.optional,
    "spring": OBJECT.optional,
}


def _numbered(count: int) -> dict[str, Kind]:
    """The settings of several freedoms, such as limits_1."""
    return {f"{name}_{number}": kind for name, kind in _SETTINGS.items() for number in range(1, 1 + count)}


_FREEDOM = {name: arg(kind) for name, kind in _SETTINGS.items()}
_SWING = Kind("above zero and at most π", 0.5, lambda x: x.ndim == 0 and 0.0 < x <= np.pi).optional.loosely
_SWING = _SWING.accepting("inf")
_UNIT = Kind(
    "a unit vector",
    [0.0, 0.0, 1.0],
    lambda x: x.shape == (3,) and abs(float((np.clip(x, -9, 9) ** 2).sum()) - 1.0) < 1e-6,
)
made(
    "Ball",
    joints.Ball,
    **_PAIR,
    **_POINT,
    axis_body=arg(_UNIT.optional),
    axis_other=arg(_UNIT.optional, LEFT_OUT, axis_body=(0, 0, 1)),
    swing_limit=arg(_SWING, LEFT_OUT, axis_body=(0, 0, 1)),
    twist_limits=arg(_SETTINGS["limits"], LEFT_OUT, axis_body=(0, 0, 1)),
    spring=_FREEDOM["spring"],
    **_BREAKS,
)
made(
    "Weld",
    joints.Weld,
    **_PAIR,
    **_POINT,
    relative_orientation=arg(QUATERNION.optional.loosely),
    pull_together=arg(arrays(2, at_least=0.0).optional.loosely),
    **_BREAKS,
)
made("Hinge", joints.Hinge, axis_body=arg(_UNIT, (0, 0, 1)), **_PAIR, **_POINT, **_BREAKS, **_FREEDOM)
made("Slider", joints.Slider, axis_body=arg(_UNIT, (0, 0, 1)), **_PAIR, **_POINT, **_BREAKS, **_FREEDOM)
made(
    "Planar",
    joints.Planar,
    normal=arg(_UNIT, (0, 0, 1)),
    axis_1=arg(_UNIT.sampled([1.0, 0.0, 0.0]).optional.loosely),
    **_PAIR,
    **_POINT,
    **_BREAKS,
)
made(
    "Universal",
    joints.Universal,
    axis_body=arg(_UNIT.loosely, (0, 0, 1)),
    axis_other=arg(_UNIT.sampled([0.0, 1.0, 0.0]).loosely, (0, 1, 0)),
    **_PAIR,
    **_POINT,
    **_BREAKS,
    **{name: arg(kind) for name, kind in _numbered(2).items()},
)
made(
    "Distance",
    joints.Distance,
    **_PAIR,
    at_body=_POINT["at_body"],
    at_other=arg(VECTOR.loosely, (1, 0, 0)),
    length=arg(POSITIVE.optional.loosely, 2.0),
    min_length=arg(AT_LEAST_ZERO.optional.loosely, LEFT_OUT, length=LEFT_OUT),
    max_length=arg(POSITIVE.optional.loosely, LEFT_OUT, length=LEFT_OUT),
    friction=arg(AT_LEAST_ZERO.loosely),
    motor=arg(OBJECT.optional),
    spring=arg(OBJECT.optional),
    break_force=_BREAKS["break_force"],
)
made(
    "Capture",
    joints.Capture,
    **{name: arg(POSITIVE.loosely) for name in ("distance", "angle", "lateral", "speed", "rate")},
)
made(
    "JointSpring",
    joints.JointSpring,
    frequency=arg(AT_LEAST_ZERO_OR_NONE.loosely, LEFT_OUT, stiffness=LEFT_OUT, damping=LEFT_OUT, damping_ratio=0.1),
    damping_ratio=arg(AT_LEAST_ZERO_OR_NONE.loosely, LEFT_OUT, stiffness=LEFT_OUT, damping=LEFT_OUT, frequency=1.0),
    rest=arg(REAL),
    stiffness=arg(AT_LEAST_ZERO_OR_NONE.loosely, 1.0),
    damping=arg(AT_LEAST_ZERO_OR_NONE.loosely, 1.0),
    follows_inertia=arg(SWITCH, stiffness=LEFT_OUT, damping=LEFT_OUT, frequency=1.0),
)
_HOLD = {"target_rate": LEFT_OUT, "target_angle": 0.5}
made(
    "Motor",
    joints.Motor,
    target_rate=arg(REAL.optional.loosely, 1.0),
    target_angle=arg(REAL.optional.loosely, LEFT_OUT, target_rate=LEFT_OUT, stiffness=1.0, damping=1.0),
    frequency=arg(AT_LEAST_ZERO_OR_NONE.loosely, LEFT_OUT, **_HOLD, damping_ratio=1.0),
    damping_ratio=arg(AT_LEAST_ZERO_OR_NONE.loosely, LEFT_OUT, **_HOLD, frequency=1.0),
    stiffness=arg(AT_LEAST_ZERO_OR_NONE.loosely, LEFT_OUT, **_HOLD, damping=1.0),
    damping=arg(AT_LEAST_ZERO_OR_NONE.loosely, LEFT_OUT, **_HOLD, stiffness=1.0),
    torque=arg(REAL.loosely, LEFT_OUT, **_HOLD, stiffness=1.0, damping=1.0),
    max_torque=arg(AT_LEAST_ZERO),
    follows_inertia=arg(SWITCH, **_HOLD, frequency=1.0),
)
made(
    "Port",
    joints.Port,
    position=arg(VECTOR, (1, 2, 3)),
    axis=arg(_UNIT.loosely, (0, 0, 1)),
    up=arg(_UNIT.sampled([1.0, 0.0, 0.0]).loosely, (1, 0, 0)),
)
made(
    "Latch",
    joints.Latch,
    **_PAIR,
    port=arg(OBJECT, PORTS[0]),
    other_port=arg(OBJECT, PORTS[1]),
    clocking=arg(REAL.loosely.optional),
    capture=arg(OBJECT.optional),
    soft=arg(arrays(2, at_least=0.0).loosely),
    retract_time=arg(POSITIVE.loosely),
    **_BREAKS,
)
method("Latch.release", lambda s: s.latch, push=arg(AT_LEAST_ZERO.loosely))
setters(lambda s: s.ball, "", "Joint", enabled=SWITCH, collides=SWITCH, break_force=_LIMIT, break_torque=_LIMIT)
setters(lambda s: s.ball, "", "Ball", swing_limit=_SWING, twist_limits=_SETTINGS["limits"], spring=_SETTINGS["spring"])
setters(lambda s: s.hinge, "", "Hinge", **_SETTINGS)
setters(lambda s: s.slider, "", "Slider", **_SETTINGS)
setters(lambda s: s.distance, "", "Distance", **_SETTINGS)
setters(lambda s: s.planar, "", "Planar", **_numbered(3))
setters(lambda s: s.universal, "", "Universal", **_numbered(2))
method("FreedomJoint.inertia", lambda s: s.planar, "Planar", changes=False, number=arg(count(1, 3)))

# memory

method(
    "Memory.add",
    lambda s: s.world.memory,
    "World.memory",
    name=arg(NAME, "fresh"),
    shape=arg(count(1, 100)),
    dtype=arg(OBJECT, float),
)
method("Memory.attach", lambda s: s.world.memory, "World.memory", name=arg(NAME, "fresh"), object=arg(OBJECT, LEFT_OUT))
setters(lambda s: s.memory, "memory", "MemoryRows", value=VECTOR)

# arguments of callbacks, which the engine passes

method(
    "BodyStates.velocity_at",
    lambda s: s.states,
    changes=False,
    point_body=arg(rows(3), (0, 0, 1)),
    body_or_row=arg(count(0, 1).optional, 0),
)
_ADDED = VECTOR.optional.accepting(  # an error in the tick can name the force, and one here cannot
    *(f"{name} as a component" for name in ("nan", "inf", "-inf", "float16 nan"))
)
method(
    "Wrench.add",
    lambda s: s.wrench,
    changes=False,
    body_or_row=arg(count(0, 1), 0),
    force_world=arg(_ADDED, (1, 2, 3)),
    force_body=arg(_ADDED),
    torque_world=arg(_ADDED),
    torque_body=arg(_ADDED),
    motor_torque_body=arg(_ADDED.loosely.failing_with(TypeError)),
    at_body=arg(_ADDED),
)

exempt(
    "it is made by the engine and holds what it was given",
    *("AccelerometerReading", "Allocation", "Commanded", "Elements", "GyroReading", "MagnetometerReading", "Pulses"),
    *("StarTrackerReading", "SunSensorReading", "DesyncError", "Assembly", "BodyStates", "Wrench", "Model", "State"),
)
exempt("a material cannot be changed", "Material.friction", "Material.restitution")
exempt("a world makes it", "Contact", "Contacts", "Hits", "Nearest", "Overlaps", "ShapeHandle")
exempt("the constructor or method that is given it checks it", "Exclusion", "Gimbal")
exempt("an abstract class, whose constructor subclasses call", "Joint")
exempt(
    "the world calls it with its own objects",
    *("BodyStates.point_to_world", "BodyStates.row", "BodyStates.to_body", "BodyStates.to_world"),
)
for _class in (
    "Force",
    "FieldForce",
    "BodyTorque",
    "ConstantForce",
    "ConstantTorque",
    "Spring",
    "Thruster",
    "ThrusterBank",
    "UniformGravity",
):
    exempt("the world calls it with the wrench and the bodies of a tick", f"{_class}.apply")
for _class in ("ConstantForce", "GravityGradient", "Lorentz", "PointGravity", "Spring", "UniformGravity"):
    exempt("the world calls it with the bodies of a tick", f"{_class}.potential_energy")
for _name in (
    *("add", "add_scaled", "apply_symmetric", "conjugate", "cosine", "cross", "dot", "exponential", "logarithm"),
    *("multiply", "norm", "power", "rotate", "rotate_inverse", "scale", "sine", "sine_cosine", "sqrt", "subtract"),
):
    exempt("arithmetic for the inner loop of compiled forces", f"scalar.{_name}")
for _class, (_law, _owner) in _LAWS.items():
    if _class == "Law":
        method("Law.torque_body", lambda s: control.RateDamping(1.0), _owner, changes=False, **_SAMPLED)
    elif _class in ("BDot", "MRPFeedback"):  # the other laws have the method of the latter
        _state = rows(_law.state_size, [0.5] * _law.state_size) if _law.state_size else ANYTHING
        method(
            "BDot.update" if _class == "BDot" else "FormulaLaw.update",
            lambda s, law=_law: law,
            _class,
            changes=False,
            **(_SAMPLED | ({"reference": arg(ANYTHING, None)} if _class == "BDot" else {})),
            state=arg(_state, [0.0] * _law.state_size),
        )
exempt("an abstract method, or one that only counts", "Law.initial_state", "Law.update")
exempt(
    "it reads the momenta of the wheels only",
    "MomentumManager.update",
    "MomentumManager.initial_state",
    "BDot.initial_state",
)
exempt(
    "only += may assign it",
    *(f"Wrench.{name}" for name in ("force_body", "force_world", "motor_torque_body", "torque_body", "torque_world")),
)
