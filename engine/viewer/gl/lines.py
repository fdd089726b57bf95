"""Lines as the instances that `line.vert` widens to strips."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..picture.camera import OrbitCamera
from ..picture.scene import Line
from .programs import program
from .resources import GL, Resources

NAMES = ("before", "start", "end", "after", "start_colour", "end_colour", "width")


class Lines:
    """One buffer of segments, drawn in one call."""

    def __init__(self, context: GL) -> None:
        self._context, self._resources = context, Resources()
        own = self._resources.own
        self._buffer = own(context.buffer(reserve=84 * 1024))
        layout = (self._buffer, "3f 3f 3f 3f 4f 4f 1f/i", *NAMES)
        self._segments = own(context.vertex_array(own(program(context, "line", "line")), [layout]))

    def draw(self, lines: Iterable[Line], camera: OrbitCamera, pixel_scale: float) -> None:
        """Lay the lines over the picture; solids in front hide them, but for what shines through."""
        lines = list(lines)
        self._context.depth_func = ">"
        self._draw([dimmed(line) for line in lines if line.behind], camera, pixel_scale)
        self._context.depth_func = "<"
        self._draw(lines, camera, pixel_scale)

    def _draw(self, lines: Iterable[Line], camera: OrbitCamera, pixel_scale: float) -> None:
        parts = [segments(camera.relative(line.points), line, pixel_scale) for line in lines if len(line.points) > 1]
        if not parts:
            return
        data = np.concatenate(parts)
        if data.nbytes > self._buffer.size:
            self._buffer.orphan(2 * data.nbytes)
        self._buffer.write(data.tobytes())
        self._segments.render(self._context.TRIANGLE_STRIP, vertices=4, instances=len(data))

    def release(self) -> None:
        """Give everything back."""
        self._resources.release()


def dimmed(line: Line) -> Line:
    """The line as it shines through."""
    return replace(line, colour=(*line.colour[:3], line.colour[3] * line.behind))


def segments(points: npt.NDArray[np.float32], line: Line, pixel_scale: float) -> npt.NDArray[np.float32]:
    """One row a segment: the points before, at its start, at its end and after; both colours; the width.

    Args:
        points: Points of the line relative to the eye [m], shape (n, 3), n at least 2.
        line: Its colour, width and whether it fades.
        pixel_scale: Pixels a unit of width.

    Returns:
        Shape (n − 1, 21).
    """
    count = len(points) - 1
    opacity = np.linspace(0.0, 1.0, count + 1) ** 0.8 if line.fades else np.ones(count + 1)
    colours = np.column_stack([np.tile(line.colour[:3], (count + 1, 1)), line.colour[3] * opacity])
    # A closed line goes on into itself; an open one ends as it came.
    closed = bool((points[0] == points[-1]).all())
    first, last = (points[-2], points[1]) if closed else (points[0], points[-1])
    before, after = np.vstack([first, points[:-2]]), np.vstack([points[2:], last])
    width = np.full((count, 1), line.width * pixel_scale)
    return np.hstack([before, points[:-1], points[1:], after, colours[:-1], colours[1:], width]).astype(np.float32)
