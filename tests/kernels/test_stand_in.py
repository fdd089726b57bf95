"""While a loop is compiled in the background, plain Python takes the ticks of a small world, to the same bits."""

import numpy as np
import pytest

from engine import MassProperties, NonFiniteStateError, Snapshot, World, flight, forces, joints
from engine.compilation import background, choice, compiler
from engine.compilation.choice import StandIn
from engine.compilation.compiler import COMPILED, has_address, kernel
from engine.compilation.identity import functions_of
from engine.compilation.packed import declared
from engine.constraints.calls import LEAVES
from engine.kernels.free_rotor import free_rotor
from engine.loops.undo import undo
from engine.tick.island_kernels import kernels_of_islands

pytestmark = pytest.mark.skipif(not COMPILED, reason="numba is missing or switched off: there is nothing to wait for")


def a_world(compilation="background"):
    world = World(1 / 60, compilation=compilation)
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
    for look in ("can_run", "is_loaded"):
        monkeypatch.setattr(choice, look, lambda function, types: False)
    monkeypatch.setattr(choice, "_missing", {})
    monkeypatch.setattr(choice, "runs_frames", False)
    monkeypatch.setattr(choice, "policy", choice.Policy("background"))
    monkeypatch.setattr("engine.world.perf_counter", lambda: 0.0)  # every tick fits into its frame
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
    assert any("driven" in name for name in nothing_arrives)
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
    assert {"move-islands", "island-bounded", "joint-rows"} <= set(nothing_is_compiled)
    monkeypatch.undo()
    expected, expected_energy = couple(a_world(), frame)
    assert world.state_hash() == expected.state_hash()
    assert energy == expected_energy != 0.0


def test_the_first_joint_between_two_steps_waits_for_no_compiler(nothing_arrives, monkeypatch):
    world = a_world()
    world.step()
    calls = choice.calls_in_python()
    world.add_joint(joints.Ball(*world.bodies[:2], at_body=(2.0, 0, 0)))
    assert choice.calls_in_python() == calls + 1
    assert nothing_arrives[-1] == "joint-rows"


@pytest.mark.filterwarnings("ignore:World. a Python force")
@pytest.mark.parametrize(
    "arrived", ["island-positions", "island-velocities", "island-kick", "islands-step", "island-move"]
)
def test_a_kernel_that_arrives_before_those_that_it_calls_is_not_called_yet(nothing_arrives, monkeypatch, arrived):
    """It would call a plain function as if it were compiled, which crashed the process."""
    can_run = compiler.can_run

    def has_arrived(function, types):
        return function.py_func.__qualname__ == arrived and can_run(function, types)

    for look in ("can_run", "is_loaded"):
        monkeypatch.setattr(choice, look, has_arrived)
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
    monkeypatch.setattr(choice, "MOST_IN_PYTHON", 64)

    def fly(world):
        world.add_bodies(MassProperties.sphere(1.0, 1.0), position=np.arange(600.0).reshape(200, 3))
        world.step()
        world.add_joint(joints.Ball(*world.bodies[:2], at_body=(2.0, 0, 0)))
        world.step(3)
        return world

    world = fly(a_world())
    _joints_kept, move, islands = world._plan._program.operations
    assert has_address(move.function)
    assert isinstance(islands.function, StandIn)
    assert islands.function.compiled().py_func.__qualname__ == "move-islands"
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
    assert "blended-poses" in nothing_arrives
    for name in ("passes-free_rotor-gyro", "field-point_gravity"):
        assert next(asked for asked in nothing_arrives if asked.startswith(f"{name}-")) == f"{name}-0"


@pytest.mark.parametrize(("compilation", "has_frames"), [("auto", False), ("wait", False), ("wait", True)])
def test_a_world_that_waits_compiles_what_its_first_tick_calls(nothing_is_compiled, compilation, has_frames):
    world = a_world(compilation)
    choice.runs_frames = has_frames
    with pytest.raises(AssertionError, match="was compiled in the middle"):
        world.step()
    assert nothing_is_compiled == []


def test_a_world_that_only_steps_waits_for_actuators_too(nothing_is_compiled):
    """Plain Python stood in for them before, and the program ended before they were compiled."""
    world = a_world("background")
    wheel = flight.ReactionWheel(world.bodies[0], axis=(1, 1, 0), inertia=0.5, max_torque=1.0, max_speed=100.0)
    world.add_part(wheel)
    world.step(2)
    world.compilation = "auto"
    nothing_is_compiled.clear()
    with pytest.raises(AssertionError, match="was compiled in the middle"):
        world.step()
    assert nothing_is_compiled == []
    world.compilation = "background"
    world.step()
    assert world.tick_count == 3


def test_a_frame_runs_only_the_slow_ticks_that_fit_into_it(nothing_arrives, monkeypatch, caplog):
    """A tick in plain Python takes 6 ms here, so that two fit into 1/60 s; the clock drops the others, and says so once."""
    monkeypatch.setattr(choice, "_has_logged", False)
    monkeypatch.setattr(background, "pending", lambda: 1)
    now = iter(np.arange(0.0, 10.0, 0.006))
    monkeypatch.setattr("engine.world.perf_counter", lambda: next(now))
    world = a_world()
    assert world.advance(8 / 60) == 2
    assert world.dropped_time == 6 / 60
    assert world.advance(1 / 60) == 1
    assert world.advance(3 / 60) == 2
    assert caplog.text.count("kernels are compiled in the background, only once on this machine (1 left)") == 1


def test_a_frame_of_one_slow_tick_runs_it(nothing_arrives, monkeypatch):
    monkeypatch.setattr(background, "pending", lambda: 1)
    now = iter(np.arange(0.0, 10.0, 0.4))
    monkeypatch.setattr("engine.world.perf_counter", lambda: next(now))
    world = a_world()
    assert world.advance(8 / 60) == 1
    world.max_ticks_per_frame = 2
    assert world.advance(8 / 60) == 1


def test_a_frame_of_compiled_ticks_runs_them_all_however_long_it_takes(monkeypatch):
    now = iter(np.arange(0.0, 100.0, 0.4))
    monkeypatch.setattr("engine.world.perf_counter", lambda: next(now))
    world = a_world()
    world.step()
    world.on_tick(lambda world: None)
    assert world.advance(8 / 60) == 8


def test_how_kernels_are_compiled_is_no_content(nothing_arrives):
    worlds = [a_world(mode) for mode in ("auto", "wait", "background")]
    assert len({world.state_hash() for world in worlds}) == 1
    assert len({world.snapshot().to_bytes() for world in worlds}) == 1
    assert worlds[1].fork().compilation == "wait"
    worlds[1].restore(Snapshot.from_bytes(worlds[2].snapshot().to_bytes()), adopt=True)
    assert worlds[1].compilation == "wait"
    with pytest.raises(ValueError, match=r"World: compilation must be .*'auto', 'wait'.*got 'never'"):
        worlds[0].compilation = "never"


def test_a_changed_way_of_compiling_is_undone_with_the_tick(nothing_arrives):
    world = a_world()

    @world.on_tick
    def fail(world):
        world.compilation = "wait"
        raise OverflowError

    with pytest.raises(OverflowError):
        world.step()
    assert world.compilation == "background"
    assert not world._stages.policy.waits


def test_missing_kernels_are_named_until_they_have_arrived(monkeypatch):
    workshop = background._Workshop()
    workshop.is_usable = True
    monkeypatch.setattr(background, "_workshop", workshop)
    monkeypatch.setattr(workshop, "_wake", lambda threads=1: None)
    wanted = declared(undo)
    choice.ask([wanted])
    world = a_world()
    assert world.missing_kernels == ("undo-tick",)
    workshop._answer(workshop._urgent.popleft(), workshop._urgent)
    assert world.missing_kernels == ()
    with pytest.raises(AttributeError, match="prepare"):
        world.missing_kernels = ()


@kernel("inverse-of-number")
def inverse(numbers):
    """A kernel that only this test calls; plain Python raises where compiled code gives infinity."""
    numbers[0] = 1.0 / float(numbers[0])
    return 7


def test_what_python_calls_in_a_program_with_frames_waits_for_no_compiler(nothing_arrives):
    numbers = np.array([4.0])
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
    assert {
        "compose",
        "sum-wheels",
        "begin-driven",
        "end-driven",
        "undo-driven",
        "run-program",
    } <= set(names)
    world.step()
    assert world._plan.choose().func is not None
