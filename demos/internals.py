"""What the commands use of the inside of the engine's viewer; the demos do without it, but for the one that is copied into games."""

from typing import TYPE_CHECKING

from . import meshes  # noqa: F401, which lets the craft of the demos be drawn by their names

if TYPE_CHECKING or __package__ == "demos":
    from engine.viewer.internals import *  # noqa: F403, its `__all__` is this module's
else:
    from ..viewer.internals import *  # noqa: F403
