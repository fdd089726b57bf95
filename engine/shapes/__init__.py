"""Shapes of bodies and of the world: what touches, and what views draw. No mass follows from a shape.

Sizes are those of `MassProperties`: full lengths of a box, the radius and the height of a cylinder about z. A shape is centred on its own
origin. `Body.add_shape` and `World.add_shape` place it, and a `Compound` places its parts.

    >>> from engine import shapes
    >>> shapes.Compound([(shapes.Box((1.0, 2.0, 3.0)), (0, 0, 1.5), (0, 0, 0, 1))]).vertices.max(axis=0).tolist()
    [0.5, 1.0, 3.0]
"""

from .box import Box
from .capsule import Capsule
from .compound import Compound
from .convex_hull import ConvexHull
from .cylinder import Cylinder
from .equivalent_box import equivalent_box
from .handle import ShapeHandle
from .height_field import HeightField
from .material import ALL, Material
from .plane import Plane
from .shape import Shape
from .sphere import Sphere
from .triangle_mesh import TriangleMesh

__all__ = [
    "ALL",
    "Box",
    "Capsule",
    "Compound",
    "ConvexHull",
    "Cylinder",
    "HeightField",
    "Material",
    "Plane",
    "Shape",
    "ShapeHandle",
    "Sphere",
    "TriangleMesh",
    "equivalent_box",
]
