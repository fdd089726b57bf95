"""How kernels are compiled, where the result is kept on disk, and what happens without numba.

A compiled loop inlines functions from several files. numba's own disk cache looks only at the file that the loop stands in, and would run
old code after a change in another; here every cached kernel carries a hash of the whole folder instead.
"""

import hashlib
import logging
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, NoReturn, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_LOG = logging.getLogger(__name__.split(".")[0])
_FOLDER = Path(__file__).parent

try:
    import numba
    from numba.core.caching import FunctionCache, IndexDataCacheFile
    from numba.core.runtime import rtsys
    from numba.extending import intrinsic

    COMPILED = not numba.config.DISABLE_JIT
except ImportError:
    COMPILED = False


def inlined(function: Function) -> Function:
    """Mark a scalar function to be compiled into each kernel that calls it; from Python, call `plain` of it."""
    if not COMPILED:
        return function
    # The default inlining of the compiler stops the loop over bodies from vectorising: measured 61 ns a body instead of 7.5. Ways in
    # from Python and from C would double the time to compile a kernel.
    options = {"forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher = numba.njit(error_model="numpy", **options)(function)

    def refuse(*_arguments: object, **_keywords: object) -> NoReturn:
        raise TypeError(
            f"{function.__name__} is compiled into kernels; from Python call compiler.plain({function.__name__})"
        )

    # numba would call the way in that is not there, and crash
    dispatcher._insert, dispatcher._compile_for_args = (lambda *_: None), refuse
    return dispatcher


def kernel(identity: str) -> Callable[[Function], Function]:
    """Compile a function over arrays, cached on disk.

    Args:
        identity: Name that tells this kernel from every other in the folder, constants closed over included. It is the name of
            the cache file: two kernels that differ only in a constant need two names.
    """

    def decorate(function: Function) -> Function:
        function.__qualname__ = identity
        if not COMPILED:
            return function
        dispatcher = numba.njit(error_model="numpy", nogil=True)(function)
        dispatcher._cache = _cache_for(function, identity)
        return dispatcher

    return decorate


def use_widest_vectors() -> None:
    """To be called at the head of a loop over bodies: the compiler may then use all the width there is.

    For many processors it would stop at half, which pays where few instructions are wide; here nearly all are. Measured on one of
    those: 28 ns a body-tick of `RungeKutta4` instead of 35, 30 instead of 41 at 10 000 bodies.
    """


if COMPILED:

    @intrinsic  # type: ignore[untyped-decorator]
    def use_widest_vectors(typing_context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            # llvmlite knows no attributes of this kind and would refuse it
            set.add(builder.function.attributes, '"prefer-vector-width"="512"')
            return context.get_dummy_value()

        return numba.types.none(), generate

    class _KernelCache(FunctionCache):  # type: ignore[misc]
        """Disk cache of one kernel, valid as long as no file of the folder changes."""

        def __init__(self, function: Callable[..., Any], identity: str) -> None:
            super().__init__(function)
            self._identity = identity
            self._cache_file = IndexDataCacheFile(self._cache_path, self._impl.filename_base, source_stamp())

        def _index_key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
            # numba would hash the closed-over functions by an identity that is new in every process.
            return signature, codegen.magic_tuple(), self._identity

        def load_overload(self, signature: Any, target_context: Any) -> Any:
            # numba would first load all that it knows of numpy, for compiling. To run what is compiled only its memory manager is needed,
            # and the rest costs more than all else: 0.25 s of 0.27, and half a second more where scipy is installed.
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                found = self._load_overload(signature, target_context)
                if found is not None:
                    return found
            _say_once(self._cache_path)
            return None


def _cache_for(function: Callable[..., Any], identity: str) -> Any:
    try:
        return _KernelCache(function, identity)
    except RuntimeError:  # no folder can be written: neither beside the source nor the user's cache
        _say_once(None)
        return numba.core.caching.NullCache()


@cache
def source_stamp() -> str:
    """Hash of the source of every kernel: what a cached kernel must have been compiled from."""
    digest = hashlib.sha256()
    for path in sorted(_FOLDER.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def _said() -> list[bool]:
    return []


def _say_once(folder: str | os.PathLike[str] | None) -> None:
    if _said():
        return
    _said().append(True)
    if folder is None:
        _LOG.warning("compiling the physics kernels (a few seconds, at every start: no cache folder can be written)")
    else:
        _LOG.warning("compiling the physics kernels (a few seconds, this once; kept in %s)", folder)


@cache
def plain(function: Function) -> Function:
    """The Python function behind an inlined one, and behind all that it calls.

    Given numpy arrays as components it works on all of them at once, with the same bits as the kernels. For functions of + − × ÷
    alone: not for those that branch on a value or take a square root.
    """
    source: Any = getattr(function, "py_func", function)
    used = {name: source.__globals__[name] for name in source.__code__.co_names if name in source.__globals__}
    replaced = {name: plain(value) for name, value in used.items() if hasattr(value, "py_func")}
    return FunctionType(source.__code__, {**source.__globals__, **replaced}, source.__name__)  # type: ignore[return-value]
