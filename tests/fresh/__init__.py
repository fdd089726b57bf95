"""Programs on a machine where nothing has been compiled: what they compile, how often, and in how many processes.

    python -m tests.fresh            # all of them, some minutes of processor time
    python -m tests.fresh step       # those whose names contain a word

Each runs in processes of its own with an empty cache folder. A module that every one of these processes imports at its start notes in one
file which kernels are written and when compiler processes begin and end, so that nothing depends on a clock.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
PATIENCE = 600.0
"""Time [s] after which a process counts as hung."""

_WATCH = """
import os, sys

def note(*words):
    with open(os.environ["FRESH_NOTES"], "a") as file:
        file.write(" ".join(words) + "\\n")

replace = os.replace

def noted(source, target, **options):
    replace(source, target, **options)
    if str(target).endswith(".kernel"):
        note("written", os.path.basename(target))

os.replace = noted
if "serve()" in sys.orig_argv[-1]:
    note("begin", str(os.getpid()))
    leave = os._exit

    def noted_leave(status):
        note("end", str(os.getpid()))
        leave(status)

    os._exit = noted_leave
"""

SHIP = """
import numpy as np
from engine import MassProperties, World, flight, forces

def a_world(**options):
    world = World(1 / 60, **options)
    ship = world.add_body(MassProperties.box(500.0, (2.0, 2.0, 3.0)), angular_velocity_body=(0.01, 0.02, -0.01))
    wheels = [
        world.add_part(flight.ReactionWheel(ship, axis=axis, inertia=0.1, max_torque=0.5, max_speed=600.0))
        for axis in ((1, 1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, -1))
    ]
    jet = world.add_force(forces.Thruster(ship, position=(0, 0, -1.5), direction=(0, 0, 1), max_force=20.0))

    @world.on_tick(every=6)
    def control(world):
        for number, wheel in enumerate(wheels):
            wheel.torque = 0.01 * (number - 1)
        jet.fire(0.02)

    return world
"""
"""A craft with four wheels and a pulsed jet, and a control loop every six ticks."""

STEPS = f"""{SHIP}
world = a_world()
for _ in range(20):
    world.step(30)
print(world.state_hash())
"""
"""A program that only calls `step`."""

STOPPED = f"""
import os, signal
from engine.compilation import background
launch = background._launch

def launch_stopped(*arguments):
    process = launch(*arguments)
    os.kill(process.pid, signal.SIGSTOP)
    return process

background._launch = launch_stopped
{STEPS}"""
"""The same program with a compiler process that never answers."""

FRAMES = f"""{SHIP}
import sys, time
world = a_world(integrator="semi-implicit-euler")
for _ in range(int(sys.argv[1])):
    world.advance(1 / 60)
while sys.argv[2:] and world.missing_kernels:
    time.sleep(0.05)
    world.advance(1 / 60)
"""
"""A program with so many frames, which then waits for all kernels if there is a second argument."""


class Machine:
    """A machine with an empty cache folder."""

    def __init__(self, folder: Path) -> None:
        self._cache, self._notes, watch = folder / "cache", folder / "notes", folder / "watch"
        watch.mkdir()
        (watch / "sitecustomize.py").write_text(_WATCH)
        self._notes.touch()
        path = os.pathsep.join([str(watch), str(ROOT)])
        given = {"POLHODE_CACHE_DIR": str(self._cache), "POLHODE_BACKGROUND": "1", "FRESH_NOTES": str(self._notes)}
        self._environment = {**os.environ, **given, "PYTHONPATH": path}

    def start(self, program: str, *arguments: str) -> "subprocess.Popen[str]":
        """Start a program, whose name is the same for the same text."""
        file = self._notes.parent / f"program-{abs(hash(program))}.py"
        if not file.exists():  # else a program that begins reads an empty file
            file.write_text(program)
        return subprocess.Popen(
            [sys.executable, str(file), *arguments],
            env=self._environment,
            cwd=file.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(self, program: str, *arguments: str) -> str:
        """Run a program and return what it prints."""
        process = self.start(program, *arguments)
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, f"the program ended with {process.returncode}"
        return output

    def notes(self, kind: str) -> list[str]:
        """What was noted of one kind, in order."""
        lines = [line.split() for line in self._notes.read_text().splitlines()]
        return [words[1] for words in lines if words[0] == kind]

    def written(self) -> Counter[str]:
        """How often each kernel was written."""
        return Counter(self.notes("written"))

    def wait_for_compilers(self) -> None:
        """Wait until no compiler process is left.

        Raises:
            AssertionError: If one is left after ten minutes.
        """
        deadline = time.monotonic() + PATIENCE
        while set(self.notes("begin")) != set(self.notes("end")):
            assert time.monotonic() < deadline, "a compiler process outlives its program"
            time.sleep(0.1)

    def most_compilers(self) -> int:
        """The largest number of compiler processes at one time."""
        now = most = 0
        for line in self._notes.read_text().splitlines():
            now += line.startswith("begin") - line.startswith("end")
            most = max(most, now)
        return most


@contextlib.contextmanager
def fresh_machine() -> Iterator[Machine]:
    """A machine on which nothing has been compiled."""
    with TemporaryDirectory() as folder:
        yield Machine(Path(folder))
