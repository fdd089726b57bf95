"""The pipeline for inlined functions."""

import gc
import itertools
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.compilation.compiler import COMPILED, inlined, kernel

from ..lengths import sized
from .test_kernels import needs_numba

if COMPILED:
    from numba.core import typing
    from numba.core.codegen import CPUCodegen
    from numba.core.compiler import Compiler
    from numba.core.postproc import PostProcessor
    from numba.core.typeinfer import CallConstraint
    from numba.core.types import BaseFunction

    from engine.compilation import inlining

ROOT = Path(__file__).parents[2]


@inlined
def powers(x):
    """1 + x + x² + x³ + x⁴ + x⁵, by many operations of the same types."""
    y = x * x
    z = y * x
    return 1.0 + x + y + z + y * y + y * z


@needs_numba
def test_numba_looks_once_for_the_type_of_an_operation(monkeypatch):
    looked_for = []
    look = BaseFunction.get_call_type

    def counted(self, context, arguments, named):
        if type(context).__name__ == "_Typing":
            looked_for.append((self, arguments))
        return look(self, context, arguments, named)

    monkeypatch.setattr(BaseFunction, "get_call_type", counted)

    @kernel("powers")
    def call(x, y):
        return powers(x) + powers(y)

    assert call(2.0, 3.0) == pytest.approx(63.0 + 364.0)
    assert len(looked_for) == len(set(looked_for)) <= 2


@needs_numba
def test_nothing_is_made_for_an_inlined_function_before_compiled_code_calls_it(monkeypatch, tmp_path):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))

    @inlined
    def twice(x):
        return 2.0 * x

    @kernel("twice")
    def call(x):
        return twice(x)

    assert "dispatcher" not in vars(twice._numba_type_)
    assert call(3.0) == 6.0
    assert "dispatcher" in vars(twice._numba_type_)


@needs_numba
def test_what_cannot_be_typed_is_an_error_every_time():
    @inlined
    def wrong(x):
        return x * "metre"

    for number in range(2):

        @kernel(f"wrong-{number}")
        def call(x):
            return wrong(x)

        with pytest.raises(Exception, match="No implementation of function Function"):
            call(2.0)


@needs_numba
def test_a_kernel_is_compiled_without_a_search_for_garbage(monkeypatch, tmp_path):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    optimize, was_searched = inlining._KernelLibrary._optimize_final_module, []

    def noted(library):
        was_searched.append(gc.isenabled())
        optimize(library)

    @kernel("without-search")
    def call(x):
        return powers(x)

    monkeypatch.setattr(inlining._KernelLibrary, "_optimize_final_module", noted)
    call(2.0)
    assert was_searched and not any(was_searched)
    assert gc.isenabled()
    gc.disable()
    try:
        call(2)  # compiled for another type
        assert not gc.isenabled(), "where a program does not search for garbage, it still does not"
    finally:
        gc.enable()


@needs_numba
def test_vectors_in_straight_code_are_looked_for_in_kernels_alone(monkeypatch, tmp_path):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    manage, asked, optimizing = CPUCodegen._module_pass_manager, [], _noted_optimization(monkeypatch)

    def managed(codegen, **options):
        asked.append((type(optimizing[-1]), options.get("slp_vectorize", True)))
        return manage(codegen, **options)

    @inlined
    def cube(x):
        return x * x * x

    @kernel("straight")
    def call(x):
        return cube(x)

    monkeypatch.setattr(CPUCodegen, "_module_pass_manager", managed)
    assert call(3.0) == 27.0
    assert (inlining._KernelLibrary, True) in asked
    assert (inlining._IntermediateLibrary, False) in asked and (inlining._IntermediateLibrary, True) not in asked


def _noted_optimization(monkeypatch):
    """A list to which every library is added when it is optimized as a whole."""
    libraries = []
    for kind in inlining._KernelLibrary, inlining._IntermediateLibrary:

        def noted(library, optimize=kind._optimize_final_module):
            libraries.append(library)
            optimize(library)

        monkeypatch.setattr(kind, "_optimize_final_module", noted)
    return libraries


@needs_numba
def test_a_function_that_adds_little_to_what_it_calls_is_optimized_with_its_callers(monkeypatch, tmp_path):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    manage, libraries = CPUCodegen._module_pass_manager, _noted_optimization(monkeypatch)
    ends = set()

    def managed(codegen, **options):
        ends.add(libraries[-1].name.rsplit(".", 1)[-1])
        return manage(codegen, **options)

    lines = "".join(f"    x = 0.5 * x - y / 3.0\n    y = y * 0.{number} - x * y\n" for number in range(10, 40))
    exec(f"def much(x):\n    y = x - 1.0\n{lines}    return x - y", names := {})
    much = inlined(names["much"])

    @inlined
    def little(x):
        return much(x)

    @kernel("of-little")
    def call(x):
        return little(x)

    monkeypatch.setattr(CPUCodegen, "_module_pass_manager", managed)
    assert call(1.5) == call.py_func(1.5)
    assert "much" in ends and "little" not in ends, ends
    assert any("of-little" in end for end in ends), ends


@needs_numba
def test_the_ends_of_the_lives_of_variables_are_looked_for_once(monkeypatch, tmp_path):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    look, looked_in = PostProcessor.run, []

    def noted(processor, *arguments, **named):
        looked_in.append(processor.func_ir.func_id.func_name)
        look(processor, *arguments, **named)

    @inlined
    def first(pair, x):
        return pair[0] * x if x > 0.0 else pair[1]

    @kernel("first-of-pair")
    def call(x):
        return first((2.0, 3.0), x)

    monkeypatch.setattr(PostProcessor, "run", noted)
    assert call(5.0) == 10.0
    assert len(looked_in) == 2, looked_in  # one for the kernel and one for the function


@needs_numba
def test_no_class_is_made_for_a_call_of_an_inlined_function(monkeypatch, tmp_path):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    made = []
    monkeypatch.setattr(typing, "make_concrete_template", lambda *arguments, **_: made.append(arguments))

    @kernel("many-calls")
    def call(x):
        return powers(x) + powers(x + 1.0) + powers(x + 2.0)

    assert call(1.0) == powers(1.0) + powers(2.0) + powers(3.0)
    assert not made


def test_an_engine_that_cannot_compile_says_so():
    """Numba is missing, or a version of it has other parts than those that the engine uses."""
    program = (
        "import sys; sys.modules['numba'] = None\n"
        "import engine\n"
        "world = engine.World(0.5); world.step(3); print(world.time)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "1.5\n"
    assert ran.stderr.startswith("nothing can be compiled (")
    assert ran.stderr.endswith("): the engine runs as plain Python, a hundred times slower or more\n")
    assert "numba" in ran.stderr


@inlined
def ladder(number, x):
    """The sum of x over 1 to a number."""
    total = 0.0
    for rung in range(1, number + 1):
        total += x / rung
    return total


@inlined
def by_stage(stage, x):
    return x if stage == 0 else 2.0 * x


@needs_numba
def test_integers_share_a_compiled_form_but_for_those_that_decide_what_is_compiled(monkeypatch, tmp_path):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))  # a kernel that is loaded compiles nothing

    @kernel("rungs")
    def call(x):
        total, number = 0.0, 1
        while number < 4:
            total += ladder(number, x)
            number += 1
        return total + ladder(3, x) + by_stage(0, x) + by_stage(1, x)

    assert call(6.0) == pytest.approx(6.0 + 9.0 + 11.0 + 11.0 + 6.0 + 12.0)
    assert len(ladder._numba_type_.dispatcher.overloads) == 1
    assert len(by_stage._numba_type_.dispatcher.overloads) == 2


@needs_numba
def test_a_variable_that_becomes_a_float_in_a_loop_is_one_from_its_beginning(monkeypatch, tmp_path):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))

    @inlined
    def sums(count, step):
        total, before = 0, 1
        for _ in range(count):
            before = total * 2
            total = total + step
        return total, before

    @kernel("sums")
    def call(count, step, found):
        found[0], found[1] = sums(count, step)

    found = np.zeros(2)
    call(3, 0.75, found)
    assert tuple(found) == (2.25, 3.0)


@needs_numba
def test_a_step_that_finds_types_is_taken_again_only_if_what_it_has_read_has_changed(monkeypatch, tmp_path):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    take, taken = CallConstraint.__call__, []

    def noted(step, inference):
        taken.append((inference.func_id.func_name, step.target))
        take(step, inference)

    @inlined
    def root(x):
        return math.sqrt(x)

    @kernel("roots")
    def call(x):
        return root(x) + root(2.0 * x)

    monkeypatch.setattr(CallConstraint, "__call__", noted)
    assert call(2.0) == pytest.approx(2.0 + math.sqrt(2.0))
    assert len(taken) == len(set(taken)) == 3


@needs_numba
@pytest.mark.parametrize("x", [2.75, -2.75, 0.0, -0.0, math.nan])
@pytest.mark.parametrize("y", [1.0, -0.0, math.nan])
def test_the_smaller_and_the_larger_of_two_numbers_and_whole_parts_are_those_of_python(x, y, monkeypatch, tmp_path):
    """With the same bits, and without a function that numba would compile for it."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    monkeypatch.delattr(Compiler, "define_pipelines")

    @inlined
    def ends(x, y, i, j):
        return min(x, y), max(x, y), float(min(i, j)), float(max(i, j)), float(int(x < y)), float(int(2.5 * i))

    @kernel("ends")
    def call(x, y, i, j, found):
        found[0], found[1], found[2], found[3], found[4], found[5] = ends(x, y, i, j)

    found = np.zeros(6)
    for i, j in ((3, -5), (-5, 3), (0, 7)):
        call(x, y, i, j, found)
        assert found.tobytes() == np.array(ends(x, y, i, j)).tobytes()


@needs_numba
def test_a_sum_in_place_may_be_the_first_sum_that_a_process_compiles(tmp_path):
    """numba writes it as an ordinary sum, for which nobody has asked before."""
    (tmp_path / "in_place.py").write_text(
        "from engine.compilation.compiler import kernel\n"
        "@kernel('in-place')\n"
        "def call(count, step):\n"
        "    count += step\n"
        "    return count\n"
        "print(call(3, 4))\n"
    )
    environment = {**os.environ, "POLHODE_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, str(tmp_path / "in_place.py")], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "7\n"


@needs_numba
def test_what_a_constant_rules_out_is_not_compiled(monkeypatch, tmp_path):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))

    @inlined
    def by_stage(stage, gyroscopic, x):
        if stage == 0:
            return x
        if gyroscopic:
            return 2.0 * x
        return "cannot be a number"

    @kernel("by-constants")
    def call(x):
        return by_stage(0, False, x) + by_stage(1, True, x)

    assert call(6.0) == 18.0


@inlined
def reciprocal(x):
    if x == 0.0:
        raise ValueError("nothing is the reciprocal of zero")
    return 1.0 / x


@inlined
def twice_the_reciprocal(x):
    return 2.0 * reciprocal(x)


@needs_numba
def test_an_exception_of_an_inlined_function_passes_through_its_callers(monkeypatch, tmp_path):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))

    @kernel("reciprocals")
    def call(x):
        return twice_the_reciprocal(x) + 1.0

    assert call(4.0) == 1.5
    with pytest.raises(ValueError, match="nothing is the reciprocal of zero"):
        call(0.0)


@inlined
def swap(array, here, there):
    array[here], array[there] = array[there], array[here]


ARRAYS = list(itertools.product([np.float64, np.int64, np.int32, np.bool_], [(7,), (3, 5), (2, 3, 4)], [True, False]))


@needs_numba
@pytest.mark.parametrize(("kind", "shape", "is_whole"), sized(ARRAYS[::5], ARRAYS))
def test_items_of_arrays_are_those_of_numpy(kind, shape, is_whole, monkeypatch, tmp_path):
    """From either end, at unsigned places too, and in arrays that leave out columns of another."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))

    @kernel("swaps")
    def call(array, here, there):
        swap(array, here, there)

    array = (np.arange(2 * np.prod(shape)) % 5).astype(kind).reshape(*shape[:-1], -1)
    array = np.ascontiguousarray(array[..., : shape[-1]]) if is_whole else array[..., ::2]
    random = np.random.default_rng(1)
    for made in (int, int, np.uint32, np.int8):
        low = 0 if made is np.uint32 else -1
        pairs = [tuple(made(random.integers(low * size, size)) for size in shape) for _ in range(2)]
        here, there = ((pair[0] if len(shape) == 1 else pair) for pair in pairs)
        wanted = array.copy()
        swap(wanted, here, there)
        call(array, here, there)
        np.testing.assert_array_equal(array, wanted)
