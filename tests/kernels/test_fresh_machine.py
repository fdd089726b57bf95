"""One of the checks on a machine where nothing has been compiled; `python -m tests.fresh` runs all of them."""

import os

import pytest

from engine.compilation.compiler import COMPILED

from ..fresh.checks import CHECKS
from ..lengths import long_run


@long_run
@pytest.mark.skipif(not COMPILED or os.name == "nt", reason="nothing is compiled, or no process can be stopped")
def test_a_program_that_only_steps_compiles_all_that_its_ticks_call_and_its_second_run_nothing():
    CHECKS["step"]()
