"""The order of the step of islands: what it is, whether an island says so, and limits that do not act."""

import copy

import numpy as np
import pytest

from engine import MassProperties, World, flight, forces, shapes
from engine.integrators import FreeRotor, Substepped
from engine.joints import Ball, Distance, Hinge, JointSpring, Motor, Planar, Slider

from ..benchmarks.joint_scenes import skew_properties

BODY = skew_properties(20.0, (3.0, 4.0, 3.5))


def tumbling(dt, method="free-rotor-4", rope=None, limits=None, reach=1.0):
    """Two tumbling bodies on a joint, and a third one that flies along, tied to the first by a rope if a length is given."""
    world = World(dt, integrator=method)
    a = world.add_body(BODY, name="a", angular_velocity_body=(0.4, 0.3, -0.5))
    b = world.add_body(
        BODY, name="b", position=(2.0, 0.0, 0.0), velocity=(0.0, -1.0, -0.6), angular_velocity_body=(0.7, 0.6, -0.5)
    )
    c = world.add_body(BODY, name="c", position=(0.0, 3.0, 0.0), angular_velocity_body=(0.1, 0.5, 0.2))
    if limits is None:
        world.add_joint(Ball(a, b, at_body=(1.0, 0.2, 0.0)))
    else:
        world.add_joint(Hinge(a, b, at_body=(1.0, 0.2, 0.0), axis_body=(0, 0, 1), limits=limits))
    if rope is not None:
        world.add_joint(Distance(a, c, at_body=(0.0, 1.0, 0.0), at_other=(0.0, -1.0, 0.0), max_length=rope))
    return world


def flown(world, seconds):
    world.step(round(seconds / world.dt))
    return np.concatenate([world.state.position.ravel(), world.state.orientation.ravel()])


@pytest.mark.parametrize("given", [{"rope": 60.0}, {"limits": (-3000.0, 3000.0)}], ids=["rope", "limits"])
def test_limits_that_do_not_act_keep_order_4(given):
    """Against the same island without them, and by the errors at a tick and at half of it."""
    without = {} if "rope" in given else {"limits": (-np.inf, np.inf)}
    rough, fine, exact = (flown(tumbling(dt, **given), 4.0) for dt in (1 / 30, 1 / 60, 1 / 480))
    bare = flown(tumbling(1 / 60, **without), 4.0)
    errors = [np.abs(each - exact).max() for each in (rough, fine)]
    assert errors[1] < 1e-6 and errors[0] / errors[1] > 10.0
    assert np.abs(fine - bare).max() < 1e-9


def test_limits_that_do_not_act_change_a_tick_by_rounding_alone():
    """Measured 7e-15; if they acted in its parts of negative length, 1.5e-7."""
    near, bare = (flown(tumbling(1 / 60, limits=limits), 3 / 60) for limits in ((-3000.0, 3000.0), (-np.inf, np.inf)))
    assert np.abs(near - bare).max() < 1e-12


def test_a_limit_that_acts_holds_under_a_method_of_order_4():
    world = tumbling(1 / 60, limits=(-0.2, 0.2))
    momentum, turning = world.linear_momentum(), world.angular_momentum()
    hinge, angles, orders = world.joints[0], [], set()
    for _ in range(600):
        orders.add(world.islands[0].order)
        world.step()
        angles.append(hinge.angle)
    assert -0.2 - 1e-9 < min(angles) and max(angles) < 0.2 + 1e-9
    assert max(np.abs(angles)) > 0.2 - 1e-9 and orders == {2, 4}
    assert np.abs(world.linear_momentum() - momentum).max() < 1e-11
    assert np.abs(world.angular_momentum() - turning).max() < 1e-10


@pytest.mark.parametrize("gap", [1e-5, 1e-4, 1e-3])
def test_a_limit_that_is_reached_from_rest_within_a_tick_holds(gap):
    """A tick that counts on its being out of reach is taken again, by this island alone."""

    def scene(others):
        world = World(1 / 20, integrator="free-rotor-4")
        base = world.add_body(MassProperties.sphere(100.0, 1.0))
        arm = world.add_body(MassProperties.box(2.0, (1.0, 0.1, 0.1)), position=(1.5, 0.0, 0.0))
        hinge = world.add_joint(Hinge(arm, base, at_body=(-0.5, 0, 0), axis_body=(0, 0, 1), limits=(-1.0, gap)))
        for number in range(others):
            x = 10.0 * (number + 1)
            first = world.add_body(BODY, position=(x, 0, 0), angular_velocity_body=(0.4, 0.3, -0.5))
            second = world.add_body(
                BODY, position=(x + 2, 0, 0), velocity=(0.0, -1.0, -0.6), angular_velocity_body=(0.7, 0.6, -0.5)
            )
            world.add_joint(Hinge(first, second, at_body=(1, 0.2, 0), axis_body=(0, 0, 1), limits=(-1e3, 1e3)))
        world.add_force(forces.ConstantForce(arm, force_world=(0, 4.0, 0)))
        assert world.islands[0].order == 4
        world.step()
        return world, hinge

    world, hinge = scene(0)
    assert hinge.angle <= gap + 1e-10
    _crowded, other = scene(3)
    assert other.angle == hinge.angle
    world.step(20)
    assert hinge.angle == pytest.approx(gap, abs=1e-9) and world.islands[0].order == 2


def two(method="free-rotor-4", kind=Hinge, **options):
    world = World(1 / 60, integrator=method)
    a = world.add_body(BODY, name="a")
    b = world.add_body(BODY, name="b", position=(2.0, 0.0, 0.0))
    if kind is Planar:
        joint = Planar(a, (1, 0, 0), b, at_body=(1.0, 0.0, 0.0))
        joint.limits_1 = (-1.0, 1.0)
        return world, a, b, world.add_joint(joint)
    return world, a, b, world.add_joint(kind(a, b, at_body=(1.0, 0.0, 0.0), axis_body=(1, 0, 0), **options))


def said(world):
    (island,) = world.islands
    return island.order, island.reason


def test_islands_that_touch_something_say_so():
    """Contacts are solved in the step of order 2."""
    world, a, b, hinge = two()
    floor = world.add_shape(shapes.Box((9.0, 9.0, 1.0)), position=(0.0, 0.0, -1.2))
    for body in (a, b):
        body.add_shape(shapes.Sphere(0.5))
    assert said(world) == (4, "")
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    world.step(30)
    assert world.islands[0].order == 2 and f"{a} touches a shape, or is near one" in said(world)[1]
    floor.sensor = True
    world.step()
    assert said(world) == (4, "") and hinge.enabled


def test_islands_say_their_order_and_why_it_is_low():
    world, a, b, hinge = two()
    assert world.islands == ((a, b),) and said(world) == (4, "")
    hinge.friction = 0.1
    assert said(world) == (2, f"{hinge!r} has friction")
    hinge.friction = 0.0
    hinge.motor = Motor(1.0, max_torque=2.0)
    assert said(world) == (2, f"{hinge!r} has a motor")
    hinge.motor = None
    hinge.spring = JointSpring(stiffness=1.0, damping=0.0)
    hinge.friction = 0.1
    assert said(world) == (2, f"{hinge!r} has friction; {hinge!r} has a spring")
    hinge.spring, hinge.friction = None, 0.0
    hinge.limits = (-0.5, 0.5)
    assert said(world) == (4, "")
    a.angular_velocity_body = (20.0, 0.0, 0.0)
    assert said(world) == (2, f"{hinge!r} may reach a limit in this tick")
    a.angular_velocity_body = (0.0, 0.0, 0.0)
    world.add_part(flight.ReactionWheel(b, axis=(0, 0, 1), inertia=0.1, max_torque=1.0, max_speed=100.0))
    assert said(world) == (2, f"{b} has wheels, tanks or pulses")
    assert copy.copy(world.islands[0]).order == 2


@pytest.mark.parametrize(
    ("method", "order", "reason"),
    [
        ("free-rotor-2", 2, ""),
        ("rk4", 2, "with rk4, bodies on joints move as with free-rotor-2"),
        ("axis-splitting-4", 2, "with axis-splitting-4, bodies on joints move as with axis-splitting-2"),
        (Substepped(FreeRotor(4), 3), 4, ""),
    ],
    ids=str,
)
def test_islands_name_a_method_that_joints_do_not_take(method, order, reason):
    assert said(two(method)[0]) == (order, reason)


def test_ropes_sliders_planes_and_latches_say_their_order():
    world, _a, b, rope = rope_scene()
    assert said(world) == (4, "")
    b.velocity = (40.0, 0.0, 0.0)
    assert said(world) == (2, f"{rope!r} may reach a limit in this tick")
    for kind, options in ((Slider, {"limits": (-1.0, 1.0)}), (Planar, {})):
        world, _a, b, joint = two(kind=kind, **options)
        assert said(world) == (4, "")
        b.velocity = (20.0, 20.0, 20.0)
        assert said(world) == (2, f"{joint!r} may reach a limit in this tick")
    world, _a, _b, ball = two(kind=Ball, spring=JointSpring(stiffness=1.0, damping=0.0))
    assert said(world) == (2, f"{ball!r} has a spring")


def rope_scene():
    world = World(1 / 60, integrator="free-rotor-4")
    a = world.add_body(BODY, name="a")
    b = world.add_body(BODY, name="b", position=(3.0, 0.0, 0.0))
    return world, a, b, world.add_joint(Distance(a, b, at_body=(1, 0, 0), at_other=(-1, 0, 0), max_length=1.5))


def test_a_python_force_lowers_the_order_with_any_soft_island():
    world, _a, _b, hinge = two()
    world.add_force(lambda wrench, bodies, time: None)
    assert said(world) == (4, "")
    hinge.limits = (-0.5, 0.5)
    assert said(world) == (2, f"{hinge!r} has limits, and a Python force acts")
