"""What a built-in force is: the hooks by which a world feeds it without a Python call in the tick."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from ..checks import FloatArray, refuse
from ..columns import Columns
from ..kernels import fields
from ..kernels.held_wrenches import ENTRY_COLUMN, ENTRY_FACTOR, ENTRY_LENGTH, ENTRY_WRENCH, add_entries
from .wrench import BodyHandle, BodyStates, Wrench, is_body


class Force(ABC):
    """A force that a world can be given.

    A class of your own needs no base: an `apply(wrench, bodies, time)` is enough, or a plain function of these arguments. The class
    attribute `evaluate` says when it is called, "stage" where there is none.
    """

    evaluate: Literal["tick", "stage"]
    """"tick": once at the start of a tick, then held; "stage": at each stage of the integrator."""
    depends_on_rates: bool = True
    """Whether a force evaluated at each stage depends on velocity or angular velocity. Methods that kick at one pose then evaluate it
    more often, to keep their order. Where a force does not say, it counts as one that does."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        """The built-in forces are final: compiled loops know them, and what a class made from one changed would never be asked."""
        super().__init_subclass__(**keywords)
        for base in cls.__bases__:
            if issubclass(base, Force) and base.__module__ != Force.__module__:
                raise TypeError(
                    f"{cls.__name__}: {base.__name__} cannot be subclassed; write a class of your own with "
                    "apply(wrench, bodies, time), which may hold one and call its apply"
                )

    __slots__ = ()  # in every force: a misspelt `thruster.throtle = 1` raises

    def __setattr__(self, name: str, value: Any) -> None:
        # What a force was made with has gone into compiled tables: set anew, it would do nothing, in silence.
        if name in _all_slots(type(self)) and not name.startswith("_") and hasattr(self, name):
            raise AttributeError(f"{self!r}: {name} cannot be changed; remove the force and add another")
        super().__setattr__(name, value)

    @abstractmethod
    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        """Add to the wrench what this force does to bodies in these states at this time [s]."""

    def named_bodies(self) -> tuple[BodyHandle, ...]:
        """The bodies without which this force has no meaning; it is removed with any of them."""
        return ()

    def forget(self, body: BodyHandle) -> bool:
        """Leave out a body that is being removed; return whether anything is left to act on."""
        return all(named is not body for named in self.named_bodies())

    def pulls(self) -> FloatArray | None:
        """Rows of the table of pulls (see `kernels.points.add_pulls`), shape (k, 11), where that is all the force is; else None."""
        return None

    def memory(self) -> bytes:
        """What the force itself remembers from tick to tick, for `World.state_hash`."""
        return b""

    def saved(self) -> Any:
        """What may have to be put back when a tick fails, for `restore`."""
        return None

    def restore(self, saved: Any) -> None:  # noqa: B027 (most forces have nothing to put back)
        """Back to what `saved` gave."""


@cache
def _all_slots(kind: type) -> frozenset[str]:
    return frozenset(name for base in kind.__mro__ for name in getattr(base, "__slots__", ()))


class Owner(Protocol):
    """The force set that holds a force, as the force sees it."""

    def before_change(self) -> None: ...
    def throttles_changed(self) -> None: ...


class HeldForce(Force):
    """A force whose wrench on its body is constant but for a factor: rows of a compiled table (see `kernels.held_wrenches`)."""

    __slots__ = ("_factors", "_owner", "body")

    evaluate: Literal["tick", "stage"] = "tick"

    def __init__(self, body: BodyHandle, factors: FloatArray) -> None:
        self.body = body
        self._factors = factors
        """One factor an entry; a view into the table of the force set while there is one."""
        self._owner: Owner | None = None

    @abstractmethod
    def wrenches(self) -> FloatArray:
        """The wrench of each entry at factor one, shape (k, 12)."""

    def entries(self) -> FloatArray:
        """Rows for the table, shape (k, 14)."""
        entries = np.empty((len(self._factors), ENTRY_LENGTH))
        entries[:, ENTRY_COLUMN] = self.body.index
        entries[:, ENTRY_FACTOR] = self._factors
        entries[:, ENTRY_WRENCH:] = self.wrenches()
        return entries

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        add_entries(bodies.states, wrench.first_row, self.entries(), len(self._factors))

    def named_bodies(self) -> tuple[BodyHandle, ...]:
        return (self.body,)

    def memory(self) -> bytes:
        return bytes((self._factors + 0.0).astype("<f8").tobytes())

    def saved(self) -> FloatArray:
        return self._factors.copy()

    def restore(self, saved: FloatArray) -> None:
        self._factors = saved

    def _set_factors(self, values: float | FloatArray) -> None:
        if self._owner is None:
            self._factors[:] = values
            return
        self._owner.before_change()
        self._factors[:] = values
        self._owner.throttles_changed()


class FieldForce(Force):
    """A force that is a compiled function of a body's own state (see `kernels.fields`), on all bodies or on those named."""

    __slots__ = ("_bodies", "_parameters", "_shares", "_shares_key")

    evaluate: Literal["tick", "stage"] = "stage"
    field: ClassVar[Callable[..., Any]]

    def __init__(self, parameters: Sequence[float], bodies: Iterable[BodyHandle] | None) -> None:
        self._parameters = np.zeros((1, fields.PARAMETER_COUNT))
        self._parameters[0, : len(parameters)] = parameters
        self._bodies = None if bodies is None else _body_tuple(bodies, type(self).__name__)
        self._shares = np.empty((1, 0))
        self._shares_key: tuple[object, int] = (None, -1)

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        self.add_to(bodies.columns, bodies.states, wrench.first_row)

    def add_to(self, columns: Columns, states: FloatArray, wrench_row: int) -> None:
        """Add to the wrench that starts at a row of the array that holds the states."""
        loop = fields.field_loop(type(self).field, columns.pitch)
        loop(columns.array, states, wrench_row, columns.padded_count, self._parameters, self.shares(columns))

    def shares(self, columns: Columns) -> FloatArray:
        """One for each body that feels the field, zero for the others, shape (1, pitch)."""
        key = (columns, columns.revision)
        if self._shares_key != key:
            feeling = slice(0, columns.count) if self._bodies is None else [body.index for body in self._bodies]
            self._shares = np.zeros((1, columns.pitch))
            self._shares[0, feeling] = 1.0
            self._shares_key = key
        return self._shares

    @property
    def parameters(self) -> FloatArray:
        """What the compiled function wants to know, shape (1, 9)."""
        return self._parameters

    def named_bodies(self) -> tuple[BodyHandle, ...]:
        return self._bodies or ()

    def forget(self, body: BodyHandle) -> bool:
        if self._bodies is None:
            return True
        left = tuple(named for named in self._bodies if named is not body)
        self._bodies = left or self._bodies  # a force of nobody would act on nobody in silence if it were added again
        return bool(left)

    def saved(self) -> tuple[BodyHandle, ...] | None:
        return self._bodies

    def restore(self, saved: tuple[BodyHandle, ...] | None) -> None:
        self._bodies = saved


def require_body(body: BodyHandle, argument: str, owner: str) -> BodyHandle:
    """The body itself, if it is one and still in its world."""
    if not is_body(body):
        refuse(owner, argument, body, "a body of a world", TypeError)
    _ = body.index  # refuses a body that was removed
    return body


def _body_tuple(bodies: Iterable[BodyHandle], owner: str) -> tuple[BodyHandle, ...]:
    if not isinstance(bodies, Iterable):
        refuse(owner, "bodies", bodies, "a list of bodies", TypeError)
    chosen = tuple(bodies)
    if not chosen:
        refuse(owner, "bodies", bodies, "a list of at least one body")
    for body in chosen:
        require_body(body, "bodies", owner)
    if len({id(body) for body in chosen}) != len(chosen):
        refuse(owner, "bodies", bodies, "a list that names each body once")
    return chosen
