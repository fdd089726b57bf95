"""The long runs of `tests.soak` at a small size, and that they would notice what they look for."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from engine import Clock
from engine.integrators import RungeKutta4

from ..lengths import sized
from ..plain_python import in_plain_python
from ..soak import conservation, exchange, frames, restores, scales, signals
from ..soak.__main__ import PARTS, main
from ..soak.report import Figure, assert_all_hold
from ..soak.valves import Valve


def figures_of(module, size, seed=1):
    return {figure.what: figure for figure in module.run(size, seed)}


SIZES = sized(
    {"exchange": 100, "scales": 2, "conservation": 60, "frames": 3000},
    {"exchange": 400, "scales": 5, "conservation": 200, "frames": 15_000},
)
"""Sizes at which a part takes some seconds at most in plain Python, which compiles nothing."""


def failed(name):
    run, _full_size = PARTS[name]
    return [str(figure) for figure in run(SIZES[name], 1) if not figure.holds]


@pytest.mark.parametrize("name", SIZES)
def test_a_long_run_holds_at_a_small_size(name):
    assert in_plain_python(failed, name) == []


def test_restored_runs_hold_at_a_small_size():
    """Compiled: the kernels of its worlds are few."""
    assert [str(figure) for figure in restores.run(sized(16, 200), 1) if not figure.holds] == []


def test_the_command_says_what_holds(capsys, monkeypatch):
    monkeypatch.setitem(PARTS, "frames", (lambda size, seed: [Figure("a", size + seed, 3)], 9))
    assert main(["frames", "--ticks", "2"]) == 0
    assert "frames: size 2, " in capsys.readouterr().out
    assert main(["frames"]) == 1


def test_an_impulse_that_is_not_on_the_account_is_noticed(monkeypatch):
    push = exchange.Soak.push

    def push_and_hide(soak, given, body_torque):
        push(soak, given, body_torque)
        if soak.ticks == 50:
            soak.bodies[0].apply_impulse((1e-6, 0.0, 0.0))

    monkeypatch.setattr(exchange.Soak, "push", push_and_hide)
    assert not figures_of(exchange, 200)["Σ F dt − m Δv, relative"].holds


def test_a_state_that_does_not_come_back_is_noticed(monkeypatch):
    monkeypatch.setattr(restores.Director, "set_state", lambda director, state: None)
    _compared, different = restores.restored_runs(100, 4, seed=1, called=False)
    assert different


def test_a_length_that_is_not_scaled_is_noticed(monkeypatch):
    scenes = ((number, scales.random_scene(number)) for number in range(100))
    number, scene = next((number, scene) for number, scene in scenes if scene.springs and not scene.joints)
    in_units = type(scene).in_units

    def forgetful(scene, mass, length, time):
        return replace(in_units(scene, mass, length, time), rest_length=scene.rest_length)

    assert not scales.scaled(number)[0]
    monkeypatch.setattr(type(scene), "in_units", forgetful)
    assert scales.scaled(number)[0]


def test_a_coordinate_that_is_rounded_is_noticed(monkeypatch):
    monkeypatch.setattr(scales, "SHIFT", 1000.0 * scales.SHIFT)
    assert max(scales.moved(number)[0] for number in range(3)) > scales.SPACINGS_PER_TICK


def test_a_method_that_does_not_conserve_the_momentum_is_noticed(monkeypatch):
    claims = {"rk4-body-rates": (RungeKutta4(variables="body_rates"), conservation.CLAIMS["rk4"][1])}
    monkeypatch.setattr(conservation, "CLAIMS", claims)
    assert not all(figure.holds for figure in conservation.run(400, 1))


def test_a_clock_that_rounds_is_noticed(monkeypatch):
    ticks_for = Clock.ticks_for
    monkeypatch.setattr(
        Clock, "ticks_for", lambda clock, elapsed, *rest: ticks_for(clock, float(elapsed) * 1.0000001, *rest)
    )
    assert not figures_of(frames, 3000)["frames whose ticks, dropped time or alpha were wrong"].holds


@pytest.mark.skipif(sys.platform == "win32", reason="no process can send SIGINT to another one")
@pytest.mark.parametrize("case", signals.CASES)
def test_a_sigint_leaves_a_world_that_equals_one_stepped_to_the_same_tick(case):
    torn, times = signals.interrupt_steps(case, count := sized(2, 4), 1)
    assert torn == 0
    assert len(times) == count and max(times) < float("inf")


def test_a_torn_world_is_noticed():
    world = signals.held()
    world.step(3)
    assert signals.is_as_fresh(world, signals.held)
    world.bodies[1].velocity += 1e-12
    assert not signals.is_as_fresh(world, signals.held)


def test_the_level_of_a_valve_encloses_the_area_of_its_pulse():
    """Open for 0.3 s with a rise of 0.1 s and a fall of 0.2 s: a trapezoid with an area of 0.3 + (0.2 − 0.1)/2 s."""
    valve = Valve(0.1, 0.2)
    valve.fire(0.3, 0.05)
    areas, moments = np.array([valve.run(1 / 64) for _ in range(64)]).T
    assert areas.sum() == pytest.approx(0.35, rel=1e-13)
    # rise from 0.05 to 0.15 s, open until 0.35 s, fall until 0.55 s; each part times its centroid
    whole = 0.05 * (0.05 + 0.2 / 3) + 0.2 * 0.25 + 0.1 * (0.35 + 0.2 / 3)
    assert (moments + areas * np.arange(64) / 64).sum() == pytest.approx(whole, rel=1e-13)
    assert valve.level == 0.0 and not valve.is_busy and valve.opened == pytest.approx(0.35)


def test_a_figure_beyond_its_bound_or_without_a_number_fails():
    assert Figure("a", 1.0, 1.0).holds
    for value in (1.5, float("nan"), float("inf")):
        assert not Figure("a", value, 1.0).holds
        with pytest.raises(AssertionError, match="FAILED"):
            assert_all_hold([Figure("b", 0.0, 1.0), Figure("a", value, 1.0)])
    with pytest.raises(AssertionError, match="nothing was measured"):
        assert_all_hold([])
