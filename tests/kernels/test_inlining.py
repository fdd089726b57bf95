"""The pipeline for inlined functions."""

import subprocess
import sys

import pytest

from engine.compilation.compiler import COMPILED, inlined, kernel

from .test_kernels import needs_numba

if COMPILED:
    from numba.core.types import BaseFunction


@inlined
def powers(x):
    """1 + x + x² + x³ + x⁴ + x⁵, by many operations of the same types."""
    y = x * x
    z = y * x
    return 1.0 + x + y + z + y * y + y * z


@needs_numba
def test_numba_looks_once_for_the_type_of_an_operation(monkeypatch):
    looked_for = []
    look = BaseFunction.get_call_type

    def counted(self, context, arguments, named):
        if type(context).__name__ == "_Typing":
            looked_for.append((self, arguments))
        return look(self, context, arguments, named)

    monkeypatch.setattr(BaseFunction, "get_call_type", counted)

    @kernel("powers")
    def call(x, y):
        return powers(x) + powers(y)

    assert call(2.0, 3.0) == pytest.approx(63.0 + 364.0)
    assert len(looked_for) == len(set(looked_for)) <= 2


@needs_numba
def test_what_cannot_be_typed_is_an_error_every_time():
    @inlined
    def wrong(x):
        return x * "metre"

    for number in range(2):

        @kernel(f"wrong-{number}")
        def call(x):
            return wrong(x)

        with pytest.raises(Exception, match="No implementation of function Function"):
            call(2.0)


def test_an_engine_that_cannot_compile_says_so():
    """Numba is missing, or a version of it has other parts than those that the engine uses."""
    program = (
        "import sys; sys.modules['numba'] = None\n"
        "import engine\n"
        "world = engine.World(0.5); world.step(3); print(world.time)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "1.5\n"
    assert ran.stderr.startswith("nothing can be compiled (")
    assert ran.stderr.endswith("): the engine runs as plain Python, a hundred times slower or more\n")
    assert "numba" in ran.stderr
