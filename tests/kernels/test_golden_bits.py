"""The bits of flown worlds are those of the committed table (`python -m tests.golden_bits`): a change of bits between releases is seen.

As plain Python one method is flown with every force and every method with one, and a few bodies touch: `physics/test_contact_bits.py`
compares many. Compiled, every method is flown with the held forces: their loops are compiled by other tests anyway. `.ci/long` flies all of
the table, both ways.
"""

import pytest

from ..golden_bits import METHODS, TICKS, crossing, every_case, flown, kept, key, touching
from ..lengths import sized
from ..plain_python import in_plain_python

TABLE = kept()


def test_the_table_has_a_row_for_every_method_force_and_setting():
    assert set(TABLE) == {key(*case) for case in every_case()}


def test_plain_python_has_the_bits_of_the_table():
    assert in_plain_python(different) == []


def different():
    """The worlds that do not have the bits of the table."""
    left_out = sized({"touching-lander", "touching-stack", "touching-pile"}, set())
    cases = (case for case in sized(crossing, every_case)() if case[1] not in left_out)
    return [key(*case) for case in cases if flown(*case) != TABLE[key(*case)]]


@pytest.mark.parametrize("method", METHODS)
def test_compiled_loops_have_the_bits_of_the_table(method):
    for case in (
        (method, "thrusters", False, False),
        (method, "thrusters", True, False),
        (method, "pushes", False, True),
    ):
        assert flown(*case) == TABLE[key(*case)], key(*case)


@pytest.mark.parametrize("scene", touching.SCENES)
def test_bodies_that_touch_have_the_bits_of_the_table(scene):
    case = touching.METHOD, scene, False, False
    assert flown(*case) == TABLE[key(*case)]


def test_each_of_these_worlds_has_contacts_that_push():
    """Of which sweeps solve those of the pile, and the others are solved directly."""
    for name, make in touching.SCENES.items():
        world, pushed, solvers = make(), 0, set()
        for _tick in range(TICKS):
            world.step()
            pushed += int((world.contacts.normal_impulse > 0.0).sum())
            solvers |= {world.contacts.solver_of(body) for body in world.bodies} - {"none"}
        assert pushed > 0 and solvers == ({"sweeps"} if name == "touching-pile" else {"direct"}), name
