"""The flights of the demo `orbit`: where each begins, how its pace changes, and whether its engine runs."""

import math
from dataclasses import dataclass

import numpy as np

from ..drawing import Array
from ..physics import flight
from .piloted_world import Leg
from .polar_orbit import GM

EARTH_RADIUS = 6_378_137.0  # [m], WGS 84
SIDEREAL_DAY = 86_164.0905  # [s]
SYNCHRONOUS = (GM * (SIDEREAL_DAY / math.tau) ** 2) ** (1.0 / 3.0)  # radius of a circular orbit of one day [m]
LOW = EARTH_RADIUS + 1000e3  # [m]
PLANE = {"inclination": 1.12, "raan": 2.92, "argument_of_periapsis": 5.36}
"""The plane of all flights and the direction of the periapsis [rad]; the sun stands to the north of it."""


@dataclass(frozen=True)
class Case:
    """One flight."""

    text: str
    eccentricity: float
    periapsis: float
    """Distance of the periapsis [m]."""
    anomaly: float
    """True anomaly at the start [rad]."""
    legs: tuple[Leg, ...]
    burns: bool = False
    """Whether the kick motor makes the orbit circular at the first apoapsis."""


_CLIMB = (Leg(1.0, 1.3), Leg(10.0, 0.7), Leg(100.0, 0.6), Leg(1e3, 0.8))

CASES = {
    "transfer": Case(
        "a transfer orbit, a kick motor, and a circle of one day",
        (SYNCHRONOUS - LOW) / (SYNCHRONOUS + LOW),
        LOW,
        -0.12,
        (*_CLIMB, Leg(1e4), Leg(20.0), Leg(1e5, 0.6), Leg(1e6, 0.6), Leg(1.0)),
        burns=True,
    ),
    "molniya": Case(
        "half a year on a Molniya orbit",
        0.72,
        0.28 * 26_600e3,
        -0.35,
        (*_CLIMB, Leg(1e4, 2.0), Leg(1e5, 1.0), Leg(1e6, 15.0), Leg(1.0)),
    ),
    "flyby": Case(
        "a hyperbola past the Earth",
        1.6,
        1.25 * EARTH_RADIUS,
        -2.1,
        (
            *(Leg(1.0, 1.0), Leg(1e3, 0.6), Leg(1e4, 1.35), Leg(1e3, 2.0), Leg(1.0, 1.6)),
            *(Leg(1e3, 1.5), Leg(1e4, 2.0), Leg(1e6, 0.3), Leg(1.0)),
        ),
    ),
}


def start_of(case: Case) -> tuple[Array, Array]:
    """Position [m] and velocity [m/s] at the start."""
    return flight.orbit.from_elements(
        GM, periapsis_distance=case.periapsis, eccentricity=case.eccentricity, true_anomaly=case.anomaly, **PLANE
    )


def burn_at_the_apoapsis(case: Case, acceleration: float) -> tuple[Array, float, float]:
    """The burn that makes the orbit circular where it is widest.

    Args:
        case: The flight.
        acceleration: Of the burn [m/s²].

    Returns:
        Its direction, a unit vector in the world frame, its duration [s], and the time of its middle [s]. On a hyperbola, which has no
        apoapsis, the direction of the velocity at the start and no time.
    """
    e = case.eccentricity
    if e >= 1.0:
        _, velocity = start_of(case)
        return velocity / np.linalg.norm(velocity), 0.0, 0.0
    position, velocity = flight.orbit.from_elements(
        GM, periapsis_distance=case.periapsis, eccentricity=e, true_anomaly=math.pi, **PLANE
    )
    speed = float(np.linalg.norm(velocity))
    duration = (math.sqrt(GM / float(np.linalg.norm(position))) - speed) / acceleration
    # Kepler's equation, from the true anomaly at the start
    eccentric = 2.0 * math.atan(math.sqrt((1.0 - e) / (1.0 + e)) * math.tan(0.5 * case.anomaly))
    motion = math.sqrt(GM * ((1.0 - e) / case.periapsis) ** 3)
    return velocity / speed, duration, (math.pi - eccentric + e * math.sin(eccentric)) / motion
