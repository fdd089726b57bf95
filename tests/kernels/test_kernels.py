"""The compiled loops are vectorised across bodies and reject a wrong array; for the cache see `test_kernel_cache.py`."""

import platform
import re

import numpy as np
import pytest

from engine import MassProperties, World, integrators
from engine.compilation import compiler
from engine.compilation.compiler import COMPILED
from engine.compilation.packed import Packed, example
from engine.flight import magnetorquer
from engine.forces import atmosphere, drag, gravity, radiation
from engine.loops import fields, one_step
from engine.loops.floating_point import new_control
from engine.loops.layout import (
    MOTOR_TORQUE,
    ORIENTATION,
    POINT_FORCE_ROWS,
    PREVIOUS,
    PREVIOUS_STORED_MOMENTUM,
    ROWS,
    SPRING_ROWS,
    STATE_ROWS,
    STORED_MOMENTUM,
)
from engine.loops.point_forces import ForceTables
from engine.loops.poses import blended_poses
from engine.loops.runs import members_of

from ..lengths import sized

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


def assembly(dispatcher, *signature):
    """The machine code of a loop, which is loaded from the cache or compiled.

    The assembly is made from the optimised module, which the cache keeps beside the machine code.
    """
    if platform.machine() not in MULTIPLICATIONS:
        pytest.skip(f"the assembly of {platform.machine()} is not known here")
    compiler.compile_for(dispatcher, signature)
    library = dispatcher.overloads[signature].library
    return library.codegen._tm.emit_assembly(library._get_module_for_linking())


def multiplications(dispatcher, *signature):
    """(packed, scalar) multiplications in the machine code of a loop."""
    text = assembly(dispatcher, *signature)
    return tuple(len(re.findall(pattern, text)) for pattern in MULTIPLICATIONS[platform.machine()])


def types():
    """Of an array, a control array, an integer and a real number."""
    from numba import types

    return types.Array(types.float64, 2, "C"), types.Array(types.int64, 1, "C"), types.int64, types.float64


def packed_type(kind):
    """Of a `Packed` with arguments that are such a named tuple."""
    return compiler.types_of(example(Packed[kind]))[0]


with_and_without_stores = pytest.mark.parametrize("stores", [False, True], ids=["plain", "stored"])
"""The two variants of a loop: for worlds where no body stores momentum, and for those where some do."""

NO_LAYERS = 0.0
"""What stands in the place of layers where there are no fields."""


def control_of(count=8, ticks=0):
    """What a loop is told and where it reports."""
    return new_control(ticks, count)


def held_loop(method, gyroscopic=True, kinds=(), stores=False):
    made = integrators.by_name[method]()
    return one_step.held_ticks(made.advance, made.stage_offsets, stores, gyroscopic, PITCH, kinds)


# A loop that vectorises stands there twice: packed for eight bodies at once (or four, or two) and scalar for what is left over. One that
# does not has no packed multiplication at all. Measured: equal numbers of both, give or take one.


@needs_numba
@pytest.mark.parametrize("method", sized(METHODS[::4], METHODS))
@with_and_without_stores
def test_held_ticks_are_packed_across_bodies(method, stores):
    array, control, integer, real = types()
    packed, scalar = multiplications(held_loop(method, stores=stores), array, control, real, real, integer)
    assert packed > 100
    assert packed >= 0.9 * scalar


@needs_numba
@pytest.mark.parametrize("method", ["rk4", "semi-implicit-euler", "midpoint"])
def test_held_ticks_with_fields_are_packed_across_bodies(method):
    array, control, integer, real = types()
    loop = held_loop(method, kinds=(gravity.POINT_GRAVITY, drag.LINEAR_DRAG))
    packed, scalar = multiplications(loop, array, control, array, real, integer)
    assert packed > 100
    assert packed >= 0.9 * scalar


@needs_numba
@pytest.mark.skipif(platform.machine() != "x86_64", reason="it is another instruction there")
@with_and_without_stores
def test_what_does_not_fit_into_registers_is_kept_at_cache_lines_of_the_stack(stores):
    """Wherever the stack of the process begins, so that a loop takes the same time in every process."""
    array, control, integer, real = types()
    loop = held_loop("rk4-body-rates", stores=stores)
    assert re.search(r"\band\w?\s+\$-64, %rsp", assembly(loop, array, control, real, real, integer))


@needs_numba
def test_poses_for_drawing_are_packed_across_bodies():
    array, _, integer, real = types()
    packed, scalar = multiplications(blended_poses, array, array, integer, integer, real, array, array)
    assert packed > 60
    assert packed >= 0.9 * scalar


@needs_numba
@pytest.mark.parametrize("method", sized(METHODS[::4], METHODS))
def test_passes_are_packed_across_bodies(method):
    """Each stage and the end of the tick; no loop that is called in between is part of it."""
    *_arrays, integer, _real = types()
    made = integrators.by_name[method]()
    loop = one_step.passes(made.advance, made.stage_offsets, False, True, False, PITCH)
    signature = packed_type(one_step.Passes), integer, integer
    packed, scalar = multiplications(loop, *signature)
    assert packed > 100
    assert packed >= 0.9 * scalar


LONG_FIELDS = (
    gravity.POINT_GRAVITY,
    gravity.GRAVITY_GRADIENT,
    atmosphere.ATMOSPHERIC_DRAG,
    radiation.RADIATION_PRESSURE,
    magnetorquer.MAGNETORQUER,
)
"""Fields with enough multiplications to count them."""


@needs_numba
@pytest.mark.parametrize("kind", LONG_FIELDS, ids=lambda kind: kind.name)
def test_fields_are_packed_across_bodies(kind):
    array, control, integer, real = types()
    passes = array, control, array, integer, array, integer, integer, real, real, real
    packed, scalar = multiplications(fields.field_passes(kind, PITCH), *passes)
    assert packed > 20
    assert packed >= 0.9 * scalar


@needs_numba
def test_the_count_of_packed_instructions_sees_a_loop_that_is_not():
    """The same loop without its pitch: the compiler cannot tell that rows do not overlap."""
    array, _, integer, real = types()

    @compiler.kernel("crawl")
    def crawl(array, count, dt, ticks):
        for column in range(count):
            x, y = array[0, column], array[1, column]
            for _ in range(ticks):
                x, y = x - dt * y, y + dt * x * y
            array[0, column], array[1, column] = x, y
        return 0

    packed, scalar = multiplications(crawl, array, integer, real, integer)
    assert scalar > 0
    assert packed < 0.9 * scalar


# a wrong array


@pytest.mark.parametrize("method", METHODS)
def test_a_loop_refuses_an_array_of_another_pitch_and_leaves_it_alone(method):
    made = integrators.by_name[method]()
    wrong = np.full((ROWS, PITCH - 8), 7.0)
    right = np.full((ROWS, PITCH), 7.0)
    control = control_of()
    assert held_loop(method)(wrong, control, NO_LAYERS, 0.1, 1) == -1
    assert held_loop(method, kinds=(drag.LINEAR_DRAG,))(right, control, wrong, 0.1, 1) == -1
    loop = one_step.passes(made.advance, made.stage_offsets, False, True, False, PITCH)
    calls, counts = np.zeros((1, 3), np.int64), np.zeros(2, np.int64)
    springs, points = np.zeros((SPRING_ROWS, 1)), np.zeros((POINT_FORCE_ROWS, 1))
    for array, stages, layers in ((wrong, wrong, wrong), (right, wrong, right), (right, right, wrong)):
        for stage in (-1, 0, len(made.stage_offsets)):
            forces = ForceTables(calls, layers, springs, points, counts)
            packed = Packed(one_step.Passes(array, control, stages, forces, members_of(0), 0.1))
            assert loop(packed, stage, 1) == -1
    assert (wrong == 7.0).all()
    assert (right == 7.0).all()
    assert control[:4].tolist() == [0, 8, -1, 1]


def test_a_field_refuses_an_array_of_another_pitch_and_leaves_it_alone():
    loop = fields.field_passes(drag.LINEAR_DRAG, PITCH)
    right, wrong = np.full((ROWS, PITCH), 7.0), np.full((ROWS, PITCH - 8), 7.0)
    for arrays in ((wrong, right, right), (right, wrong, right), (right, right, wrong)):
        array, states, layers = arrays
        assert loop(array, control_of(), states, 26, layers, 0, 1, 0.0, 0.1, 0.0) == -1
    assert (right == 7.0).all()
    assert (wrong == 7.0).all()


def test_a_loop_that_refused_its_array_is_an_error_and_never_a_number_of_ticks():
    assert one_step.accepted(0) == 0
    assert one_step.accepted(3) == 3
    with pytest.raises(RuntimeError, match="another pitch"):
        one_step.accepted(-1)


# what the loops do with the rows


def world_array(method="rk4", bodies=5):
    world = World(0.1, integrator=method)
    rng = np.random.default_rng(6)
    shape = MassProperties(2.0, [[2.0, 0.3, 0.1], [0.3, 3.0, 0.2], [0.1, 0.2, 4.0]])
    world.add_bodies(
        shape, rng.normal(size=(bodies, 3)), velocity=rng.normal(size=(bodies, 3)), angular_velocity_body=(1, 2, 3)
    )
    world.step()  # fills the wrench rows
    return world._bodies.array.copy()


@pytest.mark.parametrize("method", METHODS)
@with_and_without_stores
def test_a_loop_keeps_the_tick_before_and_touches_no_column_beyond_the_count(method, stores):
    array = world_array(method)
    before = array.copy()
    control = control_of(ticks=41)
    assert held_loop(method, stores=stores)(array, control, NO_LAYERS, 0.1, 1) == 1
    assert control[:4].tolist() == [42, 8, -1, 1]
    assert np.array_equal(array[PREVIOUS : PREVIOUS + STATE_ROWS, :5], before[:STATE_ROWS, :5])
    assert np.array_equal(array[2 * STATE_ROWS :], before[2 * STATE_ROWS :])
    assert np.array_equal(array[:, 8:], before[:, 8:])
    assert not np.array_equal(array[:STATE_ROWS, :5], before[:STATE_ROWS, :5])


@pytest.mark.parametrize("method", METHODS)
def test_quaternions_stay_of_unit_length(method):
    array = world_array(method)
    assert held_loop(method)(array, control_of(), NO_LAYERS, 0.1, 500) == 500
    norms = np.sqrt((array[ORIENTATION : ORIENTATION + 4, :8] ** 2).sum(axis=0))
    assert np.abs(norms - 1.0).max() < 4e-16


@pytest.mark.parametrize("method", METHODS)
def test_wheels_and_motors_of_zero_change_no_bit(method):
    """The two variants of a loop do the same to bodies without."""
    without, beside = world_array(method), world_array(method)
    held_loop(method)(without, control_of(), NO_LAYERS, 0.1, 20)
    held_loop(method, stores=True)(beside, control_of(), NO_LAYERS, 0.1, 20)
    assert without.tobytes() == beside.tobytes()


@pytest.mark.parametrize("method", METHODS)
def test_stored_momentum_is_part_of_the_tick_and_of_its_undoing(method):
    array, control = world_array(method), control_of()
    array[STORED_MOMENTUM : STORED_MOMENTUM + 3, :5] = np.array([[0.3], [0.2], [-0.7]])
    array[MOTOR_TORQUE, :5] = 0.5
    before = array.copy()
    assert held_loop(method, stores=True)(array, control, NO_LAYERS, 0.1, 1) == 1
    gain = array[STORED_MOMENTUM : STORED_MOMENTUM + 3, :5] - before[STORED_MOMENTUM : STORED_MOMENTUM + 3, :5]
    assert np.abs(gain - np.array([[0.05], [0.0], [0.0]])).max() < 1e-16
    kept = array[PREVIOUS_STORED_MOMENTUM : PREVIOUS_STORED_MOMENTUM + 3, :8]
    assert np.array_equal(kept, before[STORED_MOMENTUM : STORED_MOMENTUM + 3, :8])
    before = array.copy()
    array[MOTOR_TORQUE, 2] = np.inf
    assert held_loop(method, stores=True)(array, control, NO_LAYERS, 0.1, 1) == 0
    assert control[:4].tolist() == [1, 8, 2, 1]
    assert np.array_equal(array[STORED_MOMENTUM : STORED_MOMENTUM + 3], before[STORED_MOMENTUM : STORED_MOMENTUM + 3])
    assert np.array_equal(array[:STATE_ROWS], before[:STATE_ROWS])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("method", METHODS)
def test_a_tick_that_is_not_finite_is_undone_for_all_and_not_counted(method, bad):
    """The first bad column is reported; a later call that ends well reports none."""
    array = world_array(method)
    array[7, 3] = array[7, 4] = bad  # velocities of the fourth body and the fifth
    before = array.copy()
    control = control_of(ticks=5)
    assert held_loop(method)(array, control, NO_LAYERS, 0.1, 10) == 0
    assert control[:4].tolist() == [5, 8, 3, 1]
    assert np.array_equal(array[:STATE_ROWS], before[:STATE_ROWS], equal_nan=True)
    array[7, 3:5] = 0.0
    assert held_loop(method)(array, control, NO_LAYERS, 0.1, 10) == 10
    assert control[:4].tolist() == [15, 8, -1, 1]


def test_many_ticks_end_at_the_last_that_is_finite():
    """At 8e307 m/s the position overflows in the third tick of one second, in one call."""
    array = world_array("semi-implicit-euler")
    array[0:3, :5], array[7:10, :5] = 0.0, 0.0
    array[7, 2] = 8e307
    control = control_of()
    assert held_loop("semi-implicit-euler")(array, control, NO_LAYERS, 1.0, 10) == 2
    assert control[:4].tolist() == [2, 8, 2, 1]
    assert array[0, 2] == 1.6e308
    assert np.isfinite(array[:STATE_ROWS, :8]).all()
