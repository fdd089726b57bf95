"""The pilot of the demo `attitude`: a control loop, the attitude it is to reach, failures, and a script that flies by itself."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..drawing import Array
from ..physics import World, flight
from .attitude_targets import NUDGE, TARGETS, Turned
from .ship import JET_NAMES, Ship
from .wheels_and_jets import WheelsAndJets

PERIOD = 0.25  # between two samples of the loop [s]
NOTED = 4
"""Samples of the loop between two notes of how a leg goes."""
POINTED = math.radians(0.1)
"""The attitude is reached where the error is below this angle and stays below it [rad]."""
NOTICED = 3.0
"""Time after which the pilot knows of a jet that is stuck [s]."""
LINEAR_ERROR = 0.05
"""Error from which on the approach is linear, at half the torque [rad]."""
FASTEST = 0.2 / PERIOD
"""The bandwidth of the law, at most [rad/s], because it is sampled."""


@dataclass(frozen=True)
class Leg:
    """One part of a script."""

    seconds: float
    """How long it takes [s]; the attitude must be reached in this time."""
    mode: str
    target: str
    text: str
    dumps: bool = False
    """Whether the wheels give up their momentum."""
    stuck_jet: tuple[str, float] | None = None
    """Name and level of a jet that gets stuck when the leg begins; it is mended when the leg ends."""
    lost_wheel: int | None = None
    """Number of a wheel that fails when the leg begins."""


@dataclass
class Record:
    """What came of a leg so far."""

    leg: Leg
    start_time: float
    momentum: Array
    """Angular momentum of ship and wheels when it began, or when a jet last fired [N·m·s], world frame."""
    scale: float
    """With which changes of the momentum are compared [N·m·s]."""
    impulse: float
    """Of all jets until then [N·s]."""
    propellant: float
    """Used before it began [kg]."""
    wheel_momentum: tuple[float, float]
    """Of all wheels at its start, and at the last sample [N·m·s]."""
    reached: float | None = None
    """Time from its start to the reached attitude [s]; None while the error is too large."""
    drift: float = 0.0
    """Largest change of the angular momentum while no jet fired, over `scale`."""
    wheels_full: bool = False
    used: float = 0.0
    """Propellant used in it [kg]."""
    last: float = field(default=math.inf)
    """Error at the last sample [rad]."""


MOST_STUCK = 2
"""Of the jets, at one time; the others can then still turn the ship about every axis."""
FAILING = ("left 1", "fore 2", "aft 4")
"""The jets that fail by hand, in this order."""

SLEW = "half a turn"
SCRIPT = (
    Leg(170.0, "wheels", "backward", f"{SLEW} on four wheels"),
    Leg(75.0, "jets", "forward", f"{SLEW} back, on pulsed jets"),
    Leg(75.0, "both", "forward", "the jets dump the momentum of the wheels", dumps=True),
    Leg(100.0, "jets", "Earth", "a jet is stuck open; the others compensate for it", stuck_jet=("left 1", 1.0)),
    Leg(180.0, "wheels", "sun", "a wheel has failed; three are left", lost_wheel=2),
)
CASES: dict[str, tuple[Leg, ...]] = {
    "script": SCRIPT,
    **{
        mode: (Leg(leg.seconds, mode, "backward", f"{SLEW}, {words}"),)
        for mode, leg, words in (
            ("wheels", SCRIPT[0], "on four wheels"),
            ("jets", SCRIPT[1], "on pulsed jets"),
            ("both", SCRIPT[1], "on wheels and jets"),
        )
    },
}
"""The script, and half a turn in each mode."""


class AttitudePilot:
    """Holds the ship at its target by a control loop; follows a script until somebody gives an order."""

    def __init__(self, world: World, ship: Ship, script: Sequence[Leg]) -> None:
        """Add a control loop to a world.

        Args:
            world: The world of the ship.
            ship: The ship.
            script: The legs to fly.
        """
        self.ship, self.script, self.flies_script = ship, tuple(script), True
        self.ticks = max(1, round(PERIOD / world.dt))
        self.actuators = WheelsAndJets(ship, self.ticks * world.dt, script[0].mode)
        self.target = script[0].target
        self.aim = Turned(TARGETS[self.target])
        self.records: list[Record] = []
        self._world, self._unnoticed = world, list[tuple[float, int, float]]()
        world.on_tick(self._watch, every=self.ticks)
        self.loop = world.add_part(
            flight.Controlled(ship.body, self._law(), self.aim, self.actuators, every=self.ticks)
        )

    # orders, of the script and of the keyboard

    def set_mode(self, mode: str) -> None:
        """Work with wheels, jets or both."""
        self.actuators.mode = mode
        self._tune()

    def set_target(self, name: str) -> None:
        """Turn to one of the named attitudes."""
        self.target = name
        self._follow(Turned(TARGETS[name]))

    def nudge(self, axis: Sequence[float], sign: float = 1.0) -> None:
        """Turn the target by 10° about an axis of the ship."""
        self._follow(self.aim.nudged(axis, sign * NUDGE))

    def fail_jet(self, number: int, level: float) -> None:
        """A jet is stuck at a level from now on; the controller learns of it three seconds later."""
        levels = self.ship.jets.stuck.copy()
        levels[number] = level
        self.ship.jets.stuck = levels
        self._unnoticed.append((self._world.time + NOTICED, number, level))

    def fail_next_jet(self, level: float) -> str:
        """Another jet, on the next quad, is stuck at a level; returns its name, or nothing if two have failed already."""
        stuck = self.stuck_jets
        if len(stuck) >= MOST_STUCK:
            return ""
        names = [name for name in FAILING if name not in dict(stuck)]
        self.fail_jet(JET_NAMES.index(names[0]), level)
        return names[0]

    def fail_wheel(self, number: int) -> None:
        """The motor of a wheel fails; the wheel goes on turning freely."""
        self.ship.wheels[number].enabled = False
        self._tune()

    def mend(self) -> None:
        """Everything works again."""
        self.ship.jets.stuck = None
        for wheel in self.ship.wheels:
            wheel.enabled = True
        self._unnoticed.clear()
        self.actuators.trust_jets()
        self._tune()

    # readings

    @property
    def error_angle(self) -> float:
        """Angle between the attitude and the target [rad]."""
        return _angle(self.ship.body.orientation, self.wanted().orientation)

    @property
    def text(self) -> str:
        """What the ship is doing."""
        return self.records[-1].leg.text if self.flies_script and self.records else "by hand"

    @property
    def stuck_jets(self) -> list[tuple[str, float]]:
        """Names and levels of the jets that are stuck."""
        stuck = self.ship.jets.stuck.tolist()
        return [(name, level) for name, level in zip(JET_NAMES, stuck, strict=True) if level == level]

    @property
    def lost_wheels(self) -> list[int]:
        """Numbers of the wheels that have failed, from 1."""
        return [number for number, wheel in enumerate(self.ship.wheels, 1) if not wheel.enabled]

    def wanted(self) -> flight.Reference:
        """The attitude that is wanted now."""
        return self.aim.at(self._world.time, self.ship.body)

    # inside

    def _watch(self, world: World) -> None:
        """Before each sample: note how the leg goes, begin the next one, leave out the jets that were found to be stuck."""
        is_due = self.flies_script and self._is_due(world.time)
        if is_due or world.tick_count % (NOTED * self.ticks) == 0:
            self.note()
        if is_due:
            self._begin(self.script[len(self.records)])
        while self._unnoticed and self._unnoticed[0][0] <= world.time:
            _, number, level = self._unnoticed.pop(0)
            self.actuators.lose_jet(number, level)
            self._tune()

    def note(self) -> None:
        """Note how the present leg goes."""
        if not (self.flies_script and self.records):
            return
        record, body = self.records[-1], self.ship.body
        elapsed = self._world.time - record.start_time
        record.last = self.error_angle
        if record.last > POINTED:
            record.reached = None
        elif record.reached is None:
            record.reached = elapsed
        if record.impulse != self.ship.impulse:
            record.momentum, record.scale = body.angular_momentum_world, self.ship.momentum_scale
            record.impulse = self.ship.impulse
        change = float(np.linalg.norm(body.angular_momentum_world - record.momentum))
        record.drift = max(record.drift, change / record.scale)
        record.wheel_momentum = record.wheel_momentum[0], self.ship.wheel_momentum
        record.wheels_full |= self.actuators.full
        record.used = self.ship.propellant_used - record.propellant

    def _is_due(self, time: float) -> bool:
        """Whether the next leg begins now."""
        begun = len(self.records)
        return begun < len(self.script) and time >= sum(leg.seconds for leg in self.script[:begun]) - 1e-9

    def _begin(self, leg: Leg) -> None:
        ship = self.ship
        if self.records and self.records[-1].leg.stuck_jet:
            self.mend()
        self.set_mode(leg.mode)
        self.set_target(leg.target)
        if leg.dumps:
            self.actuators.dump()
        if leg.stuck_jet:
            self.fail_jet(JET_NAMES.index(leg.stuck_jet[0]), leg.stuck_jet[1])
        if leg.lost_wheel is not None:
            self.fail_wheel(leg.lost_wheel)
        self.records.append(
            Record(
                leg,
                self._world.time,
                ship.body.angular_momentum_world,
                ship.momentum_scale,
                ship.impulse,
                ship.propellant_used,
                (ship.wheel_momentum, ship.wheel_momentum),
            )
        )

    def _follow(self, aim: Turned) -> None:
        self.aim = self.loop.reference = aim

    def _tune(self) -> None:
        self.loop.law = self._law()

    def _law(self) -> Any:
        """A law whose gains follow from the torque of the present mode."""
        inertia, torque = self.ship.body.inertia_body, self.actuators.max_torque
        acceleration = float((0.5 * torque / np.abs(inertia).sum(axis=1)).min())
        bandwidth = min(math.sqrt(4.0 * acceleration / LINEAR_ERROR), FASTEST)
        return flight.control.QuaternionPD.tuned(inertia, torque, bandwidth)


def _angle(one: Array, other: Array) -> float:
    """Angle between two attitudes [rad]."""
    vector = one[3] * other[:3] - other[3] * one[:3] - np.cross(one[:3], other[:3])
    return 2.0 * math.atan2(float(np.linalg.norm(vector)), abs(float(one @ other)))


def next_of(names: Sequence[str], present: str) -> str:
    """The name after the current one, and after the last the first."""
    return names[(list(names).index(present) + 1) % len(names)]
