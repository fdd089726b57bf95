"""Small pictures of what the renderer draws, kept, and how far another picture is from one of them.

`python -m tests.golden` draws them anew: look at each before you keep it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import demos.running  # noqa: F401, which gives the craft their names
from engine import rotation
from engine.viewer.gl.renderer import Renderer
from engine.viewer.picture.camera import OrbitCamera
from engine.viewer.picture.quality import HIGH, LOW, Quality
from engine.viewer.picture.scene import Arrow, Line, Model, Picture, Plume, Swarm

FOLDER = Path(__file__).parent
SIZE = (320, 180)
"""In pixels, as drawn; kept are the means of squares of 2 × 2."""
AMBER, GREEN, BLUE = (1.0, 0.66, 0.16, 1.0), (0.35, 1.0, 0.45, 1.0), (0.35, 0.72, 1.0, 1.0)


@dataclass(frozen=True)
class Golden:
    """What is drawn, from where [rad, rad, m], and how well."""

    picture: Callable[[], Picture]
    yaw: float
    pitch: float
    distance: float
    quality: Quality = HIGH


def turned(vector):
    """A rotation by this vector [rad], as a quaternion and as a matrix."""
    orientation = rotation.from_rotation_vector(np.array(vector, dtype=float))
    return orientation, rotation.to_matrix(orientation)


def ship():
    """The spacecraft under thrust, with arrows and a path."""
    _, matrix = turned((0.35, -0.6, -0.55))
    along = np.linspace(0.0, 4.0, 60)
    path = np.column_stack([3.4 * np.cos(along), 3.4 * np.sin(along), 0.5 * along - 0.4])
    return Picture(
        models=[Model("spacecraft", np.zeros(3), matrix)],
        plumes=[Plume(matrix @ (0.0, 0.0, -2.45), -matrix[:, 2], 0.55, 0.8)],
        arrows=[
            Arrow(np.zeros(3), np.array([0.0, 0.0, 3.6]), AMBER, thickness=0.05),
            Arrow(np.zeros(3), 3.0 * matrix[:, 0], GREEN, thickness=0.03),
        ],
        lines=[Line(path, BLUE, 2.6, fades=True)],
    )


def handle():
    """Bare metal, and nothing else."""
    return Picture(models=[Model("t-handle", np.zeros(3), turned((0.7, -0.5, 0.3))[1])])


def swarm():
    """Small craft on a ring, more and more of them thrusting."""
    turn = np.linspace(0.0, 2.0 * np.pi, 90, endpoint=False)
    positions = 4.0 * np.column_stack([np.cos(turn), np.sin(turn), 0.25 * np.sin(3.0 * turn)])
    orientations = rotation.from_rotation_vector(np.column_stack([np.sin(turn), -np.cos(turn), 0.3 + 0.0 * turn]))
    return Picture(swarms=[Swarm("dart", positions, orientations, 0.3, np.linspace(0.0, 1.0, 90))])


GOLDEN = {
    "ship": Golden(ship, 0.66, 0.30, 16.0),
    "ship-low": Golden(ship, 0.66, 0.30, 16.0, LOW),
    "ship-over-the-planet": Golden(ship, 1.4, 0.75, 14.0),
    "handle": Golden(handle, 1.1, 0.25, 7.0),
    "swarm": Golden(swarm, 0.4, 0.45, 17.0),
}


def draw(golden, gl):
    """The picture as the renderer draws it now, as it is kept, shape (90, 160, 3)."""
    renderer = Renderer(gl, SIZE, golden.quality)
    try:
        renderer.draw(golden.picture(), OrbitCamera(golden.yaw, golden.pitch, golden.distance))
        return np.rint(blocks(renderer.read(), 2)).astype(np.uint8)
    finally:
        renderer.release()


def blocks(image, side):
    """Means over squares of so many pixels a side."""
    height, width = (length // side * side for length in image.shape[:2])
    cut = image[:height, :width].astype(float)
    return cut.reshape(height // side, side, width // side, side, 3).mean(axis=(1, 3))


def difference(image, other):
    """Levels of 255 by which two pictures differ: the mean over squares of 2 × 2 pixels, and the worst square of 5 × 5.

    Squares, because another driver sets the edges a fraction of a pixel aside; a picture with something missing differs in whole squares.
    """
    apart = [np.abs(blocks(image, side) - blocks(other, side)) for side in (2, 5)]
    return float(apart[0].mean()), float(apart[1].max())
