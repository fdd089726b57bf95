"""Arguments of kernels that are kept in memory in their compiled form."""

from types import GenericAlias
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pytest

from engine.compilation.compiler import kernel, plain, types_of, without_dispatch
from engine.compilation.packed import Packed, declared, example, unpack
from engine.compilation.whole import call_whole
from engine.loops.columns import Array, Integers, IntegerTable, Numbers

from .test_kernels import needs_numba


@kernel("packed-sums")
def sums(packed, result, factor):
    flat, square, integers, (inner, number), whole, share = unpack(packed)
    result[0] = flat[1] + square[1, 2] + inner[0, 1] + share
    result[1] = flat.shape[0] + 10 * square.shape[0] + 100 * square.shape[1] + 1000 * inner.shape[1]
    result[2] = integers[2] + 10 * whole + number * factor
    square[0, 0] = factor
    return integers[0]


@kernel("packed-nested")
def nested(packed, result, factor):
    inside, one = unpack(packed)
    return one + sums(inside, result, factor)


@kernel("packed-failing")
def failing(packed, result, factor):
    (array,) = unpack(packed)
    array[0] = 7.0
    return int(result[0] / factor)


def arguments():
    flat, square = np.array([1.0, 2.0, 4.0]), np.arange(6.0).reshape(2, 3)
    every_second = np.arange(16.0).reshape(2, 8)[:, ::2]  # numba has its strides to find what is where
    return flat, square, np.array([5, -6, -7]), (every_second, 8), -9, 0.25


def expected(factor):
    return [2.0 + 5.0 + 2.0 + 0.25, 3 + 20 + 300 + 4000, -7 - 90 + 8 * factor]


def test_a_kernel_reads_and_writes_what_is_packed():
    given, result = arguments(), np.zeros(3)
    assert sums(Packed(given), result, 2.5) == 5
    assert result.tolist() == expected(2.5)
    assert given[1][0, 0] == 2.5


def test_packed_arguments_may_be_packed_again():
    result = np.zeros(3)
    assert nested(Packed((Packed(arguments()), 30)), result, 2.0) == 35
    assert result.tolist() == expected(2.0)


class Few(NamedTuple):
    """Arguments of every type that annotations can say."""

    table: Array
    numbers: Numbers
    whole: int
    row: Integers
    rows: IntegerTable
    pair: tuple[float, Array]


class Renamed(NamedTuple):
    """The same types under other names."""

    table: Array
    whole: Numbers
    numbers: int
    row: Integers
    rows: IntegerTable
    pair: tuple[float, Array]


@kernel("packed-named")
def by_name(packed: Packed[Few], factor: float) -> int:
    few = unpack(packed)
    few.table[0, 0] = few.numbers[0] * factor + few.pair[0] + few.pair[1][0, 1]
    return few.row[1] + 10 * few.rows[1, 0] + few.whole


def test_arguments_are_known_by_their_names():
    few = Few(
        np.zeros((2, 2)), np.array([3.0]), 500, np.array([7, 8]), np.array([[1], [2]]), (0.5, np.array([[0, 4.0]]))
    )
    assert by_name(Packed(few), 2.0) == 528
    assert few.table[0, 0] == 10.5


def test_annotations_say_of_which_types_the_arguments_of_a_kernel_are():
    (packed, factor), few = declared(by_name).arguments, example(Few)
    assert type(factor) is float
    assert [each.ndim for each in (few.table, few.numbers, few.row, few.rows, few.pair[1])] == [2, 1, 1, 2, 2]
    assert [each.dtype.kind for each in (few.table, few.numbers, few.row, few.rows)] == list("ffii")
    given = Packed(Few(np.ones((3, 2)), np.ones(4), 1, np.array([1]), np.array([[1, 2]]), (1.0, np.ones((1, 3)))))
    assert types_of(given) == types_of(packed)


@needs_numba
def test_a_kernel_is_compiled_anew_where_fields_change_places():
    """The code of the kernel has only the names, and the types are in the same order."""
    assert str(types_of(example(Packed[Few]))) != str(types_of(example(Packed[Renamed])))


@needs_numba
def test_one_compiled_kernel_serves_all_that_is_packed_with_the_same_types():
    first, second, result = Packed(arguments()), Packed(arguments()), np.zeros(3)
    run = without_dispatch(sums, first, result, 1.5)
    second.arguments[0][1] = 12.0
    run(first, result, 1.5)
    assert result.tolist() == expected(1.5)
    run(second, result, 1.5)
    assert result[0] == expected(1.5)[0] + 10.0


@needs_numba
def test_arguments_of_other_types_are_not_taken_for_known_ones():
    """The types are kept by what decides them: also the order of the elements and whether they may be written."""
    square, read_only = np.zeros((4, 4)), np.zeros((4, 4))
    read_only.flags.writeable = False
    every_one = [square, read_only, square.T, square[:, ::2], square[0], square.astype(int), np.zeros((0, 4))]
    every_one += [1.0, 1, True, (square,), Packed((square,)), Packed((read_only,)), Renamed(*example(Renamed))]
    for _again in range(2):
        names = [str(types_of(Packed((each,)))) for each in every_one]
        assert names[0] == names[6]
        assert len(set(names)) == len(names) - 1
    assert str(types_of(Packed(tuple(example(Few))))) != str(types_of(Packed(example(Few))))


def test_plain_python_restores_packed_arrays_as_well():
    array = np.array([1.0, 2.0])
    with pytest.raises(ZeroDivisionError):
        call_whole(plain(failing), (Packed((array,)), [1.0], 0.0))
    assert array.tolist() == [1.0, 2.0]


Scalar = TypeVar("Scalar", bound=np.generic)


class NamedAlias:
    """What `type NDArray[Scalar] = ...` makes, with which NumPy 2.5 defines `NDArray`; Python 3.11 has no such statement."""

    __value__ = np.ndarray[Any, np.dtype[Scalar]]


@pytest.mark.parametrize("scalar, like", [(np.float64, np.zeros((1, 1))), (np.int64, np.zeros(1, np.int64))])
def test_an_array_may_be_annotated_by_an_alias_with_a_name(scalar, like):
    found = example(GenericAlias(NamedAlias, (scalar,)))
    assert (found.dtype, found.ndim) == (like.dtype, like.ndim)
