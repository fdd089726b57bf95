"""Other engines, a file each; `installed` finds those that are there."""

import functools
import importlib
import importlib.metadata
import warnings

from .peer import Entry

MODULES = ("mujoco", "bullet", "panda", "newton", "basilisk", "vectorised")


@functools.cache
def installed() -> dict[str, tuple[list[str], list[Entry]]]:
    """By module: distributions with versions, and what it has to show."""
    found = {}
    for name in MODULES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of libraries about themselves while they are imported
            try:
                module = importlib.import_module(f".{name}", __name__)
            except ImportError:
                continue
        found[name] = [_versioned(distribution) for distribution in module.DISTRIBUTIONS], module.ENTRIES
    return found


def entries() -> list[Entry]:
    """What all that are installed have to show."""
    return [entry for _, entries in installed().values() for entry in entries]


def versions() -> list[str]:
    """Distributions and their versions."""
    return [version for versions, _ in installed().values() for version in versions]


def _versioned(distribution: str) -> str:
    return f"{distribution} {importlib.metadata.version(distribution)}"
