"""Torque-free bodies: conserved quantities, closed forms, precession rates, stable and unstable axes."""

import numpy as np
import pytest

from engine import World, integrators
from engine.solutions import FreeAsymmetricTop, FreeSymmetricTop

from ..helpers import (
    ASYMMETRIC,
    SKEW_AXES,
    SKEW_ORIENTATION,
    angular_momentum,
    errors,
    fly,
    one_body,
    rotational_energy,
    skew_tensor,
)
from ..truth import rotations
from ..truth.reference import solve

every_method = pytest.mark.parametrize("method", integrators.ALL_INTEGRATORS, ids=lambda method: method.name)
every_fine_method = pytest.mark.parametrize(
    "method", [method for method in integrators.ALL_INTEGRATORS if method.order >= 4], ids=lambda method: method.name
)

KEEP_MOMENTUM = (
    "semi-implicit-euler",
    "rk4",
    "axis-splitting-2",
    "axis-splitting-4",
    "free-rotor-2",
    "free-rotor-4",
    "saba4",
)
"""Methods that keep the angular momentum of a free body to rounding."""

RATES = (0.9, -1.6, 2.2)
FLIGHT = {"orientation": SKEW_ORIENTATION, "angular_velocity_body": RATES, "inertia_body": ASYMMETRIC}
DT = 1.0 / 60.0

KEEP_MOMENTUM = ("semi-implicit-euler", "rk4", "midpoint")
"""The methods that keep the angular momentum of a free body to rounding."""


def truncation(order, rate, dt, time):
    """A bound on the error of a method of this order: a twelfth of (ω dt)^order of the angle turned.

    That is ten times the lag of RK4 in a steady turn, (ω dt)⁴/120 of the angle; each test states what was measured.
    """
    return (rate * dt) ** order * rate * time / 12.0


def steady(method, rates, time, rounding):
    """How far constant rates may creep: Nyström's method reads them off q and dq/dt, and holds them to its order only.

    It slows a steady turn by (ω dt)⁶/1370 per tick, as measured at 1, 3 and 6 rad/s: 1.4e-9 of the rates in 2 s at 3 rad/s.
    """
    speed = np.linalg.norm(rates)
    return speed * (speed * DT) ** 6 / 1300.0 * time / DT if method.name == "nystrom" else rounding


@every_method
def test_mass_centre_moves_in_a_straight_line_at_constant_speed(method):
    """x = x₀ + v t while the body tumbles. The velocity keeps its bits; 600 additions of v dt round by at most 600 ulps of 9."""
    start, velocity = np.array([1.0, -2.0, 3.0]), np.array([0.7, -0.4, 0.3])
    flight = fly(method, DT, (10.0,), position=start, velocity=velocity, **FLIGHT)
    assert np.array_equal(flight.velocity[0], velocity)
    assert np.abs(flight.position[0] - (start + 10.0 * velocity)).max() < 600 * 2.0**-53 * 16.0


@every_method
def test_free_body_keeps_angular_momentum(method):
    """L = R I ω stays in length and direction: to rounding where L is the variable, else to the order of the method.

    Measured over 600 ticks, relative: 4e-14 for the methods in angular momentum and the splittings, 1.3e-8 and 9e-8 for RK4 in body
    and world rates.
    """
    world, body = one_body(method, DT, **FLIGHT)
    start = angular_momentum(body)
    worst = 0.0
    for _ in range(60):
        world.step(10)
        worst = max(worst, np.linalg.norm(angular_momentum(body) - start) / np.linalg.norm(start))
    keeps_to_rounding = method.name in KEEP_MOMENTUM
    assert worst < (1e-13 if keeps_to_rounding else truncation(method.order, np.linalg.norm(RATES), DT, 10.0))


@every_fine_method
def test_free_body_keeps_energy_to_the_order_of_the_method(method):
    """T = ω·Iω/2 of 600 ticks; measured 7e-9 at the most, and a sixteenth of it or less at half the step."""
    drift = []
    for dt in (DT, 0.5 * DT):
        flight = fly(method, dt, (10.0,), **FLIGHT)
        start = rotational_energy(ASYMMETRIC, np.array(RATES))
        drift.append(abs(rotational_energy(ASYMMETRIC, flight.angular_velocity_body[0]) / start - 1.0))
    assert drift[0] < truncation(4, np.linalg.norm(RATES), DT, 10.0)
    assert drift[1] < max(drift[0] / 2.0**3.9, 1e-12)


def test_semi_implicit_euler_never_blows_up():
    """L is kept at any spin, so 2T lies between L²/I₃ and L²/I₁ whatever the step: at ω dt = 1.5, for 5000 ticks."""
    rates = np.array([30.0, -50.0, 70.0])
    world, body = one_body("semi-implicit-euler", DT, inertia_body=ASYMMETRIC, angular_velocity_body=rates)
    momentum_squared = float(np.square(ASYMMETRIC @ rates).sum())
    for _ in range(50):
        world.step(100)
        twice_energy = 2.0 * rotational_energy(ASYMMETRIC, body.angular_velocity_body)
        assert momentum_squared / 2.5 * (1.0 - 1e-12) < twice_energy < momentum_squared / 1.0 * (1.0 + 1e-12)


@every_fine_method
@pytest.mark.parametrize(
    "rates", [(0.4, -0.3, 2.5), (2.5, 0.3, -0.4), (0.02, 2.5, 0.03)], ids=["greatest", "least", "separatrix"]
)
def test_tumbling_follows_the_elliptic_functions(method, rates):
    """Both energy branches and next to the separatrix, by Jacobi's functions, for 8 s; rates along the principal axes.

    Measured at 1/120 s: angles at most 3e-9 to 1.4e-8 rad, rates 1e-9 to 5e-8 rad/s, by the variables of RK4.
    """
    dt, times = 1.0 / 120.0, (2.0, 4.0, 6.0, 8.0)
    start = SKEW_AXES @ rates
    truth = FreeAsymmetricTop(ASYMMETRIC, start, SKEW_ORIENTATION)
    flight = fly(method, dt, times, inertia_body=ASYMMETRIC, orientation=SKEW_ORIENTATION, angular_velocity_body=start)
    bound = truncation(4, 2.6, dt, 8.0)
    assert rotations.angle(flight.orientation, truth.orientations(times)).max() < bound
    assert np.abs(flight.angular_velocity_body - truth.angular_velocities_body(times)).max() < bound


@every_fine_method
@pytest.mark.parametrize(("transverse", "axial"), [(2.0, 3.1), (2.0, 0.7)], ids=["flat", "slender"])
def test_symmetric_body_precesses_at_its_momentum_over_the_transverse_moment(method, transverse, axial):
    """The symmetry axis goes round L at L/I₁: R(t) = turn(L̂, tL/I₁) R(0) turn(axis, −λt). Measured at most 1.4e-8 rad at 1/120 s."""
    dt, times = 1.0 / 120.0, (2.0, 4.0, 6.0, 8.0)
    start = SKEW_AXES @ (1.2, -0.5, 1.9)
    top = FreeSymmetricTop(transverse, axial, start, SKEW_ORIENTATION, SKEW_AXES[:, 2])
    orientations, rates = top.orientations(times), top.angular_velocities_body(times)
    flight = fly(
        method,
        dt,
        times,
        inertia_body=skew_tensor((transverse, transverse, axial)),
        orientation=SKEW_ORIENTATION,
        angular_velocity_body=start,
    )
    bound = truncation(4, 3.0, dt, 8.0)
    assert rotations.angle(flight.orientation, orientations).max() < bound
    assert np.abs(flight.angular_velocity_body - rates).max() < bound


@every_method
def test_ball_turns_about_a_fixed_axis(method):
    """Equal moments: R(t) = R(0) turn(ω t), rates unchanged to 600 roundings.

    The angle is that of the method's own turn: exact for an exponential, low by (ω dt)⁵/120 per tick for RK4.
    """
    rates = np.array(RATES)
    flight = fly(
        method, DT, (10.0,), inertia_body=(1.7, 1.7, 1.7), orientation=SKEW_ORIENTATION, angular_velocity_body=rates
    )
    expected = rotations.Rotation.from_quat(SKEW_ORIENTATION) * rotations.Rotation.from_rotvec(10.0 * rates)
    assert np.abs(flight.angular_velocity_body[0] - rates).max() < steady(method, rates, 10.0, 600 * 2.0**-52 * 4.0)
    bound = 1e-12 if method.order == 1 else truncation(method.order, np.linalg.norm(rates), DT, 10.0)
    assert rotations.angle(flight.orientation[0], expected.as_quat()) < bound


@every_method
@pytest.mark.parametrize("axis", [0, 1, 2], ids=["least", "middle", "greatest"])
def test_spin_about_a_principal_axis_stays(method, axis):
    """ω × Iω = 0 on each of the three, the middle one too: nothing but rounding stirs it, and 2 s is too short for that to grow."""
    rates = 3.0 * SKEW_AXES[:, axis]
    flight = fly(method, DT, (2.0,), inertia_body=ASYMMETRIC, orientation=SKEW_ORIENTATION, angular_velocity_body=rates)
    assert np.abs(flight.angular_velocity_body[0] - rates).max() < steady(method, rates, 2.0, 1e-12)


def largest_tilt(method, axis, seconds=30.0, **setup):
    """The greatest angle [rad] that a nearly pure spin about a principal axis of `ASYMMETRIC` makes with it."""
    direction = SKEW_AXES[:, axis]
    rates = SKEW_AXES @ (3.0 * np.eye(3)[axis] + (0.03, 0.03, 0.03))
    world, body = one_body(method, DT, inertia_body=ASYMMETRIC, angular_velocity_body=rates, **setup)
    worst = 0.0
    for _ in range(round(seconds * 10.0)):
        world.step(6)
        worst = max(worst, float(rotations.angle_between_vectors(body.angular_velocity_body, direction)))
    return worst


@every_fine_method
def test_spin_is_stable_about_least_and_greatest_axis_and_flips_about_the_middle_one(method):
    """A hundredth of the spin across it: less than 1 degree about the outer axes for ever, and half a turn about the middle one."""
    assert largest_tilt(method, 0) < np.radians(1.5)
    assert largest_tilt(method, 2) < np.radians(1.5)
    assert largest_tilt(method, 1) > np.radians(175.0)


@every_fine_method
def test_a_wheel_along_the_middle_axis_makes_it_stable(method):
    """Stored momentum h along it stiffens both directions: (h + (I₂ − I₁)ω₂)(h + (I₂ − I₃)ω₂) > 0 for h = 6, ω₂ = 3; measured 0.9°."""
    assert largest_tilt(method, 1, stored_momentum_body=6.0 * SKEW_AXES[:, 1]) < np.radians(1.5)


@every_method
def test_body_with_stored_momentum_keeps_the_sum(method):
    """R (I ω + h) is what a gyrostat keeps; I ω alone is not. Measured 4e-14; 6e-8 and 1e-6 for RK4 in body and world rates."""
    stored = np.array([0.8, -0.5, 1.3])
    world, body = one_body(method, DT, stored_momentum_body=stored, **FLIGHT)
    start, own = angular_momentum(body), rotations.to_world(body.orientation, ASYMMETRIC @ body.angular_velocity_body)
    assert np.allclose(body.angular_momentum_world, start, rtol=0.0, atol=1e-14)
    world.step(600)
    change = np.linalg.norm(angular_momentum(body) - start) / np.linalg.norm(start)
    own_change = np.linalg.norm(rotations.to_world(body.orientation, ASYMMETRIC @ body.angular_velocity_body) - own)
    keeps_to_rounding = method.name in KEEP_MOMENTUM
    assert change < (1e-13 if keeps_to_rounding else truncation(method.order, np.linalg.norm(RATES), DT, 10.0))
    assert own_change > 0.1


@every_method
def test_game_mode_keeps_the_body_rates_of_a_free_body(method):
    """Without ω × (Iω + h) nothing changes them: the same bits after 600 ticks. The body turns about one axis, so L goes round with it."""
    world, body = one_body(method, DT, game_mode=True, stored_momentum_body=(0.8, -0.5, 1.3), **FLIGHT)
    momentum = angular_momentum(body)
    world.step(600)
    assert np.array_equal(body.angular_velocity_body, RATES)
    expected = rotations.Rotation.from_quat(SKEW_ORIENTATION) * rotations.Rotation.from_rotvec(10.0 * np.array(RATES))
    bound = 1e-12 if method.order == 1 else truncation(method.order, np.linalg.norm(RATES), DT, 10.0)
    assert rotations.angle(body.orientation, expected.as_quat()) < bound
    assert np.linalg.norm(angular_momentum(body) - momentum) > 0.1


@every_method
def test_body_at_rest_stays_at_rest(method):
    """No bit of position, velocity or rates moves; the unit quaternion may be normalised again, by one ulp."""
    flight = fly(method, DT, (10.0,), position=(1.0, 2.0, 3.0), orientation=SKEW_ORIENTATION, inertia_body=ASYMMETRIC)
    assert np.array_equal(flight.position[0], (1.0, 2.0, 3.0))
    assert not flight.velocity.any() and not flight.angular_velocity_body.any()
    assert np.abs(flight.orientation[0] - SKEW_ORIENTATION).max() < 2.0**-52


def test_bodies_of_one_world_tumble_as_if_alone():
    """Thirteen tumbling bodies give the bits that each gives in a world of its own, whatever the method."""
    generator = np.random.default_rng(7)
    for method in integrators.ALL_INTEGRATORS:
        world = World(DT, integrator=method)
        alone = []
        for _ in range(13):
            moments = np.sort(generator.uniform(1.0, 1.9, 3))
            setup = {"inertia_body": skew_tensor(moments), "angular_velocity_body": generator.normal(size=3)}
            single, _body = one_body(method, DT, **setup)
            single.step(20)
            alone.append(single.bodies[0])
            world.add_body(single.bodies[0].mass_properties, angular_velocity_body=setup["angular_velocity_body"])
        world.step(20)
        for body, other in zip(world.bodies, alone, strict=True):
            assert np.array_equal(body.orientation, other.orientation)
            assert np.array_equal(body.angular_velocity_body, other.angular_velocity_body)


# Van Zon and Schofield (2006), as in JSBSim's rotation notebook: I = diag(10, 20, 26), ω₀ = (1, 15, 1), from the identity.
# A 30-digit Taylor run; quaternions here scalar first, as there.
VAN_ZON = {
    0.5: (
        (-0.80646077961752756, 0.12815115353997543, -0.57562533295531043, -0.043055415979308499),
        (-4.4517010020621275, 14.138946598585485, 3.6142206497355648),
    ),
    1.0: (
        (0.090466756119095905, -0.68406273392886206, 0.12320563852577835, 0.71322809305474931),
        (-3.8281667458526421, -14.380317074202409, 3.1229978852152589),
    ),
    2.0: (
        (-0.02678735289075224, 0.22806204351458092, 0.85989111750766276, 0.45591381648781233),
        (10.799664172090836, 8.4156405000893073, 8.6673845694998518),
    ),
    5.0: (
        (-0.26668647868209626, 0.00021063998817220769, -0.96089259955261043, -0.074590145756432602),
        (-1.0089881330718251, 14.999197442855411, 1.0057708654405741),
    ),
    10.0: (
        (-0.80115547653113008, 0.17783618504593759, 0.45844158615951027, 0.34110922853543152),
        (-8.9329781478705381, 10.951523571915611, 7.1771583276718637),
    ),
}


def van_zon_rows():
    orientation = np.array([(x, y, z, w) for (w, x, y, z), _rates in VAN_ZON.values()])
    return list(VAN_ZON), orientation, np.array([rates for _quaternion, rates in VAN_ZON.values()])


def test_elliptic_functions_give_van_zons_rows():
    """The truth of this folder against somebody else's 30 digits: 3e-14 rad, 4e-14 rad/s measured."""
    times, orientation, rates = van_zon_rows()
    body = FreeAsymmetricTop((10.0, 20.0, 26.0), np.array([1.0, 15.0, 1.0]), (0.0, 0.0, 0.0, 1.0))
    assert rotations.angle(body.orientations(times), orientation).max() < 1e-11
    assert np.abs(body.angular_velocities_body(times) - rates).max() < 1e-10


@every_fine_method
def test_top_near_its_unstable_axis_follows_van_zons_rows(method):
    """15 rad/s about the middle axis, flipping six times in 10 s. Slope over two steps, and the error at 1/1920 s.

    Measured at 1/1920 s, summed over the rows: at most 2.5e-8 rad and 4e-7 rad/s; rounding alone, with methods that are exact here, 6e-10.
    """
    times, orientation, rates = van_zon_rows()
    truth = type("Rows", (), {"orientation": orientation, "angular_velocity_body": rates})
    names = ("orientation", "angular_velocity_body")
    setup = {"inertia_body": (10.0, 20.0, 26.0), "angular_velocity_body": (1.0, 15.0, 1.0)}
    coarse, fine = (errors(fly(method, 1.0 / ticks, times, **setup), truth, names) for ticks in (960, 1920))
    for name in names:
        assert fine[name] < max(coarse[name] / 2.0**3.9, 2e-9)
    assert fine["orientation"] < 2e-7 and fine["angular_velocity_body"] < 3e-6


def test_gyrostat_reference_keeps_energy_and_momentum():
    """The numerical truth of a body with a wheel, by what it must keep: ω·Iω and |I ω + h|. Measured 1.2e-12."""
    stored = np.array([0.8, -0.5, 1.3])
    motion = solve((3.0, 7.0, 10.0), stored_momentum_body=stored, **FLIGHT)
    energy = rotational_energy(ASYMMETRIC, motion.angular_velocity_body)
    momentum = rotations.to_world(motion.orientation, motion.angular_velocity_body @ ASYMMETRIC + stored)
    expected = rotations.to_world(SKEW_ORIENTATION, ASYMMETRIC @ RATES + stored)
    assert np.allclose(energy, rotational_energy(ASYMMETRIC, np.array(RATES)), rtol=1e-11)
    assert np.abs(momentum - expected).max() < 1e-11
