"""Vectors, quaternions and elementary functions for compiled fields of your own.

Each function runs as plain Python when Python calls it, and is compiled into the loop when a compiled field calls it. Both give the same
bits, on every processor. `math.sin`, `math.exp` and similar functions do not, because they call the C library, and they also prevent the
loop over bodies from being vectorised.

Vectors are tuples of three floats, quaternions tuples of four, scalar last (x, y, z, w), and symmetric tensors tuples of six
(xx, yy, zz, xy, xz, yz). Nothing is checked: a tick whose result is not finite is rejected as a whole.

Example:
    An air drag whose density falls off with height:

    >>> from engine import scalar
    >>> def thin_air(position, velocity):
    ...     density = 1.225 * scalar.exponential(-position[2] / 8500.0)  # kg/m³
    ...     return scalar.scale(-density * scalar.norm(velocity), velocity)
    >>> thin_air((0.0, 0.0, 8500.0), (0.0, 3.0, 4.0))
    (-0.0, -6.759784731525253, -9.013046308700337)
"""

import math

from .compilation.compiler import inlined
from .kernels.exponential import exponential, logarithm, power
from .kernels.quaternions import Quaternion
from .kernels.quaternions import conjugate as _conjugate
from .kernels.quaternions import multiply as _multiply
from .kernels.quaternions import rotate as _rotate
from .kernels.quaternions import rotate_inverse as _rotate_inverse
from .kernels.trigonometry import sine_cosine as _sine_cosine
from .kernels.vectors import Symmetric, Vector
from .kernels.vectors import add as _add
from .kernels.vectors import add_scaled as _add_scaled
from .kernels.vectors import apply_symmetric as _apply_symmetric
from .kernels.vectors import cross as _cross
from .kernels.vectors import dot as _dot
from .kernels.vectors import scale as _scale
from .kernels.vectors import subtract as _subtract

__all__ = [
    "add",
    "add_scaled",
    "apply_symmetric",
    "conjugate",
    "cosine",
    "cross",
    "dot",
    "exponential",
    "logarithm",
    "multiply",
    "norm",
    "power",
    "rotate",
    "rotate_inverse",
    "scale",
    "sine",
    "sine_cosine",
    "sqrt",
    "subtract",
]


@inlined
def add(a: Vector, b: Vector) -> Vector:
    """Sum a + b of two vectors.

    Args:
        a: A vector, of any unit and frame.
        b: A vector, of the same unit and frame.

    Returns:
        The sum, each component rounded once.

    Example:
        >>> add((1.0, 2.0, 3.0), (0.5, 0.5, 0.5))
        (1.5, 2.5, 3.5)
    """
    return _add(a, b)


@inlined
def subtract(a: Vector, b: Vector) -> Vector:
    """Difference a − b of two vectors.

    Args:
        a: A vector, of any unit and frame.
        b: A vector, of the same unit and frame.

    Returns:
        The difference, each component rounded once.

    Example:
        >>> subtract((1.0, 2.0, 3.0), (0.5, 0.5, 0.5))
        (0.5, 1.5, 2.5)
    """
    return _subtract(a, b)


@inlined
def scale(factor: float, a: Vector) -> Vector:
    """Product of a number and a vector.

    Args:
        factor: A number, of any unit.
        a: A vector, of any unit and frame.

    Returns:
        The product, each component rounded once.

    Example:
        >>> scale(2.0, (1.0, 2.0, 3.0))
        (2.0, 4.0, 6.0)
    """
    return _scale(factor, a)


@inlined
def add_scaled(a: Vector, factor: float, b: Vector) -> Vector:
    """Sum ``a + factor b``.

    Args:
        a: A vector, of any unit and frame.
        factor: A number.
        b: A vector, of the same frame as `a`.

    Returns:
        The sum, each component rounded twice: the product and the sum.

    Example:
        >>> add_scaled((1.0, 2.0, 3.0), 10.0, (1.0, 0.0, 0.0))
        (11.0, 2.0, 3.0)
    """
    return _add_scaled(a, factor, b)


@inlined
def dot(a: Vector, b: Vector) -> float:
    """Scalar product a · b.

    Args:
        a: A vector, of any unit and frame.
        b: A vector, of the same frame.

    Returns:
        The product, in the product of both units. The error is at most ``4e-16 (|a₁b₁| + |a₂b₂| + |a₃b₃|)``.

    Example:
        >>> dot((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
        32.0
    """
    return _dot(a, b)


@inlined
def cross(a: Vector, b: Vector) -> Vector:
    """Vector product a × b, right-handed.

    Args:
        a: A vector, of any unit and frame.
        b: A vector, of the same frame.

    Returns:
        The product, in the product of both units. The error of each component is at most 3e-16 times the sum of the magnitudes of its two
        terms.

    Example:
        >>> cross((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        (0.0, 0.0, 1.0)
    """
    return _cross(a, b)


@inlined
def norm(a: Vector) -> float:
    """Length of a vector.

    Args:
        a: A vector, of any unit and frame.

    Returns:
        The length, in the unit of `a`. The relative error is at most 4e-16 for lengths between 1e-150 and 1e150; for longer vectors the
        squares overflow to inf, and for shorter ones they lose digits.

    Example:
        >>> norm((2.0, 3.0, 6.0))
        7.0
    """
    return math.sqrt(_dot(a, a))


@inlined
def apply_symmetric(tensor: Symmetric, a: Vector) -> Vector:
    """Symmetric tensor times vector, such as the inertia times the angular velocity.

    Args:
        tensor: Components (xx, yy, zz, xy, xz, yz), of any unit and frame.
        a: A vector, of any unit, in the same frame.

    Returns:
        The product, in the product of both units. The error of each component is at most 4e-16 times the sum of the magnitudes of its three
        terms.

    Example:
        >>> apply_symmetric((1.0, 2.0, 3.0, 0.5, 0.0, 0.0), (1.0, 1.0, 1.0))
        (1.5, 2.5, 3.0)
    """
    return _apply_symmetric(tensor, a)


@inlined
def rotate(q: Quaternion, v: Vector) -> Vector:
    """Rotate a vector by a unit quaternion; with a body's orientation, from the body frame to the world frame.

    Args:
        q: Unit quaternion (x, y, z, w).
        v: A vector, of any unit, in the body frame.

    Returns:
        The vector in the world frame. The error is at most ``1e-15 |v|``, and ``4 |v| (|q| − 1)`` more where q is not of unit length.

    Example:
        >>> rotate((0.5, 0.5, 0.5, 0.5), (1.0, 2.0, 3.0))
        (3.0, 1.0, 2.0)
    """
    return _rotate(q, 2.0, v)


@inlined
def rotate_inverse(q: Quaternion, v: Vector) -> Vector:
    """Rotate a vector by the inverse of a unit quaternion; with a body's orientation, from the world frame to the body frame.

    Args:
        q: Unit quaternion (x, y, z, w).
        v: A vector, of any unit, in the world frame.

    Returns:
        The vector in the body frame; accuracy as for `rotate`.

    Example:
        >>> rotate_inverse((0.5, 0.5, 0.5, 0.5), (3.0, 1.0, 2.0))
        (1.0, 2.0, 3.0)
    """
    return _rotate_inverse(q, 2.0, v)


@inlined
def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Hamilton product a b of two quaternions; as a rotation, b is applied first and then a.

    Args:
        a: Quaternion (x, y, z, w).
        b: Quaternion (x, y, z, w).

    Returns:
        The product. The error of each component is at most ``6e-16 |a| |b|``.

    Example:
        >>> multiply((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))
        (0.0, 0.0, 1.0, 0.0)
    """
    return _multiply(a, b)


@inlined
def conjugate(q: Quaternion) -> Quaternion:
    """Conjugate of a quaternion; for a unit quaternion, the inverse rotation. Exact.

    Args:
        q: Quaternion (x, y, z, w).

    Returns:
        (−x, −y, −z, w).

    Example:
        >>> conjugate((0.5, 0.5, 0.5, 0.5))
        (-0.5, -0.5, -0.5, 0.5)
    """
    return _conjugate(q)


@inlined
def sqrt(x: float) -> float:
    """Square root, correctly rounded.

    Args:
        x: A number. A negative one gives nan, where `math.sqrt` would raise an exception in Python.

    Returns:
        √x, with an error of at most 0.5 ulp.

    Example:
        >>> sqrt(2.0)
        1.4142135623730951
    """
    return math.sqrt(x) if x >= 0.0 else math.nan


@inlined
def sine_cosine(angle: float) -> tuple[float, float]:
    """Sine and cosine together, at little more than the cost of one.

    Args:
        angle: Angle [rad], at most 1e9 in magnitude. Larger ones give nan, because the spacing of floats there is already 1e-7 rad.

    Returns:
        (sine, cosine). The error is at most 1.7e-16 for angles up to 1e6 rad, and beyond that at most the spacing of the floats at the
        angle.

    Example:
        >>> sine_cosine(1.0)
        (0.8414709848078965, 0.5403023058681398)
    """
    return _sine_cosine(angle if abs(angle) <= 1e9 else math.nan)


@inlined
def sine(angle: float) -> float:
    """Sine.

    Args:
        angle: Angle [rad], at most 1e9 in magnitude; larger ones give nan.

    Returns:
        The sine; accuracy as for `sine_cosine`.

    Example:
        >>> sine(1.0)
        0.8414709848078965
    """
    return sine_cosine(angle)[0]


@inlined
def cosine(angle: float) -> float:
    """Cosine.

    Args:
        angle: Angle [rad], at most 1e9 in magnitude; larger ones give nan.

    Returns:
        The cosine; accuracy as for `sine_cosine`.

    Example:
        >>> cosine(1.0)
        0.5403023058681398
    """
    return sine_cosine(angle)[1]
