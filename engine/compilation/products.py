"""Products that are added to blocks of 6 × 6 numbers, a row at a time.

The compiler makes no vectors of loops as short as these. Compiled code has them here; each number takes the same operations in the same
order as in plain Python, and so has the same bits.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from .compiler import COMPILED
from .kernel_types import Numba

Array = npt.NDArray[np.float64]


def take_product(blocks: Array, target: int, left: int, right: int) -> None:
    """Subtract the product of a block and a transposed one from another block; the products of numbers are subtracted in turn."""
    for i in range(6):
        for j in range(6):
            total = blocks[target, 6 * i + j]
            for k in range(6):
                total = total - blocks[left, 6 * i + k] * blocks[right, 6 * j + k]
            blocks[target, 6 * i + j] = total


def add_outer(
    blocks: Array, target: int, array: Array, row: int, weight: float, linear: int, left: int, right: int
) -> None:
    """Add a multiple of the outer product of two vectors of six numbers, which are in a row of an array, to a block.

    Args:
        blocks: The blocks.
        target: The block.
        array: The array of the vectors.
        row: The row.
        weight: The multiple.
        linear: The column of the first three numbers of both.
        left: The column of the last three numbers of the first.
        right: That of the second.
    """
    for i in range(6):
        share = weight * array[row, linear + i if i < 3 else left + i - 3]
        for j in range(6):
            blocks[target, 6 * i + j] += share * array[row, linear + j if j < 3 else right + j - 3]


if COMPILED:
    import numba
    from numba.core.cgutils import ir

    from .compiler import for_compiled_code

    # the identity of a kernel has the code of what stands here, and not of functions that this would call

    @for_compiled_code(take_product)
    def take_product(typing_context: Numba, blocks: Numba, target: Numba, left: Numba, right: Numba) -> Numba:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            word, data = ir.IntType(64), context.make_array(blocks)(context, builder, values[0]).data
            changed, one, other = (builder.gep(data, [builder.mul(each, word(36))]) for each in values[1:])
            for begin, width in ((0, 4), (4, 2)):
                vector = ir.VectorType(ir.DoubleType(), width)
                columns = [ir.Constant(vector, ir.Undefined)] * 6
                for j in range(width):
                    for k in range(6):
                        value = builder.load(builder.gep(other, [word(6 * (begin + j) + k)]))
                        columns[k] = builder.insert_element(columns[k], value, word(j))
                for i in range(6):
                    place = builder.bitcast(builder.gep(changed, [word(6 * i + begin)]), vector.as_pointer())
                    row = builder.load(place, align=8)
                    for k in range(6):
                        value, share = builder.load(builder.gep(one, [word(6 * i + k)])), columns[k]
                        for j in range(width):
                            share = builder.insert_element(share, value, word(j))
                        row = builder.fsub(row, builder.fmul(share, columns[k]))
                    builder.store(row, place, align=8)
            return context.get_dummy_value()

        return numba.types.none(blocks, *[numba.types.intp] * 3), generate

    @for_compiled_code(add_outer)
    def add_outer(
        typing_context: Numba,
        blocks: Numba,
        target: Numba,
        array: Numba,
        row: Numba,
        weight: Numba,
        linear: Numba,
        left: Numba,
        right: Numba,
    ) -> Numba:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            word = ir.IntType(64)
            to, given = (
                context.make_array(kind)(context, builder, value)
                for kind, value in ((blocks, values[0]), (array, values[2]))
            )
            changed = builder.gep(to.data, [builder.mul(values[1], word(36))])
            start = builder.gep(given.data, [builder.mul(values[3], builder.extract_value(given.shape, 1))])
            every, own, others = (
                [builder.load(builder.gep(builder.gep(start, [first]), [word(number)])) for number in range(3)]
                for first in values[5:]
            )
            shares = [builder.fmul(values[4], value) for value in every + own]
            for begin, width in ((0, 4), (4, 2)):
                vector = ir.VectorType(ir.DoubleType(), width)
                second = ir.Constant(vector, ir.Undefined)
                for j, value in enumerate((every + others)[begin : begin + width]):
                    second = builder.insert_element(second, value, word(j))
                for i, value in enumerate(shares):
                    place = builder.bitcast(builder.gep(changed, [word(6 * i + begin)]), vector.as_pointer())
                    share = second
                    for j in range(width):
                        share = builder.insert_element(share, value, word(j))
                    total = builder.fadd(builder.load(place, align=8), builder.fmul(share, second))
                    builder.store(total, place, align=8)
            return context.get_dummy_value()

        every_type = blocks, numba.types.intp, array, numba.types.intp, numba.types.float64, *[numba.types.intp] * 3
        return numba.types.none(*every_type), generate
