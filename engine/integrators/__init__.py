"""Integration methods, one per file; `by_name` maps each name that a world accepts to a function that creates the method."""

from collections.abc import Callable

from .axis_splitting import AxisSplitting
from .extrapolated import Extrapolated
from .free_rotor import FreeRotor
from .implicit_midpoint import ImplicitMidpoint
from .integrator import Integrator
from .lie_runge_kutta_4 import LieRungeKutta4
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

by_name: dict[str, Callable[[], Integrator]] = {
    "semi-implicit-euler": SemiImplicitEuler,
    "implicit-gyro-euler": lambda: SemiImplicitEuler(gyroscopic="implicit"),
    "rk4": RungeKutta4,
    "rk4-body-rates": lambda: RungeKutta4(variables="body_rates"),
    "rk4-world-rates": lambda: RungeKutta4(variables="world_rates"),
    "rk5": RungeKutta5,
    "nystrom": RungeKuttaNystrom,
    "predictor-corrector": PredictorCorrector,
    "lie-rk4": LieRungeKutta4,
    "midpoint": ImplicitMidpoint,
    "axis-splitting-2": AxisSplitting,
    "axis-splitting-4": lambda: AxisSplitting(order=4),
    "free-rotor-2": FreeRotor,
    "free-rotor-4": lambda: FreeRotor(order=4),
    "saba4": lambda: FreeRotor(scheme="saba4"),
}

ALL_INTEGRATORS: list[Integrator] = [make() for make in by_name.values()]
"""One of each method, as created by `by_name`."""
