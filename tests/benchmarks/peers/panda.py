"""Panda3D's Bullet, single precision: forces are taken in the world frame only, so each body's is turned by its orientation first."""

import numpy as np
import numpy.typing as npt
from panda3d.bullet import BulletRigidBodyNode, BulletWorld
from panda3d.core import TransformState, Vec3

from ..scenes import DT, Bodies
from .peer import Entry, Ticks

Array = npt.NDArray[np.float64]

DISTRIBUTIONS = ("panda3d",)


class Panda(Ticks):
    def __init__(self, bodies: Bodies) -> None:
        super().__init__()
        self._world = BulletWorld()
        self._world.set_gravity(Vec3(*bodies.gravity))
        rows = zip(bodies.position.tolist(), bodies.angular_velocity_body.tolist(), strict=True)
        self._nodes = [self._add(bodies, position, rates) for position, rates in rows]
        self._thrust = Vec3(0.0, 0.0, bodies.thrust)
        if not bodies.thrust:
            self.tick = self._free_tick

    def _add(self, bodies: Bodies, position: list[float], rates: list[float]) -> BulletRigidBodyNode:
        node = BulletRigidBodyNode()
        node.set_mass(bodies.mass)
        node.set_inertia(Vec3(*bodies.moments))
        node.set_linear_damping(0.0)
        node.set_angular_damping(0.0)
        node.set_deactivation_enabled(False)
        self._world.attach(node)
        node.set_transform(TransformState.make_pos(Vec3(*position)))
        node.set_angular_velocity(Vec3(*rates))
        return node

    def tick(self) -> None:
        thrust = self._thrust
        for node in self._nodes:
            node.apply_central_force(node.transform.quat.xform(thrust))
        self._free_tick()

    def _free_tick(self) -> None:
        self._world.do_physics(DT, 0)
        self.taken += 1

    @property
    def time(self) -> float:
        return self.taken * DT

    def positions(self) -> Array:
        return np.array([tuple(node.transform.pos) for node in self._nodes])

    def orientations(self) -> Array:
        return np.array([tuple(node.transform.quat) for node in self._nodes])[:, [1, 2, 3, 0]]

    def close(self) -> None:
        """Nothing is kept open."""


ENTRIES = [Entry("Panda3D Bullet", Panda, 1, 1000)]
