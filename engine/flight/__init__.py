"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from ..forces.magnetic_dipole import MagneticDipole
from ..forces.thruster import Thruster, ThrusterBank
from ..forces.valves import Gimbal
from . import control
from .attitude_hold import AttitudeHold
from .body_torque import BodyTorque
from .controlled import Controlled
from .estimation import AttitudeFilter
from .magnetorquer import Magnetorquer
from .optical_sensors import Exclusion, StarTracker, StarTrackerReading, SunSensor, SunSensorReading
from .pointing import Pointing
from .reference import Reference, Slew, Spin
from .sensors import Accelerometer, AccelerometerReading, Gyro, GyroReading, Magnetometer, MagnetometerReading
from .tank import Tank
from .wahba import quest, triad
from .wheel import ReactionWheel

__all__ = [
    "Accelerometer",
    "AccelerometerReading",
    "AttitudeFilter",
    "AttitudeHold",
    "BodyTorque",
    "Controlled",
    "Exclusion",
    "Gimbal",
    "Gyro",
    "GyroReading",
    "MagneticDipole",
    "Magnetometer",
    "MagnetometerReading",
    "Magnetorquer",
    "Pointing",
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
    "ThrusterBank",
    "control",
    "quest",
    "triad",
]
