"""What the rows of a snapshot from bytes must be, whoever wrote them, before a world is made of them.

Most of it follows from the schemas: which rows a field refers to, which values a user may set, and which values it has in every world. What
ties fields or tables to each other is said here.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..checks import FloatArray, refuse
from ..flight.coast import KEEP_OUT
from ..flight.instruments import EXCLUSION_COUNT, EXCLUSION_FAR
from ..flight.optical_sensors import StarTracker
from ..flight.tank import TANKS
from ..flight.wheel import WHEELS
from ..forces.valves import THRUSTERS
from ..rotation import to_matrix
from ..shapes.handle import CONTACTS, GROUPS, IGNORED, SHAPES
from ..solids.symmetric import MATRIX_OF_SIX
from ..store.bodies import BODIES, HISTORY
from ..store.rows import schema_of
from ..store.schema import NOBODY, TICKED, Field, Kind, Schema
from ..tick.actuators import DRIVEN, composed
from ..tick.freezing import FROZEN_BODIES
from .encoding import OF_NO_MEMBER
from .plain_content import PlainContent, Rows, whole_rows

_TRACKERS = schema_of(StarTracker)
_CLOSE = 1e-6
"""By how much an inverse tensor or principal moments may differ from those of the tensor, as a share of it."""

_COMPOSED = 1e-9
"""By how much the mass properties of a body may differ from those that its parts give, as a share of them."""


def check_rows(plain: PlainContent, schemas: Mapping[str, Schema], owner: str) -> None:
    """Check the rows of the tables that have one of these schemas.

    Raises:
        ValueError: If a row refers to one that is not there, or has a value that no world can have.
    """
    checks = _Checks(plain, owner)
    with np.errstate(all="ignore"):  # a rule does not hold for nan, and what overflows breaks it
        for name, rows in plain.tables.items():
            schema = schemas.get(name)
            if schema is not None:
                checks.fields(schema, rows)
            elif "body" in rows.fields:
                checks.reference(f"{name}.body", rows.fields["body"], BODIES.name, NOBODY)
        checks.bodies()
        checks.members()
        checks.ties()


class _Checks:
    def __init__(self, plain: PlainContent, owner: str) -> None:
        self._plain, self._tables, self._owner = plain, plain.tables, owner

    def require(self, holds: bool | np.bool_, path: str, rule: str, value: object) -> None:
        if not holds:
            shown = value.ravel()[:8].tolist() if isinstance(value, np.ndarray) else value
            refuse(self._owner, f"tables.{path}", shown, rule)

    def whole(self, schema: Schema) -> FloatArray:
        """The rows of a table with all components, shape (size, rows); those that are not given have the values of new rows."""
        rows = self._tables.get(schema.name)
        return np.zeros((schema.size, 0)) if rows is None else whole_rows(schema, rows)

    def those_of(self, *schemas: Schema) -> list[Schema]:
        """The schemas of which there are rows."""
        return [schema for schema in schemas if schema.name in self._tables]

    def table(self, schema: Schema) -> dict[str, FloatArray]:
        """The same by field."""
        whole = self.whole(schema)
        return {name: whole[span] for name, span in schema.components.items()}

    # one field

    def fields(self, schema: Schema, rows: Rows) -> None:
        """Check every field by itself."""
        for name, given in rows.fields.items():
            if name not in schema.by_name or schema.by_name[name].size != len(given):
                raise ValueError(
                    f"{self._owner}: tables.{schema.name}.{name} with {len(given)} components must be a field of the table; "
                    f"its fields are {', '.join(schema.by_name)}"
                )
        for field in schema.fields:
            path, values = f"{schema.name}.{field.name}", rows.fields.get(field.name)
            if values is None:
                self.require(not _is_needed(field), path, "there", "no such field")
                values = np.reshape(np.broadcast_to(field.rest, (field.size,)), (-1, 1))
            if field.refers_to:
                self.reference(path, values, field.refers_to, NOBODY if field.may_be_nobody else 0)
            elif field.dtype is np.float64 and field.kind is not Kind.SCRATCH:
                broken = field.broken_rule(values)
                self.require(broken is None, path, broken or "", values)
                tick = self._plain.tick
                is_past = field.stored is not TICKED or (values <= tick).all()
                self.require(is_past, path, f"at most {tick}, the tick of the snapshot", values)

    def reference(self, path: str, values: FloatArray, target: str, lowest: int) -> None:
        count = len(self._tables[target].ids) if target in self._tables else 0
        are_rows = ((values >= lowest) & (values < count) & (values == np.floor(values))).all()
        self.require(are_rows, path, f"rows from {lowest} to {count - 1}", values)

    # what ties fields and tables to each other

    def bodies(self) -> None:
        """Check that the mass properties of each body belong together."""
        bodies = self.table(BODIES)
        mass, inverse = bodies["mass"], bodies["inverse_mass"]
        fits = (mass > 0.0) & (np.abs(mass * inverse - 1.0) < 1e-12)
        self.require(fits.all(), "bodies.inverse_mass", "1 / mass, which is above 0", inverse)
        tensor, inverted = (bodies[name].T[:, MATRIX_OF_SIX] for name in ("inertia_body", "inverse_inertia_body"))
        fits, path = np.abs(tensor @ inverted - np.eye(3)) < _CLOSE, "bodies.inverse_inertia_body"
        self.require(fits.all(), path, "the inverse of inertia_body", bodies["inverse_inertia_body"])
        moments, axes = bodies["principal_moments"].T, bodies["principal_axes"].T
        # the squares of the scalar parts, which are positive and left out
        left = 1.0 - np.square(axes).sum(axis=1)[:, np.newaxis]
        turned = to_matrix(np.where(left >= 0.0, np.hstack([axes, np.sqrt(left)]), (0.0, 0.0, 0.0, 1.0)))
        rebuilt = turned * moments[:, np.newaxis, :] @ turned.swapaxes(1, 2)
        is_close = np.abs(rebuilt - tensor) <= _CLOSE * moments.max(axis=1)[:, np.newaxis, np.newaxis]
        are_own = (moments > 0.0).all() and (left >= 0.0).all() and is_close.all()
        rule = "the principal moments of inertia_body about principal_axes"
        self.require(are_own, "bodies.principal_moments", rule, moments)

    def members(self) -> None:
        """Check that each row of a force, part or joint belongs to one of them, and was added with its other rows."""
        others = {schema.name for schema in OF_NO_MEMBER}
        owned = {
            name: np.zeros(len(rows.ids), np.int64)
            for name, rows in self._tables.items()
            if name not in others and not name.startswith("memory.")
        }
        for place, member in enumerate(self._plain.members):
            if not member.table:
                continue
            if member.table not in owned:
                refuse(self._owner, f"members[{place}].table", member.table, f"one of {', '.join(owned)}")
            rows = self._tables[member.table]
            start, stop = np.searchsorted(rows.ids, member.ids).tolist()
            owned[member.table][start:stop] += 1
            if (rows.groups[start:stop] != member.ids[0]).any():
                rule = "a span of rows that were added together"
                refuse(self._owner, f"members[{place}].ids", list(member.ids), rule)
        for name, counts in owned.items():
            self.require((counts == 1).all(), name, "rows of exactly one force, part or joint each", counts)

    def ties(self) -> None:
        """Check the rows that belong to others."""
        for schema in self.those_of(DRIVEN, FROZEN_BODIES, GROUPS):
            bodies = self.table(schema)["body"][0]
            is_once = len(np.unique(bodies)) == len(bodies)
            self.require(is_once, f"{schema.name}.body", "bodies without repetition", bodies)
        for schema in self.those_of(WHEELS, TANKS, THRUSTERS):
            reference, other = ("tank", TANKS) if schema is THRUSTERS else ("driven", DRIVEN)
            rows, path = self.table(schema), f"{schema.name}.{reference}"
            places = rows[reference][0].astype(int)
            named = places >= 0
            is_same = self.table(other)["body"][0][places[named]] == rows["body"][0][named]
            self.require(is_same.all(), path, f"rows of {other.name} that have the same body", places)
        of_actuators = {DRIVEN: self._composition, THRUSTERS: self._gimbals, _TRACKERS: self._exclusions}
        of_shapes = {SHAPES: self._collision_groups, IGNORED: self._ignored_pairs, CONTACTS: self._contacts}
        checks = {**of_actuators, **of_shapes}
        for schema in self.those_of(*checks):
            checks[schema]()
        history, bodies, ball = (self._tables.get(schema.name) for schema in (HISTORY, BODIES, KEEP_OUT))
        if history is not None:
            fits = bodies is not None and np.array_equal(history.ids, bodies.ids)
            self.require(fits, HISTORY.name, "rows with the ids of the bodies", len(history.ids))
        if ball is not None:
            self.require(len(ball.ids) == 1, KEEP_OUT.name, "one row", len(ball.ids))

    def _collision_groups(self) -> None:
        """Check that each shape has the collision group of its body."""
        bodies, groups, shapes = map(self.table, (BODIES, GROUPS, SHAPES))
        # the last entry is that of the shapes of the world, whose row of a body is -1
        group_of = np.zeros(bodies["mass"].shape[1] + 1)
        group_of[groups["body"][0].astype(int)] = groups["group"][0]
        wanted = group_of[shapes["body"][0].astype(int)]
        rule = f"the collision groups of their bodies, {wanted.tolist()}"
        self.require((shapes["group"] == wanted).all(), f"{SHAPES.name}.group", rule, shapes["group"])

    def _ignored_pairs(self) -> None:
        """Check that bodies do not ignore themselves, and that each pair is there in one order."""
        ignored = self.table(IGNORED)
        is_first = ignored["body"] < ignored["other"]
        self.require(is_first.all(), f"{IGNORED.name}.body", "a row before that of the other body", ignored["body"])

    def _contacts(self) -> None:
        """Check that each contact is one between a shape of a body and a shape that this body does not have."""
        contacts, owner = self.table(CONTACTS), self.table(SHAPES)["body"][0]
        shape, other_shape = contacts["shape"], contacts["other_shape"]
        first, other = (owner[each[0].astype(int)] for each in (shape, other_shape))
        self.require((first >= 0.0).all(), f"{CONTACTS.name}.shape", "rows of shapes that a body has", shape)
        self.require((first != other).all(), f"{CONTACTS.name}.other_shape", "rows of shapes of others", other_shape)

    def _composition(self) -> None:
        """Check that driven bodies have the mass properties that follow from their tanks and wheels, as after every change of these."""
        bodies, driven, wheels, tanks = map(self.whole, (BODIES, DRIVEN, WHEELS, TANKS))
        places = driven[DRIVEN.row("body")].astype(int)
        mass, center, inertia = (
            bodies[BODIES.components[name]][:, places] for name in ("mass", "center_of_mass_body", "inertia_body")
        )
        found_mass, found_center, found_inertia = composed(bodies, driven, wheels, tanks)
        largest = np.abs(inertia).max(axis=0)
        size = np.sqrt(largest / mass[0]) + np.abs(center).max(axis=0)
        fits = (
            (np.abs(found_mass - mass[0]) <= _COMPOSED * mass[0])
            & (np.abs(found_center - center) <= _COMPOSED * size).all(axis=0)
            & (np.abs(found_inertia - inertia) <= _COMPOSED * largest).all(axis=0)
        )
        if not fits.all():
            first = int(np.flatnonzero(~fits)[0])
            of_body = np.concatenate([mass, center, inertia])[:, first]
            of_parts = np.array([found_mass[first], *found_center[:, first], *found_inertia[:, first]])
            rule = f"those that the dry body has with its tanks and wheels, {_shown(of_parts)}"
            path = f"bodies.mass, center_of_mass_body and inertia_body of {self._plain.names[places[first]]!r}"
            refuse(self._owner, f"tables.{path}", _shown(of_body), rule)

    def _gimbals(self) -> None:
        """Check that gimbals are within their limits."""
        thrusters = self.table(THRUSTERS)
        for name in ("angles", "commanded_angles"):
            is_within = np.abs(thrusters[name]) <= thrusters["max_angle"] * (1.0 + 1e-9)
            self.require(is_within.all(), f"{THRUSTERS.name}.{name}", "within max_angle", thrusters[name])

    def _exclusions(self) -> None:
        """Check that each bright thing of a star tracker is one that `Exclusion` makes."""
        trackers = self.table(_TRACKERS)
        for number in range(EXCLUSION_COUNT):
            names = [f"{part}_{number}" for part in ("excludes", "direction", "radius")]
            kind, direction, radius = (trackers[name] for name in names)
            is_unit = np.abs(np.sqrt(np.square(direction).sum(axis=0)) - 1.0) < 1e-9
            has_place = np.where(kind == EXCLUSION_FAR, is_unit, (kind == 0.0) | (radius > 0.0))
            rule = "0, or 1 with a direction of unit length, or 2 with a radius above 0"
            self.require(has_place.all(), f"{_TRACKERS.name}.{', '.join(names)}", rule, kind)


def _shown(numbers: FloatArray) -> list[float]:
    """Numbers with few digits."""
    return [float(f"{number:.9g}") for number in numbers]


def _is_needed(field: Field) -> bool:
    """Whether bytes must contain a field: it decides the future, and was in all bytes that there have been."""
    return field.kind.is_hashed and not field.is_new
