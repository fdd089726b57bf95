"""The cases of the demo `top`: one spinning top, let go in several ways."""

from dataclasses import dataclass

from demos.scenes.rocket_couple import UP
from demos.scenes.symmetric_top import SymmetricTop, slow_precession
from demos.viewer.scene import Array
from engine import MassProperties, rotation

STRENGTH, SPIN, TILT = 1900.0, 4.0, 0.62  # k [N·m], ω₃ [rad/s], tilt at the start [rad]


@dataclass(frozen=True)
class Case:
    """How the axis moves when it is let go, in shares of the rate at which it would go round without nodding."""

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
    "cusps": Case(0.0, "let go at rest: the axis falls, is carried round, and stops at each cusp"),
    "loops": Case(-1.6, "thrown backwards: the axis runs in loops"),
    "waves": Case(0.45, "helped along: the axis runs in waves"),
    "steady": Case(1.0, "at the right pace: it goes round without nodding"),
}
