"""The pilot of a robot arm, a script that captures a tumbling satellite and brings it to a fixed pose, and keys that move the arm."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..drawing import Array
from ..meshes.client import FIXTURE_HEIGHT
from ..physics import Body, World, joints, rotation
from .robot_arm import LIMITS, RobotArm, damped

MODES = {"auto": "script", "hand": "manual"}
"""Who moves the arm."""
PHASES = {
    "unfold": "unfolding the arm",
    "reach": "moving to where the fixture will be",
    "follow": "following the fixture",
    "catch": "soft capture",
    "stop": "stopping the relative motion",
    "carry": "carrying the satellite",
    "hold": "motors hold the pose",
    "braked": "brakes on, one rigid body",
}
"""What the script does, in this order."""

FIXTURE = joints.Port((0.0, 0.0, FIXTURE_HEIGHT), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
"""The port of the satellite, in its axes."""
CAPTURE = joints.Capture(distance=0.04, angle=0.06, lateral=0.04, speed=0.10, rate=0.06)
LIMP = 0.0
"""Fraction of their torque that the motors use during soft capture, so that the arm yields to the latch."""
SOFT, RETRACT_TIME = (5.0, 1.5), 1.5  # frequency [Hz] and damping ratio of the latch for the gripper alone; [s]
PUSH = 8.0
"""Impulse by which the latch pushes the satellite away on release [N·s]."""

PERIOD = 0.05
"""Time between two samples of the pilot [s], to the nearest tick."""
READY = np.radians([0.0, 75.0, -120.0, 35.0, 0.0, 0.0])
"""Angles from which the arm reaches out [rad]."""
HELD = np.radians([-12.0, 122.0, -128.0, 86.0, 0.0, 0.0])
"""Angles at which the satellite is held [rad]."""
UNFOLD_TIME, STOP_TIME, HOLD_TIME = 9.0, 7.0, 4.0  # [s]
CARRY_RATE = 0.12
"""Rate of the fastest joint while the arm carries the satellite [rad/s]."""
STANDOFF, LEAD = 0.50, 7.5
"""Distance from the fixture at which the gripper begins to follow it [m], and how long before the meeting [s]."""
GIVE_UP = 45.0
"""Time after which the script starts again if it has not captured the satellite [s]."""
CLOSING, SLOWEST = 0.22, 0.05  # per distance [1/s], [m/s]
CLOSE, PARALLEL = 0.06, 0.06
"""The gripper approaches only while its errors of position [m] and attitude [rad] are below these."""
RESPONSE, FASTEST, FASTEST_TURN = 1.2, 0.22, 0.30  # of errors [1/s], [m/s], [rad/s]
ACCELERATION = 0.12  # of the joints [rad/s²]
SERVO = 1.5
"""Rate of a joint per error of its angle [1/s]."""
EARLIEST, LATEST, SPACING = 24.0, 75.0, 0.25
"""When the fixture may be met, from the moment of the prediction [s], and the time between two samples of it [s]."""
STEP, TURN, JOINT_STEP = 0.02, math.radians(1.5), math.radians(1.5)
"""Steps by which a key moves the gripper [m], [rad], and a joint [rad]."""


@dataclass(frozen=True)
class Meeting:
    """Where the fixture will be."""

    time: float
    """Time at which the gripper is to meet the fixture [s]."""
    path: Array
    """Points of its port until shortly after that time [m], world frame, shape (n, 3)."""
    times: Array
    """Times of these points [s], shape (n,)."""
    position: Array
    """Mass centre of the satellite when the gripper begins to follow [m], world frame, shape (3,)."""
    orientation: Array
    """Orientation of the satellite at that time, shape (4,)."""


def fixture_pose(origin: Array, turn: Array) -> tuple[Array, Array]:
    """The port of a satellite, and the axes of a gripper that is mated with it as columns, world frame."""
    axis, up = turn @ np.array(FIXTURE.axis), turn @ np.array(FIXTURE.up)
    return origin + turn @ np.array(FIXTURE.position), np.column_stack([-axis, np.cross(up, -axis), up])


def foresee(client: Body, shoulder: Array) -> Meeting:
    """Predict when the fixture will face the shoulder best, from the free motion of the satellite in a separate world."""
    world, now = World(SPACING), client.world.time
    ghost = world.add_body(
        client.mass_properties,
        position=client.position,
        orientation=client.orientation,
        velocity=client.velocity,
        angular_velocity_body=client.angular_velocity_body,
    )
    positions, orientations = world.predict(LATEST, bodies=[ghost])
    turns = rotation.to_matrix(orientations[:, 0])
    points = positions[:, 0] + turns @ (np.array(FIXTURE.position) - client.center_of_mass_body)
    to_shoulder = shoulder - points
    facing = np.einsum("ij,ij->i", turns @ np.array(FIXTURE.axis), to_shoulder) / np.linalg.norm(to_shoulder, axis=1)
    first = round(EARLIEST / SPACING)
    best = first + int(np.argmax(facing[first:]))
    begin, end = best - round(LEAD / SPACING), min(best + round(4.0 / SPACING), len(points))
    times = now + SPACING * np.arange(1, end + 1)
    return Meeting(float(times[best]), points[:end], times, positions[begin, 0], orientations[begin, 0])


class ArmPilot:
    """Moves an arm by the rates of its motors, in samples."""

    def __init__(self, arm: RobotArm, client: Body, latch: joints.Latch, mode: str = "auto") -> None:
        """Join the world of an arm.

        Args:
            arm: The arm.
            client: The satellite.
            latch: Between the gripper and the satellite.
            mode: Who moves the arm, one of `MODES`.
        """
        world = arm.world
        self.arm, self.client, self.latch, self.mode = arm, client, latch, mode
        self.touched = mode != "auto"
        """Whether the user has moved the arm or changed the mode."""
        self.joint = 0
        """The joint that the keys turn."""
        self.meeting: Meeting | None = None
        """Where the script expects the fixture."""
        self.log: dict[str, float] = {}
        """When each phase of the script began for the first time [s]."""
        self._ticks = max(1, round(PERIOD / world.dt))
        self._seconds = self._ticks * world.dt
        self._phases: dict[str, Callable[[float], Array]] = {
            "unfold": self._unfold,
            "reach": self._reach,
            "follow": self._follow,
            "stop": self._stop,
            "carry": self._carry,
            "hold": self._hold,
        }
        self._rates, self._step = np.zeros(6), np.zeros(6)
        self._limp_ticks = 0
        self.phase = ""
        self._take_over()
        world.on_joint(self._captured, event="captured")
        world.on_tick(self._drive)

    @property
    def text(self) -> str:
        """Who moves the arm, and what the script does."""
        return f"{MODES[self.mode]}: {PHASES[self.phase]}" if self.mode == "auto" else MODES[self.mode]

    # by hand

    def switch(self, mode: str) -> None:
        """Switch between the script and manual control."""
        self.mode, self.touched = mode, True
        self._take_over()

    def push(self, axis: int, sign: float) -> None:
        """Move the gripper by a step along one of its axes, 0 to 2; the script hands over."""
        self._move(axis, sign * STEP)

    def twist(self, axis: int, sign: float) -> None:
        """Turn the gripper by a step about one of its axes, 0 to 2; the script hands over."""
        self._move(3 + axis, sign * TURN)

    def turn_joint(self, sign: float) -> None:
        """Turn the selected joint by a step; the script hands over."""
        self._by_hand()
        change = np.zeros(6)
        change[self.joint] = sign * JOINT_STEP
        self._change_goal(change)

    def brake(self) -> None:
        """Engage or release the brakes; the script hands over."""
        self._by_hand()
        if self.arm.is_braked:
            self.arm.unbrake()
            self._take_over()
        else:
            self.arm.brake()

    def release(self) -> None:
        """Release the satellite with a push; the script hands over."""
        self._by_hand()
        self.arm.unbrake()
        self.latch.release(push=PUSH)
        self._take_over()

    def _move(self, freedom: int, amount: float) -> None:
        self._by_hand()
        axes, twist = self.arm.gripper.rotation_matrix, np.zeros(6)
        first = 3 * (freedom // 3)
        twist[first : first + 3] = amount * axes[:, freedom % 3]
        self._change_goal(damped(self.arm.motion()[0], twist))

    def _change_goal(self, change: Array) -> None:
        self.goal = np.clip(self.goal + change, LIMITS[:, 0], LIMITS[:, 1])

    def _by_hand(self) -> None:
        self.touched = True
        if self.mode == "auto":
            self.switch("hand")

    def _take_over(self) -> None:
        """Hold the current angles, or start the script at the phase that fits the current state, from the current rates."""
        self._rates, self._step = self.arm.rates, np.zeros(6)
        if self.mode == "auto":
            self.arm.unbrake()
            self._begin_script()
        else:
            self.goal = self.arm.angles

    # the script

    def _begin_script(self) -> None:
        if self.latch.state == "open":
            self.meeting, self.standoff = foresee(self.client, self.arm.links[1].origin), STANDOFF
            self._enter("unfold")
        else:
            self._enter("catch" if self.latch.state == "soft" else "stop")

    def _enter(self, phase: str) -> None:
        """Begin a phase."""
        self.phase = phase
        self._since, self._from, self._start_rates = self.arm.world.time, self.arm.angles, self.arm.rates
        self.log.setdefault(phase, self._since)

    def _captured(self, world: World, _: joints.Joint) -> None:
        if self.mode == "auto":
            self._enter("catch")

    def _drive(self, world: World) -> None:
        """Take a new sample if it is due, and change the rates evenly until the next one.

        The arm yields while the latch draws the gripper to the fixture, and in the tick of the impact when it locks.
        """
        if self.arm.is_braked:
            return
        if self.latch.state == "soft":
            self._limp_ticks = 3
        if self._limp_ticks:
            self._limp_ticks -= 1
            if self._limp_ticks:
                self._rates, self._step = self.arm.rates, np.zeros(6)
            else:
                self._take_over()
        if not self._limp_ticks and world.tick_count % self._ticks == 0:
            self._sample(world)
        if not self.arm.is_braked:
            self._rates = self._rates + self._step
            self.arm.drive(self._rates, LIMP if self._limp_ticks else 1.0)

    def _sample(self, world: World) -> None:
        """Compute the change of the rates per tick for the coming period."""
        if self.mode == "auto":
            wanted = self._phases[self.phase](world.time - self._since)
        else:
            wanted = SERVO * (self.goal - self.arm.angles)
        most = ACCELERATION * self._seconds
        self._step = np.clip(wanted - self._rates, -most, most) / self._ticks

    def _unfold(self, lapsed: float) -> Array:
        if lapsed >= UNFOLD_TIME:
            self._enter("reach")
        return self._along(READY, lapsed, UNFOLD_TIME)

    def _reach(self, lapsed: float) -> Array:
        meeting = self.meeting
        assert meeting is not None
        if self.arm.world.time >= meeting.time - LEAD:
            self._enter("follow")
        turn = rotation.to_matrix(meeting.orientation)
        origin = meeting.position - turn @ self.client.center_of_mass_body
        point, axes = fixture_pose(origin, turn)
        return self._towards(point - STANDOFF * axes[:, 0], axes, np.zeros(3), np.zeros(3))

    def _follow(self, lapsed: float) -> Array:
        """Keep the gripper in front of the fixture, and approach it while the errors are small."""
        if lapsed > GIVE_UP:
            self._begin_script()
        point, axes = fixture_pose(self.client.origin, self.client.rotation_matrix)
        spin = self.client.angular_velocity_world
        place = point - self.standoff * axes[:, 0]
        closing = 0.0
        if np.linalg.norm(place - self.arm.tip) <= CLOSE and self.turn_to(axes)[1] <= PARALLEL:
            closing = max(CLOSING * self.standoff, SLOWEST)
            self.standoff -= closing * self._seconds
        velocity = self.client.velocity + np.cross(spin, place - self.client.position) + closing * axes[:, 0]
        return self._towards(place, axes, velocity, spin)

    def _stop(self, lapsed: float) -> Array:
        """Bring all joints to rest."""
        if lapsed >= STOP_TIME:
            self._enter("carry")
        share = min(lapsed / STOP_TIME, 1.0)
        return self._start_rates * (0.5 + 0.5 * math.cos(math.pi * share))

    def _carry(self, lapsed: float) -> Array:
        """Move along the straight line in joint angles to the final pose."""
        time = self.carry_time(self._from)
        if lapsed >= time:
            self._enter("hold")
        return self._along(HELD, lapsed, time)

    def _hold(self, lapsed: float) -> Array:
        if lapsed >= HOLD_TIME:
            self._enter("braked")
            self.arm.brake()
        return SERVO * (HELD - self.arm.angles)

    @staticmethod
    def carry_time(angles: Array) -> float:
        """Time to carry the satellite from these angles [s].

        A path that is a polynomial of degree five has its greatest speed, 15/8 of the mean, in the middle.
        """
        return 15.0 / 8.0 * float(np.abs(HELD - angles).max()) / CARRY_RATE

    def _along(self, goal: Array, lapsed: float, time: float) -> Array:
        """Rates along the path from the angles at the start of the phase to a goal, with zero rates and accelerations at both ends."""
        share = min(lapsed / time, 1.0)
        place = share**3 * (10.0 - 15.0 * share + 6.0 * share * share)
        end = min((lapsed + self._seconds) / time, 1.0)  # of the period over which the rates change
        speed = 30.0 * end**2 * (1.0 - end) ** 2 / time
        way = goal - self._from
        return speed * way + SERVO * (self._from + place * way - self.arm.angles)

    def _towards(self, place: Array, axes: Array, velocity: Array, spin: Array) -> Array:
        """Rates that take the gripper to a moving place and attitude."""
        error, _ = self.turn_to(axes)
        return self.arm.rates_for(
            velocity + _at_most(RESPONSE * (place - self.arm.tip), FASTEST),
            spin + _at_most(RESPONSE * error, FASTEST_TURN),
        )

    def turn_to(self, axes: Array) -> tuple[Array, float]:
        """Rotation vector from the gripper's axes to these [rad], world frame, and its length."""
        turn = rotation.from_matrix(axes @ self.arm.gripper.rotation_matrix.T)
        axis, angle = rotation.to_axis_angle(turn)
        return axis * angle, float(angle)


def _at_most(vector: Array, most: float) -> Array:
    size = float(np.linalg.norm(vector))
    return vector * (most / size) if size > most else vector
