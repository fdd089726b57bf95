"""A run without a window: so many frames of the world's time, and what was measured on the way."""

from collections.abc import Iterator

from ..picture.history import History
from ..picture.scene import FRAME, Scene

TICK_REFUSED = (ArithmeticError, ValueError)
"""What the engine raises for a tick it cannot take, with too long a `dt` for instance."""


class Flight:
    """Flies a scene; a tick that cannot be taken ends it, and what was before that tick is still there to see."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.history, self.trouble = scene, History(), ""
        self.frame_count = 0
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
            self.frame_count = number
            yield number
