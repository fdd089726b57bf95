"""A spacecraft tumbles freely, steadily about its least and greatest axes and flipping about the intermediate axis.

    python -m demos tumble [--case NAME | --mesh FILE] [--integrator NAME] [--game-mode] [--headless --frames N --out FILE.png]

The flip is the Dzhanibekov effect, which the intermediate-axis (tennis-racket) theorem explains. The amber arrow is the angular momentum L,
which is conserved. White is the path of the body axis that is closest to L at the start. The upper inset has the solid ellipsoid with
the same moments, which rotates as the body does. In the lower one, Poinsot's ellipsoid ω·Iω = 2T rolls on its plane. Cyan is ω, with the
polhode on the ellipsoid, over the green one of the closed form, and the herpolhode on the plane. In game mode (key G) L is not conserved
and the ellipsoid does not roll. The cases named after Ganapathi are those of his figures 3 to 5. No real body has their tensors, so they
require --allow-unphysical. With --mesh, the body is the solid in a glTF, OBJ or STL file.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from . import running
from .drawing import Array, Arrow, Line, Model, Picture, Trail, colours
from .physics import MassProperties, World, integrators, rotation
from .scenes import masses
from .scenes.claims import check_after
from .scenes.equal_ellipsoid import EqualEllipsoid
from .scenes.free_body import upright
from .scenes.free_motion import FreeMotion
from .scenes.poinsot import Poinsot
from .scenes.restarting import Restarting
from .scenes.tumble_cases import CASES, UNPHYSICAL
from .scenes.tumble_mesh import mesh_case

MOMENTUM_LENGTH, RATE_LENGTH, AXIS_LENGTH, BODY_AXES_LENGTH = 1.3, 0.92, 1.35, 1.2  # in radii of the body
ELLIPSOID = 1.0  # length of the ellipsoids in the insets [m]
UP = np.array([0.0, 0.0, 1.0])
TRAIL_SPACING, TRAIL_POINTS = 1.0 / 120.0, 2400  # [s]; twenty seconds


@dataclass(frozen=True, kw_only=True)
class TumbleOptions(running.SceneOptions):
    """The options of this demo."""

    case: str
    mesh: Path | None
    """The file of the body; None for the case's own."""
    allow_unphysical: bool
    inertia: tuple[float, ...] | None
    """Three principal moments or nine numbers of a tensor [kg·m²]; None for the case's own."""
    angular_velocity: tuple[float, ...] | None
    """Body rates [rad/s]; None for the case's own."""


class Tumble(Restarting):
    """The scene, with one body and no force."""

    target = np.zeros(3)

    def __init__(self, wanted: TumbleOptions) -> None:
        self._wanted, self._cases, self.case_name = wanted, CASES, wanted.case
        if wanted.mesh is not None:
            self._cases, self.case_name = {"mesh": mesh_case(wanted.mesh), **CASES}, "mesh"
        self._begin(wanted.integrator, wanted.game_mode)

    def next_case(self) -> None:
        """Start the next permitted case with its own values."""
        self._wanted = replace(self._wanted, inertia=None, angular_velocity=None)
        super().next_case()

    def picture(self) -> Picture:
        """The body, its axes, L and their paths, and the two ellipsoids; drawing never writes to the world."""
        origin, orientation = self.body.interpolated_pose()
        turn, case = rotation.to_matrix(orientation), self._cases[self.case_name]
        own, possible = self._wanted.inertia is not None, len(self.equal.semi_axes) > 0
        note = UNPHYSICAL if not possible else "the drawn shape is not that of this tensor" if own else ""
        axis = AXIS_LENGTH * self.radius * (turn @ self.motion.axis_body)
        centre = origin + turn @ self.body.center_of_mass_body
        return Picture(
            [Model(case.mesh, origin, turn)],
            arrows=self._arrows(centre, axis, turn),
            lines=[
                Line(self._trail.points(axis), colours.PATH, 2.6, fades=True, layer="trails"),
                Line(np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 1.4 * self.radius)]), colours.GUIDE, 1.3, layer="momentum"),
            ],
            insets=[self.poinsot.inset(turn), *self.equal.insets(turn)],
            title=f"tumble · {'a tensor of your own' if own else case.text}",
            status=[note] if note else [],
        )

    def _arrows(self, centre: Array, axis: Array, turn: Array) -> list[Arrow]:
        """L, ω, the axis that is watched, and the body's axes."""
        radius = self.radius
        momentum = self.body.angular_momentum_world * (MOMENTUM_LENGTH * radius / self.motion.momentum_size)
        rate = turn @ self.body.angular_velocity_body * (RATE_LENGTH * radius / self.motion.plane_height)
        return [
            Arrow(centre, momentum, colours.MOMENTUM, "L", 0.016 * radius, "momentum"),
            Arrow(centre, rate, colours.RATES, "ω", 0.013 * radius, "rates"),
            Arrow(centre, axis, colours.PATH, "", 0.008 * radius, "body axes"),
            *(
                Arrow(centre, BODY_AXES_LENGTH * radius * axis, colours.AXES, name, 0.006 * radius, "body axes")
                for axis, name in zip(turn.T, "xyz", strict=True)
            ),
        ]

    def _case_names(self) -> Collection[str]:
        return [name for name, case in self._cases.items() if case.physical or self._wanted.allow_unphysical]

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        wanted, case = self._wanted, self._cases[self.case_name]
        properties = self._properties()
        rates = np.array(case.rates if wanted.angular_velocity is None else wanted.angular_velocity, dtype=float)
        # At the fastest pace a slow frame advances the world by 0.4 s, and that many ticks must fit into one frame.
        most = max(8, math.ceil(0.4 / wanted.dt))
        self.world = World(wanted.dt, integrator=integrator, game_mode=game_mode, max_ticks_per_frame=most)
        orientation = upright(properties.inertia_body @ rates)
        self.body = self.world.add_body(properties, name="ship", orientation=orientation, angular_velocity_body=rates)
        self.radius, self.motion = case.radius, FreeMotion(self.body)
        self.sample, self.check = self.motion.sample, self.motion.check
        self._trail = Trail(TRAIL_POINTS)
        self.world.on_tick(self._remember, every=max(1, round(TRAIL_SPACING / wanted.dt)))
        self._stand_ellipsoids(properties)

    def _properties(self) -> MassProperties:
        wanted, case = self._wanted, self._cases[self.case_name]
        if wanted.inertia is not None:
            return masses.from_numbers(wanted.inertia, physical=not wanted.allow_unphysical)
        if case.physical or wanted.allow_unphysical:
            return case.properties()
        raise ValueError(f"the case {self.case_name} needs --allow-unphysical: {UNPHYSICAL}")

    def _stand_ellipsoids(self, properties: MassProperties) -> None:
        self.equal = EqualEllipsoid(properties, ELLIPSOID)
        self.poinsot = Poinsot(self.motion, ELLIPSOID, TRAIL_POINTS)

    def _remember(self, world: World) -> None:
        self._trail.append(AXIS_LENGTH * self.radius * self.motion.remember())
        self.poinsot.remember()


def read_options(arguments: Sequence[str] | None = None) -> TumbleOptions:
    """The command line of this demo."""
    reader = running.parser("tumble", __doc__.partition("\n")[0], TumbleOptions)
    body = reader.add_mutually_exclusive_group()
    body.add_argument("--case", choices=CASES, default="flip", help="the body and its spin (default flip)")
    body.add_argument(
        "--mesh",
        type=Path,
        metavar="FILE",
        help="the body is the solid in this glTF, OBJ or STL file, scaled to the size of the ship and spun about its intermediate axis "
        "(needs the package trimesh)",
    )
    reader.add_argument("--allow-unphysical", action="store_true", help="accept tensors that no real body has")
    running.add_numbers(reader, "--inertia", "I", "3 principal moments or 9 numbers of a tensor [kg·m²]")
    running.add_numbers(reader, "--angular-velocity", "W", "3 body rates [rad/s]")
    wanted = reader.parse(arguments)
    if wanted.mesh is not None and wanted.inertia is not None:
        reader.error("--mesh and --inertia both give the inertia of the body; give one of them")
    if wanted.angular_velocity is not None and (len(wanted.angular_velocity) != 3 or not any(wanted.angular_velocity)):
        reader.error(f"--angular-velocity must be 3 body rates [rad/s], not all zero; got {wanted.angular_velocity}")
    return wanted


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return running.main("tumble", Tumble, read_options(arguments))


def check(case: str = "flip", frames: int = 1200) -> list[str]:
    """Run a case without drawing it, and check L, the energy, the polhode and the swing of the axis against the closed form."""
    return check_after(Tumble(read_options(["--case", case, "--allow-unphysical"])), frames)
