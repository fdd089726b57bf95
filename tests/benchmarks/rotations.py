"""What functions of `rotation` cost, on one value and on stacks, next to SciPy's."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from engine import rotation

from .measure import Contestant, Effort, Figure, each_call, figures

ONE, STACK = "one rotation", "a stack of rotations"
COUNT = 1000
PLAIN, BY_NUMPY, BY_LOOP, SCIPY = "plain floats", "NumPy", "after `prepare()`", "SciPy"

Case = tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]


def measured(effort: Effort) -> list[Figure]:
    """One value, a stack with nothing compiled, and a stack once the loops are prepared."""
    found = figures(ONE, "µs", list(_contestants(1, PLAIN)), effort)
    before = figures(STACK, "µs", list(_contestants(COUNT, BY_NUMPY)), effort)
    rotation.prepare()
    own = [contestant for contestant in _contestants(COUNT, BY_LOOP) if contestant.column == BY_LOOP]
    return found + before + figures(STACK, "µs", own, effort)


def _contestants(count: int, column: str) -> Iterator[Contestant]:
    """Each function and, where SciPy has the like, SciPy's."""
    for name, (own, theirs, stacks) in _cases(count).items():
        values = stacks if count > 1 else tuple(stack[0] for stack in stacks)
        yield Contestant(name, column, each_call(lambda call=own, given=values: call(*given)))
        yield Contestant(name, SCIPY, each_call(lambda call=theirs, given=values: call(*given)))


def _cases(count: int) -> dict[str, Case]:
    """Function, SciPy's and stacks of arguments by name."""
    generator = np.random.default_rng(count)
    p, q = (Rotation.random(count, random_state=generator).as_quat() for _ in range(2))
    vectors, angles = generator.normal(size=(count, 3)), generator.uniform(-3.0, 3.0, count)
    matrices = Rotation.from_quat(q).as_matrix()
    make = Rotation.from_quat
    axes = vectors / np.sqrt(np.square(vectors).sum(axis=-1, keepdims=True))
    return {
        "multiply": (rotation.multiply, lambda a, b: (make(a) * make(b)).as_quat(), (p, q)),
        "conjugate": (rotation.conjugate, lambda a: make(a).inv().as_quat(), (q,)),
        "rotate": (rotation.rotate, lambda a, v: make(a).apply(v), (q, vectors)),
        "rotate_inverse": (rotation.rotate_inverse, lambda a, v: make(a).apply(v, inverse=True), (q, vectors)),
        "to_matrix": (rotation.to_matrix, lambda a: make(a).as_matrix(), (q,)),
        "from_matrix": (rotation.from_matrix, lambda m: Rotation.from_matrix(m).as_quat(), (matrices,)),
        "from_axis_angle": (
            rotation.from_axis_angle,
            lambda axis, angle: Rotation.from_rotvec(axis * np.asarray(angle)[..., np.newaxis]).as_quat(),
            (axes, angles),
        ),
        "to_axis_angle": (rotation.to_axis_angle, lambda a: make(a).as_rotvec(), (q,)),
        "from_rotation_vector": (
            rotation.from_rotation_vector,
            lambda turn: Rotation.from_rotvec(turn).as_quat(),
            (vectors,),
        ),
        "from_euler": (
            lambda turns: rotation.from_euler(turns, "ZYX"),
            lambda turns: Rotation.from_euler("ZYX", turns).as_quat(),
            (vectors,),
        ),
        "slerp": (
            lambda fraction: rotation.slerp(p[0], q[0], fraction),
            lambda fraction: Slerp([0.0, 1.0], make([p[0], q[0]]))(fraction).as_quat(),
            (generator.uniform(size=count),),
        ),
        "angle_between": (rotation.angle_between, lambda a, b: (make(a).inv() * make(b)).magnitude(), (p, q)),
        "rodrigues": (
            rotation.rodrigues,
            lambda axis, angle: Rotation.from_rotvec(axis * np.asarray(angle)[..., np.newaxis]).as_matrix(),
            (axes, angles),
        ),
    }
