"""Makes every call with every value, and judges each."""

import os
import re
import signal
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from engine import forces

from .kinds import ANYTHING, Kind
from .scene import found, scene
from .table import LEFT_OUT, ROWS, Row
from .values import COMPONENTS, REJECTED, VALUES, TooLong, Value

PATIENCE = 5.0
"""The time [s] within which a call must end."""


VERBOSE = os.environ.get("V")
class Verdict(NamedTuple):
    """What is wrong with a call; "" if nothing is."""

    fault: str
    """"silent", "crash", "change", "words", or "" if nothing is wrong."""
    text: str


FINE = Verdict("", "")


@dataclass
class Outcome:
    """What came of a call."""

    error: BaseException | None
    seen: Any
    """What can be read afterwards, comparable by ``==``."""


def stop(*_: object) -> None:
    """Called by the alarm."""
    raise TooLong


class Product:
    """The calls of some rows, in worlds that are put back after each."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._before = os.getcwd()
        os.chdir(self._folder.name)  # text is a path
        self._renew()

    def close(self) -> None:
        """Delete the files."""
        os.chdir(self._before)
        self._folder.cleanup()

    def _renew(self) -> None:
        self.scene = scene(Path(self._folder.name))
        self.hash = self._hash()

    def _hash(self) -> Any:
        made = self.scene
        worlds = (made.world, made.jointed, made.rolled)
        return [(world.state_hash(), world.tick_count, world.alpha, repr(world.memory), len(world.bodies)) for world in worlds] + [
            [len(world.forces), len(world.parts), len(world.joints), world.time_scale, world.paused, repr(world.integrator)]
            for world in worlds
        ]

    # one call

    def _call(self, row: Row, argument: str, value: Any) -> Outcome:
        expectation = row.arguments[argument]
        made = self.scene
        target = row.target(made)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)
            try:
                if row.is_setter:
                    result = setattr(target, argument, value)
                else:
                    given = {name: other.valid for name, other in row.arguments.items()} | expectation.others | {argument: value}
                    result = target(**{name: found(other, made) for name, other in given.items() if other is not LEFT_OUT})
            except BaseException as error:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                return Outcome(error, None)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
        _spoil(value)
        seen = image(getattr(target, argument) if row.is_setter else result)
        return Outcome(None, (seen, self._hash() if row.changes else None))

    def judge(self, name: str, row: Row, argument: str, value: Value) -> Verdict:
        """Make one call with a hostile value and say what is wrong with what came of it."""
        kind = row.arguments[argument].kind
        assert kind is not ANYTHING
        sample = np.array(kind.sample, np.float64)
        meaning = value.meaning(sample)
        hostile = value.make(sample)
        outcome = self._call(row, argument, hostile)
        verdict = self._verdict(name, row, argument, kind, value, meaning, hostile, outcome)
        if outcome.error is None and row.changes:
            self._put_back()
        return verdict

    def _verdict(
        self, name: str, row: Row, argument: str, kind: Kind, value: Value, meaning: Any, hostile: Any, outcome: Outcome
    ) -> Verdict:
        permitted = kind.permits(meaning)
        if outcome.error is not None:
            if isinstance(outcome.error, TooLong):
                return Verdict("crash", f"does not end")
            if not isinstance(outcome.error, (TypeError, ValueError, *kind.errors)):
                return Verdict("crash", f"raises {outcome.error!r}")
            if permitted and not kind.may_reject and ordinary(meaning):
                return Verdict("silent", f"is rejected although it is valid: {outcome.error}")
            missing = unnamed(outcome.error, name, row.owner, argument, hostile, meaning)
            return Verdict("words", f"does not name {missing}: {outcome.error}") if missing else FINE
        if value.name in kind.also or (value.name == "None" and "None" in kind.also):
            return FINE
        if not permitted:
            return Verdict("silent", f"is accepted: {str(outcome.seen[0])[:200]}")
        if row.changes:
            self._put_back()
        plain = self._call(row, argument, meaning)
        if plain.error is not None:
            return Verdict("silent", f"is accepted, but {str(meaning)[:80]} is not: {plain.error}")
        if plain.seen != outcome.seen:
            return Verdict("silent", f"gives {str(outcome.seen)[:200]}, but {str(meaning)[:80]} gives {str(plain.seen)[:200]}")
        return FINE

    def _put_back(self) -> None:
        try:
            self.scene.world.restore(self.scene.snapshot)
        except Exception:
            return self._renew()
        if self._hash() != self.hash:
            self._renew()
        return None

    def row(self, name: str, argument: str, values: Iterable[Value]) -> Iterator[tuple[Value, Verdict]]:
        """Judge the calls of one argument; a rejected call that changes anything is found by repeating them one by one."""
        row, values = ROWS[name], list(values)
        verdicts = []
        for value in values:
            if VERBOSE: print(name, argument, value.name, flush=True)
            verdicts.append((value, self.judge(name, row, argument, value)))
        if self._hash() == self.hash:
            yield from verdicts
            return
        for value, verdict in verdicts:
            self._renew()
            again = self.judge(name, row, argument, value)
            yield value, Verdict("change", f"changes the world: {verdict.text}") if self._hash() != self.hash else again
        self._renew()


def values_for(kind: Kind) -> list[Value]:
    """The values that are tried for a kind of argument."""
    return VALUES + (COMPONENTS if np.ndim(kind.sample) else [])


def ordinary(meaning: Any) -> bool:
    """Whether numbers are of an ordinary size, so that no result overflows or vanishes."""
    numbers = np.abs(np.array(meaning, np.float64))
    return bool(((numbers == 0.0) | ((numbers > 1e-3) & (numbers < 1e3))).all())


def _spoil(value: Any) -> None:
    """Overwrite an array that was passed."""
    if isinstance(value, np.ndarray) and value.ndim and value.flags.writeable and value.dtype.kind in "fi":
        value[...] = 77


def image(thing: Any, depth: int = 2) -> Any:
    """What can be read of a result, comparable by ``==``."""
    if isinstance(thing, np.ndarray):
        return ("array", thing.shape, thing.tolist())
    if isinstance(thing, tuple | list):
        return [image(item, depth) for item in thing]
    if thing is None or isinstance(thing, bool | int | float | str | bytes | np.generic):
        return thing
    if isinstance(thing, dict):
        return {str(key): image(item, depth) for key, item in thing.items()}
    if depth == 0 or callable(thing):
        return type(thing).__name__
    found = {}
    for name in dir(type(thing)):
        if name.startswith("_") or name in ("world", "user_data", "record"):
            continue
        try:
            value = getattr(thing, name)
        except Exception as error:
            value = type(error).__name__
        if not callable(value):
            found[name] = image(value, depth - 1)
    return found


def unnamed(error: BaseException, name: str, owner: str, argument: str, value: Any, meaning: Any) -> str:
    """What the text of an error does not name; empty if it names owner, argument, value and rule."""
    if "unexpected keyword argument" in str(error) or "missing" in str(error):
        return ""
    text = str(error)
    owners = {owner, *name.split("."), ".".join(name.split(".")[-2:])} - {"", "engine"}
    missing = []
    if not any(word in text for word in owners):
        missing.append("owner")
    if not re.search(rf"(?<![a-z]){re.escape(argument)}(?![a-z])", text):
        missing.append("argument")
    if not any(shown in text for shown in (*_shown(value), *_shown_meaning(meaning))):
        missing.append("value")
    if not re.search(r"\b(must|cannot|may not|has to|is not|are not|was|does not|would|no)\b", text):
        missing.append("rule")
    return ", ".join(missing)


def _shown(value: Any, depth: int = 2) -> Iterator[str]:
    """Forms in which a text may show a value: as it is, as an array or list, or one of its elements."""
    try:
        yield repr(value)[:40]
    except Exception:
        pass
    yield type(value).__name__
    if "reading" in repr(type(value)) or type(value).__name__.startswith(("No", "Unreadable", "Endless")):
        yield "no reading today"
    if isinstance(value, np.ndarray):
        yield repr(np.asarray(value))[:40]
        yield repr(value.tolist())[:40]
    if depth and isinstance(value, list | tuple | np.ndarray | set | dict | range) and np.ndim(np.empty(0) if not isinstance(value, np.ndarray) else value):
        for element in value:
            yield from _shown(element, depth - 1)
    elif isinstance(value, np.generic | int | float):
        try:
            yield repr(float(value))[:40]
        except (OverflowError, LookupError, TypeError):
            pass


def _shown_meaning(meaning: Any) -> Iterator[str]:
    if meaning is not REJECTED:
        try:
            yield repr(np.array(meaning, np.float64))[:40]
        except (OverflowError, ValueError):
            return


def run(choose: Callable[[str, str, list[Value]], list[Value]] = lambda name, argument, values: values) -> tuple[Counter[str], list[str]]:
    """Make all calls, or those chosen, and return their counts by fault, and what is wrong with each."""
    previous = signal.signal(signal.SIGALRM, stop)
    product = Product()
    counts: Counter[str] = Counter()
    wrong = []
    try:
        for name, row in ROWS.items():
            for argument, expectation in row.arguments.items():
                if expectation.kind is ANYTHING:
                    continue
                values = choose(name, argument, values_for(expectation.kind))
                for value, verdict in product.row(name, argument, values):
                    counts[verdict.fault] += 1
                    if verdict.fault:
                        wrong.append(f"{verdict.fault}: {name}({argument}) {value.name} {verdict.text}")
    finally:
        signal.signal(signal.SIGALRM, previous)
        product.close()
    return counts, wrong
