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


def wait_at_gate(number):
    """Let runs from CAMPAIGN_GATE_AT on begin once the file CAMPAIGN_GATE exists: a test can end a campaign before it is complete."""
    gate, first = os.environ.get("CAMPAIGN_GATE"), int(os.environ.get("CAMPAIGN_GATE_AT", 0))
    while gate and number >= first and not os.path.exists(gate):
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


POINTING = {
    "mass": Normal(90.0, 3.0),
    "rate": NormalVector(size=3, deviation=0.06),
    "attitude": RandomAttitude(),
    "fate": Choice(["fly", "fail", "overflow"], [0.8, 0.1, 0.1]),
}
POINTED = {"rate": "rad/s", "angle": "rad", "measured": "rad/s"}


def pointing_craft(seed=0):
    """A craft with three wheels, a noisy gyro and a control loop; world, body, gyro and loop."""
    world = World(dt=0.02, integrator="rk4-body-rates")
    ship = world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), name="ship")
    limits = {"inertia": 0.02, "max_torque": 0.3, "max_speed": 600.0}
    wheels = [world.add_part(flight.ReactionWheel(ship, axis=axis, **limits)) for axis in np.eye(3)]
    gyro = world.add_part(flight.Gyro(ship, noise_density=1e-4, seed=seed, every=5))
    law = flight.control.QuaternionPD(4.0, 20.0)
    loop = flight.Controlled(ship, law, flight.Reference(), flight.WheelAllocator(wheels), every=5)
    return world, ship, gyro, world.add_part(loop)


OVERFLOWING = {"position": (1.79e308, 0.0, 0.0), "velocity": (1.7e308, 0.0, 0.0)}
"""A state that is not finite any more after the next tick."""


def pointing(run, seconds=6):
    """Turn a craft to the axes of the world; some runs fail after 4 s, and the state of others overflows."""
    world, ship, gyro, loop = pointing_craft(run.seed("gyro"))
    ship.dry_mass_properties = MassProperties(run.draws["mass"], ship.dry_mass_properties.inertia_body)
    ship.orientation, ship.angular_velocity_body = run.draws["attitude"], run.draws["rate"]
    for second in range(seconds):
        world.step(50)
        run.trace(world.time, rate=ship.angular_velocity_body, angle=loop.error_angle)
        if second == 3 and run.draws["fate"] == "fail":
            raise RuntimeError(f"run {run.number} ends at {world.time:g} s")
        if second == 3 and run.draws["fate"] == "overflow":
            ship.position, ship.velocity = OVERFLOWING.values()
    x, y, z = ship.angular_velocity_body.tolist()
    return {"rate": x * x + y * y + z * z, "angle": loop.error_angle, "measured": gyro.read().angular_velocity_body[0]}


def pointing_together(runs, seconds=6):
    """The same for many runs at once."""
    template, ship, gyro, loop = pointing_craft()
    batch = runs.batch(template)
    batch[gyro].seed = runs.seed("gyro")
    batch[ship].set_mass_properties(mass=runs.draws["mass"])
    batch[ship].orientation, batch[ship].angular_velocity_body = runs.draws["attitude"], runs.draws["rate"]
    for second in range(seconds):
        batch.step(50)
        runs.trace(batch.time, rate=batch[ship].angular_velocity_body, angle=batch[loop].error_angle)
        if second == 3:
            failed = np.flatnonzero(runs.draws["fate"] == "fail")
            runs.fail(
                failed, [RuntimeError(f"run {runs.numbers[run]} ends at {batch.time[run]:g} s") for run in failed]
            )
            batch[ship].set(runs.draws["fate"] == "overflow", **OVERFLOWING)
    x, y, z = batch[ship].angular_velocity_body.T
    measured = batch[gyro].read().angular_velocity_body
    return {"rate": x * x + y * y + z * z, "angle": batch[loop].error_angle, "measured": measured[:, 0]}


def long_pointing(run):
    """The same for 20 s."""
    return pointing(run, 20)


def long_pointing_together(runs):
    """The same for 20 s and many runs at once."""
    return pointing_together(runs, 20)


def pointings(folder, runs, batched, is_long=False, **given):
    """A campaign of such craft."""
    simulate = (pointing, pointing_together, long_pointing, long_pointing_together)[2 * is_long + batched]
    draws = {**POINTING, "fate": Choice(["fly"])} if is_long else POINTING
    named = {"seed": 35, "columns": POINTED, "draws": draws, "batched": batched, **given}
    return Campaign(folder, simulate, runs=runs, **named)
