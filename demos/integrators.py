"""Compares seven methods and game mode side by side on one tumbling ship: what each conserves, and for how long.

    python -m demos integrators [--integrator NAME] [--dt SECONDS] [--headless --frames N --out FILE.png]

All ships start with the same state, and no torque acts. The ticks are long, a quarter of a radian each, so that errors appear within half a
minute instead of an hour. Pale lines show the correct attitude of nose and wings. The amber arrow is the computed angular momentum, and the
pale line under it the correct one. The first ship is yours: keys and options choose its method.
"""

from collections.abc import Sequence

import numpy as np

from .drawing import FIRST_RIGHT, Array, Arrow, Caption, Line, Model, Picture, Sample, colours
from .physics import World, integrators, rotation
from .running import application, options
from .scenes import error_words
from .scenes.claims import check_after
from .scenes.fleet import NOSE, SPEED, Errors, Fleet, Ship, places
from .scenes.restarting import Restarting

COLUMNS, ACROSS, DOWN = 4, 11.6, 12.4  # of the ships' places [m]
NOSE_LENGTH, WING, MOMENTUM_LENGTH = float(NOSE[2]), 5.3, 4.6  # lengths drawn [m]
CAPTION = np.array([0.0, 0.0, -3.9])  # from a ship's middle [m]
PALE = colours.faint(colours.GOAL, 0.5)


class Integrators(Restarting):
    """The scene, with eight worlds that step together and a ninth world for the reference solution."""

    target, radius = np.array([0.0, 0.0, 2.6]), 11.2

    def __init__(self, wanted: options.SceneOptions) -> None:
        self._dt, self._places = wanted.dt, places(COLUMNS, ACROSS, DOWN, FIRST_RIGHT)
        self._begin(wanted.integrator, wanted.game_mode)

    def picture(self) -> Picture:
        """All ships, each in its place, over the reference solution."""
        models, arrows, lines, captions = [], [], [], []
        alpha, scale = self.world.alpha, MOMENTUM_LENGTH / float(np.linalg.norm(self.fleet.momentum_world))
        true_turn = rotation.to_matrix(self.fleet.truth.interpolated_pose(alpha)[1])
        for ship, place in zip(self.fleet.ships, self._places, strict=True):
            turn, found = rotation.to_matrix(ship.body.interpolated_pose(alpha)[1]), self.fleet.errors(ship)
            colour = colours.PATH
            momentum = turn @ ship.body.inertia_body @ ship.body.angular_velocity_body
            models.append(Model("spacecraft", place, turn))
            arrows.append(Arrow(place, scale * momentum, colours.MOMENTUM, "", 0.07, "momentum"))
            lines += self._where_it_belongs(place, true_turn, scale)
            lines.append(Line(place + ship.trail.points(turn @ NOSE), colour, 2.0, fades=True, layer="trails"))
            captions.append(Caption(place + CAPTION, self._words(ship, found), colour))
        title = f"integrators · {SPEED * self._dt:.2g} rad per tick: which methods conserve energy and momentum?"
        return Picture(models, arrows=arrows, lines=lines, captions=captions, title=title)

    def sample(self) -> Sample:
        """The sample of the first ship, which is yours."""
        yours = self.fleet.ships[0]
        found = self.fleet.errors(yours)
        return Sample(self.world.time, yours.body.angular_velocity_body, found.energy, found.momentum)

    def check(self) -> list[str]:
        """Assert that the error of each method is within its order, and that it conserves what it should."""
        return [self.fleet.check(ship) for ship in self.fleet.ships]

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        self.world = World(self._dt, integrator=integrator, game_mode=game_mode)
        self.fleet = Fleet(self.world)

    def _where_it_belongs(self, place: Array, true_turn: Array, scale: float) -> list[Line]:
        momentum = scale * np.array([np.zeros(3), 1.2 * self.fleet.momentum_world])
        return [
            Line(place + momentum, PALE, 1.6, layer="momentum"),
            Line(place + np.outer((2.1, 1.3 * NOSE_LENGTH), true_turn[:, 2]), PALE, 2.2),
            Line(place + np.outer((-1.12 * WING, 1.12 * WING), true_turn[:, 0]), PALE, 1.6),
        ]

    def _words(self, ship: Ship, found: Errors) -> list[str]:
        name, integrator = ship.name, ship.body.world.integrator
        if name == "yours":
            name = f"yours: {integrator.name}{', game mode' * self.world.game_mode}"
        energy, momentum = error_words.share(found.energy), error_words.share(found.momentum)
        return [name, f"attitude {error_words.angle(found.attitude)}", f"energy {energy}   L {momentum}"]


def read_options(arguments: Sequence[str] | None = None) -> options.SceneOptions:
    """The command line of this demo."""
    reader = options.parser("integrators", __doc__.partition("\n")[0], options.SceneOptions)
    reader.set_defaults(dt=0.1)
    return reader.parse(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return application.main("integrators", Integrators, read_options(arguments))


def check(frames: int = 1800) -> list[str]:
    """Run all methods without drawing, and check that each conserves what it should."""
    return check_after(Integrators(read_options([])), frames)
