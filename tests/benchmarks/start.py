"""The cost of starting: imports, compilation, memory."""

import os
import statistics
import subprocess
import sys
import tempfile
import tracemalloc

import numpy as np

from engine import MassProperties, World

from .measure import Effort, Figure, value
from .scenes import DT, ships, world_of

TABLE = "start and memory"

_START = """
import time
begin = time.perf_counter()
from engine import MassProperties, World, forces
imported = time.perf_counter()
world = World(1 / 240)
ship = world.add_body(MassProperties.box(mass=1200.0, size=(2.0, 3.0, 4.0)), angular_velocity_body=(0.1, 5.0, 0.1))
world.add_force(forces.UniformGravity((0.0, -9.81, 0.0)))
world.add_force(forces.Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=500.0)).throttle = 1.0
world.step()
print(imported - begin, time.perf_counter() - imported)
"""


def measured(effort: Effort) -> list[Figure]:
    """Times in new processes with a cache folder of their own; bytes in this one."""
    with tempfile.TemporaryDirectory() as folder:
        cold = _start(folder)
        warm = [_start(folder) for _ in range(1 + effort.rounds // 5)]
    imports, ticks = zip(*warm, strict=True)
    return [
        _seconds("import engine", imports),
        _seconds("then the first tick, compiling", cold[1:]),
        _seconds("then the first tick, from the disk cache", ticks),
        *_memory(),
        value(TABLE, "allocated at most during 1000 ticks", "", "bytes", _allocated(1000)),
    ]


def _seconds(row: str, times: tuple[float, ...]) -> Figure:
    return Figure(TABLE, row, "", "s", statistics.median(times), min(times))


def _start(cache_folder: str) -> tuple[float, ...]:
    """Seconds of the import and of the first tick after it."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache_folder, "POLHODE_BACKGROUND": "0"}
    command = [sys.executable, "-c", _START]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return tuple(map(float, output.split()))


def _memory() -> list[Figure]:
    """Bytes for each body that a world has room for, by what a world with room for ten times as many takes more."""

    def taken(count: int) -> int:
        tracemalloc.start()
        world = World(DT)
        names = map(str, range(count))
        world.add_bodies(MassProperties.sphere(mass=1.0, radius=1.0), position=np.zeros((count, 3)), names=names)
        arrays = tracemalloc.take_snapshot().filter_traces([tracemalloc.DomainFilter(True, np.lib.tracemalloc_domain)])
        tracemalloc.stop()
        return sum(trace.size for trace in arrays.traces)

    few, many = 1032, 16392  # the arrays are full at these
    return [value(TABLE, "arrays, per body", "", "bytes", (taken(many) - taken(few)) / (many - few))]


def _allocated(ticks: int) -> int:
    """Most bytes held above those at the start."""
    world = world_of(ships(100), "free-rotor-2")
    world.step(2)
    tracemalloc.start()
    try:
        for _ in range(ticks):
            world.step()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
