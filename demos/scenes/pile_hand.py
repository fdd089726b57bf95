"""The hand that the mouse moves: a ray chooses a body, a spring drags it, a blow pushes it."""

from collections.abc import Iterator

import numpy as np

from ..drawing import Array, Ray
from ..physics import Body, World
from .pile_ledger import Mover

BANDWIDTH, DAMPING, STRENGTH = 5.0, 0.8, 4.0e3
"""Of the spring to the mouse [rad/s], its damping ratio, and its largest force [N]."""
BLOW = 1.2
"""Speed that a push gives to a free body [m/s]."""
FARTHEST = 200.0


class Hand:
    """What the mouse points at and drags; its forces act for a tick each, and their work is counted."""

    def __init__(self, world: World, names: set[str], gravity: float) -> None:
        """Only bodies of these names are dragged."""
        self._world, self._names, self._gravity = world, names, gravity
        self.ray: Ray | None = None
        self.body: Body | None = None
        """What the mouse points at, or drags."""
        self.name, self.point = "", np.zeros(3)
        """What the ray meets, and where [m]."""
        self.is_held = False
        self._at, self._distance = np.zeros(3), 0.0
        """The point that is dragged, in the body's axes, and its distance from the eye [m]."""
        self._blow = np.zeros(3)
        self.has_acted = False
        """Whether it has ever pushed."""
        self._acted: list[tuple[Body, Array, Mover]] = []

    @property
    def is_driving(self) -> bool:
        """Whether it has pushed in the last tick."""
        return bool(self._acted)

    def aim(self, ray: Ray | None, is_held: bool) -> bool:
        """Look along a line of sight, and drag what it met when the button went down; whether something is dragged."""
        self.ray = ray
        if ray is None or (self.is_held and is_held):
            self.is_held &= is_held
            return self.is_held
        hits = self._world.ray_cast(ray.origin, ray.direction, max_distance=FARTHEST)
        body, shape = hits.bodies[0], hits.shapes[0]
        self.body = body if body is not None and body.name in self._names else None
        self.name = (body or shape).name if hits.hit[0] else ""
        self.point, self._distance = np.array(hits.point_world[0]), float(hits.distance[0])
        self.is_held = is_held and self.body is not None
        if self.is_held:
            self._at = np.array(self.body.to_body(self.point))
        return self.is_held

    def push(self) -> str:
        """Give what the mouse points at a blow along the ray."""
        if self.ray is None or self.body is None:
            return "point at something loose"
        self._at = np.array(self.body.to_body(self.point))
        self._blow = BLOW * self.body.mass * np.asarray(self.ray.direction)
        return f"pushed {self.body.name}"

    def act(self) -> None:
        """Push, before a tick."""
        self._acted = []
        if self.body is None or self.body.world is not self._world:
            self.is_held = False
            return
        force = self._blow / self._world.dt
        self._blow = np.zeros(3)
        if self.is_held and self.ray is not None:
            force = force + self._pull()
        if force.any():
            self.body.apply_force(force, self.body.to_world(self._at))
            self.has_acted = True
            self._acted = [(self.body, force, Mover(self.body, self._at))]

    def impulses(self, dt: float) -> Iterator[tuple[Body, Array]]:
        """Of the last tick [N·s]."""
        return ((body, dt * force) for body, force, _ in self._acted)

    def work(self, dt: float) -> float:
        """Of the last tick [J]."""
        return sum(float(force @ mover.kicked(dt)) for _, force, mover in self._acted)

    def line(self) -> Array | None:
        """From what is dragged to where the mouse is, shape (2, 3); None if nothing is dragged."""
        if not self.is_held or self.ray is None or self.body is None:
            return None
        return np.array([self.body.to_world(self._at), self._goal()])

    def _goal(self) -> Array:
        """Where the mouse is, at the distance at which it took hold."""
        return np.asarray(self.ray.origin + self._distance * self.ray.direction)

    def _pull(self) -> Array:
        """Force of the spring, which also carries the weight [N]."""
        mass, place = self.body.mass, self.body.to_world(self._at)
        stretch, speed = self._goal() - place, self.body.velocity_at(self._at)
        force = mass * (BANDWIDTH**2 * stretch - 2.0 * DAMPING * BANDWIDTH * speed + (0.0, 0.0, self._gravity))
        size = float(np.linalg.norm(force))
        return np.asarray(force * min(1.0, STRENGTH / size) if size else force)
