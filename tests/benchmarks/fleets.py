"""What one of many costs: the time per member in a fleet of 4096 as a multiple of that in one of 64.

Work for many craft must grow with their number. Everything takes its turn in rounds; the least of the rounds counts, because other programs
can only add to it. A row whose ratio is above 1.3 is marked, and the command then ends with the exit status 1.
"""

import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine import Body, MassProperties, World, flight, forces, joints

FEW, MANY = 64, 4096
MOST = 1.3
"""The largest ratio of the times per member."""
DT = 0.01
JETS = 12
"""Of each craft."""
THROTTLE = 2
"""The component of the throttle in the table of thrusters."""

Timed = Callable[[], float]
"""Does its work once and returns the seconds that it took per member."""


class Row(NamedTuple):
    """Something that is timed for few members and for many."""

    name: str
    make: Callable[[int], Timed]
    rounds: int
    limit: float
    """The time per member to reach [µs]."""


def main() -> None:
    """Print one line per row."""
    bad = 0
    for row in ROWS:
        few, many = least(row)
        ratio = many / few
        bad += ratio > MOST
        mark = "" if ratio <= MOST else f"  more than {MOST}"
        words = f"{1e6 * few:9.2f} µs {1e6 * many:9.2f} µs {ratio:6.2f}   (to reach {row.limit:g} µs){mark}"
        print(f"{row.name:44}{words}", flush=True)
    sys.exit(bad > 0)


def least(row: Row) -> tuple[float, float]:
    """The least seconds per member for few and for many."""
    runs = row.make(FEW), row.make(MANY)
    times = [[run() for run in runs] for _ in range(row.rounds)]
    return min(few for few, _many in times), min(many for _few, many in times)


def timed(work: Callable[[], object]) -> float:
    """The seconds of processor time that a piece of work takes; other programs are not counted, but for the cache that they take."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def bodies_of(count: int) -> tuple[World, list[Body]]:
    world = World(dt=DT, integrator="rk4-body-rates")
    box = MassProperties.box(500.0, (2.0, 2.0, 3.0))
    return world, [world.add_body(box, position=(10.0 * place, 0.0, 0.0)) for place in range(count)]


def wheels_added(count: int) -> Timed:
    """One wheel for each of new ships."""

    def run() -> float:
        world, bodies = bodies_of(count)
        options = {"axis": (1, 0, 0), "inertia": 0.1, "max_torque": 0.5, "max_speed": 600.0, "speed": 10.0}
        wheels = [flight.ReactionWheel(body, **options) for body in bodies]

        def add() -> None:
            for wheel in wheels:
                world.add_part(wheel)

        return timed(add) / count

    return run


def fed_jets(count: int, jets: int, propellant: float) -> World:
    """Ships with a tank and jets that it feeds."""
    world, bodies = bodies_of(count)
    for body in bodies:
        tank = world.add_part(flight.Tank.ball(body, (0, 0, 0), 0.4, propellant))
        places = [(0.2 * number, 0.1, -1.0) for number in range(jets)]
        bank = forces.ThrusterBank(
            body,
            positions=places,
            directions=[(0.0, 0.01 * number, 1.0) for number in range(jets)],
            max_forces=1e-3,
            specific_impulse=200.0,
            tank=tank,
        )
        world.add_force(bank).throttle = 0.5
    world.prepare()
    world.step(2)
    return world


def new_throttles(count: int) -> Timed:
    """A tick of ships after new throttles for all of their jets, which a tank feeds."""
    world = fed_jets(count, JETS, 20.0)
    table, draw = world._store.tables["thrusters"], np.random.default_rng(1)

    def run() -> float:
        table.write(THROTTLE, slice(0, table.count), draw.random(table.count))
        return timed(world.step) / count

    return run


def dry_tanks(count: int) -> Timed:
    """A tick of ships with an empty tank and an open valve."""
    world = fed_jets(count, 1, 0.0)
    return lambda: timed(lambda: world.step(10)) / (10 * count)


def hinged(count: int) -> tuple[World, joints.Hinge]:
    """Pairs of bodies on a hinge, which rotate, and the hinge of one pair, which is at rest and can be switched off and on."""
    world = World(dt=DT)
    box, axis = MassProperties.box(5.0, (1.0, 0.8, 0.4)), (0.0, 0.6, 0.8)
    for place in range(count):
        rates = np.zeros((2, 3)) if place == count // 2 else np.array([(0.1, 0.0, 0.3), (0.1, 0.0, -0.2)])
        pair = [
            world.add_body(box, position=(x, 3.0 * place, 0.0), angular_velocity_body=own)
            for x, own in zip((0.0, 1.0), rates, strict=True)
        ]
        world.add_joint(joints.Hinge(*pair, at_body=(0.5, 0.0, 0.0), axis_body=axis))
    world.prepare()
    world.step(3)
    return world, world.joints[count // 2]


def steady_hinges(count: int) -> Timed:
    """A tick of hinged pairs, per hinge."""
    world, _hinge = hinged(count)
    return lambda: timed(lambda: world.step(3)) / (3 * count)


def changed_joint(count: int) -> Timed:
    """The tick after one of the hinges was switched off or on, per hinge."""
    world, one = hinged(count)

    def run() -> float:
        one.enabled = not one.enabled
        return timed(world.step) / count

    return run


ROWS = (
    Row("adding a wheel to each ship", wheels_added, 3, 1000.0),
    Row(f"new throttles of {JETS} fed jets, per ship", new_throttles, 40, 2.5),
    Row("a dry tank with an open valve", dry_tanks, 40, 5.0),
    Row("the tick after a change of one joint, per hinge", changed_joint, 10, 12.0),
    Row("joints in many islands, per hinge", steady_hinges, 10, 6.0),
)
