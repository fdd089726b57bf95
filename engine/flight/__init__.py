"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from . import control
from .reference import Pointing, Reference, Slew, Spin

__all__ = ["Pointing", "Reference", "Slew", "Spin", "control"]
