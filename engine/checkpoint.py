"""Everything in a world that a callback may change, kept for a tick that fails after it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .world import World


class Checkpoint:
    """A copy of bodies, forces' memory, callbacks and settings. Made only when a callback first changes something in a tick."""

    def __init__(self, world: "World") -> None:
        self._columns = world._columns.saved()
        self._bodies = list(world._bodies)
        self._mass_properties = list(world._mass_properties)
        self._forces = world._forces.saved()
        self._callbacks = list(world._callbacks)
        self._integrator, self._game_mode = world._integrator, world._game_mode
        self._paused, self._time_scale = world._paused, world._clock.exact_time_scale

    def restore(self, world: "World") -> None:
        """Put it all back; bodies added since are removed, and those removed are back under their old handles."""
        for body in world._bodies:
            body._index = -1
        world._bodies[:] = self._bodies
        world._mass_properties[:] = self._mass_properties
        world._names = {body.name: body for body in self._bodies}
        world._columns.restore(self._columns)
        world._renumber()
        world._forces.restore(*self._forces)
        world._callbacks = self._callbacks
        world._integrator, world._game_mode = self._integrator, self._game_mode
        world._stepper.use(self._integrator, not self._game_mode)
        world._paused, world._clock.time_scale = self._paused, self._time_scale
