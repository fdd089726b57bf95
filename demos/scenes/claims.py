"""The assertions of a demo's check, and the run before it."""

from ..viewer.picture.scene import FRAME, Scene


def claim(holds: bool, text: str) -> str:
    """An assertion that python -O keeps; returns the text, where it holds."""
    if not holds:
        raise AssertionError(text)
    return text


def check_after(scene: Scene, frames: int) -> list[str]:
    """Fly a scene so many frames without drawing it; what its check found."""
    for _ in range(frames):
        scene.world.advance(FRAME)
    return scene.check()
