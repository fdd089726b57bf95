"""Splitting methods: their tables, their order under every kind of force, wheels, and conserved quantities."""

import itertools

import numpy as np
import pytest

from engine import MassProperties, World, forces, integrators
from engine.compilation.compiler import COMPILED
from engine.compilation.packed import Packed
from engine.forces import drag, gravity
from engine.integrators import AxisSplitting, FreeRotor
from engine.integrators.axis_splitting import axis_splitting
from engine.kernels.free_rotor import free_rotor
from engine.loops import splitting, splitting_passes
from engine.loops.layout import INERTIA, PREVIOUS, PRINCIPAL_AXES, PRINCIPAL_MOMENTS, ROWS, STATE_ROWS
from engine.loops.point_forces import ForceTables
from engine.loops.runs import members_of
from engine.solutions import FreeSymmetricTop

from ..helpers import (
    ASYMMETRIC,
    SKEW_AXES,
    SKEW_ORIENTATION,
    angular_momentum,
    fly,
    measured_orders,
    one_body,
    rotational_energy,
    skew_tensor,
)
from ..kernels.test_kernels import control_of, multiplications, needs_numba, packed_type, world_array
from ..lengths import sized
from ..truth import reference, rotations

METHODS = [AxisSplitting(), AxisSplitting(order=4), FreeRotor(), FreeRotor(order=4), FreeRotor(scheme="saba4")]
every_splitting = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
TIMES = (0.5, 1.0, 1.5, 2.0)
ALL = ("orientation", "angular_velocity_body", "position", "velocity")
START = {
    "position": (0.9, -0.6, 1.1),
    "velocity": (-0.5, 0.9, 0.3),
    "orientation": SKEW_ORIENTATION,
    "angular_velocity_body": (0.9, -1.6, 2.2),
    "inertia_body": ASYMMETRIC,
}


# compiled loops

PITCH = 264
TURNS = pytest.mark.parametrize("turn", [axis_splitting, free_rotor], ids=["axes", "rotor"])


PASSES = FreeRotor()._program(1), FreeRotor()._arrays[1]
"""What the loop in passes is given of a method."""


def loops(turn):
    """Each loop, and the arguments after its arrays; without bodies that store momentum, and with them."""
    table, shares = FreeRotor()._arrays
    return {
        "strang": (splitting.strang_ticks(turn, False, True, PITCH), (0.0, 0.1, 1)),
        "strang with wheels": (splitting.strang_ticks(turn, True, True, PITCH), (0.0, 0.1, 1)),
        "table": (splitting.table_ticks(turn, False, True, PITCH), (table, shares, 0.0, 0.1, 1)),
        "table with wheels": (splitting.table_ticks(turn, True, True, PITCH), (table, shares, 0.0, 0.1, 1)),
        "passes": (splitting_passes.passes(turn, False, True, False, PITCH), PASSES),
        "passes with wheels": (splitting_passes.passes(turn, True, True, False, PITCH), PASSES),
    }


@needs_numba
@pytest.mark.parametrize("turn", sized([axis_splitting], [axis_splitting, free_rotor]))
def test_loops_are_packed_across_bodies(turn):
    """Multiplications stand there twice, packed and, for what is left over, scalar. The rotor has 48 square roots and 81 quotients too."""
    from numba import float64, int64
    from numba.types import Array

    matrix, vector, control = Array(float64, 2, "C"), Array(float64, 1, "C"), Array(int64, 1, "C")
    strang = (matrix, control, float64, float64, int64)
    table = (matrix, control, matrix, vector, *strang[2:])
    passes = packed_type(splitting_passes.Passes), int64, int64
    signatures = {
        "strang": strang,
        "strang with wheels": strang,
        "table": table,
        "table with wheels": table,
        "passes": passes,
        "passes with wheels": passes,
    }
    for name, signature in signatures.items():
        packed, scalar = multiplications(loops(turn)[name][0], *signature)
        assert packed >= 12, name
        # loops in passes count bodies that are not finite one by one, by 13 products
        assert packed >= 0.9 * (scalar - (STATE_ROWS if name.startswith("passes") else 0)), name


@needs_numba
@pytest.mark.parametrize("kinds", [(gravity.POINT_GRAVITY,), (drag.LINEAR_DRAG,)], ids=lambda kinds: kinds[0].name)
def test_kicks_by_fields_are_packed_across_bodies(kinds):
    """A field that depends on the rates is evaluated twice in a kick."""
    from numba import float64, int64
    from numba.types import Array

    matrix, vector, control = Array(float64, 2, "C"), Array(float64, 1, "C"), Array(int64, 1, "C")
    arguments = axis_splitting, False, True, PITCH, kinds, 1 + kinds[0].depends_on_rates
    strang, table = splitting.strang_ticks(*arguments), splitting.table_ticks(*arguments)
    for loop, tables in ((strang, ()), (table, (matrix, vector))):
        plain, _ = multiplications(
            loops(axis_splitting)["table" if tables else "strang"][0],
            matrix,
            control,
            *tables,
            *(float64, float64, int64),
        )
        packed, _ = multiplications(loop, matrix, control, *tables, matrix, float64, int64)
        assert packed > plain + 20


@TURNS
def test_loops_refuse_arrays_of_another_pitch_and_leave_them_alone(turn):
    right, wrong, control = np.full((ROWS, PITCH), 7.0), np.full((ROWS, PITCH - 8), 7.0), control_of()
    for name, (loop, arguments) in loops(turn).items():
        if name.startswith(("strang", "table")):
            assert loop(wrong, control, *arguments) == -1, name
            continue
        program, shares = arguments
        calls, counts, tables = np.zeros((1, 3), np.int64), np.zeros(2, np.int64), (np.zeros((12, 1)), np.zeros((8, 1)))
        for array, stages, layers in [(wrong, right, right), (right, wrong, right), (right, right, wrong)]:
            for stage in (-1, 0, len(program) - 1):
                forces = ForceTables(calls, layers, *tables, counts)
                packed = Packed(
                    splitting_passes.Passes(array, control, program, shares, stages, forces, members_of(0), 0.1)
                )
                assert loop(packed, stage, 1) == -1, name
    assert control[:4].tolist() == [0, 8, -1, 1]
    assert (right == 7.0).all()
    assert (wrong == 7.0).all()


@TURNS
@pytest.mark.parametrize("name", ["strang", "strang with wheels", "table", "table with wheels"])
def test_a_loop_keeps_the_tick_before_and_touches_no_column_beyond_the_count(turn, name):
    array = world_array("free-rotor-2")
    before = array.copy()
    loop, arguments = loops(turn)[name]
    control = control_of(ticks=41)
    assert loop(array, control, *arguments) == 1
    assert control[:4].tolist() == [42, 8, -1, 1]
    assert np.array_equal(array[PREVIOUS : PREVIOUS + STATE_ROWS, :5], before[:STATE_ROWS, :5])
    assert np.array_equal(array[2 * STATE_ROWS :], before[2 * STATE_ROWS :])
    assert np.array_equal(array[:, 8:], before[:, 8:])
    assert not np.array_equal(array[:STATE_ROWS, :5], before[:STATE_ROWS, :5])


@TURNS
@pytest.mark.parametrize("name", ["strang", "table"])
def test_a_tick_that_is_not_finite_is_undone_for_all_and_not_counted(turn, name):
    array, control = world_array("free-rotor-2"), control_of(ticks=5)
    array[7, 3] = np.nan
    before = array.copy()
    loop, arguments = loops(turn)[name]
    assert loop(array, control, *arguments) == 0
    assert control[:4].tolist() == [5, 8, 3, 1]
    assert np.array_equal(array[:STATE_ROWS], before[:STATE_ROWS], equal_nan=True)


# tables


@every_splitting
def test_kicks_and_drifts_each_sum_to_one_and_read_the_same_backwards(method):
    kicks, drifts = np.array(method._table).T
    assert kicks.sum() == pytest.approx(1.0, abs=4e-16)
    assert drifts.sum() == pytest.approx(1.0, abs=4e-16)
    kicks, drifts = kicks[kicks != 0.0], drifts[drifts != 0.0]
    assert np.allclose(kicks, kicks[::-1], rtol=0.0, atol=3e-16)
    assert np.allclose(drifts, drifts[::-1], rtol=0.0, atol=3e-16)


def conditions(table):
    """Σ b c² and Σ a B², both 1/3 for a symmetric method of order four: b at times c; drifts a behind kicks that sum to B."""
    kicks, drifts = np.array(table).T
    times = np.cumsum(drifts) - drifts
    return (kicks * times**2).sum(), (drifts * np.cumsum(kicks) ** 2).sum()


@pytest.mark.parametrize("order", [4])
def test_blanes_and_moans_table_meets_the_conditions_of_order_four(order):
    assert conditions(FreeRotor(order=order)._table) == pytest.approx((1.0 / 3.0, 1.0 / 3.0), abs=1e-14)
    assert max(abs(value - 1.0 / 3.0) for value in conditions(FreeRotor()._table)) > 0.05


def test_suzukis_table_meets_the_condition_of_order_four():
    """Of the five steps it is made of, Σ pᵢ³ = 0 is the condition."""
    steps = np.array([drift for _kick, drift in AxisSplitting(order=4)._table])
    assert (steps**3).sum() == pytest.approx(0.0, abs=1e-15)


def test_saba4_kicks_are_the_quadrature_of_gauss():
    """Σ b cⁿ = 1/(n + 1) up to n = 7: what is of first order in the forces is exact to the eighth power of dt."""
    kicks, _drifts = np.array(FreeRotor(scheme="saba4")._table).T
    times = np.array((0.0, *FreeRotor(scheme="saba4").stage_offsets))
    for power in range(8):
        assert (kicks * times**power).sum() == pytest.approx(1.0 / (power + 1.0), abs=1e-15)


@pytest.mark.parametrize(
    ("arguments", "kind", "rule"),
    [
        ({"order": 3}, ValueError, "order must be 2 or 4; got 3"),
        ({"order": True}, TypeError, "order must be 2 or 4; got True"),
        ({"scheme": "saba"}, ValueError, "scheme must be 'saba4' or None"),
        ({"order": 4, "scheme": "saba4"}, ValueError, "order must be omitted"),
    ],
)
def test_what_a_rotor_cannot_be_is_refused(arguments, kind, rule):
    with pytest.raises(kind, match=f"FreeRotor: {rule}"):
        FreeRotor(**arguments)


@pytest.mark.parametrize(
    ("order", "kind"), [(1, ValueError), (3, ValueError), (True, TypeError), (2.0, TypeError), ("2", TypeError)]
)
def test_what_axis_splitting_cannot_be_is_refused(order, kind):
    with pytest.raises(kind, match=f"AxisSplitting: order must be 2 or 4; got {order!r}"):
        AxisSplitting(order=order)


def test_equal_methods_are_equal():
    assert FreeRotor() == FreeRotor(order=2) != FreeRotor(order=4)
    assert repr(FreeRotor(scheme="saba4")) == "<FreeRotor 'saba4'>"


# orders: the problems that `test_integrators.py` does not have


def assert_orders(method, found):
    assert all(order >= method.order - 0.1 for order in found.values()), f"{method.name}: {found}"


@pytest.fixture(scope="module")
def satellite_truth():
    center = np.array((0.3, -0.2, 0.1))

    def wrench(time, position, rotation, velocity, rates):
        r = position - center
        distance = np.linalg.norm(r)
        along = rotation.T @ r
        return -2.0 * 1.7 * r / distance**3, 3.0 * 1.7 / distance**5 * reference.cross(along, ASYMMETRIC @ along)

    return reference.solve(TIMES, mass=2.0, wrench=wrench, **START)


@every_splitting
def test_gravity_gradient_in_orbit_converges_at_the_named_order(method, satellite_truth):
    """The torque hangs on position and attitude together: kicks at one pose keep the order of both."""
    found = measured_orders(
        method,
        TIMES,
        satellite_truth,
        ALL,
        forces=lambda body: [
            forces.PointGravity(1.7, (0.3, -0.2, 0.1)),
            forces.GravityGradient(1.7, (0.3, -0.2, 0.1)),
        ],
        mass=2.0,
        **START,
    )
    assert_orders(method, found)


@pytest.fixture(scope="module")
def charged_truth():
    electric, magnetic = np.array((0.3, -0.8, 0.4)), np.array((0.7, 1.1, -1.6))

    def wrench(time, position, rotation, velocity, rates):
        return 1.3 * (electric + reference.cross(velocity, magnetic)), reference.cross(rotation.T @ magnetic, rates)

    return reference.solve(TIMES, wrench=wrench, **START)


@every_splitting
def test_lorentz_force_and_torque_converge_at_the_named_order(method, charged_truth):
    """v × B, and a torque B × ω that likewise turns with the rates: gyroscopic forces, which do no work."""
    electric, magnetic = (0.3, -0.8, 0.4), (0.7, 1.1, -1.6)

    def induced(wrench, bodies, time):
        wrench.torque_body += np.cross(bodies.to_body(np.array([magnetic])), bodies.angular_velocity_body)

    found = measured_orders(
        method,
        TIMES,
        charged_truth,
        ALL,
        forces=lambda body: [forces.Lorentz(1.3, electric_field=electric, magnetic_field=magnetic), induced],
        **START,
    )
    assert_orders(method, found)


@pytest.mark.parametrize(
    "method", [AxisSplitting(order=4), FreeRotor(), FreeRotor(order=4)], ids=lambda method: method.name
)
def test_a_damping_that_hides_its_rates_costs_the_order(method):
    """The reason for `depends_on_rates`: plain kicks under a damping that denies it are of order one."""
    truth = reference.solve(TIMES, wrench=lambda t, x, r, v, rates: (-0.4 * v, -0.7 * rates), **START)

    def denied(wrench, bodies, time):
        wrench.force_world += -0.4 * bodies.velocity
        wrench.torque_body += -0.7 * bodies.angular_velocity_body

    def honest(wrench, bodies, time):
        denied(wrench, bodies, time)

    denied.depends_on_rates = False
    hidden = measured_orders(method, TIMES, truth, ALL, forces=lambda body: [denied], **START)
    assert all(order < 1.2 for order in hidden.values())
    assert_orders(method, measured_orders(method, TIMES, truth, ALL, forces=lambda body: [honest], **START))


@every_splitting
def test_forces_that_depend_on_rates_are_asked_more_often(method):
    """Twice for midpoint kicks, four times for Runge-Kutta kicks; once where all forces say that they do not. One that is silent does."""
    often = 2 if method.order == 2 else 4
    for depends, times in ((False, 1), (True, often), (None, often)):
        asked = []

        def count(wrench, bodies, time, asked=asked):
            asked.append(time)

        if depends is not None:
            count.depends_on_rates = depends
        fly(method, 0.25, (0.5,), forces=lambda body, count=count: [count], inertia_body=ASYMMETRIC)
        assert len(asked) == 2 * times * method.evaluations_per_tick


def test_built_in_forces_say_whether_they_depend_on_rates():
    """To those who ask the force, and by their kind to the compiled loops."""
    world = World(0.1)
    one, two = world.add_bodies(MassProperties.sphere(mass=1.0, radius=1.0), position=[(0, 0, 0), (3, 0, 0)])
    assert not forces.PointGravity(1.0).depends_on_rates
    assert not forces.GravityGradient(1.0).depends_on_rates
    assert not forces.Spring(one, two, stiffness=1.0).depends_on_rates
    assert not forces.ConstantForce(one, force_world=(1, 0, 0), at_body=(0, 1, 0)).depends_on_rates
    assert forces.Spring(one, two, stiffness=1.0, damping=0.1).depends_on_rates
    for force in (forces.LinearDrag(1.0), forces.QuadraticDrag(1.0), forces.AngularDamping(1.0), forces.Lorentz(1.0)):
        assert force.depends_on_rates
        assert force._kind.depends_on_rates
    assert not forces.PointGravity._kind.depends_on_rates
    assert not forces.GravityGradient._kind.depends_on_rates


# weak and conservative forces


def test_saba4_follows_a_weak_torque_in_long_ticks():
    """A gravity gradient of 1e-4 rad/s² on a body that turns 1 rad a tick, after 60 ticks of 1 s.

    Measured: 1.6e-10 rad; free-rotor-4 4e-9, free-rotor-2 1.4e-5, RK4 0.7 rad.
    """
    times = (20.0, 40.0, 60.0)
    rates, strength = (0.3, -0.2, 0.9), 1e-4

    def wrench(time, position, rotation, velocity, rates):
        along = rotation.T @ (0.0, 0.0, 1.0)
        return np.zeros(3), strength * reference.cross(along, ASYMMETRIC @ along)

    setup = {"orientation": SKEW_ORIENTATION, "angular_velocity_body": rates, "inertia_body": ASYMMETRIC}
    truth = reference.solve(times, wrench=wrench, **setup)

    def weak(body):
        def gradient(wrench, bodies, time):
            along = bodies.to_body(np.array([(0.0, 0.0, 1.0)]))
            wrench.torque_body += strength * np.cross(along, along @ ASYMMETRIC)

        gradient.depends_on_rates = False
        return [gradient]

    def error(method):
        return rotations.angle(fly(method, 1.0, times, forces=weak, **setup).orientation, truth.orientation).max()

    assert error("saba4") < 2e-9
    assert error("free-rotor-4") < 4e-8
    assert error("free-rotor-2") < 1e-4
    assert error("rk4") > 0.1


@needs_numba
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_energy_of_a_heavy_top_stays_bounded(method):
    """I = (1, 1, 0.6), torque 3 z × x₃, 100 s at 1/60 s. The error of the second half is that of the first: nothing creeps.

    Measured: 2e-5 for the methods of order 2, 1e-8 and less for order 4. L·z is kept to rounding.
    """
    axis = SKEW_AXES[:, 2]

    def weight(body):
        return [
            forces.ConstantForce(body, force_world=(0.0, 0.0, -3.0), at_body=axis),
            forces.ConstantForce(body, force_world=(0.0, 0.0, 3.0)),
        ]

    world, body = one_body(
        method,
        1.0 / 60.0,
        forces=weight,
        inertia_body=skew_tensor((1.0, 1.0, 0.6)),
        orientation=rotations.from_axis_angle((1.0, 0.4, 0.2), 0.7),
        angular_velocity_body=SKEW_AXES @ (0.3, -0.5, 9.0),
    )

    def energy():
        height = rotations.to_world(body.orientation, axis)[2]
        return rotational_energy(body.inertia_body, body.angular_velocity_body) + 3.0 * height

    start, momentum = energy(), angular_momentum(body)[2]
    halves = []
    for _ in range(2):
        worst = 0.0
        for _ in range(300):
            world.step(10)
            worst = max(worst, abs(energy() / start - 1.0))
        halves.append(worst)
    assert halves[1] < max(1.2 * halves[0], 1e-10)
    assert halves[0] < (1e-4 if method.order == 2 else 1e-7)
    assert abs(angular_momentum(body)[2] - momentum) < 1e-12 * np.linalg.norm(angular_momentum(body))


# axis splitting


@pytest.mark.parametrize("moments", [(2.0, 2.0, 3.1), (2.0, 2.0, 0.7), (1.7, 1.7, 1.7)])
@pytest.mark.parametrize("axes", [np.eye(3), SKEW_AXES], ids=["principal", "skew"])
def test_axis_splitting_is_exact_for_symmetric_bodies(moments, axes):
    """What is split off beside the turn about L is one turn about the symmetry axis. Measured 2e-14 rad after ten ticks of 2 s."""
    tensor = axes @ np.diag(moments) @ axes.T
    rates = axes @ (1.2, -0.5, 1.9)
    flight = fly(
        AxisSplitting(),
        2.0,
        (20.0,),
        inertia_body=0.5 * (tensor + tensor.T),
        orientation=SKEW_ORIENTATION,
        angular_velocity_body=rates,
    )
    top = FreeSymmetricTop(moments[0], moments[2], rates, SKEW_ORIENTATION, axes[:, 2])
    orientations, after = top.orientations([20.0]), top.angular_velocities_body([20.0])
    assert rotations.angle(flight.orientation, orientations)[0] < 2e-13
    assert np.abs(flight.angular_velocity_body - after).max() < 2e-13


@pytest.mark.parametrize("turn", np.geomspace(0.01, 100.0, 9))
@every_splitting
def test_no_spin_breaks_a_splitting(method, turn):
    """dt |ω| from 0.01 to 100, 500 ticks: momentum to rounding, so that the energy stays between L²/2I₃ and L²/2I₁."""
    rates = np.array((0.3, -0.5, 0.8)) / np.linalg.norm((0.3, -0.5, 0.8)) * turn
    world, body = one_body(
        method, 1.0, inertia_body=ASYMMETRIC, orientation=SKEW_ORIENTATION, angular_velocity_body=rates
    )
    start = angular_momentum(body)
    squared = float(start @ start)
    for _ in range(10):
        world.step(50)
        assert np.linalg.norm(angular_momentum(body) - start) < 1e-12 * np.linalg.norm(start)
        twice = 2.0 * rotational_energy(ASYMMETRIC, body.angular_velocity_body)
        assert squared / 2.5 * (1.0 - 1e-12) < twice < squared * (1.0 + 1e-12)


# wheels


@every_splitting
def test_a_wheel_in_one_body_does_not_touch_the_bits_of_its_neighbour(method):
    """A drift of a body with stored momentum may be taken in five parts; that of the other stays whole."""
    alone, together = World(0.1, integrator=method), World(0.1, integrator=method)
    for world in (alone, together):
        world.add_body(
            MassProperties(1.0, ASYMMETRIC), name="plain", velocity=(1, 2, 3), angular_velocity_body=(0.9, -1.6, 2.2)
        )
    wheeled = together.add_body(MassProperties(1.0, ASYMMETRIC), name="wheeled", angular_velocity_body=(0.9, -1.6, 2.2))
    wheeled.stored_momentum_body = (0.8, -0.5, 1.3)
    for staged, _ in itertools.product((False, True), range(20)):
        if staged and not alone.forces:
            for world in (alone, together):
                world.add_force(forces.LinearDrag(0.1))
        alone.step()
        together.step()
    plain, other = alone.body("plain"), together.body("plain")
    for name in ("position", "orientation", "velocity", "angular_velocity_body"):
        assert np.array_equal(getattr(plain, name), getattr(other, name))
    assert not np.array_equal(plain.orientation, wheeled.orientation)


@every_splitting
def test_a_wheel_keeps_momentum_to_rounding_and_energy_within_bounds(method):
    """R (I ω + h) over 10 000 ticks of 0.05 s; measured 1e-13. The energy ω·Iω/2 swings by the error of the split and does not creep."""
    ticks = 10_000 if COMPILED else 100
    world, body = one_body(
        method,
        0.05,
        inertia_body=ASYMMETRIC,
        orientation=SKEW_ORIENTATION,
        angular_velocity_body=(0.9, -1.6, 2.2),
        stored_momentum_body=(0.8, -0.5, 1.3),
    )
    start, energy = angular_momentum(body), rotational_energy(ASYMMETRIC, body.angular_velocity_body)
    halves = []
    for _ in range(2):
        worst = 0.0
        for _ in range(50):
            world.step(ticks // 100)
            worst = max(worst, abs(rotational_energy(ASYMMETRIC, body.angular_velocity_body) / energy - 1.0))
        halves.append(worst)
    assert np.linalg.norm(angular_momentum(body) - start) < 2e-12 * np.linalg.norm(start)
    assert halves[1] < max(1.2 * halves[0], 1e-11)


@pytest.mark.parametrize("order", [2, 4])
def test_axis_splitting_leaves_a_body_at_rest_beside_its_wheels(order):
    """To the roundings of the momentum, 1e-15 rad; split in any other way a body at rest would be stirred."""
    flight = fly(
        AxisSplitting(order=order),
        0.1,
        (10.0,),
        inertia_body=ASYMMETRIC,
        orientation=SKEW_ORIENTATION,
        stored_momentum_body=(1.9, 2.3, -4.0),
    )
    assert rotations.angle(flight.orientation, SKEW_ORIENTATION)[0] < 1e-13
    assert np.abs(flight.angular_velocity_body).max() < 1e-13


def test_a_strong_wheel_is_followed_to_the_order_of_the_method():
    """A wheel of six times the body's own momentum, 2 s at 1/40 and 1/80 s. Measured slopes 2.0, 4.0, 4.0."""
    setup = {"inertia_body": ASYMMETRIC, "orientation": SKEW_ORIENTATION, "angular_velocity_body": (0.2, -0.4, 0.3)}
    stored = (1.9, 2.3, -4.0)
    truth = reference.solve(TIMES, stored_momentum_body=stored, **setup)
    for method, order in (("free-rotor-2", 1.9), ("free-rotor-4", 3.9), ("saba4", 3.9)):
        coarse, fine = (
            rotations.angle(
                fly(method, dt, TIMES, stored_momentum_body=stored, **setup).orientation, truth.orientation
            ).sum()
            for dt in (1.0 / 40.0, 1.0 / 80.0)
        )
        assert fine < max(coarse / 2.0**order, 1e-11)


# game mode


@every_splitting
def test_game_mode_turns_at_constant_body_rates_in_one_tick_of_any_length(method):
    """R(t) = R(0) turn(ω t), rates to the last bit, wheels or not."""
    rates = np.array((0.9, -1.6, 2.2))
    flight = fly(
        method,
        30.0,
        (30.0,),
        inertia_body=ASYMMETRIC,
        orientation=SKEW_ORIENTATION,
        angular_velocity_body=rates,
        stored_momentum_body=(0.8, -0.5, 1.3),
        game_mode=True,
    )
    expected = rotations.Rotation.from_quat(SKEW_ORIENTATION) * rotations.Rotation.from_rotvec(30.0 * rates)
    assert rotations.angle(flight.orientation[0], expected.as_quat()) < 1e-13
    assert np.array_equal(flight.angular_velocity_body[0], rates)


# bodies that are drawn in any way


def test_principal_axes_in_the_columns_are_those_of_the_body():
    """The quaternion's w follows from the rest without loss: at least 1/2; 200 tensors, rebuilt to 4 ulps of the largest moment."""
    rng = np.random.default_rng(5)
    turns = rotations.Rotation.random(200, random_state=rng).as_matrix()
    moments = np.sort(rng.uniform(1.0, 1.9, (200, 3)))
    tensors = [turn @ np.diag(m) @ turn.T for turn, m in zip(turns, moments, strict=True)]
    world = World(0.1)
    world.add_bodies([MassProperties(1.0, 0.5 * (t + t.T)) for t in tensors], position=np.zeros((200, 3)))
    array = world._bodies.array[:, :200]
    vector = array[PRINCIPAL_AXES : PRINCIPAL_AXES + 3].T
    squared = (vector**2).sum(axis=1)
    assert squared.max() <= 0.75 + 1e-15
    axes = rotations.matrix(np.column_stack([vector, np.sqrt(1.0 - squared)]))
    found = array[PRINCIPAL_MOMENTS : PRINCIPAL_MOMENTS + 3].T
    assert np.abs(found - moments).max() < 2e-15
    rebuilt = np.einsum("nij,nj,nkj->nik", axes, found, axes)
    xx, yy, zz, xy, xz, yz = array[INERTIA : INERTIA + 6]
    packed = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    assert np.abs(np.moveaxis(rebuilt, 0, -1) - packed).max() < 4e-15


def test_a_mass_property_that_is_changed_changes_the_axes():
    """A body whose mass properties are replaced turns as one that was made with them."""
    world = World(0.5, integrator="free-rotor-2")
    kwargs = {"orientation": SKEW_ORIENTATION, "angular_velocity_body": (0.9, -1.6, 2.2)}
    changed = world.add_body(MassProperties(1.0, (1.0, 1.5, 2.0)), **kwargs)
    made = world.add_body(MassProperties(1.0, ASYMMETRIC), **kwargs)
    changed.mass_properties = MassProperties(1.0, ASYMMETRIC)
    world.step(5)
    assert np.array_equal(changed.orientation, made.orientation)


def test_every_splitting_has_its_name():
    assert {method.name for method in METHODS} <= set(integrators.by_name)
    assert all(integrators.by_name[method.name]() == method for method in METHODS)
