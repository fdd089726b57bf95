"""A world in a million ticks of pushes, pulses, commands, edits and failing ticks, with an account of what each body was given.

Every tick is run by itself. Before and after it, the forces on each body are computed anew from the poses, by formulas that share no code
with the engine: both methods that take turns here kick at the two ends of the tick, half of the impulse each. What a body has gained since
it joined must be what the account says, the linear momentum and the angular momentum about its mass centre.
"""

import gc
import os
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from engine import MassProperties, World, flight, forces
from engine.compilation import compiler

from ..truth import rotations
from ..worlds import OTHER, PROPERTIES
from .report import Figure
from .valves import Valve

Array = Any

DT = 1.0 / 64.0
NOTED = 256
"""Ticks after which they are booked, if no edit comes first."""
JETS = 6
METHODS = ("free-rotor-2", "axis-splitting-2")
KINDS = (PROPERTIES, OTHER)
FEWEST, MOST = 4, 9
BOUND = 1e-10
"""Of what is not explained, relative to the sum of the sizes of what was exchanged."""
FEWEST_FOR_MEMORY = 100_000
"""A shorter run ends before all kernels are loaded."""
PART = 5000
"""Ticks after which the memory is measured again."""
GROWTH = 1_000_000
"""Bytes by which the resident memory may grow between a tenth of the run and its end."""
BLOCKS = 5000
"""Blocks of memory by which Python's objects may grow meanwhile. Other numbers of bodies and forces change some hundred."""


class Stop(Exception):
    """Raised on purpose."""


class Account:
    """What one body was given since it joined."""

    def __init__(self, body: Any) -> None:
        self.body = body
        self.start = momenta(body)
        self.given = np.zeros((2, 3))
        self.lost_digits = np.zeros((2, 3))
        self.sizes = np.zeros(2)

    def book(self, given: Array, sizes: Array) -> None:
        """Add an impulse and an angular impulse, shape (2, 3), with Kahan's compensation, and their sizes, shape (2,)."""
        added = given - self.lost_digits
        total = self.given + added
        self.lost_digits = (total - self.given) - added
        self.given = total
        self.sizes += sizes

    def unexplained(self) -> Array:
        """The part of what was exchanged that the account does not explain, linear and angular."""
        rest = momenta(self.body) - self.start - self.given
        scale = np.maximum(self.sizes, np.sqrt(np.square(self.start).sum(axis=1)))
        return np.sqrt(np.square(rest).sum(axis=1)) / np.maximum(scale, 1e-3)


def momenta(body: Any) -> Array:
    """Linear momentum, and angular momentum about the mass centre with that of the wheels, world frame, shape (2, 3)."""
    own = body.inertia_body @ body.angular_velocity_body + body.stored_momentum_body
    return np.array([body.mass * body.velocity, rotations.to_world(body.orientation, own)])


def matrices(quaternions: Array) -> Array:
    """Rotation matrices of unit quaternions (x, y, z, w), shape (..., 3, 3)."""
    x, y, z, w = np.moveaxis(quaternions, -1, 0)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


class Pull:
    """A called force towards the origin, which changes with the time of the stage."""

    depends_on_rates = False

    def __init__(self, strength: float, spoils: bool = False) -> None:
        self.strength, self.spoils, self.calls = strength, spoils, 0

    def apply(self, wrench: Any, bodies: Any, time: float) -> None:
        self.calls += 1
        wrench.force_world[:] -= self.strength * bodies.position
        if self.spoils and self.calls > 1:
            wrench.add(bodies.count - 1, force_world=(0.0, np.nan, 0.0))


class Soak:
    """The world, the accounts of its bodies, and the random events.

    Attributes:
        failed: Number of ticks that failed on purpose.
        edits: Number of edits by name.
        worst: Largest unexplained parts of any body, at its end or at the end of the run.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.world = World(DT, integrator=METHODS[0])
        self.failed, self.ticks = 0, 0
        self.edits: dict[str, int] = dict.fromkeys(EDITS, 0)
        self.worst = np.zeros(2)
        self.worst_impulse = 0.0
        self.accounts: list[Account] = []
        self.valves: dict[int, Valve] = {}
        self.noted = 0
        self.positions, self.orientations = np.zeros((NOTED + 1, MOST, 3)), np.zeros((NOTED + 1, MOST, 4))
        self.impulses, self.body_torques = np.zeros((NOTED, MOST, 2, 3)), np.zeros((NOTED, MOST, 3))
        self.areas = np.zeros((NOTED, 2, JETS))
        for _ in range(5):
            add_body(self)
        for edit in (add_thruster, add_thruster, add_pulsed, add_spring, add_wheel, add_constant):
            edit(self)
        self.rebuild()

    # what acts

    def rebuild(self) -> None:
        """Read off the world what acts on which body, after an edit."""
        world = self.world
        self.bodies = world.bodies
        row = {id(body): number for number, body in enumerate(self.bodies)}
        self.count = len(row)
        self.mass = np.array([body.mass for body in world.bodies])
        self.center = np.array([body.center_of_mass_body for body in world.bodies])
        members = world.forces
        self.jets = [force for force in members if isinstance(force, forces.Thruster)]
        jet_rows = np.array([row[id(jet.body)] for jet in self.jets], dtype=int)
        self.jet_on = np.eye(self.count)[jet_rows]
        self.throttles = np.array([jet.throttle for jet in self.jets])
        pushes = np.array([jet.max_force * jet.direction for jet in self.jets]).reshape(-1, 3)
        levers = np.array([jet.position for jet in self.jets]).reshape(-1, 3) - self.center[jet_rows]
        self.jet_wrench = np.hstack([pushes, np.cross(levers, pushes)])
        springs = [force for force in members if isinstance(force, forces.Spring)]
        self.springs = [(row[id(s.body)], None if s.other is None else row[id(s.other)], s) for s in springs]
        points = [force for force in members if isinstance(force, forces.ConstantForce)]
        self.points = [(row[id(force.body)], force.at_body, force.force_world) for force in points]
        fields = [force for force in members if isinstance(force, forces.UniformGravity)]
        self.gravity = sum((force.acceleration_world for force in fields), np.zeros(3))
        self.pull = sum(force.strength for force in members if isinstance(force, Pull))

    def wrenches(self, positions: Array, axes: Array, body_torques: Array) -> Array:
        """Force, and torque about the mass centre, world frame, of all but thrusters at each of k poses, shape (k, n, 2, 3)."""
        found = np.zeros((len(positions), self.count, 2, 3))
        found[:, :, 0] = self.mass[:, np.newaxis] * self.gravity - self.pull * positions
        found[:, :, 1] = np.einsum("knij,knj->kni", axes, body_torques)
        for index, at_body, force in self.points:
            arm = axes[:, index] @ (at_body - self.center[index])
            found[:, index, 0] += force
            found[:, index, 1] += np.cross(arm, force)
        for first, second, spring in self.springs:
            arm = axes[:, first] @ (spring.at_body - self.center[first])
            end, other_arm = spring.at_other, arm
            if second is not None:
                other_arm = axes[:, second] @ (spring.at_other - self.center[second])
                end = positions[:, second] + other_arm
            gap = end - positions[:, first] - arm
            length = np.sqrt(np.square(gap).sum(axis=1, keepdims=True))
            pull = spring.stiffness * (length - spring.rest_length) / length * gap
            found[:, first] += np.stack([pull, np.cross(arm, pull)], axis=1)
            if second is not None:
                found[:, second] -= np.stack([pull, np.cross(other_arm, pull)], axis=1)
        return found

    def book(self) -> None:
        """Book the ticks since the last edit: half of the impulse of each force at either end of a tick."""
        ticks = self.noted
        if not ticks:
            return
        self.noted = 0
        axes = matrices(self.orientations[: ticks + 1, : self.count])
        positions = self.positions[: ticks + 1, : self.count]
        torques = self.body_torques[:ticks, : self.count]
        early = self.wrenches(positions[:-1], axes[:-1], torques)
        late = self.wrenches(positions[1:], axes[1:], torques)
        given = self.impulses[:ticks, : self.count] + 0.5 * DT * (early + late)
        for end, areas in ((axes[:-1], self.areas[:ticks, 0]), (axes[1:], self.areas[:ticks, 1])):
            held = areas[:, : len(self.jets), np.newaxis] * self.jet_wrench
            held = np.einsum("jn,kjc->knc", self.jet_on, held).reshape(ticks, self.count, 2, 3)
            given += np.einsum("knij,knwj->knwi", end, held)
        sizes = np.sqrt(np.square(given).sum(axis=3)).sum(axis=0)
        for account, total, size in zip(self.accounts, given.sum(axis=0), sizes, strict=True):
            account.book(total, size)
        self.impulses[:ticks] = self.body_torques[:ticks] = 0.0

    # a tick

    def tick(self) -> None:
        """Random events and one tick, which is noted."""
        rng, world = self.random, self.world
        if rng.random() < 0.01 or self.noted == NOTED:
            self.book()
            name = rng.choice(list(EDITS))
            EDITS[name](self)
            self.edits[name] += 1
            self.rebuild()
        number = self.noted
        self.push(self.impulses[number], self.body_torques[number])
        self.command()
        if rng.random() < 0.005:
            self.fail()
        if not number:
            self.note(0)
        world.step()
        self.ticks += 1
        self.noted = number + 1
        self.note(number + 1)
        self.areas[number, :, : len(self.jets)] = 0.5 * DT * self.throttles
        for place, jet in enumerate(self.jets):
            if (valve := self.valves.get(id(jet))) is not None and valve.is_busy:
                area, moment = valve.run(DT)
                # half kicks at the two ends whose mean time is that of the pulse
                self.areas[number, :, place] = area - moment / DT, moment / DT

    def note(self, place: int) -> None:
        """Keep where the bodies are."""
        state = self.world.state
        self.positions[place, : self.count] = state.position
        self.orientations[place, : self.count] = state.orientation

    def push(self, given: Array, body_torque: Array) -> None:
        """Some ticks push a body at random, and others keep one near the origin and slow.

        Args:
            given: Takes the impulse and the angular impulse of each body, shape (n, 2, 3).
            body_torque: Takes the torque [N·m] in the body frame over the tick, shape (n, 3).
        """
        rng = self.random
        kind = rng.randrange(12)
        if kind > 7:
            return
        index = rng.randrange(self.count)
        body = self.bodies[index]
        push, where = np.array(self.vector(3.0)), np.array(self.vector())
        if kind < 4:
            gain = 3.0 * self.count
            push = -gain * body.mass * (0.1 * body.position + 0.6 * body.velocity)
            torque = -0.2 * gain * body.angular_velocity_body
            body.apply_force(push)
            body.apply_torque_body(torque)
            given[index, 0] += DT * push
            body_torque[index] += torque
        elif kind == 4:
            body.apply_force(push, at_world=body.position + where)
            given[index] += DT * np.array([push, np.cross(where, push)])
        elif kind == 5:
            push *= 0.1
            body.apply_impulse(push, at_world=body.position + where)
            given[index] += (push, np.cross(where, push))
        elif kind == 6:
            body.apply_angular_impulse(0.03 * push)
            given[index, 1] += 0.03 * push
        else:
            body.apply_torque_body(push)
            body_torque[index] += push

    def command(self) -> None:
        """Throttles, torques of motors and pulses."""
        rng = self.random
        if self.jets and rng.random() < 0.1:
            place = rng.randrange(len(self.jets))
            jet = self.jets[place]
            if (valve := self.valves.get(id(jet))) is None:
                self.throttles[place] = jet.throttle = rng.choice((0.0, 0.3, 1.0))
            else:
                # the shortest pulse of a valve that takes time to rise is 0.02 s
                duration, delay = rng.choice((0.0, 0.02, 0.053, 0.3)), rng.choice((0.0, 0.004, 0.11))
                jet.fire(duration, delay)
                valve.fire(duration, delay)
        if rng.random() < 0.05 and self.world.parts:
            rng.choice(self.world.parts).torque = rng.uniform(-0.3, 0.3)

    def fail(self) -> None:
        """One tick that fails in one of several ways, and must change nothing."""
        world, way = self.world, self.random.randrange(5)
        before, ticks = world.state_hash(), world.tick_count
        spoiler = Pull(0.3, spoils=True)

        def interfere(world: World) -> None:
            first = world.bodies[0]
            first.apply_force((1.0, 2.0, 3.0))
            first.velocity += 1.0
            world.add_body(OTHER)
            for jet in self.jets:
                if id(jet) in self.valves:
                    jet.fire(0.2)
                else:
                    jet.throttle = 0.5
            if way == 1:
                world.remove_body(first)
            if way == 2:
                world.bodies[1].mass_properties = MassProperties.sphere(9.0, 0.3)
            raise Stop

        def burst(wrench: Any, bodies: Any, time: float) -> None:
            wrench.force_world[:] += 1.0
            raise MemoryError

        if way == 3:
            world.add_force(spoiler)
        elif way == 4:
            world.add_force(burst)
        else:
            world.on_tick(interfere)
        try:
            world.step()
        except (Stop, ArithmeticError, MemoryError):
            self.failed += 1
        else:
            raise AssertionError("a tick that should have failed did not")
        if way == 3:
            world.remove_force(spoiler)
        elif way == 4:
            world.remove_force(burst)
        else:
            world.remove_callback(interfere)
        assert (world.state_hash(), world.tick_count) == (before, ticks), (
            f"a tick that failed in way {way} left a change"
        )

    def settle_all(self) -> None:
        """Compare all accounts, and the impulses that pulsed thrusters have counted."""
        self.book()
        for account in self.accounts:
            self.worst = np.maximum(self.worst, account.unexplained())
        for jet in self.jets:
            if (valve := self.valves.get(id(jet))) is not None and valve.opened > 0.0:
                counted = jet.impulse / (jet.max_force * valve.opened)
                self.worst_impulse = max(self.worst_impulse, abs(counted - 1.0))

    def changing(self, body: Any) -> "Change":
        """Book what an edit does to the momenta of a body."""
        return Change(self, body)

    def vector(self, size: float = 0.4) -> tuple[float, float, float]:
        rng = self.random
        return rng.gauss(0.0, size), rng.gauss(0.0, size), rng.gauss(0.0, size)


class Change:
    """Books the difference that an edit, which is no force, makes to a body."""

    def __init__(self, soak: Soak, body: Any) -> None:
        self.account = next(account for account in soak.accounts if account.body is body)

    def __enter__(self) -> None:
        self.before = momenta(self.account.body)

    def __exit__(self, *_: object) -> None:
        change = momenta(self.account.body) - self.before
        self.account.book(change, np.sqrt(np.square(change).sum(axis=1)))


# edits


def a_body(soak: Soak) -> Any:
    return soak.random.choice(soak.world.bodies)


def add_body(soak: Soak) -> None:
    if len(soak.world.bodies) < MOST:
        body = soak.world.add_body(
            soak.random.choice(KINDS),
            position=soak.vector(3.0),
            orientation=rotations.from_axis_angle(soak.vector(), soak.random.uniform(0.0, 3.0)),
            velocity=soak.vector(),
            angular_velocity_body=soak.vector(),
        )
        soak.accounts.append(Account(body))


def remove_body(soak: Soak) -> None:
    if len(soak.world.bodies) > FEWEST:
        soak.settle_all()
        body = a_body(soak)
        for member in soak.world.remove_body(body):
            soak.valves.pop(id(member), None)
        soak.accounts = [account for account in soak.accounts if account.body is not body]


def _add(soak: Soak, force: Any, most: int) -> bool:
    if sum(type(each) is type(force) for each in soak.world.forces) >= most:
        return False
    soak.world.add_force(force)
    return True


def add_thruster(soak: Soak) -> None:
    jet = forces.Thruster(a_body(soak), position=soak.vector(), direction=soak.vector(), max_force=2.0)
    _add(soak, jet, JETS)


def add_pulsed(soak: Soak) -> None:
    rise, fall = soak.random.choice(((0.0, 0.0), (0.02, 0.05)))
    jet = forces.Thruster(
        *(a_body(soak),),
        position=soak.vector(),
        direction=soak.vector(),
        max_force=3.0,
        rise_time=rise,
        fall_time=fall,
        min_on_time=rise,
    )
    if _add(soak, jet, JETS):
        soak.valves[id(jet)] = Valve(rise, fall)


def add_spring(soak: Soak) -> None:
    first = a_body(soak)
    second = soak.random.choice([body for body in soak.world.bodies if body is not first] + [None])
    spring = forces.Spring(
        first,
        second,
        at_body=soak.vector(),
        at_other=soak.vector(),
        stiffness=0.5,
        rest_length=soak.random.choice((0, 2)),
    )
    _add(soak, spring, 3)


def add_constant(soak: Soak) -> None:
    _add(soak, forces.ConstantForce(a_body(soak), force_world=soak.vector(), at_body=soak.vector()), 2)


def add_gravity(soak: Soak) -> None:
    _add(soak, forces.UniformGravity(soak.vector(0.2)), 1)


def add_pull(soak: Soak) -> None:
    _add(soak, Pull(0.2), 1)


def remove_force(soak: Soak) -> None:
    if soak.world.forces:
        soak.settle_all()
        force = soak.random.choice(soak.world.forces)
        soak.world.remove_force(force)
        soak.valves.pop(id(force), None)


def remove_pull(soak: Soak) -> None:
    """A called force makes ticks several times slower, so that it does not stay for long."""
    for force in soak.world.forces:
        if isinstance(force, Pull):
            soak.world.remove_force(force)


def add_wheel(soak: Soak) -> None:
    if len(soak.world.parts) < 3:
        body = a_body(soak)
        wheel = flight.ReactionWheel(
            *(body,),
            axis=soak.vector(),
            inertia=0.01,
            max_torque=0.3,
            max_speed=50.0,
            speed=soak.random.uniform(-20.0, 20.0),
            viscous_friction=soak.random.choice((0.0, 0.001)),
        )
        with soak.changing(body):
            soak.world.add_part(wheel)


def remove_wheel(soak: Soak) -> None:
    if soak.world.parts:
        wheel = soak.random.choice(soak.world.parts)
        with soak.changing(wheel.body):
            soak.world.remove_part(wheel)


def exchange_mass(soak: Soak) -> None:
    body = a_body(soak)
    with soak.changing(body):
        body.mass_properties = soak.random.choice(KINDS)


def set_state(soak: Soak) -> None:
    body = a_body(soak)
    with soak.changing(body):
        body.velocity, body.angular_velocity_body, body.position = soak.vector(), soak.vector(), soak.vector(3.0)


def exchange_method(soak: Soak) -> None:
    soak.world.integrator = soak.random.choice(METHODS)


def come_back(soak: Soak) -> None:
    """Some ticks with a push and an edit, and back to the snapshot from before."""
    world = soak.world
    snapshot, before = world.snapshot(), world.state_hash()
    world.bodies[0].apply_force((1.0, 2.0, 3.0))
    world.remove_body(world.bodies[-1])
    world.step(2)
    world.restore(snapshot)
    assert world.state_hash() == before, "a snapshot was not restored"


EDITS: dict[str, Callable[[Soak], None]] = {
    edit.__name__: edit
    for edit in (
        *(add_body, remove_body, add_thruster, add_pulsed, add_spring, add_constant, add_gravity, add_pull),
        *(remove_force, remove_pull, add_wheel, remove_wheel, exchange_mass, set_state, exchange_method, come_back),
    )
}


# memory


def resident_bytes() -> int:
    """Resident size of this process; zero where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0


def memory() -> Array:
    """Blocks that Python's objects take, and resident bytes, without what waits to be collected."""
    (getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache)()
    gc.collect()
    return np.array([sys.getallocatedblocks(), resident_bytes()])


class Growth:
    """The growth of the memory in the parts of a run in which no kernel was compiled or loaded.

    The compiler keeps some ten megabytes for each kernel that is compiled, and a loaded kernel stays.
    """

    def __enter__(self) -> "Growth":
        self.sum, self.kernels, self.known = np.zeros(2), 0, 0
        self.load = load = compiler._KernelCache.load_overload

        def load_and_count(cache: Any, *arguments: Any) -> Any:
            self.kernels += 1
            return load(cache, *arguments)

        compiler._KernelCache.load_overload = load_and_count
        self.last = memory()
        return self

    def __exit__(self, *_: object) -> None:
        compiler._KernelCache.load_overload = self.load

    def add(self, counts: bool) -> None:
        """End a part of the run, which may not count."""
        now = memory()
        if counts and self.kernels == self.known:
            self.sum += now - self.last
        self.last, self.known = now, self.kernels


def run(ticks: int, seed: int) -> list[Figure]:
    """Run so many ticks; the memory is compared from a tenth of them to the end."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), Growth() as growth:
        warnings.simplefilter("ignore")
        soak = Soak(seed)
        for number in range(ticks):
            soak.tick()
            if number % PART == PART - 1:
                growth.add(counts=number >= ticks // 10)
        soak.settle_all()
    print(f"exchange: {ticks} ticks, {soak.failed} failed on purpose, {sum(soak.edits.values())} edits", flush=True)
    figures = [
        Figure("Σ F dt − m Δv, relative", float(soak.worst[0]), BOUND),
        Figure("Σ τ dt − ΔL, relative", float(soak.worst[1]), BOUND),
        Figure("impulse counted by pulsed thrusters, relative", soak.worst_impulse, BOUND),
    ]
    if ticks < FEWEST_FOR_MEMORY:
        return figures
    return [
        *figures,
        Figure("growth of memory, blocks of Python objects", float(growth.sum[0]), BLOCKS),
        Figure("growth of memory, resident bytes", float(growth.sum[1]), GROWTH),
    ]
