"""Floating-point modes as other libraries set them, by three bytes of machine code."""

import ctypes
import mmap
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

USUAL = 0x1F80
MODES = {
    "flush-to-zero": 0x8000,
    "denormals-are-zero": 0x0040,
    "both": 0x8040,
    "round down": 0x2000,
    "round up": 0x4000,
    "round towards zero": 0x6000,
}
"""Bits of the control register of SSE, by what they do."""


def _made() -> Callable[[int], None] | None:
    """A function that sets the control register of the thread that calls it; None where that is not possible."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return None
    try:
        page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except (AttributeError, OSError, ValueError):  # Windows, or a system that allows no code in writable memory
        return None
    page.write(b"\x0f\xae\x17\xc3")  # ldmxcsr [rdi]; ret
    code = ctypes.c_char.from_buffer(page)
    load = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.addressof(code))
    load.code = code  # keeps the memory

    def set_mode(bits: int) -> None:
        value = ctypes.c_uint32(USUAL | bits)
        load(ctypes.addressof(value))

    return set_mode


set_mode = _made()
needs_modes = pytest.mark.skipif(set_mode is None, reason="no way to set the floating-point mode here")


@contextmanager
def in_mode(name: str) -> Iterator[None]:
    """Run a block with this thread in a mode."""
    assert set_mode is not None
    set_mode(MODES[name])
    try:
        yield
    finally:
        set_mode(0)
