"""The tug at the station: jets through its mass centre move it, couples of jets hold its attitude, and a tether ties it to the station."""

from collections.abc import Iterator

import numpy as np

from ..drawing import Array, Plume
from ..meshes.debris import TUG_ARM, TUG_NOZZLE, TUG_SIZE
from ..physics import Body, MassProperties, World, forces, joints, rotation, shapes
from .landing_craft import turning_jets
from .pile_ledger import Mover, mean_turn
from .pile_load import Load

MASS, THRUST, COUPLE = 320.0, 70.0, 25.0
"""Of the tug [kg], of a jet that moves it, and of one that turns it [N]."""
FASTEST, EASY = 0.7, 0.09
"""Largest speed that is wanted [m/s], and acceleration at which it brakes [m/s²]."""
IDLE, STILL = 4e-3, 2e-3
"""Errors of the velocity [m/s], and of attitude and rates [rad, rad/s], below which no jet burns."""
TETHER = 13.0
"""Length of the tether [m]."""
BANDWIDTH = 0.8
"""Of the attitude [rad/s]."""


class Tug:
    """The tug, driven by the velocity that is wanted of it."""

    rope_name, most_tension = "tether", 200.0
    """What the line is called that holds it, and its largest pull that is shown [N]."""

    def __init__(self, world: World, station: Body, anchor: Array, place: Array, eyes: dict[str, list[Array]]) -> None:
        self._world = world
        self.body = world.add_body(MassProperties.box(MASS, TUG_SIZE), name="tug", position=place)
        self.body.add_shape(shapes.Box(TUG_SIZE), material=shapes.Material(0.4))
        ends = {"at_body": (0.0, 0.0, 0.0), "at_other": anchor}
        self.rope = world.add_joint(joints.Distance(self.body, station, **ends, max_length=TETHER))
        self.rope.collides = True
        self.load = Load(world, self.body, eyes, is_arm=True)
        self.wanted = np.zeros(3)
        """The velocity that is wanted [m/s]."""
        along = np.concatenate([np.eye(3), -np.eye(3)])
        places, ways = turning_jets()
        self.jets = world.add_force(
            forces.ThrusterBank(
                self.body,
                positions=[*(-TUG_NOZZLE * along), *(TUG_ARM * np.array(places))],
                directions=[*along, *ways],
                max_forces=[THRUST] * 6 + [COUPLE] * 12,
            )
        )
        self._moments = np.diag(self.body.mass_properties.inertia_body)
        self._mover, self._before = Mover(self.body, (0.0, 0.0, 0.0)), np.array(self.body.orientation)
        self._rates = np.array(self.body.angular_velocity_body)
        self._push = np.zeros(3), np.zeros(3)
        """Impulse of the jets in the last tick over dt [N], world frame, and their torque [N·m], body frame."""

    @property
    def bodies(self) -> list[Body]:
        """The tug alone."""
        return [self.body]

    @property
    def is_driving(self) -> bool:
        """Whether a jet burns."""
        return bool(np.any(self.jets.throttle > 0.0))

    @property
    def tension(self) -> float:
        """Mean pull of the tether over the last tick [N]."""
        return float(np.linalg.norm(self.rope.force_world))

    def command(self, axis: int, step: float) -> str:
        """Add to the wanted velocity."""
        self.wanted[axis] = np.clip(self.wanted[axis] + 0.25 * step, -FASTEST, FASTEST)
        x, y, z = self.wanted + 0.0
        return f"tug by hand: {x:+.2f}, {y:+.2f}, {z:+.2f} m/s"

    def toward(self, place: Array) -> Array:
        """The velocity that leads to a place [m/s]."""
        away = place - self.body.position
        far = float(np.linalg.norm(away))
        return np.asarray(min(0.6, FASTEST / far, np.sqrt(2.0 * EASY / far)) * away if far > 0.0 else away)

    def stop(self) -> None:
        """Want no motion."""
        self.wanted[:] = 0.0

    def drive(self) -> None:
        """Open the jets for the next tick."""
        body, load = self.body, self.load.body
        mass = body.mass + (load.mass if load is not None else 0.0)
        off = body.direction_to_body(self.wanted - body.velocity)
        force = mass * 2.0 * off * (np.linalg.norm(off) > IDLE)
        turn = body.orientation * np.sign(body.orientation[3] or 1.0)
        error, rates = -2.0 * turn[:3], body.angular_velocity_body
        is_still = max(np.linalg.norm(error), np.linalg.norm(rates)) < STILL
        torque = self._moments * (BANDWIDTH**2 * error - 2.0 * BANDWIDTH * rates) * (not is_still)
        shares = np.concatenate([force, -force]) / THRUST
        couples = np.repeat(torque, 4) / (2.0 * TUG_ARM * COUPLE) * np.tile((1, 1, -1, -1), 3)
        wanted = np.clip(np.concatenate([shares, couples]), 0.0, 1.0)
        if (wanted != self.jets.throttle).any():
            self.jets.throttle = wanted

    def impulses(self, dt: float) -> Iterator[tuple[Body, Array]]:
        """Of the jets in the last tick [N·s]."""
        before, self._before = self._before, np.array(self.body.orientation)
        levels = self.jets.thrust[:, np.newaxis]
        force, torque = levels * self.jets.directions, levels * np.cross(self.jets.positions, self.jets.directions)
        self._push = mean_turn(before, self._before) @ force.sum(axis=0), torque.sum(axis=0)
        yield self.body, dt * self._push[0]

    def work(self, dt: float) -> float:
        """Of the jets in the last tick [J]; after `impulses`."""
        force, torque = self._push
        before, self._rates = self._rates, np.array(self.body.angular_velocity_body)
        return float(force @ self._mover.kicked(dt)) + 0.5 * dt * float(torque @ (before + self._rates))

    def plumes(self) -> list[Plume]:
        """The flames of the jets."""
        origin, orientation = self.body.interpolated_pose()
        turn = np.asarray(rotation.to_matrix(orientation))
        return [
            Plume(origin + turn @ place, -turn @ way, 0.07 if number < 6 else 0.025, float(level))
            for number, (place, way, level) in enumerate(
                zip(self.jets.positions, self.jets.directions, self.jets.throttle, strict=True)
            )
            if level > 0.02
        ]
