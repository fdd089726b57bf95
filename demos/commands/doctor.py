"""Checks this machine for the demos, measures how fast it draws, and names one fix per problem: `python -m demos doctor`."""

import importlib
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from statistics import median
from typing import Any

from ..internals import HIGH, PROGRAM, TIERS, below, context

SIZE = (1280, 720)
FRAMES_TIMED = 3
"""A frame at the highest tier takes a quarter of a second in software."""

PACKAGES = {
    "numpy": "",
    "numba": "",
    "moderngl": "",
    "pyrr": "",
    "av": "only for --record",
    "trimesh": "only for tumble --mesh",
}
"""The packages; for an optional one, what it is needed for."""

WINDOW = "a desktop session, ssh -X, or a virtual display (xvfb-run)"


@dataclass(frozen=True)
class Finding:
    """One check, its result, and the fix if there is a problem."""

    subject: str
    found: str
    fix: str = ""
    problem: bool = True
    """Whether the fix is required rather than optional."""


def main(arguments: Sequence[str] = ()) -> int:
    """Print the findings; the exit status is 1 if any of them is a problem."""
    if arguments:
        print(f"{PROGRAM} doctor takes no options", file=sys.stderr)
        return 0 if set(arguments) <= {"-h", "--help"} else 2
    problems = 0
    for finding in findings():
        print(f"{finding.subject:12} {finding.found}", flush=True)
        if finding.fix:
            print(f"{'':12} {'fix' if finding.problem else 'if wanted'}: {finding.fix}")
            problems += finding.problem
    print(f"\n{problems} to fix." if problems else "\nNo problems found.")
    return 1 if problems else 0


def findings() -> Iterator[Finding]:
    """Check everything, from Python up to drawing."""
    yield Finding("Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    packages = [_package(package, use) for package, use in PACKAGES.items()]
    yield from packages
    yield _pygame()
    if any(package.fix and package.problem for package in packages):
        yield Finding("drawing", "skipped until the packages are fixed")
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
    return Finding(package, _version(package) or "installed, version unknown")


def _pygame() -> Finding:
    """Check pygame, whose two distributions install into the same folder: the later one wins, and removing one breaks the other."""
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
    """Check the ways to get an OpenGL context, and how fast the best of them draws."""
    canvas = context.open_canvas(SIZE, "doctor · Polhode", window=True)
    try:
        if not canvas.is_window:
            yield Finding("window", f"none: {canvas.reasons['window']}", WINDOW, problem=False)
        if canvas.context is None:
            for kind, reason in canvas.reasons.items():
                yield Finding(kind, f"no: {reason}")
            yield Finding("OpenGL", "none: the demos run, but draw only their telemetry", "; ".join(context.advice()))
            return
        info = canvas.context.info
        yield Finding("OpenGL", f"{info['GL_RENDERER']}, {info['GL_VERSION']}, by {canvas.kind}")
        samples = canvas.context.max_samples
        yield Finding("samples", f"at most {samples} per pixel; the highest tier uses {HIGH.samples}")
        yield from _tiers(canvas.context)
    except Exception as error:  # a driver that has OpenGL in name only
        yield Finding(
            "drawing", f"failed: {_line(error)}", "a newer graphics driver, or Mesa's: apt-get install libgl1-mesa-dri"
        )
    finally:
        canvas.close()


def _tiers(gl: Any) -> Iterator[Finding]:
    """Measure the milliseconds per frame at each tier, and report the tier that a window would use."""
    times = {name: _frame_times(gl, name) for name in TIERS}
    for name, seconds in times.items():
        yield Finding(name, f"{1e3 * median(seconds):.0f} ms per frame of {SIZE[0]} × {SIZE[1]} pixels")
    chosen = HIGH
    while (lower := below(chosen, times[chosen.name])) is not chosen:
        chosen = lower
    yield Finding("quality", f"a window would use {chosen.name}; --quality overrides it")


def _frame_times(gl: Any, tier: str) -> list[float]:
    """Seconds per frame of the tumbling spacecraft, after one warm-up frame."""
    from .. import tumble  # here and not above: its packages may be missing
    from ..internals import Painter, SceneFlight, camera_for

    scene = tumble.Tumble(tumble.read_options([]))
    flight, camera, painter = SceneFlight(scene), camera_for(scene), Painter(gl, SIZE, TIERS[tier])
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
