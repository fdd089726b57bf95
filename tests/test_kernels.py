"""The compiled loops: packed across bodies, safe against a wrong array, kept on disk and never run from old source."""

import logging
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import engine
from engine import MassProperties, World, integrators
from engine.kernels import fields, loops
from engine.kernels.compiler import COMPILED, source_stamp
from engine.kernels.layout import ORIENTATION, PREVIOUS, ROWS, STAGE_WRENCH, STATE_ROWS, WRENCH_ROWS
from engine.kernels.poses import blended_poses

ENGINE = Path(engine.__file__).parent
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


def test_kernels_are_said_to_compile_in_one_line():
    """The line goes to the package's own logger, once a process, wherever numba is at work."""
    from engine.kernels import compiler

    messages = []

    class Keep(logging.Handler):
        def emit(self, record):
            messages.append(record.getMessage())

    logger, handler = logging.getLogger("engine"), Keep()
    logger.addHandler(handler)
    said = list(compiler._said())
    try:
        compiler._said().clear()
        compiler._say_once("somewhere")
        compiler._say_once("somewhere")
        compiler._say_once(None)
    finally:
        logger.removeHandler(handler)
        compiler._said()[:] = said
    assert len(messages) == 1
    assert "compiling the physics kernels" in messages[0]
    assert "somewhere" in messages[0]


# the cache on disk

# One small kernel, which inlines the rotation of quaternions.py. The force (0, 0, 1) N at (1, 0, 0) m of a body turned by 90° about z, so
# at (0, 1, 0) m in the world, has the torque (1, 0, 0) N·m.
PROGRAM = """
import numpy
from engine.kernels import layout
from engine.kernels.points import STEADY_FORCE, pulls
array = numpy.zeros((layout.ROWS, 264))
array[layout.ORIENTATION + 2 : layout.ORIENTATION + 4, 0] = numpy.sqrt(0.5)
pulls(array, array, layout.WRENCH, numpy.array([[0, STEADY_FORCE, 1, 0, 0, 0, 0, 1, 0, 0, 0.0]]))
stats = pulls.stats
print(round(array[layout.WRENCH + layout.TORQUE_WORLD, 0], 9), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def run_copy(folder, **environment):
    """The torque that a copied engine works out, cache hits and misses of its kernel, and what it said."""
    clean = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=folder,
        env={**clean, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": "", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    torque, hits, misses = result.stdout.split()
    return float(torque), int(hits), int(misses), result.stderr.splitlines()


def copy_engine(folder):
    shutil.copytree(ENGINE, folder / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "engine" / "kernels"


def rewrite(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


@needs_numba
def test_kernels_are_compiled_once_and_never_run_from_old_source(tmp_path):
    """First run compiles and says so in one line; the second loads; a changed formula in a file that the loop inlines is compiled anew."""
    kernels = copy_engine(tmp_path)
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    torque, hits, misses, said = run_copy(tmp_path, **cache)
    assert (torque, hits, misses) == (1.0, 0, 1)
    assert len(said) == 1
    assert "compiling the physics kernels" in said[0]
    assert list((tmp_path / "cache").rglob("*.nbi"))

    torque, hits, misses, said = run_copy(tmp_path, **cache)
    assert (torque, hits, misses, said) == (1.0, 1, 0, [])

    # the formula stands in another file than the kernel, which is where numba's own cache would look
    rewrite(
        kernels / "quaternions.py", "vector_body[1] + (w * twice[1] + cy)", "vector_body[1] + 3.0 * (w * twice[1] + cy)"
    )
    torque, hits, misses, said = run_copy(tmp_path, **cache)
    assert (torque, hits, misses) == (3.0, 0, 1)
    assert len(said) == 1


@needs_numba
def test_a_folder_that_cannot_be_written_works_with_the_users_cache_and_without_any(tmp_path):
    """A file in the place of each cache folder stops even a superuser from writing there."""
    kernels = copy_engine(tmp_path)
    (kernels / "__pycache__").write_text("not a folder")
    user = {
        "HOME": str(tmp_path / "home"),
        "XDG_CACHE_HOME": str(tmp_path / "home" / "cache"),
        "LOCALAPPDATA": str(tmp_path / "home"),
    }
    torque, _, _, said = run_copy(tmp_path, **user)
    assert torque == 1.0
    assert len(said) == 1
    assert "kept in" in said[0]
    assert list((tmp_path / "home").rglob("*.nbi"))
    assert run_copy(tmp_path, **user) == (1.0, 1, 0, [])

    nowhere = tmp_path / "nowhere"
    nowhere.write_text("not a folder")
    user = dict.fromkeys(user, str(nowhere / "x"))
    torque, _, _, said = run_copy(tmp_path, **user)
    assert torque == 1.0
    assert len(said) == 1
    assert "no cache folder can be written" in said[0]


@needs_numba
def test_the_stamp_of_the_cache_is_of_every_file_of_the_folder(tmp_path):
    """Any change in any file changes it; files elsewhere do not."""
    import importlib.util

    folder = tmp_path / "kernels"
    shutil.copytree(ENGINE / "kernels", folder, ignore=shutil.ignore_patterns("__pycache__"))

    def stamp():
        specification = importlib.util.spec_from_file_location("compiler_of_a_copy", folder / "compiler.py")
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        return module.source_stamp()

    unchanged = stamp()
    assert unchanged == source_stamp()
    (tmp_path / "elsewhere.py").write_text("x = 1")
    assert stamp() == unchanged
    seen = {unchanged}
    for path in sorted(folder.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        path.write_text(text + "\n# changed\n", encoding="utf-8")
        seen.add(stamp())
        path.write_text(text, encoding="utf-8")
    assert len(seen) == 1 + len(list(folder.glob("*.py")))
    assert stamp() == unchanged
