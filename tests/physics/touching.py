"""Ticks of bodies that touch at given points, driven through the arrays of the island step, without shapes."""

import numpy as np

from engine import World
from engine.constraints import graph as module
from engine.constraints import layout, ticks
from engine.constraints.graph import CONTACT_COUNT, ISLANDS, LINK_COUNT, PLACES, number_islands
from engine.integrators.compiled_forces import CompiledForces
from engine.loops.layout import (
    ANGULAR_VELOCITY,
    INERTIA,
    MASS,
    POSITION,
    STATE_ROWS,
    STORED_MOMENTUM,
    VELOCITY,
    WRENCH,
)
from engine.rotation import rotate
from engine.tick.island_kernels import Bound
from engine.tick.islands import Islands

WORLD = -1
UP = (0.0, 0.0, 1.0)


class Point:
    """A point at which a body touches another one or the world."""

    def __init__(self, core, other_core, normal, owner=layout.BY_WORLD, rounding=0.0, other_rounding=0.0):
        self.core, self.other_core, self.normal = core, other_core, normal
        self.owner, self.roundings = owner, (rounding, other_rounding)


class Touching:
    """A world whose bodies touch as a function of the world says, with gravity."""

    def __init__(self, world, contacts_of, friction=0.0, restitution=0.0, gravity=(0.0, 0.0, 0.0), swept=False):
        """Prepare ticks.

        Args:
            world: Its bodies; it is stepped here, and not by itself.
            contacts_of: Returns a body, the other body or None, and points, for each contact.
            friction: The coefficient.
            restitution: The ratio of speeds.
            gravity: Acceleration [m/s²].
            swept: Whether sweeps solve the equations.
        """
        self.world, self.contacts_of, self.gravity = world, contacts_of, np.array(gravity)
        self.friction, self.restitution, self.swept = friction, restitution, swept
        bodies = world._bodies
        self.bodies, self.islands = bodies, Islands(bodies)
        self.joints = world._stages._plan.joints
        self.last = {}
        self.time = 0.0

    def step(self, count=1):
        for _ in range(count):
            self._step()

    def _number(self, found):
        contacts = np.zeros((module.CONTACT_NUMBERS, len(found) + 8), np.int64)
        first = 0
        for number, (body, other, points) in enumerate(found):
            contacts[:4, number] = body.index, WORLD if other is None else other.index, first, len(points)
            first += len(points)
        tables = [(table.array, table.count) for table in (*self.joints._tables, self.bodies)]
        self.islands.graph.number(number_islands, *tables, (contacts, len(found)))
        self.islands.make_room()

    def _step(self):
        found, bodies, islands = list(self.contacts_of(self.world)), self.bodies, self.islands
        self._number(found)
        graph, dt = islands.graph, self.world.dt
        if self.swept:
            graph.islands[:, layout.IS_SWEPT] = 1
        keys = []
        for body, other, points in found:
            for place, point in enumerate(points):
                row = islands.touching[len(keys)]
                row[:] = 0.0
                row[layout.OWNER] = point.owner
                row[layout.CORE : layout.CORE + 3], row[layout.OTHER_CORE : layout.OTHER_CORE + 3] = (
                    point.core,
                    point.other_core,
                )
                row[layout.ROUNDING : layout.ROUNDING + 2] = point.roundings
                row[layout.NORMAL : layout.NORMAL + 3] = point.normal
                row[layout.FRICTION_COEFFICIENT : layout.FRICTION_COEFFICIENT + 2] = self.friction, self.restitution
                keys.append((body.index, WORLD if other is None else other.index, place))
                row[layout.FIRST_POSITIONS : layout.FIRST_POSITIONS + 6] = self.last.get(keys[-1], 0.0)
        array = bodies.array
        self._hold_gravity()
        bound = Bound(islands, bodies, self.joints.table, self.world.integrator, True, CompiledForces(), False, ())
        kernels = bound.kernels
        if graph.sizes[ISLANDS]:
            opened = array.copy()
            count = int(graph.sizes[ISLANDS])
            kernels.function(ticks.islands_open)(bound.outside, 0, count, 0, STORED_MOMENTUM, False)
            failed = kernels.function(ticks.islands_step)(bound.step, np.ones(1), np.ones(1), 0, count, self.time, dt)
            assert failed == -1
            bad = kernels.function(ticks.islands_close)(bound.outside, 0, count, False, True, dt)
            assert bad == -1
            free = np.setdiff1d(np.arange(bodies.count), graph.columns[: graph.sizes[PLACES]])
            assert len(free) == 0 or (array[:STATE_ROWS, free] == opened[:STATE_ROWS, free]).all()
        else:
            free = np.arange(bodies.count)
        self._move(free, dt)
        self.last = {
            key: islands.touching[row, layout.FIRST_POSITIONS : layout.FIRST_POSITIONS + 6].copy()
            for row, key in enumerate(keys)
        }
        self.time += dt

    def _hold_gravity(self):
        for axis in range(3):
            self.bodies.array[WRENCH + axis, : self.bodies.count] = (
                self.gravity[axis] * self.bodies.array[MASS, : self.bodies.count]
            )

    def _move(self, columns, dt):
        """Free bodies, which do not rotate here."""
        array = self.bodies.array
        for column in columns:
            array[VELOCITY : VELOCITY + 3, column] += 0.5 * dt * self.gravity
            array[POSITION : POSITION + 3, column] += dt * array[VELOCITY : VELOCITY + 3, column]
            array[VELOCITY : VELOCITY + 3, column] += 0.5 * dt * self.gravity

    def dense(self):
        """The mass matrix, the directions of the rows of points, three per point, and the velocities before and after the last stage."""
        islands = self.islands
        graph, own, work = islands.graph, islands.own, islands.work
        count = int(graph.sizes[PLACES])
        masses, velocities = np.zeros((6 * count, 6 * count)), np.zeros((2, 6 * count))
        for place in range(count):
            xx, yy, zz, xy, xz, yz = own[INERTIA : INERTIA + 6, place]
            first = 6 * place
            masses[first : first + 3, first : first + 3] = own[MASS, place] * np.eye(3)
            masses[first + 3 : first + 6, first + 3 : first + 6] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
            for number, block in enumerate((layout.START, layout.END)):
                velocities[number, first : first + 3] = work[block + VELOCITY :, place][:3]
                velocities[number, first + 3 : first + 6] = work[block + ANGULAR_VELOCITY :, place][:3]
        first = int(graph.sizes[LINK_COUNT])
        directions, points, impulses = [], [], []
        for link in graph.links[first : first + graph.sizes[CONTACT_COUNT]]:
            for row in range(link[layout.FIRST_ROW], link[layout.LAST_ROW]):
                line = np.zeros(6 * count)
                for place, turn, sign in (
                    (link[layout.FIRST_PLACE], layout.ON_BODY, 1.0),
                    (link[layout.SECOND_PLACE], layout.ON_OTHER, -1.0),
                ):
                    if place >= 0:
                        line[6 * place : 6 * place + 3] = sign * islands.rows[row, layout.LINEAR : layout.LINEAR + 3]
                        line[6 * place + 3 : 6 * place + 6] = sign * islands.rows[row, turn : turn + 3]
                number = row - link[layout.FIRST_ROW]
                point = islands.touching[link[layout.FIRST_POINT] + number // 3]
                if number % 3 == 0:
                    points.append(point)
                directions.append(line)
                impulses.append((point[layout.POINT_BEFORE + number % 3], islands.rows[row, layout.IMPULSE]))
        return masses, np.array(directions), velocities, np.array(impulses), np.array(points)


def corners_on_ground(world, size, bodies=None):
    """Boxes of a size [m] on the plane z = 0, each with up to four points."""
    for body in bodies or world.bodies:
        half = 0.5 * np.array(size)
        corners = [half * (x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        places = [body.position + rotate(body.orientation, corner) for corner in corners]
        order = sorted(range(8), key=lambda number: (places[number][2], number))[:4]
        near = [number for number in sorted(order) if places[number][2] < 0.2 * min(size)]
        if near:
            yield body, None, [Point(corners[each], (*places[each][:2], 0.0), UP) for each in near]


def balls_on_ground(world, radius):
    """Balls of a radius [m] on the plane z = 0."""
    for body in world.bodies:
        if body.position[2] - radius < 1.0:
            yield body, None, [Point((0.0, 0.0, 0.0), (*body.position[:2], 0.0), UP, rounding=radius)]


def world_with(dt, *places, mass_properties, **others):
    """A world without forces, with bodies at these places."""
    world = World(dt)
    for place in places:
        world.add_body(mass_properties, position=place, **others)
    return world


def stacked(world, size):
    """Boxes of a size [m], one above another from the ground on, each with four points to what is below."""
    half = 0.5 * np.array(size)
    below = [half * (x, y, -1) for x in (-1, 1) for y in (-1, 1)]
    for number, body in enumerate(world.bodies):
        if number == 0:
            places = [body.position + rotate(body.orientation, corner) for corner in below]
            yield (
                body,
                None,
                [Point(corner, (*place[:2], 0.0), UP) for corner, place in zip(below, places, strict=True)],
            )
            continue
        under = world.bodies[number - 1]
        points = []
        for corner in below:
            at = under.to_body(body.to_world(corner))
            points.append(Point(corner, (at[0], at[1], half[2]), UP, layout.BY_OTHER))
        yield body, under, points
