"""Allocation of a wanted torque to magnetorquers."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from ..checks import components, explaining_errors, reader, real, refuse
from ..forces.magnetic_dipole import MagneticDipole
from ..kernels.vectors import Vector, cross
from ..store.rows import BodyHandle
from .jets import Commanded
from .magnetic_field import flux_density_of
from .magnetorquer import Magnetorquer
from .two_sided import least_squares
from .wheel_allocation import of_one_body


@explaining_errors()
class Magnetorquers:
    """The magnetorquers of a body as actuators of a control loop.

    Only torques at right angles to the magnetic field are possible. The component of the wanted torque along the field is ignored. The
    other components are produced by the dipoles with the least sum of squares. If the limits of the dipoles do not allow them, the torque
    is reduced without a change of direction. The field is evaluated at the position of the body at the time of the command.

    Args:
        torquers: Magnetorquers of one body.

    Raises:
        TypeError: If an entry of `torquers` is not a magnetorquer.
        ValueError: If `torquers` is empty, contains one twice, or contains magnetorquers of different bodies.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.flight import MagneticDipole, Magnetorquer
        >>> world = World(dt=0.1)
        >>> cubesat = world.add_body(MassProperties.box(4.0, (0.1, 0.1, 0.34)), position=(7.0e6, 0.0, 0.0))
        >>> earth = MagneticDipole(7.8e15, (0.0, 0.0, -1.0))
        >>> axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
        >>> rods = [world.add_part(Magnetorquer(cubesat, axis=axis, max_dipole=0.2, field=earth)) for axis in axes]
        >>> actuators = Magnetorquers(rods)
        >>> made = actuators.command((1e-6, 0.0, 5e-6), None, 0.1)  # the field points along +z here
        >>> made.torque_body.round(12).tolist(), actuators.saturated
        ([1e-06, 0.0, 0.0], False)
    """

    __slots__ = ("_commanded", "_saturated", "_torquers")

    saturated: bool
    """Whether the limits of the dipoles cut the last command; the component along the field does not count."""

    saturated = reader(
        "_saturated",
        "Whether the limits of the dipoles cut the last command; the component along the field does not count.",
    )

    def __init__(self, torquers: Iterable[object]) -> None:
        self._torquers = of_one_body(torquers, "torquers", "Magnetorquers", ("axis", "max_dipole", "dipole", "field"))
        self._commanded, self._saturated = Commanded(np.zeros(3), np.zeros(3)), False

    @property
    def body(self) -> BodyHandle:
        """The body that the magnetorquers turn."""
        return self._torquers[0].body

    @property
    def torquers(self) -> tuple[Magnetorquer, ...]:
        """The magnetorquers."""
        return self._torquers

    @property
    def members(self) -> tuple[Magnetorquer, ...]:
        """The magnetorquers that are commanded, which must be in the world of the control loop."""
        return self._torquers

    @property
    def commanded(self) -> Commanded:
        """The torque and the force that the last command set."""
        return self._commanded

    def __repr__(self) -> str:
        return f"Magnetorquers({self.body}, {len(self._torquers)} magnetorquers)"

    def without(self, torquer: object) -> Magnetorquers:
        """Return actuators that do not command a magnetorquer, after a failure.

        Args:
            torquer: One of the magnetorquers.

        Returns:
            New actuators; these stay as they are.

        Raises:
            ValueError: If `torquer` is not one of the magnetorquers, or is the last one in use.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.flight import MagneticDipole, Magnetorquer
            >>> world = World(dt=0.1)
            >>> cubesat = world.add_body(MassProperties.box(4.0, (0.1, 0.1, 0.34)), position=(7.0e6, 0.0, 0.0))
            >>> earth = MagneticDipole(7.8e15, (0.0, 0.0, -1.0))
            >>> axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
            >>> rods = [world.add_part(Magnetorquer(cubesat, axis=axis, max_dipole=0.2, field=earth)) for axis in axes]
            >>> left = Magnetorquers(rods).without(rods[0])
            >>> left.command((1e-6, 1e-6, 0.0), None, 0.1).torque_body.round(12).tolist()  # the field points along +z here
            [1e-06, 0.0, 0.0]
        """
        rest = [each for each in self._torquers if each is not torquer]
        if len(rest) == len(self._torquers):
            refuse(self, "torquer", torquer, "one of the magnetorquers")
        if not rest:
            refuse(
                self,
                "torquer",
                torquer,
                "one of at least two magnetorquers in use",
                hint="the last one cannot be left out",
            )
        return Magnetorquers(rest)

    def _at(self, field: object, position: object) -> Vector:
        """The flux density of a user's field [T], world frame, now."""
        return flux_density_of(field, self)(position, self.body.world.time)

    def command(self, torque_body: npt.ArrayLike, force_body: npt.ArrayLike | None, seconds: float) -> Commanded:
        """Set the dipoles for a torque on the body.

        Args:
            torque_body: Wanted torque on the body [N·m], body frame, shape (3,).
            force_body: Wanted force [N], body frame, shape (3,). It has no effect, because magnetorquers make no force.
            seconds: Time until the next command [s], above 0; it has no effect.

        Returns:
            The torque that these dipoles make in the field at the time of the command, with zero force.

        Raises:
            ValueError: If an argument is not finite, or `seconds` is not positive.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.flight import MagneticDipole, Magnetorquer
            >>> world = World(dt=0.1)
            >>> cubesat = world.add_body(MassProperties.box(4.0, (0.1, 0.1, 0.34)), position=(7.0e6, 0.0, 0.0))
            >>> earth = MagneticDipole(7.8e15, (0.0, 0.0, -1.0))
            >>> axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
            >>> rods = [world.add_part(Magnetorquer(cubesat, axis=axis, max_dipole=0.2, field=earth)) for axis in axes]
            >>> made = Magnetorquers(rods).command((1e-6, 0.0, 5e-6), None, 0.1)  # the field points along +z here
            >>> made.torque_body.round(12).tolist(), [round(rod.dipole, 4) for rod in rods]
            ([1e-06, 0.0, 0.0], [0.0, 0.044, 0.0])
        """
        wanted = list(components(torque_body, "torque_body", self))
        if force_body is not None:  # without effect, but checked as by all actuators
            components(force_body, "force_body", self)
        real(seconds, "seconds", self, above=0.0)
        position, body = self.body.position, self.body
        columns = []
        for torquer in self._torquers:
            own = torquer.field
            flux_density = own.at(position) if isinstance(own, MagneticDipole) else self._at(own, position)
            x, y, z = body.direction_to_body(flux_density).tolist()
            columns.append(list(cross(torquer.axis.tolist(), (x, y, z))))
        limits = [float(torquer.max_dipole) for torquer in self._torquers]
        # no dipole makes a torque along the field: what is wanted there is left out
        found = least_squares(columns, [-limit for limit in limits], limits, wanted)
        for torquer, dipole in zip(self._torquers, found.values, strict=True):
            torquer.dipole = dipole
        self._commanded, self._saturated = Commanded(found.torque_body, np.zeros(3)), found.fraction < 1.0
        return self._commanded
