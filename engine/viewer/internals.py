"""What the commands of `polhode` use of the viewer's inside, to examine a machine and to draw the pictures of the pages. Not for users."""

from .command import PROGRAM, install
from .files.png import Image
from .files.recording import Clip
from .gl import context
from .gl.painter import Painter
from .gl.renderer import Renderer
from .hud.overlay import Patch, caption
from .picture.quality import HIGH, TIERS, below
from .run import surface_game
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
    "below",
    "camera_for",
    "caption",
    "context",
    "install",
    "surface_game",
    "view_file",
]
