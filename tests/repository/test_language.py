"""Texts that people read avoid forms that were agreed to be wrong; public properties and arguments are described in one style."""

import ast
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import engine

from ..sources import nodes_of, tree_of

ROOT = Path(__file__).parents[2]
SOURCES = [path for folder in ("engine", "demos") for path in (ROOT / folder).rglob("*.py")]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "tests" / "README.md",
    ROOT / "tests" / "mutants" / "README.md",
    *(ROOT / "docs").rglob("*.md"),
]

# Each wrong form with an example of it and what to write instead.
WRONG = {
    r"\bbody-ticks?\b": ("28 ns a body-tick", "28 ns per body per tick"),
    r"\b(ns|µs|ms|rad|bytes|once|twice|evaluations?) an? (tick|stage|step|frame|body|second|point|pixel)\b": (
        "is called once a tick, and held",
        "is evaluated once per tick and held constant",
    ),
    r"\b(a|one) (row|column|file|thread|layer) an? \w+\b": ("arrays, a row a body", "arrays, with one row per body"),
    r"\bonce-a-(tick|frame)\b": ("once-a-tick forces", "forces that are evaluated once per tick"),
    r"<World of\b": ("<World of 1 bodies>", "<World with 1 body>"),
    r"\bheld to (a|an|the)( independent)? truths?\b": (
        "Each formula is held to an independent truth by a test",
        "Every formula is tested against an independent reference solution",
    ),
    r"\b(not|never) flown\b": ("what was due and not flown", "skipped time"),
    r"\bnobody watches\b": ("bodies whose turning nobody watches", "bodies whose rotation does not matter"),
    r"\bmanners of a\b": ("the loop and manners of a game engine", "a game engine's fixed-timestep loop"),
    r"\bbends? (the )?physics\b": ("what bends physics is off", "anything that alters the physics is opt-in"),
    r"\bstrict C makes\b": ("what strict C makes of the formulas", "the same kernels in IEEE-strict C"),
    r"\bnothing is (said|promised)\b": ("Where it does not, nothing is said", "If it does not, numba stays silent"),
    r"\bkeeps the rest\b": ("and keeps the rest", "and carries the remainder over"),
    r"\b(as it does|flown) alone\b": ("flies as it does alone, to the last bit", "matches its solo run bit for bit"),
    r"\bthat (no|a) body can have\b": ("a tensor that no body can have", "a physically impossible tensor"),
    r"\bunless you say\b": ("eight unless you say otherwise", "eight by default"),
    r"\bwithout a word\b": ("numpy would turn True into 1 without a word", "numpy would silently turn True into 1"),
    r"\bby lot\b": ("what a demo draws by lot", "random"),
    r"\band (its|their) kin\b": ("`World` and its kin", "`World` and the other classes"),
    r"\bany length but zero\b": ("a vector of any length but zero", "a non-zero vector"),
    r"\bA test that cannot fail holds\b": ("A test that cannot fail holds nothing", "proves nothing"),
    r"\b(in|from|to) (the )?(body|world) axes\b": ("a vector in body axes", "a vector in the body frame"),
    r"\brefus(e|es|ed|als?)\b": ("A tensor without an inverse is refused", "is rejected"),
}


STRING_OR_COMMENT = re.compile(
    r'''("""|\'\'\')(?:\\.|[^\\])*?\1|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(\#[^\n]*)''', flags=re.DOTALL
)
"""A string, or a comment as its second group; the module tokenize takes ten times as long."""


def texts(path):
    """The strings and comments of a Python file, or a whole page, as lines with single spaces."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        prose = [line for line in source.splitlines() if "**: " not in line]  # without lists of the names of tests
        return [re.sub(r"\s+", " ", " ".join(prose))]
    strings = [node.value for node in nodes_of(tree_of(path)) if isinstance(node, ast.Constant)]
    comments = [found[2] for found in STRING_OR_COMMENT.finditer(source) if found[2]]
    return [re.sub(r"\s+", " ", text) for text in (*strings, *comments) if isinstance(text, str)]


def found_in(text):
    """The wrong forms in a text, each with what to write instead."""
    hits = [(re.search(form, text), better) for form, (_, better) in WRONG.items()]
    return [f"{hit[0]!r}: write {better!r}" for hit, better in hits if hit]


def public_objects():
    """Every public class and function of the engine's public modules, by its qualified name."""
    for info in pkgutil.walk_packages(engine.__path__, "engine."):
        for name, thing in vars(importlib.import_module(info.name)).items():
            if getattr(thing, "__module__", None) == info.name and not name.startswith("_"):
                yield f"{info.name}.{name}", thing


def docstrings():
    """The docstrings of public classes, functions and methods, by their qualified names."""
    for name, thing in public_objects():
        yield name, inspect.getdoc(thing) or ""
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if inspect.isfunction(value) or isinstance(value, classmethod | staticmethod):
                    yield f"{name}.{member}", inspect.getdoc(value) or ""


def properties():
    """The docstrings of public properties, by their qualified names."""
    for name, thing in public_objects():
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if isinstance(value, property) and not member.startswith("_"):
                    yield f"{name}.{member}", inspect.getdoc(value) or ""


def joined_arguments(docstring):
    """The entries of a section Args that describe several arguments at once, or end in "or"."""
    section = re.search(r"^Args:\n((?:[ ]+.*\n?|\n)+)", docstring, flags=re.MULTILINE)
    lines = section[1].splitlines() if section else []
    return [line for line in lines if re.match(r" {4}\w+(, *| and | or )\w+[\w, ]*:", line) or line.endswith("; or")]


def test_texts_avoid_the_forms_that_were_agreed_to_be_wrong():
    found = {str(path): found_in("\n".join(texts(path))) for path in [*SOURCES, *PAGES]}
    assert len(found) > 200
    assert {path: hits for path, hits in found.items() if hits} == {}


@pytest.mark.parametrize("form", WRONG)
def test_each_wrong_form_is_found_in_its_example_and_not_in_the_right_one(form):
    wrong, right = WRONG[form]
    assert re.search(form, wrong)
    assert found_in(right) == []


@pytest.mark.parametrize(
    "source", ['x = f"{1} ns a body-tick"', '"""One line,\nonce a\ntick."""', "x = 1  # called once a tick"]
)
def test_a_wrong_form_is_found_in_docstrings_messages_and_comments(source, tmp_path):
    path = tmp_path / "example.py"
    path.write_text(f"{source}\n", encoding="utf-8")
    assert any(map(found_in, texts(path)))


def test_the_first_line_of_a_property_has_no_colon():
    """Documentation tools take the text before it for a type."""
    found = dict(properties())
    assert len(found) > 100
    assert [name for name, docstring in found.items() if ":" in docstring.partition("\n")[0]] == []


def test_each_argument_has_an_entry_of_its_own():
    found = dict(docstrings())
    assert len(found) > 200
    assert {name: joined for name, docstring in found.items() if (joined := joined_arguments(docstring))} == {}
    assert joined_arguments("Add.\n\nArgs:\n    force_world, force_body: Force [N].\n")
    assert joined_arguments("Add.\n\nArgs:\n    position: Position [m]; or\n    origin: that of the origin.\n")
    assert not joined_arguments("Add.\n\nArgs:\n    body: The body, or its row.\n    origin: None, or a point.\n")


def test_arguments_are_listed_under_args():
    """A section Args starts on a line of its own."""
    assert [
        name for name, docstring in docstrings() if re.search(r"^Args\b(?!:$)", docstring, flags=re.MULTILINE)
    ] == []
