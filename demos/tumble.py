"""A spacecraft tumbles freely: steady about its least and greatest axis, flipping about the middle one.

    python -m demos tumble [--case NAME] [--integrator NAME] [--game-mode] [--headless --frames N --out FILE.png]

Amber: the angular momentum L, which nothing changes. Green: the angular velocity ω, whose tip stays on the plane of the ring while it
draws the herpolhode. Blue: the path of the body axis that lies closest to L at the start. In game mode (key G) L no longer stays.
The cases named after Ganapathi are those of his figures 3 to 5; no real body has their tensors, so they want --allow-unphysical.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demos.viewer import application, masses, options
from demos.viewer.free_body import upright
from demos.viewer.free_motion import FreeMotion
from demos.viewer.scene import Array, Arrow, Colour, Line, Model, Picture
from demos.viewer.trail import Trail
from engine import MassProperties, World, rotation

AMBER, GREEN, BLUE, QUIET = (
    (1.0, 0.66, 0.16, 1.0),
    (0.35, 1.0, 0.45, 1.0),
    (0.35, 0.72, 1.0, 1.0),
    (0.55, 0.65, 0.8, 0.55),
)
AXES: tuple[Colour, ...] = ((1.0, 0.30, 0.28, 1.0), (0.40, 0.90, 0.35, 1.0), (0.38, 0.55, 1.0, 1.0))
MOMENTUM_LENGTH, RATE_HEIGHT, AXIS_LENGTH, BODY_AXES_LENGTH, RING = 1.3, 0.92, 1.35, 1.2, 0.75  # in radii of the body
TRAIL_SPACING, TRAIL_POINTS = 1.0 / 120.0, 2400  # [s]; twenty seconds
UNPHYSICAL = "no real body has this tensor; the drawn shape only shows how it turns"


@dataclass(frozen=True)
class Case:
    """A body, how it is spun [rad/s, body axes], the mesh that shows it and its size [m], what there is to see."""

    properties: Callable[[], MassProperties]
    rates: tuple[float, float, float]
    mesh: str
    radius: float
    text: str
    physical: bool = True


SHIP, HANDLE, CRATE, DRUM = ("spacecraft", 3.3), ("t-handle", 1.45), ("crate", 2.0), ("drum", 1.7)
CASES = {
    "flip": Case(
        masses.spacecraft,
        (0.010, 0.012, 1.5),
        *SHIP,
        "spun about the middle axis: it turns over and back",
    ),
    "least": Case(masses.spacecraft, (1.5, 0.09, 0.12), *SHIP, "spun about the least axis: steady"),
    "greatest": Case(masses.spacecraft, (0.09, 1.1, 0.12), *SHIP, "spun about the greatest axis: steady"),
    "t-handle": Case(
        masses.t_handle, (0.02, 0.02, 3.0), *HANDLE, "the handle of the space-station films: it turns over and back"
    ),
    "wedekind": Case(masses.crate, (0.5, 1.3, 0.9), *CRATE, "Wedekind: a box left to itself, no force and no torque"),
    "ganapathi-cone": Case(
        masses.diagonal(2, 2, 8), (1, 0, 1), *DRUM, "Ganapathi, figure 3: the axis runs round a cone", False
    ),
    "ganapathi-steady": Case(
        masses.diagonal(2, 8, 4), (0, 1, 0.1), *SHIP, "Ganapathi, figure 4: steady about the greatest", False
    ),
    "ganapathi-flip": Case(
        masses.diagonal(2, 8, 4), (0, 0.1, 1), *SHIP, "Ganapathi, figure 5: flips about the middle", False
    ),
}


class Tumble:
    """The scene: one body, no force."""

    target = np.zeros(3)
    rewinds = True

    def __init__(self, wanted: argparse.Namespace) -> None:
        self._wanted, self.case_name = argparse.Namespace(**vars(wanted)), wanted.case
        self._begin(integrator=wanted.integrator, game_mode=wanted.game_mode)

    def reset(self) -> None:
        """Spin the body up again, with the integrator, game mode and pace chosen since."""
        old = self.world
        self._begin(integrator=old.integrator, game_mode=old.game_mode)
        self.world.paused, self.world.time_scale = old.paused, old.time_scale

    def next_case(self) -> None:
        """Begin the next case that is allowed."""
        names = [name for name, case in CASES.items() if case.physical or self._wanted.allow_unphysical]
        self.case_name = names[(names.index(self.case_name) + 1) % len(names)]
        self._wanted.inertia = self._wanted.angular_velocity = None
        self.reset()

    def picture(self) -> Picture:
        """The body, its axes, L, ω and their paths; no step of it writes to the world."""
        body, radius, case = self.body, self.radius, CASES[self.case_name]
        origin, orientation = body.interpolated_pose()
        turn = rotation.to_matrix(orientation)
        centre = origin + turn @ body.center_of_mass_body
        momentum = body.angular_momentum_world * (MOMENTUM_LENGTH * radius / self.motion.momentum_size)
        rate, axis = (
            self._rate_tip(turn @ body.angular_velocity_body),
            AXIS_LENGTH * radius * (turn @ self.motion.axis_body),
        )
        arrows = [
            Arrow(centre, momentum, AMBER, "L", 0.016 * radius, "momentum"),
            Arrow(centre, rate, GREEN, "ω", 0.013 * radius, "rates"),
            Arrow(centre, axis, BLUE, "", 0.008 * radius),
            *(
                Arrow(centre, BODY_AXES_LENGTH * radius * turn[:, i], AXES[i], "xyz"[i], 0.006 * radius)
                for i in range(3)
            ),
        ]
        around = np.append(np.linspace(0.0, math.tau, 96, endpoint=False), 0.0)  # the last is the first: closed
        ring = RING * radius * np.column_stack([np.cos(around), np.sin(around), np.full(97, RATE_HEIGHT / RING)])
        lines = [
            Line(self._axis_trail.points(axis), BLUE, 2.6, fades=True),
            Line(self._rate_trail.points(rate), GREEN, 2.6, fades=True),
            Line(ring, QUIET, 1.3),
            Line(np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 1.4 * radius)]), QUIET, 1.3),
        ]
        own = self._wanted.inertia is not None
        note = "the drawn shape is not that of this tensor" if own else "" if case.physical else UNPHYSICAL
        rates = "ω = ({:+.3f}, {:+.3f}, {:+.3f}) rad/s in body axes".format(*body.angular_velocity_body).replace(
            "-", "−"
        )
        title = f"tumble · {'a tensor of your own' if own else case.text}"
        status = [rates, *filter(None, [note])]
        return Picture([Model(case.mesh, origin, turn)], arrows=arrows, lines=lines, title=title, status=status)

    def _begin(self, **how: Any) -> None:
        wanted, case = self._wanted, CASES[self.case_name]
        if wanted.inertia is not None:
            properties = masses.from_numbers(wanted.inertia, physical=not wanted.allow_unphysical)
        elif case.physical or wanted.allow_unphysical:
            properties = case.properties()
        else:
            raise ValueError(f"the case {self.case_name} needs --allow-unphysical: {UNPHYSICAL}")
        rates = np.array(case.rates if wanted.angular_velocity is None else wanted.angular_velocity, dtype=float)
        # At the fastest pace a slow frame takes 0.4 s of the world: so many ticks must fit in one.
        self.world = World(wanted.dt, max_ticks_per_frame=max(8, math.ceil(0.4 / wanted.dt)), **how)
        orientation = upright(properties.inertia_body @ rates)
        self.body = self.world.add_body(properties, name="ship", orientation=orientation, angular_velocity_body=rates)
        self.radius, self.motion = case.radius, FreeMotion(self.body)
        self.sample, self.check = self.motion.sample, self.motion.check
        self._axis_trail, self._rate_trail = Trail(TRAIL_POINTS), Trail(TRAIL_POINTS)
        self.world.on_tick(self._remember, every=max(1, round(TRAIL_SPACING / wanted.dt)))

    def _rate_tip(self, rate_world: Array) -> Array:
        """Where the arrow of ω ends [m]; its height stays as long as ω·L = 2T does."""
        return rate_world * (RATE_HEIGHT * self.radius / self.motion.plane_height)

    def _remember(self, world: World) -> None:
        self._axis_trail.append(AXIS_LENGTH * self.radius * self.motion.remember())
        self._rate_trail.append(self._rate_tip(self.body.angular_velocity_world))


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line of this demo."""
    reader = options.parser("tumble", __doc__.partition("\n")[0])
    reader.add_argument("--case", choices=CASES, default="flip", help="default flip")
    reader.add_argument(
        "--inertia",
        type=options.numbers,
        nargs="+",
        metavar="I",
        help="3 principal moments or 9 numbers of a tensor [kg·m²]",
    )
    reader.add_argument("--angular-velocity", type=options.numbers, nargs="+", metavar="W", help="3 body rates [rad/s]")
    reader.add_argument("--allow-unphysical", action="store_true", help="take tensors that no real body has")
    wanted = reader.parse(arguments)
    wanted.inertia, wanted.angular_velocity = map(options.flattened, (wanted.inertia, wanted.angular_velocity))
    if wanted.angular_velocity is not None and (len(wanted.angular_velocity) != 3 or not any(wanted.angular_velocity)):
        reader.error(f"--angular-velocity must be 3 body rates [rad/s], not all zero; got {wanted.angular_velocity}")
    return wanted


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return application.main("tumble", Tumble, read_options(arguments))


def check(case: str = "flip", frames: int = 1200) -> list[str]:
    """Fly a case without drawing it: L and the energy stay, and the axis swings as far as the closed form says."""
    scene = Tumble(read_options(["--case", case, "--allow-unphysical"]))
    for _ in range(frames):
        scene.world.advance(options.FRAME)
    return scene.check()
