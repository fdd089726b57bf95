"""The handle of one body, which reads and writes its row in the world's arrays."""

from __future__ import annotations  # help() then shows them as written

import math
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, NoReturn, Protocol, Self

import numpy as np
import numpy.typing as npt

from . import rotation
from .checks import (
    SMALL_ENOUGH,
    FloatArray,
    beyond_range_allowed,
    components,
    explaining_errors,
    finite_result,
    integer,
    read_only,
    real,
    refuse,
    stack,
    unit_quaternion,
    vector,
)
from .clock import Clock
from .loops.arrays import crossed, rotated, rotated_inverse
from .loops.layout import (
    ANGULAR_VELOCITY,
    CENTER_OF_MASS,
    FORCE_BODY,
    FORCE_WORLD,
    INERTIA,
    INVERSE_INERTIA,
    INVERSE_MASS,
    MASS,
    ORIENTATION,
    POSITION,
    PREVIOUS,
    STATE_ROWS,
    STORED_MOMENTUM,
    VELOCITY,
)
from .loops.poses import interpolated
from .reading import Reading, reading
from .shapes.handle import MOST_GROUPS, ShapeHandle
from .shapes.material import ALL, DEFAULT, Material
from .shapes.shape import Shape
from .solids.mass_properties import MassProperties
from .store.bodies import Bodies
from .store.model import MODEL_ROWS, Model, check_flyable, mass_property_rows
from .store.store import Store
from .tick.actuators import Actuators
from .tick.held import Held
from .tick.joints import Joints
from .tick.stages import Stages


class _WorldOfBody(Protocol):
    """What a handle uses of the world that its body belongs to."""

    _store: Store
    _clock: Clock
    _held: Held
    _stages: Stages
    _actuators: Actuators
    _joints: Joints

    @property
    def model(self) -> Model: ...
    @property
    def dt(self) -> float: ...
    def _add_shape(self, handle: ShapeHandle, owner: str) -> ShapeHandle: ...
    def _shapes_of(self, row: int) -> tuple[ShapeHandle, ...]: ...
    def _group_of(self, row: int) -> int: ...
    def _set_group(self, row: int, group: int) -> None: ...


_ZERO = read_only(np.zeros(3))
_NONE_YET: dict[int, Callable[[], FloatArray]] = {}
"""The readers of a body that has not been read, which stays empty: a dict per body would take 64 bytes."""


class _InTwoFrames:
    """A name that lacks its frame; reading or setting it raises an error that names the two attributes with a frame."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, body: Body | None, kind: type | None = None) -> Self:
        if body is None:
            return self
        self._refuse(body)

    def __set__(self, body: Body, value: object) -> None:
        self._refuse(body)

    def _refuse(self, body: Body) -> NoReturn:
        _ = body.index  # a body that was removed says so
        name = self._name
        raise AttributeError(
            f"{body}: {name} needs a frame; use {name}_body (body frame) or {name}_world (world frame)",
            name=name,
            obj=body,
        )


# created once, because a body's position is read far more often than anything else
_POSITION = slice(POSITION, POSITION + 3)
_ORIENTATION = slice(ORIENTATION, ORIENTATION + 4)
_VELOCITY = slice(VELOCITY, VELOCITY + 3)
_ANGULAR_VELOCITY = slice(ANGULAR_VELOCITY, ANGULAR_VELOCITY + 3)
_PREVIOUS_POSITION = slice(PREVIOUS + POSITION, PREVIOUS + POSITION + 3)
_PREVIOUS_ORIENTATION = slice(PREVIOUS + ORIENTATION, PREVIOUS + ORIENTATION + 4)
_PREVIOUS_VELOCITY = slice(PREVIOUS + VELOCITY, PREVIOUS + VELOCITY + 3)
_PREVIOUS_ANGULAR_VELOCITY = slice(PREVIOUS + ANGULAR_VELOCITY, PREVIOUS + ANGULAR_VELOCITY + 3)
_CENTER_OF_MASS = slice(CENTER_OF_MASS, CENTER_OF_MASS + 3)
_STORED_MOMENTUM = slice(STORED_MOMENTUM, STORED_MOMENTUM + 3)


@explaining_errors(
    {
        "mass": "assign mass_properties",
        "inverse_mass": "assign mass_properties",
        "inertia_body": "assign mass_properties",
        "inertia_world": "assign mass_properties",
        "inverse_inertia_body": "assign mass_properties",
        "inverse_inertia_world": "assign mass_properties",
        "center_of_mass_body": "assign mass_properties",
        "rotation_matrix": "assign orientation",
        "origin": "assign position, which is that of the mass centre",
        "name": "pass it to World.add_body",
        "world": "add another body to the other world",
    },
    check=attrgetter("index"),  # a body that was removed says so
)
class Body:
    """Handle of one rigid body in a world, returned by `World.add_body`.

    The handle holds no state of its own. Reading an attribute returns a new read-only float64 array, so that ``ship.position[0] += 1``
    raises an error instead of doing nothing. An attribute that can be set can also be changed by ``ship.velocity += dv``, and the results
    of arithmetic are plain arrays. Values passed in are copied. A pose that is set is not blended with the old pose for drawing. Setters
    and methods raise `TypeError` for an argument of the wrong type, and `ValueError` for one that is not finite or breaks a rule. After the
    body is removed, every use of its handle raises `ValueError`.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.01)
        >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)), name="ship")
        >>> ship.velocity = (1.0, 0.0, 0.0)
        >>> world.step(100)
        >>> ship.position.round(12).tolist()
        [1.0, 0.0, 0.0]
    """

    __slots__ = ("__weakref__", "_id", "_index", "_name", "_numbering", "_readers", "_table", "_user_data", "_world")

    _world: _WorldOfBody
    _table: Bodies
    _name: str
    _id: int
    _index: int
    _numbering: int
    _readers: dict[int, Callable[[], FloatArray]]
    _user_data: object

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError(
            "Body: a handle cannot be created directly; call world.add_body(…), or world.body(name) for an existing body"
        )

    def __repr__(self) -> str:
        rows = self._table.find(self._id, self._id + 1)
        return f"<Body {self._name!r}{' (removed)' if rows.start == rows.stop else ''}>"

    def __str__(self) -> str:
        return f"body {self._name!r}"

    def __reduce__(self) -> tuple[object, ...]:
        return _body_in, (self._world, self._id, self._name)

    @property
    def name(self) -> str:
        """Name of the body, unique in its world."""
        return self._name

    @property
    def index(self) -> int:
        """Current row of the body in the world's arrays; it changes when a body before it is removed."""
        is_known = self._numbering == self._table.numbering and self._world._store.unfinished is None
        return self._index if is_known else self._find()

    def _find(self) -> int:
        self._world._store.settle()
        rows = self._table.find(self._id, self._id + 1)
        if rows.start == rows.stop:
            if self._table.was_removed_by_restore(self._id):
                raise ValueError(
                    f"{self} was added after the snapshot to which its world was restored; a restore removed it"
                )
            raise ValueError(f"{self} was removed from its world; its handle can no longer be used")
        self._index, self._readers = rows.start, _NONE_YET
        self._numbering = self._table.numbering
        return self._index

    def _have_id(self, id: int) -> None:
        """Be the handle of the row with this id, after a restore."""
        self._id, self._numbering = id, -1

    @property
    def world(self) -> Any:
        """World that the body belongs to."""
        _ = self.index
        return self._world

    @property
    def user_data(self) -> Any:
        """Any object of yours, such as the game object that this body moves; initially None.

        The simulation does not use it. It is not part of `World.state_hash`. A copy of the world (`copy.deepcopy`, pickle) starts with
        None, because the object may refer to things that cannot be copied, such as an image, or to this world itself. If a callback assigns
        it and the tick fails, the assignment is undone. Changes inside the object are not undone.
        """
        _ = self.index
        return self._user_data

    @user_data.setter
    def user_data(self, value: object) -> None:
        _ = self.index
        self._world._store.record(setattr, self, "_user_data", self._user_data)
        self._user_data = value

    @property
    def mass_properties(self) -> MassProperties:
        """Mass, inertia and mass centre; may be replaced at any time.

        They are those of the whole body with its wheels locked, including the propellant of its tanks. While a body has tanks, assign
        `dry_mass_properties` instead.

        Replacing them changes neither the body's origin nor its angular velocity, nor the speed of its wheels. If the mass centre moves by
        Δc in the body frame, then ``position += R Δc`` and ``velocity += ω × R Δc``.
        """
        index, actuators = self.index, self._world._actuators
        if not actuators.tanks_of(index):
            return self._table.mass_properties[index]
        locked = self.inertia_body + actuators.locked_inertia(index)
        return MassProperties(self.mass, locked, center_of_mass_body=self.center_of_mass_body, physical=False)

    @mass_properties.setter
    def mass_properties(self, value: MassProperties) -> None:
        check_flyable(value, self)
        if self._world._actuators.tanks_of(self.index):
            rule = "changed through dry_mass_properties and the propellant of the tanks while the body has tanks"
            refuse(self, "mass_properties", value, rule)
        self._replace(value)

    @property
    def dry_mass_properties(self) -> MassProperties:
        """Mass properties without the propellant of the tanks, with the wheels locked; may be replaced at any time.

        On a body without tanks, they equal `mass_properties`.
        """
        return self._table.mass_properties[self.index]

    @dry_mass_properties.setter
    def dry_mass_properties(self, value: MassProperties) -> None:
        _ = self.index  # a body that was removed says so
        check_flyable(value, self, "dry_mass_properties")
        self._replace(value)

    def _replace(self, value: MassProperties) -> None:
        index, table, store = self.index, self._table, self._world._store
        actuators = self._world._actuators
        if actuators.row_of(index) >= 0:
            with store.all_or_nothing():
                store.before_change()
                store.record(table.mass_properties.__setitem__, index, table.mass_properties[index])
                table.mass_properties[index] = value
                actuators.set_dry(index, value, self)
                table.forget_history(index)
            return
        shift_body = value.center_of_mass_body - table.array[_CENTER_OF_MASS, index]
        moved: list[tuple[slice, FloatArray]] = []
        if shift_body.any():
            shift_world = rotated(self.orientation, shift_body)
            shift_before = rotated(self._read(_PREVIOUS_ORIENTATION), shift_body)
            velocity = self.velocity + crossed(self.angular_velocity_world, shift_world)
            swing_before = crossed(self._read(_PREVIOUS_ANGULAR_VELOCITY), shift_body)
            velocity_before = self._read(_PREVIOUS_VELOCITY) + rotated(self._read(_PREVIOUS_ORIENTATION), swing_before)
            moved = [
                (_POSITION, self.position + shift_world),
                (_PREVIOUS_POSITION, self._read(_PREVIOUS_POSITION) + shift_before),
                (_VELOCITY, velocity),
                (_PREVIOUS_VELOCITY, velocity_before),
            ]
            self._check_finite("mass_properties", value, *(values for _rows, values in moved))
        with store.all_or_nothing():
            store.before_change()
            store.record(table.mass_properties.__setitem__, index, table.mass_properties[index])
            table.mass_properties[index] = value
            table.write(MODEL_ROWS, index, mass_property_rows(value))
            for rows, values in moved:
                table.write(rows, index, values)
            table.forget_history(index)

    @property
    def mass(self) -> float:
        """Mass [kg], with the propellant of its tanks."""
        return float(self._table.array[MASS, self.index])

    @property
    def inverse_mass(self) -> float:
        """One over the mass [1/kg]."""
        return float(self._table.array[INVERSE_MASS, self.index])

    @property
    def center_of_mass_body(self) -> FloatArray:
        """Mass centre from the body's origin [m], body frame, shape (3,)."""
        return self._read(_CENTER_OF_MASS)

    @property
    def inertia_body(self) -> FloatArray:
        """Inertia about the mass centre in the equation of motion [kg·m²], body frame, shape (3, 3).

        It excludes the moments of reaction wheels about their axes; `mass_properties` has the inertia with locked wheels.
        """
        return self._world.model._tensor(INERTIA, self.index)

    @property
    def inverse_inertia_body(self) -> FloatArray:
        """Inverse of the inertia about the mass centre [1/(kg·m²)], body frame, shape (3, 3); computed once per change."""
        return self._world.model._tensor(INVERSE_INERTIA, self.index)

    @property
    def inertia_world(self) -> FloatArray:
        """Inertia tensor about the mass centre, ``R I Rᵀ`` [kg·m²], world frame, shape (3, 3)."""
        return read_only(tensor_world(self.rotation_matrix, self.inertia_body))

    @property
    def inverse_inertia_world(self) -> FloatArray:
        """Inverse of the inertia tensor about the mass centre, ``R I⁻¹ Rᵀ`` [1/(kg·m²)], world frame, shape (3, 3)."""
        return read_only(tensor_world(self.rotation_matrix, self.inverse_inertia_body))

    # where it is and how it moves

    @property
    def position(self) -> FloatArray:
        """Position of the mass centre [m], world frame, shape (3,)."""
        return self._read(_POSITION)

    @position.setter
    def position(self, value: npt.ArrayLike) -> None:
        self._set_pose(_POSITION, vector(value, "position", self), "position")

    @property
    def orientation(self) -> FloatArray:
        """Unit quaternion, scalar-last (x, y, z, w), body to world, shape (4,); setting it rotates about the mass centre."""
        return self._read(_ORIENTATION)

    @orientation.setter
    def orientation(self, value: npt.ArrayLike) -> None:
        self._set_pose(_ORIENTATION, unit_quaternion(value, "orientation", self), "orientation")

    @property
    def velocity(self) -> FloatArray:
        """Velocity of the mass centre [m/s], world frame, shape (3,)."""
        return self._read(_VELOCITY)

    @velocity.setter
    def velocity(self, value: npt.ArrayLike) -> None:
        self._set(_VELOCITY, vector(value, "velocity", self))

    angular_velocity = _InTwoFrames()

    @property
    def angular_velocity_body(self) -> FloatArray:
        """Angular velocity [rad/s], body frame, shape (3,)."""
        return self._read(_ANGULAR_VELOCITY)

    @angular_velocity_body.setter
    def angular_velocity_body(self, value: npt.ArrayLike) -> None:
        self._set_rates(vector(value, "angular_velocity_body", self))

    @property
    def angular_velocity_world(self) -> FloatArray:
        """Angular velocity [rad/s], world frame, shape (3,)."""
        return reading(rotated(self.orientation, self.angular_velocity_body))

    @angular_velocity_world.setter
    def angular_velocity_world(self, value: npt.ArrayLike) -> None:
        rates = rotated_inverse(self.orientation, vector(value, "angular_velocity_world", self))
        self._check_finite("angular_velocity_world", value, rates)
        self._set_rates(rates)

    @property
    def angular_momentum_world(self) -> FloatArray:
        """Angular momentum about the mass centre [N·m·s], world frame, shape (3,).

        It is ``R (I ω + h)``, with the inertia I, the angular velocity ω and the stored momentum h in the body frame.
        """
        momentum_body = times(self.inertia_body, self.angular_velocity_body) + self.stored_momentum_body
        return reading(rotated(self.orientation, momentum_body))

    @angular_momentum_world.setter
    def angular_momentum_world(self, value: npt.ArrayLike) -> None:
        momentum = vector(value, "angular_momentum_world", self)
        momentum_body = rotated_inverse(self.orientation, momentum) - self.stored_momentum_body
        rates = times(self.inverse_inertia_body, momentum_body)
        self._check_finite("angular_momentum_world", value, rates)
        self._set(_ANGULAR_VELOCITY, rates)

    @property
    def stored_momentum_body(self) -> FloatArray:
        """Angular momentum h [N·m·s] of wheels inside the body, body frame, shape (3,).

        On a body with parts of class `ReactionWheel`, it is the sum of their momenta along their axes and cannot be set. On any other body,
        setting it does not change the angular velocity.
        """
        return self._read(_STORED_MOMENTUM)

    @stored_momentum_body.setter
    def stored_momentum_body(self, value: npt.ArrayLike) -> None:
        momentum = vector(value, "stored_momentum_body", self)
        if self._world._actuators.wheels_of(self.index):
            refuse(
                self, "stored_momentum_body", value, "left to the wheels of the body", hint="set their speeds instead"
            )
        self._set(_STORED_MOMENTUM, momentum)

    @property
    def rotation_matrix(self) -> FloatArray:
        """Rotation matrix R, with ``vector_world = R vector_body``, shape (3, 3)."""
        return read_only(rotation.to_matrix(self.orientation))

    @property
    def origin(self) -> FloatArray:
        """Position of the body's origin [m], world frame, shape (3,); assigning it moves the body without rotating it."""
        return self.to_world(_ZERO)

    @origin.setter
    def origin(self, value: npt.ArrayLike) -> None:
        moved = vector(value, "origin", self) + self.direction_to_world(self.center_of_mass_body)
        self._check_finite("origin", value, moved)
        self._set_pose(_POSITION, moved, "origin")

    def kinetic_energy(self) -> float:
        """Return the kinetic energy ``m v²/2 + ω·Iω/2`` [J], plus ``momentum²/(2 J)`` for each wheel.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5), velocity=(0.0, 4.0, 0.0))
            >>> ship.kinetic_energy()
            16.0
        """
        velocity, rates, actuators = self.velocity, self.angular_velocity_body, self._world._actuators
        own = 0.5 * float(self.mass * _dot(velocity, velocity) + _dot(rates, times(self.inertia_body, rates)))
        wheels = actuators.wheels_of(self.index)
        return own + math.fsum(actuators.wheel_energies(wheels)) if wheels else own

    # between its axes and the world's

    def to_world(self, point_body: npt.ArrayLike) -> FloatArray:
        """Convert points from the body frame to world positions.

        Args:
            point_body: Points [m], body frame, from the origin of the body, shape (..., 3).

        Returns:
            The same points [m], world frame, shape (..., 3).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5), position=(10.0, 0.0, 0.0), orientation=(0.5, 0.5, 0.5, 0.5))
            >>> ship.to_world((1.0, 2.0, 3.0)).tolist()
            [13.0, 1.0, 2.0]
        """
        points = stack(point_body, "point_body", self, 3)
        with beyond_range_allowed():
            result = self.position + rotated(self.orientation, points - self.center_of_mass_body)
        return finite_result(result, "point_body", point_body, self)

    def to_body(self, point_world: npt.ArrayLike) -> FloatArray:
        """Convert world positions to points in the body frame.

        Args:
            point_world: Points [m], world frame, shape (..., 3).

        Returns:
            The same points [m], body frame, from the origin of the body, shape (..., 3).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5), position=(10.0, 0.0, 0.0), orientation=(0.5, 0.5, 0.5, 0.5))
            >>> ship.to_body((13.0, 1.0, 2.0)).tolist()
            [1.0, 2.0, 3.0]
        """
        points = stack(point_world, "point_world", self, 3)
        with beyond_range_allowed():
            result = self.center_of_mass_body + rotated_inverse(self.orientation, points - self.position)
        return finite_result(result, "point_world", point_world, self)

    def direction_to_world(self, direction_body: npt.ArrayLike) -> FloatArray:
        """Rotate vectors from the body frame to the world frame.

        Args:
            direction_body: Vectors of any unit, body frame, shape (..., 3).

        Returns:
            The same vectors, world frame, shape (..., 3).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5), position=(10.0, 0.0, 0.0), orientation=(0.5, 0.5, 0.5, 0.5))
            >>> ship.direction_to_world((1.0, 2.0, 3.0)).tolist()
            [3.0, 1.0, 2.0]
        """
        vectors = stack(direction_body, "direction_body", self, 3)
        with beyond_range_allowed():
            result = rotated(self.orientation, vectors)
        return finite_result(result, "direction_body", direction_body, self)

    def direction_to_body(self, direction_world: npt.ArrayLike) -> FloatArray:
        """Rotate vectors from the world frame to the body frame.

        Args:
            direction_world: Vectors of any unit, world frame, shape (..., 3).

        Returns:
            The same vectors, body frame, shape (..., 3).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5), position=(10.0, 0.0, 0.0), orientation=(0.5, 0.5, 0.5, 0.5))
            >>> ship.direction_to_body((3.0, 1.0, 2.0)).tolist()
            [1.0, 2.0, 3.0]
        """
        vectors = stack(direction_world, "direction_world", self, 3)
        with beyond_range_allowed():
            result = rotated_inverse(self.orientation, vectors)
        return finite_result(result, "direction_world", direction_world, self)

    def velocity_at(self, point_body: npt.ArrayLike) -> FloatArray:
        """Return the velocities, in the world frame, of points that are fixed in the body.

        Args:
            point_body: Points [m], body frame, from the origin of the body, shape (..., 3).

        Returns:
            Their velocities [m/s], world frame, shape (..., 3).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5), angular_velocity_body=(0.0, 0.0, 2.0))
            >>> ship.velocity_at((0.0, 0.5, 0.0)).tolist()
            [-1.0, 0.0, 0.0]
        """
        points = stack(point_body, "point_body", self, 3)
        with beyond_range_allowed():
            tangential = crossed(self.angular_velocity_body, points - self.center_of_mass_body)
            result = self.velocity + rotated(self.orientation, tangential)
        return finite_result(result, "point_body", point_body, self)

    # shapes

    @property
    def shapes(self) -> tuple[ShapeHandle, ...]:
        """The shapes of the body, in the order in which they were added."""
        return self._world._shapes_of(self.index)

    @property
    def collision_group(self) -> int:
        """The group of the body, an integer from 0, initially 0. Bodies of different groups pass through each other; shapes of the world
        meet all groups."""
        return self._world._group_of(self.index)

    @collision_group.setter
    def collision_group(self, value: int) -> None:
        index = self.index
        group = integer(value, "collision_group", self, at_least=0)
        if group > MOST_GROUPS:
            refuse(self, "collision_group", value, f"at most {MOST_GROUPS}")
        self._world._set_group(index, group)

    @property
    def contact_force_world(self) -> FloatArray:
        """Mean force of all contacts on the body over the last tick [N], world frame, shape (3,)."""
        return reading(self._world._joints.contacts.force(self.index, self._world.dt))

    def add_shape(
        self,
        shape: Shape,
        *,
        position: npt.ArrayLike = (0.0, 0.0, 0.0),
        orientation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
        material: Material = DEFAULT,
        layer: int = 0,
        collides_with: Iterable[int] = ALL,
        sensor: bool = False,
        name: str | None = None,
        allow_overlap: bool = False,
    ) -> ShapeHandle:
        """Give the body a shape, by which it touches other bodies and shapes of the world; its mass properties stay as they are.

        Bodies that an enabled joint connects do not touch each other. The first tick with a new shape is rejected if it would begin deeper
        in another one than half the least extent of both; bodies that are less deep part at 1 m/s at most.

        Args:
            shape: A shape of `engine.shapes`.
            position: Of the origin of the shape [m], body frame, from the origin of the body, shape (3,).
            orientation: Unit quaternion, scalar-last (x, y, z, w), shape to body, shape (4,).
            material: Friction and restitution.
            layer: The layer of the shape, from 0 to 63.
            collides_with: The layers of the shapes that it touches.
            sensor: Whether it only reports what it overlaps to functions of `World.on_contact`, and never pushes.
            name: Its name, which other shapes may share; None is the kind of shape.
            allow_overlap: Whether the first tick with the shape may begin with it deep in others, from which it then parts, whether or not
                these allow it too.

        Returns:
            The handle of the shape.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If a value is out of its range, the shape is a plane, or the method of the world does not support contacts.

        Example:
            >>> from engine import MassProperties, World, shapes
            >>> world = World(dt=1 / 60)
            >>> crate = world.add_body(MassProperties.box(10.0, (1.0, 1.0, 1.0)), name="crate")
            >>> crate.add_shape(shapes.Box((1.0, 1.0, 1.0)), name="hull")
            <Box((1, 1, 1)) 'hull' of <Body 'crate'>>
        """
        _ = self.index  # a removed body says so
        owner, options = f"{self!r}.add_shape", (position, orientation, material, layer, collides_with, sensor, name)
        handle = ShapeHandle(shape, self, *options, allow_overlap=allow_overlap, owner=owner)
        return self._world._add_shape(handle, owner)

    # forces that act for one tick: the next one, or inside `World.on_tick` the one that is starting

    def apply_force(self, force_world: npt.ArrayLike, at_world: npt.ArrayLike | None = None) -> None:
        """Apply a force during the next tick; force and torque are held constant in the world frame over that tick.

        This is meant for game events. For a key that is held down, use a `Thruster` or call this inside `World.on_tick`. Called once per
        frame, it would act for one tick per frame, however many ticks the frame runs.

        Args:
            force_world: Force [N], world frame, shape (3,).
            at_world: Point of application [m], world frame, shape (3,). None means the mass centre.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5))
            >>> ship.apply_force((8.0, 0.0, 0.0))
            >>> world.step(4)
            >>> ship.velocity.tolist()
            [2.0, 0.0, 0.0]
        """
        force, torque = components(force_world, "force_world", self), None
        if at_world is not None:
            torque = crossed(vector(at_world, "at_world", self) - self.position, np.array(force)).tolist()
        self._push(FORCE_WORLD, force, torque)

    def apply_force_body(self, force_body: npt.ArrayLike, at_body: npt.ArrayLike | None = None) -> None:
        """Apply a force that rotates with the body during the next tick.

        Args:
            force_body: Force [N], body frame, shape (3,).
            at_body: Point of application [m], body frame, from the origin of the body, shape (3,). None means the mass centre.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5))
            >>> ship.apply_force_body((0.0, 0.0, 8.0))
            >>> world.step()
            >>> ship.velocity.round(12).tolist()
            [0.0, 0.0, 0.04]
        """
        force, torque = components(force_body, "force_body", self), None
        if at_body is not None:
            torque = crossed(vector(at_body, "at_body", self) - self.center_of_mass_body, np.array(force)).tolist()
        self._push(FORCE_BODY, force, torque)

    def apply_torque(self, torque_world: npt.ArrayLike) -> None:
        """Apply a torque during the next tick, held constant in the world frame.

        Args:
            torque_world: Torque [N·m], world frame, shape (3,).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5))
            >>> ship.apply_torque((0.0, 0.0, 4.0))
            >>> world.step()
            >>> ship.angular_velocity_world.round(12).tolist()
            [0.0, 0.0, 0.2]
        """
        self._push(FORCE_WORLD, None, components(torque_world, "torque_world", self))

    def apply_torque_body(self, torque_body: npt.ArrayLike) -> None:
        """Apply a torque that rotates with the body during the next tick.

        Args:
            torque_body: Torque [N·m], body frame, shape (3,).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5))
            >>> ship.apply_torque_body((0.0, 0.0, 4.0))
            >>> world.step()
            >>> ship.angular_velocity_body.round(12).tolist()
            [0.0, 0.0, 0.2]
        """
        self._push(FORCE_BODY, None, components(torque_body, "torque_body", self))

    # impulses, which act at once

    def apply_impulse(self, impulse_world: npt.ArrayLike, at_world: npt.ArrayLike | None = None) -> None:
        """Change velocity and angular velocity at once by an impulse.

        Args:
            impulse_world: Impulse [N·s], world frame, shape (3,).
            at_world: Point of application [m], world frame, shape (3,). None means the mass centre.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5))
            >>> ship.apply_impulse((3.0, 0.0, 0.0))
            >>> ship.velocity.tolist()
            [1.5, 0.0, 0.0]
        """
        impulse = vector(impulse_world, "impulse_world", self)
        turn = None if at_world is None else crossed(vector(at_world, "at_world", self) - self.position, impulse)
        velocity = self.velocity + self.inverse_mass * impulse
        rates = self.angular_velocity_body if turn is None else self._rates_after(turn)
        self._check_finite("impulse_world", impulse_world, velocity, rates)
        with self._world._store.all_numbers_or_none():
            self._set(_VELOCITY, velocity)
            self._set(_ANGULAR_VELOCITY, rates)

    def apply_impulse_body(self, impulse_body: npt.ArrayLike, at_body: npt.ArrayLike | None = None) -> None:
        """Change velocity and angular velocity at once by an impulse given in the body frame.

        Args:
            impulse_body: Impulse [N·s], body frame, shape (3,).
            at_body: Point of application [m], body frame, from the origin of the body, shape (3,). None means the mass centre.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5))
            >>> ship.apply_impulse_body((3.0, 0.0, 0.0))
            >>> ship.velocity.tolist()
            [1.5, 0.0, 0.0]
        """
        impulse = self.direction_to_world(vector(impulse_body, "impulse_body", self))
        self.apply_impulse(impulse, None if at_body is None else self.to_world(vector(at_body, "at_body", self)))

    def apply_angular_impulse(self, angular_impulse_world: npt.ArrayLike) -> None:
        """Change the angular velocity at once by an angular impulse.

        Args:
            angular_impulse_world: Angular impulse [N·m·s], world frame, shape (3,).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5))
            >>> ship.apply_angular_impulse((0.0, 0.0, 0.2))
            >>> ship.angular_velocity_body.round(12).tolist()
            [0.0, 0.0, 1.0]
        """
        rates = self._rates_after(vector(angular_impulse_world, "angular_impulse_world", self))
        self._check_finite("angular_impulse_world", angular_impulse_world, rates)
        self._set(_ANGULAR_VELOCITY, rates)

    # for drawing

    def interpolated_pose(self, alpha: float | None = None) -> tuple[FloatArray, FloatArray]:
        """Pose for drawing, blended between the last two ticks.

        Args:
            alpha: Blend factor from 0 (the previous tick) to 1 (the last tick). None means `World.alpha`, with which the pose lags wall
                time by less than one tick.

        Returns:
            Position of the body's origin [m], world frame, shape (3,), and orientation, scalar-last (x, y, z, w), body to world, shape
            (4,).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=1.0)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5), velocity=(4.0, 0.0, 0.0))
            >>> world.step()
            >>> position, orientation = ship.interpolated_pose(0.25)
            >>> position.tolist()
            [1.0, 0.0, 0.0]
        """
        if alpha is None:
            fraction = self._world._clock.alpha
        else:
            fraction = real(alpha, "alpha", self, at_least=0.0)
            if fraction > 1.0:
                refuse(self, "alpha", alpha, "between 0 and 1")
        bodies = self._table
        positions, orientations = interpolated(bodies.array, self.index, 1, fraction, bodies.may_run_in_python)
        read_only(positions)
        read_only(orientations)
        return positions[0], orientations[0]

    # inside

    def _read(self, rows: slice) -> FloatArray:
        if self._numbering != self._table.numbering or self._world._store.unfinished is not None:
            self._find()
        read = self._readers.get(rows.start)
        if read is None:
            # A view stays valid as long as the numbering, and slicing anew would take a third of the time of a read. This is the view's
            # `copy` as of a plain array, whose result is a `Reading`.
            read = super(Reading, self._table.array[rows, self._index].view(Reading)).copy
            if self._readers is _NONE_YET:
                self._readers = {}
            self._readers[rows.start] = read
        values = read()
        values.setflags(False)  # type: ignore[call-arg]  # as `read_only` does, without a call
        return values

    def _set(self, rows: slice, values: FloatArray, pose: bool = False) -> None:
        """Set components; a pose is also set one tick back, so that it is not blended with the old one."""
        table, index, store = self._table, self.index, self._world._store
        if not pose and table.history is None and not table.freezes:
            table.write(rows, index, values)
            return
        with store.all_numbers_or_none():
            self._world._stages.freezing.thaw(index)
            table.write(rows, index, values)
            if pose:
                table.write(slice(PREVIOUS + rows.start, PREVIOUS + rows.stop), index, values)
            if rows.start < STATE_ROWS:
                table.forget_history(index)

    def _set_pose(self, rows: slice, values: FloatArray, argument: str) -> None:
        """Set position or orientation; the bodies that joints connect to this one move rigidly with it.

        Raises:
            ValueError: If a joint ties the body, or a body of its island, to the world.
        """
        if not self._table.freezes:
            self._set_free_pose(rows, values, argument)
            return
        with self._world._store.all_or_nothing():
            # a frozen body moves again, and with it what joints connect to it
            self._world._stages.freezing.thaw(self.index)
            self._world._stages.freezing.mark()
            self._set_free_pose(rows, values, argument)

    def _set_free_pose(self, rows: slice, values: FloatArray, argument: str) -> None:
        joints = self._world._joints
        if not joints.any:
            self._set(rows, values, pose=True)
            return
        island = joints.moving_with(self, values, argument)
        if len(island) < 2:
            self._set(rows, values, pose=True)
            return
        store = self._world._store
        position, velocity, before = self.position, self.velocity, self.orientation
        with store.all_or_nothing():
            self._set(rows, values, pose=True)
            turn = rotation.multiply(self.orientation, rotation.conjugate(before))
            for body in island:
                if body is self:
                    continue
                moved = self.position + rotated(turn, body.position - position)
                body._check_finite(argument, values.tolist(), moved)
                swung = velocity + rotated(turn, body.velocity - velocity)
                body._set(_POSITION, moved, pose=True)
                if argument == "orientation":
                    body._set(_VELOCITY, swung)
                    turned = rotation.multiply(turn, body.orientation)
                    body._set(_ORIENTATION, unit_quaternion(turned, argument, body), pose=True)

    def _set_rates(self, rates: FloatArray) -> None:
        """Set the angular velocity in the body frame; wheels keep their speeds."""
        actuators, store = self._world._actuators, self._world._store
        if not actuators.has_wheels:
            self._set(_ANGULAR_VELOCITY, rates)
            return
        wheels = actuators.wheels_of(self.index)
        with store.all_or_nothing():
            speeds = actuators.speeds(wheels)
            self._set(_ANGULAR_VELOCITY, rates)
            actuators.set_speeds(wheels, speeds)

    def _check_finite(self, argument: str, value: object, *results: FloatArray) -> None:
        """Reject an argument, finite itself, that leads to values that overflow."""
        if not all(np.isfinite(result).all() for result in results):
            refuse(self, argument, value, SMALL_ENOUGH)

    def _push(self, part: int, force: Sequence[float] | None, torque: Sequence[float] | None) -> None:
        self._world._held.push(self, part, force, torque)

    def _rates_after(self, angular_impulse_world: FloatArray) -> FloatArray:
        impulse_body = rotated_inverse(self.orientation, angular_impulse_world)
        return self.angular_velocity_body + times(self.inverse_inertia_body, impulse_body)


def tensor_world(rotation_matrix: FloatArray, tensor_body: FloatArray) -> FloatArray:
    """``R T Rᵀ`` of one tensor or of a stack of them, shape (..., 3, 3)."""
    r, tensor = np.ascontiguousarray(rotation_matrix), np.ascontiguousarray(tensor_body)
    turned = np.einsum("...ij,...jk,...lk->...il", r, tensor, r)
    return np.asarray(0.5 * (turned + turned.swapaxes(-1, -2)))


def times(tensor: FloatArray, vector: FloatArray) -> FloatArray:
    """The product of one tensor with a vector, or of each one of a stack with its own."""
    # not @: its last bits differ between processors, and this result is written into the state; einsum's do so with the layout in memory
    return np.einsum("...ij,...j->...i", np.ascontiguousarray(tensor), np.ascontiguousarray(vector))


def _dot(a: FloatArray, b: FloatArray) -> float:
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def new_body(world: _WorldOfBody, table: Bodies, id: int, name: str) -> Body:
    """Create the handle of the body with this id."""
    body = Body.__new__(Body)
    body._world, body._table, body._id, body._name = world, table, id, name
    body._index = body._numbering = -1
    body._readers, body._user_data = _NONE_YET, None
    return body


def row_of(body: Body) -> int:
    """The row of a body, or -1 if it was removed."""
    rows = body._table.find(body._id, body._id + 1)
    return rows.start if rows.stop > rows.start else -1


def _body_in(world: Any, id: int, name: str) -> Body:
    """The handle of a body in a copied world; for a removed body, a handle that says so."""
    rows = world._bodies.find(id, id + 1)
    return world._bodies.handles[rows.start] if rows.stop > rows.start else new_body(world, world._bodies, id, name)
