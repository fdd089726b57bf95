"""The boxes that shapes may reach in a tick, and the speeds at which they may close."""

from math import sqrt

from ..compilation.compiler import inlined
from ..constraints.joint_types import store
from ..kernels.quaternions import rotate
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, subtract
from ..loops.columns import Array, Integers, load_vector
from ..loops.layout import ANGULAR_VELOCITY, INVERSE_MASS, POSITION, VELOCITY, WRENCH
from .layout import (
    BODY,
    CAPSULE,
    CENTER,
    CYLINDER,
    ENABLED,
    HIGH,
    LEAST_HALF,
    LOW,
    MESH,
    PIVOT,
    PLANE,
    REACH,
    SHAPE_SPIN,
    SHAPE_VELOCITY,
    SIZES,
    SPHERE,
    TYPE,
)
from .poses import axes_of, moves, origin_of, pose_of

MARGIN_OF_SIZE = 0.01
"""Share of the lesser half extent by which shapes may be apart to be compared, beside what they may move in the tick."""
_EVERYWHERE = 1e300


@inlined
def drift_velocity(bodies: Array, body: int, dt: float) -> Vector:
    """The velocity with which a body moves in the tick if nothing touches it: after half a kick by its held force.

    Forces that depend on its state, and those of its joints, are not known before the tick.
    """
    kick = 0.5 * dt * float(bodies[INVERSE_MASS, body])
    return add_scaled(load_vector(bodies, VELOCITY, body), kick, load_vector(bodies, WRENCH, body))


@inlined
def bound_shape(bodies: Array, shapes: Array, bounds: Array, owners: Integers, shape: int, dt: float) -> None:
    """Find the box that a shape may reach in the tick."""
    body, kind = int(shapes[BODY, shape]), int(shapes[TYPE, shape])
    center, q = pose_of(bodies, shapes, shape)
    x, y, z = load_vector(shapes, SIZES, shape)
    store(bounds, shape, CENTER, center)
    owners[shape] = body
    if kind == SPHERE:
        extent, least, size = (x, x, x), x, x
    elif kind == PLANE:
        extent, least, size = (_EVERYWHERE, _EVERYWHERE, _EVERYWHERE), _EVERYWHERE, 0.0
    elif kind == CAPSULE:
        axis = rotate(q, 2.0, (0.0, 0.0, z))
        extent, least, size = (x + abs(axis[0]), x + abs(axis[1]), x + abs(axis[2])), x, x + z
    elif kind == CYLINDER:
        axis = rotate(q, 2.0, (0.0, 0.0, 1.0))
        extent = (_round(axis[0], x, z), _round(axis[1], x, z), _round(axis[2], x, z))
        least, size = min(x, z), sqrt(x * x + z * z)
    else:
        one, two, three = axes_of(q)
        extent = (
            x * abs(one[0]) + y * abs(two[0]) + z * abs(three[0]),
            x * abs(one[1]) + y * abs(two[1]) + z * abs(three[1]),
            x * abs(one[2]) + y * abs(two[2]) + z * abs(three[2]),
        )
        least, size = min(x, y, z), sqrt(x * x + y * y + z * z)
    if kind >= MESH:
        least = _EVERYWHERE
    reach = moved = 0.0
    if body >= 0:
        place = subtract(center, load_vector(bodies, POSITION, body))
        reach = sqrt(dot(place, place)) + size
        moved = _moves(drift_velocity(bodies, body, dt), load_vector(bodies, ANGULAR_VELOCITY, body), reach) * dt
    elif moves(shapes, shape):
        pivot = load_vector(shapes, PIVOT, shape)
        reach = far = sqrt(dot(pivot, pivot)) + size
        moved = _moves(load_vector(shapes, SHAPE_VELOCITY, shape), load_vector(shapes, SHAPE_SPIN, shape), far) * dt
    bounds[shape, REACH], bounds[shape, LEAST_HALF] = reach, least
    moved += MARGIN_OF_SIZE * least if kind < MESH else 0.0
    for entry in range(3):
        bounds[shape, LOW + entry] = center[entry] - extent[entry] - moved
        bounds[shape, HIGH + entry] = center[entry] + extent[entry] + moved
    if shapes[ENABLED, shape] == 0.0:
        bounds[shape, LOW], bounds[shape, HIGH] = 1.0, -1.0


@inlined
def _round(along: float, radius: float, half: float) -> float:
    """Half the length of a cylinder along an axis of the world, given the component of its own axis."""
    return half * abs(along) + radius * sqrt(max(1.0 - along * along, 0.0))


@inlined
def _moves(velocity: Vector, rates: Vector, reach: float) -> float:
    """A speed that no point within reach of the origin exceeds, given the velocity there."""
    return sqrt(dot(velocity, velocity)) + reach * sqrt(dot(rates, rates))


@inlined
def closing_speed(bodies: Array, shapes: Array, bounds: Array, first: int, second: int, dt: float) -> float:
    """A relative speed that no points of a shape of a body and of another shape exceed where these are near each other."""
    body, other = int(shapes[BODY, first]), int(shapes[BODY, second])
    reach, other_reach = float(bounds[first, REACH]), float(bounds[second, REACH])
    rates = load_vector(bodies, ANGULAR_VELOCITY, body)
    velocity, spin = drift_velocity(bodies, body, dt), reach * sqrt(dot(rates, rates))
    if other >= 0:
        rates = load_vector(bodies, ANGULAR_VELOCITY, other)
        velocity = subtract(velocity, drift_velocity(bodies, other, dt))
        spin += other_reach * sqrt(dot(rates, rates))
    elif moves(shapes, second):
        rates = load_vector(shapes, SHAPE_SPIN, second)
        at = subtract(load_vector(bodies, POSITION, body), origin_of(shapes, second))
        velocity = subtract(velocity, add(load_vector(shapes, SHAPE_VELOCITY, second), cross(rates, at)))
        spin += reach * sqrt(dot(rates, rates))
    return sqrt(dot(velocity, velocity)) + spin
