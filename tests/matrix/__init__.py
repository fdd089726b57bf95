"""The bits of simulated worlds in every environment that is available, `python -m tests.matrix [--worlds N] [--write] [part …]`.

A cell is one environment: a machine, version or setting. In each, some of the worlds of `tests/golden_bits` are simulated and compared with
its table. A world of many bodies on several threads is compared with the same world on one. `--write` writes the table in
`docs/matrix.md`, in which the rows of cells that could not be run stay empty.
"""

import platform
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "matrix.md"


class Cell(NamedTuple):
    """One environment."""

    group: str
    name: str
    environment: Mapping[str, str] = MappingProxyType({})
    options: tuple[str, ...] = ()
    """Options of the interpreter."""
    interpreter: str = sys.executable
    """A Python with numpy and numba, or "" if there is none on this machine."""
    needs: str = ""
    """A flag of the processor without which the cell cannot be run."""


_PLAIN = {"NUMBA_DISABLE_JIT": "1"}
_NO_FMA = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4,-AVX2_Usable,-FMA_Usable"}


def found(name: str) -> str:
    """The path of an interpreter, or "": the folder `.matrix` of the repository may have virtual environments of these names.

    `aarch64` may be a script that sets EMULATOR to the name of an emulator, such as qemu-user, and runs an interpreter with numpy and numba
    for that processor in it.
    """
    own = ROOT / ".matrix" / name / "bin" / "python"
    return str(own) if own.exists() else ""


def _native(machine: str) -> str:
    return sys.executable if platform.machine() == machine else ""


def cells() -> list[Cell]:
    """Every cell, also those that cannot be run here."""
    processor = [
        *(("any x86-64", "generic", ""), ("x86-64", "x86-64", ""), ("sandybridge, without FMA", "sandybridge", "avx")),
        *(("haswell, with FMA", "haswell", "avx2"), ("skylake-avx512", "skylake-avx512", "avx512f")),
    ]
    return [
        Cell("this machine", "as it is"),
        Cell("plain Python", "as it is", _PLAIN),
        Cell("plain Python", "-OO", _PLAIN, ("-OO",)),
        *(
            Cell("version", name, interpreter=found(name))
            for name in (
                *("cpython-3.11", "cpython-3.12", "cpython-3.13", "cpython-3.14"),
                *("numba-0.61", "numba-newest", "numpy-1.26", "numpy-newest"),
            )
        ),
        *(Cell("processor", name, {"NUMBA_CPU_NAME": cpu}, needs=flag) for name, cpu, flag in processor),
        Cell(
            "processor",
            "haswell, its FMA switched off",
            {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "-fma"},
            needs="avx2",
        ),
        *(
            Cell("processor", f"aarch64{how}", variables, interpreter=found("aarch64") or _native("aarch64"))
            for how, variables in (("", {}), (", plain Python", _PLAIN))
        ),
        Cell("compiler", "optimization 0", {"NUMBA_OPT": "0"}),
        Cell("compiler", "no vectorization of loops", {"NUMBA_LOOP_VECTORIZE": "0"}),
        Cell("compiler", "vectorization of statements (SLP)", {"NUMBA_SLP_VECTORIZE": "1"}),
        Cell("compiler", "bounds checks", {"NUMBA_BOUNDSCHECK": "1"}),
        *(Cell("seed of hashes", seed, {**_PLAIN, "PYTHONHASHSEED": seed}) for seed in ("0", "1", "4294967295")),
        *(
            Cell("OpenBLAS kernel", name, {**_PLAIN, "OPENBLAS_CORETYPE": name})
            for name in ("Prescott", "Sandybridge", "Haswell")
        ),
        Cell("C library", "without FMA", {**_PLAIN, **_NO_FMA}),
        Cell("numpy", "without its vector units", {**_PLAIN, "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL"}),
    ]


def flags() -> set[str]:
    """The flags of this processor, where the system says them."""
    path = Path("/proc/cpuinfo")
    words = path.read_text(encoding="utf-8").split() if path.exists() else []
    return set(words)


def can_run(cell: Cell) -> bool:
    """Whether the cell can be run on this machine."""
    return bool(cell.interpreter and shutil.which(cell.interpreter)) and (not cell.needs or cell.needs in flags())
