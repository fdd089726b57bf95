"""Which compiled loop takes the ticks: the fastest that can run now, while a faster one is compiled in the background.

A method has two kinds of loop, which give the same bits. The fused loop has the fields compiled in, for one pitch of the arrays and one
set of kinds, and makes a single pass over the bodies per tick. The loop in passes makes one pass per stage, and calls a kernel of its own
for each kind of field there. It exists for each pitch and, slower, for any. So no change of a world in flight waits for the compiler.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable
from typing import Any

from . import background
from .compiler import address_of, can_run, compile_for, could_be_faster, types_of


class Loop:
    """A kernel that could be had: what makes it, and the types of its arguments."""

    def __init__(self, factory: Callable[..., Any], made_for: tuple[Any, ...], arguments: tuple[Any, ...]) -> None:
        """Args: what makes the kernel and with what; and arguments like those that it will be called with."""
        self.factory = factory
        self.made_for = made_for
        self.types = types_of(*arguments)

    @property
    def function(self) -> Callable[..., Any]:
        """The kernel itself, compiled when it is first called."""
        made: Callable[..., Any] = self.factory(*self.made_for)
        return made

    @property
    def name(self) -> str:
        """What the log calls it."""
        return getattr(self.function, "py_func", self.function).__qualname__

    @property
    def can_run(self) -> bool:
        """Whether it can run at once; it is loaded if the cache has it."""
        key, now = (self.function, self.types), background.arrivals()
        if _missing.get(key) == now:
            return False
        if can_run(*key):
            if could_be_faster(self.function):
                ask([self])  # for the next start
            return True
        _missing[key] = now
        return False

    @property
    def address(self) -> int:
        """Where it stands in this process, for other kernels; it is compiled if it is not there yet."""
        return address_of(self.function, self.types)

    def compile(self) -> None:
        """Load or compile it now."""
        compile_for(self.function, self.types)


def named(kernel: Any, *arguments: Any) -> Loop:
    """A kernel that stands in a module under its own name, to be called with arguments like these."""
    function = getattr(kernel, "py_func", kernel)
    return Loop(_of_module, (function.__module__, function.__name__), arguments)


def _of_module(module: str, name: str) -> Any:
    return getattr(sys.modules.get(module) or importlib.import_module(module), name)


_missing: dict[Any, int] = {}
"""Kernels that were not in the cache, and how many requests had been answered when it was looked into."""


def choose(loops: list[Loop]) -> Loop:
    """The first of these loops that can run at once; those before it are asked for, and those behind it too, for later.

    Where none can, or nothing is compiled in the background, it is the first, to be compiled now.
    """
    place = next((place for place, loop in enumerate(loops) if loop.can_run), 0)
    chosen = loops[place] if ask(loops[:place]) else loops[0]
    ask(loop for loop in loops[place + 1 :])
    return chosen


def ask(loops: Iterable[Loop]) -> bool:
    """Have loops compiled in the background, in this order; whether that will be tried for all of them."""
    return background.ask((loop.factory, loop.made_for, loop.types) for loop in loops)


def is_worth_it(fused: Loop, passes: list[Loop], has_fields: bool) -> bool:
    """Whether the fused loop of a method is to take the ticks now, and not one of its loops in passes; what is missing is asked for.

    A fused loop with fields is never compiled while somebody waits, because there is one for each set of kinds.
    """
    if not fused.can_run:
        if has_fields:
            ask([fused])
            return False
        if any(loop.can_run for loop in passes) and ask([fused]):
            return False
    ask(passes)
    return True
