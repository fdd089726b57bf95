"""The true pace of a window that cannot keep up with the pace that was asked for."""

from collections import deque

SPAN = 1.0
"""Wall time over which the pace is averaged [s]."""

FEWEST = 2
"""Frames that must have skipped time: one alone, after a compilation for instance, says nothing about the next ones."""


class Pace:
    """Measures the simulated time per wall time over the last frames."""

    def __init__(self) -> None:
        self._frames: deque[tuple[float, float]] = deque()
        self._wanted = 1.0

    def note(self, elapsed: float, skipped: float, wanted: float) -> None:
        """Add a frame.

        Args:
            elapsed: Wall time since the frame before [s].
            skipped: Simulated time that was due in this frame and was skipped [s].
            wanted: The pace that was asked for, in simulated seconds per wall second.
        """
        if wanted != self._wanted:
            self.clear()
        self._wanted = wanted
        self._frames.append((elapsed, skipped))
        while len(self._frames) > FEWEST and self._seconds - self._frames[0][0] >= SPAN:
            self._frames.popleft()

    def clear(self) -> None:
        """Start again, after a pause for instance."""
        self._frames.clear()

    def text(self) -> str:
        """The pace, followed by the true one if most frames of the last second skipped time."""
        slow = sum(skipped > 0.0 for _, skipped in self._frames)
        if slow < FEWEST or 2 * slow <= len(self._frames):
            return f"×{self._wanted:g}"
        seconds = self._seconds
        true = max(self._wanted - sum(skipped for _, skipped in self._frames) / seconds, 0.0)
        rate = len(self._frames) / seconds
        return f"×{self._wanted:g}, running at ×{true:.2g}, {rate:{'.0f' if rate >= 10.0 else '.2g'}} frames/s"

    @property
    def _seconds(self) -> float:
        return sum(elapsed for elapsed, _ in self._frames)
