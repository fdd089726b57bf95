"""Plots of rotations: the path of an axis, and the two curves of Poinsot's construction."""

from __future__ import annotations  # help() then shows them as written

import os
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ..checks import FloatArray, direction, refuse
from ..rotation import rotate
from ..saving.recorder import Record
from ..solutions.free_top import invariable_plane
from .source import COLOURS, SOLUTION, Source, flat_axes, solid_axes


def axis_path(
    record: Record | str | os.PathLike[str],
    axis_body: npt.ArrayLike = (0.0, 0.0, 1.0),
    *,
    body: str | int = 0,
    ax: Axes | None = None,
    solution: object = None,
) -> Any:
    """Plot the path of an axis of a body on the unit sphere, in the world frame.

    Args:
        record: A `Recorder`, a `Record`, or the path of a file that a `Recorder` has streamed.
        axis_body: The axis, body frame, a non-zero vector of shape (3,).
        body: The name of the body, or its place in the record.
        ax: Three-dimensional axes to draw on, made with ``projection="3d"``; None makes a figure.
        solution: A closed form of the orientation to draw as a thin line: an object with `orientations(times)`, for the times since the
            first sample.

    Returns:
        The axes, with the components of the axis in the world frame.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the record is empty or lacks the column `orientation`, the body is not in it, or the axis is zero.
        OSError: If the file cannot be read.

    Example:
        >>> axes = axis_path(record, (0, 1, 0))  # doctest: +SKIP
    """
    owner = "plot.axis_path"
    source, axis = Source(record, body, owner), direction(axis_body, "axis_body", owner)
    path = _rotated(source.of_body("orientation"), axis)
    exact = None if solution is None else _rotated(source.solved(solution, "orientations"), axis)
    ax = solid_axes(ax, owner)
    _draw_ellipsoid(ax, np.eye(3))
    _draw_path(ax, path, "path of the axis")
    if exact is not None:
        ax.plot(*exact.T, **SOLUTION, zorder=3)
    _finish_solid(ax, ("x, world frame", "y, world frame", "z, world frame"), has_legend=exact is not None)
    return ax


def polhode(
    record: Record | str | os.PathLike[str], *, body: str | int = 0, ax: Axes | None = None, solution: object = None
) -> Any:
    """Plot the polhode, the path of the angular velocity in the body frame, on the energy ellipsoid.

    The ellipsoid has all angular velocities with the rotational energy of the first sample, ``ω·Iω = 2T``. A free body stays on it.

    Args:
        record: A `Recorder`, a `Record`, or the path of a file that a `Recorder` has streamed.
        body: The name of the body, or its place in the record.
        ax: Three-dimensional axes to draw on, made with ``projection="3d"``; None makes a figure.
        solution: A closed form of the rates to draw as a thin line: an object with `angular_velocities_body(times)`, for the times since
            the first sample.

    Returns:
        The axes, with the rates [rad/s] in the body frame.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the record is empty, lacks one of the columns `angular_velocity_body` and `inertia_body`, the body is not in it or
            does not rotate in the first sample.
        OSError: If the file cannot be read.

    Example:
        >>> axes = polhode(record)  # doctest: +SKIP
    """
    owner = "plot.polhode"
    source = Source(record, body, owner)
    path, inertia = source.of_body("angular_velocity_body"), source.of_body("inertia_body")[0]
    twice_energy = float(path[0] @ inertia @ path[0])
    if not twice_energy > 0.0:
        refuse(
            owner,
            "record",
            source.record,
            "a record whose first sample has a rotating body",
            hint=f"{source.name} does not rotate",
        )
    exact = None if solution is None else source.solved(solution, "angular_velocities_body")
    ax = solid_axes(ax, owner)
    moments, axes = np.linalg.eigh(inertia)
    _draw_ellipsoid(ax, axes * np.sqrt(twice_energy / moments))
    _draw_path(ax, path, "polhode")
    if exact is not None:
        ax.plot(*exact.T, **SOLUTION, zorder=3)
    names = ("ω x [rad/s]", "ω y [rad/s]", "ω z [rad/s]")
    _finish_solid(ax, names, has_legend=exact is not None)
    return ax


def herpolhode(
    record: Record | str | os.PathLike[str], *, body: str | int = 0, ax: Axes | None = None, solution: object = None
) -> Axes:
    """Plot the herpolhode, the path of the angular velocity on the plane perpendicular to the angular momentum of the first sample.

    The two axes of the plane are those of `engine.solutions.invariable_plane`. The circles are the least and the greatest distance of
    the path from the foot of the angular momentum.

    Args:
        record: A `Recorder`, a `Record`, or the path of a file that a `Recorder` has streamed.
        body: The name of the body, or its place in the record.
        ax: Two-dimensional axes to draw on; None makes a figure.
        solution: A closed form to draw as a thin line: an object with `orientations(times)` and `angular_velocities_body(times)`, for
            the times since the first sample.

    Returns:
        The axes, with the components of the angular velocity in the plane [rad/s].

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the record is empty or lacks one of the columns `orientation`, `angular_velocity_body` and `angular_momentum_world`,
            the body is not in it or has no angular momentum in the first sample.
        OSError: If the file cannot be read.

    Example:
        >>> axes = herpolhode(record)  # doctest: +SKIP
    """
    owner = "plot.herpolhode"
    source = Source(record, body, owner)
    momentum_world = source.of_body("angular_momentum_world")[0]
    if not np.linalg.norm(momentum_world) > 0.0:
        refuse(
            owner,
            "record",
            source.record,
            "a record whose first sample has angular momentum",
            hint=f"{source.name} has none",
        )
    plane = invariable_plane(momentum_world)
    path = rotate(source.of_body("orientation"), source.of_body("angular_velocity_body")) @ plane.T
    exact = None
    if solution is not None:
        rates_body = source.solved(solution, "angular_velocities_body")
        exact = rotate(source.solved(solution, "orientations"), rates_body) @ plane.T
    ax = flat_axes(ax, owner)
    ax.plot(*path.T, color=COLOURS[0], linewidth=1.8, label="herpolhode")
    radii = np.linalg.norm(path, axis=1)
    turn = np.linspace(0.0, 2.0 * np.pi, 361)
    for radius in (np.nanmin(radii), np.nanmax(radii)):
        ax.plot(radius * np.cos(turn), radius * np.sin(turn), color="0.6", linewidth=0.7, linestyle=":")
    ax.plot(0.0, 0.0, marker="+", color="0.4", linestyle="none", label="angular momentum")
    if exact is not None:
        ax.plot(*exact.T, **SOLUTION)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel("ω along the first axis of the plane [rad/s]")
    ax.set_ylabel("ω along the second axis [rad/s]")
    ax.legend(loc="upper right")
    return ax


def _rotated(orientations: FloatArray, axis: FloatArray) -> FloatArray:
    return np.asarray(rotate(orientations, np.broadcast_to(axis, (len(orientations), 3))))


def _draw_ellipsoid(ax: Any, semi_axes: FloatArray) -> None:
    """Draw an ellipsoid whose semi-axes are the columns of a matrix, as a light surface with a net of lines."""
    longitude, latitude = np.linspace(0.0, 2.0 * np.pi, 49), np.linspace(0.0, np.pi, 25)
    sphere = np.array(
        [
            np.outer(np.cos(longitude), np.sin(latitude)),
            np.outer(np.sin(longitude), np.sin(latitude)),
            np.outer(np.ones_like(longitude), np.cos(latitude)),
        ]
    )
    x, y, z = np.einsum("ij,jkl->ikl", semi_axes, sphere)
    ax.computed_zorder = False  # by which matplotlib would put the whole surface before or behind the whole path
    ax.plot_surface(x, y, z, color="0.85", alpha=0.35, linewidth=0.0, shade=False)
    ax.plot_wireframe(x, y, z, color="0.7", linewidth=0.3, rstride=4, cstride=4)


def _draw_path(ax: Any, path: FloatArray, label: str) -> None:
    ax.plot(*path.T, color=COLOURS[0], linewidth=1.8, label=label, zorder=2)
    ax.plot(*path[:1].T, zorder=3, color=COLOURS[1], marker="o", markersize=4, linestyle="none", label="first sample")


def _finish_solid(ax: Any, names: tuple[str, str, str], *, has_legend: bool) -> None:
    for axis, name in zip((ax.xaxis, ax.yaxis, ax.zaxis), names, strict=True):
        axis.set_label_text(name)
        axis.set_major_locator(MaxNLocator(4))
    ax.set_aspect("equal")
    ax.legend(loc="upper left")
