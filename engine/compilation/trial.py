"""Check that a user's scalar function can be compiled into loops, when it is created and not when it first runs."""

import dis
import re
from collections.abc import Callable

from .compiler import COMPILED, compile_inlined
from .identity import functions_of
from .kernel_types import Arguments, Kernel, Numba
from .signals import uninterrupted

if COMPILED:
    import numba

_MOST_CAUSE = 300


def check_compiles(
    function: Kernel, where: str, file: str, samples: list[Arguments], is_result: Callable[[object], bool], rule: str
) -> None:
    """Reject a function that cannot be used in loops.

    Args:
        function: An inlined function.
        where: Its name and location, for error messages.
        file: The file that defines it. Error messages quote only line numbers of this file.
        samples: Arguments of the types with which it will be called. It must return a value for at least one of them.
        is_result: Tells whether a value is a valid result.
        rule: The description of a valid result, for error messages.

    Raises:
        TypeError: If the function reads an array or another object from outside, cannot be compiled, or returns an invalid result.
    """
    try:
        functions = functions_of(function)
    except (TypeError, AttributeError) as error:
        raise TypeError(f"{where}: {error}") from None
    for each in functions:
        _refuse_exits(each, where)
    if COMPILED:
        _compile(function, where, samples[0], file)
    for sample in samples:
        try:
            result = function(*sample)
        except ArithmeticError:  # undefined at this sample, but possibly defined elsewhere
            return
        except Exception as error:
            # for example, the root of a negative number, which may not occur with another sample
            if isinstance(error, ValueError) and sample is not samples[-1]:
                continue
            raise TypeError(f"{where}: it raised {type(error).__name__}: {error}") from error
        if not is_result(result):
            raise TypeError(f"{where}: it must return {rule}; it returned {result!r:.200}")
        return


def _refuse_exits(function: Kernel, where: str) -> None:
    """Reject a function that raises, or that ends without a result in some case.

    Loops over bodies cannot pass an exception on. They would silently leave out the body, and those after it.
    """
    line, last = function.__code__.co_firstlineno, None
    for instruction in dis.get_instructions(function.__code__):
        line = getattr(instruction.positions, "lineno", None) or line
        if instruction.opname == "RAISE_VARARGS":
            raise TypeError(
                f"{where}: it must not raise or assert (line {line}), because compiled loops cannot pass an exception on; "
                "return numbers for every body"
            )
        returned = instruction if instruction.opname == "RETURN_CONST" else last
        if instruction.opname.startswith("RETURN_") and returned is not None and "CONST" in returned.opname:
            if returned.argval is None:
                raise TypeError(f"{where}: it must return a result in every case; it may return None (line {line})")
        last = instruction


def _compile(function: Numba, where: str, sample: tuple[object, ...], file: str) -> None:
    try:
        types = tuple(numba.typeof(argument) for argument in sample)
        uninterrupted(lambda: compile_inlined(function, types))
    except (numba.core.errors.NumbaError, numba.core.errors.UnsupportedBytecodeError, AttributeError) as error:
        raise TypeError(f"{where}: it cannot be compiled: {_cause(str(error), file)}") from None


def _cause(message: str, file: str) -> str:
    """Extract the innermost cause from a message of the compiler, with its line number."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", message)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [
        line
        for line in lines
        if not re.match(r"(Failed in|During:|File |<source|raised from|- Resolution|There are|Overload|\^|def )", line)
    ]
    places = re.findall(rf'{re.escape(file)}", line (\d+)', text)
    cause = (told[0] if told else lines[0] if lines else "unknown reason").rstrip(".")
    if raised := re.search(r"\. Raised from .* \((\d+)\)$", cause):
        cause, places = cause[: raised.start()], [raised[1]]
    if helper := re.match(r"Untyped global name '(\w+)': .*<class 'function'>", cause):
        cause = f"it calls {helper[1]}, which must be marked with engine.scalar.inlined"
    place = f" (line {places[-1]})" if places else ""
    return f"{cause[:_MOST_CAUSE]}{place}"
