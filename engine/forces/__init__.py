"""Forces and torques: one small final class a force model, one file a family.

A force has `apply(wrench, bodies, time)` (see `Wrench` and `BodyStates`); a plain function of these arguments is one too.
"""

from .compiled import compiled
from .constant import ConstantForce, ConstantTorque
from .drag import AngularDamping, LinearDrag, QuadraticDrag
from .force import Force
from .gravity import GravityGradient, PointGravity, UniformGravity
from .lorentz import Lorentz
from .spring import Spring
from .thruster import Thruster, ThrusterBank
from .wrench import BodyStates, Wrench

__all__ = [
    "AngularDamping",
    "BodyStates",
    "ConstantForce",
    "ConstantTorque",
    "Force",
    "GravityGradient",
    "LinearDrag",
    "Lorentz",
    "PointGravity",
    "QuadraticDrag",
    "Spring",
    "Thruster",
    "ThrusterBank",
    "UniformGravity",
    "Wrench",
    "compiled",
]
