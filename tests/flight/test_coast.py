"""Coasting: one jump is all the ticks, what stands in its way is named, and a jump that fails changes nothing."""

import copy
import math
import re
from fractions import Fraction

import numpy as np
import pytest

from engine import MassProperties, NonFiniteStateError, World, flight, forces, integrators, rotation
from engine.flight import coast, orbit
from engine.loops import coast as loop
from engine.solutions import FreeAsymmetricTop

from ..full_world import differences, image
from ..helpers import SKEW_ORIENTATION, skew_tensor
from ..truth import rotations, two_body

EARTH = 3.986004418e14
CENTER = (2e5, -1e5, 3e5)
MOMENTS = (1.0, 1.4, 1.9)
RATES = (0.3, -0.7, 0.4)


def orbiting(eccentricity=0.3, dt=1.0, *, nearest=7e6, anomaly=-0.5, rates=RATES, **options):
    """A world with a tumbling body on a conic in general position, which is approaching its periapsis."""
    world = World(dt, **options)
    position, velocity = orbit.from_elements(
        EARTH,
        periapsis_distance=nearest,
        eccentricity=eccentricity,
        inclination=0.7,
        raan=2.1,
        argument_of_periapsis=5.0,
        true_anomaly=anomaly,
    )
    ship = world.add_body(
        MassProperties(500.0, skew_tensor(MOMENTS), (0.3, -0.2, 0.5)),
        name="ship",
        position=position + CENTER,
        velocity=velocity,
        orientation=SKEW_ORIENTATION,
        angular_velocity_body=rates,
    )
    world.add_force(forces.PointGravity(EARTH, CENTER))
    return world, ship


# one jump is all the ticks


@pytest.mark.parametrize("eccentricity", [0.3, 1.6], ids=["ellipse", "hyperbola"])
def test_coast_and_then_step_is_step_all_the_way(eccentricity):
    """A body that tumbles through the periapsis, 100 s by "rk5" in ticks of 1/32 s, of which coasting takes 75 s. Measured 4e-11 rad."""
    stepped, ship = orbiting(eccentricity, 1 / 32, anomaly=-0.04, integrator="rk5")
    jumped, other = orbiting(eccentricity, 1 / 32, anomaly=-0.04, integrator="rk5")
    assert (ship.position - CENTER) @ ship.velocity < 0.0
    stepped.step(3200)
    jumped.coast(2400)
    jumped.step(800)
    assert (ship.position - CENTER) @ ship.velocity > 0.0
    assert jumped.tick_count == stepped.tick_count and jumped.time == 100.0
    assert np.linalg.norm(other.position - ship.position) < 1e-9 * np.linalg.norm(ship.position)
    assert np.linalg.norm(other.velocity - ship.velocity) < 1e-9 * np.linalg.norm(ship.velocity)
    assert rotation.angle_between(other.orientation, ship.orientation) < 1e-9
    assert abs(other.angular_velocity_body - ship.angular_velocity_body).max() < 1e-9


def test_a_coast_is_the_closed_forms_of_kepler_and_of_the_free_rotor():
    """A day on an ellipse, 8e4 rad of rotation: the closed form itself is exact to 5e-10 rad there."""
    world, ship = orbiting(0.5)
    start, truth = (
        (ship.position - CENTER, ship.velocity),
        FreeAsymmetricTop(skew_tensor(MOMENTS), RATES, SKEW_ORIENTATION),
    )
    world.coast(86400)
    position, velocity = two_body.propagate(EARTH, *start, 86400.0)
    # the sum with the centre rounds the position
    assert np.linalg.norm(ship.position - CENTER - position) < 1e-12 * np.linalg.norm(position)
    assert np.linalg.norm(ship.velocity - velocity) < 1e-12 * np.linalg.norm(velocity)
    assert rotations.angle(ship.orientation[np.newaxis], truth.orientations((86400.0,)))[0] < 1e-9
    assert abs(ship.angular_velocity_body - truth.angular_velocities_body((86400.0,))[0]).max() < 1e-9


@pytest.mark.parametrize("rates", [RATES, (0.9, 0.1, 0.05), (0.02, 0.03, -1.0)], ids=["skew", "least", "greatest"])
def test_one_coast_is_sixteen_coasts(rates):
    """1e5 rad of rotation and 14 revolutions: to 1e-9 rad and 1e-9 of the distance, measured 1e-10 and 2e-13."""
    once, ship = orbiting(0.1, rates=rates)
    often, other = orbiting(0.1, rates=rates)
    turned = round(1e5 / np.linalg.norm(rates) / 16) * 16
    once.coast(turned)
    for _ in range(16):
        often.coast(turned // 16)
    assert once.tick_count == often.tick_count == turned
    assert rotation.angle_between(ship.orientation, other.orientation) < 1e-9
    assert np.linalg.norm(ship.position - other.position) < 1e-9 * np.linalg.norm(ship.position)


def test_bodies_without_gravity_coast_on_straight_lines():
    world = World(0.5)
    rock = world.add_body(
        MassProperties(2.0, MOMENTS), position=(1, 2, 3), velocity=(0.5, 0, -1), angular_velocity_body=RATES
    )
    world.coast(8)
    assert rock.position.tolist() == [3.0, 2.0, -1.0] and rock.velocity.tolist() == [0.5, 0.0, -1.0]
    truth = FreeAsymmetricTop(MOMENTS, RATES).orientations((4.0,))
    assert rotations.angle(rock.orientation[np.newaxis], truth)[0] < 1e-13


def test_each_body_coasts_around_its_own_centre():
    """Gravity that lists its bodies acts on those, and a body that none lists goes straight."""
    world = World(1.0)
    sphere = MassProperties.sphere(1.0, 0.5)
    inner, outer, free = (world.add_body(sphere, position=(x, 0, 0), velocity=(0, 2, 0)) for x in (1.0, 9.0, 20.0))
    world.add_force(forces.PointGravity(4.0, bodies=[inner]))
    world.add_force(forces.PointGravity(4.0, (8, 0, 0), bodies=[outer]))
    world.coast(1000)
    wanted = np.array([math.cos(2000.0), math.sin(2000.0), 0.0])
    assert abs(inner.position - wanted).max() < 1e-11 and abs(outer.position - wanted - (8, 0, 0)).max() < 1e-11
    assert free.position.tolist() == [20.0, 2000.0, 0.0]


def test_a_body_coasts_alike_alone_and_among_many():
    """Also across the number of bodies from which on the loop is compiled."""
    alone, ship = orbiting()
    crowd, other = orbiting()
    crowd.add_bodies(
        MassProperties.sphere(1.0, 0.5), np.arange(90.0).reshape(30, 3) * 1e5 + 7e6, velocity=(1e3, 2e3, 3e3)
    )
    assert len(alone.bodies) <= loop._FEW < len(crowd.bodies)
    alone.coast(5000)
    crowd.coast(5000)
    for name in ("position", "velocity", "orientation", "angular_velocity_body"):
        assert (getattr(ship, name) == getattr(other, name)).all()


def test_the_pose_after_a_coast_is_drawn_without_blending():
    world, ship = orbiting(dt=0.25)
    world.advance(0.375)
    assert world.alpha == 0.5
    world.coast(4000)
    origin, orientation = ship.interpolated_pose()
    assert abs(origin - ship.origin).max() < 1e-8 and abs(orientation - ship.orientation).max() < 1e-15


@pytest.mark.parametrize("ticks", [1, 400])
def test_an_accelerometer_reads_after_a_coast_what_it_reads_after_as_many_ticks(ticks):
    """At the mass centre nothing, as in any free fall; elsewhere the acceleration by the rotation, against ticks of "rk5".

    Measured 5e-10 m/s², which is the rounding of the velocities, and 8e-12 m/s² apart.
    """
    point = np.array([1.3, -0.2, 1.5])

    def readings(move):
        world, ship = orbiting(dt=1 / 32, integrator="rk5")
        center = world.add_part(flight.Accelerometer(ship, seed=1))
        outside = world.add_part(flight.Accelerometer(ship, at_body=point, seed=2))
        world.step(8)
        move(world)
        world.step()
        return center.read(), outside.read()

    stepped, jumped = readings(lambda world: world.step(ticks)), readings(lambda world: world.coast(ticks))
    for (_, valid, time), (_, also_valid, same_time) in zip(stepped, jumped, strict=True):
        assert valid and also_valid and time == same_time == (8 + ticks) / 32
    assert abs(jumped[0].specific_force_body).max() < 1e-9
    assert abs(jumped[1].specific_force_body).max() > 0.1
    assert jumped[1].specific_force_body == pytest.approx(stepped[1].specific_force_body, abs=1e-9)


def test_ticks_go_on_after_a_coast_with_everything_that_was_due():
    """The callbacks are called at multiples of their interval, and a push acts in the first tick after the coast."""
    world, ship = orbiting(0.0, rates=(0, 0, 0))
    called = []

    def record(world):
        called.append(world.tick_count)

    record.skippable = True
    world.on_tick(record, every=10)
    world.step(12)
    world.coast(33)
    speed = np.linalg.norm(ship.velocity)
    ship.apply_force(500.0 * ship.velocity / speed)
    world.step(16)
    assert called == [0, 10, 50, 60]
    assert np.linalg.norm(ship.velocity) == pytest.approx(speed + 1.0, abs=0.1)


def test_an_extrapolated_method_starts_afresh_after_a_coast():
    world, _ship = orbiting(integrator=integrators.Extrapolated(integrators.RungeKutta4()))
    world.step(5)
    world.coast(100)
    assert not world._store.tables["history"].content().any()


def test_a_copy_and_a_shifted_world_coast_alike():
    world, ship = orbiting(keep_out=(CENTER, 6.4e6))
    copied = copy.deepcopy(world)
    assert copied.state_hash() == world.state_hash()
    world.coast(700)
    copied.coast(700)
    assert copied.state_hash() == world.state_hash()
    shift = np.array((1024.0, -2048.0, 512.0))
    copied.shift_origin(shift)
    assert (copied.keep_out[0] == np.array(CENTER) - shift).all() and copied.keep_out[1] == 6.4e6
    copied.coast(700)
    world.coast(700)
    assert copied.bodies[0].position + shift == pytest.approx(ship.position, abs=1e-6)


# what stands in the way


class Permitting:
    """A force in Python that permits a coast, or says why not."""

    words = None

    def apply(self, wrench, bodies, time):
        pass

    def coast_obstacle(self):
        return self.words


class Drifting(Permitting):
    """A force in Python that does not permit a coast."""

    words = "the tether drifts"


def push_by_function(wrench, bodies, time):
    pass


def record(world):
    pass


def a_thruster(world, ship, **options):
    given = {"position": (0, 0, 0), "direction": (0, 0, 1), "max_force": 1.0, **options}
    return world.add_force(forces.Thruster(ship, **given))


def a_bank(world, ship, **options):
    return world.add_force(
        forces.ThrusterBank(ship, positions=np.eye(3), directions=np.eye(3), max_forces=1.0, **options)
    )


def falling_pulse(world, ship):
    a_thruster(world, ship, min_on_time=0.1, rise_time=0.1, fall_time=50.0).fire(1.0)
    world.step(3)


def pulse_while_disabled(world, ship):
    thruster = a_thruster(world, ship)
    thruster.fire(5.0, delay=50.0)
    thruster.enabled = False


def turning_gimbal(world, ship):
    gimbal = flight.Gimbal(axis_1=(1, 0, 0), axis_2=(0, 1, 0), max_angle=0.1, max_rate=1e-3)
    a_thruster(world, ship, gimbal=gimbal).gimbal_command = (0.05, 0.0)


def a_wheel(world, ship, **options):
    return world.add_part(
        flight.ReactionWheel(ship, axis=(1, 0, 0), inertia=0.01, max_torque=1.0, max_speed=600.0, **options)
    )


def disabled_wheel(world, ship):
    a_wheel(world, ship, speed=100.0).enabled = False


def a_coil(world, ship):
    field = flight.MagneticDipole(7.71e15, (0, 0, -1), CENTER)
    return world.add_part(flight.Magnetorquer(ship, axis=(1, 0, 0), max_dipole=0.2, field=field))


def a_loop(world, ship):
    motor = world.add_part(flight.BodyTorque(ship))
    law = flight.control.RateDamping(1.0)
    return world.add_part(flight.Controlled(ship, law, flight.Reference(), motor, every=10, name="damper"))


def a_filter(world, ship):
    gyro = world.add_part(flight.Gyro(ship, noise_density=1e-5, seed=1))
    tracker = world.add_part(flight.StarTracker(ship, (0, 0, 1), noise=(2e-5, 1e-4), seed=2, every=4))
    return world.add_part(flight.AttitudeFilter(gyro, [tracker]))


def second_gravity(world, ship):
    world.add_force(forces.PointGravity(1.0, bodies=[ship]))


OBSTACLES = {
    "game mode drops": lambda world, ship: setattr(world, "game_mode", True),
    "body 'ship' is pushed": lambda world, ship: ship.apply_torque((1, 0, 0)),
    "body 'ship' stores angular momentum": lambda world, ship: setattr(ship, "stored_momentum_body", (0, 0.1, 0)),
    "the force UniformGravity": lambda world, ship: world.add_force(forces.UniformGravity((0, 0, 1e-9))),
    "the force LinearDrag": lambda world, ship: world.add_force(forces.LinearDrag(0.1)),
    "the force GravityGradient": lambda world, ship: world.add_force(forces.GravityGradient(EARTH, CENTER)),
    "the force Spring": lambda world, ship: world.add_force(forces.Spring(ship, None, stiffness=0.0)),
    "the force Thruster": lambda world, ship: setattr(a_thruster(world, ship), "throttle", 0.5),
    "the force ThrusterBank": lambda world, ship: setattr(a_bank(world, ship), "throttle", (0, 0.1, 0)),
    "the tether drifts": lambda world, ship: world.add_force(Drifting()),
    "the force push_by_function acts": lambda world, ship: world.add_force(push_by_function),
    "has a J2": lambda world, ship: (
        world.forces[0].__setattr__("reference_radius", 6.4e6) or world.forces[0].__setattr__("j2", 1e-3)
    ),
    "is the second point gravity that acts on body 'ship'": second_gravity,
    "the callback record has no attribute skippable": lambda world, ship: world.on_tick(record),
    "the callback print": lambda world, ship: world.after_tick(print, every=1000),
    "is at the centre of PointGravity": lambda world, ship: setattr(ship, "position", CENTER),
    "falls straight into the centre": lambda world, ship: setattr(ship, "velocity", np.subtract(CENTER, ship.position)),
    "gravity on body 'ship' and keep_out have different centres": lambda world, ship: setattr(
        world, "keep_out", ((0, 0, 0), 1.0)
    ),
    "the path of body 'ship' enters keep_out": lambda world, ship: setattr(world, "keep_out", (CENTER, 7.01e6)),
}


ACTUATORS = {
    "waiting pulse": ("a pulse of Thruster(body 'ship'", lambda world, ship: a_thruster(world, ship).fire(5, delay=50)),
    "falling pulse": ("a pulse of Thruster(body 'ship'", falling_pulse),
    "disabled pulse": ("a pulse of Thruster(body 'ship'", pulse_while_disabled),
    "pulse of a bank": ("a pulse of ThrusterBank(body 'ship'", lambda world, ship: a_bank(world, ship).fire((0, 0, 2))),
    "stuck valve": (
        "a valve of Thruster(body 'ship', max_force=1.0, throttle=0.0) is stuck open",
        lambda world, ship: setattr(a_thruster(world, ship), "stuck", 0.25),
    ),
    "stuck valve of a bank": (
        "a valve of ThrusterBank(body 'ship', 3 thrusters) is stuck open",
        lambda world, ship: setattr(a_bank(world, ship), "stuck", (math.nan, 0.25, 0)),
    ),
    "turning gimbal": ("the gimbal of Thruster(body 'ship'", turning_gimbal),
    "wheel at rest": ("ReactionWheel(body 'ship', axis=[1.0, 0.0, 0.0], speed=0) stores momentum", a_wheel),
    "disabled wheel": ("speed=100) stores momentum", disabled_wheel),
    "magnetorquer": (
        "the part Magnetorquer(body 'ship', max_dipole=0.2, dipole=-0.1) acts",
        lambda world, ship: setattr(a_coil(world, ship), "dipole", -0.1),
    ),
    "torque": (
        "the part BodyTorque(body 'ship', [0.0, 1.0, 0.0]) acts",
        lambda world, ship: world.add_part(flight.BodyTorque(ship)).command((0, 1, 0)),
    ),
    "control loop": ("Controlled('damper') is enabled", a_loop),
    "filter": ("AttitudeFilter('ship attitude filter') is enabled", a_filter),
}


def check_that_it_stands_in_the_way(world, words):
    before = image(world)
    assert words in world.coast_obstacle(1000)
    text = f"World.coast: the world cannot coast for 1000 ticks: .*{re.escape(words)}"
    with pytest.raises(RuntimeError, match=f"^{text}"):
        world.coast(1000)
    assert differences(before, image(world)) == []
    world.coast(0)  # no tick, so nothing is in the way


@pytest.mark.parametrize("words", OBSTACLES)
def test_what_stands_in_the_way_is_named_and_nothing_changes(words):
    world, ship = orbiting()
    assert world.coast_obstacle(1000) is None
    OBSTACLES[words](world, ship)
    check_that_it_stands_in_the_way(world, words)


@pytest.mark.parametrize("name", ACTUATORS)
def test_every_actuator_that_acts_or_moves_is_named(name):
    words, make = ACTUATORS[name]
    world, ship = orbiting()
    make(world, ship)
    check_that_it_stands_in_the_way(world, words)


def test_what_does_not_act_does_not_stand_in_the_way():
    world, ship = orbiting()
    thruster, _bank = a_thruster(world, ship), a_bank(world, ship)
    drag = world.add_force(forces.LinearDrag(1.0))
    second = world.add_force(forces.PointGravity(1.0, j2=0.1, reference_radius=1.0))
    drag.enabled = second.enabled = False
    world.add_force(Permitting())
    assert world.coast_obstacle() is None
    thruster.throttle = 1.0
    assert "Thruster" in world.coast_obstacle()
    thruster.enabled = False
    world.coast(100)
    assert world.tick_count == 100


def test_what_has_come_to_rest_no_longer_stands_in_the_way():
    """A pulse that is over, a gimbal at its angle, valves stuck shut, commands of zero, and a loop and a filter that are disabled."""
    world, ship = orbiting()
    gimbal = flight.Gimbal(axis_1=(1, 0, 0), axis_2=(0, 1, 0), max_angle=0.1, max_rate=1e-2)
    thruster = a_thruster(world, ship, gimbal=gimbal, min_on_time=1.0, rise_time=1.0, fall_time=2.0)
    thruster.gimbal_command = (0.02, -0.05)
    bank, coil, loop, estimate = (make(world, ship) for make in (a_bank, a_coil, a_loop, a_filter))
    loop.enabled = estimate.enabled = False
    bank.stuck, coil.dipole = 0.0, 0.1
    thruster.fire(2.0, delay=1.5)
    assert "a pulse of Thruster" in world.coast_obstacle()
    world.step(5)
    assert "a pulse of Thruster" in world.coast_obstacle()
    world.step()
    assert "Magnetorquer" in world.coast_obstacle()
    coil.dipole = 0.0
    assert thruster.gimbal_angles.tolist() == [0.02, -0.05] and world.coast_obstacle() is None
    world.thrusters.throttle = (0.0, 0.0, 0.0, 0.5)
    assert "ThrusterBank" in world.coast_obstacle()
    world.thrusters.enabled = (True, True, True, False)
    world.coast(1000)


def test_a_world_with_a_resting_tank_coasts_and_then_burns():
    """As a coast of the same ship whose tank is part of its mass properties; the tank is neither drained nor moved."""
    tanked, ship = orbiting(rates=(0, 0, 0))
    tank = tanked.add_part(
        flight.Tank(ship, position=(0.4, 0, -0.2), propellant=120.0, specific_inertia=(0.02, 0.02, 0.03))
    )
    thruster = a_thruster(tanked, ship, max_force=20.0, tank=tank, specific_impulse=200.0)
    ship.angular_velocity_body = RATES
    plain = World(1.0)
    twin = plain.add_body(
        ship.mass_properties,
        position=ship.position,
        velocity=ship.velocity,
        orientation=ship.orientation,
        angular_velocity_body=RATES,
    )
    plain.add_force(forces.PointGravity(EARTH, CENTER))
    assert tanked.coast_obstacle(5000) is None and ship.mass == 620.0
    for world in (tanked, plain):
        world.coast(5000)
    for name in ("position", "velocity", "orientation", "angular_velocity_body"):
        assert getattr(ship, name) == pytest.approx(getattr(twin, name), rel=1e-13, abs=1e-12)
    assert tank.propellant == 120.0
    thruster.throttle = 1.0
    assert "Thruster" in tanked.coast_obstacle()
    tanked.step(10)
    assert tank.propellant == pytest.approx(120.0 - 10 * 20.0 / (200.0 * 9.80665), rel=1e-12)


def test_only_the_enabled_rows_of_a_gravity_attract():
    """One force of gravity on two bodies, of which the whole arrays of the world switch one off."""
    world = World(1.0)
    sphere = MassProperties.sphere(1.0, 0.5)
    first, second = (world.add_body(sphere, position=(x, 0, 0), velocity=(0, 2, 0)) for x in (1.0, 9.0))
    world.add_force(forces.PointGravity(4.0, bodies=[first, second]))
    assert len(world.fields(forces.PointGravity)) == 2
    world.fields(forces.PointGravity).enabled = (True, False)
    world.coast(1000)
    assert np.linalg.norm(first.position) == pytest.approx(1.0, rel=1e-11)
    assert second.position.tolist() == [9.0, 2000.0, 0.0]


def test_a_disabled_gravity_leaves_a_straight_line():
    world, ship = orbiting()
    world.forces[0].enabled = False
    start, velocity = ship.position, ship.velocity
    world.coast(1000)
    assert ship.position == pytest.approx(start + 1000.0 * velocity, rel=1e-14) and (ship.velocity == velocity).all()


def test_the_obstacle_is_found_from_a_callback_too_and_a_tick_cannot_coast():
    world, _ship = orbiting()
    seen = []

    def look(world):
        seen.append(world.coast_obstacle())
        with pytest.raises(RuntimeError, match=r"World\.coast cannot be called from inside a tick"):
            world.coast(1)

    look.skippable = True
    world.on_tick(look)
    world.step()
    assert seen == [None] and world.tick_count == 1


# keep_out


def least_distance_along(eccentricity, anomaly, seconds, nearest=7e6):
    """Least distance from the centre along a path, from 4001 points of it."""
    _world, ship = orbiting(eccentricity, nearest=nearest, anomaly=anomaly)
    position, _ = orbit.propagate(EARTH, ship.position - CENTER, ship.velocity, np.linspace(0.0, seconds, 4001))
    return np.linalg.norm(position, axis=1).min()


@pytest.mark.parametrize("eccentricity", [0.2, 0.9, 1.0, 1.8])
@pytest.mark.parametrize("anomaly", [-1.2, -0.3, 0.4, 2.0])
@pytest.mark.parametrize("seconds", [100, 1200, 5000, 11000, 40000])
def test_keep_out_is_exact_on_every_conic(eccentricity, anomaly, seconds):
    """The least distance of the path decides: a ball 1e-4 larger is entered, one 1e-4 smaller is not."""
    if eccentricity == 1.8 and anomaly == 2.0:
        anomaly = 1.5  # within the asymptote
    least = least_distance_along(eccentricity, anomaly, seconds)
    world, _ship = orbiting(eccentricity, anomaly=anomaly)
    world.keep_out = (CENTER, least * (1.0 + 1e-4))
    assert "the path of body 'ship' enters keep_out" in world.coast_obstacle(seconds)
    world.keep_out = (CENTER, least * (1.0 - 1e-4))
    assert world.coast_obstacle(seconds) is None


def test_keep_out_is_exact_on_straight_lines():
    """Past the point (0, 3, 4) at distance 5: only between the ends, and only forwards."""
    for start, seconds, least in (
        (-20.0, 30, 5.0),
        (-20.0, 10, math.hypot(10.0, 5.0)),
        (2.0, 30, math.hypot(2.0, 5.0)),
    ):
        world = World(1.0)
        world.add_body(MassProperties.sphere(1.0, 0.5), position=(1 + start, 3, 4), velocity=(1, 0, 0))
        world.keep_out = ((1, 0, 0), least + 1e-9)
        assert "enters keep_out" in world.coast_obstacle(seconds)
        world.keep_out = ((1, 0, 0), least - 1e-9)
        assert world.coast_obstacle(seconds) is None


def test_a_bound_body_that_rises_straight_up_falls_back_into_the_centre():
    world, ship = orbiting()
    ship.velocity = 1e-3 * (ship.position - CENTER)
    assert world.coast_obstacle(100) is None
    assert "falls straight into the centre" in world.coast_obstacle(100_000)


@pytest.mark.parametrize("value", [3.0, ((0, 0, 0),), ((0, 0), 1.0), ((0, 0, 0), -1.0), ((0, 0, math.nan), 1.0), "ab"])
def test_a_bad_keep_out_is_rejected_by_name(value):
    world = World(1.0, keep_out=((1, 2, 3), 4.0))
    with pytest.raises((TypeError, ValueError), match="World: keep_out"):
        world.keep_out = value
    assert world.keep_out[0].tolist() == [1.0, 2.0, 3.0] and world.keep_out[1] == 4.0
    world.keep_out = None
    assert world.keep_out is None


# the clock


def test_a_world_coasts_only_where_ticks_cannot_keep_up():
    """dt = 1 s, 8 ticks per frame, 60 frames per second: up to 480 ticks per second are stepped, however slow a frame is."""
    world, _ship = orbiting(coasting=True)
    called = []

    def count(world):
        called.append(world.tick_count)

    count.skippable = True
    world.on_tick(count)
    world.time_scale = 480.0
    assert world.advance(Fraction(1, 60)) == 8 and len(called) == 8
    assert world.advance(0.5) == 8 and len(called) == 16  # a slow frame drops time, and does not coast
    world.time_scale = 480.5
    dropped = world.dropped_time
    assert world.advance(0.5) == 240 and len(called) == 16
    assert world.dropped_time == dropped
    world.coasting = False
    assert world.advance(0.5) == 8 and len(called) == 24


def test_a_coasting_world_loses_no_tick_in_a_hundred_thousand_frames():
    world = World(Fraction(1, 60), coasting=True)
    world.time_scale = 1e6
    frames = [Fraction(1, 60), Fraction(1, 144), Fraction(1, 1000)]
    total = sum(frames * 1000) * 10**6 * 60
    for _ in range(1000):
        for frame in frames:
            world.advance(frame)
    assert world.tick_count == math.floor(total) and world.dropped_time == 0.0


def test_a_frame_that_cannot_coast_raises_and_its_time_is_dropped():
    world, _ship = orbiting(coasting=True)
    world.time_scale = 1e4
    world.add_force(forces.LinearDrag(0.1))
    with pytest.raises(
        RuntimeError, match=r"World\.coast: the world cannot coast for 2500 ticks: the force LinearDrag"
    ):
        world.advance(0.25)
    assert world.tick_count == 0 and world.dropped_time == 2500.0
    world.paused = True
    assert world.advance(0.25) == 0
    world.paused = False
    world.forces[1].enabled = False
    assert world.advance(0.25) == 2500


@pytest.mark.parametrize("value", [1, "yes", None])
def test_coasting_is_true_or_false(value):
    with pytest.raises(TypeError, match="World: coasting must be True or False"):
        World(1.0, coasting=value)


# all or nothing


@pytest.mark.parametrize(
    ("ticks", "kind"), [(-1, ValueError), (1.5, TypeError), (True, TypeError), (2**53, ValueError)]
)
def test_a_bad_number_of_ticks_is_rejected(ticks, kind):
    world, _ship = orbiting()
    world.step(1)
    for method in (world.coast, world.coast_obstacle):
        with pytest.raises(kind, match=rf"World\.{method.__name__}: "):
            method(ticks)


def test_a_coast_beyond_the_range_of_floats_changes_nothing():
    world = World(1e300)
    world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(1e10, 0, 0))
    before = image(world)
    with pytest.raises(NonFiniteStateError, match=r"body 0.*: its state is not finite after a coast of 1000 ticks"):
        world.coast(1000)
    assert differences(before, image(world)) == []


def test_an_interrupted_coast_changes_nothing(monkeypatch):
    world, _ship = orbiting()
    before = image(world)

    left, set_count = [KeyboardInterrupt], coast._set_tick_count

    def interrupted(bodies, count):
        """Raise at the first call; the next one, which is to undo it, works."""
        if left:
            raise left.pop()
        set_count(bodies, count)

    monkeypatch.setattr("engine.flight.coast._set_tick_count", interrupted)
    with pytest.raises(KeyboardInterrupt):
        world.coast(10)
    assert differences(before, image(world)) == []
    world.coast(10)
    assert world.tick_count == 10


def test_a_body_that_was_freed_coasts_and_one_that_a_snapshot_froze_does_not():
    """The marks of frozen bodies were those of the last tick."""
    world, _ = orbiting(on_non_finite="freeze")
    other = world.add_body(
        MassProperties(1.0, (1.0, 1.0, 1.0)), name="other", position=(8e6, 0, 0), velocity=(0, 7e3, 0)
    )
    push = world.add_force(forces.ConstantForce(other, force_world=(1e308, 0.0, 0.0)))
    more = world.add_force(forces.ConstantForce(other, force_world=(1e308, 0.0, 0.0)))
    world.step()
    for force in (push, more):
        world.remove_force(force)
    assert [each.body for each in world.frozen] == [other]
    image, place = world.snapshot(), other.position.copy()
    other.velocity = (0.0, 7e3, 0.0)
    twin = world.fork()
    world.coast(50)
    twin.step(50)
    assert np.linalg.norm(other.position - twin.body("other").position) < 1.0
    assert np.linalg.norm(other.position - place) > 3e5
    world.step()
    world.restore(image)
    world.coast(50)
    assert (other.position == place).all() and len(world.frozen) == 1
