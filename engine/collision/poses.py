"""Where shapes are at the start of a tick."""

from ..compilation.compiler import inlined
from ..constraints.joint_types import Axes
from ..kernels.quaternions import Quaternion, multiply, rotate
from ..kernels.vectors import Vector, add, subtract
from ..loops.columns import Array, load_quaternion, load_vector
from ..loops.layout import CENTER_OF_MASS, ORIENTATION, POSITION
from .layout import BODY, PIVOT, PLACE, SHAPE_SPIN, SHAPE_VELOCITY, TURN


@inlined
def pose_of(bodies: Array, shapes: Array, shape: int) -> tuple[Vector, Quaternion]:
    """Where a shape is in the world: its centre and orientation."""
    body = int(shapes[BODY, shape])
    place, turn = load_vector(shapes, PLACE, shape), load_quaternion(shapes, TURN, shape)
    if body < 0:
        return place, turn
    q, place = load_quaternion(bodies, ORIENTATION, body), subtract(place, load_vector(bodies, CENTER_OF_MASS, body))
    return add(load_vector(bodies, POSITION, body), rotate(q, 2.0, place)), multiply(q, turn)


@inlined
def axes_of(q: Quaternion) -> Axes:
    """The axes of a frame in the world frame."""
    return rotate(q, 2.0, (1.0, 0.0, 0.0)), rotate(q, 2.0, (0.0, 1.0, 0.0)), rotate(q, 2.0, (0.0, 0.0, 1.0))


@inlined
def moves(shapes: Array, shape: int) -> bool:
    """Whether a shape of the world moves."""
    moving = False
    for row in range(SHAPE_VELOCITY, SHAPE_SPIN + 3):
        moving = moving or shapes[row, shape] != 0.0
    return moving and shapes[BODY, shape] < 0.0


@inlined
def origin_of(shapes: Array, shape: int) -> Vector:
    """The point about which a shape of the world turns."""
    arm = rotate(load_quaternion(shapes, TURN, shape), 2.0, load_vector(shapes, PIVOT, shape))
    return add(load_vector(shapes, PLACE, shape), arm)
