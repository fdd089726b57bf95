"""What is rejected before any change: bad parameters, handles of another world or of removed bodies, changes inside a force."""

import re

import numpy as np
import pytest

from engine import Clock, Recorder, Rewind, Rollback, World, flight, forces, joints

from ..full_world import Gusts, count_ticks, differences, full_world, image
from ..helpers import add_to
from ..worlds import OTHER, PROPERTIES
from .test_force_rows import (
    AIR,
    FAR,
    GRAVITY,
    LORENTZ,
    PLATE,
    coil,
    jets,
    made_with,
    on_a_body,
    spring,
    three_bodies,
    thruster,
)
from .test_hostile import RAISED

# a parameter set to what construction rejects

NAN, INF = float("nan"), float("inf")
NUMBERS = (NAN, INF, "much", None, True, 1j)
VECTORS = ((1, 2), (1, 2, NAN), (1, 2, INF), "up", None, ((1, 2, 3),), (1, 2, "3"), 5.0)
BAD = {
    "acceleration_world": (made_with(forces.UniformGravity, acceleration_world=(0, 0, -1)), VECTORS),
    "position": (thruster, VECTORS),
    "direction": (thruster, (*VECTORS, (0, 0, 0))),
    "max_force": (thruster, (*NUMBERS, -1.0)),
    "positions": (jets, (np.full((3, 3), NAN), np.eye(4), (1, 2, 3), "x", None)),
    "directions": (jets, (np.zeros((3, 3)), np.full((3, 3), INF), np.eye(3)[:2], (0, 0, 1), None)),
    "max_forces": (jets, ((1, 2), (1, 2, -3), (1, 2, NAN), -1.0, "x", None)),
    "force_body": (on_a_body(forces.ConstantForce, force_body=(1, 2, 3), at_body=(1, 0, 0)), VECTORS[:4]),
    "torque_world": (on_a_body(forces.ConstantTorque, torque_world=(1, 2, 3)), VECTORS[:4]),
    "at_other": (spring, VECTORS),
    "stiffness": (spring, (*NUMBERS, -1.0)),
    "damping": (spring, (*NUMBERS, -1.0)),
    "rest_length": (spring, (*NUMBERS, -1.0)),
    "gm": (GRAVITY, (*NUMBERS, 0.0, -5.0)),
    "center": (GRAVITY, VECTORS),
    "axis": (GRAVITY, (*VECTORS, (0, 0, 0))),
    "j2": (GRAVITY, NUMBERS),
    "reference_radius": (GRAVITY, (None, 0.0, -1.0, NAN, "x")),
    "coefficient": (made_with(forces.LinearDrag, coefficient=0.4), (*NUMBERS, -0.1, (0.1, 0.2))),
    "charge": (made_with(forces.Lorentz, **LORENTZ), NUMBERS),
    "electric_field": (made_with(forces.Lorentz, **LORENTZ), VECTORS),
    "drag_area": (on_a_body(forces.AtmosphericDrag, **AIR), (*NUMBERS, -0.1)),
    "density": (on_a_body(forces.AtmosphericDrag, **AIR), (*NUMBERS, -0.1)),
    "scale_height": (on_a_body(forces.AtmosphericDrag, **AIR), (*NUMBERS, 0.0, -0.1)),
    "planet_rate_world": (on_a_body(forces.AtmosphericDrag, **AIR), VECTORS),
    "normal_body": (on_a_body(forces.RadiationPressure, **PLATE), (*VECTORS, (0, 0, 0))),
    "sun_direction_world": (on_a_body(forces.RadiationPressure, **PLATE), (*VECTORS, (0, 0, 0))),
    "specular": (on_a_body(forces.RadiationPressure, **PLATE), (*NUMBERS, -0.1, 1.1)),
    "diffuse": (on_a_body(forces.RadiationPressure, **PLATE), (*NUMBERS, -0.1, 1.1)),
    "dipole": (on_a_body(coil, axis=(1, 2, 3)), (*NUMBERS, 1.1, -1.1)),
    "coil axis": (on_a_body(coil, axis=(1, 2, 3)), (*VECTORS, (0, 0, 0))),
    "field": (on_a_body(coil, axis=(1, 2, 3)), (*NUMBERS, *VECTORS)),
    "gradient center": (made_with(forces.GravityGradient, gm=5e4, center=FAR), VECTORS),
}  # fmt: skip


def rule_of(error):
    """What an error says behind its owner: argument, rule and value."""
    return re.sub(r"^.*?: (?=\w+(\[\d\])? must be)", "", str(error), flags=re.DOTALL).replace("(n, 3)", "(3, 3)")


@pytest.mark.parametrize("name", BAD)
def test_a_parameter_is_rejected_in_flight_as_at_construction_and_nothing_changes(name):
    make, values = BAD[name]
    argument = name.split()[-1]
    world = three_bodies()
    force = add_to(world, make(world.bodies))
    before = image(world)
    for value in values:
        with pytest.raises((ValueError, TypeError)) as made:
            make(world.bodies, **{argument: value})
        with pytest.raises(made.type) as changed:
            setattr(force, argument, value)
        assert rule_of(changed.value) == rule_of(made.value)
        assert rule_of(changed.value).startswith(argument)
        assert str(changed.value).startswith(repr(force)[:20])  # its owner
    for switch in (1, 0, None, "on", 0.5, [True]):
        with pytest.raises(TypeError, match="enabled must be True or False; got"):
            force.enabled = switch
    assert differences(before, image(world)) == []


ANOTHER, READ_ONLY = "remove it from the world and add another", "it is read-only"


@pytest.mark.parametrize(
    ("name", "way_out"),
    [("body", ANOTHER), ("other", ANOTHER), ("rows", READ_ONLY), ("depends_on_rates", READ_ONLY)],
)
def test_what_a_force_is_made_of_for_good_cannot_be_set(name, way_out):
    world = three_bodies()
    force = world.add_force(spring(world.bodies))
    with pytest.raises(AttributeError, match=f"Spring.*: {name} cannot be changed; {way_out}"):
        setattr(force, name, world.bodies[1])
    for make, other in ((on_a_body(forces.ConstantForce, force_world=(0, 0, 1)), "force_body"), (thruster, "throtle")):
        with pytest.raises(AttributeError):
            setattr(make(world.bodies), other, (1.0, 2.0, 3.0))


# handles of another world, and of bodies that were removed


def use(world, body, other):
    """Every place that takes a body, with this one: `other` is a good one of the world."""
    bank = {"positions": np.eye(3), "directions": np.eye(3), "max_forces": 1.0}
    return {
        "remove_body": lambda: world.remove_body(body),
        "remove_bodies": lambda: world.remove_bodies([other, body]),
        "wrench": lambda: world.wrench(body),
        "thruster": lambda: world.add_force(forces.Thruster(body, position=(0, 0, 0), direction=(0, 0, 1), max_force=1.0)),
        "bank": lambda: world.add_force(forces.ThrusterBank(body, **bank)),
        "constant force": lambda: world.add_force(forces.ConstantForce(body, force_world=(0, 0, 1))),
        "constant torque": lambda: world.add_force(forces.ConstantTorque(body, torque_body=(0, 0, 1))),
        "spring": lambda: world.add_force(forces.Spring(body, other, stiffness=1.0)),
        "spring to": lambda: world.add_force(forces.Spring(other, body, stiffness=1.0)),
        "uniform gravity": lambda: world.add_force(forces.UniformGravity((0, 0, 1), bodies=[other, body])),
        "point gravity": lambda: world.add_force(forces.PointGravity(1.0, bodies=[other, body])),
        "gradient": lambda: world.add_force(forces.GravityGradient(1.0, bodies=[other, body])),
        "linear drag": lambda: world.add_force(forces.LinearDrag(1.0, bodies=[other, body])),
        "quadratic drag": lambda: world.add_force(forces.QuadraticDrag([1.0, 2.0], bodies=[other, body])),
        "damping": lambda: world.add_force(forces.AngularDamping(1.0, bodies=[body])),
        "lorentz": lambda: world.add_force(forces.Lorentz(1.0, bodies=[body])),
        "air": lambda: world.add_force(forces.AtmosphericDrag(body, **AIR)),
        "plate": lambda: world.add_force(forces.RadiationPressure(body, **PLATE)),
        "coil": lambda: world.add_part(coil(body, axis=(1, 2, 3))),
        "wrench.add": lambda: world.add_force(lambda wrench, bodies, time: wrench.add(body, force_world=(0, 0, 1))) and world.step(),
    }  # fmt: skip


PLACES = use(None, None, None)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("which", ["of another world", "removed"])
def test_a_handle_of_another_world_or_of_a_removed_body_is_rejected_in_every_argument(place, which):
    world, stranger = full_world(called=False), full_world(called=False)
    body = stranger.body("tug") if which == "of another world" else world.body("probe")
    if which == "removed":
        world.remove_body(body)
    before, unharmed = image(world), image(stranger)
    with pytest.raises(ValueError, match=r"tug|probe") as caught:
        use(world, body, world.body("ship"))[place]()
    assert "removed" in str(caught.value) if which == "removed" else "of this world" in str(caught.value)
    if place == "wrench.add":  # the force itself is a good one
        world.remove_force(world.forces[-1])
    assert differences(before, image(world)) == differences(unharmed, image(stranger)) == []


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("wrong", ["ship", None, 1.5, object(), World, "state"])
def test_what_is_no_body_is_rejected_in_every_argument(place, wrong):
    world = full_world(called=False)
    wrong = world.state if wrong == "state" else wrong
    if place == "spring to" and wrong is None:
        return  # a point of the world
    before = image(world)
    with pytest.raises(TypeError):
        use(world, wrong, world.body("ship"))[place]()
    if place == "wrench.add":
        world.remove_force(world.forces[-1])
    assert differences(before, image(world)) == []


def gimballed(bodies):
    gimbal = flight.Gimbal((1, 0, 0), (0, 1, 0), 0.3, 0.2)
    return forces.Thruster(bodies[0], position=(0, 0, -1), direction=(0, 0, 1), max_force=4.0, gimbal=gimbal)


COMMANDS = {
    "throttle": (lambda bodies: thruster((None, bodies[0])), lambda made: setattr(made, "throttle", 0.75)),
    "stuck": (lambda bodies: thruster((None, bodies[0])), lambda made: setattr(made, "stuck", 0.5)),
    "gimbal_command": (gimballed, lambda made: setattr(made, "gimbal_command", (0.0, 0.1))),
    "fire": (jets, lambda made: made.fire(0.5)),
    "stuck of a bank": (jets, lambda made: setattr(made, "stuck", 0.5)),
    "gimbal_command of a bank": (jets, lambda made: setattr(made, "gimbal_command", np.zeros((3, 2)))),
    "torque": (
        on_a_body(flight.ReactionWheel, axis=(1, 0, 0), inertia=1e-3, max_torque=1.0, max_speed=9.0),
        lambda made: setattr(made, "torque", 0.5),
    ),
    "dipole": (lambda bodies: coil(bodies[0], axis=(1, 0, 0)), lambda made: setattr(made, "dipole", 0.1)),
    "torque_body": (on_a_body(flight.BodyTorque), lambda made: setattr(made, "torque_body", (0.0, 0.1, 0.0))),
    "command": (on_a_body(flight.BodyTorque), lambda made: made.command((0.0, 0.1, 0.0))),
    "enabled": (on_a_body(flight.BodyTorque), lambda made: setattr(made, "enabled", False)),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_to_what_left_with_its_body_says_that_the_body_was_removed(name):
    make, command = COMMANDS[name]
    world = three_bodies()
    member = add_to(world, make(world.bodies))
    world.remove_body(world.bodies[0])
    with pytest.raises(ValueError, match=f"{name.split()[0]}: .* was removed from its world"):
        command(member)


def test_every_use_of_the_handle_of_a_removed_body_says_that_it_was_removed():
    world = full_world()
    gone = world.body("probe")
    thruster = forces.Thruster(gone, position=(0, 0, 0), direction=(0, 0, 1), max_force=1.0)
    names = [name for name in dir(type(gone)) if not name.startswith("_") and name != "name"]
    arguments = {"to_world": 1, "apply_force": 1, "interpolated_pose": 0, "kinetic_energy": 0}
    world.remove_body(gone)
    before = image(world)
    for name in names:
        with pytest.raises(
            ValueError, match="body 'probe' was removed from its world; its handle can no longer be used"
        ):
            value = getattr(gone, name)
            value(*[(1.0, 2.0, 3.0)] * arguments.get(name, 1))
        if isinstance(getattr(type(gone), name), property) and getattr(type(gone), name).fset is not None:
            good = {"mass_properties": OTHER, "dry_mass_properties": OTHER, "orientation": (0, 0, 0, 1)}.get(
                name, (1.0, 2.0, 3.0)
            )
            with pytest.raises(ValueError, match="was removed from its world"):
                setattr(gone, name, good)
    assert (gone.name, repr(gone), str(gone)) == ("probe", "<Body 'probe' (removed)>", "body 'probe'")
    with pytest.raises(ValueError, match="was removed"):
        world.add_force(thruster)
    assert differences(before, image(world)) == []


@pytest.mark.parametrize("again", ["same world", "another world", "after removal"])
def test_a_force_is_in_one_world_once(again):
    world, other = full_world(called=False), full_world(called=False)
    drag = world.add_force(forces.QuadraticDrag(0.5))
    if again == "after removal":
        world.remove_force(drag)
        with pytest.raises(
            ValueError, match=r"World.remove_force: force must be a force of this world; got QuadraticDrag\(0.5\)"
        ):
            world.remove_force(drag)
        other.add_force(drag)
        assert drag in other.forces
        return
    before = image(world), image(other)
    with pytest.raises(
        ValueError, match=r"World.add_force: force must be one that is not in (this world already|another world)"
    ):
        (world if again == "same world" else other).add_force(drag)
    assert before == (image(world), image(other))


# changes inside a force

CHANGES = {
    "throttles": lambda world: setattr(world.thrusters, "throttle", 0.5),
    "rest lengths": lambda world: setattr(world.springs, "rest_length", 0.5),
    "coefficients": lambda world: setattr(world.fields(forces.LinearDrag), "coefficient", 0.5),
    "a parameter": lambda world: setattr(world.forces[7], "coefficient", 0.5),
    "enabled": lambda world: setattr(world.forces[2], "enabled", False),
    "gravity": lambda world: setattr(world.forces[9], "j2", 0.5),
    "remove_bodies": lambda world: world.remove_bodies(world.bodies[:2]),
    "add_bodies": lambda world: world.add_bodies(OTHER, np.ones((2, 3))),
    "memory.add": lambda world: world.memory.add("more"),
    "memory.attach": lambda world: world.memory.attach("more", Gusts()),
    "after_tick": lambda world: world.after_tick(print),
    "remove_callback": lambda world: world.remove_callback(count_ticks),
    "profile": lambda world: world.profile().__enter__(),
    "mass_properties": lambda world: setattr(world.bodies[0], "mass_properties", PROPERTIES),
}


@pytest.mark.parametrize("evaluate", ["tick", "stage"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_table_that_is_changed_inside_a_force_is_rejected_and_the_tick_undone(change, evaluate):
    world, twin = full_world(), full_world()

    def meddle(wrench, bodies, time):
        CHANGES[change](world)

    meddle.evaluate = evaluate
    world.add_force(meddle)
    before = image(world)
    with pytest.raises(
        RuntimeError, match=r"World: a force may only add to its wrench; change the world in a callback \(World.on_t"
    ):
        world.step()
    assert differences(before, image(world)) == []
    world.remove_force(meddle)
    world.step(2)
    twin.step(2)
    assert world.state_hash() == twin.state_hash()


# what is forbidden while the world calls a function of the user


def _forbidden(world, folder):
    """What may not be done in the middle of a tick, by name."""
    snapshot, rewind = world.snapshot(), Rewind(world, 10.0)
    return {
        "restore": lambda: world.restore(snapshot),
        "fork": world.fork,
        "predict": lambda: world.predict(1.0),
        "save": lambda: world.save(folder / "never.json"),
        "step": world.step,
        "advance": lambda: world.advance(1.0),
        "coast": lambda: world.coast(1),
        "back": lambda: rewind.back(0.1),
        "forward": lambda: rewind.forward(0.1),
    }


class Everything:
    """An object that is called in the middle of a tick, in every part that it can be."""

    def __init__(self, act):
        self._act = act
        self.state_size = 0

    def __call__(self, *arguments):
        self._act()

    def at(self, *arguments):
        self._act()
        # of a reference at(time, body), of a field at(position, time)
        return (0.0, 0.0, 1.0) if isinstance(arguments[-1], float) else flight.Reference()

    def update(self, *arguments):
        self._act()
        return np.zeros(3), np.zeros(0)

    def initial_state(self, *arguments):
        return np.zeros(0)

    def command(self, *arguments):
        self._act()

    @property
    def angular_velocity_body(self):
        self._act()
        return (0.0, 0.0, 0.0)


STILL = flight.control.RateDamping(1.0)


def _loop(world, law=STILL, reference=None, actuators=None, measured=None):
    ship = world.body("ship")
    actuators = world.add_part(flight.BodyTorque(ship)) if actuators is None else actuators
    reference = flight.Reference() if reference is None else reference
    world.add_part(flight.Controlled(ship, law, reference, actuators, every=1, measured=measured))


def _hinged(world, act):
    free = world.add_body(OTHER, name="door", position=(9, 9, 9), angular_velocity_body=(0, 0, 3))
    world.add_joint(joints.Hinge(free, at_body=(0, 0, 0), axis_body=(0, 0, 1), limits=(-0.3, 0.3)))
    world.on_joint(act, "limit")


CALLED_IN_A_TICK = {
    "on_tick": lambda world, act: world.on_tick(act),
    "after_tick": lambda world, act: world.after_tick(act),
    "on_joint": _hinged,
    "a force per stage": lambda world, act: world.add_force(act),
    "a law": lambda world, act: _loop(world, law=act),
    "a reference": lambda world, act: _loop(world, reference=act),
    "actuators": lambda world, act: _loop(world, actuators=act),
    "what is measured": lambda world, act: _loop(world, measured=act),
    "a field": lambda world, act: world.add_part(flight.Magnetometer(world.body("ship"), field=act, seed=1)),
}


def _with_a_function(name, act, kind=Everything):
    world = World(1 / 32, integrator="rk4")
    world.add_body(PROPERTIES, name="ship", angular_velocity_body=(0.1, 0.2, 0.3))
    world.add_force(forces.UniformGravity((0.0, 0.0, -1.0)))
    CALLED_IN_A_TICK[name](world, kind(act))
    world.step(2)
    return world


@pytest.mark.filterwarnings("ignore:World.snapshot")  # the lists of this test
@pytest.mark.parametrize("name", CALLED_IN_A_TICK)
def test_what_is_forbidden_inside_a_tick_is_rejected_in_every_function_that_a_tick_calls(name, tmp_path):
    uses, seen = {}, {}

    def act():
        for word, use in uses.items():
            with pytest.raises(RuntimeError) as caught:
                use()
            seen[word] = str(caught.value)

    world, twin = _with_a_function(name, act), _with_a_function(name, lambda: None)
    uses.update(_forbidden(world, tmp_path))
    world.step(8)
    twin.step(8)
    assert seen.keys() == uses.keys()
    assert all("tick" in message for message in seen.values()), seen
    for field in ("position", "orientation", "velocity", "angular_velocity_body"):
        assert getattr(world.state, field).tobytes() == getattr(twin.state, field).tobytes()
    assert world.tick_count == twin.tick_count and not list(tmp_path.iterdir())


# intervals, times and counts that make no sense


def _intervals():
    """Every argument that is an interval in ticks, at least 1, with a function that gives it."""
    world = World(0.5)
    ship = world.add_body(PROPERTIES, name="ship")
    motor = world.add_part(flight.BodyTorque(ship, max_torque=1.0))
    law, reference = STILL, flight.Reference()
    sun = {"field_of_view": 1.0, "sun_direction_world": (1, 0, 0), "seed": 1}
    return world, {
        "on_tick": lambda value: world.on_tick(print, every=value),
        "after_tick": lambda value: world.after_tick(print, every=value),
        "predict": lambda value: world.predict(1.0, every=value),
        "Recorder.every": lambda value: Recorder(world, value),
        "Recorder.capacity": lambda value: Recorder(world, capacity=value),
        "Rollback.frames": lambda value: Rollback(world, frames=value, players=["Ada"], apply=print),
        "Gyro": lambda value: flight.Gyro(ship, every=value, seed=1),
        "Accelerometer": lambda value: flight.Accelerometer(ship, every=value, seed=1),
        "Magnetometer": lambda value: flight.Magnetometer(ship, field=(0, 0, 1), every=value, seed=1),
        "StarTracker": lambda value: flight.StarTracker(ship, (0, 0, 1), every=value, seed=1),
        "SunSensor": lambda value: flight.SunSensor(ship, (0, 0, 1), every=value, **sun),
        "Controlled": lambda value: flight.Controlled(ship, law, reference, motor, every=value),
        "AttitudeHold": lambda value: flight.AttitudeHold(ship, motor, every=value),
        "max_ticks_per_frame": lambda value: setattr(world, "max_ticks_per_frame", value),
    }


@pytest.mark.parametrize("name", _intervals()[1])
@pytest.mark.parametrize("value", [0, -1, NAN, 1.5, True, "2", -(2**70)])
def test_an_interval_or_a_count_below_one_is_rejected(name, value):
    world, given = _intervals()
    before = image(world)
    with pytest.raises((ValueError, TypeError)) as caught:
        given[name](value)
    argument = next((word for word in ("frames", "capacity", "max_ticks_per_frame") if word in name), "every")
    assert f"{argument} must be" in str(caught.value)
    assert differences(before, image(world)) == []


def _times():
    """Every argument that is a time in seconds, at least 0 or above it, with a function that gives it."""
    world = World(0.5)
    world.add_body(PROPERTIES, name="ship")
    rewind = Rewind(world, 10.0)
    world.step(3)
    return world, {
        "advance": world.advance,
        "predict": world.predict,
        "Rewind": lambda value: Rewind(world, value),
        "back": rewind.back,
        "forward": rewind.forward,
        "World": World,
        "Clock": Clock,
        "time_scale": lambda value: setattr(world, "time_scale", value),
    }


@pytest.mark.parametrize("name", _times()[1])
@pytest.mark.parametrize("value", [-1.0, NAN, INF, -INF, "1", None, True, 1j, -(10**400)])
def test_a_time_that_is_negative_or_no_number_is_rejected(name, value):
    world, given = _times()
    before = image(world)
    with pytest.raises((ValueError, TypeError), match="must be"):
        given[name](value)
    assert differences(before, image(world)) == []


# files that cannot be written


def _writers(world, record):
    return {
        "save": world.save,
        "Recorder": lambda path: Recorder(world, path=path),
        "to_csv": record.to_csv,
        "to_npz": record.to_npz,
    }


@pytest.mark.parametrize("name", ["save", "Recorder", "to_csv", "to_npz"])
@pytest.mark.parametrize("where", ["in no folder", "in a file", "a folder", "empty", "a number"])
def test_a_path_that_cannot_be_written_is_rejected_at_once(name, where, tmp_path):
    """Before the first sample; nothing is left in the folder, and the world goes on without a recorder."""
    world = World(0.5)
    world.add_body(PROPERTIES, name="ship")
    record = Recorder(world)
    world.step()
    (tmp_path / "file").write_text("kept")
    path = {
        "in no folder": tmp_path / "no" / "file",
        "in a file": tmp_path / "file" / "inner",
        "a folder": tmp_path,
        "empty": "",
        "a number": 7,
    }[where]
    before, observers = world.state_hash(), list(world._stages.observers)
    with pytest.raises((OSError, TypeError, ValueError)):
        _writers(world, record)[name](path)
    assert world.state_hash() == before and world._stages.observers == observers
    assert [each.name for each in tmp_path.iterdir()] == ["file"] and (tmp_path / "file").read_text() == "kept"
    world.step()
    assert len(record) == 3


def test_columns_are_written_to_a_file_of_exactly_the_name_given(tmp_path):
    """NumPy adds an ending to a name without it, and so would write beside the file."""
    world = World(0.5)
    world.add_body(PROPERTIES, name="ship")
    record = Recorder(world)
    world.step(2)
    record.to_npz(tmp_path / "flight")
    assert [each.name for each in tmp_path.iterdir()] == ["flight"]
    with np.load(tmp_path / "flight") as saved:
        assert saved["time"].tolist() == [0.0, 0.5, 1.0]


# objects of the user that parts call, which raise or return what makes no sense


def _fails_and_is_undone(world, armed, errors):
    before = image(world)
    armed.append(True)
    for _ in range(2):
        with pytest.raises(errors):
            world.step()
        assert differences(before, image(world)) == []
    armed.clear()
    world.step(2)
    assert world.tick_count == 4


@pytest.mark.parametrize("name", ["a law", "a reference", "actuators", "a field"])
@pytest.mark.parametrize("kind", RAISED)
def test_whatever_an_object_of_a_part_raises_the_tick_is_undone(name, kind):
    armed = []

    def act():
        if armed:
            raise kind

    _fails_and_is_undone(_with_a_function(name, act), armed, kind)


@pytest.mark.parametrize("name", ["a law", "a reference", "a field"])
@pytest.mark.parametrize("value", [None, 1.0, "x", (NAN, 0.0, 0.0), ((NAN, 0, 0), ()), ((1, 2), ()), np.zeros((7, 5))])
def test_whatever_an_object_of_a_part_returns_is_rejected_and_the_tick_undone(name, value):
    armed = []

    class Sometimes(Everything):
        def at(self, *arguments):
            return value if armed else super().at(*arguments)

        def update(self, *arguments):
            return value if armed else super().update(*arguments)

    world = _with_a_function(name, lambda: None, Sometimes)
    _fails_and_is_undone(world, armed, (TypeError, ValueError, ArithmeticError))
