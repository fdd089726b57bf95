"""Make all bad calls, and print their count and the shares of what went wrong.

Usage: python -m tests.bad_calls [PART OF A NAME]
"""

import sys
import time

from .product import is_acceptable, report, run

if __name__ == "__main__":
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    start = time.perf_counter()
    counts, wrong = run(lambda name, argument, values: values if part in f"{name}({argument})" else [])
    print("\n".join(wrong))
    print(report(counts), f"{time.perf_counter() - start:.0f} s", sep="\n")
    sys.exit(not part and not is_acceptable(counts))
