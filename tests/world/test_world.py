"""A world: its bodies, forces and callbacks, its ticks, and its totals."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from engine import Body, World, forces, integrators
from engine.diagnostics import Drift

from ..helpers import SKEW_ORIENTATION, for_order, one_body
from ..worlds import CENTER, METHODS, OTHER, PROPERTIES, START, crowd, everything, skew_body, turned

# bodies come and go


def test_a_body_is_what_it_was_made():
    world, ship = skew_body()
    assert (ship.name, ship.index, ship.world) == ("ship", 0, world)
    assert ship.mass_properties is PROPERTIES
    assert (ship.mass, ship.inverse_mass) == (3.0, 1.0 / 3.0)
    assert_array_equal(ship.center_of_mass_body, CENTER)
    assert_array_equal(ship.inertia_body, PROPERTIES.inertia_body)
    assert_array_equal(ship.inverse_inertia_body, PROPERTIES.inverse_inertia_body)
    assert_array_equal(ship.position, START["position"])
    assert_allclose(ship.orientation, SKEW_ORIENTATION, atol=2e-16)
    assert_array_equal(ship.velocity, START["velocity"])
    assert_array_equal(ship.angular_velocity_body, START["angular_velocity_body"])
    assert_array_equal(ship.stored_momentum_body, (0.0, 0.0, 0.0))
    assert world.body("ship") is ship
    assert world.bodies == (ship,)


def test_a_body_added_without_more_rests_at_the_origin_of_the_world():
    body = World(0.1).add_body(PROPERTIES)
    assert_array_equal(body.position, np.zeros(3))
    assert_array_equal(body.orientation, (0.0, 0.0, 0.0, 1.0))
    assert_array_equal(body.velocity, np.zeros(3))
    assert_array_equal(body.angular_velocity_body, np.zeros(3))


def test_origin_places_the_body_axes_and_position_the_mass_centre():
    world = World(0.1)
    by_origin = world.add_body(PROPERTIES, origin=(4.0, 5.0, 6.0), orientation=SKEW_ORIENTATION)
    assert_allclose(by_origin.origin, (4.0, 5.0, 6.0), atol=1e-15)
    expected = np.array((4.0, 5.0, 6.0)) + turned(by_origin).apply(CENTER)
    assert_allclose(by_origin.position, expected, atol=2e-15)
    by_position = world.add_body(PROPERTIES, position=expected, orientation=SKEW_ORIENTATION)
    assert_allclose(by_position.origin, (4.0, 5.0, 6.0), atol=3e-15)


def test_angular_velocity_is_given_in_world_or_in_body_axes():
    world = World(0.1)
    rates_world = np.array((0.3, -0.8, 1.9))
    body = world.add_body(PROPERTIES, orientation=SKEW_ORIENTATION, angular_velocity_world=rates_world)
    assert_allclose(body.angular_velocity_body, turned(body).inv().apply(rates_world), atol=1e-15)
    assert_allclose(body.angular_velocity_world, rates_world, atol=1e-15)


def test_what_is_given_twice_is_refused():
    world = World(0.1)
    with pytest.raises(
        ValueError, match="body 'x': position or origin must be None, because only one of them may be given"
    ):
        world.add_body(PROPERTIES, name="x", position=(0, 0, 0), origin=(0, 0, 0))
    with pytest.raises(ValueError, match="angular_velocity_body or angular_velocity_world must be None"):
        world.add_body(PROPERTIES, angular_velocity_body=(0, 0, 0), angular_velocity_world=(0, 0, 0))
    assert world.bodies == ()


def test_many_bodies_are_the_same_as_one_after_the_other():
    count = 11
    rng = np.random.default_rng(4)
    orientation = Rotation.random(count, random_state=rng).as_quat()
    position, velocity, rates = rng.normal(size=(3, count, 3))
    properties = [PROPERTIES, OTHER] * 5 + [OTHER]
    many, single = World(0.1), World(0.1)
    bodies = many.add_bodies(
        properties, position, orientation=orientation, velocity=velocity, angular_velocity_world=rates
    )
    for k in range(count):
        single.add_body(
            properties[k],
            position=position[k],
            orientation=orientation[k],
            velocity=velocity[k],
            angular_velocity_world=rates[k],
        )
    assert [body.index for body in bodies] == list(range(count))
    assert many.bodies == tuple(bodies)
    assert [body.name for body in bodies] == [body.name for body in single.bodies]
    assert many.state_hash() == single.state_hash()


def test_many_bodies_take_one_value_for_all():
    world = World(0.1)
    bodies = world.add_bodies(
        PROPERTIES, [(0, 0, 0), (9, 0, 0)], orientation=SKEW_ORIENTATION, velocity=(1, 2, 3), names=["a", "b"]
    )
    assert [body.name for body in bodies] == ["a", "b"]
    assert_array_equal(world.state.velocity, [(1, 2, 3)] * 2)
    assert_array_equal(bodies[1].orientation, bodies[0].orientation)
    by_origin = world.add_bodies(OTHER, origin=np.zeros((3, 3)), orientation=SKEW_ORIENTATION)
    assert_allclose([body.origin for body in by_origin], np.zeros((3, 3)), atol=1e-16)
    assert len(world.add_bodies([PROPERTIES, OTHER])) == 2
    assert len(world.add_bodies(PROPERTIES, names=["c", "d", "e"])) == 3


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"position": (0, 0, 0)},
        {"position": np.zeros((2, 3)), "velocity": np.zeros((3, 3))},
        {"position": np.zeros((2, 3)), "names": ["only"]},
        {"position": np.zeros((2, 3)), "names": ["same", "same"]},
        {"position": np.zeros((2, 3)), "names": ["new", "taken"]},
        {"position": np.zeros((0, 3))},
        {"position": np.zeros((2, 2))},
        {"position": np.zeros((2, 3)), "orientation": np.zeros((2, 4))},
    ],
    ids=str,
)
def test_many_bodies_of_which_one_is_wrong_are_none(arguments):
    world = World(0.1)
    world.add_body(PROPERTIES, name="taken")
    before = everything(world)
    with pytest.raises(ValueError):
        world.add_bodies(PROPERTIES, **arguments)
    assert everything(world) == before


def test_names_are_unique_and_made_where_none_is_given():
    world = World(0.1)
    named = world.add_body(PROPERTIES, name="body 1")
    made = [world.add_body(PROPERTIES) for _ in range(3)]
    names = [body.name for body in world.bodies]
    assert len(set(names)) == 4
    assert all(world.body(body.name) is body for body in [named, *made])
    with pytest.raises(ValueError, match="name must be new to this world, which has a body of this name; got 'body 1'"):
        world.add_body(PROPERTIES, name="body 1")
    with pytest.raises(TypeError, match=r"World\.add_body: name must be a non-empty string, or None; got 7"):
        world.add_body(PROPERTIES, name=7)
    with pytest.raises(KeyError, match="no body is named 'nobody'"):
        world.body("nobody")
    world.remove_body(named)
    assert world.add_body(PROPERTIES, name="body 1") is world.body("body 1")


def test_an_unknown_name_is_answered_with_at_most_ten_names():
    world = World(dt=0.5)
    with pytest.raises(KeyError, match=r"no body is named 'x'; its bodies are none"):
        world.body("x")
    for number in range(10):
        world.add_body(PROPERTIES, name=f"n{number}")
    with pytest.raises(KeyError, match=r"its bodies are 'n0', .*'n8', 'n9'.$"):
        world.body("x")
    world.add_body(PROPERTIES, name="n10")
    with pytest.raises(KeyError, match=r"its bodies are 'n0', .*'n8', 'n9', ….$"):
        world.body("x")


def test_removing_a_body_closes_the_rows_up():
    world = World(0.1)
    bodies = world.add_bodies(PROPERTIES, np.arange(15.0).reshape(5, 3), velocity=(1.0, 0.0, 0.0))
    world.step()
    rows = [(body.position, body.interpolated_pose(0.3)) for body in bodies]
    assert world.remove_body(bodies[1]) == []
    left = [bodies[k] for k in (0, 2, 3, 4)]
    assert world.bodies == tuple(left)
    assert [body.index for body in left] == [0, 1, 2, 3]
    assert_array_equal(world.state.position, [rows[k][0] for k in (0, 2, 3, 4)])
    for body, k in zip(left, (0, 2, 3, 4), strict=True):
        assert_array_equal(body.position, rows[k][0])
        assert_array_equal(body.interpolated_pose(0.3)[0], rows[k][1][0])
    last = world.add_body(OTHER, position=(7.0, 7.0, 7.0))
    assert last.index == 4
    assert_array_equal(last.position, (7.0, 7.0, 7.0))


USES_OF_A_HANDLE = {
    **{
        name: lambda body, name=name: getattr(body, name)
        for name, value in vars(Body).items()
        if isinstance(value, property) and name != "name"
    },
    **{
        f"{name} =": lambda body, name=name: setattr(body, name, (0, 0, 0, 1) if name == "orientation" else (0, 0, 0))
        for name, value in vars(Body).items()
        if isinstance(value, property) and value.fset is not None and name != "mass_properties"
    },
    "mass_properties =": lambda body: setattr(body, "mass_properties", PROPERTIES),
    "apply_force": lambda body: body.apply_force((1, 0, 0)),
    "apply_force at": lambda body: body.apply_force((1, 0, 0), (0, 0, 0)),
    "apply_force_body": lambda body: body.apply_force_body((1, 0, 0)),
    "apply_torque": lambda body: body.apply_torque((1, 0, 0)),
    "apply_torque_body": lambda body: body.apply_torque_body((1, 0, 0)),
    "apply_impulse": lambda body: body.apply_impulse((1, 0, 0)),
    "apply_impulse_body": lambda body: body.apply_impulse_body((1, 0, 0)),
    "apply_angular_impulse": lambda body: body.apply_angular_impulse((1, 0, 0)),
    "interpolated_pose": lambda body: body.interpolated_pose(),
    "kinetic_energy": lambda body: body.kinetic_energy(),
    "to_world": lambda body: body.to_world((0, 0, 0)),
    "to_body": lambda body: body.to_body((0, 0, 0)),
    "direction_to_world": lambda body: body.direction_to_world((0, 0, 0)),
    "direction_to_body": lambda body: body.direction_to_body((0, 0, 0)),
    "velocity_at": lambda body: body.velocity_at((0, 0, 0)),
    "thruster on it": lambda body: forces.Thruster(body, position=(0, 0, 0), direction=(0, 0, 1), max_force=1.0),
    "drag on it": lambda body: forces.LinearDrag(1.0, bodies=[body]),
}


@pytest.mark.parametrize("use", USES_OF_A_HANDLE)
def test_the_handle_of_a_removed_body_says_so(use):
    world, ship = skew_body()
    other = world.add_body(OTHER)
    world.remove_body(ship)
    before = everything(world)
    with pytest.raises(ValueError, match="body 'ship' was removed from its world; its handle can no longer be used"):
        USES_OF_A_HANDLE[use](ship)
    assert everything(world) == before
    assert other.index == 0
    assert repr(ship) == "<Body 'ship' (removed)>"


def test_only_a_body_of_this_world_can_be_removed():
    world, ship = skew_body()
    with pytest.raises(ValueError, match=r"World\.remove_body: body must be a body of this world"):
        World(0.1).remove_body(ship)
    with pytest.raises(TypeError, match=r"World\.remove_body: body must be a body of this world"):
        world.remove_body("ship")
    world.remove_body(ship)
    with pytest.raises(ValueError, match="was removed"):
        world.remove_body(ship)


def test_forces_that_name_a_body_go_with_it_and_drag_on_a_list_loses_only_it():
    world = World(0.1)
    first, second, third = world.add_bodies(PROPERTIES, np.zeros((3, 3)), velocity=(1.0, 0.0, 0.0))
    gravity = world.add_force(forces.UniformGravity((0, -1, 0)))
    thruster = world.add_force(forces.Thruster(first, position=(0, 0, 0), direction=(1, 0, 0), max_force=1))
    bank = world.add_force(forces.ThrusterBank(first, positions=[(0, 0, 0)], directions=[(1, 0, 0)], max_forces=1))
    push = world.add_force(forces.ConstantForce(first, force_world=(1, 0, 0), at_body=(0, 0, 1)))
    twist = world.add_force(forces.ConstantTorque(first, torque_body=(1, 0, 0)))
    spring = world.add_force(forces.Spring(second, first, stiffness=1.0))
    stays = world.add_force(forces.Spring(second, third, stiffness=1.0))
    drag = world.add_force(forces.LinearDrag(0.5, bodies=[first, second]))
    alone = world.add_force(forces.QuadraticDrag(0.5, bodies=[first]))
    lorentz = world.add_force(forces.Lorentz(1.0, electric_field=(0, 0, 1), bodies=[third, first]))
    everyone = world.add_force(forces.AngularDamping(0.5))
    function = world.add_force(lambda wrench, bodies, time: None)
    world.step()
    gone = world.remove_body(first)
    assert gone == [thruster, bank, push, twist, spring, alone]
    assert world.forces == (gravity, stays, drag, lorentz, everyone, function)
    assert drag._named_bodies() == (second,)
    assert lorentz._named_bodies() == (third,)
    with pytest.raises(ValueError, match="throttle: body 'body 0' was removed from its world"):
        thruster.throttle = 0.25
    before = second.velocity[0]
    world.step()
    assert second.velocity[0] < before
    with pytest.raises(ValueError):
        world.add_force(thruster)


def test_a_force_follows_its_body_when_rows_close_up():
    world = World(0.1, integrator="semi-implicit-euler")
    first, second, third = world.add_bodies(PROPERTIES, np.zeros((3, 3)), velocity=(0.0, 1.0, 0.0))
    thruster = world.add_force(forces.Thruster(third, position=CENTER, direction=(1, 0, 0), max_force=3.0))
    thruster.throttle = 1.0
    drag = world.add_force(forces.LinearDrag(3.0, bodies=[second]))
    third.apply_force((0.0, 0.0, 3.0))
    world.remove_body(first)
    world.step()
    assert drag._named_bodies() == (second,)
    assert_allclose(second.velocity, (0.0, 0.9, 0.0), atol=1e-15)
    assert_allclose(third.velocity, (0.1, 1.0, 0.1), atol=1e-15)


# forces


def test_a_force_is_added_once_and_removed_once():
    world, ship = skew_body()

    def wind(wrench, bodies, time):
        wrench.add(ship, force_world=(3.0, 0.0, 0.0))

    assert world.add_force(wind) is wind
    assert world.forces == (wind,)
    with pytest.raises(ValueError, match=r"World\.add_force: force must be one that is not in this world already"):
        world.add_force(wind)
    world.remove_force(wind)
    assert world.forces == ()
    with pytest.raises(ValueError, match=r"World\.remove_force: force must be a force of this world"):
        world.remove_force(wind)
    world.step()
    assert_allclose(ship.velocity, START["velocity"], atol=0)


def test_a_force_on_a_body_of_another_world_is_refused():
    world, _ = skew_body()
    _, stranger = skew_body()
    thruster = forces.Thruster(stranger, position=(0, 0, 0), direction=(1, 0, 0), max_force=1)
    drag = forces.LinearDrag(1.0, bodies=[stranger])
    for force in (thruster, drag):
        with pytest.raises(ValueError, match="one on bodies of this world, which body 'ship' is not"):
            world.add_force(force)
    assert world.forces == ()


def test_a_force_may_be_an_object_with_apply():
    class Wind:
        """Blows along x."""

        evaluate = "tick"
        calls = 0

        def apply(self, wrench, bodies, time):
            self.calls += 1
            wrench.force_world += bodies.mass[:, np.newaxis] * np.array((1.0, 0.0, 0.0))

    world, ship = skew_body(0.5)
    wind = world.add_force(Wind())
    world.step(4)
    assert wind.calls == 4
    assert_allclose(ship.velocity, np.add(START["velocity"], (2.0, 0.0, 0.0)), rtol=1e-15)


@pytest.mark.parametrize("method", METHODS)
def test_a_stage_force_is_called_as_often_as_the_method_says_at_the_times_of_its_stages(method):
    world, _ = skew_body(0.5, integrator=method)
    times = []

    def note(wrench, bodies, time):
        times.append(time)

    note.depends_on_rates = False  # methods of kicks ask more often where it does
    world.add_force(note)
    world.step(2)
    offsets = world.integrator.stage_offsets
    assert len(offsets) == world.integrator.evaluations_per_tick
    assert times == [0.5 * tick + 0.5 * offset for tick in (0, 1) for offset in offsets]


def test_a_force_sees_the_state_it_is_evaluated_at():
    world, ship = skew_body(0.01)
    ship.stored_momentum_body = (0.1, 0.2, 0.3)
    seen = {}

    def look(wrench, bodies, time):
        if not seen:
            for name in ("position", "orientation", "velocity", "angular_velocity_body", "angular_velocity_world"):
                assert_allclose(getattr(bodies, name), [getattr(ship, name)], atol=1e-16)
                assert not getattr(bodies, name).flags.writeable
            assert_array_equal(bodies.mass, [3.0])
            assert_array_equal(bodies.inertia_body, [ship.inertia_body])
            assert_array_equal(bodies.center_of_mass_body, [CENTER])
            assert wrench.force_world.shape == wrench.torque_body.shape == (1, 3)
            with pytest.raises(ValueError, match="read-only"):
                bodies.position[0] = 0.0
        seen["called"] = True

    world.add_force(look)
    world.step()
    assert seen


def test_a_force_sees_the_velocities_of_points_of_the_bodies():
    """v = v_c + ω × R (p − c), for any stack of points of one body, and for one point of each."""
    world, ship = skew_body(0.01)
    tug = world.add_body(OTHER, position=(4, 5, 6), velocity=(1, 2, 3), angular_velocity_body=(-0.3, 0.8, 2.0))
    points = np.random.default_rng(5).normal(size=(2, 4, 3))
    seen = []

    def look(wrench, bodies, time):
        for body in (ship, tug):
            for stack in (points, points[0], points[0, 0], points[0, 0].tolist()):
                seen.append((bodies.velocity_at(stack, body), body.velocity_at(stack)))
        seen.append((bodies.velocity_at(points, 1), tug.velocity_at(points)))
        one_each = np.stack([ship.velocity_at(points[:, 0]), tug.velocity_at(points[:, 1])], axis=1)
        seen.append((bodies.velocity_at(points[:, :2]), one_each))
        seen.append((bodies.velocity_at(points[0, :2]), one_each[0]))
        seen.append((bodies.velocity_at(points[0, 0]), [ship.velocity_at(points[0, 0]), tug.velocity_at(points[0, 0])]))

    look.evaluate = "tick"
    world.add_force(look)
    world.step()
    assert len(seen) == 12
    for found, wanted in seen:
        assert np.shape(found) == np.shape(wanted)
        assert_allclose(found, wanted, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize(
    ("arguments", "kind", "rule"),
    [
        (((1, 2),), ValueError, "bodies.velocity_at: point_body must be 3 finite real numbers"),
        (([(1, 2)],), ValueError, r"bodies.velocity_at: point_body must be finite real numbers of shape \(..., 3\)"),
        (((1, 2, math.nan), 0), ValueError, "point_body must be 3 finite"),
        (("up", 0), TypeError, "point_body must be finite"),
        (
            (np.zeros((3, 3)),),
            ValueError,
            r"point_body must be of shape \(3,\) or \(..., 1, 3\), with one point per body",
        ),
        (
            ((1, 2, 3), 1),
            ValueError,
            "bodies.velocity_at: body_or_row must be a body of this world or a row from 0 to 0",
        ),
        (((1, 2, 3), "ship"), TypeError, "bodies.velocity_at: body_or_row must be a body of this world"),
        (((1, 2, 3), True), TypeError, "bodies.velocity_at: body_or_row must be a body of this world"),
        (((1, 2, 3), skew_body()[1]), ValueError, "bodies.velocity_at: body_or_row must be a body of this world"),
    ],
)
def test_points_and_bodies_whose_velocity_cannot_be_given_are_rejected(arguments, kind, rule):
    world, _ = skew_body()
    world.add_force(lambda wrench, bodies, time: bodies.velocity_at(*arguments) and None)
    before = everything(world)
    with pytest.raises(kind, match=rule):
        world.step()
    assert everything(world) == before


def test_a_wrench_can_be_added_to_in_every_way_with_the_same_result():
    """Forces at a point of the body turn it about the mass centre: τ = (point − mass centre) × F."""
    force, point = np.array((1.0, -2.0, 0.5)), np.array((0.9, 0.1, -0.4))
    results = []

    def world_of(function):
        world, ship = skew_body()
        world.add_force(function)
        world.step(3)
        return ship.velocity, ship.angular_velocity_body

    def by_add_body(wrench, bodies, time):
        wrench.add(0, force_body=force, at_body=point)

    def by_arrays_body(wrench, bodies, time):
        wrench.force_body[0] += force
        wrench.torque_body += np.cross(point - CENTER, force)

    def by_add_world(wrench, bodies, time):
        world_force = Rotation.from_quat(bodies.orientation[0]).apply(force)
        wrench.add(0, force_world=world_force, at_body=point)

    def by_arrays_world(wrench, bodies, time):
        rotation = Rotation.from_quat(bodies.orientation[0])
        wrench.force_world += rotation.apply(force)
        wrench.torque_world[0] += np.cross(rotation.apply(point - CENTER), rotation.apply(force))

    def by_torque(wrench, bodies, time):
        wrench.add(0, force_body=force, torque_body=np.cross(point - CENTER, force))

    results = [world_of(f) for f in (by_add_body, by_arrays_body, by_add_world, by_arrays_world, by_torque)]
    for velocity, rates in results[1:]:
        assert_allclose(velocity, results[0][0], rtol=1e-13)
        assert_allclose(rates, results[0][1], rtol=1e-13)


def test_a_wrench_is_added_to_and_not_replaced():
    world, _ = skew_body()

    def replaces(wrench, bodies, time):
        wrench.force_world = np.ones((1, 3))

    world.add_force(replaces)
    with pytest.raises(TypeError, match=r"force_world cannot be replaced; add to it \(wrench.force_world \+= …\)"):
        world.step()


def test_a_throttle_takes_effect_with_the_next_tick_and_stays():
    world, ship = skew_body(0.1)
    thruster = world.add_force(forces.Thruster(ship, position=CENTER, direction=(0, 0, 2), max_force=6.0))
    axis = turned(ship).apply((0, 0, 1))
    ship.angular_velocity_body = (0, 0, 0)
    speeds = []
    for throttle in (0.0, 1.0, 0.5, 0.0):
        thruster.throttle = throttle
        assert thruster.throttle == throttle
        world.step(2)
        speeds.append((ship.velocity - START["velocity"]) @ axis)
    assert_allclose(speeds, (0.0, 0.4, 0.6, 0.6), atol=1e-14)


def test_a_throttle_set_before_the_force_is_added_and_after_it_is_removed_is_kept():
    world, ship = skew_body(0.1)
    bank = forces.ThrusterBank(
        ship, positions=np.zeros((2, 3)), directions=[(1, 0, 0), (0, 1, 0)], max_forces=(1.0, 2.0)
    )
    bank.throttle = (0.25, 0.5)
    world.add_force(bank)
    world.step()
    assert_array_equal(bank.throttle, (0.25, 0.5))
    bank.throttle = 1.0
    world.remove_force(bank)
    assert_array_equal(bank.throttle, (1.0, 1.0))
    bank.throttle = 0.125
    world.add_force(bank)
    assert_array_equal(bank.throttle, (0.125, 0.125))
    with pytest.raises(ValueError, match="read-only"):
        bank.throttle[0] = 1.0


# callbacks


def test_callbacks_run_at_the_start_of_their_ticks_in_order_before_the_forces():
    world, _ = skew_body(0.5, integrator="semi-implicit-euler")
    log = []

    @world.on_tick
    def first(world):
        log.append(("first", world.tick_count, world.time))

    @world.on_tick(every=2)
    def second(world):
        log.append(("second", world.tick_count, world.time))

    def third(world):
        log.append(("third", world.tick_count, world.time))

    assert world.on_tick(third, every=3) is third
    assert callable(first)
    assert callable(second)
    world.add_force(lambda wrench, bodies, time: log.append(("force", world.tick_count, time)))
    world.step(4)
    names = ["first", "second", "third", "force"]
    expected = [
        (name, k, 0.5 * k) for k in range(4) for name in names if k % {"second": 2, "third": 3}.get(name, 1) == 0
    ]
    assert log == expected


def test_every_counts_from_tick_zero_of_the_world_whenever_it_was_added():
    world, _ = skew_body()
    world.step(3)
    ticks = []
    world.on_tick(lambda world: ticks.append(world.tick_count), every=4)
    world.step(10)
    assert ticks == [4, 8, 12]


def test_a_callback_can_be_removed_also_by_itself():
    world, _ = skew_body()
    calls = []

    @world.on_tick
    def once(world):
        calls.append("once")
        world.remove_callback(once)

    @world.on_tick
    def always(world):
        calls.append("always")

    world.step(2)
    world.remove_callback(always)
    world.step()
    assert calls == ["once", "always", "always"]
    with pytest.raises(
        ValueError,
        match=r"World\.remove_callback: function must be one that was added by on_tick, after_tick, on_joint or on_contact",
    ):
        world.remove_callback(once)


def test_a_callback_that_another_one_removed_is_not_called_any_more():
    world, _ = skew_body()
    calls = []

    @world.on_tick
    def remover(world):
        if world.tick_count == 1:
            world.remove_callback(removed)

    @world.on_tick
    def removed(world):
        calls.append(world.tick_count)

    world.step(3)
    assert calls == [0]


def test_a_callback_added_by_a_callback_is_called_from_the_next_tick_on():
    world, _ = skew_body()
    ticks = []

    @world.on_tick(every=100)
    def adder(world):
        world.on_tick(lambda world: ticks.append(world.tick_count))

    world.step(3)
    assert ticks == [1, 2]


def test_methods_can_be_callbacks():
    class Counter:
        """Counts."""

        count = 0

        def tick(self, world):
            self.count += 1

    world, _ = skew_body()
    counter = Counter()
    world.on_tick(counter.tick)
    world.step(2)
    world.remove_callback(counter.tick)
    world.step(2)
    assert counter.count == 2


def test_callbacks_may_add_and_remove_bodies_and_forces():
    world, ship = skew_body(0.1)
    added = []

    @world.on_tick
    def change(world):
        if world.tick_count == 1:
            added.append(world.add_body(OTHER, name="shell", velocity=(10.0, 0.0, 0.0)))
            added.append(world.add_force(forces.UniformGravity((0, 0, -1))))
        if world.tick_count == 3:
            world.remove_body(ship)
            world.remove_force(added[1])

    world.step(2)
    shell = added[0]
    assert_allclose(shell.position, (1.0, 0.0, -0.005), atol=1e-15)
    assert_allclose(shell.velocity, (10.0, 0.0, -0.1), atol=1e-15)
    world.step(2)
    assert world.bodies == (shell,)
    assert world.forces == ()
    assert shell.index == 0
    assert_allclose(shell.velocity, (10.0, 0.0, -0.2), atol=1e-15)
    assert_allclose(shell.position, (3.0, 0.0, -0.04), atol=1e-15)


def test_a_callback_may_add_a_thousand_bodies():
    """The arrays grow in the middle of a tick, with held and with staged forces."""
    world, ship = skew_body(0.1)
    plain, lone = skew_body(0.1)
    for each, body in ((world, ship), (plain, lone)):
        each.add_force(forces.LinearDrag(0.5))
        thruster = each.add_force(forces.Thruster(body, position=(0, 1, 0), direction=(1, 1, 0), max_force=2.0))
        thruster.throttle = 0.5

    @world.on_tick(every=2)
    def crowd(world):
        world.add_bodies(OTHER, np.ones((300, 3)))

    world.step(5)
    plain.step(5)
    assert len(world.bodies) == 901
    for name in ("position", "orientation", "velocity", "angular_velocity_body"):
        assert_array_equal(getattr(ship, name), getattr(lone, name))


def test_a_called_force_acts_on_bodies_for_which_the_arrays_grew():
    """One of each kind of call, on a body and on the 300 that come after its first tick: 5 m/s² together."""
    world = World(0.125, integrator="semi-implicit-euler")
    world.add_body(OTHER)

    def held(wrench, bodies, time):
        wrench.force_world[:, 0] += 2.0 * bodies.mass

    def staged(wrench, bodies, time):
        wrench.force_world[:, 0] += 3.0 * bodies.mass

    held.evaluate = "tick"
    world.add_force(held)
    world.add_force(staged)
    world.step()
    world.add_bodies(OTHER, np.ones((300, 3)))
    world.step(2)
    assert_allclose(world.state.velocity[:, 0], [3 * 0.625, *[2 * 0.625] * 300], rtol=1e-14)


def test_pausing_in_a_callback_lets_no_further_tick_of_the_frame_begin():
    world, _ = skew_body(0.125)

    @world.on_tick
    def stop(world):
        if world.tick_count == 1:
            world.paused = True

    assert world.advance(0.625) == 2
    assert world.tick_count == 2


# energies and momenta


def test_energies_and_momenta_are_sums_over_the_bodies():
    world = World(0.1)
    bodies = crowd(world)
    about = np.array((1.0, -2.0, 0.5))
    energy, momentum, spin = 0.0, np.zeros(3), np.zeros(3)
    for body in bodies:
        own = 0.5 * body.mass * body.velocity @ body.velocity
        own += 0.5 * body.angular_velocity_body @ body.inertia_body @ body.angular_velocity_body
        assert body.kinetic_energy() == pytest.approx(own, rel=1e-14)
        energy += own
        momentum += body.mass * body.velocity
        spin += turned(body).apply(body.inertia_body @ body.angular_velocity_body + body.stored_momentum_body)
        spin += np.cross(body.position - about, body.mass * body.velocity)
    assert world.kinetic_energy() == pytest.approx(energy, rel=1e-14)
    assert_allclose(world.linear_momentum(), momentum, rtol=1e-14)
    assert_allclose(world.angular_momentum(about), spin, rtol=1e-13)
    # moving the point: L(about) = L(0) − about × p
    assert_allclose(world.angular_momentum(), spin + np.cross(about, momentum), rtol=1e-13)


def test_potential_energy_is_that_of_the_forces_that_have_one():
    world = World(0.1)
    bodies = crowd(world)
    world.add_force(forces.UniformGravity((0.3, -9.0, 1.0)))
    assert world.potential_energy() == pytest.approx(
        -sum(b.mass * b.position @ (0.3, -9.0, 1.0) for b in bodies), rel=1e-14
    )
    world.add_force(forces.PointGravity(7.0, center=(20.0, 0.0, 0.0)))
    world.add_force(
        forces.Spring(bodies[0], bodies[1], at_body=(1, 0, 0), at_other=(0, 1, 0), stiffness=4.0, rest_length=0.5)
    )
    world.add_force(forces.ConstantForce(bodies[2], force_world=(1.0, 2.0, 3.0), at_body=(0.5, 0.5, 0.5)))
    world.add_force(forces.Lorentz(0.3, electric_field=(1.0, 0.0, 2.0), bodies=[bodies[3]]))
    expected = -sum(b.mass * b.position @ (0.3, -9.0, 1.0) for b in bodies)
    expected -= sum(7.0 * b.mass / np.linalg.norm(b.position - (20.0, 0.0, 0.0)) for b in bodies)
    length = np.linalg.norm(bodies[0].to_world((1, 0, 0)) - bodies[1].to_world((0, 1, 0)))
    expected += 2.0 * (length - 0.5) ** 2
    expected -= bodies[2].to_world((0.5, 0.5, 0.5)) @ (1.0, 2.0, 3.0)
    expected -= 0.3 * bodies[3].position @ (1.0, 0.0, 2.0)
    assert world.potential_energy() == pytest.approx(expected, rel=1e-13)
    world.add_force(forces.LinearDrag(1.0))
    world.add_force(lambda wrench, bodies, time: None)
    assert world.potential_energy() == pytest.approx(expected, rel=1e-13)


def test_forces_from_a_potential_keep_the_total_energy():
    """Forces with a potential, together, over 2 s: RK4's own error at 1 ms is far below the tolerance.

    The gravity gradient has its own test: its torque without the force that goes with it keeps energy only where the body stays.
    """
    world = World(1e-3, integrator="rk4")
    bodies = crowd(world)
    world.add_force(forces.UniformGravity((0.3, -9.0, 1.0)))
    world.add_force(
        forces.PointGravity(300.0, center=(20.0, 0.0, 0.0), j2=0.3, reference_radius=4.0, axis=(1.0, 2.0, -1.0))
    )
    world.add_force(
        forces.Spring(bodies[0], bodies[1], at_body=(1, 0, 0), at_other=(0, 1, 0), stiffness=4.0, rest_length=0.5)
    )
    world.add_force(forces.Spring(bodies[2], None, at_body=(0, 1, 1), at_other=(1, 1, 1), stiffness=3.0))
    world.add_force(forces.ConstantForce(bodies[2], force_world=(1.0, 2.0, 3.0), at_body=(0.5, 0.5, 0.5)))
    world.add_force(forces.Lorentz(0.3, electric_field=(1.0, 0.0, 2.0), magnetic_field=(1.0, 2.0, 0.5)))
    kinetic, potential = world.kinetic_energy(), world.potential_energy()
    world.step(2000)
    exchanged = abs(world.kinetic_energy() - kinetic)
    assert exchanged > 10.0
    assert world.kinetic_energy() + world.potential_energy() == pytest.approx(kinetic + potential, abs=1e-9 * exchanged)


def test_the_gravity_gradient_keeps_the_energy_of_a_body_that_swings_in_one_place():
    """½ ω·Iω + GM/(2r³)(3 n·In − tr I) is constant at a fixed distance."""
    world, ship = skew_body(1e-3, integrator="rk4")
    ship.velocity = (0, 0, 0)
    world.add_force(forces.GravityGradient(900.0, center=(5.0, 0.0, 0.0)))
    kinetic, total = world.kinetic_energy(), world.kinetic_energy() + world.potential_energy()
    exchanged = 0.0
    for _ in range(20):
        world.step(100)
        exchanged = max(exchanged, abs(world.kinetic_energy() - kinetic))
        assert world.kinetic_energy() + world.potential_energy() == pytest.approx(total, abs=1e-8)
    assert exchanged > 1.0


# game mode and stored momentum


@pytest.mark.parametrize("method", METHODS)
def test_game_mode_keeps_the_body_rates_of_a_free_body_exactly(method):
    world, ship = skew_body(0.05, integrator=method, game_mode=True)
    ship.stored_momentum_body = (0.5, 1.5, -0.5)
    world.step(200)
    assert_array_equal(ship.angular_velocity_body, START["angular_velocity_body"])
    # which is a steady turn, orientation · exp(ω t)
    expected = Rotation.from_quat(SKEW_ORIENTATION) * Rotation.from_rotvec(
        10.0 * np.array(START["angular_velocity_body"])
    )
    error = (turned(ship).inv() * expected).magnitude()
    spin = 0.05 * np.linalg.norm(START["angular_velocity_body"])
    exponential = ("semi-implicit-euler", "implicit-gyro-euler", "predictor-corrector", "lie-rk4", "midpoint")
    assert error < (1e-13 if method in exponential else 200 * spin**5 / 1000)


@pytest.mark.parametrize("method", METHODS)
def test_game_mode_drops_the_gyroscopic_term_and_nothing_else(method):
    """Iω̇ = τ − ω × (Iω + h): over one short tick the two modes differ by dt·I⁻¹(ω × (Iω + h)), and by nothing in the motion."""
    dt = 1e-5
    torque, wheel = np.array((0.3, -0.2, 0.6)), np.array((0.5, 1.5, -0.5))
    rates = []
    for game_mode in (False, True):
        world, ship = skew_body(dt, integrator=method, game_mode=game_mode)
        ship.stored_momentum_body = wheel
        world.add_force(forces.ConstantTorque(ship, torque_body=torque))
        world.add_force(forces.ConstantForce(ship, force_world=(1.0, 2.0, 3.0)))
        world.step()
        rates.append(ship.angular_velocity_body)
        assert_allclose(ship.velocity, START["velocity"] + dt * np.array((1.0, 2.0, 3.0)) / 3.0, rtol=1e-15)
    spin = np.array(START["angular_velocity_body"])
    inverse = np.linalg.inv(PROPERTIES.inertia_body)
    assert_allclose((rates[1] - spin) / dt, inverse @ torque, rtol=1e-8, atol=1e-8)
    gyroscopic = inverse @ np.cross(spin, PROPERTIES.inertia_body @ spin + wheel)
    assert_allclose((rates[1] - rates[0]) / dt, gyroscopic, atol=5e-5)


def test_game_mode_can_be_switched_in_flight():
    world, ship = skew_body(0.05)
    world.step(5)
    world.game_mode = True
    rates = ship.angular_velocity_body
    world.step(5)
    assert_array_equal(ship.angular_velocity_body, rates)
    world.game_mode = False
    world.step()
    assert np.abs(ship.angular_velocity_body - rates).max() > 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_a_gyrostat_keeps_its_total_angular_momentum(method):
    """R (Iω + h) of a free body with a wheel is constant; without h in the equation it would swing by |h|."""
    world, ship = skew_body(0.002, integrator=method)
    ship.stored_momentum_body = (0.5, 1.5, -0.5)
    total = ship.angular_momentum_world
    own = turned(ship).apply(ship.inertia_body @ ship.angular_velocity_body)
    world.step(1000)
    # measured: 1e-14 for the methods on the momentum, 2e-11 on rates, 1e-6 at order two; the implicit Euler step eats a hundredth
    tolerance = for_order(integrators.by_name[method]().order, {1: 1e-1, 2: 1e-4, 4: 1e-9})
    assert_allclose(
        ship.angular_momentum_world,
        total,
        atol=1e-13 if method in ("rk4", "semi-implicit-euler", "midpoint") else tolerance,
    )
    assert np.linalg.norm(turned(ship).apply(ship.inertia_body @ ship.angular_velocity_body) - own) > 0.5


@pytest.mark.parametrize("method", METHODS)
def test_a_symmetric_gyrostat_turns_its_rates_at_the_closed_form_rate(method):
    """I1 = I2, wheel along the axis: ω1 + iω2 turns at λ = ((I3 − I1) ω3 + h)/I1 in the body frame, ω3 constant."""
    i1, i3, wheel, spin = 2.0, 3.0, 1.7, 0.8
    world, ship = one_body(
        method,
        0.001,
        inertia_body=(i1, i1, i3),
        angular_velocity_body=(0.5, 0.0, spin),
        stored_momentum_body=(0, 0, wheel),
    )
    world.step(1000)
    angle = ((i3 - i1) * spin + wheel) / i1
    # exact, or of order four, or reached to the order
    tolerance = for_order(integrators.by_name[method]().order, {1: 1e-2, 2: 1e-6, 4: 1e-12})
    assert_allclose(ship.angular_velocity_body, (0.5 * math.cos(angle), 0.5 * math.sin(angle), spin), atol=tolerance)


def test_setting_the_stored_momentum_leaves_the_rates():
    _, ship = skew_body()
    ship.stored_momentum_body = (5.0, 5.0, 5.0)
    assert_array_equal(ship.angular_velocity_body, START["angular_velocity_body"])


# how it moves


def test_the_integrator_is_a_method_or_its_name():
    world = World(0.1)
    assert world.integrator.name == "free-rotor-2"
    for name in METHODS:
        world.integrator = name
        assert world.integrator.name == name
        assert World(0.1, integrator=name).integrator.name == name
    method = integrators.RungeKutta4(variables="body_rates")
    world.integrator = method
    assert world.integrator is method


def test_the_integrator_can_be_switched_in_flight():
    """Each method takes over the state as it stands, in held and in staged ticks."""
    for staged in (False, True):
        world, ship = skew_body(0.01)
        if staged:
            world.add_force(forces.LinearDrag(0.0))
        momentum = ship.angular_momentum_world
        for name in METHODS * 2:
            world.integrator = name
            world.step(3)
        # the implicit Euler step alone eats a thousandth of it
        assert_allclose(ship.angular_momentum_world, momentum, atol=2e-2)
        assert world.tick_count == 6 * len(METHODS)


def test_a_quickly_written_world_says_what_it_is():
    world, ship = skew_body(0.25)
    world.step(2)
    assert repr(world) == "<World with 1 body at t = 0.5 s, dt = 0.25 s, free-rotor-2>"
    assert repr(ship) == "<Body 'ship'>"
    assert str(ship) == "body 'ship'"


@pytest.mark.parametrize("value", [None, 3, "world", World, object()], ids=["None", "3", "text", "class", "object"])
def test_drift_measures_a_world(value):
    with pytest.raises(TypeError, match=r"Drift: world must be a World; got"):
        Drift(value)
