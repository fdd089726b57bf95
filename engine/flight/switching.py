"""Control laws that switch, for on-off jets and for dumping wheel momentum, each with its formula."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, explaining_errors, members, reader, real, refuse
from ..compilation.compiler import inlined, kernel
from ..kernels.attitude import attitude_error, error_angle
from ..kernels.quaternions import Quaternion, rotate_inverse
from ..kernels.selection import choose
from ..kernels.vectors import Vector, add_scaled, dot, scale, subtract
from ..loops.columns import Array, load_vector, store_vector
from .formula_law import ERROR_ANGLE, PARAMETERS, STATE, STATE_BEFORE, TORQUE, FormulaLaw, load_attitudes
from .law import Law, gain, limits
from .samples import Components, components, evaluate

_DEEPEST = 2.0
"""Attitude errors beyond this many dead bands are cut to this many, so that the rate of approach stays limited."""


@inlined
def switched(error: float, rate: float, before: float, off: float) -> float:
    """Direction in which the jets of one axis fire, −1, 0 or 1, from error and rate over dead band and rate limit."""
    depth = choose(error > _DEEPEST, _DEEPEST, choose(error < -_DEEPEST, -_DEEPEST, error))
    level = depth + rate
    still = choose(before * level < -off, before, level - level)  # 0, or nan if the level is not finite
    return choose(level > 1.0, -1.0, choose(level < -1.0, 1.0, still))


@inlined
def phase_plane(
    q: Quaternion,
    rates: Vector,
    reference: Quaternion,
    reference_rates_world: Vector,
    before: Vector,
    torque: Vector,
    parameters: Vector,
) -> tuple[Vector, Vector]:
    """Torque and firing directions of `PhasePlane`; parameters are dead band, rate limit, and the level at which a jet shuts."""
    dead_band, rate_limit, off = parameters
    error = scale(2.0 / dead_band, attitude_error(q, reference)[0])
    rate = scale(1.0 / rate_limit, subtract(rates, rotate_inverse(q, 2.0, reference_rates_world)))
    x = switched(error[0], rate[0], before[0], off)
    y = switched(error[1], rate[1], before[1], off)
    z = switched(error[2], rate[2], before[2], off)
    return (torque[0] * x, torque[1] * y, torque[2] * z), (x, y, z)


@kernel("law-phase-plane")
def _sample_phase_plane(inputs: Array, out: Array) -> int:
    """Sample `PhasePlane`; the parameters are the torque of the jets, and those of the formula."""
    for member in range(inputs.shape[1]):
        q, rates, reference, reference_rates, _ = load_attitudes(inputs, member)
        jets, parameters = load_vector(inputs, PARAMETERS, member), load_vector(inputs, PARAMETERS + 3, member)
        before = load_vector(inputs, STATE_BEFORE, member)
        torque, directions = phase_plane(q, rates, reference, reference_rates, before, jets, parameters)
        store_vector(out, TORQUE, member, torque)
        out[ERROR_ANGLE, member] = error_angle(q, reference)
        store_vector(out, STATE, member, directions)
    return 1


@explaining_errors()
class PhasePlane(FormulaLaw):
    """Switching law for on-off jets, with hysteresis and a dead band in attitude and rate about each body axis.

    For each axis, ``s = θ/dead_band + ω/rate_limit``, with the attitude error θ limited to two dead bands. A jet opens when ``|s|`` exceeds
    1 and shuts when ``|s|`` falls below 1 − hysteresis or its sign changes. At rest the body therefore drifts within the dead band,
    and from a large error it approaches at one to three times the rate limit.

    The state is the direction, −1, 0 or 1, in which the jets of each axis fire.

    Args:
        dead_band: Attitude error that is allowed at zero rate [rad], above zero.
        rate_limit: Rate that is allowed at zero error [rad/s], above zero.
        hysteresis: Hysteresis [-], from 0 to 1.
        torque: Torque of the jets about each body axis [N·m], above zero, one number or three.

    Raises:
        TypeError: If an argument is not a real number, or `torque` is not a real number or three of them.
        ValueError: If `dead_band`, `rate_limit` or `torque` is not positive, or `hysteresis` is not from 0 to 1.

    Source: the switching lines of Wie, Space Vehicle Dynamics and Control, section 7.2.

    Example:
        >>> from types import SimpleNamespace
        >>> from engine.flight import Reference
        >>> law = PhasePlane(dead_band=0.01, rate_limit=0.002, hysteresis=0.5, torque=3.0)
        >>> drifting = SimpleNamespace(orientation=(0.0, 0.0, 0.0, 1.0), angular_velocity_body=(0.001, 0.003, -0.003))
        >>> law.torque_body(drifting, Reference(), 0.1).tolist()
        [0.0, -3.0, 3.0]
    """

    state_size = 3
    _kernel = staticmethod(_sample_phase_plane)
    _reads_acceleration = False

    def __init__(
        self, dead_band: float, rate_limit: float, hysteresis: float, *, torque: float | npt.ArrayLike
    ) -> None:
        name = self._name
        self._dead_band, self._rate_limit = gain(dead_band, "dead_band", name), gain(rate_limit, "rate_limit", name)
        self._hysteresis = real(hysteresis, "hysteresis", name, at_least=0.0)
        if self._hysteresis > 1.0:
            refuse(name, "hysteresis", hysteresis, "from 0 to 1")
        self._torque = limits(torque, "torque", name)

    dead_band = reader("_dead_band", "Attitude error that is allowed at zero rate [rad], above zero.")
    rate_limit = reader("_rate_limit", "Rate that is allowed at zero error [rad/s], above zero.")
    hysteresis = reader("_hysteresis", "Hysteresis [-], from 0 to 1.")

    @property
    def torque(self) -> FloatArray:
        """The torque of the jets about each body axis [N·m], shape (3,)."""
        return np.array(self._torque)

    def _parameters_for(self, inertia: Components) -> list[Components]:
        return [self._torque, [self._dead_band, self._rate_limit, 1.0 - self._hysteresis]]

    def _parameters(self) -> dict[str, object]:
        return {
            "dead_band": self.dead_band,
            "rate_limit": self.rate_limit,
            "hysteresis": self.hysteresis,
            "torque": self._torque,
        }


class Wheel(Protocol):
    """The attributes of a reaction wheel that `MomentumManager` reads."""

    @property
    def momentum(self) -> npt.ArrayLike:
        """Angular momentum about the axis [N·m·s], a number or shape (n,)."""

    @property
    def axis(self) -> npt.ArrayLike:
        """Axis of the wheel, a unit vector, body frame, shape (3,) or (n, 3)."""


def dumping_torque(
    before: Sequence[float], parameters: Sequence[float], *wheels: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    """Torque and switch of `MomentumManager`; parameters are 1/time constant, low and high, wheels are momentum and axis."""
    rate, low, high = parameters
    total = (0.0, 0.0, 0.0)
    for momentum, x, y, z in wheels:
        total = add_scaled(total, momentum, (x, y, z))
    size_squared = dot(total, total)
    # two thresholds: with one, the jets would fire at each sample at which the momentum is near it
    dumping = choose(size_squared > high * high, 1.0, choose(size_squared < low * low, 0.0, before[0]))
    x, y, z = scale(-rate * dumping, total)
    return x, y, z, dumping


@explaining_errors()
class MomentumManager(Law):
    """Momentum management, which asks jets or magnetorquers for the torque that dumps the momentum of reaction wheels.

    While the law dumps, the torque is ``−Σ h ĝ / time_constant``. The total momentum of the wheels then decays exponentially, provided that
    another law holds the attitude with the wheels. Dumping starts when the total momentum exceeds `high` and stops when it falls below
    `low`. Attitude and reference are not used.

    The state is 1 while the law dumps, else 0.

    Args:
        wheels: The wheels: objects with `momentum` [N·m·s] and `axis` (a unit vector, body frame), such as reaction wheels of a body.
        high: Momentum at which dumping starts [N·m·s].
        low: Momentum at which dumping stops [N·m·s], above zero and below `high`.
        time_constant: Time in which the momentum falls to 37 % of its value [s], above zero. While the law dumps, the wheels must balance
            the torque that it asks for: a time shorter than the momentum over the torque of the wheels turns the body away.

    Raises:
        TypeError: If an entry of `wheels` has no momentum or axis, or another argument is not a real number.
        ValueError: If `wheels` is empty, `low` or `time_constant` is not positive, or `high` is not above `low`.

    Example:
        >>> from types import SimpleNamespace
        >>> wheels = [SimpleNamespace(momentum=8.0, axis=(1.0, 0.0, 0.0)), SimpleNamespace(momentum=-6.0, axis=(0.0, 0.6, 0.8))]
        >>> manager = MomentumManager(wheels, high=9.0, low=1.0, time_constant=20.0)
        >>> manager.torque_body(None, None, 1.0).round(12).tolist()
        [-0.4, 0.18, 0.24]
    """

    state_size = 1

    def __init__(self, wheels: Sequence[Wheel], high: float, low: float, *, time_constant: float = 100.0) -> None:
        name = self._name
        self._wheels = tuple(members(wheels, "wheels", name, "a list of objects with momentum and axis", _is_wheel))
        if not self._wheels:
            refuse(name, "wheels", wheels, "at least one wheel")
        self._low, self._high = gain(low, "low", name), gain(high, "high", name)
        if self._low >= self._high:
            refuse(name, "low", low, f"below high, which is {self._high:g}")
        self._time_constant = gain(time_constant, "time_constant", name)

    wheels = reader("_wheels", "The wheels, as a tuple.")
    high = reader("_high", "Momentum at which dumping starts [N·m·s].")
    low = reader("_low", "Momentum at which dumping stops [N·m·s], above zero and below `high`.")
    time_constant = reader("_time_constant", "Time in which the momentum falls to 37 % of its value [s], above zero.")

    @property
    def members(self) -> tuple[object, ...]:
        """The wheels; wheels in a world cannot be removed before the control loop that uses this law."""
        return self._wheels

    def initial_state(self, measured: object, reference: object) -> FloatArray:
        return np.zeros((*np.broadcast_shapes(*(np.shape(wheel.momentum) for wheel in self.wheels)), 1))

    def update(
        self, measured: object, reference: object, seconds: float, state: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        real(seconds, "seconds", self._name, above=0.0)
        before = components(state, "state", self._name, 1)
        parameters = [1.0 / self.time_constant, self.low, self.high]
        return self._result(evaluate(dumping_torque, before, parameters, *map(self._momentum, self.wheels)))

    def _momentum(self, wheel: Wheel) -> Components:
        """Momentum and axis of a wheel, or of a wheel of each body of a stack."""
        axis = components(wheel.axis, "axis of a wheel", self._name, 3)
        momentum = wheel.momentum
        if type(axis) is list and (isinstance(momentum, float) or np.ndim(momentum) == 0):
            return [float(np.asarray(momentum)), *axis]
        return np.asarray(momentum, dtype=np.float64), *axis

    def _parameters(self) -> dict[str, object]:
        return {
            "wheels": len(self.wheels),
            "high": self.high,
            "low": self.low,
            "time_constant": self.time_constant,
        }


def _is_wheel(value: object) -> bool:
    return hasattr(value, "momentum") and hasattr(value, "axis")
