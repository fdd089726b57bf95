"""No two meanings in a picture have colours that are hard to tell apart, in normal sight or with one kind of cone missing."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from engine.plot import source
from engine.viewer.hud import gauges, reticle
from engine.viewer.picture import colours
from engine.viewer.worlds import scene as world_scene

from ..benchmarks import charts, first_plot
from ..viewing import scene_of

LEAST = 10.0
"""ΔE00 between two meanings."""
SIGHT = {
    "normal": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
"""On linear RGB; Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision deficiency", 2009,
severity 1."""
TO_XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
WHITE = [0.95047, 1.0, 1.08883]
DEMOS = (
    "approach",
    "arm",
    "attitude",
    "detumble",
    "dock",
    "fleet",
    "integrators",
    "lander",
    "orbit",
    "pile",
    "swarm",
    "top",
    "tumble",
)
FEW = {"swarm": "--craft 24", "fleet": "--craft 24 --member 7"}
"""Options with which a demo has few craft, which all look the same."""


def lab_of(colour, sight):
    """CIE L*a*b* of an sRGB colour, 0 to 1, as this sight sees it."""
    channels = np.array(colour[:3])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(SIGHT[sight]) @ linear, 0.0, 1.0)
    xyz = np.array(TO_XYZ) @ seen / WHITE
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def difference(first, second):
    """ΔE00 of two colours in L*a*b*; Sharma, Wu and Dalal, "The CIEDE2000 color-difference formula", 2005."""
    (l_1, a_1, b_1), (l_2, a_2, b_2) = first, second
    mean = (np.hypot(a_1, b_1) + np.hypot(a_2, b_2)) / 2
    g = 0.5 * (1 - np.sqrt(mean**7 / (mean**7 + 25.0**7)))
    c_1, c_2 = np.hypot((1 + g) * a_1, b_1), np.hypot((1 + g) * a_2, b_2)
    h_1, h_2 = (np.degrees(np.arctan2(b, (1 + g) * a)) % 360 for a, b in ((a_1, b_1), (a_2, b_2)))
    turn = 0.0 if c_1 * c_2 == 0 else (h_2 - h_1 + 180) % 360 - 180
    delta_l, delta_c, delta_h = l_2 - l_1, c_2 - c_1, 2 * np.sqrt(c_1 * c_2) * np.sin(np.radians(turn) / 2)
    l_m, c_m = (l_1 + l_2) / 2, (c_1 + c_2) / 2
    h_m = h_1 + h_2 if c_1 * c_2 == 0 else (h_1 + turn / 2) % 360
    t = 1 - 0.17 * _cos(h_m - 30) + 0.24 * _cos(2 * h_m) + 0.32 * _cos(3 * h_m + 6) - 0.20 * _cos(4 * h_m - 63)
    s_l = 1 + 0.015 * (l_m - 50) ** 2 / np.sqrt(20 + (l_m - 50) ** 2)
    s_c, s_h = 1 + 0.045 * c_m, 1 + 0.015 * c_m * t
    rotated = np.sin(np.radians(60 * np.exp(-(((h_m - 275) / 25) ** 2))))
    r_t = -2 * np.sqrt(c_m**7 / (c_m**7 + 25.0**7)) * rotated
    chroma, hue = delta_c / s_c, delta_h / s_h
    return float(np.sqrt((delta_l / s_l) ** 2 + chroma**2 + hue**2 + r_t * chroma * hue))


def _cos(degrees):
    return np.cos(np.radians(degrees))


def least_difference(first, second):
    return min(difference(lab_of(first, sight), lab_of(second, sight)) for sight in SIGHT)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, -1.3802, -84.2814), (50.0, 0.0, -82.7485), 1.0000),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((50.0, 2.5, 0.0), (56.0, -27.0, -3.0), 31.9030),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((63.0109, -31.0961, -5.8663), (62.8187, -29.7946, -4.0864), 1.2630),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
        ((90.9257, -0.5406, -0.9208), (88.6381, -0.8985, -0.7239), 1.5381),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_difference_of_two_colours_has_the_published_values(first, second, expected):
    assert difference(first, second) == pytest.approx(expected, abs=1e-4)


def test_each_sight_leaves_grey_and_confuses_what_it_should():
    grey, red, green = (0.5, 0.5, 0.5), (0.75, 0.35, 0.2), (0.52, 0.48, 0.2)
    assert all(difference(lab_of(grey, sight), lab_of(grey, "normal")) < 0.1 for sight in SIGHT)
    seen = {sight: difference(lab_of(red, sight), lab_of(green, sight)) for sight in SIGHT}
    assert seen["normal"] > 25.0 and seen["deuteranopia"] < 0.5 * seen["normal"]


def test_two_meanings_differ_in_any_sight():
    found = {
        (*pair, sight): difference(*(lab_of(colours.MEANINGS[name], sight) for name in pair))
        for pair in itertools.combinations(colours.MEANINGS, 2)
        for sight in SIGHT
    }
    assert {case: apart for case, apart in found.items() if not apart >= LEAST} == {}


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_draws_with_these_colours_only(name):
    """Arrows and lines, whatever their opacity, at the start and after half a second."""
    scene = scene_of(name, *FEW.get(name, "").split())
    known = {colour[:3]: meaning for meaning, colour in colours.MEANINGS.items()}
    known |= {colours.WORDS[:3]: "words"}
    for _ in range(2):
        picture = scene.picture()
        drawn = [*picture.arrows, *picture.lines]
        assert [each for each in drawn if each.colour[:3] not in known] == []
        scene.world.advance(0.5)


def test_the_plates_use_these_colours_too():
    assert least_difference(reticle.GOOD, reticle.OFF) >= LEAST
    assert least_difference(gauges.FILLED, gauges.ALARM) >= LEAST
    of_worlds = {world_scene.AXES, world_scene.GUIDE, world_scene.MOMENTUM, world_scene.PATH, world_scene.RATES}
    assert of_worlds <= set(colours.MEANINGS.values())


@pytest.mark.parametrize("page", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("names", [(*charts.METHODS, "others"), ("momentum", "rates", "axis path")])
def test_the_lines_of_plots_differ_on_light_and_dark_pages(names, page):
    colours_of = {name: to_rgb(charts.INKS[name][page]) for name in names}
    found = {pair: least_difference(*(colours_of[name] for name in pair)) for pair in itertools.combinations(names, 2)}
    assert min(found.values()) >= LEAST, min(found.items(), key=lambda item: item[1])


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_curves_of_records_differ_on_light_and_dark_pages(dark):
    shades = [first_plot.DARK[colour.lower()] if dark else colour for colour in source.COLOURS]
    found = [least_difference(to_rgb(one), to_rgb(other)) for one, other in itertools.combinations(shades, 2)]
    assert min(found) >= LEAST, found
