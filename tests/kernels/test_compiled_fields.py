"""User-defined compiled fields: the same bits as built-in forces with the same formula, parameters, time, and what is rejected when."""

import copy
import math
import pickle
import types

import numpy as np
import pytest

from engine import World, forces, scalar
from engine.compilation.compiler import COMPILED

from ..worlds import METHODS, OTHER, crowd, skew_body

CENTER = (40.0, -30.0, 20.0)


@forces.compiled(parameters=("coefficient",))
def OwnDrag(body, time, coefficient):
    """F = −c v, as `forces.LinearDrag`."""
    return scalar.scale(-coefficient, body.velocity), (0.0, 0.0, 0.0)


@forces.compiled(parameters=("gm", "x", "y", "z"), depends_on_rates=False)
def OwnGravity(body, time, gm, x, y, z):
    """Attraction of a point mass, as `forces.PointGravity` of a round planet."""
    r = scalar.subtract(body.position, (x, y, z))
    inverse_square = 1.0 / scalar.dot(r, r)
    strength = -gm * body.mass * inverse_square * scalar.sqrt(inverse_square)
    return scalar.scale(strength, r), (0.0, 0.0, 0.0)


PAIRS = {
    "drag": (lambda bodies: OwnDrag(0.4, bodies=bodies), lambda bodies: forces.LinearDrag(0.4, bodies=bodies)),
    "gravity": (
        lambda bodies: OwnGravity(500.0, *CENTER, bodies=bodies),
        lambda bodies: forces.PointGravity(500.0, CENTER, bodies=bodies),
    ),
}


class Calls:
    """A force of a user that calls another one."""

    def __init__(self, force):
        self.force = force

    def apply(self, wrench, bodies, time):
        self.force.apply(wrench, bodies, time)


def bits(world):
    return [
        getattr(world.state, name).tobytes()
        for name in ("position", "orientation", "velocity", "angular_velocity_body")
    ]


FLOWN = ["semi-implicit-euler", "free-rotor-2"] if COMPILED else METHODS
"""Each method and field is compiled; plain Python goes through all of them."""


@pytest.mark.parametrize("method", FLOWN)
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_a_field_of_ones_own_has_the_bits_of_the_built_in_force_of_its_formula(pair, named, method):
    """Alone, inside the loop; in passes, beside a force that is called; and called by a force of the user's."""

    def flown(make, how):
        world = World(0.02, integrator=method)
        bodies = crowd(world, 3)
        force = make(bodies[1:] if named else None)
        world.add_force(Calls(force) if how == "called" else force)
        if how == "beside a called one":
            world.add_force(lambda wrench, bodies, time: None)
        world.step(3)
        return bits(world)

    for how in ("alone", "beside a called one", "called"):
        own, built_in = (flown(make, how) for make in pair)
        assert own == built_in


@forces.compiled(parameters=())
def Everything(body, time):
    """What a field is given, as force and torque."""
    x, y, z = body.center_of_mass_body
    xx, yy, zz, xy, xz, yz = body.inertia_body
    forward = scalar.rotate(body.orientation, (x * body.mass, y + time, z))
    momentum = scalar.apply_symmetric(body.inertia_body, body.angular_velocity_body)
    return scalar.add(forward, (xx, yy + xy, zz + xz + yz)), momentum


def test_a_field_is_given_mass_inertia_mass_centre_state_and_time_of_its_body():
    world, ship = skew_body(0.25, integrator="semi-implicit-euler")
    world.add_body(OTHER, position=(5, 5, 5))
    world.add_force(Everything())
    world.step(3)
    force, torque = world.wrench(ship)
    (x, y, z), i = ship.center_of_mass_body, ship.inertia_body
    forward = ship.direction_to_world((x * ship.mass, y + world.time, z))
    tensor = (i[0, 0], i[1, 1] + i[0, 1], i[2, 2] + i[0, 2] + i[1, 2])
    np.testing.assert_allclose(force, forward + tensor, rtol=1e-14)
    np.testing.assert_allclose(torque, i @ ship.angular_velocity_body, rtol=1e-14)


@forces.compiled(parameters=("amplitude", "rate"))
def Swell(body, time, amplitude, rate):
    """A push that grows and falls with time."""
    return (amplitude * scalar.sine(rate * time), 0.0, amplitude * time), (
        0.0,
        amplitude * scalar.cosine(rate * time),
        0.0,
    )


@pytest.mark.parametrize("method", FLOWN)
def test_time_is_that_of_the_stage_as_a_called_force_is_given_it(method):
    def swell(wrench, bodies, time):
        for row in range(bodies.count):
            push = (0.7 * scalar.sine(3.0 * time), 0.0, 0.7 * time)
            wrench.add(row, force_world=push, torque_body=(0.0, 0.7 * scalar.cosine(3.0 * time), 0.0))

    worlds = []
    for force in (Swell(0.7, 3.0), swell):
        world = World(0.1, integrator=method)
        crowd(world, 3)
        world.step(2)
        world.add_force(force)
        world.step(3)
        worlds.append(bits(world))
    assert worlds[0] == worlds[1]


def test_parameters_are_given_by_place_or_name_read_and_changed_in_flight_and_differ_between_bodies():
    world, _ = skew_body(integrator="semi-implicit-euler")
    tug = world.add_body(OTHER, position=(5, 5, 5), velocity=(1, 2, 3))
    for force in (Swell(0.5, 2.0), Swell(0.5, rate=2.0), Swell(rate=2.0, amplitude=0.5)):
        assert (force.amplitude, force.rate, force.enabled) == (0.5, 2.0, True)
        assert repr(force) == "Swell(amplitude=0.5, rate=2.0)"
    drag = world.add_force(OwnDrag([0.5, 0.25], bodies=world.bodies))
    assert drag.coefficient.tolist() == [0.5, 0.25]
    assert world.wrench(tug)[0].tolist() == [-0.25, -0.5, -0.75]
    drag.coefficient = [0.5, 1.0]
    assert world.wrench(tug)[0].tolist() == [-1.0, -2.0, -3.0]
    world.fields(OwnDrag).coefficient = 2.0
    assert (drag.coefficient.tolist(), world.fields(OwnDrag).body.tolist()) == ([2.0, 2.0], [0, 1])
    drag.enabled = False
    assert world.wrench(tug)[0].tolist() == [0.0, 0.0, 0.0]
    for wrong, kind in ((math.nan, ValueError), ("much", TypeError), (True, TypeError), ([1.0, 2.0, 3.0], ValueError)):
        with pytest.raises(kind, match=r"OwnDrag\(coefficient=array.*: coefficient must be"):
            drag.coefficient = wrong
    with pytest.raises(AttributeError):
        drag.coeficient = 1.0


@pytest.mark.parametrize(
    ("arguments", "named", "text"),
    [
        (
            (),
            {},
            r"Swell: the arguments must be \(amplitude, rate, bodies=None\), each given once; missing: amplitude, rate",
        ),
        ((1.0,), {}, r"; missing: rate$"),
        ((1.0, 2.0, 3.0), {}, r"; too many values: 3.0$"),
        ((1.0, 2.0), {"rate": 2.0}, r"; given twice: rate$"),
        ((1.0,), {"rate": 2.0, "phase": 0.0}, r"; unknown: phase$"),
        ((1.0, "fast"), {}, "Swell: rate must be a finite real number"),
    ],
)
def test_parameters_that_are_missing_or_not_taken_are_named(arguments, named, text):
    with pytest.raises(TypeError, match=text):
        Swell(*arguments, **named)


def test_twenty_parameters_are_taken_each_in_its_place_and_twenty_one_are_not():
    names = tuple(f"p{number}" for number in range(20))
    terms = " + ".join(f"{number + 1}.0 * {name}" for number, name in enumerate(names))
    namespace = {}
    exec(f"def Many(body, time, {', '.join(names)}):\n    return ({terms}, 0.0, 0.0), (0.0, 0.0, 0.0)", namespace)
    many = forces.compiled(parameters=names)(namespace["Many"])
    world, ship = skew_body(integrator="semi-implicit-euler")
    world.add_force(many(*[2.0**-number for number in range(20)]))
    wanted = sum((number + 1) * 2.0**-number for number in range(20))
    assert world.wrench(ship)[0][0] == pytest.approx(wanted, rel=1e-14)
    with pytest.raises(ValueError, match=r"forces.compiled: parameters must be at most 20 names"):
        forces.compiled(parameters=(*names, "p20"))


def test_a_class_of_fields_says_what_its_function_says():
    assert OwnDrag.__doc__ == "F = −c v, as `forces.LinearDrag`."
    assert (OwnDrag.__name__, OwnDrag.__module__, OwnDrag.evaluate) == ("OwnDrag", __name__, "stage")
    assert (OwnDrag.depends_on_rates, OwnGravity.depends_on_rates) == (True, False)


# two fields of one name


def module_with(factor):
    """A module with a field Push that reads a constant of its module."""
    module = types.ModuleType(f"game_{factor}")
    source = f"FACTOR = {factor}\ndef Push(body, time, c):\n    return (FACTOR * c, 0.0, 0.0), (0.0, 0.0, 0.0)\n"
    exec(source, vars(module))
    module.Push.__module__ = module.__name__
    return forces.compiled(parameters=("c",))(module.Push)


def made_in_a_function(factor):
    @forces.compiled(parameters=("c",))
    def Push(body, time, c):
        return (factor * c, 0.0, 0.0), (0.0, 0.0, 0.0)

    return Push


@pytest.mark.parametrize("make", [module_with, made_in_a_function])
def test_fields_of_one_name_are_one_field_each_in_a_world_and_in_its_copy(make):
    world, _ = skew_body(integrator="semi-implicit-euler")
    kinds = [make(factor) for factor in (2.0, 16.0)]
    for kind in (*kinds, kinds[0]):
        world.add_force(kind(c=1.0))
    again = world.add_force(make(2.0)(c=1.0))  # made anew, and the same
    assert type(again)._kind is kinds[0]._kind  # no new kernel
    for flying in (world, copy.deepcopy(world)):
        body = flying.body("ship")
        assert [flying.wrench(body, force)[0][0] for force in flying.forces] == [2.0, 16.0, 2.0, 2.0]
        velocity = body.velocity
        flying.step()
        assert body.mass * (body.velocity - velocity)[0] / flying.dt == pytest.approx(22.0, rel=1e-12)
    again.c = 3.0
    assert [force.c for force in world.forces] == [1.0, 1.0, 1.0, 3.0]


def test_worlds_with_fields_are_hashed_copied_and_pickled_with_their_parameters():
    world, _ = skew_body(integrator="semi-implicit-euler")
    swell = world.add_force(Swell(0.5, 2.0))
    before = world.state_hash()
    swell.rate = 2.5
    assert world.state_hash() != before
    world.step(2)
    for other in (copy.deepcopy(world), pickle.loads(pickle.dumps(world))):
        assert other.forces[0].rate == 2.5
        other.step(2)
        other.forces[0].rate = 9.0
    world.step(2)
    assert (swell.rate, type(swell)) == (2.5, Swell)
    assert copy.deepcopy(Swell(0.5, 2.0)).rate == 2.0
