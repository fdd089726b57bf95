"""The motion of a mass centre under simple forces, in closed form."""

import numpy as np
from scipy.spatial.transform import Rotation


def charged_particle(charge, mass, electric_field, magnetic_field, position, velocity, times):
    """Position and velocity of a charge in constant fields that are at right angles: gyration about B plus the drift E × B/B²."""
    electric, magnetic = np.asarray(electric_field, dtype=float), np.asarray(magnetic_field, dtype=float)
    times = np.asarray(times, dtype=float)[:, None]
    strength = np.linalg.norm(magnetic)
    along = magnetic / strength
    drift = np.cross(electric, magnetic) / strength**2
    relative = np.asarray(velocity, dtype=float) - drift
    gyration = -charge * strength / mass
    across = relative - (relative @ along) * along
    turned = Rotation.from_rotvec(gyration * times * along).apply(relative)
    # ∫ turn(s) across ds = (sin across + (1 − cos) along × across)/gyration
    swept = np.sin(gyration * times) * across + (1.0 - np.cos(gyration * times)) * np.cross(along, across)
    moved = position + times * (drift + (relative @ along) * along) + swept / gyration
    return moved, turned + drift


def damped_oscillation(frequency_squared, decay, displacement, velocity, times):
    """x and dx/dt of x'' + decay x' + frequency² x = 0, underdamped, for a displacement of any dimension."""
    times = np.asarray(times, dtype=float)[:, None]
    half = 0.5 * decay
    swing = np.sqrt(frequency_squared - half**2)
    x0, v0 = np.asarray(displacement, dtype=float), np.asarray(velocity, dtype=float)
    cosine, sine = np.cos(swing * times), np.sin(swing * times)
    x = np.exp(-half * times) * (x0 * cosine + (v0 + half * x0) / swing * sine)
    v = np.exp(-half * times) * (v0 * cosine - (half * v0 + frequency_squared * x0) / swing * sine)
    return x, v


def linear_drag_fall(mass, coefficient, acceleration, position, velocity, times):
    """Fall against a drag −c v: v = v_t + (v₀ − v_t) exp(−ct/m), v_t = m g/c."""
    times = np.asarray(times, dtype=float)[:, None]
    rate = coefficient / mass
    terminal = np.asarray(acceleration, dtype=float) / rate
    excess = np.asarray(velocity, dtype=float) - terminal
    return position + terminal * times - excess * np.expm1(-rate * times) / rate, terminal + excess * np.exp(
        -rate * times
    )


def quadratic_drag_fall(mass, coefficient, gravity, times):
    """Depth and speed of a fall from rest against c v²: v = v_t tanh(g t/v_t), v_t = √(m g/c)."""
    times = np.asarray(times, dtype=float)
    terminal = np.sqrt(mass * gravity / coefficient)
    return terminal**2 / gravity * np.log(np.cosh(gravity * times / terminal)), terminal * np.tanh(
        gravity * times / terminal
    )


def oblate_gravity(gm, j2, radius, axis, position):
    """Acceleration about an oblate body, from the derivative of its potential by complex steps, good to rounding.

    U = −(GM/r)[1 − J₂(R/r)²(3 s² − 1)/2], s the sine of the latitude. The equatorial bulge pulls harder above the equator.
    """
    position = np.asarray(position, dtype=float)
    axis = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    step = 1e-30
    result = []
    for component in range(3):
        point = position.astype(complex)
        point[component] += 1j * step
        r = np.sqrt((point * point).sum())
        sine = (point * axis).sum() / r
        potential = -gm / r * (1.0 - 0.5 * j2 * (radius / r) ** 2 * (3.0 * sine**2 - 1.0))
        result.append(-potential.imag / step)
    return np.array(result)
