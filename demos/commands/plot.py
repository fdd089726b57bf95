"""Draws a record of a flight as an SVG: `python -m demos plot FILE [COLUMN …]`, with one plot per column."""

import sys
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from ..physics import Record, Recorder
from ..viewer.command import PROGRAM

WIDTH, HEIGHT, MARGIN, GAP = 860, 180, 70, 46
"""Of one plot, and around it [px]."""
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2")
MOST_POINTS = 2000
"""Of a curve; of longer records, evenly chosen samples are drawn."""
MOST_CURVES = 24


def main(arguments: Sequence[str] = ()) -> int:
    """Draw a record next to its file; the exit status is 2 for wrong arguments and 1 for a file that cannot be read."""
    if not arguments or arguments[0].startswith("-"):
        print(f"usage: {PROGRAM} plot FILE [COLUMN ...]", file=sys.stderr)
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    path, *columns = arguments
    try:
        record = Recorder.read(path)
    except OSError as error:
        print(f"{PROGRAM} plot: {path} cannot be read: {error.strerror}", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"{PROGRAM} plot: {error}", file=sys.stderr)
        return 1
    known = [column.name for column in record.columns]
    for name in columns:
        if name not in known:
            print(f"{PROGRAM} plot: no column is called {name!r}; choose among {', '.join(known)}", file=sys.stderr)
            return 2
    out = Path(path).with_suffix(".svg")
    out.write_text(picture(record, columns or known), encoding="utf-8")
    print(f"{len(record)} samples of {len(columns or known)} columns: {out}")
    return 0


def picture(record: Record, columns: Sequence[str]) -> str:
    """The SVG of these columns, one below the other over the time."""
    height = GAP + len(columns) * (HEIGHT + GAP)
    chosen = np.unique(np.linspace(0, max(len(record) - 1, 0), min(MOST_POINTS, max(len(record), 1))).astype(int))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + 2 * MARGIN}" height="{height}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for place, name in enumerate(columns):
        parts.append(_plot(record, name, chosen, GAP + place * (HEIGHT + GAP)))
    return "\n".join([*parts, "</svg>\n"])


def _plot(record: Record, name: str, chosen: np.ndarray, top: int) -> str:
    unit = next(column.unit for column in record.columns if column.name == name)
    times = record.time[chosen] if len(record) else np.zeros(0)
    values = record[name].reshape(len(record), -1)[chosen[: len(record)]][:, :MOST_CURVES]
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    first, last = (float(times[0]), float(times[-1])) if len(times) else (0.0, 1.0)
    x = MARGIN + WIDTH * (times - first) / ((last - first) or 1.0)
    title = escape(f"{name} [{unit}]" if unit != "-" else name)
    lines = [
        f'<text x="{MARGIN}" y="{top - 8}" font-weight="bold">{title}</text>',
        f'<rect x="{MARGIN}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>',
        f'<text x="{MARGIN - 6}" y="{top + 12}" text-anchor="end">{high:.4g}</text>',
        f'<text x="{MARGIN - 6}" y="{top + HEIGHT}" text-anchor="end">{low:.4g}</text>',
        f'<text x="{MARGIN}" y="{top + HEIGHT + 15}">{first:.4g} s</text>',
        f'<text x="{MARGIN + WIDTH}" y="{top + HEIGHT + 15}" text-anchor="end">{last:.4g} s</text>',
    ]
    for number, curve in enumerate(values.T):
        y = top + HEIGHT * (1.0 - (curve - low) / (high - low))
        there = np.isfinite(y)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x[there], y[there], strict=True))
        colour = COLOURS[number % len(COLOURS)]
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.3"/>')
    return "\n".join(lines)
