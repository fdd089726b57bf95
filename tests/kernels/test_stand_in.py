"""While a loop is compiled in the background, plain Python takes the ticks of a small world, to the same bits."""

import pytest

from engine import MassProperties, NonFiniteStateError, World, flight, forces
from engine.compilation import background, choice
from engine.compilation.compiler import COMPILED

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
    for module in ("engine.integrators.compiled_forces", "engine.tick.actuators"):
        monkeypatch.setattr(f"{module}.ask", ask)
    monkeypatch.setattr(choice, "can_run", lambda function, types: False)
    monkeypatch.setattr(choice, "_missing", {})
    assert background.pending() == 0
    return asked


def test_a_change_of_a_small_world_waits_for_no_compiler_and_changes_no_bit(nothing_arrives, monkeypatch):
    compiled = []
    monkeypatch.setattr(
        "engine.compilation.compiler._KernelCache.save_overload", lambda *arguments: compiled.append(arguments)
    )
    with monkeypatch.context() as first_tick:
        first_tick.undo()
    world = change(a_world())
    assert any("drive" in name for name in nothing_arrives)
    monkeypatch.undo()
    assert world.state_hash() == change(a_world()).state_hash()


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
    assert run.__qualname__.startswith("Actuators._fused")
