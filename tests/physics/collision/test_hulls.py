"""Convex hulls of points: corners, faces as polygons, and what is not a corner."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from engine.collision.hulls import hull_of


def check(points):
    hull = hull_of(points)
    expected = ConvexHull(points)
    size = np.ptp(points, axis=0).max()
    assert (points @ hull.normals.T <= hull.offsets + 1e-9 * size).all()
    volume = 0.0
    edges = set()
    for normal, offset, loop in zip(hull.normals, hull.offsets, hull.loops, strict=True):
        corners = hull.corners[loop]
        assert corners @ normal == pytest.approx(np.full(len(loop), offset), abs=3e-9 * size)
        ends = list(zip(loop, loop[1:] + loop[:1], strict=True))
        edges.update(ends)
        fan = [np.cross(corners[k] - corners[0], corners[k + 1] - corners[0]) for k in range(1, len(loop) - 1)]
        assert sum(fan) @ normal > 0.0
        volume += sum(fan) @ normal / 6.0 * offset
    assert volume == pytest.approx(expected.volume, rel=1e-9)
    # each edge belongs to two faces, once in each direction; Euler's formula
    assert all((j, i) in edges for i, j in edges) and len(edges) == sum(map(len, hull.loops))
    assert len(hull.corners) - len(edges) // 2 + len(hull.loops) == 2
    return hull


def test_hulls_of_random_points_have_the_volume_and_planes_of_another_program():
    random = np.random.default_rng(1)
    for count in (4, 5, 12, 60, 256):
        check(random.normal(size=(count, 3)) * (1.0, 0.5, 1e-3 if count == 60 else 1.0) + 10.0)
        check(np.array([each / np.linalg.norm(each) for each in random.normal(size=(count, 3))]))


def test_faces_of_a_grid_of_points_are_whole_and_points_in_them_are_no_corners():
    points = np.array(np.meshgrid(*[np.linspace(-1.0, 1.0, 5)] * 3)).reshape(3, -1).T
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    hull = check(points @ turn)
    assert len(hull.loops) == 6
    assert len(hull.corners) <= 8 + 12 * 3


def test_a_prism_has_ends_with_all_its_corners():
    angles = np.arange(100) * 2.0 * np.pi / 100
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    hull = check(np.vstack([np.column_stack([ring, np.full(100, z)]) for z in (-0.5, 0.5)]))
    assert sorted(map(len, hull.loops)) == [4] * 100 + [100, 100]


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_points_in_a_plane_have_no_hull(rank):
    points = np.random.default_rng(rank).normal(size=(20, 3))
    points[:, rank:] = 1.0
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    assert hull_of(points @ turn) is None
