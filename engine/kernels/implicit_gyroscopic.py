"""One Newton step for ``I Δω + s ω × (I ω + h) = …``, a linear system of three unknowns that the implicit methods share."""

from ..compilation.compiler import inlined
from .rigid_body import BodyModel
from .vectors import Vector, add_scaled, apply_symmetric, cross, dot, subtract


@inlined
def newton_correction(
    angular_velocity_body: Vector, momentum_body: Vector, duration: float, residual: Vector, body: BodyModel
) -> Vector:
    """Return ``(I + s [ω]× I − s [I ω + h]×)⁻¹`` times the residual, where s is the duration; zero if the matrix is singular.

    The columns of the matrix are ``I e + s (ω × I e − m × e)``. For three unknowns, Cramer's rule needs no pivoting and no branches.
    """
    x = _column((1.0, 0.0, 0.0), angular_velocity_body, momentum_body, duration, body)
    y = _column((0.0, 1.0, 0.0), angular_velocity_body, momentum_body, duration, body)
    z = _column((0.0, 0.0, 1.0), angular_velocity_body, momentum_body, duration, body)
    yz, zx, xy = cross(y, z), cross(z, x), cross(x, y)
    determinant = dot(x, yz)
    inverse = 1.0 / determinant if determinant != 0.0 else 0.0
    return inverse * dot(residual, yz), inverse * dot(residual, zx), inverse * dot(residual, xy)


@inlined
def _column(axis: Vector, rates: Vector, momentum: Vector, duration: float, body: BodyModel) -> Vector:
    inertia_axis = apply_symmetric(body.inertia, axis)
    return add_scaled(inertia_axis, duration, subtract(cross(rates, inertia_axis), cross(momentum, axis)))
