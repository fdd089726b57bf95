"""Twenty thousand craft in one world, most of them thrusting: a wheel of fire round a station, with nothing to hold it but its thrust.

    python -m demos swarm [--case spiral | ripples | petals] [--craft N] [--seed N] [--headless --frames N --out FILE.png]

Each craft of the wheel turns about its fin and pushes along its nose, which carries it round the station; waves run through the throttles.
One force function serves all of them, in a few lines of numpy a tick. A twelfth of the crowd drifts round the wheel and tumbles, engines
off. The time a tick takes is on the screen; what it comes to depends on the machine.
"""

import argparse
import math
from collections.abc import Sequence

import numpy as np

from demos.viewer import application, masses, options
from demos.viewer.claims import claim
from demos.viewer.flock import MEAN, Flock, Pattern
from demos.viewer.measured_world import MeasuredWorld
from demos.viewer.meshes.dart import NOZZLES
from demos.viewer.scene import Array, Model, Picture, Sample, Swarm
from engine import World, forces, integrators, rotation

CRAFT, FREE_SHARE = 20_000, 1.0 / 12.0
INNER, OUTER, HALO = 62.0, 265.0, 330.0  # [m]
LAP = 60.0  # seconds a craft takes to go round at the outer edge
ACCELERATION = OUTER * (math.tau / LAP) ** 2  # [m/s²], the mean
LEAN = 0.055  # [rad], typical, between the planes of the circles
SCALE = 1.7  # the craft are drawn larger than they are, to be seen from afar
CASES = {
    "spiral": Pattern(2, 7.0, -0.10, "two arms of thrust wind through the wheel"),
    "ripples": Pattern(0, 16.0, 1.3, "rings of thrust run outwards"),
    "petals": Pattern(5, 2.5, -0.35, "five arms of thrust"),
}

KEEP_MOMENTUM = (integrators.FreeRotor, integrators.AxisSplitting, integrators.ImplicitMidpoint)


class Engines:
    """The thrust of the whole flock as one force: each along its nose, by its throttle in the middle of the tick."""

    evaluate = "tick"

    def __init__(self, flock: Flock, mass: float, dt: float) -> None:
        self._flock, self._half_tick = flock, 0.5 * dt
        self.full = mass * flock.acceleration / MEAN
        """Of one craft at full throttle [N]."""

    def throttles(self, time: float) -> Array:
        """For the tick that starts at a time [s], shape (n,)."""
        return self._flock.throttles(time + self._half_tick)

    def apply(self, wrench, bodies, time: float) -> None:
        """The flock's craft are the first bodies of the world."""
        throttles = self.throttles(time)
        wrench.force_body[: len(throttles), 2] += self.full * throttles


class Crowd:
    """The scene: the flock, the free ones, a station that stands still."""

    rewinds = False  # twenty thousand craft cannot be flown again in a moment
    target, radius = np.array([0.0, 0.0, 0.0]), 112.0

    def __init__(self, wanted: argparse.Namespace) -> None:
        self._wanted, self.case_name = wanted, wanted.case
        self._begin(wanted.integrator, wanted.game_mode)

    def reset(self) -> None:
        """Begin again, with the integrator, game mode and pace chosen since."""
        old = self.world
        self._begin(old.integrator, old.game_mode)
        self.world.paused, self.world.time_scale = old.paused, old.time_scale

    def next_case(self) -> None:
        """Begin with the next pattern."""
        names = list(CASES)
        self.case_name = names[(names.index(self.case_name) + 1) % len(names)]
        self.reset()

    def picture(self) -> Picture:
        """The station, and two swarms: those with engines on, and the free ones."""
        origins, orientations = self.world.interpolated_poses()
        count = len(self.flock.radii)
        throttles = self.flock.throttles(max(self.world.time - (1.0 - self.world.alpha) * self.world.dt, 0.0))
        swarms = [
            Swarm("dart", origins[:count], orientations[:count], SCALE, throttles),
            Swarm("dart", origins[count:], orientations[count:], SCALE),
        ]
        took = 1e3 * self.world.tick_seconds
        status = [
            f"{len(origins):,} bodies, {count:,} of them thrusting".replace(",", " "),
            f"physics {took:.2f} ms a tick, {1e6 * took / max(len(origins), 1):.0f} ns a body",
        ]
        title = f"swarm · {CASES[self.case_name].text}"
        return Picture([Model("station", np.zeros(3), np.eye(3))], swarms, title=title, status=status)

    def sample(self) -> Sample:
        """Energy and angular momentum of the free ones, who should keep both; the rates of the first of them."""
        energy, momentum = self._kept()
        change = np.linalg.norm(momentum - self._first[1]) / np.linalg.norm(self._first[1])
        rates = self.world.state.angular_velocity_body[len(self.flock.radii)]
        return Sample(self.world.time, rates, float(energy.sum() / self._first[0].sum()) - 1.0, float(change))

    def check(self) -> list[str]:
        """Assert the momentum, the paths, what the free ones keep, and that each flies as if it were alone."""
        return [self._check_flock(), *self._check_free(), self._check_alone(len(self.flock.radii) // 3)]

    def _check_flock(self) -> str:
        world, count = self.world, len(self.flock.radii)
        away = np.abs(world.state.position[:count] - self.flock.positions(world.time)).max()
        thrust = self._properties.mass * (self.flock.velocities(world.time) - self.flock.velocities(0.0)).sum(axis=0)
        gained = world.linear_momentum() - self._momentum
        off = float(np.abs(gained - thrust).max() / (self._properties.mass * count))
        # Over a tick the push turns with the craft: of second order in Ω dt, and it sums up along the way.
        turn = float(self.flock.rates.max()) * world.dt
        allowed = 1e-9 + turn ** min(world.integrator.order, 2) * OUTER * (1.0 + world.time * turn / world.dt) / 8.0
        text = f"craft off their closed form by {away:.1e} m at most, momentum off the thrust's integral by {off:.1e} m/s a craft"
        return claim(max(away, off) <= allowed, f"{text}, allowed {allowed:.1e}")

    def _check_free(self) -> list[str]:
        if self.world.game_mode or not isinstance(self.world.integrator, KEEP_MOMENTUM):
            return []
        energy, momentum = self._kept()
        drift = float(np.abs(energy / self._first[0] - 1.0).max())
        change = float(
            (np.linalg.norm(momentum - self._first[1], axis=1) / np.linalg.norm(self._first[1], axis=1)).max()
        )
        rounding = 1e-12 * (1 + self.world.tick_count)
        # Where the energy is not kept to rounding it swings, by the square of the fastest turn in a tick.
        turn = (
            np.linalg.norm(self._first[1], axis=1).max() / np.diag(self._properties.inertia_body).min() * self.world.dt
        )
        allowed = rounding if isinstance(self.world.integrator, integrators.FreeRotor) else float(turn**2)
        return [
            claim(drift <= allowed and change <= rounding, f"free ones: energy kept to {drift:.1e}, L to {change:.1e}")
        ]

    def _check_alone(self, row: int) -> str:
        """Fly one craft again, alone and with a thruster of the built-in kind."""
        alone = World(self.world.dt, integrator=self.world.integrator, game_mode=self.world.game_mode)
        self.flock.only(row).join(alone, self._properties)
        thruster = alone.add_force(
            forces.Thruster(
                alone.bodies[0],
                position=NOZZLES["main"].position,
                direction=NOZZLES["main"].force_direction,
                max_force=self.engines.full,
            )
        )
        for _ in range(self.world.tick_count):
            thruster.throttle = self.engines.throttles(alone.time)[row]
            alone.step()
        state, own = self.world.state, alone.state
        same = all(
            (getattr(state, part)[row] == getattr(own, part)[0]).all()
            for part in ("position", "orientation", "velocity")
        )
        return claim(same, f"craft {row} flies as it does alone, to the last bit")

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        random = np.random.default_rng(self._wanted.seed)
        free = round(FREE_SHARE * self._wanted.craft)
        self.flock = make_flock(self._wanted.craft - free, CASES[self.case_name], random)
        self._properties = masses.dart()
        self.world = MeasuredWorld(self._wanted.dt, integrator=integrator, game_mode=game_mode)
        self.engines = Engines(self.flock, self._properties.mass, self._wanted.dt)
        self.flock.join(self.world, self._properties)
        directions = random.normal(size=(free, 3)) * (1.0, 1.0, 0.5)
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        self.world.add_bodies(
            self._properties,
            directions * HALO * random.uniform(0.85, 1.15, (free, 1)),
            orientation=rotation.from_rotation_vector(random.uniform(-2.0, 2.0, (free, 3))),
            angular_velocity_body=random.normal(0.0, 0.7, (free, 3)),
        )
        self.world.add_force(self.engines)
        self._momentum, self._first = self.world.linear_momentum(), self._kept()

    def _kept(self) -> tuple[Array, Array]:
        """Energy of turning [J], shape (k,), and angular momentum [N·m·s], shape (k, 3), of each free craft."""
        state, first = self.world.state, len(self.flock.radii)
        rates = state.angular_velocity_body[first:]
        momentum_body = rates * np.diag(self._properties.inertia_body)
        energy = 0.5 * (rates * momentum_body).sum(axis=1)
        return energy, rotation.rotate(state.orientation[first:], momentum_body)


def make_flock(count: int, pattern: Pattern, random: np.random.Generator) -> Flock:
    """Craft all over the wheel, more of them where it is wide, in planes that lean a little."""
    radii = np.sqrt(random.uniform(INNER**2, OUTER**2, count))
    leans = np.zeros((count, 3))
    leans[:, :2] = random.normal(0.0, LEAN, (count, 2))
    planes = rotation.from_rotation_vector(leans)
    return Flock(radii, random.uniform(0.0, math.tau, count), planes, ACCELERATION, pattern)


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line of this demo."""
    reader = options.parser("swarm", __doc__.partition("\n")[0])
    reader.add_argument("--case", choices=CASES, default="spiral", help="default spiral")
    reader.add_argument("--craft", type=crowd, default=CRAFT, metavar="N", help=f"how many (default {CRAFT})")
    reader.set_defaults(
        dt=1.0 / 60.0, integrator="axis-splitting-2"
    )  # half the cost of the default, and as steady in a crowd
    return reader.parse(arguments)


def crowd(text: str) -> int:
    """A number of craft, from 24 to a million."""
    if not (text.strip().isdecimal() and 24 <= int(text) <= 1_000_000):
        raise argparse.ArgumentTypeError(f"must be a whole number from 24 to 1000000; got {text.strip()!r}")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return application.main("swarm", Crowd, read_options(arguments))


def check(case: str = "spiral", frames: int = 300, craft: int = 2400) -> list[str]:
    """Fly a case without drawing it: each craft keeps to its closed form, the free ones keep what they have."""
    scene = Crowd(read_options(["--case", case, "--craft", str(craft)]))
    for _ in range(frames):
        scene.world.advance(options.FRAME)
    return scene.check()
