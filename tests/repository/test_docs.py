"""The pages of the documentation: examples run and print what is shown, tables are complete, links and commands lead somewhere."""

import contextlib
import importlib.util
import inspect
import io
import re
import tomllib
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import engine.flight.control
from engine import MassProperties, World, forces, integrators

from .. import levels, site_links, tick_lines
from .test_architecture import FLOORS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    path.relative_to(DOCS).as_posix()
    for path in DOCS.rglob("*.md")
    if path.parent.name != "reference"  # written by the build of the site
)
TUTORIALS = sorted(path.stem for path in (DOCS / "tutorials").glob("[!i]*.md"))
_CELL = r"```{code-cell} ipython3\n(.*?)```"
LINKED = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(DOCS / page for page in PAGES)]


def text_of(page):
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page):
    """The Python of a page, each block with the output shown below it, which is empty if there is none."""
    return re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", text_of(page), flags=re.DOTALL)


def run(page):
    """Run the Python of a page from top to bottom; after each block its names, what it has printed, and what the page shows."""
    namespace: dict = {}
    for code, shown in blocks(page):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, page, "exec"), namespace)
        yield namespace, printed.getvalue(), shown


RUN_ELSEWHERE = ("how-to/campaigns.md", "how-to/pygame.md", "how-to/3d-camera.md", "how-to/look-at-your-world.md")
"""Pages with a program that runs in a file of its own (`tests/campaign/test_page.py`), in a window, or with OpenGL (`tests/viewer/`)."""


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page) and page not in RUN_ELSEWHERE])
def test_examples_run_and_print_what_is_shown(page):
    for _, printed, shown in run(page):
        assert printed == shown or (not shown and page == "how-to/no-freezes.md")  # its output is a moving bar


def test_every_output_that_is_shown_stands_below_an_example():
    assert sum(text_of(page).count("```text") for page in PAGES) == sum(
        bool(shown) for page in PAGES for _, shown in blocks(page)
    )


def test_lines_of_code_fit_on_the_page():
    cells = [cell for name in TUTORIALS for cell in re.findall(_CELL, text_of(f"tutorials/{name}.md"), re.DOTALL)]
    code = [code for page in PAGES for code, _ in blocks(page)]
    assert [line for each in code + cells for line in each.splitlines() if len(line) > 92] == []


def test_the_closed_loop_in_20_lines_has_20_lines_and_runs_by_itself():
    _, _, rest = text_of("control.md").partition("## A closed loop in 20 lines")
    code = rest.partition("```python\n")[2].partition("```")[0]
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 20
    namespace: dict = {}
    exec(code, namespace)
    assert namespace["loop"].error_angle < 1e-3


def test_pygame_example_flies(monkeypatch):
    """Forty frames without a screen, the key held: the ship has moved by a t²/2 along its own axis, roughly, and turned."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    frames = iter([[]] * 40)
    leave = [pygame.event.Event(pygame.QUIT)]
    held = type("Keys", (), {"__getitem__": lambda self, key: key == pygame.K_SPACE})()
    monkeypatch.setattr(pygame.event, "get", lambda: next(frames, leave))
    monkeypatch.setattr(pygame.key, "get_pressed", lambda: held)
    try:
        ((namespace, _, _),) = run("how-to/pygame.md")
    finally:
        pygame.quit()
    world, ship = namespace["world"], namespace["ship"]
    assert world.tick_count > 20
    thrust_time = world.time
    assert 0.0 < ship.velocity[2] <= 500.0 / 1200.0 * thrust_time
    assert np.linalg.norm(ship.orientation[:3]) > 0.01


def test_force_example_accelerates_by_its_formula():
    """2 mN on 80 kg for an hour at one astronomical unit: v = F t/m = 0.09 m/s, to the change of distance, 1e-9."""
    namespace, _, _ = next(islice(run("forces.md"), 1, None))
    assert namespace["probe"].velocity == pytest.approx([2e-3 * 3600.0 / 80.0, 0.0, 0.0], rel=1e-8)


def test_compiled_brake_slows_the_spin_as_its_formula_says():
    """A ball of moment I = 2/5 m r²: each rate falls as exp(−c t/I), to the order of the method, 1e-4 of it in ten seconds."""
    *_, (namespace, _, _) = run("forces.md")
    left = np.exp(-0.5 * 10.0 / (0.4 * 80.0 * 0.4**2))
    assert namespace["probe"].angular_velocity_body == pytest.approx(left * np.array((0.1, 0.2, 2.0)), rel=1e-3)


def test_every_built_in_force_is_in_the_list():
    listed = set(re.findall(r"^\| `(\w+)\(", text_of("forces.md"), flags=re.MULTILINE))
    others = {"BodyStates", "Force", "MagneticDipole", "Wrench", "compiled"}
    assert listed == set(forces.__all__) - others


def test_loading_bar_comes_to_its_end(capsys):
    """The last call is (total, total, "")."""
    *_, (_, printed, _) = run("how-to/no-freezes.md")
    done, total = re.findall(r"(\d+) of (\d+)", printed)[-1]
    assert done == total


def test_table_of_integrators_is_complete_and_right():
    page = text_of("integrators.md")
    rows = re.findall(r"^\| `\"([\w-]+)\"`.*?\| (\d) \| (\d) \|", page, flags=re.MULTILINE)
    assert {name for name, _, _ in rows} == set(integrators.by_name)
    for name, order, evaluations in rows:
        method = integrators.by_name[name]()
        assert (method.order, method.evaluations_per_tick) == (int(order), int(evaluations))
    default = re.search(r"`\"([\w-]+)\"` \(the default\)", page)
    assert default is not None and World(0.01).integrator.name == default[1]


def test_names_in_the_conventions_table_exist_with_these_shapes():
    world = World(0.01)
    body = world.add_body(MassProperties.box(mass=1.0, size=(1.0, 2.0, 3.0)))
    rows = re.findall(r"^\| (`.+?`) \| \((.+?)\) \|", text_of("conventions.md"), flags=re.MULTILINE)
    assert len(rows) >= 8
    for names, shape in rows:
        for name in re.findall(r"`(\w+)`", names):
            if hasattr(body, name):
                assert getattr(body, name).shape == tuple(int(size) for size in re.findall(r"\d+", shape)), name


def test_the_table_of_extras_has_every_extra():
    listed = re.findall(r"^\| `([a-z]+)` \|", text_of("install.md"), flags=re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert sorted(listed) == sorted(project["optional-dependencies"])


def test_the_index_has_every_page():
    index = set(re.findall(r"^\| \[[^]]*\]\(([^)]+)\)", text_of("README.md"), flags=re.MULTILINE))
    parts = {page for page in PAGES if page.startswith(("tutorials/", "gallery/")) and not page.endswith("/index.md")}
    assert index == set(PAGES) - {"README.md", "index.md"} - parts


@pytest.mark.parametrize("folder", ["tutorials", "gallery"])
def test_the_list_of_a_folder_has_every_page_of_it(folder):
    listed = re.findall(r"```{toctree}.*?\n\n(.*?)```", text_of(f"{folder}/index.md"), flags=re.DOTALL)[0].split()
    pages = [path.stem for path in (DOCS / folder).iterdir() if path.suffix in (".md", ".ipynb")]
    assert sorted(listed) == sorted(set(pages) - {"index"})


def test_the_gallery_has_every_demo():
    from demos.__main__ import summaries

    assert {path.stem for path in (DOCS / "gallery").glob("*.md")} - {"index"} == set(summaries())


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_runs_from_top_to_bottom(name, monkeypatch):
    """The cells, without a notebook; figures are closed and not shown."""
    from matplotlib import pyplot

    pyplot.switch_backend("agg")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    cells = re.findall(_CELL, text_of(f"tutorials/{name}.md"), flags=re.DOTALL)
    assert len(cells) >= 3
    if name == "dzhanibekov":  # which a teacher can hand out
        assert sum(bool(line.strip()) for cell in cells for line in cell.splitlines()) <= 30
    namespace: dict = {}
    try:
        for cell in cells:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(cell, f"{name}.md", "exec"), namespace)
    finally:
        pyplot.close("all")
    claims = {
        "dzhanibekov": lambda n: n["record"].angular_velocity_body[:, 0, 1].min() < -7.9,
        "detumbling": lambda n: n["record"]["attitude hold.error_angle"][-1] < 0.01,
        "heavy-top": lambda n: n["error"] < 1e-7 and np.ptp(n["axis"][:, 2]) < 1e-6,
        "choosing-an-integrator": lambda n: n["coarse"] / n["fine"] == pytest.approx(16.0, rel=0.2),
        "pygame-lander": lambda n: abs(n["ship"].velocity[1]) < 3.0 and n["tank"].propellant > 0.0,
        "docking": lambda n: [event for _, event in n["events"]] == ["captured", "locked", "released"],
    }
    assert claims[name](namespace)


def leads_nowhere(path):
    """The links of a page that lead to no file or heading."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        file, _, heading = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        if not found.exists():
            yield f"{path.name}: {target}"
        elif heading:
            titles = re.findall(r"^#+ (.+)$", found.read_text(encoding="utf-8"), flags=re.MULTILINE)
            if heading not in {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}:
                yield f"{path.name}: {target}"


def test_links_lead_to_files_and_headings_that_exist():
    assert [target for path in LINKED for target in leads_nowhere(path)] == []


def test_commands_name_modules_that_exist():
    named = {name for path in LINKED for name in re.findall(r"python -m ([\w.]+)", path.read_text(encoding="utf-8"))}
    assert len(named) > 10 and [name for name in sorted(named) if not importlib.util.find_spec(name)] == []


def test_links_of_the_site_that_lead_nowhere_are_found(tmp_path):
    """What `.ci/long` does with the whole site."""
    (tmp_path / "one.html").write_text(
        '<h1 id="top"></h1><a href="two.html#name"></a><img src="no.png"><a href="#no"></a>'
    )
    (tmp_path / "two.html").write_text('<a name="name" href="one.html#top"></a><a href="https://example.com/no"></a>')
    assert list(site_links.broken(tmp_path)) == [
        "one.html: no.png: no such file",
        "one.html: #no: no such heading or name",
    ]


def test_help_on_an_attribute_tells_about_it_and_not_about_its_kind():
    """A subclass of property shows its own text where the attribute was given one by name."""
    modules = (engine.forces, engine.flight, engine.joints, engine.flight.control)
    for owner in (getattr(module, name) for module in modules for name in module.__all__):
        for name, attribute in inspect.getmembers_static(owner) if inspect.isclass(owner) else ():
            if isinstance(attribute, property) and not name.startswith("_"):
                assert attribute.__doc__, (owner, name)
                assert attribute.__doc__ != type(attribute).__doc__, (owner, name)


def test_help_on_a_class_shows_no_arguments_of_its_base():
    """A constructor without a text of its own inherits that of the next class which has one."""
    modules = (engine, engine.forces, engine.flight, engine.joints, engine.shapes, engine.contacts)
    classes = [found for module in modules for found in vars(module).values() if inspect.isclass(found)]
    assert len(classes) > 60
    for each in classes:
        shown = (inspect.getdoc(each.__init__) or "").partition("Args:")[2].partition("\n\n")[0]
        described = str(inspect.signature(each.__init__))
        assert [name for name in re.findall(r"^    (\w+): ", shown, re.MULTILINE) if name not in described] == [], each


def test_an_attribute_that_is_what_a_constructor_was_given_shows_its_type():
    """The pages show what the function of a property returns."""
    assert inspect.signature(engine.joints.Latch.capture.fget).return_annotation is engine.joints.Capture
    assert inspect.signature(engine.flight.Gyro.delay.fget).return_annotation is int


def test_the_functions_that_run_and_undo_ticks_are_counted():
    """Those of `python -m tests.tick_lines`; one that has another name now is to be named there."""
    assert all(tick_lines.now().values())


def test_the_picture_of_levels_shows_those_that_the_architecture_has():
    """`python -m tests.levels` draws it; the lines of code may have changed since."""
    picture = ElementTree.parse(levels.PICTURE)
    names = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text") if each.get("class") == "name"]
    assert names == list(reversed(FLOORS))
    assert set(levels.BEFORE) == set(FLOORS)
    files = [("tick/plan.py", '"""What it is."""\n\n# why\nplan = 1\n'), ("clock.py", "now = 0\n"), ("world.py", "")]
    assert levels.by_level(files) == dict.fromkeys(FLOORS, 0) | {"the tick": 1, "arguments and functions": 1}
