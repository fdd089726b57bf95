"""The actuators of a world, which are valves, gimbals, tanks and wheels, and the bodies that they drive."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, refuse
from ..compilation.choice import Loop, linked, named, ready
from ..compilation.packed import Packed, declared_in
from ..flight.tank import TANKS
from ..flight.wheel import WHEELS, momenta_at
from ..forces.valves import THRUSTERS
from ..integrators.integrator import Integrator
from ..loops import actuators as loops
from ..loops import gather
from ..loops.actuator_layout import (
    BODY,
    IS_FLOWING,
    MOMENTUM,
    TANK_DRIVEN,
    WHEEL_AXIS,
    WHEEL_DRIVEN,
    WHEEL_INERTIA,
)
from ..loops.columns import Integers
from ..loops.keeping import keeping
from ..loops.layout import CENTER_OF_MASS, INERTIA, MASS, STORED_MOMENTUM
from ..loops.masses import REFUSED, compose
from ..loops.program import Operation
from ..loops.wheels import sum_wheels
from ..solids.mass_properties import MassProperties
from ..store.bodies import Bodies
from ..store.by_body import RowsByBody
from ..store.model import mass_property_rows
from ..store.rows import TableRows
from ..store.schema import ANY, Field, Kind, Schema
from ..store.store import Store
from ..store.table import IntArray, Rows, Table
from .held import Held

DRIVEN = Schema(
    "driven",
    (
        Field("body", Kind.MODEL, meaning="row of the body", digest=100, refers_to="bodies", rest=-1.0),
        Field("dry_mass", Kind.MODEL, 1, "kg", digest=0, rest=1.0, meaning="without its tanks' propellant"),
        Field("dry_center_of_mass_body", Kind.MODEL, 3, "m", "body", digest=1, rule=ANY, meaning="from the origin"),
        Field("dry_inertia_body", Kind.MODEL, 6, "kg·m²", "body", digest=2, meaning="with wheels locked, about it"),
        Field("kept", Kind.SCRATCH, 12, meaning="position, velocity, rates, stored momentum at the start of the tick"),
        Field("joint", Kind.SCRATCH, 10, meaning="mass, mass centre and inertia with propellant, without wheels"),
        Field("is_flowing", Kind.SCRATCH, meaning="whether its mass properties are to be computed"),
        Field("is_stale", Kind.SCRATCH, meaning="whether its held wrench is to be gathered again"),
    ),
    flown=True,
)  # fmt: skip


ACTUATOR_TABLES = frozenset(schema.name for schema in (DRIVEN, THRUSTERS, WHEELS, TANKS))
"""The tables that the kernels of actuators write."""
LEFT_BY_FAILED_TICKS = ACTUATOR_TABLES - {WHEELS.name}
"""Those of them in which a tick that fails has written no STATE."""

_MUST = (
    "one that leaves a positive definite tensor in the equation of motion, which is the inertia of the body without the moments of "
    "its wheels about their axes"
)
_UP_TO_MODEL = slice(0, STORED_MOMENTUM)
"""The components of a body from its state to its mass properties."""
_STORED = slice(STORED_MOMENTUM, STORED_MOMENTUM + 3)
_RULE = "its inertia without the moments of its wheels about their axes is no longer positive definite"


class Actuators:
    """The tables of thrusters, wheels, tanks and driven bodies, and the loops that run ticks with them.

    A body is driven once it has had a wheel or a tank, or a thruster that has fired a pulse. Worlds without driven bodies run the same code
    as worlds without actuators.
    """

    def __init__(self, store: Store, bodies: Bodies, held: Held) -> None:
        self._store = store
        self._bodies = bodies
        self._held = held
        self._thrusters, self._wheels = store.table(THRUSTERS), store.table(WHEELS)
        self._tanks, self._driven = store.table(TANKS), store.table(DRIVEN)
        of_body = (RowsByBody(table, bodies) for table in (self._driven, self._wheels, self._tanks))
        self._driven_by_body, self._wheels_by_body, self._tanks_by_body = of_body

    @property
    def any(self) -> bool:
        """Whether any body is driven."""
        return self._driven.count > 0

    @property
    def driven(self) -> Table:
        """The table of driven bodies."""
        return self._driven

    # bodies and their mass properties

    def row_of(self, body: int) -> int:
        """The row of a driven body; -1 if it is not driven."""
        rows = self._driven_by_body.rows_of(body)
        return rows[0] if rows else -1

    def include(self, body: int, owner: object) -> int:
        """Drive a body from now on, and return its row.

        Raises:
            ValueError: If the integrator of the world does not support actuators, or the body is frozen.
        """
        row = self.row_of(body)
        if row < 0:
            world = self._store.world()
            refuse_actuators(world.integrator, owner)
            freezing = world._stages.freezing
            if freezing.refuses_actuators and body in freezing.rows:  # a part would change the state that it keeps
                hint = "it moves again when its pose, velocity or rates are assigned"
                refuse(owner, "the body", self._bodies.handles[body], "one that is not frozen", hint=hint)
            array = self._bodies.array
            model = array[[MASS, *range(CENTER_OF_MASS, CENTER_OF_MASS + 3), *range(INERTIA, INERTIA + 6)], body]
            self._driven.append_one((body, *model, *np.zeros(len(DRIVEN.rest) - 11)))
            row = self._driven.count - 1
        return row

    def include_part(self, part: TableRows, body: int) -> None:
        """Let a wheel or tank, whose rows are in the tables, join a body.

        Raises:
            ValueError: If the body has stored momentum that was set by hand, or the tensor of the equation of motion is not positive
                definite.
        """
        others = [row for row in self.wheels_of(body) if part._schema is not WHEELS or row != part.rows.start]
        if not others and self._bodies.read("stored_momentum_body", body).any():
            hint = "set it to zero, and give the wheels their speeds instead"
            refuse("World.add_part", "part", part, "on a body without stored_momentum_body", hint=hint)
        row = self.include(body, f"World.add_part: {part!r}")
        part._table.write(part._schema.row("driven"), part.rows.start, float(row))
        if part._schema is WHEELS:
            self._bodies.look_for_stored_momentum(rows=body)
        self.compose([body], "World.add_part", "part", part)
        self.sum_wheels(self._with_wheels([body]))

    def forget_part(self, part: object, body: int) -> None:
        """Compute the mass properties of a body after one of its wheels or tanks has been removed."""
        if self.row_of(body) >= 0:
            self.compose([body], "World.remove_part", "part", part)
            if not self.wheels_of(body):
                self._bodies.write(_STORED, body, 0.0)
        self.sum_wheels(self._with_wheels([body]))

    def set_dry(self, body: int, value: MassProperties, owner: object) -> None:
        """Replace the mass properties of a driven body without propellant."""
        rows = mass_property_rows(value)
        values = [rows[0], *rows[2:11]]
        self._driven.write(slice(1, 11), self.row_of(body), values)
        self.compose([body], owner, "mass_properties", value)

    def wheels_of(self, body: int) -> list[int]:
        """The rows of the wheels of a body, in ascending order."""
        return self._wheels_by_body.rows_of(body)

    def tanks_of(self, body: int) -> list[int]:
        """The rows of the tanks of a body, in ascending order."""
        return self._tanks_by_body.rows_of(body)

    def _with_wheels(self, bodies: Iterable[int]) -> list[int]:
        return [body for body in bodies if self.wheels_of(body)]

    def compose(self, bodies: Iterable[int], owner: object, argument: str, value: object) -> None:
        """Compute the mass properties of driven bodies from their parts; their states move with the mass centres.

        Raises:
            ValueError: If a tensor without the wheels' moments is not positive definite.
        """
        rows = list(bodies)
        array, driven, wheels, tanks, counts = self._apart(rows)
        driven[IS_FLOWING] = 1.0
        bad = ready(kernels_of_actuators().compose)(array, driven, wheels, tanks, counts)
        if bad >= 0 or not np.isfinite(array).all():
            refuse(owner, argument, value, _MUST)
        self._bodies.write(_UP_TO_MODEL, rows[0] if len(rows) == 1 else rows, _of_one(array[_UP_TO_MODEL]))

    # wheels and the state of their bodies

    def sum_wheels(self, bodies: Sequence[int]) -> None:
        """Set the stored momentum of these bodies, each of which has wheels, to that of their wheels."""
        if bodies:
            array, _driven, wheels, _tanks, counts = self._apart(bodies)
            ready(kernels_of_actuators().sum_wheels)(array, wheels, counts)
            rows = bodies[0] if len(bodies) == 1 else list(bodies)
            self._bodies.write(_STORED, rows, _of_one(array[_STORED]))

    def _apart(self, bodies: Sequence[int]) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, Integers]:
        """Copies of some bodies, of their driven rows, wheels and tanks, which refer to each other, and the numbers of their rows.

        The kernels that work on whole tables then do not take longer the more other bodies there are, and change nothing until all is well.
        """
        places = {body: place for place, body in enumerate(bodies)}
        counts, found = np.zeros(gather.COUNTED, np.int64), [_columns(self._bodies.array, list(bodies))]
        for count, table, of_body, reference in (
            (gather.DRIVEN, self._driven, self._driven_by_body, None),
            (gather.WHEELS, self._wheels, self._wheels_by_body, WHEEL_DRIVEN),
            (gather.TANKS, self._tanks, self._tanks_by_body, TANK_DRIVEN),
        ):
            rows = [row for body in bodies for row in of_body.rows_of(body)]
            columns = _columns(table.array, rows)
            columns[BODY] = [places[int(body)] for body in columns[BODY].tolist()]
            if reference is not None:
                columns[reference] = columns[BODY]  # driven rows are in the order of the bodies
            counts[count] = len(rows)
            found.append(columns)
        array, driven, wheels, tanks = found
        return array, driven, wheels, tanks, counts

    @property
    def has_wheels(self) -> bool:
        """Whether any body has wheels."""
        return self._wheels.count > 0

    @property
    def all_wheels(self) -> npt.NDArray[np.int64]:
        """The rows of all wheels."""
        return np.arange(self._wheels.count)

    def speeds(self, rows: Rows) -> FloatArray:
        """The speeds of wheels relative to their bodies [rad/s]."""
        wheels = self._wheels.array[:, rows]
        rates = self._bodies.read("angular_velocity_body")[wheels[BODY].astype(int)]
        x, y, z = wheels[WHEEL_AXIS : WHEEL_AXIS + 3]
        along = x * rates[:, 0] + y * rates[:, 1] + z * rates[:, 2]
        return np.asarray(wheels[MOMENTUM] / wheels[WHEEL_INERTIA] - along)

    def set_speeds(self, rows: IntArray | list[int], speeds: FloatArray) -> None:
        """Give wheels these speeds relative to their bodies, whose rates have just been set."""
        if len(rows):
            wheels = self._wheels.array[:, rows]
            rates = self._bodies.read("angular_velocity_body")[wheels[BODY].astype(int)]
            self._wheels.write(MOMENTUM, rows, momenta_at(wheels, speeds, rates))
            self.sum_wheels(np.unique(wheels[BODY].astype(int)).tolist())

    def wheel_energies(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> FloatArray:
        """The kinetic energies of wheels about their axes [J]."""
        momentum, moments = self._wheels.array[MOMENTUM, rows], self._wheels.array[WHEEL_INERTIA, rows]
        return np.asarray(0.5 * (momentum * momentum / moments))

    def locked_inertia(self, body: int) -> FloatArray:
        """What the wheels of a body add to the tensor of the equation of motion when they are locked, shape (3, 3)."""
        total = np.zeros((3, 3))
        for row in self.wheels_of(body):
            axis = self._wheels.array[WHEEL_AXIS : WHEEL_AXIS + 3, row]
            total += self._wheels.array[WHEEL_INERTIA, row] * np.outer(axis, axis)
        return total

    # ticks

    def operations(self, dt: float, control: Integers, gathers_all: bool) -> tuple[Operation, Operation]:
        """What drives the actuators before the bodies are moved over a tick or a step of `dt` [s], and after it.

        Args:
            dt: The length of a tick or step [s].
            control: Counts the ticks or steps.
            gathers_all: Whether to gather the held wrench of all bodies, and not only where it has changed.
        """
        bodies, held = self._bodies, self._held
        parts = parts_of(bodies, held.counts)
        gravities, constants, _thrusters, pushes = held.tables
        gather_at, (marks, owners) = np.zeros(1, np.int64), np.zeros((2, bodies.pitch), np.int64)
        found_in = np.zeros(self._driven.capacity, np.int64), marks, owners
        tables = gravities.array, constants.array, pushes.array
        undone = Packed(parts)
        packed = Packed(loops.Drive(undone, control, bodies.count, *tables, gather_at, held.runs, *found_in, dt))
        begin, end, undo = linked(declared_in(loops), [kernels_of_actuators().gather], gather_at)
        return (
            Operation(begin, packed, int(gathers_all), (undo, undone)),
            Operation(end, packed, int(control is not bodies.control)),
        )

    def parts_put_back(self) -> Operation:
        """What follows from the tables after they have been put back with a tick of several steps that failed."""
        nothing, _kept = keeping(self._driven.array, np.zeros(0, np.int64), 0)
        return nothing._replace(undo=(loops.undo_driven, Packed(parts_of(self._bodies))))

    def refuse_tensor(self) -> None:
        """Raise an error if the last tick was undone because a draining tank left a body without a valid tensor.

        Raises:
            ValueError: If the last tick was undone for this reason.
        """
        refused = self.take_refused()
        if refused:
            body = self._bodies.handles[refused[0]]
            raise ValueError(
                f"{body}: the tick would drain its tanks so far that {_RULE}. The world is as it was before that tick; "
                "make the wheels smaller, or leave more propellant"
            )

    def take_refused(self) -> list[int]:
        """The bodies that draining tanks would have left without a valid tensor in the tick that was undone; they are named once."""
        if not self._driven.count:
            return []
        driven = self._driven.array[:, : self._driven.count]
        refused = np.flatnonzero(driven[IS_FLOWING] == REFUSED)
        driven[IS_FLOWING, refused] = 0.0
        return driven[BODY, refused].astype(int).tolist()


def composed(
    bodies: FloatArray, driven: FloatArray, wheels: FloatArray, tanks: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The mass properties that driven bodies have with the propellant of their tanks, without the moments of their wheels.

    Args:
        bodies: The columns of all bodies; none of the arrays is changed.
        driven: The table of driven bodies.
        wheels: The table of wheels.
        tanks: The table of tanks.

    Returns:
        Mass [kg], mass centre [m] and tensor (xx, yy, zz, xy, xz, yz) [kg·m²] of each driven body, body frame, shapes (n,), (3, n) and
        (6, n). Those of bodies behind the first one whose tensor is not positive definite are nan, and its own.
    """
    array, rows, counts = bodies.copy(), driven.copy(), np.zeros(gather.COUNTED, np.int64)
    counts[gather.DRIVEN], counts[gather.WHEELS], counts[gather.TANKS] = rows.shape[1], wheels.shape[1], tanks.shape[1]
    rows[IS_FLOWING] = 1.0
    places = rows[BODY].astype(int)
    array[MASS, places] = np.nan
    ready(kernels_of_actuators().compose)(array, rows, wheels.copy(), tanks.copy(), counts)
    return array[MASS, places], array[CENTER_OF_MASS : CENTER_OF_MASS + 3, places], array[INERTIA : INERTIA + 6, places]


def parts_of(bodies: Bodies, counts: Integers | None = None) -> loops.Parts:
    """The bodies of a world, the tables of actuators, and the numbers of their rows, as kernels take them."""
    assert bodies.store is not None
    counts = np.zeros(gather.COUNTED, np.int64) if counts is None else counts
    arrays, tables = list[FloatArray](), bodies.store.tables
    places = gather.DRIVEN, gather.THRUSTERS, gather.WHEELS, gather.TANKS
    for place, schema in zip(places, (DRIVEN, THRUSTERS, WHEELS, TANKS), strict=True):
        counts[place] = tables[schema.name].count
        arrays.append(tables[schema.name].array)
    frozen = tables.get("frozen bodies")
    counts[gather.HAS_FROZEN] = int(frozen is not None and frozen.count > 0)
    driven, thrusters, wheels, tanks = arrays
    return loops.Parts(bodies.array, driven, thrusters, wheels, tanks, counts)


def _columns(array: FloatArray, rows: list[int]) -> FloatArray:
    """A contiguous copy of columns, as kernels take them."""
    return np.ascontiguousarray(array[:, rows])


def _of_one(columns: FloatArray) -> FloatArray:
    """The components of a single column, which are written to one row."""
    return columns[:, 0] if columns.shape[1] == 1 else columns


class _Kernels(NamedTuple):
    """One value for each kernel that ticks with actuators call."""

    gather: Loop
    compose: Loop
    sum_wheels: Loop


@cache
def kernels_of_actuators() -> _Kernels:
    """The kernels that ticks with actuators call, without the loops that move the bodies."""
    array, integers = np.zeros((1, 1)), np.zeros(1, np.int64)
    return _Kernels(
        gather=named(gather.gather_held, array, 0, *[array] * 5, *[integers] * 3, integers.reshape(1, 1)),
        compose=named(compose, array, array, array, array, integers),
        sum_wheels=named(sum_wheels, array, array, integers),
    )


def refuse_actuators(integrator: Integrator, owner: object) -> None:
    """Reject actuators in a world whose method cannot drive them.

    Raises:
        ValueError: If the method tries ticks of several lengths or reuses the wrenches of earlier ticks.
    """
    if not integrator._takes_actuators:
        refuse(
            owner,
            "the integrator of the world",
            integrator.name,
            "one that computes each tick once",
            hint="Extrapolated and Substepped(tolerance=…) do not support wheels, tanks and pulses; choose another integrator",
        )
