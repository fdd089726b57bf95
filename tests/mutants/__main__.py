"""Apply the mutants one by one and run their tests: `python -m tests.mutants [part of a name …] [--write]`."""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from . import ROOT, Mutant, every_mutant
from .page import PAGE, complete_run, page, rows

AT_ONCE = 2
PATIENCE = 300
"""Seconds after which the tests of one mutant are stopped. A mutant that is stopped counts as an error, not as caught; one by which a test
never ends is caught, because that test fails before, unless it hangs in compiled code."""
_OF_ONE_TEST = 2 / 3
"""Share of the patience after which a test fails."""

_COPIED = ("demos", "engine", "tests", "pyproject.toml")
_FIRST_FAILURE = re.compile(r"^(?:FAILED|ERROR) tests/([\w/]+\.py::\w+)", flags=re.MULTILINE)


class Verdict(NamedTuple):
    """What the tests said of a mutant."""

    kind: str
    """caught, survived, does not apply, or error."""
    detail: str
    """The first test that failed, or the end of what pytest wrote."""

    def is_expected_of(self, mutant: Mutant) -> bool:
        return self.kind == ("survived" if mutant.survives else "caught")


def copy_to(folder: Path, source: Path = ROOT) -> Path:
    """Copy what the tests need from another tree."""
    for name in _COPIED:
        if (source / name).is_dir():
            shutil.copytree(source / name, folder / name)
        else:
            shutil.copy2(source / name, folder / name)
    return folder


def run(tree: Path, tests: Iterable[str], compiled: bool, patience: float, most_failures: int = 1) -> tuple[int, str]:
    """Run tests of a tree until so many have failed; 0 means that all run.

    Returns:
        Exit code of pytest, −1 if it was stopped, and its output.
    """
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "0" if compiled else "1",
        "POLHODE_BACKGROUND": "0",
        "POLHODE_CACHE_DIR": str(tree.parent / "kernels"),
        "PYTHONPATH": str(tree),
    }
    options = [
        f"--maxfail={most_failures}",
        f"--timeout={_OF_ONE_TEST * patience:g}",
        "-q",
        "--tb=line",
        "-p",
        "no:cacheprovider",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *(f"tests/{test}" for test in tests)],
        cwd=tree,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        return -1, f"stopped after {patience:g} s"
    return process.returncode, output


def verdict(tree: Path, mutant: Mutant) -> Verdict:
    """Apply a mutant in a tree, run its tests and undo it."""
    path = tree / mutant.file
    text, times = path.read_text(encoding="utf-8"), path.stat()
    try:
        broken = mutant.applied_to(text)
    except ValueError as error:
        return Verdict("does not apply", str(error))
    try:
        path.write_text(broken, encoding="utf-8")
        code, output = run(tree, mutant.tests, mutant.compiled, PATIENCE)
    finally:
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # the bytecode of the unbroken file remains valid
    first = _FIRST_FAILURE.search(output)
    if code == 0:
        return Verdict("survived", "")
    if code == 1 and first:
        return Verdict("caught", first[1])
    return Verdict("error", output[-2000:])


def unbroken_failure(tree: Path, mutants: Sequence[Mutant]) -> str:
    """The output of the named tests if they fail without any mutant, else ""."""
    plain, compiled = (
        sorted({test for mutant in mutants if mutant.compiled == compiled for test in mutant.tests})
        for compiled in (False, True)
    )
    parts = [(plain[start::AT_ONCE], False) for start in range(AT_ONCE)] + [(compiled, True)]

    def failure(part: tuple[list[str], bool]) -> str:
        tests, compiled = part
        code, output = run(tree, tests, compiled, 10 * PATIENCE, most_failures=0) if tests else (0, "")
        return output if code else ""

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return "".join(pool.map(failure, parts))


def main(arguments: Sequence[str]) -> int:
    """Try the mutants whose names contain one of the given parts, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help="part of the name of a mutant, or of a file")
    parser.add_argument("--write", action="store_true", help="write the page; results of other mutants are kept")
    options = parser.parse_args(arguments)
    mutants = [
        mutant
        for mutant in every_mutant()
        if not options.parts or any(part in f"{mutant.name} {mutant.file}" for part in options.parts)
    ]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        trees = _trees(Path(folder), mutants)
        results = _try_all(trees, mutants) if trees else {}
    unexpected = [
        mutant for mutant in mutants if mutant.name not in results or not results[mutant.name].is_expected_of(mutant)
    ]
    print(f"{len(mutants) - len(unexpected)} of {len(mutants)} mutants as expected")
    if options.write and not unexpected:
        _write_page(results, is_complete=not options.parts)
    return 1 if unexpected or not mutants else 0


def _trees(folder: Path, mutants: Sequence[Mutant]) -> list[Path]:
    """Copies of the repository for `AT_ONCE` mutants at once; none if the tests fail already."""
    first = copy_to(_new(folder, 0))
    trouble = unbroken_failure(first, mutants)
    if trouble:
        print("The tests fail without a mutant:", trouble[-4000:], sep="\n")
        return []
    return [first, *(copy_to(_new(folder, number), first) for number in range(1, AT_ONCE))]


def _new(folder: Path, number: int) -> Path:
    path = folder / f"tree {number}"
    path.mkdir()
    return path


def _try_all(trees: Sequence[Path], mutants: Sequence[Mutant]) -> dict[str, Verdict]:
    free: SimpleQueue[Path] = SimpleQueue()
    for tree in trees:
        free.put(tree)

    def attempt(mutant: Mutant) -> tuple[str, Verdict]:
        tree, began = free.get(), time.monotonic()
        try:
            found = verdict(tree, mutant)
        finally:
            free.put(tree)
        mark = "" if found.is_expected_of(mutant) else "  <-- NOT EXPECTED"
        print(f"{time.monotonic() - began:5.1f} s {found.kind:14} {mutant.name}: {found.detail}{mark}", flush=True)
        return mutant.name, found

    with ThreadPoolExecutor(len(trees)) as pool:
        return dict(pool.map(attempt, mutants))


def _write_page(results: dict[str, Verdict], is_complete: bool) -> None:
    before = PAGE.read_text(encoding="utf-8")
    caught_by = {name: last.strip("`") for name, (_, last) in rows(before).items()}
    caught_by |= {name: found.detail for name, found in results.items()}
    when = f"{date.today():%d %B %Y}" if is_complete else complete_run(before)
    PAGE.write_text(page(every_mutant(), caught_by, when), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
