"""How two bodies, or two sets of bodies that move as one, yield to unit impulses at a common point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..kernels.quaternions import Quaternion, rotate_inverse
from ..kernels.vectors import Vector, add, cross, dot

Direction = tuple[Vector, Vector]
"""Directions of an impulse and of an angular impulse at the common point, world frame."""

Matrix = list[list[float]]

_NEGLIGIBLE = 1e-9
"""Share of what two bodies alone would yield below which a row does not yield: others hold it, and what is left is rounding."""


class Side(NamedTuple):
    """A rigid body on one side of a joint.

    Attributes:
        arm: From its mass centre to the common point [m], world frame.
        orientation: The orientation of the axes of its inertia.
        inverse_mass: 1/mass [1/kg].
        inverse_inertia: The rows of the inverse inertia about its mass centre [1/(kg·m²)], in those axes.
    """

    arm: Vector
    orientation: Quaternion
    inverse_mass: float
    inverse_inertia: Sequence[Sequence[float]]


def mobility(sides: Sequence[Side], rows: Sequence[Direction]) -> Matrix:
    """Rates of rows for unit impulses of rows at a common point."""
    count = len(rows)
    matrix = [[0.0] * count for _ in rows]
    for side in sides:
        turns = [rotate_inverse(side.orientation, 2.0, add(cross(side.arm, push), twist)) for push, twist in rows]
        answers = [_times(side.inverse_inertia, turn) for turn in turns]
        for i in range(count):
            for j in range(count):
                linear = dot(rows[i][0], rows[j][0]) * side.inverse_mass
                matrix[i][j] += linear + dot(turns[i], answers[j])
    return matrix


def last_with_others_held(matrix: Matrix, scales: Sequence[float]) -> float:
    """The rate of the last row for a unit impulse of it, while impulses of the other rows hold those; by elimination in plain floats.

    Args:
        matrix: Rates of rows for unit impulses of rows.
        scales: What each row would yield if nothing else held it. A row that yields much less is held already.
    """
    matrix = [list(row) for row in matrix]
    count = len(matrix)
    for k in range(count - 1):
        if not matrix[k][k] > _NEGLIGIBLE * scales[k]:
            continue
        for i in range(k + 1, count):
            share = matrix[i][k] / matrix[k][k]
            for j in range(k, count):
                matrix[i][j] -= share * matrix[k][j]
    left = matrix[-1][-1]
    return left if left > _NEGLIGIBLE * scales[-1] else 0.0


def _times(rows: Sequence[Sequence[float]], vector: Vector) -> Vector:
    x, y, z = (row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2] for row in rows)
    return x, y, z
