"""The commands that the demos tell their user to type, in the repository and where they are installed."""

_IN_THE_REPOSITORY = __package__ == "demos.viewer"

PROGRAM = "python -m demos" if _IN_THE_REPOSITORY else "polhode"
"""Starts the demos."""


def install(extra: str) -> str:
    """The command that installs the packages of an extra.

    Example:
        >>> install("demos")
        'pip install -e ".[demos]"'
    """
    return f'pip install -e ".[{extra}]"' if _IN_THE_REPOSITORY else f'pip install "polhode[{extra}]"'
