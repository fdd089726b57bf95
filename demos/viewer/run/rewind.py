"""Goes back in the time of a scene by flying it again from its start, so that every bit is what it was."""

from dataclasses import dataclass

from ...physics import integrators
from ..picture.scene import Scene


@dataclass(frozen=True)
class Settings:
    """What may be changed in flight, and the tick from which on it held."""

    tick: int
    integrator: integrators.Integrator
    game_mode: bool


class Rewind:
    """The log of what was changed in flight, and at which tick."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.begin()

    def begin(self) -> None:
        """Forget all: the scene has begun anew, with the settings it has now."""
        self._log = [Settings(0, self._scene.world.integrator, self._scene.world.game_mode)]

    def note(self) -> None:
        """Remember the present integrator and game mode, chosen before the coming tick."""
        world = self._scene.world
        self._log.append(Settings(world.tick_count, world.integrator, world.game_mode))

    def to(self, tick: int) -> None:
        """Fly to this tick again; it must not lie ahead. What was changed after it is forgotten."""
        self._log = [settings for settings in self._log if settings.tick <= tick]
        self._apply(self._log[0])
        self._scene.reset()
        for settings in self._log:
            self._scene.world.step(settings.tick - self._scene.world.tick_count)
            self._apply(settings)
        self._scene.world.step(tick - self._scene.world.tick_count)

    def _apply(self, settings: Settings) -> None:
        world = self._scene.world
        if world.integrator is not settings.integrator:  # to assign it makes some methods forget the ticks before
            world.integrator = settings.integrator
        world.game_mode = settings.game_mode
