"""How long tests take: `.ci/run` has three minutes for all of them, `.ci/long`, which sets POLHODE_LONG, has hours.

A search tries a few cases in `.ci/run` and all of its cases in `.ci/long`. A test that has to begin with an empty cache of kernels runs in
`.ci/long` only.
"""

import os
from typing import TypeVar

import pytest

Case = TypeVar("Case")

IS_LONG = "POLHODE_LONG" in os.environ

long_run = pytest.mark.skipif(not IS_LONG, reason="takes long: `.ci/long` runs it")


def sized(short: Case, long: Case) -> Case:
    """The size, or the list of cases, of a test in `.ci/run` and in `.ci/long`."""
    return long if IS_LONG else short
