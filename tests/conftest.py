"""Settings for every test: numpy's silent failures are errors, and property tests draw the same examples in every run.

Nothing is compiled in the background, so that what a test runs does not depend on when something else is finished.
"""

import gc
import os

import numpy as np
import pytest
from hypothesis import settings

os.environ["POLHODE_BACKGROUND"] = "0"

settings.register_profile("polhode", derandomize=True, deadline=None, database=None, max_examples=50)
settings.load_profile("polhode")


@pytest.fixture(autouse=True)
def numpy_raises():
    """Compiled code ignores this; the run without numba does not."""
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Python does not look for garbage among the modules and the tests, which stay: neither while they are made nor afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With `-n 2` alone, a process that has run all its tests takes over tests of the other one: the README's command stays short."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)
