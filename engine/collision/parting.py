"""How far two convex cores are apart, or how deep they are in one another, with the normal and the nearest points.

Cores that are apart: the algorithm of Gilbert, Johnson and Keerthi (1988), which finds the point of the difference of the cores that is
nearest to the origin. Cores that overlap or touch: a polytope in the difference is expanded where it is nearest to the origin (van den
Bergen, 2001). Distances to its faces have a sign, so that it also serves where rounding decides whether the cores touch. Its last face has
the least depth among all faces of the difference of two polyhedra.
"""

from math import sqrt

from ..compilation.compiler import inlined, kernel
from ..constraints.joint_types import load, store
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale, subtract
from ..loops.columns import Array, Integers
from .cores import CORE_CENTER, farthest

MOST_VERTICES, MOST_FACES = 128, 1024
"""Vertices and faces of the polytope; if there are no more, the last face is the answer."""
VERTEX_SIZE = 9
"""Columns of `vertices`: a point of the difference, and the points of both cores."""
FACE_SIZE = 4
"""Columns of `facets`: the normal of a face, and its distance from the origin."""
TO_NEAREST, APART, NEAREST, OTHER_NEAREST = 0, 3, 4, 7
"""Rows of the answer: the normal from the second core to the first, the distance along it, and the nearest points of both."""
ANSWER_SIZE = 10
Corners = tuple[int, int, int]
"""The vertices of a face."""

_MOST_STEPS = 100
_TOUCHING = 1e-6
"""Cores that are nearer than this share of their size touch: their distance is too small for a normal."""
_CONVERGED = 1e-14
"""Share of the square of a distance that it may be too large by; a normal then is wrong by 1.4e-7 at most."""
_GAINED = 1e-10
"""Share of the size by which a curved core may be deeper."""
_MOVED_OUT = 1e-4
"""Share of their size by which curved cores are moved apart to find the normal along which they are less deep."""
_LONGEST = 1e6
"""Turns of a normal are doubled up to this multiple."""
_LEAST_GAIN = 1e-14
"""Share of the size by which a turn of the normal must make the depth less."""
_FLAT = 1e-9
_THIN = 1e-24
"""Square of the share of its distance from the origin that the height of a tetrahedron must have to contain it."""
_NEVER = 1e300


@inlined
def _put_farthest(placed: Array, points: Array, vertices: Array, row: int, direction: Vector) -> None:
    """Store the point of the difference that is farthest along a direction."""
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0
        store(vertices, row, 3 + 3 * side, farthest(placed, points, side, scale(sign, direction)))
    store(vertices, row, 0, subtract(load(vertices, row, 3), load(vertices, row, 6)))


@inlined
def _move_vertex(vertices: Array, target: int, source: int) -> None:
    for entry in range(VERTEX_SIZE):
        vertices[target, entry] = vertices[source, entry]


@inlined
def _nearest_in_segment(a: Vector, b: Vector) -> Vector:
    along = subtract(b, a)
    square = dot(along, along)
    share = min(max(-dot(a, along) / square, 0.0), 1.0) if square > 0.0 else 0.0
    return 1.0 - share, share, 0.0


@inlined
def nearest_in_triangle(a: Vector, b: Vector, c: Vector) -> Vector:
    """The shares of the corners in the point of a triangle that is nearest to the origin.

    The nearest of what three sides and the plane offer is taken, by distances that are computed from the shares, because the signs of areas
    are not known in triangles as slender as those in the rim of a cylinder.
    """
    best, least = (1.0, 0.0, 0.0), _NEVER
    for side in range(3):
        p, q = (a if side == 0 else b if side == 1 else c), (b if side == 0 else c if side == 1 else a)
        one, two, _none = _nearest_in_segment(p, q)
        at = add_scaled(scale(one, p), two, q)
        distance = dot(at, at)
        if distance < least:
            shares = (one, two, 0.0) if side == 0 else (0.0, one, two) if side == 1 else (two, 0.0, one)
            best, least = shares, distance
    ab, ac = subtract(b, a), subtract(c, a)
    square = dot(ab, ab)
    if square == 0.0:
        return best
    along = dot(ab, ac) / square
    across = add_scaled(ac, -along, ab)
    height = dot(across, across)
    if height == 0.0:
        return best
    third = -dot(across, a) / height
    second = -dot(ab, a) / square - along * third
    first = 1.0 - second - third
    if first > 0.0 and second > 0.0 and third > 0.0:
        at = add_scaled(add_scaled(a, second, ab), third, ac)
        if dot(at, at) <= least:
            best = (first, second, third)
    return best


@inlined
def _weighed(vertices: Array, column: int, count: int, shares: Array) -> Vector:
    total = (0.0, 0.0, 0.0)
    for number in range(count):
        total = add_scaled(total, float(shares[number]), load(vertices, number, column))
    return total


@inlined
def _reduce(vertices: Array, shares: Array, count: int) -> int:
    """Keep the vertices of a simplex that the point nearest to the origin lies between; their number, or -1 if the origin is inside."""
    if count == 1:
        shares[0] = 1.0
        return 1
    best, least = 0, _NEVER
    weights = (1.0, 0.0, 0.0)
    triangles = 4 if count == 4 else 1
    is_outside = count < 4
    for number in range(triangles):
        # without vertex `number` of a tetrahedron; a segment is a triangle with one corner twice
        one, two, three = _corners(number, count)
        a, b, c = load(vertices, one, 0), load(vertices, two, 0), load(vertices, three, 0)
        if count == 4:
            normal = cross(subtract(b, a), subtract(c, a))
            beside = dot(normal, subtract(load(vertices, number, 0), a))
            # the origin is not on the side of the fourth corner, or the tetrahedron is too flat to say
            is_outside = (
                is_outside
                or dot(normal, a) * beside >= 0.0
                or beside * beside <= _THIN * dot(normal, normal) * dot(a, a)
            )
        found = _nearest_in_segment(a, b) if count == 2 else nearest_in_triangle(a, b, c)
        at = add_scaled(add_scaled(scale(found[0], a), found[1], b), found[2], c)
        distance = dot(at, at)
        if distance < least:
            best, least, weights = number, distance, found
    if not is_outside:
        return -1
    one, two, three = _corners(best, count)
    for entry in range(VERTEX_SIZE):
        x, y, z = vertices[one, entry], vertices[two, entry], vertices[three, entry]
        kept = 0
        if weights[0] > 0.0:
            vertices[kept, entry] = x
            kept += 1
        if weights[1] > 0.0:
            vertices[kept, entry] = y
            kept += 1
        if weights[2] > 0.0:
            vertices[kept, entry] = z
    kept = 0
    for number in range(3):
        weight = weights[0] if number == 0 else weights[1] if number == 1 else weights[2]
        if weight > 0.0:
            shares[kept] = weight
            kept += 1
    return kept


@inlined
def _corners(left_out: int, count: int) -> tuple[int, int, int]:
    """The corners of a simplex without one of four."""
    if count < 4:
        return 0, 1, count - 1
    if left_out == 0:
        return 1, 2, 3
    return 0, 2 if left_out == 1 else 1, 2 if left_out == 3 else 3


@inlined
def _put_nearest(vertices: Array, shares: Array, count: int, answer: Array) -> None:
    store(answer, 0, NEAREST, _weighed(vertices, 3, count, shares))
    store(answer, 0, OTHER_NEAREST, _weighed(vertices, 6, count, shares))


@inlined
def _part(placed: Array, points: Array, vertices: Array, shares: Array, answer: Array) -> bool:
    """Find the nearest points of cores that are apart; whether they are."""
    v = subtract(load(placed, 0, CORE_CENTER), load(placed, 1, CORE_CENTER))
    if dot(v, v) == 0.0:
        v = (1.0, 0.0, 0.0)
    square, size, count = _NEVER, 0.0, 0
    for _step in range(_MOST_STEPS):
        _put_farthest(placed, points, vertices, count, scale(-1.0, v))
        w = load(vertices, count, 0)
        size = max(size, dot(w, w))
        along = dot(v, w)
        if count > 0:
            if square - along <= _CONVERGED * square + 1e-15 * sqrt(square * size):
                break
            is_known = False
            for number in range(count):
                x, y, z = subtract(load(vertices, number, 0), w)
                is_known = is_known or (x == 0.0 and y == 0.0 and z == 0.0)
            if is_known:
                break
        count = _reduce(vertices, shares, count + 1)
        if count < 0:
            return False
        v = _weighed(vertices, 0, count, shares)
        before, square = square, dot(v, v)
        if square <= _TOUCHING * _TOUCHING * size:
            _put_nearest(vertices, shares, count, answer)
            return False
        if square >= before:
            # rounding: no nearer point can be found
            break
    distance = sqrt(dot(v, v))
    store(answer, 0, TO_NEAREST, scale(1.0 / distance, v))
    answer[0, APART] = distance
    _put_nearest(vertices, shares, count, answer)
    return True


@inlined
def _aside(vertices: Array, count: int, attempt: int) -> Vector:
    """A direction away from the points, lines and planes that vertices span, of six for each."""
    sign = 1.0 if attempt % 2 == 0 else -1.0
    axis = attempt // 2
    direction = (sign if axis == 0 else 0.0, sign if axis == 1 else 0.0, sign if axis == 2 else 0.0)
    if count == 2:
        direction = cross(direction, subtract(load(vertices, 1, 0), load(vertices, 0, 0)))
    elif count == 3:
        a = load(vertices, 0, 0)
        direction = scale(sign, cross(subtract(load(vertices, 1, 0), a), subtract(load(vertices, 2, 0), a)))
    return direction


@inlined
def _off(vertices: Array, count: int, w: Vector) -> float:
    """How far a point is from the point, the line or the plane that vertices span."""
    a = load(vertices, 0, 0)
    off = subtract(w, a)
    if count == 1:
        return sqrt(dot(off, off))
    ab = subtract(load(vertices, 1, 0), a)
    if count == 2:
        across = cross(ab, off)
        return sqrt(dot(across, across) / dot(ab, ab))
    normal = cross(ab, subtract(load(vertices, 2, 0), a))
    return abs(dot(normal, off)) / sqrt(dot(normal, normal))


@inlined
def _span(placed: Array, points: Array, vertices: Array) -> int:
    """Find four points of the difference that are well apart; their number is less if the difference is flat."""
    _put_farthest(placed, points, vertices, 0, (1.0, 0.0, 0.0))
    size, count = 0.0, 1
    while count < 4:
        best = 0.0
        for attempt in range(6):
            _put_farthest(placed, points, vertices, 5, _aside(vertices, count, attempt))
            off = _off(vertices, count, load(vertices, 5, 0))
            if off > best:
                best = off
                _move_vertex(vertices, 4, 5)
        size = max(size, best)
        if best <= _FLAT * size:
            return count
        _move_vertex(vertices, count, 4)
        count += 1
    return count


@inlined
def _put_facet(vertices: Array, facets: Array, corners: Integers, facet: int, i: int, j: int, k: int) -> None:
    """Store a face with corners anticlockwise from outside; one without an area is never the nearest."""
    a = load(vertices, i, 0)
    normal = cross(subtract(load(vertices, j, 0), a), subtract(load(vertices, k, 0), a))
    size = sqrt(dot(normal, normal))
    corners[facet, 0], corners[facet, 1], corners[facet, 2], corners[facet, 3] = i, j, k, 1
    if size > 0.0:
        normal = scale(1.0 / size, normal)
        store(facets, facet, 0, normal)
        # the mean of three corners has the least rounding
        total = dot(normal, a) + dot(normal, load(vertices, j, 0)) + dot(normal, load(vertices, k, 0))
        facets[facet, 3] = total / 3.0
    else:
        store(facets, facet, 0, (0.0, 0.0, 0.0))
        facets[facet, 3] = _NEVER


@inlined
def _add_edge(edges: Integers, count: int, i: int, j: int) -> int:
    """Add an edge of a hole, or remove it if the face on its other side is gone as well; the number of edges then."""
    for number in range(count):
        if edges[number, 0] == j and edges[number, 1] == i:
            edges[number, 0], edges[number, 1] = edges[count - 1, 0], edges[count - 1, 1]
            return count - 1
    edges[count, 0], edges[count, 1] = i, j
    return count + 1


@inlined
def _expand(
    vertices: Array, facets: Array, corners: Integers, edges: Integers, vertex: int, count: int, size: float
) -> int:
    """Replace the faces that a new vertex sees by those from it to the edges of the hole; the number of faces then, or -1."""
    w, edge_count, dead = load(vertices, vertex, 0), 0, 0
    for facet in range(count):
        is_seen = dot(load(facets, facet, 0), w) - float(facets[facet, 3]) > 1e-13 * size
        if corners[facet, 3] == 1 and is_seen:
            if edge_count + 3 > edges.shape[0]:
                return -1
            corners[facet, 3] = 0
            for number in range(3):
                i, j = corners[facet, number], corners[facet, (number + 1) % 3]
                edge_count = _add_edge(edges, edge_count, i, j)
    for number in range(edge_count):
        while dead < count and corners[dead, 3] == 1:
            dead += 1
        if dead == facets.shape[0]:
            return -1
        _put_facet(vertices, facets, corners, dead, edges[number, 0], edges[number, 1], vertex)
        count = max(count, dead + 1)
    return count


@inlined
def _nearest_facet(facets: Array, corners: Integers, count: int) -> int:
    best, least = 0, 2.0 * _NEVER
    for facet in range(count):
        if corners[facet, 3] == 1 and float(facets[facet, 3]) < least:
            best, least = facet, float(facets[facet, 3])
    return best


@inlined
def _answer_flat(placed: Array, vertices: Array, count: int, answer: Array) -> None:
    """The answer for cores that cross in a plane, such as two segments, whose nearest points are known."""
    away = subtract(load(placed, 0, CORE_CENTER), load(placed, 1, CORE_CENTER))
    normal = _aside(vertices, count, 4)
    if dot(normal, normal) == 0.0:
        normal = _aside(vertices, count, 0)
    normal = scale(1.0 / sqrt(dot(normal, normal)), normal)
    # the difference is a point, a line or a plane through the origin, or so near to it that its side may be due to rounding
    apart = dot(normal, load(vertices, 0, 0))
    side = apart if apart != 0.0 else dot(normal, away)
    store(answer, 0, TO_NEAREST, scale(1.0 if side >= 0.0 else -1.0, normal))
    answer[0, APART] = abs(apart)


@inlined
def _nearest_in_facet(vertices: Array, corners: Corners, foot: Vector) -> tuple[Vector, float]:
    """The shares of the corners of a face in its point that is nearest to the foot of the origin, and the square of how far."""
    a = subtract(load(vertices, corners[0], 0), foot)
    b = subtract(load(vertices, corners[1], 0), foot)
    c = subtract(load(vertices, corners[2], 0), foot)
    shares = nearest_in_triangle(a, b, c)
    off = add_scaled(add_scaled(scale(shares[0], a), shares[1], b), shares[2], c)
    return shares, dot(off, off)


@inlined
def _corners_of(corners: Integers, facet: int) -> Corners:
    return corners[facet, 0], corners[facet, 1], corners[facet, 2]


@inlined
def _foot_of(facets: Array, facet: int) -> Vector:
    """The foot of the origin on the plane of a face."""
    return scale(float(facets[facet, 3]), load(facets, facet, 0))


@inlined
def _is_final(
    placed: Array, points: Array, vertices: Array, row: int, normal: Vector, depth: float, size: float
) -> bool:
    """Whether the difference reaches no farther along the normal of a face; the point that is farthest is stored in a row."""
    _put_farthest(placed, points, vertices, row, normal)
    return dot(normal, load(vertices, row, 0)) - depth <= _GAINED * size


@inlined
def _answer_facet(
    placed: Array,
    points: Array,
    vertices: Array,
    facets: Array,
    corners: Integers,
    row: int,
    count: int,
    nearest: int,
    size: float,
    answer: Array,
) -> bool:
    """The answer of the nearest face; whether its points are opposite each other, because the foot of the origin is in a face."""
    within, facet = 1e-12 * size, nearest
    own, own_off = _nearest_in_facet(vertices, _corners_of(corners, nearest), _foot_of(facets, nearest))
    shares, least = own, own_off
    if least > within * within:
        # several faces are in one plane, and the foot of the origin is in another one
        for other in range(count):
            if corners[other, 3] == 1 and float(facets[other, 3]) <= float(facets[nearest, 3]) + within:
                found, off = _nearest_in_facet(vertices, _corners_of(corners, other), _foot_of(facets, other))
                if off < least:
                    facet, shares, least = other, found, off
        # where the cores only touch, faces in other planes are as near, and not yet where they end
        if not _is_final(placed, points, vertices, row, load(facets, facet, 0), float(facets[facet, 3]), size):
            facet, shares, least = nearest, own, own_off
    _answer_with(vertices, _corners_of(corners, facet), shares, load(facets, facet, 0), float(facets[facet, 3]), answer)
    return least <= (_TOUCHING * size) * (_TOUCHING * size)


@inlined
def _answer_with(
    vertices: Array, corners: Corners, shares: Vector, normal: Vector, depth: float, answer: Array
) -> None:
    """The answer of a face, with the points of both cores."""
    store(answer, 0, TO_NEAREST, scale(-1.0, normal))
    answer[0, APART] = -depth
    for side in range(2):
        column = 3 + 3 * side
        at = scale(shares[0], load(vertices, corners[0], column))
        at = add_scaled(at, shares[1], load(vertices, corners[1], column))
        at = add_scaled(at, shares[2], load(vertices, corners[2], column))
        store(answer, 0, NEAREST + 3 * side, at)


@inlined
def _depth_along(placed: Array, points: Array, normal: Vector) -> float:
    """How far the first core is to move along a normal until it is apart from the second one."""
    low = dot(farthest(placed, points, 0, scale(-1.0, normal)), normal)
    return dot(farthest(placed, points, 1, normal), normal) - low


@inlined
def _turn_to_least(placed: Array, points: Array, vertices: Array, shares: Array, size: float, answer: Array) -> None:
    """Turn the normal of an answer until the depth along it is least, and find the nearest points there.

    Once the first core has moved out along a normal, the nearest points of both give one along which it is less deep. Where the depth
    hardly depends on the normal, as in a cylinder within a cylinder, each such turn is a small part of the way, which is doubled as long
    as that helps.
    """
    center, normal = load(placed, 0, CORE_CENTER), load(answer, 0, TO_NEAREST)
    for _step in range(_MOST_STEPS):
        depth = _depth_along(placed, points, normal)
        way = scale(depth + _MOVED_OUT * size, normal)
        store(placed, 0, CORE_CENTER, add(center, way))
        is_apart = _part(placed, points, vertices, shares, answer)
        store(placed, 0, CORE_CENTER, center)
        if not is_apart:
            break
        store(answer, 0, NEAREST, subtract(load(answer, 0, NEAREST), way))
        turn, least, longest = subtract(load(answer, 0, TO_NEAREST), normal), depth, 1.0
        start = normal
        while longest < _LONGEST:
            tried = add_scaled(start, longest, turn)
            tried = scale(1.0 / sqrt(dot(tried, tried)), tried)
            found = _depth_along(placed, points, tried)
            if found >= least:
                break
            least, normal, longest = found, tried, 2.0 * longest
        if depth - least <= _LEAST_GAIN * size:
            break
    store(answer, 0, TO_NEAREST, normal)
    answer[0, APART] = -_depth_along(placed, points, normal)


@kernel("part-cores")
def part_cores(
    placed: Array,
    points: Array,
    vertices: Array,
    facets: Array,
    corners: Integers,
    edges: Integers,
    shares: Array,
    answer: Array,
) -> int:
    """Find the distance of two cores; 1 if they are apart, 0 if they overlap or touch.

    Args:
        placed: The two cores (`cores`).
        points: The points of hulls.
        vertices: Scratch, shape (`MOST_VERTICES`, `VERTEX_SIZE`).
        facets: Scratch, shape (`MOST_FACES`, `FACE_SIZE`).
        corners: Scratch, shape (`MOST_FACES`, 4).
        edges: Scratch, shape (`MOST_FACES`, 2).
        shares: Scratch, four numbers.
        answer: The answer, shape (1, `ANSWER_SIZE`).
    """
    if _part(placed, points, vertices, shares, answer):
        return 1
    spanned = _span(placed, points, vertices)
    if spanned < 4:
        _answer_flat(placed, vertices, spanned, answer)
        return 0
    size = 0.0
    for number in range(1, 4):
        side = subtract(load(vertices, number, 0), load(vertices, 0, 0))
        size = max(size, sqrt(dot(side, side)))
    a, b, c = load(vertices, 0, 0), load(vertices, 1, 0), load(vertices, 2, 0)
    turned = dot(cross(subtract(b, a), subtract(c, a)), subtract(load(vertices, 3, 0), a)) > 0.0
    for number in range(4):
        one, two, three = _corners(number, 4)
        # seen from outside, the faces of a tetrahedron alternate
        if (number % 2 == 0) == turned:
            _put_facet(vertices, facets, corners, number, one, two, three)
        else:
            _put_facet(vertices, facets, corners, number, one, three, two)
    count, row = 4, MOST_VERTICES - 1
    least, out, depth_there, best, is_known = _NEVER, (0.0, 0.0, 0.0), 0.0, (0, 0, 0), False
    for vertex in range(4, MOST_VERTICES):
        facet = _nearest_facet(facets, corners, count)
        normal, depth = load(facets, facet, 0), float(facets[facet, 3])
        if _is_final(placed, points, vertices, vertex, normal, depth, size):
            if _answer_facet(placed, points, vertices, facets, corners, row, count, facet, size, answer):
                return 0
            is_known = True
            break
        along = dot(normal, load(vertices, vertex, 0))
        if along < least:
            least, out, depth_there, best = along, normal, depth, _corners_of(corners, facet)
        count = _expand(vertices, facets, corners, edges, vertex, count, size)
        if count < 0:
            break
    if not is_known:
        # there is no more room, as between curved cores deep in one another: from the least way out that was found
        weights, _off = _nearest_in_facet(vertices, best, scale(depth_there, out))
        _answer_with(vertices, best, weights, out, least, answer)
    # or faces end where the cores touch, as at a point of two rims, and say nothing of where that is
    _turn_to_least(placed, points, vertices, shares, size, answer)
    return 0
