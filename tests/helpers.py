"""Comparison of the engine with reference solutions: one body at given times, orders of convergence, the wrench of a force."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from engine import MassProperties, World

from .truth import rotations

PATIENCE = 600
"""Seconds after which a process that gives no sign of life has hung. No test depends on how soon one answers."""

SKEW_ORIENTATION = rotations.from_axis_angle((1.0, -2.0, 0.5), 0.7)
"""An odd angle about a skew axis: a transposed matrix or a swapped product shows."""

SKEW_AXES = Rotation.from_rotvec((0.4, 0.9, -0.5)).as_matrix()
"""Principal axes, as columns, of bodies that are not drawn along theirs."""


def skew_tensor(moments):
    """Inertia [kg·m²] with these principal moments along `SKEW_AXES`, every product of inertia different from zero."""
    tensor = SKEW_AXES @ np.diag(moments) @ SKEW_AXES.T
    return 0.5 * (tensor + tensor.T)


ASYMMETRIC = skew_tensor((1.0, 2.0, 2.5))


@dataclass(frozen=True)
class Flight:
    """States of one body at several times, one row a time."""

    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity_body: np.ndarray


def add_to(world, member):
    """Add a force or a part, whichever it is."""
    return world.add_part(member) if getattr(member, "_kind_of_member", "") == "part" else world.add_force(member)


def one_body(
    integrator,
    dt,
    *,
    forces=None,
    mass=1.0,
    inertia_body=(1.0, 2.0, 2.5),
    center_of_mass_body=(0.0, 0.0, 0.0),
    physical=True,
    stored_momentum_body=None,
    game_mode=False,
    **start,
):
    """A world with one body, and the body.

    Args:
        forces: forces(body) -> list of forces and parts, or None.
        start: What `World.add_body` takes.
    """
    world = World(dt, integrator=integrator, game_mode=game_mode)
    properties = MassProperties(mass, inertia_body, center_of_mass_body, physical=physical)
    body = world.add_body(properties, name="body", **start)
    if stored_momentum_body is not None:
        body.stored_momentum_body = stored_momentum_body
    for force in forces(body) if forces else ():
        add_to(world, force)
    return world, body


def fly(integrator, dt, times, **setup):
    """One body at `times`, which are whole numbers of ticks."""
    world, body = one_body(integrator, dt, **setup)
    rows = []
    for time in times:
        ticks = round(time / dt)
        assert math.isclose(ticks * dt, time, rel_tol=1e-12), "the times of a test are whole ticks"
        world.step(ticks - world.tick_count)
        rows.append((body.position, body.orientation, body.velocity, body.angular_velocity_body))
    return Flight(*(np.array(column) for column in zip(*rows, strict=True)))


def wrench_of(forces, *, mass=1.0, inertia_body=(1.0, 2.0, 2.5), **setup):
    """Force (world frame) and torque (body frame, about the mass centre) that forces give a body in one state.

    Read off one tick of a second: in game mode semi-implicit Euler changes v by F/m and ω by I⁻¹τ, with F and τ at the start of the tick.
    """
    world, body = one_body(
        "semi-implicit-euler", 1.0, forces=forces, mass=mass, inertia_body=inertia_body, game_mode=True, **setup
    )
    velocity, rates = body.velocity, body.angular_velocity_body
    world.step()
    return mass * (body.velocity - velocity), body.inertia_body @ (body.angular_velocity_body - rates)


TICKS_A_SECOND = {1: (400, 800), 2: (80, 160), 4: (40, 80)}
"""Two rates, a factor of two apart, at which a method of each order is in its asymptotic range and far from rounding."""


def for_order(order, values):
    """The value of the highest order in `values` that is not above this one: a better method is held to no less."""
    return values[max(known for known in values if known <= order)]


EXACT = 3e-12
"""A summed error below this is rounding: the method solves that problem exactly."""


def measured_orders(integrator, times, truth, quantities, **setup):
    """The power of dt with which each error falls, errors summed over the times.

    Args:
        truth: A `Flight` (or a `truth.reference.Motion`) at `times`.
        quantities: Field names; "orientation" is measured as an angle.

    Returns:
        One number a quantity; infinity where the error is rounding.
    """
    coarse, fine = (
        errors(fly(integrator, 1.0 / rate, times, **setup), truth, quantities)
        for rate in for_order(integrator.order, TICKS_A_SECOND)
    )
    return {name: math.inf if fine[name] < EXACT else math.log2(coarse[name] / fine[name]) for name in quantities}


def errors(found, truth, quantities=("position", "orientation", "velocity", "angular_velocity_body")):
    """Errors of a flight, each summed over its times: angles [rad], lengths [m], speeds."""
    result = {}
    for name in quantities:
        a, b = getattr(found, name), getattr(truth, name)
        result[name] = float((rotations.angle(a, b) if name == "orientation" else np.linalg.norm(a - b, axis=1)).sum())
    return result


def angular_momentum(body):
    """L = R (I ω + h), world frame, from the body's own numbers and SciPy's rotation."""
    return rotations.to_world(
        body.orientation, body.inertia_body @ body.angular_velocity_body + body.stored_momentum_body
    )


def rotational_energy(inertia_body, angular_velocity_body):
    """ω · I ω/2 of each row."""
    return 0.5 * np.einsum("...i,ij,...j->...", angular_velocity_body, inertia_body, angular_velocity_body)
