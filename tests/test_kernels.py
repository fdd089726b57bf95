"""The compiled loops are packed across bodies and safe against a wrong array; for the cache see `test_kernel_cache.py`."""

import platform
import re

import numpy as np
import pytest

from engine import MassProperties, World, integrators
from engine.kernels import fields, loops
from engine.kernels.compiler import COMPILED
from engine.kernels.layout import ORIENTATION, PREVIOUS, ROWS, STAGE_WRENCH, STATE_ROWS, WRENCH_ROWS
from engine.kernels.poses import blended_poses

METHODS = sorted(name for name, make in integrators.by_name.items() if hasattr(make(), "advance"))
"""One-step methods; for the loops of kicks and drifts see `test_splitting.py`."""
PITCH = 264
needs_numba = pytest.mark.skipif(not COMPILED, reason="nothing is compiled: numba is missing or switched off")

# double-precision multiplications in assembly, many at once and one at a time
MULTIPLICATIONS = {
    "x86_64": (r"\bv?mulpd\b", r"\bv?mulsd\b"),
    "AMD64": (r"\bv?mulpd\b", r"\bv?mulsd\b"),
    "aarch64": (r"\bfmul\s+v\d+\.2d", r"\bfmul\s+d\d+"),
    "arm64": (r"\bfmul\.2d|\bfmul\s+v\d+\.2d", r"\bfmul\s+d\d+"),
}


def multiplications(dispatcher, *signature):
    """(packed, scalar) multiplications in a loop that is compiled afresh, without the cache on disk."""
    import numba

    if platform.machine() not in MULTIPLICATIONS:
        pytest.skip(f"the assembly of {platform.machine()} is not known here")
    fresh = numba.njit(error_model="numpy", nogil=True)(dispatcher.py_func)
    fresh.compile(signature)
    text = "\n".join(fresh.inspect_asm().values())
    return tuple(len(re.findall(pattern, text)) for pattern in MULTIPLICATIONS[platform.machine()])


def types():
    from numba import types

    return types.Array(types.float64, 2, "C"), types.Array(types.float64, 1, "C"), types.int64, types.float64


NO_FIELDS = (0.0, 0.0)
"""What stands in the place of parameters and shares where there are no fields."""


def held_loop(method, gyroscopic=True, with_fields=()):
    made = integrators.by_name[method]()
    return loops.held_ticks(made.advance, made.evaluations_per_tick, gyroscopic, PITCH, with_fields)


# A loop that vectorises stands there twice: packed for eight bodies at once (or four, or two) and scalar for what is left over. One that
# does not has no packed multiplication at all. Measured: equal numbers of both, give or take one.


@needs_numba
@pytest.mark.parametrize("method", METHODS)
def test_held_ticks_are_packed_across_bodies(method):
    array, _, integer, real = types()
    packed, scalar = multiplications(held_loop(method), array, real, real, integer, real, integer)
    assert packed > 100
    assert packed >= 0.9 * scalar


@needs_numba
@pytest.mark.parametrize("method", ["rk4", "semi-implicit-euler", "midpoint"])
def test_held_ticks_with_fields_are_packed_across_bodies(method):
    array, _, integer, real = types()
    loop = held_loop(method, with_fields=(fields.point_gravity, fields.linear_drag))
    packed, scalar = multiplications(loop, array, array, array, integer, real, integer)
    assert packed > 100
    assert packed >= 0.9 * scalar


@needs_numba
def test_stages_with_pulls_and_fields_are_packed_across_bodies():
    """The pulls themselves go one by one: a scalar loop in every stage, beside what vectorises."""
    array, _, integer, real = types()
    made = integrators.by_name["rk4"]()

    def coupled(*with_fields):
        loop = loops.coupled_ticks(made.advance, made.evaluations_per_tick, True, PITCH, with_fields)
        return multiplications(loop, array, array, array, array, array, integer, real, integer)

    (packed, _), (with_fields, _) = coupled(), coupled(fields.point_gravity, fields.gravity_gradient)
    stages = sum(
        multiplications(loops.stage_state(made.advance, stage, 4, True, PITCH), array, array, integer, real)[0]
        for stage in range(4)
    )
    assert packed > stages  # the end of the tick comes to them
    assert with_fields > packed + 4 * 50


@needs_numba
def test_poses_for_drawing_are_packed_across_bodies():
    array, _, integer, real = types()
    packed, scalar = multiplications(blended_poses(PITCH), array, array, integer, real, array, array)
    assert packed > 60
    assert packed >= 0.9 * scalar


@needs_numba
@pytest.mark.parametrize("method", METHODS)
def test_the_stages_of_a_tick_are_packed_across_bodies(method):
    array, _, integer, real = types()
    made = integrators.by_name[method]()
    count = made.evaluations_per_tick
    stages = [loops.staged_end(made.advance, count, True, PITCH)]
    if count > 1:  # stage 0 is the state itself
        stages.append(loops.stage_state(made.advance, count - 1, count, True, PITCH))
    for loop in stages:
        packed, scalar = multiplications(loop, array, array, integer, real)
        assert packed > 100
        assert packed >= 0.9 * scalar


@needs_numba
@pytest.mark.parametrize("field", [fields.point_gravity, fields.gravity_gradient], ids=lambda field: field.__name__)
def test_fields_are_packed_across_bodies(field):
    array, _, integer, _ = types()
    packed, scalar = multiplications(fields.field_loop(field, PITCH), array, array, integer, integer, array, array)
    assert packed > 20
    assert packed >= 0.9 * scalar


@needs_numba
def test_the_count_of_packed_instructions_sees_a_loop_that_is_not():
    """The same loop without its pitch: the compiler cannot tell that rows do not overlap."""
    array, _, integer, real = types()

    def crawl(array, count, dt, ticks):
        for column in range(count):
            x, y = array[0, column], array[1, column]
            for _ in range(ticks):
                x, y = x - dt * y, y + dt * x * y
            array[0, column], array[1, column] = x, y
        return 0

    class Dispatcher:
        py_func = staticmethod(crawl)

    packed, scalar = multiplications(Dispatcher, array, integer, real, integer)
    assert scalar > 0
    assert packed < 0.9 * scalar


# a wrong array


@pytest.mark.parametrize("method", METHODS)
def test_a_loop_refuses_an_array_of_another_pitch_and_leaves_it_alone(method):
    made = integrators.by_name[method]()
    count = made.evaluations_per_tick
    wrong = np.full((ROWS, PITCH - 8), 7.0)
    wrong_stages = np.full((STAGE_WRENCH + WRENCH_ROWS * count, PITCH - 8), 7.0)
    right = np.full((ROWS, PITCH), 7.0)
    assert held_loop(method)(wrong, *NO_FIELDS, 8, 0.1, 1) == -1
    assert held_loop(method, with_fields=(fields.linear_drag,))(right, np.ones((1, 9)), wrong, 8, 0.1, 1) == -1
    end = loops.staged_end(made.advance, count, True, PITCH)
    stage = loops.stage_state(made.advance, 0, count, True, PITCH)
    for loop in (end, stage):
        assert loop(wrong, wrong_stages, 8, 0.1) == -1
        assert loop(right, wrong_stages, 8, 0.1) == -1
    assert (wrong == 7.0).all()
    assert (wrong_stages == 7.0).all()
    assert (right == 7.0).all()


def test_a_field_refuses_an_array_of_another_pitch_and_leaves_it_alone():
    loop = fields.field_loop(fields.linear_drag, PITCH)
    right, wrong = np.full((ROWS, PITCH), 7.0), np.full((ROWS, PITCH - 8), 7.0)
    parameters, shares = np.ones((1, fields.PARAMETER_COUNT)), np.ones((1, PITCH))
    assert loop(wrong, right, 26, 8, parameters, shares) == -1
    assert loop(right, wrong, 26, 8, parameters, shares) == -1
    assert (right == 7.0).all()
    assert (wrong == 7.0).all()


# what the loops do with the rows


def world_array(method="rk4", bodies=5):
    world = World(0.1, integrator=method)
    rng = np.random.default_rng(6)
    shape = MassProperties(2.0, [[2.0, 0.3, 0.1], [0.3, 3.0, 0.2], [0.1, 0.2, 4.0]])
    world.add_bodies(
        shape, rng.normal(size=(bodies, 3)), velocity=rng.normal(size=(bodies, 3)), angular_velocity_body=(1, 2, 3)
    )
    world.step()  # fills the wrench rows
    return world._columns.array.copy()


@pytest.mark.parametrize("method", METHODS)
def test_a_loop_keeps_the_tick_before_and_touches_no_column_beyond_the_count(method):
    array = world_array(method)
    before = array.copy()
    assert held_loop(method)(array, *NO_FIELDS, 8, 0.1, 1) == 1
    assert np.array_equal(array[PREVIOUS : PREVIOUS + STATE_ROWS, :5], before[:STATE_ROWS, :5])
    assert np.array_equal(array[2 * STATE_ROWS :], before[2 * STATE_ROWS :])
    assert np.array_equal(array[:, 8:], before[:, 8:])
    assert not np.array_equal(array[:STATE_ROWS, :5], before[:STATE_ROWS, :5])


@pytest.mark.parametrize("method", METHODS)
def test_quaternions_stay_of_unit_length(method):
    array = world_array(method)
    assert held_loop(method)(array, *NO_FIELDS, 8, 0.1, 500) == 500
    norms = np.sqrt((array[ORIENTATION : ORIENTATION + 4, :8] ** 2).sum(axis=0))
    assert np.abs(norms - 1.0).max() < 4e-16


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_loop_stops_at_the_first_tick_that_is_not_finite(bad):
    array = world_array()
    array[7, 3] = bad  # a velocity of the fourth body
    before = array.copy()
    assert held_loop("rk4")(array, *NO_FIELDS, 8, 0.1, 10) == 0
    assert np.array_equal(array[PREVIOUS : PREVIOUS + STATE_ROWS, :8], before[:STATE_ROWS, :8], equal_nan=True)
