"""Print what a tick, a body and a start cost on this machine, on one thread.

    python -m tests.benchmarks

Times are the medians of rounds in which the integrators take turns, so that a machine that slows down slows them all down.
"""

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

from engine import MassProperties, World, forces, integrators

DT = 1 / 240
ROUNDS = 9

_START = """
import time
begin = time.perf_counter()
from engine import MassProperties, World
imported = time.perf_counter()
world = World(1 / 120)
world.add_body(MassProperties.box(mass=1.0, size=(1.0, 2.0, 3.0)), angular_velocity_body=(0.1, 5.0, 0.1))
world.step()
print(imported - begin, time.perf_counter() - imported)
"""


def main() -> None:
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {_processor()}")
    print()
    _start_up()
    print()
    names = list(integrators.by_name)
    print(
        f"{'integrator':<22}{'1 body':>16}{'throttled':>14}{'1000 bodies':>16}{'10 000 bodies':>16}{'in a million':>15}"
    )
    print(f"{'':<22}{'µs a tick':>16}{'µs a tick':>14}{'ns a body-tick':>16}{'ns a body-tick':>16}{'µs a tick':>15}")
    columns = [
        _interleaved(names, lambda name: _ticks(_one_body(name)[0], 2000), 1e6),
        _interleaved(names, lambda name: _throttled_ticks(*_one_body(name), 2000), 1e6),
        _interleaved(names, lambda name: _ticks(_many_bodies(name, 1000), 50), 1e9 / 1000),
        _interleaved(names, lambda name: _ticks(_many_bodies(name, 10_000), 5), 1e9 / 10_000),
        _interleaved(names, lambda name: _fused_ticks(_one_body(name)[0], 20_000), 1e6),
    ]
    for row, name in enumerate(names):
        one, throttled, thousand, ten_thousand, fused = (column[row] for column in columns)
        print(f"{name:<22}{one:>16.2f}{throttled:>14.2f}{thousand:>16.1f}{ten_thousand:>16.1f}{fused:>15.3f}")
    print()
    _memory()


def _start_up() -> None:
    """From `import engine` to the end of the first tick, in a new process: compiling, and from the disk cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        for label in ("first run (compiles)", "later runs (from the cache)"):
            command = [sys.executable, "-c", _START]
            output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
            imported, first_tick = map(float, output.split())
            print(f"start, {label:<28} import {imported:.2f} s, first tick {first_tick:.2f} s")


def _one_body(integrator: str) -> tuple[World, forces.Thruster]:
    world = World(DT, integrator=integrator)
    ship = world.add_body(MassProperties.box(mass=1200.0, size=(2.0, 2.0, 4.0)), angular_velocity_body=(0.1, 5.0, 0.1))
    world.add_force(forces.UniformGravity((0.0, -9.81, 0.0)))
    thruster = world.add_force(forces.Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=500.0))
    thruster.throttle = 1.0
    world.step()
    return world, thruster


def _many_bodies(integrator: str, count: int) -> World:
    world = World(DT, integrator=integrator)
    rng = np.random.default_rng(count)
    ships = world.add_bodies(
        MassProperties.box(mass=1200.0, size=(2.0, 2.0, 4.0)),
        position=rng.normal(scale=1e3, size=(count, 3)),
        angular_velocity_body=rng.normal(size=(count, 3)),
    )
    world.add_force(forces.UniformGravity((0.0, -9.81, 0.0)))
    for ship in ships:
        thruster = world.add_force(forces.Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=500.0))
        thruster.throttle = 1.0
    world.step()
    return world


def _ticks(world: World, ticks: int) -> Callable[[], float]:
    def measure() -> float:
        begin = time.perf_counter()
        for _ in range(ticks):
            world.step()
        return (time.perf_counter() - begin) / ticks

    return measure


def _throttled_ticks(world: World, thruster: forces.Thruster, ticks: int) -> Callable[[], float]:
    def measure() -> float:
        begin = time.perf_counter()
        for tick in range(ticks):
            thruster.throttle = tick / ticks
            world.step()
        return (time.perf_counter() - begin) / ticks

    return measure


def _fused_ticks(world: World, ticks: int) -> Callable[[], float]:
    def measure() -> float:
        begin = time.perf_counter()
        world.step(ticks)
        return (time.perf_counter() - begin) / ticks

    return measure


def _interleaved(names: list[str], make: Callable[[str], Callable[[], float]], scale: float) -> list[float]:
    measures = [make(name) for name in names]
    rounds = [[measure() for measure in measures] for _ in range(ROUNDS)]
    return [statistics.median(times) * scale for times in zip(*rounds, strict=True)]


def _memory() -> None:
    world = World(DT)
    world.add_bodies(MassProperties.sphere(mass=1.0, radius=1.0), position=np.zeros((1000, 3)))
    world.add_force(forces.LinearDrag(0.1))
    world.step()
    columns = world._columns
    assert columns.stages is not None
    held, staged = columns.array.nbytes / columns.pitch, columns.stages.nbytes / columns.pitch
    print(
        f"memory: {held:.0f} B a body at full capacity; {staged:.0f} B more while a force is evaluated at each stage (rk4)"
    )


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
