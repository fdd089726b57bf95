"""The memory that bodies take, and that ticks allocate none."""

import gc
import sys
import tracemalloc

import numpy as np
import pytest

from engine import MassProperties, World, forces

from ..lengths import sized
from ..worlds import OTHER, crowd

SHAPE = MassProperties.box(1.0, (1.0, 2.0, 3.0))


clear_caches = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache  # the first from Python 3.13 on


def bytes_in_use():
    """Bytes that somebody holds, out of those allocated since tracing began.

    The interpreter's cache of methods is emptied first. It keeps the name of each attribute that was looked up, in up to 4096 places that
    the address of the name decides, and numpy makes some names anew in each call (52 bytes for a method called `all`): 22 kB gather there
    in some hundreds of calls, sooner or later depending on which addresses happen to be free.
    """
    clear_caches()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def traced(make):
    """Bytes that what is made keeps."""
    tracemalloc.start()
    try:
        before = bytes_in_use()
        made = make()
        after = bytes_in_use()
    finally:
        tracemalloc.stop()
    return made, after - before


def world_of(count):
    world = World(0.01)
    world.add_bodies(SHAPE, np.zeros((count, 3)))
    return world


@pytest.mark.parametrize("count", [1, 264, 1000, 5000])
def test_a_column_takes_at_most_576_bytes(count):
    """In every world, because its loops read the two marks of frozen bodies wherever they read stored momentum."""
    array = world_of(count)._bodies.array
    assert array.nbytes <= 576 * array.shape[1]


@pytest.mark.parametrize("count", sized([1000, 1033], [1000, 1032, 1033, 1545, 2057, 4105, 6153, 12_000]))
def test_a_body_takes_at_most_1_25_kib_handle_name_and_spare_columns_included(count):
    """The numbers just above a rung of the ladder are the worst: half as many columns again as bodies."""
    world_of(3)  # what is made once for all worlds
    _, size = traced(lambda: world_of(count))
    assert size / count <= 1.25 * 1024.0  # measured 1186 at 1033 bodies


def test_a_world_that_grew_is_no_larger_than_one_made_at_once():
    def grown():
        world = World(0.01)
        for _ in range(11):
            world.add_bodies(SHAPE, np.zeros((150, 3)))
        return world

    world_of(3)
    assert traced(grown)[1] <= 1.02 * traced(lambda: world_of(1650))[1]


def held(world, bodies):
    thruster = world.add_force(forces.Thruster(bodies[0], position=(0, 0, 1), direction=(0, 1, 3), max_force=1.0))
    thruster.throttle = 0.5


def fields(world, bodies):
    world.add_force(forces.PointGravity(500.0, (40, 50, 60)))
    world.add_force(forces.AngularDamping(0.01))


def springs(world, bodies):
    world.add_force(forces.Spring(bodies[0], bodies[1], stiffness=2.0, damping=0.1))


def called(world, bodies):
    world.add_force(lambda wrench, states, time: None)


def least(measure, limit):
    """The least of up to three measurements: a thread of the test runner may allocate something during one of them."""
    found = measure()
    for _ in range(2):
        if found >= limit:
            found = min(found, measure())
    return found


@pytest.mark.parametrize("method", sized(["rk4"], ["rk4", "free-rotor-2", "semi-implicit-euler"]))
@pytest.mark.parametrize(
    ("add_forces", "ticks"),
    [
        (held, sized(500, 20_000)),
        (fields, sized(250, 10_000)),
        (springs, sized(250, 10_000)),
        (called, sized(100, 4000)),
    ],
)
def test_ticks_allocate_nothing(method, add_forces, ticks):
    """Neither kept after many ticks nor in between: at the peak there is room for some numbers of Python's, and for no array of bodies."""
    world = World(0.001, integrator=method)
    add_forces(world, crowd(world, 200))
    world.step(3)

    def fly():
        for _ in range(ticks):
            world.step()

    def peak():
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            world.step(100)
            for _ in range(10):
                world.step()
            return tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()

    assert least(lambda: traced(fly)[1], 2048) < 2048
    assert least(peak, 4096) < 4096  # one row of 200 bodies would be 1600, one vector of each 4800


def test_removing_and_adding_bodies_does_not_leak():
    world = World(0.01)
    world.add_bodies(SHAPE, np.zeros((50, 3)))

    def exchange(times):
        for _ in range(times):
            world.remove_body(world.bodies[7])
            world.add_body(OTHER)

    exchange(200)
    tracemalloc.start()
    try:
        exchange(200)  # numpy keeps some small blocks for the next arrays, up to a point
        before = bytes_in_use()
        exchange(600)
        after = bytes_in_use()
    finally:
        tracemalloc.stop()
    assert after - before < 600 * 8  # the smallest object has 16 bytes
