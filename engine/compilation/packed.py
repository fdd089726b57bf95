"""Arguments of kernels that are kept in memory in their compiled form.

Where Python calls a kernel, numba converts each array into seven words or more, which takes about 25 ns. A kernel that takes fifty arrays
would spend more time on that than on a tick of one body. `Packed` converts them once.
"""

from ctypes import addressof, c_char
from functools import cache
from hashlib import sha256
from struct import pack, unpack_from
from types import ModuleType
from typing import Annotated, Any, Generic, Self, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from .choice import Loop, named
from .compiler import COMPILED, types_of
from .kernel_types import Arguments, Numba

Named = TypeVar("Named", covariant=True)


class Packed(int, Generic[Named]):
    """Arguments that stay the same over many calls: a named tuple of arrays, numbers, and tuples of them.

    Python passes this to a kernel as one argument, from which the kernel takes the named tuple by `unpack`. The arrays must not be resized.
    It is an integer, the address of their compiled form, because numba reads an integer faster than an attribute.
    """

    arguments: Named
    owner: object = None
    """What keeps alive that to which the arguments refer by address."""
    _words: object
    _numba_type_: Numba

    def __new__(cls, arguments: Named) -> Self:
        """Convert the arguments.

        Args:
            arguments: What `unpack` returns, a tuple.
        """
        if not COMPILED:
            self = super().__new__(cls, 0)
        else:
            given: Arguments = arguments  # type: ignore[assignment]
            listed: list[int] = []
            decisive = _convert(given, listed)
            words = np.array(listed, np.uint64)
            self = super().__new__(cls, words.ctypes.data)
            self._words, kind = words, _KINDS.get(decisive)
            self._numba_type_ = _KINDS.setdefault(decisive, _packed(_kind_of(given))) if kind is None else kind
        self.arguments = arguments
        return self


def unpack(packed: Packed[Named]) -> Named:
    """Return the arguments in a `Packed`."""
    return packed.arguments


@cache
def declared(kernel: Numba) -> Loop:
    """Describe a kernel that a module defines under its own name, whose annotations say of which types its arguments are."""
    return named(kernel, *_examples(kernel))


def declared_in(*modules: ModuleType) -> list[Loop]:
    """Describe every kernel that these modules define, in their order."""
    named_in = [
        (module.__name__, each) for module in modules for each in vars(module).values() if hasattr(each, "py_func")
    ]
    return [declared(each) for name, each in named_in if each.py_func.__module__ == name]


@cache
def _examples(kernel: Numba) -> Arguments:
    hints = get_type_hints(getattr(kernel, "py_func", kernel), include_extras=True)
    return tuple(example(hint) for name, hint in hints.items() if name != "return")


@cache
def example(kind: Numba) -> Numba:
    """An argument of the type that an annotation says: an array with one row per dimension, a number, a tuple, or a `Packed` of these.

    Arrays of real numbers have two dimensions and those of integers one, unless a number in `Annotated` says otherwise.
    """
    origin: object = get_origin(kind)
    parts = get_args(kind)
    if origin is Annotated:
        array: npt.NDArray[Any] = example(parts[0])
        return array.reshape((1,) * parts[1])
    if origin is np.ndarray:
        is_real = parts[1] == np.dtype[np.float64]
        return np.zeros((1, 1)) if is_real else np.zeros(1, np.int64)
    if hasattr(origin, "__value__"):  # an alias by name, as `NDArray` is from NumPy 2.5 on
        return example(origin.__value__[parts])
    if origin is Packed:
        return Packed(example(parts[0]))
    if origin is tuple:  # of any length is whatever is put there
        return () if Ellipsis in parts else tuple(example(part) for part in parts)
    if hasattr(kind, "_fields"):
        return kind(*(example(hint) for hint in get_type_hints(kind, include_extras=True).values()))
    return kind()


def _convert(arguments: Arguments, words: list[int]) -> Arguments:
    """Add the words of arguments in numba's form, and return what decides their types, which takes numba much longer to find.

    An array is not counted as referred to, because its owner keeps it.
    """
    decisive: list[object] = [type(arguments)]
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            flags = argument.flags
            address = _address_of(argument) if flags.carray else argument.ctypes.data
            words += (0, 0, argument.size, argument.itemsize, address, *argument.shape, *argument.strides)
            decisive.append((argument.dtype, argument.ndim, flags.num))
        elif isinstance(argument, tuple):
            decisive.append(_convert(argument, words))
        elif isinstance(argument, Packed):
            words.append(int(argument))
            decisive.append(argument._numba_type_)
        else:
            words += unpack_from("=Q", pack("=d" if isinstance(argument, float) else "=q", argument))
            decisive.append(type(argument))
    return tuple(decisive)


def _address_of(array: Numba) -> int:
    """The same as ``array.ctypes.data`` in a quarter of the time."""
    return addressof(_NOTHING.from_buffer(array))


_NOTHING = c_char * 0
_KINDS: dict[Arguments, Numba] = {}
"""The types of what is packed, by what decides them."""


if COMPILED:
    import numba
    from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

    from .compiler import for_compiled_code

    @cache
    def _named(kind: Numba, types: Arguments) -> Numba:
        return numba.types.BaseTuple.from_types(types, kind)

    def _kind_of(argument: object) -> Numba:
        """The type of what is packed, in which tuples with names are known by these."""
        if not isinstance(argument, tuple):
            return types_of(argument)[0]
        types = tuple(map(_kind_of, argument))
        return _named(type(argument), types) if hasattr(argument, "_fields") else numba.types.Tuple(types)

    def _described(kind: Numba) -> str:
        """A type with the names of fields, which decide what is read where."""
        if not isinstance(kind, numba.types.BaseTuple):
            return str(kind)
        names = getattr(kind, "fields", ())
        return f"{names}({', '.join(map(_described, kind))})"

    class PackedType(numba.types.Type):  # type: ignore[misc]
        """The compiled type of a `Packed`, given that of the tuple of its arguments."""

        bitwidth = 64  # that of the address, which is its value

        def __init__(self, kind: Numba) -> None:
            self.kind = kind
            # part of the key of cached kernels, to be changed together with how a kernel reads its argument; short, because the names of
            # all functions that take such an argument contain it
            super().__init__(name=f"packed {sha256(_described(kind).encode()).hexdigest()[:16]}")

    _packed = cache(PackedType)

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
