"""What the engine costs, measured: `python -m tests.benchmarks`. Prints figures; nothing here passes or fails."""
