"""Campaigns in other processes: runs that end their process or hang, workers and coordinating processes that are killed, a real cluster."""

import contextlib
import os
import signal
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import active_children, get_context
from multiprocessing.connection import Connection

import pytest

from engine.campaign import Status
from engine.campaign.isolation import Isolation

from ..helpers import PATIENCE
from ..lengths import long_run, sized
from . import programs
from .cluster import Cluster, blocks_in, coordinator, finished, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by signals here")

RUNS, BLOCK, BEFORE_GATE = sized((24, 4, 16), (120, 8, 80))
DEADLY_ERRORS = {
    2: "ProcessDied: the process of the run ended with exit code 5",
    3: "TimeLimitExceeded: the run took longer than 4 s",
    4: "ProcessDied: the process of the run ended with signal SIGKILL",
    20: "ProcessDied: the process of the run ended with signal SIGABRT",
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The files of closed loops with failures, made in one process."""
    folder = tmp_path_factory.mktemp("here") / "out"
    campaign = programs.loops(folder, RUNS, block=BLOCK)
    status = campaign.run(processes=0, progress=False)
    assert status.done == RUNS and 1 <= status.failed <= RUNS // 3
    return programs.files_of(folder)


def is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def children_of(process):
    """The processes that a process has started."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == process:
                found.append(int(entry))
    return found


def test_runs_that_end_their_process_or_hang_are_rows_and_all_others_are_there(tmp_path):
    """The pool of the caller breaks at run 2; the processes that take its place lose the block of run 20."""
    runs = sized(4, 24)
    errors = {run: error for run, error in DEADLY_ERRORS.items() if run < runs}
    campaign = programs.of(programs.deadly, tmp_path / "out", runs, block=6, time_limit=4.0)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert campaign.run(pool, progress=False) == Status(runs, runs, len(errors))
    rows = campaign.results().to_pylist()
    assert [row["run"] for row in rows] == list(range(runs))
    assert {row["run"]: row["error"] for row in rows if row["error"]} == errors
    assert all(row["double"] == 2.0 * row["draw.x"] for row in rows if not row["error"])
    assert all(row["draw.x"] is not None for row in rows)
    assert campaign.verify(runs) == [run for run in range(runs) if run not in errors]


def stopped_by(signal_sent, folder, blocks):
    """Run closed loops in processes until there are so many blocks, and send a signal."""
    process = coordinator("loops", folder, RUNS, BLOCK, "processes")
    wait_for(lambda: blocks_in(folder) >= blocks or process.poll() is not None, "no block is written")
    workers = children_of(process.pid) if sys.platform == "linux" else []
    try:
        # Ctrl+C in a terminal reaches the workers too
        (os.killpg if signal_sent == signal.SIGINT else os.kill)(process.pid, signal_sent)
        assert process.wait(timeout=PATIENCE) == -signal_sent
        # an orphan never ends, so that a minute is enough to tell
        wait_for(
            lambda: not any(map(is_running, workers)), "workers outlive the process that started them", seconds=60.0
        )
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert blocks <= blocks_in(folder) < RUNS / BLOCK


def test_an_interrupted_and_a_killed_campaign_leave_no_process_and_resume_to_the_same_bytes(
    tmp_path, expected, monkeypatch
):
    folder, gate = tmp_path / "out", tmp_path / "gate"
    monkeypatch.setenv("CAMPAIGN_GATE", str(gate))
    monkeypatch.setenv("CAMPAIGN_GATE_AT", str(BEFORE_GATE))
    for signal_sent, blocks in sized([(signal.SIGKILL, 1)], [(signal.SIGINT, 1), (signal.SIGKILL, 4)]):
        stopped_by(signal_sent, folder, blocks)
        left = programs.files_of(folder)
        assert left == {name: expected[name] for name in left}
    before = {path: path.stat().st_mtime_ns for path in folder.glob("runs/*.parquet")}
    gate.touch()
    assert finished(coordinator("loops", folder, RUNS, BLOCK, sized("here", "processes")))[:2] == [str(RUNS), str(RUNS)]
    assert programs.files_of(folder) == expected
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_an_interrupt_while_a_process_starts_leaves_no_process(monkeypatch):
    """The program would wait for that process for ever when it ends, and the process for the program."""

    def interrupted(connection):
        raise KeyboardInterrupt

    isolation = Isolation()
    with monkeypatch.context() as patched:
        patched.setattr(Connection, "recv_bytes", interrupted)
        with pytest.raises(KeyboardInterrupt) as raised:
            isolation.first_run(None)
    isolation.close()

    def left():
        return [process for process in active_children() if process.name == "runs of a campaign"]

    try:
        wait_for(lambda: not left(), "a process of a campaign that was interrupted goes on", seconds=10.0)
    finally:
        for process in left():
            process.kill()
    del raised  # it keeps alive what the process waits for, as Python does for the last exception of a program


@long_run
def test_a_cluster_with_a_killed_worker_and_a_killed_client_makes_the_same_bytes(tmp_path, expected, monkeypatch):
    """The short form of the run with 2000 runs."""
    folder, gate = tmp_path / "out", tmp_path / "gate"
    monkeypatch.setenv("CAMPAIGN_GATE", str(gate))
    monkeypatch.setenv("CAMPAIGN_GATE_AT", str(BEFORE_GATE))
    with Cluster(tmp_path) as cluster:
        process = coordinator("loops", folder, RUNS, BLOCK, cluster.address)
        wait_for(lambda: blocks_in(folder) >= 1 or process.poll() is not None, "no block is written")
        cluster.kill_worker(0)
        wait_for(
            lambda: blocks_in(folder) >= 3 or process.poll() is not None, "no block is written by the other worker"
        )
        process.send_signal(signal.SIGKILL)
        _, error = process.communicate()
        assert process.returncode == -signal.SIGKILL, error
        left = programs.files_of(folder)
        assert 3 <= blocks_in(folder) < RUNS / BLOCK and left == {name: expected[name] for name in left}
        gate.touch()
        assert finished(coordinator("loops", folder, RUNS, BLOCK, cluster.address))[:2] == [str(RUNS), str(RUNS)]
    assert programs.files_of(folder) == expected


def test_threads_of_this_process_give_the_same_rows_and_keep_no_time_limit(tmp_path):
    with ThreadPoolExecutor(2) as pool:
        campaign = programs.of(programs.doubled, tmp_path / "out", 30, block=4)
        assert campaign.run(pool, progress=False) == Status(30, 30, 0)
        limited = programs.of(programs.doubled, tmp_path / "limited", 30, block=4, time_limit=5.0)
        with pytest.raises(
            RuntimeError, match=r"executor must simulate the runs \d+ to \d+; .*time_limit needs workers"
        ):
            limited.run(pool, progress=False)
    alone = programs.of(programs.doubled, tmp_path / "alone", 30, block=4)
    alone.run(processes=0, progress=False)
    assert programs.files_of(alone.folder) == programs.files_of(campaign.folder)


def test_an_executor_that_was_shut_down_is_named(tmp_path):
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(RuntimeError, match=r"Campaign .*out: executor must accept tasks; got <.*ThreadPoolExecutor"):
        programs.of(programs.doubled, tmp_path / "out", 5, block=2).run(pool, progress=False)
