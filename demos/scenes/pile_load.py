"""What hangs on a line below a crane's hook or behind a tug, and the ray that chooses it."""

from typing import Any

import numpy as np

from ..drawing import Array
from ..physics import Body, World, joints, rotation

REACH, SLACK = 2.5, 0.02
"""Longest line to what is taken, and by how much a new one is longer than it is far [m]."""
MIDDLE = np.zeros(3)


class Load:
    """A line from a point of a carrier to the eye of a piece."""

    def __init__(self, world: World, carrier: Body, eyes: dict[str, list[Array]], *, is_arm: bool = False) -> None:
        """`eyes` has the points of each body to which a line may be tied, by its name; an arm is rigid."""
        self._world, self._carrier, self._eyes, self._is_arm = world, carrier, eyes, is_arm
        self.line: Any = None
        """The joint; None while nothing is taken."""

    @property
    def body(self) -> Body | None:
        """What is taken."""
        body: Body | None = None if self.line is None else self.line.body
        return body

    @property
    def start(self) -> Array:
        """Where the line begins [m], world frame."""
        return np.asarray(self._carrier.position)

    @property
    def tension(self) -> float:
        """Mean force of the line over the last tick [N]."""
        return 0.0 if self.line is None else float(np.linalg.norm(self.line.force_world))

    def distance(self, body: Body) -> float:
        """From the start of the line to the nearest eye of a body [m]."""
        return float(np.linalg.norm(self._eye(body)[1] - self.start))

    def may_take(self, body: Body) -> bool:
        """Whether a body has an eye that is near enough."""
        return body.name in self._eyes and self.distance(body) <= REACH

    def take(self, body: Body) -> None:
        """Tie the line to the nearest eye of a body."""
        self.release()
        at_body, place = self._eye(body)
        if self._is_arm:
            line: Any = joints.Weld(body, self._carrier, at_body=at_body)
        else:
            length = float(np.linalg.norm(place - self.start)) + SLACK
            line = joints.Distance(body, self._carrier, at_body=at_body, at_other=MIDDLE, max_length=length)
        self.line = self._world.add_joint(line)
        self.line.collides = True

    def release(self) -> None:
        """Let go."""
        if self.line is not None:
            self._world.remove_joint(self.line)
            self.line = None

    def ends(self) -> tuple[Array, Array] | None:
        """Where the line is drawn, from one end to the other; None while nothing is taken."""
        if self.line is None:
            return None
        places = []
        for body, point in ((self._carrier, MIDDLE), (self.line.body, self.line.at_body)):
            origin, orientation = body.interpolated_pose()
            places.append(origin + rotation.rotate(orientation, point))
        return places[0], places[1]

    def _eye(self, body: Body) -> tuple[Array, Array]:
        """The nearest eye in the body's axes, and in the world frame."""
        eyes = np.array(self._eyes[body.name])
        places = body.to_world(eyes)
        nearest = int(np.argmin(np.linalg.norm(places - self.start, axis=1)))
        return eyes[nearest], np.asarray(places[nearest])
