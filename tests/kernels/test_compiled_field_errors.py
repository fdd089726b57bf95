"""Invalid user-defined fields are rejected when they are created, with name and line."""

import math
import math as other_name
import re
import warnings
from math import sin as named_sine

import numpy as np
import pytest

from engine import MassProperties, NonFiniteStateError, World, forces, scalar
from engine.scalar import logarithm as log

from ..full_world import Wind
from ..helpers import skew_tensor
from ..worlds import OTHER, skew_body
from .test_kernels import needs_numba

TABLE = np.arange(3.0)
LIST = [1.0, 2.0]
TORQUE = (0.0, 0.0, 0.0)


def none(body, time):
    pass


def sometimes_none(body, time):
    if time < 100.0:
        return TORQUE, TORQUE


def raising(body, time):
    if body.position[0] > 5.0:
        raise ValueError("too far")
    return TORQUE, TORQUE


@scalar.inlined
def _checked(number):
    if number > 5.0:
        raise ValueError("too far")
    return number


def calls_what_raises(body, time):
    return (_checked(body.position[0]), 0.0, 0.0), TORQUE


def not_two(body, time):
    return TORQUE


def of_two(body, time):
    return (0.0, 0.0), TORQUE


def with_text(body, time):
    return ("a", 0.0, 0.0), TORQUE


def reads_an_array(body, time):
    return (TABLE[0], 0.0, 0.0), TORQUE


def reads_a_list(body, time):
    return (LIST[0], 0.0, 0.0), TORQUE


def misspelt(body, time):
    return scalar.scale(2.0, body.velocty), TORQUE


def unknown_name(body, time):
    return (undefined_name, 0.0, 0.0), TORQUE  # noqa: F821


def wrong_order(time, body):
    return TORQUE, TORQUE


def too_few(body):
    return TORQUE, TORQUE


def starred(body, *time):
    return TORQUE, TORQUE


def with_a_default(body, time=0.0):
    return TORQUE, TORQUE


def keyword_only(body, *, time):
    return TORQUE, TORQUE


REJECTED = {
    none: r"it must return a result in every case; it may return None \(line \d+\)",
    sometimes_none: r"it must return a result in every case; it may return None \(line \d+\)",
    raising: r"it must not raise or assert \(line \d+\), because compiled loops cannot pass an exception on",
    calls_what_raises: r"it must not raise or assert \(line \d+\)",
    not_two: r"it must return a force and a torque, each a tuple of three numbers; it returned \(0.0, 0.0, 0.0\)",
    of_two: "it must return a force and a torque",
    with_text: "it (must return a force and a torque|cannot be compiled)",
    reads_an_array: "TABLE",
    reads_a_list: "LIST",
    misspelt: "velocty",
    unknown_name: "undefined_name",
    wrong_order: r"its arguments must be \(body, time\); they are \(time, body\)",
    too_few: r"its arguments must be \(body, time\); they are \(body\)",
    starred: r"its arguments must be \(body, time\); they are \(body, \*time\)",
    with_a_default: r"its arguments must be \(body, time\); they are \(body, time=0.0\)",
    keyword_only: r"its arguments must be \(body, time\); they are \(body, \*, time\)",
}


@pytest.mark.parametrize("function", REJECTED, ids=lambda function: function.__name__)
def test_a_function_that_is_no_field_is_rejected_when_it_is_made_with_its_name_and_line(function):
    line = function.__code__.co_firstlineno
    with pytest.raises(
        TypeError, match=rf"forces.compiled: {function.__name__} \(test_compiled_field_errors.py, line {line}\).*"
    ) as caught:
        forces.compiled()(function)
    assert re.search(REJECTED[function], str(caught.value)), str(caught.value)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(
    ("parameters", "kind"),
    [
        ("coefficient", TypeError),
        (5, TypeError),
        ((1, 2), TypeError),
        (("a", "a"), ValueError),
        (("two words",), ValueError),
        (("class",), ValueError),
        (("_hidden",), ValueError),
        (("body",), ValueError),
        (("bodies",), ValueError),
        (("enabled",), ValueError),
        (("rows",), ValueError),
        (("time",), ValueError),
        (("apply",), ValueError),
    ],
)
def test_names_that_parameters_cannot_have_are_rejected(parameters, kind):
    with pytest.raises(kind, match=r"forces.compiled: parameters must be"):
        forces.compiled(parameters=parameters)


def test_a_class_or_a_builtin_is_no_field_and_a_field_cannot_be_subclassed():
    for wrong in (int, len, 5, None, Wind):
        with pytest.raises(TypeError, match=r"forces.compiled: function must be a function written with def or lambda"):
            forces.compiled()(wrong)
    with pytest.raises(TypeError, match="Wind cannot be subclassed"):
        type("Mine", (Wind,), {})


def test_functions_of_math_whose_bits_differ_between_processors_are_warned_of_once_and_work():
    def bends(body, time):
        return (math.sin(time), math.sqrt(abs(time)), 0.0), TORQUE

    with pytest.warns(
        UserWarning, match=r"forces.compiled: bends \(test_compiled_field_errors.py, line \d+\): math.sin may give"
    ) as caught:
        kind = forces.compiled()(bends)
    assert len(caught) == 1
    world, ship = skew_body(0.5, integrator="semi-implicit-euler")
    world.add_force(kind())
    world.step(2)
    assert world.wrench(ship)[0].tolist() == pytest.approx([math.sin(1.0), 1.0, 0.0], rel=1e-15)


def cosine(number):
    return math.cos(number)


@scalar.inlined
def inlined_cosine(number):
    return math.cos(number)


@pytest.mark.parametrize(
    ("force", "named"),
    [
        (lambda body, time: (other_name.sin(time), 0.0, 0.0), "math.sin"),
        (lambda body, time: (named_sine(time), 0.0, 0.0), "math.sin"),
        (lambda body, time: (inlined_cosine(time), 0.0, 0.0), "math.cos"),
        (lambda body, time: (np.tan(time), 0.0, 0.0), "numpy.tan"),
        (lambda body, time: (abs(time) ** 1.37, 0.0, 0.0), "the operator **"),
        (lambda body, time: (math.floor(time) * math.pi, time**2, log(1.0 + time * time)), None),
    ],
)
def test_libraries_are_warned_of_under_every_name(force, named):
    scaled = scalar.inlined(force)

    def field(body, time):
        return scaled(body, time), TORQUE

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        forces.compiled()(field)
    assert [str(each.message).partition("): ")[2].partition(" may give")[0] for each in told] == (
        [named] if named else []
    )


@needs_numba
def test_what_numba_cannot_compile_is_rejected_by_its_cause_and_line():
    def imports(body, time):
        import math

        return (math.sqrt(time), 0.0, 0.0), TORQUE

    def misnamed(body, time):
        return (scalar.sin(time), 0.0, 0.0), TORQUE

    def calls_a_plain_function(body, time):
        return (cosine(time), 0.0, 0.0), TORQUE

    causes = {
        imports: r"Use of unsupported opcode \(IMPORT_NAME\) found \(line \d+\)$",
        misnamed: r"module 'engine.scalar' has no attribute 'sin'",
        calls_a_plain_function: r"it calls cosine, which must be marked with engine.scalar.inlined",
    }
    for function, cause in causes.items():
        with pytest.raises(
            TypeError, match=rf"^forces.compiled: {function.__name__} \(.*\): it cannot be compiled: {cause}"
        ):
            forces.compiled()(function)


def test_a_field_that_has_no_value_somewhere_rejects_the_tick_and_is_named():
    world = World(0.1, integrator="semi-implicit-euler")
    world.add_body(MassProperties(1.0, skew_tensor((1.0, 2.0, 2.5))), name="ship", velocity=(1.0, 0.0, 0.0))
    world.add_force(Wind(strength=0.0, gust=0.0))
    bad = world.add_force(Wind(strength=1e300, gust=1e300))
    world.step()
    before = world.state_hash()
    with pytest.raises(
        ArithmeticError, match=r"body 'ship'.*the force Wind\(strength=1e\+300, gust=1e\+300\) on it is not"
    ):
        world.step()
    assert world.state_hash() == before
    world.remove_force(bad)
    world.step()


@forces.compiled(parameters=("strength",))
def Pull(body, time, strength):
    """A pull to the origin, without a value there; and none below the ground."""
    pull = -strength / scalar.dot(body.position, body.position) * math.sqrt(body.position[2])
    return scalar.scale(pull, body.position), TORQUE


def test_a_field_without_a_value_for_some_body_spoils_the_ticks_of_that_body_alone():
    """The origin is also where the bodies rest that fill the arrays up, and where a body is that does not feel the field."""
    world = World(0.1, integrator="semi-implicit-euler")
    first, second, _third = world.add_bodies(OTHER, [(1, 2, 3), (3, 2, 1), (0, 0, 0)])
    world.add_force(Pull(0.5, bodies=[first, second]))
    world.step(3)
    assert first.velocity[0] < 0.0
    before = world.state_hash()
    for position in ((0.0, 0.0, 0.0), (1.0, 1.0, -1.0)):
        kept, second.position = second.position, position
        with pytest.raises(
            NonFiniteStateError, match=r"body 'body 1'.*the force Pull\(strength=0.5\) on it is not finite"
        ):
            world.step()
        second.position = kept
    assert world.state_hash() == before
    world.step()
