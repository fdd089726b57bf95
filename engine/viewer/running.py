"""What programs that show pictures are made of: the window and its options, clips, and places to draw without a window."""

from .command import PROGRAM, install
from .files.png import Image
from .files.recording import Clip
from .gl import context
from .gl.painter import Painter
from .gl.renderer import Renderer
from .hud.overlay import Patch, caption
from .picture.quality import HIGH, TIERS, below
from .run import application, options, surface_game
from .run.application import camera_for
from .run.flight import SceneFlight
from .worlds.command import main as view_file

__all__ = [
    "HIGH",
    "PROGRAM",
    "TIERS",
    "Clip",
    "Image",
    "Painter",
    "Patch",
    "Renderer",
    "SceneFlight",
    "application",
    "below",
    "camera_for",
    "caption",
    "context",
    "install",
    "options",
    "surface_game",
    "view_file",
]
