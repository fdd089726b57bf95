"""Mass, mass centre and inertia: against integrals over slices, exact rational arithmetic, sums over points and one another."""

import copy
import math
import pickle
import re
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

from engine import MassProperties, World
from engine.solids.polyhedron import refuse_flat_faces
from engine.solids.symmetric import power_of_two

EPS = 2.0**-52
SKEW = Rotation.from_rotvec((0.4, -1.1, 0.7))
OTHER_SKEW = Rotation.from_rotvec((-1.3, 0.2, 0.9))
NO_TURN = (0.0, 0.0, 0.0, 1.0)
RATIONAL_QUATERNION = (1, -2, 3, 4)  # its rotation matrix is rational: no rounding in what is known to be true


def assert_same(one, other, tolerance):
    """Mass and inertia relative, mass centre relative to the body's size."""
    size = math.sqrt(np.trace(other.inertia_body) / other.mass)
    assert one.mass == pytest.approx(other.mass, rel=tolerance)
    assert np.abs(one.center_of_mass_body - other.center_of_mass_body).max() <= tolerance * size
    assert np.abs(one.inertia_body - other.inertia_body).max() <= tolerance * np.abs(other.inertia_body).max()


def sum_over_points(masses, positions):
    """Mass, mass centre and inertia about it, from the definition."""
    masses, positions = np.asarray(masses), np.asarray(positions)
    center = (masses[:, np.newaxis] * positions).sum(axis=0) / masses.sum()
    inertia = np.zeros((3, 3))
    for mass, offset in zip(masses, positions - center, strict=True):
        inertia += mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))
    return masses.sum(), center, inertia


def rational_tensor(moments):
    """The tensor with these moments about odd axes, exact and then each element rounded once; and the exact one."""
    x, y, z, w = (Fraction(value) for value in RATIONAL_QUATERNION)
    squared = x * x + y * y + z * z + w * w
    matrix = [
        [1 - 2 * (y * y + z * z) / squared, 2 * (x * y - z * w) / squared, 2 * (x * z + y * w) / squared],
        [2 * (x * y + z * w) / squared, 1 - 2 * (x * x + z * z) / squared, 2 * (y * z - x * w) / squared],
        [2 * (x * z - y * w) / squared, 2 * (y * z + x * w) / squared, 1 - 2 * (x * x + y * y) / squared],
    ]
    exact = [
        [sum(matrix[i][k] * Fraction(moments[k]) * matrix[j][k] for k in range(3)) for j in range(3)] for i in range(3)
    ]
    return np.array([[float(element) for element in row] for row in exact]), exact


# -- meshes --


def box_mesh(size, center=(0.0, 0.0, 0.0)):
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]
    return corners * size + center, np.array(faces)


def prism_mesh(outline, triangles, height):
    """Prism over a polygon given counter-clockwise, from z = 0, and how the polygon is cut into triangles."""
    count = len(outline)
    vertices = [(x, y, z) for z in (0.0, height) for x, y in outline]
    faces = [(c, b, a) for a, b, c in triangles] + [(a + count, b + count, c + count) for a, b, c in triangles]
    for a in range(count):
        b = (a + 1) % count
        faces += [(a, b, b + count), (a, b + count, a + count)]
    return np.array(vertices), np.array(faces)


def sphere_mesh(halvings):
    """Regular octahedron, each face cut in four and its corners put on the unit sphere, several times."""
    vertices = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    vertices = [np.array(vertex, dtype=float) for vertex in vertices]
    for _ in range(halvings):
        middles = {}

        def middle(a, b, middles=middles):
            key = (min(a, b), max(a, b))
            if key not in middles:
                point = vertices[a] + vertices[b]
                vertices.append(point / np.linalg.norm(point))
                middles[key] = len(vertices) - 1
            return middles[key]

        cut = []
        for a, b, c in faces:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            cut += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        faces = cut
    return np.array(vertices), np.array(faces)


# -- uniform solids --

SOLIDS_OF_REVOLUTION = {
    # radius squared at height z, ends, and what should be the same solid
    "sphere": (lambda z: 0.7**2 - z * z, [-0.7, 0.7], lambda **given: MassProperties.sphere(radius=0.7, **given)),
    "cylinder": (
        lambda z: 0.49,
        [-0.65, 0.65],
        lambda **given: MassProperties.cylinder(radius=0.7, height=1.3, **given),
    ),
    "capsule": (
        lambda z: 0.49 if abs(z) < 0.65 else 0.49 - (abs(z) - 0.65) ** 2,
        [-1.35, -0.65, 0.65, 1.35],
        lambda **given: MassProperties.capsule(radius=0.7, height=1.3, **given),
    ),
    "flat capsule": (
        lambda z: 0.49 if abs(z) < 0.01 else 0.49 - (abs(z) - 0.01) ** 2,
        [-0.71, -0.01, 0.01, 0.71],
        lambda **given: MassProperties.capsule(radius=0.7, height=0.02, **given),
    ),
    "cone": (
        lambda z: (0.7 * (1.3 - z) / 1.3) ** 2,
        [0.0, 1.3],
        lambda **given: MassProperties.cone(radius=0.7, height=1.3, **given),
    ),
}


@pytest.mark.parametrize("name", SOLIDS_OF_REVOLUTION)
def test_solids_of_revolution_agree_with_the_integral_over_discs(name):
    """Discs of radius ρ: V = ∫ πρ² dz, I_z = ∫ πρ⁴/2 dz, I_x = ∫ πρ⁴/4 + πρ² z² dz, by quadrature between the ends."""
    radius_squared, ends, make = SOLIDS_OF_REVOLUTION[name]

    def over_height(function):
        return sum(quad(function, a, b, epsabs=0.0, epsrel=1e-13)[0] for a, b in pairwise(ends))

    volume = over_height(lambda z: math.pi * radius_squared(z))
    middle = over_height(lambda z: math.pi * radius_squared(z) * z + 1.0) - (ends[-1] - ends[0])
    middle /= volume
    along = over_height(lambda z: math.pi / 2.0 * radius_squared(z) ** 2)
    across = over_height(
        lambda z: math.pi / 4.0 * radius_squared(z) ** 2 + math.pi * radius_squared(z) * (z - middle) ** 2
    )

    solid = make(density=2700.0)
    assert solid.mass == pytest.approx(2700.0 * volume, rel=1e-13)
    assert np.allclose(solid.inertia_body, 2700.0 * np.diag([across, across, along]), rtol=1e-12, atol=0.0)
    assert not solid.center_of_mass_body.any()
    assert_same(make(mass=2700.0 * volume), solid, 1e-13)


def test_the_cones_mass_centre_is_a_quarter_of_the_height_above_the_base():
    """A cone is a smaller cone and a frustum: put together from the doc's mass centres they must give its inertia."""
    whole = MassProperties.cone(density=800.0, radius=0.7, height=1.3)
    tip = MassProperties.cone(density=800.0, radius=0.35, height=0.65)
    frustum_mass = whole.mass - tip.mass
    # Seen from the whole's mass centre: base at −h/4, the tip's mass centre at a quarter of its height above its base.
    tip_center = -1.3 / 4.0 + 0.65 + 0.65 / 4.0
    frustum_center = -tip.mass * tip_center / frustum_mass

    def over_frustum(function):
        return quad(lambda z: function(z, (0.7 * (1.0 - (z + 1.3 / 4.0) / 1.3)) ** 2), -1.3 / 4.0, 0.65 - 1.3 / 4.0)[0]

    assert frustum_center == pytest.approx(
        800.0 * math.pi * over_frustum(lambda z, rr: z * rr) / frustum_mass, rel=1e-12
    )
    across = 800.0 * math.pi * over_frustum(lambda z, rr: rr * rr / 4.0 + rr * (z - frustum_center) ** 2)
    along = 800.0 * math.pi * over_frustum(lambda z, rr: rr * rr / 2.0)
    frustum = MassProperties(frustum_mass, (across, across, along))
    joined = MassProperties.compound(
        [(tip, (0.0, 0.0, tip_center), NO_TURN), (frustum, (0.0, 0.0, frustum_center), NO_TURN)]
    )
    assert_same(joined, whole, 1e-12)


def test_ellipsoid_agrees_with_the_integral_over_elliptic_slices():
    """A slice at z has semi-axes a s, b s, s² = 1 − z²/c²; its own moments are A a²s²/4, A b²s²/4."""
    a, b, c = 0.5, 0.8, 1.7

    def over_height(function):
        return quad(lambda z: math.pi * a * b * (1.0 - z * z / c**2) * function(z, 1.0 - z * z / c**2), -c, c)[0]

    xx = over_height(lambda z, ss: a * a * ss / 4.0)
    yy = over_height(lambda z, ss: b * b * ss / 4.0)
    zz = over_height(lambda z, ss: z * z)
    ellipsoid = MassProperties.ellipsoid(density=3.0, semi_axes=(a, b, c))
    assert np.allclose(ellipsoid.inertia_body, 3.0 * np.diag([yy + zz, xx + zz, xx + yy]), rtol=1e-12, atol=0.0)
    assert ellipsoid.mass == pytest.approx(3.0 * over_height(lambda z, ss: 1.0), rel=1e-13)


def test_shell_and_rod_agree_with_their_integrals():
    """A sphere's zones of equal height have equal area: the mean of ρ² = r² − z² over z. A rod: the mean of z²."""
    r, length = 1.3, 2.7
    shell = MassProperties.hollow_sphere(5.0, r)
    moment = 5.0 * quad(lambda z: r * r - z * z, -r, r)[0] / (2.0 * r)
    assert np.allclose(shell.inertia_body, moment * np.eye(3), rtol=1e-13, atol=0.0)
    rod = MassProperties.rod(5.0, length)
    moment = 5.0 * quad(lambda z: z * z, -length / 2.0, length / 2.0)[0] / length
    assert np.allclose(rod.inertia_body, np.diag([moment, moment, 0.0]), rtol=1e-13, atol=0.0)


def test_capsule_without_a_cylinder_is_a_ball():
    assert_same(MassProperties.capsule(3.0, 0.4, 0.0), MassProperties.sphere(3.0, 0.4), 2.0 * EPS)
    assert_same(
        MassProperties.capsule(density=3.0, radius=0.4, height=0.0),
        MassProperties.sphere(density=3.0, radius=0.4),
        4.0 * EPS,
    )


@pytest.mark.parametrize("height", [-1e-300, -1.0, math.nan, math.inf])
def test_capsule_of_no_real_height_is_refused(height):
    with pytest.raises(ValueError, match=r"MassProperties.capsule: height must be a finite real number, at least 0"):
        MassProperties.capsule(1.0, 0.5, height)


def test_shell_is_the_difference_of_two_balls():
    """d(2/5 ρV r²)/d(ρV): a shell of relative thickness t differs from the thin one by order t."""
    thin, t = MassProperties.hollow_sphere(1.0, 1.0).inertia_body[0, 0], 1e-4
    outer, inner = MassProperties.sphere(density=1.0, radius=1.0), MassProperties.sphere(density=1.0, radius=1.0 - t)
    ratio = (outer.inertia_body[0, 0] - inner.inertia_body[0, 0]) / (outer.mass - inner.mass)
    assert ratio == pytest.approx(thin * (1.0 - t), rel=t * t * 2.0 + 1e-11)


def test_a_box_of_whole_numbers_has_whole_moments():
    box = MassProperties.box(mass=1200.0, size=(2.0, 2.0, 4.0))
    assert box.inertia_body.tolist() == [[2000.0, 0.0, 0.0], [0.0, 2000.0, 0.0], [0.0, 0.0, 800.0]]
    assert box == MassProperties.box(density=75.0, size=(2, 2, 4))


# -- meshes --


@pytest.mark.parametrize("turn", [Rotation.identity(), SKEW], ids=["straight", "skew"])
def test_mesh_of_a_box_is_the_box(turn):
    vertices, faces = box_mesh((0.7, 1.9, 1.2))
    shift = np.array([0.3, -2.0, 1.1])
    mesh = MassProperties.from_mesh(turn.apply(vertices) + shift, faces, density=500.0)
    box = MassProperties.box(density=500.0, size=(0.7, 1.9, 1.2)).moved(shift, turn.as_quat())
    assert_same(mesh, box, 8.0 * EPS)
    assert_same(MassProperties.from_mesh(turn.apply(vertices) + shift, faces, mass=box.mass), box, 8.0 * EPS)


def test_a_mesh_far_from_its_origin_keeps_its_digits():
    """Corners exact in binary at both places: only the integration itself could lose digits, and it loses none."""
    vertices, faces = box_mesh((0.5, 1.75, 1.25))
    near = MassProperties.from_mesh(vertices, faces, density=8.0)
    far = MassProperties.from_mesh(vertices + np.array([2.0**20, -(2.0**21), 2.0**19]), faces, density=8.0)
    assert np.array_equal(far.inertia_body, near.inertia_body)
    assert far.mass == near.mass == 8.0 * 0.5 * 1.75 * 1.25
    assert far.center_of_mass_body.tolist() == [2.0**20, -(2.0**21), 2.0**19]
    assert_same(near, MassProperties.box(density=8.0, size=(0.5, 1.75, 1.25)), 4.0 * EPS)


def test_mesh_of_an_angle_is_two_boxes():
    """A solid that is not convex, with a mass centre that nobody chose, at an odd attitude."""
    outline = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 2.5), (0.0, 2.5)]
    vertices, faces = prism_mesh(outline, [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)], 0.8)
    mesh = MassProperties.from_mesh(SKEW.apply(vertices), faces, density=20.0)
    foot = MassProperties.box(density=20.0, size=(3.0, 1.0, 0.8))
    leg = MassProperties.box(density=20.0, size=(1.0, 1.5, 0.8))
    joined = MassProperties.compound([(foot, (1.5, 0.5, 0.4), NO_TURN), (leg, (0.5, 1.75, 0.4), NO_TURN)])
    assert_same(mesh, joined.moved((0.0, 0.0, 0.0), SKEW.as_quat()), 20.0 * EPS)


def test_mesh_of_a_sphere_converges_to_the_ball_at_second_order():
    """An inscribed polyhedron of edge h misses the sphere by order h²: each halving divides the error by four."""
    ball = MassProperties.sphere(density=1.0, radius=1.0)
    errors = []
    for halvings in (3, 4, 5):
        mesh = MassProperties.from_mesh(*sphere_mesh(halvings), density=1.0)
        errors.append((1.0 - mesh.mass / ball.mass, 1.0 - mesh.inertia_body[1, 1] / ball.inertia_body[1, 1]))
    errors = np.array(errors)
    assert np.allclose(np.log2(errors[:-1] / errors[1:]), 2.0, atol=0.04)  # measured 1.97 to 1.996
    assert errors[-1].max() < 0.003


def test_an_ellipsoids_mesh_is_to_the_ellipsoid_as_the_spheres_mesh_is_to_the_ball():
    """Stretching maps second moments exactly: the ellipsoid's formula times the one ratio that the mesh misses."""
    vertices, faces = sphere_mesh(3)
    round_mesh = MassProperties.from_mesh(vertices, faces, mass=1.0)
    ratio = round_mesh.inertia_body[0, 0] / MassProperties.sphere(1.0, 1.0).inertia_body[0, 0]
    stretched = MassProperties.from_mesh(SKEW.apply(vertices * (0.5, 0.8, 1.7)), faces, mass=2.0)
    ellipsoid = MassProperties.ellipsoid(2.0, (0.5, 0.8, 1.7)).moved((0.0, 0.0, 0.0), SKEW.as_quat())
    assert np.allclose(stretched.inertia_body, ratio * ellipsoid.inertia_body, rtol=0.0, atol=1e-14)


def test_an_inward_wall_inside_a_mesh_is_a_cavity():
    outer_vertices, faces = box_mesh((2.0, 3.0, 2.5))
    inner_vertices, _ = box_mesh((0.5, 0.6, 0.7), (0.4, -0.5, 0.3))
    vertices = np.concatenate([outer_vertices, inner_vertices])
    mesh = MassProperties.from_mesh(vertices, np.concatenate([faces, faces[:, ::-1] + 8]), density=10.0)
    outer = MassProperties.box(density=10.0, size=(2.0, 3.0, 2.5))
    inner = MassProperties.box(density=10.0, size=(0.5, 0.6, 0.7))
    # What fills the cavity makes the body whole again.
    whole = MassProperties.compound([(mesh, (0, 0, 0), NO_TURN), (inner, (0.4, -0.5, 0.3), NO_TURN)])
    assert mesh.mass == pytest.approx(outer.mass - inner.mass, rel=1e-14)
    assert_same(whole, outer, 1e-14)


def test_separate_pieces_of_a_mesh_add_up():
    vertices, faces = box_mesh((1.0, 2.0, 0.5))
    other, _ = box_mesh((0.3, 0.2, 0.9), (4.0, -1.0, 2.0))
    mesh = MassProperties.from_mesh(np.concatenate([vertices, other]), np.concatenate([faces, faces + 8]), density=7.0)
    joined = MassProperties.compound(
        [
            (MassProperties.box(density=7.0, size=(1.0, 2.0, 0.5)), (0.0, 0.0, 0.0), NO_TURN),
            (MassProperties.box(density=7.0, size=(0.3, 0.2, 0.9)), (4.0, -1.0, 2.0), NO_TURN),
        ]
    )
    assert_same(mesh, joined, 1e-14)


def test_a_mesh_does_not_depend_on_the_order_of_its_faces():
    """Sums are rounded once: equal to the last bit."""
    vertices, faces = sphere_mesh(2)
    vertices = SKEW.apply(vertices * (1.0, 1.4, 0.6)) + np.array([0.3, 0.1, -4.0])
    order = np.random.default_rng(5).permutation(len(faces))
    assert MassProperties.from_mesh(vertices, faces, density=3.0) == MassProperties.from_mesh(
        vertices, faces[order], density=3.0
    )


def test_pieces_are_told_apart_whatever_the_order_of_their_vertices():
    """Many boxes, vertices and faces shuffled together, one of them inside out: that one is named."""
    random = np.random.default_rng(11)
    vertices, faces = box_mesh((0.5, 0.6, 0.7))
    everything = np.concatenate([vertices + np.array([number, 2.0 * number, 0.3]) for number in range(20)])
    names, order = random.permutation(160), random.permutation(240)
    triangles = names[np.concatenate([faces + 8 * number for number in range(20)])]
    shuffled = np.empty_like(everything)
    shuffled[names] = everything
    sound = MassProperties.from_mesh(shuffled, triangles[order], density=2.0)
    assert sound.mass == pytest.approx(2.0 * 20 * 0.5 * 0.6 * 0.7, rel=1e-14)
    triangles[12 * 7 : 12 * 8] = triangles[12 * 7 : 12 * 8, ::-1]
    with pytest.raises(ValueError, match=f"piece with vertex {names[56:64].min()} are wound inward"):
        MassProperties.from_mesh(shuffled, triangles[order], density=2.0)


def bad_meshes():
    vertices, faces = box_mesh((1.0, 2.0, 3.0))
    flipped = faces.copy()
    flipped[3] = flipped[3, ::-1]
    halves = faces[[0, 1]].tolist()
    sliver = SKEW.apply([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.5, 1.0, 0.0), (0.6, 0.3, 1.0)])
    sheet = SKEW.apply([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.1, 1.0, 0.0), (0.0, 1.0, 0.0)]) + 3.0
    two = np.concatenate([vertices, box_mesh((0.5, 0.5, 0.5), (9.0, 0.0, 0.0))[0]])
    around = np.concatenate([vertices, box_mesh((4.0, 4.0, 4.0))[0]])
    tetrahedron = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    return {
        "open": (vertices, faces[:-1], ValueError, r"closed surface, but the edge from vertex \d+ to vertex \d+ of face \d+ is open"),
        "one face turned over": (vertices, flipped, ValueError, r"faces \d+ and \d+ both run from vertex"),
        "one face twice": (vertices, [*faces.tolist(), faces[0].tolist()], ValueError, "faces 0 and 12 both run"),
        "inside out": (vertices, faces[:, ::-1], ValueError, "inward"),
        "one piece inside out": (two, np.concatenate([faces, faces[:, ::-1] + 8]), ValueError, "piece with vertex 8 .*inward"),
        "wall of the cavity outside": (around, np.concatenate([faces, faces[:, ::-1] + 8]), ValueError, "inward"),
        "repeated corner": (vertices, [[0, 1, 1], *halves], ValueError, r"faces\[0\] must be three different vertices"),
        "corners on a line": (sliver, [(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)], ValueError, r"faces\[0\].*on a line"),
        "corners at one place": (np.zeros((4, 3)), tetrahedron, ValueError, "on a line"),
        "flat": (sheet, tetrahedron, ValueError, "encloses no volume"),
        "double card": (sheet[:3], [(0, 1, 2), (0, 2, 1)], ValueError, "encloses no volume"),
        "index too high": (vertices, [[0, 1, 8], *halves], ValueError, r"faces\[0\] must be indices of the 8 vertices"),
        "index negative": (vertices, np.array([[0, 1, -1], *halves]), ValueError, "0 to 7; got .0, 1, -1"),
        "index huge": (vertices, [[0, 1, 10**30]], ValueError, "0 to 7"),
        "index beyond int64": (vertices, np.array([[0, 1, 2**63 + 1]], dtype=np.uint64), ValueError, "0 to 7"),
        "floating-point index": (vertices, faces.astype(float), TypeError, r"faces\[0\] must be whole numbers"),
        "half an index": (vertices, [[0, 1, 1.5]], TypeError, "whole numbers"),
        "bool index": (vertices, [[False, True, 2]], TypeError, "whole numbers"),
        "bool array": (vertices, np.ones((4, 3), dtype=bool), TypeError, "whole numbers"),
        "text": (vertices, "123", TypeError, "whole numbers"),
        "none": (vertices, None, TypeError, "whole numbers"),
        "no faces": (vertices, [], TypeError, "whole numbers"),
        "no faces in an array": (vertices, np.zeros((0, 3), dtype=int), ValueError, "three vertex indices"),
        "masked": (vertices, np.ma.MaskedArray(faces), TypeError, "whole numbers"),
        "four-cornered": (vertices, [[0, 1, 3, 2]], ValueError, "cut other polygons into triangles"),
        "four-cornered array": (vertices, np.array([[0, 1, 3, 2]]), ValueError, "cut other polygons into triangles"),
        "one-dimensional": (vertices, np.array([0, 1, 2]), ValueError, "shape"),
        "not finite": (np.where(vertices > 0, np.nan, vertices), faces, ValueError, "vertices must be finite"),
        "flat vertices": (vertices[:, :2], faces, ValueError, "vertices must be"),
    }  # fmt: skip


@pytest.mark.parametrize("name", bad_meshes())
def test_a_mesh_that_bounds_no_solid_is_refused_with_the_reason(name):
    vertices, faces, error, reason = bad_meshes()[name]
    with pytest.raises(error, match=reason) as caught:
        MassProperties.from_mesh(vertices, faces, density=1.0)
    assert str(caught.value).startswith("MassProperties.from_mesh: ")


ROUND = sphere_mesh(1)


def edges(face):
    """The directed edges of a face as pairs of vertices."""
    return {(int(face[k]), int(face[(k + 1) % 3])) for k in range(3)}


@pytest.mark.parametrize("turned", range(len(ROUND[1])))
def test_the_error_names_the_face_that_is_wound_the_wrong_way(turned):
    """Two faces that do run along the edge named, in the same direction, one of them the one that was turned over."""
    vertices, faces = ROUND[0], ROUND[1].copy()
    faces[turned] = faces[turned, ::-1]
    with pytest.raises(ValueError, match="run from vertex") as caught:
        MassProperties.from_mesh(vertices, faces, density=1.0)
    said = re.search(r"faces (\d+) and (\d+) both run from vertex (\d+) to vertex (\d+)", str(caught.value))
    one, other, start, end = map(int, said.groups())
    assert one != other and turned in (one, other)
    assert (start, end) in edges(faces[one]) & edges(faces[other])
    assert f"{[faces[one].tolist(), faces[other].tolist()]}" in str(caught.value)


@pytest.mark.parametrize("missing", range(len(ROUND[1])))
def test_the_error_names_an_edge_of_the_hole(missing):
    vertices, faces = ROUND[0], np.delete(ROUND[1], missing, axis=0)
    with pytest.raises(ValueError, match="3 open edges in all") as caught:
        MassProperties.from_mesh(vertices, faces, density=1.0)
    said = re.search(r"from vertex (\d+) to vertex (\d+) of face (\d+)", str(caught.value))
    start, end, face = map(int, said.groups())
    assert (start, end) in edges(faces[face]) and (end, start) in edges(ROUND[1][missing])
    assert f"got {faces[face].tolist()}" in str(caught.value)


@pytest.mark.parametrize("part", [0.3, 1e-4, 1e-8])
def test_a_small_face_among_large_ones_is_not_flat(part):
    """A pyramid without its tip, whose lid is down to a hundred millionth of the base; mass centre of the whole less the tip."""
    base = np.array([(1.0, 0.0, 0.0), (-0.5, 0.8, 0.0), (-0.5, -0.8, 0.0)])
    lid = part * base + (0.0, 0.0, 1.0 - part)
    sides = [face for a, b in ((0, 1), (1, 2), (2, 0)) for face in ((a, b, b + 3), (a, b + 3, a + 3))]
    frustum = MassProperties.from_mesh(np.concatenate([base, lid]), [(0, 2, 1), (3, 4, 5), *sides], mass=1.0)
    height = (0.25 - part**3 * (1.0 - 0.75 * part)) / (1.0 - part**3)
    assert np.allclose(frustum.center_of_mass_body, (0.0, 0.0, height), rtol=0.0, atol=4.0 * EPS)


def tetrahedron_with_a_sliver(height):
    """The corner E lies off the middle of the edge AB by this part of its length, in the face ABC, which is cut into ABE, AEC and EBC."""
    vertices = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.5, 0.9, 0.0), (0.5, 0.4, 0.8), (0.5, height, 0.0)])
    a, b, c, d, e = range(5)
    return vertices, [(a, e, b), (a, c, e), (e, c, b), (a, b, d), (b, c, d), (c, a, d)]


def test_a_face_is_flat_below_a_height_of_1e_12_of_its_longest_side():
    sliver = MassProperties.from_mesh(*tetrahedron_with_a_sliver(3e-12), mass=1.0)
    assert_same(sliver, MassProperties.from_mesh(*tetrahedron_with_a_sliver(0.1), mass=1.0), 8.0 * EPS)
    with pytest.raises(
        ValueError, match=r"faces\[0\] must be a triangle with a non-zero area; got .*; its three corners lie on a line"
    ):
        MassProperties.from_mesh(*tetrahedron_with_a_sliver(3e-13), mass=1.0)


def test_a_flat_mesh_is_refused_at_any_attitude():
    """Rounding gives a flat sheet some volume of either sign: it is refused as flat, neither taken nor called inward."""
    sheet = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.1, 1.0, 0.0), (0.0, 1.0, 0.0)])
    for number, turn in enumerate(Rotation.random(20, random_state=3)):
        vertices = turn.apply(sheet) * 1.3**number + turn.apply((number, 7.0, 1e6 * (number % 2)))
        with pytest.raises(ValueError, match="encloses no volume"):
            MassProperties.from_mesh(vertices, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)], density=1.0)


def test_thin_meshes_are_solids():
    """A wire and a foil of one to a million: their faces are slender and their volume is small, but neither vanishes."""
    for size in ((1.0, 1e-6, 1e-6), (1.0, 1.0, 1e-6)):
        vertices, faces = box_mesh(size)
        mesh = MassProperties.from_mesh(SKEW.apply(vertices), faces, mass=1.0)
        box = MassProperties.box(1.0, size).moved((0.0, 0.0, 0.0), SKEW.as_quat())
        assert_same(mesh, box, 1e-9)  # measured 3e-12; the corners' own rounding is 1e-10 of the thickness


# -- points, compounds, moves --


def test_points_agree_with_the_sum_from_the_definition():
    random = np.random.default_rng(7)
    masses, positions = random.uniform(0.1, 5.0, 23), random.normal(size=(23, 3)) * (1.0, 2.0, 0.5) + (4.0, -1.0, 2.0)
    points = MassProperties.from_points(masses, positions)
    mass, center, inertia = sum_over_points(masses, positions)
    assert points.mass == pytest.approx(mass, rel=1e-15)
    assert np.allclose(points.center_of_mass_body, center, rtol=1e-14, atol=0.0)
    assert np.allclose(points.inertia_body, inertia, rtol=0.0, atol=1e-14 * np.abs(inertia).max())
    order = random.permutation(23)
    assert points == MassProperties.from_points(masses[order], positions[order])


def test_points_far_from_the_origin_keep_their_digits():
    """Positions exact in binary at both places, 2⁴⁰ m apart: the same tensor, and the mass centre rounded once (2⁻¹² m apart)."""
    positions = np.array([[0.5, 1.0, -0.25], [2.0, -1.5, 0.125], [-0.75, 0.0, 1.0], [0.0, 3.0, 0.5]])
    for seed in range(5):
        masses = np.random.default_rng(seed).uniform(0.1, 3.0, 4)
        near = MassProperties.from_points(masses, positions)
        far = MassProperties.from_points(masses, positions + 2.0**40)
        assert np.allclose(far.inertia_body, near.inertia_body, rtol=0.0, atol=1e-14)
        assert np.allclose(far.center_of_mass_body - 2.0**40, near.center_of_mass_body, rtol=0.0, atol=1.001 * 2.0**-13)


def test_points_at_one_place_have_no_inertia():
    """Exactly none, so that they are known to be singular, whatever the rounding of masses and places."""
    for masses in ([0.1, 0.7, 1.0 / 3.0], [16.0, 0.01], [3.0]):
        body = MassProperties.from_points(masses, [(0.1, -1.0 / 3.0, 1e5)] * len(masses))
        assert not body.inertia_body.any() and body.is_singular
        assert body.center_of_mass_body.tolist() == [0.1, -1.0 / 3.0, 1e5]


def test_two_halves_of_a_box_at_an_odd_attitude_are_the_box():
    place = np.array([3.0, -2.0, 1.0])
    half = MassProperties.box(density=40.0, size=(0.6, 0.8, 1.5))
    whole = MassProperties.box(density=40.0, size=(1.2, 0.8, 1.5)).moved(place, SKEW.as_quat())
    joined = MassProperties.compound(
        [(half, SKEW.apply((side * 0.3, 0.0, 0.0)) + place, SKEW.as_quat()) for side in (-1.0, 1.0)]
    )
    assert_same(joined, whole, 1e-12)
    assert_same(joined, whole, 20.0 * EPS)


def cloud(seed, count=5):
    random = np.random.default_rng(seed)
    return random.uniform(0.2, 3.0, count), random.normal(size=(count, 3)) + np.array([0.5, -1.0, 2.0])


def test_a_compound_of_clouds_is_the_cloud_of_all_points():
    """Each part has its own mass centre off its origin: both the turn about the origin and Steiner's rule are in it."""
    places = [((1.0, 0.5, -3.0), SKEW), ((-2.0, 0.3, 0.7), OTHER_SKEW), ((0.0, 0.1, 4.0), SKEW * OTHER_SKEW)]
    parts, all_masses, all_positions = [], [], []
    for seed, (position, turn) in enumerate(places):
        masses, positions = cloud(seed)
        parts.append((MassProperties.from_points(masses, positions), position, turn.as_quat()))
        all_masses.append(masses)
        all_positions.append(turn.apply(positions) + position)
    mass, center, inertia = sum_over_points(np.concatenate(all_masses), np.concatenate(all_positions))
    joined = MassProperties.compound(parts)
    assert joined.mass == pytest.approx(mass, rel=1e-15)
    assert np.allclose(joined.center_of_mass_body, center, rtol=0.0, atol=1e-14)
    assert np.allclose(joined.inertia_body, inertia, rtol=0.0, atol=1e-14 * np.abs(inertia).max())


def test_singular_parts_make_a_regular_body():
    """Three rods along the axes and a ball of lead: each rod m l²/12 about two axes, the ball nothing."""
    rod, lead = MassProperties.rod(2.0, 3.0), MassProperties.point_mass(5.0)
    to_x, to_y = Rotation.from_rotvec((0.0, math.pi / 2.0, 0.0)), Rotation.from_rotvec((-math.pi / 2.0, 0.0, 0.0))
    joined = MassProperties.compound(
        [(rod, (0, 0, 0), turn) for turn in (to_x.as_quat(), to_y.as_quat(), NO_TURN)] + [(lead, (0, 0, 0), NO_TURN)]
    )
    assert rod.is_singular and lead.is_singular and not joined.is_singular
    assert joined.mass == 11.0
    assert np.allclose(joined.inertia_body, 2.0 * (2.0 * 9.0 / 12.0) * np.eye(3), rtol=1e-15, atol=1e-15)


def test_a_part_counts_from_its_origin_and_not_from_its_mass_centre():
    """A part whose mass centre lies at (0, 0, 1), turned a quarter about x, has it at (0, −1, 0) from where its origin went."""
    part = MassProperties(2.0, (1.0, 2.0, 2.5), (0.0, 0.0, 1.0))
    moved = part.moved((10.0, 20.0, 30.0), Rotation.from_rotvec((math.pi / 2.0, 0.0, 0.0)).as_quat())
    assert np.allclose(moved.center_of_mass_body, (10.0, 19.0, 30.0), rtol=1e-15)
    assert np.allclose(moved.inertia_body, np.diag([1.0, 2.5, 2.0]), rtol=0.0, atol=1e-15)


def test_moved_turns_the_tensor_and_leaves_the_moments():
    """I' = R I Rᵀ, as SciPy's matrix has it; c' = p + R c."""
    body = MassProperties.from_points(*cloud(3))
    moved = body.moved((1.0, -2.0, 3.0), SKEW.as_quat())
    matrix = SKEW.as_matrix()
    largest = body.principal()[0][2]
    assert moved.mass == body.mass
    assert np.allclose(moved.inertia_body, matrix @ body.inertia_body @ matrix.T, rtol=0.0, atol=8.0 * EPS * largest)
    assert np.allclose(
        moved.center_of_mass_body, (1.0, -2.0, 3.0) + matrix @ body.center_of_mass_body, rtol=0.0, atol=1e-14
    )
    assert np.allclose(moved.principal()[0], body.principal()[0], rtol=0.0, atol=8.0 * EPS * largest)


def test_moved_without_a_move_is_the_same_to_the_last_bit():
    body = MassProperties(0.3, [[2.1, 0.3, -0.4], [0.3, 3.2, 0.25], [-0.4, 0.25, 2.6]], (0.1, 0.7, -1.3))
    assert body.moved((0.0, 0.0, 0.0), NO_TURN) == body
    assert MassProperties.compound([(body, (0, 0, 0), (0, 0, 0, -1))]) == body


def test_moved_twice_is_moved_once_by_the_product():
    body = MassProperties.from_points(*cloud(4))
    first, second = np.array([0.3, -1.0, 2.0]), np.array([-5.0, 0.2, 0.9])
    twice = body.moved(first, SKEW.as_quat()).moved(second, OTHER_SKEW.as_quat())
    once = body.moved(OTHER_SKEW.apply(first) + second, (OTHER_SKEW * SKEW).as_quat())
    assert_same(twice, once, 1e-14)


coordinates = st.floats(-10.0, 10.0).map(lambda value: round(value, 3))
vectors = st.tuples(coordinates, coordinates, coordinates)
turns = st.tuples(coordinates, coordinates, coordinates).map(Rotation.from_rotvec)
point_lists = st.lists(st.tuples(st.floats(0.01, 100.0), vectors), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(point_lists, vectors, turns)
def test_whatever_points_give_is_a_physical_tensor_and_moves_there_and_back(points, position, turn):
    """Points on a line, in a plane or at one place too: never refused by the rule they keep, and back within rounding."""
    body = MassProperties.from_points([mass for mass, _ in points], [place for _, place in points])
    there = body.moved(position, turn.as_quat())
    for some in (body, there):
        MassProperties(some.mass, some.inertia_body, some.center_of_mass_body)
    back = there.moved(-turn.inv().apply(position), turn.inv().as_quat())
    _, _, inertia = sum_over_points([mass for mass, _ in points], [place for _, place in points])
    assert np.allclose(body.inertia_body, inertia, rtol=0.0, atol=1e-13 * body.mass * 400.0)
    assert np.allclose(back.inertia_body, body.inertia_body, rtol=0.0, atol=40.0 * EPS * np.abs(inertia).max() + 1e-280)
    assert np.allclose(back.center_of_mass_body, body.center_of_mass_body, rtol=0.0, atol=1e-13)


# -- what a body can have --


@pytest.mark.parametrize("tensor", [np.diag, lambda moments: rational_tensor(moments)[0]], ids=["straight", "skew"])
def test_the_triangle_rule_is_held_to_a_relative_billionth(tensor):
    """I1 + I2 ≥ I3: broken by 1e-12 of I3 it is rounding, broken by 1e-6 or threefold it is a mistake."""
    for scale in (1e-20, 1.0, 1e20):
        for excess in (0.0, 1e-12, 9e-10):
            moments = np.array([1.0, 2.0, 3.0 * (1.0 + excess)]) * scale
            assert MassProperties(1.0, tensor(moments)).mass == 1.0
        for excess in (1.1e-9, 1e-6, 2.0):
            moments = np.array([1.0, 2.0, 3.0 * (1.0 + excess)]) * scale
            with pytest.raises(ValueError, match="at most the sum of the other two"):
                MassProperties(1.0, tensor(moments))
            assert MassProperties(1.0, tensor(moments), physical=False).mass == 1.0


@pytest.mark.parametrize("moments", [(2.0, 2.0, 8.0), (2.0, 8.0, 4.0)])
def test_textbook_tensors_that_no_body_has_need_asking_for(moments):
    with pytest.raises(ValueError) as caught:
        MassProperties(1.0, moments)
    text = str(caught.value)
    first, second, third = sorted(moments)
    assert f"{third} exceeds {first} + {second}" in text and "physical=False" in text and "inertia_body" in text
    body = MassProperties(1.0, moments, physical=False)
    assert np.array_equal(body.inertia_body, np.diag(moments))
    with pytest.raises(ValueError, match="none of its moments"):
        body.equivalent_ellipsoid()


def test_an_unphysical_part_passes_through_moved_and_compound():
    odd = MassProperties(1.0, (2.0, 2.0, 8.0), physical=False)
    assert np.allclose(odd.moved((1.0, 2.0, 3.0), SKEW.as_quat()).principal()[0], (2.0, 2.0, 8.0), rtol=1e-15)
    joined = MassProperties.compound([(odd, (0, 0, 0), NO_TURN), (odd, (0, 0, 0), NO_TURN)])
    assert np.array_equal(joined.inertia_body, np.diag([4.0, 4.0, 16.0]))


def test_a_flat_body_stays_valid_through_many_moves():
    """I1 + I2 = I3 exactly, where rounding falls on either side."""
    lamina = MassProperties(3.0, (1.0, 2.0, 3.0))
    assert not lamina.is_singular
    for number in range(30):
        lamina = lamina.moved((0.1, number, -2.0), (SKEW if number % 2 else OTHER_SKEW).as_quat())
        MassProperties(lamina.mass, lamina.inertia_body, lamina.center_of_mass_body)
    assert np.allclose(lamina.principal()[0], (1.0, 2.0, 3.0), rtol=1e-13)


def test_negative_moments_are_refused_and_rounding_below_zero_is_not():
    for moments in ((-1.0, 1.0, 1.0), (1.0, 1.0, -1e-20), (-1.0, -1.0, -1.0)):
        for physical in (True, False):
            with pytest.raises(ValueError, match="without a negative principal moment"):
                MassProperties(1.0, moments, physical=physical)
    with pytest.raises(ValueError, match="negative principal moment"):
        MassProperties(1.0, [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 5.0]], physical=False)  # moments −1, 3, 5
    below = rational_tensor((1.0, 1.0, -1e-15))[0]
    body = MassProperties(1.0, below)
    assert body.principal()[0][0] == 0.0 and body.is_singular
    with pytest.raises(ValueError, match="negative principal moment"):
        MassProperties(1.0, rational_tensor((1.0, 1.0, -1e-9))[0], physical=False)


def test_asymmetry_is_refused_beyond_a_relative_1e_12():
    tensor = np.array([[2.1, 0.3, -0.4], [0.3, 3.2, 0.25], [-0.4, 0.25, 2.6]])
    for i, j in ((0, 1), (2, 0), (1, 2)):
        slightly, clearly = tensor.copy(), tensor.copy()
        slightly[i, j] += 2e-12  # of 3.2
        clearly[i, j] += 4e-12
        stored = MassProperties(1.0, slightly).inertia_body
        assert np.array_equal(stored, stored.T)
        assert stored[i, j] == pytest.approx(tensor[i, j] + 1e-12, abs=1e-16)
        with pytest.raises(ValueError, match="symmetric within 1e-12"):
            MassProperties(1.0, clearly)


def test_singular_is_what_has_no_inverse_worth_the_name():
    regular = [MassProperties(1.0, (1e-11, 1.0, 1.0)), MassProperties.box(1e-3, (1e-3, 1.0, 1.0))]
    singular = [
        MassProperties(1.0, (1e-13, 1.0, 1.0)),
        MassProperties.rod(1.0, 2.0),
        MassProperties.rod(1.0, 2.0).moved((0, 0, 1), SKEW.as_quat()),
        MassProperties.point_mass(1.0),
        MassProperties.from_points([1.0, 2.0, 3.0], SKEW.apply([(1.0, 0, 0), (2.0, 0, 0), (-5.0, 0, 0)])),
        MassProperties.sphere(1.0, 1e-160),
        MassProperties.sphere(1.0, 1e-200),
    ]
    assert not any(body.is_singular for body in regular)
    for body in singular:
        assert body.is_singular
        with pytest.raises(ValueError, match="must be invertible"):
            _ = body.inverse_inertia_body


# -- inverse, principal axes, ellipsoid --


def exact_inverse(tensor):
    """Cofactors over the determinant in rational arithmetic."""
    t = [[Fraction(float(element)) for element in row] for row in tensor]

    def cofactor(i, j):
        (a, b), (c, d) = ([t[r][s] for s in range(3) if s != j] for r in range(3) if r != i)
        return (-1) ** (i + j) * (a * d - b * c)

    determinant = sum(t[0][j] * cofactor(0, j) for j in range(3))
    return np.array([[float(cofactor(j, i) / determinant) for j in range(3)] for i in range(3)])


@pytest.mark.parametrize(
    "moments", [(1.0, 2.0, 2.5), (1e-3, 1.0, 1.0), (3.0, 3.0, 3.0), (1e-6, 1.0, 1.0), (1e-6, 1e-6, 1.0)]
)
def test_inverse_inertia_agrees_with_rational_arithmetic(moments):
    """Relative error eps times the ratio of the moments, as for any good method; the worst case here measured 0.2 of it."""
    for scale in (1e-150, 1.0, 1e150):
        body = MassProperties(1.0, rational_tensor(np.array(moments) * scale)[0], physical=False)
        truth = exact_inverse(body.inertia_body)
        error = np.abs(body.inverse_inertia_body - truth).max() / np.abs(truth).max()
        assert error <= EPS * max(4.0, max(moments) / min(moments))
        assert np.array_equal(body.inverse_inertia_body, body.inverse_inertia_body.T)


def test_inverse_of_a_diagonal_tensor_is_rounded_once():
    moments = np.array([0.7, 1.3, 1.9]) * 1e3
    body = MassProperties(3.0, moments)
    assert np.array_equal(body.inverse_inertia_body, np.diag([1.0 / moment for moment in moments]))
    assert body.inverse_mass == 1.0 / 3.0


def test_moments_along_the_bodys_axes_keep_every_digit():
    """What is scaled by a power of two and back is the same to the last bit: 200 bodies of any size."""
    rng = np.random.default_rng(4)
    for given_moments in rng.uniform(1.0, 2.0, (200, 3)) * 10.0 ** rng.uniform(-30.0, 30.0, (200, 1)):
        body = MassProperties(1.0, np.diag(given_moments))
        assert np.array_equal(body.principal()[0], np.sort(given_moments))
        assert np.array_equal(body.inverse_inertia_body, np.diag([1.0 / moment for moment in given_moments]))


MOMENTS = {
    "different": (1.0, 2.0, 2.5),
    "close pair below": (1.0, 1.0 + 1e-12, 1.5),
    "close pair above": (1.0, 1.5, 1.5 + 1e-12),
    "equal pair": (1.0, 1.5, 1.5),
    "equal pair below": (1.5, 1.5, 2.0),
    "all close": (1.0, 1.0 + 1e-12, 1.0 + 3e-12),
    "ball": (2.0, 2.0, 2.0),
    "rod": (0.0, 1.0, 1.0),
    "needle": (1e-9, 1.0, 1.0),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_principal_moments_are_right_to_1e_15_where_the_truth_is_known(name):
    """Moments turned by a rational matrix in exact arithmetic: only the rounding of the tensor's elements stands between."""
    truth = np.array(MOMENTS[name])
    for scale in (1.0, 7e-3, 1e200, 1e-200):
        moments, axes = MassProperties(1.0, rational_tensor(truth * scale)[0], physical=False).principal()
        assert np.abs(moments / scale - truth).max() <= 4.0 * EPS * truth[2]  # measured 2
        assert np.all(np.diff(moments) >= 0.0)
        assert np.abs(axes.T @ axes - np.eye(3)).max() <= 8.0 * EPS
        assert np.linalg.det(axes) == pytest.approx(1.0, abs=1e-14)
        rebuilt = axes @ np.diag(moments / scale) @ axes.T
        assert np.abs(rebuilt - rational_tensor(truth)[0]).max() <= 8.0 * EPS * truth[2]


@settings(max_examples=60, deadline=None)
@given(st.tuples(*[st.floats(0.0, 1.0).map(lambda value: round(value, 15))] * 3), turns, st.integers(-40, 40))
def test_principal_agrees_with_a_librarys_eigenvalues(moments, turn, exponent):
    """Any moments, also zeros and equal ones, against numpy's eigvalsh, itself good to a few eps."""
    matrix = turn.as_matrix()
    tensor = matrix @ np.diag(moments) @ matrix.T * 10.0**exponent
    tensor = 0.5 * (tensor + tensor.T)
    body = MassProperties(1.0, tensor, physical=False)
    ours, axes = body.principal()
    largest = np.abs(tensor).max()
    assert np.abs(ours - np.linalg.eigvalsh(tensor)).max() <= 20.0 * EPS * largest
    assert np.abs(axes @ np.diag(ours) @ axes.T - tensor).max() <= 20.0 * EPS * largest
    assert np.abs(axes.T @ axes - np.eye(3)).max() <= 10.0 * EPS and np.linalg.det(axes) > 0.0


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_principal_axes_of_a_diagonal_tensor_are_the_bodys_own(order):
    """Exact, ascending, right-handed, whichever way round the moments stand."""
    given_moments = np.array([2.0, 2.5, 3.0])[list(order)]
    moments, axes = MassProperties(1.0, given_moments).principal()
    assert moments.tolist() == [2.0, 2.5, 3.0]
    assert sorted(np.abs(axes).ravel().tolist()) == [0.0] * 6 + [1.0] * 3
    assert np.linalg.det(axes) == 1.0
    assert np.array_equal(axes @ np.diag(moments) @ axes.T, np.diag(given_moments))


def test_principal_takes_the_close_pair_of_a_ship_that_was_meant_to_be_symmetric():
    """Moments that differ by 1e-7: the axes are still told apart to eps over the difference."""
    tensor, exact = rational_tensor((1.0, 1.5, 1.5 + 1e-7))
    moments, axes = MassProperties(1.0, tensor).principal()
    for column, moment in enumerate(moments):
        residual = [
            float(
                sum(exact[i][k] * Fraction(axes[k, column]) for k in range(3))
                - Fraction(moment) * Fraction(axes[i, column])
            )
            for i in range(3)
        ]
        assert np.abs(residual).max() <= 8.0 * EPS


def test_equivalent_ellipsoid_gives_back_the_ellipsoids_axes():
    """In the order of x, y, z, whichever is longest."""
    for semi_axes in ((0.5, 0.8, 1.7), (1.7, 0.5, 0.8), (1.0, 1.0, 0.3), (2.0, 2.0, 2.0)):
        found = MassProperties.ellipsoid(3.0, semi_axes).equivalent_ellipsoid()
        assert np.allclose(found, semi_axes, rtol=1e-14, atol=0.0)


def test_equivalent_ellipsoid_of_a_box():
    """m s²/12 = m a²/5 along each axis: a = s √(5/12)."""
    found = MassProperties.box(1e-300, (1.0, 2.0, 3.0)).equivalent_ellipsoid()
    assert np.allclose(found, np.array([1.0, 2.0, 3.0]) * math.sqrt(5.0 / 12.0), rtol=1e-15)


def test_equivalent_ellipsoid_off_the_axes_goes_with_the_principal_axes():
    body = MassProperties.ellipsoid(3.0, (0.8, 1.7, 0.5)).moved((1.0, 2.0, 3.0), SKEW.as_quat())
    semi_axes = body.equivalent_ellipsoid()
    assert np.allclose(semi_axes, (1.7, 0.8, 0.5), rtol=1e-13)
    # The ellipsoid, drawn along those axes, is the body again.
    axes = body.principal()[1]
    again = MassProperties.ellipsoid(3.0, semi_axes).moved((1.0, 2.0, 3.0), Rotation.from_matrix(axes).as_quat())
    assert_same(again, body, 1e-13)


def test_equivalent_ellipsoid_of_flat_and_thin_bodies_is_flat_and_thin():
    assert MassProperties(1.0, (1.0, 2.0, 3.0)).equivalent_ellipsoid()[2] == 0.0
    assert MassProperties(1.0, (1.0, 2.0, 3.0 * (1.0 + 1e-12))).equivalent_ellipsoid()[2] == 0.0
    rod = MassProperties.rod(2.0, 3.0).equivalent_ellipsoid()
    assert rod[:2].tolist() == [0.0, 0.0] and rod[2] == pytest.approx(3.0 * math.sqrt(5.0 / 12.0), rel=1e-15)
    assert MassProperties.point_mass(2.0).equivalent_ellipsoid().tolist() == [0.0, 0.0, 0.0]


# -- what it is as a value --

SKEW_BODY = MassProperties(0.3, [[2.1, 0.3, -0.4], [0.3, 3.2, 0.25], [-0.4, 0.25, 2.6]], (0.1, 0.7, -1.3))


@pytest.mark.parametrize(
    "body", [SKEW_BODY, MassProperties.box(1200.0, (2, 2, 4)), MassProperties(1.0, (2.0, 2.0, 8.0), physical=False)]
)
def test_equal_by_value_and_made_again_from_its_text_a_copy_or_a_pickle(body):
    for again in (eval(repr(body)), copy.copy(body), copy.deepcopy(body), pickle.loads(pickle.dumps(body))):
        assert again == body and hash(again) == hash(body) and repr(again) == repr(body)
        assert not again.inertia_body.flags.writeable
        assert np.array_equal(again.inverse_inertia_body, body.inverse_inertia_body)


def test_different_numbers_are_different_bodies():
    tensor = SKEW_BODY.inertia_body
    assert MassProperties(0.3, tensor, (0.1, 0.7, -1.3)) == SKEW_BODY
    assert MassProperties(0.31, tensor, (0.1, 0.7, -1.3)) != SKEW_BODY
    assert MassProperties(0.3, tensor, (0.1, 0.7, -1.4)) != SKEW_BODY
    assert MassProperties(0.3, tensor + np.diag([0.0, 0.1, 0.0]), (0.1, 0.7, -1.3)) != SKEW_BODY
    assert SKEW_BODY != 0.3
    assert MassProperties(1.0, (1.0, 1.0, 1.0), (-0.0, 0.0, -0.0)) == MassProperties(1.0, np.eye(3))


def test_nothing_can_be_changed():
    body = MassProperties.from_points(*cloud(2))
    for name in (
        "mass",
        "inertia_body",
        "center_of_mass_body",
        "inverse_mass",
        "inverse_inertia_body",
        "is_singular",
        "new",
    ):
        with pytest.raises(AttributeError):
            setattr(body, name, 1.0)
    for values in (body.inertia_body, body.center_of_mass_body, body.inverse_inertia_body, *body.principal(),
                   body.equivalent_ellipsoid()):  # fmt: skip
        with pytest.raises(ValueError, match="read-only"):
            values[...] = 0.0


def test_arrays_that_are_passed_are_copied():
    tensor, center = SKEW_BODY.inertia_body.copy(), np.array([0.1, 0.7, -1.3])
    body = MassProperties(0.3, tensor, center)
    vertices, faces = box_mesh((1.0, 2.0, 3.0))
    mesh = MassProperties.from_mesh(vertices, faces, mass=1.0)
    before = repr(mesh)
    for array in (tensor, center, vertices, faces):
        array *= 3
    assert body == SKEW_BODY and repr(mesh) == before


def test_scaling_by_powers_of_two_changes_no_digit():
    """Mass by 2⁷, lengths by 2⁻⁹: inertia by 2⁻¹¹, bit for bit."""
    masses, positions = cloud(6)
    vertices, faces = sphere_mesh(1)
    vertices = SKEW.apply(vertices * (1.0, 1.3, 0.7)) + 0.1
    for plain, scaled in (
        (MassProperties.from_points(masses, positions), MassProperties.from_points(masses * 2.0**7, positions * 2.0**-9)),
        (MassProperties.from_mesh(vertices, faces, mass=1.1),
         MassProperties.from_mesh(vertices * 2.0**-9, faces, mass=1.1 * 2.0**7)),
    ):  # fmt: skip
        assert np.array_equal(scaled.inertia_body, plain.inertia_body * 2.0**-11)
        assert np.array_equal(scaled.inverse_inertia_body, plain.inverse_inertia_body * 2.0**11)
        assert np.array_equal(scaled.principal()[0], plain.principal()[0] * 2.0**-11)
        assert np.array_equal(scaled.principal()[1], plain.principal()[1])


# -- bad input --


class Unreadable:
    def __float__(self):
        raise RuntimeError("no number here")


NOT_POSITIVE = [math.nan, math.inf, -math.inf, 0, -0.0, -1.0, 10**400]
NOT_NUMBERS = [True, "1", None, 1j, Decimal(1), [1.0], Unreadable(), np.ma.masked, np.bool_(True)]

SCALAR_ARGUMENTS = {
    "mass": lambda value: MassProperties(value, (1.0, 1.0, 1.0)),
    "box mass": lambda value: MassProperties.box(value, (1.0, 1.0, 1.0)),
    "sphere radius": lambda value: MassProperties.sphere(1.0, value),
    "hollow_sphere mass": lambda value: MassProperties.hollow_sphere(value, 1.0),
    "hollow_sphere radius": lambda value: MassProperties.hollow_sphere(1.0, value),
    "cylinder radius": lambda value: MassProperties.cylinder(1.0, value, 1.0),
    "cylinder height": lambda value: MassProperties.cylinder(1.0, 1.0, value),
    "capsule radius": lambda value: MassProperties.capsule(1.0, value, 1.0),
    "cone radius": lambda value: MassProperties.cone(1.0, value, 1.0),
    "cone height": lambda value: MassProperties.cone(1.0, 1.0, value),
    "rod mass": lambda value: MassProperties.rod(value, 1.0),
    "rod length": lambda value: MassProperties.rod(1.0, value),
    "point_mass mass": lambda value: MassProperties.point_mass(value),
    "ellipsoid density": lambda value: MassProperties.ellipsoid(density=value, semi_axes=(1.0, 1.0, 1.0)),
    "from_mesh density": lambda value: MassProperties.from_mesh(*box_mesh((1.0, 1.0, 1.0)), density=value),
}


@pytest.mark.parametrize("name", SCALAR_ARGUMENTS)
def test_a_scalar_that_is_no_positive_number_is_refused_by_name(name):
    *solid, argument = name.split()
    start = ".".join(["MassProperties", *solid]) + ": "
    for value in NOT_POSITIVE:
        with pytest.raises(ValueError, match=argument) as caught:
            SCALAR_ARGUMENTS[name](value)
        assert str(caught.value).startswith(start)
    for value in NOT_NUMBERS:
        # None is how mass or density is left out, which is a wrong value of a right kind.
        with pytest.raises((TypeError, ValueError) if value is None else TypeError, match=argument) as caught:
            SCALAR_ARGUMENTS[name](value)
        assert str(caught.value).startswith(start)


BAD_VECTORS = [
    (1.0, 1.0), (1.0, 1.0, 1.0, 1.0), (), ((1.0, 1.0), (1.0, 1.0)), np.ones((2, 2)), (1.0, math.nan, 1.0), (1.0, math.inf, 1.0),
    (1.0, "1", 1.0), "123", None, (True, 1.0, 1.0), (1.0, 1j, 1.0), np.ones(3, dtype=complex), np.ones(3, dtype=bool),
    (Decimal(1), 1, 1), (1.0, None, 1.0), (1.0, (1.0, 1.0), 1.0), np.ma.MaskedArray([1.0, 1.0, 1.0], mask=[0, 1, 0]), 1.0,
    (1.0, Unreadable(), 1.0), (1.0, 10**400, 1.0), np.float64(1.0), np.array(1.0),
]  # fmt: skip

VECTOR_ARGUMENTS = {
    "inertia_body": lambda value: MassProperties(1.0, value),
    "center_of_mass_body": lambda value: MassProperties(1.0, (1.0, 1.0, 1.0), value),
    "size": lambda value: MassProperties.box(1.0, value),
    "semi_axes": lambda value: MassProperties.ellipsoid(1.0, value),
    "position": lambda value: SKEW_BODY.moved(value, NO_TURN),
    r"parts\[1\] position": lambda value: MassProperties.compound(
        [(SKEW_BODY, (0, 0, 0), NO_TURN), (SKEW_BODY, value, NO_TURN)]
    ),
    "positions": lambda value: MassProperties.from_points([1.0], [value]),
    "vertices": lambda value: MassProperties.from_mesh([value] * 4, box_mesh((1, 1, 1))[1], density=1.0),
}


@pytest.mark.parametrize("argument", VECTOR_ARGUMENTS)
def test_a_vector_that_is_none_is_refused_by_name(argument):
    for value in BAD_VECTORS:
        with pytest.raises((TypeError, ValueError), match=argument) as caught:
            VECTOR_ARGUMENTS[argument](value)
        assert str(caught.value).startswith("MassProperties")


@pytest.mark.parametrize(
    "quaternion",
    [(0, 0, 0, 0), (0, 0, 0, 1.00001), (0, 0, 0, math.nan), (0, 1e308, 0, 0), (0, 0, 1), "0001", None, (0, 0, 0, True)],
)
def test_an_orientation_that_is_no_unit_quaternion_is_refused(quaternion):
    with pytest.raises((TypeError, ValueError), match=r"MassProperties.moved: orientation must be"):
        SKEW_BODY.moved((0, 0, 0), quaternion)
    with pytest.raises((TypeError, ValueError), match=r"MassProperties.compound: parts\[0\] orientation must be"):
        MassProperties.compound([(SKEW_BODY, (0, 0, 0), quaternion)])


def test_a_quaternion_slightly_off_unit_length_is_normalised():
    off = SKEW.as_quat() * (1.0 + 9e-7)
    assert_same(SKEW_BODY.moved((1, 2, 3), off), SKEW_BODY.moved((1, 2, 3), SKEW.as_quat()), 4.0 * EPS)


@pytest.mark.parametrize(
    "parts",
    [
        None,
        3,
        [],
        [SKEW_BODY],
        [(SKEW_BODY, (0, 0, 0))],
        [("ship", (0, 0, 0), NO_TURN)],
        SKEW_BODY,
        (SKEW_BODY, (0, 0, 0), NO_TURN),
        "abc",
    ],
)
def test_parts_that_are_no_triples_are_refused(parts):
    with pytest.raises(
        (TypeError, ValueError), match=r"MassProperties.compound: parts.*\(MassProperties, position, orientation\)"
    ):
        MassProperties.compound(parts)


@pytest.mark.parametrize(
    "masses",
    [
        [],
        [1.0],
        [1.0, 0.0],
        [1.0, -1.0],
        [1.0, math.nan],
        1.0,
        None,
        "12",
        [True, 1.0],
        [[1.0, 1.0]],
        [1e308, 1e308],
        [1e-320, 1e-320],
    ],
)
def test_masses_of_points_that_are_not_positive_numbers_are_refused(masses):
    with pytest.raises((TypeError, ValueError), match=r"MassProperties.from_points: (mass|positions)"):
        MassProperties.from_points(masses, [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])


MASS_OR_DENSITY = {
    "box": lambda **given: MassProperties.box(size=(1, 1, 1), **given),
    "sphere": lambda **given: MassProperties.sphere(radius=1, **given),
    "ellipsoid": lambda **given: MassProperties.ellipsoid(semi_axes=(1, 1, 1), **given),
    "cylinder": lambda **given: MassProperties.cylinder(radius=1, height=1, **given),
    "capsule": lambda **given: MassProperties.capsule(radius=1, height=1, **given),
    "cone": lambda **given: MassProperties.cone(radius=1, height=1, **given),
    "from_mesh": lambda **given: MassProperties.from_mesh(*box_mesh((1.0, 1.0, 1.0)), **given),
}


@pytest.mark.parametrize("name", MASS_OR_DENSITY)
def test_mass_and_density_stand_in_each_others_place(name):
    for both_or_neither in ({}, {"mass": 1.0, "density": 1.0}, {"mass": None, "density": None}):
        with pytest.raises(ValueError, match=f"MassProperties.{name}: exactly one of mass and density must be given"):
            MASS_OR_DENSITY[name](**both_or_neither)
    by_density = MASS_OR_DENSITY[name](density=2.5)
    assert_same(MASS_OR_DENSITY[name](mass=by_density.mass), by_density, 4.0 * EPS)
    with pytest.raises(ValueError, match="density × volume must be large enough"):
        MASS_OR_DENSITY[name](density=1e-320)


def test_numbers_beyond_float64_are_refused_and_never_warned_about():
    """Overflow ends in an error that names the solid; nothing infinite is stored."""
    far = [(1e308, 0.0, 0.0), (-1e308, 1e308, 0.0), (0.0, -1e308, 1e308)]
    vertices, faces = box_mesh((1.0, 1.0, 1.0))
    for make in (
        lambda: MassProperties.box(1.0, (1e200, 1.0, 1.0)),
        lambda: MassProperties.sphere(density=1.0, radius=1e308),
        lambda: MassProperties.capsule(1.0, 1e308, 1e308),
        lambda: MassProperties.cone(1e308, 1e10, 1.0),
        lambda: MassProperties.rod(1.0, 1e308),
        lambda: MassProperties.from_points([1.0, 1.0, 1.0], far),
        lambda: MassProperties.from_points([1.0, 2.0], [(1.7e308, 0, 0), (-1.7e308, 0, 0)]),
        lambda: MassProperties.from_mesh(vertices * 1e308, faces, density=1.0),
        lambda: MassProperties.from_mesh(vertices * 1e308, faces, mass=1.0),
        lambda: MassProperties.from_mesh(vertices * 1e-200, faces, density=1.0),
        lambda: MassProperties(1.0, np.full((3, 3), 1e308)),
        lambda: MassProperties(1e-320, (1.0, 1.0, 1.0)),
        lambda: MassProperties(1.0, (1.0, 1.0, 1.0), (1.7e308, 0, 0)).moved((1.7e308, 0, 0), NO_TURN),
        lambda: MassProperties.compound([(MassProperties.sphere(1e308, 1.0), (0, 0, 0), NO_TURN)] * 2),
    ):
        with np.errstate(all="raise", under="ignore"), pytest.raises(ValueError, match="MassProperties"):
            make()


def test_extreme_sizes_that_float64_holds_keep_their_digits():
    for size, mass in ((1e-100, 1e-100), (1e150, 1.0), (1e-30, 1e200)):
        unit = MassProperties.box(1.0, (1.0, 2.0, 3.0)).inertia_body
        vertices, faces = box_mesh((size, 2.0 * size, 3.0 * size))
        with np.errstate(all="raise", under="ignore"):
            mesh = MassProperties.from_mesh(vertices, faces, mass=mass)
        assert np.allclose(mesh.inertia_body / size / size / mass, unit, rtol=1e-14, atol=1e-14)
        assert np.allclose(mesh.equivalent_ellipsoid() / size, np.array([1, 2, 3]) * math.sqrt(5.0 / 12.0), rtol=1e-13)
        assert not mesh.is_singular


def test_other_real_kinds_are_read():
    """float32, integers, fractions, read-only arrays and lists."""
    fixed = np.array([1.0, 1.0, 1.0])
    fixed.flags.writeable = False
    unit = MassProperties(2.0, (1.0, 1.0, 1.0))
    for mass, moments in (
        (2, (1, 1, 1)), (np.float32(2), np.ones(3, dtype=np.float32)), (Fraction(2), [Fraction(1)] * 3), (np.int8(2), fixed),
        (2.0, np.eye(3, dtype=int)), (2.0, np.eye(3).tolist()), (2.0, [np.eye(3)[i] for i in range(3)]),
    ):  # fmt: skip
        assert MassProperties(mass, moments) == unit
    vertices, faces = box_mesh((1.0, 2.0, 3.0))
    assert MassProperties.from_mesh(vertices.tolist(), [tuple(map(int, face)) for face in faces], mass=1.0) == (
        MassProperties.from_mesh(vertices, faces.astype(np.uint8), mass=1.0)
    )
    assert MassProperties.compound(part for part in [(unit, (0, 0, 0), NO_TURN)]) == unit


@pytest.mark.parametrize("physical", [None, 0, 1, "no"])
def test_physical_is_true_or_false(physical):
    with pytest.raises(TypeError, match="MassProperties: physical must be True or False"):
        MassProperties(1.0, (1.0, 1.0, 1.0), physical=physical)


@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (4, 4), (3, 3, 3), (1, 3), (6,)])
def test_a_tensor_of_another_shape_is_refused(shape):
    for value in (np.ones(shape), np.ones(shape).tolist()):
        with pytest.raises(ValueError, match="inertia_body must be"):
            MassProperties(1.0, value)


# the scale of meshes, and what the principal axes of a body do in flight

TETRAHEDRON = np.array([(0.0, 0.0, 0.0), (1.0, 0.1, 0.0), (0.2, 1.3, 0.1), (0.1, 0.3, 0.9)])
TETRAHEDRON_FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


@pytest.mark.parametrize("power", [-200, -40, 0, 40, 200])
def test_whether_a_face_is_flat_does_not_depend_on_its_size(power):
    """A small face of a large mesh is no line."""
    triangles = np.array(TETRAHEDRON_FACES)
    corners = 2.0**power * TETRAHEDRON[triangles]
    refuse_flat_faces(triangles, corners, "mesh")
    corners[2, 2] = 0.5 * (corners[2, 0] + corners[2, 1])
    with pytest.raises(ValueError, match=r"mesh: faces\[2\] must be a triangle with a non-zero area"):
        refuse_flat_faces(triangles, corners, "mesh")


def test_the_first_of_several_flat_faces_is_named():
    with pytest.raises(ValueError, match=r"faces\[1\] must be a triangle with a non-zero area"):
        triangles = np.array([(0, 1, 2), (0, 1, 1), (2, 3, 3)])
        refuse_flat_faces(triangles, TETRAHEDRON[triangles], "mesh")


@pytest.mark.parametrize("largest", [1.0, 1.5, 2.0, 1e-300, 1e300, 5e-324, 0.1])
def test_the_scale_that_loses_no_digit_is_a_power_of_two(largest):
    scale = power_of_two(largest)
    assert math.frexp(scale)[0] == 0.5
    assert 1.0 <= largest / scale < 2.0


def test_principal_axes_of_any_body_keep_its_energy_and_momentum_in_flight():
    """A method that rotates about the principal axes conserves both only if they are those of the tensor, in each branch of the code."""
    rng, branches = np.random.default_rng(5), set()
    world = World(0.05, integrator="free-rotor-2")
    for turn in Rotation.random(60, random_state=rng).as_matrix():
        tensor = turn @ np.diag((1.0, 1.7, 2.4)) @ turn.T
        world.add_body(
            MassProperties(1.0, 0.5 * (tensor + tensor.T)),
            position=(0.0, 0.0, 0.0),
            angular_velocity_body=rng.normal(size=3),
        )
        axes = world.bodies[-1].mass_properties.principal()[1]
        branches.add(int(np.argmax(np.abs(Rotation.from_matrix(axes).as_quat()))))
    assert branches == {0, 1, 2, 3}
    energies = [body.kinetic_energy() for body in world.bodies]
    momenta = [body.angular_momentum_world for body in world.bodies]
    world.step(40)
    for body, energy, momentum in zip(world.bodies, energies, momenta, strict=True):
        assert body.kinetic_energy() == pytest.approx(energy, rel=1e-12)
        assert np.abs(body.angular_momentum_world - momentum).max() < 1e-12
