"""What the keys do; pressed by a person or by a test, without a word of pygame."""

import math
from dataclasses import dataclass, field

from demos.viewer.camera import OrbitCamera
from demos.viewer.rewind import Rewind
from demos.viewer.scene import LAYERS, Scene
from engine import integrators

SLOWEST, FASTEST = 1.0 / 16.0, 8.0
"""Bounds of the pace: world seconds a wall second."""

KEY_TURN = math.radians(6.0)
MOUSE_TURN = math.radians(0.3)  # a pixel
ZOOM_STEP = 1.12

REWIND = 1.0
"""World seconds that one press goes back at pace 1; more at a faster pace, fewer at a slower one."""

# Name of the key in pygame (after K_), how people call it, the action, and what it does.
BINDINGS = (
    ("SPACE", "space", "pause", "pause, go on"),
    ("PERIOD", "period", "single_step", "one tick"),
    ("BACKSPACE", "backspace", "rewind", "back one second"),
    ("COMMA", "comma", "slower", "slower"),
    ("SLASH", "slash", "faster", "faster"),
    ("i", "I", "next_integrator", "next integrator"),
    ("g", "G", "toggle_game_mode", "game mode"),
    ("c", "C", "next_case", "next case"),
    ("r", "R", "reset", "begin again"),
    ("h", "H", "toggle_help", "this help"),
    ("F1", "", "toggle_help", ""),
    ("ESCAPE", "escape, Q", "quit", "quit"),
    ("q", "", "quit", ""),
    *(
        (str(number), str(number), f"toggle_layer {layer}", f"{layer}: hide, show")
        for number, layer in enumerate(LAYERS, 1)
    ),
    ("LEFT", "arrows, drag", "look_left", "turn the camera"),
    ("RIGHT", "", "look_right", ""),
    ("UP", "", "look_up", ""),
    ("DOWN", "", "look_down", ""),
    ("PAGEUP", "page up, wheel", "nearer", "nearer, farther"),
    ("PAGEDOWN", "", "farther", ""),
)

REPEATING = {"single_step", "rewind", "look_left", "look_right", "look_up", "look_down", "nearer", "farther"}


@dataclass
class Controls:
    """Acts on a scene and a camera; each public action is a method without arguments."""

    scene: Scene
    camera: OrbitCamera
    help_shown: bool = False
    quitting: bool = False
    hidden: set[str] = field(default_factory=set)
    """The layers of `scene.LAYERS` that are not shown."""
    notice: str = ""
    """What the last key has to say, if anything."""

    def __post_init__(self) -> None:
        self._rewind = Rewind(self.scene)

    def press(self, key: str, *, repeated: bool = False) -> bool:
        """Do what this key (pygame's name after K_) is for; False where it does nothing. Most act once however long they are held."""
        for name, _, action, _ in BINDINGS:
            if name == key and (not repeated or action in REPEATING):
                self.notice = ""
                self.act(action)
                return True
        return False

    def act(self, action: str) -> None:
        """Do what one of the bindings names."""
        verb, _, layer = action.partition(" ")
        getattr(self, verb)(*filter(None, [layer]))

    def pause(self) -> None:
        """Stop the world, or let it go on."""
        self.scene.world.paused = not self.scene.world.paused

    def single_step(self) -> None:
        """Stop the world and take one tick."""
        self.scene.world.paused = True
        self.scene.world.step()

    def rewind(self) -> None:
        """Go back by a second, to the same bits as then; a scene that cannot be flown again says so."""
        world = self.scene.world
        if not self.scene.rewinds:
            self.notice = "no way back: this scene is too large, or too much in your hands, to be flown again"
            return
        self._rewind.to(max(world.tick_count - max(round(REWIND * world.time_scale / world.dt), 1), 0))

    def slower(self) -> None:
        """Half the pace."""
        self.scene.world.time_scale = max(self.scene.world.time_scale / 2.0, SLOWEST)

    def faster(self) -> None:
        """Twice the pace."""
        self.scene.world.time_scale = min(self.scene.world.time_scale * 2.0, FASTEST)

    def next_integrator(self) -> None:
        """Go on with the next method of the engine's list."""
        names = list(integrators.by_name)
        present = self.scene.world.integrator.name
        following = names[(names.index(present) + 1) % len(names)] if present in names else names[0]
        self.scene.world.integrator = integrators.by_name[following]()
        self._rewind.note()

    def toggle_game_mode(self) -> None:
        """Drop the gyroscopic term, or take it up again."""
        self.scene.world.game_mode = not self.scene.world.game_mode
        self._rewind.note()

    def next_case(self) -> None:
        """Begin the scene's next case."""
        self.scene.next_case()
        self._rewind.begin()

    def reset(self) -> None:
        """Begin this case again."""
        self.scene.reset()
        self._rewind.begin()

    def toggle_layer(self, layer: str) -> None:
        """Hide what belongs to this layer, or show it again."""
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

    def drag(self, across: float, down: float) -> None:
        """Turn the scene with the mouse, by so many pixels."""
        self.camera.orbit(-across * MOUSE_TURN, down * MOUSE_TURN)

    def nearer(self) -> None:
        """Move the eye closer."""
        self.zoom(1.0)

    def farther(self) -> None:
        """Move the eye away."""
        self.zoom(-1.0)

    def zoom(self, steps: float) -> None:
        """Move the eye closer by so many steps of the wheel."""
        self.camera.zoom(ZOOM_STEP**-steps, 1.2 * self.scene.radius, 12.0 * self.scene.radius)

    def toggle_help(self) -> None:
        """Show the keys, or hide them."""
        self.help_shown = not self.help_shown

    def quit(self) -> None:
        """End the demo."""
        self.quitting = True


def help_columns() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Keys and what they do: those of the flight and of the program, those of the picture."""
    entries = [(key, meaning) for _, key, _, meaning in BINDINGS if meaning]
    first_layer = entries.index(next(entry for entry in entries if entry[0] == "1"))
    return entries[:first_layer], entries[first_layer:]
