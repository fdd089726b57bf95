"""Detumbling with magnetorquers, whose dipole opposes the change of the magnetic field."""

from __future__ import annotations  # help() then shows them as written

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, explaining_errors, reader, real
from ..kernels.vectors import Vector, cross, scale, subtract
from .law import Law
from .law import gain as positive_gain
from .samples import combined, components, evaluate


def b_dot_dipole(field: Vector, previous: Vector, factor: float) -> Vector:
    """``−factor (B − B_previous)``."""
    return scale(-factor, subtract(field, previous))


def b_dot(field: Vector, previous: Vector, factor: float) -> tuple[float, float, float, float, float, float]:
    """Torque of that dipole and the field for the next sample."""
    x, y, z = cross(b_dot_dipole(field, previous, factor), field)
    return x, y, z, field[0], field[1], field[2]


@explaining_errors()
class BDot(Law):
    """B-dot law of detumbling, with a magnetic dipole against the measured change of the field, ``m = −gain dB/dt``.

    In a tumbling body the field changes mainly because the body rotates, so that the torque ``m × B`` brakes every rotation except the one
    about the field. Because the direction of the field changes along the orbit, the whole tumble decays. The law needs neither an attitude
    nor a gyro. It compares the field at two successive samples, so it must be sampled several times per rotation, and the torquers must be
    off while the magnetometer reads.

    The measured object needs the attribute `field_body` [T], body frame, shape (..., 3). Attitude and reference are not used. The state is
    the field at the last sample.

    Args:
        gain: Dipole per rate of change of the field [A·m²·s/T], above zero.

    Raises:
        TypeError: If `gain` is not a real number.
        ValueError: If `gain` is not positive.

    Source: Stickler and Alfriend, Elementary Magnetic Attitude Control System, Journal of Spacecraft and Rockets 13 (1976).

    Example:
        >>> law = BDot(gain=1e5)
        >>> law.dipole_body((3e-5, 1e-5, 2e-5), (2e-5, 2e-5, 1e-5), 0.5).round(9).tolist()
        [-2.0, 2.0, -2.0]
    """

    state_size = 3

    def __init__(self, gain: float) -> None:
        self._gain = positive_gain(gain, "gain", self._name)

    gain = reader("_gain", "Dipole per rate of change of the field [A·m²·s/T], above zero.")

    def initial_state(self, measured: object, reference: object) -> FloatArray:
        # the field itself, so that the first sample finds no change and commands nothing
        return np.stack(self._components(measured, "measured", "field_body", 3), axis=-1)

    def dipole_body(self, field_body: npt.ArrayLike, previous_field_body: npt.ArrayLike, seconds: float) -> FloatArray:
        """Compute the dipole from the field at two successive samples.

        Args:
            field_body: Magnetic field at this sample [T], body frame, shape (..., 3).
            previous_field_body: Magnetic field at the previous sample [T], body frame, shape (..., 3).
            seconds: Time between the samples [s], above zero.

        Returns:
            The dipole [A·m²], body frame, shape (..., 3), which may exceed the limits of the actuators.

        Raises:
            TypeError: If an argument is not an array of real numbers.
            ValueError: If `seconds` is not positive, or a field has the wrong shape or is not finite.

        Example:
            >>> BDot(gain=1e5).dipole_body((3e-5, 1e-5, 2e-5), (2e-5, 2e-5, 1e-5), 0.5).round(9).tolist()
            [-2.0, 2.0, -2.0]
        """
        field = components(field_body, "field_body", self._name, 3)
        previous = components(previous_field_body, "previous_field_body", self._name, 3)
        return combined(evaluate(b_dot_dipole, field, previous, self._factor(seconds)), self._name, "dipole")

    def update(
        self, measured: object, reference: object, seconds: float, state: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        field = self._components(measured, "measured", "field_body", 3)
        previous = components(state, "state", self._name, 3)
        return self._result(evaluate(b_dot, field, previous, self._factor(seconds)))

    def _factor(self, seconds: float) -> float:
        return self.gain / real(seconds, "seconds", self._name, above=0.0)

    def _parameters(self) -> dict[str, object]:
        return {"gain": self.gain}
