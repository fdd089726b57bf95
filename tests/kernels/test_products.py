"""Products that are added to blocks of 6 × 6 numbers: compiled code has the bits of plain Python, and both those of matrices."""

import numpy as np
import pytest

from engine.compilation.compiler import kernel, plain
from engine.compilation.products import add_outer, take_product
from engine.loops.columns import Array


@kernel("test-products")
def products(blocks: Array, array: Array, weight: float) -> int:
    take_product(blocks, 2, 0, 3)
    add_outer(blocks, 1, array, 2, weight, 4, 8, 11)
    return 0


@pytest.mark.parametrize("seed", range(5))
def test_compiled_products_have_the_bits_of_those_number_by_number(seed):
    draw = np.random.default_rng(seed)
    blocks, array = draw.normal(size=(4, 36)), draw.normal(size=(3, 15))
    expected, scale = blocks.copy(), 10.0 ** draw.integers(-3, 4)
    products(blocks, array, scale)
    plain(products)(expected, array, scale)
    assert blocks.tobytes() == expected.tobytes()


def test_they_are_those_of_matrices_and_change_no_other_block():
    draw = np.random.default_rng(7)
    blocks, array = draw.normal(size=(4, 6, 6)), draw.normal(size=(3, 15))
    changed = blocks.copy()
    products(changed.reshape(4, 36), array, 0.25)
    left, right = array[2, [4, 5, 6, 8, 9, 10]], array[2, [4, 5, 6, 11, 12, 13]]
    expected = blocks.copy()
    expected[2] -= blocks[0] @ blocks[3].T
    expected[1] += 0.25 * np.outer(left, right)
    np.testing.assert_allclose(changed, expected, rtol=0, atol=1e-14)
    assert np.array_equal(changed[[0, 3]], blocks[[0, 3]])
