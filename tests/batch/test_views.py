"""Views: every attribute of every kind of handle reads and sets in members what it does in a world of the member alone."""

import numpy as np
import pytest

from engine import MassProperties, World, flight, forces, joints
from engine.batch import Batch
from engine.body import Body
from engine.checks import is_settable

from . import templates, test_contacts, test_loops, test_sensors


def with_commands():
    """A craft with constant forces, a light, an oblate planet and a magnetorquer."""
    world = World(dt=0.02)
    ship = world.add_body(MassProperties.box(9.0, (1.0, 1.2, 1.5)), name="ship", position=(9.0, 1.0, 0.0))
    world.add_force(forces.ConstantForce(ship, force_body=(0.1, 0.0, 0.2), at_body=(0.0, 0.1, 0.0)))
    world.add_force(forces.ConstantForce(ship, force_world=(0.1, 0.0, 0.2)))
    world.add_force(forces.ConstantTorque(ship, torque_body=(0.1, 0.0, 0.2)))
    world.add_force(forces.PointGravity(300.0, j2=1e-3, reference_radius=2.0, bodies=[ship]))
    plate = {"area": 2.0, "normal_body": (0, 0, 1), "at_body": (0.1, 0.0, 0.0), "specular": 0.2, "diffuse": 0.3}
    world.add_force(forces.RadiationPressure(ship, **plate, pressure=0.01, sun_direction_world=(1.0, 0.0, 0.0)))
    dipole = flight.MagneticDipole(7.8e15, (0.1, 0.2, 0.9), (1e7, 0.0, 0.0))
    world.add_part(flight.Magnetorquer(ship, axis=(1, 0, 0), max_dipole=3.0, field=dipole))
    world.add_part(flight.BodyTorque(ship, max_torque=0.5))
    return world


WORLDS = {
    "everything": templates.new_world,
    "fields": templates.with_every_field,
    "joints": templates.with_every_joint,
    "sensors": lambda: test_sensors.make()[0],
    "a loop with a filter": lambda: test_loops.make_measured("filter", 1)[0],
    "pulses": lambda: test_loops.make_with_jets("pulsed")[0],
    "contacts": test_contacts.new_world,
    "commands": with_commands,
}
RATES = np.array([(0.1, 0.2, 0.3), (0.3, 0.0, -0.2), (0.0, 0.3, 0.1)])


def handles(world):
    return [*world.bodies, *world.forces, *world.parts, *world.joints, *world.shapes]


def made(name):
    """A batch in which the members have gone apart, with the handles of its template."""
    template = WORLDS[name]()
    batch = Batch(template, members=3)
    batch[template.bodies[0]].angular_velocity_body = RATES
    batch.step(12)
    return batch, handles(template)


def views(batch, found):
    """Each handle of which members have rows, by its place, with its view."""
    for place, handle in enumerate(found):
        try:
            yield place, handle, batch[handle]
        except ValueError as error:
            assert "rows of their own" in str(error)


def is_number(value):
    return isinstance(value, bool | int | float | np.ndarray | np.generic)


def names_of(handle):
    """The data that a handle has, by the names in its class."""
    kind, places = type(handle), ("index", "rows", "name", "world", "body", "other", "shapes", "user_data")
    return [
        each
        for each in dir(kind)
        if not each.startswith("_") and each not in places and hasattr(type(getattr(kind, each)), "__set__")
    ]


@pytest.mark.parametrize("name", WORLDS)
def test_every_number_of_a_handle_reads_as_in_a_world_of_the_member_alone(name):
    batch, found = made(name)
    alone = [handles(batch.world(member)) for member in range(3)]
    compared = 0
    for place, handle, view in views(batch, found):
        for attribute in names_of(handle):
            values = [getattr(each[place], attribute, None) for each in alone]
            if all(map(is_number, values)):
                seen = getattr(view, attribute)
                assert seen.shape == (3, *np.shape(values[0])), (handle, attribute)
                assert np.array_equal(seen, values, equal_nan=True), (handle, attribute)
                assert attribute in dir(view)
                compared += 1
            elif attribute not in ("fault", "stuck"):
                with pytest.raises(AttributeError):
                    getattr(view, attribute)
    assert compared > 20


@pytest.mark.parametrize("name", WORLDS)
def test_every_number_of_a_handle_is_set_as_in_a_world_of_the_member_alone(name):
    batch, found = made(name)
    world, start, count = batch.world(1), batch.snapshot(), 0
    own, before = handles(world), world.snapshot()
    for place, handle, view in views(batch, found):
        for attribute in view._setters:
            value = getattr(own[place], attribute, None)
            if not is_number(value) or attribute in ("seed", "gimbal_command"):  # tested beside sensors and gimbals
                continue
            if name in ("everything", "joints") and attribute in ("position", "orientation") and handle in found[:9]:
                continue  # poses are left to the joints
            new = (
                not value
                if isinstance(value, bool)
                else np.asarray(value)[..., ::-1] * 0.5
                if np.shape(value)
                else value * 0.5
            )
            if np.shape(value) and np.isclose(np.linalg.norm(value), 1.0):
                new = np.roll(value, 1)
            try:
                setattr(own[place], attribute, new)
            except (ValueError, TypeError, AttributeError):
                with pytest.raises((ValueError, TypeError, AttributeError)):
                    view.set(1, **{attribute: new})
            else:
                view.set(1, **{attribute: new})
                assert batch.state_hash(1) == world.state_hash(), (handle, attribute)
                world.step(3)
                batch.step(3)
                assert batch.state_hash(1) == world.state_hash(), (handle, attribute)
                count += 1
            world.restore(before)
            batch.restore(start)
    assert count > 4


def test_bodies_have_the_poses_between_which_pictures_are_drawn():
    batch, found = made("everything")
    view, alone = batch[found[0]], batch.world(1)
    for alpha in (0.0, 0.5, 1.0):
        position, _orientation = alone.bodies[0].interpolated_pose(alpha)
        between = view.previous_position + alpha * (view.position - view.previous_position)
        assert np.allclose(between[1], position, rtol=0.0, atol=1e-12)
    assert view.previous_orientation.shape == (3, 4)
    assert "previous_position" in dir(view)


def test_motors_limits_and_springs_of_joints_are_set_for_all_members_or_for_each():
    template = templates.with_every_joint()
    hinge, batch = template.joints[1], Batch(template, members=3)
    motors = [joints.Motor(target_rate=rate, max_torque=0.3) for rate in (0.1, -0.2)]
    batch[hinge].limits = (-0.5, 0.4)
    batch[hinge].set([0, 2], motor=motors)
    batch[hinge].set(1, motor=None, friction=0.01)
    batch.step(40)
    for member, motor in enumerate((motors[0], None, motors[1])):
        alone = templates.with_every_joint()
        own = alone.joints[1]
        own.limits, own.motor = (-0.5, 0.4), motor
        if member == 1:
            own.friction = 0.01
        alone.step(40)
        assert batch.state_hash(member) == alone.state_hash()
        assert batch[hinge].angle[member] == own.angle


def test_a_value_that_the_handle_rejects_names_the_member_and_changes_nothing():
    template = templates.with_every_joint()
    hinge, batch = template.joints[1], Batch(template, members=3)
    before = [batch.state_hash(member) for member in range(3)]
    good = joints.Motor(target_rate=1.0, max_torque=1.0)
    with pytest.raises(TypeError, match=r"member 2 of Hinge.*motor.*a Motor, or None"):
        batch[hinge].motor = [good, good, 3.0]
    with pytest.raises(ValueError, match="a list of 3, one per member"):
        batch[hinge].motor = [good, good]
    with pytest.raises(AttributeError, match="break_force is read-only"):
        batch[hinge].break_force = 1.0
    light = with_commands()
    other = Batch(light, members=3)
    with pytest.raises(ValueError, match=r"member 0 of RadiationPressure.*at most 1"):
        other[light.forces[4]].specular = 0.9
    with pytest.raises(ValueError, match=r"member 1 of BodyTorque.*at most max_torque"):
        other[light.parts[1]].torque_body = [(0, 0, 0), (0, 0.6, 0), (0, 0, 0)]
    with pytest.raises(AttributeError, match="created with torque_body"):
        other[light.forces[2]].torque_world = (0, 0, 1)
    assert [batch.state_hash(member) for member in range(3)] == before


def test_a_joint_that_does_not_hold_any_more_is_not_enabled_in_a_member():
    template = templates.with_every_joint()
    hinge, batch = template.joints[1], Batch(template, members=3)
    batch.step(5)
    batch[hinge].set(1, enabled=False)
    batch.step(20)
    with pytest.raises(ValueError, match=r"member 1 of Hinge.*left False until it holds again"):
        batch[hinge].enabled = True
    assert batch[hinge].enabled.tolist() == [True, False, True]


def test_what_the_jets_of_a_bank_have_is_set_and_read_in_their_order_for_each_member():
    template = templates.new_world()
    bank = templates.parts_of(template)["bank"]
    batch = Batch(template, members=3)
    places = np.random.default_rng(4).normal(size=(3, 2, 3))
    batch[bank].positions = places
    assert np.array_equal(batch[bank].positions, places)
    for member in range(3):
        assert np.array_equal(templates.parts_of(batch.world(member))["bank"].positions, places[member])


def test_throttles_in_any_layout_and_precision_are_the_same_numbers():
    template = World(dt=0.1)
    ship = template.add_body(MassProperties.box(2.0, (1.0, 2.0, 3.0)))
    bank = template.add_force(
        forces.ThrusterBank(ship, positions=np.eye(3), directions=np.eye(3)[::-1], max_forces=3.0)
    )
    given = np.random.default_rng(1).random((5, 3), dtype=np.float32)
    hashes = []
    for throttle in (given.astype(np.float64), given, np.asfortranarray(given), given.astype(">f4"), given.tolist()):
        batch = Batch(template, members=5)
        batch[bank].throttle = throttle
        assert (batch[bank].throttle == given).all()
        batch.step(3)
        hashes.append([batch.state_hash(member) for member in range(5)])
    assert all(each == hashes[0] for each in hashes)


@pytest.mark.parametrize("name", WORLDS)
def test_what_is_set_on_a_handle_is_set_in_its_members_but_for_what_all_have_in_common(name):
    batch, found = made(name)
    for _place, handle, view in views(batch, found):
        kept = next((names for kind, names in NOT_IN_MEMBERS.items() if isinstance(handle, kind)), set())
        settable = {each for each in names_of(handle) if is_settable(type(handle), each) and hasattr(handle, each)}
        assert settable - set(view._setters) == settable & kept, handle
        for attribute in settable & kept:
            with pytest.raises(AttributeError, match=attribute):
                setattr(view, attribute, 1.0)


NOT_IN_MEMBERS = {
    Body: {"mass_properties", "dry_mass_properties", "collision_group"},
    joints.Joint: {"break_force", "break_torque"},
    flight.Controlled: {"actuators"},
}
"""What is set by `set_mass_properties`, tells members apart, would break a joint, or is what all members have in common."""


def test_the_force_that_a_loop_wants_is_set_in_members():
    template = World(dt=0.02)
    ship = template.add_body(MassProperties.box(9.0, (1.0, 1.2, 1.5)), angular_velocity_body=(0.1, 0.2, 0.3))
    places = np.vstack([np.eye(3), -np.eye(3)])
    jets = [each for each in places for _ in range(2)]
    arms = [np.roll(each, shift) for each in places for shift in (1, 2)]
    bank = template.add_force(forces.ThrusterBank(ship, positions=arms, directions=jets, max_forces=5.0))
    law, actuators = flight.control.QuaternionPD(4.0, 20.0), flight.Jets(flight.ThrusterAllocator([bank]))
    loop = template.add_part(flight.Controlled(ship, law, flight.Reference(), actuators, every=2))
    batch = Batch(template, members=4)
    batch[loop].force_body = [(0.5, 0.0, 0.0), (0.0, 0.3, 0.1), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)]
    batch[loop].set(2, force_body=(0.1, 0.2, 0.3))
    assert batch[loop].force_body[1:3].tolist() == [[0.0, 0.3, 0.1], [0.1, 0.2, 0.3]]
    batch[loop].set(3, force_body=None)
    with pytest.raises(ValueError, match=r"member 1 of .*force_body must be finite"):
        batch[loop].force_body = [(0, 0, 0), (0, 0, np.inf), (0, 0, 0), (0, 0, 0)]
    alone = [batch.world(member) for member in range(4)]
    batch.step(9)
    for member, world in enumerate(alone):
        assert (world.parts[0].force_body is None) == (member == 3)
        world.step(9)
        assert world.state_hash() == batch.state_hash(member)


def test_faults_of_sensors_are_set_for_all_members_or_for_each():
    template, *_rest = test_sensors.make()
    gyro = next(each for each in template.parts if isinstance(each, flight.Gyro))
    batch = Batch(template, members=3)
    batch[gyro].fault = [None, "stuck", "dead"]
    assert batch[gyro].fault.tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(ValueError, match=r'member 1 of .*fault must be None, "stuck" or "dead"'):
        batch[gyro].fault = [None, "broken", "dead"]
    with pytest.raises(ValueError, match="fault must be"):
        batch[gyro].fault = np.zeros(3)
    with pytest.raises(ValueError, match="fault must be"):
        batch[gyro].fault = ["dead"]
    own = [batch.world(member) for member in range(3)]
    batch.step(4)
    for member, world in enumerate(own):
        world.step(4)
        assert world.state_hash() == batch.state_hash(member)


COMPUTED = (
    "rotation_matrix",
    "angular_velocity_world",
    "angular_momentum_world",
    "inertia_world",
    "inverse_inertia_world",
    "origin",
)


@pytest.mark.parametrize("method", ["rk4-body-rates", "rk4", "semi-implicit-euler", "free-rotor-2"])
@pytest.mark.parametrize("name", COMPUTED)
def test_what_follows_from_the_pose_has_the_bits_of_the_bodies_and_is_computed_for_all_at_once(
    name, method, monkeypatch
):
    numbers = np.random.default_rng(3)
    template = World(dt=0.02, integrator=method)
    tensor = ((1.0, 0.1, -0.2), (0.1, 2.0, 0.3), (-0.2, 0.3, 2.5))
    ship = template.add_body(MassProperties(2.0, tensor, center_of_mass_body=(0.1, -0.2, 0.3)))
    ship.stored_momentum_body = (0.1, 0.2, -0.3)
    batch = Batch(template, members=40)
    batch[ship].set(
        range(40), position=numbers.normal(size=(40, 3)), angular_velocity_body=numbers.normal(size=(40, 3))
    )
    batch.step(200)
    expected = [getattr(batch.world(member).bodies[0], name) for member in range(40)]
    monkeypatch.delattr(Body, name)
    assert np.array_equal(getattr(batch[ship], name), expected)
