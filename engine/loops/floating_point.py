"""Detection of floating-point modes that would change results, on the thread that runs a loop."""

from typing import NoReturn

import numpy as np

from ..compilation.compiler import inlined
from .columns import Integers
from .layout import CONTROL_LENGTH, ONE, STORING

_LEAST_NORMAL = 2.0**-1022
_ONE_AND_A_HALF_OF_IT = 1.5 * 2.0**-1022
_QUARTER_OF_A_STEP, _THREE_QUARTERS_OF_A_STEP = 0.25 * 2.0**-52, 0.75 * 2.0**-52
"""Shares of the distance from 1 to the next float."""


def new_control(ticks: int, columns: int) -> Integers:
    """Return the values for loops over bodies, in the order of `loops.layout`; any body may store momentum."""
    behind = np.iinfo(np.int64).max
    return np.array([ticks, columns, -1, 1, 0, 0, 0, *[behind] * (CONTROL_LENGTH - STORING - 1)], np.int64)


@inlined
def is_other_mode(control: Integers) -> bool:
    """Whether this thread rounds other than to nearest, or takes denormal numbers for zero as operands or as results.

    A compiler computes expressions of constants itself, in its own mode, so the number one is read from `control`. Sums and differences of
    denormal numbers take no longer than others on x86-64, but products do.
    """
    one = float(control[ONE])
    least, more = one * _LEAST_NORMAL, one * _ONE_AND_A_HALF_OF_IT
    half = more - least  # zero as a result that is flushed
    keeps_denormals = half + least == more  # false as well if the operand is read as zero
    is_nearest = one + _QUARTER_OF_A_STEP == one and one + _THREE_QUARTERS_OF_A_STEP > one
    return not (keeps_denormals and is_nearest)


def refuse_mode(owner: str = "World.step") -> NoReturn:
    """Raise the error for a thread in another mode.

    Raises:
        RuntimeError: Always; it says how to switch the mode off.
    """
    raise RuntimeError(
        f"{owner}: the floating-point mode of this thread has been changed, usually by another library: it rounds other than to nearest, "
        "or takes denormal numbers for zero (flush-to-zero, denormals-are-zero). Results would differ in their last bits from those of "
        "other machines, so nothing was moved. Switch the mode off in this thread: torch.set_flush_denormal(False), "
        "_MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_OFF) and _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_OFF), or fesetenv(FE_DFL_ENV) in "
        "C; a library compiled with -ffast-math may set it when it is loaded"
    )
