"""The doctor reports what is missing, broken or in conflict, with one fix each, and never fails itself."""

import importlib
import sys

import pytest

from demos.__main__ import main
from demos.commands import doctor
from engine.viewer.gl import context
from engine.viewer.picture.quality import HIGH, LOW, MEDIUM, TIERS


def examined(capsys, *, drawing=False, monkeypatch=None):
    """Exit status and what was said; without drawing unless that is what is asked for."""
    if not drawing:
        monkeypatch.setattr(doctor, "_drawing", lambda: iter(()))
    status = main(["doctor"])
    said = capsys.readouterr()
    assert said.err == ""
    return status, said.out


def fix_after(text, start):
    """The line of the fix that follows the line which begins so."""
    lines = text.splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith(start))
    return lines[place + 1].strip()


def test_on_a_whole_machine_versions_renderer_and_tiers_are_told(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "SIZE", (320, 180))
    status, said = examined(capsys, drawing=True)
    for subject in ("Python", "numpy", "numba", "moderngl", "pyrr", "pygame"):
        assert any(line.startswith(subject) for line in said.splitlines())
    if "none: the demos run" in said:
        pytest.skip(f"no OpenGL on this machine: {said}")
    assert status == 0 and "No problems found." in said
    assert all(f"\n{tier} " in said for tier in TIERS) and " ms per frame of 320 × 180" in said
    assert "samples" in said and "a window would use" in said


@pytest.mark.parametrize("package", ["numpy", "numba", "moderngl", "pyrr"])
def test_a_missing_package_is_named_with_its_command(package, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    status, said = examined(capsys, monkeypatch=monkeypatch)
    assert status == 1 and fix_after(said, package) == f"fix: pip install {package}"
    assert "skipped until the packages are fixed" in said


@pytest.mark.parametrize("package", ["av", "trimesh"])
def test_a_package_that_only_one_option_needs_is_no_problem(package, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    status, said = examined(capsys, monkeypatch=monkeypatch)
    assert status == 0 and fix_after(said, package) == f"if wanted: pip install {package}"


def test_a_broken_package_is_told_from_a_missing_one(capsys, monkeypatch):
    imported = importlib.import_module

    def fail(name, *rest):
        if name == "moderngl":
            raise OSError("libGL.so.1: cannot open shared object file")
        return imported(name, *rest)

    monkeypatch.setattr(doctor.importlib, "import_module", fail)
    findings = list(doctor.findings())
    broken = next(finding for finding in findings if finding.subject == "moderngl")
    assert "cannot be imported: libGL.so.1" in broken.found and "--force-reinstall moderngl" in broken.fix


def test_without_pygame_the_fitting_distribution_is_named(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    monkeypatch.setattr(doctor, "_version", lambda name: "")
    for version, wanted in (((3, 13), "pygame"), ((3, 14), "pygame-ce")):
        monkeypatch.setattr(doctor.sys, "version_info", version)
        assert doctor._pygame().fix == f"pip install {wanted}"


def test_two_distributions_of_pygame_in_one_folder_are_a_problem(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "_version", lambda name: "2.6.1")
    status, said = examined(capsys, monkeypatch=monkeypatch)
    assert status == 1 and "both installed" in said
    assert fix_after(said, "pygame") == "fix: pip uninstall -y pygame pygame-ce, then pip install one of them"


def test_without_opengl_each_way_says_why(capsys, monkeypatch):
    def refuse(size, title):
        raise OSError("libEGL.so.1: cannot open shared object file")

    monkeypatch.setattr(context, "ATTEMPTS", {"window": refuse, "EGL": refuse})
    status, said = examined(capsys, drawing=True)
    assert status == 1 and said.count("libEGL.so.1: cannot open") == 3
    assert fix_after(said, "OpenGL").startswith(
        "fix: OpenGL libraries:" if sys.platform.startswith("linux") else "fix:"
    )


def test_a_driver_that_fails_while_drawing_is_told_in_one_line(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "_tiers", lambda gl: (_ for _ in ()).throw(RuntimeError("GLSL\ncompiler failed")))
    status, said = examined(capsys, drawing=True)
    if "none: the demos run" in said:
        pytest.skip(f"no OpenGL on this machine: {said}")
    assert status == 1 and "drawing      failed: GLSL compiler failed" in said


@pytest.mark.parametrize(
    ("milliseconds", "chosen"),
    [((20, 30, 40), HIGH), ((20, 30, 70), MEDIUM), ((20, 60, 200), LOW), ((90, 95, 99), LOW)],
)
def test_the_tier_it_names_is_the_first_from_above_that_is_fast_enough(milliseconds, chosen, monkeypatch):
    times = dict(zip(TIERS, milliseconds, strict=True))
    monkeypatch.setattr(doctor, "_frame_times", lambda gl, tier: [1e-3 * times[tier]] * 3)
    assert f"would use {chosen.name};" in list(doctor._tiers(None))[-1].found


def test_options_are_refused_in_one_line(capsys):
    assert main(["doctor", "--fast"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
