"""A reset member has the content of a fresh one in every table that members may have."""

import pytest

from engine import MassProperties, World, flight
from engine.batch import Batch
from engine.integrators import by_name

from . import templates, test_contacts, test_loops, test_sensors
from .test_members import assert_same, content

MAKERS = {
    "actuators and joints": templates.new_world,
    "sensors": lambda: test_sensors.make(delay=2)[0],
    "filter": lambda: test_loops.make_measured("filter", 1)[0],
    "pulses": lambda: test_loops.make_with_jets("pulsed")[0],
    "torques": lambda: test_loops.make("mrp", "spin", "torque", 2)[0],
    "contacts": test_contacts.new_world,
}
FILLED = {
    *("bodies", "thrusters", "tanks", "wheels", "driven", "springs", "joints", "uniform gravities"),
    *("point gravities", "linear drags", "gyros", "accelerometers", "magnetometers", "star trackers", "sun sensors"),
    *("attitude filters", "constant wrenches", "shapes", "contacts", "ignored pairs", "collision groups"),
}


def started(name):
    """A template after some ticks, and a batch of it whose sensors have seeds that resets keep."""
    template = MAKERS[name]()
    template.step(35)
    batch = Batch(template, members=4)
    for part in template.parts:
        if hasattr(part, "seed"):
            batch[part].seed = [11, 12, 13, 14]
    return template, batch


@pytest.mark.parametrize("name", MAKERS)
def test_a_reset_member_has_the_content_of_a_fresh_one(name):
    template, batch = started(name)
    fresh = [content(batch.world(member)) for member in range(4)]
    batch[template.bodies[0]].angular_velocity_body = (0.1, -0.2, 0.15)
    batch.step(27)
    assert any(not (fresh[2][key] == value).all() for key, value in content(batch.world(2)).items() if key in fresh[2])
    others = content(batch.world(0))
    batch.reset([1, 2])
    assert_same(content(batch.world(1)), fresh[1])
    assert_same(content(batch.world(2)), fresh[2])
    assert_same(content(batch.world(0)), others)


def test_the_templates_of_resets_have_rows_in_every_table():
    found = {table for name in MAKERS for table, _field in content(started(name)[1].world(0))}
    loops = {table for table in found if table.startswith("control loops")}
    assert FILLED - found == set() and loops


@pytest.mark.parametrize("method", ["midpoint", "rk4-body-rates", "free-rotor-4"])
def test_a_motor_torque_from_before_a_reset_does_not_act_after_it(method):
    def make():
        world = World(dt=0.1, integrator=by_name[method]())
        ship = world.add_body(MassProperties.box(2.0, (1.0, 2.0, 3.0)), name="ship")
        limits = {"inertia": 0.02, "max_torque": 0.3, "max_speed": 600.0}
        return world, world.add_part(flight.ReactionWheel(ship, axis=(1, 0, 0), **limits))

    template, wheel = make()
    batch = Batch(template, members=3)
    batch[wheel].torque = 0.2
    batch.step(5)
    batch.reset([1])
    alone, _wheel = make()
    for _ in range(3):
        batch.step()
        alone.step()
        assert batch.state_hash(1) == alone.state_hash()
