"""The identity of a compiled function covers everything that its machine code depends on, and nothing else."""

import dis
import importlib
import math
import sys
import textwrap
import types
from collections import namedtuple
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import pytest

from engine import integrators, scalar
from engine.compilation import identity as identity_module
from engine.compilation.compiler import COMPILED, inlined, kernel
from engine.compilation.identity import identity
from engine.forces import gravity
from engine.loops import one_step

from ..plain_python import elsewhere, in_plain_python

PLAIN = {"math": math, "np": np}


def made(source, **variables):
    """The function `f` that a piece of source defines, with these globals."""
    space = {"__name__": "a_module", **PLAIN, **variables}
    exec(textwrap.dedent(source), space)
    return space["f"]


def of(source, **variables):
    return identity(made(source, **variables))


def adding(number):
    return lambda x: x + number


def reading(value):
    return identity(made("def f(x): return x if value else x", value=value))


class Point(NamedTuple):
    x: float
    y: float = 0.0


# what counts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(x): return x + 1.0", "def f(x): return x + 2.0"),
        ("def f(x): return x + 0.0", "def f(x): return x + -0.0"),
        ("def f(x): return x + 1", "def f(x): return x + 1.0"),
        ("def f(x): return x + 1", "def f(x): return x + True"),
        ("def f(x): return x + 1.0", "def f(x): return x - 1.0"),
        ("def f(x): return x + y", "def f(x): return x + z"),
        ("def f(x): return math.sin(x)", "def f(x): return math.cos(x)"),
        ("def f(x): return x.real", "def f(x): return x.imag"),
        ("def f(x, y=1.0): return x + y", "def f(x, y=2.0): return x + y"),
        ("def f(x, *, y=1.0): return x + y", "def f(x, *, y=2.0): return x + y"),
        ("def f(x, y): return x - y", "def f(y, x): return x - y"),
        ("def f(x): return x in (1, 2)", "def f(x): return x in (1, 3)"),
        ("def f(x): return x in {1, 2}", "def f(x): return x in {1, 3}"),
        ("def f(x): return (lambda y: y + 1)(x)", "def f(x): return (lambda y: y + 2)(x)"),
        ("def f(x): return 'a'", "def f(x): return 'b'"),
    ],
)
def test_code_constants_names_and_defaults_count(one, other):
    variables = {"y": 1.0, "z": 1.0}
    assert of(one, **variables) == of(one, **variables)
    assert of(one, **variables) != of(other, **variables)


@pytest.mark.parametrize(
    "other",
    [
        "# a comment\ndef f(x):\n    return helper(x) + K",
        "\n\n\ndef f(x):\n    # a comment\n\n    return helper(x) + K",
        "def f(x):\n    'A docstring.'\n    return helper(x) + K",
        "def f(x: float) -> float:\n    'Another docstring.'\n    return (helper(x)  +  K)",
    ],
)
def test_comments_line_numbers_docstrings_and_annotations_do_not_count(other):
    variables = {"K": 3.0, "helper": abs}
    plain = "def f(x):\n    'The docstring.'\n    return helper(x) + K"
    if "docstring" not in other:
        plain = "def f(x):\n    return helper(x) + K"
    assert of(other, **variables) == of(plain, **variables)


def test_a_string_that_a_lambda_returns_is_no_docstring():
    assert of("f = lambda: 'a'") != of("f = lambda: 'b'")


VALUES = [
    None,
    False,
    True,
    0,
    1,
    2**70,
    0.0,
    -0.0,
    1.0,
    math.nan,
    math.inf,
    1j,
    "",
    "1",
    b"1",
    ...,
    (),
    (1,),
    (1.0,),
    ((1,),),
    (1, (2, 3)),
    ((1, 2), 3),
    ((1, 2, 3),),
    ("astrb", "c"),  # with the names of their kinds, one text
    ("a", "bstrc"),
    Point(1.0, 2.0),
    (1.0, 2.0),
    Point,
    namedtuple("Point", "x z"),
    np.float64(1.0),
    np.float32(1.0),
    np.int64(1),
    np.float64,
    np.dtype("f8"),
    np.dtype("f4"),
    np.sqrt,
    np.cross,
    math.sqrt,
    abs,
    float,
    range,
    ValueError,
    adding(1.0),
    adding(2.0),
    lambda x: x,
]


def test_values_of_different_kind_or_size_count_as_different():
    found = [reading(value) for value in VALUES]
    assert len(set(found)) == len(VALUES)
    assert found == [reading(value) for value in VALUES]


def test_what_a_function_calls_counts_at_any_depth():
    """Globals of another module, closures over closures, defaults: a number changed four calls down."""

    def chain(number):
        inner = adding(number)
        middle = made("def f(x): return inner(x)", inner=inner)

        def outer(x, call=middle):
            return call(x)

        return made("def f(x): return outer(x)", outer=outer)

    assert identity(chain(1.0)) == identity(chain(1.0))
    assert identity(chain(1.0)) != identity(chain(2.0))


def test_the_module_counts():
    one, other = made("def f(x): return x"), made("def f(x): return x", __name__="another_module")
    assert identity(one) != identity(other)


def test_functions_that_call_each_other_have_an_identity():
    source = """
    def f(x): return x if x < 1 else g(x - 1)
    def g(x): return f(x - STEP)
    """
    assert of(source, STEP=1) == of(source, STEP=1)
    assert of(source, STEP=1) != of(source, STEP=2)


def test_a_global_that_is_only_an_attribute_elsewhere_is_not_read():
    """`x.shape` is no use of a global called `shape`, which may be anything."""
    assert of("def f(x): return x.shape", shape=[1]) == of("def f(x): return x.shape", shape=[2])


def test_many_globals_are_read_beyond_the_first_256():
    """Their numbers take an instruction of their own."""
    names = [f"g{number}" for number in range(300)]
    source = f"def f(x): return x + {' + '.join(names)}"
    values = dict.fromkeys(names, 1.0)
    assert of(source, **values) != of(source, **{**values, "g299": 2.0})
    assert any(instruction.opname == "EXTENDED_ARG" for instruction in dis.get_instructions(made(source, **values)))


def test_of_a_module_the_attributes_count_that_the_code_reads():
    constants = types.ModuleType("constants")
    constants.inner = types.ModuleType("constants.inner")
    constants.K, constants.unused, constants.inner.L = 1.0, [1], 1.0
    source = "def f(x): return x + constants.K + constants.inner.L"
    first = of(source, constants=constants)
    constants.unused = [2]
    assert of(source, constants=constants) == first
    constants.inner.L = 2.0
    second = of(source, constants=constants)
    constants.K = 2.0
    assert len({first, second, of(source, constants=constants)}) == 3

    def closes_over(module):
        return lambda x: x + (lambda: module.K)()

    third = identity(closes_over(constants))
    constants.K = 3.0
    assert identity(closes_over(constants)) != third


def test_two_lambdas_on_one_line_are_two():
    one, other = lambda x: x + 1.0, lambda x: x + 2.0
    assert identity(one) != identity(other)


def test_loops_made_by_a_factory_differ_by_what_they_close_over():
    from engine import integrators
    from engine.forces import drag
    from engine.loops import one_step

    def held(method, pitch=264, gyroscopic=True, with_fields=()):
        chosen = integrators.by_name[method]()
        loop = one_step.held_ticks(chosen.advance, chosen.stage_offsets, False, gyroscopic, pitch, with_fields)
        return identity(loop)

    every = [
        held("rk4"),
        held("midpoint"),
        held("rk4", pitch=1032),
        held("rk4", gyroscopic=False),
        held("rk4", with_fields=(drag.LINEAR_DRAG,)),
        held("rk4", with_fields=(drag.QUADRATIC_DRAG,)),
        held("rk4", with_fields=(drag.LINEAR_DRAG, drag.QUADRATIC_DRAG)),
        held("rk4", with_fields=(drag.QUADRATIC_DRAG, drag.LINEAR_DRAG)),
    ]
    assert len(set(every)) == len(every)


# what is rejected


class Number(IntEnum):
    ONE = 1


@pytest.mark.parametrize(
    ("value", "described"),
    [
        ([1.0], "of type list"),
        ({}, "of type dict"),
        ({1}, "of type set"),
        (np.zeros(3), "of type ndarray"),
        (object(), "of type object"),
        (Number.ONE, "of type Number"),
        (Number, "the class Number"),
        (math, "the module math as a value"),
        ([].append, "of type builtin_function_or_method"),
        ((1.0, [2.0]), "of type list"),
        (np.array([object()])[0], "of type object"),
        (np.dtype(object), "of type"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_anything_else_is_rejected_by_the_names_of_function_and_variable(value, described):
    reads = made("def f(x): return table", table=value)
    for function in (reads, made("def f(x): return g(x)", g=reads)):
        with pytest.raises(TypeError, match=r"a_module\.f: table is .* Pass anything else as an argument") as caught:
            identity(function)
        assert described in str(caught.value)


def test_a_rejected_default_or_closure_variable_is_named():
    values = [1.0]

    def reads(x):
        return values[0] + x

    def has_default(x, given=values):
        return given

    with pytest.raises(TypeError, match=r"reads: values is of type list"):
        identity(reads)
    with pytest.raises(TypeError, match=r"has_default: the default of given is of type list"):
        identity(has_default)


@pytest.mark.skipif(not COMPILED, reason="numba is missing or switched off: there is nothing compiled")
def test_a_kernel_that_reads_a_list_is_rejected_when_it_is_called():
    table = [1.0]

    @inlined
    def look_up(x):
        return x + table[0]

    @kernel("reads-a-list")
    def loop(array):
        array[0] = look_up(array[0])

    with pytest.raises(TypeError, match=r"look_up: table is of type list"):
        loop(np.zeros(1))


@pytest.mark.skipif(not COMPILED, reason="numba is missing or switched off: there is nothing compiled")
def test_how_a_called_function_is_compiled_counts():
    import numba

    def double(x):
        return x + x

    plain, fast = numba.njit(double), numba.njit(fastmath=True)(double)
    assert len({of("def f(x): return g(x)", g=function) for function in (double, plain, fast)}) == 3
    assert identity(plain) == identity(double)


@pytest.mark.skipif(not COMPILED, reason="numba is missing or switched off: there is nothing compiled")
def test_what_an_intrinsic_generates_counts():
    from numba.extending import intrinsic

    def generating(width):
        source = f"""
        def f(context):
            def generate(*arguments): return {width}
            return None, generate
        """
        return of("def f(x): return x if g() else x", g=intrinsic(made(source)))

    assert generating(256) == generating(256)
    assert generating(256) != generating(512)


# other processes and other times


def identities():
    """That of a loop, and those of functions that are no kernels."""
    rk4 = integrators.by_name["rk4"]()
    loop = one_step.held_ticks(rk4.advance, rk4.stage_offsets, False, True, 264, (gravity.POINT_GRAVITY,))
    functions = gravity.point_gravity, scalar.power, adding(1.0), made("def f(x): return x in {'a', 'b', 'c'}")
    return [identity(loop), [identity(function) for function in functions]]


def test_the_identity_is_the_same_in_every_process():
    """Hash seeds and addresses differ between processes; a field's identity is the same in plain Python, too."""
    loop, fields = identities()
    assert elsewhere({"PYTHONHASHSEED": "1"}, identities) == [loop, fields]
    assert in_plain_python(identities)[1] == fields


def test_a_constant_changed_in_another_module_counts_after_a_reload(tmp_path, monkeypatch):
    (tmp_path / "identity_constants.py").write_text("K = 1.0\n")
    (tmp_path / "identity_reader.py").write_text("from identity_constants import K\ndef f(x):\n    return K * x\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    constants, reader = importlib.import_module("identity_constants"), importlib.import_module("identity_reader")
    before = identity(reader.f)
    importlib.reload(reader)
    assert identity(reader.f) == before
    (tmp_path / "identity_constants.py").write_text("K = 2.0  # changed\n")
    importlib.reload(constants)
    importlib.reload(reader)
    assert identity(reader.f) != before


def test_the_docstring_of_identity_is_true():
    import doctest

    assert doctest.testmod(identity_module).failed == 0
