"""Blocks on an executor: a few in flight per worker, written as they arrive, and simulated run by run if their process was lost."""

import contextlib
import logging
import time
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TypeVar

from .blocks import Block, Job, simulate_block
from .isolation import Isolation, Processes, processors

_LOG = logging.getLogger("polhode")

_IN_FLIGHT = 3
"""Blocks per worker that are submitted at a time: one runs, and the next ones wait near the worker."""
_COUNTED_EVERY = 5.0  # [s]; workers join a cluster and leave it at any time


Result = TypeVar("Result")


class InThisProcess(Executor):
    """Simulates blocks at once in this process, for a debugger.

    Example:
        >>> InThisProcess().submit(abs, -1).result()
        1
    """

    def submit(self, function: Callable[..., Result], /, *values: object, **named: object) -> Future[Result]:
        future: Future[Result] = Future()
        future.set_result(function(*values, **named))
        return future


class Dispatch:
    """Simulates blocks on an executor.

    Args:
        owner: Name of the campaign in errors.
        executor: Any executor.
        isolation: Where the runs of lost blocks are simulated.
        write: Called with each block that arrives, in this thread.
    """

    def __init__(self, owner: str, executor: Executor, isolation: Isolation, write: Callable[[Block], None]) -> None:
        self.owner, self.executor, self.isolation, self.write = owner, executor, isolation, write
        self._alone = ThreadPoolExecutor(processors(), "runs one by one")
        self._arrived: SimpleQueue[Future[Block]] = SimpleQueue()
        self._pending: dict[Future[Block], tuple[Job, bool]] = {}
        self._in_flight = 0
        self._room, self._counted = 0, -_COUNTED_EVERY
        self._replacement: Processes | None = None

    def run(self, jobs: Iterable[Job]) -> None:
        """Simulate all jobs and write their blocks, in any order.

        Raises:
            RuntimeError: If the executor cannot simulate a block.
        """
        waiting = iter(jobs)
        job = next(waiting, None)
        try:
            while job is not None or self._pending:
                while job is not None and self._in_flight < self._most_in_flight():
                    self._submit(job)
                    job = next(waiting, None)
                with contextlib.suppress(Empty):  # an interrupt does not end an endless wait on every system
                    self._take(self._arrived.get(timeout=1.0))
        except BaseException:
            self._stop()
            raise
        self._alone.shutdown()
        if self._replacement is not None:
            self._replacement.shutdown()

    def _submit(self, job: Job) -> None:
        try:
            future = self.executor.submit(simulate_block, job)
        except BrokenExecutor:
            self._replace_executor()
            future = self.executor.submit(simulate_block, job)
        except RuntimeError as error:  # it was shut down
            raise RuntimeError(f"{self.owner}: executor must accept tasks; got {self.executor!r}, {error}") from error
        self._in_flight += 1
        self._expect(future, job, alone=False)

    def _expect(self, future: Future[Block], job: Job, alone: bool) -> None:
        self._pending[future] = job, alone
        future.add_done_callback(self._arrived.put)

    def _take(self, future: Future[Block]) -> None:
        job, alone = self._pending.pop(future)
        self._in_flight -= not alone
        error: BaseException | None
        try:
            error = future.exception()
        except CancelledError as cancelled:
            error = cancelled
        if error is None:
            self.write(future.result())
        elif not alone and _is_lost(error):
            self._expect(self._alone.submit(self.isolation.simulate, job), job, alone=True)
        else:
            raise RuntimeError(
                f"{self.owner}: executor must simulate the runs {job.first} to {job.last - 1}; {_reason(error)}"
            ) from error

    def _most_in_flight(self) -> int:
        if time.monotonic() - self._counted > _COUNTED_EVERY:
            self._room, self._counted = _IN_FLIGHT * max(workers_of(self.executor), 1), time.monotonic()
        return self._room

    def _replace_executor(self) -> None:
        count = workers_of(self.executor)
        _LOG.warning(
            "%s: a process of the executor ended; the campaign continues in %d processes of its own", self.owner, count
        )
        self.executor = self._replacement = Processes(count)

    def _stop(self) -> None:
        for future in self._pending:
            future.cancel()
        self.isolation.close()
        for pool in (self.executor, self._replacement):
            if isinstance(pool, Processes):
                pool.kill()
        self._alone.shutdown(cancel_futures=True)


def workers_of(executor: Executor) -> int:
    """Number of tasks that an executor runs at a time, as far as it can be found."""
    if isinstance(executor, InThisProcess):
        return 1
    client = getattr(executor, "_client", None)  # of Dask
    if client is not None and hasattr(client, "nthreads"):
        return sum(client.nthreads().values())
    count = getattr(executor, "count", getattr(executor, "_max_workers", None))
    return count if isinstance(count, int) else processors()


def _is_lost(error: BaseException) -> bool:
    """Whether an error says that the process of a block has ended."""
    is_killed = type(error).__name__ == "KilledWorker" and type(error).__module__.startswith("distributed")
    return is_killed or isinstance(error, BrokenExecutor)


def _reason(error: BaseException) -> str:
    if isinstance(error, CancelledError):
        return f"it has cancelled them, or the connection to it was lost ({error})"
    return f"{type(error).__name__}: {error}"
