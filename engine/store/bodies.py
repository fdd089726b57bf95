"""The table of bodies, which is one array for all loops."""

from __future__ import annotations

from collections.abc import Collection
from operator import is_
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray
from ..compilation import choice
from ..loops import layout
from ..loops.actuator_layout import BODY, WHEEL_AXIS, WHEEL_INERTIA
from ..loops.allocation import from_column, zeros
from ..loops.floating_point import new_control
from ..solids.mass_properties import MassProperties
from .images import BodiesImage, RowsImage, TableImage
from .schema import POINT, UNIT, Field, Kind, Schema, up_to
from .table import IntArray, Owner, Rows, Table

_STATE = (
    Field("position", Kind.STATE, 3, "m", "world", "of the mass centre", digest=0, world_axes=POINT),
    Field("orientation", Kind.STATE, 4, "-", "body to world", "scalar last (x, y, z, w)", digest=1, rest=(0.0, 0.0, 0.0, 1.0), stored=UNIT),
    Field("velocity", Kind.STATE, 3, "m/s", "world", "of the mass centre", digest=2),
    Field("angular_velocity_body", Kind.STATE, 3, "rad/s", "body", digest=3),
)  # fmt: skip
_PREVIOUS = (
    Field("previous_position", Kind.PREVIOUS, 3, "m", "world", "one tick earlier", world_axes=POINT),
    Field("previous_orientation", Kind.PREVIOUS, 4, "-", "body to world", "one tick earlier", rest=(0.0, 0.0, 0.0, 1.0), stored=UNIT),
    Field("previous_velocity", Kind.SCRATCH, 3, "m/s", "world", "one tick earlier"),
    Field("previous_angular_velocity_body", Kind.SCRATCH, 3, "rad/s", "body", "one tick earlier"),
)  # fmt: skip
_WRENCH = (
    Field("held_force_world", Kind.SCRATCH, 3, "N", "world", "held over the tick"),
    Field("held_torque_world", Kind.SCRATCH, 3, "N·m", "world", "held over the tick, about the mass centre"),
    Field("held_force_body", Kind.SCRATCH, 3, "N", "body", "held over the tick"),
    Field("held_torque_body", Kind.SCRATCH, 3, "N·m", "body", "held over the tick, about the mass centre"),
)
_ONES = (1.0, 1.0, 1.0)
_UNIT_TENSOR = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
_MODEL = (
    Field("mass", Kind.MODEL, 1, "kg", digest=5, rest=1.0),
    Field("inverse_mass", Kind.MODEL, 1, "1/kg", digest=6, rest=1.0),
    Field("center_of_mass_body", Kind.MODEL, 3, "m", "body", "from the body's origin", digest=7),
    Field("inertia_body", Kind.MODEL, 6, "kg·m²", "body", "xx, yy, zz, xy, xz, yz about the mass centre", digest=8, rest=_UNIT_TENSOR),
    Field("inverse_inertia_body", Kind.MODEL, 6, "1/(kg·m²)", "body", "its inverse", digest=9, rest=_UNIT_TENSOR),
    Field("principal_moments", Kind.MODEL, 3, "kg·m²", "", "ascending", digest=10, rest=_ONES),
    Field("principal_axes", Kind.MODEL, 3, "-", "principal to body", "x, y, z of a quaternion whose w is at least 1/2", digest=11),
)  # fmt: skip
_WHEELS = (Field("stored_momentum_body", Kind.STATE, 3, "N·m·s", "body", "angular momentum of wheels", digest=4),)
_MOTORS = (
    Field("motor_torque_body", Kind.SCRATCH, 3, "N·m", "body", "of motors on the wheels, held over the tick"),
    Field("previous_stored_momentum_body", Kind.SCRATCH, 3, "N·m·s", "body", "one tick earlier"),
)
_FREEZING = (
    Field("is_frozen", Kind.SCRATCH, meaning="whether it keeps its state, as the table of frozen bodies says"),
    Field("was_not_finite", Kind.SCRATCH, meaning="whether it was not finite in the tick that was rejected last"),
)

BODIES = Schema("bodies", (*_STATE, *_PREVIOUS, *_WRENCH, *_MODEL, *_WHEELS, *_MOTORS, *_FREEZING), flown=True)

HISTORY = Schema(
    "history",
    (
        Field("last_wrench", Kind.STATE, 12, "N, N·m", "", "held over the tick before", digest=0),
        Field("older_wrench", Kind.STATE, 12, "N, N·m", "", "held over the one before that", digest=1),
        Field(
            "known_wrenches",
            Kind.STATE,
            1,
            "-",
            "",
            "how many of the two are known",
            digest=2,
            stored=up_to(2.0),
        ),
    ),
    follows="bodies",
    flown=True,
)

_MOVING = layout.PREVIOUS + layout.VELOCITY
"""The number of components, from the first one on, that ticks change and images contain: the state and the previous pose."""
_PREVIOUS_RATES = slice(_MOVING, layout.PREVIOUS + layout.STATE_ROWS)
"""The velocities one tick earlier, which images contain if accelerometers read them."""
_MODEL_ROWS = (layout.MASS, layout.PRINCIPAL_AXES + 3)
_STORED = slice(layout.STORED_MOMENTUM, layout.STORED_MOMENTUM + 3)
_PREVIOUS_STORED = slice(layout.PREVIOUS_STORED_MOMENTUM, layout.PREVIOUS_STORED_MOMENTUM + 3)
_STORING = slice(layout.STORED_MOMENTUM, layout.MOTOR_TORQUE + 3)
"""Stored momentum and what changes it."""
_NO_COLUMNS = np.zeros(0, np.int64)
_SMALLEST = 264


class Roster(NamedTuple):
    """The handles and the mass properties of the bodies, in row order."""

    handles: tuple[Any, ...]
    mass_properties: tuple[MassProperties, ...]


class Bodies(Table):
    """The bodies of a world; rows from `count` on hold a body at rest, so that loops may run slightly past the end.

    The pitch is one of 264, 1032, 1544, 2056, 3080, 4104, …, each larger by a half or a third, because each pitch costs a compilation.
    Every pitch is eight above a multiple of 256, because rows a power of two apart compete for the same cache lines (with a pitch of 1024,
    `RungeKutta4` takes 40 ns per body per tick instead of 17).

    Attributes:
        control: Further values for the loops over bodies: the ticks run, the number of columns, the first body that was not finite, one.
        freezes: Whether bodies may be frozen, so that loops look whether one is.
        expects_torques: Whether a function may add motor torques on any body after the loops of a tick have been chosen.
        handles: The handle of each body, in row order.
        by_name: The handle of each body by its name.
        mass_properties: The mass properties of each body, in row order.
        members: The number of members in a batch, which do without each other; 0 in other worlds.
        stages: The array of the state at a stage and the wrenches of the evaluations; None until it is first used.
        stores_momentum: Whether any body has wheels, or stored momentum that was set by hand, or is expected to have wheels.
        is_shared: Whether several threads may run ticks of parts of the bodies.
        given_version: A counter that grows with every change of other components than state and previous pose, and of the list of
            bodies.
    """

    __slots__ = (
        "__weakref__",
        "_expects_wheels",
        "_given_image",
        "_given_key",
        "_roster",
        "by_name",
        "control",
        "expects_torques",
        "freezes",
        "given_version",
        "handles",
        "is_shared",
        "mass_properties",
        "members",
        "stages",
        "stores_momentum",
    )

    def __init__(self, store: Owner, is_shared: bool = False) -> None:
        self.is_shared = is_shared
        self.control = new_control(0, 0)
        self.control[layout.STORING :] = 0
        self.handles: list[Any] = []
        self.by_name: dict[str, Any] = {}
        self.mass_properties: list[MassProperties] = []
        self.stages: FloatArray | None = None
        self.stores_momentum = self.freezes = self.expects_torques = self._expects_wheels = False
        self.given_version = self.members = 0
        self._given_image: FloatArray | None = None
        self._given_key: tuple[int, ...] = ()
        self._roster: tuple[int, Roster] = (-1, Roster((), ()))
        super().__init__(BODIES, store, _SMALLEST)
        self.numbers = 0, layout.WRENCH

    @property
    def pitch(self) -> int:
        """Number of columns of the array, which is its capacity."""
        return int(self.array.shape[1])

    @property
    def padded_count(self) -> int:
        """Count rounded up to a multiple of eight, which avoids a scalar remainder loop.

        One or two bodies are not rounded up, because they take less time one by one than eight at a time: `RungeKutta4` 0.13 µs per body
        against 0.26 for eight, `FreeRotor` 0.29 against 0.86 (four lanes wide).
        """
        return self.count if self.count <= 2 else (self.count + 7) & ~7

    @property
    def may_run_in_python(self) -> bool:
        """Whether plain Python may move all bodies while a loop that has just become necessary is compiled in the background."""
        return self.count <= choice.MOST_IN_PYTHON

    @property
    def may_number_in_python(self) -> bool:
        """Whether plain Python may number islands while that kernel is compiled in the background; it takes some 20 µs per body, once."""
        return self.count <= 1000

    @property
    def tick_count(self) -> int:
        """Number of ticks run since the world was created."""
        return self.control.item(layout.TICKS)  # half the time of an index and a conversion

    @property
    def moves_mass(self) -> bool:
        """Whether ticks may change mass properties, because a body has tanks."""
        assert self.store is not None
        tanks = self.store.tables.get("tanks")
        return tanks is not None and tanks.count > 0

    def moments_of_wheels(self) -> FloatArray:
        """What the wheels of each body add to the tensor of the equation of motion when they are locked.

        Returns:
            Components (xx, yy, zz, xy, xz, yz) [kg·m²], body frame, shape (6, n).
        """
        assert self.store is not None
        moments, wheels = np.zeros((6, self.count)), self.store.tables.get("wheels")
        if wheels is not None:
            rows = wheels.array[:, : wheels.count]
            x, y, z = rows[WHEEL_AXIS : WHEEL_AXIS + 3]
            products = rows[WHEEL_INERTIA] * np.array([x * x, y * y, z * z, x * y, x * z, y * z])
            np.add.at(moments.T, rows[BODY].astype(np.int64), products.T)  # in the order of the wheels
        return moments

    # rows that belong to those of bodies

    @property
    def history(self) -> FloatArray | None:
        """Held wrenches of the last two ticks, shape (layout.HISTORY_ROWS, pitch); None until a method uses them."""
        assert self.store is not None
        table = self.store.tables.get(HISTORY.name)
        return None if table is None else table.array

    def history_array(self) -> FloatArray:
        """The held wrenches of the last two ticks, created on first use."""
        assert self.store is not None
        table = self.store.tables.get(HISTORY.name)
        if table is None:
            table = Follower(HISTORY, self.store, self.pitch)
            self.store.record(self._drop_history)
            self._bind_anew()
            table.array[:] = 0.0
            table.count = self.count
            table.ids[: self.count], table._next_id = self.ids[: self.count], self._next_id
            self.store.tables[HISTORY.name] = table
        return table.array

    def _drop_history(self) -> None:
        assert self.store is not None
        self.store.tables.pop(HISTORY.name, None)
        self._bind_anew()

    def forget_history(self, rows: Rows = slice(None)) -> None:
        """Discard the wrench history of these bodies after a discontinuity."""
        assert self.store is not None
        table = self.store.tables.get(HISTORY.name)
        if table is not None and table.count:
            table.write(slice(None), rows if not isinstance(rows, slice) else slice(0, table.count), 0.0)

    def remember_history(self, history: FloatArray) -> None:
        """Put back the array of histories."""
        assert self.store is not None
        table = self.store.tables[HISTORY.name]
        table.write(slice(None), slice(0, table.count), history[:, : table.count])

    def stage_array(self, evaluations: int) -> FloatArray:
        """The array of stages, with room for the wrenches of that many evaluations."""
        rows = layout.STAGE_WRENCH + layout.WRENCH_ROWS * evaluations
        if self.stages is None or self.stages.shape[0] < rows or self.stages.shape[1] != self.pitch:
            stages = zeros(rows, self.pitch, False)
            stages[layout.ORIENTATION + 3] = 1.0
            self._bind_anew()
            self.stages = stages
        return self.stages

    def _bind_anew(self) -> None:
        assert self.store is not None
        self.store.change_layout()

    def part(self, first: int, columns: int) -> tuple[FloatArray, IntArray]:
        """A view of the array from a column on, and a control of its own, for one of several threads."""
        control = new_control(self.tick_count, columns)
        control[layout.STORING :] = np.maximum(self.control[layout.STORING :] - first, 0)
        return from_column(self.array, first), control

    def before_change(self) -> None:
        """Check that the world may be changed now; every change that does not use `write` calls this first."""
        assert self.store is not None
        self.store.before_change()

    # changes

    def append(self, columns: FloatArray) -> int:
        first = super().append(columns)
        assert self.store is not None
        for follower in self.store.followers(BODIES.name):
            follower.append(np.repeat(follower.schema.rest, columns.shape[1], axis=1))
        return first

    def _new_image(self) -> BodiesImage:
        count, array = self.count, self.array
        # propellant that leaves changes them in each tick
        key = (self.given_version, self.tick_count if self.moves_mass else -1)
        if self._given_image is None or self._given_key != key:
            self._given_image, self._given_key = array[slice(*_MODEL_ROWS), :count].copy(), key
        stored = array[_STORED, :count].copy() if self.stores_momentum else None
        measured = self._measured_columns()
        rates = (measured, array[_PREVIOUS_RATES, measured]) if len(measured) else None
        return BodiesImage(self.rows_image(), array[:_MOVING, :count].copy(), stored, self._given_image, rates)

    def image_of(self, rows: IntArray) -> BodiesImage:
        array = self.array
        stored = array[_STORED, rows] if self.stores_momentum else None
        measured = np.flatnonzero(np.isin(rows, self._measured_columns()))
        rates = (measured, array[_PREVIOUS_RATES, rows[measured]]) if len(measured) else None
        given = array[slice(*_MODEL_ROWS), rows]
        return BodiesImage(self._some_rows(rows), array[:_MOVING, rows], stored, given, rates)

    def image_from(self, rows: RowsImage, content: FloatArray, given: Collection[str] = ()) -> BodiesImage:
        stored, moving, model = (content[each].copy() for each in (_STORED, slice(0, _MOVING), slice(*_MODEL_ROWS)))
        has_rates = {"previous_velocity", "previous_angular_velocity_body"} <= {*given}
        rates = (np.arange(content.shape[1]), content[_PREVIOUS_RATES].copy()) if has_rates else None
        return BodiesImage(rows, moving, stored if stored.any() else None, model, rates)

    def put(self, image: Any, tick: int, now: int) -> None:
        if self._image is image and self._image_key == (self.version, now):
            self._image_key = (self.version, tick)
            return
        self._put_rows(image.rows)
        array, count = self.array, self.count
        array[:_MOVING, :count] = image.moving
        if image.rates is not None:
            columns, rates = image.rates
            array[_PREVIOUS_RATES, columns] = rates
        if self.stores_momentum or image.stored is not None:
            array[_STORED, :count] = 0.0 if image.stored is None else image.stored
            self.look_for_stored_momentum()
        is_given = self._given_image is image.given and self._given_key == (self.given_version, -1)
        if not is_given or self.moves_mass:
            array[slice(*_MODEL_ROWS), :count] = image.given
            self._changed(slice(*_MODEL_ROWS), slice(0, count))
            self._given_image, self._given_key = image.given, (self.given_version, -1)
        self._changed(slice(0, _MOVING), slice(0, count))
        self._image, self._image_key = image, (self.version, tick)

    def roster(self) -> Roster:
        """The handles and the mass properties, shared until they change."""
        version, roster = self._roster
        if version != self.given_version:
            made = Roster(tuple(self.handles), tuple(self.mass_properties))
            if not all(len(old) == len(new) and all(map(is_, old, new)) for old, new in zip(roster, made, strict=True)):
                roster = made
            self._roster = (self.given_version, roster)
        return roster

    def put_roster(self, roster: Roster) -> None:
        """Have these handles, which get the ids of the rows; no inverse is recorded. Doing this twice does no harm."""
        if self._roster[1] is roster and self._roster[0] == self.given_version:
            return
        self.handles, self.mass_properties = list(roster.handles), list(roster.mass_properties)
        for handle, id in zip(roster.handles, self.ids.tolist(), strict=False):
            handle._have_id(id)
        self.by_name = {handle.name: handle for handle in roster.handles}
        self._roster = (self.given_version, roster)

    def _measured_columns(self) -> IntArray:
        """The columns of the bodies with accelerometers."""
        assert self.store is not None
        table = self.store.tables.get("accelerometers")
        return _NO_COLUMNS if table is None else np.unique(table.array[0, : table.count]).astype(np.int64)

    def keep_previous(self, column: int | slice) -> None:
        """Record the previous state of a body, or of adjacent ones, in the undo log of a tick, because kernels do not restore it."""
        assert self.store is not None
        rows = slice(layout.PREVIOUS, layout.PREVIOUS + layout.STATE_ROWS)
        self.store.record(self._put_previous, rows, column, self.array[rows, column].copy())

    def _put_previous(self, rows: slice, column: int | slice, values: FloatArray) -> None:
        self.array[rows, column] = values

    def make_room(self, count: int) -> None:
        """Have columns for so many bodies, so that their loops need not be compiled for other pitches while bodies are added."""
        if count > self.capacity:
            self.before_change()
            self._grow(count)
            assert self.store is not None
            for follower in self.store.followers(BODIES.name):
                if isinstance(follower, Follower):
                    follower.match(self)
            self._changed(None, None)

    def expect_wheels(self) -> None:
        """Use the loops for worlds with stored momentum from now on; they treat bodies without any like those for worlds without."""
        self._expects_wheels = True
        if not self.stores_momentum:
            self.before_change()
            self.stores_momentum = True
            self._bind_anew()

    def look_for_stored_momentum(self, has_moved: bool = False, rows: Rows | None = None) -> None:
        """Update `stores_momentum` and its columns in `control`, after stored momentum or a motor torque may have changed.

        Args:
            has_moved: Whether bodies were added, removed or moved to other columns.
            rows: The rows of the bodies with the change; None for all.
        """
        if rows is not None and self._count_as_storing(rows):
            return
        known, marks = self.control[layout.STORING :], self._storing_blocks()
        if marks is None:
            if known[1]:
                known[:] = 0
                self.array[_PREVIOUS_STORED] = 0.0
                self.stores_momentum = self._expects_wheels
                self._bind_anew()
            return
        if not has_moved:  # no fewer, so that a torque that comes and goes does not bind loops anew
            for start, end in known.reshape(-1, 2) // 8:
                marks[start:end] = True
        spans = _spans_of(marks)
        if (spans != known).any():
            # loops leave these rows of other columns alone, and put them back with a tick that is not finite
            if known[0] < self.pitch and self.array[_PREVIOUS_STORED].any():
                others = np.repeat(~marks, 8)
                for start, end in spans.reshape(-1, 2):
                    others[start:end] = False
                self.array[_PREVIOUS_STORED, others] = 0.0
            known[:] = spans
            if not self.stores_momentum or self.is_shared:
                # loops read the spans anew in each call, but parts have their own
                self.stores_momentum = True
                self._bind_anew()

    def _count_as_storing(self, rows: Rows) -> bool:
        """Whether these bodies are in the spans, of which none is given up before bodies move: there are wheels, or one of these stores."""
        assert self.store is not None
        wheels = self.store.tables.get("wheels")
        has_wheels = wheels is not None and wheels.count > 0
        if isinstance(rows, slice) or not (has_wheels or self.array[_STORING, rows].any()):
            return False
        columns, spans = np.asarray(rows)[..., np.newaxis], self.control[layout.STORING :].reshape(-1, 2)
        return bool(((columns >= spans[:, 0]) & (columns < spans[:, 1])).any(axis=-1).all())

    def _storing_blocks(self) -> npt.NDArray[np.bool_] | None:
        """Which blocks of eight columns contain bodies that store momentum or are frozen; None if none does and none may be."""
        assert self.store is not None
        rows = self.array[_STORING, : self.count]
        wheels = self.store.tables.get("wheels")
        has_wheels, stores = wheels is not None and wheels.count > 0, bool(rows.any())
        if not (has_wheels or stores or self.freezes or self.expects_torques):
            return None
        marks = np.full(self.pitch // 8, self.expects_torques)
        if self.freezes:  # the loops without stored momentum freeze no body
            marks[np.flatnonzero(self.array[layout.FROZEN]) // 8] = True
        if stores:
            marks[np.flatnonzero(rows.any(axis=0)) // 8] = True
        if wheels is not None and has_wheels:
            marks[wheels.array[0, : wheels.count].astype(int) // 8] = True
        return marks

    def _set(self, components: slice | int, rows: Rows, values: npt.ArrayLike) -> None:
        super()._set(components, rows, values)
        if touches(components, layout.STORED_MOMENTUM, layout.STORED_MOMENTUM + 3):
            self.look_for_stored_momentum(rows=rows)

    def _changed(self, components: slice | int | None, rows: Rows | None) -> None:
        if isinstance(components, slice) and components.stop is not None and components.stop <= layout.WRENCH:
            self.version += 1  # nothing else depends on positions and velocities
            return
        self.given_version += 1
        if rows is None:
            self.control[layout.COUNT] = self.padded_count
        if components is None:
            self.look_for_stored_momentum(has_moved=True)
        super()._changed(components, rows)

    def _capacity_for(self, wanted: int) -> int:
        return rung(wanted)

    def _resting(self, capacity: int) -> FloatArray:
        array = zeros(self.schema.size, capacity, self.is_shared)
        array[:] = self.schema.rest
        return array


def _spans_of(marks: npt.NDArray[np.bool_]) -> IntArray:
    """The starts and ends of spans of columns that contain the marked blocks of eight (see `layout.MOST_SPANS`)."""
    spans, blocks = np.full((layout.MOST_SPANS, 2), np.iinfo(np.int64).max), np.flatnonzero(marks)
    if not len(blocks):
        return spans.ravel()
    steps = blocks[1:] - blocks[:-1]
    gaps = np.flatnonzero(steps > _SHORTEST_STEP)
    if len(gaps) >= layout.MOST_SPANS:
        gaps = np.sort(gaps[np.argsort(-steps[gaps], kind="stable")[: layout.MOST_SPANS - 1]])
    last = len(gaps)
    spans[0, 0], spans[last, 1] = 8 * blocks[0], 8 * blocks[-1] + 8
    spans[1 : last + 1, 0], spans[:last, 1] = 8 * blocks[gaps + 1], 8 * blocks[gaps] + 8
    return spans.ravel()


_SHORTEST_STEP = 2
"""Blocks further apart than this are in two spans; to begin another pass takes as long as it saves over fewer."""


class Follower(Table):
    """A table whose rows belong to the bodies one to one, with the same pitch."""

    __slots__ = ()

    def match(self, bodies: Bodies) -> None:
        """Have the pitch of the bodies."""
        if self.capacity < bodies.pitch:
            self._grow(bodies.pitch)

    def follow_restored(self, bodies: Bodies) -> None:
        """Have a row of zeros for each body, because a restore goes back to a time before this table."""
        if self.count != bodies.count or self.array[:, : self.count].any():
            self.put(TableImage(bodies.rows_image(), np.zeros((self.schema.size, bodies.count))), -1, -1)

    def _capacity_for(self, wanted: int) -> int:
        return rung(wanted)


def touches(components: slice | int, first: int, last: int) -> bool:
    """Whether these components include any from `first` to before `last`."""
    if isinstance(components, slice):
        start, stop = components.start or 0, components.stop
        return start < last and (stop is None or first < stop)
    return first <= components < last


def touches_model(components: slice | int) -> bool:
    """Whether these components include mass properties."""
    return touches(components, *_MODEL_ROWS)


def rung(wanted: int) -> int:
    """The pitch for that many bodies."""
    if wanted <= _SMALLEST:
        return _SMALLEST
    size = 1024
    while size + 8 < wanted:
        size += size // 2 if size & (size - 1) == 0 else size // 3
    return size + 8
