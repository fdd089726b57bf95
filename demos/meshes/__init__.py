"""The craft of the demos, each made by a function from simple solids, in metres and in the body frame; one craft per file."""

from functools import partial

from ..drawing import add_mesh
from . import (
    client,
    crates,
    cubesat,
    dart,
    debris,
    docking_probe,
    drum_satellite,
    lander,
    probe,
    robot_arm,
    rocket_top,
    servicer,
    spacecraft,
    station,
)

CRAFT = {
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
    "lander": lander.stage,
    "lander-foot": lander.foot,
    **{kind: partial(crates.crate, kind) for kind in crates.CRATES},
    "hangar-floor": crates.floor,
    "hangar-frame": crates.frame,
    "bridge": crates.bridge,
    "trolley": crates.trolley,
    "hook-block": crates.hook_block,
    "debris-panel": debris.panel,
    "debris-tank": debris.tank,
    "debris-strut": debris.strut,
    "debris-unit": debris.unit,
    "tug": debris.tug,
}

for _name, _make in CRAFT.items():
    add_mesh(_name, _make)
