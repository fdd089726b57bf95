"""Points of contacts as they are stored for the step of islands."""

from math import sqrt

from ..compilation.compiler import inlined
from ..constraints.joint_types import load, store
from ..constraints.layout import (
    BY_BODY,
    BY_OTHER,
    BY_WORLD,
    CARRIED_ARM,
    CARRIED_AT,
    CARRIED_ROUND,
    CORE,
    FRICTION_COEFFICIENT,
    IS_CARRIED,
    NORMAL,
    OTHER_CORE,
    OTHER_ROUNDING,
    OWNER,
    ROUNDING,
    TANGENT,
    TOUCH_SIZE,
)
from ..constraints.layout import RESTITUTION as RESTITUTION_OF_POINT
from ..constraints.points import across, carried
from ..kernels.quaternions import rotate, rotate_inverse
from ..kernels.vectors import add, subtract
from ..loops.columns import Array, load_quaternion, load_vector
from ..loops.layout import ORIENTATION, POSITION
from .layout import (
    BODY,
    FIRST_RADIUS,
    FRICTION,
    ON_FIRST,
    ON_SECOND,
    RESTITUTION,
    SECOND_RADIUS,
    SHAPE_SPIN,
    SHAPE_VELOCITY,
    TO_FIRST,
    TURNS_WITH,
)
from .poses import moves, origin_of


@inlined
def put_touching(
    bodies: Array, shapes: Array, touching: Array, point: int, found: Array, number: int, first: int, second: int
) -> None:
    """Store a point of a contact for the step of islands; the first shape belongs to a body, from whose mass centre the point is given."""
    body, other = int(shapes[BODY, first]), int(shapes[BODY, second])
    for entry in range(TOUCH_SIZE):
        touching[point, entry] = 0.0
    q = load_quaternion(bodies, ORIENTATION, body)
    store(touching, point, CORE, rotate_inverse(q, 2.0, load(found, number, ON_FIRST)))
    at = add(load_vector(bodies, POSITION, body), load(found, number, ON_SECOND))
    normal, owner = load(found, number, TO_FIRST), int(found[number, TURNS_WITH])
    if other >= 0:
        other_q = load_quaternion(bodies, ORIENTATION, other)
        at = rotate_inverse(other_q, 2.0, subtract(at, load_vector(bodies, POSITION, other)))
    if owner == BY_BODY:
        normal = rotate_inverse(q, 2.0, normal)
    elif owner == BY_OTHER and other >= 0:
        normal = rotate_inverse(load_quaternion(bodies, ORIENTATION, other), 2.0, normal)
    elif owner == BY_OTHER and not moves(shapes, second):
        owner = BY_WORLD
    if moves(shapes, second):
        touching[point, IS_CARRIED] = 1.0
        store(touching, point, CARRIED_AT, load_vector(shapes, SHAPE_VELOCITY, second))
        store(touching, point, CARRIED_ROUND, load_vector(shapes, SHAPE_SPIN, second))
        store(touching, point, CARRIED_ARM, subtract(at, origin_of(shapes, second)))
    store(touching, point, OTHER_CORE, at)
    store(touching, point, NORMAL, normal)
    touching[point, OWNER] = float(owner)
    store(touching, point, TANGENT, across(load(found, number, TO_FIRST))[0])
    touching[point, ROUNDING], touching[point, OTHER_ROUNDING] = (
        found[number, FIRST_RADIUS],
        found[number, SECOND_RADIUS],
    )
    touching[point, FRICTION_COEFFICIENT] = sqrt(float(shapes[FRICTION, first]) * float(shapes[FRICTION, second]))
    touching[point, RESTITUTION_OF_POINT] = max(float(shapes[RESTITUTION, first]), float(shapes[RESTITUTION, second]))


@inlined
def carry(touching: Array, point: int, time: float) -> None:
    """Move the core of a point, and a normal that turns with it, with the shape of the world that carries it for a time."""
    moved, arm, turn = carried(touching, point, time)
    store(touching, point, OTHER_CORE, add(load(touching, point, OTHER_CORE), moved))
    store(touching, point, CARRIED_ARM, arm)
    if int(touching[point, OWNER]) == BY_OTHER:
        store(touching, point, NORMAL, rotate(turn, 2.0, load(touching, point, NORMAL)))
