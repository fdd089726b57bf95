"""Kicks and drifts, the two operations from which splitting methods are built.

A kick applies the forces for a time at a fixed pose. It changes velocity, angular momentum and stored momentum. A drift moves the body for
a time without forces. It changes the pose, and the stored momentum is constant. If the forces depend only on the pose, both are exact. A
function `turn(moments, momentum, stored, step)` rotates a free body for a time.

Some of these functions are only of order two for bodies with stored momentum. Their drifts are then composed of several shares, which raise
the order. Bodies without stored momentum always drift in one step, so that the bits of a body do not depend on the other bodies. Whether
any body stores momentum is a compile-time constant. A loop for worlds without stored momentum contains no code for it and gives the same
bits.
"""

from collections.abc import Callable
from functools import cache
from typing import Protocol

from ..compilation.compiler import from_column, inlined
from ..kernels.quaternions import Quaternion, from_rotation_vector, multiply, normalize, rotate, rotate_inverse
from ..kernels.rigid_body import (
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
from ..kernels.vectors import Vector, add, add_scaled, apply_symmetric, scale, subtract
from .columns import (
    Array,
    Integers,
    Over,
    Runs,
    load_principal,
    load_state,
    load_stored,
    or_not_finite,
    over_columns,
    store_state,
)
from .fields import FieldKind, kind_names
from .layout import POSITION


class Turn(Protocol):
    """Rotates a free body, in principal axes; see `drift`."""

    @property
    def __name__(self) -> str: ...

    def __hash__(self) -> int: ...

    def __call__(
        self, moments: Vector, momentum: Vector, stored: MaybeVector, step: float, /
    ) -> tuple[Quaternion, Vector]: ...


KICKS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0.0, 1.0),),
    2: ((0.0, 0.5), (1.0, 1.0)),
    4: ((0.0, 0.5), (1.0 / 3.0, 0.5), (1.0 / 3.0, 1.0), (1.0 / 6.0, 1.0)),
}
"""Kicks as Runge-Kutta steps in the rates at a fixed pose, by the number of evaluations: plain kick, midpoint step, classical step.

Each evaluation has two numbers. The first is the weight, in the average wrench, of this wrench's difference from the first wrench. The
second is the fraction of the kick that is applied with this wrench to get the rates for the next evaluation. The last evaluation applies
the whole kick with the average wrench. The average is the first wrench plus weighted differences. Forces that do not depend on the rates
therefore give the same bits as a plain kick.
"""


@inlined
def kick(step: float, state: BodyState, wrench: BodyWrench, body: BodyModel) -> BodyState:
    """Apply a wrench to a body for a time at a fixed pose.

    Motor torques are applied separately from the external torque, because they do not change the total momentum of body and wheels.
    """
    position, orientation, velocity, rates, stored = state
    velocity = add_scaled(velocity, step * body.inverse_mass, net_force_world(orientation, 2.0, wrench))
    torque_body = net_torque_body(orientation, 2.0, wrench)
    rates = add_scaled(rates, step, apply_symmetric(body.inverse_inertia, torque_body))
    rates = turned_by_motors(rates, step, wrench.motor_torque, body)
    return BodyState(position, orientation, velocity, rates, grown(stored, step, wrench.motor_torque))


@or_not_finite
@inlined
def drift(
    turn: Turn,
    gyroscopic: bool,
    step: float,
    state: BodyState,
    moments: Vector,
    axes: Quaternion,
) -> BodyState:
    """Move a free body for a time; in game mode its body rates are constant."""
    position, orientation, velocity, rates, stored_momentum = state
    position = add_scaled(position, step, velocity)
    # game mode: rotation by the constant body rates
    if not gyroscopic:
        turned = from_rotation_vector(scale(step, rates))
        orientation = normalize(multiply(orientation, turned))
        return BodyState(position, orientation, velocity, rates, stored_momentum)
    # momentum in principal axes, and its rotation there
    spin = rotate_inverse(axes, 2.0, rates)
    stored = _along(axes, stored_momentum)
    before = plus((moments[0] * spin[0], moments[1] * spin[1], moments[2] * spin[2]), stored)
    (x, y, z, w), after = turn(moments, before, stored, step)
    x, y, z = rotate(axes, 2.0, (x, y, z))
    # The rates change by the change of momentum divided by the moments. If the rates were computed from the momentum with the rounded
    # inverse tensor, they would drift: the square of the momentum by 7e-18 per tick, or by 4e-18 with a step of refinement. Near the
    # separatrix this cost one digit of the attitude per minute. The changes, by contrast, sum to zero over each period of the momentum, and
    # so do their rounding errors.
    gain = subtract(after, before)
    growth = rotate(axes, 2.0, (gain[0] / moments[0], gain[1] / moments[1], gain[2] / moments[2]))
    orientation = normalize(multiply(orientation, (x, y, z, w)))
    return BodyState(position, orientation, velocity, add(rates, growth), stored_momentum)


@inlined
def _along(axes: Quaternion, stored_momentum: MaybeVector) -> MaybeVector:
    """Rotate the stored momentum from the body frame to principal axes."""
    if stored_momentum is None:
        return stored_momentum
    return rotate_inverse(axes, 2.0, stored_momentum)


@cache
def drift_all(
    turn: Turn, stores: bool, gyroscopic: bool, stored_row: int, over: Over = over_columns
) -> Callable[..., int]:
    """Make a pass with the arguments (array, states, step, shares), which drifts states; `over` makes it a pass over all columns.

    Bodies that store momentum drift in several shares of the step, all others in one. `states` may be the same array as `array`. Its rows
    from `stored_row` on have the stored momentum.
    """

    @cache
    def make(stores: bool) -> Callable[..., int]:
        load = load_stored(stores)

        @inlined
        def drift_states(control: Integers, runs: Runs, arguments: tuple[Array, Array, float, Array]) -> int:
            array, states = from_column(arguments[0], runs.first), from_column(arguments[1], runs.first)
            step, shares = arguments[2], arguments[3]
            for index in range(shares.shape[0] if stores else 1):
                share = float(shares[index])
                for column in range(runs.length):
                    state = load_state(states, POSITION, column, load(states, stored_row, column))
                    in_shares = shares.shape[0] > 1 and _is_turning(state.stored_momentum)
                    moments, axes = load_principal(array, column)
                    end = drift(turn, gyroscopic, step * share if in_shares else step, state, moments, axes)
                    store_state(states, POSITION, column, _either(in_shares or index == 0, end, state))
            return 0

        return drift_states

    return over(stores, make)


@inlined
def _is_turning(stored_momentum: MaybeVector) -> bool:
    """Whether the stored momentum of a body is not zero."""
    if stored_momentum is None:
        return False
    return abs(stored_momentum[0]) + abs(stored_momentum[1]) + abs(stored_momentum[2]) > 0.0


@inlined
def _either(choose_first: bool, a: BodyState, b: BodyState) -> BodyState:
    """Select one of two states with equal velocity and stored momentum, number by number, so that the loop vectorises."""
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
    """Add one weighted difference from the first wrench to a sum; motor torques are held over the tick and have no difference."""
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
    """Add a difference to a wrench."""
    return BodyWrench(
        add(a.force_world, b.force_world),
        add(a.torque_world, b.torque_world),
        add(a.force_body, b.force_body),
        add(a.torque_body, b.torque_body),
        a.motor_torque,
    )


def turn_name(turn: Turn, stores: bool, gyroscopic: bool, pitch: int) -> str:
    """The part of a loop's name that describes the rotation of a free body."""
    return f"{turn.__name__}{'-stored' if stores else ''}-{'gyro' if gyroscopic else 'game'}-{pitch}"


def kind_part(kinds: tuple[FieldKind, ...], evaluations: int) -> str:
    """The part of a loop's name that describes the fields and the evaluations per kick."""
    return kind_names(kinds) + (f"-{evaluations}" if evaluations > 1 else "")
