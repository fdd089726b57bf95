"""The relations; each gets the number of a world."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, forces

from ..helpers import for_order
from ..truth import rotations
from .scenes import TICKS, Scene, apart, random_scene, same_bits, state, state_in_si, turned, turned_state

ROUNDING = 2e-12
"""Largest difference by rounding, over the scale of the state. The largest of 1000 worlds is some 1e-13."""
ROUNDING_OF_JOINTS = 2e-9
"""The same where joints act, whose residuals end at 1e-12 m and whose impulses are divided by the length of a tick."""


def _tolerance(scene: Scene) -> float:
    return ROUNDING_OF_JOINTS if scene.joints else ROUNDING


def _generator(number: int) -> np.random.Generator:
    return np.random.default_rng((31415, number))


def a_moving_frame(number: int) -> None:
    """x → x + s + ut and v → v + u change nothing else, if no force knows the frame."""
    scene, rng = random_scene(number, fields=False), _generator(number)
    shift, boost = 10.0 * rng.normal(size=3), 5.0 * rng.normal(size=3)
    here = scene.run()
    there = replace(scene, position=scene.position + shift, velocity=scene.velocity + boost).run()
    there["position"] -= shift + boost * scene.dt * TICKS
    there["velocity"] -= boost
    assert apart(here, there) < 20.0 * _tolerance(scene)  # numbers that are ten times as large


def a_boost_of_lone_bodies(number: int) -> None:
    """Attitude and rates do not know where a body is or how fast it goes."""
    scene = random_scene(number, fields=False, links=False)
    here = scene.run()
    there = replace(scene, position=scene.position + 13.7, velocity=scene.velocity - (100.0, 30.0, 7.0)).run()
    assert np.array_equal(here["orientation"], there["orientation"])
    assert np.array_equal(here["angular_velocity_body"], there["angular_velocity_body"])


def a_turned_scene(number: int) -> None:
    """state' = Q state for any rotation Q of everything."""
    scene, turn = random_scene(number), Rotation.random(random_state=_generator(number))
    assert apart(turned(scene, turn).run(), turned_state(scene.run(), turn)) < 10.0 * _tolerance(scene)


def an_exchange_of_axes(number: int) -> None:
    """x → y → z → x changes only the order of sums."""
    scene = random_scene(number)
    turn = Rotation.from_matrix([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert apart(turned(scene, turn).run(), turned_state(scene.run(), turn)) < _tolerance(scene)


def redrawn_bodies(number: int) -> None:
    """Body frames turned and their origins moved: the world sees no difference."""
    scene, rng = random_scene(number), _generator(number)
    drawn = Rotation.random(scene.count, random_state=rng)
    back, origins, matrices = drawn.inv(), rng.normal(size=(scene.count, 3)), drawn.as_matrix()

    def redrawn(ends):
        return tuple(
            replace(
                each,
                at_body=matrices[each.body].T @ (each.at_body - origins[each.body]),
                at_other=matrices[each.other].T @ (each.at_other - origins[each.other]),
                axis_body=matrices[each.body].T @ each.axis_body,
            )
            for each in ends
        )

    tensors = np.einsum("nji,njk,nkl->nil", matrices, scene.inertia_body, matrices)
    found = replace(
        scene,
        inertia_body=0.5 * (tensors + tensors.transpose(0, 2, 1)),
        center_of_mass_body=np.einsum("nji,nj->ni", matrices, scene.center_of_mass_body - origins),
        stored_momentum_body=back.apply(scene.stored_momentum_body),
        orientation=(Rotation.from_quat(scene.orientation) * drawn).as_quat(),
        angular_velocity_body=back.apply(scene.angular_velocity_body),
        springs=redrawn(scene.springs),
        thrusters=redrawn(scene.thrusters),
        wheels=redrawn(scene.wheels),
        joints=redrawn(scene.joints),
    ).run()
    found["orientation"] = (Rotation.from_quat(found["orientation"]) * back).as_quat()
    found["angular_velocity_body"] = drawn.apply(found["angular_velocity_body"])
    assert apart(found, scene.run()) < 10.0 * _tolerance(scene)


def the_sign_of_a_quaternion(number: int) -> None:
    """q and −q are one attitude: the same bits of everything else."""
    scene = random_scene(number)
    here, there = scene.run(), replace(scene, orientation=-scene.orientation).run()
    a, b = here.pop("orientation"), there.pop("orientation")
    assert ((a == b) | (a == -b)).all()
    assert same_bits(here, there)


def reversed_motion(number: int) -> None:
    """n ticks, everything turned back, n ticks: at the start again but for the error of the method."""
    scene = replace(random_scene(number, joints_too=False), damping=0.0, thrusters=(), wheels=())
    scene = replace(scene, drag=0.0, quadratic_drag=0.0, angular_damping=0.0)
    missed = []
    for finer in (1, 2):
        world, bodies = replace(scene, dt=scene.dt / finer).built()
        start = state(bodies)
        for _ in range(2):
            world.step(TICKS * finer)
            for body in bodies:
                body.velocity, body.angular_velocity_body = -body.velocity, -body.angular_velocity_body
                body.stored_momentum_body = -body.stored_momentum_body
        missed.append(apart(start, state(bodies)))
        order = world.integrator.order
    assert missed[0] < for_order(order, {1: 1.0, 2: 2e-2, 4: 5e-4})
    assert missed[1] < max(missed[0] / 2.0 ** (order - 0.6), 1e-10)


def the_order_of_bodies(number: int) -> None:
    """Rows permuted: the same bits without links, roundings with them."""
    scene = random_scene(number)
    order = _generator(number).permutation(scene.count).tolist()
    here, there = scene.run(), scene.run(order=order)
    assert apart(here, there) < _tolerance(scene) if scene.springs or scene.joints else same_bits(here, there)


def the_order_of_forces(number: int) -> None:
    """Forces added in the opposite order."""
    scene = random_scene(number)
    assert apart(scene.run(), scene.run(forces_first_to_last=False)) < _tolerance(scene)


def other_units(number: int) -> None:
    """Kilograms, metres and seconds replaced by powers of two of them: every result scaled, to the last bit."""
    scene = random_scene(number, joints_too=False)  # the first rounds of joints differ by roundings
    units = tuple(2.0 ** float(power) for power in _generator(number).integers(-4, 5, 3))
    assert same_bits(scene.run(), state_in_si(scene.in_units(*units).run(), *units))


def heavier_bodies(number: int) -> None:
    """Masses and all forces but gravity times 32: the same bits; times three: roundings."""
    scene = random_scene(number)
    for factor in (32.0, 3.0):
        names = ("mass", "inertia_body", "stored_momentum_body", "stiffness", "damping", "thrust", "wheel_inertia")
        names += ("wheel_torque", "drag", "quadratic_drag", "angular_damping")
        heavier = replace(scene, **{name: factor * getattr(scene, name) for name in names})
        here, there = scene.run(), heavier.run()
        exact = factor == 32.0 and not scene.joints
        assert same_bits(here, there) if exact else apart(here, there) < _tolerance(scene)


def two_halves(number: int) -> None:
    """A block as one box and as two boxes side by side."""
    scene, rng = random_scene(number, links=False), _generator(number)
    turn, place, mass = Rotation.random(random_state=rng), rng.normal(size=3), float(rng.uniform(0.5, 3.0))
    length, width, height = rng.uniform(0.7, 1.4, 3).tolist()
    across, attitude = turn.apply((0.5 * length, 0.0, 0.0)), turn.as_quat()
    whole = MassProperties.compound([(MassProperties.box(2.0 * mass, (2.0 * length, width, height)), place, attitude)])
    half = MassProperties.box(mass, (length, width, height))
    halves = MassProperties.compound([(half, place - across, attitude), (half, place + across, attitude)])
    found = []
    for properties in (whole, halves):
        world = World(scene.dt, integrator=scene.method)
        body = world.add_body(
            properties,
            origin=scene.position[0],
            orientation=scene.orientation[0],
            velocity=scene.velocity[0],
            angular_velocity_body=scene.angular_velocity_body[0],
        )
        for force in replace(scene, thrusters=tuple(each for each in scene.thrusters if each.body == 0))._forces(
            [body]
        ):
            world.add_force(force)
        world.step(TICKS)
        found.append(state([body]))
    assert apart(*found) < 10.0 * ROUNDING


def things_without_effect(number: int) -> None:
    """Forces of nothing and a body far away leave every bit."""
    scene = random_scene(number, joints_too=False)  # a called force changes the step of joints
    world, bodies = scene.built()
    world.add_force(forces.ConstantForce(bodies[0], force_world=(0.0, 0.0, 0.0), at_body=(1.0, 2.0, 3.0)))
    world.add_force(forces.ConstantTorque(bodies[-1], torque_body=(0.0, 0.0, 0.0)))
    world.add_force(forces.LinearDrag(0.0))
    world.add_force(lambda wrench, bodies, time: None)
    world.add_body(MassProperties.sphere(1.0, 0.2), position=(1e7, 2e7, -3e7))
    world.step(TICKS)
    assert same_bits(state(bodies), scene.run())


def ticks_in_portions(number: int) -> None:
    """All at once, one by one, in frames of odd lengths: one hash."""
    scene, rng = random_scene(number), _generator(number)
    (at_once, _), (one_by_one, _), (in_frames, _) = scene.built(), scene.built(), scene.built()
    at_once.step(TICKS)
    for _ in range(TICKS):
        one_by_one.step()
    while in_frames.tick_count < TICKS - 5:
        in_frames.advance(float(rng.uniform(0.0, 3.0)) * scene.dt)
    in_frames.step(TICKS - in_frames.tick_count)
    assert at_once.state_hash() == one_by_one.state_hash() == in_frames.state_hash()


def a_pair_of_forces(number: int) -> None:
    """F at r + d and −F at r is the torque d × F, wherever r is."""
    scene, rng = replace(random_scene(number, links=False), thrusters=(), wheels=()), _generator(number)
    push, lever, place = rng.normal(size=(3, 3))
    found = []
    for is_pair in (True, False):
        world, bodies = scene.built()
        if is_pair:
            world.add_force(forces.ConstantForce(bodies[0], force_body=push, at_body=place + lever))
            world.add_force(forces.ConstantForce(bodies[0], force_body=-push, at_body=place))
        else:
            world.add_force(forces.ConstantTorque(bodies[0], torque_body=np.cross(lever, push)))
        world.step(TICKS)
        found.append(state(bodies))
    assert apart(*found) < ROUNDING


def another_origin_in_flight(number: int) -> None:
    """A body described from another origin, half way: nothing that moves is changed."""
    scene = replace(random_scene(number, links=False), thrusters=(), wheels=())
    place = _generator(number).normal(size=3)
    (world, bodies), (other_world, others) = scene.built(), scene.built()
    for each in (world, other_world):
        each.step(TICKS // 2)
    old, body = others[0].mass_properties, others[0]
    before = body.position, body.velocity
    body.mass_properties = MassProperties(old.mass, old.inertia_body, old.center_of_mass_body + place)
    moved = rotations.to_world(body.orientation, place)
    assert np.abs(body.position - before[0] - moved).max() < 1e-13 * max(1.0, np.abs(before[0]).max())
    body.position, body.velocity = before
    for each in (world, other_world):
        each.step(TICKS // 2)
    assert same_bits(state(bodies), state(others))


RELATIONS: dict[str, Callable[[int], None]] = {
    function.__name__: function
    for function in (
        *(a_moving_frame, a_boost_of_lone_bodies, a_turned_scene, an_exchange_of_axes, redrawn_bodies),
        *(
            the_sign_of_a_quaternion,
            reversed_motion,
            the_order_of_bodies,
            the_order_of_forces,
            other_units,
            heavier_bodies,
        ),
        *(two_halves, things_without_effect, ticks_in_portions, a_pair_of_forces, another_origin_in_flight),
    )
}
