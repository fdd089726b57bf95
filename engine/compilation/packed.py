"""Arguments of kernels that are kept in memory in their compiled form.

Where Python calls a kernel, numba converts each array into seven words or more, which takes about 25 ns. A kernel that takes fifty arrays
would spend more time on that than on a tick of one body. `Packed` converts them once.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .compiler import COMPILED, types_of


class Packed:
    """Arguments that stay the same over many calls: arrays, numbers, and tuples of them.

    Python passes this to a kernel as one argument, from which the kernel takes them by `unpack`. The arrays must not be resized.
    """

    __slots__ = ("_numba_type_", "_words", "address", "arguments")

    def __init__(self, *arguments: Any) -> None:
        """Convert the arguments.

        Args:
            *arguments: What `unpack` returns.
        """
        self.arguments = arguments
        if COMPILED:
            (kind,) = types_of(arguments)
            self._numba_type_ = PackedType(kind)  # where numba looks for the type of an object
            self._words = np.array(list(_words_of(arguments)), np.uint64)
            self.address = self._words.ctypes.data


def unpack(packed: Packed) -> Any:
    """Return the arguments in a `Packed`, as a tuple."""
    return packed.arguments


def _words_of(argument: Any) -> Iterator[int]:
    """The words of an argument in numba's form; an array is not counted as referred to, because its owner keeps it."""
    if isinstance(argument, Packed):
        yield argument.address
    elif isinstance(argument, tuple):
        for each in argument:
            yield from _words_of(each)
    elif isinstance(argument, np.ndarray):
        yield from (0, 0, argument.size, argument.itemsize, argument.ctypes.data)
        yield from argument.shape
        yield from argument.strides
    else:
        yield int(np.array(argument, float if isinstance(argument, float) else np.int64).view(np.uint64))


if COMPILED:
    import numba
    from numba.extending import NativeValue, models, register_model, unbox

    from .compiler import for_compiled_code

    class PackedType(numba.types.Type):  # type: ignore[misc]
        """The compiled type of a `Packed`, given that of the tuple of its arguments."""

        bitwidth = 64  # that of the address, which is its value

        def __init__(self, kind: Any) -> None:
            self.kind = kind
            super().__init__(name=f"Packed({kind})")

    register_model(PackedType)(models.IntegerModel)

    @unbox(PackedType)  # type: ignore[untyped-decorator]
    def _address_in(kind: Any, packed: Any, context: Any) -> Any:
        number = context.pyapi.object_getattr_string(packed, "address")
        address = context.pyapi.long_as_ulonglong(number)
        context.pyapi.decref(number)
        return NativeValue(address)

    @for_compiled_code(unpack)
    def unpack(typing_context: Any, packed: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            model = context.data_model_manager[packed.kind]
            pointer = builder.inttoptr(values[0], model.get_data_type().as_pointer())
            return model.load_from_data_pointer(builder, pointer)

        return packed.kind(packed), generate
