"""Lines as the instances that `line.vert` widens to strips."""

import numpy as np
import numpy.typing as npt

from demos.viewer.scene import Line


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
