"""Debris at a station: pieces that drift against its modules, without gravity, and a tug on a tether that gathers them."""

from typing import ClassVar

import numpy as np

from ..drawing import SLATE, Array, MeshBuilder, Model, add_mesh
from ..meshes.debris import DEBRIS, EYES, SHARD, STRUT, TANK
from ..physics import Body, MassProperties, World, rotation, shapes
from . import masses
from .pile_tug import TETHER, Tug

COUNT = 16
FIELD, SPREAD = np.array((4.6, 4.4, 5.2)), np.array((1.9, 1.9, 2.6))
"""Where the pieces begin, middle and half extent [m]."""
DRIFT = np.array((-0.20, -0.22, 0.02))
"""Their mean velocity, towards the station [m/s]."""
PLACE = np.array((7.4, 2.6, 8.8))
"""Where they are gathered [m]."""
ANCHOR, START = np.array((0.0, 0.0, 11.0)), np.array((4.2, 1.5, 10.2))
"""Of the tether on the station, and where the tug begins [m]."""
ASIDE = np.array((-0.4, -0.3, 0.866))
"""The way in which the slack tether bends, unit."""
ALONG_Y = rotation.from_axis_angle((1.0, 0.0, 0.0), 0.5 * np.pi)


class Station:
    """The station, the pieces, and the tug, in a world."""

    text, gravity, radius = "debris at a station", 0.0, 4.2
    target = np.array((3.8, 3.2, 6.5))
    planet: ClassVar[Array | None] = None
    places: ClassVar[list[Array]] = [PLACE]

    def __init__(self, world: World, seed: int) -> None:
        self.body = world.add_body(masses.station(), name="station")
        for number, (shape, place, turn) in enumerate(hull(), 1):
            self.body.add_shape(shape, position=place, orientation=turn, name=f"hull {number}")
        random = np.random.default_rng(seed)
        self.pieces: list[Body] = []
        self.meshes: dict[str, str] = {}
        eyes: dict[str, list[Array]] = {}
        taken: list[Array] = []
        for number in range(COUNT):
            kind = list(DEBRIS)[number % len(DEBRIS)]
            place = _free(random, taken)
            axis = random.normal(size=3)
            turn = rotation.from_axis_angle(axis / np.linalg.norm(axis), random.uniform(0.0, np.pi))
            motion = {
                "velocity": DRIFT + random.uniform(-0.12, 0.12, 3),
                "angular_velocity_body": random.normal(size=3) * 0.25,
            }
            name = f"{kind} {number // len(DEBRIS) + 1}"
            properties, shape = piece(kind)
            body = world.add_body(properties, name=name, position=place, orientation=turn, **motion)
            body.add_shape(shape, material=shapes.Material(0.3, restitution=0.3))
            self.pieces.append(body)
            self.meshes[name] = f"debris-{kind}"
            eyes[name] = [
                sign * reach * axis for reach, axis in zip(EYES[kind], np.eye(3), strict=True) for sign in (-1, 1)
            ]
        self.carrier = Tug(world, self.body, ANCHOR, START, eyes)

    def still(self) -> list[Model]:
        """Nothing stands still."""
        return []

    def moving(self) -> list[tuple[Body, str]]:
        """The bodies besides the pieces, with their meshes."""
        return [(self.body, "station"), (self.carrier.body, "tug")]

    def ropes(self) -> list[Array]:
        """The tether, which hangs through while it is slack."""
        origin, orientation = self.body.interpolated_pose()
        return [
            sagging(origin + rotation.rotate(orientation, ANCHOR), self.carrier.body.interpolated_pose()[0], TETHER)
        ]


def sagging(start: Array, end: Array, length: float) -> Array:
    """A line of a length between two points, bent to one side if they are nearer."""
    share = np.linspace(0.0, 1.0, 33)[:, np.newaxis]
    far = float(np.linalg.norm(end - start))
    # a parabola of height h over a chord c is about c + 8 h²/(3 c) long
    height = np.sqrt(max(0.375 * far * (length - far), 0.0))
    return np.asarray(start + share * (end - start) + 4.0 * min(height, 1.6) * share * (1.0 - share) * ASIDE)


def piece(kind: str) -> tuple[MassProperties, shapes.Shape]:
    """Mass properties and shape of a piece of debris."""
    size, mass = DEBRIS[kind]
    if kind == "tank":
        return MassProperties.sphere(mass, TANK), shapes.Sphere(TANK)
    if kind == "strut":
        return MassProperties.capsule(mass, *STRUT), shapes.Capsule(*STRUT)
    if kind == "shard":
        corners = SHARD * size
        return MassProperties.box(mass, size), shapes.ConvexHull(corners - corners.mean(axis=0))
    return MassProperties.box(mass, size), shapes.Box(size)


def _drawn_shard() -> MeshBuilder:
    builder, shape = MeshBuilder(), piece("shard")[1]
    builder.facets(SLATE, shape.vertices, shape.faces)
    return builder


add_mesh("debris-shard", _drawn_shard)


def hull() -> list[tuple[shapes.Shape, tuple[float, float, float], Array]]:
    """The shapes of the station, in its axes: modules, ports, truss, wings and radiators."""
    upright = np.array((0.0, 0.0, 0.0, 1.0))
    found = [
        (shapes.Cylinder(2.25, 4.4), (0.0, 0.0, 0.0), upright),
        (shapes.Cylinder(2.1, 6.2), (0.0, 0.0, 5.3), upright),
        (shapes.Cylinder(0.95, 2.6), (0.0, 0.0, 9.7), upright),
        (shapes.Cylinder(2.1, 7.2), (0.0, 0.0, -5.8), upright),
        (shapes.Cylinder(0.95, 2.6), (0.0, 0.0, -10.7), upright),
    ]
    for sign in (-1.0, 1.0):
        found += [
            (shapes.Cylinder(1.55, 4.4), (0.0, sign * 4.4, 0.0), ALONG_Y),
            (shapes.Cylinder(0.95, 1.6), (0.0, sign * 7.4, 0.0), ALONG_Y),
            (shapes.Box((16.0, 1.5, 1.5)), (sign * 10.5, 0.0, 0.0), upright),
        ]
        found += [(shapes.Box((0.1, 6.4, 2.6)), (sign * x, -4.0, 0.0), upright) for x in (4.8, 12.5)]
        found += [
            (shapes.Box((3.0, 0.1, 8.6)), (sign * x, 0.0, up * 6.2), upright) for x in (8.6, 16.4) for up in (-1.0, 1.0)
        ]
    return found


def _free(random: np.random.Generator, taken: list[Array]) -> Array:
    """A place that is far enough from those before, which it joins."""
    while True:
        place = FIELD + random.uniform(-1.0, 1.0, 3) * SPREAD
        if all(float(np.linalg.norm(place - other)) > 1.35 for other in taken):
            taken.append(place)
            return np.asarray(place)
