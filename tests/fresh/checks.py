"""What programs on a fresh machine must do."""

from engine.compilation.background import cores

from . import FRAMES, STEPS, STOPPED, fresh_machine


def check_steps_wait_for_every_kernel() -> None:
    """A program that only calls `step` has compiled all that its ticks call, although its compiler process was stopped; then nothing."""
    with fresh_machine() as machine:
        first = machine.run(STOPPED)
        kernels = machine.written()
        assert kernels, "nothing was compiled"
        assert set(kernels.values()) == {1}, kernels
        assert machine.run(STEPS) == first
        assert machine.written() == kernels, machine.written() - kernels
        assert not machine.notes("begin")


def check_what_was_requested_in_vain_comes_first() -> None:
    """The first kernels that are compiled in the second run are those that the first run awaited when it ended, in that order."""
    with fresh_machine() as machine:
        machine.run(FRAMES, "2")
        machine.wait_for_compilers()
        before = _names(machine.notes("written"))
        expected = [name for name in machine.run(f"{_LISTED}{FRAMES}", "0").split() if name not in before]
        machine.run(FRAMES, "2", "wait")
        machine.wait_for_compilers()
        written = _names(machine.notes("written"))[len(before) :]
        assert expected and written[: len(expected)] == expected, (written, expected)
        assert set(machine.written().values()) == {1}


def _names(files: list[str]) -> list[str]:
    """The names of kernels, without their modules and keys."""
    return [name.rsplit("-", 1)[0].split(".")[-1] for name in files]


_LISTED = """
import pickle
from pathlib import Path
from os import environ
from engine.compilation.kernel_files import stem
for note in Path(environ["POLHODE_CACHE_DIR"]).glob("requested-*"):
    for message in pickle.loads(note.read_bytes()):
        factory, made_for, _ = pickle.loads(message)
        kernel = factory(*made_for).py_func
        print(stem(kernel.__module__, kernel.__qualname__).split(".")[-1])
raise SystemExit
"""


def check_short_programs_in_a_row_and_at_once() -> None:
    """Twenty short programs in a row and eight at once: each kernel is compiled once, by no more processes than there are cores."""
    with fresh_machine() as machine:
        for _ in range(20):
            machine.run(FRAMES, "3")
        running = [machine.start(FRAMES, "3") for _ in range(8)]
        for process in running:
            process.communicate()
        machine.run(FRAMES, "3", "wait")
        machine.wait_for_compilers()
        assert set(machine.written().values()) == {1}, machine.written()
        assert 1 <= machine.most_compilers() <= cores(), machine.most_compilers()


def check_programs_that_step_at_once() -> None:
    """Eight programs that only call `step` begin at once; each kernel is compiled once, and all get the same result."""
    with fresh_machine() as machine:
        running = [machine.start(STEPS) for _ in range(8)]
        results = {process.communicate()[0] for process in running}
        assert len(results) == 1 and results != {""}, results
        assert set(machine.written().values()) == {1}, machine.written()


CHECKS = {
    "step": check_steps_wait_for_every_kernel,
    "in vain": check_what_was_requested_in_vain_comes_first,
    "short programs": check_short_programs_in_a_row_and_at_once,
    "step at once": check_programs_that_step_at_once,
}
"""The checks by name."""
