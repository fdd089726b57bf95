"""Writes a picture as PNG with nothing but the standard library, so that a machine without any graphics package gets one too."""

import struct
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]


def write_png(path: Path, image: Image) -> None:
    """Write an image of shape (height, width, 3), red green blue, top row first; the folder is made where it is missing.

    Example:
        >>> from engine import viewer
        >>> viewer.running.write_png(Path("ship.png"), viewer.render(world))  # doctest: +SKIP
    """
    height, width, channels = image.shape
    if channels != 3:
        raise ValueError(f"write_png: image must have 3 channels; got shape {image.shape}")
    # Each row begins with its filter type; 2 stores differences to the row above, which compresses gradients well.
    rows = np.empty((height, 1 + 3 * width), np.uint8)
    rows[:, 0] = 2
    flat = image.reshape(height, 3 * width)
    rows[0, 1:] = flat[0]
    rows[1:, 1:] = flat[1:] - flat[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b"")]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
