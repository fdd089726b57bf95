"""What each feature costs per member and tick, among 64 members and among 4096: ``python -m tests.benchmarks.batch_features [names]``.

The goal is at most 1.3 times as much among many. Both take turns, and the least of the rounds counts (see `batch`).
"""

import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from engine import World, flight, forces
from engine.batch import Batch
from engine.flight import control

from ..batch import templates, test_sensors
from ..batch.test_loops import LAWS, REFERENCES, make, make_measured
from . import batch as basic

SECONDS = 2.0
"""How long each feature is measured."""


def main() -> None:
    """Print a row for each feature, or for those that are named."""
    chosen = [row for row in FEATURES if not sys.argv[1:] or row in sys.argv[1:]]
    few, many = basic.FEW, basic.MANY
    print(f"| per member and tick | n = {few} [ns] | n = {many} [ns] | ratio |\n| --- | --- | --- | --- |")
    for name in chosen:
        small, large = FEATURES[name](few), FEATURES[name](many)
        _, _, least, end = small(), large(), [np.inf, np.inf], time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            # the first time for few members fills the cache again; not more often, because a loop with nothing left to do takes less time
            least = [min(least[0], small(), small()), min(least[1], large())]
        costs = least[0] / few * 1e9, least[1] / many * 1e9
        print(f"| {name} | {costs[0]:.0f} | {costs[1]:.0f} | {costs[1] / costs[0]:.2f} |", flush=True)


def stepping(make_template: Callable[[], World], ticks: int = 20) -> Callable[[int], basic.Timed]:
    """Ticks of a template."""

    def prepared(count: int) -> basic.Timed:
        batch = Batch(make_template(), members=count)
        batch._world.compilation = "wait"  # for the loops in one pass
        batch.step(30)
        return basic.seconds(lambda: batch.step(ticks), ticks)

    return prepared


def with_gimbal() -> World:
    """A thruster on a gimbal that turns."""
    template, ship = basic.craft()
    gimbal = flight.Gimbal(axis_1=(1, 0, 0), axis_2=(0, 1, 0), max_angle=0.5, max_rate=1e-6)
    jet = {"position": (0, 0.1, -0.5), "direction": (0, 0, 1), "max_force": 1.0}
    thruster = template.add_force(forces.Thruster(ship, **jet, gimbal=gimbal))
    thruster.throttle = 0.5
    thruster.gimbal_command = 0.2, 0.1
    return template


def with_tank() -> World:
    """A tank that drains through a thruster."""
    template, ship = basic.craft()
    tank = template.add_part(flight.Tank.ball(ship, position=(0, 0, 0), radius=0.3, propellant=20.0))
    jet = {"position": (0, 0.1, -0.5), "direction": (0, 0, 1), "max_force": 1e-3, "specific_impulse": 200.0}
    template.add_force(forces.Thruster(ship, **jet, tank=tank)).throttle = 0.5
    return template


def with_spring() -> World:
    """A spring between two bodies."""
    template, ship = basic.craft()
    other = template.add_body(ship.mass_properties, position=(3.0, 0.0, 0.0))
    template.add_force(forces.Spring(ship, other, stiffness=5.0, damping=0.1, rest_length=2.5))
    return template


def with_field(number: int) -> World:
    """One of the fields of `templates.with_every_field`."""
    template = templates.with_every_field()
    for place, force in enumerate(template.forces):
        if place != number:
            template.remove_force(force)
    return template


def with_sensor(name: str) -> World:
    """One of the sensors, sampled in every tick."""
    template, ship, sensors = test_sensors.make()
    for part in sensors.values():
        template.remove_part(part)
    sensor = test_sensors.sensors_on(ship)[name]
    sensor._every = 1
    template.add_part(sensor)
    return template


def with_loop(law: str = "quaternion-pd", reference: str = "fixed", actuators: str = "wheels") -> World:
    """A loop that is sampled in every fifth tick."""
    template, ship, _loop = make(law, reference, actuators)
    ship.angular_velocity_body = (0.0, 0.01, 0.02)
    return template


def with_jets_of_loop(pulsed: bool) -> World:
    """A loop with jets, throttled or pulsed."""
    template, ship = basic.craft()
    ship.angular_velocity_body = (0.0, 0.01, 0.02)
    bank = basic.jets_on(template, ship, 12)
    modulator = flight.PulseModulator(0.001, 5 * template.dt) if pulsed else None
    jets = flight.Jets(flight.ThrusterAllocator([bank]), modulator)
    template.add_part(
        flight.Controlled(ship, control.QuaternionPD(4.0, 20.0), flight.Reference(), jets, every=5, force_body=None)
    )
    return template


def with_filter() -> World:
    """A filter of a gyro and three trackers, two of which are late."""
    return make_measured("filter", 1)[0]


FEATURES: dict[str, Callable[[int], basic.Timed]] = {
    "jets": basic.commanded(12),
    "pulses": basic.pulses,
    "gimbal": stepping(with_gimbal),
    "tank": stepping(with_tank),
    "wheels": basic.wheels,
    "spring": stepping(with_spring),
    "hinge": basic.hinge,
    "joints": stepping(templates.with_every_joint, 2),
    **{
        type(force).__name__: stepping(partial(with_field, number))
        for number, force in enumerate(templates.with_every_field().forces)
    },
    "all fields": stepping(templates.with_every_field),
    **{name: stepping(partial(with_sensor, name), 1) for name in test_sensors.sensors_on(basic.craft()[1])},
    "filter": stepping(with_filter, 5),
    **{law: stepping(partial(with_loop, law), 5) for law in LAWS},
    **{reference: stepping(partial(with_loop, "quaternion-pd", reference), 5) for reference in list(REFERENCES)[1:]},
    "body torque": stepping(partial(with_loop, "quaternion-pd", "fixed", "torque"), 5),
    "throttled jets": stepping(partial(with_jets_of_loop, False), 5),
    "pulsed jets": stepping(partial(with_jets_of_loop, True), 5),
    "everything without joints": stepping(partial(templates.new_world, has_joint=False), 5),
    "everything": stepping(templates.new_world, 2),
}

if __name__ == "__main__":
    main()
