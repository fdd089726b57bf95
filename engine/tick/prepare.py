"""Compilation of the kernels of a world in advance, so that no tick waits for the compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, cast

import numpy as np

from ..checks import members
from ..compilation import background
from ..compilation.choice import Loop, ask, named
from ..forces.force import Force
from ..integrators import ALL_INTEGRATORS
from ..integrators.compiled_forces import NO_FORCES, CompiledForces, field_loop, pulls_loop
from ..integrators.integrator import Integrator
from ..integrators.named import method_of, method_rule
from ..loops.fields import FieldKind
from ..loops.gather import gather_held
from ..loops.layout import ANY_PITCH, CONTROL_LENGTH
from ..loops.poses import pose_at, poses_loops
from ..loops.undo import undo
from ..store.bodies import Bodies, rung
from .fields import BUILT_IN

Progress = Callable[[int, int, str], object]
"""Called as `progress(done, total, name)`, with the number of kernels that are ready, their total number, and the name of the next one.

The name is empty in the last call.
"""


class _Shape:
    """The attributes of bodies that a method reads when it chooses its loops; only the types of the arrays matter."""

    def __init__(self, pitch: int, stores_momentum: bool) -> None:
        self.pitch = pitch
        self.stores_momentum = stores_momentum
        self.array = np.zeros((1, 1))
        self.control = np.zeros(CONTROL_LENGTH, np.int64)


def kernels_for(
    integrators: Sequence[Integrator],
    kinds: Sequence[FieldKind],
    pitches: Sequence[int],
    stores_momentum: bool,
    gyroscopic: bool,
) -> list[Loop]:
    """Return every kernel that ticks of such worlds may call, without duplicates; kernels that every tick needs come first."""
    shapes = [cast(Bodies, _Shape(pitch, stores_momentum)) for pitch in pitches]
    table, integers = np.zeros((1, 1)), np.zeros(1, np.int64)
    wanted = [
        named(gather_held, table, 0, *[table] * 5, *[integers] * 3),
        named(undo, table, integers, True),
        named(pose_at, table, 0, 0.0, np.zeros(7)),
        pulls_loop(shapes[0]),
    ]
    depends_on_rates = any(kind.depends_on_rates for kind in kinds)
    acting = CompiledForces(tuple(kinds), table, depends_on_rates=depends_on_rates) if kinds else NO_FORCES
    for shape in shapes:
        for integrator in integrators:
            for forces in (NO_FORCES, acting):
                wanted += integrator._kernels(shape, 1.0, gyroscopic, forces)
        wanted += [field_loop(kind, shape, pitch) for kind in kinds for pitch in (shape.pitch, ANY_PITCH)]
        wanted += poses_loops(shape.pitch)
    return list({(loop.factory, loop.made_for, loop.types): loop for loop in wanted}.values())


def standby_loops(integrator: Integrator, gyroscopic: bool) -> list[Loop]:
    """Return the loops that accept any pitch, and the kernels they call, so that a running world can continue after any change.

    The variants of its own method come first, and the other methods last.
    """
    variants = ((integrator, False, gyroscopic), (integrator, True, gyroscopic), (integrator, False, not gyroscopic))
    others = ((method, False, gyroscopic) for method in ALL_INTEGRATORS)
    shape = cast(Bodies, _Shape(rung(1), False))
    kernels = pulls_loop(shape), *(field_loop(kind, shape, ANY_PITCH) for kind in BUILT_IN), *poses_loops(ANY_PITCH)
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
            loops = integrator._kernels(cast(Bodies, _Shape(rung(1), stores_momentum)), 1.0, gyroscopic, NO_FORCES)
            yield from (loop for loop in loops if loop.made_for[-1:] == (ANY_PITCH,))


def compile_all(loops: Sequence[Loop], progress: Progress | None) -> None:
    """Load or compile kernels one by one."""
    for done, loop in enumerate(loops):
        if progress is not None:
            progress(done, len(loops), loop.name)
        loop.compile()
    if progress is not None:
        progress(len(loops), len(loops), "")


def chosen_methods(values: Any, game_mode: bool) -> list[Integrator]:
    """Return the integrators for the given values; reject values that are not integrators or do not support the given mode."""
    methods = [
        method_of(value, "World.prepare", f"integrators[{place}]")
        for place, value in enumerate(
            members(values, "integrators", "World.prepare", _METHODS, _is_method, method_rule())
        )
    ]
    for method in methods:
        method._check_game_mode(game_mode)
    return methods


def chosen_kinds(values: Any) -> list[FieldKind | None]:
    """Return the field kind of each force or class of forces; None if it is not a field."""
    rule = "a list of forces, or of classes of engine.forces"
    each = "a force, or a class of engine.forces"
    return [
        getattr(value, "_kind", None) for value in members(values, "forces", "World.prepare", rule, _is_force, each)
    ]


_METHODS = "a list of integrators or of their names"


def _is_method(value: Any) -> bool:
    return isinstance(value, Integrator | str)


def _is_force(value: Any) -> bool:
    return issubclass(value, Force) if isinstance(value, type) else callable(value) or hasattr(type(value), "apply")
