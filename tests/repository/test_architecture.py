"""The architecture: which module may import which, what the packages export, and that the folder works under any name."""

import ast
import functools
import graphlib
import importlib
import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import engine

from ..helpers import PATIENCE
from ..lengths import long_run
from ..sources import nodes_of, tree_of

ENGINE = Path(engine.__file__).parent
ROOT = ENGINE.parent
MODULES = sorted(path.relative_to(ENGINE) for path in ENGINE.rglob("*.py"))

WITH_NUMBA = (
    "compilation/compiler.py",
    "compilation/inlining.py",
    "compilation/inference.py",
    "compilation/lean.py",
    "compilation/lowering.py",
    "compilation/packed.py",
    "compilation/products.py",
    "compilation/trial.py",
)
"""The files that may import numba, which is optional."""

INNER = ("compilation", "kernels", "loops")
"""Folders that users never see."""

WITHIN_A_FUNCTION = {"solids/mesh_files.py": {"trimesh"}, "saving/recorder.py": {"pandas"}}
"""The files that may import optional packages inside the function that needs them: a reader of mesh formats, and tables for statistics.
`import engine` neither needs them nor waits for them."""

OPTIONAL = {
    "viewer": {"pygame", "moderngl", "pyrr", "av"},
    "solutions": {"scipy"},
    "plot": {"scipy", "matplotlib"},
    "campaign": {"pyarrow", "tqdm", "matplotlib"},
}
"""The folders that may import optional dependencies, and these. Nothing else in the engine imports the folders."""

FLOORS = {
    "compilation": ["compilation"],
    "mathematics": ["kernels"],
    "loops": ["collision", "constraints", "loops"],
    "arguments and functions": [
        "checks",
        "clock",
        "formulas",
        "html_table",
        "plain",
        "reading",
        "rotation",
        "scalar",
        "solids",
    ],
    "state": ["store"],
    "methods, forces, joints and flight": ["flight", "forces", "integrators", "joints", "shapes"],
    "the tick": ["tick"],
    "what users hold": [
        "body",
        "contacts",
        "diagnostics",
        "notebook",
        "viewer",
        "saving",
        "second_name",
        "plot",
        "queries",
        "solutions",
        "world",
        "",
        "__main__",
        "command_line",
    ],
    "batches": ["batch"],
    "campaigns": ["campaign"],
}
"""The floors of the engine from the ground up, with their folders and files; a module imports from its own floor and from those below. The
package itself is "". """


def dotted(path):
    """`forces/drag.py` -> "forces.drag", `forces/__init__.py` -> "forces"."""
    parts = list(path.with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def names_of_modules():
    return {dotted(path) for path in MODULES}


@functools.cache
def imports(path):
    """(level, module, names) of each import of a file, also for type checkers alone."""
    found = []
    for node in nodes_of(tree_of(path)):
        if isinstance(node, ast.Import):
            found += [(0, alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.level, node.module or "", [alias.name for alias in node.names]))
    return found


@functools.cache
def inner_imports(relative):
    """Modules of the engine that a file of it imports, also for type checkers alone."""
    package = list(relative.parts[:-1])
    found = set()
    for level, module, names in imports(ENGINE / relative):
        if level == 0:
            continue
        base = package[: len(package) - (level - 1)] + (module.split(".") if module else [])
        for name in names:
            inner = ".".join([*base, name])
            found.add(inner if inner in names_of_modules() else ".".join(base))
    return found - {dotted(relative)}


def foreign_imports(relative):
    """Packages that a file of the engine imports and may not."""
    outer = {module.split(".")[0] for level, module, _ in imports(ENGINE / relative) if level == 0}
    allowed = sys.stdlib_module_names | {"numpy"} | ({"numba"} if relative.as_posix() in WITH_NUMBA else set())
    allowed |= OPTIONAL.get(relative.parts[0], set()) | WITHIN_A_FUNCTION.get(relative.as_posix(), set())
    return outer - allowed


def offenders(paths, found_in):
    """What breaks a rule in each of these files, for those in which something does."""
    return {str(path): found for path in paths if (found := found_in(path))}


def test_the_engine_imports_numpy_numba_the_standard_library_and_itself_by_relative_paths():
    assert len(MODULES) > 100
    assert offenders(MODULES, foreign_imports) == {}


def test_nothing_in_the_engine_imports_the_folders_with_optional_dependencies():
    optional = set(OPTIONAL)
    others = [relative for relative in MODULES if relative.parts[0] not in optional]
    assert offenders(others, lambda path: {name.split(".")[0] for name in inner_imports(path)} & optional) == {}


@pytest.mark.parametrize("path", WITHIN_A_FUNCTION)
def test_some_optional_packages_are_imported_only_when_they_are_needed(path):
    tree = tree_of(ENGINE / path)
    at_once = " ".join(ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))
    assert not any(name in at_once for name in WITHIN_A_FUNCTION[path])


def floor_of(module):
    """The number of a module's floor; None where it has none."""
    top = module.split(".")[0]
    return next((number for number, names in enumerate(FLOORS.values()) if top in names), None)


def test_imports_run_downwards():
    assert [str(relative) for relative in MODULES if floor_of(dotted(relative)) is None] == []
    assert offenders(MODULES, upward_imports) == {}


def test_no_import_is_for_type_checkers_alone():
    assert offenders(MODULES, lambda path: "TYPE_CHECKING" in (ENGINE / path).read_text(encoding="utf-8")) == {}


def upward_imports(relative):
    """Modules that a file imports from a higher floor."""
    own = floor_of(dotted(relative))
    return {name for name in inner_imports(relative) if floor_of(name) > own}


def test_every_name_on_a_floor_is_there():
    placed = [name for names in FLOORS.values() for name in names]
    assert len(placed) == len(set(placed))
    assert set(placed) == {dotted(path).split(".")[0] for path in MODULES}


def test_methods_and_forces_do_not_know_each_other():
    for relative in MODULES:
        if relative.parts[0] in ("integrators", "forces"):
            other = {"integrators": "forces", "forces": "integrators"}[relative.parts[0]]
            assert not any(name.split(".")[0] == other for name in inner_imports(relative))


def test_no_imports_run_in_circles():
    graphlib.TopologicalSorter({dotted(path): inner_imports(path) for path in MODULES}).prepare()


def test_what_is_kept_of_a_world_is_given_by_those_who_own_it():
    """Few private attributes of other objects are read where worlds are kept."""
    found = [
        node.attr
        for path in (ENGINE / "saving").glob("*.py")
        for node in nodes_of(tree_of(path))
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr != "_replace"  # of a named tuple
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    ]
    assert 10 < len(found) < 40, sorted(found)


def test_methods_do_not_know_each_other():
    """A method is one file: what several of them need is in `kernels`, `loops` or a base class."""
    shared = {"integrator", "splitting", "compiled_forces", "named", "", "extrapolated"}
    for relative in MODULES:
        if relative.parts[0] == "integrators" and relative.name not in ("__init__.py", "named.py"):
            others = {name.split(".")[1] for name in inner_imports(relative) if name.startswith("integrators.")}
            assert others <= shared, relative


@pytest.mark.parametrize("folder", ["engine", "demos", "tests"])
def test_drawing_libraries_stay_behind_the_border(folder):
    """pygame, moderngl and pyrr are imported under engine/viewer and nowhere else (tests may look at them there).

    One file is to be copied into games, and shows pygame beside the engine: `demos/embed.py`.
    """
    drawing = {"pygame", "moderngl", "pyrr"}
    for path in sorted((ROOT / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not any(name in text for name in drawing):  # most files need not be parsed
            continue
        inside = {module.split(".")[0] for _, module, _ in imports(path)} & drawing
        behind = (ROOT / "engine" / "viewer") in path.parents or (folder == "tests" and path.name.startswith("test_"))
        behind |= path == ROOT / "demos" / "embed.py" and inside == {"pygame"}
        assert not inside or behind, f"{path.relative_to(ROOT)} imports {inside}"


# the demos: the viewer, above it the scenes, above them the demos and the commands

SHOWN_TO_SCENES = ("demos.physics", "demos.scenes", "demos.meshes", "demos.drawing")
"""What the scenes may import of the demos: plain data, and nothing that knows a window or OpenGL."""

ROOMS = ("picture", "files", "meshes", "hud", "gl", "run", "worlds")
"""The folders of the viewer from the ground up; a module imports from its own folder and from those below."""

INTERFACES = ("", "drawing", "internals", "running")
"""The modules of the viewer that programs import, above all folders."""

VIEWER = ROOT / "engine" / "viewer"


def imports_of_demos(source, package):
    """Dotted names under `demos` that a module of this package imports, wherever in the file and in whatever form."""
    return imports_under("demos", source, package)


def imports_under(top, source, package):
    """Dotted names under a package that a module of this package imports, wherever in the file and in whatever form."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: -(node.level - 1) or None] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            # `from demos import tumble` names a module, `from demos.scenes.fleet import Fleet` a class in one; both lie in the same place
            found |= {f"{module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            name = ast.unparse(node.args[0]).lstrip("f").strip("'\"")
            level = len(name) - len(name.lstrip("."))
            above = package.split(".")[: -(level - 1) or None] if level else []
            found.add(".".join([*above, name[level:]]))
    return {name for name in found if name.split(".")[0] == top}


def lies_in(name, packages):
    return any(name == package or name.startswith(f"{package}.") for package in packages)


@pytest.mark.parametrize(
    ("folder", "known"), [("meshes", ("demos.drawing", "demos.meshes")), ("scenes", SHOWN_TO_SCENES)]
)
def test_the_scenes_and_the_craft_know_no_window(folder, known):
    for path in sorted((ROOT / "demos" / folder).rglob("*.py")):
        package = ".".join(path.relative_to(ROOT).parent.parts)
        others = {
            name for name in imports_of_demos(path.read_text(encoding="utf-8"), package) if not lies_in(name, known)
        }
        assert not others, f"{path.relative_to(ROOT)} imports {others}"


def test_the_demos_use_the_public_interface_of_the_viewer_alone():
    """But for the one that is copied into games. What their two modules of the viewer offer is documented on the site."""
    demos = [path for path in (ROOT / "demos").glob("*.py") if "def main" in path.read_text(encoding="utf-8")]
    assert len(demos) > 10
    for path in demos:
        names = imports_of_demos(path.read_text(encoding="utf-8"), "demos")
        inside = {name for name in names if lies_in(name, ("demos.internals", "demos.commands"))}
        assert not inside or path.stem in ("embed", "__main__"), f"{path.name} imports {inside}"
    for name in ("drawing", "running"):
        lines = (ROOT / "demos" / f"{name}.py").read_text(encoding="utf-8")
        assert imports_under("engine", lines, "demos") == {f"engine.viewer.{name}.*"}
        assert f'"engine.viewer.{name}"' in (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")


def imports_of_the_viewer():
    """Modules of the viewer, each with the modules of the viewer that it imports; both without "engine.viewer."."""
    found = {}
    for path in sorted(VIEWER.rglob("*.py")):
        package = ".".join(path.relative_to(ROOT).parent.parts)
        names = imports_under("engine", path.read_text(encoding="utf-8"), package)
        assert not imports_of_demos(path.read_text(encoding="utf-8"), package)
        inner = {name.removeprefix("engine.viewer.") for name in names if name.startswith("engine.viewer.")}
        found[dotted(path.relative_to(VIEWER))] = {
            name if name in known_in_viewer() else name.rpartition(".")[0] for name in inner
        }
    return found


@functools.cache
def known_in_viewer():
    return {dotted(path.relative_to(VIEWER)) for path in VIEWER.rglob("*.py")}


def test_imports_in_the_viewer_run_downwards_from_room_to_room():
    assert {path.name for path in VIEWER.iterdir() if (path / "__init__.py").exists()} == set(ROOMS)
    for module, inner in imports_of_the_viewer().items():
        room = module.split(".")[0]
        above = () if module in INTERFACES else ROOMS[ROOMS.index(room) + 1 :] if room in ROOMS else ROOMS
        assert not {name for name in inner if name.split(".")[0] in above}, module


def test_no_imports_of_the_viewer_run_in_circles():
    # a package that imports its modules is known to them by its name alone
    found = {module: inner - {module.rpartition(".")[0]} for module, inner in imports_of_the_viewer().items()}
    assert sum(map(len, found.values())) > 100
    graphlib.TopologicalSorter(found).prepare()


def test_one_room_of_the_viewer_imports_moderngl():
    for path in VIEWER.rglob("*.py"):
        if path.parent.name != "gl":
            assert "moderngl" not in {module for _, module, _ in imports(path)}, path


@pytest.mark.parametrize(
    ("statement", "imported"),
    [
        ("import demos", "demos"),
        ("import demos.tumble as ship", "demos.tumble"),
        ("from demos import tumble", "demos.tumble"),
        ("def draw():\n    from demos import tumble", "demos.tumble"),
        ("from demos.tumble import Tumble", "demos.tumble.Tumble"),
        ("from demos.scenes import fleet", "demos.scenes.fleet"),
        ("from .. import tumble", "demos.tumble"),
        ("from ..scenes.fleet import Fleet", "demos.scenes.fleet.Fleet"),
        ("if TYPE_CHECKING:\n    from demos.scenes.fleet import Fleet", "demos.scenes.fleet.Fleet"),
        ("importlib.import_module('demos.tumble')", "demos.tumble"),
        ("import_module(f'demos.{name}')", "demos.{name}"),
        ("__import__('demos.tumble')", "demos.tumble"),
        ("import_module('..tumble', __package__)", "demos.tumble"),
        ("import_module(f'..{name}', __package__)", "demos.{name}"),
    ],
)
def test_no_form_of_import_hides_a_demo(statement, imported):
    assert imports_of_demos(statement, "demos.commands") == {imported}
    assert not lies_in(imported, ("demos.commands",))


def test_imports_within_a_folder_are_told_from_those_of_demos():
    for statement in ("from demos.commands import doctor", "from .doctor import main", "from . import doctor"):
        (name,) = imports_of_demos(statement, "demos.commands")
        assert lies_in(name, ("demos.commands",))
    assert not imports_of_demos("import engine\nfrom numpy import array\nimport_module(package)", "demos.commands")


DEMOS = sorted((ROOT / "demos").rglob("*.py"))


def absolute_imports(source):
    """Dotted names that a file imports by absolute paths, wherever in the file and in whatever form."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            found.add(ast.unparse(node.args[0]).lstrip("f").strip("'\""))
    return {name for name in found if not name.startswith(".")}


def test_four_modules_of_the_demos_name_the_engine_and_none_names_the_demos():
    """Installed, they are `polhode.demos` in `polhode`: only relative imports find them there."""
    names = {"demos", "engine", "polhode"}
    found = offenders(
        DEMOS, lambda path: {name.split(".")[0] for name in absolute_imports(path.read_text(encoding="utf-8"))} & names
    )
    modules = ("drawing", "internals", "physics", "running")
    assert found == {str(ROOT / "demos" / f"{name}.py"): {"engine"} for name in modules}


@pytest.mark.parametrize(
    ("statement", "imported"),
    [
        ("import engine", {"engine"}),
        ("def draw():\n    from engine.forces import Thruster", {"engine.forces"}),
        ("import demos.tumble as ship", {"demos.tumble"}),
        ("import_module(f'demos.{name}')", {"demos.{name}"}),
        ("__import__('engine')", {"engine"}),
        ("from . import tumble", set()),
        ("from ..physics import World", set()),
        ("import_module(f'.{name}', __package__)", set()),
    ],
)
def test_no_form_of_absolute_import_is_overlooked(statement, imported):
    assert absolute_imports(statement) == imported


DEMOS_INSIDE = """
import sys
from polhode.demos import tumble, physics
from polhode.viewer.run import headless

assert "engine" not in sys.modules and "demos" not in sys.modules
assert physics.World is sys.modules["polhode"].World
print("\\n".join(tumble.check(frames=2)))
"""


@long_run
def test_the_demos_work_inside_the_package_of_the_engine_under_another_name(tmp_path):
    """As they are installed: `polhode.demos`, beside a foreign package `engine`."""
    skipped = shutil.ignore_patterns("__pycache__", "pictures")
    shutil.copytree(ENGINE, tmp_path / "polhode", ignore=skipped)
    shutil.copytree(ROOT / "demos", tmp_path / "polhode" / "demos", ignore=skipped)
    (tmp_path / "engine.py").write_text("raise ImportError('this engine is foreign')", encoding="utf-8")
    result = run_apart(tmp_path, "-c", DEMOS_INSIDE)
    assert result.returncode == 0, result.stderr
    assert "momentum drift" in result.stdout
    listing = run_apart(tmp_path, "-m", "polhode.demos")
    assert listing.returncode == 0 and "tumble" in listing.stdout


def run_apart(folder, *arguments):
    """Python in a process of its own in a folder, without the repository on its path and without compilation."""
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": "", "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


# the shop window


@pytest.mark.parametrize("name", ["engine", "engine.flight", "engine.forces", "engine.integrators", "engine.joints"])
def test_what_a_package_offers_is_what_it_has(name):
    """`__all__` is sorted, holds what is there, and nothing public but submodules is left out."""
    package = importlib.import_module(name)
    offered = package.__all__
    assert len(set(offered)) == len(offered)
    assert all(hasattr(package, entry) for entry in offered)
    public = {
        entry
        for entry, value in vars(package).items()
        if not entry.startswith("_") and not inspect.ismodule(value) and entry not in ("Callable", "Any")
    }
    assert public <= set(offered)


PUBLIC_FOLDERS = {"batch", "campaign", "notebook", "plot", "shapes", "solutions", "viewer"}
"""Public packages that `import engine` does not import."""


def test_type_checkers_find_every_public_module_under_the_second_name():
    modules = {name for name in engine.__all__ if inspect.ismodule(getattr(engine, name))} | PUBLIC_FOLDERS
    assert all((ENGINE / name / "__init__.py").exists() for name in PUBLIC_FOLDERS)
    stubs = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "aliases" / "engine-stubs").glob("*.pyi")}
    assert set(stubs) - {"__init__"} == modules
    assert all(stubs[name] == f"from polhode.{name} import *\n" for name in modules)


def test_a_star_import_gives_the_public_names():
    namespace = {}
    exec("from engine import *", namespace)
    assert set(engine.__all__) <= set(namespace)
    for name in (
        "World",
        "Body",
        "MassProperties",
        "Clock",
        "NonFiniteStateError",
        "forces",
        "integrators",
        "joints",
        "rotation",
    ):
        assert name in engine.__all__


def public_things(module):
    """(name, thing) of each public function, class, method and property made in a module."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(value):
            yield name, value
            for inner, member in vars(value).items():
                function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                if not inner.startswith("_") and inspect.isfunction(function):
                    yield f"{name}.{inner}", getattr(value, inner)
        elif inspect.isfunction(value):
            yield name, value


def test_everything_public_has_a_docstring():
    """Its own, or the one of the method that it fills in."""
    assert offenders([path for path in MODULES if path.parts[0] not in INNER], without_docstrings) == {}


def without_docstrings(relative):
    """The names of what is public in a file and has no docstring."""
    module = importlib.import_module(".".join(["engine", *filter(None, [dotted(relative)])]))
    bare = [
        name for name, thing in public_things(module) if not inspect.getdoc(thing) and not _is_protocol(module, name)
    ]
    return bare if module.__doc__ else [module.__name__, *bare]


def _is_protocol(module, name):
    return getattr(getattr(module, name.split(".")[0]), "_is_protocol", False)


def test_every_file_of_kernels_says_what_it_is_for():
    inner = [path for path in MODULES if path.parts[0] in INNER]
    silent = [str(path) for path in inner if not ast.get_docstring(tree_of(ENGINE / path))]
    assert silent == []


MOST_LINES = 60
"""The lines of code that a function may have in `MIDDLE`."""
MIDDLE = ("collision", "constraints", "tick")
"""The folders through which most changes of a tick go."""


def test_no_constant_of_a_module_is_bound_twice():
    """A second one of the same name would silently take the place of the first, which may be a row of another array."""
    assert offenders(MODULES, constants_bound_twice) == {}


def constants_bound_twice(relative):
    """The constants of a file that its statements bind more than once."""
    statements = tree_of(ENGINE / relative).body
    names = [
        name.id
        for statement in statements
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for name in ast.walk(statement)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store) and name.id.strip("_").isupper()
    ]
    return sorted({name for name in names if names.count(name) > 1})


def test_functions_in_the_middle_are_short():
    assert offenders([path for path in MODULES if path.parts[0] in MIDDLE], long_functions) == {}


def long_functions(relative):
    """The functions of a file that are too long, with their lines of code: no blank lines, comments or docstrings."""
    source = (ENGINE / relative).read_text("utf-8")
    functions = [node for node in nodes_of(tree_of(ENGINE / relative)) if isinstance(node, ast.FunctionDef)]
    return [(each.name, lines) for each in functions if (lines := lines_of_code(each, source)) > MOST_LINES]


def test_a_type_of_joint_is_a_short_class():
    assert offenders([path for path in MODULES if path.parts[0] == "joints"], long_types_of_joints) == {}


def long_types_of_joints(relative):
    """The classes of a file that name their number in `constraints.layout` and are too long."""
    source = (ENGINE / relative).read_text("utf-8")
    tree = tree_of(ENGINE / relative)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    types = [each for each in classes if any("_type: ClassVar[int] =" in ast.unparse(line) for line in each.body)]
    return [(each.name, lines) for each in types if (lines := lines_of_code(each, source)) > MOST_LINES]


def lines_of_code(node, source):
    """How many lines of a function or a class are code."""
    nodes = [each for each in ast.walk(node) if isinstance(each, ast.FunctionDef | ast.ClassDef)]
    texts = [each.body[0] for each in nodes if ast.get_docstring(each)]
    described = {line for text in texts for line in range(text.lineno, text.end_lineno + 1)}
    lines = [(number, line.strip()) for number, line in enumerate(source.splitlines(), 1)]
    own = [line for number, line in lines if node.lineno <= number <= node.end_lineno and number not in described]
    return sum(bool(line) and not line.startswith("#") for line in own)


def test_lines_of_code_are_counted_without_what_describes_them():
    inner = '    def inner():\n        """The same."""\n        return 1\n'
    source = f'def outer():\n    """What it does.\n\n    More.\n    """\n    # why\n\n{inner}    return inner\n'
    assert lines_of_code(ast.parse(source).body[0], source) == 4


# under another name

FLIGHT = """
import sys
import flight
from flight.forces import LinearDrag, Thruster

assert "engine" not in sys.modules
world = flight.World(0.01)
ship = world.add_body(flight.MassProperties.box(2.0, (1.0, 2.0, 3.0)), angular_velocity_body=(0.3, 5.0, 0.2))
main = world.add_force(Thruster(ship, position=(0, 1, 0), direction=(0, 0, 1), max_force=1.0))
main.throttle = 0.5
world.step(3)
world.add_force(LinearDrag(0.1))
world.step(2)
assert "engine" not in sys.modules
print(world.state_hash())
"""


def test_the_folder_works_copied_under_another_name(tmp_path):
    """Many a game has a folder `engine` of its own."""
    shutil.copytree(ENGINE, tmp_path / "flight", ignore=shutil.ignore_patterns("__pycache__"))
    # numba compiles nothing here: that copied kernels compile is held elsewhere, and this is the same source
    result = run_apart(tmp_path, "-c", FLIGHT)
    assert result.returncode == 0, result.stderr
    own = (
        FLIGHT.replace("flight", "engine")
        .replace('assert "engine" not in sys.modules\n', "")
        .replace("print(", "hash_of = (")
    )
    namespace = {}
    exec(own, namespace)
    assert int(result.stdout) == namespace["hash_of"]


_OPERATIONS = ("all_or_nothing", "_all_or_nothing", "trial", "ending_with")


def operations_entered_elsewhere(tree):
    """The lines at which an operation of the store is made but not entered there and once, as in ``with store.all_or_nothing():``."""
    entered = set()
    for node in nodes_of(tree):
        if isinstance(node, ast.With):
            entered |= {id(item.context_expr) for item in node.items if item.optional_vars is None}
        if isinstance(node, ast.FunctionDef) and node.name == "_all_or_nothing":  # passes one on to be entered
            entered |= {id(call) for call in ast.walk(node)}
    return [
        node.lineno
        for node in nodes_of(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _OPERATIONS and id(node) not in entered
    ]


def test_operations_that_are_undone_whole_are_entered_where_they_are_made():
    """While the function that has entered one runs, the operation goes on; after that it is undone."""
    assert offenders(MODULES, lambda path: operations_entered_elsewhere(tree_of(ENGINE / path))) == {}


def test_an_operation_that_is_not_entered_where_it_is_made_is_found():
    assert operations_entered_elsewhere(ast.parse("with store.all_or_nothing():\n    pass\n")) == []
    for elsewhere in (
        "with (change := store.all_or_nothing()), change:\n    pass\n",
        "change = store.all_or_nothing()\n",
        "with open_all(store.trial(objects)):\n    pass\n",
    ):
        assert operations_entered_elsewhere(ast.parse(elsewhere)) == [1]


def arguments_read_by_place(tree):
    """The lines at which the arguments of a kernel are taken out of a `Packed` by their places, as in ``a, b = unpack(packed)``."""
    return [
        node.lineno
        for node in nodes_of(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and getattr(node.value.func, "id", "") == "unpack"
        and isinstance(node.targets[0], ast.Tuple)
    ]


def test_kernels_read_their_arguments_by_name():
    """A named tuple says once which arguments there are, in which order and of which types."""
    assert offenders(MODULES, lambda path: arguments_read_by_place(tree_of(ENGINE / path))) == {}


def test_arguments_that_are_read_by_place_are_found():
    assert arguments_read_by_place(ast.parse("array, control = unpack(packed)\n")) == [1]
    assert (
        arguments_read_by_place(ast.parse("given = unpack(packed)\narray, control = given.array, given.control\n"))
        == []
    )
