"""What a control loop measures: the state of its body, and what an estimator says instead."""

from __future__ import annotations  # help() then shows them as written

from typing import Any

import numpy as np

from ..checks import FloatArray
from ..loops.layout import (
    ANGULAR_VELOCITY,
    CENTER_OF_MASS,
    INERTIA,
    ORIENTATION,
    POSITION,
    STORED_MOMENTUM,
    VELOCITY,
)
from ..store.rows import BodyHandle
from .samples import Components, components, tensor_components

_NO_ARRAY = np.zeros((0, 0))
_TENSOR = "inertia_body"
_ROWS = {
    "position": slice(POSITION, POSITION + 3),
    "orientation": slice(ORIENTATION, ORIENTATION + 4),
    "velocity": slice(VELOCITY, VELOCITY + 3),
    "angular_velocity_body": slice(ANGULAR_VELOCITY, ANGULAR_VELOCITY + 3),
    "center_of_mass_body": slice(CENTER_OF_MASS, CENTER_OF_MASS + 3),
    _TENSOR: slice(INERTIA, INERTIA + 6),
    "stored_momentum_body": slice(STORED_MOMENTUM, STORED_MOMENTUM + 3),
}
"""Rows of the attributes of a body; of a tensor xx, yy, zz, xy, xz and yz."""


class Measured:
    """What an estimator says of a body; what it does not say is read from the body itself.

    Laws and references of users read the attributes. The laws of the engine read `numbers`, which takes a quarter of the time.
    """

    __slots__ = ("array", "body", "column", "estimate")

    array: FloatArray
    """The array of all bodies of the world."""
    column: int
    """The column of the body."""

    def __init__(self, estimate: object, body: BodyHandle, array: FloatArray = _NO_ARRAY) -> None:
        """Measure a body.

        Args:
            estimate: The estimator; None for what the body itself says.
            body: The body.
            array: The array of all bodies of its world.
        """
        self.estimate, self.body = estimate, body
        self.array, self.column = array, body.index

    def __getattr__(self, name: str) -> Any:
        return getattr(self.estimate if hasattr(self.estimate, name) else self.body, name)

    @property
    def for_users(self) -> object:
        """What laws and references of users are given, which is the body itself if there is no estimator."""
        return self.body if self.estimate is None else self

    def numbers(self, attribute: str, owner: object, size: int) -> Components:
        """The components of an attribute, those of a tensor in the order xx, yy, zz, xy, xz, yz.

        Args:
            attribute: The name of the attribute.
            owner: The law that reads it, in errors.
            size: The number of its components.
        """
        estimate = self.estimate
        if estimate is not None and (value := getattr(estimate, attribute, None)) is not None:
            return _read(value, attribute, owner, size)
        if (rows := _ROWS.get(attribute)) is None:
            return _read(getattr(self.body, attribute), attribute, owner, size)
        # the attributes of the body compute the same, but each makes an array of its own
        kept: list[float] = self.array[rows, self.column].tolist()
        return kept


def _read(value: object, attribute: str, owner: object, size: int) -> Components:
    if attribute == _TENSOR:
        return tensor_components(value, f"measured {attribute}", owner)
    return components(value, f"measured {attribute}", owner, size)
