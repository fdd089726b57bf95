"""One ship simulated by several methods side by side, each in its own world, and by a reference solution with very short steps."""

from dataclasses import dataclass

import numpy as np

from ..drawing import Array, Trail
from ..physics import Body, World, integrators, rotation
from . import masses
from .claims import claim
from .free_body import upright

RATES = (0.15, 0.25, 2.4)  # [rad/s]; about the middle axis: it flips
SPEED = float(np.linalg.norm(RATES))  # at the start [rad/s]
METHODS = ("axis-splitting-2", "rk4", "predictor-corrector", "midpoint", "semi-implicit-euler", "implicit-gyro-euler")
TRUTH_STEPS = 256
"""Steps of the reference solution per tick, with which the error of RK4 is below 1e-8 rad in a minute."""
KEEP_MOMENTUM = (integrators.FreeRotor, integrators.ImplicitMidpoint, integrators.AxisSplitting)
KEEP_ENERGY = (integrators.FreeRotor, integrators.ImplicitMidpoint)
NOSE = np.array([0.0, 0.0, 3.2])  # [m], body frame
TRAIL_POINTS = 100


@dataclass(frozen=True)
class Errors:
    """The current error of a ship against the reference solution."""

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
    trail: Trail
    """Of its nose, from its middle [m]."""


class Fleet:
    """Your ship in the given world, one ship per method in `METHODS`, and one in game mode; all step with the first one."""

    def __init__(self, yours: World) -> None:
        others = [World(yours.dt, integrator=name) for name in METHODS] + [World(yours.dt, game_mode=True)]
        names = ("yours", *METHODS, "game mode")
        worlds = (yours, *others)
        self.ships = [Ship(n, _join(world), Trail(TRAIL_POINTS)) for n, world in zip(names, worlds, strict=True)]
        self.truth = _join(World(yours.dt, integrator=integrators.Substepped(integrators.RungeKutta4(), TRUTH_STEPS)))
        self.energy, self.momentum_world = self.truth.kinetic_energy(), self.truth.angular_momentum_world

        @yours.on_tick
        def all_in_step(world: World) -> None:
            for ship in self.ships:
                ship.trail.append(ship.body.direction_to_world(NOSE))
            for other in (*others, self.truth.world):
                other.step()

    def errors(self, ship: Ship) -> Errors:
        """Of one ship, at the last tick."""
        momentum = ship.body.angular_momentum_world - self.momentum_world
        return Errors(
            float(rotation.angle_between(ship.body.orientation, self.truth.orientation)),
            ship.body.kinetic_energy() / self.energy - 1.0,
            float(np.linalg.norm(momentum) / np.linalg.norm(self.momentum_world)),
        )

    def check(self, ship: Ship) -> str:
        """Assert that the error of its method is within its order, and that it conserves what it should."""
        world, found = ship.body.world, self.errors(ship)
        text = (
            f"{ship.name}: attitude {found.attitude:.1e} rad, energy {found.energy:+.1e}, momentum {found.momentum:.1e}"
        )
        if world.game_mode:
            change = float(np.abs(ship.body.angular_velocity_body - RATES).max())
            return claim(change < 1e-9, f"{text}; its body rates never changed")
        order, kind, turn = world.integrator.order, type(world.integrator), SPEED * world.dt  # rad per tick
        if turn > 0.5:
            return f"{text}; not checked at {turn:.1f} rad per tick"
        rounding = 1e-12 * (1 + world.tick_count)
        # Measured: at most half of this for each method, at a quarter of a radian.
        by_order = SPEED * world.time * turn**order / 4.0
        keeps_momentum = kind in KEEP_MOMENTUM or "momentum" in getattr(world.integrator, "variables", "")
        claim(found.momentum <= (rounding if keeps_momentum else rounding + by_order), text)
        claim(abs(found.energy) <= (rounding if kind in KEEP_ENERGY else rounding + by_order), text)
        if order == 1:
            return f"{text}; the attitude is not checked at order 1"
        exact = kind is integrators.FreeRotor
        return claim(found.attitude <= (1e-8 * (1.0 + world.time) if exact else 1e-8 + by_order), text)


def places(columns: int, across: float, down: float, sideways: Array) -> list[Array]:
    """Two rows of places [m], the first at the upper left."""
    rows = [(column - 0.5 * (columns - 1), row) for row in (0.5, -0.5) for column in range(columns)]
    return [across * column * sideways + np.array([0.0, 0.0, down * row]) for column, row in rows]


def _join(world: World) -> Body:
    properties = masses.spacecraft()
    orientation = upright(properties.inertia_body @ RATES)
    return world.add_body(properties, name="ship", orientation=orientation, angular_velocity_body=RATES)
