"""What the documentation site makes of the pages: clips in the gallery, links from sources, and types in signatures."""

import importlib.util
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from demos.commands import gallery

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "docs" / "gallery"
CLIPS = ROOT / "demos" / "pictures" / "clips"
DEMOS = list(gallery.CLIPS)


@pytest.fixture(scope="module")
def settings():
    spec = importlib.util.spec_from_file_location("conf", ROOT / "docs" / "conf.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("demo", DEMOS)
def test_each_demo_has_a_page_with_a_clip_its_command_physics_keys_and_source(demo, settings):
    text = (GALLERY / f"{demo}.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
    assert f"```sh\npolhode {demo}\n```" in text and (ROOT / "demos" / f"{demo}.py").exists()
    assert {"The physics", "Options and keys", "Source"} <= set(headings) and f"(../../demos/{demo}.py)" in text
    clip = CLIPS / f"{demo}.mp4"
    assert 10_000 < clip.stat().st_size <= gallery.CLIP_BYTES
    source = [text]
    settings.show_clips(None, f"gallery/{demo}", source)
    assert f'poster="../_static/{demo}.webp" src="../_static/{demo}.mp4"' in source[0]
    assert str(CLIPS.parent / f"{demo}.webp") in settings.html_static_path and str(CLIPS) in settings.html_static_path
    assert "![" not in source[0].split("## The physics")[0]
    assert demo in (GALLERY / "index.md").read_text(encoding="utf-8")


def test_the_overview_of_the_gallery_keeps_its_stills(settings):
    text = (GALLERY / "index.md").read_text(encoding="utf-8")
    source = [text]
    settings.show_clips(None, "gallery/index", source)
    assert source == [text]


@pytest.mark.parametrize(
    ("page", "target", "expected"),
    [
        ("engine.flight.Gimbal", "engine.forces.Gimbal", "engine.flight.Gimbal"),
        ("engine.flight.Gimbal", "engine.forces.Gimbal.axis_1", "engine.flight.Gimbal.axis_1"),
        ("engine.forces.Thruster", "engine.forces.Thruster.reset.more", "engine.forces.Thruster.reset.more"),
        ("engine.viewer", "engine.viewer.drawing.view", "engine.viewer.view"),
    ],
)
def test_a_source_leads_back_to_where_a_name_is_documented(page, target, expected, settings):
    context = {"body": f'<a href="../../reference/{page}.html#{target}">[docs]</a>'}
    settings.lead_back(None, "_modules/engine/forces/valves", "page.html", context, None)
    assert context["body"] == f'<a href="../../reference/{page}.html#{expected}">[docs]</a>'


def test_the_extra_of_the_site_has_all_that_the_modules_of_the_reference_import(settings):
    """What other extras install is hidden from the import, as it is missing where only this extra was asked for."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    imported = {"pygame-ce": "pygame", "dask": "distributed"}

    def packages(extra):
        names = set()
        for requirement in extras[extra]:
            name, _, more = re.match(r"([\w-]+)(\[([\w,]+)\])?", requirement).groups()
            names |= {imported.get(name, name)} if name != "polhode" else set().union(*map(packages, more.split(",")))
        return names

    hidden = packages("cluster") | packages("mesh") | packages("record") | packages("plot") | packages("demos")
    program = f"""
import sys
from importlib import import_module
for name in {sorted(hidden - packages("docs"))}:
    sys.modules[name] = None
for name in {list(settings.MODULES)}:
    import_module(name)
"""
    assert packages("docs") > {"sphinx"} and "trimesh" in hidden - packages("docs")
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_signatures_name_the_types_of_arrays(settings, monkeypatch):
    typing, inspection = pytest.importorskip("sphinx.util.typing"), pytest.importorskip("sphinx.util.inspect")
    for module in (typing, inspection):
        monkeypatch.setattr(module, "stringify_annotation", module.stringify_annotation)
    settings.shorten_types()

    def turned(axis: ArrayLike | None, pair: tuple[ArrayLike, float]) -> NDArray[np.float64]: ...

    said = inspection.stringify_signature(inspect.signature(turned), unqualified_typehints=True)
    assert said == "(axis: ArrayLike | None, pair: tuple[ArrayLike, float]) -> NDArray[~numpy.float64]"
