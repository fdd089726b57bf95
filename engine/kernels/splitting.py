"""Methods made of kicks and drifts: forces change the momenta of bodies that stand still, then bodies move by themselves.

A kick changes velocity and angular momentum at one pose, a drift changes the pose and lets the body turn; both are exact where the forces
depend on the pose alone. A method is a table, a row (kick, drift) of parts of the tick, and a function `turn(moments, momentum, stored,
step)` for the turning of a free body. The table is an argument: one compiled loop serves all of them, and each row works on what the row
before it left in the arrays, so a method of many rows compiles and inlines no more than one of two.

A turn that is of order two where momentum is stored brings `shares`, parts of a drift that raise its order. Bodies without stored
momentum take such a drift whole, in whatever company they are, so that nobody's bits depend on the others.

Rate-dependent forces: a kick then is itself a small Runge-Kutta step in the rates at one pose, fed with trial rates and closed with an
average wrench. The average is the first wrench plus weighted differences from it, so that forces that turn out not to depend on the
rates give the bits of a plain kick.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from .columns import (
    Array,
    is_finite,
    load_body,
    load_principal,
    load_state,
    load_vector,
    load_wrench,
    store_state,
    store_vector,
    store_wrench,
)
from .compiler import inlined, kernel
from .layout import ANGULAR_VELOCITY, POSITION, PREVIOUS, STAGE_WRENCH, STORED_MOMENTUM, VELOCITY, WRENCH, WRENCH_ROWS
from .quaternions import (
    Quaternion,
    from_rotation_vector,
    multiply,
    normalize,
    rotate,
    rotate_inverse,
)
from .rigid_body import (
    Body,
    State,
    Wrench,
    net_force_world,
    net_torque_body,
)
from .vectors import Vector, add, add_scaled, apply_symmetric, scale, subtract

Turn = Callable[..., Any]

# blocks of the stage array behind the state: the wrench being evaluated, the first of a kick, the sum of differences from it, and the
# rates before the kick
_FIRST = STAGE_WRENCH + WRENCH_ROWS
_DIFFERENCE = STAGE_WRENCH + 2 * WRENCH_ROWS
_RATES_BEFORE = STAGE_WRENCH + 3 * WRENCH_ROWS
STAGE_BLOCKS = 4


@inlined
def kick(step: float, orientation: Quaternion, velocity: Vector, rates: Vector, wrench: Wrench, body: Body) -> Any:
    """Velocity and body rates after a wrench has acted for a time on a body that stands still."""
    velocity = add_scaled(velocity, step * body[0], net_force_world(orientation, 2.0, wrench))
    torque_body = net_torque_body(orientation, 2.0, wrench)
    return velocity, add_scaled(rates, step, apply_symmetric(body[2], torque_body))


@inlined
def drift(
    turn: Turn, gyroscopic: bool, step: float, state: State, body: Body, moments: Vector, axes: Quaternion
) -> State:
    """A body left alone for a time. In game mode it keeps its body rates."""
    position, orientation, velocity, rates = state
    position = add_scaled(position, step, velocity)
    if not gyroscopic:
        turned = from_rotation_vector(scale(step, rates))
        return position, normalize(multiply(orientation, turned)), velocity, rates
    spin = rotate_inverse(axes, 2.0, rates)
    stored = rotate_inverse(axes, 2.0, body[3])
    before = (moments[0] * spin[0] + stored[0], moments[1] * spin[1] + stored[1], moments[2] * spin[2] + stored[2])
    (x, y, z, w), after = turn(moments, before, stored, step)
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
def _shares_needed(array: Array, count: int, shares: Array) -> int:
    """One where no body stores momentum."""
    storing = 0
    for column in range(count):
        storing += 1 if _stores_momentum(array, column) else 0
    return shares.shape[0] if storing > 0 else 1


@inlined
def _drift_all(
    turn: Turn, gyroscopic: bool, array: Array, states: Array, count: int, step: float, shares: Array, needed: int
) -> None:
    """Drift the states (`states` may be `array` itself) in the shares that are needed."""
    for index in range(needed):
        share = float(shares[index])
        for column in range(count):
            in_shares = needed > 1 and _stores_momentum(array, column)
            state = load_state(states, POSITION, column)
            moments, axes = load_principal(array, column)
            own_step = step * share if in_shares else step
            x, q, _, w = drift(turn, gyroscopic, own_step, state, load_body(array, column), moments, axes)
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


@cache
def held_ticks(turn: Turn, gyroscopic: bool, pitch: int) -> Callable[[Array, int, float, int, Array, Array], int]:
    """Make `loop(array, count, dt, ticks, table, shares) -> ticks completed`, as `loops.held_ticks` does for other methods."""

    @kernel(f"split-held-{turn.__name__}-{'gyro' if gyroscopic else 'game'}-{pitch}")
    def held(array: Array, count: int, dt: float, ticks: int, table: Array, shares: Array) -> int:
        if array.shape[1] != pitch:
            return -1
        needed = _shares_needed(array, count, shares)
        for tick in range(ticks):
            for column in range(count):
                store_state(array, PREVIOUS, column, load_state(array, POSITION, column))
            for row in range(table.shape[0]):
                kick_step = dt * float(table[row, 0])
                drift_step = dt * float(table[row, 1])
                if kick_step != 0.0:
                    for column in range(count):
                        _, orientation, velocity, rates = load_state(array, POSITION, column)
                        wrench = load_wrench(array, WRENCH, column)
                        velocity, rates = kick(
                            kick_step, orientation, velocity, rates, wrench, load_body(array, column)
                        )
                        store_vector(array, VELOCITY, column, velocity)
                        store_vector(array, ANGULAR_VELOCITY, column, rates)
                if drift_step != 0.0:
                    _drift_all(turn, gyroscopic, array, array, count, drift_step, shares, needed)
            not_finite = 0
            for column in range(count):
                not_finite += 0 if is_finite(load_state(array, POSITION, column)) else 1
            if not_finite > 0:
                return tick
        return ticks

    return held


@cache
def staged_start(pitch: int) -> Callable[[Array, Array, int], int]:
    """Make `loop(array, stages, count) -> 0`: the state at the start of the tick, and a wrench begun with the held one."""

    @kernel(f"split-start-{pitch}")
    def start(array: Array, stages: Array, count: int) -> int:
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        for column in range(count):
            state = load_state(array, POSITION, column)
            store_state(stages, POSITION, column, state)
            store_vector(stages, _RATES_BEFORE, column, state[2])
            store_vector(stages, _RATES_BEFORE + 3, column, state[3])
            store_wrench(stages, STAGE_WRENCH, column, load_wrench(array, WRENCH, column))
        return 0

    return start


@cache
def staged_kick(opens: bool, closes: bool, pitch: int) -> Callable[[Array, Array, int, float, float], int]:
    """Make `loop(array, stages, count, step, weight) -> 0`: kick by the wrench just evaluated, and begin the next.

    The kick is from the rates before it. One that opens a kick of several evaluations keeps its wrench as the first; those that neither
    open nor close add their weighted difference from the first. What closes is a plain kick, behind `staged_mean` where others went
    before. (Told at run time which it is, the loop does not vectorise.)
    """

    @kernel(f"split-kick-{'first' if opens else 'later'}-{'last' if closes else 'trial'}-{pitch}")
    def kick_all(array: Array, stages: Array, count: int, step: float, weight: float) -> int:
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        for column in range(count):
            orientation = load_state(stages, POSITION, column)[1]
            velocity = load_vector(stages, _RATES_BEFORE, column)
            rates = load_vector(stages, _RATES_BEFORE + 3, column)
            wrench = load_wrench(stages, STAGE_WRENCH, column)
            if opens and not closes:
                zero = (0.0, 0.0, 0.0)
                store_wrench(stages, _FIRST, column, wrench)
                store_wrench(stages, _DIFFERENCE, column, (zero, zero, zero, zero))
            if not opens and not closes:
                first = load_wrench(stages, _FIRST, column)
                store_wrench(stages, _DIFFERENCE, column, _differences(stages, column, first, wrench, weight))
            velocity, rates = kick(step, orientation, velocity, rates, wrench, load_body(array, column))
            store_vector(stages, VELOCITY, column, velocity)
            store_vector(stages, ANGULAR_VELOCITY, column, rates)
            store_wrench(stages, STAGE_WRENCH, column, load_wrench(array, WRENCH, column))
        return 0

    return kick_all


@cache
def staged_mean(pitch: int) -> Callable[[Array, int, float], int]:
    """Make `loop(stages, count, weight) -> 0`: in place of the wrench just evaluated, the first plus all weighted differences from it."""

    @kernel(f"split-mean-{pitch}")
    def mean_all(stages: Array, count: int, weight: float) -> int:
        if stages.shape[1] != pitch:
            return -1
        for column in range(count):
            first = load_wrench(stages, _FIRST, column)
            own = load_wrench(stages, STAGE_WRENCH, column)
            difference = _differences(stages, column, first, own, weight)
            mean = (
                add(first[0], difference[0]),
                add(first[1], difference[1]),
                add(first[2], difference[2]),
                add(first[3], difference[3]),
            )
            store_wrench(stages, STAGE_WRENCH, column, mean)
        return 0

    return mean_all


@inlined
def _differences(stages: Array, column: int, first: Wrench, own: Wrench, weight: float) -> Wrench:
    """The sum of weighted differences from the first wrench, one more added."""
    sums = load_wrench(stages, _DIFFERENCE, column)
    return (
        add_scaled(sums[0], weight, subtract(own[0], first[0])),
        add_scaled(sums[1], weight, subtract(own[1], first[1])),
        add_scaled(sums[2], weight, subtract(own[2], first[2])),
        add_scaled(sums[3], weight, subtract(own[3], first[3])),
    )


@cache
def staged_drift(turn: Turn, gyroscopic: bool, pitch: int) -> Callable[[Array, Array, int, float, Array], int]:
    """Make `loop(array, stages, count, step, shares) -> 0`: drift the states of the stage array."""

    @kernel(f"split-drift-{turn.__name__}-{'gyro' if gyroscopic else 'game'}-{pitch}")
    def drift_all(array: Array, stages: Array, count: int, step: float, shares: Array) -> int:
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        _drift_all(turn, gyroscopic, array, stages, count, step, shares, _shares_needed(array, count, shares))
        for column in range(count):
            store_vector(stages, _RATES_BEFORE, column, load_vector(stages, VELOCITY, column))
            store_vector(stages, _RATES_BEFORE + 3, column, load_vector(stages, ANGULAR_VELOCITY, column))
        return 0

    return drift_all


@cache
def staged_end(pitch: int) -> Callable[[Array, Array, int], int]:
    """Make `loop(array, stages, count) -> bodies that are not finite`: the states of the stage array are those of the tick's end."""

    @kernel(f"split-end-{pitch}")
    def end(array: Array, stages: Array, count: int) -> int:
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        not_finite = 0
        for column in range(count):
            state = load_state(stages, POSITION, column)
            store_state(array, PREVIOUS, column, load_state(array, POSITION, column))
            store_state(array, POSITION, column, state)
            not_finite += 0 if is_finite(state) else 1
        return not_finite

    return end
