"""The base of the control laws whose formula is a kernel, for one body or a stack of them.

The kernel of a law takes `inputs`, with one column per body, and writes `out`. `inputs` has the rows below and, from `PARAMETERS` on, the
parameters of the law in an order of its own. `out` has the torque, the attitude error and the new state.
"""

from __future__ import annotations  # help() then shows them as written

from abc import abstractmethod
from collections.abc import Sequence
from math import prod
from typing import ClassVar, NoReturn

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, real, refuse
from ..compilation.compiler import inlined
from ..kernels.quaternions import Quaternion
from ..kernels.vectors import Vector
from ..loops import layout
from ..loops.columns import Array, Integers, load_quaternion, load_vector
from .law import Law
from .measured import Measured
from .reference import Reference
from .samples import NOT_FINITE, Components, components

ORIENTATION, RATES, INERTIA, STORED, REFERENCE, REFERENCE_RATES, REFERENCE_ACCELERATION = 0, 4, 7, 13, 16, 20, 23
STATE_BEFORE, SECONDS, PARAMETERS = 26, 29, 30
"""Rows of `inputs`. There are three for the state, also of laws without one."""

TORQUE, ERROR_ANGLE, STATE, OUT_ROWS = 0, 3, 4, 7
"""Rows of `out`, and their number."""

OF_BODY = np.array(
    [
        *range(layout.ORIENTATION, layout.ORIENTATION + 4),
        *range(layout.ANGULAR_VELOCITY, layout.ANGULAR_VELOCITY + 3),
        *range(layout.INERTIA, layout.INERTIA + 6),
        *range(layout.STORED_MOMENTUM, layout.STORED_MOMENTUM + 3),
    ]
)
"""Rows of a body that are the first rows of `inputs`."""
_NOTHING: Components = [0.0, 0.0, 0.0]
_NO_INERTIA: Components = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]


@inlined
def load_attitudes(inputs: Array, member: int) -> tuple[Quaternion, Vector, Quaternion, Vector, Vector]:
    """Orientation and body rates as measured; orientation, world rates and world acceleration of the reference."""
    return (
        load_quaternion(inputs, ORIENTATION, member),
        load_vector(inputs, RATES, member),
        load_quaternion(inputs, REFERENCE, member),
        load_vector(inputs, REFERENCE_RATES, member),
        load_vector(inputs, REFERENCE_ACCELERATION, member),
    )


class FormulaLaw(Law):
    """A law of the engine, whose torque a kernel computes."""

    @staticmethod
    @abstractmethod
    def _kernel(inputs: Array, out: Array) -> int:
        """The kernel of the law, which returns 1."""

    _is_as_defined: ClassVar[bool] = True
    """Whether `update` is the one below, and not that of a user's class, which only it computes."""
    _reads_acceleration: ClassVar[bool] = True
    """Whether the reference needs an angular acceleration."""

    def __init_subclass__(cls, **named: object) -> None:
        super().__init_subclass__(**named)
        cls._is_as_defined = cls.update is FormulaLaw.update

    _needs_stored_momentum: ClassVar[bool] = False
    _tensor: Components | None = None
    """The inertia that was given to the law."""

    @property
    def _needs_inertia(self) -> bool:
        return False

    @property
    def _follows_inertia(self) -> bool:
        """Whether the parameters depend on the inertia of an assembly at each sample."""
        return False

    @abstractmethod
    def _parameters_for(self, inertia: Components) -> list[Components]:
        """What the kernel needs from `PARAMETERS` on."""

    def update(
        self, measured: object, reference: object, seconds: float, state: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        interval = real(seconds, "seconds", self._name, above=0.0)
        inertia = self._inertia_of(measured)
        parts = [
            self._components(measured, "measured", "orientation", 4),
            self._components(measured, "measured", "angular_velocity_body", 3),
            inertia,
            self._stored(measured) if self._needs_stored_momentum else _NOTHING,
            *self._goal(reference),
            components(state, "state", self._name, self.state_size) if self.state_size else _NOTHING,
            [interval],
            *self._parameters_for(inertia),
        ]
        inputs, leading = in_columns(parts)
        out = np.empty((OUT_ROWS, inputs.shape[1]))
        self._kernel(inputs, out)
        rows = [*range(TORQUE, TORQUE + 3), *range(STATE, STATE + self.state_size)]
        values = out[rows].T.reshape(*leading, len(rows))
        if not np.isfinite(values).all():
            refuse(self._name, "torque", values.tolist(), "finite", hint=NOT_FINITE)
        return values[..., :3], values[..., 3:]

    def _goal(self, reference: object) -> list[Components]:
        """The components of a reference."""
        return [
            self._components(reference, "reference", "orientation", 4),
            self._components(reference, "reference", "angular_velocity_world", 3),
            self._acceleration(reference) if self._reads_acceleration else _NOTHING,
        ]

    @property
    def _is_for_one_body(self) -> bool:
        """Whether no parameter is that of a stack of bodies."""
        return type(self._tensor) is not tuple and tuple not in map(type, self._parameters_for(_NO_INERTIA))

    def _inertia_of(self, measured: object) -> Components:
        return self._inertia(self._tensor, measured) if self._needs_inertia else _NO_INERTIA


class FormulaSamples:
    """What the kernel of a law is given at the samples of one loop and what it returns, which is kept between two samples."""

    def __init__(self, law: FormulaLaw, seconds: float) -> None:
        """Prepare.

        Args:
            law: The law.
            seconds: Time between two samples [s].
        """
        self.law = law
        own = _NO_INERTIA if law._follows_inertia else law._tensor or _NO_INERTIA
        parameters = [number for part in law._parameters_for(own) for number in part]
        self.inputs, self.out = np.zeros((PARAMETERS + len(parameters), 1)), np.zeros((OUT_ROWS, 1))
        self.inputs[SECONDS:, 0] = [seconds, *parameters]
        if law._tensor is not None:
            self.inputs[INERTIA:STORED, 0] = law._tensor
        self._reference: object = None

    def rows_of_body(self, is_estimated: bool) -> Integers:
        """The components of the body and the rows of `inputs` to which they are copied at each sample, shape (k, 2).

        Args:
            is_estimated: Whether orientation and rates are not those of the body.
        """
        law, rows = self.law, list(range(INERTIA if is_estimated else ORIENTATION, len(OF_BODY)))
        if law._tensor is not None or law._assembly is not None:
            rows = [row for row in rows if not INERTIA <= row < STORED]
        if law._assembly is not None:
            rows = [row for row in rows if row < STORED]
        return np.array([[OF_BODY[row], row] for row in rows], np.int64).reshape(-1, 2)

    def set_reference(self, reference: object) -> None:
        """Have the law track this reference, which is one attitude."""
        if reference is self._reference:
            return
        goal = self.law._goal(reference)
        if tuple in map(type, goal):
            refuse(self.law._name, "reference", reference, "one attitude, because the loop controls one body")
        self.inputs[REFERENCE:STATE_BEFORE, 0] = [number for part in goal for number in part]
        # that of a user's class may change
        self._reference = reference if type(reference) is Reference else None

    def set_estimate(self, measured: Measured) -> None:
        """Take orientation and rates from an estimator, which may also say what the wheels store and what the inertia is."""
        law, inputs, name = self.law, self.inputs, self.law._name
        if law._needs_inertia and law._tensor is None and law._assembly is None:
            inputs[INERTIA:STORED, 0] = law._inertia_of(measured)
        if law._needs_stored_momentum and law._assembly is None:
            inputs[STORED:REFERENCE, 0] = law._stored(measured)
        inputs[:RATES, 0] = measured.numbers("orientation", name, 4)
        inputs[RATES:INERTIA, 0] = measured.numbers("angular_velocity_body", name, 3)

    def set_assembly(self, measured: Measured | None) -> None:
        """Take inertia and stored momentum from the assembly of the law, as it is now."""
        law, inputs = self.law, self.inputs
        inertia = law._inertia_of(measured)
        inputs[INERTIA:STORED, 0] = inertia
        inputs[STORED:REFERENCE, 0] = law._stored(measured) if law._needs_stored_momentum else _NOTHING
        if law._follows_inertia:
            inputs[PARAMETERS:, 0] = [number for part in law._parameters_for(inertia) for number in part]

    def refuse_torque(self) -> NoReturn:
        """Raise the error for a torque or a state that is not finite."""
        refuse(self.law._name, "torque", self.out[TORQUE : TORQUE + 3, 0].tolist(), "finite", hint=NOT_FINITE)


def in_columns(parts: Sequence[Components]) -> tuple[Array, tuple[int, ...]]:
    """The components one below another, with one column per body of the stack, and the leading dimensions of the stack."""
    rows = [number for part in parts for number in part]
    stacks = [row.shape for row in rows if isinstance(row, np.ndarray)]
    leading = np.broadcast_shapes(*stacks)
    inputs = np.empty((len(rows), prod(leading)))
    for place, row in enumerate(rows):
        inputs[place] = np.broadcast_to(row, leading).reshape(-1) if isinstance(row, np.ndarray) else row
    return inputs, leading
