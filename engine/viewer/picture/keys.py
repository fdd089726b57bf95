"""The keys of the window with their actions and the texts of the help."""

from collections.abc import Sequence

from .scene import LAYERS, Binding

# Name of the key in pygame (after K_), its name in the help, the action, and its description.
BINDINGS: tuple[Binding, ...] = (
    ("SPACE", "space", "pause", "pause, resume"),
    ("PERIOD", "period", "single_step", "one tick"),
    ("BACKSPACE", "backspace", "rewind", "back one second"),
    ("COMMA", "comma", "slower", "slower"),
    ("SLASH", "slash", "faster", "faster"),
    ("i", "I", "next_integrator", "next integrator"),
    ("g", "G", "toggle_game_mode", "game mode"),
    ("c", "C", "next_case", "next case"),
    ("r", "R", "reset", "restart"),
    ("h", "H", "toggle_help", "this help"),
    ("F1", "", "toggle_help", ""),
    ("ESCAPE", "escape, Q", "quit", "quit"),
    ("q", "", "quit", ""),
    *(
        (str(number), str(number), f"toggle_layer {layer}", f"hide, show {layer}")
        for number, layer in enumerate(LAYERS, 1)
    ),
    ("LEFT", "arrows, drag", "look_left", "rotate the camera"),
    ("RIGHT", "", "look_right", ""),
    ("UP", "", "look_up", ""),
    ("DOWN", "", "look_down", ""),
    ("PAGEUP", "page up, wheel", "nearer", "zoom in, out"),
    ("PAGEDOWN", "", "farther", ""),
)

REPEATING = {
    "single_step",
    "rewind",
    "look_left",
    "look_right",
    "look_up",
    "look_down",
    "nearer",
    "farther",
    "push",
    "twist",
    "turn_joint",
}
"""First words of the actions that a held key repeats, those of scenes included."""


def help_columns(own: Sequence[Binding] = ()) -> list[list[tuple[str, str]]]:
    """Keys and their descriptions in columns: simulation and program, the picture, and the scene's own keys if it has any."""
    taken = {name for name, *_ in own}
    entries = [(key, meaning) for name, key, _, meaning in BINDINGS if meaning and name not in taken]
    first_layer = entries.index(next(entry for entry in entries if entry[0] == "1"))
    of_scene = [(key, meaning) for _, key, _, meaning in own if meaning]
    return [entries[:first_layer], entries[first_layer:], *([of_scene] if of_scene else [])]
