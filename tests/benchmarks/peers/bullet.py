"""Bullet by pybullet: no window, thrust in the frame of the link, applied anew to each body in each step as the engine asks."""

import numpy as np
import numpy.typing as npt
import pybullet

from ..scenes import DT, Bodies
from .peer import Entry, Ticks, predicted

Array = npt.NDArray[np.float64]

DISTRIBUTIONS = ("pybullet",)


class Bullet(Ticks):
    def __init__(self, bodies: Bodies) -> None:
        super().__init__()
        self._client = pybullet.connect(pybullet.DIRECT)
        pybullet.setTimeStep(DT, physicsClientId=self._client)
        pybullet.setGravity(*bodies.gravity, physicsClientId=self._client)
        rows = zip(bodies.position.tolist(), bodies.angular_velocity_body.tolist(), strict=True)
        self._bodies = [self._add(bodies, position, rates) for position, rates in rows]
        self._thrust = [0.0, 0.0, bodies.thrust]
        if not bodies.thrust:
            self.tick = self._free_tick

    def _add(self, bodies: Bodies, position: list[float], rates: list[float]) -> int:
        client = self._client
        body = pybullet.createMultiBody(bodies.mass, basePosition=position, physicsClientId=client)
        pybullet.changeDynamics(
            body,
            -1,
            localInertiaDiagonal=bodies.moments,
            linearDamping=0.0,
            angularDamping=0.0,
            maxJointVelocity=1e9,
            physicsClientId=client,
        )
        pybullet.resetBaseVelocity(body, [0.0, 0.0, 0.0], rates, physicsClientId=client)
        return body

    def tick(self) -> None:
        push, client, thrust, frame = pybullet.applyExternalForce, self._client, self._thrust, pybullet.LINK_FRAME
        for body in self._bodies:
            push(body, -1, thrust, (0.0, 0.0, 0.0), frame, client)
        self._free_tick()

    def _free_tick(self) -> None:
        pybullet.stepSimulation(self._client)
        self.taken += 1

    @property
    def time(self) -> float:
        return self.taken * DT

    def positions(self) -> Array:
        return np.array([pybullet.getBasePositionAndOrientation(body, self._client)[0] for body in self._bodies])

    def orientations(self) -> Array:
        return np.array([pybullet.getBasePositionAndOrientation(body, self._client)[1] for body in self._bodies])

    def saved(self) -> tuple[int, int]:
        return pybullet.saveState(physicsClientId=self._client), self.taken

    def restore(self, saved: tuple[int, int]) -> None:
        state, self.taken = saved
        pybullet.restoreState(stateId=state, physicsClientId=self._client)

    def forget(self, saved: tuple[int, int]) -> None:
        pybullet.removeState(saved[0], physicsClientId=self._client)

    def predicted(self, ticks: int) -> tuple[Array, Array]:
        return predicted(self, ticks)

    def close(self) -> None:
        pybullet.disconnect(self._client)


ENTRIES = [Entry("pybullet", Bullet, 1, 1000)]
