"""The kinetic energy of bodies on which nothing acts but their contacts with each other: it never rises.

Friction and impacts take energy, but what parts overlapping bodies works against what presses them together, and a step of second order
has errors of either sign. If such an island has gained anything in a step, its bodies lose it again: their velocities approach those of
the rigid motion with the same momentum and angular momentum, all by one share. No point leaves its law by that: a relative velocity that
is zero, or points away, or slides against friction, goes on to do so.
"""

from math import sqrt

from ..compilation.compiler import inlined
from ..kernels.quaternions import rotate, rotate_inverse
from ..kernels.tensors import inverse
from ..kernels.vectors import Symmetric, Vector, add, add_scaled, apply_symmetric, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, add_to_vector, load_quaternion, load_symmetric, load_vector, store_vector
from ..loops.layout import ANGULAR_VELOCITY, INERTIA, MASS, ORIENTATION, POSITION, VELOCITY
from .layout import END, SECOND_PLACE, SUM

ROUNDING = 1e-13
"""A gain, as a share of the energy, that is none."""


@inlined
def is_by_itself(links: Integers, first: int, last: int) -> bool:
    """Whether no contact of an island is one with the world."""
    for link in range(first, last):
        if links[link, SECOND_PLACE] < 0:
            return False
    return True


@inlined
def is_kicked(own: Array, stages: Array, kept: int, first: int, last: int) -> bool:
    """Whether any force or torque has changed the velocities, which were those in the rows `kept` of the stages."""
    for place in range(first, last):
        for entry in range(3):
            if own[VELOCITY + entry, place] != stages[kept + entry, place]:
                return True
            if own[ANGULAR_VELOCITY + entry, place] != stages[kept + 3 + entry, place]:
                return True
    return False


@inlined
def kinetic_energy(own: Array, work: Array, block: int, first: int, last: int) -> float:
    """The kinetic energy of bodies whose velocities are in a block of the work array [J]."""
    energy = 0.0
    for place in range(first, last):
        velocity = load_vector(work, block + VELOCITY, place)
        rates = load_vector(work, block + ANGULAR_VELOCITY, place)
        energy += 0.5 * float(own[MASS, place]) * dot(velocity, velocity)
        energy += 0.5 * dot(rates, apply_symmetric(load_symmetric(own, INERTIA, place), rates))
    return energy


@inlined
def _inertia_about(own: Array, work: Array, place: int, arm: Vector) -> Symmetric:
    """The inertia of a body at the end of a drift about a point from which its mass centre is at `arm`, world frame."""
    q, mass, square = load_quaternion(work, END + ORIENTATION, place), float(own[MASS, place]), dot(arm, arm)
    tensor, (x, y, z) = load_symmetric(own, INERTIA, place), arm
    one = rotate(q, 2.0, apply_symmetric(tensor, rotate_inverse(q, 2.0, (1.0, 0.0, 0.0))))
    two = rotate(q, 2.0, apply_symmetric(tensor, rotate_inverse(q, 2.0, (0.0, 1.0, 0.0))))
    three = rotate(q, 2.0, apply_symmetric(tensor, rotate_inverse(q, 2.0, (0.0, 0.0, 1.0))))
    return (
        one[0] + mass * (square - x * x),
        two[1] + mass * (square - y * y),
        three[2] + mass * (square - z * z),
        one[1] - mass * x * y,
        one[2] - mass * x * z,
        two[2] - mass * y * z,
    )


@inlined
def _rigid_motion(own: Array, work: Array, first: int, last: int) -> tuple[Vector, Vector, Vector, float]:
    """The rigid motion with the momentum and the angular momentum of bodies at the end of a drift.

    Returns:
        Their mass centre, its velocity and the angular velocity, world frame, and the energy of this motion [J].
    """
    mass, center, velocity = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for place in range(first, last):
        each = float(own[MASS, place])
        mass += each
        center = add_scaled(center, each, load_vector(work, END + POSITION, place))
        velocity = add_scaled(velocity, each, load_vector(work, END + VELOCITY, place))
    center, velocity = scale(1.0 / mass, center), scale(1.0 / mass, velocity)
    spin, tensor = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for place in range(first, last):
        arm = subtract(load_vector(work, END + POSITION, place), center)
        moved = subtract(load_vector(work, END + VELOCITY, place), velocity)
        rates = load_vector(work, END + ANGULAR_VELOCITY, place)
        own_spin = apply_symmetric(load_symmetric(own, INERTIA, place), rates)
        own_spin = rotate(load_quaternion(work, END + ORIENTATION, place), 2.0, own_spin)
        spin = add(spin, add_scaled(own_spin, float(own[MASS, place]), cross(arm, moved)))
        xx, yy, zz, xy, xz, yz = _inertia_about(own, work, place, arm)
        tensor = (tensor[0] + xx, tensor[1] + yy, tensor[2] + zz, tensor[3] + xy, tensor[4] + xz, tensor[5] + yz)
    turn = apply_symmetric(inverse(tensor), spin)
    return center, velocity, turn, 0.5 * (mass * dot(velocity, velocity) + dot(turn, spin))


@inlined
def take_what_is_gained(own: Array, work: Array, first: int, last: int, before: float) -> None:
    """Take from the velocities at the end of a drift, and from the sums of impulses, what bodies have gained over an energy before [J]."""
    energy = kinetic_energy(own, work, END, first, last)
    if not energy - before > ROUNDING * before:
        return
    center, velocity, turn, least = _rigid_motion(own, work, first, last)
    share = 1.0 - sqrt(max(before - least, 0.0) / (energy - least)) if energy > least else 0.0
    for place in range(first, last):
        arm = subtract(load_vector(work, END + POSITION, place), center)
        q, now = load_quaternion(work, END + ORIENTATION, place), load_vector(work, END + VELOCITY, place)
        change = scale(share, subtract(add(velocity, cross(turn, arm)), now))
        rates = load_vector(work, END + ANGULAR_VELOCITY, place)
        rates = add_scaled(rates, share, subtract(rotate_inverse(q, 2.0, turn), rates))
        store_vector(work, END + VELOCITY, place, add(now, change))
        store_vector(work, END + ANGULAR_VELOCITY, place, rates)
        add_to_vector(work, SUM, place, scale(float(own[MASS, place]), change))
