"""Joints on the scenes of `joint_scenes`: what they keep, how well they hold and what a tick costs, beside other engines on the same scene.

Run as ``python -m tests.benchmarks joints``. Each line has the processor time per tick (median and worst) beside the errors. MuJoCo and
pybullet run the scenes that they can express, from the same state; what is not installed is said.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from time import thread_time

import numpy as np
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, forces
from engine.joints import Ball, Latch, Port

from .joint_peers import Entrant, Motion, Scene, entrants, missing
from .joint_scenes import AXIS, PAIR_JOINTS, PAIR_POINT, chain, four_bar, heavy_top, pair
from .stiff_motors import stiff_motors

_MICRO = 1e6
_DOWN = (0.0, 0.0, -9.81)


def main() -> None:
    """Print every scene."""
    for name in missing():
        print(f"{name}: not installed")
    for measure in (pairs, tops, locked_craft, chains, linkage, stiff_motors, one_joint_among_many, start):
        measure()


class Run:
    """The ticks of one engine on a scene.

    Attributes:
        spent: Processor time [s] of each tick.
        kinetic: Kinetic energy [J] after each stride.
        energy: Kinetic and potential energy [J] after each stride.
        gap: The largest gap at a joint [m].
        linear: The largest change of P per tick, over Σ|m v|.
        angular: The same of L, over Σ|L|.
    """

    def __init__(self, scene: Scene, entrant: Entrant, ticks: int, every: int = 1) -> None:
        self.spent: list[float] = []
        self.kinetic: list[float] = []
        self.energy: list[float] = []
        self.gap = self.linear = self.angular = 0.0
        self._has_points = bool(scene.held)
        before = scene.momenta(entrant.motion())
        for _ in range(ticks // every):
            for _ in range(every):
                begin = thread_time()
                entrant.tick()
                self.spent.append(thread_time() - begin)
            self.end: Motion = entrant.motion()
            after = scene.momenta(self.end)
            self.linear = max(self.linear, float(np.linalg.norm(after[0] - before[0])) / after[2] / every)
            self.angular = max(self.angular, float(np.linalg.norm(after[1] - before[1])) / after[3] / every)
            self.gap = max(self.gap, scene.gap(self.end))
            kinetic, potential = scene.energies(self.end)
            self.kinetic.append(kinetic)
            self.energy.append(kinetic + potential)
            before = after

    @property
    def cost(self) -> str:
        """What a tick costs."""
        return f"{np.median(self.spent) * _MICRO:8.1f} µs per tick, worst {max(self.spent) * _MICRO:8.1f}"

    @property
    def held(self) -> str:
        """How well points are held together."""
        return f"gap {self.gap:.1e} m" if self._has_points else "no points held"

    @property
    def swing(self) -> float:
        """Half of the range of the energy, over the largest kinetic energy."""
        return 0.5 * float(np.ptp(self.energy)) / max(self.kinetic)

    @property
    def trend(self) -> float:
        """The mean energy of the second half less that of the first, over the largest kinetic energy."""
        half = len(self.energy) // 2
        return float(np.mean(self.energy[half:]) - np.mean(self.energy[:half])) / max(self.kinetic)


def compared(name: str, scene: Scene, ticks: int, every: int, figures: Callable[[Run], str]) -> None:
    """Print a scene in every engine that can run it."""
    for engine, entrant in entrants(scene):
        if entrant is not None:
            run = Run(scene, entrant, ticks, every)
            print(f"{name:<24}{engine:<14}{run.cost}   {figures(run)}", flush=True)


def pairs(ticks: int = 3600) -> None:
    """Two bodies without forces, 60 s at 1/60 s."""
    for ratio in (1.0, 1000.0):
        for kind in PAIR_JOINTS:
            world, *_ = pair(kind, ratio)
            world.step()
            compared(
                f"pair {kind} 1:{ratio:g}",
                Scene(world),
                ticks,
                3,
                lambda run: (
                    f"ΔP {run.linear:.1e} ΔL {run.angular:.1e} {run.held} energy {run.swing:.1e} trend {run.trend:.0e}"
                ),
            )


def tops() -> None:
    """A heavy top for 2 s at 1/60 s, against this engine at a 64th of the tick with "free-rotor-4"."""
    for tilt in (2.1, 0.8):
        truth = _top_after(3840, "free-rotor-4", tilt)
        for method in ("free-rotor-2", "free-rotor-4"):
            errors = [_angle(_top_after(rate, method, tilt), truth) for rate in (60, 120, 240)]
            orders = ", ".join(f"{np.log2(a / b):.2f}" for a, b in pairwise(errors))
            print(f"top {tilt:g} rad, {method}: {errors[0]:.1e} rad at 1/60, orders {orders}")
        world, *_ = heavy_top(tilt=tilt)
        compared(
            f"top {tilt:g} rad",
            Scene(world, _DOWN),
            120,
            1,
            lambda run, truth=truth: (
                f"attitude {_angle(run.end.turn[0], truth):.1e} rad {run.held} energy {run.swing:.1e}"
            ),
        )


def _top_after(rate: int, method: str, tilt: float) -> Rotation:
    world, body, _joint = heavy_top(1 / rate, method, tilt)
    world.step(2 * rate)
    return Rotation.from_quat(body.orientation)


def _angle(one: Rotation, other: Rotation) -> float:
    return float((one * other.inv()).magnitude())


def locked_craft(seconds: int = 30) -> None:
    """Two tumbling craft locked by a weld or a latch at 1/60 s, against one body of both."""
    for kind in ("weld", "latch"):
        for method in ("free-rotor-2", "free-rotor-4"):
            world = _latched(method) if kind == "latch" else pair("weld", integrator=method)[0]
            world.step()
            body, alone = world.bodies[0], World(world.dt)
            whole = world.assembly(body).mass_properties
            one = alone.add_body(
                whole,
                origin=body.origin,
                orientation=body.orientation,
                angular_velocity_body=body.angular_velocity_body,
            )
            one.velocity = world.linear_momentum() / whole.mass
            begin = thread_time()
            world.step(60 * seconds)
            cost = (thread_time() - begin) / (60 * seconds) * _MICRO
            alone.step(60 * seconds)
            error = _angle(Rotation.from_quat(body.orientation), Rotation.from_quat(one.orientation))
            print(
                f"{'locked by a ' + kind:<24}{method:<14}{cost:8.1f} µs per tick   attitude {error:.1e} rad after {seconds} s"
            )


def _latched(method: str) -> World:
    """The two welded craft, held by a latch instead."""
    world, a, b, weld = pair("weld", integrator=method)
    world.step()
    up = np.array((1.0, 2.0, 0.0)) / np.sqrt(5.0)
    held, axis, upwards = a.to_world(PAIR_POINT), a.direction_to_world(AXIS), a.direction_to_world(up)
    world.remove_joint(weld)
    ports = Port(PAIR_POINT, AXIS, up), Port(b.to_body(held), -b.direction_to_body(axis), b.direction_to_body(upwards))
    latch = world.add_joint(Latch(a, b, *ports, clocking=0.0))
    world.step(10)
    assert latch.state == "hard"
    return world


def chains() -> None:
    """A chain of 20 released level, 10 s."""
    for ratio in (1.0, 1000.0):
        for rate in (60, 240):
            world, _joints = chain(20, ratio, 1 / rate)
            world.step()
            compared(
                f"chain 1:{ratio:g} at 1/{rate}",
                Scene(world, _DOWN),
                10 * rate,
                1,
                lambda run: f"calm {np.quantile(run.spent, 0.1) * _MICRO:.0f} µs {run.held} energy {run.swing:.1e}",
            )


def linkage(seconds: int = 1000) -> None:
    """A four-bar of hinges at 1/240 s."""
    world, _joints = four_bar()
    world.step()
    scene = Scene(world, (0.0, -9.81, 0.0))
    compared(
        "four-bar",
        scene,
        240 * seconds,
        40,
        lambda run: f"{run.held} energy {run.swing:.1e} of its swing trend {run.trend:.0e}",
    )


def one_joint_among_many(bodies: int = 1000, rounds: int = 60) -> None:
    """One ball joint in a world of free bodies, against the same world without it, in turns."""
    without, with_it = _crowd(bodies, False), _crowd(bodies, True)
    for ticks in (100, 1):
        spent: dict[World, list[float]] = {without: [], with_it: []}
        for number in range(rounds):
            for world in (without, with_it) if number % 2 else (with_it, without):
                begin = thread_time()
                for _ in range(100 // ticks):
                    world.step(ticks)
                spent[world].append((thread_time() - begin) / 100 * _MICRO)
        more = np.median(np.subtract(spent[with_it], spent[without]))
        print(
            f"one joint in {bodies} bodies, step({ticks}): {np.median(spent[without]):.1f} µs per tick without it, "
            f"{more:.1f} µs more with it"
        )
    others = slice(2, None)
    equal = np.array_equal(without.state.position[others], with_it.state.position[others])
    print(f"one joint in {bodies} bodies: the others are {'bit-equal' if equal else 'NOT equal'}")


def _crowd(bodies: int, has_joint: bool) -> World:
    world, rng = World(1 / 240), np.random.default_rng(1)
    position, velocity = 100.0 * rng.normal(size=(bodies, 3)), rng.normal(size=(bodies, 3))
    position[1] = position[0] + (1.8, 1.0, -0.6)
    velocity[:2] *= 0.1
    rates = 0.3 * rng.normal(size=(bodies, 3))
    shape = MassProperties.box(1200.0, (2.0, 2.0, 4.0))
    made = world.add_bodies(shape, position, velocity=velocity, angular_velocity_body=rates)
    world.add_force(forces.UniformGravity(_DOWN))
    if has_joint:
        world.add_joint(Ball(made[0], made[1], at_body=(0.9, 0.5, -0.3)))
    world.prepare()
    world.step(3)
    return world


_START = """
import time
from engine import MassProperties, World, forces
from engine.joints import Ball
def made():
    world = World(1 / 60)
    box = MassProperties.box(1.0, (1.0, 2.0, 3.0))
    a, b = world.add_body(box), world.add_body(box, position=(2.0, 0.0, 0.0))
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    return world, a, b
made()[0].step()
world, a, b = made()
world.add_joint(Ball(a, b, at_body=(1.0, 0.0, 0.0)))
begin = time.perf_counter()
world.step()
print(time.perf_counter() - begin)
"""


def start() -> None:
    """The first tick with a joint, in a process that has run a world without one: compiling, and from the cache on disk."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "POLHODE_CACHE_DIR": folder, "POLHODE_BACKGROUND": "0"}
        found = [
            float(
                subprocess.run(
                    [sys.executable, "-c", _START], env=environment, capture_output=True, text=True, check=True
                ).stdout
            )
            for _ in range(4)
        ]
    print(f"first tick with a joint: {found[0]:.1f} s compiling, {min(found[1:]):.2f} s from the cache")


if __name__ == "__main__":
    main()
