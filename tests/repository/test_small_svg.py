"""Plots of the documentation are small files that show what matplotlib drew."""

import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

from ..benchmarks import __main__ as benchmarks
from ..benchmarks import charts, integrators, picture
from ..benchmarks.small_svg import relative, small

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
PICTURES = Path(__file__).parents[2] / "demos" / "pictures"
POINTS_PER_COMMAND = {"q": 2, "c": 3}


@pytest.mark.parametrize("path", sorted(PICTURES.glob("*.svg")), ids=lambda path: path.name)
def test_a_plot_of_the_documentation_is_small(path):
    """The two globes have 22 circles; the others have curves of at most a point per pixel, and 90 shapes of letters (14 kB)."""
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) <= (80_000 if path.name == "game-mode.svg" else 65_000)
    assert text.count("\n") <= 400


@pytest.mark.parametrize("name", ["benchmarks", "work-precision"])
def test_a_small_plot_shows_what_matplotlib_drew(name):
    """Every shape, letter and mark in its order, with its style, to a fiftieth of a point; one plot has hatches, the other marks."""
    if name == "benchmarks":
        figure = picture.costs(json.loads(benchmarks.KEPT[0].read_text(encoding="utf-8")))
    else:
        figure = integrators.pictures(json.loads(integrators.KEPT.read_text(encoding="utf-8")))[name]
    drawn = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "polhode"}):
        figure.savefig(drawn, format="svg")
    large = drawn.getvalue()
    shown, expected = (_shown(ElementTree.fromstring(text)) for text in (small(large), large))
    assert len(small(large)) < 0.5 * len(large) and len(shown) == len(expected) > 700
    for (style, places), (style_before, places_before) in zip(shown, expected, strict=True):
        assert style == style_before
        assert places == pytest.approx(places_before, abs=0.02)


def test_steps_of_a_path_add_up_to_its_end():
    """A thousand steps that each round down to 0.00 end where the path does."""
    absolute = "M 1 2 " + " ".join(f"L {1.0 + 0.004 * n:.6f} {2.0 - 0.003 * n:.6f}" for n in range(1001))
    assert _places(relative(absolute)) == pytest.approx(_places(absolute), abs=0.0051)
    assert relative("M 1 2 L 2 2 L 3 -0.5 z M 4 4 Q 5 5 6 4") == "m1 2l1 0 1-2.5zm3 2q1 1 2 0"


def test_a_path_of_another_program_is_refused():
    with pytest.raises(ValueError, match="must consist of M, L, Q, C and z, got 'A'"):
        relative("M 0 0 A 1 1 0 0 0 2 2")


def test_a_word_in_two_colours_keeps_both(tmp_path):
    """Its letters are placed once, and each of its places has a style of its own."""
    figure = charts.new_figure(1.0, "same words", "other words", "other words")
    figure.text(0.5, 0.1, "other words", color=charts.ink("rk4"), size=10.0, va="top")
    charts.save(figure, tmp_path / "words.svg")
    shown = _shown(ElementTree.parse(tmp_path / "words.svg").getroot())
    letters = [style.get("fill", "") for style, places in shown if len(places) and "stroke" not in style]
    assert sum(charts.ink("rk4") in fill for fill in letters) == len("otherwords")
    assert sum(charts.ink("quiet") in fill for fill in letters) == 2 * len("otherwords")


def _shown(root):
    """The style of each shape and letter of an SVG and its points on the page [pt], in the order in which they are drawn."""
    named = {element.get("id"): element for element in root.iter() if element.get("id")}
    sheets = "".join(sheet.text for sheet in root.iter(f"{SVG}style"))
    rules = dict(re.findall(r"^\.(\w+)\{([^}]*)\}", sheets, flags=re.MULTILINE))
    found = []

    def visit(element, style, place):
        own = element.get("style") or rules.get(element.get("class"), "")
        style = style | dict(re.split(": ?", part, maxsplit=1) for part in re.split("; ?", own) if part)
        place = place @ _matrix(element)
        if element.tag == f"{SVG}use":
            visit(named[(element.get("href") or element.get(LINK))[1:]], style, place)
        elif element.tag == f"{SVG}path":
            points = _places(element.get("d", ""))
            hatch = {key: value for key, value in style.items() if "url(" not in value}  # names of patterns differ
            found.append((hatch, points @ place[:2, :2].T + place[:2, 2]))
        elif element.tag in (f"{SVG}svg", f"{SVG}g"):
            for child in element:
                visit(child, style, place)

    visit(root, {}, np.eye(3))
    return found


def _matrix(element):
    """From the coordinates of what it holds to those around it."""
    moves = re.findall(r"(\w+)\(([^)]+)\)", element.get("transform", ""))
    if element.tag == f"{SVG}use":
        moves.append(("translate", f"{element.get('x', 0)} {element.get('y', 0)}"))
    whole = np.eye(3)
    for kind, text in moves:
        numbers = [float(number) for number in text.split()]
        one = np.eye(3)
        if kind == "translate":
            one[:2, 2] = numbers
        elif kind == "scale":
            one[[0, 1], [0, 1]] = numbers[0], numbers[-1]
        else:
            assert kind == "rotate", kind
            cosine, sine = np.cos(np.radians(numbers[0])), np.sin(np.radians(numbers[0]))
            one[:2, :2] = (cosine, -sine), (sine, cosine)
        whole = whole @ one
    return whole


def _places(path):
    """The points of a path of absolute or relative commands, shape (n, 2)."""
    places, at, begin = [np.zeros((0, 2))], np.zeros(2), np.zeros(2)
    for command, text in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        numbers = np.array(re.findall(r"-?\d*\.?\d+", text), dtype=float)
        for group in numbers.reshape(-1, POINTS_PER_COMMAND.get(command.lower(), 1), 2):
            places.append(group + at if command.islower() else group)
            at = places[-1][-1]
        begin = at if command in "mM" else begin
        at = begin if command in "zZ" else at
    return np.concatenate(places)
