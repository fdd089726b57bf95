"""What commands the actuators of a control loop, and the kernel that finds the command."""

from __future__ import annotations  # help() then shows them as written

from typing import NamedTuple, NoReturn, Protocol

import numpy as np

from ..checks import FloatArray
from ..compilation.choice import Loop
from ..compilation.kernel_types import Arguments, Kernel
from ..compilation.packed import Packed


class Command(NamedTuple):
    """A kernel that finds a command, for the kernel that takes whole samples.

    Attributes:
        kernel: The kernel, which takes one `Packed`. It returns 0 if a result is not finite.
        arguments: Its arguments, the first of which are the addresses of the kernels that it calls.
        called: The kernels that it calls; None stands for an address of zero.
    """

    kernel: Kernel
    arguments: Packed[Arguments]
    called: list[Loop | None]

    def link(self) -> None:
        """Write the addresses."""
        addresses = self.arguments.arguments[0]
        assert isinstance(addresses, np.ndarray)
        addresses[:] = [0 if loop is None else loop.address for loop in self.called]


class Driver(Protocol):
    """Commands actuators, with the memory that this takes; classes of actuators in the engine return one by `_driver`."""

    def command(
        self, torque: list[float], force: list[float] | None, seconds: float, state: list[float]
    ) -> list[float]:
        """The same as `Actuators.command`, with checked numbers; return the new state, which is empty where there is none."""

    @property
    def is_bound(self) -> bool:
        """Whether the tables are where they were when `bind` was called."""

    def bind(self, wanted: FloatArray, answer: FloatArray, seconds: float) -> Command | None:
        """Return the kernel that finds the command, with the same bits as `command`; None if the actuators are not all the engine's.

        Args:
            wanted: What is wanted: torque, force and whether the force is free, shape (7, 1).
            answer: Written: whether that is out of reach, and what is remembered from now on, which before the call is what was.
            seconds: Time between two commands [s].
        """

    def update(self) -> None:
        """Read what only Python can read, before the kernel is called."""

    def carry_out(self) -> None:
        """Command what the kernel has found."""

    def refuse_command(self) -> NoReturn:
        """Raise the error for a command that is not finite."""
