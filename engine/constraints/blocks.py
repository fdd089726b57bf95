"""Cholesky's factorisation of a symmetric matrix of 6 × 6 blocks, by a program of operations on blocks.

The program is made once for each structure of islands (see `graph`). It has the operations on blocks in elimination order, so that the
loops here know nothing of the graph. Its numbers count from the first block and the first place of an island, so that equal islands share
one program. On the diagonal, the factor has the inverses of its numbers there, which are what both loops need.
"""

from math import sqrt

from ..compilation.compiler import assume_separate_rows, inlined, kernel
from ..compilation.products import take_product
from ..loops.columns import Array, IntegerTable
from .layout import (
    BLOCKS,
    BODIES,
    DIVIDE,
    FACTOR,
    LEFT,
    OPERATION,
    OTHER_PLACE,
    PLACE,
    PROGRAM,
    PROGRAM_END,
    RIGHT,
    SOLUTION,
    TARGET,
)

Six = tuple[float, float, float, float, float, float]
"""A row of a block, or the part of a right-hand side that belongs to one body."""


@inlined
def _row(blocks: Array, block: int, i: int) -> Six:
    """Load a row of a block; in registers, it need not be loaded again after each store."""
    return (
        float(blocks[block, 6 * i]),
        float(blocks[block, 6 * i + 1]),
        float(blocks[block, 6 * i + 2]),
        float(blocks[block, 6 * i + 3]),
        float(blocks[block, 6 * i + 4]),
        float(blocks[block, 6 * i + 5]),
    )


@inlined
def _column(blocks: Array, block: int, j: int) -> Six:
    """Load a column of a block."""
    return (
        float(blocks[block, j]),
        float(blocks[block, 6 + j]),
        float(blocks[block, 12 + j]),
        float(blocks[block, 18 + j]),
        float(blocks[block, 24 + j]),
        float(blocks[block, 30 + j]),
    )


@inlined
def _less(total: float, a: Six, b: Six) -> float:
    """A number less the sum of products, which are subtracted in turn."""
    total = total - a[0] * b[0]
    total = total - a[1] * b[1]
    total = total - a[2] * b[2]
    total = total - a[3] * b[3]
    total = total - a[4] * b[4]
    return total - a[5] * b[5]


@inlined
def _forwards(blocks: Array, block: int, a: Six) -> Six:
    """Solve ``L x = a`` with the factor of a diagonal block."""
    b = blocks
    x = a[0] * float(b[block, 0])
    y = (a[1] - b[block, 6] * x) * float(b[block, 7])
    z = (a[2] - b[block, 12] * x - b[block, 13] * y) * float(b[block, 14])
    u = (a[3] - b[block, 18] * x - b[block, 19] * y - b[block, 20] * z) * float(b[block, 21])
    v = (a[4] - b[block, 24] * x - b[block, 25] * y - b[block, 26] * z - b[block, 27] * u) * float(b[block, 28])
    w = a[5] - b[block, 30] * x - b[block, 31] * y - b[block, 32] * z - b[block, 33] * u - b[block, 34] * v
    return x, y, z, u, v, w * float(b[block, 35])


@inlined
def _backwards(blocks: Array, block: int, a: Six) -> Six:
    """Solve ``Lᵀ x = a`` with the factor of a diagonal block."""
    b = blocks
    w = a[5] * float(b[block, 35])
    v = (a[4] - b[block, 34] * w) * float(b[block, 28])
    u = (a[3] - b[block, 33] * w - b[block, 27] * v) * float(b[block, 21])
    z = (a[2] - b[block, 32] * w - b[block, 26] * v - b[block, 20] * u) * float(b[block, 14])
    y = (a[1] - b[block, 31] * w - b[block, 25] * v - b[block, 19] * u - b[block, 13] * z) * float(b[block, 7])
    x = a[0] - b[block, 30] * w - b[block, 24] * v - b[block, 18] * u - b[block, 12] * z - b[block, 6] * y
    return x * float(b[block, 0]), y, z, u, v, w


@inlined
def _solution(work: Array, place: int) -> Six:
    """Load the part of the solution that belongs to a body."""
    return (
        float(work[SOLUTION, place]),
        float(work[SOLUTION + 1, place]),
        float(work[SOLUTION + 2, place]),
        float(work[SOLUTION + 3, place]),
        float(work[SOLUTION + 4, place]),
        float(work[SOLUTION + 5, place]),
    )


@inlined
def _set_solution(work: Array, place: int, value: Six) -> None:
    """Store the part of the solution that belongs to a body."""
    for entry in range(6):
        work[SOLUTION + entry, place] = value[entry]


@kernel("blocks-factor")
def factor(blocks: Array, program: IntegerTable, islands: IntegerTable, island: int) -> int:
    """Replace the lower triangle of the positive definite matrix of an island by its Cholesky factor, with inverses on the diagonal."""
    assume_separate_rows()
    first_block = islands[island, BLOCKS]
    for number in range(islands[island, PROGRAM], islands[island, PROGRAM_END]):
        operation, target = program[number, OPERATION], first_block + program[number, TARGET]
        left = first_block + program[number, LEFT]
        if operation == FACTOR:
            for j in range(6):
                total = blocks[target, 6 * j + j]
                for k in range(j):
                    total -= blocks[target, 6 * j + k] * blocks[target, 6 * j + k]
                inverse = 1.0 / sqrt(total)
                blocks[target, 6 * j + j] = inverse
                for i in range(j + 1, 6):
                    total = blocks[target, 6 * i + j]
                    for k in range(j):
                        total -= blocks[target, 6 * i + k] * blocks[target, 6 * j + k]
                    blocks[target, 6 * i + j] = total * inverse
        elif operation == DIVIDE:
            for i in range(6):
                row = _forwards(blocks, left, _row(blocks, target, i))
                for j in range(6):
                    blocks[target, 6 * i + j] = row[j]
        else:
            take_product(blocks, target, left, first_block + program[number, RIGHT])
    return 0


@kernel("blocks-solve")
def solve(work: Array, blocks: Array, program: IntegerTable, islands: IntegerTable, island: int) -> int:
    """Solve with the factor of an island; the right-hand sides, in the six rows of the solution per place, are replaced."""
    assume_separate_rows()
    first, last = islands[island, PROGRAM], islands[island, PROGRAM_END]
    first_place, first_block = islands[island, BODIES], islands[island, BLOCKS]
    # forwards
    for number in range(first, last):
        operation, block = program[number, OPERATION], first_block + program[number, TARGET]
        place, other = first_place + program[number, PLACE], first_place + program[number, OTHER_PLACE]
        if operation == FACTOR:
            _set_solution(work, place, _forwards(blocks, block, _solution(work, place)))
        elif operation == DIVIDE:
            value = _solution(work, other)
            for i in range(6):
                work[SOLUTION + i, place] = _less(work[SOLUTION + i, place], _row(blocks, block, i), value)
    # backwards
    for back in range(last - first):
        number = last - 1 - back
        operation, block = program[number, OPERATION], first_block + program[number, TARGET]
        place, other = first_place + program[number, PLACE], first_place + program[number, OTHER_PLACE]
        if operation == FACTOR:
            _set_solution(work, place, _backwards(blocks, block, _solution(work, place)))
        elif operation == DIVIDE:
            value = _solution(work, place)
            for i in range(6):
                work[SOLUTION + i, other] = _less(work[SOLUTION + i, other], _column(blocks, block, i), value)
    return 0
