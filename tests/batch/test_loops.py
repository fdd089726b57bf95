"""Control loops of members have the bits of a loop alone, on the clock of each member."""

import numpy as np
import pytest

from engine import MassProperties, World, flight, forces
from engine.batch import Batch
from engine.flight import control, estimation

from .test_members import assert_same, content

INERTIA = np.diag([24.0, 24.4, 15.0])
LAWS = {
    "quaternion-pd": lambda: control.QuaternionPD(4.0, 20.0),
    "mrp": lambda: control.MRPFeedback(4.0, 20.0, integral_gain=0.02),
    "mrp with inertia": lambda: control.MRPFeedback(4.0, 20.0, inertia_body=INERTIA),
    "damping": lambda: control.RateDamping(4.0),
    "phase plane": lambda: control.PhasePlane(dead_band=0.05, rate_limit=0.02, hysteresis=0.5, torque=0.8),
}
REFERENCES = {
    "fixed": lambda: flight.Reference(),
    "spin": lambda: flight.Spin((0.0, 0.01, 0.02)),
    "slew": lambda: flight.Slew((0, 0, 0, 1), (0, 0.6, 0, 0.8), 0.2, 0.05),
}
TURNS = np.array([(0.1, 0.2, 0.3), (0.3, 0.0, -0.2), (0.0, 0.03, 0.0), (-0.05, 0.1, 0.2)])


def make(law="quaternion-pd", reference="fixed", actuators="wheels", delay=0):
    world = World(dt=0.02, integrator="rk4-body-rates")
    ship = world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), name="ship", orientation=(0.1, 0.7, -0.1, 0.7))
    if actuators == "wheels":
        limits = {"inertia": 0.02, "max_torque": 0.3, "max_speed": 600.0}
        wheels = [world.add_part(flight.ReactionWheel(ship, axis=axis, **limits)) for axis in (*np.eye(3), (1, 1, 1))]
        driven = flight.WheelAllocator(wheels, preferred_speed=20.0)
    else:
        driven = world.add_part(flight.BodyTorque(ship, max_torque=1.5))
    loop = flight.Controlled(ship, LAWS[law](), REFERENCES[reference](), driven, every=5, delay=delay)
    return world, ship, world.add_part(loop)


@pytest.mark.parametrize(
    ("law", "reference", "actuators", "delay"),
    [
        ("quaternion-pd", "fixed", "wheels", 0),
        ("mrp", "spin", "wheels", 2),
        ("mrp with inertia", "slew", "torque", 0),
        ("damping", "fixed", "torque", 1),
        ("phase plane", "spin", "torque", 0),
    ],
)
def test_loops_of_members_have_the_bits_of_a_loop_alone(law, reference, actuators, delay):
    template, ship, loop = make(law, reference, actuators, delay)
    batch = Batch(template, members=4)
    batch[ship].angular_velocity_body = TURNS
    batch.step(33)
    batch.reset(2)
    batch[ship].set(2, angular_velocity_body=TURNS[2])
    batch[ship].set(3, angular_velocity_body=(1.7e308, 0.0, 0.0), position=(1.79e308, 0, 0), velocity=(1.7e308, 0, 0))
    batch.step(60)
    assert batch.failed.tolist() == [False, False, False, True]
    for member, ticks in ((0, 93), (1, 93), (2, 60)):
        world, alone, own = make(law, reference, actuators, delay)
        alone.angular_velocity_body = TURNS[member]
        world.step(ticks)
        assert_same(content(batch.world(member)), content(world))
        assert batch.state_hash(member) == world.state_hash()
        assert batch[loop].error_angle[member] == own.error_angle
        assert batch[loop].torque_body[member].tolist() == own.torque_body.tolist()
    taken = batch.world(1)
    taken.step(20)
    batch.step(20)
    assert taken.state_hash() == batch.state_hash(1)


def make_measured(measured, seed, delay=0):
    """A loop that measures with a gyro whose readings come late, with a tracker that is blind at high rates, or with a filter of both."""
    world, ship, _loop = make(actuators="torque")
    world.remove_part(_loop)
    every = 1 if measured == "filter" else 5
    late = 0 if measured == "filter" else 2
    gyro = world.add_part(flight.Gyro(ship, noise_density=1e-5, seed=seed, every=every, delay=late))
    tracker = world.add_part(flight.StarTracker(ship, (0, 0, 1), noise=(1e-4, 1e-3), max_rate=0.31, every=5, seed=seed))
    chosen = {"gyro": gyro, "tracker": tracker}
    sensors = [gyro, tracker]
    if measured == "filter":
        other = {"noise": (2e-4, 2e-3), "every": 10, "delay": 2, "seed": seed, "name": "late"}
        sensors.append(world.add_part(flight.StarTracker(ship, (1, 0, 0), **other)))
        less = {"noise": (3e-4, 1e-3), "every": 5, "delay": 1, "seed": seed, "name": "less late"}
        sensors.append(world.add_part(flight.StarTracker(ship, (0, 1, 0), **less)))
        chosen["filter"] = world.add_part(flight.AttitudeFilter(gyro, sensors[1:], gate=5.0))
    wheels = [
        world.add_part(flight.ReactionWheel(ship, axis=axis, inertia=0.02, max_torque=0.3, max_speed=600.0))
        for axis in np.eye(3)
    ]
    law, used = LAWS["mrp" if measured == "tracker" else "quaternion-pd"](), chosen[measured]
    actuators = flight.WheelAllocator(wheels)
    loop = flight.Controlled(ship, law, flight.Reference(), actuators, every=5, delay=delay, measured=used)
    world.add_part(loop)
    return world, ship, sensors


class NothingIsEmpty:
    """NumPy with arrays that are full of nan, or of minus one, where `empty` leaves what was in the memory before."""

    def __getattr__(self, name):
        return getattr(np, name)

    def empty(self, shape, dtype=np.float64):
        return np.full(shape, np.nan if dtype is np.float64 else -1, dtype)


@pytest.mark.parametrize(("measured", "delay"), [("gyro", 0), ("tracker", 2), ("filter", 0)])
def test_loops_of_members_that_measure_have_the_bits_of_a_loop_alone(measured, delay, monkeypatch):
    """More members than a filter reads together; what it has not read of their memory is not a number."""
    monkeypatch.setattr(estimation, "np", NothingIsEmpty())
    template, ship, sensors = make_measured(measured, 1, delay)
    batch, seeds, turns = Batch(template, members=12), np.arange(11, 23), np.tile(TURNS, (3, 1))
    for sensor in sensors:
        batch[sensor].seed = seeds
    batch[ship].angular_velocity_body = turns
    batch.step(33)
    batch.reset(2)
    batch[ship].set(2, angular_velocity_body=TURNS[2])
    batch.step(60)
    batch[sensors[0]].set([0, 1], fault="dead")
    batch.step(10)
    for member, ticks in ((0, 93), (1, 93), (2, 60), (9, 93)):
        world, alone, own = make_measured(measured, int(seeds[member]), delay)
        alone.angular_velocity_body = turns[member]
        world.step(ticks)
        if member < 2:
            own[0].fault = "dead"
        world.step(10)
        assert_same(content(batch.world(member)), content(world))
    taken = batch.world(1)
    taken.step(20)
    batch.step(20)
    assert taken.state_hash() == batch.state_hash(1)


def test_a_loop_that_measures_with_an_object_of_the_user_is_rejected_by_name():
    class Guess:
        orientation = (0.0, 0.0, 0.0, 1.0)
        angular_velocity_body = (0.0, 0.0, 0.0)

    world, ship, _loop = make()
    motor = world.add_part(flight.BodyTorque(ship))
    law, reference = LAWS["damping"](), flight.Reference()
    world.add_part(flight.Controlled(ship, law, reference, motor, every=5, measured=Guess(), name="damper"))
    with pytest.raises(ValueError, match="it has Controlled"):
        Batch(world, members=2)


GM = 7e6
POINTINGS = {
    "nadir": lambda tug: flight.Pointing((0, 0, 1), "nadir", (1, 0, 0), "velocity", gm=GM),
    "body": lambda tug: flight.Pointing((0, 1, 1), tug, gm=GM),
    "bodies and sun": lambda tug: flight.Pointing((1, 0, 0), tug, (0, 0, 1), "sun", sun_direction_world=(1, 2, 3)),
    "direction": lambda tug: flight.Pointing((1, 0, 0.1), (0.0, 3.0, 1.0)),
}


def make_pointing(kind, is_measured=False, law="quaternion-pd"):
    """A loop that points a satellite on an orbit at something, and another body near it, which is at most a target."""
    world = World(dt=0.05, integrator="rk4-body-rates")
    start, box = {"position": (100.0, 0.0, 0.0), "velocity": (0.0, 250.0, 40.0)}, MassProperties.box(9.0, (1, 1.2, 1.5))
    tug = world.add_body(MassProperties.sphere(2.0, 0.5), name="tug", position=(90.0, 30.0, 5.0), velocity=(0, 0, 250))
    ship = world.add_body(box, name="ship", orientation=(0.1, 0.7, -0.1, 0.7), **start)
    world.add_force(forces.PointGravity(GM))
    motor = world.add_part(flight.BodyTorque(ship, max_torque=5.0))
    tracker = None
    if is_measured:
        tracker = world.add_part(
            flight.StarTracker(ship, (0, 0, 1), noise=(1e-4, 1e-3), max_rate=0.31, every=5, seed=3)
        )
    reference = POINTINGS[kind](tug)
    loop = flight.Controlled(ship, LAWS[law](), reference, motor, every=5, measured=tracker)
    return world, ship, world.add_part(loop), tracker


@pytest.mark.parametrize(
    ("kind", "is_measured", "law"),
    [
        ("nadir", False, "mrp"),
        ("body", True, "quaternion-pd"),
        ("bodies and sun", False, "damping"),
        ("direction", False, "mrp with inertia"),
    ],
)
def test_loops_of_members_that_point_have_the_bits_of_a_loop_alone(kind, is_measured, law):
    template, ship, _loop, tracker = make_pointing(kind, is_measured, law)
    batch, tug = Batch(template, members=4), template.body("tug")
    if tracker is not None:
        batch[tracker].seed = [3] * 4
    places = batch[tug].position + np.array([(0, 0, 0), (1, 2, 3), (-4, 1, 2), (3, 3, 9)])
    batch[ship].angular_velocity_body, batch[tug].position = TURNS, places
    batch.step(33)
    batch.reset(2)
    batch[ship].set(2, angular_velocity_body=TURNS[2])
    batch[tug].set(2, position=places[2])
    batch.step(60)
    for member, ticks in enumerate((93, 93, 60, 93)):
        world, alone, own, _tracker = make_pointing(kind, is_measured, law)
        alone.angular_velocity_body, world.body("tug").position = TURNS[member], places[member]
        world.step(ticks)
        assert_same(content(batch.world(member)), content(world))
        assert batch[_loop].torque_body[member].tolist() == own.torque_body.tolist()
    taken = batch.world(1)
    taken.step(20)
    batch.step(20)
    assert taken.state_hash() == batch.state_hash(1)


def test_a_member_that_can_point_nowhere_fails_alone():
    template, ship, _loop, _tracker = make_pointing("nadir", law="damping")
    batch = Batch(template, members=3)
    batch[ship].set(1, position=(100.0, 0.0, 0.0), velocity=(-3.0, 0.0, 0.0))
    batch.step(10)
    assert batch.tick_count.tolist() == [10, 0, 10]
    assert [failure[:3] for failure in batch.failures()] == [(1, 0, ship)]
    ship.velocity = (-3.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="its reference gives no attitude"):
        template.step()


def test_a_loop_that_points_at_what_is_not_in_its_member_is_rejected_by_name():
    class Lamp:
        position, velocity = (3.0, 0.0, 0.0), (0.0, 0.0, 0.0)

    for target in (Lamp(), np.eye(3)):
        world, _ship, loop, _tracker = make_pointing("direction")
        loop.reference = flight.Pointing((1, 0, 0), target)
        with pytest.raises(ValueError, match="it has Controlled"):
            Batch(world, members=2)


def make_with_jets(kind, delay=0):
    """A loop with throttled or pulsed jets, of which one is lost, beside a second craft whose jets nobody fires."""
    world = World(dt=0.02, integrator="rk4-body-rates")
    spare = world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), name="spare", position=(9.0, 0.0, 0.0))
    ship = world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), name="ship", orientation=(0.1, 0.7, -0.1, 0.7))
    world.add_force(forces.Thruster(spare, position=(0, 0, 0), direction=(1, 0, 0), max_force=1.0))
    places, along = [], []
    for axis in range(3):
        for side in (-1.0, 1.0):
            for sign in (-1.0, 1.0):
                place, force = np.zeros(3), np.zeros(3)
                place[axis], force[(axis + 1) % 3] = side, sign
                places.append(place)
                along.append(force)
    valves = {"min_on_time": 0.02, "rise_time": 0.005} if kind == "pulsed" else {}
    bank = world.add_force(
        forces.ThrusterBank(ship, positions=places[:10], directions=along[:10], max_forces=2.0, **valves)
    )
    single = [
        world.add_force(forces.Thruster(ship, position=at, direction=way, max_force=2.0, **valves))
        for at, way in zip(places[10:], along[10:], strict=True)
    ]
    allocator = flight.ThrusterAllocator([bank, *single])
    if kind == "even":
        allocator = flight.ThrusterAllocator([bank, *single], method="even")
    if kind == "lost":
        allocator = allocator.without(single[0]).without(3, level=0.4)
    jets = flight.Jets(allocator, flight.PulseModulator(min_on_time=0.02, period=0.1) if kind == "pulsed" else None)
    force = None if kind == "throttled" else (0.1, 0.0, -0.05)
    loop = flight.Controlled(ship, LAWS["mrp"](), REFERENCES["spin"](), jets, every=5, delay=delay, force_body=force)
    return world, ship, world.add_part(loop)


@pytest.mark.parametrize(("kind", "delay"), [("throttled", 0), ("even", 0), ("lost", 1), ("pulsed", 0)])
def test_loops_of_members_with_jets_have_the_bits_of_a_loop_alone(kind, delay):
    template, ship, loop = make_with_jets(kind, delay)
    batch = Batch(template, members=5)
    turns = np.vstack([TURNS, (0.0, 0.0, 0.0)])
    batch[ship].angular_velocity_body = turns
    batch.step(33)
    batch.reset(2)
    batch[ship].set(2, angular_velocity_body=turns[2])
    batch[ship].set(3, angular_velocity_body=(1.7e308, 0.0, 0.0), position=(1.79e308, 0, 0), velocity=(1.7e308, 0, 0))
    batch.step(60)
    assert batch.failed.tolist() == [False, False, False, True, False]
    for member, ticks in ((0, 93), (1, 93), (2, 60), (4, 93)):
        world, alone, own = make_with_jets(kind, delay)
        alone.angular_velocity_body = turns[member]
        world.step(ticks)
        assert_same(content(batch.world(member)), content(world))
        assert batch.state_hash(member) == world.state_hash()
        assert batch[loop].saturated[member] == own.saturated
    taken = batch.world(1)
    taken.step(20)
    batch.step(20)
    assert taken.state_hash() == batch.state_hash(1)


def test_pulses_of_a_loop_are_not_fired_by_jets_that_are_throttled():
    template, _ship, _loop = make_with_jets("pulsed")
    batch = Batch(template, members=3)
    bank = template.forces[1]
    batch[bank].set(1, throttle=0.5)
    before = [batch.state_hash(member) for member in range(3)]
    with pytest.raises(ValueError, match="throttle must be 0 in all members"):
        batch.step(6)
    batch[bank].throttle = 0.0
    assert len(before) == 3
    batch.step(6)


def test_members_have_references_and_laws_of_their_own():
    """Set in all members, in some and in any order; fixed, spinning and slewing ones together."""
    template, ship, loop = make("mrp with inertia")
    batch = Batch(template, members=5)
    batch[ship].angular_velocity_body = np.resize(TURNS, (5, 3))
    turns = np.array([(0.0, 0.0, 0.6, 0.8), (0.0, 0.6, 0.0, 0.8), (0.6, 0.0, 0.0, 0.8), (0, 0, 0, 1), (0, 0, 0, 1)])
    batch[loop].reference = flight.Reference(turns, (0.0, 0.0, 0.01))
    given = [flight.Reference(turn, (0.0, 0.0, 0.01)) for turn in turns]
    gains = [
        control.MRPFeedback(4.0 + place, 20.0, integral_gain=0.0, inertia_body=INERTIA * (1 + place))
        for place in range(5)
    ]
    batch[loop].law = gains
    alone = [batch.world(member) for member in range(5)]
    hashes = [batch.state_hash(member) for member in range(5)]
    for member, world in enumerate(alone):
        assert world.parts[-1].reference.orientation.tolist() == turns[member].tolist()
        assert world.parts[-1].law.k == 4.0 + member
        own, body, own_loop = make("mrp with inertia")
        body.angular_velocity_body = np.resize(TURNS, (5, 3))[member]
        own_loop.reference, own_loop.law = given[member], gains[member]
        assert own.state_hash() == world.state_hash() == hashes[member]
    batch.step(23)
    before, slew = batch.snapshot(), flight.Slew((0, 0, 0, 1), (0, 0.6, 0, 0.8), 0.3, 0.07, start_time=0.2)
    moving = {3: REFERENCES["spin"](), 1: REFERENCES["slew"](), 4: flight.Spin((0.1, 0, 0), turns[0], 0.3), 2: slew}
    batch[loop].set(list(moving), reference=list(moving.values()))
    batch[loop].set([4, 0, 1, 2, 3], law=[gains[place] for place in (0, 1, 2, 3, 4)])
    batch.step(24)
    copied = batch.copy()
    batch.reset(1)  # samples come at other ticks then; its reference and law are part of its model
    batch.step(30)
    copied.step(30)
    for member, world in enumerate(alone):
        world.step(23)
        part = world.parts[-1]
        part.reference = moving.get(member, part.reference)
        part.law = gains[(1, 2, 3, 4, 0)[member]]
        world.step(54)
        assert world.state_hash() == copied.state_hash(member)
        assert (world.state_hash() == batch.state_hash(member)) == (member != 1)
    batch.restore(before)
    assert batch.world(1).parts[-1].law.k == 5.0
    batch.step(10)
    fresh, body, own_loop = make("mrp with inertia")
    body.angular_velocity_body = TURNS[1]
    own_loop.reference, own_loop.law = given[1], gains[1]
    fresh.step(33)
    assert fresh.state_hash() == batch.state_hash(1)


@pytest.mark.parametrize("actuators", ["wheels", "torque", "throttled jets", "pulsed jets"])
def test_a_loop_is_switched_off_and_on_in_members(actuators):
    from ..benchmarks.batch_features import with_jets_of_loop  # which imports this module

    def ready():
        if "jets" in actuators:
            template = with_jets_of_loop(actuators == "pulsed jets")
            return template, template.bodies[0], template.parts[-1]
        return make("mrp", "fixed", actuators)

    template, ship, loop = ready()
    batch = Batch(template, members=4)
    batch[ship].angular_velocity_body = TURNS
    for ticks, on in (
        (23, [True, False, False, True]),
        (12, [True, False, True, False]),
        (3, [True, True, True, False]),
    ):
        batch.step(ticks)
        batch[loop].enabled = on
        assert batch[loop].enabled.tolist() == on
    batch.step(17)
    for member in range(4):
        world, body, own = ready()
        body.angular_velocity_body = TURNS[member]
        for ticks, off in ((23, (1, 2)), (12, (1, 3)), (3, (3,))):
            world.step(ticks)
            own.enabled = member not in off
        world.step(17)
        assert_same(content(batch.world(member)), content(world))
        assert batch.state_hash(member) == world.state_hash()


@pytest.mark.parametrize(
    ("members", "name", "value", "words"),
    [
        ([0, 2], "law", control.RateDamping(4.0), r"member 0 of .*law must be a law of the same kind"),
        (None, "law", [control.QuaternionPD(4.0, 20.0)] * 2, "law must be one for all, or 3, one per member"),
        (1, "law", control.QuaternionPD(4.0, 20.0, inertia_body=INERTIA), "member 1 of .*law"),
        (1, "law", flight.Reference(), "member 1 of .*law must be a law"),
        (None, "law", None, "member 0 of .*law must be a law"),
        (
            None,
            "reference",
            control.QuaternionPD(4.0, 20.0),
            "member 0 of .*reference must be a Reference, Spin or Slew",
        ),
        ([2], "reference", [flight.Spin(np.zeros((3, 3)))], "member 2 of .*reference must be .* of one attitude"),
        (None, "reference", flight.Reference(np.tile((0, 0, 0, 1), (4, 1))), "one for all, or 3, one per member"),
        (None, "reference", flight.Reference(np.tile((0, 0, 0, 1), (3, 1)), np.zeros((2, 3))), "of one attitude"),
        (None, "reference", flight.Reference(np.tile((0, 0, 0, 1), (1, 3, 1))), "of one attitude"),
        (None, "reference", [flight.Reference(), flight.Reference(), 1.0], "member 2 of .*reference"),
        ([0, 0], "reference", flight.Reference(), "different indices"),
        (None, "enabled", [True, False], r"enabled must be booleans of shape \(3,\)"),
        (None, "enabled", 1.0, "enabled must be booleans"),
    ],
)
def test_what_a_loop_of_members_cannot_have_is_rejected_and_the_member_named(members, name, value, words):
    template, _ship, loop = make()
    batch = Batch(template, members=3)
    batch[loop].reference = [flight.Reference((0, 0, 0.6, 0.8))] * 3
    before = [batch.state_hash(member) for member in range(3)]
    with pytest.raises((TypeError, ValueError), match=words):
        batch[loop].set(np.arange(3) if members is None else members, **{name: value})
    assert [batch.state_hash(member) for member in range(3)] == before
