"""Measure what a tick costs, beside the limits of the machine and beside other engines.

    python -m tests.benchmarks              # some minutes: prints the tables, writes benchmarks.json and benchmarks.png to out/
    python -m tests.benchmarks --quick      # a minute, rough
    python -m tests.benchmarks --full       # more rounds, and a million bodies
    python -m tests.benchmarks --record     # to be kept: writes tests/benchmarks/measured.json and demos/pictures/benchmarks.png
    python -m tests.benchmarks --readme     # measures nothing: prints the README's table from tests/benchmarks/measured.json

Each figure is the median of rounds in which everything takes its turn; the least is in brackets. Other engines are measured where they are
installed (the extra "peers"), the limits where there is a C compiler.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import accuracy, force_costs, limits, machine, many_bodies, measure, one_body, rotations, start, table
from .measure import Effort, Figure

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "tests" / "benchmarks" / "measured.json", ROOT / "demos" / "pictures" / "benchmarks.png"
PASSING = Path("out") / "benchmarks.json", Path("out") / "benchmarks.png"

SECTIONS: dict[str, Callable[[Effort], list[Figure]]] = {
    "one-body": one_body.measured,
    "many-bodies": many_bodies.measured,
    "free-body": accuracy.measured,
    "forces": force_costs.measured,
    "rotations": rotations.measured,
    "start": start.measured,
    "limits": limits.bandwidth,
}


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line asks."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if chosen.readme is not None:
        if not chosen.readme.exists():
            parser.error(f"there is no {chosen.readme}; --record writes one")
        print(table.readme(json.loads(chosen.readme.read_text(encoding="utf-8"))))
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
    try:
        from . import picture
    except ImportError:
        print("no matplotlib: no picture")
        return
    if any(figure["table"] == many_bodies.TABLE for figure in run["figures"]):
        picture.save(picture.cost_and_truth(run), drawn)
        print(f"wrote {drawn}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=(__doc__ or "").splitlines()[0])
    effort = parser.add_mutually_exclusive_group()
    for name, value, words in (
        ("--quick", measure.QUICK, "a minute, rough"),
        ("--full", measure.FULL, "more rounds, a million bodies"),
    ):
        effort.add_argument(name, dest="effort", action="store_const", const=value, default=measure.NORMAL, help=words)
    parser.add_argument("--only", action="append", choices=SECTIONS, help="measure this section (may be repeated)")
    parser.add_argument("--record", action="store_true", help="write the files that the README shows")
    parser.add_argument(
        "--readme", nargs="?", type=Path, const=KEPT[0], metavar="JSON", help="print the README's table and stop"
    )
    return parser


if __name__ == "__main__":
    main()
