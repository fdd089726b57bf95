"""A window onto a world, and pictures of it without a display."""

from __future__ import annotations  # help() then shows them as written

import math
from collections.abc import Collection, Iterable, Mapping
from types import TracebackType
from typing import Any, Self

import numpy as np

from ...body import Body
from ...checks import boolean, explaining_errors, members, option, real, refuse
from ...world import World
from ..files.png import Image
from ..gl import context
from ..gl.painter import Painter
from ..picture.camera import OrbitCamera
from ..picture.history import History
from ..picture.quality import HIGH, TIERS
from ..picture.scene import HUDS, LAYERS, Scene
from ..run import window
from ..run.application import DISTANCE
from ..run.options import LARGEST_SIDE
from .scene import WorldScene
from .solids import body_of, checked_shapes

SIZE = (1280, 720)


def view(
    world: World | Scene,
    shapes: Mapping[Body | str, object] | None = None,
    follow: Body | str | None = None,
    *,
    size: tuple[int, int] = SIZE,
    title: str = "",
    camera: OrbitCamera | None = None,
    quality: str = "auto",
    hud: str = "full",
    hide: Iterable[str] = (),
    orbit: float = 0.0,
) -> None:
    """Open a window onto a world, and run the world until the window is closed.

    The keys are those of the demos: the space bar pauses, the period key runs one tick, backspace goes back one second, comma and slash set
    the pace, the arrow keys and the mouse turn the camera, and H shows all keys. Everything in the world goes on as usual: callbacks and
    control loops run, and thrusters show their flames.

    Args:
        world: The world, or a `Scene` with a picture of its own. `view` calls `world.advance` with the time of each frame.
        shapes: The shape of each body, by its handle or its name: a shape of `engine.shapes`, a pair of vertices and faces, or the path of
            a mesh file, in the body frame from the body's origin. A body without one is drawn by the
            shapes with which it touches others, or as the box with its mass and principal moments.
        follow: The body in the middle, whose momentum, rates and axes are shown; None for the middle of all bodies, or the only body.
        size: Width and height of the window in pixels.
        title: The text above the picture; empty for the number of bodies.
        camera: Where to look from at first; None for a view of everything.
        quality: "high", "medium" or "low" drawing, or "auto" for the best with which the frames come fast enough.
        hud: How much of the display lies over the picture at first: "off", "line" (title and time) or "full".
        hide: Layers that are hidden at first, as in `render`; the keys 1 to 6 show and hide them.
        orbit: How fast the camera turns about what it looks at [degree/s].

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is out of range, a body is not in the world, or a scene is given shapes or a body to follow.
        RuntimeError: If no window can be opened. The message says why, and what to do.

    Example:
        >>> view(world, {ship: shapes.Cylinder(0.5, 3.0)}, follow=ship)  # doctest: +SKIP
    """
    owner = "viewer.view"
    scene = _scene(world, shapes, follow, title, owner)
    eye, pixels = _camera(scene, camera, owner), _size(size, owner)
    tier, level = option(quality, "quality", owner, ("auto", *TIERS)), option(hud, "hud", owner, HUDS)
    hidden, turning = _layers(hide, owner), real(orbit, "orbit", owner)
    canvas = _canvas(pixels, title, owner, is_window=True)
    if isinstance(scene, WorldScene):
        scene.note_beginning()
    try:
        window.show(scene, eye, canvas.context, pixels, tier, level=level, hidden=hidden, orbit=turning)
    finally:
        canvas.close()


def render(
    world: World | Scene,
    size: tuple[int, int] = SIZE,
    camera: OrbitCamera | None = None,
    *,
    shapes: Mapping[Body | str, object] | None = None,
    follow: Body | str | None = None,
    hide: Iterable[str] = (),
    hud: str = "off",
) -> Image:
    """Draw a picture of a world without a display.

    OpenGL draws it with what the machine has, be it only a processor. Each call opens a place to draw, which takes a fraction of a second;
    for many pictures make a `Viewer` with ``window=False`` and call its `draw` and `image`.

    Args:
        world: The world, which is only read, or a `Scene` with a picture of its own.
        size: Width and height in pixels.
        camera: Where to look from; None for a view of everything. Its target is set to the followed body.
        shapes: The shape of each body, as in `view`.
        follow: The body in the middle, as in `view`.
        hide: Layers that are left out, some of "body axes", "rates", "momentum", "torques", "thrust" and "trails".
        hud: How much of the display lies over the picture, as in `Viewer.draw`.

    Returns:
        The picture, shape (height, width, 3), uint8, top row first.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is out of range, or a body is not in the world.
        RuntimeError: If there is no OpenGL. The message says why, and what to do.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.01)
        >>> ship = world.add_body(MassProperties.box(2.0, (1, 2, 3)), angular_velocity_body=(0.1, 1, 0.1))
        >>> image = render(world, (640, 360), follow=ship)  # doctest: +SKIP
    """
    with Viewer(world, shapes, follow, size=size, window=False, owner="viewer.render") as viewer:
        viewer.draw(camera, hide=hide, hud=hud)
        return viewer.image()


@explaining_errors()
class Viewer:
    """A window onto a world for a loop of one's own, or a place to draw pictures of it without a display.

    Args:
        world: The world, which is only read, or a `Scene` with a picture of its own.
        shapes: The shape of each body, as in `view`.
        follow: The body in the middle, as in `view`.
        size: Width and height in pixels.
        window: Whether to open a window; False draws without a display.
        title: The title of the window.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is out of range, or a body is not in the world.
        RuntimeError: If there is no window, or no OpenGL. The message says why, and what to do.

    Attributes:
        camera: The camera that `draw` uses if it is given none; the mouse turns it.
        is_open: Whether the window has not been closed.

    Example:
        >>> with Viewer(world, follow=ship) as viewer:  # doctest: +SKIP
        ...     while viewer.is_open:
        ...         for event in viewer.events():
        ...             ...
        ...         world.advance(1 / 60)
        ...         viewer.draw()
    """

    def __init__(
        self,
        world: World | Scene,
        shapes: Mapping[Body | str, object] | None = None,
        follow: Body | str | None = None,
        *,
        size: tuple[int, int] = SIZE,
        window: bool = True,
        title: str = "",
        owner: str = "viewer.Viewer",
    ) -> None:
        self._owner = owner
        self._scene = _scene(world, shapes, follow, title, owner)
        self.camera = _camera(self._scene, None, owner)
        pixels, wanted = _size(size, owner), boolean(window, "window", owner)
        self._canvas = _canvas(pixels, title, owner, is_window=wanted)
        self._painter = Painter(self._canvas.context, pixels, HIGH)
        self._history, self._sampled = History(), math.nan
        self.is_open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def events(self) -> list[Any]:
        """Return pygame's events since the last call, after the window itself has followed those that close, resize and turn it.

        Example:
            >>> pressed = [event.key for event in viewer.events() if event.type == pygame.KEYDOWN]  # doctest: +SKIP
        """
        if not self._canvas.is_window or not self.is_open:
            return []
        import pygame

        found: list[Any] = list(pygame.event.get())
        for event in found:
            if event.type == pygame.QUIT:
                self.is_open = False
            elif event.type == pygame.VIDEORESIZE and event.w > 0 and event.h > 0:
                self._painter.renderer.resize((event.w, event.h))
            elif event.type == pygame.MOUSEMOTION and any(event.buttons):
                self.camera.orbit(-0.005 * event.rel[0], 0.005 * event.rel[1])
            elif event.type == pygame.MOUSEWHEEL:
                self.camera.zoom(1.12**-event.y, 1.2 * self._scene.radius, 50.0 * self._scene.radius)
        return found

    def draw(self, camera: OrbitCamera | None = None, *, hide: Iterable[str] = (), hud: str = "off") -> None:
        """Draw the world as it is now, blended between its last two ticks, and show it if there is a window.

        Args:
            camera: Where to look from; None for `camera`. Its target is set to the followed body, or to the middle of all bodies.
            hide: Layers that are left out, as in `render`.
            hud: How much of the display lies over the picture: "off", "line" (title and time) or "full", with the curves of the
                frames that were drawn so far.

        Raises:
            TypeError: If the camera is no `Camera`, or there is no such layer.
            ValueError: If the viewer was closed, or `hud` is unknown.

        Example:
            >>> viewer.draw(Camera(yaw=0.5, pitch=0.3, distance=20.0))  # doctest: +SKIP
        """
        hidden, level = _layers(hide, self._owner), option(hud, "hud", self._owner, HUDS)
        if self._canvas.context is None:
            raise ValueError(f"{self._owner}: it was closed; make a new one to draw again")
        eye = self.camera if camera is None else _camera(self._scene, camera, self._owner)
        eye.target = self._scene.target
        renderer = self._painter.renderer
        with np.errstate(over="ignore", invalid="ignore"):  # what is beyond a float32 is not seen
            if self._sampled != (now := self._scene.world.time):
                self._sampled = now
                self._history.append(self._scene.sample())
            self._painter.paint(self._scene, eye, self._history, level=level, hidden=hidden)
        if self._canvas.is_window:
            import pygame

            renderer.show()
            pygame.display.flip()

    def image(self) -> Image:
        """Return the picture that was drawn last, shape (height, width, 3), uint8, top row first.

        Example:
            >>> viewer.image().shape  # doctest: +SKIP
            (720, 1280, 3)
        """
        return self._painter.image()

    def close(self) -> None:
        """Close the window, and give everything back to the graphics card; calling it twice does no harm.

        Example:
            >>> viewer.close()  # doctest: +SKIP
        """
        self.is_open = False
        if self._canvas.context is not None:
            self._painter.release()
            self._canvas.close()
            self._canvas.context = None


def _scene(world: object, shapes: object, follow: object, title: str, owner: str) -> Scene:
    if not isinstance(title, str):
        refuse(owner, "title", title, "a string", TypeError)
    if isinstance(world, Scene):
        for argument, value in (("shapes", shapes), ("follow", follow)):
            if value is not None:
                refuse(owner, argument, value, "None beside a scene, which draws itself")
        return world
    if not isinstance(world, World):
        refuse(owner, "world", world, "a World or a viewer.Scene", TypeError)
    given = checked_shapes(world, shapes, owner)
    followed = None if follow is None else body_of(world, follow, "follow", owner)
    if followed is None and len(world.bodies) == 1:
        followed = world.bodies[0]
    return WorldScene(world, given, followed, title)


def _layers(hide: object, owner: str) -> Collection[str]:
    return members(hide, "hide", owner, f"names among {', '.join(LAYERS)}", LAYERS.__contains__)


def _camera(scene: Scene, camera: object, owner: str) -> OrbitCamera:
    if camera is None:
        return OrbitCamera(distance=DISTANCE * scene.radius, target=scene.target)
    if not isinstance(camera, OrbitCamera):
        refuse(owner, "camera", camera, "a viewer.Camera", TypeError)
    return camera


def _size(size: object, owner: str) -> tuple[int, int]:
    rule = f"two whole numbers from 16 to {LARGEST_SIDE}, width and height in pixels"
    if not isinstance(size, tuple | list) or len(size) != 2:
        refuse(owner, "size", size, rule, TypeError)
    if not all(isinstance(side, int) and not isinstance(side, bool) for side in size):
        refuse(owner, "size", size, rule, TypeError)
    if not 16 <= min(size) <= max(size) <= LARGEST_SIDE:
        refuse(owner, "size", size, rule)
    return size[0], size[1]


def _canvas(size: tuple[int, int], title: str, owner: str, *, is_window: bool) -> context.Canvas:
    canvas = context.open_canvas(size, title or "Polhode", window=is_window)
    if canvas.context is None:
        reasons = "; ".join(f"{kind}: {reason}" for kind, reason in canvas.reasons.items())
        raise RuntimeError(f"{owner}: there is no OpenGL to draw with ({reasons}). {' '.join(context.advice())}")
    if is_window and not canvas.is_window:
        canvas.close()
        without = "viewer.render, or polhode view --out FILE.png, draws a picture without one"
        raise RuntimeError(
            f"{owner}: no window can be opened; {without}. {context.how_to_get_a_window(canvas.reasons)}"
        )
    return canvas
