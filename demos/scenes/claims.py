"""The assertions of a demo's check, and the run before it."""

from ..drawing import FRAME, Scene


def claim(holds: bool, text: str) -> str:
    """An assertion that python -O keeps; returns the text, where it holds."""
    if not holds:
        raise AssertionError(text)
    return text


def check_after(scene: Scene, frames: int) -> list[str]:
    """Run a scene for this many frames without drawing it, and return the findings of its check."""
    for _ in range(frames):
        scene.world.advance(FRAME)
    return scene.check()
