"""Surfaces: closed, facing outwards, with the volume and the inertia of the solid that they bound."""

import copy
import pickle

import numpy as np
import pytest

from engine import MassProperties, rotation, shapes

TURN = rotation.from_axis_angle((0.3, -0.8, 0.5), 1.1)


def inscribed(count):
    """Area of a regular polygon in a circle, over the circle's."""
    return count / (2.0 * np.pi) * np.sin(2.0 * np.pi / count)


SHAPES = {
    "box": (shapes.Box((1.0, 2.0, 3.0)), 6.0, 1e-12),
    "cylinder": (shapes.Cylinder(0.5, 3.0), np.pi * 0.25 * 3.0 * inscribed(32), 1e-12),
    # inscribed polyhedra are smaller than the round solids
    "sphere": (shapes.Sphere(0.5), 4.0 / 3.0 * np.pi * 0.125, 0.03),
    "capsule": (shapes.Capsule(0.5, 2.0), 4.0 / 3.0 * np.pi * 0.125 + np.pi * 0.25 * 2.0, 0.02),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_surface_is_closed_and_encloses_the_volume_of_its_solid(name):
    shape, volume, tolerance = SHAPES[name]
    edges = np.sort(np.concatenate([shape.faces[:, [0, 1]], shape.faces[:, [1, 2]], shape.faces[:, [2, 0]]]), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()
    a, b, c = np.moveaxis(shape.vertices[shape.faces], 1, 0)
    # the divergence theorem: positive only if the triangles face outwards
    assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0 == pytest.approx(volume, rel=tolerance)


@pytest.mark.parametrize("name", ["box", "cylinder", "capsule"])
def test_a_compound_turns_and_then_moves_its_parts(name):
    shape, _, _ = SHAPES[name]
    ball = shapes.Sphere(0.1)
    whole = shapes.Compound([(ball, (0, 0, 5), (0, 0, 0, 1)), (shape, (1.0, -2.0, 0.5), TURN)])
    expected = [rotation.rotate(TURN, vertex) + np.array((1.0, -2.0, 0.5)) for vertex in shape.vertices]
    count = len(ball.vertices)
    assert np.allclose(whole.vertices[count:], expected, rtol=0.0, atol=1e-14)
    assert np.array_equal(whole.faces[len(ball.faces) :], shape.faces + count)
    assert whole.reach == pytest.approx(5.1)


def test_shapes_with_the_same_sizes_are_equal_and_can_be_made_again():
    wedge = shapes.TriangleMesh(
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
    )
    plane = shapes.Plane((0.3, -0.8, 0.5), 2.0)
    for shape in (*(shape for shape, _, _ in SHAPES.values()), wedge, plane, shapes.Material(0.3, 0.5)):
        again = pickle.loads(pickle.dumps(shape))
        assert again == shape and hash(again) == hash(shape) and again is not shape
    whole = shapes.Compound([(plane, (0, 0, 1), TURN), (wedge, (1, 2, 3), TURN)])
    assert copy.deepcopy(whole) == whole != shapes.Compound([(plane, (0, 0, 1), TURN)])
    assert shapes.Box((1, 2, 3)) != shapes.Box((1, 2, 4)) and shapes.Sphere(1.0) != shapes.Cylinder(1.0, 1.0)


def test_the_equivalent_box_has_the_moments_of_the_body():
    part = MassProperties.box(7.0, (0.4, 1.0, 2.5))
    whole = MassProperties.compound([(part, (0.3, 0.2, -0.1), TURN)])
    box = shapes.equivalent_box(whole.mass, whole.inertia_body, whole.center_of_mass_body)
    again = MassProperties.from_mesh(box.vertices, box.faces, mass=7.0)
    assert np.allclose(again.inertia_body, whole.inertia_body, rtol=1e-12, atol=1e-12)
    assert np.allclose(again.center_of_mass_body, whole.center_of_mass_body, rtol=0.0, atol=1e-13)


def test_the_equivalent_box_of_a_flat_body_stays_visible():
    plate = shapes.equivalent_box(1.0, np.diag((1.0, 1.0, 2.0)))
    length, _, thickness = np.ptp(plate.vertices, axis=0)
    assert thickness == pytest.approx(0.01 * length)


def test_a_mesh_is_read_from_a_file_and_scaled(tmp_path):
    path = tmp_path / "wedge.obj"
    path.write_text(
        "v 0 0 0\nv 1000 0 0\nv 0 1000 0\nv 0 0 1000\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n", encoding="utf-8"
    )
    mesh = shapes.TriangleMesh(path, scale=1e-3)
    assert mesh.reach == pytest.approx(1.0) and len(mesh.faces) == 4


def test_shapes_are_read_only():
    box = shapes.Box((1.0, 1.0, 1.0))
    with pytest.raises(ValueError, match="read-only"):
        box.vertices[0, 0] = 2.0
    with pytest.raises(AttributeError, match="vertices"):
        box.vertices = np.zeros((8, 3))
    with pytest.raises(AttributeError, match="Box: size cannot be changed"):
        box.size = (1.0, 1.0, 2.0)


@pytest.mark.parametrize(
    ("call", "kind", "named"),
    [
        (lambda: shapes.Box((1.0, 0.0, 1.0)), ValueError, "shapes.Box: size"),
        (lambda: shapes.Box("long"), TypeError, "shapes.Box: size"),
        (lambda: shapes.Compound([]), ValueError, "shapes.Compound: parts"),
        (lambda: shapes.Compound([shapes.Sphere(1.0)]), TypeError, "shapes.Compound: parts"),
        (
            lambda: shapes.Compound([(shapes.Sphere(1.0), (0, 0, 0), (0, 0, 0, 0))]),
            ValueError,
            r"shapes.Compound: parts\[0\] orientation",
        ),
        (lambda: shapes.Plane((0, 0, 0)), ValueError, "shapes.Plane: normal"),
        (lambda: shapes.Plane((0, 0, 1), float("nan")), ValueError, "shapes.Plane: offset"),
        (lambda: shapes.Material(-0.1), ValueError, "shapes.Material: friction"),
        (lambda: shapes.Material(0.1, 1.5), ValueError, "shapes.Material: restitution"),
        (lambda: shapes.Sphere(0.0), ValueError, "shapes.Sphere: radius"),
        (lambda: shapes.Cylinder(1.0, -1.0), ValueError, "shapes.Cylinder: height"),
        (lambda: shapes.Capsule(1.0, -1.0), ValueError, "shapes.Capsule: height"),
        (lambda: shapes.TriangleMesh(np.eye(3), [(0, 1, 3)]), ValueError, "shapes.TriangleMesh: faces"),
        (lambda: shapes.TriangleMesh(np.eye(3), [(0, 1, 1.5)]), ValueError, "shapes.TriangleMesh: faces"),
        (lambda: shapes.TriangleMesh(np.eye(3), np.zeros((0, 3))), ValueError, "shapes.TriangleMesh: faces"),
        (lambda: shapes.TriangleMesh("ship.stl", [(0, 1, 2)]), TypeError, "shapes.TriangleMesh: faces"),
        (lambda: shapes.TriangleMesh("nowhere.stl"), FileNotFoundError, "nowhere.stl"),
        (lambda: shapes.equivalent_box(0.0, np.eye(3)), ValueError, "mass"),
        (lambda: shapes.equivalent_box(1.0, np.zeros((3, 3))), ValueError, "inertia_body"),
    ],
)
def test_bad_arguments_are_named(call, kind, named):
    with pytest.raises(kind, match=named):
        call()
