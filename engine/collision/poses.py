"""Where shapes are at the start of a tick, and how they move in it."""

from ..compilation.compiler import inlined
from ..constraints.joint_types import Axes
from ..kernels.quaternions import Quaternion, from_rotation_vector, multiply, normalize, rotate
from ..kernels.vectors import Vector, add, add_scaled, cross, scale, subtract
from ..loops.columns import Array, load_quaternion, load_vector, store_quaternion, store_vector
from ..loops.layout import ANGULAR_VELOCITY, CENTER_OF_MASS, ORIENTATION, POSITION, VELOCITY
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
def move_shape(shapes: Array, target: Array, shape: int, time: float) -> None:
    """Move a shape of the world: its origin along a line, and round that by a constant angular velocity."""
    pivot, origin = load_vector(shapes, PIVOT, shape), origin_of(shapes, shape)
    turn = from_rotation_vector(scale(time, load_vector(shapes, SHAPE_SPIN, shape)))
    q = normalize(multiply(turn, load_quaternion(shapes, TURN, shape)))
    origin = add_scaled(origin, time, load_vector(shapes, SHAPE_VELOCITY, shape))
    store_vector(target, PLACE, shape, subtract(origin, rotate(q, 2.0, pivot)))
    store_quaternion(target, TURN, shape, q)


@inlined
def motion_at(bodies: Array, shapes: Array, shape: int, at: Vector) -> tuple[Vector, Vector]:
    """The velocity with which the body of a shape, or a shape of the world, passes a point, and its angular velocity, world frame."""
    body = int(shapes[BODY, shape])
    if body >= 0:
        spin = rotate(load_quaternion(bodies, ORIENTATION, body), 2.0, load_vector(bodies, ANGULAR_VELOCITY, body))
        velocity, center = load_vector(bodies, VELOCITY, body), load_vector(bodies, POSITION, body)
        return add(velocity, cross(spin, subtract(at, center))), spin
    if not moves(shapes, shape):
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    spin = load_vector(shapes, SHAPE_SPIN, shape)
    return add(load_vector(shapes, SHAPE_VELOCITY, shape), cross(spin, subtract(at, origin_of(shapes, shape)))), spin


@inlined
def origin_of(shapes: Array, shape: int) -> Vector:
    """The point about which a shape of the world turns."""
    arm = rotate(load_quaternion(shapes, TURN, shape), 2.0, load_vector(shapes, PIVOT, shape))
    return add(load_vector(shapes, PLACE, shape), arm)
