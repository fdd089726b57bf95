"""Run random scenes of joints; ``python -m tests.joint_search --help`` lists the options."""

import argparse
import sys
from time import thread_time

import numpy as np

from .scenes import KINDS
from .trial import Trial, trial


def main(arguments: list[str]) -> int:
    """Run the scenes, print each that fails, and what the others left; the number of failures."""
    parser = argparse.ArgumentParser(prog="python -m tests.joint_search", description=__doc__)
    parser.add_argument("--scenes", type=int, default=1000, help="how many (default 1000)")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one (default 0)")
    parser.add_argument("--ticks", type=int, default=120, help="ticks of each (default 120)")
    options = parser.parse_args(arguments)
    found: list[Trial] = []
    failed = 0
    for seed in range(options.first, options.first + options.scenes):
        begin = thread_time()
        result = trial(seed, options.ticks)
        if result.failure:
            failed += 1
            print(
                f"{seed} ({KINDS[seed % len(KINDS)].__name__}, {thread_time() - begin:.1f} s): {result.failure}",
                flush=True,
            )
        found.append(result)
    gaps, moved, turned = (np.array([each[place] for each in found]) for place in (1, 2, 3))
    print(f"{len(found)} scenes, {failed} failed")
    print(
        f"joints off by at most {gaps.max():.1e} of the size; ΔP {moved.max():.1e}, ΔL {turned.max():.1e} of their sizes per tick"
    )
    return failed


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
