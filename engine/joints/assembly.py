"""Assemblies, which are bodies that are rigidly joined."""

from __future__ import annotations  # help() then shows them as written

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks import FloatArray
from ..constraints.graph import islands_of
from ..kernels.quaternions import conjugate, multiply
from ..solids.mass_properties import MassProperties
from .joint import pose_of, unit_length


@dataclass(frozen=True)
class Assembly:
    """A body and all that is rigidly joined to it by welds and locked latches.

    Attributes:
        bodies: The bodies, in the order of the world, the one that was asked for among them.
        mass_properties: Mass, mass centre and inertia of all of them at their present poses, in the axes of the body that was asked for,
            from its origin, with wheels locked.
        stored_momentum_body: The sum of the angular momenta stored in their wheels [N·m·s], in the axes of that body, shape (3,).
    """

    bodies: tuple[Any, ...]
    mass_properties: MassProperties
    stored_momentum_body: FloatArray


def assembly_of(body: Any, joints: tuple[Any, ...]) -> Assembly:
    """The assembly of a body of a world with these joints."""
    welds = [joint for joint in joints if joint._is_rigid and joint.enabled and joint.other is not None]
    groups = islands_of([(weld.body.index, weld.other.index) for weld in welds])
    own = next((group for group in groups if body.index in group), [body.index])
    handles = body.world.bodies
    bodies = tuple(handles[index] for index in own)
    if len(bodies) == 1:
        return Assembly(bodies, body.mass_properties, body.stored_momentum_body)
    _position, q, _center = pose_of(body)
    parts, stored = [], np.zeros(3)
    for other in bodies:
        turn = unit_length(multiply(conjugate(q), pose_of(other)[1]))
        parts.append((other.mass_properties, body.to_body(other.origin), turn))
        stored += body.direction_to_body(other.direction_to_world(other.stored_momentum_body))
    return Assembly(bodies, MassProperties.compound(parts), stored)
