"""The types of what is compiled, as far as type checkers can know them."""

from collections.abc import Callable
from typing import Any

Kernel = Callable[..., Any]
"""A function that is compiled, or the same source in plain Python; its arguments are numbers, arrays and tuples of these."""

Arguments = tuple[object, ...]
"""What a kernel is called with, or the types that numba has for these."""

Numba = Any
"""An object of numba's compiler, which is not annotated."""
