"""What views of bodies, thrusters, wheels, tanks and sensors have beyond their tables."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Callable, Iterable
from functools import partial
from types import UnionType
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import rotation
from ..body import Body, tensor_world, times
from ..checks import FloatArray, refuse, unit_quaternions
from ..flight.body_torque import BodyTorque
from ..flight.controlled import Controlled
from ..flight.formula_law import FormulaLaw
from ..flight.instruments import FAULT, KEY
from ..flight.magnetorquer import Magnetorquer
from ..flight.member_loops import stop_members
from ..flight.own_objects import OfMembers, first_of, in_list, numbers_of_law, numbers_of_reference
from ..flight.pointing import Pointing
from ..flight.sensor import ReadingsOfMembers, Sensor
from ..flight.tank import Tank
from ..flight.wheel import ReactionWheel
from ..forces.constant import ConstantForce, ConstantTorque
from ..forces.valves import Valves, impulses_of
from ..joints.joint import JOINTS, Joint
from ..kernels.noise import noise_key
from ..loops.actuator_layout import (
    CAPACITY,
    ENABLED,
    MAX_ANGLE,
    MAX_RATE,
    MAX_SPEED,
    MAX_TORQUE,
    MIN_ON_TIME,
    OPEN_FOR,
    OPENS_IN,
    PROPELLANT,
    STUCK,
    THROTTLE,
    TORQUE,
    WHEEL_INERTIA,
)
from ..loops.layout import CENTER_OF_MASS, INERTIA, INVERSE_MASS, MASS, PREVIOUS
from ..reading import reading
from ..shapes.handle import ShapeHandle
from ..solids.mass_properties import MassProperties
from ..solids.symmetric import MATRIX_OF_SIX
from ..store.model import check_flyable
from ..store.schema import ANY, NOT_NEGATIVE, POSITIVE, SHARE
from ..store.table import IntArray
from .views import Setter, View, chosen

_FAULTS = (None, "stuck", "dead")
_STATE = ("position", "orientation", "velocity", "angular_velocity_body")
_PREVIOUS = ("previous_position", "previous_orientation")
"""The poses at the start of the last tick, between which and the present ones pictures are drawn."""
_ONE_BY_ONE = ("angular_velocity_world", "angular_momentum_world", "origin", "stored_momentum_body")


class BodyView(View):
    """One body of the template in all members.

    In addition to the attributes of the body, `previous_position` and `previous_orientation` are the pose at the start of the last tick.
    """

    __slots__ = ()

    def _readable(self) -> list[str]:
        return [*super()._readable(), *_PREVIOUS]

    def _make_setters(self) -> dict[str, Setter]:
        of_states = {name: partial(self._set_state, name) for name in _STATE}
        return {**of_states, **{name: partial(self._set_each, name) for name in _ONE_BY_ONE}}

    def __getattr__(self, name: str) -> Any:
        if name in _PREVIOUS:
            return reading(self._read(self._table.schema.by_name[name]))
        if name in ("inertia_body", "inverse_inertia_body"):
            return reading(self._read(self._field(name))[:, MATRIX_OF_SIX])
        if name == "contact_force_world":  # one pass over all contacts, instead of one per member
            world = next(self._each([0]))._world
            return reading(world._joints.contacts.forces(world.dt)[self._first : self._first + self._members.count])
        compute = _COMPUTED.get(name)
        return super().__getattr__(name) if compute is None else reading(compute(self))

    def _set_state(self, name: str, members: IntArray, value: object) -> None:
        field, owners = self._table.schema.by_name[name], self._members.owners
        columns = self._checked(value, name, members, field.size, 0, ANY)
        rows = self._rows(members)
        if name == "orientation":
            columns = self._unit(columns, members)
        if name in ("position", "orientation") and self._is_jointed():
            hint = "set the poses of the template, which its members start with"
            refuse(self, name, value, "left to the joints of the body", hint=hint)
        wheels = self._wheels_of(rows) if name == "angular_velocity_body" else np.zeros(0, np.int64)
        speeds = owners.actuators.speeds(wheels)
        span, components = self._span(members), self._table.schema.components[name]
        self._table.write(components, span, columns)
        if name in ("position", "orientation"):
            self._table.write(slice(PREVIOUS + components.start, PREVIOUS + components.stop), span, columns)
        owners.bodies.forget_history(rows)
        owners.actuators.set_speeds(wheels, speeds)

    def _is_jointed(self) -> bool:
        """Whether joints connect the body to another one or to the world."""
        joints = self._members.owners.store.tables[JOINTS.name]
        return bool((joints.array[:2, : joints.count] == self._first).any())

    def _unit(self, columns: FloatArray, members: IntArray) -> FloatArray:
        found = columns.copy()

        def check(_members: IntArray, places: IntArray, owner: object) -> None:
            found[:, places] = unit_quaternions(columns[:, places].T, "orientation", owner).T

        self._check_each(check, members)
        return found

    def _wheels_of(self, rows: IntArray) -> IntArray:
        wheels = self._members.owners.store.tables["wheels"]
        return np.flatnonzero(np.isin(wheels.array[0, : wheels.count].astype(np.int64), rows))

    def set_mass_properties(
        self,
        mass: npt.ArrayLike | None = None,
        inertia_body: npt.ArrayLike | None = None,
        center_of_mass_body: npt.ArrayLike | None = None,
        members: object = None,
    ) -> None:
        """Replace mass properties of the body, without propellant and with its wheels locked, in some members; what is not given stays.

        Args:
            mass: Mass [kg], above zero, one for all or one per chosen member, shape () or (k,) for k members.
            inertia_body: Inertia about the mass centre [kg·m²], body frame, shape (3, 3) or (k, 3, 3).
            center_of_mass_body: Mass centre from the origin of the body [m], body frame, shape (3,) or (k, 3).
            members: A mask of shape (n,), indices, or one index; None for all members.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If an argument has the wrong shape, or a member would have impossible mass properties. Nothing is changed then.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.batch import Batch
            >>> template = World(dt=0.5)
            >>> ship = template.add_body(MassProperties.sphere(2.0, 0.5))
            >>> batch = Batch(template, members=2)
            >>> batch[ship].set_mass_properties(mass=[2.0, 4.0])
            >>> batch[ship].mass.tolist()
            [2.0, 4.0]
        """
        everybody = self._members.everybody
        where = everybody if members is None else chosen(members, self._members.count, f"{self!r}.set_mass_properties")
        dry = self._dry(where)
        if mass is not None:
            dry[:1] = self._checked(mass, "mass", where, 1, 0, POSITIVE)
        if center_of_mass_body is not None:
            dry[1:4] = self._checked(center_of_mass_body, "center_of_mass_body", where, 3, 0, ANY)
        if inertia_body is not None:
            dry[4:] = self._tensors(inertia_body, where)
        store, places = self._members.owners.store, self._driven_places(where)
        is_driven, mass_alone = places >= 0, inertia_body is None and center_of_mass_body is None
        with store.all_or_nothing():
            store.before_change()
            if mass_alone:
                rows = self._rows(where[~is_driven]) if is_driven.any() else self._span(where)
                self._table.write(MASS, rows, dry[0, ~is_driven])
                self._table.write(INVERSE_MASS, rows, 1.0 / dry[0, ~is_driven])
            else:
                self._check_each(partial(self._refuse_impossible, dry), where)
                self._replace_one_by_one(where[~is_driven], dry[:, ~is_driven])
            if is_driven.any():
                self._set_dry(where[is_driven], places[is_driven], dry[:, is_driven])
            self._members.owners.bodies.forget_history(self._rows(where))

    def _refuse_impossible(self, dry: FloatArray, members: IntArray, places: IntArray, owner: object) -> None:
        for column in dry[:, places].T:
            try:
                made = MassProperties(column[0], column[4:][MATRIX_OF_SIX], column[1:4], physical=False)
                check_flyable(made, owner)
            except (TypeError, ValueError) as error:
                raise ValueError(f"{owner}: mass_properties are rejected; {error}") from None

    def _replace_one_by_one(self, members: IntArray, dry: FloatArray) -> None:
        """Replace the mass properties of bodies that nothing drives."""
        handles = self._members.owners.bodies.handles
        for place, (member, row) in enumerate(zip(members.tolist(), self._rows(members).tolist(), strict=True)):
            one, center, six = dry[0, place], dry[1:4, place], dry[4:, place]
            try:
                handles[row].dry_mass_properties = MassProperties(one, six[MATRIX_OF_SIX], center, physical=False)
            except (TypeError, ValueError) as error:
                raise ValueError(f"{self._owner(member)}: mass_properties are rejected; {error}") from None

    def _set_dry(self, members: IntArray, places: IntArray, dry: FloatArray) -> None:
        """Give driven bodies, which are at these places of the table, other mass properties without propellant."""
        actuators, rows = self._members.owners.actuators, self._rows(members)
        actuators.driven.write(slice(1, 11), places, dry)

        def compose(_members: IntArray, chosen_places: IntArray, owner: object) -> None:
            named = dry[0, chosen_places].tolist()
            actuators.compose(rows[chosen_places].tolist(), owner, "mass_properties", named)

        self._check_each(compose, members)

    def _driven_places(self, members: IntArray) -> IntArray:
        """The row of the body of each member in the table of driven bodies, or -1."""
        driven, found = self._members.owners.actuators.driven, np.full(self._members.owners.bodies.count, -1)
        found[driven.array[0, : driven.count].astype(np.int64)] = np.arange(driven.count)
        return np.asarray(found[self._rows(members)])

    def _dry(self, members: IntArray) -> FloatArray:
        """Mass, mass centre and tensor without propellant and with wheels locked, shape (10, members)."""
        rows, places = self._rows(members), self._driven_places(members)
        components = [MASS, *range(CENTER_OF_MASS, CENTER_OF_MASS + 3), *range(INERTIA, INERTIA + 6)]
        found = self._table.array[components][:, rows]
        found[:, places >= 0] = self._members.owners.actuators.driven.array[1:11, places[places >= 0]]
        return found

    def _tensors(self, value: object, members: IntArray) -> FloatArray:
        given = np.asarray(value)
        if given.dtype.kind not in "fiu" or given.shape not in ((3, 3), (len(members), 3, 3)):
            rule = f"real numbers of shape (3, 3), or ({len(members)}, 3, 3) with one tensor per member"
            refuse(self, "inertia_body", value, rule, TypeError if given.dtype.kind not in "fiu" else ValueError)
        whole = np.broadcast_to(given.astype(np.float64), (len(members), 3, 3))
        columns = whole.transpose(1, 2, 0).reshape(9, -1)
        good = np.isfinite(columns).all(axis=0) & (np.abs(columns[[1, 2, 5]] - columns[[3, 6, 7]]) == 0.0).all(axis=0)
        self._require(good, "inertia_body", members, columns, "a symmetric tensor of finite numbers")
        return columns[[0, 4, 8, 1, 2, 5]]


def _momentum_world(view: BodyView) -> FloatArray:
    momentum_body = times(view.inertia_body, view.angular_velocity_body) + view.stored_momentum_body
    return rotation.rotate(view.orientation, momentum_body)


_COMPUTED: dict[str, Callable[[BodyView], FloatArray]] = {
    "rotation_matrix": lambda view: rotation.to_matrix(view.orientation),
    "angular_velocity_world": lambda view: rotation.rotate(view.orientation, view.angular_velocity_body),
    "angular_momentum_world": _momentum_world,
    "inertia_world": lambda view: tensor_world(view.rotation_matrix, view.inertia_body),
    "inverse_inertia_world": lambda view: tensor_world(view.rotation_matrix, view.inverse_inertia_body),
    "origin": lambda view: view.position - rotation.rotate(view.orientation, view.center_of_mass_body),
}
"""What `Body` computes from its fields, here for all members at once, with the same bits."""


class ValvesView(View):
    """One thruster, or one bank of thrusters, of the template in all members."""

    __slots__ = ()

    _plain = frozenset(("throttle", "position", "positions", "direction", "directions", "max_force", "max_forces"))

    def _make_setters(self) -> dict[str, Setter]:
        return {**super()._make_setters(), "stuck": self._set_stuck, "gimbal_command": self._set_angles}

    def __getattr__(self, name: str) -> Any:
        if name == "impulse":
            impulses = impulses_of(self._columns(self._members.everybody), self._members.owners.store)
            several = reading(impulses.reshape(self._width, -1).T.copy())
            return several if self._width_of() else several[:, 0]
        if name == "stuck":
            values = self._read(self._field(name))
            return reading(np.where(values < 0.0, np.nan, values))
        return super().__getattr__(name)

    def _width_of(self) -> int:
        return self._width if self._handle._several else 0

    def fire(self, durations: npt.ArrayLike, delays: npt.ArrayLike = 0.0, members: object = None) -> None:
        """Open the valves for given times in some members, replacing any pulses that are running; see `Thruster.fire`.

        Args:
            durations: Times for which the valves are open [s], each 0 or at least its `min_on_time`: one for all, or an array as an
                attribute has it.
            delays: Times from the start of the next tick to the openings [s], at least 0.
            members: A mask of shape (n,), indices, or one index; None for all members.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If a time is negative or not finite, a pulse is too short, or a throttle is not 0. Nothing is changed then.

        Example:
            >>> from engine import MassProperties, World, forces
            >>> from engine.batch import Batch
            >>> template = World(dt=0.5)
            >>> ship = template.add_body(MassProperties.sphere(2.0, 0.5))
            >>> jet = template.add_force(forces.Thruster(ship, position=(0, 0, -1), direction=(0, 0, 1), max_force=8.0))
            >>> batch = Batch(template, members=2)
            >>> batch[jet].fire([0.25, 0.5])
            >>> batch.step()
            >>> batch[jet].impulse.tolist()
            [2.0, 4.0]
        """
        everybody = self._members.everybody
        where = everybody if members is None else chosen(members, self._members.count, f"{self!r}.fire")
        times = self._checked(durations, "durations", where, 1, self._width_of(), NOT_NEGATIVE)
        waits = self._checked(delays, "delays", where, 1, self._width_of(), NOT_NEGATIVE)
        columns = self._columns(where)
        long_enough = (times[0] == 0.0) | (times[0] >= columns[MIN_ON_TIME])
        self._require(long_enough, "durations", where, times, "0 or at least the min_on_time of the thruster")
        self._require(
            (times[0] == 0.0) | (columns[THROTTLE] == 0.0), "durations", where, times, "0 while the throttle is not 0"
        )
        self._write_valves(where, slice(OPENS_IN, OPEN_FOR + 1), np.concatenate([waits, times]))

    def _set_stuck(self, members: IntArray, value: object) -> None:
        moves = value is None
        given = self._given(np.nan if moves else value, "stuck", members, 1, self._width_of())
        levels = np.where(np.isnan(given), -1.0, given)
        good = np.isnan(given[0]) | np.asarray(SHARE.holds(np.nan_to_num(given)))
        self._require(good, "stuck", members, given, "None, or levels between 0 and 1 with nan for valves that move")
        self._write_valves(members, STUCK, levels[0])

    def _set_angles(self, members: IntArray, value: object) -> None:
        angles = self._checked(value, "gimbal_command", members, 2, self._width_of(), ANY)
        columns = self._columns(members)
        has_gimbal = (columns[MAX_RATE] > 0.0) | (angles == 0.0).all(axis=0)
        self._require(has_gimbal, "gimbal_command", members, angles, "zero for a thruster without a gimbal")
        within = (np.abs(angles) <= columns[MAX_ANGLE]).all(axis=0)
        self._require(within, "gimbal_command", members, angles, "within the max_angle of the gimbal")
        self._table.write(self._table.schema.components["commanded_angles"], self._span(members), angles)

    def _write_valves(self, members: IntArray, components: slice | int, values: FloatArray) -> None:
        """Write components of valves, whose bodies are driven from now on."""
        owners = self._members.owners
        with owners.store.all_or_nothing():
            owners.store.before_change()
            self._table.write(components, self._span(members), values)
            for body in np.unique(self._columns(members)[0].astype(np.int64)).tolist():
                owners.actuators.include(body, self)


class WheelView(View):
    """One reaction wheel of the template in all members."""

    __slots__ = ()

    def _make_setters(self) -> dict[str, Setter]:
        return {**super()._make_setters(), "torque": self._set_torque, "speed": self._set_speed}

    def _set_torque(self, members: IntArray, value: object) -> None:
        torques = self._checked(value, "torque", members, 1, 0, ANY)
        within = np.abs(torques[0]) <= self._columns(members)[MAX_TORQUE]
        self._require(within, "torque", members, torques, "at most max_torque in either direction")
        self._table.write(TORQUE, self._span(members), torques[0])

    def _set_speed(self, members: IntArray, value: object) -> None:
        speeds = self._checked(value, "speed", members, 1, 0, ANY)
        within = np.abs(speeds[0]) <= self._columns(members)[MAX_SPEED]
        self._require(within, "speed", members, speeds, "at most max_speed in either direction")
        self._members.owners.actuators.set_speeds(self._rows(members), speeds[0])

    @property
    def speed(self) -> FloatArray:
        """Speed relative to the body [rad/s], shape (n,)."""
        return reading(self._members.owners.actuators.speeds(self._rows(self._members.everybody)))

    @property
    def inertia(self) -> FloatArray:
        """Moment of inertia about the axis [kg·m²], shape (n,)."""
        return reading(self._columns(self._members.everybody)[WHEEL_INERTIA])


class TankView(View):
    """One tank of the template in all members."""

    __slots__ = ()

    def _make_setters(self) -> dict[str, Setter]:
        return {**super()._make_setters(), "propellant": self._set_propellant}

    def _set_propellant(self, members: IntArray, value: object) -> None:
        amounts = self._checked(value, "propellant", members, 1, 0, NOT_NEGATIVE)
        columns = self._columns(members)
        fits = (columns[CAPACITY] == 0.0) | (amounts[0] <= columns[CAPACITY])
        self._require(fits, "propellant", members, amounts, "at most the capacity of the tank")
        self._table.write(PROPELLANT, self._span(members), amounts[0])
        self._members.owners.actuators.compose(columns[0].astype(int).tolist(), self, "propellant", value)


class JointView(View):
    """A joint of the template in all members, which can break in none of them."""

    __slots__ = ()

    def _make_setters(self) -> dict[str, Setter]:
        return {name: each for name, each in super()._make_setters().items() if not name.startswith("break_")}


class ShapeView(View):
    """A shape of a body of the template in all members; its pose is that of its parts in the table."""

    __slots__ = ()

    def _stands_in_table(self, name: str) -> bool:
        return name not in ("position", "orientation") and super()._stands_in_table(name)


class ConstantView(View):
    """A constant force or torque of the template in all members."""

    __slots__ = ()

    def _make_setters(self) -> dict[str, Setter]:
        found = super()._make_setters()
        for name in ("force_world", "force_body", "torque_world", "torque_body", "at_body"):
            if name in found and getattr(self._own, name) is not None:  # others were not given, and cannot be set
                found[name] = partial(self._assign, self._field(name), name)
        return found


class CommandView(View):
    """A part of the template that is commanded with a bounded torque or dipole, in all members."""

    __slots__ = ()

    def _make_setters(self) -> dict[str, Setter]:
        name, limit = next(each for kind, each in _BOUNDED.items() if isinstance(self._handle, kind))
        return {**super()._make_setters(), name: partial(self._set_bounded, name, limit)}

    def _set_bounded(self, name: str, limit: str, members: IntArray, value: object) -> None:
        field, largest = self._field(name), getattr(self._own, limit)
        values = self._checked(value, name, members, field.size, 0, ANY)
        if largest is not None:
            within = np.asarray((np.abs(values) <= np.reshape(largest, (-1, 1))).all(axis=0))
            self._require(within, name, members, values, f"at most {limit} in either direction")
        self._write(field, members, values)


_BOUNDED = {BodyTorque: ("torque_body", "max_torque"), Magnetorquer: ("dipole", "max_dipole")}
"""The attributes that are commanded, and their limits."""


class SensorView(View):
    """One sensor of the template in all members.

    Set `fault` to None, "stuck" or "dead", or to a list of these, one per member; it reads as 0, 1 or 2, shape (n,). `seed` can only be
    set, to integers of shape (n,), one per member.
    """

    __slots__ = ()

    def _make_setters(self) -> dict[str, Setter]:
        return {**super()._make_setters(), "fault": self._set_fault, "seed": self._set_seeds}

    def __getattr__(self, name: str) -> Any:
        return reading(self._read(self._field(name))) if name == "fault" else super().__getattr__(name)

    def read(self) -> object:
        """Return the last reading of each member, with arrays of shape (n, …) in place of one vector.

        Returns:
            The same as `read` of the sensor, such as a `GyroReading`: values, whether each is valid, and their times [s], shape (n,).

        Example:
            >>> from engine import MassProperties, World, flight
            >>> from engine.batch import Batch
            >>> template = World(dt=0.5)
            >>> ship = template.add_body(MassProperties.sphere(2.0, 0.5), angular_velocity_body=(0.0, 0.0, 0.25))
            >>> gyro = template.add_part(flight.Gyro(ship, seed=1))
            >>> batch = Batch(template, members=2)
            >>> batch.step(2)
            >>> batch[gyro].read().angular_velocity_body.tolist()
            [[0.0, 0.0, 0.25], [0.0, 0.0, 0.25]]
        """
        _ = self._members.owners.store.world().tick_count  # ends what an exception has left unfinished
        rows = slice(self._first, self._first + self._width * self._members.count)
        members = self._members
        return type(self._handle).read(
            ReadingsOfMembers(self._table.array, rows, members.count, members.owners.plan.dt)
        )

    def _set_fault(self, members: IntArray, value: object) -> None:
        given = self._one_each("fault", members, value)
        for member, each in zip(members.tolist(), given, strict=True):
            if not isinstance(each, str | None) or each not in _FAULTS:
                refuse(self._owner(member), "fault", each, 'None, "stuck" or "dead"')
        faults = [float(_FAULTS.index(each)) for each in given]
        self._table.write(FAULT, self._rows(members), np.tile(faults, self._width))

    def _set_seeds(self, members: IntArray, value: object) -> None:
        given = np.asarray(value)
        if given.dtype.kind not in "iu":
            refuse(self, "seed", value, f"integers of shape ({len(members)},), one per member", TypeError)
        if given.shape != (len(members),):
            refuse(self, "seed", value, f"integers of shape ({len(members)},), one per member")
        keys = np.array([noise_key(seed, self._handle.name) for seed in given.tolist()], np.float64).reshape(-1, 3)
        self._table.write(slice(KEY, KEY + 3), self._rows(members), np.tile(keys.T, self._width))


class LoopView(View):
    """One control loop of the template in all members.

    Assign `reference` one `Reference`, `Spin` or `Slew` for all members, a list with one per member, or a `Reference` of n attitudes, one
    per member, which is fastest; and `law` one law for all, or a list with one per member, of the kind that the template has. Both are
    part of the model of a member and stay at a reset. `force_body` of None leaves the force free. `actuators` are those of the template.
    """

    __slots__ = ()

    def _stands_in_table(self, name: str) -> bool:
        return name != "force_body" and super()._stands_in_table(name)  # it has no value where it is free

    def _make_setters(self) -> dict[str, Setter]:
        own = {name: partial(self._set_own, name) for name in _OWN}
        return {"force_body": self._set_force, "enabled": self._set_enabled, **own}

    def _set_own(self, name: str, members: IntArray, value: object) -> None:
        """Give each of some members a law or a reference of its own."""
        law, present = first_of(self._loop._law), getattr(self._loop, f"_{name}")
        numbers_of, rule = _OWN[name]
        given, count = in_list(value, len(members)), self._members.count
        if len(given) != len(members):
            refuse(self, name, value, f"one for all, or {len(members)}, one per member")
        if isinstance(present, Pointing) and len(members) < count:
            refuse(self, name, value, "set in all members, which follow a Pointing")
        known = {id(each): numbers_of(each, law) for each in (*given, first_of(present))}
        for member, each in zip(members.tolist(), given, strict=True):
            if known[id(each)] is None:
                refuse(self._owner(member), name, each, rule)
        if len(members):
            others = OfMembers(given, np.array([known[id(each)] for each in given], np.float64).T.copy())
            if len(members) == count:
                present = others  # in any order
            elif not isinstance(present, OfMembers):
                present = OfMembers([present] * count, np.tile(np.array([known[id(present)]]).T, count))
            self._loop._replace(f"_{name}", present.replaced(members, others))
        if name == "law":
            self._clear(("law_has_begun",), members)

    @property
    def _loop(self) -> Controlled:
        """The handle of the loops of all members."""
        assert isinstance(self._own, Controlled)
        return self._own

    def _clear(self, names: Iterable[str], members: IntArray) -> None:
        """Set fields of the loops of some members to zero."""
        for name in names:
            if name in self._table.schema.components:
                self._table.write(self._table.schema.components[name], self._rows(members), 0.0)

    def _set_enabled(self, members: IntArray, value: object) -> None:
        wanted = self._given(value, "enabled", members, 1, 0, True)
        stopped = members[(self._columns(members)[ENABLED] > 0.0) & (wanted[0] == 0.0)]
        self._table.write(ENABLED, self._span(members), wanted[0])
        if len(stopped):
            self._clear(("samples", "law_has_begun", "actuator_state"), stopped)
            stop_members(self._loop, self._members.owners.store.world(), self._members.count, stopped)

    def _set_force(self, members: IntArray, value: object) -> None:
        given, field = (0.0, 0.0, 0.0) if value is None else value, self._field("force_body")
        columns = self._checked(given, field.name, members, field.size, 0, ANY)
        self._write(field, members, columns)
        self._write(self._field("force_is_free"), members, np.full((1, len(members)), float(value is None)))


_OWN: dict[str, tuple[Callable[[object, FormulaLaw], list[float] | None], str]] = {
    "law": (numbers_of_law, "a law of the same kind as that of the template, for one body without an assembly"),
    "reference": (numbers_of_reference, "a Reference, Spin or Slew of one attitude"),
}
"""The objects of which members of a loop have their own: what the kernel of the law takes from one, and which are permitted."""


KINDS: tuple[tuple[type | UnionType, type[View]], ...] = (
    (Body, BodyView),
    (Valves, ValvesView),
    (ReactionWheel, WheelView),
    (Tank, TankView),
    (BodyTorque, CommandView),
    (Magnetorquer, CommandView),
    (ConstantForce | ConstantTorque, ConstantView),
    (Sensor, SensorView),
    (Controlled, LoopView),
    (Joint, JointView),
    (ShapeHandle, ShapeView),
)
"""The class of views of each kind of handle; all others have a `View`."""


def view_class(handle: object) -> type[View]:
    """The class of the view of a handle."""
    return next((view for kind, view in KINDS if isinstance(handle, kind)), View)
