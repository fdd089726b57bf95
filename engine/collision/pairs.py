"""The comparison of two convex shapes: spheres, boxes and planes by closed forms, others as convex cores."""

from ..compilation.compiler import call, inlined, kernel
from ..constraints.joint_types import load, store
from ..kernels.vectors import Vector, add_scaled, dot, scale, subtract
from ..loops.columns import Array, Integers, load_vector
from . import cores
from .boxes import Placed, touch_boxes, touch_corners
from .found import exchange, fewer, with_edge
from .layout import (
    AT_EDGE,
    BOX,
    CAPSULE,
    CORES,
    CORNERS_OF,
    CYLINDER,
    FACES_OF,
    HULL,
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


@kernel("touch-directly")
def touch_directly(
    scene: Scene, tools: Tools, base: Vector, first: int, second: int, margin: float, least: float
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
        spin = _relative_spin(bodies, shapes, a, b, base)
        ours, others = Placed(center, axes, half), Placed(other_center, other_axes, other_half)
        count = touch_boxes(found, polygon, ours, others, spin, margin)
    elif kind == BOX and other_kind == PLANE:
        count = touch_corners(found, Placed(center, axes, half), other_center, other_axes[2], margin)
    if is_exchanged:
        exchange(found, count)
    return fewer(found, count, least)


@kernel("touch-shapes")
def touch_shapes(scene: Scene, tools: Tools, base: Vector, first: int, second: int, margin: float, least: float) -> int:
    """The same for any two convex shapes, as cores; the arguments are those of `touch_directly`."""
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
