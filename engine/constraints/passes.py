"""Ticks in which all bodies are islands, from one evaluation of the forces that Python calls to the next."""

from ..compilation.compiler import call, inlined, kernel
from ..compilation.packed import Packed, unpack
from ..loops.floating_point import is_other_mode
from ..loops.layout import (
    BAD,
    OTHER_MODE,
    SKIPPED,
    STAGE_WRENCH,
    STATE_ROWS,
    STORED_MOMENTUM,
    TICKS,
    WRENCH,
    WRENCH_ROWS,
)
from .arguments import Move, Tables
from .graph import ISLANDS, PLACES
from .layout import ELAPSED
from .ticks import CLOSE, OPEN, Some, kick_stage, needs_two, show_stage


@kernel("islands-passes")
def islands_passes(packed: Packed[Move], stage: int, ticks: int) -> int:
    """Take one tick in which the islands are all bodies, from one evaluation of Python forces to the next, as a loop in passes does.

    Each part of the tick has one evaluation at its start and `evaluations` at its end. A tick ends with one more, for islands whose
    actuators kick by their rates where no other force depends on them.

    Returns:
        1 if the forces at this stage are to be evaluated, or if the tick has ended; `SKIPPED` if they need not be; 0 if the tick is not
        finite, or a negative number if it was not begun, and nothing was changed.
    """
    passes = unpack(packed)
    outside, stepped, control = unpack(passes.outside), unpack(passes.step), passes.control
    tables, island_count, evaluations = unpack(stepped.common), outside.sizes[ISLANDS], stepped.evaluations
    whole = passes.parts.shape[0] * (1 + evaluations)
    if stage == 0:
        if is_other_mode(control):
            control[BAD] = OTHER_MODE
            return OTHER_MODE
        control[BAD] = passes.failed[0] = -1
        for island in range(island_count):
            tables.measures[island, ELAPSED] = 0.0
        _ = call(passes.calls[OPEN], (passes.outside, 0, island_count, 0, STORED_MOMENTUM, True))
    elif stage <= whole or _is_repeated(tables, island_count, evaluations):
        passes.failed[0] = _kick_by_called(packed, stage - 1)
        if passes.failed[0] >= 0:
            return 0
    if stage < whole or (stage == whole and _is_repeated(tables, island_count, evaluations)):
        _show(packed, stage)
        return 1
    if stage == whole:
        return SKIPPED
    control[BAD] = call(passes.calls[CLOSE], (passes.outside, 0, island_count, True, False, passes.dt))
    control[TICKS] += 1 if control[BAD] < 0 else 0
    return 1 if control[BAD] < 0 else 0


@inlined
def _is_repeated(tables: Tables, count: int, evaluations: int) -> bool:
    """Whether the last kick of any island is tried twice only because of its actuators."""
    repeated = False
    for island in range(count):
        repeated = repeated or needs_two(tables, island, evaluations)
    return repeated


@inlined
def _part_and_try(passes: Move, evaluations: int, stage: int) -> tuple[int, int]:
    """The part of the tick to which a stage belongs, and the try of its second kick, or -1 for the first kick."""
    part = min(stage // (1 + evaluations), passes.parts.shape[0] - 1)
    return part, stage - part * (1 + evaluations) - 1


@inlined
def _show(packed: Packed[Move], stage: int) -> None:
    """Let Python forces see the bodies at a stage, and set their wrench to zero."""
    passes = unpack(packed)
    outside, stepped, visible = unpack(passes.outside), unpack(passes.step), passes.visible
    stages, columns, count = unpack(stepped.common).stages, outside.columns, outside.sizes[PLACES]
    part, each = _part_and_try(passes, stepped.evaluations, stage)
    every = Some(0, outside.sizes[ISLANDS], True, 0, 1)
    _ = show_stage(passes.step, every, each, part == passes.parts.shape[0] - 1, passes.dt)
    for row in range(STATE_ROWS):
        for place in range(count):
            visible[row, columns[place]] = stages[row, place]
    for row in range(STAGE_WRENCH, STAGE_WRENCH + WRENCH_ROWS):
        for place in range(count):
            visible[row, columns[place]] = 0.0


@inlined
def _kick_by_called(packed: Packed[Move], stage: int) -> int:
    """Kick all bodies after an evaluation of Python forces, which are added to the held wrenches for that.

    Returns:
        The number of the island that failed, or -1.
    """
    passes = unpack(packed)
    outside, stepped, parts, kept = unpack(passes.outside), unpack(passes.step), passes.parts, passes.kept
    own, columns, count = unpack(stepped.common).own, outside.columns, outside.sizes[PLACES]
    part, each = _part_and_try(passes, stepped.evaluations, stage)
    every, is_end = Some(0, outside.sizes[ISLANDS], True, 0, 1), part == parts.shape[0] - 1
    offset = 0.0
    for before in range(part if each < 0 else part + 1):
        offset = offset + passes.dt * float(parts[before])
    for row in range(WRENCH_ROWS):
        for place in range(count):
            kept[row, place] = own[WRENCH + row, place]
            own[WRENCH + row, place] += passes.visible[STAGE_WRENCH + row, columns[place]]
    clock, step = (float(passes.control[TICKS]), passes.dt, offset), passes.dt * float(parts[part])
    failed = kick_stage(stepped, every, clock, step, each, int(part > 0), is_end)
    for row in range(WRENCH_ROWS):
        for place in range(count):
            own[WRENCH + row, place] = kept[row, place]
    return failed
