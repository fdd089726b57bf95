"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from ..forces.magnetic_dipole import MagneticDipole
from ..forces.thruster import Thruster, ThrusterBank
from ..forces.valves import Gimbal
from . import control
from .allocation import Allocation, ThrusterAllocator
from .attitude_hold import AttitudeHold
from .body_torque import BodyTorque
from .controlled import Controlled
from .gimbal_allocation import GimbalAllocator
from .jets import Commanded, Jets
from .magnetic_allocation import Magnetorquers
from .magnetorquer import Magnetorquer
from .modulation import PulseModulator, Pulses
from .pointing import Pointing
from .reference import Reference, Slew, Spin
from .tank import Tank
from .wheel import ReactionWheel
from .wheel_allocation import WheelAllocator

__all__ = [
    "Allocation",
    "AttitudeHold",
    "BodyTorque",
    "Commanded",
    "Controlled",
    "Gimbal",
    "GimbalAllocator",
    "Jets",
    "MagneticDipole",
    "Magnetorquer",
    "Magnetorquers",
    "Pointing",
    "PulseModulator",
    "Pulses",
    "ReactionWheel",
    "Reference",
    "Slew",
    "Spin",
    "Tank",
    "Thruster",
    "ThrusterAllocator",
    "ThrusterBank",
    "WheelAllocator",
    "control",
]
