"""Forces and torques, with one small final class per force model and one file per family.

A force is an object with `apply(wrench, bodies, time)` (see `Wrench` and `BodyStates`), or a plain function with these arguments.
"""

from .atmosphere import AtmosphericDrag
from .compiled import compiled
from .constant import ConstantForce, ConstantTorque
from .drag import AngularDamping, LinearDrag, QuadraticDrag
from .force import Force
from .gravity import GravityGradient, PointGravity, UniformGravity
from .lorentz import Lorentz
from .magnetic_dipole import MagneticDipole
from .radiation import RadiationPressure
from .spring import Spring
from .thruster import Thruster, ThrusterBank
from .wrench import BodyStates, Wrench

__all__ = [
    "AngularDamping",
    "AtmosphericDrag",
    "BodyStates",
    "ConstantForce",
    "ConstantTorque",
    "Force",
    "GravityGradient",
    "LinearDrag",
    "Lorentz",
    "MagneticDipole",
    "PointGravity",
    "QuadraticDrag",
    "RadiationPressure",
    "Spring",
    "Thruster",
    "ThrusterBank",
    "UniformGravity",
    "Wrench",
    "compiled",
]
