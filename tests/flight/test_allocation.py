"""Allocation of force and torque to jets, against SciPy's linear programmes and least squares, and against values computed by hand."""

import numpy as np
import pytest
from scipy.optimize import linprog, lsq_linear

from engine import MassProperties, World
from engine.compilation.compiler import COMPILED, plain
from engine.flight import ReactionWheel, Tank, ThrusterAllocator, WheelAllocator
from engine.forces import Thruster, ThrusterBank
from engine.loops import even_shares, least_propellant, thrust_allocation, wheel_torques

from ..lengths import sized

ALONG_Z, ALONG_X = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
NO_FORCE = (0.0, 0.0, 0.0)


def new_ship(center_of_mass_body=(0.0, 0.0, 0.0)):
    return World(0.1).add_body(MassProperties(1200.0, (2.0e3, 2.4e3, 0.8e3), center_of_mass_body))


def bank_of(ship, positions, directions, max_forces=10.0):
    return ThrusterBank(ship, positions=positions, directions=directions, max_forces=max_forces)


def sixteen_jets(ship, max_force=10.0):
    """Four pairs of opposite jets at each of two heights, all tangential."""
    positions, directions = [], []
    for x, y in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)):
        for z in (1.0, -1.0):
            positions += [(x, y, z), (x, y, z)]
            directions += [(-y, x, 0.0), (y, -x, 0.0)]
    return bank_of(ship, positions, directions, max_force)


def random_jets(random, kind, ship):
    """Jets anywhere and of any size, or equal ones along the axes at the points of a coarse grid, which gives many equal ratios."""
    count = int(random.integers(1, 25))
    if kind == "anywhere":
        sizes = random.uniform(0.2, 30.0, count)
        return bank_of(ship, random.normal(size=(count, 3)), random.normal(size=(count, 3)), sizes)
    axes = np.eye(3)[random.integers(3, size=count)] * random.choice([-1.0, 1.0], size=(count, 1))
    return bank_of(ship, random.choice([-1.0, 0.0, 1.0], size=(count, 3)), axes, 1.0)


def wrenches(bank):
    """Force and torque of each jet at full thrust, shape (6, n), with NumPy's cross product."""
    forces = bank.directions * np.asarray(bank.max_forces)[:, np.newaxis]
    levers = bank.positions - bank.body.center_of_mass_body
    return np.concatenate([forces.T, np.cross(levers, forces).T])


def spanned(matrix, wanted):
    """The rows that a combination of the columns can make: orthonormal rows of the matrix, and of the wanted wrench."""
    left, values, _ = np.linalg.svd(matrix, full_matrices=False)
    axes = left[:, values > 1e-9 * values[0]]
    return axes.T @ matrix, axes.T @ wanted


def wanted_wrench(random, matrix, kind):
    """Half of them made from shares and so in reach, with many jets shut or fully open; half anywhere."""
    count = matrix.shape[1]
    if random.random() < 0.5:
        return matrix @ (random.choice([0.0, 1.0, 0.5], size=count) * random.uniform(size=count).round(1))
    return random.choice([-2.0, -1.0, 0.0, 0.0, 1.0], size=6) if kind == "grid" else random.normal(size=6)


CASES = sized(60, 400)


@pytest.mark.parametrize("kind", ["anywhere", "grid"])
def test_least_propellant_is_the_optimum_of_the_linear_programme(kind):
    """The largest fraction of the wanted wrench that lies in the space of the jets, and the least flow for it, as found by HiGHS."""
    random = np.random.default_rng(5)
    out_of_reach = 0
    for _ in range(CASES):
        ship = new_ship(tuple(random.normal(size=3)))
        bank = random_jets(random, kind, ship)
        matrix = wrenches(bank)
        wanted = wanted_wrench(random, matrix, kind)
        found = ThrusterAllocator([bank]).allocate(wanted[3:], wanted[:3])
        # torques in units of the rms lever, as in the engine; it matters only for what is outside of the space of the jets
        unit = np.sqrt((matrix[3:] ** 2).sum() / (matrix[:3] ** 2).sum()) or 1.0
        rows, target = spanned(matrix / ([[1.0]] * 3 + [[unit]] * 3), wanted / ([1.0] * 3 + [unit] * 3))
        if np.linalg.norm(target) < 1e-9:
            continue
        bounds = [(0.0, 1.0)] * matrix.shape[1]
        largest = linprog(
            np.append(np.zeros(matrix.shape[1]), -1.0),
            A_eq=np.column_stack([rows, -target]),
            b_eq=np.zeros(len(target)),
            bounds=[*bounds, (0.0, 1.0)],
        )
        assert found.fraction == pytest.approx(largest.x[-1], abs=1e-7)
        assert np.abs(rows @ found.shares - found.fraction * target).max() < 1e-10 * np.abs(rows).max()
        assert (found.shares >= 0.0).all() and (found.shares <= 1.0).all()
        # a hair inside, because HiGHS calls the exact edge infeasible
        least = linprog(bank.max_forces, A_eq=rows, b_eq=(1.0 - 1e-9) * found.fraction * target, bounds=bounds)
        if least.status == 0:
            assert bank.max_forces @ found.shares == pytest.approx(least.fun, rel=1e-6, abs=1e-6)
        out_of_reach += found.saturated
    assert CASES / 10 < out_of_reach < 9 * CASES / 10


@pytest.mark.parametrize("kind", ["anywhere", "grid"])
def test_even_is_the_least_sum_of_flow_times_share_squared(kind):
    """Against bounded least squares with a heavy weight on the wrench, whose own error is 1e-8."""
    random = np.random.default_rng(6)
    compared = 0
    for _ in range(CASES):
        bank = random_jets(random, kind, new_ship())
        matrix = wrenches(bank)
        wanted = matrix @ (random.uniform(size=matrix.shape[1]) * random.choice([0.0, 0.4], size=matrix.shape[1]))
        found = ThrusterAllocator([bank], method="even").allocate(wanted[3:], wanted[:3])
        assert np.abs(matrix @ found.shares - wanted).max() < 1e-10 * np.abs(matrix).max()
        assert not found.saturated and found.fraction == 1.0
        weights = np.sqrt(bank.max_forces / bank.max_forces.max())
        system = np.concatenate([1e4 * matrix / np.abs(matrix).max(), np.diag(weights)])
        right = np.concatenate([1e4 * wanted / np.abs(matrix).max(), np.zeros(len(weights))])
        best = lsq_linear(system, right, (0.0, 1.0), method="bvls", tol=1e-14)
        own, reference = (np.sum((weights * shares) ** 2) for shares in (found.shares, best.x))
        compared += own < reference + 1e-5
    # in the others Newton's method gave up, and the wrench is that of the linear programme
    assert compared > 0.97 * CASES


@pytest.mark.parametrize("kind", ["anywhere", "grid"])
def test_even_is_the_least_sum_also_of_what_is_made_of_a_wrench_out_of_reach(kind):
    """By the conditions of Karush, Kuhn and Tucker, whose multipliers a linear programme finds."""
    random = np.random.default_rng(6)
    cut = 0
    for _ in range(CASES // 2):
        bank = random_jets(random, kind, new_ship())
        matrix = wrenches(bank)
        wanted = matrix @ (random.uniform(size=matrix.shape[1]) * random.choice([0.0, 1.6], size=matrix.shape[1]))
        found = ThrusterAllocator([bank], method="even").allocate(wanted[3:], wanted[:3])
        cut += found.saturated
        assert np.abs(matrix @ found.shares - found.fraction * wanted).max() < 1e-10 * np.abs(matrix).max()
        pull, columns = bank.max_forces / bank.max_forces.max() * found.shares, matrix.T / np.abs(matrix).max()
        ones = np.ones((len(pull), 1))
        above, below = found.shares > 1e-9, found.shares < 1.0 - 1e-9
        violation = linprog(
            [0.0] * 6 + [1.0],
            A_ub=np.concatenate((np.hstack((-columns, -ones))[above], np.hstack((columns, -ones))[below])),
            b_ub=np.concatenate((-pull[above], pull[below])),
            bounds=[(None, None)] * 6 + [(0.0, None)],
        )
        assert violation.x[-1] < 1e-8
    assert cut > CASES / 20


def test_even_loads_equal_jets_alike_also_where_the_wrench_is_out_of_reach():
    places = {"positions": [(1, 0, 0), (1, 0, 0), (-1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, 1), (0, 0, -1), (0, 0, -1)]}
    directions = [(0, 1, 0)] * 2 + [(0, -1, 0)] * 2 + [(0, -1, 0)] * 2 + [(0, 1, 0)] * 2
    bank = ThrusterBank(new_ship(), **places, directions=directions, max_forces=10.0)
    found = ThrusterAllocator([bank], method="even").allocate((8.0, 0.0, 80.0), NO_FORCE)
    assert found.saturated and found.fraction == pytest.approx(0.5)
    assert found.shares == pytest.approx([1.0, 1.0, 1.0, 1.0, 0.1, 0.1, 0.1, 0.1], abs=1e-12)


def test_a_couple_of_corner_jets_as_computed_by_hand():
    """10 N·m about y with levers of 1 m and 2 m: a couple of equal thrusts F with 3 F = 6."""
    ship = new_ship()
    bank = bank_of(ship, [(1, 0, 0), (-2, 0, 0), (-1, 0, 0)], [(0, 0, -1), (0, 0, 1), (0, 0, 1)], (10.0, 8.0, 10.0))
    found = ThrusterAllocator([bank]).allocate((0.0, 6.0, 0.0), NO_FORCE)
    assert found.shares == pytest.approx([0.2, 0.25, 0.0], abs=1e-15)
    assert found.torque_body == pytest.approx((0.0, 6.0, 0.0)) and found.force_body == pytest.approx(NO_FORCE)


@pytest.mark.parametrize("method", ["least propellant", "even"])
def test_out_of_reach_the_direction_is_kept_and_the_length_is_cut(method):
    """Eight jets of 10 N at 1 m make 80 N·m about z; 120 N·m beside a force of 6 N leave room for neither."""
    allocator = ThrusterAllocator([sixteen_jets(new_ship())], method=method)
    found = allocator.allocate((0.0, 0.0, 160.0), NO_FORCE)
    assert found.fraction == pytest.approx(0.5) and found.saturated
    assert found.torque_body == pytest.approx((0.0, 0.0, 80.0))
    assert found.residual_torque_body == pytest.approx((0.0, 0.0, 80.0))
    both = allocator.allocate((10.0, 0.0, 120.0), (6.0, -1.0, 0.0))
    assert both.saturated and 0.0 < both.fraction < 1.0
    assert both.torque_body == pytest.approx(both.fraction * np.array((10.0, 0.0, 120.0)))
    assert both.force_body == pytest.approx(both.fraction * np.array((6.0, -1.0, 0.0)))
    assert both.residual_force_body == pytest.approx((1.0 - both.fraction) * np.array((6.0, -1.0, 0.0)))


def test_what_no_combination_of_the_jets_makes_is_left_out_first():
    """Jets along z have no torque about z. The rest of the wanted torque is made in full."""
    bank = bank_of(new_ship(), [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)], [ALONG_Z] * 4)
    found = ThrusterAllocator([bank]).allocate((3.0, 0.0, 7.0), None)
    assert found.torque_body == pytest.approx((3.0, 0.0, 0.0)) and found.residual_torque_body == pytest.approx(
        (0, 0, 7)
    )
    assert found.saturated and found.fraction == pytest.approx(1.0)
    nothing = ThrusterAllocator([bank]).allocate((0.0, 0.0, 7.0), None)
    assert nothing.saturated and nothing.fraction == 0.0 and not nothing.shares.any()


@pytest.mark.parametrize("size", [1e-200, 1e-100, 1e100])
def test_a_torque_of_any_size_that_no_jets_make_is_told(size):
    bank = bank_of(new_ship(), [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)], [ALONG_Z] * 4)
    assert ThrusterAllocator([bank]).allocate((0.0, 0.0, size), None).saturated


@pytest.mark.parametrize("outside", [1e-7, 1e-5, 4e-5])
def test_a_small_part_that_no_jets_make_is_told(outside):
    """The length of the rest is shorter by less than 1e-9; beside a jet that is stuck open, what is wanted may be nothing but that part."""
    bank = bank_of(new_ship(), [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)], [ALONG_Z] * 4)
    allocator = ThrusterAllocator([bank])
    found = allocator.allocate((3.0, 0.0, 3.0 * outside), None)
    assert found.saturated and found.residual_torque_body == pytest.approx((0.0, 0.0, 3.0 * outside), rel=1e-6)
    assert not allocator.allocate((3.0, 0.0, 3e-10), None).saturated
    beside = allocator.without(0, level=1.0).allocate((0.0, 0.0, 5.0 * outside), None)
    assert beside.saturated and beside.residual_torque_body[2] == pytest.approx(5.0 * outside)


def test_a_free_force_costs_nothing_and_is_reported():
    bank = bank_of(new_ship(), [(1, 0, 0), (-1, 0, 0)], [ALONG_Z, ALONG_Z])
    held = ThrusterAllocator([bank]).allocate((0.0, 5.0, 0.0), NO_FORCE)
    assert held.saturated and not held.shares.any()
    free = ThrusterAllocator([bank]).allocate((0.0, 5.0, 0.0), None)
    assert free.shares == pytest.approx([0.0, 0.5])
    assert free.force_body == pytest.approx((0.0, 0.0, 5.0)) and not free.residual_force_body.any()


def test_levers_follow_the_mass_centre():
    ship = new_ship()
    bank = bank_of(ship, [(1, 0, 0), (-1, 0, 0)], [ALONG_Z, ALONG_Z])
    allocator = ThrusterAllocator([bank])
    assert allocator.allocate(NO_FORCE, (0.0, 0.0, 10.0)).shares == pytest.approx([0.5, 0.5])
    ship.mass_properties = MassProperties(1200.0, (2.0e3, 2.4e3, 0.8e3), (0.5, 0.0, 0.0))
    assert allocator.allocate(NO_FORCE, (0.0, 0.0, 10.0)).shares == pytest.approx([0.75, 0.25])
    given = allocator.allocate(NO_FORCE, (0.0, 0.0, 10.0), center_of_mass_body=(-0.5, 0.0, 0.0))
    assert given.shares == pytest.approx([0.25, 0.75])


@pytest.mark.parametrize("method", ["least propellant", "even"])
def test_a_stuck_jet_is_compensated_and_a_lost_jet_stays_shut(method):
    allocator = ThrusterAllocator([sixteen_jets(new_ship())], method=method)
    wanted = (4.0, -3.0, 5.0)
    whole = allocator.allocate(wanted, NO_FORCE)
    for jet in range(16):
        for level in (0.0, 0.3, 1.0):
            found = allocator.without(jet, level=level).allocate(wanted, NO_FORCE)
            assert found.shares[jet] == level and not found.saturated
            assert found.torque_body == pytest.approx(wanted) and found.force_body == pytest.approx(NO_FORCE, abs=1e-12)
    assert allocator.lost == () and allocator.without(3).without(5).lost == (3, 5)
    assert (allocator.allocate(wanted, NO_FORCE).shares == whole.shares).all()


@pytest.mark.parametrize("method", ["least propellant", "even"])
def test_what_a_stuck_jet_makes_already_asks_nothing_of_the_others(method):
    """What is left of the torque is rounding, in whatever direction."""
    for seed in range(30):
        random, world = np.random.default_rng(seed), World(0.1)
        ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
        positions, directions, most = random.normal(size=(6, 3)), random.normal(size=(6, 3)), random.uniform(1, 100, 6)
        bank = ThrusterBank(ship, positions=positions, directions=directions, max_forces=most)
        force = 0.3 * most[1] * directions[1] / np.linalg.norm(directions[1])
        answer = (
            ThrusterAllocator([bank], method=method).without(1, level=0.3).allocate(np.cross(positions[1], force), None)
        )
        assert (answer.saturated, answer.fraction) == (False, 1.0)
        assert answer.shares.tolist() == [0.0, 0.3, 0.0, 0.0, 0.0, 0.0]


def test_without_takes_a_thruster_or_a_whole_bank():
    ship = new_ship()
    one = Thruster(ship, position=(1, 0, 0), direction=ALONG_Z, max_force=10.0)
    two = Thruster(ship, position=(3, 0, 0), direction=ALONG_Z, max_force=10.0)
    bank = bank_of(ship, [(2, 0, 0)] * 3, [ALONG_Z] * 3)
    allocator = ThrusterAllocator([one, bank, two])
    assert list(allocator.jets_of(bank)) == [1, 2, 3] and list(allocator.jets_of(two)) == [4]
    assert allocator.without(bank).lost == (1, 2, 3) and allocator.without(two).lost == (4,)
    assert allocator.allocate((0.0, -30.0, 0.0), None).shares == pytest.approx([0, 0, 0, 0, 1])
    assert allocator.without(two).without(2).allocate((0, -30.0, 0), None).shares == pytest.approx([0, 1, 0, 0.5, 0])


def test_lost_jets_shrink_the_reachable_torques():
    allocator = ThrusterAllocator([sixteen_jets(new_ship())])
    assert allocator.reachable_torques() == pytest.approx(np.array([[40.0, 40.0, 80.0]] * 2))
    lost = allocator.without(0)
    assert (lost.reachable_torques() <= allocator.reachable_torques() + 1e-12).all()
    assert lost.reachable_torques([(0, 0, 2.0)]) == pytest.approx([60.0])
    assert allocator.without(0, level=1.0).reachable_torques() == pytest.approx(lost.reachable_torques())


def test_reachable_torques_are_the_surface_of_the_set():
    """Just inside is reached, and just outside is not."""
    random = np.random.default_rng(11)
    allocator = ThrusterAllocator([bank_of(new_ship(), random.normal(size=(14, 3)), random.normal(size=(14, 3)))])
    directions = random.normal(size=(20, 3))
    for force, free in ((NO_FORCE, False), (None, True)):
        largest = allocator.reachable_torques(directions, force_is_free=free)
        units = directions / np.linalg.norm(directions, axis=1)[:, np.newaxis]
        inside = allocator.allocate((1.0 - 1e-9) * largest[:, np.newaxis] * units, force)
        outside = allocator.allocate((1.0 + 1e-9) * largest[:, np.newaxis] * units, force)
        assert not inside.saturated.any() and outside.saturated.all() and (largest > 0.0).all()


def test_even_changes_continuously_and_burns_more():
    even, least = (ThrusterAllocator([sixteen_jets(new_ship())], method=name) for name in ("even", "least propellant"))
    angles = np.linspace(0.0, 2.0 * np.pi, 721)
    torques = 20.0 * np.stack([np.cos(angles), np.sin(angles), np.sin(2.0 * angles)], axis=1)
    spread, sparse = (each.allocate(torques, NO_FORCE).shares for each in (even, least))
    step = np.abs(np.diff(torques, axis=0)).max()
    assert np.abs(np.diff(spread, axis=0)).max() < 0.1 * step  # at most 1/10 N, the thrust of a jet
    assert (spread.sum(axis=1) > sparse.sum(axis=1) - 1e-12).all()
    assert ((spread > 1e-9).sum(axis=1) > (sparse > 1e-9).sum(axis=1)).mean() > 0.9


@pytest.mark.parametrize("method", ["least propellant", "even"])
def test_a_stack_gives_the_bits_of_single_calls(method):
    random = np.random.default_rng(3)
    allocator = ThrusterAllocator([sixteen_jets(new_ship())], method=method)
    torques, forces = random.normal(size=(2, 10, 3)) * 30.0, random.normal(size=(10, 3))
    centers = 0.1 * random.normal(size=(2, 1, 3))
    stacked = allocator.allocate(torques, forces, center_of_mass_body=centers)
    assert stacked.shares.shape == (2, 10, 16) and stacked.fraction.shape == stacked.saturated.shape == (2, 10)
    for i in range(2):
        for k in range(10):
            single = allocator.allocate(torques[i, k], forces[k], center_of_mass_body=centers[i, 0])
            for name in single._fields:
                assert np.array_equal(getattr(stacked, name)[i, k], getattr(single, name)), name


@pytest.mark.skipif(not COMPILED, reason="compares compiled code with plain Python")
@pytest.mark.parametrize("spreads", [False, True])
def test_compiled_and_plain_shares_have_the_same_bits(spreads, monkeypatch):
    allocator = ThrusterAllocator([sixteen_jets(new_ship((0.03, -0.02, 0.05)))])
    random = np.random.default_rng(4)
    cases = np.concatenate([random.normal(size=(50, 6)) * 40.0, 0.1 * random.normal(size=(50, 3))], axis=1)
    compiled = thrust_allocation.solve(allocator._jets, cases, spreads, False)
    monkeypatch.setattr(thrust_allocation, "allocate", plain(thrust_allocation.allocate))
    assert np.array_equal(thrust_allocation.solve(allocator._jets, cases, spreads, False), compiled)


@pytest.mark.parametrize("size", [1e-120, 1e-12, 1e12, 1e120])
def test_wanted_wrenches_of_any_size(size):
    for method in ("least propellant", "even"):
        allocator = ThrusterAllocator([sixteen_jets(new_ship(), 0.1 * size)], method=method)
        wanted = size * np.array((0.1, -0.05, 0.02))
        found = allocator.allocate(wanted, (0.0, 0.0, 0.0))
        assert found.torque_body / size == pytest.approx(wanted / size, rel=1e-12) and not found.saturated
    small = ThrusterAllocator([sixteen_jets(new_ship())], method="even").allocate((1e-300, 0.0, 0.0), NO_FORCE)
    assert small.torque_body == pytest.approx((1e-300, 0.0, 0.0), rel=1e-9)


def test_nothing_wanted_fires_nothing():
    found = ThrusterAllocator([sixteen_jets(new_ship())]).allocate(NO_FORCE, NO_FORCE)
    assert not found.shares.any() and not found.saturated and found.fraction == 1.0


def test_the_jet_with_the_higher_specific_impulse_fires():
    """The flow is the thrust over the specific impulse, as long as every jet has one."""
    ship = new_ship()
    tank = ship.world.add_part(Tank.ball(ship, (0.0, 0.0, 0.0), 0.5, 100.0))
    places, specific_impulses = [(1, 0, 0), (1, 0.1, 0), (1, -0.1, 0)], (200.0, 300.0, 250.0)
    bank = ThrusterBank(
        ship,
        positions=places,
        directions=[ALONG_Z] * 3,
        max_forces=10.0,
        specific_impulse=specific_impulses,
        tank=tank,
    )
    cold = bank_of(ship, [(-1, 0, 0)], [ALONG_Z])
    single = Thruster(ship, position=(1, 0, 0), direction=ALONG_Z, max_force=9.0, specific_impulse=220.0, tank=tank)
    torque = (0.0, -5.0, 0.0)
    # about y alone: torque about x must cancel, which the second and third jet do together
    assert ThrusterAllocator([bank]).allocate(torque, None).shares == pytest.approx([0.0, 0.25, 0.25], abs=1e-12)
    # 220 s are better than 200, and worse than the mean of 300 and 250
    assert ThrusterAllocator([single, bank]).allocate(torque, None).shares == pytest.approx(
        [0, 0, 0.25, 0.25], abs=1e-12
    )
    lost = ThrusterAllocator([single, bank]).without(2)
    assert lost.allocate(torque, None).shares == pytest.approx([5.0 / 9.0, 0, 0, 0], abs=1e-12)
    # one jet without a specific impulse: all count by their thrust, and equal ones by their number
    assert ThrusterAllocator([bank, cold]).allocate(torque, None).shares == pytest.approx([0.5, 0, 0, 0], abs=1e-12)


def test_jets_without_thrust_or_lever_are_left_alone():
    ship = new_ship()
    bank = bank_of(ship, [(1, 0, 0), (-1, 0, 0), (0, 0, 2)], [ALONG_Z, ALONG_Z, ALONG_Z], (10.0, 0.0, 10.0))
    found = ThrusterAllocator([bank]).allocate((0.0, -5.0, 0.0), None)
    assert found.shares == pytest.approx([0.5, 0.0, 0.0])
    dead = ThrusterAllocator([bank_of(ship, [(1, 0, 0)], [ALONG_Z], 0.0)]).allocate((0.0, 1.0, 0.0), NO_FORCE)
    assert dead.saturated and dead.fraction == 0.0


def test_bad_jets_are_rejected_by_name():
    ship, other = new_ship(), new_ship()
    own, foreign = sixteen_jets(ship), sixteen_jets(other)
    with pytest.raises(ValueError, match="thrusters must be at least one thruster"):
        ThrusterAllocator([])
    with pytest.raises(TypeError, match="thrusters must be a list of thrusters"):
        ThrusterAllocator([ship])
    with pytest.raises(ValueError, match="thrusters must be on the same body as the first of them"):
        ThrusterAllocator([own, foreign])
    with pytest.raises(ValueError, match="thrusters must be different"):
        ThrusterAllocator([own, own])
    with pytest.raises(ValueError, match="method must be 'least propellant' or 'even'"):
        ThrusterAllocator([own], method="slow")
    allocator = ThrusterAllocator([own])
    with pytest.raises(ValueError, match="jet must be a number below 16"):
        allocator.without(16)
    with pytest.raises(ValueError, match="jet must be the number of a jet, or one of the thrusters"):
        allocator.without(foreign)
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        allocator.without(0, level=1.5)
    with pytest.raises(ValueError, match="jet must be one of at least two jets in use"):
        allocator.without(own)


def test_bad_wishes_are_rejected_by_name():
    allocator = ThrusterAllocator([sixteen_jets(new_ship())])
    with pytest.raises(ValueError, match="torque_body must be"):
        allocator.allocate((np.nan, 0.0, 0.0), NO_FORCE)
    with pytest.raises(ValueError, match="force_body must be"):
        allocator.allocate(NO_FORCE, (np.inf, 0.0, 0.0))
    with pytest.raises(ValueError, match="leading dimensions broadcast"):
        allocator.allocate(np.zeros((2, 3)), np.zeros((3, 3)))
    with pytest.raises(ValueError, match="directions must be non-zero"):
        allocator.reachable_torques([(0.0, 0.0, 0.0)])


def test_newtons_method_rarely_gives_up():
    """Where it does, the linear programme gives the wrench; measured: 3 of 400."""
    random = np.random.default_rng(8)
    given_up = 0
    for _ in range(100):
        bank = random_jets(random, "anywhere", new_ship())
        matrix = wrenches(bank)
        wanted = matrix @ (random.uniform(size=matrix.shape[1]) * random.choice([0.0, 0.4], size=matrix.shape[1]))
        even = ThrusterAllocator([bank], method="even").allocate(wanted[3:], wanted[:3])
        least = ThrusterAllocator([bank]).allocate(wanted[3:], wanted[:3])
        given_up += matrix.shape[1] > 12 and np.array_equal(even.shares, least.shares)
    assert given_up <= 3


def test_the_constants_of_both_solvers_fit_one_work_array():
    assert least_propellant.FRAME + least_propellant.ROWS == least_propellant.WORK_ROWS
    assert even_shares.MULTIPLIER + least_propellant.ROWS <= 1 + least_propellant.SPARE_COLUMNS


def test_what_is_in_reach_is_made_to_rounding():
    """Also by jets that are all nearly in one plane. Measured: residuals of 2e-15, and of 6e-14 without refinement."""
    random = np.random.default_rng(12)
    for _ in range(100):
        flat = (1.0, 1.0, 1e-4)
        bank = bank_of(new_ship(), random.normal(size=(20, 3)) * flat, random.normal(size=(20, 3)) * flat, 1.0)
        matrix = wrenches(bank)
        wanted = matrix @ random.uniform(0.2, 0.8, size=20)
        found = ThrusterAllocator([bank]).allocate(wanted[3:], wanted[:3])
        assert not found.saturated and np.abs(matrix @ found.shares - wanted).max() < 6e-15


def jets_and_wrenches(seed, count=6):
    """Jets anywhere, and their wrenches at full thrust, shape (count, 6)."""
    random = np.random.default_rng(seed)
    positions, directions = random.normal(size=(2, count, 3))
    sizes = random.uniform(1, 100, count)
    pushes = sizes[:, np.newaxis] * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    bank = ThrusterBank(new_ship(), positions=positions, directions=directions, max_forces=sizes)
    return bank, np.concatenate([pushes, np.cross(positions, pushes)], axis=1)


@pytest.mark.parametrize("method", ["least propellant", "even"])
@pytest.mark.parametrize("is_free", [True, False])
def test_what_a_stuck_jet_makes_already_is_no_saturation(method, is_free):
    """Rounding leaves some of the wanted wrench; its direction is arbitrary, and mostly out of reach."""
    for seed in range(100):
        bank, wrenches = jets_and_wrenches(seed)
        allocator = ThrusterAllocator([bank], method=method).without(1, level=0.3)
        if seed % 2:
            allocator = allocator.without(4, level=0.7)
        wanted = 0.3 * wrenches[1] + 0.7 * (seed % 2) * wrenches[4]
        found = allocator.allocate(wanted[3:], None if is_free else wanted[:3])
        assert not found.saturated and found.fraction == 1.0
        assert found.shares.tolist() == [0.0, 0.3, 0.0, 0.0, 0.7 * (seed % 2), 0.0]
        assert np.abs(found.residual_torque_body).max() < 1e-13 * np.abs(wrenches).sum()


@pytest.mark.parametrize("method", ["least propellant", "even"])
@pytest.mark.parametrize("share", [1e-13, 1e-11, 1e-9, 1e-6, 1e-3, 0.5])
def test_the_little_that_is_wanted_beside_a_stuck_jet_is_made(method, share):
    """What one jet makes is at the edge of what all can make, and rounding may put it beyond."""
    for seed in range(50):
        bank, wrenches = jets_and_wrenches(seed)
        allocator = ThrusterAllocator([bank], method=method).without(1, level=0.3)
        wanted = 0.3 * wrenches[1] + share * wrenches[0]
        found = allocator.allocate(wanted[3:], wanted[:3])
        assert not found.saturated and found.fraction == 1.0
        made = np.concatenate([found.force_body, found.torque_body])
        assert np.abs(made - wanted).max() < 1e-13 * np.abs(wrenches).sum()


@pytest.mark.parametrize("method", ["least propellant", "even"])
def test_fractions_are_between_zero_and_one_and_have_no_sign(method):
    random = np.random.default_rng(8)
    for seed in range(100):
        bank, wrenches = jets_and_wrenches(seed, 3)
        allocator = ThrusterAllocator([bank], method=method)
        cases = np.concatenate(
            [random.normal(size=(20, 3)), -wrenches[:, 3:], 0.0 * wrenches[:, 3:], 9.0 * wrenches[:, 3:]]
        )
        found = allocator.allocate(cases, None)
        assert ((found.fraction >= 0.0) & (found.fraction <= 1.0) & ~np.signbit(found.fraction)).all()
        single = [allocator.allocate(case, None).fraction for case in cases]
        assert np.array_equal(found.fraction, single)
        assert (found.saturated == (found.fraction < 1.0)).all()


def test_three_wheels_have_the_torques_of_the_linear_programme(monkeypatch):
    """Within their limits and beyond them; 3e-13 was measured for 400 sets of axes."""
    random, direct, cut = np.random.default_rng(5), wheel_torques.direct_torques, 0
    for _ in range(40):
        world = World(0.1)
        ship = world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), angular_velocity_body=random.normal(0, 0.1, 3))
        limits = {"inertia": 0.02, "max_torque": 0.3, "max_speed": 600.0}
        wheels = []
        for axis in random.normal(size=(3, 3)):
            speed = float(random.uniform(-599.0, 599.0))
            wheels.append(world.add_part(ReactionWheel(ship, axis=axis, speed=speed, **limits)))
        wanted, found = random.normal(0.0, 0.1, 3), []
        for kernel in (direct, lambda *_arguments: 1):
            monkeypatch.setattr(wheel_torques, "direct_torques", kernel)
            allocator = WheelAllocator(wheels)
            made = allocator.command(wanted, None, 0.1).torque_body
            found.append([*made, *(wheel.torque for wheel in wheels), allocator.saturated])
        assert found[0] == pytest.approx(found[1], abs=1e-12)
        cut += found[0][-1]
    assert 10 <= cut <= 35
