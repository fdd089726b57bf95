"""Compiling kernels in another process, so that a program that needs one in mid-flight does not stop for it.

The other process fills the cache on disk; this one loads from there what is done. It is started when first needed, asked by a thread, and
ends when this process does or when there has been nothing to do for a while. Set the environment variable POLHODE_BACKGROUND to 0 to have
none: then whatever is missing is compiled where it is needed.
"""

import logging
import os
import pickle
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from . import compiler

_LOG = logging.getLogger(__name__.split(".")[0])

_IDLE = 60.0
"""Seconds without work after which the other process is let go."""

Wanted = tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]
"""What makes a kernel, with its arguments, and the types of the kernel's own arguments."""


class _Workshop:
    """Asks another process for kernels, one after the other."""

    def __init__(self) -> None:
        self.arrivals = 0
        self.pending = 0
        self._asked: dict[Wanted, bool] = {}
        self._waiting: SimpleQueue[tuple[Wanted, bytes]] = SimpleQueue()
        self._thread: Thread | None = None
        self._is_usable = _may_start_processes()

    def ask(self, wanted: Wanted) -> bool:
        """Have a kernel compiled; whether that will be tried."""
        if not self._is_usable:
            return False
        if wanted not in self._asked:
            message = _portable(wanted)
            if message is not None and self._thread is None and not compiler.can_keep(wanted[0](*wanted[1])):
                self._is_usable = False
                return False
            self._asked[wanted] = message is not None
            if message is not None:
                self.pending += 1
                self._waiting.put((wanted, message))
                if self._thread is None:
                    self._thread = Thread(target=self._work, name="kernels", daemon=True)
                    self._thread.start()
        return self._asked[wanted] and self._is_usable

    def _work(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        while True:
            try:
                wanted, message = self._waiting.get(timeout=_IDLE)
            except Empty:
                if process is not None:
                    _let_go(process)
                    process = None
                continue
            try:
                if not compiler.is_kept(wanted[0](*wanted[1]), wanted[2]):
                    process = process or _start()
                    self._have_made(process, message)
            except Exception as error:  # whatever is wrong with the other process, this one can compile for itself
                self._is_usable = False
                _LOG.warning("kernels cannot be compiled in the background: %s: %s", type(error).__name__, error)
            finally:
                self.pending -= 1
                self.arrivals += 1

    def _have_made(self, process: "subprocess.Popen[bytes]", message: bytes) -> None:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(struct.pack("<Q", len(message)) + message)
        process.stdin.flush()
        answer = _read(process.stdout)
        if answer is None:
            raise RuntimeError("the other process has ended")
        name, seconds, trouble = pickle.loads(answer)
        if trouble is None:
            _LOG.info("compiled kernel %s in %.2f s (in the background)", name, seconds)
        else:
            _LOG.warning("the kernel %s could not be compiled in the background: %s", name, trouble)


def _may_start_processes() -> bool:
    # in a frozen program, or in one that has Python built in, the executable is that program and not an interpreter
    is_interpreter = Path(sys.executable or "").stem.lower().startswith(("python", "pypy"))
    is_frozen = bool(getattr(sys, "frozen", False))
    return compiler.COMPILED and is_interpreter and not is_frozen and os.environ.get("POLHODE_BACKGROUND") != "0"


def _portable(wanted: Wanted) -> bytes | None:
    """A request in a form that another process understands; None where it names something that only this one has."""
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
    process.stdin.close()
    process.wait()
    process.stdout.close()


def _read(stream: IO[bytes]) -> bytes | None:
    head = stream.read(8)
    if len(head) < 8:
        return None
    (length,) = struct.unpack("<Q", head)
    return stream.read(length)


def serve() -> None:
    """The other process: compile what is asked for until there is nobody to ask."""
    with suppress(AttributeError, OSError):
        os.nice(10)  # the game goes first
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed by what is imported is no answer
    while (message := _read(sys.stdin.buffer)) is not None:
        name, trouble, began = "?", None, time.perf_counter()
        try:
            factory, made_for, signature = pickle.loads(message)
            function = factory(*made_for)
            name = function.__qualname__
            compiler.compile_for(function, signature)
        except Exception as error:
            trouble = f"{type(error).__name__}: {error}"
        answer = pickle.dumps((name, time.perf_counter() - began, trouble))
        answers.write(struct.pack("<Q", len(answer)) + answer)
        answers.flush()


_workshop = _Workshop()


def ask(all_wanted: Iterable[Wanted]) -> bool:
    """Have kernels compiled in the background; whether that will be tried for all of them."""
    return all([_workshop.ask(wanted) for wanted in all_wanted])


def pending() -> int:
    """How many kernels are on their way."""
    return _workshop.pending


def arrivals() -> int:
    """How many requests have been answered in this process: what was missing before may be on disk now."""
    return _workshop.arrivals


def _start_anew() -> None:
    """The child of a fork has neither the thread nor the other process."""
    global _workshop
    _workshop = _Workshop()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)
