"""The state hash tells apart worlds whose futures differ: one parameter of each thing is changed at a time."""

import copy

import numpy as np
import pytest

from engine import MassProperties, World, flight, forces, integrators, joints
from engine.flight import control
from engine.integrators import Extrapolated, FreeRotor, RungeKutta4, SemiImplicitEuler, Substepped
from engine.saving.rollback import state_hash_of
from engine.store.schema import Kind

from ..full_world import Wind
from ..helpers import add_to
from ..worlds import OTHER, PROPERTIES

METHODS = [
    *integrators.ALL_INTEGRATORS,
    RungeKutta4(variables="body_rates", keep_momentum=True),
    Extrapolated(RungeKutta4()),
    Extrapolated(FreeRotor()),
    *(Substepped(FreeRotor(), steps) for steps in (2, 3)),
    *(Substepped(FreeRotor(), tolerance=tolerance) for tolerance in (1e-9, 1.0000000000000002e-9)),
    Substepped(SemiImplicitEuler(), 2),
]


def test_every_method_and_every_parameter_of_one_has_a_hash_of_its_own():
    hashes = {}
    for method in METHODS:
        for game_mode in (False, True):
            try:
                world = World(1 / 64, integrator=method, game_mode=game_mode)
            except ValueError:  # not made for game mode
                continue
            world.add_body(PROPERTIES)
            hashes.setdefault(world.state_hash(), []).append((repr(method), game_mode))
    assert [same for same in hashes.values() if len(same) > 1] == []
    assert len(hashes) >= 2 * len(METHODS) - 8


def everything():
    """A world with most kinds of forces, parts and joints."""
    world = World(1 / 32, integrator="rk4")
    ship = world.add_body(PROPERTIES, name="ship", velocity=(0.1, 0.2, 0.3), angular_velocity_body=(0.1, -0.2, 0.3))
    tug = world.add_body(OTHER, name="tug", position=(5, 0, 0))
    arm = world.add_body(OTHER, name="arm", position=(5, 1, 0))
    wheel = flight.ReactionWheel(ship, axis=(1, 2, 0), inertia=0.01, max_torque=2.0, max_speed=600.0)
    tank = flight.Tank.ball(ship, position=(0, 0, 0.5), radius=0.2, propellant=1.0)
    for member in (
        *(wheel, tank),
        forces.Thruster(ship, position=(0, 1, 0), direction=(0, 0, 1), max_force=9.0, tank=tank, specific_impulse=50.0),
        forces.UniformGravity((0, -1, 0)),
        forces.PointGravity(50.0, (40, -30, 20), j2=0.1, reference_radius=3.0, axis=(1, 2, 3)),
        forces.LinearDrag(0.3),
        forces.QuadraticDrag([0.3], bodies=[tug]),
        forces.AngularDamping(0.1),
        forces.ConstantForce(tug, force_body=(0.3, -0.2, 0.5), at_body=(0.1, 0.2, 0.7)),
        forces.ConstantForce(ship, force_world=(0.4, 0.1, -0.3), at_body=(0.3, 0.5, -0.2)),
        forces.Spring(ship, tug, stiffness=1.0, rest_length=2.0, damping=0.1, at_other=(0.1, 0.2, 0.3)),
        Wind(strength=0.2, gust=0.1),
        *(flight.Gyro(ship, seed=3, every=2), flight.StarTracker(ship, (0, 0, 1), seed=4)),
    ):
        add_to(world, member)
    motor = world.add_part(flight.BodyTorque(tug, max_torque=1.0))
    world.add_part(flight.Controlled(tug, control.RateDamping(0.5), flight.Reference(), motor, every=4))
    motor = joints.Motor(target_rate=0.2, max_torque=0.5)
    world.add_joint(joints.Hinge(tug, arm, at_body=(0, 0.5, 0), axis_body=(0, 0, 1), motor=motor))
    world.memory.add("integral", 2).value = (0.25, -0.5)
    world.step(4)
    return world


def test_every_number_of_every_table_is_covered():
    """The last bit of each field is changed in the first row of each table, by its kind alone; what kernels compute anew is not counted."""
    world = everything()
    known, seen = world.state_hash(), 0
    for name, table in world._store.tables.items():
        for field in table.schema.fields if table.count else ():
            if field.kind in (Kind.SCRATCH, Kind.PREVIOUS, Kind.ONE_TICK):
                continue
            for component in range(*table.schema.components[field.name].indices(table.schema.size)):
                before = table.array[component, 0].copy()
                table.array[component, 0] = np.nextafter(before, before + 1.0) if np.isfinite(before) else 1.0
                assert world.state_hash() != known, f"{name}.{field.name}"
                table.array[component, 0] = before
                seen += 1
    assert world.state_hash() == known
    assert seen > 300


def exchange_law(world):
    loop(world).law = control.RateDamping(0.5000000000000001)


def exchange_reference(world):
    loop(world).reference = flight.Reference(orientation=(0.0, 0.6, 0.0, 0.8))


def loop(world):
    return next(part for part in world.parts if isinstance(part, flight.Controlled))


def with_gyro(**changes):
    def made(world):
        gyro = next(part for part in world.parts if isinstance(part, flight.Gyro))
        world.remove_part(gyro)
        world.add_part(flight.Gyro(world.body("ship"), **{"seed": 3, "every": 2, **changes}))

    return made


CHANGES = {
    "the same gyro": with_gyro(),
    "interval of a gyro": with_gyro(every=3),
    "seed of a gyro": with_gyro(seed=5),
    "delay of a gyro": with_gyro(delay=1),
    "misalignment of a gyro": with_gyro(misalignment=(1e-9, 0, 0)),
    "law of a loop": exchange_law,
    "reference of a loop": exchange_reference,
    "a joint that is disabled": lambda world: setattr(world.joints[0], "enabled", False),
    "a joint less": lambda world: world.remove_joint(world.joints[0]),
    "a part less": lambda world: world.remove_part(world.parts[0]),
    "a force less": lambda world: world.remove_force(world.forces[-1]),
    "a drag that is disabled": lambda world: setattr(
        next(force for force in world.forces if isinstance(force, forces.LinearDrag)), "enabled", False
    ),
    "a drag of another coefficient": lambda world: setattr(
        next(force for force in world.forces if isinstance(force, forces.LinearDrag)),
        "coefficient",
        0.30000000000000004,
    ),
    "game mode": lambda world: setattr(world, "game_mode", True),
    "a called force": lambda world: world.add_force(lambda wrench, bodies, time: None),
    "a called force of another class": lambda world: world.add_force(Push()),
}


class Push:
    def apply(self, wrench, bodies, time):
        pass


def test_one_change_is_one_other_hash():
    hashes = {"none": everything().state_hash()}
    for name, change in CHANGES.items():
        world = everything()
        change(world)
        hashes[name] = world.state_hash()
        assert state_hash_of(world.snapshot()) == hashes[name], "a snapshot has the hash of its world"
    same = {}
    for name, value in hashes.items():
        same.setdefault(value, []).append(name)
    assert [names for names in same.values() if len(names) > 1] == []


def test_copies_and_worlds_made_alike_have_one_hash():
    world = everything()
    assert world.state_hash() == everything().state_hash() == copy.deepcopy(world).state_hash()


def test_names_and_functions_are_not_covered():
    world = everything()
    before = world.state_hash()
    world.on_tick(lambda world: None)
    world.after_tick(lambda world: None)
    world.add_body(OTHER, name="rock")
    world.remove_body(world.body("rock"))
    assert world.state_hash() == before


# names by which a world calls methods of a force


class WithEnergy:
    def __init__(self, result):
        self.result = result

    def apply(self, wrench, bodies, time):
        pass

    def potential_energy(self, bodies):
        return self.result


@pytest.mark.parametrize(
    "result",
    [
        1.0,
        None,
        "1 J",
        [0.0],
        np.zeros(3),
        np.zeros((1, 1)),
        np.array([1j]),
        np.array(["a"]),
        np.array([None]),
        np.array([True]),
    ],
    ids=repr,
)
def test_a_wrong_energy_is_rejected_by_name(result):
    world = World(0.01)
    world.add_body(MassProperties.sphere(1.0, 0.5))
    world.add_force(WithEnergy(result))
    with pytest.raises(
        TypeError, match=r"WithEnergy object .*\.potential_energy\(bodies\): the result must be an array of 1 energies"
    ):
        world.potential_energy()


class OfItsOwn:
    """A force with a method that has the name of the hook by chance."""

    def apply(self, wrench, bodies, time):
        pass

    def potential_energy(self):
        return 7.0


def test_a_method_that_cannot_be_called_with_bodies_is_rejected_when_the_force_is_added():
    world = World(0.01)
    with pytest.raises(
        TypeError, match=r"World\.add_force: force\.potential_energy must be .* potential_energy\(bodies\)"
    ):
        world.add_force(OfItsOwn())
    assert world.forces == ()
