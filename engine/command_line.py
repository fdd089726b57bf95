"""The command line, the same for `polhode`, `python -m polhode` and, in a checkout, `python -m engine` and `python -m demos`.

The engine has one command of its own, `prepare`. All others are demos, and what belongs to them. They are looked up by name only when one
of them is called, because the engine works without them.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from . import __version__

_OWN = (["prepare"], ["-V"], ["--version"])
_DEMOS = "demos" if __package__ == "engine" else f"{__package__}.demos"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line names.

    Args:
        arguments: The name of a command and its options; None for those of the program.

    Returns:
        The exit status, which is 2 for a name or an option that does not exist.

    Example:
        >>> main(["--version"])
        polhode 0.1.0
        0
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] in _OWN:
        return run_own(given)
    if find_spec(_DEMOS) is None:
        print(f"polhode: the demos are not installed; the only command is `prepare`; got {given}", file=sys.stderr)
        return 2
    status: int = import_module(f"{_DEMOS}.__main__").main(given)
    return status


def run_own(arguments: Sequence[str]) -> int:
    """Run a command that is one of the engine's, `prepare` or `--version`.

    Args:
        arguments: Its name and its options.

    Returns:
        The exit status.

    Example:
        >>> run_own(["-V"])
        polhode 0.1.0
        0
    """
    if arguments[0] == "prepare":
        status: int = import_module(f"{__package__}.__main__").main(arguments)
        return status
    print(f"polhode {__version__}")
    return 0
