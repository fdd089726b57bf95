"""Shader programs from the files of `shaders/`; a line `#include "name.glsl"` in one of them takes in a shared piece."""

from pathlib import Path

from .resources import GL

SHADERS = Path(__file__).parent.parent / "shaders"


def program(context: GL, vertex: str, fragment: str) -> GL:
    """Compile `vertex`.vert and `fragment`.frag into a program of this context."""
    context.includes.update({path.name: source(path) for path in SHADERS.glob("*.glsl")})
    return context.program(
        vertex_shader=source(SHADERS / f"{vertex}.vert"), fragment_shader=source(SHADERS / f"{fragment}.frag")
    )


def source(path: Path) -> str:
    """The text of a shader. GLSL 3.30 knows nothing but ASCII, and some drivers mind it in comments too."""
    return path.read_text(encoding="utf-8").encode("ascii", "replace").decode("ascii")


def screen_pass(context: GL, fragment: str) -> tuple[GL, GL]:
    """A program that fills a whole target, and the vertex array that runs it with three vertices."""
    filling = program(context, "screen", fragment)
    return filling, context.vertex_array(filling, [])
