"""The demo of the pile: its books, the crane and the tug by hand, the ray and the hand of the mouse, and what its check notices."""

import numpy as np
import pytest

from demos import pile
from demos.__main__ import main
from demos.meshes.crates import CRATES
from demos.meshes.debris import DEBRIS, TUG_SIZE
from demos.scenes import pile_hand
from demos.scenes.pile_crane import RAILS
from engine.viewer import Camera, meshes
from engine.viewer.drawing import Ray
from engine.viewer.run.controls import Controls

from ..lengths import long_run, sized
from ..viewing import SMALL, camera_for, canvas, fly, looks_like_the_scene, read_png

UP = np.array((0.0, 0.0, 1.0))


def new_scene(*arguments):
    return pile.Pile(pile.read_options(arguments))


@pytest.fixture(scope="module")
def fallen():
    """A hangar in which the crates have come to rest, driven by hand; the tests that use it come in their order."""
    scene = new_scene()
    scene.pilot.take_over()
    return fly(scene, 400)


def ray_to(scene, body):
    """From above the roof to the top of a body; no other body is above the highest one."""
    place = body.position + 30.0 * UP + (0.03, 0.02, 0.0)
    return Ray(place, -UP)


def highest(scene):
    return max(scene.yard.pieces, key=lambda piece: piece.position[2])


# The books.


@long_run
@pytest.mark.parametrize("case", pile.YARDS)
def test_the_autopilot_works_and_its_check_holds(case):
    impulses, contacts, drives, brought = pile.check(case)
    assert "impulses explain each change" in impulses and "contacts and ropes took" in contacts
    assert (
        "their work explain the energy" in drives
        and ("the tug has gathered" if case == "station" else "off the place") in brought
    )


def test_the_check_notices_a_push_that_nothing_explains(fallen):
    fallen.check()
    ledger = fallen.ledger.unexplained
    body = fallen.yard.pieces[0]
    body.velocity = body.velocity + np.array((0.0, 0.0, 1e-6))
    fly(fallen, 1)
    with pytest.raises(AssertionError, match="momentum of each body"):
        fallen.check()
    fallen.ledger.unexplained = ledger
    fallen.check()


@pytest.mark.parametrize(
    ("worked", "shown"), [(-1e-3, "0 J of work"), (21.4, "21 J of work"), (-5678.0, "-5.7 kJ of work")]
)
def test_the_books_show_small_and_large_energies(worked, shown):
    scene = new_scene("--case", "station")
    scene.ledger.worked = worked
    assert shown in scene.ledger.status()


def test_the_check_notices_work_that_is_not_counted(monkeypatch):
    scene = new_scene("--case", "station")
    monkeypatch.setattr(scene.carrier, "work", lambda dt: 0.0)
    fly(scene, 60)
    with pytest.raises(AssertionError, match="of their work explain the energy"):
        scene.check()


# The crane and the tug.


def test_the_winch_stops_when_the_hook_rests_on_a_crate_and_never_pushes(fallen):
    crane, crate = fallen.carrier, highest(fallen)
    pulls, carried = [], []
    fallen.pilot.resume()
    while fallen.pilot.phase in ("", "above"):
        fly(fallen, 1)
    assert fallen.pilot.piece is crate
    fallen.command("2", "-0.4")
    for _ in range(400):
        fly(fallen, 1)
        pulls.append(crane.tension)
        carried.append(crane.body.contact_force_world[2])
    assert crane.wanted[2] == 0.0 and max(carried) > 100.0
    assert crane.body.position[2] > crate.position[2]
    assert min(pulls) > -20.0
    fallen.check()


def test_a_crate_is_taken_lifted_and_let_go(fallen):
    crane, crate = fallen.carrier, highest(fallen)
    assert "nothing is near" in new_scene().act("take")
    assert fallen.act("take") == f"took {crate.name}" and crane.load.body is crate
    height = float(crate.position[2])
    for _ in range(3):
        said = fallen.act("command 2 0.4")
    assert said == "crane by hand: +0.0, +0.0 m/s along the rails, +1.2 m/s up"
    pulls = []
    for _ in range(120):
        fly(fallen, 1)
        pulls.append(crane.load.tension)
    assert crate.position[2] > height + 0.5
    assert np.mean(pulls[60:]) == pytest.approx(9.81 * crate.mass, rel=0.1)
    start, end = crane.load.ends()
    assert np.linalg.norm(start - end) < 1.5
    crane.stop()
    assert fallen.act("take") == f"let go of {crate.name}" and crane.load.body is None
    fly(fallen, 20)
    assert crate.velocity[2] < -1.0
    fly(fallen, 150)
    fallen.check()


def test_the_trolley_brakes_before_the_ends_of_its_rails(fallen):
    for _ in range(6):
        fallen.act("command 0 0.4")
    fly(fallen, 420)
    x = fallen.carrier.trolley.position[0]
    assert 4.0 < x < RAILS[0] and abs(fallen.carrier.trolley.velocity[0]) < 1e-2
    fallen.check()


def test_the_tug_follows_what_is_wanted_and_holds_its_attitude():
    scene = new_scene("--case", "station")
    assert scene.act("command 1 0.4") == "tug by hand: +0.00, +0.10, +0.00 m/s"
    fly(scene, 180)
    tug = scene.carrier.body
    assert tug.velocity == pytest.approx((0.0, 0.1, 0.0), abs=6e-3) and abs(tug.orientation[3]) > 0.9999
    assert "autopilot" in scene.act("autopilot") and scene.pilot.is_automatic
    scene.check()


# The mouse.


@pytest.fixture(scope="module")
def pointed():
    """A pile at rest in which something is pointed at; the tests that use it come in their order."""
    return fly(new_scene(), 300)


def test_the_ray_chooses_a_crate_and_shows_its_name_and_its_contact_force(pointed):
    scene = pointed
    crate = highest(scene)
    assert scene.picture().captions == []
    assert not scene.point(ray_to(scene, crate), False)
    (caption,) = scene.picture().captions
    assert caption.lines[0] == crate.name and "kg, contacts" in caption.lines[1]
    assert scene.hand.point[2] == pytest.approx(crate.position[2], abs=0.8)
    assert not scene.point(Ray(np.array((0.0, 0.0, 50.0)), UP), True)  # the sky
    assert not scene.point(Ray(np.array((9.0, 9.0, 9.0)), -UP), True) and scene.hand.name == "floor"
    assert scene.picture().captions == [] and not scene.point(None, True)


def test_the_mouse_drags_a_crate_and_its_work_is_counted(pointed):
    scene = pointed
    scene.pilot.take_over()
    crate = highest(scene)
    ray = ray_to(scene, crate)
    assert scene.point(ray, True)
    start = crate.position.copy()
    for frame in range(90):
        moved = Ray(ray.origin + frame * np.array((0.005, 0.0, 0.008)), ray.direction)
        assert scene.point(moved, True)
        fly(scene, 1)
    assert len([line for line in scene.picture().lines if line.width == 3.0]) == 1
    gone = crate.position - start
    assert gone[2] > 0.4 and gone[0] > 0.2
    assert not scene.point(moved, False) and scene.hand.line() is None
    fly(scene, 60)
    assert scene.hand.has_acted
    assert "the claim is about the autopilot" in scene.check()[-1]


def test_a_push_goes_along_the_ray_and_only_loose_things_are_pushed():
    scene = new_scene("--case", "station")
    assert scene.act("push") == "point at something loose"
    piece = scene.yard.pieces[4]
    before, away = piece.velocity.copy(), np.array((0.6, 0.0, -0.8))
    scene.point(Ray(piece.position - 1.2 * away, away), False)
    assert scene.act("push") == f"pushed {piece.name}"
    fly(scene, 1)
    assert piece.velocity - before == pytest.approx(pile_hand.BLOW * away, abs=1e-3)
    scene.point(Ray(np.array((30.0, 0.0, 5.0)), np.array((-1.0, 0.0, 0.0))), True)
    assert scene.act("push") == "point at something loose" and scene.hand.name == "station"
    fly(scene, 30)
    scene.check()


def test_the_mouse_of_the_window_drags_what_is_under_its_pixel():
    scene = fly(new_scene("--case", "station"), 10)
    camera = Camera(distance=5.0 * scene.radius, target=scene.target)
    keys = Controls(scene, camera)
    piece = min(scene.yard.pieces, key=lambda each: np.linalg.norm(each.position - camera.eye))
    pixel, yaw = camera.project(piece.position, SMALL), camera.yaw
    keys.point(pixel, SMALL, True)
    keys.drag(20, 0)
    assert keys.is_dragging and camera.yaw == yaw and scene.hand.body is piece
    keys.point(pixel, SMALL, False)
    keys.drag(20, 0)
    assert camera.yaw != yaw


# The rest.


def test_going_back_in_time_unties_what_was_taken_meanwhile():
    scene = new_scene("--case", "station")
    keys = Controls(scene, camera_for(scene))
    hashes = []
    for frame in range(90):
        if frame == 60:
            scene.pilot.take_over()
            scene.carrier.load.take(scene.yard.pieces[0])
        hashes.append(scene.world.state_hash())
        fly(scene, 1)
        keys.remember()
    keys.press("BACKSPACE")
    assert scene.carrier.load.body is None and scene.pilot.is_automatic
    frame = round(60.0 * scene.world.time)
    assert 25 < frame < 35 and scene.world.state_hash() == hashes[frame]
    fly(scene, 60)
    scene.check()


def test_the_next_case_is_the_other_place_and_a_restart_has_the_same_bits():
    scene = fly(new_scene(), 60)
    seen = scene.world.state_hash()
    scene.reset()
    assert fly(scene, 60).world.state_hash() == seen
    scene.next_case()
    assert scene.case_name == "station" and "station" in scene.picture().title


@pytest.mark.parametrize(
    ("mesh", "size"),
    [
        *((kind, size) for kind, (size, _) in CRATES.items()),
        *((f"debris-{kind}", size) for kind, (size, _) in DEBRIS.items()),
    ],
)
def test_what_is_drawn_fits_the_shape_that_touches(mesh, size):
    corners = meshes.triangles(mesh)[:, :3].astype(float)
    assert np.ptp(corners, axis=0) == pytest.approx(size, abs=0.05)


def test_the_body_of_the_tug_fits_its_shape_but_for_its_jets():
    corners = meshes.triangles("tug")[:, :3].astype(float)
    inside = (np.abs(corners) <= 0.5 * np.array(TUG_SIZE) + 0.02).all(axis=1)
    assert inside.mean() > 0.2


@pytest.mark.parametrize("case", sized(["hangar"], list(pile.YARDS)))
def test_a_picture_is_drawn_without_a_display(case, tmp_path):
    with canvas():
        pass
    path = tmp_path / "pile.png"
    arguments = ["pile", "--case", case, "--headless", "--frames", "6", "--size", "320x180", "--quality", "low"]
    assert main([*arguments, "--out", str(path)]) == 0
    assert looks_like_the_scene(read_png(path))
