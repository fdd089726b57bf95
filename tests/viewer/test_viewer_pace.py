"""The window tells its true pace, the median cost of a tick, and what it waits for."""

import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from demos import tumble
from demos.scenes import measured_world
from demos.scenes.measured_world import MEASURED, MeasuredWorld
from engine.viewer.gl import context
from engine.viewer.gl.painter import Painter
from engine.viewer.hud import hud
from engine.viewer.picture.history import History
from engine.viewer.picture.quality import LOW
from engine.viewer.run import application
from engine.viewer.run.compilation import LOGGER, announced
from engine.viewer.run.pace import FEWEST, Pace
from engine.viewer.run.window import _advance

from ..helpers import PATIENCE
from ..viewing import SMALL, camera_for, canvas, new_scene

ROOT = Path(__file__).parents[2]


def paced(frames, wanted=1.0):
    pace = Pace()
    for elapsed, skipped in frames:
        pace.note(elapsed, skipped, wanted)
    return pace.text()


@pytest.mark.parametrize(
    ("frames", "wanted", "text"),
    [
        ([], 1.0, "×1"),
        ([(1 / 60, 0.0)] * 100, 1.0, "×1"),
        ([(1 / 60, 0.0)] * 100, 0.25, "×0.25"),
        ([(0.4, 0.4 - 0.032)] * 5, 1.0, "×1, running at ×0.08, 2.5 frames/s"),
        ([(0.05, 0.3)] * 40, 8.0, "×8, running at ×2, 20 frames/s"),
        ([(1 / 120, 3 / 120)] * 200, 4.0, "×4, running at ×1, 120 frames/s"),
        ([(0.05, 0.3)] * 40 + [(1 / 60, 0.0)] * 80, 8.0, "×8"),
        ([(1 / 60, 0.0), (0.05, 0.3)] * 10, 8.0, "×8"),  # half of them
        ([(5.0, 4.97)], 1.0, "×1"),  # a compilation
        ([(1 / 60, 0.0)] * 3 + [(5.0, 4.97)] + [(1 / 60, 0.0)] * 3, 1.0, "×1"),
    ],
)
def test_the_true_pace_is_told_where_most_frames_skip_time(frames, wanted, text):
    assert paced(frames, wanted) == text


def test_the_pace_is_measured_anew_after_a_pause_and_at_another_pace():
    pace = Pace()
    for _ in range(FEWEST):
        pace.note(0.2, 0.16, 1.0)
    assert pace.text() == "×1, running at ×0.2, 5 frames/s"
    pace.note(0.2, 0.0, 0.5)
    assert pace.text() == "×0.5"
    for _ in range(FEWEST):
        pace.note(0.5, 0.2, 0.5)
    assert "running at" in pace.text()
    pace.clear()
    assert pace.text() == "×0.5"


@pytest.mark.filterwarnings("ignore:World.advance. one frame skipped")
def test_a_window_that_cannot_keep_up_says_so_on_the_display_until_it_is_paused():
    """Frames of 2 s, of which the world of the demo takes 96 ticks of 1/240 s, that is 0.4 s."""
    scene, pace = new_scene(), Pace()
    for _ in range(3):
        _advance(scene, 2.0, pace)
    assert scene.world.tick_count == 3 * 96
    facts = hud.status_facts(scene, pace=pace.text())
    assert ("pace", "×1, running at ×0.2, 0.5 frames/s") in facts[0]
    scene.world.paused = True
    _advance(scene, 2.0, pace)
    assert ("", "paused") in hud.status_facts(scene, pace=pace.text())[0] and pace.text() == "×1"


def test_the_cost_of_a_tick_is_a_median_without_the_first_call(monkeypatch):
    """The first call compiles, and so does one later call."""
    now = [0.0]
    monkeypatch.setattr(measured_world.time, "perf_counter", lambda: now[0])
    world = MeasuredWorld(0.01)
    world.on_tick(lambda world: now.__setitem__(0, now[0] + cost))
    assert world.tick_seconds is None
    cost = 0.815
    world.advance(0.01)
    assert world.tick_seconds is None
    for number in range(5):
        cost = 0.5 if number == 2 else 0.002
        world.advance(0.02)
    assert world.tick_seconds == pytest.approx(0.002)
    world.advance(0.001)  # no tick
    assert world.tick_seconds == pytest.approx(0.002)
    cost = 0.004
    for _ in range(MEASURED):
        world.advance(0.01)
    assert world.tick_seconds == pytest.approx(0.004)


def test_a_kernel_is_announced_before_it_is_compiled_and_the_log_stays_as_it_is(caplog):
    logger, said = logging.getLogger(LOGGER), []
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        with announced(said.append):
            logger.debug("compiling kernel %s", "held-rk4-264")
            logger.debug("another message")
            logger.info("compiled kernel %s in %.2f s (%s)", "held-rk4-264", 1.0, "not in the cache")
            logger.warning("compiling the physics kernels")
            elsewhere = threading.Thread(target=lambda: logger.debug("compiling kernel %s", "another-thread"))
            elsewhere.start()
            elsewhere.join()
        logger.debug("compiling kernel %s", "later")
        assert said == ["held-rk4-264"]
        assert [record.getMessage() for record in caplog.records] == ["compiling the physics kernels"]
        assert logger.level == logging.WARNING and not logger.filters
    finally:
        logger.setLevel(before)


COLD = """
import logging
from engine import MassProperties, World
from engine.viewer.run.compilation import LOGGER
from engine.viewer.run.compilation import announced

class Listener(logging.Handler):
    def emit(self, record):
        print(record.getMessage())

logging.getLogger(LOGGER).setLevel(logging.INFO)
logging.getLogger(LOGGER).addHandler(Listener())
ship = World(0.01).add_body(MassProperties.box(2.0, (1.0, 2.0, 3.0)))
with announced(lambda kernel: print("announced", kernel)):
    ship.interpolated_pose()
    ship.interpolated_pose()
"""


def test_the_engine_announces_a_compilation_once_and_before_the_work(tmp_path):
    """The first pose between two ticks, on a machine where nothing has been compiled."""
    environment = {**os.environ, "POLHODE_CACHE_DIR": str(tmp_path), "POLHODE_BACKGROUND": "0"}
    done = subprocess.run(
        [sys.executable, "-c", COLD], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    if not list(tmp_path.iterdir()):
        pytest.skip("nothing is compiled: numba is missing or switched off")
    first, announced_kernel, compiled = done.stdout.splitlines()
    assert first.startswith("compiling the physics kernels")
    assert announced_kernel == "announced blended-poses" and compiled.startswith("compiled kernel blended-poses in ")


def test_a_notice_is_written_over_the_last_frame_without_reading_the_scene():
    with canvas() as opened:
        scene, history = new_scene(), History()
        history.append(scene.sample())
        painter, below = Painter(opened.context, SMALL, LOW), 3 * SMALL[1] // 4
        painter.notice("compiling rk4")
        empty = painter.image()
        painter.paint(scene, camera_for(scene), history)
        drawn = painter.image()
        painter.notice("compiling rk4")
        told = painter.image()
        painter.notice("compiling another kernel with a longer name")
        painter.notice("compiling rk4")
        told_again = painter.image()
        painter.release()
    assert empty[:below].max() == 0 and empty[below:].max() > 200
    assert (told[:below] == drawn[:below]).all() and (told[below:] != drawn[below:]).any()
    assert (told_again == told).all()  # one line hides the other
    assert told[below:].max() > 200 and drawn[:below].max() > 200


def in_a_window(monkeypatch, frames, *arguments):
    """The scene of a demo, and a function that shows it in SDL's window without a display for so many frames."""
    pygame = pytest.importorskip("pygame")
    with canvas() as opened:
        if opened.kind != "SDL offscreen window":
            pytest.skip(f"no SDL window without a display: {opened.reasons}")
    monkeypatch.setattr(context, "ATTEMPTS", {"window": context.ATTEMPTS["SDL offscreen window"]})
    events = [*([] for _ in range(frames - 1)), [pygame.event.Event(pygame.QUIT)]]
    monkeypatch.setattr(pygame.event, "get", lambda: events.pop(0))
    wanted = tumble.read_options(["--size", "320x180", "--quality", "low", *arguments])
    scene = tumble.Tumble(wanted)
    return scene, lambda: application.run("tumble", scene, wanted)


def test_the_window_says_what_it_compiles_before_the_work(monkeypatch):
    """A kernel that is announced while the window draws or steps is on the screen at once."""
    order = []
    scene, show = in_a_window(monkeypatch, 2, "--integrator", "rk4")
    scene.world.step(2)  # what the scene itself needs is compiled
    monkeypatch.setattr(Painter, "notice", lambda painter, text: order.append(text))
    display = sys.modules["pygame"].display
    flip, advance = display.flip, type(scene.world).advance
    monkeypatch.setattr(display, "flip", lambda: order.append("shown") or flip())

    def compile_and_advance(world, elapsed):
        logging.getLogger(LOGGER).debug("compiling kernel %s", "held-rk4-264")
        order.append("compiled")
        return advance(world, elapsed)

    monkeypatch.setattr(type(scene.world), "advance", compile_and_advance)
    assert show() == 0
    said = "compiling rk4: kernel held-rk4-264 (a few seconds, only once)"
    assert order[:5] == ["shown", said, "shown", "compiled", "shown"]


def test_the_window_shows_the_true_pace(monkeypatch):
    """Frames of 2 s, of which the world of the demo takes 0.4 s."""

    class SlowClock:
        def tick(self, _):
            return 2000

    shown, paint = [], Painter.paint
    _, show = in_a_window(monkeypatch, 4)
    monkeypatch.setattr(sys.modules["pygame"].time, "Clock", SlowClock)
    monkeypatch.setattr(Painter, "paint", lambda *a, **how: shown.append(how.get("pace", "")) or paint(*a, **how))
    assert show() == 0
    assert shown == ["", "×1", *["×1, running at ×0.2, 0.5 frames/s"] * 3]
