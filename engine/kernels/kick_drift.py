"""A kick, forces on a body that stands still, and a drift, a body left alone: what methods of kicks and drifts are made of.

A kick changes velocity, angular momentum and stored momentum at one pose, a drift changes the pose and lets the body turn while the stored
momentum stands still; both are exact where the forces depend on the pose alone. A function `turn(moments, momentum, stored, step)` says
how a free body turns.

A turn that is of order two where momentum is stored brings `shares`, parts of a drift that raise its order. Bodies without stored
momentum take such a drift whole, in whatever company they are, so that nobody's bits depend on the others. Whether any body stores
momentum is known when a loop is compiled: what is there for wheels drops out where there are none, to the same bits.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from .columns import Array, load_principal, load_state, load_stored, store_state
from .compiler import inlined
from .fields import FieldKind, kind_names
from .layout import POSITION
from .quaternions import Quaternion, from_rotation_vector, multiply, normalize, rotate, rotate_inverse
from .rigid_body import (
    BodyModel,
    BodyState,
    BodyWrench,
    MaybeVector,
    grown,
    net_force_world,
    net_torque_body,
    plus,
    turned_by_motors,
)
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
def kick(step: float, state: BodyState, wrench: BodyWrench, body: BodyModel) -> BodyState:
    """The state after a wrench has acted for a time on a body that stands still.

    Motors change rates and stored momentum apart from the external torque, so that the momentum of both never sees them.
    """
    position, orientation, velocity, rates, stored = state
    velocity = add_scaled(velocity, step * body.inverse_mass, net_force_world(orientation, 2.0, wrench))
    torque_body = net_torque_body(orientation, 2.0, wrench)
    rates = add_scaled(rates, step, apply_symmetric(body.inverse_inertia, torque_body))
    rates = turned_by_motors(rates, step, wrench.motor_torque, body)
    return BodyState(position, orientation, velocity, rates, grown(stored, step, wrench.motor_torque))


@inlined
def drift(
    turn: Turn,
    gyroscopic: bool,
    step: float,
    state: BodyState,
    moments: Vector,
    axes: Quaternion,
) -> BodyState:
    """A body left alone for a time. In game mode it keeps its body rates."""
    position, orientation, velocity, rates, stored_momentum = state
    position = add_scaled(position, step, velocity)
    if not gyroscopic:
        turned = from_rotation_vector(scale(step, rates))
        orientation = normalize(multiply(orientation, turned))
        return BodyState(position, orientation, velocity, rates, stored_momentum)
    spin = rotate_inverse(axes, 2.0, rates)
    stored = _along(axes, stored_momentum)
    before = plus((moments[0] * spin[0], moments[1] * spin[1], moments[2] * spin[2]), stored)
    (x, y, z, w), after = turn(moments, before, stored, step)
    x, y, z = rotate(axes, 2.0, (x, y, z))
    # The rates grow by what the momentum grows over the moments. Rates worked out anew from the momentum by the rounded inverse tensor
    # creep to one side (the square of the momentum by 7e-18 a tick, 4e-18 with a step of refinement; next to the separatrix that cost the
    # attitude a digit in a minute). What is added comes back to zero with each round of the momentum, and its rounding with it.
    gain = subtract(after, before)
    growth = rotate(axes, 2.0, (gain[0] / moments[0], gain[1] / moments[1], gain[2] / moments[2]))
    orientation = normalize(multiply(orientation, (x, y, z, w)))
    return BodyState(position, orientation, velocity, add(rates, growth), stored_momentum)


@inlined
def _along(axes: Quaternion, stored_momentum: MaybeVector) -> MaybeVector:
    """Stored momentum in principal axes."""
    if stored_momentum is None:
        return stored_momentum
    return rotate_inverse(axes, 2.0, stored_momentum)


@cache
def drift_all(turn: Turn, stores: bool, gyroscopic: bool, stored_row: int) -> Callable[..., None]:
    """Make `drift_states(array, states, count, step, shares)`: drift all states, those of bodies that store momentum in shares.

    `states` may be `array` itself; from `stored_row` on it has the stored momentum.
    """
    load = load_stored(stores)

    @inlined
    def drift_states(array: Array, states: Array, count: int, step: float, shares: Array) -> None:
        for index in range(shares.shape[0] if stores else 1):
            share = float(shares[index])
            for column in range(count):
                state = load_state(states, POSITION, column, load(states, stored_row, column))
                in_shares = shares.shape[0] > 1 and _is_turning(state.stored_momentum)
                moments, axes = load_principal(array, column)
                end = drift(turn, gyroscopic, step * share if in_shares else step, state, moments, axes)
                store_state(states, POSITION, column, _either(in_shares or index == 0, end, state))

    return drift_states


@inlined
def _is_turning(stored_momentum: MaybeVector) -> bool:
    """Whether a body has wheels that turn."""
    if stored_momentum is None:
        return False
    return abs(stored_momentum[0]) + abs(stored_momentum[1]) + abs(stored_momentum[2]) > 0.0


@inlined
def _either(choose_first: bool, a: BodyState, b: BodyState) -> BodyState:
    """One of two states of the same velocity and stored momentum: selected number by number, which keeps the loop vectorised."""
    x, y = a.position, b.position
    q, r = a.orientation, b.orientation
    w, u = a.angular_velocity, b.angular_velocity
    return BodyState(
        (x[0] if choose_first else y[0], x[1] if choose_first else y[1], x[2] if choose_first else y[2]),
        (
            q[0] if choose_first else r[0],
            q[1] if choose_first else r[1],
            q[2] if choose_first else r[2],
            q[3] if choose_first else r[3],
        ),
        b.velocity,
        (w[0] if choose_first else u[0], w[1] if choose_first else u[1], w[2] if choose_first else u[2]),
        b.stored_momentum,
    )


@inlined
def differences(sums: BodyWrench, first: BodyWrench, own: BodyWrench, weight: float) -> BodyWrench:
    """A sum of weighted differences from the first wrench, one more added; motors are held over the tick, so theirs is none."""
    return BodyWrench(
        add_scaled(sums.force_world, weight, subtract(own.force_world, first.force_world)),
        add_scaled(sums.torque_world, weight, subtract(own.torque_world, first.torque_world)),
        add_scaled(sums.force_body, weight, subtract(own.force_body, first.force_body)),
        add_scaled(sums.torque_body, weight, subtract(own.torque_body, first.torque_body)),
        None,
    )


@inlined
def no_difference() -> BodyWrench:
    zero = (0.0, 0.0, 0.0)
    return BodyWrench(zero, zero, zero, zero, None)


@inlined
def add_difference(a: BodyWrench, b: BodyWrench) -> BodyWrench:
    """A wrench and a difference from it."""
    return BodyWrench(
        add(a.force_world, b.force_world),
        add(a.torque_world, b.torque_world),
        add(a.force_body, b.force_body),
        add(a.torque_body, b.torque_body),
        a.motor_torque,
    )


def turn_name(turn: Turn, stores: bool, gyroscopic: bool, pitch: int) -> str:
    """The part that the turning has in a loop's name."""
    return f"{turn.__name__}{'-stored' if stores else ''}-{'gyro' if gyroscopic else 'game'}-{pitch}"


def kind_part(kinds: tuple[FieldKind, ...], evaluations: int) -> str:
    """The part that the fields of a kick have in it."""
    return kind_names(kinds) + (f"-{evaluations}" if evaluations > 1 else "")
