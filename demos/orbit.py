"""Coasts along an orbit at up to a million times real time, with the exact attitude after each jump.

    python -m demos orbit [--case transfer | molniya | flyby] [--integrator NAME] [--headless --frames N --out FILE.png]

A satellite spins about its axis and nutates on its way to an orbit of one day. Up to ×24 the world runs tick by tick. Above that, it
coasts: each frame is one jump along the exact conic and the exact free rotation. The kick motor burns at the apoapsis, tick by tick. A
script sets the pace until you do. Amber is the angular momentum L, cyan the angular velocity ω, white the spin axis with the circle of its
closed form, and red the thrust. The map shows the orbit from its north, to scale.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from . import running
from .drawing import FIRST_PITCH, FIRST_RIGHT, FIRST_YAW, Array, Arrow, Line, Model, Picture, Sample, colours
from .meshes.drum_satellite import NOZZLES
from .physics import flight, forces, integrators, rotation
from .scenes import masses, polar_orbit
from .scenes.claims import check_after, claim
from .scenes.orbit_cases import CASES, EARTH_RADIUS, burn_at_the_apoapsis, start_of
from .scenes.orbit_map import OrbitMap
from .scenes.piloted_world import Burn, PilotedWorld
from .scenes.restarting import Restarting
from .scenes.spinning_body import SpinningBody

SPIN, NUTATION = 1.9, 0.16  # [rad/s] about the axis, and the angle between the axis and L [rad]
THRUST = 30e3  # [N]
FASTEST_STEPPED, STEADY_ABOVE = 24.0, 3e5
"""The greatest pace of single ticks, and the pace above which the camera no longer turns with the orbit."""
HORIZON = math.radians(6.0)  # below the middle of the picture
ACROSS = 0.95  # [rad] between the direction of motion and that of the first view, to the south of the orbit
LENGTH, AXIS = 2.7, 2.2  # of the arrows and of the spin axis [m]
MOTOR = NOZZLES["kick motor"]


@dataclass(frozen=True, kw_only=True)
class OrbitOptions(running.SceneOptions):
    """The options of this demo."""

    case: str


class Orbit(Restarting):
    """The scene, with one satellite around the Earth, whose centre is the world's origin."""

    radius = 2.35
    fastest = 1e6  # times real time
    world: PilotedWorld

    def __init__(self, wanted: OrbitOptions) -> None:
        self._dt, self.case_name = wanted.dt, wanted.case
        self._begin(wanted.integrator, wanted.game_mode)

    def reset(self) -> None:
        """Begin again, with the script."""
        paused = self.world.paused
        self._begin(self.world.integrator, self.world.game_mode)
        self.world.paused = paused

    @property
    def target(self) -> Array:
        """The satellite as it is drawn [m], world frame."""
        return self.satellite.interpolated_pose()[0]

    def picture(self) -> Picture:
        """The satellite over the planet, its vectors, and the map."""
        origin, orientation = self.satellite.interpolated_pose()
        turn, throttle = rotation.to_matrix(orientation), self.engine.throttle
        if self.world.time_scale < STEADY_ABOVE:
            self._axes = camera_axes(origin, self.satellite.velocity)
        if self.world.after_burn is not None and not self.map.is_changed:
            self.map.add(self.world.after_burn[1:])
        solids, lines, words = self.map.draw(origin, self._axes @ FIRST_RIGHT, self._axes[:, 2])
        return Picture(
            [Model("drum-satellite", origin, turn), *solids],
            plumes=[MOTOR.plume(origin, turn, throttle)],
            arrows=self._arrows(origin, turn, throttle),
            lines=[
                Line(origin + AXIS * self.spin.circle(), colours.faint(colours.PATH, 0.45), 2.2, layer="trails"),
                *lines,
            ],
            captions=[words],
            lamps=[("kick motor", throttle)] if CASES[self.case_name].burns else (),
            title=f"orbit · {CASES[self.case_name].text}",
            status=self._status(origin),
            camera_axes=self._axes,
            planet=polar_orbit.backdrop(origin, EARTH_RADIUS),
        )

    def sample(self) -> Sample:
        """Energy and angular momentum of the rotation, which neither the orbit nor the thrust along the axis changes."""
        return Sample(self.world.time, self.satellite.angular_velocity_body, *self.spin.drift())

    def check(self) -> list[str]:
        """Assert that the attitude is its closed form, that the orbit is one conic, and that the burn made it a circle."""
        if self.world.game_mode:
            return ["nothing, because a world in game mode does not coast"]
        found = [self._check_attitude(), self._check_orbit()]
        if self.world.after_burn is not None:
            e = float(flight.orbit.elements(polar_orbit.GM, *self.world.after_burn[1:]).eccentricity)
            found.append(claim(e < 0.01, f"the burn left an eccentricity of {e:.5f}"))
        return found

    def _arrows(self, origin: Array, turn: Array, throttle: float) -> list[Arrow]:
        """L, ω, the spin axis and the thrust."""
        rate = turn @ self.satellite.angular_velocity_body
        found = [
            Arrow(origin, LENGTH * self.spin.direction, colours.MOMENTUM, "L", 0.026, "momentum"),
            Arrow(origin, 0.9 * LENGTH * rate / np.linalg.norm(rate), colours.RATES, "ω", 0.022, "rates"),
            Arrow(origin, AXIS * turn[:, 2], colours.PATH, "", 0.014, "body axes"),
        ]
        if throttle:
            found.append(Arrow(origin + turn @ (0.0, 0.0, -2.6), 1.1 * turn[:, 2], colours.THRUST, "", 0.03, "thrust"))
        return found

    def _status(self, origin: Array) -> list[str]:
        world, height = self.world, float(np.linalg.norm(origin)) - EARTH_RADIUS
        speed, obstacle = float(np.linalg.norm(self.satellite.velocity)), world.coast_obstacle()
        how = "coasting" if world.time_scale > world.fastest_stepped else "tick by tick"
        return [
            f"day {world.time / 86_400.0:.3f}   altitude {height / 1e3:,.0f} km   speed {speed / 1e3:.3f} km/s",
            f"{how} at ×{world.time_scale:,.0f}   attitude off its closed form by {self.spin.error(world.time):.0e} rad",
            "tick by tick while the kick motor burns"
            if self.engine.throttle
            else f"no coast: {obstacle}"
            if obstacle
            else "",
        ]

    def _check_attitude(self) -> str:
        world, error = self.world, self.spin.error(self.world.time)
        turned, turn = self.spin.speed * world.time, self.spin.speed * world.dt
        # rounding of the angle, and of the rates in each tick, which turns the body away as long as it flies
        allowed = 1e-9 + turned * (1e-14 + 5e-16 * world.stepped)
        if not isinstance(world.integrator, integrators.FreeRotor):  # and the method's error per tick
            allowed += (turned + world.stepped) * turn ** (world.integrator.order + 1)
        text = f"attitude off its closed form by {error:.1e} rad after {turned:.2g} rad, allowed {allowed:.1e}"
        return claim(error <= allowed, text)

    def _check_orbit(self) -> str:
        """Against one jump from the first state of the present orbit."""
        world, position = self.world, self.satellite.position
        if self.engine.throttle:
            return "the orbit is not checked while the kick motor changes it"
        since, *first = world.after_burn or (0, *self._first)
        seconds = (world.tick_count - since) * world.dt
        expected, _ = flight.orbit.propagate(polar_orbit.GM, *first, seconds)
        error = float(np.linalg.norm(position - expected) / np.linalg.norm(expected))
        # rounding of the angle around the centre, and what a method of its order errs in the steps at the periapsis
        nearest = flight.orbit.elements(polar_orbit.GM, *first).periapsis_distance
        rate = math.sqrt(2.0 * polar_orbit.GM / nearest**3)
        allowed = (
            1e-9 + 1e-14 * rate * seconds + world.time * rate * (rate * world.dt) ** min(world.integrator.order, 2)
        )
        text = f"position off one jump of {seconds:.4g} s by {error:.1e} of the distance, allowed {allowed:.1e}"
        return claim(error <= allowed, text)

    def _case_names(self) -> Collection[str]:
        return CASES

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        case, properties = CASES[self.case_name], masses.drum_satellite()
        self._first = start_of(case)
        self.world = PilotedWorld(
            self._dt,
            integrator=integrator,
            game_mode=game_mode,
            max_ticks_per_frame=max(1, round(FASTEST_STEPPED / (60.0 * self._dt))),
            keep_out=((0.0, 0.0, 0.0), EARTH_RADIUS),
        )
        # the part of the thrust across L cancels over a turn
        direction, seconds, middle = burn_at_the_apoapsis(case, THRUST * math.cos(NUTATION) / properties.mass)
        self.spin = SpinningBody(properties, direction, SPIN, NUTATION)
        self.satellite = self.world.add_body(
            properties,
            name="satellite",
            origin=self._first[0],
            velocity=self._first[1],
            orientation=self.spin.orientation(0.0),
            angular_velocity_body=self.spin.rates,
        )
        self._first = self.satellite.position, self.satellite.velocity
        self._axes = camera_axes(*self._first)
        self.spin.watch(self.satellite)
        self.world.add_force(forces.PointGravity(polar_orbit.GM))
        self.engine = forces.Thruster(
            self.satellite, position=MOTOR.position, direction=MOTOR.force_direction, max_force=THRUST
        )
        self.world.add_force(self.engine)
        start, end = (round((middle + sign * 0.5 * seconds) / self._dt) for sign in (-1.0, 1.0))
        self.world.follow(case.legs, Burn(self.engine, start, end) if case.burns else None)
        self.map = OrbitMap(self._first, self.radius, will_be_round=case.burns)


def camera_axes(position: Array, velocity: Array) -> Array:
    """Axes of the camera that puts the horizon a little below the middle of the picture, seen from the north of the orbit."""
    up = position / np.linalg.norm(position)
    ahead = velocity - (velocity @ up) * up
    ahead /= np.linalg.norm(ahead)
    level = math.cos(ACROSS) * ahead - math.sin(ACROSS) * np.cross(up, ahead)
    # how far the horizon lies below the level, less where it would be in a level picture
    tilt = math.acos(EARTH_RADIUS / float(np.linalg.norm(position))) - FIRST_PITCH - HORIZON
    forward = math.cos(tilt) * level - math.sin(tilt) * up
    z = math.cos(tilt) * up + math.sin(tilt) * level
    # the first view looks along −x' of the frame turned by its yaw
    x, y = -forward, -np.cross(z, forward)
    cosine, sine = math.cos(FIRST_YAW), math.sin(FIRST_YAW)
    return np.column_stack([cosine * x - sine * y, sine * x + cosine * y, z])


def read_options(arguments: Sequence[str] | None = None) -> OrbitOptions:
    """The command line of this demo."""
    reader = running.parser("orbit", __doc__.partition("\n")[0], OrbitOptions, dt="1/60")
    reader.add_argument("--case", choices=CASES, default="transfer", help="the flight (default transfer)")
    return reader.parse(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return running.main("orbit", Orbit, read_options(arguments))


def check(case: str = "transfer", frames: int = 600) -> list[str]:
    """Run a case without drawing it, and check orbit and attitude."""
    return check_after(Orbit(read_options(["--case", case])), frames)
