"""Rollback: late inputs, confirmed ticks, peers that drift apart."""

import pickle
import random

import numpy as np
import pytest

from engine import DesyncError, MassProperties, Rollback, Snapshot, World
from engine.saving.snapshots import state_hash_of

from ..full_world import full_world
from ..interrupted_operations import OPERATIONS
from ..interrupting import torn_points
from ..rollback_game import PLAYERS, Network, arena, differing_frames, differing_hashes, flown, script, steer


def test_the_hash_of_a_snapshot_is_that_of_the_world():
    for world in (full_world(), full_world(called=False), arena()):
        for _ in range(3):
            assert state_hash_of(world.snapshot()) == world.state_hash()
            world.step()


def test_one_frame_rolled_back_in_every_frame():
    """Frames in which each input of one player is a frame late; `python -m tests.soak restores` runs ten thousand."""
    assert differing_frames(200, seed=1) == 0


def test_inputs_in_any_order_within_the_window_give_the_same_flight():
    ticks, frames, generator = 100, 8, random.Random(4)
    inputs = script(2, ticks)
    expected = flown(inputs, ticks)
    world = arena()
    rollback = Rollback(world, frames, players=PLAYERS, apply=steer)
    waiting = [(tick, player) for tick in range(ticks) for player in PLAYERS]
    while world.tick_count < ticks or rollback.confirmed_tick < ticks:
        near = [entry for entry in waiting if entry[0] <= rollback.confirmed_tick + frames + 2]
        for tick, player in generator.sample(near, min(len(near), generator.randrange(6))):
            waiting.remove((tick, player))
            rollback.input(tick, player, inputs[player][tick])
            rollback.input(tick, player, bytes(inputs[player][tick]))  # again, as it was resent
        if world.tick_count < ticks:
            ahead = world.tick_count - rollback.confirmed_tick
            assert rollback.step() is (ahead < frames)
            assert world.tick_count - rollback.confirmed_tick <= frames
        rollback.settle()
        assert rollback.hash(rollback.confirmed_tick) == expected[rollback.confirmed_tick]


def test_two_peers_with_delay_jitter_and_loss_stay_equal():
    """`python -m tests.soak restores` runs a hundred thousand ticks."""
    different, waited = differing_hashes(200, 3, Network(7))
    assert different == 0 and waited > 0


def test_a_peer_that_has_drifted_apart_is_named_with_body_and_field():
    worlds = arena(), arena()
    worlds[1].body("Grace").velocity = (0.0, 1e-300, 0.0)
    one, two = (Rollback(world, players=PLAYERS, apply=steer) for world in worlds)
    for peer in (one, two):
        for tick in range(3):
            for player in PLAYERS:
                peer.input(tick, player, b"\x40")
            peer.step()
    with pytest.raises(DesyncError, match=r"at tick 0 the state hash of this peer is 0x[0-9a-f]{16} and") as caught:
        one.check(0, two.hash(0))
    assert caught.value.tick == 0 and caught.value.own_hash == one.hash(0) != caught.value.peer_hash == two.hash(0)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    message = (
        r"the first difference is velocity of body 'Grace', \[0\.0, 0\.0, 0\.0\] here and \[0\.0, 1e-300, 0\.0\] there"
    )
    for peers in (two.snapshot(0), Snapshot.from_bytes(two.snapshot(0).to_bytes())):
        with pytest.raises(DesyncError, match=message):
            one.check(0, two.hash(0), peers)
    one.check(3, one.hash(3))
    for player in PLAYERS:
        one.input(3, player, b"")
    one.check(4, 12345)  # not yet confirmed
    with pytest.raises(DesyncError, match="at tick 4"):
        one.step()
        one.step()


def test_inputs_that_cannot_be_used_are_rejected():
    world = arena()
    rollback = Rollback(world, 4, players=PLAYERS, apply=steer)
    for tick in range(20):
        for player in PLAYERS:
            rollback.input(tick, player, b"a")
        rollback.step()
    for call, kind, message in (
        (lambda: rollback.input(3, "Ada", b"a"), ValueError, r"tick must be at least 20, because the inputs .* got 3"),
        (lambda: rollback.input(19, "Ada", b"b"), ValueError, r"data of player 'Ada' for tick 19 must be b'a'"),
        (lambda: rollback.input(20, "Eve", b"a"), ValueError, r"player must be one of \['Ada', 'Grace'\]; got 'Eve'"),
        (lambda: rollback.input(-1, "Ada", b"a"), ValueError, r"tick must be an integer of at least 0"),
        (lambda: rollback.input(10**9, "Ada", b"a"), ValueError, r"tick must be at most"),
        (
            lambda: Rollback(world, 0, players=PLAYERS, apply=steer),
            ValueError,
            r"frames must be an integer of at least 1",
        ),
        (lambda: Rollback(world, players=[], apply=steer), ValueError, r"players must be at least one"),
        (lambda: Rollback(world, players="Ada", apply=steer), TypeError, r"players must be a list"),
        (lambda: Rollback(3, players=PLAYERS, apply=steer), TypeError, r"world must be a World"),
        (lambda: Rollback(world, players=PLAYERS, apply=3), TypeError, r"apply must be a function"),
        (lambda: rollback.check(0, 1, b"x"), TypeError, r"snapshot must be a Snapshot"),
    ):
        with pytest.raises(kind, match=message):
            call()
    assert rollback.input(19, "Ada", b"a") is None


def test_an_input_that_cannot_be_applied_leaves_the_tick_undone():
    world = World(0.5)
    ship = world.add_body(MassProperties.sphere(1.0, 0.5))

    def push(world, inputs):
        ship.apply_force((1.0, 0.0, 0.0))
        if inputs[0] == b"bad":
            raise LookupError

    rollback = Rollback(world, players=[0], apply=push)
    before = world.state_hash()
    rollback.input(0, 0, b"bad")
    for _ in range(2):
        with pytest.raises(LookupError):
            rollback.step()
        assert world.state_hash() == before


def test_old_ticks_are_forgotten():
    world = arena()
    rollback = Rollback(world, 4, players=PLAYERS, apply=steer)
    for tick in range(400):
        for player in PLAYERS:
            rollback.input(tick, player, np.float64(tick).tobytes())
        rollback.step()
    sizes = [len(rollback._snapshots), len(rollback._used), *(len(inputs) for inputs in rollback._inputs.values())]
    assert max(sizes) <= 10 and len(rollback._hashes) <= 256


def test_inputs_may_be_arrays_and_what_cannot_be_compared_is_rejected_before_it_counts():
    world = World(dt=0.5)
    ship = world.add_body(MassProperties.sphere(1.0, 0.5))

    def steer(world, inputs):
        if inputs["A"] is not None:
            ship.apply_force(inputs["A"][0] if isinstance(inputs["A"], list) else inputs["A"])

    rollback = Rollback(world, players=["A"], apply=steer)
    rollback.step()
    rollback.step()
    rollback.input(0, "A", np.array([2.0, 0.0, 0.0]))
    rollback.settle()
    rollback.input(1, "A", np.array([0.0, 2.0, 0.0]))
    rollback.input(1, "A", np.array([0.0, 2.0, 0.0]))
    with pytest.raises(ValueError, match="as it was given before"):
        rollback.input(1, "A", np.array([0.0, 2.0, 1.0]))
    rollback.settle()
    assert (ship.velocity.tolist(), rollback.confirmed_tick) == ([1.0, 1.0, 0.0], 2)
    rollback.input(2, "A", [np.array([2.0, 0.0, 0.0])])
    rollback.step()
    rollback.step()
    with pytest.raises(
        TypeError, match=r"Rollback.input: data must be data whose comparison with == gives True or False"
    ):
        rollback.input(3, "A", [np.array([2.0, 0.0, 0.0])])
    rollback.input(3, "A", np.array([0.0, 0.0, 2.0]))
    rollback.settle()
    assert (ship.velocity.tolist(), rollback.confirmed_tick) == ([2.0, 1.0, 1.0], 4)


def test_an_input_that_an_interrupt_has_cut_off_is_complete_when_it_is_given_again():
    """At each of the first lines, which are those of `Rollback.input` itself."""
    assert list(torn_points(OPERATIONS["Rollback.input"], range(60))) == []


@pytest.mark.parametrize(
    "move", [lambda world: world.coast(10), lambda world: world.step(), lambda world: world.advance(0.5)]
)
def test_an_apply_that_runs_ticks_of_its_own_is_rejected_and_its_tick_undone(move):
    """It left ticks without snapshots, and every later call raised a KeyError."""
    world = World(dt=0.5)
    world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(1.0, 0.0, 0.0))
    is_moving = [True]

    def apply(world, inputs):
        if world.tick_count == 2 and is_moving[0]:
            move(world)

    rollback = Rollback(world, players=["Ada"], apply=apply)
    for _ in range(2):
        assert rollback.step()
    before = world.state_hash()
    with pytest.raises(RuntimeError, match="Rollback: apply must not step, advance or coast the world"):
        rollback.step()
    assert (world.tick_count, world.state_hash()) == (2, before)
    is_moving[0] = False
    for tick in range(4):
        rollback.input(tick, "Ada", b"")
    assert rollback.step() and rollback.settle() is None and rollback.confirmed_tick == 3
