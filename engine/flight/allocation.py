"""Allocation of a wanted force and torque to the jets of a body."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Literal, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from ..checks import (
    FloatArray,
    array,
    boolean,
    components,
    explaining_errors,
    integer,
    members,
    option,
    real,
    refuse,
    stack,
)
from ..forces.thruster import Thruster, ThrusterBank
from ..joints.assembly import Assembly, assembly_for
from ..kernels.vectors import Vector, add_scaled, cross, subtract
from ..loops import thrust_allocation as kernel
from ..store.rows import BodyHandle

Method = Literal["least propellant", "even"]

_METHODS = ("least propellant", "even")
_NO_FORCE = (0.0, 0.0, 0.0)
_BOTH_WAYS = np.array([np.eye(3), -np.eye(3)])


class Allocation(NamedTuple):
    """Shares of the jets, with the force and torque that they make and the part that is missing.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.forces import Thruster
        >>> ship = World(dt=0.1).add_body(MassProperties.sphere(100.0, 1.0))
        >>> jet = Thruster(ship, position=(1.0, 0.0, 0.0), direction=(0.0, 1.0, 0.0), max_force=8.0)
        >>> made = ThrusterAllocator([jet]).allocate(torque_body=(0.0, 0.0, 2.0), force_body=None)
        >>> made.shares.tolist(), made.force_body.tolist(), made.saturated
        ([0.25], [0.0, 2.0, 0.0], False)
    """

    shares: FloatArray
    """Share of the full thrust of each jet, from 0 to 1, shape (..., n)."""
    force_body: FloatArray
    """Force that these shares make [N], body frame, shape (..., 3)."""
    torque_body: FloatArray
    """Torque that these shares make about the mass centre [N·m], body frame, shape (..., 3)."""
    residual_force_body: FloatArray
    """Wanted force minus the one made [N], body frame, shape (..., 3); 0 where the force was left free."""
    residual_torque_body: FloatArray
    """Wanted torque minus the one made [N·m], body frame, shape (..., 3)."""
    fraction: object
    """Factor from 0 to 1 by which the reachable part of force and torque was scaled, a number or shape (...)."""
    saturated: bool | npt.NDArray[np.bool_]
    """Whether force and torque together are out of reach, a bool or an array of shape (...)."""


@explaining_errors()
class ThrusterAllocator:
    """Allocation of a wanted force and torque to the jets of one body.

    Each call solves for shares of full thrust between 0 and 1 that together make the wanted force and torque. Lever arms are measured from
    the mass centre at the time of the call: that of the body or, with `assembly`, that of everything that is rigidly joined to it. If
    several sets of shares make the wanted force and torque, the method decides:

    * ``"least propellant"``: the least sum of flows, by an exact linear programme. Few jets fire; among equal jets, those with lower
      numbers. A small change of the wanted torque may replace some of them by others. This suits jets that are either on or off.
    * ``"even"``: the least sum of flow times share squared, by a pseudo-inverse with limits. The load is spread over many jets, and
      changes continuously with the wanted torque. This suits throttled jets, but burns more propellant. The solution takes twice as long
      (2.4 µs with 16 jets and a free force), and four times as long where force and torque are out of reach.

    The flow of a jet is its full thrust over its specific impulse. If any jet lacks a specific impulse, the full thrust is used for all.

    A force and a torque that are out of reach keep their directions and are scaled down by one common factor, `fraction`. A component that
    no combination of these jets can make, even with negative thrust, is removed first, such as a roll torque if all jets point through
    the roll axis. In both cases `saturated` is True, and the residuals say what is missing.

    Positions, directions, thrusts and specific impulses of the jets are read when the allocator is made.

    Args:
        thrusters: Thrusters and banks of one body. The jets are numbered in this order, and within a bank in its order.
        method: "least propellant" or "even".
        assembly: The handle that `World.assembly` returned for this body. Force and torque then act about the mass centre of everything
            that is rigidly joined to the body at the time of the call, so that the allocator works before, during and after docking.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `thrusters` is empty or contains one twice, or if `thrusters` and `assembly` belong to different bodies.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.forces import ThrusterBank
        >>> world = World(dt=0.1)
        >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
        >>> corners, forwards = [(1, 0, 0), (-1, 0, 0), (1, 0, 0), (-1, 0, 0)], [(0, 0, 1), (0, 0, 1), (0, 0, -1), (0, 0, -1)]
        >>> jets = world.add_force(ThrusterBank(ship, positions=corners, directions=forwards, max_forces=10.0))
        >>> allocator = ThrusterAllocator([jets])
        >>> allocator.allocate(torque_body=(0, 5, 0), force_body=(0, 0, 0)).shares.tolist()
        [0.0, 0.25, 0.25, 0.0]
        >>> cut = allocator.allocate(torque_body=(0, 40, 0), force_body=(0, 0, 0))
        >>> cut.torque_body.tolist(), cut.fraction, cut.saturated
        ([0.0, 20.0, 0.0], 0.5, True)
    """

    __slots__ = ("_assembly", "_body", "_jets", "_method", "_numbers", "_thrusters")

    def __init__(
        self,
        thrusters: Iterable[Thruster | ThrusterBank],
        *,
        method: Method = "least propellant",
        assembly: Assembly | None = None,
    ) -> None:
        owner = "ThrusterAllocator"
        option(method, "method", owner, _METHODS)
        rule = "a list of thrusters and banks of thrusters"
        several = [thrusters] if isinstance(thrusters, Thruster | ThrusterBank) else thrusters
        given = members(several, "thrusters", owner, rule, lambda each: isinstance(each, Thruster | ThrusterBank))
        if not given:
            refuse(owner, "thrusters", thrusters, "at least one thruster")
        for each in given:
            if each.body is not given[0].body:
                refuse(owner, "thrusters", each, f"on the same body as the first of them, {given[0].body}")
        if len(set(map(id, given))) < len(given):
            refuse(owner, "thrusters", thrusters, "different from each other")
        self._assembly = assembly_for(assembly, given[0].body, owner)
        self._body, self._thrusters, self._method = given[0].body, tuple(given), method
        self._jets = np.concatenate([_columns(each) for each in given], axis=1)
        self._jets[kernel.JET_COST] = _flows(given, self._jets)
        ends = np.cumsum([_count(each) for each in given]).tolist()
        self._numbers = tuple(range(end - _count(each), end) for each, end in zip(given, ends, strict=True))

    @property
    def body(self) -> BodyHandle:
        """The body that the jets push."""
        return self._body

    @property
    def thrusters(self) -> tuple[Thruster | ThrusterBank, ...]:
        """The thrusters and banks, in the order of their jets."""
        return self._thrusters

    @property
    def method(self) -> Method:
        """Either "least propellant" or "even"."""
        return self._method

    @property
    def assembly(self) -> Assembly | None:
        """The assembly about whose mass centre force and torque act; None for the mass centre of the body."""
        return self._assembly

    @property
    def center_of_mass_body(self) -> FloatArray:
        """The current mass centre from which lever arms are measured, from the body's origin [m], body frame, shape (3,)."""
        center: FloatArray = (self._assembly or self._body).center_of_mass_body
        return center

    @property
    def jet_count(self) -> int:
        """Number of jets, including those that were lost."""
        return int(self._jets.shape[1])

    @property
    def lost(self) -> tuple[int, ...]:
        """Numbers of the jets that are not commanded; see `without`."""
        return tuple(np.flatnonzero(self._jets[kernel.JET_LEVEL] >= 0.0).tolist())

    @property
    def stuck_levels(self) -> tuple[tuple[int, float], ...]:
        """Number and share of full thrust of each jet that is not commanded; see `without`."""
        return tuple((jet, float(self._jets[kernel.JET_LEVEL, jet])) for jet in self.lost)

    def __repr__(self) -> str:
        lost = f", without {list(self.lost)}" if self.lost else ""
        jets = "1 jet" if self.jet_count == 1 else f"{self.jet_count} jets"
        return f"ThrusterAllocator({self._body}, {jets}{lost}, method={self._method!r})"

    def jets_of(self, thruster: Thruster | ThrusterBank) -> range:
        """Return the numbers of the jets of a thruster or bank.

        Args:
            thruster: One of `thrusters`.

        Returns:
            The numbers of its jets, which are also their indices in `shares`.

        Raises:
            ValueError: If `thruster` is not one of `thrusters`.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.forces import Thruster, ThrusterBank
            >>> ship = World(dt=0.1).add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
            >>> main = Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=600.0)
            >>> bank = ThrusterBank(ship, positions=[(1, 0, 0), (-1, 0, 0)], directions=[(0, 0, 1)] * 2, max_forces=10.0)
            >>> ThrusterAllocator([main, bank]).jets_of(bank)
            range(1, 3)
        """
        for each, numbers in zip(self._thrusters, self._numbers, strict=True):
            if each is thruster:
                return numbers
        refuse(self, "thruster", thruster, "one of the thrusters of the allocator")

    def without(self, jet: int | Thruster | ThrusterBank, *, level: float = 0.0) -> ThrusterAllocator:
        """Return an allocator that does not command a jet, after a failure.

        The numbers of the jets stay as they are. The share of the lost jet is always `level`, and the other jets compensate for it.

        Args:
            jet: The number of a jet; or a thruster or bank, for all of its jets.
            level: Share of full thrust at which the jet is stuck, from 0 (shut, or cut off from its propellant) to 1 (fully open).

        Returns:
            A new allocator; this one does not change.

        Raises:
            TypeError: If `jet` is neither a number nor a thruster or bank.
            ValueError: If there is no such jet, `jet` is the last one in use, or `level` is not between 0 and 1.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.forces import ThrusterBank
            >>> world = World(dt=0.1)
            >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
            >>> places = [(1, 0, 0), (-1, 0, 0), (2, 0, 0)]
            >>> bank = ThrusterBank(ship, positions=places, directions=[(0, 0, 1)] * 3, max_forces=10.0)
            >>> allocator = ThrusterAllocator([bank]).without(1)
            >>> allocator.allocate(torque_body=(0, -10, 0), force_body=None).shares.tolist()
            [0.0, 0.0, 0.5]
        """
        if not isinstance(jet, int | np.integer):
            if not any(each is jet for each in self._thrusters):
                refuse(
                    self,
                    "jet",
                    jet,
                    "the number of a jet, or one of the thrusters of the allocator",
                    ValueError if isinstance(jet, Thruster | ThrusterBank) else TypeError,
                )
            numbers = self.jets_of(jet)
        elif 0 <= integer(jet, "jet", self, at_least=0) < self.jet_count:
            numbers = range(int(jet), int(jet) + 1)
        else:
            refuse(self, "jet", jet, f"a number below {self.jet_count}")
        if real(level, "level", self, at_least=0.0) > 1.0:
            refuse(self, "level", level, "between 0 and 1")
        rest = self._copy()
        rest._jets[kernel.JET_LEVEL, numbers.start : numbers.stop] = level
        if len(rest.lost) == self.jet_count:
            refuse(self, "jet", jet, "one of at least two jets in use", hint="the last one cannot be left out")
        return rest

    def allocate(
        self,
        torque_body: npt.ArrayLike,
        force_body: npt.ArrayLike | None,
        *,
        center_of_mass_body: npt.ArrayLike | None = None,
    ) -> Allocation:
        """Compute the shares for a force and a torque, or for stacks of them.

        Args:
            torque_body: Wanted torque about the mass centre [N·m], body frame, shape (..., 3).
            force_body: Wanted force [N], body frame, shape (..., 3). None leaves the force free, so that only the torque counts. Leading
                dimensions broadcast with those of the torque.
            center_of_mass_body: Mass centre from the body's origin [m], body frame, shape (..., 3), for stacks of bodies with the same
                jets; None takes that of the body, or of the assembly.

        Returns:
            The shares, the force and torque that they make, and the residuals.

        Raises:
            ValueError: If an argument is not finite or has the wrong shape.

        Error: for reachable forces and torques, residuals are below 2e-15 of the wanted magnitude with "least propellant", and 1e-12 with
            "even". The flow is minimal to a relative 1e-13, compared with SciPy's solver in 3000 random cases. All results have the same
            bits on every machine, alone or in a stack.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.forces import ThrusterBank
            >>> ship = World(dt=0.1).add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
            >>> bank = ThrusterBank(ship, positions=[(1, 0, 0), (-1, 0, 0)], directions=[(0, 0, -1), (0, 0, 1)], max_forces=10.0)
            >>> made = ThrusterAllocator([bank]).allocate(torque_body=(0, 5, 0), force_body=(0, 0, 0))
            >>> made.shares.tolist(), made.torque_body.tolist(), made.saturated
            ([0.25, 0.25], [0.0, 5.0, 0.0], False)
        """
        center = self.center_of_mass_body if center_of_mass_body is None else center_of_mass_body
        return self._solve(*_cases(self, force_body, torque_body, center), force_body is None)

    def reachable_torques(self, directions: npt.ArrayLike | None = None, *, force_is_free: bool = False) -> FloatArray:
        """Return the maximum torque that the jets can make in given directions.

        The reachable torques form a convex set around zero. The result is the distance from zero to its surface. Lost jets make no torque
        here, even if they are stuck open.

        Args:
            directions: Directions in the body frame, each of any non-zero length, shape (..., 3). None takes both directions of each axis,
                +x, +y, +z, then −x, −y, −z, shape (2, 3, 3).
            force_is_free: Whether the jets may also exert a net force. By default, their forces must cancel.

        Returns:
            The maximum torque in each direction [N·m], shape (...).

        Raises:
            ValueError: If an entry of `directions` is zero or not finite.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.forces import ThrusterBank
            >>> world = World(dt=0.1)
            >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
            >>> bank = ThrusterBank(ship, positions=[(1, 0, 0), (-1, 0, 0)], directions=[(0, 0, 1), (0, 0, -1)], max_forces=10.0)
            >>> ThrusterAllocator([bank]).reachable_torques().tolist()
            [[0.0, 0.0, 0.0], [0.0, 20.0, 0.0]]
        """
        force_is_free = boolean(force_is_free, "force_is_free", self)
        given = _BOTH_WAYS if directions is None else stack(directions, "directions", self, 3)
        lengths = np.sqrt(given[..., 0] * given[..., 0] + given[..., 1] * given[..., 1] + given[..., 2] * given[..., 2])
        if (lengths == 0.0).any():
            refuse(self, "directions", directions, "non-zero vectors")
        free = self._copy()
        free._jets[kernel.JET_LEVEL] = np.minimum(free._jets[kernel.JET_LEVEL], 0.0)
        center = self.center_of_mass_body
        forces = np.abs(free._jets[kernel.JET_FORCE : kernel.JET_FORCE + 3])
        levers = np.abs(free._jets[kernel.JET_POSITION : kernel.JET_POSITION + 3] - center[:, np.newaxis])
        # more than all jets together can make, whatever their directions
        bound = 2.0 * float(levers.max()) * float(forces.max()) * 3.0 * self.jet_count or 1.0
        units = given / lengths[..., np.newaxis]
        wanted = _cases(self, None if force_is_free else np.zeros(3), bound * units, center)
        made = free._solve(*wanted, force_is_free).torque_body
        along = made[..., 0] * units[..., 0] + made[..., 1] * units[..., 1] + made[..., 2] * units[..., 2]
        return np.maximum(along, 0.0)

    def wrench_of(
        self, shares: npt.ArrayLike, center_of_mass_body: npt.ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Compute the force and the torque of given shares.

        Args:
            shares: Shares of full thrust, one per jet, shape (n,).
            center_of_mass_body: Mass centre from the body's origin [m], body frame, shape (3,); None takes that of the body, or of the
                assembly.

        Returns:
            Force [N] and torque about the mass centre [N·m], body frame, shape (3,) each.

        Raises:
            ValueError: If `shares` does not have one finite entry per jet.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.forces import ThrusterBank
            >>> ship = World(dt=0.1).add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
            >>> bank = ThrusterBank(ship, positions=[(1, 0, 0), (-1, 0, 0)], directions=[(0, 0, 1), (0, 0, 1)], max_forces=10.0)
            >>> force_body, torque_body = ThrusterAllocator([bank]).wrench_of((0.5, 0.25))
            >>> force_body.tolist(), torque_body.tolist()
            ([0.0, 0.0, 7.5], [0.0, -2.5, 0.0])
        """
        given = array(shares, "shares", self, (self.jet_count,)).tolist()
        center = self.center_of_mass_body if center_of_mass_body is None else center_of_mass_body
        x, y, z = components(center, "center_of_mass_body", self)
        force: Vector = (0.0, 0.0, 0.0)
        torque: Vector = (0.0, 0.0, 0.0)
        for share, column in zip(given, self._jets.T.tolist(), strict=True):
            lever = subtract(column[kernel.JET_POSITION : kernel.JET_FORCE], (x, y, z))
            full = column[kernel.JET_FORCE : kernel.JET_TORQUE]
            force = add_scaled(force, share, full)
            torque = add_scaled(torque, share, cross(lever, full))
        return np.array(force), np.array(torque)

    def _with_stuck(self, levels: Iterable[tuple[int, float]]) -> ThrusterAllocator:
        """Return an allocator that does not command these jets, which are stuck at these levels, and commands all others."""
        copy = self._copy()
        copy._jets[kernel.JET_LEVEL] = -1.0
        for jet, level in levels:
            copy._jets[kernel.JET_LEVEL, jet] = level
        return copy

    def _copy(self) -> ThrusterAllocator:
        copy: ThrusterAllocator = object.__new__(ThrusterAllocator)
        for name in self.__slots__:
            setattr(copy, name, getattr(self, name))
        copy._jets = self._jets.copy()
        return copy

    def _refuse_huge(self) -> NoReturn:
        raise ValueError(
            f"{self}: the wanted force and torque are so large that the shares of the jets are not finite; ask for less"
        )

    def _solve(self, cases: FloatArray, leading: tuple[int, ...], force_is_free: bool) -> Allocation:
        results = kernel.solve(self._jets, cases, self._method == "even", force_is_free)
        if not (isfinite(sum(results[0].tolist())) if len(results) == 1 else np.isfinite(results).all()):
            self._refuse_huge()
        return unpacked(results, leading, self.jet_count, force_is_free)


def unpacked(results: FloatArray, leading: tuple[int, ...], count: int, force_is_free: bool) -> Allocation:
    """The results of `loops.thrust_allocation` as arrays of the user's shape."""
    rows = results.reshape(*leading, count + kernel.RESULT_COLUMNS) if leading else results[0]
    force, torque, rest_force, rest_torque = (
        rows[..., count + first : count + first + 3]
        for first in (kernel.FORCE, kernel.TORQUE, kernel.REST_FORCE, kernel.REST_TORQUE)
    )
    if force_is_free:
        rest_force[...] = 0.0
    fraction, is_cut = rows[..., count + kernel.FRACTION], rows[..., count + kernel.IS_CUT] > 0.0
    if not leading:
        fraction, is_cut = fraction.item(), bool(is_cut)
    return Allocation(rows[..., :count], force, torque, rest_force, rest_torque, fraction, is_cut)


def _cases(
    owner: object, force_body: npt.ArrayLike | None, torque_body: npt.ArrayLike, center: npt.ArrayLike
) -> tuple[FloatArray, tuple[int, ...]]:
    """One row of force, torque and mass centre per case, and the leading dimensions."""
    given = {
        "force_body": _NO_FORCE if force_body is None else force_body,
        "torque_body": torque_body,
        "center_of_mass_body": center,
    }
    if all(map(_is_vector, given.values())):
        return np.array([[each for name, value in given.items() for each in components(value, name, owner)]]), ()
    stacks = [stack(value, name, owner, 3) for name, value in given.items()]
    try:
        leading = np.broadcast_shapes(*(value.shape[:-1] for value in stacks))
    except ValueError:
        shapes = tuple(value.shape for value in stacks)
        refuse(owner, " and ".join(given), shapes, "arrays whose leading dimensions broadcast")
    cases = np.empty((*leading, 9))
    for place, value in enumerate(stacks):
        cases[..., 3 * place : 3 * place + 3] = value
    return cases.reshape(-1, 9), leading


def _is_vector(value: object) -> bool:
    """Whether this is one vector in a usual form, which is read in a tenth of the time."""
    return type(value[0]) is float if type(value) is tuple and value else getattr(value, "ndim", 0) == 1


def _columns(thruster: Thruster | ThrusterBank) -> FloatArray:
    """Columns of the jets of a thruster or bank, in the layout of `loops.thrust_allocation`."""
    if isinstance(thruster, Thruster):
        positions, directions = thruster.position[np.newaxis], thruster.direction[np.newaxis]
        thrusts = np.array([thruster.max_force])
    else:
        positions, directions, thrusts = thruster.positions, thruster.directions, thruster.max_forces
    columns = np.zeros((kernel.JET_ROWS, len(thrusts)))
    columns[kernel.JET_POSITION : kernel.JET_POSITION + 3] = positions.T
    columns[kernel.JET_FORCE : kernel.JET_FORCE + 3] = directions.T * thrusts
    columns[kernel.JET_COST] = thrusts
    columns[kernel.JET_LEVEL] = -1.0
    return columns


def _count(thruster: Thruster | ThrusterBank) -> int:
    return 1 if isinstance(thruster, Thruster) else len(thruster.max_forces)


def _flows(thrusters: Sequence[Thruster | ThrusterBank], jets: FloatArray) -> FloatArray:
    """Full thrust over specific impulse of each jet; without it, unless all jets have one."""
    thrusts = jets[kernel.JET_COST]
    impulses = [each.specific_impulse for each in thrusters]
    if any(each is None for each in impulses):
        return thrusts
    parts = [np.broadcast_to(value, _count(each)) for value, each in zip(impulses, thrusters, strict=True)]
    return thrusts / np.concatenate(parts)
