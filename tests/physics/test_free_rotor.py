"""The exact free rotor: every body, every state, steps of any length and sign, against other implementations of Jacobi's functions."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, rotation
from engine.compilation.compiler import COMPILED, plain
from engine.kernels.free_rotor import free_turn
from engine.solutions import FreeAsymmetricTop, FreeSymmetricTop

from ..helpers import (
    ASYMMETRIC,
    SKEW_AXES,
    SKEW_ORIENTATION,
    angular_momentum,
    fly,
    one_body,
    rotational_energy,
    skew_tensor,
)
from ..lengths import sized
from ..truth import rotations

METHOD = "free-rotor-2"
needs_compiler = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python, or looks at compiled code")


def turned(inertia, rates, step, orientation=SKEW_ORIENTATION):
    """Orientation and rates after one tick of this length."""
    flight = fly(METHOD, step, (step,), inertia_body=inertia, orientation=orientation, angular_velocity_body=rates)
    return flight.orientation[0], flight.angular_velocity_body[0]


@needs_compiler
def test_a_minute_next_to_the_separatrix_is_followed():
    """I = (1, 2, 3), rates (0.1, 5, 0.1), 14400 ticks of 1/240 s. Measured 3.9e-11 rad; rounding the state alone costs about as much."""
    rates = np.array((0.1, 5.0, 0.1))
    flight = fly(METHOD, 1.0 / 240.0, (60.0,), inertia_body=(1.0, 2.0, 3.0), angular_velocity_body=rates)
    truth = FreeAsymmetricTop((1.0, 2.0, 3.0), rates).orientations((60.0,))
    assert rotations.angle(flight.orientation, truth)[0] <= 1e-10


@pytest.mark.parametrize("dt", [pytest.param(1e-3, marks=needs_compiler), 1.0 / 60.0, 0.1, 1.0, 3.0, 10.0])
@pytest.mark.parametrize(
    "rates", [(0.4, 0.3, 2.5), (2.5, 0.3, 0.4), (0.2, 2.5, 0.3)], ids=["greatest", "least", "middle"]
)
def test_all_axis_orders_and_signs_are_exact_for_any_tick(dt, rates):
    """48 bodies in one world for about 10 s: the moments 1, 2, 2.5 along the body's axes in each order, rates in each octant.

    Measured at most 1e-12 rad at dt = 1e-3, 8e-14 from 0.1 s on.
    """
    ticks = round(10.0 / dt)
    orders = list(itertools.permutations(range(3)))
    signs = list(itertools.product((1.0, -1.0), repeat=3))
    cases = [(np.array((1.0, 2.0, 2.5))[list(o)], (np.array(rates) * s)[list(o)]) for o in orders for s in signs]
    world = World(dt, integrator=METHOD)
    world.add_bodies(
        [MassProperties(1.0, inertia) for inertia, _ in cases],
        names=[f"{k}" for k in range(48)],
        orientation=SKEW_ORIENTATION,
        angular_velocity_body=[start for _, start in cases],
    )
    world.step(ticks)
    for body, (inertia, start) in zip(world.bodies, cases, strict=True):
        truth = FreeAsymmetricTop(inertia, start, SKEW_ORIENTATION)
        assert rotations.angle(body.orientation, truth.orientations([ticks * dt])[0]) <= 1e-10
        assert np.abs(body.angular_velocity_body - truth.angular_velocities_body([ticks * dt])[0]).max() <= 4e-10


@pytest.mark.parametrize("off", [1e-3, 1e-8, 1e-13, 1e-18])
def test_one_step_next_to_the_separatrix(off):
    """Rates (off, 3, off), where the usual integral of the third kind loses eight digits. Measured 7e-16 rad."""
    rates = np.array((off, 3.0, off))
    truth = FreeAsymmetricTop((1.0, 2.0, 3.0), rates, SKEW_ORIENTATION)
    orientation, after = turned((1.0, 2.0, 3.0), rates, 1.0 / 60.0)
    assert rotations.angle(orientation, truth.orientations([1.0 / 60.0])[0]) <= 5e-13
    assert np.abs(after - truth.angular_velocities_body([1.0 / 60.0])[0]).max() <= 2e-14


@pytest.mark.parametrize("off", [1e-9, 1e-13, 1e-18])
def test_what_is_small_beside_the_spin_keeps_its_own_digits(off):
    """Off the middle axis by less than a square root of rounding: ω₁ = off (cosh √3t − √3 sinh √3t), ω₃ = off (cosh √3t − sinh √3t/√3)."""
    _, after = turned((1.0, 2.0, 3.0), np.array((off, 3.0, off)), 0.5)
    root = np.sqrt(3.0)
    cosh, sinh = np.cosh(0.5 * root), np.sinh(0.5 * root)
    assert after[0] / off == pytest.approx(cosh - root * sinh, rel=1e-14, abs=0.0)
    assert after[2] / off == pytest.approx(cosh - sinh / root, rel=1e-14, abs=0.0)


def test_a_flip_begun_next_to_the_separatrix_ends_where_it_should():
    """From 1e-8 off the middle axis: one step of 20 s takes the body through its flip. Measured 8e-14 rad.

    An error in the last digit of the small components moves the flip by one part in 1e16 of their growth, so nothing is amplified.
    """
    rates = np.array((1e-8, 3.0, 1e-8))
    truth = FreeAsymmetricTop((1.0, 2.0, 3.0), rates, SKEW_ORIENTATION)
    orientation, after = turned((1.0, 2.0, 3.0), rates, 20.0)
    assert rotations.angle(orientation, truth.orientations([20.0])[0]) <= 1e-12
    assert np.abs(after - truth.angular_velocities_body([20.0])[0]).max() <= 5e-12


@pytest.mark.parametrize("off", [1e-8, 1e-15, 1e-21])
def test_the_flip_itself_is_that_of_the_separatrix(off):
    """Rates (off, 3, off), I = (1, 2, 3): ω = (−3 sech, −3 tanh, √3 sech) of √3 (t − t₀), but for off².

    The flip comes when the small components have grown to those: e^(√3 t₀) = 4√3/(off (1 − 1/√3)), 29.5 s for 1e-21. One step to each
    of 25 times about it: nine levels of arithmetic-geometric means, of which the lowest matter nowhere else. Measured 2e-14.
    """
    root = np.sqrt(3.0)
    flip = np.log(4.0 * root / (off * (1.0 - 1.0 / root))) / root
    for time in flip + np.linspace(-3.0, 3.0, 25):
        _, found = turned((1.0, 2.0, 3.0), np.array((off, 3.0, off)), time)
        sech, tanh = 1.0 / np.cosh(root * (time - flip)), np.tanh(root * (time - flip))
        assert np.abs(found - (-3.0 * sech, -3.0 * tanh, root * sech)).max() <= 2e-13


def largest_component(tensor):
    """Which component of the quaternion of the principal axes is the largest, and its sign where w is not negative."""
    quaternion = rotation.from_matrix(MassProperties(1.0, tensor).principal()[1])
    place = int(np.abs(quaternion).argmax())
    return place, bool(quaternion[place] > 0.0)


def test_a_body_turns_alike_however_its_principal_axes_lie():
    """Four bodies for each of the components of the quaternion of the axes that may be the largest, of either sign, in one tick.

    Energy and the momentum in the world frame stay, and the attitude is that of Jacobi's functions. Measured 3e-15, 7e-16 and 3e-15.
    """
    kinds = {}
    for axes in Rotation.random(400, random_state=5).as_matrix():
        tensor = axes @ np.diag((1.0, 2.0, 2.5)) @ axes.T
        tensor = 0.5 * (tensor + tensor.T)
        kinds.setdefault(largest_component(tensor), []).append(tensor)
    assert set(kinds) == {(3, True), *itertools.product(range(3), (True, False))}
    tensors = [tensor for kind in sorted(kinds) for tensor in kinds[kind][:4]]
    assert len(tensors) == 28
    rates = np.random.default_rng(6).normal(size=(28, 3))
    world = World(0.7, integrator=METHOD)
    bodies = world.add_bodies(
        [MassProperties(1.0, tensor) for tensor in tensors], np.zeros((28, 3)), angular_velocity_body=rates
    )
    momenta = [angular_momentum(body) for body in bodies]
    energies = [body.kinetic_energy() for body in bodies]
    world.step()
    for body, tensor, start, momentum, energy in zip(bodies, tensors, rates, momenta, energies, strict=True):
        assert np.abs(angular_momentum(body) - momentum).max() <= 2e-14
        assert body.kinetic_energy() == pytest.approx(energy, rel=1e-14)
        truth = FreeAsymmetricTop(tensor, start).orientations([0.7])[0]
        assert rotations.angle(body.orientation, truth) <= 1e-13


@pytest.mark.parametrize("rates", [(0.4, -0.3, 2.5), (2.5, 0.3, -0.4), (0.2, 2.5, -0.3)])
@pytest.mark.parametrize("time", [30.0, 300.0, 3000.0])
def test_one_step_of_thousands_of_radians(time, rates):
    """Off by the rounding of the angle turned, some 1e-16 a radian, and by that of the moments. Measured at most 8e-12 rad at 3000 s."""
    start = SKEW_AXES @ rates
    truth = FreeAsymmetricTop(ASYMMETRIC, start, SKEW_ORIENTATION)
    orientation, after = turned(ASYMMETRIC, start, time)
    bound = 4e-15 * 2.5 * time + 1e-14
    assert rotations.angle(orientation, truth.orientations([time])[0]) <= bound
    assert np.abs(after - truth.angular_velocities_body([time])[0]).max() <= 4.0 * bound


@pytest.mark.parametrize("step", [1.0 / 60.0, 1.0, 40.0])
@pytest.mark.parametrize("moments", [(2.0, 2.0, 3.1), (2.0, 2.0, 0.7), (2.0, 2.0, 2.0 + 1e-12), (1.3, 1.3, 1.3)])
@pytest.mark.parametrize("rates", [(1.2, -0.5, 1.9), (1.2, -0.5, 0.0), (0.0, 0.0, 1.9), (1.2, 0.0, 1e-9)])
@pytest.mark.parametrize("axes", [np.eye(3), np.eye(3)[[1, 2, 0]], SKEW_AXES], ids=["z", "turned", "skew"])
def test_symmetric_bodies_and_balls(axes, rates, moments, step):
    """Equal moments, exactly so or, drawn along skew axes, to the last digits; the elementary solution. Measured 3e-14 rad at 40 s."""
    tensor = axes @ np.diag(moments) @ axes.T
    start = axes @ rates
    top = FreeSymmetricTop(moments[0], moments[2], start, SKEW_ORIENTATION, axes[:, 2])
    orientations, after = top.orientations([step]), top.angular_velocities_body([step])
    found, found_rates = turned(0.5 * (tensor + tensor.T), start, step)
    bound = 2e-14 + 2e-15 * step
    assert rotations.angle(found, orientations[0]) <= bound
    assert np.abs(found_rates - after[0]).max() <= 3.0 * bound


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("step", [1.0 / 60.0, 1.0, 1000.0])
def test_spin_about_an_axis_to_the_last_bit_stays(axis, step):
    """The middle axis too, for a thousand seconds in one step: there is nothing off it that could grow."""
    rates = -3.0 * np.eye(3)[axis]
    orientation, after = turned((1.0, 2.0, 2.5), rates, step)
    assert np.array_equal(after, rates)
    expected = Rotation.from_quat(SKEW_ORIENTATION) * Rotation.from_rotvec(step * rates)
    assert rotations.angle(orientation, expected.as_quat()) <= 1e-15 + 3e-16 * 3.0 * step


@pytest.mark.parametrize("size", [1e-120, 1e-30, 1e30, 1e120])
def test_units_do_not_matter(size):
    """Time scaled by a number: rates from 1e-120 to 1e120 rad/s give the same turn in a step scaled the other way."""
    rates = np.array((0.4, -0.3, 2.5))
    expected, _ = turned(ASYMMETRIC, rates, 1.7)
    orientation, after = turned(ASYMMETRIC, size * rates, 1.7 / size)
    assert rotations.angle(orientation, expected) < 1e-14
    assert np.isfinite(after).all()


@pytest.mark.parametrize("rates", [(0.4, -0.3, 2.5), (2.5, 0.3, -0.4), (0.02, 2.5, 0.03), (1e-9, 2.5, 0.0)])
def test_steps_follow_one_another_and_go_back(rates):
    """turn(a) then turn(b) is turn(a + b), and turn(−a) undoes turn(a)."""
    turn = plain(free_turn)
    moments = (1.0, 2.0, 2.5)
    momentum = tuple(float(value) for value in np.multiply(moments, rates))

    def after(start, *steps):
        total = Rotation.identity()
        for step in steps:
            turned_by, start = turn(moments, start, step)
            total = total * Rotation.from_quat(turned_by)
        return total.as_quat(), np.array(start)

    both, momentum_both = after(momentum, 0.7, 2.1)
    once, momentum_once = after(momentum, 2.8)
    assert rotations.angle(both, once) < 1e-13
    assert np.abs(momentum_both - momentum_once).max() < 1e-13
    back, momentum_back = after(momentum, 3.3, -3.3)
    assert rotations.angle(back, (0.0, 0.0, 0.0, 1.0)) < 1e-13
    assert np.abs(momentum_back - momentum).max() < 1e-13


@needs_compiler
@pytest.mark.parametrize("inertia", [(1.0, 2.0, 2.5), ASYMMETRIC], ids=["principal", "skew"])
@pytest.mark.parametrize("speed", [0.65, 6.5])
def test_a_million_ticks_keep_momentum_and_energy(inertia, speed):
    """4.6 hours at 1/60 s, in `.ci/run` a tenth of that.

    Measured: momentum 3e-13, energy 4e-13 at the end, a random walk of roundings; it does not grow to one side.
    """
    direction = np.array((0.3, 0.5, 0.3))
    rates = speed * direction / np.linalg.norm(direction)
    world, body = one_body(METHOD, 1.0 / 60.0, inertia_body=inertia, angular_velocity_body=rates)
    momentum, energy = angular_momentum(body), rotational_energy(body.inertia_body, rates)
    for _ in range(10):
        world.step(sized(10_000, 100_000))
        assert np.linalg.norm(angular_momentum(body) - momentum) < 1e-12 * np.linalg.norm(momentum)
        assert abs(rotational_energy(body.inertia_body, body.angular_velocity_body) / energy - 1.0) < 2e-12


@pytest.mark.parametrize("turn", np.geomspace(0.01, 100.0, 9))
def test_spin_sweep(turn):
    """dt |ω| from 0.01 to 100: 200 ticks still end where the elliptic functions do. Measured 4e-15 a radian turned, at most."""
    dt = 1.0 / 60.0
    rates = SKEW_AXES @ (np.array((0.3, 0.5, 0.8)) / np.linalg.norm((0.3, 0.5, 0.8)) * turn / dt)
    truth = FreeAsymmetricTop(ASYMMETRIC, rates, SKEW_ORIENTATION)
    time = 200 * dt
    flight = fly(
        METHOD, dt, (time,), inertia_body=ASYMMETRIC, orientation=SKEW_ORIENTATION, angular_velocity_body=rates
    )
    bound = 1e-14 * (200.0 * turn + 10.0)
    assert rotations.angle(flight.orientation, truth.orientations((time,)))[0] < bound
    assert np.abs(flight.angular_velocity_body - truth.angular_velocities_body((time,))).max() < 4.0 * bound * turn / dt


def test_moments_that_no_body_has_turn_by_the_same_equations():
    """I = (2, 8, 4), a tensor of the seeds, which breaks the triangle inequality. Truth: its own elliptic functions, measured 3e-15."""
    rates = np.array((0.0, 1.0, 0.1))
    body = FreeAsymmetricTop((2.0, 8.0, 4.0), rates)
    flight = fly(METHOD, 0.5, (10.0,), inertia_body=(2.0, 8.0, 4.0), angular_velocity_body=rates, physical=False)
    assert rotations.angle(flight.orientation, body.orientations((10.0,)))[0] < 1e-13


def test_nearly_equal_moments_are_no_border():
    """Moments that part by 1e-15 to 1e-3: the turn goes over into that of the symmetric body in proportion."""
    rates = np.array((0.7, -0.4, 1.1))
    for gap in 10.0 ** np.arange(-15.0, -2.0):
        for moments, axial in (((2.0, 2.0 * (1.0 + gap), 3.0), 3.0), ((1.0, 2.0, 2.0 * (1.0 + gap)), 1.0)):
            axis = (0.0, 0.0, 1.0) if axial == 3.0 else (1.0, 0.0, 0.0)
            top = FreeSymmetricTop(2.0, axial, rates, SKEW_ORIENTATION, axis)
            expected = top.orientations([5.0])
            orientation, _ = turned(moments, rates, 5.0)
            assert rotations.angle(orientation, expected[0]) < 20.0 * gap + 1e-13


def test_a_skew_tensor_is_the_same_body_as_its_principal_one():
    """Drawn along other axes, a body turns the same way: q' = q turn(axes)."""
    rates = np.array((0.9, -1.6, 2.2))
    straight, _ = turned((1.0, 2.0, 2.5), rates, 7.0, orientation=(0.0, 0.0, 0.0, 1.0))
    skew, _ = turned(skew_tensor((1.0, 2.0, 2.5)), SKEW_AXES @ rates, 7.0, orientation=(0.0, 0.0, 0.0, 1.0))
    axes = Rotation.from_matrix(SKEW_AXES)
    assert rotations.angle((axes * Rotation.from_quat(straight) * axes.inv()).as_quat(), skew) < 1e-13
