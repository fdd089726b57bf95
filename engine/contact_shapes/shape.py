"""The table of shapes, what all kinds of shapes have in common, and the handle of a shape in a world."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from ..checks import FloatArray, by_value, integer, refuse
from ..collision import layout
from ..store.rows import BodyHandle, Parameter, TableRows, fixed, reference_fields
from ..store.schema import ANY, NOT_NEGATIVE, POINT, SHARE, UNIT, Field, Kind, Schema, up_to
from .material import ALL, MOST_LAYERS, Material

SHAPES = Schema(
    "shapes",
    (
        *reference_fields("body", or_nobody="body"),
        Field("type", Kind.MODEL, digest=0, meaning="number of the type", stored=up_to(2)),
        Field("sizes", Kind.MODEL, 3, "m", "shape", digest=1, rule=NOT_NEGATIVE, meaning="radius, or half the edges"),
        Field("position", Kind.MODEL, 3, "m", "body or world", digest=2, rule=ANY, world_axes=POINT, unless_on="body"),
        Field("orientation", Kind.MODEL, 4, "-", "shape to body or world", digest=3, rest=(0.0, 0.0, 0.0, 1.0), stored=UNIT),
        Field("friction", Kind.MODEL, 1, digest=4, rule=NOT_NEGATIVE),
        Field("restitution", Kind.MODEL, 1, digest=5, rule=SHARE),
        Field("layer", Kind.MODEL, 1, digest=6, stored=up_to(63)),
        Field("collides_with", Kind.MODEL, 2, digest=7, stored=up_to(2.0**32 - 1.0), meaning="lower and upper 32 layers, as bits"),
    ),
)  # fmt: skip
"""Shapes, in the component order of `collision.layout`."""

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
    ),
    flown=True,
    is_filled_by_ticks=True,
)  # fmt: skip
"""Points at which shapes were near each other in the last tick, by pairs of shapes."""


class Shape:
    """A kind of shape with its sizes, which may be given to several bodies."""

    __slots__ = ()

    _type: ClassVar[int]
    _is_for_bodies: ClassVar[bool] = True

    def _sizes(self) -> tuple[float, float, float]:
        raise NotImplementedError

    def _placed(self, position: FloatArray, orientation: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Where its axes are if it is placed so."""
        return position, orientation


class ShapeHandle(TableRows):
    """A shape of a body or of the world, made by `Body.add_shape` or `World.add_shape`.

    Its material, its layers and `enabled` may be assigned at any time, and act from the next tick on.
    """

    __slots__ = ("_name", "_shape")

    _schema: ClassVar[Schema] = SHAPES
    _kind_of_member: ClassVar[str] = "shape"

    _shape: Shape
    _name: str

    def __init__(
        self,
        shape: Shape,
        body: BodyHandle | None,
        position: FloatArray,
        orientation: FloatArray,
        material: Material,
        layer: int,
        collides_with: Iterable[int],
        name: str,
        owner: str,
    ) -> None:
        """Check the arguments and make the row; used by `Body.add_shape` and `World.add_shape`."""
        self._shape, self._name = shape, name
        place, turn = shape._placed(position, orientation)
        values: dict[str, Any] = {
            "type": [shape._type],
            "sizes": shape._sizes(),
            "position": place,
            "orientation": turn,
            "friction": [material.friction],
            "restitution": [material.restitution],
            "layer": [checked_layer(layer, "layer", owner)],
            "collides_with": bits_of(collides_with, owner),
        }
        super().__init__(
            [(body,)], {key: np.reshape(np.asarray(value, float), (-1, 1)) for key, value in values.items()}
        )

    enabled = Parameter[bool]("Whether it touches anything, initially True.")

    @fixed
    def body(self) -> BodyHandle | None:
        """The body that has it; None if it belongs to the world."""
        return self._bodies[0][0]

    @fixed
    def shape(self) -> Shape:
        """The kind of shape with its sizes."""
        return self._shape

    @fixed
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def material(self) -> Material:
        """Friction and restitution."""
        return Material(self._value("friction"), self._value("restitution"))

    @material.setter
    def material(self, value: Material) -> None:
        if not isinstance(value, Material):
            refuse(self, "material", value, "a shapes.Material", TypeError)
        self._table.write(
            slice(layout.FRICTION, layout.RESTITUTION + 1), self._slice().start, [value.friction, value.restitution]
        )

    @property
    def layer(self) -> int:
        """The layer of the shape, from 0 to 63."""
        return int(self._value("layer"))

    @layer.setter
    def layer(self, value: int) -> None:
        self._table.write(layout.LAYER, self._slice().start, checked_layer(value, "layer", repr(self)))

    @property
    def collides_with(self) -> tuple[int, ...]:
        """The layers of the shapes that it may touch; both shapes must have the other's layer among theirs."""
        low, high = (int(part) for part in self._value("collides_with"))
        return tuple(layer for layer in ALL if (low | high << 32) >> layer & 1)

    @collides_with.setter
    def collides_with(self, value: Iterable[int]) -> None:
        rows = slice(layout.COLLIDES_WITH, layout.COLLIDES_WITH + 2)
        self._table.write(rows, self._slice().start, bits_of(value, repr(self)))

    def __repr__(self) -> str:
        owner = "the world" if self._bodies[0][0] is None else repr(self._bodies[0][0])
        return f"<{self._shape!r} {self._name!r} of {owner}>"


def checked_layer(value: object, argument: str, owner: str) -> int:
    """A layer, from 0 to 63."""
    layer = integer(value, argument, owner, at_least=0)
    if layer >= MOST_LAYERS:
        refuse(owner, argument, value, f"a layer from 0 to {MOST_LAYERS - 1}")
    return layer


def bits_of(layers: Iterable[int], owner: str) -> tuple[int, int]:
    """Layers as the lower and the upper 32 bits of a mask."""
    if isinstance(layers, str) or not hasattr(layers, "__iter__"):
        refuse(owner, "collides_with", layers, "layers from 0 to 63, or shapes.ALL", TypeError)
    mask = 0
    for layer in by_value(layers, "collides_with", owner, "layers") if isinstance(layers, np.ndarray) else layers:
        mask |= 1 << checked_layer(layer, "collides_with", owner)
    return mask & 0xFFFFFFFF, mask >> 32
