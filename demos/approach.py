"""A ship approaches a docking port of a space station in six degrees of freedom, flown by you or by its autopilot.

    python -m demos approach [--case aside | straight | turning] [--pilot auto | hold | pulses] [--view chase | port | station] [--pace N]
                             [--integrator NAME] [--headless --frames N --out FILE.png]

Sixteen jets fire in pulses, which a linear programme allocates to the wanted force and torque, and drain a tank. The instrument in the
lower left corner shows the station's port as the pilot sees it: the cross is its place, the ring its direction, the mark at the rim its
roll. The flight ends when the two ports are together and within the limits for contact, or when they touch outside of them. Nothing is
joined, and nothing but the two ports can touch.

W, S, A, D, E and X push the ship by 1 cm/s per pulse; I, K, J, L, U and O rotate it. P changes the pilot, V the view. Without a window
the autopilot flies, ten times as fast.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from .physics import World, integrators, rotation
from .scenes import masses
from .scenes.attitude_pilot import next_of
from .scenes.claims import claim
from .scenes.docking_pilot import MODES, DockingPilot, FacingPort
from .scenes.palette import BLUE, FIRE, QUIET, VIOLET, WORDS
from .scenes.restarting import Restarting
from .scenes.ship import MESH, Ship
from .viewer.meshes import station
from .viewer.picture.scene import (
    FRAME,
    Array,
    Arrow,
    Binding,
    Caption,
    Colour,
    Curves,
    Eye,
    Line,
    Model,
    Picture,
    Sample,
)
from .viewer.picture.trail import Trail
from .viewer.run import application, options

PACE, PACE_UNSEEN, FASTEST_PACE = 1.0, 15.0, 60.0
"""Simulated seconds per second in a window, without one, and at most."""
PORT = station.PORTS["front"]
TIME_LIMIT = 150.0
"""In which the autopilot has to arrive [s]."""
JET_FORCE = 60.0  # [N]

VIEWS = {"chase": "behind the ship", "port": "through the ship's port", "station": "from the station's port"}
RADIUS = 5.2  # of what the chase camera shows [m]
EYE_DEPTH = 0.14  # of the cameras in the ports [m]
PLANET = np.array([0.382, -0.127, -0.915, 0.93])
TRAIL_POINTS, TRAIL_SPACING = 600, 0.5  # number, [s]
MARKS = (5.0, 10.0, 15.0, 20.0)  # distances from the port [m]
HULL = 1.2  # an arrow that is shorter would not be seen [m]
FORCE_LENGTH, TORQUE_LENGTH = 4.0 / 168.0, 4.0 / 190.0  # [m/N], [m/(N·m)]
MARK: Colour = (0.40, 0.95, 0.80, 0.60)
CURVES = Curves(("range [m]", ".2f"), ("closing [m/s]", "+.3f"), 120.0)


@dataclass(frozen=True)
class Case:
    """Where a flight begins."""

    text: str
    place: tuple[float, float, float]
    """Of the ship's mass centre in the axes of the port, across, up and out [m]."""
    turned: tuple[float, float, float]
    """Rotation vector from the attitude that faces the port [degree], body axes."""
    velocity: tuple[float, float, float]
    """Relative to the port [m/s], in its axes."""
    rates: tuple[float, float, float]
    """Of the ship [degree/s], body axes."""
    station_rates: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Of the station [degree/s], body axes."""


CASES = {
    "aside": Case("from the side", (11.0, -5.0, 24.0), (35.0, -50.0, 70.0), (0.1, 0.05, -0.05), (0.5, -0.8, 0.3)),
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


@dataclass(frozen=True, kw_only=True)
class ApproachOptions(options.SceneOptions):
    """The options of this demo."""

    case: str
    pilot: str
    view: str
    pace: float | None
    """Simulated seconds per second; None for the usual pace."""


class Approach(Restarting):
    """The scene: a ship and a station, far from everything else."""

    radius = RADIUS
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

    def __init__(self, wanted: ApproachOptions) -> None:
        self._wanted, self.case_name, self.view = wanted, wanted.case, wanted.view
        self._begin(wanted.integrator, wanted.game_mode)
        self.world.time_scale = wanted.pace or (PACE_UNSEEN if wanted.headless else PACE)

    @property
    def target(self) -> Array:
        """Between the ship and the port, nearer to the ship."""
        origin, _ = self.ship.body.interpolated_pose()
        return origin + 0.2 * (self._station_pose()[0] - origin)

    def reset(self) -> None:
        """Begin again; a flight that had ended goes on."""
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
        """Let somebody else fly."""
        self.pilot.switch(next_of(list(MODES), self.pilot.mode))
        return self._pilot_text()

    def next_view(self) -> str:
        """Look through the next camera."""
        self.view = next_of(list(VIEWS), self.view)
        return f"view: {VIEWS[self.view]}"

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
        seen = self.pilot.alignment()
        levels = np.sqrt(self.pilot.jets.shares)  # a short pulse is bright, too
        return Picture(
            [
                Model("station", station_origin, rotation.to_matrix(station_orientation)),
                Model(MESH, origin, turn),
            ],
            plumes=self.ship.plumes(origin, turn, levels),
            arrows=self._arrows(turn) if self.view == "chase" else [],
            lines=self._lines(nose, turn, middle, axes),
            captions=_mark_captions(middle, axes) if self.view == "chase" else [],
            lamps=self.ship.lamps(levels),
            title=f"approach · {CASES[self.case_name].text}",
            status=[
                f"{self._pilot_text()}; view: {VIEWS[self.view]}",
                f"propellant used {self.ship.propellant_used:.3f} kg, left {self.ship.tank.propellant:.2f} kg",
                *([f"{self.result} after {self.world.time:.1f} s"] if self.result else []),
            ],
            camera_axes=np.column_stack([axes[:, 2], axes[:, 0], axes[:, 1]]),
            reticle=seen.reticle(),
            eye=self._eye(nose, turn, middle, axes),
            planet=PLANET,
        )

    def sample(self) -> Sample:
        """Rates of the ship, distance of the ports and the speed at which it falls."""
        seen = self.pilot.alignment()
        return Sample(self.world.time, self.ship.body.angular_velocity_body, seen.distance, seen.closing, CURVES)

    def check(self) -> list[str]:
        """Assert that the autopilot arrives within the limits in time, the flow of propellant, and the momentum of the station."""
        return [self._check_arrival(), self._check_propellant(), self._check_station()]

    def _check_arrival(self) -> str:
        seen, time = self.pilot.alignment(), self.world.time
        numbers = ", ".join(f"{limit.name} {limit.text()}" for limit in seen.limits())
        if self.pilot.touched or (not self.result and time < TIME_LIMIT):
            return f"{self.result or 'not yet at the port'} after {time:.1f} s ({numbers}); the claim is about the autopilot's arrival"
        text = f"{self.result or 'not at the port'} after {time:.1f} s, allowed {TIME_LIMIT:g} s ({numbers})"
        return claim(self.docked and time <= TIME_LIMIT, text)

    def _check_propellant(self) -> str:
        ship = self.ship
        used, lost = ship.propellant_used, self._mass - ship.body.mass
        apart = max(abs(ship.propellant_of_impulse - used), abs(lost - used))
        text = f"{used:.3f} kg of propellant, {apart:.0e} kg off the impulse of the jets over g₀ Isp and the mass lost"
        return claim(apart <= 1e-9 * (1.0 + used), text)

    def _check_station(self) -> str:
        """The rotation of a free body about no principal axis is as exact as the method."""
        body, world = self.station, self.world
        moved = float(np.abs(body.velocity).max())
        spin = float(np.linalg.norm(self._station_rates))
        if world.game_mode or spin == 0.0:
            turned = float(np.abs(body.angular_velocity_body - self._station_rates).max())
            return claim(max(moved, turned) == 0.0, "velocity and rates of the station have not changed by a bit")
        change = float(np.linalg.norm(body.angular_momentum_world - self._station_momentum))
        change /= float(np.linalg.norm(self._station_momentum))
        order = min(world.integrator.order, 4)
        allowed = 1e-14 * (1 + world.tick_count) + spin * world.time * (spin * world.dt) ** order
        text = (
            f"the station has not moved by a bit, its angular momentum changed by {change:.1e}, allowed {allowed:.1e}"
        )
        return claim(moved == 0.0 and change <= allowed, text)

    def _case_names(self) -> Collection[str]:
        return CASES

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        case, dt = CASES[self.case_name], self._wanted.dt
        # at the fastest pace a slow frame of 0.1 s advances the world by 6 s
        self.world = World(
            dt, integrator=integrator, game_mode=game_mode, max_ticks_per_frame=math.ceil(0.1 * FASTEST_PACE / dt)
        )
        self.result, self.docked = "", False
        self._station_rates = np.radians(case.station_rates)
        self.station = self.world.add_body(masses.station(), name="station", angular_velocity_body=self._station_rates)
        self._station_momentum = self.station.angular_momentum_world
        self.ship = self._new_ship(case)
        self._mass = self.ship.body.mass
        self.pilot = DockingPilot(self.ship, self.station, PORT, self._wanted.pilot)
        self._trail = Trail(TRAIL_POINTS)
        self.world.on_tick(self._judge)
        self.world.on_tick(self._remember, every=max(1, round(TRAIL_SPACING / dt)))

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

    def _judge(self, world: World) -> None:
        """Before each tick, end the flight if the ports are in touch."""
        if self.result:
            return
        seen = self.pilot.alignment()
        if seen.docks:
            self.result, self.docked = "ports within limits", True
        elif seen.hits:
            off = [
                f"{limit.name} {limit.text()}, allowed {limit.allowed:g}{limit.unit}"
                for limit in seen.limits()
                if not limit.holds
            ]
            self.result = f"contact outside the limits: {'; '.join(off)}"
        if self.result:
            self.pilot.shut_down()
            world.paused = True

    def _remember(self, world: World) -> None:
        """The path of the ship's port in the axes of the station."""
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
            return _cross(nose, turn @ self.ship.port.matrix)
        if self.view == "station":
            return []
        origin, orientation = self.station.interpolated_pose()
        turned = rotation.to_matrix(orientation)
        path = self._trail.points(turned.T @ (nose - origin)) @ turned.T + origin
        return [*_corridor(middle, axes), Line(path, BLUE, 2.2, fades=True, layer="trails", behind=0.15)]

    def _arrows(self, turn: Array) -> list[Arrow]:
        """Force and torque of this period at the mass centre."""
        wanted, middle = self.pilot.jets.commanded, self.ship.body.interpolated_pose()[0]
        found = [
            Arrow(middle, FORCE_LENGTH * (turn @ wanted.force_body), FIRE, "F", 0.05, "thrust"),
            Arrow(middle, TORQUE_LENGTH * (turn @ wanted.torque_body), VIOLET, "τ", 0.05, "torques"),
        ]
        return [arrow for arrow in found if float(np.linalg.norm(arrow.vector)) > HULL]

    def _eye(self, nose: Array, turn: Array, middle: Array, axes: Array) -> Eye | None:
        """The camera in one of the ports, or None."""
        if self.view == "chase":
            return None
        port = turn @ self.ship.port.matrix
        reach = max(float(np.linalg.norm(nose - middle)), 2.0)
        if self.view == "port":
            return Eye(nose - EYE_DEPTH * port[:, 2], port[:, 2], port[:, 1], reach)
        return Eye(middle - EYE_DEPTH * axes[:, 2], axes[:, 2], axes[:, 1], reach)


def _corridor(middle: Array, axes: Array) -> list[Line]:
    """The axis of the port, and squares at round distances."""
    corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)])
    lines = [np.column_stack([(0.3 + 0.06 * mark) * corners, np.full(5, mark)]) for mark in MARKS]
    axis = np.array([(0.0, 0.0, 0.15), (0.0, 0.0, 1.1 * MARKS[-1])])
    return [
        Line(middle + axis @ axes.T, QUIET, 1.4, layer="trails"),
        *(Line(middle + line @ axes.T, MARK, 1.6, layer="trails") for line in lines),
    ]


def _mark_captions(middle: Array, axes: Array) -> list[Caption]:
    """The distance of each square, below it."""
    places = [axes @ (0.0, -0.3 - 0.06 * mark, mark) for mark in MARKS]
    return [Caption(middle + at, [f"{mark:g} m"], WORDS, "trails") for at, mark in zip(places, MARKS, strict=True)]


def _cross(nose: Array, port: Array) -> list[Line]:
    """Two lines through the middle of the picture of the camera in a port, with a gap where they would meet."""
    near, far = 0.012, 0.055  # [m], at the sealing face
    along = np.array([(near, 0.0, 0.0), (far, 0.0, 0.0)])
    arms = [turn * along[:, order] for order in ([0, 1, 2], [1, 0, 2]) for turn in (1.0, -1.0)]
    return [Line(nose + arm @ port.T, MARK, 1.6) for arm in arms]


def read_options(arguments: Sequence[str] | None = None) -> ApproachOptions:
    """The command line of this demo."""
    reader = options.parser("approach", __doc__.partition("\n")[0], ApproachOptions, dt="1/60")
    reader.add_argument("--case", choices=CASES, default="aside", help="where the flight begins (default aside)")
    reader.add_argument("--pilot", choices=MODES, default="auto", help="who flies at first (default auto)")
    reader.add_argument("--view", choices=VIEWS, default="chase", help="the camera (default chase)")
    options.add_pace(reader, PACE, PACE_UNSEEN, (0.1, FASTEST_PACE))
    return reader.parse(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return application.main("approach", Approach, read_options(arguments))


def check(case: str = "aside") -> list[str]:
    """Let the autopilot fly a case without drawing it, and check its arrival, the propellant and the momentum of the station."""
    scene = Approach(read_options(["--headless", "--case", case]))
    while not scene.result and scene.world.time < TIME_LIMIT:
        scene.world.advance(FRAME)
    return scene.check()
