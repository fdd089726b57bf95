"""The plots of `python -m tests.benchmarks`: what a tick of a body costs, and accuracy against cost."""

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from matplotlib.ticker import NullLocator

from engine import integrators

from . import accuracy, many_bodies
from .charts import METHODS, THEME, add_axes, ink, log_grid, new_figure, save
from .measure import Figure
from .table import Run, figures_of

__all__ = ["costs", "next_to_other_engines", "save"]

ROW = 0.215
"""Height of a bar with its space [in]."""
LOST_AT = 40.0
"""Where an orientation that is lost is drawn [rad]."""
THOUSAND = "1 000"
LIMIT = "C: "
"""How the names of the same loops in strict C begin."""


def costs(run: Run) -> Picture:
    """Nanoseconds per body and tick among a thousand bodies, as bars from the cheapest to the dearest, with numbers."""
    found = sorted(
        (figure.median, figure.row)
        for figure in figures_of(run)
        if (figure.table, figure.column) == (many_bodies.TABLE, THOUSAND)
    )
    machine = run["machine"]
    with matplotlib.rc_context(THEME):
        height = 1.65 + ROW * len(found)
        picture = new_figure(
            height,
            "What a tick of a body costs",
            "ns per body and tick, 1000 bodies under gravity and thrust; bold: this engine;",
            f"hatched: the same in C. One thread of {machine['processor']}, {machine['date']}.",
        )
        axes = add_axes(picture, 2.1, 0.5, 3.6, ROW * len(found))
        axes.set_xscale("log")
        axes.set_ylim(len(found) - 0.4, -0.6)
        axes.grid(True, axis="x")
        axes.tick_params(length=0, pad=4)
        axes.set_yticks([])
        for place, (cost, name) in enumerate(found):
            is_limit, is_own = name.startswith(LIMIT), name in integrators.by_name
            colour = ink(name) if name in METHODS else ink("others")
            axes.barh(
                place,
                cost,
                0.7,
                color=ink("panel") if is_limit else colour,
                edgecolor=colour,
                hatch="////" if is_limit else None,
                linewidth=0.8,
            )
            words = (
                {"color": ink(name), "weight": "bold"}
                if name in METHODS
                else {"weight": "bold" if is_own else "normal"}
            )
            said = f"{name.removeprefix(LIMIT)}, in C" if is_limit else name
            axes.annotate(
                said,
                (0, place),
                (-6, 0),
                ("axes fraction", "data"),
                "offset points",
                size=9.5,
                ha="right",
                va="center",
                **words,
            )
            axes.annotate(_digits(cost), (cost, place), (5, 0), "data", "offset points", size=9.5, va="center")
        axes.set_xlim(5.0, 7e5)
        axes.xaxis.set_minor_locator(NullLocator())
    return picture


def next_to_other_engines(run: Run) -> Picture:
    """Orientation error by nanoseconds, with a name at each point: some methods of the engine, and every other engine."""
    points = {
        name: point
        for name, point in _points(figures_of(run)).items()
        if name in METHODS or name not in integrators.by_name
    }
    case = ", ".join(f"{rate:g}" for rate in next(iter(accuracy.CASES.values())))
    machine = run["machine"]
    with matplotlib.rc_context(THEME):
        picture = new_figure(
            5.0,
            f"Error after {accuracy.SECONDS} s of free tumbling, against cost",
            f"I = (1, 2, 3) kg·m², ω = ({case}) rad/s, ticks of 1/{accuracy.TICKS_A_SECOND} s; one thread of",
            f"{machine['processor']}, {machine['date']}. Down and to the left is better.",
        )
        axes = add_axes(picture, 0.85, 0.6, 5.4, 3.45)
        log_grid(axes)
        axes.axhspan(accuracy.LOST, 2e3, color=ink("grid"), lw=0)
        axes.set_ylim(1e-12, 2e3)
        axes.set_yticks(10.0 ** np.arange(-12, 1, 2))
        axes.set_xlim(3.0, 1.5e6)
        axes.set_xlabel("ns per body and tick, 1000 bodies under gravity and thrust")
        axes.set_ylabel("largest orientation error, rad")
        _name_points(axes, points)
        place = axes.get_yaxis_transform()
        axes.annotate(
            "wrong by more than 1 rad",
            (0.99, LOST_AT),
            xytext=(0.0, 11.0),
            xycoords=place,
            textcoords="offset points",
            color=ink("quiet"),
            size=9.5,
            ha="right",
            va="center",
        )
    return picture


PLACES = (
    (8, 0, "left"),
    (4, 11, "right"),
    (0, 11, "center"),
    (0, -12, "center"),
    (5, 11, "left"),
    (5, -12, "left"),
    (4, -12, "right"),
    (0, 22, "center"),
    (0, -23, "center"),
)
"""Where a name may stand, in points from its own, and what of it stands there; the first place that is free is taken."""
SHARE = {"left": 0.0, "center": 0.5, "right": 1.0}
LINE = 11.0
"""Height of a name [pt]."""


def _name_points(axes: Axes, points: dict[str, tuple[float, float]]) -> None:
    """Points with their names, none of which covers another, a point or the frame."""
    seen = {name: (cost, error if error < accuracy.LOST else LOST_AT) for name, (cost, error) in points.items()}
    per_point = axes.figure.dpi / 72.0
    places = {name: axes.transData.transform(point) / per_point for name, point in seen.items()}
    (left_end, low_end), (right_end, high_end) = axes.transAxes.transform([(0.0, 0.0), (1.0, 1.0)]) / per_point
    outside = [
        (-1e6, -1e6, left_end, 1e6),
        (right_end, -1e6, 1e6, 1e6),
        (-1e6, -1e6, 1e6, low_end),
        (-1e6, high_end, 1e6, 1e6),
    ]
    taken = outside + [(x - 4.0, y - 4.0, x + 4.0, y + 4.0) for x, y in places.values()]
    for name, (x, y) in sorted(places.items(), key=lambda item: float(item[1][0])):
        weight = "bold" if name in METHODS else "normal"
        long = (
            TextPath((0.0, 0.0), name, 10.0, prop=FontProperties(family="DejaVu Sans", weight=weight))
            .get_extents()
            .width
            + 2.0
        )
        boxes = []
        for right, up, side in PLACES:
            left = x + right - SHARE[side] * long
            boxes.append((left, y + up - 0.5 * LINE, left + long, y + up + 0.5 * LINE))
        own = (x - 4.0, y - 4.0, x + 4.0, y + 4.0)
        free = [n for n, box in enumerate(boxes) if not any(_overlap(box, one) for one in taken if one != own)]
        chosen = free[0] if free else 0
        taken.append(boxes[chosen])
        right, up, side = PLACES[chosen]
        is_own = name in METHODS
        colour = ink(name) if is_own else ink("quiet")
        axes.plot(*np.transpose([seen[name]]), c=colour, ls="", marker="o" if is_own else "s", ms=6.0, mew=0)
        axes.annotate(
            name,
            seen[name],
            (right, up),
            textcoords="offset points",
            color=colour,
            size=10.0,
            weight=weight,
            ha=side,
            va="center",
        )


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether two rectangles (left, low, right, high) overlap."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _digits(cost: float) -> str:
    """Three digits, with a space between thousands."""
    rounded = float(f"{cost:.3g}")
    return f"{rounded:,.0f}".replace(",", " ") if rounded >= 100.0 else f"{rounded:.3g}"


def _points(figures: list[Figure]) -> dict[str, tuple[float, float]]:
    """Of each contestant the cost [ns] among a thousand bodies and the error [rad] in the first case, where both are known."""
    costs = {f.row: f.median for f in figures if (f.table, f.column) == (many_bodies.TABLE, THOUSAND)}
    case = next(iter(accuracy.CASES))
    errors = {f.row: f.median for f in figures if (f.table, f.column) == (accuracy.TABLE, accuracy.error_column(case))}
    return {name: (cost, errors[name]) for name, cost in costs.items() if name in errors}
