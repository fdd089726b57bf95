"""What the rows of a snapshot from bytes must be, whoever wrote them, before a world is made of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..checks import FloatArray, refuse
from ..store.schema import NOBODY, Schema
from .plain_content import PlainContent, Rows


def check_rows(plain: PlainContent, schemas: Mapping[str, Schema], owner: str) -> None:
    """Check the rows of the tables that have one of these schemas.

    Raises:
        ValueError: If a row refers to one that is not there, or has a value that no world can have.
    """
    for name, rows in plain.tables.items():
        schema = schemas.get(name)
        if schema is None:
            if "body" in rows.fields:
                _check_reference(owner, f"{name}.body", rows.fields["body"], plain.tables.get("bodies"))
            continue
        for field in schema.references:
            if field.name in rows.fields:
                target = plain.tables.get(field.refers_to)
                _check_reference(owner, f"{name}.{field.name}", rows.fields[field.name], target)
        for field in schema.fields:
            if field.name in rows.fields and field.dtype is np.float64:
                _check_finite(schema, f"{name}.{field.name}", rows.fields[field.name], owner)


def _check_reference(owner: str, path: str, values: FloatArray, target: Rows | None) -> None:
    count = 0 if target is None else len(target.ids)
    if not ((values >= NOBODY) & (values < count) & (values == np.floor(values))).all():
        refuse(owner, f"tables.{path}", values.ravel().tolist(), f"rows from -1 to {count - 1}")


def _check_finite(schema: Schema, path: str, values: FloatArray, owner: str) -> None:
    # a field whose rest is infinite or nan has no limit there, or no value
    rest = schema.rest[schema.components[path.rpartition(".")[2]]]
    allowed = np.isfinite(values)
    if np.isinf(rest).any():
        allowed |= np.isinf(values)
    if np.isnan(rest).any():
        allowed |= np.isnan(values)
    if not allowed.all():
        raise ValueError(f"{owner}: tables.{path} must be finite")
