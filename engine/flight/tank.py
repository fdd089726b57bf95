"""Tanks, whose propellant leaves the body through its thrusters."""

from __future__ import annotations  # help() then shows them as written

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..checks import SMALL_ENOUGH, FloatArray, array, depth, direction, real, refuse
from ..loops.actuator_layout import CAPACITY, PROPELLANT
from ..store.host import Host
from ..store.rows import BodyHandle, checked, fixed, reference_fields, require_body
from ..store.schema import ANY, NOT_NEGATIVE, Field, Kind, Schema
from .part import Part

TANKS = Schema(
    "tanks",
    (
        *reference_fields("body"),
        Field("driven", Kind.MODEL, meaning="row of the driven body", digest=101, refers_to="driven", rest=-1.0),
        Field("position", Kind.MODEL, 3, "m", "body", digest=0, rule=ANY, meaning="centre, or outlet if settled"),
        Field("specific_inertia", Kind.MODEL, 6, "m²", "body", digest=1, meaning="xx, yy, zz, xy, xz, yz per mass"),
        Field("capacity", Kind.MODEL, 1, "kg", digest=2, meaning="zero if it has no limit"),
        Field("fill", Kind.MODEL, 3, "m", "body", digest=3, meaning="from the outlet to the surface of the full tank"),
        Field("jet_damping", Kind.MODEL, digest=4, meaning="whether propellant moves from tank to nozzle in a turn"),
        Field("propellant", Kind.STATE, 1, "kg", digest=5),
        Field("used", Kind.SCRATCH, 1, "kg", meaning="in this tick"),
        Field("acting", Kind.SCRATCH, 1, "kg", meaning="propellant in the current mass properties"),
        Field("until", Kind.SCRATCH, 1, "s", meaning="time in the tick at which it runs dry"),
        Field("jets", Kind.SCRATCH, 2, meaning="the first of the jets that it feeds, or -1, and the last one"),
    ),
    flown=True,
)  # fmt: skip


class Tank(Part):
    """A tank of a body, which its thrusters drain, added by `World.add_part` before them.

    Create the body without its tanks. Once they are added, `mass_properties` includes the propellant, and `dry_mass_properties` excludes
    it. A thrust of F newtons uses ``F/(g₀ Isp)`` kg/s. For the motion within a tick, mass, mass centre and inertia are those at the middle
    of the tick, so that the motion is of order two; after the tick, they are those at its end. A tank that runs dry within a tick shuts
    its thrusters at that moment.

    Propellant leaves with the velocity of the point of the tank where it was. With `jet_damping`, a rotating ship also feels the reaction
    of the propellant that flows through a straight pipe from the tank to the nozzle: the force ``−2 ṁ ω×(rₙ − rₜ)`` and the torque
    ``−ṁ [rₙ×(ω×rₙ) − K ω − rₜ×(ω×rₜ) + ω×(rₜ×rₙ)]``, where rₙ and rₜ are the positions of nozzle and tank relative to the mass centre and K
    is the specific inertia. Terms of order ṁ² are left out, and propellant does not slosh.

    Args:
        body: The body that carries it.
        position: Centre of the propellant [m], body frame, from the origin of the body, shape (3,).
        propellant: Initial propellant [kg], from 0 to `capacity`.
        specific_inertia: Inertia of the propellant about its centre per unit of mass [m²], body frame: a number for all axes, three
            numbers or a symmetric tensor, shape (), (3,) or (3, 3).
        capacity: Maximum mass of propellant [kg], above zero; None for no limit.
        jet_damping: Whether to apply the force and torque of the propellant that flows from the tank to the nozzle.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument is not finite or out of its range, or the body was removed.

    Example:
        >>> from engine import MassProperties, World, flight, forces
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.box(100.0, (1.0, 1.0, 2.0)))
        >>> tank = world.add_part(flight.Tank.ball(ship, position=(0, 0, 0), radius=0.4, propellant=20.0))
        >>> engine = forces.Thruster(ship, position=(0, 0, -1), direction=(0, 0, 1), max_force=98.0665, specific_impulse=100.0, tank=tank)
        >>> _ = world.add_force(engine)
        >>> engine.fire(30.0)
        >>> world.step(60)
        >>> round(tank.propellant, 9), round(ship.mass, 9), ship.velocity.round(6).tolist()
        (17.0, 117.0, [0.0, 0.0, 24.828288])
    """

    __slots__ = ()

    _schema: ClassVar[Schema] = TANKS

    def __init__(
        self,
        body: BodyHandle,
        *,
        position: npt.ArrayLike,
        propellant: float,
        specific_inertia: npt.ArrayLike,
        capacity: float | None = None,
        jet_damping: bool = False,
    ) -> None:
        owner = f"Tank of {require_body(body, 'body', 'Tank')}"
        tensor = _specific(specific_inertia, owner)
        self._make(owner, body, position, propellant, tensor, capacity, np.zeros(3), jet_damping)

    @classmethod
    def ball(
        cls,
        body: BodyHandle,
        position: npt.ArrayLike,
        radius: float,
        propellant: float,
        *,
        capacity: float | None = None,
        jet_damping: bool = False,
    ) -> Tank:
        """Make a tank whose propellant fills a sphere, at a lower density as the tank empties.

        Args:
            body: The body that carries it.
            position: Centre of the sphere [m], body frame, from the origin of the body, shape (3,).
            radius: Radius [m], above zero.
            propellant: Initial propellant [kg], from 0 to `capacity`.
            capacity: Maximum mass of propellant [kg], above zero; None for no limit.
            jet_damping: Whether to apply the force and torque of the propellant that flows from the tank to the nozzle.

        Returns:
            The tank.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If an argument is not finite or out of its range, or the body was removed.

        Example:
            >>> from engine import MassProperties, World
            >>> ship = World(dt=0.5).add_body(MassProperties.box(100.0, (1.0, 1.0, 2.0)))
            >>> Tank.ball(ship, position=(0, 0, 0), radius=0.4, propellant=20.0, capacity=25.0).propellant
            20.0
        """
        owner = f"Tank of {require_body(body, 'body', 'Tank')}"
        moment = 0.4 * _squared(radius, "radius", owner)
        return cls(
            body,
            position=position,
            propellant=propellant,
            specific_inertia=moment,
            capacity=capacity,
            jet_damping=jet_damping,
        )

    @classmethod
    def cylinder(
        cls,
        body: BodyHandle,
        position: npt.ArrayLike,
        radius: float,
        height: float,
        propellant: float,
        *,
        axis: npt.ArrayLike,
        settled: bool = False,
        capacity: float | None = None,
        jet_damping: bool = False,
    ) -> Tank:
        """Make a tank whose propellant fills a cylinder, or the part of it next to the outlet.

        Args:
            body: The body that carries it.
            position: Centre of the cylinder [m], body frame, from the origin of the body, shape (3,).
            radius: Radius [m], above zero.
            height: Length along the axis [m], above zero.
            propellant: Initial propellant [kg], from 0 to `capacity`.
            axis: Direction from the outlet to the free surface, body frame, of any non-zero length, shape (3,).
            settled: Whether the propellant lies at the outlet, as under thrust, so that its surface and its mass centre move towards the
                outlet as the tank empties. Otherwise it fills the whole cylinder, at a lower density as the tank empties.
            capacity: Maximum mass of propellant [kg], above zero; it must be given if `settled`. None for no limit.
            jet_damping: Whether to apply the force and torque of the propellant that flows from the tank to the nozzle.

        Returns:
            The tank.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If an argument is not finite or out of its range, `settled` is given without `capacity`, or the body was removed.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.box(100.0, (1.0, 1.0, 2.0)))
            >>> tank = Tank.cylinder(ship, (0, 0, 0), radius=0.4, height=1.0, propellant=25.0, capacity=50.0, axis=(0, 0, 1), settled=True)
            >>> _ = world.add_part(tank)
            >>> ship.mass, ship.center_of_mass_body.round(6).tolist()  # half full: its mass centre is at −0.25 m
            (125.0, [0.0, 0.0, -0.05])
        """
        owner = f"Tank of {require_body(body, 'body', 'Tank')}"
        a = direction(axis, "axis", owner)
        across = 0.25 * _squared(radius, "radius", owner)
        length = real(height, "height", owner, above=0.0)
        _squared(height, "height", owner)  # it must not overflow either
        center = array(position, "position", owner, (3,))
        if not isinstance(settled, bool | np.bool_):
            refuse(owner, "settled", settled, "True or False", TypeError)
        if settled and capacity is None:
            refuse(owner, "capacity", capacity, "given for settled propellant, because it determines the level")
        disc = across * (np.eye(3) + np.outer(a, a))
        column = length * length / 12.0 * (np.eye(3) - np.outer(a, a))
        tank = cls.__new__(cls)
        if settled:
            # ticks add the moment of the column, whose height falls with the level
            tank._make(
                owner, body, center - 0.5 * length * a, propellant, _six(disc), capacity, length * a, jet_damping
            )
        else:
            tank._make(owner, body, center, propellant, _six(disc + column), capacity, np.zeros(3), jet_damping)
        return tank

    def _make(
        self,
        owner: str,
        body: BodyHandle,
        position: npt.ArrayLike,
        propellant: float,
        tensor: FloatArray,
        capacity: float | None,
        fill: FloatArray,
        jet_damping: bool,
    ) -> None:
        if not isinstance(jet_damping, bool | np.bool_):
            refuse(owner, "jet_damping", jet_damping, "True or False", TypeError)
        limit = 0.0 if capacity is None else real(capacity, "capacity", owner, above=0.0)
        values = {
            "position": checked(TANKS, "position", position, owner),
            "specific_inertia": tensor[:, np.newaxis],
            "capacity": np.array([[limit]]),
            "fill": fill[:, np.newaxis],
            "jet_damping": np.array([[float(jet_damping)]]),
            "propellant": np.array([[_checked_propellant(propellant, limit, owner)]]),
        }
        super().__init__([(body,)], values)

    @fixed
    def body(self) -> BodyHandle:
        """The body that carries it."""
        return self._named_bodies()[0]

    @property
    def propellant(self) -> float:
        """Mass of propellant in the tank [kg]; assigning refuels or vents the tank between two ticks.

        Assigning keeps the velocity of every point of the body, and its angular velocity.
        """
        return float(self._table.array[PROPELLANT, self._slice().start])

    @propellant.setter
    def propellant(self, value: float) -> None:
        row = self._slice().start
        amount = _checked_propellant(value, float(self._table.array[CAPACITY, row]), self)
        store = self._table.store
        if store is None:
            self._table.write(PROPELLANT, row, amount)
            return
        with store.all_or_nothing():
            self._table.write(PROPELLANT, row, amount)
            store.world()._actuators.compose([self.body.index], self, "propellant", value)

    @fixed
    def capacity(self) -> float | None:
        """Maximum mass of propellant [kg]; None for no limit."""
        return float(self._table.array[CAPACITY, self._slice().start]) or None

    @fixed
    def position(self) -> FloatArray:
        """Centre of the propellant, or the outlet of a settled tank [m], body frame, from the origin of the body, shape (3,)."""
        return self._value("position")

    @fixed
    def jet_damping(self) -> bool:
        """Whether the force and torque of the propellant that flows from the tank to the nozzle are applied."""
        return bool(self._value("jet_damping"))

    def __repr__(self) -> str:
        return f"Tank({self._named_bodies()[0]}, propellant={self.propellant:g})"

    def coast_obstacle(self) -> str | None:
        """Return None, because a tank does not keep the world from coasting; an open valve does."""
        return None

    def _joined(self, world: Host) -> None:
        world._actuators.include_part(self, self._named_bodies()[0].index)

    def _left(self, world: Host) -> None:
        world._actuators.forget_part(self, self._named_bodies()[0].index)

    def _leaving(self, world: Host) -> None:
        fed = [force for force in world.forces if getattr(force, "tank", None) is self]
        if fed:
            refuse(
                "World.remove_part",
                "part",
                self,
                "one that feeds no thruster",
                hint=f"remove {fed[0]!r} first, because it takes its propellant from this tank",
            )


def _checked_propellant(value: float, capacity: float, owner: object) -> float:
    amount = NOT_NEGATIVE.number(value, "propellant", owner)
    if 0.0 < capacity < amount:
        refuse(owner, "propellant", value, f"at most the capacity, {capacity:g} kg")
    return amount


def _specific(value: npt.ArrayLike, owner: str) -> FloatArray:
    """The six components of a specific inertia given as a number, as three numbers or as a tensor."""
    levels = depth(value)
    if levels == 0:
        tensor = np.diag([real(value, "specific_inertia", owner, at_least=0.0)] * 3)
    elif levels == 1:
        tensor = np.diag(array(value, "specific_inertia", owner, (3,)))
    else:
        tensor = array(value, "specific_inertia", owner, (3, 3))
    if (tensor != tensor.T).any():
        refuse(owner, "specific_inertia", value, "a symmetric tensor")
    # propellant on a line or in a plane has a moment of zero, which rounding makes negative
    if float(np.linalg.eigvalsh(tensor)[0]) < -1e-12 * float(np.abs(tensor).max()):
        refuse(owner, "specific_inertia", value, "a tensor with no negative moment")
    return _six(tensor)


def _squared(length: float, argument: str, owner: str) -> float:
    """The square of a length [m²], both above zero and finite."""
    square = real(length, argument, owner, above=0.0) * length
    if square == float("inf"):
        refuse(owner, argument, length, SMALL_ENOUGH)
    return square


def _six(tensor: FloatArray) -> FloatArray:
    return np.array([tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]])
