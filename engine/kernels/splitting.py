"""Methods made of kicks and drifts: forces change the momenta of bodies that stand still, then bodies move by themselves.

A kick changes velocity and angular momentum at one pose, a drift changes the pose and lets the body turn; both are exact where the forces
depend on the pose alone. A method is a table, a row (kick, drift) of parts of the tick, and a function `turn(moments, momentum, stored,
step)` for the turning of a free body. The table is an argument: one compiled loop serves all of them, and each row works on what the row
before it left in the arrays, so a method of many rows compiles and inlines no more than one of two.

A turn that is of order two where momentum is stored brings `shares`, parts of a drift that raise its order. Bodies without stored
momentum take such a drift whole, in whatever company they are, so that nobody's bits depend on the others. Whether any body stores
momentum (`has_stores`) is known when a loop is compiled: what is there for wheels drops out where there are none, to the same bits.

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
from .compiler import inlined, kernel, use_widest_vectors
from .fields import Field, add_to_all, field_names, summed
from .layout import (
    ANGULAR_VELOCITY,
    MASS,
    POSITION,
    PREVIOUS,
    STAGE_WRENCH,
    STORED_MOMENTUM,
    VELOCITY,
    WRENCH,
    WRENCH_ROWS,
)
from .points import add_pulls
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
def _drift_all(
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


@cache
def _kicking(fields: tuple[Field, ...], evaluations: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Make `load(parameters, row) -> p` (see `fields.summed`) and `kick_by(p, shares, column, mass, step, state, held, body) -> State`.

    The kick is by the held wrench and the fields at this pose: in one evaluation, or a midpoint step of two or a Runge-Kutta step of four
    where a field depends on the rates, to the same bits as `staged_kick` and `staged_mean`.
    """
    load, add_fields = summed(fields)

    @inlined
    def kick_by(
        p: Any, shares: Any, column: int, mass: float, step: float, state: State, held: Wrench, body: Body
    ) -> State:
        position, orientation, velocity, rates = state
        zero = (0.0, 0.0, 0.0)
        first = add_fields(p, shares, 0, column, mass, body[1], state, held)
        mean = first
        if evaluations == 2:
            v, w = kick(0.5 * step, orientation, velocity, rates, first, body)
            own = add_fields(p, shares, 0, column, mass, body[1], (position, orientation, v, w), held)
            mean = _sum(first, _differences((zero, zero, zero, zero), first, own, 1.0))
        if evaluations == 4:
            v, w = kick(0.5 * step, orientation, velocity, rates, first, body)
            own = add_fields(p, shares, 0, column, mass, body[1], (position, orientation, v, w), held)
            difference = _differences((zero, zero, zero, zero), first, own, 1.0 / 3.0)
            v, w = kick(0.5 * step, orientation, velocity, rates, own, body)
            own = add_fields(p, shares, 0, column, mass, body[1], (position, orientation, v, w), held)
            difference = _differences(difference, first, own, 1.0 / 3.0)
            v, w = kick(step, orientation, velocity, rates, own, body)
            own = add_fields(p, shares, 0, column, mass, body[1], (position, orientation, v, w), held)
            mean = _sum(first, _differences(difference, first, own, 1.0 / 6.0))
        velocity, rates = kick(step, orientation, velocity, rates, mean, body)
        return position, orientation, velocity, rates

    return load, kick_by


@cache
def strang_ticks(
    turn: Turn,
    has_stores: bool,
    gyroscopic: bool,
    pitch: int,
    fields: tuple[Field, ...] = (),
    evaluations: int = 1,
) -> Callable[..., int]:
    """Make `loop(array, parameters, shares, count, dt, ticks) -> ticks completed`, as `loops.held_ticks` does for other methods.

    Half a kick, a drift, half a kick, in one pass over the bodies; `evaluations` as in `_kicking`.
    """
    load, kick_by = _kicking(fields, evaluations)

    @kernel(f"strang-{_named(turn, has_stores, gyroscopic, pitch)}{_fielded(fields, evaluations)}")
    def strang(array: Array, parameters: Any, shares: Any, count: int, dt: float, ticks: int) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch:
            return -1
        p = load(parameters, 0)
        for tick in range(ticks):
            not_finite = 0
            for column in range(count):
                start = load_state(array, POSITION, column)
                held, body = load_wrench(array, WRENCH, column), load_body(array, column)
                moments, axes = load_principal(array, column)
                mass = float(array[MASS, column])
                state = kick_by(p, shares, column, mass, dt * 0.5, start, held, body)
                state = drift(turn, has_stores, gyroscopic, dt, state, body, moments, axes)
                state = kick_by(p, shares, column, mass, dt * 0.5, state, held, body)
                store_state(array, PREVIOUS, column, start)
                store_state(array, POSITION, column, state)
                not_finite += 0 if is_finite(state) else 1
            if not_finite > 0:
                return tick
        return ticks

    return strang


@cache
def table_ticks(
    turn: Turn,
    has_stores: bool,
    gyroscopic: bool,
    pitch: int,
    fields: tuple[Field, ...] = (),
    evaluations: int = 1,
) -> Callable[..., int]:
    """Make `loop(array, table, drift_shares, parameters, shares, count, dt, ticks) -> ticks completed`, for any table."""
    load, kick_by = _kicking(fields, evaluations)

    @kernel(f"table-{_named(turn, has_stores, gyroscopic, pitch)}{_fielded(fields, evaluations)}")
    def by_table(
        array: Array, table: Array, drift_shares: Array, parameters: Any, shares: Any, count: int, dt: float, ticks: int
    ) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch:
            return -1
        p = load(parameters, 0)
        for tick in range(ticks):
            for column in range(count):
                store_state(array, PREVIOUS, column, load_state(array, POSITION, column))
            for row in range(table.shape[0]):
                kick_step = dt * float(table[row, 0])
                drift_step = dt * float(table[row, 1])
                if kick_step != 0.0:
                    for column in range(count):
                        state = load_state(array, POSITION, column)
                        held, body = load_wrench(array, WRENCH, column), load_body(array, column)
                        mass = float(array[MASS, column])
                        _, _, velocity, rates = kick_by(p, shares, column, mass, kick_step, state, held, body)
                        store_vector(array, VELOCITY, column, velocity)
                        store_vector(array, ANGULAR_VELOCITY, column, rates)
                if drift_step != 0.0:
                    _drift_all(turn, has_stores, gyroscopic, array, array, count, drift_step, drift_shares)
            not_finite = 0
            for column in range(count):
                not_finite += 0 if is_finite(load_state(array, POSITION, column)) else 1
            if not_finite > 0:
                return tick
        return ticks

    return by_table


def _named(turn: Turn, has_stores: bool, gyroscopic: bool, pitch: int) -> str:
    return f"{turn.__name__}{'-stored' if has_stores else ''}-{'gyro' if gyroscopic else 'game'}-{pitch}"


def _fielded(fields: tuple[Field, ...], evaluations: int) -> str:
    return field_names(fields) + (f"-{evaluations}" if evaluations > 1 else "")


@cache
def staged_start(pitch: int) -> Callable[[Array, Array, int], int]:
    """Make `loop(array, stages, count) -> 0`: the state at the start of the tick, and a wrench begun with the held one."""

    @kernel(f"split-start-{pitch}")
    def start(array: Array, stages: Array, count: int) -> int:
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        _start_all(array, stages, count)
        return 0

    return start


@cache
def staged_kick(opens: bool, closes: bool, pitch: int) -> Callable[[Array, Array, int, float, float], int]:
    """Make `loop(array, stages, count, step, weight) -> 0`: kick by the wrench just evaluated, and begin the next; see `_kick_all`."""

    @kernel(f"split-kick-{'first' if opens else 'later'}-{'last' if closes else 'trial'}-{pitch}")
    def kick_all(array: Array, stages: Array, count: int, step: float, weight: float) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        _kick_all(opens, closes, array, stages, count, step, weight)
        return 0

    return kick_all


@cache
def staged_mean(pitch: int) -> Callable[[Array, int, float], int]:
    """Make `loop(stages, count, weight) -> 0`: in place of the wrench just evaluated, the first plus all weighted differences from it."""

    @kernel(f"split-mean-{pitch}")
    def mean_all(stages: Array, count: int, weight: float) -> int:
        if stages.shape[1] != pitch:
            return -1
        _mean_all(stages, count, weight)
        return 0

    return mean_all


@cache
def staged_drift(
    turn: Turn, has_stores: bool, gyroscopic: bool, pitch: int
) -> Callable[[Array, Array, int, float, Array], int]:
    """Make `loop(array, stages, count, step, shares) -> 0`: drift the states of the stage array."""

    @kernel(f"split-drift-{_named(turn, has_stores, gyroscopic, pitch)}")
    def drift_all(array: Array, stages: Array, count: int, step: float, shares: Array) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        _drift_stages(turn, has_stores, gyroscopic, array, stages, count, step, shares)
        return 0

    return drift_all


@cache
def staged_end(pitch: int) -> Callable[[Array, Array, int], int]:
    """Make `loop(array, stages, count) -> bodies that are not finite`: the states of the stage array are those of the tick's end."""

    @kernel(f"split-end-{pitch}")
    def end(array: Array, stages: Array, count: int) -> int:
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        return _end_all(array, stages, count)

    return end


@cache
def coupled_ticks(
    turn: Turn,
    has_stores: bool,
    gyroscopic: bool,
    pitch: int,
    fields: tuple[Field, ...] = (),
    evaluations: int = 1,
) -> Callable[..., int]:
    """Make `loop(array, table, drift_shares, stages, pulls, parameters, shares, count, dt, ticks) -> ticks completed`.

    As `table_ticks`, with pulls between bodies besides the fields (see `loops.coupled_ticks`); a kick of several evaluations takes them one
    by one, as the world does with forces that it has to call.
    """
    load, add_fields = summed(fields)
    has_fields = bool(fields)

    @inlined
    def add_forces(array: Array, stages: Array, pulls: Array, parameters: Any, shares: Any, count: int) -> None:
        if has_fields:
            add_to_all(load, add_fields, array, stages, STAGE_WRENCH, count, parameters, shares)
        add_pulls(array, stages, STAGE_WRENCH, pulls)

    @kernel(f"coupled-{_named(turn, has_stores, gyroscopic, pitch)}{_fielded(fields, evaluations)}")
    def coupled(
        array: Array,
        table: Array,
        drift_shares: Array,
        stages: Array,
        pulls: Array,
        parameters: Any,
        shares: Any,
        count: int,
        dt: float,
        ticks: int,
    ) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        for tick in range(ticks):
            _start_all(array, stages, count)
            for row in range(table.shape[0]):
                step = dt * float(table[row, 0])
                drift_step = dt * float(table[row, 1])
                if step != 0.0:
                    add_forces(array, stages, pulls, parameters, shares, count)
                    if evaluations > 1:
                        _kick_all(True, False, array, stages, count, 0.5 * step, 0.0)
                        add_forces(array, stages, pulls, parameters, shares, count)
                        if evaluations > 2:
                            _kick_all(False, False, array, stages, count, 0.5 * step, 1.0 / 3.0)
                            add_forces(array, stages, pulls, parameters, shares, count)
                            _kick_all(False, False, array, stages, count, step, 1.0 / 3.0)
                            add_forces(array, stages, pulls, parameters, shares, count)
                        _mean_all(stages, count, 1.0 if evaluations == 2 else 1.0 / 6.0)
                    _kick_all(True, True, array, stages, count, step, 0.0)
                if drift_step != 0.0:
                    _drift_stages(turn, has_stores, gyroscopic, array, stages, count, drift_step, drift_shares)
            if _end_all(array, stages, count) > 0:
                return tick
        return ticks

    return coupled


@inlined
def _start_all(array: Array, stages: Array, count: int) -> None:
    for column in range(count):
        state = load_state(array, POSITION, column)
        store_state(stages, POSITION, column, state)
        store_vector(stages, _RATES_BEFORE, column, state[2])
        store_vector(stages, _RATES_BEFORE + 3, column, state[3])
        store_wrench(stages, STAGE_WRENCH, column, load_wrench(array, WRENCH, column))


@inlined
def _kick_all(opens: bool, closes: bool, array: Array, stages: Array, count: int, step: float, weight: float) -> None:
    """Kick from the rates before, and begin the next wrench.

    A kick that opens several evaluations keeps its wrench as the first; those that neither open nor close add their weighted difference
    from the first. What closes is a plain kick, behind `_mean_all` where others went before. (Told at run time which it is, the loop does
    not vectorise.)
    """
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
            first, sums = load_wrench(stages, _FIRST, column), load_wrench(stages, _DIFFERENCE, column)
            store_wrench(stages, _DIFFERENCE, column, _differences(sums, first, wrench, weight))
        velocity, rates = kick(step, orientation, velocity, rates, wrench, load_body(array, column))
        store_vector(stages, VELOCITY, column, velocity)
        store_vector(stages, ANGULAR_VELOCITY, column, rates)
        store_wrench(stages, STAGE_WRENCH, column, load_wrench(array, WRENCH, column))


@inlined
def _mean_all(stages: Array, count: int, weight: float) -> None:
    for column in range(count):
        first = load_wrench(stages, _FIRST, column)
        own = load_wrench(stages, STAGE_WRENCH, column)
        difference = _differences(load_wrench(stages, _DIFFERENCE, column), first, own, weight)
        store_wrench(stages, STAGE_WRENCH, column, _sum(first, difference))


@inlined
def _drift_stages(
    turn: Turn,
    has_stores: bool,
    gyroscopic: bool,
    array: Array,
    stages: Array,
    count: int,
    step: float,
    shares: Array,
) -> None:
    _drift_all(turn, has_stores, gyroscopic, array, stages, count, step, shares)
    for column in range(count):
        store_vector(stages, _RATES_BEFORE, column, load_vector(stages, VELOCITY, column))
        store_vector(stages, _RATES_BEFORE + 3, column, load_vector(stages, ANGULAR_VELOCITY, column))


@inlined
def _end_all(array: Array, stages: Array, count: int) -> int:
    not_finite = 0
    for column in range(count):
        state = load_state(stages, POSITION, column)
        store_state(array, PREVIOUS, column, load_state(array, POSITION, column))
        store_state(array, POSITION, column, state)
        not_finite += 0 if is_finite(state) else 1
    return not_finite


@inlined
def _differences(sums: Wrench, first: Wrench, own: Wrench, weight: float) -> Wrench:
    """A sum of weighted differences from the first wrench, one more added."""
    return (
        add_scaled(sums[0], weight, subtract(own[0], first[0])),
        add_scaled(sums[1], weight, subtract(own[1], first[1])),
        add_scaled(sums[2], weight, subtract(own[2], first[2])),
        add_scaled(sums[3], weight, subtract(own[3], first[3])),
    )


@inlined
def _sum(a: Wrench, b: Wrench) -> Wrench:
    return add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2]), add(a[3], b[3])
