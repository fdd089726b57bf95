"""Laws and references of which each member of a batch has one of its own."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Self

import numpy as np

from ..checks import FloatArray
from ..store.table import IntArray, Mask
from .formula_law import FormulaLaw, in_columns
from .reference import FixedOrMoving, Reference, Slew, Spin, computed
from .samples import Components


class OfMembers(tuple[Any, ...]):
    """The objects of all members, in place of the one that a loop alone has; they are never changed, so that copies share them.

    Attributes:
        columns: What the kernel of the law takes from them, shape (k, n); nan for references that move.
    """

    columns: FloatArray

    def __new__(cls, objects: Iterable[object], columns: FloatArray) -> Self:
        made = super().__new__(cls, objects)
        made.columns = columns
        return made

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def replaced(self, members: IntArray, others: OfMembers) -> OfMembers:
        """The same with the objects of some members replaced by others, in their order."""
        objects, columns = list(self), self.columns.copy()
        columns[:, members] = others.columns
        for member, other in zip(members.tolist(), others, strict=True):
            objects[member] = other
        return OfMembers(objects, columns)

    @cached_property
    def _moving(self) -> list[tuple[type[Spin | Slew], IntArray, FloatArray]]:
        """The kinds of references that move, each with its members and the numbers of these."""
        found: list[tuple[type[Spin | Slew], IntArray, FloatArray]] = []
        places = np.flatnonzero(np.isnan(self.columns[0])).tolist()
        for kind in (Spin, Slew):
            own = [place for place in places if type(self[place]) is kind]
            if own:
                found.append((kind, np.array(own), np.array([self[place]._numbers for place in own])))
        return found

    def goals(self, law: FormulaLaw, times: FloatArray, due: Mask) -> FloatArray:
        """What a law takes from the references of members that are due at their times, shape (10, n)."""
        found = self.columns.copy() if self._moving else self.columns
        for kind, members, numbers in self._moving:
            some = due[members]
            own = members[some]
            if len(own):
                found[:, own] = in_columns(law._goal(kind._of_members(numbers[some], times[own])))[0]
        return found


def first_of(value: object) -> Any:
    """The object that stands for those of all members, which are of one kind; or that which all have in common."""
    return value[0] if isinstance(value, OfMembers) else value


def in_list(value: object, count: int) -> list[Any]:
    """The objects of so many members, from a list, from a `Reference` of several attitudes or from one object for all."""
    if type(value) is Reference:
        stacks = value.orientation, value.angular_velocity_world, value.angular_acceleration_world
        lengths = {each.shape[:-1] for each in stacks if each.ndim > 1}
        if len(lengths) == 1 and len(leading := lengths.pop()) == 1:
            wide = [np.broadcast_to(each, (*leading, each.shape[-1])).copy() for each in stacks]
            return [computed(*each) for each in zip(*wide, strict=True)]
    return value if isinstance(value, list) else [value] * count


def numbers_of_law(law: object, present: FormulaLaw) -> list[float] | None:
    """The inertia that a law was given, or zeros, and its parameters; None if one kernel does not compute it together with another one."""
    if not (
        type(law) is type(present)
        and law._is_for_one_body
        and law._assembly is None
        and law.state_size == present.state_size
        and (law._tensor is None) == (present._tensor is None)
    ):
        return None
    return parameters_of(law)


def parameters_of(law: FormulaLaw) -> list[float]:
    """The inertia that a law for one body was given, or zeros, and its parameters."""
    own = law._tensor or [0.0] * 6
    return _flat([own, *law._parameters_for(own)])


def numbers_of_reference(reference: object, law: FormulaLaw) -> list[float] | None:
    """What a law takes from a reference, nan if it moves; None if it is none of the engine's for one body."""
    if not isinstance(reference, Reference | Spin | Slew) or type(reference) not in (Reference, Spin, Slew):
        return None
    goal = goal_of(reference, law, 0.0)
    return [np.nan] * len(goal) if len(goal) and type(reference) is not Reference else goal or None


def goal_of(reference: FixedOrMoving, law: FormulaLaw, time: float) -> list[float]:
    """What a law takes from a reference at a time; nothing if this is a stack of attitudes."""
    return _flat(law._goal(reference.at(time, None)))


def _flat(parts: list[Components]) -> list[float]:
    return [] if tuple in map(type, parts) else [number for part in parts for number in part]  # type: ignore[misc]
