"""A lander with four sprung legs sets down on cratered ground or on an asteroid that spins, flown by you or by its autopilot.

    python -m demos lander [--case craters | asteroid] [--integrator NAME] [--headless --frames N --out FILE.png]

The feet are bodies of their own on sliders with springs, and touch ground of ten thousands of triangles: a height field on the Moon, and a
mesh that turns. At the first touch the engine is cut, and from then on the legs, the ground and friction alone bring the craft to rest.
Orange arrows are the forces of the ground on each foot, which bars show as well; the ring marks the site.

W, S, A, D command 0.5 m/s more to the north, south, west or east, E and X 0.25 m/s up or down. P gives the flight back to the autopilot,
and B cuts the engine. Gravity on the asteroid is stronger than it would be, so that a landing takes seconds.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from . import running
from .drawing import Array, Arrow, Binding, Caption, Curves, Gauge, Line, Model, Picture, Sample, Trail, colours
from .meshes.lander import ENGINE, FOOT, LEG
from .physics import World, integrators, rotation
from .scenes.claims import check_after, claim
from .scenes.landing_craft import STROKE, Craft, craft_mass
from .scenes.landing_grounds import Ground, cases
from .scenes.landing_ledger import LandingLedger
from .scenes.landing_pilot import LandingPilot
from .scenes.restarting import Restarting

CASES = ("craters", "asteroid")
THRUST = 2.4
"""Of the engine, over the weight on the surface."""
FORCE_LENGTH, MOST_FORCE = 0.6, 4.0
"""Length of the arrow of a force as large as a quarter of the weight [m], and the force of a full bar over that."""
SITE_RADIUS = 3.0  # [m]
TRAIL_SPACING = 0.1  # [s]
AT_SITE, STILL = 1.2, 4.0
"""Height over the site at which the camera looks when the craft is near, and how near that is [m]."""
SETTLED_AFTER = {"craters": 32.0, "asteroid": 40.0}
"""Time after which the craft must be at rest [s]."""
AT_REST, UPRIGHT, NEAR = 5e-3, math.radians(25.0), 6.0
"""Largest speed over the ground [m/s], tilt [rad] and distance from the site [m] then."""
CURVES = Curves(("height [m]", ".2f"), ("force of the ground [kN]", ".2f"), 40.0, (False, False))


@dataclass(frozen=True, kw_only=True)
class LanderOptions(running.SceneOptions):
    """The options of this demo."""

    case: str


class Lander(Restarting):
    """The scene: the ground, the craft, and who flies it."""

    radius = 3.9
    keys: ClassVar[Sequence[Binding]] = (
        ("w", "W, S", "command 1 0.5", "faster to the north, south"),
        ("s", "", "command 1 -0.5", ""),
        ("a", "A, D", "command 0 -0.5", "faster to the west, east"),
        ("d", "", "command 0 0.5", ""),
        ("e", "E, X", "command 2 0.25", "faster up, down"),
        ("x", "", "command 2 -0.25", ""),
        ("p", "P", "autopilot", "autopilot"),
        ("b", "B", "cut", "cut the engine"),
    )

    def __init__(self, wanted: LanderOptions) -> None:
        self._wanted, self.case_name, self._grounds = wanted, wanted.case, cases()
        self._begin(wanted.integrator, wanted.game_mode)

    @property
    def ground(self) -> Ground:
        """Where it lands."""
        return self._grounds[self.case_name]

    @property
    def target(self) -> Array:
        """The craft."""
        place: Array = self.craft.stage.interpolated_pose()[0]
        time = self.world.time - (1.0 - self.world.alpha) * self.world.dt
        # over the site the camera stands still, so that the ground does not rise and fall with the craft
        still = self.ground.site_at(time) + AT_SITE * self.ground.axes_at(place)[:, 2]
        away = still - place
        far = float(np.linalg.norm(away))
        return place + min(1.0, STILL / far) * away if far > 0.0 else place

    # what the keys do

    def command(self, axis: str, step: str) -> str:
        """Command another velocity."""
        return self.pilot.command(int(axis), float(step))

    def autopilot(self) -> str:
        """Give the flight back to the autopilot."""
        self.pilot.is_automatic = True
        return "engine off" if self.pilot.is_off else "autopilot"

    def cut(self) -> str:
        """Cut the engine."""
        return self.pilot.cut()

    # what is seen

    def picture(self) -> Picture:
        """The craft on its way, the site, and the forces of the ground."""
        time = self.world.time - (1.0 - self.world.alpha) * self.world.dt
        origin, orientation = self.craft.stage.interpolated_pose()
        turn, axes, ground = rotation.to_matrix(orientation), self.ground.axes_at(origin), self.ground
        models = [
            Model(ground.mesh, np.zeros(3), rotation.to_matrix(ground.turned(time))),
            Model("lander", origin, turn),
        ]
        for foot in self.craft.feet:
            place, pose = foot.interpolated_pose()
            models.append(Model("lander-foot", place, rotation.to_matrix(pose)))
        site = self.ground.site_at(time)
        captions = [Caption(site + 0.6 * axes[:, 2], ["site"], colours.GOAL, "trails")] if self._height() > 6.0 else []
        return Picture(
            models,
            plumes=[ENGINE.plume(origin, turn, self.craft.engine.throttle)],
            arrows=self._arrows(),
            lines=[
                Line(self._ring(site), colours.GOAL, 2.4, layer="trails", behind=0.25),
                Line(self._trail.points(origin), colours.PATH, 2.0, fades=True, layer="trails"),
            ],
            captions=captions,
            gauges=self._gauges(),
            title=f"lander · {ground.text}",
            status=self._status(),
            camera_axes=axes,
            planet=np.array(ground.planet),
        )

    def sample(self) -> Sample:
        """The rates, the height over the site, and the force of the ground."""
        force = sum(float(np.linalg.norm(body.contact_force_world)) for body in self.craft.bodies)
        rates = self.craft.stage.angular_velocity_body
        return Sample(self.world.time, rates, self._height(), 1e-3 * force, CURVES)

    def check(self) -> list[str]:
        """Assert that the craft rests near the site, that impulses explain its momentum, and that the ground adds no energy."""
        return [self._check_landing(), *self.ledger.check()]

    def _check_landing(self) -> str:
        place, time = self.craft.stage.position, self.world.time
        if not self.pilot.is_automatic or time < SETTLED_AFTER[self.case_name]:
            return f"landing: the claim is about the autopilot's flight after {SETTLED_AFTER[self.case_name]:g} s"
        axes = self.ground.axes_at(place)
        speed = float(np.linalg.norm(self.craft.stage.velocity - self.ground.velocity_at(place)))
        tilt = math.acos(min(float(self.craft.stage.direction_to_world((0.0, 0.0, 1.0)) @ axes[:, 2]), 1.0))
        off = float(np.hypot(*(axes.T @ (place - self.ground.site_at(time)))[:2]))
        pressed = max(float(leg.distance) for leg in self.craft.legs)
        text = (
            f"at rest to {1e3 * speed:.2g} mm/s, {math.degrees(tilt):.1f}° off the vertical, {off:.1f} m from the site, "
            f"legs pressed in by {pressed:.2f} m at most"
        )
        return claim(speed < AT_REST and tilt < UPRIGHT and off < NEAR and pressed < STROKE, text)

    # parts of these

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        ground = self.ground
        self.world = World(self._wanted.dt, integrator=integrator, game_mode=game_mode)
        ground.add_to(self.world)
        site = ground.site_at(0.0)
        place = site + ground.axes_at(site) @ ground.start
        axes = ground.axes_at(place)
        velocity = axes @ ground.velocity + ground.velocity_at(place)
        thrust = THRUST * ground.gravity * craft_mass()
        self.craft = Craft(self.world, place, rotation.from_matrix(axes), velocity, thrust)
        self.pilot = LandingPilot(self.craft, ground)
        self.ledger = LandingLedger(self.world, self.craft, ground)
        self._trail = Trail(round(60.0 / TRAIL_SPACING))
        self.world.on_tick(self._fly, name="fly")
        self.world.on_tick(self._remember, every=max(1, round(TRAIL_SPACING / self.world.dt)), name="remember")
        self.world.after_tick(self.ledger.note, name="note")
        for foot in self.craft.feet:
            self.world.on_contact(self._touch, event="begin", body=foot, name=f"touch of {foot.name}")

    def _fly(self, world: World) -> None:
        self.pilot.fly(world.time)

    def _remember(self, _world: World) -> None:
        self._trail.append(self.craft.stage.position)

    def _touch(self, _world: World, _contact: Any) -> None:
        """At the first touch the engine is cut, as a light in the cabin would say."""
        if not self.pilot.is_off:
            self.pilot.cut()

    def _height(self) -> float:
        """Of the feet over the site [m]."""
        place = self.craft.stage.position
        up = self.ground.axes_at(place)[:, 2]
        return float((place - self.ground.site_at(self.world.time)) @ up) - LEG - FOOT + 0.1

    def _arrows(self) -> list[Arrow]:
        """The force of the ground at each point."""
        contacts, weight = self.world.contacts, 0.25 * self.craft.mass * self.ground.gravity
        pushes = contacts.normal_impulse[:, np.newaxis] * contacts.normal_world + contacts.friction_impulse_world
        forces = FORCE_LENGTH / (weight * self.world.dt) * pushes
        return [
            Arrow(place, force, colours.THRUST, "", 0.045)
            for place, force in zip(contacts.point_world, forces, strict=True)
            if float(np.linalg.norm(force)) > 0.05
        ]

    def _gauges(self) -> list[Gauge]:
        """The force of the ground on each foot, and how far its leg is pressed in."""
        weight, found = 0.25 * self.craft.mass * self.ground.gravity, []
        for number, (foot, leg) in enumerate(zip(self.craft.feet, self.craft.legs, strict=True), 1):
            force = float(np.linalg.norm(foot.contact_force_world))
            text = f"{force:.0f} N, {100.0 * max(float(leg.distance), 0.0):.0f} cm"
            share = min(force / (MOST_FORCE * weight), 1.0)
            found.append(Gauge(f"foot {number}", share, text, alarm=leg.distance > 0.9 * STROKE))
        return found

    def _status(self) -> list[str]:
        place = self.craft.stage.position
        over = self.ground.axes_at(place).T @ (self.craft.stage.velocity - self.ground.velocity_at(place))
        who = "engine off" if self.pilot.is_off else "autopilot" if self.pilot.is_automatic else "by hand"
        throttle = f", engine {100.0 * self.craft.engine.throttle:.0f} %" if not self.pilot.is_off else ""
        return [
            f"{who}{throttle}",
            f"{np.hypot(*over[:2]):.2f} m/s across, {over[2]:+z.2f} m/s up",
            self.ledger.status(),
        ]

    def _ring(self, site: Array) -> Array:
        """A circle about the site, a little above it."""
        axes, angles = self.ground.axes_at(site), np.linspace(0.0, 2.0 * np.pi, 61)
        circle = np.column_stack([SITE_RADIUS * np.cos(angles), SITE_RADIUS * np.sin(angles), np.full(61, 0.35)])
        return site + circle @ axes.T

    def _case_names(self) -> Collection[str]:
        return CASES


def read_options(arguments: Sequence[str] | None = None) -> LanderOptions:
    """The command line of this demo."""
    reader = running.parser("lander", __doc__.partition("\n")[0], LanderOptions)
    reader.add_argument("--case", choices=CASES, default="craters", help="the ground (default craters)")
    return reader.parse(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return running.main("lander", Lander, read_options(arguments))


def check(case: str = "craters") -> list[str]:
    """Let the autopilot land without drawing it, and check the landing, the momentum and the energy."""
    frames = round(60.0 * SETTLED_AFTER[case]) + 1
    return check_after(Lander(read_options(["--case", case])), frames)
