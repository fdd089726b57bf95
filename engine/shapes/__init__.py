"""Shapes of bodies for views and pictures, from which no mass and no force follows.

Sizes are those of `MassProperties`: full lengths of a box, the radius and the height of a cylinder about z. A shape is given in the body
frame, from the body's origin; `position` and `orientation` move it.

    >>> from engine import shapes
    >>> shapes.Box((1.0, 2.0, 3.0), position=(0, 0, 1.5))
    <Box of 12 triangles>
"""

from .surfaces import Box, Capsule, Cylinder, Shape, Sphere, TriangleMesh, equivalent_box

__all__ = ["Box", "Capsule", "Cylinder", "Shape", "Sphere", "TriangleMesh", "equivalent_box"]
