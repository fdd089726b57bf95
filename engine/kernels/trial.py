"""Whether a scalar function of somebody else can be compiled into loops, said when it is made and not when it first runs."""

import re
from collections.abc import Callable
from typing import Any

from .compiler import COMPILED
from .identity import identity

if COMPILED:
    import numba

_MOST_CAUSE = 300


def check_compiles(
    function: Any, where: str, file: str, samples: list[tuple[Any, ...]], is_result: Callable[[Any], bool], rule: str
) -> None:
    """Reject a function that loops could not use.

    Args:
        function: An inlined function.
        where: Its name and place, for error texts.
        file: The file that it stands in; lines of others say nothing to its author.
        samples: Arguments of the types that it will be given; it must have a value for one of them.
        is_result: Whether a value is what it must return.
        rule: What that is, in words.

    Raises:
        TypeError: It reads an array or another object from outside, cannot be compiled, or returns something else.
    """
    try:
        identity(function)
    except TypeError as error:
        raise TypeError(f"{where}: {error}") from None
    if COMPILED:
        _compile(function, where, samples[0], file)
    for sample in samples:
        try:
            result = function(*sample)
        except ArithmeticError:  # no value at this sample; it may have one elsewhere
            return
        except Exception as error:
            # the root of a negative number, perhaps, which another sample does not ask for
            if isinstance(error, ValueError) and sample is not samples[-1]:
                continue
            raise TypeError(f"{where}: it raised {type(error).__name__}: {error}") from error
        if not is_result(result):
            raise TypeError(f"{where}: it must return {rule}; it returned {result!r:.200}")
        return


def _compile(function: Any, where: str, sample: tuple[Any, ...], file: str) -> None:
    try:
        function._dispatcher.compile(tuple(numba.typeof(argument) for argument in sample))
    except numba.core.errors.NumbaError as error:
        raise TypeError(f"{where}: it cannot be compiled: {_cause(str(error), file)}") from None


def _cause(message: str, file: str) -> str:
    """The innermost cause in a message of the compiler, with the line that it names."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", message)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [
        line
        for line in lines
        if not re.match(r"(Failed in|During:|File |<source|raised from|- Resolution|There are|Overload|\^|def )", line)
    ]
    places = re.findall(rf'{re.escape(file)}", line (\d+)', text)
    cause = (told[0] if told else lines[0] if lines else "unknown reason").rstrip(".")
    place = f" (line {places[-1]})" if places else ""
    return f"{cause[:_MOST_CAUSE]}{place}"
