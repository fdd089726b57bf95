"""Pairs of shapes for the kernels, and their distances by other means."""

import numpy as np
from scipy.optimize import minimize, nnls
from scipy.spatial import ConvexHull

from engine.collision import cores, manifold, parting
from engine.collision.hulls import hull_of
from engine.collision.layout import (
    APART_BY,
    FIRST_RADIUS,
    FOUND_SIZE,
    ON_FIRST,
    ON_SECOND,
    PART,
    SECOND_RADIUS,
    TO_FIRST,
    TURNS_WITH,
)
from engine.compilation.compiler import address_of, address_of_bound, plain, types_of
from engine.rotation import rotate


class Solid:
    """A placed shape: a kind of core with sizes, a radius, and perhaps points."""

    def __init__(self, kind, size=(0.0, 0.0, 0.0), radius=0.0, corners=None, position=(0, 0, 0), turn=(0, 0, 0, 1)):
        self.kind, self.size, self.radius = kind, np.array(size, float), radius
        self.hull = hull_of(np.array(corners, float)) if kind == cores.HULL else None
        self.corners = None if corners is None else np.array(corners, float)
        self.position, self.turn = np.array(position, float), np.array(turn, float) / np.linalg.norm(turn)

    def at(self, position, turn):
        moved = Solid.__new__(Solid)
        moved.__dict__ = dict(self.__dict__)
        moved.position, moved.turn = np.array(position, float), np.array(turn, float) / np.linalg.norm(turn)
        return moved

    @property
    def least(self):
        """Least half extent."""
        if self.kind in (cores.POINT, cores.SEGMENT):
            return self.radius
        if self.kind == cores.CYLINDER:
            return min(self.size[0], self.size[2])
        if self.kind == cores.BOX_CORE:
            return self.size.min()
        return (
            0.5 * np.ptp(self.corners, axis=0).max()
            if self.kind == cores.TRIANGLE
            else 0.5 * min(np.ptp(self.corners, axis=0))
        )

    @property
    def axes(self):
        return np.array([rotate(self.turn, axis) for axis in np.eye(3)])

    def vertices(self, around=0):
        """The corners of the core, placed; those of a cylinder stand for its rims."""
        a, b, c = self.size
        if self.kind in (cores.HULL, cores.TRIANGLE):
            local = self.corners
        elif self.kind == cores.CYLINDER:
            angles = np.arange(around) * 2.0 * np.pi / around
            ring = np.column_stack([a * np.cos(angles), a * np.sin(angles)])
            local = np.vstack([np.column_stack([ring, np.full(around, z)]) for z in (-c, c)])
        elif self.kind == cores.SEGMENT:
            local = np.array([[0, 0, -c], [0, 0, c]])
        elif self.kind == cores.POINT:
            local = np.zeros((1, 3))
        else:
            local = np.array([[x, y, z] for x in (-a, a) for y in (-b, b) for z in (-c, c)])
        return local @ self.axes + self.position


def placed(pair):
    """The arrays of two solids for the kernels."""
    array, columns = np.zeros((2, cores.PLACED_SIZE)), [np.zeros((4, 1))]
    at = 1
    for side, solid in enumerate(pair):
        axes = tuple(tuple(map(float, axis)) for axis in solid.axes)
        center, size = tuple(map(float, solid.position)), tuple(map(float, solid.size))
        if solid.kind == cores.TRIANGLE:
            cores.place_triangle(array, side, *(tuple(map(float, corner)) for corner in solid.vertices()))
            continue
        cores.place_core(array, side, solid.kind, center, axes, size, solid.radius)
        if solid.kind == cores.HULL:
            columns.append(solid.hull.columns())
            cores.place_hull(array, side, at, len(solid.hull.corners), len(solid.hull.loops))
            at += columns[-1].shape[1]
    return array, np.ascontiguousarray(np.hstack(columns))


def scratch():
    return (
        np.zeros((parting.MOST_VERTICES, parting.VERTEX_SIZE)),
        np.zeros((parting.MOST_FACES, parting.FACE_SIZE)),
        np.zeros((parting.MOST_FACES, 4), np.int64),
        np.zeros((parting.MOST_FACES, 2), np.int64),
        np.zeros(4),
        np.zeros((1, parting.ANSWER_SIZE)),
    )


def parted(first, second):
    """The distance of two cores, the normal from the second to the first, and the nearest points."""
    arrays = (*placed((first, second)), *scratch())
    parting.part_cores(*arrays)
    answer = arrays[-1][0]
    return answer[parting.APART], answer[:3].copy(), answer[4:7].copy(), answer[7:10].copy()


class Touch:
    """The points at which two solids touch."""

    def __init__(self, first, second, margin=1.0, is_plain=False):
        arrays = (*placed((first, second)), *scratch())
        self.found = np.zeros((manifold.MOST_TOUCHING, FOUND_SIZE))
        polygon = np.zeros((manifold.POLYGONS, 3))
        part, touch = parting.part_cores, manifold.touch_cores
        calls = np.zeros(PART + 1, np.int64)
        calls[PART] = 0 if is_plain else address_of(part, types_of(*arrays))
        if is_plain:
            # held by name, because an address in plain Python keeps nothing alive
            run = lambda *arguments: plain(part)(*arguments)  # noqa: E731
            calls[PART], touch = address_of_bound(run), plain(touch)
        least = min(first.least, second.least)
        self.read(touch((arrays, self.found, polygon, calls), margin, least))

    @classmethod
    def of_plane(cls, solid, foot, normal, margin):
        """The points at which a solid, which comes first, touches a plane."""
        across = np.cross(normal, (1.0, 0.0, 0.0))
        axes = tuple(across / np.linalg.norm(across)), (0.0, 0.0, 0.0), normal
        touch = cls.__new__(cls)
        touch.found = np.zeros((manifold.MOST_TOUCHING, FOUND_SIZE))
        arrays = (*placed((solid, solid)), *scratch())
        cores.place_core(arrays[0], 1, cores.PLANE_CORE, foot, axes, (0.0, 0.0, 0.0), 0.0)
        calls = np.zeros(PART + 1, np.int64)
        polygon = np.zeros((manifold.POLYGONS, 3))
        touch.read(manifold.touch_cores((arrays, touch.found, polygon, calls), margin, solid.least))
        return touch

    def read(self, count):
        found = self.found[:count]
        self.count, self.gaps, self.normals = count, found[:, APART_BY], found[:, TO_FIRST : TO_FIRST + 3]
        self.on_first, self.on_second = found[:, ON_FIRST : ON_FIRST + 3], found[:, ON_SECOND : ON_SECOND + 3]
        self.radii, self.turns_with = found[:, [FIRST_RADIUS, SECOND_RADIUS]], found[:, TURNS_WITH]

    @property
    def surface(self):
        """The points on the surfaces of both."""
        return self.on_first - self.radii[:, :1] * self.normals, self.on_second + self.radii[:, 1:] * self.normals

    def check(self):
        """Each gap is that between the stored points along the normal, which has unit length."""
        assert np.allclose(np.linalg.norm(self.normals, axis=1), 1.0, atol=1e-12)
        span = np.einsum("ij,ij->i", self.on_first - self.on_second, self.normals) - self.radii.sum(axis=1)
        assert np.allclose(span, self.gaps, atol=1e-9)


def distance(first, second):
    """The distance of two solids whose cores are apart, by quadratic programming; negative where their surfaces overlap."""
    return float(np.linalg.norm(span(first, second))) - first.radius - second.radius


def span(first, second):
    """The way from the core of a solid to that of another one, from the second to the first, by quadratic programming."""
    if cores.CYLINDER not in (first.kind, second.kind):
        return _least((first.vertices()[:, np.newaxis] - second.vertices()).reshape(-1, 3))
    total, limits = [], []
    for place, solid in enumerate((first, second)):
        a, _b, c = solid.size
        if solid.kind == cores.POINT:
            planes = np.vstack([np.eye(3), -np.eye(3)]), np.zeros(6)
        elif solid.kind == cores.SEGMENT:
            planes = np.vstack([np.eye(3), -np.eye(3)]), np.array([0, 0, c, 0, 0, c])
        elif solid.kind == cores.CYLINDER:
            planes = np.array([[0, 0, 1.0], [0, 0, -1.0]]), np.array([c, c])
            limits.append(
                {
                    "type": "ineq",
                    "fun": lambda x, at=3 * place, r=a: (r * r - x[at] ** 2 - x[at + 1] ** 2) / r,
                    "jac": lambda x, at=3 * place, r=a: np.array(
                        [-2.0 * x[k] / r if k in (at, at + 1) else 0.0 for k in range(6)]
                    ),
                }
            )
        elif solid.kind == cores.BOX_CORE:
            planes = np.vstack([np.eye(3), -np.eye(3)]), np.tile(solid.size, 2)
        elif solid.kind == cores.TRIANGLE:
            a, b, c = solid.corners
            normal = np.cross(b - a, c - a)
            sides = [np.cross(q - p, normal) for p, q in ((a, b), (b, c), (c, a))]
            directions = np.array([normal, -normal, *sides])
            directions /= np.linalg.norm(directions, axis=1)[:, np.newaxis]
            planes = directions, (solid.corners @ directions.T).max(axis=0)
        else:
            hull = ConvexHull(solid.corners)
            planes = hull.equations[:, :3], -hull.equations[:, 3]
        matrix = np.zeros((len(planes[0]), 6))
        matrix[:, 3 * place : 3 * place + 3] = planes[0]
        limits.append(
            {"type": "ineq", "fun": lambda x, m=matrix, b=planes[1]: b - m @ x, "jac": lambda x, m=matrix: -m}
        )
        total.append((solid.axes.T, solid.position))
    (turn, place), (other_turn, other_place) = total
    difference = np.hstack([turn, -other_turn])
    offset = place - other_place

    def square(x):
        v = difference @ x + offset
        return 0.5 * v @ v, difference.T @ v

    start = np.zeros(6)
    for solid, at in ((first, 0), (second, 3)):
        if solid.corners is not None:
            start[at : at + 3] = solid.corners.mean(axis=0)
    found = minimize(
        square, start, jac=True, constraints=limits, method="SLSQP", options={"ftol": 1e-18, "maxiter": 500}
    )
    return difference @ found.x + offset


def _least(points):
    """The least vector in the hull of points, by Lawson and Hanson's least distance programming; about zero where that is inside."""
    size = scale = np.linalg.norm(points, axis=1).max()
    for _step in range(2):  # the second time in units of the length
        shares = nnls(np.vstack([points.T / scale, np.ones(len(points))]), (0.0, 0.0, 0.0, 1.0))[0]
        found = points.T @ shares / shares.sum()
        scale = max(np.linalg.norm(found), 1e-6 * size)
    return found


def depth(first, second, around=720):
    """How deep two cores are in one another, by all faces of the difference of their corners; with a round rim by its corners."""
    a, b = first.vertices(around), second.vertices(around)
    hull = ConvexHull((a[:, np.newaxis] - b[np.newaxis]).reshape(-1, 3))
    return float((-hull.equations[:, 3]).min())
