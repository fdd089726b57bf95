"""The engine as the demos import it; this is the one module of the demos that knows the name of the engine's package.

In the repository, `demos` and `engine` are packages side by side. In the installed package, the demos are a part of the engine's package.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING or __package__ == "demos":
    from engine import Body, MassProperties, Recorder, Snapshot, World, flight, forces, integrators, joints, rotation
    from engine.saving.recorder import Record
    from engine.solids.mesh_files import read_mesh
else:
    from .. import Body, MassProperties, Recorder, Snapshot, World, flight, forces, integrators, joints, rotation
    from ..saving.recorder import Record
    from ..solids.mesh_files import read_mesh

__all__ = [
    "LOGGER",
    "Body",
    "MassProperties",
    "Record",
    "Recorder",
    "Snapshot",
    "World",
    "flight",
    "forces",
    "integrators",
    "joints",
    "read_mesh",
    "rotation",
]

LOGGER = "polhode"
"""The name of the engine's logger."""
