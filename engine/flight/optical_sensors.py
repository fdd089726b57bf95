"""Star trackers and sun sensors, and what blinds them."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Callable, Iterable, Sequence
from math import acos, inf, pi
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, members, real, refuse, unit_direction, vector
from ..kernels.trigonometry import sine_cosine
from ..store.host import Host
from ..store.rows import BodyHandle, Parameter, Quantity, checked, fixed, require_body
from ..store.schema import ANY, DIRECTION, NOT_NEGATIVE, POINT, POSITIVE, Field, Kind, Stored, up_to
from ..store.table import IntArray
from .instruments import (
    EXCLUSION_BALL,
    EXCLUSION_COUNT,
    EXCLUSION_FAR,
    STATE_OF_OPTICS,
    sample_star_tracker,
    sample_star_tracker_of_members,
    sample_sun_sensor,
    sample_sun_sensor_of_members,
)
from .sensor import Maximum, Sensor, limit_of, sensor_schema


class StarTrackerReading(NamedTuple):
    """A reading of a `StarTracker`, with the measured orientation, its validity and its time.

    Example:
        >>> from engine import MassProperties, World, flight
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5))
        >>> sensor = world.add_part(flight.StarTracker(ship, (0.0, 0.0, 1.0), seed=1))
        >>> sensor.read().is_valid
        False
        >>> world.step(2)
        >>> reading = sensor.read()
        >>> reading.orientation.round(9).tolist(), reading.is_valid, reading.time
        ([0.0, 0.0, 0.0, 1.0], True, 0.5)
    """

    orientation: FloatArray
    """Measured orientation, scalar-last (x, y, z, w), body to world, shape (4,); zeros before the first reading and of a dead sensor."""
    is_valid: bool
    """Whether it is valid; False before the first reading, of a dead sensor, if the body rotates too fast, and if it is blinded."""
    time: float
    """Time of the sample [s]; NaN before the first one."""


class SunSensorReading(NamedTuple):
    """A reading of a `SunSensor`, with the measured direction to the sun, its validity and its time.

    Example:
        >>> from engine import MassProperties, World, flight
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5))
        >>> sensor = world.add_part(flight.SunSensor(ship, (0, 0, 1), field_of_view=1.0, sun_direction_world=(0, 0, 1), seed=1))
        >>> sensor.read().is_valid
        False
        >>> world.step(2)
        >>> reading = sensor.read()
        >>> reading.direction_body.round(9).tolist(), reading.is_valid, reading.time
        ([0.0, 0.0, 1.0], True, 0.5)
    """

    direction_body: FloatArray
    """Measured direction to the sun, body frame, a unit vector, shape (3,); zeros before the first reading and of a dead sensor."""
    is_valid: bool
    """Whether the reading is valid; False before the first one, of a dead sensor, and if the sun is out of view or hidden by the shadow."""
    time: float
    """Time of the sample [s]; NaN before the first one."""


class Exclusion(NamedTuple):
    """A bright object near which a star tracker is blind; made by `Exclusion.far` and `Exclusion.ball`.

    Example:
        >>> earth = Exclusion.ball(center=(0.0, 0.0, 0.0), radius=6.378e6, angle=0.4)
        >>> earth.angle, earth.radius, earth.direction_world
        (0.4, 6378000.0, None)
    """

    angle: float
    """Angle [rad], from 0 to π/2, between the boresight and the direction of a distant object, or the edge of a sphere."""
    direction_world: tuple[float, float, float] | None
    """Direction to a distant object, world frame, a unit vector, shape (3,); None for a sphere."""
    center: tuple[float, float, float] | None
    """Centre of a sphere [m], world frame, shape (3,); None for a distant object."""
    radius: float
    """Radius of a sphere [m]; 0 for a distant object."""

    @classmethod
    def far(cls, direction_world: npt.ArrayLike, angle: float) -> Exclusion:
        """Make an exclusion for a distant object, such as the sun.

        Args:
            direction_world: Direction to the object, world frame, of any non-zero length, shape (3,).
            angle: Angle from the boresight within which the object blinds the tracker [rad], from 0 to π/2.

        Returns:
            The exclusion, for the argument `exclusion` of `StarTracker`.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If `direction_world` is zero or not finite, or `angle` is out of its range.

        Example:
            >>> Exclusion.far((2.0, 0.0, 0.0), 0.5).direction_world
            (1.0, 0.0, 0.0)
        """
        owner = "Exclusion.far"
        x, y, z = unit_direction(direction_world, "direction_world", owner).tolist()
        return cls(_angle(angle, owner), (x, y, z), None, 0.0)

    @classmethod
    def ball(cls, center: npt.ArrayLike, radius: float, angle: float) -> Exclusion:
        """Make an exclusion for a sphere, such as a planet.

        Args:
            center: Centre of the sphere [m], world frame, shape (3,).
            radius: Radius of the sphere [m], above 0.
            angle: Angle between the boresight and the edge within which the sphere blinds the tracker [rad], from 0 to π/2.

        Returns:
            The exclusion, for the argument `exclusion` of `StarTracker`.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If an argument is not finite, `radius` is not positive, or `angle` is out of its range.

        Example:
            >>> Exclusion.ball((0.0, 0.0, 0.0), 6.378e6, 0.4).radius
            6378000.0
        """
        owner = "Exclusion.ball"
        x, y, z = vector(center, "center", owner).tolist()
        return cls(_angle(angle, owner), None, (x, y, z), real(radius, "radius", owner, above=0.0))


def _angle(value: object, owner: object, argument: str = "angle", largest: float = 0.5 * pi) -> float:
    angle = real(value, argument, owner)
    if not 0.0 <= angle <= largest:
        refuse(owner, argument, value, f"an angle from 0 to {largest:g} rad")
    return angle


def _exclusion_fields() -> Iterable[Field]:
    for number in range(EXCLUSION_COUNT):
        place = 10 + 10 * number  # in the hash, with room for further fields of each
        yield Field(
            f"excludes_{number}",
            Kind.MODEL,
            digest=place,
            stored=up_to(2.0),
            meaning="0 none, 1 a direction, 2 a sphere",
        )
        yield Field(f"direction_{number}", Kind.MODEL, 3, "-", "world", digest=place + 1)
        yield Field(f"center_{number}", Kind.MODEL, 3, "m", "world", digest=place + 2, world_axes=POINT)
        yield Field(f"radius_{number}", Kind.MODEL, 1, "m", digest=place + 3)
        yield Field(f"cosine_{number}", Kind.MODEL, digest=place + 4)
        yield Field(f"sine_{number}", Kind.MODEL, digest=place + 5)
        yield Field(f"angle_{number}", Kind.MODEL, 1, "rad", digest=place + 6, stored=Stored(0.0, 0.5 * pi))


class _Optical(Sensor):
    """The base of the sensors that look for directions, each with its kernel for one body and for the members of a batch."""

    __slots__ = ()

    _state_size = STATE_OF_OPTICS
    _of_members: ClassVar[Callable[..., int]]

    def _measure_members(
        self, world: Host, array: FloatArray, first: int, slots: int, ticks: IntArray, due: IntArray, out: FloatArray
    ) -> None:
        type(self)._of_members(world._bodies.array, array, first, slots, ticks, due, out)


class StarTracker(_Optical):
    """A star tracker, which measures the orientation of the body.

    The reading is the true orientation turned by a small random rotation in the body frame: one angle about the boresight, with the
    standard deviation `along`, and one about each of two axes across it, with the standard deviation `across`. A picture of the stars shows
    the direction of the boresight better than the roll about it, typically by a factor of five to ten. As for `Gyro`, the noise depends
    only on seed, name and tick.

    The reading is not valid if the body rotates faster than `max_rate`, or if the boresight is too near to a bright object.

    Args:
        body: The body that carries it.
        boresight_body: Direction of the line of sight, body frame, of any non-zero length, shape (3,).
        noise: Standard deviations (across, along) [rad], each at least 0.
        max_rate: Maximum angular velocity at which the tracker works [rad/s], above 0; None for no limit.
        exclusion: Up to three bright objects, each from `Exclusion.far` or `Exclusion.ball`.
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
        >>> ship = world.add_body(MassProperties.box(500.0, (2.0, 2.0, 3.0)))
        >>> sun = flight.Exclusion.far((0.0, 0.0, 1.0), angle=0.6)
        >>> made = flight.StarTracker(ship, (0.0, 0.6, 0.8), noise=(2e-5, 1e-4), max_rate=0.02, exclusion=[sun], seed=1, every=5)
        >>> tracker = world.add_part(made)
        >>> world.step()
        >>> tracker.read().orientation.round(3).tolist(), tracker.read().is_valid
        ([0.0, -0.0, -0.0, 1.0], True)
    """

    __slots__ = ()

    _kind, _kernel, _of_members = "star tracker", sample_star_tracker, sample_star_tracker_of_members
    _measured = Quantity("orientation", "-", "body to world", (4,))
    _schema = sensor_schema(
        "star trackers",
        Field("boresight_body", Kind.MODEL, 3, "-", "body", digest=6, rule=DIRECTION, rest=(0.0, 0.0, 1.0)),
        Field("noise", Kind.MODEL, 2, "rad", digest=7, rule=NOT_NEGATIVE, meaning="across and along the boresight"),
        Field("max_rate", Kind.MODEL, 1, "rad/s", digest=8, rest=inf),
        *_exclusion_fields(),
    )

    def __init__(
        self,
        body: BodyHandle,
        boresight_body: npt.ArrayLike,
        *,
        noise: npt.ArrayLike = (0.0, 0.0),
        max_rate: float | None = None,
        exclusion: Sequence[Exclusion] = (),
        seed: int | None = None,
        every: int = 1,
        delay: int = 0,
        name: str | None = None,
    ) -> None:
        owner = f"StarTracker of {require_body(body, 'body', 'StarTracker')}"
        given = {"boresight_body": boresight_body, "noise": noise}
        values = {field: checked(self._schema, field, value, owner) for field, value in given.items()}
        values["max_rate"] = np.array([[limit_of(max_rate, "max_rate", owner)]])
        for number, one in enumerate(_exclusions(exclusion, owner)):
            values |= {field: np.array(part)[:, np.newaxis] for field, part in _exclusion_values(number, one).items()}
        super().__init__(body, values, owner, seed, every, delay, name)

    boresight_body = Parameter[FloatArray]("Direction of the line of sight, body frame, a unit vector, shape (3,).")
    noise = Parameter[FloatArray](
        "Standard deviations (across, along) the boresight [rad], each at least 0, shape (2,)."
    )

    max_rate = Maximum("Maximum angular velocity at which the tracker works [rad/s], above 0; None for no limit.")

    @property
    def exclusion(self) -> tuple[Exclusion, ...]:
        """Up to three bright objects that blind the tracker; assign them anew when the sun or a planet has moved."""
        found = []
        for number in range(EXCLUSION_COUNT):
            names = ("excludes", "direction", "center", "radius", "angle")
            (kind,), towards, center, (radius,), (angle,) = (self._numbers(f"{name}_{number}") for name in names)
            if kind == EXCLUSION_FAR:
                found.append(Exclusion(angle, (towards[0], towards[1], towards[2]), None, 0.0))
            elif kind == EXCLUSION_BALL:
                found.append(Exclusion(angle, None, (center[0], center[1], center[2]), radius))
        return tuple(found)

    @exclusion.setter
    def exclusion(self, value: Sequence[Exclusion]) -> None:
        chosen = _exclusions(value, self)
        with self._all_or_nothing():
            for number in range(EXCLUSION_COUNT):
                one = chosen[number] if number < len(chosen) else None
                for field, part in _exclusion_values(number, one).items():
                    self._table.write(self._schema.components[field], self._slice(), np.array(part)[:, np.newaxis])

    def read(self) -> StarTrackerReading:
        """Return the last reading.

        Returns:
            Orientation, scalar-last (x, y, z, w), body to world, shape (4,), whether it is valid, and the time of the sample [s].
        """
        return StarTrackerReading(*self._read(4))


def _exclusions(value: object, owner: object) -> list[Exclusion]:
    rule = f"a list of at most {EXCLUSION_COUNT} from Exclusion.far and Exclusion.ball"
    if isinstance(value, Exclusion):
        refuse(owner, "exclusion", value, rule, TypeError)
    chosen = members(value, "exclusion", owner, rule, lambda one: isinstance(one, Exclusion))
    if len(chosen) > EXCLUSION_COUNT:
        refuse(owner, "exclusion", value, rule)
    return chosen


def _exclusion_values(number: int, one: Exclusion | None) -> dict[str, Sequence[float]]:
    """The fields of one bright thing."""
    nothing: dict[str, Sequence[float]] = {"excludes": (0.0,), "direction": (0.0, 0.0, 0.0), "center": (0.0, 0.0, 0.0)}
    values = {**nothing, "radius": (0.0,), "cosine": (0.0,), "sine": (0.0,), "angle": (0.0,)}
    if one is not None:
        # kept beside the angle, so that a sample needs no trigonometry
        sine, cosine = sine_cosine(one.angle)
        values = {
            "excludes": (EXCLUSION_BALL,),
            "radius": (one.radius,),
            "cosine": (cosine,),
            "sine": (sine,),
            "angle": (one.angle,),
        }
        if one.direction_world is not None:
            values |= {"excludes": (EXCLUSION_FAR,), "direction": one.direction_world}
        elif one.center is not None:
            values["center"] = one.center
    return {f"{name}_{number}": value for name, value in values.items()}


class SunSensor(_Optical):
    """A sun sensor, which measures the direction to the sun in the body frame.

    The reading is the true direction turned by a small random rotation, with the same standard deviation about every axis. As for `Gyro`,
    the noise is a function of seed, name and tick. The reading is not valid if the sun is outside the field of view, or if the sphere
    given as `shadow` hides it. The shadow of the sphere is a cylinder.

    Args:
        body: The body that carries it.
        boresight_body: Direction of the middle of the field of view, body frame, of any non-zero length, shape (3,).
        field_of_view: Half-angle of the field of view, the maximum angle between the boresight and the sun [rad], above 0 and at most π.
        noise: Standard deviation of the noise about each axis [rad], at least 0.
        sun_direction_world: Direction to the sun, world frame, of any non-zero length, shape (3,).
        shadow: Centre [m], world frame, and radius [m] of a sphere that hides the sun, such as a planet; None if there is no such sphere.
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
        >>> ship = world.add_body(MassProperties.box(4.0, (0.1, 0.1, 0.3)))
        >>> made = flight.SunSensor(ship, (0, 0, 1), field_of_view=1.0, noise=1e-4, sun_direction_world=(0.0, 3.0, 4.0), seed=1)
        >>> sensor = world.add_part(made)
        >>> world.step()
        >>> sensor.read().direction_body.round(3).tolist()
        [-0.0, 0.6, 0.8]
    """

    __slots__ = ()

    _kind, _kernel, _of_members = "sun sensor", sample_sun_sensor, sample_sun_sensor_of_members
    _measured = Quantity("direction_body", "-", "body", (3,))
    _schema = sensor_schema(
        "sun sensors",
        Field("boresight_body", Kind.MODEL, 3, "-", "body", digest=6, rule=DIRECTION, rest=(0.0, 0.0, 1.0)),
        Field("noise", Kind.MODEL, 1, "rad", digest=7, rule=NOT_NEGATIVE),
        Field("cosine", Kind.MODEL, digest=8, meaning="of the largest angle from the boresight"),
        Field("sun_direction_world", Kind.MODEL, 3, "-", "world", digest=9, rule=DIRECTION, rest=(0.0, 0.0, 1.0)),
        Field("shadow_center", Kind.MODEL, 3, "m", "world", digest=10, rule=ANY, world_axes=POINT),
        Field(
            "shadow_radius", Kind.MODEL, 1, "m", digest=11, rule=POSITIVE, stored=Stored(0.0), meaning="0 for no shadow"
        ),
        Field(
            "field_of_view",
            Kind.MODEL,
            1,
            "rad",
            digest=12,
            meaning="0 in snapshots of versions that kept only its cosine",
        ),
    )

    def __init__(
        self,
        body: BodyHandle,
        boresight_body: npt.ArrayLike,
        *,
        field_of_view: float,
        sun_direction_world: npt.ArrayLike,
        noise: float = 0.0,
        shadow: tuple[npt.ArrayLike, float] | None = None,
        seed: int | None = None,
        every: int = 1,
        delay: int = 0,
        name: str | None = None,
    ) -> None:
        owner = f"SunSensor of {require_body(body, 'body', 'SunSensor')}"
        given = {"boresight_body": boresight_body, "noise": noise, "sun_direction_world": sun_direction_world}
        values = {field: checked(self._schema, field, value, owner) for field, value in given.items()}
        angle = _angle(field_of_view, owner, "field_of_view", pi)
        if angle == 0.0:
            refuse(owner, "field_of_view", field_of_view, "above 0")
        values |= {"cosine": np.array([[sine_cosine(angle)[1]]]), "field_of_view": np.array([[angle]])}
        if shadow is not None:
            if not isinstance(shadow, tuple | list) or len(shadow) != 2:
                refuse(owner, "shadow", shadow, "a centre and a radius, or None", TypeError)
            values["shadow_center"] = checked(self._schema, "shadow_center", shadow[0], owner, argument="shadow[0]")
            values["shadow_radius"] = checked(self._schema, "shadow_radius", shadow[1], owner, argument="shadow[1]")
        super().__init__(body, values, owner, seed, every, delay, name)

    boresight_body = Parameter[FloatArray]("Middle of the field of view, body frame, a unit vector, shape (3,).")
    noise = Parameter[float]("Standard deviation of the noise about each axis [rad], at least 0.")
    sun_direction_world = Parameter[FloatArray]("Direction to the sun, world frame, a unit vector, shape (3,).")

    @fixed
    def field_of_view(self) -> float:
        """Half-angle of the field of view, the maximum angle between the boresight and the sun [rad], above 0 and at most π."""
        (angle,), (cosine,) = self._numbers("field_of_view"), self._numbers("cosine")
        return angle or acos(cosine)

    @fixed
    def shadow(self) -> tuple[FloatArray, float] | None:
        """Centre [m], world frame, shape (3,), and radius [m] of the sphere that hides the sun; None if there is no such sphere."""
        (radius,) = self._numbers("shadow_radius")
        return (self._value("shadow_center"), radius) if radius else None

    def read(self) -> SunSensorReading:
        """Return the last reading.

        Returns:
            Direction to the sun, body frame, a unit vector, shape (3,), whether it is valid, and the time of the sample [s].
        """
        return SunSensorReading(*self._read(3))
