"""Joints between bodies, which keep momentum and hold together to rounding."""

from .assembly import Assembly
from .ball import Ball
from .distance import Distance
from .hinge import Hinge
from .joint import Joint, JointConflictError
from .motor import JointSpring, Motor
from .planar import Planar
from .slider import Slider
from .universal import Universal
from .weld import Weld

__all__ = [
    "Assembly",
    "Ball",
    "Distance",
    "Hinge",
    "Joint",
    "JointConflictError",
    "JointSpring",
    "Motor",
    "Planar",
    "Slider",
    "Universal",
    "Weld",
]
