"""Rotation under a constant torque in the body frame."""

import numpy as np
from scipy.special import fresnel


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
