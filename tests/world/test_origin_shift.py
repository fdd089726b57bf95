"""A moved origin: the same motion in other coordinates, every point of the world moved, objects told, all or nothing."""

import copy
import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from engine import World, flight, forces
from engine.forces.force import TableForce
from engine.store.bodies import BODIES
from engine.store.schema import ANY, Field, Kind, Schema
from engine.tick.held import PUSHES

from ..full_world import Gusts, differences, full_world, image
from ..worlds import METHODS, PROPERTIES, START, skew_body

SHIFT = np.array([64.0, -128.0, 32.0])
"""So few digits that positions of a few metres are shifted without rounding."""


@forces.compiled(parameters=("x", "strength", "y", "z"), depends_on_rates=False, world_points=[("x", "y", "z")])
def Beacon(body, time, x, strength, y, z):
    """A pull towards a point of the world."""
    px, py, pz = body.position
    return (strength * (x - px), strength * (y - py), strength * (z - pz)), (0.0, 0.0, 0.0)


@forces.compiled(parameters=("strength",))
def Homesick(body, time, strength):
    """A pull towards the origin, which is a point that no parameter holds."""
    x, y, z = body.position
    return (-strength * x, -strength * y, -strength * z), (0.0, 0.0, 0.0)


def scene(**options):
    world = full_world(called=False, **options)
    world.add_force(forces.GravityGradient(80.0, (9.0, 8.0, -7.0)))
    world.add_force(forces.PointGravity([3.0, 4.0], [(9, 8, 7), (-9, 5, 2)], bodies=world.bodies[:2]))
    world.add_force(Beacon(x=3.0, y=4.0, z=-5.0, strength=0.2))
    return world


@pytest.mark.parametrize("method", METHODS)
def test_a_world_moves_on_as_before_in_coordinates_from_the_new_origin(method):
    """Every force that refers to a point of the world, springs between bodies and to the world, pushes that are pending."""
    world, twin = scene(method=method), scene(method=method)
    world.shift_origin(SHIFT)
    for ticks in (0, 1, 12):
        world.step(ticks)
        twin.step(ticks)
        assert_allclose(world.state.position, twin.state.position - SHIFT, atol=2e-12)
        for name in ("orientation", "velocity", "angular_velocity_body", "stored_momentum_body"):
            assert_allclose(getattr(world.state, name), getattr(twin.state, name), atol=2e-12)
        origins, orientations = world.state.interpolated_poses(0.37)
        wanted = twin.state.interpolated_poses(0.37)
        assert_allclose(origins, wanted[0] - SHIFT, atol=2e-12)
        assert_allclose(orientations, wanted[1], atol=2e-12)
        for body, other in zip(world.bodies, twin.bodies, strict=True):
            for mine, theirs in zip(world.wrench(body), twin.wrench(other), strict=True):
                assert_allclose(mine, theirs, atol=1e-11)


def test_a_shift_there_and_back_by_few_digits_restores_every_bit():
    world = scene()
    before, state = world.state_hash(), image(world)
    world.shift_origin(SHIFT)
    assert world.state_hash() != before
    world.shift_origin(-SHIFT)
    # the fixed ends and centres have few digits; positions keep all theirs up to one rounding
    assert_allclose(world.state.position, np.frombuffer(state["tables"]["bodies"][1]).reshape(-1, 4)[:3].T, atol=3e-14)
    assert world.springs.at_other.tolist() == [[0.1, 0.2, 0.3], [-4.0, 2.0, 1.0]]
    assert world.fields(forces.PointGravity).center.tolist() == [[40, -30, 20], [9, 8, 7], [-9, 5, 2]]


def test_parameters_that_are_points_of_the_world_are_moved_and_others_are_not():
    world = scene()
    springs, beacon = world.springs.at_other, world.fields(Beacon)
    world.shift_origin(SHIFT)
    assert_array_equal(world.springs.at_other, springs - [(0, 0, 0), SHIFT])  # only the second is fixed in the world
    assert_array_equal(world.springs.at_body, [[0, 0, 0], [0, 0, 0]])
    assert [beacon.x[0], beacon.y[0], beacon.z[0], beacon.strength[0]] == [3.0 - 64, 4.0 + 128, -5.0 - 32, 0.2]
    assert world.fields(forces.GravityGradient).center.tolist() == [[9.0 - 64, 8.0 + 128, -7.0 - 32]]


def all_schemas():
    public = [*vars(forces).values(), *vars(flight).values()]
    kinds = [kind for kind in public if inspect.isclass(kind) and issubclass(kind, TableForce)]
    on_ship = forces.ConstantForce(skew_body()[1], force_world=(0, 0, 1), at_body=(1, 0, 0))
    return [
        BODIES,
        PUSHES,
        on_ship._schema,
        *(kind._schema for kind in kinds if isinstance(getattr(kind, "_schema", 0), Schema)),
    ]


def test_every_position_in_world_axes_of_every_table_is_known_as_a_point_of_the_world():
    """A new force with a point of the world cannot be forgotten."""
    fields = [field for schema in all_schemas() for field in schema.fields]
    points = {field.name for field in fields if field.unit == "m" and "world" in field.frame}
    assert points == {"position", "previous_position", "at_other", "center", "shadow_center", "field_center"}
    assert points == {field.name for field in fields if field.world_axes}
    with pytest.raises(ValueError, match="a point in the world frame must have one axis per component"):
        Schema("bad", [Field("point", Kind.MODEL, 3, "m", digest=0, rule=ANY, world_axes=(0, 1))])


# who is told


class Waypoint:
    """A controller with a point of its own, and a force."""

    def __init__(self):
        self.point = np.array([1.0, 2.0, 3.0])
        self.shifts = []

    def apply(self, wrench, bodies, time):
        wrench.force_world += self.point - bodies.position

    def steer(self, world):
        pass

    def on_origin_shift(self, shift):
        self.point -= shift
        self.shifts.append(shift.tolist())


class Stateful(Waypoint):
    def get_state(self):
        return {"point": self.point}

    def set_state(self, state):
        self.point = state["point"].copy()


def test_objects_with_a_method_for_it_are_told_once_after_the_bodies_have_moved():
    world, ship = skew_body()
    force, controller, recorder, attached = Waypoint(), Waypoint(), Waypoint(), Stateful()
    world.add_force(force)
    world.on_tick(controller.steer)
    world.after_tick(controller.steer)
    world.after_tick(recorder.steer, every=7)
    world.memory.attach("points", attached)
    seen = []
    ship_before = ship.position

    def wind(wrench, bodies, time):
        pass

    wind.on_origin_shift = lambda shift: seen.append((ship.position - ship_before + shift).tolist())
    world.add_force(wind)
    world.shift_origin(SHIFT)
    for told in (force, controller, recorder, attached):
        assert told.shifts == [SHIFT.tolist()]
        assert told.point.tolist() == [1 - 64, 2 + 128, 3 - 32]
    assert_allclose(seen, [[0.0, 0.0, 0.0]], atol=1e-13)


def test_forces_that_cannot_take_part_are_named_in_a_warning():
    world, _ = skew_body()

    def tether(wrench, bodies, time):
        pass

    for force in (tether, Gusts(), Waypoint(), Homesick(0.5), Beacon(1, 2, 3, 4), forces.LinearDrag(0.1)):
        world.add_force(force)
    with pytest.warns(
        UserWarning, match=r"World\.shift_origin: .*tether.*Gusts.*Homesick.* on_origin_shift\(shift\)"
    ) as caught:
        world.shift_origin(SHIFT)
    text = str(caught[0].message)
    assert caught[0].filename == __file__
    assert len(caught) == 1
    assert not any(name in text for name in ("Waypoint", "Beacon(", "LinearDrag"))


def test_a_warning_that_is_made_an_error_comes_before_any_change():
    world, _ = skew_body()
    world.add_force(lambda wrench, bodies, time: None)
    before = image(world)
    with pytest.raises(UserWarning):
        world.shift_origin(SHIFT)
    assert differences(before, image(world)) == []


# all or nothing


class Fails(Waypoint):
    def on_origin_shift(self, shift):
        raise LookupError("on the way")


def test_a_shift_that_fails_on_the_way_is_taken_back_everywhere():
    world = scene()
    force, stateful = world.add_force(Waypoint()), world.add_force(Stateful())
    world.on_tick(Fails().steer)
    before = image(world)
    with pytest.raises(LookupError, match="on the way"):
        world.shift_origin(SHIFT)
    assert differences(before, image(world)) == []
    assert force.point.tolist() == stateful.point.tolist() == [1.0, 2.0, 3.0]
    assert (force.shifts, len(stateful.shifts)) == (
        [SHIFT.tolist(), (-SHIFT).tolist()],
        1,
    )  # the state of the other was restored


def test_a_shift_in_a_callback_is_undone_with_the_tick_that_fails():
    world, twin = scene(), scene()
    force = world.add_force(Stateful())
    twin.add_force(Stateful())

    @world.on_tick
    def shift(world):
        world.shift_origin(SHIFT)
        raise LookupError

    before = image(world)
    with pytest.raises(LookupError):
        world.step()
    assert differences(before, image(world)) == []
    assert force.point.tolist() == [1.0, 2.0, 3.0]
    world.remove_callback(shift)
    world.step(2)
    twin.step(2)
    assert world.state_hash() == twin.state_hash()


def test_a_shift_in_a_callback_holds_from_the_tick_that_starts():
    world, twin = scene(), scene()

    @world.on_tick(every=5)
    def shift(world):
        world.shift_origin(0.25 * SHIFT)

    world.step(11)  # from tick 3: at 5 and 10
    twin.step(11)
    assert_allclose(world.state.position, twin.state.position - 0.5 * SHIFT, atol=1e-12)
    assert_allclose(
        world.state.interpolated_poses(0.2)[0], twin.state.interpolated_poses(0.2)[0] - 0.5 * SHIFT, atol=1e-12
    )


@pytest.mark.parametrize("evaluate", ["tick", "stage"])
def test_a_shift_inside_a_force_is_rejected_and_the_tick_undone(evaluate):
    world = scene()

    def meddle(wrench, bodies, time):
        world.shift_origin(SHIFT)

    meddle.evaluate, meddle.on_origin_shift = evaluate, lambda shift: None
    world.add_force(meddle)
    before = image(world)
    with pytest.raises(RuntimeError, match="a force may only add to its wrench"):
        world.step()
    assert differences(before, image(world)) == []


def test_an_object_that_is_told_may_change_the_world_and_not_step_it():
    world, ship = skew_body()

    class Steps(Waypoint):
        def on_origin_shift(self, shift):
            ship.velocity += (1.0, 0.0, 0.0)
            world.step()

    world.on_tick(Steps().steer)
    before = image(world)
    with pytest.raises(RuntimeError, match=r"World\.step cannot be called from inside a tick"):
        world.shift_origin(SHIFT)
    assert differences(before, image(world)) == []
    world.step()


@pytest.mark.parametrize("bad", [(1, 2), (1, 2, np.nan), (1, 2, np.inf), "far", None, 5.0, ((1, 2, 3),), (1, 2, True)])
def test_a_shift_that_is_no_vector_changes_nothing(bad):
    world = scene()
    before = image(world)
    with pytest.raises((TypeError, ValueError), match=r"World\.shift_origin: shift must be 3 finite real numbers; got"):
        world.shift_origin(bad)
    assert differences(before, image(world)) == []


def test_a_shift_beyond_the_largest_number_changes_nothing():
    world = World(0.01)
    world.add_body(PROPERTIES, **{**START, "position": (-1.7e308, 0.0, 0.0)})
    before = image(world)
    with pytest.raises(
        ValueError, match=r"World\.shift_origin: shift must be small enough for the result to be finite"
    ):
        world.shift_origin((1e308, 0.0, 0.0))
    assert differences(before, image(world)) == []


def test_a_copy_is_shifted_alone():
    world = scene()
    other = copy.deepcopy(world)
    before = image(world)
    other.shift_origin(SHIFT)
    assert differences(before, image(world)) == []
    assert_array_equal(other.state.position, world.state.position - SHIFT)


@pytest.mark.parametrize(
    ("points", "kind"),
    [
        ("xyz", TypeError),
        (5, TypeError),
        (None, TypeError),
        ([5], TypeError),
        (["xyz"], TypeError),
        ([("x", "y")], ValueError),
        ([("x", "y", "w")], ValueError),
        ([("x", "y", "y")], ValueError),
        ([("x", "y", "z"), ("x", "y", "z")], ValueError),
        ([(1, 2, 3)], ValueError),
    ],
)
def test_points_that_are_not_three_parameters_each_are_rejected(points, kind):
    with pytest.raises(kind, match=r"forces\.compiled: world_points must be a list of \(x, y, z\)"):
        forces.compiled(parameters=("x", "y", "z"), world_points=points)
