"""A robot arm of six hinges with motors on a free-floating craft, and how its gripper moves when the joints turn.

Angles are zero where the arm is straight along the x axis of the craft. Nothing holds the craft: when a joint turns, the craft turns the
other way. The Jacobian here therefore follows from the conservation of momentum (Umetani and Yoshida, Resolved motion rate control of
space manipulators with generalized Jacobian matrix, 1989).
"""

from dataclasses import dataclass

import numpy as np

from ..drawing import Array
from ..meshes.robot_arm import FOREARM, ROOT, SHOULDER, TIP, UPPER_ARM, WRIST
from ..physics import Body, MassProperties, World, joints, rotation

Z_TO_X = rotation.from_axis_angle((0.0, 1.0, 0.0), np.pi / 2)
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
YAW, PITCH, ROLL = (0.0, 0.0, 1.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)
"""Axes of the joints; a positive pitch raises what lies along x."""


@dataclass(frozen=True)
class ArmJoint:
    """One joint, and the link that it turns."""

    name: str
    at: tuple[float, float, float]
    """The joint in the axes of the link before it [m], from that link's joint; of the first one in those of the craft."""
    axis: tuple[float, float, float]
    """Unit vector, the same in the axes of both links."""
    limits: tuple[float, float]
    """[degree]"""
    max_rate: float
    """[rad/s]"""
    max_torque: float
    """Of the motor [N·m]."""
    mesh: str
    mass_properties: MassProperties
    """Of the link, in axes with x along it and the joint at the origin."""


def _tube(mass: float, length: float, radius: float, head: float) -> MassProperties:
    """A link along x with a joint's housing of this mass at its start."""
    along = MassProperties.cylinder(mass, radius, length)
    housing = MassProperties.sphere(head, 1.3 * radius)
    return MassProperties.compound([(along, (0.5 * length, 0.0, 0.0), Z_TO_X), (housing, (0.0, 0.0, 0.0), UPRIGHT)])


def _housing(mass: float) -> MassProperties:
    return MassProperties.cylinder(mass, 0.15, 0.30).moved((0.0, 0.0, 0.5 * SHOULDER), UPRIGHT)


JOINTS = (
    ArmJoint("shoulder yaw", ROOT, YAW, (-170.0, 170.0), 0.20, 160.0, "arm-shoulder", _housing(16.0)),
    ArmJoint(
        "shoulder pitch", (0, 0, SHOULDER), PITCH, (-40.0, 160.0), 0.20, 160.0, "arm-upper", _tube(20, UPPER_ARM, 0.09, 8)
    ),
    ArmJoint(
        "elbow pitch", (UPPER_ARM, 0, 0), PITCH, (-168.0, 10.0), 0.25, 120.0, "arm-fore", _tube(14, FOREARM, 0.08, 6)
    ),
    ArmJoint("wrist pitch", (FOREARM, 0, 0), PITCH, (-130.0, 130.0), 0.35, 60.0, "arm-wrist-pitch", _tube(5, WRIST, 0.08, 2)),
    ArmJoint("wrist yaw", (WRIST, 0, 0), YAW, (-110.0, 110.0), 0.35, 60.0, "arm-wrist-yaw", _tube(5, WRIST, 0.08, 2)),
    ArmJoint("wrist roll", (WRIST, 0, 0), ROLL, (-200.0, 200.0), 0.50, 40.0, "arm-gripper", _tube(7, TIP, 0.10, 2)),
)  # fmt: skip
"""From the craft to the gripper."""
AXES = np.array([joint.axis for joint in JOINTS])
LIMITS = np.radians([joint.limits for joint in JOINTS])
"""Lower and upper limit of each angle [rad], shape (6, 2)."""
MAX_RATES = np.array([joint.max_rate for joint in JOINTS])

STOWED = np.radians([0.0, 118.0, -162.0, -40.0, 0.0, 0.0])
"""Angles of the folded arm [rad]."""

GRIPPER = joints.Port((TIP, 0.0, 0.0), ROLL, (0.0, 0.0, 1.0))
"""The port of the gripper, in the axes of the last link."""

LENGTH = 0.7
"""A rotation of the gripper by an angle counts as much as this length times the angle [m]."""
DAMPING = 0.04
"""Of the inverse of the Jacobian, which bounds the rates where the arm is straight [m]."""


def link_poses(angles: Array) -> list[tuple[Array, Array]]:
    """Matrix and joint of each link in the axes of the craft, from its origin, for these angles [rad], shape (6,)."""
    turn, point, found = np.eye(3), np.zeros(3), []
    for joint, angle in zip(JOINTS, angles, strict=True):
        point = point + turn @ joint.at
        turn = turn @ rotation.to_matrix(rotation.from_axis_angle(joint.axis, angle))
        found.append((turn, point))
    return found


class RobotArm:
    """Links and hinges on a craft that is at rest, folded as in `STOWED` until told otherwise."""

    def __init__(self, world: World, craft: Body, angles: Array = STOWED) -> None:
        self.world, self.craft = world, craft
        self._first = np.array(angles)
        base, base_turn = craft.origin, craft.rotation_matrix
        self.links: list[Body] = []
        for joint, (turn, point) in zip(JOINTS, link_poses(angles), strict=True):
            orientation = rotation.from_matrix(base_turn @ turn)
            origin = base + base_turn @ point
            self.links.append(
                world.add_body(joint.mass_properties, name=joint.name, origin=origin, orientation=orientation)
            )
        self.hinges = [
            world.add_joint(
                joints.Hinge(
                    link,
                    before,
                    at_body=(0.0, 0.0, 0.0),
                    axis_body=joint.axis,
                    limits=tuple(np.radians(joint.limits) - angle),
                )
            )
            for joint, link, before, angle in zip(JOINTS, self.links, self.bodies, angles, strict=False)
        ]
        self._brakes: list[joints.Weld] = []
        self.drive(np.zeros(6))

    @property
    def bodies(self) -> list[Body]:
        """The craft and the links."""
        return [self.craft, *self.links]

    @property
    def gripper(self) -> Body:
        """The last link."""
        return self.links[-1]

    @property
    def tip(self) -> Array:
        """The port of the gripper [m], world frame."""
        return self.gripper.to_world(GRIPPER.position)

    @property
    def angles(self) -> Array:
        """[rad], shape (6,)."""
        return self._first + [hinge.angle for hinge in self.hinges]

    @property
    def rates(self) -> Array:
        """[rad/s], shape (6,)."""
        return np.array([hinge.rate for hinge in self.hinges])

    @property
    def torques(self) -> Array:
        """Of the motors in the last tick [N·m], shape (6,)."""
        return np.array([hinge.torque_world @ hinge.axis_world for hinge in self.hinges])

    def drive(self, rates: Array, strength: float = 1.0) -> None:
        """Let the motors follow these rates [rad/s], shape (6,), all less by the same share where one is more than its joint can do.

        Args:
            rates: Wanted rates.
            strength: Share of their torque that the motors may use.
        """
        share = max(1.0, float(np.abs(rates / MAX_RATES).max()))
        for joint, hinge, rate in zip(JOINTS, self.hinges, rates / share, strict=True):
            hinge.motor = joints.Motor(target_rate=float(rate), max_torque=strength * joint.max_torque)

    @property
    def is_braked(self) -> bool:
        """Whether the brakes hold."""
        return bool(self._brakes)

    def brake(self) -> None:
        """Clamp all joints: each hinge gives way to a weld."""
        if self._brakes:
            return
        for hinge, link, before in zip(self.hinges, self.links, self.bodies, strict=False):
            hinge.enabled = False
            self._brakes.append(self.world.add_joint(joints.Weld(link, before, at_body=(0.0, 0.0, 0.0))))

    def unbrake(self) -> None:
        """Let the joints turn again."""
        for weld in self._brakes:
            self.world.remove_joint(weld)
        for hinge in self.hinges:
            hinge.enabled = True
        self._brakes = []

    def gaps(self) -> tuple[float, float]:
        """Largest distance [m] between the two points of a hinge, and largest angle [rad] between its axis on the two bodies."""
        apart, tilted = 0.0, 0.0
        for joint, link, before in zip(JOINTS, self.links, self.bodies, strict=False):
            apart = max(apart, float(np.linalg.norm(link.origin - before.to_world(joint.at))))
            across = np.cross(link.direction_to_world(joint.axis), before.direction_to_world(joint.axis))
            tilted = max(tilted, float(np.linalg.norm(across)))
        return apart, tilted

    def motion(self) -> tuple[Array, Array]:
        """How the gripper moves.

        Returns:
            Jacobian, shape (6, 6), and what it leaves: the twist of the gripper (velocity of its port [m/s], then angular velocity
            [rad/s], world frame) is the Jacobian times the rates of the joints, plus the second array, shape (6,), which is the motion of
            all bodies as one rigid body with the momentum that they have.
        """
        places = np.array([body.position for body in self.bodies] + [self.tip])
        base = places[0]
        axes = np.array([hinge.axis_world for hinge in self.hinges])
        linear, angular = _twists(places, axes, np.array([link.origin for link in self.links]))
        inertia, momentum = np.zeros((6, 12)), np.zeros(6)
        for number, body in enumerate(self.bodies):
            arm = body.mass * _cross_matrix(body.position - base)
            inertia[:3] += body.mass * linear[number]
            inertia[3:] += body.inertia_world @ angular[number] + arm @ linear[number]
            momentum[:3] += body.mass * body.velocity
            momentum[3:] += body.angular_momentum_world + arm @ body.velocity
        at_tip = np.vstack([linear[-1], angular[-1]])
        of_craft = at_tip[:, :6] @ np.linalg.inv(inertia[:, :6])
        return at_tip[:, 6:] - of_craft @ inertia[:, 6:], of_craft @ momentum

    def rates_for(self, velocity: Array, angular_velocity: Array) -> Array:
        """Rates of the joints [rad/s], shape (6,), with which the port of the gripper moves so [m/s], [rad/s], world frame, both (3,)."""
        jacobian, left = self.motion()
        return damped(jacobian, np.concatenate([velocity, angular_velocity]) - left)


def damped(jacobian: Array, twist: Array) -> Array:
    """The rates x for which ``|W (J x − twist)|² + DAMPING² |x|²`` is least, W = diag(1, 1, 1, LENGTH, LENGTH, LENGTH)."""
    weight = np.array([1.0, 1.0, 1.0, LENGTH, LENGTH, LENGTH])
    weighted = weight[:, np.newaxis] * jacobian
    square = weighted @ weighted.T + DAMPING**2 * np.eye(6)
    return weighted.T @ np.linalg.solve(square, weight * twist)


def _twists(places: Array, axes: Array, points: Array) -> tuple[Array, Array]:
    """Velocity at the mass centre of the craft, of each link and at the gripper's port, and angular velocity of each, for unit rates.

    Args:
        places: These points, shape (8, 3).
        axes: Axes of the joints, shape (6, 3).
        points: Points on them, shape (6, 3).

    Returns:
        Two arrays of shape (8, 3, 12) for the velocity and the angular velocity of the craft, then the rates of the joints.
    """
    linear, angular = np.zeros((8, 3, 12)), np.zeros((8, 3, 12))
    linear[:, :, :3] = angular[:, :, 3:6] = np.eye(3)
    # the craft is moved by no joint, the first link by the first one
    moved = np.arange(8)[:, np.newaxis, np.newaxis] > np.arange(6)
    swept = np.cross(axes, places[:, np.newaxis] - points)
    linear[:, :, 6:] = np.where(moved, swept.swapaxes(1, 2), 0.0)
    angular[:, :, 6:] = np.where(moved, axes.T, 0.0)
    for number, place in enumerate(places):
        linear[number, :, 3:6] = -_cross_matrix(place - places[0])
    return linear, angular


def _cross_matrix(v: Array) -> Array:
    """The matrix of ``v ×``."""
    x, y, z = v
    return np.array([(0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)])
