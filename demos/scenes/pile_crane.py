"""The crane of the hangar: a trolley that motors drive in a plane below the roof, a winch, a rope, and a hook block."""

from collections.abc import Iterator

import numpy as np

from ..drawing import Array, Plume
from ..physics import Body, MassProperties, World, joints, shapes
from .pile_ledger import Mover
from .pile_load import Load

HEIGHT, RAILS = 7.2, (4.6, 4.2)
"""Of the trolley over the floor, and how far it runs along x and y from the middle [m]."""
PARKED = (2.6, 1.6)
"""Where the trolley waits at first [m]."""
TROLLEY_SIZE, TROLLEY_MASS = (0.9, 0.9, 0.36), 400.0
HOOK, HOOK_MASS = 0.22, 60.0
"""Radius of the hook block [m], and its mass [kg]."""
FASTEST, ACCELERATION = np.array((2.0, 2.0, 1.5)), np.array((1.2, 1.2, 2.5))
"""Of the trolley along x and y, and of the hook up and down [m/s], [m/s²]."""
TROLLEY_FORCE, WINCH_FORCE = 4.0e3, 8.0e3
"""Largest forces of the motors [N]."""
HEIGHT_TOLERANCE = 0.1
"""By which the hook may be off its height, so that the winch does not run all the time [m]."""
SLOWEST = 0.2
"""Rate of the rope below which the damping of the winch does not grow [m/s]."""
LENGTHS = (0.7, 6.6)
"""Shortest and longest rope [m]."""
GRAVITY = 9.81


class Crane:
    """The crane, driven by the velocity that is wanted of its hook."""

    rope_name, most_tension = "rope", WINCH_FORCE
    """What the line is called that holds it, and its largest pull [N]."""

    def __init__(self, world: World, eyes: dict[str, list[Array]]) -> None:
        self._world = world
        self.trolley = world.add_body(
            MassProperties.box(TROLLEY_MASS, TROLLEY_SIZE), name="trolley", position=(*PARKED, HEIGHT)
        )
        self.rails = world.add_joint(joints.Planar(self.trolley, (0.0, 0.0, 1.0), axis_1=(1.0, 0.0, 0.0)))
        # distances count from where it waits
        (x, y), (long, wide) = PARKED, RAILS
        # they have stops at their ends, before which the motors brake
        self.rails.limits_1, self.rails.limits_2 = (-long - x, long - x), (-wide - y, wide - y)
        self.rails.limits_3 = (0.0, 0.0)
        below = HEIGHT - 0.5 * TROLLEY_SIZE[2] - 2.4
        self.body = world.add_body(MassProperties.sphere(HOOK_MASS, HOOK), name="hook", position=(*PARKED, below))
        self.body.add_shape(shapes.Sphere(HOOK), material=shapes.Material(0.4))
        # both lines are tied to the middle of the block, so that it does not turn to and fro between them
        ends = {"at_body": (0.0, 0.0, 0.0), "at_other": (0.0, 0.0, -0.5 * TROLLEY_SIZE[2])}
        self.rope = world.add_joint(joints.Distance(self.body, self.trolley, **ends, max_length=2.4))
        self.load = Load(world, self.body, eyes)
        self.wanted, self._speed = np.zeros(3), np.zeros(3)
        """The velocity that is wanted of the hook, and that which the motors follow now [m/s]."""
        self._movers = [Mover(self.trolley, ends["at_other"]), Mover(self.body, ends["at_body"])]
        self._is_winding = False
        self._drive_trolley()

    @property
    def bodies(self) -> list[Body]:
        """The trolley and the hook."""
        return [self.trolley, self.body]

    @property
    def is_driving(self) -> bool:
        """Whether a motor has moved something in the last tick."""
        return self._is_winding or bool(self._speed[:2].any() or np.abs(self.trolley.velocity).max() > 1e-6)

    @property
    def tension(self) -> float:
        """Mean pull of the rope over the last tick [N]; negative if the winch has pushed."""
        line = self.trolley.position - self.body.position
        return float(self.rope.force_world @ line / np.linalg.norm(line))

    @property
    def is_slack(self) -> bool:
        """Whether the rope carries less than a part of the hook."""
        return self.tension < 0.3 * HOOK_MASS * GRAVITY

    def command(self, axis: int, step: float) -> str:
        """Add to the wanted velocity of the hook."""
        self.wanted[axis] = np.clip(self.wanted[axis] + step, -FASTEST[axis], FASTEST[axis])
        x, y, z = self.wanted + 0.0
        return f"crane by hand: {x:+.1f}, {y:+.1f} m/s along the rails, {z:+.1f} m/s up"

    def toward(self, place: Array) -> Array:
        """The velocity that leads the hook to a place, and that takes the swing out of it [m/s]."""
        trolley, hook = self.trolley.position, self.body.position
        away = np.array((*(place - trolley)[:2], (place - hook)[2]))
        # what can be braked in time; a trolley that follows its load damps the swing
        fastest = np.minimum(FASTEST, np.sqrt(0.8 * ACCELERATION * np.abs(away)))
        wanted = np.clip(0.8 * away, -fastest, fastest)
        wanted[2] *= abs(away[2]) > HEIGHT_TOLERANCE
        wanted[:2] = np.clip(wanted[:2] + 1.6 * (hook - trolley)[:2], -FASTEST[:2], FASTEST[:2])
        return np.asarray(wanted)

    def stop(self) -> None:
        """Want no motion."""
        self.wanted[:] = 0.0

    def drive(self) -> None:
        """Let the motors follow what is wanted, for the next tick."""
        dt = self._world.dt
        self._brake_before_ends()
        if self._is_winding and self._speed[2] < 0.0 and self.is_slack:
            # the switch that stops a winch whose rope is slack: it cannot push
            self.wanted[2] = self._speed[2] = 0.0
        before = self._speed.copy()
        step = np.clip(self.wanted - self._speed, -ACCELERATION * dt, ACCELERATION * dt)
        self._speed = self._speed + step
        if (before[:2] != self._speed[:2]).any():
            self._drive_trolley()
        self._drive_winch(before[2])

    def plumes(self) -> list[Plume]:
        """It has no jets."""
        return []

    def impulses(self, dt: float) -> Iterator[tuple[Body, Array]]:
        """None but those of its joints."""
        return iter(())

    def work(self, dt: float) -> float:
        """Of the motors in the last tick [J]."""
        trolley, hook = (mover.moved() for mover in self._movers)
        winch = float(self.rope.force_world @ (hook - trolley)) if self._is_winding else 0.0
        return float(self.rails.force_world @ trolley) + winch

    def _brake_before_ends(self) -> None:
        """Want no more speed than the trolley can lose before the ends of its rails."""
        for axis, reach in enumerate(RAILS):
            place = float(self.trolley.position[axis])
            left = np.maximum((reach - 0.05 - place, reach - 0.05 + place), 0.0)
            fastest = np.sqrt(1.6 * ACCELERATION[axis] * left)
            self.wanted[axis] = min(max(self.wanted[axis], -fastest[1]), fastest[0])

    def _drive_trolley(self) -> None:
        for axis in range(2):
            motor = joints.Motor(target_rate=float(self._speed[axis]), max_torque=TROLLEY_FORCE)
            setattr(self.rails, f"motor_{axis + 1}", motor)

    def _winch(self, rate: float) -> joints.Motor:
        """A motor that pulls with the weight at the wanted rate of the rope [m/s], and with nothing where the hook is held up.

        Its pull is ``weight − damping · (wanted rate − rate)``, which is never negative while the rope does not become shorter than
        wanted: a rope cannot push.
        """
        load = self.load.body
        weight = GRAVITY * (HOOK_MASS + (load.mass if load is not None else 0.0))
        damping = weight / max(abs(rate), SLOWEST)
        how = {"target_angle": 0.0, "stiffness": 0.0, "damping": damping, "torque": -weight, "max_torque": WINCH_FORCE}
        return joints.Motor(rate, **how)

    def _drive_winch(self, before: float) -> None:
        """A motor winds the rope; otherwise a brake holds its length, and the hook may rise by itself."""
        speed, length = float(self._speed[2]), float(self.rope.distance)
        low, high = LENGTHS
        can = speed != 0.0 and (length > low if speed > 0.0 else length < high)
        if can and (not self._is_winding or speed != before):
            if not self._is_winding:
                self.rope.limits = (-np.inf, np.inf)
            self.rope.motor = self._winch(-speed)
        elif not can and self._is_winding:
            self.rope.motor, self.rope.limits = None, (-np.inf, length)
        if speed != 0.0 and not can:
            self.wanted[2] = self._speed[2] = 0.0
        self._is_winding = can
