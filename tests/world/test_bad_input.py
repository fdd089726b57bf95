"""Invalid input is rejected before anything changes, with a message that names owner, argument, value and rule."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from engine import Clock, MassProperties, NonFiniteStateError, World, flight, forces, integrators

from ..helpers import SKEW_ORIENTATION, skew_tensor

SHIP = MassProperties(3.0, skew_tensor((1.0, 2.0, 2.5)), (0.3, -0.2, 0.5))


class Explosive(float):
    """A number by its class that cannot be read."""

    def __float__(self):
        raise RuntimeError("no reading today")


class Hollow:
    """Has a length of sorts, but is no number and holds none."""

    def __float__(self):
        return 1.0


class Broken:
    """Breaks when it is read through."""

    def __iter__(self):
        raise RuntimeError("no reading today")


BAD_REALS = [
    math.nan,
    math.inf,
    -math.inf,
    np.float32("nan"),
    np.float64("inf"),
    True,
    np.bool_(True),
    "1.0",
    b"1",
    1j,
    np.complex128(1.0),
    Decimal("1.5"),
    (1.0, 2.0),
    [1.0],
    np.array([1.0, 2.0]),
    np.array([1.0]),
    np.array(True),
    np.array(1j),
    10**400,
    Explosive(1.0),
    Hollow(),
    object(),
    {},
    np.datetime64("2020-01-01"),
    lambda: 1.0,
]

BAD_VECTORS = [
    (math.nan, 0.0, 0.0),
    (0.0, math.inf, 0.0),
    np.array([0.0, 0.0, -math.inf]),
    (1.0, 2.0),
    (1.0, 2.0, 3.0, 4.0, 5.0),
    (),
    [],
    5.0,
    True,
    "abc",
    b"abc",
    bytearray(b"abc"),
    (True, 0.0, 0.0),
    (np.bool_(True), 0.0, 0.0),
    ("1", "2", "3"),
    (None, 0.0, 0.0),
    (1j, 0.0, 0.0),
    (Decimal(1), 0.0, 0.0),
    ((1.0, 2.0), (1.0,), (2.0,)),
    (1.0, (2.0,), 3.0),
    np.zeros((3, 2)),
    np.zeros((2, 2, 2)),
    np.array([True, False, True]),
    np.array(["1", "2", "3"]),
    np.array([1j, 0.0, 0.0]),
    np.array([None, None, None], dtype=object),
    np.array(["2020", "2021", "2022"], dtype="datetime64[Y]"),
    np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False]),
    np.array(5.0),
    np.array(1j),
    np.array("abc"),
    (10**400, 0.0, 0.0),
    (Explosive(1.0), 0.0, 0.0),
    (Hollow(), 0.0, 0.0),
    object(),
    Broken(),
    {1.0: 2.0, 3.0: 4.0, 5.0: 6.0},
    {1.0, 2.0, 3.0},
    len,
]
NOT_THREE = [np.zeros((1, 3)), [(1.0, 2.0, 3.0)], np.zeros((3, 1))]
BAD_QUATERNIONS = [
    *(value for value in BAD_VECTORS),
    (0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 2.0),
    (0.0, 0.0, 0.0, 1.0 + 2e-6),
    (0.0, 0.0, 0.0, 1.0 - 2e-6),
    (0.0, 0.0, 1.0),
    (1e308, 1e308, 0.0, 0.0),
    (math.nan, 0.0, 0.0, 1.0),
    (1e-320, 0.0, 0.0, 0.0),
]
NONE = [None]
NEGATIVE = [-1.0, -1e-300, -1]
NOT_POSITIVE = [0.0, -0.0, 0, *NEGATIVE]
BAD_COUNTS = [1.5, 2.0, True, np.bool_(True), "1", None, math.nan, -1, [1], 1j, Fraction(3, 2)]


def scene():
    """A world in flight, with a push to come."""
    world = World(0.05)
    ship = world.add_body(
        SHIP, name="ship", position=(1, 2, 3), orientation=SKEW_ORIENTATION, angular_velocity_body=(1, 2, 0.5)
    )
    world.add_body(SHIP, name="tug")
    world.add_force(forces.UniformGravity((0.1, 0.2, -9.0)))
    thruster = world.add_force(forces.Thruster(ship, position=(0, 0, 1), direction=(0, 1, 1), max_force=4.0))
    thruster.throttle = 0.5
    bank = world.add_force(forces.ThrusterBank(ship, positions=np.eye(3), directions=np.eye(3), max_forces=2.0))
    bank.throttle = (0.1, 0.2, 0.3)
    world.advance(0.12)
    ship.apply_force((0.1, 0.2, 0.3))
    return world, ship, thruster, bank


# name: (what is called with the value, whose argument it is, which argument, values that are bad)
WORLD_CALLS = {
    "World.advance": (
        lambda w, s, t, b, v: w.advance(v),
        "World.advance",
        "elapsed_seconds",
        [*BAD_REALS, *NONE, *NEGATIVE],
    ),
    "World.step": (lambda w, s, t, b, v: w.step(v), "World.step", "ticks", BAD_COUNTS),
    "World.time_scale": (
        lambda w, s, t, b, v: setattr(w, "time_scale", v),
        "World",
        "time_scale",
        [*BAD_REALS, *NONE, *NEGATIVE],
    ),
    "World.max_ticks_per_frame": (
        lambda w, s, t, b, v: setattr(w, "max_ticks_per_frame", v),
        "World",
        "max_ticks_per_frame",
        [*BAD_COUNTS, 0],
    ),
    "World.paused": (
        lambda w, s, t, b, v: setattr(w, "paused", v),
        "World",
        "paused",
        [1, 0, "yes", None, 1.0, [True]],
    ),
    "World.game_mode": (
        lambda w, s, t, b, v: setattr(w, "game_mode", v),
        "World",
        "game_mode",
        [1, 0, "yes", None, 1.0, [True]],
    ),
    "World.integrator": (
        lambda w, s, t, b, v: setattr(w, "integrator", v),
        "World",
        "integrator",
        ["rk6", "", None, 4, integrators.RungeKutta4, object()],
    ),
    "World.add_force": (
        lambda w, s, t, b, v: w.add_force(v),
        "World.add_force",
        "force",
        [None, 5.0, "gravity", (1, 2, 3), forces.UniformGravity, object()],
    ),
    "World.remove_force": (
        lambda w, s, t, b, v: w.remove_force(v),
        "World.remove_force",
        "force",
        [None, 5.0, len, "gravity"],
    ),
    "World.on_tick": (lambda w, s, t, b, v: w.on_tick(v), "World.on_tick", "function", [5.0, "f", (1,), object()]),
    "World.on_tick every": (lambda w, s, t, b, v: w.on_tick(len, every=v), "World.on_tick", "every", [*BAD_COUNTS, 0]),
    "World.on_tick(every)": (lambda w, s, t, b, v: w.on_tick(every=v), "World.on_tick", "every", [*BAD_COUNTS, 0]),
    "World.remove_callback": (
        lambda w, s, t, b, v: w.remove_callback(v),
        "World.remove_callback",
        "function",
        [None, 5.0, len, "f"],
    ),
    "World.remove_body": (
        lambda w, s, t, b, v: w.remove_body(v),
        "World.remove_body",
        "body",
        [None, 0, "ship", len, SHIP],
    ),
    "World.angular_momentum": (
        lambda w, s, t, b, v: w.angular_momentum(v),
        "World.angular_momentum",
        "about",
        [*BAD_VECTORS, *NOT_THREE, *NONE],
    ),
    "add_body mass_properties": (
        lambda w, s, t, b, v: w.add_body(v, name="x"),
        "body 'x'",
        "mass_properties",
        [
            None,
            5.0,
            "box",
            (1.0, 2.0, 3.0),
            MassProperties,
            MassProperties.rod(1.0, 1.0),
            MassProperties.point_mass(1.0),
        ],
    ),
    "add_body name": (
        lambda w, s, t, b, v: w.add_body(SHIP, name=v),
        "",
        "name",
        [5, b"x", ("x",), 1.0, "ship", "tug"],
    ),
    "Body.mass_properties": (
        lambda w, s, t, b, v: setattr(s, "mass_properties", v),
        "body 'ship'",
        "mass_properties",
        [None, 5.0, "box", MassProperties.rod(1.0, 1.0), MassProperties.point_mass(1.0)],
    ),
    "Thruster.throttle": (
        lambda w, s, t, b, v: setattr(t, "throttle", v),
        "Thruster(body 'ship'",
        "throttle",
        [*BAD_REALS, *NONE, *NEGATIVE, 1.0 + 1e-15, 2],
    ),
    "ThrusterBank.throttle": (
        lambda w, s, t, b, v: setattr(b, "throttle", v),
        "ThrusterBank(body 'ship'",
        "throttle",
        [
            *(value for value in BAD_VECTORS if not isinstance(value, float)),
            *NOT_THREE,
            *NONE,
            *NEGATIVE,
            math.nan,
            1.5,
            (0.5, 0.5, 1.5),
            (0.5, -0.5, 0.5),
            (0.5, 0.5),
        ],
    ),
    "interpolated_pose": (
        lambda w, s, t, b, v: s.interpolated_pose(v),
        "body 'ship'",
        "alpha",
        [*BAD_REALS, *NEGATIVE, 1.0 + 1e-15, 2],
    ),
}
for _name in (
    "position",
    "velocity",
    "angular_velocity_body",
    "angular_velocity_world",
    "angular_momentum_world",
    "stored_momentum_body",
):
    WORLD_CALLS[f"Body.{_name}"] = (
        lambda w, s, t, b, v, name=_name: setattr(s, name, v),
        "body 'ship'",
        _name,
        [*BAD_VECTORS, *NOT_THREE, *NONE],
    )
for _name in ("orientation",):
    WORLD_CALLS[f"Body.{_name}"] = (
        lambda w, s, t, b, v: setattr(s, "orientation", v),
        "body 'ship'",
        "orientation",
        [*BAD_QUATERNIONS, *NONE],
    )
for _name, _first, _second in (
    ("apply_force", "force_world", "at_world"),
    ("apply_force_body", "force_body", "at_body"),
    ("apply_impulse", "impulse_world", "at_world"),
    ("apply_impulse_body", "impulse_body", "at_body"),
    ("apply_torque", "torque_world", None),
    ("apply_torque_body", "torque_body", None),
    ("apply_angular_impulse", "angular_impulse_world", None),
):
    WORLD_CALLS[f"Body.{_name}"] = (
        lambda w, s, t, b, v, name=_name: getattr(s, name)(v),
        "body 'ship'",
        _first,
        [*BAD_VECTORS, *NOT_THREE, *NONE],
    )
    if _second:
        WORLD_CALLS[f"Body.{_name} at"] = (
            lambda w, s, t, b, v, name=_name: getattr(s, name)((1.0, 2.0, 3.0), v),
            "body 'ship'",
            _second,
            [*BAD_VECTORS, *NOT_THREE],
        )
for _name, _argument in (
    ("to_world", "point_body"),
    ("to_body", "point_world"),
    ("direction_to_world", "direction_body"),
    ("direction_to_body", "direction_world"),
    ("velocity_at", "point_body"),
):
    WORLD_CALLS[f"Body.{_name}"] = (
        lambda w, s, t, b, v, name=_name: getattr(s, name)(v),
        "body 'ship'",
        _argument,
        [*BAD_VECTORS, *NONE],
    )
for _name in ("position", "origin", "velocity", "angular_velocity_body", "angular_velocity_world"):
    _optional = _name != "velocity"
    WORLD_CALLS[f"add_body {_name}"] = (
        lambda w, s, t, b, v, name=_name: w.add_body(SHIP, name="x", **{name: v}),
        "body 'x'",
        _name,
        [*BAD_VECTORS, *NOT_THREE, *([] if _optional else NONE)],
    )
    WORLD_CALLS[f"add_bodies {_name}"] = (
        lambda w, s, t, b, v, name=_name: w.add_bodies([SHIP, SHIP], **{name: v}),
        "World.add_bodies",
        _name,
        [
            *(value for value in BAD_VECTORS if np.ndim(np.empty(0) if isinstance(value, tuple | list) else value) < 2),
            np.full((2, 3), math.nan),
            np.zeros((2, 2)),
            np.zeros((2, 3), dtype=bool),
            np.zeros((2, 3), dtype=complex),
            [(1.0, 2.0, 3.0), (1.0, 2.0, "3")],
            *([] if _optional else NONE),
        ],
    )
WORLD_CALLS["add_body orientation"] = (
    lambda w, s, t, b, v: w.add_body(SHIP, name="x", orientation=v),
    "body 'x'",
    "orientation",
    [*BAD_QUATERNIONS, *NONE],
)
WORLD_CALLS["add_bodies orientation"] = (
    lambda w, s, t, b, v: w.add_bodies([SHIP, SHIP], orientation=v),
    "World.add_bodies",
    "orientation",
    [(0.0, 0.0, 0.0, 0.0), (1.0, 2.0, 3.0), np.zeros((2, 4)), [(0, 0, 0, 1), (0, 0, 0, 1.1)], None, "abcd", 5.0],
)
for _name, _size in (
    ("position", 3),
    ("orientation", 4),
    ("velocity", 3),
    ("angular_velocity_body", 3),
    ("angular_velocity_world", 3),
    ("stored_momentum_body", 3),
):
    WORLD_CALLS[f"World.state.{_name}"] = (
        lambda w, s, t, b, v, name=_name: setattr(w.state, name, v),
        "World.state",
        _name,
        [
            np.full((2, _size), math.nan),
            np.zeros((3, _size)),
            np.zeros((2, _size + 1)),
            np.zeros(_size),
            np.zeros((2, _size), dtype=bool),
            np.zeros((2, _size), dtype=complex),
            np.array([["0"] * _size] * 2),
            [[0.0] * _size, ["x"] * _size],
            [[0.0] * _size, [0.0]],
            np.ma.masked_array(np.zeros((2, _size)), mask=True),
            5.0,
            None,
            "text",
        ],
    )


def complaints(call, values, *words):
    """What is wrong with the way in which values are refused; empty if each raises one of the two errors, with these words in its text."""
    wrong = []
    for value in values:
        try:
            result = call(value)
        except (TypeError, ValueError) as error:
            missing = [word for word in words if word not in str(error)]
            if missing:
                wrong.append(f"{value!r} is refused without a word of {missing}: {error}")
        except Exception as error:
            wrong.append(f"{value!r} raises {error!r}")
        else:
            wrong.append(f"{value!r} is taken and gives {result!r}")
    return wrong


@pytest.mark.parametrize("name", WORLD_CALLS)
def test_a_world_refuses_in_clear_words_and_is_as_it_was(name):
    call, owner, argument, values = WORLD_CALLS[name]
    world, *rest = scene()

    def seen():
        return (
            world.state_hash(),
            world.alpha,
            world.tick_count,
            world.bodies,
            world.forces,
            world.time_scale,
            world.paused,
        )

    before = seen()
    wrong = complaints(lambda value: call(world, *rest, value), values, owner, argument, " must be ")
    assert wrong == []
    assert seen() == before
    world.step()


def atmospheric_drag(body, **changed):
    given = {"density": 1.0, "reference_altitude": 0.0, "scale_height": 8e3, "planet_radius": 6e6}
    return forces.AtmosphericDrag(body, **{"drag_area": 1.0, "at_body": (0, 0, 0), **given, **changed})


def radiation_pressure(body, **changed):
    given = {"area": 1.0, "normal_body": (0, 0, 1), "at_body": (0, 0, 0), "sun_direction_world": (0, 0, 1)}
    return forces.RadiationPressure(body, **{"specular": 0.3, "diffuse": 0.4, **given, **changed})


def magnetorquer(body, **changed):
    given = {"axis": (0, 0, 1), "max_dipole": 1.0, "field": forces.MagneticDipole(1.0, (0, 0, 1))}
    return flight.Magnetorquer(body, **{**given, **changed})


POSITIVE, AT_LEAST_ZERO, ANY = "positive", "at least zero", "any"
REAL_ARGUMENTS = {
    "World dt": (lambda v, s: World(v), "dt", POSITIVE),
    "Clock dt": (lambda v, s: Clock(v), "dt", POSITIVE),
    "LinearDrag": (lambda v, s: forces.LinearDrag(v), "coefficient", AT_LEAST_ZERO),
    "QuadraticDrag": (lambda v, s: forces.QuadraticDrag(v), "coefficient", AT_LEAST_ZERO),
    "AngularDamping": (lambda v, s: forces.AngularDamping(v), "coefficient", AT_LEAST_ZERO),
    "PointGravity gm": (lambda v, s: forces.PointGravity(v), "gm", POSITIVE),
    "PointGravity j2": (lambda v, s: forces.PointGravity(1.0, j2=v, reference_radius=1.0), "j2", ANY),
    "PointGravity radius": (
        lambda v, s: forces.PointGravity(1.0, j2=1.0, reference_radius=v),
        "reference_radius",
        POSITIVE,
    ),
    "GravityGradient gm": (lambda v, s: forces.GravityGradient(v), "gm", POSITIVE),
    "Thruster": (
        lambda v, s: forces.Thruster(s, position=(0, 0, 0), direction=(0, 0, 1), max_force=v),
        "max_force",
        AT_LEAST_ZERO,
    ),
    "Spring stiffness": (lambda v, s: forces.Spring(s, None, stiffness=v), "stiffness", AT_LEAST_ZERO),
    "Spring damping": (lambda v, s: forces.Spring(s, None, stiffness=1.0, damping=v), "damping", AT_LEAST_ZERO),
    "Spring rest_length": (
        lambda v, s: forces.Spring(s, None, stiffness=1.0, rest_length=v),
        "rest_length",
        AT_LEAST_ZERO,
    ),
    "Lorentz": (lambda v, s: forces.Lorentz(v), "charge", ANY),
    "AtmosphericDrag area": (lambda v, s: atmospheric_drag(s, drag_area=v), "drag_area", AT_LEAST_ZERO),
    "AtmosphericDrag density": (lambda v, s: atmospheric_drag(s, density=v), "density", AT_LEAST_ZERO),
    "AtmosphericDrag altitude": (lambda v, s: atmospheric_drag(s, reference_altitude=v), "reference_altitude", ANY),
    "AtmosphericDrag height": (lambda v, s: atmospheric_drag(s, scale_height=v), "scale_height", POSITIVE),
    "AtmosphericDrag radius": (lambda v, s: atmospheric_drag(s, planet_radius=v), "planet_radius", AT_LEAST_ZERO),
    "RadiationPressure area": (lambda v, s: radiation_pressure(s, area=v), "area", AT_LEAST_ZERO),
    "RadiationPressure pressure": (lambda v, s: radiation_pressure(s, pressure=v), "pressure", AT_LEAST_ZERO),
    "RadiationPressure shadow": (
        lambda v, s: radiation_pressure(s, shadow=((0, 0, 0), v)),
        "shadow radius",
        POSITIVE,
    ),
    "MagneticDipole strength": (lambda v, s: forces.MagneticDipole(v, (0, 0, 1)), "strength", POSITIVE),
    "Magnetorquer": (lambda v, s: magnetorquer(s, max_dipole=v), "max_dipole", POSITIVE),
    "MassProperties": (lambda v, s: MassProperties(v, (1.0, 1.0, 1.0)), "mass", POSITIVE),
    "MassProperties.sphere mass": (lambda v, s: MassProperties.sphere(v, 1.0), "mass", POSITIVE),
    "MassProperties.sphere radius": (lambda v, s: MassProperties.sphere(1.0, v), "radius", POSITIVE),
    "MassProperties.sphere density": (lambda v, s: MassProperties.sphere(radius=1.0, density=v), "density", POSITIVE),
    "MassProperties.hollow_sphere": (lambda v, s: MassProperties.hollow_sphere(1.0, v), "radius", POSITIVE),
    "MassProperties.cylinder": (lambda v, s: MassProperties.cylinder(1.0, v, 1.0), "radius", POSITIVE),
    "MassProperties.cylinder height": (lambda v, s: MassProperties.cylinder(1.0, 1.0, v), "height", POSITIVE),
    "MassProperties.capsule": (lambda v, s: MassProperties.capsule(1.0, v, 1.0), "radius", POSITIVE),
    "MassProperties.cone": (lambda v, s: MassProperties.cone(1.0, 1.0, v), "height", POSITIVE),
    "MassProperties.rod": (lambda v, s: MassProperties.rod(1.0, v), "length", POSITIVE),
    "MassProperties.point_mass": (lambda v, s: MassProperties.point_mass(v), "mass", POSITIVE),
}


@pytest.mark.parametrize("name", REAL_ARGUMENTS)
def test_a_number_is_a_finite_real_number(name):
    call, argument, kind = REAL_ARGUMENTS[name]
    _, ship, *_ = scene()
    bad = [*BAD_REALS, *{POSITIVE: NOT_POSITIVE, AT_LEAST_ZERO: NEGATIVE, ANY: []}[kind]]
    assert complaints(lambda value: call(value, ship), bad, name.split()[0], argument, " must be ") == []
    for value in (2, 2.0, np.float32(2.0), np.float64(2.0), np.int16(2), Fraction(2), np.array(2.0), 10**20, 1e-3):
        if name == "World dt" and isinstance(value, int | np.integer):
            continue  # probably a frequency
        call(value, ship)


VECTOR_ARGUMENTS = {
    "UniformGravity": (lambda v, s: forces.UniformGravity(v), "acceleration_world", False),
    "PointGravity center": (lambda v, s: forces.PointGravity(1.0, center=v), "center", False),
    "PointGravity axis": (lambda v, s: forces.PointGravity(1.0, axis=v), "axis", True),
    "GravityGradient center": (lambda v, s: forces.GravityGradient(1.0, center=v), "center", False),
    "Thruster position": (
        lambda v, s: forces.Thruster(s, position=v, direction=(0, 0, 1), max_force=1.0),
        "position",
        False,
    ),
    "Thruster direction": (
        lambda v, s: forces.Thruster(s, position=(0, 0, 0), direction=v, max_force=1.0),
        "direction",
        True,
    ),
    "ConstantForce": (lambda v, s: forces.ConstantForce(s, force_world=v), "force_world", False),
    "ConstantForce body": (lambda v, s: forces.ConstantForce(s, force_body=v), "force_body", False),
    "ConstantForce at": (lambda v, s: forces.ConstantForce(s, force_body=(0, 0, 1), at_body=v), "at_body", False),
    "ConstantTorque": (lambda v, s: forces.ConstantTorque(s, torque_world=v), "torque_world", False),
    "ConstantTorque body": (lambda v, s: forces.ConstantTorque(s, torque_body=v), "torque_body", False),
    "Spring at_body": (lambda v, s: forces.Spring(s, None, at_body=v, stiffness=1.0), "at_body", False),
    "Spring at_other": (lambda v, s: forces.Spring(s, None, at_other=v, stiffness=1.0), "at_other", False),
    "Lorentz electric": (lambda v, s: forces.Lorentz(1.0, electric_field=v), "electric_field", False),
    "Lorentz magnetic": (lambda v, s: forces.Lorentz(1.0, magnetic_field=v), "magnetic_field", False),
    "AtmosphericDrag at": (lambda v, s: atmospheric_drag(s, at_body=v), "at_body", False),
    "AtmosphericDrag center": (lambda v, s: atmospheric_drag(s, center=v), "center", False),
    "AtmosphericDrag rate": (lambda v, s: atmospheric_drag(s, planet_rate_world=v), "planet_rate_world", False),
    "RadiationPressure at": (lambda v, s: radiation_pressure(s, at_body=v), "at_body", False),
    "RadiationPressure normal": (lambda v, s: radiation_pressure(s, normal_body=v), "normal_body", True),
    "RadiationPressure sun": (lambda v, s: radiation_pressure(s, sun_direction_world=v), "sun_direction_world", True),
    "RadiationPressure shadow": (lambda v, s: radiation_pressure(s, shadow=(v, 1.0)), "shadow center", False),
    "MagneticDipole axis": (lambda v, s: forces.MagneticDipole(1.0, v), "axis_world", True),
    "MagneticDipole center": (lambda v, s: forces.MagneticDipole(1.0, (0, 0, 1), v), "center", False),
    "Magnetorquer axis": (lambda v, s: magnetorquer(s, axis=v), "axis", True),
    "MassProperties center": (lambda v, s: MassProperties(1.0, (1, 1, 1), v), "center_of_mass_body", False),
    "MassProperties inertia": (lambda v, s: MassProperties(1.0, v), "inertia_body", None),
    "MassProperties box": (lambda v, s: MassProperties.box(1.0, v), "size", None),
    "MassProperties ellipsoid": (lambda v, s: MassProperties.ellipsoid(1.0, v), "semi_axes", None),
}
GOOD_VECTORS = [
    (1, 2, 2),
    [1.0, 2, Fraction(5, 2)],
    np.array([1, 2, 2]),
    np.array([1, 2, 2], dtype=np.float32),
    np.array([1, 2, 2], dtype=np.uint8),
    np.array([1, 2, 2], dtype=object),
    np.array([[1.0, 9.0], [2.0, 9.0], [2.0, 9.0]])[:, 0],
    (np.float32(1.0), np.int8(2), np.array(2.0)),
    (10**20, 10**20, 10**20),
    range(2, 5),
]


@pytest.mark.parametrize("name", VECTOR_ARGUMENTS)
def test_a_vector_is_three_finite_real_numbers(name):
    """`length`: True where a vector of no length has no meaning; None where it has to be positive."""
    call, argument, length = VECTOR_ARGUMENTS[name]
    _, ship, *_ = scene()
    extra = [] if length is False else [(0.0, 0.0, 0.0), (-0.0, 0.0, 0.0)]
    if length is None:
        extra = [(1.0, 1.0, -1.0)]
    bad = [*BAD_VECTORS, *NOT_THREE, *extra]
    assert complaints(lambda value: call(value, ship), bad, name.split()[0], argument, " must be ") == []
    for value in GOOD_VECTORS:
        call(value, ship)


@pytest.mark.parametrize("value", GOOD_VECTORS, ids=repr)
def test_real_numbers_in_any_dress_are_taken(value):
    expected = [float(component) for component in value]
    world, ship, *_ = scene()
    for name in ("position", "velocity", "angular_velocity_body", "stored_momentum_body"):
        setattr(ship, name, value)
        assert_array_equal(getattr(ship, name), expected)
    fresh = world.add_body(SHIP, position=value, velocity=value)
    assert_array_equal(fresh.position, expected)
    assert_array_equal(fresh.velocity, expected)
    assert_array_equal(forces.UniformGravity(value).acceleration_world, expected)


BODY_ARGUMENTS = {
    "Thruster": lambda v, s: forces.Thruster(v, position=(0, 0, 0), direction=(0, 0, 1), max_force=1.0),
    "ThrusterBank": lambda v, s: forces.ThrusterBank(v, positions=np.eye(3), directions=np.eye(3), max_forces=1.0),
    "ConstantForce": lambda v, s: forces.ConstantForce(v, force_world=(0, 0, 1)),
    "ConstantTorque": lambda v, s: forces.ConstantTorque(v, torque_world=(0, 0, 1)),
    "Spring": lambda v, s: forces.Spring(v, None, stiffness=1.0),
    "Spring other": lambda v, s: forces.Spring(s, 0 if v is None else v, stiffness=1.0),
    "LinearDrag": lambda v, s: forces.LinearDrag(1.0, bodies=[v]),
    "LinearDrag bodies": lambda v, s: forces.LinearDrag(1.0, bodies=5 if v is None else v),
    "LinearDrag two": lambda v, s: forces.LinearDrag(1.0, bodies=[s, v]),
    "Lorentz": lambda v, s: forces.Lorentz(1.0, bodies=[v]),
    "AtmosphericDrag": lambda v, s: atmospheric_drag(v),
    "RadiationPressure": lambda v, s: radiation_pressure(v),
    "Magnetorquer": lambda v, s: magnetorquer(v),
}


@pytest.mark.parametrize("name", BODY_ARGUMENTS)
def test_a_body_is_a_body_of_a_world(name):
    """Also not what merely looks like one: the mass properties have an inertia as well."""
    world, ship, *_ = scene()
    bad = (None, 0, "ship", SHIP, MassProperties, (1.0, 2.0, 3.0), world, object())
    assert complaints(lambda value: BODY_ARGUMENTS[name](value, ship), bad, name.split()[0], " must be ") == []


def test_forces_refuse_what_contradicts_itself():
    _, ship, *_ = scene()
    for call in (
        lambda: forces.ConstantForce(ship),
        lambda: forces.ConstantForce(ship, force_world=(0, 0, 1), force_body=(0, 0, 1)),
        lambda: forces.ConstantTorque(ship),
        lambda: forces.ConstantTorque(ship, torque_world=(0, 0, 1), torque_body=(0, 0, 1)),
        lambda: forces.PointGravity(1.0, j2=0.1),
        lambda: forces.Spring(ship, ship, stiffness=1.0),
        lambda: forces.LinearDrag(1.0, bodies=[]),
        lambda: forces.LinearDrag(1.0, bodies=[ship, ship]),
        lambda: forces.ThrusterBank(ship, positions=np.eye(3), directions=np.eye(3)[:2], max_forces=1.0),
        lambda: forces.ThrusterBank(ship, positions=np.zeros((0, 3)), directions=np.zeros((0, 3)), max_forces=1.0),
        lambda: forces.ThrusterBank(ship, positions=np.eye(3), directions=np.zeros((3, 3)), max_forces=1.0),
        lambda: forces.ThrusterBank(ship, positions=np.eye(3), directions=np.eye(3), max_forces=(1.0, 2.0)),
        lambda: forces.ThrusterBank(ship, positions=np.eye(3), directions=np.eye(3), max_forces=(1.0, 2.0, -1.0)),
        lambda: forces.ThrusterBank(ship, positions=np.eye(3), directions=np.eye(3), max_forces=True),
        lambda: integrators.RungeKutta4(variables="momentum"),
        lambda: integrators.RungeKutta4(variables=None),
    ):
        with pytest.raises((TypeError, ValueError), match="must be"):
            call()


def test_a_force_that_cannot_say_when_it_is_evaluated_is_refused():
    world, *_ = scene()

    def wind(wrench, bodies, time):
        pass

    wind.evaluate = "sometimes"
    with pytest.raises(
        ValueError, match=r"World\.add_force: force\.evaluate must be 'tick' or 'stage'; got 'sometimes'"
    ):
        world.add_force(wind)


def test_options_of_a_world_are_refused_too():
    for options in (
        {"integrator": "euler"},
        {"integrator": 4},
        {"game_mode": 1},
        {"game_mode": None},
        {"max_ticks_per_frame": 0},
        {"max_ticks_per_frame": 2.5},
        {"max_ticks_per_frame": True},
    ):
        with pytest.raises((TypeError, ValueError), match=f"{next(iter(options))} must be"):
            World(0.1, **options)


@pytest.mark.parametrize(
    "arguments",
    [
        {"body_or_row": 2},
        {"body_or_row": -1},
        {"body_or_row": True},
        {"body_or_row": "ship"},
        {"body_or_row": None},
        {"body_or_row": 0.0},
        {"body_or_row": [0]},
        {"force_world": (1.0, 2.0)},
        {"force_world": "abc"},
        {"force_world": ("1", "2", "3")},
        {"force_world": (None, 0.0, 0.0)},
        {"force_world": (1j, 0.0, 0.0)},
        {"force_world": 5.0},
        {"force_body": np.zeros((1, 3))},
        {"torque_world": (True, False, True)},
        {"torque_body": (1.0, 2.0, 3.0, 4.0)},
        {"force_body": (1.0, 2.0, 3.0), "at_body": "abc"},
        {"force_world": (1.0, 2.0, 3.0), "at_body": (0.0, 0.0)},
    ],
    ids=str,
)
def test_a_wrench_refuses_what_is_no_force_and_the_tick_is_not_taken(arguments):
    world, *_ = scene()
    before = world.state_hash()
    given = {"force_world": (1.0, 0.0, 0.0), **arguments}
    body_or_row = given.pop("body_or_row", 0)

    def broken(wrench, bodies, time):
        wrench.add(body_or_row, **given)

    world.add_force(broken)
    with pytest.raises((TypeError, ValueError), match=r"Wrench.add: \w+ must be"):
        world.step()
    world.remove_force(broken)
    assert world.state_hash() == before


def test_a_wrench_refuses_a_body_that_was_removed_or_lives_elsewhere():
    world, *_ = scene()
    gone = world.add_body(SHIP, name="gone")
    world.remove_body(gone)
    _, stranger, *_ = scene()
    for body, text in (
        (gone, "body 'gone' was removed"),
        (stranger, "Wrench.add: body_or_row must be a body of this world"),
    ):

        def push(wrench, bodies, time, body=body):
            wrench.add(body, force_world=(1.0, 0.0, 0.0))

        world.add_force(push)
        with pytest.raises(ValueError, match=text):
            world.step()
        world.remove_force(push)


# numbers at the edge of what there is

EXTREMES = [1e308, -1e308, 1e-320, 5e-324, -0.0, 1e200, 1e-200]


@pytest.mark.parametrize(
    "name", [name for name in WORLD_CALLS if name.startswith("Body.") and WORLD_CALLS[name][3][0] is BAD_VECTORS[0]]
)
def test_the_largest_and_smallest_numbers_are_taken_or_refused_and_never_become_inf(name):
    call = WORLD_CALLS[name][0]
    for extreme in EXTREMES:
        for value in ((extreme, 0.0, 0.0), (extreme, -extreme, extreme)):
            world, *rest = scene()
            with np.errstate(all="ignore"):
                before = world.state_hash()
                try:
                    result = call(world, *rest, value)
                except ValueError:
                    assert world.state_hash() == before
                else:
                    # what is read off may be beyond all numbers; what is kept may not
                    assert result is None or isinstance(result, np.ndarray)
                    for kept in ("position", "velocity", "angular_velocity_body", "orientation"):
                        assert np.isfinite(getattr(world.state, kept)).all()
                    for push in world._held.pushes.content().T:
                        assert np.isfinite(push).all(), f"{value} left a push of {push.tolist()}"


def test_pushes_that_add_up_to_more_than_there_is_are_refused():
    world, ship, *_ = scene()
    ship.apply_force((1.5e308, 0.0, 0.0))
    before = world.state_hash()
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="body 'ship'"):
        ship.apply_force((1.5e308, 0.0, 0.0))
    assert world.state_hash() == before


@pytest.mark.parametrize("dt", [1e308, 1e-320, 5e-324, 1e200])
def test_a_tick_of_any_length_moves_or_says_why_not(dt):
    world = World(dt)
    world.add_body(SHIP, velocity=(1.0, 0.0, 0.0), angular_velocity_body=(1.0, 2.0, 3.0))
    try:
        world.step(3)
    except NonFiniteStateError:
        assert world.tick_count < 3
    assert np.isfinite(world.state.position).all()
    assert np.isfinite(world.state.orientation).all()
    world.advance(0.01)
    assert 0.0 <= world.alpha < 1.0


def test_a_unit_quaternion_may_be_off_by_a_millionth():
    world, ship, *_ = scene()
    for factor in (1.0 - 9.9e-7, 1.0 + 9.9e-7, 1.0):
        ship.orientation = factor * np.array(SKEW_ORIENTATION)
        assert np.linalg.norm(ship.orientation) == pytest.approx(1.0, abs=3e-16)
        assert_array_equal(world.state.orientation[0], ship.orientation)


# what is passed in is copied


def test_arrays_changed_after_they_were_passed_make_no_difference():
    def flown(spoil):
        """A world made from arrays that are overwritten afterwards, or not."""
        arrays = []

        def given(*values):
            array = np.array(values, dtype=np.float64)
            arrays.append(array)
            return array

        tensor = given((2.0, 0.3, 0.1), (0.3, 3.0, 0.2), (0.1, 0.2, 4.0))
        properties = MassProperties(2.0, tensor, given(0.1, 0.2, 0.3))
        world = World(0.05)
        ship = world.add_body(
            properties,
            position=given(1.0, 2.0, 3.0),
            orientation=given(*SKEW_ORIENTATION),
            velocity=given(0.1, 0.2, 0.3),
            angular_velocity_body=given(1.0, 2.0, 3.0),
        )
        pair = world.add_bodies(
            properties, given((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), velocity=given((1, 2, 3), (3, 2, 1))
        )
        ship.position, ship.velocity = given(3.0, 2.0, 1.0), given(0.3, 0.2, 0.1)
        ship.stored_momentum_body = given(0.1, 0.0, 0.2)
        world.state.velocity = given((1, 2, 3), (4, 5, 6), (7, 8, 9))
        world.add_force(forces.UniformGravity(given(0.0, 0.0, -1.0)))
        thruster = forces.Thruster(ship, position=given(1.0, 0.0, 0.0), direction=given(0.0, 1.0, 1.0), max_force=1.0)
        world.add_force(thruster).throttle = 1.0
        bank = world.add_force(
            forces.ThrusterBank(
                pair[0],
                positions=given((1, 0, 0), (0, 1, 0)),
                directions=given((0, 1, 1), (1, 1, 0)),
                max_forces=given(1.0, 2.0),
            )
        )
        bank.throttle = given(0.5, 0.25)
        world.add_force(forces.ConstantForce(pair[1], force_world=given(1.0, 2.0, 3.0), at_body=given(0.1, 0.2, 0.3)))
        world.add_force(forces.ConstantTorque(pair[1], torque_body=given(1.0, 2.0, 3.0)))
        world.add_force(forces.Spring(ship, pair[0], at_body=given(1, 0, 0), at_other=given(0, 1, 0), stiffness=1.0))
        world.add_force(forces.PointGravity(1.0, center=given(9.0, 0.0, 0.0), axis=given(1.0, 1.0, 0.0)))
        world.add_force(forces.Lorentz(1.0, electric_field=given(1.0, 0.0, 0.0), magnetic_field=given(0.0, 1.0, 0.0)))
        world.add_force(bodies_of(pair))
        ship.apply_force(given(1.0, 2.0, 3.0), given(0.5, 0.5, 0.5))
        ship.apply_torque_body(given(0.1, 0.2, 0.3))
        if spoil:
            for array in arrays:
                array[...] = 77.0
        world.step(5)
        return world.state_hash()

    def bodies_of(pair):
        listed = list(pair)
        drag = forces.LinearDrag(0.1, bodies=listed)
        listed.clear()
        return drag

    assert flown(spoil=True) == flown(spoil=False)


def test_read_only_arrays_are_taken_and_left_as_they_were():
    _, ship, *_ = scene()
    given = np.array([1.0, 2.0, 3.0])
    given.flags.writeable = False
    ship.position = given
    ship.apply_force(given, given)
    assert_array_equal(given, (1.0, 2.0, 3.0))
    quaternion = np.array([0.0, 0.6, 0.0, 0.8]) * (1.0 + 5e-7)
    kept = quaternion.copy()
    ship.orientation = quaternion
    assert_array_equal(quaternion, kept)
    writable = np.array([1.0, 2.0, 3.0])
    forces.UniformGravity(writable)
    assert writable.flags.writeable
    forces.Thruster(ship, position=given, direction=writable, max_force=1.0)  # whose direction is of unit length
    assert_array_equal(writable, given)


# finite arguments with results that are not

EIGHTH_TURN = (0.0, 0.0, 0.3826834323650898, 0.9238795325112867)
LARGE = (1.7e308, 1.7e308, 0.0)
"""Finite, but the first component overflows when it is rotated by an eighth of a turn about z."""


@pytest.mark.parametrize("argument", ["origin", "angular_velocity_world"])
@pytest.mark.parametrize("several", [False, True])
def test_new_bodies_whose_state_would_not_be_finite_are_rejected_and_none_is_added(argument, several):
    world = World(0.01)
    solid = MassProperties(1.0, (1.0, 1.0, 1.0), (1e308, 1e308, 0.0))
    with pytest.raises(ValueError, match=rf"{argument} must be small enough for the result to be finite; got"):
        if several:
            world.add_bodies([solid] * 2, orientation=[EIGHTH_TURN] * 2, **{argument: [LARGE] * 2})
        else:
            world.add_body(solid, orientation=EIGHTH_TURN, **{argument: LARGE})
    assert not world.bodies


def test_rates_of_all_bodies_that_would_not_be_finite_are_rejected_and_change_nothing():
    world = World(0.01)
    body = world.add_body(SHIP, orientation=EIGHTH_TURN, angular_velocity_body=(0.1, 0.2, 0.3))
    before = world.state_hash()
    with pytest.raises(ValueError, match=r"World\.state: angular_velocity_world must be small enough"):
        world.state.angular_velocity_world = np.array([LARGE])
    assert world.state_hash() == before
    assert body.angular_velocity_body.tolist() == [0.1, 0.2, 0.3]


def test_a_spring_to_a_point_in_place_of_a_body_is_told_where_the_point_belongs():
    ship = World(0.01).add_body(SHIP)
    with pytest.raises(
        TypeError, match="Spring: other must be a body of a world, or None for the fixed point at_other"
    ):
        forces.Spring(ship, (0.0, 0.0, 0.0), stiffness=1.0)


class Frame:
    """Behaves like a DataFrame or a Series of pandas: a sequence of labels, with the values in `__array__`."""

    def __init__(self, values, labels):
        self.values, self.labels = np.array(values), labels

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter(self.labels)

    def __getitem__(self, label):
        return self.values[self.labels.index(label)]

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


def test_frames_are_read_by_value_and_not_as_their_labels():
    frame = Frame([[7.5, 8.5, 9.5]], [0, 1, 2])
    series = Frame([7.5, 8.5, 9.5], ["x", "y", "z"])
    world = World(0.1)
    body = world.add_body(SHIP, position=series, velocity=series)
    assert body.position.tolist() == body.velocity.tolist() == [7.5, 8.5, 9.5]
    with pytest.raises(ValueError, match=r"position must be 3 finite real numbers; got"):
        body.position = frame
    body.angular_velocity_body = series
    assert body.angular_velocity_body.tolist() == [7.5, 8.5, 9.5]
    made = world.add_bodies(SHIP, Frame(np.arange(6.0).reshape(2, 3), ["a", "b"]), velocity=series)
    assert [other.position.tolist() for other in made] == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    drag = world.add_force(forces.LinearDrag(Frame([0.5, 0.25], ["a", "b"]), bodies=made))
    assert drag.coefficient.tolist() == [0.5, 0.25]
    world.fields(forces.LinearDrag).coefficient = Frame([0.75, 0.5], ["a", "b"])
    assert drag.coefficient.tolist() == [0.75, 0.5]
    for wrong in (Frame(["1", "2", "3"], "xyz"), Frame([True, False, True], "xyz"), Frame([1j, 2, 3], "xyz")):
        with pytest.raises(TypeError, match=r"velocity must be 3 finite real numbers"):
            body.velocity = wrong


@pytest.mark.parametrize("method", ["__getitem__", "__iter__", "__array__"])
def test_a_sequence_that_cannot_be_read_gives_the_error_of_a_number_that_cannot(method):
    def fail(self, *arguments, **named):
        raise LookupError("no reading today")

    lazy = type("Lazy", (), {"__len__": lambda self: 3, "__getitem__": lambda self, place: 1.0, method: fail})()
    world = World(0.1)
    body = world.add_body(SHIP)
    message = r"must be .*; got a Lazy, but reading it raised LookupError\('no reading today'\)"
    for use in (
        lambda: setattr(body, "velocity", lazy),
        lambda: setattr(world.state, "velocity", lazy),
        lambda: world.add_body(SHIP, velocity=lazy),
        lambda: world.add_bodies(SHIP, [(0, 0, 0), (1, 1, 1)], velocity=lazy),
        lambda: forces.LinearDrag(lazy, bodies=[body]),
        lambda: body.to_world(lazy),
    ):
        with pytest.raises(TypeError, match=message):
            use()


def test_a_rejected_value_is_shown_as_it_was_given():
    world = World(0.01)
    ship = world.add_body(MassProperties.sphere(1.0, 1.0), name="ship")
    jet = world.add_force(forces.Thruster(ship, position=(0, 1, 0), direction=(0, 0, 1), max_force=1.0))
    halves = (0, 0, 0, 2)
    for change in (
        lambda: world.add_body(MassProperties.sphere(1.0, 1.0), orientation=halves),
        lambda: setattr(ship, "orientation", halves),
        lambda: flight.Reference(halves),
        lambda: flight.Spin((0, 0, 1), halves),
    ):
        with pytest.raises(ValueError, match=r"orientation must be .* of unit length; got \(0, 0, 0, 2\)"):
            change()
    with pytest.raises(ValueError, match=r"actuators must be able to turn .*; got \[Thruster\("):
        flight.AttitudeHold(ship, [jet])


@pytest.mark.parametrize("throttle", [True, np.True_, [True, 0.5], np.array([True, False])])
def test_the_rejection_of_a_truth_value_says_how_to_make_a_number_of_it(throttle):
    ship = World(0.01).add_body(MassProperties.sphere(1.0, 1.0))
    places = {"positions": np.zeros((2, 3)), "directions": np.eye(3)[:2], "max_forces": 1.0}
    jets = ship.world.add_force(forces.ThrusterBank(ship, **places))
    with pytest.raises(
        TypeError, match=r"throttle must be .*; got .*True.*; float\(…\) makes a number of a truth value$"
    ):
        jets.throttle = throttle
