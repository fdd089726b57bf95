"""Runs a demo, in a window or without one, with the command line, the keys, and the loop of frames."""
