"""Detumbling with magnetorquers: the dipole against the change of the magnetic field."""

from __future__ import annotations  # help() then shows them as written

from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, real
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


class BDot(Law):
    """B-dot law of detumbling, a magnetic dipole against the change of the field that the body measures, ``m = −gain dB/dt``.

    In a tumbling body the field changes mainly because the body rotates, so that the torque ``m × B`` brakes every rotation except the one
    about the field. Because the direction of the field changes along the orbit, the whole tumble decays. No attitude and no gyro are
    needed. The law measures the field at two successive samples, so it must be sampled several times per rotation, and the torquers must be
    off while the magnetometer reads.

    The measured object needs the attribute `field_body` [T], body frame, shape (..., 3); attitude and reference do not matter. The state is
    the field of the last sample.

    Args:
        gain: Dipole per rate of change of the field [A·m²·s/T], above zero.

    Raises:
        ValueError: The gain is not positive.

    Source: Stickler and Alfriend, Elementary Magnetic Attitude Control System, Journal of Spacecraft and Rockets 13 (1976).

    Example:
        >>> law = BDot(gain=1e5)
        >>> law.dipole_body((3e-5, 1e-5, 2e-5), (2e-5, 2e-5, 1e-5), 0.5).round(9).tolist()
        [-2.0, 2.0, -2.0]
    """

    state_size = 3

    def __init__(self, gain: float) -> None:
        self.gain = positive_gain(gain, "gain", self._name)

    def initial_state(self, measured: Any, reference: Any) -> FloatArray:
        return np.stack(self._components(measured, "measured", "field_body", 3), axis=-1)

    def dipole_body(self, field_body: npt.ArrayLike, previous_field_body: npt.ArrayLike, seconds: float) -> FloatArray:
        """Compute the dipole from the field at two successive samples.

        Args:
            field_body: Magnetic field at this sample [T], body frame, shape (..., 3).
            previous_field_body: Magnetic field at the previous sample [T], body frame, shape (..., 3).
            seconds: Time between the samples [s], above zero.

        Returns:
            The dipole [A·m²], body frame, shape (..., 3); actuators may have to reduce it.
        """
        field = components(field_body, "field_body", self._name, 3)
        previous = components(previous_field_body, "previous_field_body", self._name, 3)
        return combined(evaluate(b_dot_dipole, field, previous, self._factor(seconds)), self._name, "dipole")

    def update(
        self, measured: Any, reference: Any, seconds: float, state: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        field = self._components(measured, "measured", "field_body", 3)
        previous = components(state, "state", self._name, 3)
        return self._result(evaluate(b_dot, field, previous, self._factor(seconds)))

    def _factor(self, seconds: float) -> float:
        return self.gain / real(seconds, "seconds", self._name, above=0.0)

    def _parameters(self) -> dict[str, Any]:
        return {"gain": self.gain}
