"""A warning about springs that are too stiff for the tick, which no method can integrate."""

from __future__ import annotations

import math
import warnings

import numpy as np

from ..checks import FloatArray
from ..forces.spring import Spring
from ..integrators.integrator import Integrator
from ..store.bodies import Bodies

LIMIT = 1.0
"""Below it an oscillation takes more than six steps, and no method lets it grow noticeably.

Measured for one ball on a spring: the motion grows without limit from ``dt·√(k/m)`` = 2 on with semi-implicit Euler, the implicit midpoint
rule, rk5 and the splitting methods of order 2, and from 2.6 to 5.1 with the others. Only the predictor-corrector method gains energy below,
3 % of the amplitude per tick at 0.84. A damper makes the motion grow from ``dt·c/m`` = 2 with the first two and the predictor-corrector
method, and later with the others.
"""


def warn_if_too_stiff(spring: Spring, bodies: Bodies, dt: float, integrator: Integrator, stacklevel: int) -> None:
    """Warn if a spring is too stiff or too strongly damped for the step of the method.

    Args:
        spring: A spring on bodies of this table.
        bodies: The bodies.
        dt: Length of a tick [s].
        integrator: The method; one that divides ticks takes shorter steps, and one with a tolerance finds its step by itself.
        stacklevel: The number of frames up to the line to name in the warning.
    """
    if integrator._steps_per_tick is None:
        return
    step = dt / integrator._steps_per_tick
    inverse_mass = _inverse_mass_at(bodies, spring.body.index, spring.at_body)
    if spring.other is not None:
        inverse_mass += _inverse_mass_at(bodies, spring.other.index, spring.at_other)
    oscillation = step * math.sqrt(spring.stiffness) * math.sqrt(inverse_mass)
    decay = step * spring.damping * inverse_mass
    found = [
        f"dt·{formula} = {value:.3g}"
        for formula, value in (("√(k/m)", oscillation), ("c/m", decay))
        if not value < LIMIT
    ]
    if found:
        parts = max(oscillation, decay) / LIMIT * integrator._steps_per_tick
        cure = f"steps below {dt / parts:.2g} s" if math.isfinite(parts) and parts > 0.0 else "shorter steps"
        warnings.warn(
            f"World.add_force: {spring!r} is too stiff for steps of {step:.3g} s: {' and '.join(found)} must be below {LIMIT:g}, and from "
            f"about 2 on the motion grows without limit (k = {spring.stiffness:.3g} N/m, c = {spring.damping:.3g} N·s/m, "
            f"m = {1.0 / inverse_mass:.3g} kg, the smallest effective mass at its ends). Use a softer spring, or {cure}, for "
            "example by integrators.Substepped",
            stacklevel=stacklevel + 1,
        )


def _inverse_mass_at(bodies: Bodies, row: int, at_body: FloatArray) -> float:
    """The largest velocity [m/s] that an impulse of 1 N·s at a point gives to this point, over all directions of the impulse.

    It is ``1/m`` plus the largest eigenvalue of ``[r]ᵀ I⁻¹ [r]`` with ``[r] n = r × n``.
    """
    properties = bodies.mass_properties[row]
    x, y, z = at_body - properties.center_of_mass_body
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    with np.errstate(over="ignore", invalid="ignore"):
        rotational = cross.T @ properties.inverse_inertia_body @ cross
        if not np.isfinite(rotational).all():
            return math.inf
    return properties.inverse_mass + max(0.0, float(np.linalg.eigvalsh(rotational)[-1]))
