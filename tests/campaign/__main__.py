"""The long runs of campaigns: `python -m tests.campaign [NAME …]`, each of which prints what it found or fails.

kills      2000 closed loops in one process, in two, and on a cluster whose worker and client are killed: the same bytes
times      a campaign is killed at 100 random times and resumed each time: the same bytes
rows       1e6 rows: memory of the coordinating process
overhead   runs of 20 ms: time of the campaign against that of its runs
growth     1e4 runs in one process: growth of the memory
disk       a disk that fills up (needs a folder on a small disk in DISK)
batched    20 s with three wheels, a noisy gyro and a PD law: time of a batched campaign against the unbatched one
peer       the Monte Carlo controller of Basilisk beside this one (needs PEER, a Python with bsk)
"""

import os
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from . import programs
from .cluster import Cluster, blocks_in, coordinator, environment, finished, wait_for


def kills(folder, runs=2000, block=20):
    """Byte-equal files, however the runs were simulated."""
    here = programs.loops(folder / "here", runs, block=block)
    start = time.perf_counter()
    status = here.run(processes=0, progress=False)
    seconds = time.perf_counter() - start
    expected = programs.files_of(folder / "here")
    print(f"one process: {status}, {1e3 * seconds / runs:.1f} ms per run", flush=True)
    start = time.perf_counter()
    finished(coordinator("loops", folder / "two", runs, block, "processes"))
    print(f"two processes: {time.perf_counter() - start:.1f} s, one {seconds:.1f} s", flush=True)
    assert programs.files_of(folder / "two") == expected
    with Cluster(folder) as cluster:
        process = coordinator("loops", folder / "dask", runs, block, cluster.address)
        wait_for(lambda: blocks_in(folder / "dask") >= 20 or process.poll() is not None, "no block")
        cluster.kill_worker(0)
        wait_for(lambda: blocks_in(folder / "dask") >= 45 or process.poll() is not None, "no block")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        left = blocks_in(folder / "dask")
        cluster.workers[0] = cluster.add_worker()
        assert finished(coordinator("loops", folder / "dask", runs, block, cluster.address))[0] == str(runs)
    files = programs.files_of(folder / "dask")
    assert files == expected
    print(
        f"cluster: worker killed after 20 blocks, client after {left} of {runs // block}; {len(files)} files equal to the last byte"
    )


def times(folder, count=100, runs=4000, block=8):
    """A coordinating process with two workers is killed at random times."""
    here = programs.of(programs.spinning, folder / "here", runs, block=block)
    here.run(processes=0, progress=False)
    expected, chosen, killed = programs.files_of(folder / "here"), random.Random(20260731), 0
    while killed < count:
        process = coordinator("spin", folder / "out", runs, block, "processes")
        # from before the first import to the middle of the blocks; half of the times are while blocks are written
        before = blocks_in(folder / "out") if (folder / "out").exists() else 0
        if chosen.random() < 0.5:
            time.sleep(chosen.uniform(0.0, 6.0))
        else:
            wanted = before + chosen.randrange(1, 6)
            wait_for(
                lambda wanted=wanted, process=process: (
                    blocks_in(folder / "out") >= wanted or process.poll() is not None
                ),
                "no block",
            )
            time.sleep(chosen.uniform(0.0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += 1
        left = programs.files_of(folder / "out")
        assert left == {name: expected[name] for name in left}, "a block differs"
        if len(left) == len(expected):
            print(f"finished after {killed} kills; begun again", flush=True)
            shutil.rmtree(folder / "out")
    finished(coordinator("spin", folder / "out", runs, block, "processes"))
    assert programs.files_of(folder / "out") == expected
    print(
        f"{killed} kills, {len(expected)} blocks equal to the last byte, leftovers: {len(list((folder / 'out').rglob('*.tmp')))}"
    )


def rows(folder, runs=1_000_000):
    """Memory of the process that coordinates a million runs."""
    code = (
        "import resource, sys\nfrom tests.campaign import programs\n"
        "if __name__ == '__main__':\n"
        "    import os\n"
        f"    campaign = programs.of(programs.doubled, {str(folder / 'out')!r}, {runs})\n"
        "    print('before', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, flush=True)\n"
        "    print(campaign.run(processes=2, progress=False))\n"
        "    print('run', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)\n"
        "    table = campaign.results()\n"
        "    print('results', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, table.num_rows)\n"
    )
    script = folder / "rows.py"
    script.write_text(code)
    start = time.perf_counter()
    done = subprocess.run([sys.executable, str(script)], env=environment(), capture_output=True, text=True, check=True)
    print(
        f"{runs} rows in {time.perf_counter() - start:.0f} s, {blocks_in(folder / 'out')} blocks; largest memory in MiB:"
    )
    print(done.stdout, flush=True)
    peak = int(done.stdout.split("run ")[1].split()[0])
    assert peak < 300, peak


def overhead(folder, runs=300, repetitions=5):
    """Processor time of a campaign in this process against that of its runs alone, for runs of 20 ms."""
    ratios = []
    for repetition in range(repetitions):
        campaign = programs.of(programs.busy, folder / f"{repetition}", runs, block=50)
        draws = [campaign.repeat(number)["draw.x"] for number in range(runs)]
        start = time.process_time()
        for number in range(runs):
            programs.busy(Plain(number, draws[number]))
        alone = time.process_time() - start
        start = time.process_time()
        campaign.run(processes=0, progress=False)
        whole = time.process_time() - start
        # the campaign simulates run 0 once more, to show mistakes before all others
        ratios.append(whole / (alone * (runs + 1) / runs))
        print(f"  {1e3 * alone / runs:.2f} ms per run, with the campaign {100 * (ratios[-1] - 1):+.2f} %", flush=True)
    print(f"overhead: smallest {100 * (min(ratios) - 1):+.2f} %, median {100 * (statistics.median(ratios) - 1):+.2f} %")
    assert min(ratios) < 1.03


class Plain:
    """A run without a campaign."""

    def __init__(self, number, x):
        self.number, self.draws = number, {"x": x}


def growth(folder, runs=10_000):
    """Memory after 1e4 short runs with worlds and traces against that after the first two thousand, in one process."""
    campaign = programs.spin(folder / "out", runs, block=100)
    marks = []

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20

    original = campaign._folder.write_block

    def write(block, record):
        original(block, record)
        marks.append((block.last, resident()))

    campaign._folder.write_block = write
    campaign.run(processes=0, progress=False)
    for done, memory in marks[9::10]:
        print(f"  after {done:6} runs {memory:8.2f} MiB", flush=True)
    found = np.array(marks)
    slope = np.polyfit(found[len(found) // 5 :, 0], found[len(found) // 5 :, 1], 1)[0]
    print(
        f"growth from run 2000 to run {runs}: {slope * (runs - 2000):+.2f} MiB by a line, {found[-1, 1] - found[19, 1]:+.2f} by its ends"
    )
    assert slope * runs < 1.0


def disk(folder):
    """A campaign on a small disk stops with an error, and resumes when there is room."""
    small = Path(os.environ["DISK"])
    whole = programs.of(programs.spinning, folder / "whole", 4_000, block=50)
    whole.run(processes=0, progress=False)
    campaign = programs.of(programs.spinning, small / "out", 4_000, block=50)
    filler = small / "filler"
    free = shutil.disk_usage(small).free
    filler.write_bytes(b"0" * max(free - 100_000, 0))
    try:
        campaign.run(processes=2, progress=False)
        raise AssertionError("the disk is too large")
    except OSError as error:
        print(f"{type(error).__name__}: {error}")
    status, left = campaign.status(), programs.files_of(small / "out")
    expected = programs.files_of(folder / "whole")
    assert left == {name: expected[name] for name in left} and status.done == 50 * blocks_in(small / "out")
    print(f"{status}; every file complete; room is made")
    filler.unlink()
    campaign.run(processes=2, progress=False)
    assert programs.files_of(small / "out") == expected
    print(f"resumed: {len(expected)} files equal to the last byte")


def batched(folder, runs=4000, alone=200):
    """Processor time per run in batches, with the same rows, against that of runs one by one."""
    times, tables = [], []
    for together, count in ((True, runs), (False, alone), (True, runs), (False, alone)):
        campaign = programs.pointings(folder / f"{len(times)}", count, together, is_long=True, block=count)
        start = time.process_time()
        campaign.run(processes=0, progress=False)
        times.append((time.process_time() - start) / count)
        tables.append(campaign.results().drop_columns("traceback"))
    assert tables[0].slice(0, alone).equals(tables[1]), "other rows"
    best, least = min(times[0::2]), min(times[1::2])
    print(
        f"{1e3 * least:.2f} ms per run one by one, {1e3 * best:.3f} ms in a batch of {runs}: {least / best:.1f} times as fast"
    )
    assert least >= 15.0 * best


PEER = """
import sys, time, os, tempfile, shutil
import numpy as np
from Basilisk.utilities import SimulationBaseClass, macros
from Basilisk.utilities.MonteCarlo.Controller import Controller, RetentionPolicy
from Basilisk.utilities.MonteCarlo.Dispersions import UniformEulerAngleMRPDispersion, NormalVectorCartDispersion
from Basilisk.simulation import spacecraft


class Sim(SimulationBaseClass.SimBaseClass):
    def __init__(self):
        super().__init__()
        process = self.CreateNewProcess("p")
        process.addTask(self.CreateNewTask("t", macros.sec2nano(0.05)))
        self.hub = spacecraft.Spacecraft()
        self.hub.ModelTag = "hub"
        self.hub.hub.mHub = 90.0
        self.hub.hub.IHubPntBc_B = [[20.0, 0, 0], [0, 20.0, 0], [0, 0, 15.0]]
        self.hub.hub.omega_BN_BInit = [[0.1], [0.05], [0.02]]
        self.AddModelToTask("t", self.hub)
        self.msgRecList = {"state": self.hub.scStateOutMsg.recorder()}
        self.AddModelToTask("t", self.msgRecList["state"])


def execute(sim):
    sim.InitializeSimulation()
    sim.ConfigureStopTime(macros.sec2nano(SECONDS))
    sim.ExecuteSimulation()


SECONDS = float(sys.argv[1]); RUNS = int(sys.argv[2]); THREADS = int(sys.argv[3])
if __name__ == "__main__":
    start = time.perf_counter()
    for _ in range(10):
        execute(Sim())
    alone = (time.perf_counter() - start) / 10
    folder = tempfile.mkdtemp()
    controller = Controller()
    controller.setSimulationFunction(Sim)
    controller.setExecutionFunction(execute)
    controller.setExecutionCount(RUNS)
    controller.setThreadCount(THREADS)
    controller.setShouldDisperseSeeds(True)
    controller.setVerbose(False)
    controller.setArchiveDir(folder + "/mc")
    controller.addDispersion(NormalVectorCartDispersion("hub.hub.omega_BN_BInit", 0.0, 0.1))
    policy = RetentionPolicy()
    policy.addMessageLog("state", ["omega_BN_B"])
    controller.addRetentionPolicy(policy)
    start = time.perf_counter()
    failures = controller.executeSimulations()
    each = 1e3 * (time.perf_counter() - start) / RUNS
    print(f"Basilisk: {1e3 * alone:.1f} ms per run alone, {each:.1f} ms in its controller, {THREADS} processes; failures {failures}")
    shutil.rmtree(folder)
"""


def peer(folder, runs=60, processes=2):
    """Time per run in Basilisk's controller and in a campaign, for runs of the same processor time."""
    script = folder / "peer.py"
    script.write_text(PEER)
    command = [os.environ["PEER"], str(script), "20.0", str(runs), str(processes)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    print("\n".join(line for line in found.stdout.splitlines() if line.startswith("Basilisk:")) or found.stderr[-2000:])
    campaign = programs.of(programs.busy, folder / "out", runs, block=5)
    start = time.perf_counter()
    for number in range(10):
        programs.busy(Plain(number, 0.5))
    alone = (time.perf_counter() - start) / 10
    start = time.perf_counter()
    campaign.run(processes=processes, progress=False)
    print(
        f"campaign: {1e3 * alone:.1f} ms per run alone, {1e3 * (time.perf_counter() - start) / runs:.1f} ms with {processes} processes"
    )


ALL = {one.__name__: one for one in (kills, times, rows, overhead, growth, batched, disk, peer)}


def main(names):
    for name in names or ALL:
        folder = Path(tempfile.mkdtemp(prefix="campaign-"))
        print(f"{name}:", flush=True)
        try:
            ALL[name](folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
