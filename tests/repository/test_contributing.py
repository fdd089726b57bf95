"""Files, names and commands that CONTRIBUTING.md mentions exist, and its example method has the order that it names."""

import ast
import copy
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine import MassProperties, NonFiniteStateError, World

from ..helpers import ASYMMETRIC, PATIENCE

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
PROSE = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
PATHS = sorted(set(re.findall(r"`([\w./]+/(?:[\w.]+)?|[\w/]+\.(?:py|md))`", PROSE)))

NAMES = set(re.findall(r"`([A-Za-z]\w*(?:\.\w+)?)`", PROSE)) - {"import", "NUMBA_DISABLE_JIT", "POLHODE_LONG"}


def definitions(path):
    """Every class, function, argument and variable of a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def test_every_file_that_the_page_names_exists():
    """By its path from the root; in the row of the kernels, from its folder."""
    assert len(PATHS) > 50
    assert [p for p in PATHS if not (ROOT / p).exists() and not (ROOT / "engine" / "kernels" / p).is_file()] == []


def test_every_name_on_the_page_is_defined():
    names = {part for name in NAMES if not name.endswith((".py", ".md")) for part in name.split(".")}
    assert len(names) > 15
    for path in (*(ROOT / "engine").rglob("*.py"), *(ROOT / "tests").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if any(name in text for name in names):  # of the names that were not found yet
            names -= set(definitions(path))
    assert names == set()


def test_every_link_and_every_module_of_a_command_exists():
    links, modules = re.findall(r"\]\(([\w/.]+)", PAGE), re.findall(r"python -m ([\w.]+)", PAGE)
    assert links and modules
    assert all((ROOT / link).is_file() for link in links)
    assert all(importlib.util.find_spec(module) for module in modules)
    assert all((ROOT / path).is_file() for path in re.findall(r"tests/\w+/test_\w+\.py", PAGE))


# Where it stands in the files of the page, an example imports by relative paths.
FLIGHT = """
from engine.solutions import FreeAsymmetricTop
from tests.helpers import ASYMMETRIC, SKEW_ORIENTATION, TICKS_A_SECOND, fly
from tests.truth import rotations

rates, method = (0.9, -1.6, 2.2), Runge2()
truth = FreeAsymmetricTop(ASYMMETRIC, rates, SKEW_ORIENTATION).orientations((1.0,))
start = {"inertia_body": ASYMMETRIC, "orientation": SKEW_ORIENTATION, "angular_velocity_body": rates}
coarse, fine = (rotations.angle(fly(method, 1.0 / rate, (1.0,), **start).orientation, truth)[0] for rate in TICKS_A_SECOND[method.order])
print(2.0**method.order, coarse / fine)
"""


def test_the_method_written_out_on_the_page_is_of_the_order_that_it_names():
    """A tumbling body flown by the example, as plain Python: half the tick divides the error by 4, within a tenth."""
    program = EXAMPLES[0].replace("from ..", "from engine.").replace("from .", "from engine.integrators.")
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", program + FLIGHT]
    result = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert result.returncode == 0, result.stderr
    named, measured = map(float, result.stdout.split())
    assert measured == pytest.approx(named, rel=0.1)


def with_wheel(make_wheel):
    """A tumbling body with the wheel of the page, accelerated at 0.4 N·m."""
    world = World(0.01)
    ship = world.add_body(MassProperties(3.0, ASYMMETRIC), angular_velocity_body=(0.3, 1.0, -0.4))
    wheel = world.add_force(make_wheel(0, (0.6, 0.0, 0.8), 0.5, world.dt))
    wheel.torque = 0.4
    return world, ship, wheel


def test_the_reaction_wheel_written_out_on_the_page_keeps_the_momentum_and_its_state_is_the_worlds():
    """In 1.25 s the wheel is full. A tick that fails leaves its momentum, the hash covers it, a copy goes on with it."""
    namespace = {"np": np}
    exec(EXAMPLES[1], namespace)
    world, ship, wheel = with_wheel(namespace["Flywheel"])
    before = ship.angular_momentum_world
    world.step(100)
    assert wheel.momentum == pytest.approx(0.4, abs=1e-12)
    assert np.allclose(ship.stored_momentum_body, 0.4 * np.array((0.6, 0.0, 0.8)), atol=1e-12)
    assert np.abs(ship.angular_momentum_world - before).max() < 1e-14  # measured 1e-15
    copied = copy.deepcopy(world)
    hashed = world.state_hash()
    assert copied.state_hash() == hashed

    @world.add_force
    def spoils(wrench, bodies, time):
        wrench.force_world[0] = np.nan

    with pytest.raises(NonFiniteStateError):
        world.step()
    world.remove_force(spoils)
    assert wheel.momentum == pytest.approx(0.4, abs=1e-12)
    assert world.state_hash() == hashed
    for flying in (world, copied):
        flying.step(100)
    assert world.state_hash() == copied.state_hash() != hashed
    assert wheel.momentum == 0.5
