"""Compilation of kernels in other processes, so that a running simulation does not stop to wait for the compiler.

A compiler process writes each kernel to the cache on disk, and this process loads it from there. The first one starts when the first kernel
is requested. A thread sends it the requests, one at a time. It ends after some seconds without work. When this process ends, it finishes
its kernel and takes no other. The compiler processes of all programs that share a cache folder are together no more than the processor
cores, and a kernel that one of them is compiling is left to it (see `locks`).

What was requested and has not arrived when a program ends is written down, and comes first when the program runs again.

To disable all this, set the environment variable POLHODE_BACKGROUND to 0; missing kernels are then compiled in this process when they are
needed.
"""

import atexit
import gc
import hashlib
import logging
import os
import pickle
import signal
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import IO

from . import compiler, kernel_files
from .kernel_types import Arguments, Kernel
from .locks import Slot

_LOG = logging.getLogger("polhode")

_IDLE = 5.0
"""Time without work [s] after which a compiler process ends and leaves its place to those of other programs."""
_PAUSE = 0.05
"""Time [s] after which to look again for a kernel that another program compiles, or for a free place."""
_NOT_KEPT = "compiled code can no longer be written to the cache folder"
_TAKEN = "another program is compiling it"
_MOST_FAILURES = 3
"""Number of compiler processes that may die before no other one is started."""
_NICENESS = 5
"""Processor time goes to the simulation first. With 10, on a machine with other work, no kernel at all was compiled in 84 s."""

Wanted = tuple[Kernel, Arguments, Arguments]
"""The factory of a kernel, the arguments of the factory, and the types of the kernel's own arguments."""
_Request = tuple[Wanted, deque[Wanted]]
"""A kernel, and the queue from which its request was taken."""
_Launch = Callable[[tuple[int, ...]], "subprocess.Popen[bytes]"]


class _Workshop:
    """Requests kernels from compiler processes, one at a time from each."""

    def __init__(self, answered: int = 0, arrivals: int = 0, launch: "_Launch | None" = None) -> None:
        """Make an empty queue; the numbers only grow, even from one workshop to the next.

        Compiler processes are started by `launch`, which is given the file descriptors that they inherit.
        """
        self._launch = launch
        self.answered = answered
        self.arrivals = arrivals
        self._messages: dict[Wanted, bytes | None] = {}
        self._awaited: dict[Wanted, None] = {}
        """The urgent requests that are not answered yet, in order."""
        self._in_vain: dict[Wanted, None] = {}
        """What the last run of this program requested in vain and is not answered yet, in order."""
        self._left_over: deque[Wanted] = deque()
        self._urgent: deque[Wanted] = deque()
        self._shared: deque[Wanted] = deque()
        """What this process compiles itself at the same time, beginning at the other end."""
        self._standby: deque[Wanted] = deque()
        self._elsewhere: deque[_Request] = deque()
        """What another program is compiling."""
        self._called_for: set[Wanted] = set()
        self._wakes: SimpleQueue[None] = SimpleQueue()
        """One entry per request: it wakes a thread, in one step that no interrupt can divide."""
        self._threads: list[Thread] = []
        self._at_work = 0
        self._counting = Lock()
        self._failures = 0
        self._written: list[bytes] = []
        self.is_usable = _may_start_processes()

    @property
    def pending(self) -> int:
        """Number of urgent requests that are not answered yet."""
        return len(self._awaited)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left to be compiled."""
        return not (self._at_work or self._awaited or self._elsewhere or any(self._queues))

    @property
    def _queues(self) -> tuple[deque[Wanted], ...]:
        """What is to be compiled, in this order."""
        return self._left_over, self._urgent, self._shared, self._standby

    def is_awaited(self, wanted: Wanted) -> bool:
        """Whether a request is urgent and not answered yet."""
        return wanted in self._awaited

    def missing(self) -> tuple[str, ...]:
        """The names of the kernels that are urgent and not answered yet."""
        return tuple(_name(wanted) for wanted in list(self._awaited))

    def ask(self, wanted: Wanted, urgent: bool) -> bool:
        """Request the compilation of a kernel; return whether it will be attempted.

        Urgent requests, for loops that would run now, go before those for loops that may be needed later.
        """
        if not self._accepts(wanted):
            return False
        is_new = wanted not in self._called_for
        if urgent and wanted not in self._awaited:
            self._called_for.add(wanted)
            try:
                self._awaited[wanted] = None
                self._urgent.append(wanted)
                self._wake()
            except BaseException:
                self._awaited.pop(wanted, None)
                raise
        elif is_new:
            self._called_for.add(wanted)
            self._standby.append(wanted)
            self._wake()
        return True

    def share(self, all_wanted: Sequence[Wanted], processes: int) -> None:
        """Have this many processes compile kernels, beginning with the last one, until none is left or `share` is called again."""
        self._shared.clear()
        self._shared.extend(wanted for wanted in reversed(all_wanted) if self._accepts(wanted))
        for _ in range(min(processes, len(self._shared))):
            self._wake(processes)

    def _accepts(self, wanted: Wanted) -> bool:
        """Whether a kernel can be compiled by another process."""
        if not self.is_usable:
            return False
        if wanted not in self._messages:
            message = _portable(wanted)
            if message is not None and not self._threads and not compiler.can_keep(wanted[0](*wanted[1])):
                self.is_usable = False
                return False
            self._messages[wanted] = message
        return self._messages[wanted] is not None

    def _wake(self, threads: int = 1) -> None:
        self._wakes.put(None)
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if len(self._threads) < threads:
            is_first = not self._threads
            thread = Thread(target=self._work, args=(is_first,), name="kernels", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self, is_first: bool) -> None:
        """Compile what is requested; the first thread goes on for ever, others end when nothing is left."""
        process: _Process | None = None
        if is_first:
            self._remember()
        while True:
            with self._counting:
                self._at_work += 1
            while (found := self._next()) is not None:
                process = self._serve(process, *found)
            with self._counting:
                self._at_work -= 1
            self._note()
            try:
                self._wakes.get(timeout=_IDLE)
            except Empty:
                if process is not None:
                    process.let_go()
                    process = None
                if not is_first:
                    return
                self._wakes.get()

    def _next(self) -> "_Request | None":
        """The next request."""
        self._note()
        for _ in range(len(self._elsewhere)):  # what has been written there is here
            wanted, queue = self._elsewhere.popleft()
            if compiler.is_kept(wanted[0](*wanted[1]), wanted[2]):
                self._answer(wanted, queue)
            else:
                self._elsewhere.append((wanted, queue))
        for queue in self._queues:
            with suppress(IndexError):
                return queue.popleft(), queue
        with suppress(IndexError):
            found = self._elsewhere.popleft()
            time.sleep(_PAUSE)
            return found
        return None

    def _serve(self, process: "_Process | None", wanted: Wanted, queue: deque[Wanted]) -> "_Process | None":
        """Have a kernel compiled unless it is kept already; return the process that does it, if there is one."""
        try:
            while self.is_usable and not compiler.is_kept(wanted[0](*wanted[1]), wanted[2]):
                try:
                    process = process or self._start(wanted)
                    if process is None:
                        queue.appendleft(wanted)
                        time.sleep(_PAUSE)
                        return None
                    if not self._have_made(process, wanted):
                        self._elsewhere.append((wanted, queue))
                        return process
                    break
                except (OSError, EOFError) as error:  # the process was killed, or could not be started
                    if process is not None:
                        process.let_go()
                        process = None
                    self._failures += 1
                    if self._failures >= _MOST_FAILURES:
                        raise
                    _LOG.warning("the compiler process is started again: %s", _in_words(error))
        except Exception as error:  # without the compiler process, this process compiles by itself
            self.is_usable = False
            _LOG.warning("kernels cannot be compiled in the background: %s", _in_words(error))
        self._answer(wanted, queue)
        return process

    def _answer(self, wanted: Wanted, queue: deque[Wanted]) -> None:
        """Count a request as answered, whether its kernel is here or is to be compiled by this process."""
        is_urgent = queue is self._urgent
        if is_urgent:
            _load_ahead(wanted)
        with self._counting:
            self.answered += 1
            self.arrivals += is_urgent  # before it is no longer awaited, so that whoever sees that looks again
        self._in_vain.pop(wanted, None)
        if is_urgent:
            self._awaited.pop(wanted, None)

    def _start(self, wanted: Wanted) -> "_Process | None":
        """Start a compiler process; None if there are as many as there are processor cores."""
        folder = compiler.cache_folder(wanted[0](*wanted[1]))
        slot = Slot(-1) if folder is None else Slot.take(folder, cores())
        return None if slot is None else _Process(slot, self._launch or _launch)

    def _have_made(self, process: "_Process", wanted: Wanted) -> bool:
        """Have a process compile a kernel; return False if another program is doing so."""
        seconds, trouble = process.compile(self._messages[wanted] or b"")
        name = _name(wanted)
        if trouble == _TAKEN:
            return False
        if trouble == _NOT_KEPT:
            raise RuntimeError(trouble)
        if trouble is None:
            _LOG.info("compiled kernel %s in %.2f s (in the background; it was not in the cache)", name, seconds)
        else:
            self._messages[wanted] = None  # this process compiles it by itself
            _LOG.warning("the kernel %s could not be compiled in the background: %s", name, trouble)
        return True

    # what was requested in vain

    def _note(self) -> None:
        """Write down what is awaited, for the next run of this program."""
        awaited = dict.fromkeys((*list(self._in_vain), *list(self._awaited)))
        messages = [message for wanted in awaited if (message := self._messages.get(wanted))]
        if messages != self._written:
            self._written = messages
            kernel_files.write_note(compiler.engine_folders(), _program(), pickle.dumps(messages) if messages else None)

    def leave(self) -> None:
        """Write down what was requested while the threads were at work, because this process ends."""
        if self._threads:
            self._note()

    def _remember(self) -> None:
        """Put what the last run of this program has requested in vain before everything else."""
        with suppress(Exception):  # a file that is damaged, or of another version
            self._written = pickle.loads(kernel_files.read_note(compiler.engine_folders(), _program()) or b"")
            for message in self._written:
                with suppress(Exception):  # a module that no longer exists
                    wanted = pickle.loads(message)
                    self._messages[wanted] = message
                    self._in_vain[wanted] = None
                    self._left_over.append(wanted)


class _Process:
    """A compiler process."""

    def __init__(self, slot: Slot, launch: "_Launch") -> None:
        self._slot = slot
        try:
            self._process = launch(slot.inherited)
        except BaseException:
            slot.release()
            raise
        slot.hand_over()

    def compile(self, message: bytes) -> tuple[float, str | None]:
        """Compile what a message describes, and return the time that it took [s] and what went wrong.

        Raises:
            EOFError: If the process has ended.
            OSError: If it has ended.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(struct.pack("<Q", len(message)) + message)
        stdin.flush()
        answer = _read(stdout)
        if answer is None:  # the status tells whether it was killed, and by which signal
            raise EOFError(f"the compiler process ended with status {self._process.wait()} before it answered")
        seconds, trouble = pickle.loads(answer)
        return seconds, trouble

    def let_go(self) -> None:
        """Wait until the process has ended, which it does when it has finished its kernel."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(OSError):  # what was written to a process that has died
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._slot.release()


def cores() -> int:
    """Number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _program() -> str:
    """The name under which requests of this program are written down."""
    return hashlib.sha256(
        os.path.abspath(sys.argv[0] if sys.argv else "").encode("utf-8", "surrogatepass")
    ).hexdigest()[:16]


def _name(wanted: Wanted) -> str:
    kernel: Kernel = wanted[0](*wanted[1])
    return str(getattr(kernel, "py_func", kernel).__qualname__)


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


_loading = Lock()
"""Held while a kernel is loaded in a thread, so that no process forks meanwhile and inherits locks of the compiler for ever."""
_is_leaving = False
"""Whether this process ends. Loading registers finalizers, which must not happen while Python goes through all of them."""


def _load_ahead(wanted: Wanted) -> None:
    """Load a kernel in the present thread, so that the frame that calls it first takes no longer for that.

    Not while a module is being imported: loading may wait for that module, and the import for a kernel.
    """
    with _loading:
        if not _is_leaving and not _is_importing():
            with suppress(Exception):  # whoever calls the kernel is told
                compiler.can_run(wanted[0](*wanted[1]), wanted[2])


def _is_importing() -> bool:
    """Whether a thread of this process is importing a module."""
    for module in list(sys.modules.values()):
        with suppress(AttributeError):
            # in any other way, a module that is imported when an attribute of it is read would be imported now
            if getattr(object.__getattribute__(module, "__dict__").get("__spec__"), "_initializing", False):
                return True
    return False


def _launch(inherited: tuple[int, ...] = ()) -> "subprocess.Popen[bytes]":
    command = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve()"
    flags = 0
    if sys.platform == "win32":
        flags, inherited = subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS, ()
    return subprocess.Popen(
        [sys.executable, "-c", command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"POLHODE_ANY_PROCESSOR": "0"},
        creationflags=flags,
        pass_fds=inherited,
    )


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
        os.nice(_NICENESS)
    gc.disable()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output printed by imported modules must not mix with the answers
    with suppress(OSError):  # nobody reads an answer whose program has ended
        while (message := _read(sys.stdin.buffer)) is not None:
            trouble, began = None, time.perf_counter()
            compiler.collect_seldom()
            try:
                factory, made_for, signature = pickle.loads(message)
                function = factory(*made_for)
                if not compiler.compile_unless_taken(function, signature):
                    trouble = _TAKEN
                elif not compiler.is_kept(function, signature):
                    trouble = _NOT_KEPT
            except Exception as error:
                trouble = _in_words(error)
            answer = pickle.dumps((time.perf_counter() - began, trouble))
            answers.write(struct.pack("<Q", len(answer)) + answer)
            answers.flush()
    os._exit(0)  # taking the compiler down piece by piece takes half a second


_workshop = _Workshop()


def ask(all_wanted: Iterable[Wanted], urgent: bool = True) -> bool:
    """Request the compilation of kernels in the background; return whether it will be attempted for all of them."""
    return all([_workshop.ask(wanted, urgent) for wanted in all_wanted])


def share(all_wanted: Sequence[Wanted], processes: int) -> None:
    """Have other processes help to compile kernels, beginning with the last one; with no kernels, let them stop."""
    _workshop.share(all_wanted, processes)


def is_awaited(wanted: Wanted) -> bool:
    """Whether a request is urgent and not answered yet."""
    return _workshop.is_awaited(wanted)


def missing() -> tuple[str, ...]:
    """The names of the kernels that are urgent and not answered yet."""
    return _workshop.missing()


def comes_later() -> bool:
    """Whether what is not prepared now will be compiled in the background; not so in a program with kernels for any processor."""
    return is_usable() and not compiler.is_for_any_processor()


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
    global _workshop, _loading
    _loading = Lock()
    _workshop = _Workshop(_workshop.answered + 1, _workshop.arrivals + 1)


@atexit.register
def _leave() -> None:
    global _is_leaving
    _workshop.leave()
    with _loading:
        _is_leaving = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: _loading.acquire(), after_in_parent=lambda: _loading.release(), after_in_child=_start_anew
    )
