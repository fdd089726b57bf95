"""Any problem of one rigid body, by SciPy's eighth-order Runge-Kutta at a tolerance of 1e-13.

The equations are written out on their own here: angular velocity in the body frame, quaternion without normalisation, wrench as a function
of the time and the whole state. Stored momentum and game mode as the engine defines them.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp


@dataclass(frozen=True)
class Motion:
    """A solution at some times, one row a time."""

    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity_body: np.ndarray


def no_wrench(time, position, rotation, velocity, angular_velocity_body):
    """A `wrench` argument for free flight."""
    return np.zeros(3), np.zeros(3)


def solve(
    times,
    *,
    mass=1.0,
    inertia_body,
    position=(0.0, 0.0, 0.0),
    orientation=(0.0, 0.0, 0.0, 1.0),
    velocity=(0.0, 0.0, 0.0),
    angular_velocity_body=(0.0, 0.0, 0.0),
    wrench=no_wrench,
    stored_momentum_body=(0.0, 0.0, 0.0),
    motor_torque_body=(0.0, 0.0, 0.0),
    game_mode=False,
):
    """Follow one body.

    Args:
        times: When to report, ascending, from above 0.
        wrench: wrench(time, position, rotation matrix, velocity, angular_velocity_body) -> (force_world, torque_body), about the
            mass centre.
        motor_torque_body: Constant torque u that the body gives to its wheels: I dω/dt = τ − u − ω × (I ω + h), dh/dt = u.

    Returns:
        A `Motion`; errors below 1e-11 on motions of size one over ten seconds (measured in `test_truth.py`).
    """
    inertia = np.asarray(inertia_body, dtype=float)
    inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
    inverse = np.linalg.inv(inertia)
    stored_at_first, motor = np.asarray(stored_momentum_body, dtype=float), np.asarray(motor_torque_body, dtype=float)

    def derivative(time, state):
        p, q, v, w = state[:3], state[3:7], state[7:10], state[10:]
        rotation = matrix(q)
        force, torque = wrench(time, p, rotation, v, w)
        torque = torque - motor
        if not game_mode:
            torque = torque - cross(w, inertia @ w + stored_at_first + time * motor)
        x, y, z, s = q.tolist()
        a, b, c = w.tolist()
        turning = [s * a + y * c - z * b, s * b + z * a - x * c, s * c + x * b - y * a, -(x * a + y * b + z * c)]
        return np.concatenate((v, 0.5 * np.array(turning), force / mass, inverse @ torque))

    start = np.concatenate((position, orientation, velocity, angular_velocity_body)).astype(float)
    times = np.asarray(times, dtype=float)
    solution = solve_ivp(derivative, (0.0, times[-1]), start, method="DOP853", t_eval=times, rtol=1e-13, atol=1e-14)
    assert solution.success, solution.message
    rows = solution.y.T
    quaternions = rows[:, 3:7] / np.linalg.norm(rows[:, 3:7], axis=1)[:, None]
    return Motion(rows[:, :3], quaternions, rows[:, 7:10], rows[:, 10:])


def matrix(q):
    """The rotation matrix of a quaternion of any length."""
    x, y, z, w = (q / np.sqrt(q @ q)).tolist()
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def cross(a, b):
    """The cross product of two vectors, in a tenth of the time of NumPy's, which moves axes."""
    (p, q, r), (x, y, z) = np.asarray(a).tolist(), np.asarray(b).tolist()
    return np.array([q * z - r * y, r * x - p * z, p * y - q * x])
