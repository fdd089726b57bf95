"""The command line of a program that shows a scene: in a window where there is one, else to a picture, a clip or its curves.

    from dataclasses import dataclass
    from engine.viewer import Scene, running

    class Ship(Scene):
        ...  # makes its world from the options, and has a method `picture`

    running.main("ship", Ship, running.parser("ship", "Shows a ship.", running.SceneOptions).parse(None))

Such a program has the options of the demos: ``--headless``, ``--frames``, ``--out``, ``--record``, ``--size``, ``--camera``, ``--hud``,
``--hide``, ``--orbit`` and others, which ``--help`` lists.
"""

from .files.png import write_png
from .files.recording import Clip
from .run.application import main
from .run.options import Options, Parser, SceneOptions, add_numbers, add_pace, parser, plain_parser

__all__ = [
    "Clip",
    "Options",
    "Parser",
    "SceneOptions",
    "add_numbers",
    "add_pace",
    "main",
    "parser",
    "plain_parser",
    "write_png",
]
