"""The document that plays a record: the data of the flight, and the program in `flight.min.js` that draws them.

The program is JavaScript with the library three.js in one file, which `npm ci && npm run build` in the folder `source` makes from
`source/flight.js`.
"""

from __future__ import annotations  # help() then shows them as written

import base64
import html
import json
import os
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np
import numpy.typing as npt

from ..body import Body
from ..checks import FloatArray, boolean, direction, file_path, integer, naming_file, real, refuse
from ..plain import PlainObject
from ..saving.recorder import Record
from ..shapes.equivalent_box import equivalent_box
from ..shapes.given import as_shape
from ..shapes.shape import Shape

_OWNER = "notebook.show"


class View:
    """A view of a record, returned by `show`; a notebook shows it as the result of a cell.

    Example:
        >>> view = show(record)  # doctest: +SKIP
        >>> view.save("flight.html")  # doctest: +SKIP
    """

    def __init__(self, flight: Mapping[str, Any], title: str, samples: int, height: int) -> None:
        self._flight, self._title, self._samples, self._height = flight, title, samples, height

    def __repr__(self) -> str:
        count = len(self._flight["bodies"])
        return f"<View of {self._samples} samples of {count} {'body' if count == 1 else 'bodies'}>"

    def _repr_html_(self) -> str:
        document = self.document().replace("&", "&amp;").replace("'", "&#39;")
        style = f"width: 100%; height: {self._height}px; border: 0"
        return f'<iframe title="{html.escape(self._title)}" style="{style}" srcdoc=\'{document}\'></iframe>'

    def document(self) -> str:
        """Return the view as the text of an HTML document, which needs no other file."""
        # a name with "</script>" would end the script
        flight = json.dumps(self._flight, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
        title = html.escape(self._title)
        return Template(_text("page.html")).substitute(title=title, flight=flight, program=_text("flight.min.js"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the view as one HTML file, which every current browser opens without a network.

        Args:
            path: The file, which is replaced if it exists.

        Raises:
            TypeError: If `path` is not a path.
            OSError: If the file cannot be written.

        Example:
            >>> show(record).save("flight.html")  # doctest: +SKIP
        """
        chosen = file_path(path, "path", "View.save")
        with naming_file(chosen, "View.save", "written"):
            chosen.write_text(self.document(), encoding="utf-8", newline="\n")


def show(
    record: Record | str | os.PathLike[str],
    shapes: Mapping[Body | str | int, object] | None = None,
    *,
    follow: Body | str | int = 0,
    axis_body: npt.ArrayLike = (0.0, 0.0, 1.0),
    height: int = 480,
    playing: bool = True,
    at: float = 0.0,
) -> View:
    """Show a record as a moving picture that can be played, paused, scrubbed and turned.

    The picture is centred on one body and has axes parallel to those of the world. It shows that body's angular momentum L about the mass
    centre, its angular velocity ω, and the path of an axis of the body. Arrows are scaled so that the longest of each kind in the record is
    1.6 radii of the body. Orientations between samples are interpolated on the shortest arc, so that a record needs one sample per third
    of a turn.

    Args:
        record: A `Recorder`, a `Record`, or the path of a file that a `Recorder` has streamed.
        shapes: The shape of each body, by its handle, its name or its place in the record: a shape of `engine.shapes`, a pair of vertices
            and faces, or the path of a mesh file, in the body frame from the body's origin. A body without a shape is drawn as the box
            with its mass and principal moments.
        follow: The body in the centre, by its handle, its name or its place in the record.
        axis_body: The axis whose path is drawn at first, body frame, a non-zero vector of shape (3,). The page offers x, y and z as well.
        height: Height of the view in a notebook, in pixels.
        playing: Whether it starts by itself.
        at: Time [s] since the first sample at which it starts.

    Returns:
        The view. It is shown if it is the last line of a notebook cell. `save` writes it as one file of about 0.6 MB plus 60 bytes per body
        and sample.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the record is empty or lacks one of the columns `position` and `orientation`, or those of the box of a body without a
            shape (`mass`, `inertia_body`); if a body is not in it; or if a number is out of range.
        OSError: If a file cannot be read.
        ImportError: If a mesh file is given and trimesh is not installed.

    Example:
        >>> show(record, {"ship": shapes.Cylinder(0.5, 3.0)}, axis_body=(0, 1, 0))  # doctest: +SKIP
    """
    samples = _read(record)
    place = _place(samples, follow, "follow")
    given = _shapes(samples, shapes)
    axis = direction(axis_body, "axis_body", _OWNER)
    tall = integer(height, "height", _OWNER, at_least=100)
    start = real(at, "at", _OWNER, at_least=0.0)
    starts = boolean(playing, "playing", _OWNER)
    positions, orientations = _column(samples, "position"), _column(samples, "orientation")
    centers = samples["center_of_mass_body"] if _has(samples, "center_of_mass_body") else np.zeros_like(positions)
    # relative to the followed body in float64, so that a float32 is fine enough far from the world's origin
    relative = positions - positions[:, place, None]
    moving = [number for number in range(len(samples.bodies)) if _is_there(orientations, number)]
    bodies = []
    for number in moving:
        shape = given.get(number) or _box(samples, number)
        body: PlainObject = {
            "name": samples.bodies[number],
            "radius": float(np.linalg.norm(shape.vertices - _first(centers[:, number]), axis=1).max()),
            "vertices": _encoded(shape.vertices, np.float32),
            "faces": _encoded(shape.faces, np.uint32),
            "position": _encoded(relative[:, number], np.float32),
            "orientation": _encoded(orientations[:, number], np.float32),
            "center": _encoded(centers[:, number], np.float32),
        }
        if number == place:
            for key, name in (("momentum", "angular_momentum_world"), ("rates", "angular_velocity_body")):
                if _has(samples, name):
                    body[key] = _encoded(samples[name][:, number], np.float32)
        bodies.append(body)
    if place not in moving:
        refuse(_OWNER, "follow", follow, "a body that is there in one of the samples")
    distances = np.linalg.norm(relative[0], axis=1)
    flight = {
        "start": float(samples.time[0]),
        "time": _encoded(samples.time - samples.time[0], np.float64),
        "bodies": bodies,
        "follow": moving.index(place),
        "axis": [float(part) for part in axis],
        "extent": float(np.nanmax(distances, initial=0.0)),
        "playing": starts,
        "at": start,
    }
    return View(flight, f"Flight of {samples.bodies[place]}", len(samples), tall)


def _read(record: object) -> Record:
    if isinstance(record, str | os.PathLike):
        record = Record.read(record)
    if not isinstance(record, Record):
        refuse(_OWNER, "record", record, "a Recorder, a Record or the path of a file", TypeError)
    if not len(record) or not record.bodies:
        refuse(_OWNER, "record", record, "a record with at least one sample of one body")
    return record


def _place(record: Record, body: object, argument: str) -> int:
    names = record.bodies
    rule = f"a recorded body ({', '.join(names)}), its name, or its place from 0 to {len(names) - 1}"
    if isinstance(body, Body):
        body = body.name
    if isinstance(body, str):
        if body not in names:
            refuse(_OWNER, argument, body, rule)
        return names.index(body)
    if isinstance(body, bool) or not isinstance(body, int | np.integer):
        refuse(_OWNER, argument, body, rule, TypeError)
    if not 0 <= body < len(names):
        refuse(_OWNER, argument, body, rule)
    return int(body)


def _shapes(record: Record, shapes: object) -> dict[int, Shape]:
    if shapes is None:
        return {}
    if not isinstance(shapes, Mapping):
        refuse(_OWNER, "shapes", shapes, "a dict with a shape per body", TypeError)
    return {
        _place(record, body, "shapes"): as_shape(shape, f"shapes[{body!r}]", _OWNER) for body, shape in shapes.items()
    }


def _has(record: Record, name: str) -> bool:
    return any(column.name == name for column in record.columns)


def _column(record: Record, name: str, hint: str = "") -> FloatArray:
    if not _has(record, name):
        known = ", ".join(column.name for column in record.columns)
        refuse(_OWNER, "record", record, f"a record with the column {name!r}", hint=hint or f"it has {known}")
    return record[name]


def _box(record: Record, number: int) -> Shape:
    hint = f"or give {record.bodies[number]} a shape"
    mass = _first(_column(record, "mass", hint)[:, number])
    inertia = _first(_column(record, "inertia_body", hint)[:, number])
    center = (0.0, 0.0, 0.0)
    if _has(record, "center_of_mass_body"):
        center = _first(record["center_of_mass_body"][:, number])
    return equivalent_box(float(mass), inertia, center)


def _is_there(values: FloatArray, number: int) -> bool:
    return bool(np.isfinite(values[:, number]).any())


def _first(values: FloatArray) -> Any:
    """The first sample in which the body is there."""
    there = np.isfinite(values).reshape(len(values), -1).all(axis=1)
    return values[int(np.argmax(there))]


def _encoded(values: npt.ArrayLike, kind: type[np.number]) -> str:
    """Numbers as the text of their bytes, least significant byte first."""
    array = np.ascontiguousarray(values, np.dtype(kind).newbyteorder("<"))
    return base64.b64encode(array.tobytes()).decode("ascii")


@cache
def _text(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
