"""What must be given back to the graphics card; Python's garbage collector does not know when."""

from typing import Any

GL = Any
"""A context of moderngl, or something of one, such as a texture; mypy does not read that package, whose annotations are wrong."""


class Resources:
    """Textures, buffers and the like that live and go together."""

    def __init__(self) -> None:
        self._owned: list[GL] = []

    def own(self, resource: GL) -> GL:
        """Remember the resource; returns it."""
        self._owned.append(resource)
        return resource

    def release(self) -> None:
        """Give all of them back, the newest first."""
        while self._owned:
            self._owned.pop().release()
