"""Two rockets turn a spinning top: it nods and goes round as its closed form says, which is drawn under it.

    python -m demos top [--case cusps | loops | waves | steady] [--integrator NAME] [--headless --frames N --out FILE.png]

Ganapathi's last example. A rocket at each end of the axle pushes across it, the two against each other, as hard as the tilt's sine: a
couple along z × x₃, that of a weight on a top, without any weight. The top spins and its rockets with it; so each is four jets round a
collar, which fire in turn. Blue on pale: where the axis goes, by the engine and by closed form. Violet: the torque. Amber: L, whose tip
it pushes. Green: ω. Red: the push of each rocket.
"""

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demos.viewer import application, masses, options
from demos.viewer.meshes.rocket_top import ARM, NOZZLES, SIDES
from demos.viewer.scene import Array, Arrow, Colour, Line, Model, Picture, Sample
from demos.viewer.symmetric_top import SymmetricTop, slow_precession
from demos.viewer.trail import Trail
from engine import World, forces, integrators, rotation

STRENGTH, SPIN, TILT = 1900.0, 4.0, 0.62  # k [N·m], ω₃ [rad/s], tilt at the start [rad]
FORCE = STRENGTH / (2.0 * ARM)  # of a jet at full throttle [N]
AMBER, GREEN, VIOLET, BLUE, FIRE = (
    (1.0, 0.66, 0.16, 1.0),
    (0.35, 1.0, 0.45, 1.0),
    (0.80, 0.50, 1.0, 1.0),
    (0.30, 0.66, 1.0, 1.0),
    (1.0, 0.42, 0.20, 1.0),
)
PALE: Colour = (0.90, 0.86, 0.78, 0.26)
TIP, MOMENTUM_LENGTH, TORQUE_LENGTH, THRUST_LENGTH = 1.95, 2.05, 0.9, 0.7  # [m]
TRAIL_SPACING, TRAIL_TIME, AHEAD = 1.0 / 120.0, 20.0, 2.5  # [s]
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Case:
    """How the axis moves when it is let go, in shares of the rate at which it would go round without nodding."""

    share: float
    text: str


CASES = {
    "cusps": Case(0.0, "let go at rest: the axis falls, is carried round, and stops at each cusp"),
    "loops": Case(-1.6, "thrown backwards: the axis runs in loops"),
    "waves": Case(0.45, "helped along: the axis runs in waves"),
    "steady": Case(1.0, "at the right pace: it goes round without nodding"),
}


class Top:
    """The scene: one top, eight jets."""

    rewinds = True
    target, radius = np.array([0.0, 0.0, 0.25]), 1.85

    def __init__(self, wanted: argparse.Namespace) -> None:
        self._dt, self.case_name = wanted.dt, wanted.case
        self._begin(wanted.integrator, wanted.game_mode)

    def reset(self) -> None:
        """Let it go again, with the integrator, game mode and pace chosen since."""
        old = self.world
        self._begin(old.integrator, old.game_mode)
        self.world.paused, self.world.time_scale = old.paused, old.time_scale

    def next_case(self) -> None:
        """Let it go in the next way."""
        names = list(CASES)
        self.case_name = names[(names.index(self.case_name) + 1) % len(names)]
        self.reset()

    def picture(self) -> Picture:
        """The top, its jets, torque and momentum, and the two paths of its axis."""
        origin, orientation = self.body.interpolated_pose()
        turn = rotation.to_matrix(orientation)
        axis, closed = turn[:, 2], self.closed.axis(np.array([self._drawn_time()]))[-1]
        rate = turn @ self.body.angular_velocity_body
        momentum = turn @ (self.body.inertia_body @ self.body.angular_velocity_body)
        scale = MOMENTUM_LENGTH / self._momentum_size
        arrows = [
            Arrow(origin, momentum * scale, AMBER, "L", 0.028, "momentum"),
            Arrow(origin, rate * (0.8 * MOMENTUM_LENGTH / float(np.linalg.norm(rate))), GREEN, "ω", 0.022, "rates"),
            Arrow(origin + momentum * scale, TORQUE_LENGTH * np.cross(UP, axis), VIOLET, "τ", 0.024, "torques"),
            *self._thrust_arrows(origin, turn),
        ]
        lines = [
            Line(TIP * self._closed_path(), PALE, 7.0, layer="trails"),
            Line(self._trail.points(TIP * axis), BLUE, 2.4, fades=True, layer="trails"),
            Line(np.array([1.58 * closed, TIP * closed]), PALE, 3.0),
            Line(np.array([-1.9 * UP, 2.1 * UP]), (0.55, 0.65, 0.8, 0.55), 1.3),
        ]
        throttle = self.jets.throttle
        plumes = [nozzle.plume(origin, turn, t) for nozzle, t in zip(NOZZLES.values(), throttle, strict=True)]
        least, greatest = np.degrees(self.closed.tilts)
        status = [
            f"tilt {math.degrees(math.acos(min(axis[2], 1.0))):.2f}°, by closed form {least:.2f}° to {greatest:.2f}°",
            f"axis off its closed form by {self.error():.1e} rad",
        ]
        title = f"top · {CASES[self.case_name].text}"
        lamps = list(zip(NOZZLES, map(float, throttle), strict=True))
        models = [Model("rocket-top", origin, turn)]
        return Picture(models, plumes=plumes, arrows=arrows, lines=lines, lamps=lamps, title=title, status=status)

    def sample(self) -> Sample:
        """Energy with the couple's potential k cos θ; of the momentum, the two parts that stay: along z and along the axis."""
        energy, upright, axial = self._kept()
        first_energy, first_upright, first_axial = self._first
        change = math.hypot(upright - first_upright, axial - first_axial) / self._momentum_size
        return Sample(self.world.time, self.body.angular_velocity_body, energy / first_energy - 1.0, change)

    def error(self) -> float:
        """Angle between the axis and its closed form, now [rad]."""
        apart = self.body.direction_to_world(UP) - self.closed.axis(np.array([self.world.time]))[-1]
        return 2.0 * math.asin(min(float(np.linalg.norm(apart)) / 2.0, 1.0))

    def check(self) -> list[str]:
        """Assert that the axis is where the closed form puts it, and that the energy, L_z and L·x₃ stayed."""
        if self.world.game_mode:
            return ["nothing: without the gyroscopic term no closed form holds"]
        now, error = self.sample(), self.error()
        # Jets are held over a tick: the mean of their turning push lacks (ω₃dt)²/24, and a method adds (ω dt)^order a radian.
        turn = float(np.linalg.norm(self.body.angular_velocity_body)) * self.world.dt
        allowed = 1e-9 + (1.0 + now.time * SPIN) * turn ** min(self.world.integrator.order, 2) / 12.0
        found = f"axis off its closed form by {error:.1e} rad, energy {now.energy_drift:+.1e}, momentum {now.momentum_drift:.1e}"
        if not max(error, abs(now.energy_drift), now.momentum_drift) <= allowed:
            raise AssertionError(f"{found}, allowed {allowed:.1e}")
        return [f"{found}, allowed {allowed:.1e}"]

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        properties = masses.rocket_top()
        transverse, axial = properties.inertia_body[0, 0], properties.inertia_body[2, 2]
        top = transverse, axial, STRENGTH, SPIN, TILT
        precession = CASES[self.case_name].share * slow_precession(*top)
        self.closed = SymmetricTop(*top, precession)
        orientation = rotation.from_axis_angle((0.0, 1.0, 0.0), TILT)
        rates = rotation.rotate_inverse(orientation, precession * UP)
        rates[2] = SPIN
        self.world = World(self._dt, integrator=integrator, game_mode=game_mode)
        self.body = self.world.add_body(properties, name="top", orientation=orientation, angular_velocity_body=rates)
        self.jets = forces.ThrusterBank(
            self.body,
            positions=[nozzle.position for nozzle in NOZZLES.values()],
            directions=[nozzle.force_direction for nozzle in NOZZLES.values()],
            max_forces=FORCE,
        )
        self.world.add_force(self.jets)
        self.world.on_tick(self._steer)
        self._trail = Trail(round(TRAIL_TIME / TRAIL_SPACING))
        self.world.on_tick(self._remember, every=max(1, round(TRAIL_SPACING / self._dt)))
        self._momentum_size = float(np.linalg.norm(self.body.angular_momentum_world))
        self._first = self._kept()

    def _steer(self, world: World) -> None:
        """Set the jets for the middle of the tick over which they are held: there they push along ∓(z − x₃ cos θ), as hard as sin θ."""
        half_turn = rotation.from_rotation_vector(self.body.angular_velocity_body * (0.5 * world.dt))
        middle = rotation.multiply(self.body.orientation, half_turn)
        share = SIDES @ rotation.rotate_inverse(middle, UP)  # the upper jets' gas goes up, their force down
        self.jets.throttle = np.clip(np.concatenate([share, -share]), 0.0, 1.0)

    def _remember(self, world: World) -> None:
        self._trail.append(TIP * self.body.direction_to_world(UP))

    def _kept(self) -> tuple[float, float, float]:
        """Energy [J], L_z and L·x₃ [N·m·s]."""
        axis, momentum = self.body.direction_to_world(UP), self.body.angular_momentum_world
        return self.body.kinetic_energy() + STRENGTH * float(axis[2]), float(momentum[2]), float(momentum @ axis)

    def _drawn_time(self) -> float:
        return max(self.world.time - (1.0 - self.world.alpha) * self.world.dt, 0.0)

    def _closed_path(self) -> Array:
        """Where the closed form puts the axis, for as long as the trail lasts and a little ahead."""
        now = self._drawn_time()
        return self.closed.axis(np.linspace(max(now - TRAIL_TIME, 0.0), now + AHEAD, 600))

    def _thrust_arrows(self, origin: Array, turn: Array) -> list[Arrow]:
        pushes = self.jets.throttle.reshape(2, 4) @ -SIDES
        ends = zip((ARM, -ARM), pushes, strict=True)
        return [
            Arrow(origin + turn @ (z * UP), THRUST_LENGTH * turn @ push, FIRE, "", 0.022, "thrust") for z, push in ends
        ]


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line of this demo."""
    reader = options.parser("top", __doc__.partition("\n")[0])
    reader.add_argument("--case", choices=CASES, default="cusps", help="default cusps")
    return reader.parse(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return application.main("top", Top, read_options(arguments))


def check(case: str = "cusps", frames: int = 1200) -> list[str]:
    """Fly a case without drawing it: the axis follows the closed form."""
    scene = Top(read_options(["--case", case]))
    for _ in range(frames):
        scene.world.advance(options.FRAME)
    return scene.check()
