"""Two worlds in flight with one of everything: bodies, forces, parts, joints, controllers and tools."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from engine import Clock, MassProperties, Recorder, Rewind, Rollback, World, diagnostics, flight, forces, joints, shapes
from engine.flight import control
from engine.forces import BodyStates, Wrench

from ..helpers import skew_tensor

SOLID = MassProperties(3.0, skew_tensor((1.0, 2.0, 2.5)), (0.3, -0.2, 0.5))
FIELD = forces.MagneticDipole(7.8e15, (0.0, 0.0, -1.0), (-7.0e6, 0.0, 0.0))
AXES = np.eye(3)
ALONG = np.roll(AXES, 1, axis=1)
PAIRS = {
    "positions": [*AXES, *-AXES, *AXES, *-AXES],
    "directions": [*ALONG, *-ALONG, *-ALONG, *ALONG],
    "max_forces": 2.0,
}
PORTS = (joints.Port((0, 0, 1), (0, 0, 1), (1, 0, 0)), joints.Port((0, 0, -1), (0, 0, -1), (1, 0, 0)))
MEASURED = SimpleNamespace(
    orientation=(0.0, 0.0, 0.6, 0.8), angular_velocity_body=(0.1, 0.2, -0.1), field_body=(0.1, 0.2, 0.3)
)


@forces.compiled(parameters=("strength",))
def Wind(body: Any, time: Any, strength: Any) -> Any:
    """A force along x."""
    return (strength, 0.0, 0.0), (0.0, 0.0, 0.0)


def gusts(wrench: Any, bodies: Any, time: Any) -> None:
    """A called force."""
    wrench.force_world[:] += 0.125


def on_tick(world: Any) -> None:
    """A callback."""


def _flying(scene: SimpleNamespace) -> None:
    world = scene.world = World(1 / 32, integrator="rk4")
    ship = scene.ship = world.add_body(
        SOLID, name="ship", position=(1, 2, 3), orientation=(0.0, 0.6, 0.0, 0.8), angular_velocity_body=(0.1, 0.2, 0.05)
    )
    tug = scene.tug = world.add_body(SOLID, name="tug", position=(5, 0, 1), angular_velocity_body=(0.1, 0.2, 0.3))
    parts: dict[str, Any] = {
        "wheel": flight.ReactionWheel(ship, axis=(1, 2, 0), inertia=0.01, max_torque=2.0, max_speed=600.0),
        "tank": flight.Tank.ball(tug, position=(0, 0, 0.5), radius=0.2, propellant=1.0),
        "torquer": flight.Magnetorquer(ship, axis=(0, 0, 1), max_dipole=1.0, field=FIELD),
        "motor": flight.BodyTorque(ship, max_torque=100.0),
        "gyro": flight.Gyro(ship, noise_density=1e-3, bias_body=(0.1, 0.2, 0.3), seed=1),
        "accelerometer": flight.Accelerometer(ship, seed=2),
        "magnetometer": flight.Magnetometer(ship, field=FIELD, seed=3),
        "tracker": flight.StarTracker(ship, (0, 0, 1), noise=(2e-5, 1e-4), seed=4),
        "sun_sensor": flight.SunSensor(ship, (0, 0, 1), field_of_view=1.0, sun_direction_world=(1, 0, 0), seed=5),
    }
    for axis in AXES:
        parts[f"wheel {axis.argmax()}"] = flight.ReactionWheel(
            ship, axis=axis, inertia=0.01, max_torque=2.0, max_speed=600.0
        )
    given: dict[str, Any] = {
        "uniform": forces.UniformGravity((0.1, 0.2, -9.0)),
        "thruster": forces.Thruster(ship, position=(0, 0, 1), direction=(0, 1, 1), max_force=4.0),
        "bank": forces.ThrusterBank(ship, positions=AXES, directions=AXES, max_forces=2.0),
        "jets_bank": forces.ThrusterBank(tug, **PAIRS),
        "gimballed": forces.Thruster(
            ship,
            position=(0, 0, -1),
            direction=(0, 0, 1),
            max_force=3.0,
            gimbal=flight.Gimbal((1, 0, 0), (0, 1, 0), 0.75, 0.5),
        ),
        "gimballed_bank": forces.ThrusterBank(
            ship,
            positions=AXES[:2],
            directions=AXES[:2],
            max_forces=3.0,
            gimbal=flight.Gimbal((0, 0, 1), (1, 1, 0), 0.75, 0.5),
        ),
        "push": forces.ConstantForce(tug, force_body=(0.3, -0.2, 0.5), at_body=(0.1, 0.2, 0.7)),
        "weight": forces.ConstantForce(ship, force_world=(0.3, -0.2, 0.5)),
        "torque_body": forces.ConstantTorque(ship, torque_body=(0.1, -0.2, 0.05)),
        "torque_world": forces.ConstantTorque(ship, torque_world=(0.1, -0.2, 0.05)),
        "linear": forces.LinearDrag(0.1),
        "quadratic": forces.QuadraticDrag(0.1),
        "damping": forces.AngularDamping(0.1),
        "gravity": forces.PointGravity(50.0, (40, -30, 20), j2=0.1, reference_radius=3.0, axis=(1, 2, 3)),
        "gradient": forces.GravityGradient(50.0, (40, -30, 20)),
        "lorentz": forces.Lorentz(0.1, electric_field=(1, 0, 0)),
        "spring": forces.Spring(ship, tug, stiffness=1.0, rest_length=2.0, damping=0.1),
        "atmosphere": forces.AtmosphericDrag(
            *(ship,),
            drag_area=0.1,
            at_body=(0, 0, 0.1),
            density=0.1,
            reference_altitude=0.0,
            scale_height=8e3,
            planet_radius=1.0,
            center=(-40, 0, 0),
        ),
        "light": forces.RadiationPressure(
            ship,
            area=1.0,
            normal_body=(0, 0, 1),
            at_body=(0, 0, 0),
            specular=0.3,
            diffuse=0.4,
            sun_direction_world=(0, 0, 1),
        ),
        "wind": Wind(strength=0.2),
        "gusts": gusts,
    }
    for name, member in (parts | given).items():
        is_part = getattr(member, "_kind_of_member", "") == "part"
        setattr(scene, name, world.add_part(member) if is_part else world.add_force(member))
    scene.estimate = world.add_part(flight.AttitudeFilter(scene.gyro, [scene.tracker]))
    scene.law = control.QuaternionPD(stiffness=1.0, damping=2.0)
    scene.loop = world.add_part(flight.Controlled(ship, scene.law, flight.Reference(), scene.motor, every=2))
    scene.allocator = flight.ThrusterAllocator([scene.jets_bank])
    scene.jets = flight.Jets(scene.allocator)
    scene.hold = world.add_part(flight.AttitudeHold(tug, scene.jets, max_torque=1.0))
    scene.gimbal_allocator = flight.GimbalAllocator(scene.gimballed)
    scene.wheels = [getattr(scene, f"wheel {number}") for number in range(3)]
    scene.wheel_allocator = flight.WheelAllocator(scene.wheels)
    scene.torquers = flight.Magnetorquers([scene.torquer])
    scene.memory = world.memory.add("integral", 3)
    world.on_tick(on_tick)
    scene.thruster.throttle = 0.5
    world.step(3)
    scene.record, scene.rewind = Recorder(world), Rewind(world)
    world.step(2)
    ship.apply_force((0.1, 0.2, 0.3))
    scene.snapshot = world.snapshot()


def _jointed(scene: SimpleNamespace) -> None:
    world = scene.jointed = World(1 / 32)
    bodies = scene.linked = [
        world.add_body(SOLID, name=f"link {place}", position=(2.0 * place, 0, 0)) for place in range(9)
    ]
    middle = {"at_body": (1, 0, 0), "at_other": (-1, 0, 0)}
    limits = {"limits": (-0.5, 0.5), "friction": 0.1, "spring": joints.JointSpring(stiffness=1.0, damping=0.1)}
    scene.hinge = joints.Hinge(bodies[0], bodies[1], axis_body=(0, 0, 1), **middle, **limits)
    scene.slider = joints.Slider(bodies[1], bodies[2], axis_body=(1, 0, 0), **middle, **limits)
    scene.ball = joints.Ball(bodies[2], bodies[3], axis_body=(0, 0, 1), **middle)
    scene.latch = joints.Latch(bodies[4], bodies[5], *PORTS)
    scene.planar = joints.Planar(bodies[6], (0, 0, 1))
    scene.universal = joints.Universal(bodies[7], at_body=(0, 0, 0), axis_body=(1, 0, 0), axis_other=(0, 1, 0))
    scene.distance = joints.Distance(bodies[7], bodies[8], at_body=(1, 0, 0), at_other=(0, 0, 0), max_length=3.0)
    scene.weld = joints.Weld(bodies[8], at_body=(0, 0, 0))
    for joint in (
        *(scene.hinge, scene.slider, scene.ball, scene.latch),
        *(scene.planar, scene.universal, scene.distance, scene.weld),
    ):
        world.add_joint(joint)
    scene.assembly = world.assembly(bodies[8])
    scene.hull = bodies[0].add_shape(shapes.Sphere(0.1))
    scene.belt = scene.jointed.add_shape(shapes.Plane((0.0, 0.0, 1.0), -1e6))
    bodies[5].position = np.add(bodies[4].position, (0.0, 0.0, 2.0))  # where the latch catches it
    world.step(2)


def scene(folder: Path) -> SimpleNamespace:
    """Everything anew; files are read from and written to the folder."""
    made = SimpleNamespace(folder=folder)
    _flying(made)
    _jointed(made)
    made.clock = Clock(0.25)
    made.drift = diagnostics.Drift(made.world)
    rolled = World(0.5)
    rolled.add_body(SOLID, name="rolled", velocity=(1.0, 0.0, 0.0))
    made.rollback = Rollback(rolled, players=["Ada", "Grace"], apply=lambda world, inputs: None)
    made.rollback.step()
    made.rolled = rolled
    rolled.save(folder / "scene.json", snapshot=False)
    Recorder(rolled, path=folder / "record").stop()
    (folder / "mesh.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    made.states = BodyStates(made.world._bodies, made.world._bodies.array)
    made.wrench = Wrench(np.zeros((12, 2)), 0, made.states, np.zeros((2, 3)))
    return made


class At:
    """A valid argument that is part of the scene."""

    def __init__(self, find: Callable[[SimpleNamespace], Any]) -> None:
        self.find = find


def found(argument: Any, scene: SimpleNamespace) -> Any:
    """The argument, looked up in the scene if it is part of it."""
    return argument.find(scene) if isinstance(argument, At) else argument
