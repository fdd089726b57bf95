"""Chains under loads that make their light links swing faster than a tick can follow."""

from pathlib import Path

import numpy as np
import pytest

from engine import World, forces
from engine.compilation.compiler import COMPILED
from engine.constraints import layout
from engine.constraints.graph import ISLANDS
from engine.joints import Ball
from tests.benchmarks.joint_scenes import chain

from ..lengths import sized
from ..plain_python import in_plain_python

ROOT = Path(__file__).parents[2]
needs_compiler = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")


def hanging(end_ratio, dt=1 / 60, speed=0.01):
    """Twenty links of 1 kg that hang, the last one with a speed [m/s]."""
    world, _joints = chain(20, end_ratio, dt, level=False)
    world.bodies[-1].velocity = (speed, 0.0, 0.0)
    return world


def energy(world):
    """Kinetic and potential energy [J]."""
    kinetic = sum(
        0.5 * body.mass * body.velocity @ body.velocity
        + 0.5 * body.angular_momentum_world @ body.angular_velocity_world
        for body in world.bodies
    )
    return kinetic + 9.81 * sum(body.mass * body.position[2] for body in world.bodies)


def steps(world):
    """The steps of each island in the last tick."""
    islands = world._stages._plan.joints.islands
    return islands.measures[: islands.graph.sizes[ISLANDS], layout.DIVISION].tolist()


@needs_compiler
@pytest.mark.parametrize("speed", [0.01, 1.0])
@pytest.mark.parametrize("end_ratio", [100.0, 1000.0])
def test_a_taut_chain_keeps_its_energy_for_a_minute(end_ratio, speed):
    """For a quarter of a minute in `.ci/run`. Where no tick is divided, the 0.005 and 0.05 J of 0.01 m/s grow to several J in seconds."""
    world = hanging(end_ratio, speed=speed)
    world.step()
    start, moving = energy(world), 0.5 * end_ratio * speed**2
    for _ in range(sized(15, 60)):
        world.step(60)
        assert abs(energy(world) - start) < 0.01 * moving


@needs_compiler
def test_a_force_near_a_threshold_changes_the_number_of_steps_once():
    """The force of a chain that swings passes the threshold between 2 and 4 steps hundreds of times in a minute."""
    world, found = hanging(100.0, speed=1.0), []
    for _ in range(600):
        world.step()
        found += steps(world)
    assert set(found) == {4.0}


def test_the_first_tick_is_divided_by_the_force_that_it_finds():
    """In one step, the impact of the end's speed would let the links turn at 4 rad/s and swing for ever."""
    world = hanging(1000.0, speed=1.0)
    world.step()
    assert steps(world) == [8.0]
    assert max(np.linalg.norm(world.state.angular_velocity_body, axis=1)) < 1.6


def test_a_joint_that_is_added_to_a_chain_in_motion_divides_its_first_tick():
    world, joints = chain(20, 1000.0, level=False)
    load = world.bodies[-1]
    world.remove_joint(joints[-1])
    world.step(2)
    assert max(steps(world)) == 1.0
    load.position, load.velocity = world.bodies[-2].to_world((0.0, 0.0, -0.5)), (0.0, 0.0, 0.0)
    world.add_joint(Ball(load, world.bodies[-2], at_body=(0.0, 0.0, 0.25)))
    world.step()
    assert max(steps(world)) >= 8.0


@needs_compiler
def test_a_taut_chain_swings_as_with_a_tick_of_a_sixteenth():
    """Ticks of 1/60 s that are divided, against ticks of 1/960 s that are not: the end of the chain, at 0.01 m/s for 4 s."""
    coarse, fine = hanging(1000.0), hanging(1000.0, 1 / 960)
    coarse.step(240)
    fine.step(16 * 240)
    assert steps(coarse) == [8.0] and steps(fine) == [1.0]
    moved = fine.bodies[-1].position - (0.0, 0.0, -9.75)
    assert np.linalg.norm(moved) > 3e-3
    assert np.linalg.norm(coarse.bodies[-1].position - fine.bodies[-1].position) < 2e-3 * np.linalg.norm(moved)


def test_a_divided_tick_goes_back_where_it_came_from():
    world = hanging(1000.0)
    world.step(10)
    start = world.state.position.copy()
    world.step(60)
    assert steps(world) == [8.0]
    assert np.abs(world.state.position - start).max() > 1e-3
    world.state.velocity, world.state.angular_velocity_body = (
        -np.array(world.state.velocity),
        -np.array(world.state.angular_velocity_body),
    )
    world.step(60)
    assert np.abs(world.state.position - start).max() < 1e-8


@pytest.mark.parametrize("end_ratio", [1.0, 10.0])
def test_a_chain_of_equal_links_is_not_divided(end_ratio):
    world = hanging(end_ratio)
    for _ in range(60):
        world.step()
        assert steps(world) == [1.0]


def chains(ratios):
    """A world with a chain of five links at each of these places [m], the last one heavier than the others by the ratio; after 30 ticks."""
    world, ends = World(dt=1 / 60), []
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    for place, ratio in ratios.items():
        bodies, joints = {None: None}, chain(5, ratio, level=False)[1]
        for joint in joints:
            for body in (joint.body, joint.other):
                if body not in bodies:
                    position = np.add(body.position, (place, 0.0, 0.0))
                    bodies[body] = world.add_body(body.mass_properties, position=position)
            world.add_joint(Ball(bodies[joint.body], bodies[joint.other], at_body=joint.at_body))
        ends.append(bodies[joints[-1].body])
        ends[-1].velocity = (0.3, 0.1, 0.0)
    world.step(30)
    return world, ends


def test_an_island_divides_its_ticks_for_itself_and_leaves_the_bits_of_others():
    ratios = {0.0: 1000.0, 20.0: 1.0, 40.0: 100.0, 60.0: 1.0}
    world, ends = chains(ratios)
    assert sorted(steps(world)) == [1.0, 1.0, 2.0, 8.0]
    for (place, ratio), end in zip(ratios.items(), ends, strict=True):
        _world, [same] = chains({place: ratio})
        assert np.array_equal(end.position, same.position) and np.array_equal(end.orientation, same.orientation)


@needs_compiler
def test_divided_ticks_have_the_same_bits_in_plain_python():
    assert in_plain_python(hash_of_hanging) == hash_of_hanging()


def hash_of_hanging():
    world = hanging(1000.0)
    world.step(4)
    return world.state_hash()


def test_a_copy_of_a_divided_world_continues_bit_for_bit():
    world = hanging(1000.0)
    world.step(5)
    copied = world.fork()
    assert isinstance(copied, World)
    for each in (world, copied):
        each.step(5)
    assert world.state_hash() == copied.state_hash()
