"""The window: its loop in SDL's window without a display, and a real one under a virtual X display, with keys pressed by a program."""

import os
import select
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from demos import tumble
from demos.viewer import application, context
from demos.viewer.quality import FRAMES_JUDGED, HIGH, LOW, MEDIUM, SLOW_FRAME
from demos.viewer.window import Judge, Keyboard

from .viewing import SMALL

ROOT = Path(__file__).parent.parent
PATIENCE = 60.0  # [s]; for what takes a second on a quiet machine


def test_the_window_loop_obeys_events_and_resizing(monkeypatch, capsys):
    """In SDL's window without a display: the loop of the real window, keys and all."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setattr(context, "ATTEMPTS", {"window": context.ATTEMPTS["SDL offscreen window"]})
    opened = context.open_canvas(SMALL, "probe", window=True)
    if opened.context is None:
        pytest.skip(f"no SDL window without a display: {opened.reasons}")
    opened.close()
    keys = [pygame.K_SPACE, pygame.K_PERIOD, pygame.K_PERIOD, pygame.K_g, pygame.K_i, pygame.K_h]
    events = [[pygame.event.Event(pygame.KEYDOWN, key=key), pygame.event.Event(pygame.KEYUP, key=key)] for key in keys]
    events += [
        [pygame.event.Event(pygame.VIDEORESIZE, w=400, h=300, size=(400, 300))],
        [
            pygame.event.Event(pygame.MOUSEMOTION, rel=(9, 4), buttons=(1, 0, 0)),
            pygame.event.Event(pygame.MOUSEWHEEL, y=1),
        ],
        [],
        [pygame.event.Event(pygame.QUIT)],
    ]
    monkeypatch.setattr(pygame.event, "get", lambda: events.pop(0))
    wanted = tumble.read_options(["--size", "320x180"])
    scene = tumble.Tumble(wanted)
    assert application.run("tumble", scene, wanted) == 0
    assert scene.world.paused and scene.world.game_mode and scene.world.tick_count >= 2
    assert scene.world.integrator.name != tumble.Tumble(wanted).world.integrator.name
    assert not pygame.display.get_init() and os.environ.get("SDL_VIDEODRIVER") != "offscreen"


class Recorder:
    """A renderer, or the controls, as far as the window needs them: remembers what it was asked for."""

    def __init__(self, quality=HIGH):
        self.quality, self.size, self.pressed = quality, SMALL, []

    def resize(self, size, quality):
        self.size, self.quality = size, quality

    def press(self, key, *, repeated):
        self.pressed.append((key, repeated))


@pytest.mark.parametrize(("seconds", "tier"), [((0.01,), HIGH), ((0.2, 0.01), MEDIUM), ((0.2, 0.2, 0.2), LOW)])
def test_quality_steps_down_tier_by_tier_until_the_frames_are_fast_enough(seconds, tier):
    renderer = Recorder()
    judge = Judge(renderer, active=True)
    judge.note(9.0)  # one slow frame, the first, says nothing
    for taken in seconds:
        for _ in range(FRAMES_JUDGED):
            judge.note(taken)
    assert renderer.quality is tier
    for _ in range(5 * FRAMES_JUDGED):
        judge.note(2.0 * SLOW_FRAME if tier is LOW else 0.01)
    assert renderer.quality is tier


def test_a_quality_asked_for_is_kept_however_slow_it_is():
    renderer = Recorder()
    judge = Judge(renderer, active=False)
    for _ in range(3 * FRAMES_JUDGED):
        judge.note(1.0)
    assert renderer.quality is HIGH


def test_a_larger_window_is_judged_anew():
    renderer = Recorder()
    judge = Judge(renderer, active=True)
    for _ in range(FRAMES_JUDGED):
        judge.note(0.01)
    judge.begin()
    for _ in range(FRAMES_JUDGED):
        judge.note(0.2)
    assert renderer.quality is MEDIUM


def test_a_held_key_repeats_once_a_frame_so_that_slow_actions_do_not_pile_up():
    pygame = pytest.importorskip("pygame")
    controls = Recorder()
    keyboard, down = Keyboard(controls), pygame.event.Event(pygame.KEYDOWN, key=pygame.K_BACKSPACE)
    for _ in range(4):
        keyboard.handle(down)
    assert controls.pressed == [("BACKSPACE", False), ("BACKSPACE", True)]
    keyboard.end_frame()
    keyboard.handle(down)
    keyboard.handle(pygame.event.Event(pygame.KEYUP, key=pygame.K_BACKSPACE))
    keyboard.handle(down)
    assert controls.pressed[2:] == [("BACKSPACE", True), ("BACKSPACE", False)]


class Display:
    """A virtual X display whose screen lies in a file, and a program that presses keys on it."""

    def __init__(self, folder):
        self._screen = folder / "Xvfb_screen0"
        reading, writing = os.pipe()
        options = ["-displayfd", str(writing), "-screen", "0", "700x420x24", "-fbdir", str(folder), "-nolisten", "tcp"]
        self.server = subprocess.Popen(["Xvfb", *options], pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as answer:
            assert select.select([answer], [], [], PATIENCE)[0], "no X server"
            self.name = f":{answer.readline().strip()}"

    def press(self, key):
        subprocess.run(["xdotool", "key", key], env={**os.environ, "DISPLAY": self.name}, check=True, timeout=PATIENCE)

    def screen(self):
        """What is seen, shape (height, width, 3): the file is in the format of `xwd`."""
        data = self._screen.read_bytes()
        header = struct.unpack(">25I", data[:100])
        begin, width, height, row, colours = (header[place] for place in (0, 4, 5, 12, 19))
        pixels = np.frombuffer(data, np.uint8, row * height, begin + 12 * colours).reshape(height, row)
        return pixels[:, : 4 * width].reshape(height, width, 4)[..., 2::-1].astype(int)

    def until(self, holds, what):
        """Wait until the picture on the screen is so; returns it."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            seen = self.screen()
            if holds(seen):
                return seen
            time.sleep(0.05)
        raise AssertionError(f"waited in vain: {what}")

    def settled(self):
        """A picture that has stayed the same for a while: that of a world at rest."""
        last = []

        def is_as_before(seen):
            last[:] = [*last[-4:], seen]
            return len(last) == 5 and all((one == seen).all() for one in last)

        return self.until(is_as_before, "the picture comes to rest")


@pytest.fixture
def display(tmp_path):
    missing = [tool for tool in ("Xvfb", "xdotool") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"no virtual display: {' and '.join(missing)} missing (apt-get install xvfb xdotool)")
    virtual = Display(tmp_path)
    yield virtual
    virtual.server.terminate()
    virtual.server.wait(PATIENCE)


ABOVE = slice(0, 340)
"""The rows of the screen above the line that tells what a key did."""


def test_a_real_window_obeys_the_keys_that_are_pressed(display):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("SDL_", "WAYLAND"))}
    demo = subprocess.Popen(
        [sys.executable, "-m", "demos", "tumble", "--size", "640x360", "--quality", "low"],
        cwd=ROOT,
        env={**environment, "DISPLAY": display.name},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        first = display.until(lambda seen: len(np.unique(seen.reshape(-1, 3), axis=0)) > 500, "the window is drawn")
        display.until(lambda seen: (seen != first).any(), "the ship turns")
        display.press("space")
        paused = display.settled()
        display.press("period")
        display.until(lambda seen: (seen[ABOVE] != paused[ABOVE]).any(), "one tick is taken")
        stepped = display.settled()

        display.press("3")
        display.until(lambda seen: (seen[ABOVE] != stepped[ABOVE]).any(), "the momentum is hidden")
        display.press("3")
        display.until(lambda seen: (seen[ABOVE] == stepped[ABOVE]).all(), "the momentum is shown again")

        before = display.settled()
        display.press("h")
        middle = slice(180, 260), slice(250, 450)
        display.until(
            lambda seen: (seen[middle] != before[middle]).any(axis=-1).mean() > 0.6, "the help covers the middle"
        )
        display.press("q")
        assert demo.wait(PATIENCE) == 0
        assert demo.stdout.read() == b""
    finally:
        demo.kill()
        demo.communicate()
