"""The plots of the documentation as SVG files, which follow the reader's choice of a light or a dark page.

Six methods have colours and the others are grey; names stand at the ends of lines. The plots are 6.4 inches wide, so that their letters can
be read where a page shows them 400 pixels wide.
"""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.ticker import FixedLocator, LogLocator, NullLocator
from scipy.optimize import isotonic_regression

from .small_svg import small

Array = npt.NDArray[np.float64]

INKS = {
    "page": ("#ffffff", "#0d1117"),
    "panel": ("#f5f7fa", "#141a24"),
    "grid": ("#dde2e9", "#262f3d"),
    "frame": ("#8a94a3", "#5b6675"),
    "text": ("#1b2129", "#e6edf3"),
    "quiet": ("#566070", "#a3adba"),
    "others": ("#9aa3ad", "#6b7480"),
    "free-rotor-2": ("#b67900", "#ebd000"),
    "free-rotor-4": ("#7a2e00", "#fd6b13"),
    "axis-splitting-4": ("#067642", "#52b98c"),
    "rk5": ("#0b6add", "#3debef"),
    "rk4": ("#341180", "#7286ff"),
    "semi-implicit-euler": ("#cd0f86", "#e595ba"),
    "momentum": ("#b67901", "#ffb000"),
    "rates": ("#0b6ade", "#40d0f0"),
    "axis path": ("#4b5563", "#f2f2f2"),
    "axis path behind": ("#c3c8d0", "#4c525c"),
    "rates behind": ("#b3cff3", "#25505f"),
    "momentum behind": ("#e6d3ac", "#5c4a1a"),
    "line": ("#ccd3dc", "#333d4d"),
    "line behind": ("#e6eaef", "#202835"),
}
"""Each colour on a light page and on a dark one. On a light page no two are equal, because the first stands for both in the file."""

METHODS = ("free-rotor-2", "free-rotor-4", "axis-splitting-4", "rk5", "rk4", "semi-implicit-euler")
"""The methods that have colours."""
DASHES = ("-", (0, (5, 1.6)), (0, (1.4, 1.3)), (0, (6, 1.5, 1.4, 1.5)), (0, (9, 2)), (0, (3, 3)))
MARKERS = ("s", "o", "D", "p", "^", "v")


def ink(name: str) -> str:
    """The colour of this name on a light page, by which files hold both."""
    return INKS[name][0]


WIDTH = 6.4
"""Of every plot [in]."""

THEME = {
    "figure.facecolor": ink("page"),
    "axes.facecolor": ink("panel"),
    "axes.edgecolor": ink("frame"),
    "axes.labelcolor": ink("quiet"),
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "text.color": ink("text"),
    "xtick.color": ink("frame"),
    "ytick.color": ink("frame"),
    "xtick.labelcolor": ink("quiet"),
    "ytick.labelcolor": ink("quiet"),
    "grid.color": ink("grid"),
    "grid.linewidth": 0.8,
    "font.family": "DejaVu Sans",
    "font.size": 10.0,
    "axes.labelsize": 10.0,
    "mathtext.fontset": "dejavusans",
    "mathtext.default": "regular",
}

SPHERE_SECONDS = 15.7
"""How long a path on the sphere is: over and back once."""

AWAY = (-0.87, 0.5, 0.0)
"""Where the eye looks, from above, world frame: the body turns over on the near side."""
HEIGHT_OF_EYE = np.radians(30.0)
SEEN_FROM = np.array(
    [
        [1.0, 0.0, 0.0],
        [0.0, np.sin(HEIGHT_OF_EYE), np.cos(HEIGHT_OF_EYE)],
        [0.0, -np.cos(HEIGHT_OF_EYE), np.sin(HEIGHT_OF_EYE)],
    ]
)
"""Matrix from (right, away, up) to (right, up on the picture, towards the eye)."""

ROUNDING = 1e-12
"""A relative change below which nothing is said but that it is rounding."""
DRIFT_FLOOR = 1e-16
"""Half a unit in the last place: what a relative drift of zero is drawn as."""


@dataclass(frozen=True)
class Tumbling:
    """A turning body, one row a sample; world frame."""

    times: Array
    """[s], shape (n,)."""
    axes: Array
    """The body's z axis, shape (n, 3)."""
    rates: Array
    """Angular velocity [rad/s], shape (n, 3)."""
    momenta: Array
    """Angular momentum [N·m·s], shape (n, 3)."""
    energies: Array
    """[J], shape (n,)."""


@dataclass(frozen=True)
class Style:
    """How a method is drawn, in every plot the same."""

    colour: str
    dashes: str | tuple[int, tuple[float, ...]]
    marker: str
    width: float


def save(figure: Figure, path: Path, text: str = "", dark: Mapping[str, str] | None = None) -> None:
    """Write an SVG whose bytes depend on nothing but what it shows and the versions of the libraries.

    Args:
        figure: What it shows, in colours of a light page.
        path: The file.
        text: Is stored in the file as its description.
        dark: The colour on a dark page of each colour on a light one; None for `INKS`.
    """
    drawn = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "polhode", "svg.fonttype": "path", "path.simplify_threshold": 0.25}):
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    path.write_text(for_both_pages(small(drawn.getvalue()), dict(INKS.values()) if dark is None else dark, text))


def for_both_pages(drawn: str, dark: Mapping[str, str], text: str = "") -> str:
    """An SVG that was drawn in colours of a light page, with those of a dark one for readers who prefer it.

    Raises:
        ValueError: If it has a colour that has no other on a dark page.
    """
    used = sorted(set(re.findall(r"#[0-9a-f]{6}\b", drawn)))
    if missing := [colour for colour in used if colour not in dark]:
        raise ValueError(f"these colours have no other on a dark page: {', '.join(missing)}")
    for number, colour in enumerate(used):
        drawn = drawn.replace(colour, f"var(--c{number}, {colour})")
    values = " ".join(f"--c{number}: {dark[colour]};" for number, colour in enumerate(used))
    # what has no fill of its own, such as black letters, has that of the whole picture
    style = f"<style>@media (prefers-color-scheme: dark) {{ svg {{ {values} fill: {dark.get('#000000', 'black')} }} }}</style>"
    description = f"<desc>{escape(text)}</desc>\n " if text else ""
    begin = drawn.index(">", drawn.index("<svg")) + 1
    lines = f"{drawn[:begin]}\n {description}{style}{drawn[begin:]}".splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def style_of(name: str) -> Style:
    """The style of a method, whatever other methods there are."""
    if name not in METHODS:
        return Style(ink("others"), "-", ".", 1.0)
    place = METHODS.index(name)
    return Style(ink(name), DASHES[place], MARKERS[place], 1.8)


def in_order(names: Iterable[str]) -> list[str]:
    """The names in the order in which they are drawn: grey ones first, below the others."""
    return sorted(names, key=lambda name: (name in METHODS, METHODS.index(name) if name in METHODS else 0, name))


def new_figure(height: float, title: str, *subtitle: str) -> Figure:
    figure = Figure(figsize=(WIDTH, height))
    figure.text(0.12 / WIDTH, 1.0 - 0.12 / height, title, size=13.0, weight="bold", va="top")
    for number, line in enumerate(subtitle):
        figure.text(0.12 / WIDTH, 1.0 - (0.42 + 0.2 * number) / height, line, color=ink("quiet"), size=10.0, va="top")
    return figure


def add_axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes at a place in inches."""
    across, up = figure.get_size_inches()
    return figure.add_axes((left / across, bottom / up, width / across, height / up))


def log_grid(axes: Axes, every: float = 10.0) -> None:
    """Logarithmic axes with a line at each power of ten, or of `every` upwards."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(LogLocator(10.0, numticks=30))
    axes.yaxis.set_major_locator(LogLocator(every, numticks=30))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
    axes.grid(True)
    axes.tick_params(length=0, pad=4)


def head(axes: Axes, title: str, subtitle: str = "") -> None:
    above = 22 if subtitle else 6
    axes.annotate(title, (0, 1), (0, above), "axes fraction", "offset points", weight="bold", size=11.0)
    axes.annotate(subtitle, (0, 1), (0, 7), "axes fraction", "offset points", color=ink("quiet"), size=9.5)


# work and precision


def work_precision(panels: Sequence[tuple[str, str, Mapping[str, Array]]]) -> Figure:
    """Error against cost, a panel a problem.

    Args:
        panels: Title, subtitle, and of each method rows of (µs a simulated second, error [rad]).
    """
    with matplotlib.rc_context(THEME):
        figure = new_figure(
            8.9,
            "What an orientation costs",
            "Each line is a method, each point a tick, half as long as that of the",
            "point before. Down and to the left is better. Thin lines lead to names.",
        )
        for number, (title, subtitle, curves) in enumerate(panels):
            axes = add_axes(figure, 0.85, 0.6 + 4.0 * (len(panels) - 1 - number), 3.7, 2.95)
            for name in in_order(name for name in curves if len(curves[name])):
                style = style_of(name)
                axes.plot(
                    *curves[name].T,
                    c=style.colour,
                    ls=style.dashes,
                    marker=style.marker,
                    ms=4.5 if name in METHODS else 2.5,
                    lw=style.width,
                    mew=0,
                )
            log_grid(axes, 100.0)
            axes.set_ylim(1e-14, 10.0)
            axes.set_ylabel("largest error in 10 s, rad")
            axes.set_xlabel("µs of computing per simulated second")
            _label_ends(axes, {name: rows[-1] for name, rows in curves.items() if len(rows)})
            head(axes, title, subtitle)
        return figure


# drift


def drift(curves: Mapping[str, Array]) -> Figure:
    """Drift of energy and momentum against time.

    Args:
        curves: Of each method rows of (time [s], energy drift, momentum drift), relative and never falling.
    """
    with matplotlib.rc_context(THEME):
        figure = new_figure(
            8.9,
            "What a free body loses",
            "Largest relative change so far; I = (1, 2, 3) kg·m², ω = (0.1, 5, 0.1) rad/s,",
            "ticks of 1/60 s. Below 1e−12 it is rounding.",
        )
        for number, title in enumerate(("Energy", "Angular momentum")):
            axes = add_axes(figure, 0.85, 0.6 + 4.0 * (1 - number), 3.65, 3.05)
            log_grid(axes, 100.0)
            axes.set_xlim(1.0 / 60.0, 1000.0)
            axes.set_ylim(DRIFT_FLOOR, 10.0)
            axes.axhspan(DRIFT_FLOOR, ROUNDING, color=ink("grid"), lw=0)
            axes.text(900.0, 2e-16, "rounding", color=ink("quiet"), size=9.5, ha="right")
            for name in in_order(curves):
                style, rows = style_of(name), curves[name]
                values = np.maximum(rows[:, 1 + number], DRIFT_FLOOR)
                axes.plot(rows[:, 0], values, c=style.colour, ls=style.dashes, lw=style.width, clip_on=True)
            ends = {name: rows[-1, [0, 1 + number]] for name, rows in curves.items() if len(rows)}
            _label_ends(axes, ends)
            axes.set_ylabel("relative change")
            head(axes, title)
        axes.set_xlabel("time, s")
        return figure


def _label_ends(axes: Axes, ends: Mapping[str, Array]) -> None:
    """Names right of the axes, each as near to the end of its line as the others let it."""
    names = sorted(ends, key=lambda name: float(ends[name][1]))
    found = np.array([np.clip(ends[name][1], *axes.get_ylim()) for name in names])
    places = axes.transAxes.inverted().transform(
        axes.transData.transform([(ends[name][0], y) for name, y in zip(names, found, strict=True)])
    )
    wanted = places[:, 1]
    gap = 0.17 / (axes.get_position().height * axes.figure.get_size_inches()[1])
    steps = gap * np.arange(len(names))
    placed = np.clip(isotonic_regression(wanted - steps).x, 0.0, 1.0 - steps[-1]) + steps
    for name, (x, y), label_y in zip(names, places, placed, strict=True):
        colour = style_of(name).colour
        place = {"transform": axes.transAxes, "clip_on": False}
        axes.plot([x, 1.01, 1.05, 1.065], [y, y, label_y, label_y], c=colour, lw=0.7, zorder=1.5, **place)
        words = {"color": colour, "weight": "bold"} if name in METHODS else {"color": ink("quiet")}
        axes.text(1.08, label_y, name, size=9.5, va="center_baseline", **words, **place)


# game mode


def game_mode(physical: Tumbling, game: Tumbling) -> Figure:
    """The same body with and without the gyroscopic term: the path of an axis on the sphere, and the angles that tell them apart."""
    with matplotlib.rc_context(THEME):
        figure = new_figure(
            7.5,
            "What game mode loses",
            "A body with I = (2, 8, 4) kg·m², ω = (0, 0.1, 1) rad/s at the start, with",
            "and without the gyroscopic term ω × Iω. Paths over 15.7 s.",
        )
        for number, (title, run) in enumerate(
            (("With it: the body turns over", physical), ("Game mode: it just spins", game))
        ):
            axes = add_axes(figure, 0.1 + 3.15 * number, 3.05, 3.05, 3.3)
            _sphere(axes, run, physical.momenta[0])
            head(axes, title)
        tilt = Angles(
            "From L at the start to z",
            "axes",
            ink("axis path"),
            (0.0, 90.0, 180.0),
            (-8.0, 188.0),
            ((15.7, 90.0), (7.8, 30.0)),
        )
        swing = Angles(
            "From L at the start to L now",
            "momenta",
            ink("momentum"),
            (0.0, 5.0, 10.0),
            (-3.0, 14.5),
            ((4.5, -1.6), (15.7, 13.0)),
        )
        for number, angles in enumerate((tilt, swing)):
            axes = add_axes(figure, 0.65 + 3.15 * number, 1.1, 2.45, 1.45)
            _angles(axes, angles, (physical, game))
            axes.set_xlabel("time, s")
        figure.text(0.12 / WIDTH, 0.12 / 7.5, _kept(physical, game), color=ink("quiet"), size=9.5, linespacing=1.5)
        return figure


def _sphere(axes: Axes, run: Tumbling, up: Array) -> None:
    """Directions on a unit sphere seen from a little above, the angular momentum of the start pointing up; what lies behind is dim."""
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set(xlim=(-1.06, 1.06), ylim=(-1.04, 1.42))
    axes.add_patch(Circle((0.0, 0.0), 1.0, facecolor=ink("panel"), edgecolor=ink("frame"), lw=1.0))
    view = _view(up)
    turn = np.linspace(0.0, 2.0 * np.pi, 91)
    circle = np.stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)], axis=1)
    for latitude in np.radians((-60.0, -30.0, 0.0, 30.0, 60.0)):
        _path(axes, (circle * np.cos(latitude) + (0.0, 0.0, np.sin(latitude))) @ SEEN_FROM.T, "line", 0.8)
    for longitude in np.radians(np.arange(0.0, 180.0, 30.0)):
        meridian = circle[:, :1] * (np.cos(longitude), np.sin(longitude), 0.0) + circle[:, 1:2] * (0.0, 0.0, 1.0)
        _path(axes, meridian @ SEEN_FROM.T, "line", 0.8)
    shown = run.times <= SPHERE_SECONDS
    # z and L go round nearly the same circle in game mode: the wider line shows on both sides of the narrower
    drawn = (("z", "axis path", run.axes, 2.6), ("ω", "rates", run.rates, 1.6), ("L", "momentum", run.momenta, 1.1))
    for label, name, vectors, width in drawn:
        directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True) @ view.T
        _path(axes, directions[shown], name, width)
        _arrow(axes, directions[0], label, ink(name))


def _view(up: Array) -> Array:
    """Matrix from the world frame to (right, up, towards the eye)."""
    vertical = up / np.linalg.norm(up)
    side = np.cross(vertical, AWAY)
    side /= np.linalg.norm(side)
    return SEEN_FROM @ np.array([side, np.cross(vertical, side), vertical])


def _path(axes: Axes, points: Array, name: str, width: float) -> None:
    """A line through points (right, up, towards the eye), which is faint where it lies behind."""
    behind = points[1:, 2] + points[:-1, 2] < 0.0
    turns = np.flatnonzero(np.diff(behind)) + 1
    begins, ends = [0, *turns], [*turns, len(behind)]
    for side, colour, above in ((True, ink(f"{name} behind"), 2.0), (False, ink(name), 3.0)):
        stretches = [
            points[begin : end + 1, :2] for begin, end in zip(begins, ends, strict=True) if behind[begin] == side
        ]
        lines = LineCollection(stretches, colors=[colour], linewidths=width, capstyle="round", zorder=above)
        axes.add_collection(lines)


def _arrow(axes: Axes, direction: Array, label: str, colour: str) -> None:
    """From the middle through the sphere to a label outside."""
    tip = 1.22 * direction[:2]
    axes.annotate(
        "", tip, (0.0, 0.0), arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.5, "shrinkA": 0, "shrinkB": 0}
    )
    axes.text(*(1.33 * direction[:2]), label, color=colour, size=12.0, weight="bold", ha="center", va="center")


def _kept(physical: Tumbling, game: Tumbling) -> str:
    """What the two runs keep, in words with the numbers."""
    words = []
    for title, run in (("With it", physical), ("In game mode", game)):
        length, swing = np.linalg.norm(run.momenta, axis=1), _angle(run.momenta, run.momenta[0]).max()
        lost = max(np.ptp(length) / length[0], np.ptp(run.energies) / run.energies[0])
        direction = f"L swings by {swing:.1f}°" if np.radians(swing) > ROUNDING else "L keeps its direction"
        kept = "to rounding" if lost < ROUNDING else f"to {lost:.0e}".replace("-", "−")
        words.append(f"{title}, {direction}; its length and the energy stay {kept}.")
    return "\n".join(words)


def _angle(vectors: Array, to: Array) -> Array:
    """[°]"""
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(vectors, to), axis=1), vectors @ to))


@dataclass(frozen=True)
class Angles:
    """Angles [°] between the momentum at the start and a direction of `Tumbling`."""

    title: str
    field: str
    colour: str
    ticks: tuple[float, ...]
    limits: tuple[float, float]
    labels: tuple[tuple[float, float], tuple[float, float]]
    """Where the names of the two runs stand, in s and °."""


def _angles(axes: Axes, angles: Angles, runs: tuple[Tumbling, Tumbling]) -> None:
    """The angles of the run with the gyroscopic term and of that in game mode, against time."""
    names = ("with it", "game mode")
    for run, dashes, name, place in zip(runs, ("-", (0, (3, 1.3))), names, angles.labels, strict=True):
        values = _angle(getattr(run, angles.field), runs[0].momenta[0])
        axes.plot(run.times, values, c=angles.colour, ls=dashes, lw=1.4)
        axes.text(*place, name, size=9.5, color=angles.colour, ha="center", va="center")
    low, high = angles.limits
    axes.set(xlim=(0.0, runs[0].times[-1]), ylim=(low, high))
    axes.yaxis.set_major_locator(FixedLocator(angles.ticks))
    axes.yaxis.set_major_formatter("{x:.0f}°")
    axes.grid(True)
    axes.tick_params(length=0, pad=4)
    head(axes, angles.title)
