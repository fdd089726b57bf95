"""What the demos draw, as plain data; from the viewer of the engine."""

from typing import TYPE_CHECKING

if TYPE_CHECKING or __package__ == "demos":
    from engine.viewer.drawing import *  # noqa: F403, its `__all__` is this module's
else:
    from ..viewer.drawing import *  # noqa: F403
