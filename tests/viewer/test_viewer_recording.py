"""Clips of each kind can be written and read again frame by frame, and errors are reported in one line before the run."""

import io
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from demos import tumble
from demos.__main__ import main
from engine.viewer.files.recording import FORMATS, FRAMES_A_SECOND, Clip, Progress
from engine.viewer.gl import context
from engine.viewer.run import application, headless
from engine.viewer.run.flight import SceneFlight
from engine.viewer.run.headless import FRAMES_A_CLIP_FRAME

from ..lengths import long_run
from ..viewing import SMALL, canvas, looks_like_the_scene

av = pytest.importorskip("av")

COLOURS = [(255, 170, 40), (20, 60, 200), (90, 220, 110), (200, 30, 30)]


def striped(place):
    """Four stripes of colour, and a bar of white that moves down."""
    image = np.repeat(np.repeat(np.array([COLOURS], np.uint8), 80, axis=1), 180, axis=0)
    image[4 * place : 4 * place + 12] = 255
    return image


def frames_of(path):
    """The frames of an .mp4 or .gif, decoded, and when each is shown [s]."""
    colours = "ITU709" if path.suffix == ".mp4" else None
    with av.open(str(path)) as clip:
        frames = list(clip.decode(video=0))
        images = [frame.reformat(format="rgb24", src_colorspace=colours).to_ndarray() for frame in frames]
        return images, [frame.time for frame in frames]


def webp_chunks(path):
    """Name and body of each chunk of a WebP; an independent reading of the format, since the decoder of FFmpeg takes no animations."""
    data, place, found = path.read_bytes(), 12, []
    assert data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    while place < len(data):
        length = int.from_bytes(data[place + 4 : place + 8], "little")
        found.append((data[place : place + 4], data[place + 8 : place + 8 + length]))
        place += 8 + length + length % 2
    return found


@pytest.mark.parametrize("ending", [".mp4", ".gif"])
def test_a_clip_has_the_frames_and_the_colours_that_went_in(ending, tmp_path):
    path = tmp_path / "new" / f"a{ending}"
    with Clip(path, SMALL) as clip:
        for place in range(20):
            clip.append(striped(place))
    frames, times = frames_of(path)
    assert len(frames) == 20
    assert times == pytest.approx(np.arange(20) / FRAMES_A_SECOND, abs=0.011)  # a GIF counts in hundredths of a second
    for place, frame in enumerate(frames):
        stripes = frame[150, 40::80].astype(int)
        assert np.abs(stripes - COLOURS).max() <= 8  # measured 3: chroma is kept with half the sharpness
        assert abs(int((frame.min(axis=(1, 2)) > 200).argmax()) - 4 * place) <= 1


def test_an_animated_webp_has_a_frame_for_each_that_differs_and_runs_for_ever(tmp_path):
    path = tmp_path / "a.webp"
    with Clip(path, SMALL) as clip:
        for place in range(20):
            clip.append(striped(place))
    chunks = webp_chunks(path)
    loops = next(body for name, body in chunks if name == b"ANIM")[4:6]
    durations = [int.from_bytes(body[12:15], "little") for name, body in chunks if name == b"ANMF"]
    assert loops == b"\0\0" and len(durations) == 20
    assert sum(durations[:-1]) == pytest.approx(19_000 / FRAMES_A_SECOND, abs=20)


@pytest.mark.parametrize("ending", FORMATS)
def test_the_demo_records_so_many_frames_and_checks_its_physics(ending, tmp_path, capsys):
    with canvas():
        pass
    path = tmp_path / f"a{ending}"
    asked = ["--frames", "6", "--size", "320x180", "--quality", "low", "--record", str(path)]
    assert main(["tumble", *asked, "--out", str(tmp_path / "last.png")]) == 0
    said = capsys.readouterr().out
    assert "6 frames at 30 per second, 0.20 s of flight" in said and "checked: " in said
    assert path.stat().st_size > 2000 and (tmp_path / "last.png").exists()
    if ending == ".mp4":
        frames, _ = frames_of(path)
        assert len(frames) == 6 and looks_like_the_scene(frames[-1]) and (frames[0] != frames[-1]).any()


def test_the_frames_of_a_clip_lie_a_thirtieth_of_a_second_of_the_world_apart():
    flight = SceneFlight(tumble.Tumble(tumble.read_options([])))
    times = [flight.scene.world.time for number in flight.frames(60) if number % FRAMES_A_CLIP_FRAME == 0]
    assert len(times) == FRAMES_A_SECOND
    assert times == pytest.approx([float(Fraction(n, FRAMES_A_SECOND)) for n in range(1, 31)], abs=1e-12)


def test_a_flight_without_a_window_waits_for_the_compiler():
    """A lander whose 920 frames should have ended at 15.3 s was drawn at 3.8 s where nothing had been compiled."""
    scene = tumble.Tumble(tumble.read_options([]))
    assert scene.world.compilation == "auto"
    SceneFlight(scene)
    assert scene.world.compilation == "wait"


@long_run
def test_a_clip_begins_later_and_leaves_frames_out(tmp_path, capsys):
    """Frames 5, 8 and 11 of 1/30 s: those that a clip of all frames has there, and as long after one another as in the world."""
    with canvas():
        pass
    asked = ["--size", "320x180", "--quality", "low"]
    assert main(["tumble", *asked, "--record", str(tmp_path / "all.mp4"), "--frames", "11"]) == 0
    few = ["--skip", "2", "--every", "3", "--frames", "3"]
    assert main(["tumble", *asked, "--record", str(tmp_path / "few.mp4"), *few]) == 0
    assert "3 frames at 10 per second, 0.37 s of flight" in capsys.readouterr().out
    (all_frames, _), (frames, times) = frames_of(tmp_path / "all.mp4"), frames_of(tmp_path / "few.mp4")
    assert times == pytest.approx([0.0, 0.1, 0.2])
    for frame, number in zip(frames, (5, 8, 11), strict=True):
        near = [np.abs(frame.astype(float) - other).mean() for other in all_frames]
        assert int(np.argmin(near)) == number - 1 and near[number - 1] < 2.0


@pytest.mark.parametrize(("option", "value", "rule"), [("--skip", "-1", "at least 0"), ("--every", "0", "at least 1")])
def test_frames_that_are_left_out_are_whole_numbers(option, value, rule, capsys):
    with pytest.raises(SystemExit):
        tumble.read_options(["--record", "a.mp4", option, value])
    assert f"must be a whole number, {rule}; got '{value}'" in capsys.readouterr().err


def test_a_missing_package_is_named_before_anything_is_flown(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    monkeypatch.setattr(tumble, "Tumble", lambda options: pytest.fail("it was flown"))
    assert main(["tumble", "--record", str(tmp_path / "a.mp4")]) == 1
    said = capsys.readouterr()
    assert said.err.count("\n") == 1 and 'pip install -e ".[record]"' in said.err and said.out == ""


def test_a_clip_that_cannot_be_written_is_said_in_one_line(tmp_path, capsys):
    with canvas():
        pass
    (tmp_path / "a.mp4").mkdir()
    assert main(["tumble", "--record", str(tmp_path / "a.mp4"), "--frames", "5", "--size", "320x180"]) == 1
    said = capsys.readouterr()
    assert "cannot write" in said.err and said.err.count("\n") == 1 and "of 5 frames" not in said.out


def test_a_full_disk_is_said_in_one_line(tmp_path, capsys):
    if not Path("/dev/full").exists():
        pytest.skip("no file here that is always full")
    with canvas():
        pass
    (tmp_path / "a.gif").symlink_to("/dev/full")
    asked = ["--frames", "3", "--size", "64x64", "--quality", "low"]
    assert main(["tumble", "--record", str(tmp_path / "a.gif"), *asked]) == 1
    said = capsys.readouterr().err
    assert "cannot write" in said and said.count("\n") == 1


def test_a_broken_package_is_said_in_one_line(tmp_path, capsys, monkeypatch):
    def fail(*_):
        raise ImportError("libavcodec.so.62: cannot open shared object file")

    monkeypatch.setattr(headless, "Clip", fail)
    with canvas():
        pass
    assert main(["tumble", "--record", str(tmp_path / "a.gif"), "--frames", "3", "--size", "64x64"]) == 1
    said = capsys.readouterr().err
    assert "libavcodec.so.62" in said and "python -m demos doctor" in said and said.count("\n") == 1


def test_a_flight_that_ends_early_leaves_a_clip_that_can_be_played(tmp_path, capsys):
    with canvas():
        pass
    path = tmp_path / "a.mp4"
    wild = ["--integrator", "rk4-world-rates", "--dt", "0.2", "--angular-velocity", "40,50,60", "--quality", "low"]
    assert main(["tumble", *wild, "--record", str(path), "--frames", "40", "--size", "320x180"]) == 1
    assert "stopped at" in capsys.readouterr().err
    assert 0 < len(frames_of(path)[0]) < 40


@long_run
def test_pictures_and_clips_are_drawn_at_high_quality_unless_told_otherwise(tmp_path, monkeypatch):
    seen = []

    class Watched(application.Painter):
        def __init__(self, gl, size, quality):
            seen.append(quality.name)
            super().__init__(gl, size, quality)

    monkeypatch.setattr(application, "Painter", Watched)
    with canvas():
        pass
    for quality in ([], ["--quality", "auto"], ["--quality", "low"]):
        asked = ["tumble", "--frames", "1", "--size", "64x36", "--out", str(tmp_path / "a.png"), *quality]
        assert main(asked) == 0
    assert seen == ["high", "high", "low"]


@pytest.mark.parametrize(("terminal", "lines", "returns"), [(True, 1, 300), (False, 10, 0)])
def test_progress_renews_one_line_on_a_terminal_and_is_sparse_elsewhere(terminal, lines, returns):
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    progress = Progress("a.mp4", 300, stream)
    for count in range(1, 301):
        progress.show(count)
    progress.end()
    said = stream.getvalue()
    assert said.count("\n") == lines and said.count("\r") == returns and said.endswith("a.mp4: 300 of 300 frames\n")


def test_without_opengl_no_clip_is_begun(tmp_path, monkeypatch):
    monkeypatch.setattr(context, "ATTEMPTS", {})
    monkeypatch.setattr(headless, "Clip", lambda *_: pytest.fail("it was begun"))
    assert main(["tumble", "--record", str(tmp_path / "a.gif"), "--frames", "2"]) == 0
