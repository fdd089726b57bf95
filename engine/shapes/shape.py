"""What all shapes have in common: their sizes, their surface as triangles, and the solids by which they touch."""

from __future__ import annotations  # help() then shows them as written

from functools import cached_property
from typing import ClassVar, NamedTuple, NoReturn, Self

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, explaining_errors, read_only
from ..rotation import conjugate, multiply, rotate
from .points import NO_POINTS, Points
from .surfaces import Surface

_REST = read_only(np.array((0.0, 0.0, 0.0, 1.0)))
_HERE = read_only(np.zeros(3))


class Solid(NamedTuple):
    """A part by which a shape touches, which is a row of the table of shapes."""

    type: int
    """See `collision.layout`."""
    sizes: tuple[float, float, float]
    position: FloatArray = _HERE
    """Of its origin from that of the shape [m], in the axes of the shape."""
    orientation: FloatArray = _REST
    """From its axes to those of the shape."""
    points: Points = NO_POINTS
    """Its corners and faces, if its type has any."""


class Shape:
    """A shape with its sizes, in its own axes; the base class of all shapes, which may be given to any number of bodies.

    Make one of the shapes of `engine.shapes`, which check their arguments; this class does not.
    """

    _arguments: ClassVar[tuple[str, ...]] = ()
    """The names of the arguments of its class, which are attributes."""
    _type: ClassVar[int | None] = None
    """The type of its solid in `collision.layout`; None if it is drawn only."""
    _is_for_bodies: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        explaining_errors()(cls)

    def __init__(self, **values: object) -> None:
        vars(self).update(values)

    @property
    def vertices(self) -> FloatArray:
        """Corners of its surface as triangles [m], in its own axes, shape (n, 3)."""
        return self._surface[0]

    @property
    def faces(self) -> npt.NDArray[np.int64]:
        """Indices of the three corners of each triangle, anticlockwise seen from outside, shape (m, 3)."""
        return self._surface[1]

    @property
    def reach(self) -> float:
        """Distance of the farthest corner of its surface from its origin [m]."""
        return float(np.linalg.norm(self.vertices, axis=1).max())

    @cached_property
    def _surface(self) -> Surface:
        corners, faces = self._triangles()
        corners.flags.writeable = faces.flags.writeable = False
        return corners, faces

    def _triangles(self) -> Surface:
        """New arrays of the corners and triangles of its surface."""
        raise NotImplementedError

    def _sizes(self) -> tuple[float, float, float]:
        """The sizes of its solid."""
        raise NotImplementedError

    def _solids(self) -> tuple[Solid, ...]:
        """The parts by which it touches; none if it is drawn only."""
        return () if self._type is None else (Solid(self._type, self._sizes()),)

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self._arguments)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}: {name} cannot be changed; make another shape")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._values()

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        """Itself, because no shape changes: a copy of a world has the shapes of the world."""
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(_shown, self._values()))})"


def arguments_of(shape: Shape) -> tuple[object, ...]:
    """The arguments with which a shape can be made again."""
    return shape._values()


def _shown(value: object) -> str:
    return f"({', '.join(map(_shown, value))})" if isinstance(value, tuple) else f"{value:g}"


def placed(position: FloatArray, orientation: FloatArray, solid: Solid) -> tuple[FloatArray, FloatArray]:
    """The pose of a solid whose shape has this pose."""
    if solid.position is _HERE and solid.orientation is _REST:
        return position, orientation
    return position + np.asarray(rotate(orientation, solid.position)), np.asarray(
        multiply(orientation, solid.orientation)
    )


def pose_of_whole(position: FloatArray, orientation: FloatArray, solid: Solid) -> tuple[FloatArray, FloatArray]:
    """The pose of a shape of which this solid has the given pose."""
    if solid.position is _HERE and solid.orientation is _REST:
        return position, orientation
    turn = np.asarray(multiply(orientation, conjugate(solid.orientation)))
    return position - np.asarray(rotate(turn, solid.position)), turn


def pivot_of(solid: Solid) -> FloatArray:
    """The origin of the shape of which this is a part [m], from the origin of the part, in its axes."""
    if solid.position is _HERE:
        return _HERE
    return -np.asarray(rotate(conjugate(solid.orientation), solid.position))


def moved(surface: Surface, position: FloatArray, orientation: FloatArray) -> Surface:
    """A surface that is turned and then moved."""
    corners, faces = surface
    turned = rotate(np.broadcast_to(orientation, (len(corners), 4)), corners)
    return np.asarray(turned) + position, faces
