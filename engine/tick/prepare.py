"""Compilation of the kernels of a world in advance, so that no tick waits for the compiler."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import product
from time import perf_counter
from typing import NamedTuple

import numpy as np

from ..checks import members
from ..compilation import background
from ..compilation.choice import Loop, Role, ask, compile_together, processes_for
from ..compilation.durations import expected_seconds
from ..compilation.packed import declared_in
from ..constraints import divided, latches, passes, ticks
from ..constraints.calls import FOLLOW_CALL, JOINT_CALLS, POINT_CALLS
from ..forces.force import Force
from ..forces.valves import kernels_of_throttles
from ..integrators import ALL_INTEGRATORS
from ..integrators.compiled_forces import NO_FORCES, CompiledForces, field_loop, pulls_loop
from ..integrators.integrator import Integrator
from ..integrators.named import method_of, method_rule
from ..loops import actuators, keeping
from ..loops.coast import COAST_LOOP
from ..loops.fields import FieldKind
from ..loops.layout import ANY_PITCH, CONTROL_LENGTH
from ..loops.poses import POSES_LOOP
from ..loops.program import loops_of_programs
from ..store.bodies import rung
from .actuators import kernels_of_actuators
from .contacts import kernels_of_contacts
from .fields import BUILT_IN
from .held import push_run_loop
from .island_kernels import kernels_of_islands, method_for, numbering_loop

_LOG = logging.getLogger("polhode")

Progress = Callable[[int, int, str], object]
"""Called as `progress(done, total, name)`, with the number of kernels that are ready, their total number, and the name of the next one.

The name is empty in the last call.
"""


class _Shape:
    """The attributes of bodies that a method reads when it chooses its loops; only the types of the arrays matter."""

    def __init__(self, pitch: int, stores_momentum: bool, members: int = 0) -> None:
        self.members = members
        self.pitch = pitch
        self.stores_momentum = stores_momentum
        self.array = np.zeros((1, 1))
        self.control = np.zeros(CONTROL_LENGTH, np.int64)


class Future(NamedTuple):
    """What the kernels of a world depend on, now and as far as is known of the future."""

    integrators: Sequence[Integrator]
    kinds_together: Sequence[Sequence[FieldKind]]
    """The sets of kinds of fields that act together."""
    pitch: int
    members: int
    """The members of a batch; 0 for a world."""
    stores_momentum: bool
    gyroscopic: Sequence[bool]
    in_passes: bool
    """Whether forces act now that need the loop in passes, which is then prepared for this pitch and not only for any."""
    has_runs: bool
    """Whether there are many jets on adjacent bodies, as in a batch."""
    has_joints: bool
    has_contacts: bool
    calls_at_stages: bool
    """Whether Python forces act at the stages of the method, in which all bodies are islands."""
    drives_actuators: bool
    has_thrusters: bool
    coasts: bool


def kernels_for(future: Future) -> list[Loop]:
    """Return every kernel that ticks of such worlds may call, without duplicates; kernels that every tick needs come first.

    Each set of kinds has a fused loop. For everything else there is one loop in passes, which takes any pitch and any forces.
    """
    table = np.zeros((1, 1))
    wanted = [
        kernels_of_actuators().gather,
        POSES_LOOP,
        pulls_loop(_Shape(future.pitch, False)),
    ]
    wanted += [push_run_loop()] if future.has_runs else []
    divides = any(method._divides_ticks for method in future.integrators)
    shape = _Shape(future.pitch, future.stores_momentum, future.members)
    for gyroscopic in future.gyroscopic:
        loops: list[Loop] = []
        for method, kinds in product(future.integrators, future.kinds_together):
            depends_on_rates = any(kind.depends_on_rates for kind in kinds)
            acting = CompiledForces(tuple(kinds), table, depends_on_rates=depends_on_rates) if kinds else NO_FORCES
            every = method._kernels(shape, 1.0, gyroscopic, acting)
            loops += [loop for loop in every if future.in_passes or not is_special(loop)]
        if future.has_joints or future.has_contacts:
            for method in future.integrators:
                every_call = enumerate(kernels_of_islands(method_for(method, False)[1], gyroscopic))
                unused = _unused_calls(future)
                loops += [loop for place, loop in every_call if place not in unused]
            loops += kernels_of_contacts() if future.has_contacts else []
            loops += [numbering_loop(), *declared_in(ticks, passes)]
            loops += [*(declared_in(divided) if divides else []), *(declared_in(latches) if future.has_joints else [])]
        if future.drives_actuators:
            loops += [*kernels_of_actuators(), *declared_in(actuators)]
        if future.has_thrusters:
            loops += kernels_of_throttles()
        if future.has_joints or future.has_contacts or future.drives_actuators or divides:
            loops += declared_in(keeping)
        loops += loops_of_programs(loops)  # for forces that Python calls, too
        wanted += loops
    for kind in dict.fromkeys(kind for kinds in future.kinds_together for kind in kinds):
        pitches = (future.pitch, ANY_PITCH) if future.in_passes else (ANY_PITCH,)
        wanted += [field_loop(kind, _Shape(pitch, False), pitch) for pitch in pitches]
    if future.coasts:
        wanted.append(COAST_LOOP)
    return list({loop.wanted: loop for loop in wanted}.values())


def _unused_calls(future: Future) -> tuple[int, ...]:
    """The kernels of islands that no tick calls without contacts, or without joints while only bodies in contact are islands."""
    if not future.has_contacts:
        return *POINT_CALLS, FOLLOW_CALL
    return () if future.has_joints or future.calls_at_stages else JOINT_CALLS


def is_special(loop: Loop) -> bool:
    """Whether a loop in passes is for arrays of one pitch, and another one for any pitch serves in its place."""
    return loop.role is Role.PASSES and loop.made_for[-1] != ANY_PITCH


def standby_loops(integrator: Integrator, gyroscopic: bool) -> list[Loop]:
    """Return the loops that accept any pitch, and the kernels they call, so that a running world can continue after any change.

    The variants of its own method come first, and the other methods last.
    """
    variants = ((integrator, False, gyroscopic), (integrator, True, gyroscopic), (integrator, False, not gyroscopic))
    others = ((method, False, gyroscopic) for method in ALL_INTEGRATORS)
    shape = _Shape(rung(1), False)
    kernels = pulls_loop(shape), *(field_loop(kind, shape, ANY_PITCH) for kind in BUILT_IN), POSES_LOOP
    return [*_slow_loops(variants), *kernels, *_slow_loops(others)]


_asked: set[tuple[str, bool]] = set()


def ask_for_standby(integrator: Integrator, gyroscopic: bool) -> None:
    """Request the loops that let worlds with this method continue after any change; once per process."""
    key = integrator.name, gyroscopic
    if key not in _asked and background.is_usable():
        _asked.add(key)
        ask(standby_loops(integrator, gyroscopic), urgent=False)


def _slow_loops(variants: Iterable[tuple[Integrator, bool, bool]]) -> Iterator[Loop]:
    """Yield the loops for any pitch of methods, with or without stored momentum and the gyroscopic term."""
    for integrator, stores_momentum, gyroscopic in variants:
        with suppress(ValueError):  # some methods have no game mode, and some nothing else
            integrator._check_game_mode(not gyroscopic)
            loops = integrator._kernels(_Shape(rung(1), stores_momentum), 1.0, gyroscopic, NO_FORCES)
            yield from (loop for loop in loops if loop.made_for[-1:] == (ANY_PITCH,))


def compile_all(loops: Sequence[Loop], progress: Progress | None) -> None:
    """Load kernels, or compile them in as many processes as are worth it, and say in the log how long it takes."""
    missing = [loop for loop in loops if not loop.can_run]
    started, processes = perf_counter(), processes_for(missing)
    if missing:
        _say_begin(missing, processes)

    def note(done: int, name: str) -> None:
        if progress is not None:
            progress(done, len(loops), name)

    compile_together(loops, note)
    if missing:
        _LOG.warning("World.prepare: %d kernels were compiled in %.1f s", len(missing), perf_counter() - started)
    note(len(loops), "")


def _say_begin(missing: Sequence[Loop], processes: int) -> None:
    seconds = sum(expected_seconds(loop.name) for loop in missing) / processes
    count = "one kernel" if len(missing) == 1 else f"{len(missing)} kernels"
    together = "one process" if processes == 1 else f"{processes} processes"
    _LOG.warning("World.prepare: compiling %s in %s, about %.0f s", count, together, seconds)


def chosen_methods(values: object, game_modes: Iterable[bool]) -> list[Integrator]:
    """Return the integrators for the given values; reject values that are not integrators or do not support the given modes."""
    methods = [
        method_of(value, "World.prepare", f"integrators[{place}]")
        for place, value in enumerate(
            members(values, "integrators", "World.prepare", _METHODS, _is_method, method_rule())
        )
    ]
    for method, game_mode in product(methods, game_modes):
        method._check_game_mode(game_mode)
    return methods


def chosen_kinds(values: object) -> list[FieldKind | None]:
    """Return the field kind of each force or class of forces; None if it is not a field."""
    rule = "a list of forces, or of classes of engine.forces"
    each = "a force, or a class of engine.forces"
    return [
        getattr(value, "_kind", None) for value in members(values, "forces", "World.prepare", rule, _is_force, each)
    ]


_METHODS = "a list of integrators or of their names"


def _is_method(value: object) -> bool:
    return isinstance(value, Integrator | str)


def _is_force(value: object) -> bool:
    return issubclass(value, Force) if isinstance(value, type) else callable(value) or hasattr(type(value), "apply")
