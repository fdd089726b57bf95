"""Control laws whose torque depends on attitude and rates without switching, each with its formula."""

from __future__ import annotations  # help() then shows them as written

from math import inf, sqrt
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, explaining_errors, reader, real, refuse, stack
from ..compilation.compiler import inlined, kernel
from ..joints.assembly import Assembly
from ..kernels.attitude import attitude_error, error_angle, modified_rodrigues
from ..kernels.quaternions import Quaternion, rotate_inverse
from ..kernels.selection import choose
from ..kernels.vectors import Symmetric, Vector, add, add_scaled, apply_symmetric, cross, dot, scale, subtract
from ..loops.columns import Array, load_symmetric, load_vector, store_vector
from .formula_law import (
    ERROR_ANGLE,
    INERTIA,
    PARAMETERS,
    SECONDS,
    STATE,
    STATE_BEFORE,
    STORED,
    TORQUE,
    FormulaLaw,
    load_attitudes,
)
from .law import gain, given_inertia, inertia_tensor, limits, one_inertia, tensor_gain, tensor_matrix
from .samples import Components, components

_SMALLEST = 1e-150
"""Stands for zero where a number is divided by; its square is still a normal float."""

_UNLIMITED = [inf, inf, inf]
_NO_INERTIA: list[float] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]


@inlined
def within(value: float, limit: float) -> float:
    """The value, or the nearer end of the range from −limit to limit."""
    return choose(value > limit, limit, choose(value < -limit, -limit, value))


@inlined
def mrp_feedback(
    q: Quaternion,
    rates: Vector,
    reference: Quaternion,
    reference_rates_world: Vector,
    reference_acceleration_world: Vector,
    inertia: Symmetric,
    stored_momentum: Vector,
    known_torque: Vector,
    integral: Vector,
    gains: Vector,
    seconds: float,
    limit: Vector,
) -> tuple[Vector, Vector]:
    """Torque and new integral ``K∫σ``; gains are K, P and the integral gain, `limit` is that of the integral."""
    k, p, integral_gain = gains
    sigma = modified_rodrigues(q, reference)
    reference_rates = rotate_inverse(q, 2.0, reference_rates_world)
    reference_acceleration = rotate_inverse(q, 2.0, reference_acceleration_world)
    rate_error = subtract(rates, reference_rates)
    z = add(integral, apply_symmetric(inertia, rate_error))
    # with ω_r − Kᵢz instead of ω, the difference from the gyroscopic torque is at right angles to δω + Kᵢz and does no work on it
    momentum = add(apply_symmetric(inertia, rates), stored_momentum)
    gyroscopic = cross(add_scaled(reference_rates, -integral_gain, z), momentum)
    feedforward = apply_symmetric(inertia, subtract(reference_acceleration, cross(rates, reference_rates)))
    torque = subtract(add(gyroscopic, feedforward), known_torque)
    torque = add_scaled(add_scaled(torque, -k, sigma), -p, add_scaled(rate_error, integral_gain, z))
    grown = add_scaled(integral, k * seconds, sigma)
    limited = within(grown[0], limit[0]), within(grown[1], limit[1]), within(grown[2], limit[2])
    return torque, limited


@kernel("law-mrp-feedback")
def _sample_mrp_feedback(inputs: Array, out: Array) -> int:
    """Sample `MRPFeedback`; the parameters are known torque, gains and the limit of the integral."""
    for member in range(inputs.shape[1]):
        q, rates, reference, reference_rates, reference_acceleration = load_attitudes(inputs, member)
        torque, integral = mrp_feedback(
            q,
            rates,
            reference,
            reference_rates,
            reference_acceleration,
            load_symmetric(inputs, INERTIA, member),
            load_vector(inputs, STORED, member),
            load_vector(inputs, PARAMETERS, member),
            load_vector(inputs, STATE_BEFORE, member),
            load_vector(inputs, PARAMETERS + 3, member),
            float(inputs[SECONDS, member]),
            load_vector(inputs, PARAMETERS + 6, member),
        )
        store_vector(out, TORQUE, member, torque)
        out[ERROR_ANGLE, member] = error_angle(q, reference)
        store_vector(out, STATE, member, integral)
    return 1


@explaining_errors()
class MRPFeedback(FormulaLaw):
    """Nonlinear feedback of the modified Rodrigues parameters (MRP) of the attitude error, which tracks a moving reference exactly.

    The torque is ``−Kσ − Pδω − P Kᵢz + (ω_r − Kᵢz) × (Iω + h) + I(ω̇_r − ω × ω_r) − L``, with ``z = K∫σ dt + I δω``, in the body frame. σ
    are the MRP of the shortest rotation from the reference to the body, so that ``|σ| ≤ 1``; where that rotation passes half a turn, σ
    jumps to its shadow set. ``δω = ω − ω_r`` is the rate error, h the momentum of the wheels, ω̇_r the derivative of ω_r in the world, and
    L a known torque. Without wheels, small errors have the stiffness K/4 and the damping P about every axis.

    The integral removes the error that a constant unknown torque would leave. It grows by ``K σ seconds`` after each sample and starts at
    zero, so that z starts at ``I δω``.

    Args:
        k: Attitude gain K [N·m], above zero.
        p: Rate gain P [N·m·s], above zero.
        integral_gain: Integral gain Kᵢ [1/(kg·m²)], at least 0. With 0 there is no integral, and the law has no state.
        integral_limit: Maximum size of each component of ``K∫σ dt`` [N·m·s], above zero, one number or three. None means no limit.
        known_torque_body: Known torque L [N·m] that acts on the body, body frame, shape (..., 3).
        inertia_body: Inertia I [kg·m²] about the mass centre, body frame, shape (3,), (3, 3) or (n, 3, 3). None takes the inertia of the
            measured body. For a body with reaction wheels, give the tensor of the equation of motion, ``I − Σ J ĝĝᵀ``.
        assembly: The handle that `World.assembly` returned for the measured body. Inertia and wheel momentum are then those of everything
            that is rigidly joined to the body at the time of each sample, so that the law fits before, during and after docking.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `k`, `p` or `integral_limit` is not positive, `integral_gain` is negative, `inertia_body` is not positive definite,
            or both `inertia_body` and `assembly` are given.

    Stability: ``V = δω·Iδω/2 + 2K ln(1 + σ·σ) + Kᵢ z·z/2`` has the derivative ``−P |δω + Kᵢz|²``.
    Source: Schaub and Junkins, Analytical Mechanics of Space Systems, section 8.4. The cross product has the sign that their proof needs;
        with ``ω_r + Kᵢz``, which is often printed instead, V can grow.

    Example:
        >>> from engine import MassProperties, World, rotation
        >>> from engine.flight import Reference
        >>> world = World(dt=0.1)
        >>> ship = world.add_body(MassProperties.box(12.0, (1.0, 1.0, 2.0)), angular_velocity_body=(0.1, -0.3, 0.2))
        >>> law = MRPFeedback(k=5.0, p=4.0)
        >>> @world.on_tick
        ... def steer(world):
        ...     ship.apply_torque_body(law.torque_body(ship, Reference(), world.dt))
        >>> world.step(300)
        >>> float(rotation.angle_between(ship.orientation, (0.0, 0.0, 0.0, 1.0))) < 1e-4
        True
    """

    _kernel = staticmethod(_sample_mrp_feedback)
    _needs_stored_momentum = True

    def __init__(
        self,
        k: float,
        p: float,
        integral_gain: float = 0.0,
        integral_limit: float | npt.ArrayLike | None = None,
        known_torque_body: npt.ArrayLike = (0.0, 0.0, 0.0),
        *,
        inertia_body: npt.ArrayLike | None = None,
        assembly: Assembly | None = None,
    ) -> None:
        name = self._name
        self._k, self._p = gain(k, "k", name), gain(p, "p", name)
        self._integral_gain = real(integral_gain, "integral_gain", name, at_least=0.0)
        self._limits = 3 * [inf] if integral_limit is None else limits(integral_limit, "integral_limit", name)
        self._known_torque = components(stack(known_torque_body, "known_torque_body", name, 3), "", name, 3)
        self._assembly = one_inertia(inertia_body, assembly, name)
        self._tensor = inertia_tensor(inertia_body, name)
        self.state_size = 3 if self._integral_gain > 0.0 else 0

    k = reader("_k", "Attitude gain K [N·m], above zero.")
    p = reader("_p", "Rate gain P [N·m·s], above zero.")
    integral_gain = reader("_integral_gain", "Integral gain Kᵢ [1/(kg·m²)], at least 0.")

    @property
    def integral_limit(self) -> FloatArray | None:
        """Maximum size of each component of ``K∫σ dt`` [N·m·s], body frame, shape (3,); None for no limit."""
        return None if self._limits == 3 * [inf] else np.array(self._limits)

    @property
    def known_torque_body(self) -> FloatArray:
        """Known torque L [N·m] that acts on the body, body frame, shape (..., 3)."""
        return np.stack(self._known_torque, axis=-1)

    @property
    def inertia_body(self) -> FloatArray | None:
        """The inertia that was given to the law [kg·m²], body frame, shape (..., 3, 3); None if none was given."""
        return given_inertia(self._tensor)

    @property
    def _needs_inertia(self) -> bool:
        return True

    def _parameters_for(self, inertia: Components) -> list[Components]:
        return [self._known_torque, [self._k, self._p, self._integral_gain, *self._limits]]

    def _parameters(self) -> dict[str, object]:
        return {"k": self.k, "p": self.p, "integral_gain": self.integral_gain}


@inlined
def pd_torque(
    q: Quaternion,
    turn: Vector,
    rate_error: Vector,
    rates: Vector,
    reference_rates: Vector,
    reference_acceleration_world: Vector,
    inertia: Symmetric,
    stored_momentum: Vector,
    stiffness: Symmetric,
    damping: Symmetric,
    feedforward: float,
) -> Vector:
    """Torque of an attitude and a rate error; `feedforward` is 1 with the gyroscopic terms and 0 without."""
    reference_acceleration = rotate_inverse(q, 2.0, reference_acceleration_world)
    momentum = add(apply_symmetric(inertia, rates), stored_momentum)
    wanted = subtract(reference_acceleration, cross(rates, reference_rates))
    moving = scale(feedforward, add(cross(rates, momentum), apply_symmetric(inertia, wanted)))
    return subtract(moving, add(apply_symmetric(stiffness, turn), apply_symmetric(damping, rate_error)))


@inlined
def share_of_approach(
    turn: Vector, inertia: Symmetric, stiffness: Symmetric, damping: Symmetric, largest: Vector
) -> float:
    """Factor from 0 to 1 by which the attitude error is reduced, so that half of the largest torque can brake the approach.

    With the factor 1 the rate of approach is ``λx`` for an error x, ``λ = e·Ke / e·De`` along the axis e. Beyond ``x = a/λ²`` it is limited
    to ``√(2a(x − a/(2λ²)))``, which continues that line with the same slope and needs the deceleration a; and to the rate at which
    the gyroscopic torque ``ω² e × Ie`` takes the other half.
    """
    size = sqrt(dot(turn, turn))
    divisor = max(size, _SMALLEST)
    axis = (turn[0] / divisor, turn[1] / divisor, turn[2] / divisor)
    per_acceleration = apply_symmetric(inertia, axis)
    per_rate_squared = cross(axis, per_acceleration)
    need = max(
        abs(per_acceleration[0]) / largest[0],
        abs(per_acceleration[1]) / largest[1],
        abs(per_acceleration[2]) / largest[2],
        _SMALLEST,
    )
    need_squared = max(
        abs(per_rate_squared[0]) / largest[0],
        abs(per_rate_squared[1]) / largest[1],
        abs(per_rate_squared[2]) / largest[2],
        _SMALLEST,
    )
    deceleration, largest_rate = 0.5 / need, sqrt(0.5 / need_squared)
    slope = dot(axis, apply_symmetric(stiffness, axis)) / max(dot(axis, apply_symmetric(damping, axis)), _SMALLEST)
    unlimited = max(slope * size, _SMALLEST)
    # in units of the error at which the line ends
    excess = max(unlimited * slope / deceleration, 1.0)
    parabola = deceleration / max(slope, _SMALLEST) * sqrt(2.0 * excess - 1.0)
    rate = choose(excess > 1.0, parabola, unlimited)
    return choose(rate > largest_rate, largest_rate, rate) / unlimited


@inlined
def quaternion_pd(
    q: Quaternion,
    rates: Vector,
    reference: Quaternion,
    reference_rates_world: Vector,
    reference_acceleration_world: Vector,
    inertia: Symmetric,
    stored_momentum: Vector,
    stiffness: Symmetric,
    damping: Symmetric,
    feedforward: float,
    largest: Vector,
) -> Vector:
    """Torque of `QuaternionPD`; without a limit of the rate of approach, `largest` is infinite."""
    turn = scale(2.0, attitude_error(q, reference)[0])
    reference_rates = rotate_inverse(q, 2.0, reference_rates_world)
    rate_error = subtract(rates, reference_rates)
    turn = scale(share_of_approach(turn, inertia, stiffness, damping, largest), turn)
    moving = (reference_rates, reference_acceleration_world, inertia, stored_momentum, stiffness, damping, feedforward)
    return pd_torque(q, turn, rate_error, rates, *moving)


@kernel("law-quaternion-pd")
def _sample_quaternion_pd(inputs: Array, out: Array) -> int:
    """Sample `QuaternionPD`; the parameters are stiffness, damping, feed-forward and largest torque."""
    for member in range(inputs.shape[1]):
        q, rates, reference, reference_rates, reference_acceleration = load_attitudes(inputs, member)
        torque = quaternion_pd(
            q,
            rates,
            reference,
            reference_rates,
            reference_acceleration,
            load_symmetric(inputs, INERTIA, member),
            load_vector(inputs, STORED, member),
            load_symmetric(inputs, PARAMETERS, member),
            load_symmetric(inputs, PARAMETERS + 6, member),
            float(inputs[PARAMETERS + 12, member]),
            load_vector(inputs, PARAMETERS + 13, member),
        )
        store_vector(out, TORQUE, member, torque)
        out[ERROR_ANGLE, member] = error_angle(q, reference)
    return 1


@explaining_errors()
class QuaternionPD(FormulaLaw):
    """Proportional-derivative feedback of the error quaternion, always by the shorter way round (no unwinding).

    The torque is ``−2 K v − D δω`` in the body frame, where v is the vector part of the error quaternion with w ≥ 0, and ``δω = ω − ω_r``.
    The law has no state.

    With `gyroscopic`, the terms ``ω × (Iω + h) + I(ω̇_r − ω × ω_r)`` of gyroscopic torque, wheel momentum h and reference acceleration are
    added, so that a moving reference is tracked without error.

    With `max_torque_body`, large attitude errors are scaled down. The rate of approach then stays low enough that half of this torque can
    brake the body in time and that the other half can balance its gyroscopic torque. Actuators that limit the torque to this maximum
    therefore cause no overshoot. The law itself does not limit the torque.

    Args:
        stiffness: K [N·m/rad], torque per small angle: a number above zero, three numbers, or a positive definite tensor (3, 3).
        damping: D [N·m·s/rad], in the same forms as `stiffness`.
        gyroscopic: Whether the gyroscopic terms are added, which needs the inertia.
        max_torque_body: Torque about each body axis [N·m] that the actuators can deliver, one number or three. None means no limit.
        inertia_body: Inertia I [kg·m²] about the mass centre, body frame, shape (3,), (3, 3) or (n, 3, 3). None takes the inertia of the
            measured body.
        assembly: The handle that `World.assembly` returned for the measured body. Inertia and wheel momentum are then those of everything
            that is rigidly joined to the body at the time of each sample, so that the law fits before, during and after docking.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `stiffness`, `damping`, `max_torque_body` or `inertia_body` is not positive (definite), or both `inertia_body` and
            `assembly` are given.

    Source: Wie, Space Vehicle Dynamics and Control, section 7.3; the limit on the rate as in Wie, Bailey and Heiberg (2002).

    Example:
        >>> from types import SimpleNamespace
        >>> from engine.flight import Reference
        >>> turned = SimpleNamespace(orientation=(0.0, 0.0, 0.6, -0.8), angular_velocity_body=(0.0, 0.0, 0.0))
        >>> QuaternionPD(stiffness=10.0, damping=8.0).torque_body(turned, Reference(), 0.1).tolist()  # by the shorter way
        [0.0, 0.0, 12.0]
    """

    _kernel = staticmethod(_sample_quaternion_pd)
    _needs_stored_momentum = True

    def __init__(
        self,
        stiffness: float | npt.ArrayLike,
        damping: float | npt.ArrayLike,
        *,
        gyroscopic: bool = False,
        max_torque_body: float | npt.ArrayLike | None = None,
        inertia_body: npt.ArrayLike | None = None,
        assembly: Assembly | None = None,
    ) -> None:
        name = self._name
        self._gains = tensor_gain(stiffness, "stiffness", name), tensor_gain(damping, "damping", name)
        self._bandwidth: float | None = None
        if not isinstance(gyroscopic, bool):
            refuse(name, "gyroscopic", gyroscopic, "True or False", TypeError)
        self._gyroscopic = gyroscopic
        self._largest = None if max_torque_body is None else limits(max_torque_body, "max_torque_body", name)
        self._assembly = one_inertia(inertia_body, assembly, name)
        self._tensor = inertia_tensor(inertia_body, name)

    gyroscopic = reader("_gyroscopic", "Whether the gyroscopic terms are added.")

    @classmethod
    def tuned(
        cls,
        inertia_body: npt.ArrayLike | None,
        max_torque_body: float | npt.ArrayLike,
        bandwidth: float,
        *,
        assembly: Assembly | None = None,
    ) -> Self:
        """Create a critically damped law for a body, with gyroscopic terms and a limited rate of approach.

        Every small error decays with the same natural frequency: ``K = I bandwidth²`` and ``D = 2 I bandwidth``. With an assembly, they
        follow its inertia from sample to sample.

        Args:
            inertia_body: Inertia I [kg·m²] about the mass centre, body frame, shape (3,) or (3, 3); None with an assembly.
            max_torque_body: Torque about each body axis [N·m] that the actuators can deliver, one number or three.
            bandwidth: Natural frequency of small errors [rad/s], above zero. The time between samples should be below 0.2/bandwidth.
            assembly: The handle that `World.assembly` returned for the measured body, as for the law itself.

        Returns:
            The law.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If an argument is not positive (definite), or if both or neither of `inertia_body` and `assembly` are given.

        Example:
            >>> law = QuaternionPD.tuned((100.0, 100.0, 40.0), max_torque_body=2.0, bandwidth=0.5)
            >>> law.stiffness.diagonal().tolist(), law.damping.diagonal().tolist()
            ([25.0, 25.0, 10.0], [100.0, 100.0, 40.0])
        """
        frequency = gain(bandwidth, "bandwidth", cls.__name__)
        matrix = _tuned_for(inertia_body, assembly, cls.__name__)
        law = cls(
            frequency * frequency * matrix,
            2.0 * frequency * matrix,
            gyroscopic=True,
            max_torque_body=max_torque_body,
            inertia_body=matrix if assembly is None else None,
            assembly=assembly,
        )
        if assembly is not None:  # each sample multiplies its inertia at that time
            law._bandwidth, law._gains = frequency, (_NO_INERTIA, _NO_INERTIA)
        return law

    @property
    def stiffness(self) -> FloatArray:
        """Stiffness K [N·m/rad], body frame, shape (3, 3); that of the present assembly if the law was tuned for one."""
        return tensor_matrix(self._gains_now()[0])

    @property
    def damping(self) -> FloatArray:
        """Damping D [N·m·s/rad], body frame, shape (3, 3); that of the present assembly if the law was tuned for one."""
        return tensor_matrix(self._gains_now()[1])

    @property
    def max_torque_body(self) -> FloatArray | None:
        """The torque about each body axis that limits the rate of approach [N·m], shape (3,); None for no limit."""
        return None if self._largest is None else np.array(self._largest)

    @property
    def inertia_body(self) -> FloatArray | None:
        """The inertia that was given to the law [kg·m²], body frame, shape (..., 3, 3); None if none was given."""
        return given_inertia(self._tensor)

    def _gains_now(self, inertia: Components | None = None) -> tuple[Any, Any]:
        """Stiffness and damping; of this inertia, or of the current one of the assembly, if the law was tuned for an assembly."""
        frequency = self._bandwidth
        if frequency is None:
            return self._gains
        six = self._inertia(None, None) if inertia is None else inertia
        return [frequency * frequency * part for part in six], [2.0 * frequency * part for part in six]

    @property
    def _needs_inertia(self) -> bool:
        return self._gyroscopic or self._largest is not None

    @property
    def _follows_inertia(self) -> bool:
        return self._bandwidth is not None

    def _parameters_for(self, inertia: Components) -> list[Components]:
        stiffness, damping = self._gains_now(inertia)
        largest = _UNLIMITED if self._largest is None else self._largest
        return [stiffness, damping, [1.0 if self._gyroscopic else 0.0, *largest]]

    def _parameters(self) -> dict[str, object]:
        return {"stiffness": self.stiffness, "damping": self.damping, "gyroscopic": self.gyroscopic}


@inlined
def rate_damping(
    q: Quaternion, rates: Vector, reference: Quaternion, reference_rates_world: Vector, damping: Symmetric
) -> Vector:
    """Torque of `RateDamping`."""
    rate_error = subtract(rates, rotate_inverse(q, 2.0, reference_rates_world))
    return scale(-1.0, apply_symmetric(damping, rate_error))


@kernel("law-rate-damping")
def _sample_rate_damping(inputs: Array, out: Array) -> int:
    """Sample `RateDamping`; the parameter is the damping."""
    for member in range(inputs.shape[1]):
        q, rates, reference, reference_rates, _ = load_attitudes(inputs, member)
        torque = rate_damping(q, rates, reference, reference_rates, load_symmetric(inputs, PARAMETERS, member))
        store_vector(out, TORQUE, member, torque)
        out[ERROR_ANGLE, member] = error_angle(q, reference)
    return 1


@explaining_errors()
class RateDamping(FormulaLaw):
    """Rate feedback with the torque ``−D δω``, which brakes the rotation relative to the reference and ignores the attitude.

    The law needs no inertia, but the speed at which the rates decay depends on it; see `tuned`.

    Args:
        damping: D [N·m·s/rad]: a number above zero, three numbers, or a positive definite tensor of shape (3, 3).

    Raises:
        TypeError: If `damping` is not a real number or an array of real numbers.
        ValueError: If `damping` is not positive (definite).

    Example:
        >>> from types import SimpleNamespace
        >>> from engine.flight import Reference
        >>> tumbling = SimpleNamespace(orientation=(0.0, 0.0, 0.0, 1.0), angular_velocity_body=(0.5, -0.125, -0.25))
        >>> RateDamping((4.0, 4.0, 2.0)).torque_body(tumbling, Reference(), 0.1).tolist()
        [-2.0, 0.5, 0.5]
    """

    _kernel = staticmethod(_sample_rate_damping)
    _reads_acceleration = False

    def __init__(self, damping: float | npt.ArrayLike) -> None:
        self._damping = tensor_gain(damping, "damping", self._name)
        self._decay: float | None = None

    @classmethod
    def tuned(cls, inertia_body: npt.ArrayLike | None, decay_rate: float, *, assembly: Assembly | None = None) -> Self:
        """Create a law under which the rates about all axes decay equally fast, with ``D = I decay_rate``.

        Args:
            inertia_body: Inertia I [kg·m²] about the mass centre, body frame, shape (3,) or (3, 3); None with an assembly.
            decay_rate: Decay rate [1/s], above zero; the rates fall as ``exp(−decay_rate t)``. The time between samples should be below
                0.4/decay_rate.
            assembly: The handle that `World.assembly` returned for the measured body. The damping then follows the inertia of everything
                that is rigidly joined to the body, from sample to sample.

        Returns:
            The law.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If an argument is not positive (definite), or if both or neither of `inertia_body` and `assembly` are given.

        Example:
            >>> RateDamping.tuned((100.0, 100.0, 40.0), decay_rate=0.5).damping.diagonal().tolist()
            [50.0, 50.0, 20.0]
        """
        decay = gain(decay_rate, "decay_rate", cls.__name__)
        law = cls(decay * _tuned_for(inertia_body, assembly, cls.__name__))
        if assembly is not None:  # given afterwards, because a law with fixed damping needs no inertia
            law._assembly, law._decay, law._damping = assembly, decay, _NO_INERTIA
        return law

    @property
    def damping(self) -> FloatArray:
        """Damping D [N·m·s/rad], body frame, shape (3, 3); that of the present assembly if the law was tuned for one."""
        return tensor_matrix(self._damping_now())

    def _damping_now(self) -> Any:
        decay = self._decay
        return self._damping if decay is None else [decay * part for part in self._inertia(None, None)]

    @property
    def _follows_inertia(self) -> bool:
        return self._decay is not None

    def _parameters_for(self, inertia: Components) -> list[Components]:
        return [self._damping_now()]

    def _parameters(self) -> dict[str, object]:
        return {"damping": self.damping}


def _tuned_for(inertia_body: npt.ArrayLike | None, assembly: Assembly | None, owner: str) -> FloatArray:
    """The tensor for which a law is tuned: the one that was given, or that of the assembly now."""
    source = one_inertia(inertia_body, assembly, owner)
    value = inertia_body if source is None else source.inertia_body
    return tensor_matrix(tensor_gain(value, "inertia_body" if source is None else "inertia of the assembly", owner))
