"""A sample of a control loop: it has the bits of its law and of its actuators, and reads and writes each table once."""

import math
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from engine import MassProperties, World, flight
from engine.compilation.compiler import COMPILED
from engine.flight import control
from engine.forces import ThrusterBank
from engine.joints import Weld
from engine.loops import thrust_allocation as allocation
from engine.loops import wheel_torques
from engine.store.table import Table

INERTIA = ((120.0, 5.0, -3.0), (5.0, 150.0, 4.0), (-3.0, 4.0, 90.0))
HULL = MassProperties(300.0, INERTIA, (0.1, -0.05, 0.2))
POSE = {"orientation": (0.1, -0.5, 0.3, math.sqrt(0.65)), "angular_velocity_body": (0.03, 0.02, -0.04)}
PYRAMID = ((1, 1, 1), (-1, 1, 1), (-1, -1, 1), (1, -1, 1))
WHEEL = {"inertia": 0.05, "max_torque": 0.4, "max_speed": 600.0}
TARGET = flight.Reference((0.0, 0.0, 0.6, 0.8))


def ship_with_wheels(world, axes=PYRAMID):
    ship = world.add_body(HULL, **POSE)
    return ship, [world.add_part(flight.ReactionWheel(ship, axis=axis, speed=50.0, **WHEEL)) for axis in axes]


LAWS = {
    "MRP": lambda inertia, assembly: control.MRPFeedback(2.0, 20.0, 0.01, 0.5, (1e-3, 2e-3, 0.0)),
    "MRP with an inertia": lambda inertia, assembly: control.MRPFeedback(2.0, 20.0, inertia_body=inertia),
    "MRP of an assembly": lambda inertia, assembly: control.MRPFeedback(2.0, 20.0, 0.01, assembly=assembly),
    "PD": lambda inertia, assembly: control.QuaternionPD(4.0, (20.0, 25.0, 30.0)),
    "tuned PD": lambda inertia, assembly: control.QuaternionPD.tuned(inertia, 0.5, 0.2),
    "PD tuned for an assembly": lambda inertia, assembly: control.QuaternionPD.tuned(None, 0.5, 0.2, assembly=assembly),
    "damping": lambda inertia, assembly: control.RateDamping(12.0),
    "damping tuned for an assembly": lambda inertia, assembly: control.RateDamping.tuned(None, 0.2, assembly=assembly),
    "phase plane": lambda inertia, assembly: control.PhasePlane(0.01, 0.002, 0.3, torque=(0.2, 0.3, 0.4)),
}


@pytest.mark.parametrize("moves", [False, True], ids=["rest", "spin"])
@pytest.mark.parametrize("is_estimated", [False, True], ids=["body", "filter"])
@pytest.mark.parametrize("name", LAWS)
def test_a_loop_has_the_bits_of_its_law(name, is_estimated, moves):
    world = World(dt=0.1)
    ship, wheels = ship_with_wheels(world)
    pod = world.add_body(MassProperties.box(40.0, (0.5, 0.6, 0.7)), position=(1.0, 2.0, 0.0))
    estimate = None
    if is_estimated:
        gyro = world.add_part(flight.Gyro(ship, noise_density=1e-4, seed=1))
        tracker = world.add_part(flight.StarTracker(ship, (0, 0, 1), noise=(1e-4, 5e-4), seed=2))
        estimate = world.add_part(flight.AttitudeFilter(gyro, [tracker]))
    law = LAWS[name](INERTIA, world.assembly(ship))
    reference = flight.Spin((0.01, -0.02, 0.03), TARGET.orientation) if moves else TARGET
    loop = flight.Controlled(ship, law, reference, flight.WheelAllocator(wheels), every=1, measured=estimate)
    world.add_part(loop)
    wanted, state = [], None

    @world.on_tick
    def expect(world):
        nonlocal state
        measured = ship
        if is_estimated:
            measured = SimpleNamespace(
                orientation=estimate.orientation,
                angular_velocity_body=estimate.angular_velocity_body,
                inertia_body=ship.inertia_body,
                stored_momentum_body=ship.stored_momentum_body,
            )
        now = reference.at(world.time)
        state = law.initial_state(measured, now) if state is None else state
        torque, state = law.update(measured, now, 0.1, state)
        wanted.append(torque.tolist())

    for tick in range(8):
        if tick == 4:
            world.add_joint(Weld(ship, pod, at_body=(0.5, 1.0, 0.0)))  # the assembly changes
        world.step()
        assert loop.torque_body.tolist() == wanted[-1]


@pytest.mark.parametrize("law", ["PhasePlane", "MRPFeedback"])
def test_the_error_angle_of_a_loop_is_that_of_the_shortest_rotation(law):
    world = World(dt=0.1)
    ship, wheels = ship_with_wheels(world)
    chosen = control.PhasePlane(0.01, 0.002, 0.3, torque=0.2) if law == "PhasePlane" else control.MRPFeedback(2.0, 20.0)
    loop = world.add_part(flight.Controlled(ship, chosen, TARGET, flight.WheelAllocator(wheels), every=1))
    dot = abs(float(np.dot(ship.orientation, TARGET.orientation)))
    world.step()
    assert loop.error_angle == pytest.approx(2.0 * math.acos(dot), rel=1e-14)


def test_wheels_of_a_stack_of_bodies_have_the_bits_of_each():
    """The wheels of one place stand next to each other in the table, as those of the members of a batch do."""
    world, count = World(dt=0.1), 3
    random = np.random.default_rng(4)
    ships = [world.add_body(HULL, angular_velocity_body=random.normal(0.0, 0.1, 3)) for _ in range(count)]
    sets = [[] for _ in ships]
    for axis in PYRAMID:
        for ship, wheels in zip(ships, sets, strict=True):
            speed = random.uniform(-590.0, 599.9)
            wheels.append(world.add_part(flight.ReactionWheel(ship, axis=axis, speed=speed, **WHEEL)))
    sets[1][2].enabled = False
    torques = random.normal(0.0, 0.3, (3, count))
    alone = []
    for ship, wheels in enumerate(sets):
        flight.WheelAllocator(wheels, preferred_speed=100.0).command(torques[:, ship], None, 0.1)
        alone.append([wheel.torque for wheel in wheels])
    table, rows = world._store.tables["wheels"].array, np.arange(0, 4 * count, count)
    limits, jets, cases = np.empty((8 * count, 1)), np.empty((allocation.JET_ROWS, 8 * count)), np.empty((count, 9))
    bodies, goals = world._bodies.array, np.full((4, 1), 100.0)
    every = np.arange(count)
    wheel_torques.wheel_limits(table, rows, every, bodies, 0.1, torques, limits, jets, cases)
    results = allocation.solve(jets, cases, True, True, 8)
    work, out = np.empty((4, 4)), np.empty((4, count))
    wheel_torques.wheel_torques(table, rows, every, bodies, goals, 0.02, results, limits, work, out)
    assert out.T.tolist() == alone


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
@pytest.mark.parametrize("way", ["wheels", "pulses"])
def test_a_world_is_prepared_for_the_samples_of_its_loops(way, monkeypatch):
    world = World(dt=0.1)
    ship, wheels = ship_with_wheels(world)
    bank = world.add_force(sixteen(ship))
    actuators = (
        flight.WheelAllocator(wheels) if way == "wheels" else jets_of(bank, modulator=flight.PulseModulator(0.005, 0.1))
    )
    world.add_part(flight.Controlled(ship, control.MRPFeedback(2.0, 20.0), TARGET, actuators, every=1))
    prepared = []
    monkeypatch.setattr("engine.world.compile_all", lambda loops, progress: prepared.extend(loops))
    world.prepare()
    named = {loop.name for loop in prepared}
    both = {"control-sample", "law-mrp-feedback", "allocate-thrust"}
    own = (
        {"command-wheels", "wheel-limits", "wheel-torques"} if way == "wheels" else {"command-jets", "modulate-pulses"}
    )
    assert both | own <= named


def writes_of(monkeypatch, run):
    """How often each table is written."""
    written = Counter()
    write = Table.write

    def counted(table, *arguments):
        written[table.schema.name.split()[0]] += 1
        write(table, *arguments)

    monkeypatch.setattr(Table, "write", counted)
    run()
    monkeypatch.undo()
    return dict(written)


def test_a_sample_writes_each_table_once(monkeypatch):
    world = World(dt=0.1)
    ship, wheels = ship_with_wheels(world)
    law = control.QuaternionPD.tuned(ship.inertia_body, max_torque_body=0.5, bandwidth=0.2)
    world.add_part(flight.Controlled(ship, law, TARGET, flight.WheelAllocator(wheels), every=1))
    world.step(3)
    assert writes_of(monkeypatch, world.step) == {"control": 1, "wheels": 1}


class WheelsOfAUser(flight.WheelAllocator):
    """Commanded by its method, as every class of a user is."""

    __slots__ = ()


class JetsOfAUser(flight.Jets):
    """Commanded by its method, as every class of a user is."""

    __slots__ = ()


class LawOfAUser(control.MRPFeedback):
    """Asked by its method, as every class of a user is."""

    def update(self, *arguments):
        return super().update(*arguments)


def jets_of(bank, method="least propellant", modulator=None, **stuck):
    allocator = flight.ThrusterAllocator([bank], method=method)
    return flight.Jets(allocator.without(3, **stuck) if stuck else allocator, modulator)


WAYS = {
    "pyramid": lambda wheels, bank: flight.WheelAllocator(wheels, preferred_speed=60.0),
    "three wheels": lambda wheels, bank: flight.WheelAllocator(wheels[:3]),
    "without a wheel": lambda wheels, bank: flight.WheelAllocator(wheels).without(wheels[1]),
    "throttles": lambda wheels, bank: jets_of(bank, "even"),
    "a stuck jet": lambda wheels, bank: jets_of(bank, level=0.02),
    "pulses": lambda wheels, bank: jets_of(bank, modulator=flight.PulseModulator(0.005, 0.3), level=0.02),
}


@pytest.mark.parametrize("delay", [0, 2])
@pytest.mark.parametrize("force_body", [None, (0.5, -0.25, 0.125)], ids=["free", "wanted"])
@pytest.mark.parametrize("way", WAYS)
def test_one_kernel_takes_a_sample_with_the_bits_of_its_parts(way, force_body, delay, monkeypatch):
    def flown(is_own):
        world = World(dt=0.1)
        ship, wheels = ship_with_wheels(world)
        bank = world.add_force(sixteen(ship, min_on_time=0.004, rise_time=0.002, fall_time=0.003))
        if way == "without a wheel":
            wheels[0].enabled = False  # it keeps its command
            wheels[0].torque = 0.01
        actuators = WAYS[way](wheels, bank)
        if not is_own:
            object.__setattr__(
                actuators, "__class__", WheelsOfAUser if type(actuators) is flight.WheelAllocator else JetsOfAUser
            )
        law = (control.MRPFeedback if is_own else LawOfAUser)(2.0, 20.0, 0.01, 0.5)
        loop = flight.Controlled(ship, law, TARGET, actuators, every=3, delay=delay, force_body=force_body)
        world.add_part(loop)
        found, calls = [], Counter()
        monkeypatch.setattr(type(actuators), "command", counted(type(actuators).command, calls))
        for _ in range(16):
            world.step()
            made = loop.torque_body.tolist(), loop.error_angle, loop.saturated, actuators.commanded.torque_body.tolist()
            found.append((made, [wheel.torque for wheel in wheels], bank.throttle.tolist(), bank.thrust.tolist()))
        monkeypatch.undo()
        return found, ship.orientation.tolist(), bank.impulse.tolist(), sum(calls.values())

    def counted(command, calls):
        def count(*arguments):
            calls["command"] += 1
            return command(*arguments)

        return count

    *own, by_method = flown(True)
    *of_user, as_user = flown(False)
    assert own == of_user
    assert (by_method, as_user) == (0, 6 - delay)
    samples, _orientation, impulses = own
    torques = [sample[1] for sample in samples]
    assert any(map(any, torques)) or any(impulses)


def sixteen(ship, **valves):
    places, directions = np.random.default_rng(16).normal(size=(2, 16, 3))
    return ThrusterBank(ship, positions=places, directions=directions, max_forces=10.0, **valves)


def test_pulses_of_a_bank_are_one_write(monkeypatch):
    world = World(dt=0.1)
    bank = world.add_force(sixteen(world.add_body(HULL)))
    bank.fire(0.5)
    assert writes_of(monkeypatch, lambda: bank.fire(np.linspace(0.0, 1.0, 16), 0.25)) == {"thrusters": 1}
    assert bank.pulse_left[-1] == 1.25


def test_wheels_that_move_in_their_table_are_still_commanded():
    def flown(moves):
        world = World(dt=0.1)
        other = world.add_body(HULL, position=(9.0, 0.0, 0.0))
        spare = world.add_part(flight.ReactionWheel(other, axis=(1, 0, 0), **WHEEL)) if moves else None
        ship, wheels = ship_with_wheels(world)
        law = control.QuaternionPD.tuned(INERTIA, max_torque_body=0.5, bandwidth=0.2)
        loop = world.add_part(flight.Controlled(ship, law, TARGET, flight.WheelAllocator(wheels), every=1))
        world.step(5)
        if moves:
            world.remove_part(spare)
        world.step(5)
        return [wheel.torque for wheel in wheels], loop.torque_body.tolist()

    assert flown(True) == flown(False)


def test_methods_that_a_user_overrides_are_called():
    class Half(control.QuaternionPD):
        def update(self, measured, reference, seconds, state):
            torque, after = super().update(measured, reference, seconds, state)
            return 0.5 * torque, after

    class Turned(flight.WheelAllocator):
        def command(self, torque_body, force_body, seconds):
            return super().command(-np.asarray(torque_body), force_body, seconds)

    def wheel_torques_of(law, actuators):
        world = World(dt=0.1)
        ship, wheels = ship_with_wheels(world)
        loop = world.add_part(flight.Controlled(ship, law(0.1, 0.5), TARGET, actuators(wheels), every=1))
        world.step()
        return np.array([wheel.torque for wheel in wheels]), loop.torque_body

    torques, wanted = wheel_torques_of(control.QuaternionPD, flight.WheelAllocator)
    assert np.abs(torques).max() < 0.4
    assert (wheel_torques_of(Half, flight.WheelAllocator)[1] == 0.5 * wanted).all()
    assert wheel_torques_of(control.QuaternionPD, Turned)[0] == pytest.approx(-torques, abs=1e-15)


def test_a_law_of_a_stack_of_bodies_is_refused_by_the_loop_of_one():
    world = World(dt=0.1)
    ship, wheels = ship_with_wheels(world)
    law = control.MRPFeedback(2.0, 20.0, known_torque_body=np.zeros((4, 3)))
    world.add_part(flight.Controlled(ship, law, TARGET, flight.WheelAllocator(wheels), every=1))
    with pytest.raises(ValueError, match="torque_body must be 3 finite real numbers"):
        world.step()
    references = flight.Reference(np.tile(TARGET.orientation, (4, 1)))
    second = World(dt=0.1)
    ship, wheels = ship_with_wheels(second)
    loop = flight.Controlled(ship, control.RateDamping(1.0), references, flight.WheelAllocator(wheels), every=1)
    second.add_part(loop)
    with pytest.raises(ValueError, match="reference must be one attitude"):
        second.step()


def test_torques_beyond_all_numbers_are_refused_before_a_wheel_is_commanded():
    world = World(dt=0.1)
    _, wheels = ship_with_wheels(world)
    wheels[0].torque = 0.125
    with pytest.raises(ValueError, match="torque_body must be so small"):
        flight.WheelAllocator(wheels).command((1e308, 1e308, 1e308), None, 0.1)
    assert wheels[0].torque == 0.125


def tumbling_cubesat(delay=0):
    world = World(dt=1.0)
    body = MassProperties.box(4.0, (0.1, 0.1, 0.34))
    cubesat = world.add_body(body, position=(7.0e6, 0.0, 0.0), angular_velocity_body=(0.05, -0.03, 0.04))
    earth = flight.MagneticDipole(7.8e15, (0.1, 0.2, -1.0))
    rods = [world.add_part(flight.Magnetorquer(cubesat, axis=axis, max_dipole=0.2, field=earth)) for axis in np.eye(3)]
    magnetometer = world.add_part(flight.Magnetometer(cubesat, field=earth, noise=1e-8, seed=1, delay=delay))
    return world, cubesat, rods, magnetometer


def test_a_magnetometer_b_dot_and_magnetorquers_stop_a_tumble():
    world, cubesat, rods, magnetometer = tumbling_cubesat()
    law = control.BDot(gain=2e5)
    loop = flight.Controlled(
        cubesat, law, flight.Reference(), flight.Magnetorquers(rods), every=1, measured=magnetometer
    )
    world.add_part(loop)
    world.step(1)
    first = magnetometer.read().field_body
    world.step(1)
    second = magnetometer.read().field_body
    # m = −gain dB/dt and τ = m × B, of the measured field
    assert loop.torque_body == pytest.approx(np.cross(-2e5 * (second - first), second), rel=1e-12)
    before = np.linalg.norm(cubesat.angular_velocity_body)
    world.step(3000)
    assert np.linalg.norm(cubesat.angular_velocity_body) < 0.35 * before


def test_a_loop_commands_nothing_while_its_sensor_has_no_valid_reading():
    world, cubesat, rods, magnetometer = tumbling_cubesat(delay=3)
    law = control.BDot(gain=2e5)
    loop = flight.Controlled(
        cubesat, law, flight.Reference(), flight.Magnetorquers(rods), every=1, measured=magnetometer
    )
    world.add_part(loop)
    for tick in range(9):
        world.step()
        # valid from the fourth sample on, and a field to compare with one sample later
        assert any(rod.dipole for rod in rods) == loop.torque_body.any() == (tick >= 4)
    magnetometer.fault = "dead"
    world.step(4)
    assert not loop.torque_body.any() and not any(rod.dipole for rod in rods)
    magnetometer.fault = None
    world.step(4)
    assert not loop.torque_body.any()  # the law has started again: there is no earlier field
    world.step()
    assert loop.torque_body.any()


def test_a_loop_measures_with_a_gyro_or_a_star_tracker_alone():
    world = World(dt=0.1)
    ship, wheels = ship_with_wheels(world)
    gyro = world.add_part(flight.Gyro(ship, bias_body=(0.25, 0.0, 0.0), seed=1))
    law, actuators = control.RateDamping(12.0), flight.WheelAllocator(wheels)
    loop = world.add_part(flight.Controlled(ship, law, flight.Reference(), actuators, every=1, measured=gyro))
    world.step()
    assert (loop.torque_body == -12.0 * gyro.read().angular_velocity_body).all()
    accelerometer = world.add_part(flight.Accelerometer(ship, seed=2))
    with pytest.raises(TypeError, match=r"measured must be an object with .*, or a sensor whose readings have one"):
        flight.Controlled(ship, law, flight.Reference(), actuators, every=1, measured=accelerometer)


def test_other_actuators_take_over_and_the_former_ones_stop():
    world = World(dt=0.1)
    ship, wheels = ship_with_wheels(world)
    bank = world.add_force(sixteen(ship))
    law = control.QuaternionPD.tuned(INERTIA, max_torque_body=0.5, bandwidth=0.2)
    on_wheels, on_jets = flight.WheelAllocator(wheels), flight.Jets(flight.ThrusterAllocator([bank]))
    loop = flight.Controlled(ship, law, TARGET, on_wheels, every=1, force_body=None)
    loop.actuators = on_wheels  # in no world yet
    world.add_part(loop)
    world.step(3)
    assert any(wheel.torque for wheel in wheels) and not bank.throttle.any()
    kept = world.snapshot()
    loop.actuators = on_jets
    assert loop.actuators is on_jets and not any(wheel.torque for wheel in wheels)
    world.step()
    assert bank.throttle.any() and not any(wheel.torque for wheel in wheels)
    later = world.state_hash()
    world.restore(kept)
    assert loop.actuators is on_wheels and any(wheel.torque for wheel in wheels)
    loop.actuators = on_jets
    world.step()
    assert world.state_hash() == later


def test_an_exchange_of_actuators_in_a_tick_that_fails_is_undone():
    world = World(dt=0.1)
    ship, wheels = ship_with_wheels(world)
    bank = world.add_force(sixteen(ship))
    on_wheels, on_jets = flight.WheelAllocator(wheels), flight.Jets(flight.ThrusterAllocator([bank]))
    loop = world.add_part(flight.Controlled(ship, control.RateDamping(2.0), TARGET, on_wheels, every=1))
    world.step(2)
    before = world.state_hash()

    @world.on_tick
    def exchange(world):
        loop.actuators = on_jets
        raise RuntimeError("failed")

    with pytest.raises(RuntimeError, match="failed"):
        world.step()
    assert loop.actuators is on_wheels and world.state_hash() == before


def test_actuators_that_do_not_fit_a_loop():
    world = World(dt=0.1)
    ship, wheels = ship_with_wheels(world)
    _, others = ship_with_wheels(world)
    bank = world.add_force(sixteen(ship, min_on_time=0.01))
    stranger = sixteen(ship)
    allocator = flight.ThrusterAllocator([bank])
    loop = flight.Controlled(ship, control.RateDamping(2.0), TARGET, flight.WheelAllocator(wheels), every=1)
    world.add_part(loop)
    for wrong, rule in (
        (3.0, "actuators must be an object with command"),
        (flight.WheelAllocator(others), "actuators must be those of"),
        (flight.Jets(allocator, flight.PulseModulator(0.01, 0.1)), "actuators must be ones with state_size = 0"),
        (flight.Jets(flight.ThrusterAllocator([stranger])), "actuators must be added to the world before the loop"),
    ):
        with pytest.raises((TypeError, ValueError), match=rule):
            loop.actuators = wrong
    pulsed = flight.Jets(allocator, flight.PulseModulator(0.01, 0.1))
    fitting = world.add_part(flight.Controlled(ship, control.RateDamping(2.0), TARGET, pulsed, every=1))
    with pytest.raises(ValueError, match="made for the sample period of the loop"):
        fitting.actuators = flight.Jets(allocator, flight.PulseModulator(0.01, 0.3))
