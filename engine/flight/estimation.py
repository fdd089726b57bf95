"""An estimator of attitude and gyro bias from a gyro and star trackers."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Callable, Iterable
from math import inf, nan, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, NonFiniteStateError, members, read_only, real, refuse, unit_quaternion
from ..compilation.bound import Bound
from ..compilation.compiler import inlined, kernel, plain
from ..compilation.packed import Packed, unpack
from ..kernels.attitude_filter import (
    Estimate,
    GyroNoise,
    Path,
    Sighting,
    Since,
    extended,
    mean_rate,
    path_since,
    predicted,
    started,
    turn_of,
    updated,
)
from ..kernels.quaternions import Quaternion
from ..kernels.small_matrices import Matrix, inverse_symmetric
from ..kernels.vectors import Vector, apply_symmetric, dot
from ..loops.columns import (
    Array,
    Integers,
    IntegerTable,
    load_quaternion,
    load_symmetric,
    load_vector,
    store_quaternion,
    store_vector,
)
from ..loops.layout import TICKS
from ..reading import reading
from ..store.host import Host
from ..store.rows import Given, Parameter, Quantity, checked, fixed, reference_fields
from ..store.schema import FLAG, NOT_NEGATIVE, POSITIVE, TICKED, UNIT, Field, Kind, Schema
from ..store.table import IntArray, Mask
from .instruments import ACROSS, ALONG, BORESIGHT, SAMPLES, TICK, VALID, VALUE
from .optical_sensors import StarTracker
from .part import Place, SampledPart
from .sensor import Maximum, limit_of
from .sensors import Gyro

ATTITUDE_FILTERS = Schema(
    "attitude filters",
    (
        *reference_fields("body"),
        Field("density", Kind.MODEL, 1, "rad/√s", digest=0, rule=NOT_NEGATIVE, meaning="of the noise of the gyro"),
        Field("walk", Kind.MODEL, 1, "rad/s/√s", digest=1, rule=NOT_NEGATIVE, meaning="of the bias of the gyro"),
        Field("bias_deviation", Kind.MODEL, 1, "rad/s", digest=2, rule=POSITIVE, meaning="of the initial bias"),
        Field("rate_deviation", Kind.MODEL, 1, "rad/s", digest=3, rule=POSITIVE, meaning="of the rate while the gyro is silent"),
        Field("gate", Kind.MODEL, digest=34, rest=inf, meaning="largest residual of a sighting that is used, in standard deviations"),
        # what has been measured since the start, in a ring of rows
        Field("turn", Kind.STATE, 4, digest=4, rest=(0.0, 0.0, 0.0, 1.0), meaning="rotation by the gyro"),
        Field("bias_angle", Kind.STATE, 3, "rad", digest=5, meaning="what was taken off the gyro, in the body frame at the start"),
        Field("tick", Kind.STATE, digest=6, rest=-1.0, meaning="the tick of the sample", stored=TICKED),
        Field("drift", Kind.STATE, 1, "rad²", "body", digest=18, meaning="variance before the sample from a silent gyro"),
        Field("turn_integral", Kind.STATE, 9, "s", digest=30, meaning="of the rotation to the body frame at the start, by rows"),
        # of the first row
        Field("latest_turn", Kind.STATE, 4, digest=7, rest=(0.0, 0.0, 0.0, 1.0)),
        Field("latest_bias_angle", Kind.STATE, 3, "rad", digest=8),
        Field("latest_tick", Kind.STATE, digest=9, rest=-1.0, stored=TICKED),
        Field("latest_drift", Kind.STATE, 1, "rad²", "body", digest=19),
        Field("latest_turn_integral", Kind.STATE, 9, "s", digest=31),
        Field("is_started", Kind.STATE, digest=10, meaning="whether there is an estimate", stored=FLAG),
        Field("silence", Kind.STATE, 1, "s", digest=11, meaning="time without a valid reading of the gyro"),
        Field("rate", Kind.STATE, 3, "rad/s", "body", digest=12, meaning="last valid reading of the gyro"),
        Field("orientation", Kind.STATE, 4, digest=13, rest=(0.0, 0.0, 0.0, 1.0), stored=UNIT),
        Field("bias_body", Kind.STATE, 3, "rad/s", "body", digest=14),
        Field("angles", Kind.STATE, 6, "rad²", "body", digest=15, meaning="covariance of the angles: xx, yy, zz, xy, xz, yz"),
        Field("mixed", Kind.STATE, 9, "rad²/s", "body", digest=16, meaning="covariance of angles with biases, by rows"),
        Field("biases", Kind.STATE, 6, "rad²/s²", "body", digest=17, meaning="covariance of the biases"),
        Field("left_out", Kind.STATE, 1, "rad²", "body", digest=32, meaning="variance from a silent gyro that angles leaves out"),
        # the estimate now from the sightings that are as old as the longest delay, or older
        Field("settled", Kind.STATE, digest=20, rest=-1.0, meaning="whether there is one; -1 for that of all sightings"),
        Field("settled_orientation", Kind.STATE, 4, digest=21, rest=(0.0, 0.0, 0.0, 1.0), stored=UNIT),
        Field("settled_bias_body", Kind.STATE, 3, "rad/s", "body", digest=22),
        Field("settled_angles", Kind.STATE, 6, "rad²", "body", digest=23),
        Field("settled_mixed", Kind.STATE, 9, "rad²/s", "body", digest=24),
        Field("settled_biases", Kind.STATE, 6, "rad²/s²", "body", digest=25),
        Field("settled_left_out", Kind.STATE, 1, "rad²", "body", digest=33),
        Field("residual", Kind.STATE, 3, "rad", "body", digest=35, meaning="of the sighting that was taken last"),
        Field("residual_covariance", Kind.STATE, 6, "rad²", "body", digest=36, meaning="that was expected of it"),
        Field("is_rejected", Kind.STATE, digest=37, meaning="whether the gate left it out"),
        # the sightings that have arrived earlier, in one ring of rows per tracker
        Field("seen", Kind.STATE, 4, digest=26, rest=(0.0, 0.0, 0.0, 1.0), meaning="orientation that a tracker has measured"),
        Field("seen_boresight", Kind.STATE, 3, "-", "body", digest=27),
        Field("seen_noise", Kind.STATE, 2, "rad", digest=28, meaning="across and along the boresight"),
        Field("seen_tick", Kind.STATE, digest=29, rest=-1.0, meaning="the tick in which it was taken", stored=TICKED),
    ),
)  # fmt: skip

_DENSITY, _WALK = ATTITUDE_FILTERS.row("density"), ATTITUDE_FILTERS.row("walk")
_BIAS_DEVIATION, _RATE_DEVIATION = ATTITUDE_FILTERS.row("bias_deviation"), ATTITUDE_FILTERS.row("rate_deviation")
_GATE = ATTITUDE_FILTERS.row("gate")
_TURN, _TICK, _DRIFT = (ATTITUDE_FILTERS.row(name) for name in ("turn", "tick", "drift"))
_SEEN, _SEEN_TICK = ATTITUDE_FILTERS.row("seen"), ATTITUDE_FILTERS.row("seen_tick")
_SEEN_BORESIGHT, _SEEN_NOISE = ATTITUDE_FILTERS.row("seen_boresight"), ATTITUDE_FILTERS.row("seen_noise")
_STATE = ATTITUDE_FILTERS.row("latest_turn")
_SIZE = _SEEN - _STATE
_WHOLE_STATE = slice(_STATE, _SEEN)
# places in the state, from `latest_turn` on
_BIAS_ANGLE, _LATEST_TICK, _LATEST_DRIFT, _TURN_INTEGRAL = 4, 7, 8, 9
_IS_STARTED, _SILENCE, _RATE, _ORIENTATION, _BIAS = 18, 19, 20, 23, 27
_ANGLES, _MIXED, _BIASES, _LEFT_OUT = 30, 36, 45, 51
_SETTLED, _RESIDUAL = 52, 82
_RESIDUAL_COVARIANCE, _IS_REJECTED = _RESIDUAL + 3, _RESIDUAL + 9
_MEASURED = _IS_STARTED
"""The number of the first of them, which rings remember."""
_RING = slice(_TURN, _TURN + _MEASURED)
_ESTIMATE_SIZE = _SETTLED - _ORIENTATION
_OF_ATTITUDE = slice(_STATE + _RATE, _STATE + _BIAS + 3)
"""Rate, orientation and bias."""


class Seen(NamedTuple):
    """What a tracker has seen."""

    orientation: Quaternion
    boresight: Vector
    across: float
    """Standard deviation about axes across the boresight [rad]."""
    along: float
    """The same about the boresight [rad]."""


_NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_UNKNOWN = 10.0
"""The variance [rad²] up to which the angle about an axis becomes uncertain without a gyro; an attitude is never wrong by more than π."""
_LARGEST_PART = 0.5
"""Longer turns without a sample are predicted in parts of this angle [rad], because their integral is a sum by Simpson's rule."""
_MOST_PARTS = 10_000.0
"""Turns of more than 5000 rad are predicted in this many parts."""


class Sampled(NamedTuple):
    """The arguments of the kernel that samples one filter."""

    filters: Array
    """The table of the filters."""
    row: int
    """The first row of the filter."""
    length: int
    """The number of rows of each of its rings."""
    rings: int
    """The number of rings of sightings."""
    gyros: Array
    """The table of the gyros."""
    gyro: int
    """The row of the gyro."""
    trackers: Array
    """The table of the star trackers."""
    sources: IntegerTable
    """For each tracker without a ring its first row and its number of slots, shape (2, k)."""
    control: Integers
    """What belongs to the bodies."""
    every: int
    """Ticks between two samples."""
    dt: float
    """Length of a tick [s]."""
    out: Array
    """Where the state is written, shape (_SIZE, 1)."""


@kernel("attitude-filter-sample")
def _sample_filter(packed: Packed[Sampled]) -> int:
    """Write the state of a filter at a tick, whose sightings for rings have been written, and return whether it is finite."""
    sampled = unpack(packed)
    filters, row, count, trackers = sampled.filters, sampled.row, sampled.length, sampled.trackers
    every, dt, sources, out, tick = sampled.every, sampled.dt, sampled.sources, sampled.out, int(sampled.control[TICKS])
    is_finite = _predicted(filters, row, sampled.gyros, sampled.gyro, tick, every, dt, out)
    for source in range(sources.shape[1]):
        tracker = int(sources[0, source])
        slot = _arrival(trackers, tracker, int(sources[1, source]), 1, tick)
        if slot < 0 or not is_finite:
            continue
        taken = int(trackers[TICK, slot])
        then = row + taken // every % count if taken < tick else -1
        if then >= 0 and filters[_TICK, then] != taken:  # it is older than what is remembered
            continue
        _use(filters, row, count, then, _seen_by(trackers, tracker, slot), every, dt, out)
        is_finite = _is_finite(out)
    if sampled.rings > 0 and is_finite:
        is_finite = _used_waiting(filters, row, count, sampled.rings, tick, every, dt, out)
    return int(is_finite)


@inlined
def _arrival(trackers: Array, tracker: int, slots: int, apart: int, tick: int) -> int:
    """The row of the valid sighting that arrives from a tracker in a tick, or -1; its slots are so many rows apart."""
    number = int(trackers[SAMPLES, tracker])
    if number < slots or trackers[TICK, tracker + (number - 1) % slots * apart] != tick:
        return -1
    slot = tracker + number % slots * apart
    return slot if trackers[VALID, slot] > 0.0 else -1


@inlined
def _seen_by(trackers: Array, tracker: int, slot: int) -> Seen:
    """The sighting in a row of a tracker, whose first row is given too."""
    return Seen(
        load_quaternion(trackers, VALUE, slot),
        load_vector(trackers, BORESIGHT, tracker),
        float(trackers[ACROSS, tracker]),
        float(trackers[ALONG, tracker]),
    )


@inlined
def _predicted(filters: Array, row: int, gyros: Array, gyro: int, tick: int, every: int, dt: float, out: Array) -> bool:
    """Write the state of a filter at a tick before it looks at star trackers; the estimate is the settled one, if there is one.

    Args:
        filters: The table of the filters.
        row: The first row of the filter.
        gyros: The table of the gyros.
        gyro: The row of the gyro.
        tick: Number of the tick.
        every: Ticks between two samples.
        dt: Length of a tick [s].
        out: Where the state is written, shape (_SIZE, 1).

    Returns:
        Whether it is finite.
    """
    for place in range(_SIZE):
        out[place, 0] = filters[_STATE + place, row]
    if out[_SETTLED, 0] >= 0.0:
        out[_IS_STARTED, 0] = out[_SETTLED, 0]
        for place in range(_ESTIMATE_SIZE):
            out[_ORIENTATION + place, 0] = out[_SETTLED + 1 + place, 0]
    is_valid = gyros[VALID, gyro] > 0.0 and gyros[TICK, gyro] == tick
    last_tick, last, silence = out[_LATEST_TICK, 0], load_vector(out, _RATE, 0), out[_SILENCE, 0]
    rate = load_vector(gyros, VALUE, gyro) if is_valid else last
    drift = 0.0
    if last_tick >= 0.0:
        seconds = (tick - last_tick) * dt
        # the mean of two readings, if there are readings at both ends of one sample interval
        is_sound = is_valid and silence == 0.0 and tick - last_tick == every
        bias = load_vector(out, _BIAS, 0)
        mean = mean_rate(last if is_sound else rate, rate, bias)
        angle = seconds * sqrt(dot(mean, mean))
        parts = 1 + int(min(angle / _LARGEST_PART, _MOST_PARTS))
        part = seconds / parts
        turn, path = turn_of(mean, part), _load_path(out, 0, 0)
        for _ in range(parts):
            path = extended(path, turn, part, bias)
        store_quaternion(out, 0, 0, path.turn)
        store_vector(out, _BIAS_ANGLE, 0, path.bias_angle)
        _store_matrix(out, _TURN_INTEGRAL, path.integral)
        # the rate has a constant error during the silence; what sightings have found of it since does not count
        deviation, lasting = filters[_RATE_DEVIATION, row], silence
        if out[_IS_STARTED, 0] > 0.0:
            largest = max(out[_ANGLES, 0], out[_ANGLES + 1, 0], out[_ANGLES + 2, 0])
            lasting = min(silence, sqrt(largest) / deviation)
        drift = 0.0 if is_sound else deviation * deviation * seconds * (seconds + 2.0 * lasting)
        if out[_IS_STARTED, 0] > 0.0:
            # a larger variance says no more, and the next sighting would leave only the rounding of it
            known = min(out[_ANGLES, 0], out[_ANGLES + 1, 0], out[_ANGLES + 2, 0])
            added = min(drift, max(_UNKNOWN - known, 0.0))
            out[_LEFT_OUT, 0] += drift - added
            estimate, noise = _load_estimate(out), _noise(filters, row, every, dt)
            for _ in range(parts):
                estimate = predicted(estimate, turn, part, noise, added / parts)
            _store_estimate(out, estimate)
        silence = silence + seconds
    elif not is_valid:
        silence = every * dt
    out[_SILENCE, 0] = 0.0 if is_valid else silence
    out[_LATEST_TICK, 0] = tick
    out[_LATEST_DRIFT, 0] = drift
    store_vector(out, _RATE, 0, rate)
    return _is_finite(out)


@inlined
def _used_waiting(
    filters: Array, row: int, count: int, rings: int, tick: int, every: int, dt: float, out: Array
) -> bool:
    """Settle the sightings as old as the longest delay, and write the estimate from these and from all later ones.

    All sightings are used in the order in which they were taken, which `updated` needs. The settled estimate goes on from tick to tick. The
    one with the later sightings is made from it anew at each sample, since an older one may still arrive.

    Args:
        filters: The table of the filters.
        row: The first row of the filter.
        count: The number of rows of each of its rings.
        rings: The number of rings of sightings.
        tick: Number of the tick.
        every: Ticks between two samples of the filter.
        dt: Length of a tick [s].
        out: The predicted settled state with the sightings that arrive last, which is replaced, shape (_SIZE, 1).

    Returns:
        Whether the new state is finite.
    """
    for age in range(count - 1, -1, -1):
        taken = tick - age * every
        slot = taken // every % count
        if age == 0 or (taken >= 0 and filters[_TICK, row + slot] == taken):  # else it is older than what is remembered
            then = row + slot if age > 0 else -1
            for ring in range(rings):
                seen = row + ring * count + slot
                if filters[_SEEN_TICK, seen] == taken:
                    sighting = Seen(
                        load_quaternion(filters, _SEEN, seen),
                        load_vector(filters, _SEEN_BORESIGHT, seen),
                        float(filters[_SEEN_NOISE, seen]),
                        float(filters[_SEEN_NOISE + 1, seen]),
                    )
                    _use(filters, row, count, then, sighting, every, dt, out)
        if age == count - 1:
            out[_SETTLED, 0] = out[_IS_STARTED, 0]
            for place in range(_ESTIMATE_SIZE):
                out[_SETTLED + 1 + place, 0] = out[_ORIENTATION + place, 0]
    return _is_finite(out)


_BLOCK = 8
"""Members of which a line of the cache has the numbers next to each other."""


@inlined
def _read(filters: Array, first: int, members: int, block: int, row: int, begin: int, end: int, own: Array) -> None:
    """Put places of a row of some members together, the first of which is `block`."""
    rows = own.shape[1] // _BLOCK
    for place in range(begin, end):
        for other in range(min(_BLOCK, members - block)):
            own[place, other * rows + row] = filters[place, first + row * members + block + other]


@inlined
def _read_by_use(taken: int, tick: int, every: int, count: int) -> tuple[int, int, int]:
    """The rows of which `_use` reads more than ticks and drifts: when a sighting was taken, and in the middle since then."""
    samples = (tick - taken) // every
    then = taken // every
    return then % count, (then + samples // 2) % count, (then + samples - samples // 2) % count


@inlined
def _have(filters: Array, first: int, members: int, block: int, row: int, own: Array, is_here: Integers) -> None:
    """Put what a row of a ring remembers together, unless that has been done for these members."""
    if is_here[row] == 0:
        is_here[row] = 1
        _read(filters, first, members, block, row, 0, _STATE, own)
        _read(filters, first, members, block, row, _SEEN, own.shape[0], own)


@kernel("attitude-filters-of-members")
def _sample_members(
    filters: Array,
    first: int,
    count: int,
    gyros: Array,
    gyro: int,
    trackers: Array,
    sources: Integers,
    ticks: Integers,
    due: Integers,
    every: int,
    dt: float,
    own: Array,
    out: Array,
    is_changed: Integers,
    is_here: Integers,
    states: Array,
    places: Integers,
    measured: Array,
    sightings: Array,
) -> int:
    """Sample the filter of each member of a batch that is due, as `FilterSamples` samples one.

    Of the rows of a ring, that of the sample and those of new sightings change, and all when a filter forgets what it remembers. Rings
    are long where trackers are late, and the rows of a member are far apart, so that they are read for some members together, and only
    those that a sighting names or that change.

    Args:
        filters: The table of the filters.
        first: Its first row; row r of member m is the row ``first + r n + m``.
        count: The number of rows of each ring.
        gyros: The table of the gyros.
        gyro: The row of the gyro of the first member.
        trackers: The table of the star trackers.
        sources: For each tracker its first row, its number of slots, and its ring of sightings or -1, shape (3, k).
        ticks: Number of the tick of each member, shape (n,).
        due: Whether each member is sampled, shape (n,); set to 2 where the estimate is not finite.
        every: Ticks between two samples.
        dt: Length of a tick [s].
        own: Where what is needed of the rows of some members is put together, shape (size, rows _BLOCK).
        out: The state of one filter, shape (_SIZE, 1).
        is_changed: Which of these rows change, shape (rows,).
        is_here: Which of them have been read, shape (rows,).
        states: Filled with the states of the members that are sampled, one after another, shape (_SIZE, n).
        places: Filled with the rows of rings that change, counted from the first one, shape (rows n,).
        measured: Filled with what these remember of the gyro, shape (_MEASURED, rows n).
        sightings: Filled with what these remember of trackers, shape (size - _SEEN, rows n).

    Returns:
        How many rows of rings change.
    """
    members, rows, size = ticks.shape[0], own.shape[1] // _BLOCK, own.shape[0]
    found, sampled, rings = 0, 0, 0
    for source in range(sources.shape[1]):
        rings = max(rings, int(sources[2, source]) + 1)
    for member in range(members):
        block, base = member // _BLOCK * _BLOCK, member % _BLOCK * rows
        if member == block:
            for row in range(rows):
                is_here[row] = 0
                _read(filters, first, members, block, row, _TICK, _DRIFT + 1, own)
                _read(filters, first, members, block, row, _SEEN_TICK, _SEEN_TICK + 1, own)
            _read(filters, first, members, block, 0, _STATE, _SEEN, own)
            _have(filters, first, members, block, 0, own, is_here)
        if due[member] == 0:
            continue
        for row in range(rows):
            is_changed[row] = 0
        tick = int(ticks[member])
        if own[_STATE + _LATEST_TICK, base] != tick - every or (rings > 0 and own[_STATE + _SETTLED, base] < 0.0):
            own[_STATE + _SETTLED, base] = -1.0
            for row in range(rows):
                _have(filters, first, members, block, row, own, is_here)
                own[_TICK, base + row] = own[_SEEN_TICK, base + row] = -1.0
                is_changed[row] = 1
        is_finite = _predicted(own, base, gyros, gyro + member, tick, every, dt, out)
        for source in range(sources.shape[1]):
            tracker, slots, ring = int(sources[0, source]) + member, int(sources[1, source]), int(sources[2, source])
            slot = _arrival(trackers, tracker, slots, members, tick)
            if slot < 0:
                continue
            taken = int(trackers[TICK, slot])
            remembered = taken // every % count
            then = base + remembered if taken < tick else -1
            if then >= 0 and own[_TICK, then] != taken:
                continue
            sighting = _seen_by(trackers, tracker, slot)
            for row in _read_by_use(taken, tick, every, count):
                _have(filters, first, members, block, row, own, is_here)
            if ring >= 0:
                seen = ring * count + remembered
                _have(filters, first, members, block, seen, own, is_here)
                is_changed[seen] = 1
                seen += base
                for place in range(4):
                    own[_SEEN + place, seen] = sighting.orientation[place]
                for place in range(3):
                    own[_SEEN_BORESIGHT + place, seen] = sighting.boresight[place]
                own[_SEEN_NOISE, seen], own[_SEEN_NOISE + 1, seen] = sighting.across, sighting.along
                own[_SEEN_TICK, seen] = taken
            elif is_finite:
                _use(own, base, count, then, sighting, every, dt, out)
                is_finite = _is_finite(out)
        if rings > 0 and is_finite:
            for row in range(rows):
                if own[_SEEN_TICK, base + row] > tick - count * every:
                    _have(filters, first, members, block, row, own, is_here)
                    for read in _read_by_use(int(own[_SEEN_TICK, base + row]), tick, every, count):
                        _have(filters, first, members, block, read, own, is_here)
            is_finite = _used_waiting(own, base, count, rings, tick, every, dt, out)
        if not is_finite:
            due[member] = 2
            continue
        for place in range(_SIZE):
            states[place, sampled] = out[place, 0]
        sampled += 1
        if count > 1:
            now = tick // every % count
            _have(filters, first, members, block, now, own, is_here)
            is_changed[now] = 1
            for place in range(_MEASURED):
                own[_TURN + place, base + now] = out[place, 0]
        for row in range(rows):
            if is_changed[row] > 0:
                places[found] = row * members + member
                for place in range(_MEASURED):
                    measured[place, found] = own[_TURN + place, base + row]
                for place in range(size - _SEEN):
                    sightings[place, found] = own[_SEEN + place, base + row]
                found += 1
    return found


@inlined
def _use(filters: Array, row: int, count: int, then: int, seen: Seen, every: int, dt: float, out: Array) -> None:
    """Replace the estimate by that with a sighting.

    Args:
        filters: The table of the filters.
        row: The first row of the filter.
        count: The number of rows of its ring.
        then: The row of the filter with what was measured when the sighting was taken; -1 if it is taken now.
        seen: The sighting.
        every: Ticks between two samples of the filter.
        dt: Length of a tick [s].
        out: The state of the filter, which is replaced, shape (_SIZE, 1).
    """
    since, seconds, drift = Since((0.0, 0.0, 0.0, 1.0), _NOTHING, _NOTHING, (0.0, 0.0, 0.0)), 0.0, 0.0
    if then >= 0:
        ticks = int(out[_LATEST_TICK, 0] - filters[_TICK, then])
        samples, seconds = ticks // every, ticks * dt
        now = _load_path(out, 0, 0)
        before = _load_path(filters, _TURN, row + (then - row + samples // 2) % count)
        after = now
        if samples > 1:
            after = _load_path(filters, _TURN, row + (then - row + samples - samples // 2) % count)
        since = path_since(_load_path(filters, _TURN, then), before, after, now)
        # the difference of two running sums would lose it beside a long silence before
        drift = out[_LATEST_DRIFT, 0]
        for sample in range(1, min(samples, count)):  # no more than there are, whatever the rows say
            drift += filters[_DRIFT, row + (then - row + sample) % count]
        drift = min(drift, _UNKNOWN)
    across, along = seen.across * seen.across, seen.along * seen.along
    sighting = Sighting(seen.orientation, seen.boresight, across, along, since, seconds, drift)
    noise = _noise(filters, row, every, dt)
    if out[_IS_STARTED, 0] > 0.0:
        # the covariance must contain the drift since the picture, which no sighting takes away
        for axis in range(3):
            out[_ANGLES + axis, 0] += min(out[_LEFT_OUT, 0], _UNKNOWN)
        out[_LEFT_OUT, 0] = 0.0
        result, shown, expected = updated(_load_estimate(out), sighting, noise)
        store_vector(out, _RESIDUAL, 0, shown)
        for place in range(6):
            out[_RESIDUAL_COVARIANCE + place, 0] = expected[place]
        distance_squared = dot(shown, apply_symmetric(inverse_symmetric(expected), shown))
        gate = filters[_GATE, row]
        out[_IS_REJECTED, 0] = 1.0 if distance_squared > gate * gate else 0.0
        if not distance_squared > gate * gate:
            _store_estimate(out, result)
    else:
        deviation = filters[_BIAS_DEVIATION, row]
        _store_estimate(out, started(sighting, deviation * deviation, noise))
        out[_IS_STARTED, 0] = 1.0


@inlined
def _noise(filters: Array, row: int, every: int, dt: float) -> GyroNoise:
    density, walk = filters[_DENSITY, row], filters[_WALK, row]
    return GyroNoise(density * density, walk * walk, every * dt)


@inlined
def _load_path(array: Array, row: int, column: int) -> Path:
    """The path whose first row is this."""
    return Path(
        load_quaternion(array, row, column),
        _load_matrix(array, row + _TURN_INTEGRAL, column),
        load_vector(array, row + _BIAS_ANGLE, column),
    )


@inlined
def _load_matrix(array: Array, row: int, column: int) -> Matrix:
    first, second, third = (
        load_vector(array, row, column),
        load_vector(array, row + 3, column),
        load_vector(array, row + 6, column),
    )
    return first[0], first[1], first[2], second[0], second[1], second[2], third[0], third[1], third[2]


@inlined
def _store_matrix(out: Array, row: int, matrix: Matrix) -> None:
    for place in range(9):
        out[row + place, 0] = matrix[place]


@inlined
def _load_estimate(out: Array) -> Estimate:
    return Estimate(
        load_quaternion(out, _ORIENTATION, 0),
        load_vector(out, _BIAS, 0),
        load_symmetric(out, _ANGLES, 0),
        _load_matrix(out, _MIXED, 0),
        load_symmetric(out, _BIASES, 0),
    )


@inlined
def _store_estimate(out: Array, estimate: Estimate) -> None:
    store_quaternion(out, _ORIENTATION, 0, estimate.orientation)
    store_vector(out, _BIAS, 0, estimate.bias_body)
    for place in range(6):
        out[_ANGLES + place, 0] = estimate.angles[place]
        out[_BIASES + place, 0] = estimate.biases[place]
    _store_matrix(out, _MIXED, estimate.mixed)


@inlined
def _is_finite(out: Array) -> bool:
    total = 0.0
    for place in range(_SIZE):
        total += 0.0 * out[place, 0]
    return total == 0.0


class AttitudeFilter(SampledPart):
    """A multiplicative extended Kalman filter, which estimates attitude and gyro bias from a gyro and star trackers.

    The filter is sampled with the gyro, after all sensors, and reads only these sensors. Between two samples of the gyro, the attitude is
    propagated with the mean of the two readings minus the estimated bias, which is correct to second order in the sample interval. Each
    valid sighting of a tracker corrects attitude and bias by their covariance. A late sighting is applied at the time at which it was
    taken, and sightings with different delays are applied in the order in which they were taken. This is exact to first order in the
    errors. Sightings that arrive before older ones are therefore applied again at each sample until the older ones have arrived, which
    takes less than 1 µs each.

    By default, the filter reads the noise parameters of the gyro and of the trackers. Its covariance is then correct as long as these
    sensors have neither scale errors nor misalignment, which it does not estimate. It starts at the first valid sighting, unless an initial
    `orientation` is given. While the gyro has no valid reading, the last rate is held, and the variance of the attitude grows as if the
    rate were wrong by `rate_deviation`. It grows to at most 10 rad², at which the attitude is unknown. A late sighting does not reduce the
    variance that was added after it was taken. The same holds for the time during which the filter was disabled; sightings taken before
    that time are not used after it.

    A filter believes its sensors: a tracker that is stuck leads it astray, and the covariance does not show this. `residual` does. It is
    the difference that a sighting has shown, to compare with the covariance that was expected of it. With a `gate`, sightings beyond that
    many standard deviations are not used. The covariance then grows as without them, until a sighting agrees again.

    Args:
        gyro: A gyro without delay.
        trackers: One or more star trackers on the same body. Each has noise above 0, and its `every` is a multiple of that of the gyro.
        orientation: Initial estimate of the orientation, scalar-last (x, y, z, w), body to world, shape (4,); None takes the first
            sighting.
        orientation_deviation: Standard deviation of the initial attitude error about each axis [rad], above 0; given together with
            `orientation`.
        bias_deviation: Standard deviation of the initial bias of each axis [rad/s], above 0; the estimate of the bias starts at 0.
        noise_density: Density of the white noise of the gyro [rad/√s], at least 0; None takes the current value of the gyro.
        bias_walk: Density of the random walk of the gyro bias [rad/s/√s], at least 0; None takes the current value of the gyro.
        rate_deviation: Standard deviation of the error of the rate that is held while the gyro has no valid reading [rad/s], above 0.
        gate: Largest residual of a sighting that is used, in standard deviations, above 0; None uses every valid sighting. Of sightings
            with the assumed noise, a gate of 5 leaves out 1 in 65,000. The first sighting is always used.
        name: Name of the filter; None derives it from the name of the body.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument is out of its range, the sensors are on different bodies, `gyro` has a delay, or the interval of a
            tracker is not a multiple of that of the gyro.

    Example:
        >>> from engine import MassProperties, World, flight, rotation
        >>> world = World(dt=0.1)
        >>> ship = world.add_body(MassProperties.box(500.0, (2.0, 2.0, 3.0)), angular_velocity_body=(0.01, -0.02, 0.03))
        >>> gyro = world.add_part(flight.Gyro(ship, noise_density=1e-5, bias_body=(1e-4, -2e-4, 3e-4), seed=1))
        >>> tracker = world.add_part(flight.StarTracker(ship, (0, 0, 1), noise=(2e-5, 1e-4), every=10, seed=1))
        >>> estimate = world.add_part(flight.AttitudeFilter(gyro, [tracker]))
        >>> world.step(6001)
        >>> estimate.bias_body.round(5).tolist()
        [0.0001, -0.0002, 0.0003]
    """

    __slots__ = ("_gyro", "_trackers")

    _place = Place.FILTER
    _schema = ATTITUDE_FILTERS
    _arguments_in_rows = ("orientation", "orientation_deviation")
    _counted_in_ticks = frozenset(
        (
            *("turn", "bias_angle", "tick", "drift", "turn_integral"),
            *(
                "latest_turn",
                "latest_bias_angle",
                "latest_tick",
                "latest_drift",
                "latest_turn_integral",
                "silence",
                "rate",
            ),
            *("settled", "settled_orientation", "settled_bias_body"),
            *("settled_angles", "settled_mixed", "settled_biases", "settled_left_out"),
            *("seen", "seen_boresight", "seen_noise", "seen_tick"),
        )
    )

    def __init__(
        self,
        gyro: Gyro,
        trackers: Iterable[StarTracker],
        *,
        orientation: npt.ArrayLike | None = None,
        orientation_deviation: float | None = None,
        bias_deviation: float = 1e-3,
        noise_density: float | None = None,
        bias_walk: float | None = None,
        rate_deviation: float = 0.01,
        gate: float | None = None,
        name: str | None = None,
    ) -> None:
        owner = "AttitudeFilter"
        if not isinstance(gyro, Gyro):
            refuse(owner, "gyro", gyro, "a flight.Gyro", TypeError)
        owner = f"AttitudeFilter of {gyro.body}"
        if gyro.delay:
            refuse(owner, "gyro", gyro, "a gyro without delay")
        self._gyro, self._trackers = gyro, _checked_trackers(trackers, gyro, owner)
        given = {
            "density": ("noise_density", gyro.noise_density if noise_density is None else noise_density),
            "walk": ("bias_walk", gyro.bias_walk if bias_walk is None else bias_walk),
            "bias_deviation": ("bias_deviation", bias_deviation),
            "rate_deviation": ("rate_deviation", rate_deviation),
        }
        schema = ATTITUDE_FILTERS
        values = {field: checked(schema, field, value, owner, argument=word) for field, (word, value) in given.items()}
        values["gate"] = np.array([[limit_of(gate, "gate", owner)]])
        if (orientation is None) != (orientation_deviation is None):
            both = (orientation, orientation_deviation)
            refuse(owner, "orientation and orientation_deviation", both, "given together, or neither of them")
        if orientation is not None:
            angle = real(orientation_deviation, "orientation_deviation", owner, above=0.0)
            bias = float(values["bias_deviation"][0, 0])
            values |= {
                "orientation": unit_quaternion(orientation, "orientation", owner)[:, np.newaxis],
                "angles": np.array([3 * [angle * angle] + 3 * [0.0]]).T,
                "biases": np.array([3 * [bias * bias] + 3 * [0.0]]).T,
                "is_started": np.array([[1.0]]),
            }
        # rings as long as the longest delay: one of what was measured, which is also the first of those of the trackers with shorter delays
        late, early = _lateness(self._trackers, gyro.every)
        name = f"{gyro.body.name} attitude filter" if name is None else name
        super().__init__([(gyro.body,)] * ((late + 1) * max(len(early), 1)), values, name=name, every=gyro.every)

    rate_deviation = Parameter[float](
        "Standard deviation of the error of the rate that is held while the gyro has no valid reading [rad/s], above 0."
    )

    gate = Maximum(
        "Largest residual of a sighting that is used, in standard deviations, above 0; None uses every valid sighting."
    )

    @property
    def residual(self) -> FloatArray:
        """Rotation vector from the estimate to the sighting that was taken last [rad], body frame, shape (3,).

        It is zero before the second sighting. Sightings that the gate left out count too.
        """
        return reading(np.array(self._numbers("residual")))

    @property
    def residual_covariance(self) -> FloatArray:
        """Covariance that was expected of `residual` [rad²], body frame, shape (3, 3).

        With sensors that are as the filter assumes, ``residual · residual_covariance⁻¹ · residual`` has the mean 3.
        """
        xx, yy, zz, xy, xz, yz = self._numbers("residual_covariance")
        return reading(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))

    @property
    def is_rejected(self) -> bool:
        """Whether the gate left out the sighting that was taken last."""
        return self._numbers("is_rejected")[0] > 0.0

    @fixed
    def noise_density(self) -> float:
        """Density of the white noise of the gyro [rad/√s] that the filter assumes, at least 0."""
        return self._numbers("density")[0]

    @fixed
    def bias_walk(self) -> float:
        """Density of the random walk of the bias of the gyro [rad/s/√s] that the filter assumes, at least 0."""
        return self._numbers("walk")[0]

    @fixed
    def bias_deviation(self) -> float:
        """Standard deviation of the initial bias [rad/s], above 0."""
        return self._numbers("bias_deviation")[0]

    gyro = Given[Gyro]("The gyro.")

    trackers = Given[tuple[StarTracker, ...]]("The star trackers.")

    @property
    def is_started(self) -> bool:
        """Whether there is an estimate; True from the first valid sighting on, or from the start if `orientation` was given."""
        return self._numbers("is_started")[0] > 0.0

    @property
    def orientation(self) -> FloatArray:
        """Estimated orientation, scalar-last (x, y, z, w), body to world, shape (4,); the identity before there is an estimate."""
        return reading(np.array(self._numbers("orientation")))

    @property
    def angular_velocity_body(self) -> FloatArray:
        """Last valid reading of the gyro minus the estimated bias [rad/s], body frame, shape (3,)."""
        return reading(np.array(self._numbers("rate")) - np.array(self._numbers("bias_body")))

    def _attitude_place(self) -> tuple[int, int]:
        """The row, and the first of the components that are rate, orientation and bias, for laws in control loops."""
        return self._slice().start, _OF_ATTITUDE.start

    @property
    def bias_body(self) -> FloatArray:
        """Estimated bias of the gyro [rad/s], body frame, shape (3,)."""
        return reading(np.array(self._numbers("bias_body")))

    @property
    def covariance(self) -> FloatArray:
        """Covariance of the errors of attitude [rad], body frame, and bias [rad/s], shape (6, 6); infinite before there is an estimate.

        The error of the attitude is the rotation vector from the estimated to the true attitude.
        """
        if not self.is_started:
            return read_only(np.diag(np.full(6, np.inf)))
        result = np.empty((6, 6))
        result[:3, 3:] = np.reshape(self._numbers("mixed"), (3, 3))
        result[3:, :3] = result[:3, 3:].T
        for start, name in ((0, "angles"), (3, "biases")):
            xx, yy, zz, xy, xz, yz = self._numbers(name)
            result[start : start + 3, start : start + 3] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        return read_only(result)

    def _recorded(self) -> tuple[Quantity, ...]:
        return (
            Quantity("orientation", "-", "body to world", (4,)),
            Quantity("angular_velocity_body", "rad/s", "body", (3,)),
            Quantity("bias_body", "rad/s", "body", (3,)),
            Quantity("attitude_deviation", "rad", "body", (3,), lambda filter: _deviations(filter, "angles")),
            Quantity("bias_deviation", "rad/s", "body", (3,), lambda filter: _deviations(filter, "biases")),
            Quantity("residual", "rad", "body", (3,)),
            Quantity(
                "residual_deviation", "rad", "body", (3,), lambda filter: _deviations(filter, "residual_covariance")
            ),
            Quantity("is_rejected", "-"),
        )

    def _needed(self) -> tuple[object, ...]:
        return self._gyro, *self._trackers

    def _joined(self, world: Host) -> None:
        for part in (self._gyro, *self._trackers):
            if not any(part is other for other in world.parts):
                refuse(self, "each sensor", part, "a part of this world", hint="add it first")
        FilterSamples(self).bind(world)  # compiled now and not in the middle of a tick

    def _compiled_samples(self) -> Callable[[Host], None]:
        return FilterSamples(self).take

    @property
    def _has_form_for_members(self) -> bool:
        return not self._has_own_samples

    def _sample_members(self, world: Host, ticks: IntArray, due: Mask) -> IntArray:
        """Take a sample in each member of a batch that is due; see `Sensor._sample_members`."""
        table, rows, members = self._table, self._slice(), len(ticks)
        first, width = rows.start, (rows.stop - rows.start) // members
        late, early = _lateness(self._trackers, self._every)
        sources = np.zeros((3, len(self._trackers)), np.int64)
        for place, tracker in enumerate(self._trackers):
            span = tracker._slice()
            ring = early.index(tracker) if tracker in early else -1
            sources[:, place] = span.start, (span.stop - span.start) // members, ring
        chosen, size = due.astype(np.int64), table.schema.size
        gyros, gyro, trackers = self._gyro._table.array, self._gyro._slice().start, self._trackers[0]._table.array
        own, out = np.empty((size, width * _BLOCK)), np.empty((_SIZE, 1))
        is_changed, is_here = np.empty(width, np.int64), np.empty(width, np.int64)
        states, places = np.empty((_SIZE, members)), np.empty(width * members, np.int64)
        measured, sightings = (np.empty((each, width * members)) for each in (_MEASURED, size - _SEEN))
        given = gyros, gyro, trackers, sources, ticks, chosen, self._every, world._dt
        filled = states, places, measured, sightings
        found = _sample_members(table.array, first, late + 1, *given, own, out, is_changed, is_here, *filled)
        sampled, changed = np.flatnonzero(chosen == 1), first + places[:found]
        where = slice(first, first + members) if len(sampled) == members else first + sampled
        table.write(slice(_STATE, _SEEN), where, states[:, : len(sampled)])
        table.write(_RING, changed, measured[:, :found])
        table.write(slice(_SEEN, size), changed, sightings[:, :found])
        return np.flatnonzero(chosen == 2)

    def _attitudes_of_members(self, members: int) -> FloatArray:
        """Orientation and angular velocity of all members of a batch, shape (7, n)."""
        first = self._slice().start
        found = self._table.array[_OF_ATTITUDE, first : first + members]
        return np.concatenate([found[3:7], found[:3] - found[7:]])


def _deviations(filter: AttitudeFilter, covariance: str) -> FloatArray:
    """The standard deviations about the three axes in a covariance of a filter, or NaN before there is an estimate."""
    return np.sqrt(filter._numbers(covariance)[:3]) if filter.is_started else np.full(3, nan)


class FilterSamples:
    """The samples of a filter, with the memory that they need; none of it is state of the world."""

    def __init__(self, filter: AttitudeFilter) -> None:
        """Prepare for a filter."""
        self._filter, self._gyro, self._every = filter, filter._gyro, filter._every
        late, self._early = _lateness(filter._trackers, filter._every)
        self._others = [tracker for tracker in filter._trackers if tracker not in self._early]
        self._tables = filter._table, self._gyro._table, self._others[0]._table
        self._count, self._out = late + 1, np.empty((_SIZE, 1))
        self._numberings: tuple[int, ...] = ()
        self._bound: Bound[Sampled] | None = None

    def bind(self, world: Host) -> Bound[Sampled]:
        """Bind the kernel to the tables as they are now."""
        filters, gyros, trackers = self._tables
        row, gyro, slices = (
            self._filter._slice().start,
            self._gyro._slice().start,
            [tracker._slice() for tracker in self._others],
        )
        sources = np.array([[rows.start, rows.stop - rows.start] for rows in slices], np.int64).T.copy()
        given = filters.array, row, self._count, len(self._early), gyros.array, gyro, trackers.array, sources
        self._numberings = filters.numbering, gyros.numbering, trackers.numbering
        control = world._bodies.control
        self._bound = Bound(_sample_filter, Packed(Sampled(*given, control, self._every, world._dt, self._out)))
        return self._bound

    def take(self, world: Host) -> None:
        """Predict the state up to this tick, and use the sightings that arrive in it."""
        filter, every, early, count, out = self._filter, self._every, self._early, self._count, self._out
        rows, (table, gyros, trackers), bound = filter._slice(), self._tables, self._bound
        if (
            bound is None
            or self._numberings != (table.numbering, gyros.numbering, trackers.numbering)
            or not bound.is_final
        ):
            bound = self.bind(world)
        tick, first, array = world._bodies.tick_count, rows.start, table.array
        if array.item(_STATE + _LATEST_TICK, first) != tick - every or (
            early and array[_STATE + _SETTLED, first] < 0.0
        ):
            # it was disabled or coasted: a sighting from before says nothing about now
            table.write(_TICK, rows, -1.0)
            table.write(_SEEN_TICK, rows, -1.0)
            table.write(_STATE + _SETTLED, rows, -1.0)
        for ring, tracker in enumerate(early):
            self._remember(first + ring * count, tracker, tick)
        if not bound.run(bound.packed):
            raise NonFiniteStateError(f"{filter!r}: the estimate is not finite at t = {world.time:g} s")
        table.write(_WHOLE_STATE, slice(first, first + 1), out)
        if count > 1:
            now = first + tick // every % count
            table.write(_RING, slice(now, now + 1), out[:_MEASURED])

    def _remember(self, ring: int, tracker: StarTracker, tick: int) -> None:
        """Write the sighting that arrives from a tracker to its ring, which begins with this row."""
        rows, table = tracker._slice(), self._filter._table
        trackers, start = tracker._table.array, rows.start
        slot = plain(_arrival)(trackers, start, rows.stop - start, 1, tick)
        taken = int(trackers.item(TICK, slot))
        place = taken // self._every % self._count
        # else none has arrived, or it is older than what is remembered
        if slot >= 0 and (taken == tick or table.array.item(_TICK, self._filter._slice().start + place) == taken):
            column = [*trackers[VALUE : VALUE + 4, slot], *trackers[BORESIGHT : BORESIGHT + 3, start]]
            noise = trackers[ACROSS : ALONG + 1, start]
            table.write(slice(_SEEN, _SEEN_TICK + 1), ring + place, [*column, *noise, taken])


def _lateness(trackers: tuple[StarTracker, ...], every: int) -> tuple[int, list[StarTracker]]:
    """The longest delay, in samples of the filter, and the trackers with shorter ones."""
    late = [tracker._delay * tracker._every // every for tracker in trackers]
    longest = max(late)
    return longest, [tracker for tracker, delay in zip(trackers, late, strict=True) if delay < longest]


def _checked_trackers(trackers: object, gyro: Gyro, owner: str) -> tuple[StarTracker, ...]:
    rule = "a list of one or more flight.StarTracker"
    chosen = tuple(members(trackers, "trackers", owner, rule, lambda tracker: isinstance(tracker, StarTracker)))
    if not chosen or len(set(map(id, chosen))) != len(chosen):
        refuse(owner, "trackers", chosen, f"{rule}, without repetition")
    for tracker in chosen:
        if tracker.body is not gyro.body:
            refuse(owner, "trackers", tracker, f"on {gyro.body}, the body of the gyro")
        if tracker.every % gyro.every:
            refuse(owner, "trackers", tracker, f"sampled at a multiple of {gyro.every} ticks, the interval of the gyro")
        if min(tracker.noise) <= 0.0:
            refuse(owner, "trackers", tracker, "with noise above 0 in both directions")
    return chosen
