"""Ticks in which all bodies are islands, from one evaluation of the forces that Python calls to the next."""

from ..compilation.compiler import call, inlined, kernel
from ..compilation.packed import Packed, unpack
from ..loops.columns import is_finite, load_state, load_vector
from ..loops.floating_point import is_other_mode
from ..loops.layout import (
    BAD,
    OTHER_MODE,
    POSITION,
    PREVIOUS,
    PREVIOUS_STORED_MOMENTUM,
    SKIPPED,
    STAGE_WRENCH,
    STATE_ROWS,
    STORED_MOMENTUM,
    TICKS,
    WRENCH,
    WRENCH_ROWS,
)
from .arguments import Passes, Tables
from .calls import FINISH_CALL, KICK_CALL, MOVE_CALL, STAGES_CALL
from .graph import ISLANDS, PLACES
from .layout import BODIES, BODIES_END, ELAPSED
from .step import EVALUATED, KNOWN
from .ticks import CLOSE, OPEN, kick_at_end, needs_two


@kernel("islands-passes")
def islands_passes(packed: Packed[Passes], stage: int, ticks: int) -> int:
    """Take one tick in which the islands are all bodies, from one evaluation of Python forces to the next, as a loop in passes does.

    Each part of the tick has one evaluation at its start and `evaluations` at its end. A tick ends with one more, for islands whose
    actuators kick by their rates where no other force depends on them.

    Returns:
        1 if the forces at this stage are to be evaluated, or if the tick has ended; `SKIPPED` if they need not be; 0 if the tick is not
        finite, or a negative number if it was not begun, and nothing was changed.
    """
    passes = unpack(packed)
    outside, stepped = unpack(passes.outside), unpack(passes.step)
    tables, island_count, evaluations = unpack(stepped.common), outside.sizes[ISLANDS], stepped.evaluations
    whole = passes.parts.shape[0] * (1 + evaluations)
    if stage == 0:
        if is_other_mode(passes.control):
            passes.control[BAD] = OTHER_MODE
            return OTHER_MODE
        passes.control[BAD] = passes.failed[0] = -1
        for island in range(island_count):
            tables.measures[island, ELAPSED] = 0.0
        _ = call(passes.calls[OPEN], (passes.outside, 0, island_count, 0, STORED_MOMENTUM, True))
    elif stage <= whole or _is_repeated(tables, island_count, evaluations):
        failed = _kick_by_called(packed, stage - 1)
        if failed >= 0:
            passes.failed[0] = failed
            return 0
    if stage == whole + 1:
        return _close_all(packed)
    if stage == whole and not _is_repeated(tables, island_count, evaluations):
        return SKIPPED
    _show(packed, stage)
    return 1


@inlined
def _is_repeated(tables: Tables, count: int, evaluations: int) -> bool:
    """Whether the last kick of any island is tried twice only because of its actuators."""
    repeated = False
    for island in range(count):
        repeated = repeated or needs_two(tables, island, evaluations)
    return repeated


@inlined
def _show(packed: Packed[Passes], stage: int) -> None:
    """Let Python forces see the bodies at a stage, and set their wrench to zero."""
    passes = unpack(packed)
    outside, stepped, visible = unpack(passes.outside), unpack(passes.step), passes.visible
    tables, columns, count = unpack(stepped.common), outside.columns, outside.sizes[PLACES]
    evaluations = stepped.evaluations
    whole, each = passes.parts.shape[0] * (1 + evaluations), stage % (1 + evaluations) - 1
    if stage < whole:
        _ = call(tables.calls[STAGES_CALL], (stepped.common, 0, count, each))
        if each >= 0 and stage >= whole - evaluations:
            _ = kick_at_end(stepped, 0, count, each, passes.dt)
    for island in range(outside.sizes[ISLANDS] if stage == whole else 0):
        # the others are seen as they are now, and keep that
        places = (tables.islands[island, BODIES], tables.islands[island, BODIES_END])
        is_tried_again = needs_two(tables, island, evaluations)
        _ = call(tables.calls[STAGES_CALL], (stepped.common, *places, int(is_tried_again)))
        if is_tried_again:
            _ = kick_at_end(stepped, *places, 1, passes.dt)
    for row in range(STATE_ROWS):
        for place in range(count):
            visible[row, columns[place]] = tables.stages[row, place]
    for row in range(STAGE_WRENCH, STAGE_WRENCH + WRENCH_ROWS):
        for place in range(count):
            visible[row, columns[place]] = 0.0


@inlined
def _kick_by_called(packed: Packed[Passes], stage: int) -> int:
    """Kick all bodies after an evaluation of Python forces, and move them or make their velocities compatible with the joints.

    After the last evaluation, only islands whose actuators kick by their rates are kicked again.

    Returns:
        The number of the island that failed, or -1.
    """
    passes = unpack(packed)
    outside, stepped, parts, kept = unpack(passes.outside), unpack(passes.step), passes.parts, passes.kept
    tables, columns, evaluations = unpack(stepped.common), outside.columns, stepped.evaluations
    own, islands, count = tables.own, tables.islands, outside.sizes[PLACES]
    number, each = stage // (1 + evaluations), stage % (1 + evaluations) - 1
    is_again = number == parts.shape[0]
    if is_again:
        number, each = number - 1, 1
    offset = 0.0
    for part in range(number if each < 0 else number + 1):
        offset = offset + passes.dt * float(parts[part])
    step = passes.dt * float(parts[number])
    for row in range(WRENCH_ROWS):
        for place in range(count):
            kept[row, place] = own[WRENCH + row, place]
            own[WRENCH + row, place] += passes.visible[STAGE_WRENCH + row, columns[place]]
    clock, is_known = (float(passes.control[TICKS]), passes.dt, offset), EVALUATED if is_again else 0
    _ = call(tables.calls[KICK_CALL], (stepped.forces, 0, count, *clock, 0.5 * step, is_known))
    for island in range(outside.sizes[ISLANDS] if is_again else 0):
        if needs_two(tables, island, evaluations):
            places = (islands[island, BODIES], islands[island, BODIES_END])
            _ = call(tables.calls[KICK_CALL], (stepped.forces, *places, *clock, 0.5 * step, KNOWN))
    for row in range(WRENCH_ROWS):
        for place in range(count):
            own[WRENCH + row, place] = kept[row, place]
    is_end = number == parts.shape[0] - 1
    for island in range(outside.sizes[ISLANDS]):
        is_twice = is_end and needs_two(tables, island, evaluations)
        if each < 0:
            if call(tables.calls[MOVE_CALL], (stepped.common, island, step, int(number > 0))) == 0:
                return island
        elif is_twice or not is_again:
            is_last = is_again or (each == evaluations - 1 and not is_twice)
            if call(tables.calls[FINISH_CALL], (stepped.common, island, int(each > 0), int(is_last))) == 0:
                return island
    return -1


@inlined
def _close_all(packed: Packed[Passes]) -> int:
    """Write back a tick in which the islands are all bodies, and count it; 1, or 0 if a body is not finite and nothing was changed."""
    passes = unpack(packed)
    outside = unpack(passes.outside)
    own, array, columns, count = unpack(outside.common).own, outside.array, outside.columns, outside.sizes[PLACES]
    for place in range(count):
        if not is_finite(load_state(own, POSITION, place, load_vector(own, STORED_MOMENTUM, place))):
            passes.control[BAD] = columns[place]
            return 0
    for place in range(count):
        for row in range(STATE_ROWS):
            array[PREVIOUS + row, columns[place]] = array[row, columns[place]]
        for row in range(3):
            array[PREVIOUS_STORED_MOMENTUM + row, columns[place]] = array[STORED_MOMENTUM + row, columns[place]]
    _ = call(passes.calls[CLOSE], (passes.outside, 0, outside.sizes[ISLANDS], True, passes.dt))
    passes.control[TICKS] += 1
    return 1
