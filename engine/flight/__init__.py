"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from . import orbit

__all__ = ["orbit"]
