"""A record played again, as a world whose bodies are put where the record has them."""

from __future__ import annotations

import numpy as np

from ...checks import refuse
from ...rotation import slerp
from ...saving.recorder import Record
from ...solids.mass_properties import MassProperties
from ...world import World

_FRAMES_PER_SECOND = 60.0
_LONGEST = 60.0
"""Seconds that a record takes at pace 1 of the window; a longer one is played faster."""
_NEEDED = ("position", "orientation", "mass", "inertia_body", "center_of_mass_body")


def replay(record: Record, owner: str) -> World:
    """Return a world that plays a record.

    Each tick puts the bodies where the record has them at that time, with orientations interpolated on the shortest arc and positions
    linearly. The last sample stays. A body that is not there from the first sample to the last is left out.

    Raises:
        ValueError: If the record has no sample of a body, or lacks a column.
    """
    known = {column.name for column in record.columns}
    for name in _NEEDED:
        if name not in known:
            refuse(owner, "record", record, f"a record with the column {name!r}")
    times = record.time - record.time[0] if len(record) else record.time
    places = [n for n in range(len(record.bodies)) if np.isfinite(record.position[:, n]).all()]
    if not len(record) or not places:
        refuse(owner, "record", record, "a record with at least one sample of one body")
    duration = float(times[-1])
    pace = max(1.0, duration / _LONGEST)
    world = World(dt=pace / _FRAMES_PER_SECOND)
    world.time_scale = pace
    masses, inertias, centers = record["mass"], record["inertia_body"], record["center_of_mass_body"]
    for n in places:
        made = MassProperties(float(masses[0, n]), inertias[0, n], center_of_mass_body=centers[0, n], physical=False)
        world.add_body(made, name=record.bodies[n])
    positions, orientations = record.position[:, places], record.orientation[:, places]
    rates = record["angular_velocity_body"][:, places] if "angular_velocity_body" in known else None
    zeros = np.zeros((len(places), 3))

    def place(world: World) -> None:
        now = min(world.time, duration)
        after = min(int(np.searchsorted(times, now, side="right")), len(times) - 1)
        before = max(after - 1, 0)
        span = float(times[after] - times[before])
        share = (now - float(times[before])) / span if span > 0.0 else 0.0
        turns = slerp(orientations[before], orientations[after], np.full(len(places), share))
        # a stack of quaternions that the record has rounded is brought back to unit length
        world.state.orientation = turns / np.linalg.norm(turns, axis=1, keepdims=True)
        world.state.position = (1.0 - share) * positions[before] + share * positions[after]
        world.state.velocity = zeros
        world.state.angular_velocity_body = (
            zeros if rates is None else (1.0 - share) * rates[before] + share * rates[after]
        )

    place(world)
    world.after_tick(place)
    return world
