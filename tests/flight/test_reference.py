"""Guidance: attitudes against SciPy, rates against numerical differentiation, pointing on Kepler orbits."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, flight, forces, rotation
from engine.flight import Pointing, Reference, Slew, Spin

from ..helpers import SKEW_ORIENTATION

GM = 3.986004418e14
CENTER = np.array([2e5, -1e5, 3e5])
RATES = np.array([0.3, -0.2, 0.5])
END = rotation.multiply(rotation.from_axis_angle((0.3, -1.0, 0.6), 2.3), SKEW_ORIENTATION)


def matrix(reference):
    return Rotation.from_quat(reference.orientation).as_matrix()


def check_derivatives(at, time, step, tolerance):
    """Rates and acceleration of a reference against central differences of fourth order of its attitude and its rates."""
    now, offsets, weights = at(time), np.array([-2.0, -1.0, 1.0, 2.0]), np.array([1.0, -8.0, 8.0, -1.0]) / 12.0
    around = [at(time + step * offset) for offset in offsets]
    spinning = sum(w * matrix(r) for w, r in zip(weights, around, strict=True)) / step @ matrix(now).T
    rates = np.array([spinning[2, 1], spinning[0, 2], spinning[1, 0]])
    size = np.linalg.norm(now.angular_velocity_world)
    np.testing.assert_allclose(now.angular_velocity_world, rates, rtol=0.0, atol=tolerance * size)
    change = sum(w * r.angular_velocity_world for w, r in zip(weights, around, strict=True)) / step
    np.testing.assert_allclose(now.angular_acceleration_world, change, rtol=0.0, atol=tolerance * size / step)
    return np.linalg.norm(now.angular_acceleration_world) * step / size


def test_a_fixed_reference_is_itself_at_every_time():
    reference = Reference(SKEW_ORIENTATION, RATES, 2.0 * RATES)
    assert reference.at(5.0, None) is reference
    assert (reference.orientation == SKEW_ORIENTATION).all()
    assert (reference.angular_velocity_world == RATES).all()
    assert (reference.angular_acceleration_world == 2.0 * RATES).all()
    with pytest.raises(ValueError, match="read-only"):
        reference.orientation[0] = 1.0
    with pytest.raises(AttributeError):
        reference.orientation = (0.0, 0.0, 0.0, 1.0)


def test_a_reference_takes_stacks():
    many = Reference(np.broadcast_to(SKEW_ORIENTATION, (5, 4)), RATES)
    assert many.orientation.shape == (5, 4)
    assert many.angular_velocity_world.shape == (3,)


def test_a_spin_turns_at_its_rates():
    spin = Spin(RATES, SKEW_ORIENTATION, start_time=2.0)
    expected = Rotation.from_rotvec(RATES * 7.5) * Rotation.from_quat(SKEW_ORIENTATION)
    np.testing.assert_allclose(matrix(spin.at(9.5)), expected.as_matrix(), atol=1e-14)
    check_derivatives(spin.at, 9.5, 1e-2, 1e-9)
    assert (spin.at(9.5).angular_acceleration_world == 0.0).all()
    assert (spin.at(2.0).orientation == SKEW_ORIENTATION).all()


@pytest.mark.parametrize(("max_rate", "peak"), [(0.2, 0.2), (5.0, math.sqrt(2.3 * 0.05))])
def test_a_slew_is_a_trapezoid_or_a_triangle_about_one_axis(max_rate, peak):
    slew = Slew(SKEW_ORIENTATION, END, max_rate, 0.05, start_time=3.0)
    duration = 2.3 / peak + peak / 0.05
    assert float(slew.duration) == pytest.approx(duration, rel=1e-13)
    axis = np.array([0.3, -1.0, 0.6]) / np.linalg.norm([0.3, -1.0, 0.6])
    for share in (0.05, 0.2, 0.35, 0.48, 0.62, 0.81, 0.97):
        elapsed = share * duration
        rate = min(0.05 * elapsed, peak, 0.05 * (duration - elapsed))
        reference = slew.at(3.0 + elapsed)
        np.testing.assert_allclose(reference.angular_velocity_world, rate * axis, rtol=1e-12)
        check_derivatives(slew.at, 3.0 + elapsed, 1e-3, 1e-8)
    assert rotation.angle_between(slew.at(3.0 + 0.5 * duration).orientation, SKEW_ORIENTATION) == pytest.approx(1.15)


def test_a_slew_rests_at_its_ends():
    slew = Slew(SKEW_ORIENTATION, END, 0.2, 0.05, start_time=3.0)
    for time, q in [(-5.0, SKEW_ORIENTATION), (2.999, SKEW_ORIENTATION), (3.0 + slew.duration, END), (100.0, END)]:
        reference = slew.at(float(time))
        np.testing.assert_allclose(np.abs(reference.orientation @ q), 1.0, atol=1e-15)
        assert rotation.angle_between(reference.orientation, q) < 1e-14
        assert (reference.angular_velocity_world == 0.0).all()
        assert (reference.angular_acceleration_world == 0.0).all()
    assert (slew.at(3.0).angular_acceleration_world != 0.0).all()  # what is held from here on


def test_a_slew_to_where_it_starts_takes_no_time():
    slew = Slew(SKEW_ORIENTATION, -SKEW_ORIENTATION, 0.2, 0.05)
    assert slew.duration == 0.0
    assert rotation.angle_between(slew.at(0.0).orientation, SKEW_ORIENTATION) < 1e-15
    assert (slew.at(0.0).angular_velocity_world == 0.0).all()


def test_a_slew_takes_the_shorter_way():
    slew = Slew(SKEW_ORIENTATION, -END, 0.2, 0.05)
    assert float(slew.angle) == pytest.approx(2.3, rel=1e-13)


# Pointing


def orbit(time, eccentricity, out_of_plane=0.6):
    """Position and velocity on a Kepler orbit by an integration of tenth order of accuracy, independent of the engine."""
    radius = 7e6
    speed = math.sqrt(GM / radius * (1.0 + eccentricity))
    start = [radius, 0.0, 0.0, 0.0, speed * math.cos(out_of_plane), speed * math.sin(out_of_plane)]

    def slope(_, state):
        return [*state[3:], *(-GM * state[:3] / np.linalg.norm(state[:3]) ** 3)]

    if time != 0.0:
        start = solve_ivp(slope, (0.0, time), start, method="DOP853", rtol=1e-13, atol=1e-6).y[:, -1]
    return np.array(start[:3]) + CENTER, np.array(start[3:])


def on_orbit(time, eccentricity, **more):
    position, velocity = orbit(time, eccentricity, **more)
    return SimpleNamespace(position=position, velocity=velocity)


class Target:
    """A body on another orbit about the same centre, at a time that a test sets."""

    time = 0.0

    @property
    def position(self):
        return orbit(self.time, 0.1, out_of_plane=-0.3)[0]

    @property
    def velocity(self):
        return orbit(self.time, 0.1, out_of_plane=-0.3)[1]


SUN = (0.3, -0.5, 0.9)
PAIRS = [
    ("nadir", "velocity"),
    ("velocity", "nadir"),
    ("sun", "nadir"),
    ("nadir", "sun"),
    ("velocity", (1.0, 2.0, 0.5)),
]
AXIS, SECOND_AXIS = (0.2, -0.3, 0.9), (1.0, 0.4, 0.2)


def direction_of(target, body):
    radial = np.asarray(body.position) - CENTER
    vector = {"nadir": -radial, "velocity": body.velocity, "sun": SUN}[target] if isinstance(target, str) else target
    return np.asarray(vector) / np.linalg.norm(vector)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_pointing_puts_one_axis_on_its_target_and_the_other_as_near_as_it_can_be(pair):
    pointing = Pointing(AXIS, pair[0], SECOND_AXIS, pair[1], gm=GM, center=CENTER, sun_direction_world=SUN)
    body = on_orbit(1234.0, 0.3)
    turn = Rotation.from_quat(pointing.at(1234.0, body).orientation)
    first, second = (direction_of(target, body) for target in pair)
    axis = np.array(AXIS) / np.linalg.norm(AXIS)
    np.testing.assert_allclose(turn.apply(axis), first, atol=1e-14)
    # as near as it can be: in the plane of the two directions and on the same side
    second_axis = turn.apply(SECOND_AXIS)
    normal = np.cross(first, second)
    assert abs(second_axis @ normal) < 1e-14
    assert np.cross(first, second_axis) @ normal > 0.0


@pytest.mark.parametrize("eccentricity", [0.0, 0.3, 0.7, 1.4])
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_the_rates_of_pointing_are_those_of_its_attitude_on_a_kepler_orbit(pair, eccentricity):
    pointing = Pointing(AXIS, pair[0], SECOND_AXIS, pair[1], gm=GM, center=CENTER, sun_direction_world=SUN)
    significance = check_derivatives(lambda time: pointing.at(time, on_orbit(time, eccentricity)), 700.0, 5.0, 1e-7)
    # the accelerations would be noticed if they were missing
    assert significance > 1e-4 or (eccentricity == 0.0 and set(pair) == {"nadir", "velocity"})


@pytest.mark.parametrize("pair", [("body", "nadir"), ("sun", "body")], ids=str)
def test_the_rates_of_pointing_at_a_body_are_those_of_its_attitude(pair):
    target = Target()
    chosen = [target if name == "body" else name for name in pair]
    pointing = Pointing(AXIS, chosen[0], SECOND_AXIS, chosen[1], gm=GM, center=CENTER, sun_direction_world=SUN)

    def at(time):
        target.time = time
        return pointing.at(time, on_orbit(time, 0.3))

    assert check_derivatives(at, 700.0, 5.0, 1e-7) > 1e-4
    target.time, body = 700.0, on_orbit(700.0, 0.3)
    line = target.position - body.position if pair[0] == "body" else np.array(SUN)
    turned = Rotation.from_quat(pointing.at(700.0, body).orientation).apply(np.array(AXIS) / np.linalg.norm(AXIS))
    np.testing.assert_allclose(turned, line / np.linalg.norm(line), atol=1e-13)


def test_a_circular_orbit_turns_nadir_pointing_once_per_orbit_about_the_orbit_normal():
    body = on_orbit(0.0, 0.0)
    reference = Pointing((0, 0, 1), "nadir", (1, 0, 0), "velocity", gm=GM, center=CENTER).at(0.0, body)
    normal = np.cross(body.position - CENTER, body.velocity)
    expected = math.sqrt(GM / 7e6**3) * normal / np.linalg.norm(normal)
    np.testing.assert_allclose(reference.angular_velocity_world, expected, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(reference.angular_acceleration_world, 0.0, atol=1e-18)


def test_pointing_at_a_body_without_gravity_follows_straight_lines():
    target = SimpleNamespace(position=np.zeros(3), velocity=np.zeros(3))
    pointing = Pointing(AXIS, target, SECOND_AXIS, (0.0, 0.0, 1.0))
    start, velocity = np.array([100.0, 30.0, -20.0]), np.array([1.0, -2.0, 0.5])

    def at(time):
        return pointing.at(time, SimpleNamespace(position=start + velocity * time, velocity=velocity))

    assert check_derivatives(at, 10.0, 0.05, 1e-9) > 1e-5


def test_moving_references_give_stacks_the_bits_that_they_give_each_body():
    bodies = [on_orbit(100.0 * i, 0.1 * i) for i in range(6)]
    stack = SimpleNamespace(
        position=np.array([body.position for body in bodies]), velocity=np.array([body.velocity for body in bodies])
    )
    pointing = Pointing(AXIS, "nadir", SECOND_AXIS, "velocity", gm=GM, center=CENTER)
    generator = np.random.default_rng(3)
    starts, ends = (q / np.linalg.norm(q, axis=1, keepdims=True) for q in generator.normal(size=(2, 6, 4)))
    rates = generator.normal(size=(6, 3))
    references = [
        (pointing.at(0.0, stack), [pointing.at(0.0, body) for body in bodies]),
        (
            Slew(starts, ends, 0.2, 0.05).at(6.0),
            [Slew(a, b, 0.2, 0.05).at(6.0) for a, b in zip(starts, ends, strict=True)],
        ),
        (Spin(rates, starts).at(6.0), [Spin(a, b).at(6.0) for a, b in zip(rates, starts, strict=True)]),
    ]
    for together, apart in references:
        for name in ("orientation", "angular_velocity_world", "angular_acceleration_world"):
            assert getattr(together, name).tobytes() == np.array([getattr(one, name) for one in apart]).tobytes()


def test_pointing_reads_bodies_of_a_world():
    world = World(1.0)
    speed = math.sqrt(GM / 7e6)
    satellite = world.add_body(MassProperties(80.0, (5.0, 20.0, 20.0)), position=(7e6, 0, 0), velocity=(0, speed, 0))
    other = world.add_body(MassProperties(80.0, (5.0, 20.0, 20.0)), position=(7e6, 9.0, 0), velocity=(0, speed, 0))
    world.add_force(forces.PointGravity(gm=GM))
    world.step(10)
    pointing = Pointing((1, 0, 0), other, (0, 0, 1), "nadir", gm=GM)
    q = pointing.at(world.time, satellite).orientation
    line = other.position - satellite.position
    np.testing.assert_allclose(rotation.rotate(q, (1.0, 0.0, 0.0)), line / np.linalg.norm(line), atol=1e-12)


def test_the_center_of_pointing_moves_with_the_origin_and_back_with_a_snapshot():
    world = World(1.0)
    speed = math.sqrt(GM / 7e6)
    satellite = world.add_body(MassProperties(80.0, (5.0, 20.0, 20.0)), position=(7e6, 0, 0), velocity=(0, speed, 0))
    world.add_force(forces.PointGravity(gm=GM))
    motor = world.add_part(flight.BodyTorque(satellite, max_torque=5.0))
    law = flight.control.RateDamping(1.0)
    reference = Pointing((0, 0, 1), "nadir", (1, 0, 0), "velocity", gm=GM)
    loop = world.add_part(flight.Controlled(satellite, law, reference, motor, every=1))
    before, image = loop.reference.at(0.0, satellite).orientation, world.snapshot()
    world.shift_origin((4096.0, -2048.0, 1024.0))
    assert loop.reference.center.tolist() == [-4096.0, 2048.0, -1024.0]
    assert loop.reference.at(0.0, satellite).orientation == pytest.approx(before, abs=1e-15)
    assert reference.center.tolist() == [0.0, 0.0, 0.0]
    world.restore(image)
    assert loop.reference is reference


def test_a_failed_shift_of_the_origin_leaves_the_center_of_pointing():
    world = World(1.0)
    ship = world.add_body(MassProperties.sphere(1.0, 1.0))
    motor = world.add_part(flight.BodyTorque(ship, max_torque=5.0))
    reference = Pointing((0, 0, 1), "nadir", (1, 0, 0), "velocity", gm=GM, center=CENTER)
    loop = world.add_part(flight.Controlled(ship, flight.control.RateDamping(1.0), reference, motor, every=1))

    class Failing:
        def __call__(self, world):
            pass

        def on_origin_shift(self, shift):
            raise RuntimeError("failed")

    world.on_tick(Failing())
    with pytest.raises(RuntimeError, match="failed"):
        world.shift_origin((1.0, 0.0, 0.0))
    assert loop.reference is reference


@pytest.mark.parametrize(
    "made",
    [
        Reference(),
        Spin((0.0, 0.0, 1.0)),
        Slew((0, 0, 0, 1), (0, 0.6, 0, 0.8), 1.0, 1.0),
        Pointing((0, 0, 1), "nadir", (1, 0, 0), "velocity", gm=GM),
        flight.control.MRPFeedback(1.0, 2.0, 3.0),
        flight.control.QuaternionPD(1.0, 2.0),
        flight.control.RateDamping(1.0),
        flight.control.PhasePlane(1.0, 2.0, 0.5, torque=3.0),
        flight.control.BDot(1.0),
        flight.control.MomentumManager([SimpleNamespace(momentum=1.0, axis=(1, 0, 0))], 2.0, 1.0),
    ],
    ids=lambda made: type(made).__name__,
)
def test_references_and_laws_are_fixed_once_made(made):
    """A change in flight would neither be checked nor undone; another object is assigned to the loop instead."""
    names = [name for name in dir(made) if not name.startswith("_") and not callable(getattr(made, name))]
    for name in set(names) - {"state_size"}:
        with pytest.raises(AttributeError, match=f"{type(made).__name__}: {name} cannot be set to 1.0; "):
            setattr(made, name, 1.0)
    assert names


# Rejected


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Reference((0.0, 0.0, 0.0, 1.1)), "Reference: orientation must be a quaternion .* of unit length"),
        (lambda: Reference((0.0, 0.0, 0.0, math.nan)), "Reference: orientation must be 4 finite real numbers"),
        (lambda: Reference((0.0, 0.0, 1.0)), "Reference: orientation must be"),
        (lambda: Reference(angular_velocity_world=(0.0, math.inf, 0.0)), "Reference: angular_velocity_world must be"),
        (lambda: Reference(angular_acceleration_world=(0.0, 0.0)), "Reference: angular_acceleration_world must be"),
        (lambda: Spin(RATES, (0.0, 0.0, 0.0, 2.0)), "orientation must be .* of unit length"),
        (lambda: Spin(RATES, start_time=math.nan), "Spin: start_time must be"),
        (lambda: Slew((0, 0, 0, 2.0), END, 0.1, 0.1), "Slew: start must be .* of unit length"),
        (lambda: Slew(END, (0, 0, 0, 2.0), 0.1, 0.1), "Slew: end must be .* of unit length"),
        (lambda: Slew(END, END, 0.0, 0.1), "Slew: max_rate must be"),
        (lambda: Slew(END, END, 0.1, -1.0), "Slew: max_acceleration must be"),
        (lambda: Pointing((0, 0, 0), "nadir", (1, 0, 0), "velocity", gm=GM), "Pointing: axis_body must be a non-zero"),
        (lambda: Pointing((0, 0, 1), "nadir", (0, 0, -2), "velocity", gm=GM), "second_axis_body must be .*parallel"),
        (lambda: Pointing((0, 0, 1), "nadir", (1, 0, 0), "velocity"), 'gm must be given for the target "nadir"'),
        (lambda: Pointing((0, 0, 1), SUN, (1, 0, 0), "velocity"), 'gm must be given for the second_target "velocity"'),
        (lambda: Pointing((0, 0, 1), "sun", (1, 0, 0), SUN), 'sun_direction_world must be given for the target "sun"'),
        (lambda: Pointing((0, 0, 1), "moon", (1, 0, 0), SUN), 'target must be "nadir", "velocity", "sun"'),
        (lambda: Pointing((0, 0, 1), SUN, (1, 0, 0), (0, 0, 0)), "second_target must be a non-zero vector"),
        (lambda: Pointing((0, 0, 1), "nadir", (1, 0, 0), SUN, gm=-1.0), "Pointing: gm must be"),
    ],
)
def test_references_that_make_no_sense_are_rejected(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_target_of_the_wrong_type_is_rejected():
    with pytest.raises(TypeError, match="Pointing: target must be"):
        Pointing((0, 0, 1), 3.0, (1, 0, 0), SUN)


def test_directions_that_lie_on_one_line_and_a_body_at_its_target_are_rejected():
    body = SimpleNamespace(position=np.array([7e6, 0.0, 0.0]), velocity=np.array([0.0, 7e3, 0.0]))
    pointing = Pointing((0, 0, 1), (0.0, 2.0, 0.0), (1, 0, 0), "velocity", gm=GM)
    stack = SimpleNamespace(position=np.array([body.position] * 2), velocity=np.array([(1.0, 0.0, 0.0), body.velocity]))
    for measured in (body, stack):
        with pytest.raises(ValueError, match=r"Pointing: reference must be finite; .*parallel"):
            pointing.at(0.0, measured)
    at_target = Pointing((0, 0, 1), body, (1, 0, 0), (0.0, 0.0, 1.0))
    with pytest.raises(ValueError, match="the body is at a target"):
        at_target.at(0.0, body)


# One axis


@pytest.mark.parametrize("target", ["nadir", "velocity", "sun", (1.0, 2.0, 0.5)], ids=str)
def test_pointing_with_one_axis_is_the_shortest_rotation_and_does_not_roll(target):
    pointing = Pointing(AXIS, target, gm=GM, center=CENTER, sun_direction_world=SUN)
    body = on_orbit(1234.0, 0.3)
    body.orientation = SKEW_ORIENTATION
    reference = pointing.at(1234.0, body)
    axis, line = np.array(AXIS) / np.linalg.norm(AXIS), direction_of(target, body)
    np.testing.assert_allclose(Rotation.from_quat(reference.orientation).apply(axis), line, atol=1e-14)
    before = Rotation.from_quat(SKEW_ORIENTATION).apply(axis)
    angle = rotation.angle_between(reference.orientation, SKEW_ORIENTATION)
    assert angle == pytest.approx(math.acos(before @ line), rel=1e-12)
    assert abs(reference.angular_velocity_world @ line) < 1e-18
    step = 5.0
    around = [direction_of(target, on_orbit(1234.0 + step * i, 0.3)) for i in (-2, -1, 1, 2)]
    change = (around[0] - 8.0 * around[1] + 8.0 * around[2] - around[3]) / (12.0 * step)
    expected = np.cross(line, change)
    size = max(np.linalg.norm(expected), 1e-9)
    np.testing.assert_allclose(reference.angular_velocity_world, expected, rtol=0.0, atol=1e-7 * size)
    curve = (-around[0] + 16.0 * around[1] - 30.0 * line + 16.0 * around[2] - around[3]) / (12.0 * step**2)
    acceleration = np.cross(line, curve)
    np.testing.assert_allclose(reference.angular_acceleration_world, acceleration, rtol=0.0, atol=1e-5 * size / step)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.3, -0.5, 0.8)])
def test_an_axis_that_points_away_from_its_target_is_turned_half_a_turn(axis):
    axis = np.array(axis) / np.linalg.norm(axis)
    body = SimpleNamespace(position=np.zeros(3), velocity=np.zeros(3), orientation=SKEW_ORIENTATION)
    away = -Rotation.from_quat(SKEW_ORIENTATION).apply(axis)
    q = Pointing(axis, away).at(0.0, body).orientation
    np.testing.assert_allclose(Rotation.from_quat(q).apply(axis), away, atol=1e-14)
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-15)


def test_pointing_with_one_axis_gives_stacks_the_bits_that_it_gives_each_body():
    bodies = [on_orbit(100.0 * i, 0.1 * i) for i in range(6)]
    for i, body in enumerate(bodies):
        body.orientation = rotation.from_axis_angle((1.0, 0.2 * i, -0.5), 0.7 * i)
    names = ("position", "velocity", "orientation")
    stack = SimpleNamespace(**{name: np.array([getattr(body, name) for body in bodies]) for name in names})
    pointing = Pointing(AXIS, "nadir", gm=GM, center=CENTER)
    together, apart = pointing.at(0.0, stack), [pointing.at(0.0, body) for body in bodies]
    for name in ("orientation", "angular_velocity_world", "angular_acceleration_world"):
        assert getattr(together, name).tobytes() == np.array([getattr(one, name) for one in apart]).tobytes()


def test_one_axis_needs_one_target_and_two_need_two():
    with pytest.raises(ValueError, match="second_axis_body and second_target must be both given, or neither"):
        Pointing((0, 0, 1), SUN, (1, 0, 0))
    with pytest.raises(ValueError, match="both given, or neither"):
        Pointing((0, 0, 1), SUN, None, SUN)
    body = SimpleNamespace(position=np.zeros(3), velocity=np.zeros(3), orientation=SKEW_ORIENTATION)
    with pytest.raises(ValueError, match="the body is at a target"):
        Pointing((0, 0, 1), body).at(0.0, body)
    assert repr(Pointing((0, 0, 1), "sun", sun_direction_world=SUN)) == "Pointing([0.0, 0.0, 1.0], 'sun')"
