"""Bad input of batches is rejected before anything changes; the message names the member or the owner, the argument and the rule."""

import pickle

import numpy as np
import pytest

from engine import MassProperties, Snapshot, World, flight, joints, shapes
from engine.batch import Batch
from engine.integrators import Substepped

from .templates import Numbers, new_world, parts_of

COUNT = 4
NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def made():
    template = new_world()
    parts, batch = parts_of(template), Batch(template, members=COUNT)
    Numbers(COUNT).set_in(batch, parts)
    batch.step(3)
    return batch, parts


def one_wrong(value, member=2, shape=(COUNT,), good=0.0):
    """An array of good values in which those of one member are wrong."""
    values = np.full(shape, good)
    values[member] = value
    return values


VALUES = [
    # body, wrong value by attribute, what the message says
    ("ship", "velocity", one_wrong(NAN, shape=(COUNT, 3)), "member 2 of .*ship.*velocity must be finite"),
    ("ship", "velocity", one_wrong(INF, shape=(COUNT, 3)), "member 2 of .*ship.*velocity must be finite"),
    ("ship", "velocity", np.zeros((COUNT, 2)), r"velocity must be real numbers of shape \(4, 3\)"),
    ("ship", "velocity", np.zeros((COUNT + 1, 3)), r"velocity must be real numbers of shape \(4, 3\)"),
    ("ship", "velocity", np.zeros(COUNT), r"velocity must be real numbers of shape \(4, 3\)"),
    ("ship", "velocity", 1.0, r"velocity must be real numbers of shape \(4, 3\)"),
    ("ship", "velocity", "fast", "velocity must be real numbers"),
    ("ship", "velocity", None, "velocity must be real numbers"),
    ("ship", "velocity", np.zeros((COUNT, 3), complex), "velocity must be real numbers"),
    ("ship", "velocity", np.zeros((COUNT, 3), bool), "velocity must be real numbers"),
    ("ship", "velocity", [[0, 0, 0], [0, 0]], "velocity must be"),
    ("ship", "position", one_wrong(NAN, shape=(COUNT, 3)), "member 2 of .*ship.*position"),
    ("ship", "angular_velocity_body", one_wrong(-INF, 0, (COUNT, 3)), "member 0 of .*angular_velocity_body"),
    ("ship", "orientation", one_wrong(0.5, 3, (COUNT, 4), 0.5) * [[1], [1], [1], [3]], "member 3 of .*orientation"),
    ("ship", "orientation", np.zeros(4), "member 0 of .*orientation.*unit length"),
    ("ship", "orientation", np.zeros((COUNT, 3)), r"\(4, 4\)"),
    ("door", "position", np.zeros((COUNT, 3)), "left to the joints"),
    ("door", "orientation", (0, 0, 0, 1), "left to the joints"),
    ("bank", "throttle", one_wrong(1.5, 1, (COUNT, 2)), "member 1 of .*throttle must be between 0 and 1"),
    ("bank", "throttle", one_wrong(-0.1, 1, (COUNT, 2)), "member 1 of .*throttle must be between 0 and 1"),
    ("bank", "throttle", one_wrong(NAN, 3, (COUNT, 2)), "member 3 of .*throttle"),
    ("bank", "throttle", np.zeros((COUNT, 3)), r"\(4, 2\)"),
    ("bank", "throttle", np.zeros(COUNT), r"\(4, 2\)"),
    ("bank", "throttle", np.zeros((2, COUNT)), r"\(4, 2\)"),
    ("bank", "throttle", 2, "member 0 of .*throttle must be between 0 and 1"),
    ("bank", "throttle", [True] * COUNT, "throttle must be real numbers"),
    ("bank", "stuck", one_wrong(1.5, 1, (COUNT, 2)), "member 1 of .*stuck"),
    ("bank", "stuck", "open", "stuck must be"),
    ("bank", "gimbal_command", 0.1 * np.ones((COUNT, 2, 2)), "without a gimbal"),
    ("bank", "directions", np.zeros((COUNT, 2, 3)), "member 0 of .*directions"),
    ("bank", "max_forces", one_wrong(-1.0, 2, (COUNT, 2)), "member 2 of .*max_forces must be at least 0"),
    ("jet 0", "throttle", one_wrong(0.5, 0), "member 0 of .*throttle must be 0 for a thruster while a pulse runs"),
    ("jet 0", "max_force", one_wrong(-1.0, 0), "member 0 of .*max_force"),
    ("jet 1", "gimbal_command", one_wrong(0.3, 1, (COUNT, 2)), "member 1 of .*gimbal_command must be within"),
    ("jet 1", "direction", np.tile((0.0, 1.0, 0.0), (COUNT, 1)), "member 0 of .*gimbals"),
    ("wheel 0", "torque", one_wrong(0.4, 2), "member 2 of .*torque must be at most max_torque"),
    ("wheel 0", "torque", one_wrong(NAN, 2), "member 2 of .*torque must be finite"),
    ("wheel 0", "speed", one_wrong(-700.0, 1), "member 1 of .*speed must be at most max_speed"),
    ("wheel 0", "max_torque", one_wrong(0.001, 1, good=1.0), "member 1 of .*max_torque must be at least the commanded torque"),
    ("wheel 0", "max_torque", one_wrong(0.0, 3, good=1.0), "member 3 of .*max_torque must be above 0"),
    ("wheel 0", "viscous_friction", one_wrong(-1.0, 1), "member 1 of .*viscous_friction must be at least 0"),
    ("wheel 0", "enabled", np.ones(COUNT), "enabled must be booleans"),
    ("wheel 0", "enabled", "yes", "enabled must be booleans"),
    ("spring", "stiffness", one_wrong(-1.0, 1), "member 1 of .*stiffness"),
    ("spring", "damping", one_wrong(-1.0, 1), "member 1 of .*damping"),
    ("spring", "rest_length", one_wrong(-1.0, 1), "member 1 of .*rest_length"),
    ("drag", "coefficient", one_wrong(-1.0, 2), "member 2 of .*coefficient"),
    ("drag", "coefficient", np.zeros((COUNT, 2)), r"\(4,\)"),
    ("tank", "propellant", one_wrong(-1.0, 1), "member 1 of .*propellant must be at least 0"),
    ("tank", "propellant", one_wrong(NAN, 1), "member 1 of .*propellant"),
    ("tank", "propellant", np.zeros((COUNT, 1)), r"\(4,\)"),
    ("tank", "propellant", "full", "propellant must be"),
    ("ship", "velocity", {}, "velocity must be real numbers"),
    ("ship", "velocity", np.zeros((3, COUNT)), r"velocity must be real numbers of shape \(4, 3\)"),
    ("ship", "orientation", one_wrong(NAN, 1, (COUNT, 4)), "member 1 of .*orientation"),
    ("tug", "position", one_wrong(INF, 3, (COUNT, 3)), "member 3 of .*tug.*position"),
    ("tug", "velocity", "slow", "velocity must be real numbers"),
    ("bank", "throttle", one_wrong(INF, 0, (COUNT, 2)), "member 0 of .*throttle"),
    ("bank", "throttle", None, "throttle must be real numbers"),
    ("bank", "throttle", np.zeros((COUNT, 2), complex), "throttle must be real numbers"),
    ("bank", "enabled", np.ones((COUNT, 2)), "enabled must be booleans"),
    ("bank", "positions", one_wrong(NAN, 1, (COUNT, 2, 3)), "member 1 of .*positions"),
    ("bank", "max_forces", one_wrong(NAN, 2, (COUNT, 2)), "member 2 of .*max_forces"),
    ("jet 0", "throttle", np.zeros((COUNT, 2)), r"\(4,\)"),
    ("jet 0", "position", np.zeros((COUNT, 2)), r"\(4, 3\)"),
    ("jet 0", "max_force", one_wrong(INF, 2), "member 2 of .*max_force"),
    ("jet 1", "gimbal_command", one_wrong(NAN, 1, (COUNT, 2)), "member 1 of .*gimbal_command"),
    ("jet 1", "gimbal_command", np.zeros(COUNT), r"\(4, 2\)"),
    ("wheel 0", "torque", np.zeros((COUNT, 3)), r"\(4,\)"),
    ("wheel 0", "speed", one_wrong(NAN, 1), "member 1 of .*speed"),
    ("wheel 1", "torque", one_wrong(-0.4, 3), "member 3 of .*torque must be at most max_torque"),
    ("spring", "stiffness", one_wrong(NAN, 2), "member 2 of .*stiffness"),
    ("spring", "rest_length", np.zeros((COUNT, 3)), r"\(4,\)"),
    ("drag", "coefficient", one_wrong(NAN, 0), "member 0 of .*coefficient"),
    ("drag", "coefficient", "much", "coefficient must be"),
]  # fmt: skip

READ_ONLY = [
    ("ship", "mass"),
    ("ship", "name"),
    ("ship", "inertia_body"),
    ("bank", "impulse"),
    ("bank", "tank"),
    ("wheel 0", "axis"),
    ("wheel 0", "inertia"),
    ("wheel 0", "momentum"),
    ("wheel 0", "applied_torque"),
    ("tank", "capacity"),
    ("spring", "color"),
    ("drag", "coeficient"),
]
MEMBERS = [
    -1,
    COUNT,
    [0, 0],
    [0, COUNT],
    [True] * (COUNT - 1),
    [True] * (COUNT + 1),
    np.ones((2, 2), bool),
    np.zeros((2, 2), int),
    1.0,
    [0.5],
    "all",
    [[0], [1, 2]],
    Ellipsis,
    [None],
]


def refused(batch, call, words, *kinds):
    before, count = batch._world.state_hash(), batch._members.owners.bodies.version
    with pytest.raises(kinds or (TypeError, ValueError), match=words):
        call()
    assert batch._world.state_hash() == before
    assert count <= batch._members.owners.bodies.version


@pytest.mark.parametrize(("part", "name", "value", "words"), VALUES)
def test_a_wrong_value_is_rejected_and_its_member_named(made, part, name, value, words):
    batch, parts = made
    refused(batch, lambda: setattr(batch[parts[part]], name, value), words)
    refused(batch, lambda: batch[parts[part]].set(np.arange(COUNT), **{name: value}), words)


@pytest.mark.parametrize(("part", "name"), READ_ONLY)
def test_what_cannot_be_set_says_so(made, part, name):
    batch, parts = made
    refused(
        batch, lambda: setattr(batch[parts[part]], name, 1.0), f"{name} (is read-only|does not exist)", AttributeError
    )
    refused(batch, lambda: batch[parts[part]].set(0, **{name: 1.0}), "can be set are", AttributeError)


@pytest.mark.parametrize("members", MEMBERS, ids=lambda value: repr(value)[:30])
def test_members_are_a_mask_or_different_indices(made, members):
    batch, parts = made
    words = "members must be a mask"
    refused(batch, lambda: batch[parts["bank"]].set(members, throttle=0.5), words)
    refused(batch, lambda: batch.reset(members), words)
    refused(batch, lambda: batch[parts["bank"]].fire(0.5, members=members), words)
    refused(batch, lambda: batch[parts["ship"]].set_mass_properties(mass=80.0, members=members), words)


@pytest.mark.parametrize("member", [-1, COUNT, 1.0, "0", None, True, [0]])
def test_one_member_is_an_index(made, member):
    batch, _parts = made
    refused(batch, lambda: batch.world(member), "member must be an integer from 0 to 3")
    refused(batch, lambda: batch.state_hash(member), "member must be an integer from 0 to 3")


def test_several_values_are_set_together_or_not_at_all(made):
    batch, parts = made
    ship = batch[parts["ship"]]
    refused(
        batch,
        lambda: ship.set([0, 1], velocity=(1.0, 0.0, 0.0), angular_velocity_body=np.full((2, 3), NAN)),
        "member 0",
    )


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"mass": one_wrong(-1.0, 1, good=90.0)}, "member 1 of .*mass must be above 0"),
        ({"mass": one_wrong(0.0, 1, good=90.0)}, "member 1 of .*mass must be above 0"),
        ({"mass": np.ones((COUNT, 1))}, r"\(4,\)"),
        ({"mass": "heavy"}, "mass must be"),
        ({"inertia_body": np.eye(2)}, "inertia_body must be"),
        ({"inertia_body": np.stack([np.eye(3)] * 3 + [np.diag([1.0, 1.0, -1.0])])}, "member 3 of"),
        ({"inertia_body": np.stack([np.eye(3)] * 3 + [np.full((3, 3), NAN)])}, "member 3 of"),
        ({"inertia_body": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, "symmetric"),
        ({"inertia_body": "eye"}, "inertia_body must be"),
        ({"center_of_mass_body": (NAN, 0, 0)}, "center_of_mass_body"),
        ({"center_of_mass_body": 1.0}, "center_of_mass_body"),
    ],
)
def test_mass_properties_are_checked(made, values, words):
    batch, parts = made
    refused(batch, lambda: batch[parts["ship"]].set_mass_properties(**values), words)


@pytest.mark.parametrize(
    ("part", "durations", "delays", "words"),
    [
        ("jet 0", one_wrong(-1.0, 2), 0.0, "member 2 of .*durations must be at least 0"),
        ("jet 0", one_wrong(0.001, 2), 0.0, "member 2 of .*durations must be 0 or at least the min_on_time"),
        ("jet 0", 0.1, one_wrong(-1.0, 1), "member 1 of .*delays must be at least 0"),
        ("jet 0", 0.1, one_wrong(NAN, 1), "member 1 of .*delays"),
        ("jet 0", np.ones((COUNT, 2)), 0.0, "durations must be"),
        ("bank", 0.5, 0.0, "durations must be 0 while the throttle is not 0"),
        ("bank", "long", 0.0, "durations must be"),
    ],
)
def test_pulses_are_checked(made, part, durations, delays, words):
    batch, parts = made
    refused(batch, lambda: batch[parts[part]].fire(durations, delays), words)


def test_handles_of_other_worlds_are_rejected(made):
    batch, parts = made
    other = new_world()
    for handle in (other.body("ship"), *other.forces, *other.parts, *other.joints):
        refused(batch, lambda handle=handle: batch[handle], "part|joint of the template", ValueError)
    for handle in ("ship", 0, None, parts, World(dt=0.1)):
        refused(
            batch,
            lambda handle=handle: batch[handle],
            "must be a body, force, part or joint of the template",
            TypeError,
        )


@pytest.mark.parametrize("value", [[True], "all", np.ones(COUNT), None, np.ones((COUNT, COUNT), bool)])
def test_active_takes_a_mask(made, value):
    batch, _parts = made
    refused(batch, lambda: setattr(batch, "active", value), "active must be a mask")


def test_snapshots_of_other_worlds_are_rejected(made):
    batch, _parts = made
    other = new_world()
    refused(batch, lambda: batch.restore(other.snapshot()), "one of this batch")
    refused(batch, lambda: batch.restore("before"), "a Snapshot")
    refused(batch, lambda: batch.reset(to="before"), "a Snapshot")
    refused(batch, lambda: batch.reset(to=World(dt=1 / 50).snapshot()), "a snapshot of the template")
    refused(batch, lambda: batch.reset(to=Snapshot.from_bytes(World(dt=0.1).snapshot().to_bytes())), "dt = 0.02")
    refused(batch, lambda: batch.step(-1), "ticks")
    refused(batch, lambda: batch.step(0.5), "ticks")
    refused(batch, lambda: batch.on_tick(None), "function")
    refused(batch, lambda: batch.on_tick(print, every=0), "every")


def test_what_may_not_change_inside_a_tick_is_rejected():
    template = new_world(is_driven=False, has_joint=False)
    for call in (lambda batch: batch.reset(0), lambda batch: batch.world(0), lambda batch: batch.copy()):
        batch = Batch(template, members=2)
        batch.on_tick(call)
        refused(batch, batch.step, "inside a tick", RuntimeError)
        assert batch.tick_count.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"members": 0}, "members"),
        ({"members": -3}, "members"),
        ({"members": 2.0}, "members"),
        ({"members": True}, "members"),
        ({"members": 2**30}, "members must be at most"),
        ({"members": 2, "seed": 1.0}, "seed"),
        ({"members": 2, "seed": None}, "seed"),
        ({"members": 2, "seed": 2**64}, "seed"),
        ({"members": 2, "threads": 0}, "threads"),
        ({"members": 2, "threads": 1.5}, "threads"),
    ],
)
def test_arguments_of_a_batch_are_checked(arguments, words):
    with pytest.raises((TypeError, ValueError), match=f"Batch: {words}"):
        Batch(new_world(is_driven=False, has_joint=False), **arguments)


def wind(wrench, bodies, time):
    pass


def with_python_force(world, ship):
    world.add_force(wind)


def with_callback(world, ship):
    world.on_tick(print)


def with_report(world, ship):
    world.after_tick(print)


def with_memory(world, ship):
    world.memory.add("trim")


def with_push(world, ship):
    ship.apply_force((1.0, 0.0, 0.0))


def with_breakable_joint(world, ship):
    world.add_joint(joints.Ball(ship, at_body=(0, 0, 0), break_force=5.0))


def with_latch(world, ship):
    other = world.add_body(MassProperties.sphere(2.0, 0.5), position=(3.0, 0.0, 0.0))
    ports = (joints.Port(position=(side, 0, 0), axis=(side, 0, 0), up=(0, 0, 1)) for side in (1, -1))
    world.add_joint(joints.Latch(ship, other, *ports))


def with_frozen_body(world, ship):
    ship.velocity, ship.position = (1.7e308, 0.0, 0.0), (1.79e308, 0.0, 0.0)
    world.step()


def with_moving_ground(world, ship):
    world.add_shape(shapes.Box((1, 1, 1)), position=(9.0, 0.0, 0.0)).velocity = (1.0, 0.0, 0.0)


def with_part_in_python(world, ship):
    class OwnLaw(flight.control.RateDamping):
        def update(self, measured, reference, seconds, state):
            return np.zeros(3), state

    motor = world.add_part(flight.BodyTorque(ship))
    world.add_part(flight.Controlled(ship, OwnLaw(4.0), flight.Reference(), motor, every=5))


def with_sensor_of_own_samples(world, ship):
    class Doubled(flight.Gyro):
        def _sample(self, world):
            super()._sample(world)

    world.add_part(Doubled(ship, seed=1))


def with_method_of_a_tolerance(world, ship):
    world.integrator = Substepped("rk4", tolerance=1e-6)


@pytest.mark.parametrize(
    ("add", "words"),
    [
        (with_python_force, "the Python force .*wind"),
        (with_callback, "the function .*print"),
        (with_report, "the function .*print"),
        (with_memory, "the memory 'trim'"),
        (with_push, "forces that wait for its next tick"),
        (with_breakable_joint, "joints that can break"),
        (with_latch, "without latches"),
        (with_frozen_body, "frozen bodies"),
        (with_moving_ground, "without shapes of the world that move"),
        (with_part_in_python, "without parts that are sampled in Python"),
        (with_sensor_of_own_samples, "sampled in Python.*it has Doubled"),
        (with_method_of_a_tolerance, "divides every tick alike"),
    ],
)
def test_what_has_no_form_for_members_is_rejected_by_name(add, words):
    world = World(dt=0.02, on_non_finite="freeze")
    ship = world.add_body(MassProperties.sphere(2.0, 0.5))
    add(world, ship)
    before = world.state_hash()
    with pytest.raises(ValueError, match=words):
        Batch(world, members=2)
    assert world.state_hash() == before


def test_a_template_needs_a_body_and_is_a_world():
    with pytest.raises(ValueError, match="at least one body"):
        Batch(World(dt=0.1), members=2)
    for template in (None, "world", MassProperties.sphere(1.0, 1.0)):
        with pytest.raises(TypeError, match="template must be a World"):
            Batch(template, members=2)


def test_what_only_a_batch_can_have_is_not_written_or_restored_elsewhere(made):
    batch, _parts = made
    taken = batch.snapshot()
    with pytest.raises(ValueError, match=r"of a world and not of a batch.*Batch\.world"):
        taken.to_bytes()
    with pytest.raises(ValueError, match=r"of a world and not of a batch.*Batch\.restore"):
        new_world().restore(taken, adopt=True)
    with pytest.raises(ValueError, match="a snapshot of the template"):
        batch.reset(to=taken)
    with pytest.raises(TypeError, match=r"cannot be pickled.*Batch\.world"):
        pickle.dumps(batch)
