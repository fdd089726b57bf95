"""Conservation over long runs: a free body for a million ticks by every method, and methods in game mode with many bodies."""

import numpy as np
import pytest

from engine import MassProperties, NonFiniteStateError, World, integrators
from engine.compilation.compiler import COMPILED
from engine.integrators import LieRungeKutta4, PredictorCorrector, RungeKutta4, SemiImplicitEuler

from ..helpers import SKEW_ORIENTATION, angular_momentum, one_body, skew_tensor
from ..lengths import sized
from .test_determinism import SHAPES, add_fields, add_held, bits, one_of, starts

needs_compiler = pytest.mark.skipif(not COMPILED, reason="takes hours in plain Python")

DT = 1.0 / 60.0
MOMENTS = (1.0, 2.0, 2.5)
DIRECTION = np.array((0.3, 0.5, 0.3)) / np.linalg.norm((0.3, 0.5, 0.3))

TICKS = sized(100_000, 1_000_000)
"""A tenth of the million that the names say in `.ci/run`: an error that adds up is seen there too, a slow one in `.ci/long`."""


def drifts(method, speeds, ticks):
    """For each free body of such a rate, the relative change of momentum and energy after each tenth of a flight, a row a tenth."""
    world = World(DT, integrator=method)
    bodies = [world.add_body(MassProperties(1.0, MOMENTS), angular_velocity_body=speed * DIRECTION) for speed in speeds]
    start = [(angular_momentum(body), body.kinetic_energy()) for body in bodies]
    rows = [[] for _ in bodies]
    for _ in range(10):
        world.step(ticks // 10)
        for body, (momentum, energy), kept in zip(bodies, start, rows, strict=True):
            lost = np.linalg.norm(angular_momentum(body) - momentum) / np.linalg.norm(momentum)
            kept.append((lost, abs(body.kinetic_energy() / energy - 1.0)))
    return np.array(rows)


# momentum and energy, measured at 0.65 rad/s: (3.2e-11, 7.9e-10), (5.7e-11, 6.5e-11), (1.6e-9, 1.2e-9), (3.2e-11, 4.0e-10)
RUNGE_KUTTA = [
    RungeKutta4(),
    RungeKutta4(variables="body_rates"),
    RungeKutta4(variables="world_rates"),
    RungeKutta4(variables="body_rates", keep_momentum=True),
]


@needs_compiler
@pytest.mark.parametrize("method", RUNGE_KUTTA, ids=lambda method: method.name)
def test_runge_kutta_keeps_a_slow_body_for_a_million_ticks(method):
    """4.6 hours at 1/60 s and dt·|ω| = 0.011: momentum and energy within 5e-9, whatever the variables."""
    assert drifts(method, [0.65], TICKS).max() < 5e-9


# kept over a million ticks: the names, and whether the energy is kept too; the others are off by their order
EXACT = [("free-rotor-2", True), ("free-rotor-4", True), ("saba4", True), ("midpoint", True)]
SPLIT = [("axis-splitting-2", False), ("axis-splitting-4", False)]


@needs_compiler
@pytest.mark.parametrize(("name", "keeps_energy"), EXACT + SPLIT)
def test_a_million_ticks_do_not_add_up(name, keeps_energy):
    """Momentum to 1e-11, and energy to 1e-10 where it is kept; the end is no further off than ten times the worst of the first tenths.

    A slow body, one of ten times its rates and six in between fly in one world: eight bodies cost hardly more than one. Measured 9e-13 and
    3e-13 at most. The energy of axis splitting swings, 4e-5 at order 2 and 5e-9 at order 4, and does not creep.
    """
    for rows in drifts(name, np.geomspace(0.65, 6.5, 8), TICKS):
        assert rows[:, 0].max() < 1e-11
        if keeps_energy:
            assert rows[:, 1].max() < 1e-10
        else:
            assert rows[5:, 1].max() < 10.0 * rows[:5, 1].max() + 1e-12
            assert rows[:, 1].max() < 1e-4


def finished(method, speed, wheel, moments=MOMENTS, ticks=600):
    """Whether a free body with a wheel along a skew axis takes so many ticks: |h| is `wheel` times |ω| times one kg·m²."""
    axis = np.array((0.5, -1.0, 0.3)) / np.linalg.norm((0.5, -1.0, 0.3))
    world, body = one_body(
        method,
        DT,
        inertia_body=moments,
        angular_velocity_body=speed / DT * DIRECTION,
        stored_momentum_body=wheel * speed / DT * axis,
    )
    try:
        world.step(ticks)
    except NonFiniteStateError:
        return False
    finally:
        assert np.isfinite(body.angular_velocity_body).all()
    return True


@pytest.mark.parametrize("method", [LieRungeKutta4(), PredictorCorrector()], ids=lambda method: method.name)
def test_a_wheel_lowers_the_limit_of_spin(method):
    """What has to be small is dt |I ω + h|/I_min, not dt |ω| alone: with a strong wheel rates overflow at a slow turn."""
    assert finished(method, 0.3, 0.0)
    assert not finished(method, 0.3, 30.0)


@pytest.mark.parametrize("spin", [0.1, 0.5, 1.0])
def test_implicit_gyroscopic_step_only_takes_from_bodies_of_moments_alike(spin):
    """Moments within three of one another, dt·|ω| up to one, random starts: no tick gains energy. Slender bodies gain, above one."""
    rng = np.random.default_rng(2)
    for _ in range(40):
        parts = 10.0 ** rng.uniform(-0.3, 0.0, 3)
        rates = rng.normal(size=3)
        world, body = one_body(
            SemiImplicitEuler(gyroscopic="implicit"),
            DT,
            inertia_body=skew_tensor(parts.sum() - parts),
            orientation=SKEW_ORIENTATION,
            angular_velocity_body=rates * spin / DT / np.linalg.norm(rates),
        )
        energy = body.kinetic_energy()
        for _ in range(10):
            world.step()
            assert body.kinetic_energy() < energy * (1.0 + 1e-14)
            energy = body.kinetic_energy()


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("method", sorted(integrators.by_name))
def test_game_mode_gives_a_body_alone_and_as_number_117_of_251_the_same_bits(method, staged):
    """Other loops are compiled for game mode; a neighbour's wheel is nothing to a body there either.

    Both worlds have one capacity: `test_determinism.py` has another one for every method.
    """
    start = starts(251)
    alone, crowded = (World(DT, integrator=method, game_mode=True) for _ in range(2))
    lone = alone.add_body(SHAPES[1], **one_of(start, 117))
    crowd = crowded.add_bodies([SHAPES[row % 2] for row in range(251)], **start)
    crowd[116].stored_momentum_body = (0.2, -0.1, 0.4)
    for world, body in ((alone, lone), (crowded, crowd[117])):
        add_held(world, body)
        if staged:
            add_fields(world)
        world.step(12)
    assert bits(lone) == bits(crowd[117])
    assert bits(crowd[3]) != bits(crowd[5])
