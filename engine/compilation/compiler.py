"""Compilation of kernels, and their cache on disk; without numba, kernels run as plain Python.

numba's own disk cache checks only the file that defines a function. It would run outdated code after a change in another file whose
functions are inlined. Here the key of a kernel is its identity (see `identity`), which covers its code and everything that the code reads.
The cache is in the user's cache folder or, if that is not writable, in the `__pycache__` folder of the source; both are read. The
environment variable POLHODE_CACHE_DIR selects another folder. If that is read-only, as one shipped with a game may be, it is read, and new
kernels are kept in the user's folder.
"""

import gc
import hashlib
import logging
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any, Self, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
import numpy.typing as npt

from . import kernel_files
from .identity import identity, survey
from .kernel_types import Arguments, Kernel, Numba
from .locks import Lock
from .signals import uninterrupted
from .whole import call_whole

Function = TypeVar("Function", bound=Kernel)

_LOG = logging.getLogger("polhode")

try:
    import numba
    from numba.core.codegen import ll as llvm
    from numba.core.compiler import CompileResult
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.runtime import rtsys
    from numba.core.serialize import dumps
    from numba.extending import intrinsic
    from numba.misc.appdirs import AppDirs

    from .inlining import PIPELINE, InlinedFunction, KernelCompiler
    from .lean import import_support_for_arrays, lean

    COMPILED = not numba.config.DISABLE_JIT
except ImportError as error:
    COMPILED = False
    _LOG.warning("nothing can be compiled (%s): the engine runs as plain Python, a hundred times slower or more", error)


# By default numba inserts reference counting, even for values without references. This is a quarter of the time to compile a function of
# tuples.
_OPTIONS = {"error_model": "numpy", "_nrt": False}
_INLINE = {**_OPTIONS, "forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
# kernels call each other by address, without the wrapper for C
_KERNEL = {**_OPTIONS, "nogil": True, "forceinline": False, "no_cfunc_wrapper": True}


_CONSTANTS = {"gyroscopic", "stage", "variables"}


def inlined(function: Function) -> Function:
    """Mark a scalar function that is inlined into each kernel that calls it.

    It is compiled once for all values of an integer, except for those of the arguments in `_CONSTANTS`, each constant value of which thus
    decides what is compiled: the stage of a method.

    Returns:
        The function itself, which runs as plain Python when Python calls it.
    """
    if not COMPILED:
        return function
    # With the compiler's default inlining, the loop over bodies does not vectorise: 61 ns per body were measured instead of 7.5 ns.
    # Wrappers for calls from Python and from C would double the time to compile a kernel.
    # By default the type of a constant contains its value, and numba would compile the function again for each row, and for the first value
    # of each number that a loop counts up: this was a third of all compiled functions.
    marked: Numba = function
    # numba reads this attribute of values used by a compiled function
    marked._numba_type_ = InlinedFunction(function, _INLINE, _CONSTANTS)
    return function


def _nothing(kernel: object, arguments: tuple[object, ...]) -> Kernel | None:
    return None


stand_in_for: Callable[[object, tuple[object, ...]], Callable[..., object] | None] = _nothing
"""Called where Python calls a kernel with arguments of new types; it may return a function to call instead (see `choice`)."""


def _in_plain_python(function: Numba) -> Numba:
    """Return a kernel without compilation, which changes its arrays completely or not at all."""

    @wraps(function)
    def run(*arguments: Any) -> Any:
        return call_whole(function, arguments)

    run.py_func = function  # type: ignore[attr-defined]  # as numba's dispatchers have it
    return run


def kernel(name: str) -> Callable[[Function], Function]:
    """Return a decorator that compiles a function over arrays and caches it on disk under its identity.

    The values of globals and closure variables are read at the first call with arguments of given types. Later changes have no effect until
    the process ends.

    Args:
        name: The name in the log, in file names and in a debugger. It need not be unique.
    """

    def decorate(function: Function) -> Function:
        function.__qualname__ = name
        if not COMPILED:
            return _in_plain_python(function)
        dispatcher = numba.njit(**_KERNEL, pipeline_class=KernelCompiler)(function)
        dispatcher._cache = _KernelCache(function, name, dispatcher.targetoptions)
        compile_here = dispatcher.compile

        def compile_and_unlock(types: Any) -> Any:
            with global_compiler_lock, without_collection(), lean():
                try:
                    return compile_here(types)
                finally:
                    dispatcher._cache.unlock()

        # numba calls this too, at a call with arguments of new types
        dispatcher.compile = lambda types: uninterrupted(lambda: compile_and_unlock(types))
        find = dispatcher._compile_for_args
        # numba calls what this returns
        dispatcher._compile_for_args = lambda *arguments: stand_in_for(dispatcher, arguments) or find(*arguments)
        return dispatcher

    return decorate


@contextmanager
def without_collection() -> Iterator[None]:
    """Let Python not look for garbage meanwhile: numba makes millions of objects that stay, and the search took a tenth of its time."""
    was_enabled = gc.isenabled()
    try:
        gc.disable()
        yield
    finally:
        if was_enabled:
            gc.enable()


def collect_seldom() -> None:
    """Look for garbage if there is much; called between two kernels of many, while Python does not look for it by itself."""
    if gc.get_count()[0] > _MOST_GARBAGE:
        gc.collect()


_MOST_GARBAGE = 2_000_000
"""Number of new objects at which garbage is looked for; a process then has about 700 MB."""


if COMPILED:

    def for_compiled_code(in_python: Callable[..., object]) -> Kernel:
        """Return a decorator that makes an intrinsic, which calls the given function where plain Python calls it."""

        def decorate(definition: Callable[..., Any]) -> Any:
            made = intrinsic(definition)
            kind = type(made)
            changes = {"__module__": kind.__module__, "__call__": staticmethod(in_python), "__slots__": ()}
            made.__class__ = type(kind.__name__, (kind,), changes)
            return made

        return decorate


_LINE = 64
"""Bytes of a cache line."""


def use_widest_vectors(stack_alignment: int = _LINE) -> None:
    """Allow the compiler to use the widest vector registers of the processor; called at the start of a loop over bodies.

    What does not fit into the registers is kept on the stack, which begins at a cache line then. Otherwise each access crosses two lines,
    unless the stack of the process happens to begin well: with `RungeKutta4`, 15 to 18 ns per body per tick instead of always 16 ns. The
    alignment is an argument only so that it belongs to the identity of the loop.

    For many processors the compiler uses half the width by default, which is faster for code with few vector instructions. Here nearly all
    instructions are vector instructions. Measured on such a processor with `RungeKutta4`: 28 ns per body per tick instead of 35 ns, and 30
    ns instead of 41 ns at 10,000 bodies.
    """


if COMPILED:

    @for_compiled_code(use_widest_vectors)
    def use_widest_vectors(typing_context: object) -> Numba:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            # llvmlite rejects attributes of this kind, so the check is bypassed
            set.add(builder.function.attributes, '"prefer-vector-width"="512"')
            builder.function.attributes.alignstack = _LINE
            return context.get_dummy_value()

        return numba.types.none(), generate


def assume_separate_rows() -> None:
    """Promise the compiler that a loop does not read through one array what it writes through another; called at the start of the loop.

    Two arguments may be the same array, if different rows of it are used. Without this promise the compiler compares addresses before the
    loop, and does not vectorise it if there are too many of them. The limit for a field was about nine parameters.
    """


if COMPILED:

    @for_compiled_code(assume_separate_rows)
    def assume_separate_rows(typing_context: object) -> Numba:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            for argument in builder.function.args:
                if argument.type.is_pointer:
                    argument.add_attribute("noalias")
            return context.get_dummy_value()

        return numba.types.none(), generate


def from_column(array: npt.NDArray[np.float64], first: int) -> npt.NDArray[np.float64]:
    """The array without its columns before `first`, for a loop over some of the columns in vectors.

    The compiler makes vectors of a loop over ``range(count)``, but not of one over ``range(first, last)``: there it allows for negative
    indices, which count from the end. In compiled code the last `first` columns of the result do not exist.
    """
    return array[:, first:]


if COMPILED:

    @for_compiled_code(from_column)
    def from_column(typing_context: Numba, array: Numba, first: Numba) -> Numba:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            parts = context.make_array(array)(context, builder, values[0])
            parts.data = builder.gep(parts.data, [values[1]])  # the pitch stays, and with it the number of columns
            return parts._getvalue()

        return array(array, numba.types.intp), generate


def call(address: int, arguments: Arguments) -> int:
    """Call a kernel that returns an integer from another kernel, without inlining it.

    Args:
        address: The address returned by `address_of` for arguments of these types.
        arguments: The tuple of arguments.
    """
    return int((_BOUND.get(address) or _CALLED[address])(*arguments))


_CALLED: dict[int, Kernel] = {}
"""The kernels by address, for calls from plain Python."""
_ADDRESSES: WeakKeyDictionary[object, int] = WeakKeyDictionary()
"""The address of each kernel, by its compiled form."""
_BOUND: WeakValueDictionary[int, Kernel] = WeakValueDictionary()
"""Functions of Python by address, with arguments of their own; they belong to whoever calls them."""


def types_of(*arguments: object) -> Arguments:
    """Return the types for which a kernel that is called with these arguments is compiled."""
    return _together(arguments)[0] if COMPILED else ()


class _Types(Arguments):
    """Types of numba, whose hash is found once: each takes 5 µs, and a joint has kernels with sixty arguments."""

    _hash: int

    def __new__(cls, types: Iterable[Numba]) -> Self:
        self = super().__new__(cls, types)
        self._hash = tuple.__hash__(self)
        return self

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Arguments:
        return tuple, (tuple(self),)


def _together(arguments: tuple[object, ...]) -> tuple[_Types, Numba]:
    """Return the types of arguments, and that of the tuple of them."""
    types = tuple(map(_type_of, arguments))
    key = tuple(map(id, types))
    found = _TOGETHER.get(key)
    if found is None:
        found = _TOGETHER[key] = _Types(types), numba.types.Tuple(types)
    return found


_TOGETHER: dict[tuple[int, ...], tuple[_Types, object]] = {}
"""The types of arguments, by the identities of the types, which the values keep alive."""


def _type_of(argument: object) -> Numba:
    """Return the type of one argument, which is kept because numba takes 20 µs to find that of an array."""
    if hasattr(argument, "_numba_type_"):
        return argument._numba_type_
    if isinstance(argument, tuple):
        return _together(argument)[1]
    if isinstance(argument, np.ndarray):
        key: object = argument.dtype, argument.ndim, argument.flags.num
    else:
        key = type(argument)
    found = _TYPES.get(key)
    if found is None:
        found = _TYPES[key] = numba.typeof(argument)
    return found


_TYPES: dict[object, object] = {}


def compile_for(function: Callable[..., object], types: tuple[object, ...]) -> None:
    """Load a kernel for arguments of these types from the cache, or compile it."""
    if COMPILED and types not in function.overloads:  # type: ignore[attr-defined]
        function.compile(types)  # type: ignore[attr-defined]


def compile_inlined(function: Callable[..., object], types: tuple[object, ...]) -> None:
    """Compile a function marked `inlined` for arguments of these types, without a kernel that calls it."""
    dispatcher: Numba = function._numba_type_.dispatcher  # type: ignore[attr-defined]
    with global_compiler_lock, without_collection(), lean():
        import_support_for_arrays()
        for context in (dispatcher.typingctx, dispatcher.targetctx):
            context.refresh()
        dispatcher.compile(types)


def compile_unless_taken(function: Callable[..., object], types: tuple[object, ...]) -> bool:
    """Load a kernel from the cache or compile it, as `compile_for` does; return False if another process is compiling it."""
    if not COMPILED:
        return True
    cache: Numba = function._cache  # type: ignore[attr-defined]
    with global_compiler_lock:
        cache.waits = False
        try:
            compile_for(function, types)
        except _Taken:
            return False
        finally:
            cache.waits = True
    return True


def is_loaded(function: Callable[..., object], types: tuple[object, ...]) -> bool:
    """Return whether a kernel for arguments of these types is in this process."""
    return not COMPILED or types in function.overloads  # type: ignore[attr-defined]


def can_run(function: Callable[..., object], types: tuple[object, ...]) -> bool:
    """Return whether a kernel can run for arguments of these types without compilation; it is loaded if it is in the cache."""
    return is_loaded(function, types) or uninterrupted(lambda: _load(function, types))


def _load(dispatcher: Numba, types: Arguments) -> bool:
    """Load a kernel from the cache; return whether it was there."""
    with global_compiler_lock:  # another thread may be compiling the same kernel
        dispatcher._cache.compiles = False
        try:
            dispatcher.compile(types)
        except _NotKept:
            return False
        finally:
            dispatcher._cache.compiles = True
    return True


def could_be_faster(function: Callable[..., object]) -> bool:
    """Whether a kernel that was loaded is not for this processor but for any."""
    return COMPILED and function._cache.is_for_any_processor  # type: ignore[attr-defined]


def is_kept(function: Callable[..., object], types: tuple[object, ...]) -> bool:
    """Return whether the cache has a file for a kernel with arguments of these types, without loading it."""
    dispatcher: Numba = function
    return bool(dispatcher._cache.is_kept(types, dispatcher.targetctx))


def can_keep(function: Callable[..., object]) -> bool:
    """Whether the compiled form of a kernel can be written to the cache."""
    return cache_folder(function) is not None


def cache_folder(function: Callable[..., object]) -> Path | None:
    """Return the folder in which the compiled form of a kernel is kept; None if it cannot be kept."""
    source: Numba = getattr(function, "py_func", function)
    return kernel_files.writable(_folders(source))


def engine_folders() -> tuple[Path, ...]:
    """Return the folders in which the kernels of the engine may be kept, best first."""
    return _folders(_key)


def address_of(function: Callable[..., object], types: tuple[object, ...]) -> int:
    """Return the address of a kernel compiled for arguments of these types; it is valid in this process until the process ends."""
    if COMPILED:
        compile_for(function, types)
        compiled = function.overloads[types]  # type: ignore[attr-defined]
        known = _ADDRESSES.get(compiled.library)
        # an exception of a handler would leave a lock of the compiler behind, on which all other threads then wait
        address = uninterrupted(lambda: _look_up(compiled)) if known is None else known
    else:
        function = plain(function)  # the kernel that calls it restores the arrays
        address = id(function)
    _CALLED[address] = function
    return address


def _look_up(compiled: Numba) -> int:
    """Ask the compiler for the address of a compiled kernel, which it is asked for once."""
    address = int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))
    _ADDRESSES[compiled.library] = address
    return address


def without_dispatch(function: Callable[..., object], *arguments: object) -> Kernel:
    """Return the compiled form of a kernel for calls with arguments of these types.

    numba's dispatcher finds the types of the arguments in every call, which takes most of the time where there are many arrays.
    """
    if not COMPILED or not hasattr(function, "overloads"):
        return function
    types = types_of(*arguments)
    compile_for(function, types)
    made: Callable[..., object] = function.overloads[types].entry_point
    return made


def has_address(function: Callable[..., object]) -> bool:
    """Whether a function is a kernel, and not the plain Python function that stands in for one."""
    return not COMPILED or hasattr(function, "overloads")


def address_in_python(function: Callable[..., object]) -> int:
    """Return a number by which `call` finds the plain function of a kernel; only plain Python may call it."""
    source = plain(function)
    _CALLED[id(source)] = source
    return id(source)


def address_of_bound(function: Callable[..., object]) -> int:
    """Return a number by which `call` finds a function while it exists; only plain Python may call it."""
    _BOUND[id(function)] = function
    return id(function)


if COMPILED:

    @for_compiled_code(call)
    def call(typing_context: Numba, address: Numba, arguments: Numba) -> Numba:
        kinds = tuple(numba.types.unliteral(kind) for kind in arguments)

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            convention, parts = context.call_conv, []
            for place, (before, kind) in enumerate(zip(arguments, kinds, strict=True)):
                parts.append(context.cast(builder, builder.extract_value(values[1], place), before, kind))
            pointer = convention.get_function_type(numba.types.int64, kinds).as_pointer()
            function = builder.inttoptr(values[0], pointer)
            # kernels do not raise, so the status is ignored
            _status, result = convention.call_function(builder, function, numba.types.int64, kinds, parts)
            return result

        return numba.types.int64(address, arguments), generate


class _NotKept(Exception):
    """The kernel is not in the cache, and compilation was not allowed."""


class _Taken(Exception):
    """Another process is compiling the kernel, and waiting for it was not allowed."""


_PATIENCE = 60.0
"""Time [s] for which one process waits for another one to compile a kernel; that one may have been stopped."""
_BETWEEN_LOOKS = 0.02
"""Time [s] between two looks at a lock."""


class _KernelCache:
    """The disk cache of one kernel, with the interface that numba calls before and after a compilation.

    A lock in the cache folder lets one process at a time compile a kernel. The others wait for its file and load it.

    Attributes:
        compiles: Whether a kernel that is not in the cache is compiled.
        waits: Whether to wait for a kernel that another process is compiling.
        is_for_any_processor: Whether the kernel loaded last runs on every processor, because there was none for this one.
    """

    compiles = True
    waits = True
    is_for_any_processor = False

    def __init__(self, function: Kernel, name: str, options: dict[str, object]) -> None:
        self._function, self._name, self._options = function, name, options
        self._file_stem = kernel_files.stem(function.__module__, name)
        self._key, self._reason, self._began = b"", "", 0.0
        self._lock: Lock | None = None

    @property
    def cache_path(self) -> str | None:
        return next(map(str, _folders(self._function)), None)

    def enable(self) -> None:
        """Part of numba's interface; the cache is always enabled."""

    def disable(self) -> None:
        """Part of numba's interface; the cache is always enabled."""

    def flush(self) -> None:
        """Part of numba's interface; outdated files are never used, because their key differs."""

    def is_kept(self, signature: Numba, target_context: Numba) -> bool:
        """Return whether a file for this kernel exists, without reading it."""
        key = _key(identity(self._function), self._options, signature, target_context.codegen())
        return kernel_files.exists(_folders(self._function), self._file_stem, key)

    def load_overload(self, signature: Numba, target_context: Numba) -> Numba:
        own_identity, called = survey(self._function)
        self._key = _key(own_identity, self._options, signature, target_context.codegen())
        folders = _folders(self._function)
        keys = [self._key]
        result, unusable = self._load(keys, folders, target_context)
        if result is None and os.environ.get("POLHODE_ANY_PROCESSOR") != "0":
            # a kernel shipped with a program runs at once, on any processor
            keys.append(_key(own_identity, self._options, signature, target_context.codegen(), any_processor=True))
            result, also_unusable = self._load(keys[1:], folders, target_context)
            unusable = unusable or also_unusable
        if result is not None:
            return result
        if not self.compiles:
            raise _NotKept
        if self._take_turn(folders):
            # another process may have written it since
            result, unusable = self._load(keys, folders, target_context)
            if result is not None:
                return result
        self._reason = "not in the cache"
        if unusable:
            self._reason = "the cached code was unusable"
        elif not folders:
            self._reason = "not cached, because its function is not in a file"
        if "compiling" not in _said:
            _say_once("compiling", _announcement(folders, unusable))
        _LOG.debug("compiling kernel %s", self._name)
        import_support_for_arrays()
        _forget_outdated(called)
        # numba derives the names of symbols and constants in the object file from this name; they must differ from those of other kernels
        self._function.__qualname__ = f"{self._name}-{self._key.hex()[:16]}"
        self._began = time.perf_counter()
        return None

    def _load(self, keys: list[bytes], folders: tuple[Path, ...], target_context: object) -> tuple[Numba, bool]:
        """Return the kernel from the first file that has it, or None, and whether any of the files is unusable."""
        unusable = False
        for key in keys:
            code, is_damaged = kernel_files.read(folders, self._file_stem, key)
            unusable = unusable or is_damaged
            if code is None:
                continue
            try:
                # numba would first import all its support for numpy, which only compilation needs. Compiled code needs only the memory
                # manager. The imports take 0.25 s of 0.27 s, and half a second more if scipy is installed.
                rtsys.initialize(target_context)
                result = _loaded(target_context, *pickle.loads(code))
            except Exception:  # the file is intact, but was written where other modules can be imported
                unusable = True
            else:
                self.is_for_any_processor = key != self._key
                return result, unusable
        return None, unusable

    def _take_turn(self, folders: tuple[Path, ...]) -> bool:
        """Let no other process compile this kernel; return whether the lock was taken, which is left to itself after a minute.

        Raises:
            _Taken: If another process compiles it and waiting is not allowed.
        """
        self._lock = kernel_files.lock(folders, self._key)
        if self._lock is None:
            return False
        until = time.monotonic() + _PATIENCE
        while not self._lock.take():
            if not self.waits:
                raise _Taken
            if time.monotonic() > until:
                return False
            time.sleep(_BETWEEN_LOOKS)
        return True

    def unlock(self) -> None:
        """Let other processes compile this kernel, after it has been compiled here or the attempt has failed."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def save_overload(self, signature: Numba, result: Numba) -> None:
        _LOG.info("compiled kernel %s in %.2f s (%s)", self._name, time.perf_counter() - self._began, self._reason)
        self._function.__qualname__ = self._name
        folders = _folders(self._function)
        if not folders or result.lifted or result.library.has_dynamic_globals:
            return
        trouble: str | None
        try:
            code = dumps(result._replace(type_annotation="")._reduce())  # it describes each line in words
            trouble = kernel_files.write(folders, self._file_stem, self._key, code)
        except Exception as error:  # something in the result that cannot be pickled
            trouble = f"{type(error).__name__}: {error}"
        if trouble is not None:
            _say_once("not kept", f"compiled physics kernels cannot be cached for the next start: {trouble}")


def _loaded(
    target_context: Numba, library: tuple[str, str, tuple[bytes, bytes]], described: Numba, *others: object
) -> Numba:
    """Return the compiled form of a kernel from the parts that numba keeps of it.

    One of them is intermediate code, for another function that inlines this one. numba reads it at once, only to know the names in it,
    which takes half of the time to load a kernel. Here it is read when it is asked for: kernels call each other by address.
    """
    name, kind, (machine_code, intermediate) = library
    target_context.codegen()._engine._defined_symbols |= {described.llvm_func_name, described.llvm_cpython_wrapper_name}
    result = CompileResult._rebuild(target_context, (name, kind, (machine_code, _no_code())), described, *others)
    result.library._get_module_for_linking = cache(lambda: llvm.parse_bitcode(intermediate))
    return result


@cache
def _no_code() -> bytes:
    module: bytes = llvm.parse_assembly("").as_bitcode()
    return module


_ANY_PROCESSOR = {"CPU_NAME": "generic", "CPU_FEATURES": ""}
"""Settings of numba for code that runs on every processor of the architecture."""


def is_for_any_processor() -> bool:
    """Whether this process compiles for every processor of the architecture and not for its own."""
    return COMPILED and numba.config.CPU_NAME == _ANY_PROCESSOR["CPU_NAME"]


def _key(
    own_identity: str, options: dict[str, object], signature: object, codegen: Numba, any_processor: bool = False
) -> bytes:
    """Hash the identity, argument types, compiler options, versions and processor, which determine the machine code of a kernel."""
    triple, *processor = codegen.magic_tuple()
    flags = {
        name: str(getattr(numba.config, name, None))
        for name in (
            *("BOUNDSCHECK", "CPU_FEATURES", "CPU_NAME", "DEBUGINFO_DEFAULT", "DISABLE_INTEL_SVML", "ENABLE_AVX"),
            *("LOOP_VECTORIZE", "SLP_VECTORIZE", "USING_SVML"),
        )
    }
    if any_processor or processor == list(_ANY_PROCESSOR.values()):
        processor = list(_ANY_PROCESSOR.values())
        # numba switches AVX off by the name of the processor that runs it; this code has none in any case
        flags |= _ANY_PROCESSOR | {"ENABLE_AVX": ""}
    optimization = numba.config.OPT
    parts = (
        own_identity,
        sorted(options.items()),
        (sorted(_INLINE.items()), PIPELINE),
        str(signature),
        flags,
        (int(optimization), bool(getattr(optimization, "is_opt_max", False))),
        (triple, *processor),
        (numba.__version__, sys.modules["llvmlite"].__version__, np.__version__),
        (sys.implementation.cache_tag, sys.version_info[:2], getattr(sys, "abiflags", "")),
    )
    return hashlib.sha256(repr(parts).encode()).digest()


def _folders(function: Callable[..., object]) -> tuple[Path, ...]:
    """Return the folders in which a compiled function may be cached, best first; none if the function is not in a module's file."""
    module = sys.modules.get(function.__module__)
    if module is None:  # another process could not import it
        return ()
    source = Path(function.__code__.co_filename)
    if not source.is_file():
        # in a frozen program or in an archive, the module specification still has the location
        specification = getattr(module, "__spec__", None)
        if source.name.startswith("<") or specification is None or not specification.has_location:
            return ()
        source = Path(specification.origin)
    if chosen := os.environ.get("POLHODE_CACHE_DIR"):
        folder = Path(chosen)
        return (folder, _users_folder()) if folder.exists() and not _is_writable(folder) else (folder,)
    if numba.config.CACHE_DIR:
        return (Path(numba.config.CACHE_DIR) / "polhode",)
    # not in the tree first: all copies of the engine share the user's folder, and a fresh copy starts with the kernels of the others
    return _users_folder(), source.parent / "__pycache__"


def _users_folder() -> Path:
    return Path(AppDirs(appname="polhode", appauthor=False).user_cache_dir)


@cache
def _is_writable(folder: Path) -> bool:
    """Whether files can be created in a folder; a cache that is shipped with a game may be read-only."""
    return kernel_files.writable((folder,)) is not None


_compiled_from: WeakKeyDictionary[object, str] = WeakKeyDictionary()
"""The identity that each inlined function had when a kernel that calls it was last compiled."""


def _forget_outdated(called: Iterable[Numba]) -> None:
    """Drop the compiled forms of functions that read values which have changed since the compilation.

    numba compiles those values as constants. Otherwise a kernel compiled after a change would use the old values and be cached under the
    identity of the new ones.
    """
    for each in called:
        dispatcher: Numba = getattr(each, "dispatcher", each)
        now = identity(each)
        if dispatcher.overloads and _compiled_from.get(dispatcher) != now:
            dispatcher._make_finalizer()()
            dispatcher._reset_overloads()
            dispatcher._compiler._failed_cache.clear()
        _compiled_from[dispatcher] = now


_said: set[str] = set()


def _say_once(kind: str, text: str) -> None:
    """Log at most one warning of each kind per process."""
    if kind not in _said:
        _said.add(kind)
        _LOG.warning("%s", text)


_DURATION = "4 s for free bodies, up to a minute with joints, contacts or control loops"
"""Of a processor that does nothing else, measured with the examples of the documentation and an empty cache."""


def _announcement(folders: tuple[Path, ...], unusable: bool) -> str:
    cause = "; the cached code was unusable" if unusable else ""
    if not folders:
        kept = "at every start because their functions are not in a file"
    elif (folder := kernel_files.writable(folders)) is None:
        _said.add("not kept")
        kept = f"at every start because no cache folder is writable{cause}"
    else:
        kept = f"only once; kept in {_described(folder)}{cause}"
    return f"compiling the physics kernels ({_DURATION}, {kept})"


def _described(folder: Path) -> str:
    """Name a cache folder without its path, which has no place in a log that a player sends."""
    if (chosen := os.environ.get("POLHODE_CACHE_DIR")) and folder == Path(chosen):
        return "the folder that POLHODE_CACHE_DIR names"
    if numba.config.CACHE_DIR and folder != _users_folder():
        return "the folder that NUMBA_CACHE_DIR names"
    return "the __pycache__ folder of the source" if folder.name == "__pycache__" else "the user's cache folder"


def plain(function: Function) -> Function:
    """Return the Python function of a kernel; a function marked `inlined` is returned unchanged.

    If the components are numpy arrays, the function works on all their elements at once, with the same bits as the kernels. This is valid
    only for functions that consist of + − × ÷. For those that choose between values or take a square root, see `array_forms.over_arrays`.
    """
    source: Function = getattr(function, "py_func", function)
    return source
