"""Points at which a sphere touches a sphere, a box or a plane."""

from math import sqrt

from ..compilation.compiler import inlined
from ..constraints.joint_types import Axes
from ..constraints.layout import BY_CORES, BY_OTHER
from ..kernels.vectors import Vector, add_scaled, dot, scale, subtract
from ..loops.columns import Array
from .found import put_found
from .layout import AT_EDGE, FIRST_RADIUS, SECOND_RADIUS


@inlined
def touch_spheres(
    found: Array, center: Vector, radius: float, other_center: Vector, other_radius: float, margin: float
) -> int:
    """The point between two spheres, if they are nearer than a margin; one above the other if their centres are the same."""
    apart = subtract(center, other_center)
    size = sqrt(dot(apart, apart))
    gap = size - radius - other_radius
    if gap > margin:
        return 0
    normal = scale(1.0 / size, apart) if size > 0.0 else (0.0, 0.0, 1.0)
    put_found(found, 0, center, other_center, normal, gap, BY_CORES)
    found[0, FIRST_RADIUS], found[0, SECOND_RADIUS] = radius, other_radius
    return 1


@inlined
def touch_plane(found: Array, center: Vector, radius: float, foot: Vector, normal: Vector, margin: float) -> int:
    """The point between a sphere and a plane through a point."""
    height = dot(subtract(center, foot), normal)
    if height - radius > margin:
        return 0
    put_found(found, 0, center, add_scaled(center, -height, normal), normal, height - radius, BY_OTHER)
    found[0, FIRST_RADIUS] = radius
    return 1


@inlined
def _within(value: float, half: float) -> float:
    return min(max(value, -half), half)


@inlined
def touch_sphere_box(
    found: Array, center: Vector, radius: float, box_center: Vector, axes: Axes, half: Vector, margin: float
) -> int:
    """The point between a sphere, which is the first, and a box."""
    apart = subtract(center, box_center)
    x, y, z = dot(apart, axes[0]), dot(apart, axes[1]), dot(apart, axes[2])
    u, v, w = _within(x, half[0]), _within(y, half[1]), _within(z, half[2])
    at = add_scaled(add_scaled(add_scaled(box_center, u, axes[0]), v, axes[1]), w, axes[2])
    outside = int(u != x) + int(v != y) + int(w != z)
    if outside == 0:
        # inside: out through the nearest face
        a, b, c = half[0] - abs(x), half[1] - abs(y), half[2] - abs(z)
        if a <= b and a <= c:
            depth, normal = a, scale(1.0 if x >= 0.0 else -1.0, axes[0])
        elif b <= c:
            depth, normal = b, scale(1.0 if y >= 0.0 else -1.0, axes[1])
        else:
            depth, normal = c, scale(1.0 if z >= 0.0 else -1.0, axes[2])
        put_found(found, 0, center, add_scaled(center, depth, normal), normal, -depth - radius, BY_OTHER)
        found[0, FIRST_RADIUS] = radius
        return 1
    away = subtract(center, at)
    size = sqrt(dot(away, away))
    if size - radius > margin:
        return 0
    # the normal turns with the face or edge, and follows the centre around a corner
    turns_with = BY_CORES if outside == 3 else BY_OTHER
    put_found(found, 0, center, at, scale(1.0 / size, away), size - radius, turns_with)
    found[0, FIRST_RADIUS], found[0, AT_EDGE] = radius, 1.0 if outside > 1 else 0.0
    return 1
