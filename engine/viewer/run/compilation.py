"""Tells which kernel the engine is about to compile, so that a window can say so before it stands still."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident

LOGGER = "polhode"
"""The name of the engine's logger."""
ANNOUNCEMENT = "compiling kernel "
"""How the engine's log message before a compilation begins; the name of the kernel follows."""


@contextmanager
def announced(announce: Callable[[str], None]) -> Iterator[None]:
    """Call `announce` with the name of each kernel before this thread compiles it.

    What else the engine logs is neither changed nor added to.
    """
    logger, thread = logging.getLogger(LOGGER), get_ident()
    level, threshold = logger.level, logger.getEffectiveLevel()

    def see(record: logging.LogRecord) -> bool:
        text = record.getMessage()
        if text.startswith(ANNOUNCEMENT) and get_ident() == thread:
            announce(text.removeprefix(ANNOUNCEMENT))
        return record.levelno >= threshold

    logger.addFilter(see)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeFilter(see)
