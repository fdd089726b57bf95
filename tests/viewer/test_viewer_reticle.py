"""The instrument of an approach: where its marks are drawn and in which colours, and that it has a place in every picture."""

import numpy as np
import pytest

from engine.viewer.hud import reticle
from engine.viewer.hud.hud import Hud
from engine.viewer.picture.camera import OrbitCamera
from engine.viewer.picture.history import History
from engine.viewer.picture.scene import Picture, Reticle

from ..viewing import new_scene

UNIT = 16
ROWS = (("range", "1.00 m", False), ("angle", "0.10°", True))
CENTRE = round(0.6 * UNIT) + (round(reticle.DIAL * UNIT) - 1) / 2.0
RADIUS = 0.46 * round(reticle.DIAL * UNIT)


def drawn(offset=(0.0, 0.0), tilt=(0.0, 0.0), roll=0.0):
    return reticle.plate(Reticle(offset, tilt, roll, ROWS), UNIT).astype(int)


def middle_of(pixels, colour):
    """Where the pixels of nearly this colour are on the dial, in radii from its middle to the right and up, on average."""
    dial = pixels[:, : round(2.0 * CENTRE)]
    rows, columns = np.nonzero(np.abs(dial[..., :3] - 255.0 * np.array(colour[:3])).max(axis=-1) < 30)
    assert len(rows) > 5
    return (columns.mean() - CENTRE) / RADIUS, -(rows.mean() - CENTRE) / RADIUS


def allowed(times):
    """Where something so many times what is allowed off is drawn."""
    return times * reticle.ALLOWED / (reticle.ALLOWED * times + 1.0 - reticle.ALLOWED)


def test_when_all_is_aligned_cross_and_ring_are_green_and_in_the_middle():
    assert middle_of(drawn(), reticle.GOOD) == pytest.approx((0.0, 0.0), abs=0.02)


@pytest.mark.parametrize("side", [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.6, -0.8)])
@pytest.mark.parametrize("what", ["offset", "tilt"])
def test_what_is_off_is_drawn_on_its_side_and_is_no_longer_green(what, side):
    """The mark at the rim has the same colour; it is left out as what has not changed."""
    place = tuple(20.0 * part for part in side)
    pixels = drawn(**{what: place})
    changed = np.abs(pixels - drawn()).max(axis=-1) > 30
    found = np.where(changed[..., np.newaxis], pixels, 0)
    expected = tuple(allowed(20.0) * part for part in side)
    assert middle_of(found, reticle.OFF) == pytest.approx(expected, abs=0.06)


def test_what_is_allowed_reaches_to_the_inner_circle_and_nothing_beyond_the_rim():
    for place in ((0.9, 0.0), (0.0, -0.9)):
        right, up = reticle._compressed(place)
        assert 0.85 * reticle.ALLOWED < np.hypot(right, up) < reticle.ALLOWED
    assert np.hypot(*reticle._compressed((1.0, 0.0))) == pytest.approx(reticle.ALLOWED)
    assert 0.99 < np.hypot(*reticle._compressed((3000.0, 4000.0))) < 1.0


@pytest.mark.parametrize(
    ("roll", "right", "up"), [(0.0, 0.0, 1.0), (0.6, -np.sin(0.6), np.cos(0.6)), (-2.5, np.sin(2.5), np.cos(2.5))]
)
def test_the_mark_at_the_rim_turns_anticlockwise_with_the_target(roll, right, up):
    place = middle_of(drawn(roll=roll), reticle.OFF)
    assert place == pytest.approx((0.98 * right, 0.98 * up), abs=0.05)


def test_a_number_within_its_limit_is_green_and_its_rows_stand_beside_the_dial():
    pixels = drawn()
    beside = pixels[:, round(2.0 * CENTRE) + UNIT :]
    green = (np.abs(beside[..., :3] - 255.0 * np.array(reticle.GOOD[:3])).max(axis=-1) < 30).any(axis=1)
    half = len(green) // 2
    assert green[half:].any() and not green[:half].any()


def test_what_looks_the_same_is_drawn_once():
    one, two = (reticle.plate(Reticle((shift, 0.0), (0.0, 0.0), 0.0, ROWS), UNIT) for shift in (0.1, 0.1001))
    assert one is two


@pytest.mark.parametrize("size", [(1280, 720), (640, 360), (400, 700)])
def test_it_stands_clear_of_lamps_and_keys(size):
    scene, history = new_scene(), History()
    history.append(scene.sample())
    picture = Picture(
        lamps=[(f"jet {n}", 0.5) for n in range(16)], reticle=Reticle((0, 0), (0, 0), 0.0, ROWS), title="test"
    )
    patches = Hud().patches(scene, picture, OrbitCamera(), size, history, keys="H: keys")
    for number, patch in enumerate(patches):
        assert 0 <= patch.left and patch.right <= size[0] and 0 <= patch.top and patch.bottom <= size[1]
        assert not any(patch.meets(other) for other in patches[number + 1 :])


@pytest.mark.parametrize("size", [(480, 270), (640, 360), (640, 480)])
def test_a_low_picture_has_the_dial_alone_in_the_corner(size):
    """The numbers beside it would hide the ship that is steered."""
    scene, history = new_scene(), History()
    history.append(scene.sample())
    picture = Picture(reticle=Reticle((0, 0), (0, 0), 0.0, ROWS), title="test")
    (instrument,) = [
        patch for patch in Hud().patches(scene, picture, OrbitCamera(), size, history) if patch.bottom > 0.9 * size[1]
    ]
    height, width = instrument.pixels.shape[:2]
    if size[1] < 400:
        assert height == width and instrument.right < size[0] / 4 and instrument.top > size[1] / 2
    else:
        assert width > 1.5 * height  # with its numbers
