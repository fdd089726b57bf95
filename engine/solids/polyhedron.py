"""Volume, mass centre and second moments of a closed triangle mesh, exact for the polyhedron, and checks of the mesh."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, by_value, elements_of, is_row, reading_failed, refuse
from .symmetric import exact_sums, power_of_two
from .welding import IndexArray, merged_where_equal, merged_within

FLATNESS_TOLERANCE = 1e-12
"""A face lower than this fraction of its longest side is flat, and so is a piece thinner on average than this fraction of the extent."""


class Integrals(NamedTuple):
    """The integrals that the inertia of a uniform solid is computed from."""

    volume: float
    """Volume [m³]."""
    center: list[float]
    """Mass centre [m], in the axes and from the origin of the vertices, shape (3,)."""
    spread: list[float]
    """Mean over the volume of xx, yy, zz, xy, xz, yz about the mass centre [m²], shape (6,)."""
    merged: int
    """The number of vertices that were replaced by another one at the same place."""


def integrals(vertices: object, faces: object, owner: object, weld: object = None) -> Integrals:
    """Compute exact integrals over the polyhedron that closed, outward faces bound.

    Args:
        vertices: Points [m], shape (n, 3). Vertices that no face uses are ignored.
        faces: Three whole-number vertex indices per face, counter-clockwise seen from outside, shape (m, 3).
        owner: The owner to name in errors.
        weld: The distance for merging vertices, relative to the largest extent. None merges only equal vertices, and only if the surface is
            open otherwise.

    Raises:
        TypeError: If the indices are not whole numbers, or another argument does not consist of real numbers.
        ValueError: If the shapes are wrong, or the faces are not a closed surface that is wound outwards around some volume. The message
            names a face, edge or vertex at fault. Faces that intersect each other are not detected.

    Error: a few eps of the mesh's extent, at any distance from the origin, in addition to the rounding of the vertices.
    Source: divergence theorem, as a sum over the signed tetrahedra from a reference point to each face. With corners
        a, b, c, ``s = a + b + c`` and ``v = a · (b × c)``, the volume is ``v/6``, the first moment ``v s/24`` and the second moment
        ``v (aaᵀ + bbᵀ + ccᵀ + ssᵀ)/120``.
    """
    points = array(vertices, "vertices", owner, (None, 3))
    given = triangles = read_faces(faces, len(points), owner)
    if weld is not None:
        triangles = merged_within(points, given, weld, owner)
    elif not _is_closed(given):  # pieces that touch each other and are closed as given stay apart
        triangles = merged_where_equal(points, given)
    _refuse_unless_closed(triangles, owner)

    # The reference point is in the middle of the mesh and the extent is scaled to about one, so that an offset mesh keeps
    # its digits and no product overflows.
    used = points[triangles]
    lowest, highest = used.min(axis=(0, 1)), used.max(axis=(0, 1))
    reference = 0.5 * lowest + 0.5 * highest
    unit = power_of_two(float((0.5 * highest - 0.5 * lowest).max()))
    corners = (used - reference) / unit
    refuse_flat_faces(triangles, corners, owner)

    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    # This equals a · (b × c), but long thin faces far from the reference point keep their digits: for a wire of one to a
    # million, b × c loses six.
    normals = np.cross(b - a, c - a)
    six_volumes = dot(a, normals)
    rounding_of_vertices = 4.0 * float(np.finfo(np.float64).eps) * float(np.abs(used).max()) / unit
    _refuse_unless_outward(triangles, corners, normals, FLATNESS_TOLERANCE + rounding_of_vertices, owner)

    total = exact_sums(six_volumes[:, np.newaxis])[0]
    share = (six_volumes / total)[:, np.newaxis]
    s = a + b + c
    center = exact_sums(share * s) / 4.0
    # Second moments about the mass centre: those about the reference point, less those of the mass centre itself.
    i, j = np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2])
    products = a[:, i] * a[:, j] + b[:, i] * b[:, j] + c[:, i] * c[:, j] + s[:, i] * s[:, j]
    spread = exact_sums(share * products) / 20.0 - center[i] * center[j]

    # Python floats from here on, because they overflow to infinity without a warning; the caller rejects infinities.
    return Integrals(
        float(total) / 6.0 * unit * unit * unit,
        [float(at) + float(offset) * unit for at, offset in zip(reference, center, strict=True)],
        [float(value) * unit * unit for value in spread],
        0 if triangles is given else len(np.unique(given)) - len(np.unique(triangles)),
    )


def read_faces(faces: object, vertex_count: int, owner: object) -> IndexArray:
    """Check vertex indices, three different ones per face, and return them, shape (m, 3)."""
    if isinstance(faces, np.ndarray) and not isinstance(faces, np.ma.MaskedArray) and faces.dtype.kind in "iu":
        given = faces
    else:
        given = _read_rows(faces, owner)
    if given.ndim != 2 or given.shape[1] != 3 or not len(given):
        refuse(
            owner,
            "faces",
            faces,
            "three vertex indices per face, of shape (m, 3)",
            hint="cut other polygons into triangles",
        )

    outside = ((given < 0) | (given >= vertex_count)).any(axis=1)
    if outside.any():
        number = int(np.flatnonzero(outside)[0])
        rule = f"indices of the {vertex_count} vertices, from 0 to {vertex_count - 1}"
        refuse(owner, f"faces[{number}]", given[number].tolist(), rule)

    triangles: IndexArray = given.astype(np.int64)
    one, two, three = triangles.T
    repeating = (one == two) | (two == three) | (three == one)
    if repeating.any():
        number = int(np.flatnonzero(repeating)[0])
        refuse(owner, f"faces[{number}]", triangles[number].tolist(), "three different vertices")
    return triangles


def _read_rows(faces: object, owner: object) -> npt.NDArray[np.object_]:
    """Read nested lists and arrays of other types index by index, because numpy would silently turn True into 1."""
    rule = "whole numbers, which are vertex indices, of shape (m, 3)"
    faces = by_value(faces, "faces", owner, rule)
    if not is_row(faces) or isinstance(faces, np.ma.MaskedArray) or not len(faces):
        refuse(owner, "faces", faces, rule, TypeError)
    try:
        rows = [elements_of(face) if is_row(face) else [face] for face in faces]
    except Exception as error:
        reading_failed(owner, "faces", faces, rule, error)
    for number, row in enumerate(rows):
        if not all(isinstance(index, int | np.integer) and not isinstance(index, bool) for index in row):
            refuse(owner, f"faces[{number}]", row, rule, TypeError)
        if len(row) != 3:
            refuse(owner, f"faces[{number}]", row, "three vertex indices", hint="cut other polygons into triangles")
    # An object array, because an index may exceed every integer type until it is checked.
    return np.array(rows, dtype=np.object_)


def _is_closed(triangles: IndexArray) -> bool:
    """Whether the faces run along every edge exactly once in each direction."""
    vertex_count = int(triangles.max()) + 1
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    edges = np.sort(start * vertex_count + end)
    return bool((np.diff(edges) > 0).all()) and np.array_equal(edges, np.sort(end * vertex_count + start))


def _refuse_unless_closed(triangles: IndexArray, owner: object) -> None:
    """Reject a mesh unless its faces run along every edge exactly once in each direction."""
    vertex_count = int(triangles.max()) + 1
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    edges = start * vertex_count + end

    order = np.argsort(edges, kind="stable")
    repeated = np.flatnonzero(np.diff(edges[order]) == 0)
    if repeated.size:
        one, other = order[repeated[0]], order[repeated[0] + 1]
        rule = (
            "wound consistently, so that each edge belongs to two faces that run along it in opposite directions: "
            f"faces {one // 3} and {other // 3} both run from vertex {start[one]} to vertex {end[one]}"
        )
        refuse(owner, "faces", [triangles[one // 3].tolist(), triangles[other // 3].tolist()], rule)

    opposite, walked = end * vertex_count + start, edges[order]
    found = walked[np.minimum(np.searchsorted(walked, opposite), len(walked) - 1)]
    open_edges = np.flatnonzero(found != opposite)
    if open_edges.size:
        at = open_edges[0]
        rule = (
            f"a closed surface, but the edge from vertex {start[at]} to vertex {end[at]} of face {at // 3} is open "
            f"({open_edges.size} open edges in all; weld=1e-6 merges vertices that nearly coincide, and "
            "shell_thickness=… makes a shell of an open hull)"
        )
        refuse(owner, "faces", triangles[at // 3].tolist(), rule)


def refuse_flat_faces(triangles: IndexArray, corners: FloatArray, owner: object) -> None:
    """Reject faces whose corners (m, 3, 3) lie on a line."""
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    longest = np.abs(np.stack((first, second, second - first))).max(axis=(0, 2))
    scale = np.where(longest == 0.0, 1.0, longest)[:, np.newaxis]
    normal = np.cross(first / scale, second / scale)
    flat = dot(normal, normal) <= FLATNESS_TOLERANCE**2
    if flat.any():
        number = int(np.flatnonzero(flat)[0])
        refuse(
            owner,
            f"faces[{number}]",
            triangles[number].tolist(),
            "a triangle with a non-zero area",
            hint="its three corners lie on a line",
        )


def _refuse_unless_outward(
    triangles: IndexArray, corners: FloatArray, normals: FloatArray, thinnest: float, owner: object
) -> None:
    """Reject a mesh unless each connected piece is wound outwards, or inwards as the wall of a cavity in another piece."""
    names, pieces = np.unique(_pieces(triangles), return_inverse=True)
    volumes = np.bincount(pieces, weights=dot(corners[:, 0], normals)) / 6.0
    areas = np.bincount(pieces, weights=np.sqrt(dot(normals, normals))) / 2.0

    # A sheet of thickness t with the area A on both sides together encloses A t/2.
    for piece in np.flatnonzero(np.abs(volumes) <= 0.5 * thinnest * areas)[:1]:
        rule = f"the surface of a solid, but the piece with vertex {names[piece]} encloses no volume"
        refuse(owner, "faces", triangles[pieces == piece].tolist(), rule)
    for piece in np.flatnonzero(volumes < 0.0):
        own = pieces == piece
        if volumes.sum() <= 0.0 or not _is_inside(corners[own][0, 0], corners[~own]):
            rule = (
                f"wound counter-clockwise seen from outside, but those of the piece with vertex {names[piece]} are wound "
                "inward (swap two indices of each)"
            )
            refuse(owner, "faces", triangles[own].tolist(), rule)


def _pieces(triangles: IndexArray) -> IndexArray:
    """The lowest vertex that each face is connected to, shape (m,)."""
    label: IndexArray = np.arange(int(triangles.max()) + 1)
    while True:
        corners = label[triangles]
        lowest: IndexArray = corners.min(axis=1)
        if np.array_equal(corners, np.stack((lowest, lowest, lowest), axis=1)):
            return lowest
        # Lower the labels and not only the vertices, and follow every chain to its end. This takes 9 rounds for a sphere of
        # 131072 faces and 11 for a strip of 100000 with randomly numbered vertices; lowering vertices alone took 215.
        np.minimum.at(label, corners.ravel(), np.repeat(lowest, 3))
        while not np.array_equal(label, label[label]):
            label = label[label]


def _is_inside(point: FloatArray, corners: FloatArray) -> bool:
    """Whether the faces wind around a point that lies on none of them.

    Source: A. van Oosterom and J. Strackee 1983, the solid angle of a triangle. Only a yes or no leaves this function,
        so the last digits of the library's arctangent do not matter.
    """
    a, b, c = corners[:, 0] - point, corners[:, 1] - point, corners[:, 2] - point
    length_a, length_b, length_c = (np.sqrt(dot(side, side)) for side in (a, b, c))
    denominator = length_a * length_b * length_c + dot(a, b) * length_c + dot(b, c) * length_a + dot(c, a) * length_b
    half_angles = np.arctan2(dot(a, np.cross(b, c)), denominator)
    return float(half_angles.sum()) > math.pi  # 2π all around, 0 outside


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Row by row, in a fixed order of additions."""
    return a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2]
