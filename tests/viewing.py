"""Shared by the tests of the demos: a small scene, its run, and checks of what was drawn."""

import struct
import zlib
from contextlib import contextmanager
from importlib import import_module
from unittest import mock

import numpy as np
import pytest

from demos import running, tumble
from engine.viewer.gl import context
from engine.viewer.picture.scene import FRAME
from engine.viewer.run import application

SMALL = (320, 180)


def read_png(path):
    """Decode what `write_png` writes; an independent reading of the format."""
    data, place, compressed = path.read_bytes(), 8, b""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        assert struct.unpack(">I", data[place + 8 + length : place + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        compressed += body if kind == b"IDAT" else b""
        place += 12 + length
    rows = np.frombuffer(zlib.decompress(compressed), np.uint8).reshape(height, 1 + 3 * width)
    assert (rows[:, 0] == 2).all()
    return np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).reshape(height, width, 3)


def new_scene(*arguments):
    return tumble.Tumble(tumble.read_options(arguments))


def scene_of(name, *arguments):
    """The scene of any demo that is drawn by the viewer, not shown yet."""
    with mock.patch.object(running, "main", lambda _, make, wanted: make(wanted)):
        return import_module(f"demos.{name}").main(arguments)


def fly(scene, frames):
    for _ in range(frames):
        scene.world.advance(FRAME)
    return scene


camera_for = application.camera_for


@contextmanager
def canvas(size=SMALL):
    """A place to draw without a window; the test is skipped, with the reason, where there is none."""
    opened = context.open_canvas(size, "test", window=False)
    if opened.context is None:
        pytest.skip(f"no OpenGL on this machine: {opened.reasons}")
    try:
        yield opened
    finally:
        opened.close()


def colours_in(image):
    """The number of different colours in a picture of bytes, shape (height, width, 3)."""
    return len(np.unique(image.astype(np.int32) @ (65536, 256, 1)))


def looks_like_the_scene(image):
    """Dark space, a bright ship, and the amber of L."""
    red, green, blue = (image[..., i].astype(int) for i in range(3))
    amber = (red > 180) & (green > 90) & (green < 190) & (blue < 90)
    dark = image.max(axis=-1) < 60
    bright = image.min(axis=-1) > 150
    return amber.mean() > 5e-4 and dark.mean() > 0.3 and bright.mean() > 2e-3 and colours_in(image) > 500
