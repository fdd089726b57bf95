"""The seed papers' figures as numbers, and their mistakes, each printed form shown to be wrong beside the form that the engine has.

Seeds: 000 Mandre (2008), 001 Maggiore, 002 Wedekind, 003 Ganapathi (2005), 004 a page on Zhao and van Wachem. Letters and numbers of the
errata: M, G, W, V, Z in that order. `SEEDS.md` says where each of the others is held.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, forces, rotation
from engine.integrators import RungeKutta4
from engine.solutions import FreeAsymmetricTop, FreeSymmetricTop, HeavySymmetricTop, steady_precession_rates

from ..helpers import ASYMMETRIC, SKEW_AXES, SKEW_ORIENTATION, angular_momentum, fly, one_body
from ..truth import rotations

BODY_RATES = RungeKutta4(variables="body_rates")
Z = np.array([0.0, 0.0, 1.0])


def seed_body(moments, rates):
    """The seeds' tensors, that no real body has (V3), and their start."""
    return {"inertia_body": moments, "angular_velocity_body": rates, "physical": False}


CASE_C = seed_body((2.0, 2.0, 8.0), (1.0, 0.0, 1.0))
CASE_A = seed_body((2.0, 8.0, 4.0), (0.0, 1.0, 0.1))
CASE_B = seed_body((2.0, 8.0, 4.0), (0.0, 0.1, 1.0))
CASE_D = seed_body((1.0, 2.0, 3.0), (0.1, 5.0, 0.1))


# figures


@pytest.mark.parametrize(
    ("dt", "error"),
    [
        (0.02, 1.94e-6),
        (0.025, 5.93e-6),
        (1.0 / 36.0, 1.005e-5),
        (0.03, 1.48e-5),
        (1.0 / 30.0, 2.50e-5),
        (0.04, 6.22e-5),
    ],
)
def test_error_of_300_steps_is_that_of_figure_2(dt, error):
    """003 figure 2, ω = (cos Ωt, sin Ωt, 1), Ω = 3, in 300 steps of RK4 on body rates: 1e-5 rad/s at dt 1/36, spiralling outward.

    It is the phase error 300 (Ω dt)⁵/120: a third of it after 100 steps, never shrinking. To the three digits of the figures.
    """
    world, body = one_body(BODY_RATES, dt, **CASE_C)
    radius = []
    for _ in range(300):
        world.step()
        expected = np.array([np.cos(3.0 * world.time), np.sin(3.0 * world.time), 1.0])
        radius.append(np.linalg.norm(body.angular_velocity_body - expected))
    assert radius[-1] == pytest.approx(error, rel=4e-3)
    assert radius[-1] == pytest.approx(300.0 * (3.0 * dt) ** 5 / 120.0, rel=0.02)
    assert radius[99] == pytest.approx(radius[-1] / 3.0, rel=0.01)
    assert (np.diff(radius) > 0.0).all()


def test_symmetric_body_goes_round_as_in_figure_3():
    """003 figure 3: l = 8.246211, precession 4.123106 rad/s, ω on a cone of 30.9638° about l and x₃ on one of 14.0362°.

    RK4 at 1/36 s stays within 3.0e-6 rad in attitude and 8.6e-6 rad/s in the world rates over 300 steps.
    """
    dt, times = 1.0 / 36.0, np.arange(1, 301) / 36.0
    world, body = one_body(BODY_RATES, dt, **CASE_C)
    momentum = angular_momentum(body)
    assert np.linalg.norm(momentum) == pytest.approx(8.246211, abs=5e-7)
    top = FreeSymmetricTop(2.0, 8.0, (1.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0), Z)
    orientations, rates = top.orientations(times), top.angular_velocities_body(times)
    rates_world = rotations.to_world(orientations, rates)
    attitude_error, rate_error, half_angles = 0.0, 0.0, []
    for expected, expected_rates in zip(orientations, rates_world, strict=True):
        world.step()
        attitude_error = max(attitude_error, float(rotations.angle(body.orientation, expected)))
        rate_error = max(rate_error, np.linalg.norm(body.angular_velocity_world - expected_rates))
        axis = body.rotation_matrix[:, 2]
        half_angles.append(
            [
                rotations.angle_between_vectors(body.angular_velocity_world, momentum),
                rotations.angle_between_vectors(axis, momentum),
            ]
        )
    assert attitude_error == pytest.approx(3.0e-6, rel=0.05) and rate_error == pytest.approx(8.6e-6, rel=0.05)
    assert np.abs(np.degrees(half_angles) - (30.9638, 14.0362)).max() < 1e-3
    quarter = fly("rk4", 2.0 * np.pi / 4.123106 / 400.0, (0.5 * np.pi / 4.123106,), **CASE_C)
    turned = Rotation.from_rotvec(0.5 * np.pi * momentum / np.linalg.norm(momentum)).apply(Z)
    assert rotations.angle_between_vectors(rotations.to_world(quarter.orientation[0], Z), turned) < 1e-6


@pytest.mark.parametrize(
    ("case", "period", "parameter", "axis", "least", "greatest"),
    [
        (CASE_A, 3.626088644391, 0.0016639, 1, 1.65, 2.86),
        (CASE_B, 15.65193059128, 0.9433962, 2, 11.31, 168.69),
        (CASE_D, 6.859148539961, 0.9992010, 1, 1.40, 178.60),
    ],
    ids=["figure 4", "figure 5", "case D"],
)
def test_tumbling_body_swings_as_in_figures_4_and_5(case, period, parameter, axis, least, greatest):
    """003 figures 4 (stable) and 5 (flips twice a period), and case D: the period of the body rates, and how far an axis swings from l.

    After one period in 3000 ticks of RK4 the rates are back to 1e-8; the swing is that of the figures to 0.01°.
    """
    exact = FreeAsymmetricTop(case["inertia_body"], case["angular_velocity_body"])
    assert exact.period == pytest.approx(period, rel=3e-13)
    assert exact.parameter == pytest.approx(parameter, abs=6e-8)
    world, body = one_body("rk4", period / 3000.0, **case)
    momentum, start = angular_momentum(body), body.angular_velocity_body
    tilts, apart = [], []
    for _ in range(300):
        world.step(10)
        tilts.append(np.degrees(rotations.angle_between_vectors(body.rotation_matrix[:, axis], momentum)))
        apart.append(np.linalg.norm(body.angular_velocity_body - start))
    assert apart[-1] < 1e-8 and apart[149] > 0.05
    assert min(tilts) == pytest.approx(least, abs=0.01) and max(tilts) == pytest.approx(greatest, abs=0.01)
    flips = np.count_nonzero(np.diff(np.sign(np.array(tilts) - 90.0)))
    assert flips == (2 if greatest > 90.0 else 0)


def rockets(strength, size=1.0):
    """Two rockets: a couple of `strength` along z × x₃, proportional to the sine of the tilt (003 section 7), from built-in forces.

    A weight at the tip of the axis and its opposite at the mass centre.
    """

    def make(body):
        return [
            forces.ConstantForce(body, force_world=(0.0, 0.0, -strength / size), at_body=(0.0, 0.0, size)),
            forces.ConstantForce(body, force_world=(0.0, 0.0, strength / size)),
        ]

    return make


TOPS = {
    # moments, body rates, tilt, strength, physical; nutation period, least and greatest tilt, precession in one nutation
    "H": ((2.0, 2.0, 8.0), (0.0, 0.0, 1.0), 1.0, 1.0, False, 1.622833768870, 1.0, 1.05527050, 0.206080837),
    "G": ((1.0, 1.0, 0.6), (0.3, -0.5, 9.0), 0.7, 3.0, True, 1.311595562195, 0.69117380, 1.08626760, 0.750915685),
}


@pytest.mark.parametrize("case", TOPS)
def test_body_with_two_rockets_nutates_and_precesses_as_in_figure_6(case):
    """003 figure 6 (its parameters are not given: cases H and G): nutation period, range of the tilt, precession in one nutation.

    By RK4 in 2000 ticks a nutation: after one period the tilt and its rate are back and the azimuth has grown by the figure; to 1e-8.
    """
    moments, rates, tilt, strength, physical, period, least, greatest, precession = TOPS[case]
    orientation = rotations.from_axis_angle((1.0, 0.0, 0.0), tilt)
    top = HeavySymmetricTop(moments[0], moments[2], strength, rates, orientation)
    assert top.nutation_period == pytest.approx(period, rel=1e-12)
    assert top.tilt_range == pytest.approx((least, greatest), abs=1e-8)
    assert top.precession_per_nutation == pytest.approx(precession, abs=1e-9)
    world, body = one_body(
        "rk4",
        period / 2000.0,
        forces=rockets(strength),
        inertia_body=moments,
        physical=physical,
        orientation=orientation,
        angular_velocity_body=rates,
    )
    azimuth, start = axis_azimuth(body), body.angular_velocity_body
    tilts = []
    for _ in range(1000):
        world.step(2)
        tilts.append(axis_tilt(body))
    assert min(tilts) == pytest.approx(least, abs=1e-5) and max(tilts) == pytest.approx(greatest, abs=1e-5)
    assert tilts[-1] == pytest.approx(tilt, abs=1e-8)
    assert axis_azimuth(body) - azimuth == pytest.approx(precession, abs=1e-8)
    across = np.linalg.norm(start[:2])
    assert np.linalg.norm(body.angular_velocity_body[:2]) == pytest.approx(across, abs=1e-8)


def axis_tilt(body):
    return float(rotations.angle_between_vectors(body.rotation_matrix[:, 2], Z))


def axis_azimuth(body):
    return float(np.arctan2(body.rotation_matrix[1, 2], body.rotation_matrix[0, 2]))


@pytest.mark.parametrize("rate", [0.127184985, 7.276077885])
def test_body_with_two_rockets_precesses_steadily_at_two_rates(rate):
    """Case H's tilt: started at I₁ cos θ Ω² − I₃ω₃Ω + k = 0 it does not nutate. Tilt within 1e-8 over 2 s at 1/500 s."""
    slow, fast = steady_precession_rates(2.0, 8.0, spin=1.0, tilt=1.0, strength=1.0)
    assert min(abs(slow - rate), abs(fast - rate)) < 6e-10
    exact = slow if abs(slow - rate) < 1.0 else fast
    world, body = one_body(
        "rk4",
        1.0 / 500.0,
        forces=rockets(1.0),
        inertia_body=(2.0, 2.0, 8.0),
        physical=False,
        orientation=rotations.from_axis_angle((1.0, 0.0, 0.0), 1.0),
        angular_velocity_body=(0.0, exact * np.sin(1.0), 1.0),
    )
    azimuth = axis_azimuth(body)
    for _ in range(100):
        world.step(1)
        assert axis_tilt(body) == pytest.approx(1.0, abs=1e-9)
    assert axis_azimuth(body) - azimuth == pytest.approx(0.2 * rate, abs=1e-8)
    world.step(900)
    assert axis_tilt(body) == pytest.approx(1.0, abs=1e-8)


def test_torque_of_the_rockets_is_horizontal_and_the_momentum_nods():
    """V5: z × x₃ has no z component, so L_z stays; so does L·x₃. V13: L does not move in a cone, |L| and its tilt nod.

    Case H: tilt of L 57.296° to 57.350°, |L| 8.000 to 8.012. L_z measured constant to 4e-14 over ten nutations.
    """
    moments, rates, tilt, strength, physical, period, *_rest = TOPS["H"]
    world, body = one_body(
        "rk4",
        period / 200.0,
        forces=rockets(strength, size=0.8),
        inertia_body=moments,
        physical=physical,
        orientation=rotations.from_axis_angle((1.0, 0.0, 0.0), tilt),
        angular_velocity_body=rates,
    )
    lengths, tilts, vertical, axial = [], [], [], []
    for _ in range(200):
        world.step(10)
        momentum = angular_momentum(body)
        lengths.append(np.linalg.norm(momentum))
        tilts.append(np.degrees(rotations.angle_between_vectors(momentum, Z)))
        vertical.append(momentum[2])
        axial.append(momentum @ body.rotation_matrix[:, 2])
    assert np.ptp(vertical) < 1e-12 and np.ptp(axial) < 1e-6
    assert min(lengths) == pytest.approx(8.000, abs=5e-4) and max(lengths) == pytest.approx(8.012, abs=5e-4)
    assert min(tilts) == pytest.approx(57.296, abs=1e-3) and max(tilts) == pytest.approx(57.350, abs=1e-3)


# errata: seed 000, Mandre


def test_m1_force_across_a_rod_moves_its_mass_centre_in_full():
    """M1: F_perp "affects the angular movement but not the movement of the center of mass".

    Two masses on a rod, F across it at one of them: 1.0 m/s² = F/m, not F_par/m = 0.
    """
    world = World(1.0 / 100.0, integrator="rk4")
    rod = world.add_body(
        MassProperties.from_points([1.0, 1.0, 1e-3], [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.3, 0.0)]),
        orientation=SKEW_ORIENTATION,
    )
    across = rod.direction_to_world((0.0, 0.0, 2.001))
    world.add_force(forces.ConstantForce(rod, force_world=across, at_body=(1.0, 0.0, 0.0)))
    world.step()
    assert np.linalg.norm(rod.velocity) * 100.0 == pytest.approx(1.0, rel=1e-12)
    assert np.linalg.norm(rod.angular_velocity_body) > 0.0


def test_m2_angular_velocity_is_turned_but_not_moved():
    """M2: "this same formula" that takes points to the world, p + R(x − c), is not for ω and torque: at p = (10, 0, 0) it is off by 10."""
    rates = (0.7, -1.2, 1.9)
    _world, body = one_body(
        "rk4", 0.01, position=(10.0, 0.0, 0.0), orientation=SKEW_ORIENTATION, angular_velocity_body=rates
    )
    assert np.abs(body.angular_velocity_world - rotations.to_world(SKEW_ORIENTATION, rates)).max() < 1e-15
    assert np.linalg.norm(body.to_world(rates) - body.angular_velocity_world) == pytest.approx(10.0)


def test_m6_body_redrawn_along_its_principal_axes_moves_the_same():
    """M6: for new axes B (columns), q' = q quat(B), not quat(B) q. Body points coincide to 1e-15 at once, and the attitude after 2 s."""
    rates = np.array([0.9, -1.6, 2.2])
    world, body = one_body(
        "rk4", 1.0 / 100.0, inertia_body=ASYMMETRIC, orientation=SKEW_ORIENTATION, angular_velocity_body=rates
    )
    moments, axes = MassProperties(1.0, ASYMMETRIC).principal()
    turn = rotation.from_matrix(axes)
    redrawn = {"inertia_body": moments, "angular_velocity_body": axes.T @ rates}
    right_world, right = one_body("rk4", 1.0 / 100.0, orientation=rotation.multiply(SKEW_ORIENTATION, turn), **redrawn)
    wrong_world, wrong = one_body("rk4", 1.0 / 100.0, orientation=rotation.multiply(turn, SKEW_ORIENTATION), **redrawn)
    point = np.array([0.3, -0.8, 0.5])
    assert np.abs(right.to_world(axes.T @ point) - body.to_world(point)).max() < 2e-15
    assert np.abs(wrong.to_world(axes.T @ point) - body.to_world(point)).max() > 0.1
    for each in (world, right_world, wrong_world):
        each.step(200)
    drawn_back = rotation.conjugate(turn)
    assert rotations.angle(rotation.multiply(right.orientation, drawn_back), body.orientation) < 1e-13
    assert rotations.angle(rotation.multiply(wrong.orientation, drawn_back), body.orientation) > 0.1


def test_m10_game_mode_loses_the_momentum_itself():
    """M10: without the gyroscopic term not "the wobble" is lost but L: it turns with the body.

    Case B: by 11.2° in half a turn, ω constant.
    """
    rates = np.array([0.0, 0.1, 1.0])
    half_turn = np.pi / np.linalg.norm(rates)
    world, body = one_body("rk4", half_turn / 200.0, game_mode=True, **CASE_B)
    momentum = angular_momentum(body)
    world.step(200)
    assert np.array_equal(body.angular_velocity_body, rates)
    assert np.degrees(rotations.angle_between_vectors(angular_momentum(body), momentum)) == pytest.approx(
        11.2, abs=0.05
    )


# seed 001, Maggiore


MASSES = np.array([1.0, 2.0, 0.5, 1.5, 0.8])
PLACES = np.array([(1.0, 0.2, -0.3), (-0.4, 1.1, 0.5), (0.6, -0.9, 1.3), (-1.2, 0.3, -0.7), (0.1, 0.4, 0.9)])


def test_g1_g2_inertia_is_the_sum_of_each_mass_times_a_matrix():
    """G1, G2: Σ m (r² 1 − r rᵀ) about the mass centre; as printed, without m or with r² as a scalar, it is another tensor."""
    made = MassProperties.from_points(MASSES, PLACES)
    center = MASSES @ PLACES / MASSES.sum()
    arms = PLACES - center
    outer = np.einsum("ni,nj->nij", arms, arms)
    squares = np.square(arms).sum(axis=1)
    right = (MASSES[:, None, None] * (squares[:, None, None] * np.eye(3) - outer)).sum(axis=0)
    assert np.abs(made.inertia_body - right).max() < 1e-14
    assert np.abs(made.center_of_mass_body - center).max() < 1e-15
    without_masses = (squares[:, None, None] * np.eye(3) - outer).sum(axis=0)
    scalar = (MASSES[:, None, None] * (squares[:, None, None] - outer)).sum(axis=0)
    assert np.abs(made.inertia_body - without_masses).max() > 0.5
    assert np.abs(made.inertia_body - scalar).max() > 2.0


def test_g3_inverse_inertia_in_the_world_is_turned_and_not_inverted_again():
    """G3: J⁻¹ = R J_body⁻¹ Rᵀ, the inverse of R J_body Rᵀ; Rᵀ J R is another."""
    _world, body = one_body("rk4", 0.01, inertia_body=ASYMMETRIC, orientation=SKEW_ORIENTATION)
    r = rotations.matrix(SKEW_ORIENTATION)
    assert np.abs(body.inertia_world - r @ ASYMMETRIC @ r.T).max() < 2e-15
    assert np.abs(body.inverse_inertia_world - r @ np.linalg.inv(ASYMMETRIC) @ r.T).max() < 2e-15
    assert np.abs(body.inverse_inertia_world @ body.inertia_world - np.eye(3)).max() < 2e-15
    assert np.abs(body.inertia_world - r.T @ ASYMMETRIC @ r).max() > 0.1


def test_g4_gram_schmidt_takes_the_tangent_out_of_the_normal():
    """G4: N' = N − T (N·T); as printed, N − N (N·T), N keeps its direction and T·N is what it was, 0.1 here."""
    frame = rotations.matrix(SKEW_ORIENTATION) @ (
        np.eye(3) + 0.1 * np.array([[0.2, 1.0, 0.0], [0.0, -0.3, 0.5], [0.0, 0.2, 0.1]])
    )
    made = rotation.orthonormalize(frame)
    assert np.abs(made.T @ made - np.eye(3)).max() < 4e-16
    tangent, normal = frame[:, 0] / np.linalg.norm(frame[:, 0]), frame[:, 1]
    assert np.abs(made[:, 0] - tangent).max() < 4e-16
    right = normal - tangent * (normal @ tangent)
    assert np.abs(made[:, 1] - right / np.linalg.norm(right)).max() < 4e-16
    printed = normal - normal * (normal @ tangent)
    assert abs(printed @ tangent) / np.linalg.norm(printed) > 0.05


def test_g7_time_passes_once_a_tick_and_not_once_a_body():
    """G7: t += dt inside the loop over bodies. Three bodies, force cos t, 2 s at 0.01: v = sin 2, where the printed clock reads 6 s."""
    world = World(0.01, integrator="rk4")
    bodies = [world.add_body(MassProperties.box(1.0, (1.0, 2.0, 3.0))) for _ in range(3)]

    @world.add_force
    def swing(wrench, bodies, time):
        wrench.force_world[:, 0] += np.cos(time)

    world.step(200)
    assert world.time == 2.0
    for body in bodies:
        assert body.velocity[0] == pytest.approx(np.sin(2.0), abs=1e-11)
    printed, time = np.zeros(3), 0.0
    for _ in range(200):
        for index in range(3):
            printed[index] += 0.01 * np.cos(time)
            time += 0.01
    assert time == pytest.approx(6.0) and np.abs(printed - np.sin(2.0)).max() > 0.9


def test_g9_quaternion_is_normalised_every_tick():
    """G9: left alone, RK4 lets |q| shrink by (ωdt/2)⁶/144 per tick, 7e-10 for case D at 1/60 s; the engine's stays one to an ulp."""
    world, body = one_body("rk4", 1.0 / 60.0, **CASE_D)
    exact, drift = FreeAsymmetricTop((1.0, 2.0, 3.0), (0.1, 5.0, 0.1)), 0.0
    for _ in range(60):
        world.step(10)
        drift = max(drift, abs(np.linalg.norm(body.orientation) - 1.0))
    assert drift < 4.5e-16
    q, rates = np.array([0.0, 0.0, 0.0, 1.0]), exact.angular_velocities_body
    for tick in range(600):
        q = unnormalised_step(q, rates, tick / 60.0, 1.0 / 60.0)
    assert 1e-8 < 1.0 - np.linalg.norm(q) < 1e-5


def unnormalised_step(q, rates, time, dt):
    """One RK4 step of dq/dt = q ω/2 for known body rates."""

    def slope(q, t):
        w = np.append(rates(np.array([t]))[0], 0.0)
        return 0.5 * rotation.multiply(q / np.linalg.norm(q), w) * np.linalg.norm(q)

    k1 = slope(q, time)
    k2 = slope(q + 0.5 * dt * k1, time + 0.5 * dt)
    k3 = slope(q + 0.5 * dt * k2, time + 0.5 * dt)
    k4 = slope(q + dt * k3, time + dt)
    return q + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


# seed 002, Wedekind


def test_w1_euler_s_steps_gain_energy_that_the_engine_does_not():
    """W1: c + v h, q + q' h, ω + ω' h are of order one. Ten seconds of case D at 1/60 s: 37 % of the energy, against 3e-7 by RK4."""
    moments, rates = np.array([1.0, 2.0, 3.0]), np.array([0.1, 5.0, 0.1])
    printed = rates.copy()
    for _ in range(600):
        printed = printed - np.cross(printed, moments * printed) / moments / 60.0
    energy = moments @ rates**2
    assert moments @ printed**2 / energy - 1.0 > 0.3
    flight = fly("rk4-world-rates", 1.0 / 60.0, (10.0,), **CASE_D)
    assert abs(moments @ flight.angular_velocity_body[0] ** 2 / energy - 1.0) < 1e-6


def test_w2_a_quaternion_a_little_too_long_does_not_stretch_the_body():
    """W2: R(q) by q e q* scales as |q|², so R I₀ Rᵀ as |q|⁴: 2e-6 at 1 + 5e-7. The engine normalises on the way in."""
    _world, body = one_body("rk4", 0.01, inertia_body=ASYMMETRIC, orientation=SKEW_ORIENTATION * (1.0 + 5e-7))
    r = rotations.matrix(SKEW_ORIENTATION)
    right = r @ ASYMMETRIC @ r.T
    assert np.abs(body.inertia_world - right).max() < 2e-15
    stretched = (1.0 + 5e-7) ** 2 * r
    assert np.abs(stretched @ ASYMMETRIC @ stretched.T - right).max() > 1e-6


# seed 003, Ganapathi


def test_v1_rates_of_the_symmetric_body_are_cosine_and_sine():
    """V1: (ω₀ cos Ωt, ω₀ sin Ωt, ω₃); as printed, with two cosines, off by 1.37 at t = 0.7."""
    flight = fly(BODY_RATES, 0.001, (0.7,), **CASE_C)
    right = np.array([np.cos(2.1), np.sin(2.1), 1.0])
    assert np.abs(flight.angular_velocity_body[0] - right).max() < 1e-11
    assert np.abs(flight.angular_velocity_body[0] - (np.cos(2.1), np.cos(2.1), 1.0)).max() == pytest.approx(
        1.37, abs=0.005
    )


def test_v2_quaternion_turns_at_half_the_rate():
    """V2: q' = [0 ω] q/2, not [0 ω] q. Case A after 3 s: the printed form is 3.0 rad off."""
    flight = fly("rk4", 0.002, (3.0,), **CASE_A)
    exact = FreeAsymmetricTop((2.0, 8.0, 4.0), (0.0, 1.0, 0.1))
    assert rotations.angle(flight.orientation[0], exact.orientations((3.0,))[0]) < 1e-10
    q = np.array([0.0, 0.0, 0.0, 1.0])
    for tick in range(1500):
        rates = (
            2.0 * exact.angular_velocities_body(np.array([0.002 * (tick + 0.5)]))[0]
        )  # twice the rate is the missing half
        q = rotation.multiply(q, Rotation.from_rotvec(0.002 * rates).as_quat())
    assert rotations.angle(q, flight.orientation[0]) == pytest.approx(3.0, abs=0.1)


@pytest.mark.parametrize("moments", [(2.0, 2.0, 8.0), (2.0, 8.0, 4.0)])
def test_v3_tensors_of_the_seeds_are_those_of_no_body(moments):
    """V3: each moment is at most the sum of the other two; they fly only when asked for by `physical=False`."""
    with pytest.raises(ValueError):
        MassProperties(1.0, moments)
    assert np.array_equal(MassProperties(1.0, moments, physical=False).inertia_body, np.diag(moments))


def test_v4_ellipsoid_of_equal_inertia_has_other_axes_than_the_moments():
    """V4: a_i² ∝ I₁ + I₂ + I₃ − 2I_i. For I = 1, 2, 2.5 semi-axes of 1, 2, 2.5 would give moments in ratio 1 : 0.71 : 0.49."""
    moments = np.array([1.0, 2.0, 2.5])
    axes = MassProperties(3.0, moments).equivalent_ellipsoid()
    assert np.abs(axes**2 - 5.0 / 6.0 * (moments.sum() - 2.0 * moments)).max() < 1e-14
    assert np.abs(np.diag(MassProperties.ellipsoid(3.0, axes).inertia_body) - moments).max() < 1e-14
    printed = np.diag(MassProperties.ellipsoid(3.0, moments).inertia_body)
    assert printed / printed[0] == pytest.approx((1.0, 0.71, 0.49), abs=0.005)


def test_v6_acceleration_is_force_over_mass():
    """V6: v' = f/m, not f."""
    flight = fly(
        "rk4", 0.125, (1.0,), forces=lambda body: [forces.ConstantForce(body, force_world=(1.0, 2.0, -4.0))], mass=4.0
    )
    assert np.array_equal(flight.velocity[0], (0.25, 0.5, -1.0))


def test_v7_points_on_the_angular_velocity_stand_still_and_the_axis_moves_across():
    """V7: not points on ω but points on x₃ move across the plane of l and x₃: at 1.0 m/s for case C, those on ω not at all."""
    _world, body = one_body("rk4", 0.01, orientation=SKEW_ORIENTATION, **CASE_C)
    along = body.angular_velocity_body / np.linalg.norm(body.angular_velocity_body)
    assert np.abs(body.velocity_at(along)).max() < 1e-16
    speed = body.velocity_at(Z)
    assert np.linalg.norm(speed) == pytest.approx(1.0, rel=1e-15)
    assert abs(speed @ angular_momentum(body)) < 1e-14 and abs(speed @ body.rotation_matrix[:, 2]) < 1e-15


def test_v8_spin_in_the_precessing_frame_is_not_the_axial_rate():
    """V8: (l/λ₃) cos θ is ω₃ = 1; the spin seen from the frame that precesses is l cos θ (1/λ₃ − 1/λ₁) = −3 rad/s (case C).

    Attitude at 2 s rebuilt as turn(l̂, tl/λ₁) turn(x₃, spin t): right to 4e-11, with the printed spin 1.72 rad off.
    """
    flight = fly("rk4", 0.002, (2.0,), **CASE_C)
    momentum = np.array([2.0, 0.0, 8.0])
    length = np.linalg.norm(momentum)
    cosine = momentum[2] / length
    precession = Rotation.from_rotvec(2.0 * momentum / 2.0)

    def rebuilt(spin):
        return (precession * Rotation.from_rotvec(2.0 * spin * Z)).as_quat()

    spin = length * cosine * (1.0 / 8.0 - 1.0 / 2.0)
    assert spin == pytest.approx(-3.0)
    assert rotations.angle(flight.orientation[0], rebuilt(spin)) < 1e-9
    assert rotations.angle(flight.orientation[0], rebuilt(length * cosine / 8.0)) == pytest.approx(1.72, abs=0.01)


def test_v9_time_in_the_place_of_the_torque_would_spin_the_body_up():
    """V9: getWdot(W, t, I) with section 7's getWdot takes (t, t, t) for a torque. Such a torque does change L; a free body's L stays.

    Case C: 1.53 times the momentum after 3 s.
    """

    def printed(wrench, bodies, time):
        wrench.torque_body[0] += time

    free, body = one_body("rk4", 0.01, **CASE_C)
    spun, other = one_body("rk4", 0.01, forces=lambda body: [printed], **CASE_C)
    before = np.linalg.norm(angular_momentum(body))
    free.step(300)
    spun.step(300)
    assert np.linalg.norm(angular_momentum(body)) == pytest.approx(before, rel=1e-13)
    assert np.linalg.norm(angular_momentum(other)) == pytest.approx(1.53 * before, rel=0.01)


def test_v12_product_of_quaternions_turns_by_the_second_first():
    """V12: p q is q first and then p, not "in sequence"."""
    p, q = rotations.from_axis_angle((1.0, 2.0, -0.5), 0.9), rotations.from_axis_angle((-0.3, 1.0, 0.8), 1.7)
    v = np.array([0.4, -1.1, 0.7])
    assert np.abs(rotation.rotate(rotation.multiply(p, q), v) - rotation.rotate(p, rotation.rotate(q, v))).max() < 1e-15
    assert np.abs(rotation.rotate(rotation.multiply(p, q), v) - rotation.rotate(q, rotation.rotate(p, v))).max() > 0.1


def test_v14_every_free_body_and_the_rocket_top_have_a_closed_form():
    """V14: not the symmetric body alone. An asymmetric one drawn skew, and the top with rockets, both for 5 s: RK4 at 1/500 s meets them.

    Measured 6e-12 and 3e-9 rad.
    """
    start = SKEW_AXES @ (0.4, 1.9, -0.7)
    free = fly("rk4", 0.002, (5.0,), inertia_body=ASYMMETRIC, orientation=SKEW_ORIENTATION, angular_velocity_body=start)
    exact = FreeAsymmetricTop(ASYMMETRIC, start, SKEW_ORIENTATION).orientations((5.0,))
    assert rotations.angle(free.orientation, exact)[0] < 5e-11
    moments, rates, tilt, strength, physical, *_rest = TOPS["G"]
    orientation = rotations.from_axis_angle((0.8, -0.6, 0.0), tilt)
    setup = {"inertia_body": moments, "physical": physical, "orientation": orientation, "angular_velocity_body": rates}
    driven = fly("rk4", 0.002, (5.0,), forces=rockets(strength), **setup)
    top = HeavySymmetricTop(moments[0], moments[2], strength, rates, orientation)
    assert rotations.angle(driven.orientation, top.orientations((5.0,)))[0] < 2e-8
