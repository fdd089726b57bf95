"""Questions about the shapes of a world: rays, casts, overlaps and nearest points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from .body import Body
from .checks import FloatArray, array, is_row, members, real, refuse, stack, unit_quaternions
from .collision import casting, cores, layout, terrain
from .collision.casting import ENDLESS, FARTHEST, bound_shapes, cast_shapes, measure_shapes, overlap_shapes
from .collision.parting import part_cores
from .collision.poses import axes_of
from .collision.terrain_questions import cast_on_terrain, part_from_terrain
from .collision.tree import MOST_STACKED, NODE_SIZE, grow_tree
from .compilation.choice import Loop, linked, named, ready
from .compilation.kernel_types import Arguments, Kernel
from .loops.columns import Integers
from .reading import reading
from .shapes.handle import ShapeHandle, bits_of
from .shapes.shape import Shape, Solid
from .store.bodies import Bodies
from .store.rows import is_body, rows_in
from .store.table import Table
from .tick.contacts import Gathered, comparison, forms_of, gathered_points, inner_loop

__all__ = ["Hits", "Nearest", "Overlaps"]


class Hits(NamedTuple):
    """What rays or moved shapes meet first; read-only arrays with one row per ray.

    Example:
        >>> from engine import World, shapes
        >>> world = World(dt=1 / 60)
        >>> _ = world.add_shape(shapes.Sphere(1.0), name="buoy")
        >>> hits = world.ray_cast([(0, 0, 5), (3, 0, 5)], (0, 0, -1))
        >>> hits.hit.tolist(), hits.distance.tolist(), hits.point_world[0].tolist()
        ([True, False], [4.0, inf], [0.0, 0.0, 1.0])
    """

    hit: npt.NDArray[np.bool_]
    """Whether it meets anything, shape (n,)."""
    distance: FloatArray
    """How far it goes until then [m]; infinite if it meets nothing, shape (n,)."""
    point_world: FloatArray
    """The point of the surface that it meets [m], world frame; nan if there is none, shape (n, 3)."""
    normal_world: FloatArray
    """Unit normal out of that surface, world frame; nan if there is none, shape (n, 3)."""
    shapes: tuple[ShapeHandle | None, ...]
    """The shape that it meets; None for nothing."""
    bodies: tuple[Body | None, ...]
    """The body of that shape; None for a shape of the world, and for nothing."""


class Overlaps(NamedTuple):
    """The shapes that a shape would overlap or touch, in the order of its poses, and then in the order in which they were added.

    Example:
        >>> from engine import World, shapes
        >>> world = World(dt=1 / 60)
        >>> _ = world.add_shape(shapes.Box((2.0, 2.0, 2.0)), name="block")
        >>> found = world.overlaps(shapes.Sphere(0.5), [(0, 0, 4.0), (0, 0, 1.4)])
        >>> found.number.tolist(), found.shapes[0].name
        ([1], 'block')
    """

    number: npt.NDArray[np.int64]
    """The number of the pose, from 0, read-only, shape (k,)."""
    shapes: tuple[ShapeHandle, ...]
    """The shape that is overlapped."""
    bodies: tuple[Body | None, ...]
    """Its body; None for a shape of the world."""


class Nearest(NamedTuple):
    """The nearest points of pairs of bodies or shapes; read-only arrays with one row per pair.

    Example:
        >>> from engine import World, shapes
        >>> world = World(dt=1 / 60)
        >>> ground = world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
        >>> buoy = world.add_shape(shapes.Sphere(0.5), position=(1.0, 0.0, 2.0))
        >>> nearest = world.closest_points(buoy, ground)
        >>> nearest.distance.tolist(), nearest.point_b_world.tolist(), nearest.normal_world.tolist()
        ([1.5], [[1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]])
    """

    distance: FloatArray
    """Distance of the two points [m]; negative if the shapes overlap, shape (n,). Its size then is the least distance by which one of the
    shapes must be moved to part them, or one of them and the triangle of a terrain in which it is deepest. Infinite for a shape whose
    middle is in front of no triangle of a mesh."""
    point_a_world: FloatArray
    """The point on the first one [m], world frame; nan if there is none, shape (n, 3)."""
    point_b_world: FloatArray
    """The point on the second one [m], world frame; nan if there is none, shape (n, 3)."""
    normal_world: FloatArray
    """Unit vector from the second one to the first, world frame; nan if there is none, shape (n, 3)."""
    shapes_a: tuple[ShapeHandle, ...]
    """The shape of the first one on which the point is."""
    shapes_b: tuple[ShapeHandle, ...]
    """The shape of the second one on which the point is."""


_CORES: dict[int, Callable[[float, float, float], tuple[int, tuple[float, float, float], float]]] = {
    layout.SPHERE: lambda x, y, z: (cores.POINT, (0.0, 0.0, 0.0), x),
    layout.BOX: lambda x, y, z: (cores.BOX_CORE, (x, y, z), 0.0),
    layout.CAPSULE: lambda x, y, z: (cores.SEGMENT, (0.0, 0.0, z), x),
    layout.CYLINDER: lambda x, y, z: (cores.CYLINDER, (x, 0.0, z), 0.0),
    layout.HULL: lambda x, y, z: (cores.HULL, (x, y, z), 0.0),
}
"""The kind, the sizes and the radius of the core of a solid that may be cast, by its type."""
_POINT = (Solid(layout.SPHERE, (0.0, 0.0, 0.0)),)
"""What a ray casts."""


class _Forms(NamedTuple):
    """What follows from the rows of shapes, whatever their poses."""

    key: tuple[int, ...]
    forms: Integers
    gathered: Gathered
    terrains: Integers


class _Tree(NamedTuple):
    """The boxes of all shapes at some poses."""

    bounds: FloatArray
    nodes: FloatArray
    order: Integers
    endless: Integers


class Queries:
    """Answers the questions of `World` about its shapes, at the poses in the arrays of the bodies."""

    def __init__(
        self, bodies: Bodies, shapes: Table, owners_of: Callable[[Table, Integers], tuple[ShapeHandle, ...]]
    ) -> None:
        """Read these tables.

        Args:
            bodies: The bodies.
            shapes: The table of shapes.
            owners_of: Finds the handles of rows of a table.
        """
        self._bodies, self._table, self._owners_of = bodies, shapes, owners_of
        self._known_forms: _Forms | None = None
        self._known_tree: _Tree | None = None

    # questions

    def cast(
        self,
        shape: Shape | None,
        origins: npt.ArrayLike,
        directions: npt.ArrayLike,
        orientation: npt.ArrayLike,
        max_distance: npt.ArrayLike,
        layers: Iterable[int],
        owner: str,
    ) -> Hits:
        """What a shape, or a point for None, meets first that is moved along lines; see `World.shape_cast`."""
        solids = _POINT if shape is None else _read_solids(shape, owner)
        given = {
            "origins": _read_places(origins, "origins", owner),
            "directions": _read_directions(directions, owner),
            "orientation": _read_turns(orientation, owner),
            "max_distance": _read_most(max_distance, owner),
        }
        positions, toward, turns, most = _of_one_length(given, owner)
        seen = self._seen(layers, owner)
        hits = np.zeros((len(positions), casting.HIT_SIZE))
        hits[:, casting.DISTANCE], hits[:, casting.HIT_SHAPE] = np.inf, -1.0
        casts = np.column_stack([positions, turns, toward, most])
        for solid in solids:
            narrow, core = self._core(solid)
            _run(cast_shapes, *self._arguments(narrow, seen), core, casts, hits)
        rows = hits[:, casting.HIT_SHAPE].astype(np.int64)
        handles: Any = self._handles(rows)
        hits[rows < 0, casting.HIT_POINT :] = np.nan
        is_hit = rows >= 0
        is_hit.flags.writeable = False
        return Hits(
            is_hit,
            reading(hits[:, casting.DISTANCE].copy()),
            reading(hits[:, casting.HIT_POINT : casting.HIT_POINT + 3].copy()),
            reading(hits[:, casting.HIT_NORMAL : casting.HIT_NORMAL + 3] + 0.0),  # no negative zeros
            handles,
            _bodies_of(handles),
        )

    def overlaps(
        self,
        shape: Shape,
        position: npt.ArrayLike,
        orientation: npt.ArrayLike,
        layers: Iterable[int],
        owner: str,
    ) -> Overlaps:
        """The shapes that a shape would overlap at some poses; see `World.overlaps`."""
        solids = _read_solids(shape, owner)
        given = {
            "position": _read_places(position, "position", owner),
            "orientation": _read_turns(orientation, owner),
        }
        positions, turns = _of_one_length(given, owner)
        numbers, rows = self._overlapped(solids, positions, turns, self._seen(layers, owner))
        handles: Any = self._handles(rows)
        # parts of one shape are found together, because their rows follow each other
        first = [place for place in range(len(rows)) if not place or numbers[place] != numbers[place - 1]
                 or handles[place] is not handles[place - 1]]  # fmt: skip
        numbers, handles = numbers[first], tuple(handles[place] for place in first)
        numbers.flags.writeable = False
        return Overlaps(numbers, handles, _bodies_of(handles))

    def bodies_at(self, point: npt.ArrayLike, layers: Iterable[int], owner: str) -> tuple[tuple[Body, ...], ...]:
        """The bodies at some points; see `World.bodies_at`."""
        places = _read_places(point, "point", owner)
        turns = _read_turns((0.0, 0.0, 0.0, 1.0), owner)
        owners = self._table.array[layout.BODY, : self._table.count].astype(np.int64)
        seen = self._seen(layers, owner) * (owners >= 0)
        numbers, rows = self._overlapped(_POINT, places, np.repeat(turns, len(places), axis=0), seen)
        found: list[dict[Body, None]] = [{} for _place in places]
        for number, body in zip(numbers.tolist(), owners[rows].tolist(), strict=True):
            found[number][self._bodies.handles[body]] = None
        return tuple(map(tuple, found))

    def closest_points(
        self,
        a: Body | ShapeHandle | Sequence[Body | ShapeHandle],
        b: Body | ShapeHandle | Sequence[Body | ShapeHandle],
        own_body: Callable[[Any, str, str], int],
        owner: str,
    ) -> Nearest:
        """The nearest points of bodies or shapes; see `World.closest_points`.

        Args:
            a: The first ones.
            b: The second ones.
            own_body: Returns the row of a body of the world, and rejects any other.
            owner: Who asks, for errors.
        """
        first, second = self._read_owners(a, "a", own_body, owner), self._read_owners(b, "b", own_body, owner)
        if len(first) != len(second) and 1 not in (len(first), len(second)):
            refuse(owner, "b", b, f"one body or shape, or {len(first)} of them")
        count = len(second) if len(first) == 1 else len(first)
        is_ground = _is_ground(self._table.array[layout.TYPE, : self._table.count]).tolist()
        pairs, counts = [], []
        for place in range(count):
            one, other = first[place if len(first) > 1 else 0], second[place if len(second) > 1 else 0]
            both = [
                (row, opposite) for row in one for opposite in other if not (is_ground[row] and is_ground[opposite])
            ]
            if not both:
                refuse(owner, "b", b, "a convex shape if the other one is a plane or a terrain")
            pairs += both
            counts.append(len(both))
        return self._measured(np.array(pairs, np.int64).reshape(-1, 2), np.array(counts, np.int64))

    def _measured(self, pairs: Integers, counts: Integers) -> Nearest:
        """The nearest of each run of so many pairs of rows."""
        # a plane or a terrain comes second
        is_ground = _is_ground(self._table.array[layout.TYPE, pairs[:, 0]])
        ordered = np.where(is_ground[:, np.newaxis], pairs[:, ::-1], pairs)
        measured = np.zeros((len(pairs), casting.MEASURED_SIZE))
        narrow = comparison(self._forms.gathered.columns, True)[2]
        _run(measure_shapes, *self._common(narrow), np.ascontiguousarray(ordered), measured)
        places = np.lexsort((measured[:, 0], np.repeat(np.arange(len(counts)), counts)))
        best = places[np.cumsum(counts) - counts]
        exchanged = is_ground[best, np.newaxis]
        one, other, normal = (measured[best, 1 + 3 * part : 4 + 3 * part] for part in range(3))
        sides: Any = tuple(self._handles(pairs[best, side]) for side in range(2))
        return Nearest(
            reading(measured[best, 0]),
            reading(np.where(exchanged, other, one)),
            reading(np.where(exchanged, one, other)),
            reading(np.where(exchanged, -normal, normal) + 0.0),
            *sides,
        )

    # the shapes, and their boxes at the poses of now

    @property
    def _forms(self) -> _Forms:
        table = self._table
        key = id(table.array), table.version, table.numbering, table.count
        known = self._known_forms
        if known is None or known.key != key:
            forms, held = forms_of(table)
            terrains = np.flatnonzero(table.array[layout.TYPE, : table.count] >= layout.MESH)
            self._known_forms = known = _Forms(key, forms, gathered_points(held), terrains)
        return known

    @property
    def _tree(self) -> _Tree:
        """The tree of the boxes, which is made again if a box is another one than before."""
        count = self._table.count
        bounds, owners = np.zeros((count, layout.BOUND_SIZE)), np.zeros(count, np.int64)
        _run(bound_shapes, self._bodies.array, self._table.array, bounds, owners, count)
        known = self._known_tree
        if known is None or not np.array_equal(bounds, known.bounds, equal_nan=True):
            self._known_tree = known = _grown(bounds)
        return known

    def _seen(self, layers: Iterable[int], owner: str) -> Integers:
        """Whether each shape is in one of these layers, 1 or 0."""
        low, high = bits_of(layers, owner, "layers")
        mask = low | high << 32
        is_seen = np.array([mask >> layer & 1 for layer in range(64)], np.int64)
        return is_seen[self._table.array[layout.LAYER, : self._table.count].astype(np.int64)]

    def _common(self, narrow: tuple[object, ...]) -> Arguments:
        """The arguments that kernels about placed shapes have in common."""
        forms, tree = self._forms, self._tree
        scene = self._bodies.array, self._table.array, forms.forms
        scratch = np.zeros(terrain.MOST_LISTED, np.int64), np.zeros(MOST_STACKED, np.int64), _room_for_a_point()
        return (
            scene,
            narrow,
            np.zeros(_CALLS, np.int64),
            (forms.gathered.grounds, forms.terrains, tree.bounds, *scratch),
        )

    def _arguments(self, narrow: tuple[object, ...], seen: Integers) -> Arguments:
        """The arguments that kernels which go through the tree have in common."""
        tree = self._tree
        search = tree.bounds, tree.nodes, tree.order, np.zeros(MOST_STACKED, np.int64), seen, tree.endless
        return *self._common(narrow), search

    def _overlapped(
        self, solids: tuple[Solid, ...], positions: FloatArray, turns: FloatArray, seen: Integers
    ) -> tuple[Integers, Integers]:
        """The number of each pose with the row of each shape that is overlapped there, in ascending order."""
        found = np.zeros((0, 2), np.int64)
        casts = np.column_stack([positions, turns])
        for solid in solids:
            narrow, core = self._core(solid)
            arguments = self._arguments(narrow, seen)
            pairs = np.zeros((64 + 4 * len(positions), 2), np.int64)
            while (count := _run(overlap_shapes, *arguments, core, casts, pairs)) > len(pairs):
                pairs = np.zeros((count, 2), np.int64)
            found = np.concatenate([found, pairs[:count]])
        numbers, rows = np.unique(found, axis=0).T
        return np.ascontiguousarray(numbers), np.ascontiguousarray(rows)

    def _core(self, solid: Solid) -> tuple[Arguments, FloatArray]:
        """The arguments of `part_cores` with the points of a solid, and its core in the axes of its shape."""
        columns, core = self._forms.gathered.columns, np.zeros((1, cores.PLACED_SIZE))
        kind, size, radius = _CORES[solid.type](*solid.sizes)
        x, y, z = solid.position.tolist()
        a, b, c, d = solid.orientation.tolist()
        cores.place_core(core, 0, kind, (x, y, z), axes_of((a, b, c, d)), size, radius)
        if solid.type == layout.HULL:
            cores.place_hull(core, 0, columns.shape[1], solid.points.corner_count, solid.points.face_count)
            columns = np.ascontiguousarray(np.hstack([columns, solid.points.columns]))
        return comparison(columns, True)[2], core

    def _handles(self, rows: Integers) -> tuple[ShapeHandle | None, ...]:
        """The handles of rows of shapes; None for negative ones."""
        known = iter(self._owners_of(self._table, rows[rows >= 0]))
        return tuple(next(known) if row >= 0 else None for row in rows.tolist())

    def _read_owners(
        self, value: object, argument: str, own_body: Callable[[object, str, str], int], owner: str
    ) -> list[list[int]]:
        """The rows of the enabled shapes of a body or a shape, or of each of several."""
        table, rule = self._table, "a body or a shape of this world, or a list of these"
        is_enabled = (table.array[layout.ENABLED, : table.count] != 0.0).tolist()
        bodies = table.array[layout.BODY, : table.count]
        in_order = np.argsort(bodies, kind="stable")
        given = [value] if _has_shapes(value) else members(value, argument, owner, rule, _has_shapes, rule)
        own = [own_body(one, owner, argument) if is_body(one) else 0 for one in given]
        first, last = (np.searchsorted(bodies[in_order], own, side=side).tolist() for side in _SIDES)
        rows_by_body, found = in_order.tolist(), []
        for place, one in enumerate(given):
            rows = rows_by_body[first[place] : last[place]]
            if isinstance(one, ShapeHandle):
                rows = range(table.count)[rows_in(one, table.store)]
                if not rows:
                    refuse(owner, argument, one, "a shape of this world")
            found.append([row for row in rows if is_enabled[row]])
            if not found[-1]:
                refuse(owner, argument, one, "a body with an enabled shape, or an enabled shape")
        return found


_SIDES: tuple[Literal["left", "right"], ...] = "left", "right"


def _has_shapes(value: object) -> bool:
    return isinstance(value, ShapeHandle) or is_body(value)


def _grown(bounds: FloatArray) -> _Tree:
    extents = bounds[:, layout.HIGH : layout.HIGH + 3] - bounds[:, layout.LOW : layout.LOW + 3]
    is_enabled = (extents >= 0.0).all(axis=1)
    has_bounds = is_enabled & (extents < ENDLESS).all(axis=1)
    bounded = np.flatnonzero(has_bounds)
    boxes = np.ascontiguousarray(bounds[bounded, layout.LOW : layout.HIGH + 3])
    order, nodes = np.zeros(len(bounded), np.int64), np.zeros((2 * len(bounded) + 1, NODE_SIZE))
    count = _run(grow_tree, boxes, order, nodes, np.zeros((MOST_STACKED, 4), np.int64), len(bounded))
    return _Tree(bounds, nodes[:count], bounded[order], np.flatnonzero(is_enabled & ~has_bounds))


def _is_ground(types: FloatArray) -> npt.NDArray[np.bool_]:
    """Whether shapes are planes or terrains, which are of the world alone."""
    return (types == layout.PLANE) | (types >= layout.MESH)


def _bodies_of(handles: tuple[ShapeHandle | None, ...]) -> Any:
    return tuple(None if handle is None else handle.body for handle in handles)


_CALLS = 4
"""The number of addresses that kernels get; see `casting`."""


def _room_for_a_point() -> FloatArray:
    return np.zeros((1, layout.FOUND_SIZE))


def _examples() -> tuple[Arguments, Arguments, Integers, Arguments]:
    """Arguments of the types of those that kernels about placed shapes have in common."""
    array, integers, flat = np.zeros((1, 1)), np.zeros((1, 1), np.int64), np.zeros(1, np.int64)
    ground = gathered_points([]).grounds, flat, array, flat, flat, array
    return (array, array, integers), comparison(np.zeros((4, 1)), False)[2], flat, ground


@cache
def _called(has_terrain: bool) -> tuple[Loop, ...]:
    """The kernels that others call, in the order of their addresses; see `casting`."""
    examples = _examples()
    parting = named(part_cores, *examples[1])
    if not has_terrain:
        return (parting,)
    nowhere = (0.0, 0.0, 0.0)
    cast = named(cast_on_terrain, *examples, 0, nowhere, nowhere, 0.0)
    return parting, cast, named(part_from_terrain, *examples, 0, nowhere, 0.0), inner_loop()


def _run(kernel: Kernel, *arguments: Any) -> int:
    """Call a kernel, or its plain Python function while it, or one that it calls, is compiled in the background."""
    loop = named(kernel, *arguments)
    if kernel in (bound_shapes, grow_tree):
        return int(ready(loop)(*arguments))
    _scene, _narrow, calls, (_grounds, terrains, *_scratch) = arguments[:4]
    (function,) = linked([loop], _called(len(terrains) > 0), calls)
    return int(function(*arguments))


def kernels_of_queries() -> list[Loop]:
    """The kernels that answer questions about shapes."""
    array, integers, flat, examples = np.zeros((1, 1)), np.zeros((1, 1), np.int64), np.zeros(1, np.int64), _examples()
    tree = array, array, flat, flat, flat, flat
    return [
        named(bound_shapes, array, array, array, flat, 0),
        named(grow_tree, array, flat, array, integers, 0),
        *_called(True),
        named(cast_shapes, *examples, tree, array, array, array),
        named(overlap_shapes, *examples, tree, array, array, integers),
        named(measure_shapes, *examples, integers, array),
    ]


# arguments


def _read_places(value: npt.ArrayLike, argument: str, owner: str, size: int = 3) -> FloatArray:
    """Numbers of shape (size,) or (n, size), as rows."""
    given = stack(value, argument, owner, size)
    if given.ndim > 2:
        refuse(owner, argument, value, f"finite real numbers of shape ({size},) or (n, {size})")
    return given.reshape(-1, size)


def _read_directions(value: npt.ArrayLike, owner: str) -> FloatArray:
    """Unit vectors as rows."""
    given = _read_places(value, "directions", owner)
    largest = np.abs(given).max(axis=1, keepdims=True, initial=0.0)
    if not (largest > 0.0).all():
        refuse(owner, "directions", value, "vectors that are not zero")
    given /= largest  # so that the squares neither overflow nor vanish
    return given / np.linalg.norm(given, axis=1, keepdims=True)


def _read_turns(value: npt.ArrayLike, owner: str) -> FloatArray:
    """Unit quaternions as rows."""
    return unit_quaternions(_read_places(value, "orientation", owner, 4), "orientation", owner, value)


def _read_most(value: npt.ArrayLike, owner: str) -> FloatArray:
    """Distances, one or several, which may be infinite."""
    if is_row(value):
        given = array(value, "max_distance", owner, (None,), finite=False, at_least=0)
        if not (given > 0.0).all():
            refuse(owner, "max_distance", value, "above 0")
    elif isinstance(value, float) and value == np.inf:
        given = np.array([value])
    else:
        given = np.array([real(value, "max_distance", owner, above=0.0)])
    return np.minimum(given, FARTHEST)


def _of_one_length(given: dict[str, FloatArray], owner: str) -> list[FloatArray]:
    """Repeat what is given once, so that all have as many rows as there are casts."""
    count, most = 1, ""
    for name, rows in given.items():
        if len(rows) != 1 and count == 1:
            count, most = len(rows), name
        elif len(rows) not in (1, count):
            refuse(owner, name, rows, f"one value, or one for each of the {count} of {most}")
    return [np.repeat(rows, count, axis=0) if len(rows) == 1 else rows for rows in given.values()]


def _read_solids(shape: Shape, owner: str) -> tuple[Solid, ...]:
    """The solids of a shape that may be moved."""
    if not isinstance(shape, Shape):
        refuse(owner, "shape", shape, "a shape of engine.shapes, such as a Box", TypeError)
    solids = shape._solids()
    if not solids or any(solid.type not in _CORES for solid in solids):
        refuse(owner, "shape", shape, "a Box, Capsule, ConvexHull, Cylinder, Sphere, or a Compound of these")
    return solids
