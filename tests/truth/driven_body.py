"""Rotation under a constant torque in the body frame, and librations in orbit."""

import numpy as np
from scipy.special import ellipk, fresnel


def spin_up_rates(transverse, axial, torque_body, angular_velocity_body, times):
    """Rates of a body with equal moments across z, pushed by a constant body torque with τ₃ ≠ 0.

    ω₃ = ω₃(0) + τ₃t/I₃; with κ = (I₃ − I₁)/I₁ and W = ω₁ + iω₂: dW/dt = iκω₃W + (τ₁ + iτ₂)/I₁. The solution is a Fresnel integral:
    W = exp(iκΘ)[W(0) + (τ₁ + iτ₂)/I₁ ∫ exp(−iκΘ) ds], Θ = ω₃(0)t + τ₃t²/2I₃.
    """
    times = np.asarray(times, dtype=float)
    kappa = (axial - transverse) / transverse
    gain = torque_body[2] / axial
    start = angular_velocity_body[2]
    angle = start * times + 0.5 * gain * times**2
    # κΘ(s) = sign π/2 z² − κω₃(0)²/2α, z = √(|κα|/π) (s + ω₃(0)/α)
    sign = np.sign(kappa * gain)
    scale = np.sqrt(abs(kappa * gain) / np.pi)

    def primitive(s):
        sine, cosine = fresnel(scale * (s + start / gain))
        return (cosine - 1j * sign * sine) / scale

    integral = np.exp(0.5j * kappa * start**2 / gain) * (primitive(times) - primitive(0.0))
    push = (torque_body[0] + 1j * torque_body[1]) / transverse
    across = np.exp(1j * kappa * angle) * (angular_velocity_body[0] + 1j * angular_velocity_body[1] + push * integral)
    return np.stack([across.real, across.imag, start + gain * times], axis=1)


def pitch_libration_period(orbit_rate, roll, pitch, yaw, amplitude):
    """Period [s] of pitch in a circular orbit: θ'' = −(3/2)n²k sin 2θ, k = (roll − yaw)/pitch, swinging to ±amplitude [rad].

    The moments are about the axes along the velocity (roll), the orbit's normal (pitch) and the vertical (yaw). 2θ is a pendulum.
    """
    small = orbit_rate * np.sqrt(3.0 * (roll - yaw) / pitch)
    return 4.0 * ellipk(np.sin(amplitude) ** 2) / small


def roll_yaw_frequencies(orbit_rate, roll, pitch, yaw):
    """The two small-angle frequencies [rad/s] of roll and yaw in a circular orbit.

    s⁴ + n²s²(1 + 3k_r + k_r k_y) + 4n⁴k_r k_y = 0 with k_r = (pitch − yaw)/roll, k_y = (pitch − roll)/yaw.
    Source: Hughes, Spacecraft Attitude Dynamics, section 9.3.
    """
    k_roll, k_yaw = (pitch - yaw) / roll, (pitch - roll) / yaw
    middle = 1.0 + 3.0 * k_roll + k_roll * k_yaw
    root = np.sqrt(middle**2 - 16.0 * k_roll * k_yaw)
    return orbit_rate * np.sqrt(0.5 * (middle - root)), orbit_rate * np.sqrt(0.5 * (middle + root))
