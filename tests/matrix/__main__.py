"""Run the cells of the matrix one after another."""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from typing import Any

from . import PAGE, ROOT, Cell, can_run, cells

PATIENCE = 3600
_HEAD = """# The same bits everywhere

`python -m tests.matrix --write` simulates worlds of [the committed table of bits](../tests/golden_bits/__init__.py) in other environments
and writes this page. Each row is one environment, in which some of the 1110 worlds of the table were simulated and compared with it.
Where kernels were compiled, a world with 12,296 bodies was also simulated on 1, 2 and 3 threads. The environment of an empty row was not
available on the machine that wrote this page. An emulator of a processor, where one was used, is named with the
versions.

| group | environment | date | versions | worlds simulated | worlds that differ | 1, 2 and 3 threads |
| --- | --- | --- | --- | --- | --- | --- |
"""
_ROW = re.compile(r"^\| (?P<group>[^|]*) \| (?P<name>[^|]*) \| (?P<rest>.*)\|$", flags=re.MULTILINE)


def run(cell: Cell, worlds: int) -> dict[str, Any]:
    """What a cell printed, or {"error": …}."""
    environment = {**os.environ, "POLHODE_BACKGROUND": "0", "PYTHONPATH": str(ROOT), **cell.environment}
    try:
        result = subprocess.run(
            [cell.interpreter, "-W", "ignore", *cell.options, "-m", "tests.matrix.cell", str(worlds)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"it took more than {PATIENCE} s"}
    if result.returncode:
        return {"error": result.stderr.strip().splitlines()[-1] if result.stderr.strip() else str(result.returncode)}
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def row(found: dict[str, Any], crowd: int | None) -> str:
    """The last five columns of a cell that was run."""
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    different = ", ".join(found["different"]) or "none"
    alike = {"": "", "same": "same hash", "other": "**another hash**"}
    threads = alike["same" if set(found["crowds"]) <= {crowd} else "other"] if found["crowds"] else ""
    return f"{date.today():%d %B %Y} | {versions} | {found['worlds']} | {different} | {threads} "


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.matrix", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help="part of the name of a cell or of its group")
    parser.add_argument("--worlds", type=int, default=1110, help="worlds per cell")
    parser.add_argument("--write", action="store_true", help="write the page; rows of other cells are kept")
    options = parser.parse_args(arguments)
    crowd, failures = None, 0
    for cell in cells():
        if options.parts and not any(part in f"{cell.group} {cell.name}" for part in options.parts):
            continue
        if not can_run(cell):
            print(f"{cell.group}, {cell.name}: cannot be run here", flush=True)
            continue
        found = run(cell, options.worlds)
        if "error" in found:
            failures += 1
            print(f"{cell.group}, {cell.name}: {found['error']}", flush=True)
            continue
        crowd = crowd if crowd is not None or not found["crowds"] else found["crowds"][0]
        failures += bool(found["different"]) or any(each != crowd for each in found["crowds"])
        made = row(found, crowd)
        print(f"{cell.group}, {cell.name}: {made}", flush=True)
        if options.write:
            write({**kept(), (cell.group, cell.name): made})
    print(f"{failures} cells differ or failed, on {platform.machine()}")
    return 1 if failures else 0


def kept() -> dict[tuple[str, str], str]:
    """The rows of the page as it is."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return {(each["group"], each["name"]): each["rest"] for each in _ROW.finditer(text)}


def write(rows: dict[tuple[str, str], str]) -> None:
    """Write the page, with empty cells for what was not run."""
    lines = [f"| {each.group} | {each.name} | {rows.get((each.group, each.name), ' | | | | ')}|\n" for each in cells()]
    PAGE.write_text(_HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
