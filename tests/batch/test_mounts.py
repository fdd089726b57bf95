"""Jets of members that are mounted alike are added with less reading; wherever one is moved, members keep the bits of a world alone."""

import numpy as np
import pytest

from engine import MassProperties, World, flight, forces
from engine.batch import Batch

from ..lengths import sized

MEMBERS, COMPARED = 40, (0, 1, 2, 5, 7, 9, 30, 39)
ARMS = np.random.default_rng(1).normal(size=(3, 3))


def make(tank=False, gimbal=False):
    template = World(dt=0.1)
    ship = template.add_body(MassProperties.box(9.0, (1.0, 1.2, 1.5)), name="ship")
    fed = {}
    if tank:
        held = flight.Tank.ball(ship, position=(0.1, 0, 0), radius=0.3, propellant=1.0)
        fed = {"tank": template.add_part(held), "specific_impulse": 200.0}
    bank = forces.ThrusterBank(ship, positions=ARMS, directions=ARMS[::-1], max_forces=(1.0, 2.0, 3.0), **fed)
    template.add_force(bank)
    if gimbal:
        turned = flight.Gimbal(axis_1=(1, 0, 0), axis_2=(0, 1, 0), max_angle=0.4, max_rate=1.0)
        jet = forces.Thruster(ship, position=(0, 0.1, -1), direction=(0, 0, 1), max_force=4.0, gimbal=turned)
        template.add_force(jet).throttle = 0.5
    batch = Batch(template, members=MEMBERS)
    batch[bank].throttle = np.random.default_rng(2).random((MEMBERS, 3))
    return batch, bank, template


def assert_bits_of_worlds_alone(batch):
    alone = {member: batch.world(member) for member in COMPARED}
    batch.step(3)
    for member, world in alone.items():
        world.step(3)
        assert world.state_hash() == batch.state_hash(member), member


@pytest.mark.parametrize("moved", sized([0, [2, 30]], [0, 7, MEMBERS - 1, slice(None), [2, 30]]))
@pytest.mark.parametrize("name", ["positions", "directions"])
@pytest.mark.parametrize("tank", [False, True])
def test_a_jet_that_is_moved_pushes_from_where_it_is(moved, name, tank):
    batch, bank, _template = make(tank)
    assert_bits_of_worlds_alone(batch)
    members = np.arange(MEMBERS)[moved]
    batch[bank].set(members, **{name: np.random.default_rng(3).normal(size=(np.size(members), 3, 3))})
    assert_bits_of_worlds_alone(batch)
    batch.reset([2, 5])
    assert_bits_of_worlds_alone(batch)


def test_a_snapshot_and_an_undone_tick_put_jets_back():
    batch, bank, _template = make()
    batch.step()
    before, places = batch.snapshot(), batch[bank].positions
    batch[bank].positions = places[:, ::-1]
    batch.step()
    batch.restore(before)
    assert_bits_of_worlds_alone(batch)
    is_wrong = [True]

    def move(called):
        called[bank].set(9, positions=ARMS + 1.0)
        if is_wrong:
            raise KeyError

    batch.on_tick(move)
    with pytest.raises(KeyError):
        batch.step()
    assert (batch[bank].positions == places).all()
    is_wrong.clear()
    batch.step()
    assert_bits_of_worlds_alone(batch.copy())


def test_gimbals_turn_in_each_member_by_themselves():
    batch, _bank, template = make(gimbal=True)
    engine = template.forces[1]
    batch[engine].gimbal_command = np.random.default_rng(4).uniform(-0.3, 0.3, (MEMBERS, 2))
    assert_bits_of_worlds_alone(batch)
    assert_bits_of_worlds_alone(batch)
