"""A game of two players under rollback: its world, its inputs, and a line between two peers that delays and loses messages."""

import pickle
import random

from engine import Rollback, World, forces

from .worlds import OTHER, PROPERTIES

PLAYERS = ("Ada", "Grace")


def arena(**options):
    """Two ships with engines and a spring between them, which the players steer."""
    world = World(1 / 64, integrator="rk4", **options)
    for place, player in enumerate(PLAYERS):
        ship = world.add_body(
            PROPERTIES, name=player, position=(4.0 * place, 0.0, 0.0), angular_velocity_body=(0.1, 0.2, -0.3)
        )
        world.add_force(forces.Thruster(ship, position=(0, 0.5, 0), direction=(0, 0, 1), max_force=5.0))
    world.add_force(forces.Spring(*world.bodies, stiffness=0.5, rest_length=3.0))
    return world


def steer(world, inputs):
    """The throttles, and every tenth tick a shell that flies away or is removed."""
    world.thrusters.throttle = [(inputs[player] or b"\0")[0] / 255 for player in PLAYERS]
    for player in PLAYERS:
        shell = f"shell of {player}"
        if world.tick_count % 10 == 0 and (inputs[player] or b"\0")[0] > 127:
            if shell in [body.name for body in world.bodies]:
                world.remove_body(world.body(shell))
            else:
                world.add_body(OTHER, name=shell, position=world.body(player).position, velocity=(0, 0, 9))


def script(seed, ticks):
    """The inputs of both players."""
    generator = random.Random(seed)
    return {player: [bytes([generator.randrange(256)]) for _ in range(ticks)] for player in PLAYERS}


def flown(inputs, ticks):
    """The hashes of a world that knows all inputs in time."""
    world, hashes = arena(), []
    for tick in range(ticks):
        hashes.append(world.state_hash())
        steer(world, {player: inputs[player][tick] for player in PLAYERS})
        world.step()
    return [*hashes, world.state_hash()]


def differing_frames(ticks, seed):
    """Number of frames, of so many, whose hash differs where each input of one player arrives a frame late."""
    inputs = script(seed, ticks)
    expected = flown(inputs, ticks)
    world = arena()
    rollback = Rollback(world, players=PLAYERS, apply=steer)
    different = 0
    for tick in range(ticks):
        rollback.input(tick, "Ada", inputs["Ada"][tick])
        if tick:
            rollback.input(tick - 1, "Grace", inputs["Grace"][tick - 1])
        assert rollback.step()
        different += rollback.hash(tick) != expected[tick]
    rollback.input(ticks - 1, "Grace", inputs["Grace"][-1])
    rollback.settle()
    assert rollback.confirmed_tick == ticks
    return different + (world.state_hash() != expected[-1])


class Network:
    """A line between two peers with delay, jitter and loss, in frames."""

    def __init__(self, seed, delay=6, jitter=2, loss=0.05):
        self.generator, self.delay, self.jitter, self.loss = random.Random(seed), delay, jitter, loss
        self.lines = {player: [] for player in PLAYERS}

    def send(self, player, frame, message):
        if self.generator.random() >= self.loss:
            arrival = frame + self.delay + self.generator.randint(-self.jitter, self.jitter)
            self.lines[player].append((arrival, pickle.dumps(message)))

    def receive(self, player, frame):
        arrived = [message for arrival, message in self.lines[player] if arrival <= frame]
        self.lines[player] = [entry for entry in self.lines[player] if entry[0] > frame]
        return map(pickle.loads, arrived)


def differing_hashes(ticks, seed, network):
    """Number of confirmed hashes of two peers that are wrong, and of frames in which one waited for the other.

    They are compared with the hashes of a world that knows all inputs in time.
    """
    inputs = script(seed, ticks)
    expected = flown(inputs, ticks)
    peers = {player: Rollback(arena(), 8, players=PLAYERS, apply=steer) for player in PLAYERS}
    sent = dict.fromkeys(PLAYERS, 0)  # how many own inputs have been chosen
    needed = dict.fromkeys(PLAYERS, 0)  # the first own input that the other peer does not have
    got = dict.fromkeys(PLAYERS, 0)  # the first input of the other peer that is not here
    frame = waited = different = 0
    while min(peer.confirmed_tick for peer in peers.values()) < ticks:
        for player, other in (PLAYERS, PLAYERS[::-1]):
            peer = peers[player]
            for first, data, acknowledged, confirmed, state_hash in network.receive(player, frame):
                for tick, value in enumerate(data, first):
                    if tick >= got[player]:
                        peer.input(tick, other, value)
                        got[player] = tick + 1
                needed[player] = max(needed[player], acknowledged)
                peer.check(confirmed, state_hash)
            if peer._world.tick_count < ticks:
                tick = peer._world.tick_count
                if sent[player] <= tick:
                    peer.input(tick, player, inputs[player][tick])
                    sent[player] = tick + 1
                waited += not peer.step()
            peer.settle()
            confirmed = peer.confirmed_tick
            different += peer.hash(confirmed) != expected[confirmed]
            data = inputs[player][needed[player] : sent[player]]
            network.send(other, frame, (needed[player], data, got[player], confirmed, peer.hash(confirmed)))
        frame += 1
    different += sum(peer._world.state_hash() != expected[-1] for peer in peers.values())
    return different, waited
