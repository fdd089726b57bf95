"""What a user gets: the wheel and the sdist, and fresh environments with nothing in them but what the package says it needs."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

from packaging.requirements import Requirement

import engine

from .helpers import PATIENCE

ROOT = Path(engine.__file__).parent.parent

BUILDER = ["hatchling", "hatch-fancy-pypi-readme"]
"""What `pip install -e` needs in an environment that has no index to fetch it from."""


def build(tree, folder, *targets):
    """Build a wheel, an sdist or both, from a tree into a folder; returns the paths in the order of the targets."""
    chosen = [word for target in targets for word in ("-t", target)]
    told = _run([sys.executable, "-m", "hatchling", "build", *chosen, "-d", str(folder)], tree, dict(os.environ))
    assert told.returncode == 0, told.stderr
    return [next(folder.glob(pattern)) for pattern in ({"wheel": "*.whl", "sdist": "*.tar.gz"}[t] for t in targets)]


@dataclass(frozen=True)
class Environment:
    """A virtual environment without pip, and a folder with the packages that only an extra needs."""

    folder: Path
    extra: Path

    @property
    def python(self):
        return self._program("python")

    def _program(self, name):
        return sysconfig.get_path("scripts", "venv", {"base": str(self.folder)}) + os.sep + name

    def install(self, *what):
        """Install with the pip of the running Python, without dependencies and without an index."""
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", self.python]
        told = _run(
            [*pip, "install", "-q", "--no-deps", "--no-index", "--no-compile", *map(str, what)],
            self.folder,
            dict(os.environ),
        )
        assert told.returncode == 0, told.stderr

    def check_types(self, folder, *files):
        """What the mypy of the running Python says about a user's files in a folder, line by line."""
        mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--hide-error-codes", "--no-error-summary"]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        told = _run([*mypy, "--python-executable", self.python, *files], folder, environment)
        assert not told.stderr, told.stderr
        return told.stdout.splitlines()

    def run(self, program, *arguments, folder, extra=False, compiled=False, **variables):
        """Run a program of this environment in a folder, without compilation unless that is what is tested."""
        environment = {
            **{
                name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "POLHODE", "NUMBA"))
            },
            "POLHODE_CACHE_DIR": str(self.folder / "cache"),
            "NUMBA_DISABLE_JIT": "0" if compiled else "1",
            **({"PYTHONPATH": str(self.extra)} if extra else {}),
            **variables,
        }
        return _run([self._program(program), *map(str, arguments)], folder, environment)


def fresh_environment(folder, requirements=(), extra=()):
    """An environment in which exactly these packages of the running Python, and what they require, can be imported.

    The packages are linked and not installed again, which takes a tenth of a second where numba alone has 20 MB.

    Args:
        folder: Where to make it.
        requirements: What is always there.
        extra: What is there for `run(…, extra=True)`.
    """
    venv.create(folder / "environment", symlinks=True)
    for name, wanted in (("always", requirements), ("extra", extra)):
        (folder / name).mkdir()
        for path in _files_of(wanted):
            if not (folder / name / path.name).exists():
                (folder / name / path.name).symlink_to(path)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder / "environment")}))
    (packages / "always.pth").write_text(str(folder / "always"), encoding="utf-8")
    return Environment(folder / "environment", folder / "extra")


def requirements_of(wheel, extra=""):
    """What a wheel says that it needs, with one of its extras."""
    told = wheel_text(wheel, "METADATA")
    wanted = [Requirement(line.partition(": ")[2]) for line in told.splitlines() if line.startswith("Requires-Dist: ")]
    return [
        str(Requirement(f"{one.name}{one.specifier}"))
        for one in wanted
        if one.marker is None or one.marker.evaluate({"extra": extra})
    ]


def wheel_text(wheel, name):
    """A text of a wheel's metadata."""
    with ZipFile(wheel) as archive:
        (path,) = (path for path in archive.namelist() if path.endswith(f".dist-info/{name}"))
        return archive.read(path).decode("utf-8")


def _files_of(requirements):
    """The folders and modules of these distributions and of those that they require."""
    waiting, seen = [Requirement(text) for text in requirements], set()
    while waiting:
        one = waiting.pop()
        if one.name in seen:
            continue
        seen.add(one.name)
        found = metadata.distribution(one.name)
        assert found.version in one.specifier, f"{one} is required, {found.version} is installed"
        for file in {path.parts[0] for path in found.files if path.parts[0] not in ("..", "__pycache__")}:
            yield Path(found.locate_file(file))
        inner = (Requirement(text) for text in found.requires or ())
        waiting += [each for each in inner if each.marker is None or each.marker.evaluate({"extra": ""})]


def foreign_project(folder, *, is_package):
    """A game with a folder `engine` of its own, with or without an `__init__.py`."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "engine").mkdir(parents=True)
    for name in ("player.py", "forces.py"):
        (folder / "engine" / name).write_text("owner = 'the game'\n", encoding="utf-8")
    if is_package:
        (folder / "engine" / "__init__.py").write_text("owner = 'the game'\n", encoding="utf-8")
    return folder


def _run(command, folder, environment):
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE
    )
