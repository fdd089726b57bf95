"""Arguments of kernels that are kept in memory in their compiled form."""

import numpy as np
import pytest

from engine.compilation.compiler import kernel, plain, without_dispatch
from engine.compilation.packed import Packed, unpack
from engine.compilation.whole import call_whole

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
    assert sums(Packed(*given), result, 2.5) == 5
    assert result.tolist() == expected(2.5)
    assert given[1][0, 0] == 2.5


def test_packed_arguments_may_be_packed_again():
    result = np.zeros(3)
    assert nested(Packed(Packed(*arguments()), 30), result, 2.0) == 35
    assert result.tolist() == expected(2.0)


@needs_numba
def test_one_compiled_kernel_serves_all_that_is_packed_with_the_same_types():
    first, second, result = Packed(*arguments()), Packed(*arguments()), np.zeros(3)
    run = without_dispatch(sums, first, result, 1.5)
    second.arguments[0][1] = 12.0
    run(first, result, 1.5)
    assert result.tolist() == expected(1.5)
    run(second, result, 1.5)
    assert result[0] == expected(1.5)[0] + 10.0


def test_plain_python_restores_packed_arrays_as_well():
    array = np.array([1.0, 2.0])
    with pytest.raises(ZeroDivisionError):
        call_whole(plain(failing), (Packed(array), [1.0], 0.0))
    assert array.tolist() == [1.0, 2.0]
