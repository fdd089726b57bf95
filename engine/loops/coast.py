"""The loop that moves bodies along their orbits and rotates them freely, for any time in one step."""

from collections.abc import Callable

import numpy as np

from ..compilation.choice import is_due, named
from ..compilation.compiler import inlined, kernel, plain
from ..kernels.free_rotor import free_rotor
from ..kernels.kepler import kepler
from ..kernels.quaternions import Quaternion
from ..kernels.rigid_body import BodyState
from ..kernels.vectors import Vector, add, subtract
from .columns import Array, load_principal, load_state, load_vector, store_state
from .kick_drift import drift
from .layout import POSITION

GM, CENTER = 0, 1
GRAVITY_ROWS = 4
"""Rows of the array of attractions, with one column per body: GM [m³/s²], zero for none, and centre [m], world frame."""

_FEW = 4
"""Number of bodies for which the loop always runs as plain Python, in 0.45 ms per body, so that nothing has to be compiled for them."""


@inlined
def coasted(
    state: BodyState, moments: Vector, axes: Quaternion, gm: float, center: Vector, seconds: float
) -> BodyState:
    """A body after a time on a conic about the centre, or on a straight line if GM is zero, and in free rotation."""
    end = drift(free_rotor, True, seconds, state, moments, axes)
    if gm == 0.0:
        return end
    x, y, z, u, v, w = kepler(gm, subtract(state.position, center), state.velocity, seconds)
    return BodyState(add(center, (x, y, z)), end.orientation, (u, v, w), end.angular_velocity, None)


@kernel("coast")
def _coast(array: Array, gravity: Array, out: Array, seconds: float) -> None:
    for column in range(out.shape[1]):
        moments, axes = load_principal(array, column)
        state = load_state(array, POSITION, column, None)
        center = load_vector(gravity, CENTER, column)
        end = coasted(state, moments, axes, float(gravity[GM, column]), center, seconds)
        store_state(out, POSITION, column, end)


COAST_LOOP = named(_coast, *[np.zeros((1, 1))] * 3, 0.0)
"""The loop as a kernel, which takes some ten seconds to compile and then 2 µs per body."""


def coast_loop(count: int) -> Callable[..., None]:
    """Return `coast(array, gravity, out, seconds)`, which writes the states after a time to `out`, for that many bodies.

    While the kernel is being compiled in the background, it runs as plain Python.
    """
    if count > _FEW and (is_due(COAST_LOOP)):
        return COAST_LOOP.function
    return plain(_coast)
