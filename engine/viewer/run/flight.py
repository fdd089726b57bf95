"""The flight of a scene without a window, frame by frame of the world's time."""

import math
from collections.abc import Collection, Iterator

from ..files.png import Image
from ..gl.painter import Painter
from ..hud import hud
from ..hud.telemetry import telemetry_picture
from ..picture.camera import OrbitCamera
from ..picture.history import History
from ..picture.scene import FRAME, Scene
from .headless import Failure

TICK_REFUSED = (ArithmeticError, ValueError)
"""What the engine raises for a tick it cannot take, with too long a `dt` for instance."""


class SceneFlight:
    """Flies a scene; a tick that cannot be taken ends it, and what was before that tick is still there to see.

    Nobody waits for a frame here, so ticks wait for the compiler: otherwise frames would skip ticks on a machine where nothing has been
    compiled, and the picture would show another moment of the flight.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene, self.history, self.trouble = scene, History(), ""
        scene.world.compilation = "wait"
        self.history.append(scene.sample())

    def frames(self, count: int) -> Iterator[int]:
        """Advance by up to so many frames of `FRAME` seconds, and say after each how many there were."""
        for number in range(1, count + 1):
            try:
                self.scene.world.advance(FRAME)
            except TICK_REFUSED as error:
                self.trouble = f"stopped at {self.scene.world.time:g} s: {error}"
                return
            self.history.append(self.scene.sample())
            yield number

    def curves(self, size: tuple[int, int]) -> Image:
        """The curves of the flight so far, shape (height, width, 3)."""
        picture = self.scene.picture()
        status = [hud.status_lines(self.scene)[1], *picture.status]
        return telemetry_picture(self.history, picture.title, status, size)

    def outcome(self) -> str:
        """The time that was flown."""
        return f"{self.scene.world.time:.2f} s of flight"

    def check(self) -> list[str]:
        """Assert the physics of the scene, unless a tick has ended the flight."""
        if self.trouble:
            raise Failure(self.trouble)
        return self.scene.check()


class PaintedFlight(SceneFlight):
    """A flight that is drawn with OpenGL."""

    def __init__(
        self,
        scene: Scene,
        painter: Painter,
        camera: OrbitCamera,
        context: str,
        *,
        level: str = "full",
        hidden: Collection[str] = (),
        orbit: float = 0.0,
    ) -> None:
        """Fly a scene before a camera that turns at the rate `orbit` [degree/s]; `level` is one of `HUDS`."""
        super().__init__(scene)
        self._painter, self._camera = painter, camera
        self._level, self._hidden, self._turn = level, hidden, math.radians(orbit) * FRAME
        self.drawn_with = f"drawn with {context}"

    def frames(self, count: int) -> Iterator[int]:
        """Advance by up to so many frames, and turn the camera in each of them."""
        for number in super().frames(count):
            self._camera.orbit(self._turn, 0.0)
            yield number

    def image(self) -> Image:
        """The current frame."""
        self._painter.paint(self.scene, self._camera, self.history, level=self._level, hidden=self._hidden)
        return self._painter.image()


class UnseenFlight(SceneFlight):
    """A flight without OpenGL, of which only the telemetry can be drawn."""

    drawn_with = "telemetry"

    def __init__(self, scene: Scene, size: tuple[int, int]) -> None:
        super().__init__(scene)
        self._size = size

    def image(self) -> Image:
        """The curves of the flight so far."""
        return self.curves(self._size)
