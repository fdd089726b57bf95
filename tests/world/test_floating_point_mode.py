"""A thread whose floating-point mode was changed by another library moves nothing, because it would change bits."""

import copy
import ctypes
import ctypes.util
import math
import threading

import numpy as np
import pytest

from engine import MassProperties, World, flight, forces, integrators, joints
from engine.integrators import Extrapolated, RungeKutta4, Substepped
from engine.loops.floating_point import is_other_mode, new_control
from engine.store import threads

from ..floating_point_modes import MODES, in_mode, needs_modes, set_mode
from ..helpers import ASYMMETRIC

pytestmark = needs_modes

METHODS = {
    **integrators.by_name,
    "extrapolated": lambda: Extrapolated(RungeKutta4()),
    "in three steps": lambda: Substepped(integrators.FreeRotor(), 3),
    "to a tolerance": lambda: Substepped(RungeKutta4(), tolerance=1e-9),
}


def two_bodies(method="rk4"):
    world = World(1 / 64, integrator=METHODS[method]())
    for number in range(2):
        world.add_body(
            MassProperties(1.5, ASYMMETRIC, (0.1, 0.2, -0.1)),
            position=(3.0 * number, 0.2, 0.1),
            velocity=(0.3, 1.0, -0.2),
            angular_velocity_body=(0.4, -1.2, 0.8),
        )
    return world


def with_spring(world):
    world.add_force(forces.Spring(*world.bodies, stiffness=2.0, rest_length=1.0))


def with_called_force(world):
    world.add_force(lambda wrench, bodies, time: None)


def with_wheel(world):
    wheel = flight.ReactionWheel(world.bodies[0], axis=(0, 0, 1), inertia=0.1, max_torque=1.0, max_speed=100.0)
    world.add_part(wheel).torque = 0.1


def with_wheel_and_called_force(world):
    with_wheel(world)
    with_called_force(world)


def with_tank(world):
    tank = flight.Tank(world.bodies[0], position=(0.1, 0.2, 0.3), propellant=2.0, specific_inertia=0.01 * np.eye(3))
    world.add_part(tank)
    engine = forces.Thruster(
        world.bodies[0], position=(0, 0.1, 0), direction=(1, 0, 0), max_force=2.0, specific_impulse=200.0, tank=tank
    )
    world.add_force(engine).throttle = 0.7


def with_joint(world):
    world.add_joint(joints.Ball(*world.bodies, at_body=(1.5, 0.0, 0.0)))


def with_joint_and_called_force(world):
    with_joint(world)
    with_called_force(world)


def assert_refused(world, mode):
    """A step in a mode is rejected with the cure, and leaves the world as one in which it was never tried."""
    untouched = copy.deepcopy(world) if not any(callable(force) for force in world.forces) else None
    before = world.state_hash()
    with in_mode(mode), pytest.raises(RuntimeError, match=r"floating-point mode .* torch\.set_flush_denormal\(False\)"):
        world.step(2)
    assert world.state_hash() == before
    assert world.tick_count == 3
    world.step(2)
    if untouched is not None:
        untouched.step(2)
        assert world.state_hash() == untouched.state_hash()


@pytest.mark.parametrize("mode", MODES)
def test_each_mode_is_found(mode):
    control = new_control(5, 8)
    assert not is_other_mode(control)
    with in_mode(mode):
        found = is_other_mode(control)
    assert found


@pytest.mark.parametrize("method", METHODS)
def test_every_method_rejects_other_modes_before_anything_moves(method):
    for mode in MODES:
        world = two_bodies(method)
        world.add_force(forces.LinearDrag(0.1))
        world.step(3)
        assert_refused(world, mode)


@pytest.mark.parametrize(
    "change",
    [with_spring, with_called_force, with_wheel, with_wheel_and_called_force, with_tank, with_joint],
    ids=lambda change: change.__name__,
)
@pytest.mark.parametrize("method", ["rk4", "free-rotor-2", "in three steps"])
def test_every_kind_of_tick_rejects_them(method, change):
    world = two_bodies(method)
    change(world)
    world.step(3)
    for mode in ("flush-to-zero", "round up"):
        other = two_bodies(method)
        change(other)
        other.step(3)
        assert_refused(other, mode)


@pytest.mark.filterwarnings("ignore:World. a Python force that sees all bodies")
def test_joints_beside_a_called_force_reject_them():
    world = two_bodies("free-rotor-2")
    with_joint_and_called_force(world)
    world.step(3)
    assert_refused(world, "denormals-are-zero")


def test_a_held_force_that_was_summed_in_such_a_mode_is_summed_anew():
    """A denormal thrust is zero in the mode and must not stay zero after it."""
    worlds = [two_bodies("semi-implicit-euler") for _ in range(2)]
    for world in worlds:
        thruster = world.add_force(
            forces.Thruster(world.bodies[0], position=(0, 0, 0), direction=(1, 0, 0), max_force=1e-310)
        )
        world.bodies[0].velocity = world.bodies[0].angular_velocity_body = (0.0, 0.0, 0.0)
        world.step(3)
        thruster.throttle = 0.5
    with in_mode("both"), pytest.raises(RuntimeError, match="floating-point mode"):
        worlds[0].step()
    for world in worlds:
        world.step(100)
    assert worlds[0].bodies[0].velocity[0] > 0.0
    assert worlds[0].state_hash() == worlds[1].state_hash()


def test_coasting_rejects_them():
    world = two_bodies()
    before = world.state_hash()
    with in_mode("round down"), pytest.raises(RuntimeError, match=r"World\.coast: the floating-point mode"):
        world.coast(100)
    assert world.state_hash() == before


def crowd(count):
    world = World(1 / 64, threads=2, integrator="semi-implicit-euler")
    spread = np.arange(3.0 * count).reshape(count, 3)
    world.add_bodies(MassProperties(1.5, ASYMMETRIC), spread, angular_velocity_body=np.sin(spread))
    world.add_force(forces.LinearDrag(400.0))  # down to denormal velocities
    return world


def test_with_two_threads_the_caller_in_such_a_mode_is_rejected_and_no_part_moves():
    world = crowd(2 * threads.FEWEST_BODIES)
    world.step()
    before = world.state_hash()
    for _ in range(5):
        with in_mode("both"), pytest.raises(RuntimeError, match="floating-point mode"):
            world.step(2)
        assert world.state_hash() == before
        assert world.tick_count == 1


def test_a_helping_thread_in_such_a_mode_changes_no_bits():
    """It leaves its part to the thread that called `step`."""
    worlds = [crowd(2 * threads.FEWEST_BODIES) for _ in range(2)]
    for world in worlds:
        world.step()
    met = threading.Event()

    def spoil():
        set_mode(MODES["both"])
        met.set()

    threads._helpers.offer([spoil])
    assert met.wait(60)
    try:
        worlds[0].step(2)
    finally:
        met.clear()
        threads._helpers.offer([lambda: (set_mode(0), met.set())])
        assert met.wait(60)
    worlds[1].step(2)
    assert worlds[0].state_hash() == worlds[1].state_hash()


def test_the_cure_in_the_message_helps():
    """`fesetenv(FE_DFL_ENV)`, which is −1 in the C library of GNU."""
    name = ctypes.util.find_library("m")
    if name != "libm.so.6":
        pytest.skip("the value of FE_DFL_ENV is known for the C library of GNU only")
    library = ctypes.CDLL(name)
    world = two_bodies()
    with in_mode("both"):
        with pytest.raises(RuntimeError, match=r"fesetenv\(FE_DFL_ENV\)"):
            world.step()
        library.fesetenv(ctypes.c_void_p(-1))
        world.step()
    assert world.tick_count == 1


def test_the_modes_would_change_bits():
    """Otherwise nothing above would matter: a denormal product is zero in the mode."""
    tiny = 1e-300
    with in_mode("both"):
        flushed = tiny * 1e-15
    assert flushed == 0.0 < tiny * 1e-15
    with in_mode("round up"):
        third = 1.0 / 3.0 * tiny / tiny
    assert math.isclose(third, 1.0 / 3.0)
