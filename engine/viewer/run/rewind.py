"""Goes back in the time of a scene: snapshots of its worlds, and copies of what its own objects hold, frame by frame."""

import warnings
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from functools import cache
from typing import Any

import numpy as np

from ...body import Body
from ...saving.snapshots import Snapshot
from ...world import World
from ..picture.scene import Scene

MOST_FRAMES = 3600
MOST_BYTES = 200e6
"""How much is kept: a minute of frames, or less of large scenes."""
LARGE, SPACING = 1e6, 0.25
"""Of a scene whose frames take more bytes than this, one is kept in so many seconds at pace 1."""
BYTES_PER_BODY, BYTES_PER_OBJECT = 160, 1000
"""About what a frame takes; arrays that do not change are shared with the frame before."""
LASTING = ("view",)
"""Attributes that stay as they are: what the user looks at is no part of the flight."""

_VIEWER = __name__.rpartition(".run.")[0]


@dataclass(frozen=True)
class Frame:
    """A scene at the end of a frame."""

    tick: int
    worlds: list[tuple[World, Snapshot]]
    contents: list[tuple[object, dict[str, object]]]
    """The objects of the scene, each with a copy of its attributes."""
    size: int
    """About how many bytes it takes."""


class Rewind:
    """The last frames of a scene.

    Whatever the user has done in them is undone with them. Worlds are restored by snapshots. Of the objects whose classes are defined by
    the viewer, or in the package or program of the scene, all that the scene reaches are restored attribute by attribute; they stay the
    same objects.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._frames: deque[Frame] = deque()
        self.record()

    def record(self) -> None:
        """Keep the present frame; those of its time and later are forgotten."""
        frames, world = self._frames, self._scene.world
        if frames and frames[-1].worlds[0][0] is not world:  # the scene has begun anew
            frames.clear()
        while frames and frames[-1].tick >= world.tick_count:
            frames.pop()
        if frames and frames[-1].size > LARGE:
            if (world.tick_count - frames[-1].tick) * world.dt < SPACING * world.time_scale:
                return
        frames.append(_frame_of(self._scene, frames[-1].contents if frames else []))
        kept = sum(frame.size for frame in frames) if len(frames) % 60 == 0 else 0
        while len(frames) > MOST_FRAMES or (kept > MOST_BYTES and len(frames) > 2):
            kept -= frames.popleft().size

    def back(self, ticks: int) -> bool:
        """Go back by about so many ticks, or as far as frames are kept; whether there was an earlier frame."""
        frames, world = self._frames, self._scene.world
        now, paused, pace = world.tick_count, world.paused, world.time_scale
        while len(frames) > 1 and frames[-1].tick > now - ticks:
            frames.pop()
        _restore(frames[-1])
        world.paused, world.time_scale = paused, pace
        return frames[-1].tick < now


def _frame_of(scene: Scene, earlier: list[tuple[object, dict[str, object]]]) -> Frame:
    """The current state of a scene, with the contents of an earlier frame to share; its own world comes first."""
    own = _packages_of(scene)
    objects = list(_objects_of(scene, own))
    with warnings.catch_warnings():
        # the warning of state that no snapshot holds is not about these objects, whose attributes are kept here
        warnings.filterwarnings("ignore", message=".*may keep a state")
        worlds = [(each, each.snapshot()) for each in objects if isinstance(each, World)]
    known = {id(each): attributes for each, attributes in earlier}
    contents = []
    for each in objects:
        if not _is_frozen(type(each)):
            before = known.get(id(each), {})
            contents.append((each, {name: _copy(value, before.get(name)) for name, value in _attributes(each, own)}))
    size = sum(BYTES_PER_BODY * len(world.bodies) for world, _snapshot in worlds) + BYTES_PER_OBJECT * len(contents)
    return Frame(scene.world.tick_count, worlds, contents, size)


def _restore(frame: Frame) -> None:
    for world, snapshot in frame.worlds:
        world.restore(snapshot)
    for each, attributes in frame.contents:
        for name, value in attributes.items():
            if name not in LASTING:
                object.__setattr__(each, name, _copy(value))


def _packages_of(scene: Scene) -> tuple[str, ...]:
    """The viewer, and the package that the class of the scene is defined in, or its module where that is in no package."""
    module = type(scene).__module__
    return _VIEWER, module.rpartition(".")[0] or module


def _objects_of(scene: Scene, own: tuple[str, ...]) -> Iterator[object]:
    """The worlds of a scene, its own first, and all objects of its own classes that it reaches by attributes."""
    seen = {id(scene.world), id(scene)}
    found: list[object] = [scene.world, scene]
    for each in found:  # grows
        yield each
        for _name, value in _attributes(each, own):
            for inner in _inside(value):
                if isinstance(inner, Body):
                    inner = inner.world
                if id(inner) not in seen and (isinstance(inner, World) or _is_own(type(inner), own)):
                    seen.add(id(inner))
                    found.append(inner)


def _attributes(each: object, own: tuple[str, ...]) -> Iterator[tuple[str, object]]:
    """The attributes that own classes give to an object."""
    for kind in type(each).__mro__:
        if _is_own(kind, own):
            slots = vars(kind).get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                if hasattr(each, name):
                    yield name, getattr(each, name)
    if _is_own(type(each), own):
        yield from getattr(each, "__dict__", {}).items()


def _is_own(kind: type, own: tuple[str, ...]) -> bool:
    """Whether a class is defined in one of these packages or modules."""
    return _is_within(kind.__module__, own)


@cache
def _is_within(module: str, packages: tuple[str, ...]) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


def _is_frozen(kind: type) -> bool:
    """Whether the attributes of a class never change, though the objects in them may."""
    return is_dataclass(kind) and kind.__dataclass_params__.frozen  # type: ignore[attr-defined]


def _inside(value: object) -> Iterator[object]:
    """A value, or what a container holds."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple | set | deque):
        for item in value:
            yield from _inside(item)
    else:
        yield value


def _copy(value: Any, earlier: Any = None) -> Any:
    """A copy of containers and arrays; everything else is either immutable or restored by itself.

    Arrays that are as in an earlier copy are shared with it.
    """
    if isinstance(value, np.ndarray):
        if not value.flags.writeable:
            return value
        same = isinstance(earlier, np.ndarray) and earlier.shape == value.shape and (earlier == value).all()
        return earlier if same else value.copy()
    if type(value) in (list, tuple):
        before = earlier if type(earlier) is type(value) and len(earlier) == len(value) else [None] * len(value)
        return type(value)(_copy(item, other) for item, other in zip(value, before, strict=True))
    if type(value) is set:
        return set(value)
    if type(value) is deque:
        return deque(map(_copy, value), value.maxlen)
    if type(value) is dict:
        before = earlier if type(earlier) is dict else {}
        return {key: _copy(item, before.get(key)) for key, item in value.items()}
    return value
