"""The actions of the keys, independent of pygame so that tests can press them too."""

import math
from dataclasses import dataclass, field

from ... import integrators
from ..picture.camera import OrbitCamera
from ..picture.keys import BINDINGS, REPEATING
from ..picture.scene import FASTEST, Scene
from .rewind import Rewind

SLOWEST = 1.0 / 16.0
"""The smallest pace, over the pace at which the scene begins."""

KEY_TURN = math.radians(6.0)
MOUSE_TURN = math.radians(0.3)  # per pixel
ZOOM_STEP = 1.12

REWIND = 1.0
"""Simulated seconds that one press goes back at pace 1, scaled by the pace."""


@dataclass
class Controls:
    """Acts on a scene and a camera; each public action is a method without arguments."""

    scene: Scene
    camera: OrbitCamera
    help_shown: bool = False
    quitting: bool = False
    hidden: set[str] = field(default_factory=set)
    """The layers of `scene.LAYERS` that are not shown."""
    is_dragging: bool = False
    """Whether the scene drags something by the mouse, which then does not turn the camera."""
    notice: str = ""
    """The message of the last key, or an empty string."""

    def __post_init__(self) -> None:
        self._rewind = Rewind(self.scene)
        self._usual_pace = self.scene.world.time_scale

    def press(self, key: str, *, repeated: bool = False) -> bool:
        """Perform the action of this key (pygame's name after K_); False if it has none. A held key repeats only some actions.

        The keys of the scene come first.
        """
        for name, _, action, _ in self.scene.keys:
            if name == key:
                if repeated and action.partition(" ")[0] not in REPEATING:
                    return False
                self.notice = self.scene.act(action)
                return True
        for name, _, action, _ in BINDINGS:
            if name == key and (not repeated or action in REPEATING):
                self.notice = ""
                self.act(action)
                return True
        return False

    def act(self, action: str) -> None:
        """Perform an action of the bindings."""
        verb, _, layer = action.partition(" ")
        getattr(self, verb)(*filter(None, [layer]))

    def pause(self) -> None:
        """Pause or resume the world."""
        self.scene.world.paused = not self.scene.world.paused

    def single_step(self) -> None:
        """Pause the world and run one tick."""
        self.scene.world.paused = True
        self.scene.world.step()
        self.remember()

    def rewind(self) -> None:
        """Go back by one second at pace 1, whatever has been done since, to the same bits."""
        world = self.scene.world
        if not self._rewind.back(max(round(REWIND * world.time_scale / world.dt), 1)):
            self.notice = "cannot go back any further"

    def remember(self) -> None:
        """Keep the frame that has ended, to go back to."""
        self._rewind.record()

    def slower(self) -> None:
        """Halve the pace, or divide it by ten where it reaches far."""
        world = self.scene.world
        world.time_scale = max(world.time_scale / self._ratio(world.time_scale / 2.0), SLOWEST * self._usual_pace)

    def faster(self) -> None:
        """Double the pace, or multiply it by ten where it reaches far."""
        world, fastest = self.scene.world, self.scene.fastest * self._usual_pace
        world.time_scale = min(world.time_scale * self._ratio(world.time_scale), fastest)

    def _ratio(self, slower: float) -> float:
        """Ratio of two paces next to each other, the slower of which is given."""
        return 10.0 if self.scene.fastest > FASTEST and slower >= self._usual_pace else 2.0

    def next_integrator(self) -> None:
        """Switch to the next method in the engine's list."""
        names = list(integrators.by_name)
        present = self.scene.world.integrator.name
        following = names[(names.index(present) + 1) % len(names)] if present in names else names[0]
        self.scene.world.integrator = integrators.by_name[following]()

    def toggle_game_mode(self) -> None:
        """Switch the gyroscopic term off or on."""
        self.scene.world.game_mode = not self.scene.world.game_mode

    def next_case(self) -> None:
        """Start the next case of the scene."""
        self.scene.next_case()
        self.remember()

    def reset(self) -> None:
        """Restart this case."""
        self.scene.reset()
        self.remember()

    def toggle_layer(self, layer: str) -> None:
        """Hide or show this layer."""
        self.hidden ^= {layer}
        self.notice = f"{layer} {'hidden' if layer in self.hidden else 'shown'}"

    def look_left(self) -> None:
        """Move the eye to the left about the target."""
        self.camera.orbit(-KEY_TURN, 0.0)

    def look_right(self) -> None:
        """Move the eye to the right."""
        self.camera.orbit(KEY_TURN, 0.0)

    def look_up(self) -> None:
        """Move the eye up."""
        self.camera.orbit(0.0, KEY_TURN)

    def look_down(self) -> None:
        """Move the eye down."""
        self.camera.orbit(0.0, -KEY_TURN)

    def point(self, pixel: tuple[float, float] | None, size: tuple[int, int], is_held: bool) -> None:
        """Tell the scene what the mouse points at in a picture of this size, and whether its left button is down."""
        ray = None if pixel is None else self.camera.ray(pixel, size)
        self.is_dragging = self.scene.point(ray, is_held)

    def drag(self, across: float, down: float) -> None:
        """Rotate the scene with the mouse, by this many pixels."""
        if not self.is_dragging:
            self.camera.orbit(-across * MOUSE_TURN, down * MOUSE_TURN)

    def nearer(self) -> None:
        """Move the eye closer."""
        self.zoom(1.0)

    def farther(self) -> None:
        """Move the eye away."""
        self.zoom(-1.0)

    def zoom(self, steps: float) -> None:
        """Move the eye closer by this many steps of the mouse wheel."""
        self.camera.zoom(ZOOM_STEP**-steps, 1.2 * self.scene.radius, 12.0 * self.scene.radius)

    def toggle_help(self) -> None:
        """Show or hide the list of keys."""
        self.help_shown = not self.help_shown

    def quit(self) -> None:
        """End the demo."""
        self.quitting = True
