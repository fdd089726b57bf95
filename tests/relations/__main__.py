"""Check the relations on many random worlds, and print the number of each world on which one does not hold."""

import argparse
import sys
import warnings
from collections.abc import Sequence

from .relations import RELATIONS


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.relations", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help="part of the name of a relation")
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    failed = 0
    for name, relation in RELATIONS.items():
        if options.parts and not any(part in name for part in options.parts):
            continue
        found = []
        for number in range(options.first, options.first + options.worlds):
            try:
                relation(number)
            except AssertionError as error:
                found.append(f"{number} ({str(error).splitlines()[0] if str(error) else 'it does not hold'})")
        failed += len(found)
        print(
            f"{name}: {options.worlds} worlds, {len(found)} fail{': ' + ', '.join(found[:8]) if found else ''}",
            flush=True,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
