"""The cases of the demo `tumble`, torque-free bodies from textbooks and from orbit."""

from collections.abc import Callable
from dataclasses import dataclass

from ..physics import MassProperties
from . import masses

UNPHYSICAL = "no real body has this tensor, nor any solid ellipsoid; the drawn shape only shows how it rotates"


@dataclass(frozen=True)
class Case:
    """A torque-free body."""

    properties: Callable[[], MassProperties]
    rates: tuple[float, float, float]
    """Initial angular velocity [rad/s], body frame."""
    mesh: str
    """Name of the mesh that is drawn."""
    radius: float
    """Radius of the bounding sphere [m]."""
    text: str
    """Title of the case."""
    physical: bool = True
    """Whether a real body can have this tensor."""


SHIP, HANDLE, CRATE, DRUM = ("spacecraft", 3.3), ("t-handle", 1.45), ("crate", 2.0), ("drum", 1.7)
CASES = {
    "flip": Case(masses.spacecraft, (0.010, 0.012, 1.5), *SHIP, "spin about the intermediate axis: it flips"),
    "least": Case(masses.spacecraft, (1.5, 0.09, 0.12), *SHIP, "spin about the least axis: steady"),
    "greatest": Case(masses.spacecraft, (0.09, 1.1, 0.12), *SHIP, "spin about the greatest axis: steady"),
    "t-handle": Case(masses.t_handle, (0.02, 0.02, 3.0), *HANDLE, "the T-handle of the space-station films: it flips"),
    "wedekind": Case(masses.crate, (0.5, 1.3, 0.9), *CRATE, "Wedekind: a box without force or torque"),
    "ganapathi-cone": Case(
        masses.diagonal(2, 2, 8), (1, 0, 1), *DRUM, "Ganapathi, figure 3: the axis moves around a cone", False
    ),
    "ganapathi-steady": Case(
        masses.diagonal(2, 8, 4), (0, 1, 0.1), *SHIP, "Ganapathi, figure 4: steady about the greatest axis", False
    ),
    "ganapathi-flip": Case(
        masses.diagonal(2, 8, 4), (0, 0.1, 1), *SHIP, "Ganapathi, figure 5: flips about the intermediate axis", False
    ),
}
