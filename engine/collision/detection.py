"""The contacts of a tick: shapes that may touch in it, their points, and what is known of these from the last tick.

Shapes whose boxes overlap are compared, with the boxes that they may reach in the tick. Everything is in the order of pairs of rows of the
table of shapes, so that contacts do not depend on how they were found.
"""

from typing import NamedTuple

from ..compilation.compiler import call, inlined, kernel
from ..compilation.packed import Packed, unpack
from ..constraints.graph import (
    CONTACTS_COUNTED,
    JOINTS_COUNTED,
    POINT_COUNT,
    POINTS_FROM,
    POINTS_OF_CONTACT,
    SPRING_COUNT,
    STRUCTURES,
    TOUCHED_BODY,
    TOUCHING_BODY,
    Numbering,
)
from ..constraints.joint_types import load, store
from ..constraints.late import is_late
from ..constraints.layout import (
    BY_CORES,
    BY_WORLD,
    CLOSED_BEFORE,
    CORE,
    FIRST_POSITIONS,
    IMPACT_TIME,
    IS_CARRIED,
    MET_AT,
    OTHER_CORE,
    PUSHED_BEFORE,
)
from ..kernels.vectors import Vector, add_scaled, dot, subtract
from ..loops.columns import Array, Integers, IntegerTable, load_vector
from ..loops.layout import FROZEN, POSITION
from ..loops.steps import Counts, steps_taken
from .bounds import MARGIN_OF_SIZE, bound_shape, closing_speed
from .broad import Search
from .found import deepest_of
from .impact import PASSES, Advancing, forget_impacts, is_fast, is_held, strays
from .keeping import Lists, is_less, known_pair, pair_of
from .layout import (
    APART_BY,
    AT,
    AT_EDGE,
    AT_OTHER,
    BODY,
    CAPSULE,
    CLOSING,
    COLLIDES_WITH,
    COMES_IN,
    CONTACTS,
    DEEP,
    DEEP_IN,
    DIRECT,
    EXCLUDED,
    FIRST_OF,
    FIRST_RADIUS,
    FIRST_SOLVES,
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
    PLANE,
    POINTS,
    PUSH_WORLD,
    REACH,
    SEAM,
    SECOND_OF,
    SECOND_RADIUS,
    SENSED,
    SENSOR,
    SHAPES,
    SHORT,
    SHORT_OF_IMPACTS,
    SHORT_OF_PAIRS,
    SHORT_OF_POINTS,
    SHORT_OF_ROOM,
    SHORT_OF_SEAMS,
    SHORT_OF_SPACE,
    SHORT_OF_STRUCTURES,
    TO_BE_CHECKED,
    TO_FIRST,
    TOUCH,
    TURNS_WITH,
    TYPE,
)
from .pairs import Scene, Tools
from .poses import moves
from .seams import EDGE_BASE, EDGE_NORMAL, EDGE_ON_FIRST, EDGE_ON_SECOND, IS_EDGE
from .terrain import Ground
from .touching import carry, put_touching

MATCHED_OF_SIZE = 0.1
"""Share of the least half extent by which a point may have moved since the last tick and be the same."""
DEEPEST_OF_SIZE = 1.0
"""Depth, as a share of the least half extent, up to which a shape may be placed in another one."""

_PASSES_BY, _MAY_MEET, _MEETS, _COMES_IN = range(4)
"""Of two shapes of which one is fast or a sensor: they do not meet; they are compared at the start of the tick; or at their impact; or at
the start of the tick although they meet, because a sensor stops nothing."""

Tables = tuple[Array, Array, Array, Integers]
"""The bodies, the shapes, and the contacts of the last tick with their number."""


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


class Pair(NamedTuple):
    """The points at which two shapes touch."""

    found: Array
    found_count: int
    first: int
    second: int


class Finding(NamedTuple):
    """The arguments of `find_contacts`."""

    bodies: Array
    shapes: Array
    contacts: Array
    known: Integers
    """The number of points of contacts in the last tick, shape (1,)."""
    near: Packed[Search]
    """The boxes of shapes, and the pairs that are near each other."""
    excluded: IntegerTable
    """The pairs that never collide."""
    forms: IntegerTable
    """Where the points of shapes are."""
    narrow: tuple[Array, ...]
    """The arrays of `parting.part_cores`."""
    terrain: Ground
    ahead: Array
    """The bodies at the time of an impact."""
    moved: Array
    """The shapes then."""
    impacts: Array
    """The first impacts of bodies."""
    found: Array
    """The points of a pair."""
    polygon: Array
    lists: Lists
    """What was found."""
    seams: tuple[Array, Integers, Integers]
    """What is needed of points on seams."""
    calls: Integers
    """The addresses of kernels."""
    numbering: Packed[Numbering]
    room: Integers
    """How much room the arrays of islands have."""
    pulled: Integers
    """The numbers of springs and forces at points on islands."""
    counts: Counts
    dt: float
    """The length of a tick or step [s]."""


@kernel("find-contacts")
def find_contacts(packed: Packed[Finding], operand: int, ticks_left: int) -> int:
    """Find the contacts of the tick that starts, and number the islands that they and joints make; `FULL` if an array is too short."""
    finding = unpack(packed)
    bodies, shapes, forms, near = finding.bodies, finding.shapes, finding.forms, unpack(finding.near)
    narrow, ahead, moved, impacts, found = finding.narrow, finding.ahead, finding.moved, finding.impacts, finding.found
    bounds, seams, calls, dt = near.bounds, finding.seams, finding.calls, finding.dt
    _taken, touching, touches, counts = finding.lists
    _bound_shapes(bodies, shapes, near, counts[SHAPES], dt)
    counts[PAIRS] = call(calls[NEAR], (finding.near, counts[SHAPES]))
    if counts[PAIRS] < 0:
        return _short(counts, SHORT_OF_PAIRS)
    numbering = unpack(finding.numbering)
    forget_impacts(bodies, impacts, numbering.table, numbering.counts[JOINTS_COUNTED])
    point = contact = sensed = edge_count = 0
    for number in range(counts[PAIRS]):
        first, second = near.pairs[number, 2], near.pairs[number, 3]
        if not _may_collide(bodies, shapes, finding.excluded, counts[EXCLUDED], first, second):
            continue
        if int(shapes[BODY, first]) < 0:
            first, second = second, first
        least = min(float(bounds[first, LEAST_HALF]), float(bounds[second, LEAST_HALF]))
        closes = closing_speed(bodies, shapes, bounds, first, second, dt)
        margin = closes * dt + MARGIN_OF_SIZE * least
        seen, seen_shapes, is_moving = bodies, shapes, moves(shapes, second)
        met = _MAY_MEET
        if _looks_ahead(bodies, shapes, bounds, first, second, is_moving and closes * dt > least, dt):
            if ahead.shape[0] < bodies.shape[0]:
                return _short(counts, SHORT_OF_IMPACTS)
            advancing = ((bodies, shapes, forms), bounds, ahead, moved, impacts, narrow, calls)
            met = _advance(advancing, first, second, margin, least, closes * dt, dt)
        if met == _MEETS:
            seen, seen_shapes = ahead, moved if is_moving else shapes
        scene, tools = (seen, seen_shapes, forms), (narrow, found, finding.polygon, calls)
        count = 0 if met == _PASSES_BY else _touch(scene, tools, finding.terrain, first, second, margin, least, dt)
        if count == 0:
            continue
        pair, is_sensed = Pair(found, count, first, second), _is_sensed(shapes, first, second)
        if not is_sensed and _is_too_deep(shapes, found, counts, count, first, second, least):
            return FULL
        if met == _MEETS:
            _keep_normals(found, count)
        if contact + sensed == touches.shape[1] or point + sensed + count > touching.shape[0]:
            return _short(counts, SHORT_OF_POINTS)
        if is_sensed:
            sensed += 1
            _list_sensed(bodies, shapes, touching, touches, pair, sensed, int(met == _COMES_IN))
            continue
        contact = _list_points(seen, seen_shapes, finding.lists, pair, contact, point, sensed)
        if contact < 0:
            return _short(counts, SHORT_OF_POINTS)
        _carry_back(impacts, touching, point, count if met == _MEETS and is_moving else 0, int(shapes[BODY, first]))
        edge_count += _put_edges(seams[0], found, count, point, load_vector(seen, POSITION, int(shapes[BODY, first])))
        point += count
    counts[POINTS], counts[CONTACTS], counts[SENSED] = point, contact, sensed
    if edge_count > 0 and contact > 1:
        if seams[0].shape[0] < touching.shape[0]:
            return _short(counts, SHORT_OF_SEAMS)
        scene, tools = (bodies, shapes, forms), (narrow, found, finding.polygon, calls)
        _ = call(calls[SEAM], (scene, tools, finding.terrain, touching, touches, seams, counts, dt))
    _match_all(finding.contacts, finding.known[0], finding.lists, bounds, impacts, steps_taken(finding.counts) > 0)
    return _number(finding)


@inlined
def _short(counts: Integers, what: int) -> int:
    """Note what was too short."""
    counts[SHORT] = what
    return FULL


@inlined
def _bound_shapes(bodies: Array, shapes: Array, near: Search, count: int, dt: float) -> None:
    """Find the boxes and groups of shapes for the search for pairs."""
    for shape in range(count):
        near.groups[shape] = int(shapes[GROUP, shape])
        bound_shape(bodies, shapes, near.bounds, near.owners, shape, dt)


@inlined
def _list_sensed(
    bodies: Array, shapes: Array, touching: Array, touches: Integers, pair: Pair, sensed: int, comes_in: int
) -> None:
    """Enter the deepest point of a pair with a sensor at the end of the lists, and whether they begin to overlap in this tick."""
    found, count, first, second = pair
    at, last = touches.shape[1] - sensed, touching.shape[0] - sensed
    _begin_contact(shapes, touches, at, first, second, last)
    touches[POINTS_OF_CONTACT, at], touches[COMES_IN, at] = 1, comes_in
    put_touching(bodies, shapes, touching, last, found, deepest_of(found, count), first, second)


@inlined
def _looks_ahead(
    bodies: Array, shapes: Array, bounds: Array, first: int, second: int, comes_fast: bool, dt: float
) -> bool:
    """Whether the time of impact of two shapes is found, because one is fast, comes fast as a shape of the world, or is a sensor.

    To a sensor, what passes beside it may not seem to come into it.

    Terrain looks ahead by itself, and a plane that moves is met wherever it is.
    """
    body, other = int(shapes[BODY, first]), int(shapes[BODY, second])
    one, two = is_fast(bodies, bounds, first, body, dt), is_fast(bodies, bounds, second, other, dt)
    if not (one or two or comes_fast or _is_sensed(shapes, first, second)) or shapes[TYPE, second] >= MESH:
        return False
    return shapes[TYPE, second] != PLANE or not moves(shapes, second)


@inlined
def _slack(
    shapes: Array, impacts: Array, first: int, second: int, least: float, most: float, dt: float
) -> tuple[bool, float]:
    """Whether one of two shapes is on a joint, and how near these may pass and have met, which is zero for free bodies and what rests."""
    body, other = int(shapes[BODY, first]), int(shapes[BODY, second])
    if is_held(impacts, body) or is_held(impacts, other):
        return True, min(least + strays(impacts, body, dt) + strays(impacts, other, dt), most)
    return False, least if moves(shapes, second) else 0.0


@inlined
def _advance(
    advancing: Advancing, first: int, second: int, margin: float, least: float, closes: float, dt: float
) -> int:
    """Find the time of impact of two shapes; what to compare them at.

    `closes` is how far they may move relative to each other in the tick [m].
    """
    (_bodies, shapes, _forms), bounds, _ahead, _moved, impacts, _narrow, calls = advancing
    if _is_sensed(shapes, first, second):
        if call(calls[IMPACT], (advancing, first, second, 0.0, 0, dt)) == 0:
            return _PASSES_BY
        return _COMES_IN if impacts[MET_AT, int(shapes[BODY, first])] > 0.0 else _MAY_MEET
    is_joined, slack = _slack(shapes, impacts, first, second, MARGIN_OF_SIZE * least, margin, dt)
    if call(calls[IMPACT], (advancing, first, second, slack, int(not is_joined), dt)) == 1:
        return _MEETS
    if is_joined and closes <= PASSES * float(bounds[first, REACH] + bounds[second, REACH]):
        # an impact of another body may still bring it here
        return _MAY_MEET
    return _PASSES_BY


@inlined
def _carry_back(impacts: Array, touching: Array, point: int, count: int, body: int) -> None:
    """Let points be where they are at the start of the tick, from which the shape that moves carries them."""
    for each in range(count):
        carry(touching, point + each, -float(impacts[MET_AT, body]))


@inlined
def _carry_late(impacts: Array, touching: Array, touches: Integers, count: int) -> None:
    """Let points on shapes that move be where these are when the steps of their bodies start."""
    for contact in range(count if impacts.shape[1] > 0 else 0):
        body, start = touches[TOUCHING_BODY, contact], touches[POINTS_FROM, contact]
        if is_late(impacts, body):
            for point in range(start, start + touches[POINTS_OF_CONTACT, contact]):
                if touching[point, IS_CARRIED] != 0.0:
                    carry(touching, point, float(impacts[IMPACT_TIME, body]))


@inlined
def _put_edges(edges: Array, found: Array, count: int, point: int, base: Vector) -> int:
    """Keep where points are on both surfaces whose normals are not those of faces; the number of these points."""
    edge_count = 0
    for number in range(count):
        edge_count += int(found[number, AT_EDGE])
        if edges.shape[0] > 1:
            edges[point + number, IS_EDGE] = found[number, AT_EDGE]
            normal = load(found, number, TO_FIRST)
            store(edges, point + number, EDGE_BASE, base)
            store(edges, point + number, EDGE_NORMAL, normal)
            on_first = add_scaled(load(found, number, ON_FIRST), -float(found[number, FIRST_RADIUS]), normal)
            on_second = add_scaled(load(found, number, ON_SECOND), float(found[number, SECOND_RADIUS]), normal)
            store(edges, point + number, EDGE_ON_FIRST, on_first)
            store(edges, point + number, EDGE_ON_SECOND, on_second)
    return edge_count


@inlined
def _match_all(
    contacts: Array, known_count: int, lists: Lists, bounds: Array, impacts: Array, is_same_tick: bool
) -> None:
    """Let points take over the impulses of those of the last step between the same shapes; both are in the order of pairs."""
    taken, touching, touches, counts = lists
    for known in range(known_count):
        taken[known] = 0
    known = 0
    for contact in range(counts[CONTACTS]):
        pair = pair_of(touches, contact)
        known, last_known = _known_points(contacts, known_count, known, pair)
        near = MATCHED_OF_SIZE * min(float(bounds[pair[0], LEAST_HALF]), float(bounds[pair[1], LEAST_HALF]))
        start = touches[POINTS_FROM, contact]
        for point in range(start, start + touches[POINTS_OF_CONTACT, contact]):
            _match(touching, point, taken, contacts, known, last_known, near, is_same_tick)
    _carry_late(impacts, touching, touches, counts[CONTACTS])


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
    if has_core:
        return call(tools[3][TOUCH], (scene, tools, base, first, second, margin, least))
    return call(tools[3][DIRECT], (scene, tools, base, first, second, margin, least, dt))


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
def _list_points(bodies: Array, shapes: Array, lists: Lists, pair: Pair, contact: int, point: int, sensed: int) -> int:
    """Enter the points of a pair into the lists; the number of contacts then, or -1 for no room."""
    (_taken, touching, touches, _counts), (found, count, first, second) = lists, pair
    for each in range(count):
        if each == 0 or found[each, PART_OF] != found[each - 1, PART_OF]:
            if contact + sensed == touches.shape[1]:
                return -1
            _begin_contact(shapes, touches, contact, first, second, point + each)
            contact += 1
        touches[POINTS_OF_CONTACT, contact - 1] += 1
        put_touching(bodies, shapes, touching, point + each, found, each, first, second)
    return contact


@inlined
def _number(finding: Finding) -> int:
    """Number the islands of the contacts and joints; `FULL` if there is no room for them."""
    numbering, counts = unpack(finding.numbering), finding.lists[3]
    numbering.counts[CONTACTS_COUNTED] = counts[CONTACTS]
    if call(finding.calls[NUMBER], (finding.numbering,)) != 0:
        return _short(counts, SHORT_OF_STRUCTURES)
    sizes = numbering.sizes
    for number in range(STRUCTURES):
        if sizes[number] > finding.room[number]:
            return _short(counts, SHORT_OF_ROOM)
    finding.pulled[0], finding.pulled[1] = sizes[SPRING_COUNT], sizes[POINT_COUNT]
    return 1
