"""Restored runs against the unbroken one, frames that are rolled back, and two peers over a bad line, at full length.

The world has rows in every table, actuators, sensors and control loops at work, joints that break and are made anew, a body that freezes,
and functions and objects in Python that change all of it for as long as it runs.
"""

import random

import numpy as np

from engine import Body, Snapshot, World, flight, forces, joints
from engine.flight import control

from ..full_world import image
from ..rollback_game import Network, differing_frames, differing_hashes
from ..worlds import OTHER, PROPERTIES
from .report import Figure

MOST_RESTORES = 50
"""In each of two worlds."""
SHARE = 10
"""The run of two peers is so many times as long as a restored run."""
EVERY = 100
"""Ticks between two comparisons."""
WAYS = "snapshot", "bytes", "fork"


@forces.compiled(parameters=("strength", "period"))
def Wind(body, time, strength, period):
    """A wind that comes and goes."""
    push = strength * (time % period / period - 0.5)
    return (push, -0.5 * push, 0.25 * push), (0.0, 0.0, 0.0)


class Gusts:
    """A force in Python that is evaluated once per tick and remembers the last push."""

    evaluate = "tick"

    def __init__(self) -> None:
        self.push = np.array([0.1, -0.2, 0.3])

    def get_state(self) -> dict[str, object]:
        return {"push": self.push}

    def set_state(self, state: dict[str, object]) -> None:
        self.push[:] = state["push"]

    def apply(self, wrench: forces.Wrench, bodies: forces.BodyStates, time: float) -> None:
        self.push[:] = np.roll(self.push, 1) * (1.5 - min(self.push @ self.push, 2.0))
        wrench.force_world[:4] += self.push


class Director:
    """Changes the world as it runs, by numbers whose generator is in the memory of the world."""

    def __init__(self, throws: bool) -> None:
        self.throws = throws
        self.calls = 0

    def get_state(self) -> dict[str, object]:
        return {"calls": self.calls}

    def set_state(self, state: dict[str, object]) -> None:
        (self.calls,) = state.values()

    def __call__(self, world: World) -> None:
        self.calls += 1
        ship, tug, rock, (latch, *_others) = *map(world.body, ("ship", "tug", "rock")), world.joints
        rock.apply_force((self._number(world), 0.0, self._number(world)), at_world=(1.0, 0.0, 2.0))
        jets = [force for force in world.forces if isinstance(force, forces.Thruster)]
        jets[0].fire(0.05 + 0.2 * abs(self._number(world)), 0.01)
        jets[1].throttle = abs(self._number(world))
        jets[1].gimbal_command = 0.3 * self._number(world), 0.0
        if self.calls % 7 == 0:
            next(part for part in world.parts if isinstance(part, flight.Tank)).propellant = 1.0
            tug.apply_impulse((self._number(world), 0.2, -0.1))
        if self.calls % 11 == 0 and latch.state == "hard":
            latch.release(push=4.0)
        if self.calls % 13 == 0:
            self._exchange_pebble(world)
        if self.calls % 17 == 0:
            self._exchange_rope(world, rock, ship)
        if self.calls % 50 == 0:
            rock.mass_properties = PROPERTIES if rock.mass_properties == OTHER else OTHER
            world.integrator = "rk4" if world.integrator.name == "free-rotor-2" else "free-rotor-2"
        if self.calls % 90 == 0:
            world.game_mode = not world.game_mode

    def _number(self, world: World) -> float:
        """A number from −1 to 1."""
        memory = world.memory["random"]
        memory.value = memory.value * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        return float(memory.value[0] >> np.uint64(11)) / 2.0**52 - 1.0

    def _exchange_pebble(self, world: World) -> None:
        """Remove the pebble, or throw a new one, every other one so fast that it freezes if that is wanted."""
        if "pebble" in [body.name for body in world.bodies]:
            world.remove_body(world.body("pebble"))
        else:
            pebble = world.add_body(OTHER, name="pebble", position=(0, 9, 0), velocity=(0.0, 1.0, self._number(world)))
            if self.throws and self.calls % 4 < 2:
                pebble.velocity = pebble.position = (1.7e308, 0.0, 0.0)

    def _exchange_rope(self, world: World, rock: Body, ship: Body) -> None:
        """Remove the rope, or tie a new one, which breaks when it is jerked."""
        ropes = [joint for joint in world.joints if isinstance(joint, joints.Distance)]
        if ropes:
            world.remove_joint(ropes[0])
        else:
            far = float(np.linalg.norm(rock.origin - ship.origin))
            rope = {"min_length": 0.0, "max_length": 1.2 * far, "break_force": 40.0}
            world.add_joint(joints.Distance(rock, ship, at_body=(0, 0, 0), at_other=(0, 0, 0), **rope))


def world_with_everything(called: bool) -> World:
    """Craft, rocks and an arm in a gentle wind, held together by drag and springs.

    Args:
        called: Whether a force in Python acts, which would link all bodies to one that freezes; else some pebbles freeze.
    """
    world = World(1 / 64, integrator="rk4", on_non_finite="raise" if called else "freeze")
    ship = world.add_body(PROPERTIES, name="ship", angular_velocity_body=(0.1, -0.2, 0.3))
    tug = world.add_body(OTHER, name="tug", position=(5.0, 0.0, 0.0))
    rock = world.add_body(OTHER, name="rock", position=(-5.0, 2.0, 0.0), angular_velocity_body=(0.3, 0.1, 0.2))
    hull = world.add_body(PROPERTIES, name="hull", position=(0.0, -6.0, 0.0))
    arm = world.add_body(OTHER, name="arm", position=(1.0, -6.0, 0.0), orientation=hull.orientation)
    port, other_port = (
        joints.Port(at, axis, up=(0, 1, 0)) for at, axis in (((0, 0, 1), (0, 0, 1)), ((0, 0, -1), (0, 0, -1)))
    )
    probe = world.add_body(OTHER, name="probe", position=(0.0, -6.0, 2.3))
    reach = joints.Capture(distance=0.5, lateral=0.5, angle=1.0, speed=1.0, rate=2.0)
    world.add_joint(joints.Latch(hull, probe, port, other_port, capture=reach, soft=(8.0, 0.8), retract_time=4.0))
    hinge = {"at_body": (0.5, 0.0, 0.0), "axis_body": (0.0, 0.0, 1.0), "limits": (-0.5, 0.5), "friction": 0.02}
    motor = joints.Motor(target_angle=0.3, frequency=0.5, damping_ratio=0.7, max_torque=5.0)
    world.add_joint(joints.Hinge(arm, hull, motor=motor, **hinge))
    tank = world.add_part(flight.Tank.ball(ship, position=(0, 0, 0.5), radius=0.2, propellant=1.0))
    valve = {"max_force": 9.0, "min_on_time": 0.05, "rise_time": 0.02, "fall_time": 0.03}
    gimbal = flight.Gimbal((1, 0, 0), (0, 1, 0), 0.3, 0.2)
    for force in (
        forces.Thruster(ship, position=(0, 1, 0), direction=(0, 0, 1), tank=tank, specific_impulse=50.0, **valve),
        forces.Thruster(tug, position=(0, 0, -1), direction=(0, 0, 1), max_force=3.0, gimbal=gimbal),
        forces.PointGravity(50.0, (40, -30, 20)),
        forces.LinearDrag(0.3),
        forces.AngularDamping(1.0),
        forces.Spring(ship, None, stiffness=0.5, at_other=(0, 0, 0)),
        forces.Spring(tug, rock, stiffness=0.5, rest_length=8.0, damping=0.1),
        forces.Spring(hull, None, stiffness=0.5, at_other=(0, -6, 0)),
        forces.Spring(hull, probe, stiffness=0.2, rest_length=1.5),
        Wind(strength=0.2, period=3.0),
        *([Gusts()] if called else []),
    ):
        world.add_force(force)
    wheels = [
        world.add_part(
            flight.ReactionWheel(ship, axis=axis, inertia=0.01, max_torque=0.5, max_speed=600.0, viscous_friction=1e-4)
        )
        for axis in ((1, 1, 1), (-1, 1, 1), (-1, -1, 1), (1, -1, 1))
    ]
    gyro = world.add_part(flight.Gyro(ship, noise_density=1e-4, bias_walk=1e-6, seed=1))
    tracker = world.add_part(
        flight.StarTracker(ship, boresight_body=(0, 0, 1), noise=(1e-4, 2e-4), every=8, delay=2, seed=2)
    )
    estimate = world.add_part(flight.AttitudeFilter(gyro, [tracker]))
    law = control.MRPFeedback(0.5, 1.0, integral_gain=0.05, integral_limit=0.1)
    allocator = flight.WheelAllocator(wheels)
    world.add_part(
        flight.Controlled(ship, law, flight.Spin((0.0, 0.0, 0.05)), allocator, every=4, delay=1, measured=estimate)
    )
    field = forces.MagneticDipole(7.8e15, (0, 0, -1), (-7e6, 0, 0))
    world.add_part(flight.Magnetorquer(tug, axis=(0, 0, 1), max_dipole=1.0, field=field)).dipole = 0.5
    world.memory.add("random", 1, np.uint64).value = [20261123]
    world.on_tick(Director(throws=not called), every=16)
    return world


def contents_of(world: World) -> dict[str, object]:
    """The bytes of all tables. Rows are numbered anew after a restore, so their numbers are left out."""
    return {name: content for name, (_count, content, *_numbers) in image(world)["tables"].items()}


def restored_runs(ticks: int, restores: int, seed: int, called: bool) -> tuple[int, list[str]]:
    """The number of comparisons, and those of runs from random ticks on that differ from the unbroken run, compared every `EVERY` ticks.

    At its last tick a run is compared in the content of all tables, to the last byte.
    """
    rng, ahead = random.Random(seed), -(-ticks // EVERY) * EVERY
    starts = sorted(rng.sample(range(1, ahead + restores), restores))
    world = world_with_everything(called)
    kept: dict[int, World | bytes | Snapshot] = {}
    hashes, contents = {}, {}
    for tick in range(starts[-1] + ahead + EVERY):
        if tick in starts:
            way = WAYS[starts.index(tick) % len(WAYS)]
            kept[tick] = world.fork() if way == "fork" else world.snapshot()
            if way == "bytes":
                kept[tick] = world.snapshot().to_bytes()
        if tick % EVERY == 0:
            hashes[tick] = world.state_hash()
            contents[tick] = contents_of(world) if tick >= ahead else {}
        world.step()
    compared, different = 0, []
    rng.shuffle(starts)
    for start in starts:
        saved, other = kept.pop(start), world
        if isinstance(saved, World):
            other = saved
        else:
            world.restore(Snapshot.from_bytes(saved) if isinstance(saved, bytes) else saved)
        last = (start + ahead) // EVERY * EVERY
        while other.tick_count < last:
            other.step(EVERY - other.tick_count % EVERY)
            compared += 1
            if other.state_hash() != hashes[other.tick_count]:
                different.append(f"from {start} on, tick {other.tick_count}")
        there = contents_of(other)
        if found := [name for name in contents[last] | there if contents[last].get(name) != there.get(name)]:
            different.append(f"from {start} on, tick {last}: {found}")
    return compared, different


def run(ticks: int, seed: int) -> list[Figure]:
    """All of it; `ticks` is the number of ticks of the two peers."""
    fewer = max(ticks // SHARE, EVERY)
    restores = min(MOST_RESTORES, fewer // 20)
    compared, different = 0, []
    for called in (False, True):
        some, others = restored_runs(fewer, restores, seed, called)
        compared, different = compared + some, different + others
    frames = differing_frames(fewer, seed)
    hashes, waited = differing_hashes(ticks, seed, Network(seed))
    return [
        Figure(f"{2 * restores} restored runs of {fewer} ticks, of {compared} comparisons differ", len(different), 0),
        Figure(f"one frame rolled back in each of {fewer} frames, hashes that differ", frames, 0),
        Figure(f"two peers, delay and loss, {ticks} ticks, confirmed hashes that differ", hashes, 0),
        Figure("frames of one peer that had to wait for the other, of all", waited / (2 * ticks), 0.5),
    ]
