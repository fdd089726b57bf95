"""Compilation of kernels in a second process, so that a running simulation does not stop to wait for the compiler.

The compiler process writes each kernel to the cache on disk, and this process loads it from there. The compiler process starts when the
first kernel is requested. A thread sends it the requests. It ends when this process ends, or after some time without work. To disable it,
set the environment variable POLHODE_BACKGROUND to 0; missing kernels are then compiled in this process when they are needed.
"""

import logging
import os
import pickle
import signal
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from . import compiler

_LOG = logging.getLogger("polhode")

_IDLE = 60.0
"""Time without work [s] after which the compiler process ends."""
_NOT_KEPT = "compiled code can no longer be written to the cache folder"
_MOST_FAILURES = 3
"""Number of compiler processes that may die before no other one is started."""

Wanted = tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]
"""The factory of a kernel, the arguments of the factory, and the types of the kernel's own arguments."""


class _Workshop:
    """Requests kernels from the compiler process, one at a time."""

    def __init__(self, answered: int = 0, arrivals: int = 0) -> None:
        """Make an empty queue; the numbers only grow, even from one workshop to the next."""
        self.requested = answered
        self.answered = answered
        self.arrivals = arrivals
        self.pending = 0
        self._messages: dict[Wanted, bytes | None] = {}
        self._urgent: deque[Wanted] = deque()
        self._standby: deque[Wanted] = deque()
        self._called_for: set[Wanted] = set()
        self._requests: SimpleQueue[None] = SimpleQueue()
        """One entry per request in either queue: it wakes the thread, in one step that no interrupt can divide."""
        self._thread: Thread | None = None
        self.is_usable = _may_start_processes()

    def ask(self, wanted: Wanted, urgent: bool) -> bool:
        """Request the compilation of a kernel; return whether it will be attempted.

        Urgent requests, for loops that would run now, go before those for loops that may be needed later.
        """
        if not self.is_usable:
            return False
        is_new = wanted not in self._messages
        if is_new:
            message = _portable(wanted)
            if message is not None and self._thread is None and not compiler.can_keep(wanted[0](*wanted[1])):
                self.is_usable = False
                return False
            self._messages[wanted] = message
        if self._messages[wanted] is None:
            return False
        if urgent and wanted not in self._called_for:
            self._called_for.add(wanted)
            self.pending += 1
            self._urgent.append(wanted)
        elif is_new:
            self._standby.append(wanted)
        else:
            return True
        self.requested += 1
        self._requests.put(None)
        if self._thread is None:
            self._thread = Thread(target=self._work, name="kernels", daemon=True)
            self._thread.start()
        return True

    def _work(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        failures = 0
        while True:
            try:
                self._requests.get(timeout=_IDLE)
            except Empty:
                if process is not None:
                    _let_go(process)
                    process = None
                continue
            is_urgent = bool(self._urgent)
            wanted = (self._urgent if is_urgent else self._standby).popleft()
            try:
                while self.is_usable and not compiler.is_kept(wanted[0](*wanted[1]), wanted[2]):
                    try:
                        process = process or _start()
                        self._have_made(process, wanted)
                        break
                    except (OSError, EOFError) as error:  # the process was killed, or could not be started
                        if process is not None:
                            _let_go(process)
                            process = None
                        failures += 1
                        if failures == _MOST_FAILURES:
                            raise
                        _LOG.warning("the compiler process is started again: %s", _in_words(error))
            except Exception as error:  # without the compiler process, this process compiles by itself
                self.is_usable = False
                _LOG.warning("kernels cannot be compiled in the background: %s", _in_words(error))
            finally:
                self.answered += 1
                self.pending -= is_urgent
                self.arrivals += is_urgent

    def _have_made(self, process: "subprocess.Popen[bytes]", wanted: Wanted) -> None:
        assert process.stdin is not None and process.stdout is not None
        message = self._messages[wanted] or b""
        process.stdin.write(struct.pack("<Q", len(message)) + message)
        process.stdin.flush()
        answer = _read(process.stdout)
        if answer is None:
            raise EOFError("the compiler process ended before it answered")
        seconds, trouble = pickle.loads(answer)
        name = wanted[0](*wanted[1]).__qualname__
        if trouble == _NOT_KEPT:
            raise RuntimeError(trouble)
        if trouble is None:
            _LOG.info("compiled kernel %s in %.2f s (in the background; it was not in the cache)", name, seconds)
        else:
            self._messages[wanted] = None  # this process compiles it by itself
            _LOG.warning("the kernel %s could not be compiled in the background: %s", name, trouble)


def _may_start_processes() -> bool:
    # in a frozen program, or in one that has Python built in, the executable is that program and not an interpreter
    is_interpreter = Path(sys.executable or "").stem.lower().startswith(("python", "pypy"))
    is_frozen = bool(getattr(sys, "frozen", False))
    return compiler.COMPILED and is_interpreter and not is_frozen and os.environ.get("POLHODE_BACKGROUND") != "0"


def _portable(wanted: Wanted) -> bytes | None:
    """Pickle a request for the compiler process; return None if the request refers to something that exists only in this process."""
    try:
        message = pickle.dumps(wanted)
    except Exception:
        return None
    return None if b"__main__" in message else message


def _start() -> "subprocess.Popen[bytes]":
    command = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve()"
    flags: dict[str, Any] = {}
    if sys.platform == "win32":
        flags["creationflags"] = subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
    return subprocess.Popen(
        [sys.executable, "-c", command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"POLHODE_ANY_PROCESSOR": "0"},
        **flags,
    )


def _let_go(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None and process.stdout is not None
    with suppress(OSError):  # what was written to a process that has died
        process.stdin.close()
    process.wait()
    process.stdout.close()


def _in_words(error: Exception) -> str:
    """An error without the paths that those of the operating system name."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{type(error).__name__}: {text}"


def _read(stream: IO[bytes]) -> bytes | None:
    head = stream.read(8)
    if len(head) < 8:
        return None
    (length,) = struct.unpack("<Q", head)
    return stream.read(length)


def serve() -> None:
    """Compile the requested kernels until the requesting process ends; this is the main function of the compiler process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is for the simulation
    with suppress(AttributeError, OSError):
        os.nice(10)  # the simulation has priority
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output printed by imported modules must not mix with the answers
    while (message := _read(sys.stdin.buffer)) is not None:
        trouble, began = None, time.perf_counter()
        try:
            factory, made_for, signature = pickle.loads(message)
            function = factory(*made_for)
            compiler.compile_for(function, signature)
            if not compiler.is_kept(function, signature):
                trouble = _NOT_KEPT
        except Exception as error:
            trouble = _in_words(error)
        answer = pickle.dumps((time.perf_counter() - began, trouble))
        answers.write(struct.pack("<Q", len(answer)) + answer)
        answers.flush()


_workshop = _Workshop()


def ask(all_wanted: Iterable[Wanted], urgent: bool = True) -> bool:
    """Request the compilation of kernels in the background; return whether it will be attempted for all of them."""
    return all([_workshop.ask(wanted, urgent) for wanted in all_wanted])


def is_usable() -> bool:
    """Return whether kernels are compiled in the background."""
    return _workshop.is_usable


def pending() -> int:
    """Number of urgent requests that are not answered yet."""
    return _workshop.pending


def arrivals() -> int:
    """Number of urgent requests answered in this process; when it grows, a faster loop may be on disk."""
    return _workshop.arrivals


def answered() -> int:
    """Number of all requests answered in this process; when it grows, a kernel that was missing may be on disk."""
    return _workshop.answered


def _start_anew() -> None:
    """Start with an empty queue in the child of a fork, which has neither the thread nor the compiler process."""
    global _workshop
    _workshop = _Workshop(_workshop.answered + 1, _workshop.arrivals + 1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)
