"""A world built anew from what can be read off another one."""

from typing import Any

import numpy as np

from engine import World, flight, forces

from .interpreter import Pull

_NAMES = {
    forces.UniformGravity: ("acceleration_world",),
    forces.LinearDrag: ("coefficient",),
    forces.AngularDamping: ("coefficient",),
    forces.QuadraticDrag: ("coefficient",),
    forces.PointGravity: ("gm", "center", "j2", "reference_radius", "axis"),
    forces.GravityGradient: ("gm", "center"),
    forces.Lorentz: ("charge", "electric_field", "magnetic_field"),
    forces.Spring: ("at_body", "at_other", "stiffness", "damping", "rest_length"),
    forces.Thruster: ("position", "direction", "max_force", "specific_impulse"),
    forces.ThrusterBank: ("positions", "directions", "max_forces"),
    forces.ConstantForce: ("force_world", "force_body", "at_body"),
    forces.ConstantTorque: ("torque_world", "torque_body"),
    flight.ReactionWheel: ("axis", "inertia", "max_torque", "max_speed", "speed", "viscous_friction"),
}
"""Arguments that are attributes of the same name."""


def is_readable(world: World) -> bool:
    """Whether everything that decides the next tick can be read off: no pulse, no jam, no memory of impulses or samples."""
    for force in world.forces:
        if isinstance(force, forces.Thruster | forces.ThrusterBank):
            stuck = np.atleast_1d(np.array(force.stuck, float))  # None is nan
            if np.any(force.pulse_left) or not np.isnan(stuck).all():
                return False
    sampled = any(not isinstance(part, flight.Tank | flight.ReactionWheel) for part in world.parts)
    return not (world.joints or world.shapes or sampled)


def built_afresh(world: World) -> World:
    """Build the world anew, without pushes, callbacks and the number of ticks."""
    fresh = World(world.dt, integrator=world.integrator, game_mode=world.game_mode)
    bodies = {}
    if world.bodies:
        state = world.state
        made = fresh.add_bodies(
            [body.dry_mass_properties for body in world.bodies],
            state.position,
            orientation=state.orientation,
            velocity=state.velocity,
            angular_velocity_body=state.angular_velocity_body,
            names=[body.name for body in world.bodies],
        )
        bodies = {id(old): new for old, new in zip(world.bodies, made, strict=True)}
    parts: dict[int, Any] = {}
    for part in world.parts:
        parts[id(part)] = fresh.add_part(_part(part, bodies))
        parts[id(part)].enabled = part.enabled
        if isinstance(part, flight.ReactionWheel):
            parts[id(part)].torque = part.torque
    driven = {id(part.body) for part in world.parts if isinstance(part, flight.ReactionWheel)}
    for old in world.bodies:
        if id(old) not in driven and old.stored_momentum_body.any():
            bodies[id(old)].stored_momentum_body = old.stored_momentum_body
    for old in world.bodies:
        # a tank moves the mass centre when it is added, and the position with it
        new = bodies[id(old)]
        new.position, new.velocity = old.position, old.velocity
    for part in world.parts:
        if isinstance(part, flight.ReactionWheel):
            parts[id(part)].speed = part.speed
    for force in world.forces:
        made_force = fresh.add_force(_force(force, bodies, parts))
        for name in ("enabled", "throttle"):
            if hasattr(force, name):
                setattr(made_force, name, getattr(force, name))
    return fresh


def _part(part: Any, bodies: dict[int, Any]) -> Any:
    body = bodies[id(part.body)]
    if isinstance(part, flight.Tank):
        return flight.Tank.ball(
            body, position=part.position, radius=0.2, propellant=part.propellant, capacity=part.capacity
        )
    return type(part)(body, **{name: getattr(part, name) for name in _NAMES[type(part)]})


def _force(force: Any, bodies: dict[int, Any], parts: dict[int, Any]) -> Any:
    kind = type(force)
    if kind is Pull:
        return Pull(force.strength)
    given = {name: getattr(force, name) for name in _NAMES[kind]}
    if kind is forces.PointGravity and given["j2"] == 0.0:
        del given["j2"], given["reference_radius"], given["axis"]
    if kind is forces.ConstantForce:
        given = {name: value for name, value in given.items() if value is not None}
    if kind is forces.ConstantTorque:
        given = {name: value for name, value in given.items() if value is not None}
    if kind is forces.Thruster and force.tank is not None:
        given["tank"] = parts[id(force.tank)]
    if kind is forces.Spring:
        other = None if force.other is None else bodies[id(force.other)]
        return kind(bodies[id(force.body)], other, **given)
    if hasattr(force, "body"):
        return kind(bodies[id(force.body)], **given)
    named = force._named_bodies()
    if named and named[0] is not None:
        given["bodies"] = [bodies[id(body)] for body in named]
    return kind(**given)


def next_tick(world: World) -> Any:
    """The bits of all bodies after one more tick, or how it failed."""
    try:
        world.step()
    except ArithmeticError:
        return "not finite"
    except ValueError as error:
        return type(error).__name__
    state = world.state
    names = ("position", "orientation", "velocity", "angular_velocity_body", "stored_momentum_body")
    return {name: getattr(state, name).tobytes() for name in names}


def differs(world: World) -> str:
    """Run a tick, and say how it differs from that of a world built afresh; empty if it does not, or if not everything can be read off."""
    if not is_readable(world):
        return ""
    fresh = built_afresh(world)
    if world.bodies:
        # orientations are normalized when they are set, here as there
        world.state.orientation = world.state.orientation
    for part in world.parts:
        # a wheel keeps its momentum, which is computed from the speed that is set
        if isinstance(part, flight.ReactionWheel):
            part.speed = part.speed
    mine, other = next_tick(world), next_tick(fresh)
    if mine == other:
        return ""
    if isinstance(mine, str) or isinstance(other, str):
        return f"{mine if isinstance(mine, str) else 'finite'} here and {other if isinstance(other, str) else 'finite'} afresh"
    return ", ".join(name for name in mine if mine[name] != other[name])
