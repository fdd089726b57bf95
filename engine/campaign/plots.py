"""The picture of a campaign: histograms of its columns, columns over draws, and the success rate."""

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..checks import file_path, naming_file
from .statistics import wilson_interval

_MOST_COLUMNS, _MOST_DRAWS, _MOST_POINTS = 8, 8, 5_000
"""What is drawn of large campaigns: the first columns and draws, and evenly chosen runs."""
_GOOD, _BAD = "#1f6fb4", "#c8281e"


def draw(table: pa.Table, units: Mapping[str, str], title: str, owner: str, path: object = None) -> Figure:
    """Draw the table of a campaign.

    Args:
        table: The rows.
        units: Unit of each column by name.
        title: Name of the campaign.
        owner: Name of the campaign in errors.
        path: File to write, or None.
    """
    if table.num_rows == 0:
        raise ValueError(f"{owner}: folder must have at least one run to draw")
    target = None if path is None else file_path(path, "path", owner)
    failed = table["error"].is_valid().to_numpy()
    columns = {name: _numbers(table, name) for name in list(units)[:_MOST_COLUMNS]}
    draws = dict(list(_draws(table).items())[:_MOST_DRAWS])
    figure = Figure(figsize=(3.2 * (1 + len(draws)), 0.9 + 2.6 * len(columns)), layout="constrained")
    figure.suptitle(f"{title}: {_rate_text(failed)}")
    axes = figure.subplots(len(columns), 1 + len(draws), squeeze=False)
    for row, (name, values) in zip(axes, columns.items(), strict=True):
        label = f"{name} [{units[name]}]" if units[name] not in ("", "-") else name
        _histogram(row[0], values, label)
        for cell, (drawn, given) in zip(row[1:], draws.items(), strict=True):
            _scatter(cell, given, values, failed, drawn, label)
    if target is not None:
        with naming_file(target, owner, "written"):
            figure.savefig(target, dpi=120)
    return figure


def _rate_text(failed: npt.NDArray[np.bool_]) -> str:
    count, good = len(failed), int((~failed).sum())
    low, high = wilson_interval(good, count)
    rate = f"{good} of {count} runs succeeded, {100 * good / count:.2f} % (95 %: {100 * low:.2f} to {100 * high:.2f} %)"
    return rate if good == count else f"{rate}; red marks at the lower edge are draws of failed runs"


def _draws(table: pa.Table) -> dict[str, npt.NDArray[np.generic]]:
    """The draws by name: of a vector its length, unless it is always the same."""
    found: dict[str, npt.NDArray[np.generic]] = {}
    for name in table.column_names:
        if name.startswith("draw."):
            values, title = table[name].combine_chunks(), name.removeprefix("draw.")
            if hasattr(values.type, "list_size"):
                rows = [row if row is not None else [math.nan] for row in values.to_pylist()]
                lengths = np.array([math.hypot(*row) for row in rows])
                finite = lengths[np.isfinite(lengths)]
                if finite.size and float(finite.max() - finite.min()) > 1e-9:
                    found[f"|{title}|"] = lengths
            elif str(values.type) == "string":
                found[title] = np.array(["" if value is None else value for value in values.to_pylist()])
            else:
                found[title] = np.array([math.nan if value is None else value for value in values.to_pylist()], float)
    return found


def _numbers(table: pa.Table, name: str) -> npt.NDArray[np.float64]:
    return np.asarray(table[name].to_numpy(), float)


def _histogram(axes: Axes, values: npt.NDArray[np.float64], label: str) -> None:
    finite = values[np.isfinite(values)]
    if finite.size:
        axes.hist(finite, bins=min(60, max(5, math.isqrt(finite.size))), color=_GOOD)
    axes.set(xlabel=label, ylabel="runs")


def _scatter(
    axes: Axes,
    drawn: npt.NDArray[np.generic],
    values: npt.NDArray[np.float64],
    failed: npt.NDArray[np.bool_],
    name: str,
    label: str,
) -> None:
    chosen = np.unique(np.linspace(0, len(values) - 1, min(len(values), _MOST_POINTS)).astype(int))
    good = chosen[~failed[chosen] & np.isfinite(values[chosen])]
    bad = np.flatnonzero(failed)[:_MOST_POINTS]
    axes.scatter(drawn[good], values[good], s=6, color=_GOOD, linewidths=0, alpha=0.6)
    # a failed run has no value: it is marked at the lower edge, above its draw
    axes.scatter(
        drawn[bad], np.full(len(bad), 0.02), s=60, color=_BAD, marker="|", transform=axes.get_xaxis_transform()
    )
    if drawn.dtype.kind == "f" and np.isfinite(drawn).any():
        low, high = float(np.nanmin(drawn)), float(np.nanmax(drawn))
        margin = 0.05 * (high - low) or 0.5
        axes.set_xlim(low - margin, high + margin)
    axes.set(xlabel=name, ylabel=label)
