"""What the plots draw is what was recorded, with units, and what cannot be drawn is rejected by name."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from engine import MassProperties, Recorder, World, flight, forces, plot, solutions

from ..truth import rotations

GM, RADIUS = 398600.4418e9, 6378137.0


@pytest.fixture(scope="module")
def tumbling():
    """A record of a free body that starts 0.4 s after the world, and the closed form of its motion."""
    world = World(0.02)
    world.add_body(MassProperties.sphere(1.0, 0.5), name="still")
    body = world.add_body(
        MassProperties(1.0, (1.0, 2.0, 3.0)),
        name="ship",
        orientation=rotations.from_axis_angle((1, 2, 3), 0.9),
        angular_velocity_body=(0.2, 3.0, 0.1),
    )
    world.step(20)
    record = Recorder(world, every=3)
    solution = solutions.FreeAsymmetricTop(body.inertia_body, body.angular_velocity_body, body.orientation)
    world.step(300)
    return record, solution


@pytest.fixture(scope="module")
def satellite():
    world = World(20.0, integrator="free-rotor-4")
    world.add_body(
        MassProperties.sphere(90.0, 1.0), name="sat", position=(0.0, 7000e3, 0.0), velocity=(-6500.0, 0.0, 5000.0)
    )
    world.add_force(forces.PointGravity(GM))
    record = Recorder(world)
    world.step(700)
    return record


@pytest.fixture(scope="module")
def controlled():
    world = World(0.05)
    ship = world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), name="ship", orientation=(0.6, 0, 0, 0.8))
    wheels = [
        world.add_part(flight.ReactionWheel(ship, axis=axis, inertia=0.02, max_torque=0.3, max_speed=600.0))
        for axis in np.eye(3)
    ]
    law, reference = flight.control.QuaternionPD(4.0, 20.0), flight.Reference()
    world.add_part(flight.Controlled(ship, law, reference, flight.WheelAllocator(wheels), every=2, name="attitude"))
    record = Recorder(world)
    world.step(40)
    return record


def axes(**options):
    return Figure().add_subplot(**options)


def curves(ax):
    """The data of the lines by label, those without a label under a number."""
    return {line.get_label(): np.array(line.get_data()) for line in ax.lines}


def test_rates_are_those_recorded_beside_the_closed_form(tumbling):
    record, solution = tumbling
    ax = plot.rates(record, body="ship", ax=axes(), solution=solution)
    drawn = curves(ax)
    for place, label in enumerate(("ω x", "ω y", "ω z")):
        assert np.array_equal(drawn[label], [record.time, record.angular_velocity_body[:, 1, place]])
    exact = [line.get_ydata() for line in ax.lines[3:]]
    assert np.abs(np.transpose(exact) - record.angular_velocity_body[:, 1]).max() < 1e-9
    assert ax.get_xlabel() == "time [s]" and ax.get_ylabel() == "angular velocity, body frame [rad/s]"
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines[:3]}) == 3
    assert len({line.get_linestyle() for line in ax.lines[:3]}) == 3


def test_a_body_is_named_or_numbered_and_a_record_may_be_a_file(tumbling, tmp_path):
    record, _ = tumbling
    world = World(0.02)
    world.add_body(MassProperties.sphere(1.0, 0.5), name="ball", angular_velocity_body=(0.0, 2.0, 0.0))
    streamed = Recorder(world, path=tmp_path / "ball.record")
    world.step(5)
    streamed.stop()
    for source in (
        streamed,
        Recorder.read(tmp_path / "ball.record"),
        tmp_path / "ball.record",
        str(tmp_path / "ball.record"),
    ):
        assert curves(plot.rates(source, ax=axes()))["ω y"][1].tolist() == [2.0] * 6
    named, numbered = (curves(plot.rates(record, body=body, ax=axes())) for body in ("ship", 1))
    assert all(np.array_equal(named[label], numbered[label]) for label in named)


def test_drift_is_relative_and_rounding_is_drawn_at_its_floor():
    """A fall by Euler's method, whose energy is wrong by m g² t dt/2, beside a free body that keeps both to rounding."""
    world = World(0.1, integrator="semi-implicit-euler")
    world.add_body(MassProperties.sphere(2.0, 0.5), angular_velocity_body=(0.0, 0.0, 3.0))
    record = Recorder(world)
    world.add_force(forces.UniformGravity((0.0, -10.0, 0.0)))
    world.step(20)
    drawn = curves(plot.drift(record, ax=axes()))
    time, change = drawn["energy"]
    energy = record.kinetic_energy[:, 0] + record.potential_energy[:, 0]
    expected = np.abs(energy - energy[0]) / record.kinetic_energy[:, 0].max()
    assert np.array_equal(time, record.time) and change[1:] == pytest.approx(expected[1:], rel=1e-12)
    assert change[-1] == pytest.approx(2.0 * 100.0 * 2.0 * 0.1 / 2.0 / record.kinetic_energy[-1, 0], rel=1e-9)
    assert (drawn["angular momentum"][1] == 1e-12).all()


def test_the_path_of_an_axis_lies_on_the_unit_sphere(tumbling):
    record, solution = tumbling
    ax = plot.axis_path(record, (0, 2, 0), body=1, ax=axes(projection="3d"), solution=solution)
    path, _start, exact = (np.array(line.get_data_3d()).T for line in ax.lines)
    assert path == pytest.approx(rotations.to_world(record.orientation[:, 1], np.array([0.0, 1.0, 0.0])), abs=1e-14)
    assert np.abs(path - exact).max() < 1e-9


def test_the_polhode_lies_on_the_drawn_energy_ellipsoid(tumbling):
    record, solution = tumbling
    ax = plot.polhode(record, body="ship", ax=axes(projection="3d"), solution=solution)
    path, _start, exact = (np.array(line.get_data_3d()).T for line in ax.lines)
    assert np.array_equal(path, record.angular_velocity_body[:, 1]) and np.abs(path - exact).max() < 1e-9
    net = np.concatenate(ax.collections[1]._segments3d)
    twice_energy = 2.0 * solution.kinetic_energy
    assert (net**2 @ (1.0, 2.0, 3.0)) == pytest.approx(twice_energy, rel=1e-12)
    assert (path**2 @ (1.0, 2.0, 3.0)) == pytest.approx(twice_energy, rel=1e-9)


def test_the_herpolhode_lies_in_the_invariable_plane(tumbling):
    record, solution = tumbling
    ax = plot.herpolhode(record, body="ship", ax=axes(), solution=solution)
    drawn = curves(ax)
    expected = solution.herpolhode(record.time - record.time[0])
    assert np.abs(drawn["herpolhode"].T - expected).max() < 1e-9
    assert np.abs(drawn["closed form"].T - expected).max() < 1e-12
    radii = np.linalg.norm(drawn["herpolhode"], axis=0)
    circles = [line for line in ax.lines if line.get_linestyle() == ":"]
    found = [np.linalg.norm(line.get_data(), axis=0) for line in circles]
    assert found[0] == pytest.approx(radii.min()) and found[1] == pytest.approx(radii.max())


def test_control_draws_the_error_and_the_torque_of_a_loop(controlled):
    pair = Figure().subplots(2, 1)
    error, torque = plot.control(controlled, ax=pair)
    assert np.array_equal(error.lines[0].get_ydata(), np.degrees(controlled["attitude.error_angle"]))
    assert np.array_equal([line.get_ydata() for line in torque.lines], controlled["attitude.torque_body"].T)
    assert error.get_ylabel() == "attitude error [deg]" and torque.get_ylabel() == "torque, body frame [N·m]"
    assert plot.control(controlled, loop="attitude", ax=Figure().subplots(2, 1))[0].lines


def test_the_ground_track_moves_westwards_by_the_rotation_of_the_planet(satellite):
    """Over the equator, the longitude is the angle in the orbit's plane less the rotation; the greatest latitude is the inclination."""
    rate = 7.292115e-5
    ax = plot.ground_track(satellite, rate, ax=axes(), longitude=0.3)
    longitude, latitude = ax.lines[0].get_data()
    there = np.isfinite(longitude)
    position = satellite.position[:, 0]
    turned = np.degrees(np.arctan2(position[:, 1], position[:, 0]) - rate * satellite.time + 0.3)
    assert np.abs(np.exp(1j * np.radians(longitude[there])) - np.exp(1j * np.radians(turned))).max() < 1e-12
    assert longitude[0] == pytest.approx(90.0 + np.degrees(0.3))
    assert np.nanmax(latitude) == pytest.approx(np.degrees(np.arctan2(5000.0, 6500.0)), abs=0.01)
    assert np.abs(np.diff(longitude[there])).max() > 180.0 and np.isnan(longitude).sum() > 0
    assert np.nanmax(np.abs(np.diff(longitude))) < 180.0


def test_an_orbit_is_drawn_in_its_plane_in_kilometres(satellite):
    solution = solutions.TwoBodyMotion(GM, satellite.position[0, 0], satellite.velocity[0, 0])
    ax = plot.orbit(satellite, RADIUS, ax=axes(), solution=solution)
    drawn = curves(ax)
    assert np.linalg.norm(drawn["sat"], axis=0) == pytest.approx(
        1e-3 * np.linalg.norm(satellite.position[:, 0], axis=1), rel=1e-9
    )
    assert drawn["first sample"].ravel() == pytest.approx((7000.0, 0.0))
    assert np.abs(drawn["sat"] - drawn["closed form"]).max() < 0.02
    assert ax.patches[0].radius == RADIUS / 1e3 and ax.get_xlabel().endswith("[km]")


def test_columns_of_one_unit_share_axes(controlled):
    names = [f"ReactionWheel {number}.momentum" for number in range(3)]
    ax = plot.columns(controlled, names, ax=axes())
    for name, line in zip(names, ax.lines, strict=True):
        assert line.get_label() == name and np.array_equal(line.get_ydata(), controlled[name])
    assert ax.get_ylabel() == "[N·m·s]"
    assert (
        plot.columns(controlled, "ReactionWheel 0.momentum", ax=axes()).get_ylabel()
        == "ReactionWheel 0.momentum [N·m·s]"
    )


def test_each_of_twelve_curves_has_a_look_of_its_own(tumbling):
    record, _ = tumbling
    names = ["angular_velocity_body"] * 4
    lines = plot.columns(record, names, body="ship", ax=axes()).lines
    assert len(lines) == 12 == len({(line.get_color(), line.get_linestyle()) for line in lines})
    assert len({line.get_color() for line in lines[:4]}) == 4  # such as four wheels


def test_what_is_constant_to_rounding_is_a_flat_line(tumbling):
    """The kinetic energy of the free body wavers in its last digits, which must not fill the height."""
    record, _ = tumbling
    assert np.ptp(record.kinetic_energy[:, 1]) > 0.0
    ax = plot.columns(record, "kinetic_energy", body="ship", ax=axes())
    low, high = ax.get_ylim()
    assert high - low > 0.05 * record.kinetic_energy[0, 1]


def test_bodies_are_told_apart_by_name(tumbling):
    record, _ = tumbling
    labels = {line.get_label() for line in plot.columns(record, "velocity", ax=axes()).lines}
    assert labels == {f"{body} {part}" for body in ("still", "ship") for part in "xyz"}


def test_a_new_figure_is_made_without_axes_and_no_setting_changes(tumbling):
    import matplotlib.pyplot as plt

    record, _ = tumbling
    with mpl.rc_context():
        plt.switch_backend("agg")
        before = dict(mpl.rcParams)
        count = len(plt.get_fignums())
        made = [draw(record, body=1) for draw in (plot.rates, plot.drift, plot.axis_path, plot.herpolhode)]
        assert len(plt.get_fignums()) == count + 4 and len({id(ax.figure) for ax in made}) == 4
        assert {name: value for name, value in mpl.rcParams.items() if before[name] != value} == {}
        for ax in made:
            plt.close(ax.figure)


def test_the_engine_imports_neither_matplotlib_nor_pandas_nor_its_own_plots():
    names = "'matplotlib', 'pandas', 'engine.plot', 'engine.solutions'"
    program = f"import sys, engine; print(sorted({{{names}}} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def empty():
    record = Recorder(World(0.5), capacity=1)
    record._count = 0
    return record


REJECTED = [
    (lambda record: plot.rates(3), TypeError, "plot.rates: record must be a Recorder, a Record or the path of a file"),
    (lambda record: plot.rates(empty()), ValueError, "plot.rates: record must be a record with at least one sample"),
    (
        lambda record: plot.rates(record, body="tug"),
        ValueError,
        r"plot.rates: body must be the name of a recorded body \(still, ship\) or its place, from 0 to 1; got 'tug'",
    ),
    (lambda record: plot.drift(record, body=2), ValueError, "plot.drift: body must be the name of a recorded body"),
    (lambda record: plot.drift(record, body=1.5), TypeError, "plot.drift: body must be the name of a recorded body"),
    (lambda record: plot.rates(record, ax=3), TypeError, "plot.rates: ax must be two-dimensional axes"),
    (
        lambda record: plot.polhode(record, body=1, ax=Figure().add_subplot()),
        TypeError,
        "plot.polhode: ax must be three-dimensional axes",
    ),
    (lambda record: plot.polhode(record), ValueError, "plot.polhode: record must be .*; still does not rotate"),
    (lambda record: plot.herpolhode(record), ValueError, "plot.herpolhode: record must be .*; still has none"),
    (
        lambda record: plot.axis_path(record, (0, 0, 0)),
        ValueError,
        "plot.axis_path: axis_body must be a non-zero vector",
    ),
    (lambda record: plot.rates(record, body=1, solution=3), TypeError, "plot.rates: solution must be a solution with"),
    (lambda record: plot.control(record), ValueError, "plot.control: loop must be .*it has none"),
    (lambda record: plot.ground_track(record, np.nan), ValueError, "plot.ground_track: rotation_rate must be"),
    (lambda record: plot.ground_track(record, 0.1), ValueError, "plot.ground_track: center must be a point that still"),
    (lambda record: plot.orbit(record, -1.0), ValueError, "plot.orbit: radius must be"),
    (lambda record: plot.orbit(record), ValueError, "plot.orbit: record must be .* around the centre"),
    (
        lambda record: plot.columns(record, ["position", "velocity"]),
        ValueError,
        "plot.columns: names must be columns with one unit; they have m, m/s",
    ),
    (
        lambda record: plot.columns(record, "inertia_body"),
        ValueError,
        "plot.columns: names must be columns with 1 to 12 curves; they have 18.*choose one body",
    ),
    (
        lambda record: plot.columns(record, "speed"),
        ValueError,
        "plot.columns: record must be a record with the column 'speed'; .*; it has position",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), REJECTED)
def test_what_cannot_be_drawn_is_rejected_by_name(tumbling, call, kind, message):
    with pytest.raises(kind, match=f"^{message}"):
        call(tumbling[0])


def test_a_record_without_the_columns_of_a_plot_is_rejected():
    world = World(0.5)
    world.add_body(MassProperties.sphere(1.0, 0.5), angular_velocity_body=(0, 0, 1))
    record = Recorder(world, columns=["position"])
    for draw in (plot.rates, plot.drift, plot.axis_path, plot.polhode, plot.herpolhode, plot.orbit):
        with pytest.raises(ValueError, match=r"record must be a record with the column '\w+'; .*it has position"):
            draw(record)
