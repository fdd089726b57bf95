"""Compares seven methods and game mode side by side on one tumbling ship: what each conserves, and for how long.

    python -m demos integrators [--case common | second] [--integrator NAME] [--dt SECONDS] [--headless --frames N --out FILE.png]

All ships start with the same state, and no torque acts. The ticks are long, a quarter of a radian each, so that errors appear within half a
minute instead of an hour. Four ships are shown at a time, each over a translucent ship that moves exactly. The amber arrow is the computed
angular momentum, and the green line under it the correct one. The bars show the errors on a logarithmic scale. The first ship is yours:
keys and options choose its method.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from . import running
from .drawing import FIRST_RIGHT, Array, Arrow, Caption, Gauge, Line, Model, Picture, Sample, colours
from .physics import World, integrators, rotation
from .scenes import error_words
from .scenes.claims import check_after
from .scenes.fleet import NOSE, SPEED, Fleet, Ship, places
from .scenes.restarting import Restarting

COLUMNS, ACROSS, DOWN = 2, 22.6, 12.4  # of the ships' places [m]
ASIDE, BESIDE, ABOVE = (
    -5.4,
    10.4,
    3.4,
)  # from the middle of a place to the ship, and from there to the top of its words [m]
BELOW = np.array([0.0, 0.0, -11.6])  # from the middle of the picture to the words below it [m]
MOMENTUM_LENGTH = 4.9  # as it is drawn [m]
PALE = colours.faint(colours.GOAL, 0.8)
GHOST = 0.38
"""Opacity of the ships that move exactly."""
SHRUNK = 0.985
"""Their size, by which they are hidden where they meet the other ship."""
CASES = {
    "common": ("rk4", "semi-implicit-euler", "game mode"),
    "second": ("axis-splitting-2", "predictor-corrector", "midpoint"),
}
"""What is shown beside your ship."""
LEAST_ANGLE, LEAST_CHANGE = 1e-6, 1e-12
"""Errors at which the bars begin [rad], relative; they end at half a turn and at 1."""


@dataclass(frozen=True, kw_only=True)
class IntegratorsOptions(running.SceneOptions):
    """The options of this demo."""

    case: str


class Integrators(Restarting):
    """The scene, with eight worlds that step together and a ninth world for the reference solution."""

    target, radius, wide = np.array([0.0, 0.0, 0.9]), 8.1, 16.0 / 9.0

    def __init__(self, wanted: IntegratorsOptions) -> None:
        self._dt, self.case_name = wanted.dt, wanted.case
        self._places = [place + ASIDE * FIRST_RIGHT for place in places(COLUMNS, ACROSS, DOWN, FIRST_RIGHT)]
        self._begin(wanted.integrator, wanted.game_mode)

    def picture(self) -> Picture:
        """Four ships, each in its place, over the reference solution."""
        models, arrows, lines, captions = [], [], [], []
        alpha, scale = self.world.alpha, MOMENTUM_LENGTH / float(np.linalg.norm(self.fleet.momentum_world))
        true_turn = rotation.to_matrix(self.fleet.truth.interpolated_pose(alpha)[1])
        for ship, place in zip(self.shown(), self._places, strict=True):
            turn = rotation.to_matrix(ship.body.interpolated_pose(alpha)[1])
            momentum = turn @ ship.body.inertia_body @ ship.body.angular_velocity_body
            models += [Model("spacecraft", place, turn), Model("spacecraft", place, SHRUNK * true_turn, opacity=GHOST)]
            arrows.append(Arrow(place, scale * momentum, colours.MOMENTUM, "", 0.07, "momentum"))
            right = scale * np.array([np.zeros(3), 1.15 * self.fleet.momentum_world])
            lines.append(Line(place + right, PALE, 2.2, layer="momentum"))
            lines.append(Line(place + ship.trail.points(turn @ NOSE), colours.PATH, 2.0, fades=True, layer="trails"))
            captions.append(self._caption(ship, place))
        words = ["errors on a logarithmic scale; translucent: the exact motion"]
        captions.append(Caption(self.target + BELOW, words, colours.WORDS, scale=1.7))
        title = f"integrators · {SPEED * self._dt:.2g} rad per tick: which methods conserve energy and momentum?"
        return Picture(models, arrows=arrows, lines=lines, captions=captions, title=title)

    def shown(self) -> list[Ship]:
        """Yours and those of the case."""
        ships = {ship.name: ship for ship in self.fleet.ships}
        return [ships[name] for name in ("yours", *CASES[self.case_name])]

    def sample(self) -> Sample:
        """The sample of the first ship, which is yours."""
        yours = self.fleet.ships[0]
        found = self.fleet.errors(yours)
        return Sample(self.world.time, yours.body.angular_velocity_body, found.energy, found.momentum)

    def check(self) -> list[str]:
        """Assert that the error of each method is within its order, and that it conserves what it should."""
        return [self.fleet.check(ship) for ship in self.fleet.ships]

    def _case_names(self) -> Collection[str]:
        return CASES

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        self.world = World(self._dt, integrator=integrator, game_mode=game_mode)
        self.fleet = Fleet(self.world)

    def _caption(self, ship: Ship, place: Array) -> Caption:
        """Name and errors of a ship, to its right."""
        name, found = ship.name, self.fleet.errors(ship)
        if name == "yours":
            name = f"{ship.body.world.integrator.name}{', game mode' * self.world.game_mode}"
        changes = (("energy", found.energy), ("L", found.momentum))
        bars = [
            Gauge("angle", share(found.attitude, LEAST_ANGLE, math.pi), error_words.angle(found.attitude)),
            *(Gauge(what, share(value, LEAST_CHANGE, 1.0), error_words.share(value)) for what, value in changes),
        ]
        at = place + BESIDE * FIRST_RIGHT + ABOVE * np.array([0.0, 0.0, 1.0])
        return Caption(at, [name], colours.WORDS, gauges=bars, scale=2.0)


def share(error: float, least: float, most: float) -> float:
    """Length of the bar of an error on a logarithmic scale, 0 to 1."""
    return min(max(math.log(max(abs(error), 1e-300) / least) / math.log(most / least), 0.0), 1.0)


def read_options(arguments: Sequence[str] | None = None) -> IntegratorsOptions:
    """The command line of this demo."""
    reader = running.parser("integrators", __doc__.partition("\n")[0], IntegratorsOptions)
    reader.add_argument("--case", choices=CASES, default="common", help="the methods beside yours (default common)")
    reader.set_defaults(dt=0.1)
    return reader.parse(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return running.main("integrators", Integrators, read_options(arguments))


def check(frames: int = 1800) -> list[str]:
    """Run all methods without drawing, and check that each conserves what it should."""
    return check_after(Integrators(read_options([])), frames)
