"""The types of joints one by one: their freedoms, coordinates, limits, motors and springs against closed forms and references."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from engine import MassProperties, Snapshot, World, forces
from engine.constraints import layout
from engine.joints import Ball, Distance, Hinge, JointSpring, Motor, Planar, Slider, Universal, Weld

from ..benchmarks.joint_scenes import AXIS, PAIR_POINT, gap, momenta, pair, skew_properties
from ..plain_python import in_plain_python

NONE = float("inf")


def attitude_error(a, b):
    """Angle between two orientations [rad]."""
    return float((Rotation.from_quat(a) * Rotation.from_quat(b).inv()).magnitude())


def linked(make, dt=1 / 60, **options):
    """The two bodies of `joint_scenes.pair`, with another joint."""
    world, a, b, joint = pair("ball", dt=dt, **options)
    world.remove_joint(joint)
    return world, a, b, world.add_joint(make(a, b))


def universal(a, b, **options):
    axis_world = a.direction_to_world(AXIS)
    across = np.cross(axis_world, (0.3, 0.9, 0.2))
    axis_other = b.direction_to_body(across / np.linalg.norm(across))
    return Universal(a, b, at_body=PAIR_POINT, axis_body=AXIS, axis_other=axis_other, **options)


def planar(a, b, **options):
    joint = Planar(a, b.direction_to_body(AXIS), b, at_body=PAIR_POINT)
    for name, value in options.items():
        setattr(joint, name, value)
    return joint


def spring(frequency=0.4, rest=0.2):
    return JointSpring(frequency=frequency, damping_ratio=0.0, rest=rest)


SPRUNG = {
    "universal": lambda a, b: universal(a, b, spring_1=spring(), spring_2=spring(0.7, -0.3)),
    "planar": lambda a, b: planar(a, b, spring_1=spring(), spring_2=spring(0.3, -0.1), spring_3=spring(0.6, 0.4)),
    "ball": lambda a, b: Ball(a, b, at_body=PAIR_POINT, spring=spring(0.5, 0.0)),
    "weld": lambda a, b: Weld(
        a,
        b,
        at_body=PAIR_POINT,
        at_other=np.add(b.to_body(a.to_world(PAIR_POINT)), (0.3, -0.2, 0.1)),
        relative_orientation=Rotation.from_rotvec((0.9, -0.8, 0.5)).as_quat(),
        pull_together=(0.3, 0.0),
    ),
}
every_spring = pytest.mark.parametrize("kind", SPRUNG)

# freedoms


FREEDOMS = {
    "planar": (3, planar),
    "rope": (6, lambda a, b: Distance(a, b, at_body=PAIR_POINT, at_other=(0.5, 0.4, -0.6), max_length=50.0)),
    "telescope": (6, lambda a, b: Distance(a, b, at_body=PAIR_POINT, at_other=(3, 0.4, -0.6), min_length=0.1)),
    "limited ball": (3, lambda a, b: Ball(a, b, at_body=PAIR_POINT, axis_body=AXIS, swing_limit=1.0)),
    "ball without twist": (2, lambda a, b: Ball(a, b, at_body=PAIR_POINT, axis_body=AXIS, twist_limits=(0.0, 0.0))),
    "locked universal": (1, lambda a, b: universal(a, b, limits_2=(0.0, 0.0))),
    "soft weld": (6, SPRUNG["weld"]),
}


@pytest.mark.parametrize("kind", FREEDOMS)
def test_a_joint_leaves_as_many_freedoms_as_it_says(kind):
    freedoms, make = FREEDOMS[kind]
    motions = []
    for number in range(8):
        world, a, b, joint = linked(make, dt=1e-5)
        rng = np.random.default_rng(number)
        a.velocity, a.angular_velocity_body = rng.normal(size=3), rng.normal(size=3)
        b.velocity, b.angular_velocity_body = rng.normal(size=3), rng.normal(size=3)
        world.step()
        at = a.to_world(joint.at_body)
        relative = a.velocity - b.velocity
        relative += np.cross(a.angular_velocity_world, at - a.position)
        relative -= np.cross(b.angular_velocity_world, at - b.position)
        motions.append(np.concatenate([relative, a.angular_velocity_world - b.angular_velocity_world]))
    values = np.linalg.svd(np.array(motions), compute_uv=False)
    assert int((values > 1e-3).sum()) == freedoms


# what all types keep


@every_spring
def test_springs_keep_the_momenta_and_the_energy(kind):
    world, _a, _b, joint = linked(SPRUNG[kind])
    world.step()
    energies, before = [], momenta(world)
    for _ in range(120):
        world.step()
        after = momenta(world)
        assert np.linalg.norm(after[0] - before[0]) <= 1e-14 * before[2]
        assert np.linalg.norm(after[1] - before[1]) <= 1e-14 * before[3]
        before = after
        energies.append(world.kinetic_energy() + world.potential_energy())
    assert world.potential_energy() > 0.0
    assert np.ptp(energies) <= 2e-3 * energies[0]
    assert np.mean(energies[-60:]) == pytest.approx(np.mean(energies[:60]), rel=5e-4)
    joint.enabled = False
    assert world.potential_energy() == 0.0


@every_spring
def test_springs_are_of_order_2(kind):
    end = {}
    for ticks in (24, 48, 240):
        world, a, b, _joint = linked(SPRUNG[kind], dt=0.8 / ticks)
        world.step(ticks)
        end[ticks] = np.concatenate([a.position, b.position, a.velocity, b.velocity, a.angular_velocity_body])
    errors = [np.linalg.norm(end[ticks] - end[240]) for ticks in (24, 48)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


@every_spring
def test_a_pair_on_springs_goes_back_where_it_came_from(kind):
    world, a, b, _joint = linked(SPRUNG[kind])
    world.step(5)
    start = world.state.position.copy()
    world.step(40)
    for body in (a, b):
        body.velocity, body.angular_velocity_body = -body.velocity, -body.angular_velocity_body
    world.step(40)
    assert np.abs(world.state.position - start).max() <= 1e-9


@every_spring
def test_the_motion_does_not_depend_on_the_axes_of_the_world(kind):
    turn = Rotation.from_rotvec((0.7, -1.9, 1.1))
    ends = []
    for rotation in (Rotation.identity(), turn):
        world, a, b, joint = linked(SPRUNG[kind], origin=(0.0, 0.0, 0.0))
        joint.enabled = False
        for body in (a, b):
            body.position = rotation.apply(np.array(body.position))
            body.orientation = (rotation * Rotation.from_quat(body.orientation)).as_quat()
            body.velocity = rotation.apply(np.array(body.velocity))
        joint.enabled = True
        world.step(60)
        ends.append(rotation.inv().apply(np.array([a.position, b.position, a.velocity, a.angular_velocity_world])))
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


# universal joints


def gimbal(moments=(1.0, 2.0, 3.0), rates=(0.4, 0.0, 0.0), dt=1 / 60, **options):
    """A body held at its mass centre, free to turn about its own x axis and about the world's y axis."""
    world = World(dt)
    body = world.add_body(MassProperties(1.0, np.array(moments)), angular_velocity_body=rates)
    joint = Universal(body, at_body=(0, 0, 0), axis_body=(1, 0, 0), axis_other=(0, 1, 0), **options)
    return world, body, world.add_joint(joint)


def test_the_angles_of_a_universal_joint_are_those_of_two_rotations_in_turn():
    world, a, b, joint = linked(lambda a, b: universal(a, b))
    start, own = Rotation.from_quat(a.orientation), Rotation.from_quat(b.orientation)
    across = own.inv().apply(np.cross(start.apply(AXIS), (0.3, 0.9, 0.2)))
    across /= np.linalg.norm(across)
    before = own.inv() * start
    assert (joint.angle_1, joint.angle_2) == pytest.approx((0.0, 0.0), abs=1e-15)
    rates = []
    for tick in range(90):
        world.step()
        angles = joint.angle_1, joint.angle_2
        turn = Rotation.from_rotvec(angles[1] * across) * before * Rotation.from_rotvec(angles[0] * AXIS)
        now = Rotation.from_quat(b.orientation).inv() * Rotation.from_quat(a.orientation)
        assert (turn * now.inv()).magnitude() <= 1e-10
        if tick > 60:
            rates.append((*angles, joint.rate_1, joint.rate_2))
    angles, rates = np.array(rates)[:, :2], np.array(rates)[:, 2:]
    assert np.abs(angles).max() > 0.5
    assert rates[1:-1] == pytest.approx((angles[2:] - angles[:-2]) * 30.0, abs=2e-3)


def test_a_gimbal_moves_as_its_reduced_equation_says():
    moments = np.array((1.0, 2.0, 2.6))
    world, body, joint = gimbal(moments, (0.4, 0.9, 0.0), dt=1 / 240)
    momentum = moments[1] * 0.9  # about the fixed axis, where the joint exerts no torque

    def slope(_time, state):
        angle, rate, _other = state
        inertia = moments[1] * np.cos(angle) ** 2 + moments[2] * np.sin(angle) ** 2
        gradient = (moments[2] - moments[1]) * np.sin(2.0 * angle)
        return rate, 0.5 * momentum**2 / inertia**2 * gradient / moments[0], momentum / inertia

    world.step(480)
    reference = solve_ivp(slope, (0.0, 2.0), (0.0, 0.4, 0.0), rtol=1e-11, atol=1e-12).y[:, -1]
    assert (joint.angle_1, joint.rate_1, joint.angle_2) == pytest.approx(reference, abs=3e-5)
    assert body.angular_momentum_world[1] == pytest.approx(momentum, abs=1e-12)


@pytest.mark.parametrize(("number", "moment"), [(1, 1.0), (2, 2.0)])
def test_a_motor_runs_up_either_angle_of_a_universal_joint(number, moment):
    world, _body, joint = gimbal(rates=(0.0, 0.0, 0.0), **{f"motor_{number}": Motor(target_rate=2.0, max_torque=0.5)})
    assert joint.inertia(number) == pytest.approx(moment, rel=1e-12)
    world.step(60)
    found = {1: (joint.angle_1, joint.rate_1, joint.rate_2), 2: (joint.angle_2, joint.rate_2, joint.rate_1)}[number]
    assert found == pytest.approx((0.25 / moment, 0.5 / moment, 0.0), rel=1e-9, abs=1e-12)
    setattr(joint, f"motor_{number}", Motor(target_rate=2.0, max_torque=1e3))
    world.step(300)
    angle = joint.angle_1 if number == 1 else joint.angle_2
    assert angle == pytest.approx(0.25 / moment + 10.0, abs=0.05)  # more than one turn


@pytest.mark.parametrize("number", [1, 2])
def test_friction_of_a_universal_joint_slows_its_own_angle_and_then_holds_it(number):
    start = np.array((0.5, 0.0, 0.0) if number == 1 else (0.0, 0.5, 0.0))
    world, _body, joint = gimbal(rates=start, **{f"friction_{number}": 0.3})
    world.step(30)
    moment, rate = (1.0, joint.rate_1) if number == 1 else (2.0, joint.rate_2)
    assert rate == pytest.approx(0.5 - 0.3 / moment * 0.5, rel=1e-9)
    world.step(200)
    assert (joint.rate_1, joint.rate_2) == pytest.approx((0.0, 0.0), abs=1e-11)


def test_each_limit_of_a_universal_joint_stops_its_angle_and_tells_once():
    world, _body, joint = gimbal(rates=(0.8, 0.6, 0.0), limits_1=(-1.0, 0.3), limits_2=(-1.0, 0.5))
    told = []
    world.on_joint(lambda world, joint: told.append(world.tick_count), "limit")
    world.step(40)
    assert joint.angle_1 == pytest.approx(0.3, abs=1e-10)
    assert joint.angle_2 < 0.45
    assert len(told) == 1
    world.step(60)
    assert (joint.angle_1, joint.angle_2) == pytest.approx((0.3, 0.5), abs=1e-9)
    assert (joint.rate_1, joint.rate_2) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert len(told) == 2
    with pytest.raises(ValueError, match=r"limits_2 must be a range that contains the current value, 0\.5"):
        joint.limits_2 = (-1.0, 0.4)


@pytest.mark.parametrize(("number", "moment"), [(1, 1.0), (2, 2.0)])
def test_a_spring_of_a_universal_joint_swings_at_its_frequency(number, moment):
    options = {f"spring_{number}": JointSpring(frequency=0.5, damping_ratio=0.0, rest=0.1)}
    world, _body, joint = gimbal(rates=(0.0, 0.0, 0.0), dt=1 / 240, **options)
    assert getattr(joint, f"spring_{number}").stiffness == pytest.approx(moment * np.pi**2, rel=1e-12)
    for _ in range(3):
        world.step(160)  # a third of a period
        angle = joint.angle_1 if number == 1 else joint.angle_2
        assert angle == pytest.approx(0.1 - 0.1 * np.cos(np.pi * world.time), abs=2e-5)
    assert world.potential_energy() == pytest.approx(0.5 * moment * np.pi**2 * (angle - 0.1) ** 2, rel=1e-12)


# planar joints


def test_the_coordinates_of_a_planar_joint_are_those_of_the_plane():
    world = World(1 / 120)
    turn = Rotation.from_rotvec((0.4, -0.3, 0.8))
    normal, first = turn.apply((0, 0, 1)), turn.apply((1, 0, 0))
    body = world.add_body(MassProperties.sphere(2.0, 0.5), position=(3.0, 1.0, -2.0))
    joint = world.add_joint(Planar(body, normal, at_body=(0, 0, 0), axis_1=first))
    body.velocity = turn.apply((0.3, -0.2, 0.0))
    body.angular_velocity_world = 4.0 * normal
    world.step(240)
    found = joint.distance_1, joint.distance_2, joint.angle, joint.speed_1, joint.speed_2, joint.rate
    assert found == pytest.approx((0.6, -0.4, 8.0, 0.3, -0.2, 4.0), abs=1e-10)
    joint.enabled = False
    level = Planar(body, (0, 0, 1))
    body.position = np.add(body.position, (1.0, 2.0, 0.0))
    assert (level.distance_1, level.distance_2) == pytest.approx((1.0, 2.0), abs=1e-12)


def test_the_freedoms_of_a_planar_joint_have_motors_limits_friction_and_springs_of_their_own():
    world = World(1 / 120)
    body = world.add_body(MassProperties(2.0, np.array((1.0, 1.0, 0.5))), velocity=(1.0, 0.5, 0.0))
    joint = world.add_joint(Planar(body, (0, 0, 1)))
    joint.limits_1 = (-1.0, 0.25)
    joint.friction_2 = 0.4
    joint.motor_3 = Motor(target_rate=3.0, max_torque=0.2)
    assert [joint.inertia(number) for number in (1, 2, 3)] == pytest.approx([2.0, 2.0, 0.5], rel=1e-12)
    world.step(60)
    assert (joint.distance_1, joint.speed_1) == pytest.approx((0.25, 0.0), abs=1e-10)
    assert joint.speed_2 == pytest.approx(0.5 - 0.2 * 0.5, rel=1e-9)
    assert (joint.rate, joint.angle) == pytest.approx((0.2, 0.05), rel=1e-9)
    joint.motor_3 = joint.limits_1 = None
    joint.friction_2 = 0.0
    joint.spring_2 = JointSpring(stiffness=2.0 * 4.0, rest=joint.distance_2 + 0.3)
    world.step(round(120 * np.pi / 4.0))  # a quarter of a period
    speed = np.hypot(0.3 * 2.0, 0.4)
    assert joint.speed_2 == pytest.approx(speed * np.sin(2.0 * np.pi / 4.0 + np.arctan2(0.4, 0.6)), abs=2e-3)
    assert (joint.speed_1, joint.rate) == pytest.approx((0.0, 0.2), abs=1e-9)


# ball joints


def swing_and_twist(turn, axis):
    """Angles of a rotation that is a twist about an axis followed by a swing, by projection of the rotation (scipy)."""
    parallel = axis @ turn.as_quat()[:3]
    about = Rotation.from_quat((*(parallel * axis), turn.as_quat()[3]))
    return (turn * about.inv()).magnitude(), float(np.dot(about.as_rotvec(), axis))


def test_swing_and_twist_are_the_parts_of_the_relative_rotation():
    make = lambda a, b: Ball(a, b, at_body=PAIR_POINT, axis_body=AXIS, swing_limit=3.0)  # noqa: E731
    world, a, b, joint = linked(make)
    before = Rotation.from_quat(b.orientation).inv() * Rotation.from_quat(a.orientation)
    for _ in range(60):
        world.step()
        now = Rotation.from_quat(b.orientation).inv() * Rotation.from_quat(a.orientation)
        assert (joint.swing, joint.twist) == pytest.approx(swing_and_twist(before.inv() * now, AXIS), abs=1e-12)
    assert joint.swing > 0.3
    assert abs(joint.twist) > 0.2


def bob(dt=1 / 120, rates=(0.0, 0.0, 0.0), moments=(0.02, 0.02, 0.01), **options):
    """A bob 1 m below a ball joint, whose axis points down, without gravity."""
    world = World(dt)
    body = world.add_body(MassProperties(1.0, np.array(moments)), position=(0.0, 0.0, -1.0))
    body.angular_velocity_body = rates
    body.velocity = np.cross(rates, (0.0, 0.0, -1.0))
    return world, body, world.add_joint(Ball(body, at_body=(0, 0, 1), axis_body=(0, 0, -1), **options))


def test_a_pendulum_stops_at_its_cone_without_rebound_and_falls_back():
    world, body, joint = bob(rates=(0.0, 0.0, 0.0), swing_limit=0.4)
    told = []
    world.on_joint(lambda world, joint: told.append(joint), "limit")
    body.velocity, body.angular_velocity_body = (0.6, 0.8, 0.0), (0.8, -0.6, 0.0)  # 1 rad/s in a skew direction
    world.step(36)
    assert joint.swing == pytest.approx(0.3, abs=1e-5)
    assert told == []
    world.step(24)
    assert joint.swing == pytest.approx(0.4, abs=1e-9)
    assert body.position == pytest.approx(np.array((0.6 * np.sin(0.4), 0.8 * np.sin(0.4), -np.cos(0.4))), abs=1e-9)
    assert world.kinetic_energy() <= 1e-18
    assert told == [joint]
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    world.step(30)
    assert joint.swing < 0.3


def test_a_bob_circles_along_its_cone_and_keeps_its_energy_and_momentum():
    world, body, joint = bob(swing_limit=0.5, dt=1 / 240)
    body.velocity, body.angular_velocity_body = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)
    world.step(300)
    assert world.kinetic_energy() <= 1e-18
    # then across the cone: only the rates change direction, by the force of the cone
    axis = np.array((0.0, 1.0, 0.0))
    along = np.cross(axis, body.position)
    body.velocity = axis * np.linalg.norm(along)
    body.angular_velocity_world = np.cross(body.position, body.velocity)
    world.step()
    energy, momentum = world.kinetic_energy(), world.angular_momentum()[2]
    swings, energies, momenta_about = [], [], []
    for _ in range(480):
        world.step()
        swings.append(joint.swing)
        energies.append(world.kinetic_energy())
        momenta_about.append(world.angular_momentum()[2])
    assert np.array(swings) == pytest.approx(np.full(480, 0.5), abs=1e-9)
    assert np.array(energies) == pytest.approx(np.full(480, energy), rel=1e-4)
    assert np.array(momenta_about) == pytest.approx(np.full(480, momentum), rel=1e-10)


def test_a_body_that_spins_while_its_axis_goes_round_a_cone_twists_at_the_sum_of_both_rates():
    """``R = Rz(Ω t) Ry(σ) Rz(p t) = [Rz(Ω t) Ry(σ) Rz(−Ω t)] Rz((Ω + p) t)``, a twist by ``(Ω + p) t`` and a swing by σ."""
    world, precession, spin, angle = World(1 / 60), 0.7, -1.9, 0.6
    body = world.add_body(skew_properties(2.0, (0.3, 0.5, 0.6)))
    joint = world.add_joint(Ball(body, at_body=(0.1, 0.0, 0.4), axis_body=(0, 0, 1)))
    joint.enabled = False
    body.orientation = Rotation.from_euler("yz", (angle, 0.4)).as_quat()
    axis = body.direction_to_world((0.0, 0.0, 1.0))
    body.angular_velocity_world = precession * np.array((0.0, 0.0, 1.0)) + spin * np.array(axis)
    assert joint.swing_rate == pytest.approx(0.0, abs=1e-15)
    assert joint.twist_rate == pytest.approx(precession + spin, rel=1e-14)


def test_the_rates_of_a_ball_joint_are_the_derivatives_of_given_angles():
    """Both bodies turn; swing, its direction and twist are given functions of time, and the angular velocities by central differences."""
    _world, a, b, joint = linked(lambda a, b: Ball(a, b, at_body=PAIR_POINT, axis_body=AXIS))
    start = Rotation.from_quat(b.orientation).inv() * Rotation.from_quat(a.orientation)
    across = np.cross(AXIS, (0.0, 0.0, 1.0)) / np.linalg.norm(np.cross(AXIS, (0.0, 0.0, 1.0)))
    second = np.cross(AXIS, across)

    def attitudes(time):
        other = Rotation.from_rotvec(time * np.array((0.3, -0.8, 0.5))) * Rotation.from_euler("xyz", (0.2, 0.9, -0.4))
        direction = np.cos(0.4 + 0.6 * time) * across + np.sin(0.4 + 0.6 * time) * second
        relative = Rotation.from_rotvec((0.8 - 0.35 * time) * direction) * Rotation.from_rotvec(
            (0.5 + 1.7 * time) * np.array(AXIS)
        )
        return other * start * relative, other

    step = 1e-4
    before, now, after = (attitudes(time) for time in (-step, 0.0, step))
    for body, was, at, will in zip((a, b), before, now, after, strict=True):
        joint.enabled = False
        body.orientation = at.as_quat()
        body.angular_velocity_world = (will * was.inv()).as_rotvec() / (2.0 * step)
    assert joint.swing == pytest.approx(0.8, abs=1e-12)
    assert joint.swing_rate == pytest.approx(-0.35, abs=1e-7)
    assert joint.twist_rate == pytest.approx(1.7, abs=1e-7)


def test_the_swing_of_parallel_axes_grows_and_that_of_opposite_axes_shrinks_at_the_rate_across_them():
    world = World(1 / 60)
    body = world.add_body(skew_properties(2.0, (0.3, 0.5, 0.6)), angular_velocity_body=(0.3, -0.4, 0.9))
    joint = world.add_joint(Ball(body, at_body=(0.1, 0.0, 0.4), axis_body=(0, 0, 1)))
    assert joint.swing_rate == pytest.approx(0.5, rel=1e-14)
    assert joint.twist_rate == pytest.approx(0.9, rel=1e-14)
    opposite = world.add_joint(Ball(body, at_body=(0.1, 0.0, 0.4), axis_body=(0, 0, 1), axis_other=(0, 0, -1)))
    assert opposite.swing_rate == pytest.approx(-0.5, rel=1e-14)
    plain = world.add_joint(Ball(body, at_body=(0.1, 0.0, 0.4)))
    for name in ("swing_rate", "twist_rate"):
        with pytest.raises(ValueError, match=f"axis_body must be given to Ball, because {name} needs it"):
            getattr(plain, name)


def test_a_twist_limit_stops_the_twist_and_leaves_the_swing():
    world, body, joint = bob(rates=(0.0, 0.0, -2.0), twist_limits=(-0.5, 0.6))
    assert joint.twist == 0.0
    world.step(30)
    assert joint.twist == pytest.approx(0.5, abs=1e-10)
    world.step(30)
    assert joint.twist == pytest.approx(0.6, abs=1e-10)
    assert world.kinetic_energy() <= 1e-18
    body.velocity, body.angular_velocity_world = (0.5, 0.0, 0.0), (0.0, -0.5, 0.0)
    world.step(60)
    assert joint.swing == pytest.approx(0.25, abs=1e-3)
    assert joint.twist == pytest.approx(0.6, abs=1e-6)


def test_a_ball_joint_without_twist_keeps_its_energy_and_the_momentum_of_its_symmetry():
    # twist limits that are equal hold; the torque must be along the bisector of both axes, so that a rotation of the swing's direction,
    # which is one about the fixed axis and the opposite one about the symmetry axis of the body, conserves its momentum
    world, body, joint = bob(rates=(0.9, -1.2, 0.0), moments=(0.9, 0.9, 1.6), twist_limits=(0.0, 0.0))
    world.step(60)
    body.velocity = np.add(body.velocity, np.cross((0.0, 0.8, 0.0), body.position))
    body.angular_velocity_world = np.add(body.angular_velocity_world, (0.0, 0.8, 0.0))
    world.step()
    start = None
    for _ in range(60):
        world.step()
        momentum = -world.angular_momentum()[2] + 1.6 * body.angular_velocity_body[2]
        kept = world.kinetic_energy(), momentum
        start = start or kept
        assert abs(joint.twist) <= 1e-10
        assert kept[0] == pytest.approx(start[0], rel=2e-4)
        assert kept[1] == pytest.approx(start[1], rel=1e-9)
    assert abs(start[1]) > 0.2
    assert joint.swing > 0.5


def held_sphere(dt=1 / 120, **options):
    """A sphere of inertia 0.4 kg·m² held at its centre."""
    world = World(dt)
    body = world.add_body(MassProperties(1.0, np.array((0.4, 0.4, 0.4))))
    return world, body, world.add_joint(Ball(body, at_body=(0, 0, 0), **options))


def test_the_spring_of_a_ball_joint_is_harmonic_at_any_angle():
    world, body, joint = held_sphere(dt=1 / 480, spring=JointSpring(frequency=0.5, damping_ratio=0.0))
    assert joint.spring.stiffness == pytest.approx(0.4 * np.pi**2, rel=1e-12)
    axis = np.array((2.0, -1.0, 2.0)) / 3.0
    joint.enabled = False
    body.orientation = Rotation.from_rotvec(2.5 * axis).as_quat()
    joint.enabled = True
    assert world.potential_energy() == pytest.approx(0.5 * 0.4 * np.pi**2 * 2.5**2, rel=1e-12)
    for _ in range(4):
        world.step(120)
        turn = Rotation.from_quat(body.orientation).as_rotvec()
        assert turn == pytest.approx(2.5 * np.cos(np.pi * world.time) * axis, abs=1e-4)


def test_a_damper_of_a_ball_joint_is_viscous_over_whole_turns():
    world, body, joint = held_sphere(spring=JointSpring(stiffness=0.0, damping=0.2))
    joint.enabled = False
    body.orientation = Rotation.from_rotvec((1.3, 0.9, 1.1)).as_quat()
    joint.enabled = True
    body.angular_velocity_world = start = np.array((3.0, -6.0, 2.0))
    for _ in range(4):
        world.step(60)
        assert body.angular_velocity_world == pytest.approx(start * np.exp(-0.5 * world.time), rel=1e-5)
    assert 7.0 * (1.0 - np.exp(-1.0)) / 0.5 > 2.0 * np.pi


def test_the_cone_of_a_ball_joint_may_lie_elsewhere():
    world = World(1 / 60)
    body = world.add_body(MassProperties.box(1.0, (0.2, 0.3, 1.0)))
    other = np.array((0.0, np.sin(0.3), np.cos(0.3)))
    joint = Ball(body, at_body=(0, 0, 0), axis_body=(0, 0, 1), axis_other=other, spring=JointSpring(stiffness=2.0))
    assert (joint.swing, joint.twist) == pytest.approx((0.3, 0.0), abs=1e-15)
    assert joint.potential_energy() == pytest.approx(0.5 * 2.0 * 0.3**2, rel=1e-12)
    with pytest.raises(ValueError, match=r"swing_limit must be at least the current swing, 0\.3"):
        joint.swing_limit = 0.2
    opposite = Ball(body, at_body=(0, 0, 0), axis_body=(0, 0, 1), axis_other=(0, 0, -1))
    assert opposite.swing == pytest.approx(np.pi, abs=1e-12)


# welds that pull together


def apart(ratio=1.0, frequency=0.5, dt=1 / 240, turn=(0.0, 0.0, 0.0), gap=(0.4, -0.2, 0.1)):
    """Two spheres whose mass centres a weld draws together."""
    world = World(dt)
    a = world.add_body(MassProperties(2.0, np.array((0.5, 0.5, 0.5))), position=(1.0, 2.0, 3.0))
    b = world.add_body(MassProperties(3.0, np.array((0.7, 0.7, 0.7))), position=np.add((1.0, 2.0, 3.0), gap))
    wanted = Rotation.from_rotvec(turn).as_quat()
    joint = Weld(
        a, b, at_body=(0, 0, 0), at_other=(0, 0, 0), relative_orientation=wanted, pull_together=(frequency, ratio)
    )
    return world, a, b, world.add_joint(joint)


@pytest.mark.parametrize(("gap", "turn"), [((0.4, -0.2, 0.1), (0.0, 0.0, 0.0)), ((0.0, 0.0, 0.0), (0.5, -0.9, 0.3))])
def test_a_weld_pulls_together_as_a_critically_damped_spring_and_becomes_rigid(gap, turn):
    world, a, b, weld = apart(turn=turn, gap=gap)
    told = []
    world.on_joint(lambda world, joint: told.append(joint), "locked")
    assert weld.state == "soft"
    assert world.assembly(a).bodies == (a,)
    wanted = Rotation.from_rotvec(turn)
    for _ in range(4):
        world.step(60)
        left = (1.0 + np.pi * world.time) * np.exp(-np.pi * world.time)
        assert b.position - a.position == pytest.approx(left * np.array(gap), abs=2e-5)
        relative = wanted.inv() * Rotation.from_quat(b.orientation).inv() * Rotation.from_quat(a.orientation)
        assert relative.as_rotvec() == pytest.approx(-left * np.array(turn), abs=5e-5)
    while weld.state == "soft":
        world.step()
        assert world.tick_count < 1000
    assert told == [weld]
    world.step()
    assert np.linalg.norm(a.position - b.position) <= 1e-11
    relative = Rotation.from_quat(b.orientation).inv() * Rotation.from_quat(a.orientation)
    assert (wanted.inv() * relative).magnitude() <= 1e-11
    assert world.assembly(a).bodies == (a, b)
    assert weld.closing_energy > 0.0


@pytest.mark.parametrize(
    ("frequency", "ratio"), [(1.0, 0.0), (5.0, 0.0), (5.0, 0.1), (10.0, 0.1), (20.0, 0.1), (20.0, 1.0), (60.0, 1.0)]
)
@pytest.mark.parametrize("rate", [0.0, 1.0, 5.0])
def test_a_weld_that_pulls_together_takes_energy_and_closes(frequency, ratio, rate):
    """Springs that become stiffer while they oscillate would add energy without bound."""
    world, random = World(1 / 60), np.random.default_rng(3)
    a, b = world.add_bodies(MassProperties.box(5.0, (1.0, 0.6, 0.3)), [(0, 0, 0), (2, 0, 0)])
    a.angular_velocity_body, b.velocity = rate * random.normal(size=3), random.normal(size=3)
    points = {"at_body": (0.5, 0.0, 0.0), "at_other": (-0.5, 0.3, 0.0)}
    weld = world.add_joint(Weld(a, b, **points, pull_together=(frequency, ratio)))
    start = world.kinetic_energy() + world.potential_energy()
    for _ in range(600):
        world.step()
        assert world.kinetic_energy() + world.potential_energy() <= 1.05 * start
        if weld.state == "hard":
            break
    assert weld.state == "hard"


def test_axes_can_be_read_in_the_axes_in_which_they_were_given():
    world = World(1 / 60)
    turn = Rotation.from_euler("xyz", (0.4, -0.9, 1.3))
    hull = world.add_body(MassProperties.sphere(1.0, 0.5), orientation=turn.as_quat())
    arm = world.add_body(MassProperties.sphere(1.0, 0.5), position=(1, 2, 3), orientation=(turn * turn).as_quat())
    axis, across = np.array((2.0, -1.0, 2.0)) / 3.0, np.array((2.0, 2.0, -1.0)) / 3.0
    for kind in (Hinge, Slider):
        joint = kind(hull, arm, at_body=(0.1, 0.2, 0.3), axis_body=axis)
        assert joint.axis_body == pytest.approx(axis, abs=1e-15)
        assert joint.axis_world == pytest.approx(turn.apply(axis), abs=1e-15)
    joint = Universal(hull, arm, at_body=(0.1, 0.2, 0.3), axis_body=axis, axis_other=turn.apply(across, inverse=True))
    assert joint.axis_body == pytest.approx(axis, abs=1e-15)
    assert joint.axis_other == pytest.approx(turn.apply(across, inverse=True), abs=1e-15)
    joint = Planar(hull, axis, arm, axis_1=across)
    assert joint.normal == pytest.approx(axis, abs=1e-15)
    assert joint.axis_1 == pytest.approx(across, abs=1e-15)


def test_a_tumbling_pair_that_a_weld_pulls_together_keeps_its_momenta_and_then_moves_as_one():
    world, a, b, weld = linked(
        lambda a, b: Weld(a, b, at_body=PAIR_POINT, at_other=(-0.2, 0.1, 0.4), pull_together=(0.8, 1.0))
    )
    before = momenta(world)
    while weld.state == "soft":
        energy = world.kinetic_energy() + world.potential_energy()
        world.step()
        most = 1e-9 if world.time < 2.5 else 1e-4  # the springs are stiffened after two periods
        assert world.kinetic_energy() + world.potential_energy() <= energy + most
        assert world.tick_count < 400
    lost = energy - world.kinetic_energy()
    assert lost == pytest.approx(weld.closing_energy, abs=1e-3)
    world.step(5)
    after = momenta(world)
    assert np.linalg.norm(after[0] - before[0]) <= world.tick_count * 1e-14 * before[2]
    assert np.linalg.norm(after[1] - before[1]) <= world.tick_count * 1e-14 * before[3]
    assert gap(weld) <= 1e-11
    assert a.angular_velocity_world == pytest.approx(b.angular_velocity_world, abs=1e-11)
    assert weld.state == "hard"


def test_a_soft_weld_moves_two_bodies_as_their_equations_say():
    make = lambda a, b: Weld(  # noqa: E731
        a, b, at_body=PAIR_POINT, at_other=(-0.2, 0.1, 0.4), relative_orientation=Rotation.from_rotvec((0.9, -0.8, 0.5)).as_quat(),
        pull_together=(0.4, 0.3),
    )  # fmt: skip
    end = {}
    for ticks in (30, 60):
        world, a, b, weld = linked(make, dt=0.5 / ticks, origin=(0.0, 0.0, 0.0))
        if ticks == 30:
            reference = soft_weld_reference(a, b, weld, 0.5)
        world.step(ticks)
        end[ticks] = np.concatenate([a.position, b.position, a.velocity, b.velocity])
    errors = [np.linalg.norm(end[ticks] - reference) for ticks in (30, 60)]
    assert errors[1] <= 1e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def soft_weld_reference(a, b, weld, time):
    """Positions and velocities of two bodies with a damped spring between them, which acts at the point on the first one (scipy)."""
    stiffness, damping = weld._numbers(layout.SPRING + 1, 2)
    turning, slowing = weld._numbers(layout.SPRING + layout.SPRING_SIZE + 1, 2)
    wanted = Rotation.from_quat(weld._value("frame_other"))
    points = weld.at_body - a.center_of_mass_body, weld.at_other - b.center_of_mass_body
    bodies = [(body.mass, np.array(body.inertia_body)) for body in (a, b)]
    start = [(*body.position, *body.orientation, *body.velocity, *body.angular_velocity_body) for body in (a, b)]

    def slope(_time, state):
        parts = state.reshape(2, 13)
        turns = [Rotation.from_quat(part[3:7]) for part in parts]
        rates = [turn.apply(part[10:]) for turn, part in zip(turns, parts, strict=True)]
        at = parts[0][:3] + turns[0].apply(points[0])
        between = at - parts[1][:3] - turns[1].apply(points[1])
        velocities = [part[7:10] + np.cross(rate, at - part[:3]) for part, rate in zip(parts, rates, strict=True)]
        force = -stiffness * between - damping * (velocities[0] - velocities[1])
        other = turns[1] * wanted
        torque = -turning * other.apply((other.inv() * turns[0]).as_rotvec()) - slowing * (rates[0] - rates[1])
        out = []
        for sign, part, turn, (mass, inertia) in zip((1, -1), parts, turns, bodies, strict=True):
            x, y, z, w = part[3:7]
            p, q, r = part[10:]
            quaternion = 0.5 * np.array(
                (w * p + y * r - z * q, w * q + z * p - x * r, w * r + x * q - y * p, -x * p - y * q - z * r)
            )
            total = turn.inv().apply(sign * (np.cross(at - part[:3], force) + torque))
            out += [
                part[7:10],
                quaternion,
                sign * force / mass,
                np.linalg.solve(inertia, total - np.cross(part[10:], inertia @ part[10:])),
            ]
        return np.concatenate(out)

    found = solve_ivp(slope, (0.0, time), np.concatenate(start), rtol=1e-10, atol=1e-12).y[:, -1].reshape(2, 13)
    return np.concatenate([found[0, :3], found[1, :3], found[0, 7:10], found[1, 7:10]])


# bad input

ORIGIN = (0.0, 0.0, 0.0)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
NAN = float("nan")
MOTOR = Motor(target_rate=1.0, max_torque=1.0)
BAD = [
    (lambda a, b: Ball(a, b, at_body=ORIGIN, swing_limit=0.5), "axis_body must be given to Ball, because swing_limit needs it"),
    (lambda a, b: Ball(a, b, at_body=ORIGIN, twist_limits=(0, 1)), "axis_body must be given to Ball, because twist_limits needs it"),
    (lambda a, b: Ball(a, b, at_body=ORIGIN).swing, "axis_body must be given to Ball, because swing needs it"),
    (lambda a, b: Ball(a, b, at_body=ORIGIN, axis_other=X), "axis_other must be left out if axis_body is not given"),
    (lambda a, b: Ball(a, b, at_body=ORIGIN, axis_body=(1, 1, 0)), "axis_body must be a vector of unit length"),
    (lambda a, b: Ball(a, b, at_body=ORIGIN, axis_body=X, axis_other=(0, 0, 2)), "axis_other must be a vector of unit length"),
    (lambda a, b: Ball(a, b, at_body=ORIGIN, axis_body=X, swing_limit=0.0), "swing_limit must be"),
    (lambda a, b: Ball(a, b, at_body=ORIGIN, axis_body=X, swing_limit=NAN), "swing_limit must be"),
    (lambda a, b: Ball(a, b, at_body=ORIGIN, axis_body=X, swing_limit=4.0), "swing_limit must be at most π rad; got 4.0"),
    (lambda a, b: Ball(a, b, at_body=ORIGIN, axis_body=X, twist_limits=(1, -1)), "twist_limits must be .* lower <= upper"),
    (lambda a, b: Ball(a, b, at_body=ORIGIN, axis_body=X, twist_limits=(0.5, 1.0)), "twist_limits must be a range that contains"),
    (lambda a, b: Ball(a, b, at_body=ORIGIN, spring=JointSpring(stiffness=1.0, rest=0.2)), "spring.rest must be 0, .* got 0.2"),
    (lambda a, b: Ball(a, b, at_body=ORIGIN, break_torque=-1.0), "break_torque must be"),
    (lambda a, b: Universal(a, b, at_body=ORIGIN, axis_body=(0, 0, 2), axis_other=X), "axis_body must be a vector of unit length"),
    (lambda a, b: Universal(a, b, at_body=ORIGIN, axis_body=X, axis_other=(0.1, 0, 1)), "axis_other must be a vector of unit length"),
    (lambda a, b: universal(a, b, limits_1=(0.2, 0.1)), "limits_1 must be .* lower <= upper"),
    (lambda a, b: universal(a, b, limits_2=(0.2, 0.3)), "limits_2 must be a range that contains the current value"),
    (lambda a, b: universal(a, b, limits_2=(NAN, 0.3)), r"limits_2 must be a pair \(lower, upper\) of real numbers"),
    (lambda a, b: universal(a, b, friction_2=-1.0), "friction_2 must be"),
    (lambda a, b: universal(a, b, friction_1=float("inf")), "friction_1 must be"),
    (lambda a, b: universal(a, b).inertia(3), "number must be at most 2; got 3"),
    (lambda a, b: Planar(a, (0, 0, 3.0)), "normal must be a vector of unit length"),
    (lambda a, b: Planar(a, Z, axis_1=(0, 0, 1)), "axis_1 must be at right angles to the normal; got .*; the cosine is 1"),
    (lambda a, b: Planar(a, Z, axis_1=(2, 0, 0)), "axis_1 must be a vector of unit length"),
    (lambda a, b: planar(a, b, limits_3=(1.0, 2.0)), "limits_3 must be a range that contains the current value"),
    (lambda a, b: Weld(a, b, at_body=ORIGIN, at_other=ORIGIN), "same point as at_body now.* m apart; pull_together closes a gap"),
    (lambda a, b: Weld(a, b, at_body=ORIGIN, relative_orientation=(0, 0, 0, 1)), "within 1e-6 rad of the current orientation, .* rad away"),
    (lambda a, b: Weld(a, b, at_body=ORIGIN, relative_orientation=(0, 0, 0, 2)), "relative_orientation must be"),
    (lambda a, b: Weld(a, b, at_body=ORIGIN, pull_together=(0.0, 1.0)), r"pull_together\[0\] must be"),
    (lambda a, b: Weld(a, b, at_body=ORIGIN, pull_together=(1.0, -1.0)), r"pull_together\[1\] must be"),
    (lambda a, b: Weld(a, b, at_body=ORIGIN, pull_together=(1.0, NAN)), "pull_together must be"),
    (lambda a, b: Weld(a, b, at_body=ORIGIN, pull_together=(1.0,)), "pull_together must be"),
    # what is locked
    (lambda a, b: setattr(Weld(a, b, at_body=ORIGIN), "motor", MOTOR), r"Weld\(.*\): motor must be left out, .* no degree of freedom; got"),
    (lambda a, b: setattr(Weld(a, b, at_body=ORIGIN), "limits", (0, 1)), "limits must be left out, because .* no degree of freedom"),
    (lambda a, b: setattr(Ball(a, b, at_body=ORIGIN), "motor", MOTOR), "motor must be one of spring, swing_limit, twist_limits"),
    (lambda a, b: setattr(universal(a, b), "limits", (0, 1)), "limits must be one of friction_1, friction_2, limits_1"),
    (lambda a, b: setattr(universal(a, b), "motor_3", MOTOR), "motor_3 must be one of friction_1"),
    (lambda a, b: setattr(hinge(a, b), "motor_1", MOTOR), "motor_1 must be one of friction, limits, motor, spring"),
    (lambda a, b: rod(a, b, motor=MOTOR), "motor must be left out, because a rod keeps its length"),
    (lambda a, b: setattr(rod(a, b), "motor", MOTOR), "motor must be left out, because a rod keeps its length"),
    (lambda a, b: setattr(rod(a, b), "friction", 1.0), "friction must be left out, because a rod keeps its length"),
    (lambda a, b: setattr(rod(a, b), "limits", (0.0, 90.0)), "limits must be left out, because a rod keeps its length"),
    (lambda a, b: setattr(rod(a, b), "spring", spring()), "spring must be left out, because a rod keeps its length"),
]  # fmt: skip


def hinge(a, b):
    return Hinge(a, b, at_body=PAIR_POINT, axis_body=AXIS)


def rod(a, b, **options):
    return Distance(a, b, at_body=ORIGIN, at_other=ORIGIN, **options)


@pytest.mark.parametrize(("make", "words"), BAD, ids=[words for _make, words in BAD])
def test_bad_input_is_rejected_with_its_rule(make, words):
    world, a, b, _joint = linked(universal)
    before = world.state_hash()
    with pytest.raises(ValueError, match=words):
        make(a, b)
    assert world.state_hash() == before


@pytest.mark.parametrize("name", ["swing", "twist", "body", "at_body", "at_other", "force_world"])
def test_what_is_fixed_cannot_be_assigned(name):
    _world, _a, _b, joint = linked(lambda a, b: Ball(a, b, at_body=PAIR_POINT, axis_body=AXIS))
    with pytest.raises(AttributeError, match=f"{name} cannot be changed"):
        setattr(joint, name, 0.0)


def test_settings_of_the_wrong_type_leave_a_joint_as_it_is():
    world, _a, _b, joint = linked(lambda a, b: universal(a, b, limits_1=(-1.0, 1.0), motor_2=MOTOR))
    before = world.state_hash()
    for name, value in (
        ("limits_1", "ab"),
        ("limits_1", (0.0, None)),
        ("motor_2", 3.0),
        ("spring_1", MOTOR),
        ("friction_1", "1"),
    ):
        with pytest.raises(TypeError, match=f"{name} must be"):
            setattr(joint, name, value)
    assert world.state_hash() == before
    joint.limits_1 = None
    assert joint.limits_1 == (-NONE, NONE)
    assert world.state_hash() != before


# copies, snapshots and scenes


def every_type():
    """A world with two bodies on a joint of each type that has freedoms, with something on each freedom, and one that is closing."""
    world = World(1 / 60)
    rng = np.random.default_rng(3)
    makers = (
        lambda a, b: Ball(a, b, at_body=PAIR_POINT, axis_body=AXIS, swing_limit=0.4, twist_limits=(-0.1, 0.3), spring=spring(0.5, 0.0)),
        lambda a, b: universal(a, b, motor_1=MOTOR, friction_2=0.2, limits_2=(-0.2, 0.2), spring_2=spring()),
        lambda a, b: planar(a, b, limits_1=(-0.1, 0.2), motor_2=MOTOR, spring_3=spring(), friction_3=0.05),
        lambda a, b: hinge(a, b),
        lambda a, b: Slider(a, b, at_body=PAIR_POINT, axis_body=AXIS, motor=Motor(target_angle=0.2, frequency=0.5, max_torque=3.0)),
        SPRUNG["weld"],
    )  # fmt: skip
    for number, make in enumerate(makers):
        bodies = [
            world.add_body(
                skew_properties(2.0, (0.3, 0.5, 0.6)),
                position=(10.0 * number + 0.9 * place, 0.5 * place, 0.0),
                orientation=Rotation.random(rng=rng).as_quat(),
                angular_velocity_body=rng.normal(size=3),
                velocity=rng.normal(size=3),
            )
            for place in range(2)
        ]
        world.add_joint(make(*bodies))
    return world


def test_snapshots_in_bytes_and_forks_go_on_with_every_bit():
    world = every_type()
    world.step(12)
    data, fork = world.snapshot().to_bytes(), world.fork()
    world.step(12)
    end = world.state_hash()
    fork.step(12)
    assert fork.state_hash() == end
    other = World(1 / 60)
    other.restore(Snapshot.from_bytes(data), adopt=True)
    other.step(12)
    assert other.state_hash() == end
    assert [type(joint) for joint in other.joints] == [type(joint) for joint in world.joints]
    assert other.joints[0].swing == world.joints[0].swing
    assert other.joints[-1].state == world.joints[-1].state == "soft"


def test_scenes_with_every_type_go_on_with_every_bit(tmp_path):
    world = every_type()
    world.step(12)
    world.save(tmp_path / "scene.json")
    world.save(tmp_path / "start.json", snapshot=False)
    loaded, started = World.load(tmp_path / "scene.json"), World.load(tmp_path / "start.json")
    assert loaded.state_hash() == world.state_hash()
    assert [repr(joint) for joint in started.joints] == [repr(joint) for joint in world.joints]
    assert started.joints[1].limits_2 == world.joints[1].limits_2
    for each in (world, loaded, started):
        each.step(6)
    assert loaded.state_hash() == world.state_hash()
    assert np.array_equal(started.state.position, world.state.position)


def bits():
    world = every_type()
    world.step(8)
    return world.state_hash()


def test_plain_python_has_the_same_bits():
    assert in_plain_python(bits) == bits()
