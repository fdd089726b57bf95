"""The loop of a window: events in, whole ticks, one frame out."""

import math
import time
import warnings
from collections.abc import Collection
from functools import cache
from typing import Any

from ..gl.painter import Painter
from ..gl.renderer import Renderer
from ..picture.camera import OrbitCamera
from ..picture.history import History
from ..picture.quality import FRAMES_JUDGED, HIGH, TIERS, below
from ..picture.scene import Scene
from .compilation import announced
from .controls import Controls
from .flight import TICK_REFUSED
from .pace import Pace

FRAMES_A_SECOND = 60
HINT = "H: keys"


def show(
    scene: Scene,
    camera: OrbitCamera,
    gl: object,
    size: tuple[int, int],
    quality: str,
    *,
    level: str = "full",
    hidden: Collection[str] = (),
    orbit: float = 0.0,
) -> None:
    """Show the scene until somebody closes it.

    `quality` is the name of a tier, or `auto`, and `level` one of `HUDS`. `hidden` has the layers that are hidden at first, and `orbit` is
    the rate at which the camera turns [degree/s].
    """
    import pygame

    painter = Painter(gl, size, TIERS.get(quality, HIGH))

    def announce(kernel: str) -> None:
        """Say that nothing moves for a while, in the window as it is now."""
        pygame.event.pump()
        painter.notice(f"compiling {scene.world.integrator.name}: kernel {kernel} (a few seconds, only once)")
        painter.renderer.show()
        pygame.display.flip()

    with announced(announce), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="World.advance: one frame skipped")  # the display shows the true pace
        _loop(Controls(scene, camera, hidden=set(hidden)), painter, quality, level, math.radians(orbit))


def _loop(controls: Controls, painter: Painter, quality: str, level: str, turn_rate: float) -> None:
    """The frames, from the first to the last; the camera turns at this rate [rad/s]."""
    import pygame

    scene, camera, history, pace = controls.scene, controls.camera, History(), Pace()
    keyboard, judge = Keyboard(controls, painter.renderer.size), Judge(painter.renderer, active=quality == "auto")
    pygame.key.set_repeat(350, 40)
    history.append(scene.sample())
    # a first tick that compiles is announced on this frame
    painter.paint(scene, camera, history, hidden=controls.hidden, keys=HINT, level=level)
    painter.renderer.show()
    pygame.display.flip()
    clock, trouble = pygame.time.Clock(), ""
    while not controls.quitting:
        for event in pygame.event.get():
            keyboard.handle(event)
            if event.type == pygame.VIDEORESIZE and event.w > 0 and event.h > 0:
                keyboard.size = event.w, event.h
                painter.renderer.resize(keyboard.size)
                judge.begin()
        keyboard.end_frame()
        elapsed = clock.tick(FRAMES_A_SECOND) / 1000.0
        camera.orbit(turn_rate * elapsed, 0.0)
        try:
            _advance(scene, elapsed, pace)
        except TICK_REFUSED as error:
            scene.world.paused, trouble = True, str(error)
        controls.remember()
        history.append(scene.sample())
        said = trouble if trouble and scene.world.paused else controls.notice or HINT
        began = time.perf_counter()
        painter.paint(
            scene,
            camera,
            history,
            hidden=controls.hidden,
            pace=pace.text(),
            keys=said,
            help_shown=controls.help_shown,
            level=level,
        )
        painter.renderer.show()
        pygame.display.flip()
        judge.note(time.perf_counter() - began)


def _advance(scene: Scene, elapsed: float, pace: Pace) -> None:
    """Run the ticks that fit into this wall time [s], and measure the pace."""
    world = scene.world
    dropped = world.dropped_time
    world.advance(elapsed)
    if world.paused:
        pace.clear()
    else:
        pace.note(elapsed, world.dropped_time - dropped, world.time_scale)


class Judge:
    """Steps down tier by tier until the frames come fast enough."""

    def __init__(self, renderer: Renderer, *, active: bool) -> None:
        self._renderer, self._active = renderer, active
        self.begin()

    def begin(self) -> None:
        """Judge the coming frames: their size has changed."""
        self._times: list[float] | None = [] if self._active else None

    def note(self, seconds: float) -> None:
        """Another frame took so long."""
        if self._times is None:
            return
        self._times.append(seconds)
        if len(self._times) < FRAMES_JUDGED:
            return
        present = self._renderer.quality
        wanted = below(present, self._times)
        self._times = None if wanted is present else []
        if wanted is not present:
            self._renderer.resize(self._renderer.size, wanted)


class Keyboard:
    """Turns the events of pygame, those of the mouse too, into actions; `size` is that of the window in pixels."""

    def __init__(self, controls: Controls, size: tuple[int, int] = (1280, 720)) -> None:
        self._controls, self.size = controls, size
        self._pixel: tuple[float, float] | None = None
        """Where the mouse is; None outside the window."""
        self._is_held = False
        """Whether its left button is down."""
        self._held: set[str] = set()
        """Keys that are down, since pygame does not mark repeats."""
        self._repeated: set[str] = set()

    def handle(self, event: Any) -> None:
        """Do what the event asks for."""
        import pygame

        if event.type == pygame.QUIT:
            self._controls.quit()
        elif event.type == pygame.KEYDOWN:
            self._press(_key_names().get(event.key, ""))
        elif event.type == pygame.KEYUP:
            self._held.discard(_key_names().get(event.key, ""))
        elif event.type == pygame.MOUSEMOTION:
            self._pixel = event.pos
            if any(event.buttons):
                self._controls.drag(*event.rel)
        elif event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP) and event.button == 1:
            self._pixel, self._is_held = event.pos, event.type == pygame.MOUSEBUTTONDOWN
            self._point()
        elif event.type == pygame.WINDOWLEAVE:
            self._pixel = None
        elif event.type == pygame.MOUSEWHEEL:
            self._controls.zoom(event.y)

    def end_frame(self) -> None:
        """A held key may repeat again. Once a frame is enough: an action slower than the repeats would pile them up.

        The scene is told what the mouse points at, also where only the scene has moved.
        """
        self._repeated.clear()
        self._point()

    def _point(self) -> None:
        self._controls.point(self._pixel, self.size, self._is_held)

    def _press(self, key: str) -> None:
        repeated = key in self._held
        if repeated and key in self._repeated:
            return
        self._controls.press(key, repeated=repeated)
        self._held.add(key)
        if repeated:
            self._repeated.add(key)


@cache
def _key_names() -> dict[int, str]:
    import pygame

    return {value: name.removeprefix("K_") for name, value in vars(pygame).items() if name.startswith("K_")}
