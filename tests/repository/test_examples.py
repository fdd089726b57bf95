"""The examples in the docstrings of the engine run, and give what they show."""

import doctest
import importlib
import pkgutil

import pytest

import engine

MODULES = [info.name for info in pkgutil.walk_packages(engine.__path__, "engine.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_show(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_public_class_has_an_example():
    """Of the top level, the forces, the methods and the joints; a base class is shown by the classes made from it."""
    bases = {engine.forces.Force, engine.integrators.Integrator, engine.joints.Joint, engine.NonFiniteStateError}
    packages = (engine, engine.forces, engine.integrators, engine.joints)
    public = [vars(package)[name] for package in packages for name in package.__all__]
    classes = {one for one in public if isinstance(one, type)} - bases
    missing = [one.__name__ for one in classes if ">>>" not in (one.__doc__ or "")]
    assert missing == []
