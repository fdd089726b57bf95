"""The text and colour of an error in a caption."""

import math

from ..drawing import Colour

GOOD, FAIR, BAD = (0.40, 1.0, 0.50, 1.0), (1.0, 0.74, 0.22, 1.0), (1.0, 0.44, 0.36, 1.0)


def colour(error: float) -> Colour:
    """The colour of an angle error [rad], green below a tenth of a degree, amber at 2.4 and red from sixty on."""
    level = min(max(math.log10(max(math.degrees(error), 1e-9) / 0.1) / math.log10(600.0), 0.0), 1.0)
    low, high, share = (GOOD, FAIR, 2.0 * level) if level < 0.5 else (FAIR, BAD, 2.0 * level - 1.0)
    mixed = [a + share * (b - a) for a, b in zip(low, high, strict=True)]
    return mixed[0], mixed[1], mixed[2], mixed[3]


def angle(error: float) -> str:
    """An angle [rad], in degrees."""
    degrees = math.degrees(error)
    return f"{degrees:.1f}°" if degrees >= 10.0 else f"{degrees:.2g}°" if degrees >= 1e-3 else "exact to 0.001°"


def share(value: float) -> str:
    """A relative change."""
    if abs(value) >= 1e-3:
        return f"{100.0 * value:+.1f} %".replace("-", "−")
    return f"{value:+.0e}".replace("-", "−") if abs(value) > 1e-11 else "kept"
