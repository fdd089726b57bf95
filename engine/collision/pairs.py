"""The comparison of two shapes as convex cores."""

from ..compilation.compiler import call, inlined, kernel
from ..constraints.joint_types import load, store
from ..kernels.vectors import Vector, add_scaled, dot, scale, subtract
from ..loops.columns import Array, Integers, load_vector
from . import cores
from .layout import BOX, CAPSULE, CORNERS_OF, CYLINDER, FACES_OF, HULL, PLANE, POINTS_OF, SIZES, SPHERE, TYPE
from .manifold import CORES
from .parting import APART, NEAREST, OTHER_NEAREST, TO_NEAREST
from .poses import axes_of, pose_of


@inlined
def place_shape(
    bodies: Array, shapes: Array, forms: Integers, placed: Array, side: int, shape: int, base: Vector
) -> None:
    """Place the core of a shape, relative to a base."""
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


@kernel("touch-shapes")
def touch_shapes(
    bodies: Array,
    shapes: Array,
    forms: Integers,
    narrow: tuple[Array, ...],
    found: Array,
    polygon: Array,
    calls: Integers,
    base_x: float,
    base_y: float,
    base_z: float,
    first: int,
    second: int,
    margin: float,
    least: float,
) -> int:
    """Find at most four points at which two shapes are nearer than a margin.

    Args:
        bodies: The bodies.
        shapes: The table of shapes.
        forms: Where the points of shapes are.
        narrow: The placed cores, the points, and scratch of `part_cores`.
        found: The points of the pair.
        polygon: Scratch of `touch_cores`.
        calls: The addresses of kernels.
        base_x: What positions are relative to [m].
        base_y: See above.
        base_z: See above.
        first: A shape of a body.
        second: The other shape.
        margin: The largest gap [m].
        least: The least half extent of both shapes [m].
    """
    base = (base_x, base_y, base_z)
    place_shape(bodies, shapes, forms, narrow[0], 0, first, base)
    place_shape(bodies, shapes, forms, narrow[0], 1, second, base)
    return call(calls[CORES], (*narrow, found, polygon, calls, margin, least))
