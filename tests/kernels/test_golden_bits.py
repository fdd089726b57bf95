"""The bits of flown worlds are those of the committed table (`python -m tests.golden_bits`): a change of bits between releases is seen.

As plain Python one method is flown with every force and every method with one; compiled, every method with the held forces: their loops are
compiled by other tests anyway. `.ci/long` flies all of the table, both ways.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..golden_bits import METHODS, every_case, flown, kept, key
from ..lengths import sized

ROOT = Path(__file__).resolve().parents[2]
TABLE = kept()


def test_the_table_has_a_row_for_every_method_force_and_setting():
    assert set(TABLE) == {key(*case) for case in every_case()}


def test_plain_python_has_the_bits_of_the_table():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    result = subprocess.run(
        [sys.executable, "-m", "tests.golden_bits", *sized(["--crossing"], [])],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]


@pytest.mark.parametrize("method", METHODS)
def test_compiled_loops_have_the_bits_of_the_table(method):
    for case in (
        (method, "thrusters", False, False),
        (method, "thrusters", True, False),
        (method, "pushes", False, True),
    ):
        assert flown(*case) == TABLE[key(*case)], key(*case)
