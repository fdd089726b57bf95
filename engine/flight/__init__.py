"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from ..forces.magnetic_dipole import MagneticDipole
from ..forces.thruster import Thruster, ThrusterBank
from ..forces.valves import Gimbal
from . import control
from .attitude_hold import AttitudeHold
from .body_torque import BodyTorque
from .controlled import Controlled
from .magnetorquer import Magnetorquer
from .pointing import Pointing
from .reference import Reference, Slew, Spin
from .tank import Tank
from .wheel import ReactionWheel

__all__ = [
    "AttitudeHold",
    "BodyTorque",
    "Controlled",
    "Gimbal",
    "MagneticDipole",
    "Magnetorquer",
    "Pointing",
    "ReactionWheel",
    "Reference",
    "Slew",
    "Spin",
    "Tank",
    "Thruster",
    "ThrusterBank",
    "control",
]
