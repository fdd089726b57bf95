"""Plots of orbits, in the plane of the orbit and on the surface of the body that they go around."""

from __future__ import annotations  # help() then shows them as written

import os

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from ..checks import real, refuse, vector
from ..saving.recorder import Record
from .source import COLOURS, SOLUTION, Source, flat_axes


def ground_track(
    record: Record | str | os.PathLike[str],
    rotation_rate: float,
    *,
    center: npt.ArrayLike = (0.0, 0.0, 0.0),
    longitude: float = 0.0,
    body: str | int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Plot the longitude and the latitude of a body above a planet that rotates about the world's z axis.

    Latitudes are geocentric.

    Args:
        record: A `Recorder`, a `Record`, or the path of a file that a `Recorder` has streamed.
        rotation_rate: Angular rate of the planet about the world's z axis [rad/s], for the Earth 7.292115e-5.
        center: The planet's centre [m], world frame, shape (3,).
        longitude: Longitude [rad] that lies on the world's x axis at simulated time 0.
        body: The name of the body, or its place in the record.
        ax: Two-dimensional axes to draw on; None makes a figure.

    Returns:
        The axes, with longitude and latitude [deg].

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the record is empty or lacks the column `position`, the body is not in it or is at the centre, or a number is not
            finite.
        OSError: If the file cannot be read.

    Example:
        >>> axes = ground_track(record, 7.292115e-5)  # doctest: +SKIP
    """
    owner = "plot.ground_track"
    source = Source(record, body, owner)
    rate, start = real(rotation_rate, "rotation_rate", owner), real(longitude, "longitude", owner)
    x, y, z = (source.of_body("position") - vector(center, "center", owner)).T
    if not (np.hypot(np.hypot(x, y), z)[np.isfinite(x)] > 0.0).all():
        refuse(owner, "center", center, f"a point that {source.name} does not pass")
    angles = np.degrees(np.arctan2(y, x) - rate * source.time + start)
    longitudes = np.remainder(angles + 180.0, 360.0) - 180.0
    latitudes = np.degrees(np.arctan2(z, np.hypot(x, y)))
    # a line across the edge of the map is broken
    breaks = np.flatnonzero(np.abs(np.diff(longitudes)) > 180.0) + 1
    ax = flat_axes(ax, owner)
    ax.plot(
        np.insert(longitudes, breaks, np.nan), np.insert(latitudes, breaks, np.nan), color=COLOURS[0], label=source.name
    )
    ax.plot(longitudes[0], latitudes[0], color=COLOURS[1], marker="o", linestyle="none", label="first sample")
    ax.set_xlim(-180.0, 180.0)
    ax.set_ylim(-90.0, 90.0)
    ax.set_xticks(range(-180, 181, 60))
    ax.set_yticks(range(-90, 91, 30))
    ax.set_aspect("equal")
    ax.grid(color="0.9")
    ax.set_xlabel("longitude [deg]")
    ax.set_ylabel("latitude, geocentric [deg]")
    ax.legend(loc="upper right")
    return ax


def orbit(
    record: Record | str | os.PathLike[str],
    radius: float | None = None,
    *,
    center: npt.ArrayLike = (0.0, 0.0, 0.0),
    body: str | int = 0,
    ax: Axes | None = None,
    solution: object = None,
) -> Axes:
    """Plot the path of a body around a planet, projected on the orbital plane of the first sample.

    The first axis points from the centre to the first sample.

    Args:
        record: A `Recorder`, a `Record`, or the path of a file that a `Recorder` has streamed.
        radius: Radius of the planet [m], drawn as a disc; None draws a cross at the centre.
        center: The planet's centre [m], world frame, shape (3,).
        body: The name of the body, or its place in the record.
        ax: Two-dimensional axes to draw on; None makes a figure.
        solution: A closed form to draw as a thin line, such as an `engine.solutions.TwoBodyMotion`: an object with `positions(times)`
            relative to the centre, for the times since the first sample.

    Returns:
        The axes, in kilometres where the orbit is larger than 100 km, in metres otherwise.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the record is empty or lacks one of the columns `position` and `velocity`, the body is not in it or moves along a
            line through the centre, or the radius is not above zero.
        OSError: If the file cannot be read.

    Example:
        >>> axes = orbit(record, radius=6378137.0)  # doctest: +SKIP
    """
    owner = "plot.orbit"
    source = Source(record, body, owner)
    radius = None if radius is None else real(radius, "radius", owner, above=0.0)
    positions = source.of_body("position") - vector(center, "center", owner)
    start, momentum = positions[0], np.cross(positions[0], source.of_body("velocity")[0])
    if not np.linalg.norm(momentum) > 0.0:
        refuse(
            owner, "record", source.record, f"a record whose first sample has {source.name} in motion around the centre"
        )
    first = start / np.linalg.norm(start)
    plane = np.array([first, np.cross(momentum / np.linalg.norm(momentum), first)])
    in_kilometres = float(np.nanmax(np.abs(positions))) > 1e5
    scale, unit = (1e-3, "km") if in_kilometres else (1.0, "m")
    exact = None if solution is None else source.solved(solution, "positions") @ plane.T
    ax = flat_axes(ax, owner)
    if radius is None:
        ax.plot(0.0, 0.0, marker="+", color="0.4", linestyle="none", label="centre")
    else:
        ax.add_patch(Circle((0.0, 0.0), radius * scale, facecolor="0.88", edgecolor="0.6", label="planet"))
    ax.plot(*(scale * positions @ plane.T).T, color=COLOURS[0], linewidth=1.8, label=source.name)
    ax.plot(*(scale * start @ plane.T), color=COLOURS[1], marker="o", linestyle="none", label="first sample")
    if exact is not None:
        ax.plot(*(scale * exact).T, **SOLUTION)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(f"towards the first sample [{unit}]")
    ax.set_ylabel(f"along the motion [{unit}]")
    ax.legend(loc="upper right")
    return ax
