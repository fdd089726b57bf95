"""The settings of a world, in one table: how each is checked, kept in files and hashed, and what a file without it means.

A new setting is a line of `SETTINGS` and a property of `World` that reads `settings["name"]` and assigns with `settings.set`. Snapshots and
their bytes, copies, scenes and the state hash read this table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from ..checks import boolean, bounded_ratio, count_of_ticks, option, real
from ..clock import Clock
from ..compilation.choice import COMPILATION_MODES
from ..integrators import FreeRotor, Integrator
from ..integrators.named import method_of
from ..plain import Plain, PlainObject
from ..store.store import Store
from .encoding import decoded_method, encoded_method

Values = Mapping[str, Any]
"""The values of settings by name, which are replaced and never changed, so that snapshots may share them."""


class Absent(Enum):
    """What bytes of a snapshot mean if they do not contain a setting."""

    REJECTED = "they are damaged, because every version has written it"
    DEFAULT = "the default, because worlds had no other value when they were written"
    KEPT = "the world that is restored keeps its own value"


class Setting(NamedTuple):
    """How one setting is checked, kept and hashed."""

    default: Any
    check: Callable[[Any, str, str], Any]
    """Called as ``check(value, name, owner)``; returns the value to keep, or raises an error that names both."""
    to_plain: Callable[[Any, str], Any] = lambda value, owner: value
    """Called as ``to_plain(value, owner)``; returns the value as plain data for files."""
    from_plain: Callable[[Plain], Any] | None = None
    """Reads what `to_plain` has written; None if `check` accepts it."""
    absent: Absent = Absent.KEPT
    is_hashed: bool = True
    """Whether the future depends on it. At its default it adds nothing to the state hash, so that hashes outlive new settings."""
    is_content: bool = True
    """Whether it is kept with a world; if not, it belongs to the program that runs the world, as the number of threads does."""
    of_clock: str = ""
    """The attribute of the clock that holds it; snapshots then have it in their part of the clock."""
    is_always_in_scene: bool = True
    """Whether a scene contains it even at its default."""

    def read(self, plain: Plain) -> Any:
        """The value in a file.

        Raises:
            ValueError: If the value breaks the rule.
        """
        if self.from_plain is not None:
            return self.from_plain(plain)
        try:
            return self.check(plain.value, plain.path, plain.owner)
        except TypeError as error:
            raise ValueError(str(error)) from None


def _method(value: object, name: str, owner: str) -> Integrator:
    return method_of(value, owner, name)


def _positive_ratio(value: object, name: str, owner: str) -> object:
    real(bounded_ratio(value, name, owner), name, owner, at_least=0.0)
    return value


def ratio_to_plain(value: float | Fraction, owner: str = "") -> str | float:
    """A float as it is, and a fraction as text."""
    return str(value) if isinstance(value, Fraction) else float(value)


SETTINGS: dict[str, Setting] = {
    "integrator": Setting(FreeRotor(), _method, encoded_method, decoded_method, Absent.REJECTED),
    "game_mode": Setting(False, boolean, absent=Absent.REJECTED),
    "max_ticks_per_frame": Setting(8, count_of_ticks, is_hashed=False, of_clock="max_ticks_per_frame"),
    "time_scale": Setting(
        1.0, _positive_ratio, ratio_to_plain, Plain.ratio, is_hashed=False, of_clock="exact_time_scale"
    ),
    "paused": Setting(False, boolean, absent=Absent.REJECTED, is_hashed=False),
    "coasting": Setting(False, boolean, absent=Absent.DEFAULT, is_hashed=False),
    "on_non_finite": Setting("raise", partial(option, options=("raise", "freeze")), is_always_in_scene=False),
    "compilation": Setting("auto", partial(option, options=COMPILATION_MODES), is_content=False),
}
"""The settings by name, in the order in which scenes list them."""

_HEAD = ("integrator", "game_mode")
"""The settings in the first part of the state hash, which has contained them from the first version on, whatever their values."""


def _content(with_clock: bool = True) -> list[tuple[str, Setting]]:
    """The settings that are content of a world, with those that its clock holds or without them."""
    kept = [(name, setting) for name, setting in SETTINGS.items() if setting.is_content]
    return [(name, setting) for name, setting in kept if with_clock or not setting.of_clock]


class Settings:
    """The settings of one world.

    Attributes:
        values: The values that are content and not the clock's.
        beside: The values that are no content, such as how the program runs the world.
    """

    __slots__ = ("_clock", "_effects", "_is_settled", "_store", "beside", "values")

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._effects: list[tuple[frozenset[str], Callable[[], None]]] = []
        self._is_settled = True
        self.values: Values = {name: setting.default for name, setting in _content(with_clock=False)}
        self.beside: Values = {name: setting.default for name, setting in SETTINGS.items() if not setting.is_content}

    def __getitem__(self, name: str) -> Any:
        setting = SETTINGS[name]
        if setting.of_clock:
            return getattr(self._clock, setting.of_clock)
        return self.values[name] if setting.is_content else self.beside[name]

    def follow(self, names: Iterable[str], effect: Callable[[], None]) -> None:
        """Call a function whenever one of these settings has changed."""
        self._effects.append((frozenset(names), effect))

    def set(self, name: str, value: object) -> None:
        """Check and assign a setting; the change is undone with a tick that fails.

        Raises:
            TypeError: If the value has the wrong type.
            ValueError: If the value breaks the rule of the setting.
        """
        setting = SETTINGS[name]
        checked = setting.check(value, name, "World")
        if name in self.values:
            check_together({**self.values, name: checked})
        with self._store.all_or_nothing():
            self._store.before_change()
            if setting.of_clock:
                # as it was given, from which the clock computes without rounding
                self._store.record(setattr, self._clock, name, self[name])
                setattr(self._clock, name, checked)
            else:
                self._store.record(self.put, self.values, self.beside)
                if setting.is_content:
                    self.put({**self.values, name: checked})
                else:
                    self.put(self.values, {**self.beside, name: checked})

    def put(self, values: Values, beside: Values | None = None) -> None:
        """Have these values, also those of a snapshot; no inverse is recorded. Doing this again after an interrupt does no harm.

        Args:
            values: The values that are content and not the clock's.
            beside: The values that are no content; None to keep them.
        """
        beside = self.beside if beside is None else beside
        if values is self.values and beside is self.beside and self._is_settled:
            return
        before, now, was_settled = {**self.values, **self.beside}, {**values, **beside}, self._is_settled
        self._is_settled, self.values, self.beside = False, values, beside
        for names, effect in self._effects:
            # by identity: values are replaced and never changed, and a method of a user may compare as it likes
            if not was_settled or any(before[name] is not now[name] for name in names):
                effect()
        self._is_settled = True


def check_together(values: Values) -> None:
    """Reject a method that cannot drop the gyroscopic term in a world that does.

    Raises:
        ValueError: If these settings exclude each other.
    """
    values["integrator"]._check_game_mode(values["game_mode"])


def digest_of_settings(count: int, tick: int, values: Values) -> Iterator[bytes]:
    """The first parts of the state hash of a world: the number of bodies, the tick count and the settings."""
    yield f"{count} {tick} {' '.join(repr(values[name]) for name in _HEAD)}".encode()
    for name, setting in _content():
        if setting.is_hashed and name not in _HEAD and values[name] != setting.default:
            yield f"{name} {setting.to_plain(values[name], 'World')}".encode()


def to_header(values: Values, owner: str) -> PlainObject:
    """The settings as plain data for the bytes of a snapshot, without those of the clock.

    Raises:
        ValueError: If a setting cannot be written.
    """
    return {name: setting.to_plain(values[name], owner) for name, setting in _content(with_clock=False)}


def from_header(header: Plain) -> dict[str, Any]:
    """The settings that bytes contain or imply; one is left out where the world keeps its own.

    Raises:
        ValueError: If a setting is missing or breaks its rule.
    """
    found = {}
    for name, setting in _content(with_clock=False):
        if name in header or setting.absent is Absent.REJECTED:
            found[name] = setting.read(header[name])
        elif setting.absent is Absent.DEFAULT:
            found[name] = setting.default
    return found


def names_in_scenes() -> list[str]:
    """The keys of a scene that are settings."""
    return [name for name, _setting in _content()]


def to_scene(settings: Settings, owner: str) -> PlainObject:
    """The settings as plain data for a scene."""
    return {
        name: setting.to_plain(settings[name], owner)
        for name, setting in _content()
        if setting.is_always_in_scene or settings[name] != setting.default
    }
