"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from .allocation import Allocation, ThrusterAllocator
from .gimbal_allocation import GimbalAllocator
from .jets import Commanded, Jets
from .magnetic_allocation import Magnetorquers
from .modulation import PulseModulator, Pulses
from .wheel_allocation import WheelAllocator

__all__ = [
    "Allocation",
    "Commanded",
    "GimbalAllocator",
    "Jets",
    "Magnetorquers",
    "PulseModulator",
    "Pulses",
    "ThrusterAllocator",
    "WheelAllocator",
]
