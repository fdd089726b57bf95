"""The arguments of the kernels of the step of islands."""

from typing import NamedTuple

from ..compilation.packed import Packed
from ..loops.columns import Array, Integers, IntegerTable, Numbers
from ..loops.steps import Counts


class Tables(NamedTuple):
    """The arrays in which islands take their step, whose rows and columns `layout` numbers."""

    own: Array
    """The bodies of islands, one column per place, as in the bodies of a world."""
    work: Array
    joints: Array
    """The joints between them, as in the table of a world."""
    links: IntegerTable
    """The joints, and after them the contacts: which bodies they connect, and which rows they have."""
    islands: IntegerTable
    points: Array
    rows: Array
    blocks: Array
    """The matrices of islands, and their factors, one block of 6 × 6 numbers per row."""
    program: IntegerTable
    """The operations on blocks that factor a matrix."""
    measures: Array
    calls: Integers
    """The addresses of the kernels that others call, in the order of `calls`."""
    touching: Array
    """The points of contacts."""
    stages: Array
    """The states at which forces are evaluated, their wrenches there, and what is kept before the second kick."""
    made: Array
    """For what the directions and factors that islands keep were computed, one row per body of an island."""


class Forces(NamedTuple):
    """The forces on islands."""

    common: Packed[Tables]
    control: Integers
    """The control of the bodies of islands."""
    calls: IntegerTable
    """The addresses of the kernels of springs and of fields, and the first row and the number of layers of each field."""
    layers: Array
    springs: Array
    point_forces: Array
    counts: Integers
    """The numbers of springs and of forces at points."""


class Actuators(NamedTuple):
    """The actuators that kick bodies at the end of a tick."""

    places: Integers
    """The place of each body of the world, or -1."""
    thrusters: Array
    wheels: Array
    tanks: Array
    counts: Integers
    """The numbers of rows of all, which say whether any may kick a body."""
    acting: Integers
    """The same, or zeros if none of them is on a body of an island."""


class Step(NamedTuple):
    """What takes the step of islands."""

    common: Packed[Tables]
    forces: Packed[Forces]
    actuators: Actuators
    evaluations: int
    """How often forces are evaluated in the second kick."""


class Outside(NamedTuple):
    """What is copied into the arrays of islands before a tick and back after it."""

    common: Packed[Tables]
    forces: Packed[Forces]
    array: Array
    """The bodies of the world."""
    columns: Integers
    """The row of each body of an island, in the order of islands."""
    places: Integers
    """The place of each body, or -1."""
    layers: Array
    springs: Array
    spring_rows: Integers
    point_forces: Array
    point_rows: Integers
    table: Array
    """The joints of the world."""
    sizes: Integers
    """How much there is of everything (see `graph`)."""
    impacts: Array


class Move(NamedTuple):
    """The arguments of `ticks.move_islands` and `passes.islands_passes`."""

    control: Integers
    """The control of the bodies of the world."""
    failed: Integers
    """The number of the island that has failed."""
    calls: Integers
    """The addresses of the kernels that open, step and close islands."""
    outside: Packed[Outside]
    step: Packed[Step]
    parts: Numbers
    """The lengths of the parts of a tick as shares of it, for islands on which no row but equalities acts."""
    one_part: Numbers
    """The same for others."""
    visible: Array
    """The stages of the bodies of the world, which Python forces see."""
    kept: Array
    """The held wrenches of bodies without what Python forces have added to them for a kick."""
    stored: int
    """1 if any body stores momentum."""
    dt: float
    """The length of a tick [s]."""


class Latches(NamedTuple):
    """The arguments of `latches.latches_in_reach`."""

    bodies: Array
    control: Integers
    table: Array
    rows: Integers
    distances: Array
    seen: Integers
    """The number of the tick at whose start the latches were looked at last."""


class JointSteps(NamedTuple):
    """What joints carry in the steps of a tick."""

    table: Array
    forces: Array
    """The sum of the forces of each joint."""
    reached: Array
    """Whether a freedom has reached a limit."""
    counts: Counts
