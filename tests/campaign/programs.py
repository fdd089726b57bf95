"""Functions that campaigns of the tests simulate; workers import this module."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from engine import MassProperties, World, flight
from engine.campaign import Campaign, Choice, Normal, NormalVector, RandomAttitude, Uniform

DRAWS = {"mass": Normal(90.0, 3.0), "rate": NormalVector(size=3, deviation=0.2), "attitude": RandomAttitude()}
BODY = {"mass_of_body": "kg", "x": "rad/s", "y": "rad/s", "z": "rad/s", "w": "-"}


def body(run):
    """The numbers of a body that has got the draws, read off the body."""
    world = World(dt=0.01)
    properties = MassProperties.box(run.draws["mass"], (1.0, 2.0, 3.0))
    ship = world.add_body(
        properties, orientation=run.draws["attitude"], angular_velocity_body=run.draws["rate"], name="ship"
    )
    x, y, z = ship.angular_velocity_body
    return {"mass_of_body": ship.mass, "x": x, "y": y, "z": z, "w": ship.orientation[3]}


def closed_loop(run):
    """Wheels, a noisy gyro and a control loop for 5 s; some runs fail, some end their process, one hangs."""
    number = run.number
    wait_at_gate(number)
    if run.draws["fate"] == "raise":
        raise ArithmeticError(f"run {number} has no solution\nand says so in two lines")
    if run.draws["fate"] == "exit":
        raise SystemExit(4)
    if run.draws["fate"] == "wrong":
        return {"rate": "fast"}
    world = World(dt=0.05)
    ship = world.add_body(
        MassProperties.box(run.draws["mass"], (1.0, 1.0, 1.5)), angular_velocity_body=run.draws["rate"]
    )
    limits = {"inertia": 0.02, "max_torque": 0.3, "max_speed": 600.0}
    wheels = [world.add_part(flight.ReactionWheel(ship, axis=axis, **limits)) for axis in np.eye(3)]
    gyro = world.add_part(flight.Gyro(ship, noise_density=1e-4, seed=run.seed("gyro"), every=5))
    law = flight.control.RateDamping.tuned(ship.inertia_body, decay_rate=0.3)
    actuators = flight.WheelAllocator(wheels)
    world.add_part(flight.Controlled(ship, law, flight.Reference(), actuators, every=5, measured=Measured(gyro)))
    for _ in range(5):
        world.step(20)
        run.trace(world.time, rate=ship.angular_velocity_body)
    return {"rate": np.linalg.norm(ship.angular_velocity_body)}


BEFORE_GATE = 80
"""Number of runs before the gate."""


def wait_at_gate(number):
    """Let later runs begin once the file exists that the environment names, so that a test can end a campaign before it is complete."""
    gate = os.environ.get("CAMPAIGN_GATE")
    while gate and number >= BEFORE_GATE and not os.path.exists(gate):
        time.sleep(0.02)


class Measured:
    """The rates of a gyro."""

    def __init__(self, gyro):
        self.gyro = gyro

    @property
    def angular_velocity_body(self):
        return self.gyro.read().angular_velocity_body


FATES = Choice(["fly", "raise", "exit", "wrong"], [0.85, 0.05, 0.05, 0.05])


def loops(folder, runs, **given):
    """A campaign of closed loops."""
    draws = {"mass": Normal(90.0, 3.0), "rate": NormalVector(size=3, deviation=0.2), "fate": FATES}
    return Campaign(folder, closed_loop, runs=runs, seed=31, columns={"rate": "rad/s"}, draws=draws, **given)


def deadly(run):
    """Runs 2, 4 and 20 end their process, each in a way of its own, and run 3 hangs."""
    if run.number == 2:
        os._exit(5)
    if run.number == 3:
        time.sleep(1000.0)
    if run.number == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    if run.number == 20:
        os.abort()
    return {"double": 2.0 * run.draws["x"]}


def doubled(run):
    """Twice the draw."""
    return {"double": 2.0 * run.draws["x"]}


def of(simulate, folder, runs, **given):
    """A campaign of one draw and one column."""
    values = {"columns": {"double": "m"}, "draws": {"x": Uniform(0.0, 1.0)}, "seed": 5, **given}
    return Campaign(folder, simulate, runs=runs, **values)


def files_of(folder):
    """The bytes of all rows and traces, by name."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(Path(folder).glob("*/*.parquet"))}


def busy(run):
    """20 ms of processor time of an idle machine, in short steps of a world."""
    world = World(dt=0.01)
    ship = world.add_body(
        MassProperties.box(90.0 + run.draws["x"], (1.0, 1.0, 1.5)), angular_velocity_body=(0.1, 0.2, 0.3)
    )
    for _ in range(2000):
        world.step(20)
    return {"double": ship.angular_velocity_body[0]}


def spinning(run):
    """A short run of a body, with a trace in some runs."""
    world = World(dt=0.01)
    ship = world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), angular_velocity_body=(0.1, run.draws["x"], 0.3))
    world.step(10)
    if run.number % 5 == 0:
        run.trace(world.time, rate=ship.angular_velocity_body)
    return {"double": ship.angular_velocity_body[0]}


def spin(folder, runs, **given):
    """A campaign of short runs."""
    return of(spinning, folder, runs, **given)
