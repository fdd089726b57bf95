"""A Dask scheduler and workers on loopback, as processes of their own, and a campaign in a process that can be killed."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from ..helpers import PATIENCE

ROOT = Path(__file__).parents[2]


def environment(**more):
    """The environment of a process that can import the engine and the tests."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def wait_for(condition, what, seconds=PATIENCE):
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


class Cluster:
    """A scheduler and workers, each of one thread, which are ended with the block."""

    def __init__(self, folder, workers=2):
        self.file = folder / "scheduler.json"
        self.folder, self.processes = folder, []
        self._start(
            "scheduler", "--scheduler-file", str(self.file), "--host", "127.0.0.1", "--port", "0", "--no-dashboard"
        )
        wait_for(self._address, "the scheduler does not start")
        self.workers = [self.add_worker() for _ in range(workers)]

    def _start(self, *arguments):
        command = [sys.executable, "-m", "dask", *arguments]
        with open(self.folder / f"{arguments[0]}.log", "ab") as log:
            process = subprocess.Popen(
                command, env=environment(), cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )
        self.processes.append(process)
        return process

    def _address(self):
        with contextlib.suppress(OSError, ValueError, KeyError):
            self.address = json.loads(self.file.read_text())["address"]
            return True
        return False

    def add_worker(self):
        """A worker with a process that watches it, and starts it again if it ends."""
        local = str(self.folder)
        options = ("--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1", "--local-directory", local)
        return self._start("worker", self.address, *options)

    def kill_worker(self, number):
        """End a worker and what watches it with SIGKILL, as a machine that loses its power."""
        os.killpg(self.workers[number].pid, signal.SIGKILL)
        self.workers[number].wait()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for process in reversed(self.processes):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


COORDINATOR = """
import signal, sys
from tests.campaign import programs

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell in the background has its children ignore
if __name__ == "__main__":
    make, folder, runs, block, address = sys.argv[1:]
    campaign = getattr(programs, make)(folder, int(runs), block=int(block))
    if address == "processes":
        status = campaign.run(processes=2, progress=False)
    elif address == "here":
        status = campaign.run(processes=0, progress=False)
    else:
        from distributed import Client

        with Client(address) as client:
            status = campaign.run(client.get_executor(pure=False), progress=False)
    print(*status)
"""


def coordinator(make, folder, runs, block, address, **environ):
    """Start a process that runs the campaign `make` of `programs`: "here", in "processes", or on the scheduler at an address."""
    script = Path(folder).parent / "coordinate.py"
    script.write_text(COORDINATOR)
    command = [sys.executable, str(script), make, str(folder), str(runs), str(block), address]
    return subprocess.Popen(
        command,
        env=environment(**environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(process):
    """The output of a process that must succeed."""
    out, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, error
    return out.split()


def blocks_in(folder):
    """Number of blocks that are done."""
    return len(list(Path(folder).glob("runs/*.parquet")))
