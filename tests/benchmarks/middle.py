"""What the middle of the engine costs: `python -m tests.benchmarks.middle` times ticks of one world against ticks of others, in turn.

Each row is a ratio, or a difference, with the figure that it is to reach. A row that does not is marked, and the command then ends with
the exit status 1.
"""

import statistics
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine import MassProperties, World, forces, joints
from engine.forces.wrench import BodyStates, Wrench

ROUNDS = 41
BOX = MassProperties.box(1200.0, (2.0, 2.0, 4.0))
ARM = np.array((0.0, 0.0, 2.0))

Timed = Callable[[], float]
"""Does its work once and returns the seconds of processor time that it took, in which other programs count for little."""


class Row(NamedTuple):
    """Something that is measured."""

    name: str
    make: Callable[[], list[Timed]]
    figure: Callable[..., float]
    """Combines what the rounds have taken, in the order of `make`."""
    most: float
    unit: str


def main() -> None:
    """Print one line per row."""
    warnings.simplefilter("ignore")
    bad = 0
    for row in ROWS:
        runs = row.make()
        rounds = [[run() for run in runs] for _ in range(ROUNDS)]
        found = statistics.median(row.figure(*times) for times in rounds)
        each = ", ".join(f"{1e6 * statistics.median(column):.1f}" for column in zip(*rounds, strict=True))
        bad += found > row.most
        mark = "" if found <= row.most else "  not reached"
        print(f"{row.name:52}{found:8.2f} {row.unit} (to reach {row.most:g}; {each} µs){mark}", flush=True)
    sys.exit(bad > 0)


def ticks_of(world: World, ticks: int = 20) -> Timed:
    """The mean of a few ticks that call the world one by one."""
    world.prepare()
    world.step(3)

    def run() -> float:
        begin = time.thread_time()
        for _ in range(ticks):
            world.step()
        return (time.thread_time() - begin) / ticks

    return run


def switch_of(world: World, place: int) -> list[Timed]:
    """A steady tick, and a tick after a joint was switched off or on again."""
    steady, joint = ticks_of(world, 3), world.joints[place]

    def run() -> float:
        joint.enabled = not joint.enabled
        begin = time.thread_time()
        world.step()
        return time.thread_time() - begin

    return [steady, run]


def chain(links: int, has_joints: bool = True, force: Callable[..., object] | forces.Force | None = None) -> World:
    """Boxes in a row on balls, which turn a little against each other."""
    world = World(1 / 240)
    rates = 1e-3 * np.random.default_rng(1).normal(size=(links, 3))
    bodies = [
        world.add_body(BOX, position=(0.0, 0.0, 4.0 * place), angular_velocity_body=rate)
        for place, rate in enumerate(rates)
    ]
    for one, next_one in pairwise(bodies):
        if has_joints:
            world.add_joint(joints.Ball(one, next_one, at_body=ARM))
    if force is not None:
        world.add_force(force)
    return world


def pairs(count: int) -> World:
    """Pairs of boxes, each on a ball."""
    world = World(1 / 240)
    for number in range(count):
        place = np.array((20.0 * number, 0.0, 0.0))
        one, other = world.add_body(BOX, position=place), world.add_body(BOX, position=place + 2.0 * ARM)
        world.add_joint(joints.Ball(one, other, at_body=ARM))
    return world


def pull(wrench: Wrench, bodies: BodyStates, time: float) -> None:
    """A force of Python."""
    wrench.force_world[0] += (1.0, 2.0, 3.0)


def forced(links: int) -> list[Timed]:
    """A chain with a Python force, that force without the joints, and the chain with a compiled force."""
    down = forces.UniformGravity((0.0, -9.81, 0.0))
    worlds = chain(links, force=pull), chain(links, has_joints=False, force=pull), chain(links, force=down)
    return [ticks_of(world) for world in worlds]


def switched(place):
    """A steady tick of a chain of 400 joints, and the tick after one of them is switched."""
    return switch_of(chain(401), place)


ROWS = [
    *(
        Row(f"a Python force on a chain of {links}", partial(forced, links), lambda a, b, c: a / (b + c), 1.5, "×")
        for links in (2, 8, 32)
    ),
    *(
        Row(name, partial(switched, place), lambda steady, then: then / steady, 5.0, "ticks")
        for name, place in (("the tick after one of 400 joints of a chain", 150), ("the same in the middle of it", 200))
    ),
    Row(
        "the tick after one of 500 pairs, beyond a tick",
        lambda: switch_of(pairs(500), 250),
        lambda steady, then: 1e3 * (then - steady),
        1.0,
        "ms",
    ),
]


if __name__ == "__main__":
    main()
