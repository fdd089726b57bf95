"""Convex cores of shapes, placed for the comparison of a pair, and their farthest points.

A shape is a convex core with a radius. The core of a sphere is a point, that of a capsule a segment; boxes, cylinders, hulls and triangles
are their own cores. The two shapes of a pair are placed in the two rows of an array, in the world frame from a common base. The corners and
faces of hulls are in an array of points, in the axes of the hull.
"""

from math import sqrt

from ..compilation.compiler import inlined
from ..constraints.joint_types import Axes, load, store
from ..kernels.vectors import Vector, add_scaled, cross, dot, scale, subtract
from ..loops.columns import Array, load_vector

POINT, SEGMENT, BOX_CORE, CYLINDER, HULL, TRIANGLE, PLANE_CORE = range(7)
"""Kinds of cores; a plane, whose normal is its third axis, is only ever the second of a pair."""

# columns of a placed core
CORE_KIND, CORE_CENTER, CORE_AXES = 0, 1, 4
CORE_SIZE = 13
"""Half extents: of a box along its axes; of a segment along its third; radius, nothing and half the height of a cylinder."""
CORE_RADIUS = 16
POINTS_AT, CORNER_COUNT, FACE_COUNT = 17, 18, 19
"""Of a hull: the column of its first point, and how many corners and faces it has."""
CORNERS = 20
"""The corners of a triangle, which are not from its centre but placed."""
PLACED_SIZE = 29

# the columns of a hull among the points: corners; the outward normal and the offset of each face; where the corners of each face begin and
# how many it has; and these corners, anticlockwise from outside


@inlined
def place_core(placed: Array, side: int, kind: int, center: Vector, axes: Axes, size: Vector, radius: float) -> None:
    """Place the core of a shape; a hull also needs its points, and a triangle its corners."""
    placed[side, CORE_KIND] = float(kind)
    store(placed, side, CORE_CENTER, center)
    store(placed, side, CORE_AXES, axes[0])
    store(placed, side, CORE_AXES + 3, axes[1])
    store(placed, side, CORE_AXES + 6, axes[2])
    store(placed, side, CORE_SIZE, size)
    placed[side, CORE_RADIUS] = radius


@inlined
def place_hull(placed: Array, side: int, first: int, corners: int, faces: int) -> None:
    """Say where the points of a hull are."""
    placed[side, POINTS_AT], placed[side, CORNER_COUNT], placed[side, FACE_COUNT] = first, corners, faces


@inlined
def normal_of(a: Vector, b: Vector, c: Vector) -> Vector:
    """The unit normal of a triangle, from whose tip its corners are anticlockwise."""
    normal = cross(subtract(b, a), subtract(c, a))
    return scale(1.0 / sqrt(dot(normal, normal)), normal)


@inlined
def place_triangle(placed: Array, side: int, a: Vector, b: Vector, c: Vector) -> None:
    """Place a triangle, whose normal is that of its corners anticlockwise; its edges are its first and second axis."""
    along = subtract(b, a)
    along = scale(1.0 / sqrt(dot(along, along)), along)
    normal = normal_of(a, b, c)
    center = scale(1.0 / 3.0, (a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]))
    place_core(placed, side, TRIANGLE, center, (along, cross(normal, along), normal), (0.0, 0.0, 0.0), 0.0)
    store(placed, side, CORNERS, a)
    store(placed, side, CORNERS + 3, b)
    store(placed, side, CORNERS + 6, c)


@inlined
def into_axes(placed: Array, side: int, direction: Vector) -> Vector:
    """The components of a direction along the axes of a core."""
    return (
        dot(load(placed, side, CORE_AXES), direction),
        dot(load(placed, side, CORE_AXES + 3), direction),
        dot(load(placed, side, CORE_AXES + 6), direction),
    )


@inlined
def out_of_axes(placed: Array, side: int, local: Vector) -> Vector:
    """The direction that has these components along the axes of a core."""
    along = scale(local[0], load(placed, side, CORE_AXES))
    along = add_scaled(along, local[1], load(placed, side, CORE_AXES + 3))
    return add_scaled(along, local[2], load(placed, side, CORE_AXES + 6))


@inlined
def placed_point(placed: Array, side: int, local: Vector) -> Vector:
    """Where a point of a core is."""
    center, along = load(placed, side, CORE_CENTER), out_of_axes(placed, side, local)
    return center[0] + along[0], center[1] + along[1], center[2] + along[2]


@inlined
def farthest_corner(points: Array, first: int, count: int, direction: Vector) -> int:
    """The number of the corner of a hull that is farthest along a direction in its axes."""
    best, largest = 0, -1e300
    for number in range(count):
        along = dot(load_vector(points, 0, first + number), direction)
        if along > largest:
            best, largest = number, along
    return best


@inlined
def farthest(placed: Array, points: Array, side: int, direction: Vector) -> Vector:
    """The point of a core that is farthest along a direction."""
    kind = int(placed[side, CORE_KIND])
    if kind == TRIANGLE:
        best, largest = load(placed, side, CORNERS), -1e300
        for number in range(3):
            corner = load(placed, side, CORNERS + 3 * number)
            along = dot(corner, direction)
            if along > largest:
                best, largest = corner, along
        return best
    x, y, z = into_axes(placed, side, direction)
    a, b, c = load(placed, side, CORE_SIZE)
    local = (0.0, 0.0, 0.0)
    if kind == HULL:
        first = int(placed[side, POINTS_AT])
        local = load_vector(
            points, 0, first + farthest_corner(points, first, int(placed[side, CORNER_COUNT]), (x, y, z))
        )
    elif kind == BOX_CORE:
        local = (a if x >= 0.0 else -a, b if y >= 0.0 else -b, c if z >= 0.0 else -c)
    elif kind == CYLINDER:
        size = sqrt(x * x + y * y)
        height = c if z >= 0.0 else -c
        local = (a * x / size, a * y / size, height) if size > 0.0 else (a, 0.0, height)
    elif kind == SEGMENT:
        local = (0.0, 0.0, c if z >= 0.0 else -c)
    return placed_point(placed, side, local)


@inlined
def best_face(placed: Array, points: Array, side: int, direction: Vector) -> int:
    """The number of the face that looks most in a direction; -1 if there is none.

    Faces of a box, a cylinder or a triangle have even numbers on the positive sides of their axes, and odd ones on the negative sides.
    """
    kind = int(placed[side, CORE_KIND])
    x, y, z = into_axes(placed, side, direction)
    face = -1
    if kind == BOX_CORE:
        if abs(x) >= abs(y) and abs(x) >= abs(z):
            face = 0 if x >= 0.0 else 1
        elif abs(y) >= abs(z):
            face = 2 if y >= 0.0 else 3
        else:
            face = 4 if z >= 0.0 else 5
    elif kind == CYLINDER or kind == TRIANGLE:
        face = 4 if z >= 0.0 else 5
    elif kind == HULL:
        first, largest = int(placed[side, POINTS_AT]) + int(placed[side, CORNER_COUNT]), -1e300
        for number in range(int(placed[side, FACE_COUNT])):
            along = dot(load_vector(points, 0, first + number), (x, y, z))
            if along > largest:
                face, largest = number, along
    return face


@inlined
def face_count(placed: Array, side: int) -> int:
    """How many faces a polyhedron of a body has."""
    kind = int(placed[side, CORE_KIND])
    return int(placed[side, FACE_COUNT]) if kind == HULL else 6 if kind == BOX_CORE else 0


@inlined
def face_along(placed: Array, points: Array, side: int, face: int, local: Vector) -> float:
    """The component of the outward normal of a face along a direction in the axes of the polyhedron."""
    if int(placed[side, CORE_KIND]) == HULL:
        return dot(load_vector(points, 0, int(placed[side, POINTS_AT]) + int(placed[side, CORNER_COUNT]) + face), local)
    along = local[0] if face < 2 else local[1] if face < 4 else local[2]
    return along if face % 2 == 0 else -along


@inlined
def face_of_feature(placed: Array, points: Array, side: int, direction: Vector, within: float) -> int:
    """The face that looks most in a direction among those of a polyhedron with its farthest corner in it."""
    if int(placed[side, CORE_KIND]) != HULL:
        return best_face(placed, points, side, direction)
    local, first = into_axes(placed, side, direction), int(placed[side, POINTS_AT])
    corners = int(placed[side, CORNER_COUNT])
    corner = load_vector(points, 0, first + farthest_corner(points, first, corners, local))
    face, largest = 0, -1e300
    for number in range(int(placed[side, FACE_COUNT])):
        normal = load_vector(points, 0, first + corners + number)
        along = dot(normal, local)
        if along > largest and dot(normal, corner) >= float(points[3, first + corners + number]) - within:
            face, largest = number, along
    return face


@inlined
def is_edged(placed: Array, side: int) -> bool:
    """Whether a core is a polyhedron of a body, which edges bound all around."""
    return int(placed[side, CORE_KIND]) == BOX_CORE or int(placed[side, CORE_KIND]) == HULL


@inlined
def edge_along(placed: Array, points: Array, side: int, direction: Vector) -> Vector:
    """The unit vector along the edge of a polyhedron that is farthest in a direction at right angles to it."""
    local = into_axes(placed, side, direction)
    if int(placed[side, CORE_KIND]) != HULL:
        x, y, z = abs(local[0]), abs(local[1]), abs(local[2])
        axis = 0 if x <= y and x <= z else 1 if y <= z else 2
        return load(placed, side, CORE_AXES + 3 * axis)
    first, count = int(placed[side, POINTS_AT]), int(placed[side, CORNER_COUNT])
    one = farthest_corner(points, first, count, local)
    two, largest = one, -1e300
    for number in range(count):
        along = dot(load_vector(points, 0, first + number), local)
        if number != one and along > largest:
            two, largest = number, along
    edge = subtract(load_vector(points, 0, first + two), load_vector(points, 0, first + one))
    return out_of_axes(placed, side, scale(1.0 / sqrt(dot(edge, edge)), edge))


@inlined
def face_area(placed: Array, points: Array, side: int, face: int) -> float:
    """The area of a face of a hull."""
    first, corners = int(placed[side, POINTS_AT]), int(placed[side, CORNER_COUNT])
    ranges, faces = first + corners + int(placed[side, FACE_COUNT]), int(placed[side, FACE_COUNT])
    around, count, total = (
        int(points[0, ranges + face]) + ranges + faces,
        int(points[1, ranges + face]),
        (0.0, 0.0, 0.0),
    )
    start = load_vector(points, 0, first + int(points[0, around]))
    for number in range(1, count - 1):
        here = subtract(load_vector(points, 0, first + int(points[0, around + number])), start)
        after = subtract(load_vector(points, 0, first + int(points[0, around + number + 1])), start)
        total = add_scaled(total, 0.5, cross(here, after))
    return sqrt(dot(total, total))


@inlined
def face_plane(placed: Array, points: Array, side: int, face: int) -> tuple[Vector, Vector]:
    """The outward normal of a face, and a point of it."""
    kind = int(placed[side, CORE_KIND])
    if kind == HULL:
        first, corners = int(placed[side, POINTS_AT]), int(placed[side, CORNER_COUNT])
        local, offset = load_vector(points, 0, first + corners + face), float(points[3, first + corners + face])
        return out_of_axes(placed, side, local), placed_point(placed, side, scale(offset, local))
    axis, sign = face // 2, 1.0 if face % 2 == 0 else -1.0
    normal = scale(sign, load(placed, side, CORE_AXES + 3 * axis))
    half = float(placed[side, CORE_SIZE + axis])
    return normal, add_scaled(load(placed, side, CORE_CENTER), half, normal)


@inlined
def put_corners(placed: Array, points: Array, side: int, face: int, polygon: Array, start: int) -> int:
    """Store the corners of a face of a polyhedron, anticlockwise from outside; their number."""
    kind = int(placed[side, CORE_KIND])
    if kind == TRIANGLE:
        for number in range(3):
            at = number if face % 2 == 0 else 2 - number
            store(polygon, start + number, 0, load(placed, side, CORNERS + 3 * at))
        return 3
    if kind == HULL:
        first, corners = int(placed[side, POINTS_AT]), int(placed[side, CORNER_COUNT])
        ranges = first + corners + int(placed[side, FACE_COUNT])
        around, count = int(points[0, ranges + face]), int(points[1, ranges + face])
        around += ranges + int(placed[side, FACE_COUNT])
        for number in range(count):
            corner = load_vector(points, 0, first + int(points[0, around + number]))
            store(polygon, start + number, 0, placed_point(placed, side, corner))
        return count
    axis, sign = face // 2, 1.0 if face % 2 == 0 else -1.0
    one, two = (axis + 1) % 3, (axis + 2) % 3
    middle = face_plane(placed, points, side, face)[1]
    across = scale(float(placed[side, CORE_SIZE + one]), load(placed, side, CORE_AXES + 3 * one))
    up = scale(sign * float(placed[side, CORE_SIZE + two]), load(placed, side, CORE_AXES + 3 * two))
    for number in range(4):
        a = 1.0 if number == 0 or number == 3 else -1.0
        b = 1.0 if number < 2 else -1.0
        store(polygon, start + number, 0, add_scaled(add_scaled(middle, a, across), b, up))
    return 4
