"""The surface of a shape, and the layers with which it collides."""

from __future__ import annotations

from ..checks import explaining_errors, real, refuse

MOST_LAYERS = 64
ALL = tuple(range(MOST_LAYERS))
"""All layers, with which a shape collides unless it is told otherwise."""


@explaining_errors()
class Material:
    """The surface of a shape.

    Between two shapes, the coefficient of friction is the geometric mean of both, and the restitution is the larger one.

    Args:
        friction: Coefficient of Coulomb friction, not negative; the same for sticking and for sliding.
        restitution: Ratio of the normal velocities after and before an impact, from 0 to 1.

    Raises:
        TypeError: If a value is not a number.
        ValueError: If friction is negative, or restitution is not from 0 to 1.

    Example:
        >>> from engine.shapes import Material
        >>> Material(friction=0.8)
        Material(friction=0.8, restitution=0)
    """

    __slots__ = ("friction", "restitution")

    friction: float
    restitution: float

    def __init__(self, friction: float = 0.5, restitution: float = 0.0) -> None:
        object.__setattr__(self, "friction", real(friction, "friction", "shapes.Material", at_least=0.0))
        value = real(restitution, "restitution", "shapes.Material", at_least=0.0)
        if value > 1.0:
            refuse("shapes.Material", "restitution", restitution, "from 0 to 1")
        object.__setattr__(self, "restitution", value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"shapes.Material: {name} cannot be changed; make another material")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Material) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __reduce__(self) -> tuple[object, ...]:
        return Material, self._values()

    def __repr__(self) -> str:
        return f"Material(friction={self.friction:g}, restitution={self.restitution:g})"

    def _values(self) -> tuple[float, float]:
        return self.friction, self.restitution


DEFAULT = Material()
"""The material of a shape that is given none."""
