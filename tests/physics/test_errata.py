"""`SEEDS.md` names only what exists, and small facts and errata of the seeds that no other test covers."""

import ast
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine import forces, rotation
from engine.compilation.compiler import plain
from engine.integrators import RungeKuttaNystrom
from engine.kernels import quaternions
from engine.solutions import FreeAsymmetricTop

from ..helpers import ASYMMETRIC, SKEW_ORIENTATION, angular_momentum, one_body, wrench_of
from ..truth import rotations
from .test_methods import CASES, mandre_step

HERE = Path(__file__).parents[1]
TABLE = (HERE / "SEEDS.md").read_text(encoding="utf-8")
ITEMS = {"000": 50, "001": 25, "002": 15, "003": 36, "004": 11}
ERRATA = {"M": 12, "G": 9, "W": 3, "V": 14, "Z": 5}


# the table


def rows(heading):
    """Cells of each row of the table under a heading that begins so."""
    section = re.split(r"^#+ ", TABLE, flags=re.MULTILINE)
    (text,) = [part for part in section if part.startswith(heading)]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@cache
def definitions(path):
    """Functions and classes of a file, and members of classes as `Class.member`."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
            members = node.body if isinstance(node, ast.ClassDef) else []
            found |= {f"{node.name}.{member.name}" for member in members if isinstance(member, ast.FunctionDef)}
    return found


def mentions(text):
    """(file, name or "") of everything in backticks that is a Python file, with or without a name in it."""
    return re.findall(r"`([\w/]+\.py)(?:::([\w.]+))?`", text)


def path_of(file):
    """Tests are named without their folder, everything else from the root."""
    return next(HERE.rglob(file)) if file.startswith("test_") else HERE.parent / file


def test_every_file_function_and_test_in_the_table_exists():
    def exists(file, name):
        return path_of(file).is_file() and (not name or name in definitions(path_of(file)))

    assert [mention for mention in set(mentions(TABLE)) if not exists(*mention)] == []


def test_the_table_has_nothing_in_backticks_that_looks_like_code_and_is_not_checked():
    found = re.findall(r"`([^`]*(?:\.py|::)[^`]*)`", TABLE)
    assert found and len(found) == len(mentions(TABLE))


@pytest.mark.parametrize("seed", ITEMS)
def test_every_item_of_a_seed_has_its_row_with_a_test_or_the_word_that_it_has_none(seed):
    table = rows(f"{seed} ")
    assert [row[0] for row in table] == [str(number) for number in range(1, ITEMS[seed] + 1)]
    for _number, item, carried, held in table:
        assert item and (mentions(carried) or carried.startswith("—"))
        names = [name for file, name in mentions(held) if file.startswith("test_")]
        assert all(name.startswith("test_") for name in names) and bool(names) != held.startswith("no test"), item


def test_every_erratum_has_its_row_with_a_test_or_the_reason_that_it_has_none():
    table = rows("Errata")
    assert [row[0] for row in table] == [f"{letter}{n + 1}" for letter, count in ERRATA.items() for n in range(count)]
    for number, printed, corrected, held in table:
        assert printed and corrected
        tests = [name for _file, name in mentions(held) if name.startswith("test_")]
        assert bool(tests) != held.startswith(("wording only", "does not apply")), number


# 000, Mandre


def test_only_the_part_of_a_force_across_its_lever_turns_the_body():
    """F_par = (r·F) r/(r·r) gives no torque, F_perp = F − F_par all of it: r × F_perp = r × F. Both push, each with the whole of itself."""
    arm, force = np.array([0.5, -0.3, 0.8]), np.array([0.6, -0.9, 1.4])
    along = (arm @ force) / (arm @ arm) * arm

    def wrench(force):
        return wrench_of(
            lambda body: [forces.ConstantForce(body, force_body=force, at_body=arm)],
            inertia_body=ASYMMETRIC,
            orientation=SKEW_ORIENTATION,
        )

    for part, torque in ((along, np.zeros(3)), (force - along, np.cross(arm, force)), (force, np.cross(arm, force))):
        force_world, torque_body = wrench(part)
        assert np.abs(force_world - rotations.to_world(SKEW_ORIENTATION, part)).max() < 2e-15
        assert np.abs(torque_body - torque).max() < 4e-15


def test_the_quaternion_changes_by_half_the_rates_on_its_right_in_body_axes_and_on_its_left_in_world_axes():
    """q' = q ω/2 = ω_world q/2 = (q(t + e) − q(t − e))/2e of the exact tumble; ω read back is 2 q⁻¹ q'. The other side is not it."""
    exact, time, e = FreeAsymmetricTop(ASYMMETRIC, (0.9, -1.6, 2.2), SKEW_ORIENTATION), 1.3, 1e-4
    before, q, after = exact.orientations((time - e, time, time + e))
    before, after = (other * np.sign(other @ q) for other in (before, after))
    rates = exact.angular_velocities_body((time,))[0]
    rates_world = rotations.to_world(q, rates)
    changing = np.array(plain(quaternions.rate_of_change)(tuple(q), tuple(rates)))
    assert np.abs(changing - (after - before) / (2.0 * e)).max() < 3e-8  # e² q'''/6
    assert np.abs(changing - 0.5 * rotation.multiply(np.append(rates_world, 0.0), q)).max() < 1e-15
    assert np.abs(2.0 * rotation.multiply(rotation.conjugate(q), changing) - np.append(rates, 0.0)).max() < 2e-15
    assert np.abs(changing - 0.5 * rotation.multiply(np.append(rates, 0.0), q)).max() > 0.1


def test_m4_the_more_seldom_the_quaternion_is_normalised_the_more_momentum_is_lost():
    """M4: every 1000 steps is not "good enough": as printed, the shortened q feeds back into ω. Case D at 1/100 s, 10 s.

    |L| loses 6.9e-8 normalised every step, 1.2e-6 every 100, 1.7e-5 never; 3.3e-8 by the engine, with q⁻¹ and every tick.
    """
    moments, start = (np.array(CASES["D"][name]) for name in ("inertia_body", "angular_velocity_body"))
    length = np.linalg.norm(moments * start)

    def printed(interval):
        q, rates = np.array([0.0, 0.0, 0.0, 1.0]), start
        for step in range(1, 1001):
            q, rates = mandre_step(q, rates, 0.01, moments, inverse=False)
            if step % interval == 0:
                q = q / np.linalg.norm(q)
        return 1.0 - np.linalg.norm(moments * rates) / length

    world, body = one_body(RungeKuttaNystrom(), 0.01, **CASES["D"])
    world.step(1000)
    mended = 1.0 - np.linalg.norm(angular_momentum(body)) / length
    every_step, every_hundred, never = (printed(interval) for interval in (1, 100, 2000))
    assert mended == pytest.approx(3.3e-8, rel=0.02) and every_step == pytest.approx(6.9e-8, rel=0.02)
    assert every_hundred == pytest.approx(1.2e-6, rel=0.05) and never == pytest.approx(1.7e-5, rel=0.05)


# 001, Maggiore


def steady_spin_by_runge_kutta(slope, start, dt, steps):
    """RK4 of y' = slope(y), left as it comes out."""
    y = start
    for _ in range(steps):
        k1 = slope(y)
        k2 = slope(y + 0.5 * dt * k1)
        k3 = slope(y + 0.5 * dt * k2)
        y = y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + slope(y + dt * k3))
    return y


def test_a_matrix_comes_apart_a_hundred_times_faster_than_a_quaternion():
    """1000 RK4 steps at ω dt = 0.05: RᵀR is off by 2.2e-7, |q| by 1.7e-9. R' = [ω]× R; Gram-Schmidt mends the one, a division the other.

    RᵀR loses (ω dt)⁶/72 per step across the axis, |q| loses (ω dt/2)⁶/144. Euler's q + h q' makes |q| longer, by (ω dt)²/8 per step.
    """
    axis, dt = np.array([2.0, -1.0, 2.0]) / 3.0, 1.0 / 60.0
    rates = 3.0 * axis
    cross = np.cross(rates, np.eye(3)).T
    matrix = steady_spin_by_runge_kutta(lambda r: cross @ r, np.eye(3), dt, 1000)
    spin = np.append(rates, 0.0)
    q = steady_spin_by_runge_kutta(lambda q: 0.5 * rotation.multiply(spin, q), np.array([0.0, 0.0, 0.0, 1.0]), dt, 1000)
    assert np.linalg.norm(matrix.T @ matrix - np.eye(3), 2) == pytest.approx(1000.0 * 0.05**6 / 72.0, rel=0.01)
    assert 1.0 - np.linalg.norm(q) == pytest.approx(1000.0 * 0.025**6 / 144.0, rel=0.01)
    mended = rotation.orthonormalize(matrix)
    assert np.abs(mended.T @ mended - np.eye(3)).max() < 1e-15
    assert np.abs(mended - rotations.matrix(q / np.linalg.norm(q))).max() < 1e-4
    naive = np.array([0.0, 0.0, 0.0, 1.0]) + dt * 0.5 * spin
    assert np.linalg.norm(naive) - 1.0 == pytest.approx(0.05**2 / 8.0, rel=1e-3)


def test_a_turn_about_any_axis_is_the_turn_about_z_seen_from_any_basis_around_it():
    """R = P R₀ Pᵀ, P = [a b d], whichever a and b go with d; and R v = v + sin θ d × v + (1 − cos θ) d × (d × v).

    G5: D² = d dᵀ − 1, from which Rodrigues' formula follows; with D in its place, as "D^v" may be read, it is no rotation.
    """
    d, angle, v = np.array([1.0, -2.0, 0.5]) / np.sqrt(5.25), 2.3, np.array([0.4, -1.1, 0.7])
    made = rotation.rodrigues(d, angle)
    about_z = rotations.matrix(rotations.from_axis_angle((0.0, 0.0, 1.0), angle))
    for guess in ((1.0, 0.3, -0.2), (-0.4, 0.1, 2.0)):
        a = np.cross(guess, d) / np.linalg.norm(np.cross(guess, d))
        basis = np.column_stack([a, np.cross(d, a), d])
        assert np.abs(made - basis @ about_z @ basis.T).max() < 2e-15
    one, cross = np.eye(3), np.cross(d, np.eye(3)).T
    assert np.abs(cross @ cross - (np.outer(d, d) - one)).max() < 4e-16
    s, c = np.sin(angle), np.cos(angle)
    assert np.abs(made @ v - (v + s * np.cross(d, v) + (1.0 - c) * np.cross(d, np.cross(d, v)))).max() < 2e-15
    misread = one + s * cross + (1.0 - c) * cross
    assert np.abs(misread @ misread.T - one).max() > 0.5


def test_g6_rate_of_the_quaternion_is_the_limit_of_small_turns_and_has_one_at_rest():
    """G6: (turn(ω e) q − q)/e → [0, ω] q/2, also along ω = 0, where the slide's ω/|ω| is no direction."""
    rates = np.array([0.7, -1.2, 1.9])
    for scale in (1.0, 1e-3, 0.0):
        turn = rotation.from_rotation_vector(scale * rates * 1e-6)
        quotient = (rotation.multiply(turn, SKEW_ORIENTATION) - SKEW_ORIENTATION) / 1e-6
        limit = 0.5 * rotation.multiply(np.append(scale * rates, 0.0), SKEW_ORIENTATION)
        assert np.abs(quotient - limit).max() < 1e-6 * scale + 3e-10
    assert np.array_equal(rotation.from_rotation_vector((0.0, 0.0, 0.0)), (0.0, 0.0, 0.0, 1.0))
