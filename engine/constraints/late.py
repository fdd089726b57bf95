"""The step of islands for bodies that meet something within the tick, because they move far in it.

It starts where their mass centres are at the impact, so that impulses act at the points that meet, and takes a whole tick from there. Of
its motion, only the share counts that is left of the tick after the impact. A body that is still fast then, or is spun up, stays where it
is at the impact, and goes on in the next tick: it could meet something else in the rest of this one.
"""

from math import sqrt

from ..compilation.compiler import inlined
from ..kernels.vectors import Vector, add_scaled, dot, subtract
from ..loops.columns import Array, load_vector
from ..loops.layout import ANGULAR_VELOCITY, POSITION, PREVIOUS
from .layout import DRIFTS_BY, IMPACT_TIME, NO_IMPACT, SLOW_ARM, SLOW_WITHIN


@inlined
def is_late(impacts: Array, body: int) -> bool:
    """Whether the step of a body starts at its impact."""
    return bool(0.0 < impacts[IMPACT_TIME, body] < NO_IMPACT)


@inlined
def late_start(array: Array, impacts: Array, state_row: int, body: int) -> Vector:
    """Where a body is at its impact, given the row of its state at the start of the tick."""
    place, velocity = load_vector(array, state_row + POSITION, body), load_vector(impacts, DRIFTS_BY, body)
    return add_scaled(place, float(impacts[IMPACT_TIME, body]), velocity)


@inlined
def late_end(array: Array, own: Array, impacts: Array, place: int, body: int, dt: float) -> Vector:
    """Where a body is at the end of the tick, given where its step from the impact on has ended, and its start in the previous state."""
    met = late_start(array, impacts, PREVIOUS, body)
    left, moved = 1.0 - float(impacts[IMPACT_TIME, body]) / dt, subtract(load_vector(own, POSITION, place), met)
    rates = load_vector(own, ANGULAR_VELOCITY, place)
    turned = float(impacts[SLOW_ARM, body]) * sqrt(dot(rates, rates)) * dt
    if (sqrt(dot(moved, moved)) + turned) * left > impacts[SLOW_WITHIN, body]:
        left = 0.0
    return add_scaled(met, left, moved)
