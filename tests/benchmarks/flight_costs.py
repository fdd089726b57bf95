"""The cost of flight: what actuators add to a tick, and what a law, an allocation, a sensor and a filter take at each sample."""

import statistics
from collections.abc import Callable

import numpy as np

from engine import Body, MassProperties, World, flight, forces
from engine.flight import control

from .measure import Contestant, Effort, Figure, each_call, figures, rounds, value

TABLE, SAMPLES = "flight", "samples of flight"

METHODS = ("rk4", "free-rotor-2")
JETS = 16
AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1))


def measured(effort: Effort) -> list[Figure]:
    """Everything about flight."""
    return [figure for name in METHODS for figure in _ticks(name, effort)] + _samples(effort)


def _ship(integrator: str) -> tuple[World, Body]:
    world = World(0.01, integrator=integrator)
    tensor = [[120.0, 5.0, -3.0], [5.0, 150.0, 4.0], [-3.0, 4.0, 90.0]]
    ship = world.add_body(MassProperties(300.0, tensor, (0.1, -0.05, 0.2)), angular_velocity_body=(0.3, 0.2, -0.4))
    world.add_force(forces.UniformGravity((0.0, 0.0, -1.0)))
    return world, ship


def _add_wheels(world: World, ship: Body) -> list[flight.ReactionWheel]:
    wheels = [flight.ReactionWheel(ship, axis=axis, inertia=0.5, max_torque=2.0, max_speed=1e9) for axis in AXES]
    for wheel in wheels:
        world.add_part(wheel).torque = 1e-6
    return wheels


def _add_jets(world: World, ship: Body) -> forces.ThrusterBank:
    """Sixteen jets, which pulse for the whole time."""
    rng = np.random.default_rng(16)
    positions, directions = rng.normal(size=(JETS, 3)), rng.normal(size=(JETS, 3))
    bank = world.add_force(forces.ThrusterBank(ship, positions=positions, directions=directions, max_forces=1e-3))
    bank.fire(np.linspace(1e6, 2e6, JETS))
    return bank


def _add_tank(world: World, ship: Body) -> None:
    """A tank that flows for the whole time."""
    tank = world.add_part(flight.Tank.ball(ship, (0.0, 0.0, 0.1), 0.4, 1e5))
    engine = forces.Thruster(
        ship, position=(0, 0, -1), direction=(0, 0, 1), max_force=10.0, specific_impulse=300.0, tank=tank
    )
    world.add_force(engine).throttle = 0.5


def _ticks(integrator: str, effort: Effort) -> list[Figure]:
    """Ticks of one ship with actuators, above those without."""
    parts: dict[str, tuple[Callable[[World, Body], object], ...]] = {
        "no actuators": (),
        "4 wheels": (_add_wheels,),
        f"{JETS} jets with pulses": (_add_jets,),
        "a flowing tank": (_add_tank,),
        "all of them": (_add_wheels, _add_jets, _add_tank),
    }
    found = []
    for column, is_single in (("step(n), added per tick [µs]", False), ("step(), added [µs]", True)):
        contestants = []
        for add_all in parts.values():
            world, ship = _ship(integrator)
            for add in add_all:
                add(world, ship)
            world.prepare()
            world.step(3)
            contestants.append(Contestant("", "", each_call(world.step) if is_single else world.step))
        plain, *others = rounds(contestants, effort)
        for row, times in zip(list(parts)[1:], others, strict=True):
            added = [time - other for time, other in zip(times, plain, strict=True)]
            median, least = 1e6 * statistics.median(added), 1e6 * min(added)
            found.append(Figure(TABLE, f"{row}, {integrator}", column, "µs", median, least))
        if not is_single:
            found.append(
                value(TABLE, f"all of them, {integrator}", "whole tick [µs]", "µs", 1e6 * statistics.median(others[-1]))
            )
    return found


def _samples(effort: Effort) -> list[Figure]:
    """What runs in Python at each sample."""
    world, ship = _ship("rk4")
    wheels, bank = _add_wheels(world, ship), _add_jets(world, ship)
    bank.fire(0.0)
    gyro = flight.Gyro(ship, noise_density=1e-5, bias_walk=1e-7, seed=1)
    tracker = flight.StarTracker(ship, boresight_body=(0, 0, 1), noise=(1e-5, 5e-5), seed=2)
    sensors = [world.add_part(sensor) for sensor in (gyro, tracker)]
    estimate = world.add_part(flight.AttitudeFilter(gyro, [tracker]))
    reference = flight.Reference(orientation=(0.0, 0.0, 1.0, 0.0))
    law = control.MRPFeedback(2.0, 20.0)
    fast, least = (flight.ThrusterAllocator([bank], method=method) for method in ("fast", "least propellant"))
    allocation = flight.WheelAllocator(wheels)
    wanted = np.array([1e-4, -2e-4, 1.5e-4])
    world.step(3)
    work: dict[str, Callable[[], object]] = {
        "law on one body (MRPFeedback)": lambda: law.torque_body(ship, reference, 0.1),
        f"allocation of {JETS} jets, fast": lambda: fast.allocate(wanted, None),
        f"allocation of {JETS} jets, least propellant": lambda: least.allocate(wanted, None),
        "allocation of 4 wheels": lambda: allocation.command(wanted, None, 0.1),
        "gyro": lambda: sensors[0]._sample(world),
        "star tracker": lambda: sensors[1]._sample(world),
        "filter, with a sighting": lambda: estimate._sample(world),
    }
    contestants = [Contestant(row, "µs", each_call(call)) for row, call in work.items()]
    return figures(SAMPLES, "µs", contestants, effort)
