"""The contacts of a world: its shapes, the points at which they touch, and the operations that find and keep these in a tick."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NoReturn, TypeVar, cast
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray
from ..collision import broad, cores, grounds, impact, layout, manifold, parting, seams, terrain
from ..collision.broad import near_pairs
from ..collision.detection import Finding, find_contacts
from ..collision.found import keep_four
from ..collision.keeping import Keeping, keep_contacts
from ..collision.layout import (
    CONTACTS,
    COUNTS,
    DEEP,
    DEEP_IN,
    EXCLUDED,
    SHAPES,
    SHORT,
    SHORT_OF_IMPACTS,
    SHORT_OF_PAIRS,
    SHORT_OF_POINTS,
    SHORT_OF_SEAMS,
    SHORT_OF_SPACE,
    SHORT_OF_STRUCTURES,
)
from ..collision.manifold import touch_cores
from ..collision.pairs import touch_directly, touch_shapes
from ..collision.parting import part_cores
from ..collision.surface import is_inner
from ..collision.terrain import group_points, touch_terrain
from ..collision.tree import MOST_STACKED
from ..compilation.choice import Loop, named
from ..compilation.kernel_types import Arguments, Kernel
from ..compilation.packed import Packed, declared, example
from ..constraints import layout as rows
from ..constraints.graph import BLOCK_COUNT, BODY_COUNT, ISLANDS, PLACES, ROW_COUNT, Counted, number_islands
from ..loops.columns import Integers
from ..loops.keeping import keeping
from ..loops.program import Operation
from ..loops.steps import Counts
from ..shapes.handle import CONTACTS as CONTACT_SCHEMA
from ..shapes.handle import GROUPS, IGNORED
from ..shapes.handle import SHAPES as SHAPE_SCHEMA
from ..shapes.points import Points, points_of
from ..store.bodies import Bodies
from ..store.store import Store
from ..store.table import FilledTable, Table
from .islands import Islands

_FEW = 64
"""Bodies for which there is room from the start; more room is made when a tick asks for it."""


class Contacts:
    """The tables of shapes and contacts, and the arrays in which contacts are found.

    Attributes:
        islands: The islands that contacts and joints make in each tick.
        shapes: The table of shapes.
        ignored: The table of the pairs of bodies that do not touch each other.
        groups: The table of the groups of bodies.
        table: The table of the points of the last tick.
    """

    def __init__(self, store: Store, bodies: Bodies, joints: tuple[Table, Table, Table]) -> None:
        self._store, self._bodies, self._joints = store, bodies, joints
        self.shapes, self.ignored, self.groups = store.table(SHAPE_SCHEMA), store.table(IGNORED), store.table(GROUPS)
        table = store.table(CONTACT_SCHEMA)
        assert isinstance(table, FilledTable)
        self.table = table
        self._own, self._all = Islands(bodies), Islands(bodies, has_all=True)
        self.islands = self._own
        self.counts = np.zeros(COUNTS, np.int64)
        self._seen = -1
        self._excluded: Integers = np.zeros((0, 2), np.int64)
        self._room = 0
        self._taken: Integers = np.zeros(0, np.int64)
        self._points: list[Points] | None = None
        self._has_fast = self._has_seams = False

    @property
    def any(self) -> bool:
        """Whether there are shapes."""
        return self.shapes.count > 0

    @property
    def both(self) -> tuple[Islands, Islands]:
        """The islands of bodies that touch or are on joints, and those of all bodies."""
        return self._own, self._all

    def use(self, moves_all: bool) -> None:
        """Choose whether all bodies are moved by the step of islands, or those that touch or are on joints."""
        islands = self._all if moves_all else self._own
        if islands is not self.islands:
            self.islands, self._seen = islands, -1
        self.look()

    @property
    def is_short(self) -> bool:
        """Whether the last tick was not run because an array was too short."""
        return bool(self.counts[SHORT])

    def _counted(self) -> list[Counted]:
        tables = [(table.array, table.count) for table in (*self._joints, self._bodies)]
        return [*tables, (self._list, int(self.counts[CONTACTS]))]

    def look(self) -> None:
        """Fit the arrays to the shapes, bodies and joints, if any came or went since."""
        store = self._store
        if self._seen == store.layout_version:
            return
        if self._seen >= 0 and not store.binds_anew and np.array_equal(self._excluded, self._pairs_apart()):
            self._seen = store.layout_version
            return
        if self._room and len(self._taken) < self.table.capacity:  # points were added between two ticks
            self._taken = np.zeros(self.table.capacity, np.int64)
        count = self.shapes.count
        self.counts[SHAPES], self.counts[CONTACTS] = count, 0
        self._bounds = np.zeros((count, layout.BOUND_SIZE))
        self._near = _search(self._bounds)
        self._find_forms()
        if not self._room:
            self._pairs = np.zeros((8 * _FEW, 4), np.int64)
            self._make_lists(2 * _FEW)
        self._make_edges()
        self._excluded = self._pairs_apart()
        self.counts[EXCLUDED] = len(self._excluded)
        self._number()
        store.change_layout()
        self._seen = store.layout_version

    def _find_forms(self) -> None:
        """Gather the points of shapes, and make the arrays in which cores are compared if there are any cores."""
        types = self.shapes.array[layout.TYPE, : self.shapes.count]
        self._has_direct = bool(((types == layout.SPHERE) | (types == layout.BOX)).any())
        self._has_cores = self._has_fast or bool((types >= layout.CAPSULE).any())
        self._has_terrain = bool((types >= layout.MESH).any())
        self._forms, held = forms_of(self.shapes)
        if self._points is None or list(map(id, held)) != list(map(id, self._points)):
            # a large terrain is not copied again when a body comes
            self._points, self._gathered = held, gathered_points(held)
        self._found, self._polygon, self._narrow = comparison(self._gathered.columns, self._has_cores)
        self.islands.impacts = np.zeros((rows.IMPACT_ROWS, self._bodies.count if self._has_fast else 0))
        self._terrain = (
            *(self._gathered.grounds, np.flatnonzero(types >= layout.MESH), self._bounds),
            *_terrain_scratch(self._has_terrain),
        )

    @property
    def called(self) -> list[Loop | None]:
        """The kernels that operations of contacts call, in the order of their places in `collision.layout`."""
        loops: list[Loop | None] = [_near_loop()]
        for is_called, kernels in (
            (self._has_direct, _direct_loops),
            (self._has_cores, _core_loops),
            (self._has_terrain, _terrain_loops),
            (self._has_fast, _impact_loops),
            (self._has_seams, _seam_loops),
        ):
            loops += kernels() if is_called else [None] * len(kernels())
        while loops[-1] is None:
            loops.pop()
        # none of these calls them, but they are ready, or in plain Python, together with these
        return [*loops, *_contact_loops()]

    def _make_lists(self, contacts: int) -> None:
        """Have room for so many contacts, each with as many points as it may have."""
        self._room, points = contacts, layout.MOST_POINTS * contacts
        self._list = np.zeros((layout.LIST_ROWS, contacts), np.int64)
        self._touching = np.zeros((points, rows.TOUCH_SIZE))
        self.table.reserve(points)
        self._taken = np.zeros(self.table.capacity, np.int64)

    def _make_edges(self) -> None:
        """Have room for what is looked at to find points on seams, if there are any."""
        room = self._room if self._has_seams else 0
        self._edges = np.zeros((len(self._touching) if room else 1, seams.EDGE_SIZE))
        self._heads: Integers = np.zeros(self._bodies.count if room else 0, np.int64)
        self._following: Integers = np.zeros(2 * room, np.int64)

    def _pairs_apart(self) -> Integers:
        """The pairs of bodies whose shapes pass through each other, in ascending order; the world is -1."""
        table = self._joints[0]
        array = table.array[:, : table.count]
        acts = (array[rows.ENABLED] != 0.0) & (array[rows.TYPE] != rows.OPEN) & (array[rows.COLLIDES] == 0.0)
        ignored = self.ignored.array[:, : self.ignored.count]
        pairs = np.sort(np.hstack([array[[rows.BODY, rows.OTHER]][:, acts], ignored]).astype(np.int64), axis=0)
        return np.ascontiguousarray(np.unique(pairs.T, axis=0)) if pairs.size else np.zeros((0, 2), np.int64)

    def _number(self) -> None:
        islands, graph = self.islands, self.islands.graph
        graph.number(number_islands, *self._counted())
        least = np.zeros(len(graph.sizes), np.int64)
        few = min(self._bodies.count, _FEW)
        least[[PLACES, BODY_COUNT, ISLANDS, ROW_COUNT, BLOCK_COUNT]] = few, few, few, 24 * few, 6 * few
        islands.make_room(least, self._room)
        islands.touching = self._touching

    def grow(self) -> None:
        """Have longer arrays after a tick that was not run because one was too short.

        Raises:
            ValueError: If it was not run because shapes were placed too deep in one another.
        """
        short = int(self.counts[SHORT])
        self.counts[SHORT] = 0
        if short == SHORT_OF_SPACE:
            self._refuse_depth()
        if short == SHORT_OF_PAIRS:
            self._pairs = np.zeros((2 * len(self._pairs), 4), np.int64)
        elif short == SHORT_OF_POINTS:
            self._make_lists(2 * self._room)
            self._make_edges()
            self.counts[CONTACTS] = 0
            self._number()
        elif short == SHORT_OF_IMPACTS:
            self._has_fast = True
            self._find_forms()
        elif short == SHORT_OF_SEAMS:
            self._has_seams = True
            self._make_edges()
        elif short == SHORT_OF_STRUCTURES:
            self.islands.graph.number(number_islands, *self._counted())
            self._fit_room()
        else:
            self._fit_room()
        self._store.change_layout()
        self._seen = self._store.layout_version

    def _refuse_depth(self) -> NoReturn:
        """Reject the tick that would begin with shapes placed too deep in one another."""
        rows = self.counts[[DEEP, DEEP_IN]]
        bodies = self.shapes.array[layout.BODY, rows].astype(int).tolist()
        first, second = (
            shape._on(self._bodies.handles[body] if body >= 0 else None)
            for shape, body in zip(self._store.world()._forces.owners_of(self.shapes, rows), bodies, strict=True)
        )
        depth, least = -float(self._found[0, layout.APART_BY]), float(self._bounds[rows, layout.LEAST_HALF].min())
        raise ValueError(
            f"World: {first} was placed {depth:.3g} m deep in {second}, and the rule is at most half the least extent of both, "
            f"{least:.3g} m; place them farther apart, or give allow_overlap=True to one of them"
        )

    def _fit_room(self) -> None:
        self.islands.make_room(None, self._room)
        self.islands.touching = self._touching

    def operations(
        self, function: Callable[[Kernel], Kernel], calls: Integers, steps: Counts, dt: float
    ) -> tuple[list[Operation], Operation]:
        """The operations that find the contacts before a tick or step of `dt` [s], and the one that keeps them after it.

        Args:
            function: Returns a kernel, or what stands in for it.
            calls: The addresses of the kernels around islands.
            steps: Counts the steps of the tick.
            dt: Length of the tick or step.
        """
        bodies, graph, table = self._bodies, self.islands.graph, self.table
        ahead, moved = (
            np.zeros(array.shape if self._has_fast else (1, 1)) for array in (bodies.array, self.shapes.array)
        )
        before, old = keeping(table.array, np.arange(layout.CONTACT_ROWS), table.counted)
        tables = bodies.array, self.shapes.array, table.array, table.counted
        lists = self._taken, self._touching, self._list, self.counts
        islands = self.islands
        finding = Finding(
            *tables,
            near=Packed(self._near._replace(pairs=self._pairs)),
            excluded=self._excluded,
            forms=self._forms,
            narrow=cast(tuple[FloatArray, ...], self._narrow),
            terrain=cast(terrain.Ground, self._terrain),
            ahead=ahead,
            moved=moved,
            impacts=islands.impacts,
            found=self._found,
            polygon=self._polygon,
            lists=lists,
            seams=(self._edges, self._heads, self._following),
            calls=calls,
            numbering=graph.arguments(*self._counted()),
            room=islands.room,
            pulled=islands.counts,
            counts=steps,
            dt=dt,
        )
        kept = Keeping(*tables, old.shadow, old.kept, lists, islands.impacts, steps, dt)
        find = Operation(function(find_contacts), Packed(finding))
        keep = Operation(function(keep_contacts), Packed(kept))
        return [before, find], keep

    def solver_of(self, body: int) -> str:
        """What found the impulses on a body, given its row, in the last tick: "direct", "unfinished", "sweeps" or "none"."""
        table, count = self.table.array, self.table.count
        shapes = table[[layout.FIRST_SHAPE, layout.SECOND_SHAPE], :count].astype(np.int64)
        own = (self.shapes.array[layout.BODY, shapes] == body).any(axis=0)
        found = int(table[layout.SOLVER, :count][own].max(initial=rows.BY_NOTHING))
        return ("none", "direct", "unfinished", "sweeps")[found]

    @property
    def touching(self) -> frozenset[int]:
        """The rows of the bodies that had points of contact in the last tick, other than with sensors."""
        shapes = self.table.array[[layout.FIRST_SHAPE, layout.SECOND_SHAPE], : self.table.count].astype(np.int64)
        shapes = shapes[:, (self.shapes.array[layout.SENSOR, shapes] == 0.0).all(axis=0)]
        return frozenset(self.shapes.array[layout.BODY, shapes].astype(int).ravel().tolist()) - {-1}

    def forces(self, dt: float) -> FloatArray:
        """Mean force of all contacts on each body over the last tick [N], world frame, shape (n, 3)."""
        total = np.zeros((self._bodies.count, 3))
        for owners, pushes in self._pushes():
            has_body = owners >= 0
            np.add.at(total, owners[has_body], pushes[has_body])
        return total / dt

    def force(self, body: int, dt: float) -> FloatArray:
        """Mean force of all contacts on the body in this row over the last tick [N], world frame, shape (3,)."""
        total = np.zeros(3)
        for owners, pushes in self._pushes():
            for push in pushes[owners == body]:  # one after another, for the sums of `forces`
                total += push
        return total / dt

    def _pushes(self) -> Iterator[tuple[Integers, FloatArray]]:
        """The bodies of the first and then of the second shapes, with the impulses on them [N·s], world frame, shape (points, 3)."""
        table, count = self.table.array, self.table.count
        pushes = table[layout.PUSH_WORLD : layout.PUSH_WORLD + 3, :count].T
        for place, sign in ((layout.FIRST_SHAPE, 1.0), (layout.SECOND_SHAPE, -1.0)):
            yield self.shapes.array[layout.BODY, table[place, :count].astype(np.int64)].astype(np.int64), sign * pushes


def forms_of(shapes: Table) -> tuple[Integers, list[Points]]:
    """Where the points and the ground of each shape are in those of all distinct ones, and these."""
    named = shapes.array[layout.FINGERPRINT : layout.FINGERPRINT + 2, : shapes.count].T
    distinct, which = np.unique(named, axis=0, return_inverse=True)
    held, each, starts = [points_of((low, high)) for low, high in distinct.tolist()], [], np.zeros(5, np.int64)
    for points in held:
        ground = points.ground
        point, corner, triangle, node, height = starts.tolist()
        if len(ground.heights):
            each.append((height, *ground.shape, 0))
        elif len(ground.triangles):
            each.append((corner, triangle, len(ground.triangles), node))
        else:
            each.append((point, points.corner_count, points.face_count, 0))
        starts += (points.columns.shape[1], *(len(part) for part in ground[:4]))
    forms = np.array(each, np.int64).reshape(-1, layout.FORM_SIZE)[which.reshape(-1)]
    return np.ascontiguousarray(forms), held


class Gathered:
    """The points of hulls as columns of one array, and the grounds of terrains, which all that read them share.

    Attributes:
        columns: The points of hulls.
        grounds: The corners, triangles, nodes and heights of terrains.
    """

    __slots__ = ("__weakref__", "columns", "grounds")

    def __init__(self, held: list[Points]) -> None:
        self.columns = _joined([points.columns for points in held], np.zeros((4, 0)), 1)
        parts = zip(grounds.nothing()[:4], *(points.ground[:4] for points in held), strict=True)
        self.grounds = tuple(_joined(list(each), none, 0) for none, *each in parts)


_GATHERED: WeakValueDictionary[tuple[tuple[float, float], ...], Gathered] = WeakValueDictionary()


def gathered_points(held: list[Points]) -> Gathered:
    """The points and grounds of these in common arrays, which are there once for the same ones in the same order."""
    names = tuple(points.fingerprint for points in held)
    known = _GATHERED.get(names)
    return _GATHERED.setdefault(names, Gathered(held)) if known is None else known


Element = TypeVar("Element", bound=np.generic)


def _joined(parts: list[npt.NDArray[Element]], none: npt.NDArray[Element], axis: int) -> npt.NDArray[Element]:
    """Arrays one after another; a single one is not copied."""
    some = [part for part in parts if part.size]
    return np.ascontiguousarray(some[0] if len(some) == 1 else np.concatenate(some, axis=axis) if some else none)


def _terrain_scratch(has_terrain: bool) -> Arguments:
    """Scratch of the comparison with terrains."""
    listed, stacked = (terrain.MOST_LISTED, MOST_STACKED) if has_terrain else (1, 1)
    waiting = [(np.zeros(listed, np.int64), np.zeros(stacked, np.int64)) for _each in range(2)]
    return *waiting, np.zeros((terrain.MOST_GATHERED if has_terrain else 1, layout.FOUND_SIZE))


def _search(bounds: FloatArray) -> broad.Search:
    """The arrays of the search for pairs of shapes with these boxes."""
    count = len(bounds)
    entries = broad.ENTRIES_PER_SHAPE * count
    return broad.Search(
        bounds,
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros((1 << max((2 * count).bit_length(), 4)) + 1, np.int64),
        np.zeros((2 * entries, broad.ENTRY_SIZE), np.int64),
        np.zeros((entries, 6)),
        np.zeros((broad.LEVEL_SIZES, broad.LEVELS + 1), np.int64),
        np.zeros(broad.LEVELS + 1),
        np.zeros(count + 1, np.int64),
        np.zeros((1, 4), np.int64),
    )


def comparison(points: FloatArray, has_cores: bool) -> tuple[FloatArray, FloatArray, Arguments]:
    """The arrays for the points of a pair, for polygons, and for the comparison of cores with these points."""
    vertices, facets = (parting.MOST_VERTICES, parting.MOST_FACES) if has_cores else (1, 1)
    narrow = (
        np.zeros((2, cores.PLACED_SIZE)),
        points,
        np.zeros((vertices, parting.VERTEX_SIZE)),
        np.zeros((facets, parting.FACE_SIZE)),
        np.zeros((facets, 4), np.int64),
        np.zeros((facets, 2), np.int64),
        np.zeros(4),
        np.zeros((1, parting.ANSWER_SIZE)),
    )
    found = np.zeros((manifold.MOST_TOUCHING if has_cores else layout.MOST_FOUND, layout.FOUND_SIZE))
    return found, np.zeros((manifold.POLYGONS if has_cores else 24, 3)), narrow


@cache
def _near_loop() -> Loop:
    """The kernel that finds pairs of shapes."""
    return declared(near_pairs)


@cache
def _direct_loops() -> tuple[Loop, ...]:
    """The kernel that compares spheres, boxes and planes."""
    return (named(touch_directly, _scene(), _tools(), _NOWHERE, 0, 0, 0.0, 0.0, 0.0),)


@cache
def _core_loops() -> tuple[Loop, ...]:
    """The kernels that compare other convex shapes, as cores."""
    scene, tools = _scene(), _tools()
    return (
        named(touch_shapes, scene, tools, _NOWHERE, 0, 0, 0.0, 0.0),
        named(touch_cores, tools, 0.0, 0.0),
        named(part_cores, *tools[0]),
    )


@cache
def _terrain_loops() -> tuple[Loop, ...]:
    """The kernels that compare shapes with terrains."""
    tools = _tools()
    return (
        named(touch_terrain, _scene(), tools, _ground(), _NOWHERE, 0, 0, 0.0, 0.0, 0.0),
        inner_loop(),
        named(keep_four, tools[1], 0, 0, 0.0),
        named(group_points, tools[1], tools[1], tools[3], 0, 0.0),
    )


@cache
def inner_loop() -> Loop:
    """The kernel that tells whether a normal of a terrain is due to an inner edge."""
    grounds, beside, bounds, scratch, _inner, _gathered = _ground()
    return named(is_inner, (_scene(), grounds, beside, bounds, scratch), *[_NOWHERE] * 3, 0, 0.0, 0.0, 0.0)


@cache
def _impact_loops() -> tuple[Loop, ...]:
    """The kernel that finds the time of an impact."""
    array, tools = np.zeros((1, 1)), _tools()
    advancing = _scene(), array, array, array, array, tools[0], tools[3]
    return (named(impact.advance_pair, advancing, 0, 0, 0.0, 0, 1.0),)


@cache
def _seam_loops() -> tuple[Loop, ...]:
    """The kernel that leaves out points on seams."""
    array, flat = np.zeros((1, 1)), np.zeros(1, np.int64)
    lists = array, np.zeros((1, 1), np.int64), (array, flat, flat), flat
    return (named(seams.leave_inner_points, _scene(), _tools(), _ground(), *lists, 1.0),)


@cache
def _contact_loops() -> tuple[Loop, Loop]:
    """The kernels that find and keep contacts."""
    narrow, _points, _polygon, _calls = _tools()
    finding = example(Finding)._replace(narrow=narrow, terrain=_ground())
    return named(find_contacts, Packed(finding), 0, 0), declared(keep_contacts)


# arguments of these types, for the names of kernels

_NOWHERE = (0.0, 0.0, 0.0)


def _scene() -> Arguments:
    array = np.zeros((1, 1))
    return array, array, np.zeros((1, layout.FORM_SIZE), np.int64)


def _tools() -> tuple[Arguments, FloatArray, FloatArray, Integers]:
    found, polygon, narrow = comparison(np.zeros((4, 1)), False)
    return narrow, found, polygon, np.zeros(1, np.int64)


def _ground() -> Arguments:
    return gathered_points([]).grounds, np.zeros(1, np.int64), np.zeros((1, 1)), *_terrain_scratch(False)


def kernels_of_contacts() -> list[Loop]:
    """The kernels that find and keep contacts, with all that these call."""
    return [
        *_contact_loops(),
        _near_loop(),
        *_direct_loops(),
        *_core_loops(),
        *_terrain_loops(),
        *_impact_loops(),
        *_seam_loops(),
    ]
