"""Says what this machine has for the demos, how fast it draws, and one fix for each problem: `python -m demos doctor`."""

import importlib
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from statistics import median
from typing import Any

from demos.viewer import context
from demos.viewer.quality import HIGH, TIERS, below

SIZE = (1280, 720)
FRAMES_TIMED = 3
"""A frame at the highest tier takes a quarter of a second in software."""

PACKAGES = {"numpy": "", "numba": "", "moderngl": "", "pyrr": "", "av": "only for --record"}
"""Each with what it is for, where the demos run without it."""

WINDOW = "a desktop session, ssh -X, or a virtual display (xvfb-run)"


@dataclass(frozen=True)
class Finding:
    """One thing looked at, what was found, and what to do about it where it is a problem."""

    subject: str
    found: str
    fix: str = ""
    problem: bool = True
    """Whether the fix is needed, and not only offered."""


def main(arguments: Sequence[str] = ()) -> int:
    """Print the findings; the exit status is 1 where one is a problem."""
    if arguments:
        print("python -m demos doctor takes no options", file=sys.stderr)
        return 0 if set(arguments) <= {"-h", "--help"} else 2
    problems = 0
    for finding in findings():
        print(f"{finding.subject:12} {finding.found}", flush=True)
        if finding.fix:
            print(f"{'':12} {'fix' if finding.problem else 'if wanted'}: {finding.fix}")
            problems += finding.problem
    print(f"\n{problems} to fix." if problems else "\nAll is well.")
    return 1 if problems else 0


def findings() -> Iterator[Finding]:
    """Look at everything, from the ground up."""
    yield Finding("Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    packages = [_package(package, use) for package, use in PACKAGES.items()]
    yield from packages
    yield _pygame()
    if any(package.fix and package.problem for package in packages):
        yield Finding("drawing", "not tried before the packages are right")
    else:
        yield from _drawing()


def _package(package: str, use: str) -> Finding:
    install = f"pip install {package}"
    if context.is_missing(package):
        return Finding(package, f"missing ({use})" if use else "missing", install, problem=not use)
    try:
        importlib.import_module(package)
    except Exception as error:  # a broken installation can fail in any way
        return Finding(package, f"cannot be imported: {_line(error)}", f"pip install --force-reinstall {package}")
    return Finding(package, _version(package) or "there, of unknown version")


def _pygame() -> Finding:
    """The two distributions of pygame put their files into the same folder; the later one wins, and removing one breaks the other."""
    present = [name for name in ("pygame", "pygame-ce") if _version(name)]
    if len(present) == 2:
        fix = "pip uninstall -y pygame pygame-ce, then pip install one of them"
        return Finding("pygame", "pygame and pygame-ce are both installed, in the same folder", fix)
    wanted = present[0] if present else "pygame-ce" if sys.version_info >= (3, 14) else "pygame"
    found = _package("pygame", "")
    if found.fix:
        return Finding("pygame", found.found, found.fix.replace("pygame", wanted))
    return Finding("pygame", f"{' '.join(present)} {context.pygame_version()}")


def _drawing() -> Iterator[Finding]:
    """The ways to an OpenGL context, and how fast the best of them draws."""
    canvas = context.open_canvas(SIZE, "doctor · Polhode", window=True)
    try:
        if not canvas.is_window:
            yield Finding("window", f"none: {canvas.reasons['window']}", WINDOW, problem=False)
        if canvas.context is None:
            for kind, reason in canvas.reasons.items():
                yield Finding(kind, f"no: {reason}")
            yield Finding("OpenGL", "none: the demos fly, and draw only their telemetry", "; ".join(context.advice()))
            return
        info = canvas.context.info
        yield Finding("OpenGL", f"{info['GL_RENDERER']}, {info['GL_VERSION']}, by {canvas.kind}")
        samples = canvas.context.max_samples
        yield Finding("samples", f"{samples} a pixel at most; the highest tier takes {HIGH.samples}")
        yield from _tiers(canvas.context)
    except Exception as error:  # a driver that has OpenGL in name only
        yield Finding(
            "drawing", f"failed: {_line(error)}", "a newer graphics driver, or Mesa's: apt-get install libgl1-mesa-dri"
        )
    finally:
        canvas.close()


def _tiers(gl: Any) -> Iterator[Finding]:
    """Milliseconds a frame at each tier, and the one a window would come to."""
    times = {name: _frame_times(gl, name) for name in TIERS}
    for name, seconds in times.items():
        yield Finding(name, f"{1e3 * median(seconds):.0f} ms a frame of {SIZE[0]} × {SIZE[1]} pixels")
    chosen = HIGH
    while (lower := below(chosen, times[chosen.name])) is not chosen:
        chosen = lower
    yield Finding("quality", f"a window would be drawn at {chosen.name}; --quality says otherwise")


def _frame_times(gl: Any, tier: str) -> list[float]:
    """Seconds of some frames of the tumbling spacecraft, after one to warm up."""
    from demos import tumble  # here and not above: its packages may be missing
    from demos.viewer.application import camera_for
    from demos.viewer.flight import Flight
    from demos.viewer.painter import Painter

    scene = tumble.Tumble(tumble.read_options([]))
    flight, camera, painter = Flight(scene), camera_for(scene), Painter(gl, SIZE, TIERS[tier])
    times = []
    for _ in flight.frames(1 + FRAMES_TIMED):
        began = time.perf_counter()
        painter.paint(scene, camera, flight.history)
        gl.finish()
        times.append(time.perf_counter() - began)
    painter.renderer.release()
    return times[1:]


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
