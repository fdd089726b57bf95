"""Boxes that touch, in this engine at 1/60 s and, where they are installed, in MuJoCo and pybullet at 4 × 1/240 s, taking turns.

    python -m tests.benchmarks contacts
    python -m tests.benchmarks.contacts SCENES

"heap30" and "tumble" are run from several seeds, because a heap is chaotic: rounding decides how often its boxes tumble, and one seed
says little. Their ratios are medians over the seeds, of the medians of each; times are means of these, and of all other figures the worst
counts.
"field" and "mesh" are a hundred bodies of five shapes on hills, "heap1000" a thousand boxes, in this engine alone.

Prints, per scene, the median processor time per 1/60 s of each engine, their ratios to this one, and what this engine left: overlap, drift,
speed. The first tick, which makes the plan of the world, is no part of the mean and the worst. A figure that misses its limit is marked,
and the exit code is then 1. Times have no limits, their ratios have.
"""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import fmean, median
from time import thread_time
from typing import Any

import numpy as np

from engine import MassProperties, World, forces, shapes
from engine.joints import JointSpring, Slider, Weld

try:
    import mujoco
except ImportError:
    mujoco = None
try:
    import pybullet
except ImportError:
    pybullet = None

G = 9.81
FRICTION = 0.5
Step = Callable[[], object]
"""Runs an engine over 1/60 s."""

WALLS = ((1.0, 0.0, -0.6), (-1.0, 0.0, -1.6), (0.0, 1.0, -0.6), (0.0, -1.0, -2.5))
"""The walls of a bin: the normal along x and y, and the offset along it [m]."""


@dataclass(frozen=True)
class Cube:
    """A cube of a scene, in all engines."""

    position: tuple[float, float, float]
    """Of its centre [m]."""
    edge: float = 1.0
    mass: float = 1.0
    turn: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rates: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Scene:
    """What is run, for how long, and which figures it must reach."""

    make: Callable[[], World]
    """Makes the world of this engine."""
    seconds: float
    limits: dict[str, float]
    """The most of each figure."""
    cubes: Callable[[], list[Cube]] | None = None
    """The same for the other engines; None if they do not run it."""
    has_walls: bool = False
    seeds: tuple["Scene", ...] = ()
    """The same scene from other seeds, which counts as much."""


@dataclass
class Found:
    """What is noted while a world runs."""

    energy: float
    momentum: np.ndarray[Any, Any]
    spin: np.ndarray[Any, Any]
    size: float
    """Of the momenta of all bodies."""
    figures: dict[str, float] = field(default_factory=dict)

    def most(self, name: str, value: float) -> None:
        self.figures[name] = max(self.figures.get(name, 0.0), value)


def ours(cubes: list[Cube], has_walls: bool = False, has_ground: bool = True) -> World:
    """Cubes in this engine."""
    world = World(1 / 60, compilation="wait")
    material = shapes.Material(friction=FRICTION)
    if has_ground:
        world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), material=material)
        world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    for x, y, offset in WALLS if has_walls else ():
        world.add_shape(shapes.Plane((x, y, 0.0), offset), material=material)
    for cube in cubes:
        edges = (cube.edge, cube.edge, cube.edge)
        body = world.add_body(
            MassProperties.box(cube.mass, edges),
            position=cube.position,
            orientation=cube.turn,
            velocity=cube.velocity,
            angular_velocity_body=cube.rates,
        )
        body.add_shape(shapes.Box(edges), material=material)
    return world


def in_mujoco(cubes: list[Cube], has_walls: bool, _clean_up: ExitStack) -> Step | None:
    """The cubes on the ground in MuJoCo, with elliptic cones."""
    if mujoco is None:
        return None
    bodies = "".join(
        f'<body pos="{" ".join(map(repr, cube.position))}" quat="{" ".join(repr(cube.turn[n]) for n in (3, 0, 1, 2))}">'
        f'<freejoint/><geom type="box" size="{3 * f"{cube.edge / 2} "}" mass="{cube.mass}" friction="{FRICTION} 0 0"/></body>'
        for cube in cubes
    )
    walls = "".join(
        f'<geom type="plane" pos="{x * offset} {y * offset} 0" zaxis="{x} {y} 0" size="50 50 1" friction="{FRICTION} 0 0"/>'
        for x, y, offset in (WALLS if has_walls else ())
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{1 / 240}" gravity="0 0 {-G}" cone="elliptic"/><size memory="400M"/><worldbody>'
        f'<geom type="plane" size="50 50 1" friction="{FRICTION} 0 0"/>{walls}{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)

    def run() -> None:
        mujoco.mj_step(model, data, 4)

    return run


def in_pybullet(cubes: list[Cube], has_walls: bool, clean_up: ExitStack) -> Step | None:
    """The cubes on the ground in pybullet; its coefficient of friction is the product of both."""
    if pybullet is None:
        return None
    client = pybullet.connect(pybullet.DIRECT)
    clean_up.callback(pybullet.disconnect, client)
    pybullet.setTimeStep(1 / 240, physicsClientId=client)
    pybullet.setGravity(0.0, 0.0, -G, physicsClientId=client)
    own = {"lateralFriction": FRICTION**0.5, "linearDamping": 0.0, "angularDamping": 0.0, "physicsClientId": client}
    for x, y, z, offset in ((0.0, 0.0, 1.0, 0.0), *((x, y, 0.0, at) for x, y, at in (WALLS if has_walls else ()))):
        plane = pybullet.createCollisionShape(pybullet.GEOM_PLANE, planeNormal=(x, y, z), physicsClientId=client)
        place = (x * offset, y * offset, z * offset)
        pybullet.changeDynamics(pybullet.createMultiBody(0.0, plane, -1, place, physicsClientId=client), -1, **own)
    for cube in cubes:
        half = 3 * (0.5 * cube.edge,)
        shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=half, physicsClientId=client)
        body = pybullet.createMultiBody(cube.mass, shape, -1, cube.position, cube.turn, physicsClientId=client)
        pybullet.changeDynamics(body, -1, **own)

    def run() -> None:
        for _step in range(4):
            pybullet.stepSimulation(client)

    return run


PEERS = {"MuJoCo": in_mujoco, "pybullet": in_pybullet}


def stack(count: int, heaviest: float = 1.0) -> list[Cube]:
    """Cubes of 1 m above one another."""
    return [Cube((0.0, 0.0, n + 0.5), mass=heaviest if n == count - 1 else 1.0) for n in range(count)]


def pyramid(rows: int) -> list[Cube]:
    """Rows of cubes of 1 m."""
    return [Cube((1.05 * (i + r / 2), 0.0, r + 0.5)) for r in range(rows) for i in range(rows - r)]


def heap(count: int, seed: int = 1) -> list[Cube]:
    """Cubes of 0.5 m that fall on the ground or into a bin, in random orientations."""
    random = np.random.default_rng(seed)
    cubes = []
    for number in range(count):
        layer, place = divmod(number, 6)
        x, y = divmod(place, 3)
        position = (0.95 * x + 0.02 * random.normal(), 0.95 * y + 0.02 * random.normal(), 0.6 + 0.95 * layer)
        turn = random.normal(size=4)
        cubes.append(Cube(position, 0.5, turn=tuple((turn / np.linalg.norm(turn)).tolist())))
    return cubes


def dumped(edge: int = 10, seed: int = 2) -> list[Cube]:
    """Cubes of 0.5 m in a grid, in random orientations, which fall on the ground and spread."""
    random = np.random.default_rng(seed)
    turns = random.normal(size=(edge**3, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    places = 0.95 * np.indices((edge, edge, edge)).reshape(3, -1).T + 0.02 * random.normal(size=(edge**3, 3)) + 0.6
    return [
        Cube(tuple(place), 0.5, turn=tuple(turn)) for place, turn in zip(places.tolist(), turns.tolist(), strict=True)
    ]


def on_hills(is_mesh: bool, count: int = 100, seed: int = 5) -> World:
    """Bodies of five shapes that fall on hills of 131,072 triangles as a field, or of 100,352 as a mesh, and roll down."""
    random, edge = np.random.default_rng(seed), 225 if is_mesh else 257
    x = np.linspace(-3.0 * np.pi, 3.0 * np.pi, edge)
    rough = 0.03 * random.normal(size=(edge, edge))
    ground: Any = shapes.HeightField(np.cos(x)[:, np.newaxis] * np.cos(x) + rough, 64.0 / (edge - 1))
    world = World(1 / 60, compilation="wait")
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    material = shapes.Material(friction=FRICTION)
    world.add_shape(shapes.TriangleMesh(ground.vertices, ground.faces) if is_mesh else ground, material=material)
    for side in (1.0, -1.0):
        world.add_shape(shapes.Plane((side, 0.0, 0.0), -31.0), material=material)
        world.add_shape(shapes.Plane((0.0, side, 0.0), -31.0), material=material)
    kinds = (
        shapes.Sphere(0.25),
        shapes.Box((0.5, 0.4, 0.3)),
        shapes.Capsule(0.15, 0.4),
        shapes.Cylinder(0.2, 0.4),
        shapes.ConvexHull(0.25 * random.normal(size=(20, 3))),
    )
    mass = MassProperties.box(2.0, (0.5, 0.4, 0.3))
    for number in range(count):
        place = (5.0 * (number % 10) - 22.5, 5.0 * (number // 10) - 22.5, 2.0)
        turn = random.normal(size=4)
        body = world.add_body(mass, position=place, orientation=turn / np.linalg.norm(turn))
        body.add_shape(kinds[number % len(kinds)], material=material)
    return world


def flung_together(seed: int) -> list[Cube]:
    """27 cubes that tumble towards each other, without gravity."""
    random = np.random.default_rng(seed)
    cubes = []
    for number in range(27):
        place = 1.6 * (np.array([number % 3, number // 3 % 3, number // 9]) - 1) + 0.05 * random.normal(size=3)
        turn = random.normal(size=4)
        velocity, rates = -1.5 * place + random.normal(size=3), 2.0 * random.normal(size=3)
        turned = tuple((turn / np.linalg.norm(turn)).tolist())
        cubes.append(Cube(tuple(place.tolist()), 1.0, 1.0, turned, tuple(velocity.tolist()), tuple(rates.tolist())))
    return cubes


def lander(is_sprung: bool) -> World:
    """A hull of 1000 kg on four feet of 1 kg, by sprung sliders or welds, which comes down tilted at 2 m/s."""
    world = World(1 / 60, compilation="wait")
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    material = shapes.Material(friction=FRICTION)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), material=material)
    angle = 0.1
    turn = (np.sin(angle / 2) * 0.6, np.sin(angle / 2) * 0.8, 0.0, np.cos(angle / 2))
    moves = {"orientation": turn, "velocity": (0.3, 0.0, -2.0)}
    hull = world.add_body(MassProperties.box(1000.0, (2.0, 2.0, 1.5)), position=(0.0, 0.0, 2.3), name="hull", **moves)
    for x, y in ((1.2, 1.2), (-1.2, 1.2), (-1.2, -1.2), (1.2, -1.2)):
        place = (x, y, -1.6)
        foot = world.add_body(MassProperties.cylinder(1.0, 0.2, 0.1), position=hull.to_world(place), **moves)
        foot.add_shape(shapes.Box((0.3, 0.3, 0.1)), material=material)
        if is_sprung:
            spring = JointSpring(stiffness=4e4, damping=5e3)
            slider = Slider(hull, foot, at_body=place, axis_body=(0, 0, 1), spring=spring, limits=(-0.6, 0.6))
            world.add_joint(slider)
        else:
            world.add_joint(Weld(hull, foot, at_body=place))
    return world


def note(world: World, found: Found) -> None:
    """Note what a tick has left."""
    if len(world.contacts):
        found.most("overlap [m]", -float(world.contacts.gap.min()))
    for joint in world.joints:
        found.most("joint [m]", off(joint))
    momentum, spin, energy = world.linear_momentum(), world.angular_momentum(), world.kinetic_energy()
    if not world.forces:
        size = found.size
        found.most("momentum", float(np.abs(momentum - found.momentum).max() / size))
        found.most("angular momentum", float(np.abs(spin - found.spin).max() / size))
        found.most("energy gained", (energy - found.energy) / energy)
    found.momentum, found.spin, found.energy = momentum, spin, energy


def off(joint: Any) -> float:
    """How far a joint is from where it holds [m]."""
    there = joint.other.to_world(joint.at_other)
    span = joint.body.to_body(there) - joint.at_body
    if isinstance(joint, Slider):
        span -= np.dot(span, joint.axis_body) * joint.axis_body
    return float(np.linalg.norm(span))


def measure(name: str, scene: Scene) -> bool:
    """Run a scene in all engines, from each of its seeds, print what was found, and return whether all limits are kept."""
    runs = [run(each) for each in (scene, *scene.seeds)]
    figures = {
        each: (median if each.startswith("×") else max)(found.figures[each] for found, _times, _solver in runs)
        for each in runs[0][0].figures
    }
    first = runs[0][1]
    times = {engine: fmean(median(each[engine]) for _found, each, _solver in runs) for engine in first}
    own = [time for _found, each, _solver in runs for time in each[""][1:]]
    begin = max(each[""][0] for _found, each, _solver in runs)
    peers = "".join(f", {engine} {times[engine] * 1e6:.0f}" for engine in times if engine)
    print(
        f"{name} ({runs[0][2]}): {times[''] * 1e6:.0f} µs per tick, mean {fmean(own) * 1e6:.0f}, worst {max(own) * 1e6:.0f} "
        f"(the first {begin * 1e6:.0f}){peers}"
    )
    return report(figures, scene.limits)


def run(scene: Scene) -> tuple[Found, dict[str, list[float]], str]:
    """Run a scene in all engines, taking turns; what was found, the times of each engine [s], this one's under "", and the solver."""
    world = scene.make()
    start = np.array(world.state.position)
    size = sum(body.mass * float(np.linalg.norm(body.velocity)) for body in world.bodies)
    found = Found(world.kinetic_energy(), world.linear_momentum(), world.angular_momentum(), size)
    times: dict[str, list[float]] = {"": []}
    with ExitStack() as clean_up:
        made = {
            peer: make(scene.cubes(), scene.has_walls, clean_up)
            for peer, make in (PEERS.items() if scene.cubes is not None else ())
        }
        steps = {"": world.step} | {peer: step for peer, step in made.items() if step is not None}
        world.fork().step(60)  # loads what is compiled, with the kernels of the first contacts
        for _tick in range(round(60 * scene.seconds)):
            for engine, step in steps.items():
                times.setdefault(engine, []).append(timed(step))
            note(world, found)
    moved, figures = np.array(world.state.position) - start, found.figures
    figures["drift [m]"] = float(np.abs(moved[:, :2]).max())
    figures["sink [m]"] = float(-moved[:, 2].min())
    figures["speed [m/s]"] = float(np.abs(world.state.velocity).max())
    for peer in times:
        if peer:
            figures[f"× {peer}"] = median(times[""]) / median(times[peer])
    return found, times, world.contacts.solver_of(world.bodies[-1])


def timed(step: Step) -> float:
    """The processor time of a call [s], which does not depend on what else runs."""
    begin = thread_time()
    step()
    return thread_time() - begin


def report(figures: dict[str, float], limits: dict[str, float]) -> bool:
    """Print the figures of a scene, and return whether all limits are kept."""
    kept = True
    for name, value in figures.items():
        limit = limits.get(name, np.inf)
        kept = kept and value <= limit
        bound = "" if limit == np.inf else f", at most {limit:g}" + ("" if value <= limit else "   MISSED")
        print(f"    {name}: {value:.3g}{bound}")
    return kept


def cubes_of(
    make: Callable[[], list[Cube]],
    seconds: float,
    limits: dict[str, float],
    has_walls: bool = False,
    seeds: tuple[Scene, ...] = (),
) -> Scene:
    """A scene of cubes on the ground, which the other engines run as well."""
    return Scene(lambda: ours(make(), has_walls), seconds, limits, make, has_walls, seeds)


def heap_of_seed(seed: int) -> Scene:
    return cubes_of(lambda: heap(30, seed), 6.0, {})


def tumble_of_seed(seed: int) -> Scene:
    return Scene(lambda: ours(flung_together(seed), has_ground=False), 6.0, {})


STILL = {"drift [m]": 1e-9, "sink [m]": 1e-6, "speed [m/s]": 1e-7}
LANDED = {"joint [m]": 1e-11, "overlap [m]": 2e-4, "speed [m/s]": 1e-7}
SCENES = {
    "tumble": Scene(
        lambda: ours(flung_together(1), has_ground=False),
        6.0,
        {"momentum": 1e-14, "angular momentum": 1e-14, "energy gained": 1e-12},
        seeds=tuple(tumble_of_seed(seed) for seed in range(2, 13)),
    ),
    "ten": cubes_of(lambda: stack(10), 60.0, {**STILL, "× MuJoCo": 1.2}),
    "heavy": cubes_of(lambda: stack(10, 1000.0), 60.0, {"sink [m]": 1e-6}),
    "sprung": Scene(lambda: lander(True), 20.0, LANDED),
    "welded": Scene(lambda: lander(False), 20.0, LANDED),
    "pyramid": cubes_of(lambda: pyramid(10), 10.0, {"overlap [m]": 1e-3, "× MuJoCo": 0.6}),
    "heap30": cubes_of(
        *(lambda: heap(30), 6.0, {"overlap [m]": 0.03, "× MuJoCo": 1.4}),
        seeds=tuple(heap_of_seed(seed) for seed in range(2, 13)),
    ),
    "heap1000": Scene(lambda: ours(dumped()), 4.0, {}),
    "field": Scene(lambda: on_hills(is_mesh=False), 10.0, {}),
    "mesh": Scene(lambda: on_hills(is_mesh=True), 10.0, {}),
    "bin30": cubes_of(lambda: heap(30), 6.0, {}, True),
    "bin100": cubes_of(lambda: heap(100), 6.0, {"overlap [m]": 0.08, "× MuJoCo": 0.6}, True),
}


def main(chosen: list[str] | None = None) -> bool:
    """Measure the scenes with these names, or all; whether each keeps its limits."""
    return all([measure(name, scene) for name, scene in SCENES.items() if not chosen or name in chosen])


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
