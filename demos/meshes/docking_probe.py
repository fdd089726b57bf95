"""A docking probe and its drogue, which stand in the docking rings of two ports.

The drogue is a cone with a socket at its bottom. The probe slides in a mount. Its head goes down the cone into the socket, and drawing it
in brings the rings together.
"""

import numpy as np

from ..drawing import ALUMINIUM, BLACK_FOIL, BRASS, DARK, ORANGE, PAINT, STEEL, WHITE_LAMP, MeshBuilder, about_z

RING = 0.40
"""Radius of the docking rings in which they stand [m]."""
SOCKET = 0.13
"""Depth of the socket below the sealing face, where the tip of the probe is held [m]."""
STROKE = 0.30
"""By which the probe is drawn in [m]: the distance of the sealing faces at which its tip reaches the socket."""
COLLAR = 0.03
"""Depth of the collar in which it slides below the sealing face [m]."""
_BEHIND = 0.16
"""Depth of the mount below the sealing face [m]."""


def drogue() -> MeshBuilder:
    """The cone, in the axes of its port; the socket lies at z = −`SOCKET`."""
    part = MeshBuilder()
    rim = 0.76 * RING
    part.lathe(ALUMINIUM, [(rim + 0.012, -0.03), (rim + 0.012, 0.006), (rim - 0.012, 0.006)], sides=56)
    part.lathe(PAINT, [(rim - 0.012, 0.006), (0.20, -0.022)], sides=56)
    part.lathe(ORANGE, [(0.20, -0.022), (0.17, -0.03)], sides=56)
    part.lathe(PAINT, [(0.17, -0.03), (0.068, -0.058)], sides=56)
    part.lathe(STEEL, [(0.068, -0.058), (0.054, -0.058), (0.050, -SOCKET - 0.004)], sides=40)
    part.lathe(DARK, [(0.050, -SOCKET - 0.004), (0.0, -SOCKET - 0.004)], sides=40)
    for angle in np.arange(6) * (np.pi / 3.0):  # lamps on the rim, by which a pilot finds it
        part.box(WHITE_LAMP, (0.012, 0.03, 0.012), about_z(angle) @ np.array([rim, 0.0, 0.006]), about_z(angle))
    return part


def mount() -> MeshBuilder:
    """What carries the probe, in the axes of its port: a collar on three struts."""
    part = MeshBuilder()
    part.lathe(BLACK_FOIL, [(0.062, -_BEHIND), (0.062, -0.02), (0.052, 0.0)], sides=32)
    part.lathe(ALUMINIUM, [(0.068, -0.05), (0.074, -0.045), (0.074, -0.015), (0.068, -0.01), (0.04, -0.01)], sides=32)
    for angle in np.arange(3) * (2.0 * np.pi / 3.0) + np.pi / 6.0:
        foot, head = (about_z(angle) @ np.array(place) for place in ((0.26, 0.0, -_BEHIND), (0.06, 0.0, -COLLAR)))
        part.tube(STEEL, foot, head, 0.014, sides=12)
        part.cylinder(ALUMINIUM, 0.03, 0.02, foot, sides=16)
    return part


def probe() -> MeshBuilder:
    """The rod with its head; the tip is the origin, and the rod lies along −z."""
    part = MeshBuilder()
    end = -(STROKE + SOCKET + _BEHIND)
    part.lathe(STEEL, [(0.0, end), (0.036, end), (0.036, -0.15), (0.026, -0.13)], sides=28)
    part.lathe(ORANGE, [(0.037, -0.30), (0.037, -0.26)], sides=28)
    part.lathe(ORANGE, [(0.037, -0.22), (0.037, -0.18)], sides=28)
    part.lathe(ALUMINIUM, [(0.026, -0.13), (0.026, -0.085)], sides=24)
    head = [(0.0, -0.09), (0.034, -0.085), (0.042, -0.06), (0.042, -0.045), (0.030, -0.012), (0.012, 0.0), (0.0, 0.0)]
    part.lathe(BRASS, head, sides=32)
    for angle in np.arange(3) * (2.0 * np.pi / 3.0):  # the small latches that catch in the socket
        part.box(DARK, (0.010, 0.018, 0.03), about_z(angle) @ np.array([0.041, 0.0, -0.052]), about_z(angle))
    return part
