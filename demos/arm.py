"""A free-floating craft captures a tumbling satellite with a six-joint arm, and rotates the other way.

    python -m demos arm [--case tumble | spin | heavy] [--pilot auto | hand] [--view outside | gripper | craft] [--pace N]
                        [--integrator NAME] [--headless --frames N --out FILE.png]

Six hinges with motors and limits connect the links of the arm, and a latch captures the grapple fixture of the satellite. The craft floats
freely: when the arm moves, the craft rotates the other way, and the total angular momentum (amber) does not change. The script predicts
where the fixture will be and meets it there, stops the relative motion, brings the satellite to a fixed pose and sets the brakes. The green
box shows where the craft was at the start, and the green line is the predicted path of the fixture up to the meeting point.

W, S, A, D, E and X move the gripper; I, K, J, L, U and O turn it. N selects a joint; B and M turn it. F sets the brakes, and T releases the
satellite. P returns control to the script, and V changes the view. Without a window the script runs at eight times real time.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from . import running
from .drawing import (
    FRAME,
    Array,
    Arrow,
    Binding,
    Curves,
    Eye,
    Gauge,
    Line,
    Model,
    Picture,
    Sample,
    Trail,
    about_y,
    colours,
)
from .meshes import servicer
from .physics import Body, World, integrators, joints, rotation
from .scenes import masses
from .scenes.arm_cases import CASES, add_client
from .scenes.arm_pilot import CAPTURE, FIXTURE, HELD, MODES, RETRACT_TIME, SOFT, ArmPilot, fixture_pose
from .scenes.claims import claim
from .scenes.restarting import Restarting
from .scenes.rigid_flight import RigidFlight
from .scenes.robot_arm import GRIPPER, JOINTS, LIMITS, RobotArm

PACE, PACE_UNSEEN, FASTEST_PACE = 1.0, 8.0, 20.0
"""Simulated seconds per second in a window, without one, and at most."""
TIME_LIMIT = 90.0
"""Time within which the script has to set the brakes [s]."""
GAP = 1e-10
"""Largest gap [m] and misalignment [rad] of a hinge."""

HEADING = math.radians(122.0)  # of the arm's side of the craft, about z: across the first view, with the sun on it
MIDDLE, RADIUS = (1.40, 0.0, 0.85), 2.45  # of what the camera shows, in the axes of the craft at the start [m]
VIEWS = {"outside": "from outside", "gripper": "from the gripper", "craft": "from the craft"}
GRIPPER_EYE, CRAFT_EYE = (
    (0.0, 0.0, 0.30),
    (0.90, 0.0, 0.45),
)  # of the cameras, in the axes of the last link and of the craft [m]
LOOK_DOWN = math.radians(12.0)  # of the one on the gripper
PLANET = np.array([0.31, -0.62, -0.72, 0.92])
TRAIL_POINTS, TRAIL_SPACING = 400, 0.2  # number, [s]
MOMENTUM_LENGTH, RATE_LENGTH, TORQUE_LENGTH = 0.28, 28.0, 0.35  # [m/(N·m·s)], [m/(rad/s)], [m/(N·m)]
SHORTEST, HULL = 0.12, 0.8  # of an arrow that is drawn, and of one that comes out of a hull [m]
GHOST = colours.faint(colours.GOAL, 0.75)
CURVES = Curves(
    ("craft turned [°]", ".1f"),
    ("change of Σ L", ".0e"),
    80.0,
    (False, True),
    (
        ("joints [°]", tuple(joint.name for joint in JOINTS)),
        ("motors [N·m]", tuple(joint.name for joint in JOINTS)),
        ("rate of the satellite [°/s]", ("",)),
    ),
)


@dataclass(frozen=True, kw_only=True)
class ArmOptions(running.SceneOptions):
    """The options of this demo."""

    case: str
    pilot: str
    view: str
    pace: float | None
    """Simulated seconds per second; None for the usual pace."""


class Arm(Restarting):
    """The scene: a craft with its arm and a satellite, far from everything else, with their common mass centre at rest."""

    radius = RADIUS
    keys: Sequence[Binding] = (
        ("w", "W, S", "push x +", "gripper ahead, back"),
        ("s", "", "push x -", ""),
        ("a", "A, D", "push y +", "gripper left, right"),
        ("d", "", "push y -", ""),
        ("e", "E, X", "push z +", "gripper up, down"),
        ("x", "", "push z -", ""),
        ("i", "I, K", "twist y -", "pitch it up, down"),
        ("k", "", "twist y +", ""),
        ("j", "J, L", "twist z +", "yaw it left, right"),
        ("l", "", "twist z -", ""),
        ("u", "U, O", "twist x -", "roll it left, right"),
        ("o", "", "twist x +", ""),
        ("n", "N", "next_joint", "select a joint"),
        ("b", "B, M", "turn_joint -", "turn it"),
        ("m", "", "turn_joint +", ""),
        ("f", "F", "brake", "brakes"),
        ("t", "T", "release", "release the satellite"),
        ("p", "P", "next_pilot", "script, by hand"),
        ("v", "V", "next_view", "next view"),
    )

    def __init__(self, wanted: ArmOptions) -> None:
        self._wanted, self.case_name, self.view = wanted, wanted.case, wanted.view
        self._begin(wanted.integrator, wanted.game_mode)
        self.world.time_scale = wanted.pace or (PACE_UNSEEN if wanted.headless else PACE)

    @property
    def target(self) -> Array:
        """A fixed point between craft and satellite."""
        return self._start_pose[0] + self._start_pose[1] @ MIDDLE

    # orders from the keyboard

    def push(self, axis: str, sign: str) -> str:
        """Move the gripper along one of its axes."""
        self.pilot.push("xyz".index(axis), float(f"{sign}1"))
        return self._hand_text()

    def twist(self, axis: str, sign: str) -> str:
        """Turn the gripper about one of its axes."""
        self.pilot.twist("xyz".index(axis), float(f"{sign}1"))
        return self._hand_text()

    def next_joint(self) -> str:
        """Select the joint that the keys turn."""
        self.pilot.joint = (self.pilot.joint + 1) % len(JOINTS)
        return f"joint: {JOINTS[self.pilot.joint].name}"

    def turn_joint(self, sign: str) -> str:
        """Turn the selected joint."""
        self.pilot.turn_joint(float(f"{sign}1"))
        return f"{self._hand_text()}: {JOINTS[self.pilot.joint].name}"

    def brake(self) -> str:
        """Set the brakes, or release them."""
        self.pilot.brake()
        return f"brakes {'on' if self.arm.is_braked else 'off'}"

    def release(self) -> str:
        """Release the satellite, with a push."""
        if self.latch.state == "open":
            return "the gripper is empty"
        self.pilot.release()
        return "the satellite is free"

    def next_pilot(self) -> str:
        """Let somebody else move the arm."""
        self.pilot.switch("hand" if self.pilot.mode == "auto" else "auto")
        return self.pilot.text

    def next_view(self) -> str:
        """Look through the next camera."""
        names = list(VIEWS)
        self.view = names[(names.index(self.view) + 1) % len(names)]
        return f"view: {VIEWS[self.view]}"

    def _hand_text(self) -> str:
        return "brakes on (F)" if self.arm.is_braked else self.pilot.text

    # what is seen

    def picture(self) -> Picture:
        """All bodies, where the craft began, where the fixture will be, and the vectors."""
        poses = {body: _pose(body) for body in self.world.bodies}
        meshes = ["servicer", *(joint.mesh for joint in JOINTS), "client"]
        return Picture(
            [Model(mesh, *poses[body]) for mesh, body in zip(meshes, self.world.bodies, strict=True)],
            arrows=self._arrows(poses) if self.view == "outside" else [],
            lines=self._lines(poses) if self.view == "outside" else [],
            gauges=self._gauges(),
            title=f"arm · {CASES[self.case_name].text}",
            status=self._status(),
            eye=self._eye(poses),
            planet=PLANET,
        )

    def sample(self) -> Sample:
        """Rates and turn of the craft, change of Σ L, angles and torques of the joints, rate of the satellite."""
        satellite = math.degrees(float(np.linalg.norm(self.client.angular_velocity_body)))
        more = (*np.degrees(self.arm.angles).tolist(), *self.arm.torques.tolist(), satellite)
        return Sample(
            self.world.time, self.craft.angular_velocity_body, self._turned(), self._momentum_change(), CURVES, more
        )

    def check(self) -> list[str]:
        """Check the momentum, the joints, the result of the script, and the motion with the brakes on."""
        return [self._check_momentum(), self._check_joints(), self._check_script(), self._check_flight()]

    def _check_momentum(self) -> str:
        linear = float(np.linalg.norm(self.world.linear_momentum()))
        allowed = 1e-12 * self.client.mass
        change = self._momentum_change()
        text = f"Σ L changed by {change:.0e} of its magnitude, Σ P is {linear:.0e} kg·m/s"
        if self.world.game_mode or self._was_game:
            return f"{text}; in game mode nothing is claimed"
        return claim(change <= 1e-12 and linear <= allowed, f"{text}, allowed 1e-12 and {allowed:.0e}")

    def _check_joints(self) -> str:
        self._measure(self.world)
        apart, tilted, beyond = self._worst
        text = f"hinges separated by at most {apart:.0e} m and {tilted:.0e} rad, angles {math.degrees(beyond):.0e}° beyond their limits"
        return claim(max(apart, tilted) <= GAP and beyond <= 1e-3, f"{text}, allowed {GAP:.0e} and 0.06°")

    def _check_script(self) -> str:
        time, log = self.world.time, self.pilot.log
        done = ", ".join(f"{phase} {log[phase]:.1f} s" for phase in log)
        if self.pilot.touched or ("braked" not in log and time < TIME_LIMIT):
            return f"the claim is about the whole script; so far {done}"
        off = math.degrees(float(np.abs(self.arm.angles - HELD).max()))
        relative = self.client.angular_velocity_world - self.craft.angular_velocity_world
        rate = math.degrees(float(np.linalg.norm(relative)))
        held = self.latch.state == "hard" and self.arm.is_braked and off <= 0.1 and rate <= 1e-6
        text = (
            f"{done}; joints {off:.0e}° off the held pose, the satellite turns at {rate:.0e}°/s relative to the craft"
        )
        return claim(held and log["braked"] <= TIME_LIMIT, f"{text}, allowed {TIME_LIMIT:g} s, 0.1° and 1e-06°/s")

    def _check_flight(self) -> str:
        flight = self._flight
        if flight is None or self.world.tick_count == flight.tick:
            return "the brakes are off; the last claim is about the flight with brakes on"
        turned, moved, angle = flight.deviations()
        text = (
            f"with brakes on for {self.world.time - flight.time:.1f} s, the craft rotated by {math.degrees(angle):.2f}°"
        )
        text = f"{text}, {turned:.0e} rad and {moved:.0e} m off one rigid body"
        if self.world.game_mode or self._was_game:
            return f"{text}; in game mode nothing is claimed"
        return claim(max(turned, moved) <= flight.allowed, f"{text}, allowed {flight.allowed:.0e}")

    def _case_names(self) -> Collection[str]:
        return CASES

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        case, dt = CASES[self.case_name], self._wanted.dt
        # at the fastest pace a slow frame of 0.1 s advances the world by 2 s
        self.world = World(
            dt, integrator=integrator, game_mode=game_mode, max_ticks_per_frame=math.ceil(0.1 * FASTEST_PACE / dt)
        )
        heading = rotation.from_axis_angle((0.0, 0.0, 1.0), HEADING)
        self.craft = self.world.add_body(masses.servicer(), name="craft", orientation=heading)
        self._start_pose = self.craft.origin, self.craft.rotation_matrix
        self.arm = RobotArm(self.world, self.craft)
        self.client = add_client(self.world, self.craft, case)
        self.latch = self.world.add_joint(
            joints.Latch(
                self.arm.gripper,
                self.client,
                GRIPPER,
                FIXTURE,
                clocking=0.0,
                capture=CAPTURE,
                soft=SOFT,
                retract_time=RETRACT_TIME,
            )
        )
        self._momentum = self.world.angular_momentum()
        self._start_orientation = self.craft.orientation
        self._worst, self._was_game = (0.0, 0.0, 0.0), game_mode
        self._flight: RigidFlight | None = None
        self._trail = Trail(TRAIL_POINTS)
        self.pilot = ArmPilot(self.arm, self.client, self.latch, self._wanted.pilot)
        self.world.on_tick(self._measure, every=10)
        self.world.on_tick(self._watch_brakes)
        self.world.on_tick(self._remember, every=max(1, round(TRAIL_SPACING / dt)))

    def _measure(self, world: World) -> None:
        """Record the gaps of the hinges, and how far angles are beyond their limits."""
        apart, tilted = self.arm.gaps()
        angles, worst = self.arm.angles, self._worst
        beyond = float(np.maximum(LIMITS[:, 0] - angles, angles - LIMITS[:, 1]).max())
        self._worst = max(worst[0], apart), max(worst[1], tilted), max(worst[2], beyond)
        self._was_game |= world.game_mode

    def _watch_brakes(self, world: World) -> None:
        """Start the comparison with one rigid body when the brakes engage; end it when something moves again."""
        is_rigid = self.arm.is_braked and self.latch.state == "hard"
        if not is_rigid:
            self._flight = None
        elif self._flight is None:
            self._flight = RigidFlight(self.craft)

    def _remember(self, world: World) -> None:
        self._trail.append(self.arm.tip)

    def _turned(self) -> float:
        """Angle of the craft from its attitude at the start [degree]."""
        return math.degrees(float(rotation.angle_between(self.craft.orientation, self._start_orientation)))

    def _momentum_change(self) -> float:
        change = self.world.angular_momentum() - self._momentum
        return float(np.linalg.norm(change)) / float(np.linalg.norm(self._momentum))

    def _arrows(self, poses: dict[Body, tuple[Array, Array]]) -> list[Arrow]:
        """Σ L at the common mass centre, ω of craft and satellite, and the torques of the motors."""
        found = [
            Arrow(
                self._mass_centre(poses),
                MOMENTUM_LENGTH * self.world.angular_momentum(),
                colours.MOMENTUM,
                "Σ L",
                0.03,
                "momentum",
            )
        ]
        for body in (self.craft, self.client):
            origin, turn = poses[body]
            rate = RATE_LENGTH * (turn @ body.angular_velocity_body)
            found.append(Arrow(origin + turn @ body.center_of_mass_body, rate, colours.RATES, "ω", 0.028, "rates"))
        for joint, link, torque in zip(JOINTS, self.arm.links, self.arm.torques, strict=True):
            origin, turn = poses[link]
            found.append(
                Arrow(origin, TORQUE_LENGTH * torque * (turn @ joint.axis), colours.TORQUE, "", 0.022, "torques")
            )
        return [
            arrow for arrow in found if np.linalg.norm(arrow.vector) > (HULL if arrow.layer == "rates" else SHORTEST)
        ]

    def _mass_centre(self, poses: dict[Body, tuple[Array, Array]]) -> Array:
        """Of all bodies as they are drawn."""
        moments = [body.mass * (origin + turn @ body.center_of_mass_body) for body, (origin, turn) in poses.items()]
        return np.sum(moments, axis=0) / sum(body.mass for body in poses)

    def _lines(self, poses: dict[Body, tuple[Array, Array]]) -> list[Line]:
        """The initial pose of the craft, the path of the gripper, and before the meeting the predicted path of the fixture."""
        start, turn = self._start_pose
        lines = [Line(start + edge @ turn.T, GHOST, 1.4, behind=0.25) for edge in _edges(np.array(servicer.SIZE))]
        tip = poses[self.arm.gripper][0] + poses[self.arm.gripper][1] @ np.array(GRIPPER.position)
        lines.append(Line(self._trail.points(tip), colours.PATH, 2.0, fades=True, layer="trails", behind=0.2))
        meeting = self.pilot.meeting
        if meeting is None or self.pilot.mode != "auto" or self.latch.state != "open":
            return lines
        ahead = meeting.times > self.world.time
        now, _axes = fixture_pose(*poses[self.client])
        if ahead.sum() > 1:
            path = np.vstack([now, meeting.path[ahead]])
            lines.append(Line(path, colours.GOAL, 1.8, layer="trails", behind=0.3))
        if meeting.time > self.world.time:
            lines += _cross_hair(meeting.path[np.searchsorted(meeting.times, meeting.time)])
        return lines

    def _gauges(self) -> list[Gauge]:
        """The angle of each joint as a fraction of its limit on that side, and the torque of its motor."""
        found = []
        for joint, angle, torque in zip(JOINTS, np.degrees(self.arm.angles), self.arm.torques, strict=True):
            lower, upper = joint.limits
            chosen = self.pilot.mode == "hand" and JOINTS[self.pilot.joint] is joint
            text = f"{_signed(angle, 0)}°  {_signed(torque, 1)} N·m"
            name = f"> {joint.name}" if chosen else joint.name
            share = angle / upper if angle > 0.0 else -angle / lower
            found.append(Gauge(name, share, text, signed=True, alarm=not lower < angle < upper))
        return found

    def _status(self) -> list[str]:
        rates = [np.degrees(np.linalg.norm(body.angular_velocity_body)) for body in (self.craft, self.client)]
        point, axes = fixture_pose(self.client.origin, self.client.rotation_matrix)
        apart, angle = float(np.linalg.norm(point - self.arm.tip)), math.degrees(self.pilot.turn_to(axes)[1])
        held = {
            "open": f"gripper {apart:.2f} m and {angle:.0f}° off the fixture",
            "soft": "the latch pulls the fixture in",
            "hard": "the latch is locked",
        }[self.latch.state]
        total = float(np.linalg.norm(self.world.angular_momentum()))
        brakes = ", brakes on" if self.arm.is_braked and self.pilot.mode == "hand" else ""
        return [
            self.pilot.text + (f"; view {VIEWS[self.view]}" if self.view != "outside" else ""),
            f"Σ L {total:.6f} N·m·s, craft {rates[0]:.2f}°/s, satellite {rates[1]:.2f}°/s",
            f"{held}{brakes}",
        ]

    def _eye(self, poses: dict[Body, tuple[Array, Array]]) -> Eye | None:
        """The camera on the gripper or on the craft, or None."""
        if self.view == "outside":
            return None
        on_gripper = self.view == "gripper"
        origin, turn = poses[self.arm.gripper if on_gripper else self.craft]
        place = origin + turn @ np.array(GRIPPER_EYE if on_gripper else CRAFT_EYE)
        reach = max(float(np.linalg.norm(poses[self.client][0] - place)), 1.0)
        tilted = turn @ about_y(LOOK_DOWN if on_gripper else 0.0)
        return Eye(place, tilted[:, 0], tilted[:, 2], reach)


def _pose(body: Body) -> tuple[Array, Array]:
    """Origin and matrix of a body as it is drawn."""
    origin, orientation = body.interpolated_pose()
    return origin, rotation.to_matrix(orientation)


def _signed(value: float, digits: int) -> str:
    """A number with its sign; zero has none."""
    rounded = round(value, digits)
    return f"{rounded:+.{digits}f}".replace("-", "−") if rounded else f"{0.0:.{digits}f}"


def _edges(size: Array) -> list[Array]:
    """The twelve edges of a box about the origin, as four lines along each axis."""
    found = []
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        for first in (-0.5, 0.5):
            for second in (-0.5, 0.5):
                line = np.zeros((2, 3))
                line[:, axis] = (-0.5 * size[axis], 0.5 * size[axis])
                line[:, others] = np.array([first, second]) * size[others]
                found.append(line)
    return found


def _cross_hair(point: Array) -> list[Line]:
    """Three short lines through a point."""
    return [Line(point + np.array([-0.14 * axis, 0.14 * axis]), colours.GOAL, 2.2, behind=0.4) for axis in np.eye(3)]


def read_options(arguments: Sequence[str] | None = None) -> ArmOptions:
    """The command line of this demo."""
    reader = running.parser("arm", __doc__.partition("\n")[0], ArmOptions, dt="1/60")
    reader.add_argument("--case", choices=CASES, default="tumble", help="the satellite (default tumble)")
    reader.add_argument("--pilot", choices=MODES, default="auto", help="who moves the arm at first (default auto)")
    reader.add_argument("--view", choices=VIEWS, default="outside", help="the camera (default outside)")
    running.add_pace(reader, PACE, PACE_UNSEEN, (0.1, FASTEST_PACE))
    return reader.parse(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return running.main("arm", Arm, read_options(arguments))


def check(case: str = "tumble") -> list[str]:
    """Run the script and ten more seconds without drawing; check momentum, joints, the final pose and the motion with brakes on."""
    scene = Arm(read_options(["--headless", "--case", case]))
    while scene.world.time < min(scene.pilot.log.get("braked", TIME_LIMIT), TIME_LIMIT) + 10.0:
        scene.world.advance(FRAME)
    return scene.check()
