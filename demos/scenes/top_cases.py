"""The cases of the demo `top`, one spinning top released in several ways."""

from dataclasses import dataclass

from ..drawing import Array
from ..physics import MassProperties, rotation
from .rocket_couple import UP
from .symmetric_top import SymmetricTop, slow_precession

STRENGTH, SPIN, TILT = 1900.0, 4.0, 0.62  # k [N·m], ω₃ [rad/s], tilt at the start [rad]


@dataclass(frozen=True)
class Case:
    """The initial precession rate, as a fraction of the rate of steady precession without nutation."""

    share: float
    text: str

    def start(self, properties: MassProperties) -> tuple[SymmetricTop, Array, Array]:
        """The closed form of the motion, the orientation (x, y, z, w) and the body rates [rad/s] it starts with."""
        top = properties.inertia_body[0, 0], properties.inertia_body[2, 2], STRENGTH, SPIN, TILT
        precession = self.share * slow_precession(*top)
        orientation = rotation.from_axis_angle((0.0, 1.0, 0.0), TILT)
        rates = rotation.rotate_inverse(orientation, precession * UP)
        rates[2] = SPIN
        return SymmetricTop(*top, precession), orientation, rates


CASES = {
    "cusps": Case(0.0, "released at rest: the axis falls, precesses, and stops at each cusp"),
    "loops": Case(-1.6, "released backwards: the axis moves in loops"),
    "waves": Case(0.45, "released forwards: the axis moves in waves"),
    "steady": Case(1.0, "released at the steady rate: it precesses without nutation"),
}
