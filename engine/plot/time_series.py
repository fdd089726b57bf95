"""Plots of quantities over the time."""

from __future__ import annotations  # help() then shows them as written

import os
from collections.abc import Iterable

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from ..checks import FloatArray, refuse
from ..saving.recorder import Column, Record
from .source import COLOURS, SOLUTION, STYLES, Source, draw_over_time, flat_axes

_ROUNDING = 1e-12
"""Relative changes below this are drawn at this height: they are rounding errors, which say nothing about the method."""
_MOST_CURVES = 12
_PARTS = {3: ("x", "y", "z"), 4: ("x", "y", "z", "w")}


def rates(
    record: Record | str | os.PathLike[str], *, body: str | int = 0, ax: Axes | None = None, solution: object = None
) -> Axes:
    """Plot the angular velocity of a body in its own axes over the time.

    Args:
        record: A `Recorder`, a `Record`, or the path of a file that a `Recorder` has streamed.
        body: The name of the body, or its place in the record.
        ax: Two-dimensional axes to draw on; None makes a figure.
        solution: A closed form of the rates to draw as a thin line, such as an `engine.solutions.FreeAsymmetricTop` made from the state of
            the first sample: an object with `angular_velocities_body(times)`.

    Returns:
        The axes, with the time [s] and the rates [rad/s].

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the record is empty or lacks the column `angular_velocity_body`, or the body is not in it.
        OSError: If the file cannot be read.

    Example:
        >>> axes = rates(record, body="ship")  # doctest: +SKIP
    """
    source, ax = Source(record, body, "plot.rates"), flat_axes(ax, "plot.rates")
    values = source.of_body("angular_velocity_body")
    draw_over_time(ax, source.time, values, ("ω x", "ω y", "ω z"))
    if solution is not None:
        for number, curve in enumerate(source.solved(solution, "angular_velocities_body").T):
            ax.plot(source.time, curve, **{**SOLUTION, "label": SOLUTION["label"] if number == 0 else None})
        ax.legend(loc="best")
    ax.set_ylabel("angular velocity, body frame [rad/s]")
    return ax


def drift(record: Record | str | os.PathLike[str], *, body: str | int = 0, ax: Axes | None = None) -> Axes:
    """Plot how far the energy and the angular momentum of a body have moved from their first sample, on a logarithmic scale.

    The energy is kinetic plus potential, and its change is relative to the largest kinetic energy. The angular momentum is that about the
    mass centre, and its change is the length of the difference of the vectors, relative to the first one. Changes below 1e-12 are drawn at
    1e-12, because they are rounding errors.

    Args:
        record: A `Recorder`, a `Record`, or the path of a file that a `Recorder` has streamed.
        body: The name of the body, or its place in the record.
        ax: Two-dimensional axes to draw on; None makes a figure.

    Returns:
        The axes, with the time [s] and the relative changes.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the record is empty or lacks one of the columns `kinetic_energy`, `potential_energy` and `angular_momentum_world`,
            or the body is not in it.
        OSError: If the file cannot be read.

    Example:
        >>> axes = drift("flight.record")  # doctest: +SKIP
    """
    source, ax = Source(record, body, "plot.drift"), flat_axes(ax, "plot.drift")
    kinetic = source.of_body("kinetic_energy")
    energy = kinetic + source.of_body("potential_energy")
    momentum = source.of_body("angular_momentum_world")
    changes = {
        "energy": _relative(np.abs(energy - energy[0]), float(np.nanmax(kinetic, initial=0.0))),
        "angular momentum": _relative(
            np.linalg.norm(momentum - momentum[0], axis=1), float(np.linalg.norm(momentum[0]))
        ),
    }
    for (label, change), colour, style in zip(changes.items(), COLOURS, STYLES, strict=False):
        ax.plot(source.time, np.maximum(change, _ROUNDING), color=colour, linestyle=style, label=label)
    ax.set_yscale("log")
    top = max(1e-9, *(float(np.nanmax(change, initial=0.0)) for change in changes.values()))
    ax.set_ylim(0.5 * _ROUNDING, 3.0 * top)
    ax.axhspan(0.5 * _ROUNDING, 1.1 * _ROUNDING, color="0.9", zorder=0)
    ax.annotate(
        "rounding", (1.0, _ROUNDING), (-4, 3), ("axes fraction", "data"), "offset points", ha="right", color="0.4"
    )
    ax.set_xlabel("time [s]")
    ax.set_ylabel("relative change since the first sample")
    ax.margins(x=0.0)
    ax.legend(loc="best")
    return ax


def control(
    record: Record | str | os.PathLike[str], *, loop: str | None = None, ax: Iterable[Axes] | None = None
) -> tuple[Axes, Axes]:
    """Plot the attitude error and the torque of a control loop over the time.

    Args:
        record: A `Recorder`, a `Record`, or the path of a file that a `Recorder` has streamed.
        loop: The name of the control loop; None takes the only one of the record.
        ax: Two axes to draw on, for the error and for the torque; None makes a figure.

    Returns:
        Both axes, with the time [s], the error angle [deg] and the torque [N·m], body frame.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the record is empty, has no control loop of this name, or has several and none is named.
        OSError: If the file cannot be read.

    Example:
        >>> error_axes, torque_axes = control(record, loop="attitude")  # doctest: +SKIP
    """
    owner = "plot.control"
    source = Source(record, 0, owner)
    ending = ".error_angle"
    loops = [column.name.removesuffix(ending) for column in source.record.columns if column.name.endswith(ending)]
    rule = f"the name of a control loop of the record ({', '.join(loops) or 'it has none'})"
    if loop is None and len(loops) == 1:
        loop = loops[0]
    if loop not in loops:
        refuse(owner, "loop", loop, rule, ValueError if loop is None or isinstance(loop, str) else TypeError)
    if ax is None:
        pair = plt.subplots(2, 1, sharex=True, layout="constrained")[1]
    else:
        pair = list(ax) if isinstance(ax, Iterable) else []
        if len(pair) != 2:
            refuse(owner, "ax", ax, "a pair of two-dimensional axes of matplotlib", TypeError)
    upper, lower = (flat_axes(one, owner) for one in pair)
    draw_over_time(upper, source.time, np.degrees(source.column(f"{loop}{ending}")), ("",))
    upper.set_ylabel("attitude error [deg]")
    draw_over_time(lower, source.time, source.column(f"{loop}.torque_body"), ("τ x", "τ y", "τ z"))
    lower.set_ylabel("torque, body frame [N·m]")
    upper.set_xlabel("")
    return upper, lower


def columns(
    record: Record | str | os.PathLike[str],
    names: str | Iterable[str],
    *,
    body: str | int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot columns of a record over the time, at most 12 curves.

    Args:
        record: A `Recorder`, a `Record`, or the path of a file that a `Recorder` has streamed.
        names: The name of a column, or several names of columns with one unit.
        body: The name of the body whose samples are drawn from columns of all bodies, or its place in the record; None draws all bodies.
        ax: Two-dimensional axes to draw on; None makes a figure.

    Returns:
        The axes, with the time [s] and the unit of the columns.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the record is empty, a column or the body is not in it, the columns have different units, or there are more curves.
        OSError: If the file cannot be read.

    Example:
        >>> axes = columns(record, ["ReactionWheel 0.momentum", "ReactionWheel 1.momentum"])  # doctest: +SKIP
    """
    owner = "plot.columns"
    source, ax = Source(record, 0 if body is None else body, owner), flat_axes(ax, owner)
    chosen = [names] if isinstance(names, str) else list(names)
    curves, labels, units = [], [], {}
    for name in chosen:
        values = source.column(name)
        column = next(one for one in source.record.columns if one.name == name)
        units[name] = column.unit
        if len(set(units.values())) > 1:
            refuse(owner, "names", names, f"columns with one unit; they have {', '.join(units.values())}")
        for label, curve in _curves(source.record, column, values, None if body is None else source.place):
            labels.append(f"{name} {label}".rstrip() if len(chosen) > 1 else label or name)
            curves.append(curve)
    if not 0 < len(curves) <= _MOST_CURVES:
        hint = "choose one body with body=" if body is None and len(source.record.bodies) > 1 else ""
        refuse(owner, "names", names, f"columns with 1 to {_MOST_CURVES} curves; they have {len(curves)}", hint=hint)
    draw_over_time(ax, source.time, np.stack(curves, axis=1), tuple(labels))
    unit = next(iter(units.values()))
    title = chosen[0] if len(chosen) == 1 else ""
    ax.set_ylabel(" ".join(part for part in (title, f"[{unit}]" if unit != "-" else "") if part))
    return ax


def _curves(record: Record, column: Column, values: FloatArray, place: int | None) -> list[tuple[str, FloatArray]]:
    """The curves of a column, each with a label that tells it from the others."""
    names = record.bodies
    if column.is_of_bodies:
        places = range(len(names)) if place is None else (place,)
        found = []
        for one in places:
            prefix = names[one] if len(places) > 1 else ""
            found += [
                (" ".join(part for part in (prefix, label) if part), curve)
                for label, curve in _components(values[:, one])
            ]
        return found
    return _components(values)


def _components(values: FloatArray) -> list[tuple[str, FloatArray]]:
    flat = values.reshape(len(values), -1)
    parts = _PARTS.get(flat.shape[1], tuple(map(str, range(flat.shape[1]))))
    return [("" if flat.shape[1] == 1 else parts[number], flat[:, number]) for number in range(flat.shape[1])]


def _relative(change: FloatArray, size: float) -> FloatArray:
    """A change relative to a size; what starts at zero has no relative change and is drawn as it is."""
    return change / size if size > 0.0 else change
