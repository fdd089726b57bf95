"""The contacts of a tick: shapes that may touch in it, their points, and what is known of these from the last tick.

Shapes whose boxes overlap are compared, with the boxes that they may reach in the tick. Everything is in the order of pairs of rows of the
table of shapes, so that contacts do not depend on how they were found.
"""

from math import sqrt

from ..compilation.compiler import call, inlined, kernel
from ..compilation.packed import Packed, unpack
from ..constraints.graph import (
    POINT_COUNT,
    POINTS_FROM,
    POINTS_OF_CONTACT,
    SPRING_COUNT,
    STRUCTURES,
    TOUCHED_BODY,
    TOUCHING_BODY,
)
from ..constraints.joint_types import load, store
from ..constraints.layout import (
    BY_BODY,
    BY_CORES,
    BY_OTHER,
    BY_WORLD,
    CARRIED_ARM,
    CARRIED_AT,
    CARRIED_ROUND,
    CLOSED_BEFORE,
    CLOSING_SPEED,
    CORE,
    FIRST_POSITIONS,
    FRICTION_COEFFICIENT,
    IS_CARRIED,
    NORMAL,
    OTHER_CORE,
    OTHER_ROUNDING,
    OWNER,
    PUSHED,
    PUSHED_BEFORE,
    PUSHED_LAST,
    ROUNDING,
    SOLVED_BY,
    TANGENT,
    TOUCH_SIZE,
)
from ..constraints.layout import RESTITUTION as RESTITUTION_OF_POINT
from ..constraints.points import across, carried
from ..kernels.quaternions import Quaternion, from_rotation_vector, multiply, normalize, rotate, rotate_inverse
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, load_quaternion, load_vector, store_quaternion, store_vector
from ..loops.layout import ANGULAR_VELOCITY, FROZEN, ORIENTATION, POSITION, VELOCITY
from .boxes import fewer, touch_boxes, touch_corners
from .impact import IMPACT, forget_impacts, is_fast, is_held
from .layout import (
    APART_BY,
    AT,
    AT_OTHER,
    BODY,
    BOX,
    CAPSULE,
    CENTER,
    CLOSING,
    COLLIDES_WITH,
    CONTACT_ROWS,
    CONTACTS,
    CYLINDER,
    DEEP,
    DEEP_IN,
    ENABLED,
    EXCLUDED,
    FIRST_OF,
    FIRST_RADIUS,
    FIRST_SHAPE,
    FIRST_SOLVES,
    FRICTION,
    GAP,
    GROUP,
    HAS_BEEN,
    HIGH,
    IS_NEW,
    LAYER,
    LEAST_HALF,
    LOW,
    MESH,
    MOST_POINTS,
    NORMAL_WORLD,
    ON_FIRST,
    ON_SECOND,
    PAIRS,
    PART_OF,
    PIVOT,
    PLACE,
    PLANE,
    POINT_WORLD,
    POINTS,
    PUSH_WORLD,
    REACH,
    RESTITUTION,
    SECOND_OF,
    SECOND_RADIUS,
    SECOND_SHAPE,
    SENSED,
    SENSOR,
    SHAPE_SPIN,
    SHAPE_VELOCITY,
    SHAPES,
    SHORT,
    SHORT_OF_IMPACTS,
    SHORT_OF_PAIRS,
    SHORT_OF_POINTS,
    SHORT_OF_ROOM,
    SHORT_OF_SPACE,
    SHORT_OF_STRUCTURES,
    SIZES,
    SOLVER,
    SPHERE,
    TO_BE_CHECKED,
    TO_FIRST,
    TURN,
    TURNS_WITH,
    TYPE,
)
from .poses import axes_of, moves, origin_of, pose_of
from .spheres import touch_plane, touch_sphere_box, touch_spheres
from .terrain import GROUND

MARGIN_OF_SIZE = 0.01
"""Share of the lesser half extent by which shapes may be apart to be compared, beside what they may move in the tick."""
MATCHED_OF_SIZE = 0.1
"""Share of the least half extent by which a point may have moved since the last tick and be the same."""
DEEPEST_OF_SIZE = 1.0
"""Depth, as a share of the least half extent, up to which a shape may be placed in another one."""
FULL = -77
"""What the operation returns if an array is too short, or shapes were placed too deep in one another; nothing was changed."""

_EVERYWHERE = 1e300
NUMBER, NEAR, TOUCH = 4, 5, 6
"""The places of the kernels that number islands, find pairs of shapes and compare cores, among the addresses of the kernels around islands,
after those of `step`."""


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
        moved = _moves(load_vector(bodies, VELOCITY, body), load_vector(bodies, ANGULAR_VELOCITY, body), reach) * dt
    elif moves(shapes, shape):
        pivot = load_vector(shapes, PIVOT, shape)
        far = sqrt(dot(pivot, pivot)) + size
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
def _closes(
    bodies: Array, shapes: Array, first: int, second: int, body: int, other: int, reach: float, other_reach: float
) -> float:
    """A relative speed that no points of a body and of another body or a shape of the world exceed where these are near each other."""
    rates = load_vector(bodies, ANGULAR_VELOCITY, body)
    velocity, spin = load_vector(bodies, VELOCITY, body), reach * sqrt(dot(rates, rates))
    if other >= 0:
        rates = load_vector(bodies, ANGULAR_VELOCITY, other)
        velocity = subtract(velocity, load_vector(bodies, VELOCITY, other))
        spin += other_reach * sqrt(dot(rates, rates))
    elif moves(shapes, second):
        rates = load_vector(shapes, SHAPE_SPIN, second)
        at = subtract(load_vector(bodies, POSITION, body), origin_of(shapes, second))
        velocity = subtract(velocity, add(load_vector(shapes, SHAPE_VELOCITY, second), cross(rates, at)))
        spin += reach * sqrt(dot(rates, rates))
    return sqrt(dot(velocity, velocity)) + spin


@inlined
def _has_layer(shapes: Array, shape: int, layer: int) -> bool:
    """Whether a shape collides with a layer."""
    bits = int(shapes[COLLIDES_WITH + layer // 32, shape])
    return (bits >> (layer % 32)) & 1 == 1


@inlined
def _may_collide(bodies: Array, shapes: Array, excluded: Integers, excluded_count: int, shape: int, other: int) -> bool:
    """Whether two shapes collide if they are near."""
    body, other_body = int(shapes[BODY, shape]), int(shapes[BODY, other])
    if body == other_body:
        return False
    if (body >= 0 and bodies[FROZEN, body] != 0.0) or (other_body >= 0 and bodies[FROZEN, other_body] != 0.0):
        return False
    if not _has_layer(shapes, shape, int(shapes[LAYER, other])) or not _has_layer(
        shapes, other, int(shapes[LAYER, shape])
    ):
        return False
    low, high = min(body, other_body), max(body, other_body)
    first, last = 0, excluded_count
    while first < last:
        middle = (first + last) // 2
        a, b = excluded[middle, 0], excluded[middle, 1]
        if a == low and b == high:
            return False
        if a < low or (a == low and b < high):
            first = middle + 1
        else:
            last = middle
    return True


@inlined
def _exchange(found: Array, count: int) -> None:
    """Exchange the two shapes of points."""
    for number in range(count):
        first, second = load(found, number, ON_FIRST), load(found, number, ON_SECOND)
        store(found, number, ON_FIRST, second)
        store(found, number, ON_SECOND, first)
        store(found, number, TO_FIRST, scale(-1.0, load(found, number, TO_FIRST)))
        radius = found[number, FIRST_RADIUS]
        found[number, FIRST_RADIUS], found[number, SECOND_RADIUS] = found[number, SECOND_RADIUS], radius
        turns_with = int(found[number, TURNS_WITH])
        if turns_with != BY_CORES:
            found[number, TURNS_WITH] = float(BY_OTHER if turns_with == BY_BODY else BY_BODY)


@inlined
def _touch(
    bodies: Array, shapes: Array, found: Array, polygon: Array, base: Vector, first: int, second: int, margin: float
) -> int:
    """Points at which two spheres, boxes or planes are nearer than a margin, relative to a base; at most four."""
    kind, other_kind = int(shapes[TYPE, first]), int(shapes[TYPE, second])
    is_exchanged = kind > other_kind
    a, b = (second, first) if is_exchanged else (first, second)
    kind, other_kind = int(shapes[TYPE, a]), int(shapes[TYPE, b])
    (center, q), (other_center, other_q) = pose_of(bodies, shapes, a), pose_of(bodies, shapes, b)
    center, other_center = subtract(center, base), subtract(other_center, base)
    half, other_half = load_vector(shapes, SIZES, a), load_vector(shapes, SIZES, b)
    axes, other_axes = axes_of(q), axes_of(other_q)
    count = 0
    if kind == SPHERE and other_kind == SPHERE:
        count = touch_spheres(found, center, half[0], other_center, other_half[0], margin)
    elif kind == SPHERE and other_kind == BOX:
        count = touch_sphere_box(found, center, half[0], other_center, other_axes, other_half, margin)
    elif kind == SPHERE and other_kind == PLANE:
        count = touch_plane(found, center, half[0], other_center, other_axes[2], margin)
    elif kind == BOX and other_kind == BOX:
        count = touch_boxes(found, polygon, center, axes, half, other_center, other_axes, other_half, margin)
    elif kind == BOX and other_kind == PLANE:
        count = touch_corners(found, center, axes, half, other_center, other_axes[2], margin)
    if is_exchanged:
        _exchange(found, count)
    return fewer(found, count, MOST_POINTS)


@inlined
def _put_point(
    bodies: Array,
    shapes: Array,
    touching: Array,
    found: Array,
    number: int,
    point: int,
    base: Vector,
    first: int,
    second: int,
) -> None:
    """Store a point of a contact for the step of islands; the first shape belongs to a body."""
    body, other = int(shapes[BODY, first]), int(shapes[BODY, second])
    for entry in range(TOUCH_SIZE):
        touching[point, entry] = 0.0
    q = load_quaternion(bodies, ORIENTATION, body)
    store(touching, point, CORE, rotate_inverse(q, 2.0, load(found, number, ON_FIRST)))
    at, normal, owner = (
        add(base, load(found, number, ON_SECOND)),
        load(found, number, TO_FIRST),
        int(found[number, TURNS_WITH]),
    )
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
def _match(
    contacts: Array,
    taken: Integers,
    touching: Array,
    first_known: int,
    last_known: int,
    point: int,
    near: float,
    is_same_tick: bool,
) -> None:
    """Take over the impulses of the nearest point of the last step between the same shapes, each of which serves once."""
    best, least = -1, near * near
    for known in range(first_known, last_known):
        if taken[known] == 0:
            apart = subtract(load(touching, point, CORE), load_vector(contacts, AT, known))
            other = subtract(load(touching, point, OTHER_CORE), load_vector(contacts, AT_OTHER, known))
            distance = min(dot(apart, apart), dot(other, other))
            if distance < least:
                best, least = known, distance
    if best >= 0:
        taken[best] = 1
        for entry in range(6):
            touching[point, FIRST_POSITIONS + entry] = contacts[FIRST_SOLVES + entry, best]
        if is_same_tick:
            store(touching, point, PUSHED_BEFORE, load_vector(contacts, PUSH_WORLD, best))
            touching[point, CLOSED_BEFORE] = contacts[CLOSING, best]


@kernel("find-contacts")
def find_contacts(packed: Packed, operand: int, ticks_left: int) -> int:
    """Find the contacts of the tick that starts, and number the islands that they and joints make; `FULL` if an array is too short.

    Packed are the bodies, the shapes, the contacts of the last tick with their number, the arrays of detection with those of the search for
    pairs and those of the comparison of cores and of terrains, the bodies at the time of an impact with the first impacts of bodies, the
    addresses of the kernels that are called, with the arguments of that which numbers islands, how much room the arrays of islands have,
    the numbers of springs and forces at points on them, the steps that have been taken of the tick if it is divided, and the length of a
    tick or step [s].
    """
    (
        bodies,
        shapes,
        contacts,
        known_count,
        bounds,
        near,
        pairs,
        excluded,
        forms,
        narrow,
        terrain,
        ahead,
        impacts,
        found,
        polygon,
        taken,
        touching,
        touches,
        counts,
        calls,
        numbered,
        room,
        pulled,
        steps,
        dt,
    ) = unpack(packed)
    for shape in range(counts[SHAPES]):
        near[1][shape] = int(shapes[GROUP, shape])
        bound_shape(bodies, shapes, bounds, near[0], shape, dt)
    counts[PAIRS] = call(calls[NEAR], (bounds, *near, pairs, counts[SHAPES]))
    if counts[PAIRS] < 0:
        counts[SHORT] = SHORT_OF_PAIRS
        return FULL
    forget_impacts(impacts, numbered[0], numbered[5][0])
    for known in range(known_count[0]):
        taken[known] = 0
    point = contact = known = sensed = 0
    for number in range(counts[PAIRS]):
        first, second = pairs[number, 2], pairs[number, 3]
        if not _may_collide(bodies, shapes, excluded, counts[EXCLUDED], first, second):
            continue
        if int(shapes[BODY, first]) < 0:
            first, second = second, first
        body, other = int(shapes[BODY, first]), int(shapes[BODY, second])
        least = min(float(bounds[first, LEAST_HALF]), float(bounds[second, LEAST_HALF]))
        reaches = float(bounds[first, REACH]), float(bounds[second, REACH])
        closes = _closes(bodies, shapes, first, second, body, other, *reaches)
        margin = closes * dt + MARGIN_OF_SIZE * least
        seen, meets_ahead = bodies, False
        one, two = is_fast(bodies, bounds, first, body, dt), is_fast(bodies, bounds, second, other, dt)
        if (one or two) and not (one and is_held(impacts, body)) and not (two and is_held(impacts, other)):
            # terrain looks ahead by itself
            meets_ahead = shapes[TYPE, second] < MESH and not moves(shapes, second)
            meets_ahead = meets_ahead and shapes[SENSOR, first] == 0.0 and shapes[SENSOR, second] == 0.0
        if meets_ahead:
            if ahead.shape[0] < bodies.shape[0]:
                counts[SHORT] = SHORT_OF_IMPACTS
                return FULL
            moved = (bodies, shapes, bounds, ahead, impacts, forms, narrow, calls, first, second, dt)
            if call(calls[IMPACT], moved) == 0:
                continue
            seen = ahead
        base = load_vector(seen, POSITION, body)
        if shapes[TYPE, second] >= MESH:
            grounded = (*base, first, second, margin, least, dt)
            count = call(calls[GROUND], (bodies, shapes, forms, narrow, *terrain, found, polygon, calls, *grounded))
        elif shapes[TYPE, first] >= CAPSULE or shapes[TYPE, second] >= CAPSULE:
            placed = (*base, first, second, margin, least)
            count = call(calls[TOUCH], (seen, shapes, forms, narrow, found, polygon, calls, *placed))
        else:
            count = _touch(seen, shapes, found, polygon, base, first, second, margin)
        if count == 0:
            continue
        deepest = 0
        for each in range(1, count):
            if found[each, APART_BY] < found[deepest, APART_BY]:
                deepest = each
        is_sensed = shapes[SENSOR, first] != 0.0 or shapes[SENSOR, second] != 0.0
        # the larger one counts: either may allow it
        is_checked = max(shapes[IS_NEW, first], shapes[IS_NEW, second]) == TO_BE_CHECKED
        if is_checked and not is_sensed and found[deepest, APART_BY] < -DEEPEST_OF_SIZE * least:
            counts[SHORT], counts[DEEP], counts[DEEP_IN] = SHORT_OF_SPACE, first, second
            found[0, APART_BY] = found[deepest, APART_BY]
            return FULL
        if meets_ahead:
            # round sides that have passed each other at the end of the tick would be apart again
            for each in range(count):
                if int(found[each, TURNS_WITH]) == BY_CORES:
                    found[each, TURNS_WITH] = float(BY_WORLD)
        if contact + sensed == touches.shape[1] or point + sensed + count > touching.shape[0]:
            counts[SHORT] = SHORT_OF_POINTS
            return FULL
        if is_sensed:
            sensed += 1
            at, last = touches.shape[1] - sensed, touching.shape[0] - sensed
            touches[TOUCHING_BODY, at], touches[TOUCHED_BODY, at] = body, other
            touches[POINTS_FROM, at], touches[POINTS_OF_CONTACT, at] = last, 1
            touches[FIRST_OF, at], touches[SECOND_OF, at] = first, second
            _put_point(bodies, shapes, touching, found, deepest, last, base, first, second)
            continue
        pair = (pairs[number, 2], pairs[number, 3])
        while known < known_count[0] and _is_less(_known_pair(contacts, known), pair):
            known += 1
        last_known = known
        while last_known < known_count[0] and not _is_less(pair, _known_pair(contacts, last_known)):
            last_known += 1
        for each in range(count):
            if each == 0 or found[each, PART_OF] != found[each - 1, PART_OF]:
                if contact + sensed == touches.shape[1]:
                    counts[SHORT] = SHORT_OF_POINTS
                    return FULL
                touches[TOUCHING_BODY, contact], touches[TOUCHED_BODY, contact] = body, other
                touches[POINTS_FROM, contact], touches[POINTS_OF_CONTACT, contact] = point, 0
                touches[FIRST_OF, contact], touches[SECOND_OF, contact] = first, second
                contact += 1
            touches[POINTS_OF_CONTACT, contact - 1] += 1
            _put_point(seen, shapes, touching, found, each, point, base, first, second)
            _match(contacts, taken, touching, known, last_known, point, MATCHED_OF_SIZE * least, steps[0] > 0)
            point += 1
    counts[POINTS], counts[CONTACTS], counts[SENSED] = point, contact, sensed
    numbered[5][4] = contact
    if call(calls[NUMBER], numbered) != 0:
        counts[SHORT] = SHORT_OF_STRUCTURES
        return FULL
    sizes = numbered[20]
    for number in range(STRUCTURES):
        if sizes[number] > room[number]:
            counts[SHORT] = SHORT_OF_ROOM
            return FULL
    pulled[0], pulled[1] = sizes[SPRING_COUNT], sizes[POINT_COUNT]
    return 1


@inlined
def _ordered(first: int, second: int) -> tuple[int, int]:
    """Two shapes in ascending order."""
    return min(first, second), max(first, second)


@inlined
def _is_less(pair: tuple[int, int], other: tuple[int, int]) -> bool:
    return pair[0] < other[0] or (pair[0] == other[0] and pair[1] < other[1])


@inlined
def _known_pair(contacts: Array, known: int) -> tuple[int, int]:
    """The two shapes of a point of the last tick, in ascending order."""
    return _ordered(int(contacts[FIRST_SHAPE, known]), int(contacts[SECOND_SHAPE, known]))


@kernel("keep-contacts")
def keep_contacts(packed: Packed, operand: int, ticks_left: int) -> int:
    """Write the contacts of the tick into their table, move the shapes of the world, and note that shapes have taken a tick.

    Packed are the bodies, the shapes, the contacts with their number, what they were before the tick or step with their number, the arrays
    of detection, the steps that have been taken of the tick if it is divided, and the length of the tick or step [s].
    """
    bodies, shapes, contacts, known_count, kept, kept_count, taken, touching, touches, counts, steps, dt = unpack(
        packed
    )
    written = known = sensed = 0
    for contact in range(counts[CONTACTS] + 1):
        pair = (NO_SHAPE, NO_SHAPE)
        if contact < counts[CONTACTS]:
            pair = _pair_of(touches, contact)
        # between them, in the order of pairs: what sensors see, and points that have ended in this tick, which stay until it ends
        while True:
            at = touches.shape[1] - 1 - sensed
            has_ended = steps[0] > 0 and known < kept_count[0] and not _is_less(pair, _known_pair(kept, known))
            sees = sensed < counts[SENSED] and _is_less(_pair_of(touches, at), pair)
            if not (has_ended or sees) or written == contacts.shape[1]:
                break
            if sees and not (has_ended and not _is_less(_pair_of(touches, at), _known_pair(kept, known))):
                _keep_point(bodies, contacts, written, touching, touches[POINTS_FROM, at], touches, at, dt)
                sensed, written = sensed + 1, written + 1
            else:
                if taken[known] == 0 and _was_pushed(kept, known):
                    _keep_ended(contacts, written, kept, known)
                    written += 1
                known += 1
        if contact < counts[CONTACTS]:
            first = touches[POINTS_FROM, contact]
            for point in range(first, first + touches[POINTS_OF_CONTACT, contact]):
                if written == contacts.shape[1]:
                    counts[SHORT] = SHORT_OF_POINTS
                    return FULL
                _keep_point(bodies, contacts, written, touching, point, touches, contact, dt)
                written += 1
    known_count[0] = written
    for shape in range(counts[SHAPES]):
        if shapes[ENABLED, shape] != 0.0:
            shapes[IS_NEW, shape] = HAS_BEEN
        if moves(shapes, shape):
            _move_shape(shapes, shape, dt)
    return 1


@inlined
def _move_shape(shapes: Array, shape: int, dt: float) -> None:
    """Move a shape of the world over the tick: its origin along a line, and round that by a constant angular velocity."""
    pivot, origin = load_vector(shapes, PIVOT, shape), origin_of(shapes, shape)
    turn = from_rotation_vector(scale(dt, load_vector(shapes, SHAPE_SPIN, shape)))
    q = normalize(multiply(turn, load_quaternion(shapes, TURN, shape)))
    origin = add_scaled(origin, dt, load_vector(shapes, SHAPE_VELOCITY, shape))
    store_vector(shapes, PLACE, shape, subtract(origin, rotate(q, 2.0, pivot)))
    store_quaternion(shapes, TURN, shape, q)


@inlined
def _pair_of(touches: Integers, contact: int) -> tuple[int, int]:
    """The two shapes of a contact, in ascending order."""
    return _ordered(touches[FIRST_OF, contact], touches[SECOND_OF, contact])


NO_SHAPE = 1 << 52
"""A number that no row of the table of shapes has."""


@inlined
def _was_pushed(kept: Array, known: int) -> bool:
    return kept[PUSH_WORLD, known] != 0.0 or kept[PUSH_WORLD + 1, known] != 0.0 or kept[PUSH_WORLD + 2, known] != 0.0


@inlined
def _keep_ended(contacts: Array, written: int, kept: Array, known: int) -> None:
    for row in range(CONTACT_ROWS):
        contacts[row, written] = kept[row, known]
    for entry in range(6):
        contacts[FIRST_SOLVES + entry, written] = 0.0


@inlined
def _keep_point(
    bodies: Array,
    contacts: Array,
    written: int,
    touching: Array,
    point: int,
    touches: Integers,
    contact: int,
    dt: float,
) -> None:
    """Write a point of a contact into the table, as it is at the end of the tick."""
    contacts[FIRST_SHAPE, written], contacts[SECOND_SHAPE, written] = (
        touches[FIRST_OF, contact],
        touches[SECOND_OF, contact],
    )
    at_other, turn = load(touching, point, OTHER_CORE), (0.0, 0.0, 0.0, 1.0)
    if touching[point, IS_CARRIED] != 0.0:
        moved, _arm, turn = carried(touching, point, dt)
        at_other = add(at_other, moved)
    store_vector(contacts, AT, written, load(touching, point, CORE))
    store_vector(contacts, AT_OTHER, written, at_other)
    for entry in range(6):
        contacts[FIRST_SOLVES + entry, written] = touching[point, FIRST_POSITIONS + entry]
    pushed = add(load(touching, point, PUSHED), load(touching, point, PUSHED_LAST))
    store_vector(contacts, PUSH_WORLD, written, add(load(touching, point, PUSHED_BEFORE), pushed))
    contacts[CLOSING, written] = max(float(touching[point, CLOSED_BEFORE]), float(touching[point, CLOSING_SPEED]))
    contacts[SOLVER, written] = touching[point, SOLVED_BY]
    bodies_of = touches[TOUCHING_BODY, contact], touches[TOUCHED_BODY, contact]
    _show_point(bodies, contacts, written, touching, point, *bodies_of, at_other, turn)


@inlined
def _show_point(
    bodies: Array,
    contacts: Array,
    written: int,
    touching: Array,
    point: int,
    body: int,
    other: int,
    at_world: Vector,
    other_q: Quaternion,
) -> None:
    """Write where a point is at the end of the tick, given its core on a shape of the world and the turn of this in the tick."""
    q = load_quaternion(bodies, ORIENTATION, body)
    center = load_vector(bodies, POSITION, body)
    at = rotate(q, 2.0, load(touching, point, CORE))
    other_at = subtract(at_world, center)
    if other >= 0:
        other_q = load_quaternion(bodies, ORIENTATION, other)
        other_at = add(
            subtract(load_vector(bodies, POSITION, other), center),
            rotate(other_q, 2.0, load(touching, point, OTHER_CORE)),
        )
    span, normal, owner = subtract(at, other_at), load(touching, point, NORMAL), int(touching[point, OWNER])
    if owner == BY_BODY:
        normal = rotate(q, 2.0, normal)
    elif owner == BY_OTHER:
        normal = rotate(other_q, 2.0, normal)
    elif owner == BY_CORES:
        size = sqrt(dot(span, span))
        normal = scale(1.0 / size, span) if size > 0.0 else normal
    gap = dot(span, normal) - float(touching[point, ROUNDING]) - float(touching[point, OTHER_ROUNDING])
    if owner == BY_BODY:
        here = add_scaled(other_at, float(touching[point, OTHER_ROUNDING]) + 0.5 * gap, normal)
    else:
        here = add_scaled(at, -(float(touching[point, ROUNDING]) + 0.5 * gap), normal)
    store_vector(contacts, POINT_WORLD, written, add(center, here))
    store_vector(contacts, NORMAL_WORLD, written, normal)
    contacts[GAP, written] = gap
