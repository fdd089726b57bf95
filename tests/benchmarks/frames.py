"""The longest frame of a game while something in its world changes, on a machine without kernels and after `World.prepare`.

    python -m tests.benchmarks frames       # some minutes

A game of thirty ships runs at 60 frames per second in a process of its own, with an empty folder for its kernels: with `advance`, and with
`step(2)` under ``compilation="background"``. After each change, frames run until the background has compiled what it was asked for. In a
third run, 240 bodies are added one second after the first frame. Times are processor times of the thread that runs the frames, so that
they mean the same on a busy machine. At most 60 ms are allowed on a fresh machine, and 20 ms after `World.prepare`.
"""

import json
import os
import subprocess
import sys
import tempfile

MOST_FRESH, MOST_PREPARED = 60.0, 20.0
"""The longest frames that are allowed [ms]."""

GAME = """
import json, sys, time
import numpy as np
from engine import MassProperties, World, flight, forces, joints, shapes
from engine.compilation import background

way, is_prepared = sys.argv[1], sys.argv[2] == "prepared"
steps = way == "step"
world = World(1 / 120 if steps else 1 / 240, compilation="background" if steps else "auto")
rng = np.random.default_rng(1)
ships = world.add_bodies(
    MassProperties.box(1200.0, (2.0, 3.0, 4.0)), 50.0 * rng.normal(size=(30, 3)), angular_velocity_body=0.3 * rng.normal(size=(30, 3))
)
jets = [
    world.add_force(forces.Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=500.0)) for ship in ships
]
for jet in jets[1:]:  # the first one is for pulses
    jet.throttle = 0.1

def wind(wrench, bodies, time):
    wrench.force_world[:, 0] += 1.0

def more_bodies():
    world.add_bodies(MassProperties.sphere(1.0, 0.5), 50.0 * rng.normal(size=(240, 3)))

def on_a_hinge():
    at, other = ships[0].position, ships[1].position
    world.add_joint(joints.Hinge(ships[0], ships[1], at_body=ships[0].to_body(0.5 * (other - at)), axis_body=(1.0, 0.0, 0.0)))

def a_wheel():
    wheel = flight.ReactionWheel(ships[2], axis=(1, 0, 0), inertia=0.1, max_torque=0.5, max_speed=600.0)
    world.add_part(wheel).torque = 0.1

def a_shape():
    world.add_shape(shapes.Box((4.0, 4.0, 1.0)), position=(500.0, 0.0, 0.0))
    crate = world.add_body(MassProperties.box(20.0, (1.0, 1.0, 1.0)), position=(500.0, 0.0, 1.05), velocity=(0.0, 0.0, -0.5))
    crate.add_shape(shapes.Box((1.0, 1.0, 1.0)))

CHANGES = {
    "the first frames": lambda: None,
    "a gravity": lambda: world.add_force(forces.PointGravity(1e3, (1000.0, 0.0, 0.0))),
    "a drag": lambda: world.add_force(forces.LinearDrag(0.1)),
    "a spring": lambda: world.add_force(forces.Spring(ships[0], ships[1], stiffness=1.0)),
    "a Python force": lambda: world.add_force(wind),
    "another method": lambda: setattr(world, "integrator", "rk4"),
    "game mode": lambda: setattr(world, "game_mode", True),
    "no game mode": lambda: setattr(world, "game_mode", False),
    "without the Python force": lambda: world.remove_force(wind),
    "a hinge": on_a_hinge,
    "a pulse": lambda: jets[0].fire(0.05),
    "a wheel": a_wheel,
    "a shape that meets another": a_shape,
    "240 more bodies": more_bodies,
}
if way == "growth":
    CHANGES = {"the first second": lambda: None, "240 more bodies": more_bodies}

if is_prepared:
    world.prepare(
        integrators=["free-rotor-2", "rk4"],
        forces=[forces.PointGravity, forces.LinearDrag],
        capacity=300,
        joints=True,
        contacts=True,
        wheels=True,
        pulses=True,
        game_mode=True,
    )

def frame():
    if steps:
        world.step(2)
    else:
        world.advance(1 / 60)
    world.interpolated_poses()

for name, change in CHANGES.items():
    worst, frames, quiet, begin = 0.0, 0, 0, time.thread_time()
    change()
    while quiet < 60 and frames < 7200 and not (name == "the first second" and frames == 60):
        start = time.perf_counter()
        frame()
        end = time.thread_time()
        worst, frames = max(worst, end - begin), frames + 1
        time.sleep(max(0.0, 1 / 60 - (time.perf_counter() - start)))
        quiet = quiet + 1 if background.pending() == 0 else 0
        begin = time.thread_time()
    print(json.dumps([name, 1e3 * worst, frames]), flush=True)
"""


def worst_frames(way: str, kind: str) -> list[tuple[str, float, int]]:
    """The longest frame [ms] after each change and the number of frames until all was compiled.

    Args:
        way: "advance", "step", or "growth" for more bodies after one second alone.
        kind: "prepared" or "fresh".
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a compiler process may finish its kernel
        environment = {**os.environ, "POLHODE_CACHE_DIR": folder, "POLHODE_BACKGROUND": "1"}
        command = [sys.executable, "-c", GAME, way, kind]
        output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [tuple(json.loads(line)) for line in output.splitlines()]


def main() -> None:
    """Print both in one table for each way of running frames, and end with an error if a frame takes longer than allowed."""
    too_long = []
    for way in ("growth", "advance", "step"):
        fresh, prepared = worst_frames(way, "fresh"), worst_frames(way, "prepared")
        print(f"{way + ': worst frame after':<38}{'fresh, ms':>12}{'frames compiling':>18}{'prepared, ms':>14}")
        for (name, milliseconds, frames), (_, ready, _frames) in zip(fresh, prepared, strict=True):
            print(f"{name:<38}{milliseconds:>12.1f}{frames:>18}{ready:>14.1f}", flush=True)
            if milliseconds > MOST_FRESH or ready > MOST_PREPARED:
                too_long.append(f"{way}, {name}")
    if too_long:
        sys.exit(f"frames that take too long: {'; '.join(too_long)}")
