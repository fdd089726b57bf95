"""Joints on the scenes of `joint_scenes`: what they keep, how well they hold and what a tick costs.

Run as ``python -m tests.benchmarks.joints``.
"""

from itertools import pairwise
from time import perf_counter

import numpy as np
from scipy.spatial.transform import Rotation

from .joint_scenes import PAIR_JOINTS, chain, four_bar, gap, heavy_top, momenta, pair

_MICRO = 1e6


def pairs(ticks=3600, every=3):
    """Two bodies without forces: losses of momentum per tick, gap and error of the energy."""
    for ratio in (1.0, 1000.0):
        for kind in PAIR_JOINTS:
            world, _a, _b, joint = pair(kind, ratio)
            world.step()
            start, before = world.kinetic_energy(), momenta(world)
            linear = angular = energy = farthest = spent = 0.0
            for _ in range(ticks // every):
                begin = perf_counter()
                world.step(every)
                spent += perf_counter() - begin
                after = momenta(world)
                linear = max(linear, np.linalg.norm(after[0] - before[0]) / after[2] / every)
                angular = max(angular, np.linalg.norm(after[1] - before[1]) / after[3] / every)
                energy = max(energy, abs(world.kinetic_energy() / start - 1.0))
                farthest = max(farthest, 0.0 if kind in ("slider", "rod") else gap(joint))
                before = after
            figures = f"ΔP {linear:.1e} ΔL {angular:.1e} gap {farthest:.1e} m energy {energy:.1e}"
            print(f"pair {kind} 1:{ratio:g}: {figures}, {spent / ticks * _MICRO:.0f} µs per tick")


def tops():
    """A heavy top against itself at a 64th of the tick: errors and orders."""
    for method in ("free-rotor-2", "free-rotor-4"):
        end = {}
        for rate in (60, 120, 240, 3840):
            world, body, _joint = heavy_top(1 / rate, method)
            world.step(2 * rate)
            end[rate] = Rotation.from_quat(body.orientation)
        errors = [float((end[rate] * end[3840].inv()).magnitude()) for rate in (60, 120, 240)]
        orders = [np.log2(a / b) for a, b in pairwise(errors)]
        print(f"heavy top, {method}: {errors[0]:.1e} rad at 1/60, orders {orders[0]:.2f}, {orders[1]:.2f}")


def chains():
    """A chain of 20 released level: gap and cost of a tick."""
    for ratio in (1.0, 1000.0):
        for rate in (60, 240):
            world, joints = chain(20, ratio, 1 / rate)
            world.step()
            spent, farthest = [], 0.0
            for _ in range(10 * rate):
                begin = perf_counter()
                world.step()
                spent.append((perf_counter() - begin) * _MICRO)
                farthest = max(farthest, *map(gap, joints))
            print(
                f"chain 1:{ratio:g} at 1/{rate}: gap {farthest:.1e} m, {np.median(spent):.0f} µs in the median tick, "
                f"{max(spent):.0f} in the worst"
            )


def linkage(seconds=1000):
    """A four-bar of hinges: gap, and error and trend of the energy beside its swing."""
    world, joints = four_bar()
    world.step()
    energies, kinetic, farthest, begin = [], [], 0.0, perf_counter()
    for _ in range(6 * seconds):
        world.step(40)
        kinetic.append(world.kinetic_energy())
        energies.append(kinetic[-1] + 9.81 * sum(body.mass * body.position[1] for body in world.bodies))
        farthest = max(farthest, *map(gap, joints))
    cost = (perf_counter() - begin) / (240 * seconds) * _MICRO
    half = len(energies) // 2
    trend = np.mean(energies[half:]) - np.mean(energies[:half])
    print(
        f"four-bar: gap {farthest:.1e} m, energy within {np.ptp(energies) / np.ptp(kinetic):.1e} of its swing, "
        f"trend {trend:.1e} J, {cost:.0f} µs per tick"
    )


if __name__ == "__main__":
    pairs()
    tops()
    chains()
    linkage()
