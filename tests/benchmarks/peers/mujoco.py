"""MuJoCo: one model of free bodies.

Few thrusters are actuators at sites, held in the body frame within many steps of one call. The work for each of those grows with all
bodies; so many thrusters are written as generalised forces, by NumPy and before each step, which is second order.
"""

import functools

import mujoco
import numpy as np
import numpy.typing as npt

from ..scenes import DT, Bodies
from .peer import Entry, predicted

Array = npt.NDArray[np.float64]

DISTRIBUTIONS = ("mujoco",)

_STATE = mujoco.mjtState.mjSTATE_INTEGRATION
"""All that the next step depends on."""

MOST_ACTUATORS = 10
"""With more, forces written by NumPy take less time."""

_MODEL = """<mujoco>
<option integrator="{integrator}" timestep="{dt!r}" gravity="{gravity}" jacobian="sparse">
<flag contact="disable" constraint="disable"/></option>
<worldbody>{bodies}</worldbody>
<actuator>{thrusters}</actuator>
</mujoco>"""
_BODY = '<body><freejoint/><inertial pos="0 0 0" mass="{mass!r}" diaginertia="{moments}"/><site name="nozzle{index}"/></body>'
_THRUSTER = '<motor site="nozzle{index}" gear="0 0 1 0 0 0"/>'


class MuJoCo:
    def __init__(self, integrator: str, bodies: Bodies) -> None:
        self._model = mujoco.MjModel.from_xml_string(_xml(integrator, bodies))
        self._data = mujoco.MjData(self._model)
        self._poses = self._data.qpos.reshape(-1, 7)
        self._poses[:, :3], self._poses[:, 3:] = bodies.position, (1.0, 0.0, 0.0, 0.0)
        self._data.qvel.reshape(-1, 6)[:, 3:] = bodies.angular_velocity_body
        self._data.ctrl[:] = bodies.thrust
        self._step = functools.partial(mujoco.mj_step, self._model, self._data)
        self._thrust = bodies.thrust
        written = bodies.thrust and not _has_actuators(bodies)
        self.tick, self.run = (self._written_tick, self._written_run) if written else (self._step, self._step)

    def _written_tick(self) -> None:
        w, x, y, z = self._poses[:, 3:].T
        forces, twice = self._data.qfrc_applied.reshape(-1, 6), 2.0 * self._thrust
        forces[:, 0] = twice * (x * z + w * y)
        forces[:, 1] = twice * (y * z - w * x)
        forces[:, 2] = self._thrust - twice * (x * x + y * y)
        self._step()

    def _written_run(self, ticks: int) -> None:
        for _ in range(ticks):
            self._written_tick()

    @property
    def time(self) -> float:
        return self._data.time

    def positions(self) -> Array:
        return self._poses[:, :3].copy()

    def orientations(self) -> Array:
        return self._poses[:, [4, 5, 6, 3]]

    def saved(self) -> Array:
        state = np.empty(mujoco.mj_stateSize(self._model, _STATE))
        mujoco.mj_getState(self._model, self._data, state, _STATE)
        return state

    def restore(self, saved: Array) -> None:
        mujoco.mj_setState(self._model, self._data, saved, _STATE)

    def forget(self, saved: Array) -> None:
        """A state is an array of Python's."""

    def predicted(self, ticks: int) -> tuple[Array, Array]:
        return predicted(self, ticks)

    def close(self) -> None:
        """Nothing is kept open."""


def _xml(integrator: str, bodies: Bodies) -> str:
    indices = range(bodies.count)
    moments = _words(bodies.moments)
    return _MODEL.format(
        integrator=integrator,
        dt=DT,
        gravity=_words(bodies.gravity),
        bodies="".join(_BODY.format(mass=bodies.mass, moments=moments, index=index) for index in indices),
        thrusters="".join(_THRUSTER.format(index=index) for index in indices) if _has_actuators(bodies) else "",
    )


def _has_actuators(bodies: Bodies) -> bool:
    return bodies.thrust > 0.0 and bodies.count <= MOST_ACTUATORS


def _words(numbers: tuple[float, ...]) -> str:
    return " ".join(map(repr, numbers))


ENTRIES = [
    Entry("MuJoCo RK4", functools.partial(MuJoCo, "RK4"), 4, 1000),
    Entry("MuJoCo Euler", functools.partial(MuJoCo, "Euler"), 1, 1000),
]
