"""Processes on this machine: workers that end with the process that started them, and runs one by one in a process that may die.

A run that ends its process, or never returns, takes its whole block with it. Its block is therefore simulated again, run by run, in a
process of its own: if that process ends, it is clear which run it was, and how it ended.
"""

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import Empty, LifoQueue
from typing import ParamSpec, TypeVar

from .blocks import Block, Job, check_code, joined, lost_row, simulate_block

Given = ParamSpec("Given")
Result = TypeVar("Result")

_SPAWN = multiprocessing.get_context("spawn")


def processors() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Processes(Executor):
    """A `ProcessPoolExecutor` per process, so that a run that ends its process takes no other process with it.

    Args:
        count: Number of processes.

    Example:
        >>> with Processes(1) as pool:
        ...     pool.submit(abs, -1).result()
        1
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pools: list[ProcessPoolExecutor | None] = [None] * count
        self._loads = [0] * count
        self._lock = threading.Lock()

    def submit(
        self, function: Callable[Given, Result], /, *values: Given.args, **named: Given.kwargs
    ) -> Future[Result]:
        with self._lock:
            place = min(range(self.count), key=self._loads.__getitem__)
            self._loads[place] += 1
        future = self._submit_to(place, function, *values, **named)
        future.add_done_callback(lambda _: self._relieve(place))
        return future

    def _submit_to(
        self, place: int, function: Callable[..., Result], *values: object, **named: object
    ) -> Future[Result]:
        pool = self._pools[place]
        if pool is not None:
            with contextlib.suppress(BrokenExecutor):
                return pool.submit(function, *values, **named)
        pool = self._pools[place] = ProcessPoolExecutor(1, mp_context=_SPAWN, initializer=begin_worker)
        return pool.submit(function, *values, **named)

    def _relieve(self, place: int) -> None:
        with self._lock:
            self._loads[place] -= 1

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        for pool in filter(None, self._pools):
            pool.shutdown(wait, cancel_futures=cancel_futures)

    def kill(self) -> None:
        """End all processes at once, whatever they are doing."""
        for pool in filter(None, self._pools):
            for process in list((getattr(pool, "_processes", None) or {}).values()):
                process.kill()
        self.shutdown(wait=False, cancel_futures=True)


def begin_worker() -> None:
    """Leave Ctrl+C to the coordinating process, and end this process when that one is gone, even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


class Lost(Exception):
    """The process of a run ended."""


class Child:
    """A process that simulates what it is sent, and may die of it."""

    def __init__(self) -> None:
        self._ours, self._theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_serve, args=(self._theirs,), name="runs of a campaign")

    def start(self) -> None:
        """Start the process, and wait until it is ready.

        Raises:
            RuntimeError: If it ends before.
        """
        self._process.start()
        self._theirs.close()
        try:
            self._ours.recv_bytes()
        except (EOFError, OSError):
            self.close()
            raise RuntimeError(
                f"a process for single runs could not start ({self._end()}); a script must call campaign.run() below "
                "`if __name__ == '__main__':`, because the process imports it"
            ) from None

    def simulate(self, job: Job) -> Block:
        """Simulate a job within its time limit, which is that of all its runs together and begins with the first of them.

        Raises:
            Lost: If the process ended, or took too long and was ended. The message says how.
            RuntimeError: If the job could not be loaded, or its code is another one.
        """
        try:
            self._ours.send_bytes(pickle.dumps(replace(job, time_limit=None)))
            self._ours.recv_bytes()  # the process has loaded the function and compared its code
            if not self._ours.poll(job.time_limit):
                self.close(grace=0.0)
                raise Lost(f"TimeLimitExceeded: the run took longer than {job.time_limit:g} s")
            succeeded, answer = pickle.loads(self._ours.recv_bytes())
        except (EOFError, OSError):
            self.close()
            raise Lost(f"ProcessDied: the process of the run ended with {self._end()}") from None
        if not succeeded:
            raise RuntimeError(answer)
        block: Block = answer
        return block

    @property
    def was_killed(self) -> bool:
        """Whether a signal ended the process."""
        return (self._process.exitcode or 0) < 0

    def close(self, grace: float = 30.0) -> None:
        """End the process, which has so many seconds to end by itself with an exit code of its own."""
        self._ours.close()
        self._process.join(grace)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()

    def kill(self) -> None:
        """End the process, also while another thread waits for it; one that has not been started is left."""
        if self._process.pid is not None:
            self._process.kill()

    def _end(self) -> str:
        code = self._process.exitcode or 0
        if code >= 0:
            return f"exit code {code}"
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
        return f"signal {-code}"


def _serve(connection: Connection) -> None:
    begin_worker()
    connection.send_bytes(b"ready")
    while True:
        try:
            received = connection.recv_bytes()
        except (EOFError, OSError):
            return
        loaded, job = _attempt(lambda received=received: _loaded(received))  # type: ignore[misc]
        connection.send_bytes(b"begun")
        answer = _attempt(lambda job=job: simulate_block(job)) if loaded else (False, job)  # type: ignore[misc]
        connection.send_bytes(pickle.dumps(answer))


def _loaded(received: bytes) -> Job:
    job: Job = pickle.loads(received)
    check_code(job)
    return job


def _attempt(action: Callable[[], Result]) -> tuple[bool, Result | str]:
    """Return whether an action succeeded, and its result or the text of its error."""
    try:
        return True, action()
    except BaseException as error:
        return False, "".join(traceback.format_exception_only(error)).strip()


class Isolation:
    """Simulates blocks run by run, each in a process that may die; processes that survive are used again."""

    def __init__(self) -> None:
        self._idle: LifoQueue[Child] = LifoQueue()
        self._children: set[Child] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def simulate(self, job: Job) -> Block:
        """Simulate a job run by run; a run that loses its process becomes the row of a failed run."""
        return joined([self._run(job.of_runs(number, number + 1)) for number in range(job.first, job.last)])

    def _run(self, job: Job) -> Block:
        for again in (True, False):
            child = self._child()
            try:
                block = child.simulate(job)
            except Lost as lost:
                self._forget(child)
                if self._stopped:
                    raise RuntimeError("the campaign has been stopped") from None
                # a signal may have come from outside, from an operator or from a machine without memory
                if again and child.was_killed and "TimeLimit" not in str(lost):
                    continue
                return lost_row(job, job.first, str(lost))
            except BaseException:
                child.close(grace=0.0)
                self._forget(child)
                raise
            self._idle.put(child)
            return block
        raise AssertionError  # the second try returns or raises

    def first_run(self, job: Job) -> Block:
        """Simulate a job in one process at once, in which only its own runs can be lost.

        Raises:
            Lost: If the process ended.
        """
        child = self._child()
        try:
            block = child.simulate(job)
        except BaseException:
            child.close(grace=0.0)
            self._forget(child)
            raise
        self._idle.put(child)
        return block

    def close(self) -> None:
        """End all processes."""
        self._stopped = True
        with self._lock:
            children = list(self._children)
        for child in children:
            child.kill()
        with contextlib.suppress(Empty):
            while True:
                self._idle.get_nowait().close()

    def _child(self) -> Child:
        with contextlib.suppress(Empty):
            return self._idle.get_nowait()
        child = Child()
        with self._lock:
            self._children.add(child)  # before it is started, so that `close` ends it whenever an exception arrives
        child.start()
        if self._stopped:
            child.kill()
        return child

    def _forget(self, child: Child) -> None:
        with self._lock:
            self._children.discard(child)
