"""Orbits: elements, motion on every conic against decimal numbers of sixty digits, published examples, and the orbital frame."""

import math

import numpy as np
import pytest

from engine import rotation
from engine.flight import orbit
from engine.kernels.kepler import kepler

from ..truth import two_body

EPS = 2.2e-16
EARTH = 3.986004418e14
"""GM of the Earth [m³/s²], WGS 84."""


def random_orbits(count, seed, *, times=3.0):
    """Orbits of all kinds over 20 powers of ten in GM and 9 in size: GM, position, velocity, time, eccentricity."""
    rng = np.random.default_rng(seed)
    gm, periapsis = 10.0 ** rng.uniform(-3, 20, count), 10.0 ** rng.uniform(0, 9, count)
    kinds = [
        rng.uniform(0.0, 1.0, count),
        1.0 + 10.0 ** rng.uniform(-14, -3, count) * rng.choice([-1, 1], count),
        10.0 ** rng.uniform(-12, 0, count),
        1.0 + 10.0 ** rng.uniform(-3, 2, count),
        np.ones(count),
    ]
    eccentricity = np.choose(rng.integers(0, len(kinds), count), kinds)
    most = np.where(eccentricity < 1.0, math.pi, np.arccos(-1.0 / np.maximum(eccentricity, 1.0)))
    anomaly = rng.uniform(-0.98, 0.98, count) * most
    position, velocity = orbit.from_elements(
        gm,
        periapsis_distance=periapsis,
        eccentricity=eccentricity,
        inclination=rng.uniform(0.1, 3.0, count),
        raan=rng.uniform(0, 6, count),
        argument_of_periapsis=rng.uniform(0, 6, count),
        true_anomaly=anomaly,
    )
    distance = np.linalg.norm(position, axis=1)
    own = np.sqrt(distance**3 / gm)
    return gm, position, velocity, own * 10.0 ** rng.uniform(-6, times, count) * rng.choice([-1, 1], count)


# motion


def relative(found, true):
    return np.linalg.norm(np.subtract(found, true)) / np.linalg.norm(true)


def test_every_conic_is_followed_as_exactly_as_rounded_arguments_allow():
    """Against the decimal solution, in units of what rounding the arguments changes there: measured 3 at most on these."""
    gm, position, velocity, seconds = random_orbits(150, seed=20)
    found = orbit.propagate(gm, position, velocity, seconds)
    rng = np.random.default_rng(21)

    def rounded(value):
        return value * (1.0 + EPS * rng.uniform(-1, 1, np.shape(value)))

    worst = 0.0
    for k in range(len(gm)):
        true = two_body.propagate(gm[k], position[k], velocity[k], seconds[k])
        others = [
            two_body.propagate(rounded(gm[k]), rounded(position[k]), rounded(velocity[k]), rounded(seconds[k]))
            for _ in range(3)
        ]
        for part in range(2):
            condition = max(relative(other[part], true[part]) for other in others)
            worst = max(worst, relative(found[part][k], true[part]) / (condition + EPS))
    assert worst < 30.0


@pytest.mark.parametrize("eccentricity", [0.0, 0.3, 0.99, 1.0, 1.0000001, 1.4, 30.0])
def test_a_moderate_time_on_every_conic_is_exact_to_1e_12(eccentricity):
    position, velocity = orbit.from_elements(
        EARTH,
        periapsis_distance=7e6,
        eccentricity=eccentricity,
        inclination=0.7,
        raan=2.1,
        argument_of_periapsis=5.0,
        true_anomaly=-0.6,
    )
    for seconds in (1e-3, 200.0, -9000.0, 86400.0):
        found = orbit.propagate(EARTH, position, velocity, seconds)
        true = two_body.propagate(EARTH, position, velocity, seconds)
        assert relative(found[0], true[0]) < 1e-12 and relative(found[1], true[1]) < 1e-12


def test_ten_thousand_revolutions_lose_only_what_rounding_the_period_costs():
    """The period has a relative error of about 3/2 eps, and a revolution of it is 2π rad: measured 1e-11 after 1e4 of them."""
    position, velocity = np.array([7e6, 1e5, -3e5]), np.array([300.0, 7000.0, 2500.0])
    for seconds in (6e7, -6e7):
        found = orbit.propagate(EARTH, position, velocity, seconds)
        true = two_body.propagate(EARTH, position, velocity, seconds)
        assert relative(found[0], true[0]) < 1e-10


def test_there_and_back_again():
    gm, position, velocity, seconds = random_orbits(300, seed=22, times=0.5)
    there = orbit.propagate(gm, position, velocity, seconds)
    back = orbit.propagate(gm, *there, -seconds)
    # near a parabola a tenth of the time of the start is already far away, and its rounding comes back multiplied
    errors = np.linalg.norm(back[0] - position, axis=1) / np.linalg.norm(position, axis=1)
    assert np.quantile(errors, 0.9) < 1e-13 and errors.max() < 1e-9


def test_one_jump_is_sixteen_jumps():
    """Of 1000 revolutions, to 1e-9 of the radius."""
    period = 2.0 * math.pi * math.sqrt(7e6**3 / EARTH)
    position, velocity = orbit.from_elements(
        EARTH,
        semi_major_axis=7e6,
        eccentricity=0.1,
        inclination=1.0,
        raan=0.3,
        argument_of_periapsis=2.0,
        true_anomaly=1.0,
    )
    seconds = 1000.3 * period
    once, stepped = orbit.propagate(EARTH, position, velocity, seconds), (position, velocity)
    for _ in range(16):
        stepped = orbit.propagate(EARTH, *stepped, seconds / 16.0)
    assert relative(stepped[0], once[0]) < 1e-9 and relative(stepped[1], once[1]) < 1e-9


def test_a_body_at_rest_falls_through_the_centre_and_returns():
    """The narrowest ellipse: it takes π/√8 of r^1.5/√GM to the centre, and is thrown back to its start in twice that."""
    position, velocity = orbit.propagate(1.0, (2.0, 0.0, 0.0), (0.0, 0.0, 0.0), 2.0 * math.pi)
    assert abs(position - (2.0, 0.0, 0.0)).max() < 1e-12 and abs(velocity).max() < 1e-6
    # halfway in angle E = π/2: r = 1 after (π/2 + 1) for a = 1
    position, velocity = orbit.propagate(1.0, (2.0, 0.0, 0.0), (0.0, 0.0, 0.0), math.pi / 2.0 + 1.0)
    assert abs(position - (1.0, 0.0, 0.0)).max() < 1e-12 and abs(velocity - (-1.0, 0.0, 0.0)).max() < 1e-12


def test_no_time_changes_no_bit():
    gm, position, velocity, _ = random_orbits(200, seed=23)
    found = orbit.propagate(gm, position, velocity, 0.0)
    assert (found[0] == position).all() and (found[1] == velocity).all()


def test_vallado_example_2_4():
    """Vallado, Fundamentals (2013), example 2-4: r = (1131.340, −2282.343, 6672.423) km, v = (−5.64305, 4.30333, 2.42879) km/s, 40 min."""
    start = np.array([1131.340, -2282.343, 6672.423]), np.array([-5.64305, 4.30333, 2.42879])
    position, velocity = orbit.propagate(398600.4418, *start, 40.0 * 60.0)
    assert position == pytest.approx([-4219.7527, 4363.0292, -3958.7666], abs=1e-3)
    assert velocity == pytest.approx([3.689866, -1.916735, -6.112511], abs=1e-6)


def test_curtis_example_3_7():
    """Curtis, Orbital Mechanics (2010), example 3.7: r = (7000, −12124, 0) km, v = (2.6679, 4.6210, 0) km/s, after 60 min."""
    position, velocity = orbit.propagate(398600.0, (7000.0, -12124.0, 0.0), (2.6679, 4.6210, 0.0), 3600.0)
    assert position == pytest.approx([-3297.8, 7413.4, 0.0], abs=0.1)
    assert velocity == pytest.approx([-8.2977, -0.96404, 0.0], abs=1e-3)


def test_one_of_a_stack_has_the_bits_of_one_alone():
    gm, position, velocity, seconds = random_orbits(60, seed=24)
    stacks = (
        np.hstack(orbit.propagate(gm, position, velocity, seconds)),
        np.array(orbit.elements(gm, position, velocity)).T,
        np.hstack(orbit.lvlh(position, velocity)),
    )
    for k in range(len(gm)):
        state = position[k], velocity[k]
        alone = (
            np.hstack(orbit.propagate(gm[k], *state, seconds[k])),
            np.array(orbit.elements(gm[k], *state)),
            np.hstack(orbit.lvlh(*state)),
        )
        assert all((one == many[k]).all() for one, many in zip(alone, stacks, strict=True))
        given = float(gm[k]), tuple(position[k].tolist()), tuple(velocity[k].tolist()), float(seconds[k])
        assert kepler(*given) == tuple(stacks[0][k].tolist())


# elements


def test_vallado_example_2_5():
    """Vallado, Fundamentals (2013), example 2-5."""
    found = orbit.elements(398600.4418, (6524.834, 6862.875, 6448.296), (4.901327, 5.533756, -1.976341))
    assert found.semi_major_axis == pytest.approx(36127.343, abs=0.01)
    assert found.eccentricity == pytest.approx(0.832853, abs=1e-6)
    angles = np.degrees([found.inclination, found.raan, found.argument_of_periapsis, found.true_anomaly])
    assert angles == pytest.approx([87.870, 227.898, 53.38, 92.335], abs=6e-3)


def test_curtis_example_4_3():
    """Curtis, Orbital Mechanics (2010), example 4.3: h = 58 310 km²/s, i = 153.2°, Ω = 255.3°, e = 0.1712, ω = 20.07°, θ = 28.45°."""
    found = orbit.elements(398600.0, (-6045.0, -3490.0, 2500.0), (-3.457, 6.618, 2.533))
    angles = np.degrees([found.inclination, found.raan, found.argument_of_periapsis, found.true_anomaly])
    assert angles == pytest.approx([153.2, 255.3, 20.07, 28.45], abs=0.05)
    assert (found.semi_major_axis, found.eccentricity) == (
        pytest.approx(8788.0, abs=1.0),
        pytest.approx(0.1712, abs=1e-4),
    )


def test_elements_lead_back_to_the_same_state():
    gm, position, velocity, _ = random_orbits(3000, seed=25)
    found = orbit.elements(gm, position, velocity)
    again = orbit.from_elements(gm, **{name: value for name, value in found._asdict().items() if "axis" not in name})
    errors = np.linalg.norm(again[0] - position, axis=1) / np.linalg.norm(position, axis=1)
    # eccentricities within 1e-12 of 0 and 1 are rounded to them; far out, where 1 + e cos ν is 2e-3, that counts 500-fold
    assert np.quantile(errors, 0.9) < 1e-14 and errors.max() < 1e-9


def test_state_leads_back_to_the_same_elements():
    rng = np.random.default_rng(26)
    given = {
        "semi_major_axis": 10.0 ** rng.uniform(6, 9, 500),
        "eccentricity": rng.uniform(0.01, 0.9, 500),
        "inclination": rng.uniform(0.05, 3.0, 500),
        "raan": rng.uniform(0.0, 6.28, 500),
        "argument_of_periapsis": rng.uniform(0.0, 6.28, 500),
        "true_anomaly": rng.uniform(0.0, 6.28, 500),
    }
    hyperbolic = {**given, "eccentricity": 1.0 + given["eccentricity"], "semi_major_axis": -given["semi_major_axis"]}
    hyperbolic["true_anomaly"] = np.where(rng.random(500) < 0.5, 0.9, 5.4)
    for wanted in (given, hyperbolic):
        found = orbit.elements(EARTH, *orbit.from_elements(EARTH, **wanted))._asdict()
        for name, value in wanted.items():
            away = np.abs(found[name] - value) / (np.abs(value) if "axis" in name else 1.0)
            away = np.minimum(away, np.abs(away - 2.0 * math.pi)) if name in ("raan", "argument_of_periapsis") else away
            assert away.max() < 1e-12, name
        nearest = given["semi_major_axis"] * np.abs(1.0 - wanted["eccentricity"])
        assert found["periapsis_distance"] == pytest.approx(nearest, rel=1e-13)


@pytest.mark.parametrize("inclination", [0.0, math.pi])
def test_a_circular_equatorial_orbit_is_measured_from_the_x_axis(inclination):
    given = {"eccentricity": 0.0, "inclination": inclination, "raan": 0.0, "argument_of_periapsis": 0.0}
    for anomaly in (0.0, 1.0, 3.0, 5.0):
        state = orbit.from_elements(EARTH, semi_major_axis=8e6, true_anomaly=anomaly, **given)
        found = orbit.elements(EARTH, *state)
        assert (found.eccentricity, found.inclination, found.raan, found.argument_of_periapsis) == (
            0,
            inclination,
            0,
            0,
        )
        assert found.true_anomaly == pytest.approx(anomaly, abs=1e-12)


def test_a_circular_orbit_is_measured_from_its_node_and_an_equatorial_one_from_the_x_axis():
    angles = {"inclination": 0.8, "raan": 2.5, "argument_of_periapsis": 0.5, "true_anomaly": 1.0}
    found = orbit.elements(EARTH, *orbit.from_elements(EARTH, semi_major_axis=8e6, eccentricity=0.0, **angles))
    assert (found.eccentricity, found.argument_of_periapsis) == (0.0, 0.0)
    assert (found.raan, found.true_anomaly) == (pytest.approx(2.5), pytest.approx(1.5))
    level = {**angles, "inclination": 0.0}
    found = orbit.elements(EARTH, *orbit.from_elements(EARTH, semi_major_axis=8e6, eccentricity=0.2, **level))
    assert (found.inclination, found.raan) == (0.0, 0.0)
    assert (found.argument_of_periapsis, found.true_anomaly) == (pytest.approx(3.0), pytest.approx(1.0))


def test_a_parabola_has_no_axis_and_keeps_its_periapsis():
    angles = {"inclination": 0.8, "raan": 2.5, "argument_of_periapsis": 0.5, "true_anomaly": 1.0}
    found = orbit.elements(EARTH, *orbit.from_elements(EARTH, periapsis_distance=8e6, eccentricity=1.0, **angles))
    assert (found.semi_major_axis, found.eccentricity) == (math.inf, 1.0)
    assert found.periapsis_distance == pytest.approx(8e6, rel=1e-14)
    assert found.true_anomaly == pytest.approx(1.0, abs=1e-14)


# the orbital frame


def test_the_orbital_frame_points_to_the_centre_and_against_the_normal():
    _gm, position, velocity, _ = random_orbits(200, seed=27)
    orientation, _rate = orbit.lvlh(position, velocity)
    matrix = rotation.to_matrix(orientation)
    down = -position / np.linalg.norm(position, axis=1, keepdims=True)
    normal = np.cross(position, velocity)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    assert abs(matrix[:, :, 2] - down).max() < 1e-15 * 4
    # the cross product of nearly parallel vectors has lost digits itself
    assert abs(matrix[:, :, 1] + normal).max() < 1e-12
    assert (np.einsum("ni,ni->n", matrix[:, :, 0], velocity) > 0.0).all()


def test_the_orbital_frame_turns_at_its_angular_velocity():
    """Against the frame a little later on the same orbit."""
    position, velocity = orbit.from_elements(
        1.0,
        semi_major_axis=1.0,
        eccentricity=0.4,
        inclination=0.7,
        raan=2.1,
        argument_of_periapsis=5.0,
        true_anomaly=1.2,
    )
    step = 1e-4
    before, after = (orbit.lvlh(*orbit.propagate(1.0, position, velocity, t))[0] for t in (-step, step))
    _, rate = orbit.lvlh(position, velocity)
    turn = rotation.multiply(after, rotation.conjugate(before))
    turn = turn * np.sign(turn[3])
    assert abs(turn[:3] / step - rate).max() < 1e-7
    assert rate == pytest.approx(np.cross(position, velocity) / (position @ position), rel=1e-14)


# what is rejected


GOOD = {"eccentricity": 0.1, "inclination": 0.5, "raan": 0.0, "argument_of_periapsis": 0.0, "true_anomaly": 1.0}


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        (
            {"eccentricity": -0.1, "semi_major_axis": 7e6},
            ValueError,
            "eccentricity must be finite real numbers of at least 0",
        ),
        ({"semi_major_axis": -7e6}, ValueError, "semi_major_axis and eccentricity must be a size above 0"),
        ({"semi_major_axis": 0.0}, ValueError, "semi_major_axis and eccentricity must be"),
        ({"semi_major_axis": 7e6, "eccentricity": 1.5}, ValueError, "or below 0 with one above 1"),
        ({"semi_major_axis": 7e6, "eccentricity": 1.0}, ValueError, "a parabola takes periapsis_distance"),
        ({"periapsis_distance": 0.0}, ValueError, "periapsis_distance must be finite real numbers above 0"),
        (
            {"periapsis_distance": 7e6, "eccentricity": 1.5, "true_anomaly": 2.4},
            ValueError,
            "true_anomaly and eccentricity",
        ),
        ({"periapsis_distance": 7e6, "eccentricity": 1.5, "true_anomaly": -2.4}, ValueError, "between the asymptotes"),
        ({"periapsis_distance": 7e6, "inclination": 3.2}, ValueError, "inclination must be angles"),
        ({"periapsis_distance": 7e6, "raan": math.nan}, ValueError, "raan must be"),
        (
            {"periapsis_distance": 7e6, "semi_major_axis": 8e6},
            TypeError,
            "exactly one of semi_major_axis and periapsis_distance",
        ),
        ({}, TypeError, "semi_major_axis and periapsis_distance must be given"),
        ({"semi_major_axis": "7e6"}, TypeError, "semi_major_axis must be"),
    ],
)
def test_elements_of_no_orbit_are_rejected_by_name(change, kind, words):
    with pytest.raises(kind, match=f"^orbit.from_elements: .*{words}"):
        orbit.from_elements(EARTH, **{**GOOD, **change})
    stacked = {name: [1.0, value] if name == "true_anomaly" else value for name, value in change.items()}
    with pytest.raises(kind, match=words):
        orbit.from_elements([EARTH, EARTH], **{**GOOD, **stacked})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: orbit.propagate(0.0, (1, 0, 0), (0, 1, 0), 1.0),
            "orbit.propagate: gm must be finite real numbers above 0",
        ),
        (
            lambda: orbit.propagate(1.0, (0, 0, 0), (0, 1, 0), 1.0),
            "orbit.propagate: position must be a non-zero vector",
        ),
        (lambda: orbit.propagate(1.0, (1, 0, 0), (0, math.inf, 0), 1.0), "orbit.propagate: velocity must be"),
        (lambda: orbit.propagate(1.0, (1, 0, 0), (0, 1, 0), math.nan), "orbit.propagate: seconds must be"),
        (
            lambda: orbit.propagate(1.0, (1, 0, 0), (0, 1e3, 0), 1e306),
            "position and velocity and seconds must be small",
        ),
        (lambda: orbit.elements(-1.0, (1, 0, 0), (0, 1, 0)), "orbit.elements: gm must be"),
        (
            lambda: orbit.elements(1.0, (1, 2, 3), (-2, -4, -6)),
            "orbit.elements: position and velocity must be two vectors",
        ),
        (lambda: orbit.elements(1.0, (1, 0, 0), (0, 0, 0)), "not parallel"),
        (lambda: orbit.lvlh((0, 0, 0), (1, 0, 0)), "orbit.lvlh: position must be a non-zero vector"),
        (lambda: orbit.lvlh((1, 1, 0), (2, 2, 0)), "orbit.lvlh: position and velocity must be two vectors"),
        (lambda: orbit.propagate([1.0, 2.0], [(1, 0, 0)] * 3, (0, 1, 0), 1.0), "leading dimensions that broadcast"),
    ],
)
def test_states_of_no_orbit_are_rejected_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()
