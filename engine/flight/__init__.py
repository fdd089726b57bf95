"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from . import control
from .attitude_hold import AttitudeHold
from .body_torque import BodyTorque
from .controlled import Controlled
from .reference import Pointing, Reference, Slew, Spin

__all__ = ["AttitudeHold", "BodyTorque", "Controlled", "Pointing", "Reference", "Slew", "Spin", "control"]
