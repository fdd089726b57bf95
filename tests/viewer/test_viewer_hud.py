"""The head-up display shows the state of the world, stays in its corners, and is redrawn only when needed."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from engine.viewer.hud import font, gauges, hud, lamps, overlay
from engine.viewer.hud.sparklines import Sparklines
from engine.viewer.hud.telemetry import telemetry_picture
from engine.viewer.picture.camera import OrbitCamera
from engine.viewer.picture.colours import CURVES
from engine.viewer.picture.curve import curve, limits, number, round_numbers
from engine.viewer.picture.history import CAPACITY, History
from engine.viewer.picture.keys import help_columns
from engine.viewer.picture.scene import FRAME, ROUNDING, Caption, Curves, Gauge, Inset, Picture, Sample
from engine.viewer.run.flight import SceneFlight

from ..viewing import camera_for, fly, new_scene

JETS = [(f"jet {place}", place / 11.0) for place in range(12)]
LONG = "a line so long that it has to stand above the lamps, which fill the other corner, and may go on for two lines, as here"


def sample(time, value=0.0):
    return Sample(time, np.full(3, value), value, abs(value))


def laid_out(size, *, keys="H: keys", help_shown=False, jets=JETS, captions=(), dials=()):
    scene = new_scene("--case", "ganapathi-flip", "--allow-unphysical")
    flight = SceneFlight(scene)
    for _ in flight.frames(60):
        pass
    picture = replace(scene.picture(), lamps=jets, captions=captions, gauges=dials)
    camera = camera_for(scene)
    return hud.Hud().patches(scene, picture, camera, size, flight.history, keys=keys, help_shown=help_shown)


def test_the_overlay_tells_time_drift_integrator_and_game_mode():
    scene = fly(new_scene("--integrator", "rk4-world-rates", "--game-mode"), 60)
    text = " ".join(hud.status_lines(scene))
    for part in (
        "time 1.00 s",
        "energy drift",
        "momentum drift",
        "rk4-world-rates",
        "game mode on",
        "1/240 s",
        "N·m·s",
    ):
        assert part in text
    assert scene.sample().momentum_drift > 1e-3  # so that the line has something to show


@pytest.mark.parametrize("size", [(854, 480), (1280, 720), (1920, 1080), (800, 600)])
@pytest.mark.parametrize("keys", ["H: keys", LONG])
def test_nothing_overlaps_and_all_stays_within_the_picture(size, keys):
    patches = laid_out(size, keys=keys, help_shown=True)
    assert len(patches) >= 5
    plates = patches[-5:]  # curves, status, lamps, keys, help
    for place, plate in enumerate(plates):
        assert 0 <= plate.left and plate.right <= size[0] and 0 <= plate.top and plate.bottom <= size[1]
        assert not any(plate.meets(other) for other in patches if other is not plate and other not in plates[:place])


DIALS = [Gauge("wheel 1", -0.5, "−300 rad/s", signed=True), Gauge("propellant", 0.25, "30.00 kg", alarm=True)]


@pytest.mark.parametrize("size", [(854, 480), (1280, 720), (800, 600), (320, 180), (16, 16)])
@pytest.mark.parametrize("keys", ["", "H: keys", LONG])
def test_gauges_stand_free_on_the_left_or_are_left_out(size, keys):
    without, patches = laid_out(size, keys=keys), laid_out(size, keys=keys, dials=DIALS)
    plate = gauges.plate(DIALS, hud._text_height(size))
    found = [patch for patch in patches if patch.pixels is plate]
    assert len(found) == (size[1] >= 480) and len(patches) <= len(without) + 1
    for patch in found:
        assert patch.left < 0.1 * size[0] and 0.5 * size[1] < patch.bottom <= size[1]
        assert not any(patch.meets(other) for other in patches if other is not patch)


def test_a_bar_is_as_long_as_its_share_and_on_its_side_of_zero():
    """In pixels of its colour, against the bar of a whole share; a signed bar has half the room."""

    def coloured(share, colour, **more):
        pixels = gauges.plate([Gauge("x", share, "", **more)], 32).astype(int)
        return (abs(pixels[..., :3] - np.multiply(colour[:3], 255)).max(axis=-1) < 20).sum(axis=0)

    whole = coloured(1.0, gauges.FILLED)
    long = np.flatnonzero(whole)
    assert coloured(0.5, gauges.FILLED).sum() == pytest.approx(0.5 * whole.sum(), rel=0.02)
    assert coloured(7.0, gauges.FILLED).sum() == whole.sum() and coloured(0.0, gauges.FILLED).sum() == 0
    middle = long.mean()
    for share, side in ((0.8, 1.0), (-0.8, -1.0)):
        bar = coloured(share, gauges.FILLED, signed=True)
        assert bar.sum() == pytest.approx(0.4 * whole.sum(), rel=0.05)
        assert ((np.flatnonzero(bar) - middle) * side > -2.0).all()
    assert coloured(0.5, gauges.ALARM, alarm=True).sum() > 0.4 * whole.sum()


@pytest.mark.parametrize("size", [(16, 16), (320, 180), (200, 1000)])
def test_a_picture_of_any_size_gets_its_status(size):
    assert laid_out(size, help_shown=True)


def test_a_caption_stands_centred_below_its_point():
    point = np.array([0.0, 0.0, -1.0])
    scene = new_scene()
    bare, captioned = (
        laid_out((1280, 720), jets=(), captions=captions)
        for captions in ((), [Caption(point, ("rk4", "0.3 degrees"), (1.0, 1.0, 1.0, 1.0))])
    )
    added = [patch for patch in captioned if all(patch.pixels is not other.pixels for other in bare)][:2]
    x, y = camera_for(scene).project(point, (1280, 720))
    assert [(patch.left + patch.right) / 2 for patch in added] == pytest.approx([x, x], abs=1.0)
    assert y < added[0].top < added[0].bottom <= added[1].top + 4 < y + 60


def test_hidden_layers_are_left_out_of_the_picture():
    scene = new_scene()
    shown, hidden = scene.picture(), scene.picture().without({"momentum"})
    assert [arrow.label for arrow in shown.arrows if arrow.layer == "momentum"] == ["L"]
    assert "L" not in [arrow.label for arrow in hidden.arrows] and len(hidden.arrows) == len(shown.arrows) - 1


def test_the_same_text_is_not_drawn_twice():
    laid_out((854, 480))
    before = font.text_coverage.cache_info().misses
    laid_out((854, 480))
    assert font.text_coverage.cache_info().misses == before


def test_plates_that_say_the_same_keep_their_pixels_from_frame_to_frame():
    scene = new_scene()
    flight, heads_up = SceneFlight(scene), hud.Hud()
    scene.world.paused = True
    first, second = (
        heads_up.patches(scene, scene.picture(), camera_for(scene), (854, 480), flight.history, help_shown=True)
        for _ in range(2)
    )
    assert len(first) == len(second) > 4
    assert all(one.pixels is other.pixels for one, other in zip(first, second, strict=True))


def test_the_width_of_a_text_is_known_without_drawing_it():
    for text in ("", "i", "time 7.17 s   energy drift −1.6e−14", "ω L ×"):
        assert font.text_width(text, 13) == font.text_coverage(text, 13).shape[1]


def test_long_lines_break_between_words_and_lose_none():
    text = "no real body has this tensor; the drawn shape only shows how it turns"
    lines = overlay.wrapped(text, 12, 150)
    assert " ".join(lines) == text and len(lines) > 2
    assert all(font.text_width(line, 12) <= 150 for line in lines)


def test_a_lamp_is_the_brighter_the_more_its_jet_is_open_and_a_closed_one_is_seen_too():
    light = [int(lamps.plate([("+x", throttle)], 16, 400)[..., :3].sum()) for throttle in (0.0, 0.3, 0.7, 1.0, 7.0)]
    assert light[0] < light[1] < light[2] < light[3] == light[4]
    nameless = overlay.Plate(*lamps.plate([("", 0.0)], 16, 400).shape[1::-1]).pixels
    assert (lamps.plate([("", 0.0)], 16, 400) != nameless).any(axis=-1).sum() > 50


def test_many_lamps_take_as_many_rows_as_they_need():
    one, two = (lamps.plate(JETS, 16, room) for room in (1200, 400))
    assert one.shape[1] <= 1200 and two.shape[1] <= 400 and two.shape[0] > 1.5 * one.shape[0]


# Telemetry.


def test_samples_after_the_present_time_are_forgotten():
    history = History()
    for frame in range(100):
        history.append(sample(frame * FRAME, frame))
    history.append(sample(50 * FRAME, -1.0))
    assert len(history) == 51 and history.energy_drift.tolist() == [*range(50), -1.0]
    assert history.newest.energy_drift == -1.0
    assert history.since(49 * FRAME).rates[:, 0].tolist() == [49.0, -1.0]


def test_a_long_run_keeps_its_newest_ten_minutes():
    history = History()
    for frame in range(4 * CAPACITY):
        history.append(sample(float(frame)))
    assert len(history) >= CAPACITY
    assert (np.diff(history.time) == 1.0).all() and history.time[-1] == 4 * CAPACITY - 1


def test_a_curve_goes_through_its_points_and_swings_between_two_columns_are_drawn_whole():
    across = np.linspace(0.0, 99.0, 1000)
    down = 20.0 + 15.0 * np.sin(across / 8.0)
    ink = curve(across, down, 100, 40)
    rows = np.arange(40)[:, np.newaxis]
    assert ((ink * rows).sum(axis=0) / ink.sum(axis=0)) == pytest.approx(down[::10], abs=1.6)  # its steepest slope
    fast = curve(across, 20.0 + 15.0 * np.sin(across * 40.0), 100, 40)
    assert fast[8:32, 5:-5].min() == 1.0 and fast[:2].max() == 0.0
    late = curve(across[500:], down[500:], 100, 40)
    assert late[:, :49].max() == 0.0 and late[:, 51:].max(axis=0).min() > 0.5


def test_an_axis_shows_zero_and_round_numbers():
    assert limits(np.zeros(3))[0] < 0.0 < limits(np.zeros(3))[1]
    low, high = limits(np.array([2.0, 5.0]))
    assert low < 0.0 and 5.0 < high
    assert round_numbers(-0.1, 1.05, 5) == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert [number(value, ".2g") for value in (0.0, -1.5, 3e-14, -2e7)] == ["0", "−1.5", "3e−14", "−2e7"]


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (-0.004, "+.2f", "0.00"),
        (0.004, "+.2f", "0.00"),
        (-0.006, "+.2f", "−0.01"),
        (0.0, "+.1e", "0.0e0"),
        (-0.4, ".0f", "0"),
        (-1e-5, "+.1e", "−1.0e−5"),
    ],
)
def test_a_number_that_is_rounded_to_zero_has_no_sign(value, form, text):
    assert number(value, form) == text


def test_a_drift_below_rounding_is_drawn_small_and_marked():
    """Rounding of 3e-15 stays below a hundredth of the height; without a floor it fills the plot."""
    values = np.array([0.0, 3e-15, -2e-15])
    low, high = limits(values, ROUNDING)
    assert low <= -ROUNDING and high >= ROUNDING and limits(values)[1] < 4e-15
    assert limits(np.array([0.0, 1e-13]), ROUNDING)[0] > -0.1 * ROUNDING
    assert limits(np.array([0.0, 5e-12]), ROUNDING) == limits(np.array([0.0, 5e-12]))

    def plate(conserved, size):
        history = History()
        for time in range(20):
            history.append(replace(sample(0.1 * time, size), curves=Curves(conserved=conserved)))
        return Sparklines().patch(history, 12, 800, 10).pixels

    assert (plate((True, True), 3e-15) != plate((False, False), 3e-15)).any()
    assert (plate((True, True), 3e-9) == plate((False, False), 3e-9)).all()
    for size, marked in ((3e-15, True), (3e-9, False)):
        history = History()
        for time in range(20):
            history.append(sample(0.1 * time, size))
        with mock.patch("engine.viewer.hud.telemetry._write") as write:
            telemetry_picture(history, "title", [], (640, 480))
        written = " ".join(call.args[1] for call in write.call_args_list)
        assert ("energy drift, relative   (rounding: below 1e-12)" in written) == marked


@pytest.mark.parametrize(("rates", "marked"), [(3e-15, True), (0.0, False), (1e-3, False)])
def test_rates_that_are_rounding_do_not_fill_their_plot(rates, marked):
    history, write = History(), overlay.Plate.write
    for time in range(20):
        history.append(Sample(0.1 * time, np.full(3, rates), 1.0, 1.0, Curves(conserved=(False, False))))
    with mock.patch.object(overlay.Plate, "write", autospec=True, side_effect=write) as written:
        Sparklines().patch(history, 12, 800, 10)
    assert ("rounding" in [call.args[1] for call in written.call_args_list]) == marked


def test_the_sparklines_follow_the_world_and_are_exact_in_a_pause():
    history, sparklines = History(), Sparklines()
    history.append(sample(0.0))
    history.append(sample(5.0, 1.0))
    first = sparklines.patch(history, 12, 800, 10)
    assert first.right == 800 and first.top == 10
    history.append(sample(5.01, -3.0))
    assert sparklines.patch(history, 12, 800, 10).pixels is first.pixels  # less than a pixel on
    assert (sparklines.patch(history, 12, 800, 10, exact=True).pixels != first.pixels).any()
    history.append(sample(1.0, 2.0))
    assert sparklines.patch(history, 12, 800, 10).pixels is not first.pixels


def test_a_scene_may_show_other_curves_than_the_drifts_and_a_longer_time():
    other = Curves(("tumble left", "+.3f"), ("moment", ".2f"), 1200.0)
    scene = fly(new_scene(), 3)
    now = replace(scene.sample(), energy_drift=0.25, momentum_drift=0.5, curves=other)
    text = " ".join(hud.status_lines(scene, now))
    assert "tumble left +0.250" in text and "moment 0.50" in text and "drift" not in text
    history, sparklines = History(), Sparklines()
    history.append(replace(sample(0.0), curves=other))
    history.append(replace(sample(100.0), curves=other))
    first = sparklines.patch(history, 12, 800, 10)
    history.append(replace(sample(105.0), curves=other))
    assert sparklines.patch(history, 12, 800, 10).pixels is first.pixels  # less than a pixel on
    history.append(replace(sample(107.0), curves=other))
    assert sparklines.patch(history, 12, 800, 10).pixels is not first.pixels


def test_further_curves_of_a_scene_are_kept_and_drawn_below_the_others():
    curves = Curves(("error [°]", ".1f"), ("torque [N·m]", ".1f"), more=(("speeds", ("1", "2")), ("used", ("",))))
    history = History()
    for time in range(300):
        history.append(replace(sample(0.1 * time), curves=curves, more=(time, -time, 0.5 * time)))
    assert history.more[-1].tolist() == [299.0, -299.0, 149.5] and history.since(20.0).more.shape == (100, 3)
    plain, further = History(), telemetry_picture(history, "title", [], (640, 900))
    for time in range(300):
        plain.append(sample(0.1 * time))
    few = telemetry_picture(plain, "title", [], (640, 900))
    second = np.rint(np.multiply(CURVES[1][:3], 255.0))  # of ωz, and of the second wheel
    rows = [np.flatnonzero((image == second).all(axis=-1).any(axis=1)) for image in (few, further)]
    assert rows[1].max() > rows[0].max() + 100


def test_the_help_has_a_column_for_the_keys_of_the_scene():
    own = [("n", "N", "next_target", "next target"), ("p", "", "next_target", "")]
    assert help_columns(own)[:2] == help_columns() and help_columns(own)[2] == [("N", "next target")]
    assert hud._help_plate(14, tuple(own)).shape[1] > 1.3 * hud._help_plate(14, ()).shape[1]


def test_the_help_names_every_key_that_does_something():
    keys = [key for column in help_columns() for key, _ in column]
    assert {"space", "period", "backspace", "comma", "slash", "I", "G", "H", "1", "6"} <= set(keys)
    assert Picture().without({"trails"}) == replace(Picture(), arrows=[], lines=[], captions=[], insets=[])


@pytest.mark.parametrize("size", [(1280, 720), (480, 270), (720, 1280)])
def test_the_display_has_three_levels(size):
    """Off leaves captions and labels, a line adds the title with the time; a low picture never has more than a line and the instrument."""
    scene = new_scene()
    flight = SceneFlight(scene)
    picture = replace(scene.picture(), lamps=JETS, gauges=DIALS)
    camera = camera_for(scene)

    def plates(level):
        patches = hud.Hud().patches(scene, picture, camera, size, flight.history, keys="", level=level)
        words = hud.labels(picture, camera, size)
        return [patch for patch in patches if all(patch.pixels is not word.pixels for word in words)]

    off, line, full = map(plates, ("off", "line", "full"))
    assert off == [] and len(line) == 1
    assert (line[0].left, line[0].top) == (full[-1].left, full[-1].top) or size[1] > 400
    assert line[0].pixels.shape[0] < 0.08 * size[1] + 12
    assert len(full) == (1 if size[1] < hud.LOWEST else 4)


INSETS = [Inset([], [], [], np.zeros(3), 1.0, words) for words in ("the first", "the second")]


@pytest.mark.parametrize("size", [(480, 270), (640, 360), (1280, 720), (720, 1280)])
@pytest.mark.parametrize("level", ["off", "full"])
def test_insets_stand_in_the_corner_clear_of_plates_and_of_each_other(size, level):
    """They are drawn whole: none reaches over an edge or lies on a plate, and words that would be hidden by one are left out."""
    scene = new_scene()
    flight = SceneFlight(scene)
    picture = replace(scene.picture(), insets=INSETS)
    sides = []

    def drawn(inset, side):
        sides.append(side)
        return np.full((side, side, 3), 77, np.uint8)

    patches = hud.Hud().patches(
        scene, picture, camera_for(scene), size, flight.history, keys="", level=level, draw_inset=drawn
    )
    insets = [patch for patch in patches if (patch.pixels[..., :3] == 77).mean() > 0.4]
    assert len(insets) == (2 if level == "off" or size[1] >= 720 else len(insets)) and len(insets) >= 1
    assert all(0 <= one.left and one.right <= size[0] and 0 <= one.top and one.bottom <= size[1] for one in insets)
    others = [patch for patch in patches if not any(patch is one for one in insets)]
    assert not [one for one in insets for other in others if one.meets(other)]
    assert len(insets) < 2 or not insets[0].meets(insets[1])
    assert insets[0].right > 0.9 * size[0] and insets[0].bottom > 0.9 * size[1]
    assert set(sides) == {round(hud.INSET * min(size))}


def test_an_inset_without_room_beside_the_other_plates_is_left_out():
    """The message of the keys takes the whole lower edge."""
    scene = new_scene()
    picture, flight = replace(scene.picture(), insets=INSETS), SceneFlight(scene)
    patches = hud.Hud().patches(
        scene,
        picture,
        camera_for(scene),
        (480, 270),
        flight.history,
        keys=LONG,
        draw_inset=lambda inset, side: np.full((side, side, 3), 77, np.uint8),
    )
    assert not [patch for patch in patches if (patch.pixels[..., :3] == 77).mean() > 0.4]


def test_a_caption_that_a_plate_covers_moves_below_it():
    """By at most its own height, so that it stays beside what it names; one that is covered further is left out."""
    dials = [Gauge("angle", 0.5, "exact")] * 3
    free = Caption(np.array([0.0, 0.0, 0.0]), ["a method"], overlay.TEXT, gauges=dials)
    (alone,) = hud.labels(Picture(captions=[free]), OrbitCamera(0.0, 0.0, 40.0), (1280, 720))
    tall, wide = alone.pixels.shape[:2]

    def placed(drop):
        """Where the caption stands if the lower edge of a plate is so far below its upper one."""
        plate = overlay.Patch(alone.left + wide // 2, 0, np.zeros((alone.top + drop, wide, 4), np.uint8))
        words = hud._words(Picture(captions=[free]), OrbitCamera(0.0, 0.0, 40.0), 16, (1280, 720), [plate])
        return [(word.left, word.top - alone.top, word.pixels.shape) for word in words]

    assert placed(0) == [(alone.left, 0, alone.pixels.shape)]
    assert placed(1) == [(alone.left, 1, alone.pixels.shape)]
    assert placed(tall) == [(alone.left, tall, alone.pixels.shape)]
    assert placed(tall + 1) == []


def test_captions_lose_their_bars_together():
    """At 480 × 270 one plate would reach over the edge, so that no caption has one; at 1280 × 720 each has its own."""
    scene = new_scene()
    places = [np.array([0.0, y, z]) for y in (-9.0, 9.0) for z in (-5.0, 5.0)]
    captions = [
        Caption(place, ["a method"], overlay.TEXT, gauges=[Gauge("angle", 0.5, "exact")] * 3) for place in places
    ]
    camera, picture = OrbitCamera(0.0, 0.0, 40.0), replace(scene.picture(), captions=captions, arrows=[])
    tall = {}
    for size in ((480, 270), (1280, 720)):
        tall[size] = [patch.pixels.shape[0] / size[1] for patch in hud.labels(picture, camera, size)]
    assert len(tall[1280, 720]) == 4 and min(tall[1280, 720]) > 0.1
    wide = replace(picture, captions=[replace(captions[0], position=np.array([0.0, 11.9, 0.0])), *captions[1:]])
    assert max(patch.pixels.shape[0] / 270 for patch in hud.labels(wide, camera, (480, 270))) < 0.1


def test_a_plate_hides_a_bright_surface():
    """Of white, less than a sixteenth shines through."""
    assert (255 - overlay.Plate(8, 8).pixels[..., 3] < 16).all()
