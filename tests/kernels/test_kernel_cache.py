"""Compiled kernels on disk: found again by content, never run from old source, and never the cause of an exception."""

import errno
import importlib
import logging
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from engine.compilation import compiler, kernel_files
from engine.compilation.compiler import COMPILED, kernel, types_of
from engine.compilation.locks import Lock

from ..lengths import long_run

ROOT = Path(__file__).parents[2]
needs_numba = pytest.mark.skipif(not COMPILED, reason="nothing is compiled: numba is missing or switched off")

# Small modules, so that a test waits a tenth of a second for the compiler and not several.

CONSTANTS = "FACTOR = 2.0\n"
FORMULA = """
from engine.compilation.compiler import inlined
import small_constants

@inlined
def grow(x):
    return small_constants.FACTOR * x + 0.1
"""
LOOP = """
from engine.compilation.compiler import kernel
from small_formula import grow

@kernel("small-loop")
def loop(array):
    for i in range(array.shape[0]):
        array[i] = grow(array[i])
"""
MODULES = {"small_constants": CONSTANTS, "small_formula": FORMULA, "small_loop": LOOP}
NUMBERS = np.array([0.1, -0.7, 1e-310, 3e300, 5.0])
EXPECTED = (2.0 * NUMBERS + 0.1).tobytes()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the modules above, which can be imported, and a cache folder beside them."""
    for name, source in MODULES.items():
        (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / "cache"))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(tmp_path):
            del sys.modules[name]


@pytest.fixture
def said(monkeypatch):
    """What the engine logs, as if nothing had been logged in this process yet."""
    messages = []

    class Keep(logging.Handler):
        def emit(self, record):
            messages.append((record.levelname, record.getMessage()))

    logger, handler = logging.getLogger("polhode"), Keep()
    monkeypatch.setattr(compiler, "_said", set())
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    yield messages
    logger.removeHandler(handler)
    logger.setLevel(level)


def warnings(messages):
    return [text for level, text in messages if level == "WARNING"]


def imported(*names):
    """Modules as a new process would import them."""
    importlib.invalidate_caches()
    for name in (*MODULES, *names):
        sys.modules.pop(name, None)
    return [importlib.import_module(name) for name in names]


def fresh_loop():
    """The kernel of `small_loop`, not compiled in this process yet."""
    return imported("small_loop")[0].loop


def result(loop, numbers=NUMBERS):
    array = numbers.copy()
    loop(array)
    return array.tobytes()


def counts(loop):
    """How often a kernel was found in the cache, and how often not."""
    return sum(loop.stats.cache_hits.values()), sum(loop.stats.cache_misses.values())


def files(folder):
    """The names of all files but that of the locks."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != "locks")


def the_file(folder):
    """The only file in a folder, except that of the locks."""
    (path,) = (path for path in folder.iterdir() if path.name != "locks")
    return path


PROGRAM = """
import sys
from importlib import import_module
import numpy
for name in sys.argv[1:]:
    loop = import_module(name).loop
    array = numpy.array([0.1, -0.7, 1e-310, 3e300, 5.0])
    try:
        loop(array)
    except IndexError:
        array[:] = 0.0
    print(array.tobytes().hex(), sum(loop.stats.cache_hits.values()), sum(loop.stats.cache_misses.values()))
"""


def start(folder, *names, program=PROGRAM, **environment):
    """A process that runs kernels from a folder, with the cache that the environment names."""
    unset = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "POLHODE_CACHE_DIR")
    clean = {name: value for name, value in os.environ.items() if name not in unset}
    return subprocess.Popen(
        [sys.executable, "-c", program, *names],
        cwd=folder,
        env={**clean, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    """Per kernel the bits of its result, hits and misses; and the lines that the process logged."""
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    rows = [line.split() for line in output.splitlines()]
    return [(bytes.fromhex(bits), int(hits), int(misses)) for bits, hits, misses in rows], errors.splitlines()


def run(folder, *names, **environment):
    return finish(start(folder, *names, **environment))


def rewrite(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


# found again, and never run from old source


@long_run
@needs_numba
def test_kernels_are_compiled_once_and_never_run_from_old_source(tmp_path):
    """A number changed two modules away is compiled anew; a comment changed in any of them is not."""
    for name, source in MODULES.items():
        (tmp_path / f"{name}.py").write_text(source)
    cache = {"POLHODE_CACHE_DIR": str(tmp_path / "cache")}
    results, lines = run(tmp_path, "small_loop", **cache)
    assert results == [(EXPECTED, 0, 1)]
    assert len(lines) == 1
    assert "compiling the physics kernels" in lines[0]
    assert "kept in the folder that POLHODE_CACHE_DIR names" in lines[0]
    assert len(files(tmp_path / "cache")) == 1
    assert not (tmp_path / "__pycache__").exists()

    rewrite(tmp_path / "small_formula.py", "@inlined", "# A comment\n\n@inlined")
    rewrite(tmp_path / "small_loop.py", "    for i", "    # Another comment\n    for i")
    assert run(tmp_path, "small_loop", **cache) == ([(EXPECTED, 1, 0)], [])

    rewrite(tmp_path / "small_constants.py", "2.0", "3.0")
    results, lines = run(tmp_path, "small_loop", **cache)
    assert results == [((3.0 * NUMBERS + 0.1).tobytes(), 0, 1)]
    assert len(lines) == 1

    rewrite(tmp_path / "small_constants.py", "3.0", "2.0")
    assert run(tmp_path, "small_loop", **cache) == ([(EXPECTED, 1, 0)], [])


@needs_numba
def test_a_constant_changed_in_another_module_counts_after_a_reload(folder):
    loop = fresh_loop()
    assert result(loop) == EXPECTED
    assert counts(loop) == (0, 1)
    rewrite(folder / "small_constants.py", "2.0", "3.0")
    for name in MODULES:
        importlib.reload(sys.modules[name])
    loop = sys.modules["small_loop"].loop
    assert result(loop) == (3.0 * NUMBERS + 0.1).tobytes()
    assert counts(loop) == (0, 1)
    importlib.reload(sys.modules["small_loop"])  # nothing changed: found
    loop = sys.modules["small_loop"].loop
    assert result(loop) == (3.0 * NUMBERS + 0.1).tobytes()
    assert counts(loop) == (1, 0)


@needs_numba
def test_a_kernel_made_after_a_change_is_not_put_together_from_older_parts(folder):
    """numba keeps what it compiled of `grow`, with the constant of that time; it would go to disk under the new constant's identity."""
    old = fresh_loop()
    assert result(old) == EXPECTED
    sys.modules["small_constants"].FACTOR = 3.0
    new = kernel("small-loop")(old.py_func)
    assert result(new) == (3.0 * NUMBERS + 0.1).tobytes()
    sys.modules["small_constants"].FACTOR = 2.0
    again = kernel("small-loop")(old.py_func)
    assert result(again) == EXPECTED
    assert counts(again) == (1, 0)
    sys.modules["small_constants"].FACTOR = 3.0
    assert result(old) == EXPECTED  # a kernel keeps the values of its first call
    assert len(files(folder / "cache")) == 2


FACTORY = """
from engine.compilation.compiler import kernel

def made(factor):
    @kernel("made")
    def loop(array):
        for i in range(array.shape[0]):
            array[i] = factor * array[i]
    return loop
"""


@needs_numba
def test_two_kernels_of_one_name_in_two_modules_never_share_code(folder):
    for name, number in (("one_module", 2.0), ("other_module", 5.0)):
        (folder / f"{name}.py").write_text(LOOP.replace("grow(array[i])", f"{number} * grow(array[i])"))
    for expected in ((0, 1), (1, 0)):
        one, other = imported("one_module", "other_module")
        assert result(one.loop) == (2.0 * (2.0 * NUMBERS + 0.1)).tobytes()
        assert result(other.loop) == (5.0 * (2.0 * NUMBERS + 0.1)).tobytes()
        assert counts(one.loop) == counts(other.loop) == expected


@long_run
@needs_numba
def test_two_kernels_of_one_name_in_one_module_never_share_code(folder):
    """Each compiled in a process of its own, so that numba numbers them alike, and then both loaded into one."""
    (folder / "factory.py").write_text(FACTORY)
    for name, number in (("double", 2.0), ("triple", 3.0)):
        (folder / f"{name}.py").write_text(f"from factory import made\nloop = made({number})\n")
    double, triple = (2.0 * NUMBERS).tobytes(), (3.0 * NUMBERS).tobytes()
    cache = {"POLHODE_CACHE_DIR": str(folder / "cache")}
    first, second = start(folder, "double", **cache), start(folder, "triple", **cache)
    assert finish(first)[0] == [(double, 0, 1)]
    assert finish(second)[0] == [(triple, 0, 1)]
    assert run(folder, "double", "triple", **cache) == ([(double, 1, 0), (triple, 1, 0)], [])


@needs_numba
def test_two_lambdas_on_one_line_are_two_kernels(folder):
    (folder / "lambdas.py").write_text(
        "from engine.compilation.compiler import inlined, kernel\n"
        "one, other = inlined(lambda x: x + 1.0), inlined(lambda x: x + 2.0)\n"
        "add_one, add_two = kernel('k')(lambda a: one(a[0])), kernel('k')(lambda a: other(a[0]))\n"
    )
    for expected in ((0, 1), (1, 0)):
        (lambdas,) = imported("lambdas")
        assert lambdas.add_one(np.zeros(1)) == 1.0
        assert lambdas.add_two(np.zeros(1)) == 2.0
        assert counts(lambdas.add_one) == counts(lambdas.add_two) == expected


@needs_numba
def test_kernels_and_formulas_in_sub_folders(folder):
    for path in ("package/kernels/deep", "package/formulas/deep"):
        (folder / path).mkdir(parents=True)
    (folder / "package/formulas/deep/numbers.py").write_text("NUMBER = 4.0\n")
    (folder / "package/kernels/deep/loops.py").write_text(
        "from engine.compilation.compiler import kernel\n"
        "from ...formulas.deep import numbers\n"
        "@kernel('deep')\n"
        "def loop(array):\n"
        "    array[0] = numbers.NUMBER\n"
    )
    name = "package.kernels.deep.loops"
    for number, expected in ((4.0, (0, 1)), (4.0, (1, 0)), (6.0, (0, 1))):
        (folder / "package/formulas/deep/numbers.py").write_text(f"NUMBER = {number}\n")
        for module in [module for module in sys.modules if module.startswith("package")]:
            del sys.modules[module]
        (loops,) = imported(name)
        array = np.zeros(1)
        loops.loop(array)
        assert array[0] == number
        assert counts(loops.loop) == expected
    assert len(files(folder / "cache")) == 2


@needs_numba
def test_a_function_without_a_file_is_compiled_and_not_kept(folder, said):
    space = {"__name__": "small_loop"}
    imported("small_loop")
    exec(LOOP, space)
    assert result(space["loop"]) == EXPECTED
    assert counts(space["loop"]) == (0, 1)
    assert not (folder / "cache").exists()
    assert len(warnings(said)) == 1
    assert "not in a file" in said[-1][1]


@needs_numba
def test_a_file_that_is_not_a_module_is_compiled_and_not_kept(folder):
    """Another process could not import what its kernels refer to."""
    space = {"__name__": "no_module_of_this_name"}
    imported("small_loop")
    exec(compile(LOOP, folder / "small_loop.py", "exec"), space)
    assert result(space["loop"]) == EXPECTED
    assert not (folder / "cache").exists()


@needs_numba
def test_other_argument_types_are_kept_beside(folder):
    for expected in ((0, 2), (2, 0)):
        loop = fresh_loop()
        assert result(loop) == EXPECTED
        every_other = np.repeat(NUMBERS, 2)[::2]
        loop(every_other)
        assert every_other.tobytes() == EXPECTED
        assert counts(loop) == expected
    assert len(files(folder / "cache")) == 2


# compiler flags


@long_run
@needs_numba
def test_bounds_are_checked_on_request_with_a_warm_cache_too(tmp_path):
    """The kernel reads one number beyond a view; the array behind the view has it."""
    (tmp_path / "beyond.py").write_text(
        "from engine.compilation.compiler import kernel\n"
        "@kernel('reads-beyond')\n"
        "def beyond(array):\n"
        "    array[0] = array[array.shape[0]]\n"
        "class Loop:\n"
        "    stats = property(lambda self: beyond.stats)\n"
        "    def __call__(self, array):\n"
        "        beyond(array[:3])\n"
        "loop = Loop()\n"
    )
    cache = {"POLHODE_CACHE_DIR": str(tmp_path / "cache")}
    read = np.array([3e300, *NUMBERS[1:]]).tobytes()
    raised = np.zeros(5).tobytes()
    assert run(tmp_path, "beyond", **cache)[0] == [(read, 0, 1)]
    assert run(tmp_path, "beyond", **cache, NUMBA_BOUNDSCHECK="1")[0] == [(raised, 0, 1)]
    assert run(tmp_path, "beyond", **cache, NUMBA_BOUNDSCHECK="1")[0] == [(raised, 1, 0)]
    assert run(tmp_path, "beyond", **cache)[0] == [(read, 1, 0)]


@needs_numba
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BOUNDSCHECK", 1),
        ("DEBUGINFO_DEFAULT", 1),
        ("LOOP_VECTORIZE", 0),
        ("SLP_VECTORIZE", 1),
        ("OPT", 1),
        ("CPU_NAME", "generic"),
        ("CPU_FEATURES", "-fma"),
        ("ENABLE_AVX", 0),
    ],
)
def test_flags_that_change_the_code_are_part_of_the_key(monkeypatch, name, value):
    import numba
    from numba.core.registry import cpu_target

    codegen = cpu_target.target_context.codegen()

    def key(identity="an identity", signature="(float64,)", **options):
        return compiler._key(identity, options, signature, codegen)

    before = key()
    assert key() == before
    assert len({before, key("another"), key(signature="(float32,)"), key(fastmath=True)}) == 4
    monkeypatch.setattr(numba.config, name, value)
    assert key() != before


@needs_numba
def test_a_kernel_from_the_cache_is_inlined_where_another_function_calls_it(folder):
    """Its intermediate code is read only for that."""
    assert result(fresh_loop()) == EXPECTED
    loop, read = fresh_loop(), []
    parse = compiler.llvm.parse_bitcode

    def counted(code):
        read.append(len(code))
        return parse(code)

    @compiler.numba.njit
    def twice(array):
        loop(array)
        loop(array)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler.llvm, "parse_bitcode", counted)
        assert result(loop) == EXPECTED and counts(loop) == (1, 0)
        assert max(read) < 2000
        assert result(twice) == result(loop, np.frombuffer(EXPECTED))
        assert max(read) > 2000


# whatever goes wrong on disk


def kept(folder, name="name", key=b"k" * 32, code=b"code" * 100):
    """The file of one kernel, written into an empty folder."""
    assert kernel_files.write([folder], name, key, code) is None
    (path,) = folder.iterdir()
    return path


def test_of_1000_damaged_files_none_is_read(tmp_path):
    """Cut anywhere, one bit changed anywhere, bytes added, garbage, empty, the file of another kernel."""
    key, code = b"k" * 32, bytes(range(256)) * 4
    path = kept(tmp_path, key=key, code=code)
    whole = path.read_bytes()
    assert kernel_files.read([tmp_path], "name", key) == (code, False)
    generator = random.Random(14)
    damaged = [b"", b"\0", whole + b"\0", whole[1:], b"\0" * len(whole), generator.randbytes(len(whole))]
    other = tmp_path / "other"
    damaged.append(kept(other, key=b"l" * 32, code=code).read_bytes())
    while len(damaged) < 400:
        damaged.append(whole[: generator.randrange(len(whole))])
    while len(damaged) < 1000:
        bit = generator.randrange(8 * len(whole))
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        damaged.append(bytes(changed))
    for content in damaged:
        path.write_bytes(content)
        assert kernel_files.read([tmp_path], "name", key) == (None, True)
    assert kernel_files.write([tmp_path], "name", key, code) is None
    assert kernel_files.read([tmp_path], "name", key) == (code, False)


@needs_numba
@pytest.mark.parametrize("damage", ["empty", "cut", "a bit", "whole, but of something else"])
def test_a_damaged_file_is_compiled_anew_and_replaced(folder, said, damage):
    assert result(fresh_loop()) == EXPECTED
    path = the_file(folder / "cache")
    whole = path.read_bytes()
    if damage == "empty":
        path.write_bytes(b"")
    elif damage == "cut":
        path.write_bytes(whole[:-100])
    elif damage == "a bit":
        middle = len(whole) // 2
        path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 8]) + whole[middle + 1 :])
    else:
        mark = len(kernel_files._MARK) + 32
        name, key = path.name[: -len("-.kernel") - 32], whole[mark : mark + 32]
        assert kernel_files.write([path.parent], name, key, b"not what numba wrote") is None
    said.clear()
    compiler._said.clear()
    loop = fresh_loop()
    assert result(loop) == EXPECTED
    assert counts(loop) == (0, 1)
    assert len(warnings(said)) == 1
    assert "unusable" in warnings(said)[0]
    again = fresh_loop()
    assert result(again) == EXPECTED
    assert counts(again) == (1, 0)


@needs_numba
@pytest.mark.parametrize("room", [0, 1000])
def test_a_full_disk_is_logged_once_and_used_once_there_is_room(folder, said, monkeypatch, room):
    """With no room at all, and with room for a small file but for no kernel."""
    used = 0

    class Full:
        def __init__(self, path, mode):
            self.file = open(path, mode)

        def __enter__(self):
            return self

        def __exit__(self, *error):
            self.file.close()

        def write(self, content):
            nonlocal used
            self.file.write(content[: room - used])
            used += len(content)
            if used > room:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(kernel_files, "open", Full, raising=False)
    for _ in range(2):
        loop = fresh_loop()
        assert result(loop) == EXPECTED
        assert counts(loop) == (0, 1)
    assert files(folder / "cache") == []
    assert len(warnings(said)) == (1 if room == 0 else 2)
    if room == 0:
        assert "no cache folder is writable" in warnings(said)[0]
    else:
        assert os.strerror(errno.ENOSPC) in warnings(said)[1]
    monkeypatch.undo()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(folder / "cache"))
    assert result(fresh_loop()) == EXPECTED
    assert counts(fresh_loop()) == (0, 0)
    loop = fresh_loop()
    assert result(loop) == EXPECTED
    assert counts(loop) == (1, 0)


@needs_numba
def test_what_cannot_be_pickled_is_not_kept(folder, said, monkeypatch):
    def refuse(value):
        raise TypeError("cannot pickle this")

    monkeypatch.setattr(compiler, "dumps", refuse)
    assert result(fresh_loop()) == EXPECTED
    assert "cannot pickle this" in warnings(said)[1]


@long_run
@needs_numba
def test_a_folder_that_cannot_be_written_works_with_the_one_of_the_source_and_without_any(tmp_path):
    """A file in the place of each cache folder stops even a superuser from writing there."""
    for name, source in MODULES.items():
        (tmp_path / f"{name}.py").write_text(source)
    home, beside = tmp_path / "home", tmp_path / "__pycache__"
    user = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "LOCALAPPDATA": str(home)}
    results, lines = run(tmp_path, "small_loop", **user)
    assert results == [(EXPECTED, 0, 1)]
    assert len(lines) == 1
    assert "kept in the user's cache folder" in lines[0]
    assert len(files(home)) == 1
    assert not beside.exists()
    assert run(tmp_path, "small_loop", **user) == ([(EXPECTED, 1, 0)], [])

    nowhere = tmp_path / "nowhere"
    nowhere.write_text("not a folder")
    user = dict.fromkeys(user, str(nowhere / "x"))
    results, lines = run(tmp_path, "small_loop", **user)
    assert results == [(EXPECTED, 0, 1)]
    assert len(lines) == 1
    assert "kept in the __pycache__ folder of the source" in lines[0]
    shipped = beside.rename(tmp_path / "elsewhere")

    beside.write_text("not a folder")
    results, lines = run(tmp_path, "small_loop", **user)
    assert results == [(EXPECTED, 0, 1)]
    assert len(lines) == 1
    assert "no cache folder is writable" in lines[0]

    # a folder that cannot be written is read all the same, as one that was shipped with a game
    beside.unlink()
    shipped.rename(beside)
    assert run(tmp_path, "small_loop", **user) == ([(EXPECTED, 1, 0)], [])


@long_run
@needs_numba
def test_what_a_shipped_folder_lacks_is_kept_in_the_users_folder(tmp_path):
    for name, source in MODULES.items():
        (tmp_path / f"{name}.py").write_text(source)
    home, shipped = tmp_path / "home", tmp_path / "shipped"
    shipped.write_text("cannot be written, even by a superuser")
    user = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "LOCALAPPDATA": str(home)}
    results, lines = run(tmp_path, "small_loop", POLHODE_CACHE_DIR=str(shipped), **user)
    assert results == [(EXPECTED, 0, 1)]
    assert "kept in the user's cache folder" in lines[0]
    assert run(tmp_path, "small_loop", POLHODE_CACHE_DIR=str(shipped), **user) == ([(EXPECTED, 1, 0)], [])


@long_run
@needs_numba
def test_processes_at_once_compile_each_kernel_once(tmp_path):
    for name, source in MODULES.items():
        (tmp_path / f"{name}.py").write_text(source)
    cache = {"POLHODE_CACHE_DIR": str(tmp_path / "cache")}
    processes = [start(tmp_path, "small_loop", **cache) for _ in range(6)]
    compiled = 0
    for results, lines in map(finish, processes):
        ((bits, hits, misses),) = results
        assert bits == EXPECTED
        assert hits + misses == 1
        assert len(lines) == misses
        compiled += misses
    assert compiled == 1
    assert len(files(tmp_path / "cache")) == 1
    assert run(tmp_path, "small_loop", **cache) == ([(EXPECTED, 1, 0)], [])


HOLD = """
import sys
from pathlib import Path
from engine.compilation.locks import Lock
lock = Lock(Path(sys.argv[1]), int(sys.argv[2]))
print(lock.take(), flush=True)
sys.stdin.read()
"""


@contextmanager
def held(folder, number):
    """A lock that another process has."""
    command = [sys.executable, "-c", HOLD, str(folder), str(number)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "True\n"
        try:
            yield process
        finally:
            process.kill()


def test_one_process_at_a_time_has_a_lock_and_the_system_releases_it(tmp_path):
    own, other = Lock(tmp_path, 5), Lock(tmp_path, 6)
    with held(tmp_path, 5) as owner:
        assert not own.take()
        assert other.take()
        other.release()
        owner.kill()
        owner.wait()
        assert own.take()
        own.release()


def test_where_nothing_can_be_locked_nobody_waits(tmp_path):
    assert Lock(tmp_path / "no such folder", 5).take()


@needs_numba
def test_a_kernel_that_another_process_compiles_is_awaited_and_loaded(folder, monkeypatch):
    """The file appears while the other process has the lock; it is loaded once the lock is free."""
    loop = fresh_loop()
    assert result(loop) == EXPECTED
    path = the_file(folder / "cache")
    code, key = path.read_bytes(), loop._cache._key
    path.unlink()
    looks = []

    def look(seconds):
        looks.append(seconds)
        path.write_bytes(code)
        owner.kill()
        owner.wait()

    monkeypatch.setattr(compiler.time, "sleep", look)
    with held(folder / "cache", int.from_bytes(key[:8], "big")) as owner:
        loop = fresh_loop()
        assert result(loop) == EXPECTED
    assert counts(loop) == (1, 0)
    assert len(looks) == 1


@needs_numba
def test_nobody_waits_for_ever_for_a_process_that_was_stopped(folder, monkeypatch):
    loop = fresh_loop()
    assert result(loop) == EXPECTED
    the_file(folder / "cache").unlink()
    monkeypatch.setattr(compiler, "_PATIENCE", -1.0)
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("it goes on waiting"))
    with held(folder / "cache", int.from_bytes(loop._cache._key[:8], "big")):
        loop = fresh_loop()
        assert not compiler.compile_unless_taken(loop, types_of(NUMBERS))
        assert result(loop) == EXPECTED
    assert counts(loop) == (0, 1)
    assert loop._cache._lock is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders on this system")
@pytest.mark.parametrize("kind", ["pipe", "endless", "folder", "large", "of another user"])
def test_what_is_no_file_of_a_kernel_is_skipped_and_replaced(tmp_path, kind, monkeypatch):
    path = tmp_path / kernel_files._file_name("name", b"k" * 32)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "endless":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        assert kernel_files.write([tmp_path], "name", b"k" * 32, b"code") is None
    if kind == "large":
        os.truncate(path, kernel_files._MOST_BYTES + 1)
    elif kind == "of another user":
        fstat, stat_of = os.fstat, os.stat
        monkeypatch.setattr(os, "fstat", lambda file: owned(fstat(file)))
        monkeypatch.setattr(os, "stat", lambda path, **options: owned(stat_of(path, **options)))
    assert kernel_files.read([tmp_path], "name", b"k" * 32) in ((None, True), (None, False))
    assert not kernel_files.exists([tmp_path], "name", b"k" * 32)
    monkeypatch.undo()
    if kind == "folder":
        return
    assert kernel_files.write([tmp_path], "name", b"k" * 32, b"code") is None
    assert kernel_files.read([tmp_path], "name", b"k" * 32) == (b"code", False)


def owned(status):
    """What is known of a file, as if an ordinary user had it."""
    return os.stat_result([*status[:4], 1234, *status[5:10]])


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no modes on this system")
def test_the_folder_is_made_for_its_owner_alone_and_an_existing_one_keeps_its_mode(tmp_path):
    (tmp_path / "given").mkdir(mode=0o755)
    for name, mode in (("made", 0o700), ("given", 0o755)):
        assert kernel_files.write([tmp_path / name], "name", b"k" * 32, b"code") is None
        assert (tmp_path / name).stat().st_mode & 0o777 == mode


@needs_numba
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 on this system")
def test_a_process_killed_while_writing_leaves_no_half_of_a_kernel(folder):
    die = "import os, signal\nos.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)\n"
    cache = {"POLHODE_CACHE_DIR": str(folder / "cache")}
    process = start(folder, "small_loop", program=die + PROGRAM, **cache)
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGKILL
    left = the_file(folder / "cache")
    assert left.suffix == ".tmp"
    loop = fresh_loop()
    assert result(loop) == EXPECTED
    assert counts(loop) == (0, 1)
    assert left.exists()  # for all that is known its process is still writing
    os.utime(left, (0.0, 0.0))
    sys.modules["small_constants"].FACTOR = 3.0
    result(kernel("small-loop")(loop.py_func))
    assert not left.exists()


def test_of_one_kernel_the_files_used_last_are_kept(tmp_path):
    """No more than the limit; reading counts as use; kernels of other names stay."""
    limit = kernel_files._MOST_FILES
    keys = [bytes([number]) * 32 for number in range(limit + 8)]
    names = ["loop", "loop-1", "a.loop", "loop-" + "a" * 32]
    for name in names[1:]:
        assert kernel_files.write([tmp_path], name, keys[0], b"another") is None
    began = time.time() - 1000.0
    for number, key in enumerate(keys[:limit]):
        assert kernel_files.write([tmp_path], "loop", key, b"code") is None
        os.utime(tmp_path / kernel_files._file_name("loop", key), (began + number, began + number))
    assert kernel_files.read([tmp_path], "loop", keys[0]) == (b"code", False)
    for key in keys[limit:]:
        assert kernel_files.write([tmp_path], "loop", key, b"code") is None
    left = [key for key in keys if kernel_files.read([tmp_path], "loop", key)[0]]
    assert left == [keys[0], *keys[9:]]
    for name in names[1:]:
        assert kernel_files.read([tmp_path], name, keys[0]) == (b"another", False)


def test_a_whole_file_under_the_name_of_another_key_is_damaged(tmp_path):
    """Names have half of the key."""
    keys = [bytes([number]) * 32 for number in range(2)]
    assert kernel_files.write([tmp_path], "loop", keys[0], b"code") is None
    (path,) = tmp_path.iterdir()
    path.rename(tmp_path / kernel_files._file_name("loop", keys[1]))
    assert kernel_files.read([tmp_path], "loop", keys[1]) == (None, True)


def test_file_names_are_safe_and_tell_long_names_apart():
    assert kernel_files.stem("a.b", "held-rk4-264") == "a.b.held-rk4-264"
    assert kernel_files.stem("a", "<lambda>/../ü") == "a._lambda_.._"
    one, other = (kernel_files.stem("a", "x" * 300 + end) for end in "yz")
    assert one != other
    assert max(len(one), len(other)) <= 120


@needs_numba
def test_each_compilation_is_logged_with_its_seconds_and_without_paths(folder, said):
    result(fresh_loop())
    path = the_file(folder / "cache")
    path.unlink()
    result(fresh_loop())
    result(fresh_loop())
    levels, texts = zip(*said, strict=True)
    assert levels == ("WARNING", "INFO", "INFO")
    assert all(str(folder) not in text for text in texts)
    for text in texts[1:]:
        assert text.startswith("compiled kernel small-loop in 0.")
        assert text.endswith("s (not in the cache)")


@needs_numba
def test_numbas_own_cache_variable_is_followed(folder, monkeypatch):
    import numba

    monkeypatch.delenv("POLHODE_CACHE_DIR")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(folder / "numba"))
    assert result(fresh_loop()) == EXPECTED
    assert len(files(folder / "numba")) == 1


def test_a_kernel_runs_as_plain_python_or_compiled_to_the_same_bits(folder):
    assert result(fresh_loop()) == EXPECTED
