"""The base of the built-in forces, whose parameters are rows of a table of the world, read and written through attributes."""

from __future__ import annotations  # help() then shows them as written

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import numpy as np

from ..checks import FloatArray
from ..store.rows import TableRows
from ..store.schema import NOBODY
from ..store.table import IntArray
from .wrench import BodyStates, Wrench


class Force(ABC):
    """The base class of the built-in forces.

    A class of your own needs no base class. An object with `apply(wrench, bodies, time)` is enough, and so is a plain function with these
    arguments. The class attribute `evaluate` says when it is called; without it, `apply` is called at each stage.
    """

    evaluate: Literal["tick", "stage"]
    """When the force is evaluated: "tick" means once per tick and held constant, "stage" means at each stage of the integrator."""
    depends_on_rates: bool = True
    """Whether a force that is evaluated at each stage depends on velocity or angular velocity. Splitting methods evaluate such a force
    more often to keep their order. A force without this attribute counts as one that does."""

    def __init_subclass__(cls, final: bool = True, **keywords: object) -> None:
        """Reject subclasses of the built-in forces, because compiled loops evaluate these and would never call an override."""
        super().__init_subclass__(**keywords)
        for base in cls.__bases__:
            if issubclass(base, Force) and base.__dict__.get("_is_final", False):
                raise TypeError(
                    f"{cls.__name__}: {base.__name__} cannot be subclassed; write a class of your own with "
                    f"apply(wrench, bodies, time), which may contain a {base.__name__} and call its apply"
                )
        if final:
            cls._is_final = True

    __slots__ = ()  # in every force: a misspelt `thruster.throtle = 1` raises
    _is_final: ClassVar[bool]

    @abstractmethod
    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        """Add this force's contribution to the wrench.

        Args:
            wrench: Accumulated forces and torques on all bodies, modified in place.
            bodies: States at which the force is evaluated.
            time: Time at which the force is evaluated [s].

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.forces import Force
            >>> class Wind(Force):
            ...     def apply(self, wrench, bodies, time):
            ...         wrench.force_world += (2.0 * time, 0.0, 0.0)
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5))
            >>> wind = world.add_force(Wind())
            >>> world.step(4)
            >>> ship.velocity.round(9).tolist()
            [4.0, 0.0, 0.0]
        """


class TableForce(TableRows, Force, final=False):
    """A force whose parameters are rows of a table."""

    __slots__ = ()

    _may_depend_on_position: ClassVar[bool] = False
    """Whether the force may depend on where the bodies are by more than its parameters say, so that `World.shift_origin` warns."""

    def coast_obstacle(self) -> str | None:
        """Return in words why this force keeps its world from coasting (`World.coast`), or None if it does not act."""
        if not self._table.array[self._schema.row("enabled"), self._slice()].any():
            return None
        return f"the {self._kind_of_member} {self!r} acts"

    def _acting(self, bodies: BodyStates) -> tuple[slice | IntArray, dict[str, FloatArray]]:
        """The rows of the bodies that it acts on now, and each field with one value per such body, shape (k,) or (k, size).

        This is for a force whose rows refer to one body each in the first component, with `enabled` in the second.
        """
        columns = self._table.array[:, self._slice()]
        if self._table.store is not bodies._table.store:  # not of this world's table: its rows are named by handles
            columns = columns.copy()
            columns[0] = [NOBODY if body is None else bodies.row(body) for (body,) in self._bodies]
        columns = columns[:, columns[1] > 0.0]
        indices = columns[0].astype(int)
        if NOBODY in indices:
            columns, indices = np.repeat(columns, bodies.count, axis=1), slice(None)
        fields = self._schema.fields[2:]
        values = {field.name: columns[self._schema.components[field.name]] for field in fields}
        return indices, {name: value[0] if len(value) == 1 else value.T for name, value in values.items()}
