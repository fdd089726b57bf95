"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""

from . import control
from .attitude_hold import AttitudeHold
from .body_torque import BodyTorque
from .controlled import Controlled
from .pointing import Pointing
from .reference import Reference, Slew, Spin

__all__ = ["AttitudeHold", "BodyTorque", "Controlled", "Pointing", "Reference", "Slew", "Spin", "control"]
