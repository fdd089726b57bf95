"""A scene that can be restarted and can switch to its next case."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import ClassVar

from ..drawing import FASTEST, Binding, Ray
from ..physics import World, integrators


class Restarting(ABC):
    """A scene whose cases all start in the same way; the keys C and R call its methods."""

    world: World
    case_name = ""
    wide = 1.0
    """Width over height of the part that must be seen."""
    fastest = FASTEST
    keys: ClassVar[Sequence[Binding]] = ()

    def reset(self) -> None:
        """Begin again, with the integrator, game mode and pace chosen since."""
        old = self.world
        self._begin(old.integrator, old.game_mode)
        self.world.paused, self.world.time_scale = old.paused, old.time_scale

    def next_case(self) -> None:
        """Begin the next case; where there is only one, that one again."""
        names = list(self._case_names()) or [self.case_name]
        self.case_name = names[(names.index(self.case_name) + 1) % len(names)]
        self.reset()

    def act(self, action: str) -> str:
        """Perform the action of a key of `keys`, which is the method that its first word names with the other words as arguments."""
        name, *arguments = action.split()
        return str(getattr(self, name)(*arguments))

    def point(self, ray: Ray | None, is_held: bool) -> bool:
        """Take note of what the mouse points at; nothing, unless a scene replaces it."""
        return False

    def _case_names(self) -> Collection[str]:
        """The cases that may be begun."""
        return ()

    @abstractmethod
    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        """Make the world of the present case."""
