"""Joints between bodies, which conserve momentum and satisfy their constraints to rounding."""

from .assembly import Assembly
from .ball import Ball
from .distance import Distance
from .hinge import Hinge
from .joint import Joint, JointConflictError
from .latch import Latch
from .motor import JointSpring, Motor
from .planar import Planar
from .port import Capture, Port
from .slider import Slider
from .universal import Universal
from .weld import Weld

__all__ = [
    "Assembly",
    "Ball",
    "Capture",
    "Distance",
    "Hinge",
    "Joint",
    "JointConflictError",
    "JointSpring",
    "Latch",
    "Motor",
    "Planar",
    "Port",
    "Slider",
    "Universal",
    "Weld",
]
