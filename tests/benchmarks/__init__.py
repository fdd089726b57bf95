"""Measures the cost of the engine: `python -m tests.benchmarks`. It prints figures; nothing here passes or fails."""
