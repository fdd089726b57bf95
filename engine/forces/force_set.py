"""The forces of one world, sorted by how they are fed to the integrator."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..checks import FloatArray, refuse
from ..columns import Columns
from ..integrators.integrator import NO_FORCES, CompiledForces
from ..kernels.held_wrenches import ENTRY_COLUMN, ENTRY_FACTOR, ENTRY_LENGTH, ENTRY_WRENCH, fill_held_wrenches
from ..kernels.layout import STAGE_WRENCH, WRENCH, WRENCH_ROWS
from ..kernels.points import pulls
from .force import FieldForce, Force, HeldForce
from .gravity import UniformGravity
from .wrench import BodyHandle, BodyStates, Wrench

AnyForce = Any
"""A `Force`, an object with `apply(wrench, bodies, time)`, or a function of these arguments."""

MOST_FIELDS = 6
"""A loop is compiled for each combination of fields; worlds with more fields than these call them one by one."""

OnAdded = Callable[[AnyForce, Wrench], None]


class ForceSet:
    """Fills the held wrench once a tick and the wrench of each stage.

    What is constant, thrusters and weights and one-tick pushes, stands in one table that compiled code scatters into the wrench rows, and
    only when something in it has changed: in steady flight a tick costs nothing here. Other forces are called.
    """

    def __init__(self, columns: Columns, handles: Sequence[BodyHandle], before_change: Callable[[], None]) -> None:
        self._columns = columns
        self._handles = handles
        self.before_change = before_change
        self.forces: list[AnyForce] = []
        self.pushes: dict[BodyHandle, FloatArray] = {}
        """One-tick wrenches (12,) by body, for the next tick."""
        self._present: set[int] = set()
        """The forces' identities; never iterated."""
        self.revision = 0
        """Grows whenever other forces are to be evaluated at the stages."""
        self._compiled, self._compiled_revision = NO_FORCES, -1
        self._sort()
        self._held_is_stale = True
        self._views: dict[tuple[int, int], tuple[Wrench, BodyStates]] = {}
        self._views_revision = -1

    # what the world has

    def add(self, force: AnyForce) -> None:
        """Take in a force, unless it is none or here already."""
        self._check_new(force)
        self._take_in(force)

    def remove(self, force: AnyForce) -> None:
        """Give up a force."""
        if id(force) not in self._present:
            refuse("World.remove_force", "force", force, "a force of this world")
        self.forces[:] = [present for present in self.forces if present is not force]
        self._present.discard(id(force))
        self._release(force)
        self._is_sorted = False

    def forget_body(self, body: BodyHandle) -> list[AnyForce]:
        """Drop the pushes on a body and the forces that mean nothing without it; return those."""
        self.pushes.pop(body, None)
        gone = [force for force in self.forces if isinstance(force, Force) and not force.forget(body)]
        for force in gone:
            self.remove(force)
        return gone

    def saved(self) -> tuple[list[tuple[AnyForce, Any]], dict[BodyHandle, FloatArray]]:
        """Forces with what they remember, and pushes, for `restore`."""
        forces = [(force, force.saved() if isinstance(force, Force) else None) for force in self.forces]
        return forces, {body: push.copy() for body, push in self.pushes.items()}

    def restore(self, forces: list[tuple[AnyForce, Any]], pushes: dict[BodyHandle, FloatArray]) -> None:
        """Back to what `saved` gave."""
        for force in self.forces:
            self._release(force)
        self.forces.clear()
        self._present.clear()
        for force, saved in forces:
            if isinstance(force, Force):
                force.restore(saved)
            self._take_in(force)
        self.pushes = pushes

    def push(self, body: BodyHandle, part: int, force: FloatArray, torque: FloatArray) -> None:
        """Add to the one-tick wrench of a body, force and torque rows starting at `part` of the twelve."""
        total = self.pushes[body].copy() if body in self.pushes else np.zeros(WRENCH_ROWS)
        with np.errstate(over="ignore"):  # refused below
            total[part : part + 3] += force
            total[part + 3 : part + 6] += torque
        if not np.isfinite(total).all():
            raise ValueError(
                f"{body}: the pushes on it for the next tick add up to more than a number can hold: {total.tolist()}"
            )
        self.before_change()
        self.pushes[body] = total

    def memory(self) -> bytes:
        """The forces' own memory and the pushes, for the state hash."""
        parts = [b""]
        for force in self.forces:
            kind = type(force).__name__.encode()
            remembered = force.memory() if callable(getattr(force, "memory", None)) else b""
            parts += [kind, bytes(remembered)]
        for body in sorted(self.pushes, key=lambda body: body.index):
            if self.pushes[body].any():  # a push of zero is none
                parts += [str(body.index).encode(), (self.pushes[body] + 0.0).astype("<f8").tobytes()]
        return b"\0".join(parts)

    def potential_energies(self) -> list[FloatArray]:
        """The energies [J] of the forces that have a potential, each of shape (n,)."""
        bodies = self._view(WRENCH, stages=False)[1]
        return [force.potential_energy(bodies) for force in self.forces if hasattr(force, "potential_energy")]

    # the tick

    @property
    def has_stage_forces(self) -> bool:
        """Whether some force is evaluated at each stage; good between `fill_held` and the end of the tick."""
        return bool(self._stage_forces)

    @property
    def calls_stage_forces(self) -> bool:
        """Whether one of those has to be called, because no compiled loop knows it."""
        return bool(self._called)

    @property
    def depends_on_rates(self) -> bool:
        """Whether one of those depends on velocity or angular velocity, or does not say."""
        return any(getattr(force, "depends_on_rates", True) for force, _apply in self._stage_forces)

    @property
    def holds_still(self) -> bool:
        """Whether the held wrench of the next tick is that of this one."""
        if not self._is_sorted:
            self._sort()
        return not (self._tick_callables or self.pushes)

    def compiled(self) -> CompiledForces:
        """The forces that compiled loops evaluate at each stage by themselves; those that are left have to be called."""
        if self._compiled_revision != self._columns.revision:
            fields, pulls = self._fields, [table for table in map(_pulls_of, self._pulling) if table is not None]
            self._compiled = CompiledForces(
                tuple(type(force).field for force in fields),
                np.vstack([force.parameters for force in fields]) if fields else 0.0,
                np.vstack([force.shares(self._columns) for force in fields]) if fields else 0.0,
                any(force.depends_on_rates for force in (*fields, *self._pulling)),
                np.vstack(pulls) if pulls else None,
            )
            self._compiled_revision = self._columns.revision
        return self._compiled

    def model_changed(self) -> None:
        """Levers and weights are to be worked out anew."""
        self._table_revision = -1

    def throttles_changed(self) -> None:
        """The table has new factors."""
        self._held_is_stale = True

    def fill_held(self, time: float) -> None:
        """Fill the wrench rows for the tick that starts at `time` [s]."""
        if not self._is_sorted:
            self._sort()
        if self._table_revision != self._columns.revision:
            self._build_table()
        if not (self._held_is_stale or self._tick_callables or self.pushes):
            return
        # stays stale when it holds what this tick alone has
        self._held_is_stale = bool(self._tick_callables or self.pushes)
        entries = self._table
        if self.pushes:
            entries = np.vstack([entries, *(self._push_entry(body, push) for body, push in self.pushes.items())])
        fill_held_wrenches(
            self._columns.array, self._columns.count, self._acceleration_world, entries, entries.shape[0]
        )
        if self._tick_callables:
            wrench, bodies = self._view(WRENCH, stages=False)
            for force, apply in self._tick_callables:
                if apply(wrench, bodies, time) is not None:
                    _refuse_return(force)

    def fill_held_one_by_one(self, time: float, on_added: OnAdded) -> None:
        """The same by calling each force, and `on_added(force, wrench)` after it: slow, to find the one that spoilt a tick."""
        self._held_is_stale = True
        wrench, bodies = self._view(WRENCH, stages=False)
        self._columns.array[WRENCH : WRENCH + WRENCH_ROWS] = 0.0
        with np.errstate(all="ignore"):  # what overflows is what is looked for
            for force in self.forces:
                if getattr(force, "evaluate", "stage") == "tick":
                    _apply_of(force)(wrench, bodies, time)
                    on_added(force, wrench)

    def evaluate_stage(self, stage: int, time: float, on_added: OnAdded | None = None) -> None:
        """Add the stage-evaluated forces to the wrench of a stage, from the state in the stage array, at `time` [s]."""
        row = STAGE_WRENCH + WRENCH_ROWS * stage
        if on_added is None and (self._fields or self._pulling):
            self._add_compiled(row)
        wrench, bodies = self._view(row, stages=True)
        for force, apply in self._called if on_added is None else self._stage_forces:
            if apply(wrench, bodies, time) is not None:
                _refuse_return(force)
            if on_added is not None:
                on_added(force, wrench)

    def _add_compiled(self, row: int) -> None:
        columns, forces = self._columns, self.compiled()
        assert columns.stages is not None
        for force in self._fields:
            force.add_to(columns, columns.stages, row)
        if forces.pulls is not None:
            pulls(columns.array, columns.stages, row, forces.pulls)

    def drop_pushes(self) -> None:
        """The one-tick wrenches have had their tick."""
        if self.pushes:
            self.pushes.clear()

    # inside

    def _check_new(self, force: AnyForce) -> None:
        rule = "a force: an object with apply(wrench, bodies, time), or a function of these arguments"
        if isinstance(force, type) or not (callable(force) or callable(getattr(force, "apply", None))):
            refuse("World.add_force", "force", force, rule, TypeError)
        if getattr(force, "evaluate", "stage") not in ("tick", "stage"):
            refuse("World.add_force", "force.evaluate", force.evaluate, "'tick' or 'stage'")
        if id(force) in self._present:
            refuse("World.add_force", "force", force, "one that is not in this world already")
        if isinstance(force, Force):
            for body in force.named_bodies():
                if body.index >= len(self._handles) or self._handles[body.index] is not body:
                    refuse("World.add_force", "force", force, f"one on bodies of this world, which {body} is not")

    def _take_in(self, force: AnyForce) -> None:
        self.forces.append(force)
        self._present.add(id(force))
        if isinstance(force, HeldForce):
            force._owner = self
        self._is_sorted = False

    def _sort(self) -> None:
        self._held = [force for force in self.forces if isinstance(force, HeldForce) and force.evaluate == "tick"]
        uniform = [force for force in self.forces if type(force) is UniformGravity]
        compiled = {id(force) for force in [*self._held, *uniform]}
        others = [(force, _apply_of(force)) for force in self.forces if id(force) not in compiled]
        self._tick_callables = [pair for pair in others if getattr(pair[0], "evaluate", "stage") == "tick"]
        self._stage_forces = [pair for pair in others if getattr(pair[0], "evaluate", "stage") == "stage"]
        # more fields than a loop takes are called one by one, so that a loop for each number of them is not compiled
        fields = [force for force, _apply in self._stage_forces if isinstance(force, FieldForce)]
        self._fields = fields if len(fields) <= MOST_FIELDS else []
        self._pulling = [force for force, _apply in self._stage_forces if _pulls_of(force) is not None]
        compiled = {id(force) for force in [*self._fields, *self._pulling]}
        self._called = [pair for pair in self._stage_forces if id(pair[0]) not in compiled]
        self._compiled_revision = -1
        total = sum((force.acceleration_world for force in uniform), np.zeros(3))
        self._acceleration_world = (float(total[0]), float(total[1]), float(total[2]))
        self._table_revision = -1
        self.revision += 1
        self._is_sorted = True

    def _build_table(self) -> None:
        blocks = [force.entries() for force in self._held]
        self._table = np.vstack([np.empty((0, ENTRY_LENGTH)), *blocks])
        first = 0
        for force, block in zip(self._held, blocks, strict=True):
            force._factors = self._table[first : first + len(block), ENTRY_FACTOR]
            first += len(block)
        self._table_revision = self._columns.revision
        self._held_is_stale = True

    def _release(self, force: AnyForce) -> None:
        if isinstance(force, HeldForce):
            force._factors = force._factors.copy()
            force._owner = None

    def _push_entry(self, body: BodyHandle, push: FloatArray) -> FloatArray:
        entry = np.empty(ENTRY_LENGTH)
        entry[ENTRY_COLUMN], entry[ENTRY_FACTOR], entry[ENTRY_WRENCH:] = body.index, 1.0, push
        return entry

    def _view(self, first_row: int, stages: bool) -> tuple[Wrench, BodyStates]:
        columns = self._columns
        if self._views_revision != columns.revision:
            self._views.clear()
            self._views_revision = columns.revision
        key = (first_row, int(stages))
        if key not in self._views:
            states = columns.stages if stages else columns.array
            assert states is not None
            bodies = BodyStates(columns, states, self._handles)
            self._views[key] = (Wrench(states, first_row, bodies), bodies)
        return self._views[key]


def _refuse_return(force: AnyForce) -> NoReturn:
    raise TypeError(f"{force!r}: a force must add to the wrench (wrench.force_world += …) and return nothing")


def _pulls_of(force: AnyForce) -> FloatArray | None:
    return force.pulls() if isinstance(force, Force) else None


def _apply_of(force: AnyForce) -> Callable[[Wrench, BodyStates, float], object]:
    return force.apply if hasattr(force, "apply") else force
