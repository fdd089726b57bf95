"""Simulates twenty thousand craft in one world, most of which circle a station on thrust alone.

    python -m demos swarm [--case spiral | ripples | petals] [--view inside | outside]
                          [--craft N] [--seed N] [--headless --frames N --out FILE.png]

Each craft of the wheel rotates about its fin and thrusts along its nose, which carries it around the station. Waves run through the
throttles. One force function evaluates all of them, in a few lines of numpy per tick. A twelfth of the craft drift around the wheel and
tumble with their engines off. The camera flies among them in slow motion, or looks from outside (key V). The screen shows the time per
tick, which depends on the machine.
"""

import argparse
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from . import running
from .drawing import Binding, Eye, Model, Picture, Sample, Swarm
from .physics import integrators, rotation
from .scenes import masses
from .scenes.claims import check_after, claim
from .scenes.drifters import Drifters
from .scenes.flock import Flock, Pattern
from .scenes.flock_engines import FlockEngines, flies_as_alone
from .scenes.measured_world import MeasuredWorld
from .scenes.restarting import Restarting

CRAFT, FREE_SHARE = 20_000, 1.0 / 12.0
INNER, OUTER, HALO = 62.0, 265.0, 330.0  # [m]
LAP = 60.0  # seconds a craft takes to go round at the outer edge
ACCELERATION = OUTER * (math.tau / LAP) ** 2  # [m/s²], the mean
LEAN = 0.055  # [rad], typical, between the planes of the circles
SCALE = 1.7  # the craft are drawn larger than they are, to be seen from afar
PACE_INSIDE = 0.2
"""Slow motion: among the craft, even neighbours pass by fast."""
VIEWS = ("inside", "outside")
EYE_RADIUS, EYE_HEIGHT, EYE_REACH = 176.0, 15.0, 60.0
"""Of the circle of the camera inside, its height above the plane, and the distance that it looks at [m]."""
EYE_ANGLE, EYE_LOOK, EYE_TURN, EYE_DOWN = 1.5, 3.45, 1.0, 0.13
"""Where it begins on its circle and in which direction it looks from there [rad], its turn per radian of the circle, and its slope."""
PLANET = np.array([-0.0361, -0.1699, -0.9848, 0.9135])
UP = np.array([0.0, 0.0, 1.0])
CASES = {
    "spiral": Pattern(2, 7.0, -0.10, "two arms of thrust wind through the wheel"),
    "ripples": Pattern(0, 16.0, 1.3, "rings of thrust run outwards"),
    "petals": Pattern(5, 2.5, -0.35, "five arms of thrust"),
}


@dataclass(frozen=True, kw_only=True)
class SwarmOptions(running.SceneOptions):
    """The options of this demo."""

    case: str
    craft: int
    view: str


class Crowd(Restarting):
    """The scene, with the flock, the free craft and a station at rest."""

    target, radius = np.array([0.0, 0.0, 0.0]), 112.0
    keys: ClassVar[Sequence[Binding]] = (("v", "V", "change_view", "camera inside, outside"),)

    def __init__(self, wanted: SwarmOptions) -> None:
        self._wanted, self.case_name, self.view = wanted, wanted.case, wanted.view
        self._begin(wanted.integrator, wanted.game_mode)
        self.world.time_scale = PACE_INSIDE if self.view == "inside" else 1.0

    def picture(self) -> Picture:
        """The station, and two swarms, the thrusting craft and the free ones."""
        origins, orientations = self.world.interpolated_poses()
        count = len(self.flock.radii)
        throttles = self.flock.throttles(self._drawn_time)
        swarms = [
            Swarm("dart", origins[:count], orientations[:count], SCALE, throttles),
            Swarm("dart", origins[count:], orientations[count:], SCALE),
        ]
        status = [f"{len(origins):,} bodies, {count:,} of them thrusting".replace(",", " ")]
        if self.world.tick_seconds is not None:
            took = 1e3 * self.world.tick_seconds
            status.append(f"physics {took:.2f} ms per tick, {1e6 * took / max(len(origins), 1):.0f} ns per body")
        title = f"swarm · {CASES[self.case_name].text}"
        eye = self._eye() if self.view == "inside" else None
        station = Model("station", np.zeros(3), np.eye(3))
        return Picture([station], swarms, title=title, status=status, eye=eye, planet=None if eye is None else PLANET)

    def change_view(self) -> str:
        """Look from the other place."""
        self.view = next(view for view in VIEWS if view != self.view)
        return f"camera {self.view}"

    @property
    def _drawn_time(self) -> float:
        """The time of the interpolated poses [s]."""
        return max(self.world.time - (1.0 - self.world.alpha) * self.world.dt, 0.0)

    def _eye(self) -> Eye:
        """A camera that circles with the craft around it, a little above them, and turns more slowly than it circles."""
        angle = EYE_ANGLE + math.sqrt(ACCELERATION / EYE_RADIUS) * self._drawn_time
        look = EYE_ANGLE + EYE_LOOK + EYE_TURN * (angle - EYE_ANGLE)
        forward = np.array([math.cos(look), math.sin(look), -EYE_DOWN])
        forward /= np.linalg.norm(forward)
        position = np.array([EYE_RADIUS * math.cos(angle), EYE_RADIUS * math.sin(angle), EYE_HEIGHT])
        up = UP - (UP @ forward) * forward
        return Eye(position, forward, up / np.linalg.norm(up), EYE_REACH)

    def sample(self) -> Sample:
        """Energy and angular momentum of the free craft, which should conserve both, and the rates of the first one."""
        return Sample(self.world.time, self.drifters.rates(), *self.drifters.drift())

    def check(self) -> list[str]:
        """Assert the momentum, the paths, the conservation laws of the free craft, and that each matches its solo run."""
        row = len(self.flock.radii) // 3
        alone = flies_as_alone(row, self.world, self.flock, self.engines, self._properties)
        text = f"craft {row} matches its solo run bit for bit"
        return [self._check_flock(), *self.drifters.check(), claim(alone, text)]

    def _check_flock(self) -> str:
        world, count = self.world, len(self.flock.radii)
        away = np.abs(world.state.position[:count] - self.flock.positions(world.time)).max()
        thrust = self._properties.mass * (self.flock.velocities(world.time) - self.flock.velocities(0.0)).sum(axis=0)
        gained = world.linear_momentum() - self._momentum
        off = float(np.abs(gained - thrust).max() / (self._properties.mass * count))
        # Over a tick the push turns with the craft: of second order in Ω dt, and it sums up along the way.
        turn = float(self.flock.rates.max()) * world.dt
        allowed = 1e-9 + turn ** min(world.integrator.order, 2) * OUTER * (1.0 + world.time * turn / world.dt) / 8.0
        text = f"craft off their closed form by {away:.1e} m at most, momentum off the thrust's integral by {off:.1e} m/s per craft"
        return claim(max(away, off) <= allowed, f"{text}, allowed {allowed:.1e}")

    def _case_names(self) -> Collection[str]:
        return CASES

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        random = np.random.default_rng(self._wanted.seed)
        free = round(FREE_SHARE * self._wanted.craft)
        self.flock = make_flock(self._wanted.craft - free, CASES[self.case_name], random)
        self._properties = masses.dart()
        self.world = MeasuredWorld(self._wanted.dt, integrator=integrator, game_mode=game_mode)
        self.engines = FlockEngines(self.flock, self._properties.mass, self._wanted.dt)
        self.flock.join(self.world, self._properties)
        self.drifters = Drifters(self.world, self._properties, free, HALO, random)
        self.world.add_force(self.engines)
        self._momentum = self.world.linear_momentum()


def make_flock(count: int, pattern: Pattern, random: np.random.Generator) -> Flock:
    """Craft spread over the wheel, more of them where it is wide, in slightly inclined planes."""
    radii = np.sqrt(random.uniform(INNER**2, OUTER**2, count))
    leans = np.zeros((count, 3))
    leans[:, :2] = random.normal(0.0, LEAN, (count, 2))
    planes = rotation.from_rotation_vector(leans)
    return Flock(radii, random.uniform(0.0, math.tau, count), planes, ACCELERATION, pattern)


def read_options(arguments: Sequence[str] | None = None) -> SwarmOptions:
    """The command line of this demo."""
    reader = running.parser("swarm", __doc__.partition("\n")[0], SwarmOptions)
    reader.add_argument("--case", choices=CASES, default="spiral", help="the thrust pattern (default spiral)")
    reader.add_argument("--view", choices=VIEWS, default="inside", help="where the camera is (default inside)")
    reader.add_argument("--craft", type=crowd, default=CRAFT, metavar="N", help=f"number of craft (default {CRAFT})")
    # Half the cost of the default method, and as steady in a crowd.
    reader.set_defaults(dt=1.0 / 60.0, integrator="axis-splitting-2")
    return reader.parse(arguments)


def crowd(text: str) -> int:
    """A number of craft, from 24 to a million."""
    if not (text.strip().isdecimal() and 24 <= int(text) <= 1_000_000):
        raise argparse.ArgumentTypeError(f"must be a whole number from 24 to 1000000; got {text.strip()!r}")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return running.main("swarm", Crowd, read_options(arguments))


def check(case: str = "spiral", frames: int = 300, craft: int = 2400) -> list[str]:
    """Run a case without drawing it, and check the closed forms and the conservation laws."""
    return check_after(Crowd(read_options(["--case", case, "--craft", str(craft)])), frames)
