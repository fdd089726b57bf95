"""A ship with sixteen jets and four reaction wheels turns to targets, with its wheels, with pulsed jets, or with both.

    python -m demos attitude [--case NAME] [--pace N] [--headless --frames N --out FILE.png] [--telemetry FILE.png]

A script flies the ship: half a turn on the wheels, which reach their maximum speed; the same on pulsed jets; the jets dump the momentum
that is left in the wheels; a turn with a jet that is stuck open; a turn on three wheels. Any command from the keyboard ends the script: N
selects the next target, M the next mode, W S A D Z X turn the target, J and K make a jet fail, L makes a wheel fail, V repairs everything,
and T dumps the momentum of the wheels. The green ring marks where the nose should point, and the white line where it has pointed. Violet is
the torque of the wheels, red that of the jets, amber the momentum in the wheels, and cyan the angular velocity ω, each to its own scale.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from . import running
from .drawing import Array, Arrow, Binding, Curves, Gauge, Line, Model, Picture, Sample, Trail, colours
from .physics import World, forces, integrators, rotation
from .scenes import polar_orbit
from .scenes.attitude_pilot import CASES, POINTED, AttitudePilot, Record, next_of
from .scenes.attitude_targets import TARGETS
from .scenes.claims import check_after, claim
from .scenes.restarting import Restarting
from .scenes.ship import DISH, MESH, NOSE, PROPELLANT, Ship
from .scenes.wheels_and_jets import LOW, MODES

PACE, PACE_UNSEEN = 6.0, 60.0
"""Simulated seconds per second in a window and without one."""
RATES = np.radians([0.35, -0.30, 0.25])  # body rates at the start [rad/s]
CONSERVING = ("free-rotor", "saba", "axis-splitting", "midpoint")
"""How the names of methods begin that keep the momentum of ship and wheels to rounding."""

SEEN = 2.8  # radius of what the camera frames [m]
NOSE_LENGTH, RING_DISTANCE, RING = 3.4, 3.7, 0.42  # [m]
RATE_LENGTH, TORQUE_LENGTH, THRUST_LENGTH, MOMENTUM_LENGTH = 2.8, 2.6, 2.6, 2.8  # [m] for the values below
RATE, TORQUE, THRUST, MOMENTUM = math.radians(6.0), 9.0, 90.0, 350.0  # [rad/s], [N·m], [N·m], [N·m·s]
SHORTEST, HULL = 0.3, 1.25  # of an arrow that is drawn, and of one that has a name because it comes out of the hull [m]
TRAIL_POINTS, TRAIL_SPACING = 500, 0.25  # number, [s]
FAINT = colours.faint(colours.GOAL, 0.30)
CURVES = Curves(
    ("pointing error [°]", ".3f"),
    ("torque [N·m]", ".1f"),
    120.0,
    (False, False),
    (
        ("wheel speeds [rad/s]", ("1", "2", "3", "4")),
        ("propellant used [kg]", ("",)),
    ),
)


@dataclass(frozen=True, kw_only=True)
class AttitudeOptions(running.SceneOptions):
    """The options of this demo."""

    case: str
    pace: float | None
    """Simulated seconds per second; None for the usual pace."""


class Attitude(Restarting):
    """The scene: one ship and its pilot in a polar orbit."""

    radius = SEEN
    keys: Sequence[Binding] = (
        ("n", "N", "next_target", "next target"),
        ("m", "M", "next_mode", "wheels, jets, both"),
        ("w", "W, S", "nudge x -", "target up, down"),
        ("s", "", "nudge x +", ""),
        ("a", "A, D", "nudge y +", "target left, right"),
        ("d", "", "nudge y -", ""),
        ("z", "Z, X", "nudge z -", "roll the target"),
        ("x", "", "nudge z +", ""),
        ("j", "J", "fail_jet 1", "a jet sticks open"),
        ("k", "K", "fail_jet 0", "a jet stays shut"),
        ("l", "L", "fail_wheel", "a wheel fails"),
        ("v", "V", "mend", "repair everything"),
        ("t", "T", "dump", "dump the wheels"),
    )

    def __init__(self, wanted: AttitudeOptions) -> None:
        self._dt, self.case_name = wanted.dt, wanted.case
        self._begin(wanted.integrator, wanted.game_mode)
        self.world.time_scale = wanted.pace or (PACE_UNSEEN if wanted.headless else PACE)

    @property
    def target(self) -> Array:
        """The ship as it is drawn."""
        return self.ship.body.interpolated_pose()[0]

    # orders from the keyboard

    def next_target(self) -> str:
        """Turn to the next named attitude."""
        self.pilot.flies_script = False
        self.pilot.set_target(next_of(list(TARGETS), self.pilot.target))
        return f"target: {self.pilot.target}"

    def next_mode(self) -> str:
        """Work with wheels, jets or both."""
        self.pilot.flies_script = False
        self.pilot.set_mode(next_of(MODES, self.pilot.actuators.mode))
        return f"mode: {self.pilot.actuators.mode}"

    def nudge(self, axis: str, sign: str) -> str:
        """Turn the target about an axis of the ship."""
        self.pilot.flies_script = False
        self.pilot.nudge([float(name == axis) for name in "xyz"], float(f"{sign}1"))
        return f"target turned by {sign.replace('-', '−')}10° about {axis}"

    def fail_jet(self, level: str) -> str:
        """The next jet is stuck open or shut."""
        self.pilot.flies_script = False
        name = self.pilot.fail_next_jet(float(level))
        return f"jet {name} is stuck {'open' if float(level) else 'shut'}" if name else "two jets have failed already"

    def fail_wheel(self) -> str:
        """A wheel fails."""
        self.pilot.flies_script = False
        if self.pilot.lost_wheels:
            return f"wheel {self.pilot.lost_wheels[0]} has failed already; three are needed"
        self.pilot.fail_wheel(1)
        return "wheel 2 has failed"

    def mend(self) -> str:
        """Everything works again."""
        self.pilot.flies_script = False
        self.pilot.mend()
        return "all jets and wheels work"

    def dump(self) -> str:
        """The jets take the momentum out of the wheels."""
        self.pilot.flies_script = False
        self.pilot.set_mode("both")
        self.pilot.actuators.dump()
        return "the jets dump the momentum of the wheels"

    # what is seen

    def picture(self) -> Picture:
        """The ship with its plumes, where its nose shall point and has pointed, and the vectors."""
        origin, orientation = self.ship.body.interpolated_pose()
        turn, axes = rotation.to_matrix(orientation), polar_orbit.orbital_axes(origin)
        levels = self.ship.levels(self.pilot.actuators.shares)
        tip = NOSE_LENGTH * turn[:, 2]
        return Picture(
            [Model(MESH, origin, turn)],
            plumes=self.ship.plumes(origin, turn, np.sqrt(levels)),  # a short pulse is bright, too
            arrows=self._arrows(origin, turn),
            lines=[
                Line(self._trail.points(tip) + origin, colours.PATH, 2.2, fades=True, layer="trails"),
                *self._goal(origin),
            ],
            lamps=self.ship.lamps(levels),
            gauges=self._gauges(),
            title=f"attitude · {self.pilot.text}",
            status=self._status(),
            camera_axes=axes,
            planet=polar_orbit.backdrop(origin),
        )

    def sample(self) -> Sample:
        """Error, torque, speeds of the wheels and propellant."""
        body, speeds = self.ship.body, tuple(wheel.speed for wheel in self.ship.wheels)
        more = (*speeds, self.ship.propellant_used)
        error = math.degrees(self.pilot.error_angle)
        torque = float(np.linalg.norm(self.pilot.actuators.torque_of_wheels + self.pilot.actuators.torque_of_jets))
        return Sample(self.world.time, body.angular_velocity_body, error, torque, CURVES, more)

    def check(self) -> list[str]:
        """Assert that each leg has reached its target in time, kept the momentum on wheels, and burned what its impulse says."""
        self.pilot.note()
        time, ship = self.world.time, self.ship
        used, expected = ship.propellant_used, ship.propellant_of_impulse
        found = [
            claim(
                abs(used - expected) <= 1e-9 * max(expected, 1.0),
                f"propellant {used:.6f} kg, Σ impulse/(g₀ Isp) is {expected:.6f} kg, difference {used - expected:+.0e} kg",
            )
        ]
        for record in self.pilot.records:
            if time >= record.start_time + record.leg.seconds - 1e-9:
                found += self._check_leg(record)
        return found if len(found) > 1 else [*found, "no leg is complete; the other claims are about complete legs"]

    def _check_leg(self, record: Record) -> list[str]:
        leg = record.leg
        reached = "not" if record.reached is None else f"after {record.reached:.1f} s of {leg.seconds:g} s"
        text = f"{leg.text}: within 0.1° {reached}, {math.degrees(record.last):.4f}° at the end, {record.used:.3f} kg"
        found = [claim(record.reached is not None and record.last <= POINTED, text)]
        if leg.mode == "wheels":
            kept = f"momentum of ship and wheels changed by {record.drift:.0e} of all of it"
            exact = self.world.integrator.name.startswith(CONSERVING) and not self.world.game_mode
            found.append(claim(not exact or record.drift <= 1e-10, f"{kept}, allowed 1e-10" if exact else kept))
        if leg.dumps:
            before, after = record.wheel_momentum
            found.append(claim(after <= LOW, f"wheels dumped from {before:.1f} to {after:.1f} N·m·s, allowed {LOW:g}"))
        return found

    def _case_names(self) -> Collection[str]:
        return CASES

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        # at the fastest pace a slow frame of 0.1 s advances the world by 5 s
        most = math.ceil(5.0 / self._dt)
        self.world = World(self._dt, integrator=integrator, game_mode=game_mode, max_ticks_per_frame=most)
        start = _Start()
        self.ship = Ship(
            self.world,
            position=start.position,
            velocity=start.velocity,
            orientation=TARGETS["forward"].at(0.0, start).orientation,
            angular_velocity_body=RATES,
        )
        self.world.add_force(forces.PointGravity(polar_orbit.GM))
        self.pilot = AttitudePilot(self.world, self.ship, CASES[self.case_name])
        self._trail = Trail(TRAIL_POINTS)
        self.world.on_tick(self._remember, every=max(1, round(TRAIL_SPACING / self._dt)))

    def _remember(self, world: World) -> None:
        self._trail.append(NOSE_LENGTH * self.ship.body.direction_to_world(NOSE))

    def _arrows(self, origin: Array, turn: Array) -> list[Arrow]:
        """The nose, ω, the torques of wheels and jets, and the momentum in the wheels."""
        body, actuators = self.ship.body, self.pilot.actuators
        centre = origin + turn @ body.center_of_mass_body

        def of(vector_body: Array, length: float, whole: float) -> Array:
            return turn @ vector_body * (length / whole)

        found = [
            Arrow(centre, of(np.array(NOSE), NOSE_LENGTH, 1.0), colours.PATH, "", 0.022, "body axes"),
            Arrow(centre, of(body.angular_velocity_body, RATE_LENGTH, RATE), colours.RATES, "ω", 0.034, "rates"),
            Arrow(
                centre,
                of(body.stored_momentum_body, MOMENTUM_LENGTH, MOMENTUM),
                colours.MOMENTUM,
                "h",
                0.034,
                "momentum",
            ),
            Arrow(
                centre,
                of(actuators.torque_of_wheels, TORQUE_LENGTH, TORQUE),
                colours.TORQUE,
                "wheels",
                0.034,
                "torques",
            ),
            Arrow(centre, of(actuators.torque_of_jets, THRUST_LENGTH, THRUST), colours.THRUST, "jets", 0.034, "thrust"),
        ]
        sizes = [float(np.linalg.norm(arrow.vector)) for arrow in found]
        named = [replace(arrow, label=arrow.label * (size > HULL)) for arrow, size in zip(found, sizes, strict=True)]
        return [arrow for arrow, size in zip(named, sizes, strict=True) if size > SHORTEST]

    def _goal(self, origin: Array) -> list[Line]:
        """A ring where the nose shall point, with a mark on the side where the dish shall be, and a line to it."""
        wanted = self.pilot.wanted().orientation
        nose, dish = (rotation.rotate(wanted, np.array(axis)) for axis in (NOSE, DISH))
        across, middle = np.cross(dish, nose), origin + RING_DISTANCE * nose
        around = np.linspace(0.0, math.tau, 61)[:, np.newaxis]
        ring = middle + RING * (np.cos(around) * across + np.sin(around) * dish)
        marks = [(dish, 1.0, 1.7), (-dish, 1.0, 1.25), (across, 1.0, 1.25), (-across, 1.0, 1.25)]
        return [
            Line(ring, colours.GOAL, 2.4, behind=0.35),
            *(
                Line(middle + RING * np.array([a * way, b * way]), colours.GOAL, 2.4, behind=0.35)
                for way, a, b in marks
            ),
            Line(np.array([origin + 0.62 * RING_DISTANCE * nose, middle]), FAINT, 1.6, behind=0.5),
        ]

    def _gauges(self) -> list[Gauge]:
        found = []
        for number, wheel in enumerate(self.ship.wheels, 1):
            share, failed = wheel.speed / wheel.max_speed, not wheel.enabled
            speed = f"{round(wheel.speed):+d} rad/s".replace("-", "−")
            text = f"{speed} failed" if failed else f"{speed} full" if abs(share) > 0.98 else speed
            found.append(Gauge(f"wheel {number}", share, text, signed=True, alarm=failed or abs(share) > 0.98))
        left = self.ship.tank.propellant
        return [*found, Gauge("propellant", left / PROPELLANT, f"{left:.2f} kg", alarm=left < 0.1 * PROPELLANT)]

    def _status(self) -> list[str]:
        pilot = self.pilot
        failures = [f"jet {name} stuck {'open' if level else 'shut'}" for name, level in pilot.stuck_jets]
        failures += [f"wheel {number} failed" for number in pilot.lost_wheels]
        lines = [
            f"mode {pilot.actuators.mode}, target {pilot.target}",
            f"wheels {np.linalg.norm(pilot.actuators.torque_of_wheels):.1f} N·m, "
            f"jets {np.linalg.norm(pilot.actuators.torque_of_jets):.1f} N·m, "
            f"in the wheels {self.ship.wheel_momentum:.1f} N·m·s" + (", dumping" if pilot.actuators.dumping else ""),
        ]
        return [*lines, *([", ".join(failures)] if failures else [])]


class _Start:
    """Where the ship begins."""

    position, velocity = polar_orbit.place(0.0), polar_orbit.velocity(0.0)


def read_options(arguments: Sequence[str] | None = None) -> AttitudeOptions:
    """The command line of this demo."""
    reader = running.parser("attitude", __doc__.partition("\n")[0], AttitudeOptions, dt="1/20")
    reader.add_argument(
        "--case", choices=CASES, default="script", help="the whole script, or half a turn in one mode (default script)"
    )
    running.add_pace(reader, PACE, PACE_UNSEEN, (0.25, PACE_UNSEEN))
    return reader.parse(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return running.main("attitude", Attitude, read_options(arguments))


def check(case: str = "script", frames: int = 601) -> list[str]:
    """Run a case without drawing it, and check pointing, momentum, propellant and desaturation."""
    return check_after(Attitude(read_options(["--headless", "--case", case])), frames)
