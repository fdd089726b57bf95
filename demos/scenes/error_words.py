"""The text of an error in a caption."""

import math


def angle(error: float) -> str:
    """An angle [rad], in degrees."""
    degrees = math.degrees(error)
    return f"{degrees:.1f}°" if degrees >= 10.0 else f"{degrees:.2g}°" if degrees >= 1e-3 else "exact"


def share(value: float) -> str:
    """A relative change."""
    if abs(value) >= 1e-3:
        return f"{100.0 * value:+.1f} %".replace("-", "−")
    if abs(value) <= 1e-11:
        return "kept"
    digit, _, power = f"{value:+.0e}".partition("e")
    return f"{digit}e{int(power)}".replace("-", "−")
