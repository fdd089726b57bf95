"""Polhode, six-degree-of-freedom (6-DOF) rigid-body and attitude dynamics with a game engine's fixed-timestep loop."""

from . import diagnostics, flight, forces, integrators, joints, rotation, scalar
from .body import Body
from .checks import NonFiniteStateError
from .clock import Clock
from .saving.recorder import Recorder
from .saving.rewind import Rewind
from .saving.rollback import DesyncError, Rollback
from .saving.snapshots import Snapshot
from .solids.mass_properties import MassProperties
from .store.model import Model
from .store.state import State
from .world import World

__version__ = "0.1.0"

__all__ = [
    "Body",
    "Clock",
    "DesyncError",
    "MassProperties",
    "Model",
    "NonFiniteStateError",
    "Recorder",
    "Rewind",
    "Rollback",
    "Snapshot",
    "State",
    "World",
    "diagnostics",
    "flight",
    "forces",
    "integrators",
    "joints",
    "rotation",
    "scalar",
]
