"""Runnable programs on the engine: `python -m demos` lists them."""

import os

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # or pygame greets on standard output
