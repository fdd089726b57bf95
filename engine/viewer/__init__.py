"""A window onto a world, and pictures of it, drawn with OpenGL.

`view` opens a window, runs the world and obeys the keys of the demos. `Viewer` draws in a loop of one's own. `render` makes a picture
without a display. They need pygame, moderngl and pyrr (`pip install "polhode[demos]"`), and `import engine` does not import them.

    >>> from engine import MassProperties, World, viewer
    >>> world = World(dt=1 / 240)
    >>> ship = world.add_body(MassProperties.box(2.0, (1, 2, 3)), angular_velocity_body=(0.1, 1, 0.1))
    >>> viewer.view(world, follow=ship)  # doctest: +SKIP

Its folders, from the top down: `worlds` (worlds of users), `run` (window, keys, options, runs without a window), `gl` (the renderer), `hud`
(the display over the picture), `meshes`, `files` (pictures and clips), and `picture` (plain data). A module imports from its own folder and
from those below.

A `Scene` draws a picture of its own, with arrows, curves, captions, panels and keys; `view`, `Viewer` and `render` take one in place of a
world. `engine.viewer.drawing` has what pictures are made of, and `engine.viewer.running` the command line of a program that shows a scene.

This is the only place in the engine that imports pygame, moderngl and pyrr. Numbers become float32 only when they go to the graphics card.
Each package is imported inside the function that needs it, so that a missing package affects only the picture and never the simulation.
"""

from . import drawing, running
from .picture.camera import OrbitCamera as Camera
from .picture.scene import Scene
from .worlds.viewer import Viewer, render, view

__all__ = ["Camera", "Scene", "Viewer", "drawing", "render", "running", "view"]
