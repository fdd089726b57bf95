"""The examples in the docstrings of the engine run, and give what they show; what the site documents has one, and says units and frames."""

import ast
import doctest
import importlib
import importlib.util
import inspect
import pkgutil
from pathlib import Path

import pytest

import engine

MODULES = [info.name for info in pkgutil.walk_packages(engine.__path__, "engine.")]

NOT_FOR_USERS = {"engine.viewer.internals"}
"""Modules with a list of names that is for the commands."""


def site():
    """The settings of the documentation site."""
    path = Path(__file__).parents[2] / "docs" / "conf.py"
    spec = importlib.util.spec_from_file_location("conf", path)
    settings = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(settings)
    return settings


SITE = site()


def documented():
    """The classes and functions of the reference, each once, by the names under which the site lists them."""
    found = {}
    for module in map(importlib.import_module, SITE.MODULES):
        for name in SITE.public_names(module):
            thing = getattr(module, name)
            if not inspect.ismodule(thing) and not any(thing is other for other in found.values()):
                found[f"{module.__name__}.{name}"] = thing
    return found


def functions():
    """The documented functions and methods of the reference that take arguments, by name."""
    found = {}
    for name, thing in documented().items():
        members = {name: thing} if inspect.isfunction(thing) else {}
        for base in reversed(inspect.getmro(thing)) if inspect.isclass(thing) else ():
            if base.__module__.partition(".")[0] == "engine":
                members |= {f"{base.__module__}.{base.__qualname__}.{own}": one for own, one in vars(base).items()}
        for own, one in members.items():
            function = one.__func__ if isinstance(one, classmethod | staticmethod) else one
            if inspect.isfunction(function) and function.__doc__ and not own.rpartition(".")[2].startswith("_"):
                if set(inspect.signature(function).parameters) - {"self", "cls"}:
                    found[own] = function
    return found


@pytest.mark.parametrize("folder", sorted({name.split(".")[1] for name in MODULES}))
def test_examples_give_what_they_show(folder, monkeypatch):
    # for each docstring doctest makes a debugger, which asks for the age of every file that a traceback has shown
    monkeypatch.setattr("linecache.checkcache", lambda filename=None: None)
    names = [name for name in MODULES if name.split(".")[1] == folder]
    assert [name for name in names if doctest.testmod(importlib.import_module(name)).failed] == []


def test_every_public_class_has_an_example():
    """A base class is shown by the classes made from it."""
    bases = {
        engine.forces.Force,
        engine.integrators.Integrator,
        engine.joints.Joint,
        engine.NonFiniteStateError,
        importlib.import_module("engine.shapes").Shape,
    }
    classes = {name: one for name, one in documented().items() if inspect.isclass(one) and one not in bases}
    assert len(classes) > 100
    assert [name for name, one in classes.items() if ">>>" not in (one.__doc__ or "")] == []


def test_every_documented_function_with_arguments_has_an_example():
    found = functions()
    assert len(found) > 200
    assert [name for name, function in found.items() if ">>>" not in function.__doc__] == []


def test_the_site_has_every_public_module():
    """A public module has a list of its names; of those in `engine`, only its diagnostics have none."""
    listed = {name for name in MODULES if hasattr(importlib.import_module(name), "__all__")} - NOT_FOR_USERS
    assert set(SITE.MODULES) == listed | {"engine", "engine.diagnostics"}


def fields():
    """The fields of the documented named tuples, each with the string below it, which is what the site shows of it."""
    for name, thing in documented().items():
        if inspect.isclass(thing) and issubclass(thing, tuple):
            lines = ast.parse(inspect.getsource(thing).strip()).body[0].body
            for line, below in zip(lines, [*lines[1:], None], strict=True):
                if isinstance(line, ast.AnnAssign):
                    text = below.value.value if isinstance(below, ast.Expr) else ""
                    yield f"{name}.{ast.unparse(line.target)}", text


def test_each_field_of_a_reading_or_a_result_has_its_meaning_unit_and_frame():
    """Otherwise the site says "Alias for field number 0"."""
    found = dict(fields())
    assert len(found) >= 42
    assert [name for name, text in found.items() if not text] == []
    framed = {name: name.rpartition("_")[2] for name in found if name.endswith(("_body", "_world"))}
    assert [name for name, frame in framed.items() if f"{frame} frame" not in found[name]] == []
    of_time = [name for name in found if name.endswith((".time", ".durations", ".areas"))]
    assert [name for name in of_time if "[s]" not in found[name]] == []
