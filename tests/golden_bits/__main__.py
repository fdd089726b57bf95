"""Fly the worlds of the table: `python -m tests.golden_bits [--write] [--crossing] [part of a name …]`.

Without --write, say which rows differ. With --crossing, one method is flown with every force, and every other method with one force.
"""

import json
import sys

from . import TABLE, crossing, every_case, flown, kept, key


def main(arguments):
    parts = [argument for argument in arguments if not argument.startswith("--")]
    cases = [
        case
        for case in (crossing if "--crossing" in arguments else every_case)()
        if all(part in key(*case) for part in parts)
    ]
    found = {key(*case): flown(*case) for case in cases}
    if "--write" in arguments:
        table = (kept() if TABLE.exists() and parts else {}) | found
        TABLE.write_text(json.dumps(table, indent=0) + "\n", encoding="utf-8")
        return 0
    known = kept()
    different = [name for name, value in found.items() if known.get(name) != value]
    print(*different, sep="\n")
    print(f"{len(found)} worlds, {len(different)} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
