"""An exception at any line: raises `KeyboardInterrupt` at chosen lines of engine code, and looks whether the world is whole after it.

`python -m tests.interrupting` tries every line of every operation, or of those whose names contain the words that follow. Kernels are left
out, because compiled code cannot be interrupted; where nothing is compiled, they and what they call are found and skipped, unless the
caller asks for them.
"""

import argparse
import gc
import inspect
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

import engine
from engine import Recorder, World
from engine.compilation.compiler import COMPILED
from engine.store.schema import Kind
from engine.store.store import BETWEEN_TICKS, Store, _Operation

from .full_world import image

_FOLDER = str(Path(engine.__file__).parent)
_NEVER = -1


class Operation(NamedTuple):
    """What is done to a world, and between which worlds an exception may leave it.

    Attributes:
        make: Makes the world before the operation.
        act: The operation, given the world.
        fails: The exception that the operation always raises; the world is then the one before, whatever else was raised.
        also: Makes another world in which an exception may leave it.
        ticks: The number of ticks that it runs, if it runs ticks; the world may be at any of them.
        repeats: Whether the operation may follow itself, because it changes nothing.
    """

    make: Callable[[], World]
    act: Callable[[World], object]
    fails: type[BaseException] | None = None
    also: Callable[[World], object] | None = None
    ticks: int = 0
    repeats: bool = False


class Torn(NamedTuple):
    """A line at which an exception leaves the world neither as it was nor as it will be, or keeps it from going on."""

    point: int
    line: str
    what: str


class Interrupter:
    """Counts the lines of engine code that run, and raises `KeyboardInterrupt` before one of them.

    Attributes:
        seen: The number of lines that have run.
        where: The line at which it raised; empty before.
    """

    def __init__(self, kernels: set[CodeType], point: int = _NEVER) -> None:
        self.seen = 0
        self.where = ""
        self._kernels = kernels
        self._point = point

    def run(self, act: Callable[[], object]) -> None:
        """Do something under the trace."""
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            act()
        finally:
            sys.settrace(before)

    def _enter(self, frame: Any, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(_FOLDER):
            return None
        caller = frame
        while caller is not None:
            if caller.f_code in self._kernels:
                return None
            caller = caller.f_back
        return self._line

    def _line(self, frame: Any, event: str, argument: Any) -> Any:
        if event == "line":
            self.seen += 1
            if self.seen - 1 == self._point:
                sys.settrace(None)
                self.where = f"{frame.f_code.co_filename[len(_FOLDER) + 1 :]}:{frame.f_lineno} {frame.f_code.co_name}"
                raise KeyboardInterrupt
        return self._line


def _kernel_code() -> set[CodeType]:
    """The code of the kernels that plain Python runs; the decorator gives them a name of their own, and wraps them."""
    if COMPILED:
        return set()
    functions = (thing for thing in gc.get_objects() if isinstance(thing, FunctionType))
    return {
        function.__code__
        for function in functions
        if function.__qualname__ != function.__code__.co_qualname and not hasattr(function, "__wrapped__")
    }


def lines_of(operation: Operation, inside_kernels: bool = False) -> int:
    """The number of lines of engine code that an operation runs; those of kernels count only in plain Python, and only on request."""
    for _ in range(2):  # the first run loads kernels
        world, counter = operation.make(), Interrupter(set() if inside_kernels else _kernel_code())
        _do(operation, world, counter)
    return counter.seen


def _do(operation: Operation, world: World, interrupter: Interrupter | None = None) -> None:
    """Do it, under the trace if there is one; an exception that it must raise is caught, and no other."""
    with warnings.catch_warnings(action="ignore"):
        try:
            if interrupter is None:
                operation.act(world)
            else:
                interrupter.run(lambda: operation.act(world))
        except BaseException as error:
            if operation.fails is None or not isinstance(error, operation.fails):
                raise


def torn_points(operation: Operation, points: Iterator[int] | range, inside_kernels: bool = False) -> Iterator[Torn]:
    """Interrupt an operation at each of these lines, each time in a fresh world, and yield the lines that tear it."""
    allowed, future = _allowed(operation)
    kernels = set() if inside_kernels else _kernel_code()
    for point in points:
        world, interrupter = operation.make(), Interrupter(kernels, point)
        try:
            _do(operation, world, interrupter)
        except KeyboardInterrupt:
            pass
        yield from _torn(operation, world, allowed, future, point, interrupter.where)


def _torn(
    operation: Operation, world: World, allowed: list[dict[str, Any]], future: list[int], point: int, where: str
) -> Iterator[Torn]:
    try:
        what = _damage(operation, world, allowed, future)
    except Exception as error:  # an operation that does not work afterwards
        what = f"afterwards {type(error).__name__}: {error}"
    if what:
        yield Torn(point, where, what)


@contextmanager
def _in_clean_ups(kernels: set[CodeType], first: Interrupter, points: Iterable[int]) -> Iterator[list[Interrupter]]:
    """Interrupt the clean-ups that follow a first interrupt, each at one of these lines; yields what has interrupted them."""
    left, made, is_in_one = iter(points), [], False

    def under(clean_up: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal is_in_one
        point = None if is_in_one or not first.where else next(left, None)
        if point is None:
            return clean_up(*arguments)
        made.append(Interrupter(kernels, point))
        is_in_one = True
        try:
            made[-1].run(lambda: clean_up(*arguments))
        finally:
            is_in_one = False

    def exit(operation: Any, kind: Any, value: Any, trace: Any) -> None:
        return (
            originals[1](operation, kind, value, trace)
            if kind is None
            else under(originals[1], operation, kind, value, trace)
        )

    originals = Store.settle, _Operation.__exit__
    Store.settle, _Operation.__exit__ = lambda store: under(originals[0], store), exit  # type: ignore[method-assign]
    try:
        yield made
    finally:
        Store.settle, _Operation.__exit__ = originals  # type: ignore[method-assign]


def lines_of_clean_up(operation: Operation, point: int) -> int:
    """The number of lines of engine code that clean up after an interrupt at this line of an operation."""
    world, first = operation.make(), Interrupter(_kernel_code(), point)
    with _in_clean_ups(_kernel_code(), first, [_NEVER] * 100) as made, suppress(KeyboardInterrupt):
        _do(operation, world, first)
    return max((each.seen for each in made), default=0)


def torn_again(operation: Operation, point: int, others: Iterable[int]) -> Iterator[Torn]:
    """Interrupt an operation at a line, and the clean-ups that follow at others; yield what tears the world."""
    allowed, future = _allowed(operation)
    world, first, others = operation.make(), Interrupter(_kernel_code(), point), list(others)
    with _in_clean_ups(_kernel_code(), first, others) as made, suppress(KeyboardInterrupt):
        _do(operation, world, first)
    where = ", ".join(each.where for each in (first, *made))
    yield from _torn(operation, world, allowed, future, point, where)


def torn_at_end_of_stack(operation: Operation, frames: Iterable[int]) -> Iterator[Torn]:
    """Do an operation where only so many more frames fit on the stack, and yield what tears the world."""
    allowed, future = _allowed(operation)
    limit = sys.getrecursionlimit()
    for left in frames:
        world, raised = operation.make(), None
        depth = len(inspect.stack(0))
        try:
            sys.setrecursionlimit(depth + left)
            operation.act(world)
        except Exception as error:  # what it was to raise, or what makes an error of another
            raised = error
        finally:
            sys.setrecursionlimit(limit)
        yield from _torn(operation, world, allowed, future, left, f"{left} frames left: {raised!r}")


def _allowed(operation: Operation) -> tuple[list[dict[str, Any]], list[int]]:
    """The worlds that an exception may leave, and the hashes of the ticks after the last of them."""
    world = operation.make()
    allowed = [portrait(world)]
    with warnings.catch_warnings(action="ignore"):
        if operation.ticks:
            for tick in range(operation.ticks):
                world.step()
                if world._stages.after_tick:
                    allowed.append(_without_report(operation, tick))
                allowed.append(portrait(world))
        elif operation.fails is None:
            if operation.also is not None:
                other = operation.make()
                operation.also(other)
                allowed.append(portrait(other))
            operation.act(world)
            allowed.append(portrait(world))
        return allowed, _fly(world)


def _without_report(operation: Operation, ticks: int) -> dict[str, Any]:
    """The world after so many ticks and another one, in the function after which an exception arrived."""
    world = operation.make()
    world.step(ticks)
    functions, world._stages.after_tick = world._stages.after_tick, []
    world.step()
    world._stages.after_tick = functions
    return portrait(world)


def _fly(world: World) -> list[int]:
    """The hashes after each of some ticks, without what raises in each tick."""
    for callback in world._stages.on_tick:
        if getattr(callback.function, "raises", False):
            world.remove_callback(callback.function)
    for force in world.forces:
        if getattr(force, "raises", False):
            world.remove_force(force)
    hashes = []
    for _ in range(2):
        world.step()
        hashes.append(world.state_hash())
    return hashes


def _damage(operation: Operation, world: World, allowed: list[dict[str, Any]], future: list[int]) -> str:
    """What is wrong with a world after an exception, in words; empty if it is whole and goes on."""
    _ = world.tick_count  # the next use of a world ends what an exception has left unfinished
    disorder = ", ".join(disorders(world))
    if disorder:
        return disorder
    now = portrait(world)
    apart = [_different(now, whole) for whole in allowed]
    if all(apart):
        return f"torn: {min(apart, key=len)}"
    with warnings.catch_warnings(action="ignore"):
        if operation.ticks:
            left_to_do = allowed[-1]["ticks"] - world.tick_count
            world.step(left_to_do)
        else:
            left_to_do = not apart[0] and (len(allowed) > 1 or operation.repeats or operation.fails is not None)
            if left_to_do:
                _do(operation, world)
        if operation.also is not None and not apart[1]:
            world.step()
            return ", ".join(disorders(world))
        left = _different(portrait(world), allowed[-1])
        if left_to_do and left:
            return f"done again, it leaves {left}"
        if _fly(world) != future:
            return "it does not go on as another one"
    return ", ".join(disorders(world))


def _different(some: dict[str, Any], others: dict[str, Any]) -> list[str]:
    return sorted(name for name in some.keys() | others.keys() if some.get(name) != others.get(name))


def portrait(world: World) -> dict[str, Any]:
    """Everything that decides the future of a world, equal for equal worlds."""
    found = image(world)
    if not found["pushed"]:
        found["tables"].pop("pushes", None)  # what is left of it has no effect
    for name, table in world._store.tables.items():
        if name in found["tables"]:
            found["tables"][name] = (table.count, _without_scratch(table), *found["tables"][name][2:])
    # without ids, which are not given twice; rows that were added together still are
    tables = {
        f"table {name}": (*content[:2], np.unique(np.frombuffer(content[3], np.int64), return_inverse=True)[1].tolist())
        for name, content in found.pop("tables").items()
    }
    names = {id(body): body.name for body in world.bodies}
    for key in ("by name", "user data"):
        del found[key]
    stages = world._stages
    return {
        **found,
        **tables,
        "handles": [(body.name, body.index) for body in world.bodies],
        "mass properties": [_mass(properties) for properties in world._bodies.mass_properties],
        "forces": [type(member).__name__ for member in world._forces.members],
        "named bodies": [[names[body] for body in bodies] for bodies in found["named bodies"]],
        "callbacks": [(callback.name, callback.every) for callback in stages.on_tick],
        "after tick": [(callback.name, callback.every) for callback in stages.after_tick],
        "joint functions": [callback.event for callback in stages.joint_events.functions],
        "observers": [_seen_by(callback.function.__self__) for callback in stages.observers],
        "method": (repr(world.integrator), *found["method"][1:]),
        "clock": world._clock._image(),
    }


def _seen_by(observer: Any) -> Any:
    """What a `Recorder` or a `Rewind` has kept."""
    if isinstance(observer, Recorder):
        return [(name, values.tobytes()) for name, values in observer.arrays().items()]
    return observer.span, [snapshot.tick_count for snapshot in (*observer._past, *observer._ahead)]


def _without_scratch(table: Any) -> bytes:
    content: bytes = np.delete(table.content(), _scratch(table.schema), axis=0).tobytes()
    return content


def _scratch(schema: Any) -> list[int]:
    """The components that kernels compute anew."""
    slices = [schema.components[field.name] for field in schema.fields if field.kind is Kind.SCRATCH]
    return [row for each in slices for row in range(each.start, each.stop)]


def _mass(properties: Any) -> tuple[Any, ...]:
    return properties.mass, properties.inertia_body.tobytes(), properties.center_of_mass_body.tobytes()


def disorders(world: World) -> Iterator[str]:
    """What contradicts itself inside a world."""
    store, bodies, stages = world._store, world._bodies, world._stages
    if store.phase is not BETWEEN_TICKS:
        yield "a tick that never ends"
    if store.log is not None:
        yield "a log that nobody clears"
    if store.unfinished is not None:
        yield "an operation that never ends"
    if world._in_frame:
        yield "a frame that never ends"
    if not bodies.count == len(bodies.handles) == len(bodies.mass_properties) == len(world._bodies.by_name):
        yield "bodies without handles, or the reverse"
    if any(
        world._bodies.by_name.get(body.name) is not body or body.index != row for row, body in enumerate(bodies.handles)
    ):
        yield "names of other bodies"
    rows = {id(member) for member in world._forces._owners.values()}
    if rows != {id(member) for member in world._forces.members if hasattr(member, "_table")}:
        yield "owners of rows that are no members"
    for member in world._forces.members:
        if hasattr(member, "_table") and (member._table.store is not store or not len(member.rows)):
            yield f"{type(member).__name__} without rows"
    for name, table in store.tables.items():
        if table.schema.follows and table.count != store.tables[table.schema.follows].count:
            yield f"rows of {name} without bodies"
        if (np.diff(table.ids[: table.count]) <= 0).any():
            yield f"ids of {name} out of order"
    called = [force for force, _apply in (*world._plan.tick_forces, *world._plan.stage_forces)]
    if {id(force) for force in called} != {id(force) for force in world.forces if not hasattr(force, "_table")}:
        yield "called forces that are no members"
    sampled = [member for member in world._forces.members if hasattr(member, "_sample")]
    if len(stages.before) + len(stages.behind) != len(sampled):
        yield "sampled parts that are no members"


def main() -> None:
    """Try every line of every operation."""
    from .interrupted_operations import OPERATIONS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only operations whose names contain one of these words")
    parser.add_argument("--every", type=int, default=1, help="try only every so many lines")
    options = parser.parse_args()
    total, torn = 0, 0
    for name, operation in OPERATIONS.items():
        if options.words and not any(word in name for word in options.words):
            continue
        begin, count = time.perf_counter(), lines_of(operation)
        points = range(0, count, options.every)
        found = list(torn_points(operation, points))
        total, torn = total + len(points), torn + len(found)
        seconds = time.perf_counter() - begin
        print(f"{name:<42}{len(points):6} lines {len(found):5} torn {seconds:7.1f} s", flush=True)
        for line, what in dict.fromkeys((each.line, each.what[:110]) for each in found):
            print(f"      {line}: {what}", flush=True)
    print(f"{total} lines, {torn} torn")
    sys.exit(torn > 0)


if __name__ == "__main__":
    main()
