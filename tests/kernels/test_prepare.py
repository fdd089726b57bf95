"""Kernels are ready before they are needed: `World.prepare`, the loops that stand in, and compilation in another process."""

import importlib
import importlib.machinery
import inspect
import io
import logging
import os
import pickle
import platform
import re
import struct
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import numpy as np
import pytest

from engine import MassProperties, World, forces, integrators, shapes
from engine.__main__ import main
from engine.compilation import background, choice, compiler, kernel_files
from engine.compilation.choice import named
from engine.compilation.compiler import COMPILED, without_dispatch
from engine.compilation.durations import expected_seconds
from engine.compilation.locks import Slot
from engine.compilation.packed import Packed, declared, example
from engine.constraints import fit
from engine.flight import Gyro, ReactionWheel
from engine.forces import valves
from engine.joints import Ball
from engine.loops import program
from engine.loops.undo import Undone, undo
from engine.store import table
from engine.tick.island_kernels import kernels_of_islands

from ..helpers import PATIENCE, skew_tensor
from ..lengths import long_run, sized

ROOT = Path(__file__).parents[2]
SHAPE = MassProperties(2.0, skew_tensor((1.0, 2.0, 2.5)), (0.1, -0.2, 0.3))
needs_numba = pytest.mark.skipif(not COMPILED, reason="nothing is compiled: numba is missing or switched off")


@pytest.fixture(autouse=True)
def notes_of_its_own(monkeypatch, tmp_path):
    """What these tests request in vain is not what the next run of the tests is to begin with."""
    monkeypatch.setattr(background.compiler, "engine_folders", lambda: (tmp_path,))


def game(bodies=5, **options):
    """Bodies apart from one another that nothing acts on."""
    world = World(1 / 64, **options)
    positions = np.arange(3.0 * bodies).reshape(bodies, 3) + 3.0
    world.add_bodies(SHAPE, positions, velocity=(0.1, -0.2, 0.3), angular_velocity_body=(0.3, 2.0, -0.4))
    return world


@forces.compiled(parameters=("coefficient",))
def OwnBrake(body, time, coefficient):
    """A field of a user's own, in a module that another process can import."""
    x, y, z = body.angular_velocity_body
    return (0.0, 0.0, 0.0), (-coefficient * x, -coefficient * y, -coefficient * z)


CHANGES = {
    "gravity": lambda world: world.add_force(forces.PointGravity(0.5)),
    "drag": lambda world: world.add_force(forces.LinearDrag(0.05)),
    "another gravity": lambda world: world.add_force(forces.PointGravity(0.25, center=(1.0, -3.0, 2.0))),
    "spring": lambda world: world.add_force(forces.Spring(*world.bodies[:2], stiffness=0.7, damping=0.1)),
    "called force": lambda world: world.add_force(lambda wrench, bodies, time: None),
    "own field": lambda world: world.add_force(OwnBrake(0.02)),
    "thruster": lambda world: setattr(
        world.add_force(forces.Thruster(world.bodies[0], position=(0, 1, 0), direction=(1, 0, 0), max_force=1.0)),
        "throttle",
        0.5,
    ),
}
"""What a game does to its world in flight."""


def compilations(caplog):
    return [record.getMessage() for record in caplog.records if "compiled kernel" in record.getMessage()]


# World.prepare


@needs_numba
def test_a_prepared_world_compiles_nothing_in_flight(caplog, monkeypatch):
    """Nor does it wait for a kernel from the disk, by which the test also fails where all kernels are kept there."""
    world = game()
    fields = [forces.PointGravity, forces.LinearDrag, OwnBrake]
    world.prepare(integrators=["rk4", "free-rotor-2"], forces=fields, capacity=300)
    world.step()
    load, loaded = compiler._KernelCache.load_overload, []

    def noted(cache, *arguments):
        if cache.compiles:  # else nobody waits for it
            loaded.append(cache._name)
        return load(cache, *arguments)

    monkeypatch.setattr(compiler._KernelCache, "load_overload", noted)
    with caplog.at_level(logging.INFO, logger="polhode"):
        for method in ("free-rotor-2", "rk4"):
            world.integrator = method
            for change in CHANGES.values():
                change(world)
                world.step(2)
                world.interpolated_poses()
                world.bodies[0].interpolated_pose()
        for number in range(300):
            world.add_body(SHAPE, position=(5.0 * number, -9.0, 7.0))
        world.step(2)
        world.interpolated_poses()
    assert not loaded and not compilations(caplog), loaded


@needs_numba
def test_the_loop_with_the_fields_compiled_in_is_taken_once_it_is_prepared():
    world = game()
    for name in ("gravity", "drag"):
        CHANGES[name](world)
    world.prepare()
    world.step()
    assert "point_gravity-linear_drag" in world._stages.run.func.__name__


@needs_numba
def test_pulses_are_prepared_where_a_thruster_will_fire(caplog):
    world = game()
    CHANGES["thruster"](world)
    thruster = world.forces[0]
    thruster.throttle = 0.0
    world.prepare(pulses=True)
    with caplog.at_level(logging.INFO, logger="polhode"):
        thruster.fire(0.05)
        world.step(10)
    assert thruster.impulse > 0.04
    assert compilations(caplog) == []


NEVER_LINKED = (
    "point-rows",
    "point-matrix",
    "island-cones",
    "island-sweeps",
    "island-point-positions",
    "island-point-velocities",
    "follow-inertia",
)
"""Kernels that are not compiled for islands without contacts and without motors that follow an inertia."""


@pytest.mark.parametrize("has_wheel", [False, True])
@pytest.mark.parametrize("method", ["free-rotor-2", "rk4"])
def test_the_kernels_of_joints_are_prepared(method, has_wheel, monkeypatch):
    world, prepared, asked = game(), [], []

    def recorded(make):
        def made(*arguments):
            asked.append(make(*arguments))
            return asked[-1]

        return made

    world.add_joint(Ball(*world.bodies[:2], at_body=(1.0, 0.5, 0.0)))
    CHANGES["gravity"](world)
    if has_wheel:
        world.add_part(ReactionWheel(world.bodies[2], axis=(1, 0, 0), inertia=0.02, max_torque=1.0, max_speed=50.0))
    monkeypatch.setattr("engine.world.compile_all", lambda loops, progress: prepared.extend(loops))
    world.prepare(integrators=[method])
    for kept in (declared, kernels_of_islands):
        kept.cache_clear()
    for place in ("compilation.packed", "tick.island_kernels", "tick.actuators"):
        monkeypatch.setattr(f"engine.{place}.named", recorded(named))
    monkeypatch.setattr("engine.loops.program.named", recorded(named))
    chosen = recorded(named)
    monkeypatch.setattr("engine.tick.plan.without_dispatch", lambda *call: chosen(*call) and without_dispatch(*call))
    world.integrator = method
    world.step(2)
    assert has_wheel == any(loop.name == "begin-driven" for loop in asked)
    known = {loop.wanted for loop in prepared}
    assert {loop.name for loop in asked} >= {"islands-open", "move-islands", "run-program", "move", "undo-tick"}
    missing = [loop.name for loop in asked if loop.wanted not in known]
    assert [name for name in missing if name not in NEVER_LINKED] == []


def crate_on_the_ground(**options):
    """A box that touches a plane, and a free body above it."""
    world = World(1 / 60, **options)
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    world.add_shape(shapes.Plane((0, 0, 1)))
    for height in (0.5, 9.0):
        body = world.add_body(MassProperties.box(2.0, (1, 1, 1)), position=(0.0, 0.0, height))
        body.add_shape(shapes.Box((1, 1, 1)))
    return world


OF_JOINTS = {"joint-rows", "island-positions", "island-velocities", "island-bounded", "joint-bounds", "island-correct"}
"""Kernels that a quarter of the time to compile a world with contacts went into, which it calls only if it has joints as well."""


def test_a_world_with_contacts_needs_the_kernels_of_joints_once_it_has_joints(monkeypatch):
    """They are neither linked nor prepared before; a joint that is added holds, and Python forces at stages find them."""
    world, linked, names = crate_on_the_ground(), [], []
    monkeypatch.setattr("engine.tick.island_kernels.compile_together", linked.append)
    world.step(2)
    (first,) = ({loop.name for loop in loops} for loops in linked)
    assert {"find-contacts", "point-rows", "island-cones", "island-prepare"} <= first and not first & OF_JOINTS
    monkeypatch.setattr("engine.world.compile_all", lambda loops, progress: names.extend(loop.name for loop in loops))
    world.prepare()
    assert first - set(names) == set() == OF_JOINTS & set(names)
    crate, other = world.bodies
    world.add_joint(Ball(crate, other, at_body=(0.0, 0.0, other.position[2] - crate.position[2])))
    world.step(3)
    assert OF_JOINTS <= {loop.name for loop in linked[-1]}
    # the body above falls no further, because the joint rests on the crate
    assert other.position[2] - crate.position[2] == pytest.approx(8.5 - 4.905 * 6 / 3600, abs=1e-2)
    assert abs(crate.velocity[2] - other.velocity[2]) < 1e-9
    names.clear()
    world.prepare()
    assert OF_JOINTS <= set(names)

    # all bodies are islands, also those that touch nothing
    class AtStages(forces.Force):
        evaluate = "stage"

        def apply(self, wrench, bodies, time):
            pass

    staged = crate_on_the_ground()
    staged.add_force(AtStages())
    names.clear()
    staged.prepare()
    assert OF_JOINTS <= set(names)
    with pytest.warns(UserWarning, match="Python force"):
        staged.step(3)
    assert staged.bodies[1].position[2] == pytest.approx(9.0 - 4.905 / 400, abs=1e-12)


def test_a_world_that_waits_has_other_processes_compile_too(monkeypatch):
    """Each kernel is loaded once; what another process compiles is left to it until it is there. A short one needs no other process."""
    shared, made, others = [], [], {"two": 2}
    monkeypatch.setattr(background, "is_usable", lambda: True)
    monkeypatch.setattr(background, "cores", lambda: 3)
    monkeypatch.setattr(background, "share", lambda wanted, processes: shared.append((list(wanted), processes)))
    monkeypatch.setattr(choice, "sleep", lambda seconds: None)
    monkeypatch.setattr(
        choice, "expected_seconds", {"one": 4.0, "two": 4.0, "three": 4.0, "short": 4.0, "trivial": 0.5}.get
    )

    def loop(name, can_run):
        def compile_unless_taken():
            others[name] = others.get(name, 0) - 1
            is_here = others[name] < 0
            made.extend([name] * is_here)
            return is_here

        return types.SimpleNamespace(name=name, can_run=can_run, wanted=name, compile_unless_taken=compile_unless_taken)

    noted = []
    loops = [loop("one", False), loop("known", True), loop("two", False), loop("three", False)]
    choice.compile_together(loops, lambda done, name: noted.append((done, name)))
    assert sorted(made) == ["one", "three", "two"] and made[-1] == "two"
    assert shared == [(["one", "two", "three"], 2), ([], 0)]
    assert [done for done, _name in noted] == [0, 1, 2, 3]
    shared.clear()
    choice.compile_together([loop("known", True)])
    choice.compile_together([loop("known", True), loop("short", False), loop("trivial", False)])
    assert shared == []


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="this system has no niceness")
def test_the_processor_is_for_the_simulation_before_its_compiler():
    """The compiler process has a niceness of 5. With 10, no kernel at all was compiled in 84 s on a busy machine."""
    process = background._launch()
    try:
        process.stdin.write(struct.pack("<Q", 1) + b"?")  # it answers that this is no request
        process.stdin.flush()
        assert background._read(process.stdout) is not None
        own = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == min(own + 5, 19)
    finally:
        process.stdin.close()
        process.wait(PATIENCE)
        process.stdout.close()


@pytest.fixture
def prepared(monkeypatch):
    """The names of the kernels that would be compiled, if another process compiled what comes later."""
    names = []
    monkeypatch.setattr("engine.world.compile_all", lambda loops, progress: names.extend(loop.name for loop in loops))
    monkeypatch.setattr(background, "comes_later", lambda: True)
    return names


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("joints", {"move-islands", "joint-rows", "island-move"}),
        (
            "wheels",
            {
                "begin-driven",
                "end-driven",
                "run-program",
                "passes-free_rotor-stored-gyro-0",
            },
        ),
        ("pulses", {"begin-driven", "end-driven", "run-program"}),
        ("game_mode", {"passes-runge_kutta_4-game-0", "passes-runge_kutta_4-gyro-0"}),
    ],
)
def test_what_is_to_come_is_prepared(argument, expected, prepared):
    """Joints, wheels and pulses cost frames of 50 ms and more, because `prepare` could not be told of them."""
    world = game(integrator="rk4" if argument == "game_mode" else "free-rotor-2")
    world.prepare()
    expected = {name.replace("runge_kutta_4", _method_in(prepared)) for name in expected}
    assert not expected <= set(prepared)
    prepared.clear()
    world.prepare(**{argument: True})
    assert expected <= set(prepared)


@pytest.mark.parametrize("what", ["nothing", "pulse", "sensor"])
def test_the_kernels_of_pulses_are_not_prepared_for_a_thruster_that_is_only_throttled(what, prepared):
    """They took half of the time of preparing a world with one throttled thruster."""
    world = game()
    CHANGES["thruster"](world)
    if what == "pulse":
        world.forces[0].throttle = 0.0
        world.forces[0].fire(0.05)
    elif what == "sensor":
        world.add_part(Gyro(world.bodies[0], seed=1))
    world.prepare()
    assert ("begin-driven" in prepared) == (what != "nothing")


def _method_in(names):
    return next(name for name in names if name.startswith("passes-")).split("-")[1]


@needs_numba
def test_one_loop_for_any_pitch_serves_where_no_force_needs_passes(prepared):
    """A loop for each pitch took a quarter of the time of preparing, and nothing called it."""
    world = game()
    CHANGES["gravity"](world)
    world.prepare(capacity=3000)
    assert [name for name in prepared if name.startswith(("passes-", "field-"))] == [
        "passes-free_rotor-gyro-0",
        "field-point_gravity-0",
    ]
    assert [name for name in prepared if name.startswith("strang-")] == ["strang-free_rotor-gyro-3080-point_gravity"]
    CHANGES["spring"](world)
    prepared.clear()
    world.prepare()
    assert "passes-free_rotor-gyro-3080" in prepared


def test_loops_are_prepared_for_what_a_world_will_be_and_not_for_what_it_is_now(prepared):
    """Those for fewer bodies and for bodies without wheels were compiled as well: of 96 kernels, 40."""
    world = game()
    world.prepare(capacity=300, wheels=True)
    own = [name for name in prepared if "free_rotor" in name]
    assert own == ["strang-free_rotor-stored-gyro-1032", "passes-free_rotor-stored-gyro-0"]
    before = world._store.layout_version, world._bodies.pitch
    world.add_bodies(SHAPE, np.arange(885.0).reshape(295, 3))
    wheel = ReactionWheel(world.bodies[2], axis=(1, 0, 0), inertia=0.02, max_torque=1.0, max_speed=50.0)
    world.add_part(wheel)
    world.step()
    world.remove_part(wheel)
    world.step()
    assert (world._bodies.stores_momentum, world._bodies.pitch) == (True, before[1])


@pytest.mark.parametrize("way", ["fork", "pickle"])
def test_a_copy_of_a_prepared_world_runs_with_what_was_prepared(way, prepared):
    """Before, it had the loops for few bodies without wheels, and waited for each that was not compiled."""
    world = game()
    unprepared = world.fork()
    assert not unprepared._stages.policy.is_prepared
    world.prepare(capacity=300, wheels=True)
    world.step()
    copy = world.fork() if way == "fork" else pickle.loads(pickle.dumps(world))
    again = copy.fork()
    for each in (world, copy, again):
        bodies = each._bodies
        assert (bodies.pitch, bodies.stores_momentum, each._stages.policy.is_prepared) == (1032, True, True)
        each.step(3)
    assert world.state_hash() == copy.state_hash() == again.state_hash()
    wheel = copy.add_part(ReactionWheel(copy.bodies[2], axis=(1, 0, 0), inertia=0.02, max_torque=1.0, max_speed=50.0))
    copy.step()
    copy.remove_part(wheel)
    copy.step()
    assert copy._bodies.stores_momentum


@pytest.mark.parametrize("game_mode", [False, True])
@pytest.mark.parametrize("method", sized(["free-rotor-2", "midpoint", "rk4"], sorted(integrators.by_name)))
def test_what_a_world_is_prepared_for_does_not_change_its_bits(method, game_mode, monkeypatch):
    monkeypatch.setattr("engine.world.compile_all", lambda loops, progress: None)
    hashes = []
    for capacity, wheels in ((1, False), (300, True)):
        try:
            world = game(integrator=method, game_mode=game_mode)
        except ValueError:
            pytest.skip("the method has no such mode")
        CHANGES["gravity"](world)
        CHANGES["drag"](world)
        world.step(3)
        snapshot = world.snapshot()
        before = world.state_hash()
        world.prepare(capacity=capacity, wheels=wheels and world.integrator._takes_actuators)
        assert world.state_hash() == before
        world.step(5)
        hashes.append(world.state_hash())
        world.restore(snapshot)
        world.step(5)
        hashes.append(world.state_hash())
        world.add_bodies(SHAPE, np.arange(900.0).reshape(300, 3) - 1000.0)
        world.step(2)
        hashes.append(world.state_hash())
    assert hashes[:3] == hashes[3:]


@needs_numba
def test_a_prepared_world_waits_for_no_better_loop(monkeypatch):
    """It asks for the loop of its own pitch, and goes on with the one for any."""
    workshop = Workshop(monkeypatch)
    monkeypatch.setattr(choice, "runs_frames", False)
    monkeypatch.setattr("engine.world.compile_all", lambda loops, progress: None)
    world = game(integrator="rk4")
    world.prepare()
    CHANGES["gravity"](world)
    world.step()
    name = world._plan._program.run.func.py_func.__qualname__
    assert name.startswith("passes-") and name.endswith("-0")
    assert any(re.match("passes-.*-264$", function.py_func.__qualname__) for function, _ in workshop.asked)


def test_where_nothing_is_compiled_yet_fields_go_by_passes_while_the_fused_loop_is_compiled(monkeypatch):
    """The loops in passes serve after any change of the forces. Without fields, the fused loop is the first that a world needs."""
    asked = []
    monkeypatch.setattr(choice, "policy", choice.Policy("background"))
    monkeypatch.setattr(choice, "ask", lambda loops, urgent=True: asked.extend(loops) is None)
    fused, passes = (types.SimpleNamespace(is_loaded=False, can_run=False) for _ in range(2))
    assert not choice.should_fuse(fused, [passes], has_fields=True)
    assert asked == [passes, fused]
    assert choice.should_fuse(fused, [passes], has_fields=False)


def test_progress_is_told_before_each_kernel_and_at_the_end():
    told = []
    world = game()
    world.prepare(progress=lambda *arguments: told.append(arguments))
    total = told[0][1]
    assert [done for done, _, _ in told] == list(range(total + 1))
    assert all(number == total for _, number, _ in told)
    assert [bool(name) for _, _, name in told] == [True] * total + [False]
    assert len({name for _, _, name in told}) > total / 2


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("strang-free_rotor-gyro-264", 0.9),
        ("strang-free_rotor-stored-gyro-264", 1.62),
        ("island-cones", 1.6),
        ("island-kick", 0.2),
        ("undo-tick", 0.15),
    ],
)
def test_the_expected_time_of_a_kernel_is_that_of_the_longest_beginning_of_its_name(name, seconds):
    """All kernels of islands counted alike before, and the log said 35 s for what took 80."""
    assert expected_seconds(name) == pytest.approx(seconds)


def test_preparing_changes_nothing():
    world, other = game(), game()
    world.prepare(integrators=["rk4"], forces=[forces.LinearDrag], capacity=600)
    assert world.state_hash() == other.state_hash()
    world.step(3)
    other.step(3)
    assert world.state_hash() == other.state_hash()


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"integrators": ["rk44"]}, ValueError, r"World.prepare: integrators\[0\] .*rk4.*got 'rk44'"),
        ({"integrators": [4]}, TypeError, r"World.prepare: integrators\[0\] .*got 4"),
        ({"integrators": "rk4"}, TypeError, "World.prepare: integrators .*list.*got 'rk4'"),
        ({"integrators": 4}, TypeError, "World.prepare: integrators .*list.*got 4"),
        ({"forces": forces.LinearDrag}, TypeError, "World.prepare: forces .*list.*got .*LinearDrag"),
        ({"forces": [World]}, TypeError, r"World.prepare: forces\[0\] .*class of engine.forces; got .*World"),
        (
            {"forces": ["LinearDrag"]},
            TypeError,
            r"World.prepare: forces\[0\] .*class of engine.forces; got 'LinearDrag'",
        ),
        ({"capacity": 0}, ValueError, "World.prepare: capacity .*at least 1; got 0"),
        ({"capacity": 1.5}, TypeError, "World.prepare: capacity .*1.5"),
        ({"joints": 1}, TypeError, "World.prepare: joints .*got 1"),
        ({"wheels": "yes"}, TypeError, "World.prepare: wheels .*got 'yes'"),
        ({"pulses": None}, TypeError, "World.prepare: pulses .*got None"),
        ({"game_mode": 0}, TypeError, "World.prepare: game_mode .*got 0"),
        (
            {"integrators": [integrators.RungeKutta4("body_rates", keep_momentum=True)], "game_mode": True},
            ValueError,
            "RungeKutta4: keep_momentum .*game mode",
        ),
        ({"integrators": [integrators.Substepped("rk4", tolerance=1e-9)], "joints": True}, ValueError, "integrator"),
        (
            {"integrators": ["axis-splitting-2", "lie-rk4", None]},
            TypeError,
            r"World.prepare: integrators\[2\] .*got None",
        ),
    ],
)
def test_what_cannot_be_prepared_is_rejected_by_name(arguments, kind, text, monkeypatch):
    monkeypatch.setattr(choice.Loop, "compile", lambda loop: pytest.fail("something was compiled before the error"))
    with pytest.raises(kind, match=text):
        game().prepare(**arguments)


def test_the_first_joint_needs_no_kernel_that_was_not_prepared(monkeypatch):
    """The kernel that measures how well a joint fits is that of a tick, for arrays of the same types."""
    world, prepared, asked = game(), [], []
    monkeypatch.setattr("engine.world.compile_all", lambda loops, progress: prepared.extend(loops))
    world.prepare(joints=True)
    monkeypatch.setattr(fit, "declared", lambda kernel: asked.append(declared(kernel)) or asked[-1])
    world.add_joint(Ball(*world.bodies[:2], at_body=(2.0, 0, 0)))
    known = {loop.wanted for loop in prepared}
    assert asked and {loop.wanted for loop in asked} <= known


def test_throttles_of_a_bank_need_no_kernel_that_was_not_prepared(monkeypatch):
    """The first command of a bank and the first look at its impulses took 0.2 s each in a prepared world."""
    world, prepared, called = game(), [], []
    bank = world.add_force(
        forces.ThrusterBank(world.bodies[0], positions=4 * [(0, 1, 0)], directions=4 * [(1, 0, 0)], max_forces=1.0)
    )
    monkeypatch.setattr("engine.world.compile_all", lambda loops, progress: prepared.extend(loops))
    world.prepare()
    for module, name in ((valves, "settle_adjacent"), (valves, "settle_throttles"), (table, "write_adjacent")):
        kernel = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *given, kernel=kernel: (called.append(named(kernel, *given)), kernel(*given))[1]
        )
    bank.throttle = (0.0, 0.5, 0.0, 1.0)
    world.on_tick(lambda world: setattr(bank, "throttle", (0.5, 0.5, 0.0, 0.0)))
    world.step(2)
    assert bank.impulse == pytest.approx((2 * 0.5 * world.dt, 2 * 0.5 * world.dt, 0.0, 0.0))
    assert len({loop.function for loop in called}) == 3
    assert {loop.wanted for loop in called} <= {loop.wanted for loop in prepared}


@pytest.mark.parametrize("place", ["on_tick", "after_tick", "add_force"])
def test_a_world_is_not_prepared_inside_a_tick(place):
    world = game()
    getattr(world, place)(lambda *_: world.prepare())
    with pytest.raises(RuntimeError, match="prepare"):
        world.step()


def test_the_command_line_prepares(capsys):
    assert main(["prepare", "--integrator", "semi-implicit-euler", "--force", "LinearDrag", "--capacity", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    total = len(lines) - 1
    assert lines[0].startswith(f"[0/{total}] ")
    assert lines[-1] == f"[{total}/{total}] all kernels are ready"


def test_the_command_line_prepares_what_a_world_can_be_told_of(capsys, monkeypatch):
    """Contacts and queries could not be told to it, so that a game with shapes compiled on the machine of its player."""
    monkeypatch.setattr(
        "engine.world.compile_all", lambda loops, progress: [progress(0, 1, loop.name) for loop in loops]
    )
    signature = inspect.signature(World.prepare)
    arguments = [name for name, argument in signature.parameters.items() if argument.default is False]
    assert {"joints", "contacts", "queries", "wheels", "pulses"} == set(arguments)
    found = {}
    for argument in ("", *arguments):
        assert main(["prepare", *([f"--{argument}"] if argument else [])]) == 0
        found[argument] = set(re.findall(r"\] (.*)", capsys.readouterr().out))
    assert "run-program" in found[""]
    assert {"begin-driven", "end-driven"} <= found["pulses"] - found[""]
    assert {"begin-driven", "end-driven"} <= found["wheels"] and found["wheels"] - found["pulses"]
    assert {"move-islands", "island-move", "joint-rows"} <= found["joints"] - found[""]
    assert {"find-contacts", "point-rows"} <= found["contacts"] - found["joints"]
    assert {"cast-shapes", "overlap-shapes"} <= found["queries"] - found["contacts"]


@pytest.mark.parametrize("arguments", [["--capacity", "0"], ["--integrator", "rk44"], ["--force", "Gravitation"]])
def test_the_command_line_rejects_what_it_does_not_know(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["prepare", *arguments])
    assert ended.value.code == 2
    assert arguments[-1] in capsys.readouterr().err


# loops that stand in


class Workshop:
    """Another process that has a kernel ready when it is told to, for worlds that do not wait."""

    def __init__(self, monkeypatch):
        self.asked, self.answered = [], 0
        monkeypatch.setattr(choice, "runs_frames", True)
        monkeypatch.setattr(background, "is_usable", lambda: True)
        monkeypatch.setattr(background, "ask", self.ask)
        monkeypatch.setattr(background, "pending", lambda: len(set(self.asked)) - self.answered)
        monkeypatch.setattr(background, "arrivals", lambda: self.answered)
        monkeypatch.setattr(background, "answered", lambda: self.answered)
        monkeypatch.setattr(background, "is_awaited", lambda wanted: False)
        monkeypatch.setattr(choice, "can_run", self.can_run)
        monkeypatch.setattr(choice, "is_loaded", self.can_run)
        monkeypatch.setattr(choice, "_missing", {})

    def ask(self, wanted, urgent=True):
        self.asked += [(factory(*made_for), types) for factory, made_for, types in wanted]
        return True

    def can_run(self, function, types):
        """At first the slow loops alone can run."""
        name = getattr(function, "py_func", function).__qualname__
        return self.answered > 0 or re.search(r"((passes|field).*-0\b|poses)", name) is not None

    def deliver(self):
        self.answered = len(set(self.asked))


@needs_numba
@pytest.mark.parametrize("method", ["rk4", "free-rotor-2", "axis-splitting-4", "predictor-corrector"])
@pytest.mark.parametrize("switch_at", [3, 8])
def test_a_world_goes_on_by_loops_that_stand_in_to_the_same_bits(method, switch_at, monkeypatch):
    """A force is added every other tick, and the fast loops arrive at some time in between; plain Python stands in for none."""
    monkeypatch.setattr(choice, "MOST_IN_PYTHON", 0)

    def flown(workshop=None):
        world = game(integrator=method)
        for number, change in enumerate(CHANGES.values()):
            change(world)
            for tick in range(2):
                if workshop is not None and 2 * number + tick == switch_at:
                    workshop.deliver()
                world.step()
                if workshop is not None:
                    names.append(moved_by[-1])
        return world.state_hash()

    names, moved_by, one_tick = [], [], program._one_tick
    monkeypatch.setattr(
        program, "_one_tick", lambda run: moved_by.append(run.func.py_func.__qualname__) or one_tick(run)
    )
    expected = flown()
    assert flown(Workshop(monkeypatch)) == expected
    assert any("-0" in name for name in names[:switch_at])
    assert not any("-0" in name for name in names[switch_at:])


@needs_numba
def test_a_world_looks_again_only_when_something_has_arrived(monkeypatch):
    workshop = Workshop(monkeypatch)
    world = game()
    CHANGES["gravity"](world)
    world.step()
    looked, original = [], workshop.can_run
    monkeypatch.setattr(choice, "can_run", lambda *loop: original(*loop) or looked.append(loop) is not None)
    for _ in range(5):
        world.step(3)
        CHANGES["thruster"](world)
    assert looked == []
    del workshop.asked[:]
    CHANGES["drag"](world)
    world.step()
    assert any("point_gravity-linear_drag" in function.py_func.__qualname__ for function, _ in workshop.asked)


@needs_numba
@pytest.mark.parametrize("change", ["spring", "gravity"])
def test_no_frame_loads_a_loop_while_another_one_is_loaded(change, monkeypatch):
    """Loading takes 10 to 40 ms, which the frame after a change took longer where the kernel was in the cache."""
    workshop, loaded = Workshop(monkeypatch), []
    monkeypatch.setattr(choice, "can_run", lambda function, types: loaded.append(function.py_func.__qualname__) is None)
    world = game(integrator="rk4")
    CHANGES[change](world)
    world.step()
    assert not [name for name in loaded if "-264" in name]
    assert world._plan._program.run.func.py_func.__qualname__.endswith("-0")
    workshop.deliver()
    world.step()
    assert not world._plan._program.run.func.py_func.__qualname__.endswith("-0")


def first():
    """Stands for a kernel, as the next two do."""


def second():
    pass


def third():
    pass


@pytest.mark.parametrize(
    ("missing", "seconds", "looked_for", "asked_for"),
    [
        (second, 0.0, [first, second], [second, third]),
        (None, 0.0, [first, second, third], []),
        (None, 0.015, [first, second], [third]),
    ],
)
def test_the_background_looks_for_kernels_from_the_first_that_is_missing_on(
    missing, seconds, looked_for, asked_for, monkeypatch
):
    """Looking for one takes 2 ms and loading it 3 to 10; the first joint calls thirty. Each answer made a frame look for all again."""
    looked, workshop = [], Workshop(monkeypatch)
    monkeypatch.setattr(choice, "policy", choice.Policy("background"))
    monkeypatch.setattr(choice, "is_loaded", lambda *kernel: False)
    monkeypatch.setattr(choice, "could_be_faster", lambda function: False)
    monkeypatch.setattr(choice, "can_run", lambda function, types: looked.append(function) or function is not missing)
    monkeypatch.setattr(choice, "thread_time", lambda: seconds * len(looked))
    loops = [choice.Loop(lambda function: function, (function,), ()) for function in (first, second, third)]
    assert choice.in_python(loops, True) == bool(asked_for)
    assert looked == looked_for
    assert [function for function, _ in workshop.asked] == asked_for
    monkeypatch.setattr(background, "is_awaited", lambda wanted: wanted[1][0] in asked_for)
    workshop.answered += 1
    del looked[:]
    assert [loop.can_run for loop in loops] == [function not in asked_for for function in (first, second, third)]
    assert not set(looked) & set(asked_for)


@needs_numba
def test_types_that_are_found_again_are_the_same_tuple():
    """Its hash is that of an ordinary tuple, by which numba finds a kernel, and it is pickled as one."""
    array, numbers = np.zeros((2, 3)), np.zeros(4, np.int64)
    found, again = (compiler.types_of(array, (numbers, (array, 1.0)), 1) for _ in range(2))
    assert found is again
    assert type(pickle.loads(pickle.dumps(found))) is tuple
    assert (
        pickle.loads(pickle.dumps(found))
        == found
        == tuple(map(compiler.numba.typeof, (array, (numbers, (array, 1.0)), 1)))
    )
    assert hash(found) == hash(tuple(found))
    assert compiler.types_of(array, (numbers, (array, 1)), 1) != found


# the other process


@needs_numba
def test_what_would_run_now_goes_before_what_may_be_needed_later(monkeypatch):
    """Three requests wait when the thread begins; the urgent one is the first to be answered, also when it was asked for before."""
    workshop = background._Workshop()
    workshop.is_usable = True
    order, started = [], threading.Event()
    monkeypatch.setattr(
        background.compiler, "is_kept", lambda function, types: started.wait() and not order.append(types)
    )
    first, second, third = ((choice._of_module, ("engine.loops.undo", "undo"), (number,)) for number in range(3))
    for wanted, urgent in ((first, False), (second, False), (third, False), (third, True)):
        assert workshop.ask(wanted, urgent)
    started.set()
    deadline = time.monotonic() + PATIENCE
    while not workshop.is_idle and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sorted(order) == [(0,), (1,), (2,), (2,)]
    assert order.index((2,)) < order.index((1,))
    assert (workshop.pending, workshop.arrivals) == (0, 1)


@needs_numba
def test_what_a_program_requested_in_vain_comes_first_in_its_next_run(monkeypatch, tmp_path):
    """The first run ends before any of its requests is answered; what was only to be ready for later is forgotten."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(background._Workshop, "_wake", lambda workshop, threads=1: None)
    loops = [choice.named(undo, example(Packed[Undone]), start, 0) for start in (True, 1, 1.0)]
    first, second, third = (loop.wanted for loop in loops)
    run = background._Workshop()
    run.is_usable = True
    for wanted, urgent in ((third, False), (second, True), (first, True)):
        assert run.ask(wanted, urgent)
    monkeypatch.setattr(background, "_workshop", run)
    run._threads = [threading.current_thread()]
    monkeypatch.setattr(background, "_is_leaving", False)
    background._leave()
    run = background._Workshop()
    run.is_usable = True
    assert run.ask(third, True)
    run._remember()
    order = []
    while (found := run._next()) is not None:
        order.append(found[0])
        run._answer(*found)
    assert order == [second, first, third]
    run._note()
    assert [path for path in tmp_path.iterdir() if path.name.startswith("requested")] == []


ENDING = """
import atexit, threading, time
wanted, loaded = threading.Event(), []

@atexit.register
def after_the_engine():
    wanted.set()
    time.sleep(0.2)
    print(len(loaded))

from engine.compilation import background

def load():
    wanted.wait()
    background._load_ahead((lambda: None, (), ()))

background.compiler.can_run = lambda *arguments: loaded.append(arguments)
threading.Thread(target=load, daemon=True).start()
background._load_ahead((lambda: None, (), ()))
"""


def test_no_kernel_is_loaded_in_a_thread_once_the_process_ends():
    """Python goes through all finalizers then, and loading registers more of them: "dictionary changed size during iteration"."""
    ran = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert ran.stdout == "1\n"  # the one that was loaded before


def test_a_damaged_note_of_requests_is_forgotten(monkeypatch, tmp_path):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    kernel_files.write_note([tmp_path], background._program(), b"no pickle")
    run = background._Workshop()
    run._remember()
    assert run.is_idle


class Imported:
    """A module that asks for a kernel while it is imported."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name == "asks_for_a_kernel" else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        background._load_ahead(module.__spec__.loader.wanted)


@needs_numba
def test_what_a_tick_awaits_is_loaded_before_the_tick_is_told(monkeypatch):
    """The frame that called it first took longer by what it takes to load it, 3 to 20 ms for each kernel.

    It is not loaded while a module is imported, because the thread would wait for ever for a module that waits for a kernel.
    """
    loop = declared(undo)
    loop.compile()
    wanted = loop.wanted
    loaded, original = [], background.compiler.can_run
    monkeypatch.setattr(
        background.compiler,
        "can_run",
        lambda *kernel: original(*kernel) and loaded.append((workshop.arrivals, threading.current_thread().name)),
    )
    workshop = background._Workshop()
    workshop.is_usable = True
    assert workshop.ask(wanted, True)
    deadline = time.monotonic() + PATIENCE
    while workshop.pending and time.monotonic() < deadline:
        time.sleep(0.01)
    assert loaded == [(0, "kernels")]
    assert workshop.arrivals == 1
    finder = Imported()
    finder.wanted = wanted
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    importlib.import_module("asks_for_a_kernel")
    del sys.modules["asks_for_a_kernel"]
    assert len(loaded) == 1


@needs_numba
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
def test_no_process_forks_while_a_kernel_is_loaded(monkeypatch):
    """Its child would have the locks that the thread holds, and nobody who releases them."""
    begun, may_end, at_fork = threading.Event(), threading.Event(), []
    monkeypatch.setattr(background, "_is_importing", lambda: begun.set() or may_end.wait())
    thread = threading.Thread(target=background._load_ahead, args=((None, (), ()),))
    thread.start()
    begun.wait()
    threading.Timer(0.2, lambda: at_fork.append("loaded") or may_end.set()).start()
    child = os.fork()
    if not child:
        os._exit(0 if at_fork and background._loading.acquire(blocking=False) else 1)
    _pid, status = os.waitpid(child, 0)
    thread.join()
    assert os.waitstatus_to_exitcode(status) == 0


ONLY_COMPILES = """
import sys
from numba.core import ir
from numba.core.codegen import ll
from engine.compilation import compiler, lean

searched, search, fast, listeners = [], ir.Inst._rec_list_vars, lean._variables, ll.ffi.lib._lock._cblist
told = listeners[:]

def both_ways(instruction, value):
    assert not listeners
    lean._variables, ir.Inst._rec_list_vars = fast, search
    found = fast(instruction, value)
    assert found == search(instruction, value) and all(map(lambda a, b: a is b, found, search(instruction, value)))
    lean._variables = ir.Inst._rec_list_vars = both_ways
    searched.extend(found)
    return found

lean._variables = both_ways

@compiler.kernel("sum-of-two")
def kernel(first, second):
    for number in range(3):
        first = (first, second)[number % 2] + second
    return first

assert kernel(1.0, 2.0) == kernel.py_func(1.0, 2.0)
assert len(searched) > 50 and {type(found) for found in searched} == {ir.Var}
assert "numba.np.arraymath" in sys.modules and "scipy.linalg" not in sys.modules
assert ir.Inst._rec_list_vars is search and listeners == told and told

import numba, numpy

@numba.njit
def product(first, second):
    return numpy.dot(first, second)

assert product(numpy.eye(3), numpy.arange(3.0)).tolist() == [0.0, 1.0, 2.0]
assert "scipy.linalg" in sys.modules
"""


@needs_numba
def test_a_kernel_needs_no_linear_algebra_and_numba_afterwards_is_as_it_was():
    """The import of scipy's took a third of a second where kernels were compiled, and the search for variables a fortieth of the time."""
    pytest.importorskip("scipy")
    subprocess.run([sys.executable, "-c", ONLY_COMPILES], cwd=ROOT, check=True, timeout=PATIENCE)


HOLD_PLACE = "import sys; sys.stdin.read()"


@pytest.mark.skipif(os.name == "nt", reason="a process on Windows inherits no lock")
def test_a_place_for_a_compiler_process_is_free_once_the_process_has_ended(tmp_path):
    first, second = Slot.take(tmp_path, 2), Slot.take(tmp_path, 2)
    assert first is not None and second is not None
    assert Slot.take(tmp_path, 2) is None
    second.release()
    command = [sys.executable, "-c", HOLD_PLACE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=first.inherited) as process:
        first.hand_over()
        third = Slot.take(tmp_path, 2)
        assert third is not None
        assert Slot.take(tmp_path, 2) is None
    assert process.returncode == 0
    fourth = Slot.take(tmp_path, 2)
    assert fourth is not None
    third.release()
    fourth.release()


@needs_numba
def test_a_kernel_that_another_program_compiles_is_left_to_it(monkeypatch):
    """Other requests go on, and the kernel is there once the other program has written it."""
    workshop, kept, asked = background._Workshop(), set(), []
    workshop.is_usable = True
    monkeypatch.setattr(workshop, "_wake", lambda threads=1: None)
    monkeypatch.setattr(background.compiler, "is_kept", lambda function, types: types in kept)
    monkeypatch.setattr(background.time, "sleep", lambda seconds: kept.add((1,)))

    def compile(message):
        types = pickle.loads(message)[2]
        asked.append(types)
        if types == (1,):
            return 0.0, background._TAKEN
        kept.add(types)
        return 0.1, None

    process = types.SimpleNamespace(compile=compile, let_go=lambda: None)
    for number in (1, 2):
        assert workshop.ask((choice._of_module, ("engine.loops.undo", "undo"), (number,)), True)
    while (found := workshop._next()) is not None:
        workshop._serve(process, *found)
    assert asked == [(1,), (2,)]
    assert (workshop.pending, workshop.arrivals, workshop.is_idle) == (0, 2, True)


@needs_numba
@pytest.mark.parametrize("place", ["inside a function", "the main program"])
def test_what_only_this_process_has_is_not_asked_for(place, monkeypatch):
    def own(body, time, p):
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)

    if place == "the main program":  # it can be pickled, but another process has another main program
        monkeypatch.setattr(sys.modules["__main__"], "own", own, raising=False)
        own.__module__, own.__qualname__ = "__main__", "own"
    workshop = background._Workshop()
    workshop.is_usable = True
    assert not workshop.ask((integrators.RungeKutta4, (own,), ()), True)
    assert workshop.pending == 0


@needs_numba
def test_where_no_process_can_be_started_the_world_compiles_for_itself(monkeypatch, caplog):
    workshop = background._Workshop(launch=lambda inherited: (_ for _ in ()).throw(OSError("no more processes")))
    workshop.is_usable = True
    monkeypatch.setattr(background, "_workshop", workshop)
    both_wait = threading.Event()
    monkeypatch.setattr(background.compiler, "is_kept", lambda function, types: not both_wait.wait())
    waiting = [(choice._of_module, ("engine.loops.undo", name), ()) for name in ("undo", "close_steps")]
    with caplog.at_level(logging.WARNING, logger="polhode"):
        background.ask(waiting)
        both_wait.set()
        deadline = time.monotonic() + PATIENCE
        while not workshop.is_idle and time.monotonic() < deadline:
            time.sleep(0.01)
    assert caplog.text.count("kernels cannot be compiled in the background: OSError: no more processes") == 1
    assert not background.is_usable()
    assert not background.ask([(choice._of_module, ("engine.loops.undo", "close_steps"), ())])
    world = game()
    CHANGES["gravity"](world)
    world.step()
    assert world.tick_count == 1


class Served:
    """A compiler process that lives in a thread of the test, one for each start; some of them die before they answer."""

    def __init__(self, answers):
        self.answers = iter(answers)
        self.started = 0

    def launch(self, inherited=()):
        self.started += 1
        read, write = os.pipe()
        answer = next(self.answers)
        if answer is not None:
            packed = pickle.dumps(answer)
            os.write(write, struct.pack("<Q", len(packed)) + packed)
        os.close(write)
        return types.SimpleNamespace(stdin=io.BytesIO(), stdout=os.fdopen(read, "rb"), wait=lambda: -9)


@needs_numba
@pytest.mark.parametrize(
    ("answers", "started", "is_usable", "tries_again", "said"),
    [
        ([None, (0.1, None)], 2, True, True, "started again: EOFError: the compiler process ended with status -9"),
        ([None, None, None], 3, False, False, "kernels cannot be compiled in the background: EOFError"),
        ([(0.1, background._NOT_KEPT)], 1, False, False, "can no longer be written to the cache folder"),
        ([(0.1, "ModuleNotFoundError: No module named 'mods'")], 1, True, False, "the kernel undo-tick could not"),
    ],
    ids=["dies once", "dies always", "no room", "unknown module"],
)
def test_what_the_compiler_process_cannot_do_this_process_does(
    answers, started, is_usable, tries_again, said, monkeypatch, caplog
):
    served = Served(answers)
    workshop = background._Workshop(
        launch=served.launch
    )  # of this test's own requests alone, not of others that are still at work
    workshop.is_usable = True
    monkeypatch.setattr(background, "_workshop", workshop)
    monkeypatch.setattr(background.compiler, "is_kept", lambda function, types: False)
    wanted = [(choice._of_module, ("engine.loops.undo", "undo"), ())]
    with caplog.at_level(logging.INFO, logger="polhode"):
        assert background.ask(wanted)
        deadline = time.monotonic() + PATIENCE
        while not workshop.is_idle and time.monotonic() < deadline:
            time.sleep(0.01)
    assert (background.arrivals(), background.pending()) == (1, 0)
    assert (served.started, background.is_usable(), background.ask(wanted)) == (started, is_usable, tries_again)
    assert said in caplog.text


def test_an_error_of_the_operating_system_is_logged_without_its_path():
    assert background._in_words(FileNotFoundError(2, "No such file", "/home/alice/python3")) == (
        "FileNotFoundError: No such file"
    )


@needs_numba
def test_a_forked_process_looks_again_for_what_its_parent_waited_for(monkeypatch):
    monkeypatch.setattr(background, "_workshop", background._Workshop(5, 3))
    background._start_anew()
    assert (background.answered(), background.arrivals(), background.pending()) == (6, 4, 0)


@pytest.mark.parametrize("why", ["switched off", "frozen", "built in", "nothing can be written"])
def test_there_are_reasons_not_to_use_another_process(why, monkeypatch):
    monkeypatch.setenv("POLHODE_BACKGROUND", "0" if why == "switched off" else "1")
    if why == "frozen":
        monkeypatch.setattr(sys, "frozen", True, raising=False)
    if why == "built in":
        monkeypatch.setattr(sys, "executable", "/opt/studio/bin/studio")
    if why == "nothing can be written":
        monkeypatch.setattr(background.compiler.kernel_files, "writable", lambda folders: None)
    workshop = background._Workshop()
    assert not workshop.ask((choice._of_module, ("engine.loops.undo", "undo"), ()), True)
    assert not workshop.is_usable


FLIGHT = """
import logging, sys, time
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
from engine.compilation import background
from engine.tick import prepare
from tests.kernels.test_prepare import CHANGES, game

prepare.ALL_INTEGRATORS = []  # other methods are not what this is about

def wait():
    deadline = time.monotonic() + 300
    while not background._workshop.is_idle and time.monotonic() < deadline:
        time.sleep(0.05)
    print("waited", background._workshop.is_idle)

world = game(integrator="semi-implicit-euler", compilation="background")
world.step()
wait()
for name in ("gravity", "drag", "spring", "own field"):
    CHANGES[name](world)
    print("changed", name)
    world.step()
wait()
world.step()
print("hash", world.state_hash())
"""


@needs_numba
@long_run
def test_another_process_compiles_what_a_game_needs_and_no_tick_waits(tmp_path):
    """On a machine where nothing has been compiled: after the first tick nothing is compiled by the game itself."""
    environment = os.environ | {"POLHODE_CACHE_DIR": str(tmp_path), "POLHODE_BACKGROUND": "1"}
    command = [sys.executable, "-c", FLIGHT]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    first_wait = lines.index("waited True")
    assert not [line for line in lines[first_wait:] if line.startswith("compiled kernel") and "background" not in line]
    for kind in ("point_gravity", "OwnBrake"):
        assert [line for line in lines[first_wait:] if kind in line and "background" in line]
    world = game(integrator="semi-implicit-euler")
    world.step()
    for name in ("gravity", "drag", "spring", "own field"):
        CHANGES[name](world)
        world.step()
    world.step()
    assert lines[-1] == f"hash {world.state_hash()}"


SHIPPED = """
import logging, sys
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
from tests.kernels.test_prepare import CHANGES, game
world = game(integrator="semi-implicit-euler")
world.step()
CHANGES["drag"](world)
world.step(3)
world.bodies[0].interpolated_pose()
world.interpolated_poses()
print("hash", world.state_hash())
"""


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """A folder of kernels for any processor."""
    folder = tmp_path_factory.mktemp("shipped")
    environment = os.environ | {"POLHODE_CACHE_DIR": str(folder), "POLHODE_BACKGROUND": "0"}
    command = [sys.executable, "-m", "engine", "prepare", "--any-processor"]
    asked = ["--integrator", "semi-implicit-euler", "--force", "LinearDrag", "--capacity", "5"]
    subprocess.run([*command, *asked], cwd=ROOT, env=environment, timeout=PATIENCE, check=True, capture_output=True)
    return folder


@needs_numba
@long_run
@pytest.mark.parametrize("processor", ["", "sandybridge" if platform.machine() in ("x86_64", "AMD64") else ""])
def test_kernels_that_are_shipped_with_a_game_run_on_other_processors(processor, shipped):
    """Made for any processor, kept in one folder that cannot be written: the first tick compiles nothing, and gives the same bits."""
    environment = os.environ | {"POLHODE_CACHE_DIR": str(shipped), "POLHODE_BACKGROUND": "0"}
    before = {path.name: path.read_bytes() for path in shipped.iterdir()}
    assert before
    if processor:
        environment |= {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
    command = [sys.executable, "-c", SHIPPED]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, timeout=PATIENCE, check=True, capture_output=True, encoding="utf-8"
    )
    world = game(integrator="semi-implicit-euler")
    world.step()
    CHANGES["drag"](world)
    world.step(3)
    assert done.stdout.splitlines() == [f"hash {world.state_hash()}"]
    assert {path.name: path.read_bytes() for path in shipped.iterdir()} == before
