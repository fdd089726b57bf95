"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from ..forces.magnetic_dipole import MagneticDipole
from ..forces.thruster import Thruster, ThrusterBank
from ..forces.valves import Gimbal
from .allocation import Allocation, ThrusterAllocator
from .gimbal_allocation import GimbalAllocator
from .jets import Commanded, Jets
from .magnetic_allocation import Magnetorquers
from .magnetorquer import Magnetorquer
from .modulation import PulseModulator, Pulses
from .tank import Tank
from .wheel import ReactionWheel
from .wheel_allocation import WheelAllocator

__all__ = [
    "Allocation",
    "Commanded",
    "Gimbal",
    "GimbalAllocator",
    "Jets",
    "MagneticDipole",
    "Magnetorquer",
    "Magnetorquers",
    "PulseModulator",
    "Pulses",
    "ReactionWheel",
    "Tank",
    "Thruster",
    "ThrusterAllocator",
    "ThrusterBank",
    "WheelAllocator",
]
