"""Integration methods, one per file; `by_name` maps each name that a world accepts to a function that creates the method."""

from .axis_splitting import AxisSplitting
from .extrapolated import Extrapolated
from .free_rotor import FreeRotor
from .implicit_midpoint import ImplicitMidpoint
from .integrator import Integrator
from .lie_runge_kutta_4 import LieRungeKutta4
from .named import by_name
from .predictor_corrector import PredictorCorrector
from .runge_kutta_4 import RungeKutta4
from .runge_kutta_5 import RungeKutta5
from .runge_kutta_nystrom import RungeKuttaNystrom
from .semi_implicit_euler import SemiImplicitEuler
from .substepped import Substepped

__all__ = [
    "ALL_INTEGRATORS",
    "AxisSplitting",
    "Extrapolated",
    "FreeRotor",
    "ImplicitMidpoint",
    "Integrator",
    "LieRungeKutta4",
    "PredictorCorrector",
    "RungeKutta4",
    "RungeKutta5",
    "RungeKuttaNystrom",
    "SemiImplicitEuler",
    "Substepped",
    "by_name",
]

ALL_INTEGRATORS: list[Integrator] = [make() for make in by_name.values()]
"""One of each method, as created by `by_name`."""
