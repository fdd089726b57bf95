"""Records of a flight: what is in them, in memory and in files."""

import csv
import json
import os
import resource
import signal
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest

from engine import MassProperties, Recorder, World, flight, forces, rotation
from engine import joints as joint_types
from engine.saving.recorder import Record

from ..driven_world import driven_world
from ..full_world import Stop, full_world
from ..helpers import PATIENCE
from ..lengths import sized
from ..worlds import OTHER


def test_samples_are_the_state_at_the_start_and_after_each_interval():
    world = full_world()
    record, expected = Recorder(world, every=2), []
    for tick in range(11):
        if tick:
            world.step()
        if not tick or world.tick_count % 2 == 0:
            state = world.state
            expected.append(
                (
                    world.time,
                    state.position.copy(),
                    state.orientation.copy(),
                    state.velocity.copy(),
                    state.angular_velocity_body.copy(),
                )
            )
            momentum = np.array([body.angular_momentum_world for body in world.bodies])
            assert record.angular_momentum_world[-1] == pytest.approx(momentum, rel=1e-12)
            assert record.kinetic_energy[-1].sum() == pytest.approx(world.kinetic_energy(), rel=1e-12)
            assert record.potential_energy[-1].sum() == pytest.approx(world.potential_energy(), rel=1e-12)
            assert np.array_equal(record.inertia_body[-1], [body.inertia_body for body in world.bodies])
    assert len(record) == 6
    for place, name in enumerate(("time", "position", "orientation", "velocity", "angular_velocity_body")):
        assert np.array_equal(record[name], np.array([sample[place] for sample in expected])), name
    assert set(record.arrays()) == {"time", *(column.name for column in record.columns)}


def test_commands_and_states_of_forces_and_parts_are_columns():
    world = driven_world()
    wheel, tank = world.parts
    jet, gimballed, _gravity = world.forces

    def sample():
        speeds = wheel.torque, wheel.momentum, wheel.speed
        return *speeds, tank.propellant, jet.impulse, gimballed.gimbal_angles.tolist()

    record, seen = Recorder(world), [sample()]
    for tick in range(12):
        wheel.torque = 0.1 * tick
        world.step()
        seen.append(sample())
        energies = [body.kinetic_energy() for body in world.bodies]  # the wheel has a part in it
        assert record.kinetic_energy[-1] == pytest.approx(energies, rel=1e-12)
    names = (
        "ReactionWheel 0.torque",
        "ReactionWheel 0.momentum",
        "ReactionWheel 0.speed",
        "Tank 0.propellant",
        "Thruster 0.impulse",
        "Thruster 1.angles",
    )
    for place, name in enumerate(names):
        assert np.array_equal(record[name], np.array([sample[place] for sample in seen])), name
    units = {column["name"]: (column["unit"], column["frame"]) for column in record.metadata["columns"]}
    assert units["ReactionWheel 0.speed"] == ("rad/s", "") and units["velocity"] == ("m/s", "world")


def test_parts_that_share_a_name_have_columns_of_their_own():
    world = World(0.5)
    names, loops = ["control loop", "control loop", "control loop 0", "yaw"], []
    for number, name in enumerate(names):
        ship = world.add_body(OTHER, orientation=rotation.from_axis_angle((0, 0, 1), 0.1 * (number + 1)))
        motor = world.add_part(flight.BodyTorque(ship, max_torque=1.0))
        law = flight.control.QuaternionPD(1.0, 1.0)
        loops.append(world.add_part(flight.Controlled(ship, law, flight.Reference(), motor, every=1, name=name)))
    record = Recorder(world)
    world.step()
    titles = ["control loop 1", "control loop 2", "control loop 0", "yaw"]
    found = [float(record[f"{title}.error_angle"][-1]) for title in titles]
    assert found == [loop.error_angle for loop in loops] and np.all(np.diff(found) > 0.0)
    columns = [column.name for column in record.columns]
    assert len(set(columns)) == len(columns) == len(record.arrays()) - 1


def test_impulses_of_throttles_are_recorded_at_every_sample():
    """They are settled only when a throttle changes or the impulse is read."""
    world = World(0.5)
    ship = world.add_body(OTHER)
    jet = world.add_force(forces.Thruster(ship, position=(0, 0, 0), direction=(1, 0, 0), max_force=2.0))
    places = {"positions": np.zeros((2, 3)), "directions": np.eye(2, 3)}
    bank = world.add_force(forces.ThrusterBank(ship, **places, max_forces=(4.0, 8.0)))
    jet.throttle, bank.throttle = 0.5, (1.0, 0.25)
    record = Recorder(world)
    world.step(2)
    jet.throttle = 1.0
    world.step()
    assert record["Thruster 0.impulse"].tolist() == [0.0, 0.5, 1.0, 2.0] and jet.impulse == 2.0
    assert record["ThrusterBank 0.impulse"].tolist() == [[0.0, 0.0], [2.0, 1.0], [4.0, 2.0], [6.0, 3.0]]
    assert not any("settled" in column.name for column in record.columns)


def test_sensors_and_commanded_torques_are_columns():
    world = World(0.5)
    ship = world.add_body(OTHER, name="ship", angular_velocity_body=(0.1, -0.2, 0.3))
    gyro = world.add_part(flight.Gyro(ship, seed=1, every=2, noise_density=1e-3))
    tracker = world.add_part(flight.StarTracker(ship, (0, 0, 1), seed=2, delay=2))
    (
        world.add_part(flight.Accelerometer(ship, seed=3)),
        world.add_part(flight.Magnetometer(ship, field=(3e-5, 0, 0), seed=4)),
    )
    world.add_part(flight.SunSensor(ship, (0, 0, 1), field_of_view=1.0, sun_direction_world=(0, 0, 1), seed=5))
    motor = world.add_part(flight.BodyTorque(ship, max_torque=1.0))
    motor.torque_body = (0.0, 0.5, -0.5)
    record = Recorder(world)
    rates, attitudes = [[np.nan] * 3], [[np.nan] * 4]
    for tick in range(8):
        gyro.fault = "dead" if 4 <= tick < 6 else None
        world.step()
        for seen, reading in ((rates, gyro.read()), (attitudes, tracker.read())):
            seen.append(reading[0].tolist() if reading.is_valid else [np.nan] * len(reading[0]))
    assert np.array_equal(record["ship gyro.angular_velocity_body"], rates, equal_nan=True)
    assert np.array_equal(record["ship star tracker.orientation"], attitudes, equal_nan=True)
    assert np.isnan(rates).any(axis=1).tolist() == [True, False, False, False, False, True, True, False, False]
    assert record["BodyTorque 0.torque_body"].tolist() == [[0.0, 0.5, -0.5]] * 9
    units = {column.name: (column.unit, column.frame, column.shape) for column in record.columns}
    assert units["ship gyro.angular_velocity_body"] == ("rad/s", "body", (3,))
    assert units["ship star tracker.orientation"] == ("-", "body to world", (4,))
    assert units["ship accelerometer.specific_force_body"] == ("m/s²", "body", (3,))
    assert units["ship magnetometer.field_body"] == ("T", "body", (3,))
    assert units["ship sun sensor.direction_body"] == ("-", "body", (3,))


def test_a_filter_and_a_loop_have_columns_for_what_they_say_and_not_for_what_they_remember():
    world = World(0.1)
    ship = world.add_body(OTHER, name="ship", angular_velocity_body=(0.1, -0.2, 0.3))
    gyro = world.add_part(flight.Gyro(ship, seed=1, noise_density=1e-4, bias_body=(1e-3, 0, 0), delay=0))
    tracker = world.add_part(flight.StarTracker(ship, (0, 0, 1), noise=(1e-4, 1e-3), seed=2, every=5, delay=1))
    estimate = world.add_part(flight.AttitudeFilter(gyro, [tracker]))
    motor = world.add_part(flight.BodyTorque(ship))
    law, reference = flight.control.QuaternionPD(1.0, 1.0), flight.Reference()
    loop = world.add_part(flight.Controlled(ship, law, reference, motor, every=1, measured=estimate, delay=2))
    record = Recorder(world)
    names = [column.name for column in record.columns]
    parts = "ship gyro", "ship star tracker", "ship attitude filter", loop.name
    assert {
        part: [name.removeprefix(f"{part}.") for name in names if name.startswith(f"{part}.")] for part in parts
    } == {
        parts[0]: ["angular_velocity_body", "fault", "bias_body"],
        parts[1]: ["orientation", "fault"],
        parts[2]: [
            *("orientation", "angular_velocity_body", "bias_body", "attitude_deviation", "bias_deviation"),
            *("residual", "residual_deviation", "is_rejected"),
        ],
        parts[3]: ["torque_body", "force_body", "error_angle", "saturated"],
    }
    said: dict[str, list[object]] = {}
    for _ in range(30):
        world.step()
        deviations = np.sqrt(np.diag(estimate.covariance))
        deviations[np.isinf(deviations)] = np.nan
        of_residual = np.sqrt(np.diag(estimate.residual_covariance)) if estimate.is_started else np.full(3, np.nan)
        for name, value in (
            *(
                (name, getattr(estimate, name))
                for name in ("orientation", "angular_velocity_body", "bias_body", "residual")
            ),
            *(("attitude_deviation", deviations[:3]), ("bias_deviation", deviations[3:])),
            *(("residual_deviation", of_residual), ("is_rejected", estimate.is_rejected)),
        ):
            said.setdefault(name, []).append(value)
    for name, values in said.items():
        assert np.array_equal(record[f"ship attitude filter.{name}"][1:], values, equal_nan=True), name
    assert np.isnan(record["ship attitude filter.attitude_deviation"][:3]).all() and estimate.is_started
    assert record[f"{loop.name}.torque_body"][-1].tolist() == loop.torque_body.tolist() != [0.0, 0.0, 0.0]


def test_columns_of_a_force_have_one_name_whatever_other_forces_there_are():
    def push(wrench, bodies, time):
        wrench.add(ship, force_world=(1.0, 0.0, 0.0))

    pushes = [push, lambda wrench, bodies, time: None, lambda wrench, bodies, time: None]
    pushes[1].__qualname__ = pushes[2].__qualname__ = "wind"
    world = World(0.5)
    ship = world.add_body(MassProperties.sphere(2.0, 0.5))
    gravity = world.add_force(forces.UniformGravity((0.0, -10.0, 0.0)))
    jets = [forces.Thruster(ship, position=(1, 0, 0), direction=(0, 0, 1), max_force=3.0) for _ in range(2)]
    for force in (*jets, *pushes):
        world.add_force(force)
    wanted = [
        f"{title}.{name}"
        for title in (
            "Thruster 0",
            "Thruster 1",
            *(f"{__name__}.{name}" for name in (push.__qualname__, "wind 0", "wind 1")),
        )
        for name in ("force_world", "torque_body")
    ]

    def names():
        columns = [column.name for column in Recorder(world, wrenches=world.forces).columns]
        assert len(set(columns)) == len(columns)
        return [name for name in columns if "Gravity" not in name and name.endswith((".force_world", ".torque_body"))]

    assert names() == wanted
    world.remove_force(gravity)
    world.add_force(forces.PointGravity(1.0, center=(9.0, 0.0, 0.0)))
    assert names() == wanted
    jets[1].throttle = 0.5
    record = Recorder(world, wrenches=[jets[1]])
    assert record["Thruster 1.torque_body"].tolist() == [[[0.0, -1.5, 0.0]]] and record["Thruster 1.throttle"] == 0.5


def test_wrenches_are_recorded_on_request():
    world = World(0.5)
    ship = world.add_body(MassProperties.sphere(2.0, 0.5))
    gravity = world.add_force(forces.UniformGravity((0.0, -10.0, 0.0)))
    jet = world.add_force(forces.Thruster(ship, position=(1, 0, 0), direction=(0, 0, 1), max_force=3.0))
    jet.throttle = 0.5
    record = Recorder(world, wrenches=[gravity, jet])
    world.step(2)
    assert record["UniformGravity 0.force_world"].tolist() == [[[0.0, -20.0, 0.0]]] * 3
    assert record["Thruster 0.torque_body"].tolist() == [[[0.0, -1.5, 0.0]]] * 3


def test_removed_bodies_and_forces_leave_nothing_but_nan():
    world = World(0.5)
    first, second = (world.add_body(OTHER, name=name) for name in "ab")
    jet = world.add_force(forces.Thruster(first, position=(0, 0, 0), direction=(1, 0, 0), max_force=1.0))
    record = Recorder(world, bodies=[second, first])
    world.step()
    world.remove_body(first)
    world.add_body(OTHER, name="c")
    world.step()
    gone = [[False, False], [False, False], [False, True]]
    for column in (record.position, record.inertia_body, record.kinetic_energy, record.potential_energy):
        assert np.isnan(column.reshape(3, 2, -1)[:, :, 0]).tolist() == gone
    assert np.isnan(record["Thruster 0.throttle"]).tolist() == [False, False, True]
    assert record.bodies == ("b", "a") and jet.throttle == 0.0


def test_capacity_keeps_the_last_samples():
    world = World(0.5)
    world.add_body(OTHER)
    record, whole = Recorder(world, capacity=7), Recorder(world)
    for ticks in (1, 5, 1, 1, 30, 200):
        world.step(ticks)
        assert record.tick.tolist() == whole.tick.tolist()[-7:]
        assert np.array_equal(record.position, whole.position[-7:])
    assert len(record._samples) <= 128


def test_a_failed_tick_leaves_no_sample_and_a_restore_goes_on_from_its_time():
    world = World(0.5)
    world.add_body(OTHER, velocity=(1.0, 0.0, 0.0))
    record = Recorder(world)
    world.step(2)
    snapshot = world.snapshot()

    @world.on_tick
    def fail(world):
        raise Stop

    with pytest.raises(Stop):
        world.step()
    world.remove_callback(fail)
    world.step(3)
    assert record.tick.tolist() == [0, 1, 2, 3, 4, 5]
    world.restore(snapshot)
    world.bodies[0].velocity = (2.0, 0.0, 0.0)
    world.step(2)
    assert record.tick.tolist() == [0, 1, 2, 3, 4] and record.position[:, 0, 0].tolist() == [0.0, 0.5, 1.0, 2.0, 3.0]
    record.stop()
    world.step()
    assert len(record) == 5


def test_files_hold_the_same_numbers(tmp_path):
    world = full_world(called=False)
    record = Recorder(world, path=tmp_path / "flight.record", wrenches=[world.forces[0]])
    world.step(3)
    snapshot = world.snapshot()
    world.step(70)
    world.restore(snapshot)
    world.step(75)
    record.stop()
    streamed = Recorder.read(tmp_path / "flight.record")
    assert streamed.metadata == record.metadata and type(streamed) is Record
    assert np.array_equal(streamed.tick, record.tick)
    for name, values in record.arrays().items():
        assert np.array_equal(values, streamed[name]), name
    record.to_npz(tmp_path / "flight.npz")
    with np.load(tmp_path / "flight.npz") as saved:
        assert json.loads(str(saved["metadata"])) == record.metadata
        assert np.array_equal(saved["velocity"], record.velocity)
    record.to_csv(tmp_path / "flight.csv")
    with open(tmp_path / "flight.csv", encoding="utf-8") as file:
        headings, *lines = csv.reader(file)
    assert headings[:4] == ["time [s]", "ship.position.x [m]", "ship.position.y [m]", "ship.position.z [m]"]
    assert len(headings) == len(set(headings)) == record._samples.shape[1]
    column = headings.index("tug.velocity.z [m/s]")
    assert [float(line[column]) for line in lines] == record.velocity[:, 1, 2].tolist()


def test_a_file_is_readable_up_to_the_last_block_after_a_kill(tmp_path):
    path = tmp_path / "flight.record"
    program = f"""
import sys
from engine import MassProperties, Recorder, World
world = World(0.5)
world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(1.0, 0.0, 0.0))
record = Recorder(world, path={str(path)!r})
world.step(200)
print("ready", flush=True)
sys.stdin.read()
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(["."])}
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
    record = Recorder.read(path)
    assert record.tick.tolist() == list(range(192)) and record.position[-1, 0].tolist() == [95.5, 0.0, 0.0]
    data = path.read_bytes()
    path.write_bytes(data[:-5])
    assert len(Recorder.read(path)) == 128
    path.write_bytes(data[:-3] + bytes([data[-3] ^ 1]) + data[-2:])  # the last block is whole, with another checksum
    with pytest.warns(
        UserWarning, match=r"Recorder\.read: .* is damaged; samples are missing after tick 127 and to the last one"
    ):
        assert len(Recorder.read(path)) == 128
    for damaged in (b"", data[:10], b"x" + data[1:], data[:30] + b"?" + data[31:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"Recorder\.read: path must be a file"):
            Recorder.read(path)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.97])
def test_a_flipped_bit_costs_one_block_and_is_told(share, tmp_path):
    world, path = World(0.5), tmp_path / "flight.record"
    world.add_body(OTHER, velocity=(1.0, 0.0, 0.0))
    record = Recorder(world, path=path)
    world.step(640)
    record.stop()
    whole, ticks = path.read_bytes(), Recorder.read(path).tick.tolist()
    for offset in range(
        0, len(whole) // 10, sized(977, 97)
    ):  # also in the number of samples and in the checksum of a block
        damaged = bytearray(whole)
        damaged[min(int(share * len(whole)) + offset, len(whole) - 1)] ^= 4
        path.write_bytes(damaged)
        with pytest.warns(UserWarning, match=r"Recorder\.read: .* is damaged; samples are missing .*tick"):
            read = Recorder.read(path).tick.tolist()
        missing = [place for place, tick in enumerate(ticks) if tick not in read]
        assert 1 <= len(missing) <= 64 and missing == list(range(missing[0], missing[0] + len(missing)))
        assert len(read) == len(ticks) - len(missing)
    path.write_bytes(whole)
    assert Recorder.read(path).tick.tolist() == ticks


def test_a_full_disk_costs_no_sample_once_there_is_room(tmp_path):
    world, path = World(0.5), tmp_path / "flight.record"
    world.add_body(OTHER, velocity=(1.0, 0.0, 0.0))
    record = Recorder(world, path=path)
    world.step(100)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 1003, limits[1]))
        for _ in range(60):
            with suppress(OSError):
                world.step()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert world.tick_count == 160 and len(Recorder.read(path)) == 64
    world.step(40)
    record.stop()
    assert Recorder.read(path).tick.tolist() == record.tick.tolist() == list(range(201))


def test_a_file_belongs_to_one_recorder(tmp_path):
    path, world, other = tmp_path / "flight.record", World(0.5), World(0.5)
    for each in (world, other):
        each.add_body(OTHER)
    record = Recorder(world, path=path)
    world.step(100)
    with pytest.raises(
        ValueError, match=r"Recorder: path must be a file that no other recorder writes; got .*; stop that one first"
    ):
        Recorder(other, path=path)
    world.step(100)
    record.stop()
    assert len(Recorder.read(path)) == 201
    Recorder(other, path=path).stop()
    assert len(Recorder.read(path)) == 1


@pytest.mark.parametrize("change", [lambda block: block[:-3], lambda block: block[:9] + b"abc" + block[9:]])
def test_bytes_that_are_lost_or_added_cost_one_block(change, tmp_path):
    world, path = World(0.5), tmp_path / "flight.record"
    world.add_body(OTHER, velocity=(1.0, 0.0, 0.0))
    record = Recorder(world, path=path)
    world.step(639)
    record.stop()
    data = path.read_bytes()
    size = 8 + 64 * 8 * (1 + sum(column.size for column in record.columns))
    first = len(data) - 8 * size
    path.write_bytes(data[:first] + change(data[first : first + size]) + data[first + size :])
    with pytest.warns(UserWarning, match="samples are missing after tick 127 and before tick 192"):
        assert Recorder.read(path).tick.tolist() == [*range(128), *range(192, 640)]


def test_it_is_no_part_of_forks_and_predictions():
    world = World(0.5)
    world.add_body(OTHER)
    record = Recorder(world)
    world.step()
    world.fork().step()
    world.predict(5.0)
    assert len(record) == 2
    with pytest.raises(
        AttributeError, match=r"Recorder: there is no column 'speed'; its columns are time, tick, position"
    ):
        _ = record.speed
    with pytest.raises(KeyError, match=r"Recorder: there is no column 'speed'; its columns are time, tick, position"):
        _ = record["speed"]


def test_wrong_arguments_are_rejected(tmp_path):
    world = World(0.5)
    world.add_body(OTHER)
    wheel = flight.ReactionWheel(world.bodies[0], axis=(1, 0, 0), inertia=1e-3, max_torque=1.0, max_speed=1.0)
    for call, kind, message in (
        (lambda: Recorder(3), TypeError, r"Recorder: world must be a World; got 3"),
        (lambda: Recorder(world, 0), ValueError, r"Recorder: every must be an integer of at least 1"),
        (lambda: Recorder(world, capacity=0), ValueError, r"Recorder: capacity must be an integer of at least 1"),
        (lambda: Recorder(world, bodies="ship"), TypeError, r"Recorder: bodies must be a list of bodies"),
        (
            lambda: Recorder(world, bodies=[World(1).add_body(OTHER)]),
            ValueError,
            r"Recorder: bodies must be a body of this",
        ),
        (
            lambda: Recorder(world, columns=["speed"]),
            ValueError,
            r"Recorder: columns must be a list of names among position",
        ),
        (lambda: Recorder(world, wrenches=[wheel]), ValueError, r"Recorder: wrenches must be forces of the world"),
        (lambda: Recorder(world, path=tmp_path / "no" / "file"), OSError, "No such file"),
    ):
        with pytest.raises(kind, match=message):
            call()
    assert not world._stages.observers


def jointed_world():
    """A body of each kind of joint, swinging under gravity, with the attributes that a record has."""
    world = World(1 / 60)
    joints = {}
    for place, (kind, names) in enumerate(JOINT_COLUMNS.items()):
        body = world.add_body(
            MassProperties.box(2.0, (1.0, 0.3, 0.2)),
            position=(0.0, 3.0 * place, 0.0),
            angular_velocity_body=(0.2, 0.3, 0.1),
        )
        make = getattr(joint_types, kind)
        joints[kind] = world.add_joint(make(body, at_body=(0.4, 0.0, 0.0), **JOINT_ARGUMENTS.get(kind, {}))), names
    world.add_force(forces.UniformGravity((1.0, -0.5, -2.0)))
    return world, joints


JOINT_COLUMNS = {
    "Ball": {"swing": "rad", "twist": "rad", "swing_rate": "rad/s", "twist_rate": "rad/s"},
    "Hinge": {"angle": "rad", "rate": "rad/s"},
    "Slider": {"distance": "m", "speed": "m/s"},
    "Universal": {"angle_1": "rad", "angle_2": "rad", "rate_1": "rad/s", "rate_2": "rad/s"},
    "Distance": {"distance": "m", "speed": "m/s"},
    "Weld": {"closing_energy": "J", "captured_energy": "J"},
}
JOINT_ARGUMENTS = {
    "Ball": {"axis_body": (0, 0, 1)},
    "Hinge": {"axis_body": (0, 0, 1)},
    "Slider": {"axis_body": (0, 0, 1)},
    "Universal": {"axis_body": (0, 0, 1), "axis_other": (0, 1, 0)},
    "Distance": {"at_other": (0.4, 12.5, 0.5)},
}


def test_joints_have_columns_for_force_torque_coordinates_and_rates(tmp_path):
    world, joints = jointed_world()
    record, expected = Recorder(world), []
    for tick in range(7):
        if tick:
            world.step()
        expected.append(
            {(kind, name): getattr(joint, name) for kind, (joint, names) in joints.items() for name in names}
        )
        for kind, (joint, _names) in joints.items():
            for name in ("force_world", "torque_world"):
                assert record[f"{kind} 0.{name}"][-1].tolist() == getattr(joint, name).tolist()
    units = {column.name: (column.unit, column.frame) for column in record.columns}
    for kind, (_joint, names) in joints.items():
        assert units[f"{kind} 0.force_world"] == ("N", "world")
        assert units[f"{kind} 0.torque_world"] == ("N·m", "world")
        for name, unit in names.items():
            assert record[f"{kind} 0.{name}"].tolist() == [sample[kind, name] for sample in expected]
            assert units[f"{kind} 0.{name}"] == (unit, "")
    assert np.ptp(record["Hinge 0.angle"]) > 0.005
    assert np.abs(record["Hinge 0.force_world"]).max() > 1.0
    record.to_csv(tmp_path / "flight.csv")
    with open(tmp_path / "flight.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["Hinge 0.force_world.y [N]"]) for row in rows] == record["Hinge 0.force_world"][:, 1].tolist()
    assert [float(row["Distance 0.speed [m/s]"]) for row in rows] == record["Distance 0.speed"].tolist()
    record.to_npz(tmp_path / "flight.npz")
    with np.load(tmp_path / "flight.npz") as file:
        assert np.array_equal(file["Universal 0.angle_2"], record["Universal 0.angle_2"])


def test_a_removed_joint_leaves_nan_and_others_keep_their_columns(tmp_path):
    world, joints = jointed_world()
    record = Recorder(world, path=tmp_path / "flight.polhode")
    world.step()
    world.remove_joint(joints["Hinge"][0])
    world.step()
    record.stop()
    for read in (record, Record.read(tmp_path / "flight.polhode")):
        assert np.isnan(read["Hinge 0.angle"]).tolist() == [False, False, True]
        assert np.isnan(read["Hinge 0.force_world"]).all(axis=1).tolist() == [False, False, True]
        assert np.isfinite(read["Slider 0.distance"]).all()


def test_two_joints_of_a_kind_are_numbered_and_a_ball_joint_without_an_axis_has_no_angles():
    world = World(1 / 60)
    bodies = [world.add_body(MassProperties.sphere(1.0, 0.5), position=(3.0 * place, 0, 0)) for place in range(2)]
    for body in bodies:
        world.add_joint(joint_types.Ball(body, at_body=(0.5, 0, 0)))
    record = Recorder(world)
    names = [column.name for column in record.columns if column.name.startswith("Ball")]
    assert names == [f"Ball {number}.{name}" for number in range(2) for name in ("force_world", "torque_world")]


def test_the_energy_of_springs_belongs_to_their_first_body():
    """Gravity, a spring between two bodies and the spring of a hinge, on a record of some of the bodies in another order."""
    world, joints = jointed_world()
    world.add_body(OTHER, position=(5.0, 0.0, 0.0), name="last")
    hinge, _names = joints["Hinge"]
    hinge.spring = joint_types.JointSpring(frequency=1.0, damping_ratio=0.1)
    world.add_force(forces.Spring(world.body("last"), hinge.body, at_body=(0, 0, 0), at_other=(0, 0, 0), stiffness=3.0))
    chosen = [world.body("last"), hinge.body]
    record = Recorder(world, bodies=chosen)
    world.step(5)
    gravity, spring = world.forces
    states = world.potential_energy()
    expected = [-body.mass * np.dot((1.0, -0.5, -2.0), body.position) for body in chosen]
    expected[0] += 1.5 * np.linalg.norm(chosen[0].origin - chosen[1].origin) ** 2
    expected[1] += hinge.potential_energy()
    assert record.potential_energy[-1] == pytest.approx(expected, rel=1e-12) and hinge.potential_energy() > 0.0
    whole = Recorder(world)
    assert whole.potential_energy[0].sum() == pytest.approx(states, rel=1e-12) and gravity is not spring


def test_a_record_with_an_energy_that_is_rejected_makes_no_file(tmp_path):
    class Odd:
        def apply(self, wrench, bodies, time):
            pass

        def potential_energy(self, bodies):
            return "none"

    world = World(0.5)
    world.add_body(OTHER)
    world.add_force(Odd())
    with pytest.raises(TypeError, match="potential_energy"):
        Recorder(world, path=tmp_path / "flight.record")
    assert not world._stages.observers and not (tmp_path / "flight.record").exists()
    assert len(Recorder(world, columns=["position"])) == 1


def test_pandas_gets_the_columns_of_the_text_file(tmp_path):
    pytest.importorskip("pandas")
    world = full_world(called=False)
    record = Recorder(world)
    world.step(3)
    frame = record.to_pandas()
    record.to_csv(tmp_path / "flight.csv")
    with open(tmp_path / "flight.csv", encoding="utf-8") as file:
        headings, *lines = csv.reader(file)
    assert [frame.index.name, *frame.columns] == headings
    assert np.array_equal(frame.reset_index().to_numpy(), np.array(lines, float), equal_nan=True)
