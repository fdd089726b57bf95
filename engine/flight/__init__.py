"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from ..forces.magnetic_dipole import MagneticDipole
from ..forces.thruster import Thruster, ThrusterBank
from ..forces.valves import Gimbal
from . import control, orbit
from .allocation import Allocation, ThrusterAllocator
from .attitude_hold import AttitudeHold
from .body_torque import BodyTorque
from .controlled import Controlled
from .estimation import AttitudeFilter
from .gimbal_allocation import GimbalAllocator
from .jets import Commanded, Jets
from .magnetic_allocation import Magnetorquers
from .magnetorquer import Magnetorquer
from .modulation import PulseModulator, Pulses
from .optical_sensors import Exclusion, StarTracker, StarTrackerReading, SunSensor, SunSensorReading
from .pointing import Pointing
from .reference import Reference, Slew, Spin
from .sensors import Accelerometer, AccelerometerReading, Gyro, GyroReading, Magnetometer, MagnetometerReading
from .tank import Tank
from .wahba import quest, triad
from .wheel import ReactionWheel
from .wheel_allocation import WheelAllocator

__all__ = [
    "Accelerometer",
    "AccelerometerReading",
    "Allocation",
    "AttitudeFilter",
    "AttitudeHold",
    "BodyTorque",
    "Commanded",
    "Controlled",
    "Exclusion",
    "Gimbal",
    "GimbalAllocator",
    "Gyro",
    "GyroReading",
    "Jets",
    "MagneticDipole",
    "Magnetometer",
    "MagnetometerReading",
    "Magnetorquer",
    "Magnetorquers",
    "Pointing",
    "PulseModulator",
    "Pulses",
    "ReactionWheel",
    "Reference",
    "Slew",
    "Spin",
    "StarTracker",
    "StarTrackerReading",
    "SunSensor",
    "SunSensorReading",
    "Tank",
    "Thruster",
    "ThrusterAllocator",
    "ThrusterBank",
    "WheelAllocator",
    "control",
    "orbit",
    "quest",
    "triad",
]
