"""Methods by name, as worlds and the methods that wrap others accept them."""

from collections.abc import Callable

from ..checks import refuse
from .axis_splitting import AxisSplitting
from .free_rotor import FreeRotor
from .implicit_midpoint import ImplicitMidpoint
from .integrator import Integrator
from .lie_runge_kutta_4 import LieRungeKutta4
from .predictor_corrector import PredictorCorrector
from .runge_kutta_4 import RungeKutta4
from .runge_kutta_5 import RungeKutta5
from .runge_kutta_nystrom import RungeKuttaNystrom
from .semi_implicit_euler import SemiImplicitEuler

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


def method_rule() -> str:
    """What a method given by itself or by its name must be."""
    return f"an integrator or one of the names {', '.join(sorted(by_name))}"


def method_of(value: object, owner: str, argument: str) -> Integrator:
    """A method, given itself or by its name; rejected, in the name of who was given it, where it is neither."""
    rule = method_rule()
    if isinstance(value, str):
        if value not in by_name:
            refuse(owner, argument, value, rule)
        value = by_name[value]()
    if not isinstance(value, Integrator):
        refuse(owner, argument, value, rule, TypeError)
    return value
