"""Which code made the rows: what changes the hash of the user's function, and what is rejected."""

import sys
import types

import pytest

from engine.campaign import provenance
from engine.campaign.blocks import simulate_block

from . import programs

SOURCE = '''
import math
import numpy as np
import helper_of_test
from helper_of_test import Ship

FACTOR = 2.0
TABLE = {"a": [1.0, 2.0]}
GAINS = np.array([1.0, 2.0])

def limit(x):
    """What it does."""
    return min(x, 3.0)  # why

def simulate(run, gain=1.0):
    ship = Ship()
    return {"x": limit(FACTOR) + TABLE["a"][0] + GAINS[0] + ship.mass(gain) + helper_of_test.offset() + math.pi}
'''
HELPER = """
class Base:
    scale = 1.0

class Ship(Base):
    def mass(self, gain):
        return 90.0 * gain * self.scale

def offset():
    return 1.0

def unused():
    return 1.0
"""


def hash_of(source=SOURCE, helper=HELPER):
    """The hash of `simulate` in these modules of a user."""
    names = {"helper_of_test": helper, "mission_of_test": source}
    try:
        for name, text in names.items():
            sys.modules[name] = module = types.ModuleType(name)
            module.__file__ = f"/home/user/{name}.py"
            exec(compile(text, module.__file__, "exec"), vars(module))
        provenance._is_installed.cache_clear()
        return provenance.code_of(sys.modules["mission_of_test"].simulate)
    finally:
        for name in names:
            del sys.modules[name]


def changed(old, new):
    assert SOURCE.count(old) + HELPER.count(old) == 1
    return hash_of(SOURCE.replace(old, new), HELPER.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("min(x, 3.0)", "min(x, 4.0)"),
        ("FACTOR = 2.0", "FACTOR = 2.5"),
        ('{"a": [1.0, 2.0]}', '{"a": [1.5, 2.0]}'),
        ("np.array([1.0, 2.0])", "np.array([1.0, 2.5])"),
        ("gain=1.0", "gain=1.5"),
        ("+ math.pi", "+ math.e"),
        ("90.0 * gain", "91.0 * gain"),
        ("scale = 1.0", "scale = 1.5"),
        ("def offset():\n    return 1.0", "def offset():\n    return 2.0"),
    ],
)
def test_a_change_of_what_the_function_reads_is_another_hash(old, new):
    assert changed(old, new) != hash_of()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""What it does."""', '"""Something else."""'),
        ("# why", "# because"),
        ("\nFACTOR", "\n\n\nFACTOR"),
        ("def unused():\n    return 1.0", "def unused():\n    return 2.0"),
    ],
)
def test_comments_lines_and_unused_code_do_not_count(old, new):
    assert changed(old, new) == hash_of()


def test_recursive_functions_and_wrappers_have_a_hash():
    def wrapped(f):
        def call(run):
            return f(run)

        call.__wrapped__ = f
        return call

    def first(run):
        return second(run)

    def second(run):
        return first(run)

    assert provenance.code_of(wrapped(first)) == provenance.code_of(wrapped(first))
    assert provenance.code_of(wrapped(first)) != provenance.code_of(first)


def test_a_worker_with_other_versions_or_kernels_is_rejected_by_name():
    campaign = programs.of(programs.doubled, "nowhere", 4)
    code = provenance.provenance(programs.doubled)
    assert simulate_block(campaign._job(code).of_runs(0, 2)).runs.num_rows == 2
    for name in code:
        job = campaign._job({**code, name: "another"}).of_runs(0, 2)
        with pytest.raises(
            ValueError, match=rf"worker .*:\d+: {name} must be another, as in the coordinating process; got "
        ):
            simulate_block(job)


def test_the_hash_of_kernels_and_engine_follows_from_their_code(monkeypatch):
    before = provenance.provenance(programs.doubled)
    from engine.kernels import vectors

    monkeypatch.setattr(vectors, "dot", types.FunctionType((lambda a, b: a[0] * b[0]).__code__, vars(vectors), "dot"))
    provenance._kernels.cache_clear()
    try:
        after = provenance.provenance(programs.doubled)
    finally:
        provenance._kernels.cache_clear()
    assert [name for name, _, _ in provenance.differences(before, after)] == ["kernels"]
