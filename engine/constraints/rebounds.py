"""What rebounds may take: no more than impacts leave, because the law of one restitution per point can ask for energy that nothing gives.

Where points of rigid bodies hit one after another within a step, or with friction off the line of centres, speeds that each point would
have alone add energy together (Kane, Levinson, 1985). The work of the impulses of points in both stages of a step is therefore measured,
with that of joints, which do none but by what they turn within a drift. If it is positive, the velocities are solved for once more without
rebounds, which only takes energy, and the impulses are mixed: any mix of two solutions is within the cones, fits the joints, and parts the
points. The share of the rebounds is the one that leaves no work.
"""

from math import sqrt

from ..compilation.compiler import inlined
from ..loops.columns import Array, Integers, store_vector
from ..loops.layout import ANGULAR_VELOCITY, VELOCITY
from .layout import (
    END,
    FIRST_PLACE,
    FIRST_POINT,
    FIRST_ROW,
    GOAL,
    GOAL_SPEED,
    IMPULSE,
    KIND,
    LAST_ROW,
    MISSED,
    RATE_ROW,
    SECOND_PLACE,
    SOLUTION,
    START,
)
from .solver import along
from .stages import given

REBOUND_IMPULSE, REBOUND_RATE = MISSED, MISSED + 1
"""The impulse of a row of a point, and its rate after it, with the rebounds as they are asked for."""
ROUNDING = 1e-13
"""Work of impulses, as a share of the sum of its absolute parts, that is none."""


@inlined
def has_rebounds(links: Integers, touching: Array, first: int, last: int) -> bool:
    """Whether any point is to part after an impact in this step."""
    for link in range(first, last):
        for number in range((links[link, LAST_ROW] - links[link, FIRST_ROW]) // 3):
            if touching[links[link, FIRST_POINT] + number, GOAL_SPEED] > 0.0:
                return True
    return False


@inlined
def _rate_in(
    work: Array, rows: Array, row: int, place: int, other: int, is_point: bool, block: int, turn: int
) -> float:
    """The rate of a row, relative to what a shape of the world moves at, for velocities in these rows of an array."""
    rate = float(along(work, rows, row, place, other, block, turn))
    return rate - float(rows[row, GOAL]) if is_point else rate


@inlined
def _may_work(rows: Array, row: int, is_point: bool) -> bool:
    """Whether a row belongs to a spring, a motor or friction of a joint."""
    return not is_point and rows[row, KIND] >= RATE_ROW


@inlined
def work_in_drift(
    own: Array,
    work: Array,
    stages: Array,
    links: Integers,
    rows: Array,
    places: tuple[int, int],
    spans: tuple[tuple[int, int], tuple[int, int]],
    before: int,
    before_turn: int,
    is_kicked: bool,
) -> float:
    """The work of the impulses of points and joints before a drift, less that of the kick along what they have changed of the way [J].

    Args:
        own: The bodies of islands.
        work: Velocities before the impulses of points in the rows `before` and `before_turn`, and the sums of all impulses after these.
        stages: Velocities before the kick.
        links: Joints and contacts.
        rows: Their rows.
        places: The first place of the island, and the one behind its last.
        spans: The same of its joints, and of its contacts.
        before: See `work`.
        before_turn: See `work`.
        is_kicked: Whether there was a kick before these impulses.
    """
    for place in range(*places):
        velocity, rates = given(own, work, place)
        store_vector(work, SOLUTION, place, velocity)
        store_vector(work, SOLUTION + 3, place, rates)
    done = 0.0
    for part in range(2):
        is_point = part == 1
        for link in range(spans[part][0], spans[part][1]):
            place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                if _may_work(rows, row, is_point):
                    continue
                kicked = _rate_in(work, rows, row, place, other, is_point, before, before_turn)
                after = _rate_in(work, rows, row, place, other, is_point, SOLUTION, SOLUTION + 3)
                start = kicked
                if is_kicked:
                    start = _rate_in(stages, rows, row, place, other, is_point, VELOCITY, ANGULAR_VELOCITY)
                done += float(rows[row, IMPULSE]) * (start + 0.5 * (after - kicked))
    return done


@inlined
def takes_too_much(
    work: Array, links: Integers, rows: Array, spans: tuple[tuple[int, int], tuple[int, int]], drift: float
) -> bool:
    """Whether the impulses have worked in a step, given their work before the drift; they and their rates are kept if so."""
    done, size = drift, abs(drift)
    for part in range(2):
        is_point = part == 1
        for link in range(spans[part][0], spans[part][1]):
            place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                impulse = float(rows[row, IMPULSE])
                rows[row, REBOUND_IMPULSE] = impulse
                if _may_work(rows, row, is_point):
                    continue
                start = _rate_in(work, rows, row, place, other, is_point, START + VELOCITY, START + ANGULAR_VELOCITY)
                after = _rate_in(work, rows, row, place, other, is_point, END + VELOCITY, END + ANGULAR_VELOCITY)
                rows[row, REBOUND_RATE] = after
                done += 0.5 * impulse * (start + after)
                size += abs(impulse) * (abs(start) + abs(after))
    return done > ROUNDING * size


@inlined
def mix_rebounds(
    work: Array, links: Integers, rows: Array, spans: tuple[tuple[int, int], tuple[int, int]], drift: float
) -> None:
    """Add as much of the rebounds that were kept to the impulses without them as leaves no work of all together."""
    square, linear, constant = 0.0, 0.0, drift
    for part in range(2):
        is_point = part == 1
        for link in range(spans[part][0], spans[part][1]):
            place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                if _may_work(rows, row, is_point):
                    continue
                start = _rate_in(work, rows, row, place, other, is_point, START + VELOCITY, START + ANGULAR_VELOCITY)
                after = _rate_in(work, rows, row, place, other, is_point, END + VELOCITY, END + ANGULAR_VELOCITY)
                impulse = float(rows[row, IMPULSE])
                more, faster = float(rows[row, REBOUND_IMPULSE]) - impulse, float(rows[row, REBOUND_RATE]) - after
                square += 0.5 * more * faster
                linear += 0.5 * (impulse * faster + more * (start + after))
                constant += 0.5 * impulse * (start + after)
    share, rest = 0.0, linear * linear - 4.0 * square * constant
    if constant < 0.0 and rest >= 0.0 and linear + sqrt(rest) > 0.0:
        share = min(-2.0 * constant / (linear + sqrt(rest)), 1.0)
    for part in range(2):
        for link in range(spans[part][0], spans[part][1]):
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                impulse = float(rows[row, IMPULSE])
                rows[row, IMPULSE] = impulse + share * (float(rows[row, REBOUND_IMPULSE]) - impulse)
