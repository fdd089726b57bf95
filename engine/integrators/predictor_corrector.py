"""The predictor-corrector of Zhao and van Wachem."""

from dataclasses import dataclass
from typing import ClassVar

from ..compilation.compiler import inlined
from ..kernels.quaternions import doubling, from_rotation_vector, multiply, normalize, rotate
from ..kernels.rigid_body import (
    BodyModel,
    BodyState,
    Wrenches,
    angular_acceleration_body,
    grown,
    net_force_world,
    turning_torque_body,
)
from ..kernels.vectors import add_scaled, scale
from ..loops.one_step import Advance
from .integrator import OneStepMethod


@inlined
def predictor_corrector(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    """The formula of a tick, stage by stage; see `loops.one_step`."""
    if stage == 0:
        return start
    position, orientation, velocity, rates, stored = start
    twice = doubling(orientation)
    acceleration = scale(body.inverse_mass, net_force_world(orientation, twice, wrenches[0]))
    torque = turning_torque_body(orientation, twice, wrenches[0])
    angular_acceleration = angular_acceleration_body(gyroscopic, rates, stored, torque, body)
    # predict the midpoint: rotate for half a tick by the rates after a quarter of it; the rates there are those after half of it
    turn = from_rotation_vector(scale(0.5 * dt, add_scaled(rates, 0.25 * dt, angular_acceleration)))
    middle_orientation = normalize(multiply(orientation, turn))
    middle_rates = add_scaled(rates, 0.5 * dt, angular_acceleration)
    middle_velocity = add_scaled(velocity, 0.5 * dt, acceleration)
    middle_stored = grown(stored, 0.5 * dt, wrenches[0].motor_torque)
    if stage == 1:
        middle_position = add_scaled(position, 0.5 * dt, add_scaled(velocity, 0.25 * dt, acceleration))
        return BodyState(middle_position, middle_orientation, middle_velocity, middle_rates, middle_stored)
    # correct: the whole tick with the wrench and the rates at the midpoint
    twice = doubling(middle_orientation)
    acceleration = scale(body.inverse_mass, net_force_world(middle_orientation, twice, wrenches[1]))
    torque = turning_torque_body(middle_orientation, twice, wrenches[1])
    angular_acceleration = angular_acceleration_body(gyroscopic, middle_rates, middle_stored, torque, body)
    whole_turn = from_rotation_vector(scale(dt, rotate(middle_orientation, twice, middle_rates)))
    return BodyState(
        add_scaled(position, dt, middle_velocity),
        normalize(multiply(whole_turn, orientation)),
        add_scaled(velocity, dt, acceleration),
        add_scaled(rates, dt, angular_acceleration),
        grown(stored, dt, wrenches[0].motor_torque),
    )


@dataclass(frozen=True, repr=False)
class PredictorCorrector(OneStepMethod):
    """Predictor-corrector method, which predicts orientation and rates at the midpoint and takes the whole tick with their values.

    Order 2, two evaluations per tick. A free body conserves energy and angular momentum only to the order of the method, and gains energy
    without bound unless ``dt·|ω|`` is small: in 1000 ticks of a tumble it gains a thousandth at 0.1, a tenth at 0.3, and five times the
    initial energy at 0.5. For 4000 random bodies with ``dt·|ω|`` up to 0.1 and principal moments of inertia that differ by a factor of up
    to 1e6, the energy grew by at most 2 % in 1000 ticks, and the angular momentum changed by at most 12 %. From 0.6 on (0.29 for some
    bodies), a tick is eventually rejected. With stored momentum h, this limit applies to dt times the larger of ``|ω|`` and
    ``|Iω + h|/I_min``. For I = (1, 2, 2.5) kg·m² and ``|h|/|ω|`` = 10 kg·m², it is at ``dt·|ω| = 0.1``.

    Choose it for slow rotation with forces that are expensive to evaluate, and to compare with the literature on particles in flows. Do not
    choose it for tumbling bodies: `ImplicitMidpoint` needs as many evaluations and conserves both quantities at any spin.

    The orientation is rotated by one exponential of the midpoint rates, in the world frame. This is neither the explicit midpoint rule on a
    quaternion nor the implicit one, because it solves no equation.

    Source: Zhao and van Wachem (2013), Acta Mechanica 224, 3091-3109, as reproduced on a documentation page. Corrections: torques and rates
    are rotated with the orientation that they belong to; the rates at a quarter of the tick use dt/4 and those at half of it dt/2 (either
    misprint leaves order 1); the midpoint rates are used for the end; a body whose rates are zero does not rotate.

    Example:
        >>> from engine import World
        >>> World(dt=0.01, integrator=PredictorCorrector()).integrator
        <PredictorCorrector 'predictor-corrector'>
    """

    order: ClassVar[int] = 2
    evaluations_per_tick: ClassVar[int] = 2
    stage_offsets: ClassVar[tuple[float, ...]] = (0.0, 0.5)

    @property
    def name(self) -> str:
        return "predictor-corrector"

    @property
    def advance(self) -> Advance:
        return predictor_corrector
