"""What a plot is drawn from and on: the samples of one body, and axes of the right kind."""

from __future__ import annotations  # help() then shows them as written

import os
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from ..checks import FloatArray, refuse
from ..saving.recorder import Record

COLOURS = ("#0072B2", "#D55E00", "#00614A", "#CC79A7")
STYLES = ("-", "--", "-.", ":")
"""Colour and style of the x, y and z components, and of a fourth curve. The pairs differ under every common colour vision deficiency, and
in print."""
SOLUTION: dict[str, Any] = {"color": "black", "linewidth": 0.6, "linestyle": "-", "label": "closed form"}
"""How a closed-form solution is drawn beside a simulation."""


class Source:
    """The samples of one body of a record.

    Args:
        record: A `Recorder`, a `Record`, or the path of a file that a `Recorder` has streamed.
        body: The name of the body, or its place in the record.
        owner: The name of the plot, for errors.
    """

    def __init__(self, record: Record | str | os.PathLike[str], body: str | int, owner: str) -> None:
        if isinstance(record, str | os.PathLike):
            record = Record.read(record)
        if not isinstance(record, Record):
            refuse(owner, "record", record, "a Recorder, a Record or the path of a file", TypeError)
        if not len(record):
            refuse(owner, "record", record, "a record with at least one sample")
        self.record, self.owner = record, owner
        self.place = self._place(body)
        self.name = record.bodies[self.place] if self.place >= 0 else ""

    def _place(self, body: str | int) -> int:
        names = self.record.bodies
        rule = f"the name of a recorded body ({', '.join(names)}) or its place, from 0 to {len(names) - 1}"
        if isinstance(body, str):
            if body not in names:
                refuse(self.owner, "body", body, rule)
            return names.index(body)
        if isinstance(body, bool) or not isinstance(body, int | np.integer):
            refuse(self.owner, "body", body, rule, TypeError)
        if not 0 <= body < len(names) and not (body == 0 and not names):
            refuse(self.owner, "body", body, rule)
        return int(body) if names else -1

    @property
    def time(self) -> FloatArray:
        """Simulated time [s], shape (k,)."""
        return self.record.time

    def column(self, name: str) -> FloatArray:
        """A column of the record that is not about bodies."""
        known = [column.name for column in self.record.columns]
        if name not in known:
            refuse(
                self.owner,
                "record",
                self.record,
                f"a record with the column {name!r}",
                hint=f"it has {', '.join(known)}",
            )
        return self.record[name]

    def of_body(self, name: str) -> FloatArray:
        """The samples of the body in a column, shape (k, …)."""
        values = self.column(name)
        if self.place < 0:
            refuse(self.owner, "record", self.record, "a record of at least one body")
        return values[:, self.place]

    def solved(self, solution: object, method: str) -> FloatArray:
        """What a closed-form solution gives at the times of the samples, counted from the first one."""
        function = getattr(solution, method, None)
        if not callable(function):
            refuse(
                self.owner,
                "solution",
                solution,
                f"a solution with {method}(times), such as those of engine.solutions",
                TypeError,
            )
        return np.asarray(function(self.time - self.time[0]))


def flat_axes(ax: object, owner: str) -> Axes:
    """The given two-dimensional axes, or those of a new figure."""
    if ax is None:
        return plt.subplots(layout="constrained")[1]
    if not isinstance(ax, Axes) or ax.name == "3d":
        refuse(owner, "ax", ax, "two-dimensional axes of matplotlib", TypeError)
    return ax


def solid_axes(ax: object, owner: str) -> Any:
    """The given three-dimensional axes, or those of a new figure."""
    if ax is None:
        return plt.figure(layout="constrained").add_subplot(projection="3d")
    if not isinstance(ax, Axes) or ax.name != "3d":
        refuse(owner, "ax", ax, 'three-dimensional axes of matplotlib, made with projection="3d"', TypeError)
    return ax


def draw_over_time(ax: Axes, time: FloatArray, values: npt.ArrayLike, labels: tuple[str, ...]) -> None:
    """Draw curves over the time, with a legend if there are several, and what is constant to rounding as a flat line."""
    curves = np.asarray(values, dtype=float).reshape(len(time), -1).T
    # a record of one sample is a point, which a line would not show
    marker = "o" if len(time) == 1 else None
    for number, curve in enumerate(curves):
        # after four curves, the colours return with other styles
        colour, style = COLOURS[number % 4], STYLES[(number + number // 4) % 4]
        ax.plot(time, curve, color=colour, linestyle=style, linewidth=1.8, label=labels[number], marker=marker)
    finite = np.abs(curves[np.isfinite(curves)])
    largest = float(finite.max()) if finite.size else 0.0
    low, high = ax.get_ylim()
    if high - low < 1e-6 * largest:  # rounding would fill the height
        centre = 0.5 * (low + high)
        ax.set_ylim(centre - 0.05 * largest, centre + 0.05 * largest)
    ax.set_xlabel("time [s]")
    ax.margins(x=0.0)
    if len(curves) > 1:
        ax.legend(loc="best")
