"""Rollback for games over a network, whose peers predict the inputs of others and correct what was predicted wrongly."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from ..checks import explaining_errors, integer, members, refuse
from ..world import World
from .snapshot_bytes import first_difference
from .snapshots import Snapshot, plain_form, state_hash_of

Apply = Callable[["World", dict[Any, Any]], object]
"""Called as `apply(world, inputs)` before each tick, with the input of each player."""

_NOTHING = object()
_HASHES = 256
"""How many hashes of confirmed ticks are kept, for peers that are behind."""


class DesyncError(RuntimeError):
    """Two peers have different worlds at the same confirmed tick.

    Attributes:
        tick: The tick count of both worlds.
        own_hash: The state hash of this peer.
        peer_hash: The state hash of the other peer.

    Example:
        >>> error = DesyncError(120, 7, 8, "bodies[0].position")
        >>> error.tick, "bodies[0].position" in str(error)
        (120, True)
    """

    def __init__(self, tick: int, own_hash: int, peer_hash: int, where: str = "") -> None:
        self.tick = tick
        self.own_hash = own_hash
        self.peer_hash = peer_hash
        super().__init__(
            f"Rollback: at tick {tick} the state hash of this peer is {own_hash:#018x} and that of the other is {peer_hash:#018x}"
            + (f"; the first difference is {where}" if where else "")
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _desync_error, (self.tick, self.own_hash, self.peer_hash, str(self))


def _desync_error(tick: int, own_hash: int, peer_hash: int, text: str) -> DesyncError:
    error = DesyncError(tick, own_hash, peer_hash)
    error.args = (text,)
    return error


@explaining_errors()
class Rollback:
    """A world whose ticks have inputs from several players, some of which arrive late.

    Each tick is run at once, with the input of each player that is known, or the last known one before it. When an input arrives for a
    tick that has been run with another one, the world goes back to that tick and runs again. A tick up to which all inputs are known is
    *confirmed* and never changes again. The world runs at most `frames` ticks ahead of it.

    All changes of the world must be made in `apply` or in functions of `on_tick`, so that they are made again. What these keep outside the
    world must be attached to `world.memory`.

    Args:
        world: The world, which must be the same for all peers.
        frames: Maximum number of ticks to run ahead of the last confirmed one, at least 1.
        players: The players, each a number or a name, in the same order for all peers.
        apply: Called as ``apply(world, inputs)`` before each tick, with a dict from each player to that player's input, which is None
            before the first one.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `frames` is below 1, or if there are no players.

    Example:
        >>> from engine import MassProperties, Rollback, World
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5))
        >>> def steer(world, inputs):
        ...     if inputs["Ada"]:
        ...         ship.apply_force((2.0, 0.0, 0.0))
        >>> rollback = Rollback(world, players=["Ada"], apply=steer)
        >>> rollback.step(), rollback.step()
        (True, True)
        >>> rollback.input(0, "Ada", b"push")  # late
        >>> rollback.input(1, "Ada", b"")
        >>> rollback.settle()
        >>> ship.velocity.tolist(), rollback.confirmed_tick
        ([1.0, 0.0, 0.0], 2)
    """

    def __init__(self, world: World, frames: int = 8, *, players: Iterable[Hashable], apply: Apply) -> None:
        owner = "Rollback"
        if not isinstance(world, World):
            refuse(owner, "world", world, "a World", TypeError)
        if not callable(apply):
            refuse(owner, "apply", apply, "a function of the world and the inputs", TypeError)
        self._world = world
        self._frames = integer(frames, "frames", owner, at_least=1)
        self._players = tuple(members(players, "players", owner, "a list of numbers or names", _is_player))
        if not self._players or len(set(self._players)) != len(self._players):
            refuse(owner, "players", self._players, "at least one player, each named once")
        self._apply = apply
        self._first = world.tick_count
        self._inputs: dict[Hashable, dict[int, object]] = {player: {} for player in self._players}
        self._known: dict[Hashable, int] = dict.fromkeys(self._players, self._first)
        """For each player, the first tick whose input is not known."""
        self._used: dict[int, tuple[object, ...]] = {}
        self._snapshots: dict[int, Snapshot] = {}
        self._hashes: dict[int, int] = {}
        self._hashed = self._first - 1
        self._wrong: int | None = None
        self._reported: dict[int, tuple[int, Snapshot | None]] = {}

    def __repr__(self) -> str:
        return f"<Rollback at tick {self._world.tick_count}, confirmed up to {self.confirmed_tick}>"

    @property
    def confirmed_tick(self) -> int:
        """The tick count up to which the inputs of all players are known, so that the ticks before it will not be simulated again."""
        return min(*self._known.values(), self._world.tick_count)

    def input(self, tick: int, player: Hashable, data: object) -> None:
        """Set the input of a player for the tick that starts at a tick count; it may be late, early, or known already.

        Args:
            tick: The tick count of the world at the start of the tick, at least 0.
            player: One of `players`.
            data: The input, for example bytes; it is compared by ``==`` and must not be changed afterwards.

        Raises:
            TypeError: If `tick` is not an integer, or two inputs cannot be compared by ``==``.
            ValueError: If `tick` is too early to be run again or too far ahead, `player` is unknown, or a different input is already known.

        Example:
            >>> from engine import MassProperties, Rollback, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5))
            >>> def steer(world, inputs):
            ...     ship.apply_force((2.0 * (inputs["Ada"] or 0), 0.0, 0.0))
            >>> rollback = Rollback(world, players=["Ada"], apply=steer)
            >>> rollback.input(0, "Ada", 1)
            >>> rollback.step(), rollback.step()  # the second tick takes the first one's input
            (True, True)
            >>> ship.velocity.tolist()
            [2.0, 0.0, 0.0]
            >>> rollback.input(1, "Ada", 0)  # late, and different: the tick is run again
            >>> rollback.settle()
            >>> ship.velocity.tolist()
            [1.0, 0.0, 0.0]
        """
        owner = "Rollback.input"
        tick = integer(tick, "tick", owner, at_least=0)
        if not _is_player(player) or player not in self._inputs:
            refuse(owner, "player", player, f"one of {list(self._players)}")
        inputs = self._inputs[player]
        known = inputs.get(tick, _NOTHING)
        if known is _NOTHING:
            self._add_input(tick, player, data)
        elif not _equal(known, data):
            refuse(owner, f"data of player {player!r} for tick {tick}", data, f"{known!r}, as it was given before")
        # for an input that was given before as well, because an interrupt may have arrived at this point
        while self._known[player] in inputs:
            self._known[player] += 1

    def _add_input(self, tick: int, player: object, data: object) -> None:
        owner = "Rollback.input"
        if tick < self._known[player]:
            rule = f"at least {self._known[player]}, because the inputs of player {player!r} before it are confirmed"
            refuse(owner, "tick", tick, rule)
        if tick > self._world.tick_count + 1000 * self._frames:
            refuse(owner, "tick", tick, f"at most {self._world.tick_count + 1000 * self._frames}")
        used = self._used.get(tick)
        if used is not None and not _equal(used[self._players.index(player)], data):
            # before the input itself: running a tick again without need does no harm
            self._wrong = tick if self._wrong is None else min(tick, self._wrong)
        self._inputs[player][tick] = data

    def step(self) -> bool:
        """Run one tick, after rerunning the ticks that late inputs have changed.

        Returns:
            Whether the tick was run; False if the world is `frames` ticks ahead of the last confirmed one and has to wait for inputs.

        Raises:
            DesyncError: If the hash that a peer has sent for a confirmed tick differs from the one here.
        """
        self.settle()
        if self._world.tick_count - self.confirmed_tick >= self._frames:
            return False
        self._take()
        return True

    def settle(self) -> None:
        """Rerun the ticks that late inputs have changed.

        Raises:
            DesyncError: If the hash that a peer has sent for a confirmed tick differs from the one here.
        """
        if self._wrong is not None:
            before = self._world.snapshot()
            with self._world._store.ending_with(self._go_back_to, before):
                # all ticks from the first wrong guess on follow from it
                self._world.restore(self._snapshots[self._wrong])
                while self._world.tick_count < before.tick_count:
                    self._take()
                self._wrong = None
        self._confirm()

    def _go_back_to(self, before: Snapshot) -> None:
        """Restore the world before ticks were run again, which remains to be done."""
        if self._wrong is not None:
            self._world.restore(before)

    def hash(self, tick: int) -> int | None:
        """Return the state hash at a confirmed tick, to send to the peers.

        Args:
            tick: The tick count, at least 0.

        Returns:
            The hash, or None if the tick is not confirmed yet or is too old to be remembered.

        Raises:
            TypeError: If `tick` is not an integer.
            ValueError: If `tick` is below 0.
            DesyncError: If the hash that a peer has sent for a confirmed tick differs from the one here.

        Example:
            >>> from engine import MassProperties, Rollback, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5))
            >>> rollback = Rollback(world, players=["Ada"], apply=lambda world, inputs: None)
            >>> rollback.step(), rollback.hash(1)  # the input is not known yet
            (True, None)
            >>> rollback.input(0, "Ada", b"")
            >>> rollback.settle()
            >>> rollback.hash(1) == world.state_hash()
            True
        """
        tick = integer(tick, "tick", "Rollback.hash", at_least=0)
        self.settle()
        return self._hashes.get(tick)

    def snapshot(self, tick: int) -> Snapshot | None:
        """Return the snapshot at one of the last `frames` ticks, to send to a peer as bytes.

        Args:
            tick: The tick count, at least 0.

        Returns:
            The snapshot, or None if there is none for this tick.

        Raises:
            TypeError: If `tick` is not an integer.
            ValueError: If `tick` is below 0.
            DesyncError: If the hash that a peer has sent for a confirmed tick differs from the one here.

        Example:
            >>> from engine import MassProperties, Rollback, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5))
            >>> rollback = Rollback(world, players=["Ada"], apply=lambda world, inputs: None)
            >>> rollback.step()
            True
            >>> rollback.snapshot(1).tick_count, rollback.snapshot(7)
            (1, None)
        """
        tick = integer(tick, "tick", "Rollback.snapshot", at_least=0)
        self.settle()
        return self._world.snapshot() if tick == self._world.tick_count else self._snapshots.get(tick)

    def check(self, tick: int, hash: int, snapshot: Snapshot | None = None) -> None:
        """Compare a hash that a peer has sent, now or as soon as the tick is confirmed here.

        Args:
            tick: The tick count, at least 0.
            hash: The state hash of the peer at that tick.
            snapshot: The peer's snapshot at that tick, with which the error can name what differs.

        Raises:
            TypeError: If `tick` or `hash` is not an integer, or `snapshot` is not a snapshot.
            ValueError: If `tick` or `hash` is below 0.
            DesyncError: If the hash differs from the one here.

        Example:
            >>> from engine import Rollback, World
            >>> peers = [Rollback(World(dt=0.5), players=["Ada"], apply=lambda world, inputs: None) for _ in range(2)]
            >>> for peer in peers:
            ...     peer.input(0, "Ada", b"")
            ...     ran = peer.step()
            >>> peers[0].check(1, peers[1].hash(1))
        """
        tick = integer(tick, "tick", "Rollback.check", at_least=0)
        if snapshot is not None and not isinstance(snapshot, Snapshot):
            refuse("Rollback.check", "snapshot", snapshot, "a Snapshot or None", TypeError)
        hash = integer(hash, "hash", "Rollback.check", at_least=0)
        if tick > self._hashed:
            self._reported[tick] = (hash, snapshot)
            self.settle()
        else:
            self._compare(tick, hash, snapshot)

    def _take(self) -> None:
        world = self._world
        tick = world.tick_count
        inputs = tuple([self._input_at(player, tick) for player in self._players])
        before = self._snapshots[tick] = world.snapshot()
        with world._store.ending_with(world.restore, before):
            self._apply(world, dict(zip(self._players, inputs, strict=True)))
            if world.tick_count != tick:
                raise RuntimeError(
                    "Rollback: apply must not step, advance or coast the world; the tick is run after it"
                )
            world.step()
            self._used[tick] = inputs

    def _input_at(self, player: Hashable, tick: int) -> object:
        """The input for a tick, or the last known one before it."""
        inputs = self._inputs[player]
        # up to the confirmed tick, which is at most `frames` ago, all inputs are known, so that the last one is found within twice as many
        for earlier in range(tick, max(tick - 2 * self._frames - 2, self._first - 1), -1):
            if earlier in inputs:
                return inputs[earlier]
        return None

    def _confirm(self) -> None:
        """Hash what has been confirmed, compare it with what peers have sent, and forget what is no longer needed."""
        confirmed = self.confirmed_tick
        while self._hashed < confirmed:
            tick = self._hashed + 1
            world = self._world
            self._hashes[tick] = (
                world.state_hash() if tick == world.tick_count else state_hash_of(self._snapshots[tick])
            )
            self._hashed = tick
            self._hashes.pop(tick - _HASHES, None)
            oldest = tick - 2 * self._frames
            for kept in (self._used, self._snapshots, *self._inputs.values()):
                kept.pop(oldest, None)  # type: ignore[attr-defined]
            if tick in self._reported:
                self._compare(tick, *self._reported.pop(tick))

    def _compare(self, tick: int, hash: int, snapshot: Snapshot | None) -> None:
        own = self._hashes.get(tick)
        if own is None or own == hash:
            return
        where, mine = "", self.snapshot(tick)
        if snapshot is not None and mine is not None:
            where = first_difference(plain_form(mine), plain_form(snapshot))
        raise DesyncError(tick, own, hash, where)


def _equal(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if one is other or type(one) is not type(other):
        return one is other
    try:
        return bool(one == other)
    except (TypeError, ValueError):  # such as a list of arrays
        refuse("Rollback.input", "data", other, "data whose comparison with == gives True or False", TypeError)


def _is_player(value: object) -> bool:
    return isinstance(value, str | bytes | int)
