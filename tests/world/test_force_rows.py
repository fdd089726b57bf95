"""Forces as rows: parameters changed during a run and given per body, any number of one kind, rows renumbered when bodies are removed."""

import sys

import numpy as np
import pytest

from engine import World, flight, forces

from ..full_world import Wind
from ..helpers import SKEW_ORIENTATION, add_to
from ..worlds import OTHER, PROPERTIES, START

CENTER = (40.0, -30.0, 20.0)
FAR = (-20.0, 35.0, 8.0)
STATE = ("position", "orientation", "velocity", "angular_velocity_body", "stored_momentum_body")


def three_bodies(method="semi-implicit-euler"):
    """Bodies of which nothing is zero, along an axis or diagonal."""
    world = World(0.05, integrator=method)
    world.add_body(PROPERTIES, name="ship", **START)
    tug = {"orientation": SKEW_ORIENTATION, "velocity": (-0.3, 0.2, 0.9), "angular_velocity_body": (0.2, 0.7, -0.4)}
    world.add_body(OTHER, name="tug", position=(4.0, 1.0, -2.0), **tug)
    world.add_body(OTHER, name="buoy", position=(-5.0, 2.0, 0.5), velocity=(0.1, 0.0, -0.2))
    return world


def bits(world):
    return [getattr(world.state, name).tobytes() for name in STATE]


def take_state(world, other):
    for name in STATE:
        setattr(world.state, name, getattr(other.state, name))


def jets(bodies, **changed):
    given = {"positions": np.eye(3), "directions": np.eye(3), "max_forces": (1.0, 2.0, 3.0), **changed}
    bank = forces.ThrusterBank(bodies[0], **given)
    bank.throttle = (0.25, 0.5, 0.75)
    return bank


def thruster(bodies, throttle=0.5, **changed):
    given = {"position": (0.1, 0.2, 0.3), "direction": (1, 2, 3), "max_force": 4.0, **changed}
    made = forces.Thruster(bodies[1], **given)
    made.throttle = throttle
    return made


def made_with(kind, *, bodies=None, **given):
    """A maker of forces of this kind, which takes changes of the arguments."""

    def make(handles, **changed):
        values = {**given, **changed}
        if bodies is not None:
            values["bodies"] = [handles[place] for place in bodies]
        return kind(**values)

    return make


def on_a_body(kind, **given):
    return lambda bodies, **changed: kind(bodies[0], **{**given, **changed})


def spring(bodies, **changed):
    given = {"at_body": (0.1, 0.5, 0), "at_other": (0, -0.3, 0.2), "stiffness": 3.0, "damping": 0.1, "rest_length": 1.0}
    return forces.Spring(bodies[0], bodies[2], **{**given, **changed})


GRAVITY = made_with(forces.PointGravity, gm=500.0, center=CENTER, j2=0.1, reference_radius=3.0, axis=(1, 2, 3))
LORENTZ = {"charge": 0.3, "electric_field": (1, -2, 0.5), "magnetic_field": (0.2, 0.1, -1)}
AIR = {
    "drag_area": 0.4,
    "at_body": (0.2, -0.5, 0.7),
    "density": 0.3,
    "reference_altitude": 2.0,
    "scale_height": 8.0,
    "planet_radius": 45.0,
    "center": CENTER,
    "planet_rate_world": (0.01, -0.02, 0.05),
}
PLATE = {
    "area": 1.5,
    "normal_body": (1, 2, 3),
    "at_body": (0.1, 0.2, 0.3),
    "specular": 0.3,
    "diffuse": 0.4,
    "pressure": 0.8,
    "sun_direction_world": (-2, 1, 5),
    "shadow": (CENTER, 3.0),
}


def coil(body, dipole=0.7, **given):
    field = forces.MagneticDipole(9e4, (1, 2, -2), center=CENTER)
    made = flight.Magnetorquer(body, **{"max_dipole": 1.0, "field": field, **given})
    made.dipole = dipole
    return made


PARAMETERS = {
    "uniform acceleration": (made_with(forces.UniformGravity, acceleration_world=(0, 0, -1)), "acceleration_world", (1, 2, 3)),
    "throttle": (thruster, "throttle", 0.75),
    "thruster direction": (thruster, "direction", (3, -2, 0.5)),
    "thruster position": (thruster, "position", (1, 0.5, -2)),
    "thruster max_force": (thruster, "max_force", 7.0),
    "bank positions": (jets, "positions", 2.0 - np.eye(3)),
    "bank directions": (jets, "directions", np.eye(3) - 0.5),
    "bank max_forces": (jets, "max_forces", (3.0, 0.5, 2.5)),
    "force_world": (on_a_body(forces.ConstantForce, force_world=(1, 2, 3)), "force_world", (3, 2, 1)),
    "force_body": (on_a_body(forces.ConstantForce, force_body=(1, 2, 3), at_body=(1, 0, 0)), "force_body", (3, 2, 1)),
    "at_body": (on_a_body(forces.ConstantForce, force_body=(1, 2, 3), at_body=(1, 0, 0)), "at_body", (0, 2, 1)),
    "torque_world": (on_a_body(forces.ConstantTorque, torque_world=(1, 2, 3)), "torque_world", (0, 2, 1)),
    "torque_body": (on_a_body(forces.ConstantTorque, torque_body=(1, 2, 3)), "torque_body", (0, 2, 1)),
    "force at a point": (on_a_body(forces.ConstantForce, force_world=(1, 2, 3), at_body=(1, 0, 0)), "force_world", (0, 2, 1)),
    "point of a force": (on_a_body(forces.ConstantForce, force_world=(1, 2, 3), at_body=(1, 0, 0)), "at_body", (0, 2, 1)),
    **{f"spring {name}": (spring, name, value) for name, value in (
        ("at_body", (0.7, 0, 0.1)), ("at_other", (0.3, 0.3, 0.3)), ("stiffness", 9.0), ("damping", 0.0), ("rest_length", 4.0))},
    **{f"gravity {name}": (GRAVITY, name, value) for name, value in (
        ("gm", 90.0), ("center", FAR), ("axis", (3, -1, 0.5)), ("j2", -0.2), ("reference_radius", 7.0))},
    "gradient gm": (made_with(forces.GravityGradient, gm=5e4, center=CENTER), "gm", 2e4),
    "gradient center": (made_with(forces.GravityGradient, gm=5e4, center=CENTER), "center", FAR),
    "linear drag": (made_with(forces.LinearDrag, coefficient=0.4), "coefficient", 0.7),
    "drag on two": (made_with(forces.QuadraticDrag, coefficient=0.3, bodies=(1, 2)), "coefficient", 0.0),
    "drag for each": (made_with(forces.QuadraticDrag, coefficient=(0.3, 0.1), bodies=(1, 2)), "coefficient", (0.5, 0.4)),
    "damping": (made_with(forces.AngularDamping, coefficient=0.2), "coefficient", 0.5),
    **{f"air {name}": (on_a_body(forces.AtmosphericDrag, **AIR), name, value) for name, value in (
        ("drag_area", 2.0), ("at_body", (0.3, 0, 1)), ("density", 0.1), ("reference_altitude", 9.0), ("scale_height", 3.0),
        ("planet_radius", 20.0), ("center", FAR), ("planet_rate_world", (0.2, 0.1, 0.3)))},
    **{f"plate {name}": (on_a_body(forces.RadiationPressure, **PLATE), name, value) for name, value in (
        ("area", 2.0), ("at_body", (0.3, 0, 1)), ("specular", 0.1), ("diffuse", 0.0), ("pressure", 3.0))},
    "plate's normal direction": (on_a_body(forces.RadiationPressure, **PLATE), "normal_body", (1, 0, 2)),
    "direction to the sun": (on_a_body(forces.RadiationPressure, **PLATE), "sun_direction_world", (2, 1, 2)),
    "coil axis": (on_a_body(coil, axis=(1, 2, 3)), "axis", (3, 2, 0)),
    "coil dipole": (on_a_body(coil, axis=(1, 2, 3)), "dipole", -0.9),
    **{f"lorentz {name}": (made_with(forces.Lorentz, **LORENTZ), name, value) for name, value in (
        ("charge", -0.7), ("electric_field", (0, 1, 2)), ("magnetic_field", (3, 0.5, 0)))},
}  # fmt: skip
"""A maker of a force, a parameter of it, and another value for that."""


@pytest.mark.parametrize(("make", "name", "value"), PARAMETERS.values(), ids=PARAMETERS)
def test_a_parameter_set_in_flight_acts_to_the_last_bit_as_one_that_the_force_was_made_with(make, name, value):
    flying, unchanged, fresh = three_bodies(), three_bodies(), three_bodies()
    force = add_to(flying, make(flying.bodies))
    add_to(unchanged, make(unchanged.bodies))
    before = getattr(force, name)
    flying.step(3)
    unchanged.step(3)
    setattr(force, name, value)
    assert np.shape(getattr(force, name)) == np.shape(before)
    if not any(word in name for word in ("direction", "normal", "axis")):  # kept at unit length
        assert np.array_equal(getattr(force, name), value)
    add_to(fresh, make(fresh.bodies, **{name: value}))
    take_state(fresh, flying)
    for world in (flying, fresh, unchanged):
        world.step(2)
    assert bits(flying) == bits(fresh)
    assert bits(flying) != bits(unchanged)


@pytest.mark.parametrize(("make", "name", "value"), PARAMETERS.values(), ids=PARAMETERS)
def test_a_parameter_set_in_a_tick_that_fails_has_its_old_value_and_a_bad_one_changes_nothing(make, name, value):
    world = three_bodies()
    force = add_to(world, make(world.bodies))
    before, digest = np.copy(getattr(force, name)), world.state_hash()

    def change(world):
        setattr(force, name, value)
        force.enabled = False
        raise KeyError

    world.on_tick(change)
    with pytest.raises(KeyError):
        world.step()
    assert np.array_equal(getattr(force, name), before)
    assert (force.enabled, world.state_hash()) == (True, digest)
    for bad in (
        np.nan,
        "much",
        [1.0] * 7,
        np.full(np.shape(before), np.inf),
        None if name != "reference_radius" else -1.0,
    ):
        with pytest.raises((ValueError, TypeError), match=rf"{name.removesuffix('s')}"):
            setattr(force, name, bad)
    assert world.state_hash() == digest


@pytest.mark.parametrize("make", {make: None for make, _, _ in PARAMETERS.values()}, ids=lambda make: make.__qualname__)
def test_a_force_that_is_switched_off_acts_to_the_last_bit_as_one_that_is_not_there(make):
    off, without, on = three_bodies(), three_bodies(), three_bodies()
    force = add_to(off, make(off.bodies))
    add_to(on, make(on.bodies))
    force.enabled = False
    for world in (off, without, on):
        world.step(2)
    assert bits(off) == bits(without) != bits(on)
    assert off.wrench(off.bodies[0], force)[0].tolist() == [0.0, 0.0, 0.0]
    assert off.potential_energy() == without.potential_energy()
    force.enabled = True
    take_state(off, on)
    off.step()
    on.step()
    assert bits(off) == bits(on)


PER_BODY = {
    "linear drag": (forces.LinearDrag, {"coefficient": (0.3, 0.9)}),
    "quadratic drag": (forces.QuadraticDrag, {"coefficient": (0.3, 0.9)}),
    "angular damping": (forces.AngularDamping, {"coefficient": (0.3, 0.9)}),
    "gravity": (forces.PointGravity, {
        "gm": (500.0, 200.0), "center": (CENTER, FAR), "axis": ((1, 2, 3), (0, 1, 0.5)), "j2": 0.1, "reference_radius": 3.0}),
    "gravity of one mass": (forces.PointGravity, {"gm": 500.0, "center": (CENTER, FAR)}),
    "gradient": (forces.GravityGradient, {"gm": (5e4, 2e4), "center": (CENTER, FAR)}),
    "lorentz": (forces.Lorentz, {
        "charge": (0.3, -0.2), "electric_field": ((1, 2, 3), (3, 1, 2)), "magnetic_field": ((0, 1, 2), (1, 1, 0))}),
    "compiled": (Wind, {"strength": (0.2, 0.7), "gust": (0.5, 0.1)}),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "values"), PER_BODY.values(), ids=PER_BODY)
def test_a_force_with_parameters_for_each_body_is_one_force_for_each_to_the_last_bit(kind, values):
    shared, separate = three_bodies(), three_bodies()
    shared.add_force(kind(**values, bodies=[shared.bodies[2], shared.bodies[0]]))
    for place, body in ((0, separate.bodies[2]), (1, separate.bodies[0])):
        own = {name: value[place] if isinstance(value, tuple) else value for name, value in values.items()}
        separate.add_force(kind(**own, bodies=[body]))
    for body in range(3):
        for part, other in zip(shared.wrench(shared.bodies[body]), separate.wrench(separate.bodies[body]), strict=True):
            assert part.tobytes() == other.tobytes()
    assert shared.potential_energy() == separate.potential_energy()
    for world in (shared, separate):
        world.step(3)
    assert bits(shared) == bits(separate)
    assert [np.shape(getattr(shared.forces[0], name)) for name in values] == [
        np.shape(value) for value in values.values()
    ]


def test_parameters_for_each_body_of_the_wrong_number_or_without_bodies_are_rejected():
    world = three_bodies()
    with pytest.raises(ValueError, match="LinearDrag: coefficient must be"):
        forces.LinearDrag([0.1, 0.2, 0.3], bodies=world.bodies[:2])
    with pytest.raises((ValueError, TypeError), match="LinearDrag: coefficient must be"):
        forces.LinearDrag([0.1, 0.2, 0.3])
    drag = world.add_force(forces.LinearDrag([0.1, 0.2], bodies=world.bodies[:2]))
    with pytest.raises(ValueError, match="coefficient must be at least 0 in every element"):
        drag.coefficient = [0.1, -0.2]
    assert drag.coefficient.tolist() == [0.1, 0.2]


def test_throttles_of_two_bodies_set_in_turn_leave_the_thrust_of_the_other():
    """A changed throttle sums up the held forces of its own body only: the speed along the thrust is Σ throttle · F dt/m."""
    world = World(0.125, integrator="semi-implicit-euler")
    bodies = world.add_bodies(PROPERTIES, position=[(0.0, 0.0, 0.0), (9.0, 0.0, 0.0)])
    line = {"position": PROPERTIES.center_of_mass_body, "direction": (1.0, 0.0, 0.0), "max_force": 4.0}
    engines = [world.add_force(forces.Thruster(body, **line)) for body in bodies]
    pushed = np.zeros(2)
    for tick in range(8):
        engines[tick % 2].throttle = (1 + tick) / 8
        world.step()
        pushed += [engine.throttle for engine in engines]
    assert np.abs(world.state.velocity[:, 0] - pushed * 4.0 * 0.125 / PROPERTIES.mass).max() < 1e-14


def test_many_forces_of_one_kind_add_up_in_the_order_of_adding_whatever_kinds_come_between():
    """Seven gravities and five drags, in three orders of the kinds: the same bits; and they are one force of the sum but for rounding."""

    def world(order):
        made = three_bodies()
        count = {"gravity": 0, "drag": 0}
        for kind in order:
            number, count[kind] = count[kind], count[kind] + 1
            share = (1 + number) / 28 if kind == "gravity" else (1 + number) / 15
            at = made.bodies if number % 3 else None  # also twice in turn on the same bodies
            gravity = forces.PointGravity(500.0 * share, CENTER, bodies=at)
            made.add_force(gravity if kind == "gravity" else forces.LinearDrag(0.4 * share, bodies=at))
        made.step(3)
        return made

    first = world(["gravity"] * 7 + ["drag"] * 5)
    for order in (["drag"] * 5 + ["gravity"] * 7, ["gravity", "drag"] * 5 + ["gravity"] * 2):
        assert bits(world(order)) == bits(first)
    whole = three_bodies()
    whole.add_force(forces.PointGravity(500.0, CENTER))
    whole.add_force(forces.LinearDrag(0.4))
    whole.step(3)
    assert np.abs(whole.state.velocity - first.state.velocity).max() < 1e-14


# rows close up when bodies go

ITEMS = [
    ((), lambda: forces.UniformGravity((0.0, -1.0, 0.2))),
    (("tug", "ship"), lambda *named: forces.UniformGravity((0.1, 0.0, 0.0), bodies=named)),
    (("tug",), lambda tug: thruster((None, tug))),
    (("ship",), lambda ship: jets((ship,))),
    (("buoy",), lambda buoy: forces.ConstantForce(buoy, force_body=(0.3, -0.2, 0.5), at_body=(0.1, 0.2, 0.7))),
    (("tug",), lambda tug: forces.ConstantTorque(tug, torque_world=(0.1, -0.2, 0.05))),
    (("ship",), lambda ship: forces.ConstantForce(ship, force_world=(0.4, 0.1, -0.3), at_body=(0.3, 0.5, -0.2))),
    (("buoy",), lambda buoy: thruster((None, buoy), 0.75)),
    (("tug", "buoy"), lambda *named: forces.LinearDrag(0.3, bodies=named)),
    ((), lambda: forces.LinearDrag(0.1)),
    ((), lambda: forces.PointGravity(50.0, CENTER)),
    (("tug",), lambda tug: forces.Spring(tug, None, stiffness=0.5, at_other=FAR)),
]


def crew(names):
    """The bodies of these names, and the forces that still mean something: those on several bodies lose only the others."""
    made = World(0.05, integrator="semi-implicit-euler")
    for body in three_bodies().bodies:
        if body.name in names:
            made.add_body(body.mass_properties, name=body.name)
    for wanted, make in ITEMS:
        present = [made.body(name) for name in wanted if name in names]
        if present or not wanted:
            add_to(made, make(*present))
    return made


NAMES = ("ship", "tug", "buoy")


@pytest.mark.parametrize(
    "gone", [("ship",), ("tug",), ("buoy",), ("ship", "buoy"), ("buoy", "tug"), NAMES], ids="-".join
)
@pytest.mark.parametrize("at_once", [True, False])
def test_a_world_that_lost_bodies_flies_to_the_last_bit_as_one_that_never_had_them(gone, at_once):
    world = crew(NAMES)
    take_state(world, three_bodies())
    world.step(2)
    for body in world.bodies:
        body.apply_force((0.1, 0.2, 0.3))
    kept = [place for place, name in enumerate(NAMES) if name not in gone]
    state = {name: getattr(world.state, name)[kept] for name in STATE}
    chosen = [world.body(name) for name in gone]
    went = world.remove_bodies(chosen) if at_once else [force for body in chosen for force in world.remove_body(body)]
    left = crew([name for name in NAMES if name not in gone])
    left.step(2)
    for name in STATE:
        setattr(left.state, name, state[name])
    for body in left.bodies:
        body.apply_force((0.1, 0.2, 0.3))
    assert [repr(force) for force in world.forces] == [repr(force) for force in left.forces]
    assert len(went) == len(ITEMS) - len(left.forces)
    assert set(world.forces).isdisjoint(went)
    assert [list(force.rows) for force in world.forces] == [list(force.rows) for force in left.forces]
    assert world.state_hash() == left.state_hash()
    for flying in (world, left):
        flying.step(3)
    assert bits(world) == bits(left)
    assert world.state_hash() == left.state_hash()


def test_a_force_of_another_kind_in_place_of_one_acts_by_its_own_formula():
    """Both have one layer of the same shape, so that only the kind tells the loops apart."""
    makes = {
        "linear": lambda bodies: forces.LinearDrag(0.3, bodies=bodies),
        "angular": lambda bodies: forces.AngularDamping(0.3, bodies=bodies),
    }
    for first, second in (("linear", "angular"), ("angular", "linear")):
        world = three_bodies()
        before = world.add_force(makes[first](world.bodies))
        world.step(2)
        fresh = three_bodies()
        take_state(fresh, world)
        world.remove_force(before)
        for each in (world, fresh):
            each.add_force(makes[second](each.bodies))
            each.step(2)
        assert bits(world) == bits(fresh)


def test_the_work_of_adding_and_removing_a_force_does_not_grow_with_their_number():
    """Calls of Python functions, which do not depend on the machine."""

    def calls_with(count):
        world, found = World(0.1), 0
        bodies = world.add_bodies(OTHER, np.arange(3.0 * count).reshape(count, 3))

        def counted(frame, event, argument):
            nonlocal found
            found += event in ("call", "c_call")

        sys.setprofile(counted)
        try:
            for body in bodies:
                world.add_force(forces.Thruster(body, position=(0, 0, 0), direction=(0, 0, 1), max_force=1.0))
            world.remove_bodies(bodies[::2])
        finally:
            sys.setprofile(None)
        assert len(world.forces) == count // 2
        return found

    assert calls_with(400) < 4.4 * calls_with(100)


def test_one_written_row_of_a_force_on_all_bodies_acts_on_all():
    """No setter writes such a row by its number today; thrusters, which always have a body, do."""
    world = World(0.5)
    bodies = world.add_bodies(PROPERTIES, [(0, 0, 0), (9, 0, 0)])
    gravity = world.add_force(forces.UniformGravity((0.0, 0.0, -1.0)))
    world.step()
    gravity._table.write(gravity._schema.row("acceleration_world") + 2, gravity._slice().start, -3.0)
    world.step()
    assert [body.velocity.tolist() for body in bodies] == [[0.0, 0.0, -2.0]] * 2


def test_a_bank_pushes_its_own_body_after_the_rows_of_bodies_have_moved():
    """What is known of the body of adjacent rows is forgotten with the rows."""
    world = World(1 / 64)
    first, _between, second = [world.add_body(PROPERTIES, position=(9.0 * place, 0, 0)) for place in range(3)]
    nozzles = {"positions": np.zeros((2, 3)), "directions": [(1, 0, 0), (0, 1, 0)], "max_forces": 2.0}
    bank = world.add_force(forces.ThrusterBank(second, **nozzles))
    for throttle in ((0.5, 0.0), (0.25, 0.0)):
        bank.throttle = throttle
        world.step()
    world.remove_body(first)
    world.step()
    bank.throttle = (0.0, 1.0)
    before = second.velocity
    world.step()
    np.testing.assert_allclose(second.velocity - before, (0.0, 2.0 / PROPERTIES.mass / 64, 0.0), atol=1e-5)
