"""Members of large batches beside worlds alone, for every method: ``python -m tests.batch.bits`` (about an hour).

Each batch has a thousand members with numbers of their own and runs a thousand ticks. Meanwhile some members are reset, some stand still
for a while, and some fail. Of those that do not fail, 64 are compared with a world alone, field by field and by hash: the first and the
last, eight that were reset, and others at random. In plain Python, `NUMBA_DISABLE_JIT=1 python -m tests.batch.bits --members 30 --ticks 24`
compares as many as there are.
"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from engine import World, flight
from engine.batch import Batch
from engine.integrators import by_name
from engine.store import threads

from . import templates, test_clocks, test_contacts, test_loops, test_sensors
from .test_members import content

MEMBERS, COMPARED = 1000, 64


class Case(NamedTuple):
    """A template, and what differs between its members.

    Attributes:
        make: Makes the template, or a world alone with the seed of a member.
        set_in: Sets the numbers of all members.
        set_alone: Sets those of one.
        has_sensors: Whether there are sensors, whose seeds are an attribute that members do not have.
    """

    make: Callable[[int], World]
    set_in: Callable[[Batch, World], None]
    set_alone: Callable[[World, int], None]
    has_sensors: bool = False


def everything(count: int, **left_out: bool) -> Case:
    """Jets, pulses, a gimbal, a tank that runs dry, wheels with friction, a spring, a hinge, masses and a drag of each member."""
    numbers = templates.Numbers(count)
    return Case(
        lambda seed: templates.new_world(**left_out),
        lambda batch, template: numbers.set_in(batch, templates.parts_of(template)),
        numbers.set_alone,
    )


def stuck(count: int) -> Case:
    """Jets of which some are stuck."""
    numbers, levels = templates.Numbers(count, seed=2), np.random.default_rng(3).random((count, 2))

    def set_in(batch: Batch, template: World) -> None:
        parts = templates.parts_of(template)
        numbers.set_in(batch, parts)
        batch[parts["bank"]].stuck = levels

    def set_alone(world: World, member: int) -> None:
        numbers.set_alone(world, member)
        templates.parts_of(world)["bank"].stuck = levels[member]

    return Case(lambda seed: templates.new_world(has_joint=False), set_in, set_alone)


def fields(count: int) -> Case:
    """Each field with a coefficient of each member."""
    rng = np.random.default_rng(4)
    speeds, factors = rng.normal(0.0, 1.0, (count, 3)), rng.uniform(0.5, 1.5, count)
    names = ("coefficient", "gm", "drag_area", "charge", "pressure")

    def make(seed: int) -> World:
        return templates.with_every_field()

    def chosen(world: World) -> list[tuple[Any, str]]:
        return [(each, name) for each in world.forces for name in names if isinstance(getattr(each, name, None), float)]

    def set_in(batch: Batch, template: World) -> None:
        batch[template.body("ship")].velocity = speeds
        for force, name in chosen(template):
            setattr(batch[force], name, getattr(force, name) * factors)

    def set_alone(world: World, member: int) -> None:
        world.body("ship").velocity = speeds[member]
        for force, name in chosen(world):
            setattr(force, name, getattr(force, name) * factors[member])

    return Case(make, set_in, set_alone)


def every_joint(count: int) -> Case:
    """Bodies on every type of joint, which a torque of each member turns."""
    pushes = np.random.default_rng(8).normal(0.0, 0.2, (count, 3))

    def set_in(batch: Batch, template: World) -> None:
        batch[template.forces[0]].torque_world = pushes

    def set_alone(world: World, member: int) -> None:
        world.forces[0].torque_world = pushes[member]

    return Case(lambda seed: templates.with_every_joint(), set_in, set_alone)


def turning(count: int, make: Callable[[int], World], has_sensors: bool = False) -> Case:
    """Another template, whose ship turns with rates of each member."""
    rates = np.random.default_rng(5).normal(0.0, 0.2, (count, 3))

    def set_in(batch: Batch, template: World) -> None:
        batch[template.body("ship")].angular_velocity_body = rates
        for part in template.parts:
            if hasattr(part, "seed"):
                batch[part].seed = np.arange(count) + 1

    def set_alone(world: World, member: int) -> None:
        world.body("ship").angular_velocity_body = rates[member]

    return Case(make, set_in, set_alone, has_sensors)


def own_loops(count: int) -> Case:
    """A loop with a reference and a law of each member."""
    rng = np.random.default_rng(9)
    targets, gains = rng.normal(size=(count, 4)), rng.uniform(3.0, 5.0, count)
    targets /= np.linalg.norm(targets, axis=1, keepdims=True)
    references: list[object] = []
    for member, target in enumerate(targets):
        spin = flight.Spin((0.0, 0.01, 0.02 * gains[member]), target, start_time=0.1 * gains[member])
        slew = flight.Slew(target, targets[0], 0.05 * gains[member], 0.02, start_time=-0.1 * gains[member])
        references.append((flight.Reference(target), spin, slew)[member % 3])

    def set_in(batch: Batch, template: World) -> None:
        loop = batch[template.parts[-1]]
        loop.reference = references
        loop.law = [flight.control.QuaternionPD(gain, 20.0) for gain in gains]

    def set_alone(world: World, member: int) -> None:
        loop: Any = world.parts[-1]
        loop.reference, loop.law = references[member], flight.control.QuaternionPD(gains[member], 20.0)

    return Case(lambda seed: test_loops.make(delay=1)[0], set_in, set_alone)


def contacts(count: int) -> Case:
    """Bodies that touch each other and the ground."""
    numbers = np.random.default_rng(6).normal(0.0, 0.4, (count, 6))
    return Case(
        lambda seed: test_contacts.new_world(),
        lambda batch, template: test_contacts.set_in(batch, template, numbers),
        lambda world, member: test_contacts.set_alone(world, numbers, member),
    )


CASES: dict[str, Callable[[int], Case]] = {
    "everything": everything,
    "everything without a hinge": lambda count: everything(count, has_joint=False),
    "jets, pulses and a spring": lambda count: everything(count, has_joint=False, is_driven=False),
    "stuck jets": stuck,
    "fields": fields,
    "joints": every_joint,
    **{
        f"fields that read the time, {scene}": lambda count, scene=scene: turning(
            count, lambda seed: test_clocks.new_world(scene)
        )
        for scene in test_clocks.SCENES
    },
    "sensors": lambda count: turning(count, lambda seed: test_sensors.make(seed)[0], True),
    "sensors with delays": lambda count: turning(count, lambda seed: test_sensors.make(seed, 2)[0], True),
    **{
        f"{law}, {reference}, {actuators}": lambda count, law=law, reference=reference, actuators=actuators: turning(
            count, lambda seed: test_loops.make(law, reference, actuators, 1)[0]
        )
        for law, reference, actuators in (
            ("quaternion-pd", "fixed", "wheels"),
            ("mrp", "spin", "torque"),
            ("mrp with inertia", "slew", "wheels"),
            ("damping", "fixed", "torque"),
            ("phase plane", "spin", "torque"),
        )
    },
    **{
        f"a loop that points at {target}, {law}": lambda count, target=target, law=law: turning(
            count, lambda seed: test_loops.make_pointing(target, law=law)[0]
        )
        for target, law in (
            ("nadir", "mrp"),
            ("body", "quaternion-pd"),
            ("bodies and sun", "damping"),
            ("direction", "mrp with inertia"),
        )
    },
    **{
        f"a loop that measures with a {name}": lambda count, name=name: turning(
            count, lambda seed: test_loops.make_measured(name, seed)[0], True
        )
        for name in ("gyro", "tracker", "filter")
    },
    **{
        f"a loop with {name} jets": lambda count, name=name: turning(
            count, lambda seed: test_loops.make_with_jets(name)[0]
        )
        for name in ("throttled", "even", "lost", "pulsed")
    },
    "references and laws": own_loops,
    "contacts": contacts,
}


def differences(
    name: str, method: str, most_threads: int = 1, members: int = MEMBERS, ticks: int = 1000
) -> tuple[int, int] | None:
    """How many members differ from a world alone, and how many were compared; None if the method does not take such a world."""
    case = CASES[name](members)
    template = case.make(1)
    try:
        template.integrator = by_name[method]()
        batch = Batch(template, members=members, threads=most_threads)
    except (TypeError, ValueError):
        return None
    case.set_in(batch, template)
    rng, everybody = np.random.default_rng(7), np.arange(members)
    body = template.bodies[0]
    batch.step(ticks // 4)
    reset, still, fails = everybody % 10 == 3, everybody % 10 == 4, everybody % 10 == 5
    batch.reset(reset)
    batch.active = ~still & ~batch.failed
    batch[body].set(np.flatnonzero(fails), velocity=(1.7e308, 0.0, 0.0))
    batch.step(1)
    begun = {member: batch.world(member) for member in np.flatnonzero(reset & ~batch.failed)[:8].tolist()}
    batch.step(ticks // 4)
    batch.active = ~batch.failed
    batch.step(ticks - 1 - 2 * (ticks // 4))
    wrong = 0
    for member, world in begun.items():
        world.step(int(batch.tick_count[member]) - world.tick_count)
        wrong += world.state_hash() != batch.state_hash(member)
    free = np.flatnonzero(~reset & ~fails & ~batch.failed)
    drawn = rng.choice(free[1:-1], min(COMPARED - len(begun), len(free)) - 2, replace=False)
    others = sorted({*free[[0, -1]].tolist(), *drawn.tolist()})
    for member in others:
        alone = case.make(member + 1)
        alone.integrator = by_name[method]()
        case.set_alone(alone, member)
        alone.step(int(batch.tick_count[member]))
        if case.has_sensors:
            own, other = content(batch.world(member)), content(alone)
            same = own.keys() == other.keys() and all(
                np.array_equal(own[key], other[key], equal_nan=True) for key in own
            )
        else:
            same = alone.state_hash() == batch.state_hash(member)
        wrong += not same
    return wrong, len(begun) + len(others)


def main() -> int:
    """Compare, and return how many cases differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", action="append", help="one method instead of all")
    parser.add_argument("--case", action="append", help="one case instead of all")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--members", type=int, default=MEMBERS)
    parser.add_argument("--ticks", type=int, default=1000)
    given = parser.parse_args()
    if given.threads > 1:
        threads.FEWEST_BODIES = 512
    failed = compared = 0
    for name in given.case or CASES:
        for method in given.method or sorted(by_name):
            begin = time.process_time()
            found = differences(name, method, given.threads, given.members, given.ticks)
            if found is not None:
                wrong, alone = found
                compared, failed = compared + 1, failed + (wrong > 0)
                seconds = time.process_time() - begin
                print(f"{name}, {method}: {wrong or 'none'} of {alone} differ ({seconds:.0f} s)", flush=True)
    print(f"{failed} of {compared} cases differ")
    return failed


if __name__ == "__main__":
    sys.exit(main())
