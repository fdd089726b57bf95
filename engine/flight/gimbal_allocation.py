"""Allocation of a wanted torque to a thruster on a gimbal."""

from __future__ import annotations  # help() then shows them as written

from math import inf, sqrt

import numpy as np
import numpy.typing as npt

from ..checks import components, explaining_errors, reader, real, refuse
from ..forces.thruster import Thruster
from ..joints.assembly import Assembly, assembly_for
from ..kernels.trigonometry import sine_cosine
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale, subtract
from ..store.rows import BodyHandle
from .jets import Commanded

_MOST_STEPS, _MOST_CUTS = 20, 30
_GOLDEN = 0.5 * (sqrt(5.0) - 1.0)
_SETTLED = 1e-15
_SQUARE = 0.1
"""Cosine between the axes below which Newton's method is not started from further points."""
_WITHIN = 1e-9
"""Directions and torques that differ by this fraction of the largest are equal."""
_AT_THE_LIMIT = 1e-13
"""An angle is at its limit within this fraction of it."""


@explaining_errors()
class GimbalAllocator:
    """A thruster on a gimbal as an actuator of a control loop.

    The allocator turns the thrust so that its line of action passes the mass centre at the distance that gives the wanted torque. The
    component of the torque along the line from the mass centre to the thruster cannot be made, and is left out. The rest keeps its
    direction and is made as far as the angles of the gimbal allow. If they allow no torque in that direction, each angle is cut at its
    limit. With oblique axes, what is made of a torque beyond the limits is not always the largest possible part (in 2 of 940 random cases
    it was not). The thrust used is the mean until the next command, under the throttle, a pulse or a stuck valve. Without thrust there is
    no torque, and the angles do not change.

    Args:
        thruster: A thruster with a gimbal, which is not at the mass centre.
        assembly: The handle that `World.assembly` returned for the body of the thruster. The torque then acts about the mass centre of
            everything that is rigidly joined to the body at the time of the command.

    Raises:
        TypeError: If `thruster` has no gimbal, or `assembly` is not an assembly.
        ValueError: If `assembly` belongs to another body.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.flight import Gimbal, Thruster
        >>> world = World(dt=0.1)
        >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
        >>> mount = Gimbal(axis_1=(1, 0, 0), axis_2=(0, 1, 0), max_angle=0.1, max_rate=0.5)
        >>> main = world.add_force(Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=600.0, gimbal=mount))
        >>> main.throttle = 1.0
        >>> actuator = GimbalAllocator(main)
        >>> made = actuator.command((0.0, -60.0, 0.0), None, 0.1)
        >>> made.torque_body.round(9).tolist(), main.gimbal_command.round(6).tolist()
        ([0.0, -60.0, 0.0], [0.0, 0.050021])
    """

    __slots__ = ("_assembly", "_axes", "_commanded", "_is_square", "_limit", "_neutral", "_saturated", "_thruster")

    saturated = reader(
        "_saturated",
        "Whether the limits of the gimbal, or a lack of thrust, cut the last command; the component along the lever does not count.",
    )

    def __init__(self, thruster: Thruster, *, assembly: Assembly | None = None) -> None:
        gimbal = getattr(thruster, "gimbal", None)
        if gimbal is None:
            refuse("GimbalAllocator", "thruster", thruster, "a Thruster with a gimbal", TypeError)
        self._assembly = assembly_for(assembly, thruster.body, "GimbalAllocator")
        axes = [_unit(axis) for axis in (gimbal.axis_1, gimbal.axis_2)]
        # as it is stored, because turning the current direction back would round it
        x, y, z = thruster._value("neutral_direction").tolist()
        neutral = x, y, z
        self._thruster, self._axes, self._neutral, self._limit = thruster, axes, neutral, float(gimbal.max_angle)
        self._is_square = abs(dot(axes[0], axes[1])) < _SQUARE
        self._commanded, self._saturated = Commanded(np.zeros(3), np.zeros(3)), False

    @property
    def body(self) -> BodyHandle:
        """The body that the thruster pushes."""
        return self._thruster.body

    @property
    def thruster(self) -> Thruster:
        """The thruster."""
        return self._thruster

    @property
    def assembly(self) -> Assembly | None:
        """The assembly about whose mass centre the torque acts; None for the mass centre of the body."""
        return self._assembly

    @property
    def members(self) -> tuple[Thruster, ...]:
        """The thruster that is commanded, which must be in the world of the control loop."""
        return (self._thruster,)

    @property
    def commanded(self) -> Commanded:
        """The torque and the force that the last command set."""
        return self._commanded

    def __repr__(self) -> str:
        return f"GimbalAllocator({self._thruster!r})"

    def command(self, torque_body: npt.ArrayLike, force_body: npt.ArrayLike | None, seconds: float) -> Commanded:
        """Set the angles of the gimbal for a torque on the body.

        Args:
            torque_body: Wanted torque about the mass centre [N·m], body frame, shape (3,).
            force_body: Wanted force [N], body frame, shape (3,). It has no effect, because the valve sets the thrust.
            seconds: Time until the next command [s], above 0.

        Returns:
            The torque and the force at the commanded angles, which the gimbal approaches at its maximum rate.

        Raises:
            ValueError: If an argument is not finite, `seconds` is not positive, or the thruster is at the mass centre.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.flight import Gimbal, Thruster
            >>> world = World(dt=0.1)
            >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
            >>> mount = Gimbal(axis_1=(1, 0, 0), axis_2=(0, 1, 0), max_angle=0.1, max_rate=0.5)
            >>> main = world.add_force(Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=600.0, gimbal=mount))
            >>> main.throttle = 1.0
            >>> actuator = GimbalAllocator(main)
            >>> made = actuator.command((0.0, -240.0, 0.0), None, 0.1)  # out of reach
            >>> made.torque_body.round(3).tolist(), actuator.saturated
            ([0.0, -119.8, 0.0], True)
        """
        x, y, z = components(torque_body, "torque_body", self)
        wanted = x, y, z
        if force_body is not None:
            components(force_body, "force_body", self)
        thruster = self._thruster
        thrust = float(thruster.mean_thrust(real(seconds, "seconds", self, above=0.0)))
        x, y, z = (thruster.position - (self._assembly or self.body).center_of_mass_body).tolist()
        lever = x, y, z
        if not any(lever):
            refuse(self, "thruster.position", thruster.position, "away from the mass centre")
        if thrust == 0.0:
            self._commanded, self._saturated = Commanded(np.zeros(3), np.zeros(3)), any(wanted)
            return self._commanded
        angles, self._saturated = self._angles(lever, thrust, wanted)
        thruster.gimbal_command = angles
        force = scale(thrust, self._pointed(*angles)[0])
        self._commanded = Commanded(np.array(cross(lever, force)), np.array(force))
        return self._commanded

    def _angles(self, lever: Vector, thrust: float, wanted: Vector) -> tuple[tuple[float, float], bool]:
        """Angles for the largest part of the torque that the limit allows, and whether that is not all of it."""
        # the force across the lever that makes the torque, at most the thrust
        across = scale(1.0 / dot(lever, lever), cross(wanted, lever))
        size = sqrt(dot(across, across))
        part = 1.0 if size < thrust else thrust / size
        found = self._solved(lever, thrust, scale(part, across))
        if self._excess(found) > 0.0:
            start, inside = self._inside(lever, thrust, scale(part, across))
            if self._excess(inside) <= 0.0:
                found = self._at_the_limit(lever, thrust, scale(part, across), start, inside, found)
        limit = self._limit
        within = min(max(found[0], -limit), limit), min(max(found[1], -limit), limit)
        # judged by what is made, which also tells where no angles were found
        made = cross(cross(lever, scale(thrust, self._pointed(*within)[0])), lever)
        missing = subtract(scale(dot(lever, lever), across), made)
        return within, sqrt(dot(missing, missing)) > _WITHIN * thrust * dot(lever, lever)

    def _excess(self, angles: tuple[float, float]) -> float:
        """How far the larger angle is beyond its limit [rad], negative within it."""
        return max(abs(angles[0]), abs(angles[1])) - self._limit

    def _inside(self, lever: Vector, thrust: float, across: Vector) -> tuple[float, tuple[float, float]]:
        """A part of a force across the lever with angles within the limit, and the angles; beyond the limit if there is none.

        No force across the lever at all may need angles beyond the limit, if the mass centre is far beside the thrust. The least excess is
        then found by golden sections, because the angles are nearly in proportion to the force.
        """
        rest = self._solved(lever, thrust, (0.0, 0.0, 0.0))
        if self._excess(rest) <= 0.0:
            return 0.0, rest
        low, high = 0.0, 1.0
        parts = [1.0 - _GOLDEN, _GOLDEN]
        angles = [self._solved(lever, thrust, scale(part, across)) for part in parts]
        for _ in range(_MOST_CUTS):
            better = int(self._excess(angles[1]) < self._excess(angles[0]))
            if self._excess(angles[better]) <= 0.0:
                break
            if better:
                low, part = parts[0], parts[0] + _GOLDEN * (high - parts[0])
                parts, angles = [parts[1], part], [angles[1], self._solved(lever, thrust, scale(part, across))]
            else:
                high, part = parts[1], parts[1] - _GOLDEN * (parts[1] - low)
                parts, angles = [part, parts[0]], [self._solved(lever, thrust, scale(part, across)), angles[0]]
        return parts[better], angles[better]

    def _at_the_limit(
        self,
        lever: Vector,
        thrust: float,
        across: Vector,
        start: float,
        inside: tuple[float, float],
        found: tuple[float, float],
    ) -> tuple[float, float]:
        """Angles for the largest part of a force across the lever, by the secant between one within and one beyond the limit."""
        low, high, within, beyond = start, 1.0, self._excess(inside), self._excess(found)
        for _ in range(_MOST_CUTS):
            part = low + (high - low) * (within / (within - beyond))
            angles = self._solved(lever, thrust, scale(part, across))
            excess = self._excess(angles)
            if abs(excess) <= _AT_THE_LIMIT * self._limit:
                return angles
            # half the value at an end that stays, so that both ends approach (the Illinois method)
            if excess > 0.0:
                high, beyond, within = part, excess, 0.5 * within
            else:
                low, within, beyond, inside = part, excess, 0.5 * beyond, angles
        return inside

    def _solved(self, lever: Vector, thrust: float, across: Vector) -> tuple[float, float]:
        """Angles, without limits, at which the thrust has this part across the lever."""
        # the part along the lever keeps the side on which the thrust is without angles
        along = sqrt(max(thrust * thrust - dot(across, across), 0.0) / dot(lever, lever))
        side = along if dot(self._neutral, lever) >= 0.0 else -along
        goal = scale(1.0 / thrust, add_scaled(across, side, lever))
        best, least = (0.0, 0.0), (inf, inf)
        half = 0.5 * self._limit
        # from the middle, and from further points where oblique axes let that fail
        for start in ((0.0, 0.0), (half, half), (-half, half), (half, -half), (-half, -half)):
            found, error = self._nearest(goal, *start)
            # of several angles that point to the goal, those within the limit
            error = error if error > _WITHIN else 0.0
            if (error, self._excess(found)) < least:
                best, least = found, (error, self._excess(found))
            if least <= (0.0, 0.0) or self._is_square:
                break
        return best

    def _nearest(self, goal: Vector, first: float, second: float) -> tuple[tuple[float, float], float]:
        """Angles near these at which the thrust points to a goal, and the distance left, by Newton's method."""
        for _ in range(_MOST_STEPS):
            pointed, by_first, by_second = self._pointed(first, second)
            error = subtract(goal, pointed)
            # Newton's step: the least squares of two unknowns
            a, b, c = dot(by_first, by_first), dot(by_first, by_second), dot(by_second, by_second)
            u, v = dot(by_first, error), dot(by_second, error)
            determinant = a * c - b * b
            if determinant <= 0.0:
                break
            step = (c * u - b * v) / determinant, (a * v - b * u) / determinant
            if max(abs(step[0]), abs(step[1])) < _SETTLED:
                break
            first, second = first + step[0], second + step[1]
        left = subtract(goal, self._pointed(first, second)[0])
        return (first, second), sqrt(dot(left, left))

    def _pointed(self, first: float, second: float) -> tuple[Vector, Vector, Vector]:
        """Direction of the thrust, and its derivatives by both angles."""
        axis_1, axis_2 = self._axes
        inner = _turned(axis_2, second, self._neutral)
        pointed = _turned(axis_1, first, inner)
        return pointed, cross(axis_1, pointed), _turned(axis_1, first, cross(axis_2, inner))


def _unit(axis: npt.ArrayLike) -> Vector:
    x, y, z = components(axis, "gimbal axis", "GimbalAllocator")
    return scale(1.0 / sqrt(dot((x, y, z), (x, y, z))), (x, y, z))


def _turned(axis: Vector, angle: float, vector: Vector) -> Vector:
    """Rodrigues' formula."""
    sine, cosine = sine_cosine(angle)
    along = scale((1.0 - cosine) * dot(axis, vector), axis)
    return add(add_scaled(scale(cosine, vector), sine, cross(axis, vector)), along)
