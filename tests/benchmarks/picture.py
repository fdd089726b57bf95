"""The pictures of `python -m tests.benchmarks`: cost against the number of bodies, and accuracy against cost."""

from collections.abc import Iterable
from dataclasses import dataclass

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from engine import integrators

from . import accuracy, many_bodies
from .charts import (
    GRID,
    QUIET,
    TEXT,
    THEME,
    TITLE,
    Colour,
    add_axes,
    head,
    in_order,
    log_grid,
    new_figure,
    save,
    style_of,
)
from .measure import Figure
from .table import Run, figures_of

__all__ = ["cost_and_truth", "next_to_other_engines", "save"]

ROW = 0.158
"""Height of a line of the legend, inches."""
LOST_AT = 8.0
"""Where an orientation that is lost is drawn, rad."""
THOUSAND = "1 000"

SHOWN = ("free-rotor-2", "free-rotor-4", "axis-splitting-4", "rk5", "rk4", "semi-implicit-euler")
"""The methods of the engine in the picture of the README."""

PEER_COLOUR, LIMIT_COLOUR = (0.66, 0.70, 0.76), (1.0, 1.0, 1.0)
PEER_MARKERS = ("o", "s", "^", "v", "D", "P", "X", "*", "<", ">")
LIMIT_DASHES = ("-", (0, (5, 1.6)), (0, (1.4, 1.3)), (0, (6, 1.5, 1.4, 1.5)))


@dataclass(frozen=True)
class Look:
    """How one contestant is drawn."""

    family: str
    colour: Colour
    dashes: str | tuple[int, tuple[float, ...]]
    marker: str
    width: float
    is_open: bool = False

    def draw(self, axes: Axes, x: object, y: object, line: bool = True) -> None:
        inside = axes.get_facecolor() if self.is_open else self.colour
        axes.plot(
            x,
            y,
            c=self.colour,
            ls=self.dashes if line else "",
            marker=self.marker,
            ms=3.8,
            mfc=inside,
            mew=0.9 if self.is_open else 0,
            lw=self.width,
        )


def cost_and_truth(run: Run) -> Picture:
    """Nanoseconds a body-tick by number of bodies; orientation error by nanoseconds."""
    figures = figures_of(run)
    crowd = [figure for figure in figures if figure.table == many_bodies.TABLE]
    looks = _looks(dict.fromkeys(figure.row for figure in crowd))
    machine = run["machine"]
    with matplotlib.rc_context(THEME):
        height = max(4.75, 0.75 + ROW * (len(looks) + 1.45 * len({look.family for look in looks.values()})))
        picture = new_figure(
            9.0,
            height,
            "What a body costs",
            f"One thread of {machine['processor']}, {machine['date']}. Down and to the left is better.",
        )
        panel = height - 1.55
        _costs(add_axes(picture, 0.68, 0.52, 3.27, panel), crowd, looks)
        _truths(add_axes(picture, 4.5, 0.52, 2.52, panel), figures, looks)
        _legend(add_axes(picture, 7.3, 0.2, 1.62, height - 0.75), looks)
    return picture


def next_to_other_engines(run: Run) -> Picture:
    """Orientation error by nanoseconds, with a name at each point: some methods of the engine, and every other engine."""
    points = {
        name: point
        for name, point in _points(figures_of(run)).items()
        if name in SHOWN or name not in integrators.by_name
    }
    case = ", ".join(f"{rate:g}" for rate in next(iter(accuracy.CASES.values())))
    machine = run["machine"]
    with matplotlib.rc_context(THEME):
        picture = new_figure(
            8.3,
            4.1,
            f"Orientation error after {accuracy.SECONDS} s of free tumbling, against the cost of a tick",
            f"I = (1, 2, 3) kg·m², ω = ({case}) rad/s, ticks of 1/{accuracy.TICKS_A_SECOND} s."
            f" One thread of {machine['processor']}, {machine['date']}.",
        )
        axes = add_axes(picture, 0.68, 0.5, 7.42, 2.85)
        _error_scale(axes, 2e3)
        axes.set_xlim(3.0, 3e5)
        axes.set_xlabel("ns per body and tick, 1000 bodies under gravity and thrust")
        axes.set_ylabel("largest error, rad")
        lost = sorted((cost, name) for name, (cost, error) in points.items() if not error < accuracy.LOST)
        for name, (cost, error) in points.items():
            is_lost, own = (cost, name) in lost, name in integrators.by_name
            # Names of other engines are above their points, and alternately above and below in the band.
            below = is_lost and lost.index((cost, name)) % 2 == 1
            offset = (8, 0) if own else (0, -11 if below else 9)
            y, colour = LOST_AT * 5.0 if is_lost else error, TITLE if own else PEER_COLOUR
            axes.plot([cost], [y], c=colour, ls="", marker="o" if own else "s", ms=5.5 if own else 4.5, mew=0)
            axes.annotate(
                f'"{name}"' if own else name,
                (cost, y),
                offset,
                textcoords="offset points",
                color=colour,
                size=9,
                weight="bold" if own else "normal",
                ha="left" if own else "center",
                va="center",
            )
        place = axes.get_yaxis_transform()
        axes.text(
            0.99, 0.02, "Down and to the left is better.", transform=axes.transAxes, color=QUIET, size=8, ha="right"
        )
        axes.text(
            0.99,
            LOST_AT * 5.0,
            "wrong by more than 1 rad",
            transform=place,
            color=QUIET,
            size=8,
            ha="right",
            va="center",
        )
    return picture


def _points(figures: list[Figure]) -> dict[str, tuple[float, float]]:
    """Of each contestant the cost [ns] among a thousand bodies and the error [rad] in the first case, where both are known."""
    costs = {f.row: f.median for f in figures if (f.table, f.column) == (many_bodies.TABLE, THOUSAND)}
    case = next(iter(accuracy.CASES))
    errors = {f.row: f.median for f in figures if (f.table, f.column) == (accuracy.TABLE, accuracy.error_column(case))}
    return {name: (cost, errors[name]) for name, cost in costs.items() if name in errors}


def _error_scale(axes: Axes, top: float = 60.0) -> None:
    """Logarithmic axes with a band at the top for orientations that are lost."""
    log_grid(axes)
    axes.axhspan(accuracy.LOST, top, color=GRID, lw=0)
    axes.set_ylim(1e-12, top)
    axes.set_yticks(10.0 ** np.arange(-12, 1, 2))
    axes.set_xlabel("ns per body and tick, 1000 bodies")


def _looks(names: Iterable[str]) -> dict[str, Look]:
    """The engine's methods by family, limits in white, peers in grey with open markers."""
    names = list(names)
    own = in_order(name for name in names if name in integrators.by_name)
    limits = [name for name in names if name.startswith("C: ")]
    peers = [name for name in names if name not in own and name not in limits]
    looks = {}
    for name in own:
        style = style_of(name, integrators.by_name[name]().order)
        looks[name] = Look(style.family, style.colour, style.dashes, style.marker, 1.3)
    for name, dashes in zip(limits, LIMIT_DASHES, strict=False):
        looks[name] = Look("limits, strict C", LIMIT_COLOUR, dashes, "", 0.9)
    for number, name in enumerate(peers):
        marker = PEER_MARKERS[number % len(PEER_MARKERS)]
        looks[name] = Look("other engines", PEER_COLOUR, (0, (1, 1)), marker, 0.8, is_open=True)
    return looks


def _costs(axes: Axes, crowd: list[Figure], looks: dict[str, Look]) -> None:
    log_grid(axes)
    for name, look in reversed(looks.items()):
        points = [(int(figure.column.replace(" ", "")), figure.median) for figure in crowd if figure.row == name]
        look.draw(axes, *np.array(sorted(points)).T)
    axes.set_xlabel("bodies")
    axes.set_ylabel("ns per body and tick")
    head(axes, "Cost", "gravity and a thruster on each body, many ticks in a call")


def _truths(axes: Axes, figures: list[Figure], looks: dict[str, Look]) -> None:
    """Only those of which both are known."""
    case = next(iter(accuracy.CASES))
    for name, (cost, error) in _points(figures).items():
        looks[name].draw(axes, [cost], [error if error < accuracy.LOST else LOST_AT], line=False)
    _error_scale(axes)
    axes.text(0.98, 20.0, "lost", transform=axes.get_yaxis_transform(), color=QUIET, size=7.5, ha="right", va="center")
    rates = ", ".join(f"{rate:g}" for rate in accuracy.CASES[case])
    head(
        axes,
        f"Orientation error in {accuracy.SECONDS} s, rad",
        f"I = (1, 2, 3), ω = ({rates}) rad/s, 1/{accuracy.TICKS_A_SECOND} s",
    )


def _legend(axes: Axes, looks: dict[str, Look]) -> None:
    """Names under the names of their families, from the top down."""
    axes.axis("off")
    up = axes.get_position().height * axes.figure.get_size_inches()[1]
    axes.set(xlim=(0.0, 1.0), ylim=(-up, 0.0))
    y, shown = -0.1, ""
    for name, look in looks.items():
        if look.family != shown:
            y -= 0.45 * ROW if shown else 0.0
            axes.text(0.0, y, look.family, color=QUIET, size=7.5, va="center_baseline")
            shown, y = look.family, y - ROW
        axes.plot([0.0, 0.2], [y, y], c=look.colour, ls=look.dashes, lw=look.width)
        look.draw(axes, [0.1], [y], line=False)
        axes.text(0.25, y, name.removeprefix("C: "), color=TEXT, size=7.5, va="center_baseline")
        y -= ROW
