"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from ..forces.magnetic_dipole import MagneticDipole
from ..forces.thruster import Thruster, ThrusterBank
from ..forces.valves import Gimbal
from .magnetorquer import Magnetorquer
from .tank import Tank
from .wheel import ReactionWheel

__all__ = ["Gimbal", "MagneticDipole", "Magnetorquer", "ReactionWheel", "Tank", "Thruster", "ThrusterBank"]
