"""Pulses of valves, against valves whose level is followed event by event, and against values computed by hand."""

import numpy as np
import pytest

from engine import MassProperties, World
from engine.compilation.compiler import COMPILED, plain
from engine.flight import Jets, PulseModulator, Thruster, ThrusterAllocator
from engine.loops import pulses

from ..lengths import sized


class Valve:
    """A valve whose level rises and falls along straight lines; the area below it is summed between the events."""

    def __init__(self, rise_time, fall_time):
        self.rise_time, self.fall_time = rise_time, fall_time
        self.level = self.area = 0.0

    def run(self, duration, period):
        """One period that starts with a pulse."""
        self._move(duration, 1.0, self.rise_time)
        self._move(period - duration, 0.0, self.fall_time)

    def _move(self, seconds, goal, full_time):
        if seconds <= 0.0:
            return
        moving = min(abs(goal - self.level) * full_time, seconds)
        change = moving / full_time if full_time > 0.0 else abs(goal - self.level)
        end = self.level + np.sign(goal - self.level) * change
        self.area += 0.5 * (self.level + end) * moving + end * (seconds - moving)
        self.level = end


VALVES = [
    (0.0, 0.0, 0.02),
    (0.01, 0.01, 0.02),
    (0.004, 0.03, 0.005),
    (0.02, 0, 0.02),
    (0.05, 0.15, 0.05),
    (0, 0.25, 0.1),
]
"""Rise, fall and shortest pulse."""


@pytest.mark.parametrize("wanted", ["random", "small", "full", "steps"])
def test_thrust_is_delivered_as_wanted_over_thousands_of_periods(wanted):
    """The counted areas are those of the valves, and their sum never differs from the wanted one by a shortest pulse with its fall."""
    random, period, count = np.random.default_rng(7), 0.25, sized(2000, 10_000)
    rise_time, fall_time, min_on_time = np.array(VALVES).T
    shares = {
        "random": random.uniform(0.0, 1.0, (count, len(VALVES))),
        "small": np.full((count, len(VALVES)), 0.0123),
        "full": np.where(np.arange(count) < 0.9 * count, 1.0, 0.97)[:, np.newaxis].repeat(len(VALVES), axis=1),
        "steps": random.choice([0.0, 0.05, 0.9, 1.0], (count, len(VALVES))),
    }[wanted]
    modulator = PulseModulator(min_on_time, period, rise_time=rise_time, fall_time=fall_time)
    state = modulator.initial_state(len(VALVES))
    valves = [Valve(rise, fall) for rise, fall, _ in VALVES]
    counted, asked = np.zeros((2, len(VALVES)))
    for row in shares:
        durations, areas, state = modulator.update(row, state)
        assert ((durations == 0.0) | ((durations >= min_on_time) & (durations <= period))).all()
        for valve, duration in zip(valves, durations.tolist(), strict=True):
            valve.run(duration, period)
        counted += areas
        asked += period * row
        assert (np.abs(counted - asked) < min_on_time + rise_time + 0.5 * fall_time + 1e-9).all()
    assert counted == pytest.approx([valve.area for valve in valves], abs=1e-9)
    assert state[1] == pytest.approx([valve.level for valve in valves], abs=1e-12)
    assert asked - counted == pytest.approx(state[0], abs=1e-8)


def test_an_isolated_pulse_makes_up_for_the_difference_of_rise_and_fall():
    """Half of the rise is missing and half of the fall comes after: 0.1 − 0.02/2 + 0.05/2 = 0.115."""
    modulator = PulseModulator(0.03, 0.5, rise_time=0.02, fall_time=0.05)
    found = modulator.update((0.23,), modulator.initial_state(1))
    assert found.durations == pytest.approx([0.1]) and found.areas == pytest.approx([0.115])
    assert found.state == pytest.approx(np.zeros((2, 1)), abs=1e-15)


def test_a_pulse_that_is_too_short_is_carried_until_it_is_long_enough():
    modulator = PulseModulator(0.1, 1.0)
    state, fired = modulator.initial_state(1), []
    for _ in range(10):
        durations, _, state = modulator.update((0.03,), state)
        fired.append(durations.item())
    assert fired == pytest.approx([0, 0, 0, 0.12, 0, 0, 0, 0.12, 0, 0])
    assert state[0, 0] == pytest.approx(0.06)


def test_full_thrust_keeps_the_valve_open():
    """Only the rise of the first period is missing, and it is made good as soon as there is room."""
    modulator = PulseModulator(0.04, 0.25, rise_time=0.04, fall_time=0.02)
    state = modulator.initial_state(1)
    for _ in range(5):
        durations, areas, state = modulator.update((1.0,), state)
        assert durations.item() == 0.25
    assert areas.item() == 0.25 and state[:, 0] == pytest.approx([0.02, 1.0])
    durations, areas, state = modulator.update((0.6,), state)
    assert areas.item() == pytest.approx(0.17) and state[0, 0] == pytest.approx(0.0, abs=1e-15)
    # the level is 1 at first, and half of the fall comes after the pulse
    assert durations.item() == pytest.approx(0.16)


def test_what_falls_after_the_end_of_a_period_belongs_to_the_next():
    modulator = PulseModulator(0.01, 0.2, fall_time=0.1)
    first = modulator.update((0.95,), modulator.initial_state(1))
    # open until the level has fallen over g: g²/(2·0.1) = 0.01
    assert 0.2 - first.durations.item() == pytest.approx(np.sqrt(0.002))
    assert first.state[1, 0] == pytest.approx(1.0 - np.sqrt(0.002) / 0.1)
    then = modulator.update((0.0,), first.state)
    assert then.areas.item() == pytest.approx(0.5 * 0.1 * first.state[1, 0] ** 2) and then.durations.item() == 0.0
    assert then.state[0, 0] == pytest.approx(-then.areas.item())
    last = modulator.update((0.6,), then.state)
    assert last.areas.item() == pytest.approx(0.12 - then.areas.item())


def test_jets_have_valves_of_their_own():
    modulator = PulseModulator((0.02, 0.06), 0.5, rise_time=(0.0, 0.04), fall_time=(0.0, 0.01))
    found = modulator.update((0.1, 0.1), modulator.initial_state(2))
    assert found.durations == pytest.approx([0.05, 0.065]) and found.areas == pytest.approx([0.05, 0.05])


def test_the_longer_one_of_two_shortest_pulses_counts():
    modulator = PulseModulator(0.05, 0.5).of_valves((0.02, 0.08), (0.01, 0.03), (0.02, 0.01))
    assert modulator.min_on_time.tolist() == [0.05, 0.08] and modulator.period == 0.5
    assert modulator.rise_time.tolist() == [0.01, 0.03] and modulator.fall_time.tolist() == [0.02, 0.01]
    with pytest.raises(ValueError, match="min_on_time must be such that"):
        PulseModulator(0.05, 0.1).of_valves((0.08,), (0.03,), (0.0,))


def test_a_stack_gives_the_bits_of_single_calls():
    random = np.random.default_rng(2)
    modulator = PulseModulator(0.02, 0.1, rise_time=0.01, fall_time=0.03)
    shares, state = random.uniform(size=(4, 5, 3)), random.uniform(0.0, 0.02, size=(4, 5, 2, 3))
    stacked = modulator.update(shares, state)
    for i in range(4):
        for k in range(5):
            single = modulator.update(shares[i, k], state[i, k])
            for name in single._fields:
                assert np.array_equal(getattr(stacked, name)[i, k], getattr(single, name)), name


@pytest.mark.skipif(not COMPILED, reason="compares compiled code with plain Python")
def test_compiled_and_plain_pulses_have_the_same_bits(monkeypatch):
    random = np.random.default_rng(2)
    modulator = PulseModulator(0.02, 0.1, rise_time=0.01, fall_time=0.03)
    shares, state = random.uniform(size=(500, 3)), random.uniform(0.0, 0.02, size=(500, 2, 3))
    compiled = modulator.update(shares, state)
    monkeypatch.setattr(pulses, "modulate", plain(pulses.modulate))
    for own, other in zip(modulator.update(shares, state), compiled, strict=True):
        assert np.array_equal(own, other)


def test_the_state_that_was_passed_in_is_not_changed():
    modulator = PulseModulator(0.1, 1.0)
    state = modulator.initial_state(2)
    modulator.update((0.5, 0.01), state)
    assert not state.any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"min_on_time": 0.0, "period": 1.0}, "min_on_time must be above 0"),
        ({"min_on_time": -0.1, "period": 1.0}, "min_on_time must be a finite real number, at least 0"),
        ({"min_on_time": 0.1, "period": 0.0}, "period must be a finite real number above 0"),
        ({"min_on_time": np.nan, "period": 1.0}, "min_on_time must be a finite"),
        ({"min_on_time": 0.1, "period": 1.0, "rise_time": 0.2}, "min_on_time must be at least rise_time"),
        ({"min_on_time": 0.6, "period": 1.0, "rise_time": 0.5}, "min_on_time must be such that"),
        ({"min_on_time": (0.1, 0.2), "period": 1.0, "rise_time": (0.1, 0.1, 0.1)}, "of the same length"),
        ({"min_on_time": (0.1, -0.2), "period": 1.0}, "min_on_time must be at least 0 in every element"),
    ],
)
def test_bad_times_are_rejected_by_name(arguments, message):
    with pytest.raises(ValueError, match=f"PulseModulator: .*{message}"):
        PulseModulator(**arguments)


def test_bad_shares_and_states_are_rejected_by_name():
    modulator = PulseModulator((0.1, 0.1), 1.0)
    state = modulator.initial_state(2)
    with pytest.raises(ValueError, match="shares must be between 0 and 1"):
        modulator.update((0.5, 1.1), state)
    with pytest.raises(ValueError, match="shares must be between 0 and 1"):
        modulator.update((-0.1, 0.5), state)
    with pytest.raises(ValueError, match="shares must be one share for each of the 2 jets"):
        modulator.update((0.5, 0.5, 0.5), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="state must be finite real numbers of shape \\(2, 2\\)"):
        modulator.update((0.5, 0.5), np.zeros((2, 3)))


@pytest.mark.parametrize(("dt", "every"), [(0.01, 3), (0.03, 1), (0.0075, 4), (0.03 / 7, 7), (0.03 / 7, 21)])
@pytest.mark.parametrize("rounding", [0.0, 1e-16, 2e-15, 4e-10, -4e-10])
def test_valves_that_shut_at_once_deliver_what_the_modulator_counts(dt, every, rounding):
    """Shares of one, and shares that rounding makes a little less, keep the valves open, also where the period is not quite the time
    between two commands."""
    world = World(dt)
    ship = world.add_body(MassProperties.sphere(1000.0, 1.0))
    valve = {"min_on_time": 0.012, "rise_time": 0.012}
    place = {"position": (1, 0, 0), "direction": (0, 1, 0), "max_force": 2.0}
    jet = world.add_force(Thruster(ship, **place, **valve))
    seconds = every * dt
    is_period = abs(rounding) > 1e-12  # else it is the share that is rounded
    period = seconds * (1.0 + rounding) if is_period else seconds
    jets = Jets(ThrusterAllocator([jet]), PulseModulator(0.012, period))
    state, counted = jets.initial_state(), 0.0
    shares = np.random.default_rng(5).choice([0.6, 0.9, 1.0, 1.0 - (not is_period) * rounding], size=60)
    for share in [1.0] * 20 + shares.tolist():
        state = jets.command((0.0, 0.0, 2.0 * share), None, seconds, state)
        counted += 2.0 * jets.shares.item() * period
        world.step(every)
    assert jet.impulse == pytest.approx(counted, rel=1e-8 if is_period else 1e-12)
    # a valve that shut between two commands would rise in each period, and never make up for what this leaves out
    assert abs(jet.impulse - 2.0 * seconds * (20.0 + shares.sum())) < 2.0 * 0.012


@pytest.mark.parametrize("missing", [1e-16, 1e-12, 9e-10])
def test_a_valve_stays_open_rather_than_shut_for_a_rounding_of_the_period(missing):
    modulator = PulseModulator(0.012, 0.03, rise_time=0.012)
    is_open = [[0.0], [1.0]]
    durations, areas, after = modulator.update([1.0 - missing], is_open)
    assert durations.item() == areas.item() == 0.03
    assert after[0].item() == pytest.approx(-0.03 * missing, abs=1e-17)
    assert after[1].item() == 1.0
    assert modulator.update([1.0 - 1.1e-9], is_open)[0].item() < 0.03
