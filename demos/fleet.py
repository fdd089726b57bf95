"""Simulates 4096 controlled craft as one batch, takes one out and goes on with it alone, with the same bits.

    python -m demos fleet [--craft N] [--member N] [--seed N] [--headless --frames N --out FILE.png]

Each craft of the sphere has three reaction wheels and a control loop that turns its nose towards one direction, which goes round slowly.
They begin at random attitudes and tumble. The large craft outside the sphere is a copy of one of them, taken out two seconds after
the start as an ordinary world; a line leads to its original. Brighter engines mark craft that are still off their direction. The key T
takes the next one out.
"""

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from . import running
from .drawing import Array, Binding, Curves, Line, Model, Picture, Sample, Swarm, colours
from .physics import Batch, World, flight, integrators, rotation
from .scenes import masses
from .scenes.claims import check_after, claim
from .scenes.restarting import Restarting

CRAFT, MEMBER = 4096, 1700
RADIUS = 150.0  # of the sphere [m]
SCALE, SCALE_ALONE = 2.6, 26.0  # the craft are drawn larger than they are, to be seen from afar
BEFORE = 2.0  # [s] until one is taken out
TUMBLE = 0.25  # [rad/s], typical
SWEEP = math.radians(3.0)  # [rad/s], of the wanted direction
WHEEL = {"inertia": 0.05, "max_torque": 4.0, "max_speed": 900.0}  # [kg·m²], [N·m], [rad/s]
BANDWIDTH, EVERY = 0.5, 6  # [rad/s], [ticks]
SETTLED, SETTLED_AFTER = math.radians(2.0), 30.0  # [rad], [s]
KEPT_EVERY = 300
"""Ticks between two states of the fleet that are kept, from which it goes back when the window rewinds."""
CURVES = Curves(("off its direction [rad]", ".3f"), ("fleet settled", ".0%"), 40.0, (False, False))


@dataclass(frozen=True, kw_only=True)
class FleetOptions(running.SceneOptions):
    """The options of this demo."""

    craft: int
    member: int


class Crowd:
    """The craft of the fleet, as one batch that keeps step with a world."""

    def __init__(self, count: int, dt: float, seed: int, integrator: Any, game_mode: bool) -> None:
        template = World(dt, integrator=integrator, game_mode=game_mode)
        self._ship, self._wheels, self.loop = controlled_craft(template)
        self.batch = Batch(template, members=count, seed=seed)
        random, view = np.random.default_rng(seed), self.batch[self._ship]
        view.position = RADIUS * points_on_a_sphere(count)
        view.orientation = rotation.from_rotation_vector(random.uniform(-1.8, 1.8, (count, 3)))
        view.angular_velocity_body = random.normal(0.0, TUMBLE, (count, 3))
        self._kept = [self.batch.snapshot()]
        self._momentum = self.momentum()
        self.tick_seconds = 0.0

    def follow(self, tick: int) -> None:
        """Run, or go back and run again, to this tick."""
        now = int(self.batch.tick_count[0])
        if tick < now:
            del self._kept[tick // KEPT_EVERY + 1 :]
            self.batch.restore(self._kept[-1])
            now = KEPT_EVERY * (len(self._kept) - 1)
        while now < tick:
            step, began = min(tick, KEPT_EVERY * len(self._kept)) - now, time.perf_counter()
            self.batch.step(step)
            self.tick_seconds = (time.perf_counter() - began) / step
            now += step
            if now == KEPT_EVERY * len(self._kept):
                self._kept.append(self.batch.snapshot())

    def poses(self, alpha: float) -> tuple[Array, Array]:
        """Positions and orientations between the last two ticks."""
        view = self.batch[self._ship]
        before, after = view.previous_orientation, view.orientation
        near = np.where((before * after).sum(axis=1, keepdims=True) < 0.0, -before, before)
        between = near + alpha * (after - near)
        return view.position, between / np.linalg.norm(between, axis=1, keepdims=True)

    @property
    def errors(self) -> Array:
        """Angle between the attitude of each craft and the wanted one at the last sample of its loop [rad]."""
        return np.asarray(self.batch[self.loop].error_angle)

    def momentum(self) -> Array:
        """Angular momentum of each craft with its wheels [N·m·s], world frame, shape (n, 3)."""
        view = self.batch[self._ship]
        own = np.einsum("nij,nj->ni", view.inertia_body, view.angular_velocity_body) + view.stored_momentum_body
        return rotation.rotate(view.orientation, own)

    def change(self) -> float:
        """The largest change of a momentum since the start, over its length."""
        change = np.linalg.norm(self.momentum() - self._momentum, axis=1)
        return float((change / np.linalg.norm(self._momentum, axis=1)).max())


class Fleet(Restarting):
    """The scene: the sphere of craft, and the world of the one that was taken out."""

    target, radius = np.zeros(3), RADIUS
    keys: ClassVar[Sequence[Binding]] = (("t", "T", "take", "take the next craft out"),)

    def __init__(self, wanted: FleetOptions) -> None:
        self._wanted, self.member = wanted, wanted.member
        self._begin(wanted.integrator, wanted.game_mode)

    def picture(self) -> Picture:
        """The fleet, and the craft that goes on alone."""
        self.crowd.follow(self.world.tick_count)
        positions, orientations = self.crowd.poses(self.world.alpha)
        origin, orientation = self._body.interpolated_pose()
        outside = 1.45 * origin
        errors, count = self.crowd.errors, len(positions)
        per_craft = 1e9 * self.crowd.tick_seconds / count
        return Picture(
            [Model("dart", outside, SCALE_ALONE * rotation.to_matrix(orientation))],
            [Swarm("dart", positions, orientations, SCALE, np.clip(errors, 0.0, 1.0))],
            lines=[Line(np.array([origin, outside]), colours.GOAL, 1.5)],
            title=f"fleet · {count} controlled craft, and craft {self.member} in a world of its own",
            status=[
                f"{100.0 * np.mean(errors < SETTLED):.0f} % within 2° of their direction",
                f"the batch {per_craft:.0f} ns per craft and tick",
            ],
        )

    def sample(self) -> Sample:
        """The rates and the attitude error of the craft alone, and the share of the fleet that has settled."""
        self.crowd.follow(self.world.tick_count)
        settled = float(np.mean(self.crowd.errors < SETTLED))
        return Sample(self.world.time, self._body.angular_velocity_body, self._loop.error_angle, settled, CURVES)

    def check(self) -> list[str]:
        """Assert that the craft alone has the bits of its original, and the momentum and the attitudes of all craft."""
        crowd, world = self.crowd, self.world
        crowd.follow(world.tick_count)
        text = (
            f"craft {self.member} alone has the bits of its original among {len(crowd.batch)} after {world.time:.1f} s"
        )
        found = [claim(crowd.batch.state_hash(self.member) == world.state_hash(), text)]
        if not world.game_mode:
            # motors act with the order of the method, and a craft turns by less than 4 TUMBLE dt per tick
            change, order = crowd.change(), min(world.integrator.order, 4)
            allowed = 1e-9 + (4.0 * TUMBLE * world.dt) ** order * (1.0 + world.time * TUMBLE)
            text = f"angular momentum of craft and wheels off by {change:.1e} of it at most, allowed {allowed:.1e}"
            found.append(claim(change <= allowed, text))
        share = float(np.mean(crowd.errors < SETTLED))
        text = f"{100.0 * share:.1f} % of the fleet within 2° of its direction after {world.time:.1f} s"
        if world.time < SETTLED_AFTER:
            return [*found, f"{text}; the claim is about {SETTLED_AFTER:g} s or more"]
        return [*found, claim(share > 0.99, f"{text}, at least 99 %")]

    def take(self) -> str:
        """Take the next craft out, and go on with it."""
        self.member = (self.member + 1) % len(self.crowd.batch)
        old = self.world
        self._take_out()
        self.world.paused, self.world.time_scale = old.paused, old.time_scale
        return f"craft {self.member} goes on alone"

    def _begin(self, integrator: integrators.Integrator | str | None, game_mode: bool) -> None:
        wanted = self._wanted
        self.crowd = Crowd(wanted.craft, wanted.dt, wanted.seed, integrator, game_mode)
        self.crowd.follow(round(BEFORE / wanted.dt))
        self._take_out()

    def _take_out(self) -> None:
        self.world = self.crowd.batch.world(self.member)
        self._body, self._loop = self.world.body("craft"), self.world.parts[-1]


def controlled_craft(world: World) -> tuple[Any, list[Any], Any]:
    """A craft with three wheels and a control loop in a world; body, wheels and loop."""
    ship = world.add_body(masses.dart(), name="craft")
    wheels = [world.add_part(flight.ReactionWheel(ship, axis=axis, **WHEEL)) for axis in np.eye(3)]
    law = flight.control.QuaternionPD.tuned(ship.inertia_body, max_torque_body=WHEEL["max_torque"], bandwidth=BANDWIDTH)
    start = rotation.look_along((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    reference = flight.Spin((0.0, SWEEP, 0.0), start)
    loop = flight.Controlled(ship, law, reference, flight.WheelAllocator(wheels), every=EVERY)
    return ship, wheels, world.add_part(loop)


def points_on_a_sphere(count: int) -> Array:
    """Directions that are spread evenly, on a spiral of the golden angle, shape (count, 3)."""
    height = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    angle, across = math.pi * (3.0 - math.sqrt(5.0)) * np.arange(count), np.sqrt(1.0 - height**2)
    return np.stack([across * np.cos(angle), height, across * np.sin(angle)], axis=1)


def read_options(arguments: Sequence[str] | None = None) -> FleetOptions:
    """The command line of this demo."""
    reader = running.parser("fleet", __doc__.partition("\n")[0], FleetOptions)
    reader.add_argument("--craft", type=crowd, default=CRAFT, metavar="N", help=f"number of craft (default {CRAFT})")
    reader.add_argument("--member", type=int, default=MEMBER, metavar="N", help="number of the one that is taken out")
    reader.set_defaults(dt=1.0 / 60.0, integrator="rk4-body-rates")
    wanted = reader.parse(arguments)
    if not 0 <= wanted.member < wanted.craft:
        reader.error(f"--member must be from 0 to {wanted.craft - 1}, below the number of craft; got {wanted.member}")
    return wanted


def crowd(text: str) -> int:
    """A number of craft, from 2 to 100,000."""
    if not (text.strip().isdecimal() and 2 <= int(text) <= 100_000):
        raise argparse.ArgumentTypeError(f"must be a whole number from 2 to 100000; got {text.strip()!r}")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return running.main("fleet", Fleet, read_options(arguments))


def check(frames: int = 300, craft: int = 512, member: int = 170) -> list[str]:
    """Run the demo without drawing it, and check bits, momentum and attitudes."""
    return check_after(Fleet(read_options(["--craft", str(craft), "--member", str(member)])), frames)
