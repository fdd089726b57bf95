"""Choice of the compiled loop that runs the ticks, which is the fastest that can run now.

If a faster loop is not compiled yet, it is compiled in the background.

A method has two kinds of loop, which give the same bits. The fused loop is compiled for one pitch of the arrays and one set of field kinds,
with the fields compiled in. It makes a single pass over the bodies per tick. The loop in passes makes one pass per stage and calls a
separate kernel for each kind of field. It is compiled for each pitch, and also in a slower version that accepts any pitch. A change to a
running world therefore never waits for the compiler.
"""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum, auto
from functools import cached_property
from itertools import takewhile
from math import inf
from time import sleep, thread_time
from typing import Any

import numpy as np
import numpy.typing as npt

from . import background, compiler
from .compiler import (
    address_in_python,
    address_of,
    can_run,
    collect_seldom,
    compile_for,
    compile_unless_taken,
    could_be_faster,
    is_loaded,
    plain,
    types_of,
    without_collection,
)
from .durations import expected_seconds
from .kernel_types import Arguments, Kernel, Numba
from .whole import call_whole

_LOG = logging.getLogger("polhode")


class Role(Enum):
    """What a kernel is for."""

    PART = auto()
    """It is called by other kernels or in few places, and moves no bodies by itself."""
    FUSED = auto()
    """It runs whole ticks, with the fields compiled in."""
    PASSES = auto()
    """It runs whole ticks, or one stage of a tick; the last number that it is made for is the pitch."""


class Loop:
    """A kernel that may not be compiled yet, described by its factory and the types of its arguments."""

    def __init__(
        self,
        factory: Kernel,
        made_for: Arguments,
        arguments: Arguments,
        role: Role = Role.PART,
    ) -> None:
        """Describe a kernel.

        Args:
            factory: The function that creates the kernel.
            made_for: The arguments of the factory.
            arguments: Arguments of the types with which the kernel will be called.
            role: What it is for.
        """
        self.role = role
        self.factory = factory
        self.made_for = made_for
        self.arguments = arguments

    @cached_property
    def types(self) -> Arguments:
        """The types of the arguments."""
        return types_of(*self.arguments)

    @property
    def function(self) -> Kernel:
        """The kernel itself, which is compiled on its first call."""
        made: Kernel = self.factory(*self.made_for)
        return made

    @property
    def wanted(self) -> background.Wanted:
        """The kernel as the background is asked for it."""
        return self.factory, self.made_for, self.types

    @property
    def is_loaded(self) -> bool:
        """Whether the kernel is in this process."""
        return is_loaded(self.function, self.types)

    @property
    def name(self) -> str:
        """The kernel's name in the log."""
        return getattr(self.function, "py_func", self.function).__qualname__

    @property
    def can_run(self) -> bool:
        """Whether the kernel can run without compilation; it is loaded if it is in the cache.

        One that the background was asked for is not looked for here until it has been answered; looking takes 2 ms.
        """
        if not self.is_loaded:
            key, now = (self.function, self.types), background.answered()
            if _missing.get(key) == now or background.is_awaited(self.wanted):
                return False
            if not can_run(*key):
                _missing[key] = now
                return False
        if could_be_faster(self.function):
            ask([self], urgent=False)  # for the next start
        return True

    @property
    def address(self) -> int:
        """The kernel's address in this process, for calls from other kernels; it is compiled first if necessary."""
        return address_of(self.function, self.types)

    def address_for(self, for_python: bool) -> int:
        """The address for callers that may be plain Python, which need not wait until the kernel is compiled.

        Only for a kernel that calls no other: those that it calls may be plain Python as well, which compiled code cannot call.
        """
        return address_in_python(self.function) if for_python and not self.can_run else self.address

    def compile(self) -> None:
        """Load the kernel from the cache or compile it."""
        compile_for(self.function, self.types)
        _missing.pop((self.function, self.types), None)

    def compile_unless_taken(self) -> bool:
        """Load the kernel from the cache or compile it; return False if another process is compiling it."""
        is_here = compile_unless_taken(self.function, self.types)
        if is_here:
            _missing.pop((self.function, self.types), None)
        return is_here


def named(kernel: Numba, *arguments: object) -> Loop:
    """Describe a kernel that a module defines under its own name, for calls with arguments of these types."""
    function: Numba = getattr(kernel, "py_func", kernel)
    return Loop(_of_module, (function.__module__, function.__name__), arguments)


def has_name(kernel: Kernel) -> bool:
    """Whether a module defines a kernel under its own name, so that `named` describes it; otherwise a factory has made it."""
    function = getattr(kernel, "py_func", kernel)
    return getattr(sys.modules.get(function.__module__), function.__name__, None) is kernel


def _of_module(module: str, name: str) -> Kernel:
    return getattr(sys.modules.get(module) or importlib.import_module(module), name)


_missing: dict[object, int] = {}
"""Kernels that were not in the cache, each with the number of requests that had been answered at the time of the check."""


def ready(loop: Loop, may_stand_in: bool = True) -> Kernel:
    """Return a kernel if it can run without compilation. Otherwise request it in the background and return its plain Python function.

    The plain function gives the same bits. It takes the place of a kernel for a few objects per tick (`may_stand_in`). Otherwise, or if
    the world waits or background compilation is unavailable, the kernel itself is returned, which is then compiled on its first call.
    """
    return StandIn(loop) if in_python([loop], may_stand_in) else loop.function


class StandIn:
    """The plain Python function of a kernel, which takes its place while it is compiled in the background.

    Where it divides by zero or overflows, plain Python raises, while compiled code goes on with infinity and nan. The kernel is then
    compiled at once.
    """

    def __init__(self, loop: Loop, link: Callable[[], None] | None = None) -> None:
        """Stand in for a kernel.

        Args:
            loop: The kernel.
            link: Writes the addresses of compiled kernels over those of plain functions, where the arguments contain any.
        """
        self._kernel = loop.function
        self._in_python = plain(self._kernel)
        self._link = link

    def __call__(self, *arguments: object) -> Any:
        global _calls_in_python
        _calls_in_python += 1
        try:
            return call_whole(self._in_python, arguments)
        except ArithmeticError:
            kernel = self.compiled()
            compile_for(kernel, types_of(*arguments))
            return kernel(*arguments)

    def compiled(self) -> Kernel:
        """Return the kernel, whose arguments then contain addresses of compiled kernels only."""
        if self._link is not None:
            self._link()
        return self._kernel


_calls_in_python = 0
_has_logged = False


def calls_in_python() -> int:
    """Number of calls of plain functions in place of kernels; it grows while plain Python stands in."""
    return _calls_in_python


def log_skipped_ticks() -> None:
    """Log, once per process, that a frame has run fewer ticks than were due."""
    global _has_logged
    if not _has_logged:
        _has_logged = True
        _LOG.warning(
            "World.advance: kernels are compiled in the background, only once on this machine (%d left); until then plain Python runs the "
            "ticks, and those that do not fit into a frame are skipped (see World.dropped_time). World.prepare avoids this",
            background.pending(),
        )


def in_python(loops: Iterable[Loop], may_stand_in: bool) -> bool:
    """Return whether plain Python stands in for kernels that call one another, because one of them is missing; those are requested.

    From the first that is missing on, or when it has taken long to load those before it, the background looks for them.
    """
    if policy.waits or not may_stand_in:
        return False
    absent = [loop for loop in loops if not loop.is_loaded]
    if not absent:
        return False
    until = thread_time() + _LONG if background.is_usable() else inf
    found = list(takewhile(lambda loop: thread_time() < until and loop.can_run, absent))
    return len(found) < len(absent) and ask(absent[len(found) :])


_LONG = 0.02
"""Processor time [s] for which kernels are loaded in one frame; each takes 3 to 10 ms, and the first joint calls thirty."""


def linked(loops: Sequence[Loop], called: Sequence[Loop], calls: npt.NDArray[np.int64]) -> list[Kernel]:
    """Return kernels that call others, by addresses that are written to `calls`, or their plain Python functions while one is missing."""

    def link() -> None:
        calls[: len(called)] = [each.address for each in called]

    if in_python([*called, *loops], may_stand_in=True):
        calls[: len(called)] = [address_in_python(each.function) for each in called]
        return [StandIn(loop, link) for loop in loops]
    link()
    return [loop.function for loop in loops]


def compile_together(loops: Sequence[Loop], note: Callable[[int, str], None] | None = None) -> None:
    """Load kernels, or compile them in as many processes as are worth it.

    This process begins with the first kernel and the others with the last one. A kernel that another process is compiling is left to it,
    and is loaded later.

    Args:
        loops: The kernels.
        note: Called before each kernel, with the number of those that are ready and its name.
    """
    left, done = list[Loop](), 0
    for loop in loops:
        if not loop.can_run:
            left.append(loop)
            continue
        if note is not None:
            note(done, loop.name)
        done += 1
    if (processes := processes_for(left)) > 1:
        background.share([loop.wanted for loop in left], processes - 1)
    try:
        with without_collection():
            while left:
                if note is not None:
                    note(done, left[0].name)
                while (made := next((loop for loop in left if loop.compile_unless_taken()), None)) is None:
                    sleep(_BETWEEN_LOOKS)
                left.remove(made)
                done += 1
                collect_seldom()
    finally:
        if processes > 1:
            background.share([], 0)


def processes_for(missing: Sequence[Loop]) -> int:
    """The number of processes in which these kernels are compiled, with this one: at most as many as there are processor cores."""
    if not background.is_usable():
        return 1
    worth_it = 1 + int(sum(expected_seconds(loop.name) for loop in missing) / _WORTH_A_PROCESS)
    return max(1, min(background.cores(), len(missing), worth_it))


_WORTH_A_PROCESS = 5.0
"""Processor time [s] that kernels take to compile for each process beside this one.

A process takes more than a second until it compiles, and compiles again functions that are inlined into kernels of others as well: for a
world of free bodies two processes took a fifth more processor time than one, and as long.
"""


_BETWEEN_LOOKS = 0.02
"""Time [s] between two looks whether another process has compiled a kernel."""


def is_due(loop: Loop) -> bool:
    """Return whether a kernel is to be called now, because it can run or the world waits for it; otherwise it is requested.

    This is for kernels that other code can replace.
    """
    return policy.waits or loop.can_run or not ask([loop])


MOST_IN_PYTHON = 2500
"""The largest number of bodies for which plain Python stands in; it takes about 0.1 ms per body, and so 0.25 s per tick."""
MOST_ON_JOINTS_IN_PYTHON = 250
"""The largest number of bodies on joints, or of joints, for which plain Python stands in; it takes about 1 ms for each."""

COMPILATION_MODES = ("auto", "wait", "background")
"""The values of `World.compilation`."""

runs_frames = False
"""Whether this program advances a world frame by frame. From the first frame on, it waits for no kernel that plain Python can replace."""


class Policy:
    """Whether the ticks of one world wait for kernels that are not compiled yet.

    Attributes:
        mode: One of `COMPILATION_MODES`.
        is_prepared: Whether the world was prepared. Its ticks then wait for no loop that a more general one can replace.
    """

    __slots__ = ("is_prepared", "mode")

    def __init__(self, mode: str = "auto") -> None:
        self.mode = mode
        self.is_prepared = False

    @property
    def waits(self) -> bool:
        """Whether a missing kernel is compiled before the tick that calls it goes on."""
        return self.mode == "wait" or (self.mode == "auto" and not runs_frames)

    def act(self) -> None:
        """Decide for all kernels that Python calls from now on, until another world acts."""
        global policy
        policy = self


policy = Policy()
"""The policy of the world that has acted last; kernels are called in many places that know of no world."""


def _stand_in_for(kernel: Numba, arguments: tuple[object, ...]) -> Kernel | None:
    """Return what Python runs instead of a kernel of a module that it calls before the kernel has been compiled; None to compile it."""
    if policy.waits or not has_name(kernel):
        return None
    loop = named(kernel, *arguments)
    return StandIn(loop) if in_python([loop], may_stand_in=True) else None


compiler.stand_in_for = _stand_in_for


@contextmanager
def noted() -> Iterator[dict[background.Wanted, Loop]]:
    """Note the kernels of modules that Python calls before they have been compiled, and let plain Python run them meanwhile."""
    found: dict[background.Wanted, Loop] = {}

    def note(kernel: Numba, arguments: tuple[object, ...]) -> Kernel | None:
        if not has_name(kernel):
            return None
        loop = named(kernel, *arguments)
        return StandIn(found.setdefault(loop.wanted, loop))

    before, compiler.stand_in_for = compiler.stand_in_for, note
    try:
        yield found
    finally:
        compiler.stand_in_for = before


def choose(loops: list[Loop], may_stand_in: bool = False) -> Loop:
    """Return the first of these loops that can run without compilation, and request the others in the background.

    If no loop can run, or if the world waits or background compilation is unavailable, return the first loop, which is then compiled on its
    first call. If plain Python may stand in for it, return the last one, which is the most general and serves after any change, to be
    compiled first.
    """
    if policy.waits:
        if not policy.is_prepared or not any(loop.can_run for loop in loops):
            return loops[0]
        place = next(place for place, loop in enumerate(loops) if loop.can_run)
        ask(loops[:place])
        return loops[place]
    found = next((place for place, loop in enumerate(loops) if _is_here(loop, loops)), None)
    if found is None and may_stand_in and background.is_usable():
        return loops[-1]
    place = found or 0
    # what only this process knows, such as a field of the main program, is not compiled between two frames if another loop can run
    is_acceptable = ask(loops[:place]) or (background.is_usable() and loops[place].can_run)
    chosen = loops[place] if is_acceptable else loops[0]
    ask(loops[place + 1 :], urgent=False)
    return chosen


def _is_here(loop: Loop, others: Iterable[Loop]) -> bool:
    """Whether a loop can run now.

    While another one is loaded, the background loads this one, and a frame does not wait for it, which takes 10 to 40 ms.
    """
    if loop.is_loaded or (any(other.is_loaded for other in others) and ask([loop])):
        return loop.is_loaded
    return loop.can_run


def ask(loops: Iterable[Loop], urgent: bool = True) -> bool:
    """Request the compilation of loops in the background, in this order; return whether it will be attempted for all of them."""
    if not background.is_usable():
        return not any(True for _ in loops)
    return background.ask([loop.wanted for loop in loops], urgent)


def should_fuse(fused: Loop, passes: list[Loop], has_fields: bool) -> bool:
    """Return whether the fused loop of a method should run the next ticks instead of a loop in passes, and request missing loops.

    There is a fused loop for each set of kinds of fields. Where nothing is compiled in the background, only a world that is told to wait
    waits for it, and the loop in passes serves others.
    """
    if policy.waits and not policy.is_prepared and (not has_fields or policy.mode == "wait" or background.is_usable()):
        return True
    if not (fused.can_run if policy.waits else _is_here(fused, passes)):
        can_go_on = any(loop.is_loaded for loop in passes) or any(loop.can_run for loop in passes)
        if not can_go_on and not policy.waits:
            ask(passes[-1:])  # first, because it serves after any change, and any number of bodies
        is_coming = ask([fused])
        if has_fields or (can_go_on and (is_coming or policy.is_prepared)):
            return False
    if not policy.waits:
        ask(passes, urgent=False)
    return True
