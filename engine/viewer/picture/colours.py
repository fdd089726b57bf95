"""The colours of what pictures show, which mean the same in every picture.

Of any two colours that one picture has, the difference ΔE00 (CIEDE2000) is at least 10 in normal sight, and in protanopia, deuteranopia and
tritanopia as Machado, Oliveira and Fernandes (2009) simulate them. A test computes it.
"""

from .scene import Colour

__all__ = [
    "AXES",
    "CURVES",
    "ENERGY",
    "FIELD",
    "GOAL",
    "GUIDE",
    "MEANINGS",
    "MOMENT",
    "MOMENTUM",
    "PATH",
    "RATES",
    "RATES_XYZ",
    "THRUST",
    "TORQUE",
    "WORDS",
    "faint",
]


def _colour(code: int) -> Colour:
    """The opaque colour of a number 0xRRGGBB."""
    return (code >> 16) / 255.0, (code >> 8 & 255) / 255.0, (code & 255) / 255.0, 1.0


MOMENTUM = _colour(0xFFB000)
"""Angular momentum L, and its changes."""
RATES = _colour(0x40D0F0)
"""Angular velocity ω."""
PATH = _colour(0xF2F2F2)
"""Where an axis or a point of the body goes."""
TORQUE = _colour(0xC05CE0)
THRUST = _colour(0xFF5A1F)
"""Thrust, forces, and warnings."""
FIELD = _colour(0xAC9DB5)
"""Magnetic field."""
MOMENT = _colour(0xB32694)
"""Magnetic moment."""
GUIDE = _colour(0x747267)
"""What only helps to see the rest: grids, scales, the vertical."""
GOAL = _colour(0xB6FFA4)
"""What is to be reached, and what a closed form says; what is within its limit."""
AXES = _colour(0x2EA25D)
"""The axes of a body, which have their names beside them."""

RATES_XYZ = _colour(0xD1748B), _colour(0xA2B98B), RATES
"""The three curves of the angular velocity: x, y and z."""
ENERGY = _colour(0xD1B9B9)
"""The curve of the energy."""
CURVES = (MOMENTUM, *reversed(RATES_XYZ), THRUST, TORQUE)
"""The curves of a plot that has no colours of its own."""
WORDS: Colour = (0.80, 0.86, 0.94, 1.0)
"""Captions."""

MEANINGS = {
    "angular momentum": MOMENTUM,
    "angular velocity": RATES,
    "path": PATH,
    "torque": TORQUE,
    "thrust": THRUST,
    "magnetic field": FIELD,
    "magnetic moment": MOMENT,
    "guide": GUIDE,
    "goal": GOAL,
    "body axes": AXES,
    "x rate": RATES_XYZ[0],
    "y rate": RATES_XYZ[1],
    "energy": ENERGY,
}
"""All of them but `WORDS`, which are read."""


def faint(colour: Colour, opacity: float) -> Colour:
    """The colour with this opacity, 0 to 1.

    Example:
        >>> faint(MOMENTUM, 0.5)[3]
        0.5
    """
    return *colour[:3], opacity
