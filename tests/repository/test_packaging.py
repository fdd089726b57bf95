"""What is installed: the wheel in a fresh environment, its second name, its command, its types, and what it says about itself."""

import re
import tarfile
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

import engine

from ..installing import BUILDER, ROOT, build, foreign_project, fresh_environment, requirements_of, wheel_text
from ..lengths import long_run, sized


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The wheel and the sdist."""
    return build(ROOT, tmp_path_factory.mktemp("built"), "wheel", "sdist")


@pytest.fixture(scope="session")
def modules(built):
    """Every module of the package, "" and ".forces.drag"."""
    with ZipFile(built[0]) as archive:
        paths = [Path(name).with_suffix("") for name in archive.namelist() if re.match(r"polhode/.*\.py$", name)]
    dotted = [".".join(path.parts).removesuffix(".__init__").removeprefix("polhode") for path in paths]
    return sorted(name for name in dotted if not name.endswith(".__main__"))


@pytest.fixture(scope="session")
def installed(built, tmp_path_factory):
    """A fresh environment with the wheel, as `pip install polhode` makes it; with `extra`, with the extras demos, plot and campaign."""
    wheel, _ = built
    always = requirements_of(wheel)
    wanted = {one for name in ("demos", "plot", "campaign") for one in requirements_of(wheel, name)}
    extra = sorted(wanted - set(always))
    environment = fresh_environment(tmp_path_factory.mktemp("installed"), always, extra)
    environment.install(wheel)
    return environment


def done(result):
    assert result.returncode == 0, result.stderr
    return result.stdout


# the files


def test_the_wheel_and_the_sdist_are_small(built):
    """Measured 1.65 and 1.45 MB, of which three.js has 0.15; with the pictures and the tests, the sdist would have 6."""
    wheel, sdist = (path.stat().st_size for path in built)
    assert wheel <= 1_750_000 and sdist <= 1_550_000, (wheel, sdist)


def test_the_wheel_has_the_package_its_demos_and_its_second_name(built):
    with ZipFile(built[0]) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert {name.split("/")[0] for name in names} == {"polhode", "engine.py", "engine-stubs"}
    expected = {path.relative_to(ROOT / "engine").as_posix() for path in (ROOT / "engine").rglob("*.py")}
    assert {name.removeprefix("polhode/") for name in names if name.endswith(".py")} >= expected
    assert {"polhode/py.typed", "polhode/demos/tumble.py", "polhode/viewer/shaders/mesh.vert"} <= names
    assert {f"polhode/notebook/{name}" for name in ("flight.min.js", "page.html", "LICENSE-three.txt")} <= names
    assert not any("node_modules" in name or name.startswith("polhode/notebook/source") for name in names)


def test_the_sdist_builds_the_same_wheel(built, tmp_path):
    wheel, sdist = built
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (tree,) = tmp_path.iterdir()
    (again,) = build(tree, tmp_path, "wheel")
    assert again.read_bytes() == wheel.read_bytes()


# what it says about itself


def test_the_version_is_the_same_everywhere(built, installed, tmp_path):
    script = "import polhode, engine, importlib.metadata as m; print(polhode.__version__, engine.__version__, m.version('polhode'))"
    assert done(installed.run("python", "-c", script, folder=tmp_path)).split() == [engine.__version__] * 3
    assert built[0].name.startswith(f"polhode-{engine.__version__}-")


def described(wheel):
    return wheel_text(wheel, "METADATA").partition("\n\n")[2]


def targets(text):
    """What a text in Markdown and HTML links to and shows, outside its code."""
    prose = re.sub(r"(?s)```.*?```|`[^`\n]*`", "", text)
    found = re.findall(r"\]\(\s*([^)\s]*)|^\[[^\]]+\]:\s*(\S+)", prose, flags=re.MULTILINE)
    found += re.findall(r"""\s(src|href|srcset)\s*=\s*["']?([^"'\s>]+)""", prose)
    return [target for pair in found for target in pair if target not in ("", "src", "href", "srcset")]


def test_the_description_leads_to_nothing_that_is_only_in_the_repository(built):
    """There is no public address yet, so pictures and relative links are left out."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert any(not target.startswith("http") for target in targets(readme))
    assert [target for target in targets(described(built[0])) if not target.startswith(("http", "mailto:"))] == []


def test_the_description_keeps_the_words_and_the_code_of_the_readme(built):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"(?s)```python.*?```", readme):
        assert block in described(built[0])
    assert len(described(built[0]).split()) > 0.6 * len(readme.split())


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("![a ship](demos/pictures/tumble.png) turns", " turns"),
        ("[the tick](docs/tick.md), [below](#start)", "the tick, below"),
        ("[![a ship](demos/a.png)](demos/tumble.py)", ""),
        ("[![MIT](https://img.example/mit.svg)](LICENSE)", "![MIT](https://img.example/mit.svg)"),
        ("[![a](https://a.example/b.svg)](https://c.example)", "[![a](https://a.example/b.svg)](https://c.example)"),
        ("[numba](https://numba.pydata.org)", "[numba](https://numba.pydata.org)"),
        ('<a href="demos/tumble.py"><img src="a.png" width="200"></a> tumble', " tumble"),
        ('<a href="https://a.example">a</a>', '<a href="https://a.example">a</a>'),
        ("a <!-- only in the repository -->caption\n\n<!-- everywhere -->\nb", "a b"),
        ('forces["drag"](0.1), found[0](x)', 'forces["drag"](0.1), found[0](x)'),
    ],
)
def test_pictures_and_relative_links_are_taken_out_and_nothing_else(written, becomes):
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["metadata"]
    for rule in settings["hooks"]["fancy-pypi-readme"]["substitutions"]:
        written = re.sub(rule["pattern"], rule["replacement"], written)
    assert written == becomes


# two names, one package

ORDERS = sized([("polhode", "engine")], [("engine", "polhode"), ("polhode", "engine")])

EVERY_MODULE = """
import importlib, sys
first, second, *names = sys.argv[1:]
for name in names:
    one, other = importlib.import_module(first + name), importlib.import_module(second + name)
    assert one is other, name
    assert one.__name__ == one.__spec__.name == "polhode" + name
    for value in vars(one).values():
        assert not str(getattr(value, "__module__", "")).startswith("engine"), value
"""


@pytest.mark.parametrize("order", ORDERS, ids=" ".join)
def test_every_module_is_one_object_under_both_names(order, installed, modules, tmp_path):
    assert len(modules) > 100 and {"", ".forces.drag", ".viewer.hud"} <= set(modules)
    done(installed.run("python", "-W", "error", "-c", EVERY_MODULE, *order, *modules, folder=tmp_path, extra=True))


KEPT = """
import pickle, sys
name = sys.argv[1]
package = __import__(name)
world = package.World(0.01)
world.add_body(package.MassProperties.sphere(1.0, 0.5), name="ball", velocity=(1.0, 2.0, 3.0))
world.step(3)
text = pickle.dumps(world)
assert b"engine" not in text
with open("world.pickle", "wb") as file:
    file.write(text)
"""

FOUND = """
import importlib, inspect, pickle, sys
other = importlib.import_module(sys.argv[1])
with open("world.pickle", "rb") as file:
    world = pickle.load(file)
assert type(world) is other.World and world.tick_count == 3 and world.body("ball").position[2] > 0.0

import engine, engine.rotation, polhode
assert pickle.loads(b"cengine.world\\nWorld\\n.") is polhode.World, "kept by a checkout, whose package is engine"
assert inspect.getmodule(engine.World) is sys.modules["polhode.world"]
assert "class World" in inspect.getsource(engine.World)

kept = engine.rotation
assert importlib.reload(engine.rotation) is kept is polhode.rotation is sys.modules["engine.rotation"]
assert importlib.reload(engine) is engine is polhode
assert importlib.util.find_spec("engine.forces.nothing") is None
try:
    import engine.nothing
except ModuleNotFoundError as error:
    assert error.name == "engine.nothing"
else:
    raise AssertionError
"""


@pytest.mark.parametrize("names", ORDERS, ids=" ".join)
def test_what_was_kept_under_one_name_is_found_under_the_other(names, installed, tmp_path):
    for script, name in zip((KEPT, FOUND), names, strict=True):
        done(installed.run("python", "-W", "error", "-c", script, name, folder=tmp_path))


@pytest.mark.parametrize(
    ("module", "arguments", "said"),
    [
        ("", ["prepare"], "kernels are ready"),
        (".demos", [], "  polhode tumble "),
    ],
)
@long_run
def test_both_names_run_the_same_programs(module, arguments, said, installed, tmp_path):
    results = [
        installed.run("python", "-m", f"{name}{module}", *arguments, folder=tmp_path) for name in ("polhode", "engine")
    ]
    told = [(result.returncode, result.stdout, result.stderr) for result in results]
    assert told[0] == told[1] and said in results[0].stdout + results[0].stderr


# beside a folder of the project's own

BESIDE = """
from polhode import World, rotation
import engine.forces, engine.player
assert engine.forces.owner == engine.player.owner == "the game" and not hasattr(engine, "World")
world = World(dt=0.01)
world.step(2)
print(world.time)
"""


@pytest.mark.parametrize("is_package", [True, False], ids=["a package", "a folder of files"])
def test_a_project_with_an_engine_of_its_own_keeps_it(is_package, installed, tmp_path):
    project = foreign_project(tmp_path / "game", is_package=is_package)
    assert done(installed.run("python", "-W", "error", "-c", BESIDE, folder=project)) == "0.02\n"


REPLACED = """
import sys
from engine import World
for name in [name for name in sys.modules if name.partition(".")[0] == "engine"]:
    del sys.modules[name]
sys.path.insert(0, sys.argv[1])
import engine.forces
assert engine.forces.owner == "the game"
"""


def test_a_package_that_a_program_puts_in_the_place_of_the_second_name_is_left_alone(installed, tmp_path):
    project = foreign_project(tmp_path / "game", is_package=True)
    done(installed.run("python", "-c", REPLACED, project, folder=tmp_path))


def test_a_folder_without_code_does_not_hide_the_second_name(installed, tmp_path):
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "sounds.ogg").touch()
    assert done(installed.run("python", "-c", "from engine import World; print(World.__module__)", folder=tmp_path))


@long_run
def test_the_demos_fly_beside_an_engine_of_the_project(installed, tmp_path):
    """Also with `python -m`, which puts the project first on the path."""
    project = foreign_project(tmp_path / "game", is_package=True)
    options = ["tumble", "--headless", "--frames", "60", "--size", "320x180", "--out"]
    said = done(installed.run("polhode", *options, "a.png", folder=project, extra=True))
    assert "checked: momentum drift" in said
    again = done(installed.run("python", "-m", "polhode.demos", *options, "b.png", folder=project, extra=True))
    assert again.replace("b.png", "a.png") == said


CHILD = """
import time
from polhode.compilation import background, choice, compiler
from polhode.compilation.packed import declared
from polhode.loops.undo import undo
loop = declared(undo)
assert choice.ask([loop])
while background.answered() < 1 and background.is_usable():
    time.sleep(0.01)
assert background.is_usable() and compiler.is_kept(loop.function, loop.types)
"""


def test_the_compiler_process_finds_the_package_beside_an_engine_of_the_project(installed, tmp_path):
    project = foreign_project(tmp_path / "game", is_package=True)
    cache = {"POLHODE_CACHE_DIR": str(tmp_path / "cache")}
    done(installed.run("python", "-c", CHILD, folder=project, compiled=True, **cache))
    assert [path.name for path in (tmp_path / "cache").iterdir() if path.name.startswith("polhode.loops.undo.")]


# the command


@long_run
def test_without_the_extra_the_command_names_it(installed, tmp_path):
    listing = done(installed.run("polhode", folder=tmp_path))
    assert "  polhode tumble " in listing and "python -m" not in listing
    said = done(installed.run("polhode", "tumble", "--headless", "--frames", "2", folder=tmp_path))
    assert 'pip install "polhode[demos]"' in said and (tmp_path / "out" / "tumble-telemetry.png").exists()
    failed = installed.run("polhode", "embed", "--headless", folder=tmp_path)
    assert failed.returncode == 1 and failed.stderr.count("\n") == 1
    assert failed.stderr.startswith("polhode embed: ") and 'pip install "polhode[demos]"' in failed.stderr


# an editable install


@long_run
def test_an_editable_install_has_the_second_name_and_the_command(built, tmp_path):
    wheel, _ = built
    environment = fresh_environment(tmp_path, [*requirements_of(wheel), *BUILDER])
    environment.install("--no-build-isolation", "-e", ROOT)
    script = """if True:
        import sys, polhode, engine, polhode.forces.drag, polhode.demos.scenes.masses, demos.scenes.masses
        assert polhode is engine and polhode.forces.drag is sys.modules["engine.forces.drag"]
        assert polhode.demos.scenes.masses is demos.scenes.masses
        print(engine.World.__module__)
    """
    assert done(environment.run("python", "-W", "error", "-c", script, folder=tmp_path)) == "engine.world\n"
    assert "kernels are ready" in done(environment.run("python", "-m", "polhode", "prepare", folder=tmp_path))
    project = foreign_project(tmp_path / "game", is_package=True)
    assert "  polhode tumble " in done(environment.run("polhode", folder=project))
    failed = environment.run("python", "-c", "import polhode", folder=project)
    assert failed.returncode == 1 and "ImportError: polhode is installed in editable mode" in failed.stderr


# types

PROGRAM = """
import numpy as np
from NAME import Body, MassProperties, World, forces, rotation, scalar

world = World(dt=1 / 120)
ship: Body = world.add_body(MassProperties.box(mass=2.0, size=(1, 2, 3)), angular_velocity_body=(0.3, 0, 0))
main = world.add_force(forces.Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=500.0))


@forces.compiled(parameters=("coefficient",))
def Brake(body: forces.Wrench, time: float, coefficient: float) -> object:
    return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


brake = world.add_force(Brake(coefficient=0.1))


class Wheel:
    evaluate = "tick"

    def apply(self, wrench: forces.Wrench, bodies: forces.BodyStates, time: float) -> None:
        wrench.add(ship, motor_torque_body=np.array((1.0, 0.0, 0.0)))

    def momentum(self) -> float:
        return 1.0


momentum: float = world.add_force(Wheel()).momentum()


@world.add_force
def wind(wrench: forces.Wrench, bodies: forces.BodyStates, time: float) -> None:
    wrench.force_world[:, 0] += 3.0


@world.on_tick
def control(world: World) -> int:
    main.throttle = 1.0
    return world.tick_count


@world.on_tick(every=10)
def guide(world: World) -> int:
    return control(world)


@world.after_tick
def record(world: World) -> float:
    return world.time


@world.after_tick(every=2)
def report(world: World) -> float:
    return record(world)


count: int = control(world) + guide(world)
time: float = record(world) + report(world)
matrix = rotation.to_matrix(ship.interpolated_pose()[1])
turned = scalar.scale(2.0, (1.0, 2.0, 3.0))
world.step(count)
"""

TYPOS = {
    "main.throtle = 1.0": '"Thruster" has no attribute "throtle"; maybe "throttle"?',
    "control(world).upper()": '"int" has no attribute "upper"',
    "guide(1)": 'Argument 1 to "guide" has incompatible type "int"; expected "World"',
    "report(world).upper()": '"float" has no attribute "upper"',
    "world.add_force(3)": '"GivenForce" of "add_force" of "World" cannot be "int"',
    "world.on_tick(lambda: None)": '"on_tick" of "World" cannot be "Callable[[], None]"',
}
"""Lines that must be rejected, each with a part of what is said about it."""


@long_run
def test_mypy_strict_accepts_a_users_program_and_rejects_its_typos(installed, tmp_path):
    for name in ("polhode", "engine"):
        text = PROGRAM.replace("NAME", name) + "\n".join(TYPOS)
        (tmp_path / f"with_{name}.py").write_text(text, encoding="utf-8")
    lines = installed.check_types(tmp_path, "with_polhode.py", "with_engine.py")
    expected = [
        (f"with_{name}.py:{number}: error: ", said)
        for name in ("polhode", "engine")
        for number, said in enumerate(TYPOS.values(), start=PROGRAM.count("\n") + 1)
    ]
    assert len(lines) == len(expected), lines
    for place, said in expected:
        assert any(line.startswith(place) and said in line for line in lines), (place, said, lines)
