"""Members of a batch: each has the bits of a world alone, whatever the others do, and a reset puts everything back."""

import numpy as np
import pytest

from engine import MassProperties, Snapshot, World, flight, forces, joints
from engine.batch import Batch
from engine.batch.resetting import Source
from engine.constraints import layout
from engine.integrators import Extrapolated, Substepped, by_name
from engine.saving.plain_content import plain_of
from engine.store import threads
from engine.store.schema import Kind
from engine.tick.stages import Stages

from ..interrupting import Interrupter
from ..lengths import sized
from .templates import Numbers, new_world, parts_of, with_every_joint

METHODS = ("rk4-body-rates", "free-rotor-2", "midpoint")


def content(world):
    """All fields of all tables of a world that determine its future or its picture."""
    plain = plain_of(world._owners.give({}), world._exact_dt)
    return {
        (name, field.name): rows.fields[field.name].copy()
        for name, rows in plain.tables.items()
        for field in rows.schema.fields
        if field.kind is not Kind.SCRATCH and field.name in rows.fields
    }


def assert_same(some, others):
    assert some.keys() == others.keys()
    assert [key for key in some if not np.array_equal(some[key], others[key], equal_nan=True)] == []


@pytest.mark.parametrize("method", METHODS)
def test_members_have_the_bits_of_worlds_alone_with_resets_and_failed_and_inactive_members_between(method):
    template, count = new_world(method), 6
    parts, numbers = parts_of(template), Numbers(count)
    batch = Batch(template, members=count)
    numbers.set_in(batch, parts)
    worlds = [new_world(method) for _ in range(count)]
    for member, world in enumerate(worlds):
        numbers.set_alone(world, member)
    batch[parts["ship"]].set(1, position=(1e308, 0.0, 0.0), velocity=(1.7e308, 0.0, 0.0))
    batch.step(20)
    assert batch.failed.tolist() == [member == 1 for member in range(count)]
    batch.active = [member not in (1, 4) for member in range(count)]
    batch.reset([3])
    batch.step(40)
    worlds[0].step(60)
    worlds[2].step(60)
    worlds[4].step(20)
    worlds[5].step(60)
    for member in (0, 2, 4, 5):
        assert batch.state_hash(member) == worlds[member].state_hash()
        assert batch.world(member).state_hash() == worlds[member].state_hash()
        if member != 4:  # the previous pose of one that stands still is its pose
            assert_same(content(batch.world(member)), content(worlds[member]))
    # one that is taken out goes on as in the batch
    alone = batch.world(5)
    alone.step(30)
    batch.step(30)
    assert alone.state_hash() == batch.state_hash(5)


@pytest.mark.parametrize("method", sorted(by_name))
def test_members_without_actuators_have_the_bits_of_worlds_alone_with_every_method(method):
    template = new_world(method, is_driven=False, has_joint=False)
    ship, drag = template.body("ship"), parts_of(template)["drag"]
    batch, rates, drags = (
        Batch(template, members=3),
        np.array([(0.1, 0.2, 0.3), (1.0, -2.0, 0.5), (0.0, 3.0, 0.01)]),
        [0.1, 0.2, 0.4],
    )
    batch[ship].angular_velocity_body = rates
    batch[drag].coefficient = drags
    batch.step(25)
    for member in range(3):
        world = new_world(method, is_driven=False, has_joint=False)
        world.body("ship").angular_velocity_body = rates[member]
        parts_of(world)["drag"].coefficient = drags[member]
        world.step(25)
        assert world.state_hash() == batch.state_hash(member)


def linked_bodies(method, speed):
    """Three bodies on springs, one of which is fixed to the world, with a force at a point, two drags on one of them, and a wheel."""
    world, ball = World(dt=0.02, integrator=method), MassProperties.sphere(2.0, 0.5)
    first, *others = (world.add_body(ball, position=(2.0 * place, 0.1, 0.0)) for place in range(3))
    first.velocity, first.angular_velocity_body = (0.0, speed, 0.3), (0.3, 0.0, speed)
    pulling = {"stiffness": 30.0, "damping": 0.2, "at_body": (0.1, 0.2, 0.0)}
    for other in (*others, None):
        world.add_force(forces.Spring(first, other, **pulling, rest_length=1.5))
    world.add_force(forces.ConstantForce(others[1], force_world=(0.0, 0.0, 2.0), at_body=(0.0, 0.3, 0.0)))
    for coefficient in (0.1, 0.3):
        world.add_force(forces.LinearDrag(coefficient, bodies=[others[0]]))
    wheel = flight.ReactionWheel(others[1], axis=(0.0, 0.0, 1.0), inertia=0.02, max_torque=0.3, max_speed=600.0)
    world.add_part(wheel).torque = 0.1
    return world, first


@pytest.mark.parametrize("method", ["rk4-body-rates", "free-rotor-2", "free-rotor-4", "nystrom"])
def test_members_in_several_blocks_of_a_loop_in_passes_have_the_bits_of_worlds_alone(method):
    template, first = linked_bodies(method, 0.0)
    speeds, turning = np.linspace(0.0, 1.0, 200), np.zeros((2, 200, 3))
    turning[0, :, 1] = turning[1, :, 2] = speeds
    batch = Batch(template, members=200)
    batch[first].velocity, batch[first].angular_velocity_body = turning[0] + (0, 0, 0.3), turning[1] + (0.3, 0, 0)
    batch[template.forces[0]].stiffness = 20.0 + speeds
    batch.step(3)
    for member in (0, 79, 167, 168, 199):
        alone, _first = linked_bodies(method, float(speeds[member]))
        alone.forces[0].stiffness = 20.0 + speeds[member]
        alone.step(3)
        assert batch.state_hash(member) == alone.state_hash()


@pytest.mark.parametrize("make", [with_every_joint, new_world])
def test_members_on_joints_that_share_their_places_have_the_bits_of_worlds_alone(make):
    template, count = make("free-rotor-4"), 70 if make is new_world else 24
    batch, moved = Batch(template, members=count), template.bodies[1].name
    velocities = np.zeros((count, 3))
    velocities[:, 2] = np.linspace(-0.2, 0.2, count)
    batch[template.bodies[1]].velocity = velocities
    batch[template.bodies[-1]].set(3, angular_velocity_body=(1e200, 2e200, 0.0))
    batch.step(4)
    assert batch._world._joints.graph.shares
    assert np.flatnonzero(batch.failed).tolist() == [3]
    for member in (0, 2, 4, 13, 14, count - 1):
        alone = make("free-rotor-4")
        alone.body(moved).velocity = velocities[member]
        alone.step(4)
        assert batch.state_hash(member) == alone.state_hash()


def test_two_threads_give_the_same_bits(monkeypatch):
    monkeypatch.setattr(threads, "FEWEST_BODIES", 8)
    count = 40
    hashes = []
    for number in (1, 2):
        template = new_world()
        batch = Batch(template, members=count, threads=number)
        Numbers(count).set_in(batch, parts_of(template))
        batch.step(30)
        hashes.append([batch.state_hash(member) for member in (0, 17, 39)])
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("is_driven", [True, False])
def test_a_reset_member_is_like_a_fresh_one_in_every_table(is_driven):
    template, count = new_world(is_driven=is_driven), 4
    parts, numbers = parts_of(template), Numbers(count)
    fresh, batch = Batch(template, members=count), Batch(template, members=count)
    numbers.set_in(batch, parts)
    batch[parts["bank"]].stuck = [[0.5, np.nan]] * count
    batch.step(40)
    batch[parts["spring"]].stiffness = 5.0
    batch[parts["drag"]].coefficient = 0.2
    batch[parts["ship"]].set_mass_properties(mass=90.0)
    others = [batch.state_hash(member) for member in (0, 3)]
    batch.reset([2, 1])
    for member in (1, 2):
        assert_same(content(batch.world(member)), content(fresh.world(member)))
        assert batch.state_hash(member) == fresh.state_hash(member) == template.state_hash()
    assert [batch.state_hash(member) for member in (0, 3)] == others
    numbers.set_in(batch, parts)
    alone = new_world(is_driven=is_driven)
    numbers.set_alone(alone, 2)
    alone.step(30)
    batch.step(30)
    assert batch.state_hash(2) == alone.state_hash()


def test_a_reset_that_an_exception_ends_changes_nothing(monkeypatch):
    template, count = new_world(), 4
    batch = Batch(template, members=count)
    Numbers(count).set_in(batch, parts_of(template))
    batch.step(5)
    before = [batch.state_hash(member) for member in range(count)]

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(Source, "_put_history", interrupted)
    with pytest.raises(KeyboardInterrupt):
        batch.reset([0, 2])
    assert [batch.state_hash(member) for member in range(count)] == before
    assert batch.tick_count.tolist() == [5] * count


def test_a_reset_goes_to_a_snapshot_of_the_template_or_of_a_member():
    template, count = new_world(), 3
    parts, batch = parts_of(template), Batch(template, members=count)
    Numbers(count).set_in(batch, parts)
    batch.step(10)
    one, hash_of_one = batch.world(0), batch.state_hash(0)
    taken = one.snapshot()
    batch.step(15)
    mass = batch[parts["ship"]].mass
    batch.reset(0, to=taken)
    assert batch.state_hash(0) == hash_of_one
    batch.step(3)
    batch.reset(0, to=Snapshot.from_bytes(taken.to_bytes()))
    assert batch.state_hash(0) == hash_of_one
    assert batch.tick_count.tolist() == [10, 28, 28]
    template.step(7)
    batch.reset([1, 2], to=template.snapshot())
    assert batch.tick_count.tolist() == [10, 7, 7]
    assert batch[parts["ship"]].mass.tolist() == mass.tolist()
    assert np.array_equal(batch[parts["tug"]].position[2], template.body("tug").position)


def test_snapshots_and_copies_of_a_batch_continue_alike():
    template, count = new_world(), 3
    batch = Batch(template, members=count)
    Numbers(count).set_in(batch, parts_of(template))
    batch.step(5)
    batch.reset(1)
    taken, copied = batch.snapshot(), batch.copy()
    batch.step(30)
    after = [batch.state_hash(member) for member in range(count)]
    batch.restore(taken)
    assert batch.tick_count.tolist() == [5, 0, 5]
    batch.step(30)
    copied.step(30)
    assert [batch.state_hash(member) for member in range(count)] == after
    assert [copied.state_hash(member) for member in range(count)] == after


def test_a_failed_member_stands_still_at_the_start_of_its_tick_with_everything_that_drives_it():
    template, count = new_world(), 4
    parts, numbers = parts_of(template), Numbers(count)
    batch = Batch(template, members=count)
    numbers.set_in(batch, parts)
    batch.step(10)
    batch[parts["tug"]].set([1, 2], velocity=(1.7e308, 0.0, 0.0), position=(1e308, 0.0, 0.0))
    before = [batch.state_hash(member) for member in (1, 2)]
    batch.step(25)
    assert [batch.state_hash(member) for member in (1, 2)] == before
    assert batch.tick_count.tolist() == [35, 10, 10, 35]
    assert [failure[:2] for failure in batch.failures()] == [(1, 10), (2, 10)]
    # a spring pulls the ship as far within the same tick
    assert all(failure.body in (template.body("tug"), template.body("ship")) for failure in batch.failures())
    alone = new_world()
    numbers.set_alone(alone, 3)
    alone.step(35)
    assert batch.state_hash(3) == alone.state_hash()
    batch.reset(batch.failed)
    assert batch.failures() == ()
    batch.step(5)
    assert batch.tick_count.tolist() == [40, 5, 5, 40]


def failing_batch(method="rk4-body-rates"):
    """A batch of two craft per member, on which a gyro and jets are, and its template; members 1 and 3 overflow in the ticks 4 and 9."""
    template = World(dt=0.1, integrator=method)
    box = MassProperties.box(2.0, (1.0, 2.0, 3.0))
    ship = template.add_body(box, name="ship", angular_velocity_body=(0.1, 0.2, 0.3))
    tug = template.add_body(box, name="tug", position=(4.0, 0.0, 0.0), angular_velocity_body=(0.0, 0.3, 0.1))
    template.add_force(forces.LinearDrag(0.2, bodies=[tug]))
    jet = template.add_force(forces.Thruster(ship, position=(0, 1, 0), direction=(0, 0, 1), max_force=3.0))
    template.add_part(flight.Gyro(tug, noise_density=1e-3, seed=1, every=4))
    batch = Batch(template, members=5)
    batch[jet].throttle = np.linspace(0.0, 1.0, 5)
    limit, speed = np.finfo(float).max, 1e306
    for member, ticks in ((1, 4.5), (3, 9.5)):
        batch[ship].set(member, position=(limit - ticks * speed * 0.1, 0.0, 0.0), velocity=(speed, 0.0, 0.0))
    return batch


def hashes_of(batch):
    return [batch.state_hash(member) for member in range(len(batch))]


@pytest.mark.parametrize("method", sorted(by_name))
@pytest.mark.parametrize("steps", [(12,), (1,) * 12, (2, 10)])
def test_members_that_fail_keep_the_start_of_their_tick_and_the_others_run_it_once(method, steps):
    batch = failing_batch(method)
    alone, ends = [batch.world(member) for member in range(5)], (12, 4, 12, 9, 12)
    for ticks in steps:
        batch.step(ticks)
    for world, ticks in zip(alone, ends, strict=True):
        world.step(ticks)
    assert [failure[:2] for failure in batch.failures()] == [(1, 4), (3, 9)]
    assert batch.tick_count.tolist() == list(ends)
    assert hashes_of(batch) == [world.state_hash() for world in alone]


def test_a_tick_in_which_members_fail_is_not_tried_again(monkeypatch):
    monkeypatch.setattr(Stages, "_try_again", lambda stages: pytest.fail("the tick was tried again"))
    batch = failing_batch()
    for ticks in (5, 1, 1, 1, 1, 1):
        batch.step(ticks)
    assert batch.failed.tolist() == [False, True, False, True, False]


def test_what_a_function_has_set_stays_in_a_member_that_fails_in_a_later_tick_of_the_same_call():
    batch = failing_batch()
    (jet,) = (handle for handle, *_rest in batch._places.values() if isinstance(handle, forces.Thruster))

    def command(called):
        if called.tick_count[0] == 8:
            called[jet].throttle = 0.9

    batch.on_tick(command, every=2)  # two ticks are run in one call, and in the second one a member fails
    batch.step(12)
    assert [failure.tick for failure in batch.failures()] == [4, 9]
    assert batch[jet].throttle.tolist() == [0.9] * 5


def test_an_exception_at_any_line_of_a_tick_in_which_members_fail_leaves_each_member_at_one_of_its_ticks():
    begun = failing_batch()
    begun.step(2)
    whole, counter = begun.copy(), Interrupter(set())
    counter.run(lambda: whole.step(8))
    whole.step(2)
    assert counter.seen > 300
    for point in range(0, counter.seen, sized(53, 11)):
        batch, interrupter = begun.copy(), Interrupter(set(), point)
        with pytest.raises(KeyboardInterrupt):
            interrupter.run(lambda batch=batch: batch.step(8))
        batch.step(12 - int(batch.tick_count[0]))
        assert hashes_of(batch) == hashes_of(whole), interrupter.where
        assert batch.failures() == whole.failures(), interrupter.where


def test_a_failed_member_keeps_nothing_of_what_functions_have_set_in_the_tick_that_it_did_not_run():
    template = World(dt=0.1)
    ship = template.add_body(MassProperties.box(2.0, (1.0, 2.0, 3.0)), name="ship")
    places, along = [(0, 1, 0), (0, -1, 0)], [(0, 0, 1)] * 2
    bank = template.add_force(forces.ThrusterBank(ship, positions=places, directions=along, max_forces=3.0))
    jet = template.add_force(forces.Thruster(ship, position=(0, 0, 0), direction=(1, 0, 0), max_force=4.0))
    levels = np.array([(0.1, 0.2), (0.3, 0.4), (0.5, 0.6)])

    def command(called):
        called[bank].throttle = levels
        called[jet].set(1, throttle=0.25)
        called[jet].set([0, 1], max_force=[5.0, 6.0])
        called[ship].angular_velocity_body = (0.1, 0.2, 0.3)

    batch = Batch(template, members=3)
    batch[bank].throttle = 0.5
    batch[jet].throttle = 1.0
    batch.step(5)
    batch[ship].set(1, position=(1.7e308, 0.0, 0.0), velocity=(1.7e308, 0.0, 0.0))
    before, others = batch.state_hash(1), (batch.world(0), batch.world(2))
    batch.on_tick(command)
    batch.step(1)
    assert batch.failed.tolist() == [False, True, False]
    assert batch.state_hash(1) == before
    assert batch[bank].impulse[1].tolist() == pytest.approx([0.75, 0.75], rel=1e-14)
    assert batch[jet].max_force.tolist() == [5.0, 4.0, 4.0]
    for member, alone in zip((0, 2), others, strict=True):
        ship, (bank, jet) = alone.body("ship"), alone.forces
        bank.throttle = levels[member]
        jet.max_force = [5.0, None, 4.0][member]
        ship.angular_velocity_body = (0.1, 0.2, 0.3)
        alone.step()
        assert alone.state_hash() == batch.state_hash(member)


@pytest.mark.parametrize("method", [Extrapolated("rk4"), Extrapolated(Substepped("rk4", 3)), Substepped("rk4", 3)])
def test_a_reset_member_has_the_bits_of_a_world_alone_with_methods_made_of_others(method):
    template = World(dt=0.1, integrator=method)
    ship = template.add_body(MassProperties.box(2.0, (1.0, 2.0, 3.0)), angular_velocity_body=(1.0, 0.2, 0.3))
    jet = template.add_force(forces.Thruster(ship, position=(0, 1, 0), direction=(0, 0, 1), max_force=3.0))
    batch = Batch(template, members=3)
    batch.step(7)
    batch.reset([1])
    alone = batch.world(1)
    for throttle in np.random.default_rng(1).random(20).tolist():
        batch[jet].throttle = alone.forces[0].throttle = throttle
        batch.step()
        alone.step()
        assert alone.state_hash() == batch.state_hash(1)


def test_a_tank_that_would_leave_no_valid_tensor_stops_only_its_own_member():
    template = World(dt=0.1)
    rod = template.add_body(MassProperties.box(20.0, (2.0, 0.5, 0.5)), name="rod")
    tank = template.add_part(flight.Tank.ball(rod, position=(0, 0.8, 0), radius=0.1, propellant=5.0))
    jet = template.add_force(
        forces.Thruster(rod, position=(0, 0, 0), direction=(1, 0, 0), max_force=100.0, specific_impulse=20.0, tank=tank)
    )
    inertia = rod.dry_mass_properties.inertia_body[0, 0] + 0.5
    template.add_part(flight.ReactionWheel(rod, axis=(1, 0, 0), inertia=inertia, max_torque=1.0, max_speed=10.0))
    batch = Batch(template, members=3)
    batch[jet].throttle = [0.0, 1.0, 0.0]
    batch.step(100)
    assert batch.failed.tolist() == [False, True, False]
    (failure,) = batch.failures()
    assert "tanks" in failure.reason
    assert batch.tick_count.tolist() == [100, failure.tick, 100]


def test_joints_that_contradict_each_other_stop_only_their_own_member():
    template = World(dt=0.01)
    box = MassProperties.box(1.0, (1.0, 1.0, 1.0))
    one, other = (template.add_body(box, name=name, position=(x, 0.0, 0.0)) for name, x in (("a", 0.0), ("b", 1.0)))
    welds = [template.add_joint(joints.Weld(one, other, at_body=(x, 0.0, 0.0))) for x in (0.0, 0.5)]
    one.velocity = other.velocity = (0.0, 0.3, 0.0)
    batch = Batch(template, members=4)
    batch.step(2)
    place = batch[welds[1]]._first + 2  # that of member 2, moved by 0.1 m behind the back of the checks
    table = batch._members.owners.store.tables["joints"]
    table.write(layout.AT_OTHER, place, table.array[layout.AT_OTHER, place] + 0.1)
    batch.step(3)
    assert [failure[1:] for failure in batch.failures()] == [(2, one, "its joints contradict each other")]
    assert batch.tick_count.tolist() == [5, 5, 2, 5]
    template.step(5)
    assert [batch.state_hash(member) for member in (0, 1, 3)] == [template.state_hash()] * 3


def test_functions_are_called_with_the_batch_and_their_changes_act_in_the_same_tick():
    template = new_world(is_driven=False, has_joint=False)
    parts, batch = parts_of(template), Batch(template, members=2)

    def pulse(called):
        assert called is batch
        batch[parts["bank"]].throttle = [[0.1, 0.2], [0.3, 0.4]]

    batch.on_tick(pulse, every=10)
    batch.step(1)
    alone = new_world(is_driven=False, has_joint=False)
    parts_of(alone)["bank"].throttle = (0.3, 0.4)
    alone.step()
    assert batch.state_hash(1) == alone.state_hash()


def test_rows_that_refer_to_no_body_act_on_all_members_as_one_row():
    template = new_world()
    batch = Batch(template, members=5)
    tables = batch._members.owners.store.tables
    assert tables["uniform gravities"].count == 1
    assert tables["thrusters"].count == 5 * template._store.tables["thrusters"].count
    with pytest.raises(ValueError, match="members have rows of their own"):
        batch[template.forces[0]]


def test_the_impulses_of_throttles_are_those_of_worlds_alone():
    """With members that are reset and that stand still for a while."""
    template = World(0.1)
    ship = template.add_body(MassProperties.sphere(2.0, 0.5), name="ship")
    jet = template.add_force(forces.Thruster(ship, position=(0, 0, 0), direction=(0, 0, 1), max_force=8.0))
    bank = template.add_force(
        forces.ThrusterBank(ship, positions=np.zeros((2, 3)), directions=[(1, 0, 0), (0, 1, 0)], max_forces=(2.0, 4.0))
    )
    template.step(2)
    jet.throttle = 0.5
    template.step(3)
    start = template.snapshot()
    batch = Batch(template, members=3)
    assert "settled_tick" not in dir(batch[jet])
    batch.step(2)
    batch[jet].throttle = [0.25, 0.5, 1.0]
    batch[bank].throttle = [[0.5, 0.25]] * 3
    batch.active = [True, False, True]
    batch.step(4)
    batch.reset([2])
    batch.active = [True, True, True]
    batch.step(1)
    told, own = [], []
    for member, (ticks, after, throttle) in enumerate([(2, 5, 0.25), (2, 1, 0.5), (1, 0, 0.0)]):
        template.restore(start)
        template.step(ticks)
        if after:
            jet.throttle, bank.throttle = throttle, (0.5, 0.25)
            template.step(after)
        told.append([jet.impulse, *bank.impulse])
        alone = batch.world(member)
        own.append([alone.forces[0].impulse, *alone.forces[1].impulse])
        assert batch.state_hash(member) == alone.state_hash() == template.state_hash()
    found = np.column_stack([batch[jet].impulse, batch[bank].impulse])
    assert found == pytest.approx(np.array(told), rel=1e-13) and found.tolist() == own


def test_mass_properties_of_driven_bodies_are_those_of_worlds_alone():
    """Of some members, whose bodies have a tank or wheels; the states move with the mass centres."""
    count, rng = 5, np.random.default_rng(8)
    template = new_world(has_joint=False)
    parts, batch = parts_of(template), Batch(template, members=count)
    chosen = [3, 0, 4]
    masses, centers = rng.uniform(80.0, 90.0, 3), rng.normal(0.0, 0.05, (3, 3))
    tensors = np.array([np.diag(row) for row in rng.uniform(20.0, 25.0, (3, 3))])
    for name in ("ship", "tug"):
        batch[parts[name]].set_mass_properties(masses, tensors, centers, members=chosen)
        batch[parts[name]].set_mass_properties(mass=np.arange(70.0, 70.0 + count))
    batch.step(5)
    for member in range(count):
        alone = new_world(has_joint=False)
        for name in ("ship", "tug"):
            body = alone.body(name)
            if member in chosen:
                place = chosen.index(member)
                body.dry_mass_properties = MassProperties(masses[place], tensors[place], centers[place], physical=False)
            dry = body.dry_mass_properties
            body.dry_mass_properties = MassProperties(
                70.0 + member, dry.inertia_body, dry.center_of_mass_body, physical=False
            )
        alone.step(5)
        assert alone.state_hash() == batch.state_hash(member)


def test_an_impossible_tensor_of_a_driven_body_names_its_member_and_changes_nothing():
    template = new_world(has_joint=False)
    ship, batch = parts_of(template)["ship"], Batch(template, members=4)
    before = [batch.state_hash(member) for member in range(4)]
    tensors = np.repeat(np.eye(3)[np.newaxis] * 20.0, 4, axis=0)
    tensors[2] = np.diag((20.0, 20.0, 0.01))  # less than the wheel about this axis
    with pytest.raises(ValueError, match=r"member 2 of .*ship.*positive definite"):
        batch[ship].set_mass_properties(inertia_body=tensors)
    assert before == [batch.state_hash(member) for member in range(4)]


def test_jets_on_adjacent_bodies_have_the_bits_of_each():
    """Enough members for loops of vectors, with jets that are switched off, and mass centres off the origin."""
    count, rng = 37, np.random.default_rng(3)
    template = World(0.1, integrator="rk4-body-rates")
    body = MassProperties(90.0, np.diag((20.0, 25.0, 15.0)), center_of_mass_body=(0.1, -0.2, 0.3))
    ship = template.add_body(body, name="ship", angular_velocity_body=(0.1, 0.2, 0.3))
    places, axes = rng.normal(size=(2, 5, 3))
    bank = template.add_force(forces.ThrusterBank(ship, positions=places, directions=axes, max_forces=(1, 2, 3, 4, 5)))
    throttles, enabled = rng.random((count, 5)), rng.random(count) < 0.8
    batch = Batch(template, members=count)
    batch[bank].throttle = throttles
    batch[bank].set(np.flatnonzero(~enabled), enabled=False)
    batch.step(3)
    for member in range(count):
        alone = Batch(template, members=1).world(0)
        alone.forces[0].throttle, alone.forces[0].enabled = throttles[member], bool(enabled[member])
        alone.step(3)
        assert alone.state_hash() == batch.state_hash(member)
