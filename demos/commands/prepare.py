"""Compiles kernels before they are needed; a command of the engine, which is here so that it is listed with the others."""

from collections.abc import Sequence

from ..physics import run_command


def main(arguments: Sequence[str]) -> int:
    """Compile what the options name; the exit status."""
    return run_command(["prepare", *arguments])
