"""How the demos show their scenes: with the public interface of the engine's viewer."""

from typing import TYPE_CHECKING

from . import meshes  # noqa: F401, which lets the craft of the demos be drawn by their names

if TYPE_CHECKING or __package__ == "demos":
    from engine.viewer.running import *  # noqa: F403, its `__all__` is this module's
else:
    from ..viewer.running import *  # noqa: F403
