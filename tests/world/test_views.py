"""Views of the state cannot be written, whether kept from a tick or read from a world."""

import copy
import math
import pickle

import numpy as np
import pytest

from engine import MassProperties, World, flight, forces

from ..full_world import full_world, image
from ..worlds import skew_body


@pytest.mark.parametrize("evaluate", ["tick", "stage"])
@pytest.mark.parametrize("method", ["rk4", "free-rotor-2", "semi-implicit-euler"])
def test_a_wrench_and_views_kept_after_the_tick_change_nothing_when_written(method, evaluate):
    (world, ship), (twin, _) = skew_body(integrator=method), skew_body(integrator=method)
    kept = []

    def keeps(wrench, bodies, time):
        wrench.force_world[:, 0] += 1.0
        kept.append((wrench, bodies))

    def pushes(wrench, bodies, time):
        wrench.force_world[:, 0] += 1.0

    keeps.evaluate = pushes.evaluate = evaluate
    world.add_force(keeps)
    twin.add_force(pushes)
    for tick in range(3):
        world.step()
        twin.step()
        assert world.state_hash() == twin.state_hash()
        for wrench, bodies in kept:
            for part in ("force_world", "torque_world", "force_body", "torque_body"):
                getattr(wrench, part)[:] = math.nan if tick else 65.0
            wrench.add(0, force_world=(65.0, 0.0, 0.0), at_body=(1.0, 0.0, 0.0))
            for name in ("position", "orientation", "velocity", "angular_velocity_body", "mass", "center_of_mass_body"):
                refuse_writing(getattr(bodies, name))
        ship.velocity = ship.velocity  # gathers nothing of what was written
        twin.bodies[0].velocity = twin.bodies[0].velocity


def refuse_writing(view):
    """By none of the ways that NumPy has."""
    with pytest.raises(ValueError, match="read-only"):
        view[...] = math.nan
    with pytest.raises(ValueError, match="WRITEABLE"):
        view.flags.writeable = True
    with pytest.raises(ValueError, match="WRITEABLE"):
        view.setflags(write=True)
    base = view.base
    while isinstance(base, np.ndarray):
        assert not base.flags.writeable
        base = base.base
    assert base is None or memoryview(base).readonly


def test_views_of_state_and_model_cannot_be_written_by_any_way_that_numpy_has():
    world = full_world(called=False)
    before = image(world)
    for name in ("position", "orientation", "velocity", "angular_velocity_body", "stored_momentum_body"):
        refuse_writing(getattr(world.state, name))
    for name in ("mass", "inverse_mass", "center_of_mass_body"):
        refuse_writing(getattr(world.model, name))
    for copied in (world.state.angular_velocity_world, world.model.inertia_body, world.thrusters.throttle):
        copied.flags.writeable = True
        copied[...] = 7.0  # its own numbers
    assert image(world) == before


@pytest.mark.parametrize(
    ("alpha", "kind"),
    [(value, ValueError) for value in (math.nan, 7, -0.1, math.inf)]
    + [(value, TypeError) for value in ("x", None, True, [0.5])],
)
def test_poses_are_blended_by_numbers_from_zero_to_one(alpha, kind):
    world, ship = skew_body()
    with pytest.raises(kind, match=r"World.state.interpolated_poses: alpha must be"):
        world.state.interpolated_poses(alpha)
    if alpha is not None:
        with pytest.raises(kind, match="body 'ship': alpha must be"):
            ship.interpolated_pose(alpha)
    for good in (0, 1, 0.5, np.float32(0.5)):
        world.state.interpolated_poses(good)


def test_the_views_of_a_world_say_what_they_are():
    world = World(0.1)
    assert (repr(world.state), repr(world.model)) == ("<State of 0 bodies>", "<Model of 0 bodies>")
    world.add_body(MassProperties.sphere(1.0, 0.5))
    assert (repr(world.state), repr(world.model)) == ("<State of 1 body>", "<Model of 1 body>")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_the_thrusters_of_a_world_are_not_copied_without_it(copied):
    world = World(0.1)
    with pytest.raises(
        TypeError,
        match="World: its thrusters cannot be copied without the world; copy the world and read them from the copy",
    ):
        copied(world.thrusters)


@pytest.mark.parametrize("kind", [forces.ConstantTorque, flight.BodyTorque])
def test_forces_that_share_a_table_are_not_set_as_whole_arrays(kind):
    """A torque could otherwise be set beyond the limit of a BodyTorque, and in the axes that a constant torque does not have."""
    with pytest.raises(TypeError, match=r"World\.fields: kind must be a class with rows of its own"):
        World(0.1).fields(kind)
