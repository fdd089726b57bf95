"""Events of contacts, sensors, groups of bodies, and pairs that are ignored."""

import copy
import sys

import numpy as np
import pytest

from engine import MassProperties, Snapshot, World, forces, joints, rotation, shapes

BALL = MassProperties.sphere(1.0, 0.5)
G = 9.81


def bouncing(restitution=0.5):
    """A ball that falls from 1 m above the ground."""
    world = World(1 / 240)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), name="ground")
    ball = world.add_body(BALL, position=(0.0, 0.0, 1.5), name="ball")
    ball.add_shape(shapes.Sphere(0.5), material=shapes.Material(0.0, restitution))
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    return world, ball


def told_of(world, above=0.0, **options):
    """What functions of all events are told, with the tick."""
    seen = []

    def begin(world, contact):
        seen.append((world.tick_count, "begin", contact))

    def end(world, contact):
        seen.append((world.tick_count, "end", contact))

    def hit(world, contact):
        seen.append((world.tick_count, "hit", contact))

    for event, function in (("begin", begin), ("end", end), ("hit", hit)):
        world.on_contact(function, event, above=above if event == "hit" else 0.0, **options)
    return seen


def names_of(seen):
    return [event for _tick, event, _contact in seen]


def test_a_bounce_begins_hits_and_ends_with_the_speed_and_impulse_of_the_impact():
    world, ball = bouncing()
    seen = told_of(world)
    world.step(140)
    assert names_of(seen) == ["begin", "hit", "end"]
    (begun, _, contact), (at, _, hit), (ended, _, last) = seen
    speed = np.sqrt(2.0 * G)
    fall = np.sqrt(2.0 / G)
    assert begun == at == int(fall * 240) + 1 and ended == at + 1
    assert hit.closing_speed == pytest.approx(speed, rel=1e-6)
    assert hit.impulse_world == pytest.approx((0.0, 0.0, 1.5 * speed), rel=1e-2)
    assert hit.normal_world.tolist() == [0.0, 0.0, 1.0] and hit.bodies == (ball, None)
    assert contact.shapes == (ball.shapes[0], world.shapes[0])
    assert last.impulse_world.tolist() == [0.0, 0.0, 0.0] and last.closing_speed == 0.0


def test_rest_is_one_begin_and_no_hit():
    world, _ball = bouncing(0.0)
    seen = told_of(world)
    world.step(600)
    assert names_of(seen) == ["begin", "hit"]
    world.step(600)
    assert len(seen) == 2
    # what falls by less than the acceleration moves it in a tick rests
    other = world.add_body(BALL, position=(3.0, 0.0, 0.5 + 1e-5))
    other.add_shape(shapes.Sphere(0.5))
    world.step(60)
    assert names_of(seen) == ["begin", "hit", "begin"]


@pytest.mark.parametrize(("widths", "solver"), [([1] * 4, "direct"), (range(9, 0, -1), "sweeps")])
def test_what_rests_on_something_that_rests_is_not_hit(widths, solver):
    """Bodies of a stack or a pyramid fall alike, so that what their speeds differ by is what solves leave."""
    world = World(1 / 60)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    for row, width in enumerate(widths):
        for place in range(width):
            box = world.add_body(
                MassProperties.box(2.0, (1.0, 1.0, 1.0)), position=(1.02 * (place - 0.5 * width), 0.0, 0.5 + row)
            )
            box.add_shape(shapes.Box((1.0, 1.0, 1.0)))
    seen = told_of(world)
    world.step(300)
    assert world.contacts.solver_of(box) == solver
    assert set(names_of(seen)) == {"begin"} and not world.contacts.closing_speed.any()


def test_slow_touches_are_hits():
    world = World(1 / 60)
    pair = world.add_bodies(
        BALL, [(0.0, 0.0, 0.0), (1.0 + 1e-6, 0.0, 0.0)], velocity=[(1e-6, 0.0, 0.0), (0.0, 0.0, 0.0)]
    )
    for ball in pair:
        ball.add_shape(shapes.Sphere(0.5))
    seen = told_of(world)
    world.step(90)
    assert [contact.closing_speed for _tick, event, contact in seen if event == "hit"] == pytest.approx(
        [1e-6], rel=1e-6
    )


def calls_while(work):
    """Function calls in some work."""
    counts = []
    sys.setprofile(lambda frame, event, argument: counts.append(1) if event == "call" else None)
    try:
        work()
    finally:
        sys.setprofile(None)
    return len(counts)


def calls_with(functions, balls):
    """Function calls in a tick with balls at rest and functions for all events, half of them for one ball, and in adding these."""
    world = World(1 / 240)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    for place in range(balls):
        world.add_body(BALL, position=(2.0 * place, 0.0, 0.5)).add_shape(shapes.Sphere(0.5))
    world.step(3)

    def add():
        for number in range(functions):
            body = world.bodies[number % 5] if number % 2 else None
            world.on_contact(lambda world, contact: None, event=("begin", "end", "hit")[number % 3], body=body)

    adding = calls_while(add)
    world.step(2)
    kept = {
        id(each.touching) for each in world._stages.joint_events.functions if each.event != "hit" and each.body is None
    }
    assert len(kept) == 1
    return calls_while(world.step), adding


def test_the_work_of_events_is_not_that_of_all_functions_with_all_contacts():
    few, many = np.array(calls_with(12, 12)), np.array(calls_with(48, 48))
    # what both together take beyond what each takes alone
    assert (abs(many + few - calls_with(12, 48) - calls_with(48, 12)) < 36).all()


def test_a_copy_of_a_world_has_the_same_shapes():
    world = World(1 / 60)
    wedge = shapes.ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    world.add_body(BALL).add_shape(shapes.Compound([(wedge, (0, 0, 1), (0, 0, 0, 1))]))
    assert world.fork().bodies[0].shapes[0].shape is world.bodies[0].shapes[0].shape


def test_hits_below_the_least_speed_and_of_other_bodies_are_not_told():
    world, ball = bouncing()
    other = world.add_body(BALL, position=(5.0, 0.0, 9.0))
    other.add_shape(shapes.Sphere(0.5))
    slow, of_other = told_of(world, above=5.0), told_of(world, body=other)
    world.step(200)
    assert names_of(slow) == ["begin", "end", *names_of(slow)[2:]] and "hit" not in names_of(slow)
    assert of_other == []
    world.step(400)
    assert names_of(of_other)[:2] == ["begin", "hit"]
    assert all(other in contact.bodies for _, _, contact in of_other)
    assert ball is not other


@pytest.mark.parametrize("way", ["removed", "disabled", "filtered", "its body is removed"])
def test_every_begin_has_one_end_whatever_happens_to_the_shape(way):
    world, ball = bouncing(0.0)
    world.step(300)
    seen = told_of(world)
    world.step()
    assert seen == []  # what touched already has begun
    hull = ball.shapes[0]
    if way == "removed":
        world.remove_shape(hull)
    elif way == "disabled":
        hull.enabled = False
    elif way == "filtered":
        hull.collides_with = (1,)
    else:
        world.remove_body(ball)
    world.step(3)
    ((_tick, event, contact),) = seen
    assert event == "end" and contact.shapes[0] is hull and contact.point_world is None


@pytest.mark.parametrize("way", ["ignored", "joined", "in another group", "elsewhere", "layered"])
def test_every_begin_has_one_end_whatever_keeps_two_bodies_apart(way):
    world = World(1 / 60)
    left, right = world.add_bodies(
        BALL, [(0.0, 0.0, 0.0), (1.01, 0.0, 0.0)], velocity=[(0.1, 0.0, 0.0), (-0.1, 0.0, 0.0)]
    )
    for ball in (left, right):
        ball.add_shape(shapes.Sphere(0.5))
    seen = told_of(world, body=right)
    world.step(20)
    assert names_of(seen) == ["begin", "hit"]
    if way == "ignored":
        world.ignore_pair(left, right)
    elif way == "joined":
        world.add_joint(joints.Ball(left, right, at_body=(0.5, 0.0, 0.0)))
    elif way == "in another group":
        left.collision_group = 3
    elif way == "elsewhere":
        left.position = (-9.0, 0.0, 0.0)
    else:
        left.shapes[0].layer, right.shapes[0].collides_with = 2, (0, 1)
    world.step(5)
    assert names_of(seen) == ["begin", "hit", "end"]


def test_a_function_that_raises_is_told_again():
    world, ball = bouncing(0.0)
    calls = []

    @world.on_contact
    def fails(world, contact):
        ball.velocity = (3.0, 0.0, 0.0)
        calls.append(world.tick_count)
        if len(calls) == 1:
            raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        world.step(300)
    before = world.state_hash()
    assert ball.velocity[0] == 0.0
    world.step()
    assert calls == [calls[0]] * 2 and ball.velocity[0] > 2.9
    assert world.state_hash() != before


def test_functions_may_remove_and_add_shapes():
    world, ball = bouncing(0.0)
    landed = []

    @world.on_contact(event="begin")
    def swap(world, contact):
        landed.append(contact)
        if len(landed) == 1:
            world.remove_shape(contact.shapes[0])
            ball.add_shape(shapes.Box((1.0, 1.0, 1.0)))

    world.step(400)
    assert len(landed) == 2 and landed[1].shapes[0] is ball.shapes[0]
    assert ball.position[2] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.filterwarnings("ignore:.*may keep a state")
@pytest.mark.parametrize("form", ["live", "bytes"])
def test_a_restore_amid_a_contact_knows_what_has_begun(form):
    world, _ball = bouncing(0.5)
    seen = told_of(world)
    world.step(109)
    kept = world.snapshot()
    if form == "bytes":
        kept = Snapshot.from_bytes(kept.to_bytes())
    world.step(200)
    first, end = [(tick, event) for tick, event, _ in seen], world.state_hash()
    before = [each for each in first if each[0] < 109]
    seen.clear()
    world.restore(kept)
    world.step(200)
    assert before + [(tick, event) for tick, event, _ in seen] == first and world.state_hash() == end


def test_a_sensor_reports_and_does_not_push():
    world = World(1 / 240)
    gate = world.add_shape(shapes.Box((0.2, 4.0, 4.0)), position=(2.0, 0.0, 0.0), sensor=True, name="gate")
    ball = world.add_body(BALL, velocity=(1.0, 0.0, 0.0))
    ball.add_shape(shapes.Sphere(0.5))
    alone = World(1 / 240)
    free = alone.add_body(BALL, velocity=(1.0, 0.0, 0.0))
    seen = told_of(world)
    for each in (world, alone):
        each.step(960)
    assert (ball.position == free.position).all() and (ball.velocity == free.velocity).all()
    assert names_of(seen) == ["begin", "end"] and seen[0][2].shapes[1] is gate
    assert [tick / 240 for tick, _, _ in seen] == pytest.approx([1.4, 2.6], abs=1.1 / 240)
    assert gate.sensor is not False


@pytest.mark.parametrize("speed", [2.0, 300.0, 3000.0])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("start", [-0.3, -20.0, -44.0])
def test_a_sensor_reports_what_crosses_it_and_not_what_passes_beside_it(speed, turned, start):
    """Also within one tick. Beside it pass balls that miss its edge by a tenth of their radius, or by far."""
    orientation = rotation.from_axis_angle((0, 0, 1), 0.7) if turned else (0, 0, 0, 1)
    half = np.array([0.05, 2.0])
    edge = float(half @ np.abs([np.sin(0.7), np.cos(0.7)])) if turned else 2.0
    for aside, crosses in (
        (0.0, True),
        (edge - 0.1, True),
        (edge + 0.055, False),
        (edge + 1.0, False),
        (-edge - 0.055, False),
    ):
        world = World(1 / 60)
        world.add_shape(shapes.Box((0.1, 4.0, 4.0)), orientation=orientation, sensor=True)
        away = start * speed / 3000.0
        ball = world.add_body(BALL, position=(away - 1.8, aside, 0.3), velocity=(speed, 0.0, 0.0))
        ball.add_shape(shapes.Sphere(0.05))
        seen = told_of(world)
        world.step(3 + int(60 * (4.0 - away) / speed))
        assert names_of(seen) == (["begin", "end"] if crosses else []), aside
        assert (ball.velocity == (speed, 0.0, 0.0)).all()


@pytest.mark.parametrize("is_seer", [False, True])
@pytest.mark.parametrize("speed", [6.0, 60.0, 600.0])
@pytest.mark.parametrize("aside", [0.0, -1.9, 1.9, 2.01])
def test_a_sensor_of_a_body_meets_others_in_any_part_of_a_tick(speed, aside, is_seer):
    """Also where both are apart at both ends of the tick. The balls overlap from one closed form of the time to the other."""
    world = World(1 / 60)
    start = -0.31 * speed / 60
    moving = world.add_body(BALL, position=(start - 2.0, 0.0, 0.0), velocity=(speed, 0.0, 0.0))
    resting = world.add_body(BALL, position=(0.0, aside, 0.0))
    moving.add_shape(shapes.Sphere(1.0), sensor=is_seer)
    resting.add_shape(shapes.Sphere(1.0), sensor=not is_seer)
    seen = told_of(world)
    world.step(4 + int(60 * (5.0 - start) / speed))
    assert names_of(seen) == (["begin", "end"] if abs(aside) < 2.0 else [])
    if seen:
        half = float(np.sqrt(4.0 - aside**2))
        times = [(2.0 - start - half) / speed, (2.0 - start + half) / speed]
        # a function is told at the start of the next tick, of the end at that after the last one in which they overlap
        assert seen[0][0] == np.ceil(60 * times[0])
        assert 0 <= seen[1][0] - np.ceil(60 * times[1]) <= 1


def test_a_sensor_at_rest_is_told_of():
    world = World(1 / 60)
    world.add_shape(shapes.Box((2.0, 2.0, 2.0)), sensor=True)
    ball = world.add_body(BALL)
    hull = ball.add_shape(shapes.Sphere(0.5))
    seen = told_of(world)
    world.step(2)
    hull.sensor = True
    world.step(5)
    hull.enabled = False
    world.step(5)
    assert names_of(seen) == ["begin", "end"]


def test_functions_are_called_in_the_order_of_shapes_wherever_these_are_in_memory():
    """Also for what has ended so far away that nothing is left in the table of contacts."""
    told = []
    for last in (0, -1):
        world = World(1 / 60)
        world.add_shape(shapes.Box((0.2, 9.0, 9.0)), sensor=True)
        balls = world.add_bodies(BALL, [(-2, 0.5 * k - 2, 0) for k in range(8)], velocity=(300, 0, 0))
        handle = balls[3].add_shape(shapes.Sphere(0.1))
        freed = [copy.copy(handle) for _ in range(64)]
        while freed:
            del freed[last]  # a handle gets the memory that was freed last, so that addresses fall here and rise there
        for place in (0, 6, 1, 7, 4, 2, 5):
            balls[place].add_shape(shapes.Sphere(0.1))
        told.append([])
        world.on_contact(lambda world, contact, into=told[-1]: into.append(contact.bodies[0].index), event="end")
        world.step(4)
    assert told == 2 * [[3, 0, 6, 1, 7, 4, 2, 5]]


def test_groups_pass_through_each_other_and_meet_the_world():
    world = World(1 / 60)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
    bodies = world.add_bodies(BALL, [(0.0, 0.0, 0.6), (0.1, 0.0, 0.6), (0.2, 0.0, 1.7)])
    bodies[1].collision_group = 7
    for body in bodies:
        body.add_shape(shapes.Sphere(0.5), material=shapes.Material(0.0))
    bodies[2].collision_group = 7
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    world.step(30)
    pairs = {frozenset(pair) for pair in world.contacts.bodies}
    assert pairs == {frozenset(pair) for pair in ((bodies[0], None), (bodies[1], None), (bodies[2], bodies[1]))}
    assert [body.collision_group for body in bodies] == [0, 7, 7]
    assert [body.collision_group for body in copy.deepcopy(world).bodies] == [0, 7, 7]
    bodies[1].collision_group = bodies[2].collision_group = 0
    with pytest.raises(ValueError, match="collision_group"):
        bodies[0].collision_group = -1


def test_pairs_that_are_ignored_and_joints_that_let_their_bodies_collide():
    world = World(1 / 60)
    a, b, c = world.add_bodies(BALL, [(0, 0, 0), (1.0, 0, 0), (2.0, 0, 0)])
    for body in (a, b, c):
        body.add_shape(shapes.Sphere(0.5))
    world.ignore_pair(c, b)
    world.ignore_pair(b, c)
    rope = world.add_joint(joints.Distance(a, b, at_body=(0, 0, 0), at_other=(0, 0, 0), max_length=1.0))
    world.step()
    assert len(world.contacts) == 0
    rope.collides = True
    world.step()
    assert world.contacts.bodies == ((a, b),)
    world.ignore_pair(b, c, ignored=False)
    world.step()
    assert world.contacts.bodies == ((a, b), (b, c))
    with pytest.raises(ValueError, match=r"World\.ignore_pair: b must be another body"):
        world.ignore_pair(a, a)


def test_a_joint_to_the_world_keeps_its_body_from_the_shapes_of_the_world():
    world = World(1 / 60)
    world.add_shape(shapes.Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, -0.9))
    ball = world.add_body(BALL)
    ball.add_shape(shapes.Sphere(0.5))
    pivot = world.add_joint(joints.Ball(ball, at_body=(0.0, 0.0, 0.2)))
    world.step()
    assert len(world.contacts) == 0
    pivot.collides = True
    world.step()
    assert world.contacts.bodies == ((ball, None),)


def docked():
    """Two craft whose shapes overlap by 0.2 m when their ports are mated, about to be captured, and what functions are told."""
    world = World(1 / 60)
    mass = MassProperties.box(500.0, (2.0, 2.0, 2.0))
    tug = world.add_body(mass, position=(-0.1, 0.0, 0.0), velocity=(0.05, 0.0, 0.0))
    barge = world.add_body(mass, position=(2.2, 0.0, 0.0))
    for craft in (tug, barge):
        craft.add_shape(shapes.Box((2.2, 2.0, 2.0)))
    probe = joints.Port(position=(1.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), up=(0.0, 0.0, 1.0))
    drogue = joints.Port(position=(-1.0, 0.0, 0.0), axis=(-1.0, 0.0, 0.0), up=(0.0, 0.0, 1.0))
    latch = world.add_joint(
        joints.Latch(tug, barge, probe, drogue, clocking=0.0, capture=joints.Capture(distance=0.25))
    )
    return world, latch, told_of(world)


def test_a_latch_that_holds_two_craft_keeps_their_shapes_apart():
    world, latch, seen = docked()
    states = []
    while latch.state != "hard":
        world.step()
        assert latch.state == "open" or len(world.contacts) == 0
        states.append(latch.state)
    assert "soft" in states and seen == []


def test_overlaps_that_part_without_an_impulse_begin_and_end():
    """Craft that a latch releases part faster than by their overlap alone, so that nothing pushes them."""
    world, latch, seen = docked()
    world.step(600)
    assert latch.state == "hard"
    latch.release(push=10.0)
    world.step(3)
    assert latch.state == "open" and world.contacts.gap.max() < -0.1 and not world.contacts.normal_impulse.any()
    world.step(240)
    assert names_of(seen) == ["begin", "end"] and seen[0][0] == 601
    assert len(world.contacts) == 0


def report(world, contact):
    """A function that files can name."""


def test_functions_pairs_and_groups_are_in_scenes_and_bytes(tmp_path):
    world, ball = bouncing(0.0)
    other = world.add_body(BALL, position=(5.0, 0.0, 9.0), name="other")
    world.on_contact(report, "hit", ball, 2.5)
    world.ignore_pair(ball, other)
    other.collision_group = 3
    world.step(200)
    for snapshot in (True, False):
        world.save(tmp_path / "scene.json", snapshot=snapshot)
        loaded = World.load(tmp_path / "scene.json", objects={"tests.physics.test_contact_events.report": report})
        (callback,) = loaded._stages.joint_events.functions
        assert (callback.event, callback.body, callback.above) == ("hit", loaded.bodies[0], 2.5)
        assert loaded.bodies[1].collision_group == 3
        assert loaded._joints.contacts.ignored.content().tolist() == [[0.0], [1.0]]
    assert copy.deepcopy(world)._stages.joint_events.functions[0].above == 2.5


@pytest.mark.parametrize(
    ("arguments", "kind", "named"),
    [
        ((3,), TypeError, "World.on_contact: function"),
        ((report, "touch"), ValueError, "World.on_contact: event"),
        ((report, "hit", "ball"), TypeError, "World.on_contact: body"),
        ((report, "hit", None, -1.0), ValueError, "World.on_contact: above"),
        ((report, "begin", None, 2.0), ValueError, "World.on_contact: above"),
    ],
)
def test_bad_arguments_are_named(arguments, kind, named):
    world, _ball = bouncing()
    with pytest.raises(kind, match=named):
        world.on_contact(*arguments)
