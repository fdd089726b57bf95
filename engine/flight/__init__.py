"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from .allocation import Allocation, ThrusterAllocator
from .modulation import PulseModulator, Pulses

__all__ = ["Allocation", "PulseModulator", "Pulses", "ThrusterAllocator"]
