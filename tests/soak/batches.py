"""Memory of a batch over many member-steps with resets, failures and readings."""

import gc
import resource

import numpy as np

from engine import flight
from engine.batch import Batch
from tests.batch import test_loops

from .report import Figure

MEMBERS, TICKS = 500, 100
BEFORE = 200
"""Rounds before memory is measured. Wheels reach their limits in them, so that every kernel is loaded, also that which divides a torque
that wheels at their limits cannot make and takes 5 MB. What is in use grows by 0.1 MB in the first 1e7 member-steps and by 0.04 MB in the
next, and Python's own part not at all; but the heap gets gaps at first, as arrays of other sizes find no place."""


def run(size: int, seed: int) -> list[Figure]:
    """Run a batch whose members are reset and fail, and measure the growth of its memory.

    Args:
        size: The number of member-steps.
        seed: The seed.
    """
    template, ship, sensors = test_loops.make_measured("gyro", 1)
    batch, rng = Batch(template, members=MEMBERS), np.random.default_rng(seed)
    wheels = [part for part in template.parts if isinstance(part, flight.ReactionWheel)]
    before = failures = 0
    for number in range(BEFORE + size // (MEMBERS * TICKS)):
        if number == BEFORE:
            gc.collect()
            before = _most_memory()
        batch.reset(rng.random(MEMBERS) < 0.3)
        chosen = rng.choice(MEMBERS, 50, replace=False)
        batch[ship].set(chosen, angular_velocity_body=rng.normal(0.0, 0.1, (50, 3)))
        for wheel in wheels if number < BEFORE else ():
            batch[wheel].set(chosen, speed=599.9)
        batch[ship].set(int(rng.integers(MEMBERS)), velocity=(1.7e308, 0, 0), position=(1.7e308, 0, 0))
        batch.step(TICKS)
        batch[sensors[0]].read()
        failures += int(batch.failed.sum())
        batch.reset(batch.failed)
    assert failures > 0, "no member has failed"
    return [Figure("growth of the largest memory [kB]", _most_memory() - before, 1000.0)]


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
