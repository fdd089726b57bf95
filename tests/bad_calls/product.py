"""Makes every call with every value, and judges each."""

import contextlib
import os
import re
import signal
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from numbers import Number, Real
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from engine import DesyncError

from .kinds import ANYTHING, Kind
from .scene import found, scene
from .table import LEFT_OUT, ROWS, Row
from .values import COMPONENTS, REJECTED, VALUES, TooLong, Value

PATIENCE = 60.0
"""The processor time [s] within which a call must end; it may have to compile kernels."""


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
        return [
            (world.state_hash(), world.tick_count, world.alpha, repr(world.memory), len(world.bodies))
            for world in worlds
        ] + [
            [
                len(world.forces),
                len(world.parts),
                len(world.joints),
                world.time_scale,
                world.paused,
                repr(world.integrator),
            ]
            for world in worlds
        ]

    # one call

    def _call(self, row: Row, argument: str, value: Any) -> Outcome:
        expectation = row.arguments[argument]
        made = self.scene
        target = row.target(made)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            signal.setitimer(signal.ITIMER_PROF, PATIENCE)
            try:
                if row.is_setter:
                    result = setattr(target, argument, value)
                else:
                    given = (
                        {name: other.valid for name, other in row.arguments.items()}
                        | expectation.others
                        | {argument: value}
                    )
                    result = target(
                        **{name: found(other, made) for name, other in given.items() if other is not LEFT_OUT}
                    )
            except BaseException as error:
                signal.setitimer(signal.ITIMER_PROF, 0.0)
                return Outcome(error, None)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0.0)
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
            self._put_back(name)
        return verdict

    def _verdict(
        self, name: str, row: Row, argument: str, kind: Kind, value: Value, meaning: Any, hostile: Any, outcome: Outcome
    ) -> Verdict:
        permitted = kind.permits(meaning)
        if outcome.error is not None:
            if isinstance(outcome.error, TooLong):
                return Verdict("crash", "does not end")
            if not isinstance(outcome.error, (TypeError, ValueError, *kind.errors)):
                return Verdict("crash", f"raises {outcome.error!r}")
            if permitted and not kind.may_reject and ordinary(meaning):
                return Verdict("silent", f"is rejected although it is valid: {outcome.error}")
            again = value.make(np.array(kind.sample, np.float64))
            missing = unnamed(outcome.error, name, row, argument, forms(hostile, meaning, again), self.scene)
            return Verdict("words", f"does not name {missing}: {outcome.error}") if missing else FINE
        if value.name in kind.also or (meaning == [] and "empty" in kind.also):
            return FINE
        if not permitted:
            return Verdict("silent", f"is accepted: {str(outcome.seen[0])[:200]}")
        if row.changes:
            self._put_back(name)
        plain = self._call(row, argument, meaning)
        if plain.error is not None:
            return Verdict("silent", f"is accepted, but {str(meaning)[:80]} is not: {plain.error}")
        if plain.seen != outcome.seen:
            return Verdict(
                "silent", f"gives {str(outcome.seen)[:200]}, but {str(meaning)[:80]} gives {str(plain.seen)[:200]}"
            )
        return FINE

    def _put_back(self, name: str) -> None:
        if name.startswith(("Rewind.", "Rollback.", "Clock.")):
            return self._renew()
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
        verdicts = [(value, self.judge(name, row, argument, value)) for value in values]
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
    try:
        numbers = np.abs(np.array(meaning, np.float64))
    except OverflowError:
        return False
    return bool(((numbers == 0.0) | ((numbers > 1e-3) & (numbers < 1e3))).all())


def _spoil(value: Any) -> None:
    """Overwrite an array that was passed."""
    if isinstance(value, np.ndarray) and value.ndim and value.flags.writeable and value.dtype.kind in "fi":
        value[...] = 77


def image(thing: Any, depth: int = 1) -> Any:
    """What can be read of a result, comparable by ``==``."""
    if isinstance(thing, np.ndarray):
        return ("array", thing.shape, repr(thing.tolist()))
    if isinstance(thing, tuple | list):
        return [image(item, depth) for item in thing]
    if isinstance(thing, float) and thing != thing:
        return "nan"
    if thing is None or isinstance(thing, Number | str | bytes | np.generic):
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


def unnamed(error: BaseException, name: str, row: Row, argument: str, shown: set[str], made: SimpleNamespace) -> str:
    """What the text of an error does not name; empty if it names owner, argument, value and rule.

    Where several arguments contradict each other, the text may name another one of them.
    """
    text = str(error)
    if isinstance(
        error, OSError | KeyError | AttributeError | DesyncError
    ):  # these name the path, the key or the attribute
        return (
            "" if argument in text or isinstance(error, DesyncError) or any(each in text for each in shown) else "value"
        )
    if "unexpected keyword argument" in text or "missing" in text:
        return ""
    owners = {row.owner, *name.split("."), ".".join(name.split(".")[-2:])} - {"", "engine"}
    missing = [] if any(word in text for word in owners) else ["owner"]
    others = {other: each.valid for other, each in row.arguments.items() if row.arguments[argument].kind.may_reject}
    named = {
        argument: shown,
        **{other: forms(found(valid, made), None, None) for other, valid in others.items() if other != argument},
    }
    about = [each for each in named if re.search(rf"(?<![a-z_]){re.escape(each)}(?![a-z_])", text)]
    if not about:
        missing.append("argument")
    if not any(each in text for key in about or [argument] for each in named[key]):
        missing.append("value")
    if not re.search(r"\b(must|cannot|may not|has to|is|are|was|would|does not|needs?|no|None)\b", text):
        missing.append("rule")
    return ", ".join(missing)


def forms(value: Any, meaning: Any, again: Any) -> set[str]:
    """Forms in which a text may show a value: as it is, as an array or list, one of its elements, or its class if it cannot be read."""
    found: set[str] = set()
    things = [value, *_elements(value), *_elements(again)]
    if meaning is not None and meaning is not REJECTED:
        numbers = np.array(meaning, np.float64) if _is_finite(meaning) else np.array(0.0)
        things += [meaning, [meaning], numbers, np.atleast_1d(numbers), np.atleast_2d(numbers), numbers.tolist()]
        things += [numbers.shape, *_elements(numbers), *_elements(numbers.tolist())]
    for each in (value, again):  # a text may show the number of rows or the shape in place of the content
        with contextlib.suppress(Exception):
            found.add(f": {1 if isinstance(each, str) else len(each)}")
        if isinstance(each, np.ndarray):
            found.add(f"shape {each.shape}")
    for thing in things:
        found |= {f"a {type(thing).__name__} whose repr", f"a {type(thing).__name__}, but reading it raised"}
        with contextlib.suppress(LookupError):
            found.add(repr(thing)[:40])
        if isinstance(thing, Real):
            with contextlib.suppress(LookupError, OverflowError):
                found |= {repr(float(thing))[:40], repr([float(thing)])}
    return {each for each in found if each}


def _is_finite(meaning: Any) -> bool:
    try:
        return np.array(meaning, np.float64).size > 0
    except (OverflowError, ValueError):
        return False


def _elements(value: Any, depth: int = 3) -> list[Any]:
    """Some of the elements of a value, at all levels."""
    if isinstance(value, str) or value is None:
        return []
    try:
        inner = [thing for _, thing in zip(range(16), value, strict=False)]
    except Exception:
        return []
    below = [thing for each in inner if depth for thing in _elements(each, depth - 1)]
    return [list(inner), *inner, *below]


def run(
    choose: Callable[[str, str, list[Value]], list[Value]] = lambda name, argument, values: values,
) -> tuple[Counter[str], list[str]]:
    """Make all calls, or those chosen, and return their counts by fault, and what is wrong with each."""
    previous = signal.signal(signal.SIGPROF, stop)
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
        signal.signal(signal.SIGPROF, previous)
        product.close()
    return counts, wrong


def is_acceptable(counts: Counter[str]) -> bool:
    """Whether no call was silent, crashed or changed anything, and at most one in a thousand has incomplete words."""
    faults = counts["silent"] + counts["crash"] + counts["change"]
    return faults == 0 and counts["words"] <= 0.001 * counts.total()


def report(counts: Counter[str]) -> str:
    """The number of calls and the shares, as text."""
    calls = counts.total()
    share = 100.0 * (calls - counts["words"]) / max(calls, 1)
    return (
        f"{calls} bad calls: {counts['silent']} silent, {counts['crash']} crash, {counts['change']} change; "
        f"{share:.2f} % name owner, argument, value and rule"
    )
