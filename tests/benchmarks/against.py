"""The engine beside an earlier commit of itself: the same scenes in two processes, in turn, and the ratio of each pair.

`python -m tests.benchmarks.against [COMMIT] [part of a name …]` (6ec4409 where no commit is given) checks the commit out into a temporary
worktree. A ratio below one means that this tree takes less time. The interval is where the middle half of the pairs lies.
"""

import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BEFORE = "6ec4409"
PAIRS = 31

WORKER = """
import os, sys, time
os.environ["POLHODE_BACKGROUND"] = "0"
sys.path.insert(0, sys.argv[1])
import numpy as np
from engine import MassProperties, World, flight, forces, integrators, joints

BOX = MassProperties.box(1200.0, (2.0, 2.0, 4.0))

def bodies_of(world, count):
    rng = np.random.default_rng(1)
    return world.add_bodies(BOX, 100.0 * rng.normal(size=(count, 3)), velocity=rng.normal(size=(count, 3)),
                            angular_velocity_body=0.3 * rng.normal(size=(count, 3)))

def flown(method, count):
    world = World(1 / 240, integrator=method)
    bodies = bodies_of(world, count)
    world.add_force(forces.UniformGravity((0, -9.81, 0)))
    jet = world.add_force(forces.Thruster(bodies[0], position=(0, 0, -2), direction=(0, 0, 1), max_force=500.0))
    jet.throttle = 1.0
    return world, bodies, jet

def step(method, count):
    return flown(method, int(count))[0].step

def many(method, count):
    world = flown(method, int(count))[0]
    return lambda: world.step(100)

def plain(count):
    return flown("free-rotor-2", int(count))[0].step

def empty(count, every):
    world = flown("free-rotor-2", int(count))[0]
    world.on_tick(lambda world: None, every=int(every))
    return world.step

def throttle(count):
    world, _, jet = flown("free-rotor-2", int(count))
    levels = [k / 8 for k in range(8)]
    def control(world):
        jet.throttle = levels[world.tick_count & 7]
    world.on_tick(control)
    return world.step

def velocity(count):
    world, bodies, _ = flown("free-rotor-2", int(count))
    values = [np.array((0.1 * k, 1.0, 2.0)) for k in range(8)]
    def control(world):
        bodies[0].velocity = values[world.tick_count & 7]
    world.on_tick(control)
    return world.step

def push(count):
    world, bodies, _ = flown("free-rotor-2", int(count))
    force = np.array((0.1, 1.0, 2.0))
    world.on_tick(lambda world: bodies[0].apply_force(force))
    return world.step

def called(count):
    world, _, _ = flown("free-rotor-2", int(count))
    def wind(wrench, bodies, time):
        pass
    world.add_force(wind)
    return world.step

def bullet(_):
    world, bodies, _ = flown("free-rotor-2", 100)
    for k in range(1000):
        made = world.add_force(forces.Thruster(bodies[k % 100], position=(0, 0, 1), direction=(1, 0, 0), max_force=1.0))
        made.throttle = 0.5
    world.step()
    def shoot():
        body = world.add_body(BOX)
        world.step()
        world.remove_body(body)
        world.step()
    return shoot

def mass(_):
    world, bodies, _ = flown("free-rotor-2", 100)
    for k in range(1000):
        world.add_force(forces.Thruster(bodies[k % 100], position=(0, 0, 1), direction=(1, 0, 0), max_force=1.0)).throttle = 0.5
    other = MassProperties.box(1300.0, (2.0, 2.0, 4.0))
    def change():
        bodies[3].mass_properties = other
    return change

def drags(separate):
    world = World(1 / 240)
    bodies = bodies_of(world, 100)
    if separate == "each":
        for k, body in enumerate(bodies):
            world.add_force(forces.LinearDrag(0.1 + 0.001 * k, bodies=[body]))
    else:
        world.add_force(forces.LinearDrag(0.1))
    return world.step

def gravities(number, count):
    world = World(1 / 240)
    bodies_of(world, int(count))
    for k in range(int(number)):
        world.add_force(forces.PointGravity(1e3, (1000.0 * k, 500.0, 0)))
    return world.step

def throttles(_):
    world = World(1 / 240)
    bodies = bodies_of(world, 8)
    if hasattr(World, "thrusters"):
        for k in range(4096):
            world.add_force(forces.Thruster(bodies[k % 8], position=(0, 0, 1), direction=(1, 0, 0), max_force=1.0))
        values = np.linspace(0, 1, 4096)
        def set_all():
            world.thrusters.throttle = values
        return set_all
    jets = [world.add_force(forces.Thruster(bodies[k % 8], position=(0, 0, 1), direction=(1, 0, 0), max_force=1.0)) for k in range(4096)]
    values = np.linspace(0, 1, 4096).tolist()
    def set_all():
        for jet, value in zip(jets, values):
            jet.throttle = value
    return set_all

def fields(method, kind):
    world = World(1 / 240, integrator=method)
    bodies = bodies_of(world, 1000)
    world.add_force({"gravity": lambda: forces.PointGravity(1e3, (5000.0, 0, 0)), "drag": lambda: forces.LinearDrag(0.1),
        "spring": lambda: forces.Spring(bodies[0], bodies[1], stiffness=1.0)}[kind]())
    return world.step

def driven(what, count):
    world = World(1 / 240)
    for body in bodies_of(world, int(count)):
        if what in ("wheels", "all"):
            for axis in np.eye(3):
                wheel = flight.ReactionWheel(body, axis=axis, inertia=0.1, max_torque=0.1, max_speed=100.0)
                world.add_part(wheel).torque = 1e-6
        if what in ("pulses", "all"):
            jet = forces.Thruster(body, position=(0, 0, -2), direction=(1, 0, 0), max_force=1.0)
            world.add_force(jet).fire(1e9)
        if what in ("tank", "all"):
            tank = world.add_part(flight.Tank.ball(body, (0, 0, 1), 0.5, 100.0))
            jet = {"position": (0, 0, -2), "direction": (0, 0, 1), "specific_impulse": 300.0, "tank": tank}
            world.add_force(forces.Thruster(body, max_force=1e-3, **jet)).throttle = 0.5
    return world.step

def chain(links, forced):
    world, arm = World(1 / 240), np.array((0.0, 0.0, 2.0))
    bodies = [world.add_body(BOX, position=4.0 * k * np.array((0.0, 0.0, 1.0))) for k in range(int(links))]
    for a, b in zip(bodies, bodies[1:]):
        world.add_joint(joints.Ball(a, b, at_body=arm))
    if forced == "python":
        world.add_force(pull)
    elif forced == "gravity":
        world.add_force(forces.UniformGravity((0, -9.81, 0)))
    return world.step

def pull(wrench, bodies, time):
    wrench.force_world[0] += (1.0, 2.0, 3.0)

def divided(wheels):
    world = World(1 / 240, integrator=integrators.Substepped("rk4", 5))
    body, = bodies_of(world, 1)
    for axis in np.eye(3)[:int(wheels)]:
        wheel = flight.ReactionWheel(body, axis=axis, inertia=0.1, max_torque=0.1, max_speed=100.0)
        world.add_part(wheel).torque = 1e-6
    return world.step

made = {}
print("ready", flush=True)
for line in sys.stdin:
    name, times = line.split()
    if name not in made:
        scene, *arguments = name.split(":")
        made[name] = globals()[scene](*arguments)
        world = getattr(made[name], "__self__", None)
        if hasattr(world, "prepare"):  # else a loop that stands in would be timed
            world.prepare()
        for _ in range(3):
            made[name]()
    run, times = made[name], int(times)
    begin = time.perf_counter()
    for _ in range(times):
        run()
    print((time.perf_counter() - begin) / times, flush=True)
"""

METHODS = (
    "semi-implicit-euler implicit-gyro-euler rk4 rk4-body-rates rk4-world-rates rk5 nystrom predictor-corrector lie-rk4 midpoint "
    "axis-splitting-2 axis-splitting-4 free-rotor-2 free-rotor-4 saba4"
).split()
SCENES = [
    *(f"{what}:{method}:{count}" for count in (1, 1000, 10000) for method in METHODS for what in ("step", "many")),
    *(f"plain:{count}" for count in (1, 10000)),
    *("empty:1:1", "empty:10000:1", "empty:1:100"),
    *(f"{what}:{count}" for what in ("throttle", "velocity", "push") for count in (1, 10000)),
    *("called:1", "bullet:0", "mass:0", "drags:one", "drags:each", "throttles:0"),
    *(f"gravities:{number}:{count}" for count in (1, 100) for number in (1, 2, 6, 7, 20)),
    *(f"fields:{method}:{kind}" for method in ("rk4", "free-rotor-2") for kind in ("gravity", "drag", "spring")),
    *(f"driven:{what}:{count}" for count in (1, 100) for what in ("wheels", "pulses", "tank", "all")),
    *(f"chain:{links}:{forced}" for links in (2, 8, 32) for forced in ("none", "gravity", "python")),
    *("divided:0", "divided:1"),
]


class Worker:
    """A process that runs scenes on one checkout."""

    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None and self._process.stdout.readline() == "ready\n"

    def seconds(self, scene: str, times: int) -> float:
        """How long one run of a scene takes, over so many."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{scene} {times}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.wait()


def compared(
    scene: str, here: Worker, before: Worker, pairs: int = PAIRS
) -> tuple[float, float, tuple[float, float, float]]:
    """Median µs here and before, and the ratio pair by pair: lower quartile, median, upper quartile."""
    once = max(here.seconds(scene, 1), before.seconds(scene, 1))
    times = max(1, round(4e-3 / once))
    ours, theirs = [], []
    for number in range(pairs):
        order = ((ours, here), (theirs, before)) if number % 2 else ((theirs, before), (ours, here))
        for found, worker in order:
            found.append(worker.seconds(scene, times))
    ratios = statistics.quantiles([a / b for a, b in zip(ours, theirs, strict=True)], n=4)
    return 1e6 * statistics.median(ours), 1e6 * statistics.median(theirs), (ratios[0], ratios[1], ratios[2])


def main(arguments: list[str]) -> None:
    """Compare the scenes whose names have one of the given parts."""
    commit = arguments.pop(0) if arguments and re.fullmatch(r"[0-9a-f]{7,40}", arguments[0]) else BEFORE
    chosen = [scene for scene in SCENES if not arguments or any(part in scene for part in arguments)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["git", "-C", str(ROOT), "worktree", "add", "--detach", "-q", f"{folder}/before", commit], check=True
        )
        here, before = Worker(ROOT), Worker(Path(folder) / "before")
        try:
            print(f"{'scene':<36}{'here µs':>12}{commit + ' µs':>14}   ratio (middle half)")
            for scene in chosen:
                ours, theirs, (low, middle, high) = compared(scene, here, before)
                print(f"{scene:<36}{ours:>12.3f}{theirs:>14.3f}   {middle:.3f} ({low:.3f} to {high:.3f})", flush=True)
        finally:
            here.close()
            before.close()
            subprocess.run(["git", "-C", str(ROOT), "worktree", "remove", "--force", f"{folder}/before"], check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
