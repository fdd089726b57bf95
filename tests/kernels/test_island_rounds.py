"""The loops of islands: each over its own bodies, and in few rounds, which are counted in plain Python."""

from math import cos, sin

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, forces
from engine.joints import Ball, Slider
from tests.benchmarks.contacts import Cube, ours
from tests.benchmarks.joint_scenes import PAIR_JOINTS, chain, pair

from ..plain_python import calls_of_kernels, in_plain_python

BOX = MassProperties.box(3.0, (1.0, 0.5, 0.8))


def in_swing():
    world, _joints = chain(3, 1.0, 1 / 240)
    world.step(20)
    return calls_of_kernels(world, 5, ["island-drift-free_rotor-gyro", "island-positions", "blocks-factor"])


def test_a_chain_in_calm_swing_needs_few_rounds():
    drifts, stages, factors = in_plain_python(in_swing)
    assert stages == 5  # no tick in pieces
    assert factors == 5  # one at the end of each tick, where the next one starts
    assert drifts <= 17


def at_rest():
    turns = [(0.0, 0.0, sin(0.2 * n), cos(0.2 * n)) for n in range(4)]
    world = ours([Cube((0.07 * n, -0.05 * n, n + 0.5), turn=turns[n]) for n in range(4)])
    world.step(30)
    return calls_of_kernels(world, 5, ["island-point-positions", "island-cones", "blocks-factor"])


def test_a_stack_at_rest_knows_which_points_push():
    """Each stage makes one factor: it starts where all points do what they do in the solution, and all of its solves go on with it."""
    stages, solves, factors = in_plain_python(at_rest)
    assert stages == 5 and solves > 2 * stages
    assert factors == 2 * stages


def of_each_type():
    found = {}
    for kind in PAIR_JOINTS:
        world, *_ = pair(kind)
        world.step(3)
        found[kind] = calls_of_kernels(world, 5, ["island-positions", "island-drift-free_rotor-gyro"])
    return found


def test_every_type_of_joint_needs_few_rounds():
    """A row whose direction does not lead to where its residual falls can be solved too, but slowly."""
    found = in_plain_python(of_each_type)
    assert set(found) == set(PAIR_JOINTS)
    assert {kind: rounds for kind, rounds in found.items() if rounds[0] != 5 or rounds[1] > 20} == {}


def change_mass(world):
    body = world.bodies[0]
    body.mass_properties = MassProperties(3.0, (0.9, 1.5, 1.8), body.center_of_mass_body)


def change_poses(world):
    """Rotate the second body about the joint, and leave the first one where it is."""
    position, orientation = world.state.position.copy(), world.state.orientation.copy()
    turn = Rotation.from_rotvec((0.0, 0.0, 1e-7))  # within what an assignment may leave
    joint = world.joints[0]
    held = world.bodies[0].to_world(joint.at_body)
    position[1] = held + turn.apply(position[1] - held)
    orientation[1] = (turn * Rotation.from_quat(orientation[1])).as_quat()
    world.state.position, world.state.orientation = position, orientation


@pytest.mark.parametrize("change", (None, change_mass, change_poses))
@pytest.mark.parametrize("method", ("free-rotor-2", "free-rotor-4"))
def test_what_is_kept_from_tick_to_tick_gives_the_bits_of_a_fresh_start(method, change):
    """The directions and the factor at the end of a tick serve the next tick too, but only if nothing has changed; a copy has none."""
    world, *_ = pair("ball", integrator=method)
    for tick in range(6):
        copied = world.fork()
        for each in (world, copied):
            if change is not None and tick == 3:
                change(each)
            each.step()
        assert world.state_hash() == copied.state_hash()


def test_a_slider_that_is_moved_along_its_axis_gets_new_arms():
    world = World(1 / 60)
    body = world.add_body(BOX, velocity=(0.4, 0.0, 0.0))
    world.add_joint(Slider(body, at_body=(0.5, 0.2, 0.1), axis_body=(1.0, 0.0, 0.0)))
    world.add_force(forces.ConstantForce(body, force_world=(0.0, 3.0, 1.0), at_body=(0.1, 0.2, 0.3)))
    world.step(3)
    copied = world.fork()
    for each in (world, copied):
        each.state.position = np.add(each.state.position, (0.25, 0.0, 0.0))
        each.step(2)
    assert world.state_hash() == copied.state_hash()


def test_an_island_behind_others_moves_as_it_does_alone():
    def scene(pairs):
        world = World(1 / 60)
        for number in pairs:
            x = 30.0 * number
            a = world.add_body(BOX, position=(x, 0.0, 0.0), angular_velocity_body=(0.3, -0.2, 0.1 + number))
            b = world.add_body(BOX, position=(x + 2.0, 0.0, 0.0), angular_velocity_body=(-0.1, 0.4, 0.2))
            joint = world.add_joint(Ball(a, b, at_body=(1.0, 0.0, 0.0)))
        world.step(5)
        assert np.linalg.norm(a.to_world(joint.at_body) - b.to_world(joint.at_other)) <= 1e-11
        return np.concatenate([*world.state.position[-2:], *world.state.orientation[-2:]])

    assert np.array_equal(scene((2,)), scene((0, 1, 2)))
