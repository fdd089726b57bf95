"""Attitude from directions that are known in two frames, by TRIAD for two directions and Wahba's problem for any number."""

from __future__ import annotations  # help() then shows them as written

from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, refuse, stack
from ..formulas import DIRECTION, Formula
from ..kernels.wahba import Profile, add_observation, from_two_directions, optimal_rotation
from ..loops.array_forms import over_arrays

_APART = "two directions that are not on one line"

_TRIAD = Formula(
    "triad",
    from_two_directions,
    {"first_body": DIRECTION, "second_body": DIRECTION, "first_world": DIRECTION, "second_world": DIRECTION},
    (4,),
    rejected=("first_body", "second_body", "first_world", "second_world"),
    rule=f"{_APART}, in each frame",
)


def triad(
    first_body: npt.ArrayLike, second_body: npt.ArrayLike, first_world: npt.ArrayLike, second_world: npt.ArrayLike
) -> FloatArray:
    """Compute the attitude from two directions, each measured in the body and known in the world, by the TRIAD method.

    The first direction is matched exactly. The second only fixes the rotation about the first, so give the more accurate direction first.
    All arguments may be stacks.

    Args:
        first_body: First direction, body frame, of any non-zero length, shape (..., 3).
        second_body: Second direction, body frame, shape (..., 3).
        first_world: First direction, world frame, shape (..., 3).
        second_world: Second direction, world frame, shape (..., 3).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, with w ≥ 0, shape (..., 4).

    Raises:
        TypeError: If an argument is not an array of real numbers.
        ValueError: If a direction is zero or not finite, or the two directions of a frame are parallel or antiparallel within 1e-6 rad.

    Source: Black (1964).

    Example:
        >>> triad((1, 0, 0), (0, 1, 0), (0, 1, 0), (-1, 0, 0)).round(4).tolist()
        [0.0, 0.0, 0.7071, 0.7071]
    """
    return _TRIAD(first_body, second_body, first_world, second_world)


def quest(
    directions_body: npt.ArrayLike, directions_world: npt.ArrayLike, weights: npt.ArrayLike | None = None
) -> FloatArray:
    """Compute the attitude that fits two or more directions best, by Wahba's measure ``Σ wᵢ |world_i − R body_i|²/2``.

    With weights 1/σ², where σ is the standard deviation of the angular error of a direction [rad], this is the most probable attitude.
    Stacks give the same bits as single calls.

    Args:
        directions_body: Measured directions, body frame, each of any non-zero length, shape (..., k, 3) with k ≥ 2.
        directions_world: The same directions, world frame, shape (..., k, 3).
        weights: Weight of each direction, at least 0, shape (k,) or (..., k); None for equal weights.

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, with w ≥ 0, shape (..., 4).

    Raises:
        TypeError: If an argument is not an array of real numbers.
        ValueError: If a direction is zero or not finite, a weight is negative, all weights are zero, the shapes do not match, or all
            directions are on one line.

    Error: 4e-15 rad over the square of the angle between the directions, if their weights are equal (`tests/flight/test_estimation.py`).
    Source: the q method of Davenport (1968). QUEST, by Shuster and Oh (1981), finds the same attitude from a polynomial of fourth degree,
        which loses half of the digits; here Jacobi's rotations find the eigenvector.

    Example:
        >>> quest([(1, 0, 0), (0, 1, 0), (0, 0, 1)], [(1, 0, 0), (0, 0, 1), (0, -1, 0)]).round(4).tolist()
        [0.7071, 0.0, 0.0, 0.7071]
    """
    body, world = _directions(directions_body, "directions_body"), _directions(directions_world, "directions_world")
    count = body.shape[-2]
    chosen = np.ones(count) if weights is None else _weights(weights, count)
    try:
        leading = np.broadcast_shapes(body.shape[:-2], world.shape[:-2], chosen.shape[:-1])
        if count != world.shape[-2] or count < 2:
            raise ValueError
    except ValueError:
        given = (body.shape, world.shape, chosen.shape)
        refuse(
            "quest",
            "directions_body, directions_world and weights",
            given,
            "of shapes (..., k, 3), (..., k, 3) and (..., k) with k at least 2",
        )
    # floats and arrays go through the same formulas, so that a stack has the bits of single calls
    form: Any = (lambda function: function) if leading == () else over_arrays
    zero: Any = 0.0 if leading == () else np.zeros(leading)
    profile: Any = Profile(*(zero,) * 10)
    with np.errstate(all="ignore"):  # what is not finite in the end is rejected
        for place in range(count):
            given_body, given_world = (_parts(stack[..., place, :], leading) for stack in (body, world))
            weight = chosen[..., place]
            profile = form(add_observation)(
                profile, given_body, given_world, float(weight) if leading == () else weight
            )
        try:
            found = form(optimal_rotation)(profile)
        except ZeroDivisionError:
            found = (np.nan,) * 4
        result = np.stack([np.broadcast_to(part, leading) for part in found], axis=-1)
    if not np.isfinite(result).all():
        refuse(
            "quest", "directions_body and directions_world", (directions_body, directions_world), "not all on one line"
        )
    return result


def _directions(value: npt.ArrayLike, name: str) -> FloatArray:
    """A fresh array of non-zero vectors, shape (..., k, 3)."""
    given = stack(value, name, "quest", 3)
    if given.ndim < 2 or not given.size:
        refuse("quest", name, value, "finite real numbers of shape (..., k, 3)")
    if not given.any(axis=-1).all():
        refuse("quest", name, value, "non-zero vectors")
    return given


def _weights(value: npt.ArrayLike, count: int) -> FloatArray:
    given = stack(value, "weights", "quest", count)
    if (given < 0.0).any() or not (given > 0.0).any(axis=-1).all():
        refuse("quest", "weights", value, "at least 0, and not all 0")
    return given


def _parts(vectors: FloatArray, leading: tuple[int, ...]) -> Any:
    """The components of vectors: floats of one, arrays of a stack."""
    return tuple(vectors.tolist()) if leading == () else tuple(np.moveaxis(vectors, -1, 0))
