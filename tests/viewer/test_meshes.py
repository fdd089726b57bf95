"""The drawn craft: valid triangles, plumes and forces at the nozzles, masses of the drawn shapes."""

import numpy as np
import pytest

from demos.meshes import dart, probe, rocket_top, spacecraft, station
from demos.scenes import masses
from engine import MassProperties, World, forces
from engine.viewer import meshes
from engine.viewer.meshes.mesh_builder import Material, MeshBuilder
from engine.viewer.meshes.nozzle import Nozzle
from engine.viewer.meshes.turns import about_y, about_z, turn_to

CRAFT = {"spacecraft": spacecraft, "probe": probe, "rocket-top": rocket_top, "dart": dart}
PLAIN = Material((0.5, 0.5, 0.5))


def corners_and_normals(vertices):
    return vertices[:, :3].reshape(-1, 3, 3).astype(float), vertices[:, 3:6].reshape(-1, 3, 3)


def volume(vertices):
    """By the divergence theorem: a sixth of the sum of a · (b × c), right only for a closed surface that faces outwards."""
    a, b, c = np.moveaxis(corners_and_normals(vertices)[0], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


@pytest.mark.parametrize("name", meshes.MESHES)
def test_the_triangles_of_a_mesh_face_the_way_their_normals_point(name):
    vertices = meshes.triangles(name)
    corners, normals = corners_and_normals(vertices)
    assert vertices.shape[1] == 14 and np.isfinite(vertices).all()
    assert np.abs(np.linalg.norm(normals, axis=-1) - 1.0).max() < 1e-5
    wound = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.linalg.norm(wound, axis=1) > 0.0).all()
    assert (np.einsum("ij,ij->i", wound, normals.mean(axis=1)) > 0.0).all()


def test_facets_without_area_are_left_out_and_a_name_draws_what_was_added_last(monkeypatch):
    monkeypatch.setattr(meshes, "MESHES", dict(meshes.MESHES))
    points = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 3.0, 0.0)])
    for faces, area in (([(0, 1, 2), (0, 1, 3)], 1.5), ([(0, 1, 2), (0, 2, 3)], 3.0)):
        builder = MeshBuilder()
        with np.errstate(all="raise"):
            builder.facets(PLAIN, points, np.array(faces))
        meshes.add("facets", lambda builder=builder: builder)
        (a, b, c), normals = (part[0] for part in corners_and_normals(meshes.triangles("facets")))
        assert np.cross(b - a, c - a) / 2.0 == pytest.approx((0.0, 0.0, area))
        assert (normals == (0.0, 0.0, 1.0)).all()


TURN = about_z(0.7) @ about_y(-1.1)
AT = (0.4, -0.3, 0.9)


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (lambda b: b.box(PLAIN, (1.0, 2.0, 3.0), AT, TURN), 6.0),
        (lambda b: b.prism(PLAIN, [(0, 0), (2, 0), (2, 1), (0, 1)], 0.5, AT, TURN), 1.0),
        (lambda b: b.tube(PLAIN, (1.0, 2.0, 3.0), (1.0, 4.0, 3.0), 0.5, sides=96), 2.0 * np.pi * 0.25),
        (lambda b: b.sphere(PLAIN, 1.0, AT, sides=96), 4.0 / 3.0 * np.pi),
        (lambda b: b.ring(PLAIN, 2.0, 1.0, AT, TURN, sides=96), 2.0 * np.pi**2 * 2.0 * 0.25),
        (lambda b: b.cylinder(PLAIN, 1.0, 2.0, AT, TURN, sides=96), 2.0 * np.pi),
    ],
    ids=["box", "prism", "tube", "sphere", "ring", "cylinder"],
)
def test_each_closed_solid_faces_outwards_and_encloses_its_volume(draw, expected):
    """Polyhedra to the rounding of float32; round ones to what their facets cut off: the ring's section of eight sides a tenth."""
    builder = MeshBuilder()
    draw(builder)
    assert volume(builder.triangles()) == pytest.approx(
        expected, rel=0.11 if expected == 2.0 * np.pi**2 * 0.5 else 0.012
    )


def test_a_bevelled_box_encloses_what_the_cut_edges_leave():
    """The cube cut by planes at 45° through each edge and corner, against a count of 97³ grid points: 0.4 %, what the count is good for."""
    builder = MeshBuilder()
    builder.box(PLAIN, (1.0, 1.0, 1.0), bevel=0.2)
    grid = np.abs(np.stack(np.meshgrid(*[(np.arange(97) + 0.5) / 97.0 - 0.5] * 3), -1).reshape(-1, 3))
    edges = np.array([grid[:, 0] + grid[:, 1], grid[:, 1] + grid[:, 2], grid[:, 0] + grid[:, 2]])
    inside = (edges <= 0.8).all(axis=0) & (grid.sum(axis=1) <= 1.1)
    assert volume(builder.triangles()) == pytest.approx(inside.mean(), rel=4e-3)


def test_a_part_that_is_placed_is_turned_first_and_its_normals_survive_stretching():
    part, whole = MeshBuilder(), MeshBuilder()
    part.sphere(PLAIN, 1.0, sides=16)
    stretch = TURN @ np.diag([1.0, 2.0, 0.5])
    whole.add(part, AT, stretch)
    corners, normals = corners_and_normals(whole.triangles())
    assert volume(whole.triangles()) == pytest.approx(volume(part.triangles()), rel=1e-5)
    # The normal of an ellipsoid x = A s is A⁻ᵀ s.
    expected = (corners - AT) @ np.linalg.inv(stretch).T @ np.linalg.inv(stretch)
    expected /= np.linalg.norm(expected, axis=-1, keepdims=True)
    assert np.abs(normals - expected).max() < 1e-4


@pytest.mark.parametrize("direction", [(0, 0, 1), (0, 0, -2), (1, 0, 0), (0.3, -0.4, 0.2)])
def test_turn_to_is_a_rotation_of_z_into_the_direction(direction):
    turn = turn_to(direction)
    assert turn @ turn.T == pytest.approx(np.eye(3)) and np.linalg.det(turn) == pytest.approx(1.0)
    assert turn[:, 2] == pytest.approx(np.array(direction) / np.linalg.norm(direction))


@pytest.mark.parametrize("name", CRAFT)
def test_each_nozzle_ends_in_a_drawn_rim_and_looks_into_open_space(name):
    """The rim is there where the plume begins, and no triangle of the craft lies in the first half metre of the gas's way."""
    corners, _ = corners_and_normals(meshes.triangles(name))
    points = corners.reshape(-1, 3)
    for label, nozzle in CRAFT[name].NOZZLES.items():
        direction = np.array(nozzle.direction)
        assert np.linalg.norm(direction) == pytest.approx(1.0)
        away = points - nozzle.position
        along = away @ direction
        across = np.linalg.norm(away - along[:, None] * direction, axis=1)
        rim = (np.abs(along) < 0.03 * nozzle.radius) & (np.abs(across / nozzle.radius - 1.0) < 0.04)
        assert rim.sum() >= 12, label
        in_the_way = (along > 0.1 * nozzle.radius) & (along < 0.5) & (across < 0.9 * nozzle.radius)
        assert not in_the_way.any(), label


def test_a_plume_leaves_its_nozzle_against_the_force_on_the_body():
    """A thruster built from a nozzle pushes the body one way, its plume goes the other, in a body turned askew."""
    nozzle = Nozzle((0.3, -0.2, -1.0), (0.0, 0.6, -0.8), 0.1)
    world = World(0.01)
    body = world.add_body(MassProperties.sphere(2.0, 1.0), position=(5.0, 1.0, -2.0), orientation=(0.5, 0.5, -0.5, 0.5))
    thruster = forces.Thruster(body, position=nozzle.position, direction=nozzle.force_direction, max_force=4.0)
    world.add_force(thruster).throttle = 0.5
    plume = nozzle.plume(body.origin, body.rotation_matrix, thruster.throttle)
    world.step()
    along = body.velocity / np.linalg.norm(body.velocity)
    assert along @ plume.direction == pytest.approx(
        -1.0, abs=1e-6
    )  # the push turns the body by 1e-4 rad within the tick
    assert np.linalg.norm(body.velocity) == pytest.approx(0.01 * 0.5 * 4.0 / 2.0, rel=1e-6)
    assert plume.throttle == 0.5 and plume.radius == 0.1
    fresh = World(0.01).add_body(
        MassProperties.sphere(2.0, 1.0), position=(5.0, 1.0, -2.0), orientation=(0.5, 0.5, -0.5, 0.5)
    )
    assert plume.position == pytest.approx(fresh.to_world(nozzle.position))


def test_the_craft_for_swarms_has_at_most_150_triangles():
    assert len(meshes.triangles("dart")) // 3 <= 150


def test_the_stations_ports_lie_on_its_skin_and_are_free_to_approach():
    corners, _ = corners_and_normals(meshes.triangles("station"))
    points = corners.reshape(-1, 3)
    for name, port in station.PORTS.items():
        away = points - port.position
        along = away @ np.array(port.axis)
        across = np.linalg.norm(away - along[:, None] * np.array(port.axis), axis=1)
        assert ((np.abs(along) < 0.01) & (across < 0.5)).any(), name
        assert not ((along > 0.3) & (across < 1.05)).any(), name  # the capsule is 1.04 m in radius


def test_the_nose_of_the_spacecraft_fits_the_ports_of_the_station():
    ship = corners_and_normals(meshes.triangles("spacecraft"))[0].reshape(-1, 3)
    face = ship[np.abs(ship[:, 2] - spacecraft.PORT.position[2]) < 1e-6]
    assert np.linalg.norm(face[:, :2], axis=1).max() == pytest.approx(1.06 * station.RING, rel=1e-3)


@pytest.mark.parametrize(
    "make",
    [masses.spacecraft, masses.probe, masses.station, masses.rocket_top, masses.dart, masses.servicer, masses.client],
)
def test_each_craft_weighs_what_can_turn_and_has_its_mass_inside(make):
    name = make.__name__.replace("_", "-")
    properties = make()
    corners, _ = corners_and_normals(meshes.triangles(name))
    low, high = corners.reshape(-1, 3).min(axis=0), corners.reshape(-1, 3).max(axis=0)
    assert (low < properties.center_of_mass_body).all() and (properties.center_of_mass_body < high).all()
    gyration = np.sqrt(np.diag(properties.inertia_body) / properties.mass)
    assert (gyration < 0.75 * np.linalg.norm(high - low) / 2.0).all()


def test_the_rocket_top_is_symmetric_about_its_axle():
    properties = masses.rocket_top()
    inertia = properties.inertia_body
    assert properties.center_of_mass_body == pytest.approx(np.zeros(3), abs=1e-12)
    assert inertia == pytest.approx(np.diag(np.diag(inertia)), abs=1e-10 * inertia[2, 2])
    assert inertia[0, 0] == pytest.approx(inertia[1, 1], rel=1e-12)
    assert inertia[0, 0] < inertia[2, 2] < 2.0 * inertia[0, 0]
