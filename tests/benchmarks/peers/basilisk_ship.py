"""A ship with wheels, jets and a tank in Basilisk, with the parts of `flight_costs`; without the weight, which its ship does not need."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from Basilisk.architecture import messaging
from Basilisk.fswAlgorithms import attTrackingError, inertial3D, mrpFeedback, rwMotorTorque
from Basilisk.simulation import (
    fuelTank,
    reactionWheelStateEffector,
    simpleNav,
    spacecraft,
    svIntegrators,
    thrusterDynamicEffector,
)
from Basilisk.utilities import SimulationBaseClass, macros, simIncludeRW, simIncludeThruster

Array = npt.NDArray[np.float64]


class BasiliskShip:
    """One ship, whose parts are added before the first tick."""

    def __init__(self, dt: float, mass: float, inertia: Sequence[Sequence[float]], center: Any, rates: Any) -> None:
        self._simulation = SimulationBaseClass.SimBaseClass()
        process = self._simulation.CreateNewProcess("process")
        process.addTask(self._simulation.CreateNewTask("task", macros.sec2nano(dt)))
        self._craft = craft = spacecraft.Spacecraft()
        method = svIntegrators.svIntegratorRK4(craft)
        craft.setIntegrator(method)
        self._kept: list[Any] = [method]  # the simulation does not keep what it is given alive
        craft.hub.mHub, craft.hub.IHubPntBc_B, craft.hub.r_BcB_B = mass, inertia, _column(center)
        craft.hub.sigma_BNInit, craft.hub.omega_BN_BInit = _column((0, 0, 0)), _column(rates)
        craft.hub.r_CN_NInit = craft.hub.v_CN_NInit = _column((0, 0, 0))

    def add_wheels(self, axes: Sequence[Any], inertia: float, torque: float) -> None:
        """Balanced wheels with constant motor torques."""
        factory, wheels = simIncludeRW.rwFactory(), reactionWheelStateEffector.ReactionWheelStateEffector()
        for axis in axes:
            unit = (np.array(axis, float) / np.linalg.norm(axis)).tolist()
            factory.create("custom", unit, Js=inertia, maxMomentum=1e9, u_max=2.0, RWModel=messaging.BalancedWheels)
        factory.addToSpacecraft("wheels", wheels, self._craft)
        wanted = messaging.ArrayMotorTorqueMsgPayload()
        wanted.motorTorque = [torque] * len(axes)
        message = messaging.ArrayMotorTorqueMsg().write(wanted)
        wheels.rwMotorCmdInMsg.subscribeTo(message)
        self._wheels, self._wheel_parameters = wheels, factory.getConfigMessage()
        self._add(wheels, factory, message)

    def add_law(self, k: float, p: float, inertia: Sequence[Sequence[float]], target: Sequence[float]) -> None:
        """MRP feedback that turns the ship to an attitude (x, y, z, w) by its wheels, in every tick and with perfect navigation."""
        navigation, guidance = simpleNav.SimpleNav(), inertial3D.inertial3D()
        navigation.scStateInMsg.subscribeTo(self._craft.scStateOutMsg)
        guidance.sigma_R0N = [part / (1.0 + target[3]) for part in target[:3]]
        error, law, motors = (
            attTrackingError.attTrackingError(),
            mrpFeedback.mrpFeedback(),
            rwMotorTorque.rwMotorTorque(),
        )
        error.attNavInMsg.subscribeTo(navigation.attOutMsg)
        error.attRefInMsg.subscribeTo(guidance.attRefOutMsg)
        craft = messaging.VehicleConfigMsgPayload()
        craft.ISCPntB_B = [number for row in inertia for number in row]
        craft_message = messaging.VehicleConfigMsg().write(craft)
        law.guidInMsg.subscribeTo(error.attGuidOutMsg)
        law.vehConfigInMsg.subscribeTo(craft_message)
        law.rwParamsInMsg.subscribeTo(self._wheel_parameters)
        law.rwSpeedsInMsg.subscribeTo(self._wheels.rwSpeedOutMsg)
        law.K, law.P, law.Ki, law.integralLimit = k, p, -1.0, 0.0
        motors.vehControlInMsg.subscribeTo(law.cmdTorqueOutMsg)
        motors.rwParamsInMsg.subscribeTo(self._wheel_parameters)
        motors.controlAxes_B = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
        self._wheels.rwMotorCmdInMsg.subscribeTo(motors.rwMotorTorqueOutMsg)
        for module in (navigation, guidance, error, law, motors):
            self._add(module, craft_message)

    def add_jets(self, name: str, positions: Array, directions: Array, force: float, seconds: Sequence[float]) -> Any:
        """Jets that are open for these times."""
        factory, jets = simIncludeThruster.thrusterFactory(), thrusterDynamicEffector.ThrusterDynamicEffector()
        for position, direction in zip(positions, directions, strict=True):
            unit = (direction / np.linalg.norm(direction)).tolist()
            factory.create("Blank_Thruster", position.tolist(), unit, MaxThrust=force)
        factory.addToSpacecraft(name, jets, self._craft)
        wanted = messaging.THRArrayOnTimeCmdMsgPayload()
        wanted.OnTimeRequest = list(seconds)
        message = messaging.THRArrayOnTimeCmdMsg().write(wanted)
        jets.cmdsInMsg.subscribeTo(message)
        self._add(jets, factory, message)
        return jets

    def add_tank(self, jets: Any, position: Any, radius: float, propellant: float) -> None:
        """A ball of propellant that these jets burn."""
        tank, model = fuelTank.FuelTank(), fuelTank.FuelTankModelConstantVolume()
        model.propMassInit, model.radiusTankInit, model.r_TcT_TInit = propellant, radius, _column((0, 0, 0))
        tank.setTankModel(model)
        tank.setR_TB_B(_column(position))
        tank.addThrusterSet(jets)
        self._craft.addStateEffector(tank)
        self._add(tank, model)

    def start(self) -> None:
        """Begin; no part can be added afterwards."""
        self._simulation.AddModelToTask("task", self._craft)
        self._simulation.InitializeSimulation()
        self._simulation.ConfigureStopTime(0)
        self._simulation.ExecuteSimulation()

    def run(self, ticks: int) -> None:
        """Run ticks."""
        tick = self._simulation.TotalSim.SingleStepProcesses
        for _ in range(ticks):
            tick()

    @property
    def rates(self) -> Array:
        """Angular velocity [rad/s], body frame."""
        return np.array(self._craft.scStateOutMsg.read().omega_BN_B)

    def _add(self, module: Any, *kept: Any) -> None:
        self._simulation.AddModelToTask("task", module)
        self._kept += [module, *kept]


def _column(numbers: Any) -> list[list[float]]:
    return [[float(number)] for number in numbers]
