"""The benchmarks measure what they say: the same bodies in C and in other engines, and readable tables."""

import itertools
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from engine import World

from ..benchmarks import __main__ as benchmarks
from ..benchmarks import (
    accuracy,
    flight_costs,
    force_costs,
    limits,
    many_bodies,
    measure,
    one_body,
    scenes,
    start,
    table,
)
from ..benchmarks.measure import Contestant, Effort, Figure, each_call
from ..benchmarks.own import Own
from ..benchmarks.peers import MODULES, installed
from ..benchmarks.peers.peer import Saving
from ..lengths import long_run
from ..truth import rotations

TINY = Effort(rounds=2, seconds=1e-5, most_bodies=10)

SPIN, AXIS = 0.7, np.array([2.0, -3.0, 6.0]) / 7.0
"""[rad/s], and a skew direction."""


# limits


@pytest.fixture(scope="module")
def c_library():
    if limits.library() is None:
        pytest.skip("there is no C compiler")


@pytest.mark.usefixtures("c_library")
@pytest.mark.parametrize("integrator", limits.TICKS)
def test_limit_in_c_flies_as_the_engine_does(integrator):
    """100 ticks of 20 tumbling ships: the same operations in the same order, but for a compiler that fuses some (1e-12; measured 0)."""
    ships = scenes.ships(20)
    rows, world = limits.Rows(ships), scenes.world_of(ships, integrator)
    rows.run(limits.TICKS[integrator], 100)
    world.step(100)
    for name, place in (
        ("position", limits.POSITION),
        ("orientation", limits.ORIENTATION),
        ("velocity", limits.VELOCITY),
        ("angular_velocity_body", limits.RATES),
    ):
        assert rows.array[place, :20].T == pytest.approx(getattr(world.state, name), rel=1e-12, abs=1e-12), name


@pytest.mark.usefixtures("c_library")
def test_bytes_counted_are_those_that_the_c_touches():
    """As many rows read and written as the source has in its enumeration: all but the thirteen before, and twice thirteen."""
    source = limits.SOURCE.read_text(encoding="utf-8")
    rows = int(re.search(r"\bROWS = (\d+)", source)[1])
    assert (rows - 13, 2 * 13, 13) == (limits.ROWS_READ, limits.ROWS_WRITTEN, limits.ROWS_FETCHED)
    assert limits.Rows(scenes.ships(1)).array.shape[0] == rows


# peers


def spun_balls(count):
    """Balls that turn about a skew axis while their thruster pushes along their z axis; more than one, each at another place."""
    position = np.arange(3.0 * count).reshape(count, 3)
    rates = np.tile(SPIN * AXIS, (count, 1))
    return scenes.Bodies(1200.0, (2000.0, 2000.0, 2000.0), position, rates, thrust=500.0, gravity=scenes.GRAVITY)


def displaced(time):
    """∫∫ a (turn(n, Ωt) z) + g: a thrust whose part across the axis n goes round with the body, and gravity."""
    thrust, phase = np.array([0.0, 0.0, 500.0 / 1200.0]), SPIN * time
    along = (thrust @ AXIS) * AXIS
    across = thrust - along
    turning = (1.0 - np.cos(phase)) * across + (phase - np.sin(phase)) * np.cross(AXIS, across)
    return turning / SPIN**2 + 0.5 * (along + scenes.GRAVITY) * time**2


def check_flight(entry, count):
    """One second. A method of order one that kicks first is ahead by half a tick of the final speed, 10 m/s · dt/2 = 0.02 m.

    The others hold the thrust over a tick in the world frame at worst, 0.4 m/s² Ω dt/2 = 6e-4 m/s²; float32 keeps 1e-5 at 30 m and 1 s.
    """
    bodies = spun_balls(count)
    peer = entry.make(bodies)
    try:
        peer.tick()
        peer.run(239)
        assert peer.time == pytest.approx(1.0, rel=1e-6)
        expected = bodies.position + displaced(peer.time)
        assert np.abs(peer.positions() - expected).max() < (0.025 if entry.order == 1 else 1e-3)
        turn = rotations.from_axis_angle(AXIS, SPIN * peer.time)
        assert rotations.angle(peer.orientations(), np.tile(turn, (count, 1))).max() < 2e-3
    finally:
        peer.close()


def entries_of(name):
    """What a peer has to show; skips where it is not installed."""
    if name not in installed():
        pytest.skip(f"{name} is not installed")
    return installed()[name][1]


@pytest.mark.parametrize("count", [2, 12])
@pytest.mark.parametrize("name", MODULES)
def test_peer_flies_the_same_bodies(name, count):
    for entry in entries_of(name):
        check_flight(entry, count)


@pytest.mark.parametrize("name", MODULES)
def test_peer_tumbles_as_its_order_lets_it(name):
    """Two seconds of (1, 1, 3) rad/s, I = (1, 2, 3): order one is off by about ω² dt/2 · 2 s = 0.05, order four by 1e-9."""
    for entry in entries_of(name):
        error = accuracy.largest_error(entry.make, (1.0, 1.0, 3.0), 2)
        assert error < (0.1 if entry.order == 1 else 1e-8)


def test_wheels_jets_and_a_tank_turn_a_ship_as_they_do_in_basilisk():
    """Two seconds at order four in both, with parts that change the rates [rad/s] by 0.001, 0.5 and 0.1."""
    entries_of("basilisk")
    torque, force = 1e-2, 5.0
    add_all = {
        "wheels": lambda world, ship: flight_costs.add_wheels(world, ship, torque),
        "jets": lambda world, ship: flight_costs.add_jets(world, ship, force),
        "tank": flight_costs.add_tank,
    }
    for parts in ("wheels", "jets", "tank", "wheels jets tank"):
        other = flight_costs.basilisk_ship(parts, torque, force)
        world, ship = flight_costs.ship_of("rk4")
        for part in parts.split():
            add_all[part](world, ship)
        other.run(200)
        world.step(200)
        assert np.abs(other.rates - ship.angular_velocity_body).max() < 1e-9


@pytest.mark.parametrize("name", [*MODULES, "own"])
def test_an_engine_that_restores_a_state_goes_on_from_there(name):
    """Twelve balls: the same bits again after ten ticks, and as predicted."""
    makers = [lambda bodies: Own(bodies, "free-rotor-2")] if name == "own" else [e.make for e in entries_of(name)]
    for engine in (make(spun_balls(12)) for make in makers):
        if isinstance(engine, Saving):
            engine.run(5)
            saved, start = engine.saved(), engine.positions()
            positions, orientations = engine.predicted(10)
            assert np.array_equal(engine.positions(), start)
            engine.run(10)
            end = engine.positions(), engine.orientations()
            assert np.array_equal(positions[-1], end[0]) and np.array_equal(orientations[-1], end[1])
            engine.restore(saved)
            engine.forget(saved)
            assert np.array_equal(engine.positions(), start)
            engine.run(10)
            assert np.array_equal(engine.positions(), end[0]) and np.array_equal(engine.orientations(), end[1])
        engine.close()


def test_own_methods_fly_the_same_bodies():
    """Position to 1e-3 m for a method of order two or four, as for peers."""
    own = Own(spun_balls(2), "free-rotor-2")
    own.run(240)
    assert np.abs(own.positions() - own_start() - displaced(1.0)).max() < 1e-3


def own_start():
    return spun_balls(2).position


@pytest.mark.parametrize("case", accuracy.CASES)
def test_orientation_error_is_small_for_a_right_method_and_large_for_a_wrong_one(case):
    """Three seconds: exact rotation to rounding, order four below 1e-6, order one already above 1e-2."""
    rates = accuracy.CASES[case]
    errors = [
        accuracy.largest_error(accuracy.everyone()[name], rates, 3)
        for name in ("free-rotor-2", "rk4-body-rates", "semi-implicit-euler")
    ]
    assert errors[0] < 1e-11 < errors[1] < 1e-6 < 1e-2 < errors[2]


# measuring


def test_rounds_go_round_all_contestants_and_prepare_before_each():
    calls = []
    contestants = [
        Contestant(name, "", lambda times, name=name: calls.append(name), lambda name=name: calls.append(f"{name}?"))
        for name in "ab"
    ]
    found = measure.rounds(contestants, Effort(rounds=3, seconds=1e-9, most_bodies=1))
    assert [len(times) for times in found] == [3, 3]
    assert calls[-12:] == ["a?", "a", "b?", "b"] * 3


def test_a_figure_is_the_median_and_the_least_of_what_one_share_took(monkeypatch):
    """Runs of 4, 1 and 2 s over ten bodies, in ns: the clock is set by hand."""
    taken = iter([9.0, 4.0, 1.0, 2.0])  # the first finds out how often the work fits
    now = [0.0]
    monkeypatch.setattr(measure.time, "perf_counter", lambda: now[0])

    def work(times):
        now[0] += next(durations)

    durations = iter([0.0, *taken])
    figure = measure.figures("t", "ns", [Contestant("r", "c", work, share=10)], Effort(3, 1.0, 1))[0]
    assert (figure.median, figure.least) == pytest.approx((0.2e9, 0.1e9))


def test_each_call_calls_so_many_times():
    calls = []
    each_call(lambda: calls.append(0))(7)
    assert len(calls) == 7


# tables


@pytest.fixture(scope="module")
def run():
    """A tiny run of what is quick, with the columns of the compact table."""
    figures = one_body.measured(TINY)[:3] + many_bodies._at(10, TINY) + limits.bandwidth(TINY)
    figures += [Figure(f.table, f.row, "1 000", f.unit, f.median, f.least) for f in figures if f.column == "10"]
    figures += accuracy._costs({"rk4": lambda bodies: Own(bodies, "rk4")}, TINY)
    for case in accuracy.CASES:
        figures.append(measure.value(accuracy.TABLE, "rk4", accuracy.error_column(case), "rad", 3e-8))
        figures.append(measure.value(accuracy.TABLE, "semi-implicit-euler", accuracy.error_column(case), "rad", 3.0))
    return {"machine": benchmarks.machine.described(), "figures": [figure.as_json() for figure in figures]}


@long_run
def test_tables_come_out_of_the_json_as_they_went_in(run):
    again = json.loads(json.dumps(run))
    assert table.everything(again) == table.everything(run)
    assert table.compact(again) == table.compact(run)


@long_run
def test_table_shows_every_figure_once_with_its_least_round(run):
    text = table.everything(run)
    rows = {line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")}
    assert {figure["row"] for figure in run["figures"]} <= rows
    assert run["machine"]["date"] in text and run["machine"]["processor"] in text
    assert re.search(r"\| rk4 .*\d \(\d", text)


@long_run
def test_compact_table_has_cost_beside_truth(run):
    lines = table.compact(run).splitlines()
    cells = {
        cells[1].strip(): [cell.strip() for cell in cells[2:-1]] for cells in (line.split("|") for line in lines[2:-2])
    }
    assert cells['**`"rk4"`**'][-2:] == ["3e-8", "3e-8"]
    assert cells['**`"semi-implicit-euler"`**'][-2:] == ["lost", "lost"]
    assert re.fullmatch(r"[\d. ]+", cells['**`"rk4"`**'][1])


@long_run
def test_files_are_written(run, tmp_path):
    pytest.importorskip("matplotlib")
    target, drawn = tmp_path / "kept" / "run.json", tmp_path / "kept" / "run.svg"
    benchmarks.written(run, target, drawn)
    assert json.loads(target.read_text(encoding="utf-8")) == run
    for path in (drawn, drawn.with_name(benchmarks.ENGINES)):
        assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"


@long_run
def test_costs_are_bars_from_the_cheapest_to_the_dearest_with_their_numbers(run):
    pytest.importorskip("matplotlib")
    from ..benchmarks import picture

    (axes,) = picture.costs(run).axes
    widths = [bar.get_width() for bar in axes.patches]
    expected = sorted(f["median"] for f in run["figures"] if (f["table"], f["column"]) == (many_bodies.TABLE, "1 000"))
    assert widths == expected and len(widths) > 3
    said = [text.get_text() for text in axes.texts]
    assert [picture._digits(width) for width in widths] == said[1::2]
    assert picture._digits(70_789.0) == "70 800" and picture._digits(9.6341) == "9.63"


def test_no_name_of_the_scatter_covers_another_or_a_point():
    pytest.importorskip("matplotlib")
    from ..benchmarks import picture

    drawn = picture.next_to_other_engines(json.loads(benchmarks.KEPT[0].read_text(encoding="utf-8")))
    drawn.canvas.draw()
    (axes,) = drawn.axes
    boxes = [text.get_window_extent() for text in axes.texts]
    points = [axes.transData.transform((line.get_xdata()[0], line.get_ydata()[0])) for line in axes.lines]
    assert len(points) == len(boxes) - 1 >= 10
    assert not [pair for pair in itertools.combinations(boxes, 2) if pair[0].overlaps(pair[1])]
    assert not [box for box in boxes for point in points if box.contains(*point)]


def test_a_plot_has_other_colours_on_a_dark_page_and_refuses_one_that_has_none(tmp_path):
    pytest.importorskip("matplotlib")
    from ..benchmarks import charts

    drawn = '<svg a="b"><path style="fill: #ffffff"/><path style="stroke: #b67900"/></svg>'
    both = charts.for_both_pages(drawn, dict(charts.INKS.values()), "a < b")
    assert "var(--c1, #ffffff)" in both and "--c1: #0d1117" in both and "<desc>a &lt; b</desc>" in both
    with pytest.raises(ValueError, match="#123456"):
        charts.for_both_pages('<svg><path style="fill: #123456"/></svg>', dict(charts.INKS.values()))
    lights = [light for light, _ in charts.INKS.values()]
    assert len(set(lights)) == len(lights)


def test_the_kept_figures_of_the_methods_draw_every_method():
    pytest.importorskip("matplotlib")
    from ..benchmarks import integrators as methods

    kept = json.loads(methods.KEPT.read_text(encoding="utf-8"))
    assert all(set(curves) == set(methods.by_name) for curves in kept.values()) and len(kept) == 3
    pictures = methods.pictures(kept)
    drifts = {text.get_text() for axes in pictures["drift"].axes for text in axes.texts}
    assert set(methods.by_name) <= drifts
    ends = {text.get_text() for axes in pictures["work-precision"].axes for text in axes.texts}
    assert set(methods.charts.METHODS) <= ends


def test_table_option_prints_the_tables_of_a_file(run, tmp_path, capsys):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run), encoding="utf-8")
    benchmarks.main(["--table", str(path)])
    assert capsys.readouterr().out.startswith(table.compact(run) + "\n")


@pytest.mark.parametrize(("mark", "make"), [("benchmark table", table.compact), ("force table", table.forces)])
def test_the_page_on_benchmarks_has_the_tables_of_the_recorded_run(mark, make):
    page = (benchmarks.ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    held = re.search(rf"<!-- {mark} -->\n(.*?)\n<!-- end of {mark} -->", page, flags=re.DOTALL)
    assert held is not None, "the page has no marks for the table"
    assert held[1].strip() == make(json.loads(benchmarks.KEPT[0].read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("value", "words"), [(3e-8, "3e-8"), (0.0123, "1e-2"), (1.2, "lost"), (np.inf, "lost"), (np.nan, "lost")]
)
def test_an_orientation_a_radian_off_is_lost(value, words):
    assert table.error(value) == words


# what is measured


def test_two_threads_are_compared_where_worlds_take_them():
    try:
        World(0.01, threads=2)
        expected = list(many_bodies.THREADED)
    except TypeError:
        expected = []
    found = many_bodies._threads(10, TINY)
    assert [figure.row for figure in found] == expected
    assert all(figure.unit == "×" and figure.median > 0.0 for figure in found)


def test_forces_that_are_timed_act():
    """Each field, springs among them, changes the flight: what is timed is not an empty call."""
    bodies = scenes.ships(3)
    plain = scenes.world_of(bodies, "rk4")
    plain.step(10)
    worlds = [force_costs._chained(scenes.world_of(bodies, "rk4"))]
    for make in force_costs.FIELDS.values():
        worlds.append(scenes.world_of(bodies, "rk4"))
        worlds[-1].add_force(make())
    for world in worlds:
        world.step(10)
        assert world.state_hash() != plain.state_hash(), world.forces[-1]


def test_thousand_ticks_allocate_less_than_a_body_takes():
    """Bytes above the start: some numbers of Python's own, and no array (a body's column is 512)."""
    assert start._allocated(1000) < 4096
    assert 400 < start._memory()[0].median < 1200
