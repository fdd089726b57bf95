"""A cubesat that tumbles in a polar orbit is brought to rest by magnetorquers and the B-dot law.

    python -m demos detumble [--pace N] [--integrator NAME] [--headless --frames N --out FILE.png]

A magnetometer measures the field of the Earth once per second. The law commands a magnetic moment against the change of the field,
m = −k dB/dt, which three coils produce. Grey is the field B, magenta the moment m, violet the torque m × B, cyan the angular velocity
ω, and white the path of the long axis. The model of the Earth in the corner shows the orbit and lines of the field. The scene runs in
time lapse: one second in the window is a minute of flight. Without a window it is ten minutes, so that the run ends after more than one
orbit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from . import running
from .drawing import Array, Arrow, Colour, Curves, Line, Model, Picture, Sample, Trail, colours
from .meshes.cubesat import SCALE
from .physics import World, flight, forces, integrators, rotation
from .scenes import masses, polar_orbit
from .scenes.claims import check_after, claim
from .scenes.restarting import Restarting

PACE, PACE_UNSEEN = 60.0, 600.0
"""Simulated seconds per second in a window and without one."""
TUMBLE = np.radians([3.0, -4.0, 2.0])  # body rates at the start [rad/s]
MAX_DIPOLE, GAIN = 0.2, 5e4  # [A·m²], [A·m²·s/T]
SAMPLE = 1.0  # [s]
LEFT = 0.05
"""Share of the tumble that may be left after one orbit."""

RADIUS = 0.29  # of the scene [m]
AXIS_LENGTH, FIELD_LENGTH, RATE_LENGTH, MOMENT_LENGTH, TORQUE_LENGTH = 0.25, 0.20, 0.22, 0.75, 0.9  # [m]
SHORTEST = 0.035  # of an arrow that is drawn [m]
HULL = np.array([0.05, 0.05, 0.17])  # half the sides of the hull [m], body axes
STRONGEST_FIELD = 5e-5  # [T]; its arrow has the full length
TRAIL_POINTS, TRAIL_SPACING = 400, 1.0  # number, [s]
FAINT: Colour = colours.faint(colours.FIELD, 0.13)
CURVES = Curves(("tumble left", "+.3f"), ("moment / maximum", "+.2f"), 1200.0, (False, False))


@dataclass(frozen=True, kw_only=True)
class DetumbleOptions(running.SceneOptions):
    """The options of this demo."""

    pace: float | None
    """Simulated seconds per second; None for the usual pace."""


class BDotLoop:
    """Samples the field in the axes of the body, and commands the coils."""

    def __init__(self, coils: Sequence[flight.Magnetorquer]) -> None:
        self.coils, self._law = coils, flight.control.BDot(GAIN)
        self._body = coils[0].body
        self._last: Array | None = None
        self._time = 0.0

    def sample(self, world: World) -> None:
        """Measure the field and command the moment against its change since the last sample."""
        field = self._body.direction_to_body(polar_orbit.FIELD.at(self._body.position))
        if self._last is not None:
            wanted = self._law.dipole_body(field, self._last, world.time - self._time)
            for coil, moment in zip(self.coils, wanted, strict=True):
                coil.dipole = min(max(float(moment), -MAX_DIPOLE), MAX_DIPOLE)
        self._last, self._time = field, world.time


class Detumble(Restarting):
    """The scene: one cubesat with three coils."""

    radius = RADIUS

    def __init__(self, wanted: DetumbleOptions) -> None:
        self._dt = wanted.dt
        self._begin(wanted.integrator, wanted.game_mode)
        self.world.time_scale = wanted.pace or (PACE_UNSEEN if wanted.headless else PACE)

    @property
    def target(self) -> Array:
        """The cubesat as it is drawn."""
        return self.body.interpolated_pose()[0]

    def picture(self) -> Picture:
        """The cubesat, its vectors, the field around it and the model of the Earth."""
        origin, orientation = self.body.interpolated_pose()
        turn, axes = rotation.to_matrix(orientation), polar_orbit.orbital_axes(origin)
        field = polar_orbit.FIELD.at(origin)
        turns = self.world.time / polar_orbit.PERIOD
        tip = AXIS_LENGTH * turn[:, 2]
        return Picture(
            [Model("cubesat", origin, SCALE * turn)],
            arrows=self._arrows(origin, turn, field),
            lines=[
                Line(self._trail.points(tip) + origin, colours.PATH, 2.2, fades=True, layer="trails"),
                *self._field_lines(origin, field),
            ],
            insets=[self._planet.inset(origin, field)],
            lamps=[
                (f"coil {name}", abs(coil.dipole) / MAX_DIPOLE) for name, coil in zip("xyz", self.coils, strict=True)
            ],
            title="detumble · magnetorquers and the B-dot law in a polar orbit",
            status=[
                f"rotation {self._rate_text()}, moment {MAX_DIPOLE * self._used():.3f} A·m², orbit {turns:.2f}",
            ],
            camera_axes=axes,
            planet=polar_orbit.backdrop(origin),
        )

    def sample(self) -> Sample:
        """The share of the tumble that is left, and the commanded moment over the largest of one coil."""
        return Sample(self.world.time, self.body.angular_velocity_body, self._left(), self._used(), CURVES)

    def check(self) -> list[str]:
        """Assert that the orbit is the circle of Kepler, and that the tumble is gone after one turn of it."""
        time, orbit = self.world.time, polar_orbit
        apart = float(np.linalg.norm(self.body.position - orbit.place(time)))
        # A method adds (n dt)^order per radian of the orbit, and rounding 1e-16 of the radius per tick.
        turn = orbit.RATE * self.world.dt
        order = min(self.world.integrator.order, 4)
        allowed = orbit.ORBIT_RADIUS * (1e-9 + (1.0 + orbit.RATE * time) ** 2 * turn**order)
        found = [claim(apart <= allowed, f"orbit off its circle by {apart:.1e} m, allowed {allowed:.1e} m")]
        left = f"{100.0 * self._left():.1f} % of the tumble is left after {time / orbit.PERIOD:.2f} orbits"
        if time < orbit.PERIOD:
            return [*found, f"{left}; the claim is about one orbit or more"]
        return [*found, claim(self._left() <= LEFT, f"{left}, allowed {100.0 * LEFT:g} %")]

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        # at the fastest pace a slow frame of 0.1 s advances the world by 48 s
        most = math.ceil(48.0 / self._dt)
        self.world = World(self._dt, integrator=integrator, game_mode=game_mode, max_ticks_per_frame=most)
        self.body = self.world.add_body(
            masses.cubesat(),
            name="cubesat",
            position=polar_orbit.place(0.0),
            velocity=polar_orbit.velocity(0.0),
            orientation=rotation.from_rotation_vector((0.4, 1.1, -0.3)),
            angular_velocity_body=TUMBLE,
        )
        self.world.add_force(forces.PointGravity(polar_orbit.GM))
        self.coils = [
            self.world.add_part(
                flight.Magnetorquer(self.body, axis=axis, max_dipole=MAX_DIPOLE, field=polar_orbit.FIELD)
            )
            for axis in np.eye(3)
        ]
        self.loop = BDotLoop(self.coils)
        self.world.on_tick(self.loop.sample, every=max(1, round(SAMPLE / self._dt)))
        self._planet = polar_orbit.PlanetModel()
        self._trail = Trail(TRAIL_POINTS)
        self.world.on_tick(self._remember, every=max(1, round(TRAIL_SPACING / self._dt)))

    def _remember(self, world: World) -> None:
        self._trail.append(AXIS_LENGTH * self.body.direction_to_world((0.0, 0.0, 1.0)))

    def _left(self) -> float:
        """Share of the first angular velocity that is left."""
        return float(np.linalg.norm(self.body.angular_velocity_body) / np.linalg.norm(TUMBLE))

    def _used(self) -> float:
        """Size of the commanded moment over the largest of one coil."""
        return math.sqrt(sum(coil.dipole**2 for coil in self.coils)) / MAX_DIPOLE

    def _rate_text(self) -> str:
        return f"{math.degrees(float(np.linalg.norm(self.body.angular_velocity_body))):.3f}°/s"

    def _arrows(self, origin: Array, turn: Array, field: Array) -> list[Arrow]:
        """B, m, the torque and ω, each in proportion to its size, from the surface of the hull outwards."""
        moment = turn @ np.array([coil.dipole for coil in self.coils])
        torque = np.cross(moment, field)
        rate = turn @ self.body.angular_velocity_body
        largest = MAX_DIPOLE * STRONGEST_FIELD
        found = [
            Arrow(origin, field * (FIELD_LENGTH / STRONGEST_FIELD), colours.FIELD, "B", 0.0050),
            Arrow(origin, rate * (RATE_LENGTH / float(np.linalg.norm(TUMBLE))), colours.RATES, "ω", 0.0045, "rates"),
            Arrow(origin, moment * (MOMENT_LENGTH / MAX_DIPOLE), colours.MOMENT, "m", 0.0045, "torques"),
            Arrow(origin, torque * (TORQUE_LENGTH / largest), colours.TORQUE, "τ", 0.0045, "torques"),
        ]
        lengths = [float(np.linalg.norm(arrow.vector)) for arrow in found]
        return [
            replace(arrow, start=origin + to_surface(turn, arrow.vector / length))
            for arrow, length in zip(found, lengths, strict=True)
            if length > SHORTEST
        ]

    def _field_lines(self, origin: Array, field: Array) -> list[Line]:
        """The field is the same all over the cubesat: a few straight lines, closer where it is stronger."""
        along = field / np.linalg.norm(field)
        across = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
        across /= np.linalg.norm(across)
        other, spacing = np.cross(along, across), 0.16 * math.sqrt(STRONGEST_FIELD / float(np.linalg.norm(field)))
        ends = np.array([-0.9 * RADIUS * along, 0.9 * RADIUS * along])
        return [
            Line(origin + spacing * (i * across + j * other) + ends, FAINT, 1.3)
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
            if (i, j) != (0, 0)
        ]


def to_surface(turn: Array, direction: Array) -> Array:
    """From the middle of the hull to its surface [m] in a direction, a unit vector in the world frame; `turn` (3, 3) is the hull's."""
    shares = np.abs(direction @ turn) / HULL
    return direction / float(shares.max())


def read_options(arguments: Sequence[str] | None = None) -> DetumbleOptions:
    """The command line of this demo."""
    reader = running.parser("detumble", __doc__.partition("\n")[0], DetumbleOptions, dt="1/4")
    running.add_pace(reader, PACE, PACE_UNSEEN, (1.0, PACE_UNSEEN))
    return reader.parse(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return running.main("detumble", Detumble, read_options(arguments))


def check(frames: int = 600) -> list[str]:
    """Run the demo without drawing it, and check the orbit and the share of the tumble that is left."""
    return check_after(Detumble(read_options(["--headless"])), frames)
