"""Everything that a world is made of can be written to a scene: one of each public class is saved, loaded and goes on with every bit."""

import inspect
import json
from types import SimpleNamespace

import numpy as np
import pytest

from engine import World, flight, forces, integrators, joints, shapes
from engine.flight import control
from engine.saving.encoding import BUILT_IN
from engine.saving.scene_objects import OBJECT_CLASSES

from ..worlds import OTHER, PROPERTIES

EARTH = forces.MagneticDipole(7.71e15, (0.1, 0.2, -1.0), (-7e6, 0.0, 0.0))
SIDES, ALONG = np.eye(3), np.roll(np.eye(3), 1, axis=1)
PAIRS = {
    "positions": [*SIDES, *-SIDES, *SIDES, *-SIDES],
    "directions": [*ALONG, *-ALONG, *-ALONG, *ALONG],
    "max_forces": 2.5,
}
TILTED = (0.3, -0.7, 0.9)
"""A direction whose unit vector is not exact."""
UNIT = tuple(np.divide(TILTED, np.linalg.norm(TILTED)))


class Swing:
    """A reference of the user's own."""

    def at(self, time, body):
        return flight.Reference((0.0, 0.0, np.sin(0.1 * time), np.cos(0.1 * time)), (0.0, 0.0, 0.2))


class Along:
    """A field of the user's own."""

    def at(self, position):
        return (3e-5, 1e-5 * position[0], 0.0)


SWING, ALONG_X = Swing(), Along()
MEASURED = SimpleNamespace(field_body=(1e-5, 2e-5, 3e-5))
OBJECTS = {
    "types.SimpleNamespace": MEASURED,
    "tests.world.test_scene_classes.Swing": SWING,
    "tests.world.test_scene_classes.Along": ALONG_X,
}


def scene():
    """A ship, a tug that flies nearby, and what other things refer to."""
    world = World(1 / 32, integrator="rk4")
    ship = world.add_body(PROPERTIES, name="ship", position=(1, 2, 3), angular_velocity_body=(0.1, -0.2, 0.3))
    tug = world.add_body(OTHER, name="tug", position=(5, 0, 0), velocity=(0.1, 0.2, 0.0))
    return SimpleNamespace(world=world, ship=ship, tug=tug)


def wheels(s):
    limits = {"inertia": 0.01, "max_torque": 2.0, "max_speed": 600.0}
    return [s.world.add_part(flight.ReactionWheel(s.ship, axis=axis, **limits)) for axis in (*SIDES, TILTED)]


def motor(s):
    return s.world.add_part(flight.BodyTorque(s.ship, max_torque=(3.0, 4.0, 5.0)))


def bank(s, **options):
    return s.world.add_force(forces.ThrusterBank(s.ship, **PAIRS, **options))


def torquers(s):
    made = [flight.Magnetorquer(s.ship, axis=axis, max_dipole=2.0, field=EARTH) for axis in (*SIDES[:2], TILTED)]
    return [s.world.add_part(each) for each in made]


def gyro(s):
    return s.world.add_part(flight.Gyro(s.ship, noise_density=1e-3, bias_walk=1e-4, every=2, seed=3))


def trackers(s):
    exclusion = [flight.Exclusion.far(TILTED, 0.4), flight.Exclusion.ball((90.0, 0.0, 5.0), 10.0, 0.3)]
    late = flight.StarTracker(s.ship, TILTED, noise=(2e-5, 1e-4), exclusion=exclusion, seed=4, every=4, delay=1)
    return [
        s.world.add_part(each)
        for each in (late, flight.StarTracker(s.ship, (0, 0, 1), noise=(1e-4, 1e-4), seed=5, every=2))
    ]


def weld(s):
    return s.world.add_joint(joints.Weld(s.ship, s.tug, at_body=(0, 0, 0)))


def assembly(s):
    weld(s)
    return s.world.assembly(s.ship)


def loop(s, law=None, reference=None, actuators=None, **options):
    law = control.QuaternionPD(1.5, (2.0, 2.5, 3.0)) if law is None else law
    reference = flight.Reference() if reference is None else reference
    actuators = motor(s) if actuators is None else actuators
    return s.world.add_part(flight.Controlled(s.ship, law, reference, actuators, every=2, **options))


def held(s):
    hold = s.world.add_part(flight.AttitudeHold(s.ship, bank(s, min_on_time=0.02), name="hold"))
    hold.point_at(s.tug, TILTED)
    s.world.step()
    s.ship.dry_mass_properties = OTHER


def held_with_others(s):
    hold = s.world.add_part(flight.AttitudeHold(s.ship, motor(s), assembly=assembly(s), every=3))
    hold.kill_rotation()
    hold.enabled = False


def jets(s, **options):
    return flight.Jets(flight.ThrusterAllocator([bank(s)], **options))


def of_joint(s, joint):
    s.world.add_joint(joint)


def ball_with_limits(s):
    made = joints.Ball(s.ship, s.tug, at_body=(1, 0, 0), axis_body=UNIT, swing_limit=1.0, twist_limits=(-1.0, 1.5))
    of_joint(s, made)


def touching(s, body):
    return body.add_shape(shapes.Sphere(2.5), material=shapes.Material(0.3, 0.1))


HULL = np.random.default_rng(3).normal(size=(12, 3))
DUMBBELL = shapes.Compound(
    [(shapes.Sphere(0.3), TILTED, (0, 0.6, 0, 0.8)), (shapes.Box((1, 2, 3)), (0, 0, -1), (0, 0, 0, 1))]
)
LIGHT = {"area": 2.0, "at_body": (0, 1, 0), "specular": 0.3, "diffuse": 0.2}
AIR = {"density": 1e-3, "reference_altitude": 1.0, "scale_height": 6.0, "planet_radius": 0.5}
GIMBAL = flight.Gimbal(TILTED, (0, 0, 1), 0.2, 0.5)
PORTS = (joints.Port((0, 0, 1), (0, 0, 1), (1, 0, 0)), joints.Port((0, 0, -1), (0, 0, -1), (1, 0, 0)))
TENSOR = OTHER.inertia_body
MIDDLE = {"at_body": (1, 0, 0), "at_other": (-1, 0, 0)}

MAKERS = {
    "AngularDamping": [lambda s: forces.AngularDamping([0.1, 0.2], bodies=[s.tug, s.ship])],
    "AtmosphericDrag": [lambda s: forces.AtmosphericDrag(s.ship, drag_area=2.0, at_body=TILTED, **AIR)],
    "ConstantForce": [
        lambda s: forces.ConstantForce(s.ship, force_world=TILTED, at_body=(1, 0, 0)),
        lambda s: forces.ConstantForce(s.ship, force_body=TILTED),
    ],
    "ConstantTorque": [
        lambda s: forces.ConstantTorque(s.ship, torque_world=TILTED),
        lambda s: forces.ConstantTorque(s.ship, torque_body=TILTED),
    ],
    "GravityGradient": [lambda s: forces.GravityGradient(4e2, (70, 0, 0))],
    "LinearDrag": [lambda s: forces.LinearDrag(0.1)],
    "Lorentz": [lambda s: forces.Lorentz(0.1, electric_field=TILTED, magnetic_field=(0, 0, 1), bodies=[s.tug])],
    "PointGravity": [lambda s: forces.PointGravity(4e2, (70, 1, 2), j2=1e-3, reference_radius=6.0, axis=TILTED)],
    "QuadraticDrag": [lambda s: forces.QuadraticDrag([0.1, 0.2], bodies=[s.tug, s.ship])],
    "RadiationPressure": [
        lambda s: forces.RadiationPressure(s.ship, normal_body=TILTED, sun_direction_world=TILTED, **LIGHT),
        lambda s: forces.RadiationPressure(
            s.tug, normal_body=TILTED, sun_direction_world=TILTED, shadow=((9.0, 0.0, 0.0), 1.0), **LIGHT
        ),
    ],
    "Spring": [
        lambda s: forces.Spring(s.ship, s.tug, stiffness=1.0, damping=0.1, at_other=TILTED),
        lambda s: forces.Spring(s.ship, None, stiffness=1.0, rest_length=0.5),
    ],
    "Thruster": [
        lambda s: forces.Thruster(s.ship, position=(0, 0, 1), direction=TILTED, max_force=4.0, gimbal=GIMBAL),
        lambda s: forces.Thruster(
            s.ship,
            position=(0, 0, 1),
            direction=TILTED,
            max_force=4.0,
            specific_impulse=80.0,
            tank=s.world.add_part(flight.Tank.ball(s.ship, position=(0, 0, 0.5), radius=0.2, propellant=1.0)),
            rise_time=0.01,
            fall_time=0.02,
            min_on_time=0.1,
        ),
    ],
    "ThrusterBank": [lambda s: forces.ThrusterBank(s.ship, gimbal=[GIMBAL, *11 * [None]], **PAIRS)],
    "UniformGravity": [lambda s: forces.UniformGravity(TILTED, bodies=[s.tug])],
    "Accelerometer": [lambda s: flight.Accelerometer(s.ship, max_acceleration=9.0, misalignment=TILTED, seed=1)],
    "AttitudeFilter": [
        lambda s: flight.AttitudeFilter(gyro(s), trackers(s), noise_density=2e-3, bias_deviation=0.01),
        lambda s: flight.AttitudeFilter(gyro(s), trackers(s), orientation=(0, 0.6, 0, 0.8), orientation_deviation=0.1),
    ],
    "AttitudeHold": [held, held_with_others],
    "BodyTorque": [lambda s: flight.BodyTorque(s.ship)],
    "Controlled": [
        lambda s: loop(s, control.MRPFeedback(1.0, 2.0, 0.1), SWING, delay=2, force_body=None),
        lambda s: loop(s, measured=s.world.add_part(flight.AttitudeFilter(gyro(s), trackers(s)))),
    ],
    "Gyro": [lambda s: flight.Gyro(s.ship, max_rate=0.2, scale_error=(0.1, 0.2, 0.3), quantum=1e-6, delay=2, seed=2)],
    "Magnetometer": [
        lambda s: flight.Magnetometer(s.ship, field=EARTH, noise=1e-8, seed=3),
        lambda s: flight.Magnetometer(s.ship, field=TILTED, max_field=1.0, seed=3),
        lambda s: flight.Magnetometer(s.ship, field=ALONG_X, seed=3),
    ],
    "Magnetorquer": [
        lambda s: flight.Magnetorquer(s.ship, axis=TILTED, max_dipole=2.0, field=EARTH),
    ],
    "ReactionWheel": [
        lambda s: flight.ReactionWheel(
            s.ship, axis=TILTED, inertia=0.01, max_torque=2.0, max_speed=600.0, speed=5.0, viscous_friction=0.1
        )
    ],
    "StarTracker": [lambda s: trackers(s) and None],
    "SunSensor": [
        lambda s: flight.SunSensor(s.ship, TILTED, field_of_view=1.1, sun_direction_world=TILTED, noise=0.1, seed=5),
        lambda s: flight.SunSensor(
            s.ship, (0, 0, 1), field_of_view=3.0, sun_direction_world=TILTED, shadow=(TILTED, 0.5), seed=5, delay=1
        ),
    ],
    "Tank": [lambda s: flight.Tank.cylinder(s.ship, (0, 0, 0), 0.2, 0.5, 1.0, axis=TILTED, settled=True, capacity=2.0)],
    "Ball": [ball_with_limits],
    "Distance": [lambda s: joints.Distance(s.ship, s.tug, at_body=(0, 0, 0), at_other=(0, 0, 0), max_length=9.0)],
    "Hinge": [
        lambda s: joints.Hinge(
            s.ship, axis_body=UNIT, at_body=(0, 0, 1), limits=(-0.5, 0.5), friction=0.1, break_force=9e5
        )
    ],
    "Latch": [lambda s: joints.Latch(s.ship, s.tug, *PORTS, capture=joints.Capture(0.1, 0.2, 0.3, 0.4, 0.5))],
    "Planar": [lambda s: joints.Planar(s.ship, UNIT)],
    "Slider": [lambda s: joints.Slider(s.ship, axis_body=UNIT, at_body=(0, 0, 0))],
    "Universal": [
        lambda s: joints.Universal(s.ship, at_body=(0, 0, 0), axis_body=(1, 0, 0), axis_other=(0, 1, 0)),
    ],
    "Weld": [weld],
    "Box": [lambda s: s.ship.add_shape(shapes.Box((1.0, 0.2, 0.3)), position=TILTED, orientation=(0, 0.6, 0, 0.8))],
    "Compound": [lambda s: s.ship.add_shape(DUMBBELL, position=TILTED, layer=3, collides_with=(0, 40), name="rail")],
    "Capsule": [lambda s: s.ship.add_shape(shapes.Capsule(0.2, 0.7), position=TILTED)],
    "HeightField": [lambda s: s.world.add_shape(shapes.HeightField(HULL, (1.0, 2.0)), position=(50, 0, 0))],
    "TriangleMesh": [
        lambda s: s.world.add_shape(shapes.TriangleMesh(HULL, [(0, 1, 2), (2, 1, 3)]), position=(90, 0, 0))
    ],
    "ConvexHull": [lambda s: s.ship.add_shape(shapes.ConvexHull(HULL), orientation=(0, 0.6, 0, 0.8))],
    "Cylinder": [lambda s: s.ship.add_shape(shapes.Cylinder(0.2, 0.7), position=TILTED)],
    "Material": [lambda s: s.ship.add_shape(shapes.Sphere(0.3), material=shapes.Material(0.3, 0.7))],
    "Plane": [
        lambda s: s.world.add_shape(shapes.Plane(TILTED, -3.0), position=(0, 0, 1), orientation=(0, 0.6, 0, 0.8))
    ],
    "ShapeHandle": [lambda s: setattr(s.tug.add_shape(shapes.Sphere(0.3)), "enabled", False)],
    "Sphere": [lambda s: (touching(s, s.ship), touching(s, s.tug)) and None],
    # what control loops are made with
    "BDot": [
        lambda s: loop(
            s,
            control.BDot(1e5),
            actuators=flight.Magnetorquers(torquers(s)),
            measured=MEASURED,
        )
    ],
    "MRPFeedback": [
        lambda s: loop(
            s,
            control.MRPFeedback(1.1, 2.2, 0.1, (0.3, 0.4, 0.5), TILTED, inertia_body=TENSOR),
        ),
        lambda s: loop(s, control.MRPFeedback(1.1, 2.2, assembly=assembly(s))),
    ],
    "MomentumManager": [lambda s: loop(s, control.MomentumManager(wheels(s), 1e-3, 1e-4, time_constant=3.0))],
    "PhasePlane": [lambda s: loop(s, control.PhasePlane(0.01, 0.02, 0.5, torque=(1.0, 2.0, 3.0)))],
    "QuaternionPD": [
        lambda s: loop(s, control.QuaternionPD(TENSOR, TENSOR, gyroscopic=True, max_torque_body=0.7)),
        lambda s: loop(s, control.QuaternionPD(1.0, 2.0, gyroscopic=True, inertia_body=TENSOR)),
        lambda s: loop(s, control.QuaternionPD.tuned(TENSOR, 1.0, 0.3)),
        lambda s: loop(s, control.QuaternionPD.tuned(None, 1.0, 0.3, assembly=assembly(s))),
    ],
    "RateDamping": [
        lambda s: loop(s, control.RateDamping((1.0, 2.0, 3.0))),
        lambda s: loop(s, control.RateDamping.tuned(None, 0.3, assembly=assembly(s))),
    ],
    "Reference": [lambda s: loop(s, reference=flight.Reference((0.0, 0.6, 0.0, 0.8), (0.1, 0.0, 0.0), TILTED))],
    "Slew": [lambda s: loop(s, reference=flight.Slew((0, 0, 0, 1), (0, 0.6, 0, 0.8), 0.5, 0.1, start_time=0.05))],
    "Spin": [lambda s: loop(s, reference=flight.Spin(TILTED, (0, 0.6, 0, 0.8), 0.25))],
    "Pointing": [
        lambda s: loop(s, reference=flight.Pointing(TILTED, s.tug)),
        lambda s: loop(
            s,
            reference=flight.Pointing(
                TILTED, "nadir", (1, 0, 0), "sun", gm=5.0, center=(0.5, 0.1, 0.2), sun_direction_world=TILTED
            ),
        ),
        lambda s: loop(s, reference=flight.Pointing((0, 0, 2), TILTED)),
    ],
    "GimbalAllocator": [
        lambda s: loop(
            s,
            actuators=flight.GimbalAllocator(
                s.world.add_force(
                    forces.Thruster(s.ship, position=(0, 0, -1), direction=(0, 0, 1), max_force=3.0, gimbal=GIMBAL)
                )
            ),
        )
    ],
    "Jets": [lambda s: loop(s, actuators=jets(s))],
    "Magnetorquers": [lambda s: loop(s, actuators=flight.Magnetorquers(torquers(s)))],
    "PulseModulator": [
        lambda s: loop(
            s,
            actuators=flight.Jets(
                flight.ThrusterAllocator([bank(s, min_on_time=0.01)]), flight.PulseModulator(0.02, 2 / 32)
            ),
        )
    ],
    "ThrusterAllocator": [
        lambda s: loop(s, actuators=jets(s, method="even", assembly=assembly(s))),
        lambda s: loop(s, actuators=flight.Jets(flight.ThrusterAllocator([bank(s)]).without(2).without(5, level=0.25))),
    ],
    "WheelAllocator": [
        lambda s: loop(s, actuators=flight.WheelAllocator(wheels(s), preferred_speed=50.0, null_rate=0.1)),
        lambda s: loop(s, actuators=without_a_wheel(s)),
    ],
}


NEXT = {
    "PointGravity": [lambda s: forces.PointGravity(4e2, (70, 1, 2))],
    "Lorentz": [lambda s: forces.Lorentz(0.1, magnetic_field=TILTED)],
    "Thruster": [lambda s: forces.Thruster(s.ship, position=(0, 0, 1), direction=TILTED, max_force=4.0)],
    "ThrusterBank": [lambda s: forces.ThrusterBank(s.ship, **PAIRS)],
    "Gyro": [lambda s: flight.Gyro(s.ship, seed=2)],
    "Accelerometer": [lambda s: flight.Accelerometer(s.ship, seed=2)],
    "StarTracker": [lambda s: flight.StarTracker(s.ship, TILTED, noise=(1e-4, 1e-4), seed=2)],
    "SunSensor": [lambda s: flight.SunSensor(s.ship, TILTED, field_of_view=1.0, sun_direction_world=TILTED, seed=2)],
    "Tank": [lambda s: flight.Tank.ball(s.ship, (0, 0, 0.1), 0.2, 1.0)],
    "Ball": [
        lambda s: joints.Ball(s.ship, s.tug, at_body=(1, 0, 0)),
        lambda s: joints.Ball(s.ship, at_body=(1, 0, 0), spring=joints.JointSpring(frequency=0.5)),
    ],
    "Distance": [
        lambda s: joints.Distance(s.ship, s.tug, at_body=(0, 0, 0), at_other=(0, 0, 0)),
        lambda s: joints.Distance(s.ship, s.tug, at_body=(0, 0, 0), at_other=(0, 0, 0), min_length=0.1),
    ],
    "Hinge": [
        lambda s: joints.Hinge(s.ship, axis_body=UNIT, at_body=(0, 0, 1)),
        lambda s: joints.Hinge(
            s.ship, axis_body=UNIT, at_body=(0, 0, 1), motor=joints.Motor(target_rate=0.2, max_torque=1.0)
        ),
    ],
    "Slider": [
        lambda s: joints.Slider(
            s.ship,
            axis_body=UNIT,
            at_body=(0, 0, 0),
            motor=joints.Motor(target_angle=0.1, frequency=1.0, damping_ratio=0.5, max_torque=2.0),
            spring=joints.JointSpring(stiffness=2.0, damping=0.1, rest=0.1),
        )
    ],
    "Latch": [lambda s: joints.Latch(s.ship, s.tug, *PORTS)],
    "Planar": [lambda s: joints.Planar(s.ship, UNIT, axis_1=np.cross(UNIT, (0, 0, 1)) / np.hypot(*UNIT[:2]))],
    "Weld": [
        lambda s: joints.Weld(s.ship, s.tug, **MIDDLE, pull_together=(0.5, 1.0)),
    ],
}
"""The same with as few arguments as possible, or with others."""


def without_a_wheel(s):
    own = wheels(s)
    return flight.WheelAllocator(own).without(own[1])


ADDERS = {"force": World.add_force, "part": World.add_part, "joint": World.add_joint}
CASES = [
    pytest.param(make, id=f"{name} {place}" if place else name)
    for name, makers in MAKERS.items()
    for place, make in enumerate([*makers, *NEXT.get(name, [])])
]


def flown(make):
    """A world with one of a class a few ticks on, with a sampled part at work."""
    s = scene()
    made = make(s)
    if made is not None and getattr(made, "_table", None) is not None and made._table.store is None:
        ADDERS[made._kind_of_member](s.world, made)
    for force in s.world.forces:
        if hasattr(force, "throttle") and not any(hasattr(part, "law") for part in s.world.parts):
            force.throttle = 0.5
    s.world.step(5)
    return s.world


def text_of(world, path, **options):
    world.save(path, **options)
    return json.loads(path.read_text())


def of_next_ticks(world):
    hashes = []
    for _ in range(8):
        world.step()
        hashes.append(world.state_hash())
    return hashes


def test_no_class_is_forgotten():
    """A new force, part, joint, law, reference or allocator needs a row here; the classes are found in the public names."""
    public = {
        name
        for package in (forces, flight, joints, shapes, control)
        for name, kind in inspect.getmembers(package, inspect.isclass)
        if name in package.__all__ and not inspect.isabstract(kind)
    }
    others = {
        *("Force", "Joint", "Shape", "BodyStates", "Wrench"),  # bases and views
        *("Assembly", "Capture", "Exclusion", "Gimbal", "JointSpring", "MagneticDipole", "Motor", "Port"),  # arguments
        *("Allocation", "Commanded", "Pulses", "JointConflictError"),  # results
    }
    results = {name for name in public if name.endswith("Reading")}
    assert set(MAKERS) == public - others - results == set(BUILT_IN) | set(OBJECT_CLASSES)


@pytest.mark.parametrize("make", CASES)
def test_one_of_each_class_is_saved_and_goes_on_with_every_bit(make, tmp_path):
    world = flown(make)
    saved = text_of(world, tmp_path / "game.json")
    loaded = World.load(tmp_path / "game.json", objects=OBJECTS)
    assert loaded.state_hash() == world.state_hash()
    assert [repr(member) for member in loaded._forces.members] == [repr(member) for member in world._forces.members]
    again = text_of(loaded, tmp_path / "again.json")
    assert {**again, "snapshot": ""} == {**saved, "snapshot": ""}
    assert_arguments_are_the_same_without_a_snapshot(world, tmp_path)
    assert of_next_ticks(loaded) == of_next_ticks(world)


def assert_arguments_are_the_same_without_a_snapshot(world, tmp_path):
    saved = text_of(world, tmp_path / "scene.json", snapshot=False)
    loaded = World.load(tmp_path / "scene.json", objects=OBJECTS)
    for key, values in text_of(loaded, tmp_path / "again.json", snapshot=False).items():
        if key != "bodies":  # the origin of a body is computed
            assert values == saved[key]


def test_what_was_measured_before_a_scene_is_not_in_it(tmp_path):
    """A scene begins at tick 0, where its sensors have taken no samples yet."""
    text = text_of(flown(MAKERS["Accelerometer"][0]), tmp_path / "scene.json", snapshot=False)
    assert [part.get("fields") for part in text["parts"]] == [None]


def test_a_scene_without_a_snapshot_has_the_jets_that_are_lost(tmp_path):
    """And at which levels they are stuck: a scene and its copy would also agree if neither had them."""
    world = flown(MAKERS["ThrusterAllocator"][1])
    world.save(tmp_path / "scene.json", snapshot=False)
    (allocator,) = [
        part.actuators.allocator for part in World.load(tmp_path / "scene.json").parts if hasattr(part, "actuators")
    ]
    assert (allocator.lost, allocator.stuck_levels) == ((2, 5), ((2, 0.0), (5, 0.25)))


@pytest.mark.parametrize("method", [integrators.by_name[name]() for name in integrators.by_name], ids=repr)
def test_every_method_is_saved(method, tmp_path):
    world = World(0.1, integrator=method)
    world.save(tmp_path / "scene.json")
    assert repr(World.load(tmp_path / "scene.json").integrator) == repr(method)


def test_directions_that_were_read_are_given_again_without_changing_a_bit():
    for vector in np.random.default_rng(4).normal(size=(300, 3)):
        pointing = flight.Pointing(vector, "sun", sun_direction_world=-vector)
        again = flight.Pointing(pointing.axis_body, "sun", sun_direction_world=pointing.sun_direction_world)
        assert again.axis_body.tobytes() == pointing.axis_body.tobytes()
        assert again.sun_direction_world.tobytes() == pointing.sun_direction_world.tobytes()
        far = flight.Exclusion.far(vector, 0.1)
        assert flight.Exclusion.far(far.direction_world, 0.1) == far


def test_arguments_are_read_as_they_were_given():
    ship = scene().ship
    given = {"field_of_view": 1.1, "sun_direction_world": (0, 0, 1), "seed": 1}
    sensor = flight.SunSensor(ship, (0, 0, 1), shadow=((1.0, 2.0, 3.0), 0.5), **given)
    assert sensor.field_of_view == 1.1 and sensor.shadow[0].tolist() == [1.0, 2.0, 3.0] and sensor.shadow[1] == 0.5
    assert flight.SunSensor(ship, (0, 0, 1), **given).shadow is None
    law = control.MRPFeedback(1.0, 2.0, 0.1, 0.3, TILTED, inertia_body=TENSOR)
    assert law.integral_limit.tolist() == [0.3, 0.3, 0.3] and law.known_torque_body.tolist() == list(TILTED)
    assert law.inertia_body.tolist() == TENSOR.tolist() and control.MRPFeedback(1.0, 2.0).integral_limit is None
    law = control.QuaternionPD(1.0, 2.0, max_torque_body=(1.0, 2.0, 3.0), inertia_body=TENSOR)
    assert law.max_torque_body.tolist() == [1.0, 2.0, 3.0] and law.inertia_body.tolist() == TENSOR.tolist()
    assert (
        control.QuaternionPD(1.0, 2.0).max_torque_body is None and control.QuaternionPD(1.0, 2.0).inertia_body is None
    )
    pointing = flight.Pointing((0, 0, 1), "nadir", gm=5.0)
    assert pointing.gm == 5.0 and pointing.sun_direction_world is None
    assert flight.Pointing((0, 0, 1), (1, 0, 0)).gm is None
