"""The hangar: a floor, two walls, a heap of crates that has just been tipped out, and the crane above it."""

from typing import ClassVar

import numpy as np

from ..drawing import Array, Model
from ..meshes.crates import CRATES, WALL
from ..physics import Body, MassProperties, World, forces, rotation, shapes
from .pile_crane import GRAVITY, Crane

COUNT = 18
"""Crates in the heap."""
FLOOR, WOOD = 0.6, 0.5
"""Coefficients of friction."""
HEAP = np.array((-2.2, 1.7))
"""Where the crates fall [m]."""
PLACES = [np.array((2.4, y, 0.0)) for y in (-3.0, -1.1, 0.8)]
"""Where the crane puts crates down, one after the other [m]."""
GAP = 1.75
"""Distance of crates that fall one above the other: more than the diagonal of the largest, so that they begin apart [m]."""


class Hangar:
    """The crates, the floor and the walls, in a world."""

    text, gravity, radius = "crates in a hangar", GRAVITY, 3.8
    target = np.array((-0.4, 0.0, 2.4))
    planet: ClassVar[Array | None] = np.array((-0.25, -0.70, 0.67, 0.62))
    places: ClassVar[list[Array]] = PLACES

    def __init__(self, world: World, seed: int) -> None:
        world.add_force(forces.UniformGravity((0.0, 0.0, -GRAVITY)))
        world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), material=shapes.Material(FLOOR), name="floor")
        for normal, name in (((1.0, 0.0, 0.0), "wall behind"), ((0.0, 1.0, 0.0), "wall to the left")):
            world.add_shape(shapes.Plane(normal, -WALL), material=shapes.Material(FLOOR), name=name)
        random = np.random.default_rng(seed)
        self.pieces: list[Body] = []
        self.meshes: dict[str, str] = {}
        eyes = {}
        for number in range(COUNT):
            kind = list(CRATES)[number % len(CRATES)]
            size, mass = CRATES[kind]
            name = f"crate {number + 1}"
            layer, spot = divmod(number, 4)
            aside = GAP * np.array((spot % 2 - 0.5, spot // 2 - 0.5)) * (1.0 if layer % 2 else 0.8)
            place = (*(HEAP + aside + random.uniform(-0.1, 0.1, 2)), 1.0 + GAP * layer)
            axis = random.normal(size=3)
            turn = rotation.from_axis_angle(axis / np.linalg.norm(axis), random.uniform(0.0, 0.5))
            body = world.add_body(MassProperties.box(mass, size), name=name, position=place, orientation=turn)
            body.add_shape(shapes.Box(size), material=shapes.Material(WOOD))
            self.pieces.append(body)
            self.meshes[name] = kind
            eyes[name] = [
                sign * 0.5 * side * axis for side, axis in zip(size, np.eye(3), strict=True) for sign in (-1, 1)
            ]
        self.carrier = Crane(world, eyes)

    def still(self) -> list[Model]:
        """What stands still, and the bridge that goes with the trolley."""
        place = self.carrier.trolley.interpolated_pose()[0]
        middle, turn = np.zeros(3), np.eye(3)
        return [
            Model("hangar-floor", middle, turn, casts_shadow=False),
            Model("hangar-frame", middle, turn),
            Model("bridge", np.array((place[0], 0.0, place[2])), turn),
        ]

    def moving(self) -> list[tuple[Body, str]]:
        """The bodies besides the pieces, with their meshes."""
        return [(self.carrier.trolley, "trolley"), (self.carrier.body, "hook-block")]

    def ropes(self) -> list[Array]:
        """The rope of the crane."""
        return [np.array([body.interpolated_pose()[0] for body in (self.carrier.trolley, self.carrier.body)])]
