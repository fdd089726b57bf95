"""The comparison of two convex shapes: spheres, boxes and planes by closed forms, others as convex cores."""

from ..compilation.compiler import call, inlined, kernel
from ..constraints.joint_types import Axes, load, store
from ..constraints.layout import BY_BODY
from ..kernels.quaternions import from_rotation_vector, rotate
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, load_vector
from . import cores
from .bounds import MARGIN_OF_SIZE
from .boxes import Placed, touch_boxes, touch_corners
from .found import MOVING_OF_SIZE, exchange, fewer, keep_reached, nearest_found, with_edge
from .layout import (
    APART_BY,
    AT_EDGE,
    BOX,
    CAPSULE,
    CORES,
    CORNERS_OF,
    CYLINDER,
    FACES_OF,
    HULL,
    ON_FIRST,
    ON_SECOND,
    PLANE,
    POINTS_OF,
    SIZES,
    SPHERE,
    TO_FIRST,
    TURNS_WITH,
    TYPE,
)
from .parting import APART, NEAREST, OTHER_NEAREST, TO_NEAREST
from .poses import axes_of, motion_at, pose_of
from .spheres import touch_plane, touch_sphere_box, touch_spheres

Scene = tuple[Array, Array, Integers]
"""The bodies, the table of shapes, and where the points and grounds of shapes are."""
Tools = tuple[tuple[Array, ...], Array, Array, Integers]
"""What compares two shapes: the arguments of `part_cores`, the points of a pair, scratch for polygons, and the addresses of kernels."""


@inlined
def place_shape(scene: Scene, placed: Array, side: int, shape: int, base: Vector) -> None:
    """Place the core of a shape, relative to a base."""
    bodies, shapes, forms = scene
    center, q = pose_of(bodies, shapes, shape)
    x, y, z = load_vector(shapes, SIZES, shape)
    type = int(shapes[TYPE, shape])
    kind, size, radius = cores.POINT, (x, y, z), 0.0
    if type == SPHERE:
        size, radius = (0.0, 0.0, 0.0), x
    elif type == CAPSULE:
        kind, size, radius = cores.SEGMENT, (0.0, 0.0, z), x
    elif type == CYLINDER:
        kind = cores.CYLINDER
    elif type == BOX:
        kind = cores.BOX_CORE
    elif type == HULL:
        kind = cores.HULL
    elif type == PLANE:
        kind = cores.PLANE_CORE
    cores.place_core(placed, side, kind, subtract(center, base), axes_of(q), size, radius)
    cores.place_hull(placed, side, forms[shape, POINTS_OF], forms[shape, CORNERS_OF], forms[shape, FACES_OF])


@inlined
def part_placed(narrow: tuple[Array, ...], calls: Integers, place: int) -> float:
    """Find the gap of the placed shapes; the normal and the nearest points on the surfaces are in the answer.

    `place` is that of the address of `part_cores` among the calls.
    """
    placed, points, answer = narrow[0], narrow[1], narrow[7]
    if int(placed[1, cores.CORE_KIND]) == cores.PLANE_CORE:
        normal = load(placed, 1, cores.CORE_AXES + 6)
        at = cores.farthest(placed, points, 0, scale(-1.0, normal))
        apart = dot(subtract(at, load(placed, 1, cores.CORE_CENTER)), normal)
        store(answer, 0, TO_NEAREST, normal)
        store(answer, 0, NEAREST, at)
        store(answer, 0, OTHER_NEAREST, add_scaled(at, -apart, normal))
        answer[0, APART] = apart
    else:
        _ = call(calls[place], narrow)
    normal = load(answer, 0, TO_NEAREST)
    radius, other_radius = float(placed[0, cores.CORE_RADIUS]), float(placed[1, cores.CORE_RADIUS])
    store(answer, 0, NEAREST, add_scaled(load(answer, 0, NEAREST), -radius, normal))
    store(answer, 0, OTHER_NEAREST, add_scaled(load(answer, 0, OTHER_NEAREST), other_radius, normal))
    return float(answer[0, APART]) - radius - other_radius


@inlined
def _relative_spin(bodies: Array, shapes: Array, shape: int, other: int, base: Vector) -> Vector:
    """The angular velocity of a shape relative to another one, world frame."""
    return subtract(motion_at(bodies, shapes, shape, base)[1], motion_at(bodies, shapes, other, base)[1])


@inlined
def _touch_boxes(
    found: Array,
    polygon: Array,
    boxes: tuple[Placed, Placed],
    motions: tuple[tuple[Vector, Vector], tuple[Vector, Vector]],
    margin: float,
    least: float,
    dt: float,
) -> int:
    """Points at which two boxes are near, or at which they will overlap after a free motion, if they move and none is near now.

    Where a corner of one box comes over a face of the other one, or two edges come to cross, neither faces nor edges are opposite before.
    """
    (ours, others), spin = boxes, subtract(motions[0][1], motions[1][1])
    count = 0
    for attempt in range(2 if margin > MOVING_OF_SIZE * least else 1):
        if attempt == 1:
            ours, others = _ahead(ours, motions[0], dt), _ahead(others, motions[1], dt)
        count = touch_boxes(found, polygon, ours, others, spin, margin)
        if count > 0:
            if attempt == 1 and nearest_found(found, count) > MARGIN_OF_SIZE * least:
                return 0
            if attempt == 1:
                _carry_back(found, count, boxes, (ours, others))
            return count
    return count


@inlined
def _ahead(box: Placed, motion: tuple[Vector, Vector], dt: float) -> Placed:
    """A box after a free motion, given its velocity at the origin and its angular velocity."""
    (velocity, spin), (center, axes, half) = motion, box
    turn = from_rotation_vector(scale(dt, spin))
    moved = add_scaled(center, dt, add(velocity, cross(spin, center)))
    return Placed(moved, (rotate(turn, 2.0, axes[0]), rotate(turn, 2.0, axes[1]), rotate(turn, 2.0, axes[2])), half)


@inlined
def _turned_back(direction: Vector, axes: Axes, moved: Axes) -> Vector:
    """A direction in a box, as it was before the box moved."""
    x, y, z = dot(direction, moved[0]), dot(direction, moved[1]), dot(direction, moved[2])
    return add_scaled(add_scaled(scale(x, axes[0]), y, axes[1]), z, axes[2])


@inlined
def _carry_back(found: Array, count: int, boxes: tuple[Placed, Placed], moved: tuple[Placed, Placed]) -> None:
    """Move points of boxes, and their normals, back with these to where they were before a motion."""
    (box, other), (box_then, other_then) = boxes, moved
    for number in range(count):
        at = subtract(load(found, number, ON_FIRST), box_then.center)
        other_at = subtract(load(found, number, ON_SECOND), other_then.center)
        normal = load(found, number, TO_FIRST)
        at = add(box.center, _turned_back(at, box.axes, box_then.axes))
        other_at = add(other.center, _turned_back(other_at, other.axes, other_then.axes))
        if int(found[number, TURNS_WITH]) == BY_BODY:
            normal = _turned_back(normal, box.axes, box_then.axes)
        else:
            normal = _turned_back(normal, other.axes, other_then.axes)
        store(found, number, ON_FIRST, at)
        store(found, number, ON_SECOND, other_at)
        store(found, number, TO_FIRST, normal)
        found[number, APART_BY] = dot(subtract(at, other_at), normal)


@kernel("touch-directly")
def touch_directly(
    scene: Scene, tools: Tools, base: Vector, first: int, second: int, margin: float, least: float, dt: float
) -> int:
    """Find at most four points at which two spheres, boxes or planes are nearer than a margin.

    Args:
        scene: The bodies, the table of shapes, and where the points of shapes are.
        tools: The points of the pair, and scratch; see `Tools`.
        base: What positions are relative to [m].
        first: A shape of a body.
        second: The other shape.
        margin: The largest gap [m].
        least: The least half extent of both shapes [m].
        dt: Length of the tick [s].
    """
    (bodies, shapes, _forms), (_narrow, found, polygon, _calls) = scene, tools
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
        motions = motion_at(bodies, shapes, a, base), motion_at(bodies, shapes, b, base)
        boxes = Placed(center, axes, half), Placed(other_center, other_axes, other_half)
        count = _touch_boxes(found, polygon, boxes, motions, margin, least, dt)
    elif kind == BOX and other_kind == PLANE:
        count = touch_corners(found, Placed(center, axes, half), other_center, other_axes[2], margin)
    if is_exchanged:
        exchange(found, count)
    kept = fewer(found, count, least)
    return keep_reached(found, kept, count, margin, least)


@kernel("touch-shapes")
def touch_shapes(scene: Scene, tools: Tools, base: Vector, first: int, second: int, margin: float, least: float) -> int:
    """The same for any two convex shapes, as cores; the arguments are those of `touch_directly` but the last."""
    placed, points, found = tools[0][0], tools[0][1], tools[1]
    place_shape(scene, placed, 0, first, base)
    place_shape(scene, placed, 1, second, base)
    count = call(tools[3][CORES], (tools, margin, least))
    if count > 0 and cores.is_edged(placed, 0) and cores.is_edged(placed, 1):
        spin = _relative_spin(scene[0], scene[1], first, second, base)
        for number in range(count):
            if found[number, AT_EDGE] != 0.0:
                normal = load(found, number, TO_FIRST)
                edge = cores.edge_along(placed, points, 0, scale(-1.0, normal))
                other_edge = cores.edge_along(placed, points, 1, normal)
                found[number, TURNS_WITH] = float(with_edge(spin, edge, other_edge))
    return count
