"""While a loop is compiled in the background, plain Python takes the ticks of a small world, to the same bits."""

import numpy as np
import pytest

from engine import MassProperties, NonFiniteStateError, World, flight, forces, joints
from engine.compilation import background, choice, compiler
from engine.compilation.choice import StandIn
from engine.compilation.compiler import COMPILED, kernel
from engine.compilation.identity import functions_of
from engine.constraints import fit
from engine.constraints.stages import LEAVES
from engine.kernels.free_rotor import free_rotor
from engine.tick.joints import kernels_of_islands

pytestmark = pytest.mark.skipif(not COMPILED, reason="numba is missing or switched off: there is nothing to wait for")


def a_world():
    world = World(1 / 60)
    for place in range(3):
        world.add_body(
            MassProperties.box(100.0, (1, 1.5, 2)),
            position=(5.0 * place, 0, 0),
            angular_velocity_body=(0.1, 0.2, 0.3 * place),
        )
    world.add_force(forces.UniformGravity((0, 0, -1.0)))
    return world


def change(world):
    """Everything that needs other loops than a world with gravity alone."""
    first, second, _ = world.bodies
    world.step()
    world.add_force(forces.LinearDrag(0.1))
    world.step(2)
    world.add_force(forces.Spring(first, second, stiffness=3.0, damping=0.1))
    world.step(2)
    wheel = world.add_part(flight.ReactionWheel(first, axis=(1, 1, 0), inertia=0.5, max_torque=1.0, max_speed=100.0))
    wheel.torque = 0.5
    world.step(2)
    jet = world.add_force(forces.Thruster(second, position=(0, 0, 1), direction=(1, 0, 0), max_force=3.0))
    jet.fire(0.04, delay=0.005)
    world.step(3)
    world.integrator = "rk4"
    world.step(2)
    world.game_mode = True
    world.step(2)
    return world


@pytest.fixture
def nothing_arrives(monkeypatch):
    """A background that promises every kernel and delivers none; those that were compiled before count as missing."""
    asked = []

    def ask(loops, urgent=True):
        asked.extend(loop.name for loop in loops)
        return True

    monkeypatch.setattr(choice, "ask", ask)
    monkeypatch.setattr("engine.tick.actuators.ask", ask)
    monkeypatch.setattr(choice, "can_run", lambda function, types: False)
    monkeypatch.setattr(choice, "_missing", {})
    monkeypatch.setattr(choice, "runs_frames", False)
    assert background.pending() == 0
    return asked


@pytest.fixture
def nothing_is_compiled(monkeypatch, nothing_arrives):
    """An error wherever a kernel would be compiled or loaded; kernels that other tests have called are forgotten."""

    def refuse(function, types):
        raise AssertionError(f"{function.py_func.__qualname__} was compiled in the middle of the game")

    for module in ("compiler", "choice"):
        monkeypatch.setattr(f"engine.compilation.{module}.compile_for", refuse)
    return nothing_arrives


def test_a_change_of_a_small_world_waits_for_no_compiler_and_changes_no_bit(nothing_arrives, monkeypatch):
    world = change(a_world())
    assert any("drive" in name for name in nothing_arrives)
    monkeypatch.undo()
    assert world.state_hash() == change(a_world()).state_hash()


def couple(world, step):
    """Joints of all that islands do: rows with and without bounds, closing springs, latches, another method, Python forces, removal."""
    first, second, third = world.bodies
    second.angular_velocity_body = third.angular_velocity_body = (0, 0, 0)
    third.velocity = (0.02, 0.01, 0)
    latch = world.add_joint(
        joints.Latch(
            *(second, third),
            port=joints.Port((2.5, 0, 0), (1, 0, 0), (0, 1, 0)),
            other_port=joints.Port((-2.5, 0, 0), (-1, 0, 0), (0, 1, 0)),
            capture=joints.Capture(distance=1, angle=1, lateral=1, speed=10, rate=10),
            soft=(1.0, 1.0),
            retract_time=1.0,
        )
    )
    step(world)
    hinge = world.add_joint(
        joints.Hinge(first, second, at_body=(2.0, 0, 0), axis_body=(0, 0, 1), limits=(-0.5, 0.5), friction=0.1)
    )
    step(world)
    world.add_force(forces.Spring(first, third, stiffness=3.0, damping=0.1))
    world.add_force(forces.LinearDrag(0.1))
    world.integrator = "free-rotor-4"
    step(world)
    world.remove_joint(hinge)
    step(world)
    world.add_force(lambda wrench, bodies, time: wrench.force_world.__setitem__((0, 0), 1.0))
    step(world)
    assert latch.state == "hard"
    return world, latch.closing_energy


@pytest.mark.filterwarnings("ignore:World. a Python force")
def test_joints_of_a_running_world_wait_for_no_compiler_and_change_no_bit(nothing_is_compiled, monkeypatch):
    def frame(world):
        world.advance(2 / 60)

    world, energy = couple(a_world(), frame)
    assert {"linked-ticks", "island-bounded", "joint-rows"} <= set(nothing_is_compiled)
    monkeypatch.undo()
    expected, expected_energy = couple(a_world(), frame)
    assert world.state_hash() == expected.state_hash()
    assert energy == expected_energy != 0.0


def test_the_first_joint_between_two_steps_waits_for_no_compiler(nothing_arrives, monkeypatch):
    looked = []
    monkeypatch.setattr(fit, "StandIn", lambda loop: looked.append(loop.name) or StandIn(loop))
    world = a_world()
    world.step()
    world.add_joint(joints.Ball(*world.bodies[:2], at_body=(2.0, 0, 0)))
    assert looked == ["joint-rows"]


@pytest.mark.filterwarnings("ignore:World. a Python force")
@pytest.mark.parametrize(
    "arrived", ["island-positions", "island-velocities", "island-kick", "islands-step", "island-move"]
)
def test_a_kernel_that_arrives_before_those_that_it_calls_is_not_called_yet(nothing_arrives, monkeypatch, arrived):
    """It would call a plain function as if it were compiled, which crashed the process."""
    can_run = compiler.can_run
    monkeypatch.setattr(
        choice, "can_run", lambda function, types: function.py_func.__qualname__ == arrived and can_run(function, types)
    )
    world, energy = couple(a_world(), World.step)
    monkeypatch.undo()
    expected, expected_energy = couple(a_world(), World.step)
    assert world.state_hash() == expected.state_hash()
    assert energy == expected_energy != 0.0


def test_the_kernels_of_islands_that_call_no_other_are_named():
    kernels = kernels_of_islands(free_rotor, True)
    calling = [any("call" in each.__code__.co_names for each in functions_of(loop.function)) for loop in kernels]
    assert {place for place, calls in enumerate(calling) if not calls} == LEAVES


def test_a_joint_in_a_large_world_waits_for_no_compiler(nothing_arrives, monkeypatch):
    """Plain Python moves the bodies on joints only; the loop of the world is compiled."""

    def fly(world):
        world.add_bodies(MassProperties.sphere(1.0, 1.0), position=np.arange(600.0).reshape(200, 3))
        world.step()
        world.add_joint(joints.Ball(*world.bodies[:2], at_body=(2.0, 0, 0)))
        world.step(3)
        return world

    world = fly(a_world())
    assert isinstance(world._plan.choose().func, StandIn)
    assert world._plan.choose().func.compiled().py_func.__qualname__ == "linked-ticks"
    monkeypatch.undo()
    assert world.state_hash() == fly(a_world()).state_hash()


def test_the_first_frame_waits_for_no_compiler(nothing_is_compiled, monkeypatch):
    world = a_world()
    world.advance(3 / 60)
    assert any("strang" in name for name in nothing_is_compiled)
    assert "gather-held" in nothing_is_compiled
    monkeypatch.undo()
    expected = a_world()
    expected.advance(3 / 60)
    assert world.state_hash() == expected.state_hash()


def test_the_general_loops_come_first_because_they_serve_a_world_that_grows_too(nothing_arrives, monkeypatch):
    monkeypatch.setattr(background, "is_usable", lambda: True)
    world = a_world()
    world.add_force(forces.PointGravity(1e5, (0, 0, 100.0)))
    world.advance(1 / 60)
    world.interpolated_poses()
    for name in ("passes-free_rotor-gyro", "field-point_gravity", "blended-poses"):
        assert next(asked for asked in nothing_arrives if asked.startswith(f"{name}-")) == f"{name}-0"


def test_the_first_tick_outside_a_frame_waits_because_many_will_follow(nothing_is_compiled):
    with pytest.raises(AssertionError, match="was compiled in the middle"):
        a_world().step()


@kernel("inverse-of-number")
def inverse(numbers):
    """A kernel that only this test calls; plain Python raises where compiled code gives infinity."""
    numbers[0] = 1.0 / float(numbers[0])
    return 7


def test_what_python_calls_in_a_program_with_frames_waits_for_no_compiler(nothing_arrives):
    numbers = np.array([4.0])
    choice.runs_frames = True
    assert inverse(numbers) == 7
    assert numbers[0] == 0.25
    assert nothing_arrives == ["inverse-of-number"]
    assert not inverse.overloads
    numbers[0] = 0.0
    assert inverse(numbers) == 7
    assert numbers[0] == float("inf")
    assert inverse.overloads


def test_a_hold_sensors_and_poses_in_a_game_wait_for_no_compiler(nothing_is_compiled, monkeypatch):
    def fly():
        world = a_world()
        world.advance(1 / 60)
        ship = world.bodies[0]
        jets = [
            world.add_force(forces.Thruster(ship, position=point, direction=direction, max_force=10.0))
            for point in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
            for direction in ((0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -1, 0), (1, 0, 0), (-1, 0, 0))
        ]
        flight.AttitudeHold(ship, jets)
        gyro = world.add_part(flight.Gyro(ship, noise_density=1e-3, seed=1))
        tracker = world.add_part(flight.StarTracker(ship, boresight_body=(0, 0, 1), noise=(1e-4, 1e-3), seed=2))
        late = world.add_part(flight.StarTracker(ship, boresight_body=(1, 0, 0), noise=(1e-4, 1e-3), delay=2, seed=3))
        filtered = world.add_part(flight.AttitudeFilter(gyro, [tracker, late]))
        world.advance(6 / 60)
        poses = [ship.interpolated_pose(0.3), world.state.interpolated_poses(0.3)]
        return world.state_hash(), filtered.orientation.tobytes(), [part.tobytes() for pose in poses for part in pose]

    found = fly()
    monkeypatch.undo()
    assert found == fly()


@pytest.mark.parametrize("has_joint", [False, True])
def test_where_plain_python_overflows_the_kernels_take_over_with_all_that_they_call(nothing_arrives, has_joint):
    """Addresses of plain functions that reached compiled code crashed the process."""
    world = a_world()
    world.step()
    if has_joint:
        world.add_joint(joints.Ball(*world.bodies[:2], at_body=(2.0, 0, 0)))
    for _ in range(2):  # two of one kind act in passes, which call the kernel of the kind
        world.add_force(forces.PointGravity(1e5, (0, 0, 100.0)))
    world.step()
    world.bodies[2].angular_velocity_body = (1e200, 1e200, 1e200)
    before = world.state_hash()
    with pytest.raises(NonFiniteStateError, match="body 2"):
        world.step()
    assert world.state_hash() == before
    world.bodies[2].angular_velocity_body = (0.1, 0.2, 0.6)
    world.step()
    assert world.tick_count == 3


def test_what_overflows_in_plain_python_is_refused_as_ever(nothing_arrives):
    world = a_world()
    world.step()
    world.integrator = "free-rotor-4"
    world.bodies[1].angular_velocity_body = (1e200, 1e200, 1e200)
    before = world.state_hash()
    with pytest.raises(NonFiniteStateError, match="body 1"):
        world.step()
    assert world.state_hash() == before


def test_a_prepared_world_with_actuators_has_all_its_kernels():
    world = a_world()
    world.add_part(flight.ReactionWheel(world.bodies[0], axis=(1, 1, 0), inertia=0.5, max_torque=1.0, max_speed=100.0))
    names = []
    world.prepare(progress=lambda done, total, name: names.append(name))
    assert {"drive", "settle", "undo-drive", "compose", "sum-wheels", "fly"} <= set(names)
    world.step()
    run = world._plan.choose()
    assert "_one_by_one" not in repr(run)
