"""A preconfigured control loop that holds an attitude, stops the rotation or points at a target."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Iterable
from math import ceil, sqrt
from typing import ClassVar, TypeGuard

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, count_of_ticks, members, refuse
from ..forces.thruster import Thruster, ThrusterBank
from ..joints.assembly import Assembly, assembly_for
from ..store.rows import BodyHandle, fixed, require_body
from .allocation import ThrusterAllocator
from .control_loop import Actuators
from .controlled import Controlled, check_actuators
from .feedback import QuaternionPD, RateDamping
from .jets import Jet, Jets
from .law import limits
from .modulation import PulseModulator
from .pointing import Pointing
from .reference import FixedOrMoving, Reference

_INTERVAL = 0.1
"""Time between two samples [s], to the nearest tick, unless another one is given."""
_SAMPLES_PER_RADIAN = 5.0
"""Smallest number of samples in the time 1/bandwidth; with fewer, the delay of half a sample takes too much of the damping."""
_LINEAR_ERROR = 0.1
"""Attitude error [rad] below which the approach is linear and above which it brakes at a constant torque, if sampling is fast enough."""


class AttitudeHold(Controlled):
    """A preconfigured control loop that holds the attitude of a ship, stops its rotation, or points it at a target.

    It is a `Controlled` with a tuned `QuaternionPD`. The gains follow from the inertia of the ship and the torque of its actuators when the
    loop is made. Add it to the world by `World.add_part`, after the actuators. Initially, it holds the attitude that the ship has when the
    loop is made.

    Thrusters and banks of thrusters become `Jets`. If any of them has a `min_on_time`, they fire pulses, otherwise they are throttled.

    With `assembly`, gains, gyroscopic terms and lever arms are updated at each sample for everything that is rigidly joined to the ship.
    One loop then works before docking, while docked, and after undocking. The bandwidth and the maximum torque keep their initial values.

    Args:
        ship: The body, in a world.
        actuators: A thruster, a bank of thrusters or a list of them; or `Jets`; or a `BodyTorque` with `max_torque`; or other actuators
            together with the argument `max_torque`.
        max_torque: Maximum torque about each body axis [N·m], one number or three. None takes it from the actuators.
        every: Interval between two samples [ticks], at least 1. None takes the period of the actuators. If they have none, it is 0.1 s, or
            the shortest pulse plus its rise time if that is longer.
        assembly: The handle that `World.assembly` returned for the ship.
        name: Name in errors and of the columns of a `Recorder`, which numbers loops of one name.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `actuators` cannot turn the body both ways about every axis, define no maximum torque, or belong to another body, or
            if `assembly` belongs to another body or was not also given to the allocator of `Jets`.

    Example:
        >>> import numpy as np
        >>> from engine import MassProperties, World, flight
        >>> world = World(dt=0.02)
        >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)), angular_velocity_body=(0.1, -0.2, 0.05))
        >>> sides, along = np.eye(3), np.roll(np.eye(3), 1, axis=1)
        >>> pairs = {"positions": [*sides, *-sides, *sides, *-sides], "directions": [*along, *-along, *-along, *along]}
        >>> jets = world.add_force(flight.ThrusterBank(ship, **pairs, max_forces=150.0))
        >>> hold = world.add_part(flight.AttitudeHold(ship, jets))
        >>> hold.point_at((1.0, 0.0, 0.0))  # its z axis, the default
        >>> world.step(2000)
        >>> bool(ship.direction_to_world((0.0, 0.0, 1.0))[0] > 0.999999)
        True
    """

    __slots__ = ("_damping", "_pointing")

    _kept_beside: ClassVar[dict[str, str]] = {
        "pointing": "_pointing",
        "damping": "_damping",
        "law": "law",
        "reference": "reference",
    }

    def __init__(
        self,
        ship: BodyHandle,
        actuators: Actuators | Jet | Iterable[Jet],
        *,
        max_torque: float | npt.ArrayLike | None = None,
        every: int | None = None,
        assembly: Assembly | None = None,
        name: str = "attitude hold",
    ) -> None:
        owner = f"AttitudeHold of {require_body(ship, 'ship', 'AttitudeHold')}"
        body: BodyHandle = ship
        dt = float(body.world.dt)
        if every is not None:
            every = count_of_ticks(every, "every", owner)
        assembly_for(assembly, ship, owner)
        given, thrusters = actuators, _thrusters(actuators, owner)
        if thrusters:
            actuators = _jets(thrusters, every, dt, assembly)
        if not _can_command(actuators):
            rule = "an object with command(torque_body, force_body, seconds), or thrusters"
            refuse(owner, "actuators", actuators, rule, TypeError)
        if (
            not thrusters
            and assembly is not None
            and getattr(getattr(actuators, "allocator", None), "assembly", assembly) is None
        ):
            refuse(owner, "actuators", actuators, "jets whose allocator was also given the assembly")
        check_actuators(actuators, body, owner)  # before what they reach, which is about their own body
        ticks = _ticks(actuators, dt) if every is None else every
        largest, force_is_free = _largest_torque(actuators, max_torque, owner, given)
        inertia: FloatArray = (assembly or body).inertia_body
        # the largest bandwidth that is sampled often enough and at which the error `_LINEAR_ERROR` is braked by half of the torque
        rows = np.abs(inertia)
        acceleration = min(0.5 * most / sum(row) for most, row in zip(largest, rows.tolist(), strict=True))
        bandwidth = min(sqrt(4.0 * acceleration / _LINEAR_ERROR), 1.0 / (_SAMPLES_PER_RADIAN * ticks * dt))
        own = inertia if assembly is None else None
        self._pointing = QuaternionPD.tuned(own, largest, bandwidth, assembly=assembly)
        self._damping = RateDamping.tuned(own, 2.0 * bandwidth, assembly=assembly)
        super().__init__(
            ship,
            self._pointing,
            Reference(body.orientation),
            actuators,
            every=ticks,
            force_body=None if force_is_free else (0.0, 0.0, 0.0),
            name=name,
        )

    @fixed
    def ship(self) -> BodyHandle:
        """The body that is controlled."""
        return self.body

    @fixed
    def max_torque(self) -> FloatArray | None:
        """Maximum torque about each body axis [N·m] for which the gains were chosen, body frame, shape (3,)."""
        return self._pointing.max_torque_body

    @fixed
    def assembly(self) -> Assembly | None:
        """The assembly whose mass properties the loop uses; None for those of the ship alone."""
        return self._pointing.assembly

    def hold(self) -> None:
        """Hold the attitude that the ship has now."""
        ship: BodyHandle = self.body
        self.follow(Reference(ship.orientation))

    def kill_rotation(self) -> None:
        """Stop the rotation; the attitude in which the ship comes to rest does not matter."""
        self._track(Reference(), self._damping)

    def point_at(self, target: object, axis_body: npt.ArrayLike = (0.0, 0.0, 1.0)) -> None:
        """Point an axis of the ship at a target, and keep it there; the rotation about this axis stops.

        Args:
            target: A body, or a direction in the world frame, shape (3,).
            axis_body: The axis, a non-zero vector, body frame, shape (3,).

        Raises:
            TypeError: If `target` is neither a body nor a direction.
            ValueError: If `target` is a string or the ship itself, or a vector is zero.

        Example:
            >>> from engine import MassProperties, World, flight
            >>> world = World(dt=0.1)
            >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
            >>> limits = {"inertia": 2.0, "max_torque": 50.0, "max_speed": 600.0}
            >>> wheels = [world.add_part(flight.ReactionWheel(ship, axis=axis, **limits)) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
            >>> hold = world.add_part(flight.AttitudeHold(ship, flight.WheelAllocator(wheels), max_torque=50.0))
            >>> hold.point_at((0.0, 1.0, 0.0), axis_body=(1.0, 0.0, 0.0))
            >>> world.step(2000)
            >>> ship.direction_to_world((1.0, 0.0, 0.0)).round(6).tolist()
            [0.0, 1.0, 0.0]
        """
        if isinstance(target, str):
            hint = "for other targets use follow(Pointing(axis_body, target, gm=…)) or sun_direction_world=…"
            refuse("AttitudeHold.point_at", "target", target, "a body or a direction", hint=hint)
        if target is self.body:
            refuse("AttitudeHold.point_at", "target", target, "another body than the ship itself")
        self.follow(Pointing(axis_body, target))

    def follow(self, reference: FixedOrMoving) -> None:
        """Bring the ship to the attitude of a reference, and keep it there.

        Args:
            reference: A `Reference`, `Spin`, `Slew`, `Pointing`, or anything with `at(time, body)`.

        Raises:
            TypeError: If `reference` has no method `at`.

        Example:
            >>> from engine import MassProperties, World, flight, rotation
            >>> world = World(dt=0.1)
            >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
            >>> limits = {"inertia": 2.0, "max_torque": 50.0, "max_speed": 600.0}
            >>> wheels = [world.add_part(flight.ReactionWheel(ship, axis=axis, **limits)) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
            >>> hold = world.add_part(flight.AttitudeHold(ship, flight.WheelAllocator(wheels), max_torque=50.0))
            >>> turned = (0.0, 0.0, 0.6, 0.8)
            >>> hold.follow(flight.Reference(turned))
            >>> world.step(2000)
            >>> bool(rotation.angle_between(ship.orientation, turned) < 1e-6)
            True
        """
        self._track(reference, self._pointing)

    def _track(self, reference: FixedOrMoving, law: QuaternionPD | RateDamping) -> None:
        with self._all_or_nothing():
            self.reference, self.law = reference, law


def _can_command(actuators: object) -> TypeGuard[Actuators]:
    return callable(getattr(actuators, "command", None))


def _thrusters(actuators: object, owner: str) -> list[Jet]:
    """The thrusters and banks that were given, alone or in a list; none if these are other actuators."""
    if isinstance(actuators, Thruster | ThrusterBank):
        return [actuators]
    if isinstance(actuators, Iterable) and not hasattr(actuators, "command"):
        rule = "a list of thrusters and banks of thrusters, or one object with `command`, such as WheelAllocator(wheels) with max_torque"
        return members(actuators, "actuators", owner, rule, lambda each: isinstance(each, Thruster | ThrusterBank))
    return []


def _jets(thrusters: list[Jet], every: int | None, dt: float, assembly: Assembly | None) -> Jets:
    """Jets that fire pulses if any of their valves has a shortest pulse, and otherwise are throttled."""
    allocator = ThrusterAllocator(thrusters, assembly=assembly)
    pulses = np.concatenate([np.atleast_1d(each.min_on_time) for each in thrusters])
    if not pulses.any():
        return Jets(allocator)
    rises = np.concatenate([np.atleast_1d(each.rise_time) for each in thrusters])
    # a period has room for the shortest pulse of each valve and its rise
    ticks = max(round(_INTERVAL / dt), ceil(float((pulses + rises).max()) / dt), 1) if every is None else every
    # the shortest pulse of all, because that of a valve applies where it is longer
    return Jets(allocator, PulseModulator(float(pulses[pulses > 0.0].min()), ticks * dt))


def _ticks(actuators: object, dt: float) -> int:
    """Interval between two samples, in ticks."""
    return max(1, round(getattr(actuators, "period", _INTERVAL) / dt))


def _largest_torque(actuators: object, max_torque: object, owner: str, given: object) -> tuple[list[float], bool]:
    """The torque about each axis that the actuators reach in both directions, and whether it comes with a net force.

    An error shows the actuators as they were given.
    """
    if max_torque is not None:
        return limits(max_torque, "max_torque", owner), False
    allocator = getattr(actuators, "allocator", None)
    if allocator is None:
        value = getattr(actuators, "max_torque", None)
        if value is None:
            refuse(owner, "max_torque", None, "given, because the actuators define no maximum torque")
        return limits(value, "max_torque", owner), False
    # with a net force only where torques about all axes are out of reach without one
    for force_is_free in (False, True):
        both = array(allocator.reachable_torques(force_is_free=force_is_free), "reachable_torques", owner, (2, 3))
        least = both.min(axis=0)
        if (least > 0.0).all():
            return least.tolist(), force_is_free
    reached = " and ".join(
        f"{each.round(6).tolist()} N·m {way}"
        for each, way in zip(both, ("in the positive sense", "in the negative sense"), strict=True)
    )
    rule = "able to turn the body in both directions about every axis"
    refuse(owner, "actuators", given, rule, hint=f"about x, y and z they reach {reached}")
