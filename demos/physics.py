"""The engine as the demos import it; this is the one module of the demos that knows the name of the engine's package.

In the repository, `demos` and `engine` are packages side by side. In the installed package, the demos are a part of the engine's package.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING or __package__ == "demos":
    from engine import (
        Body,
        MassProperties,
        Recorder,
        Snapshot,
        World,
        flight,
        forces,
        integrators,
        joints,
        rotation,
        shapes,
    )
    from engine.batch import Batch
    from engine.command_line import run_own as run_command
    from engine.saving.recorder import Record
    from engine.solids.mesh_files import read_mesh
else:
    from .. import (
        Body,
        MassProperties,
        Recorder,
        Snapshot,
        World,
        flight,
        forces,
        integrators,
        joints,
        rotation,
        shapes,
    )
    from ..batch import Batch
    from ..command_line import run_own as run_command
    from ..saving.recorder import Record
    from ..solids.mesh_files import read_mesh

__all__ = [
    "Batch",
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
    "plots",
    "read_mesh",
    "rotation",
    "run_command",
    "shapes",
]


def plots() -> ModuleType:
    """The engine's plots, which need matplotlib and are therefore imported only when something is plotted."""
    return import_module(f"{World.__module__.rpartition('.')[0]}.plot")


def campaigns() -> ModuleType:
    """The engine's command for Monte Carlo campaigns, which needs packages that no demo needs."""
    return import_module(f"{World.__module__.rpartition('.')[0]}.campaign.command")
