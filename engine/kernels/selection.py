"""Selecting one of two values, in functions that also run on whole arrays."""

from typing import TypeVar

from ..compilation.compiler import inlined

Value = TypeVar("Value")


@inlined
def choose(condition: bool, yes: Value, no: Value) -> Value:
    """The same as a conditional expression, which arrays cannot have; both values are computed first."""
    return yes if condition else no
