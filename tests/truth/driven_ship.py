"""A ship with wheels, tanks and switched jets, by SciPy's eighth-order Runge-Kutta from one switching of a valve to the next.

The equations are written here for the origin of the body's axes, which does not move in the body when propellant leaves, while the engine
follows the mass centre: ``m (a + ω̇×c + ω×(ω×c)) = F`` and ``I ω̇ = τ − Σ u g − ω×(I ω + Σ H g)`` about the mass centre c, with the inertia
I without the wheels' moments. Tensors are summed from the definition.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

from .reference import cross, matrix

G0 = 9.80665


@dataclass(frozen=True)
class Wheel:
    """A wheel: axis (unit), moment of inertia, torque of the motor, friction, speed at first."""

    axis: tuple
    inertia: float
    torque: float = 0.0
    friction: float = 0.0
    speed: float = 0.0


@dataclass(frozen=True)
class Tank:
    """A tank: centre as a function of the propellant, specific inertia as a function of the propellant, propellant at first."""

    center: object
    specific_inertia: object
    propellant: float
    jet_damping: bool = False
    leaving: object = None
    surface_inertia: object = None


@dataclass(frozen=True)
class Jet:
    """A jet: position, direction (unit), force, level as a function of the time, and the times at which that is not smooth."""

    position: tuple
    direction: tuple
    force: float
    level: object
    edges: tuple = ()
    tank: int = -1
    specific_impulse: float = 1.0


@dataclass(frozen=True)
class Ship:
    """A ship without propellant and with locked wheels, and its parts."""

    mass: float
    inertia: np.ndarray
    center: np.ndarray
    wheels: tuple = ()
    tanks: tuple = ()
    jets: tuple = ()


def box_level(begin, end):
    """The level of a valve that opens and shuts at once, and its edges."""
    return lambda time: float(begin <= time < end), (begin, end)


def mass_properties(ship, propellant):
    """Mass, mass centre, and inertia about it without the wheels' moments."""
    parts = [(ship.mass, np.asarray(ship.center, float), np.asarray(ship.inertia, float))]
    for tank, amount in zip(ship.tanks, propellant, strict=True):
        parts.append((amount, np.asarray(tank.center(amount)), amount * np.asarray(tank.specific_inertia(amount))))
    mass = sum(part[0] for part in parts)
    center = sum(part[0] * part[1] for part in parts) / mass
    inertia = np.zeros((3, 3))
    for amount, at, own in parts:
        d = at - center
        inertia = inertia + own + amount * (d @ d * np.eye(3) - np.outer(d, d))
    for wheel in ship.wheels:
        g = np.asarray(wheel.axis, float)
        inertia = inertia - wheel.inertia * np.outer(g, g)
    return mass, center, inertia


def solve(ship, times, position=(0, 0, 0), velocity=(0, 0, 0), orientation=(0, 0, 0, 1), rates=(0, 0, 0)):
    """Follow the origin of a ship.

    Args:
        ship: The ship; none of its tanks may run dry within the times.
        times: When to report, ascending, from above 0.
        position: Of the origin.
        velocity: Of the origin.
        orientation: Quaternion, scalar last.
        rates: Angular velocity in the body frame.

    Returns:
        Arrays with a row per time: position, velocity, orientation, rates, wheel momenta, propellant.
    """
    wheels, tanks = len(ship.wheels), len(ship.tanks)
    w0 = np.asarray(rates, float)
    momenta = [wheel.inertia * (wheel.speed + np.dot(wheel.axis, w0)) for wheel in ship.wheels]
    state = np.concatenate((position, velocity, orientation, w0, momenta, [t.propellant for t in ship.tanks])).astype(
        float
    )
    edges = sorted({float(edge) for jet in ship.jets for edge in jet.edges if 0.0 < edge < times[-1]})
    stops = [0.0, *edges, float(times[-1])]
    rows = []

    def derivative(time, y, middle):
        v, q, w = y[3:6], y[6:10], y[10:13]
        h, propellant = y[13 : 13 + wheels], y[13 + wheels :]
        mass, center, inertia = mass_properties(ship, propellant)
        r = matrix(q)
        force, torque = np.zeros(3), np.zeros(3)
        flow = np.zeros(tanks)
        for jet in ship.jets:
            level = jet.level(time) if len(jet.edges) == 0 else jet.level(min(max(time, middle[0]), middle[1]))
            push = level * jet.force * np.asarray(jet.direction, float)
            arm = np.asarray(jet.position, float) - center
            force, torque = force + push, torque + cross(arm, push)
            if jet.tank >= 0:
                rate = level * jet.force / (G0 * jet.specific_impulse)
                flow[jet.tank] += rate
                tank = ship.tanks[jet.tank]
                if tank.jet_damping:
                    amount = propellant[jet.tank]
                    source = np.asarray((tank.leaving or tank.center)(amount)) - center
                    k = np.asarray((tank.surface_inertia or tank.specific_inertia)(amount))
                    swirl = cross(arm, cross(w, arm)) - k @ w - cross(source, cross(w, source))
                    swirl = swirl + cross(w, cross(source, arm))
                    torque = torque - rate * swirl
                    force = force - 2.0 * rate * cross(w, arm - source)
        total = inertia @ w
        dh = np.zeros(wheels)
        for place, wheel in enumerate(ship.wheels):
            g = np.asarray(wheel.axis, float)
            dh[place] = wheel.torque - wheel.friction * (h[place] / wheel.inertia - g @ w)
            total = total + h[place] * g
            torque = torque - dh[place] * g
        dw = np.linalg.solve(inertia, torque - cross(w, total))
        a = force / mass - cross(dw, center) - cross(w, cross(w, center))
        x, y_, z, s = q
        p, t, u = w
        dq = 0.5 * np.array(
            [s * p + y_ * u - z * t, s * t + z * p - x * u, s * u + x * t - y_ * p, -(x * p + y_ * t + z * u)]
        )
        return np.concatenate((v, r @ a, dq, dw, dh, -flow))

    for begin, end in pairwise(stops):
        inside = [t for t in times if begin < t <= end]
        narrow = 1e-9 * (end - begin)
        solution = solve_ivp(
            derivative,
            (begin, end),
            state,
            method="DOP853",
            t_eval=sorted({*inside, end}),
            rtol=1e-13,
            atol=1e-14,
            args=((begin + narrow, end - narrow),),
        )
        assert solution.success, solution.message
        state = solution.y[:, -1]
        rows += [row for t, row in zip(solution.t, solution.y.T, strict=True) if t in inside]
    found = np.array(rows)
    q = found[:, 6:10] / np.linalg.norm(found[:, 6:10], axis=1)[:, None]
    return found[:, :3], found[:, 3:6], q, found[:, 10:13], found[:, 13 : 13 + wheels], found[:, 13 + wheels :]
