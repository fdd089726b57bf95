"""The shapes of bodies as meshes of the renderer."""

from collections.abc import Mapping
from hashlib import sha256

import numpy as np

from ...body import Body
from ...checks import refuse
from ...shapes.compound import Compound
from ...shapes.equivalent_box import equivalent_box
from ...shapes.given import as_shape
from ...shapes.shape import Shape
from ...world import World
from .. import meshes
from ..meshes.materials import ALUMINIUM, PAINT, SLATE
from ..meshes.mesh_builder import Material, MeshBuilder

_OF_AXES = (ALUMINIUM, SLATE, PAINT)
"""The materials of faces whose normals are nearest to x, y and z of the body, so that its rotation can be seen."""
_OF_QUARTERS = (PAINT, SLATE)
"""Those of the quarters about z of a round shape, in turns."""
_ROUND = 60
"""A shape of more triangles is taken for a round one."""
_SMOOTH = 0.75
"""Cosine of the angle between two faces: edges that bend more stay sharp."""


def checked_shapes(world: World, shapes: object, owner: str) -> dict[Body, str | Shape]:
    """The shape that a user has given for each body, or the name of a mesh.

    Raises:
        TypeError: If `shapes` is not a dict, or a shape is of no known kind.
        ValueError: If a body is not in the world, or a mesh is unknown.
    """
    if shapes is None:
        return {}
    if not isinstance(shapes, Mapping):
        refuse(owner, "shapes", shapes, "a dict with a shape per body", TypeError)
    found: dict[Body, str | Shape] = {}
    for key, shape in shapes.items():
        body = body_of(world, key, "shapes", owner)
        is_name = isinstance(shape, str) and shape in meshes.MESHES
        found[body] = shape if is_name else as_shape(shape, f"shapes[{body.name!r}]", owner)
    return found


def body_of(world: World, value: object, argument: str, owner: str) -> Body:
    """A body of this world that is given by its handle or its name."""
    names = {body.name: body for body in world.bodies}
    if isinstance(value, str):
        if value not in names:
            refuse(owner, argument, value, f"a body of the world or its name ({', '.join(names)})")
        return names[value]
    if not isinstance(value, Body):
        refuse(owner, argument, value, "a body of the world or its name", TypeError)
    if value.world is not world:
        refuse(owner, argument, value, "a body of this world")
    return value


def shape_of(body: Body) -> Shape:
    """The shape of a body that has been given none: those by which it touches others, or the box with its mass and moments."""
    if own := [handle for handle in body.shapes if not handle.sensor]:
        return Compound([(handle.shape, handle.position, handle.orientation) for handle in own])
    properties = body.mass_properties
    return equivalent_box(properties.mass, properties.inertia_body, properties.center_of_mass_body)


def mesh_of(shape: Shape) -> str:
    """The name under which the renderer knows a shape; equal shapes share one."""
    name = f"shape {sha256(shape.vertices.tobytes() + shape.faces.tobytes()).hexdigest()[:24]}"
    if name not in meshes.MESHES:
        meshes.add(name, lambda: _built(shape))
    return name


def _built(shape: Shape) -> MeshBuilder:
    builder = MeshBuilder()
    materials: tuple[Material, ...]
    corners = shape.vertices[shape.faces]
    if len(shape.faces) > _ROUND:
        middles = corners.mean(axis=1)
        kinds, materials = (middles[:, 0] * middles[:, 1] < 0.0).astype(int), _OF_QUARTERS
    else:
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        kinds, materials = np.abs(normals).argmax(axis=1), _OF_AXES
    for kind, material in enumerate(materials):
        chosen = kinds == kind
        if chosen.any():
            builder.facets(material, shape.vertices, shape.faces, chosen=chosen, smooth=_SMOOTH)
    return builder
