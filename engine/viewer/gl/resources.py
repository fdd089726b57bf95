"""What must be given back to the graphics card; Python's garbage collector does not know when."""

from typing import Any


class Resources:
    """Textures, buffers and the like that live and go together."""

    def __init__(self) -> None:
        self._owned: list[Any] = []

    def own(self, resource: Any) -> Any:
        """Remember the resource; returns it."""
        self._owned.append(resource)
        return resource

    def release(self) -> None:
        """Give all of them back, the newest first."""
        while self._owned:
            self._owned.pop().release()
