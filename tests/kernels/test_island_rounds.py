"""The loops of islands: each over its own bodies, and in few rounds, which are counted in plain Python."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from engine import MassProperties, World
from engine.joints import Ball

ROOT = Path(__file__).parents[2]
BOX = MassProperties.box(3.0, (1.0, 0.5, 0.8))

COUNT = """
from collections import Counter
from engine.compilation import compiler
from tests.benchmarks.joint_scenes import chain

world, _joints = chain(3, 1.0, 1 / 240)
world.step(20)
counts = Counter()

def counted(function):
    def run(*arguments):
        counts[function.__qualname__] += 1
        return function(*arguments)
    return run

for address, function in list(compiler._CALLED.items()):
    compiler._CALLED[address] = counted(function)
world.step(5)
print(counts["island-drift-free_rotor-gyro"], counts["island-positions"], counts["blocks-factor"])
"""


def test_a_chain_in_calm_swing_needs_few_rounds():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", COUNT]
    found = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    drifts, stages, factors = map(int, found.split())
    assert stages == 5  # no tick in pieces
    assert factors == 10  # one at either end of each tick
    assert drifts <= 17


def test_an_island_behind_others_moves_as_it_does_alone():
    def scene(pairs):
        world = World(1 / 60)
        for number in pairs:
            x = 30.0 * number
            a = world.add_body(BOX, position=(x, 0.0, 0.0), angular_velocity_body=(0.3, -0.2, 0.1 + number))
            b = world.add_body(BOX, position=(x + 2.0, 0.0, 0.0), angular_velocity_body=(-0.1, 0.4, 0.2))
            joint = world.add_joint(Ball(a, b, at_body=(1.0, 0.0, 0.0)))
        world.step(5)
        assert np.linalg.norm(a.to_world(joint.at_body) - b.to_world(joint.at_other)) <= 1e-11
        return np.concatenate([*world.state.position[-2:], *world.state.orientation[-2:]])

    assert np.array_equal(scene((2,)), scene((0, 1, 2)))
