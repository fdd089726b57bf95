"""What a docking flight draws beside the craft: the corridor to a port, the cross of a camera, the path, and force and torque."""

import numpy as np

from ..drawing import Array, Arrow, Caption, Line, colours

MARKS = (5.0, 10.0, 15.0, 20.0)  # distances from the port [m]
MARK = colours.faint(colours.GOAL, 0.60)
SHORTEST = 1.2  # an arrow that is shorter would not be seen beside the hull [m]
FORCE_LENGTH, TORQUE_LENGTH = 4.0 / 168.0, 4.0 / 190.0  # [m/N], [m/(N·m)]


def corridor(middle: Array, axes: Array) -> list[Line]:
    """The axis of the port, and squares at round distances."""
    corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)])
    lines = [np.column_stack([(0.3 + 0.06 * mark) * corners, np.full(5, mark)]) for mark in MARKS]
    axis = np.array([(0.0, 0.0, 0.15), (0.0, 0.0, 1.1 * MARKS[-1])])
    return [
        Line(middle + axis @ axes.T, colours.GUIDE, 1.4, layer="trails"),
        *(Line(middle + line @ axes.T, MARK, 1.6, layer="trails") for line in lines),
    ]


def mark_captions(middle: Array, axes: Array) -> list[Caption]:
    """The distance of each square, below it."""
    places = [axes @ (0.0, -0.3 - 0.06 * mark, mark) for mark in MARKS]
    return [
        Caption(middle + at, [f"{mark:g} m"], colours.WORDS, "trails") for at, mark in zip(places, MARKS, strict=True)
    ]


def cross(nose: Array, port: Array) -> list[Line]:
    """Two lines through the middle of the picture of the camera in a port, with a gap where they would meet."""
    near, far = 0.012, 0.055  # [m], at the sealing face
    along = np.array([(near, 0.0, 0.0), (far, 0.0, 0.0)])
    arms = [turn * along[:, order] for order in ([0, 1, 2], [1, 0, 2]) for turn in (1.0, -1.0)]
    return [Line(nose + arm @ port.T, MARK, 1.6) for arm in arms]


def arrows(middle: Array, force: Array, torque: Array, torque_length: float = TORQUE_LENGTH) -> list[Arrow]:
    """A force [N] and a torque [N·m], world frame, at a mass centre; none that would not be seen."""
    found = [
        Arrow(middle, FORCE_LENGTH * force, colours.THRUST, "F", 0.05, "thrust"),
        Arrow(middle, torque_length * torque, colours.TORQUE, "τ", 0.05, "torques"),
    ]
    return [arrow for arrow in found if float(np.linalg.norm(arrow.vector)) > SHORTEST]
