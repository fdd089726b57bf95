"""The pictures of `tests.benchmarks.integrators`, in the colours of the demos: families of methods by colour, orders by marker.

1800 pixels wide and made to be read at half of that.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter, NullLocator
from PIL import Image  # matplotlib requires it
from PIL.PngImagePlugin import PngInfo
from scipy.optimize import isotonic_regression

Array = npt.NDArray[np.float64]
Colour = tuple[float, float, float]

BACKGROUND, PANEL, GRID, FRAME = (0.030, 0.037, 0.060), (0.050, 0.062, 0.095), (0.12, 0.145, 0.20), (0.30, 0.35, 0.44)
LINES = (0.15, 0.18, 0.25)
TEXT, QUIET, TITLE = (0.90, 0.93, 0.97), (0.62, 0.68, 0.76), (1.0, 0.86, 0.55)
BLUE, GREEN, AMBER = (0.42, 0.68, 1.0), (0.45, 0.88, 0.48), (1.0, 0.74, 0.28)

FAMILIES: dict[str, tuple[tuple[Colour, Colour], tuple[str, ...]]] = {
    "exact rotation": (((1.0, 0.88, 0.45), (1.0, 0.60, 0.16)), ("free-rotor-2", "free-rotor-4", "saba4")),
    "axis by axis": (((0.62, 0.95, 0.50), (0.20, 0.78, 0.50)), ("axis-splitting-2", "axis-splitting-4")),
    "Runge–Kutta": (
        ((0.45, 0.92, 1.0), (0.50, 0.46, 1.0)),
        ("rk5", "rk4", "lie-rk4", "nystrom", "rk4-body-rates", "rk4-world-rates"),
    ),
    "midpoints": (((0.90, 0.62, 1.0), (0.72, 0.42, 0.92)), ("midpoint", "predictor-corrector")),
    "Euler": (((1.0, 0.52, 0.44), (0.95, 0.38, 0.62)), ("semi-implicit-euler", "implicit-gyro-euler")),
}
"""Of each family the first and the last colour, and its methods in order. A method named nowhere stands among the others, in grey."""

MARKERS = {1: "v", 2: "s", 4: "o", 5: "p"}
DASHES = ("-", (0, (5, 1.6)), (0, (1.4, 1.3)), (0, (6, 1.5, 1.4, 1.5)), (0, (9, 2)), (0, (3, 3)))

THEME = {
    "figure.facecolor": BACKGROUND,
    "axes.facecolor": PANEL,
    "axes.edgecolor": FRAME,
    "axes.labelcolor": QUIET,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "text.color": TEXT,
    "xtick.color": FRAME,
    "ytick.color": FRAME,
    "xtick.labelcolor": QUIET,
    "ytick.labelcolor": QUIET,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.labelsize": 8.5,
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

DRIFT_FLOOR = 1e-16
"""Half a unit in the last place: what a relative drift of zero is drawn as."""


@dataclass(frozen=True)
class Style:
    """How a method is drawn, in every picture the same."""

    family: str
    colour: Colour
    dashes: str | tuple[int, tuple[float, ...]]
    marker: str


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


def save(figure: Figure, path: Path, text: Mapping[str, str] | None = None) -> None:
    """Write a PNG whose bytes depend on nothing but what it shows and the versions of the libraries.

    With 256 colours it has a third of the size. `text` is stored in the file, as texts by name.
    """
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=200)
    stored = PngInfo()
    for name, words in (text or {}).items():
        stored.add_text(name, words)
    image = Image.open(drawn).convert("RGB").quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    image.save(path, optimize=True, pnginfo=stored)


def style_of(name: str, order: int) -> Style:
    """The style of a method, whatever other methods there are."""
    for family, ((first, last), members) in FAMILIES.items():
        if name in members:
            place = members.index(name)
            colour = np.array(first) + place / max(1, len(members) - 1) * (np.array(last) - np.array(first))
            return Style(family, to_rgb(tuple(colour)), DASHES[place % len(DASHES)], MARKERS.get(order, "D"))
    return Style("others", QUIET, "-", MARKERS.get(order, "D"))


def in_order(names: Iterable[str]) -> list[str]:
    """The names by family, as in `FAMILIES`; those that stand nowhere, last."""
    places = [name for _, members in FAMILIES.values() for name in members]
    return sorted(names, key=lambda name: places.index(name) if name in places else len(places))


def new_figure(width: float, height: float, title: str, subtitle: str) -> Figure:
    figure = Figure(figsize=(width, height))
    figure.text(0.18 / width, 1.0 - 0.17 / height, title, color=TITLE, size=11.5, weight="bold", va="top")
    figure.text(0.18 / width, 1.0 - 0.43 / height, subtitle, color=QUIET, size=8.5, va="top")
    return figure


def add_axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes at a place in inches."""
    across, up = figure.get_size_inches()
    return figure.add_axes((left / across, bottom / up, width / across, height / up))


def log_grid(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(10.0, numticks=30))
        axis.set_minor_locator(NullLocator())
    axes.grid(True)
    axes.tick_params(length=0, pad=4)


def head(axes: Axes, title: str, subtitle: str = "") -> None:
    above = 20 if subtitle else 6
    axes.annotate(title, (0, 1), (0, above), "axes fraction", "offset points", color=TEXT, weight="bold", size=9.5)
    axes.annotate(subtitle, (0, 1), (0, 7), "axes fraction", "offset points", color=QUIET, size=7.5)


# work and precision


def work_precision(panels: Sequence[tuple[str, str, Mapping[str, Array]]], orders: Mapping[str, int]) -> Figure:
    """Error against cost, a panel a problem.

    Args:
        panels: Title, subtitle, and of each method rows of (µs a simulated second, error [rad]).
        orders: Of every method.
    """
    with matplotlib.rc_context(THEME):
        figure = new_figure(
            9.0,
            4.75,
            "What an orientation costs",
            "Each line is a method, each point a tick, half as long as that of the point before. Down and to the left is better.",
        )
        for number, (title, subtitle, curves) in enumerate(panels):
            axes = add_axes(figure, 0.68 + 3.47 * number, 0.52, 3.27, 3.2)
            for name in reversed(in_order(curves)):
                if len(curves[name]):
                    style = style_of(name, orders[name])
                    axes.plot(
                        *curves[name].T, c=style.colour, ls=style.dashes, marker=style.marker, ms=3.6, lw=1.3, mew=0
                    )
            log_grid(axes)
            axes.set_ylim(1e-14, 3.0)
            lost = [name for name in in_order(curves) if not len(curves[name])]
            if lost:
                note = f"wrong by more than 1 rad at every tick: {', '.join(lost)}"
                axes.text(0.02, 0.02, note, color=QUIET, size=7, transform=axes.transAxes)
            axes.set_xlabel("computing time, µs per simulated second")
            head(axes, title, subtitle)
            if number:
                axes.yaxis.set_major_formatter(NullFormatter())
            else:
                axes.set_ylabel("largest orientation error within 10 s, rad")
        _legend(add_axes(figure, 7.5, 0.2, 1.42, 4.0), orders)
        return figure


def _legend(axes: Axes, orders: Mapping[str, int]) -> None:
    """Names under the names of their families, and what the markers mean, from the top down."""
    axes.axis("off")
    up = axes.get_position().height * axes.figure.get_size_inches()[1]
    axes.set(xlim=(0.0, 1.0), ylim=(-up, 0.0))
    step, gap, y = 0.158, 0.07, -0.1
    shown = ""
    for name in in_order(orders):
        style = style_of(name, orders[name])
        if style.family != shown:
            y -= gap if shown else 0.0
            axes.text(0.0, y, style.family, color=QUIET, size=7.5, va="center_baseline")
            shown, y = style.family, y - step
        axes.plot([0.0, 0.11, 0.22], [y] * 3, c=style.colour, ls=style.dashes, lw=1.4)
        axes.plot([0.11], [y], c=style.colour, marker=style.marker, ms=3.8, mew=0)
        axes.text(0.27, y, name, size=7.8, va="center_baseline")
        y -= step
    y -= gap
    axes.text(0.0, y, "order", color=QUIET, size=7.5, va="center_baseline")
    for place, order in enumerate(sorted(set(orders.values()))):
        left = 0.32 + 0.18 * place
        axes.plot([left], [y], c=QUIET, marker=MARKERS.get(order, "D"), ms=3.8, mew=0)
        axes.text(left + 0.05, y, f"{order}", color=QUIET, size=7.5, va="center_baseline")


# drift


def drift(curves: Mapping[str, Array], orders: Mapping[str, int]) -> Figure:
    """Drift of energy and momentum against time.

    Args:
        curves: Of each method rows of (time [s], energy drift, momentum drift), relative and never falling.
        orders: Of every method.
    """
    with matplotlib.rc_context(THEME):
        figure = new_figure(
            9.0,
            4.75,
            "What a free body loses",
            "Largest drift so far, relative, of a tumbling body: I = (1, 2, 3) kg·m², ω = (0.1, 5, 0.1) rad/s, ticks of 1/60 s.",
        )
        for number, title in enumerate(("Energy", "Angular momentum")):
            axes = add_axes(figure, 0.62 + 4.26 * number, 0.52, 2.76, 3.35)
            log_grid(axes)
            axes.set_xlim(1.0 / 60.0, 1000.0)
            axes.set_ylim(DRIFT_FLOOR, 10.0)
            for name in reversed(in_order(curves)):
                style, rows = style_of(name, orders[name]), curves[name]
                values = np.maximum(rows[:, 1 + number], DRIFT_FLOOR)
                axes.plot(rows[:, 0], values, c=style.colour, ls=style.dashes, lw=1.5, clip_on=True)
            _label_ends(axes, {name: rows[-1, 1 + number] for name, rows in curves.items() if len(rows)}, orders)
            axes.set_xlabel("time, s")
            head(axes, title)
            if number:
                axes.yaxis.set_major_formatter(NullFormatter())
        return figure


def _label_ends(axes: Axes, ends: Mapping[str, float], orders: Mapping[str, int]) -> None:
    """Names right of the axes, each as near to the end of its line as the others let it."""
    names = sorted(ends, key=lambda name: ends[name])
    low, high = np.log10(axes.get_ylim())
    wanted = (np.log10(np.clip([ends[name] for name in names], *axes.get_ylim())) - low) / (high - low)
    gap = 0.16 / (axes.get_position().height * axes.figure.get_size_inches()[1])
    steps = gap * np.arange(len(names))
    placed = np.clip(isotonic_regression(wanted - steps).x, 0.0, 1.0 - steps[-1]) + steps
    for name, y, label_y in zip(names, wanted, placed, strict=True):
        style = style_of(name, orders[name])
        place = {"transform": axes.transAxes, "clip_on": False}
        axes.plot([1.005, 1.02, 1.06, 1.075], [y, y, label_y, label_y], c=style.colour, lw=0.8, alpha=0.7, **place)
        axes.text(1.09, label_y, name, color=style.colour, size=7.8, va="center_baseline", **place)


# game mode


def game_mode(physical: Tumbling, game: Tumbling) -> Figure:
    """The same body with and without the gyroscopic term: the path of an axis on the sphere, and the angles that tell them apart."""
    with matplotlib.rc_context(THEME):
        figure = new_figure(
            9.0,
            4.75,
            "What game mode loses",
            "I = (2, 8, 4) kg·m², ω = (0, 0.1, 1) rad/s at the start, with and without the gyroscopic term ω × Iω. Paths over 15.7 s.",
        )
        for number, (title, run) in enumerate(
            (("With it: the body turns over", physical), ("Game mode: it just spins", game))
        ):
            axes = add_axes(figure, 0.2 + 2.78 * number, 0.6, 2.66, 3.09)
            _sphere(axes, run, physical.momenta[0])
            head(axes, title)
        figure.text(0.02, 0.04, _kept(physical, game), color=QUIET, size=7.8, linespacing=1.5)
        tilt = Angles(
            "From L at the start to body z", "axes", BLUE, (0.0, 45.0, 90.0, 135.0, 180.0), ((15.7, 115.0), (7.8, 40.0))
        )
        swing = Angles(
            "From L at the start to L now", "momenta", AMBER, (0.0, 5.0, 10.0, 15.0), ((3.2, 1.3), (15.7, 13.0))
        )
        for bottom, angles in ((2.52, tilt), (0.6, swing)):
            _angles(add_axes(figure, 6.25, bottom, 2.57, 1.22), angles, (physical, game))
        figure.axes[-1].set_xlabel("time, s")
        return figure


def _sphere(axes: Axes, run: Tumbling, up: Array) -> None:
    """Directions on a unit sphere seen from a little above, the angular momentum of the start pointing up; what lies behind is dim."""
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set(xlim=(-1.06, 1.06), ylim=(-1.04, 1.42))
    axes.add_patch(Circle((0.0, 0.0), 1.0, facecolor=PANEL, edgecolor=FRAME, lw=1.0))
    view = _view(up)
    turn = np.linspace(0.0, 2.0 * np.pi, 181)
    circle = np.stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)], axis=1)
    for latitude in np.radians((-60.0, -30.0, 0.0, 30.0, 60.0)):
        _path(axes, (circle * np.cos(latitude) + (0.0, 0.0, np.sin(latitude))) @ SEEN_FROM.T, LINES, 0.8, 0.35)
    for longitude in np.radians(np.arange(0.0, 180.0, 30.0)):
        meridian = circle[:, :1] * (np.cos(longitude), np.sin(longitude), 0.0) + circle[:, 1:2] * (0.0, 0.0, 1.0)
        _path(axes, meridian @ SEEN_FROM.T, LINES, 0.8, 0.35)
    shown = run.times <= SPHERE_SECONDS
    # z and L go round nearly the same circle in game mode: the wider line shows on both sides of the narrower
    drawn = (("z", BLUE, run.axes, 2.4), ("ω", GREEN, run.rates, 1.4), ("L", AMBER, run.momenta, 1.1))
    for label, colour, vectors, width in drawn:
        directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True) @ view.T
        _path(axes, directions[shown], colour, width, 0.35)
        _arrow(axes, directions[0], label, colour)


def _view(up: Array) -> Array:
    """Matrix from the world frame to (right, up, towards the eye)."""
    vertical = up / np.linalg.norm(up)
    side = np.cross(vertical, AWAY)
    side /= np.linalg.norm(side)
    return SEEN_FROM @ np.array([side, np.cross(vertical, side), vertical])


def _path(axes: Axes, points: Array, colour: Colour, width: float, dimmed: float) -> None:
    """A line through points (right, up, towards the eye); of what lies behind, `dimmed` of the colour is left."""
    segments = np.stack([points[:-1, :2], points[1:, :2]], axis=1)
    behind = points[1:, 2] + points[:-1, 2] < 0.0
    faint = to_rgb(tuple(dimmed * np.array(colour) + (1.0 - dimmed) * np.array(PANEL)))
    for chosen, shade, above in ((behind, faint, 2.0), (~behind, colour, 3.0)):
        lines = LineCollection(list(segments[chosen]), colors=[shade], linewidths=width, capstyle="round", zorder=above)
        axes.add_collection(lines)


def _arrow(axes: Axes, direction: Array, label: str, colour: Colour) -> None:
    """From the middle through the sphere to a label outside."""
    tip = 1.22 * direction[:2]
    axes.annotate(
        "", tip, (0.0, 0.0), arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.3, "shrinkA": 0, "shrinkB": 0}
    )
    axes.text(*(1.33 * direction[:2]), label, color=colour, size=9.5, weight="bold", ha="center", va="center")


def _kept(physical: Tumbling, game: Tumbling) -> str:
    """What the two runs keep, in words with the numbers."""
    words = []
    for title, run in (("With it", physical), ("Game mode", game)):
        length, swing = np.linalg.norm(run.momenta, axis=1), _angle(run.momenta, run.momenta[0]).max()
        direction = f"L swings by {swing:.1f}°" if swing > 0.05 else f"L keeps its direction to {_power(swing)}°"
        lost, spent = np.ptp(length) / length[0], np.ptp(run.energies) / run.energies[0]
        words.append(f"{title}: {direction}; its length stays to {_power(lost)}, the energy to {_power(spent)}.")
    return "\n".join(words)


def _power(value: float) -> str:
    return f"{max(value, DRIFT_FLOOR):.0e}".replace("e-0", "e-").replace("-", "−")


def _angle(vectors: Array, to: Array) -> Array:
    """[°]"""
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(vectors, to), axis=1), vectors @ to))


@dataclass(frozen=True)
class Angles:
    """Angles [°] between the momentum at the start and a direction of `Tumbling`."""

    title: str
    field: str
    colour: Colour
    ticks: tuple[float, ...]
    labels: tuple[tuple[float, float], tuple[float, float]]
    """Where the names of the two runs stand, in s and °."""


def _angles(axes: Axes, angles: Angles, runs: tuple[Tumbling, Tumbling]) -> None:
    """The angles of the run with the gyroscopic term and of that in game mode, against time."""
    names = ("with it", "game mode")
    for run, dashes, name, place in zip(runs, ("-", (0, (3, 1.3))), names, angles.labels, strict=True):
        values = _angle(getattr(run, angles.field), runs[0].momenta[0])
        axes.plot(run.times, values, c=angles.colour, ls=dashes, lw=1.4)
        axes.text(*place, name, size=7.8, color=angles.colour, ha="center", va="center")
    top = angles.ticks[-1]
    axes.set(xlim=(0.0, runs[0].times[-1]), ylim=(-0.04 * top, 1.04 * top))
    axes.yaxis.set_major_locator(FixedLocator(angles.ticks))
    axes.yaxis.set_major_formatter("{x:.0f}°")
    axes.grid(True)
    axes.tick_params(length=0, pad=4)
    head(axes, angles.title)
