"""Points at the seam of two shapes, whose normals only an inner edge explains.

Where two shapes adjoin, the edge of one of them is no edge of both together: what rolls or slides over it touches a face of the other. A
normal that is not that of a face is therefore one only if neither shape around the point rises in its direction, as on terrain. What
touches both shapes is near both, so that a point is compared with the shapes that the same shape touches in this tick. In its place comes
the face beside it over which the shape is when it reaches that face, if there is one.
"""

from math import sqrt

from ..compilation.compiler import call, inlined, kernel
from ..constraints.graph import POINTS_FROM, POINTS_OF_CONTACT, TOUCHED_BODY, TOUCHING_BODY
from ..constraints.joint_types import load
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, load_vector
from .cores import (
    BOX_CORE,
    CORE_AXES,
    CORE_CENTER,
    CORE_KIND,
    CORE_RADIUS,
    CORE_SIZE,
    CORNER_COUNT,
    CYLINDER,
    FACE_COUNT,
    HULL,
    PLANE_CORE,
    POINTS_AT,
    face_plane,
    farthest,
    into_axes,
)
from .layout import BOX, CONTACTS, FIRST_OF, INNER, LEAST_HALF, MESH, POINTS, SECOND_OF, TYPE
from .layout import CYLINDER as CYLINDER_TYPE
from .manifold import put_point, vertex_of, vertices_of
from .pairs import Scene, Tools, place_shape
from .poses import motion_at
from .surface import BESIDE, RISES
from .terrain import Ground, Motion
from .touching import put_touching

# columns of `edges`, one row per point
IS_EDGE, EDGE_BASE, EDGE_ON_FIRST, EDGE_ON_SECOND, EDGE_NORMAL = 0, 1, 4, 7, 10
"""Whether the normal is not that of a face; what positions are relative to, where the point is on both surfaces, and its normal from the
second shape to the first, in the world frame."""
EDGE_SIZE = 13

Lists = tuple[Integers, Integers, Integers]
"""The contacts; the last entry of each body among the contacts of bodies, of which each contact has two; and the entries before each."""


@inlined
def has_edges(shapes: Array, shape: int) -> bool:
    """Whether a shape has edges that may adjoin another shape."""
    kind = int(shapes[TYPE, shape])
    return kind == BOX or kind >= CYLINDER_TYPE


@inlined
def _is_near(placed: Array, points: Array, at: Vector, slack: float) -> bool:
    """Whether a point is in the shape that is placed second, or nearly so."""
    kind = int(placed[1, CORE_KIND])
    x, y, z = into_axes(placed, 1, subtract(at, load(placed, 1, CORE_CENTER)))
    a, b, c = load(placed, 1, CORE_SIZE)
    if kind == HULL:
        first = int(placed[1, POINTS_AT]) + int(placed[1, CORNER_COUNT])
        for face in range(first, first + int(placed[1, FACE_COUNT])):
            if dot(load_vector(points, 0, face), (x, y, z)) > points[3, face] + slack:
                return False
        return True
    if kind == PLANE_CORE:
        return z <= slack
    if kind == BOX_CORE:
        return bool(abs(x) <= a + slack and abs(y) <= b + slack and abs(z) <= c + slack)
    # the axis of a capsule or a cylinder; that of a ball has no length
    along = max(abs(z) - c, 0.0)
    aside = sqrt(x * x + y * y)
    if kind == CYLINDER:
        return bool(along <= slack and aside <= a + slack)
    return sqrt(aside * aside + along * along) <= float(placed[1, CORE_RADIUS]) + slack


@inlined
def _rises(placed: Array, points: Array, at: Vector, normal: Vector, slack: float) -> bool:
    """Whether the shape that is placed second rises in a direction from a point in or near it."""
    if not _is_near(placed, points, at, slack):
        return False
    if int(placed[1, CORE_KIND]) == PLANE_CORE:
        return dot(load(placed, 1, CORE_AXES + 6), normal) < 1.0 - 0.5 * RISES * RISES
    away = add_scaled(farthest(placed, points, 1, normal), float(placed[1, CORE_RADIUS]), normal)
    away = subtract(away, at)
    size = sqrt(dot(away, away))
    return size > slack and dot(away, normal) > max(RISES * size, slack)


Compared = tuple[Scene, Tools, Ground]
"""The shapes, what compares them, and the terrains."""
Direction = tuple[Vector, Vector, Vector]
"""What positions are relative to; a point; and a direction there."""


@inlined
def _is_covered(
    compared: Compared, lists: Lists, body: int, own: int, toucher: int, direction: Direction, slack: float
) -> bool:
    """Whether a surface rises from a point of a shape in a direction because of another shape that touches the same one."""
    (scene, tools, terrain), (touches, heads, following), (base, at, normal) = compared, lists, direction
    (_bodies, shapes, _forms), narrow = scene, tools[0]
    entry, has_terrain = heads[body], False
    while entry >= 0:
        first, second = touches[FIRST_OF, entry // 2], touches[SECOND_OF, entry // 2]
        shape = second if first == toucher else first if second == toucher else own
        if shape != own and shapes[TYPE, shape] >= MESH:
            has_terrain = True
        elif shape != own:
            place_shape(scene, narrow[0], 1, shape, base)
            if _rises(narrow[0], narrow[1], at, normal, slack):
                return True
        entry = following[entry]
    if not has_terrain:
        return False
    grounds, beside, bounds, _scratch, inner, _gathered = terrain
    around = (scene, grounds, beside, bounds, inner)
    return call(tools[3][INNER], (around, base, at, normal, own, slack, slack, RISES)) == 1


@inlined
def _relative_motion(bodies: Array, shapes: Array, toucher: int, own: int, base: Vector) -> Motion:
    """Velocity at a base and angular velocity of a shape relative to another one, world frame."""
    velocity, spin = motion_at(bodies, shapes, toucher, base)
    other_velocity, other_spin = motion_at(bodies, shapes, own, base)
    return subtract(velocity, other_velocity), subtract(spin, other_spin)


@inlined
def _faces_of(placed: Array) -> int:
    """How many flat faces the shape has that is placed second."""
    kind = int(placed[1, CORE_KIND])
    return int(placed[1, FACE_COUNT]) if kind == HULL else 6


@inlined
def _put_face(
    narrow: tuple[Array, ...],
    found: Array,
    polygon: Array,
    edge: Vector,
    motion: Motion,
    is_first: bool,
    slack: float,
    dt: float,
) -> bool:
    """Find the point at which the shape that is placed first will be on a face beside an edge of that placed second, if there is one.

    It is not behind the face now, and over it at the end of the tick or when it reaches its plane.
    """
    placed, points = narrow[0], narrow[1]
    nearest, is_round = 1e300, int(placed[1, CORE_KIND]) == CYLINDER
    for face in range(4 if is_round else 0, _faces_of(placed)):
        normal, foot = face_plane(placed, points, 1, face)
        if abs(dot(subtract(edge, foot), normal)) > slack:
            continue
        down = scale(-1.0, normal)
        for number in range(vertices_of(placed, 0, down)):
            at, rolls = vertex_of(placed, points, 0, number, down, polygon, 0)
            gap = dot(subtract(at, foot), normal)
            velocity = add(motion[0], cross(motion[1], add_scaled(at, rolls, normal)))
            closes = -dot(velocity, normal)
            reached = gap / closes if gap > 0.0 and closes * dt > gap else dt
            landed = add_scaled(add_scaled(at, -gap, normal), reached, add_scaled(velocity, closes, normal))
            if -slack <= gap < nearest and _is_near(placed, points, landed, slack):
                nearest = gap
                _ = put_point(found, 0, at, rolls, foot, normal, gap, is_first)
    return nearest < 1e300


@kernel("leave-inner-points")
def leave_inner_points(
    scene: Scene,
    tools: Tools,
    terrain: Ground,
    touching: Array,
    touches: Integers,
    seams: tuple[Array, Integers, Integers],
    counts: Integers,
    dt: float,
) -> int:
    """Leave out the points of a tick whose normals only an inner edge explains, if no face replaces them; how many.

    Args:
        scene: The bodies, the shapes, and where their points and grounds are.
        tools: What compares shapes; all but the addresses of kernels are scratch, and the points of hulls.
        terrain: The grounds, all terrains, the boxes of shapes, and scratch.
        touching: The points; those that are left close up.
        touches: The contacts; one whose points are all left out is left out as well.
        seams: Of each point, what is needed of it here; and scratch, one number per body, and two numbers per contact.
        counts: How many points and contacts there are.
        dt: Length of the tick [s].
    """
    (bodies, shapes, _forms), (narrow, found, polygon, _calls), bounds = scene, tools, terrain[2]
    (edges, heads, following), compared = seams, (scene, tools, terrain)
    for body in range(heads.shape[0]):
        heads[body] = -1
    # the contacts of each body, the last one first
    for contact in range(counts[CONTACTS]):
        for side in range(2):
            body = touches[TOUCHING_BODY if side == 0 else TOUCHED_BODY, contact]
            if body >= 0:
                following[2 * contact + side], heads[body] = heads[body], 2 * contact + side
    left = 0
    for contact in range(counts[CONTACTS]):
        first, second = touches[FIRST_OF, contact], touches[SECOND_OF, contact]
        body, other = touches[TOUCHING_BODY, contact], touches[TOUCHED_BODY, contact]
        slack = BESIDE * min(float(bounds[first, LEAST_HALF]), float(bounds[second, LEAST_HALF]))
        start = touches[POINTS_FROM, contact]
        for point in range(start, start + touches[POINTS_OF_CONTACT, contact]):
            if edges[point, IS_EDGE] == 0.0:
                continue
            base, normal, at = load(edges, point, EDGE_BASE), load(edges, point, EDGE_NORMAL), (0.0, 0.0, 0.0)
            lists, inner = (touches, heads, following), -1
            if has_edges(shapes, second):
                at = load(edges, point, EDGE_ON_SECOND)
                if _is_covered(compared, lists, body, second, first, (base, at, normal), slack):
                    inner = second
            if inner < 0 and has_edges(shapes, first):
                at, owner = load(edges, point, EDGE_ON_FIRST), other if other >= 0 else body
                if _is_covered(compared, lists, owner, first, second, (base, at, scale(-1.0, normal)), slack):
                    inner = first
            if inner >= 0:
                toucher = second if inner == first else first
                if shapes[TYPE, inner] < MESH and shapes[TYPE, toucher] < MESH:
                    place_shape(scene, narrow[0], 0, toucher, base)
                    place_shape(scene, narrow[0], 1, inner, base)
                    motion = _relative_motion(bodies, shapes, toucher, inner, base)
                    if _put_face(narrow, found, polygon, at, motion, inner == first, slack, dt):
                        put_touching(bodies, shapes, touching, point, found, 0, first, second)
                        continue
                edges[point, IS_EDGE] = -1.0
                left += 1
    if left > 0:
        _close_up(touching, touches, edges, counts)
    return left


@inlined
def _close_up(touching: Array, touches: Integers, edges: Array, counts: Integers) -> None:
    """Remove the points that are marked, and contacts without points."""
    kept_points = kept_contacts = 0
    for contact in range(counts[CONTACTS]):
        start, first = touches[POINTS_FROM, contact], kept_points
        for point in range(start, start + touches[POINTS_OF_CONTACT, contact]):
            if edges[point, IS_EDGE] >= 0.0:
                for entry in range(touching.shape[1]):
                    touching[kept_points, entry] = touching[point, entry]
                kept_points += 1
        if kept_points > first:
            for row in range(touches.shape[0]):
                touches[row, kept_contacts] = touches[row, contact]
            touches[POINTS_FROM, kept_contacts], touches[POINTS_OF_CONTACT, kept_contacts] = first, kept_points - first
            kept_contacts += 1
    counts[POINTS], counts[CONTACTS] = kept_points, kept_contacts
