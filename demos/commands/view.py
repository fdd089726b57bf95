"""Shows a scene file or a record of a flight in a window: `python -m demos view FILE`."""

from ..internals import view_file as main

__all__ = ["main"]
