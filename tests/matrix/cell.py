"""What one cell runs: `python -m tests.matrix.cell WORLDS`, which prints the versions, the worlds that differ and the hashes of a crowd."""

import json
import os
import platform
import random
import sys

import numpy as np

from engine import MassProperties, World, forces
from engine.compilation.compiler import COMPILED
from engine.store.threads import FEWEST_BODIES

from .. import golden_bits

CROWD, TICKS = 3 * FEWEST_BODIES + 8, 3


def crowd(threads: int) -> int:
    """The hash of many bodies after a few ticks."""
    world = World(1 / 64, integrator="semi-implicit-euler", threads=threads)
    spread = np.arange(3.0 * CROWD).reshape(CROWD, 3)
    properties = MassProperties(1.5, [[1.0, 0.1, 0.0], [0.1, 1.2, 0.2], [0.0, 0.2, 1.4]])
    world.add_bodies(properties, spread, angular_velocity_body=(spread % 7.0) - 3.0, velocity=(spread % 5.0) - 2.0)
    world.add_force(forces.LinearDrag(0.3))
    world.step(TICKS)
    return world.state_hash()


def versions() -> dict[str, str]:
    """The versions of what takes part."""
    found = {"python": platform.python_version(), "numpy": np.__version__, "machine": platform.machine()}
    if "EMULATOR" in os.environ:
        found["emulator"] = os.environ["EMULATOR"]
    if COMPILED:
        import numba

        found["numba"] = numba.__version__
    return found


def main(arguments: list[str]) -> None:
    count = int(arguments[0])
    cases = [case for case in golden_bits.every_case() if golden_bits.kept()[golden_bits.key(*case)] is not None]
    chosen = random.Random(1).sample(cases, min(count, len(cases)))
    known = golden_bits.kept()
    different = [golden_bits.key(*case) for case in chosen if golden_bits.flown(*case) != known[golden_bits.key(*case)]]
    # plain Python takes a second per tick of the crowd
    crowds = [crowd(threads) for threads in (1, 2, 3)] if COMPILED else []
    print(json.dumps({"versions": versions(), "worlds": len(chosen), "different": different, "crowds": crowds}))


if __name__ == "__main__":
    main(sys.argv[1:])
