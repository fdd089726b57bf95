"""Basilisk: a spacecraft a body, with a module that gives it thrust in the body frame and weight in the world frame."""

import functools

import numpy as np
import numpy.typing as npt
from Basilisk.simulation import extForceTorque, spacecraft, svIntegrators
from Basilisk.utilities import SimulationBaseClass, macros
from scipy.spatial.transform import Rotation

from ..scenes import DT, Bodies
from .peer import Entry

Array = npt.NDArray[np.float64]

DISTRIBUTIONS = ("bsk",)

_TICK = macros.sec2nano(DT)
"""Whole nanoseconds, the unit of its clock."""


class Basilisk:
    def __init__(self, integrator: str, bodies: Bodies) -> None:
        self._simulation = SimulationBaseClass.SimBaseClass()
        process = self._simulation.CreateNewProcess("process")
        process.addTask(self._simulation.CreateNewTask("task", _TICK))
        self._kept = []  # the simulation does not keep what it is given alive
        rows = zip(bodies.position.tolist(), bodies.angular_velocity_body.tolist(), strict=True)
        self._spacecraft = [self._add(integrator, bodies, position, rates) for position, rates in rows]
        self._simulation.InitializeSimulation()
        self._end = 0
        self.run(0)

    def _add(self, integrator: str, bodies: Bodies, position: list[float], rates: list[float]):
        craft = spacecraft.Spacecraft()
        method = getattr(svIntegrators, integrator)(craft)
        craft.setIntegrator(method)
        craft.hub.mHub = bodies.mass
        craft.hub.IHubPntBc_B = np.diag(bodies.moments).tolist()
        craft.hub.r_CN_NInit = _column(position)
        craft.hub.v_CN_NInit = _column((0.0, 0.0, 0.0))
        craft.hub.sigma_BNInit = _column((0.0, 0.0, 0.0))
        craft.hub.omega_BN_BInit = _column(rates)
        self._simulation.AddModelToTask("task", craft)
        self._kept.append(method)
        if bodies.thrust or any(bodies.gravity):
            self._push(craft, bodies)
        return craft

    def _push(self, craft, bodies: Bodies) -> None:
        force = extForceTorque.ExtForceTorque()
        force.extForce_B = _column((0.0, 0.0, bodies.thrust))
        force.extForce_N = _column(bodies.mass * acceleration for acceleration in bodies.gravity)
        craft.addDynamicEffector(force)
        self._simulation.AddModelToTask("task", force)
        self._kept.append(force)

    def tick(self) -> None:
        # `run(1)` hands each tick to a thread and waits for it, which takes longer than the tick
        self._simulation.TotalSim.SingleStepProcesses()
        self._end += _TICK

    def run(self, ticks: int) -> None:
        self._end += ticks * _TICK
        self._simulation.ConfigureStopTime(self._end)
        self._simulation.ExecuteSimulation()

    @property
    def time(self) -> float:
        return 1e-9 * self._end

    def positions(self) -> Array:
        return np.array([craft.scStateOutMsg.read().r_CN_N for craft in self._spacecraft])

    def orientations(self) -> Array:
        return Rotation.from_mrp([craft.scStateOutMsg.read().sigma_BN for craft in self._spacecraft]).as_quat()

    def close(self) -> None:
        """Nothing is kept open."""


def _column(numbers) -> list[list[float]]:
    return [[float(number)] for number in numbers]


ENTRIES = [
    Entry("Basilisk RK4", functools.partial(Basilisk, "svIntegratorRK4"), 4, 1000),
    Entry("Basilisk RKF78", functools.partial(Basilisk, "svIntegratorRKF78"), 7, 1000),
]
