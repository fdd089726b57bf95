"""Measures the cost of the engine: `python -m tests.benchmarks`. It prints figures; nothing here passes or fails.

Worlds are prepared, and nothing is compiled in the background, so that no loop that stands in is timed.
"""

import os

os.environ.setdefault("POLHODE_BACKGROUND", "0")
