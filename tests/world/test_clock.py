"""The clock hands out an exact number of whole ticks for any frames, and counts the time beyond its cap."""

import math
import random
import warnings
from fractions import Fraction

import numpy as np
import pytest

from engine import Clock, MassProperties, World

DTS = [1 / 60, 1 / 120, 0.01, 1 / 90, 0.007, Fraction(1, 90), 1e-3, math.pi / 100]
NO_CAP = 10**9


def name_of(dt):
    return str(dt)


def irregular_frames(count, seed, longest=0.05):
    """Frame times [s] as a busy computer gives them: any float, some of them zero."""
    generator = random.Random(seed)
    return [0.0 if generator.random() < 0.01 else longest * generator.random() for _ in range(count)]


@pytest.mark.parametrize("dt", DTS, ids=name_of)
def test_ticks_at_every_frame_are_the_floor_of_the_exact_total(dt):
    """After any frame: ticks = ⌊total/dt⌋ of rational numbers, and alpha is what is left over, rounded once."""
    clock, exact_dt = Clock(dt, NO_CAP), Fraction(dt)
    ticks, total = 0, Fraction(0)
    for elapsed in irregular_frames(4000, seed=7):
        ticks += clock.ticks_for(elapsed)
        total += Fraction(elapsed)
        whole, rest = divmod(total, exact_dt)
        assert ticks == whole
        assert 0.0 <= clock.alpha < 1.0
        assert clock.alpha == min(float(rest / exact_dt), math.nextafter(1.0, 0.0))


@pytest.mark.parametrize("dt", [0.01, math.pi / 100, Fraction(1, 90)], ids=name_of)
def test_no_tick_is_won_or_lost_in_a_hundred_thousand_frames(dt):
    """The same in integers, which is quicker, in a unit of time that divides every float of the frames and 1/90."""
    unit = 90 << 160
    tick = Fraction(dt) * unit
    assert tick.denominator == 1
    clock, ticks, total = Clock(dt, NO_CAP), 0, 0
    for elapsed in irregular_frames(100_000, seed=11):
        numerator, denominator = elapsed.as_integer_ratio()
        assert unit % denominator == 0
        total += numerator * (unit // denominator)
        ticks += clock.ticks_for(elapsed)
        assert ticks == total // tick.numerator
    assert clock.dropped_time == 0.0


def test_a_million_equal_frames_give_the_exact_number_of_ticks():
    """Frames of the float 0.1/6 against ticks of the float 1/60: a running sum of floats would be off after minutes."""
    clock, frame, dt = Clock(1 / 60), 0.1 / 6, 1 / 60
    ticks = 0
    for _ in range(1_000_000):
        ticks += clock.ticks_for(frame)
    assert ticks == 1_000_000 * Fraction(frame) // Fraction(dt)
    assert clock.alpha == float(1_000_000 * Fraction(frame) % Fraction(dt) / Fraction(dt))


def test_a_frame_of_one_tick_is_one_tick_however_it_is_written():
    for dt in DTS:
        clock = Clock(dt)
        assert [clock.ticks_for(dt) for _ in range(1000)] == [1] * 1000
        assert clock.alpha == 0.0


def test_a_fraction_is_meant_exactly_and_the_float_next_to_it_is_another_number():
    """1/90 s as a float is above one ninetieth: after 90 ticks of it a second has not quite gone by."""
    assert Fraction(1 / 90) > Fraction(1, 90)
    assert Clock(Fraction(1, 90), NO_CAP).ticks_for(1) == 90
    assert Clock(1 / 90, NO_CAP).ticks_for(1) == 89


def test_alpha_stays_below_one_where_the_exact_value_rounds_to_one():
    clock = Clock(1)
    assert clock.ticks_for(Fraction(10**20 - 1, 10**20)) == 0
    assert clock.alpha == math.nextafter(1.0, 0.0)
    assert clock.ticks_for(Fraction(1, 10**20)) == 1
    assert clock.alpha == 0.0


a_long_frame_warns = pytest.mark.filterwarnings("ignore:World.advance. one frame skipped")


@a_long_frame_warns
@pytest.mark.parametrize("scale", [1.0, 0.3, 7.0, 1e-9, Fraction(2, 3), 0.0])
@pytest.mark.parametrize("dt", [1 / 60, 0.007, Fraction(1, 90), math.pi / 100], ids=name_of)
def test_elapsed_time_is_ticks_and_dropped_and_owed_time_exactly(dt, scale):
    """elapsed · scale = ticks · dt + dropped + owed, as rational numbers; no second goes missing."""
    clock, exact_dt = Clock(dt, max_ticks_per_frame=3), Fraction(dt)
    clock.time_scale = scale
    ticks, total = 0, Fraction(0)
    for elapsed in [*irregular_frames(300, seed=3, longest=0.2), 5.0, 0.0, 1e-12, 3600.0]:
        taken = clock.ticks_for(elapsed)
        assert 0 <= taken <= 3
        ticks += taken
        total += Fraction(elapsed) * Fraction(scale)
    beyond = total // exact_dt - ticks
    assert beyond >= 0
    assert clock.dropped_time == float(beyond * exact_dt)
    assert clock.alpha == min(float(total % exact_dt / exact_dt), math.nextafter(1.0, 0.0))


def test_a_changing_time_scale_counts_from_when_it_is_set():
    clock, total, ticks = Clock(0.01, NO_CAP), Fraction(0), 0
    for number, elapsed in enumerate(irregular_frames(300, seed=5)):
        clock.time_scale = scale = (0.1, 1.0, 2.5, 1 / 3)[number % 4]
        assert clock.time_scale == scale
        ticks += clock.ticks_for(elapsed)
        total += Fraction(elapsed) * Fraction(scale)
    assert ticks == total // Fraction(0.01)


@a_long_frame_warns
def test_the_cap_drops_what_is_beyond_and_counts_it():
    clock = Clock(0.25, max_ticks_per_frame=8)
    assert clock.ticks_for(5.125) == 8
    assert clock.dropped_time == 3.0
    assert clock.alpha == 0.5
    # nothing is owed from before: the next frame is an ordinary one
    assert clock.ticks_for(0.125) == 1
    assert clock.dropped_time == 3.0
    assert clock.ticks_for(2.0) == 8
    assert clock.dropped_time == 3.0


@a_long_frame_warns
def test_dropped_time_is_a_number_for_any_time_dropped():
    """Time scale and elapsed time are each finite, their product need not be."""
    clock = Clock(0.1)
    clock.ticks_for(1e308)
    clock.ticks_for(1e308)
    assert clock.dropped_time > 1e308


@pytest.mark.parametrize(
    "dt", [0.0, -0.0, -1.0, math.nan, math.inf, "1", None, True, 1j, [0.1], 10**400, Fraction(1, 10**400)]
)
def test_a_tick_that_is_no_length_is_refused(dt):
    with pytest.raises((TypeError, ValueError), match="dt must be a finite real number above 0"):
        Clock(dt)


@pytest.mark.parametrize("cap", [0, -1, 1.5, True, None, "8", math.nan])
def test_a_cap_that_is_no_positive_integer_is_refused(cap):
    with pytest.raises((TypeError, ValueError), match="max_ticks_per_frame must be an integer of at least 1"):
        Clock(0.1, cap)


BAD_TIMES = [-1e-300, -1.0, math.nan, math.inf, -math.inf, "0.1", None, True, 1j, [0.1], 10**400, b"1", object()]


@pytest.mark.parametrize("bad", BAD_TIMES, ids=lambda bad: "object" if type(bad) is object else repr(bad))
def test_a_time_that_is_none_changes_nothing(bad):
    clock = Clock(0.01, NO_CAP)
    clock.ticks_for(0.014)
    clock.time_scale = 0.5
    for change in (clock.ticks_for, lambda value: setattr(clock, "time_scale", value)):
        with pytest.raises((TypeError, ValueError), match=r"(elapsed_seconds|time_scale) must be .*at least 0; got"):
            change(bad)
    assert clock.time_scale == 0.5
    assert clock.alpha == float((Fraction(0.014) - Fraction(0.01)) / Fraction(0.01))
    assert clock.ticks_for(0.013) == 1


# the world's side of it


def drifting_world(dt=0.01, **options):
    """A world with one body that moves at 1 m/s, so that its position counts the ticks."""
    world = World(dt, **options)
    body = world.add_body(MassProperties.box(1.0, (1.0, 2.0, 3.0)), name="drifter", velocity=(1.0, 0.0, 0.0))
    return world, body


@pytest.mark.parametrize("dt", DTS, ids=name_of)
def test_advance_takes_the_ticks_of_the_clock(dt):
    world, body = drifting_world(dt, max_ticks_per_frame=1000)
    total = Fraction(0)
    for elapsed in irregular_frames(200, seed=13):
        before = world.tick_count
        taken = world.advance(elapsed)
        total += Fraction(elapsed)
        assert world.tick_count - before == taken
        assert world.tick_count == total // Fraction(dt)
        assert world.alpha == float(total % Fraction(dt) / Fraction(dt))
        assert world.time == world.tick_count * world.dt
    assert world.dt == float(dt)
    # the sum of n equal steps, each rounded
    assert body.position[0] == pytest.approx(world.time, rel=world.tick_count * 1.2e-16)


def test_time_is_ticks_times_dt_and_no_running_sum():
    """0.1 added up 10 000 times is not 1000."""
    world = World(0.1)
    world.step(10_000)
    assert world.time == 1000.0
    running_sum = 0.0
    for _ in range(10_000):
        running_sum += 0.1
    assert running_sum != 1000.0


@a_long_frame_warns
def test_a_frame_of_five_seconds_is_eight_ticks_and_the_rest_is_dropped():
    dt = 1 / 120
    world, body = drifting_world(dt)
    assert world.advance(5.0) == 8
    assert world.tick_count == 8
    ticks_wanted, rest = divmod(Fraction(5), Fraction(dt))
    assert world.dropped_time == float((ticks_wanted - 8) * Fraction(dt))
    assert world.alpha == float(rest / Fraction(dt))
    # twice the float 1/120 is the float 1/60
    assert world.advance(1 / 60) == 2
    assert body.position[0] == pytest.approx(10 * dt, rel=1e-14)


def test_advance_by_nothing_does_nothing():
    world, _ = drifting_world()
    world.advance(0.013)
    before = world.state_hash(), world.alpha, world.tick_count
    assert world.advance(0.0) == 0
    assert world.advance(0) == 0
    assert (world.state_hash(), world.alpha, world.tick_count) == before


def test_step_leaves_the_clock_alone():
    world, _ = drifting_world()
    world.advance(0.013)
    alpha = world.alpha
    world.step(5)
    assert world.alpha == alpha
    assert world.tick_count == 6
    assert world.advance(0.008) == 1


def test_time_scale_changes_how_many_ticks_and_never_their_length():
    world, body = drifting_world(0.01, max_ticks_per_frame=100)
    world.time_scale = 0.5
    assert world.advance(0.1) == 5
    world.time_scale = 2
    assert world.time_scale == 2.0
    assert world.advance(0.1) == 20
    world.time_scale = 0.0
    assert world.advance(1000.0) == 0
    assert world.dt == 0.01
    assert world.time == 25 * 0.01
    assert body.position[0] == pytest.approx(0.25, rel=1e-14)


def test_a_paused_world_takes_no_ticks_and_owes_none_afterwards():
    world, _ = drifting_world(0.0625)
    world.advance(0.09375)
    alpha = world.alpha
    world.paused = True
    assert [world.advance(0.3) for _ in range(5)] == [0] * 5
    assert (world.tick_count, world.alpha, world.dropped_time) == (1, alpha, 0.0)
    world.step(3)
    assert world.tick_count == 4
    world.paused = False
    assert world.advance(0.03125) == 1
    assert world.alpha == 0.0


@pytest.mark.parametrize("bad", [-1e-300, math.nan, math.inf, "0.1", None, True, 1j, 10**400])
def test_a_paused_world_still_refuses_a_time_that_is_none(bad):
    world, _ = drifting_world()
    world.paused = True
    with pytest.raises((TypeError, ValueError), match=r"World\.advance: elapsed_seconds must be"):
        world.advance(bad)


def test_alpha_is_of_the_last_frame_even_when_it_took_no_tick():
    world, _ = drifting_world(0.125)
    alphas = []
    for _ in range(8):
        world.advance(0.03125)
        alphas.append(world.alpha)
    assert alphas == [0.25, 0.5, 0.75, 0.0, 0.25, 0.5, 0.75, 0.0]


def test_the_ticks_of_a_frame_that_a_failed_one_leaves_are_dropped_and_counted():
    """A callback fails in the third of six ticks: two were taken, four are dropped, and the next frame is an ordinary one."""
    world, body = drifting_world(0.25)

    @world.on_tick
    def fail(world):
        if world.tick_count == 2:
            raise LookupError("third tick")

    with pytest.raises(LookupError, match="third tick"):
        world.advance(1.5625)
    assert world.tick_count == 2
    assert body.position[0] == 0.5
    assert world.dropped_time == 1.0
    assert world.alpha == 0.25
    world.remove_callback(fail)
    assert world.advance(0.25) == 1
    assert world.tick_count == 3
    assert body.position[0] == 0.75
    assert world.dropped_time == 1.0


def test_a_frame_that_skips_more_than_a_second_is_reported_once_at_the_line_that_passed_it():
    """Milliseconds where seconds are meant: 16.7 s per frame instead of 1/60 s."""
    world, _ = drifting_world(1 / 60)
    world.advance(1.1)  # skips 58 ticks, less than a second
    with pytest.warns(
        UserWarning, match=r"World\.advance: one frame skipped 16\.6 s .* max_ticks_per_frame = 8 .* in seconds"
    ) as caught:
        assert world.advance(16.7) == 8
    assert caught[0].filename == __file__
    assert world.advance(16.7) == 8  # a second warning would fail this test
    assert world.dropped_time == pytest.approx(2 * 16.6 + 1.1 - 8 / 60, abs=0.1)


def test_the_second_that_is_reported_is_of_wall_time():
    world, _ = drifting_world(0.1, max_ticks_per_frame=1)
    world.time_scale = 100.0
    assert world.advance(0.9) == 1  # 90 s of simulated time, 0.9 s of the player's
    with pytest.warns(UserWarning, match="one frame skipped 120 s of simulated time"):
        world.advance(Fraction(12, 10))
    with pytest.warns(UserWarning, match="skipped more than 1e300 s"):
        Clock(0.1).ticks_for(1e305)


@pytest.mark.filterwarnings("error")
def test_a_report_that_is_made_an_error_leaves_the_clock_as_it_was():
    world, _ = drifting_world(0.25)
    world.advance(0.375)
    with pytest.raises(UserWarning, match="skipped"):
        world.advance(100.0)
    assert (world.tick_count, world.alpha, world.dropped_time) == (1, 0.5, 0.0)


def test_the_cap_can_be_read_and_changed_and_a_failed_tick_puts_it_back():
    world, _ = drifting_world(0.25)
    assert world.max_ticks_per_frame == 8
    world.max_ticks_per_frame = 2
    assert world.advance(1.0) == 2
    assert (world.max_ticks_per_frame, world.dropped_time) == (2, 0.5)

    @world.on_tick
    def fail(world):
        world.max_ticks_per_frame = 5
        raise LookupError

    with pytest.raises(LookupError):
        world.step()
    assert world.max_ticks_per_frame == 2


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, None, "8", math.nan])
def test_a_cap_that_is_no_positive_integer_is_rejected_when_it_is_set(bad):
    world, _ = drifting_world()
    with pytest.raises(
        (TypeError, ValueError), match="World: max_ticks_per_frame must be an integer of at least 1; got"
    ):
        world.max_ticks_per_frame = bad
    assert world.max_ticks_per_frame == 8


# random frames against exact rational numbers


def frame_times(kind, rng, count):
    """Elapsed times [s] of one kind: any floats, floats of frames, fractions with common or with unrelated denominators."""
    if kind == "floats":
        return [float(value) for value in 10.0 ** rng.uniform(-12.0, 1.0, count)]
    if kind == "frames":
        return [float(value) for value in rng.normal(1 / 60, 2e-3, count).clip(0.0)]
    if kind == "fractions":
        return [Fraction(int(value), 1000) for value in rng.integers(0, 60, count)]
    numbers = rng.integers(1, 2**40, (count, 2)).tolist()
    return [Fraction(above, 60 * (below + 2**40)) for above, below in numbers]


def check_frames(dt, kind, scale, rng, count):
    """Ticks per frame as exact rational numbers say, at most so many, and a fraction of a tick in [0, 1)."""
    clock = Clock(dt, 5)
    clock.time_scale = scale
    tick, owed, dropped = Fraction(dt), Fraction(0), 0
    with warnings.catch_warnings(action="ignore"):
        for elapsed in frame_times(kind, rng, count):
            owed += Fraction(elapsed) * Fraction(scale)
            due = owed // tick
            owed -= due * tick
            assert clock.ticks_for(elapsed) == min(due, 5)
            dropped += max(due - 5, 0)
            assert 0.0 <= clock.alpha < 1.0
            assert clock.alpha == pytest.approx(float(owed / tick), abs=1e-15)
            assert clock._per_second.bit_length() <= 4096
    assert clock._dropped // clock._tick == dropped


@pytest.mark.parametrize("kind", ["floats", "frames", "fractions", "unrelated"])
@pytest.mark.parametrize("dt", [1 / 60, Fraction(1, 90), 0.01, 5e-324, 2.2250738585072014e-308, 1e-9, 3e5], ids=str)
def test_random_frames_hand_out_the_ticks_of_exact_rational_numbers(dt, kind):
    rng = np.random.default_rng(8)
    for scale in (1.0, 0.5, 0.3333, Fraction(2, 7)):
        check_frames(dt, kind, scale, rng, 150)


def test_the_cost_of_a_frame_is_bounded_for_fractions_of_any_denominator():
    """The unit had 31,000 bits after 3,000 frames."""
    check_frames(Fraction(1, 60), "unrelated", 1.0, np.random.default_rng(9), 1500)
    clock = Clock(1 / 60)
    for denominator in range(2**100, 2**100 + 5000):
        clock.ticks_for(Fraction(2**96, denominator))
    assert clock._per_second.bit_length() <= 4096
