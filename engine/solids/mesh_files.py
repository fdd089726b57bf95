"""Triangle meshes from files, read by trimesh, which is imported only when a file is read."""

import numpy as np

from ..checks import FloatArray, file_path, refuse
from .welding import IndexArray

FORMATS = (".glb", ".gltf", ".obj", ".stl")
"""The endings of the names of files that can be read."""


def read_mesh(path: object, owner: str) -> tuple[FloatArray, IndexArray]:
    """Read all triangles of a file, with the transformations of its nodes applied.

    Args:
        path: The path of a glTF, OBJ or STL file.
        owner: The owner to name in errors.

    Returns:
        Vertices, shape (n, 3), and the three vertex indices of each face, shape (m, 3).

    Raises:
        FileNotFoundError: If there is no file at `path`.
        ImportError: If trimesh is not installed.
        TypeError: If `path` is not a path.
        ValueError: If the format is unknown, or the file cannot be read or has no triangles.
    """
    file = file_path(path, "path", owner)
    if file.suffix.lower() not in FORMATS:
        refuse(owner, "path", str(file), f"a file in one of the formats {', '.join(FORMATS)}")
    if not file.is_file():
        raise FileNotFoundError(f"{owner}: path must point to an existing file; got {str(file)!r}")
    try:
        import trimesh
    except ImportError as error:
        raise ImportError(
            f'{owner}: reading {file.name} needs the package trimesh; install it with pip install "polhode[mesh]"'
        ) from error
    try:
        # unprocessed, because it is for `from_mesh` to merge vertices and to say how many
        mesh = trimesh.load_scene(file, process=False).to_mesh()
        vertices, faces = np.array(mesh.vertices, np.float64), np.array(mesh.faces, np.int64)
    except Exception as error:
        raise ValueError(f"{owner}: {file.name} cannot be read as {file.suffix.lower()[1:]}: {error!r}") from error
    if not len(faces):
        refuse(owner, "path", str(file), "a file that contains triangles")
    return vertices, faces
