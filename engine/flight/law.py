"""The base of control laws, with their interface and the reading of gains, tensors and measurements."""

from __future__ import annotations  # help() then shows them as written

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, depth, explaining_errors, is_row, real, refuse
from ..joints.assembly import Assembly, assembly_for
from ..solids.symmetric import principal
from .measured import Measured
from .samples import Components, combined, components, tensor_components

_NOT_STORED: Components = [0.0, 0.0, 0.0]
_SINGULAR = 1e-12
"""Smallest ratio of a principal moment to the largest, as `MassProperties.is_singular` has it."""
_SYMMETRIC = 1e-9
"""Maximum difference between opposite elements of a tensor, as a fraction of its largest element."""


@explaining_errors({"assembly": "give it to the constructor of the law"})
class Law(ABC):
    """Base class of control laws, which compute a torque from a measured and a reference attitude.

    A law needs no world. The measured object is anything with the attributes `orientation` (unit quaternion, scalar-last (x, y, z, w), body
    to world, shape (4,)) and `angular_velocity_body` ([rad/s], body frame, shape (3,)): a `Body`, an estimate, or an object of your own.
    With arrays of shape (n, 4) and (n, 3), one call computes the torques of n bodies, with the same bits as n calls.

    A law object holds only its parameters. What a law remembers from sample to sample, such as an integral, is its state: it is passed in
    and returned, so that one law object can serve several loops.

    To write a law of your own, derive from this class and define `update`; if it has a state, also `state_size`.

    Attributes:
        state_size: Number of values that the law remembers per body.

    Example:
        >>> from types import SimpleNamespace
        >>> from engine.flight import Reference
        >>> from engine.flight.control import RateDamping
        >>> tumbling = SimpleNamespace(orientation=(0.0, 0.0, 0.0, 1.0), angular_velocity_body=(0.5, -0.125, -0.25))
        >>> RateDamping(4.0).torque_body(tumbling, Reference(), 0.1).tolist()
        [-2.0, 0.5, 1.0]
    """

    state_size: int = 0
    _assembly: Assembly | None = None

    @property
    def assembly(self) -> Assembly | None:
        """The assembly whose inertia and stored momentum the law reads at each sample; None if it reads those of the measured body."""
        return self._assembly

    def initial_state(self, measured: object, reference: object) -> FloatArray:
        """Return the state before the first sample.

        Args:
            measured: The measured object at the first sample.
            reference: The `Reference` at the first sample.

        Returns:
            The state, shape (..., state_size).

        Example:
            >>> from types import SimpleNamespace
            >>> from engine.flight import Reference
            >>> from engine.flight.control import MRPFeedback
            >>> ship = SimpleNamespace(orientation=(0.0, 0.0, 0.0, 1.0), angular_velocity_body=(0.0, 0.0, 0.1))
            >>> MRPFeedback(k=5.0, p=4.0, integral_gain=0.1).initial_state(ship, Reference()).tolist()  # the integral of the error
            [0.0, 0.0, 0.0]
        """
        shape, other = self._leading(measured, "measured"), self._leading(reference, "reference")
        if shape != other:
            shape = np.broadcast_shapes(shape, other)
        return np.zeros((*shape, self.state_size))

    @abstractmethod
    def update(
        self, measured: object, reference: object, seconds: float, state: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """Compute the torque of one sample and the state for the next one.

        Args:
            measured: An object with `orientation`, `angular_velocity_body` and whatever else the law needs.
            reference: The `Reference` at the time of the sample.
            seconds: Time until the next sample [s], above zero.
            state: The state, shape (..., state_size).

        Returns:
            The torque on the body [N·m], body frame, shape (..., 3), and the new state, shape (..., state_size).

        Raises:
            TypeError: If `measured` or `reference` lacks an attribute that the law needs.
            ValueError: If `seconds` is not positive, or the torque is not finite.

        Example:
            >>> from types import SimpleNamespace
            >>> from engine.flight import Reference
            >>> from engine.flight.control import MRPFeedback
            >>> law = MRPFeedback(k=5.0, p=4.0, integral_gain=0.1)
            >>> ship = SimpleNamespace(orientation=(0.0, 0.0, 0.6, 0.8), angular_velocity_body=(0.0, 0.0, 0.0), inertia_body=np.eye(3))
            >>> state = law.initial_state(ship, Reference())
            >>> torque_body, state = law.update(ship, Reference(), 0.1, state)
            >>> torque_body.round(6).tolist(), state.round(6).tolist()
            ([0.0, 0.0, -1.666667], [0.0, 0.0, 0.166667])
        """

    def torque_body(self, measured: object, reference: object, seconds: float) -> FloatArray:
        """Compute the torque of one sample from the initial state.

        Args:
            measured: An object with `orientation`, `angular_velocity_body` and whatever else the law needs.
            reference: The `Reference` at the time of the sample.
            seconds: Time until the next sample [s], above zero.

        Returns:
            The torque on the body [N·m], body frame, shape (..., 3).

        Raises:
            TypeError: If `measured` or `reference` lacks an attribute that the law needs.
            ValueError: If `seconds` is not positive, or the torque is not finite.

        Example:
            >>> from types import SimpleNamespace
            >>> from engine.flight import Reference
            >>> from engine.flight.control import RateDamping
            >>> tumbling = SimpleNamespace(orientation=(0.0, 0.0, 0.0, 1.0), angular_velocity_body=(0.5, -0.125, -0.25))
            >>> RateDamping(4.0).torque_body(tumbling, Reference(), 0.1).tolist()
            [-2.0, 0.5, 1.0]
        """
        return self.update(measured, reference, seconds, self.initial_state(measured, reference))[0]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={_shown(value)}" for name, value in self._parameters().items())
        return f"{type(self).__name__}({shown})"

    def _parameters(self) -> dict[str, object]:
        """The parameters by name, for `repr`."""
        return {}

    @property
    def _name(self) -> str:
        return type(self).__name__

    def _result(self, results: Sequence[float | FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Torque and new state from the numbers that a formula returned."""
        values = combined(results, self._name, "torque")
        return values[..., :3], values[..., 3:]

    def _components(self, source: object, argument: str, attribute: str, size: int) -> Components:
        """An attribute of what is measured or of the reference."""
        if type(source) is Measured:
            return source.numbers(attribute, self._name, size)
        try:
            value = getattr(source, attribute)
        except Exception as error:
            refuse(self._name, argument, source, f"an object with the attribute {attribute}", TypeError, error)
        return components(value, f"{argument} {attribute}", self._name, size)

    def _leading(self, source: object, argument: str) -> tuple[int, ...]:
        """The leading dimensions of the orientation of a stack."""
        parts = self._components(source, argument, "orientation", 4)
        return () if isinstance(parts, list) else parts[0].shape

    def _acceleration(self, reference: object) -> Components:
        return self._components(reference, "reference", "angular_acceleration_world", 3)

    def _stored(self, measured: object) -> Components:
        """Momentum of the wheels [N·m·s], body frame, zero where the measured object has none."""
        if self._assembly is None and type(measured) is Measured:
            return measured.numbers("stored_momentum_body", self._name, 3)
        value = getattr(self._assembly or measured, "stored_momentum_body", None)
        return _NOT_STORED if value is None else components(value, "measured stored_momentum_body", self._name, 3)

    def _inertia(self, given: Components | None, measured: object) -> Components:
        """The tensor that was given to the law, or that of the assembly, or that of the measured body."""
        if given is not None:
            return given
        if self._assembly is not None:
            return tensor_components(self._assembly.inertia_body, "inertia of the assembly", self._name)
        if type(measured) is Measured:
            return measured.numbers("inertia_body", self._name, 6)
        value = getattr(measured, "inertia_body", None)
        if value is None:
            value = getattr(getattr(measured, "mass_properties", None), "inertia_body", None)
        if value is None:
            rule = "given to the law, or be an attribute of the measured object"
            refuse(self._name, "inertia_body", None, rule)
        return tensor_components(value, "measured inertia_body", self._name)


def gain(value: object, argument: str, owner: str) -> float:
    """A gain, above zero."""
    return real(value, argument, owner, above=0.0)


def tensor_gain(value: object, argument: str, owner: str) -> list[float]:
    """A gain as a symmetric tensor: from a number above zero, three of them, or a positive definite tensor."""
    if depth(value) == 1:
        three = array(value, argument, owner, (3,)).tolist()
        if min(three) <= 0.0:
            refuse(owner, argument, value, "above zero about every axis")
        return [*three, 0.0, 0.0, 0.0]
    if is_row(value):
        return _definite(value, argument, owner)
    number = gain(value, argument, owner)
    return [number, number, number, 0.0, 0.0, 0.0]


def inertia_tensor(value: npt.ArrayLike | None, owner: str) -> Components | None:
    """A tensor of inertia that is given to a law: (3,) principal moments, (3, 3), a stack of shape (n, 3, 3), or None."""
    if value is None:
        return None
    if depth(value) > 2:
        given = tensor_components(value, "inertia_body", owner)
        for tensor in np.reshape(value, (-1, 3, 3)):
            _definite(tensor, "inertia_body", owner)
        return given
    return tensor_gain(value, "inertia_body", owner)


def one_inertia(inertia_body: npt.ArrayLike | None, assembly: object, owner: str) -> Assembly | None:
    """The assembly that was given for a law, after a check that no tensor was given as well."""
    own = assembly_for(assembly, None, owner)
    if own is not None and inertia_body is not None:
        refuse(owner, "inertia_body", inertia_body, "None with an assembly, which has its own inertia")
    return own


def _definite(value: object, argument: str, owner: str) -> list[float]:
    """The components of a symmetric tensor with an inverse and no negative moment."""
    tensor = array(value, argument, owner, (3, 3))
    # tensors that were turned or added are symmetric to rounding only
    if (np.abs(tensor - tensor.T) > _SYMMETRIC * np.abs(tensor).max()).any():
        refuse(owner, argument, value, "a symmetric tensor")
    six = [float(tensor[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    moments = moments_of(six) if tensor.any() else (0.0, 0.0, 0.0)
    if moments[0] <= _SINGULAR * moments[2]:
        refuse(owner, argument, value, "a positive definite tensor, which has an inverse")
    return six


def moments_of(six: Sequence[float]) -> tuple[float, float, float]:
    """Principal moments in ascending order."""
    xx, yy, zz, xy, xz, yz = six
    return principal((xx, yy, zz, xy, xz, yz))[0]


def limits(value: object, argument: str, owner: str) -> list[float]:
    """Three limits above zero, from one number or three."""
    three = array(value, argument, owner, (3,)).tolist() if is_row(value) else 3 * [real(value, argument, owner)]
    if min(three) <= 0.0:
        refuse(owner, argument, value, "above zero about every axis")
    return three


def tensor_matrix(six: Sequence[object]) -> FloatArray:
    """The tensor with these six components, shape (3, 3)."""
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def given_inertia(six: Components | None) -> FloatArray | None:
    """The tensor that `inertia_tensor` has read, shape (..., 3, 3)."""
    if six is None:
        return None
    return np.moveaxis(tensor_matrix(six), (0, 1), (-2, -1))


def _shown(value: object) -> str:
    return repr(value.tolist() if isinstance(value, np.ndarray) else value)
