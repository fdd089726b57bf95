"""A case of the demo `tumble` whose body is the solid in a mesh file."""

from pathlib import Path

import numpy as np

from ..drawing import PAINT, Array, MeshBuilder, add_mesh
from ..physics import MassProperties, read_mesh
from .free_body import period_of_rates
from .tumble_cases import SHIP, Case

MASS = 1000.0  # [kg]; free rotation does not depend on it
REACH = SHIP[1]  # [m] from the mass centre to the farthest vertex
WELD = 1e-5  # of the largest extent; files in single precision, with transformed nodes, round by less
PERIOD = 25.0  # [s] after which the body rates repeat, with two flips in between; the ship takes 27
TILT = 0.008  # ω about the least axis over ω about the intermediate axis, as for the ship
FASTEST = 12.0  # [rad/s], about two revolutions per second


def mesh_case(path: Path) -> Case:
    """Read the solid that a closed mesh bounds, and spin it nearly about its intermediate axis.

    Args:
        path: The path of a glTF, OBJ or STL file. The axes of the body are those of the file, and its origin is the mass centre. The
            solid is scaled to `REACH` and `MASS`.

    Returns:
        The case, with its mesh added to those that can be drawn. The spin is so fast that the body rates repeat after `PERIOD`.

    Raises:
        ValueError: The file cannot be read, the mesh is not closed, trimesh is missing, or two principal moments are so close to each other
            that the spin would have to be faster than `FASTEST`.
    """
    try:
        solid = MassProperties.from_file(path, mass=MASS, weld=WELD)
    except (FileNotFoundError, ImportError) as error:
        raise ValueError(str(error)) from error
    rates = _flipping_rates(solid, path)
    vertices, faces = read_mesh(path, "tumble")
    vertices = vertices - solid.center_of_mass_body
    scale = REACH / float(np.linalg.norm(vertices, axis=1).max())
    hull = MeshBuilder()
    hull.facets(PAINT, scale * vertices, faces)
    add_mesh(str(path), lambda: hull)
    properties = MassProperties(MASS, scale**2 * solid.inertia_body)
    text = f"the solid of {path.name}, spun about its intermediate axis: it flips"
    return Case(lambda: properties, rates, str(path), REACH, text)


def _flipping_rates(solid: MassProperties, path: Path) -> tuple[float, float, float]:
    """The initial angular velocity [rad/s], body frame."""
    moments, axes = solid.principal()
    direction: Array = np.array([TILT, 1.0, 0.0])  # about the principal axes, the least first
    rate = period_of_rates(moments, moments * direction) / PERIOD  # the period is inversely proportional to the rate
    if not rate <= FASTEST:
        ratios = " : ".join(f"{moment / moments[2]:.4g}" for moment in moments)
        raise ValueError(
            f"--mesh {path}: the solid must have three different principal moments, because one with two equal moments does not tumble; "
            f"they are as {ratios}, too close to each other for a spin of up to {FASTEST:g} rad/s to flip every {PERIOD / 2.0:g} s"
        )
    x, y, z = (rate * axes @ direction).tolist()
    return x, y, z
