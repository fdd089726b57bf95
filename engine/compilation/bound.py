"""Kernels that Python calls often with the same arguments, such as those of samples."""

from typing import Generic, TypeVar

from . import background
from .choice import StandIn, in_python, named
from .compiler import COMPILED, without_dispatch
from .kernel_types import Kernel
from .packed import Packed

Named = TypeVar("Named")


class Bound(Generic[Named]):
    """A kernel of a module with its arguments; plain Python stands in for it while it is compiled in the background.

    Attributes:
        packed: The arguments.
        run: The kernel, to be called with `packed`, or what stands in for it.
    """

    __slots__ = ("_answered", "packed", "run")

    def __init__(self, kernel: Kernel, packed: Packed[Named]) -> None:
        """Bind a kernel, which is compiled now unless plain Python stands in for it."""
        self.packed, loop, self._answered = packed, named(kernel, packed), -1
        if COMPILED and in_python([loop], may_stand_in=True):
            self._answered = background.answered()
            self.run: Kernel = StandIn(loop)
        else:
            self.run = without_dispatch(kernel, packed)

    @property
    def is_final(self) -> bool:
        """Whether nothing has been compiled in the background that may be this kernel."""
        return self._answered < 0 or self._answered == background.answered()
