"""The cases of the demo `tumble`: bodies left to themselves, from the textbooks and from orbit."""

from collections.abc import Callable
from dataclasses import dataclass

from demos.scenes import masses
from engine import MassProperties

UNPHYSICAL = "no real body has this tensor, nor any solid ellipsoid; the drawn shape only shows how it turns"


@dataclass(frozen=True)
class Case:
    """A body left to itself."""

    properties: Callable[[], MassProperties]
    rates: tuple[float, float, float]
    """How it is spun [rad/s], body axes."""
    mesh: str
    """What shows it."""
    radius: float
    """Of the sphere that holds it [m]."""
    text: str
    """What there is to see."""
    physical: bool = True
    """Whether a body can have this tensor."""


SHIP, HANDLE, CRATE, DRUM = ("spacecraft", 3.3), ("t-handle", 1.45), ("crate", 2.0), ("drum", 1.7)
CASES = {
    "flip": Case(masses.spacecraft, (0.010, 0.012, 1.5), *SHIP, "spun about the middle axis: it turns over and back"),
    "least": Case(masses.spacecraft, (1.5, 0.09, 0.12), *SHIP, "spun about the least axis: steady"),
    "greatest": Case(masses.spacecraft, (0.09, 1.1, 0.12), *SHIP, "spun about the greatest axis: steady"),
    "t-handle": Case(
        masses.t_handle, (0.02, 0.02, 3.0), *HANDLE, "the handle of the space-station films: it turns over and back"
    ),
    "wedekind": Case(masses.crate, (0.5, 1.3, 0.9), *CRATE, "Wedekind: a box left to itself, no force and no torque"),
    "ganapathi-cone": Case(
        masses.diagonal(2, 2, 8), (1, 0, 1), *DRUM, "Ganapathi, figure 3: the axis runs round a cone", False
    ),
    "ganapathi-steady": Case(
        masses.diagonal(2, 8, 4), (0, 1, 0.1), *SHIP, "Ganapathi, figure 4: steady about the greatest", False
    ),
    "ganapathi-flip": Case(
        masses.diagonal(2, 8, 4), (0, 0.1, 1), *SHIP, "Ganapathi, figure 5: flips about the middle", False
    ),
}
