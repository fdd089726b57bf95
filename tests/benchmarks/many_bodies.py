"""The cost per body among many, in one call of many ticks: every method, the limits, the peers, and a second thread."""

import functools
from dataclasses import replace

from engine import integrators

from . import limits
from .measure import Contestant, Effort, Figure, figures, ratio, rounds
from .peers import entries
from .scenes import put_back, ships, world_of

TABLE, THREADS = "many bodies", "threads"

COUNTS = (1, 10, 100, 1000, 10_000, 100_000, 1_000_000)
CHEAP = ("rk4", "rk4-body-rates", "semi-implicit-euler", "implicit-gyro-euler", "free-rotor-2")
"""The methods that fly a million."""
THREADED = ("rk4", "free-rotor-2")


def measured(effort: Effort) -> list[Figure]:
    """Ships under gravity with a thruster each, and the throughput of two threads."""
    counts = [count for count in COUNTS if count <= effort.most_bodies]
    found = [figure for count in counts for figure in _at(count, effort)]
    return found + _threads(min(effort.most_bodies, 100_000), effort)


def _at(count: int, effort: Effort) -> list[Figure]:
    bodies, column = ships(count), f"{count:,}".replace(",", " ")
    world = world_of(bodies, "rk4")  # one for all methods: a million bodies fill half a gigabyte

    def take_over(integrator: str) -> None:
        world.integrator = integrator
        put_back(world, bodies)
        world.step()

    names = CHEAP if count > 100_000 else tuple(integrators.by_name)
    contestants = [Contestant(name, column, world.step, functools.partial(take_over, name), count) for name in names]
    contestants += limits.contestants(bodies, column)
    chosen = [entry for entry in entries() if count <= entry.most_bodies]
    peers = [(entry.name, entry.make(bodies)) for entry in chosen]
    contestants += [Contestant(name, column, peer.run, functools.partial(peer.run, 1), count) for name, peer in peers]
    try:
        return figures(TABLE, "ns", contestants, effort)
    finally:
        for _, peer in peers:
            peer.close()


def _threads(count: int, effort: Effort) -> list[Figure]:
    """How many times as fast two threads are as one; nothing where worlds have one thread only."""
    bodies = replace(
        ships(count), thrust=0.0
    )  # a wrench costs the same whatever it holds, and thrusters take long to add
    found = []
    try:
        worlds = [(name, [world_of(bodies, name, threads=threads) for threads in (1, 2)]) for name in THREADED]
    except TypeError:
        return []
    for name, pair in worlds:
        prepare = [functools.partial(put_back, world, bodies) for world in pair]
        one, two = rounds([Contestant(name, "", w.step, p) for w, p in zip(pair, prepare, strict=True)], effort)
        found.append(ratio(THREADS, name, f"{count} bodies", one, two))
    return found
