"""The keys of the window with their actions and the texts of the help."""

from collections.abc import Sequence

from .scene import LAYERS, Key

# Name of the key in pygame (after K_), its name in the help, the action, and its description.
BINDINGS = (
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

REPEATING = {"single_step", "rewind", "look_left", "look_right", "look_up", "look_down", "nearer", "farther"}


Column = list[tuple[str, str]]
"""Keys and their descriptions."""


def help_columns(own: Sequence[Key] = ()) -> tuple[Column, ...]:
    """Columns of the help: simulation and program, the picture, and the keys that a scene has of its own."""
    taken = {key.name for key in own}
    entries = [(shown, meaning) for name, shown, _, meaning in BINDINGS if meaning and name not in taken]
    first_layer = entries.index(next(entry for entry in entries if entry[0] == "1"))
    columns = entries[:first_layer], entries[first_layer:], [(key.shown, key.meaning) for key in own if key.shown]
    return tuple(column for column in columns if column)
