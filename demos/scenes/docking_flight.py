"""A flight of the ship to a port of the station, by autopilot or by keys, with its world, keys, views and instrument."""

import math
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from ..drawing import Array, Arrow, Binding, Caption, Curves, Eye, Line, Model, Picture, Sample, Trail, about_z, colours
from ..meshes import station
from ..physics import World, integrators, rotation
from . import docking_view, masses
from .attitude_pilot import next_of
from .claims import claim
from .docking import DISTANCE, Alignment
from .docking_pilot import MODES, DockingPilot, FacingPort
from .restarting import Restarting
from .ship import MESH, Ship

PACE, PACE_UNSEEN, FASTEST_PACE = 1.0, 15.0, 60.0
"""Simulated seconds per second in a window, without one, and at most."""
PORT = station.PORTS["front"]
JET_FORCE = 60.0  # [N]

VIEWS = {"chase": "behind the ship", "port": "through the ship's port", "station": "from the station's port"}
EYE_DEPTH = 0.14  # of the cameras in the ports [m]
PLANET = np.array([0.382, -0.127, -0.915, 0.93])
TRAIL_POINTS, TRAIL_SPACING = 600, 0.5  # number, [s]
CURVES = Curves(("range [m]", "z.2f"), ("closing [m/s]", "+z.3f"), 120.0, (False, False))


@dataclass(frozen=True)
class Case:
    """Where a flight begins."""

    text: str
    place: tuple[float, float, float]
    """Position of the ship's mass centre in the axes of the port: across, up and out [m]."""
    turned: tuple[float, float, float]
    """Rotation vector from the attitude that faces the port [degree], body frame."""
    velocity: tuple[float, float, float]
    """Velocity relative to the port [m/s], in its axes."""
    rates: tuple[float, float, float]
    """Angular velocity of the ship [degree/s], body frame."""
    station_rates: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Angular velocity of the station [degree/s], body frame."""


CASES = {
    "aside": Case(
        "from 12 m beside the axis",
        (11.0, -5.0, 24.0),
        (35.0, -50.0, 70.0),
        (0.1, 0.05, -0.05),
        (0.5, -0.8, 0.3),
    ),
    "straight": Case("along the axis", (0.6, -0.4, 22.0), (3.0, -4.0, 6.0), (0.0, 0.02, 0.0), (0.0, 0.0, 0.0)),
    "turning": Case(
        "to a station that rotates",
        (7.0, 4.0, 22.0),
        (-20.0, 30.0, -80.0),
        (0.0, 0.0, 0.0),
        (0.0, 0.0, 0.0),
        (0.25, 0.8, 0.1),
    ),
}


class Wanted(Protocol):
    """The options of the command line for a flight."""

    @property
    def case(self) -> str: ...
    @property
    def pilot(self) -> str: ...
    @property
    def view(self) -> str: ...
    @property
    def pace(self) -> float | None: ...
    @property
    def dt(self) -> float: ...
    @property
    def integrator(self) -> str | None: ...
    @property
    def game_mode(self) -> bool: ...
    @property
    def headless(self) -> bool: ...


class DockingFlight(Restarting):
    """The scene: a ship and a station, far from everything else."""

    name: ClassVar[str]
    """The name of the demo, in the title."""
    cases: ClassVar[Mapping[str, Case]]
    camera_turn: ClassVar[float] = 0.0
    """Initial angle by which the chase camera is turned to the side of the axis [rad]."""
    torque_length = docking_view.TORQUE_LENGTH
    """Length of the arrow of a torque [m/(N·m)]."""
    reach: ClassVar[float] = DISTANCE
    """Distance of the ports at which they touch [m]."""
    views: ClassVar[Mapping[str, str]] = VIEWS
    pilot: DockingPilot
    radius = 5.2  # of what the chase camera shows [m]
    keys: Sequence[Binding] = (
        ("w", "W, S", "push z +", "push ahead, back"),
        ("s", "", "push z -", ""),
        ("a", "A, D", "push x +", "push left, right"),
        ("d", "", "push x -", ""),
        ("e", "E, X", "push y +", "push up, down"),
        ("x", "", "push y -", ""),
        ("i", "I, K", "twist x -", "nose up, down"),
        ("k", "", "twist x +", ""),
        ("j", "J, L", "twist y +", "nose left, right"),
        ("l", "", "twist y -", ""),
        ("u", "U, O", "twist z -", "roll left, right"),
        ("o", "", "twist z +", ""),
        ("p", "P", "next_pilot", "autopilot, hold, pulses"),
        ("v", "V", "next_view", "next view"),
    )

    def __init__(self, wanted: Wanted) -> None:
        self._wanted, self.case_name, self.view = wanted, wanted.case, wanted.view
        self._begin(wanted.integrator, wanted.game_mode)
        self.world.time_scale = wanted.pace or (PACE_UNSEEN if wanted.headless else PACE)

    @property
    def target(self) -> Array:
        """Between the ship and the port, nearer to the ship."""
        origin, _ = self.ship.body.interpolated_pose()
        return origin + 0.2 * (self._station_pose()[0] - origin)

    def reset(self) -> None:
        """Restart; the world is no longer paused if the flight had ended."""
        ended = bool(self.result)
        super().reset()
        self.world.paused &= not ended

    # orders from the keyboard

    def push(self, axis: str, sign: str) -> str:
        """Fire one pulse along an axis of the ship."""
        self.pilot.push("xyz".index(axis), float(f"{sign}1"))
        return self._pilot_text()

    def twist(self, axis: str, sign: str) -> str:
        """Fire one pulse about an axis of the ship, or turn the attitude that is held."""
        self.pilot.twist("xyz".index(axis), float(f"{sign}1"))
        return self._pilot_text()

    def next_pilot(self) -> str:
        """Switch to the next pilot."""
        self.pilot.switch(next_of(list(MODES), self.pilot.mode))
        return self._pilot_text()

    def next_view(self) -> str:
        """Switch to the next camera."""
        self.view = next_of(list(VIEWS), self.view)
        return f"view: {self.views[self.view]}"

    def _pilot_text(self) -> str:
        return f"pilot: {MODES[self.pilot.mode]}"

    # what is seen

    def picture(self) -> Picture:
        """Both craft, the corridor, the path so far, force and torque, and the instrument."""
        origin, orientation = self.ship.body.interpolated_pose()
        turn = rotation.to_matrix(orientation)
        middle, axes = self._station_pose()
        station_origin, station_orientation = self.station.interpolated_pose()
        nose = origin + turn @ self.ship.port.position
        levels = np.sqrt(self.pilot.jets.shares)  # a short pulse is bright, too
        return Picture(
            [
                Model("station", station_origin, rotation.to_matrix(station_orientation)),
                Model(MESH, origin, turn),
                *self._details(nose, turn @ self.ship.port.matrix, middle, axes),
            ],
            plumes=self.ship.plumes(origin, turn, levels),
            arrows=self._arrows(turn) if self.view == "chase" else [],
            lines=self._lines(nose, turn, middle, axes),
            captions=self._captions(middle, axes) if self.view == "chase" else [],
            lamps=self.ship.lamps(levels),
            title=f"{self.name} · {self.cases[self.case_name].text}",
            status=self._status(),
            camera_axes=np.column_stack([axes[:, 2], axes[:, 0], axes[:, 1]]) @ about_z(self.camera_turn),
            reticle=self.alignment().reticle(self.reach),
            eye=self._eye(nose, turn, middle, axes),
            planet=PLANET,
        )

    def sample(self) -> Sample:
        """Rates of the ship, distance of the ports and their closing speed."""
        seen = self.alignment()
        return Sample(self.world.time, self.ship.body.angular_velocity_body, seen.distance, seen.closing, CURVES)

    def alignment(self) -> Alignment:
        """The relative pose and motion of the two ports."""
        return self.pilot.alignment()

    def _status(self) -> list[str]:
        """The lines below the title."""
        return [
            f"{self._pilot_text()}; view: {self.views[self.view]}",
            f"propellant used {self.ship.propellant_used:.3f} kg, left {self.ship.tank.propellant:.2f} kg",
            *([f"{self.result} after {self.world.time:.1f} s"] if self.result else []),
        ]

    def _details(self, nose: Array, own: Array, middle: Array, axes: Array) -> list[Model]:
        """What is drawn at the ports, given the position and axes of the ship's port and of the station's."""
        return []

    def _captions(self, middle: Array, axes: Array) -> list[Caption]:
        """Captions in the view of the chase camera."""
        return docking_view.mark_captions(middle, axes)

    def _check_propellant(self) -> str:
        ship = self.ship
        used, lost = ship.propellant_used, self._mass - ship.body.mass
        apart = max(abs(ship.propellant_of_impulse - used), abs(lost - used))
        text = f"{used:.3f} kg of propellant, within {apart:.0e} kg of Σ impulse/(g₀ Isp) and of the mass lost"
        return claim(apart <= 1e-9 * (1.0 + used), text)

    def _case_names(self) -> Collection[str]:
        return self.cases

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        case, dt = self.cases[self.case_name], self._wanted.dt
        # at the fastest pace a slow frame of 0.1 s advances the world by 6 s
        self.world = World(
            dt, integrator=integrator, game_mode=game_mode, max_ticks_per_frame=math.ceil(0.1 * FASTEST_PACE / dt)
        )
        self.result = ""
        self._station_rates = np.radians(case.station_rates)
        self.station = self.world.add_body(masses.station(), name="station", angular_velocity_body=self._station_rates)
        self._station_momentum = self.station.angular_momentum_world
        self.ship = self._new_ship(case)
        self._mass = self.ship.body.mass
        self._prepare()
        self._trail = Trail(TRAIL_POINTS)
        self.world.on_tick(self._judge)
        self.world.on_tick(self._remember, every=max(1, round(TRAIL_SPACING / dt)))

    @abstractmethod
    def _prepare(self) -> None:
        """Add the pilot and everything else that the flight needs."""

    @abstractmethod
    def _judge(self, world: World) -> None:
        """Before each tick, check whether the flight is over."""

    def _end(self, result: str) -> None:
        """End the flight."""
        self.result = result
        self.pilot.shut_down()
        self.world.paused = True

    def _contact(self, seen: Alignment) -> str:
        """The limits that a contact exceeded, in words."""
        off = [
            f"{limit.name} {limit.text()}, allowed {limit.allowed:g}{limit.unit}"
            for limit in seen.limits(self.reach)
            if not limit.holds
        ]
        return f"contact outside the limits: {'; '.join(off)}"

    def _new_ship(self, case: Case) -> Ship:
        axes, spin = self.station.rotation_matrix @ PORT.matrix, self.station.angular_velocity_world
        position = self.station.to_world(PORT.position) + axes @ case.place
        velocity = axes @ case.velocity + np.cross(spin, position - self.station.position)
        facing = FacingPort(Ship.port, self.station, PORT).at(0.0)
        turned = rotation.multiply(facing.orientation, rotation.from_rotation_vector(np.radians(case.turned)))
        return Ship(
            self.world,
            jet_force=JET_FORCE,
            has_wheels=False,
            position=position,
            orientation=turned,
            velocity=velocity,
            angular_velocity_body=np.radians(case.rates),
        )

    def _remember(self, world: World) -> None:
        """Record the path of the ship's port in the axes of the station."""
        nose = self.ship.body.to_world(self.ship.port.position)
        self._trail.append(self.station.to_body(nose))

    def _station_pose(self) -> tuple[Array, Array]:
        """Middle and axes of the station's port as it is drawn."""
        origin, orientation = self.station.interpolated_pose()
        turn = rotation.to_matrix(orientation)
        return origin + turn @ PORT.position, turn @ PORT.matrix

    def _lines(self, nose: Array, turn: Array, middle: Array, axes: Array) -> list[Line]:
        """Corridor and path, or the cross of the camera in the ship."""
        if self.view == "port":
            return docking_view.cross(nose, turn @ self.ship.port.matrix)
        if self.view == "station":
            return []
        origin, orientation = self.station.interpolated_pose()
        turned = rotation.to_matrix(orientation)
        path = self._trail.points(turned.T @ (nose - origin)) @ turned.T + origin
        return [
            *docking_view.corridor(middle, axes),
            Line(path, colours.PATH, 2.2, fades=True, layer="trails", behind=0.15),
        ]

    def _arrows(self, turn: Array) -> list[Arrow]:
        """The commanded force and torque of this period, at the mass centre."""
        wanted, middle = self.pilot.jets.commanded, self.ship.body.interpolated_pose()[0]
        return docking_view.arrows(middle, turn @ wanted.force_body, turn @ wanted.torque_body, self.torque_length)

    def _eye(self, nose: Array, turn: Array, middle: Array, axes: Array) -> Eye | None:
        """The camera in one of the ports, or None."""
        if self.view == "chase":
            return None
        place, port = (nose, turn @ self.ship.port.matrix) if self.view == "port" else (middle, axes)
        reach = max(float(np.linalg.norm(nose - middle)), 2.0)
        return Eye(place - EYE_DEPTH * port[:, 2], port[:, 2], port[:, 1], reach)
