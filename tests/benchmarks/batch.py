"""What a member of a batch costs per tick, among 64 and among 4096, beside the goal and beside a world of as many bodies.

Everything takes its turn in rounds, and the least of the rounds counts, because other programs can only add to it. Times are those of the
processor: on a busy machine, work of more than a few milliseconds waits for others in every round, so that many members seem to cost more
than few.
"""

import multiprocessing
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from engine import MassProperties, World, flight, forces, joints
from engine.batch import Batch
from tests.batch.test_loops import make_measured

FEW, MANY = 64, 4096
ROUNDS = 12
PROCESSES = 9

Timed = Callable[[], float]
"""Does its work once and returns the seconds of the processor that it took."""


def main() -> None:
    """Print the table."""
    print(
        f"| per member and tick | n = {FEW} [ns] | n = {MANY} [ns] | ratio | goal [ns] |\n| --- | --- | --- | --- | --- |"
    )
    for name, make, goal in ROWS:
        few, many = (least(make(count)) / count * 1e9 for count in (FEW, MANY))
        print(f"| {name} | {few:.0f} | {many:.0f} | {many / few:.2f} | {goal} |", flush=True)
    print()
    for method in ("rk4-body-rates", "free-rotor-2"):
        ratios = in_processes(beside_worlds, method)
        found = f"{statistics.median(ratios):.3f} of `World.step` of 1000 bodies with {method}"
        spread = f"the median of {PROCESSES} processes, from {min(ratios):.3f} to {max(ratios):.3f}"
        print(f"1000 members of one body take {found} (goal: at most 1.05; {spread}).", flush=True)
    print(f"Making {MANY} members with 12 jets takes {least(making(MANY)):.2f} s (goal: 0.1 s).")
    print(f"A tick in which 41 of {MANY} members fail takes {failing(MANY):.1f} ordinary ticks (goal: at most 5).")


def least(timed: Timed) -> float:
    """The least time of the rounds of about a second, after two that compile and fill caches."""
    _, _, found, end = timed(), timed(), [timed()], time.perf_counter() + 1.0
    while len(found) < ROUNDS or time.perf_counter() < end:
        found.append(timed())
    return min(found)


def seconds(work: Callable[[], object], ticks: int = 1) -> Timed:
    """The processor time of some work per tick."""

    def timed() -> float:
        begin = time.process_time()
        work()
        return (time.process_time() - begin) / ticks

    return timed


def craft(integrator: str = "rk4-body-rates"):
    """A template with one body."""
    template = World(dt=0.02, integrator=integrator)
    return template, template.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), angular_velocity_body=(0.1, 0.2, 0.3))


def jets_on(template, ship, count, **fed):
    """A bank of thrusters."""
    random = np.random.default_rng(0)
    arms, axes = random.normal(size=(count, 3)), random.normal(size=(count, 3))
    return template.add_force(forces.ThrusterBank(ship, positions=arms, directions=axes, max_forces=1.0, **fed))


def wheels_on(template, ship):
    """Three wheels."""
    limits = {"inertia": 0.02, "max_torque": 0.3, "max_speed": 600.0}
    return [template.add_part(flight.ReactionWheel(ship, axis=axis, **limits)) for axis in np.eye(3)]


def steps(count: int, integrator: str = "rk4-body-rates") -> Timed:
    """One body per member."""
    batch = Batch(craft(integrator)[0], members=count)
    return seconds(lambda: batch.step(20), 20)


def world_of(count: int, integrator: str) -> Timed:
    """As many bodies in a world."""
    _template, ship = craft()
    world = World(dt=0.02, integrator=integrator)
    world.add_bodies(ship.mass_properties, np.zeros((count, 3)), angular_velocity_body=(0.1, 0.2, 0.3))
    return seconds(lambda: world.step(20), 20)


def beside_worlds(integrator: str) -> float:
    """The time of 1000 members of one body in that of a world of as many, whose ticks take turns; the median of the pairs."""
    members, bodies = steps(1000, integrator), world_of(1000, integrator)
    return statistics.median([members() / bodies() for _ in range(400)][5:])


def in_processes(function: Callable[[str], float], argument: str) -> list[float]:
    """The results in processes of their own.

    Where the stack and the machine code of a process are changes a ratio of two loops by up to 10 %, and stays the same as long as it runs.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as pool:
        return list(pool.map(function, [argument] * PROCESSES))


def commanded(jets: int, tank: bool = False) -> Callable[[int], Timed]:
    """Throttles in, a tick, observations out."""

    def make(count: int) -> Timed:
        template, ship = craft()
        fed = {}
        if tank:
            held = flight.Tank.ball(ship, position=(0, 0, 0), radius=0.3, propellant=20.0)
            fed = {"tank": template.add_part(held), "specific_impulse": 200.0}
        bank = jets_on(template, ship, jets, **fed)
        batch = Batch(template, members=count)
        view, body = batch[bank], batch[ship]
        throttles = [np.random.default_rng(seed).random((count, jets), dtype=np.float32) for seed in (1, 2)]

        def work() -> None:
            throttles.reverse()
            view.throttle = throttles[0]
            batch.step()
            _ = body.position, body.orientation, body.velocity, body.angular_velocity_body

        return seconds(work)

    return make


def wheels(count: int) -> Timed:
    """Three wheels per member."""
    template, ship = craft()
    parts = wheels_on(template, ship)
    batch = Batch(template, members=count)
    for wheel in parts:
        batch[wheel].torque = 1e-4
    return seconds(lambda: batch.step(20), 20)


def pulses(count: int) -> Timed:
    """Twelve pulses per member that run all the time."""
    template, ship = craft()
    bank = jets_on(template, ship, 12)
    batch = Batch(template, members=count)
    batch[bank].fire(1e6)
    return seconds(lambda: batch.step(20), 20)


def dry_tank(count: int) -> Timed:
    """A dry tank, whose 12 valves are open."""
    template, ship = craft()
    held = template.add_part(flight.Tank.ball(ship, position=(0, 0, 0), radius=0.3, propellant=1e-6))
    bank = jets_on(template, ship, 12, tank=held, specific_impulse=200.0)
    batch = Batch(template, members=count)
    batch[bank].throttle = 1.0
    batch.step(2)
    return seconds(lambda: batch.step(2), 2)


def hinge(count: int) -> Timed:
    """A hinge between two bodies."""
    template, ship = craft()
    door = template.add_body(MassProperties.box(5.0, (1.0, 0.1, 2.0)), position=(0.9, 0.0, 0.0))
    template.add_joint(joints.Hinge(ship, door, at_body=(0.5, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0)))
    batch = Batch(template, members=count)
    return seconds(lambda: batch.step(2), 2)


def gyro(count: int) -> Timed:
    """A gyro that is sampled in every tick."""
    template, ship = craft()
    template.add_part(flight.Gyro(ship, noise_density=1e-5, seed=1))
    batch = Batch(template, members=count)
    return seconds(batch.step)


def loop(count: int) -> Timed:
    """A control loop with three wheels that is sampled in every tick."""
    template, ship = craft()
    actuators = flight.WheelAllocator(wheels_on(template, ship))
    law = flight.control.QuaternionPD(4.0, 20.0)
    template.add_part(flight.Controlled(ship, law, flight.Reference(), actuators, every=1))
    batch = Batch(template, members=count)
    batch[ship].angular_velocity_body = np.random.default_rng(0).normal(0.0, 0.02, (count, 3))
    return seconds(batch.step)


def attitude_filter(count: int) -> Timed:
    """A filter of a gyro and three trackers, two of which are late, that is sampled in every tick, with a loop."""
    batch = Batch(make_measured("filter", 1)[0], members=count)
    batch.step(30)
    return seconds(lambda: batch.step(3), 3)


def resets(count: int) -> Timed:
    """A reset of one member in a hundred, of craft with 12 jets."""
    template, ship = craft()
    jets_on(template, ship, 12)
    batch, chosen = Batch(template, members=count), np.arange(0, count, 100)
    return seconds(lambda: batch.reset(chosen))


def making(count: int) -> Timed:
    """A new batch of craft with 12 jets."""
    template, ship = craft()
    jets_on(template, ship, 12)
    return seconds(lambda: Batch(template, members=count))


def failing(count: int) -> float:
    """Ticks in which one member in a hundred fails, in ordinary ticks."""
    template, ship = craft()
    batch, chosen = Batch(template, members=count), np.arange(0, count, 100)
    step, ratios = seconds(batch.step), []
    for _ in range(ROUNDS):
        batch.reset()
        batch.step(3)
        ordinary = min(step() for _ in range(5))
        batch[ship].set(chosen, position=(1.79e308, 0, 0), velocity=(1.7e308, 0, 0))
        ratios.append(step() / ordinary)
        assert batch.failed.sum() == len(chosen)
    return min(ratios)


ROWS: list[tuple[str, Callable[[int], Timed], str]] = [
    ("one body, `rk4-body-rates`", steps, "as `World.step`"),
    ("one body, `free-rotor-2`", lambda count: steps(count, "free-rotor-2"), "as `World.step`"),
    ("12 jets: throttles in, tick, observation out", commanded(12), "130"),
    ("24 jets, the same", commanded(24), "200"),
    ("three wheels", wheels, "120"),
    ("tank and 12 jets, new throttles every tick", commanded(12, tank=True), "2500"),
    ("12 running pulses", pulses, "750"),
    ("dry tank, 12 valves open", dry_tank, "5000"),
    ("hinge between two bodies", hinge, "6000"),
    ("gyro, sampled every tick", gyro, "300"),
    ("control loop with three wheels, sampled every tick", loop, "600"),
    ("filter of a gyro and three trackers, sampled every tick", attitude_filter, "-"),
    ("reset of 1 % of the members, per member of all", resets, "15"),
]
