"""Views of tables for users, as whole arrays with one row per thruster, spring or field."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..reading import reading
from .schema import Field, Schema
from .store import Store


class TableView:
    """All rows of one kind of force, in the order in which they were added.

    Reading an attribute, such as `world.thrusters.throttle`, returns a read-only copy of shape (n,) or (n, 3). Assigning sets all rows,
    from one value per row or one value for all. Values are checked as when a force is created, and a rejected value changes nothing. An
    attribute that refers to bodies holds their rows.

    Example:
        >>> from engine import MassProperties, World, forces
        >>> world = World(dt=0.01)
        >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5))
        >>> for side in (-1.0, 1.0):
        ...     _ = world.add_force(forces.Thruster(ship, position=(side, 0, 0), direction=(0, 0, 1), max_force=5.0))
        >>> world.thrusters.throttle = (0.25, 1.0)
        >>> world.thrusters.throttle.tolist()
        [0.25, 1.0]
    """

    __slots__ = ("_schema", "_store")

    def __init__(self, store: Store, schema: Schema) -> None:
        object.__setattr__(self, "_store", store)
        object.__setattr__(self, "_schema", schema)

    def __repr__(self) -> str:
        return f"<{len(self)} {self._schema.name}: {', '.join(self.__dir__())}>"

    def __len__(self) -> int:
        return self._store.table(self._schema).count

    def __dir__(self) -> list[str]:
        return [field.name for field in self._schema.fields if _is_shown(field)]

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        raise TypeError(
            f"World: its {self._schema.name} cannot be copied without the world; copy the world and read them from the copy"
        )

    def __getattr__(self, name: str) -> Any:
        field = self._field(name)
        values: Any = self._store.table(self._schema).read(field.name).copy()
        if field.rule is not None and field.rule.is_switch:
            values = values > 0.0
            return reading(values)
        return reading(values.astype(np.int64) if field.refers_to else values)

    def __setattr__(self, name: str, value: object) -> None:
        field = self._field(name)
        if field.rule is None:
            raise AttributeError(f"{self!r}: {name} is read-only")
        table = self._store.table(self._schema)
        values = field.rule.many(value, name, f"World: the {self._schema.name}", field.size, table.count)
        if field.guard is not None:
            field.guard(table.array[:, : table.count], values, f"World: the {self._schema.name}")
        table.write(self._schema.components[name], slice(0, table.count), values)

    def _field(self, name: str) -> Field:
        field = self._schema.by_name.get(name)
        if field is None or not _is_shown(field):
            raise AttributeError(
                f"World: its {self._schema.name} have no attribute {name!r}; they have {', '.join(self.__dir__())}"
            )
        return field


def _is_shown(field: Field) -> bool:
    return field.rule is not None or bool(field.refers_to)
