"""What islands read of their bodies and joints, and what they keep from one tick to the next."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import Body, MassProperties, World, joints
from engine.constraints import layout
from engine.loops.layout import INVERSE_MASS, MOTOR_TORQUE, STATE_ROWS, WRENCH
from engine.tick.islands import Islands


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
