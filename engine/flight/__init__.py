"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from ..forces.thruster import Thruster, ThrusterBank
from ..forces.valves import Gimbal
from .tank import Tank
from .wheel import ReactionWheel

__all__ = ["Gimbal", "ReactionWheel", "Tank", "Thruster", "ThrusterBank"]
