"""Vertices of a mesh at the same place, merged into one."""

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, real, refuse
from .symmetric import power_of_two

IndexArray = npt.NDArray[np.int64]

MOST_WELD = 0.01
"""Maximum distance for merging, relative to the largest extent."""
_SKEW = np.array([0.5257311121191336, 0.3090169943749474, 0.7926544550394312])
"""A direction along which the vertices of a regular mesh are spread out, so that few lie in one thin slice across it."""


def merged_where_equal(points: FloatArray, triangles: IndexArray) -> IndexArray:
    """The faces with every vertex replaced by the first one with the same coordinates, shape (m, 3)."""
    _, first, inverse = np.unique(points + 0.0, axis=0, return_index=True, return_inverse=True)
    merged: IndexArray = first[inverse.reshape(-1)][triangles]
    return merged


def merged_within(points: FloatArray, triangles: IndexArray, weld: object, owner: object) -> IndexArray:
    """The faces after merging vertices within a distance, without those that thereby lose a corner.

    Args:
        points: Points [m], shape (n, 3).
        triangles: Three vertex indices per face, shape (m, 3).
        weld: The distance relative to the largest extent of the vertices in use, above 0 and at most 0.01.
        owner: The owner to name in errors.

    Returns:
        Vertex indices, each the lowest of those merged into it, shape (k, 3).

    Raises:
        TypeError: If `weld` is not a real number.
        ValueError: If `weld` is out of range, or most faces lose a corner.
    """
    share = real(weld, "weld", owner, above=0.0)
    if share > MOST_WELD:
        refuse(owner, "weld", weld, f"at most {MOST_WELD:g}, as a fraction of the largest extent of the mesh")
    triangles = merged_where_equal(points, triangles)  # so that few vertices are left to compare
    used = np.unique(triangles)
    corners = points[used]
    lowest, highest = 0.5 * corners.min(axis=0), 0.5 * corners.max(axis=0)
    half_extent = float((highest - lowest).max())
    unit = power_of_two(half_extent)  # so that no square overflows
    distance = 2.0 * share * (half_extent / unit)
    sides = (points[triangles] - points[np.roll(triangles, 1, axis=1)]) / unit
    _refuse_unless_small((_squares(sides) <= distance * distance).any(axis=1), weld, owner)
    label = np.arange(len(points))
    label[used] = used[_groups((corners - (lowest + highest)) / unit, distance)]
    merged: IndexArray = label[triangles]
    one, two, three = merged.T
    is_lost = (one == two) | (two == three) | (three == one)
    _refuse_unless_small(is_lost, weld, owner)
    left: IndexArray = merged[~is_lost]
    return left


def _refuse_unless_small(is_lost: npt.NDArray[np.bool_] | np.bool_, weld: object, owner: object) -> None:
    """Reject a distance at which most faces lose a corner; it would also take long, because each vertex has many neighbours."""
    if 2 * int(is_lost.sum()) > np.size(is_lost):
        refuse(
            owner,
            "weld",
            weld,
            "smaller than most faces",
            hint=f"{int(is_lost.sum())} of {np.size(is_lost)} faces lose a corner",
        )


def _squares(vectors: FloatArray) -> FloatArray:
    return np.square(vectors[..., 0]) + np.square(vectors[..., 1]) + np.square(vectors[..., 2])


def _groups(points: FloatArray, distance: float) -> IndexArray:
    """For each point the lowest of those that are linked to it by steps of at most a distance, shape (n,)."""
    along = points[:, 0] * _SKEW[0] + points[:, 1] * _SKEW[1] + points[:, 2] * _SKEW[2]
    order = np.argsort(along, kind="stable")
    places = along[order]
    label: IndexArray = np.arange(len(points))
    links = []
    near = np.arange(len(points) - 1)
    for step in range(1, len(points)):
        near = near[near < len(points) - step]
        near = near[places[near + step] - places[near] <= distance]
        if not len(near):
            break
        one, other = order[near], order[near + step]
        is_close = _squares(points[one] - points[other]) <= distance * distance
        links.append(np.stack((one[is_close], other[is_close])))
    if not links:
        return label
    first, second = np.concatenate(links, axis=1)
    while True:
        lowest = np.minimum(label[first], label[second])
        if np.array_equal(lowest, label[first]) and np.array_equal(lowest, label[second]):
            return label
        np.minimum.at(label, first, lowest)
        np.minimum.at(label, second, lowest)
        label = label[label]
