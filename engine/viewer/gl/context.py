"""Where to draw: a window, else SDL's window without a display, else EGL without a window, else nothing; each failure with its reason."""

import importlib.util
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

from ..command import install
from .resources import GL

OPENGL = 330
"""The version asked for: 3.3 core, what Mesa's software renderer and every card since 2010 has."""


def _do_nothing() -> None:
    """There is nothing to close."""


@dataclass
class Canvas:
    """An OpenGL context, or the reasons why there is none."""

    context: GL = None
    """moderngl's context, or None."""
    kind: str = "none"
    """`window`, `SDL offscreen window`, `EGL` or `none`."""
    reasons: dict[str, str] = field(default_factory=dict)
    """What was tried before, and why it failed."""
    close: Callable[[], None] = _do_nothing

    @property
    def is_window(self) -> bool:
        """True where somebody can look at it and press keys."""
        return self.kind == "window"


def open_canvas(size: tuple[int, int], title: str, *, window: bool) -> Canvas:
    """The first of the ways that works; without `window`, the first is left out."""
    reasons: dict[str, str] = {}
    for kind, attempt in ATTEMPTS.items():
        if kind == "window" and not window:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a failed attempt is told as a reason, once
                context, close = attempt(size, title)
        except Exception as error:  # the ways in which a driver can fail are many; each is remembered
            reasons[kind] = _reason(error)
            continue
        if context.version_code >= OPENGL:
            return Canvas(context, kind, reasons, close)
        reasons[kind] = f"OpenGL {context.version_code / 100:.1f} is too old; {OPENGL / 100:.1f} is needed"
        close()
    return Canvas(reasons=reasons)


def is_missing(package: str) -> bool:
    """True where a package cannot be imported because it is not there."""
    try:
        return importlib.util.find_spec(package) is None
    except ValueError:  # barred by `sys.modules[package] = None`
        return True


def pygame_version() -> str:
    """The versions of pygame and of the SDL that it runs on."""
    from pygame import version

    return f"{version.ver}, SDL {'.'.join(map(str, version.SDL))}"


def advice() -> list[str]:
    """What to install where there is no OpenGL; one line each."""
    packages = [package for package in ("moderngl", "pygame", "pyrr") if is_missing(package)]
    lines = [f"Python packages missing: {', '.join(packages)}; {install('demos')}"] if packages else []
    if "moderngl" not in packages and sys.platform.startswith("linux"):
        lines.append("OpenGL libraries: apt-get install libegl1 libgl1 libgl1-mesa-dri, or a driver with OpenGL 3.3")
    return lines or ["OpenGL 3.3 is needed: a graphics driver that has it"]


def how_to_get_a_window(reasons: dict[str, str]) -> str:
    """One sentence for somebody who got a picture and wanted a window."""
    reason = reasons.get("window", "")
    if is_missing("pygame"):
        return f"For a window: {install('demos')}"
    return (
        f"For a window ({reason}): run it in a desktop session, or over ssh -X, or under a virtual display (xvfb-run)."
    )


def _reason(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"the package {(error.name or str(error)).partition('.')[0]} is missing"
    return " ".join(str(error).split()) or type(error).__name__


def _window(size: tuple[int, int], title: str) -> tuple[GL, Callable[[], None]]:
    import moderngl  # noqa: F401, before SDL opens anything that would have to be closed again
    import pygame
    import pyrr  # noqa: F401

    x11 = sys.platform.startswith(("linux", "freebsd"))
    if (
        x11
        and "SDL_VIDEODRIVER" not in os.environ
        and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    ):
        raise RuntimeError("no display: neither DISPLAY nor WAYLAND_DISPLAY is set")
    pygame.display.init()
    driver = pygame.display.get_driver()
    if driver in ("dummy", "offscreen"):
        pygame.display.quit()
        raise RuntimeError(f"no display could be opened; SDL chose its driver {driver!r}, which displays nothing")
    return _sdl_context(pygame, size, title, pygame.RESIZABLE)


def _sdl_offscreen(size: tuple[int, int], title: str) -> tuple[GL, Callable[[], None]]:
    import moderngl  # noqa: F401
    import pygame
    import pyrr  # noqa: F401

    if pygame.display.get_init():
        raise RuntimeError("a display is in use already")
    kept = os.environ.get("SDL_VIDEODRIVER")
    os.environ["SDL_VIDEODRIVER"] = "offscreen"
    try:
        pygame.display.init()
        return _sdl_context(pygame, size, title, 0)
    finally:
        if kept is None:
            del os.environ["SDL_VIDEODRIVER"]
        else:
            os.environ["SDL_VIDEODRIVER"] = kept


def _egl(size: tuple[int, int], title: str) -> tuple[GL, Callable[[], None]]:
    import moderngl
    import pyrr  # noqa: F401

    if not sys.platform.startswith("linux"):
        context = moderngl.create_standalone_context(require=OPENGL)
    else:
        context = moderngl.create_standalone_context(require=OPENGL, backend="egl")  # type: ignore[arg-type]
    return context, context.release


def _sdl_context(pygame: GL, size: tuple[int, int], title: str, flags: int) -> tuple[GL, Callable[[], None]]:
    import moderngl

    try:
        attribute = pygame.display.gl_set_attribute
        attribute(pygame.GL_CONTEXT_MAJOR_VERSION, OPENGL // 100)
        attribute(pygame.GL_CONTEXT_MINOR_VERSION, OPENGL % 100 // 10)
        attribute(pygame.GL_CONTEXT_PROFILE_MASK, pygame.GL_CONTEXT_PROFILE_CORE)
        attribute(pygame.GL_CONTEXT_FLAGS, pygame.GL_CONTEXT_FORWARD_COMPATIBLE_FLAG)  # macOS gives 3.3 only so
        pygame.display.set_mode(size, flags | pygame.OPENGL | pygame.DOUBLEBUF)
        pygame.display.set_caption(title)
        context = moderngl.create_context(require=OPENGL)
    except Exception:
        pygame.display.quit()
        raise

    def close() -> None:
        context.release()
        pygame.display.quit()

    return context, close


ATTEMPTS: dict[str, Callable[[tuple[int, int], str], tuple[GL, Callable[[], None]]]] = {
    "window": _window,
    "SDL offscreen window": _sdl_offscreen,
    "EGL": _egl,
}
