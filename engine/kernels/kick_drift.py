"""A kick, forces on a body that stands still, and a drift, a body left alone: what methods of kicks and drifts are made of.

A kick changes velocity and angular momentum at one pose, a drift changes the pose and lets the body turn; both are exact where the forces
depend on the pose alone. A function `turn(has_stores, moments, momentum, stored, step)` says how a free body turns.

A turn that is of order two where momentum is stored brings `shares`, parts of a drift that raise its order. Bodies without stored
momentum take such a drift whole, in whatever company they are, so that nobody's bits depend on the others. Whether any body stores
momentum (`has_stores`) is known when a loop is compiled: what is there for wheels drops out where there are none, to the same bits.
"""

from collections.abc import Callable
from typing import Any

from .columns import Array, load_body, load_principal, load_state, load_vector, store_state
from .compiler import inlined
from .fields import FieldKind, kind_names
from .layout import POSITION, STORED_MOMENTUM
from .quaternions import Quaternion, from_rotation_vector, multiply, normalize, rotate, rotate_inverse
from .rigid_body import Body, State, Wrench, net_force_world, net_torque_body
from .vectors import Vector, add, add_scaled, apply_symmetric, scale, subtract

Turn = Callable[..., Any]

KICKS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0.0, 1.0),),
    2: ((0.0, 0.5), (1.0, 1.0)),
    4: ((0.0, 0.5), (1.0 / 3.0, 0.5), (1.0 / 3.0, 1.0), (1.0 / 6.0, 1.0)),
}
"""A kick as a Runge-Kutta step in the rates at one pose, by its number of evaluations: a plain kick, a midpoint step, the classical step.

For each evaluation: the weight in the average wrench of its difference from the first, and the part of the kick that is tried with this
wrench for the next evaluation. The last is the whole kick, by the average. As the average is the first wrench plus weighted differences
from it, forces that turn out not to depend on the rates give the bits of a plain kick.
"""


@inlined
def kick(step: float, orientation: Quaternion, velocity: Vector, rates: Vector, wrench: Wrench, body: Body) -> Any:
    """Velocity and body rates after a wrench has acted for a time on a body that stands still."""
    velocity = add_scaled(velocity, step * body[0], net_force_world(orientation, 2.0, wrench))
    torque_body = net_torque_body(orientation, 2.0, wrench)
    return velocity, add_scaled(rates, step, apply_symmetric(body[2], torque_body))


@inlined
def drift(
    turn: Turn,
    has_stores: bool,
    gyroscopic: bool,
    step: float,
    state: State,
    body: Body,
    moments: Vector,
    axes: Quaternion,
) -> State:
    """A body left alone for a time. In game mode it keeps its body rates."""
    position, orientation, velocity, rates = state
    position = add_scaled(position, step, velocity)
    if not gyroscopic:
        turned = from_rotation_vector(scale(step, rates))
        return position, normalize(multiply(orientation, turned)), velocity, rates
    spin = rotate_inverse(axes, 2.0, rates)
    before, stored = (moments[0] * spin[0], moments[1] * spin[1], moments[2] * spin[2]), (0.0, 0.0, 0.0)
    if has_stores:
        stored = rotate_inverse(axes, 2.0, body[3])
        before = add(before, stored)
    (x, y, z, w), after = turn(has_stores, moments, before, stored, step)
    x, y, z = rotate(axes, 2.0, (x, y, z))
    # The rates grow by what the momentum grows over the moments. Rates worked out anew from the momentum by the rounded inverse tensor
    # creep to one side (the square of the momentum by 7e-18 a tick, 4e-18 with a step of refinement; next to the separatrix that cost the
    # attitude a digit in a minute). What is added comes back to zero with each round of the momentum, and its rounding with it.
    gain = subtract(after, before)
    growth = rotate(axes, 2.0, (gain[0] / moments[0], gain[1] / moments[1], gain[2] / moments[2]))
    orientation = normalize(multiply(orientation, (x, y, z, w)))
    return position, orientation, velocity, add(rates, growth)


@inlined
def _stores_momentum(array: Array, column: int) -> bool:
    x, y, z = load_vector(array, STORED_MOMENTUM, column)
    return abs(x) + abs(y) + abs(z) > 0.0


@inlined
def drift_all(
    turn: Turn, has_stores: bool, gyroscopic: bool, array: Array, states: Array, count: int, step: float, shares: Array
) -> None:
    """Drift the states (`states` may be `array` itself), those of bodies that store momentum in shares."""
    for index in range(shares.shape[0] if has_stores else 1):
        share = float(shares[index])
        for column in range(count):
            in_shares = has_stores and shares.shape[0] > 1 and _stores_momentum(array, column)
            state = load_state(states, POSITION, column)
            moments, axes = load_principal(array, column)
            own_step = step * share if in_shares else step
            x, q, _, w = drift(turn, has_stores, gyroscopic, own_step, state, load_body(array, column), moments, axes)
            moves = in_shares or index == 0
            x0, q0, v0, w0 = state
            store_state(
                states,
                POSITION,
                column,
                (
                    (x[0] if moves else x0[0], x[1] if moves else x0[1], x[2] if moves else x0[2]),
                    (
                        q[0] if moves else q0[0],
                        q[1] if moves else q0[1],
                        q[2] if moves else q0[2],
                        q[3] if moves else q0[3],
                    ),
                    v0,
                    (w[0] if moves else w0[0], w[1] if moves else w0[1], w[2] if moves else w0[2]),
                ),
            )


@inlined
def differences(sums: Wrench, first: Wrench, own: Wrench, weight: float) -> Wrench:
    """A sum of weighted differences from the first wrench, one more added."""
    return (
        add_scaled(sums[0], weight, subtract(own[0], first[0])),
        add_scaled(sums[1], weight, subtract(own[1], first[1])),
        add_scaled(sums[2], weight, subtract(own[2], first[2])),
        add_scaled(sums[3], weight, subtract(own[3], first[3])),
    )


@inlined
def no_wrench() -> Wrench:
    zero = (0.0, 0.0, 0.0)
    return zero, zero, zero, zero


@inlined
def add_wrenches(a: Wrench, b: Wrench) -> Wrench:
    return add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2]), add(a[3], b[3])


def turn_name(turn: Turn, has_stores: bool, gyroscopic: bool, pitch: int) -> str:
    """The part that the turning has in a loop's name."""
    return f"{turn.__name__}{'-stored' if has_stores else ''}-{'gyro' if gyroscopic else 'game'}-{pitch}"


def kind_part(kinds: tuple[FieldKind, ...], evaluations: int) -> str:
    """The part that the fields of a kick have in it."""
    return kind_names(kinds) + (f"-{evaluations}" if evaluations > 1 else "")
