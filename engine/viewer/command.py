"""The commands that the demos tell their user to type, in the repository and where they are installed."""

import sys
from pathlib import Path

_IN_THE_REPOSITORY = __package__ == "engine.viewer"
_STARTED_AS_POLHODE = Path(sys.argv[0]).stem == "polhode"

PROGRAM = "python -m demos" if _IN_THE_REPOSITORY and not _STARTED_AS_POLHODE else "polhode"
"""Starts the demos, as the user has started them where the repository offers two ways."""


def install(extra: str) -> str:
    """The command that installs the packages of an extra.

    Example:
        >>> install("demos")
        'pip install -e ".[demos]"'
    """
    return f'pip install -e ".[{extra}]"' if _IN_THE_REPOSITORY else f'pip install "polhode[{extra}]"'
