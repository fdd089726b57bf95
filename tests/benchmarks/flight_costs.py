"""The cost of flight: what actuators add to a tick, and what a law, an allocation, a sensor and a filter take at each sample."""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import Body, MassProperties, World, flight, forces
from engine.flight import control

from . import peers
from .measure import Contestant, Effort, Figure, each_call, figures, ratio, rounds, value

TABLE, SAMPLES = "flight", "samples of flight"

METHODS = ("rk4", "free-rotor-2")
JETS = 16
AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1))
DT = 0.01
MASS, CENTER, RATES = 300.0, (0.1, -0.05, 0.2), (0.3, 0.2, -0.4)
INERTIA = [[120.0, 5.0, -3.0], [5.0, 150.0, 4.0], [-3.0, 4.0, 90.0]]
JET_POSITIONS, JET_DIRECTIONS = np.random.default_rng(16).normal(size=(2, JETS, 3))
OPEN_FOR = np.linspace(1e6, 2e6, JETS)
TANK_CENTER, TANK_RADIUS, PROPELLANT, THRUST = (0.0, 0.0, 0.1), 0.4, 1e5, 10.0
PARTS = ("4 wheels", f"{JETS} jets with pulses", "a flowing tank", "all of them")
EACH, WHOLE = "step(n), added per tick [µs]", "whole tick [µs]"
OF_BASILISK = "over Basilisk's with the same"


def measured(effort: Effort) -> list[Figure]:
    """Everything about flight."""
    own = [figure for name in METHODS for figure in _ticks(name, effort)]
    return [*own, *_ticks_of_basilisk(effort), *_samples(effort), *_whole_samples(effort)]


def ship_of(integrator: str) -> tuple[World, Body]:
    world = World(DT, integrator=integrator)
    ship = world.add_body(MassProperties(MASS, INERTIA, CENTER), angular_velocity_body=RATES)
    world.add_force(forces.UniformGravity((0.0, 0.0, -1.0)))
    return world, ship


def add_wheels(world: World, ship: Body, torque: float = 1e-6) -> list[flight.ReactionWheel]:
    """Four wheels with constant motor torques."""
    wheels = [flight.ReactionWheel(ship, axis=axis, inertia=0.5, max_torque=2.0, max_speed=1e9) for axis in AXES]
    for wheel in wheels:
        world.add_part(wheel).torque = torque
    return wheels


def add_jets(world: World, ship: Body, force: float = 1e-3) -> forces.ThrusterBank:
    """Sixteen jets, which pulse for the whole time."""
    bank = forces.ThrusterBank(ship, positions=JET_POSITIONS, directions=JET_DIRECTIONS, max_forces=force)
    world.add_force(bank)
    bank.fire(OPEN_FOR)
    return bank


def add_tank(world: World, ship: Body) -> None:
    """A tank that flows for the whole time."""
    tank = world.add_part(flight.Tank.ball(ship, TANK_CENTER, TANK_RADIUS, PROPELLANT))
    engine = forces.Thruster(
        ship, position=(0, 0, -1), direction=(0, 0, 1), max_force=THRUST, specific_impulse=300.0, tank=tank
    )
    world.add_force(engine).throttle = 0.5


def _ticks(integrator: str, effort: Effort) -> list[Figure]:
    """Ticks of one ship with actuators, above those without."""
    parts: list[tuple[Callable[[World, Body], object], ...]] = [
        *((), (add_wheels,), (add_jets,), (add_tank,)),
        (add_wheels, add_jets, add_tank),
    ]
    found = []
    for column, is_single in ((EACH, False), ("step(), added [µs]", True)):
        contestants = []
        for add_all in parts:
            world, ship = ship_of(integrator)
            for add in add_all:
                add(world, ship)
            world.prepare()
            world.step(3)
            contestants.append(Contestant("", "", each_call(world.step) if is_single else world.step))
        times = rounds(contestants, effort)
        found += _added(integrator, column, times)
        if not is_single:
            found.append(_whole(integrator, times))
    return found


def _added(name: str, column: str, times: list[list[float]]) -> list[Figure]:
    """What each of the parts adds to the time of the ship without any, which comes first."""
    found, (plain, *others) = [], times
    for row, with_parts in zip(PARTS, others, strict=True):
        added = [time - other for time, other in zip(with_parts, plain, strict=True)]
        found.append(Figure(TABLE, f"{row}, {name}", column, "µs", 1e6 * statistics.median(added), 1e6 * min(added)))
    return found


def _whole(name: str, times: list[list[float]]) -> Figure:
    return value(TABLE, f"{PARTS[-1]}, {name}", WHOLE, "µs", 1e6 * statistics.median(times[-1]))


def _ticks_of_basilisk(effort: Effort) -> list[Figure]:
    """The same ship in Basilisk, without its weight, where that is installed."""
    if "basilisk" not in peers.installed():
        return []
    name = "Basilisk RK4"
    ships = [basilisk_ship(parts) for parts in ("", "wheels", "jets", "tank", "wheels jets tank")]
    times = rounds([Contestant("", "", ship.run) for ship in ships], effort)
    return [*_added(name, EACH, times), _whole(name, times)]


def basilisk_ship(parts: str, torque: float = 1e-6, force: float = 1e-3, law: str = "") -> Any:
    """The ship in Basilisk with the named parts, wheel torques [N·m] and jet forces [N], ready to run.

    With a law, MRP feedback is sampled in every tick, with the "wheels", with pulses of the "jets", or with the wheels and a "filter".
    """
    from .peers.basilisk_ship import BasiliskShip  # installed on request

    ship = BasiliskShip(DT, MASS, INERTIA, CENTER, RATES)
    if "wheels" in parts:
        ship.add_wheels(AXES, 0.5, torque)
    if "jets" in parts:
        jets = ship.add_jets("jets", JET_POSITIONS, JET_DIRECTIONS, force, np.zeros(JETS) if law else OPEN_FOR)
    if law:
        ship.add_law(*GAINS, INERTIA, TARGET, jets if law == "jets" else None, law == "filter")
    if "tank" in parts:
        positions, directions = np.array([[0.0, 0.0, -1.0]]), np.array([[0.0, 0.0, 1.0]])
        engine = ship.add_jets("engine", positions, directions, 0.5 * THRUST, [1e6])
        ship.add_tank(engine, TANK_CENTER, TANK_RADIUS, PROPELLANT)
    ship.start()
    return ship


TARGET = (0.0, 0.0, 0.6, 0.8)
GAINS = 2.0, 20.0
LOOPS = ("4 wheels", f"{JETS} throttled jets", f"{JETS} pulsed jets", "4 wheels, gyro, tracker and filter")
LAWS_OF_BASILISK = "wheels", "jets", "jets", "filter"
"""The law of `basilisk_ship` that does the same as each loop; its jets have no throttles and are pulsed."""


def looped_ship(actuators: str) -> World:
    """The ship with wheels, jets and a tank, and with a control loop that is sampled in every tick; without one for no actuators."""
    world, ship = ship_of("rk4")
    ship.angular_velocity_body = [0.01 * rate for rate in RATES]
    wheels, bank = add_wheels(world, ship), add_jets(world, ship, 1.0)
    bank.fire(0.0)
    add_tank(world, ship)
    law, reference, measured = control.MRPFeedback(*GAINS), flight.Reference(TARGET), None
    if "filter" in actuators:
        gyro = world.add_part(flight.Gyro(ship, noise_density=1e-5, bias_walk=1e-7, seed=1))
        tracker = world.add_part(flight.StarTracker(ship, boresight_body=(0, 0, 1), noise=(1e-5, 5e-5), seed=2))
        measured = world.add_part(flight.AttitudeFilter(gyro, [tracker]))
    chosen: Any = flight.WheelAllocator(wheels)
    if "jets" in actuators:
        allocator = flight.ThrusterAllocator([bank])
        chosen = flight.Jets(allocator, flight.PulseModulator(0.01 * DT, DT) if "pulsed" in actuators else None)
    if actuators:
        loop = flight.Controlled(ship, law, reference, chosen, every=1, measured=measured, force_body=None)
        world.add_part(loop)
    world.step(10)
    return world


def _whole_samples(effort: Effort) -> list[Figure]:
    """What a control loop adds to a tick if it is sampled in every tick, and the whole tick; beside Basilisk where that is installed."""
    ships: list[Callable[[int], object]] = [looped_ship(actuators).step for actuators in ("", *LOOPS)]
    names = [f"whole sample, law and {loop}" for loop in LOOPS]
    if "basilisk" in peers.installed():
        chosen = dict.fromkeys(LAWS_OF_BASILISK)
        ships += [basilisk_ship("wheels jets tank", force=1.0, law=law).run for law in chosen]
        names += [f"Basilisk, law and {law}" for law in chosen]
    # processor time, because other programs slow down Python far more than compiled code
    plain, *times = rounds([Contestant("", "", step) for step in ships], effort, time.thread_time)
    found = []
    for name, whole in zip(names, times, strict=True):
        found.append(value(TABLE, name, WHOLE, "µs", 1e6 * statistics.median(whole)))
    for name, whole, law in zip(names, times, LAWS_OF_BASILISK, strict=False):
        if "basilisk" in peers.installed():
            found.append(ratio(TABLE, name, OF_BASILISK, whole, times[names.index(f"Basilisk, law and {law}")]))
        added = [time - other for time, other in zip(whole, plain, strict=True)]
        found.append(Figure(TABLE, name, EACH, "µs", 1e6 * statistics.median(added), 1e6 * min(added)))
    return found


def _samples(effort: Effort) -> list[Figure]:
    """What runs in Python at each sample."""
    world, ship = ship_of("rk4")
    wheels, bank = add_wheels(world, ship), add_jets(world, ship)
    bank.fire(0.0)
    gyro = flight.Gyro(ship, noise_density=1e-5, bias_walk=1e-7, seed=1)
    tracker = flight.StarTracker(ship, boresight_body=(0, 0, 1), noise=(1e-5, 5e-5), seed=2)
    sensors = [world.add_part(sensor) for sensor in (gyro, tracker)]
    estimate = world.add_part(flight.AttitudeFilter(gyro, [tracker]))
    reference = flight.Reference(orientation=(0.0, 0.0, 1.0, 0.0))
    law = control.MRPFeedback(2.0, 20.0)
    even, least = (flight.ThrusterAllocator([bank], method=method) for method in ("even", "least propellant"))
    allocation = flight.WheelAllocator(wheels)
    wanted = np.array([1e-4, -2e-4, 1.5e-4])
    world.step(3)
    work: dict[str, Callable[[], object]] = {
        "law on one body (MRPFeedback)": lambda: law.torque_body(ship, reference, 0.1),
        f"allocation of {JETS} jets, even": lambda: even.allocate(wanted, None),
        f"allocation of {JETS} jets, least propellant": lambda: least.allocate(wanted, None),
        "allocation of 4 wheels": lambda: allocation.command(wanted, None, 0.1),
        "gyro": lambda: sensors[0]._sample(world),
        "star tracker": lambda: sensors[1]._sample(world),
        "filter, with a sighting": lambda: estimate._sample(world),
    }
    contestants = [Contestant(row, "µs", each_call(call)) for row, call in work.items()]
    return figures(SAMPLES, "µs", contestants, effort)
