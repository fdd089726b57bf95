"""Control loops, which sample a law at their own rate and command actuators."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Callable
from functools import cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, integer, refuse
from ..compilation.choice import Loop
from ..joints.assembly import assembly_for
from ..store.host import Host
from ..store.rows import BodyHandle, Given, Quantity, TableRows, checked, fixed, is_body, reference_fields, require_body
from ..store.schema import ANY, Field, Kind, Schema, up_to
from ..store.table import IntArray, Mask
from .body_torque import BodyTorque
from .control_loop import Actuators, ActuatorsOfMembers, ControlLaw
from .jets import Jets
from .loop_samples import LoopSamples
from .member_loops import (
    JetsOfMembers,
    TorquesOfMembers,
    WheelsOfMembers,
    has_form_for_members,
    sample_members,
)
from .own_objects import OfMembers
from .part import MOST_DELAY, Place, SampledPart
from .pointing import Pointing
from .reference import FixedOrMoving
from .sensor import Sensor
from .wheel_allocation import WheelAllocator

_SAME_PERIOD = 1e-9
"""Largest relative difference between the period of actuators and that of their loop."""
_MEASURED = ("orientation", "angular_velocity_body", "field_body")


@cache
def loop_schema(law_size: int, actuator_size: int, delay: int) -> Schema:
    """Schema of the loops whose laws and actuators remember this many numbers."""
    fields = (
        *reference_fields("body"),
        Field("force_body", Kind.COMMAND, 3, "N", "body", digest=0, rule=ANY, meaning="force wanted beside the torque"),
        Field("force_is_free", Kind.COMMAND, digest=8, meaning="whether any force will do"),
        # what a sample writes before the command, and what it writes after it
        Field("samples", Kind.STATE, digest=1, meaning="how many samples were taken, up to delay + 1", stored=up_to(delay + 1.0)),
        Field("torque_body", Kind.STATE, 3, "N·m", "body", digest=2, meaning="torque of the last sample"),
        Field("error_angle", Kind.STATE, 1, "rad", digest=3, meaning="attitude error at the last sample"),
        Field("waiting", Kind.STATE, 3 * delay, "N·m", "body", digest=5, meaning="torques that are not yet due, oldest first"),
        Field("law_state", Kind.STATE, law_size, digest=6, meaning="what the law remembers"),
        Field("law_has_begun", Kind.STATE, min(law_size, 1), digest=9, meaning="whether it has been sampled"),
        Field("saturated", Kind.STATE, digest=4, meaning="whether the actuators were saturated by the last command"),
        Field("actuator_state", Kind.STATE, actuator_size, digest=7, meaning="what the actuators remember"),
    )  # fmt: skip
    return Schema(f"control loops {law_size} {actuator_size} {delay}", tuple(field for field in fields if field.size))


class Controlled(SampledPart):
    """A control loop, which samples a law every few ticks and commands actuators, whose command is held between two samples.

    At each sample, the loop asks the reference for the wanted attitude, asks the law for a torque, and commands this torque to the
    actuators. With a delay of d samples, it commands the torque that the law computed d samples before, and nothing until the first one is
    due. Between two samples the loop costs nothing.

    What the law remembers is state of the loop, which is undone with a failed tick, hashed and copied with the world. One law may
    therefore serve several loops. When the loop is disabled or removed, it commands zero torque and force once. When it is enabled again,
    it starts from the initial state of its law.

    Args:
        body: The body that is controlled.
        law: A law of `flight.control`, or anything with its methods `initial_state` and `update` and its attribute `state_size`.
        reference: A `Reference`, `Spin`, `Slew`, `Pointing`, or anything with `at(time, body)`.
        actuators: A `BodyTorque`, or anything with `command(torque_body, force_body, seconds)`; see `Actuators`.
        every: Interval between two samples [ticks], at least 1.
        delay: Delay of the command [samples], at least 0.
        measured: An estimator with `orientation` and `angular_velocity_body`, or a sensor, whose last reading is used, such as a
            magnetometer for `BDot`. Attributes that it lacks are read from the body. None reads the body itself. While the reading of a
            sensor is not valid, the loop commands no torque, and its law starts again at the next valid reading.
        force_body: Force that is wanted in addition to the torque [N], body frame, shape (3,). None leaves it free.
        name: Name in errors and of the columns of a `Recorder`, which numbers loops of one name.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `every` is below 1, `delay` is negative, `actuators` or the assembly of `law` belongs to another body, or the body
            was removed.

    Example:
        >>> from engine import MassProperties, World, flight
        >>> world = World(dt=0.01)
        >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)), orientation=(1.0, 0.0, 0.0, 0.0))
        >>> motor = world.add_part(flight.BodyTorque(ship, max_torque=100.0))
        >>> law = flight.control.QuaternionPD.tuned(ship.inertia_body, max_torque_body=100.0, bandwidth=0.5)
        >>> loop = world.add_part(flight.Controlled(ship, law, flight.Reference(), motor, every=20))
        >>> world.step(6000)
        >>> loop.error_angle < 1e-3
        True
    """

    __slots__ = ("_actuators", "_delay", "_law", "_measured", "_reference", "_schema")

    _place: ClassVar[Place] = Place.CONTROL_LOOP

    def __init__(
        self,
        body: BodyHandle,
        law: ControlLaw,
        reference: FixedOrMoving,
        actuators: Actuators,
        *,
        every: int,
        delay: int = 0,
        measured: object = None,
        force_body: npt.ArrayLike | None = (0.0, 0.0, 0.0),
        name: str = "control loop",
    ) -> None:
        owner = f"Controlled of {require_body(body, 'body', 'Controlled')}"
        _check_law(law, body, owner)
        _check_reference(reference, owner)
        check_actuators(actuators, body, owner)
        says = measured.read() if isinstance(measured, Sensor) else measured
        if measured is not None and not any(hasattr(says, name) for name in _MEASURED):
            rule = f"an object with at least one of the attributes {', '.join(_MEASURED)}, or a sensor whose readings have one"
            refuse(owner, "measured", measured, rule, TypeError)
        self._law, self._reference, self._actuators, self._measured = law, reference, actuators, measured
        self._delay = integer(delay, "delay", owner, at_least=0)
        if self._delay > MOST_DELAY:
            refuse(owner, "delay", delay, f"at most {MOST_DELAY} samples")
        actuator_size = integer(getattr(actuators, "state_size", 0), "actuators.state_size", owner, at_least=0)
        self._schema: Schema = loop_schema(law.state_size, actuator_size, self._delay)  # type: ignore[misc]
        force = self._force_values(force_body, owner)
        super().__init__([(body,)], force, name=name, every=every)

    @property
    def force_body(self) -> FloatArray | None:
        """Force that is wanted in addition to the torque [N], body frame, shape (3,); None leaves it free."""
        return None if self._numbers("force_is_free")[0] else self._value("force_body")

    @force_body.setter
    def force_body(self, value: npt.ArrayLike | None) -> None:
        given = self._force_values(value, self)
        with self._all_or_nothing():
            for name, values in given.items():
                self._set_numbers(name, values[:, 0].tolist())

    def _force_values(self, value: npt.ArrayLike | None, owner: object) -> dict[str, FloatArray]:
        force = checked(self._schema, "force_body", (0.0, 0.0, 0.0) if value is None else value, owner)
        return {"force_body": force, "force_is_free": np.full((1, 1), float(value is None))}

    @fixed
    def body(self) -> BodyHandle:
        """The body that is controlled."""
        return self._named_bodies()[0]

    @property
    def actuators(self) -> Actuators:
        """The actuators that the loop commands, which may be assigned at any time.

        New ones must act on the same body and have the same `state_size`. The former ones are stopped, as when the loop is disabled, and
        the new ones are commanded at the next sample.
        """
        return self._actuators

    @actuators.setter
    def actuators(self, value: Actuators) -> None:
        check_actuators(value, self.body, self)
        size = self._schema.by_name["actuator_state"].size if "actuator_state" in self._schema.by_name else 0
        if integer(getattr(value, "state_size", 0), "actuators.state_size", self, at_least=0) != size:
            hint = "for any other actuators, remove the loop and add a new one"
            refuse(self, "actuators", value, f"ones with state_size = {size}", hint=hint)
        store = self._table.store
        if store is None:
            self._actuators = value
            return
        world = store.world()
        self._refuse_actuators(value, self._seconds(world))
        with store.all_or_nothing():
            if self.enabled:
                self._stop_actuators(world)
            self._replace("_actuators", value)
            self._forget_commands()

    def _forget_commands(self) -> None:
        """Have the actuators start from their initial state at the next command."""
        if "actuator_state" in self._schema.by_name:
            self._set_numbers("actuator_state", [0.0] * self._schema.by_name["actuator_state"].size)

    delay = Given[int]("Delay of the command [samples].")

    measured = Given[object]("The estimator or sensor that the loop reads; None if it reads the body.")

    @property
    def law(self) -> ControlLaw:
        """The law; a new one must have the same `state_size`, and starts from its initial state. Delayed torques are still commanded."""
        return self._law

    @law.setter
    def law(self, value: ControlLaw) -> None:
        _check_law(value, self.body, self)
        if value.state_size != self._law.state_size:
            refuse(
                self,
                "law",
                value,
                f"one with state_size = {self._law.state_size}",
                hint="for any other law, remove the loop and add a new one",
            )
        if self._table.store is not None:
            self._refuse_law(value)
        with self._all_or_nothing():
            self._replace("_law", value)
            self._begin_law()

    @property
    def reference(self) -> FixedOrMoving:
        """The reference, which may be assigned at any time."""
        return self._reference

    @reference.setter
    def reference(self, value: FixedOrMoving) -> None:
        _check_reference(value, self)
        if self._table.store is not None:
            self._refuse_targets(value)
        self._replace("_reference", value)

    @property
    def enabled(self) -> bool:
        """Whether the loop is sampled, initially True.

        Disabling the loop commands zero torque and force once, and shuts jets that are firing. Enabling it starts from the initial state
        of the law.
        """
        return bool(self._value("enabled"))

    @enabled.setter
    def enabled(self, value: bool) -> None:
        was = self.enabled
        with self._all_or_nothing():
            self._assign("enabled", value)
            if was and not self.enabled:
                self._set_numbers("samples", [0.0])
                self._begin_law()
                self._forget_commands()
                if self._table.store is not None:
                    self._stop_actuators(self._table.store.world())

    @property
    def torque_body(self) -> FloatArray:
        """Torque of the last sample [N·m], before the delay and the limits of the actuators, body frame, shape (3,)."""
        return self._value("torque_body")

    @property
    def error_angle(self) -> float:
        """Angle between the measured and the wanted attitude at the last sample [rad], from 0 to π."""
        return self._numbers("error_angle")[0]

    @property
    def saturated(self) -> bool:
        """Whether the last command asked for more than the actuators can do.

        Unlike `saturated` and `commanded` of the actuators themselves, this is restored with the world.
        """
        return self._numbers("saturated")[0] > 0.0

    def _recorded(self) -> tuple[Quantity, ...]:
        return (
            Quantity("torque_body", "N·m", "body", (3,)),
            Quantity("force_body", "N", "body", (3,), _wanted_force),
            Quantity("error_angle", "rad"),
            Quantity("saturated", "-"),
        )

    def _needed(self) -> tuple[object, ...]:
        return self._actuators, *getattr(self._actuators, "members", ()), self._measured, *self._read_by(self._law)

    @staticmethod
    def _read_by(law: object) -> tuple[TableRows, ...]:
        """What a law reads besides the body, such as wheels, as far as it belongs to worlds."""
        return tuple(member for member in getattr(law, "members", ()) if isinstance(member, TableRows))

    def _begin_law(self) -> None:
        """Have the law start from its initial state at the next sample."""
        if "law_has_begun" in self._schema.by_name:
            self._set_numbers("law_has_begun", [0.0])

    def _refuse_law(self, law: object) -> None:
        """Reject a law that reads what is not in the world of the loop, or belongs to another body."""
        for member in self._read_by(law):
            if member._table.store is not self._table.store:
                refuse(self, "law", law, "one that reads only wheels of this world", hint=f"{member!r} is not in it")
            if getattr(member, "body", None) is not self.body:
                refuse(
                    self,
                    "law",
                    law,
                    f"one that reads only wheels of {self.body}",
                    hint=f"{member!r} is on another body",
                )

    def _stop_actuators(self, world: Host) -> None:
        if callable(stop := getattr(self._actuators, "stop", None)):
            stop()  # a command of zero would fire the remainders of pulses, and leave pulses that run
        else:
            force = None if self._numbers("force_is_free")[0] else [0.0, 0.0, 0.0]
            LoopSamples(self).command([0.0, 0.0, 0.0], force, self._seconds(world))

    def _leaving(self, world: Host) -> None:
        if self.enabled:
            self._stop_actuators(world)

    def _shift_origin(self, shift: FloatArray) -> None:
        if isinstance(self._reference, Pointing):
            self._replace("_reference", self._reference._moved(shift))

    def _joined(self, world: Host) -> None:
        measured, seconds = self._measured, self._seconds(world)
        if isinstance(measured, TableRows):
            if measured._table.store is not self._table.store:
                refuse(self, "measured", measured, "added to the world before the loop")
            if measured._named_bodies() != (self.body,):
                refuse(self, "measured", measured, f"an estimator or sensor of {self.body}")
        self._refuse_actuators(self._actuators, seconds)
        self._refuse_law(self._law)
        self._refuse_targets(self._reference)

    def _refuse_targets(self, reference: FixedOrMoving) -> None:
        """Reject a reference to a body that is not in the world of the loop; copies of the world would point at what stands still."""
        if isinstance(reference, Pointing):
            for argument, target in (("target", reference.target), ("second_target", reference.second_target)):
                if is_body(target) and require_body(target, argument, "Pointing").world is not self.body.world:
                    hint = f"its {argument} is {target} of another one"
                    refuse(self, "reference", reference, "one to bodies of the same world", hint=hint)

    def _refuse_actuators(self, actuators: object, seconds: float) -> None:
        """Reject actuators that are not in the world of the loop, or made for another interval between samples [s]."""
        for member in (actuators, *getattr(actuators, "members", ())):
            if isinstance(member, TableRows) and member._table.store is not self._table.store:
                refuse(self, "actuators", member, "added to the world before the loop")
        period = getattr(actuators, "period", seconds)
        if abs(period - seconds) > _SAME_PERIOD * seconds:
            rule = f"made for the sample period of the loop, {seconds!r} s"
            refuse(self, "actuators", actuators, rule, hint=f"their period is {period!r} s")

    def _compiled_samples(self) -> Callable[[Host], None]:
        return LoopSamples(self).take

    def _loops(self, world: Host) -> list[Loop]:
        return [] if self._has_own_samples else LoopSamples(self).loops(world)

    @property
    def _has_form_for_members(self) -> bool:
        parts = self._law, self._reference, self._actuators, self._measured, self.body.world
        return not self._has_own_samples and has_form_for_members(*parts)

    @property
    def _actuators_of_members(self) -> ActuatorsOfMembers:
        actuators = self._actuators
        if isinstance(actuators, Jets):
            return JetsOfMembers(actuators)
        if isinstance(actuators, BodyTorque):
            return TorquesOfMembers(actuators)
        assert isinstance(actuators, WheelAllocator)
        return WheelsOfMembers(actuators)

    def _sample_members(self, world: Host, ticks: IntArray, due: Mask) -> IntArray:
        """Take a sample in each member of a batch that is due; see `Sensor._sample_members`."""
        return sample_members(self, world, ticks, due)

    def _seconds(self, world: Host) -> float:
        """Time between two samples [s]."""
        return float(self._every * world.dt)

    @property
    def _allocator(self) -> object:
        """What the actuators allocate by, which may be exchanged, for example after a failure; None if they have none."""
        return getattr(self._actuators, "_allocator", None)

    @_allocator.setter
    def _allocator(self, value: object) -> None:
        if value is not None:
            setattr(self._actuators, "_allocator", value)  # noqa: B010  # which not all actuators have

    def _replace(self, name: str, value: object) -> None:
        """Set an attribute so that a failed tick undoes it."""
        store = self._table.store
        if store is not None:
            store.before_change(self._table)
            forces = store.world()._forces
            store.record(forces.forget_image)
            store.record(setattr, self, name, getattr(self, name))
            forces.forget_image()
        setattr(self, name, value)


def _wanted_force(loop: Controlled) -> FloatArray:
    """The force that is wanted, or NaN where any force will do."""
    force = loop.force_body
    return np.full(3, np.nan) if force is None else force


def of_member(part: object, member: int) -> dict[str, object]:
    """What a control loop of all members has of its own in one of them, by the names of its attributes."""
    given = {name: getattr(part, name, None) for name in ("_law", "_reference")}
    return {name: value[member] for name, value in given.items() if isinstance(value, OfMembers)}


def _check_law(law: object, body: BodyHandle, owner: object) -> None:
    if not (callable(getattr(law, "update", None)) and callable(getattr(law, "initial_state", None))):
        refuse(owner, "law", law, "a law of flight.control, or an object with initial_state and update", TypeError)
    integer(getattr(law, "state_size", None), "law.state_size", owner, at_least=0)
    assembly_for(getattr(law, "assembly", None), body, owner)


def check_actuators(actuators: object, body: BodyHandle, owner: object) -> None:
    """Reject what cannot be commanded, or belongs to another body."""
    if not callable(getattr(actuators, "command", None)):
        refuse(owner, "actuators", actuators, "an object with command(torque_body, force_body, seconds)", TypeError)
    if getattr(actuators, "body", body) is not body:
        refuse(owner, "actuators", actuators, f"those of {body}")


def _check_reference(reference: object, owner: object) -> None:
    if not callable(getattr(reference, "at", None)):
        refuse(owner, "reference", reference, "a Reference, or an object with at(time, body)", TypeError)
