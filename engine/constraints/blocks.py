"""Cholesky's factorisation of a symmetric matrix of 6 × 6 blocks, by a program of operations on blocks.

The program is made once for each graph of joints (see `graph`). It has the operations on blocks in elimination order, so that the loops
here know nothing of the graph.
"""

from math import sqrt

from ..compilation.compiler import kernel
from ..loops.columns import Array, Integers
from .layout import (
    DIVIDE,
    FACTOR,
    LEFT,
    OPERATION,
    OTHER_PLACE,
    PLACE,
    RIGHT,
    SOLUTION,
    TARGET,
)


@kernel("blocks-factor")
def factor(blocks: Array, program: Integers, first: int, last: int) -> int:
    """Replace the lower triangle of a positive definite matrix by its Cholesky factor."""
    for number in range(first, last):
        operation, target = program[number, OPERATION], program[number, TARGET]
        left = program[number, LEFT]
        if operation == FACTOR:
            for j in range(6):
                total = blocks[target, 6 * j + j]
                for k in range(j):
                    total -= blocks[target, 6 * j + k] * blocks[target, 6 * j + k]
                pivot = sqrt(total)
                blocks[target, 6 * j + j] = pivot
                inverse = 1.0 / pivot
                for i in range(j + 1, 6):
                    total = blocks[target, 6 * i + j]
                    for k in range(j):
                        total -= blocks[target, 6 * i + k] * blocks[target, 6 * j + k]
                    blocks[target, 6 * i + j] = total * inverse
        elif operation == DIVIDE:
            for j in range(6):
                inverse = 1.0 / blocks[left, 6 * j + j]
                for i in range(6):
                    total = blocks[target, 6 * i + j]
                    for k in range(j):
                        total -= blocks[target, 6 * i + k] * blocks[left, 6 * j + k]
                    blocks[target, 6 * i + j] = total * inverse
        else:
            right = program[number, RIGHT]
            for i in range(6):
                for j in range(6):
                    total = blocks[target, 6 * i + j]
                    for k in range(6):
                        total -= blocks[left, 6 * i + k] * blocks[right, 6 * j + k]
                    blocks[target, 6 * i + j] = total
    return 0


@kernel("blocks-solve")
def solve(work: Array, blocks: Array, program: Integers, first: int, last: int) -> int:
    """Solve with the factor; the right-hand sides, in the six rows of the solution per place, are replaced."""
    # forwards
    for number in range(first, last):
        operation, block = program[number, OPERATION], program[number, TARGET]
        place, other = program[number, PLACE], program[number, OTHER_PLACE]
        if operation == FACTOR:
            for i in range(6):
                total = work[SOLUTION + i, place]
                for k in range(i):
                    total -= blocks[block, 6 * i + k] * work[SOLUTION + k, place]
                work[SOLUTION + i, place] = total / blocks[block, 6 * i + i]
        elif operation == DIVIDE:
            for i in range(6):
                total = work[SOLUTION + i, place]
                for k in range(6):
                    total -= blocks[block, 6 * i + k] * work[SOLUTION + k, other]
                work[SOLUTION + i, place] = total
    # backwards
    for back in range(last - first):
        number = last - 1 - back
        operation, block = program[number, OPERATION], program[number, TARGET]
        place, other = program[number, PLACE], program[number, OTHER_PLACE]
        if operation == FACTOR:
            for up in range(6):
                i = 5 - up
                total = work[SOLUTION + i, place]
                for k in range(i + 1, 6):
                    total -= blocks[block, 6 * k + i] * work[SOLUTION + k, place]
                work[SOLUTION + i, place] = total / blocks[block, 6 * i + i]
        elif operation == DIVIDE:
            for i in range(6):
                total = work[SOLUTION + i, other]
                for k in range(6):
                    total -= blocks[block, 6 * k + i] * work[SOLUTION + k, place]
                work[SOLUTION + i, other] = total
    return 0
