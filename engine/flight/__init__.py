"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from ..forces.magnetic_dipole import MagneticDipole
from .magnetorquer import Magnetorquer

__all__ = ["MagneticDipole", "Magnetorquer"]
