"""What a demo hands to the viewer: plain data in float64 world coordinates, without a word of how it is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine import World

Array = npt.NDArray[np.float64]
Colour = tuple[float, float, float, float]


@dataclass(frozen=True)
class Model:
    """A mesh of `meshes.MESHES` at a world position [m], turned (and scaled) by a matrix (3, 3) from its axes to world axes."""

    mesh: str
    position: Array
    matrix: Array


@dataclass(frozen=True)
class Arrow:
    """A vector drawn from a world point [m]; `vector` is its drawn length and direction [m], world axes."""

    start: Array
    vector: Array
    colour: Colour
    label: str = ""
    thickness: float = 0.03
    """Radius of the shaft [m]."""


@dataclass(frozen=True)
class Line:
    """A line through world points [m], shape (n, 3); where `fades` it comes up from nothing at its first point."""

    points: Array
    colour: Colour
    width: float = 2.0
    """In pixels of a picture 720 high."""
    fades: bool = False


@dataclass(frozen=True)
class Picture:
    """One frame. Making it and drawing it change nothing in the world."""

    models: Sequence[Model] = ()
    arrows: Sequence[Arrow] = ()
    lines: Sequence[Line] = ()
    title: str = ""
    status: Sequence[str] = ()


@dataclass(frozen=True)
class Sample:
    """One point of the telemetry curves."""

    time: float
    """Seconds of the world."""
    rates: Array
    """Angular velocity [rad/s], body axes, shape (3,)."""
    energy_drift: float
    """Kinetic energy over the first one, minus one."""
    momentum_drift: float
    """Length of the change of the angular momentum vector over the first one's."""


class Scene(Protocol):
    """A demo as the viewer sees it."""

    world: World
    radius: float
    """Of the sphere about the middle that must be seen [m]."""
    target: Array
    """World point to look at [m]."""

    def picture(self) -> Picture:
        """The present frame, with interpolated poses."""

    def sample(self) -> Sample:
        """The present point of the telemetry curves."""

    def reset(self) -> None:
        """Begin again; the integrator, game mode and pace chosen since are kept."""

    def next_case(self) -> None:
        """Begin the next case."""

    def check(self) -> list[str]:
        """Assert the physics the demo claims, on the run so far; what was found, one line a claim."""
