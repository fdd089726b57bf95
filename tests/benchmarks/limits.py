"""The same ticks in strict C, compiled on the spot, as the limit of the machine."""

import ctypes
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .measure import Contestant, Effort, Figure, rounds, value
from .scenes import DT, Bodies

Array = npt.NDArray[np.float64]

TABLE = "limits"

SOURCE = Path(__file__).with_name("limits.c")
STRICT = ("-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-shared", "-fPIC")
NATIVE = (("-march=native", "-mprefer-vector-width=512"), ("-march=native",), ("-mcpu=native",), ())
"""What a compiler takes differs with compiler and processor: the first that works."""

TICKS = {"rk4": "rk4", "rk4-body-rates": "rk4_body_rates", "semi-implicit-euler": "semi_implicit_euler_ticks"}
"""The functions in C, by the name of the engine's method of the same formulas."""
MEMORY = "touch"

ROWS_READ, ROWS_WRITTEN, ROWS_FETCHED = 41, 26, 13
"""State, wrench, inverse mass, two tensors and stored momentum are read; the state and the one before it are written, and what is
written without having been read is fetched all the same."""
BYTES_A_TICK = 8 * (ROWS_READ + ROWS_WRITTEN + ROWS_FETCHED)

POSITION, ORIENTATION, VELOCITY, RATES = slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13)
_FORCE_WORLD, _FORCE_BODY = slice(26, 29), slice(32, 35)
_INVERSE_MASS, _MOMENTS, _INVERSE_MOMENTS, _ROWS = 38, slice(39, 42), slice(45, 48), 54


@functools.cache
def library() -> ctypes.CDLL | None:
    """The compiled functions; None where there is no C compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        target = Path(folder) / "limits.so"
        for native in NATIVE:
            command = [compiler, *STRICT, *native, "-o", str(target), str(SOURCE), "-lm"]
            if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                return _declared(ctypes.CDLL(str(target)))
    return None


def _declared(found: ctypes.CDLL) -> ctypes.CDLL:
    rows, whole = ctypes.c_void_p, ctypes.c_int64
    for name in (*TICKS.values(), MEMORY):
        function = getattr(found, name)
        function.argtypes, function.restype = (rows, whole, whole, ctypes.c_double, whole), whole
    found.triad.argtypes, found.triad.restype = (rows, rows, rows, ctypes.c_double, whole), None
    return found


class Rows:
    """The bodies as `limits.c` has them: a row a component, a column a body, padded with resting bodies."""

    def __init__(self, bodies: Bodies) -> None:
        self.bodies = bodies
        self.count = (bodies.count + 7) & ~7  # no scalar remainder
        self.array = np.zeros((_ROWS, _pitch(self.count)))
        self.array[_FORCE_WORLD, : bodies.count] = bodies.mass * np.array(bodies.gravity)[:, np.newaxis]
        self.array[_FORCE_BODY, : bodies.count] = np.array((0.0, 0.0, bodies.thrust))[:, np.newaxis]
        self.array[_INVERSE_MASS] = 1.0 / bodies.mass
        self.array[_MOMENTS] = np.array(bodies.moments)[:, np.newaxis]
        self.array[_INVERSE_MOMENTS] = 1.0 / np.array(bodies.moments)[:, np.newaxis]
        self.put_back()

    def put_back(self) -> None:
        """Start anew."""
        self.array[:26] = 0.0
        self.array[ORIENTATION.stop - 1] = 1.0
        self.array[POSITION, : self.bodies.count] = self.bodies.position.T
        self.array[RATES, : self.bodies.count] = self.bodies.angular_velocity_body.T

    def run(self, function: str, ticks: int) -> None:
        """Take ticks."""
        compiled = library()
        assert compiled is not None
        pitch = self.array.shape[1]
        taken = getattr(compiled, function)(self.array.ctypes.data, pitch, self.count, DT, ticks)
        assert taken == ticks, f"{function} is not finite after {taken} ticks"


def contestants(bodies: Bodies, column: str) -> list[Contestant]:
    """Each function in C on these bodies; none where there is no compiler."""
    if library() is None:
        return []
    rows = Rows(bodies)
    names = {f"C: {name}": function for name, function in TICKS.items()} | {"C: reads and writes alone": MEMORY}

    def prepare(function: str) -> None:
        rows.put_back()
        rows.run(function, 1)  # as the engine, whose first tick after a change by hand is not timed

    return [
        Contestant(
            row,
            column,
            functools.partial(rows.run, function),
            functools.partial(prepare, function),
            bodies.count,
        )
        for row, function in names.items()
    ]


def bandwidth(effort: Effort) -> list[Figure]:
    """Memory bandwidth by the triad on arrays far beyond the caches, and the time that a tick's bytes take at it."""
    compiled = library()
    if compiled is None:
        return []
    a, b, c = (np.full(min(16_000_000, 800 * effort.most_bodies), number) for number in (0.0, 1.0, 2.0))

    def run(times: int) -> None:
        for _ in range(times):
            compiled.triad(a.ctypes.data, b.ctypes.data, c.ctypes.data, 3.0, len(a))

    seconds = min(rounds([Contestant("triad", "", run)], effort)[0])
    speed = 4 * a.nbytes / seconds  # two read, one written and fetched before
    return [
        value(TABLE, "memory, triad a = b + 3 c", "", "GB/s", 1e-9 * speed),
        value(TABLE, f"{BYTES_A_TICK} bytes of a body-tick at that", "", "ns", 1e9 * BYTES_A_TICK / speed),
    ]


def _pitch(count: int) -> int:
    """Eight beyond a multiple of 256: rows a power of two apart fight for the same places in the cache."""
    return -(-count // 256) * 256 + 8
