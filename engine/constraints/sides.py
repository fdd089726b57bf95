"""The inertia about a freedom of a joint within the step, for motors and springs that follow it.

A joint that no loop contains has two sides, each of which is one rigid body, because all other joints are locked. All sides of an island
are found together: every body but the last one of a tree of joints is taken away when one joint is left on it, and the mass properties of
what has been taken away with it are then those of a side. A joint that closes a loop, or is part of one, has the inertia of the island, in
which all joints may move; see `FreedomJoint.inertia`.
"""

from ..compilation.compiler import inlined, kernel
from ..compilation.packed import Packed, unpack
from ..kernels.quaternions import Quaternion, rotate, rotate_inverse
from ..kernels.tensors import about_joint_center, inverse
from ..kernels.vectors import Symmetric, Vector, add, apply_symmetric, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, add_to_vector, load_quaternion, load_symmetric, load_vector, store_vector
from ..loops.layout import INERTIA, MASS, ORIENTATION, POSITION
from .arguments import Tables
from .joint_types import load
from .layout import (
    ANGULAR,
    ANSWER,
    ARM,
    BODIES,
    BODIES_END,
    COMPOSITE,
    DAMPING,
    DEGREE,
    DRIVE,
    DRIVE_SIZE,
    END,
    EQUALITY,
    EQUALITY_ROWS,
    FEED,
    FIRST_PLACE,
    FIRST_ROW,
    FOLLOWED,
    FOLLOWING_MOTOR,
    FOLLOWING_SPRING,
    FREEDOM_COUNTS,
    FRICTION,
    GROUP,
    GROWTH,
    IN_LOOP,
    IS_BRIDGE,
    IS_FREE,
    IS_HELD,
    JUMP,
    KIND,
    LAST_ROW,
    LINEAR,
    LINK_SUM,
    LINKS,
    LINKS_END,
    MOTOR,
    MOTOR_SIZE,
    NO_SIDES,
    ON_BODY,
    ON_OTHER,
    OWN_PUSH,
    QUEUE,
    RANK,
    ROWS,
    ROWS_END,
    SECOND_PLACE,
    SIDES,
    SOFTNESS,
    SOLUTION,
    SPRING,
    SPRING_SIZE,
    STIFFNESS,
    TREE_ROOT,
    TYPE,
    UPPER_LINK,
    UPPER_PLACE,
    YIELDS,
)
from .rows import limit_count
from .solver import along, make_factor, solve_island

NEGLIGIBLE = 1e-9
"""Share of what its bodies alone would yield below which a freedom does not yield, as in `joints.mobility`."""
_REPEATS = 3
"""Solves after the first one, each of which makes what the rows miss smaller by the share by which they are softened."""
_STAYS = 1e300
"""The rank of a place that is never taken away."""
_TWO_PI = 6.283185307179586


@kernel("follow-inertia")
def follow_inertia(common: Packed[Tables], island: int, pose: int) -> int:
    """Give the rows of motors and springs that follow the inertia their stiffness and damping at a pose, after those of `joint_rows`."""
    tables = unpack(common)
    joints, islands, rows = tables.joints, tables.islands, tables.rows
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    _find_sides(tables, island, pose)
    has_factor = 0
    for link in range(first_link, last_link):
        kind = int(joints[TYPE, link])
        row = tables.links[link, FIRST_ROW] + EQUALITY_ROWS[kind]
        for freedom in range(FREEDOM_COUNTS[kind]):
            row += limit_count(joints[:, link], freedom)
            for each in range(2):  # the motor, and behind the row of friction the spring
                numbers = MOTOR + MOTOR_SIZE * freedom if each == 0 else SPRING + SPRING_SIZE * freedom
                row += int(each == 1 and joints[FRICTION + freedom, link] > 0.0)
                if joints[numbers, link] == (FOLLOWING_MOTOR if each == 0 else FOLLOWING_SPRING):
                    numbers += 2 if each == 0 else 1
                    has_factor = _follow(common, island, link, row, pose, numbers, has_factor)
                    rows[row, OWN_PUSH] = 0.0
                    if each == 0:
                        drive = DRIVE + DRIVE_SIZE * freedom
                        rate, push = float(joints[drive, link]), float(joints[drive + 1, link])
                        rows[row, FEED] = float(rows[row, DAMPING]) * rate + push
                        rows[row, OWN_PUSH] = push
                    row += 1
                elif joints[numbers, link] != 0.0:
                    row += 1
    if has_factor == 1:  # bounds decide anew which rows are part of the matrix
        for row in range(islands[island, ROWS], islands[island, ROWS_END]):
            rows[row, IS_FREE] = 1.0
    return 0


@inlined
def _follow(common: Packed[Tables], island: int, link: int, row: int, pose: int, numbers: int, has_factor: int) -> int:
    """Store stiffness and damping of a row for the frequency and damping ratio in these numbers; whether loops have a factor now."""
    tables = unpack(common)
    links, rows = tables.links, tables.rows
    frequency, ratio = float(tables.joints[numbers, link]), float(tables.joints[numbers + 1, link])
    inertia = 0.0
    sides = int(tables.points[link, SIDES])
    if sides == NO_SIDES:  # a rope connects nothing
        inertia = _between_ends(tables.work, links, tables.points, rows, link, row, pose)
    elif sides == IS_BRIDGE:
        inertia = _of_sides(tables.work, links, tables.points, rows, link, row, pose)
    if inertia == 0.0:
        if has_factor == 0:
            _hold(common, island)
            has_factor = 1
        inertia = _of_island(common, island, links[link, FIRST_PLACE], links[link, SECOND_PLACE], row)
    rate = _TWO_PI * frequency
    rows[row, STIFFNESS] = inertia * rate * rate
    rows[row, DAMPING] = 2.0 * ratio * inertia * rate
    # half of the impulse acts at either end of the drift, each in proportion to the inertia there, so that the step is symmetric in time
    before = float(rows[row, FOLLOWED])
    rows[row, GROWTH] = inertia / before if pose == END and before > 0.0 else 1.0
    rows[row, FOLLOWED] = inertia
    return has_factor


@inlined
def _top(work: Array, row: int, place: int) -> int:
    """The place that stands for all that are connected with a place; -1 if that is the world."""
    while place >= 0 and int(work[row, place]) != place:
        upper = int(work[row, place])
        if upper >= 0:
            work[row, place] = work[row, upper]
        place = upper
    return place


@inlined
def _find_sides(tables: Tables, island: int, pose: int) -> None:
    """Find which joints of an island have sides, and the mass properties of one of them each."""
    work, islands = tables.work, tables.islands
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    for place in range(first, last):
        work[GROUP, place] = work[JUMP, place] = float(place)
        work[IS_HELD, place] = work[DEGREE, place] = work[LINK_SUM, place] = 0.0
        work[TREE_ROOT, place] = work[UPPER_LINK, place] = -1.0
        work[RANK, place] = _STAYS
        _store_alone(tables.own, work, place, pose)
    for link in range(first_link, last_link):
        _add_to_tree(work, tables.joints, tables.links, tables.points, link)
    _take_away(work, tables.links, first, last)
    for place in range(first, last):
        if work[RANK, place] == _STAYS:
            work[TREE_ROOT, _top(work, GROUP, place)] = float(place)
    for link in range(first_link, last_link):
        if tables.points[link, SIDES] == IN_LOOP:
            _mark_loop(work, tables.links, tables.points, link)


@inlined
def _store_alone(own: Array, work: Array, place: int, pose: int) -> None:
    """Store the mass properties of one body: mass, mass centre relative to the base of the island, and tensor about it, world frame."""
    q = load_quaternion(work, pose + ORIENTATION, place)
    tensor = _turned(load_symmetric(own, INERTIA, place), q)
    _store_composite(work, place, float(own[MASS, place]), load_vector(work, pose + POSITION, place), tensor)


@inlined
def _store_composite(work: Array, place: int, mass: float, center: Vector, tensor: Symmetric) -> None:
    work[COMPOSITE, place] = mass
    store_vector(work, COMPOSITE + 1, place, center)
    for entry in range(6):
        work[COMPOSITE + 4 + entry, place] = tensor[entry]


@inlined
def _turned(tensor: Symmetric, q: Quaternion) -> Symmetric:
    """Rotate a tensor from the body frame to the world frame."""
    x = rotate(q, 2.0, apply_symmetric(tensor, rotate_inverse(q, 2.0, (1.0, 0.0, 0.0))))
    y = rotate(q, 2.0, apply_symmetric(tensor, rotate_inverse(q, 2.0, (0.0, 1.0, 0.0))))
    z = rotate(q, 2.0, apply_symmetric(tensor, rotate_inverse(q, 2.0, (0.0, 0.0, 1.0))))
    return x[0], y[1], z[2], y[0], z[0], z[1]


@inlined
def _add_to_tree(work: Array, joints: Array, links: Integers, points: Array, link: int) -> None:
    """Add a joint to the tree of its bodies, unless it connects nothing, or bodies that others connect; the world is part of one tree."""
    points[link, SIDES] = NO_SIDES
    if EQUALITY_ROWS[int(joints[TYPE, link])] == 0:
        return
    place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
    top, other_top = _top(work, GROUP, place), _top(work, GROUP, other)
    held = work[IS_HELD, top] != 0.0
    other_held = True
    if other >= 0:
        other_held = work[IS_HELD, other_top] != 0.0
    if top == other_top or (held and other_held):
        points[link, SIDES] = IN_LOOP
        return
    points[link, SIDES] = IS_BRIDGE
    lowest = top
    if other >= 0:
        lowest = min(top, other_top)
        work[GROUP, max(top, other_top)] = float(lowest)
        work[DEGREE, other] += 1.0
        work[LINK_SUM, other] += float(link)
    work[DEGREE, place] += 1.0
    work[LINK_SUM, place] += float(link)
    work[IS_HELD, lowest] = 1.0 if held or other_held else 0.0


@inlined
def _take_away(work: Array, links: Integers, first: int, last: int) -> None:
    """Take bodies with one joint away from their tree, one after another, and add their mass properties to those of what they hang on."""
    count = done = 0
    for place in range(first, last):
        if work[DEGREE, place] == 1.0:
            work[QUEUE, first + count] = float(place)
            count += 1
    while done < count:
        place = int(work[QUEUE, first + done])
        done += 1
        if work[DEGREE, place] != 1.0:
            continue  # the last one of its tree
        link = int(work[LINK_SUM, place])
        upper = links[link, SECOND_PLACE] if links[link, FIRST_PLACE] == place else links[link, FIRST_PLACE]
        work[DEGREE, place], work[RANK, place] = 0.0, float(done)
        work[UPPER_PLACE, place], work[UPPER_LINK, place] = float(upper), float(link)
        if upper >= 0:
            mass, center, tensor = about_joint_center(
                float(work[COMPOSITE, upper]),
                load_vector(work, COMPOSITE + 1, upper),
                load_symmetric(work, COMPOSITE + 4, upper),
                float(work[COMPOSITE, place]),
                load_vector(work, COMPOSITE + 1, place),
                load_symmetric(work, COMPOSITE + 4, place),
            )
            _store_composite(work, upper, mass, center, tensor)
            work[DEGREE, upper] -= 1.0
            work[LINK_SUM, upper] -= float(link)
            if work[DEGREE, upper] == 1.0:
                work[QUEUE, first + count] = float(upper)
                count += 1


@inlined
def _mark_loop(work: Array, links: Integers, points: Array, link: int) -> None:
    """Mark the joints of the tree that are in a loop with this one, which are those on the way from one end to the other."""
    place, other = _top(work, JUMP, links[link, FIRST_PLACE]), _top(work, JUMP, links[link, SECOND_PLACE])
    while place != other:
        lower = max(place, other)
        if place >= 0 and other >= 0:
            lower = place if work[RANK, place] < work[RANK, other] else other
        points[int(work[UPPER_LINK, lower]), SIDES] = IN_LOOP
        work[JUMP, lower] = work[UPPER_PLACE, lower]  # never visited again
        place, other = _top(work, JUMP, place), _top(work, JUMP, other)


@inlined
def _of_sides(work: Array, links: Integers, points: Array, rows: Array, link: int, row: int, pose: int) -> float:
    """The inertia about a freedom whose joint no loop contains: twice the energy of the motion in which it has unit rate.

    If the world holds neither side, both are at rest as a whole in that motion.
    """
    place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
    lower = place if int(work[UPPER_LINK, place]) == link else other
    point = add(load_vector(work, pose + POSITION, place), load(points, link, ARM))
    turn = load(rows, row, ANGULAR)
    mass, center = float(work[COMPOSITE, lower]), load_vector(work, COMPOSITE + 1, lower)
    velocity = add(load(rows, row, LINEAR), cross(turn, subtract(center, point)))
    spin = apply_symmetric(load_symmetric(work, COMPOSITE + 4, lower), turn)
    inertia = mass * dot(velocity, velocity) + dot(turn, spin)
    root = int(work[TREE_ROOT, _top(work, GROUP, lower)])
    if root >= 0:  # the world holds neither side: less the energy of both together
        whole, middle = float(work[COMPOSITE, root]), load_vector(work, COMPOSITE + 1, root)
        momentum = scale(mass, velocity)
        angular = add(spin, cross(subtract(center, middle), momentum))
        answer = apply_symmetric(inverse(load_symmetric(work, COMPOSITE + 4, root)), angular)
        inertia = inertia - dot(momentum, momentum) / whole - dot(angular, answer)
    return inertia


@inlined
def _between_ends(work: Array, links: Integers, points: Array, rows: Array, link: int, row: int, pose: int) -> float:
    """The inertia along a line between two points that nothing else connects; zero if other joints do."""
    place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
    top, other_top = _top(work, GROUP, place), _top(work, GROUP, other)
    point, line = add(load_vector(work, pose + POSITION, place), load(points, link, ARM)), load(rows, row, LINEAR)
    yields = 0.0
    if top != other_top:
        yields = _yield_of(work, top, point, line)
        if other >= 0:
            yields += _yield_of(work, other_top, point, line)
    return 1.0 / yields if yields > 0.0 else 0.0


@inlined
def _yield_of(work: Array, top: int, point: Vector, line: Vector) -> float:
    """The rate at a point of a whole tree, along a line, for a unit impulse along it; zero if the world holds the tree."""
    root = int(work[TREE_ROOT, top])
    if root < 0:
        return 0.0
    lever = cross(subtract(point, load_vector(work, COMPOSITE + 1, root)), line)
    answer = apply_symmetric(inverse(load_symmetric(work, COMPOSITE + 4, root)), lever)
    return dot(line, line) / float(work[COMPOSITE, root]) + dot(lever, answer)


# in loops


@inlined
def _hold(common: Packed[Tables], island: int) -> None:
    """Make the factor of an island with the rows that hold joints alone."""
    tables = unpack(common)
    for row in range(tables.islands[island, ROWS], tables.islands[island, ROWS_END]):
        tables.rows[row, IS_FREE] = 1.0 if tables.rows[row, KIND] == EQUALITY else 0.0
    make_factor(tables, island)


@inlined
def _of_island(common: Packed[Tables], island: int, place: int, other: int, row: int) -> float:
    """The inertia about a freedom while all joints of the island may move; zero if they do not let it move."""
    tables = unpack(common)
    work, links, islands, rows = tables.work, tables.links, tables.islands, tables.rows
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    _clear(work, first, last)
    _push(work, rows, row, place, other, 1.0)
    solve_island(tables, island)
    for each in range(first, last):
        for entry in range(6):
            work[ANSWER + entry, each] = work[SOLUTION + entry, each]
    for _repeat in range(_REPEATS):
        _clear(work, first, last)
        for link in range(islands[island, LINKS], islands[island, LINKS_END]):
            one, two = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            for held in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                if rows[held, IS_FREE] != 0.0:
                    missed = along(work, rows, held, one, two, ANSWER, ANSWER + 3)
                    _push(work, rows, held, one, two, -missed / float(rows[held, SOFTNESS]))
        solve_island(tables, island)
        for each in range(first, last):
            for entry in range(6):
                work[ANSWER + entry, each] += work[SOLUTION + entry, each]
    yields = along(work, rows, row, place, other, ANSWER, ANSWER + 3)
    return 1.0 / yields if yields > NEGLIGIBLE * float(rows[row, YIELDS]) else 0.0


@inlined
def _clear(work: Array, first: int, last: int) -> None:
    for place in range(first, last):
        for entry in range(6):
            work[SOLUTION + entry, place] = 0.0


@inlined
def _push(work: Array, rows: Array, row: int, place: int, other: int, impulse: float) -> None:
    """Add an impulse of a row to the impulses and angular impulses on both bodies."""
    linear = scale(impulse, load(rows, row, LINEAR))
    add_to_vector(work, SOLUTION, place, linear)
    add_to_vector(work, SOLUTION + 3, place, scale(impulse, load(rows, row, ON_BODY)))
    if other >= 0:
        add_to_vector(work, SOLUTION, other, scale(-1.0, linear))
        add_to_vector(work, SOLUTION + 3, other, scale(-impulse, load(rows, row, ON_OTHER)))
