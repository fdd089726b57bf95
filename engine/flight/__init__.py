"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from .optical_sensors import Exclusion, StarTracker, StarTrackerReading, SunSensor, SunSensorReading
from .sensors import Accelerometer, AccelerometerReading, Gyro, GyroReading, Magnetometer, MagnetometerReading

__all__ = [
    "Accelerometer",
    "AccelerometerReading",
    "Exclusion",
    "Gyro",
    "GyroReading",
    "Magnetometer",
    "MagnetometerReading",
    "StarTracker",
    "StarTrackerReading",
    "SunSensor",
    "SunSensorReading",
]
