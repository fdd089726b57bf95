"""The longest frame of a game while something in its world changes, on a machine without kernels and after `World.prepare`.

    python -m tests.benchmarks frames       # about two minutes

A game of thirty ships runs at 60 frames per second in a process of its own, with an empty folder for its kernels. After each change, frames
run until the background has compiled what it was asked for. A frame that takes longer than a sixtieth of a second is seen.
"""

import json
import os
import subprocess
import sys
import tempfile

GAME = """
import json, sys, time
import numpy as np
from engine import MassProperties, World, forces, joints
from engine.compilation import background

begin = time.process_time()
world = World(1 / 240)
rng = np.random.default_rng(1)
ships = world.add_bodies(
    MassProperties.box(1200.0, (2.0, 3.0, 4.0)), 50.0 * rng.normal(size=(30, 3)), angular_velocity_body=0.3 * rng.normal(size=(30, 3))
)
for ship in ships:
    world.add_force(forces.Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=500.0)).throttle = 0.1

def wind(wrench, bodies, time):
    wrench.force_world[:, 0] += 1.0

def another_capacity():
    world.add_bodies(MassProperties.sphere(1.0, 0.5), 50.0 * rng.normal(size=(270, 3)))

def on_a_hinge():
    at, other = ships[0].position, ships[1].position
    world.add_joint(joints.Hinge(ships[0], ships[1], at_body=ships[0].to_body(0.5 * (other - at)), axis_body=(1.0, 0.0, 0.0)))

CHANGES = {
    "the first frames": lambda: None,
    "a gravity": lambda: world.add_force(forces.PointGravity(1e3, (1000.0, 0.0, 0.0))),
    "a drag": lambda: world.add_force(forces.LinearDrag(0.1)),
    "a spring": lambda: world.add_force(forces.Spring(ships[0], ships[1], stiffness=1.0)),
    "a Python force": lambda: world.add_force(wind),
    "another method": lambda: setattr(world, "integrator", "rk4"),
    "game mode": lambda: setattr(world, "game_mode", True),
    "no game mode": lambda: setattr(world, "game_mode", False),
    "270 more bodies": another_capacity,
    "without the Python force": lambda: world.remove_force(wind),
    "a hinge": on_a_hinge,
}

if sys.argv[1] == "prepared":
    wanted = {"integrators": ["free-rotor-2", "rk4"], "forces": [forces.PointGravity, forces.LinearDrag], "capacity": 300}
    for mode in (True, False):
        world.game_mode = mode
        world.prepare(**wanted)
    link = on_a_hinge()
    world.prepare(**wanted)
    for joint in world.joints:
        world.remove_joint(joint)

def frame():
    start = time.perf_counter()
    world.advance(1 / 60)
    return time.perf_counter() - start

for name, change in CHANGES.items():
    start = time.perf_counter()
    change()
    spent, worst, frames, quiet = time.perf_counter() - start, 0.0, 0, 0
    while quiet < 60 and frames < 3600:
        spent += frame()
        worst, frames = max(worst, spent), frames + 1
        time.sleep(max(0.0, 1 / 60 - spent))
        spent, quiet = 0.0, quiet + 1 if background.pending() == 0 else 0
    print(json.dumps([name, 1e3 * worst, frames]), flush=True)
"""


def worst_frames(kind: str) -> list[tuple[str, float, int]]:
    """The longest frame [ms] after each change and the number of frames until all was compiled; `kind` is "prepared" or "fresh"."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "POLHODE_CACHE_DIR": folder, "POLHODE_BACKGROUND": "1"}
        command = [sys.executable, "-c", GAME, kind]
        output = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True
        ).stdout
    return [tuple(json.loads(line)) for line in output.splitlines()]


def main() -> None:
    """Print both in one table."""
    fresh, prepared = worst_frames("fresh"), worst_frames("prepared")
    print(f"{'worst frame after':<28}{'fresh machine, ms':>18}{'frames compiling':>18}{'prepared, ms':>14}")
    for (name, milliseconds, frames), (_, ready, _frames) in zip(fresh, prepared, strict=True):
        print(f"{name:<28}{milliseconds:>18.1f}{frames:>18}{ready:>14.1f}")
