"""The lander: a stage of a ton with an engine, jets that turn it, and four sprung legs whose feet are bodies of their own."""

from typing import Any

import numpy as np

from ..drawing import Array
from ..meshes.lander import ARM, FOOT, HIP, LEG, NOZZLE_HEIGHT, SIZE
from ..physics import MassProperties, World, forces, joints, rotation, shapes

MASS, FOOT_MASS = 1000.0, 8.0
"""Of the stage and of a foot [kg]."""
STROKE, STIFFNESS, DAMPING, PRELOAD = 0.55, 4.0e3, 900.0, 0.03
"""Of a leg [m], [N/m], [N·s/m], and how far the spring is pressed in when the leg is out [m]."""
SIDE_JET = 90.0
"""Force of a jet that turns the lander [N]."""


class Craft:
    """The bodies and the actuators of the lander, at a pose."""

    def __init__(self, world: World, position: Array, orientation: Array, velocity: Array, thrust: float) -> None:
        """Add them to a world; `thrust` is the largest of the engine [N]."""
        start: dict[str, Any] = {"orientation": orientation, "velocity": velocity}
        self.stage = world.add_body(MassProperties.box(MASS, SIZE), name="stage", position=position, **start)
        self.stage.add_shape(shapes.Box(SIZE), material=shapes.Material(0.6))
        self.feet, self.legs = [], []
        foot = MassProperties.sphere(FOOT_MASS, FOOT)
        for number, hip in enumerate(hips()):
            end = hip - (0.0, 0.0, LEG)
            place = position + rotation.rotate(orientation, end)
            body = world.add_body(foot, name=f"foot {number + 1}", position=place, **start)
            body.add_shape(shapes.Sphere(FOOT), material=shapes.Material(0.8))
            spring = joints.JointSpring(stiffness=STIFFNESS, damping=DAMPING, rest=-PRELOAD)
            way = {"at_body": end, "axis_body": (0.0, 0.0, -1.0), "limits": (0.0, STROKE)}
            leg = joints.Slider(self.stage, body, spring=spring, **way)
            self.feet.append(body)
            self.legs.append(world.add_joint(leg))
        engine = forces.Thruster(
            self.stage, position=(0.0, 0.0, NOZZLE_HEIGHT), direction=(0.0, 0.0, 1.0), max_force=thrust
        )
        self.engine = world.add_force(engine)
        positions, directions = turning_jets()
        bank = forces.ThrusterBank(self.stage, positions=positions, directions=directions, max_forces=SIDE_JET)
        self.jets = world.add_force(bank)

    @property
    def bodies(self) -> list[Any]:
        """The stage and the feet."""
        return [self.stage, *self.feet]

    @property
    def mass(self) -> float:
        """Of all of them [kg]."""
        return craft_mass()

    def turn(self, torque_body: Array) -> None:
        """Let the jets make a torque about the axes of the stage, as far as they can [N·m]."""
        shares = np.clip(np.repeat(torque_body, 4) / (2.0 * ARM * SIDE_JET) * np.tile((1, 1, -1, -1), 3), 0.0, 1.0)
        self.jets.throttle = shares

    def stop(self) -> None:
        """Shut the engine and the jets."""
        self.engine.throttle, self.jets.throttle = 0.0, 0.0

    @property
    def is_powered(self) -> bool:
        """Whether the engine or a jet burns."""
        return bool(self.engine.throttle > 0.0 or np.any(self.jets.throttle > 0.0))


def craft_mass() -> float:
    """Of the stage and its feet [kg]."""
    return MASS + 4.0 * FOOT_MASS


def hips() -> list[Array]:
    """Where each leg begins, in the axes of the stage."""
    return [HIP * (x, y, 1) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]


def turning_jets() -> tuple[list[Array], list[Array]]:
    """Positions and directions of twelve jets: for each axis two couples, one for each sense."""
    positions, directions = [], []
    for axis in range(3):
        arm, push = ARM * np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
        for sign in (1.0, -1.0):
            positions += [arm, -arm]
            directions += [sign * push, -sign * push]
    return positions, directions
