"""The things that are drawn, each made by a function from simple solids, in metres and in the body frame; one craft a file."""

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from . import (
    balls,
    client,
    cubesat,
    dart,
    docking_probe,
    drum_satellite,
    probe,
    robot_arm,
    rocket_top,
    servicer,
    simple,
    spacecraft,
    station,
)
from .mesh_builder import MeshBuilder

MESHES: dict[str, Callable[[], MeshBuilder]] = {
    "spacecraft": spacecraft.build,
    "probe": probe.build,
    "station": station.build,
    "docking-probe": docking_probe.probe,
    "docking-mount": docking_probe.mount,
    "drogue": docking_probe.drogue,
    "rocket-top": rocket_top.build,
    "dart": dart.build,
    "cubesat": cubesat.build,
    "drum-satellite": drum_satellite.build,
    "servicer": servicer.build,
    "client": client.build,
    "arm-shoulder": robot_arm.shoulder,
    "arm-upper": robot_arm.upper_arm,
    "arm-fore": robot_arm.forearm,
    "arm-wrist-pitch": robot_arm.wrist_pitch,
    "arm-wrist-yaw": robot_arm.wrist_yaw,
    "arm-gripper": robot_arm.gripper,
    "t-handle": simple.t_handle,
    "drum": simple.drum,
    "crate": simple.crate,
    "ball": balls.solid,
    "dark-ball": balls.dark,
    "blue-ball": balls.blue,
    "arrow-shaft": simple.arrow_shaft,
    "arrow-head": simple.arrow_head,
}


def add(name: str, builder: MeshBuilder) -> None:
    """Let a thing be drawn under this name, in place of any other of the same name."""
    MESHES[name] = lambda: builder
    triangles.cache_clear()


@cache
def triangles(name: str) -> npt.NDArray[np.float32]:
    """The vertices of one mesh, shape (n, 14), read-only."""
    vertices = MESHES[name]().triangles()
    vertices.flags.writeable = False
    return vertices
