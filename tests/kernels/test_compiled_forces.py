"""Forces inside compiled loops give the same bits as called ones, with any other forces and bodies, in any number of ticks at once."""

import numpy as np
import pytest

from engine import MassProperties, World, flight, forces, integrators

from ..helpers import add_to
from ..worlds import METHODS, OTHER, PROPERTIES, crowd

CENTER = (40.0, -30.0, 20.0)


def fields(bodies):
    """Every built-in field, two of them twice, one on some bodies alone."""
    return [
        forces.PointGravity(500.0, CENTER, j2=0.01, reference_radius=3.0, axis=(1, 2, 3)),
        forces.GravityGradient(500.0, CENTER),
        forces.LinearDrag(0.1),
        forces.QuadraticDrag(0.05, bodies=bodies[1:4]),
        forces.AngularDamping(0.2),
        forces.Lorentz(0.3, electric_field=(1, -2, 0.5), magnetic_field=(0.2, 0.1, -1)),
        forces.AtmosphericDrag(bodies[0], drag_area=0.4, at_body=(0.2, -0.5, 0.7), center=CENTER, **AIR),
        forces.AtmosphericDrag(bodies[3], drag_area=0.2, at_body=(0.1, 0.3, -0.2), center=CENTER, **AIR),
        forces.RadiationPressure(bodies[1], area=1.5, normal_body=(1, 2, 3), at_body=(0.1, 0.2, 0.3), **SUN),
        forces.RadiationPressure(bodies[1], area=1.5, normal_body=(-1, -2, -3), at_body=(0.1, 0.2, 0.3), **SUN),
        coil(bodies[2], (1, -0.5, 2), 0.7),
        coil(bodies[2], (-1, 0.3, 0.2), -0.4),
    ]


AIR = {
    "density": 0.3,
    "reference_altitude": 2.0,
    "scale_height": 8.0,
    "planet_radius": 45.0,
    "planet_rate_world": (0.01, -0.02, 0.05),
}
SUN = {
    "specular": 0.3,
    "diffuse": 0.4,
    "pressure": 0.8,
    "sun_direction_world": (-2, 1, 0.5),
    "shadow": (CENTER, 3.0),
}


def coil(body, axis, dipole):
    torquer = flight.Magnetorquer(
        body, axis=axis, max_dipole=1.0, field=forces.MagneticDipole(9e4, (1, 2, -2), center=CENTER)
    )
    torquer.dipole = dipole
    return torquer


def still_fields(bodies):
    """Fields that do not depend on the rates."""
    return fields(bodies)[:2]


def pulls(bodies):
    """Springs between bodies and to the world, with and without damping, and a world force at a point."""
    return [
        forces.Spring(
            bodies[0], bodies[2], at_body=(0.1, 0.5, 0), at_other=(0, -0.3, 0.2), stiffness=3.0, rest_length=1.0
        ),
        forces.Spring(bodies[2], None, at_body=(0.3, 0, 0), at_other=(1, 2, 3), stiffness=2.0, damping=0.1),
        forces.ConstantForce(bodies[3], force_world=(0.5, -1.0, 0.7), at_body=(0.2, 0.4, -0.6)),
    ]


def still_pulls(bodies):
    """Pulls that do not depend on the rates."""
    return [pulls(bodies)[0], pulls(bodies)[2]]


def all_forces(bodies):
    return fields(bodies) + pulls(bodies)


def is_called(wrench, bodies, time):
    """Adds nothing; while a world has it, forces at the stages are called, each stage in a pass of its own."""


def no_rates(wrench, bodies, time):
    """The same without dependence on the rates."""


no_rates.depends_on_rates = False


def flown(method, make_forces, *, extra=None, ticks=5, at_once=False, others=0):
    """A world flown, as arrays of its state."""
    world = World(0.01, integrator=method)
    bodies = crowd(world)
    if others:
        world.add_bodies(OTHER, np.arange(3.0 * others).reshape(others, 3), angular_velocity_body=(0.3, 1.0, -0.2))
    world.add_force(forces.UniformGravity((0.1, -0.3, 0.2)))
    for force in make_forces(bodies):
        add_to(world, force)
    thruster = forces.Thruster(bodies[4], position=(0.1, 0.2, -0.5), direction=(1, 1, 3), max_force=2.0)
    world.add_force(thruster).throttle = 0.7
    if extra is not None:
        world.add_force(extra)
    if at_once:
        world.step(ticks)
    else:
        for _ in range(ticks):
            world.step()
    return np.hstack(
        [world.state.position, world.state.orientation, world.state.velocity, world.state.angular_velocity_body]
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "make_forces", [fields, still_fields, pulls, still_pulls, all_forces], ids=lambda f: f.__name__
)
def test_compiled_forces_give_the_bits_of_called_ones(method, make_forces):
    dependent = make_forces not in (still_fields, still_pulls)
    called = flown(method, make_forces, extra=is_called if dependent else no_rates)
    assert np.array_equal(flown(method, make_forces), called)


@pytest.mark.parametrize("method", METHODS)
def test_many_ticks_at_once_are_the_ticks_one_by_one(method):
    assert np.array_equal(flown(method, all_forces, at_once=True), flown(method, all_forces))


@pytest.mark.parametrize("method", ["rk4", "free-rotor-2", "free-rotor-4", "semi-implicit-euler"])
def test_a_field_gives_a_body_the_same_bits_in_any_company(method):
    assert np.array_equal(flown(method, fields), flown(method, fields, others=300)[:5])


@pytest.mark.parametrize("count", range(1, 11))
def test_a_body_has_the_same_bits_in_a_world_of_any_size(count):
    """One and two bodies are flown one by one, more of them eight at a time."""
    world, whole = World(0.01), World(0.01)
    start = {"velocity": (0.3, -0.2, 0.1), "angular_velocity_body": (0.4, 2.0, -0.3)}
    positions = np.arange(30.0).reshape(10, 3)
    world.add_bodies([PROPERTIES, OTHER][:count] + [OTHER] * (count - 2), positions[:count], **start)
    whole.add_bodies([PROPERTIES, OTHER] + [OTHER] * 8, positions, **start)
    for flying in (world, whole):
        flying.add_force(forces.PointGravity(500.0, CENTER))
        flying.step(20)
    assert np.array_equal(world.state.orientation, whole.state.orientation[:count])
    assert np.array_equal(world.state.velocity, whole.state.velocity[:count])


@pytest.mark.parametrize("count", [2, 7, 20])
def test_many_fields_of_one_kind_add_up(count):
    """Each a part of the same gravity: together the whole, but for the rounding of the sum; and the bits of called ones."""

    def parts(bodies):
        return [forces.PointGravity(500.0 / count, CENTER) for _ in range(count)]

    def whole(bodies):
        return [forces.PointGravity(500.0, CENTER)]

    assert np.abs(flown("rk4", parts) - flown("rk4", whole)).max() < 1e-14
    assert np.array_equal(flown("rk4", parts), flown("rk4", parts, extra=is_called))


def test_the_order_in_which_fields_were_added_changes_no_bit():
    """Five ticks are too few: the states would hardly show that sums of wrenches are rounded differently."""
    assert np.array_equal(flown("rk4", fields, ticks=20), flown("rk4", lambda bodies: fields(bodies)[::-1], ticks=20))


def test_extrapolated_forces_see_each_wrench():
    """A method that looks back takes no compiled forces; fields act all the same, to the bits of the method inside."""
    inside, around = integrators.RungeKutta4(), integrators.Extrapolated(integrators.RungeKutta4())
    assert np.array_equal(flown(around, fields), flown(inside, fields, extra=is_called))


@pytest.mark.parametrize("method", ["free-rotor-2", "axis-splitting-4", "saba4", "rk4"])
def test_a_wheel_that_starts_and_stops_is_flown_by_other_loops_to_the_same_bits(method):
    """A world that never had a wheel, and one whose wheel was on and is off again before the first tick."""

    def world(with_wheel):
        made = World(0.01, integrator=method)
        body = made.add_body(PROPERTIES, angular_velocity_body=(0.3, 2.0, -0.4))
        made.add_body(OTHER, position=(5, 0, 0), angular_velocity_body=(0.1, 0.2, 0.3))
        if with_wheel:
            body.stored_momentum_body = (0.0, 0.0, 1e-3)
            made.step()
            made.state.stored_momentum_body = np.zeros((2, 3))
            body.orientation, body.angular_velocity_body = (0, 0, 0, 1), (0.3, 2.0, -0.4)
            other = made.bodies[1]
            other.orientation, other.angular_velocity_body = (0, 0, 0, 1), (0.1, 0.2, 0.3)
        made.step(30)
        return made.state

    without, after = world(False), world(True)
    assert np.array_equal(without.orientation, after.orientation)
    assert np.array_equal(without.angular_velocity_body, after.angular_velocity_body)


@pytest.mark.parametrize("method", ["free-rotor-2", "axis-splitting-2", "free-rotor-4"])
def test_a_body_without_wheels_has_the_same_bits_beside_one_with(method):
    """Loops for worlds with wheels and without are two; what they do to a body without is one."""

    def motion(neighbour_stores):
        world = World(0.02, integrator=method)
        body = world.add_body(PROPERTIES, angular_velocity_body=(0.3, 2.0, -0.4))
        neighbour = world.add_body(OTHER, position=(5, 0, 0))
        if neighbour_stores:
            neighbour.stored_momentum_body = (0.3, 0.1, -0.2)
        world.step(50)
        return [*body.orientation, *body.angular_velocity_body]

    assert motion(True) == motion(False)


@pytest.mark.parametrize("method", ["free-rotor-2", "axis-splitting-4"])
def test_a_wheel_still_turns_after_a_tick_that_was_undone(method):
    """A callback changes something and fails: all is put back, the loop for worlds with wheels among it."""

    def world(fails):
        made = World(0.01, integrator=method)
        body = made.add_body(PROPERTIES, angular_velocity_body=(0.3, 2.0, -0.4))
        body.stored_momentum_body = (0.5, -0.2, 0.9)
        made.step(3)
        if fails:

            @made.on_tick
            def fail(world):
                world.add_body(OTHER, position=(9, 0, 0))
                raise KeyError

            with pytest.raises(KeyError):
                made.step()
            made.remove_callback(fail)
        made.step(20)
        return made.state_hash()

    assert world(fails=True) == world(fails=False)


def test_the_loop_for_wheels_is_given_up_with_the_last_of_them():
    """It costs more for the same bits, so only the columns show it."""
    world = World(0.01)
    bodies = crowd(world)
    assert world._bodies.stores_momentum
    world.remove_body(bodies[1])  # the one with a wheel
    assert not world._bodies.stores_momentum


# changes between ticks find the loops that were chosen for the world as it was


def test_every_change_reaches_the_next_tick():
    """Each change after a tick, against a world made that way from the start."""

    def world():
        made = World(0.01, integrator="rk4")
        body = made.add_body(MassProperties.box(2.0, (1, 2, 3)), name="ship", angular_velocity_body=(0.5, 1.0, -0.2))
        thruster = made.add_force(forces.Thruster(body, position=(0, 0.3, -1), direction=(0, 0, 1), max_force=5.0))
        gravity = made.add_force(forces.PointGravity(500.0, CENTER))
        return made, body, thruster, gravity

    def throttle(made, body, thruster, gravity):
        thruster.throttle = 0.5

    def drop_gravity(made, body, thruster, gravity):
        made.remove_force(gravity)

    def add_drag(made, body, thruster, gravity):
        made.add_force(forces.LinearDrag(0.5))

    def change_method(made, body, thruster, gravity):
        made.integrator = "semi-implicit-euler"

    def change_mode(made, body, thruster, gravity):
        made.game_mode = True

    def change_mass(made, body, thruster, gravity):
        body.mass_properties = MassProperties.box(3.0, (3, 1, 2))

    def push(made, body, thruster, gravity):
        body.apply_force((1, 2, 3))

    def wheel(made, body, thruster, gravity):
        body.stored_momentum_body = (0.5, 0.0, 0.0)

    def crowd_in(made, body, thruster, gravity):
        made.add_bodies(OTHER, np.arange(900.0).reshape(300, 3))

    for change in (throttle, drop_gravity, add_drag, change_method, change_mode, change_mass, push, wheel, crowd_in):
        running, fresh = world(), world()
        running[0].step(3)
        for target in ("position", "orientation", "velocity", "angular_velocity_body"):
            setattr(fresh[1], target, getattr(running[1], target))
        change(*running)
        change(*fresh)
        running[0].step(2)
        fresh[0].step(2)
        unchanged = world()[0]
        unchanged.step(5)
        assert np.array_equal(running[1].velocity, fresh[1].velocity), change.__name__
        assert np.array_equal(running[1].angular_velocity_body, fresh[1].angular_velocity_body), change.__name__
        if change is not crowd_in:
            same = np.array_equal(running[1].angular_velocity_body, unchanged.body("ship").angular_velocity_body)
            assert not (same and np.array_equal(running[1].velocity, unchanged.body("ship").velocity)), change.__name__
