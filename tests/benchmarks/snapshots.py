"""What going back costs: snapshots, restoring, a rollback and a prediction, beside the same work in MuJoCo and pybullet."""

import functools
import statistics
from collections.abc import Callable, Iterator

from .measure import Contestant, Effort, Figure, each_call, figures, rounds
from .own import Own
from .peers import entries
from .peers.peer import Saving
from .scenes import ships

TABLE = "snapshots"

INTEGRATOR = "free-rotor-2"
COUNTS = (1, 100, 10_000)
FRAMES, ROLLED_BACK = 8, 100
"""Ticks, and ships."""
PREDICTED = 600


def measured(effort: Effort) -> list[Figure]:
    """Ships under gravity with a thruster each."""
    found = []
    for count in COUNTS:
        label = f"{count:,} ships".replace(",", " ") if count > 1 else "1 ship"
        found += _snapshots(f"snapshot, {label}", count, effort)
        found += _timed(f"restore, {label}", count, _back_and_forth, effort, share=2.0)
    found += _timed(f"rollback of {FRAMES} ticks, {ROLLED_BACK} ships", ROLLED_BACK, _rollback, effort)
    return found + _timed(f"prediction of {PREDICTED} ticks, 1 ship", 1, _prediction, effort)


def _engines(count: int) -> Iterator[tuple[str, Saving]]:
    """This engine and those that are installed, can save their state and hold so many bodies."""
    bodies = ships(count)
    yield "Polhode", Own(bodies, INTEGRATOR)
    for entry in entries():
        if count <= entry.most_bodies and isinstance(peer := entry.make(bodies), Saving):
            yield entry.name, peer


def _snapshots(row: str, count: int, effort: Effort) -> list[Figure]:
    """What a snapshot adds to a tick: without one in between, a second snapshot could share what the first one holds."""
    found = []
    for name, engine in _engines(count):
        contestants = [
            Contestant("", "", each_call(call)) for call in (engine.tick, functools.partial(_save_and_tick, engine))
        ]
        plain, saving = rounds(contestants, effort)
        added = [1e6 * (time - tick) for time, tick in zip(saving, plain, strict=True)]
        found.append(Figure(TABLE, row, name, "µs", statistics.median(added), min(added)))
        engine.close()
    return found


def _timed(
    row: str, count: int, work: Callable[[Saving], Callable[[], object]], effort: Effort, share: float = 1.0
) -> list[Figure]:
    """The time of some work in each engine."""
    engines = list(_engines(count))
    contestants = [Contestant(row, name, each_call(work(engine)), share=share) for name, engine in engines]
    found = figures(TABLE, "µs", contestants, effort)
    for _name, engine in engines:
        engine.close()
    return found


def _save_and_tick(engine: Saving) -> None:
    engine.forget(engine.saved())
    engine.tick()


def _back_and_forth(engine: Saving) -> Callable[[], object]:
    """Two restores, each to another state than the current one."""
    before = engine.saved()
    engine.tick()
    after = engine.saved()

    def go() -> None:
        engine.restore(before)
        engine.restore(after)

    return go


def _rollback(engine: Saving) -> Callable[[], object]:
    """Ticks that run again from a state before them, each with a new snapshot."""
    start = engine.saved()

    def roll_back() -> None:
        engine.restore(start)
        for _tick in range(FRAMES):
            engine.tick()
            engine.forget(engine.saved())

    return roll_back


def _prediction(engine: Saving) -> Callable[[], object]:
    """Poses after each of many ticks, after which the engine is as before."""
    return functools.partial(engine.predicted, PREDICTED)
