"""A heap of crates in a hangar with a crane on a rope, and debris at a station with a tug; the mouse drags what its ray meets.

    python -m demos pile [--case hangar | station] [--integrator NAME] [--headless --frames N --out FILE.png]

In the hangar, eighteen crates fall on a heap, and the crane carries them away one by one: motors drive its trolley, a winch winds its
rope, and a line ties a crate to the hook. At the station there is no gravity: debris drifts against the modules, and a tug on a tether
gathers it.

A ray under the mouse chooses a crate, whose name, mass and contact force are shown. Drag it with the left button, or push it with F.
W, S, A, D, E and X drive the crane or the tug, T takes what is near and lets it go, and P gives the drive back to the autopilot.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from . import running
from .drawing import (
    FIRST_RIGHT,
    Array,
    Arrow,
    Binding,
    Caption,
    Curves,
    Gauge,
    Line,
    Model,
    Picture,
    Ray,
    Sample,
    colours,
)
from .physics import Body, World, integrators, rotation
from .scenes.claims import check_after, claim
from .scenes.pile_crane import Crane
from .scenes.pile_hand import Hand
from .scenes.pile_hangar import Hangar
from .scenes.pile_ledger import PileLedger
from .scenes.pile_pilot import CranePilot, TugPilot
from .scenes.pile_station import Station
from .scenes.pile_tug import Tug
from .scenes.restarting import Restarting

YARDS = {"hangar": Hangar, "station": Station}
PILOTS = {"hangar": CranePilot, "station": TugPilot}
BROUGHT_AFTER = {"hangar": (30.0, 1), "station": (42.0, 2)}
"""Time after which the autopilot must have brought pieces [s], and how many."""
NEAR, AT_REST = 0.6, 1e-3
"""Distance from its place within which the crane puts down a crate [m], and largest speed of the crate then [m/s]."""
LONGEST, FORCE_SHOWN = 1.2, 0.04
"""Length of the arrow of the largest force that is shown in full [m], and the shortest one that is shown [m]."""
NEWTONS_PER_METRE = {"hangar": 1.4e3, "station": 60.0}
"""Force of an arrow of 1 m [N]."""
CURVES = {
    "hangar": Curves(("height of the load [m]", ".2f"), ("pull of the line [kN]", ".2f"), 40.0, (False, False)),
    "station": Curves(("speed of the load [m/s]", ".2f"), ("pull of the line [N]", ".1f"), 40.0, (False, False)),
}
"""Without gravity, a height says little, and lines carry little."""
CAPTION = 2.3
"""Distance of words from a hook [m]."""
RING = 0.9
"""Radius of the ring that marks a place [m]."""


@dataclass(frozen=True, kw_only=True)
class PileOptions(running.SceneOptions):
    """The options of this demo."""

    case: str


class Pile(Restarting):
    """The scene: pieces that touch, who drives, and the hand of the mouse."""

    keys: ClassVar[Sequence[Binding]] = (
        ("w", "W, S", "command 0 -0.4", "away, nearer"),
        ("s", "", "command 0 0.4", ""),
        ("a", "A, D", "command 1 -0.4", "left, right"),
        ("d", "", "command 1 0.4", ""),
        ("e", "E, X", "command 2 0.4", "up, down"),
        ("x", "", "command 2 -0.4", ""),
        ("t", "T", "take", "take, let go"),
        ("f", "F, left button", "push", "push, drag what the mouse points at"),
        ("p", "P", "autopilot", "autopilot"),
    )

    def __init__(self, wanted: PileOptions) -> None:
        self._wanted, self.case_name = wanted, wanted.case
        self._begin(wanted.integrator, wanted.game_mode)

    @property
    def radius(self) -> float:
        """Of what must be seen [m]."""
        return self.yard.radius

    @property
    def target(self) -> Array:
        """The middle of what is seen."""
        return self.yard.target

    # what the keys and the mouse do

    def command(self, axis: str, step: str) -> str:
        """Change the velocity that is wanted of the crane or the tug."""
        if self.pilot.is_automatic:
            self.pilot.take_over()
            self.carrier.stop()
        return self.carrier.command(int(axis), float(step))

    def take(self) -> str:
        """Let go, or take what the mouse points at or what is nearest, if it is near enough."""
        self.pilot.take_over()
        load = self.carrier.load
        if load.body is not None:
            name = load.body.name
            load.release()
            return f"let go of {name}"
        nearest = min(self.yard.pieces, key=load.distance)
        for piece in (self.hand.body, nearest):
            if piece is not None and load.may_take(piece):
                load.take(piece)
                return f"took {piece.name}"
        return f"nothing is near; {nearest.name} is {load.distance(nearest):.1f} m away"

    def push(self) -> str:
        """Push what the mouse points at."""
        return self.hand.push()

    def autopilot(self) -> str:
        """Give the drive back to the autopilot."""
        self.pilot.resume()
        return "autopilot"

    def point(self, ray: Ray | None, is_held: bool) -> bool:
        """Look along the ray of the mouse, and drag what it meets."""
        return self.hand.aim(ray, is_held)

    # what is seen

    def picture(self) -> Picture:
        """The pieces, the crane or the tug, what pushes them, and what the mouse points at."""
        models = [Model(mesh, *_pose(body)) for body, mesh in self._drawn()]
        models += self.yard.still()
        return Picture(
            models,
            plumes=self.carrier.plumes(),
            arrows=self._arrows(),
            lines=self._lines(),
            captions=self._captions(),
            gauges=self._gauges(),
            title=f"pile · {self.yard.text}",
            status=self._status(),
            planet=self.yard.planet,
        )

    def sample(self) -> Sample:
        """The rates of what is carried, its height or, at the station, its speed, and the pull of its line."""
        load = self.carrier.load.body or self.carrier.body
        is_hangar, pull = self.case_name == "hangar", self.carrier.load.tension
        first = float(load.position[2]) if is_hangar else float(np.linalg.norm(load.velocity))
        curves = CURVES[self.case_name]
        return Sample(self.world.time, load.angular_velocity_body, first, 1e-3 * pull if is_hangar else pull, curves)

    def check(self) -> list[str]:
        """Assert that impulses explain the momentum, that only drives add energy, and that the autopilot has brought pieces."""
        return [*self.ledger.check(), self._check_places()]

    def _check_places(self) -> str:
        after, count = BROUGHT_AFTER[self.case_name]
        brought = self.pilot.brought
        if not self.pilot.is_automatic or self.world.time < after or self.hand.has_acted:
            return f"places: the claim is about the autopilot's work after {after:g} s"
        names = ", ".join(piece.name for piece in brought) or "nothing"
        if self.case_name == "station":
            return claim(len(brought) >= count, f"the tug has gathered {names}")
        off = [
            float(np.hypot(*(piece.position - place)[:2]))
            for piece, place in zip(brought, self.yard.places, strict=False)
        ]
        speed = max((float(np.linalg.norm(piece.velocity)) for piece in brought), default=0.0)
        text = f"the crane has brought {names}, {max(off, default=np.inf):.2f} m off the place at most, at rest to {speed:.0e} m/s"
        return claim(len(brought) >= count and max(off) < NEAR and speed < AT_REST, text)

    # parts of these

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        self.world = World(self._wanted.dt, integrator=integrator, game_mode=game_mode)
        self.yard: Hangar | Station = YARDS[self.case_name](self.world, self._wanted.seed)
        self.carrier: Crane | Tug = self.yard.carrier
        self.pilot: CranePilot | TugPilot = PILOTS[self.case_name](self.world, self.yard)
        self.hand = Hand(self.world, {piece.name for piece in self.yard.pieces}, self.yard.gravity)
        self.ledger = PileLedger(self.world, [self.carrier, self.hand], self.yard.gravity)
        self.world.on_tick(self._drive, name="drive")
        self.world.after_tick(self.ledger.note, name="note")

    def _drive(self, _world: World) -> None:
        self.pilot.fly()
        self.carrier.drive()
        self.hand.act()

    def _drawn(self) -> list[tuple[Body, str]]:
        pieces = [(piece, self.yard.meshes[piece.name]) for piece in self.yard.pieces]
        return [*pieces, *self.yard.moving()]

    def _arrows(self) -> list[Arrow]:
        """The force of all contacts of each piece that is pushed by more than what carries it."""
        found, unit = [], NEWTONS_PER_METRE[self.case_name]
        forces = self.world.contacts.force_on_bodies_world
        for number, body in enumerate(self.world.bodies):
            length = float(np.linalg.norm(forces[number])) / unit
            if body in self.yard.pieces and length > FORCE_SHOWN:
                shown = forces[number] / unit * min(1.0, LONGEST / length)
                found.append(Arrow(_pose(body)[0], shown, colours.THRUST, "", 0.03, "thrust"))
        return found

    def _lines(self) -> list[Line]:
        found = [Line(rope, colours.PATH, 2.4) for rope in self.yard.ropes()]
        ends = self.carrier.load.ends()
        if ends is not None:
            found.append(Line(np.array(ends), colours.PATH, 2.4))
        found += [Line(ring, colours.GOAL, 2.2, layer="trails", behind=0.25) for ring in self._rings()]
        hand = self.hand.line()
        if hand is not None:
            found.append(Line(hand, colours.RATES, 3.0, behind=0.6))
        return found

    def _rings(self) -> list[Array]:
        """The places that are still free."""
        angles = np.linspace(0.0, 2.0 * np.pi, 49)
        circle = RING * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(49)])
        free = self.yard.places[len(self.pilot.brought) :] if self.case_name == "hangar" else self.yard.places
        return [place + circle + (0.0, 0.0, 0.03) for place in free]

    def _captions(self) -> list[Caption]:
        """What the mouse points at, or else what is carried: its name, its mass, and the force of its contacts."""
        body = self.hand.body or self.carrier.load.body
        if body is None:
            return []
        force = float(np.linalg.norm(body.contact_force_world))
        lines = [body.name, f"{body.mass:.0f} kg, contacts {_newtons(force)}"]
        # what is carried has its words beside the hook, not over what lies below
        carrier = _pose(self.carrier.body)[0]
        place = _pose(body)[0] - (0.0, 0.0, 0.55) if body is self.hand.body else carrier + CAPTION * FIRST_RIGHT
        return [Caption(place, lines, colours.WORDS)]

    def _gauges(self) -> list[Gauge]:
        carrier = self.carrier
        most = carrier.most_tension
        rope, load = max(carrier.tension, 0.0), carrier.load.tension
        return [
            Gauge(carrier.rope_name, min(rope / most, 1.0), _newtons(rope), alarm=rope > 0.9 * most),
            Gauge("load", min(load / most, 1.0), _newtons(load), alarm=load > 0.9 * most),
        ]

    def _status(self) -> list[str]:
        touching = int((self.world.contacts.normal_impulse > 0.0).sum())
        hand = f"; the mouse drags {self.hand.body.name}" if self.hand.is_held and self.hand.body else ""
        return [f"{self.pilot.status()}{hand}", f"{touching} points of contact", self.ledger.status()]

    def _case_names(self) -> Collection[str]:
        return tuple(YARDS)


def _pose(body: Body) -> tuple[Array, Array]:
    """Place and turn of a body as it is drawn."""
    origin, orientation = body.interpolated_pose()
    return origin, np.asarray(rotation.to_matrix(orientation))


def _newtons(force: float) -> str:
    return f"{force / 1e3:.1f} kN" if force >= 1e3 else f"{force:.0f} N"


def read_options(arguments: Sequence[str] | None = None) -> PileOptions:
    """The command line of this demo."""
    reader = running.parser("pile", __doc__.partition("\n")[0], PileOptions, dt="1/120")
    reader.add_argument("--case", choices=tuple(YARDS), default="hangar", help="where the pieces are (default hangar)")
    return reader.parse(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return running.main("pile", Pile, read_options(arguments))


def check(case: str = "hangar") -> list[str]:
    """Let the autopilot work without drawing it, and check momentum, energy and what was brought."""
    frames = round(60.0 * BROUGHT_AFTER[case][0]) + 1
    return check_after(Pile(read_options(["--case", case])), frames)
