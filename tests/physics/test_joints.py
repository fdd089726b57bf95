"""Joints: what they hold, what they keep, their orders and closed forms, and how they fit into a world."""

import copy
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipk

from engine import MassProperties, World, forces, joints
from engine.constraints import layout
from engine.constraints.graph import islands_of
from engine.flight.wheel import ReactionWheel
from engine.integrators import Extrapolated, FreeRotor, RungeKutta4, Substepped
from engine.joints import (
    Ball,
    Capture,
    Distance,
    Hinge,
    JointConflictError,
    JointSpring,
    Latch,
    Motor,
    Planar,
    Port,
    Slider,
    Universal,
    Weld,
)
from engine.joints.joint import JOINTS
from engine.loops.layout import STATE_ROWS

from ..benchmarks.joint_scenes import PAIR_JOINTS, chain, four_bar, gap, heavy_top, momenta, pair, skew_properties

every_kind = pytest.mark.parametrize("kind", PAIR_JOINTS)


def attitude_error(a, b):
    """Angle between two orientations [rad]."""
    return float((Rotation.from_quat(a) * Rotation.from_quat(b).inv()).magnitude())


def test_the_layout_of_the_kernels_is_that_of_the_table():
    names = {
        "body": layout.BODY,
        "other": layout.OTHER,
        "enabled": layout.ENABLED,
        "type": layout.TYPE,
        "at_body": layout.AT_BODY,
        "at_other": layout.AT_OTHER,
        "frame_body": layout.FRAME_BODY,
        "frame_other": layout.FRAME_OTHER,
        "length": layout.LENGTH,
        "lower": layout.LOWER,
        "upper": layout.UPPER,
        "friction": layout.FRICTION,
        "motor": layout.MOTOR,
        "spring": layout.SPRING,
        "break_force": layout.BREAK_FORCE,
        "break_torque": layout.BREAK_TORQUE,
        "coordinate": layout.COORDINATE,
        "position_forces": layout.POSITION_FORCES,
        "velocity_forces": layout.VELOCITY_FORCES,
        "force_world": layout.FORCE,
        "torque_world": layout.TORQUE,
        "was_at_limit": layout.WAS_AT_LIMIT,
        "steps": layout.STEPS,
        "captured_energy": layout.CAPTURED_ENERGY,
        "latch": layout.LATCH_PHASE,
        "caught": layout.CAUGHT_POINT,
        "slack": layout.SLACK,
        "motor_drive": layout.DRIVE,
        "collides": layout.COLLIDES,
    }
    assert {field.name: JOINTS.row(field.name) for field in JOINTS.fields} == names
    assert JOINTS.size == layout.JOINT_ROWS
    assert layout.END == STATE_ROWS


@every_kind
@pytest.mark.parametrize("ratio", [1.0, 1000.0])
def test_a_pair_keeps_its_momenta_to_rounding_and_its_energy(kind, ratio):
    world, _a, _b, joint = pair(kind, ratio)
    world.step()
    start = world.kinetic_energy()
    before = momenta(world)
    for _ in range(30):
        world.step()
        after = momenta(world)
        assert np.linalg.norm(after[0] - before[0]) <= 1e-14 * before[2]
        assert np.linalg.norm(after[1] - before[1]) <= 1e-14 * before[3]
        before = after
    assert world.kinetic_energy() == pytest.approx(start, rel=3e-5)
    if kind not in ("slider", "rod"):
        assert gap(joint) <= 1e-11


@pytest.mark.parametrize("method", ["free-rotor-2", "free-rotor-4"])
@pytest.mark.parametrize("ratio", [1.0, 1000.0])
def test_a_slider_that_has_slid_far_holds_as_closely_as_a_short_one(ratio, method):
    world, a, b, joint = pair("slider", ratio, integrator=method)
    axis = joint.axis_body
    start = Rotation.from_quat(np.array(a.orientation)).inv() * Rotation.from_quat(np.array(b.orientation))
    for _ in range(36):
        world.step(100)
        turn, other_turn = (Rotation.from_quat(np.array(body.orientation)) for body in (a, b))
        apart = turn.apply(b.to_world(joint.at_other) - a.to_world(joint.at_body), inverse=True)
        assert np.linalg.norm(np.cross(axis, apart)) <= 1e-11
        assert (start.inv() * turn.inv() * other_turn).magnitude() <= 1e-11
    assert joint.distance > (500.0 if ratio > 1.0 else 30.0)


FREEDOMS = {"ball": 3, "hinge": 1, "slider": 1, "weld": 0, "universal": 2, "rod": 5}


def relative_motion(world, a, b, joint):
    """Relative velocity at the joint's point and relative rotation, in the world frame."""
    at = a.to_world(joint.at_body)
    swing = np.cross(a.angular_velocity_world, at - a.position) - np.cross(b.angular_velocity_world, at - b.position)
    return np.concatenate([a.velocity - b.velocity + swing, a.angular_velocity_world - b.angular_velocity_world])


@every_kind
def test_a_joint_leaves_as_many_freedoms_as_its_type_has(kind):
    motions = []
    for number in range(8):
        world, a, b, joint = pair(kind, dt=1e-5)
        rng = np.random.default_rng(number)
        a.velocity, a.angular_velocity_body = rng.normal(size=3), rng.normal(size=3)
        b.velocity, b.angular_velocity_body = rng.normal(size=3), rng.normal(size=3)
        world.step()
        motions.append(relative_motion(world, a, b, joint))
    values = np.linalg.svd(np.array(motions), compute_uv=False)
    assert int((values > 1e-3 * max(values[0], 1.0)).sum()) == FREEDOMS[kind]


@forces.compiled(parameters=("strength", "rate"), depends_on_rates=False)
def Swinging(body, time, strength, rate):
    """A force that grows with time and turns back."""
    return (strength * time * (1.0 - rate * time), 0.0, 0.0), (0.0, 0.0, 0.0)


def test_a_force_that_reads_the_time_kicks_bodies_on_joints_at_both_ends_of_the_tick():
    """The impulse of a tick is that of the trapezoidal rule, to rounding."""
    world, strength, rate = World(dt=0.1, integrator="free-rotor-2"), 3.0, 0.7
    one, other = (world.add_body(MassProperties.box(2.0, (1, 1, 1)), position=(x, 0, 0)) for x in (-1.0, 1.0))
    world.add_joint(Hinge(one, other, at_body=(1.0, 0, 0), axis_body=(0, 0, 1)))
    world.add_force(Swinging(strength=strength, rate=rate, bodies=[one]))
    world.step(20)
    times = 0.1 * np.arange(21)
    wanted = np.trapezoid(strength * times * (1.0 - rate * times), dx=0.1)
    assert world.linear_momentum()[0] == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize(
    ("method", "order"), [("free-rotor-2", 1.95), ("free-rotor-4", 3.9), ("axis-splitting-2", 1.95)]
)
def test_a_heavy_top_converges_at_the_order_of_its_method(method, order):
    end = {}
    for ticks in (15, 30, 120):
        world, body, joint = heavy_top(0.5 / ticks, method)
        world.step(ticks)
        end[ticks] = body.orientation
        assert gap(joint) <= 1e-11
    errors = [attitude_error(end[ticks], end[120]) for ticks in (15, 30)]
    assert np.log2(errors[0] / errors[1]) >= order


def test_a_heavy_top_moves_as_the_equation_about_its_fixed_point_says():
    world, body, _joint = heavy_top(1 / 120, "free-rotor-4")
    mass, center = body.mass, np.array(body.center_of_mass_body)
    inertia = body.inertia_body + mass * (center @ center * np.eye(3) - np.outer(center, center))
    start = np.concatenate([body.orientation, body.angular_velocity_body])

    def slope(_time, state):
        turn, rates = Rotation.from_quat(state[:4]), state[4:]
        torque = np.cross(center, turn.inv().apply((0.0, 0.0, -9.81 * mass)))
        x, y, z, w = state[:4]
        a, b, c = rates
        quaternion = 0.5 * np.array(
            (w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a, -x * a - y * b - z * c)
        )
        return np.concatenate([quaternion, np.linalg.solve(inertia, torque - np.cross(rates, inertia @ rates))])

    reference = solve_ivp(slope, (0.0, 0.5), start, rtol=1e-11, atol=1e-12, method="DOP853").y[:, -1]
    world.step(60)
    assert attitude_error(body.orientation, reference[:4]) <= 1e-6


def test_a_pendulum_has_the_period_of_the_elliptic_integral():
    dt, amplitude, length = 1 / 120, 1.0, 1.0
    world = World(dt, integrator="free-rotor-4")
    bob = world.add_body(
        MassProperties(1.0, np.diag([1e-4] * 3)),
        position=(length * np.sin(amplitude), 0.0, -length * np.cos(amplitude)),
    )
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    hinge = world.add_joint(Hinge(bob, at_body=bob.to_body((0.0, 0.0, 0.0)), axis_body=(0.0, 1.0, 0.0)))
    period = 4.0 * np.sqrt((length**2 + 1e-4) / (9.81 * length)) * ellipk(np.sin(0.5 * amplitude) ** 2)
    rates = []
    while len(rates) < 2 or not (rates[-2] > 0.0 >= rates[-1] or rates[-2] < 0.0 <= rates[-1]) or len(rates) < 50:
        world.step()
        rates.append(hinge.rate)
        assert len(rates) < 1000
    crossing = world.time - dt * rates[-1] / (rates[-1] - rates[-2])
    assert crossing == pytest.approx(0.5 * period, rel=3e-5)


def test_a_motor_runs_up_at_its_largest_torque_and_then_follows_its_rate():
    world, door, hinge = door_on_hinge(motor=Motor(target_rate=1.0, max_torque=0.3))
    inertia = door.mass * (1.01 / 12.0 + 0.25)
    assert hinge.inertia() == pytest.approx(inertia, rel=1e-12)
    world.step(60)
    assert hinge.rate == pytest.approx(0.3 / inertia * 0.5, rel=1e-9)
    hinge.motor = Motor(target_rate=0.1, max_torque=30.0)
    world.step(2)
    assert hinge.rate == pytest.approx(0.1, abs=1e-9)


def door_on_hinge(**options):
    """A door on a hinge at its edge, at 1/120 s."""
    world = World(1 / 120)
    door = world.add_body(MassProperties.box(2.0, (1.0, 0.1, 0.1)), position=(0.5, 0.0, 0.0))
    return world, door, world.add_joint(Hinge(door, at_body=(-0.5, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0), **options))


def test_friction_slows_a_hinge_at_its_torque_and_then_holds_it():
    world, door, hinge = door_on_hinge(friction=0.2)
    door.apply_impulse((0.0, 0.2, 0.0), at_world=(1.0, 0.0, 0.0))
    world.step()
    first = hinge.rate
    world.step(10)
    assert hinge.rate == pytest.approx(first - 0.2 / hinge.inertia() * 10 / 120, rel=1e-9)
    world.step(300)
    held = hinge.angle
    assert abs(hinge.rate) <= 1e-12
    world.step(30)
    assert hinge.angle == pytest.approx(held, abs=1e-12)


def test_a_limit_stops_a_hinge_without_rebound_and_lets_it_go_back():
    world, door, hinge = door_on_hinge(limits=(-0.2, 0.1))
    reached = []
    world.on_joint(lambda _world, joint: reached.append(joint), "limit")
    door.apply_impulse((0.0, 1.0, 0.0), at_world=(1.0, 0.0, 0.0))
    world.step(60)
    assert hinge.angle == pytest.approx(0.1, abs=1e-10)
    assert abs(hinge.rate) <= 1e-10
    assert reached == [hinge]
    door.apply_impulse((0.0, -0.1, 0.0), at_world=door.to_world((0.5, 0.0, 0.0)))
    world.step(10)
    assert hinge.rate < -0.01


def test_an_undamped_spring_keeps_its_amplitude():
    world, _door, _hinge = door_on_hinge(spring=JointSpring(frequency=2.4, damping_ratio=0.0, rest=0.3))
    energies = []
    for _ in range(400):
        world.step()
        energies.append(world.kinetic_energy() + world.potential_energy())
    assert np.ptp(energies) <= 2e-4 * energies[0]
    assert np.mean(energies[-100:]) == pytest.approx(np.mean(energies[:100]), rel=2e-6)


def test_a_damped_spring_loses_what_its_damping_ratio_says():
    # f dt = 0.02
    ratio, frequency = 0.05, 2.4
    world, _door, hinge = door_on_hinge(spring=JointSpring(frequency=frequency, damping_ratio=ratio, rest=0.3))
    angles = []
    for _ in range(200):
        world.step()
        angles.append(hinge.angle - 0.3)
    peaks = [
        abs(b) for a, b, c in zip(angles, angles[1:], angles[2:], strict=False) if abs(b) > abs(a) and abs(b) > abs(c)
    ]
    decrement = np.log(peaks[0] / peaks[2])
    assert decrement == pytest.approx(2.0 * np.pi * ratio / np.sqrt(1.0 - ratio**2), rel=0.02)


def test_a_hinge_counts_its_turns():
    world, _door, hinge = door_on_hinge(motor=Motor(target_rate=6.0, max_torque=1e3))
    world.step(360)
    assert hinge.angle == pytest.approx(18.0, abs=0.1)
    assert hinge.rate == pytest.approx(6.0, abs=1e-9)


def test_a_rope_becomes_taut_by_an_impulse_that_keeps_momentum():
    world = World(0.01)
    a = world.add_body(MassProperties.sphere(1.0, 0.1), velocity=(-1.0, 0.5, 0.0))
    b = world.add_body(MassProperties.sphere(2.0, 0.1), position=(0.3, 0.0, 0.0))
    rope = world.add_joint(Distance(a, b, at_body=(0, 0, 0), at_other=(0, 0, 0), max_length=0.6))
    world.step(20)
    assert rope.distance < 0.6
    assert np.array_equal(rope.force_world, np.zeros(3))
    world.step(60)
    assert rope.distance == pytest.approx(0.6, abs=1e-9)
    assert abs(rope.speed) <= 1e-9
    assert world.linear_momentum() == pytest.approx(np.array((-1.0, 0.5, 0.0)), abs=1e-14)


def test_the_forces_of_a_hanging_chain_are_the_weights_below():
    world, joints = chain(4, dt=1 / 120, level=False)
    world.step(3)
    for number, joint in enumerate(joints):
        assert joint.force_world == pytest.approx((0.0, 0.0, 9.81 * (4 - number)), abs=1e-8)


def test_a_level_chain_falls_and_holds_together():
    world, joints = chain(6, end_ratio=100.0)
    for _ in range(20):
        world.step()
        assert max(map(gap, joints)) <= 1e-9


def test_a_four_bar_of_hinges_with_more_rows_than_freedoms_closes_and_keeps_its_energy():
    world, joints = four_bar()
    world.step()
    energies = []
    for _ in range(60):
        world.step()
        height = sum(body.mass * body.position[1] for body in world.bodies)
        energies.append(world.kinetic_energy() + 9.81 * height)
        assert max(map(gap, joints)) <= 1e-9
    assert np.ptp(energies) <= 0.05


def test_two_welded_craft_move_as_their_composite():
    world, a, _b, _joint = pair("weld", integrator="free-rotor-4")
    world.step()
    whole = world.assembly(a).mass_properties
    alone = World(world.dt)
    body = alone.add_body(
        whole, origin=a.origin, orientation=a.orientation, angular_velocity_body=a.angular_velocity_body
    )
    body.velocity = world.linear_momentum() / whole.mass
    for _ in range(60):
        world.step()
        alone.step()
    assert attitude_error(a.orientation, body.orientation) <= 1e-10
    assert np.linalg.norm(a.origin - body.origin) <= 1e-10


def test_a_wheel_in_a_welded_pair_keeps_the_momenta_and_the_joint():
    world, a, _b, joint = pair("weld")
    wheel = world.add_part(ReactionWheel(a, axis=(0.0, 0.6, 0.8), inertia=0.02, max_torque=1.0, max_speed=500.0))
    wheel.torque = 0.3
    world.step()
    before = momenta(world)
    world.step(30)
    after = momenta(world)
    assert wheel.speed > 1.0
    assert np.linalg.norm(after[0] - before[0]) <= 30 * 1e-14 * before[2]
    assert np.linalg.norm(after[1] - before[1]) <= 30 * 1e-14 * before[3]
    assert gap(joint) <= 1e-11


@pytest.mark.parametrize("method", ["free-rotor-2", "free-rotor-4"])
def test_a_pair_goes_back_where_it_came_from(method):
    world, a, b, _joint = pair("hinge", integrator=method)
    world.step(5)
    start = world.state.position.copy()
    world.step(30)
    for body in (a, b):
        body.velocity, body.angular_velocity_body = -body.velocity, -body.angular_velocity_body
    world.step(30)
    assert np.abs(world.state.position - start).max() <= 1e-9


def test_a_pair_far_away_and_fast_holds_to_the_spacing_of_its_coordinates():
    world, _a, _b, joint = pair("hinge", origin=(7e6, -3e5, 2e5), velocity=(0.0, 7500.0, 0.0))
    near, *_ = pair("hinge", origin=(0.0, 0.0, 0.0))
    world.step(30)
    near.step(30)
    assert gap(joint) <= 4.0 * np.spacing(7e6)
    for far_body, body in zip(world.bodies, near.bodies, strict=True):
        assert attitude_error(far_body.orientation, body.orientation) <= 1e-7


def test_a_joint_changes_no_bit_of_free_bodies_and_an_island_none_of_another():
    rng = np.random.default_rng(5)

    def scene(joint, others):
        world = World(0.01, integrator=RungeKutta4())
        generator = np.random.default_rng(7)
        bodies = [
            world.add_body(skew_properties(2.0, (0.3, 0.5, 0.6)), position=generator.normal(size=3), velocity=generator.normal(size=3),
                           angular_velocity_body=generator.normal(size=3))
            for _ in range(3)
        ]  # fmt: skip
        for _ in range(others):
            a = world.add_body(MassProperties.sphere(1.0, 0.5), position=rng.normal(size=3))
            b = world.add_body(MassProperties.sphere(1.0, 0.5), position=rng.normal(size=3))
            world.add_joint(Ball(a, b, at_body=(0.3, 0.0, 0.0)))
        if joint:
            world.add_joint(Ball(bodies[0], bodies[1], at_body=(0.4, 0.1, 0.0)))
        world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
        world.add_force(forces.LinearDrag(0.2))
        world.step(10)
        return world.state.position[:3].copy()

    free, linked, crowded = scene(False, 0), scene(True, 0), scene(True, 2)
    assert np.array_equal(free[2], linked[2])
    assert not np.array_equal(free[0], linked[0])
    assert np.array_equal(linked, crowded)


def test_springs_join_islands_and_fields_act_on_them():
    world, a, b, _joint = pair("ball")
    c = world.add_body(MassProperties.sphere(1.0, 0.2), position=(121.0, -338.0, 55.0))
    assert [len(island) for island in world.islands] == [2]
    world.add_force(forces.Spring(b, c, stiffness=2.0, rest_length=1.0))
    assert world.islands == ((a, b, c),)
    before = momenta(world)
    world.step(20)
    after = momenta(world)
    assert np.linalg.norm(after[0] - before[0]) <= 20 * 1e-14 * before[2]
    assert np.linalg.norm(after[1] - before[1]) <= 20 * 1e-14 * before[3]


def test_a_python_force_gives_the_motion_of_the_compiled_one():
    def scene(compiled):
        world, *_ = pair("hinge")
        world.add_body(MassProperties.sphere(1.0, 0.5), position=(5.0, 0.0, 0.0))
        if compiled:
            world.add_force(forces.UniformGravity((0.0, 0.0, -1.0)))
        else:

            @world.add_force
            def pull(wrench, bodies, time):
                wrench.force_world[:] += bodies.mass[:, np.newaxis] * np.array((0.0, 0.0, -1.0))

            pull.depends_on_rates = False
        return world

    with pytest.warns(UserWarning, match="all bodies are moved by the step of the joints"):
        called = scene(False)
        called.step(10)
    compiled = scene(True)
    compiled.step(10)
    assert np.array_equal(called.state.position, compiled.state.position)
    assert np.array_equal(called.state.orientation, compiled.state.orientation)


def test_sub_steps_are_ticks():
    coarse, *_ = pair("hinge", integrator=Substepped(FreeRotor(), 2))
    fine, *_ = pair("hinge", dt=1 / 120)
    coarse.step(5)
    fine.step(10)
    assert np.array_equal(coarse.state.position, fine.state.position)


@pytest.mark.parametrize("method", [Extrapolated(RungeKutta4()), Substepped(FreeRotor(), tolerance=1e-6)])
def test_methods_that_try_ticks_are_rejected_by_name(method):
    world, *_ = pair("ball")
    with pytest.raises(ValueError, match="neither Extrapolated nor Substepped"):
        world.integrator = method
    other = World(0.01, integrator=method)
    body = other.add_body(MassProperties.sphere(1.0, 0.5))
    with pytest.raises(ValueError, match="neither Extrapolated nor Substepped"):
        other.add_joint(Ball(body, at_body=(0.0, 0.0, 0.5)))
    assert other.joints == ()


def test_copies_continue_bit_for_bit():
    world, *_ = pair("hinge")
    world.step(5)
    copied = copy.deepcopy(world)
    world.step(5)
    copied.step(5)
    assert world.state_hash() == copied.state_hash()
    assert copied.joints[0].body is copied.bodies[0]


def test_a_failed_tick_leaves_joints_as_they_were():
    world, a, _b, _joint = pair("hinge")
    world.step(5)
    before = world.state_hash()

    @world.on_tick
    def fail(world):
        world.remove_joint(world.joints[0])
        a.velocity = (1.0, 2.0, 3.0)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        world.step()
    assert world.state_hash() == before
    world.remove_callback(fail)
    world.step()


def test_contradicting_welds_are_named_and_the_world_goes_on_without_one():
    world, a, b, _joint = pair("weld")
    world.step(2)
    other = world.add_joint(Weld(a, b, at_body=(0.0, 0.0, 0.0)))
    other._table.write(layout.AT_OTHER, other.rows.start, other.at_other[0] + 0.1)
    before = world.state_hash()
    with pytest.raises(JointConflictError, match=r"Weld\(body 'a', body 'b'\) is off by 0\.\d+ m and 0\.\d+ rad, Weld"):
        world.step()
    assert world.state_hash() == before
    other.enabled = False
    world.step()


def test_a_joint_breaks_above_its_threshold_and_tells():
    world, joints = chain(2, dt=1 / 120, level=False)
    body = joints[0].body
    world.remove_joint(joints[0])
    weak = world.add_joint(Ball(body, at_body=(0.0, 0.0, 0.25), break_force=15.0))
    told = []
    world.on_joint(lambda _world, joint: told.append(joint), event="broken")
    world.step(3)
    assert told == [weak]
    assert world.joints == (joints[1],)
    strong = world.add_joint(Ball(body, at_body=(0.0, 0.0, 0.25), break_force=150.0))
    world.step(3)
    assert strong in world.joints


@pytest.mark.parametrize(
    ("frequency", "damping_ratio", "most"),
    [(10.0, 0.0, 1.01), (30.0, 0.05, 1.0), (100.0, 0.05, 1.0), (1000.0, 0.05, 1.0)],
)
def test_a_stiff_spring_between_free_bodies_gains_no_energy(frequency, damping_ratio, most):
    """A swing of 0.7 rad: undamped up to a frequency of 0.15 / dt; beyond that, it needs damping."""
    world = World(1 / 60)
    a, b = world.add_bodies(MassProperties.box(1.0, (1.0, 0.8, 0.6)), [(0, 0, 0), (1, 0, 0)])
    hinge = world.add_joint(Hinge(a, b, at_body=(0.5, 0.0, 0.0), axis_body=(0, 0, 1)))
    hinge.spring = JointSpring(frequency=frequency, damping_ratio=damping_ratio, rest=0.7)
    energies = []
    for _ in range(300):
        energies.append(world.kinetic_energy() + world.potential_energy())
        world.step()
    assert max(energies) <= most * energies[0] * (1.0 + 1e-12)


def test_a_joint_that_broke_holds_again_when_it_is_added_without_the_load():
    world = World(1 / 60)
    a, b = world.add_bodies(MassProperties.box(1.0, (1.0, 0.8, 0.6)), [(0, 0, 0), (1, 0, 0)])
    weld = world.add_joint(Weld(a, b, at_body=(0.5, 0.0, 0.0), break_force=1.0))
    b.apply_force((100.0, 0.0, 0.0))
    world.step(2)
    assert world.joints == ()
    assert np.linalg.norm(weld.force_world) > 1.0
    for body, x in ((a, 0.0), (b, 1.0)):
        body.position, body.velocity = (x, 0.0, 0.0), (0.0, 0.0, 0.0)
        body.orientation, body.angular_velocity_body = (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    world.add_joint(weld)
    world.step(3)
    assert world.joints == (weld,)


def test_an_assigned_pose_moves_the_whole_island():
    world, a, b, joint = pair("hinge")
    world.step(3)
    distance = np.linalg.norm(a.position - b.position)
    a.position = np.add(a.position, (5.0, -2.0, 1.0))
    a.orientation = Rotation.from_euler("xyz", (0.4, 1.0, -0.3)).as_quat()
    assert gap(joint) <= 1e-11
    assert np.linalg.norm(a.position - b.position) == pytest.approx(distance, rel=1e-12)
    before = momenta(world)
    world.step()
    assert world.linear_momentum() == pytest.approx(before[0], abs=1e-13)
    assert gap(joint) <= 1e-11
    _top, body, held = heavy_top()
    with pytest.raises(ValueError, match=r"position must be left alone while Ball\(body 'top', the world\)"):
        body.position = (0.0, 0.0, 0.0)
    held.enabled = False
    body.position = (0.0, 0.0, 0.0)


def test_removing_a_body_removes_its_joints_and_returns_them():
    world, _a, b, joint = pair("hinge")
    assert world.remove_body(b) == [joint]
    assert world.joints == ()
    assert world.islands == ()
    world.step()


def test_a_planar_joint_keeps_a_body_in_its_plane():
    world = World(0.01)
    body = world.add_body(
        skew_properties(1.0, (0.3, 0.4, 0.5)), velocity=(1.0, 0.2, 0.5), angular_velocity_body=(0.3, 0.4, 0.5)
    )
    world.add_joint(Planar(body, (0.0, 0.0, 1.0), at_body=body.center_of_mass_body))
    world.step(50)
    assert abs(body.position[2]) <= 1e-11
    assert np.abs(body.angular_velocity_world[:2]).max() <= 1e-11
    assert body.velocity[:2] == pytest.approx((1.0, 0.2), abs=1e-13)


def test_bodies_are_found_through_chains_of_pairs():
    assert islands_of([(3, 1), (5, -1), (1, 7)]) == [[1, 3, 7], [5]]


def rope(a, b, **lengths):
    return Distance(a, b, at_body=(0, 0, 0), at_other=(0, 0, 0), **lengths)


BAD = [
    (lambda a, b: Ball(a, a, at_body=(0, 0, 0)), ValueError, "other must be a body other than"),
    (lambda a, b: Ball(a, b, at_body=(0, 0)), ValueError, "at_body must be 3 finite real numbers"),
    (lambda a, b: Ball(a, b, at_body=(0, 0, 0), at_other=(9, 9, 9)), ValueError, "the same point as at_body now"),
    (
        lambda a, b: Hinge(a, b, at_body=(0, 0, 0), axis_body=(0, 0, 2)),
        ValueError,
        "axis_body must be a vector of unit length",
    ),
    (
        lambda a, b: Hinge(a, b, at_body=(0, 0, 0), axis_body=(0, 0, 1), limits=(1, -1)),
        ValueError,
        "lower <= upper",
    ),
    (lambda a, b: Hinge(a, b, at_body=(0, 0, 0), axis_body=(0, 0, 1), limits=(1, 2)), ValueError, "current value"),
    (lambda a, b: Hinge(a, b, at_body=(0, 0, 0), axis_body=(0, 0, 1), friction=-1.0), ValueError, "friction must be"),
    (
        lambda a, b: Slider(a, b, at_body=(0, 0, 0), axis_body=(0, 0, 1), break_force=-1.0),
        ValueError,
        "break_force must be",
    ),
    (lambda a, b: Distance(a, b, at_body=(0, 0, 0), at_other=(0, 0, 0), length=-1.0), ValueError, "length must be"),
    (
        lambda a, b: rope(a, b, max_length=0.5),
        ValueError,
        r"Distance: max_length must be at least the current distance",
    ),
    (lambda a, b: rope(a, b, min_length=9.5), ValueError, r"Distance: min_length must be at most the current distance"),
    (
        lambda a, b: rope(a, b, min_length=3.0, max_length=2.0),
        ValueError,
        "max_length must be at least min_length, 3.0 m",
    ),
    (
        lambda a, b: Distance(a, b, at_body=(0, 0, 0), at_other=(0, 0, 0), length=50.0),
        ValueError,
        "within 1e-6 m of the current distance",
    ),
    (
        lambda a, b: Universal(a, b, at_body=(0, 0, 0), axis_body=(1, 0, 0), axis_other=(0.6, 0.8, 0)),
        ValueError,
        "at right angles",
    ),
    (
        lambda a, b: Hinge(a, b, at_body=(0, 0, 0), axis_body=(0, 0, 1), limits=(float("nan"), 1.0)),
        ValueError,
        r"limits must be a pair \(lower, upper\) .*; got \(nan, 1\.0\)",
    ),
    (lambda a, b: JointSpring(frequency=-1.0), ValueError, "frequency must be"),
    (lambda a, b: JointSpring(30.0, 0.5), TypeError, "positional"),
    (lambda a, b: JointSpring(frequency=1.0, stiffness=1.0), ValueError, "exactly one of frequency"),
    (lambda a, b: Motor(max_torque=1.0), ValueError, "target_rate, target_angle or both"),
    (
        lambda a, b: Motor(target_rate=1.0, torque=1.0, max_torque=1.0),
        ValueError,
        "torque must be .*left out without target_angle",
    ),
    (lambda a, b: Motor(target_angle=1.0, target_rate=1.0, max_torque=1.0), ValueError, "exactly one of frequency"),
    (lambda a, b: Motor(target_angle=1.0, stiffness=1.0, torque="1", max_torque=1.0), TypeError, "torque must be"),
    (lambda a, b: Motor(target_rate=float("nan"), max_torque=1.0), ValueError, "target_rate must be"),
    (lambda a, b: Ball(object(), b, at_body=(0, 0, 0)), TypeError, "body must be a body"),
]


@pytest.mark.parametrize(("make", "error", "words"), BAD, ids=[words for _make, _error, words in BAD])
def test_bad_input_is_rejected_with_its_rule(make, error, words):
    _world, a, b, _joint = pair("ball")
    with pytest.raises(error, match=words):
        make(a, b)


def test_joints_of_two_worlds_or_added_twice_are_rejected():
    world, a, _b, joint = pair("ball")
    _other, c, _d, _joint = pair("ball")
    with pytest.raises(ValueError, match="a body of the world of body 'a'"):
        Ball(a, c, at_body=(0, 0, 0))
    with pytest.raises(ValueError, match="not in this world already"):
        world.add_joint(joint)
    with pytest.raises(TypeError, match=r"a joint of engine\.joints"):
        world.add_joint(forces.LinearDrag(1.0))
    with pytest.raises(TypeError, match=r"World\.add_joint"):
        world.add_force(joint)
    with pytest.raises(ValueError, match=r"event must be 'broken', 'limit', .* or 'failed'; got 'bend'"):
        world.on_joint(print, event="bend")
    with pytest.raises(AttributeError, match="cannot be changed"):
        joint.body = a


def two_ports(clocking=0.3, **options):
    """Two craft whose ports drift together, with a latch between them."""
    world = World(1 / 60)
    a = world.add_body(skew_properties(20.0, (0.3, 0.5, 0.6)), name="chaser", angular_velocity_body=(0.0, 0.0, 0.01))
    b = world.add_body(
        skew_properties(10.0, (0.3, 0.4, 0.6)),
        name="target",
        origin=(2.08, 0.02, 0.01),
        velocity=(-0.05, 0.01, 0.0),
        orientation=Rotation.from_euler("x", -0.3).as_quat(),
    )
    ports = (
        Port((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        Port((-1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    )
    capture = Capture(distance=0.2, angle=0.2, lateral=0.1, speed=0.2, rate=0.1)
    latch = world.add_joint(Latch(a, b, *ports, clocking=clocking, capture=capture, **options))
    told = []
    for event in ("captured", "locked", "released", "failed"):
        world.on_joint(lambda world, _joint, event=event: told.append((world.tick_count, event)), event)
    return world, a, b, latch, told


@pytest.mark.parametrize("clocking", [0.3, None])
def test_a_latch_catches_pulls_together_and_locks_without_a_force_from_outside(clocking):
    world, a, b, latch, told = two_ports(clocking)
    before = momenta(world)
    energies = []
    while latch.state != "hard" and world.tick_count < 400:
        energies.append(world.kinetic_energy())
        world.step()
    assert [event for _tick, event in told] == ["captured", "locked"]
    assert latch.closing_energy == pytest.approx(energies[-1] - world.kinetic_energy(), rel=0.02)
    world.step(5)
    assert np.linalg.norm(a.to_world((1, 0, 0)) - b.to_world((-1, 0, 0))) <= 1e-10
    assert a.direction_to_world((1, 0, 0)) == pytest.approx(-b.direction_to_world((-1, 0, 0)), abs=1e-10)
    cosine = a.direction_to_world((0, 1, 0)) @ b.direction_to_world((0, 1, 0))
    assert cosine == pytest.approx(np.cos(0.3), abs=1e-10 if clocking is not None else 0.05)
    assert world.assembly(a).bodies == (a, b)
    after = momenta(world)
    assert np.linalg.norm(after[0] - before[0]) <= 1e-13
    assert np.linalg.norm(after[1] - before[1]) <= 1e-13


def test_a_released_latch_pushes_apart_and_is_armed_again_out_of_reach():
    world, a, b, latch, told = two_ports()
    world.step(220)
    assert latch.state == "hard"
    before = world.linear_momentum()
    latch.release(push=2.0)
    assert latch.state == "open"
    world.step(20)
    assert told[-1] == (220, "released")
    assert (b.velocity - a.velocity)[0] == pytest.approx(0.3, rel=0.02)
    assert world.linear_momentum() == pytest.approx(before, abs=1e-13)
    assert [event for _tick, event in told].count("captured") == 1
    world.step(60)
    with pytest.raises(ValueError, match='"soft" or "hard" to be released'):
        latch.release()


def test_a_latch_that_cannot_close_fails_and_stays_soft():
    world, _a, b, latch, told = two_ports(retract_time=0.3)
    push = world.add_force(forces.ConstantForce(b, force_world=(3.0, 0.0, 0.0)))
    world.step(80)
    assert [event for _tick, event in told] == ["captured", "failed"]
    assert latch.state == "soft"
    world.remove_force(push)
    world.step(200)
    assert latch.state == "hard"


def test_a_latch_does_not_catch_what_is_too_fast():
    world, _a, b, latch, told = two_ports()
    b.velocity = (-0.5, 0.0, 0.0)
    world.step(60)
    assert told == []
    assert latch.state == "open"
    assert world.islands == ()


def test_ports_and_captures_are_checked():
    with pytest.raises(ValueError, match="Port: up must be at right angles"):
        Port((0, 0, 0), (1, 0, 0), (0.6, 0.8, 0))
    with pytest.raises(ValueError, match="Capture: speed must be"):
        Capture(speed=-1.0)
    with pytest.raises(ValueError, match="retract_time must be"):
        two_ports(retract_time=0.0)


def test_a_restored_snapshot_has_the_impulses_of_the_joints():
    world = World(1 / 60)
    first = world.add_body(MassProperties.box(10.0, (1, 1, 1)), angular_velocity_body=(0.1, 0.2, 0.3))
    second = world.add_body(MassProperties.box(5.0, (1, 1, 1)), position=(1, 0, 0))
    joint = world.add_joint(joints.Ball(first, second, at_body=(0.5, 0, 0)))
    world.step(5)
    snapshot = world.snapshot()
    world.step(10)
    after = world.state_hash()
    world.restore(snapshot)
    world.step(10)
    assert world.state_hash() == after
    assert "Ball" in world.coast_obstacle()
    world.remove_joint(joint)
    world.step(2)
    world.restore(snapshot)
    assert world.joints == (joint,)
    world.step(10)
    assert world.state_hash() == after


def test_the_velocities_fit_the_joint_at_the_end_of_each_tick():
    world = World(1 / 60)
    first = world.add_body(MassProperties.box(10.0, (1, 2, 1)), angular_velocity_body=(0.7, 0.2, 0.3))
    second = world.add_body(
        MassProperties.box(5.0, (1, 1, 3)), position=(1, 0, 0), angular_velocity_body=(0, -0.9, 0.4)
    )
    world.add_joint(joints.Ball(first, second, at_body=(0.5, 0, 0)))
    for _ in range(5):
        world.step()
        assert first.velocity_at((0.5, 0, 0)) == pytest.approx(second.velocity_at((-0.5, 0, 0)), abs=1e-12)


@pytest.mark.parametrize("rate", [180.0, 200.0, -700.0])
def test_the_angle_of_a_fast_hinge_counts_every_turn(rate):
    """Beyond 30 revolutions per second there is more than half a turn in a tick of 1/60 s."""
    world = World(1 / 60)
    wheel = world.add_body(MassProperties.cylinder(1.0, 0.3, 0.1), angular_velocity_body=(0.0, 0.0, rate))
    ship = world.add_body(MassProperties.box(500.0, (2.0, 2.0, 2.0)), angular_velocity_body=(0.0, 0.0, 0.3))
    axle = world.add_joint(Hinge(wheel, ship, at_body=(0.0, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0)))
    world.step(60)
    assert axle.angle == pytest.approx(rate - 0.3, abs=1e-9)


def test_a_stiff_motor_reaches_a_distant_target():
    """Its first tick moves the arm farther than half a turn."""
    world = World(1 / 60)
    arm = world.add_body(MassProperties.box(1.0, (1.0, 0.1, 0.1)), position=(0.5, 0.0, 0.0))
    hinge = world.add_joint(Hinge(arm, at_body=(-0.5, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0)))
    hinge.motor = Motor(target_angle=3.0, frequency=50.0, damping_ratio=1.0, max_torque=1e9)
    world.step(120)
    assert hinge.angle == pytest.approx(3.0, abs=1e-9)


@pytest.mark.parametrize("rate", [3.0, 200.0, -700.0])
def test_the_twist_of_a_ball_joint_counts_every_turn_while_it_has_a_limit(rate):
    world = World(1 / 60)
    rotor, free = (
        world.add_body(MassProperties.cylinder(1.0, 0.3, 0.1), angular_velocity_body=(0.0, 0.0, rate)) for _ in range(2)
    )
    at = {"at_body": (0.0, 0.0, 0.0), "axis_body": (0.0, 0.0, 1.0)}
    limited = world.add_joint(Ball(rotor, **at, twist_limits=(-1e6, 1e6)))
    unlimited = world.add_joint(Ball(free, **at))
    world.step(120)
    assert limited.twist == pytest.approx(2.0 * rate, abs=1e-9)
    assert unlimited.twist == pytest.approx(math.remainder(2.0 * rate, 2.0 * math.pi), abs=1e-9)
