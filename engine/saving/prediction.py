"""Predictions, which run ticks of a world, sample the poses of its bodies and go back."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray
from ..compilation.choice import is_due, named
from ..compilation.compiler import address_of, types_of
from ..loops import layout
from ..loops.poses import sampled_ticks
from ..store.store import BETWEEN_TICKS, MOVING
from .content import Owners
from .snapshots import put_back, take

_POSE = layout.ORIENTATION + 4
"""The number of components of a pose, which are the first of a body."""


def predict(
    owners: Owners, step: Callable[[int], None], samples: int, every: int, rows: list[int] | None
) -> tuple[FloatArray, FloatArray]:
    """Positions and orientations after each of `samples` times `every` ticks, after which the world is restored.

    Args:
        owners: The owners of the parts of the world.
        step: Runs ticks, as `World.step` does.
        samples: The number of samples.
        every: The number of ticks from one to the next.
        rows: The rows of the bodies; None is all.
    """
    store, bodies, stages = owners.store, owners.bodies, owners.stages
    columns = np.arange(bodies.count) if rows is None else np.array(rows, np.int64)
    poses = np.empty((samples, _POSE * len(columns)))
    snapshot, observers = take(owners), stages.observers

    def return_to_start() -> None:
        stages.observers = observers
        put_back(owners, snapshot)

    with store.ending_with(return_to_start, always=True):
        stages.functions = ([], [], [])
        stages.observers = []
        _fly(owners, step, poses, columns, every)
    moved = poses.reshape(samples, _POSE, len(columns)).transpose(0, 2, 1)
    return moved[:, :, : layout.ORIENTATION].copy(), moved[:, :, layout.ORIENTATION :].copy()


def _fly(
    owners: Owners, step: Callable[[int], None], poses: FloatArray, columns: npt.NDArray[np.int64], every: int
) -> None:
    """Run ticks, and store the poses of bodies after every `every` ticks."""
    store, bodies, stages, done = owners.store, owners.bodies, owners.stages, 0
    while done < len(poses):
        at_once = min(len(poses) - done, store.quiet // every, stages.most_at_once // every)
        if at_once > 0:  # as in `World.step`, which takes longer than a tick of one body
            store.phase, start = MOVING, bodies.tick_count
            reached = _sampled(owners, poses, columns, every, done, done + at_once)
            store.quiet -= every * at_once
            if (
                reached < done + at_once
            ):  # a tick was not finite; it goes through all stages, which freeze bodies or raise the error
                left = every * (reached - done + 1) - (bodies.tick_count - start)
                store.quiet = 0
                store.phase = BETWEEN_TICKS
                step(left)
                poses[reached] = bodies.array[:_POSE, columns].ravel()
                reached += 1
        else:
            store.phase, reached = BETWEEN_TICKS, done + 1
            step(every)
            poses[done] = bodies.array[:_POSE, columns].ravel()
        done = reached


def _sampled(
    owners: Owners, poses: FloatArray, columns: npt.NDArray[np.int64], every: int, first: int, last: int
) -> int:
    """Run ticks and store poses; the sample that was reached."""
    array, kernel, run = owners.bodies.array, owners.plan.kernel, owners.stages.run
    if kernel is not None:
        loop = named(sampled_ticks, array, poses, columns, columns, kernel.args, 1, 1, 1)
        if is_due(loop):
            calls = np.array([address_of(kernel.func, types_of(*kernel.args, 1))], np.int64)
            return int(loop.function(array, poses, columns, calls, kernel.args, every, first, last))
    for sample in range(first, last):
        if run(every) != every:
            return sample
        poses[sample] = array[:_POSE, columns].ravel()
    return last
