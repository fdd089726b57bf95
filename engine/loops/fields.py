"""Fields, which are forces that depend on a body's own state, with one scalar function per kind and two ways to sum them at a stage.

A field function is `field(body, time, p) -> (force_world, torque_body)`. Its arguments are the body at a stage (`BodyAtStage`), the time of
that stage [s] and the parameters of the field. The torque is about the mass centre. Where a field is undefined, for example at the centre
of a point mass, it returns nan and the tick is rejected. Any number of layers of a kind may act on a body, each with its own parameters
(see `layout`). Layers of one kind are added in their order, and kinds in the order in which they were passed to the loop.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, Protocol

from ..compilation.compiler import assume_separate_rows, inlined, kernel, use_widest_vectors
from ..kernels.rigid_body import BodyAtStage, BodyWrench
from ..kernels.vectors import Vector
from .columns import Array, Integers, is_other_pitch, load_body_at_stage, load_state, load_vector, store_vector
from .layout import COUNT, FORCE_WORLD, POSITION, TORQUE_BODY

Parameters = tuple[float, ...]

Layers = Array | float
"""The parameters of fields per body, shape (rows, pitch); a number if there are no fields."""


Clock = tuple[float, float, float]
"""The time of a stage: the number of the tick, or of the step of a divided one, the length of that [s], and the time since its start [s].

It is in parts, because bodies may count their ticks from different ones (see `FieldKind.reads_time`), and their time then has the bits that
it has where all bodies count from the same one.
"""

ForceAndTorque = tuple[Vector, Vector]
"""Force in the world frame and torque about the mass centre in the body frame."""


class Field(Protocol):
    """The scalar function of a kind; see above."""

    def __call__(self, body: BodyAtStage, time: float, p: Parameters, /) -> ForceAndTorque: ...


class AddFields(Protocol):
    """Adds one layer of each kind to the wrench on one body."""

    def __call__(
        self, layers: Array, column: int, clock: Clock, body: BodyAtStage, wrench: BodyWrench
    ) -> BodyWrench: ...


class _AddLayer(Protocol):
    """Adds one layer to the force and torque on one body."""

    def __call__(
        self,
        layers: Array,
        row: int,
        column: int,
        clock: Clock,
        body: BodyAtStage,
        force_world: Vector,
        torque_body: Vector,
    ) -> ForceAndTorque: ...


class FieldKind(NamedTuple):
    """A kind of force field, with its scalar function and the properties that loops need."""

    name: str
    function: Field
    parameter_count: int
    depends_on_rates: bool
    """Whether the function depends on the velocity or the angular velocity."""
    feels_wheels: bool = False
    """Whether the last six parameters are the moments of the body's wheels, ``Σ J ĝĝᵀ``, which `body.inertia_body` leaves out."""
    reads_time: bool = False
    """Whether the function depends on the time, which is that since a tick of each body's own."""

    @property
    def rows_per_layer(self) -> int:
        """Number of rows per layer, which are the mask, the parameters and, if the time is read, the tick at which it is zero."""
        return 1 + self.parameter_count + int(self.reads_time)


@cache
def _parameters(count: int) -> Callable[[Array, int, int], Parameters]:
    """Make `load(layers, row, column) -> p`, which loads a tuple of `count` numbers from consecutive rows."""
    if count == 0:
        return _no_parameters
    load_rest = _parameters(count - 1)

    @inlined
    def load(layers: Array, row: int, column: int) -> Parameters:
        return (float(layers[row, column]), *load_rest(layers, row + 1, column))

    return load


@inlined
def _no_parameters(layers: Array, row: int, column: int) -> Parameters:
    return ()


@cache
def _layer(kind: FieldKind) -> _AddLayer:
    """Make `add_layer(layers, row, column, clock, body, force, torque) -> (force, torque)`, which adds one layer to one body.

    If the mask of the layer excludes the body, nothing is added. The mask selects instead of multiplying, because the excluded value may be
    nan. The loop still vectorises.
    """
    field, load = kind.function, _parameters(kind.parameter_count)
    last_row, time_of = kind.rows_per_layer - 1, _time_since if kind.reads_time else _time

    @inlined
    def add_layer(
        layers: Array, row: int, column: int, clock: Clock, body: BodyAtStage, force_world: Vector, torque_body: Vector
    ) -> tuple[Vector, Vector]:
        time = time_of(clock, layers, row + last_row, column)
        force, torque = field(body, time, load(layers, row + 1, column))
        felt = float(layers[row, column]) > 0.0
        x, y, z = force_world
        a, b, c = torque_body
        return (
            (x + force[0] if felt else x, y + force[1] if felt else y, z + force[2] if felt else z),
            (a + torque[0] if felt else a, b + torque[1] if felt else b, c + torque[2] if felt else c),
        )

    return add_layer


@inlined
def _time(clock: Clock, layers: Array, row: int, column: int) -> float:
    ticks, dt, passed = clock
    return ticks * dt + passed


@inlined
def _time_since(clock: Clock, layers: Array, row: int, column: int) -> float:
    ticks, dt, passed = clock
    return (ticks - float(layers[row, column])) * dt + passed


@cache
def summed(kinds: tuple[FieldKind, ...], first_row: int = 0) -> AddFields:
    """Make `add_fields(layers, column, clock, body, wrench) -> wrench`, which adds one layer of each kind to one body.

    Fused loops use it to add fields without a separate pass. It is built by recursion: this function adds the first kind, and the function
    made for the remaining kinds adds the others.
    """
    if not kinds:
        return _add_none
    add_layer, add_rest = _layer(kinds[0]), summed(kinds[1:], first_row + kinds[0].rows_per_layer)

    @inlined
    def add_fields(layers: Array, column: int, clock: Clock, body: BodyAtStage, wrench: BodyWrench) -> BodyWrench:
        force, torque = add_layer(layers, first_row, column, clock, body, wrench.force_world, wrench.torque_body)
        more = BodyWrench(force, wrench.torque_world, wrench.force_body, torque, wrench.motor_torque)
        return add_rest(layers, column, clock, body, more)

    return add_fields


@inlined
def _add_none(layers: Array, column: int, clock: Clock, body: BodyAtStage, wrench: BodyWrench) -> BodyWrench:
    return wrench


@cache
def _layers_of(kind: FieldKind) -> Callable[..., None]:
    """Make `add_layers(array, states, wrench_row, layers, first_row, layer_count, count, clock)`, with one pass per layer of a kind.

    A pass with several kinds would not vectorise, because the compiler cannot rule out that the memory ranges overlap.
    """
    add_layer, rows_per_layer = _layer(kind), kind.rows_per_layer

    @inlined
    def add_layers(
        array: Array,
        states: Array,
        wrench_row: int,
        layers: Array,
        first_row: int,
        layer_count: int,
        count: int,
        clock: Clock,
    ) -> None:
        # Fields return a force in the world frame and a torque in the body frame. If the pass also loaded the other rows, it would not
        # vectorise.
        force_row, torque_row = wrench_row + FORCE_WORLD, wrench_row + TORQUE_BODY
        for layer in range(layer_count):
            row = first_row + layer * rows_per_layer
            for column in range(count):
                body = load_body_at_stage(array, column, load_state(states, POSITION, column, None))
                force, torque = load_vector(states, force_row, column), load_vector(states, torque_row, column)
                force, torque = add_layer(layers, row, column, clock, body, force, torque)
                store_vector(states, force_row, column, force)
                store_vector(states, torque_row, column, torque)

    return add_layers


@cache
def field_passes(kind: FieldKind, pitch: int) -> Callable[..., int]:
    """Make `loop(array, control, states, wrench_row, layers, first_row, layer_count, ticks, dt, passed) -> 0`, which adds a kind's layers.

    `array` has the mass properties. `states` has the states at the stage and, from `wrench_row` on, the wrench to which the fields are
    added; it may be the same array. The layers begin at `first_row` of `layers`. The time is that of a `Clock`.
    """
    add_layers = _layers_of(kind)

    @kernel(f"field-{kind.name}-{pitch}")
    def loop(
        array: Array,
        control: Integers,
        states: Array,
        wrench_row: int,
        layers: Array,
        first_row: int,
        layer_count: int,
        ticks: float,
        dt: float,
        passed: float,
    ) -> int:
        use_widest_vectors()
        assume_separate_rows()
        if is_other_pitch(pitch, array, states, layers):
            return -1
        add_layers(array, states, wrench_row, layers, first_row, layer_count, control[COUNT], (ticks, dt, passed))
        return 0

    return loop


def kind_names(kinds: tuple[FieldKind, ...]) -> str:
    """The part of a kernel's name that lists the kinds of fields."""
    return "".join(f"-{kind.name}" for kind in kinds)
