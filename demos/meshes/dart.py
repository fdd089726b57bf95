"""A small craft of few triangles, to be drawn by the ten thousand: nose towards +z, one engine towards −z. `masses.dart` weighs it."""

import numpy as np

from ..drawing import DARK, GLASS, NOZZLE, ORANGE, SLATE, MeshBuilder, Nozzle, about_z

NOZZLES = {"main": Nozzle((0.0, 0.0, -1.0), (0.0, 0.0, -1.0), 0.23)}


def build() -> MeshBuilder:
    """The whole craft, 2 m long, in fewer than 150 triangles."""
    craft = MeshBuilder()
    craft.lathe(NOZZLE, [(0.23, -1.0), (0.12, -0.72)], sides=6)
    craft.lathe(DARK, [(0.0, -0.74), (0.30, -0.70), (0.34, -0.42)], sides=6)
    craft.lathe(SLATE, [(0.34, -0.42), (0.30, 0.38), (0.14, 0.86)], sides=6)
    craft.lathe(ORANGE, [(0.14, 0.86), (0.0, 1.0)], sides=6)
    # Outlines in height and breadth, turned to (z, y): the first coordinate is −z.
    along_y = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    craft.prism(GLASS, [(-0.74, 0.16), (-0.06, 0.22), (-0.16, 0.40), (-0.42, 0.36)], 0.20, turn=along_y)
    craft.prism(ORANGE, [(0.42, 0.20), (0.66, 0.24), (0.70, 0.62), (0.52, 0.62)], 0.04, turn=along_y)
    for angle in (0.0, np.pi):
        wing = [(0.28, -0.62), (1.0, -0.72), (1.0, -0.40), (0.28, 0.26)]
        standing = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # the outline's y becomes z
        craft.prism(SLATE, wing, 0.05, turn=about_z(angle) @ standing)
    return craft
