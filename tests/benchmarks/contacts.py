"""Boxes that touch, in this engine at 1/60 s and, where it is installed, in MuJoCo at 4 × 1/240 s, taking turns.

    python -m tests.benchmarks contacts [SCENES]

Prints, per scene, the median time per 1/60 s of both, and what this engine left: overlap, drift and speed.
"""

import sys
from collections.abc import Callable, Iterable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from engine import MassProperties, World, forces, shapes

try:
    import mujoco
except ImportError:
    mujoco = None

G = 9.81
Place = tuple[tuple[float, float, float], float, float]
"""Position of the centre [m], edge [m] and mass [kg] of a cube."""


WALLS = ((1.0, 0.0, -0.6), (-1.0, 0.0, -1.6), (0.0, 1.0, -0.6), (0.0, -1.0, -2.5))
"""The walls of a bin: the normal along x and y, and the offset along it [m]."""


def ours(places: Iterable[Place], turns: Iterable[Any] | None = None, has_walls: bool = False) -> World:
    """The cubes on the ground in this engine."""
    world = World(1 / 60, compilation="wait")
    material = shapes.Material(friction=0.5)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), material=material)
    for x, y, offset in WALLS if has_walls else ():
        world.add_shape(shapes.Plane((x, y, 0.0), offset), material=material)
    for number, (position, size, mass) in enumerate(places):
        edges = (size, size, size)
        turn = (0.0, 0.0, 0.0, 1.0) if turns is None else list(turns)[number]
        body = world.add_body(MassProperties.box(mass, edges), position=position, orientation=turn)
        body.add_shape(shapes.Box(edges), material=material)
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    return world


def peer(world: World, places: list[Place], has_walls: bool) -> Callable[[], None] | None:
    """A function that runs MuJoCo over 1/60 s, from the present state of a world."""
    if mujoco is None:
        return None
    bodies = "".join(
        f'<body pos="{" ".join(map(repr, body.position.tolist()))}" '
        f'quat="{" ".join(repr(body.orientation.tolist()[place]) for place in (3, 0, 1, 2))}"><freejoint/>'
        f'<geom type="box" size="{size / 2} {size / 2} {size / 2}" mass="{mass}" friction="0.5 0 0"/></body>'
        for body, (_position, size, mass) in zip(world.bodies, places, strict=True)
    )
    walls = "".join(
        f'<geom type="plane" pos="{x * offset} {y * offset} 0" zaxis="{x} {y} 0" size="50 50 1" friction="0.5 0 0"/>'
        for x, y, offset in (WALLS if has_walls else ())
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{1 / 240}" gravity="0 0 {-G}" cone="elliptic"/><size memory="400M"/><worldbody>'
        f'<geom type="plane" size="50 50 1" friction="0.5 0 0"/>{walls}{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)

    def run() -> None:
        mujoco.mj_step(model, data, 4)

    return run


def stack(count: int, heaviest: float = 1.0) -> list[Place]:
    """Cubes of 1 m above one another."""
    return [((0.0, 0.0, n + 0.5), 1.0, heaviest if n == count - 1 else 1.0) for n in range(count)]


def pyramid(rows: int) -> list[Place]:
    """Rows of cubes of 1 m."""
    return [((1.05 * (i + r / 2), 0.0, r + 0.5), 1.0, 1.0) for r in range(rows) for i in range(rows - r)]


def heap(count: int, seed: int = 1) -> tuple[list[Place], list[Any]]:
    """Cubes of 0.5 m that fall on the ground or into a bin, in random orientations."""
    random = np.random.default_rng(seed)
    places, turns = [], []
    for number in range(count):
        layer, place = divmod(number, 6)
        x, y = divmod(place, 3)
        position = (0.95 * x + 0.02 * random.normal(), 0.95 * y + 0.02 * random.normal(), 0.6 + 0.95 * layer)
        places.append((position, 0.5, 1.0))
        turn = random.normal(size=4)
        turns.append((turn / np.linalg.norm(turn)).tolist())
    return places, turns


def measure(name: str, places: list[Place], turns: list[Any] | None, seconds: float, has_walls: bool) -> None:
    """Run a scene in both, taking turns of ten ticks, and print what was found."""
    world = ours(places, turns, has_walls)
    start = [np.array(position) for position, _size, _mass in places]
    run = peer(world, places, has_walls)
    world.step()  # compiles
    own, others, deepest, speed = [], [], 0.0, 0.0
    for _turn in range(round(6 * seconds)):
        begin = perf_counter()
        world.step(10)
        own.append((perf_counter() - begin) / 10)
        if len(world.contacts):
            deepest = max(deepest, -float(world.contacts.gap.min()))
        if run is not None:
            begin = perf_counter()
            for _tick in range(10):
                run()
            others.append((perf_counter() - begin) / 10)
    speed = max(float(np.abs(body.velocity).max()) for body in world.bodies)
    moved = max(float(np.abs(body.position - place).max()) for body, place in zip(world.bodies, start, strict=True))
    solver = world.contacts.solver_of(world.bodies[0])
    ratio = f", MuJoCo {median(others) * 1e6:.0f} µs, ratio {median(own) / median(others):.2f}" if others else ""
    print(
        f"{name}: {median(own) * 1e6:.0f} µs per tick ({solver}), slowest ten {max(own) * 1e6:.0f}{ratio}; "
        f"overlap {deepest * 1e3:.3g} mm, moved {moved:.3g} m, speed {speed:.2g} m/s"
    )


def main(chosen: list[str] | None = None) -> None:
    """Measure the scenes with these names, or all."""
    scenes: dict[str, Callable[[], Any]] = {
        "ten": lambda: (stack(10), None, 60.0),
        "heavy": lambda: (stack(10, 1000.0), None, 60.0),
        "pyramid": lambda: (pyramid(10), None, 10.0),
        "heap30": lambda: (*heap(30), 6.0),
        "bin30": lambda: (*heap(30), 6.0),
        "bin100": lambda: (*heap(100), 6.0),
    }
    for name, make in scenes.items():
        if not chosen or name in chosen:
            places, turns, seconds = make()
            measure(name, places, turns, seconds, name.startswith("bin"))


if __name__ == "__main__":
    main(sys.argv[1:])
