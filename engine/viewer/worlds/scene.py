"""A world as a scene: its bodies, jets and joints, with the momentum, the rates and the path of one of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from ... import rotation
from ...body import Body, row_of
from ...diagnostics import Drift
from ...forces.thruster import Thruster, ThrusterBank
from ...saving.snapshots import Snapshot
from ...shapes.handle import ShapeHandle
from ...shapes.shape import Shape
from ...world import World
from .. import meshes
from ..picture.colours import AXES, GUIDE, MOMENTUM, PATH, RATES
from ..picture.scene import FASTEST, Array, Arrow, Binding, Curves, Line, Model, Picture, Plume, Ray, Sample
from ..picture.trail import Trail
from .solids import mesh_of, shape_of

NOZZLE = 0.08
"""Radius of a nozzle, in radii of the body."""
SENSOR = 0.25
"""Opacity of a shape of the world that is a sensor."""
LONGEST_TRAIL = 1500
MOST_TRAILS = 40
"""Of the first so many bodies the path is drawn."""
CHANGES = Curves(("energy change", "+.1e"), ("momentum change", ".1e"))


class WorldScene:
    """A world of a user as the viewer sees it. It is only read, but for `reset`, which restores the state that was noted.

    Args:
        world: The world.
        shapes: The shape of each body, or the name of a mesh; a body without one is drawn by those with which it touches
            others, or as its equivalent box.
        follow: The body in the middle of the picture, whose momentum and rates are shown; None for the middle of all bodies.
        title: The text above the picture.
    """

    wide, fastest = 1.0, FASTEST
    keys: Sequence[Binding] = ()

    def __init__(self, world: World, shapes: dict[Body, str | Shape], follow: Body | None, title: str = "") -> None:
        self.world, self._shapes, self._follow, self._title = world, shapes, follow, title
        self._meshes: dict[Body, tuple[str, float]] = {}
        self._of_world: list[tuple[str, ShapeHandle]] = []
        self._touching: tuple[ShapeHandle, ...] = ()
        self._begin: Snapshot | None = None
        self._drift = Drift(world)
        self._trails: dict[Body, Trail] = {}
        self._trail_time = -1.0
        self.radius = self._radius()

    @property
    def target(self) -> Array:
        """World point to look at [m], which is the mass centre of the followed body, or the middle of all bodies."""
        bodies = self.world.bodies
        followed = self._followed
        if followed is not None:
            return self._place(followed)[2]
        if not bodies:
            return np.zeros(3)
        places = self.world.state.position
        return np.asarray(0.5 * (places.min(axis=0) + places.max(axis=0)))

    def picture(self) -> Picture:
        """The present frame, with interpolated poses."""
        bodies = self.world.bodies
        self._note_trails(bodies)
        self._note_shapes()
        models, lines, arrows = self._models_of_world(), [], []
        for body in bodies:
            origin, turn, center = self._place(body)
            name, _ = self._mesh(body)
            models.append(Model(name, origin, turn))
            if body in self._trails:
                lines.append(Line(self._trails[body].points(center), PATH, 1.6, fades=True, layer="trails"))
            if body is self._follow:
                arrows += self._arrows(body, center, turn)
        lines += self._joint_lines()
        count = len(bodies)
        title = self._title or f"{count} {'body' if count == 1 else 'bodies'}"
        return Picture(models, plumes=self._plumes(), arrows=arrows, lines=lines, title=title)

    def sample(self) -> Sample:
        """The present point of the telemetry curves: the rates of the followed body, and the changes of energy and angular momentum."""
        followed = self._followed
        rates = np.zeros(3) if followed is None else followed.angular_velocity_body
        return Sample(self.world.time, rates, self._drift.energy, self._drift.angular_momentum, CHANGES)

    def reset(self) -> None:
        """Restore the state at the beginning; the integrator, game mode and pace chosen since are kept."""
        world = self.world
        if self._begin is None:
            return
        kept = {name: getattr(world, name) for name in ("integrator", "game_mode", "time_scale", "paused")}
        world.restore(self._begin)
        for name, value in kept.items():
            setattr(world, name, value)
        self._trails, self._trail_time = {}, -1.0

    def note_beginning(self) -> None:
        """Keep the present state, to which `reset` returns."""
        with warnings.catch_warnings():
            # a function that keeps a state of its own goes on with it, as when the window goes back in time
            warnings.filterwarnings("ignore", message=".*may keep a state")
            self._begin = self.world.snapshot()

    def next_case(self) -> None:
        """A world of a user has no other case: begin again."""
        self.reset()

    def act(self, action: str) -> str:
        """There are no keys of its own."""
        return ""

    def point(self, ray: Ray | None, is_held: bool) -> bool:
        """Nothing is dragged by the mouse."""
        return False

    def check(self) -> list[str]:
        """Nothing is claimed about a world of a user."""
        return []

    @property
    def _followed(self) -> Body | None:
        """The followed body, unless it has been removed."""
        return self._follow if self._follow is not None and row_of(self._follow) >= 0 else None

    def _note_shapes(self) -> None:
        """Look anew at the shapes by which bodies and the world touch, if any came or went."""
        if (shapes := self.world.shapes) != self._touching:
            self._touching = shapes
            self._meshes.clear()
            self._of_world = [(mesh_of(each.shape), each) for each in shapes if each.body is None]

    def _models_of_world(self) -> list[Model]:
        """The shapes of the world, where they are at the time at which bodies are drawn; sensors, which stop nothing, shine through."""
        world, models = self.world, []
        late = (1.0 - world.alpha) * world.dt if world.tick_count else 0.0
        for mesh, shape in self._of_world:
            back = rotation.from_rotation_vector(-late * np.asarray(shape.angular_velocity_world))
            turn = rotation.to_matrix(rotation.multiply(back, shape.orientation))
            place = np.asarray(shape.position) - late * np.asarray(shape.velocity)
            models.append(Model(mesh, place, turn, opacity=SENSOR if shape.sensor else 1.0))
        return models

    def _mesh(self, body: Body) -> tuple[str, float]:
        """The name of the mesh of a body, and its radius about the mass centre [m]."""
        known = self._meshes.get(body)
        if known is None:
            shape = self._shapes.get(body) or shape_of(body)
            if isinstance(shape, str):
                name, corners = shape, np.asarray(meshes.triangles(shape)[:, :3], np.float64)
            else:
                name, corners = mesh_of(shape), shape.vertices
            distances = np.linalg.norm(corners - body.center_of_mass_body, axis=1)
            known = self._meshes[body] = name, float(distances.max())
        return known

    def _radius(self) -> float:
        bodies = self.world.bodies
        if self._follow is not None:
            return self._mesh(self._follow)[1]
        middle = self.target
        reaches = [float(np.linalg.norm(body.position - middle)) + self._mesh(body)[1] for body in bodies]
        return max(reaches, default=1.0)

    def _place(self, body: Body) -> tuple[Array, Array, Array]:
        """Origin, rotation matrix and mass centre of a body as drawn, world frame."""
        origin, orientation = body.interpolated_pose()
        turn = rotation.to_matrix(orientation)
        return origin, turn, np.asarray(origin + turn @ body.center_of_mass_body)

    def _arrows(self, body: Body, center: Array, turn: Array) -> list[Arrow]:
        radius = self._mesh(body)[1]
        momentum, rates = body.angular_momentum_world, turn @ body.angular_velocity_body
        found = [
            Arrow(center, 1.3 * radius * axis, AXES, name, 0.008 * radius, "body axes")
            for axis, name in zip(turn.T, "xyz", strict=True)
        ]
        for vector, length, colour, name, layer in (
            (momentum, 1.7, MOMENTUM, "L", "momentum"),
            (rates, 1.45, RATES, "ω", "rates"),
        ):
            size = float(np.linalg.norm(vector))
            if size > 0.0:
                found.append(Arrow(center, vector * (length * radius / size), colour, name, 0.014 * radius, layer))
        return found

    def _plumes(self) -> list[Plume]:
        """The flame of each jet that thrusts, at the drawn pose of its body."""
        found = []
        for jet in self.world.forces:
            if isinstance(jet, Thruster):
                rows = [(jet.thrust, jet.max_force, jet.position, jet.direction)]
            elif isinstance(jet, ThrusterBank):
                rows = list(zip(jet.thrust, jet.max_forces, jet.positions, jet.directions, strict=True))
            else:
                continue
            open_rows = [row for row in rows if row[0] > 0.0] if jet.enabled else []
            if open_rows:
                origin, turn, _ = self._place(jet.body)
                radius = NOZZLE * self._mesh(jet.body)[1]
                found += [
                    Plume(origin + turn @ position, turn @ -direction, radius, float(thrust / most))
                    for thrust, most, position, direction in open_rows
                ]
        return found

    def _joint_lines(self) -> list[Line]:
        """The axis of each joint that has one, and from the mass centre of each body to its joints."""
        found = []
        for joint in self.world.joints:
            origin, turn, center = self._place(joint.body)
            point = origin + turn @ joint.at_body
            found.append(Line(np.array([center, point]), GUIDE, 1.2, layer="body axes", behind=0.5))
            axis = getattr(joint, "axis_body", None)
            if axis is not None:
                along = 0.5 * self._mesh(joint.body)[1] * (turn @ axis)
                found.append(Line(np.array([point - along, point + along]), PATH, 2.0, layer="body axes", behind=0.6))
        return found

    def _note_trails(self, bodies: Sequence[Body]) -> None:
        """Add the present places to the paths, at most once per frame of the world's time."""
        time = self.world.time
        if time < self._trail_time:
            self._trails = {}
        if time == self._trail_time:
            return
        self._trail_time = time
        for body in bodies[:MOST_TRAILS]:
            self._trails.setdefault(body, Trail(LONGEST_TRAIL)).append(body.position)
