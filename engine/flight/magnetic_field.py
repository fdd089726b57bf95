"""Magnetic fields of users, which are objects that say the flux density at a position and, if they want to, at a time."""

from __future__ import annotations  # help() then shows them as written

import inspect
from collections.abc import Callable

from ..checks import components, refuse
from ..kernels.vectors import Vector

FluxDensity = Callable[[object, float], Vector]
"""Flux density [T], world frame, at a position [m], world frame, and a time [s]."""


def flux_density_of(field: object, owner: object) -> FluxDensity:
    """Return what calls `field.at(position, time)`, or `field.at(position)` if it takes no time, and checks the result.

    Raises:
        TypeError: If the field has no method `at` that can be called so.
    """
    rule = "a MagneticDipole, or an object with at(position, time) or at(position)"
    at = getattr(field, "at", None)
    if not callable(at):
        refuse(owner, "field", field, rule, TypeError)
    takes_time = _takes(at, 2)
    if not takes_time and not _takes(at, 1):
        refuse(owner, "field", field, rule, TypeError)

    def flux_density(position: object, time: float) -> Vector:
        value = at(position, time) if takes_time else at(position)
        x, y, z = components(value, "field.at(position, time)" if takes_time else "field.at(position)", owner)
        return x, y, z

    return flux_density


def _takes(function: Callable[..., object], count: int) -> bool:
    """Whether a function can be called with this many arguments."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except ValueError:  # it says nothing of its arguments
        return True
    except TypeError:
        return False
    return True
