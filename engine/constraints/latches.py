"""The distances at which latches may capture, as an operation of a tick."""

from math import inf, sqrt

from ..compilation.compiler import kernel
from ..compilation.packed import Packed, unpack
from ..kernels.quaternions import rotate
from ..kernels.vectors import add, dot, subtract
from ..loops.columns import load_quaternion, load_vector
from ..loops.layout import CENTER_OF_MASS, ORIENTATION, POSITION, TICKS
from .arguments import Latches
from .layout import AT_BODY, BODY, CAUGHT_POINT, OTHER

IN_REACH = -78
"""What the operation returns if a latch is in reach; nothing was changed."""
LEAST, MOST = range(2)
"""The distances between which a latch is in reach."""


@kernel("latches-in-reach")
def latches_in_reach(packed: Packed[Latches], is_asked: int, ticks_left: int) -> int:
    """End the call before a tick at whose start a latch may have to be looked at, unless that has been done.

    Where Python asks (1), that does not count.
    """
    latches = unpack(packed)
    bodies, table, distances = latches.bodies, latches.table, latches.distances
    if is_asked == 0 and latches.seen[0] == latches.control[TICKS]:
        return 1
    for place in range(latches.rows.shape[0]):
        joint = latches.rows[place]
        body, other = int(table[BODY, joint]), int(table[OTHER, joint])
        point = subtract(load_vector(table, AT_BODY, joint), load_vector(bodies, CENTER_OF_MASS, body))
        mate = subtract(load_vector(table, CAUGHT_POINT, joint), load_vector(bodies, CENTER_OF_MASS, other))
        lever = rotate(load_quaternion(bodies, ORIENTATION, body), 2.0, point)
        mate = rotate(load_quaternion(bodies, ORIENTATION, other), 2.0, mate)
        between = subtract(load_vector(bodies, POSITION, other), load_vector(bodies, POSITION, body))
        gap = subtract(add(between, mate), lever)
        distance = sqrt(dot(gap, gap))
        if distances[place, LEAST] <= distance and distance <= distances[place, MOST]:
            return IN_REACH
    return 1


def distances_in_reach(distance: float, lateral: float, is_armed: bool) -> tuple[float, float]:
    """The least and the largest distance at which a latch is looked at.

    An armed one may capture a port that is within both limits, of which one is along an axis and the other across it. One that is not armed
    waits until a port is beyond one of them. A share of 1e-9 covers what is rounded differently where the limits themselves are compared.
    """
    if is_armed:
        return 0.0, sqrt(distance * distance + lateral * lateral) * (1.0 + 1e-9)
    return min(distance, lateral) * (1.0 - 1e-9), inf
