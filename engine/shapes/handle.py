"""The tables of shapes and contacts, and the handle of a shape in a world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, boolean, encodable, integer, members, refuse, unit_quaternion, vector
from ..collision import layout
from ..constraints.layout import BY_SWEEPS
from ..reading import reading
from ..store.rows import BodiesOfRows, BodyHandle, Given, Parameter, TableRows, fixed, reference_fields, require_body
from ..store.schema import ANY, NOBODY, NOT_NEGATIVE, POINT, SHARE, SWITCH, UNIT, Field, Kind, Schema, Stored, up_to
from .material import ALL, DEFAULT, MOST_LAYERS, Material
from .shape import Shape, pivot_of, placed, pose_of_whole

MOST_GROUPS = 2**31 - 1
"""The largest collision group."""

SHAPES = Schema(
    "shapes",
    (
        *reference_fields("body", or_nobody="body"),
        Field("type", Kind.MODEL, digest=0, meaning="number of the type", stored=up_to(7)),
        Field("sizes", Kind.MODEL, 3, "m", "shape", digest=1, rule=NOT_NEGATIVE, meaning="see `collision.layout`"),
        Field("position", Kind.STATE, 3, "m", "body or world", digest=2, rule=ANY, world_axes=POINT, unless_on="body"),
        Field("orientation", Kind.STATE, 4, "-", "shape to body or world", digest=3, rest=(0.0, 0.0, 0.0, 1.0), stored=UNIT),
        Field("friction", Kind.MODEL, 1, digest=4, rule=NOT_NEGATIVE),
        Field("restitution", Kind.MODEL, 1, digest=5, rule=SHARE),
        Field("layer", Kind.MODEL, 1, digest=6, stored=up_to(63)),
        Field("collides_with", Kind.MODEL, 2, digest=7, stored=up_to(2.0**32 - 1.0), meaning="lower and upper 32 layers, as bits"),
        Field("fingerprint", Kind.MODEL, 2, digest=8, stored=up_to(2.0**32 - 1.0), meaning="of the points of a hull or terrain"),
        Field("sensor", Kind.MODEL, digest=9, rule=SWITCH, meaning="whether it only reports what it overlaps"),
        Field("group", Kind.MODEL, digest=10, is_new=True, stored=up_to(float(MOST_GROUPS)), meaning="collision group of its body"),
        Field("velocity", Kind.COMMAND, 3, "m/s", "world", digest=11, rule=ANY, is_new=True, meaning="of the shape's origin"),
        Field("angular_velocity_world", Kind.COMMAND, 3, "rad/s", "world", digest=12, rule=ANY, is_new=True),
        Field("pivot", Kind.MODEL, 3, "m", "shape", digest=13, is_new=True, meaning="origin of the shape of which it is a part"),
        Field("placed", Kind.STATE, digest=14, is_new=True, stored=up_to(2), meaning="1: its depth in others is checked; 2: it is allowed"),
    ),
    flown=True,
    flown_while=("velocity", "angular_velocity_world", "placed"),
)  # fmt: skip
"""Shapes, in the component order of `collision.layout`."""

IGNORED = Schema(
    "ignored pairs",
    (
        Field("body", Kind.MODEL, digest=0, refers_to="bodies"),
        Field("other", Kind.MODEL, digest=1, refers_to="bodies"),
    ),
)
"""Pairs of bodies that do not touch each other."""

GROUPS = Schema(
    "collision groups",
    (
        Field("body", Kind.MODEL, digest=0, refers_to="bodies"),
        Field("group", Kind.MODEL, digest=1, stored=Stored(1.0, float(MOST_GROUPS), is_whole=True)),
    ),
)
"""The groups of bodies that are not in group 0; the rows of their shapes have them as well."""

CONTACTS = Schema(
    "contacts",
    (
        Field("shape", Kind.STATE, digest=0, refers_to="shapes", meaning="row of the first shape, which a body has"),
        Field("other_shape", Kind.STATE, digest=1, refers_to="shapes", meaning="row of the other shape"),
        Field("at_body", Kind.STATE, 3, "m", "body", digest=2, meaning="from the mass centre"),
        Field("at_other", Kind.STATE, 3, "m", "other or world", digest=3, meaning="from the mass centre"),
        Field("first_solves", Kind.STATE, 6, "N", "world", digest=4, meaning="of both stages, mean over the last tick"),
        Field("point_world", Kind.STATE, 3, "m", "world", digest=5, world_axes=POINT),
        Field("normal_world", Kind.STATE, 3, "-", "world", digest=6, meaning="from the other body to the first"),
        Field("impulse_world", Kind.STATE, 3, "N·s", "world", digest=7, meaning="on the first body, in the last tick"),
        Field("gap", Kind.STATE, 1, "m", digest=8),
        Field("closing_speed", Kind.STATE, 1, "m/s", digest=9, meaning="in the last tick"),
        Field("solver", Kind.STATE, digest=10, stored=up_to(BY_SWEEPS), meaning="what found the impulse; see `constraints.layout`"),
    ),
    flown=True,
    is_filled_by_ticks=True,
)  # fmt: skip
"""Points at which shapes were near each other in the last tick, by pairs of shapes."""


class ShapeHandle(TableRows):
    """A shape of a body or of the world, made by `Body.add_shape` or `World.add_shape`.

    Its material, its layers and `enabled` may be assigned at any time, and act from the next tick on. So may the velocities with which a
    shape of the world moves.

    Example:
        >>> from engine import MassProperties, World, shapes
        >>> world = World(dt=1 / 60)
        >>> ball = world.add_body(MassProperties.sphere(2.0, 0.5))
        >>> hull = ball.add_shape(shapes.Sphere(0.5))
        >>> hull.enabled = False  # nothing touches it from the next tick on
        >>> hull.enabled
        False
    """

    __slots__ = ("_name", "_shape")

    _schema: ClassVar[Schema] = SHAPES
    _kind_of_member: ClassVar[str] = "shape"

    _shape: Shape
    _name: str

    _arguments_in_rows = ("collides_with", "owner")
    _counted_in_ticks = frozenset(("type", "sizes"))

    def __init__(
        self,
        shape: Shape,
        body: BodyHandle | None = None,
        position: npt.ArrayLike = (0.0, 0.0, 0.0),
        orientation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
        material: Material = DEFAULT,
        layer: int = 0,
        collides_with: Iterable[int] = ALL,
        sensor: bool = False,
        name: str | None = None,
        velocity: npt.ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity_world: npt.ArrayLike = (0.0, 0.0, 0.0),
        allow_overlap: bool = False,
        *,
        owner: str = "ShapeHandle",
    ) -> None:
        """Check the arguments and make the rows, one for each part by which the shape touches; see `Body.add_shape`."""
        if not isinstance(shape, Shape):
            refuse(owner, "shape", shape, "a shape of engine.shapes, such as a Box", TypeError)
        solids = shape._solids()
        if body is not None:
            require_body(body, "body", owner)
            if not shape._is_for_bodies:
                refuse(
                    *(owner, "shape", shape, "a convex shape, or a Compound of convex shapes"),
                    hint="a plane, a mesh or a height field belongs to the world: World.add_shape",
                )
        if not isinstance(material, Material):
            refuse(owner, "material", material, "a shapes.Material", TypeError)
        if name is None:
            name = type(shape).__name__.lower()
        if not isinstance(name, str):
            refuse(owner, "name", name, "a string", TypeError)
        if not name:
            refuse(owner, "name", name, "a string that is not empty")
        place, turn = vector(position, "position", owner), unit_quaternion(orientation, "orientation", owner)
        poses = [placed(place, turn, solid) for solid in solids]
        self._shape, self._name = shape, encodable(name, "name", owner)
        values = {
            "type": [[solid.type for solid in solids]],
            "sizes": np.transpose([solid.sizes for solid in solids]),
            "position": np.transpose([each for each, _turn in poses]),
            "orientation": np.transpose([each for _place, each in poses]),
            "friction": [[material.friction]],
            "restitution": [[material.restitution]],
            "sensor": [[boolean(sensor, "sensor", owner)]],
            "layer": [[checked_layer(layer, "layer", owner)]],
            "collides_with": np.reshape(bits_of(collides_with, owner), (2, 1)),
            "fingerprint": np.transpose([solid.points.fingerprint for solid in solids]),
            "velocity": vector(velocity, "velocity", owner)[:, np.newaxis],
            "angular_velocity_world": vector(angular_velocity_world, "angular_velocity_world", owner)[:, np.newaxis],
            "pivot": np.transpose([pivot_of(solid) for solid in solids]),
            "placed": [
                [layout.MAY_OVERLAP if boolean(allow_overlap, "allow_overlap", owner) else layout.TO_BE_CHECKED]
            ],
        }
        super().__init__([(body,)] * len(solids), {key: np.asarray(value, float) for key, value in values.items()})

    enabled = Parameter[bool]("Whether it touches anything, initially True.")

    sensor = Parameter[bool]("Whether it only reports what it overlaps, and never pushes.")

    def _misfit(self, columns: FloatArray, bodies: BodiesOfRows, attributes: Mapping[str, object]) -> str:
        shape = attributes["_shape"]
        fits = isinstance(shape, Shape) and _fits_rows(shape, columns)
        return "" if fits else f"that of a shape with the rows in its table, all of one owner, which {shape} has not"

    @fixed
    def body(self) -> BodyHandle | None:
        """The body that has it; None if it belongs to the world."""
        return self._bodies[0][0]

    shape = Given[Shape]("The kind of shape with its sizes.")

    name = Given[str]("Its name.")

    @property
    def position(self) -> FloatArray:
        """Its origin [m], body frame from the body's origin, or world frame, shape (3,)."""
        return reading(self._pose()[0])

    @property
    def orientation(self) -> FloatArray:
        """Unit quaternion, scalar-last (x, y, z, w), from its axes to those of the body or the world, shape (4,)."""
        return reading(self._pose()[1])

    @property
    def allow_overlap(self) -> bool:
        """Whether the next tick may begin with this shape and others deep in each other; False when a tick has been taken with it.

        It is enough if one of two shapes allows it. A shape with which a tick has been taken is checked against new ones alone.
        """
        return self._value("placed") == layout.MAY_OVERLAP

    @allow_overlap.setter
    def allow_overlap(self, value: bool) -> None:
        if boolean(value, "allow_overlap", repr(self)):
            self._write(layout.IS_NEW, layout.MAY_OVERLAP)
        elif self.allow_overlap:
            self._write(layout.IS_NEW, layout.TO_BE_CHECKED)

    @property
    def velocity(self) -> FloatArray:
        """Velocity of the origin of a shape of the world [m/s], world frame, shape (3,); when assigned, it acts from the next tick on.

        It is zero for a shape of a body, which moves with this, and cannot be assigned there.
        """
        return reading(self._value("velocity"))

    @velocity.setter
    def velocity(self, value: npt.ArrayLike) -> None:
        self._prescribe("velocity", value)

    @property
    def angular_velocity_world(self) -> FloatArray:
        """Angular velocity of a shape of the world about its origin [rad/s], world frame, shape (3,); assigned as `velocity` is."""
        return reading(self._value("angular_velocity_world"))

    @angular_velocity_world.setter
    def angular_velocity_world(self, value: npt.ArrayLike) -> None:
        self._prescribe("angular_velocity_world", value)

    def _prescribe(self, name: str, value: npt.ArrayLike) -> None:
        if self._bodies[0][0] is not None:
            refuse(self, name, value, "left as it is; a shape of a body moves with the body")
        self._assign(name, value)

    def _pose(self) -> tuple[FloatArray, FloatArray]:
        place, turn = self._value("position"), self._value("orientation")
        return pose_of_whole(np.array(place), np.array(turn), self._shape._solids()[0])

    @property
    def material(self) -> Material:
        """Friction and restitution."""
        return Material(self._value("friction"), self._value("restitution"))

    @material.setter
    def material(self, value: Material) -> None:
        if not isinstance(value, Material):
            refuse(self, "material", value, "a shapes.Material", TypeError)
        self._write(layout.FRICTION, value.friction, value.restitution)

    @property
    def layer(self) -> int:
        """The layer of the shape, from 0 to 63."""
        return int(self._value("layer"))

    @layer.setter
    def layer(self, value: int) -> None:
        self._write(layout.LAYER, float(checked_layer(value, "layer", repr(self))))

    @property
    def collides_with(self) -> tuple[int, ...]:
        """The layers of the shapes that it may touch; both shapes must have the other's layer among theirs."""
        low, high = (int(part) for part in self._value("collides_with"))
        return tuple(layer for layer in ALL if (low | high << 32) >> layer & 1)

    @collides_with.setter
    def collides_with(self, value: Iterable[int]) -> None:
        self._write(layout.COLLIDES_WITH, *bits_of(value, repr(self)))

    def _set_group(self, group: int) -> None:
        """Have the group of its body."""
        self._write(layout.GROUP, float(group))

    def _write(self, first: int, *values: float) -> None:
        """Write the same values into all of its rows."""
        rows = self._slice()
        columns = np.repeat(np.array(values, float)[:, np.newaxis], len(self.rows), axis=1)
        self._table.write(slice(first, first + len(values)), rows, columns)

    def __repr__(self) -> str:
        return self._on(self._bodies[0][0])

    def _on(self, body: object) -> str:
        """Name it as that of a body, which another member of a batch may have."""
        return f"<{self._shape!r} {self._name!r} of {'the world' if body is None else repr(body)}>"


def checked_layer(value: object, argument: str, owner: str) -> int:
    """A layer, from 0 to 63."""
    layer = integer(value, argument, owner, at_least=0)
    if layer >= MOST_LAYERS:
        refuse(owner, argument, value, f"a layer from 0 to {MOST_LAYERS - 1}")
    return layer


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


_ALL_BITS = 0xFFFFFFFF
"""Half of the mask of all layers."""


def bits_of(layers: Iterable[int], owner: str, argument: str = "collides_with") -> tuple[int, int]:
    """Layers as the lower and the upper 32 bits of a mask."""
    if layers is ALL:
        return _ALL_BITS, _ALL_BITS
    rule, mask = "up to 64 layers from 0 to 63, or shapes.ALL", 0
    places = count()
    for layer in members(layers, argument, owner, rule, lambda layer: _is_number(layer) and next(places) < MOST_LAYERS):
        mask |= 1 << checked_layer(layer, argument, owner)
    return mask & _ALL_BITS, mask >> 32


def _fits_rows(shape: Shape, columns: FloatArray) -> bool:
    """Whether rows of the table of shapes, as columns, are those of the parts of a shape of one owner."""
    solids, owners = shape._solids(), set(columns[layout.BODY].tolist())
    named = columns[layout.FINGERPRINT : layout.FINGERPRINT + 2].T.tolist()
    return (
        columns[layout.TYPE].tolist() == [solid.type for solid in solids]
        and columns[layout.SIZES : layout.SIZES + 3].T.tolist() == [list(solid.sizes) for solid in solids]
        and named == [list(solid.points.fingerprint) for solid in solids]
        and columns[layout.PIVOT : layout.PIVOT + 3].T.tolist() == [pivot_of(solid).tolist() for solid in solids]
        and (owners == {NOBODY} or not columns[layout.SHAPE_VELOCITY : layout.SHAPE_SPIN + 3].any())
        and len(owners) == 1
        and (shape._is_for_bodies or owners == {NOBODY})
    )
