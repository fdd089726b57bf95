"""Results are the same bit for bit: repeated, alone or in a crowd, with ticks in any frames, compiled or not, on any processor."""

import hashlib
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine import MassProperties, World, forces, integrators
from engine.checks import direction

from ..helpers import PATIENCE
from ..lengths import sized
from ..plain_python import elsewhere, in_plain_python

METHODS = sorted(integrators.by_name)

# Written out as numbers: what goes in must not come from a library whose bits depend on the processor.
SHAPES = [
    MassProperties(3.0, [[1.7, 0.31, -0.43], [0.31, 2.1, 0.27], [-0.43, 0.27, 1.9]], (0.3, -0.2, 0.5)),
    MassProperties(0.7, [[0.47, 0.03, -0.05], [0.03, 0.51, 0.02], [-0.05, 0.02, 0.44]], (-0.1, 0.4, 0.2)),
]
ROOT = Path(__file__).parents[2]


def starts(count, seed=21):
    """States of many bodies, no number of them round, by + − × ÷ √ alone."""
    rng = np.random.default_rng(seed)

    def between(low, high, size):
        return low + (high - low) * rng.random((count, size))

    quaternions = between(0.1, 1.0, 4) * rng.choice((-1.0, 1.0), (count, 4))
    x, y, z, w = quaternions.T
    return {
        "position": between(-9.0, 9.0, 3),
        "orientation": quaternions / np.sqrt(x * x + y * y + z * z + w * w)[:, np.newaxis],
        "velocity": between(-2.0, 2.0, 3),
        "angular_velocity_body": between(-4.0, 4.0, 3),
    }


def one_of(start, row):
    return {name: rows[row] for name, rows in start.items()}


def add_fields(world):
    """Forces that are evaluated at each stage and act on each body by itself."""
    world.add_force(forces.LinearDrag(0.1))
    world.add_force(forces.QuadraticDrag(0.05))
    world.add_force(forces.AngularDamping(0.02))
    world.add_force(
        forces.PointGravity(30.0, center=(0.0, 0.0, 40.0), j2=0.1, reference_radius=3.0, axis=(1.0, 2.0, -0.5))
    )
    world.add_force(forces.GravityGradient(30.0, center=(0.0, 0.0, 40.0)))
    world.add_force(forces.Lorentz(0.2, electric_field=(0.0, 1.0, 0.3), magnetic_field=(0.4, -0.2, 1.0)))


def add_held(world, body):
    """Forces that are held over a tick."""
    thruster = forces.Thruster(body, position=(0.5, -0.4, 1.0), direction=(0.3, 0.2, 1.0), max_force=7.0)
    thruster.throttle = 0.3
    world.add_force(thruster)
    world.add_force(forces.ConstantTorque(body, torque_world=(0.1, -0.3, 0.2)))
    return thruster


def small_world(method="rk4", staged=False, **options):
    """A world with three bodies, held forces and, if staged, fields and springs."""
    world = World(1 / 60, integrator=method, **options)
    start = starts(3)
    bodies = [world.add_body(SHAPES[k % 2], name=f"n{k}", **one_of(start, k)) for k in range(3)]
    bodies[2].stored_momentum_body = (0.2, -0.1, 0.4)
    world.add_force(forces.UniformGravity((0.1, -9.0, 0.3)))
    add_held(world, bodies[0])
    add_held(world, bodies[1])
    if staged:
        add_fields(world)
        world.add_force(
            forces.Spring(bodies[0], bodies[1], at_body=(1, 0, 0), stiffness=5.0, damping=0.3, rest_length=2.0)
        )
        world.add_force(forces.Spring(bodies[2], None, at_other=(1, 1, 1), stiffness=3.0))
    return world


def bits(body):
    return b"".join(
        getattr(body, name).tobytes() for name in ("position", "orientation", "velocity", "angular_velocity_body")
    )


# the hash


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_the_same_run_twice_gives_the_same_hash(method, staged):
    first, second = small_world(method, staged), small_world(method, staged)
    assert first.state_hash() == second.state_hash()
    hashes = set()
    for _ in range(20):
        first.step()
        second.step()
        assert first.state_hash() == second.state_hash()
        hashes.add(first.state_hash())
    assert len(hashes) == 20


def test_the_hash_is_64_bits():
    world = small_world()
    hashes = []
    for _ in range(64):
        world.step()
        hashes.append(world.state_hash())
    assert all(0 <= value < 2**64 for value in hashes)
    # each bit of 64 hashes is set in some and clear in others (fails once in 2⁵⁷ for a good hash, and these are always the same)
    assert np.bitwise_or.reduce(np.array(hashes, dtype=np.uint64)) == np.uint64(2**64 - 1)
    assert np.bitwise_and.reduce(np.array(hashes, dtype=np.uint64)) == np.uint64(0)


def test_reading_a_hash_or_anything_else_changes_nothing():
    looked, plain = small_world(staged=True), small_world(staged=True)
    for _ in range(5):
        looked.state_hash()
        looked.interpolated_poses()
        looked.potential_energy()
        looked.kinetic_energy()
        looked.angular_momentum()
        for body in looked.bodies:
            body.interpolated_pose(0.3)
            body.velocity_at((1, 2, 3))
        looked.step()
        plain.step()
    assert looked.state_hash() == plain.state_hash()


def set_one(name, row, component):
    """A change of one component of one quantity of one body in its last bit (quaternions: turned by 1e-9)."""

    def change(world):
        body = world.bodies[row]
        value = getattr(body, name).copy()
        if name == "orientation":
            value[component] += 1e-9
        else:
            value[component] = np.nextafter(value[component], np.inf)
        setattr(body, name, value)

    return change


def replace_mass(**changes):
    def change(world):
        body = world.bodies[1]
        old = {"mass": body.mass, "inertia_body": body.inertia_body, "center_of_mass_body": body.center_of_mass_body}
        state = body.position, body.velocity
        body.mass_properties = MassProperties(**{**old, **changes})
        body.position, body.velocity = state

    return change


def bigger(tensor, i, j):
    result = np.array(tensor)
    result[i, j] *= 1.0 + 1e-15
    result[j, i] = result[i, j]
    return result


INERTIA = SHAPES[1].inertia_body
SINGLE_CHANGES = {
    **{
        f"{name}[{component}] of body {row}": set_one(name, row, component)
        for name, size in (
            ("position", 3),
            ("orientation", 4),
            ("velocity", 3),
            ("angular_velocity_body", 3),
            ("stored_momentum_body", 3),
        )
        for component in range(size)
        for row in (0, 2)
    },
    "mass": replace_mass(mass=np.nextafter(0.7, 1.0)),
    **{
        f"mass centre {k}": replace_mass(center_of_mass_body=np.add((-0.1, 0.4, 0.2), np.eye(3)[k] * 1e-15))
        for k in range(3)
    },
    **{
        f"inertia {i}{j}": replace_mass(inertia_body=bigger(INERTIA, i, j))
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    },
    "throttle": lambda world: setattr(world.forces[1], "throttle", np.nextafter(0.3, 1.0)),
    "a push": lambda world: world.bodies[0].apply_force((0, 0, 5e-324)),
    "a push on another body": lambda world: world.bodies[1].apply_force((0, 0, 5e-324)),
    "a push in the body frame": lambda world: world.bodies[0].apply_force_body((0, 0, 5e-324)),
    "a twist": lambda world: world.bodies[0].apply_torque((0, 0, 5e-324)),
    "a twist in the body frame": lambda world: world.bodies[0].apply_torque_body((0, 0, 5e-324)),
    "another body": lambda world: world.add_body(SHAPES[0]),
    "a body less": lambda world: world.remove_body(world.bodies[2]),
    "a called force": lambda world: world.add_force(lambda wrench, bodies, time: None),
}


def test_the_hash_tells_every_single_change_from_every_other():
    hashes = {"none": small_world(staged=True).state_hash()}
    for name, change in SINGLE_CHANGES.items():
        world = small_world(staged=True)
        change(world)
        hashes[name] = world.state_hash()
    ticked = small_world(staged=True)
    state = {
        name: getattr(ticked.state, name).copy()
        for name in ("position", "orientation", "velocity", "angular_velocity_body")
    }
    ticked.step()
    for name, values in state.items():
        setattr(ticked.state, name, values)
    hashes["tick count"] = ticked.state_hash()
    same = {}
    for name, value in hashes.items():
        same.setdefault(value, []).append(name)
    assert [names for names in same.values() if len(names) > 1] == []


def test_names_alpha_owed_and_dropped_time_are_not_in_the_hash():
    first, second = World(1 / 64), World(1 / 64, max_ticks_per_frame=3)
    for world, name in ((first, "Castor"), (second, "Pollux")):
        world.add_body(SHAPES[0], name=name, **one_of(starts(1), 0))
    first.step(3)
    second.advance(7.5 / 64)
    assert second.alpha > 0.0
    assert second.dropped_time > 0.0
    second.time_scale = 2.0
    second.paused = True
    second.on_tick(lambda world: None)
    assert first.state_hash() == second.state_hash()


@pytest.mark.parametrize("quantity", ["position", "velocity", "angular_velocity_body", "stored_momentum_body", "push"])
def test_minus_zero_is_zero(quantity):
    hashes = []
    for zero in (0.0, -0.0):
        world = small_world()
        body = world.bodies[0]
        if quantity == "push":
            body.apply_force((zero, 1.0, zero))
        else:
            setattr(body, quantity, (zero, 1.0, zero))
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


def test_minus_zero_in_an_orientation_and_in_a_throttle_is_zero():
    hashes = []
    for zero in (0.0, -0.0):
        world = small_world()
        world.bodies[0].orientation = (zero, 0.6, zero, 0.8)
        world.forces[1].throttle = zero
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


# ticks and frames


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_ticks_are_the_same_however_they_are_cut_into_frames(method, staged):
    def watched():
        world = small_world(method, staged, max_ticks_per_frame=100)
        thruster = world.forces[1]

        @world.on_tick(every=7)
        def steer(world):
            thruster.throttle = 0.1 + world.tick_count / 100
            world.bodies[1].apply_force_body((0.0, 0.3, 0.1), at_body=(0.0, 0.0, 1.0))

        return world

    whole, single, framed, plain, cut = (
        watched(),
        watched(),
        watched(),
        small_world(method, staged),
        small_world(method, staged),
    )
    whole.step(60)
    for _ in range(60):
        single.step()
    frames = np.random.default_rng(2).uniform(0.0, 0.08, size=100)
    for elapsed in frames:
        if framed.tick_count < 54:
            framed.advance(elapsed)
    framed.step(60 - framed.tick_count)
    plain.step(60)
    for ticks in (0, 1, 17, 2, 40):
        cut.step(ticks)
    assert whole.state_hash() == single.state_hash() == framed.state_hash()
    assert plain.state_hash() == cut.state_hash() != whole.state_hash()


def test_a_callback_that_does_nothing_changes_no_bits():
    """With callbacks ticks are taken one by one, without them many in one call."""
    for staged in (False, True):
        watched, plain = small_world(staged=staged), small_world(staged=staged)
        watched.on_tick(lambda world: None)
        watched.step(50)
        plain.step(50)
        assert watched.state_hash() == plain.state_hash()


def test_a_force_of_nothing_changes_no_bits():
    """Held wrenches fed at the stages give the bits of held wrenches held: one source for both ways."""
    for method in METHODS:
        held, fed = small_world(method), small_world(method)
        fed.add_force(lambda wrench, bodies, time: None)
        held.step(50)
        fed.step(50)
        assert [bits(body) for body in held.bodies] == [bits(body) for body in fed.bodies]


# alone and in a crowd


ACROSS_CAPACITIES = ("free-rotor-2", "midpoint", "rk4", "semi-implicit-euler")
"""One method of each kind of loop. Their loops in passes are compared between two capacities, those of other methods within one; held loops
are compared between two capacities for every method. Each capacity is a compilation, and the passes take longest."""


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_a_body_alone_and_in_a_crowd_moves_by_the_same_bits(method, staged):
    count, row = (1003, 517) if not staged or method in ACROSS_CAPACITIES else (251, 117)
    start, alone, crowded = starts(count), World(1 / 60, integrator=method), World(1 / 60, integrator=method)
    lone = alone.add_body(SHAPES[1], **one_of(start, row))
    crowd = crowded.add_bodies([SHAPES[k % 2] for k in range(count)], **start)
    for world, body in ((alone, lone), (crowded, crowd[row])):
        world.add_force(forces.UniformGravity((0.1, -9.0, 0.3)))
        add_held(world, body)
        if staged:
            add_fields(world)
        body.stored_momentum_body = (0.2, -0.1, 0.4)
        world.step(20)
        body.apply_force((1.0, 2.0, 3.0), at_world=(0.1, 0.2, 0.3))
        world.step(5)
    assert bits(lone) == bits(crowd[row])
    assert bits(crowd[3]) != bits(crowd[5])


@pytest.mark.parametrize("staged", [False, True])
def test_bodies_added_and_removed_in_flight_leave_the_others_bits(staged):
    """Through a class of capacity (264 to 1032 columns) and back to a few, at every remainder by eight on the way down."""
    start, alone, crowded = starts(300), World(1 / 60), World(1 / 60)
    lone = alone.add_body(SHAPES[0], **one_of(start, 0))
    crowd = [crowded.add_body(SHAPES[0], **one_of(start, 0))]
    for world, body in ((alone, lone), (crowded, crowd[0])):
        world.add_force(forces.UniformGravity((0.1, -9.0, 0.3)))
        add_held(world, body)
        if staged:
            add_fields(world)
    for count in (0, 7, 255, 30):
        if count:
            crowd += crowded.add_bodies(
                SHAPES[1], **{name: rows[:count] for name, rows in starts(count, seed=count).items()}
            )
        crowded.step(3)
        alone.step(3)
        assert bits(crowd[0]) == bits(lone)
    while len(crowd) > 1:
        for _ in range(min(37, len(crowd) - 1)):
            crowded.remove_body(crowd.pop(1 + (7 * len(crowd)) % (len(crowd) - 1)))
        crowded.step()
        alone.step()
        assert bits(crowd[0]) == bits(lone)
    assert alone.state_hash() == crowded.state_hash()


@pytest.mark.parametrize("count", [263, 264, 265, 1031, 1032, 1033, 1545])
def test_a_world_that_grew_is_the_one_that_was_made_at_once(count):
    """Room for bodies is made in steps: one or another step, more bodies in between and fewer again leave no trace in hash or motion."""
    start, shapes = starts(count + 40), [SHAPES[k % 2] for k in range(count + 40)]

    def part(begin, end):
        return shapes[begin:end], {name: rows[begin:end] for name, rows in start.items()}

    def made(*pieces):
        world = World(1 / 60, integrator="semi-implicit-euler")
        for begin, end in zip((0, *pieces), (*pieces, count), strict=True):
            properties, states = part(begin, end)
            world.add_bodies(properties, **states)
            if begin == 0:
                add_held(world, world.bodies[0])
                world.add_force(forces.LinearDrag(0.1))
        return world

    at_once, grown, shrunk = made(), made(1, 8, 250, count - 1), made(100)
    properties, states = part(count, count + 40)
    for body in shrunk.add_bodies(properties, **states):
        shrunk.remove_body(body)
    hashes = []
    for _ in range(3):
        hashes.append({world.state_hash() for world in (at_once, grown, shrunk)})
        for world in (at_once, grown, shrunk):
            world.step()
    assert [len(same) for same in hashes] == [1, 1, 1]
    assert bits(grown.bodies[-1]) == bits(at_once.bodies[-1]) == bits(shrunk.bodies[-1])


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_bodies_and_their_removal_do_not_matter(method):
    start = starts(11)
    orders = [list(range(11)), list(range(10, -1, -1)), [5, 0, 9, 2, 7, 4, 1, 10, 3, 8, 6]]
    results = []
    for order in orders:
        world = World(1 / 60, integrator=method)
        bodies = {k: world.add_body(SHAPES[k % 2], name=f"n{k}", **one_of(start, k)) for k in order}
        world.add_force(forces.UniformGravity((0.1, -9.0, 0.3)))
        for k in sorted(bodies):
            add_held(world, bodies[k])
        add_fields(world)
        world.step(10)
        world.remove_body(bodies[order[2]])
        world.step(10)
        removed = order[2]
        results.append({k: bits(body) for k, body in bodies.items() if k != removed})
    common = set.intersection(*(set(result) for result in results))
    assert len(common) >= 8
    for k in common:
        assert results[0][k] == results[1][k] == results[2][k]


# compiled or not, on other processors


def here(methods, ticks):
    hashes = []
    for method in methods:
        for staged in (True, False):
            world = small_world(method, staged)
            world.step(ticks)
            hashes.append(world.state_hash())
    return hashes


def test_the_same_source_as_plain_python_gives_the_same_bits():
    assert in_plain_python(here, METHODS, 6) == here(METHODS, 6)


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
from tests.physics.test_determinism import here
from engine.compilation.compiler import COMPILED
print(COMPILED, *here(["rk4", "semi-implicit-euler"], 20))
"""


def test_the_engine_works_where_numba_is_missing_and_gives_the_same_bits():
    command = [sys.executable, "-c", WITHOUT_NUMBA]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert result.stdout.split() == ["False", *map(str, here(["rk4", "semi-implicit-euler"], 20))]


# stand-ins for other machines: each changes the bits of some numpy, BLAS or C library function on x86-64
OTHER_MACHINES = {
    "another BLAS": {"OPENBLAS_CORETYPE": "Prescott"},
    "an old C library and no vector units": {
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4,-AVX2_Usable,-FMA_Usable",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL",
    },
    "kernels for any processor": {"NUMBA_CPU_NAME": "generic"},
}


@pytest.mark.parametrize("machine", sized(["an old C library and no vector units"], list(OTHER_MACHINES)))
def test_the_bits_do_not_depend_on_the_processor(machine):
    methods = ["semi-implicit-euler"] if machine == "kernels for any processor" else sized(METHODS[::4], METHODS)
    ticks = sized(30, 100)
    assert elsewhere(environment_of(machine), here, methods, ticks) == here(methods, ticks)


def environment_of(machine):
    """What differs in the environment of a process on another machine."""
    environment = dict(OTHER_MACHINES[machine])
    if "NPY_DISABLE_CPU_FEATURES" in environment:
        environment["NPY_DISABLE_CPU_FEATURES"] = " ".join(disableable(environment["NPY_DISABLE_CPU_FEATURES"].split()))
    return environment


def disableable(features):
    """Those that this numpy dispatches on: naming another is a warning."""
    try:
        from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
    except ImportError:
        from numpy.core._multiarray_umath import __cpu_dispatch__, __cpu_features__
    return [feature for feature in features if feature in __cpu_dispatch__ and __cpu_features__.get(feature)]


def squares():
    """A hash of what forces and directions make of random numbers."""
    generator, digest = random.Random(3), hashlib.sha256()
    for _ in range(1000):
        radius = generator.uniform(1.0, 10.0)
        digest.update(forces.PointGravity(1.0, j2=0.1, reference_radius=radius)._table.array.tobytes())
        digest.update(direction([generator.uniform(-1.0, 1.0) for _ in range(3)], "direction", "test").tobytes())
    return digest.hexdigest()


def test_constants_of_forces_do_not_depend_on_the_c_library():
    """x**2 is a call of pow in the C library, whose last bit depends on the processor; x·x is one multiplication."""
    assert elsewhere(environment_of("an old C library and no vector units"), squares) == squares()
