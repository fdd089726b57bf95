"""Whether a direction is a normal of a terrain at one of its points, given the surface around that."""

from math import sqrt

from ..compilation.compiler import inlined, kernel
from ..constraints.joint_types import load
from ..kernels.vectors import Vector, add, add_scaled, dot, scale, subtract
from ..loops.columns import Array, Integers
from .layout import HIGH, LOW
from .pairs import Scene
from .parting import nearest_in_triangle
from .poses import axes_of, pose_of
from .triangles import corners_of, into, list_near

WITHIN, BESIDE = 1e-7, 1e-4
"""Share of the least half extent by which a triangle of the same and of another terrain may be off a point that it contains."""
RISES = 1e-7
"""Sine of an angle below which a surface does not rise."""


Scratch = tuple[Integers, Integers]
"""Room for triangles, and for nodes of a tree, that wait."""
Around = tuple[Scene, tuple[Array, ...], Integers, Array, Scratch]
"""The bodies, the table of shapes, and where the grounds of shapes are; the grounds; all terrains; the boxes of shapes; and scratch."""


@inlined
def _is_in_box(bounds: Array, shape: int, at: Vector, slack: float) -> bool:
    """Whether a point is in the box of a shape, or nearly so."""
    low, high = load(bounds, shape, LOW), load(bounds, shape, HIGH)
    return bool(
        low[0] - slack <= at[0] <= high[0] + slack
        and low[1] - slack <= at[1] <= high[1] + slack
        and low[2] - slack <= at[2] <= high[2] + slack
    )


@kernel("is-inner-point")
def is_inner(
    around: Around,
    base: Vector,
    offset: Vector,
    normal: Vector,
    terrain: int,
    near: float,
    near_beside: float,
    rises: float,
) -> int:
    """Whether a surface rises around one of its points in a direction, so that the direction is no normal there; 1 if so.

    Without a direction, and with a negative sine, whether any triangle is near a point.

    Args:
        around: The terrains.
        base: What positions are relative to [m].
        offset: The point, world frame.
        normal: The direction, world frame.
        terrain: The shape to which the point belongs.
        near: How far a triangle of the terrain may be off a point that it contains [m].
        near_beside: The same for a triangle of another terrain.
        rises: Sine of the angle above which it rises.
    """
    (bodies, shapes, forms), grounds, beside, bounds, (listed, stack) = around
    place = add(base, offset)
    for number in range(beside.shape[0]):
        shape = beside[number]
        within = near if shape == terrain else near_beside
        if shape != terrain and not _is_in_box(bounds, shape, place, within):
            continue
        center, q = pose_of(bodies, shapes, shape)
        axes = axes_of(q)
        at = into(axes, add(subtract(base, center), offset))
        up = into(axes, normal)
        low, high = (at[0] - within, at[1] - within, at[2] - within), (at[0] + within, at[1] + within, at[2] + within)
        state = -1
        while True:
            count, state = list_near(shapes, forms, grounds, listed, stack, shape, low, high, state)
            for each in range(count):
                a, b, c = corners_of(shapes, forms, grounds, shape, listed[each], at)
                one, two, three = nearest_in_triangle(a, b, c)
                foot = add_scaled(add_scaled(scale(one, a), two, b), three, c)
                if dot(foot, foot) <= within * within:
                    for corner in range(3):
                        away = subtract(a if corner == 0 else b if corner == 1 else c, foot)
                        size = sqrt(dot(away, away))
                        if size > within and dot(away, up) > rises * size:
                            return 1
            if state < 0:
                break
    return 0
