"""What one writes by hand: RK4 over all bodies at once in NumPy, a row a component, into arrays made beforehand."""

import numpy as np
import numpy.typing as npt

from ..scenes import DT, Bodies
from .peer import Entry, Ticks

Array = npt.NDArray[np.float64]

DISTRIBUTIONS = ("numpy",)

_POSITION, _QUATERNION, _VELOCITY, _RATES = slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13)


class Vectorised(Ticks):
    def __init__(self, bodies: Bodies) -> None:
        super().__init__()
        self._state = np.zeros((13, bodies.count))
        self._state[_POSITION] = bodies.position.T
        self._state[6] = 1.0
        self._state[_RATES] = bodies.angular_velocity_body.T
        self._middle, self._slopes = np.empty_like(self._state), np.empty((4, 13, bodies.count))
        one, two, three = bodies.moments
        self._couplings = (two - three) / one, (three - one) / two, (one - two) / three
        self._gravity, self._acceleration = bodies.gravity, bodies.thrust / bodies.mass

    def tick(self) -> None:
        state, middle, slopes = self._state, self._middle, self._slopes
        self._slope(state, slopes[0])
        for stage, share in ((1, 0.5), (2, 0.5), (3, 1.0)):
            np.multiply(slopes[stage - 1], share * DT, out=middle)
            middle += state
            self._slope(middle, slopes[stage])
        slopes[1] += slopes[2]
        slopes[0] += slopes[3]
        slopes[1] *= 2.0
        slopes[0] += slopes[1]
        slopes[0] *= DT / 6.0
        state += slopes[0]
        quaternion = state[_QUATERNION]
        quaternion /= np.sqrt(np.einsum("ij,ij->j", quaternion, quaternion))
        self.taken += 1

    def _slope(self, state: Array, out: Array) -> None:
        """dx/dt of position, quaternion, velocity and body rates."""
        x, y, z, w = state[_QUATERNION]
        a, b, c = state[_RATES]
        out[_POSITION] = state[_VELOCITY]
        out[3] = 0.5 * (w * a + y * c - z * b)
        out[4] = 0.5 * (w * b + z * a - x * c)
        out[5] = 0.5 * (w * c + x * b - y * a)
        out[6] = -0.5 * (x * a + y * b + z * c)
        along = 2.0 * self._acceleration
        out[7] = along * (x * z + w * y) + self._gravity[0]
        out[8] = along * (y * z - w * x) + self._gravity[1]
        out[9] = self._acceleration - along * (x * x + y * y) + self._gravity[2]
        np.multiply(b, c, out=out[10])
        np.multiply(c, a, out=out[11])
        np.multiply(a, b, out=out[12])
        for row, coupling in zip(out[_RATES], self._couplings, strict=True):
            row *= coupling

    @property
    def time(self) -> float:
        return self.taken * DT

    def positions(self) -> Array:
        return self._state[_POSITION].T.copy()

    def orientations(self) -> Array:
        return self._state[_QUATERNION].T.copy()

    def close(self) -> None:
        """Nothing is kept open."""


ENTRIES = [Entry("NumPy by hand, RK4", Vectorised, 4, 100_000)]
