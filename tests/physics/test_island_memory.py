"""What islands read of their bodies and joints, and what they keep from one tick to the next."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import Body, MassProperties, World, flight, forces, joints
from engine.constraints import layout
from engine.loops.layout import INVERSE_MASS, MOTOR_TORQUE, STATE_ROWS, WRENCH
from engine.tick.islands import Islands
from engine.tick.joints import Joints


def linked(integrator: str = "free-rotor-2", spin: float = 0.3) -> World:
    """A chain of equality joints of each type, which closes no loop, and a pair on a hinge with limits and a motor."""
    world = World(dt=0.01, integrator=integrator)
    box = MassProperties.box(5.0, (1.0, 0.8, 0.4))

    def body(x: float, y: float) -> Body:
        turn = Rotation.from_rotvec((0.1 * x, 0.2, 0.3 * y)).as_quat()
        return world.add_body(
            box, position=(x, y, 0.1 * x), orientation=turn, angular_velocity_body=(0.1 * spin, 0, spin)
        )

    chain = [body(float(place), 0.0) for place in range(7)]
    held = {"at_body": (-0.5, 0.1, 0.0)}
    about = {**held, "axis_body": (0.0, 0.6, 0.8)}
    across = chain[3].direction_to_body(chain[4].direction_to_world(np.array((1.0, 0.0, 0.0))))
    for joint in (
        joints.Hinge(chain[1], chain[0], **about),
        joints.Slider(chain[2], chain[1], **about),
        joints.Weld(chain[3], chain[2], **held),
        joints.Universal(chain[4], chain[3], **about, axis_other=across),
        joints.Ball(chain[5], chain[4], **held),
        joints.Planar(chain[6], (0.0, 0.6, 0.8), chain[5], **held),
    ):
        world.add_joint(joint)
    pair = body(0.0, 5.0), body(1.0, 5.0)
    motor = joints.Motor(target_rate=0.2, max_torque=1.0)
    world.add_joint(joints.Hinge(*pair, **about, limits=(-0.5, 0.5), motor=motor))
    return world


def islands_of(world: World) -> Islands:
    found = world._joints.islands
    assert found is not None
    return found


@pytest.mark.parametrize("integrator", ["free-rotor-2", "free-rotor-4"])
def test_islands_of_equality_rows_read_only_what_is_copied_for_them(integrator: str) -> None:
    world, poisoned = linked(integrator), linked(integrator)
    for each in (world, poisoned):
        each.step(3)
    islands = islands_of(poisoned)
    links = islands.graph.links[:7, layout.JOINT]
    assert list(links) == list(range(7))  # the chain comes first
    copied = np.zeros(layout.JOINT_ROWS, bool)
    for first, last in layout.HARD_ROWS:
        copied[first:last] = True
    islands.joints[~copied, :6] = np.nan
    # held wrenches need no copy of the states
    islands.stages[:] = np.nan
    unread = np.ones(len(islands.own), bool)
    unread[:STATE_ROWS] = unread[WRENCH : MOTOR_TORQUE + 3] = False
    islands.own[unread] = np.nan
    for each in (world, poisoned):
        each.step(20)
    assert poisoned.state_hash() == world.state_hash()


def test_a_new_mass_or_point_is_noticed_where_nothing_moves() -> None:
    """Directions and factors are kept from tick to tick as long as they are those of the same numbers."""
    kept, fresh = linked(spin=0.0), linked(spin=0.0)
    for world in (kept, fresh):
        world.joints[-1].enabled = False
        world.step(2)
    position = kept.bodies[2].position.copy()
    for world in (kept, fresh):
        world.bodies[2].mass_properties = MassProperties.box(50.0, (1.0, 0.8, 0.4))
        world.bodies[2].apply_impulse((0.0, 0.3, 0.1))
        if world is fresh:
            islands_of(world).graph.forget_made()
        world.step(5)
    assert float(islands_of(kept).own[INVERSE_MASS].min()) == pytest.approx(1.0 / 50.0)
    assert np.abs(kept.bodies[2].position - position).max() > 1e-6
    assert kept.state_hash() == fresh.state_hash()


def pairs(count: int) -> World:
    """As many pairs of bodies on hinges, every other one with limits and a motor, beside two bodies on a spring."""
    world, box = World(dt=0.01, integrator="free-rotor-4"), MassProperties.box(5.0, (1.0, 0.8, 0.4))
    alone = [world.add_body(box, position=(0.0, -5.0, 2.0 * place)) for place in range(2)]
    world.add_force(forces.Spring(*alone, stiffness=20.0, rest_length=1.5))
    for number in range(count):
        spin = (0.1, 0.0, 0.3 + 0.01 * number)
        body = world.add_body(box, position=(3.0 * number, 0.0, 0.0), angular_velocity_body=spin)
        other = world.add_body(box, position=(3.0 * number + 1.0, 0.0, 0.0), velocity=(0.0, 0.3, 0.0))
        acting = {"limits": (-0.1, 0.1), "motor": joints.Motor(target_rate=0.2, max_torque=1.0)} if number % 2 else {}
        world.add_joint(joints.Hinge(body, other, at_body=(0.5, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0), **acting))
    return world


@pytest.mark.parametrize("change", ["spring", "jet", "wheel on no island"])
def test_islands_that_share_their_places_have_the_bits_of_those_with_places_of_their_own(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashes = []
    for may_share in (True, False):
        if not may_share:
            monkeypatch.setattr(Joints, "_may_share", lambda *_graph: False)
        world = pairs(70)
        world.step(4)
        assert islands_of(world).graph.shares == may_share
        first, last, alone = world.bodies[2], world.bodies[-1], world.bodies[0]
        if change == "spring":
            world.add_force(forces.Spring(first, last, stiffness=20.0, damping=1.0, rest_length=200.0))
        elif change == "jet":
            jet = world.add_force(forces.Thruster(last, position=(0, 0.1, 0), direction=(0, 0, 1), max_force=1.0))
            jet.fire(0.025)
        else:
            limits = {"inertia": 0.02, "max_torque": 0.3, "max_speed": 600.0, "viscous_friction": 1e-3}
            world.add_part(flight.ReactionWheel(alone, axis=(0, 0, 1), **limits)).speed = 20.0
        world.step(4)
        assert islands_of(world).graph.shares == (may_share and change == "wheel on no island")
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]
