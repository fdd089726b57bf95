"""Run all long runs, or those that are named, and print their figures."""

import argparse
import sys
import time
from collections.abc import Callable, Sequence

from . import batches, conservation, exchange, frames, restores, scales, signals
from .report import Figure

PARTS: dict[str, tuple[Callable[[int, int], list[Figure]], int]] = {
    "exchange": (exchange.run, 1_000_000),
    "scales": (scales.run, 1000),
    "conservation": (conservation.run, 10_000_000),
    "frames": (frames.run, 1_000_000),
    "restores": (restores.run, 100_000),
    "signals": (signals.run, 200),
    "batches": (batches.run, 10_000_000),
}
"""What runs a part, and its full size: ticks, worlds, ticks of a body per method, frames, ticks, signals, ticks of members."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--ticks", type=int, help="ticks, worlds, frames or signals in place of the full size")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    hold = True
    for name in options.names or PARTS:
        run, size = PARTS[name]
        began = time.monotonic()
        figures = run(options.ticks or size, options.seed)
        for figure in figures:
            print(f"{name}: {figure}", flush=True)
        print(f"{name}: size {options.ticks or size}, {time.monotonic() - began:.0f} s", flush=True)
        hold = hold and all(figure.holds for figure in figures)
    return 0 if hold else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
