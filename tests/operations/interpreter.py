"""Operations on a world, each given by its name and two whole numbers."""

import copy
import pickle
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from engine import MassProperties, Snapshot, World, flight, forces, integrators, joints, shapes

from ..helpers import skew_tensor
from ..worlds import OTHER, PROPERTIES

COUNTS = (0, 1, 2, 3, 263, 264, 265, 1031, 1032, 1033, 8191, 8192, 8193, 12287, 12288, 12289)
"""Numbers of bodies around which the padded count, the pitch or the number of parts for threads changes."""
FEW = 4
METHODS = ("rk4", "semi-implicit-euler", "free-rotor-2", "axis-splitting-4", "predictor-corrector", "midpoint")
THIRD = MassProperties(1.9, skew_tensor((0.9, 1.1, 1.6)))
_KINDS = (PROPERTIES, OTHER, THIRD)
MOST_SHAPES = 30
_AXES = ((1, 0, 0), (0, -1, 0), (0, 0, 1))
"""Directions that are the same bits when they are normalized again."""


class Stop(Exception):
    """Raised on purpose."""


class Pull:
    """A force in Python that remembers nothing."""

    def __init__(self, strength: float) -> None:
        self.strength = strength

    def apply(self, wrench: Any, bodies: Any, time: float) -> None:
        wrench.force_world[:] += -self.strength * bodies.position


class Spoiler(Pull):
    """A force that is not finite."""

    def apply(self, wrench: Any, bodies: Any, time: float) -> None:
        wrench.force_world[:] += self.strength
        if bodies.count:
            wrench.add(bodies.count - 1, torque_body=(0.0, np.nan, 0.0))


class Driver:
    """A world that lives through a script.

    Attributes:
        world: The world.
        is_pushed: Whether a push is pending, which cannot be read off the world.
    """

    def __init__(self, most: int = COUNTS[-1], methods: tuple[str, ...] = METHODS, dt: Any = Fraction(1, 64)) -> None:
        self.most, self.methods = most, methods
        self.world = World(dt, integrator=methods[0])
        self.removed: list[Any] = []
        self.snapshots: list[Snapshot] = []
        self.is_pushed = False

    def do(self, name: str, a: int, b: int) -> str:
        """Apply one operation.

        Returns:
            "done", or how it was rejected.

        Raises:
            AssertionError: It was rejected and still changed something.
        """
        before, ticks = self.world.state_hash(), self.world.tick_count
        outcome = "done"
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                OPERATIONS[name](self, a, b)
            except Stop:
                outcome = "stopped"
            except ArithmeticError:
                outcome = "not finite"
            except (ValueError, TypeError, RuntimeError, AttributeError) as error:
                outcome = type(error).__name__
        if outcome != "done" and name != "collide":
            assert self.world.tick_count == ticks, f"{name} {a} {b}: {outcome}, and ticks were run"
            assert self.world.state_hash() == before, f"{name} {a} {b}: {outcome}, and the hash differs"
        if name in _TICKS and outcome == "done":
            self.is_pushed = False
        return outcome

    def seen(self) -> list[Any]:
        """What two drivers of one script must have in common."""
        world = self.world
        touching = world.contacts.normal_impulse.tolist()
        counts = len(world.bodies), len(world.forces), len(world.parts), len(world.shapes)
        return [world.state_hash(), world.tick_count, *counts, touching]

    def body(self, number: int) -> Any:
        bodies = self.world.bodies
        if not bodies:
            raise Stop
        return bodies[number % len(bodies)]

    def two(self, a: int, b: int) -> tuple[Any, Any]:
        bodies = self.world.bodies
        if len(bodies) < 2:
            raise Stop
        first = a % len(bodies)
        return bodies[first], bodies[(first + 1 + b % (len(bodies) - 1)) % len(bodies)]


def numbers(a: int, b: int, *shape: int) -> Any:
    """Numbers that follow from two others."""
    return np.random.default_rng((a, b)).normal(size=shape)


def _units(quaternions: Any) -> Any:
    return quaternions / np.sqrt((quaternions * quaternions).sum(axis=-1, keepdims=True))


def one_of(items: Any, number: int) -> Any:
    items = list(items)
    if not items:
        raise Stop
    return items[number % len(items)]


# bodies


def add_body(driver: Driver, a: int, b: int) -> None:
    if len(driver.world.bodies) >= driver.most:
        raise Stop
    _add(driver, 1, a, b)


def _add(driver: Driver, count: int, a: int, b: int) -> None:
    values = numbers(a, b, count, 13)
    driver.world.add_bodies(
        [_KINDS[(a + place) % 3] for place in range(count)],
        3.0 * values[:, :3],
        orientation=_units(values[:, 3:7]),
        velocity=values[:, 7:10],
        angular_velocity_body=values[:, 10:],
    )


def resize(driver: Driver, a: int, b: int) -> None:
    """Bring the number of bodies to a bound at which something changes."""
    wanted = one_of([count for count in COUNTS if count <= driver.most], a)
    bodies = driver.world.bodies
    if wanted > len(bodies):
        _add(driver, wanted - len(bodies), a, b)
    elif wanted < len(bodies):
        places = np.random.default_rng((a, b)).permutation(len(bodies))[: len(bodies) - wanted]
        _keep(driver, driver.world.remove_bodies([bodies[place] for place in places.tolist()]))


def remove_body(driver: Driver, a: int, b: int) -> None:
    _keep(driver, driver.world.remove_body(driver.body(a)))


def remove_some(driver: Driver, a: int, b: int) -> None:
    bodies = driver.world.bodies
    _keep(driver, driver.world.remove_bodies([body for place, body in enumerate(bodies) if a >> place % 16 & 1]))


def _keep(driver: Driver, members: list[Any]) -> None:
    driver.removed = [*driver.removed, *members][-8:]


# forces


def a_force(driver: Driver, a: int, b: int) -> Any:
    """A force of any kind, on all bodies or on some."""
    x, y, z, u, v, w = numbers(a, b, 6).tolist()
    world = driver.world
    some = None if b % 3 else [body for place, body in enumerate(world.bodies[:40]) if b >> place % 16 & 1] or None
    kinds: list[Callable[[], Any]] = [
        lambda: forces.UniformGravity((x, y, z), bodies=some),
        lambda: forces.LinearDrag(abs(x), bodies=some),
        lambda: forces.AngularDamping(abs(x), bodies=some),
        lambda: forces.QuadraticDrag(abs(x), bodies=some),
        lambda: forces.Spring(
            *_maybe_two(driver, a, b), at_body=(x, y, z), at_other=(u, v, w), stiffness=abs(x), damping=0.1
        ),
        lambda: forces.Thruster(driver.body(b), position=(x, y, z), direction=_AXES[b % 3], max_force=abs(x)),
        lambda: forces.ThrusterBank(
            driver.body(b), positions=[(x, y, z), (z, x, y)], directions=[_AXES[a % 3], _AXES[b % 3]], max_forces=2.0
        ),
        lambda: forces.ConstantForce(driver.body(b), force_world=(x, y, z)),
        lambda: forces.ConstantForce(driver.body(b), force_body=(x, y, z), at_body=(u, v, w)),
        lambda: forces.ConstantForce(driver.body(b), force_world=(x, y, z), at_body=(u, v, w)),
        lambda: forces.ConstantTorque(driver.body(b), torque_body=(x, y, z)),
        lambda: forces.ConstantTorque(driver.body(b), torque_world=(x, y, z)),
        lambda: forces.PointGravity(50.0, (20.0, y, z), bodies=some),
        lambda: forces.PointGravity(50.0, (20.0, y, z), j2=0.1, reference_radius=3.0, axis=_AXES[b % 3]),
        lambda: forces.GravityGradient(500.0, (20.0, y, z), bodies=some),
        lambda: forces.Lorentz(x, electric_field=(x, y, z), magnetic_field=(u, v, w), bodies=some),
        lambda: Pull(0.1 * abs(x)),
    ]
    return one_of(kinds, a)()


def _maybe_two(driver: Driver, a: int, b: int) -> tuple[Any, Any]:
    return driver.two(a, b) if b % 3 and len(driver.world.bodies) > 1 else (driver.body(b), None)


def add_force(driver: Driver, a: int, b: int) -> None:
    if len(driver.world.forces) > 24:
        raise Stop
    driver.world.add_force(a_force(driver, a, b))


def remove_force(driver: Driver, a: int, b: int) -> None:
    force = one_of(driver.world.forces, a)
    driver.world.remove_force(force)
    _keep(driver, [force])


def add_again(driver: Driver, a: int, b: int) -> None:
    """A force, part or joint that was removed, on its own or with a body, joins again."""
    member = one_of(driver.removed, a)
    world = driver.world
    if getattr(member, "_kind_of_member", "") == "shape":
        raise Stop  # a handle of a shape that was removed stays outside
    add = {"part": world.add_part, "joint": world.add_joint}.get(
        getattr(member, "_kind_of_member", ""), world.add_force
    )
    add(member)
    driver.removed = [other for other in driver.removed if other is not member]


def enable(driver: Driver, a: int, b: int) -> None:
    member = one_of([force for force in (*driver.world.forces, *driver.world.joints) if hasattr(force, "enabled")], a)
    member.enabled = b % 2 == 0


def throttle(driver: Driver, a: int, b: int) -> None:
    thrusters = driver.world.thrusters
    if a % 2:
        thrusters.throttle = (b % 9) / 8
        return
    force = one_of([force for force in driver.world.forces if hasattr(force, "throttle")], a)
    force.throttle = (b % 9) / 8


def parameters(driver: Driver, a: int, b: int) -> None:
    x, y, z = numbers(a, b, 3).tolist()
    force = one_of(driver.world.forces, a)
    for name, value in (
        ("coefficient", abs(x)),
        ("stiffness", abs(x)),
        ("rest_length", abs(y)),
        ("acceleration_world", (x, y, z)),
        ("center", (30.0, y, z)),
        ("charge", x),
        ("max_force", abs(x)),
    ):
        if hasattr(force, name):
            setattr(force, name, value)
    if b % 4 == 0:
        driver.world.springs.damping = abs(z)
        driver.world.fields(forces.LinearDrag).coefficient = abs(y)


# states


def set_state(driver: Driver, a: int, b: int) -> None:
    body, (x, y, z, u, v, w) = driver.body(a), numbers(a, b, 6).tolist()
    name = (
        "position",
        "velocity",
        "angular_velocity_body",
        "angular_velocity_world",
        "stored_momentum_body",
        "orientation",
    )[b % 6]
    setattr(body, name, _units(np.array((x, y, z, w))) if name == "orientation" else (x, y, z))
    if b % 5 == 0:
        body.velocity += (u, v, w)


def set_arrays(driver: Driver, a: int, b: int) -> None:
    state, count = driver.world.state, len(driver.world.bodies)
    name = ("position", "velocity", "angular_velocity_body", "orientation", "stored_momentum_body")[b % 5]
    setattr(state, name, _units(numbers(a, b, count, 4)) if name == "orientation" else numbers(a, b, count, 3))


def push(driver: Driver, a: int, b: int) -> None:
    body, (x, y, z, u, v, w) = driver.body(a), numbers(a, b, 6).tolist()
    driver.is_pushed = driver.is_pushed or b % 6 < 4
    (
        lambda: body.apply_force((x, y, z), at_world=(u, v, w)),
        lambda: body.apply_force_body((x, y, z), at_body=(u, v, w)),
        lambda: body.apply_torque((x, y, z)),
        lambda: body.apply_torque_body((x, y, z)),
        lambda: body.apply_impulse((x, y, z), at_world=(u, v, w)),
        lambda: body.apply_angular_impulse((x, y, z)),
    )[b % 6]()


def exchange_mass(driver: Driver, a: int, b: int) -> None:
    body = driver.body(a)
    if b % 2 and body.mass_properties is body.dry_mass_properties:
        body.mass_properties = _KINDS[b % 3]
    else:
        body.dry_mass_properties = _KINDS[b % 3]


# parts and joints


def add_part(driver: Driver, a: int, b: int) -> None:
    if len(driver.world.parts) > 12:
        raise Stop
    body, (x, y, z) = driver.body(a), numbers(a, b, 3).tolist()
    if b % 5 == 0:
        _add_sampled(driver, body, a, b)
        return
    if b % 3 == 0:
        tank = flight.Tank.ball(body, position=(0.1 * x, 0.1 * y, 0.1 * z), radius=0.2, propellant=abs(x))
        driver.world.add_part(tank)
        engine = forces.Thruster(
            body, position=(x, y, z), direction=(1, 0, 0), max_force=3.0, tank=tank, specific_impulse=100.0
        )
        driver.world.add_force(engine).throttle = 0.5
        return
    friction = 0.001 * (b % 2)
    wheel = flight.ReactionWheel(
        body,
        axis=_AXES[a % 3],
        inertia=0.01,
        max_torque=1.0,
        max_speed=300.0,
        speed=10.0 * x,
        viscous_friction=friction,
    )
    driver.world.add_part(wheel)


def _add_sampled(driver: Driver, body: Any, a: int, b: int) -> None:
    """Sensors, a filter of them, or a control loop."""
    world, seed, every = driver.world, len(driver.world.parts) + a, 1 + b % 2
    kinds: list[Callable[[], Any]] = [
        lambda: flight.Accelerometer(body, at_body=(0.1, 0.2, 0.3), seed=seed, every=every, delay=b % 3),
        lambda: flight.Magnetometer(body, field=(3e-5, 0.0, 1e-5), seed=seed, noise=1e-7),
        lambda: flight.SunSensor(body, (0, 0, 1), field_of_view=1.0, sun_direction_world=(0, 0, 1), seed=seed),
    ]
    if a % 5 < 3:
        world.add_part(kinds[a % 5]())
    elif a % 5 == 3:
        gyro = world.add_part(flight.Gyro(body, noise_density=1e-4, bias_walk=1e-6, seed=seed, every=every))
        sight = {"noise": (1e-4, 1e-3), "every": 2 * every, "delay": b % 2}
        tracker = world.add_part(flight.StarTracker(body, (0, 0, 1), seed=seed, **sight))
        world.add_part(flight.AttitudeFilter(gyro, [tracker]))
    else:
        motor = world.add_part(flight.BodyTorque(body, max_torque=1.0))
        law, reference = flight.control.QuaternionPD(1.0, 2.0), flight.Reference()
        world.add_part(flight.Controlled(body, law, reference, motor, every=every, delay=b % 2))


def remove_part(driver: Driver, a: int, b: int) -> None:
    part = one_of(driver.world.parts, a)
    driver.world.remove_part(part)
    _keep(driver, [part])


def command(driver: Driver, a: int, b: int) -> None:
    wheels = [part for part in driver.world.parts if isinstance(part, flight.ReactionWheel)]
    one_of(wheels, a).torque = (b % 11 - 5) / 4


def fire(driver: Driver, a: int, b: int) -> None:
    force = one_of([force for force in driver.world.forces if isinstance(force, forces.Thruster)], a)
    if b % 5 == 0:
        force.stuck = None if force.stuck is not None else (b % 3) / 2
    else:
        force.throttle = 0.0
        force.fire((b % 7 + 1) / 100, (b % 3) / 200)


def add_joint(driver: Driver, a: int, b: int) -> None:
    if len(driver.world.joints) > 6:
        raise Stop
    x, y, z, u, v, w = numbers(a, b, 6).tolist()
    body, other = _maybe_two(driver, a, b)
    at = {"at_body": (0.3 * x, 0.3 * y, 0.3 * z)}
    kinds: list[Callable[[], Any]] = [
        lambda: joints.Ball(body, other, **at),
        lambda: joints.Hinge(body, other, **at, axis_body=(u, v, w), friction=0.1 * abs(x)),
        lambda: joints.Slider(body, other, **at, axis_body=(u, v, w), limits=(-1.0, 1.0)),
        lambda: joints.Weld(body, other, **at),
        lambda: joints.Hinge(body, other, **at, axis_body=(u, v, w), motor=joints.Motor(target_rate=x, max_torque=1.0)),
    ]
    driver.world.add_joint(one_of(kinds, a)())


def remove_joint(driver: Driver, a: int, b: int) -> None:
    joint = one_of(driver.world.joints, a)
    driver.world.remove_joint(joint)
    _keep(driver, [joint])


# shapes


_UNTURNED = (0.0, 0.0, 0.0, 1.0)
_HULL = [(0.5, 0.1, 0), (-0.4, 0.3, 0.1), (-0.2, -0.5, 0), (0.1, 0, 0.6), (0, 0.2, -0.5)]
_GRID = np.random.default_rng(0).normal(0.0, 0.2, (5, 6)) - 1.0
_CORNERS, _FACES = [(-6.0, -6.0, -1.0), (6.0, -6.0, -1.0), (6.0, 6.0, -2.0), (-6.0, 6.0, -1.0)], [(0, 1, 2), (0, 2, 3)]
_OF_BODIES: list[Callable[[float], shapes.Shape]] = [
    lambda size: shapes.Sphere(size),
    lambda size: shapes.Box((size, 0.6, 0.4)),
    lambda size: shapes.Capsule(0.2, size),
    lambda size: shapes.Cylinder(size, 0.5),
    lambda size: shapes.ConvexHull(np.array(_HULL) * (1.0 + size)),
    lambda size: shapes.Compound(
        [(shapes.Sphere(0.3), (size, 0, 0), _UNTURNED), (shapes.Box((0.5, 0.5, 0.5)), (-size, 0, 0), _UNTURNED)]
    ),
]
_OF_WORLDS: list[Callable[[float], shapes.Shape]] = [
    *_OF_BODIES,
    lambda size: shapes.Plane((0.0, 0.0, 1.0), -size),
    lambda size: shapes.HeightField(_GRID, spacing=1.0 + size),
    lambda size: shapes.TriangleMesh(_CORNERS, _FACES),
]


def add_shape(driver: Driver, a: int, b: int) -> None:
    if len(driver.world.shapes) > MOST_SHAPES:
        raise Stop
    x, y, z, w, size = numbers(a, b, 5).tolist()
    given: dict[str, Any] = {
        "position": (0.2 * x, 0.2 * y, 0.2 * z),
        "orientation": _units(np.array((x, y, z, w))),
        "material": shapes.Material(friction=abs(x), restitution=min(abs(y), 1.0) * (b % 2)),
        "layer": b % 3 // 2,
        "sensor": a % 7 == 0,
        "allow_overlap": b % 5 > 0,
    }
    made = one_of(_OF_WORLDS if b % 3 == 0 else _OF_BODIES, a)(0.2 + abs(size))
    if b % 3:
        for place in range(min(4, len(driver.world.bodies))):
            driver.body(a + place).add_shape(made, **given)
        return
    if isinstance(made, shapes.Plane | shapes.HeightField | shapes.TriangleMesh):
        del given["orientation"]
    driver.world.add_shape(made, **given, velocity=(0.1 * x, 0.0, 0.0) if b % 4 == 0 else (0.0, 0.0, 0.0))


def change_shape(driver: Driver, a: int, b: int) -> None:
    shape = one_of(driver.world.shapes, a)
    (
        lambda: setattr(shape, "enabled", a % 2 == 0),
        lambda: setattr(shape, "material", shapes.Material(friction=(a % 5) / 4)),
        lambda: setattr(shape, "collides_with", (0, 1)[: 1 + a % 2]),
        lambda: setattr(shape, "sensor", a % 3 == 0),
        lambda: setattr(shape, "allow_overlap", True),
        lambda: setattr(shape, "velocity", numbers(a, b, 3)),
        lambda: setattr(driver.body(a), "collision_group", b % 4),
        lambda: driver.world.ignore_pair(*driver.two(a, b), ignored=a % 3 > 0),
        lambda: setattr(one_of(driver.world.joints, a), "collides", b % 2 == 0),
    )[b % 9]()


def remove_shape(driver: Driver, a: int, b: int) -> None:
    shape = one_of(driver.world.shapes, a)
    driver.world.remove_shape(shape)
    _keep(driver, [shape])


# the world


def set_method(driver: Driver, a: int, b: int) -> None:
    name = driver.methods[a % len(driver.methods)]
    method: Any = name if b % 5 else integrators.Substepped(integrators.by_name[name](), 2)
    driver.world.integrator = method


def set_game_mode(driver: Driver, a: int, b: int) -> None:
    driver.world.game_mode = a % 3 == 0


def remember(driver: Driver, a: int, b: int) -> None:
    memory = driver.world.memory
    name = f"number {a % 3}"
    if name not in memory:
        memory.add(name, 2)
    memory[name].value = numbers(a, b, 2)


def shift_origin(driver: Driver, a: int, b: int) -> None:
    driver.world.shift_origin(numbers(a, b, 3))


# ticks


def step(driver: Driver, a: int, b: int) -> None:
    driver.world.step(_ticks(driver, a))


def _ticks(driver: Driver, a: int) -> int:
    """Fewer ticks where plain Python takes long."""
    return 1 + a % (4 if len(driver.world.bodies) < 50 else 1)


def collide(driver: Driver, a: int, b: int) -> None:
    """Some bodies meet, which get shapes if they have none, slowly or fast."""
    world, places = driver.world, np.random.default_rng((a, b))
    if len(world.bodies) < 3:
        _add(driver, 3, a, b)
    for place in range(min(4, len(world.bodies))):
        body = driver.body(a + place)
        if not body.shapes and len(world.shapes) < MOST_SHAPES:
            body.add_shape(one_of(_OF_BODIES, a + place)(0.5))
        body.position = places.normal(0.0, 0.6, 3)
        body.velocity = places.normal(0.0, 0.5 if b % 3 else 50.0, 3)
    for shape in world.shapes:
        shape.allow_overlap = True
    step(driver, a, b)


def step_with_callback(driver: Driver, a: int, b: int) -> None:
    """A callback that changes the world in the middle of ticks."""
    name = one_of(CHANGES, a)

    def change(world: World) -> None:
        try:
            OPERATIONS[name](driver, a, b)
        except (Stop, ValueError, TypeError, RuntimeError, AttributeError):
            pass

    driver.world.on_tick(change, every=1 + b % 2)
    try:
        driver.world.step(_ticks(driver, a))
    finally:
        driver.world.remove_callback(change)


def step_that_fails(driver: Driver, a: int, b: int) -> None:
    """A callback that changes several things and then raises: the tick is undone."""
    kept = driver.removed, driver.is_pushed

    def fail(world: World) -> None:
        for place in range(3):
            try:
                OPERATIONS[one_of(CHANGES, a + 7 * place)](driver, a + place, b)
            except (Stop, ValueError, TypeError, RuntimeError, AttributeError):
                pass
        raise Stop

    driver.world.on_tick(fail)
    try:
        driver.world.step()
    finally:
        driver.world.remove_callback(fail)
        driver.removed, driver.is_pushed = kept


def step_not_finite(driver: Driver, a: int, b: int) -> None:
    """A force that is not finite is undone with its tick."""
    spoiler = driver.world.add_force(Spoiler(1.0 + a))
    try:
        if driver.world.bodies:
            driver.world.step()
    finally:
        driver.world.remove_force(spoiler)


def advance(driver: Driver, a: int, b: int) -> None:
    driver.world.advance((a % 40) / 1000 if len(driver.world.bodies) < 50 else 1 / 64)


# copies


def snapshot(driver: Driver, a: int, b: int) -> None:
    taken = driver.world.snapshot()
    if a % 3 == 0 and not any(isinstance(force, Pull) for force in driver.world.forces):
        taken = Snapshot.from_bytes(taken.to_bytes())
    driver.snapshots = [*driver.snapshots, taken][-3:]


def restore(driver: Driver, a: int, b: int) -> None:
    driver.world.restore(one_of(driver.snapshots, a), missing="drop")
    driver.is_pushed = True  # perhaps


def fork(driver: Driver, a: int, b: int) -> None:
    makers: list[Callable[[World], World]] = [
        World.fork,
        copy.deepcopy,
        lambda world: pickle.loads(pickle.dumps(world)),
    ]
    driver.world = one_of(makers, a)(driver.world)
    driver.removed, driver.snapshots = [], []


def predict(driver: Driver, a: int, b: int) -> None:
    driver.world.predict(3 / 64 if len(driver.world.bodies) < 50 else 1 / 64)


def rejected(driver: Driver, a: int, b: int) -> None:
    """What no world accepts."""
    world = driver.world
    one_of(
        [
            lambda: world.add_body(OTHER, position=(np.nan, 0.0, 0.0)),
            lambda: world.add_bodies(OTHER, np.full((3, 3), np.inf)),
            lambda: world.step(-1),
            lambda: setattr(world, "integrator", "none"),
            lambda: setattr(driver.body(b), "orientation", (0.0, 0.0, 0.0, 0.0)),
            lambda: world.remove_bodies([driver.body(b), driver.body(b)]),
            lambda: world.add_force(one_of(world.forces, b)),
            lambda: driver.body(b).apply_impulse((1e308, 1e308, 1e308), at_world=(1e308, 0.0, 0.0)),
        ],
        a,
    )()


CHANGES = {
    function.__name__: function
    for function in (
        *(
            add_body,
            remove_body,
            remove_some,
            add_force,
            remove_force,
            add_again,
            enable,
            throttle,
            parameters,
            set_state,
        ),
        *(set_arrays, push, exchange_mass, add_part, remove_part, command, fire, add_joint, remove_joint, set_method),
        *(set_game_mode, remember, rejected, add_shape, change_shape, remove_shape),
    )
}
"""What may be done between ticks and in callbacks."""
TICKS = {
    function.__name__: function
    for function in (step, collide, step_with_callback, step_that_fails, step_not_finite, advance)
}
_TICKS = ("step", "collide", "step_with_callback")
OPERATIONS: dict[str, Callable[[Driver, int, int], None]] = {
    **CHANGES,
    **TICKS,
    **{function.__name__: function for function in (resize, shift_origin, snapshot, restore, fork, predict)},
}
