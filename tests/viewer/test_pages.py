"""The programs of the how-to pages about drawing run, and draw what they say."""

import re

import numpy as np
import pytest

from engine import MassProperties, World
from engine.viewer.gl import context

from ..lengths import long_run
from ..repository.test_docs import blocks, run, text_of
from ..viewing import canvas


@long_run
def test_the_page_about_views_runs(monkeypatch):
    """The window and the loop of one's own in SDL's window without a display, closed after some frames."""
    pygame = pytest.importorskip("pygame")
    with canvas():
        pass
    parts = list(run("how-to/look-at-your-world.md"))
    assert all(printed == shown for _, printed, shown in parts)
    monkeypatch.setattr(context, "ATTEMPTS", {"window": context.ATTEMPTS["SDL offscreen window"]})
    namespace = parts[-1][0]
    world = namespace["world"]
    for function in ("watch", "fly"):
        frames = iter([[]] * 8)
        monkeypatch.setattr(pygame.event, "get", lambda frames=frames: next(frames, [pygame.event.Event(pygame.QUIT)]))
        before = world.tick_count
        try:
            namespace[function]()
        except RuntimeError as error:
            pytest.skip(f"no SDL window without a display: {error}")
        assert world.tick_count > before, function


def test_the_camera_of_the_page_draws_a_box_far_from_the_origin(monkeypatch):
    pygame = pytest.importorskip("pygame")
    moderngl = pytest.importorskip("moderngl")
    monkeypatch.setattr(context, "ATTEMPTS", {"window": context.ATTEMPTS["SDL offscreen window"]})
    opened = context.open_canvas((64, 64), "test", window=True)
    if opened.context is None:
        pytest.skip(f"no SDL window without a display: {opened.reasons}")
    opened.close()
    monkeypatch.setenv("SDL_VIDEODRIVER", "offscreen")
    seen = []
    flip = pygame.display.flip

    def look():
        flip()
        frame = moderngl.get_context().detect_framebuffer()
        seen.append(np.frombuffer(frame.read((0, 0, 640, 480)), np.uint8).reshape(480, 640, 3))

    frames = iter([[]] * 12)
    monkeypatch.setattr(pygame.event, "get", lambda: next(frames, [pygame.event.Event(pygame.QUIT)]))
    monkeypatch.setattr(pygame.display, "flip", look)
    compile_for_one_body()
    try:
        list(run("how-to/3d-camera.md"))
    finally:
        pygame.quit()
    bright = seen[-1].max(axis=-1) > 60
    rows, columns = np.nonzero(bright)
    assert 0.02 < bright.mean() < 0.5, "a box of 2 m at a distance of 8 m"
    assert abs(rows.mean() - 240) < 10 and abs(columns.mean() - 320) < 10, "in the middle"
    assert (seen[-1] != seen[0]).any(), "and it turns"


def compile_for_one_body():
    """Nothing is compiled in the background of tests: the frame behind a compilation would skip seconds, of which the world warns."""
    world = World(0.01)
    world.add_body(MassProperties.sphere(1.0, 1.0))
    world.prepare()
    world.step()
    world.interpolated_matrices((0.0, 0.0, 0.0))


def test_the_matrices_of_the_page_are_those_of_panda3d():
    core = pytest.importorskip("panda3d.core")
    assert "LMatrix4f(*matrix.T.ravel())" in text_of("how-to/3d-camera.md")
    world = World(0.01)
    body = world.add_body(MassProperties.sphere(1.0, 1.0), position=(3.0, 4.0, 5.0), orientation=(0.5, -0.5, 0.1, 0.7))
    (matrix,) = world.interpolated_matrices((1.0, 1.0, 1.0))
    node = core.NodePath("body")
    node.setMat(core.LMatrix4f(*matrix.T.ravel()))
    point = node.getMat().xformPoint(core.LPoint3f(1.0, 2.0, -1.0))
    expected = body.to_world((1.0, 2.0, -1.0)) - (1.0, 1.0, 1.0)
    assert np.allclose(list(point), expected, atol=1e-5)


def test_the_code_of_panda3d_compiles():
    (code,) = re.findall(r"```py\n(.*?)```", text_of("how-to/3d-camera.md"), flags=re.DOTALL)
    compile(code, "3d-camera.md", "exec")
    assert len(blocks("how-to/3d-camera.md")) == 1
