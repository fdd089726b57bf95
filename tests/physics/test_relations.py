"""The relations between two runs hold for random worlds, each here for some of fifty and in `.ci/long` for a thousand."""

import warnings

import numpy as np
import pytest

from ..lengths import sized
from ..relations.relations import RELATIONS
from ..relations.scenes import random_scene

WORLDS = 50
STRIDE = sized(10, 1)
"""Each relation takes one world in so many, and its neighbours in the list the others."""


@pytest.mark.parametrize("name", RELATIONS)
def test_relation_holds_for_random_worlds(name):
    with warnings.catch_warnings(action="ignore"):
        for number in range(list(RELATIONS).index(name) % STRIDE, WORLDS, STRIDE):
            try:
                RELATIONS[name](number)
            except AssertionError as error:
                error.add_note(f"world {number}: python -m tests.relations {name} --first {number} --worlds 1")
                raise


def test_there_are_sixteen_relations():
    assert len(RELATIONS) == 16


def test_random_worlds_have_everything():
    """Springs, joints of each type, thrusters, wheels, stored momentum, each field and each method."""
    scenes = [random_scene(number) for number in range(WORLDS)]
    assert {each.kind for scene in scenes for each in scene.joints} == {"ball", "hinge", "slider", "weld"}
    assert {scene.count for scene in scenes} == {1, 2, 3, 4}
    assert len({scene.method for scene in scenes}) > 12
    for name in ("springs", "thrusters", "wheels", "gm", "drag", "quadratic_drag", "angular_damping"):
        having = [bool(getattr(scene, name)) for scene in scenes]
        assert any(having), name
        assert not all(having), name
    assert any(np.any(scene.stored_momentum_body) for scene in scenes)
