"""What the rows of a snapshot from bytes must be, whoever wrote them, before a world is made of them.

Most of it follows from the schemas: which rows a field refers to, which values a user may set, and which values it has in every world. What
ties fields or tables to each other is said here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

import numpy as np

from ..checks import FloatArray, refuse
from ..flight.coast import KEEP_OUT
from ..flight.instruments import EXCLUSION_BALL, EXCLUSION_COUNT, EXCLUSION_FAR
from ..flight.tank import TANKS
from ..flight.wheel import WHEELS
from ..forces.valves import THRUSTERS
from ..rotation import to_matrix
from ..shapes.handle import CONTACTS, GROUPS, IGNORED, SHAPES
from ..solids.symmetric import MATRIX_OF_SIX
from ..store.bodies import BODIES, HISTORY
from ..store.schema import NOBODY, TICKED, Field, Kind, Schema
from ..tick.actuators import DRIVEN, composed
from ..tick.freezing import FROZEN_BODIES
from .encoding import OF_NO_MEMBER
from .plain_content import PlainContent, Rows, whole_rows

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
                checks.reference(f"{name}.body", rows.fields["body"], plain.tables.get("bodies"), NOBODY)
        checks.bodies()
        checks.members()
        checks.ties()


class _Checks:
    def __init__(self, plain: PlainContent, owner: str) -> None:
        self._plain, self._tables, self._owner = plain, plain.tables, owner

    def refuse(self, path: str, rule: str, value: object) -> NoReturn:
        shown = value.ravel()[:8].tolist() if isinstance(value, np.ndarray) else value
        refuse(self._owner, f"tables.{path}", shown, rule)

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
                if _is_needed(field):
                    self.refuse(path, "there", "no such field")
                values = np.reshape(np.broadcast_to(field.rest, (field.size,)), (-1, 1))
            if field.refers_to:
                lowest = NOBODY if field.may_be_nobody else 0
                self.reference(path, values, self._tables.get(field.refers_to), lowest)
            elif field.dtype is np.float64 and field.kind is not Kind.SCRATCH:
                self._numbers(path, field, values)

    def reference(self, path: str, values: FloatArray, target: Rows | None, lowest: int) -> None:
        count = 0 if target is None else len(target.ids)
        if not ((values >= lowest) & (values < count) & (values == np.floor(values))).all():
            self.refuse(path, f"rows from {lowest} to {count - 1}", values)

    def _numbers(self, path: str, field: Field, values: FloatArray) -> None:
        broken = field.broken_rule(values)
        if broken is not None:
            self.refuse(path, broken, values)
        if field.stored is TICKED and (values > self._plain.tick).any():
            self.refuse(path, f"at most {self._plain.tick}, the tick of the snapshot", values)

    # what ties fields and tables to each other

    def bodies(self) -> None:
        """Check that the mass properties of each body belong together."""
        rows = self._tables.get(BODIES.name)
        if rows is None:
            return
        mass, inverse = rows.fields["mass"][0], rows.fields["inverse_mass"][0]
        if not ((mass > 0.0) & (np.abs(mass * inverse - 1.0) < 1e-12)).all():
            self.refuse("bodies.inverse_mass", "1 / mass, which is above 0", inverse)
        tensor, inverted = (rows.fields[name].T[:, MATRIX_OF_SIX] for name in ("inertia_body", "inverse_inertia_body"))
        if not (np.abs(tensor @ inverted - np.eye(3)) < _CLOSE).all():
            self.refuse(
                "bodies.inverse_inertia_body", "the inverse of inertia_body", rows.fields["inverse_inertia_body"]
            )
        moments, axes = rows.fields["principal_moments"].T, rows.fields["principal_axes"].T
        # the squares of the scalar parts, which are positive and left out
        left = 1.0 - np.square(axes).sum(axis=1)[:, np.newaxis]
        turned = to_matrix(np.where(left >= 0.0, np.hstack([axes, np.sqrt(left)]), (0.0, 0.0, 0.0, 1.0)))
        rebuilt = turned * moments[:, np.newaxis, :] @ turned.swapaxes(1, 2)
        is_close = np.abs(rebuilt - tensor) <= _CLOSE * moments.max(axis=1)[:, np.newaxis, np.newaxis]
        if not ((moments > 0.0).all() and (left >= 0.0).all() and is_close.all()):
            self.refuse(
                "bodies.principal_moments", "the principal moments of inertia_body about principal_axes", moments
            )

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
                refuse(
                    self._owner, f"members[{place}].ids", list(member.ids), "a span of rows that were added together"
                )
        for name, counts in owned.items():
            if (counts != 1).any():
                self.refuse(name, "rows of exactly one force, part or joint each", counts)

    def ties(self) -> None:
        """Check the rows that belong to others."""
        for schema in (DRIVEN, FROZEN_BODIES, GROUPS):
            rows = self._tables.get(schema.name)
            if rows is not None and len(set(rows.fields["body"][0].tolist())) != len(rows.ids):
                self.refuse(f"{schema.name}.body", "bodies without repetition", rows.fields["body"])
        for schema in (WHEELS, TANKS):
            self._same_body(schema.name, "driven", DRIVEN.name)
        self._same_body(THRUSTERS.name, "tank", TANKS.name)
        self._collision_groups()
        self._contacts()
        self._composition()
        self._gimbals()
        self._exclusions()
        history, bodies = self._tables.get(HISTORY.name), self._tables.get(BODIES.name)
        if history is not None and (bodies is None or not np.array_equal(history.ids, bodies.ids)):
            self.refuse(HISTORY.name, "rows with the ids of the bodies", len(history.ids))
        ball = self._tables.get(KEEP_OUT.name)
        if ball is not None and len(ball.ids) != 1:
            self.refuse(KEEP_OUT.name, "one row", len(ball.ids))

    def _collision_groups(self) -> None:
        """Check that each shape has the collision group of its body, and that bodies do not ignore themselves."""
        shapes, groups, ignored = (self._tables.get(schema.name) for schema in (SHAPES, GROUPS, IGNORED))
        bodies = self._tables.get(BODIES.name)
        group_of = np.zeros(0 if bodies is None else len(bodies.ids))
        if groups is not None:
            own = groups.fields.get("group", np.zeros((1, 1)))
            if (own == 0.0).any():
                self.refuse(f"{GROUPS.name}.group", "above 0 in each row", own)
            group_of[groups.fields["body"][0].astype(int)] = own[0]
        if shapes is not None:
            # the last entry is that of the shapes of the world, whose row of a body is -1
            wanted = np.append(group_of, 0.0)[shapes.fields["body"][0].astype(int)]
            given = shapes.fields.get("group", np.zeros((1, 1)))
            if (given[0] != wanted).any():
                self.refuse(f"{SHAPES.name}.group", f"the collision groups of their bodies, {wanted.tolist()}", given)
        if ignored is not None and (ignored.fields["body"] >= ignored.fields["other"]).any():
            self.refuse(f"{IGNORED.name}.body", "a row before that of the other body", ignored.fields["body"])

    def _contacts(self) -> None:
        """Check that each contact is one between a shape of a body and a shape that this body does not have."""
        contacts, shapes = self._tables.get(CONTACTS.name), self._tables.get(SHAPES.name)
        if contacts is None or shapes is None:
            return
        owner = shapes.fields["body"][0]
        first, other = (owner[contacts.fields[name][0].astype(int)] for name in ("shape", "other_shape"))
        if (first < 0.0).any():
            self.refuse(f"{CONTACTS.name}.shape", "rows of shapes that a body has", contacts.fields["shape"])
        if (first == other).any():
            self.refuse(f"{CONTACTS.name}.other_shape", "rows of shapes of others", contacts.fields["other_shape"])

    def _composition(self) -> None:
        """Check that driven bodies have the mass properties that follow from their tanks and wheels, as after every change of these."""
        bodies, driven, wheels, tanks = (
            np.zeros((len(schema.rest), 0)) if rows is None else whole_rows(schema, rows)
            for schema, rows in ((schema, self._tables.get(schema.name)) for schema in (BODIES, DRIVEN, WHEELS, TANKS))
        )
        if not driven.shape[1]:
            return
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
        rows = self._tables.get(THRUSTERS.name)
        if rows is None:
            return
        for name in ("angles", "commanded_angles"):
            angles = rows.fields[name]
            if not (np.abs(angles) <= rows.fields["max_angle"] * (1.0 + 1e-9)).all():
                self.refuse(f"{THRUSTERS.name}.{name}", "within max_angle", angles)

    def _exclusions(self) -> None:
        """Check that each bright thing of a star tracker is one that `Exclusion` makes."""
        name = "star trackers"
        rows = self._tables.get(name)
        for number in range(EXCLUSION_COUNT if rows is not None else 0):
            assert rows is not None
            kind, direction, radius, angle = (
                rows.fields[f"{part}_{number}"] for part in ("excludes", "direction", "radius", "angle")
            )
            length = np.sqrt(np.square(direction).sum(axis=0))
            is_known = (kind == 0.0) | (kind == EXCLUSION_FAR) | (kind == EXCLUSION_BALL)
            has_place = np.where(kind == EXCLUSION_FAR, np.abs(length - 1.0) < 1e-9, (kind == 0.0) | (radius > 0.0))
            if not (is_known & has_place & (angle >= 0.0) & (angle <= 0.5 * np.pi)).all():
                rule = "0, or 1 with a direction of unit length, or 2 with a radius above 0, and an angle from 0 to π/2"
                self.refuse(f"{name}.excludes_{number}", rule, kind)

    def _same_body(self, name: str, reference: str, other: str) -> None:
        """Check that rows refer to rows of the same body in another table."""
        rows, others = self._tables.get(name), self._tables.get(other)
        if rows is None:
            return
        places = rows.fields[reference][0].astype(int)
        named = places >= 0
        if others is not None and (others.fields["body"][0][places[named]] != rows.fields["body"][0][named]).any():
            self.refuse(f"{name}.{reference}", f"rows of {other} that have the same body", places)


def _shown(numbers: FloatArray) -> list[float]:
    """Numbers with few digits."""
    return [float(f"{number:.9g}") for number in numbers]


def _is_needed(field: Field) -> bool:
    """Whether bytes must contain a field: it decides the future, and was in all bytes that there have been."""
    return field.kind.is_hashed and not field.is_new
