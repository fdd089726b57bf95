"""Arguments of kernels that are kept in memory in their compiled form.

Where Python calls a kernel, numba converts each array into seven words or more, which takes about 25 ns. A kernel that takes fifty arrays
would spend more time on that than on a tick of one body. `Packed` converts them once.
"""

from collections.abc import Iterable
from struct import pack, unpack_from
from typing import Any, Self

import numpy as np

from .compiler import COMPILED, types_of
from .kernel_types import Arguments, Numba


class Packed(int):
    """Arguments that stay the same over many calls: arrays, numbers, and tuples of them.

    Python passes this to a kernel as one argument, from which the kernel takes them by `unpack`. The arrays must not be resized. It is
    an integer, the address of their compiled form, because numba reads an integer faster than an attribute.
    """

    arguments: Arguments
    owner: object = None
    """What keeps alive that to which the arguments refer by address."""
    _words: object
    _numba_type_: Numba

    def __new__(cls, *arguments: Numba) -> Self:
        """Convert the arguments.

        Args:
            *arguments: What `unpack` returns.
        """
        words = np.array(_words_of(arguments), np.uint64) if COMPILED else None
        self = super().__new__(cls, 0 if words is None else words.ctypes.data)
        self.arguments, self._words = arguments, words
        if COMPILED:
            (kind,) = types_of(arguments)
            self._numba_type_ = PackedType(kind)
        return self


def unpack(packed: Packed) -> Numba:
    """Return the arguments in a `Packed`, as a tuple."""
    return packed.arguments


def _words_of(arguments: Iterable[object]) -> list[int]:
    """The words of arguments in numba's form; an array is not counted as referred to, because its owner keeps it."""
    words: list[int] = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            words += (0, 0, argument.size, argument.itemsize, argument.ctypes.data, *argument.shape, *argument.strides)
        elif isinstance(argument, tuple):
            words += _words_of(argument)
        elif isinstance(argument, Packed):
            words.append(int(argument))
        else:
            words += unpack_from("=Q", pack("=d" if isinstance(argument, float) else "=q", argument))
    return words


if COMPILED:
    import numba
    from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

    from .compiler import for_compiled_code

    class PackedType(numba.types.Type):  # type: ignore[misc]
        """The compiled type of a `Packed`, given that of the tuple of its arguments."""

        bitwidth = 64  # that of the address, which is its value

        def __init__(self, kind: Numba) -> None:
            self.kind = kind
            # part of the key of cached kernels, to be changed together with how a kernel reads its argument
            super().__init__(name=f"packed, an integer({kind})")

    register_model(PackedType)(models.IntegerModel)

    @typeof_impl.register(Packed)  # type: ignore[untyped-decorator]
    def _type_of_packed(packed: Numba, _context: object) -> Numba:
        return packed._numba_type_

    @unbox(PackedType)  # type: ignore[untyped-decorator]
    def _address_in(kind: object, packed: Numba, context: Numba) -> Numba:
        return NativeValue(context.pyapi.long_as_ulonglong(packed))

    @for_compiled_code(unpack)
    def unpack(typing_context: Numba, packed: Numba) -> Numba:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            model = context.data_model_manager[packed.kind]
            pointer = builder.inttoptr(values[0], model.get_data_type().as_pointer())
            return model.load_from_data_pointer(builder, pointer)

        return packed.kind(packed), generate
