"""The grounds on which the lander sets down: cratered terrain of the Moon, and a small asteroid that spins."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..drawing import Array, Material, MeshBuilder, add_mesh
from ..physics import World, forces, rotation, shapes

REGOLITH = Material((0.24, 0.23, 0.215), 0.0, 0.95)
DARK_ROCK = Material((0.17, 0.155, 0.145), 0.0, 0.95)
FRICTION = 0.8
SIDE, SPACING, CRATERS = 161, 0.8, 90
"""Corners along each side of the terrain, their distance [m], and the number of craters."""
RADIUS, DIVISIONS = 30.0, 64
"""Of the asteroid [m], and of each side of the cube from which its mesh is made."""


@dataclass(frozen=True)
class Ground:
    """A ground, its gravity, and where the lander begins."""

    text: str
    mesh: str
    """The name under which it is drawn."""
    spin: float
    """Angular velocity about z [rad/s]."""
    phase: float
    """How far it has turned about z at the start [rad], so that the flight is by day."""
    gravity: float
    """On the surface [m/s²]."""
    is_round: bool
    site: tuple[float, float, float]
    """Where to land [m], in its own axes."""
    start: tuple[float, float, float]
    """From the site [m]: east, north, up."""
    velocity: tuple[float, float, float]
    """Over the ground [m/s]: east, north, up."""
    planet: tuple[float, float, float, float]
    """Unit vector to the planet in the sky, and its radius over its distance."""

    def add_to(self, world: World) -> None:
        """Add the ground and its gravity to a world."""
        shape, material = ground_shape(self.mesh), shapes.Material(FRICTION)
        turned, spin = self.turned(0.0), (0.0, 0.0, self.spin)
        world.add_shape(shape, orientation=turned, angular_velocity_world=spin, material=material, name="ground")
        if self.is_round:
            world.add_force(forces.PointGravity(self.gravity * RADIUS**2))
        else:
            world.add_force(forces.UniformGravity((0.0, 0.0, -self.gravity)))

    def turned(self, time: float) -> Array:
        """Unit quaternion from its axes to the world at a time [s]."""
        half = 0.5 * (self.phase + self.spin * time)
        return np.array((0.0, 0.0, math.sin(half), math.cos(half)))

    def site_at(self, time: float) -> Array:
        """Where the site is at a time [s], world frame [m]."""
        return np.asarray(rotation.rotate(self.turned(time), self.site))

    def velocity_at(self, place: Array) -> Array:
        """Velocity of the ground at a place [m/s], world frame."""
        return np.cross((0.0, 0.0, self.spin), place)

    def axes_at(self, place: Array) -> Array:
        """East, north and up at a place, as columns, world frame."""
        up = place / np.linalg.norm(place) if self.is_round else np.array((0.0, 0.0, 1.0))
        east = np.cross((0.0, 0.0, 1.0), up) if self.is_round else np.array((1.0, 0.0, 0.0))
        east = east / np.linalg.norm(east)
        return np.column_stack([east, np.cross(up, east), up])

    def gravity_at(self, place: Array) -> Array:
        """Acceleration at a place [m/s²], world frame."""
        if not self.is_round:
            return np.array((0.0, 0.0, -self.gravity))
        return -self.gravity * RADIUS**2 * place / float(np.linalg.norm(place)) ** 3


@cache
def ground_shape(name: str) -> shapes.Shape:
    """The shape of a ground."""
    return shapes.HeightField(moon_heights(), SPACING) if name == "moon-ground" else asteroid()


@cache
def moon_heights(seed: int = 12) -> Array:
    """Heights of gentle hills with craters of all sizes [m], shape (`SIDE`, `SIDE`)."""
    random, axis = np.random.default_rng(seed), SPACING * (np.arange(SIDE) - SIDE // 2)
    x, y = np.meshgrid(axis, axis, indexing="ij")
    heights = np.zeros((SIDE, SIDE))
    for octave in range(1, 6):
        for _ in range(6):
            along, phase = random.uniform(0.0, 2.0 * np.pi, 2)
            wave = 2.0 * np.pi / (70.0 / 1.9**octave)
            heights += 0.5 / 2.1**octave * np.sin(wave * (x * np.cos(along) + y * np.sin(along)) + phase)
    for _ in range(CRATERS):
        radius = min(1.4 * random.pareto(1.6) + 1.2, 13.0)
        place = random.uniform(axis[0], axis[-1], 2)
        heights += crater(np.hypot(x - place[0], y - place[1]) / radius, 0.34 * radius)
    return heights


def crater(distance: Array, depth: float) -> Array:
    """Height of a crater at a distance from its middle, over its radius: a bowl, and a rim that falls off outwards [m]."""
    bowl = depth * (np.minimum(distance, 1.0) ** 2 - 1.0) + 0.22 * depth
    return np.where(distance < 1.0, bowl, 0.22 * depth * np.exp(-((np.maximum(distance, 1.0) - 1.0) ** 2) / 0.12))


def asteroid(seed: int = 5) -> shapes.TriangleMesh:
    """A lumpy body of about `RADIUS` with craters: the sides of a cube, divided and blown up."""
    random, grid = np.random.default_rng(seed), np.linspace(-1.0, 1.0, DIVISIONS + 1)
    u, v = np.meshgrid(np.tan(0.25 * np.pi * grid), np.tan(0.25 * np.pi * grid), indexing="ij")
    count, sides, faces = DIVISIONS + 1, [], []
    first = (np.arange(DIVISIONS)[:, np.newaxis] * count + np.arange(DIVISIONS)).reshape(-1)
    for axis in range(3):
        for sign in (-1.0, 1.0):
            side = np.empty((count, count, 3))
            side[..., axis], side[..., (axis + 1) % 3], side[..., (axis + 2) % 3] = sign, sign * u, v
            corner = first + count * count * len(sides)
            quads = np.stack([corner, corner + count, corner + count + 1, corner + 1], axis=1)
            faces += [quads[:, (0, 1, 2)], quads[:, (0, 2, 3)]]
            sides.append(side.reshape(-1, 3))
    directions = np.concatenate(sides)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    # corners on the edges of the cube are there twice: as one, they are the same to the last bit
    directions, same = np.unique(np.round(directions, 12), axis=0, return_inverse=True)
    height = 1.0 + 0.16 * directions[:, 0] ** 2 - 0.10 * directions[:, 2] ** 2
    for octave in range(1, 7):
        for _ in range(5):
            wave, phase = random.normal(size=3) * 1.15 * 1.7**octave, random.uniform(0.0, 2.0 * np.pi)
            height += 0.035 / 1.9**octave * np.sin(directions @ wave + phase)
    for _ in range(220):
        middle, radius = random.normal(size=3), min(0.04 + 0.025 * random.pareto(1.7), 0.42)
        away = np.linalg.norm(directions - middle / np.linalg.norm(middle), axis=1)
        height += crater(away / radius, 0.26 * radius)
    return shapes.TriangleMesh(RADIUS * height[:, np.newaxis] * directions, same.reshape(-1)[np.concatenate(faces)])


def _drawn(name: str, material: Material) -> MeshBuilder:
    builder, shape = MeshBuilder(), ground_shape(name)
    builder.facets(material, shape.vertices, shape.faces, smooth=0.75)
    return builder


add_mesh("moon-ground", lambda: _drawn("moon-ground", REGOLITH))
add_mesh("asteroid-ground", lambda: _drawn("asteroid-ground", DARK_ROCK))


def highest_below(mesh: str, direction: Array) -> float:
    """How far along a direction from the middle of the asteroid its surface is [m], at the nearest corner."""
    corners = ground_shape(mesh).vertices
    along = corners @ direction / np.linalg.norm(corners, axis=1)
    return float(np.linalg.norm(corners[np.argmax(along)]))


def _moon_site(x: float, y: float) -> tuple[float, float, float]:
    i, j = round(x / SPACING) + SIDE // 2, round(y / SPACING) + SIDE // 2
    return x, y, float(moon_heights()[i, j])


def cases() -> dict[str, Ground]:
    """The grounds by name."""
    out = np.array((0.841, -0.148, 0.5))  # which the spin turns into the sun
    out /= np.linalg.norm(out)
    place = highest_below("asteroid-ground", out) * out
    craters = Ground(
        "on the cratered Moon",
        "moon-ground",
        spin=0.0,
        phase=0.0,
        gravity=1.62,
        is_round=False,
        site=_moon_site(4.0, -2.4),
        start=(-16.0, 7.0, 22.0),
        velocity=(2.5, -1.0, -1.0),
        planet=(-0.80, -0.53, 0.28, 0.05),
    )
    rock = Ground(
        "on an asteroid that spins",
        "asteroid-ground",
        spin=0.04,
        phase=0.6,
        gravity=0.8,
        is_round=True,
        site=tuple(place.tolist()),
        start=(-9.0, 6.0, 12.0),
        velocity=(0.8, -0.4, -0.5),
        planet=(-0.3, -0.9, 0.32, 0.02),
    )
    return {"craters": craters, "asteroid": rock}
