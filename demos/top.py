"""Two rockets act on a spinning top, which nutates and precesses along the closed-form path drawn under it.

    python -m demos top [--case cusps | loops | waves | steady] [--integrator NAME] [--headless --frames N --out FILE.png]

This is Ganapathi's last example. A rocket at each end of the axle pushes across it, in opposite directions, in proportion to the sine of
the tilt. The couple along z × x₃ equals that of the weight of a heavy top, without any weight. The rockets spin with the top, so each of
them is four jets around a collar that fire in turn. White is the path of the axis in the simulation, on the broad dark green one of the
closed form. Violet is the torque, amber the angular momentum L, cyan the angular velocity ω, and red the thrust of each rocket.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from . import running
from .drawing import Array, Arrow, Line, Model, Picture, Sample, Trail, colours
from .physics import World, integrators, rotation
from .scenes import masses
from .scenes.claims import check_after, claim
from .scenes.restarting import Restarting
from .scenes.rocket_couple import UP, RocketCouple
from .scenes.top_cases import CASES, SPIN, STRENGTH

CLOSED_PATH, CLOSED_AXIS = colours.faint(colours.GOAL, 0.05), colours.faint(colours.GOAL, 0.6)
"""Lines shine, so that little is enough for the broad path to lie behind the white one also in a small picture."""
TIP, MOMENTUM_LENGTH, TORQUE_LENGTH = 1.95, 2.05, 0.9  # [m]
TRAIL_SPACING, TRAIL_TIME, AHEAD = 1.0 / 120.0, 20.0, 2.5  # [s]


@dataclass(frozen=True, kw_only=True)
class TopOptions(running.SceneOptions):
    """The options of this demo."""

    case: str


class Top(Restarting):
    """The scene, with one top and eight jets."""

    target, radius = np.array([0.0, 0.0, 0.25]), 1.85

    def __init__(self, wanted: TopOptions) -> None:
        self._dt, self.case_name = wanted.dt, wanted.case
        self._begin(wanted.integrator, wanted.game_mode)

    def picture(self) -> Picture:
        """The top, its jets, torque and momentum, and the two paths of its axis."""
        origin, orientation = self.body.interpolated_pose()
        turn = rotation.to_matrix(orientation)
        axis, closed = turn[:, 2], self.closed.axis(np.array([self._drawn_time()]))[-1]
        rate = turn @ self.body.angular_velocity_body
        momentum = turn @ (self.body.inertia_body @ self.body.angular_velocity_body)
        scale = MOMENTUM_LENGTH / self._momentum_size
        arrows = [
            Arrow(origin, momentum * scale, colours.MOMENTUM, "L", 0.028, "momentum"),
            Arrow(
                origin, rate * (0.8 * MOMENTUM_LENGTH / float(np.linalg.norm(rate))), colours.RATES, "ω", 0.022, "rates"
            ),
            Arrow(
                origin + momentum * scale,
                TORQUE_LENGTH * self.rockets.torque(axis),
                colours.TORQUE,
                "τ",
                0.024,
                "torques",
            ),
            *self.rockets.arrows(origin, turn),
        ]
        lines = [
            Line(TIP * self._closed_path(), CLOSED_PATH, 14.0, layer="trails"),
            Line(self._trail.points(TIP * axis), colours.PATH, 4.0, fades=True, layer="trails"),
            Line(np.array([1.58 * closed, TIP * closed]), CLOSED_AXIS, 3.0),
            Line(np.array([-1.9 * UP, 2.1 * UP]), colours.GUIDE, 1.3),
        ]
        least, greatest = np.degrees(self.closed.tilts)
        status = [
            f"tilt {math.degrees(math.acos(min(axis[2], 1.0))):.2f}°, by closed form {least:.2f}° to {greatest:.2f}°",
            f"axis off its closed form by {self.error():.1e} rad",
        ]
        return Picture(
            [Model("rocket-top", origin, turn)],
            plumes=self.rockets.plumes(origin, turn),
            arrows=arrows,
            lines=lines,
            title=f"top · {CASES[self.case_name].text}",
            status=status,
        )

    def sample(self) -> Sample:
        """Energy with the couple's potential k cos θ, and the two conserved components of the momentum, along z and along the axis."""
        energy, upright, axial = self._kept()
        first_energy, first_upright, first_axial = self._first
        change = math.hypot(upright - first_upright, axial - first_axial) / self._momentum_size
        return Sample(self.world.time, self.body.angular_velocity_body, energy / first_energy - 1.0, change)

    def error(self) -> float:
        """Current angle between the axis and its closed form [rad]."""
        apart = self.body.direction_to_world(UP) - self.closed.axis(np.array([self.world.time]))[-1]
        return 2.0 * math.asin(min(float(np.linalg.norm(apart)) / 2.0, 1.0))

    def check(self) -> list[str]:
        """Assert that the axis follows the closed form, and that energy, L_z and L·x₃ are conserved."""
        if self.world.game_mode:
            return ["nothing, because no closed form holds without the gyroscopic term"]
        now, error = self.sample(), self.error()
        # Jets are held over a tick: the mean of their turning push lacks (ω₃dt)²/24, and a method adds (ω dt)^order a radian.
        turn = float(np.linalg.norm(self.body.angular_velocity_body)) * self.world.dt
        allowed = 1e-9 + (1.0 + now.time * SPIN) * turn ** min(self.world.integrator.order, 2) / 12.0
        found = f"axis off its closed form by {error:.1e} rad, energy {now.energy_drift:+.1e}, momentum {now.momentum_drift:.1e}"
        kept = max(error, abs(now.energy_drift), now.momentum_drift) <= allowed
        return [claim(kept, f"{found}, allowed {allowed:.1e}")]

    def _case_names(self) -> Collection[str]:
        return CASES

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        properties = masses.rocket_top()
        self.closed, orientation, rates = CASES[self.case_name].start(properties)
        self.world = World(self._dt, integrator=integrator, game_mode=game_mode)
        self.body = self.world.add_body(properties, name="top", orientation=orientation, angular_velocity_body=rates)
        self.rockets = RocketCouple(self.body, STRENGTH)
        self._trail = Trail(round(TRAIL_TIME / TRAIL_SPACING))
        self.world.on_tick(self._remember, every=max(1, round(TRAIL_SPACING / self._dt)))
        self._momentum_size = float(np.linalg.norm(self.body.angular_momentum_world))
        self._first = self._kept()

    def _remember(self, world: World) -> None:
        self._trail.append(TIP * self.body.direction_to_world(UP))

    def _kept(self) -> tuple[float, float, float]:
        """Energy [J], L_z and L·x₃ [N·m·s]."""
        axis, momentum = self.body.direction_to_world(UP), self.body.angular_momentum_world
        return self.body.kinetic_energy() + self.rockets.potential(axis), float(momentum[2]), float(momentum @ axis)

    def _drawn_time(self) -> float:
        return max(self.world.time - (1.0 - self.world.alpha) * self.world.dt, 0.0)

    def _closed_path(self) -> Array:
        """The closed-form path of the axis, for the length of the trail and a little ahead."""
        now = self._drawn_time()
        return self.closed.axis(np.linspace(max(now - TRAIL_TIME, 0.0), now + AHEAD, 600))


def read_options(arguments: Sequence[str] | None = None) -> TopOptions:
    """The command line of this demo."""
    reader = running.parser("top", __doc__.partition("\n")[0], TopOptions)
    reader.add_argument("--case", choices=CASES, default="cusps", help="how the axis starts (default cusps)")
    return reader.parse(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return running.main("top", Top, read_options(arguments))


def check(case: str = "cusps", frames: int = 1200) -> list[str]:
    """Run a case without drawing it, and check that the axis follows the closed form."""
    return check_after(Top(read_options(["--case", case])), frames)
