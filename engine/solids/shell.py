"""Area, mass centre and second moments of a thin shell of triangles, open or closed."""

import numpy as np

from ..checks import array, real, refuse
from .polyhedron import Integrals, dot, read_faces, refuse_flat_faces
from .symmetric import exact_sums, power_of_two
from .welding import IndexArray, merged_where_equal, merged_within


def integrals(vertices: object, faces: object, owner: object, thickness: object, weld: object) -> Integrals:
    """Compute integrals over plates of a thickness, whose middle surfaces are the faces.

    Args:
        vertices: Points [m], shape (n, 3). Vertices that no face uses are ignored.
        faces: Three vertex indices per face, in either direction, shape (m, 3).
        owner: The owner to name in errors.
        thickness: Thickness [m], above 0.
        weld: The distance for merging vertices, relative to the largest extent; None merges only equal vertices.

    Raises:
        TypeError: If the indices are not whole numbers, or another argument does not consist of real numbers.
        ValueError: If the shapes are wrong, a face has no area, or a face is given twice.

    Error: the plates overlap at folds, by a share of about thickness over the size of a face.
    Source: a triangle of area A with corners a, b, c and ``s = a + b + c`` has the first moment ``A s/3`` and the second moment
        ``A (aaᵀ + bbᵀ + ccᵀ + ssᵀ)/12``; a plate of thickness t adds ``A t²/12`` along its normal.
    """
    t = real(thickness, "shell_thickness", owner, above=0.0)
    points = array(vertices, "vertices", owner, (None, 3))
    given = read_faces(faces, len(points), owner)
    triangles = merged_where_equal(points, given) if weld is None else merged_within(points, given, weld, owner)

    used = points[triangles]
    lowest, highest = used.min(axis=(0, 1)), used.max(axis=(0, 1))
    reference = 0.5 * lowest + 0.5 * highest
    unit = power_of_two(float((0.5 * highest - 0.5 * lowest).max()))
    corners = (used - reference) / unit
    refuse_flat_faces(triangles, corners, owner)
    _refuse_repeated(triangles, owner)

    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normals = np.cross(b - a, c - a)
    lengths = np.sqrt(dot(normals, normals))
    total = exact_sums(lengths[:, np.newaxis])[0]
    share = (lengths / total)[:, np.newaxis]
    s = a + b + c
    center = exact_sums(share * s) / 3.0
    i, j = np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2])
    products = a[:, i] * a[:, j] + b[:, i] * b[:, j] + c[:, i] * c[:, j] + s[:, i] * s[:, j]
    directions = normals / lengths[:, np.newaxis]
    across = exact_sums(share * (directions[:, i] * directions[:, j]))
    spread = exact_sums(share * products) / 12.0 - center[i] * center[j]
    return Integrals(
        0.5 * float(total) * unit * unit * t,
        [float(at) + float(offset) * unit for at, offset in zip(reference, center, strict=True)],
        [float(value) * unit * unit + float(more) * t * t / 12.0 for value, more in zip(spread, across, strict=True)],
        len(np.unique(given)) - len(np.unique(triangles)),
    )


def _refuse_repeated(triangles: IndexArray, owner: object) -> None:
    _, first, counts = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True, return_counts=True)
    if (counts > 1).any():
        corners = np.sort(triangles[first[counts > 1][0]])
        same = np.flatnonzero((np.sort(triangles, axis=1) == corners).all(axis=1))
        rule = f"different triangles, but faces {same[0]} and {same[1]} have the same corners, which counts their mass twice"
        refuse(owner, "faces", triangles[same].tolist(), rule)
