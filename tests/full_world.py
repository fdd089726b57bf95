"""A world with rows in every table, and its complete state as plain data for comparisons before and after."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from engine import World, forces
from engine.loops.layout import PREVIOUS, STATE_ROWS
from engine.store.schema import Kind

from .helpers import SKEW_ORIENTATION
from .worlds import OTHER, PROPERTIES, START


class Stop(Exception):
    """Raised on purpose."""


@forces.compiled(parameters=("strength", "gust"))
def Wind(body, time, strength, gust):
    """A wind that grows with time."""
    push = strength * (1.0 + gust * time)
    x, y, z = body.angular_velocity_body
    damping = -0.01 * strength
    return (push, -0.5 * push, 0.25 * push), (damping * x, damping * y, damping * z)


class Gusts:
    """A called force that remembers how often it was called, and pushes by what it remembers."""

    def __init__(self, evaluate="stage"):
        self.evaluate = evaluate
        self.calls = 0
        self.drift = np.array([0.1, -0.2, 0.3])

    def get_state(self):
        return {"calls": self.calls, "drift": self.drift}

    def set_state(self, state):
        self.calls = state["calls"]
        self.drift[:] = state["drift"]

    def apply(self, wrench, bodies, time):
        self.calls += 1
        self.drift *= 1.01
        wrench.force_world[:] += self.drift * self.calls


class Controller:
    """A callback that remembers: throttles the ship's engine, pushes the tug and writes rows of memory."""

    def __init__(self):
        self.ticks = 0
        self.label = b"start"

    def get_state(self):
        return {"ticks": self.ticks, "label": self.label}

    def set_state(self, state):
        self.ticks, self.label = state["ticks"], state["label"]

    def __call__(self, world):
        self.ticks += 1
        self.label = b"tick %d" % self.ticks
        if "ship" in [body.name for body in world.bodies]:
            world.body("ship").apply_force((0.1 * self.ticks, 0.0, 0.2), at_world=(1.0, 0.0, 2.0))
        if len(world.thrusters):
            world.thrusters.throttle = 0.125 * (self.ticks % 8)
        integral, random = world.memory["integral"], world.memory["random"]
        integral[1] = integral[1] + 0.5
        random.value = random.value * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)


def count_ticks(world):
    """A plain function after the tick that writes memory."""
    world.memory["taken"].value = world.tick_count


def full_world(method="rk4", called=True, threads=1, ticks=3):
    """A world a few ticks old with rows in every table; `called` adds forces and callbacks in Python, which remember."""
    world = World(Fraction(1, 32), integrator=method, threads=threads)
    ship = world.add_body(PROPERTIES, name="ship", **START)
    tug = world.add_body(OTHER, name="tug", position=(5, 0, 1), angular_velocity_body=(0.1, 0.2, 0.3))
    buoy = world.add_body(OTHER, name="buoy", position=(-5, 2, 0), orientation=SKEW_ORIENTATION)
    world.add_body(PROPERTIES, name="probe", position=(0, 9, -3), velocity=(0.3, 0.1, 0.2))
    ship.stored_momentum_body = (0.2, -0.1, 0.4)
    for force in (
        forces.UniformGravity((0.0, -1.0, 0.2)),
        forces.UniformGravity((0.1, 0.0, 0.0), bodies=[tug, buoy]),
        forces.Thruster(ship, position=(0, 1, 0), direction=(1, 0, 1), max_force=4.0),
        forces.ThrusterBank(tug, positions=[(0, 0, 0), (1, 0, 0)], directions=[(1, 0, 0), (0, 1, 0)], max_forces=2.0),
        forces.ConstantForce(buoy, force_body=(0.3, -0.2, 0.5), at_body=(0.1, 0.2, 0.7)),
        forces.ConstantTorque(tug, torque_world=(0.1, -0.2, 0.05)),
        forces.ConstantForce(ship, force_world=(0.4, 0.1, -0.3), at_body=(0.3, 0.5, -0.2)),
        forces.LinearDrag([0.3, 0.5], bodies=[tug, ship]),
        forces.LinearDrag(0.1),
        forces.PointGravity(50.0, (40, -30, 20), j2=0.1, reference_radius=3.0, axis=(1, 2, 3)),
        Wind(strength=0.2, gust=0.1),
        forces.Spring(ship, tug, stiffness=1.0, rest_length=2.0, damping=0.1, at_other=(0.1, 0.2, 0.3)),
        forces.Spring(buoy, None, stiffness=0.5, at_other=(-4, 2, 1)),
    ):
        world.add_force(force)
    world.thrusters.throttle = (0.5, 0.1, 0.9)
    world.memory.add("integral", 2).value = (0.25, -0.5)
    world.memory.add("random", (2, 2), np.uint64).value = [[1, 2], [3, 2**64 - 1]]
    world.memory.add("taken")
    world.keep_out = ((40, -30, 20), 2.5)
    if called:
        world.add_force(Gusts())
        world.add_force(Gusts("tick"))
        world.on_tick(Controller())
        world.after_tick(count_ticks)
    world.step(ticks)
    world.body("probe").apply_torque((0.1, 0.2, 0.3))
    return world


def image(world, previous=True):
    """Everything that decides the future of a world, as plain data. Two images are equal if the worlds are.

    Args:
        previous: Whether the state one tick earlier counts, which a tick that was not finite does not put back.
    """
    _ = world.tick_count  # this use of the world ends what an exception may have left unfinished
    store = world._store
    tables = {}
    for name, table in store.tables.items():
        if not table.count or (table.schema.follows and not table.content().any()):
            continue
        content = table.content()
        for field in table.schema.fields:
            if field.kind is Kind.SCRATCH and name == "bodies":  # what is held is gathered anew
                content[table.schema.components[field.name]] = 0.0
        if name == "bodies" and not previous:
            content[PREVIOUS : PREVIOUS + STATE_ROWS] = 0.0
        count = table.count
        tables[name] = (count, content.tobytes(), table.ids[:count].tobytes(), table.groups[:count].tobytes())
    return {
        "tables": tables,
        "ticks": world.tick_count,
        "handles": [(id(body), body.name, body.index) for body in world.bodies],
        "by name": {name: id(body) for name, body in world._bodies.by_name.items()},
        "mass properties": [id(properties) for properties in world._bodies.mass_properties],
        "forces": [id(force) for force in world.forces],
        "named bodies": [
            [id(body) for body in force._named_bodies()] for force in world.forces if hasattr(force, "_named_bodies")
        ],
        "rows": [list(force.rows) for force in world.forces if hasattr(force, "rows")],
        "callbacks": [(id(callback.function), callback.every) for callback in world._stages.on_tick],
        "after tick": [(id(callback.function), callback.every) for callback in world._stages.after_tick],
        "memory": sorted(world.memory),
        "objects": {name: repr(object.get_state()) for name, object in world.memory.objects.items()},
        "joined": sorted(world.memory._joined),
        "method": (world.integrator, world.game_mode, world._clock.exact_time_scale, world.paused),
        "cap": world.max_ticks_per_frame,
        "coasting": world.coasting,
        "user data": [id(body.user_data) for body in world.bodies],
        "pushed": world._held.is_pushed,
        "hash": world.state_hash(),
    }


def differences(before, after):
    """The names of what differs between two images, tables by their names."""
    names = [f"table {name}" for name in before["tables"].keys() | after["tables"].keys()]
    return sorted(
        [name for name in names if before["tables"].get(name[6:]) != after["tables"].get(name[6:])]
        + [name for name in before if name != "tables" and before[name] != after[name]]
    )


# what a callback may do: each operation is given the world and a number to choose with


def a_body(world, number):
    return world.bodies[number % len(world.bodies)] if world.bodies else None


def a_force(world, number):
    return world.forces[number % len(world.forces)] if world.forces else None


def set_state_of_a_body(world, number):
    body = a_body(world, number)
    if body is not None:
        body.position, body.velocity = (number, 1.0, 2.0), (0.5, 0.01 * number, 0.25)
        body.orientation, body.angular_velocity_body = (0.0, 0.6, 0.0, 0.8), (0.1, 0.2, 0.01 * number)
        body.stored_momentum_body = (1.0, 0.0, 0.01 * number)
        body.user_data = Stop


def set_whole_arrays(world, number):
    shape = (len(world.bodies), 3)
    world.state.velocity = np.full(shape, 0.5 + 0.01 * number)
    world.state.position = 0.01 * np.arange(float(np.prod(shape))).reshape(shape)


def push(world, number):
    body = a_body(world, number)
    if body is not None:
        body.apply_force((1.0, 0.01 * number, 3.0), at_world=(0.0, 1.0, 0.0))
        body.apply_torque_body((0.1, 0.0, 0.2))
        body.apply_impulse((0.0, 0.1, 0.0))


def exchange_mass(world, number):
    body = a_body(world, number)
    if body is not None:
        body.mass_properties = (OTHER, PROPERTIES)[number % 2]


def add_a_body(world, number):
    body = world.add_body(OTHER, position=(0.1 * number, 0, 0))
    drag = world.add_force(forces.LinearDrag([0.1 + 0.01 * number], bodies=[body]))
    world.add_force(forces.Spring(body, None, stiffness=1.0))
    drag.coefficient = [0.2]


def add_many(world, number):
    world.add_bodies(OTHER, np.ones((1 + 70 * (number % 5), 3)))


def remove_a_body(world, number):
    if world.bodies:
        world.remove_body(a_body(world, number))


def remove_some_bodies(world, number):
    world.remove_bodies([body for place, body in enumerate(world.bodies) if number >> place % 8 & 1])


def add_a_force(world, number):
    body = a_body(world, number)
    kinds = [forces.UniformGravity((0, 0, 0.01 * number)), forces.QuadraticDrag(0.25), Gusts(), lambda w, b, t: None]
    if body is not None:
        kinds += [
            forces.ConstantForce(body, force_world=(0, 0, 1), at_body=(1, 0, 0)),
            forces.ConstantTorque(body, torque_body=(0, 0, 1)),
            forces.ThrusterBank(body, positions=np.eye(3), directions=np.eye(3), max_forces=1.0),
            forces.AngularDamping([0.5], bodies=[body]),
        ]
    world.add_force(kinds[number % len(kinds)])


def remove_a_force(world, number):
    force = a_force(world, number)
    if force is not None:
        world.remove_force(force)
        if number % 3 == 0:
            world.add_force(force)


def set_parameters(world, number):
    if len(world.thrusters):
        world.thrusters.throttle = (number % 9) / 8
        world.thrusters.direction = (1.0, 2.0, number)
    if len(world.springs):
        world.springs.rest_length = 0.01 * number
    world.fields(forces.LinearDrag).coefficient = 0.5 + 0.01 * number
    force = a_force(world, number)
    if hasattr(force, "enabled"):
        force.enabled = not force.enabled


def remember(world, number):
    world.memory["integral"].value = (number, -number)
    world.memory["random"][1, 0] = number
    name = f"new {number}"
    if name not in world.memory:
        world.memory.add(name, 3).value = (1, 2, number)
    for memory in world.memory.objects.values():
        if isinstance(memory, Gusts):
            memory.calls += number % 3
            memory.drift[:] = 0.01 * number


def change_the_world(world, number):
    if number % 4:
        world.integrator = ("semi-implicit-euler", "rk4", "free-rotor-2")[number % 3]
    world.game_mode = number % 2 == 0
    world.time_scale, world.paused = 0.5 + number, number % 5 == 0
    world.max_ticks_per_frame = 1 + number
    world.coasting = number % 3 > 0
    world.keep_out = ((0.5, 0.25 * number, 2.0), 1.0) if number % 2 else None


def shift_the_origin(world, number):
    with warnings.catch_warnings(action="ignore"):  # the forces in Python do not depend on positions
        world.shift_origin((0.5 * number, -1.0, 2.0))


def change_callbacks(world, number):
    kept = Gusts()
    function = kept.get_state if number % 2 else Stop
    (world.on_tick if number % 3 else world.after_tick)(lambda world: function and None, every=1 + number)
    if number % 4 == 0:
        world.remove_callback((world._stages.on_tick + world._stages.after_tick)[0].function)


def fail_inside(world, number):
    """Operations that are rejected leave no trace either, and the callback goes on."""
    for attempt in (
        lambda: world.add_body(OTHER, name=world.bodies[0].name),
        lambda: world.add_bodies(OTHER, np.ones((2, 3)), names=["fresh", "fresh"]),
        lambda: world.remove_bodies([*world.bodies, world.bodies[0]]),
        lambda: setattr(world.thrusters, "throttle", [0.5] * (len(world.thrusters) + 1)),
        lambda: world.memory.add("integral"),
        lambda: world.add_force(a_force(world, number)),
    ):
        with pytest.raises((ValueError, IndexError, TypeError)):
            attempt()


OPERATIONS = [
    set_state_of_a_body,
    set_whole_arrays,
    push,
    exchange_mass,
    add_a_body,
    add_many,
    remove_a_body,
    remove_some_bodies,
    add_a_force,
    remove_a_force,
    set_parameters,
    remember,
    change_the_world,
    shift_the_origin,
    change_callbacks,
    fail_inside,
]
