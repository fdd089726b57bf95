"""Bodies that are not finite stay as they were, with what is linked to them; the others have the bits of a world without them."""

import pickle
import warnings

import numpy as np
import pytest

from engine import MassProperties, NonFiniteStateError, Snapshot, World, flight, forces, joints
from engine.integrators import ALL_INTEGRATORS, Extrapolated, RungeKutta4, Substepped
from engine.loops.layout import STORING
from engine.store import threads

from ..altered_bytes import altered
from ..worlds import OTHER, PROPERTIES

BALL = MassProperties.sphere(1.0, 0.5)
METHODS = [*ALL_INTEGRATORS, Extrapolated(RungeKutta4()), Substepped(RungeKutta4(), 3)]


def flock(method=None, count=6, **options):
    """Bodies under drag and weight, two of which a spring connects."""
    world = World(0.5, integrator=method, **options)
    bodies = world.add_bodies(
        *([(PROPERTIES, OTHER)[place % 2] for place in range(count)], [(3.0 * place, 0, 1) for place in range(count)]),
        velocity=(0.3, 1.0, 0.5),
        angular_velocity_body=(1.0, 2.0, 3.0),
    )
    world.add_force(forces.LinearDrag(0.1))
    world.add_force(forces.UniformGravity((0.1, -0.2, 0.3)))
    world.add_force(forces.Spring(bodies[1], bodies[3], stiffness=0.5))
    return world


def lose(body):
    """Let a body leave the range of floats within a tick."""
    body.velocity = (1.7e308, 0.0, 0.0)
    body.position = (1.7e308, 0.0, 0.0)


def motion(world, bodies):
    return world._bodies.array[:26, [body.index for body in bodies]].tobytes()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_others_have_the_bits_of_a_world_without_the_frozen_bodies(method):
    world, without = flock(method, on_non_finite="freeze"), flock(method)
    lost, linked = world.bodies[1], world.bodies[3]
    without.remove_bodies([without.bodies[1], without.bodies[3]])
    for each in (world, without):
        each.integrator = method  # without a history
    lose(lost)
    before = motion(world, [lost, linked])[: 13 * 16]
    for ticks in (1, 4, 3):
        world.step(ticks)
        without.step(ticks)
        assert motion(world, [lost, linked])[: 13 * 16] == before
        others = [body for body in world.bodies if body not in (lost, linked)]
        assert motion(world, others) == motion(without, without.bodies)
    assert [(frozen.body, frozen.tick) for frozen in world.frozen] == [(lost, 0), (linked, 0)]


def test_threads_and_game_mode_change_nothing(monkeypatch):
    monkeypatch.setattr(threads, "FEWEST_BODIES", 8)

    def fly(**options):
        world = World(0.5, on_non_finite="freeze", **options)
        made = world.add_bodies(BALL, np.arange(72.0).reshape(24, 3), angular_velocity_body=(0.3, 2.0, -0.4))
        lose(made[17])
        world.step(5)
        assert [frozen.body for frozen in world.frozen] == [made[17]]
        return world.state_hash()

    assert fly(threads=2) == fly()
    assert fly(game_mode=True) != fly()


def test_a_body_is_frozen_in_the_tick_that_fails_and_not_before():
    world = flock(on_non_finite="freeze")
    lost = world.bodies[0]
    lost.velocity = (2e307, 0.0, 0.0)
    world.remove_force(world.forces[0])
    world.step(40)
    (frozen,) = world.frozen
    assert frozen.body is lost and frozen.tick > 10 and frozen.cause == "its state was not finite"
    assert np.isfinite(lost.position).all() and 1.7e308 - lost.position[0] < 0.5 * lost.velocity[0]


def test_a_force_that_is_not_finite_is_the_cause():
    world = World(0.1, on_non_finite="freeze")
    falling, other = world.add_bodies(BALL, [(0, 0, 0), (5, 0, 0)])
    world.add_force(forces.PointGravity(1.0))
    world.step(2)
    (frozen,) = world.frozen
    assert frozen.body is falling and frozen.cause == "a force on it was not finite"
    assert other.velocity[0] < 0.0


def test_a_called_force_links_all_bodies_and_is_put_back_before_the_tick_is_tried_again():
    class Counting:
        def __init__(self):
            self.calls = 0

        def get_state(self):
            return {"calls": self.calls}

        def set_state(self, state):
            self.calls = state["calls"]

        def apply(self, wrench, bodies, time):
            self.calls += 1

    world, twin = (flock("rk4", on_non_finite="freeze") for _ in range(2))
    counts = [each.add_force(Counting()) for each in (world, twin)]
    lose(world.bodies[1])
    positions = world.state.position.copy()
    world.step(2)
    twin.step(2)
    assert len(world.frozen) == 6 and np.array_equal(world.state.position, positions)
    assert counts[0].calls == counts[1].calls == 8
    causes = [frozen.cause for frozen in world.frozen]
    assert "links it" not in causes[1] and all("links it" in cause for cause in (causes[0], causes[2], causes[5]))


def test_joints_freeze_their_island_and_only_it():
    def world(with_door):
        made = World(1 / 32, on_non_finite="freeze")
        if with_door:
            door, bob = made.add_bodies(OTHER, [(0, 0, 0), (1, 0, 0)])
            made.add_joint(joints.Ball(door, bob, at_body=(0.5, 0, 0)))
        one, two = made.add_bodies(OTHER, [(9, 0, 0), (10, 0, 0)], angular_velocity_body=(0.1, 0.2, 0.3))
        made.add_joint(joints.Ball(one, two, at_body=(0.5, 0, 0)))
        made.step(2)
        return made

    world, without = world(True), world(False)
    for body in world.bodies[:2]:
        body._set(slice(7, 10), np.array((1.7e308, 0.0, 0.0)))
        body._set(slice(0, 3), np.array((1.7e308, 0.0, 0.0)), pose=True)
    world.step(20)
    without.step(20)
    assert [frozen.body for frozen in world.frozen] == list(world.bodies[:2])
    assert motion(world, world.bodies[2:]) == motion(without, without.bodies)


def test_an_assigned_state_lets_a_body_and_what_is_linked_to_it_move_again():
    world = flock(on_non_finite="freeze")
    lose(world.bodies[1])
    world.step(2)
    assert len(world.frozen) == 2
    world.bodies[1].velocity = (0.0, 0.0, 0.0)
    world.bodies[1].position = (3.0, 0.0, 1.0)
    assert world.frozen == ()
    before = world.bodies[3].position
    world.step(2)
    assert world.frozen == () and not np.array_equal(world.bodies[3].position, before)
    lose(world.bodies[1])
    world.step()
    world.state.velocity = np.zeros((6, 3))
    assert world.frozen == ()


@pytest.mark.parametrize("what", ["latch", "hinge", "spring"])
def test_what_does_not_act_freezes_nothing_else(what):
    """An open latch, and a disabled joint or spring."""
    world = World(1 / 60, on_non_finite="freeze")
    a, b = world.add_bodies(BALL, [(0, 0, 0), (9, 0, 0)])
    b.velocity = (1.0, 0.0, 0.0)
    if what == "latch":
        ports = joints.Port((0.5, 0, 0), (1, 0, 0), (0, 0, 1)), joints.Port((-0.5, 0, 0), (-1, 0, 0), (0, 0, 1))
        world.add_joint(joints.Latch(a, b, *ports))
    elif what == "hinge":
        world.add_joint(joints.Hinge(a, b, at_body=(0, 0, 0), axis_body=(0, 0, 1))).enabled = False
    else:
        world.add_force(forces.Spring(a, b, stiffness=1.0)).enabled = False
    lose(a)
    world.step(60)
    assert [frozen.body for frozen in world.frozen] == [a]
    assert b.position[0] == pytest.approx(10.0, abs=1e-12)


def test_the_pose_of_a_frozen_body_moves_its_island_or_is_rejected_by_the_joint_that_holds_it():
    world = World(1 / 60, on_non_finite="freeze")
    a, b = world.add_bodies(BALL, [(0, 0, 0), (1, 0, 0)])
    joint = world.add_joint(joints.Ball(a, b, at_body=(0.5, 0, 0)))
    a.velocity, a.angular_velocity_body = (1e308, 0, 0), (1e200, 1e200, 0)
    world.step(2)
    assert {frozen.body for frozen in world.frozen} == {a, b}
    a.position = (5.0, 5.0, 5.0)
    assert world.frozen == () and b.position.tolist() == [6.0, 5.0, 5.0]
    a.velocity, a.angular_velocity_body = (0, 0, 0), (0, 0, 0)
    world.step(2)
    world.remove_joint(joint)
    world.add_joint(joints.Ball(a, at_body=(0.5, 0, 0)))
    a.velocity, a.angular_velocity_body = (1e308, 0, 0), (1e200, 1e200, 0)
    world.step(2)
    before = world.state_hash()
    with pytest.raises(ValueError, match=r"position must be left alone while Ball\(body 'body 0', the world\)"):
        a.position = (0.0, 0.0, 0.0)
    assert world.state_hash() == before and [frozen.body for frozen in world.frozen] == [a]


def test_actuators_of_a_frozen_body_are_rejected():
    """Its wheels would spin up and its tanks drain, although it does not move."""
    world = World(1.0, on_non_finite="freeze")
    body = world.add_body(BALL)
    jet = world.add_force(forces.Thruster(body, position=(1, 0, 0), direction=(0, 1, 0), max_force=5.0))
    lose(body)
    world.step()
    before = world.state_hash()
    wheel = flight.ReactionWheel(body, axis=(0, 0, 1), inertia=0.05, max_torque=1.0, max_speed=100.0)
    tank = flight.Tank.ball(body, (0, 0, 0), 0.3, 10.0)
    for attempt in (lambda: world.add_part(wheel), lambda: world.add_part(tank), lambda: jet.fire(3.0)):
        with pytest.raises(ValueError, match=r"the body must be one that is not frozen; got .*; it moves again when"):
            attempt()
        assert world.state_hash() == before
    body.position, body.velocity = (0, 0, 0), (0, 0, 0)
    world.add_part(wheel)


def test_a_removed_body_is_no_longer_listed_and_marks_move_with_their_bodies():
    world = flock(on_non_finite="freeze")
    lost, linked = world.bodies[1], world.bodies[3]
    lose(lost)
    world.step()
    before = linked.position
    world.remove_body(lost)
    world.remove_body(world.bodies[0])
    world.step(3)
    assert [frozen.body for frozen in world.frozen] == [linked]
    assert np.array_equal(linked.position, before)


def test_frozen_bodies_are_in_snapshots_hashes_copies_and_bytes():
    world = flock(on_non_finite="freeze")
    start, before = world.snapshot(), world.state_hash()
    lose(world.bodies[1])
    world.step(3)
    kept, hash = world.snapshot(), world.state_hash()
    listed = [(frozen.body.name, *frozen[1:]) for frozen in world.frozen]
    world.restore(start)
    assert world.frozen == () and world.state_hash() == before
    world.step(4)
    assert world.frozen == ()
    world.restore(kept)
    other = flock(on_non_finite="freeze")
    other.restore(Snapshot.from_bytes(kept.to_bytes()), adopt=True)
    for copied in (world, world.fork(), pickle.loads(pickle.dumps(world)), other):
        assert copied.on_non_finite == "freeze"
        assert [(frozen.body.name, *frozen[1:]) for frozen in copied.frozen] == listed
        assert copied.state_hash() == hash
    for copied in (world, world.fork(), other):
        copied.step(3)
    assert world.state_hash() == other.state_hash()
    positions, _ = world.predict(2.0)
    assert np.array_equal(positions[-1, 1], world.bodies[1].position)


@pytest.mark.parametrize("kept", ["freeze", "raise"])
def test_a_snapshot_and_its_bytes_say_what_happens_to_a_body_that_is_not_finite(kept):
    """With equal hashes, worlds have equal futures: one that freezes bodies is not one that rejects the tick."""
    world, other = flock(on_non_finite=kept), flock(on_non_finite="freeze" if kept == "raise" else "raise")
    before, own, hash = other.snapshot(), other.on_non_finite, other.state_hash()
    assert hash != world.state_hash()
    empty = World(world.dt)
    for restored in (empty, other):
        restored.restore(Snapshot.from_bytes(world.snapshot().to_bytes()), adopt=True)
        assert restored.on_non_finite == kept and restored.state_hash() == world.state_hash()
    for each in (world, empty, other):
        lose(each.bodies[1])
        if kept == "raise":
            with pytest.raises(NonFiniteStateError):
                each.step()
        else:
            each.step(3)
            assert len(each.frozen) == 2
    assert world.state_hash() == empty.state_hash() == other.state_hash()
    other.restore(before)
    assert (other.on_non_finite, other.state_hash()) == (own, hash)


def test_bytes_that_do_not_say_what_happens_leave_the_world_as_it_is():
    for kept in ("freeze", "raise"):
        world = flock(on_non_finite=kept)
        data = altered(world.snapshot().to_bytes(), lambda header, put: header.pop("on_non_finite"))
        world.restore(Snapshot.from_bytes(data), adopt=True)
        assert world.on_non_finite == kept


def test_a_scene_says_what_a_world_does(tmp_path):
    world = flock(on_non_finite="freeze")
    lose(world.bodies[1])
    world.step(3)
    world.save(tmp_path / "game.json")
    loaded = World.load(tmp_path / "game.json")
    assert (loaded.on_non_finite, len(loaded.frozen)) == ("freeze", 2)
    assert loaded.state_hash() == world.state_hash()


def test_a_tick_that_fails_after_bodies_were_frozen_leaves_none_frozen():
    world = flock(on_non_finite="freeze")
    calls = []

    def push(wrench, bodies, time):
        calls.append(time)
        if len(calls) > 1 and calls[-1] == calls[-2]:  # the tick is tried again
            raise RuntimeError("the second attempt")

    push.evaluate = "tick"
    world.add_force(push)
    world.step()
    before = world.state_hash()
    lose(world.bodies[1])
    changed = world.state_hash()
    with pytest.raises(RuntimeError, match="the second attempt"):
        world.step()
    assert world.frozen == () and world.state_hash() == changed != before


@pytest.mark.parametrize("method", ["rk4", "free-rotor-2"])
def test_wheels_valves_and_tanks_of_a_frozen_body_keep_their_state(method):
    """The others move as in a world in which that body is never lost."""

    def make(is_lost):
        world = World(0.1, integrator=method, on_non_finite="freeze")
        for place in range(2):
            ship = world.add_body(OTHER, position=(10.0 * place, 0, 0), angular_velocity_body=(0.1, 0.2, 0.3))
            limits = {"inertia": 0.001, "max_torque": 1.0, "max_speed": 50.0, "viscous_friction": 1e-3}
            wheel = world.add_part(flight.ReactionWheel(ship, axis=(0, 0, 1), speed=20.0, **limits))
            wheel.torque = 0.002
            tank = world.add_part(flight.Tank.ball(ship, (0, 0, 0), 0.3, 1.0))
            fed = {"max_force": 1.0, "specific_impulse": 50.0, "tank": tank, "fall_time": 0.2}
            jet = world.add_force(forces.Thruster(ship, position=(0, 0.1, -1), direction=(0, 0, 1), **fed))
            jet.fire(1.0, delay=0.05)
        world.step(3)
        if is_lost:
            lose(world.bodies[0])
        return world

    world, other = make(True), make(False)
    wheels, tanks = world.parts[::2], world.parts[1::2]
    jets = world.forces
    kept = wheels[0].momentum, tanks[0].propellant, jets[0].impulse, jets[0].pulse_left, world.bodies[0].mass
    world.step(20)
    other.step(20)
    assert [frozen.body for frozen in world.frozen] == [world.bodies[0]]
    assert kept == (wheels[0].momentum, tanks[0].propellant, jets[0].impulse, jets[0].pulse_left, world.bodies[0].mass)
    for name in ("position", "orientation", "velocity", "angular_velocity_body"):
        assert getattr(world.bodies[1], name).tolist() == getattr(other.bodies[1], name).tolist()
    assert (wheels[1].momentum, tanks[1].propellant) == (other.parts[2].momentum, other.parts[3].propellant)
    assert jets[1].impulse == other.forces[1].impulse > kept[2]


def test_a_python_force_beside_joints_rejects_the_tick():
    world = World(0.1, on_non_finite="freeze")
    one, two = world.add_bodies(OTHER, [(0, 0, 0), (1, 0, 0)])
    world.add_joint(joints.Ball(one, two, at_body=(0.5, 0, 0)))
    world.add_force(lambda wrench, bodies, time: wrench.force_world.fill(np.nan))
    with warnings.catch_warnings(action="ignore"), pytest.raises(NonFiniteStateError):
        world.step()
    assert world.frozen == ()


@pytest.mark.parametrize("value", ["stop", "", None, True, 3, ["freeze"]])
def test_other_values_are_rejected(value):
    kind = ValueError if isinstance(value, str) else TypeError
    with pytest.raises(kind, match=r"World: on_non_finite must be 'raise' or 'freeze'; got"):
        World(0.1, on_non_finite=value)


def test_freezing_a_body_in_a_world_with_joints_does_not_warn_of_forces_in_python():
    """The search for the cause evaluates the drag as a force in Python would be."""
    world = World(0.5, on_non_finite="freeze")
    left, right, lost = world.add_bodies(BALL, [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 9.0, 0.0)])
    world.add_joint(joints.Ball(left, right, at_body=(1.0, 0.0, 0.0)))
    world.add_force(forces.LinearDrag(0.1))
    lose(lost)
    with warnings.catch_warnings(record=True, action="always") as caught:
        world.step()
    assert [frozen.body for frozen in world.frozen] == [lost] and caught == []


def test_only_columns_near_frozen_bodies_take_the_loops_that_look_for_them():
    def spans():
        found = world._bodies.control[STORING:].reshape(-1, 2).tolist()
        return [span for span in found if span[0] < world._bodies.pitch]

    world = World(0.5, on_non_finite="freeze")
    bodies = world.add_bodies(BALL, [(3.0 * place, 0, 0) for place in range(100)], velocity=(0, 1, 0))
    world.step()
    assert spans() == []
    lose(bodies[17])
    lose(bodies[90])
    world.step()
    assert [frozen.body for frozen in world.frozen] == [bodies[17], bodies[90]]
    assert spans() == [[16, 24], [88, 96]]
    assert bodies[18].position[1] == 1.0
    bodies[17].position = bodies[17].velocity = bodies[90].position = bodies[90].velocity = (0.0, 0.0, 0.0)
    world.step()
    assert not world.frozen
    assert spans() == []
