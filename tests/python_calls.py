"""Python calls behind single operations: `python -m tests.python_calls`.

Counts the calls of Python functions of the engine, the files that they are in, and how often control moves from one file to another.
Compiled kernels and C functions are not counted. Each operation has run before, so that what is chosen once is not counted either.
"""

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import engine
from engine import MassProperties, World, flight, forces, joints
from engine.compilation.compiler import COMPILED

_FOLDER = str(Path(engine.__file__).parent)
SHAPE = MassProperties(10.0, [[3.0, 0.1, 0.0], [0.1, 4.0, 0.0], [0.0, 0.0, 5.0]])


class Count(NamedTuple):
    """What Python did."""

    calls: int
    files: int
    moves: int


def count(act: Callable[[], object]) -> Count:
    """Count the calls of functions of the engine in an operation."""
    files: list[str] = []

    def note(frame: Any, event: str, _argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(_FOLDER):
            files.append(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
    moves = sum(one != other for one, other in pairwise(files))
    return Count(len(files), len(set(files)), moves)


def ship() -> tuple[World, forces.Thruster]:
    """A ship with a thruster that nothing drives yet."""
    world = World(1 / 64)
    body = world.add_body(SHAPE, angular_velocity_body=(0.1, 0.2, 0.3))
    return world, world.add_force(forces.Thruster(body, position=(1, 0, 0), direction=(0, 1, 0), max_force=2.0))


def with_wheel() -> tuple[World, flight.ReactionWheel]:
    """The same ship with a wheel."""
    world, _thruster = ship()
    options = {"inertia": 0.1, "max_torque": 0.1, "max_speed": 100.0}
    return world, world.add_part(flight.ReactionWheel(world.bodies[0], axis=(0, 0, 1), **options))


def _then_step(world: World, set_value: Callable[[int], object]) -> tuple[Count, Count]:
    """What setting a value takes, and what the step after it takes."""
    for value in range(3):
        set_value(value)
        world.step()
        world.step()
    return count(lambda: set_value(3)), count(world.step)


def added_wheel() -> tuple[Count, Count]:
    """A wheel on a ship that has one, and the step after it."""
    world, _wheel = with_wheel()
    world.step(3)
    options = {"inertia": 0.1, "max_torque": 0.1, "max_speed": 100.0}
    wheel = flight.ReactionWheel(world.bodies[0], axis=(0, 1, 0), **options)
    return count(lambda: world.add_part(wheel)), count(world.step)


def throttle() -> tuple[Count, Count]:
    world, thruster = ship()

    def set_value(value: int) -> None:
        thruster.throttle = 0.1 + 0.1 * value

    return _then_step(world, set_value)


def torque() -> tuple[Count, Count]:
    world, wheel = with_wheel()

    def set_value(value: int) -> None:
        wheel.torque = 0.01 * value

    return _then_step(world, set_value)


def impulse() -> tuple[Count, Count]:
    world = World(1 / 64)
    a = world.add_body(SHAPE, position=(0, 0, 0), angular_velocity_body=(0.1, 0.2, 0.3))
    b = world.add_body(SHAPE, position=(4, 0, 0))
    world.add_joint(joints.Ball(a, b, at_body=(2, 0, 0), at_other=(-2, 0, 0)))
    return _then_step(world, lambda value: b.apply_impulse((0.1 + value, 0.0, 0.0)))


def sample() -> tuple[Count, Count]:
    """A step in which an attitude law with twelve jets is sampled, and the one after it, in which it is not."""
    world = World(1 / 64)
    body = world.add_body(SHAPE, angular_velocity_body=(0.1, -0.2, 0.05))
    sides, along = np.eye(3), np.roll(np.eye(3), 1, axis=1)
    pairs = {"positions": [*sides, *-sides, *sides, *-sides], "directions": [*along, *-along, *-along, *along]}
    jets = world.add_force(forces.ThrusterBank(body, **pairs, max_forces=2.0))
    hold = world.add_part(flight.AttitudeHold(body, jets, every=2))
    hold.point_at((1.0, 0.0, 0.0))
    world.step(20)
    return count(world.step), count(world.step)


def restore() -> tuple[Count, Count]:
    """A restore of a snapshot, and the step after it."""
    world, _wheel = with_wheel()
    snapshot = world.snapshot()
    for _ in range(3):
        world.step(2)
        world.restore(snapshot)
        world.step()
    return count(lambda: world.restore(snapshot)), count(world.step)


OPERATIONS = {
    "a throttle": throttle,
    "a wheel's torque": torque,
    "an impulse in a joint": impulse,
    "a sample of AttitudeHold": sample,
    "a restore": restore,
    "another wheel": added_wheel,
}


def main() -> None:
    """Print a table."""
    if not COMPILED:
        raise SystemExit("plain Python runs the kernels here, whose calls would be counted")
    print(f"{'':28}{'calls':>6}{'files':>6}{'moves':>6}    then step: calls, files, moves")
    for name, run in OPERATIONS.items():
        first, second = run()
        print(
            f"{name:28}{first.calls:6}{first.files:6}{first.moves:6}{'':15}{second.calls:6}{second.files:6}{second.moves:6}"
        )


if __name__ == "__main__":
    main()
