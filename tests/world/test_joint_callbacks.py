"""Functions of `World.on_joint`: when they are called, what a failed tick undoes, and snapshots, forks and copies of worlds with joints."""

import copy
import json
import pickle

import numpy as np
import pytest

from engine import MassProperties, Snapshot, World, forces
from engine.integrators import Extrapolated, FreeRotor, RungeKutta4, Substepped
from engine.joints import Ball, Capture, Distance, Hinge, JointSpring, Latch, Motor, Port, Weld
from engine.tick import joint_events

from ..altered_bytes import altered

BOX = MassProperties.box(10.0, (1.0, 1.0, 1.0))
TOLD = []


def tell(world, joint):
    """A function of a module, which pickle and snapshots find by its name."""
    TOLD.append((world.tick_count, joint))


def tell_more(world, joint):
    """Another one."""
    TOLD.append((world.tick_count, joint, "more"))


@pytest.fixture(autouse=True)
def nothing_told():
    TOLD.clear()


def door(upper=0.06):
    """A hinge between two boxes that reaches its upper limit after a few ticks."""
    world = World(0.05)
    hull = world.add_body(BOX, name="hull")
    flap = world.add_body(BOX, name="flap", position=(1.0, 0.0, 0.0), angular_velocity_body=(0.0, 0.0, 0.2))
    hinge = world.add_joint(Hinge(flap, hull, at_body=(-0.5, 0, 0), axis_body=(0, 0, 1), limits=(-1.0, upper)))
    return world, hinge


def docked():
    """A latch that has caught, beside a hinge with a limit."""
    world, hinge = door()
    hull = world.body("hull")
    port = Port((0.0, 0.5, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    other_port = Port((0.0, -0.5, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0))
    tug = world.add_body(BOX, name="tug", position=(0.0, 1.05, 0.0))
    reach = Capture(distance=0.5, angle=1.0, lateral=0.5, speed=5.0, rate=5.0)
    latch = world.add_joint(Latch(hull, tug, port, other_port, clocking=0.1, capture=reach, retract_time=0.7))
    world.step(3)
    assert latch.state == "soft"
    return world, hinge, latch


def told_among_many():
    """What a latch, doors that reach a limit and leave it, and joints of which one breaks tell in three seconds."""
    world, hinge, latch = docked()
    joints, told = [hinge, latch], []
    for place in range(1, 9):
        hull, flap = world.add_bodies(BOX, [(0.0, 9.0 * place, 0.0), (1.0, 9.0 * place, 0.0)])
        flap.angular_velocity_body = (0.0, 0.0, (-1.0) ** place * 0.1 * place)
        thresholds = {"break_force": 0.3} if place == 3 else {}
        limits = {} if place > 6 else {"limits": (-0.05, 0.04 * place)}
        door = Hinge(flap, hull, at_body=(-0.5, 0, 0), axis_body=(0, 0, 1), **limits, **thresholds)
        joints.append(world.add_joint(door))

    @world.on_tick
    def push(world):
        for body in world.bodies[4::2]:
            body.apply_torque((0.0, 0.0, 2.0 * (-1.0) ** (world.tick_count // 12)))

    for event in ("broken", "limit", "locked"):
        world.on_joint(
            lambda world, joint, event=event: told.append((world.tick_count, joints.index(joint), event)),
            event=event,
            name=event,
        )
    world.step(60)
    return told, world.state_hash()


def test_of_many_joints_those_are_found_to_which_something_happens(monkeypatch):
    """Many are chosen by their rows; looking at each of them finds the same, in the same order."""
    told = told_among_many()
    monkeypatch.setattr(joint_events, "_FEW", 1000)
    assert told_among_many() == told
    assert {event for _tick, _joint, event in told[0]} == {"broken", "limit", "locked"}
    assert len({joint for _tick, joint, _event in told[0]}) >= 6 and len(told[0]) >= 12


def test_functions_are_called_before_those_of_on_tick_and_in_the_order_of_the_joints():
    world = World(0.05)
    bodies = world.add_bodies(BOX, [(float(place), 0.0, 0.0) for place in range(4)])
    pairs = [(bodies[0], bodies[1]), (bodies[2], bodies[3])]
    weak = [world.add_joint(Ball(a, b, at_body=(0.5, 0, 0), break_force=1.0)) for a, b in pairs]
    for body, side in zip(bodies, (-1.0, 1.0, -1.0, 1.0), strict=True):
        world.add_force(forces.ConstantForce(body, force_world=(50.0 * side, 0.0, 0.0)))
    called = []
    world.on_tick(lambda world: called.append(("tick", world.tick_count)))
    world.on_joint(lambda world, joint: called.append((world.joints, joint)), "broken")
    world.step(2)
    assert called == [("tick", 0), ((), weak[0]), ((), weak[1]), ("tick", 1)]


def test_a_latch_that_breaks_is_open_and_captures_again_once_its_ports_have_been_apart():
    world, _hinge, latch = docked()
    told = []
    for event in ("broken", "locked", "captured", "released"):
        world.on_joint(
            lambda world, joint, event=event: told.append((event, joint.state, joint in world.joints)), event
        )
    latch.break_force = 1e-9
    world.step(2)
    assert told == [("broken", "open", False)]
    told.clear()
    latch.break_force = None
    tug = world.body("tug")
    world.add_joint(latch)
    world.step(5)
    assert (latch.state, told) == ("open", [])
    there = tug.position
    tug.position = there + np.array((0.0, 2.0, 0.0))
    world.step(2)
    tug.position, tug.velocity, tug.angular_velocity_body = there, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    world.step(60)
    assert told[0] == ("captured", "soft", True)


@pytest.mark.parametrize("how", ["disabled", "removed"])
@pytest.mark.parametrize("apart", [0.0, 10.0])
def test_a_soft_latch_that_was_disabled_or_removed_has_let_go(how, apart):
    world, _hinge, latch = docked()
    told = []
    for event in ("captured", "locked", "failed"):
        world.on_joint(lambda world, joint, event=event: told.append(event), event=event)
    if how == "disabled":
        latch.enabled = False
    else:
        world.remove_joint(latch)
    tug = world.body("tug")
    world.step(600)
    tug.position = latch.body.to_world(latch.at_body) + latch.body.direction_to_world((0.0, 0.55 + apart, 0.0))
    tug.orientation = latch.body.orientation
    tug.velocity, tug.angular_velocity_body = latch.body.velocity, (0, 0, 0)
    latch.body.angular_velocity_body = (0, 0, 0)
    if how == "disabled":
        latch.enabled = True
    else:
        world.add_joint(latch)
    assert latch.state == "open"
    world.step(100)
    assert told == [] if apart else told[0] == "captured" and told[-1] == "locked"


def test_listening_to_limits_changes_no_hash_and_tells_nothing_of_the_past():
    told, worlds = [], []
    for listens in (False, True):
        world, hinge = door()
        world.add_force(forces.ConstantTorque(hinge.body, torque_body=(0.0, 0.0, 0.5)))
        if listens:
            world.on_joint(lambda world, joint: told.append(world.tick_count), "limit")
        world.step(300)
        assert hinge.angle == pytest.approx(hinge.limits[1], abs=1e-6)
        worlds.append(world)
    assert len(told) == 1
    assert worlds[0].state_hash() == worlds[1].state_hash()
    for world in worlds:
        world.on_joint(lambda world, joint: told.append(world.tick_count), "limit")
        world.step(10)
    assert len(told) == 1


def test_a_joint_that_is_pushed_against_the_limit_on_which_it_rests_has_not_reached_it_again():
    world, told = World(0.05), []
    flap = world.add_body(BOX)
    hinge = world.add_joint(Hinge(flap, at_body=(-0.5, 0, 0), axis_body=(0, 0, 1), limits=(-1.0, 0.0)))
    world.on_joint(lambda world, joint: told.append(world.tick_count), "limit")
    for _ in range(3):
        flap.apply_torque((0.0, 0.0, 0.1))
        world.step(4)
    assert hinge.angle == pytest.approx(0.0, abs=1e-12)
    assert told == [1]
    flap.apply_torque((0.0, 0.0, -0.1))
    world.step(4)
    flap.apply_torque((0.0, 0.0, 0.3))
    world.step(4)
    assert told == [1, told[-1]] and told[-1] > 16


def test_a_latch_that_breaks_in_the_tick_in_which_it_could_lock_does_not_lock():
    world, _hinge, latch = docked()
    while latch.state == "soft":
        before = world.snapshot()
        world.step()
    world.restore(before)
    assert latch.state == "soft"
    told = []
    for event in ("broken", "locked"):
        world.on_joint(lambda world, joint, event=event: told.append(event), event)
    latch.break_force = 1e-9
    world.step(3)
    assert told == ["broken"]


def test_thresholds_can_be_read_and_assigned_in_flight():
    world = World(0.05)
    box = world.add_body(BOX)
    joint = world.add_joint(Hinge(box, at_body=(0, 0, 0.5), axis_body=(0, 0, 1), break_torque=3.0))
    assert (joint.break_force, joint.break_torque) == (float("inf"), 3.0)
    joint.break_torque = None
    assert joint.break_torque == float("inf")
    world.add_force(forces.ConstantForce(box, force_world=(0.0, 0.0, -2.0)))
    world.step(3)
    for wrong in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match=r"Hinge\(body 'body 0', the world\): break_force must be .* above 0"):
            joint.break_force = wrong
    joint.break_force = 1.9
    world.step()
    assert world.joints == ()


def test_what_a_function_changes_is_undone_with_a_tick_that_fails():
    world, hinge = door()
    hull, flap = world.bodies
    seen = []

    @world.on_joint(event="limit")
    def lock(world, joint):
        world.remove_joint(joint)
        world.add_joint(Weld(hull, flap, at_body=(0.5, 0, 0)))
        world.remove_callback(lock)
        seen.append(joint)

    @world.on_tick
    def fail(world):
        if seen:
            raise RuntimeError("after the change")

    before = world.state_hash()
    with pytest.raises(RuntimeError, match="after the change"):
        while world.tick_count < 20:
            before = world.state_hash()
            world.step()
    assert seen == [hinge]
    assert world.joints == (hinge,)
    assert world.state_hash() == before
    world.remove_callback(fail)
    world.step()  # it happens again
    assert seen == [hinge, hinge]
    assert type(world.joints[0]) is Weld


def test_a_force_cannot_change_joints():
    world, hinge = door()
    hull = world.body("hull")
    unattached = Ball(hull, at_body=(0.0, 0.0, 0.0))
    changes = (
        lambda: world.remove_joint(hinge),
        lambda: world.add_joint(unattached),
        lambda: setattr(hinge, "enabled", False),
        lambda: setattr(hinge, "friction", 1.0),
    )
    for change in changes:

        def meddle(wrench, bodies, time, change=change):
            change()

        world.add_force(meddle)
        before = world.state_hash()
        rejected = pytest.raises(
            RuntimeError, match="a force may only add to its wrench; change the world in a callback"
        )
        if change is changes[0]:
            with pytest.warns(UserWarning, match="moved by the step of the joints"), rejected:
                world.step()
        else:
            with rejected:
                world.step()
        assert world.state_hash() == before
        world.remove_force(meddle)
    assert world.joints == (hinge,)


def test_a_snapshot_has_the_functions_and_what_the_latch_was_doing():
    world, hinge, latch = docked()
    world.on_joint(tell, "limit")
    snapshot = world.snapshot()
    world.step(20)
    after, told = world.state_hash(), list(TOLD)
    assert [joint for _tick, joint in told] == [hinge]
    world.remove_callback(tell)
    world.on_joint(tell_more, "limit")
    world.on_joint(tell_more, "locked")
    world.remove_joint(latch)
    world.restore(snapshot)
    assert world.joints == (hinge, latch)
    TOLD.clear()
    world.step(20)
    assert world.state_hash() == after
    assert told == TOLD


def test_a_snapshot_in_bytes_finds_the_functions_by_name_and_makes_the_joints():
    world, _hinge, latch = docked()
    world.on_joint(tell, "limit")
    world.on_joint(tell_more, "locked", name="the lock")
    data = world.snapshot().to_bytes()
    other = World(0.05)
    with pytest.raises(
        ValueError, match=r"on_joint\[0\] refers to the function of on_joint .*tell, which is not in this"
    ):
        other.restore(Snapshot.from_bytes(data))
    other.on_joint(tell, "locked")  # another event
    with pytest.raises(ValueError, match=r"on_joint\[0\]"):
        other.restore(Snapshot.from_bytes(data))
    other.on_joint(tell, "limit")
    with pytest.raises(ValueError, match=r"on_joint\[1\] refers to the function of on_joint the lock"):
        other.restore(Snapshot.from_bytes(data))
    assert other.joints == ()
    other.restore(Snapshot.from_bytes(data), missing="drop")
    assert other.state_hash() == world.state_hash()
    assert [type(joint) for joint in other.joints] == [Hinge, Latch]
    made = other.joints[1]
    assert (made.capture, made.clocking, made._retract_time) == (latch.capture, latch.clocking, latch._retract_time)
    world.step(60)
    told = list(TOLD)
    TOLD.clear()
    other.step(60)
    assert other.state_hash() == world.state_hash()
    assert made.state == latch.state == "hard"
    assert [tick for tick, _joint in TOLD] == [entry[0] for entry in told if len(entry) == 2]
    assert len(told) > len(TOLD) > 0
    assert Snapshot.from_bytes(other.snapshot().to_bytes()).to_bytes() == other.snapshot().to_bytes()


def test_a_snapshot_in_bytes_with_joints_does_not_fit_a_method_that_cannot_move_them():
    world, _hinge = door()
    method = {"class": "Extrapolated", "integrator": {"class": "RungeKutta4"}}
    data = altered(world.snapshot().to_bytes(), lambda header, put: header.update(integrator=method))
    snapshot = Snapshot.from_bytes(data)
    other = World(0.05, integrator=Extrapolated(RungeKutta4()))
    with pytest.raises(ValueError, match="neither Extrapolated nor Substepped"):
        other.restore(snapshot)


def test_copies_and_forks_take_functions_along_drop_them_or_replace_them():
    world, _hinge, _latch = docked()
    world.on_joint(tell, "limit")
    pickled, copied = pickle.loads(pickle.dumps(world)), copy.deepcopy(world)
    kept, dropped, replaced = world.fork(), world.fork("drop"), world.fork({tell: tell_more})
    for other, length in ((pickled, 2), (copied, 2), (kept, 2), (dropped, 0), (replaced, 3)):
        TOLD.clear()
        other.step(20)
        assert [len(entry) for entry in TOLD] == [length] * (length > 0)
        assert all(entry[1] is other.joints[0] for entry in TOLD)
    world.step(20)
    assert pickled.state_hash() == copied.state_hash() == kept.state_hash() == world.state_hash()


def test_a_function_that_holds_a_joint_is_rejected_in_a_fork():
    world, hinge = door()

    @world.on_joint(event="limit")
    def stop(world, joint):
        hinge.enabled = False

    with pytest.raises(ValueError, match=r"the callback .*stop refers to a handle of this world"):
        world.fork()
    assert world.fork("drop")._stages.joint_events.functions == []


def test_a_prediction_calls_no_function_and_changes_nothing():
    world, _hinge, _latch = docked()
    world.on_joint(tell, "limit")
    before, functions = world.state_hash(), world._stages.joint_events.functions
    positions, _orientations = world.predict(1.0)
    assert TOLD == []
    assert world.state_hash() == before
    assert world._stages.joint_events.functions is functions
    world.step(20)
    assert np.array_equal(world.state.position, positions[-1])
    assert len(TOLD) == 1


def test_a_function_that_keeps_a_state_of_its_own_is_named_by_a_snapshot():
    world, _hinge = door()
    reached = []
    world.on_joint(lambda world, joint: reached.append(joint), "limit")
    with pytest.warns(UserWarning, match="closure variable 'reached'"):
        world.snapshot()


def test_an_unknown_name_or_event_is_rejected():
    world, _hinge = door()
    with pytest.raises(TypeError, match=r"World\.on_joint: name must be a non-empty string"):
        world.on_joint(tell, "limit", name="")
    with pytest.raises(ValueError, match=r"World\.on_joint: event must be 'broken', 'limit'"):
        world.on_joint(tell)
    with pytest.raises(TypeError, match=r"World\.on_joint: function must be a function"):
        world.on_joint(3, "limit")
    assert world._stages.joint_events.functions == []


# files


@pytest.mark.parametrize("with_snapshot", [False, True])
def test_a_saved_world_has_its_joints_and_their_functions(with_snapshot, tmp_path):
    world, _hinge, latch = docked()
    world.on_joint(tell, "limit", name="tell")
    world.add_joint(Ball(world.body("tug"), at_body=(0.0, 0.0, 3.0), break_force=9.0)).enabled = False
    path = tmp_path / "scene.json"
    world.save(path, snapshot=with_snapshot)
    with pytest.raises(ValueError, match=r"on_joint\[0\]\[0\] must be a key of `objects`"):
        World.load(path)
    other = World.load(path, objects={"tell": tell})
    assert [type(joint) for joint in other.joints] == [Hinge, Latch, Ball]
    assert [joint.enabled for joint in other.joints] == [True, True, False]
    assert other.joints[2].other is None
    assert (other.state_hash() == world.state_hash()) is with_snapshot
    for _ in range(60):
        world.step()
        other.step()
    assert np.array_equal(world.state.position, other.state.position)
    assert other.joints[1].state == latch.state == "hard"
    assert len(TOLD) >= 2
    again = tmp_path / "again.json"
    other.save(again, snapshot=False)
    world.save(path, snapshot=False)
    assert (again.read_text() == path.read_text()) is with_snapshot


BAD_JOINTS = [
    ({"class": "Pulley", "body": "hull"}, r"joints\[0\].class must be the name of a class of engine.joints"),
    ({"class": "LinearDrag", "body": "hull"}, r"joints\[0\].class must be the name of a class of engine.joints"),
    ({"class": "Ball", "body": "ship"}, r"joints\[0\].body must be the name of a body of the scene"),
    ({"class": "Ball", "body": "hull", "other": "hull", "fields": {}}, r"joints\[0\].other must be a body other than `body`"),
    ({"class": "Ball", "body": "hull", "angle": 1}, r"joints\[0\].angle is not known"),
    ({"class": "Ball", "body": "hull", "fields": {"body": [1.0]}}, r"joints\[0\].fields.body must be one of the fields"),
    ({"class": "Ball", "body": "hull", "fields": {"at_body": [1.0]}}, r"joints\[0\].fields.at_body must be a list of 3"),
    ({"class": "Ball", "body": "hull", "fields": {"friction": ["inf", 0.0, 0.0]}}, r"friction\[0\] must be a number"),
    ({"class": "Ball", "body": "hull", "fields": {"frame_body": [1.0, 1.0, 0.0, 0.0]}}, r"frame_body must be of length 1"),
    (
        {"class": "Ball", "body": "hull", "fields": {"type": [99]}, "attributes": {"_has_axis": False}},
        r"joints\[0\].class must be a class of joints of the type 99",
    ),
    ({"class": "Ball", "body": "hull", "fields": {}, "attributes": {"_soft": 1}}, r"attributes._soft must be an attribute of Ball"),
    ({"class": "Latch", "body": "hull", "other": "flap", "fields": {}}, r"joints\[0\].attributes must be an object with the keys _other"),
    (
        {"class": "Ball", "body": "hull", "attributes": {"_has_axis": False}, "fields": {"at_body": [9.0, 0.0, 0.0]}},
        r"joints\[0\]: World.add_joint: .* is off by 9 m",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("joint", "words"), BAD_JOINTS)
def test_a_joint_in_a_file_is_checked_and_its_place_is_named(joint, words, tmp_path):
    world, hinge = door()
    world.remove_joint(hinge)
    path = tmp_path / "scene.json"
    world.save(path, snapshot=False)
    scene = json.loads(path.read_text())
    path.write_text(json.dumps(scene | {"joints": [joint]}))
    with pytest.raises(ValueError, match=words):
        World.load(path)


def fail(world):
    raise RuntimeError("on purpose")


def pull_nothing(world, bodies, wrench):
    """A Python force, because of which all bodies are moved by the step of the joints."""


@pytest.mark.parametrize("force", [None, pull_nothing])
@pytest.mark.filterwarnings("ignore:World. a Python force that sees all bodies")
def test_a_limit_that_is_touched_in_an_early_step_of_a_divided_tick_is_told_once(force):
    """A spring pulls the flap back before the tick ends."""
    world = World(0.05, integrator=Substepped(FreeRotor(), 40))
    hull, flap = (world.add_body(BOX, position=(x, 0.0, 0.0)) for x in (0.0, 1.0))
    flap.angular_velocity_world = (0.0, 0.0, 2.0)
    back = JointSpring(stiffness=4e3)
    hinge = world.add_joint(
        Hinge(flap, hull, at_body=(-0.5, 0, 0), axis_body=(0, 0, 1), limits=(-1.0, 0.01), spring=back)
    )
    world.on_joint(tell, "limit")
    if force is not None:
        world.add_force(force)
    world.step()
    assert hinge.angle < -0.009
    world.on_tick(fail)
    with pytest.raises(RuntimeError, match="on purpose"):
        world.step()
    world.remove_callback(fail)
    world.step(9)
    assert TOLD == [(1, hinge), (1, hinge)]


@pytest.mark.parametrize("force", [None, pull_nothing])
@pytest.mark.parametrize("threshold", [0.98, 1.02])
@pytest.mark.filterwarnings("ignore:World. a Python force that sees all bodies")
def test_forces_and_thresholds_of_a_divided_tick_are_those_of_the_whole_tick(force, threshold):
    """The first of four steps takes the relative velocity of two craft, 0.1 m/s between masses of 10 kg."""
    world = World(0.05, integrator=Substepped(FreeRotor(), 4))
    a, b = (world.add_body(BOX, position=(x, 0.0, 0.0)) for x in (0.0, 1.0))
    mean = 10.0 * 0.05 / 0.05
    joint = world.add_joint(Ball(a, b, at_body=(0.5, 0.0, 0.0), break_force=threshold * mean))
    a.velocity = (0.1, 0.0, 0.0)
    if force is not None:
        world.add_force(force)
    world.step()
    assert joint.force_world == pytest.approx((-mean, 0.0, 0.0), rel=1e-9, abs=1e-9)
    world.step()
    assert (joint in world.joints) == (threshold > 1.0)


@pytest.mark.filterwarnings("ignore:World. a Python force that sees all bodies")
def test_a_divided_tick_after_one_that_failed_has_its_own_steps_alone():
    """The third of four steps fails; the tick that follows has the bits of a world in which none has failed."""
    fails = []

    def spoil(wrench, states, time):
        if fails and time > 0.03:
            raise ZeroDivisionError

    def made():
        world = World(0.05, integrator=Substepped(FreeRotor(), 4))
        a, b = (world.add_body(BOX, position=(x, 0.0, 0.0)) for x in (0.0, 1.0))
        a.velocity = (0.1, 0.0, 0.0)
        world.add_force(spoil)
        return world, world.add_joint(Ball(a, b, at_body=(0.5, 0.0, 0.0)))

    (world, joint), (other, other_joint) = made(), made()
    fails.append(True)
    with pytest.raises(ZeroDivisionError):
        world.step()
    fails.clear()
    world.step()
    other.step()
    assert world.state_hash() == other.state_hash()
    assert joint.force_world.tolist() == other_joint.force_world.tolist()


def test_a_function_of_joints_must_be_given_unless_it_is_decorated():
    world, _hinge = door()
    with pytest.raises(
        TypeError,
        match=r"World.on_joint: function must be a function with two arguments, the world and a joint; got None",
    ):
        world.on_joint(None, "limit")
    assert world.on_joint(event="limit")(tell) is tell


def test_what_a_latch_and_a_rod_were_made_with_can_be_read():
    world = World(0.05)
    hull, tug = world.add_bodies(BOX, [(0.0, 0.0, 0.0), (0.0, 1.05, 0.0)])
    port = Port((0.0, 0.5, 0.0), (0.0, 0.6, 0.8), (1.0, 0.0, 0.0))
    other_port = Port((0.0, -0.5, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0))
    latch = Latch(hull, tug, port, other_port, soft=(2.0, 0.7), retract_time=3.0)
    assert (latch.soft, latch.retract_time) == ((2.0, 0.7), 3.0)
    world.add_joint(latch)
    for name in ("position", "axis", "up"):
        assert getattr(latch.port, name) == pytest.approx(getattr(port, name), abs=1e-15)
    assert latch.other_port is other_port
    welds = [Weld(hull, tug, at_body=(0, 0, 0), pull_together=each) for each in (None, (2.0, 0.5))]
    assert [weld.pull_together for weld in welds] == [None, (2.0, 0.5)]
    rod = Distance(hull, tug, at_body=(0, 0, 0), at_other=(0, 0, 0))
    rope = Distance(hull, tug, at_body=(0, 0, 0), at_other=(0, 0, 0), max_length=2.0)
    assert (rod.length, rope.length) == (1.05, None)
    with pytest.raises(TypeError, match="max_torque"):
        Motor(target_rate=1.0)


@pytest.mark.parametrize("run", [World.step, lambda world: world.advance(world.dt)], ids=["step", "advance"])
def test_the_warning_of_a_python_force_names_the_line_that_runs_the_tick(run):
    world = World(0.5)
    left, right = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)])
    world.add_joint(Ball(left, right, at_body=(1.0, 0.0, 0.0)))
    world.add_force(lambda wrench, bodies, time: None)
    with pytest.warns(UserWarning, match="a Python force that sees all bodies") as caught:
        run(world)
    assert [warning.filename for warning in caught] == [__file__]
