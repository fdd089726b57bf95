"""Settings for every test: numpy's silent failures are errors, and property tests draw the same examples in every run.

Nothing is compiled in the background, so that what a test runs does not depend on when something else is finished.
"""

import gc
import os

import numpy as np
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings

os.environ["POLHODE_BACKGROUND"] = "0"

settings.register_profile("polhode", derandomize=True, deadline=None, database=None, max_examples=50)
settings.load_profile("polhode")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Python does not look for garbage among the modules and the tests, which stay: neither while they are made nor afterwards.

    What comes later is looked through seldom, and what is old of it hardly ever, because most of it is kernels, which stay as well: a look
    through all of them takes more than a second.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000, 20, 1_000)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Only the call of a test is reported, and what failed before or behind it: each report is sent to another process.

    Numpy raises where it would be silent, or warn: compiled code ignores this, and the run without numba does not.
    """
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With `-n 2` alone, a process that has run all its tests takes over tests of the other one: the README's command stays short."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)
