"""Run the checks whose names contain one of the given words, or all of them."""

import sys

from .checks import CHECKS


def main() -> None:
    """Run them, and end with the first error."""
    words = sys.argv[1:]
    for name, check in CHECKS.items():
        if not words or any(word in name for word in words):
            check()
            print(f"{name}: {(check.__doc__ or '').strip()}", flush=True)


if __name__ == "__main__":
    main()
