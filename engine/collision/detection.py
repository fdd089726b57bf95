"""The contacts of a tick: shapes that may touch in it, their points, and what is known of these from the last tick.

Shapes whose boxes overlap are compared, with the boxes that they may reach in the tick. Everything is in the order of pairs of rows of the
table of shapes, so that contacts do not depend on how they were found.
"""

from math import sqrt
from typing import Any

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
    CORE,
    FIRST_POSITIONS,
    FRICTION_COEFFICIENT,
    IS_CARRIED,
    NORMAL,
    OTHER_CORE,
    OTHER_ROUNDING,
    OWNER,
    PUSHED_BEFORE,
    ROUNDING,
    TANGENT,
    TOUCH_SIZE,
)
from ..constraints.layout import RESTITUTION as RESTITUTION_OF_POINT
from ..constraints.points import across
from ..kernels.quaternions import rotate_inverse
from ..kernels.vectors import add, dot, subtract
from ..loops.columns import Array, Integers, load_quaternion, load_vector
from ..loops.layout import FROZEN, ORIENTATION, POSITION
from .bounds import MARGIN_OF_SIZE, bound_shape, closing_speed
from .found import deepest_of
from .impact import forget_impacts, is_fast, is_held
from .keeping import is_less, known_pair
from .layout import (
    APART_BY,
    AT,
    AT_OTHER,
    BODY,
    CAPSULE,
    CLOSING,
    COLLIDES_WITH,
    CONTACTS,
    DEEP,
    DEEP_IN,
    DIRECT,
    EXCLUDED,
    FIRST_OF,
    FIRST_RADIUS,
    FIRST_SOLVES,
    FRICTION,
    FULL,
    GROUND,
    GROUP,
    IMPACT,
    IS_NEW,
    LAYER,
    LEAST_HALF,
    MESH,
    NEAR,
    NUMBER,
    ON_FIRST,
    ON_SECOND,
    PAIRS,
    PART_OF,
    POINTS,
    PUSH_WORLD,
    RESTITUTION,
    SECOND_OF,
    SECOND_RADIUS,
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
    TO_BE_CHECKED,
    TO_FIRST,
    TOUCH,
    TURNS_WITH,
    TYPE,
)
from .pairs import Scene, Tools
from .poses import moves, origin_of
from .terrain import Ground

MATCHED_OF_SIZE = 0.1
"""Share of the least half extent by which a point may have moved since the last tick and be the same."""
DEEPEST_OF_SIZE = 1.0
"""Depth, as a share of the least half extent, up to which a shape may be placed in another one."""

Tables = tuple[Array, Array, Array, Integers]
"""The bodies, the shapes, and the contacts of the last tick with their number."""
Lists = tuple[Integers, Array, Integers, Integers]
"""Which points of the last tick were found again; the points and the contacts of this one; and the counts."""


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
def _put_point(
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
def _match(
    touching: Array,
    point: int,
    taken: Integers,
    contacts: Array,
    first_known: int,
    last_known: int,
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

    Packed are the tables; the arrays of the search for pairs, which are the boxes of shapes, those of `near_pairs`, the pairs, those that
    never collide, and where the points of shapes are; the arrays of the comparison of pairs, which are those of `part_cores` and of
    terrains, the bodies at the time of an impact, the first impacts of bodies, the points of a pair, and polygons; the lists of what was
    found; the addresses of kernels, with the arguments of that which numbers islands; how much room the arrays of islands have; the numbers
    of springs and forces at points on them; the steps that have been taken of the tick if it is divided; and the length of a tick or step.
    """
    tables, search, comparison, lists, calls, numbered, room, pulled, steps, dt = unpack(packed)
    bodies, shapes, contacts, known_count = tables
    bounds, near, pairs, excluded, forms = search
    narrow, terrain, ahead, impacts, found, polygon = comparison
    taken, touching, touches, counts = lists
    for shape in range(counts[SHAPES]):
        near[1][shape] = int(shapes[GROUP, shape])
        bound_shape(bodies, shapes, bounds, near[0], shape, dt)
    counts[PAIRS] = call(calls[NEAR], (bounds, *near, pairs, counts[SHAPES]))
    if counts[PAIRS] < 0:
        return _short(counts, SHORT_OF_PAIRS)
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
        seen, meets_ahead = bodies, _meets_ahead(bodies, shapes, bounds, impacts, first, second, dt)
        if meets_ahead:
            if ahead.shape[0] < bodies.shape[0]:
                return _short(counts, SHORT_OF_IMPACTS)
            moved = ((bodies, shapes, forms), bounds, ahead, impacts, narrow, calls, first, second, dt)
            if call(calls[IMPACT], moved) == 0:
                continue
            seen = ahead
        least = min(float(bounds[first, LEAST_HALF]), float(bounds[second, LEAST_HALF]))
        margin = closing_speed(bodies, shapes, bounds, first, second) * dt + MARGIN_OF_SIZE * least
        scene, tools = (seen, shapes, forms), (narrow, found, polygon, calls)
        count = _touch(scene, tools, terrain, first, second, margin, least, dt)
        if count == 0:
            continue
        is_sensed = _is_sensed(shapes, first, second)
        if not is_sensed and _is_too_deep(shapes, found, counts, count, first, second, least):
            return FULL
        if meets_ahead:
            _keep_normals(found, count)
        if contact + sensed == touches.shape[1] or point + sensed + count > touching.shape[0]:
            return _short(counts, SHORT_OF_POINTS)
        if is_sensed:
            sensed += 1
            at, last = touches.shape[1] - sensed, touching.shape[0] - sensed
            _begin_contact(shapes, touches, at, first, second, last)
            touches[POINTS_OF_CONTACT, at] = 1
            _put_point(bodies, shapes, touching, last, found, deepest_of(found, count), first, second)
            continue
        known, last_known = _known_points(contacts, known_count[0], known, (pairs[number, 2], pairs[number, 3]))
        kept = contacts, known, last_known, MATCHED_OF_SIZE * least, steps[0] > 0
        contact = _list_points(seen, shapes, lists, found, count, first, second, kept, contact, point, sensed)
        if contact < 0:
            return _short(counts, SHORT_OF_POINTS)
        point += count
    counts[POINTS], counts[CONTACTS], counts[SENSED] = point, contact, sensed
    return _number(counts, calls, numbered, room, pulled)


@inlined
def _short(counts: Integers, what: int) -> int:
    """Note what was too short."""
    counts[SHORT] = what
    return FULL


@inlined
def _meets_ahead(
    bodies: Array, shapes: Array, bounds: Array, impacts: Array, first: int, second: int, dt: float
) -> bool:
    """Whether two shapes are compared at the time of their impact, because one of them is fast; terrain looks ahead by itself."""
    body, other = int(shapes[BODY, first]), int(shapes[BODY, second])
    one, two = is_fast(bodies, bounds, first, body, dt), is_fast(bodies, bounds, second, other, dt)
    if not (one or two) or (one and is_held(impacts, body)) or (two and is_held(impacts, other)):
        return False
    return shapes[TYPE, second] < MESH and not _is_sensed(shapes, first, second) and not moves(shapes, second)


@inlined
def _is_sensed(shapes: Array, first: int, second: int) -> bool:
    """Whether one of two shapes is a sensor."""
    return shapes[SENSOR, first] != 0.0 or shapes[SENSOR, second] != 0.0


@inlined
def _touch(
    scene: Scene,
    tools: Tools,
    terrain: Ground,
    first: int,
    second: int,
    margin: float,
    least: float,
    dt: float,
) -> int:
    """Find the points at which two shapes are nearer than a margin, by the kernel for their types; from the mass centre of the first."""
    bodies, shapes, _forms = scene
    base = load_vector(bodies, POSITION, int(shapes[BODY, first]))
    if shapes[TYPE, second] >= MESH:
        return call(tools[3][GROUND], (scene, tools, terrain, base, first, second, margin, least, dt))
    has_core = shapes[TYPE, first] >= CAPSULE or shapes[TYPE, second] >= CAPSULE
    return call(tools[3][TOUCH if has_core else DIRECT], (scene, tools, base, first, second, margin, least))


@inlined
def _is_too_deep(
    shapes: Array, found: Array, counts: Integers, count: int, first: int, second: int, least: float
) -> bool:
    """Whether two shapes, one of which is new, were placed too deep in one another, which is noted."""
    deepest = deepest_of(found, count)
    # the larger one counts: either may allow it
    is_checked = max(shapes[IS_NEW, first], shapes[IS_NEW, second]) == TO_BE_CHECKED
    if not (is_checked and found[deepest, APART_BY] < -DEEPEST_OF_SIZE * least):
        return False
    counts[SHORT], counts[DEEP], counts[DEEP_IN] = SHORT_OF_SPACE, first, second
    found[0, APART_BY] = found[deepest, APART_BY]
    return True


@inlined
def _keep_normals(found: Array, count: int) -> None:
    """Let normals between round sides stand still: once the sides have passed each other in the tick, they would be apart again."""
    for each in range(count):
        if int(found[each, TURNS_WITH]) == BY_CORES:
            found[each, TURNS_WITH] = float(BY_WORLD)


@inlined
def _known_points(contacts: Array, count: int, known: int, pair: tuple[int, int]) -> tuple[int, int]:
    """The points of a pair of shapes among those of the last tick, searched from a place on: the first, and one after the last."""
    while known < count and is_less(known_pair(contacts, known), pair):
        known += 1
    last = known
    while last < count and not is_less(pair, known_pair(contacts, last)):
        last += 1
    return known, last


@inlined
def _begin_contact(shapes: Array, touches: Integers, contact: int, first: int, second: int, point: int) -> None:
    """Enter a contact of two shapes, which has no points yet, into the list."""
    touches[TOUCHING_BODY, contact], touches[TOUCHED_BODY, contact] = (
        int(shapes[BODY, first]),
        int(shapes[BODY, second]),
    )
    touches[POINTS_FROM, contact], touches[POINTS_OF_CONTACT, contact] = point, 0
    touches[FIRST_OF, contact], touches[SECOND_OF, contact] = first, second


@inlined
def _list_points(
    bodies: Array,
    shapes: Array,
    lists: Lists,
    found: Array,
    count: int,
    first: int,
    second: int,
    kept: tuple[Array, int, int, float, bool],
    contact: int,
    point: int,
    sensed: int,
) -> int:
    """Enter the points of a pair into the lists, with the arguments of `_match`; the number of contacts then, or -1 for no room."""
    taken, touching, touches, _counts = lists
    for each in range(count):
        if each == 0 or found[each, PART_OF] != found[each - 1, PART_OF]:
            if contact + sensed == touches.shape[1]:
                return -1
            _begin_contact(shapes, touches, contact, first, second, point + each)
            contact += 1
        touches[POINTS_OF_CONTACT, contact - 1] += 1
        _put_point(bodies, shapes, touching, point + each, found, each, first, second)
        _match(touching, point + each, taken, *kept)
    return contact


@inlined
def _number(counts: Integers, calls: Integers, numbered: tuple[Any, ...], room: Integers, pulled: Integers) -> int:
    """Number the islands of the contacts and joints; `FULL` if there is no room for them."""
    numbered[5][4] = counts[CONTACTS]
    if call(calls[NUMBER], numbered) != 0:
        return _short(counts, SHORT_OF_STRUCTURES)
    sizes = numbered[20]
    for number in range(STRUCTURES):
        if sizes[number] > room[number]:
            return _short(counts, SHORT_OF_ROOM)
    pulled[0], pulled[1] = sizes[SPRING_COUNT], sizes[POINT_COUNT]
    return 1
