"""Draws a record of a flight into a file: `python -m demos plot FILE [NAME …]`, with one plot per name."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..internals import PROGRAM, install
from ..physics import Record, Recorder, plots

FLAT, SOLID = ("rates", "drift", "control", "herpolhode", "orbit"), ("axis_path", "polhode")
"""The plots that can be named, on two-dimensional and on three-dimensional axes. Other names are columns."""
MOST_CURVES = 12
WIDTH, HEIGHT, SOLID_HEIGHT = 8.0, 2.6, 5.0
"""Width of the picture, and the height of a plot over the time and of others [in]."""


def main(arguments: Sequence[str] = ()) -> int:
    """Draw a record; the exit status is 2 for wrong arguments and 1 for a file that cannot be read or a missing package."""
    parser = _parser()
    try:
        options = parser.parse_args(list(arguments))
    except SystemExit as end:
        return int(end.code or 0)
    try:
        record = Recorder.read(options.file)
        plot = plots()
        out = Path(options.output or Path(options.file).with_suffix(".svg"))
        count = draw(plot, record, options.names, options.body, out)
    except ModuleNotFoundError as error:
        print(f"{PROGRAM} plot: the package {error.name} is missing: {install('plot')}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{PROGRAM} plot: {error.filename or options.file}: {error.strerror or error}", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"{PROGRAM} plot: {error}", file=sys.stderr)
        return 2 if options.names or options.body else 1
    print(f"{len(record)} samples in {count} plots: {out}")
    return 0


def draw(plot: Any, record: Record, names: Sequence[str], body: str | None, out: Path) -> int:
    """Draw plots and columns one below the other, and return how many; without names, all columns."""
    from matplotlib.figure import Figure

    chosen = list(names) or [column.name for column in record.columns]
    heights = [HEIGHT if name not in (*SOLID, "herpolhode", "orbit") else SOLID_HEIGHT for name in chosen]
    # not by pyplot, which would want to know about windows
    figure = Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
    parts = figure.subfigures(len(chosen), 1, height_ratios=heights, squeeze=False)[:, 0]
    for part, name in zip(parts, chosen, strict=True):
        _plot(plot, record, name, body)(part)
        part.suptitle(name)
    figure.savefig(out)
    return len(chosen)


def _plot(plot: Any, record: Record, name: str, body: str | None) -> Callable[[Any], Any]:
    """What draws a plot or a column on a part of the picture."""
    place = 0 if body is None else body
    if name in SOLID:
        return lambda part: getattr(plot, name)(record, body=place, ax=part.add_subplot(projection="3d"))
    if name == "control":
        return lambda part: plot.control(record, ax=part.subplots(2, 1, sharex=True))
    if name in FLAT:
        return lambda part: getattr(plot, name)(record, body=place, ax=part.add_subplot())
    column = next((column for column in record.columns if column.name == name), None)
    too_many = column is not None and column.is_of_bodies and column.size > MOST_CURVES
    return lambda part: plot.columns(record, name, body=place if too_many else body, ax=part.add_subplot())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"{PROGRAM} plot", description="Draws the file of a Recorder.")
    parser.add_argument("file", metavar="FILE", help="a file that a Recorder has streamed")
    plots_known = ", ".join((*FLAT, *SOLID))
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help=f"a plot ({plots_known}) or a column; by default all columns"
    )
    parser.add_argument("--body", metavar="NAME", help="the body to draw, by default the first one")
    parser.add_argument(
        "--output", metavar="PATH", help="the picture (svg, png or pdf), by default FILE with the suffix .svg"
    )
    return parser
