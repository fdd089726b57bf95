"""Measure what a tick costs, beside the limits of the machine and beside other engines.

    python -m tests.benchmarks              # some minutes: prints the tables, writes benchmarks.json and benchmarks.svg to out/
    python -m tests.benchmarks --quick      # a minute, rough
    python -m tests.benchmarks --full       # more rounds, and a million bodies
    python -m tests.benchmarks --record     # to be kept: writes tests/benchmarks/measured.json and the pictures in demos/pictures
    python -m tests.benchmarks --table      # measures nothing: prints the tables of docs/benchmarks.md from tests/benchmarks/measured.json
    python -m tests.benchmarks --draw       # measures nothing: draws the pictures again from tests/benchmarks/measured.json
    python -m tests.benchmarks joints       # some minutes: bodies on joints, beside MuJoCo and pybullet; prints lines and writes nothing
    python -m tests.benchmarks batch        # a minute: the time per member of a batch, beside the goals; prints a table and writes nothing
    python -m tests.benchmarks fleets       # a minute: the time per member among 64 and among 4096; prints lines and writes nothing
    python -m tests.benchmarks contacts     # some minutes: bodies that touch, beside others; exits with 1 if a limit is missed
    python -m tests.benchmarks frames       # two minutes: the longest frames of a game while its kernels are compiled; writes nothing

Each figure is the median of rounds in which everything takes its turn; the least is in brackets. Other engines are measured where they are
installed (the extra "peers"), the limits where there is a C compiler.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import (
    accuracy,
    batch,
    contacts,
    fleets,
    flight_costs,
    force_costs,
    frames,
    joints,
    limits,
    machine,
    many_bodies,
    measure,
    one_body,
    rotations,
    snapshots,
    start,
    table,
)
from .measure import Effort, Figure

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "tests" / "benchmarks" / "measured.json", ROOT / "demos" / "pictures" / "benchmarks.svg"
PASSING = Path("out") / "benchmarks.json", Path("out") / "benchmarks.svg"
ENGINES = "other-engines.svg"
"""The picture of the README."""

SECTIONS: dict[str, Callable[[Effort], list[Figure]]] = {
    "one-body": one_body.measured,
    "many-bodies": many_bodies.measured,
    "free-body": accuracy.measured,
    "forces": force_costs.measured,
    "flight": flight_costs.measured,
    "rotations": rotations.measured,
    "snapshots": snapshots.measured,
    "start": start.measured,
    "limits": limits.bandwidth,
}


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line asks."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if chosen.what is not None:
        kept = {
            "batch": batch.main,
            "joints": joints.main,
            "fleets": fleets.main,
            "frames": frames.main,
            "contacts": contacts.main,
        }[chosen.what]()
        if kept is False:
            sys.exit(1)
        return
    if chosen.table is not None:
        run = _recorded(chosen.table, parser)
        print(f"{table.compact(run)}\n\n{table.forces(run)}")
        return
    if chosen.draw:
        draw(_recorded(KEPT[0], parser), KEPT[1])
        return
    run = measured(chosen.effort, chosen.only or list(SECTIONS))
    print(table.everything(run))
    written(run, *(KEPT if chosen.record else PASSING))


def measured(effort: Effort, sections: list[str]) -> dict[str, Any]:
    """Machine and figures of some sections."""
    if limits.library() is None:
        print("no C compiler: the limits are left out")
    figures: list[Figure] = []
    for name in sections:
        begin = time.perf_counter()
        figures += SECTIONS[name](effort)
        print(f"{name}: {time.perf_counter() - begin:.0f} s", flush=True)
    return {"machine": machine.described(), "figures": [figure.as_json() for figure in figures]}


def written(run: dict[str, Any], target: Path, drawn: Path) -> None:
    """Write the figures as JSON, and a picture where matplotlib is there and there is something to draw."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"wrote {target}")
    draw(run, drawn)


def draw(run: dict[str, Any], drawn: Path) -> None:
    """Draw the figures where matplotlib is there and there is something to draw, all of them and, next to it, the picture of the README."""
    try:
        from . import picture
    except ImportError:
        print("no matplotlib: no picture")
        return
    if any(figure["table"] == many_bodies.TABLE for figure in run["figures"]):
        for make, path in ((picture.costs, drawn), (picture.next_to_other_engines, drawn.with_name(ENGINES))):
            picture.save(make(run), path)
            print(f"wrote {path}")


def _recorded(path: Path, parser: argparse.ArgumentParser) -> dict[str, Any]:
    """A run as it was written."""
    if not path.exists():
        parser.error(f"there is no {path}; --record writes one")
    return json.loads(path.read_text(encoding="utf-8"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "what",
        nargs="?",
        choices=["batch", "joints", "fleets", "frames", "contacts"],
        help="measure bodies on joints or in contact, one of many, or longest frames, instead",
    )
    effort = parser.add_mutually_exclusive_group()
    for name, value, words in (
        ("--quick", measure.QUICK, "a minute, rough"),
        ("--full", measure.FULL, "more rounds, a million bodies"),
    ):
        effort.add_argument(name, dest="effort", action="store_const", const=value, default=measure.NORMAL, help=words)
    parser.add_argument("--only", action="append", choices=SECTIONS, help="measure this section (may be repeated)")
    parser.add_argument("--record", action="store_true", help="write the files that the documentation shows")
    parser.add_argument(
        "--table",
        nargs="?",
        type=Path,
        const=KEPT[0],
        metavar="JSON",
        help="print the tables of docs/benchmarks.md and stop",
    )
    parser.add_argument("--draw", action="store_true", help="draw the recorded figures again and stop")
    return parser


if __name__ == "__main__":
    main()
