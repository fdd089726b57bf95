"""Compiled loops, their identity, their cache, and their bits."""
