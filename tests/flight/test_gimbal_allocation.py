"""A thruster on a gimbal as an actuator, against SciPy's rotations and values computed by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import MassProperties, World
from engine.flight import Controlled, Gimbal, GimbalAllocator, Reference, Thruster, control


def new_thruster(center_of_mass_body=(0.0, 0.0, 0.0), angles=(0.0, 0.0), axes=((1, 0, 0), (0, 1, 0)), **values):
    """What the allocator needs of a thruster below the ship that pushes it upwards with 600 N."""
    ship = World(0.1).add_body(MassProperties(1200.0, (2.0e3, 2.0e3, 0.8e3), center_of_mass_body))
    mount = SimpleNamespace(axis_1=axes[0], axis_2=axes[1], max_angle=0.1, max_rate=0.5)
    given = {"position": np.array((0.0, 0.0, -2.0)), "max_force": 600.0, "throttle": 1.0, **values}
    thruster = SimpleNamespace(body=ship, gimbal=mount, gimbal_angles=np.array(angles), gimbal_command=None, **given)
    thruster.mean_thrust = lambda seconds: given["max_force"] * given["throttle"]
    thruster._value = {"neutral_direction": np.array((0.0, 0.0, 1.0))}.get
    thruster.direction = pointed(thruster, angles, np.array((0.0, 0.0, 1.0)))
    return thruster


def pointed(thruster, angles, neutral=(0.0, 0.0, 1.0)):
    """By the second angle about the second axis, then by the first about the first."""
    axes = [np.array(axis) / np.linalg.norm(axis) for axis in (thruster.gimbal.axis_1, thruster.gimbal.axis_2)]
    turns = [Rotation.from_rotvec(angle * axis) for angle, axis in zip(angles, axes, strict=True)]
    return (turns[0] * turns[1]).apply(neutral)


def torque_of(thruster, angles):
    lever = thruster.position - thruster.body.center_of_mass_body
    return np.cross(lever, 600.0 * pointed(thruster, angles))


def test_angle_as_computed_by_hand():
    """60 N·m at a lever of 2 m takes 30 of 600 N across it: arcsin 0.05. The thrust leans to +x and pushes behind the mass centre."""
    thruster = new_thruster()
    made = GimbalAllocator(thruster).command((0.0, -60.0, 0.0), None, 0.1)
    assert thruster.gimbal_command == pytest.approx((0.0, np.arcsin(0.05)), abs=1e-15)
    assert made.torque_body == pytest.approx((0.0, -60.0, 0.0))
    assert made.force_body == pytest.approx((30.0, 0.0, 600.0 * np.cos(np.arcsin(0.05))))


def test_both_angles_give_the_torque():
    """Also with an offset mass centre, skew axes, and a gimbal that is turned when the allocator is made."""
    random = np.random.default_rng(4)
    for _ in range(30):
        center = 0.05 * random.normal(size=3)
        axes = ((1.0, 0.2, 0.1), (0.1, 1.0, -0.3))
        thruster = new_thruster(tuple(center), 0.05 * random.normal(size=2), axes)
        lever = thruster.position - center
        wanted = 10.0 * random.normal(size=3)
        actuator = GimbalAllocator(thruster)
        made = actuator.command(wanted, (0.0, 0.0, 0.0), 0.1)
        across = wanted - (wanted @ lever) / (lever @ lever) * lever
        assert not actuator.saturated
        assert torque_of(thruster, thruster.gimbal_command) == pytest.approx(across, abs=1e-9)
        assert made.torque_body == pytest.approx(across, abs=1e-9)
        assert actuator.commanded is made


def test_angles_at_their_limit_keep_the_direction_of_the_torque():
    thruster = new_thruster()
    actuator = GimbalAllocator(thruster)
    wanted = np.array((300.0, -150.0, 0.0))
    made = actuator.command(wanted, None, 0.1)
    assert actuator.saturated and np.abs(thruster.gimbal_command).max() == pytest.approx(0.1)
    assert np.cross(made.torque_body, wanted) == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    # 0.1 rad is 600·2·sin 0.1 about x; the other angle is nearly half of it
    assert made.torque_body[0] == pytest.approx(1200.0 * np.sin(0.1), rel=5e-3)
    actuator.command((1e6, 0.0, 0.0), None, 0.1)
    assert thruster.gimbal_command == pytest.approx((-0.1, 0.0), abs=1e-9)
    assert actuator.commanded.torque_body == pytest.approx((1200.0 * np.sin(0.1), 0.0, 0.0))


def oblique(between, random, max_angle):
    """A thruster whose gimbal has axes at this angle, and what it makes at two angles."""
    neutral = random.normal(size=3)
    neutral /= np.linalg.norm(neutral)
    first = np.cross(neutral, random.normal(size=3))
    first /= np.linalg.norm(first)
    second = np.cos(between) * first + np.sin(between) * np.cross(neutral, first)
    thruster = new_thruster(axes=(first, second), position=-2.0 * neutral + 0.3 * random.normal(size=3))
    thruster._value = {"neutral_direction": neutral}.get
    thruster.gimbal.max_angle = max_angle

    def torque(angles):
        return np.cross(thruster.position, 600.0 * pointed(thruster, angles, neutral))

    return thruster, torque


@pytest.mark.parametrize("between", [0.07, 0.6, 1.0, np.pi / 2])
def test_oblique_axes_make_what_is_within_their_angles_or_tell_that_they_do_not(between):
    random = np.random.default_rng(7)
    for _ in range(60):
        limit = random.uniform(0.05, 0.9)
        thruster, torque = oblique(between, random, limit)
        wanted = torque(random.uniform(-limit, limit, 2))
        actuator = GimbalAllocator(thruster)
        made = actuator.command(wanted, None, 0.1).torque_body
        assert np.abs(thruster.gimbal_command).max() <= limit * (1.0 + 1e-9)
        assert made == pytest.approx(torque(thruster.gimbal_command), abs=1e-9)
        error = np.linalg.norm(made - wanted) / (600.0 * np.linalg.norm(thruster.position))
        assert (error > 1e-9) == actuator.saturated
        if between > 0.5:  # nearly parallel axes may fail, and say so
            assert not actuator.saturated


def test_axes_that_are_oblique_to_each_other_and_to_the_thrust_are_solved_from_several_starts():
    """From the middle alone, Newton's method fails in one of thirty cases."""
    random = np.random.default_rng(9)
    missed = 0
    for _ in range(400):
        limit = random.uniform(0.05, 1.2)
        thruster, _ = oblique(np.pi / 2, random, limit)
        gimbal, lean = thruster.gimbal, random.normal(size=(2, 3))
        gimbal.axis_1, gimbal.axis_2 = gimbal.axis_1 + 0.6 * lean[0], gimbal.axis_2 + lean[1]
        angles = random.uniform(-limit, limit, 2)
        wanted = np.cross(thruster.position, 600.0 * pointed(thruster, angles, thruster._value("neutral_direction")))
        actuator = GimbalAllocator(thruster)
        actuator.command(wanted, None, 0.1)
        missed += actuator.saturated
    assert missed <= 4


def test_large_angles_at_their_limit_keep_the_direction_of_the_torque():
    """Angles near 1 rad are far from being in proportion to the torque."""
    random = np.random.default_rng(8)
    for _ in range(60):
        limit = random.uniform(0.5, 1.2)
        thruster, _ = oblique(np.pi / 2, random, limit)
        thruster.position = lever = -2.0 * thruster._value("neutral_direction")
        wanted = np.cross(lever, random.normal(size=3))
        wanted *= 1200.0 * random.uniform(1.0, 3.0) / np.linalg.norm(wanted)
        actuator = GimbalAllocator(thruster)
        made = actuator.command(wanted, None, 0.1).torque_body
        across = np.cross(made, wanted) / (np.linalg.norm(made) * np.linalg.norm(wanted))
        assert actuator.saturated and np.abs(thruster.gimbal_command).max() == pytest.approx(limit, rel=1e-8)
        assert across == pytest.approx((0.0, 0.0, 0.0), abs=1e-7) and made @ wanted > 0.0


def test_a_mass_centre_far_beside_the_thrust_leaves_the_torques_that_the_angles_allow():
    """No torque at all needs 0.05 rad, beyond the limit of 0.03 rad; (6, −8) is the largest part of (30, −40) within it."""
    thruster = new_thruster(position=np.array((0.1, 0.0, -2.0)), max_force=100.0)
    thruster.gimbal.max_angle = 0.03
    actuator = GimbalAllocator(thruster)
    lever = thruster.position
    for wanted in ((30.0, -40.0, 0.0), (6.0, -8.0, 0.0), (3.0, -30.0, 0.0), (-3.0, -9.0, 0.0)):
        made = actuator.command(wanted, None, 0.1).torque_body
        across = np.array(wanted) - lever * (lever @ wanted) / (lever @ lever)
        assert np.cross(made, across) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9) and made @ across > 0.0
        largest = np.abs(thruster.gimbal_command).max()
        assert largest == pytest.approx(0.03) if actuator.saturated else largest <= 0.03
    made = actuator.command((3.0, 4.0, 0.0), None, 0.1).torque_body
    assert actuator.saturated and np.abs(thruster.gimbal_command).max() == pytest.approx(0.03)


def test_without_thrust_the_angles_stay():
    thruster = new_thruster(throttle=0.0)
    actuator = GimbalAllocator(thruster)
    assert not actuator.command((10.0, 0.0, 0.0), None, 0.1).torque_body.any()
    assert thruster.gimbal_command is None and actuator.saturated
    actuator.command((0.0, 0.0, 0.0), None, 0.1)
    assert not actuator.saturated


def test_half_thrust_takes_twice_the_angle():
    thruster = new_thruster(throttle=0.5)
    GimbalAllocator(thruster).command((0.0, -30.0, 0.0), None, 0.1)
    assert thruster.gimbal_command == pytest.approx((0.0, np.arcsin(0.05)), abs=1e-15)


def test_a_mass_centre_beside_the_thrust_is_balanced():
    """Nothing wanted: the thrust passes through the mass centre."""
    thruster = new_thruster((0.1, 0.0, 0.0))
    made = GimbalAllocator(thruster).command((0.0, 0.0, 0.0), None, 0.1)
    assert thruster.gimbal_command == pytest.approx((0.0, np.arctan(0.05))) and made.torque_body == pytest.approx(
        (0, 0, 0)
    )


def test_a_real_gimbal_reaches_the_commanded_torque():
    """At 0.05 rad/s the angles are reached within two seconds, and the thruster then makes the torque that was commanded."""
    ship = World(0.1).add_body(MassProperties(1200.0, (2.0e3, 2.0e3, 0.8e3), (0.02, -0.03, 0.0)))
    mount = Gimbal((1, 0.2, 0.1), (0.1, 1, -0.3), max_angle=0.1, max_rate=0.05)
    main = ship.world.add_force(Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=600.0, gimbal=mount))
    main.throttle = 0.5
    actuator = GimbalAllocator(main)
    made = actuator.command((20.0, -15.0, 0.0), None, 0.1)
    ship.world.step(20)
    assert main.gimbal_angles == pytest.approx(main.gimbal_command)
    assert ship.world.wrench(ship)[1] == pytest.approx(made.torque_body, abs=1e-9)
    assert made.torque_body[:2] == pytest.approx((20.0, -15.0), abs=0.3)  # without the part along the lever
    angles = main.gimbal_command
    GimbalAllocator(main).command((20.0, -15.0, 0.0), None, 0.1)
    assert main.gimbal_command == pytest.approx(angles, abs=1e-12)


def test_thrusters_without_gimbal_or_lever_are_rejected():
    thruster = new_thruster()
    thruster.gimbal = None
    with pytest.raises(TypeError, match="GimbalAllocator: thruster must be a Thruster with a gimbal"):
        GimbalAllocator(thruster)
    with pytest.raises(ValueError, match="position must be away from the mass centre"):
        GimbalAllocator(new_thruster((0.0, 0.0, -2.0))).command((0.0, 0.0, 0.0), None, 0.1)


@pytest.mark.parametrize("burn", ["throttle", "pulse", "stuck"])
def test_an_engine_is_steered_however_it_burns(burn):
    world = World(0.05)
    turned = Rotation.from_rotvec((0.2, 0.1, 0.0)).as_quat()
    ship = world.add_body(MassProperties.box(100.0, (1.0, 1.0, 2.0)), orientation=turned)
    mount = {"position": (0, 0, -1), "direction": (0, 0, 1), "gimbal": Gimbal((1, 0, 0), (0, 1, 0), 0.1, 0.5)}
    main = world.add_force(Thruster(ship, max_force=100.0, **mount))
    law, steering = control.QuaternionPD(30.0, 60.0), GimbalAllocator(main)
    loop = world.add_part(Controlled(ship, law, Reference(), steering, every=2, force_body=None))
    if burn == "throttle":
        main.throttle = 1.0
    elif burn == "pulse":
        main.fire(100.0)
    else:
        main.stuck = 1.0
    world.step(400)
    assert loop.error_angle < 1e-3 and main.thrust == 100.0


@pytest.mark.parametrize(("duration", "delay"), [(0.5, 0.2), (5.0, 0.0), (0.1, 0.85)])
def test_an_engine_that_is_lit_in_the_tick_of_the_command_gives_the_torque_as_a_mean(duration, delay):
    """Rise and fall in 0.1 s, the gimbal at once; the ship is too heavy to turn noticeably in the second between two commands."""
    world = World(0.02)
    ship = world.add_body(MassProperties(1e9, (1e9, 1e9, 1e9)))
    mount = Gimbal(axis_1=(1, 0, 0), axis_2=(0, 1, 0), max_angle=0.5, max_rate=1e6)
    valve = {"rise_time": 0.1, "fall_time": 0.1, "min_on_time": 0.1}
    main = world.add_force(
        Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=600.0, gimbal=mount, **valve)
    )
    actuator = GimbalAllocator(main)

    @world.on_tick(every=100000)
    def light(world):
        main.fire(duration, delay)
        actuator.command((0.0, -12.0, 5.0e-3), None, 1.0)

    assert main.mean_thrust(1.0) == 0.0
    world.step(50)
    assert ship.angular_momentum_world == pytest.approx((0.0, -12.0, 0.0), rel=2e-3, abs=1e-6)


def test_a_loaded_gimbal_is_steered_to_the_same_bits(tmp_path):
    world = World(0.05)
    ship = world.add_body(MassProperties.box(100.0, (1.0, 1.0, 2.0)), angular_velocity_body=(0.1, 0.2, 0.3))
    mount = {"position": (0, 0, -1), "direction": (0.1, 0.2, 1.0), "gimbal": Gimbal((1, 0, 0), (0, 1, 0), 0.1, 0.5)}
    main = world.add_force(Thruster(ship, max_force=100.0, **mount))
    main.throttle = 1.0
    law = control.QuaternionPD(30.0, 60.0)
    world.add_part(Controlled(ship, law, Reference(), GimbalAllocator(main), every=2, delay=3, force_body=None))
    world.step(13)
    world.save(tmp_path / "ship.json")
    loaded = World.load(tmp_path / "ship.json")
    for _ in range(10):
        world.step()
        loaded.step()
        assert loaded.state_hash() == world.state_hash()
