"""The operations that `tests.interrupting` interrupts, and the worlds in which they are done."""

import tempfile
import warnings
from pathlib import Path

import numpy as np

from engine import MassProperties, Recorder, Rewind, Rollback, World, flight, forces, joints
from engine.integrators import Extrapolated, RungeKutta4, Substepped

from .driven_world import driven_world
from .full_world import Gusts, Stop, Wind, full_world
from .helpers import SKEW_ORIENTATION
from .interrupting import Operation
from .worlds import METHODS, OTHER, PROPERTIES

BALL = MassProperties.sphere(1.0, 0.5)


# worlds


def uncalled(method="rk4"):
    """Held forces and fields, and no function."""
    return full_world(method, called=False)


def with_history():
    return full_world(Extrapolated(RungeKutta4()), called=False)


def driven(method="rk4", called=False, ticks=3):
    """Wheels, a tank, a pulse, a gimbal that turns, and a sensor."""
    return driven_world(method, [_add_wheel_and_gyro, *([_add_gusts] if called else [])], ticks)


def _add_wheel_and_gyro(world, ship):
    world.add_part(flight.ReactionWheel(ship, axis=(0, 1, 3), inertia=0.02, max_torque=2.0, max_speed=600.0))
    world.add_part(flight.Gyro(ship, every=2, noise_density=0.001, seed=7))


def _add_gusts(world, ship):
    world.add_force(Gusts())


def jointed(method="free-rotor-2", called=False):
    """A door with limits on a hinge, a pendulum on it, and a free body."""
    world = World(1 / 32, integrator=method)
    door = world.add_body(OTHER, name="door", position=(0.5, 0.0, 0.0))
    bob = world.add_body(PROPERTIES, name="bob", position=(1.5, 0.3, -1.0), angular_velocity_body=(0.1, 0.2, 0.3))
    world.add_body(OTHER, name="free", position=(9.0, 0.0, 0.0), velocity=(0.1, 0.0, 0.2))
    world.add_force(forces.UniformGravity((0.3, -1.0, -9.0)))
    hinge = joints.Hinge(door, at_body=(-0.5, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0), limits=(-0.5, 0.5), break_force=1e6)
    world.add_joint(hinge)
    world.add_joint(joints.Ball(door, bob, at_body=(0.5, 0.1, 0.0)))
    if called:
        world.add_force(Gusts())
    with warnings.catch_warnings(action="ignore"):
        world.step(3)
    return world


def controlled():
    """A ship whose wheels a loop commands, with a star tracker and a sun sensor; a plate in the light; an armed latch."""
    world = driven()
    ship, tug = world.body("ship"), world.body("tug")
    axes = {"inertia": 0.02, "max_torque": 2.0, "max_speed": 600.0}
    wheels = [world.add_part(flight.ReactionWheel(ship, axis=axis, **axes)) for axis in np.eye(3)]
    exclusion = [flight.Exclusion.far((1, 2, 3), 0.2)]
    world.add_part(flight.StarTracker(ship, (0, 0, 1), exclusion=exclusion, seed=2))
    law, actuators = flight.control.RateDamping(2.0), flight.WheelAllocator(wheels)
    world.add_part(flight.Controlled(ship, law, flight.Reference(), actuators, every=2))
    field = forces.MagneticDipole(7.8e15, (0, 0, -1), (-7e6, 0, 0))
    world.add_part(flight.Magnetorquer(tug, axis=(0, 0, 1), max_dipole=1.0, field=field))
    light = {"area": 2.0, "specular": 0.3, "diffuse": 0.2, "sun_direction_world": (0, 0, 1)}
    world.add_force(forces.RadiationPressure(tug, normal_body=(0, 0, 1), at_body=(1, 0, 0), **light))
    world.step(3)
    return world


def crowded(threads=2):
    """Enough bodies for two threads, whose least share the test has lowered."""
    world = World(1 / 32, threads=threads)
    world.add_bodies(OTHER, np.arange(72.0).reshape(24, 3), angular_velocity_body=(0.3, 2.0, -0.4))
    world.add_force(forces.UniformGravity((0.1, -9.8, 0.2)))
    world.step(3)
    return world


def many_bodies():
    world = World(1 / 32)
    world.add_bodies(OTHER, np.arange(60.0).reshape(20, 3))
    world.add_force(forces.LinearDrag(0.1))
    world.step()
    return world


def orbiting():
    world = World(1.0)
    world.add_body(BALL, name="ship", position=(7e6, 0, 0), velocity=(0, 7.5e3, 0), angular_velocity_body=(0.1, 0.2, 0))
    world.add_force(forces.PointGravity(3.986e14))
    world.step(2)
    return world


def quiet():
    """A world whose ticks are single compiled calls."""
    world = uncalled()
    world.step(3)
    return world


def failing(make=full_world):
    """A world with a callback that changes much and raises."""

    def build():
        world = make()

        def fail(world):
            ship = world.bodies[0]
            ship.velocity = (5.0, 1.0, 2.0)
            ship.apply_force((1.0, 0.0, 0.5))
            ship.apply_impulse((1.0, 0.0, 0.5), at_world=(0.0, 1.0, 0.0))
            world.remove_body(world.bodies[1])
            world.add_body(OTHER, name="new")
            world.add_force(forces.LinearDrag(0.3))
            world.time_scale = 2.0
            raise Stop

        fail.raises = True
        world.on_tick(fail)
        return world

    return build


def failing_force():
    world = full_world()

    def fail(wrench, bodies, time):
        raise Stop

    fail.raises = True
    world.add_force(fail)
    return world


def not_finite():
    world = uncalled()
    world.body("ship").velocity = (1e308, 0.0, 0.0)
    world.body("ship").apply_force((1e308, 0.0, 0.0))
    world.body("tug").velocity = (0.1, 0.0, 0.0)
    return world


# operations


def watching(world):
    """A callback that only looks."""


def step(ticks=3):
    return lambda world: world.step(ticks)


def first(kind):
    """The first force, part or joint of a class."""

    def find(world):
        return next(member for member in world._forces.members if type(member).__name__ == kind)

    return find


def setting(**values):
    """Assign attributes of the ship."""

    def act(world):
        for name, value in values.items():
            setattr(world.body("ship"), name, value)

    return act


NEW_FORCES = {
    "UniformGravity": lambda world: forces.UniformGravity((0.0, 0.1, 0.0)),
    "UniformGravity on bodies": lambda world: forces.UniformGravity((0.0, 0.1, 0.0), bodies=world.bodies[:2]),
    "ConstantForce": lambda world: forces.ConstantForce(world.body("tug"), force_body=(0.3, 0, 0), at_body=(1, 2, 3)),
    "ConstantForce at a point": lambda world: forces.ConstantForce(
        world.body("tug"), force_world=(0.3, 0, 0), at_body=(1, 2, 3)
    ),
    "ConstantTorque": lambda world: forces.ConstantTorque(world.body("tug"), torque_body=(0.1, 0.2, 0.3)),
    "LinearDrag": lambda world: forces.LinearDrag([0.1, 0.2], bodies=world.bodies[:2]),
    "QuadraticDrag": lambda world: forces.QuadraticDrag(0.1),
    "AngularDamping": lambda world: forces.AngularDamping(0.1),
    "PointGravity": lambda world: forces.PointGravity(10.0, (50, 60, 70)),
    "GravityGradient": lambda world: forces.GravityGradient(10.0, (50, 60, 70)),
    "Lorentz": lambda world: forces.Lorentz(0.1, magnetic_field=(0, 0, 1)),
    "Spring": lambda world: forces.Spring(world.body("tug"), None, stiffness=1.0),
    "Thruster": lambda world: forces.Thruster(
        world.body("tug"), position=(0, 1, 0), direction=(0, 0, 1), max_force=1.0
    ),
    "ThrusterBank": lambda world: forces.ThrusterBank(
        world.body("tug"), positions=np.eye(3), directions=np.eye(3), max_forces=1.0
    ),
    "compiled": lambda world: Wind(strength=0.1, gust=0.2),
    "called": lambda world: Gusts(),
    "called once per tick": lambda world: Gusts("tick"),
}

NEW_PARTS = {
    "ReactionWheel": lambda world: flight.ReactionWheel(
        world.body("tug"), axis=(0, 0, 1), inertia=0.01, max_torque=1.0, max_speed=100.0, speed=5.0
    ),
    "Tank": lambda world: flight.Tank.ball(world.body("tug"), position=(0, 0, 1), radius=0.1, propellant=0.5),
    "Gyro": lambda world: flight.Gyro(world.body("tug"), every=2, seed=3),
    "Magnetorquer": lambda world: flight.Magnetorquer(
        world.body("tug"), axis=(0, 0, 1), max_dipole=1.0, field=forces.MagneticDipole(7.8e15, (0, 0, -1), (-7e6, 0, 0))
    ),
}

NEW_JOINTS = {
    "Hinge": lambda world: joints.Hinge(world.body("free"), at_body=(0, 0, 0), axis_body=(0, 0, 1)),
    "Weld": lambda world: joints.Weld(world.body("free"), at_body=(0, 0, 0)),
    "Slider": lambda world: joints.Slider(world.body("free"), at_body=(0, 0, 0), axis_body=(0, 0, 1)),
    "Distance": lambda world: joints.Distance(
        world.body("bob"), world.body("free"), at_body=(0, 0, 0), at_other=(0, 0, 0)
    ),
}


def recorded():
    """A world with a recorder, whose samples must be those of the ticks."""
    world = uncalled()
    Recorder(world, wrenches=world.forces[:1])
    return world


def saving(world):
    with tempfile.TemporaryDirectory() as folder:
        world.save(Path(folder) / "game.json")


def restoring(make):
    """A world that has gone on since a snapshot, which its `act` restores."""
    kept = {}

    def build():
        world = make()
        snapshot = world.snapshot()
        world.remove_body(world.body("tug"))
        world.add_body(OTHER, name="late")
        world.add_force(forces.LinearDrag(0.2))
        world.step(2)
        kept.clear()
        kept[id(world)] = snapshot
        return world

    return Operation(build, lambda world: world.restore(kept[id(world)]))


def rewinding(forward):
    kept = {}

    def build():
        world = full_world()
        rewind = Rewind(world, 10.0)
        world.step(6)
        if forward:
            rewind.back(0.125)
        kept.clear()
        kept[id(world)] = rewind
        return world

    def act(world):
        rewind = kept[id(world)]
        (rewind.forward if forward else rewind.back)(0.125)

    return Operation(build, act)


def rolling_back():
    kept = {}

    def steer(world, inputs):
        if inputs["Ada"]:
            world.body("ship").apply_force((2.0, 0.0, 0.0))

    def build():
        world = full_world()
        rollback = Rollback(world, players=["Ada"], apply=steer)
        start = world.tick_count
        for _ in range(3):
            rollback.step()
        kept.clear()
        kept[id(world)] = rollback, start
        return world

    def act(world):
        rollback, start = kept[id(world)]
        rollback.input(start, "Ada", b"push")
        rollback.settle()

    return Operation(build, act)


def _steps():
    for method in METHODS:
        yield f"step, {method}", Operation(lambda method=method: full_world(method), step(2), ticks=2)
        yield f"step, {method}, not called", Operation(lambda method=method: uncalled(method), step(4), ticks=4)
    for name, method in (
        ("Extrapolated", Extrapolated(RungeKutta4())),
        ("Substepped", Substepped(RungeKutta4(), 3)),
        ("Substepped to a tolerance", Substepped(RungeKutta4(), tolerance=0.5)),
        ("Extrapolated and Substepped", Extrapolated(Substepped(RungeKutta4(), 2))),
    ):
        yield f"step, {name}", Operation(lambda method=method: full_world(method), step(2), ticks=2)
        yield f"step, {name}, not called", Operation(lambda method=method: uncalled(method), step(4), ticks=4)
    yield "step, quiet", Operation(quiet, step(4), ticks=4)
    yield "step, one by one", Operation(quiet, lambda world: [world.step() for _ in range(3)], ticks=3)
    yield "advance", Operation(lambda: driven(called=True), lambda world: world.advance(1 / 32), also=_skipping)
    yield "step, driven", Operation(driven, step(4), ticks=4)
    yield "step, driven and called", Operation(lambda: driven(called=True), step(3), ticks=3)
    divided = Substepped(RungeKutta4(), 2)
    yield "step, driven and substepped", Operation(lambda: driven(divided), step(3), ticks=3)
    yield "step, joints", Operation(jointed, step(3), ticks=3)
    yield "step, joints and called", Operation(lambda: jointed(called=True), step(2), ticks=2)
    yield "step, joints and substepped", Operation(lambda: jointed(Substepped(RungeKutta4(), 2)), step(2), ticks=2)
    yield "step, threads", Operation(crowded, step(3), ticks=3)
    yield "step, a callback raises", Operation(failing(), step(), fails=Stop)
    yield "step, a callback raises, driven", Operation(failing(driven), step(), fails=Stop)
    yield "step, a callback raises, history", Operation(failing(with_history), step(), fails=Stop)
    yield "step, a force raises", Operation(failing_force, step(), fails=Stop)


def _changes():
    yield "add_body", Operation(full_world, lambda world: world.add_body(OTHER, name="new", origin=(1, 2, 3)))
    yield "add_body, history", Operation(with_history, lambda world: world.add_body(OTHER))
    yield "add_bodies of 300", Operation(full_world, lambda world: world.add_bodies(OTHER, np.ones((300, 3))))
    yield "remove_body", Operation(full_world, lambda world: world.remove_body(world.body("tug")))
    yield "remove_body, driven", Operation(driven, lambda world: world.remove_body(world.body("ship")))
    yield "remove_body, joints", Operation(jointed, lambda world: world.remove_body(world.body("door")))
    yield "remove_body, history", Operation(with_history, lambda world: world.remove_body(world.body("ship")))
    yield "remove_bodies", Operation(many_bodies, lambda world: world.remove_bodies(world.bodies[3:17:2]))
    for name, new in NEW_FORCES.items():
        yield f"add_force {name}", Operation(full_world, lambda world, new=new: world.add_force(new(world)))
    for place, force in enumerate(full_world(ticks=0).forces):
        name = f"remove_force {place} {type(force).__name__}"
        yield name, Operation(full_world, lambda world, place=place: world.remove_force(world.forces[place]))
    for name, new in NEW_PARTS.items():
        yield f"add_part {name}", Operation(driven, lambda world, new=new: world.add_part(new(world)))
    for place, part in enumerate(driven(ticks=0).parts):
        name = f"remove_part {place} {type(part).__name__}"
        jet = first("Thruster")
        yield (
            name,
            Operation(
                driven,
                lambda world, place=place, jet=jet: world.remove_part(world.parts[place]),
                fails=ValueError if type(part).__name__ == "Tank" else None,
            ),
        )
    for name, new in NEW_JOINTS.items():
        yield f"add_joint {name}", Operation(jointed, lambda world, new=new: world.add_joint(new(world)))
    for place in range(2):
        name = f"remove_joint {place}"
        yield name, Operation(jointed, lambda world, place=place: world.remove_joint(world.joints[place]))
    at = (0.1, 0.2, 0.3)
    yield "apply_impulse", Operation(full_world, lambda world: world.body("ship").apply_impulse((1, 2, 3), at))
    yield "apply_angular_impulse", Operation(full_world, lambda world: world.body("ship").apply_angular_impulse(at))
    yield "apply_impulse, history", Operation(with_history, lambda world: world.body("ship").apply_impulse(at, at))
    yield "apply_force", Operation(full_world, lambda world: world.body("ship").apply_force((1, 2, 3), at))
    yield "apply_force to a pushed body", Operation(full_world, lambda world: world.body("probe").apply_force(at))
    yield "mass_properties", Operation(full_world, setting(mass_properties=OTHER))
    yield "mass_properties, history", Operation(with_history, setting(mass_properties=OTHER))
    yield "dry_mass_properties", Operation(driven, setting(dry_mass_properties=MassProperties(9.0, (4.0, 5.0, 6.0))))
    yield "position", Operation(full_world, setting(position=(1, 2, 3)))
    yield "position, history", Operation(with_history, setting(position=(1, 2, 3)))
    yield "orientation", Operation(full_world, setting(orientation=SKEW_ORIENTATION))
    yield "velocity", Operation(with_history, setting(velocity=(1, 2, 3)))
    yield "angular_velocity_body", Operation(with_history, setting(angular_velocity_body=(1, 2, 3)))
    yield "angular_velocity_world, wheels", Operation(driven, setting(angular_velocity_world=(1, 2, 3)))
    yield "angular_momentum_world", Operation(full_world, setting(angular_momentum_world=(1, 2, 3)))
    yield "angular_momentum_world, wheels", Operation(driven, setting(angular_momentum_world=(1, 2, 3)))
    yield "stored_momentum_body", Operation(full_world, setting(stored_momentum_body=(1, 2, 3)))
    yield "position, joints", Operation(jointed, lambda world: setattr(world.body("free"), "position", (1, 2, 3)))
    for name in ("position", "orientation", "velocity", "angular_velocity_body"):
        yield (
            f"state.{name}",
            Operation(
                with_history,
                lambda world, name=name: setattr(world.state, name, getattr(world.state, name)[::-1].copy()),
            ),
        )
    yield (
        "state.angular_velocity_body, wheels",
        Operation(driven, lambda world: setattr(world.state, "angular_velocity_body", np.ones((2, 3)))),
    )
    yield "throttle", Operation(full_world, lambda world: setattr(world.thrusters, "throttle", 0.25))
    yield "wheel.speed", Operation(driven, lambda world: setattr(world.parts[0], "speed", 20.0))
    bright = [flight.Exclusion.ball((1, 2, 30), 0.5, 0.1), flight.Exclusion.far((1, 0, 3), 0.3)]
    for kind, name, value in (
        ("StarTracker", "exclusion", bright),
        ("Controlled", "force_body", None),
        ("Controlled", "law", flight.control.RateDamping(3.0)),
        ("Controlled", "reference", flight.Spin((0.1, 0, 0))),
        ("Controlled", "enabled", False),
        ("Magnetorquer", "field", forces.MagneticDipole(7.8e15, (0, 1, -1), (-8e6, 0, 0))),
        ("RadiationPressure", "shadow", ((1, 2, 3), 0.5)),
    ):
        yield (
            f"{kind}.{name}",
            Operation(
                controlled, lambda world, kind=kind, name=name, value=value: setattr(first(kind)(world), name, value)
            ),
        )
    yield "joint.enabled", Operation(jointed, lambda world: setattr(world.joints[0], "enabled", False))
    yield "joint.limits", Operation(jointed, lambda world: setattr(world.joints[0], "limits", (-0.6, 0.7)))
    motor = joints.Motor(target_rate=0.1, max_torque=2.0)
    yield "joint.motor", Operation(jointed, lambda world: setattr(world.joints[0], "motor", motor))
    yield "wheel.torque", Operation(driven, lambda world: setattr(world.parts[0], "torque", 0.2))
    yield "tank.propellant", Operation(driven, lambda world: setattr(first("Tank")(world), "propellant", 0.25))
    yield "thruster.fire", Operation(driven, lambda world: first("Thruster")(world).fire(0.25))
    yield "thruster.stuck", Operation(driven, lambda world: setattr(first("Thruster")(world), "stuck", 0.5))
    yield (
        "coefficient",
        Operation(full_world, lambda world: setattr(world.fields(forces.LinearDrag), "coefficient", 0.7)),
    )
    yield "integrator", Operation(with_history, lambda world: setattr(world, "integrator", "rk4"))
    yield "game_mode", Operation(full_world, lambda world: setattr(world, "game_mode", True))
    yield "time_scale", Operation(full_world, lambda world: setattr(world, "time_scale", 2.0))
    yield "max_ticks_per_frame", Operation(full_world, lambda world: setattr(world, "max_ticks_per_frame", 3))
    yield "paused", Operation(full_world, lambda world: setattr(world, "paused", True))
    yield "coasting", Operation(full_world, lambda world: setattr(world, "coasting", True))
    yield "keep_out", Operation(full_world, lambda world: setattr(world, "keep_out", ((1, 2, 3), 1.0)))
    yield "memory.add", Operation(full_world, lambda world: world.memory.add("new", 3))
    yield "memory.attach", Operation(full_world, lambda world: world.memory.attach("new", Gusts()))
    yield "memory.value", Operation(full_world, lambda world: world.memory["integral"].__setitem__(1, 2.5))
    yield "on_tick", Operation(full_world, lambda world: world.on_tick(watching))
    yield (
        "remove_callback",
        Operation(full_world, lambda world: world.remove_callback(world._stages.on_tick[0].function)),
    )
    yield "on_joint", Operation(jointed, lambda world: world.on_joint(print, "limit"))
    yield "shift_origin", Operation(full_world, lambda world: world.shift_origin((1.0, 2.0, 3.0)))


def _copies():
    yield "state_hash", Operation(full_world, lambda world: world.state_hash(), repeats=True)
    yield "wrench", Operation(full_world, lambda world: world.wrench(world.body("ship")), repeats=True)
    yield "snapshot", Operation(full_world, lambda world: world.snapshot(), repeats=True)
    yield "snapshot.to_bytes", Operation(full_world, lambda world: world.snapshot().to_bytes(), repeats=True)
    yield "restore", restoring(full_world)
    yield "restore, driven", restoring(driven)
    yield "restore, history", restoring(with_history)
    yield "fork", Operation(full_world, lambda world: world.fork(), repeats=True)
    yield "predict", Operation(full_world, lambda world: world.predict(0.1), repeats=True)
    yield "predict, driven", Operation(driven, lambda world: world.predict(0.1), repeats=True)
    yield "predict, joints", Operation(jointed, lambda world: world.predict(0.1), repeats=True)
    yield "coast", Operation(orbiting, lambda world: world.coast(1000))
    yield "save", Operation(driven, saving, repeats=True)
    yield "profile", Operation(uncalled, _profiled, ticks=2)
    yield "Rewind.back", rewinding(forward=False)
    yield "Rewind.forward", rewinding(forward=True)
    yield "Rollback.input", rolling_back()
    yield "Recorder", Operation(recorded, step(2), ticks=2)


def _skipping(world):
    """A frame whose tick is skipped."""
    world._clock.ticks_for(1 / 32)
    world._clock.settle(0)


def _profiled(world):
    with world.profile():
        world.step(2)


OPERATIONS = dict([*_steps(), *_changes(), *_copies()])
"""The operations by name. No world takes a tick here: every test process imports this, and each would compile the same kernels."""
