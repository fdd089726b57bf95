"""Shapes of several parts."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from ..checks import members, refuse, unit_quaternion, vector
from .shape import Shape, Solid, moved, placed
from .surfaces import Surface

_RULE = "a sequence of triples of a shape, its position and its orientation"


class Compound(Shape):
    """Several shapes that are fixed to each other.

    Args:
        parts: A sequence of (shape, position, orientation), as in `MassProperties.compound`. The position is that of the part's origin [m],
            in the axes of the whole, shape (3,). The orientation is the unit quaternion, scalar-last (x, y, z, w), from the part's axes to
            those of the whole, shape (4,).

    Raises:
        TypeError: If an entry of `parts` is not such a triple.
        ValueError: If `parts` is empty, or a position or orientation is out of range.

    Example:
        >>> from engine import shapes
        >>> ball = shapes.Sphere(0.5)
        >>> dumbbell = shapes.Compound([(ball, (0, 0, 2), (0, 0, 0, 1)), (ball, (0, 0, -2), (0, 0, 0, 1))])
        >>> dumbbell.reach
        2.5
    """

    parts: tuple[tuple[Shape, tuple[float, ...], tuple[float, ...]], ...]
    """The shapes with their positions [m] and orientations."""

    _arguments = ("parts",)

    def __init__(self, parts: Iterable[tuple[Shape, npt.ArrayLike, npt.ArrayLike]]) -> None:
        owner, read = "shapes.Compound", []
        for number, (shape, position, orientation) in enumerate(members(parts, "parts", owner, _RULE, _is_part)):
            place = vector(position, f"parts[{number}] position", owner)
            turn = unit_quaternion(orientation, f"parts[{number}] orientation", owner)
            read.append((shape, tuple(place.tolist()), tuple(turn.tolist())))
        if not read:
            refuse(owner, "parts", parts, f"{_RULE} with at least one part")
        super().__init__(parts=tuple(read))

    @property
    def _is_for_bodies(self) -> bool:  # type: ignore[override]
        return all(shape._is_for_bodies for shape, _position, _turn in self.parts)

    def _solids(self) -> tuple[Solid, ...]:
        found: list[Solid] = []
        for shape, position, turn in self.parts:
            solids = shape._solids()
            if not solids:
                return ()
            found += [
                Solid(each.type, each.sizes, *placed(np.array(position), np.array(turn), each), each.points)
                for each in solids
            ]
        return tuple(found)

    def _triangles(self) -> Surface:
        corners, faces, count = [], [], 0
        for shape, position, turn in self.parts:
            own, indices = moved((shape.vertices, shape.faces), np.array(position), np.array(turn))
            corners.append(own)
            faces.append(indices + count)
            count += len(own)
        return np.concatenate(corners), np.concatenate(faces)

    def __repr__(self) -> str:
        return f"<Compound of {len(self.parts)} parts>"

    def _values(self) -> tuple[object, ...]:
        return (self.parts,)


def _is_part(entry: object) -> bool:
    return isinstance(entry, tuple | list) and len(entry) == 3 and isinstance(entry[0], Shape)
