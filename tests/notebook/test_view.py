"""The view of a record: the data in the document, and what a browser makes of them."""

import base64
import html
import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from engine import MassProperties, Recorder, World, notebook, rotation, shapes
from engine.saving.recorder import Record

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def flight(**options):
    world = World(dt=0.05)
    hull = MassProperties.box(12.0, (1.0, 2.0, 3.0)).moved((0.2, 0.0, -0.1), (0, 0, 0, 1))
    ship = world.add_body(
        hull, name="ship", position=(7e6, 0, 0), velocity=(0, 7e3, 0), angular_velocity_body=(0.1, 1.5, 0.2)
    )
    world.add_body(MassProperties.sphere(2.0, 0.5), name="buoy", position=(7e6, 4.0, 0), velocity=(0, 7e3, 0))
    record = Recorder(world, every=10, **options)
    world.step(200)
    return record, ship


def data_of(view):
    text = re.search(r'<script type="application/json" id="flight">(.*?)</script>', view.document(), re.DOTALL)[1]
    return json.loads(text)


def numbers(text, kind, width):
    return np.frombuffer(base64.b64decode(text), kind).reshape(-1, width)


def test_the_document_has_the_samples_of_the_record():
    record, _ = flight()
    data = data_of(notebook.show(record))
    ship, buoy = data["bodies"]
    assert [body["name"] for body in data["bodies"]] == ["ship", "buoy"] and data["follow"] == 0
    assert np.array_equal(numbers(data["time"], "<f8", 1)[:, 0], record.time)
    for key, name, width in (
        ("orientation", "orientation", 4),
        ("momentum", "angular_momentum_world", 3),
        ("rates", "angular_velocity_body", 3),
        ("center", "center_of_mass_body", 3),
    ):
        assert np.array_equal(numbers(ship[key], "<f4", width), record[name][:, 0].astype(np.float32))
    assert "momentum" not in buoy, "only the followed body has arrows"


def test_positions_are_relative_to_the_followed_body_in_double_precision():
    """At 7000 km, a float32 would be half a metre off."""
    record, ship = flight()
    for follow in (ship, "ship", 0):
        data = data_of(notebook.show(record, follow=follow))
        assert not numbers(data["bodies"][0]["position"], "<f4", 3).any()
        expected = record.position[:, 1] - record.position[:, 0]
        assert np.allclose(numbers(data["bodies"][1]["position"], "<f4", 3), expected, rtol=1e-6, atol=1e-6)


def test_a_body_without_a_shape_is_its_equivalent_box():
    record, ship = flight()
    vertices = numbers(data_of(notebook.show(record))["bodies"][0]["vertices"], "<f4", 3)
    assert np.allclose(np.ptp(vertices, axis=0), (1.0, 2.0, 3.0), rtol=1e-6)
    assert np.allclose(vertices.mean(axis=0), ship.center_of_mass_body, atol=1e-6)


@pytest.mark.parametrize("as_path", [False, True], ids=["Recorder", "file"])
def test_a_record_and_its_file_give_the_same_view(as_path, tmp_path):
    record, _ = flight(path=tmp_path / "flight.record")
    record.stop()
    source = tmp_path / "flight.record" if as_path else Record.read(tmp_path / "flight.record")
    assert notebook.show(source).document() == notebook.show(record).document()


def test_shapes_are_given_by_handle_name_or_place():
    record, ship = flight()
    drum = shapes.Cylinder(0.5, 3.0)
    views = [notebook.show(record, {key: drum}).document() for key in (ship, "ship", 0)]
    assert views[0] == views[1] == views[2] != notebook.show(record).document()
    pair = notebook.show(record, {"ship": (drum.vertices, drum.faces)}).document()
    assert pair == views[0]


def test_a_body_that_was_never_there_is_left_out():
    world = World(dt=0.1)
    first, second = (world.add_body(MassProperties.sphere(1.0, 0.5)) for _ in range(2))
    world.remove_body(second)
    record = Recorder(world, bodies=[first])
    world.step()
    assert len(data_of(notebook.show(record))["bodies"]) == 1


def test_the_cell_has_the_whole_document_in_an_iframe():
    record, _ = flight()
    view = notebook.show(record, height=300)
    cell = view._repr_html_()
    assert cell.startswith("<iframe ") and "height: 300px" in cell
    assert html.unescape(re.search(r"srcdoc='(.*)'></iframe>$", cell, re.DOTALL)[1]) == view.document()


def test_the_document_loads_nothing():
    """No address but those in comments and of the names of XML, and no second file."""
    record, _ = flight()
    page = notebook.show(record).document().replace(notebook.view._text("flight.min.js"), "")
    assert "http" not in page and "src=" not in page and "href=" not in page


def test_a_name_cannot_end_the_script():
    world = World(dt=0.1)
    world.add_body(
        MassProperties.sphere(1.0, 0.5), name="</script><script>alert(1)</script>", angular_velocity_body=(1, 0, 0)
    )
    document = notebook.show(Recorder(world)).document()
    assert "<script>alert" not in document and document.count("</script>") == 2
    assert data_of(notebook.show(Recorder(world)))["bodies"][0]["name"] == "</script><script>alert(1)</script>"


def test_save_writes_the_document(tmp_path):
    record, _ = flight()
    view = notebook.show(record)
    view.save(tmp_path / "flight.html")
    assert (tmp_path / "flight.html").read_text(encoding="utf-8") == view.document()
    assert (tmp_path / "flight.html").stat().st_size < 700_000


@pytest.mark.parametrize(
    ("options", "kind", "named"),
    [
        ({"follow": "moon"}, ValueError, "notebook.show: follow"),
        ({"follow": 2}, ValueError, "notebook.show: follow"),
        ({"follow": True}, TypeError, "notebook.show: follow"),
        ({"shapes": [1]}, TypeError, "notebook.show: shapes"),
        ({"shapes": {"moon": shapes.Sphere(1.0)}}, ValueError, "notebook.show: shapes"),
        ({"shapes": {"ship": 3}}, TypeError, r"notebook.show: shapes\['ship'\]"),
        ({"axis_body": (0, 0, 0)}, ValueError, "notebook.show: axis_body"),
        ({"height": 3}, ValueError, "notebook.show: height"),
        ({"playing": 1}, TypeError, "notebook.show: playing"),
        ({"at": -1.0}, ValueError, "notebook.show: at"),
    ],
)
def test_bad_arguments_are_named(options, kind, named):
    record, _ = flight()
    with pytest.raises(kind, match=named):
        notebook.show(record, **options)


def test_records_that_do_not_suffice_are_rejected():
    record, _ = flight(columns=["position", "orientation"])
    with pytest.raises(ValueError, match=r"'mass'.*give ship a shape"):
        notebook.show(record)
    solids = {"ship": shapes.Sphere(1.0), "buoy": shapes.Sphere(1.0)}
    assert "momentum" not in data_of(notebook.show(record, solids))["bodies"][0]
    with pytest.raises(ValueError, match="'position'"):
        notebook.show(flight(columns=["velocity"])[0], solids)
    with pytest.raises(TypeError, match="record must be a Recorder"):
        notebook.show(World(0.1))
    with pytest.raises(ValueError, match="at least one sample"):
        notebook.show(Recorder(World(0.1)))


def dom_of(path, milliseconds):
    """The page after this much virtual time, with OpenGL in software."""
    command = [CHROMIUM, "--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader"]
    command += ["--enable-unsafe-swiftshader", f"--user-data-dir={path.parent / 'profile'}"]
    command += [f"--virtual-time-budget={milliseconds}", "--dump-dom", path.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_browser_shows_the_interpolated_orientation(tmp_path):
    """Between two samples that are a third of a turn apart."""
    record, _ = flight()
    at = float(record.time[4] + 0.3 * (record.time[5] - record.time[4]))
    path = tmp_path / "flight.html"
    notebook.show(record, playing=False, at=at).save(path)
    page = dom_of(path, 1000)
    shown = [float(part) for part in re.search(r'data-orientation="([^"]*)"', page)[1].split()]
    expected = rotation.slerp(record.orientation[4, 0], record.orientation[5, 0], 0.3)
    assert rotation.angle_between(shown, expected) < 1e-6
    assert float(re.search(r'data-time="([^"]*)"', page)[1]) == at
    assert 'data-playing="false"' in page and f">{at:.1f} s<" in page


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_browser_plays_by_itself(tmp_path):
    record, _ = flight()
    path = tmp_path / "flight.html"
    notebook.show(record).save(path)
    # a browser that shares its processors may draw no frame in the first seconds
    pages = (dom_of(path, milliseconds) for milliseconds in (3_000, 10_000, 30_000, 60_000))
    page = next(page for page in pages if 'data-time="' in page)
    assert 'data-playing="true"' in page and float(re.search(r'data-time="([^"]*)"', page)[1]) > 0.0
