"""Relations between two runs of one scene that hold whatever the truth is: shifted, turned, renamed, rescaled, reversed, cut up.

The scene: three bodies that are not drawn along their principal axes, two with a mass centre off the origin, one with a wheel, tied by
damped springs at odd points, one pushed by a thruster; and where a relation allows it, an oblate centre of gravity.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, forces, integrators

from ..helpers import ASYMMETRIC, SKEW_AXES, SKEW_ORIENTATION, fly, for_order, one_body, skew_tensor
from ..truth import rotations

DT = 1.0 / 64.0
TICKS = 100

every_method = pytest.mark.parametrize("method", integrators.ALL_INTEGRATORS, ids=lambda method: method.name)


@dataclass(frozen=True)
class Scene:
    """Numbers of which `built` makes a world; relations change them."""

    mass: np.ndarray
    inertia_body: np.ndarray
    center_of_mass_body: np.ndarray
    stored_momentum_body: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity_body: np.ndarray
    tie_points: np.ndarray  # of springs 0-1, 1-2: body frame of each end, shape (2, 2, 3)
    stiffness: float = 5.0
    damping: float = 0.4
    rest_length: float = 0.8
    thrust: float = 1.5
    thruster_position: np.ndarray | tuple = (0.4, -0.3, 0.2)
    thruster_direction: np.ndarray | tuple = (1.0, 2.0, -0.5)
    gm: float = 0.0
    j2: float = 0.06
    gravity_center: np.ndarray | tuple = (0.5, 4.0, -2.0)
    gravity_axis: np.ndarray | tuple = (1.0, -2.0, 2.0)
    reference_radius: float = 1.2
    dt: float = DT

    def built(self, method, order=(0, 1, 2), with_gravity_first=False):
        """The world, and its bodies in the order of the scene whatever their rows."""
        world = World(self.dt, integrator=method)
        made = {}
        for i in order:
            properties = MassProperties(self.mass[i], self.inertia_body[i], self.center_of_mass_body[i])
            made[i] = world.add_body(
                properties,
                name=f"body {i}",
                position=self.position[i],
                orientation=self.orientation[i],
                velocity=self.velocity[i],
                angular_velocity_body=self.angular_velocity_body[i],
            )
            made[i].stored_momentum_body = self.stored_momentum_body[i]
        bodies = [made[i] for i in range(3)]
        generators = self._forces(bodies)
        for force in reversed(generators) if with_gravity_first else generators:
            world.add_force(force)
        return world, bodies

    def _forces(self, bodies):
        generators = [
            forces.Spring(
                bodies[i],
                bodies[i + 1],
                at_body=self.tie_points[i, 0],
                at_other=self.tie_points[i, 1],
                stiffness=self.stiffness,
                damping=self.damping,
                rest_length=self.rest_length,
            )
            for i in range(2)
            if self.stiffness
        ]
        thruster = forces.Thruster(
            bodies[0], position=self.thruster_position, direction=self.thruster_direction, max_force=self.thrust
        )
        thruster.throttle = 0.75
        generators.append(thruster)
        if self.gm:
            generators.append(
                forces.PointGravity(
                    self.gm,
                    self.gravity_center,
                    j2=self.j2,
                    reference_radius=self.reference_radius,
                    axis=self.gravity_axis,
                )
            )
            generators.append(forces.GravityGradient(self.gm, self.gravity_center))
        return generators


SCENE = Scene(
    mass=np.array([1.7, 0.8, 2.3]),
    inertia_body=np.array([ASYMMETRIC, skew_tensor((0.5, 0.6, 0.9)), skew_tensor((1.4, 1.5, 2.2))]),
    center_of_mass_body=np.array([(0.1, 0.25, -0.15), (0.0, 0.0, 0.0), (-0.2, 0.1, 0.05)]),
    stored_momentum_body=np.array([(0.0, 0.0, 0.0), (0.3, -0.2, 0.5), (0.0, 0.0, 0.0)]),
    position=np.array([(0.2, -0.1, 0.4), (1.9, 0.6, -0.3), (3.1, -0.8, 0.9)]),
    orientation=Rotation.from_rotvec([(0.6, -1.1, 0.3), (-0.2, 0.4, 1.9), (1.3, 0.7, -0.8)]).as_quat(),
    velocity=np.array([(0.3, -0.2, 0.1), (-0.4, 0.1, 0.5), (0.2, 0.6, -0.3)]),
    angular_velocity_body=np.array([(0.9, -0.6, 1.2), (-1.1, 0.8, 0.4), (0.3, 1.4, -0.7)]),
    tie_points=np.array([[(0.3, 0.2, -0.4), (-0.1, 0.5, 0.2)], [(0.4, -0.3, 0.1), (-0.6, 0.0, 0.3)]]),
)
IN_ORBIT = replace(SCENE, gm=6.0)


def state(bodies):
    """Position, orientation, velocity, rates: arrays with one row per body."""
    names = ("position", "orientation", "velocity", "angular_velocity_body")
    return {name: np.array([getattr(body, name) for body in bodies]) for name in names}


def run(scene, method, ticks=TICKS, **how):
    world, bodies = scene.built(method, **how)
    world.step(ticks)
    return state(bodies)


def same_bits(a, b):
    return all(np.array_equal(a[name], b[name]) for name in a)


def apart(a, b):
    """The largest difference of any component, orientations as angles."""
    gaps = [np.abs(a[name] - b[name]).max() for name in ("position", "velocity", "angular_velocity_body")]
    return max(*gaps, rotations.angle(a["orientation"], b["orientation"]).max())


def turned(scene, turn):
    """The whole scene in another frame of the world."""
    return replace(
        scene,
        position=turn.apply(scene.position),
        velocity=turn.apply(scene.velocity),
        orientation=(turn * Rotation.from_quat(scene.orientation)).as_quat(),
        gravity_center=turn.apply(scene.gravity_center),
        gravity_axis=turn.apply(scene.gravity_axis),
    )


def turned_state(found, turn):
    return found | {
        "position": turn.apply(found["position"]),
        "velocity": turn.apply(found["velocity"]),
        "orientation": (turn * Rotation.from_quat(found["orientation"])).as_quat(),
    }


@every_method
def test_a_scene_seen_from_a_moving_frame_moves_the_same(method):
    """Galilei: with forces between bodies only, x → x + s + ut, v → v + u changes nothing else. Measured 3e-14."""
    shift, boost = np.array([7.0, -3.0, 11.0]), np.array([-9.0, 20.0, 5.0])
    here = run(SCENE, method)
    there = run(replace(SCENE, position=SCENE.position + shift, velocity=SCENE.velocity + boost), method)
    there["position"] -= shift + boost * DT * TICKS
    there["velocity"] -= boost
    assert apart(here, there) < 1e-12  # some sixty ulps of numbers of size 60


@every_method
def test_boost_of_a_lone_body_leaves_its_rotation_to_the_last_bit(method):
    """Nothing that a thruster does to the attitude knows where the body is or how fast it goes."""
    alone = replace(SCENE, stiffness=0.0)
    here = run(alone, method)
    there = run(replace(alone, position=alone.position + 13.7, velocity=alone.velocity - (100.0, 30.0, 7.0)), method)
    assert np.array_equal(here["orientation"], there["orientation"])
    assert np.array_equal(here["angular_velocity_body"], there["angular_velocity_body"])


@every_method
@given(turn=st.tuples(*[st.floats(-3.0, 3.0)] * 3))
@settings(max_examples=6, deadline=None, derandomize=True)
def test_a_turned_scene_moves_turned(method, turn):
    """state' = Q state for any rotation Q of everything, gravity's centre and axis with it. Measured 2e-14 over 100 ticks."""
    q = Rotation.from_rotvec(turn)
    assert apart(run(turned(IN_ORBIT, q), method), turned_state(run(IN_ORBIT, method), q)) < 1e-12


@every_method
def test_exchange_of_axes_keeps_nearly_every_bit(method):
    """x → y → z → x: only the order of sums changes. Measured 1e-14."""
    q = Rotation.from_matrix([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert apart(run(turned(IN_ORBIT, q), method), turned_state(run(IN_ORBIT, method), q)) < 1e-13


@every_method
def test_bodies_redrawn_in_other_axes_move_the_same(method):
    """Body frames turned by B and their origins moved: I → BᵀIB, ω → Bᵀω, q → q B, points → Bᵀ(p − o).

    The world sees no difference: measured 1e-14.
    """
    drawn = Rotation.from_rotvec([(0.3, 1.2, -0.5), (-0.9, 0.4, 0.2), (2.0, 0.1, -1.0)])
    back, origins = drawn.inv(), np.array([(0.4, -0.7, 0.2), (0.0, 1.0, 0.3), (-0.5, 0.2, 0.8)])
    matrices = drawn.as_matrix()

    def redrawn(body, point):
        return matrices[body].T @ (np.asarray(point) - origins[body])

    scene = replace(
        IN_ORBIT,
        inertia_body=np.array(
            [0.5 * (t + t.T) for t in np.einsum("nji,njk,nkl->nil", matrices, IN_ORBIT.inertia_body, matrices)]
        ),
        center_of_mass_body=np.array([redrawn(i, IN_ORBIT.center_of_mass_body[i]) for i in range(3)]),
        stored_momentum_body=back.apply(IN_ORBIT.stored_momentum_body),
        orientation=(Rotation.from_quat(IN_ORBIT.orientation) * drawn).as_quat(),
        angular_velocity_body=back.apply(IN_ORBIT.angular_velocity_body),
        tie_points=np.array([[redrawn(i + end, IN_ORBIT.tie_points[i, end]) for end in range(2)] for i in range(2)]),
        thruster_position=redrawn(0, IN_ORBIT.thruster_position),
        thruster_direction=matrices[0].T @ IN_ORBIT.thruster_direction,
    )
    found = run(scene, method)
    found["orientation"] = (Rotation.from_quat(found["orientation"]) * back).as_quat()
    found["angular_velocity_body"] = drawn.apply(found["angular_velocity_body"])
    assert apart(found, run(IN_ORBIT, method)) < 1e-12


@every_method
def test_sign_of_a_quaternion_means_nothing(method):
    """q and −q are one attitude: the same bits of everything, orientations up to that sign."""
    here, there = run(IN_ORBIT, method), run(replace(IN_ORBIT, orientation=-IN_ORBIT.orientation), method)
    assert np.array_equal(there.pop("orientation"), -here.pop("orientation"))
    assert same_bits(here, there)


@every_method
def test_reversed_motion_returns_to_the_order_of_the_method(method):
    """n ticks, v and ω and the wheels negated, n ticks: back at the start but for the method's own error, which falls as dt^order.

    A damped spring and a thruster are not reversible; here are free springs and gravity. The wheels turn the other way too.
    """
    scene = replace(IN_ORBIT, damping=0.0, thrust=0.0)
    missed = []
    for refinement in (1, 2, 4):
        world, bodies = replace(scene, dt=DT / refinement).built(method)
        world.step(32 * refinement)
        for body in bodies:
            body.velocity = -body.velocity
            body.angular_velocity_body = -body.angular_velocity_body
            body.stored_momentum_body = -body.stored_momentum_body
        world.step(32 * refinement)
        found = state(bodies)
        found["velocity"], found["angular_velocity_body"] = -found["velocity"], -found["angular_velocity_body"]
        missed.append(apart(found, state(scene.built(method)[1])))
    assert missed[0] < for_order(method.order, {1: 0.3, 2: 1e-4, 4: 1e-5})
    assert missed[2] < max(missed[1] / 2.0 ** (method.order - 0.25), 1e-10)


@every_method
def test_order_of_bodies_changes_nothing_but_roundings(method):
    """Rows permuted: bit for bit where bodies are on their own, 1e-12 where springs tie them."""
    alone = replace(IN_ORBIT, stiffness=0.0)
    assert same_bits(run(alone, method), run(alone, method, order=(2, 0, 1)))
    assert apart(run(IN_ORBIT, method), run(IN_ORBIT, method, order=(2, 0, 1))) < 1e-12


@every_method
def test_order_of_forces_changes_nothing_but_roundings(method):
    assert apart(run(IN_ORBIT, method), run(IN_ORBIT, method, with_gravity_first=True)) < 1e-12


@every_method
@pytest.mark.parametrize(("mass", "length", "time"), [(8.0, 0.25, 4.0), (0.5, 16.0, 0.125)])
def test_other_units_give_the_same_numbers(method, mass, length, time):
    """Kilograms, metres and seconds replaced by powers of two of them: every result scaled, to the last bit."""
    s = IN_ORBIT
    force, momentum = mass * length / time**2, mass * length**2 / time
    scaled = replace(
        s,
        mass=mass * s.mass,
        inertia_body=mass * length**2 * s.inertia_body,
        center_of_mass_body=length * s.center_of_mass_body,
        stored_momentum_body=momentum * s.stored_momentum_body,
        position=length * s.position,
        velocity=length / time * s.velocity,
        angular_velocity_body=s.angular_velocity_body / time,
        tie_points=length * s.tie_points,
        stiffness=mass / time**2 * s.stiffness,
        damping=mass / time * s.damping,
        rest_length=length * s.rest_length,
        thrust=force * s.thrust,
        thruster_position=length * np.array(s.thruster_position),
        gm=length**3 / time**2 * s.gm,
        gravity_center=length * np.array(s.gravity_center),
        reference_radius=length * s.reference_radius,
        dt=time * s.dt,
    )
    here, there = run(s, method), run(scaled, method)
    there["position"] /= length
    there["velocity"] *= time / length
    there["angular_velocity_body"] *= time
    assert same_bits(here, there)


@every_method
def test_heavier_bodies_under_stronger_forces_move_the_same(method):
    """Mass, inertia, wheels and every force but gravity (whose pull grows by itself) times 2⁵: the same bits; times 3: 1e-12."""
    for factor in (32.0, 3.0):
        s = IN_ORBIT
        heavier = replace(
            s,
            mass=factor * s.mass,
            inertia_body=factor * s.inertia_body,
            stored_momentum_body=factor * s.stored_momentum_body,
            stiffness=factor * s.stiffness,
            damping=factor * s.damping,
            thrust=factor * s.thrust,
        )
        here, there = run(s, method), run(heavier, method)
        assert same_bits(here, there) if factor == 32.0 else apart(here, there) < 1e-12


@every_method
def test_body_welded_from_two_halves_moves_as_the_whole(method):
    """A block as one box, and as two boxes side by side, both set askew: the same flight under a push at a point. Measured 2e-14."""
    place, turn = np.array([0.4, -0.2, 0.3]), SKEW_ORIENTATION
    across = rotations.to_world(turn, (0.5, 0.0, 0.0))
    whole = MassProperties.compound([(MassProperties.box(3.0, (2.0, 0.7, 1.1)), place, turn)])
    half = MassProperties.box(1.5, (1.0, 0.7, 1.1))
    halves = MassProperties.compound([(half, place - across, turn), (half, place + across, turn)])
    found = []
    for properties in (whole, halves):
        world = World(DT, integrator=method)
        body = world.add_body(
            properties,
            origin=(1.0, 2.0, 3.0),
            orientation=rotations.from_axis_angle((1, 1, 3), 1.1),
            angular_velocity_body=(0.4, 1.2, -0.8),
        )
        world.add_force(forces.ConstantForce(body, force_body=(0.3, -1.0, 0.4), at_body=(0.9, 0.1, 0.0)))
        world.add_force(forces.PointGravity(5.0, (4.0, 0.0, 0.0)))
        world.add_force(forces.GravityGradient(5.0, (4.0, 0.0, 0.0)))
        world.step(TICKS)
        found.append(state([body]))
    assert apart(*found) < 1e-12


@every_method
def test_things_without_effect_leave_every_bit(method):
    """A force of nothing, a couple that cancels, a drag of nothing, and a body far away that nothing touches."""
    world, bodies = IN_ORBIT.built(method)
    world.add_force(forces.ConstantForce(bodies[0], force_world=(0.0, 0.0, 0.0), at_body=(1.0, 2.0, 3.0)))
    world.add_force(forces.ConstantTorque(bodies[1], torque_body=(0.0, 0.0, 0.0)))
    world.add_force(forces.LinearDrag(0.0))
    world.add_force(lambda wrench, bodies, time: None)
    world.add_body(MassProperties.sphere(1.0, 0.2), position=(1e7, 2e7, -3e7))
    world.step(TICKS)
    assert same_bits(state(bodies), run(IN_ORBIT, method))


@every_method
def test_ticks_may_be_taken_in_any_portions(method):
    """step(100) = 100 × step() = 100 ticks' worth of frames of odd lengths: one hash."""
    at_once, _ = IN_ORBIT.built(method)
    at_once.step(TICKS)
    one_by_one, _ = IN_ORBIT.built(method)
    for _tick in range(TICKS):
        one_by_one.step()
    in_frames, _ = IN_ORBIT.built(method)
    frame = 0
    while in_frames.tick_count < TICKS - 2:
        in_frames.advance((0.3, 1.7, 0.0, 2.4, 0.9)[frame % 5] * DT)
        frame += 1
    in_frames.step(TICKS - in_frames.tick_count)
    assert at_once.state_hash() == one_by_one.state_hash() == in_frames.state_hash()


@every_method
def test_torque_pair_is_the_torque(method):
    """F at r + d and −F at r, turning with the body, is the torque d × F wherever r is; 1e-13."""
    push, lever = np.array([0.5, -0.8, 0.3]), np.array([0.2, 0.6, 0.1])
    setup = {
        "inertia_body": ASYMMETRIC,
        "center_of_mass_body": (0.3, -0.2, 0.5),
        "orientation": SKEW_ORIENTATION,
        "angular_velocity_body": SKEW_AXES @ (0.4, 1.2, -0.8),
    }

    def pair(body):
        place = np.array([0.7, 0.9, -0.4])
        return [
            forces.ConstantForce(body, force_body=push, at_body=place + lever),
            forces.ConstantForce(body, force_body=-push, at_body=place),
        ]

    def torque(body):
        return [forces.ConstantTorque(body, torque_body=np.cross(lever, push))]

    one, two = (fly(method, DT, (1.0,), forces=made, **setup) for made in (pair, torque))
    assert rotations.angle(one.orientation, two.orientation).max() < 1e-13
    assert np.abs(one.angular_velocity_body - two.angular_velocity_body).max() < 1e-13
    assert np.abs(one.position).max() < 1e-15


@every_method
def test_redrawing_the_origin_in_flight_changes_nothing_that_moves(method):
    """The same body described from another origin, assigned half way: mass centre, velocity, attitude and rates go on as before."""
    place = np.array([0.3, -0.2, 0.5])
    world, body = one_body(
        method, DT, inertia_body=ASYMMETRIC, angular_velocity_body=(0.4, 1.2, -0.8), velocity=(0.1, 0.2, 0.3)
    )
    other_world, other = one_body(
        method, DT, inertia_body=ASYMMETRIC, angular_velocity_body=(0.4, 1.2, -0.8), velocity=(0.1, 0.2, 0.3)
    )
    for each in (world, other_world):
        each.step(30)
    origin = other.to_world(-place)  # where the new drawing has its origin
    other.mass_properties = MassProperties(1.0, ASYMMETRIC, place)
    # the setter keeps the origin and moves the mass centre; put it back where it was
    assert np.abs(other.position - body.position - rotations.to_world(body.orientation, place)).max() < 1e-14
    other.position, other.velocity = body.position, body.velocity
    assert np.abs(other.origin - origin).max() < 1e-14
    for each in (world, other_world):
        each.step(30)
    assert same_bits(state([body]), state([other]))
