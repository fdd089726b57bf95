"""The ship of the flight demos: the drawn spacecraft with sixteen jets on four quads, a tank, and four reaction wheels in a pyramid."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..drawing import Array, Plume
from ..meshes.spacecraft import NOZZLES, PORT
from ..physics import MassProperties, World, flight, forces
from . import masses

MESH = "spacecraft"
RADIUS = 3.3
"""Of the sphere that holds the hull [m]; the wings reach farther."""
NOSE, DISH = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
"""Axes in the body frame of the docking port and of the antenna."""

JETS = {name: nozzle for name, nozzle in NOZZLES.items() if name != "main"}
"""The sixteen jets with their nozzles, by quad: fore, aft, left, right of quad 1, then of quad 2, 3 and 4."""
JET_NAMES = tuple(JETS)
JET_FORCE, SPECIFIC_IMPULSE = 22.0, 290.0  # [N], [s]: a small bipropellant engine
MIN_ON_TIME, RISE_TIME, FALL_TIME = 0.02, 0.008, 0.008  # [s]
STANDARD_GRAVITY = 9.80665  # [m/s²]

PROPELLANT = 120.0  # [kg] when full
TANK_POSITION, TANK_RADIUS = (0.0, 0.0, -0.6), 0.35  # [m]

ELEVATION = math.atan(math.sqrt(0.5))
"""Of the wheels' axes above the plane of the wings and the dish [rad]; at this angle they hold as much about every body axis."""
WHEEL_AXES = tuple(
    (math.cos(ELEVATION) * math.cos(turn), math.cos(ELEVATION) * math.sin(turn), math.sin(ELEVATION))
    for turn in np.radians([45.0, 135.0, 225.0, 315.0])
)
WHEEL_INERTIA, WHEEL_TORQUE, WHEEL_SPEED = 0.25, 4.0, 600.0  # [kg·m²], [N·m], [rad/s]: 150 N·m·s at full speed


class Ship:
    """The ship in a world, with its actuators.

    The gas of the jets takes propellant from the tank, so that mass, mass centre and inertia change.
    """

    port = PORT

    def __init__(
        self,
        world: World,
        *,
        propellant: float = PROPELLANT,
        jet_force: float = JET_FORCE,
        has_wheels: bool = True,
        properties: MassProperties | None = None,
        **start: Any,
    ) -> None:
        """Add the ship to a world.

        Args:
            world: The world.
            propellant: In the tank at the start [kg].
            jet_force: Thrust of each jet [N].
            has_wheels: Whether it has the four reaction wheels.
            properties: Mass properties without the propellant, in the axes of the ship; None for those of the ship alone.
            start: Arguments of `World.add_body`, such as `position` and `orientation`.
        """
        self.body = world.add_body(properties or masses.spacecraft(), name="ship", **start)
        self.tank = world.add_part(
            flight.Tank.ball(self.body, TANK_POSITION, TANK_RADIUS, propellant, capacity=PROPELLANT)
        )
        self.jets = world.add_force(
            forces.ThrusterBank(
                self.body,
                positions=[nozzle.position for nozzle in JETS.values()],
                directions=[nozzle.force_direction for nozzle in JETS.values()],
                max_forces=jet_force,
                specific_impulse=SPECIFIC_IMPULSE,
                tank=self.tank,
                min_on_time=MIN_ON_TIME,
                rise_time=RISE_TIME,
                fall_time=FALL_TIME,
            )
        )
        self.wheels = [
            world.add_part(
                flight.ReactionWheel(
                    self.body, axis=axis, inertia=WHEEL_INERTIA, max_torque=WHEEL_TORQUE, max_speed=WHEEL_SPEED
                )
            )
            for axis in (WHEEL_AXES if has_wheels else ())
        ]
        self._first = propellant

    @property
    def propellant_used(self) -> float:
        """Propellant that has left the tank [kg]."""
        return self._first - self.tank.propellant

    @property
    def impulse(self) -> float:
        """Impulse of all jets so far [N·s], each by its size."""
        return float(self.jets.impulse.sum())

    @property
    def propellant_of_impulse(self) -> float:
        """Propellant that the impulse of all jets stands for, ``Σ impulse/(g₀ Isp)`` [kg]."""
        return self.impulse / (STANDARD_GRAVITY * SPECIFIC_IMPULSE)

    @property
    def wheel_momentum(self) -> float:
        """Size of the sum of the wheels' momenta along their axes [N·m·s]."""
        return float(np.linalg.norm(self.body.stored_momentum_body))

    @property
    def momentum_scale(self) -> float:
        """Angular momentum of the ship plus those of the wheels, each by its size [N·m·s]; what changes are compared with."""
        return float(np.linalg.norm(self.body.angular_momentum_world)) + sum(
            abs(wheel.momentum) for wheel in self.wheels
        )

    def levels(self, shares: npt.ArrayLike) -> Array:
        """Thrust of each jet over its largest, for drawing: the commanded shares, and the levels of jets that are stuck, shape (16,)."""
        stuck = self.jets.stuck
        return np.where(np.isnan(stuck), shares, stuck)

    def plumes(self, origin: Array, turn: Array, levels: npt.ArrayLike) -> list[Plume]:
        """The exhaust of the jets, for a body with its origin at a world point [m], rotated by a matrix (3, 3) to the world frame."""
        return [
            nozzle.plume(origin, turn, level)
            for nozzle, level in zip(JETS.values(), np.asarray(levels).tolist(), strict=True)
        ]

    def lamps(self, levels: npt.ArrayLike) -> list[tuple[str, float]]:
        """Names and levels of the jets for the lamps of the HUD."""
        names = [name[0].upper() + name[-1] for name in JET_NAMES]
        return list(zip(names, np.asarray(levels).tolist(), strict=True))
