"""Joints between bodies, which keep momentum and hold together to rounding."""

from .ball import Ball
from .hinge import Hinge
from .joint import Joint, JointConflictError

__all__ = ["Ball", "Hinge", "Joint", "JointConflictError"]
