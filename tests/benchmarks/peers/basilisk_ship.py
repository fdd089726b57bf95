"""A ship with wheels, jets and a tank in Basilisk, with the parts of `flight_costs`; without the weight, which its ship does not need."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from Basilisk.architecture import messaging
from Basilisk.fswAlgorithms import (
    attTrackingError,
    imuComm,
    inertial3D,
    inertialUKF,
    mrpFeedback,
    rwMotorTorque,
    stComm,
    thrFiringRemainder,
    thrForceMapping,
)
from Basilisk.simulation import (
    fuelTank,
    imuSensor,
    reactionWheelStateEffector,
    simpleNav,
    spacecraft,
    starTracker,
    svIntegrators,
    thrusterDynamicEffector,
)
from Basilisk.utilities import SimulationBaseClass, macros, simIncludeRW, simIncludeThruster

Array = npt.NDArray[np.float64]
_EVERY_AXIS = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]


class BasiliskShip:
    """One ship, whose parts are added before the first tick."""

    def __init__(self, dt: float, mass: float, inertia: Sequence[Sequence[float]], center: Any, rates: Any) -> None:
        self._dt, self._simulation = dt, SimulationBaseClass.SimBaseClass()
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

    def add_law(
        self,
        k: float,
        p: float,
        inertia: Sequence[Sequence[float]],
        target: Sequence[float],
        jets: Any = None,
        has_filter: bool = False,
    ) -> None:
        """MRP feedback that turns the ship to an attitude (x, y, z, w) in every tick, by its wheels or by pulses of jets.

        Navigation is perfect, or a filter of a star tracker's sightings. The gyro beside it is sampled, and nothing reads it: the filter
        takes its packets from flight hardware, in a message that no module writes.
        """
        craft = messaging.VehicleConfigMsgPayload()
        craft.ISCPntB_B = [number for row in inertia for number in row]
        craft_message = messaging.VehicleConfigMsg().write(craft)
        self._kept.append(craft_message)
        guidance, error, law = inertial3D.inertial3D(), attTrackingError.attTrackingError(), mrpFeedback.mrpFeedback()
        guidance.sigma_R0N = [part / (1.0 + target[3]) for part in target[:3]]
        error.attNavInMsg.subscribeTo(self._add_filter(craft_message) if has_filter else self._add_navigation())
        error.attRefInMsg.subscribeTo(guidance.attRefOutMsg)
        law.guidInMsg.subscribeTo(error.attGuidOutMsg)
        law.vehConfigInMsg.subscribeTo(craft_message)
        law.rwParamsInMsg.subscribeTo(self._wheel_parameters)
        law.rwSpeedsInMsg.subscribeTo(self._wheels.rwSpeedOutMsg)
        law.K, law.P, law.Ki, law.integralLimit = k, p, -1.0, 0.0
        for module in (guidance, error, law):
            self._add(module)
        if jets is None:
            motors = rwMotorTorque.rwMotorTorque()
            motors.vehControlInMsg.subscribeTo(law.cmdTorqueOutMsg)
            motors.rwParamsInMsg.subscribeTo(self._wheel_parameters)
            motors.controlAxes_B = _EVERY_AXIS
            self._wheels.rwMotorCmdInMsg.subscribeTo(motors.rwMotorTorqueOutMsg)
            self._add(motors)
            return
        forces, pulses = thrForceMapping.thrForceMapping(), thrFiringRemainder.thrFiringRemainder()
        forces.cmdTorqueInMsg.subscribeTo(law.cmdTorqueOutMsg)
        forces.thrConfigInMsg.subscribeTo(self._jet_parameters)
        forces.vehConfigInMsg.subscribeTo(craft_message)
        forces.controlAxes_B, forces.thrForceSign = _EVERY_AXIS, 1
        pulses.thrForceInMsg.subscribeTo(forces.thrForceCmdOutMsg)
        pulses.thrConfInMsg.subscribeTo(self._jet_parameters)
        pulses.thrMinFireTime, pulses.baseThrustState = 0.01 * self._dt, 0
        jets.cmdsInMsg.subscribeTo(pulses.onTimeOutMsg)
        self._add(forces)
        self._add(pulses)

    def _add_navigation(self) -> Any:
        navigation = simpleNav.SimpleNav()
        navigation.scStateInMsg.subscribeTo(self._craft.scStateOutMsg)
        self._add(navigation)
        return navigation.attOutMsg

    def _add_filter(self, craft_message: Any) -> Any:
        gyro, packets = imuSensor.ImuSensor(), imuComm.imuComm()
        tracker, sightings, estimate = starTracker.StarTracker(), stComm.stComm(), inertialUKF.inertialUKF()
        for sensor in (gyro, tracker):
            sensor.scStateInMsg.subscribeTo(self._craft.scStateOutMsg)
        tracker.walkBounds, tracker.PMatrix = _column((1e-3,) * 3), (1e-5 * np.eye(3)).tolist()
        packets.imuComInMsg.subscribeTo(gyro.sensorOutMsg)
        sightings.stSensorInMsg.subscribeTo(tracker.sensorOutMsg)
        packets.dcm_BP = sightings.dcm_BP = _EVERY_AXIS
        estimate.alpha, estimate.beta, estimate.kappa, estimate.switchMag = 0.02, 2.0, 0.0, 1.2
        estimate.stateInit = [0.0] * 6
        estimate.covarInit, estimate.qNoise = (np.ravel(size * np.eye(6)).tolist() for size in (1e-4, 1e-5))
        smooth = inertialUKF.LowPassFilterData()
        smooth.hStep, smooth.omegCutoff = 0.5, 2.4
        estimate.gyroFilt = [smooth] * 3
        sighting, none = inertialUKF.STMessage(), messaging.AccDataMsg().write(messaging.AccDataMsgPayload())
        sighting.noise = np.ravel(1e-8 * np.eye(3)).tolist()
        estimate.STDatasStruct.STMessages, estimate.STDatasStruct.numST = [sighting], 1
        estimate.STDatasStruct.STMessages[0].stInMsg.subscribeTo(sightings.stAttOutMsg)
        estimate.massPropsInMsg.subscribeTo(craft_message)
        estimate.rwParamsInMsg.subscribeTo(self._wheel_parameters)
        estimate.rwSpeedsInMsg.subscribeTo(self._wheels.rwSpeedOutMsg)
        estimate.gyrBuffInMsg.subscribeTo(none)
        for module in (gyro, packets, tracker, sightings, estimate):
            self._add(module, smooth, sighting, none)
        return estimate.navStateOutMsg

    def add_jets(self, name: str, positions: Array, directions: Array, force: float, seconds: Sequence[float]) -> Any:
        """Jets that are open for these times."""
        factory, jets = simIncludeThruster.thrusterFactory(), thrusterDynamicEffector.ThrusterDynamicEffector()
        for position, direction in zip(positions, directions, strict=True):
            unit = (direction / np.linalg.norm(direction)).tolist()
            factory.create("Blank_Thruster", position.tolist(), unit, MaxThrust=force)
        factory.addToSpacecraft(name, jets, self._craft)
        self._jet_parameters = factory.getConfigMessage()
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
