"""The kernels that take one sample of a sensor, from the columns of its body and of its own table.

The tables of all sensors begin with the same components, which are listed here; those of one class follow them. The rows of one sensor are
slots, each with one sample, and the state beyond the samples is in the first row. A sample is written to `out`, in the order of the
components from `VALUE` on, and the caller writes it to the table, so that it can be undone.
"""

from math import sqrt
from typing import NamedTuple

from ..compilation.compiler import inlined, kernel
from ..compilation.packed import Packed, unpack
from ..forces.gravity import point_gravity
from ..forces.magnetic_dipole import dipole_field
from ..kernels.measuring import (
    is_in_shadow,
    is_near_disc,
    mean_specific_force,
    middle_of,
    of_attitude,
    of_direction,
    of_three_axes,
)
from ..kernels.noise import NoiseKey, white_noise
from ..kernels.quaternions import Quaternion, rotate, rotate_inverse
from ..kernels.rigid_body import BodyAtStage
from ..kernels.vectors import Vector, add, add_scaled, dot, subtract
from ..loops.columns import Array, Integers, load_quaternion, load_vector, store_vector
from ..loops.layout import ANGULAR_VELOCITY, CENTER_OF_MASS, ORIENTATION, POSITION, PREVIOUS, TICKS, VELOCITY

BODY = 0
ENABLED = 1
FAULT = 2
KEY = 3
VALUE = 6
"""Four components, of which a vector uses three."""
VALID = 10
TICK = 11
"""The tick of the sample, or -1 before the first."""
SAMPLES = 12
"""The number of samples so far."""
BIAS = 13

WORKS, STUCK, DEAD = 0.0, 1.0, 2.0
"""Values of `FAULT`."""

# three-axis instruments
MATRIX = 16
DEVIATION = 25
"""Standard deviation of the noise; of gyros and accelerometers times the square root of the sample interval."""
BIAS_WALK = 26
QUANTUM = 27
LIMIT = 28
AT_BODY = 29
"""Of accelerometers."""
STATE_OF_INSTRUMENT = BIAS + 3 - VALUE
"""Number of components from `VALUE` on that a sample of such an instrument writes."""

GYRO, MAGNETOMETER, ACCELEROMETER = 0, 1, 2
"""Kinds of three-axis instruments."""

# star trackers and sun sensors
BORESIGHT = 13
ACROSS = 16
ALONG = 17
MAX_RATE = 18
EXCLUSIONS = 19
"""Three groups of `EXCLUSION_SIZE` components."""
EXCLUSION_SIZE = 11
EXCLUSION_COUNT = 3
EXCLUSION_FAR, EXCLUSION_BALL = 1.0, 2.0
"""Kinds of bright things: a direction, or a sphere in space."""
EXCLUSION_KIND, EXCLUSION_TOWARDS, EXCLUSION_CENTER, EXCLUSION_RADIUS, EXCLUSION_COSINE, EXCLUSION_SINE = (
    0,
    1,
    4,
    7,
    8,
    9,
)
SUN_NOISE = 16
SUN_COSINE = 17
SUN_DIRECTION = 18
SUN_SHADOW_CENTER = 21
SUN_SHADOW_RADIUS = 24
STATE_OF_OPTICS = SAMPLES + 1 - VALUE


class Taking(NamedTuple):
    """The arguments of the kernels that sample one sensor."""

    kind: int
    """Of a three-axis instrument, a constant above."""
    row: int
    """The first row of the sensor."""
    slots: int
    """The number of its rows."""
    every: int
    """Ticks between two samples."""
    dt: float
    """Length of a tick [s]."""
    bodies: Array
    """The array of the world's bodies."""
    control: Integers
    """What belongs to them."""
    sensors: Array
    """The table of the sensor."""
    field_world: Array
    """The magnetic flux density, or the gravitational acceleration at the middle of the last tick, shape (3, 1)."""
    out: Array
    """Where the sample is written, shape (k, 1), of components from `VALUE` on."""


@kernel("sample-three-axes")
def sample_three_axes(packed: Packed[Taking]) -> int:
    """Sample a gyro, a magnetometer or an accelerometer, and return whether the sample is finite."""
    taking = unpack(packed)
    row, sensors, tick = taking.row, taking.sensors, int(taking.control[TICKS])
    before, field = _last_slot(sensors, row, taking.slots, 1), load_vector(taking.field_world, 0, 0)
    every, dt, out = taking.every, taking.dt, taking.out
    return int(_three_axes(taking.kind, taking.bodies, sensors, row, before, tick, every, dt, field, out, 0))


@kernel("sample-three-axes-of-members")
def sample_three_axes_of_members(
    kind: int,
    bodies: Array,
    sensors: Array,
    first: int,
    slots: int,
    ticks: Integers,
    due: Integers,
    every: int,
    dt: float,
    field_world: Vector,
    dipole: int,
    fields: Array,
    out: Array,
) -> int:
    """Sample such an instrument of each member of a batch that is due.

    Args:
        kind: Of the instrument, a constant above.
        bodies: The array of the bodies of all members.
        sensors: The table of the sensor.
        first: Its first row; slot s of member m is the row ``first + s n + m``.
        slots: The number of slots of each member.
        ticks: Number of the tick of each member, shape (n,).
        due: Whether each member is sampled, shape (n,); set to 2 where the sample is not finite.
        every: Ticks between two samples.
        dt: Length of a tick [s].
        field_world: The magnetic flux density.
        dipole: The first component of a dipole in the table, in whose field the instrument is; -1 for the field above.
        fields: A field for each member instead, shape (3, n); without columns for those above.
        out: Where the samples are written, shape (STATE_OF_INSTRUMENT, n).

    Returns:
        The number of samples that are not finite.
    """
    bad, count = 0, ticks.shape[0]
    for member in range(count):
        if due[member] != 0:
            row = first + member
            before = _last_slot(sensors, row, slots, count)
            field = field_world
            if fields.shape[1] > 0:
                field = load_vector(fields, 0, member)
            elif dipole >= 0:
                field = dipole_field(
                    load_vector(bodies, POSITION, int(sensors[BODY, row])),
                    (
                        float(sensors[dipole, row]),
                        float(sensors[dipole + 1, row]),
                        float(sensors[dipole + 2, row]),
                        float(sensors[dipole + 3, row]),
                        float(sensors[dipole + 4, row]),
                        float(sensors[dipole + 5, row]),
                        float(sensors[dipole + 6, row]),
                    ),
                )
            tick = int(ticks[member])
            if not _three_axes(kind, bodies, sensors, row, before, tick, every, dt, field, out, member):
                due[member] = 2
                bad += 1
    return bad


@inlined
def _last_slot(sensors: Array, row: int, slots: int, count: int) -> int:
    """The row of the last sample of a member whose first row is given."""
    if slots == 1:
        return row
    return row + (int(sensors[SAMPLES, row]) + slots - 1) % slots * count


@inlined
def _three_axes(
    kind: int,
    bodies: Array,
    sensors: Array,
    row: int,
    before: int,
    tick: int,
    every: int,
    dt: float,
    field_world: Vector,
    out: Array,
    column: int,
) -> bool:
    body = int(sensors[BODY, row])
    if kind == GYRO:
        true = load_vector(bodies, ANGULAR_VELOCITY, body)
    elif kind == MAGNETOMETER:
        true = rotate_inverse(load_quaternion(bodies, ORIENTATION, body), 2.0, field_world)
    else:
        true = mean_specific_force(
            (load_vector(bodies, PREVIOUS + VELOCITY, body), load_vector(bodies, VELOCITY, body)),
            (load_quaternion(bodies, PREVIOUS + ORIENTATION, body), load_quaternion(bodies, ORIENTATION, body)),
            (load_vector(bodies, PREVIOUS + ANGULAR_VELOCITY, body), load_vector(bodies, ANGULAR_VELOCITY, body)),
            field_world,
            subtract(load_vector(sensors, AT_BODY, row), load_vector(bodies, CENTER_OF_MASS, body)),
            dt,
        )
    key = _key(sensors, row)
    first, second = white_noise(key, tick, 0), white_noise(key, tick, 1)
    third = white_noise(key, tick, 2)
    # the bias has walked since the last sample
    samples, bias = sensors[SAMPLES, row], load_vector(sensors, BIAS, row)
    seconds = (tick - sensors[TICK, before]) * dt if samples > 0.0 else 0.0
    step = sensors[BIAS_WALK, row] * sqrt(seconds)
    bias = add_scaled(bias, step, (second[1], third[0], third[1]))
    deviation = sensors[DEVIATION, row] / (1.0 if kind == MAGNETOMETER else sqrt(every * dt))
    noise = deviation * first[0], deviation * first[1], deviation * second[0]
    matrix = (
        sensors[MATRIX, row],
        sensors[MATRIX + 1, row],
        sensors[MATRIX + 2, row],
        sensors[MATRIX + 3, row],
        sensors[MATRIX + 4, row],
        sensors[MATRIX + 5, row],
        sensors[MATRIX + 6, row],
        sensors[MATRIX + 7, row],
        sensors[MATRIX + 8, row],
    )
    value, is_within = of_three_axes(true, matrix, bias, noise, sensors[LIMIT, row], sensors[QUANTUM, row])
    is_finite = _write_sample(sensors, row, before, tick, (value[0], value[1], value[2], 0.0), is_within, out, column)
    store_vector(out, BIAS - VALUE, column, bias)
    return is_finite


@kernel("sample-star-tracker")
def sample_star_tracker(packed: Packed[Taking]) -> int:
    """Sample a star tracker, and return whether the sample is finite."""
    taking = unpack(packed)
    row, sensors, tick = taking.row, taking.sensors, int(taking.control[TICKS])
    before = _last_slot(sensors, row, taking.slots, 1)
    return int(_star_tracker(taking.bodies, sensors, row, before, tick, taking.out, 0))


@kernel("sample-star-tracker-of-members")
def sample_star_tracker_of_members(
    bodies: Array, sensors: Array, first: int, slots: int, ticks: Integers, due: Integers, out: Array
) -> int:
    """The same for each member of a batch that is due; the arguments are those of `sample_three_axes_of_members`."""
    bad, count = 0, ticks.shape[0]
    for member in range(count):
        if due[member] != 0:
            row, tick = first + member, int(ticks[member])
            if not _star_tracker(bodies, sensors, row, _last_slot(sensors, row, slots, count), tick, out, member):
                due[member] = 2
                bad += 1
    return bad


@inlined
def _star_tracker(bodies: Array, sensors: Array, row: int, before: int, tick: int, out: Array, column: int) -> bool:
    body = int(sensors[BODY, row])
    q, rate = load_quaternion(bodies, ORIENTATION, body), load_vector(bodies, ANGULAR_VELOCITY, body)
    boresight = load_vector(sensors, BORESIGHT, row)
    key = _key(sensors, row)
    first, second = white_noise(key, tick, 0), white_noise(key, tick, 1)
    value = of_attitude(q, boresight, sensors[ACROSS, row], sensors[ALONG, row], (first[0], first[1], second[0]))
    is_valid = dot(rate, rate) <= sensors[MAX_RATE, row] * sensors[MAX_RATE, row]
    # bright things near the line of sight
    sight, position = rotate(q, 2.0, boresight), load_vector(bodies, POSITION, body)
    for number in range(EXCLUSION_COUNT):
        start = EXCLUSIONS + number * EXCLUSION_SIZE
        kind = sensors[start + EXCLUSION_KIND, row]
        towards = load_vector(sensors, start + EXCLUSION_TOWARDS, row)
        if kind == EXCLUSION_BALL:
            towards = subtract(load_vector(sensors, start + EXCLUSION_CENTER, row), position)
        if kind > 0.0 and is_near_disc(
            sight,
            towards,
            sensors[start + EXCLUSION_RADIUS, row],
            sensors[start + EXCLUSION_COSINE, row],
            sensors[start + EXCLUSION_SINE, row],
        ):
            is_valid = False
    return _write_sample(sensors, row, before, tick, value, is_valid, out, column)


@kernel("sample-sun-sensor")
def sample_sun_sensor(packed: Packed[Taking]) -> int:
    """Sample a sun sensor, and return whether the sample is finite."""
    taking = unpack(packed)
    row, sensors, tick = taking.row, taking.sensors, int(taking.control[TICKS])
    before = _last_slot(sensors, row, taking.slots, 1)
    return int(_sun_sensor(taking.bodies, sensors, row, before, tick, taking.out, 0))


@kernel("sample-sun-sensor-of-members")
def sample_sun_sensor_of_members(
    bodies: Array, sensors: Array, first: int, slots: int, ticks: Integers, due: Integers, out: Array
) -> int:
    """The same for each member of a batch that is due; the arguments are those of `sample_three_axes_of_members`."""
    bad, count = 0, ticks.shape[0]
    for member in range(count):
        if due[member] != 0:
            row, tick = first + member, int(ticks[member])
            if not _sun_sensor(bodies, sensors, row, _last_slot(sensors, row, slots, count), tick, out, member):
                due[member] = 2
                bad += 1
    return bad


@inlined
def _sun_sensor(bodies: Array, sensors: Array, row: int, before: int, tick: int, out: Array, column: int) -> bool:
    body = int(sensors[BODY, row])
    towards_world = load_vector(sensors, SUN_DIRECTION, row)
    towards = rotate_inverse(load_quaternion(bodies, ORIENTATION, body), 2.0, towards_world)
    key = _key(sensors, row)
    first, second = white_noise(key, tick, 0), white_noise(key, tick, 1)
    x, y, z = of_direction(towards, sensors[SUN_NOISE, row], (first[0], first[1], second[0]))
    is_valid = dot(towards, load_vector(sensors, BORESIGHT, row)) >= sensors[SUN_COSINE, row]
    radius = sensors[SUN_SHADOW_RADIUS, row]
    center = load_vector(sensors, SUN_SHADOW_CENTER, row)
    if radius > 0.0 and is_in_shadow(load_vector(bodies, POSITION, body), center, radius, towards_world):
        is_valid = False
    return _write_sample(sensors, row, before, tick, (x, y, z, 0.0), is_valid, out, column)


@kernel("gravity-over-the-last-tick")
def gravity_at_middle(
    bodies: Array, body: int, uniform: Array, uniform_count: int, points: Array, point_count: int, dt: float, out: Array
) -> None:
    """Write the gravitational acceleration on a body at the middle of the last tick [m/s²], world frame.

    Args:
        bodies: The array of the world's bodies.
        body: Column of the body.
        uniform: The table of uniform gravities.
        uniform_count: Its number of rows.
        points: The table of point gravities.
        point_count: Its number of rows.
        dt: Length of a tick [s].
        out: Where the acceleration is written, shape (3, 1).
    """
    position = middle_of(
        load_vector(bodies, POSITION, body),
        (load_vector(bodies, PREVIOUS + VELOCITY, body), load_vector(bodies, VELOCITY, body)),
        dt,
    )
    total = (0.0, 0.0, 0.0)
    for row in range(uniform_count):
        if _acts(uniform, row, body):
            total = add(total, load_vector(uniform, 2, row))
    for row in range(point_count):
        if _acts(points, row, body):
            total = add(total, _attraction(points, row, position))
    store_vector(out, 0, 0, total)


@kernel("gravity-over-the-last-tick-of-members")
def gravity_of_members(
    bodies: Array,
    first: int,
    uniform: Array,
    uniform_rows: Integers,
    points: Array,
    point_rows: Integers,
    dt: float,
    out: Array,
) -> None:
    """The same for the bodies of all members of a batch, which are next to each other.

    Args:
        bodies: The array of the bodies of all members.
        first: Column of the body of the first member.
        uniform: The table of uniform gravities.
        uniform_rows: The rows that act on the first member, and by how much they go on from member to member, shape (2, k).
        points: The table of point gravities.
        point_rows: The same of this table.
        dt: Length of a tick [s].
        out: Where the accelerations are written, shape (3, n).
    """
    for member in range(out.shape[1]):
        body = first + member
        position = middle_of(
            load_vector(bodies, POSITION, body),
            (load_vector(bodies, PREVIOUS + VELOCITY, body), load_vector(bodies, VELOCITY, body)),
            dt,
        )
        total = (0.0, 0.0, 0.0)
        for place in range(uniform_rows.shape[1]):
            row = int(uniform_rows[0, place] + uniform_rows[1, place] * member)
            if uniform[ENABLED, row] > 0.0:
                total = add(total, load_vector(uniform, 2, row))
        for place in range(point_rows.shape[1]):
            row = int(point_rows[0, place] + point_rows[1, place] * member)
            if points[ENABLED, row] > 0.0:
                total = add(total, _attraction(points, row, position))
        store_vector(out, 0, member, total)


@inlined
def _acts(forces: Array, row: int, body: int) -> bool:
    return forces[ENABLED, row] > 0.0 and (forces[BODY, row] < 0.0 or forces[BODY, row] == body)


@inlined
def _attraction(points: Array, row: int, position: Vector) -> Vector:
    """Acceleration at a position by one row of the table of point gravities."""
    parameters = (
        points[2, row],
        points[3, row],
        points[4, row],
        points[5, row],
        points[6, row],
        points[7, row],
        points[8, row],
        points[9, row],
    )
    nothing, no_tensor = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    of_unit_mass = BodyAtStage(position, (0.0, 0.0, 0.0, 1.0), nothing, nothing, 1.0, no_tensor, nothing)
    return point_gravity(of_unit_mass, 0.0, parameters)[0]


@inlined
def _key(sensors: Array, row: int) -> NoiseKey:
    return NoiseKey(int(sensors[KEY, row]), int(sensors[KEY + 1, row]), int(sensors[KEY + 2, row]))


@inlined
def _write_sample(
    sensors: Array, row: int, before: int, tick: int, value: Quaternion, is_valid: bool, out: Array, column: int
) -> bool:
    """Write a sample and count it; a stuck sensor repeats its last sample, and a dead one gives zeros.

    Returns:
        Whether what was measured is finite.
    """
    fault = sensors[FAULT, row]
    for place in range(4):
        last = sensors[VALUE + place, before]
        out[place, column] = value[place] if fault == WORKS else (last if fault == STUCK else 0.0)
    valid = 1.0 if is_valid else 0.0
    out[VALID - VALUE, column] = valid if fault == WORKS else (sensors[VALID, before] if fault == STUCK else 0.0)
    out[TICK - VALUE, column] = tick
    out[SAMPLES - VALUE, column] = sensors[SAMPLES, row] + 1.0
    total = 0.0 * value[0] + 0.0 * value[1] + 0.0 * value[2] + 0.0 * value[3]
    return total == 0.0
