"""An orbiting camera, and the one place in the viewer where float64 world coordinates become float32 drawing coordinates."""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .scene import Eye, Ray

Array = npt.NDArray[np.float64]

WORLD_AXES = np.eye(3)
FIELD_OF_VIEW = 36.0  # [degree], vertical: long enough a lens that a ship does not bulge
FIRST_YAW, FIRST_PITCH = math.radians(38.0), math.radians(17.0)  # from where a scene is first seen
FIRST_RIGHT = np.array([-math.sin(FIRST_YAW), math.cos(FIRST_YAW), 0.0])
"""Unit vector to the right of the picture as the camera first looks, world frame."""
HIGHEST_PITCH = math.radians(86.0)  # short of straight down, where "up" loses its meaning


@dataclass
class OrbitCamera:
    """A camera that looks at `target` from a point on a sphere about it.

    Everything handed to the graphics card is relative to the eye: the difference is taken in float64, and only then rounded, so that
    a scene a billion metres from the origin shakes no more than one at it.

    Example:
        >>> from engine import viewer
        >>> camera = viewer.Camera(yaw=0.5, pitch=0.3, distance=20.0)
        >>> float(abs(camera.eye).max()) < 20.0
        True
    """

    yaw: float = FIRST_YAW
    """Angle of the eye about the z of its axes, from their x [rad]."""
    pitch: float = FIRST_PITCH
    """Height of the eye above the horizon [rad]."""
    distance: float = 12.0
    """Distance of the eye from the target [m]."""
    target: Array = field(default_factory=lambda: np.zeros(3))
    """World point looked at [m], shape (3,)."""
    axes: Array = field(default_factory=lambda: WORLD_AXES)
    """The axes of its angles as columns, world frame, shape (3, 3); the third one is up in the picture."""
    back: float = 1.0
    """By which the distance is multiplied for a picture that is narrower than the scene."""

    @property
    def eye(self) -> Array:
        """World position of the camera [m], shape (3,)."""
        return self.target - self.reach * self.forward

    @property
    def reach(self) -> float:
        """Distance of the eye from the target in this picture [m]."""
        return self.back * self.distance

    def stand_back(self, wide: float, size: tuple[int, int]) -> None:
        """Look from so far away that a scene of this width over height fits into a picture of this size in pixels.

        Example:
            >>> camera = OrbitCamera(target=(0.0, 0.0, 0.0), distance=10.0)
            >>> camera.stand_back(1.5, (720, 1280))
            >>> round(camera.back, 3)
            2.667
        """
        self.back = max(1.0, wide * size[1] / size[0])

    @property
    def forward(self) -> Array:
        """Unit vector of the line of sight, world frame, shape (3,)."""
        level = math.cos(self.pitch)
        return -self.axes @ np.array([level * math.cos(self.yaw), level * math.sin(self.yaw), math.sin(self.pitch)])

    def orbit(self, yaw: float, pitch: float) -> None:
        """Turn about the target by these angles [rad].

        Example:
            >>> import math
            >>> camera = OrbitCamera(yaw=0.0, pitch=0.0, distance=10.0)
            >>> camera.orbit(math.pi / 2, 0.0)
            >>> camera.eye.round(9).tolist()
            [0.0, 10.0, 0.0]
        """
        self.yaw = (self.yaw + yaw) % math.tau
        self.pitch = min(max(self.pitch + pitch, -HIGHEST_PITCH), HIGHEST_PITCH)

    def zoom(self, factor: float, nearest: float, farthest: float) -> None:
        """Multiply the distance, within bounds [m].

        Example:
            >>> camera = OrbitCamera(distance=10.0)
            >>> camera.zoom(0.5, nearest=1.0, farthest=100.0)
            >>> camera.distance
            5.0
        """
        self.distance = min(max(self.distance * factor, nearest), farthest)

    def relative(self, points: Array) -> npt.NDArray[np.float32]:
        """Vectors from the eye to world points [m], world frame, shape (..., 3), subtracted in float64 and then rounded to float32.

        Example:
            >>> camera = OrbitCamera(yaw=0.0, pitch=0.0, distance=10.0)
            >>> camera.relative(np.array([0.0, 2.0, 0.0])).tolist()
            [-10.0, 2.0, 0.0]
        """
        return np.subtract(points, self.eye).astype(np.float32)

    def view_projection(self, aspect: float) -> Array:
        """Matrix from eye-relative world points to clip coordinates, shape (4, 4), for row vectors (pyrr's layout, OpenGL's in memory).

        Example:
            >>> camera = OrbitCamera(yaw=0.0, pitch=0.0, distance=10.0)
            >>> clip = np.append(camera.relative(camera.target), 1.0) @ camera.view_projection(16 / 9)
            >>> (clip[:2] / clip[3]).tolist()  # the target is in the middle of the picture
            [0.0, 0.0]
        """
        from pyrr import matrix44

        view = matrix44.create_look_at(np.zeros(3), self.forward, self.axes[:, 2])
        near, far = 0.02 * self.reach, 5000.0 * self.reach  # the near one alone sets how fine depths are
        return np.asarray(view @ matrix44.create_perspective_projection(FIELD_OF_VIEW, aspect, near, far))

    @property
    def half_height(self) -> float:
        """From the middle of the picture to its upper edge, at unit distance from the eye."""
        return math.tan(math.radians(FIELD_OF_VIEW) / 2.0)

    def half_picture(self, aspect: float) -> tuple[Array, Array]:
        """From the middle of the picture to its right edge and to its upper edge, at unit distance from the eye; world frame.

        Example:
            >>> camera = OrbitCamera(yaw=0.0, pitch=0.0)
            >>> right, up = camera.half_picture(16 / 9)
            >>> bool(abs(right[1] / up[2] - 16 / 9) < 1e-12)
            True
        """
        right = np.cross(self.forward, self.axes[:, 2])
        right /= np.linalg.norm(right)
        return right * self.half_height * aspect, np.cross(right, self.forward) * self.half_height

    def project(self, point: Array, size: tuple[int, int]) -> tuple[float, float] | None:
        """Pixel (x right, y down) at which a world point [m] appears, or None behind the camera.

        Example:
            >>> camera = OrbitCamera(yaw=0.0, pitch=0.0, distance=10.0)
            >>> x, y = camera.project(camera.target, (1280, 720))
            >>> float(x), float(y), camera.project(2.0 * camera.eye, (1280, 720))  # the second point is behind the camera
            (640.0, 360.0, None)
        """
        clip = np.append(np.subtract(point, self.eye), 1.0) @ self.view_projection(size[0] / size[1])
        if clip[3] <= 0.0:
            return None
        return (0.5 + 0.5 * clip[0] / clip[3]) * size[0], (0.5 - 0.5 * clip[1] / clip[3]) * size[1]

    def ray(self, pixel: tuple[float, float], size: tuple[int, int]) -> Ray:
        """The line of sight through a pixel (x right, y down) of a picture of this size; `project` puts its points there.

        Example:
            >>> camera = OrbitCamera(yaw=0.0, pitch=0.0, distance=10.0)
            >>> ray = camera.ray((640, 360), (1280, 720))
            >>> ray.origin.tolist(), ray.direction.tolist()
            ([10.0, 0.0, 0.0], [-1.0, 0.0, 0.0])
        """
        right, up = self.half_picture(size[0] / size[1])
        across, down = 2.0 * pixel[0] / size[0] - 1.0, 2.0 * pixel[1] / size[1] - 1.0
        along = self.forward + across * right - down * up
        return Ray(self.eye, along / np.linalg.norm(along))


def mounted(eye: Eye) -> OrbitCamera:
    """The camera that a craft carries, as one that looks at the point in its line of sight at the distance of its target."""
    axes = np.column_stack([-eye.forward, np.cross(eye.up, -eye.forward), eye.up])
    target = eye.position + eye.reach * eye.forward
    return OrbitCamera(yaw=0.0, pitch=0.0, distance=eye.reach, target=target, axes=axes)
