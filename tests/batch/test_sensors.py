"""Sensors of members: the bits of a sensor alone, on the clock of each member, with noise that depends on nothing but the member."""

import numpy as np
import pytest

from engine import MassProperties, World, flight, forces
from engine.batch import Batch

from .test_members import assert_same, content


def sensors_on(ship, seed=1, delay=0):
    """Each sensor that has a form for members."""
    basic = {"seed": seed, "delay": delay}
    noisy = {"bias_walk": 1e-4, "misalignment": (0.01, 0.02, -0.01), "scale_error": 0.01, **basic}
    dipole, sun = flight.MagneticDipole(7.8e15, (0.1, 0.2, 0.9), (1e7, 0.0, 0.0)), (1.0, 0.2, 0.1)
    tracker = {"noise": (1e-5, 1e-4), "max_rate": 0.9, "every": 4}
    return {
        "gyro": flight.Gyro(ship, noise_density=1e-4, every=2, **noisy),
        "magnetometer": flight.Magnetometer(ship, field=dipole, noise=1e-7, every=3, **noisy),
        "compass": flight.Magnetometer(ship, field=(3e-5, 0.0, 1e-5), noise=1e-7, name="compass", **noisy),
        "accelerometer": flight.Accelerometer(ship, at_body=(0.1, 0.0, 0.3), noise_density=1e-4, **noisy),
        "tracker": flight.StarTracker(ship, (0, 0, 1), exclusion=[flight.Exclusion.far(sun, 0.1)], **tracker, **basic),
        "sun": flight.SunSensor(
            ship, (1, 0, 0), field_of_view=1.5, sun_direction_world=sun, noise=1e-3, every=3, **basic
        ),
    }


def make(seed=1, delay=0):
    world = World(dt=0.02)
    ship = world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), name="ship", angular_velocity_body=(0.1, 0.2, 0.3))
    other = world.add_body(MassProperties.sphere(2.0, 0.5), name="other", position=(9.0, 0.0, 0.0))
    world.add_force(forces.UniformGravity((0.0, 0.1, -1.5)))
    world.add_force(forces.UniformGravity((0.0, 0.0, 3.0), bodies=[other]))
    world.add_force(forces.PointGravity(3e5, center=(0.0, 0.0, -500.0), bodies=[other, ship]))
    world.add_force(forces.LinearDrag(20.0, bodies=[ship]))
    return world, ship, {name: world.add_part(each) for name, each in sensors_on(ship, seed, delay).items()}


RATES = np.array([(0.1, 0.2, 0.3), (1.0, 0.0, -0.2), (0.0, 0.3, 0.0), (-0.5, 0.1, 0.2)])


@pytest.mark.parametrize("delay", [0, 2])
def test_sensors_of_members_have_the_bits_of_a_sensor_with_the_same_seed(delay):
    template, ship, sensors = make(delay=delay)
    batch = Batch(template, members=4)
    seeds = [11, 12, 13, 14]
    for sensor in sensors.values():
        batch[sensor].seed = seeds
    batch[ship].angular_velocity_body = RATES
    batch.step(7)
    batch.reset(2)
    batch[ship].set(2, angular_velocity_body=RATES[2])
    batch.step(30)
    for member, ticks in ((0, 37), (1, 37), (2, 30), (3, 37)):
        world, alone, parts = make(seeds[member], delay)
        alone.angular_velocity_body = RATES[member]
        world.step(ticks)
        assert_same(content(batch.world(member)), content(world))
        for name, sensor in sensors.items():
            one, found = batch[sensor].read(), parts[name].read()
            assert (
                np.array_equal(one[0][member], found[0]) and one[1][member] == found[1] and one[2][member] == found[2]
            )
    taken = batch.world(1)
    taken.step(9)
    batch.step(9)
    assert taken.state_hash() == batch.state_hash(1)


def test_the_noise_of_a_member_depends_on_seed_member_and_reset_alone():
    def readings(count, seed=7, resets=0, chosen=(1,)):
        template, _ship, sensors = make()
        batch = Batch(template, members=count, seed=seed)
        for _ in range(resets):
            batch.step(3)
            batch.reset(chosen)
        batch.step(1)
        return batch[sensors["gyro"]].read().angular_velocity_body

    few, many = readings(2), readings(5)
    assert np.array_equal(few, many[:2])
    assert len(np.unique(many[:, 0])) == 5
    assert not np.array_equal(readings(2, seed=8)[0], few[0])
    once = readings(3, resets=1)
    assert not np.array_equal(once[1], few[1])
    assert np.array_equal(once[1], readings(5, resets=1)[1])
    assert not np.array_equal(once[1], readings(3, resets=2)[1])
    # the key is Philox of the template's key and (seed, member, reset), computed here with plain integers
    template, _ship, sensors = make()
    gyro = sensors["gyro"]
    first, second, third = (int(word) for word in gyro._table.array[3:6, gyro.rows.start])
    a, b, *_rest = philox((7, 0, third, 0), (first, second))
    batch = Batch(template, members=3, seed=7)
    table = batch[gyro]._table.array
    assert table[3:6, 2].astype(int).tolist() == list(philox((2, 0, 0, 0), (a, b))[:3])


def philox(counter, key):
    """Philox-4x32-10 with integers of any size, after Salmon and others (2011)."""
    a, b, c, d = counter
    k, m = key
    for _ in range(10):
        left, right = a * 0xD2511F53, c * 0xCD9E8D57
        word = 2**32 - 1
        a, b, c, d = (right >> 32) ^ b ^ k, right & word, (left >> 32) ^ d ^ m, left & word
        k, m = (k + 0x9E3779B9) & word, (m + 0xBB67AE85) & word
    return a, b, c, d


def test_a_reading_that_is_not_finite_stops_only_its_own_member():
    template, ship, sensors = make()
    batch = Batch(template, members=3)
    batch.step(4)
    batch[ship].set(1, angular_velocity_body=(1.7e308, 0.0, 0.0))
    before = batch.state_hash(1)
    batch.step(4)
    assert batch.failed.tolist() == [False, True, False]
    assert batch.state_hash(1) == before
    assert batch[sensors["gyro"]].read().time.tolist() == pytest.approx([0.12, 0.04, 0.12])


def test_faults_and_switches_of_sensors_of_some_members():
    template, _ship, sensors = make()
    batch, gyro = Batch(template, members=3), sensors["gyro"]
    batch.step(2)
    batch[gyro].set(1, fault="dead")
    batch[gyro].set(2, enabled=False)
    batch.step(4)
    reading = batch[gyro].read()
    assert reading.is_valid.tolist() == [True, False, True]
    assert reading.time.tolist() == pytest.approx([0.08, 0.08, 0.0])


def test_sensors_that_have_no_form_for_members_are_rejected_by_name():
    class Field:
        def at(self, position, time):
            return (3e-5, 0.0, 0.0)

    world = World(dt=0.02)
    ship = world.add_body(MassProperties.sphere(2.0, 0.5))
    world.add_part(flight.Magnetometer(ship, field=Field(), seed=1))
    with pytest.raises(ValueError, match="it has Magnetometer"):
        Batch(world, members=2)


def test_accelerometers_of_members_that_stood_still_go_on_with_the_bits_of_one_alone():
    template, ship, sensors = make()
    batch = Batch(template, members=3)
    batch[sensors["accelerometer"]].seed = [11, 12, 13]
    for name in sensors.keys() - {"accelerometer"}:
        batch[sensors[name]].seed = [11, 12, 13]
    batch[ship].angular_velocity_body = RATES[:3]
    batch.step(5)
    batch.active = [True, False, True]
    batch.step(4)
    batch.active = [True, True, True]
    batch.step(3)
    for member, ticks in enumerate((12, 8, 12)):
        world, alone, _parts = make((11, 12, 13)[member])
        alone.angular_velocity_body = RATES[member]
        world.step(ticks)
        assert_same(content(batch.world(member)), content(world))


def test_accelerometers_of_members_feel_the_gravity_of_their_own_member():
    """Each member has its own value of a gravity that lists bodies."""
    strengths = [1e5, 3e5, 5e5]
    template = World(dt=0.02)
    ship = template.add_body(MassProperties.sphere(2.0, 0.5), name="ship")
    pull = template.add_force(forces.PointGravity(1e5, center=(0.0, 0.0, -500.0), bodies=[ship]))
    sensor = template.add_part(flight.Accelerometer(ship, seed=1))
    template.add_force(forces.LinearDrag(5.0, bodies=[ship]))
    batch = Batch(template, members=3)
    batch[pull].gm = strengths
    batch.step(10)
    for member, strength in enumerate(strengths):
        alone = Batch(template, members=1).world(0)
        alone.forces[0].gm = strength
        alone.step(10)
        own = alone.parts[0].read().specific_force_body
        assert np.array_equal(batch[sensor].read().specific_force_body[member], own)
        assert own[2] > 0.0
