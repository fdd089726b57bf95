"""The window: its loop in SDL's window without a display, and a real one under a virtual X display, with simulated key presses."""

import os
import select
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from demos import tumble
from engine import World, rotation
from engine.viewer.gl import context
from engine.viewer.picture.camera import OrbitCamera
from engine.viewer.picture.quality import FRAMES_JUDGED, HIGH, LOW, MEDIUM, SLOW_FRAME
from engine.viewer.run import application
from engine.viewer.run.controls import Controls
from engine.viewer.run.window import Judge, Keyboard

from ..helpers import PATIENCE
from ..viewing import SMALL, colours_in

ROOT = Path(__file__).parents[2]


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
            pygame.event.Event(pygame.MOUSEMOTION, rel=(9, 4), buttons=(1, 0, 0), pos=(60, 40)),
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

    def point(self, pixel, size, is_held):
        pass


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


class Pointed:
    """A scene, as far as the mouse needs it: takes hold of what is in the left half of the picture."""

    keys = ()

    def __init__(self):
        self.world, self.radius, self.rays = World(0.01), 1.0, []

    def point(self, ray, is_held):
        self.rays.append(ray)
        return is_held and ray is not None and ray.direction @ (0.0, 1.0, 0.0) < 0.0


def test_a_scene_is_told_what_the_mouse_points_at_and_may_keep_the_camera_from_turning():
    pygame = pytest.importorskip("pygame")
    scene, camera = Pointed(), OrbitCamera(yaw=0.0, pitch=0.0, distance=10.0)
    keyboard = Keyboard(Controls(scene, camera), SMALL)

    def mouse(kind, x, **more):
        keyboard.handle(pygame.event.Event(kind, pos=(x, 90), **more))

    keyboard.end_frame()
    assert scene.rays == [None]
    for x, turns in ((80, False), (240, True)):
        yaw = camera.yaw
        mouse(pygame.MOUSEMOTION, x, rel=(1, 0), buttons=(0, 0, 0))
        ray = camera.ray((x, 90), SMALL)
        mouse(pygame.MOUSEBUTTONDOWN, x, button=1)
        assert np.array_equal(scene.rays[-1].direction, ray.direction)
        mouse(pygame.MOUSEMOTION, x + 5, rel=(5, 0), buttons=(1, 0, 0))
        assert (camera.yaw != yaw) == turns
        keyboard.end_frame()
        assert np.array_equal(scene.rays[-1].direction, camera.ray((x + 5, 90), SMALL).direction)
        mouse(pygame.MOUSEBUTTONUP, x + 5, button=1)
        yaw = camera.yaw
        mouse(pygame.MOUSEMOTION, x, rel=(-5, 0), buttons=(0, 0, 1))  # another button turns the camera again
        assert camera.yaw != yaw
    keyboard.handle(pygame.event.Event(pygame.WINDOWLEAVE))
    keyboard.end_frame()
    assert scene.rays[-1] is None


@pytest.mark.parametrize("size", [(1280, 720), (300, 500)])
def test_the_line_of_sight_through_a_pixel_has_the_points_that_appear_there(size):
    turn = rotation.to_matrix(rotation.from_axis_angle((0.3, -0.5, 0.8), 1.1))
    camera = OrbitCamera(yaw=1.3, pitch=-0.4, distance=7.0, target=np.array((3.0, -2.0, 5.0)), axes=turn)
    camera.stand_back(1.4, size)
    for pixel in ((0.0, 0.0), (size[0] / 3.0, 0.7 * size[1]), size):
        origin, direction = camera.ray(pixel, size)
        assert np.linalg.norm(direction) == pytest.approx(1.0, abs=1e-15)
        for distance in (1.0, 40.0):
            assert camera.project(origin + distance * direction, size) == pytest.approx(pixel, abs=1e-9)


class Display:
    """A virtual X display whose screen lies in a file, and a program that presses keys on it."""

    def __init__(self, folder):
        self._screen = folder / "Xvfb_screen0"
        reading, writing = os.pipe()
        # -r: a key that a busy machine lets go of late does not repeat
        options = ["-r", "-screen", "0", "700x420x24", "-fbdir", str(folder), "-nolisten", "tcp"]
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), *options], pass_fds=[writing], stderr=subprocess.DEVNULL
        )
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
        return pixels[:, : 4 * width].reshape(height, width, 4)[..., 2::-1]


@pytest.fixture
def display(tmp_path):
    missing = [tool for tool in ("Xvfb", "xdotool") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"no virtual display: {' and '.join(missing)} missing (apt-get install xvfb xdotool)")
    virtual = Display(tmp_path)
    yield virtual
    virtual.server.terminate()
    virtual.server.wait(PATIENCE)


COUNTED_DEMO = """
import os, sys
import pygame
from demos.__main__ import main

pipe, get, flip = int(sys.argv[1]), pygame.event.get, pygame.display.flip

def get_and_tell():
    events = get()
    os.write(pipe, b"K" * sum(event.type == pygame.KEYDOWN for event in events))
    return events

def flip_and_tell():
    flip()
    os.write(pipe, b"F")

pygame.event.get, pygame.display.flip = get_and_tell, flip_and_tell
sys.exit(main(sys.argv[2:]))
"""


class Demo:
    """A demo in a window of its own process, which tells each frame that it has shown and each key that it was given.

    Waiting is counted in its frames, so that a busy machine takes longer and gets the same answer.
    """

    def __init__(self, display, *arguments):
        self._display, self._frames, self._keys = display, 0, 0
        self._told, telling = os.pipe()
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("SDL_", "WAYLAND"))}
        self.process = subprocess.Popen(
            [sys.executable, "-c", COUNTED_DEMO, str(telling), *arguments],
            cwd=ROOT,
            env={**environment, "DISPLAY": display.name},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=[telling],
        )
        os.close(telling)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        os.close(self._told)

    def _listen(self):
        assert select.select([self._told], [], [], PATIENCE)[0], f"no frame and no key within {PATIENCE:g} s"
        told = os.read(self._told, 4096)
        assert told, f"the demo has ended: {self.process.communicate()[0].decode()}"
        self._frames += told.count(b"F")
        self._keys += told.count(b"K")

    def after_frames(self, count):
        """What is seen when so many more frames have been shown."""
        wanted = self._frames + count
        while self._frames < wanted:
            self._listen()
        return self._display.screen()

    def press(self, key):
        """Press a key, and wait until the window has it."""
        wanted = self._keys + 1
        self._display.press(key)
        while self._keys < wanted:
            self._listen()

    def until(self, holds, what):
        """Wait until the picture on the screen is so; returns it."""
        for _ in range(FRAMES_TO_ANSWER):
            seen = self.after_frames(1)
            if holds(seen):
                return seen
        raise AssertionError(f"not within {FRAMES_TO_ANSWER} frames: {what}")

    def at_rest(self):
        """A picture that further frames do not change: that of a world at rest."""
        last = []

        def is_as_before(seen):
            last[:] = [*last[-4:], seen]
            return len(last) == 5 and all((one == seen).all() for one in last)

        return self.until(is_as_before, "the picture comes to rest")


FRAMES_TO_ANSWER = 200
"""A key is obeyed in the next frame; what is shown of it is on the screen a few frames later at most."""
ABOVE = slice(0, 340)
"""The rows of the screen above the line that tells what a key did."""


def test_a_real_window_obeys_the_keys_that_are_pressed(display):
    with Demo(display, "tumble", "--size", "640x360", "--quality", "low") as demo:
        first = demo.until(lambda seen: colours_in(seen) > 500, "the window is drawn")
        demo.until(lambda seen: (seen != first).any(), "the ship turns")
        demo.press("space")
        paused = demo.at_rest()
        demo.press("period")
        demo.until(lambda seen: (seen[ABOVE] != paused[ABOVE]).any(), "one tick is taken")
        stepped = demo.at_rest()

        demo.press("3")
        demo.until(lambda seen: (seen[ABOVE] != stepped[ABOVE]).any(), "the momentum is hidden")
        demo.press("3")
        demo.until(lambda seen: (seen[ABOVE] == stepped[ABOVE]).all(), "the momentum is shown again")

        before = demo.at_rest()
        demo.press("h")
        middle = slice(180, 260), slice(250, 450)
        demo.until(
            lambda seen: (seen[middle] != before[middle]).any(axis=-1).mean() > 0.6, "the help covers the middle"
        )
        demo.press("q")
        assert demo.process.wait(PATIENCE) == 0
        said = demo.process.stdout.read().decode().splitlines()
        assert [line for line in said if not line.startswith("compiling the physics kernels")] == []
