"""Meshes as programs export them: vertices per face, welded vertices, open hulls, and files in glTF, OBJ and STL."""

import base64
import copy
import json
import pickle
import re
import struct
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from engine import MassProperties, World

from .test_mass_properties import assert_same, box_mesh, sphere_mesh

SIZE, CENTER = (1.5, 0.7, 2.2), (0.3, -0.4, 0.9)
BOX = MassProperties.box(density=3.0, size=SIZE).moved(CENTER, (0, 0, 0, 1))
MILLIMETRES = 1e-3


def soup(vertices, faces):
    """Every face with corners of its own, as STL has them."""
    return np.asarray(vertices)[np.asarray(faces)].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3)


# equal vertices


def test_vertices_with_the_same_bits_count_as_one_and_their_number_is_shown():
    vertices, faces = box_mesh(SIZE, CENTER)
    joined = MassProperties.from_mesh(vertices, faces, density=3.0)
    apart = MassProperties.from_mesh(*soup(vertices, faces), density=3.0)
    assert apart == joined and hash(apart) == hash(joined)
    assert "merged" not in repr(joined)
    assert repr(apart) == f"{joined!r}  # 28 vertices merged"
    assert eval(repr(apart)).mass == joined.mass
    for again in (copy.deepcopy(apart), pickle.loads(pickle.dumps(apart))):
        assert (again, repr(again)) == (apart, repr(apart))
    assert "merged" not in repr(apart.moved((0, 0, 0), (0, 0, 0, 1)))


def test_zero_and_minus_zero_are_the_same_coordinate():
    vertices, faces = soup(*box_mesh((2.0, 2.0, 2.0), (1.0, 1.0, 1.0)))
    vertices[np.flatnonzero(vertices[:, 0] == 0.0)[::2], 0] = -0.0
    assert repr(MassProperties.from_mesh(vertices, faces, density=1.0)).endswith("# 28 vertices merged")


def test_closed_pieces_that_touch_stay_apart_and_need_no_merging():
    """Two boxes face to face, each closed: along the common edges four faces meet."""
    one, other = box_mesh((1.0, 1.0, 1.0)), box_mesh((1.0, 1.0, 1.0), (1.0, 0.0, 0.0))
    vertices, faces = np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1] + 8])
    both = MassProperties.from_mesh(vertices, faces, density=2.0)
    assert_same(both, MassProperties.box(4.0, (2.0, 1.0, 1.0)).moved((0.5, 0.0, 0.0), (0, 0, 0, 1)), 1e-15)
    assert "merged" not in repr(both)
    with pytest.raises(ValueError, match="both run from vertex"):  # as a soup it cannot be told what belongs to what
        MassProperties.from_mesh(*soup(vertices, faces), density=2.0)


def test_a_mesh_that_is_still_open_after_merging_names_the_edge_and_the_two_ways_out():
    vertices, faces = soup(*box_mesh(SIZE))
    with pytest.raises(ValueError, match=r"3 open edges in all; .*weld=1e-6.*shell_thickness") as caught:
        MassProperties.from_mesh(vertices, faces[:-1], density=1.0)
    start, end, face = map(
        int, re.search(r"from vertex (\d+) to vertex (\d+) of face (\d+)", str(caught.value)).groups()
    )
    corners = vertices[faces[face]].tolist()
    assert vertices[start].tolist() in corners and vertices[end].tolist() in corners


# nearly equal vertices


@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_vertices_within_the_welding_distance_are_merged(offset):
    """Each corner of each face displaced by up to 3e-8 of the extent: open without welding, the box within that with it."""
    random = np.random.default_rng(3)
    vertices, faces = soup(*box_mesh(SIZE))
    vertices = (
        Rotation.from_rotvec((0.4, 0.9, -0.5)).apply(vertices) + random.uniform(-6e-8, 6e-8, vertices.shape) + offset
    )
    with pytest.raises(ValueError, match="open edges"):
        MassProperties.from_mesh(vertices, faces, density=3.0)
    with pytest.raises(ValueError, match="open edges"):
        MassProperties.from_mesh(vertices, faces, density=3.0, weld=1e-9)
    welded = MassProperties.from_mesh(vertices, faces, density=3.0, weld=1e-6)
    assert welded.mass == pytest.approx(BOX.mass, rel=1e-6)
    assert_allclose(welded.principal()[0], BOX.principal()[0], rtol=1e-6)
    assert repr(welded).endswith("# 28 vertices merged")


def test_the_welding_distance_is_relative_to_the_largest_extent():
    vertices, faces = soup(*box_mesh((1000.0, 1.0, 1.0)))
    vertices[5] += (0.09, 0.0, 0.0)  # 0.9e-4 of the extent
    for weld, closed in ((1e-4, True), (0.8e-4, False)):
        if closed:
            MassProperties.from_mesh(vertices, faces, density=1.0, weld=weld)
        else:
            with pytest.raises(ValueError, match="open edges"):
                MassProperties.from_mesh(vertices, faces, density=1.0, weld=weld)


def test_faces_that_lose_a_corner_by_welding_are_left_out():
    """A ball whose smallest faces are a seam: two rings of vertices 1e-8 apart, joined by slender faces."""
    vertices, faces = box_mesh((1.0, 1.0, 1.0))
    lid = vertices[[1, 3, 5, 7]] + (0.0, 0.0, 1e-8)
    raised = dict(zip((1, 3, 5, 7), (8, 9, 10, 11), strict=True))
    top = [face for face in faces.tolist() if set(face) <= set(raised)]
    rest = [face for face in faces.tolist() if face not in top]
    seam = [
        face for a, b in ((1, 5), (5, 7), (7, 3), (3, 1)) for face in ((a, b, raised[b]), (a, raised[b], raised[a]))
    ]
    everything = [*rest, *([raised[v] for v in face] for face in top), *seam]
    points = np.concatenate([vertices, lid])
    MassProperties.from_mesh(points, everything, density=1.0)  # closed as it is
    welded = MassProperties.from_mesh(points, everything, density=1.0, weld=1e-6)
    assert_same(welded, MassProperties.box(1.0, (1.0, 1.0, 1.0)), 1e-15)
    assert repr(welded).endswith("# 4 vertices merged")


def test_chains_of_vertices_each_within_the_distance_of_the_next_are_one():
    vertices, faces = soup(*box_mesh((1.0, 1.0, 1.0)))
    corner = np.flatnonzero((vertices == 0.5).all(axis=1))
    assert len(corner) >= 4
    vertices[corner, 1] += 0.9e-6 * np.random.default_rng(1).permutation(len(corner))
    MassProperties.from_mesh(vertices, faces, density=1.0, weld=1e-6)


@pytest.mark.parametrize("weld", [0.0, -1e-6, 0.011, 1.0, np.nan, np.inf, "1e-6", True, (1e-6,), 1j])
@pytest.mark.parametrize("shell", [None, 0.01])
def test_a_welding_distance_that_is_none_is_rejected(weld, shell):
    with pytest.raises((TypeError, ValueError), match=r"MassProperties\.from_mesh: weld must be"):
        MassProperties.from_mesh(*box_mesh(SIZE), density=1.0, weld=weld, shell_thickness=shell)


def test_a_mesh_that_is_welded_away_is_rejected():
    needle = [(0.0, 0.0, 0.0), (1e-4, 0.0, 0.0), (0.0, 0.0, 1.0)]
    with pytest.raises(ValueError, match=r"weld must be smaller than most faces; got .*; 1 of 1 faces lose a corner"):
        MassProperties.from_mesh(needle, [(0, 1, 2)], density=1.0, weld=1e-3, shell_thickness=0.01)


# shells


@pytest.mark.parametrize("thickness", [1e-3, 0.4])
def test_a_plate_of_a_thickness_is_the_flat_box(thickness):
    """m (b² + t²)/12 and its kin are exact, however thick; the faces may be wound either way, and the plate lies anywhere."""
    turn = Rotation.from_rotvec((0.4, 0.9, -0.5))
    corners = turn.apply([(-1, -0.5, 0), (1, -0.5, 0), (1, 0.5, 0), (-1, 0.5, 0)]) + CENTER
    plate = MassProperties.from_mesh(corners, [(0, 1, 2), (0, 3, 2)], density=7.0, shell_thickness=thickness)
    box = MassProperties.box(density=7.0, size=(2.0, 1.0, thickness)).moved(CENTER, turn.as_quat())
    assert_same(plate, box, 1e-14)
    assert plate == MassProperties.from_mesh(
        corners, [(0, 1, 2), (0, 3, 2)], mass=plate.mass, shell_thickness=thickness
    )


def test_a_triangular_plate_has_the_centre_and_the_tensor_of_its_closed_form():
    """Sides a and b at a right angle: the centre at a third of each; m b²/18, m a²/18, and the product of inertia m a b/36."""
    a, b, t, mass = 3.0, 2.0, 0.1, 5.0
    corners = np.array([(0, 0, 0), (a, 0, 0), (0, b, 0)]) + CENTER
    plate = MassProperties.from_mesh(corners, [(0, 1, 2)], mass=mass, shell_thickness=t)
    across, xy = t**2 / 12, mass * a * b / 36
    tensor = mass * np.diag((b**2 / 18 + across, a**2 / 18 + across, (a**2 + b**2) / 18))
    tensor[0, 1] = tensor[1, 0] = xy
    assert_allclose(plate.center_of_mass_body, CENTER + np.array((a, b, 0)) / 3, rtol=1e-14)
    assert_allclose(plate.inertia_body, tensor, atol=1e-14)


def test_an_open_tube_of_plates_is_four_plates():
    """The walls of a box without its lid and floor, against a composite of four plates."""
    vertices, faces = box_mesh((2.0, 1.0, 3.0))
    walls = [face for face in faces if len(set(vertices[face, 2])) > 1]
    tube = MassProperties.from_mesh(vertices, walls, density=5.0, shell_thickness=1e-6)
    parts = []
    for at, size in (
        ((1, 0, 0), (1e-6, 1, 3)),
        ((-1, 0, 0), (1e-6, 1, 3)),
        ((0, 0.5, 0), (2, 1e-6, 3)),
        ((0, -0.5, 0), (2, 1e-6, 3)),
    ):
        parts.append((MassProperties.box(density=5.0, size=size), at, (0, 0, 0, 1)))
    assert_same(tube, MassProperties.compound(parts), 1e-13)
    with pytest.raises(ValueError, match="open edges"):
        MassProperties.from_mesh(vertices, walls, density=5.0)


def test_a_shell_of_a_sphere_converges_to_the_hollow_sphere_at_second_order():
    """2/3 m r² = 2/3 kg·m²; the mesh is inside the sphere by an amount that falls with the square of the size of a face."""
    errors = []
    for halvings in (3, 4):
        shell = MassProperties.from_mesh(*sphere_mesh(halvings), mass=1.0, shell_thickness=1e-9)
        errors.append(abs(shell.inertia_body[0, 0] - 2.0 / 3.0))
        assert_allclose(shell.center_of_mass_body, 0.0, atol=1e-15)
    assert errors[0] < 0.02
    assert 3.8 < errors[0] / errors[1] < 4.2


def test_a_shell_of_a_soup_is_the_shell_and_can_fly():
    vertices, faces = box_mesh(SIZE, CENTER)
    whole = MassProperties.from_mesh(vertices, faces[:-2], density=9.0, shell_thickness=0.01)
    apart = MassProperties.from_mesh(*soup(vertices, faces[:-2]), density=9.0, shell_thickness=0.01)
    assert apart == whole
    assert repr(apart) == f"{whole!r}  # 22 vertices merged"
    World(0.01).add_body(apart)


@pytest.mark.parametrize(
    ("change", "kind", "rule"),
    [
        ({"shell_thickness": 0.0}, ValueError, "shell_thickness must be a finite real number above 0"),
        ({"shell_thickness": -0.1}, ValueError, "shell_thickness must be"),
        ({"shell_thickness": np.inf}, ValueError, "shell_thickness must be"),
        ({"shell_thickness": "thin"}, TypeError, "shell_thickness must be"),
        ({"shell_thickness": True}, TypeError, "shell_thickness must be"),
        ({"mass": 1.0}, ValueError, "exactly one of mass and density must be given"),
        ({"density": None}, ValueError, "exactly one of mass and density must be given"),
        (
            {"faces": [(0, 1, 2), (2, 0, 1)]},
            ValueError,
            "faces 0 and 1 have the same corners, which counts their mass twice",
        ),
        ({"faces": [(0, 1, 2), (0, 2, 1)]}, ValueError, "faces 0 and 1 have the same corners"),
        ({"faces": [(0, 1, 8)]}, ValueError, r"faces\[0\] must be indices of the 8 vertices"),
        ({"faces": [(0, 1, 1)]}, ValueError, r"faces\[0\] must be three different vertices"),
        ({"vertices": np.zeros((8, 3))}, ValueError, "non-zero area; got .*; its three corners lie on a line"),
        ({"vertices": np.full((8, 3), np.nan)}, ValueError, "vertices must be finite"),
    ],
)
def test_a_shell_that_has_no_meaning_is_rejected(change, kind, rule):
    vertices, faces = box_mesh(SIZE)
    arguments = {"vertices": vertices, "faces": faces[:3], "density": 2.0, "shell_thickness": 0.01, **change}
    with pytest.raises(kind, match=rf"MassProperties\.from_mesh: .*{rule}"):
        MassProperties.from_mesh(arguments.pop("vertices"), arguments.pop("faces"), **arguments)


# files


def write_stl(path, vertices, faces, text):
    corners = np.asarray(vertices)[faces]
    if text:
        lines = ["solid box"]
        for face in corners:
            points = [f"vertex {x!r} {y!r} {z!r}" for x, y, z in face.tolist()]
            lines += ["facet normal 0 0 0", "outer loop", *points, "endloop", "endfacet"]
        path.write_text("\n".join([*lines, "endsolid box", ""]), encoding="utf-8")
    else:
        rows = b"".join(np.append(np.zeros(3), face).astype("<f4").tobytes() + b"\0\0" for face in corners)
        path.write_bytes(b"\0" * 80 + struct.pack("<I", len(corners)) + rows)


def write_obj(path, vertices, faces):
    """With a normal per face, which makes readers split vertices, and in two groups."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices).tolist()]
    lines += [f"vn {number % 3} {number % 2} 1" for number in range(len(faces))]
    for number, face in enumerate(faces):
        lines += [f"g part{number // 6}"] if number % 6 == 0 else []
        lines.append("f " + " ".join(f"{index + 1}//{number + 1}" for index in face))
    path.write_text("\n".join(lines), encoding="utf-8")


def gltf(vertices, faces, **node):
    points, indices = np.asarray(vertices, "<f4"), np.asarray(faces, "<u2").ravel()
    data = points.tobytes() + indices.tobytes()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, **node}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(data)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": points.nbytes},
            {"buffer": 0, "byteOffset": points.nbytes, "byteLength": indices.nbytes},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3",
             "min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()},
            {"bufferView": 1, "componentType": 5123, "count": indices.size, "type": "SCALAR"},
        ],
    }  # fmt: skip
    return document, data


def write_gltf(path, vertices, faces, **node):
    document, data = gltf(vertices, faces, **node)
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    path.write_text(json.dumps(document), encoding="utf-8")


def write_glb(path, vertices, faces, **node):
    document, data = gltf(vertices, faces, **node)
    text = json.dumps(document).encode()
    text, data = text + b" " * (-len(text) % 4), data + b"\0" * (-len(data) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


WRITERS = {
    "text.stl": lambda path, *mesh: write_stl(path, *mesh, text=True),
    "binary.stl": lambda path, *mesh: write_stl(path, *mesh, text=False),
    "box.obj": write_obj,
    "box.gltf": write_gltf,
    "box.glb": write_glb,
    "BOX.STL": lambda path, *mesh: write_stl(path, *mesh, text=False),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_box_in_a_file_is_the_box(tmp_path, name):
    """Coordinates in single precision, in all but text: 1e-7 of the extent."""
    pytest.importorskip("trimesh")
    WRITERS[name](tmp_path / name, *box_mesh(SIZE, CENTER))
    for path in (tmp_path / name, str(tmp_path / name)):
        assert_same(MassProperties.from_file(path, density=3.0), BOX, 1e-6)
    small = MassProperties.from_file(tmp_path / name, density=3.0, scale=MILLIMETRES)
    assert small.mass == pytest.approx(1e-9 * BOX.mass, rel=1e-6)
    assert_allclose(small.center_of_mass_body, MILLIMETRES * np.array(CENTER), rtol=1e-6)
    if name.lower().endswith("stl"):
        assert repr(MassProperties.from_file(tmp_path / name, mass=1.0)).endswith("# 28 vertices merged")


def test_the_nodes_of_a_file_place_its_meshes(tmp_path):
    pytest.importorskip("trimesh")
    turn = Rotation.from_rotvec((0.4, 0.9, -0.5))
    node = {"translation": [4.0, -2.0, 1.0], "rotation": turn.as_quat().tolist(), "scale": [2.0, 2.0, 2.0]}
    write_gltf(tmp_path / "placed.gltf", *box_mesh(SIZE), **node)
    placed = MassProperties.from_file(tmp_path / "placed.gltf", density=3.0, weld=1e-5)
    wanted = MassProperties.box(density=3.0, size=2.0 * np.array(SIZE)).moved((4.0, -2.0, 1.0), turn.as_quat())
    assert_same(placed, wanted, 1e-6)


def test_an_open_hull_in_a_file_is_a_shell(tmp_path):
    pytest.importorskip("trimesh")
    vertices, faces = box_mesh(SIZE, CENTER)
    write_stl(tmp_path / "hull.stl", vertices, faces[:-2], text=True)
    with pytest.raises(ValueError, match=r"MassProperties\.from_file: faces must be a closed surface"):
        MassProperties.from_file(tmp_path / "hull.stl", density=9.0)
    hull = MassProperties.from_file(tmp_path / "hull.stl", density=9.0, shell_thickness=0.01)
    assert_same(hull, MassProperties.from_mesh(vertices, faces[:-2], density=9.0, shell_thickness=0.01), 1e-14)


def test_without_the_reader_the_error_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    write_stl(tmp_path / "box.stl", *box_mesh(SIZE), text=True)
    with pytest.raises(
        ImportError, match=r'MassProperties\.from_file: reading box\.stl needs .* pip install "polhode\[mesh\]"'
    ):
        MassProperties.from_file(tmp_path / "box.stl", density=1.0)


@pytest.mark.parametrize("path", [None, 5, 1.5, b"box.stl", ["box.stl"], object()])
def test_what_is_no_path_is_rejected(path):
    with pytest.raises(TypeError, match=r"MassProperties\.from_file: path must be the path of a file; got"):
        MassProperties.from_file(path, density=1.0)


@pytest.mark.parametrize("name", ["box.step", "box", "box.stl.gz"])
def test_a_format_that_is_not_known_is_rejected(tmp_path, name):
    with pytest.raises(ValueError, match=r"path must be a file in one of the formats \.glb, \.gltf, \.obj, \.stl; got"):
        MassProperties.from_file(tmp_path / name, density=1.0)


@pytest.mark.parametrize("path", ["", "box\0.stl"])
def test_a_path_that_cannot_be_one_of_a_file_is_rejected(path):
    with pytest.raises(ValueError, match=r"MassProperties\.from_file: path must be the path of a file, without null"):
        MassProperties.from_file(path, density=1.0)


def test_a_file_that_is_missing_broken_or_empty_is_rejected_by_name(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"MassProperties\.from_file: path must point to an existing file; got .*none\.stl"
    ):
        MassProperties.from_file(tmp_path / "none.stl", density=1.0)
    pytest.importorskip("trimesh")
    (tmp_path / "broken.gltf").write_text('{"asset": {', encoding="utf-8")
    with pytest.raises(ValueError, match=r"MassProperties\.from_file: broken\.gltf cannot be read as gltf: "):
        MassProperties.from_file(tmp_path / "broken.gltf", density=1.0)
    (tmp_path / "points.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"MassProperties\.from_file: .*points\.obj"):
        MassProperties.from_file(tmp_path / "points.obj", density=1.0)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf, "mm", None, True])
def test_a_unit_that_is_no_length_is_rejected(tmp_path, scale):
    with pytest.raises(
        (TypeError, ValueError), match=r"MassProperties\.from_file: scale must be a finite real number above 0"
    ):
        MassProperties.from_file(tmp_path / "box.stl", density=1.0, scale=scale)
