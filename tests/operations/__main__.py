"""Run one of the drivers for a number of operations; the failing script is printed, as short as Hypothesis can make it."""

import argparse
import sys
import time
from collections.abc import Sequence

from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from .interpreter import COUNTS, METHODS
from .machine import COMPILED, PLAIN, WITH_BOUNDS_CHECKS, Peer, machine

STEPS = 40
"""Operations per script."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.operations", description=__doc__)
    parser.add_argument("--operations", type=int, default=500)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--against", choices=("plain", "afresh", "arriving"), default="afresh")
    parser.add_argument("--most", type=int, default=COUNTS[-1], help="the largest number of bodies")
    parser.add_argument(
        "--compiled", action="store_true", help="with --against afresh, run compiled kernels, for many bodies"
    )
    parser.add_argument("--methods", default=",".join(METHODS))
    options = parser.parse_args(arguments)
    shared = {"most": options.most, "methods": options.methods.split(","), "builds": options.against == "afresh"}
    peers = [Peer(COMPILED if options.compiled else PLAIN, **shared)]
    if options.against == "plain":
        peers = [Peer(PLAIN, **shared), Peer(WITH_BOUNDS_CHECKS, **shared)]
    elif options.against == "arriving":
        peers = [Peer(COMPILED, **shared), Peer(COMPILED, arriving=True, **shared)]
    print(f"--against {options.against} --operations {options.operations} --seed {options.seed}", flush=True)
    made = machine(peers)
    chosen = settings(
        max_examples=max(1, options.operations // STEPS),
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )
    try:
        run_state_machine_as_test(seed(options.seed)(made), settings=chosen)
    finally:
        for peer in peers:
            peer.close()
    print(f"{made.applied} operations, no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
