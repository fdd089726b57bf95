"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from .allocation import Allocation, ThrusterAllocator
from .jets import Commanded, Jets
from .magnetic_allocation import Magnetorquers
from .modulation import PulseModulator, Pulses
from .wheel_allocation import WheelAllocator

__all__ = [
    "Allocation",
    "Commanded",
    "Jets",
    "Magnetorquers",
    "PulseModulator",
    "Pulses",
    "ThrusterAllocator",
    "WheelAllocator",
]
