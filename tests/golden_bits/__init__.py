"""The raw bits of flown worlds: every method with every kind of force, with and without wheels, with and without the gyroscopic term; and
every method with joints and actuators beside forces that Python calls; and bodies that touch.

`table.json` holds one digest per world, written by `python -m tests.golden_bits --write`. A change of the engine that must keep every bit
is compared with it; a change that alters bits on purpose writes the table anew and says so in its commit.
"""

import hashlib
import json
import warnings
from pathlib import Path

import numpy as np

from engine import MassProperties, World, flight, forces, integrators, joints
from engine.constraints import layout
from engine.integrators import Extrapolated, RungeKutta4, Substepped
from engine.store.schema import Kind

from . import touching

TABLE = Path(__file__).with_name("table.json")
CENTER = (40.0, -30.0, 20.0)
LARGE = [
    [1.9310591201687077, -0.041632539841134186, 0.6061032060443167],
    [-0.041632539841134186, 2.080082509164295, -0.34596202976280177],
    [0.6061032060443167, -0.34596202976280177, 1.4888583706669973],
]
SMALL = [
    [0.5134330006723004, -0.020948926622584685, 0.07853809496824665],
    [-0.020948926622584685, 0.5218694983730672, -0.04940057347460999],
    [0.07853809496824665, -0.04940057347460999, 0.46469750095463247],
]
"""Tensors with every product of inertia, as numbers: a product of matrices would depend on the BLAS of the machine."""
TURNED = (0.14965287221895227, -0.29930574443790453, 0.07482643610947613, 0.9393727128473789)
TICKS = 5

METHODS = {
    **integrators.by_name,
    "rk4-body-rates-momentum-kept": lambda: RungeKutta4(variables="body_rates", keep_momentum=True),
    "extrapolated-rk4": lambda: Extrapolated(RungeKutta4()),
    "substepped-free-rotor-2": lambda: Substepped(integrators.FreeRotor(), 3),
    "converged-rk4": lambda: Substepped(RungeKutta4(), tolerance=1e-9),
}


def _called(wrench, bodies, time):
    wrench.force_world[:] += -0.3 * bodies.velocity + 0.01 * time
    wrench.add(1, force_body=(0.2, -0.1, 0.3), at_body=(0.1, 0.4, -0.2))


def _thrusters(bodies):
    one = forces.Thruster(bodies[0], position=(0.1, 0.2, -0.5), direction=(1, 1, 3), max_force=2.0)
    bank = forces.ThrusterBank(
        bodies[2],
        positions=[(0.1, 0.7, -0.3), (0.4, -0.2, 0.1)],
        directions=[(0.2, 0.1, 1.0), (1.0, -0.5, 0.3)],
        max_forces=(1.5, 0.7),
    )
    one.throttle = 0.7
    bank.throttle = (0.3, 0.9)
    return [one, bank]


def _constants(bodies):
    return [
        forces.ConstantForce(bodies[0], force_body=(0.3, -0.2, 0.5), at_body=(0.1, 0.2, 0.7)),
        forces.ConstantForce(bodies[1], force_world=(0.4, 0.1, -0.3)),
        forces.ConstantTorque(bodies[2], torque_world=(0.1, -0.2, 0.05)),
        forces.ConstantTorque(bodies[1], torque_body=(0.02, 0.1, -0.07)),
    ]


FORCES = {
    "none": lambda bodies: [],
    "uniform-gravity": lambda bodies: [forces.UniformGravity((0.1, -9.7, 0.4)), forces.UniformGravity((0.3, 0.2, 0.1))],
    "thrusters": _thrusters,
    "constants": _constants,
    "point-gravity": lambda bodies: [
        forces.PointGravity(500.0, CENTER, j2=0.01, reference_radius=3.0, axis=(1, 2, 3))
    ],
    "two-gravities": lambda bodies: [
        forces.PointGravity(500.0, CENTER),
        forces.PointGravity(200.0, (-20.0, 3.0, 8.0)),
    ],
    "gravity-gradient": lambda bodies: [forces.GravityGradient(5e4, CENTER)],
    "linear-drag": lambda bodies: [forces.LinearDrag(0.4)],
    "quadratic-drag-on-two": lambda bodies: [forces.QuadraticDrag(0.3, bodies=bodies[1:])],
    "angular-damping": lambda bodies: [forces.AngularDamping(0.2)],
    "lorentz": lambda bodies: [forces.Lorentz(0.3, electric_field=(1, -2, 0.5), magnetic_field=(0.2, 0.1, -1))],
    "springs": lambda bodies: [
        forces.Spring(bodies[0], bodies[2], at_body=(0.1, 0.5, 0), at_other=(0, -0.3, 0.2), stiffness=3.0, rest_length=1.0),
        forces.Spring(bodies[2], None, at_body=(0.3, 0, 0), at_other=(1, 2, 3), stiffness=2.0, damping=0.1),
    ],
    "force-at-a-point": lambda bodies: [
        forces.ConstantForce(bodies[1], force_world=(0.5, -1.0, 0.7), at_body=(0.2, 0.4, -0.6))
    ],
    "called": lambda bodies: [_called],
    "pushes": lambda bodies: [],
}  # fmt: skip


class _Held:
    """The same force, called once per tick, with a motor torque."""

    evaluate = "tick"

    def apply(self, wrench, bodies, time):
        _called(wrench, bodies, time)
        wrench.add(1, motor_torque_body=(0.01, -0.02, 0.005))


def _joined(bodies):
    """A hinge with friction, and a ball joint by which the second body also hangs on the world."""
    world = bodies[0].world
    hinge = joints.Hinge(bodies[0], bodies[1], at_body=(0.2, 0.3, -0.4), axis_body=(0.36, -0.48, 0.8), friction=0.02)
    world.add_joint(hinge)
    world.add_joint(joints.Ball(bodies[1], at_body=(-0.3, 0.2, 0.1)))
    return []


def _driven(bodies):
    """A wheel, a tank with a jet that fires pulses, and a jet without a tank."""
    world = bodies[0].world
    wheel = flight.ReactionWheel(
        bodies[2],
        axis=(0.36, 0.48, 0.8),
        inertia=0.02,
        max_torque=0.1,
        max_speed=600.0,
        speed=20.0,
        viscous_friction=1e-4,
    )
    world.add_part(wheel)
    wheel.torque = 0.05
    tank = flight.Tank(
        bodies[0], position=(0.1, -0.2, 0.3), propellant=0.5, specific_inertia=(0.02, 0.02, 0.03), jet_damping=True
    )
    world.add_part(tank)
    fed = forces.Thruster(
        bodies[0], position=(0.1, 0.2, -0.5), direction=(1, 1, 3), max_force=2.0, specific_impulse=200.0, tank=tank
    )
    pulsed = forces.Thruster(bodies[2], position=(0.3, 0.1, -0.2), direction=(0.2, -1, 1), max_force=1.0)
    for jet in (fed, pulsed):
        world.add_force(jet)
        jet.fire(0.023)
    return []


def _both(bodies):
    return [*_joined(bodies), *_driven(bodies)]


MACHINES = {
    f"{name}{suffix}": lambda bodies, make=make, acting=acting: [*make(bodies), *acting]
    for name, make in (("joints", _joined), ("actuators", _driven), ("joints-and-actuators", _both))
    for suffix, acting in (("", ()), ("-called", (_called,)), ("-held", (_Held(),)))
}
"""Joints and actuators: alone, with a force that Python calls at each stage, and with one that it calls once per tick."""


def world_of(method, force, game_mode, wheels):
    """Three bodies of which nothing is zero, along an axis or diagonal, or bodies that touch; None where the method has no game mode."""
    if force in touching.SCENES:
        return touching.SCENES[force]()
    try:
        world = World(0.01, integrator=METHODS[method](), game_mode=game_mode)
    except ValueError:
        return None
    first = MassProperties(3.0, LARGE, (0.3, -0.2, 0.5))
    second = MassProperties(0.7, SMALL, (-0.1, 0.4, 0.2))
    rng = np.random.default_rng(7)
    turns = rng.normal(size=(3, 4))
    turns[0] = TURNED
    turns /= np.sqrt((turns**2).sum(axis=1, keepdims=True))
    bodies = world.add_bodies(
        [first, second, first],
        3.0 * rng.normal(size=(3, 3)),
        orientation=turns,
        velocity=rng.normal(size=(3, 3)),
        angular_velocity_body=3.0 * rng.normal(size=(3, 3)),
    )
    if wheels:
        bodies[1].stored_momentum_body = (0.7, -0.2, 0.4)
    if force in MACHINES and not world.integrator._takes_actuators:
        return None
    for made in (FORCES | MACHINES)[force](bodies):
        world.add_force(made)
    if force == "pushes":

        @world.on_tick(every=2)
        def push(world):
            world.bodies[0].apply_force((0.3, 0.1, -0.2), at_world=(1.0, 2.0, 3.0))
            world.bodies[2].apply_force_body((0.1, -0.4, 0.2), at_body=(0.3, 0.2, 0.1))
            world.bodies[0].apply_torque((0.05, 0.02, -0.03))

    return world


def digest(world):
    """The raw bytes of the state and of the mass properties, and of what joints, actuators and contacts remember."""
    state, model = world.state, world.model
    parts = [state.position, state.orientation, state.velocity, state.angular_velocity_body, state.stored_momentum_body]
    parts += [model.mass, model.inverse_mass, model.center_of_mass_body, model.inertia_body, model.inverse_inertia_body]
    tables = world._store.tables
    touch = ["shapes", "contacts"] if tables["shapes"].count else []
    for name in ("joints", "wheels", "tanks", *(["thrusters"] if tables["driven"].count else []), *touch):
        table = tables[name]
        states = [table.schema.components[field.name] for field in table.schema.fields if field.kind is Kind.STATE]
        rows = [row for each in states for row in range(each.start, each.stop) if not _is_later(table, row)]
        parts.append(table.array[rows, : table.count])
    content = b"".join(np.ascontiguousarray(part).astype("<f8").tobytes() for part in parts)
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def _is_later(table, row):
    """Whether a row came after the table of bits and has no value; those before it stay comparable."""
    return table.schema.name == "joints" and row == layout.STEPS and not table.array[row, : table.count].any()


def flown(method, force, game_mode, wheels):
    """The digest after a few ticks, one by one and then at once."""
    world = world_of(method, force, game_mode, wheels)
    if world is None:
        return None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* moved by the step of the joints", category=UserWarning)
        world.step()
        world.step()
        world.step(TICKS - 2)
    return digest(world)


def every_case():
    """(method, force, game_mode, wheels) of each row of the table; machines have both or neither of the last two."""
    return [
        (method, force, game_mode, wheels)
        for method in METHODS
        for force in FORCES
        for game_mode in (False, True)
        for wheels in (False, True)
    ] + [
        *((method, machine, mode, mode) for method in METHODS for machine in MACHINES for mode in (False, True)),
        *((touching.METHOD, scene, False, False) for scene in touching.SCENES),
    ]


def crossing():
    """The cases of the first method, those of bodies that touch, and for each other method those of one force and one machine."""
    first, *_others = METHODS
    forces, machines, methods = list(FORCES), list(MACHINES), list(METHODS)

    def crosses(method, force):
        place = methods.index(method)
        return (
            method == first
            or force in touching.SCENES
            or force in (forces[place % len(forces)], machines[place % len(machines)])
        )

    return [case for case in every_case() if crosses(*case[:2])]


def key(method, force, game_mode, wheels):
    """The name of a row of the table."""
    return f"{method} {force} {'game' if game_mode else 'gyro'} {'wheels' if wheels else 'plain'}"


def kept():
    """The table as committed."""
    return json.loads(TABLE.read_text(encoding="utf-8"))
