"""Runnable programs on the engine: `python -m demos` lists them."""
