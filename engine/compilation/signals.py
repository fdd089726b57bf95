"""Compilation that the handlers of signals do not interrupt.

Python runs the handlers of signals, Ctrl-C among them, between any two instructions of the main thread. An exception raised by a handler
inside the compiler is lost in a function that the compiler calls back, or it leaves the compiler in a state in which its next use crashes
the process. A separate thread does not help: the compiler imports the module of the function that it compiles, and would wait for ever
where the main thread is importing that module.
"""

import signal
from collections.abc import Callable, Iterable
from threading import current_thread, main_thread
from types import FrameType
from typing import TypeVar

try:  # the one of `signal` makes a member of an enumeration, which takes 0.3 ms for all signals
    from _signal import getsignal  # type: ignore[import-not-found]
except ImportError:
    from signal import getsignal

Result = TypeVar("Result")
Handler = Callable[[int, FrameType | None], object]
_ALL = tuple(map(int, signal.valid_signals()))


def uninterrupted(function: Callable[[], Result]) -> Result:
    """Call a function; the handlers of signals that arrive meanwhile run when it has ended.

    Raises:
        BaseException: The exception that the function raised, or one that a handler raised afterwards.
    """
    if current_thread() is not main_thread():  # handlers run in the main thread only
        return function()
    handlers = {number: getsignal(number) for number in _ALL}
    replaced: dict[int, Handler] = {number: handler for number, handler in handlers.items() if callable(handler)}
    arrived: dict[int, None] = {}

    def note(number: int, frame: object) -> None:
        arrived[number] = None

    try:
        for number in replaced:
            signal.signal(number, note)
        return function()
    finally:
        _restore(replaced)
        _deliver(arrived)


def _restore(handlers: dict[int, Handler]) -> None:
    """Set the handlers of signals, all of them also if one runs and raises before the last one is set."""
    raised: BaseException | None = None
    while handlers:
        try:
            number, handler = next(iter(handlers.items()))
            signal.signal(number, handler)
            del handlers[number]
        except BaseException as error:
            raised = raised or error
    if raised is not None:
        raise raised


def _deliver(numbers: Iterable[int]) -> None:
    """Run the handlers of signals, all of them also if one raises."""
    raised: BaseException | None = None
    for number in numbers:
        try:
            signal.raise_signal(number)
        except BaseException as error:
            raised = raised or error
    if raised is not None:
        raise raised
