"""Joints that do not fit: at the poses at which they are added, enabled or assigned, and in ticks."""

import itertools
import math
import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, flight
from engine.constraints import layout
from engine.integrators import RungeKutta4
from engine.joints import (
    Ball,
    Capture,
    Distance,
    Hinge,
    JointConflictError,
    Latch,
    Planar,
    Port,
    Slider,
    Universal,
    Weld,
)

from ..benchmarks.joint_scenes import PAIR_JOINTS, gap, heavy_top, momenta, pair, pair_joint

BOX = MassProperties.box(10.0, (1.0, 1.0, 1.0))


def triangle():
    """Three boxes in a row that two welds connect."""
    world = World(0.01)
    a, b, c = (
        world.add_body(BOX, name=name, position=(place, 0.0, 0.0))
        for name, place in (("a", 0.0), ("b", 1.0), ("c", 2.0))
    )
    first = world.add_joint(Weld(a, b, at_body=(0.5, 0, 0)))
    second = world.add_joint(Weld(b, c, at_body=(0.5, 0, 0)))
    return world, (a, b, c), (first, second)


MISPLACED = {
    "ball": (r"0\.1 m", lambda a, c: Ball(c, a, at_body=(0, 0, 0))),
    "hinge": (r"0\.1 m", lambda a, c: Hinge(c, a, at_body=(0, 0, 0), axis_body=(0, 0, 1))),
    "slider": (r"0\.1 m", lambda a, c: Slider(c, a, at_body=(0, 0, 0), axis_body=(0, 0, 1))),
    "weld": (r"0\.1 m", lambda a, c: Weld(c, a, at_body=(0, 0, 0))),
    "rod": (r"0\.09", lambda a, c: Distance(c, a, at_body=(0, 0, 0), at_other=(0, 5, 0))),
    "planar": (r"0\.1 m", lambda a, c: Planar(c, (0, 1, 0), a)),
}


@pytest.mark.parametrize("kind", MISPLACED)
def test_a_joint_is_rejected_when_its_bodies_have_moved_since_it_was_made(kind):
    words, make = MISPLACED[kind]
    world = World(0.01)
    a, c = world.add_body(BOX, name="a"), world.add_body(BOX, name="c", position=(2.0, 0.0, 0.0))
    joint = make(a, c)
    c.position = (2.0, -0.1, 0.0)
    before = world.state_hash()
    with pytest.raises(ValueError, match=rf"World\.add_joint: joint must be one that holds .* is off by {words}"):
        world.add_joint(joint)
    assert world.joints == ()
    assert world.state_hash() == before
    c.position = (2.0, 0.0, 0.0)
    world.add_joint(joint)
    world.step()


@pytest.mark.parametrize("kind", ["hinge", "slider", "weld", "universal", "planar"])
def test_a_joint_is_rejected_when_its_bodies_have_turned_since_it_was_made(kind):
    world = World(0.01)
    a, c = world.add_body(BOX, name="a"), world.add_body(BOX, name="c", position=(2.0, 0.0, 0.0))
    joint = (
        Universal(c, a, at_body=(0, 0, 0), axis_body=(0, 0, 1), axis_other=(1, 0, 0))
        if kind == "universal"
        else MISPLACED[kind][1](a, c)
    )
    c.orientation = Rotation.from_rotvec((0.02, 0.03, 0.01)).as_quat()
    if kind == "universal":
        c.orientation = Rotation.from_rotvec((0.0, 0.03, 0.0)).as_quat()
    with pytest.raises(ValueError, match=r"is off by 0\.0[23]\d* rad"):
        world.add_joint(joint)
    assert world.joints == ()


def test_a_joint_that_closes_a_loop_and_disagrees_names_the_loop():
    world, (a, _b, c), (first, second) = triangle()
    closing = Weld(c, a, at_body=(0, 0, 0))
    world.remove_joint(second)
    c.orientation = Rotation.from_rotvec((0.0, 0.0, 0.1)).as_quat()
    second = world.add_joint(Weld(c, second.body, at_body=(-0.5, 0, 0)))
    before = world.state_hash()
    words = (
        r"World\.add_joint: Weld\(body 'c', body 'a'\) is off by 0\.1 rad at the current poses, and closes a loop with "
        r"Weld\(body 'c', body 'b'\) \(off by .*\), Weld\(body 'a', body 'b'\) \(off by "
    )
    with pytest.raises(JointConflictError, match=words):
        world.add_joint(closing)
    assert world.joints == (first, second)
    assert world.state_hash() == before
    world.step(2)


def test_a_weld_that_pulls_together_what_other_welds_hold_apart_is_rejected():
    world, (a, b, c), (first, second) = triangle()
    pulling = Weld(c, a, at_body=(0, 0, 0), at_other=(2.0, 0.1, 0.0), pull_together=(1.0, 1.0))
    with pytest.raises(
        JointConflictError, match=r"by 0\.1 m .* loop with Weld\(body 'b', body 'c'\).*, Weld\(body 'a', body 'b'\)"
    ):
        world.add_joint(pulling)
    assert world.joints == (first, second)
    world.remove_joint(first)
    first = world.add_joint(Hinge(a, b, at_body=(0.5, 0, 0), axis_body=(0, 0, 1)))
    world.add_joint(pulling)  # a hinge gives way
    world.remove_joint(first)
    for _ in range(300):
        world.step()
    assert pulling.state == "hard"
    assert np.linalg.norm(c.origin - a.to_world((2.0, 0.1, 0.0))) <= 1e-10


def test_a_loop_through_the_world_counts():
    world = World(0.01)
    bar = world.add_body(BOX, name="bar")
    late = Hinge(bar, at_body=(0.5, 0, 0), axis_body=(0, 0, 1))
    bar.position = (0.0, 0.3, 0.0)
    world.add_joint(Hinge(bar, at_body=(-0.5, 0, 0), axis_body=(0, 0, 1)))
    with pytest.raises(JointConflictError, match=r"is off by 0\.3 m .* closes a loop with Hinge"):
        world.add_joint(late)


def test_a_disabled_joint_is_enabled_only_where_it_holds():
    world, a, b, joint = pair("hinge")
    world.step(2)
    assert np.linalg.norm(joint.force_world) > 0.0
    joint.enabled = False
    assert not joint.force_world.any()
    assert world.islands == ()
    b.position = np.add(b.position, (0.1, 0.0, 0.0))
    before = world.state_hash()
    with pytest.raises(
        ValueError,
        match=r"Hinge\(body 'a', body 'b'\): enabled must be left False until it holds again, .*; got True; .* is off by 0\.1 m",
    ):
        joint.enabled = True
    assert not joint.enabled
    assert world.state_hash() == before
    b.position = np.subtract(b.position, (0.1, 0.0, 0.0))
    joint.enabled = True
    world.step(2)
    assert gap(joint) <= 1e-11
    assert world.islands == ((a, b),)


def test_a_joint_whose_limits_the_pose_breaks_is_rejected_when_it_is_added():
    world = World(0.01)
    a, c = world.add_body(BOX, name="a"), world.add_body(BOX, name="c", position=(2.0, 0.0, 0.0))
    hinge = Hinge(c, a, at_body=(0, 0, 0), axis_body=(0, 0, 1), limits=(-0.1, 0.1))
    rope = Distance(c, a, at_body=(0, 0, 0), at_other=(0, 0, 0), max_length=2.1)
    c.orientation = Rotation.from_rotvec((0.0, 0.0, 0.2)).as_quat()
    with pytest.raises(
        ValueError,
        match=r"joint must be one that is within its limits; got .*; they are -0\.1 and 0\.1, and the value is 0\.2",
    ):
        world.add_joint(hinge)
    c.position = (2.2, 0.0, 0.0)
    with pytest.raises(ValueError, match=r"they are -inf and 2\.1, and the value is 2\.2"):
        world.add_joint(rope)
    assert world.joints == ()


def test_far_from_the_origin_the_spacing_of_coordinates_is_no_misfit():
    world, a, b, joint = pair("weld", origin=(1e9, -2e9, 3e8))
    world.remove_joint(joint)
    world.add_joint(pair_joint("weld", a, b))
    world.step(3)
    joint = world.joints[0]
    joint.enabled = False
    joint.enabled = True
    world.state.position = world.state.position.copy()


# joints that conflict in a tick


def conflict(world, a, b):
    """A second weld whose point is moved by 0.1 m behind the back of the checks."""
    other = world.add_joint(Weld(a, b, at_body=(0.0, 0.0, 0.0)))
    other._table.write(layout.AT_OTHER, other.rows.start, other.at_other[0] + 0.1)
    return other


def with_wheel(world, a, b):
    wheel = world.add_part(flight.ReactionWheel(a, axis=(0, 0, 1), inertia=0.02, max_torque=1.0, max_speed=500.0))
    wheel.torque = 0.3


def with_force(world, a, b):
    def pull(wrench, bodies, time):
        wrench.force_world[:] += (0.0, 0.0, 1.0)

    pull.depends_on_rates = False
    world.add_force(pull)


def with_threads(world, a, b):
    world.add_bodies([BOX] * 40, [(float(place), 50.0, 0.0) for place in range(40)])


COMPANY = {
    "alone": (None, {}),
    "wheel": (with_wheel, {}),
    "python force": (with_force, {}),
    "threads": (with_threads, {"threads": 2}),
    "order 4": (None, {"integrator": "free-rotor-4"}),
    "runge-kutta": (None, {"integrator": RungeKutta4()}),
}


@pytest.mark.filterwarnings("ignore:World. a Python force that sees all bodies")
@pytest.mark.parametrize("way", ["disabled", "removed"])
@pytest.mark.parametrize("company", COMPANY)
def test_a_tick_with_contradicting_welds_is_undone_and_the_world_goes_on_without_one(company, way):
    prepare, options = COMPANY[company]
    world, a, b, joint = pair("weld", **options)
    if prepare is not None:
        prepare(world, a, b)
    world.step(3)
    other = conflict(world, a, b)
    before, ticks = world.state_hash(), world.tick_count
    for _ in range(2):
        with pytest.raises(JointConflictError) as raised:
            world.step(5)
        named = re.findall(r"Weld\(body 'a', body 'b'\) is off by (\S+) m", str(raised.value))
        assert len(named) == 2 and all(float(residual) > 0.01 for residual in named)
        assert f"t = {world.time:g} s" in str(raised.value)
        assert (world.state_hash(), world.tick_count) == (before, ticks)
    if way == "disabled":
        other.enabled = False
    else:
        world.remove_joint(other)
    world.step(5)
    assert world.tick_count == ticks + 5
    assert gap(joint) <= 1e-11


def test_only_joints_that_contradict_each_other_are_named():
    """Eight boxes on welds, of which two more hold the same pair; the heavy ends take no part, however much they are off then."""
    world = World(0.01)
    bodies = [
        world.add_body(
            MassProperties.box(mass, (1.0, 1.0, 1.0)), name=f"box {place}", position=(float(place), 0.0, 0.0)
        )
        for place, mass in enumerate((1e4, 1.0, 3.0, 0.1, 2.0, 1.0, 1.0, 1e4))
    ]
    for one, other in itertools.pairwise(bodies):
        world.add_joint(Ball(one, other, at_body=(0.5, 0.0, 0.0)))
    for body in bodies:
        body.angular_velocity_body = (0.3, 0.1, 0.2)
    conflict(world, bodies[4], bodies[5])
    conflict(world, bodies[5], bodies[4])
    with pytest.raises(JointConflictError) as raised:
        world.step()
    named = re.findall(r"(\w+)\(body '(box \d)', body '(box \d)'\)", str(raised.value))
    assert {tuple(sorted(pair)) for _kind, *pair in named} == {("box 4", "box 5")}
    assert {"Weld"} <= {kind for kind, *_pair in named}


@pytest.mark.parametrize("call", [False, True])
def test_an_island_with_a_conflict_is_frozen_and_the_others_move_on(call):
    def scene(freezes):
        world = World(1 / 60, on_non_finite="freeze" if freezes else "raise")
        places = {"a": 0.0, "b": 1.0, "c": 9.0, "d": 10.0}
        a, b, c, d = (world.add_body(BOX, name=name, position=(x, 0.0, 0.0)) for name, x in places.items())
        world.add_body(BOX, position=(0.0, 7.0, 0.0), velocity=(0.0, 1.0, 0.0))
        if freezes:
            world.add_joint(Weld(a, b, at_body=(0.5, 0.0, 0.0)))
        world.add_joint(Ball(c, d, at_body=(0.5, 0.0, 0.0)))
        d.angular_velocity_body = (0.1, 0.2, 0.3)
        return world, a, b

    world, a, b = scene(True)
    world.step(2)
    bad = conflict(world, a, b)
    if call:
        world.on_tick(lambda world: None)
    world.step(10)
    assert [(each.body, each.tick) for each in world.frozen] == [(a, 2), (b, 2)]
    assert {each.cause for each in world.frozen} == {"joints of its island contradict each other"}
    assert world.tick_count == 12
    without, *_bodies = scene(False)
    without.step(12)
    for mine, same in zip(world.bodies[2:], without.bodies[2:], strict=True):
        assert np.array_equal(mine.position, same.position) and np.array_equal(mine.orientation, same.orientation)
    # without the bad weld, the island goes on
    world.remove_joint(bad)
    a.velocity = (0.0, 0.0, 0.0)
    world.step(3)
    assert world.frozen == () and world.tick_count == 15


def test_a_conflict_that_arises_inside_a_call_of_step_keeps_the_ticks_before():
    # the latch locks half a millimetre from where three ball joints hold it
    world = World(0.01)
    a = world.add_body(BOX, name="a")
    b = world.add_body(BOX, name="b", position=(1.0005, 0.0, 0.0))
    balls = [world.add_joint(Ball(a, b, at_body=(0.5, y, z))) for y, z in ((0, 0), (0.4, 0), (0, 0.4))]
    ports = Port((0.5, 0, 0), (1, 0, 0), (0, 0, 1)), Port((-0.5, 0, 0), (-1, 0, 0), (0, 0, 1))
    latch = world.add_joint(Latch(a, b, *ports, capture=Capture(), retract_time=0.5))
    with pytest.raises(
        JointConflictError,
        match=r"Latch\(body 'a', body 'b'\) is off by .*Ball|Ball\(body 'a', body 'b'\) is off by .*Latch",
    ):
        world.step(50)
    assert world.tick_count == 1
    assert latch.state == "soft"
    before = world.state_hash()
    with pytest.raises(JointConflictError):
        world.step()
    assert world.state_hash() == before
    for ball in balls:
        ball.enabled = False
    world.step(50)
    assert latch.state == "hard"
    assert world.tick_count == 51
    assert np.linalg.norm(a.to_world((0.5, 0, 0)) - b.to_world((-0.5, 0, 0))) <= 1e-11


@pytest.mark.parametrize("method", ["free-rotor-2", "free-rotor-4", "axis-splitting-2"])
@pytest.mark.parametrize("far", [0.0, 1e5, 7e6, 1e9])
def test_a_weld_at_the_present_poses_locks_a_hinge_at_any_distance(far, method):
    """The poses are rounded when they are stored, so that the hinge does not hold exactly at those for which the weld is made."""
    world = World(1 / 60, integrator=method)
    a = world.add_body(BOX, position=(far, 0, 0), angular_velocity_body=(0.3, 0.2, 0.1))
    b = world.add_body(BOX, position=(far + 1.0, 0, 0))
    hinge = world.add_joint(Hinge(a, b, at_body=(0.5, 0, 0), axis_body=(0, 0, 1)))
    world.step(60)
    weld = world.add_joint(Weld(a, b, at_body=(0.2, 0.1, 0)))
    world.step(600)
    for joint in (hinge, weld):
        assert gap(joint) <= 1e-11 + 4.0 * np.spacing(far)
        assert np.linalg.norm(joint.force_world) < 1.0


@pytest.mark.parametrize("miss", [1e-11, 1e-9, 9e-7])
@pytest.mark.parametrize("method", ["free-rotor-2", "free-rotor-4"])
def test_a_loop_that_add_joint_accepts_holds_within_its_misfit(miss, method):
    world = World(1 / 60, integrator=method)
    a = world.add_body(BOX, angular_velocity_body=(0.3, 0.2, 0.5))
    b = world.add_body(BOX, position=(1, 0, 0))
    welds = [world.add_joint(Weld(a, b, at_body=(0.5, 0.4, 0)))]
    welds.append(world.add_joint(Weld(a, b, at_body=(0.5, -0.4, 0), at_other=(-0.5 + miss, -0.4, 0))))
    momentum = world.angular_momentum()
    world.step(600)
    assert max(map(gap, welds)) <= 2.0 * miss + 1e-11
    assert world.angular_momentum() == pytest.approx(momentum, abs=1e-12)
    restored = World(1 / 60, integrator=method)
    restored.restore(world.snapshot(), adopt=True)
    for each in (world, restored):
        each.step(60)
    assert world.state_hash() == restored.state_hash()


def test_bodies_locked_by_more_welds_than_needed_do_not_conflict():
    for seed in range(30):
        random, world = np.random.default_rng(seed), World(1 / 60)
        links = [world.add_body(BOX, position=(i, 0, 0), angular_velocity_body=random.normal(size=3)) for i in range(4)]
        for one, two in itertools.pairwise(links):
            world.add_joint(Ball(one, two, at_body=(0.5, 0, 0)))
        world.step(60)
        for one, two in ((0, 1), (1, 2), (2, 3), (0, 3)):
            world.add_joint(Weld(links[one], links[two], at_body=(0.1, 0.2, 0)))
        world.step(60)


def test_a_second_latch_that_a_first_one_keeps_from_closing_stays_soft():
    world = World(1 / 60)
    a, b = world.add_bodies(MassProperties.box(500.0, (2, 2, 2)), [(0, 0, 0), (2.05, 0, 0)])
    told = []
    for y, miss in ((0.5, 0.0), (-0.5, 1e-4)):
        ports = Port((1, y, 0), (1, 0, 0), (0, 0, 1)), Port((-1 + miss, y, 0), (-1, 0, 0), (0, 0, 1))
        latch = world.add_joint(Latch(a, b, *ports, clocking=0.0, retract_time=1.0))
        for event in ("locked", "failed"):
            world.on_joint(lambda world, joint, event=event: told.append((event, joint)), event)
    world.step(400)
    assert latch.state == "soft"
    assert [event for event, joint in told if joint is latch][:1] == ["failed"]


@pytest.mark.parametrize("takes_part", [False, True])
def test_the_residual_of_a_joint_in_a_conflict_is_no_angle_of_its_freedom(takes_part):
    world, a, b, _joint = pair("weld")
    world.step(2)
    c = world.add_body(BOX, name="c", position=b.position)
    hinge = world.add_joint(Hinge(c, b, at_body=(0, 0, 0), axis_body=(0, 0, 1), limits=(-9.0, 9.0)))
    hinge.enabled = False
    c.orientation = (Rotation.from_quat(np.array(c.orientation)) * Rotation.from_rotvec((0.0, 0.0, 2.0))).as_quat()
    hinge.enabled = True
    conflict(world, *((c, b) if takes_part else (a, b)))
    with pytest.raises(JointConflictError) as raised:
        world.step()
    words = str(raised.value)
    assert re.search(r"Weld\(body '\w', body 'b'\) is off by 0\.0\d+ m", words)
    found = re.search(r"Hinge\(body 'c', body 'b'\) is off by \S+ m(?: and (\S+) rad)?", words)
    assert takes_part == (found is not None)
    assert found is None or float(found[1] or 0.0) < 0.5  # the angle is 2 rad


def test_other_islands_and_free_bodies_are_undone_too():
    world, a, b, _joint = pair("weld")
    free = world.add_body(BOX, position=(300.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0))
    c = world.add_body(BOX, position=(400.0, 0.0, 0.0), velocity=(0.0, 1.0, 0.0))
    world.add_joint(Ball(c, free, at_body=(0.5, 0, 0)))
    world.step(2)
    conflict(world, a, b)
    before = world.state_hash()
    with pytest.raises(JointConflictError):
        world.step(3)
    assert world.state_hash() == before


# poses that are assigned


@pytest.mark.parametrize("kind", PAIR_JOINTS)
def test_a_whole_array_of_poses_is_accepted_where_the_joints_hold(kind):
    world, a, _b, joint = pair(kind)
    world.step(3)
    turn = Rotation.from_euler("zyx", (0.4, -1.0, 0.3))
    start = world.state.position.copy()
    world.state.position = np.add(start, (5.0, -2.0, 1.0))
    before = momenta(world)
    world.step()
    after = momenta(world)
    assert after[0] == pytest.approx(before[0], abs=1e-13)
    assert np.linalg.norm(after[1] - before[1]) <= 1e-13 * before[3]
    # rotated about a point that both share, both arrays after each other, which only works while the joint is off
    joint.enabled = False
    center = a.position
    positions = center + turn.apply(world.state.position - center)
    orientations = [(turn * Rotation.from_quat(q)).as_quat() for q in world.state.orientation]
    world.state.position, world.state.orientation = positions, orientations
    joint.enabled = True
    world.step()


@pytest.mark.parametrize("argument", ["position", "orientation"])
def test_a_whole_array_of_poses_that_breaks_a_joint_is_rejected_by_name(argument):
    world, _a, _b, joint = pair("weld")
    free = world.add_body(BOX, position=(3.0, 0.0, 0.0))
    world.step(3)
    before = world.state_hash()
    values = getattr(world.state, argument).copy()
    if argument == "position":
        values[0] += (0.0, 0.01, 0.0)
        words = r"0\.01 m"
    else:
        values[0] = (Rotation.from_rotvec((0.0, 0.02, 0.0)) * Rotation.from_quat(values[0])).as_quat()
        words = r"0\.\d+ m and 0\.02 rad"
    with pytest.raises(
        ValueError,
        match=rf"World\.state: {argument} must be .* Weld\(body 'a', body 'b'\) would be off by {words}",
    ):
        setattr(world.state, argument, values)
    assert world.state_hash() == before
    values = getattr(world.state, argument).copy()
    values[2] = (7.0, 8.0, 9.0) if argument == "position" else (0.6, 0.0, 0.0, 0.8)
    setattr(world.state, argument, values)  # the free body alone
    assert getattr(free, argument) == pytest.approx(values[2])
    joint.enabled = False
    world.state.position += (0.0, 1.0, 0.0)


def test_a_whole_array_of_poses_does_not_move_an_island_that_is_held_by_the_world():
    world, body, _joint = heavy_top()
    before = world.state_hash()
    with pytest.raises(ValueError, match=r"Ball\(body 'top', the world\) would be off by 1 m"):
        world.state.position += (0.0, 1.0, 0.0)
    assert world.state_hash() == before
    world.state.position = world.state.position.copy()
    with pytest.raises(ValueError, match=r"origin must be left alone while Ball\(body 'top', the world\)"):
        body.origin = (0.0, 0.0, 0.0)


def test_a_whole_array_of_poses_that_breaks_a_limit_is_rejected():
    world = World(0.01)
    door = world.add_body(BOX, name="door")
    world.add_joint(Hinge(door, at_body=(0, 0, 0), axis_body=(0, 0, 1), limits=(-0.1, 0.3)))
    world.state.orientation = [Rotation.from_rotvec((0.0, 0.0, 0.2)).as_quat()]
    with pytest.raises(
        ValueError, match=r"orientation must be .* those of Hinge\(body 'door', the world\) would be violated: .* 0\.4"
    ):
        world.state.orientation = [Rotation.from_rotvec((0.0, 0.0, 0.4)).as_quat()]


def test_an_assigned_origin_moves_the_whole_island():
    world, a, b, joint = pair("hinge")
    world.step(2)
    between = b.position - a.position
    a.origin = (3.0, 4.0, 5.0)
    assert a.origin == pytest.approx((3.0, 4.0, 5.0), abs=1e-14)
    assert b.position - a.position == pytest.approx(between, abs=1e-12)
    assert gap(joint) <= 1e-11
    with pytest.raises(ValueError, match="origin must be 3 finite real numbers"):
        a.origin = (1.0, 2.0)


def test_the_origin_of_the_world_moves_with_joints_to_the_world():
    worlds = []
    for shifted in (False, True):
        world, body, joint = heavy_top()
        other = world.add_body(BOX, name="other", position=(30.0, 20.0, 10.0), velocity=(0.1, 0.0, 0.0))
        world.add_joint(Planar(other, (0.0, 0.0, 1.0)))
        world.add_joint(Distance(other, body, at_body=(0, 0, 0), at_other=(0, 0, 0), max_length=80.0))
        world.step(3)
        if shifted:
            world.shift_origin((16.0, -32.0, 8.0))
            assert joint.at_other == pytest.approx((-6.0, 12.0, -3.0))
        world.step(20)
        worlds.append(world)
    still, moved = worlds
    assert np.add(moved.state.position, (16.0, -32.0, 8.0)) == pytest.approx(still.state.position, abs=1e-12)
    assert moved.state.orientation == pytest.approx(still.state.orientation, abs=1e-12)
    assert gap(moved.joints[0]) <= 1e-10


def test_fixed_arguments_of_a_joint_cannot_be_assigned():
    _world, a, _b, joint = pair("hinge")
    for name, value in {"body": a, "other": None, "at_body": (0, 0, 0), "at_other": (0, 0, 0), "angle": 1.0}.items():
        with pytest.raises(AttributeError, match=rf"{name} cannot be changed"):
            setattr(joint, name, value)


def test_a_joint_that_acts_stands_in_the_way_of_a_coast_by_name():
    world, _a, _b, joint = pair("hinge", coasting=True)
    with pytest.raises(RuntimeError, match=r"Hinge\(body 'a', body 'b'\) is enabled"):
        world.coast(10)
    joint.enabled = False
    world.coast(10)


@pytest.mark.parametrize("seed", range(4))
def test_points_far_from_their_bodies_may_be_apart_by_their_rounding(seed):
    """Bodies near the origin, and a point 1e10 m away: it is rounded by 1e-6 m, and the poses turn it by as much more."""
    rng = np.random.default_rng(seed)
    world, poses, far = World(1 / 64), rng.normal(size=(2, 7)), 1e10 * rng.normal(size=3)
    first, second = (
        world.add_body(
            MassProperties.box(2.0, (1.0, 2.0, 3.0)), position=pose[:3], orientation=pose[3:] / np.linalg.norm(pose[3:])
        )
        for pose in poses
    )
    ball = world.add_joint(Ball(first, second, at_body=far))
    ball.enabled = False
    second.position += 0.01
    with pytest.raises(ValueError, match="left False until it holds again, within"):
        ball.enabled = True


def test_two_taut_ropes_stop_what_would_move_across():
    """A ball between two ropes of full length. At first order they let it move across, at second order they do not."""
    world = World(1 / 60)
    ball = world.add_body(MassProperties.sphere(1.0, 0.05), velocity=(0.0, 0.1, 0.0))
    ropes = [
        world.add_joint(Distance(ball, at_body=(0, 0, 0), at_other=(x, 0, 0), max_length=1.0)) for x in (-1.0, 1.0)
    ]
    for _ in range(60):
        world.step()
        assert max(rope.distance for rope in ropes) < 1.0 + 4e-8
        assert abs(ball.position[1]) < np.sqrt(2.0 * 4e-8)


def test_limits_that_contradict_each_other_are_told_with_what_is_left():
    """A door that a weld holds, and a limit that is moved past its angle behind the back of the checks."""
    world, a, b, _joint = pair("weld")
    hinge = world.add_joint(Hinge(a, b, at_body=(0, 0, 0), axis_body=(0, 0, 1), limits=(-1.0, 1.0)))
    hinge._table.write(layout.UPPER, hinge.rows.start, -0.1)
    with pytest.raises(JointConflictError) as caught:
        world.step()
    assert re.search(r"Hinge\(body 'a', body 'b'\) is off by \S+ m and 0\.0[1-9]\d* rad", str(caught.value))
    assert re.search(r"Weld\(body 'a', body 'b'\) is off by \S+ m and 0\.0[1-9]\d* rad", str(caught.value))


def test_limits_without_any_value_between_them_are_rejected_by_their_rule():
    world = World(1 / 60)
    bodies = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(0, 0, 0), (1, 0, 0)])
    for limits in ((math.inf, math.inf), (-math.inf, -math.inf), (math.inf, -math.inf)):
        with pytest.raises(
            ValueError, match=r"limits must be a pair \(lower, upper\) of real numbers with lower <= upper"
        ):
            Hinge(*bodies, at_body=(0, 0, 0), axis_body=(0, 0, 1), limits=limits)


def test_a_joint_on_a_body_that_was_removed_names_the_argument():
    world = World(1 / 60)
    a, b = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(0, 0, 0), (1, 0, 0)])
    world.remove_body(b)
    for bodies, argument in (((a, b), "other"), ((b, a), "body")):
        with pytest.raises(ValueError, match=rf"^Hinge: {argument}: body 'body 1' was removed from its world"):
            Hinge(*bodies, at_body=(0, 0, 0), axis_body=(0, 0, 1))
