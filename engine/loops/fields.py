"""Fields, which are forces that depend on a body's own state, with one scalar function per kind and two ways to sum them at a stage.

A field function is `field(body, time, p) -> (force_world, torque_body)`. Its arguments are the body at a stage (`BodyAtStage`), the time of
that stage [s] and the parameters of the field. The torque is about the mass centre. Where a field is undefined, for example at the centre
of a point mass, it returns nan and the tick is rejected. Any number of layers of a kind may act on a body, each with its own parameters
(see `layout`). Layers of one kind are added in their order, and kinds in the order in which they were passed to the loop.
"""

from collections.abc import Callable
from functools import cache
from math import nan, sqrt
from typing import Any, NamedTuple

from ..compilation.compiler import inlined, kernel, use_widest_vectors
from ..kernels.quaternions import rotate_inverse
from ..kernels.rigid_body import BodyAtStage, BodyWrench
from ..kernels.vectors import Vector, add, add_scaled, apply_symmetric, cross, dot, scale, subtract
from .columns import Array, Integers, is_other_pitch, load_body_at_stage, load_state, load_vector, store_vector
from .layout import COUNT, FORCE_WORLD, POSITION, TORQUE_BODY

Parameters = tuple[float, ...]


class FieldKind(NamedTuple):
    """A kind of force field, with its scalar function and the properties that loops need."""

    name: str
    function: Callable[..., Any]
    parameter_count: int
    depends_on_rates: bool
    """Whether the function depends on the velocity or the angular velocity."""

    @property
    def rows_per_layer(self) -> int:
        """Number of rows per layer, which are the mask and the parameters."""
        return 1 + self.parameter_count


@inlined
def linear_drag(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """``F = −c v``; p = (c [N·s/m],)."""
    return scale(-p[0], body.velocity), (0.0, 0.0, 0.0)


@inlined
def quadratic_drag(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """``F = −c |v| v``; p = (c [N·s²/m²],)."""
    return scale(-p[0] * sqrt(dot(body.velocity, body.velocity)), body.velocity), (0.0, 0.0, 0.0)


@inlined
def angular_damping(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """``τ = −c ω``; p = (c [N·m·s],)."""
    return (0.0, 0.0, 0.0), scale(-p[0], body.angular_velocity_body)


@inlined
def lorentz(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """``F = q (E + v × B)``; p = (q [C], E [V/m], B [T]), E and B in world axes."""
    electric = (p[1], p[2], p[3])
    magnetic = (p[4], p[5], p[6])
    return scale(p[0], add(electric, cross(body.velocity, magnetic))), (0.0, 0.0, 0.0)


@inlined
def point_gravity(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """Gravity of a point mass with an oblateness term; p = (GM [m³/s²], centre [m], J2 R² [m²], axis), world axes.

    ``a = −GM/r³ { r + (3/2) J2 R²/r² [(1 − 5 z²/r²) r + 2 z k] }``, where k is the axis of symmetry and ``z = r·k``.
    """
    r = subtract(body.position, (p[1], p[2], p[3]))
    axis = (p[5], p[6], p[7])
    distance_squared = dot(r, r)
    inverse_square = 1.0 / distance_squared if distance_squared > 0.0 else nan
    strength = -p[0] * body.mass * inverse_square * sqrt(inverse_square)
    height = dot(r, axis)
    oblateness = 1.5 * p[4] * inverse_square
    along_r = 1.0 + oblateness * (1.0 - 5.0 * height * height * inverse_square)
    return scale(strength, add_scaled(scale(along_r, r), 2.0 * oblateness * height, axis)), (0.0, 0.0, 0.0)


@inlined
def gravity_gradient(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """``τ = 3 GM/r⁵ r × (I r)``, where r points from the centre to the body, in body axes; p = (GM [m³/s²], centre [m])."""
    r = subtract(body.position, (p[1], p[2], p[3]))
    distance_squared = dot(r, r)
    inverse_square = 1.0 / distance_squared if distance_squared > 0.0 else nan
    strength = 3.0 * p[0] * inverse_square * inverse_square * sqrt(inverse_square)
    r_body = rotate_inverse(body.orientation, 2.0, r)
    return (0.0, 0.0, 0.0), scale(strength, cross(r_body, apply_symmetric(body.inertia_body, r_body)))


LINEAR_DRAG = FieldKind("linear_drag", linear_drag, 1, True)
QUADRATIC_DRAG = FieldKind("quadratic_drag", quadratic_drag, 1, True)
ANGULAR_DAMPING = FieldKind("angular_damping", angular_damping, 1, True)
LORENTZ = FieldKind("lorentz", lorentz, 7, True)
POINT_GRAVITY = FieldKind("point_gravity", point_gravity, 8, False)
GRAVITY_GRADIENT = FieldKind("gravity_gradient", gravity_gradient, 4, False)

BUILT_IN = (
    POINT_GRAVITY,
    GRAVITY_GRADIENT,
    LINEAR_DRAG,
    QUADRATIC_DRAG,
    ANGULAR_DAMPING,
    LORENTZ,
)
"""The built-in kinds, in the order in which they are added."""


@cache
def _parameters(count: int) -> Callable[..., Any]:
    """Make `load(layers, row, column) -> p`, which loads a tuple of `count` numbers from consecutive rows."""
    if count == 0:
        return _no_parameters
    load_rest = _parameters(count - 1)

    @inlined
    def load(layers: Array, row: int, column: int) -> Any:
        return (float(layers[row, column]), *load_rest(layers, row + 1, column))

    return load


@inlined
def _no_parameters(layers: Array, row: int, column: int) -> Any:
    return ()


@cache
def _layer(kind: FieldKind) -> Callable[..., Any]:
    """Make `add_layer(layers, row, column, time, body, force, torque) -> (force, torque)`, which adds one layer to one body.

    If the mask of the layer excludes the body, nothing is added. The mask selects instead of multiplying, because the excluded value may be
    nan. The loop still vectorises.
    """
    field, load = kind.function, _parameters(kind.parameter_count)

    @inlined
    def add_layer(
        layers: Array, row: int, column: int, time: float, body: BodyAtStage, force_world: Vector, torque_body: Vector
    ) -> tuple[Vector, Vector]:
        force, torque = field(body, time, load(layers, row + 1, column))
        felt = float(layers[row, column]) > 0.0
        x, y, z = force_world
        a, b, c = torque_body
        return (
            (x + force[0] if felt else x, y + force[1] if felt else y, z + force[2] if felt else z),
            (a + torque[0] if felt else a, b + torque[1] if felt else b, c + torque[2] if felt else c),
        )

    return add_layer


@cache
def summed(kinds: tuple[FieldKind, ...], first_row: int = 0) -> Callable[..., Any]:
    """Make `add_fields(layers, column, time, body, wrench) -> wrench`, which adds one layer of each kind to one body.

    Fused loops use it to add fields without a separate pass. It is built by recursion: this function adds the first kind, and the function
    made for the remaining kinds adds the others.
    """
    if not kinds:
        return _add_none
    add_layer, add_rest = _layer(kinds[0]), summed(kinds[1:], first_row + kinds[0].rows_per_layer)

    @inlined
    def add_fields(layers: Array, column: int, time: float, body: BodyAtStage, wrench: BodyWrench) -> BodyWrench:
        force, torque = add_layer(layers, first_row, column, time, body, wrench.force_world, wrench.torque_body)
        more = BodyWrench(force, wrench.torque_world, wrench.force_body, torque, wrench.motor_torque)
        return add_rest(layers, column, time, body, more)

    return add_fields


@inlined
def _add_none(layers: Any, column: int, time: float, body: BodyAtStage, wrench: BodyWrench) -> BodyWrench:
    return wrench


@cache
def _layers_of(kind: FieldKind) -> Callable[..., Any]:
    """Make `add_layers(array, states, wrench_row, layers, first_row, layer_count, count, time)`, with one pass per layer of a kind.

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
        time: float,
    ) -> None:
        # Fields return a force in world axes and a torque in body axes. If the pass also loaded the other rows, it would not vectorise.
        force_row, torque_row = wrench_row + FORCE_WORLD, wrench_row + TORQUE_BODY
        for layer in range(layer_count):
            row = first_row + layer * rows_per_layer
            for column in range(count):
                body = load_body_at_stage(array, column, load_state(states, POSITION, column, None))
                force, torque = load_vector(states, force_row, column), load_vector(states, torque_row, column)
                force, torque = add_layer(layers, row, column, time, body, force, torque)
                store_vector(states, force_row, column, force)
                store_vector(states, torque_row, column, torque)

    return add_layers


@cache
def field_passes(kind: FieldKind, pitch: int) -> Callable[..., int]:
    """Make `loop(array, control, states, wrench_row, layers, first_row, layer_count, time) -> 0`, which adds all layers of a kind.

    `array` has the mass properties. `states` has the states at the stage and, from `wrench_row` on, the wrench to which the fields are
    added; it may be the same array. The layers begin at `first_row` of `layers`.
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
        time: float,
    ) -> int:
        use_widest_vectors()
        if is_other_pitch(pitch, array, states, layers):
            return -1
        add_layers(array, states, wrench_row, layers, first_row, layer_count, control[COUNT], time)
        return 0

    return loop


def kind_names(kinds: tuple[FieldKind, ...]) -> str:
    """The part of a kernel's name that lists the kinds of fields."""
    return "".join(f"-{kind.name}" for kind in kinds)
