"""Redraws the stored pictures."""

from engine.viewer.files.png import write_png
from engine.viewer.gl.context import open_canvas
from tests.golden import FOLDER, GOLDEN, SIZE, draw

if __name__ == "__main__":
    canvas = open_canvas(SIZE, "golden", window=False)
    if canvas.context is None:
        raise SystemExit(f"no OpenGL on this machine: {canvas.reasons}")
    for name, golden in GOLDEN.items():
        write_png(FOLDER / f"{name}.png", draw(golden, canvas.context))
        print(FOLDER / f"{name}.png")
    canvas.close()
