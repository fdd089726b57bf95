"""One tumbling ship, flown by seven methods and in game mode side by side: which of them keeps what, and for how long.

    python -m demos integrators [--integrator NAME] [--dt SECONDS] [--headless --frames N --out FILE.png]

Every ship starts alike and no torque acts. The ticks are long, a quarter of a radian each, so that half a minute shows what a shorter tick
would hide for an hour. Pale lines: where the nose and the wings belong. Amber: the angular momentum each ship has made of its own, on the
pale one that nothing should change. The first ship is yours: keys and options choose its method.
"""

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demos.viewer import application, masses, options
from demos.viewer.claims import claim
from demos.viewer.free_body import upright
from demos.viewer.scene import Array, Arrow, Caption, Colour, Line, Model, Picture, Sample
from demos.viewer.trail import Trail
from engine import Body, World, integrators, rotation

RATES = (0.15, 0.25, 2.4)  # [rad/s]; about the middle axis: it flips
SPEED = float(np.linalg.norm(RATES))  # at the start [rad/s]
METHODS = ("axis-splitting-2", "rk4", "predictor-corrector", "midpoint", "semi-implicit-euler", "implicit-gyro-euler")
TRUTH_STEPS = 256
"""Steps of the truth in a tick: RK4 errs there by less than 1e-8 rad in a minute."""
COLUMNS, ACROSS, DOWN = 4, 11.6, 12.4  # of the ships' places [m]
NOSE, WING, MOMENTUM_LENGTH = 3.2, 5.3, 4.6  # lengths drawn [m]
GOOD, FAIR, BAD = (0.40, 1.0, 0.50, 1.0), (1.0, 0.74, 0.22, 1.0), (1.0, 0.44, 0.36, 1.0)
AMBER: Colour = (1.0, 0.66, 0.16, 1.0)
PALE: Colour = (0.85, 0.92, 1.0, 0.42)
TRAIL_POINTS = 100
SIDEWAYS = np.array([-math.sin(math.radians(38.0)), math.cos(math.radians(38.0)), 0.0])
"""Right as the camera first looks."""


@dataclass(frozen=True)
class Errors:
    """How far a ship is from the truth, now."""

    attitude: float
    """[rad]"""
    energy: float
    """Relative."""
    momentum: float
    """Length of the change of L over L's."""


@dataclass(frozen=True)
class Ship:
    """One body in a world of its own."""

    name: str
    body: Body
    place: Array
    """Where it is drawn [m]."""
    trail: Trail


class Integrators:
    """The scene: eight worlds in step with the first, and a ninth that knows the truth."""

    rewinds = True
    target, radius = np.array([0.0, 0.0, 2.6]), 11.2

    def __init__(self, wanted: argparse.Namespace) -> None:
        self._dt = wanted.dt
        self._begin(wanted.integrator, wanted.game_mode)

    def reset(self) -> None:
        """Start all together again; the first keeps the integrator, game mode and pace chosen since."""
        old = self.world
        self._begin(old.integrator, old.game_mode)
        self.world.paused, self.world.time_scale = old.paused, old.time_scale

    def next_case(self) -> None:
        """There is one case: begin it again."""
        self.reset()

    def errors(self, ship: Ship) -> Errors:
        """Of one ship, at the last tick."""
        momentum = ship.body.angular_momentum_world - self._momentum_world
        return Errors(
            float(rotation.angle_between(ship.body.orientation, self.truth.orientation)),
            ship.body.kinetic_energy() / self._energy - 1.0,
            float(np.linalg.norm(momentum) / np.linalg.norm(self._momentum_world)),
        )

    def picture(self) -> Picture:
        """All ships, each in its place, over the truth."""
        models, arrows, lines, captions = [], [], [], []
        true_turn = rotation.to_matrix(self.truth.interpolated_pose(self.world.alpha)[1])
        for ship in self.ships:
            turn = rotation.to_matrix(ship.body.interpolated_pose(self.world.alpha)[1])
            found, place = self.errors(ship), ship.place
            colour = _colour(found.attitude)
            models.append(Model("spacecraft", place, turn))
            momentum = turn @ ship.body.inertia_body @ ship.body.angular_velocity_body
            scale = MOMENTUM_LENGTH / float(np.linalg.norm(self._momentum_world))
            arrows.append(Arrow(place, scale * momentum, AMBER, "", 0.07, "momentum"))
            lines += [
                Line(place + scale * np.array([np.zeros(3), 1.2 * self._momentum_world]), PALE, 1.6, layer="momentum"),
                Line(place + np.outer((2.1, 1.3 * NOSE), true_turn[:, 2]), PALE, 2.2),
                Line(place + np.outer((-1.12 * WING, 1.12 * WING), true_turn[:, 0]), PALE, 1.6),
                Line(place + ship.trail.points(NOSE * turn[:, 2]), colour, 2.0, fades=True, layer="trails"),
            ]
            captions.append(Caption(place - np.array([0.0, 0.0, 3.9]), self._lines(ship, found), colour))
        title = f"integrators · {SPEED * self._dt:.2g} rad a tick: who keeps the attitude, the energy, the momentum?"
        return Picture(models, arrows=arrows, lines=lines, captions=captions, title=title)

    def sample(self) -> Sample:
        """Of the first ship, yours."""
        found = self.errors(self.ships[0])
        return Sample(self.world.time, self.ships[0].body.angular_velocity_body, found.energy, found.momentum)

    def check(self) -> list[str]:
        """Assert that each method errs no more than its order allows, and keeps what it is made to keep."""
        return [self._check_ship(ship) for ship in self.ships]

    def _check_ship(self, ship: Ship) -> str:
        world, found = ship.body.world, self.errors(ship)
        text = (
            f"{ship.name}: attitude {found.attitude:.1e} rad, energy {found.energy:+.1e}, momentum {found.momentum:.1e}"
        )
        if world.game_mode:
            change = float(np.abs(ship.body.angular_velocity_body - RATES).max())
            return claim(change < 1e-9, f"{text}; its body rates never changed")
        rounding = 1e-12 * (1 + world.tick_count)
        order, kind = world.integrator.order, type(world.integrator)
        turn = SPEED * world.dt  # rad a tick
        if turn > 0.5:
            return f"{text}; {turn:.1f} rad a tick, nothing is promised"
        by_order = (
            SPEED * world.time * turn**order / 4.0
        )  # measured: at most half of it for each method, at a quarter of a radian
        keeps_momentum = kind in KEEP_MOMENTUM or "momentum" in getattr(world.integrator, "variables", "")
        claim(found.momentum <= (rounding if keeps_momentum else rounding + by_order), text)
        claim(abs(found.energy) <= (rounding if kind in KEEP_ENERGY else rounding + by_order), text)
        if order == 1:
            return f"{text}; of an attitude at order 1 nothing is promised"
        exact = kind is integrators.FreeRotor
        return claim(found.attitude <= (1e-8 * (1.0 + world.time) if exact else 1e-8 + by_order), text)

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        self.world = World(self._dt, integrator=integrator, game_mode=game_mode)
        others = [World(self._dt, integrator=name) for name in METHODS] + [World(self._dt, game_mode=True)]
        truth = World(self._dt, integrator=integrators.Substepped(integrators.RungeKutta4(), TRUTH_STEPS))
        names = ("yours", *METHODS, "game mode")
        self.ships = [
            Ship(name, _ship(world), place, Trail(TRAIL_POINTS))
            for name, world, place in zip(names, (self.world, *others), _places(), strict=True)
        ]
        self.truth = _ship(truth)
        self._energy, self._momentum_world = self.truth.kinetic_energy(), self.truth.angular_momentum_world

        @self.world.on_tick
        def all_in_step(world: World) -> None:
            for ship in self.ships:
                ship.trail.append(NOSE * ship.body.direction_to_world((0.0, 0.0, 1.0)))
            for other in (*others, truth):
                other.step()

    def _lines(self, ship: Ship, found: Errors) -> list[str]:
        world = ship.body.world
        name = f"yours: {world.integrator.name}{', game mode' * world.game_mode}" if ship.name == "yours" else ship.name
        return [
            name,
            f"attitude {_angle(found.attitude)}",
            f"energy {_share(found.energy)}   L {_share(found.momentum)}",
        ]


KEEP_MOMENTUM = (integrators.FreeRotor, integrators.ImplicitMidpoint, integrators.AxisSplitting)
KEEP_ENERGY = (integrators.FreeRotor, integrators.ImplicitMidpoint)


def _ship(world: World) -> Body:
    properties = masses.spacecraft()
    orientation = upright(properties.inertia_body @ RATES)
    return world.add_body(properties, name="ship", orientation=orientation, angular_velocity_body=RATES)


def _places() -> list[Array]:
    """Two rows of four, facing the camera as it first stands, the first at the upper left."""
    rows = [(column - 0.5 * (COLUMNS - 1), row) for row in (0.36, -0.64) for column in range(COLUMNS)]
    return [ACROSS * column * SIDEWAYS + np.array([0.0, 0.0, DOWN * row]) for column, row in rows]


def _colour(error: float) -> Colour:
    """Green below a tenth of a degree, amber at three, red from sixty on."""
    level = min(max(math.log10(max(math.degrees(error), 1e-9) / 0.1) / math.log10(600.0), 0.0), 1.0)
    low, high, share = (GOOD, FAIR, 2.0 * level) if level < 0.5 else (FAIR, BAD, 2.0 * level - 1.0)
    mixed = [a + share * (b - a) for a, b in zip(low, high, strict=True)]
    return mixed[0], mixed[1], mixed[2], mixed[3]


def _angle(error: float) -> str:
    degrees = math.degrees(error)
    return f"{degrees:.1f}°" if degrees >= 10.0 else f"{degrees:.2g}°" if degrees >= 1e-3 else "exact to 0.001°"


def _share(value: float) -> str:
    if abs(value) >= 1e-3:
        return f"{100.0 * value:+.1f} %".replace("-", "−")
    return f"{value:+.0e}".replace("-", "−") if abs(value) > 1e-11 else "kept"


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line of this demo."""
    reader = options.parser("integrators", __doc__.partition("\n")[0])
    reader.set_defaults(dt=0.1)
    return reader.parse(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return application.main("integrators", Integrators, read_options(arguments))


def check(frames: int = 1800) -> list[str]:
    """Fly all of them without drawing: each keeps what it should."""
    scene = Integrators(read_options([]))
    for _ in range(frames):
        scene.world.advance(options.FRAME)
    return scene.check()
