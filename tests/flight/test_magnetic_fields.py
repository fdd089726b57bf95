"""Magnetorquers and magnetometers in fields of users, beside the dipole that is compiled."""

import math
from itertools import pairwise

import numpy as np
import pytest

from engine import MassProperties, World, flight
from engine.flight import control
from engine.forces import MagneticDipole, PointGravity

GM = 3.986004418e14
EARTH = MagneticDipole(7.71e15, (0.163, 0.0, -0.987), (0.0, 0.0, 1e5))
CUBESAT = MassProperties.box(4.0, (0.1, 0.1, 0.34))
ORBIT = {"position": (6.9e6, 0.0, 1e5), "velocity": (0.0, 5.4e3, 5.3e3), "angular_velocity_body": (0.01, -0.02, 0.03)}


class Turning:
    """A dipole that turns with the planet, as a user would write it."""

    rate = 7.292e-5

    def at(self, position, time):
        cosine, sine = math.cos(self.rate * time), math.sin(self.rate * time)
        x, y, z = EARTH.axis_world
        return MagneticDipole(7.71e15, (cosine * x - sine * y, sine * x + cosine * y, z), EARTH.center).at(position)


class Same:
    """The dipole of the engine, behind a method that takes no time."""

    def at(self, position):
        return EARTH.at(position)


def on_orbit(dt, field, axes=((1, 2, 3),), dipoles=(0.15,)):
    world = World(dt=dt, integrator="rk4")
    world.add_force(PointGravity(gm=GM))
    cubesat = world.add_body(CUBESAT, **ORBIT)
    rods = [world.add_part(flight.Magnetorquer(cubesat, axis=axis, max_dipole=0.2, field=field)) for axis in axes]
    for rod, dipole in zip(rods, dipoles, strict=True):
        rod.dipole = dipole
    return world, cubesat, rods


def test_a_field_of_a_user_is_taken_in_the_middle_of_each_tick():
    """The error beside the compiled dipole, which is evaluated at each stage, falls with the square of the length of the tick."""
    errors = []
    for dt in (8.0, 4.0, 2.0):
        ends = []
        for field in (EARTH, Same()):
            world, cubesat, _ = on_orbit(dt, field)
            world.step(round(320.0 / dt))
            ends.append(cubesat.angular_velocity_body)
        errors.append(np.abs(ends[0] - ends[1]).max())
    assert errors[0] > 0.0
    assert [math.log2(a / b) for a, b in pairwise(errors)] == pytest.approx([2.0, 2.0], abs=0.3)


def test_a_field_that_turns_with_time_exerts_its_torque_of_that_time():
    world, cubesat, _ = on_orbit(2.0, Turning())
    world.step(1000)
    before, position, velocity, time = cubesat.angular_velocity_body, cubesat.position, cubesat.velocity, world.time
    world.step()
    middle = position + 1.0 * velocity
    expected = Turning().at(middle, time + 1.0)
    held = world._store.tables["magnetorquers"].read("held_field", 0)
    assert held == pytest.approx(expected, rel=1e-12)
    assert np.abs(expected - EARTH.at(middle)).max() > 0.01 * np.abs(expected).max()  # it has turned
    assert (cubesat.angular_velocity_body != before).any()


def test_a_failed_tick_keeps_the_field_and_copies_have_it():
    world, _, _ = on_orbit(2.0, Turning())
    world.step(10)
    before, fork = world.state_hash(), world.fork()
    assert fork.state_hash() == before

    @world.on_tick
    def fail(world):
        raise RuntimeError("failed")

    with pytest.raises(RuntimeError):
        world.step()
    assert world.state_hash() == before
    world.remove_callback(fail)
    for each in (world, fork):
        each.step(10)
    assert world.state_hash() == fork.state_hash()


def test_magnetorquers_and_magnetometers_share_a_field_of_a_user():
    world, cubesat, rods = on_orbit(1.0, Turning(), np.eye(3), (0.0, 0.0, 0.0))
    magnetometer = world.add_part(flight.Magnetometer(cubesat, field=Turning(), seed=1))
    law = control.BDot(gain=1e5)
    loop = flight.Controlled(
        cubesat, law, flight.Reference(), flight.Magnetorquers(rods), every=1, measured=magnetometer
    )
    world.add_part(loop)
    world.step(2)
    field = magnetometer.read().field_body
    assert field == pytest.approx(cubesat.direction_to_body(Turning().at(cubesat.position, world.time)), abs=2e-6)
    assert abs(loop.actuators.commanded.torque_body @ field) < 1e-12 * np.abs(field).max()
    before = np.linalg.norm(cubesat.angular_velocity_body)
    world.step(200)
    assert np.linalg.norm(cubesat.angular_velocity_body) < 0.7 * before


def test_a_field_of_a_user_can_be_exchanged_and_a_dipole_cannot_become_one():
    world, _, (rod,) = on_orbit(2.0, Turning())
    other = Same()
    world.step(1)
    kept = world.snapshot()
    rod.field = other
    assert rod.field is other
    world.restore(kept)
    assert isinstance(rod.field, Turning)
    with pytest.raises(TypeError, match="field must be an object with at"):
        rod.field = EARTH
    _, _, (compiled,) = on_orbit(2.0, EARTH)
    with pytest.raises(TypeError, match="field must be a MagneticDipole"):
        compiled.field = Turning()


@pytest.mark.parametrize("field", [3.0, None, (1e-5, 0.0, 0.0), object(), type("Odd", (), {"at": lambda self: 1})()])
def test_things_that_are_no_fields(field):
    world = World(dt=1.0)
    cubesat = world.add_body(CUBESAT, **ORBIT)
    with pytest.raises(TypeError, match="field must be a MagneticDipole, or an object with at"):
        flight.Magnetorquer(cubesat, axis=(1, 0, 0), max_dipole=0.2, field=field)


@pytest.mark.parametrize("value", ["north", (1.0, 2.0), (math.nan, 0.0, 0.0), None])
def test_what_a_field_of_a_user_returns_is_checked(value):
    field = type("Field", (), {"at": lambda self, position, time: value})()
    world, _, _ = on_orbit(1.0, field)
    before = world.state_hash()
    with pytest.raises((TypeError, ValueError), match=r"field\.at\(position, time\) must be 3 finite real numbers"):
        world.step()
    assert world.state_hash() == before
