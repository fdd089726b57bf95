"""Every mutant still applies and names tests that exist, the page lists them all, and the runner tells caught from survived."""

import ast
import functools

import pytest

from ..lengths import long_run
from ..mutants import ROOT, Mutant, every_mutant
from ..mutants.__main__ import Verdict, copy_to, verdict
from ..mutants.page import PAGE, change, complete_run, page, rows
from ..sources import tree_of

MUTANTS = every_mutant()
EXAMPLE = Mutant("", "engine/clock.py", "example", "if is_limited and ticks > self._max_ticks:", "if False:", ())


@functools.cache
def functions(path):
    return {node.name for node in tree_of(path).body if isinstance(node, ast.FunctionDef)}


def test_every_mutant_applies_and_names_tests_that_exist():
    assert {mutant.name: trouble for mutant in MUTANTS if (trouble := trouble_with(mutant))} == {}


def trouble_with(mutant):
    """Why a mutant cannot be tried, or "" if it can."""
    try:
        mutant.applied_to(source(mutant.file))
    except (OSError, ValueError) as error:
        return str(error)
    if not mutant.tests:
        return "names no test"
    return "; ".join(test for test in mutant.tests if not is_there(test))


def is_there(test):
    """Whether a test that a mutant names is in the repository."""
    file, _, rest = test.partition("::")
    path = ROOT / "tests" / file
    return path.is_file() and (not rest or rest.partition("[")[0] in functions(path))


def test_what_is_wrong_with_a_mutant_is_said():
    example = EXAMPLE._replace(tests=("world/test_clock.py::test_the_cap_drops_what_is_beyond_and_counts_it",))
    assert trouble_with(example) == ""
    assert "occurs 0 times" in trouble_with(example._replace(old="no such text"))
    assert trouble_with(example._replace(tests=())) == "names no test"
    assert trouble_with(example._replace(tests=("world/test_clock.py::test_x",))) == "world/test_clock.py::test_x"
    assert "No such file" in trouble_with(example._replace(file="engine/nothing.py"))


@functools.cache
def source(file):
    return (ROOT / file).read_text(encoding="utf-8")


def test_names_of_mutants_differ():
    names = [mutant.name for mutant in MUTANTS]
    assert len(names) == len(set(names)) > 100


def test_the_page_lists_exactly_the_mutants_of_the_data():
    """With the changes that they make, the reasons of those that survive, and a test for every other."""
    listed = rows(PAGE.read_text(encoding="utf-8"))
    assert {name: shown for name, (shown, _) in listed.items()} == {mutant.name: change(mutant) for mutant in MUTANTS}
    for mutant in MUTANTS:
        last = listed[mutant.name][1]
        assert last == mutant.survives if mutant.survives else "::test_" in last


def test_what_is_written_to_the_page_is_read_from_it():
    survivor = EXAMPLE._replace(name="another | one", new="", survives="It is never asked.")
    written = page([EXAMPLE, survivor], {"example": "world/test_clock.py::test_the_cap"}, "24 November 2026")
    assert complete_run(written) == "24 November 2026"
    listed = rows(written)
    assert [last for _, last in listed.values()] == ["`world/test_clock.py::test_the_cap`", "It is never asked."]


@pytest.mark.parametrize(
    ("text", "changes", "found"),
    [
        ("a = 2", {}, 0),
        ("a = 1; a = 1", {}, 2),
        ("a = 1; a = 1", {"occurrence": 3}, 2),
        ("a = 1", {"new": "a = 1"}, None),
    ],
)
def test_a_mutant_that_does_not_apply_as_stated_is_an_error(text, changes, found):
    mutant = EXAMPLE._replace(old="a = 1", new="a = 3")._replace(**changes)
    with pytest.raises(ValueError, match="same|is the old one" if found is None else f"occurs {found} times"):
        mutant.applied_to(text)


def test_a_mutant_changes_the_occurrence_that_it_names():
    mutant = EXAMPLE._replace(old="1", new="2")
    assert [mutant._replace(occurrence=place).applied_to("1 1 1") for place in (1, 2, 3)] == ["2 1 1", "1 2 1", "1 1 2"]


@long_run
def test_a_broken_line_is_caught_an_equal_one_survives_and_both_are_undone(tmp_path):
    """The cap of ticks per frame ignored, and compared in another form."""
    tree = copy_to(tmp_path)
    before = (tree / EXAMPLE.file).read_bytes()
    capped = "world/test_clock.py::test_the_cap_drops_what_is_beyond_and_counts_it"
    broken = EXAMPLE._replace(tests=(capped,))
    equal = broken._replace(new="if is_limited and not ticks <= self._max_ticks:", survives="It is the same.")
    assert verdict(tree, broken) == Verdict("caught", capped)
    assert verdict(tree, equal) == Verdict("survived", "")
    assert verdict(tree, broken._replace(old="no such text")).kind == "does not apply"
    assert verdict(tree, broken._replace(new="if (")).kind == "error"
    assert Verdict("caught", "").is_expected_of(broken) and not Verdict("caught", "").is_expected_of(equal)
    assert (tree / EXAMPLE.file).read_bytes() == before
