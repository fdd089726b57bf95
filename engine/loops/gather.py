"""The kernel that sums the held wrench of a tick from weights, constant forces and torques, thrusters, and pushes for one tick.

The tables are component-major, with the layout of their schemas in `forces`. The contributions to a body are added in the order of the
tables below and of the rows in each table. Gathering one body or all bodies therefore gives the same bits.
"""

from ..compilation.compiler import assume_separate_rows, call, from_column, inlined, kernel, use_widest_vectors
from ..kernels.selection import choose
from ..kernels.vectors import Vector, cross, scale, subtract
from .actuator_layout import (
    APPLIED,
    BODY,
    DIRECTION,
    ENABLED,
    IS_DRIVEN,
    MAX_FORCE,
    MEAN,
    POSITION_BODY,
    THROTTLE,
    WHEEL_AXIS,
)
from .columns import Array, Integers, add_to_vector, load_vector, store_vector
from .layout import (
    CENTER_OF_MASS,
    FORCE_BODY,
    FORCE_WORLD,
    MASS,
    MOTOR_TORQUE,
    TORQUE_BODY,
    TORQUE_WORLD,
    WRENCH,
    WRENCH_ROWS,
)

GRAVITY_ACCELERATION = 2
CONSTANT_WRENCH, CONSTANT_POINT, CONSTANT_HAS_POINT = 2, 14, 17
PUSH_WRENCH = 1

GRAVITIES, CONSTANTS, THRUSTERS, PUSHES, STALE, WHEELS, TANKS, DRIVEN, HAS_FROZEN, PUSH_RUN, JETS = range(11)
"""Indices into `counts`, which has the number of rows of each table, the number of bodies to gather, negative for all bodies, whether
any body is frozen, the address of `push_run`, zero if jets are added one by one, and the number of jets up to the last one that acts or
has a gimbal in the open tick."""
COUNTED = 11
"""The number of these."""


FIRST, LAST, IS_ALIKE = range(3)
"""Columns of `runs`: the first of some jets on adjacent bodies, as one jet of all members of a batch is, the jet after the last of them,
and whether all have the same position and direction."""
MOST_RUNS = 64
"""The runs for which there is room; those beyond are added jet by jet."""
SHORTEST_RUN = 16
"""The smallest number of jets on adjacent bodies that are added in loops of vectors."""
_BLOCK = 256
"""Jets that are added together, so that their numbers stay in the cache from one loop to the next."""


@kernel("gather-held")
def gather_held(
    array: Array,
    body_count: int,
    gravities: Array,
    constants: Array,
    thrusters: Array,
    pushes: Array,
    wheels: Array,
    counts: Integers,
    stale: Integers,
    marks: Integers,
    runs: Integers,
) -> int:
    """Fill the held wrench of all bodies, or of the `stale` bodies only; `marks`, one per column, is zero before and after."""
    assume_separate_rows()
    use_widest_vectors()
    # set the wrenches and motor torques to zero; if only some bodies are stale, mark them
    some = counts[STALE] >= 0
    if some:
        for index in range(counts[STALE]):
            marks[stale[index]] = 1
            for row in range(WRENCH, WRENCH + WRENCH_ROWS):
                array[row, stale[index]] = 0.0
            store_vector(array, MOTOR_TORQUE, stale[index], (0.0, 0.0, 0.0))
    else:
        for row in range(WRENCH, WRENCH + WRENCH_ROWS):
            for column in range(body_count):
                array[row, column] = 0.0
        for row in range(MOTOR_TORQUE, MOTOR_TORQUE + 3):
            for column in range(body_count):
                array[row, column] = 0.0
    # uniform gravity, for one body or for all: sum the accelerations in the rows of the force
    for index in range(counts[GRAVITIES]):
        if gravities[ENABLED, index] > 0.0:
            acceleration = load_vector(gravities, GRAVITY_ACCELERATION, index)
            column = int(gravities[BODY, index])
            if column >= 0:
                if not some or marks[column] > 0:
                    add_to_vector(array, WRENCH + FORCE_WORLD, column, acceleration)
            elif some:
                for place in range(counts[STALE]):
                    add_to_vector(array, WRENCH + FORCE_WORLD, stale[place], acceleration)
            else:
                for column in range(body_count):
                    add_to_vector(array, WRENCH + FORCE_WORLD, column, acceleration)
    # multiply the sums by the mass
    if counts[GRAVITIES] > 0:
        if some:
            for index in range(counts[STALE]):
                _weigh(array, stale[index])
        else:
            for column in range(body_count):
                _weigh(array, column)
    # constant forces and torques; a force at a point of the body also has a torque
    for index in range(counts[CONSTANTS]):
        column = int(constants[BODY, index])
        if (not some or marks[column] > 0) and constants[ENABLED, index] > 0.0:
            _add_wrench(array, column, constants, CONSTANT_WRENCH, index)
            if constants[CONSTANT_HAS_POINT, index] > 0.0:
                force = load_vector(constants, CONSTANT_WRENCH + FORCE_BODY, index)
                torque = cross(_arm(array, column, load_vector(constants, CONSTANT_POINT, index)), force)
                add_to_vector(array, WRENCH + TORQUE_BODY, column, torque)
    # thrusters: the throttle, or the mean level of the valve, times the largest force, and its torque about the mass centre
    index = run = 0
    while index < counts[THRUSTERS]:
        column = int(thrusters[BODY, index])
        if counts[PUSH_RUN] and not some and run < runs.shape[0] and runs[run, FIRST] == index:
            last = runs[run, LAST]
            _ = call(counts[PUSH_RUN], (array, column, thrusters, index, last, runs[run, IS_ALIKE]))
            index, run = last, run + 1
            continue
        if not some or marks[column] > 0:
            center = load_vector(array, CENTER_OF_MASS, column)
            force, torque = _thrust(thrusters, index, center)
            add_to_vector(array, WRENCH + FORCE_BODY, column, force)
            add_to_vector(array, WRENCH + TORQUE_BODY, column, torque)
        index += 1
    # torques of the motors on the wheels
    for index in range(counts[WHEELS]):
        column = int(wheels[BODY, index])
        if (not some or marks[column] > 0) and wheels[APPLIED, index] != 0.0:
            axis = load_vector(wheels, WHEEL_AXIS, index)
            add_to_vector(array, MOTOR_TORQUE, column, scale(float(wheels[APPLIED, index]), axis))
    # pushes, which act in this tick only
    for index in range(counts[PUSHES]):
        column = int(pushes[BODY, index])
        if not some or marks[column] > 0:
            _add_wrench(array, column, pushes, PUSH_WRENCH, index)
    # clear the marks for the next call
    if some:
        for index in range(counts[STALE]):
            marks[stale[index]] = 0
    return 0


@inlined
def _thrust(thrusters: Array, jet: int, center: Vector) -> tuple[Vector, Vector]:
    """Force of a jet, and its torque about the mass centre of its body, which is given from the origin; body frame."""
    position, direction = load_vector(thrusters, POSITION_BODY, jet), load_vector(thrusters, DIRECTION, jet)
    return _thrust_at(thrusters, jet, center, position, direction)


@inlined
def _thrust_at(
    thrusters: Array, jet: int, center: Vector, position: Vector, direction: Vector
) -> tuple[Vector, Vector]:
    """The same with a position and a direction that are given."""
    share = float(choose(thrusters[IS_DRIVEN, jet] == 1.0, thrusters[MEAN, jet], thrusters[THROTTLE, jet]))
    is_on = bool(thrusters[ENABLED, jet] > 0.0)
    force = scale(float(thrusters[MAX_FORCE, jet]), direction)
    torque = cross(subtract(position, center), force)
    return _if_on(is_on, scale(share, force)), _if_on(is_on, scale(share, torque))


@inlined
def _if_on(is_on: bool, vector: Vector) -> Vector:
    return choose(is_on, vector[0], 0.0), choose(is_on, vector[1], 0.0), choose(is_on, vector[2], 0.0)


@kernel("push-run")
def push_run(array: Array, column: int, thrusters: Array, first: int, last: int, is_alike: int) -> int:
    """Add the thrust of the jets from `first` to before `last`, which are on adjacent bodies, of which the first has the given column.

    This is a kernel of its own, because few worlds have so many bodies with one jet, and its twelve loops in vectors take longer to
    compile than all of `gather_held`.
    """
    assume_separate_rows()
    use_widest_vectors()
    position, direction = load_vector(thrusters, POSITION_BODY, first), load_vector(thrusters, DIRECTION, first)
    jet = first
    while jet < last:
        count = min(_BLOCK, last - jet)
        if is_alike == 1:
            _push_alike(array, column + jet - first, thrusters, jet, count, position, direction)
        else:
            _push_run(array, column + jet - first, thrusters, jet, count)
        jet += _BLOCK
    return 0


@inlined
def _push_run(array: Array, column: int, thrusters: Array, jet: int, count: int) -> None:
    """Add the thrust of one jet each to adjacent bodies; each loop writes one row, so that the compiler makes vectors of it."""
    bodies, jets = from_column(array, column), from_column(thrusters, jet)
    for place in range(count):
        bodies[WRENCH + FORCE_BODY, place] += _thrust(jets, place, (0.0, 0.0, 0.0))[0][0]
    for place in range(count):
        bodies[WRENCH + FORCE_BODY + 1, place] += _thrust(jets, place, (0.0, 0.0, 0.0))[0][1]
    for place in range(count):
        bodies[WRENCH + FORCE_BODY + 2, place] += _thrust(jets, place, (0.0, 0.0, 0.0))[0][2]
    for place in range(count):
        bodies[WRENCH + TORQUE_BODY, place] += _thrust(jets, place, load_vector(bodies, CENTER_OF_MASS, place))[1][0]
    for place in range(count):
        bodies[WRENCH + TORQUE_BODY + 1, place] += _thrust(jets, place, load_vector(bodies, CENTER_OF_MASS, place))[1][
            1
        ]
    for place in range(count):
        bodies[WRENCH + TORQUE_BODY + 2, place] += _thrust(jets, place, load_vector(bodies, CENTER_OF_MASS, place))[1][
            2
        ]


@inlined
def _push_alike(
    array: Array, column: int, thrusters: Array, jet: int, count: int, position: Vector, direction: Vector
) -> None:
    """The same for jets of one position and direction, of which less has to be read."""
    bodies, jets = from_column(array, column), from_column(thrusters, jet)
    where = (position, direction)
    for place in range(count):
        bodies[WRENCH + FORCE_BODY, place] += _thrust_at(jets, place, (0.0, 0.0, 0.0), *where)[0][0]
    for place in range(count):
        bodies[WRENCH + FORCE_BODY + 1, place] += _thrust_at(jets, place, (0.0, 0.0, 0.0), *where)[0][1]
    for place in range(count):
        bodies[WRENCH + FORCE_BODY + 2, place] += _thrust_at(jets, place, (0.0, 0.0, 0.0), *where)[0][2]
    for place in range(count):
        center = load_vector(bodies, CENTER_OF_MASS, place)
        bodies[WRENCH + TORQUE_BODY, place] += _thrust_at(jets, place, center, *where)[1][0]
    for place in range(count):
        center = load_vector(bodies, CENTER_OF_MASS, place)
        bodies[WRENCH + TORQUE_BODY + 1, place] += _thrust_at(jets, place, center, *where)[1][1]
    for place in range(count):
        center = load_vector(bodies, CENTER_OF_MASS, place)
        bodies[WRENCH + TORQUE_BODY + 2, place] += _thrust_at(jets, place, center, *where)[1][2]


@inlined
def _weigh(array: Array, column: int) -> None:
    mass = float(array[MASS, column])
    store_vector(array, WRENCH + FORCE_WORLD, column, scale(mass, load_vector(array, WRENCH + FORCE_WORLD, column)))


@inlined
def _arm(array: Array, column: int, point_body: Vector) -> Vector:
    """Vector from the mass centre to a point, which is given from the body's origin; body frame."""
    return subtract(point_body, load_vector(array, CENTER_OF_MASS, column))


@inlined
def _add_wrench(array: Array, column: int, table: Array, first: int, index: int) -> None:
    for part in (FORCE_WORLD, TORQUE_WORLD, FORCE_BODY, TORQUE_BODY):
        add_to_vector(array, WRENCH + part, column, load_vector(table, first + part, index))
