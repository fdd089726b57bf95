"""Methods that take the tick, one a file; `by_name` maps the string that a world accepts to a maker without arguments."""

from collections.abc import Callable

from .integrator import Integrator
from .runge_kutta_4 import RungeKutta4
from .semi_implicit_euler import SemiImplicitEuler

__all__ = ["ALL_INTEGRATORS", "Integrator", "RungeKutta4", "SemiImplicitEuler", "by_name"]

by_name: dict[str, Callable[[], Integrator]] = {
    "semi-implicit-euler": SemiImplicitEuler,
    "rk4": RungeKutta4,
    "rk4-body-rates": lambda: RungeKutta4(variables="body_rates"),
    "rk4-world-rates": lambda: RungeKutta4(variables="world_rates"),
}

ALL_INTEGRATORS: list[Integrator] = [make() for make in by_name.values()]
"""One of each method, as made by `by_name`."""
