"""Motors that follow a moving target: closed forms, inverse dynamics of an arm, bounds and round trips."""

import numpy as np
import pytest

from engine import MassProperties, World, forces
from engine.joints import Hinge, Motor, Slider

from ..lengths import sized


def flywheel(dt=1 / 60):
    """A wheel of 2 kg m² on a hinge of the world."""
    world = World(dt)
    wheel = world.add_body(MassProperties(3.0, (2.0, 2.5, 3.0)))
    return world, world.add_joint(Hinge(wheel, at_body=(0, 0, 0), axis_body=(1, 0, 0)))


def test_a_held_angle_moves_with_the_rate_of_its_target():
    """From rest, θ'' = k (q − θ) + c (q' − θ') + τ with constant numbers: the closed form of a damped oscillator."""
    world, hinge = flywheel(1 / 480)
    stiffness, damping, target, rate, torque = 8.0, 3.0, 0.4, 0.7, 1.1
    hinge.motor = Motor(rate, target, stiffness=stiffness, damping=damping, torque=torque, max_torque=1e9)
    rest = target + (damping * rate + torque) / stiffness
    decay, turning = damping / 4.0, np.sqrt(stiffness / 2.0 - (damping / 4.0) ** 2)
    for _sample in range(10):
        world.step(48)
        phase = turning * world.time
        wanted = rest - rest * np.exp(-decay * world.time) * (np.cos(phase) + decay / turning * np.sin(phase))
        assert hinge.angle == pytest.approx(wanted, abs=2e-6)


@pytest.mark.parametrize("stiffness", [0.0, 1e-9, 1e-3, 1.0])
def test_the_torque_alone_turns_a_wheel(stiffness):
    """A weak spring does not keep the torque from being found: θ = τ t²/2 I."""
    world, hinge = flywheel()
    hinge.motor = Motor(target_angle=0.0, stiffness=stiffness, torque=100.0, max_torque=1e9)
    world.step(60)
    assert hinge.rate == pytest.approx(100.0 / 2.0, rel=0.2 * stiffness + 1e-9)
    assert hinge.torque_world[0] == pytest.approx(100.0 - stiffness * hinge.angle, rel=2e-2 * stiffness + 1e-9)


def test_the_whole_torque_is_bounded():
    world, hinge = flywheel()
    hinge.motor = Motor(target_angle=1.0, target_rate=30.0, stiffness=50.0, damping=10.0, torque=40.0, max_torque=5.0)
    world.step(10)
    assert hinge.torque_world[0] == pytest.approx(5.0, rel=1e-9)
    assert hinge.rate == pytest.approx(5.0 / 2.0 * world.time, rel=1e-9)


def test_a_motor_reads_as_it_acts():
    world, hinge = flywheel()
    hinge.motor = Motor(target_angle=1.0, target_rate=0.5, stiffness=2.0, damping=3.0, torque=-4.0, max_torque=5.0)
    assert hinge.motor == Motor(0.5, 1.0, stiffness=2.0, damping=3.0, torque=-4.0, max_torque=5.0)
    twin = world.fork()
    assert twin.joints[0].motor == hinge.motor and twin.state_hash() == world.state_hash()
    before = world.state_hash()
    snapshot = world.snapshot()
    hinge.motor = Motor(target_angle=1.0, stiffness=2.0, damping=3.0, max_torque=5.0)
    assert hinge.motor == Motor(target_angle=1.0, stiffness=2.0, damping=3.0, max_torque=5.0)
    assert world.state_hash() != before
    world.restore(snapshot)
    assert world.state_hash() == before and hinge.motor.torque == -4.0
    hinge.motor = Motor(target_rate=1.0, max_torque=1.0)
    assert hinge.motor == Motor(target_rate=1.0, max_torque=1.0)


def test_a_slider_follows_in_metres():
    world = World(1 / 60)
    cart = world.add_body(MassProperties.box(4.0, (1.0, 1.0, 1.0)))
    slider = world.add_joint(Slider(cart, at_body=(0, 0, 0), axis_body=(0, 0, 1)))
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    slider.motor = Motor(target_angle=0.0, frequency=1.0, damping_ratio=1.0, torque=4.0 * 9.81, max_torque=1e3)
    world.step(300)
    assert slider.distance == pytest.approx(0.0, abs=1e-9)


AXES = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0)]


def arm(dt=1 / 60):
    """An arm of seven hinges in gravity, whose links become lighter towards the tip."""
    world = World(dt)
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    hinges, previous = [], None
    for number, axis in enumerate(AXES):
        mass = 4.0 * 0.8**number
        link = world.add_body(MassProperties.box(mass, (0.3, 0.1, 0.1)), position=(0.15 + 0.3 * number, 0, 0))
        hinges.append(world.add_joint(Hinge(link, previous, at_body=(-0.15, 0, 0), axis_body=axis)))
        previous = link
    return world, hinges


def test_torques_on_an_arm_act_like_those_beside_a_negligible_spring():
    """Ticks are not divided because the impulse of a torque is rounded."""
    angles = []
    for stiffness in (0.0, 1e-9):
        world, hinges = arm()
        for number, hinge in enumerate(hinges):
            hinge.motor = Motor(target_angle=0.0, stiffness=stiffness, torque=0.37 * (number + 1), max_torque=1e9)
        world.step(40)
        angles.append([hinge.angle for hinge in hinges])
    assert angles[0] == pytest.approx(angles[1], rel=1e-6, abs=1e-6)


def errors(world, hinges, assign, seconds):
    """Root mean square of the errors of all angles, after the first second."""
    found = []
    while world.time < seconds:
        for number, hinge in enumerate(hinges):
            assign(number, hinge, world.time, world.dt)
        world.step()
        if world.time > 1.0:
            found.append([hinge.angle - wanted(number, world.time)[0] for number, hinge in enumerate(hinges)])
    return float(np.sqrt(np.mean(np.square(found))))


def wanted(number, time):
    """Angle and rate of a joint: 0.8 rad at 0.25 Hz, starting from rest."""
    turn = np.pi / 2.0
    return 0.4 * (1.0 - np.cos(turn * time)), 0.4 * turn * np.sin(turn * time)


def test_an_arm_in_gravity_follows_a_moving_target():
    """Without the rate of the target, the damping resists the wanted motion; with it, gravity and inertia are left."""

    def held(number, hinge, time, dt):
        angle, _rate = wanted(number, time + 0.5 * dt)
        hinge.motor = Motor(target_angle=angle, frequency=2.0, damping_ratio=1.0, max_torque=1e6)

    def followed(number, hinge, time, dt):
        angle, rate = wanted(number, time + 0.5 * dt)
        hinge.motor = Motor(target_angle=angle, target_rate=rate, frequency=2.0, damping_ratio=1.0, max_torque=1e6)

    def compensated(number, hinge, time, dt):
        angle, rate = wanted(number, time + 0.5 * dt)
        pivot, weight = hinge.body.to_world(hinge.at_body), np.array((0.0, 0.0, -9.81))
        beyond = hinge.body.world.bodies[number:]
        load = sum(np.cross(link.position - pivot, link.mass * weight) for link in beyond)
        motor = {"frequency": 2.0, "damping_ratio": 1.0, "torque": -float(hinge.axis_world @ load), "max_torque": 1e6}
        hinge.motor = Motor(target_angle=angle, target_rate=rate, **motor)

    resisted, moved, lifted = (errors(*arm(), each, sized(2.0, 4.0)) for each in (held, followed, compensated))
    assert moved < 0.8 * resisted  # 0.099, 0.074 and 0.034 rad
    assert lifted < 0.4 * resisted


def test_a_rate_motor_follows_the_difference_quotient_of_the_target_exactly():
    def by_rate(number, hinge, time, dt):
        rate = (wanted(number, time + dt)[0] - hinge.angle) / dt
        hinge.motor = Motor(target_rate=rate, max_torque=1e6)

    assert errors(*arm(), by_rate, seconds=2.0) < 5e-12
