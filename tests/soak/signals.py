"""Real SIGINTs at random moments: in long steps, in ticks with called forces, on two threads, and during compilation in an empty cache.

A second process sends the signals. Python's own handler raises `KeyboardInterrupt`. After each one the world must be the one that a fresh
world becomes when it is stepped to the same tick count.
"""

import gc
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from engine import MassProperties, World, forces

from ..helpers import PATIENCE, skew_tensor
from .report import Figure

ROOT = Path(__file__).parents[2]
PROPERTIES = MassProperties(2.0, skew_tensor((1.0, 2.0, 2.5)), (0.1, -0.2, 0.3))
MANY = 9000
"""Bodies that two threads share."""

SENDER = """
import os, signal, sys, time
for line in sys.stdin:
    process, seconds = line.split()
    time.sleep(float(seconds))
    print(time.monotonic(), flush=True)
    os.kill(int(process), signal.SIGINT)
"""


def held(bodies: int = 3, threads: int = 1, method: str = "free-rotor-2") -> World:
    """Bodies under gravity, with a thruster, which nobody calls."""
    world = World(1 / 256, threads=threads, integrator=method)
    made = world.add_bodies(
        PROPERTIES, np.arange(3.0 * bodies).reshape(bodies, 3), angular_velocity_body=(0.3, 2.0, -0.4)
    )
    world.add_force(forces.UniformGravity((0.1, -9.8, 0.2)))
    jet = world.add_force(forces.Thruster(made[0], position=(0.1, 0.2, 0.3), direction=(1, 2, 3), max_force=2.0))
    jet.throttle = 0.7
    return world


class Wind:
    """A called force that remembers how often it was called."""

    def __init__(self) -> None:
        self.calls = 0

    def get_state(self) -> dict[str, int]:
        return {"calls": self.calls}

    def set_state(self, state: dict[str, int]) -> None:
        self.calls = state["calls"]

    def apply(self, wrench: Any, bodies: Any, time: float) -> None:
        self.calls += 1
        wrench.force_world[:] -= 0.25 * bodies.velocity + 1e-3 * self.calls


def called() -> World:
    """The same with a callback that throttles, pushes and remembers, and a called force."""
    world = held()
    jet = world.forces[1]
    count = world.memory.add("count")

    @world.on_tick
    def control(world: World) -> None:
        jet.throttle = (world.tick_count % 8) / 8
        world.bodies[1].apply_force((1.0, 0.5, -0.25), at_world=(0.0, 1.0, 2.0))
        count.value = count.value + 1.0

    world.add_force(Wind())
    return world


class Sender:
    """The process that sends signals to this one.

    Meanwhile SIGINT has Python's own handler, and no garbage is collected: Python drops exceptions in functions that the collector calls.
    """

    def __enter__(self) -> "Sender":
        self.before = signal.signal(signal.SIGINT, signal.default_int_handler)
        gc.disable()
        self.process = subprocess.Popen(
            *([sys.executable, "-c", SENDER],), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
        gc.enable()
        signal.signal(signal.SIGINT, self.before)

    def interrupt(self, seconds: float, action: Callable[[], object]) -> float:
        """Repeat an action until the signal that is sent after some seconds has ended it.

        Returns:
            Time [s] from the signal to the end of the action; infinite if the signal was lost.
        """
        limit = time.monotonic() + PATIENCE
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(f"{os.getpid()} {seconds}\n")
            self.process.stdin.flush()
            while time.monotonic() < limit:
                action()
            return math.inf
        except KeyboardInterrupt:
            ended = time.monotonic()
        return ended - float(self.process.stdout.readline())


def is_as_fresh(world: World, make: Callable[[], World]) -> bool:
    """Whether a world is one that was stepped to the same tick without a break, and goes on as that one does."""
    fresh = make()
    fresh.step(world.tick_count)
    for _ in range(2):
        same = world.state_hash() == fresh.state_hash()
        for name in ("position", "orientation", "velocity", "angular_velocity_body"):
            same = same and np.array_equal(getattr(world.state, name), getattr(fresh.state, name))
        if not same:
            return False
        world.step()
        fresh.step()
    return True


CASES: dict[str, tuple[Callable[[], World], int, float]] = {
    "step(3_000_000)": (held, 3_000_000, 0.06),
    "called forces": (called, 2000, 0.06),
    "two threads": (lambda: held(MANY, threads=2), 4000, 0.06),
    "single steps": (held, 1, 0.01),
}
"""The world, the ticks per step, and the longest time before the signal [s]."""


def interrupt_steps(name: str, count: int, seed: int) -> tuple[int, list[float]]:
    """Interrupt one case so often.

    Returns:
        The number of torn worlds, and the times from the signal to the exception [s].
    """
    make, ticks, longest = CASES[name]
    rng, torn, times = random.Random(seed), 0, []
    make().step(300)  # the kernels are there before the signals come
    with Sender() as sender:
        for _ in range(count):
            world = make()
            times.append(sender.interrupt(rng.uniform(1e-4, longest), lambda world=world: world.step(ticks)))
            torn += not is_as_fresh(world, make)
    return torn, times


def interrupt_compilation(count: int, seed: int) -> tuple[int, int]:
    """Interrupt the compilation in processes that begin with an empty cache, until so many signals have arrived.

    Returns:
        The number of signals, and of processes that failed or whose world was not that of this process.
    """
    arrived, wrong, number = 0, 0, 0
    while arrived < count:
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"POLHODE_CACHE_DIR": folder, "POLHODE_BACKGROUND": "0"}
            ended = subprocess.run(
                [sys.executable, "-m", __name__, str(seed + number)],
                *(),
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
        number += 1
        words = ended.stdout.split()
        if ended.returncode != 0 or len(words) != 3 or int(words[1]) == 0:
            print(ended.stdout[-500:], ended.stderr[-2000:], file=sys.stderr)
            return arrived, wrong + 1
        arrived += int(words[1])
        fresh = compiled_world(seed + number - 1)
        fresh.step(3)
        wrong += words != ["3", words[1], str(fresh.state_hash())]
    return arrived, wrong


def compiled_world(seed: int) -> World:
    """A world whose kernels are compiled while the signals come."""
    world = held(method=("rk4", "free-rotor-2", "semi-implicit-euler", "midpoint")[seed % 4])
    world.add_force(forces.LinearDrag(0.25))
    return world


def compile_interrupted(seed: int) -> None:
    """Step a world three ticks in spite of signals; print the ticks, the number of signals that arrived, and the hash."""
    rng, lost, arrived = random.Random(seed), [], 0
    sys.unraisablehook = lambda unraisable: lost.append(unraisable.exc_value)
    world = compiled_world(seed)
    with Sender() as sender:
        while world.tick_count < 3:
            try:
                sender.process.stdin.write(f"{os.getpid()} {rng.uniform(0.01, 0.4)}\n")
                sender.process.stdin.flush()
                world.step(3 - world.tick_count)
                # the signal that is still to come
                while True:
                    time.sleep(1.0)
            except KeyboardInterrupt:
                arrived += 1
                sender.process.stdout.readline()
    assert not lost, f"exceptions were lost: {lost}"
    print(world.tick_count, arrived, world.state_hash())


def run(count: int, seed: int) -> list[Figure]:
    """So many signals in all, a quarter of them during compilation."""
    figures = []
    for name in CASES:
        torn, times = interrupt_steps(name, max(1, count * 3 // 4 // len(CASES)), seed)
        print(
            f"signals: {name}: {len(times)} signals, median {1e3 * float(np.median(times)):.1f} ms and at most "
            f"{1e3 * max(times):.1f} ms to the exception",
            flush=True,
        )
        figures.append(Figure(f"torn worlds, {name}", torn, 0))
        figures.append(Figure(f"signals without an exception, {name}", times.count(math.inf), 0))
    arrived, wrong = interrupt_compilation(max(1, count // 4), seed)
    print(f"signals: compilation with an empty cache: {arrived} signals", flush=True)
    figures.append(Figure("torn worlds or failures, compilation", wrong, 0))
    return figures


if __name__ == "__main__":
    compile_interrupted(int(sys.argv[1]))
