"""Limits, friction and motors in islands: the solver within bounds against dense algebra, and what a tick costs."""

import numpy as np
import pytest

from engine import MassProperties, World, forces
from engine.constraints import bounded, layout
from engine.constraints.graph import LINK_COUNT, PLACES, ROW_COUNT
from engine.joints import Hinge, Motor, Universal
from engine.loops.layout import ANGULAR_VELOCITY, INERTIA, MASS, VELOCITY
from tests.benchmarks.joint_scenes import hinge_chain

from ..plain_python import calls_of_kernels, in_plain_python


def tumbling_arm(seed):
    """Five bodies in a tree, with limits, friction and motors on most joints, at random velocities."""
    random = np.random.default_rng(seed)
    world, bodies = World(1 / 60), []
    for number in range(5):
        parent = bodies[random.integers(number)] if number else None
        at = np.array(random.uniform(-1.0, 1.0, 3)) + (0.0 if parent is None else parent.position)
        moments = random.uniform(0.5, 0.6, 3)
        body = world.add_body(
            MassProperties(10.0 ** random.uniform(-1.5, 1.5), 0.2 * np.diag(moments)),
            position=at,
            velocity=random.normal(size=3),
            angular_velocity_body=random.normal(size=3),
        )
        axis = random.normal(size=3)
        axis /= np.linalg.norm(axis)
        friction = float(10.0 ** random.uniform(-2.0, 1.0))
        held = {"at_body": random.uniform(-0.4, 0.4, 3), "axis_body": axis}
        if number % 3 == 2:
            across = np.cross(axis, (0.3, 0.9, 0.2))
            joint = Universal(
                body,
                parent,
                **held,
                axis_other=across / np.linalg.norm(across),
                limits_1=(0.0, 1.0),
                friction_2=friction,
            )
        else:
            joint = Hinge(body, parent, **held, limits=(-1.0, 0.0), friction=friction)
        world.add_joint(joint)
        if isinstance(joint, Hinge) and number:
            joint.motor = Motor(target_rate=random.normal(), max_torque=3.0)
        bodies.append(body)
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    return world


def energy(world):
    """Kinetic and potential energy [J]."""
    kinetic = sum(
        0.5 * body.mass * body.velocity @ body.velocity
        + 0.5 * body.angular_momentum_world @ body.angular_velocity_world
        for body in world.bodies
    )
    return kinetic + 9.81 * sum(body.mass * body.position[2] for body in world.bodies)


def by_dense_algebra(islands):
    """The velocities after the last stage, the same from its impulses by dense matrices, and the rates that the rows miss then."""
    graph, own, work = islands.graph, islands.own, islands.work
    count, rows = int(graph.sizes[PLACES]), islands.rows[: graph.sizes[ROW_COUNT]]
    masses = np.zeros((6 * count, 6 * count))
    before, after = np.zeros(6 * count), np.zeros(6 * count)
    for place in range(count):
        xx, yy, zz, xy, xz, yz = own[INERTIA : INERTIA + 6, place]
        each = slice(6 * place, 6 * place + 6)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        masses[each, each] = np.block([[own[MASS, place] * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), inertia]])
        for block, found in ((layout.START, before), (layout.END, after)):
            found[each] = [*work[block + VELOCITY :, place][:3], *work[block + ANGULAR_VELOCITY :, place][:3]]
    directions = np.zeros((len(rows), 6 * count))
    for link in graph.links[: graph.sizes[LINK_COUNT]]:
        for row in range(link[layout.FIRST_ROW], link[layout.LAST_ROW]):
            for place, turn, sign in (
                (link[layout.FIRST_PLACE], layout.ON_BODY, 1.0),
                (link[layout.SECOND_PLACE], layout.ON_OTHER, -1.0),
            ):
                if place >= 0:
                    linear = rows[row, layout.LINEAR : layout.LINEAR + 3]
                    directions[row, 6 * place : 6 * place + 6] = sign * np.array([*linear, *rows[row, turn : turn + 3]])
    goals = np.where(rows[:, layout.KIND] == layout.RATE_ROW, rows[:, layout.GOAL], 0.0)
    reached = before + np.linalg.solve(masses, directions.T @ rows[:, layout.IMPULSE])
    return after, reached, directions @ reached - goals


@pytest.mark.parametrize("seed", range(12))
def test_rows_within_bounds_take_the_impulses_that_coulomb_and_signorini_ask_for(seed):
    """An impulse between its bounds leaves no rate, and one at a bound a rate that it would stop: this has one solution for the rates."""
    check_impulses(tumbling_arm(seed), 20)


def by_newton_steps():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded, "MOST_CHOICES", 1)
        for seed in (0, 40):  # in the second, a step that is shortened would end it at other impulses
            check_impulses(tumbling_arm(seed), 5)


def test_newton_steps_find_them_where_choosing_does_not_end():
    """In plain Python, with a single choice."""
    in_plain_python(by_newton_steps)


def check_impulses(world, ticks):
    at_bounds = 0
    for _ in range(ticks):
        world.step()
        islands = world._stages._plan.joints.islands
        found, wanted, rates = by_dense_algebra(islands)
        assert np.abs(found - wanted).max() < 1e-12 * np.abs(wanted).max()
        impulse, least, most = islands.rows[: len(rates), [layout.IMPULSE, layout.LEAST, layout.MOST]].T
        assert (least <= impulse).all() and (impulse <= most).all()
        assert np.abs(rates[(least < impulse) & (impulse < most)]).max() < 1e-10
        is_range = least < most
        assert (rates[is_range & (impulse == least)] > -1e-10).all() and (
            rates[is_range & (impulse == most)] < 1e-10
        ).all()
        at_bounds += (is_range & ((impulse == least) | (impulse == most))).sum()
    assert at_bounds > ticks


def test_a_long_chain_with_friction_and_limits_conflicts_in_no_tick():
    """Thirty hinges that hang, the last link at 0.3 m/s; Newton's steps went to and fro between the ends of the friction's range."""
    world, joints = hinge_chain(30)
    start = 0.5 * 0.3**2
    lowest = energy(world) - start
    world.step(600)
    assert all(abs(joint.angle) < 1.0 for joint in joints)
    assert 0.0 < energy(world) - lowest < 0.7 * start  # friction has taken the rest


def of_a_chain_with_friction():
    world, _joints = hinge_chain(10)
    world.step(20)
    return calls_of_kernels(world, 15, ["island-positions", "blocks-factor", "blocks-solve"])


def test_friction_that_goes_on_as_before_costs_one_factor_per_stage():
    """Sticking and sliding are known from the last tick; 10 to 40 factors were made per tick before."""
    stages, factors, solves = in_plain_python(of_a_chain_with_friction)
    assert stages == 15  # no tick in pieces
    assert factors <= 15 * 5
    assert solves <= 15 * 7
