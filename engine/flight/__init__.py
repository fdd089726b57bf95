"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from .estimation import AttitudeFilter
from .optical_sensors import Exclusion, StarTracker, StarTrackerReading, SunSensor, SunSensorReading
from .sensors import Accelerometer, AccelerometerReading, Gyro, GyroReading, Magnetometer, MagnetometerReading
from .wahba import quest, triad

__all__ = [
    "Accelerometer",
    "AccelerometerReading",
    "AttitudeFilter",
    "Exclusion",
    "Gyro",
    "GyroReading",
    "Magnetometer",
    "MagnetometerReading",
    "StarTracker",
    "StarTrackerReading",
    "SunSensor",
    "SunSensorReading",
    "quest",
    "triad",
]
