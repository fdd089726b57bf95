"""Gyros, accelerometers and magnetometers: sensors with three axes, each with scale, misalignment, bias, noise, limit and steps."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import SMALL_ENOUGH, FloatArray, depth, read_only, real, refuse, vector
from ..forces.gravity import UNIFORM_GRAVITIES, PointGravity
from ..forces.magnetic_dipole import MagneticDipole, dipole_field
from ..kernels.rotations import from_rotation_vector, to_matrix
from ..kernels.small_matrices import transposed
from ..loops.layout import POSITION
from ..store.host import Host
from ..store.rows import BodyHandle, Given, Parameter, Quantity, checked, fixed, require_body
from ..store.schema import ANY, NOT_NEGATIVE, POINT, Field, Kind, Schema
from ..store.table import IntArray
from .instruments import (
    ACCELEROMETER,
    BODY,
    GYRO,
    MAGNETOMETER,
    STATE_OF_INSTRUMENT,
    gravity_at_middle,
    gravity_of_members,
    sample_three_axes,
    sample_three_axes_of_members,
)
from .magnetic_field import flux_density_of
from .sensor import Maximum, Sensor, limit_of, sensor_schema

_NO_GRAVITY = np.zeros((1, 1))


class GyroReading(NamedTuple):
    """A reading of a `Gyro`, with the measured angular velocity, its validity and its time.

    Example:
        >>> from engine import MassProperties, World, flight
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5), angular_velocity_body=(0.0, 0.0, 0.25))
        >>> sensor = world.add_part(flight.Gyro(ship, seed=1))
        >>> sensor.read().is_valid
        False
        >>> world.step(2)
        >>> reading = sensor.read()
        >>> reading.angular_velocity_body.tolist(), reading.is_valid, reading.time
        ([0.0, 0.0, 0.25], True, 0.5)
    """

    angular_velocity_body: FloatArray
    """Measured angular velocity [rad/s], body frame, shape (3,)."""
    is_valid: bool
    """Whether the reading is valid; False before the first one, of a dead sensor, and at the limit of the sensor."""
    time: float
    """Time of the sample [s]; NaN before the first one."""


class AccelerometerReading(NamedTuple):
    """A reading of an `Accelerometer`, with the measured specific force, its validity and its time.

    Example:
        >>> from engine import MassProperties, World, flight
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5))
        >>> sensor = world.add_part(flight.Accelerometer(ship, seed=1))
        >>> sensor.read().is_valid
        False
        >>> world.step(2)
        >>> reading = sensor.read()
        >>> reading.specific_force_body.tolist(), reading.is_valid, reading.time
        ([0.0, 0.0, 0.0], True, 0.5)
    """

    specific_force_body: FloatArray
    """Measured specific force [m/s²], the mean over the last tick, body frame, shape (3,)."""
    is_valid: bool
    """Whether the reading is valid; False before the first one, of a dead sensor, and at the limit of the sensor."""
    time: float
    """Time at the end of that tick [s]; nan before the first one."""


class MagnetometerReading(NamedTuple):
    """A reading of a `Magnetometer`, with the measured flux density, its validity and its time.

    Example:
        >>> from engine import MassProperties, World, flight
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5))
        >>> sensor = world.add_part(flight.Magnetometer(ship, field=(3e-5, 0.0, 0.0), seed=1))
        >>> sensor.read().is_valid
        False
        >>> world.step(2)
        >>> reading = sensor.read()
        >>> reading.field_body.tolist(), reading.is_valid, reading.time
        ([3e-05, 0.0, 0.0], True, 0.5)
    """

    field_body: FloatArray
    """Measured magnetic flux density [T], body frame, shape (3,)."""
    is_valid: bool
    """Whether the reading is valid; False before the first one, of a dead sensor, and at the limit of the sensor."""
    time: float
    """Time of the sample [s]; NaN before the first one."""


def _instrument(name: str, unit: str, limit: str, *own: Field) -> Schema:
    return sensor_schema(
        name,
        Field("bias_body", Kind.STATE, 3, unit, "body", digest=6, rule=ANY, meaning="bias now"),
        Field("matrix", Kind.MODEL, 9, digest=7, meaning="scale and axes, row by row"),
        Field("noise", Kind.MODEL, digest=8, rule=NOT_NEGATIVE, meaning="density or standard deviation of the noise"),
        Field("bias_walk", Kind.MODEL, 1, f"{unit}/√s", digest=9, rule=NOT_NEGATIVE),
        Field("quantum", Kind.MODEL, 1, unit, digest=10, rule=NOT_NEGATIVE),
        Field(limit, Kind.MODEL, 1, unit, digest=11, rest=inf),
        *own,
    )


class _Instrument(Sensor):
    """The base of the sensors with three axes."""

    __slots__ = ("_misalignment", "_scale_error")

    _kernel, _state_size = sample_three_axes, STATE_OF_INSTRUMENT

    def __init__(
        self,
        body: BodyHandle,
        owner: str,
        noise: tuple[str, float],
        limit: tuple[str, float | None],
        given: Mapping[str, object],
        scale_error: npt.ArrayLike,
        misalignment: npt.ArrayLike,
        seed: int | None,
        every: int,
        delay: int,
        name: str | None,
    ) -> None:
        """Make an instrument; `noise` and `limit` are the names of arguments and what was given for them, `given` is by field."""
        schema = self._schema
        values = {field: checked(schema, field, value, owner) for field, value in given.items()}
        values["noise"] = checked(schema, "noise", noise[1], owner, argument=noise[0])
        values[limit[0]] = np.array([[limit_of(limit[1], limit[0], owner)]])
        if depth(scale_error):
            scales = vector(scale_error, "scale_error", owner)
        else:
            scales = np.full(3, real(scale_error, "scale_error", owner))
        turn = vector(misalignment, "misalignment", owner)
        rows = transposed(to_matrix(from_rotation_vector(tuple(turn.tolist()))))
        values["matrix"] = (np.repeat(1.0 + scales, 3) * np.array(rows))[:, np.newaxis]
        if not np.isfinite(values["matrix"]).all():
            refuse(owner, "scale_error and misalignment", (scale_error, misalignment), SMALL_ENOUGH)
        self._scale_error, self._misalignment = read_only(scales), read_only(turn)
        super().__init__(body, values, owner, seed, every, delay, name)

    bias_body = Parameter[FloatArray](
        "Present bias, in the unit of the sensor, body frame, shape (3,); a random walk that starts at the given value."
    )
    bias_walk = Parameter[float]("Density of the random walk of the bias [unit of the sensor/√s], at least 0.")
    quantum = Parameter[float]("Step of the reading, in the unit of the sensor; 0 for none.")

    scale_error = Given[FloatArray]("Relative scale error of each axis [-], shape (3,).")

    misalignment = Given[FloatArray](
        "Rotation vector [rad] by which the axes of the sensor are turned from those of the body, body frame, shape (3,)."
    )

    def _recorded(self) -> tuple[Quantity, ...]:
        return *super()._recorded(), Quantity("bias_body", self._measured.unit, "body", (3,))

    def _measure_members(
        self, world: Host, array: FloatArray, first: int, slots: int, ticks: IntArray, due: IntArray, out: FloatArray
    ) -> None:
        field, dipole = self._field_of_members()
        fields = self._fields_of_members(world, array, first, len(ticks))
        bodies, number, dt = world._bodies.array, self._number, world._dt
        sample_three_axes_of_members(
            number, bodies, array, first, slots, ticks, due, self._every, dt, field, dipole, fields, out
        )

    def _field_of_members(self) -> tuple[tuple[float, float, float], int]:
        """The field of all members, and the first component of a dipole in the table, or -1."""
        return (0.0, 0.0, 0.0), -1

    def _fields_of_members(self, world: Host, array: FloatArray, first: int, count: int) -> FloatArray:
        """A field of each member, or no column if the others are to be taken."""
        return np.zeros((3, 0))


class Gyro(_Instrument):
    """A gyro with three axes, which measures the angular velocity at the instant of the sample.

    The reading is ``(1 + s) Mᵀ ω + b + n``, limited to ±`max_rate` and then rounded to a multiple of `quantum`, where s are the scale
    errors, M is the misalignment, b is the bias and n is white noise. The standard deviation of the noise is the density over the square
    root of the sample interval, so that the angle integrated from the readings has the error ``noise_density · √t``, the angle random walk.
    The bias is a random walk, whose increment between two samples has the variance ``bias_walk² · (time between them)``. White noise and
    increments are functions of seed, name, tick and axis. A tick that is undone or run again therefore gives the same reading, and adding
    other sensors changes nothing. The gyro does not average over the sample interval, so oscillations faster than half the sample frequency
    are aliased.

    The gyro is sampled at the start of every tick whose number is a multiple of `every`, before the functions of `World.on_tick`. Between
    two samples, `read` returns the same reading. A reading beyond `max_rate` is limited and not valid.

    Args:
        body: The body that carries it.
        noise_density: Density of the white noise [rad/√s], at least 0. 1 °/√h is 2.9e-4 rad/√s.
        bias_body: Initial bias [rad/s], body frame, shape (3,).
        bias_walk: Density of the random walk of the bias [rad/s/√s], at least 0.
        scale_error: Relative scale error [-], one number or one per axis, shape () or (3,).
        misalignment: Rotation vector [rad] from the axes of the body to those of the sensor, body frame, shape (3,).
        quantum: Step of the reading [rad/s], at least 0; 0 for none.
        max_rate: Maximum rate about each axis [rad/s], above 0; None for no limit.
        seed: Any integer. It must be given, because seed and name determine the noise.
        every: Interval between two samples [ticks], at least 1.
        delay: Delay of the reading [samples], at least 0.
        name: Name of the sensor, which no other sensor with the same seed may have. None derives it from the name of the body.

    Raises:
        TypeError: If an argument has the wrong type, or `seed` is not given.
        ValueError: If an argument is not finite or out of its range.

    Example:
        >>> from engine import MassProperties, World, flight
        >>> world = World(dt=0.01)
        >>> ship = world.add_body(MassProperties.box(500.0, (2.0, 2.0, 3.0)), angular_velocity_body=(0.0, 0.0, 0.1))
        >>> gyro = world.add_part(flight.Gyro(ship, noise_density=1e-5, bias_body=(0.0, 0.0, 2e-3), seed=1))
        >>> world.step()
        >>> gyro.read().angular_velocity_body.round(3).tolist()
        [0.0, 0.0, 0.102]
    """

    __slots__ = ()

    _schema = _instrument("gyros", "rad/s", "max_rate")
    _kind, _number = "gyro", GYRO
    _measured = Quantity("angular_velocity_body", "rad/s", "body", (3,))

    def __init__(
        self,
        body: BodyHandle,
        *,
        noise_density: float = 0.0,
        bias_body: npt.ArrayLike = (0, 0, 0),
        bias_walk: float = 0.0,
        scale_error: npt.ArrayLike = 0.0,
        misalignment: npt.ArrayLike = (0, 0, 0),
        quantum: float = 0.0,
        max_rate: float | None = None,
        seed: int | None = None,
        every: int = 1,
        delay: int = 0,
        name: str | None = None,
    ) -> None:
        owner = f"Gyro of {require_body(body, 'body', 'Gyro')}"
        given = {"bias_body": bias_body, "bias_walk": bias_walk, "quantum": quantum}
        noise, limit = ("noise_density", noise_density), ("max_rate", max_rate)
        super().__init__(body, owner, noise, limit, given, scale_error, misalignment, seed, every, delay, name)

    noise_density = Parameter[float]("Density of the white noise [rad/√s], at least 0.", "noise")
    max_rate = Maximum("Maximum rate about each axis [rad/s], above 0; None for no limit.")

    def read(self) -> GyroReading:
        """Return the last reading.

        Returns:
            Angular velocity [rad/s], body frame, shape (3,), whether it is valid, and the time of the sample [s].
        """
        return GyroReading(*self._read(3))


class Accelerometer(_Instrument):
    """An accelerometer with three axes, which measures the mean specific force at a point of the body over the last tick.

    Specific force is acceleration without gravity: 0 in free fall, F/m under the force F, 9.81 m/s² upwards on the ground. At the point r
    from the mass centre it is ``Rᵀ(a − g) + ω̇ × r + ω × (ω × r)``. When sensors are sampled, the forces of the starting tick are not yet
    known. The specific force is therefore computed from the change of the velocities over the last tick, divided by dt, with g and the
    attitude at the middle of that tick; the error is of second order in dt. Pushes and impulses count. A velocity that is assigned between
    two ticks counts as an impulse too. Before the first tick, the reading is that of a body whose velocity is constant. After a coast, it
    is that of the last tick of the coast. Gravity is that of every `UniformGravity` and `PointGravity` of the world. A gravity of your own
    is measured like every other force.

    Noise, bias, scale, misalignment, sampling and delay are those of `Gyro`.

    Args:
        body: The body that carries it.
        at_body: Position of the accelerometer [m], body frame, from the origin of the body, shape (3,). None takes the current mass centre.
        noise_density: Density of the white noise [m/s/√s], at least 0.
        bias_body: Initial bias [m/s²], body frame, shape (3,).
        bias_walk: Density of the random walk of the bias [m/s²/√s], at least 0.
        scale_error: Relative scale error [-], one number or one per axis, shape () or (3,).
        misalignment: Rotation vector [rad] from the axes of the body to those of the sensor, body frame, shape (3,).
        quantum: Step of the reading [m/s²], at least 0; 0 for none.
        max_acceleration: Maximum specific force along each axis [m/s²], above 0; None for no limit.
        seed: Any integer. It must be given, because seed and name determine the noise.
        every: Interval between two samples [ticks], at least 1.
        delay: Delay of the reading [samples], at least 0.
        name: Name of the sensor, which no other sensor with the same seed may have. None derives it from the name of the body.

    Raises:
        TypeError: If an argument has the wrong type, or `seed` is not given.
        ValueError: If an argument is not finite or out of its range.

    Example:
        >>> from engine import MassProperties, World, flight, forces
        >>> world = World(dt=0.01)
        >>> ship = world.add_body(MassProperties.box(500.0, (2.0, 2.0, 3.0)))
        >>> accelerometer = world.add_part(flight.Accelerometer(ship, seed=1))
        >>> _ = world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
        >>> _ = world.add_force(forces.ConstantForce(ship, force_body=(100.0, 0.0, 0.0)))
        >>> world.step(2)
        >>> (accelerometer.read().specific_force_body.round(9) + 0.0).tolist()
        [0.2, 0.0, 0.0]
    """

    __slots__ = ()

    _schema = _instrument(
        "accelerometers", "m/s²", "max_acceleration", Field("at_body", Kind.MODEL, 3, "m", "body", digest=12, rule=ANY)
    )
    _kind, _number = "accelerometer", ACCELEROMETER
    _measured = Quantity("specific_force_body", "m/s²", "body", (3,))

    def __init__(
        self,
        body: BodyHandle,
        *,
        at_body: npt.ArrayLike | None = None,
        noise_density: float = 0.0,
        bias_body: npt.ArrayLike = (0, 0, 0),
        bias_walk: float = 0.0,
        scale_error: npt.ArrayLike = 0.0,
        misalignment: npt.ArrayLike = (0, 0, 0),
        quantum: float = 0.0,
        max_acceleration: float | None = None,
        seed: int | None = None,
        every: int = 1,
        delay: int = 0,
        name: str | None = None,
    ) -> None:
        owner = f"Accelerometer of {require_body(body, 'body', 'Accelerometer')}"
        point = body.center_of_mass_body if at_body is None else at_body
        given = {"bias_body": bias_body, "bias_walk": bias_walk, "quantum": quantum, "at_body": point}
        noise, limit = ("noise_density", noise_density), ("max_acceleration", max_acceleration)
        super().__init__(body, owner, noise, limit, given, scale_error, misalignment, seed, every, delay, name)

    at_body = Parameter[FloatArray](
        "Position of the accelerometer [m], body frame, from the origin of the body, shape (3,)."
    )

    noise_density = Parameter[float]("Density of the white noise [m/s/√s], at least 0.", "noise")
    max_acceleration = Maximum("Maximum specific force along each axis [m/s²], above 0; None for no limit.")

    def _joined(self, world: Host) -> None:
        super()._joined(world)
        world._bodies.version += 1  # the next image contains the previous velocities

    def read(self) -> AccelerometerReading:
        """Return the last reading.

        Returns:
            Specific force [m/s²], body frame, shape (3,), whether it is valid, and the time of the sample [s].
        """
        return AccelerometerReading(*self._read(3))

    def _look(self, world: Host, array: FloatArray, row: int, field_world: FloatArray) -> None:
        tables, bodies, body = world._store.tables, world._bodies, int(array[BODY, row])
        # if this tick fails, its next attempt measures the same last tick
        bodies.keep_previous(body)
        uniform, points = tables.get(UNIFORM_GRAVITIES.name), tables.get(PointGravity._schema.name)
        all_uniform, uniform_count = (_NO_GRAVITY, 0) if uniform is None else (uniform.array, uniform.count)
        all_points, point_count = (_NO_GRAVITY, 0) if points is None else (points.array, points.count)
        array, dt = bodies.array, world._dt
        gravity_at_middle(array, body, all_uniform, uniform_count, all_points, point_count, dt, field_world)

    def _fields_of_members(self, world: Host, array: FloatArray, first: int, count: int) -> FloatArray:
        bodies, body, gravity = world._bodies, int(array[BODY, first]), np.empty((3, count))
        bodies.keep_previous(slice(body, body + count))  # see `_look`
        uniform, points = (
            _gravities_on(world, name, body) for name in (UNIFORM_GRAVITIES.name, PointGravity._schema.name)
        )
        gravity_of_members(bodies.array, body, *uniform, *points, world._dt, gravity)
        return gravity


def _gravities_on(world: Host, name: str, body: int) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """A table of gravities, and which of its rows act on a body of the first member, with the step from member to member."""
    table = world._store.tables.get(name)
    if table is None:
        return _NO_GRAVITY, np.zeros((2, 0), np.int64)
    named = table.array[0, : table.count]
    rows = np.flatnonzero((named < 0.0) | (named == body))
    return table.array, np.stack([rows, (named[rows] >= 0.0).astype(np.int64)])


class Magnetometer(_Instrument):
    """A magnetometer with three axes, which measures the magnetic flux density at the mass centre, in the body frame.

    Bias, scale, misalignment, sampling and delay are those of `Gyro`. The standard deviation of the noise is that of one sample,
    independent of the sample interval. Fields of magnetorquers and of the body itself are not modelled.

    Args:
        body: The body that carries it.
        field: The flux density [T], world frame, shape (3,); or a `MagneticDipole`, whose constants are copied and whose centre
            `World.shift_origin` then moves; or another object whose `at(position, time)`, or `at(position)`, returns the flux density.
        noise: Standard deviation of the noise of one sample [T], at least 0.
        bias_body: Initial bias [T], body frame, shape (3,).
        bias_walk: Density of the random walk of the bias [T/√s], at least 0.
        scale_error: Relative scale error [-], one number or one per axis, shape () or (3,).
        misalignment: Rotation vector [rad] from the axes of the body to those of the sensor, body frame, shape (3,).
        quantum: Step of the reading [T], at least 0; 0 for none.
        max_field: Maximum flux density along each axis [T], above 0; None for no limit.
        seed: Any integer. It must be given, because seed and name determine the noise.
        every: Interval between two samples [ticks], at least 1.
        delay: Delay of the reading [samples], at least 0.
        name: Name of the sensor, which no other sensor with the same seed may have. None derives it from the name of the body.

    Raises:
        TypeError: If an argument has the wrong type, or `seed` is not given.
        ValueError: If an argument is not finite or out of its range.

    Example:
        >>> from engine import MassProperties, World, flight
        >>> world = World(dt=0.1)
        >>> ship = world.add_body(MassProperties.box(4.0, (0.1, 0.1, 0.3)), orientation=(0.0, 0.0, 0.5**0.5, 0.5**0.5))
        >>> magnetometer = world.add_part(flight.Magnetometer(ship, field=(3e-5, 0.0, 0.0), quantum=1e-8, seed=1))
        >>> world.step()
        >>> (magnetometer.read().field_body * 1e6).round(3).tolist()  # [μT]
        [0.0, -30.0, 0.0]
    """

    __slots__ = ("_field",)

    _schema = _instrument(
        "magnetometers",
        "T",
        "max_field",
        Field("strength", Kind.MODEL, 1, "T·m³", digest=12, meaning="of a dipole; 0 if the field is another"),
        Field("axis_world", Kind.MODEL, 3, "-", "world", digest=13),
        Field("center", Kind.MODEL, 3, "m", "world", digest=14, world_axes=POINT),
    )
    _kind, _number = "magnetometer", MAGNETOMETER
    _measured = Quantity("field_body", "T", "body", (3,))

    def __init__(
        self,
        body: BodyHandle,
        *,
        field: object,
        noise: float = 0.0,
        bias_body: npt.ArrayLike = (0, 0, 0),
        bias_walk: float = 0.0,
        scale_error: npt.ArrayLike = 0.0,
        misalignment: npt.ArrayLike = (0, 0, 0),
        quantum: float = 0.0,
        max_field: float | None = None,
        seed: int | None = None,
        every: int = 1,
        delay: int = 0,
        name: str | None = None,
    ) -> None:
        owner = f"Magnetometer of {require_body(body, 'body', 'Magnetometer')}"
        dipole = {}
        self._field = field
        if isinstance(field, MagneticDipole):
            dipole = {"strength": [field.strength], "axis_world": field.axis_world, "center": field.center}
            self._field = None
        elif not callable(getattr(field, "at", None)):
            self._field = tuple(vector(field, "field", owner).tolist())
        else:
            flux_density_of(field, owner)
        given = {"bias_body": bias_body, "bias_walk": bias_walk, "quantum": quantum}
        named, limit = ("noise", noise), ("max_field", max_field)
        super().__init__(body, owner, named, limit, given, scale_error, misalignment, seed, every, delay, name)
        for part, value in dipole.items():
            self._table.write(self._schema.components[part], self._slice(), np.array(value)[:, np.newaxis])

    noise = Parameter[float]("Standard deviation of the noise of one sample [T], at least 0.")

    @fixed
    def field(self) -> object:
        """The flux density [T], world frame, shape (3,), or the object that computes it."""
        if self._field is None:
            (strength,), axis, center = (self._numbers(name) for name in ("strength", "axis_world", "center"))
            return MagneticDipole(strength, axis, center)
        return self._field

    max_field = Maximum("Maximum flux density along each axis [T], above 0; None for no limit.")

    def read(self) -> MagnetometerReading:
        """Return the last reading.

        Returns:
            Flux density [T], body frame, shape (3,), whether it is valid, and the time of the sample [s].
        """
        return MagnetometerReading(*self._read(3))

    @property
    def _has_form_for_members(self) -> bool:
        return super()._has_form_for_members and (self._field is None or isinstance(self._field, tuple))

    def _field_of_members(self) -> tuple[tuple[float, float, float], int]:
        if isinstance(self._field, tuple):
            return self._field, -1
        return (0.0, 0.0, 0.0), _DIPOLE.start

    def _look(self, world: Host, array: FloatArray, row: int, field_world: FloatArray) -> None:
        field = self._field
        if not isinstance(field, tuple):
            position = world._bodies.array[POSITION : POSITION + 3, int(array[BODY, row])]
            if field is None:
                field = dipole_field(tuple(position.tolist()), tuple(array[_DIPOLE, row].tolist()))
            else:
                field = flux_density_of(field, self)(position.copy(), world.time)
        field_world[:, 0] = field


_DIPOLE = slice(Magnetometer._schema.row("strength"), Magnetometer._schema.row("center") + 3)
"""The constants of `dipole_field`."""
