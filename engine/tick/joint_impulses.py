"""Impulses on islands between two ticks: how islands yield to them, and the kinetic energy that joints take in an impact."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Protocol

import numpy as np

from ..checks import FloatArray
from ..compilation.packed import Packed, declared
from ..constraints import blocks, layout, solver, step, ticks
from ..constraints.arguments import Outside
from ..constraints.graph import ISLANDS, LINK_COUNT, POINT_COUNT, SPRING_COUNT
from ..integrators import Integrator
from ..joints.joint import End
from ..joints.mobility import Direction, Matrix
from ..kernels.quaternions import rotate_inverse
from ..kernels.vectors import Vector, add, apply_symmetric, cross, dot, scale, subtract
from ..loops.columns import (
    Integers,
    load_quaternion,
    load_state,
    load_symmetric,
    load_vector,
    store_state,
    store_vector,
)
from ..loops.layout import (
    ANGULAR_VELOCITY,
    INERTIA,
    INVERSE_INERTIA,
    INVERSE_MASS,
    MASS,
    ORIENTATION,
    POSITION,
    STORED_MOMENTUM,
    VELOCITY,
)
from ..store.bodies import Bodies
from ..store.rows import BodyHandle
from .island_kernels import IslandKernels, common_arguments, forces_on, method_for
from .joints import Joints

_AN_INSTANT = 1e-100
"""Length of the step [s] of an impact, in which motors, springs and friction give no impulse."""

_REPEATS = 3
_SOLUTION = slice(layout.SOLUTION, layout.SOLUTION + 6)
_LINEAR = range(layout.LINEAR, layout.LINEAR + 3)

Pushed = list[tuple[int, Vector, Vector]]
"""The place of each body on which an impulse acts, with the impulse, world frame, and the angular impulse, body frame."""


class MovingWorld(Protocol):
    """What trial impulses use of a world."""

    @property
    def integrator(self) -> Integrator: ...
    @property
    def game_mode(self) -> bool: ...
    @property
    def _bodies(self) -> Bodies: ...


class Impulses:
    """The islands of a world at its current state, to which impulses are applied on trial; the world is not changed."""

    def __init__(self, joints: Joints, world: MovingWorld) -> None:
        islands = joints.islands_apart
        assert islands is not None
        self._islands, graph = islands, islands.graph
        _parts, turn, _evaluations = method_for(world.integrator, False)
        around = [declared(ticks.islands_open)]
        self._kernels = IslandKernels(graph, world._bodies, turn, not world.game_mode, around=around)
        self._common = common_arguments(islands, self._kernels)
        none, numbers, sizes = np.zeros((0, 1)), np.zeros(0, np.int64), graph.sizes.copy()
        sizes[[SPRING_COUNT, POINT_COUNT]] = 0
        outside = Outside(
            common=self._common,
            forces=forces_on(islands, self._common, self._kernels.force_calls, none),
            array=world._bodies.array,
            columns=graph.columns,
            places=graph.places,
            layers=none,
            springs=islands.springs,
            spring_rows=numbers,
            point_forces=islands.point_forces,
            point_rows=numbers,
            table=joints.table,
            sizes=sizes,
            impacts=np.zeros((layout.IMPACT_ROWS, 0)),
        )
        open_islands = self._kernels.function(ticks.islands_open)
        open_islands(Packed(outside), 0, int(sizes[ISLANDS]), 0, STORED_MOMENTUM, False)

    def island_of(self, body: BodyHandle) -> int:
        """The number of the island of a body, or -1 if no joint acts on it."""
        return self.island_at(body.index)

    def island_at(self, row: int) -> int:
        """The same for the row of a body."""
        place, graph = int(self._islands.graph.places[row]), self._numbered_islands
        inside = (graph[:, layout.BODIES] <= place) & (place < graph[:, layout.BODIES_END])
        return int(np.flatnonzero(inside)[0]) if place >= 0 else -1

    def compliances(self, numbers: Sequence[int], ends: Sequence[End], directions: Sequence[Direction]) -> list[float]:
        """Rates at two points for a unit impulse at each of them, opposite to each other, while the joints of the islands hold.

        Motors, springs, friction and limits do not act, because they give no impulse in an instant.

        Args:
            numbers: The islands of the bodies.
            ends: The bodies and their points; the second one gets the opposite impulse.
            directions: Directions of the impulse and of the angular impulse, world frame.
        """
        self._hold(numbers)
        return [self._rate(pushed, self._answer(numbers, pushed)) for pushed in self._pushed(ends, directions)]

    def mobility(self, ends: Sequence[End], directions: Sequence[Direction], without: int | None) -> Matrix:
        """Rates along directions for unit impulses along directions, as in `compliances`, without what the regularisation yields.

        Args:
            ends: The bodies and their points; the second one gets the opposite impulse.
            directions: Directions of the impulse and of the angular impulse, world frame.
            without: The row of a joint that does not hold; None for none.
        """
        numbers = sorted({self.island_of(body) for body, _arm in ends} - {-1})
        self._hold(numbers, without)
        all_pushed = self._pushed(ends, directions)
        answers = []
        for pushed in all_pushed:
            answer = self._answer(numbers, pushed)
            for _repeat in range(
                _REPEATS
            ):  # each makes what the rows miss smaller by the share by which they are softened
                answer += self._solved(numbers, self._given_by_rows(numbers, answer))
            answers.append(answer)
        return [[self._rate(pushed, answer) for answer in answers] for pushed in all_pushed]

    def _hold(self, numbers: Sequence[int], without: int | None = None) -> None:
        """Make the factors of islands with the equality rows of their joints, except those of one joint."""
        islands, graph = self._islands, self._islands.graph
        function = self._kernels.function
        island_matrix, factor = function(solver.island_matrix), function(blocks.factor)
        for number in sorted(set(numbers)):
            self._prepare(number)
            rows = self._rows_of(number)
            rows[:, layout.IS_FREE] = rows[:, layout.KIND] == layout.EQUALITY
            links = graph.links[: graph.sizes[LINK_COUNT], layout.JOINT]
            for link in np.flatnonzero(links == without) if without is not None else ():
                first, last = graph.links[link, [layout.FIRST_ROW, layout.LAST_ROW]]
                islands.rows[first:last, layout.IS_FREE] = 0.0
                # the next tick makes its factor anew
                graph.islands[number, layout.IS_NEW] = 1
            island_matrix(islands.own, graph.links, graph.islands, islands.rows, islands.blocks, number)
            factor(islands.blocks, graph.program, graph.islands, number)

    def _pushed(self, ends: Sequence[End], directions: Sequence[Direction]) -> list[Pushed]:
        """What unit impulses do to the bodies on which they act."""
        own = self._islands.own
        all_pushed = []
        for linear, angular in directions:
            pushed = []
            for sign, (body, arm) in zip((1.0, -1.0), ends, strict=False):
                place = int(self._islands.graph.places[body.index])
                turn = add(cross(arm, linear), angular)
                turn = rotate_inverse(load_quaternion(own, ORIENTATION, place), 2.0, turn)
                pushed.append((place, scale(sign, linear), scale(sign, turn)))
            all_pushed.append(pushed)
        return all_pushed

    def _answer(self, numbers: Sequence[int], pushed: Pushed) -> FloatArray:
        """The velocities and angular velocities after impulses, shape (6, places)."""
        given = np.zeros((6, self._islands.work.shape[1]))
        for place, linear, turn in pushed:
            store_vector(given, 0, place, linear)
            store_vector(given, 3, place, turn)
        return self._solved(numbers, given)

    def _solved(self, numbers: Sequence[int], given: FloatArray) -> FloatArray:
        """The same for the impulses and angular impulses on all bodies."""
        islands = self._islands
        work, solve = islands.work, self._kernels.function(blocks.solve)
        work[_SOLUTION] = given
        for number in sorted(set(numbers)):
            solve(work, islands.blocks, islands.graph.program, islands.graph.islands, number)
        return work[_SOLUTION].copy()

    def _rate(self, pushed: Pushed, answer: FloatArray) -> float:
        rate = 0.0
        for place, linear, turn in pushed:
            rate += dot(linear, load_vector(answer, 0, place)) + dot(turn, load_vector(answer, 3, place))
        return rate

    def _given_by_rows(self, numbers: Sequence[int], answer: FloatArray) -> FloatArray:
        """The impulses and angular impulses with which the rows answer the rates that these velocities leave them."""
        links, given = self._islands.graph.links, np.zeros_like(answer)
        for number in numbers:
            first, last = self._islands.graph.islands[number, [layout.LINKS, layout.LINKS_END]]
            own = links[first:last]
            counts = own[:, layout.LAST_ROW] - own[:, layout.FIRST_ROW]
            place, other = np.repeat(own[:, [layout.FIRST_PLACE, layout.SECOND_PLACE]], counts, axis=0).T
            rows = self._rows_of(number)
            on_body = rows[:, [*_LINEAR, *range(layout.ON_BODY, layout.ON_BODY + 3)]].T
            on_other = rows[:, [*_LINEAR, *range(layout.ON_OTHER, layout.ON_OTHER + 3)]].T * (other >= 0)
            rates = (on_body * answer[:, place] - on_other * answer[:, other]).sum(axis=0)
            impulses = -rates * rows[:, layout.IS_FREE] / rows[:, layout.SOFTNESS]
            for component, one, two in zip(given, on_body * impulses, on_other * impulses, strict=True):
                np.add.at(component, place, one)
                np.add.at(component, other, -two)  # zero for the world, whose place is -1
        return given

    def _rows_of(self, number: int) -> FloatArray:
        first, last = self._islands.graph.islands[number, [layout.ROWS, layout.ROWS_END]]
        return self._islands.rows[first:last]

    def energy_of_impact(self, number: int) -> float:
        """Kinetic energy [J] that the joints of an island take when they make the velocities compatible at the current pose."""
        islands, graph = self._islands, self._islands.graph
        own = islands.own
        places = range(*graph.islands[number, [layout.BODIES, layout.BODIES_END]].tolist())
        self._prepare(number)
        before = {place: self._velocities(number, place) for place in places}
        self._kernels.function(step.island_finish)(self._common, number, 0, 1)
        energy = 0.0
        for place in places:
            (velocity, rates), (after, rates_after) = before[place], self._velocities(number, place)
            energy += 0.5 * float(own[MASS, place]) * dot(subtract(velocity, after), add(velocity, after))
            lost = apply_symmetric(load_symmetric(own, INERTIA, place), subtract(rates, rates_after))
            energy += 0.5 * dot(lost, add(rates, rates_after))
        return energy

    def _velocities(self, number: int, place: int) -> tuple[Vector, Vector]:
        """Velocity relative to the point that moves with the island, and angular velocity."""
        own, boost = self._islands.own, self._islands.measures[number, layout.DRIFT_VELOCITY :]
        velocity = subtract(load_vector(own, VELOCITY, place), (float(boost[0]), float(boost[1]), float(boost[2])))
        return velocity, load_vector(own, ANGULAR_VELOCITY, place)

    @property
    def _numbered_islands(self) -> Integers:
        graph = self._islands.graph
        return graph.islands[: graph.sizes[ISLANDS]]

    def _prepare(self, number: int) -> None:
        """Compute the directions of the rows of an island, relative to its first body."""
        islands = self._islands
        own, measures, graph = islands.own, islands.measures, islands.graph
        first, last = graph.islands[number, [layout.BODIES, layout.BODIES_END]].tolist()
        base = load_vector(own, POSITION, first)
        is_anchored = graph.islands[number, layout.IS_ANCHORED] == 1
        boost = (0.0, 0.0, 0.0) if is_anchored else load_vector(own, VELOCITY, first)
        size = 0.0
        for place in range(first, last):
            state = load_state(own, POSITION, place, None)
            position = subtract(state.position, base)
            store_state(islands.work, layout.END, place, state._replace(position=position))
            moments = load_vector(own, INERTIA, place)
            gyration = sqrt(0.5 * (moments[0] + moments[1] + moments[2]) / float(own[MASS, place]))
            size = max(size, *map(abs, position), gyration)
        measures[number, layout.BASE : layout.BASE + 3] = base
        measures[number, layout.DRIFT_VELOCITY : layout.DRIFT_VELOCITY + 3] = boost
        measures[number, layout.SIZE] = size
        measures[number, layout.TOLERANCE] = step.TOLERANCE_OF_SIZE * size
        measures[number, [layout.PIECE, layout.STEP_LENGTH]] = _AN_INSTANT
        self._kernels.function(step.island_prepare)(self._common, number, layout.END)


def compliances(
    joints: Joints, world: MovingWorld, ends: Sequence[End], directions: Sequence[Direction]
) -> list[float]:
    """Rates at the points of one or two bodies for unit impulses there; see `Impulses.compliances`.

    Bodies on no joint yield as free bodies.
    """
    totals = [0.0] * len(directions)
    alone, linked = list(ends), []
    if joints.graph is not None:
        impulses = Impulses(joints, world)
        linked = [(end, impulses.island_of(end[0])) for end in ends]
        alone = [end for end, number in linked if number < 0]
        linked = [each for each in linked if each[1] >= 0]
    if linked:
        numbers = [number for _end, number in linked]
        totals = impulses.compliances(numbers, [end for end, _number in linked], directions)
    for body, arm in alone:
        for place, (linear, angular) in enumerate(directions):
            turn = rotate_inverse(tuple(body.orientation.tolist()), 2.0, add(cross(arm, linear), angular))
            column = world._bodies.array[:, body.index : body.index + 1]
            answer = apply_symmetric(load_symmetric(column, INVERSE_INERTIA, 0), turn)
            totals[place] += dot(linear, linear) * float(column[INVERSE_MASS, 0]) + dot(turn, answer)
    return totals


def energies_of_impact(joints: Joints, world: MovingWorld, rows: Sequence[int]) -> list[float]:
    """Kinetic energy [J] that the joints of the island of each of these bodies take when they make the velocities compatible now."""
    if joints.graph is None:
        return [0.0] * len(rows)
    impulses = Impulses(joints, world)
    numbers = [impulses.island_at(row) for row in rows]
    energies = {number: impulses.energy_of_impact(number) for number in set(numbers) if number >= 0}
    return [energies.get(number, 0.0) for number in numbers]
