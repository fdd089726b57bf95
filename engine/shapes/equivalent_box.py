"""The box that a body without a shape is drawn as."""

import numpy as np
import numpy.typing as npt

from ..checks import array, real, refuse, vector
from ..rotation import from_matrix
from .box import Box
from .compound import Compound

_THINNEST = 0.01
"""The least edge of an equivalent box, over its longest one: a flat body stays visible."""


def equivalent_box(
    mass: float, inertia_body: npt.ArrayLike, center_of_mass_body: npt.ArrayLike = (0, 0, 0)
) -> Compound:
    """Return the uniform box with this mass and these principal moments.

    Args:
        mass: Mass [kg], above 0.
        inertia_body: Inertia about the mass centre [kg·m²], body frame, shape (3, 3).
        center_of_mass_body: Mass centre from the body's origin [m], body frame, shape (3,).

    Returns:
        The box, along the principal axes and about the mass centre. An edge below 1 % of the longest one, as of a flat
        body, is drawn at 1 %.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is out of range.

    Source: the moments of a box, ``I_x = m (b² + c²)/12``, solved for ``a² = 6 (I_y + I_z − I_x)/m``.

    Example:
        >>> from engine import MassProperties, shapes
        >>> brick = MassProperties.box(12.0, (1.0, 2.0, 3.0))
        >>> shapes.equivalent_box(brick.mass, brick.inertia_body).vertices.max(axis=0).tolist()
        [0.5, 1.0, 1.5]
    """
    owner = "shapes.equivalent_box"
    m = real(mass, "mass", owner, above=0.0)
    tensor = array(inertia_body, "inertia_body", owner, (3, 3))
    moments, axes = np.linalg.eigh(tensor)
    if np.allclose(tensor, np.diag(np.diag(tensor)), rtol=0.0, atol=1e-12 * float(np.abs(tensor).max())):
        moments, axes = np.diag(tensor), np.eye(3)
    edges = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / m, 0.0))
    if not 0.0 < edges.max() < np.inf:
        refuse(owner, "inertia_body", inertia_body, f"the tensor of a box of finite edges with a mass of {m!r} kg")
    if np.linalg.det(axes) < 0.0:
        axes = axes * (1.0, 1.0, -1.0)
    box = Box(np.maximum(edges, _THINNEST * edges.max()))
    return Compound([(box, vector(center_of_mass_body, "center_of_mass_body", owner), from_matrix(axes))])
