"""Figures as Markdown tables: all of them, and those in docs/benchmarks.md."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine import integrators

from . import accuracy, flight_costs, force_costs, limits, many_bodies, one_body, rotations, snapshots, start
from .measure import Figure

TITLES = {
    one_body.TABLE: "One ship under gravity with a thruster, from Python: µs per tick",
    one_body.CALLS: "Calls that a game makes: µs",
    many_bodies.TABLE: "Ships under gravity with a thruster each, many ticks per call, by their number: ns per body per tick",
    accuracy.TABLE: f"A free body, I = (1, 2, 3) kg·m²: one tick from Python, and the largest orientation error in {accuracy.SECONDS} s at"
    f" 1/{accuracy.TICKS_A_SECOND} s",
    force_costs.TABLE: "A tick with a force evaluated at every stage, in ticks with gravity and thruster alone",
    force_costs.USER: "A force written in Python",
    force_costs.BANK: "Thrusters",
    flight_costs.TABLE: "Actuators of one ship: time above the same ship without them",
    flight_costs.SAMPLES: "Samples of control and estimation, in Python",
    many_bodies.THREADS: "Two threads: times as fast as one",
    rotations.ONE: "A function of `rotation` on one value: µs",
    rotations.STACK: f"The same on a stack of {rotations.COUNT}: µs",
    snapshots.TABLE: "Snapshots of ships under gravity with a thruster each: µs",
    start.TABLE: "Start and memory",
    limits.TABLE: "Limits of the machine",
}

COMPACT_OWN = ("free-rotor-2", "free-rotor-4", "axis-splitting-4", "rk4", "semi-implicit-euler")
COMPACT_LIMITS = ("C: rk4", "C: semi-implicit-euler")
COMPACT_COUNTS = ("1 000", "100 000")

Run = Mapping[str, Any]
"""What is written as JSON: "machine" and "figures"."""


def figures_of(run: Run) -> list[Figure]:
    """The figures of a run as it was written."""
    return [Figure(**figure) for figure in run["figures"]]


def everything(run: Run) -> str:
    """All tables, medians with the least of the rounds in brackets."""
    figures = figures_of(run)
    parts = [_about(run["machine"])]
    for name, title in TITLES.items():
        own = [figure for figure in figures if figure.table == name]
        if own:
            parts.append(f"{title}\n\n{_pivot(own)}")
    return "\n\n".join(parts)


def compact(run: Run) -> str:
    """Speed and accuracy in one compact table."""
    cells = {(figure.table, figure.row, figure.column): figure for figure in figures_of(run)}
    errors = [accuracy.error_column(case) for case in accuracy.CASES]
    wanted = [(accuracy.TABLE, accuracy.COST)]
    wanted += [(many_bodies.TABLE, count) for count in COMPACT_COUNTS]
    wanted += [(accuracy.TABLE, error) for error in errors]
    rows = _compact_rows(cells)
    heads = ["", "one free body, µs per tick", *(f"{count} ships, ns per body per tick" for count in COMPACT_COUNTS)]
    heads += [f"error in {accuracy.SECONDS} s, rad, {case}" for case in accuracy.CASES]
    body = [
        [label, *(_cell(cells.get((table, row, column)), least=False) for table, column in wanted)]
        for row, label in rows
    ]
    return _markdown(heads, [line for line in body if any(cell != "–" for cell in line[1:])]) + "\n\n" + _notes(run)


def forces(run: Run) -> str:
    """What each kind of force adds to a tick."""
    return _pivot([figure for figure in figures_of(run) if figure.table == force_costs.TABLE])


def _compact_rows(cells: Iterable[tuple[str, str, str]]) -> list[tuple[str, str]]:
    """Row and how the table calls it: some of the engine's methods, the limits, every peer."""
    present = dict.fromkeys(row for table, row, _ in cells if table == many_bodies.TABLE)
    own = [(name, f'**`"{name}"`**') for name in COMPACT_OWN if name in present]
    bounds = [(name, f"{name.removeprefix('C: ')}, the same in strict C") for name in COMPACT_LIMITS if name in present]
    return own + bounds + [(name, name) for name in present if name in _peer_names(cells)]


def _peer_names(cells: Iterable[tuple[str, str, str]]) -> set[str]:
    free = {row for table, row, _ in cells if table == accuracy.TABLE}
    return free - set(integrators.by_name)


def _notes(run: Run) -> str:
    rates = " and ".join(f"({', '.join(f'{rate:g}' for rate in case)})" for case in accuracy.CASES.values())
    return (
        f"{_about(run['machine'])} One thread; medians of rounds in which all took turns. One body is stepped from Python, many in one call"
        f" where there is one. Errors: the largest of the orientation at whole seconds, I = (1, 2, 3) kg·m², ω = {rates} rad/s, ticks of"
        f" 1/{accuracy.TICKS_A_SECOND} s; *lost* is above 1 rad."
    )


def _about(machine: Mapping[str, Any]) -> str:
    versions = ", ".join([f"Python {machine['python']}", *machine["libraries"], *machine["peers"]])
    return f"Measured {machine['date']} on {machine['processor']}, {machine['cores']} cores; {versions}."


def _pivot(figures: Sequence[Figure]) -> str:
    """Rows by columns, each in the order of its first appearance."""
    rows, columns = (list(dict.fromkeys(getattr(figure, name) for figure in figures)) for name in ("row", "column"))
    cells = {(figure.row, figure.column): figure for figure in figures}
    return _markdown(["", *columns], [[row, *(_cell(cells.get((row, column))) for column in columns)] for row in rows])


def _markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Padded, so that it can be read as it stands."""
    widths = [max(len(line[index]) for line in [heads, *rows]) for index in range(len(heads))]
    rules = ["-" * width if index == 0 else "-" * (max(width, 2) - 1) + ":" for index, width in enumerate(widths)]
    lines = [[*heads], rules, *rows]
    return "\n".join(
        "| "
        + " | ".join(
            cell.ljust(width) if index == 0 else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        + " |"
        for line in lines
    )


def _cell(figure: Figure | None, least: bool = True) -> str:
    if figure is None:
        return "–"
    if figure.unit == "rad":
        return error(figure.median)
    unit = f" {figure.unit}" if figure.column == "" else ""
    if not least or figure.least == figure.median:
        return _number(figure.median) + unit
    return f"{_number(figure.median)} ({_number(figure.least)}){unit}"


def error(value: float) -> str:
    """An orientation error [rad] in words."""
    return "lost" if not value < accuracy.LOST else f"{value:.0e}".replace("e-0", "e-")


def _number(value: float) -> str:
    """Three digits that count; whole numbers in full, thousands apart."""
    if abs(value) >= 100.0:
        return f"{value:,.0f}".replace(",", " ")
    digits = 2 if value == 0.0 else max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(digits, 4)}f}"
