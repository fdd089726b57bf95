"""User-defined fields, scalar functions that are compiled into the loops of every method."""

from __future__ import annotations  # help() then shows them as written

import dis
import importlib
import inspect
import keyword
import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import nan
from operator import attrgetter
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from ..checks import boolean, members, refuse, shown
from ..compilation.compiler import COMPILED, inlined
from ..compilation.identity import functions_of, identity
from ..compilation.kernel_types import Arguments, Kernel
from ..compilation.trial import check_compiles
from ..kernels.rigid_body import BodyAtStage
from ..loops.fields import FieldKind
from ..store.rows import BodyHandle, Parameter, reference_fields
from ..store.schema import ANY, Field, Kind, Schema
from .field_force import FieldForce

MOST_PARAMETERS = 20
"""Maximum number of parameters of a compiled field."""

_RESERVED = (
    "body",
    "bodies",
    "time",
    "enabled",
    "rows",
    "evaluate",
    "apply",
    "depends_on_rates",
    "coast_obstacle",
    "potential_energy",
)
_KINDS: dict[str, dict[tuple[object, ...], FieldKind]] = {}
"""The kinds created so far, by name and by what they were created from, because a nested function can create several with one name."""
_HOMES: dict[FieldKind, Kernel] = {}
"""The function from which each of them was created first."""
_SAME_EVERYWHERE = {
    *("sqrt", "fabs", "abs", "absolute", "copysign", "floor", "ceil", "trunc", "fmod", "maximum", "minimum", "sign"),
    *("isnan", "isinf", "isfinite", "nan", "inf", "pi", "e", "tau"),
}
"""The names in `math` and numpy that give the same bits on every processor."""


def compiled(
    *,
    parameters: Sequence[str] = (),
    depends_on_rates: bool = True,
    world_points: Sequence[tuple[str, str, str]] = (),
) -> Callable[[Kernel], type[Any]]:  # not of FieldForce, because type checkers cannot know the parameters
    """Turn a function of one body's state, written in plain floats, into a force class as fast as the built-in ones.

    The function is compiled into the loops of the integrator, which evaluates it at each stage without calling Python. Its arguments are
    the body, the time [s] of the stage, and the parameters. It returns a force [N] in the world frame at the mass centre and a torque [N·m]
    in the body frame about the mass centre, each as a tuple of three numbers. The body has these attributes:

    * `position` [m] and `velocity` [m/s] in the world frame;
    * `orientation`, scalar-last (x, y, z, w), body to world;
    * `angular_velocity_body` [rad/s];
    * `mass` [kg];
    * `inertia_body`, six numbers (xx, yy, zz, xy, xz, yz) [kg·m²];
    * `center_of_mass_body` [m] from the body's origin.

    `engine.scalar` provides vector and quaternion functions, and elementary functions that give the same bits on every processor. The
    decorated name becomes a class: `MagneticBrake(coefficient=0.3)` acts on all bodies, and `MagneticBrake(coefficient=[…], bodies=[…])` on
    the listed bodies. The parameters can be changed at any time.

    The function must return a result on every path and must not raise. To reject a tick, return nan in any component. A computed index,
    as in ``body.position[int(c)]``, must be in range: compiled code does not check it, and an index out of range silently gives no force
    and no torque.

    Args:
        parameters: The names of the parameters, in the order of the function's arguments. At most 20; each value is a real number.
        depends_on_rates: Whether the function uses the velocity or the angular velocity. Splitting methods evaluate such a function more
            often, to keep their order.
        world_points: Parameters that are the coordinates of a point in the world frame, as one tuple of three names (x, y, z) per point,
            such as ``[("x", "y", "z")]``. `World.shift_origin` moves these points.

    Returns:
        A decorator that turns the function into a force class.

    Raises:
        TypeError: If the function's arguments are not `(body, time, *parameters)`; if it reads anything defined outside it except numbers,
            strings, None, tuples of these, and functions; if it cannot be compiled, or raises an exception; or if it does not return a
            force and a torque in every case. The message names the function and the line.
        ValueError: If there are more than 20 parameters, if two have the same name, if a name is not valid for an attribute, or if a point
            in `world_points` is not three names from `parameters`, or shares one with another point.

    Example:
        >>> from engine import MassProperties, World, forces, scalar
        >>> @forces.compiled(parameters=("coefficient",))
        ... def MagneticBrake(body, time, coefficient):
        ...     return (0.0, 0.0, 0.0), scalar.scale(-coefficient, body.angular_velocity_body)
        >>> world = World(dt=0.01)
        >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), angular_velocity_body=(0.0, 0.0, 2.0))
        >>> brake = world.add_force(MagneticBrake(coefficient=0.1))
        >>> world.step(100)
        >>> bool(ship.angular_velocity_body[2] < 1.0)
        True
    """
    names = _checked_names(parameters)
    depends_on_rates = boolean(depends_on_rates, "depends_on_rates", "forces.compiled")
    axes = _checked_points(world_points, names)

    def make(function: Callable[..., object]) -> type[FieldForce]:
        return _force_class(function, names, depends_on_rates, axes)

    return make


def _checked_names(parameters: Sequence[str]) -> tuple[str, ...]:
    owner = "forces.compiled"
    rule = 'a tuple of names, such as ("coefficient",)'
    names = tuple(members(parameters, "parameters", owner, rule, lambda name: isinstance(name, str)))
    for name in names:
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_") or name in _RESERVED:
            refuse(owner, "parameters", name, "names that are valid for an attribute of a force")
    if len(set(names)) != len(names):
        refuse(owner, "parameters", names, "different names")
    if len(names) > MOST_PARAMETERS:
        refuse(owner, "parameters", names, f"at most {MOST_PARAMETERS} names")
    return names


def _checked_points(world_points: object, names: tuple[str, ...]) -> dict[str, int]:
    """The axis of the world of each parameter that is a coordinate of a point."""
    rule = 'a list of (x, y, z), the names of three parameters each, such as [("x", "y", "z")]'
    points = members(
        world_points, "world_points", "forces.compiled", rule, lambda point: isinstance(point, tuple | list)
    )
    given = [name for point in points for name in point]
    if any(len(point) != 3 for point in points) or any(
        not isinstance(name, str) or given.count(name) != 1 or name not in names for name in given
    ):
        refuse(
            "forces.compiled",
            "world_points",
            world_points,
            f"{rule}, each parameter at most once",
            hint=f"the parameters are {names}",
        )
    return {name: axis for point in points for axis, name in enumerate(point)}


def _force_class(
    function: Callable[..., object], names: tuple[str, ...], depends_on_rates: bool, axes: dict[str, int]
) -> type[FieldForce]:
    if not inspect.isfunction(function):
        refuse("forces.compiled", "function", function, "a function written with def or lambda", TypeError)
    title = function.__name__
    where = f"forces.compiled: {title} ({_place(function)})"
    own = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(function).parameters.values()
    ]
    given, wanted = str(inspect.Signature(own)), f"({', '.join(('body', 'time', *names))})"
    if given != wanted:
        raise TypeError(f"{where}: its arguments must be {wanted}; they are {given}")
    scalar = inlined(function)
    count = len(names)

    @inlined
    def with_parameters(body: BodyAtStage, time: float, p: tuple[float, ...]) -> object:
        return scalar(body, time, *p)

    @inlined
    def without(body: BodyAtStage, time: float, p: object) -> object:
        return scalar(body, time)

    field = with_parameters if names else without
    rule = "a force and a torque, each a tuple of three numbers"
    check_compiles(
        field,
        where,
        function.__code__.co_filename,
        [_sample(count, -1.0), _sample(count, 1.0)],
        _is_force_and_torque,
        rule,
    )
    _warn_of_libraries(function, where)
    if not COMPILED:
        field = _without_exceptions(field)
    own_name = f"{function.__module__}.{function.__qualname__}"
    kind = _kind(own_name, field, names, depends_on_rates, _reads_time(function), axes)
    _HOMES.setdefault(kind, function)
    fields = [
        Field(name, Kind.MODEL, digest=place, rule=ANY, world_axes=(axes[name],) if name in axes else ())
        for place, name in enumerate(names)
    ]
    if not fields:  # a kind has at least one parameter
        fields = [Field("_unused", Kind.SCRATCH)]
    schema = Schema(f"compiled {kind.name}", (*reference_fields("body", or_nobody="body"), *fields))

    def initialize(self: Any, *values: Any, bodies: Iterable[BodyHandle] | None = None, **named: Any) -> None:
        FieldForce.__init__(self, title, bodies, _given(title, names, values, named))

    def show(self: object) -> str:
        return f"{title}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    members: dict[str, object] = {
        "__doc__": inspect.getdoc(function) or f"A compiled force with parameters {', '.join(names) or 'none'}.",
        "__module__": function.__module__,
        "__qualname__": function.__qualname__,
        "__slots__": (),
        "__init__": initialize,
        "__repr__": show,
        "depends_on_rates": depends_on_rates,
        "_may_depend_on_position": not axes and _reads_position(function),
        "_schema": schema,
        "_kind": kind,
        **{name: Parameter(f"Parameter {name!r} of the field.") for name in names},
    }
    return type(title, (FieldForce,), members)


def _without_exceptions(field: Callable[..., object]) -> Kernel:
    """The field as it behaves when compiled: an undefined value gives a result that is not finite instead of an exception.

    The loops also evaluate it for bodies that it does not act on, and for the unused columns after the last body.
    """

    def evaluate(body: BodyAtStage, time: float, p: object) -> object:
        try:
            return field(body, time, p)
        except (ArithmeticError, ValueError):  # division by zero, overflow, square root of a negative number
            return (nan, nan, nan), (nan, nan, nan)

    return evaluate


def _kind(
    name: str, field: Kernel, names: tuple[str, ...], depends_on_rates: bool, reads_time: bool, axes: dict[str, int]
) -> FieldKind:
    """The kind of a field, which is shared by all fields created alike and has its own name otherwise."""
    known, key = _KINDS.setdefault(name, {}), (identity(field), names, depends_on_rates, tuple(sorted(axes.items())))
    if key not in known:
        own_name = f"{name}-{len(known) + 1}" if known else name
        known[key] = _OwnKind(own_name, field, max(len(names), 1), depends_on_rates, reads_time=reads_time)
    return known[key]


class _OwnKind(FieldKind):
    """A kind of a user's own, which another process finds by the class of forces that was made for it."""

    __slots__ = ()

    def __reduce__(self) -> Arguments:
        function = _HOMES[self]
        place = function.__module__, function.__qualname__, self.name
        if _kind_at(*place) is not self:
            raise pickle.PicklingError(f"{self.name} is not what its module has under this name")
        return _kind_at, place


def _kind_at(module: str, qualified_name: str, name: str) -> FieldKind:
    """The kind of this name, of a class of forces in a module."""
    kind = attrgetter(f"{qualified_name}._kind")(importlib.import_module(module))
    if not isinstance(kind, FieldKind) or kind.name != name:
        raise LookupError(
            f"{module}.{qualified_name} in this process is not the field that was pickled; define the same field in both"
        )
    return kind


def _given(
    owner: str, names: tuple[str, ...], values: tuple[object, ...], named: dict[str, object]
) -> dict[str, object]:
    """Check that each parameter is given once, and return the parameters by name."""
    given = dict(zip(names, values, strict=False))
    unknown = [name for name in named if name not in names or name in given]
    missing = [name for name in names if name not in given and name not in named]
    if len(values) > len(names) or unknown or missing:
        wanted = ", ".join((*names, "bodies=None"))
        faults = {
            "missing": missing,
            "given twice": [name for name in unknown if name in given],
            "unknown": [name for name in unknown if name not in names],
            "too many values": [shown(value) for value in values[len(names) :]],
        }
        found = "; ".join(f"{fault}: {', '.join(each)}" for fault, each in faults.items() if each)
        raise TypeError(f"{owner}: the arguments must be ({wanted}), each given once; {found}")
    return {name: given.get(name, named.get(name)) for name in names}


def _sample(count: int, sign: float) -> Arguments:
    """Trial arguments of the types that the function will receive, some of them with this sign."""
    body = BodyAtStage(
        position=(1.5, sign * 2.5, 3.5),
        orientation=(0.1, 0.5, sign * 0.3, 0.8),
        velocity=(0.3, sign * 0.2, 0.1),
        angular_velocity_body=(0.2, 0.4, sign * 0.6),
        mass=2.0,
        inertia_body=(1.0, 2.0, 2.5, 0.1, sign * 0.2, 0.05),
        center_of_mass_body=(0.1, 0.2, 0.3),
    )
    return body, 0.25, tuple(0.5 + 0.25 * place for place in range(max(count, 1)))


def _is_force_and_torque(result: object) -> bool:
    return (
        isinstance(result, tuple)
        and len(result) == 2
        and all(isinstance(part, tuple) and len(part) == 3 for part in result)
        and all(isinstance(number, float | int) for part in result for number in part)
    )


def _place(function: Callable[..., object]) -> str:
    code = function.__code__
    return f"{code.co_filename.rsplit('/', 1)[-1]}, line {code.co_firstlineno}"


def _warn_of_libraries(function: Callable[..., object], where: str) -> None:
    """Warn once about functions of libraries whose last bits differ between processors."""
    own = __name__.partition(".forces")[0] + "."
    risky = {
        name
        for each in functions_of(function)
        if not str(each.__module__).startswith(own)
        for name in _library_names(each)
    }
    if risky:
        warnings.warn(
            f"{where}: {', '.join(sorted(risky))} may give different last bits on other processors; "
            "use the functions of engine.scalar, which give the same bits everywhere",
            stacklevel=4,
        )


def _library_names(function: Callable[..., object]) -> Iterator[str]:
    """The functions of `math` and of numpy that the code of a function names, and powers that are no small whole number."""
    values = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    module, exponent = "", None
    for instruction in dis.get_instructions(function.__code__):
        kind, name = instruction.opname, instruction.argval
        if kind in ("LOAD_GLOBAL", "LOAD_DEREF"):
            value = values.get(name)
            module = value.__name__ if isinstance(value, ModuleType) else ""
            if isinstance(value, np.ufunc) or (callable(value) and getattr(value, "__module__", "") == "math"):
                found = "numpy" if isinstance(value, np.ufunc) else "math"
                if value.__name__ not in _SAME_EVERYWHERE:
                    yield f"{found}.{value.__name__}"
        elif kind in ("LOAD_ATTR", "LOAD_METHOD"):
            if module in ("math", "numpy") and name not in _SAME_EVERYWHERE:
                yield f"{module}.{name}"
            module = ""
        elif instruction.argrepr in ("**", "**=") and not isinstance(exponent, int):
            yield "the operator **"
        exponent = name if kind.startswith("LOAD_") and "FAST" not in kind and "GLOBAL" not in kind else None


def _reads_position(function: Callable[..., object]) -> bool:
    """Whether the code of a function, or of a function of the user that it calls, names the position of the body."""
    waiting: list[Any] = [function]
    seen: set[CodeType] = set()
    while waiting:
        inner = waiting.pop()
        names = _names_in(inner.__code__)
        if "position" in names:
            return True
        seen.add(inner.__code__)
        cells = dict(zip(inner.__code__.co_freevars, inner.__closure__ or (), strict=True))
        for name in (*names, *cells):
            called = cells[name].cell_contents if name in cells else inner.__globals__.get(name)
            called = getattr(called, "py_func", called)
            if inspect.isfunction(called) and called.__code__ not in seen:
                waiting.append(called)
    return False


def _reads_time(function: Callable[..., object]) -> bool:
    """Whether the code of a function uses its argument `time`."""
    loads = (each for each in dis.get_instructions(function.__code__) if each.opname.startswith("LOAD_"))
    return any(each.argval == "time" or (isinstance(each.argval, tuple) and "time" in each.argval) for each in loads)


def _names_in(code: CodeType) -> set[str]:
    return set(code.co_names).union(*(_names_in(inner) for inner in code.co_consts if isinstance(inner, CodeType)))
