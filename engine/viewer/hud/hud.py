"""The head-up display over the picture, with status, curves, jets, captions and keys."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeGuard

import numpy as np

from ..files.png import Image
from ..picture.camera import OrbitCamera
from ..picture.curve import number
from ..picture.history import History
from ..picture.keys import help_columns
from ..picture.scene import Binding, Caption, Inset, Picture, Sample, Scene
from . import gauges, lamps, reticle, sparklines
from .font import text_width
from .overlay import LINE, NOTE, QUIET, TEXT, TITLE, Patch, Piece, Pixels, Plate, Row, block, caption, label, wrapped

LABEL_GAP = 0.06  # of an arrow's length, between its tip and its label
SMALLEST = 12
"""The smallest legible height of a line of text, in pixels."""
NARROW = 40
"""A picture narrower than this many text heights shows no curves."""

STATUS = 0.44
"""Largest width of the status in a picture with curves, in widths of the picture, so that its middle stays free."""
INSET = 0.29
"""Side of an inset, in sides of the picture, the shorter one."""
LOWEST = 400
"""A picture with fewer rows of pixels has no room for curves, numbers, lamps and gauges."""

TITLE_SIZE = 1.15
"""Height of the title relative to the other text."""

Size = tuple[int, int]
Fact = tuple[str, str]
"""Name, which may be empty, and value."""


class Hud:
    """Lays out the plates, and caches what does not change from frame to frame."""

    def __init__(self) -> None:
        self._sparklines = sparklines.Sparklines()

    def patches(
        self,
        scene: Scene,
        picture: Picture,
        camera: OrbitCamera,
        size: Size,
        history: History,
        *,
        pace: str = "",
        keys: str = "",
        help_shown: bool = False,
        level: str = "full",
        draw_inset: Callable[[Inset, int], Image] | None = None,
    ) -> list[Patch]:
        """The patches to draw over a frame of this size; captions that a plate would cover move down or are left out.

        `history` ends with the current sample; `pace` takes the place of the pace that was asked for; `keys` is the message of the last
        key. `level` is one of `HUDS`. A picture with fewer than `LOWEST` rows has one line and the dial of the pilot where it would
        have all, because legible plates would cover what they explain. `draw_inset` draws an inset with so many pixels per side.
        """
        unit = _text_height(size)
        margin = round(0.9 * unit)
        is_full = level == "full" and size[1] >= LOWEST
        plates, room = [], size[0] - 2 * margin
        if is_full and size[0] >= NARROW * unit:
            plates.append(self._sparklines.patch(history, unit, size[0] - margin, margin, exact=scene.world.paused))
            room = min(room - plates[0].pixels.shape[1] - margin, round(STATUS * size[0]))
        if is_full:
            plates.append(Patch(margin, margin, _status_block(scene, picture, history.newest, pace, unit, room)))
        elif level != "off":
            plates.append(Patch(margin, margin, _status_line(scene, picture, history.newest, pace, unit, room)))
        if is_full:
            plates += _bottom(picture, unit, margin, size, keys)
            plates += _gauges(picture, plates, unit, margin, size)
        elif level == "full":
            plates += _bottom(replace(picture, lamps=()), unit, margin, size, keys)
        if draw_inset is not None:
            plates += _insets(picture.insets, plates, unit, margin, size, draw_inset)
        if help_shown:
            plates.append(_between(_help_plate(unit, tuple(scene.keys)), plates, size))
        return [*_words(picture, camera, unit, size, plates), *plates]


def labels(picture: Picture, camera: OrbitCamera, size: Size) -> list[Patch]:
    """The labels of arrows and the captions alone."""
    return list(_words(picture, camera, _text_height(size), size, ()))


def _text_height(size: Size, scale: float = 1.0) -> int:
    """The height of a line of text in pixels on a picture of this size, from which all other sizes follow."""
    return max(SMALLEST, round(scale * min(size[1] / 45, size[0] / 64)))


def status_lines(scene: Scene, now: Sample | None = None) -> list[str]:
    """Time and pace, method and tick, drift, as text."""
    return ["   ".join(f"{name} {value}".strip() for name, value in row) for row in status_facts(scene, now)]


def status_facts(scene: Scene, now: Sample | None = None, pace: str = "") -> list[list[Fact]]:
    """Time and pace, method and tick, drift, as rows of names and values."""
    world, now = scene.world, now or scene.sample()
    shown_pace = ("", "paused") if world.paused else ("pace", pace or f"×{world.time_scale:g}")
    dt = f"1/{1.0 / world.dt:.0f} s" if abs(1.0 / world.dt - round(1.0 / world.dt)) < 1e-6 else f"{world.dt:g} s"
    (first, first_form), (second, second_form) = now.curves.first, now.curves.second
    drifts = [(first, number(now.energy_drift, first_form)), (second, number(now.momentum_drift, second_form))]
    if len(world.bodies) == 1:  # for many bodies the sum is slow to compute and not informative
        drifts.append(("L =", f"{np.linalg.norm(world.bodies[0].angular_momentum_world):.5g} N·m·s"))
    return [
        [("time", f"{now.time:.2f} s"), shown_pace, ("tick", dt)],
        [("integrator", world.integrator.name), ("game mode", "on" if world.game_mode else "off")],
        drifts,
    ]


def _status_block(scene: Scene, picture: Picture, now: Sample, pace: str, unit: int, room: int) -> Pixels:
    """The title, the facts with dim names and bright values, and the status of the demo."""
    width, large = room - 2 * unit, round(TITLE_SIZE * unit)
    lines: list[Row] = [(large, ((line, TITLE),)) for line in wrapped(picture.title, large, width) if line]
    for facts in status_facts(scene, now, pace):
        lines += [(unit, pieces) for pieces in _fitted(facts, unit, width)]
    for text in filter(None, picture.status):
        lines += [(unit, ((line, NOTE),)) for line in wrapped(text, unit, width)]
    return block(tuple(lines), unit)


def _status_line(scene: Scene, picture: Picture, now: Sample, pace: str, unit: int, room: int) -> Pixels:
    """The title, and the time and pace behind it where there is room."""
    title, (when, how, _) = picture.title, status_facts(scene, now, pace)[0]
    facts = ((f"   {when[0]} ", QUIET), (when[1], TEXT), (f"   {how[0]} ".rstrip() + " ", QUIET), (how[1], TEXT))
    width = room - 2 * unit
    if title and text_width(title, unit) + _width(facts, unit) > width:
        lines = [(unit, ((line, TITLE),)) for line in wrapped(title, unit, width)]
        return block(tuple(lines), unit)
    return block(((unit, ((title, TITLE), *facts)),), unit)


def _fitted(facts: Sequence[Fact], unit: int, width: int) -> Iterable[tuple[Piece, ...]]:
    """Rows of at most this many pixels, each with as many facts as fit; a fact that does not fit alone is split into several rows."""
    row: tuple[Piece, ...] = ()
    for name, value in facts:
        fact = ((f"{name} ", QUIET), (value, TEXT)) if name else ((value, TEXT),)
        longer = (*row, ("   ", TEXT), *fact) if row else fact
        if row and _width(longer, unit) > width:
            yield row
            longer = fact
        *above, row = [(piece,) for piece in longer] if _width(longer, unit) > width else [longer]
        yield from above
    yield row


def _width(pieces: Iterable[Piece], unit: int) -> int:
    return sum(text_width(text, unit) for text, _ in pieces)


def _bottom(picture: Picture, unit: int, margin: int, size: Size, keys: str) -> Iterable[Patch]:
    """The lamps in the lower right corner, message of the keys and reticle in the lower left one, above the lamps if they do not fit."""
    floor = size[1] - margin
    left_end = size[0] - margin
    found = []
    if picture.lamps:
        pixels = lamps.plate(picture.lamps, unit, size[0] - 2 * margin)
        found.append(Patch(size[0] - margin - pixels.shape[1], floor - pixels.shape[0], pixels))
        left_end = found[0].left - margin
    if keys:
        small = max(SMALLEST, round(0.9 * unit))
        lines = wrapped(keys, small, size[0] - 2 * margin - 2 * unit)
        pixels = block(tuple((small, ((line, QUIET),)) for line in lines), small, accent=False)
        if picture.lamps and margin + pixels.shape[1] > left_end:
            floor = found[0].top - margin
        found.append(Patch(margin, floor - pixels.shape[0], pixels))
        floor = found[-1].top - margin // 2
    if picture.reticle is not None:
        pixels = reticle.plate(picture.reticle, unit, numbers=size[1] >= LOWEST)
        if picture.lamps and margin + pixels.shape[1] > left_end:
            floor = min(floor, found[0].top - margin // 2)
        found.append(Patch(margin, floor - pixels.shape[0], pixels))
    return found


def _gauges(picture: Picture, plates: Sequence[Patch], unit: int, margin: int, size: Size) -> list[Patch]:
    """The gauges on the left above what lies at the lower edge, if there is room."""
    if not picture.gauges:
        return []
    pixels = gauges.plate(picture.gauges, unit)
    under = [plate.top for plate in plates if plate.top > size[1] // 2 and plate.left < margin + pixels.shape[1]]
    floor = min(under) - margin // 2 if under else size[1] - margin
    patch = Patch(margin, floor - pixels.shape[0], pixels)
    return [] if patch.top < margin or any(map(patch.meets, plates)) else [patch]


def _insets(
    insets: Sequence[Inset],
    plates: Sequence[Patch],
    unit: int,
    margin: int,
    size: Size,
    draw: Callable[[Inset, int], Image],
) -> list[Patch]:
    """The insets in the lower right corner, upwards as far as the other plates leave room, and then to the left."""
    found: list[Patch] = []
    side = round(INSET * min(size))
    right, floor = size[0] - margin, size[1] - margin
    for inset in insets:
        pixels = _inset(inset, draw(inset, side), unit)
        patch = Patch(right - pixels.shape[1], floor - pixels.shape[0], pixels)
        if patch.top < margin or any(map(patch.meets, plates)):
            right, floor = right - pixels.shape[1] - margin // 2, size[1] - margin
            patch = Patch(right - pixels.shape[1], floor - pixels.shape[0], pixels)
        if patch.left < margin or any(map(patch.meets, plates)):
            continue
        found.append(patch)
        floor = patch.top - margin // 2
    return found


def _inset(inset: Inset, image: Image, unit: int) -> Pixels:
    """A picture on a plate, with its words below it."""
    side, small = image.shape[0], max(SMALLEST, round(0.85 * unit))
    lines = wrapped(inset.words, small, side - unit)
    if max(text_width(line, small) for line in lines) > side or len(lines) > 3:
        lines = ()
    step = round(LINE * small)
    plate = Plate(side, side + len(lines) * step + (small // 2 if lines else 0), opacity=1.0)
    lit = np.maximum(plate.pixels[:side, :side, :3], image)
    plate.pixels[:side, :side, :3] = lit
    for row, line in enumerate(lines):
        plate.write(line, NOTE, small, (side - text_width(line, small)) // 2, side + row * step)
    return plate.pixels


def notice(text: str, size: Size) -> Patch:
    """A line across the lower edge of a picture of this size; it hides the one that was there before."""
    unit = _text_height(size)
    plate = Plate(size[0], 3 * unit, opacity=1.0)
    plate.write(text, TITLE, unit, round(1.5 * unit), unit)
    return plate.at(0, size[1] - plate.pixels.shape[0])


@lru_cache(maxsize=2)
def _help_plate(unit: int, own: tuple[Binding, ...]) -> Pixels:
    """Keys and what they do, in columns."""
    columns = help_columns(own)
    entries = [entry for column in columns for entry in column]
    step, margin, gap = round(1.4 * unit), unit, round(1.5 * unit)
    keys_wide, meanings_wide = (max(text_width(entry[part], unit) for entry in entries) for part in (0, 1))
    wide = keys_wide + unit + meanings_wide
    rows = max(map(len, columns))
    plate = Plate(2 * margin + len(columns) * (wide + gap) - gap, 2 * margin + rows * step - (step - unit), opacity=0.9)
    for place, column in enumerate(columns):
        for row, (key, meaning) in enumerate(column):
            left, top = margin + place * (wide + gap), margin + row * step
            plate.write(key, TITLE, unit, left, top)
            plate.write(meaning, TEXT, unit, left + keys_wide + unit, top)
    return plate.pixels


def _between(pixels: Pixels, plates: Sequence[Patch], size: Size) -> Patch:
    """Place a plate in the middle of the free space between the others, or of the picture if that space is too small."""
    middle = size[1] // 2
    above = max((plate.bottom for plate in plates if plate.top < middle), default=0)
    below = min((plate.top for plate in plates if plate.top >= middle), default=size[1])
    if below - above > pixels.shape[0]:
        middle = (above + below) // 2
    return Patch((size[0] - pixels.shape[1]) // 2, middle - pixels.shape[0] // 2, pixels)


def _words(picture: Picture, camera: OrbitCamera, unit: int, size: Size, plates: Sequence[Patch]) -> Iterable[Patch]:
    """The labels at the tips of the arrows, and the captions, clear of these plates."""
    for arrow in picture.arrows:
        place = camera.project(arrow.start + (1.0 + LABEL_GAP) * arrow.vector, size) if arrow.label else None
        if _is_within(place, size):
            word = label(arrow.label, arrow.colour, unit, place)
            if not any(map(word.meets, plates)):
                yield word
    taken: list[Patch] = []
    placed = [(words, camera.project(words.position, size)) for words in picture.captions]
    seen = [(words, list(_captions(words, size, place))) for words, place in placed if _is_within(place, size)]
    bars = [each[0][0] for words, each in seen if words.gauges]
    has_room = not any(_overlap(plate, bars[:number], size) for number, plate in enumerate(bars))
    for words, each in seen:
        allowed = each if has_room or not words.gauges else each[1:]
        moved = [_uncovered(one, plates) for one in allowed]
        patches = next((one for one in moved if one and not any(_overlap(patch, taken, size) for patch in one)), [])
        taken += patches
        yield from patches


def _captions(words: Caption, size: Size, place: tuple[float, float]) -> Iterable[list[Patch]]:
    """A caption as it should be, and with ever less for where there is no room."""
    height = _text_height(size, 0.85 * words.scale)
    if words.gauges:
        pixels = gauges.plate(words.gauges, height, words.lines)
        yield [Patch(round(place[0] - pixels.shape[1] / 2), round(place[1]), pixels)]
    yield caption(words.lines, words.colour, height, place)
    yield caption(words.lines[:1], words.colour, SMALLEST, place)


def _uncovered(patches: Sequence[Patch], plates: Sequence[Patch]) -> list[Patch]:
    """A caption that has moved down until no plate covers it, by at most its own height; nothing if that is not enough."""
    top, bottom = min(patch.top for patch in patches), max(patch.bottom for patch in patches)
    for drop in sorted({0, *(plate.bottom - top for plate in plates)}):
        if 0 <= drop <= bottom - top:
            moved = [replace(patch, top=patch.top + drop) for patch in patches]
            if not any(patch.meets(plate) for patch in moved for plate in plates):
                return moved
    return []


def _overlap(patch: Patch, others: Sequence[Patch], size: Size) -> bool:
    """Whether a patch of several is cut by the edge of the picture or lies on another caption."""
    inside = 0 <= patch.left and patch.right <= size[0] and 0 <= patch.top and patch.bottom <= size[1]
    return not inside or any(map(patch.meets, others))


def _is_within(place: tuple[float, float] | None, size: Size) -> TypeGuard[tuple[float, float]]:
    return place is not None and 0.0 <= place[0] <= size[0] and 0.0 <= place[1] <= size[1]
